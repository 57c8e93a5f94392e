/* SPDX-License-Identifier: Apache-2.0 */
/* What a CPU's cores do with a launch together: what runs beside what, who wakes up when. */
#include <math.h>
#include <string.h>

#include "model/device/wake_up.h"
#include "model/time/cpu/cpu.h"

/* A core waits and works in turn; gathers and scatters keep it from all else. */
double core_whole(const struct terms *t, const double *time_s, double gathering_s, double stalled_s)
{
	double terms[BOTTLENECK_COUNT];

	memcpy(terms, time_s, sizeof(terms));
	/* local memory is memory: the same instructions */
	terms[BOTTLENECK_L1] =
	        fmax(0, terms[BOTTLENECK_L1] + terms[BOTTLENECK_LOCAL] - gathering_s);
	terms[BOTTLENECK_LOCAL] = 0;
	return soft_maximum(terms, BOTTLENECK_COUNT, norm_of(t->machine->input->device)) +
	       gathering_s + stalled_s;
}

/*
 * Alone, a unit takes as many times longer as there are units - but reads shared memory faster
 * than its share of it.
 */
struct waking core_waking(const struct terms *t, double total)
{
	const struct machine *m = t->machine;
	double groups = (double)evaluation_of(m)->groups, active = fmin(m->occupancy.units, groups);
	double time_s[BOTTLENECK_COUNT], gathering_s = t->gathering_s;

	if (active < 2)
		return (struct waking){groups, active, total, total};
	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++) {
		double longer = active;

		if (i >= BOTTLENECK_L1 && i <= BOTTLENECK_DRAM) {
			unsigned level = i - BOTTLENECK_L1;
			double all = level_value(m, level, MEMORY_COLUMN_READ, 0);
			double one = level_value(m, level, MEMORY_COLUMN_UNIT_READ, 0);

			if (all > 0 && one > 0)
				longer = fmin(active, fmax(1, all / one));
		}
		time_s[i] = t->time_s[i] * longer;
		if (i == BOTTLENECK_L1)
			gathering_s *= longer;
	}
	return (struct waking){
	        .groups = groups,
	        .active = active,
	        .all_s = total * spread_uneven(m, groups),
	        .alone_s = core_whole(t, time_s, gathering_s, (t->stalled_s + t->apart_s) * active),
	};
}
