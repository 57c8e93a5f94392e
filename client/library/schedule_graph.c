/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What waits for what. Needs are the caller's. Of tasks that use a buffer in the order of their
 * numbers, a reader waits for the writer before it, and a writer for the writer and the readers
 * before it. That order is taken after needs are met, so that buffers alone close no cycle.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/library/error.h"
#include "client/library/schedule.h"

const char *adding_name(const struct adding *adding, size_t task, char text[96])
{
	const char *name = task < adding->first ? NULL : adding->tasks[task - adding->first].name;
	(void)snprintf(text, 96, name != NULL ? "task %zu (%.64s)" : "task %zu", task, name);
	return text;
}

/* ---- order --------------------------------------------------------------------------------- */

/* Names the tasks of a cycle; every task that has needs_left waits for another such one. */
static predictd_status cycle_say(const struct adding *adding, const size_t *needs_left)
{
	char text[400], name[96];
	size_t used = 0, task = 0, length = 0;
	while (needs_left[task] == 0)
		task++;
	/* after as many steps as there are tasks, it is within a cycle */
	for (size_t steps = 0, begin = 0; steps <= 2 * adding->count; steps++) {
		const predictd_schedule_task *one = &adding->tasks[task];
		if (steps >= adding->count) {
			if (steps == adding->count)
				begin = task;
			else if (task == begin)
				break;
			if (length++ < 8 && used < sizeof text)
				used += (size_t)snprintf(
				        text + used, sizeof text - used, "%s%s",
				        used > 0 ? " needs " : "",
				        adding_name(adding, adding->first + task, name));
		}
		for (size_t i = 0; i < one->need_count; i++)
			if (one->needs[i] >= adding->first &&
			    needs_left[one->needs[i] - adding->first] > 0) {
				task = one->needs[i] - adding->first;
				break;
			}
	}
	return error_keep(PREDICTD_INVALID, "a cycle of %zu task%s: %s%s", length,
	                  length == 1 ? "" : "s", text,
	                  length > 8 ? " needs ..." : ", which needs the first");
}

/* Lowest numbers first: a heap. */
static void numbers_push(size_t *heap, size_t *count, size_t number)
{
	size_t at = (*count)++;
	while (at > 0 && heap[(at - 1) / 2] > number) {
		heap[at] = heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap[at] = number;
}

static size_t numbers_pop(size_t *heap, size_t *count)
{
	size_t top = heap[0], number = heap[--*count], at = 0;
	for (size_t child; (child = 2 * at + 1) < *count; at = child) {
		if (child + 1 < *count && heap[child + 1] < heap[child])
			child++;
		if (heap[child] >= number)
			break;
		heap[at] = heap[child];
	}
	heap[at] = number;
	return top;
}

/* Kahn's algorithm (CACM 5(11), 1962). */
static predictd_status order_by_needs(struct adding *adding)
{
	size_t count = adding->count, total = 0, ready = 0, placed = 0;
	for (size_t i = 0; i < count; i++)
		total += adding->tasks[i].need_count;
	size_t *left = calloc(3 * count + total + 1, sizeof *left);
	if (left == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu tasks", count);
	size_t *heap = left + count, *ends = heap + count, *afters = ends + count + 1;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < adding->tasks[i].need_count; j++)
			if (adding->tasks[i].needs[j] >= adding->first) {
				left[i]++;
				ends[adding->tasks[i].needs[j] - adding->first]++;
			}
	for (size_t i = 0, sum = 0; i < count; i++) {
		size_t own = ends[i];
		ends[i] = sum; /* its begin, until it is filled */
		sum += own;
	}
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < adding->tasks[i].need_count; j++)
			if (adding->tasks[i].needs[j] >= adding->first)
				afters[ends[adding->tasks[i].needs[j] - adding->first]++] = i;
	for (size_t i = 0; i < count; i++)
		if (left[i] == 0)
			numbers_push(heap, &ready, i);
	while (ready > 0) {
		size_t task = numbers_pop(heap, &ready);
		adding->order[placed++] = task;
		for (size_t i = task == 0 ? 0 : ends[task - 1]; i < ends[task]; i++)
			if (--left[afters[i]] == 0)
				numbers_push(heap, &ready, afters[i]);
	}
	predictd_status status = placed == count ? PREDICTD_OK : cycle_say(adding, left);
	free(left);
	return status;
}

/* Whether everything that is read has been written, or lies somewhere. */
static predictd_status reads_check(const struct adding *adding)
{
	const predictd_schedule *schedule = adding->schedule;
	size_t places = schedule->device_count + 1;
	predictd_status status = PREDICTD_OK;
	bool *holds = calloc(schedule->buffer_count + 1, sizeof *holds);
	if (holds == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu buffers",
		                  schedule->buffer_count);
	for (size_t i = 0; i < schedule->buffer_count; i++) {
		holds[i] = schedule->buffers[i].writer != SIZE_MAX;
		for (size_t j = 0; j < places && !holds[i]; j++)
			holds[i] = schedule->buffer_copies[i * places + j].is_valid;
	}
	for (size_t i = 0; i < adding->count && status == PREDICTD_OK; i++) {
		const predictd_schedule_task *task = &adding->tasks[adding->order[i]];
		char name[96];
		for (size_t j = 0; j < task->read_count && status == PREDICTD_OK; j++)
			if (!holds[task->reads[j]])
				status = error_keep(
				        PREDICTD_INVALID,
				        "%s reads buffer %zu, which holds nothing: no task before "
				        "it writes it, and it lies nowhere",
				        adding_name(adding, adding->first + adding->order[i], name),
				        task->reads[j]);
		for (size_t j = 0; j < task->write_count; j++)
			holds[task->writes[j]] = true;
	}
	free(holds);
	return status;
}

