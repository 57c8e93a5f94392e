/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A CPU's first cache, where streams do not show it: a core may read the second
 * one as fast as it can add up what it reads. What waits for each read
 * does: the latency of a random cycle over its length.
 */
#include <math.h>

#include "daemon/calibrator/memory.h"
#include "daemon/calibrator/plateau.h"

#define LEAST_BYTES 8192.0
#define MOST_BYTES  393216.0 /* twice what any core's first level has */

enum status memory_split_first(struct bench *bench, struct level *levels, size_t *count,
                               struct error *error)
{
	double footprint[PLATEAU_POINTS_MAX], rate[PLATEAU_POINTS_MAX];
	struct plateau plateaus[MEMORY_LEVEL_COUNT];
	double steps = bench->is_quick ? 1 : 2; /* an octave */
	enum status status = STATUS_OK;
	size_t n = 0, found;

	if (*count == 0 || *count == MEMORY_LEVEL_COUNT || isinf(levels[0].capacity))
		return STATUS_OK;
	for (; n < PLATEAU_POINTS_MAX && status == STATUS_OK; n++) {
		double latency_s = 0;

		footprint[n] = LEAST_BYTES * exp2((double)n / steps);
		if (footprint[n] > 0.7 * levels[0].capacity)
			break;
		status = memory_time_cycle(bench, footprint[n], &latency_s, error);
		rate[n] = 1 / fmax(latency_s, 1e-12);
	}
	if (status == STATUS_OK) /* others read the data as floats: no denormal ones */
		status = bench_clear_data(bench, error);
	if (status != STATUS_OK || n < 2)
		return status;
	found = plateau_find(footprint, rate, n, LEVEL_DROP, bench->is_quick ? 2 : LEVEL_POINTS,
	                     plateaus, MEMORY_LEVEL_COUNT);
	if (found < 2)
		return STATUS_OK;
	for (size_t i = *count; i > 0; i--)
		levels[i] = levels[i - 1];
	levels[0].capacity = plateaus[0].capacity;
	(*count)++;
	return STATUS_OK;
}

bool memory_is_plausible(const struct level *levels, size_t count, double units)
{
	if (count < 2 || levels[0].capacity > MOST_BYTES)
		return false;
	for (size_t i = 0; i + 1 < count; i++)
		if (!(levels[i].capacity < levels[i + 1].capacity))
			return false;
	return units < 2 || levels[0].instances > 1;
}
