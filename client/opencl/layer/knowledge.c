/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of what a program launches: statistics of launches, transfers and devices. */
#include "client/opencl/layer/knowledge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client/opencl/layer/known.h"

static const double write_interval_s = 1, write_share = 0.01; /* of the time, at most */

static struct known known;
static struct {
	bool has_changed;
	double next_s; /* when the record may be written again */
} writing;

static double now_s(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool variable_is(const char *name, const char *value)
{
	const char *have = getenv(name);
	return have != NULL && strcmp(have, value) == 0;
}

bool knowledge_open(layer_mode mode)
{
	const char *folder = getenv("PREDICTD_LAYER_FOLDER");
	struct timespec now;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	known = (struct known){.mode = mode,
	                       .observes = !variable_is("PREDICTD_LAYER_OBSERVE", "0"),
	                       .started_at_s = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec};
	ssize_t length = readlink("/proc/self/exe", known.executable, sizeof known.executable - 1);
	known.executable[length > 0 ? length : 0] = '\0';
	const char *slash = strrchr(known.executable, '/');
	const char *name = program_invocation_short_name;
	if (name == NULL || name[0] == '\0')
		name = slash != NULL ? slash + 1 : "program";
	(void)strncpy(known.name, name, sizeof known.name - 1);
	if (folder == NULL || folder[0] == '\0')
		return true;
	known.folder = strdup(folder);
	if (known.folder != NULL && variable_is("PREDICTD_LAYER_SPANS", "1"))
		spans_open(known.folder);
	return known.folder != NULL;
}

/* ---- shapes and devices -------------------------------------------------------------------- */

static struct known_shape *shape_find(seen_shape *shape)
{
	if (shape->known == NULL)
		knowledge_shape(shape);
	return shape->known;
}

static struct known_device *device_find(const seen_device *device)
{
	for (size_t i = 0; i < known.device_count; i++)
		if (known.devices[i].device == device)
			return &known.devices[i];
	if (known.device_count == KNOWN_DEVICES_MAX) {
		known.devices_lost++;
		return NULL;
	}
	known.devices[known.device_count].device = device;
	return &known.devices[known.device_count++];
}

static void unasked(struct known_shape *one, const char *why)
{
	one->why = known_text(why);
	atomic_store(&one->state, KNOWN_UNANSWERED);
}

void knowledge_shape(seen_shape *shape)
{
	if (shape->known != NULL)
		return;
	struct known_shape *one = calloc(1, sizeof *one);
	if (one == NULL)
		return;
	one->shape = shape;
	one->number = known.shape_count++;
	shape->known = one;
	if (known.last != NULL)
		known.last->next = one;
	else
		known.first = one;
	known.last = one;
	writing.has_changed = true;
	(void)device_find(shape->device);
	if (known.mode != LAYER_ALL)
		unasked(one, "not asked: PREDICTD_LAYER is times");
	else if (shape->device->key[0] == '\0')
		unasked(one, "its device has no key, as a sub-device has none");
	else
		ask_shape(one, known.name);
}

/* ---- launches and transfers ---------------------------------------------------------------- */

static bool has_profile(const seen_times *times)
{
	return !times->failed && times->end_s > 0 && times->end_s >= times->start_s;
}

/* 1 to 16, and then each power of 2 and the middle to the next: the daemon is not flooded. */
static bool is_reported(uint64_t number)
{
	uint64_t third = number % 3 == 0 ? number / 3 : number;
	return number <= 16 || (third & (third - 1)) == 0;
}

void knowledge_launch(seen_shape *shape, const seen_times *times)
{
	struct known_shape *one = shape_find(shape);
	struct known_device *device = device_find(shape->device);
	double launch_time_s = 0;
	writing.has_changed = true;
	if (one == NULL || device == NULL)
		return;
	one->launches++;
	device->launches++;
	one->failed += times->failed;
	one->overlapped += times->overlapped;
	one->near += times->is_near;
	if (!has_profile(times)) {
		one->untimed += !times->failed;
		return;
	}
	double time_s = times->end_s - times->start_s;
	one->timed++;
	one->total_time_s += time_s;
	if (times->is_first)
		one->first_time_s = time_s;
	else if (!times->overlapped && !times->is_near)
		times_add(&one->clean, time_s);
	/* behind another command it waits for that one, which is no cost of a launch */
	if (busy_add(&device->busy, times->queued_s, times->start_s, times->end_s) &&
	    times->queued_s > 0 && times->start_s > times->queued_s && !times->is_first) {
		launch_time_s = times->start_s - times->queued_s;
		times_add(&device->launch, launch_time_s);
	}
	spans_launch(one->number, times);
	if (known.observes && known.mode == LAYER_ALL && shape->device->key[0] != '\0' &&
	    time_s > 0 && !times->is_near && is_reported(one->launches))
		ask_report(one, times, launch_time_s);
}

void knowledge_transfer(seen_transfer_kind kind, const seen_device *seen, uint64_t size_bytes,
                        bool is_blocking, const seen_times *times)
{
	struct known_device *device = device_find(seen);
	writing.has_changed = true;
	if (device == NULL)
		return;
	struct known_transfers *transfers = &device->transfers[kind];
	transfers->count++;
	transfers->bytes += size_bytes;
	transfers->blocking += is_blocking;
	transfers->failed += times->failed;
	if (!has_profile(times)) {
		transfers->untimed += !times->failed;
		return;
	}
	transfers->timed_bytes += size_bytes;
	transfers->time_s += times->end_s - times->start_s;
	(void)busy_add(&device->busy, times->queued_s, times->start_s, times->end_s);
	spans_transfer(kind, (size_t)(device - known.devices), size_bytes, times);
}

/* ---- the record ---------------------------------------------------------------------------- */

static void record(const seen_losses *losses)
{
	double begin_s = now_s();
	spans_flush();
	if (known.folder != NULL)
		(void)record_write(&known, losses, spans_lost());
	double end_s = now_s(), pause_s = (end_s - begin_s) / write_share;
	writing.next_s = end_s + (pause_s > write_interval_s ? pause_s : write_interval_s);
	writing.has_changed = false;
}

void knowledge_tick(const seen_losses *losses)
{
	if (writing.has_changed && now_s() >= writing.next_s)
		record(losses);
}

double knowledge_patience_s(void)
{
	return known.folder != NULL && known.mode == LAYER_ALL ? 20 : 0;
}

void knowledge_close(const seen_losses *losses, double wait_s)
{
	if (known.mode == LAYER_ALL)
		ask_close(wait_s, wait_s > 0 ? knowledge_patience_s() : 0);
	record(losses);
}

void knowledge_forked(void)
{
	/* what the parent knew is left where it is: it may have been in the middle of a change */
	known = (struct known){.mode = LAYER_OFF};
	writing.has_changed = false;
	writing.next_s = 0;
	ask_forked();
	spans_forked();
}
