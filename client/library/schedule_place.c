/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where and when each task runs: list scheduling. Tasks that are ready stand in a heap; the first
 * is tried on every device, with the copies that it would take, and has the place that its method
 * wants.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/library/error.h"
#include "client/library/schedule.h"

/* A task on one of the devices. */
struct trial {
	double start_s, end_s;
	double harm_s;   /* what tasks beside it lose by it */
	double waited_s; /* for copies alone */
	double before_s; /* what it waits for has ended */
	double data_s;   /* its data are there */
	size_t last;     /* the buffer that is there last; SIZE_MAX: none was fetched */
};

struct placing {
	struct adding *adding;
	size_t *left;                /* by task: what it waits for that has no place yet */
	size_t *after_ends, *afters; /* who waits for it */
	size_t *heap, heap_count;    /* of tasks that are ready, by their ranks */
	struct trial trials[PREDICTD_SCHEDULE_DEVICES_MAX];
	/* of one trial: its copies, and when a device's ways are free of them */
	size_t copy_count, copy_room;
	predictd_planned_copy *copies;
	double upload_s, downloads_s[PREDICTD_SCHEDULE_DEVICES_MAX];
	bool is_short_of_memory;
};

static struct buffer_copy *copy_at(const predictd_schedule *schedule, size_t buffer, size_t place)
{
	return &schedule->buffer_copies[buffer * (schedule->device_count + 1) + place];
}

/* ---- ready tasks --------------------------------------------------------------------------- */

static bool is_first(const struct placing *placing, size_t a, size_t b)
{
	const struct adding *adding = placing->adding;
	if (adding->tasks[a].priority != adding->tasks[b].priority)
		return adding->tasks[a].priority > adding->tasks[b].priority;
	if (adding->ranks[a] > adding->ranks[b] || adding->ranks[a] < adding->ranks[b])
		return adding->ranks[a] > adding->ranks[b];
	return a < b;
}

static void heap_push(struct placing *placing, size_t task)
{
	size_t at = placing->heap_count++, *heap = placing->heap;
	while (at > 0 && is_first(placing, task, heap[(at - 1) / 2])) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = task;
}

static size_t heap_pop(struct placing *placing)
{
	size_t *heap = placing->heap, top = heap[0], last = heap[--placing->heap_count], at = 0;
	for (size_t child; (child = 2 * at + 1) < placing->heap_count; at = child) {
		if (child + 1 < placing->heap_count &&
		    is_first(placing, heap[child + 1], heap[child]))
			child++;
		if (!is_first(placing, heap[child], last))
			break;
		heap[at] = heap[child];
	}
	heap[at] = last;
	return top;
}

static predictd_status placing_init(struct placing *placing, struct adding *adding)
{
	size_t count = adding->count, total = adding->before_total;
	*placing = (struct placing){.adding = adding};
	placing->left = calloc(3 * count + total + 1, sizeof *placing->left);
	if (placing->left == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu tasks", count);
	placing->heap = placing->left + count;
	placing->after_ends = placing->heap + count;
	placing->afters = placing->after_ends + count + 1;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < adding->before_counts[i]; j++) {
			size_t before = adding->befores[adding->before_begins[i] + j].task;
			placing->left[i] += before >= adding->first;
			if (before >= adding->first)
				placing->after_ends[before - adding->first]++;
		}
	for (size_t i = 0, sum = 0; i < count; i++) {
		size_t own = placing->after_ends[i];
		placing->after_ends[i] = sum; /* its begin, until it is filled */
		sum += own;
	}
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < adding->before_counts[i]; j++) {
			size_t before = adding->befores[adding->before_begins[i] + j].task;
			if (before >= adding->first)
				placing->afters[placing->after_ends[before - adding->first]++] = i;
		}
		if (placing->left[i] == 0)
			heap_push(placing, i);
	}
	return PREDICTD_OK;
}

/* ---- one task on one device ---------------------------------------------------------------- */

