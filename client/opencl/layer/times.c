/* SPDX-License-Identifier: Apache-2.0 */
/* Times in bounded memory. */
#include "client/opencl/layer/times.h"

#include <stdlib.h>
#include <string.h>

/* Steele, Lea and Flood's SplitMix64 of the number: the same run keeps the same launches. */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Where memory is short, those are kept that have room. */
static void grow(struct times *times)
{
	uint32_t room = times->room == 0 ? 1 : 4 * times->room + 3;
	if (room > TIMES_KEPT)
		room = TIMES_KEPT;
	float *grown = realloc(times->kept_s, room * sizeof *grown);
	if (grown == NULL)
		return;
	times->kept_s = grown;
	times->room = room;
}

void times_add(struct times *times, double time_s)
{
	uint64_t at = times->count++;
	if (at >= times->room && times->room < TIMES_KEPT)
		grow(times);
	if (at >= times->room)
		at = mix(at) % times->count;
	if (at < times->room)
		times->kept_s[at] = (float)time_s;
	if (times->count == 1 || time_s < times->min_s)
		times->min_s = time_s;
	if (times->count == 1 || time_s > times->max_s)
		times->max_s = time_s;
	times->sum_s += time_s;
}

void times_deinit(struct times *times)
{
	free(times->kept_s);
	*times = (struct times){.count = 0};
}

static int compare(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

double times_median(const struct times *times)
{
	float sorted[TIMES_KEPT];
	size_t count = times->count < times->room ? (size_t)times->count : times->room;
	if (count == 0)
		return 0;
	memcpy(sorted, times->kept_s, count * sizeof *sorted);
	qsort(sorted, count, sizeof *sorted, compare);
	return 0.5 * ((double)sorted[(count - 1) / 2] + (double)sorted[count / 2]);
}
