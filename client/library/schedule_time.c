/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines with gaps, and a device's memory over time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/library/schedule.h"

bool array_grow(void **array, size_t *room, size_t count, size_t item_bytes)
{
	if (count < *room)
		return true;
	size_t wanted = *room < 8 ? 8 : 2 * *room;
	void *grown = realloc(*array, wanted * item_bytes);
	if (grown == NULL)
		return false;
	*array = grown;
	*room = wanted;
	return true;
}

size_t timeline_after(const struct timeline *timeline, double time_s)
{
	size_t low = 0, high = timeline->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (timeline->spans[middle].end_s > time_s)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

double timeline_find(const struct timeline *timeline, double ready_s, double time_s, bool is_append)
{
	double start_s = ready_s;
	size_t i = is_append && timeline->count > 0 ? timeline->count - 1
	                                            : timeline_after(timeline, ready_s);
	/* into what is packed nothing fits that takes time */
	if (i < timeline->packed && time_s > 0 && start_s + time_s > timeline->spans[i].start_s) {
		start_s = fmax(start_s, timeline->spans[timeline->packed - 1].end_s);
		i = timeline->packed;
	}
	for (; i < timeline->count; i++) {
		if (!is_append && start_s + time_s <= timeline->spans[i].start_s)
			break;
		start_s = fmax(start_s, timeline->spans[i].end_s);
	}
	return start_s;
}

bool timeline_insert(struct timeline *timeline, double start_s, double end_s, size_t task)
{
	size_t at = timeline->count;
	if (!array_grow((void **)&timeline->spans, &timeline->room, at, sizeof *timeline->spans))
		return false;
	while (at > 0 && timeline->spans[at - 1].start_s >= end_s &&
	       timeline->spans[at - 1].end_s > start_s)
		at--;
	memmove(&timeline->spans[at + 1], &timeline->spans[at],
	        (timeline->count - at) * sizeof *timeline->spans);
	timeline->spans[at] = (struct span){start_s, end_s, task};
	timeline->count++;
	if (timeline->packed > at)
		timeline->packed = at;
	while (timeline->packed < timeline->count &&
	       (timeline->packed == 0 || !(timeline->spans[timeline->packed].start_s >
	                                   timeline->spans[timeline->packed - 1].end_s)))
		timeline->packed++;
	return true;
}

size_t timeline_before(const struct timeline *timeline, double start_s)
{
	size_t i = timeline_after(timeline, start_s);
	return i > 0 && timeline->spans[i - 1].end_s >= start_s ? timeline->spans[i - 1].task
	                                                        : SIZE_MAX;
}

void timeline_deinit(struct timeline *timeline)
{
	free(timeline->spans);
	*timeline = (struct timeline){0};
}

double room_find(const struct room *room, uint64_t limit_bytes, uint64_t bytes)
{
	if (limit_bytes == 0 || bytes == 0)
		return 0;
	if (room->kept_bytes > limit_bytes || bytes > limit_bytes - room->kept_bytes)
		return (double)INFINITY;
	/* what leaves after a time is still there then: from the last one back, while it fits */
	uint64_t left = limit_bytes - room->kept_bytes - bytes;
	for (size_t i = room->count; i-- > 0;) {
		if (room->leaving[i].bytes > left)
			return room->leaving[i].end_s;
		left -= room->leaving[i].bytes;
	}
	return 0;
}

bool room_leave(struct room *room, double end_s, uint64_t bytes)
{
	size_t at = room->count;
	if (!array_grow((void **)&room->leaving, &room->size, at, sizeof *room->leaving))
		return false;
	while (at > 0 && room->leaving[at - 1].end_s > end_s)
		at--;
	memmove(&room->leaving[at + 1], &room->leaving[at],
	        (room->count - at) * sizeof *room->leaving);
	room->leaving[at] = (struct leaving){end_s, bytes};
	room->count++;
	room->kept_bytes -= bytes;
	return true;
}

void room_delay(struct room *room, double end_s, double later_s)
{
	for (size_t i = room->count; i-- > 0 && room->leaving[i].end_s >= end_s;)
		room->leaving[i].end_s = fmax(room->leaving[i].end_s, later_s);
}