/* n bytes in one direction. */
static double copy_time_s(double latency_s, double bytes_per_s, uint64_t bytes)
{
	return latency_s + (bytes_per_s > 0 ? (double)bytes / bytes_per_s : 0);
}

/* Plans a copy that takes time; returns when it is there. */
static double copy_try(struct placing *placing, const struct timeline *way, double *free_s,
                       double ready_s, double time_s, predictd_planned_copy copy)
{
	if (!(time_s > 0))
		return ready_s;
	copy.start_s = timeline_find(way, fmax(ready_s, *free_s), time_s,
	                             placing->adding->schedule->is_append);
	copy.end_s = copy.start_s + time_s;
	*free_s = copy.end_s;
	if (array_grow((void **)&placing->copies, &placing->copy_room, placing->copy_count,
	               sizeof *placing->copies))
		placing->copies[placing->copy_count++] = copy;
	else
		placing->is_short_of_memory = true;
	return copy.end_s;
}

/* When a buffer that is to be fetched is on a device: from the host, else by way of it. */
static double fetch_try(struct placing *placing, size_t task, size_t number, size_t device)
{
	const predictd_schedule *schedule = placing->adding->schedule;
	const struct planned_buffer *buffer = &schedule->buffers[number];
	const struct buffer_copy *host = copy_at(schedule, number, schedule->device_count);
	const predictd_schedule_device *own = &schedule->devices[device].own;
	double now_s = placing->adding->now_s, there_s = fmax(host->since_s, now_s);
	size_t from = SIZE_MAX;
	for (size_t i = 0; i < schedule->device_count && !host->is_valid; i++) {
		const predictd_schedule_device *other = &schedule->devices[i].own;
		if (!copy_at(schedule, number, i)->is_valid)
			continue;
		double end_s = fmax(copy_at(schedule, number, i)->since_s, now_s) +
		               copy_time_s(other->download_latency_s, other->download_bytes_per_s,
		                           buffer->size_bytes);
		if (from == SIZE_MAX || end_s < there_s) {
			from = i;
			there_s = end_s;
		}
	}
	if (from != SIZE_MAX) {
		const struct planned_device *other = &schedule->devices[from];
		there_s = copy_try(
		        placing, &other->downloads, &placing->downloads_s[from],
		        fmax(copy_at(schedule, number, from)->since_s, now_s),
		        copy_time_s(other->own.download_latency_s, other->own.download_bytes_per_s,
		                    buffer->size_bytes),
		        (predictd_planned_copy){
		                .task = task, .buffer = number, .from = from, .to = PREDICTD_HOST});
	}
	return copy_try(
	        placing, &schedule->devices[device].uploads, &placing->upload_s, there_s,
	        copy_time_s(own->upload_latency_s, own->upload_bytes_per_s, buffer->size_bytes),
	        (predictd_planned_copy){
	                .task = task, .buffer = number, .from = PREDICTD_HOST, .to = device});
}

/* Whether a number stands before `end` in a list. */
static bool is_among(const size_t *numbers, size_t end, size_t number)
{
	for (size_t i = 0; i < end; i++)
		if (numbers[i] == number)
			return true;
	return false;
}

/* Of its buffers, how much is not on a device yet. */
static uint64_t new_bytes(const predictd_schedule *schedule, const predictd_schedule_task *task,
                          size_t device)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < task->read_count + task->write_count; i++) {
		bool is_read = i < task->read_count;
		size_t at = is_read ? i : i - task->read_count;
		size_t number = is_read ? task->reads[at] : task->writes[at];
		if (copy_at(schedule, number, device)->is_valid ||
		    is_among(is_read ? task->reads : task->writes, at, number) ||
		    (!is_read && is_among(task->reads, task->read_count, number)))
			continue;
		uint64_t own = schedule->buffers[number].size_bytes;
		bytes = own > UINT64_MAX - bytes ? UINT64_MAX : bytes + own;
	}
	return bytes;
}

