/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules: what is said of devices, buffers and tasks is checked, and what is planned is told. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/library/error.h"
#include "client/library/schedule.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const char *predictd_method_name(predictd_method method)
{
	static const char *const words[] = {"heft", "min-min", "fastest"};
	return (size_t)method < COUNT(words) ? words[method] : "unknown";
}

const char *predictd_placed_by_name(predictd_placed_by by)
{
	static const char *const words[] = {"finish", "ability", "memory", "data", "time"};
	return (size_t)by < COUNT(words) ? words[by] : "unknown";
}

/* ---- life ---------------------------------------------------------------------------------- */

static predictd_status time_check(double value, const char *what, size_t device)
{
	return value >= 0 && isfinite(value)
	               ? PREDICTD_OK
	               : error_keep(PREDICTD_INVALID,
	                            "device %zu: %s: want a number of 0 or more, got %g", device,
	                            what, value);
}

static predictd_status device_check(const predictd_schedule_device *device, size_t number)
{
	const struct {
		double value;
		const char *what;
	} numbers[] = {
	        {device->busy_until_s, "busy_until_s"},
	        {device->upload_latency_s, "upload_latency_s"},
	        {device->upload_bytes_per_s, "upload_bytes_per_s"},
	        {device->download_latency_s, "download_latency_s"},
	        {device->download_bytes_per_s, "download_bytes_per_s"},
	};
	predictd_status status = PREDICTD_OK;
	for (size_t i = 0; i < COUNT(numbers) && status == PREDICTD_OK; i++)
		status = time_check(numbers[i].value, numbers[i].what, number);
	if (status == PREDICTD_OK && memchr(device->key, '\0', sizeof device->key) == NULL)
		status = error_keep(PREDICTD_INVALID, "device %zu: its key has no end", number);
	return status;
}

static predictd_status options_check(const predictd_schedule_options *options)
{
	size_t count = options->device_count;
	if (options->size < sizeof *options)
		return error_keep(PREDICTD_INVALID, "options of %zu bytes: want %zu", options->size,
		                  sizeof *options);
	if ((unsigned)options->method > PREDICTD_FASTEST)
		return error_keep(PREDICTD_INVALID, "there is no method %u",
		                  (unsigned)options->method);
	if (count == 0)
		return error_keep(PREDICTD_INVALID, "want at least one device");
	if (count > PREDICTD_SCHEDULE_DEVICES_MAX)
		return error_keep(PREDICTD_LIMIT, "%zu devices: want at most %d", count,
		                  PREDICTD_SCHEDULE_DEVICES_MAX);
	for (size_t i = 0; i < count; i++) {
		predictd_status status = device_check(&options->devices[i], i);
		if (status != PREDICTD_OK)
			return status;
	}
	for (size_t i = 0; i < count * count && options->slowdowns != NULL; i++)
		if (!(options->slowdowns[i] >= 1) || !isfinite(options->slowdowns[i]))
			return error_keep(PREDICTD_INVALID,
			                  "slowdown of device %zu by %zu: want 1 or more, got %g",
			                  i / count, i % count, options->slowdowns[i]);
	return PREDICTD_OK;
}

predictd_status predictd_schedule_new(const predictd_schedule_options *options,
                                      predictd_schedule **result)
{
	error_clear();
	predictd_status status = options_check(options);
	if (status != PREDICTD_OK)
		return status;
	size_t count = options->device_count;
	predictd_schedule *schedule = calloc(1, sizeof *schedule);
	bool has_memory = schedule != NULL;
	if (has_memory) {
		schedule->devices = calloc(count, sizeof *schedule->devices);
		schedule->slowdowns =
		        options->slowdowns == NULL ? NULL : malloc(count * count * sizeof(double));
		has_memory = schedule->devices != NULL &&
		             (options->slowdowns == NULL || schedule->slowdowns != NULL);
	}
	if (!has_memory) {
		predictd_schedule_free(schedule);
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a schedule");
	}
	schedule->method = options->method;
	schedule->device_count = count;
	schedule->last = schedule->marked = SIZE_MAX;
	for (size_t i = 0; i < count; i++)
		schedule->devices[i].own = options->devices[i];
	if (options->slowdowns != NULL)
		memcpy(schedule->slowdowns, options->slowdowns, count * count * sizeof(double));
	*result = schedule;
	return PREDICTD_OK;
}

