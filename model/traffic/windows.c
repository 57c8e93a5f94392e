/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of a launch, in the order of time of its device. */
#include <math.h>

#include "model/traffic/groups.h"

static const double GROWTH = 4;

void fill_counts(double n, const uint64_t extent[3], double counts[3])
{
	for (unsigned d = 0; d < 3; d++) {
		counts[d] = fmin(fmax(n, 1), (double)extent[d]);
		n /= (double)extent[d];
	}
}

uint32_t loop_depth(const struct footprint *f, uint32_t loop)
{
	uint32_t depth = 0;

	for (; f->evaluation->loops[loop].parent != IR_NONE && depth < IR_DEPTH_MAX; depth++)
		loop = f->evaluation->loops[loop].parent;
	return depth;
}

void push_window(struct footprint *f, const struct clock *now)
{
	struct footprint_window *window = &f->windows[f->window_count];
	double *loops = f->loops + (size_t)f->window_count * f->loop_count;

	if (f->window_count == FOOTPRINT_WINDOWS_MAX)
		return;
	fill_counts(now->items, f->launch->local, window->local);
	fill_counts(now->groups, f->evaluation->group_count, window->group);
	for (uint32_t i = 0; i < f->loop_count; i++) {
		double trips = fmax(1, f->evaluation->loops[i].trips);
		uint32_t depth = loop_depth(f, i);

		loops[i] = depth > now->depth || depth >= now->depths ? trips
		           : depth < now->depth                       ? 1
		                                : fmin(trips, fmax(1, now->step));
	}
	window->loops = loops;
	window->items_share = fmin(1, now->items / (double)f->evaluation->group_items) *
	                      fmin(1, now->groups / (double)f->evaluation->groups);
	f->window_count++;
}

/* Most trips of the loops at each depth; returns the number of depths. */
static uint32_t depth_trips(const struct footprint *f, double trips[IR_DEPTH_MAX])
{
	uint32_t depths = 0;

	for (uint32_t i = 0; i < f->loop_count; i++) {
		uint32_t depth = loop_depth(f, i);

		if (depth >= IR_DEPTH_MAX || !(f->evaluation->loops[i].entries > 0))
			continue;
		while (depths <= depth)
			trips[depths++] = 1;
		trips[depth] = fmax(trips[depth], f->evaluation->loops[i].trips);
	}
	return depths;
}

void grow_loops(struct footprint *f, struct clock *now, const double *trips, uint32_t depths)
{
	for (uint32_t d = depths; d-- > 0;) {
		now->depth = d;
		for (double step = GROWTH * (d + 1 == depths ? now->step : 1);; step *= GROWTH) {
			now->step = fmin(step, trips[d]);
			if (trips[d] <= 1)
				break;
			push_window(f, now);
			if (step >= trips[d])
				break;
		}
	}
	now->depth = 0;
	now->step = depths > 0 ? trips[0] : 1;
}

void grow_to(struct footprint *f, struct clock *now, double *count, double end)
{
	while (*count < end) {
		*count = fmin(*count * GROWTH, end);
		push_window(f, now);
	}
}

void make_windows(struct footprint *f, bool is_unit)
{
	const struct evaluation *e = f->evaluation;
	double units = fmax(1, fmin(f->order.units, (double)e->groups));
	double all = is_unit ? fmax(1, (double)e->groups / units) : (double)e->groups;
	double trips[IR_DEPTH_MAX];
	uint32_t depths = depth_trips(f, trips);
	struct clock now = {.items = fmin(f->order.abreast, (double)e->group_items), .groups = 1};

	if (f->window_kind == (is_unit ? 1 : 2))
		return;
	f->window_kind = is_unit ? 1 : 2;
	f->window_count = 0;
	f->order.kind->grow(f, &now, trips, depths, is_unit ? 1 : units, all);
	grow_to(f, &now, &now.groups, all);
	/* a unit's share of time is of its own groups */
	for (unsigned i = 0; is_unit && i < f->window_count; i++)
		f->windows[i].items_share =
		        fmin(1, f->windows[i].items_share * (double)e->groups / all);
}