/* Fills a trial, and the copies that it takes. */
static void trial_fill(struct placing *placing, size_t index, size_t device, struct trial *trial)
{
	const struct adding *adding = placing->adding;
	const predictd_schedule *schedule = adding->schedule;
	const predictd_schedule_task *task = &adding->tasks[index];
	const struct planned_device *planned = &schedule->devices[device];
	double time_s = adding->times_s[index * schedule->device_count + device];
	predictd_status *status = &adding->statuses[index * schedule->device_count + device];
	*trial = (struct trial){
	        .start_s = (double)INFINITY, .end_s = (double)INFINITY, .last = SIZE_MAX};
	placing->copy_count = 0;
	if (!isfinite(time_s))
		return;
	double room_s = room_find(&planned->room, planned->own.memory_bytes,
	                          new_bytes(schedule, task, device));
	*status = isfinite(room_s) ? PREDICTD_OK : PREDICTD_LIMIT;
	if (!isfinite(room_s))
		return;
	room_s = fmax(room_s, adding->now_s);
	placing->upload_s = room_s; /* what is fetched takes room from then on */
	for (size_t i = 0; i < schedule->device_count; i++)
		placing->downloads_s[i] = 0;
	trial->before_s = room_s;
	for (size_t i = 0; i < adding->before_counts[index]; i++)
		trial->before_s =
		        fmax(trial->before_s,
		             schedule->tasks[adding->befores[adding->before_begins[index] + i].task]
		                     .end_s);
	trial->data_s = room_s;
	for (size_t i = 0; i < task->read_count; i++) {
		const struct buffer_copy *here = copy_at(schedule, task->reads[i], device);
		if (is_among(task->reads, i, task->reads[i]))
			continue;
		double there_s = here->is_valid ? here->since_s
		                                : fetch_try(placing, adding->first + index,
		                                            task->reads[i], device);
		if (!here->is_valid && there_s >= trial->data_s)
			trial->last = task->reads[i];
		trial->data_s = fmax(trial->data_s, there_s);
	}
	double ready_s = fmax(fmax(trial->before_s, trial->data_s), planned->own.busy_until_s);
	trial->waited_s = fmax(0, trial->data_s - fmax(trial->before_s, planned->own.busy_until_s));
	trial->start_s = contention_start_s(schedule, device,
	                                    adding->shares[index * schedule->device_count + device],
	                                    ready_s, time_s, &trial->end_s, &trial->harm_s);
}

/* ---- the choice ---------------------------------------------------------------------------- */

/* Tries every device; returns the one that the method wants, or SIZE_MAX. */
static size_t choose(struct placing *placing, size_t index)
{
	const struct adding *adding = placing->adding;
	const predictd_schedule *schedule = adding->schedule;
	const double *times_s = &adding->times_s[index * schedule->device_count];
	size_t best = SIZE_MAX;
	for (size_t i = 0; i < schedule->device_count; i++) {
		struct trial *trial = &placing->trials[i];
		trial_fill(placing, index, i, trial);
		bool is_wanted = isfinite(trial->end_s);
		if (is_wanted && schedule->forced != NULL)
			is_wanted = schedule->forced[adding->first + index] == i;
		else if (is_wanted && best != SIZE_MAX && schedule->method == PREDICTD_FASTEST)
			is_wanted = times_s[i] < times_s[best];
		else if (is_wanted && best != SIZE_MAX)
			is_wanted = trial->end_s + trial->harm_s <
			            placing->trials[best].end_s + placing->trials[best].harm_s;
		if (is_wanted)
			best = i;
	}
	return best;
}

