/* SPDX-License-Identifier: Apache-2.0 */
/* Traffic of a CPU: a chunk of work-items runs all of its iterations before the next one. */
#include <math.h>

#include "model/traffic/groups.h"

static void grow(struct footprint *f, struct clock *now, const double *trips, uint32_t depths,
                 double side, double all)
{
	(void)all;
	now->step = 1;
	now->depth = depths > 0 ? depths - 1 : 0;
	now->depths = depths;
	now->groups = side;
	push_window(f, now);
	grow_loops(f, now, trips, depths);
	grow_to(f, now, &now->items, (double)f->evaluation->group_items);
}

/* A line survives a round with exp(-misses / capacity), as where the victim is any line. */
static double hits_of(double ratio)
{
	double hits = 0;

	for (unsigned i = 0; i < 64; i++)
		hits = exp(-(1 - hits) * ratio);
	return hits;
}

/* One work-item's accesses come one by one. */
static double most_lines(const struct footprint *f, uint32_t group, double line)
{
	double most = 0;

	for (uint32_t m = f->first[group]; m < f->first[group + 1]; m++) {
		const struct evaluation_access *access = &f->evaluation->accesses[f->members[m]];

		most += access->executions * (1 + access->bytes / line);
	}
	return most * (double)f->evaluation->items;
}

/*
 * How often a load waits, of a group that brings in `lines`, of which `alone` have no
 * neighbours that are brought in, too: a core fetches those before they are asked for.
 */
static void fill_waits(const struct footprint *f, uint32_t group, double lines, double alone,
                       double line, double *waits)
{
	double loads = 0;

	(void)line;
	for (uint32_t m = f->first[group]; m < f->first[group + 1]; m++)
		if (f->kernel->accesses[f->members[m]].kind != ACCESS_STORE)
			loads += f->evaluation->accesses[f->members[m]].executions *
			         (double)f->evaluation->items;
	for (uint32_t m = f->first[group]; m < f->first[group + 1]; m++)
		waits[f->members[m]] = loads > 0 ? fmin(1, lines * alone / loads) : 0;
}

const struct footprint_kind cpu_footprint = {
        .grow = grow,
        .unit_lines = footprint_group_lines,
        .hits_of = hits_of,
        .most_lines = most_lines,
        .fill_waits = fill_waits,
        .reads_part_written = false,
        .holds_local = true,
        .passes_atomics = false,
};
