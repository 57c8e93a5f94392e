/* SPDX-License-Identifier: Apache-2.0 */
/* Calibrations that nobody asked for. */
#include "daemon/children/recalibrating.h"

#include "daemon/daemon.h"
#include "daemon/log.h"

#include <math.h>
#include <string.h>

enum {
	LOOK_MS = 10000,
	LOOKS_MIN = 4,         /* in the time of quiet */
	LOOK_BUSY_MS = 500,    /* while a calibration may have to give way, or a first one is due */
	START_QUIET_MS = 5000, /* of a node just set up: longer than a program's loading takes */
	WEEK_S = 7 * 24 * 3600
};

/* Of the coefficients: a calibration that knows less was in a hurry. */
static const double KNOWN_LEAST = 0.95;

/* Of the processors: less is no difference. */
static const double SHARE_LESS = 0.02;

static unsigned known(const struct device *device)
{
	unsigned count = 0;
	for (unsigned i = 0; i < COEFFICIENT_COUNT; i++)
		count += device->coefficient[i].is_known;
	return count;
}

bool recalibrating_is_better(const struct device *before, const struct device *after)
{
	double had = device_value(before, COEFFICIENT_OTHERS_SHARE, 1);
	double has = device_value(after, COEFFICIENT_OTHERS_SHARE, 1);
	if (after->is_quick && !before->is_quick)
		return false;
	if (known(after) < KNOWN_LEAST * known(before))
		return false;
	return before->was_busy && (!after->was_busy || has < had - SHARE_LESS);
}

/* ---- when ---------------------------------------------------------------------------------- */

/* What clients did that run kernels, or are about to. */
static uint64_t count_asked(const struct daemon *daemon)
{
	return daemon->metrics.predictions + daemon->metrics.observed;
}

static const struct recalibrated *find_tried(const struct recalibrating *recalibrating,
                                             uint64_t hash)
{
	for (unsigned i = 0; i < recalibrating->tried_count; i++)
		if (recalibrating->tried[i].hash == hash)
			return &recalibrating->tried[i];
	return NULL;
}

static struct recalibrated *get_tried(struct recalibrating *recalibrating, uint64_t hash)
{
	const struct recalibrated *found = find_tried(recalibrating, hash);
	if (found != NULL)
		return &recalibrating->tried[found - recalibrating->tried];
	if (recalibrating->tried_count == RECALIBRATING_DEVICES_MAX)
		memmove(&recalibrating->tried[0], &recalibrating->tried[1],
		        --recalibrating->tried_count * sizeof recalibrating->tried[0]);
	struct recalibrated *tried = &recalibrating->tried[recalibrating->tried_count++];
	*tried = (struct recalibrated){.hash = hash};
	return tried;
}

static void put_off(struct recalibrating *recalibrating)
{
	struct recalibrated *tried = get_tried(recalibrating, recalibrating->hash);
	const struct daemon *daemon = recalibrating->daemon;
	double wait_s = fmin(ldexp(daemon->config.again_after_s, (int)tried->tries), WEEK_S);
	tried->tries += tried->tries < WEEK_S;
	tried->next_ms = uv_now(&daemon->loop) + (uint64_t)(wait_s * 1e3);
}

/* ---- a calibration ------------------------------------------------------------------------- */

static void on_progress(void *data, const Predictd__Progress *progress)
{
	(void)data;
	(void)progress;
}

static void on_done(void *data, const struct device *device, const struct error *why)
{
	struct recalibrating *recalibrating = data;
	recalibrating->job = NULL;
	recalibrating->quiet_since_ms = uv_now(&recalibrating->daemon->loop);
	/* what was ended for a client is no failure, and has to be as quiet again */
	if (device == NULL && !recalibrating->gave_way)
		put_off(recalibrating);
	/* where a first one failed, calibration-failed says so */
	if (device == NULL && (recalibrating->gave_way || !recalibrating->is_first))
		log_write(LOG_CALIBRATION_LEFT, LOG_TEXT_FIELD("why", why->text));
	recalibrating->gave_way = false;
}

void recalibrating_give_way(struct recalibrating *recalibrating)
{
	struct calibration_job *job = recalibrating->job;
	if (job == NULL || recalibrating->gave_way)
		return;
	recalibrating->gave_way = true;
	calibration_cancel(&recalibrating->daemon->calibration, job, "a client comes first");
}

static bool is_due(const struct recalibrating *recalibrating, const struct registry_device *entry)
{
	const struct recalibrated *tried = find_tried(recalibrating, entry->hash);
	return tried == NULL || tried->next_ms <= uv_now(&recalibrating->daemon->loop);
}

/*
 * Lacks a calibration that at_start gives. A quick one is no match for a borrowed one, which other
 * nodes' full ones may have made: a full one alone takes its place.
 */
static bool lacks(const struct recalibrating *recalibrating, const struct registry_device *entry)
{
	const struct device *device = &entry->device;
	const char *how = recalibrating->daemon->config.at_start;
	bool is_full = strcmp(how, "full") == 0;
	return entry->is_present && strcmp(how, "never") != 0 &&
	       (!device->is_calibrated || (is_full && device->borrowed_nodes > 0));
}