static predictd_placed_by reason(const struct placing *placing, size_t index, size_t device)
{
	const struct adding *adding = placing->adding;
	const predictd_schedule *schedule = adding->schedule;
	const predictd_status *statuses = &adding->statuses[index * schedule->device_count];
	const struct trial *own = &placing->trials[device];
	size_t open = 0, full = 0;
	bool is_by_data = false;
	for (size_t i = 0; i < schedule->device_count; i++) {
		const struct trial *other = &placing->trials[i];
		open += isfinite(other->end_s) ? 1 : 0;
		full += !isfinite(other->end_s) && statuses[i] == PREDICTD_LIMIT &&
		        isfinite(adding->times_s[index * schedule->device_count + i]);
		is_by_data |= isfinite(other->end_s) && own->last == SIZE_MAX &&
		              other->waited_s > 0 && other->end_s - other->waited_s < own->end_s;
	}
	if (schedule->device_count > 1 && open == 1)
		return full > 0 ? PREDICTD_BY_MEMORY : PREDICTD_BY_ABILITY;
	if (schedule->method == PREDICTD_FASTEST)
		return PREDICTD_BY_TIME;
	return is_by_data ? PREDICTD_BY_DATA : PREDICTD_BY_FINISH;
}

/* What it waited for last. */
static size_t blocker(const struct placing *placing, size_t index, size_t device)
{
	const struct adding *adding = placing->adding;
	const predictd_schedule *schedule = adding->schedule;
	const struct trial *trial = &placing->trials[device];
	double ready_s = fmax(trial->before_s, trial->data_s);
	size_t last = SIZE_MAX;
	if (trial->start_s > ready_s)
		return timeline_before(&schedule->devices[device].runs, trial->start_s);
	if (trial->data_s > trial->before_s && trial->last != SIZE_MAX &&
	    schedule->buffers[trial->last].made_by != SIZE_MAX)
		return schedule->buffers[trial->last].made_by;
	for (size_t i = 0; i < adding->before_counts[index]; i++) {
		size_t task = adding->befores[adding->before_begins[index] + i].task;
		if (schedule->tasks[task].end_s >= trial->before_s)
			last = task;
	}
	return last;
}

/* ---- what a place changes ------------------------------------------------------------------ */

/* A copy on a device goes at a time. False: no memory. */
static bool copy_drop(predictd_schedule *schedule, size_t buffer, size_t device, double end_s)
{
	struct buffer_copy *copy = copy_at(schedule, buffer, device);
	struct planned_device *planned = &schedule->devices[device];
	uint64_t bytes = schedule->buffers[buffer].size_bytes;
	bool was_valid = copy->is_valid;
	*copy = (struct buffer_copy){0};
	return !was_valid || planned->own.memory_bytes == 0 ||
	       room_leave(&planned->room, end_s, bytes);
}

static void copy_make(predictd_schedule *schedule, size_t buffer, size_t device, double since_s)
{
	struct buffer_copy *copy = copy_at(schedule, buffer, device);
	if (!copy->is_valid)
		schedule->devices[device].room.kept_bytes += schedule->buffers[buffer].size_bytes;
	copy->is_valid = true;
	copy->since_s = since_s;
}

static void copy_use(predictd_schedule *schedule, size_t buffer, size_t device, double end_s)
{
	struct buffer_copy *copy = copy_at(schedule, buffer, device);
	copy->used_until_s = fmax(copy->used_until_s, end_s);
}

/* Plans the copies of the trial that stands; buffers are fetched. */
static bool copies_take(struct placing *placing)
{
	predictd_schedule *schedule = placing->adding->schedule;
	for (size_t i = 0; i < placing->copy_count; i++) {
		const predictd_planned_copy *copy = &placing->copies[i];
		bool is_upload = copy->from == PREDICTD_HOST;
		struct planned_device *device =
		        &schedule->devices[is_upload ? copy->to : copy->from];
		if (!timeline_insert(is_upload ? &device->uploads : &device->downloads,
		                     copy->start_s, copy->end_s, copy->task) ||
		    !array_grow((void **)&schedule->copies, &schedule->copy_room,
		                schedule->copy_count, sizeof *schedule->copies))
			return false;
		schedule->copies[schedule->copy_count++] = *copy;
		struct buffer_copy *host = copy_at(schedule, copy->buffer, schedule->device_count);
		/* where the host has none of its own, the source keeps it meanwhile */
		for (size_t j = 0; j < schedule->device_count && !host->is_valid; j++)
			copy_use(schedule, copy->buffer, j, copy->end_s);
		if (!is_upload)
			*host = (struct buffer_copy){.is_valid = true, .since_s = copy->end_s};
	}
	return true;
}

