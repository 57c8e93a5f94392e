/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tasks take beside each other: a task goes on at a rate that every device beside it, while
 * it works, divides by its factor.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/library/contention.h"
#include "client/library/error.h"
#include "client/library/schedule.h"

/* Rounds in which tasks that end last lengthen each other; each is closer by the overlap's share.
 */
enum { ROUNDS_MAX = 8 };

/* A prediction is some percent sure: less than that moves nobody. */
#define CLOSE 1e-4

predictd_status schedule_contention_ask(predictd_schedule *schedule,
                                        predictd_connection *connection)
{
	size_t count = schedule->device_count;
	const char *keys[PREDICTD_SCHEDULE_DEVICES_MAX];
	if (schedule->slowdowns != NULL || schedule->pairs != NULL || connection == NULL ||
	    count < 2)
		return PREDICTD_OK;
	for (size_t i = 0; i < count; i++) {
		keys[i] = schedule->devices[i].own.key;
		if (keys[i][0] == '\0')
			return PREDICTD_OK;
	}
	predictd_slowdown *pairs = malloc(count * count * sizeof *pairs);
	if (pairs == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu devices", count);
	predictd_status status = contention_assume(connection, keys, count, pairs);
	if (status != PREDICTD_OK) {
		free(pairs);
		return status;
	}
	schedule->pairs = pairs;
	schedule->are_pairs_known = true;
	for (size_t i = 0; i < count * count; i++) {
		bool is_pair = i / count != i % count;
		schedule->are_pairs_known &= !is_pair || pairs[i].is_known;
		schedule->is_pair_known |= is_pair && pairs[i].is_known;
	}
	return PREDICTD_OK;
}

/* Of a task with that share on a device, beside one on another device. */
static double factor_of(const predictd_schedule *schedule, size_t device, double share,
                        size_t other, double other_share)
{
	size_t at = device * schedule->device_count + other;
	if (schedule->slowdowns != NULL)
		return schedule->slowdowns[at];
	const predictd_estimate own = {.memory_share = share},
	                        beside = {.memory_share = other_share};
	const struct load_mix mix = load_mix_kernel(&own), other_mix = load_mix_kernel(&beside);
	return load_factor(&schedule->pairs[at], &mix, &other_mix);
}

double contention_end_s(const predictd_schedule *schedule, size_t device, double share,
                        double start_s, double work_s, double *harm_s)
{
	*harm_s = 0;
	size_t next[PREDICTD_SCHEDULE_DEVICES_MAX];
	double now_s = start_s, left_s = work_s;
	if (schedule->slowdowns == NULL && !schedule->is_pair_known)
		return start_s + work_s;
	for (size_t i = 0; i < schedule->device_count; i++)
		next[i] = timeline_after(&schedule->devices[i].runs, start_s);
	for (;;) {
		double until_s = (double)INFINITY, factor = 1, harm = 0;
		for (size_t i = 0; i < schedule->device_count; i++) {
			const struct timeline *runs = &schedule->devices[i].runs;
			while (next[i] < runs->count && runs->spans[next[i]].end_s <= now_s)
				next[i]++;
			if (i == device || next[i] == runs->count)
				continue;
			const struct span *span = &runs->spans[next[i]];
			if (span->start_s > now_s) {
				until_s = fmin(until_s, span->start_s);
				continue;
			}
			until_s = fmin(until_s, span->end_s);
			double other_share = schedule->shares[span->task];
			factor *= factor_of(schedule, device, share, i, other_share);
			harm += 1 - 1 / factor_of(schedule, i, other_share, device, share);
		}
		if (now_s + left_s * factor <= until_s) {
			*harm_s += left_s * factor * harm;
			return now_s + left_s * factor;
		}
		left_s -= (until_s - now_s) / factor;
		*harm_s += (until_s - now_s) * harm;
		now_s = until_s;
	}
}

double contention_start_s(const predictd_schedule *schedule, size_t device, double share,
                          double ready_s, double work_s, double *end_s, double *harm_s)
{
	const struct timeline *runs = &schedule->devices[device].runs;
	const struct planned_device *planned = &schedule->devices[device];
	double start_s = timeline_find(runs, ready_s, work_s, schedule->is_append);
	for (;;) {
		bool is_last = runs->count == 0 || start_s >= runs->spans[runs->count - 1].end_s;
		if (is_last && planned->debt_s > planned->paid_s) {
			*end_s = contention_end_s(schedule, device, share, start_s,
			                          work_s + planned->debt_s - planned->paid_s,
			                          harm_s);
			return start_s;
		}
		*end_s = contention_end_s(schedule, device, share, start_s, work_s, harm_s);
		/* a gap that it does not fit into, stretched, is passed over */
		double later_s =
		        timeline_find(runs, start_s, *end_s - start_s, schedule->is_append);
		if (!(later_s > start_s))
			return start_s;
		start_s = later_s;
	}
}

/* Whether a device's last task may still end later: nothing rests on its end yet. */
static bool is_open(const struct adding *adding, const struct timeline *runs)
{
	size_t task = runs->count > 0 ? runs->spans[runs->count - 1].task : SIZE_MAX;
	return task != SIZE_MAX && task >= adding->first && !adding->is_fixed[task - adding->first];
}

/* The buffers that it has made are there later. */
static void outputs_delay(const struct adding *adding, size_t task, size_t device, double end_s)
{
	predictd_schedule *schedule = adding->schedule;
	const predictd_schedule_task *about = &adding->tasks[task - adding->first];
	size_t places = schedule->device_count + 1;
	for (size_t i = 0; i < about->read_count + about->write_count; i++) {
		bool is_written = i >= about->read_count;
		size_t number = is_written ? about->writes[i - about->read_count] : about->reads[i];
		struct buffer_copy *copy = &schedule->buffer_copies[number * places + device];
		if (copy->is_valid && is_written)
			copy->since_s = fmax(copy->since_s, end_s);
		if (copy->is_valid)
			copy->used_until_s = fmax(copy->used_until_s, end_s);
	}
}

/* What a task takes from those beside it whose ends stay as they are. */
static void debts_make(const struct adding *adding, size_t device, const struct span *placed)
{
	predictd_schedule *schedule = adding->schedule;
	double share = schedule->shares[placed->task];
	for (size_t i = 0; i < schedule->device_count; i++) {
		const struct timeline *runs = &schedule->devices[i].runs;
		size_t count = runs->count - (is_open(adding, runs) ? 1 : 0);
		for (size_t j = timeline_after(runs, placed->start_s); i != device && j < count;
		     j++) {
			const struct span *span = &runs->spans[j];
			double beside_s = fmin(span->end_s, placed->end_s) -
			                  fmax(span->start_s, placed->start_s);
			if (!(beside_s > 0))
				break;
			schedule->devices[i].debt_s +=
			        beside_s *
			        (1 - 1 / factor_of(schedule, i, schedule->shares[span->task],
			                           device, share));
		}
	}
}

void contention_settle(struct adding *adding, size_t device, const struct span *placed)
{
	predictd_schedule *schedule = adding->schedule;
	bool has_moved = schedule->slowdowns != NULL || schedule->is_pair_known;
	if (!has_moved)
		return;
	struct planned_device *own = &schedule->devices[device];
	if (own->runs.spans[own->runs.count - 1].task == placed->task) {
		own->debt_s -= own->paid_s;
		own->paid_s = own->debt_s; /* its trial had that to do as well */
	}
	debts_make(adding, device, placed);
	for (unsigned round = 0; round < ROUNDS_MAX && has_moved; round++) {
		has_moved = false;
		for (size_t i = 0; i < schedule->device_count; i++) {
			struct planned_device *other = &schedule->devices[i];
			if (!is_open(adding, &other->runs))
				continue;
			struct span *span = &other->runs.spans[other->runs.count - 1];
			double work_s =
			        other->debt_s + adding->times_s[(span->task - adding->first) *
			                                                schedule->device_count +
			                                        i];
			other->paid_s = other->debt_s;
			double harm_s,
			        end_s = contention_end_s(schedule, i, schedule->shares[span->task],
			                                 span->start_s, work_s, &harm_s);
			if (!(end_s - span->start_s > (1 + CLOSE) * (span->end_s - span->start_s)))
				continue;
			room_delay(&other->room, span->end_s, end_s);
			outputs_delay(adding, span->task, i, end_s);
			span->end_s = schedule->tasks[span->task].end_s = end_s;
			if (end_s > schedule->makespan_s) {
				schedule->makespan_s = end_s;
				schedule->last = span->task;
			}
			has_moved = true;
		}
	}
}