bool recalibrating_is_coming(const struct recalibrating *recalibrating, size_t place)
{
	const struct registry_device *entry = recalibrating->daemon->registry.devices[place];
	return !entry->device.is_calibrated && lacks(recalibrating, entry) &&
	       is_due(recalibrating, entry);
}

const char *recalibrating_waits_for(const struct recalibrating *recalibrating)
{
	if (recalibrating->job != NULL)
		return "";
	return recalibrating->is_busy ? "others to leave the processors" : "quiet";
}

void recalibrating_leave(struct recalibrating *recalibrating, uint64_t hash)
{
	get_tried(recalibrating, hash)->next_ms = UINT64_MAX;
}

/* The first device that has no calibration, or that was busy, and whose time has come; or the
 * count. */
static size_t choose(const struct recalibrating *recalibrating, bool is_first)
{
	const struct registry *registry = &recalibrating->daemon->registry;
	for (size_t i = 0; i < registry->count; i++) {
		const struct registry_device *entry = registry->devices[i];
		bool is_wanted = is_first ? lacks(recalibrating, entry)
		                          : entry->is_present && entry->device.is_calibrated &&
		                                    entry->device.was_busy;
		if (is_wanted && is_due(recalibrating, entry))
			return i;
	}
	return registry->count;
}

static void start(struct recalibrating *recalibrating, size_t index, bool is_first)
{
	static const struct calibration_events events = {on_progress, on_done, NULL};
	struct daemon *daemon = recalibrating->daemon;
	const struct registry_device *entry = daemon->registry.devices[index];
	bool is_quick =
	        is_first ? strcmp(daemon->config.at_start, "quick") == 0 : entry->device.is_quick;
	struct error error;
	recalibrating->hash = entry->hash;
	recalibrating->is_first = is_first;
	if (calibration_start(&daemon->calibration, index, is_quick,
	                      is_first ? CALIBRATION_AT_START : CALIBRATION_FOR_NOBODY, &events,
	                      recalibrating, &recalibrating->job, &error) != STATUS_OK) {
		recalibrating->job = NULL;
		put_off(recalibrating);
	}
}

/* ---- looking ------------------------------------------------------------------------------- */

/* The configuration wants no more what is under way. */
static bool is_unwanted(const struct recalibrating *recalibrating)
{
	const struct config *config = &recalibrating->daemon->config;
	return recalibrating->is_first ? strcmp(config->at_start, "never") == 0
	                               : config->again_quiet_s == 0;
}

static void on_look(uv_timer_t *timer)
{
	struct recalibrating *recalibrating = timer->data;
	struct daemon *daemon = recalibrating->daemon;
	uint64_t quiet_ms = 1000 * (uint64_t)daemon->config.again_quiet_s;
	uint64_t now_ms = uv_now(&daemon->loop), asked = count_asked(daemon);
	uint64_t look_ms = LOOK_MS;
	struct other_load seen;
	other_load_look(&seen);
	bool is_asked = asked != recalibrating->asked;
	recalibrating->is_busy =
	        !seen.is_known || other_load_share(&recalibrating->seen, &seen) > OTHER_LOAD_MAX;
	recalibrating->seen = seen;
	recalibrating->asked = asked;
	size_t first = choose(recalibrating, true), again = choose(recalibrating, false);
	bool has_first = first < daemon->registry.count;
	if (recalibrating->job != NULL) {
		/* its own work counts as others': it says itself whether it was disturbed */
		if (is_asked || is_unwanted(recalibrating))
			recalibrating_give_way(recalibrating);
	} else if (is_asked || recalibrating->is_busy ||
	           !calibration_is_idle(&daemon->calibration)) {
		recalibrating->quiet_since_ms = now_ms;
	} else if (daemon->is_registry_ready) {
		uint64_t since_ms = now_ms - recalibrating->quiet_since_ms;
		if (has_first && since_ms >= START_QUIET_MS)
			start(recalibrating, first, true);
		else if (quiet_ms > 0 && since_ms >= quiet_ms && again < daemon->registry.count)
			start(recalibrating, again, false);
	}
	if (quiet_ms > 0 && quiet_ms / LOOKS_MIN < look_ms)
		look_ms = quiet_ms / LOOKS_MIN;
	if (recalibrating->job != NULL || has_first || !daemon->is_registry_ready)
		look_ms = LOOK_BUSY_MS;
	(void)uv_timer_start(timer, on_look, look_ms, 0);
}

void recalibrating_init(struct recalibrating *recalibrating, struct daemon *daemon)
{
	*recalibrating = (struct recalibrating){.daemon = daemon, .is_open = true};
	(void)uv_timer_init(&daemon->loop, &recalibrating->timer);
	recalibrating->timer.data = recalibrating;
	recalibrating->quiet_since_ms = uv_now(&daemon->loop);
	other_load_look(&recalibrating->seen);
	(void)uv_timer_start(&recalibrating->timer, on_look, LOOK_BUSY_MS, 0);
}

void recalibrating_stop(struct recalibrating *recalibrating)
{
	if (!recalibrating->is_open)
		return;
	recalibrating->is_open = false;
	uv_close((uv_handle_t *)&recalibrating->timer, NULL);
}