/* When a buffer that a trial fetched is there. */
static double fetched_s(const struct placing *placing, size_t buffer, double else_s)
{
	for (size_t i = placing->copy_count; i-- > 0;)
		if (placing->copies[i].buffer == buffer)
			return placing->copies[i].end_s;
	return else_s;
}

/*
 * A buffer that no task of those known uses any more: of several copies one stays, the host's where
 * it has one; devices whose memory has no limit keep theirs.
 */
static bool buffer_rest(predictd_schedule *schedule, size_t buffer)
{
	bool is_kept = copy_at(schedule, buffer, schedule->device_count)->is_valid;
	for (size_t i = 0; i < schedule->device_count && !is_kept; i++)
		is_kept = copy_at(schedule, buffer, i)->is_valid &&
		          schedule->devices[i].own.memory_bytes == 0;
	for (size_t i = 0; i < schedule->device_count; i++) {
		const struct buffer_copy *copy = copy_at(schedule, buffer, i);
		if (!copy->is_valid || schedule->devices[i].own.memory_bytes == 0)
			continue;
		if (is_kept && !copy_drop(schedule, buffer, i, copy->used_until_s))
			return false;
		is_kept = true;
	}
	return true;
}

static bool buffers_take(struct placing *placing, size_t index, size_t device)
{
	predictd_schedule *schedule = placing->adding->schedule;
	const predictd_schedule_task *task = &placing->adding->tasks[index];
	const struct trial *trial = &placing->trials[device];
	for (size_t i = 0; i < task->read_count; i++) {
		size_t number = task->reads[i];
		if (!copy_at(schedule, number, device)->is_valid)
			copy_make(schedule, number, device,
			          fetched_s(placing, number, trial->data_s));
		copy_use(schedule, number, device, trial->end_s);
	}
	for (size_t i = 0; i < task->write_count; i++) {
		size_t number = task->writes[i];
		for (size_t j = 0; j < schedule->device_count; j++)
			if (j != device && !copy_drop(schedule, number, j, trial->start_s))
				return false;
		copy_at(schedule, number, schedule->device_count)->is_valid = false;
		copy_make(schedule, number, device, trial->end_s);
		copy_use(schedule, number, device, trial->end_s);
		schedule->buffers[number].made_by = placing->adding->first + index;
	}
	return true;
}

/* Buffers that have one user less. */
static bool buffers_rest(struct placing *placing, size_t index)
{
	predictd_schedule *schedule = placing->adding->schedule;
	const predictd_schedule_task *task = &placing->adding->tasks[index];
	for (size_t i = 0; i < task->read_count + task->write_count; i++) {
		size_t number =
		        i < task->read_count ? task->reads[i] : task->writes[i - task->read_count];
		if (--schedule->buffers[number].users == 0 && !buffer_rest(schedule, number))
			return false;
	}
	return true;
}

/* Puts a task on a device as its trial says. False: no memory. */
static bool place(struct placing *placing, size_t index, size_t device)
{
	struct adding *adding = placing->adding;
	predictd_schedule *schedule = adding->schedule;
	predictd_planned *planned = &schedule->tasks[adding->first + index];
	struct trial again;
	schedule->blockers[adding->first + index] = blocker(placing, index, device);
	planned->status = PREDICTD_OK;
	planned->device = device;
	planned->start_s = placing->trials[device].start_s;
	planned->end_s = placing->trials[device].end_s;
	planned->by = reason(placing, index, device);
	trial_fill(placing, index, device, &again); /* its copies */
	if (schedule->last == SIZE_MAX || planned->end_s > schedule->makespan_s) {
		schedule->last = adding->first + index;
		schedule->makespan_s = planned->end_s;
	}
	schedule->shares[adding->first + index] =
	        adding->shares[index * schedule->device_count + device];
	for (size_t i = 0; i < adding->before_counts[index]; i++) {
		size_t before = adding->befores[adding->before_begins[index] + i].task;
		if (before >= adding->first)
			adding->is_fixed[before - adding->first] = true;
	}
	if (placing->is_short_of_memory || !copies_take(placing) ||
	    !buffers_take(placing, index, device) ||
	    !timeline_insert(&schedule->devices[device].runs, planned->start_s, planned->end_s,
	                     adding->first + index))
		return false;
	const struct span placed = {planned->start_s, planned->end_s, adding->first + index};
	contention_settle(adding, device, &placed);
	return true;
}