void predictd_schedule_free(predictd_schedule *schedule)
{
	if (schedule == NULL)
		return;
	for (size_t i = 0; i < schedule->device_count; i++) {
		struct planned_device *device = &schedule->devices[i];
		timeline_deinit(&device->runs);
		timeline_deinit(&device->uploads);
		timeline_deinit(&device->downloads);
		free(device->room.leaving);
	}
	while (schedule->ends != NULL) {
		struct ends *ends = schedule->ends;
		schedule->ends = ends->next;
		free(ends->statuses);
		free(ends);
	}
	free(schedule->devices);
	free(schedule->slowdowns);
	free(schedule->pairs);
	free(schedule->shares);
	free(schedule->buffers);
	free(schedule->buffer_copies);
	free(schedule->readers);
	free(schedule->tasks);
	free(schedule->blockers);
	free(schedule->copies);
	free(schedule->critical);
	free(schedule);
}

/* ---- buffers ------------------------------------------------------------------------------- */

static predictd_status buffers_check(const predictd_schedule *schedule,
                                     const predictd_schedule_buffer *buffers, size_t count)
{
	size_t devices = schedule->device_count, first = schedule->buffer_count;
	if (count > PREDICTD_SCHEDULE_TASKS_MAX - first)
		return error_keep(PREDICTD_LIMIT, "%zu buffers beside %zu: want at most %d", count,
		                  first, PREDICTD_SCHEDULE_TASKS_MAX);
	for (size_t i = 0; i < count; i++)
		if (devices < 64 && buffers[i].on_device >> devices != 0)
			return error_keep(PREDICTD_INVALID,
			                  "buffer %zu lies on a device that there is not: there "
			                  "are %zu",
			                  first + i, devices);
	for (size_t i = 0; i < devices; i++) {
		const struct planned_device *device = &schedule->devices[i];
		uint64_t limit = device->own.memory_bytes, used = device->room.kept_bytes;
		for (size_t j = 0; j < count && limit > 0; j++) {
			if ((buffers[j].on_device >> i & 1) == 0)
				continue;
			if (used > limit || buffers[j].size_bytes > limit - used)
				return error_keep(PREDICTD_LIMIT,
				                  "buffer %zu: more lies on device %zu than its "
				                  "memory of %llu bytes holds",
				                  first + j, i, (unsigned long long)limit);
			used += buffers[j].size_bytes;
		}
	}
	return PREDICTD_OK;
}

predictd_status predictd_schedule_add_buffers(predictd_schedule *schedule,
                                              const predictd_schedule_buffer *buffers, size_t count)
{
	error_clear();
	predictd_status status = buffers_check(schedule, buffers, count);
	size_t places = schedule->device_count + 1, needed = schedule->buffer_count + count;
	if (status != PREDICTD_OK || count == 0)
		return status;
	if (needed > schedule->buffer_room) {
		size_t room =
		        needed > 2 * schedule->buffer_room ? needed : 2 * schedule->buffer_room;
		struct planned_buffer *grown =
		        realloc(schedule->buffers, room * sizeof *schedule->buffers);
		if (grown != NULL)
			schedule->buffers = grown;
		struct buffer_copy *copies = realloc(
		        schedule->buffer_copies, room * places * sizeof *schedule->buffer_copies);
		if (copies != NULL)
			schedule->buffer_copies = copies;
		if (grown == NULL || copies == NULL)
			return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu buffers", needed);
		schedule->buffer_room = room;
	}
	for (size_t i = 0; i < count; i++) {
		size_t number = schedule->buffer_count++;
		schedule->buffers[number] = (struct planned_buffer){buffers[i].size_bytes, SIZE_MAX,
		                                                    SIZE_MAX, SIZE_MAX, 0};
		for (size_t j = 0; j < places; j++) {
			bool is_there = j < schedule->device_count
			                        ? (buffers[i].on_device >> j & 1) != 0
			                        : buffers[i].is_on_host;
			schedule->buffer_copies[number * places + j] =
			        (struct buffer_copy){.is_valid = is_there};
			if (is_there && j < schedule->device_count)
				schedule->devices[j].room.kept_bytes += buffers[i].size_bytes;
		}
	}
	return PREDICTD_OK;
}

/* ---- tasks --------------------------------------------------------------------------------- */

static predictd_status numbers_check(const struct adding *adding, size_t index, const char *what,
                                     const size_t *numbers, size_t count, size_t limit)
{
	char name[96];
	for (size_t i = 0; i < count; i++)
		if (numbers[i] >= limit)
			return error_keep(PREDICTD_INVALID, "%s %s %zu: there are %zu",
			                  adding_name(adding, adding->first + index, name), what,
			                  numbers[i], limit);
	return PREDICTD_OK;
}