predictd_status graph_order(struct adding *adding)
{
	bool is_ordered = true;
	for (size_t i = 0; i < adding->count; i++) {
		adding->order[i] = i;
		for (size_t j = 0; j < adding->tasks[i].need_count; j++)
			is_ordered = is_ordered && adding->tasks[i].needs[j] < adding->first + i;
	}
	predictd_status status = is_ordered ? PREDICTD_OK : order_by_needs(adding);
	return status == PREDICTD_OK ? reads_check(adding) : status;
}

/* ---- links --------------------------------------------------------------------------------- */

static bool before_add(struct adding *adding, size_t index, size_t task, uint64_t bytes)
{
	if (task == SIZE_MAX || task == adding->first + index)
		return true;
	if (!array_grow((void **)&adding->befores, &adding->before_room, adding->before_total,
	                sizeof *adding->befores))
		return false;
	adding->befores[adding->before_total++] = (struct before){task, bytes};
	return true;
}

static bool reads_link(struct adding *adding, size_t index)
{
	predictd_schedule *schedule = adding->schedule;
	const predictd_schedule_task *task = &adding->tasks[index];
	for (size_t i = 0; i < task->read_count; i++) {
		struct planned_buffer *buffer = &schedule->buffers[task->reads[i]];
		if (!before_add(adding, index, buffer->writer, buffer->size_bytes) ||
		    !array_grow((void **)&schedule->readers, &schedule->reader_room,
		                schedule->reader_count, sizeof *schedule->readers))
			return false;
		schedule->readers[schedule->reader_count] =
		        (struct reader){adding->first + index, buffer->readers};
		buffer->readers = schedule->reader_count++;
		buffer->users++;
	}
	return true;
}

static bool writes_link(struct adding *adding, size_t index)
{
	predictd_schedule *schedule = adding->schedule;
	const predictd_schedule_task *task = &adding->tasks[index];
	for (size_t i = 0; i < task->write_count; i++) {
		struct planned_buffer *buffer = &schedule->buffers[task->writes[i]];
		if (!before_add(adding, index, buffer->writer, 0))
			return false;
		for (size_t at = buffer->readers; at != SIZE_MAX; at = schedule->readers[at].next)
			if (!before_add(adding, index, schedule->readers[at].task, 0))
				return false;
		buffer->readers = SIZE_MAX;
		buffer->writer = adding->first + index;
		buffer->users++;
	}
	return true;
}

predictd_status graph_link(struct adding *adding)
{
	for (size_t i = 0; i < adding->count; i++) {
		size_t index = adding->order[i];
		const predictd_schedule_task *task = &adding->tasks[index];
		bool is_linked = true;
		adding->before_begins[index] = adding->before_total;
		for (size_t j = 0; j < task->need_count && is_linked; j++)
			is_linked = before_add(adding, index, task->needs[j], 0);
		if (!is_linked || !reads_link(adding, index) || !writes_link(adding, index))
			return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu tasks",
			                  adding->count);
		adding->before_counts[index] = adding->before_total - adding->before_begins[index];
	}
	return PREDICTD_OK;
}

/* ---- ranks --------------------------------------------------------------------------------- */

static double mean_time_s(const struct adding *adding, size_t index)
{
	size_t devices = adding->schedule->device_count, able = 0;
	double sum_s = 0;
	for (size_t i = 0; i < devices; i++)
		if (isfinite(adding->times_s[index * devices + i])) {
			sum_s += adding->times_s[index * devices + i];
			able++;
		}
	return able > 0 ? sum_s / (double)able : 0;
}

void graph_rank(struct adding *adding)
{
	const predictd_schedule *schedule = adding->schedule;
	double latency_s = 0, s_per_byte = 0, devices = (double)schedule->device_count;
	if (schedule->method != PREDICTD_HEFT)
		return;
	/* the mean over pairs of unlike devices is that of downloads and that of uploads */
	for (size_t i = 0; i < schedule->device_count && schedule->device_count > 1; i++) {
		const predictd_schedule_device *own = &schedule->devices[i].own;
		latency_s += (own->upload_latency_s + own->download_latency_s) / devices;
		if (own->upload_bytes_per_s > 0)
			s_per_byte += 1 / own->upload_bytes_per_s / devices;
		if (own->download_bytes_per_s > 0)
			s_per_byte += 1 / own->download_bytes_per_s / devices;
	}
	/* until a task is visited, its rank is the longest way behind it */
	for (size_t i = adding->count; i-- > 0;) {
		size_t index = adding->order[i];
		adding->ranks[index] += mean_time_s(adding, index);
		for (size_t j = 0; j < adding->before_counts[index]; j++) {
			const struct before *before =
			        &adding->befores[adding->before_begins[index] + j];
			if (before->task < adding->first)
				continue;
			double *rank = &adding->ranks[before->task - adding->first];
			double copy_s = before->bytes == 0
			                        ? 0
			                        : latency_s + (double)before->bytes * s_per_byte;
			*rank = fmax(*rank, copy_s + adding->ranks[index]);
		}
	}
}