/* Whether something that it waits for has no place. */
static bool is_orphan(const struct adding *adding, size_t index)
{
	for (size_t i = 0; i < adding->before_counts[index]; i++) {
		size_t before = adding->befores[adding->before_begins[index] + i].task;
		if (adding->schedule->tasks[before].status != PREDICTD_OK)
			return true;
	}
	return false;
}

static predictd_status no_place(const struct placing *placing, size_t index, bool is_orphaned)
{
	const struct adding *adding = placing->adding;
	const predictd_schedule *schedule = adding->schedule;
	uint64_t least = UINT64_MAX;
	char name[96];
	(void)adding_name(adding, adding->first + index, name);
	for (size_t i = 0; i < schedule->device_count && !is_orphaned; i++) {
		uint64_t bytes = new_bytes(schedule, &adding->tasks[index], i);
		if (isfinite(adding->times_s[index * schedule->device_count + i]) && bytes < least)
			least = bytes;
	}
	return is_orphaned
	               ? error_keep(PREDICTD_LIMIT, "%s comes after one that has no place", name)
	               : error_keep(PREDICTD_LIMIT,
	                            "%s fits nowhere: %llu bytes more are too many for each "
	                            "device that can run it",
	                            name, (unsigned long long)least);
}

/* Tries a task; puts it back where another may end sooner. False: no memory. */
static bool step(struct placing *placing, size_t index, predictd_status *status)
{
	struct adding *adding = placing->adding;
	predictd_schedule *schedule = adding->schedule;
	predictd_planned *planned = &schedule->tasks[adding->first + index];
	bool is_orphaned = is_orphan(adding, index);
	size_t device = is_orphaned ? SIZE_MAX : choose(placing, index);
	if (schedule->method == PREDICTD_MIN_MIN && device != SIZE_MAX) {
		/* places taken since make ends later: what is still first is the least */
		adding->ranks[index] = -placing->trials[device].end_s;
		if (placing->heap_count > 0 && is_first(placing, placing->heap[0], index)) {
			heap_push(placing, index);
			return true;
		}
	}
	for (size_t i = 0; i < schedule->device_count; i++) {
		adding->ends_s[index * schedule->device_count + i] =
		        is_orphaned ? (double)INFINITY : placing->trials[i].end_s;
		if (is_orphaned)
			adding->statuses[index * schedule->device_count + i] = PREDICTD_LIMIT;
	}
	if (device == SIZE_MAX) {
		planned->status = PREDICTD_LIMIT;
		if (*status == PREDICTD_OK)
			*status = no_place(placing, index, is_orphaned);
	} else if (!place(placing, index, device)) {
		return false;
	}
	for (size_t i = index == 0 ? 0 : placing->after_ends[index - 1];
	     i < placing->after_ends[index]; i++)
		if (--placing->left[placing->afters[i]] == 0)
			heap_push(placing, placing->afters[i]);
	return buffers_rest(placing, index);
}

predictd_status place_tasks(struct adding *adding)
{
	struct placing *placing = malloc(sizeof *placing);
	if (placing == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu tasks", adding->count);
	predictd_status status = placing_init(placing, adding);
	bool has_memory = true;
	while (status != PREDICTD_NO_MEMORY && has_memory && placing->heap_count > 0)
		has_memory = step(placing, heap_pop(placing), &status);
	if (!has_memory)
		status = error_keep(PREDICTD_NO_MEMORY, "no memory for %zu tasks", adding->count);
	free(placing->copies);
	free(placing->left);
	free(placing);
	return status;
}