static predictd_status task_check(const struct adding *adding, size_t index)
{
	const predictd_schedule *schedule = adding->schedule;
	const predictd_schedule_task *task = &adding->tasks[index];
	char name[96];
	predictd_status status = numbers_check(adding, index, "needs task", task->needs,
	                                       task->need_count, adding->first + adding->count);
	if (status == PREDICTD_OK)
		status = numbers_check(adding, index, "reads buffer", task->reads, task->read_count,
		                       schedule->buffer_count);
	if (status == PREDICTD_OK)
		status = numbers_check(adding, index, "writes buffer", task->writes,
		                       task->write_count, schedule->buffer_count);
	(void)adding_name(adding, adding->first + index, name);
	if (status == PREDICTD_OK && (task->question == NULL) == (task->times_s == NULL))
		status = error_keep(PREDICTD_INVALID, "%s: want either a question or times", name);
	for (size_t i = 0;
	     i < schedule->device_count && task->question != NULL && status == PREDICTD_OK; i++)
		if (schedule->devices[i].own.key[0] == '\0')
			status = error_keep(PREDICTD_INVALID,
			                    "%s has a question: want a key of device %zu", name, i);
	for (size_t i = 0;
	     i < schedule->device_count && task->times_s != NULL && status == PREDICTD_OK; i++)
		if (!(task->times_s[i] >= 0))
			status = error_keep(PREDICTD_INVALID,
			                    "%s: its time on device %zu: want 0 or more, got %g",
			                    name, i, task->times_s[i]);
	return status;
}

static predictd_status tasks_check(const struct adding *adding)
{
	predictd_status status = PREDICTD_OK;
	if (adding->count > PREDICTD_SCHEDULE_TASKS_MAX - adding->first)
		return error_keep(PREDICTD_LIMIT, "%zu tasks beside %zu: want at most %d",
		                  adding->count, adding->first, PREDICTD_SCHEDULE_TASKS_MAX);
	if (!(adding->now_s >= 0) || !isfinite(adding->now_s))
		return error_keep(PREDICTD_INVALID, "now_s: want a number of 0 or more, got %g",
		                  adding->now_s);
	for (size_t i = 0; i < adding->count && status == PREDICTD_OK; i++)
		status = task_check(adding, i);
	return status;
}

static bool adding_init(struct adding *adding, struct ends **ends)
{
	size_t count = adding->count, cells = count * adding->schedule->device_count;
	*ends = calloc(1, sizeof **ends + cells * sizeof(*ends)->ends_s[0]);
	adding->statuses = calloc(cells + 1, sizeof *adding->statuses);
	adding->times_s = calloc(cells + count + 1, sizeof *adding->times_s);
	adding->shares = calloc(cells + 1, sizeof *adding->shares);
	adding->is_fixed = calloc(count + 1, sizeof *adding->is_fixed);
	adding->order = calloc(3 * count + 1, sizeof *adding->order);
	if (*ends != NULL)
		(*ends)->statuses = adding->statuses;
	if (*ends == NULL || adding->statuses == NULL || adding->times_s == NULL ||
	    adding->order == NULL || adding->shares == NULL || adding->is_fixed == NULL)
		return false;
	adding->ends_s = (*ends)->ends_s;
	adding->ranks = adding->times_s + cells;
	adding->before_begins = adding->order + count;
	adding->before_counts = adding->before_begins + count;
	return true;
}

/* Times that are given, else asked for. */
static predictd_status times_fill(struct adding *adding, predictd_connection *connection)
{
	size_t devices = adding->schedule->device_count;
	bool is_asking = false;
	for (size_t i = 0; i < adding->count; i++) {
		const double *given_s = adding->tasks[i].times_s;
		bool is_able = given_s == NULL;
		for (size_t j = 0; j < devices && given_s != NULL; j++) {
			adding->times_s[i * devices + j] = given_s[j];
			adding->shares[i * devices + j] = -1;
			is_able = is_able || isfinite(given_s[j]);
			if (!isfinite(given_s[j]))
				adding->statuses[i * devices + j] = PREDICTD_UNSUPPORTED;
		}
		char name[96];
		if (!is_able)
			return error_keep(PREDICTD_UNSUPPORTED, "%s: no device can run it",
			                  adding_name(adding, adding->first + i, name));
		is_asking = is_asking || given_s == NULL;
	}
	if (is_asking && connection == NULL)
		return error_keep(PREDICTD_INVALID, "a task has a question: want a connection");
	return is_asking ? schedule_ask(adding, connection) : PREDICTD_OK;
}

/* Rows for the tasks, without a place yet. Ends are theirs from then on. */
static bool rows_add(struct adding *adding, struct ends *ends)
{
	predictd_schedule *schedule = adding->schedule;
	size_t needed = adding->first + adding->count, devices = schedule->device_count;
	if (needed > schedule->task_room) {
		size_t room = needed > 2 * schedule->task_room ? needed : 2 * schedule->task_room;
		predictd_planned *tasks = realloc(schedule->tasks, room * sizeof *tasks);
		if (tasks != NULL)
			schedule->tasks = tasks;
		double *shares = realloc(schedule->shares, room * sizeof *shares);
		if (shares != NULL)
			schedule->shares = shares;
		size_t *blockers = realloc(schedule->blockers, room * sizeof *blockers);
		if (blockers != NULL)
			schedule->blockers = blockers;
		size_t *critical = realloc(schedule->critical, room * sizeof *critical);
		if (critical != NULL)
			schedule->critical = critical;
		if (tasks == NULL || shares == NULL || blockers == NULL || critical == NULL)
			return false;
		schedule->task_room = room;
	}
	for (size_t i = 0; i < adding->count; i++) {
		schedule->tasks[adding->first + i] =
		        (predictd_planned){.device = SIZE_MAX,
		                           .ends_s = &ends->ends_s[i * devices],
		                           .statuses = &ends->statuses[i * devices]};
		schedule->blockers[adding->first + i] = SIZE_MAX;
	}
	schedule->task_count = needed;
	return true;
}

/* From the task that ends last back, by what each one waited for. */
static void critical_mark(predictd_schedule *schedule)
{
	if (schedule->marked == schedule->last)
		return;
	for (size_t i = 0; i < schedule->critical_count; i++)
		schedule->tasks[schedule->critical[i]].is_critical = false;
	schedule->critical_count = 0;
	schedule->marked = schedule->last;
	for (size_t at = schedule->last; at != SIZE_MAX; at = schedule->blockers[at]) {
		schedule->tasks[at].is_critical = true;
		schedule->critical[schedule->critical_count++] = at;
	}
	for (size_t i = 0, j = schedule->critical_count; i + 1 < j; i++) {
		size_t other = schedule->critical[--j];
		schedule->critical[j] = schedule->critical[i];
		schedule->critical[i] = other;
	}
}

predictd_status predictd_schedule_add(predictd_schedule *schedule, predictd_connection *connection,
                                      const predictd_schedule_task *tasks, size_t count,
                                      double now_s)
{
	struct adding adding = {.schedule = schedule,
	                        .tasks = tasks,
	                        .count = count,
	                        .first = schedule->task_count,
	                        .now_s = now_s};
	struct ends *ends = NULL;
	error_clear();
	predictd_status status = tasks_check(&adding);
	if (status != PREDICTD_OK || count == 0)
		return status;
	if (!adding_init(&adding, &ends))
		status = error_keep(PREDICTD_NO_MEMORY, "no memory for %zu tasks", count);
	if (status == PREDICTD_OK)
		status = graph_order(&adding);
	if (status == PREDICTD_OK)
		status = times_fill(&adding, connection);
	if (status == PREDICTD_OK)
		status = schedule_contention_ask(schedule, connection);
	if (status == PREDICTD_OK && !rows_add(&adding, ends))
		status = error_keep(PREDICTD_NO_MEMORY, "no memory for %zu tasks", count);
	if (status != PREDICTD_OK) {
		if (ends != NULL)
			free(adding.statuses);
		free(ends);
		goto out;
	}
	ends->next = schedule->ends;
	schedule->ends = ends;
	status = graph_link(&adding);
	if (status == PREDICTD_OK) {
		graph_rank(&adding);
		status = place_tasks(&adding);
	}
out:
	free(adding.befores);
	free(adding.times_s);
	free(adding.shares);
	free(adding.is_fixed);
	free(adding.order);
	return status;
}

void predictd_schedule_get(predictd_schedule *schedule, predictd_plan *plan)
{
	critical_mark(schedule);
	*plan = (predictd_plan){.makespan_s = schedule->makespan_s,
	                        .task_count = schedule->task_count,
	                        .tasks = schedule->tasks,
	                        .copy_count = schedule->copy_count,
	                        .copies = schedule->copies,
	                        .critical_count = schedule->critical_count,
	                        .critical = schedule->critical,
	                        .is_contention_known =
	                                schedule->slowdowns != NULL || schedule->are_pairs_known};
}
