/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomics of a CPU. Neighbours are lines that cores take from each other: those that data choose
 * come from another core nearly each time, until there are more than their caches hold, and then
 * from the shared cache or memory. What they take is calibrated by how many there are; a
 * calibration made before says it for those alone that are not many more than operations under way.
 */
#include <math.h>

#include "model/device/levels.h"
#include "model/time/atomics.h"
#include "model/time/cpu/cpu.h"
#include "model/underived.h"

/*
 * One add of all units to lines that each takes at random of so many, `same` seconds where they
 * are one: between those calibrated by logarithms; 0: not calibrated.
 */
static double random_time(const struct device *device, double same, double lines)
{
	static const struct {
		unsigned id;
		double lines;
	} steps[] = {
#define X(name, lines) {COEFFICIENT_##name, lines},
	        ATOMIC_RANDOM_TABLE(X)
#undef X
	};
	double below = 1, below_s = same;

	if (!(device_value(device, steps[0].id, 0) > 0))
		return 0;
	for (unsigned i = 0; i < sizeof steps / sizeof *steps && lines > below; i++) {
		double time_s = device_value(device, steps[i].id, 0);

		if (!(time_s > 0))
			continue;
		if (lines <= steps[i].lines)
			return below_s * pow(time_s / below_s,
			                     log(lines / below) / log(steps[i].lines / below));
		below = steps[i].lines;
		below_s = time_s;
	}
	return below_s;
}

/* Lines that units hold at the same time: one for each work-item that a core has under way. */
static double lines_under_way(const struct machine *m)
{
	const struct ir_kernel *kernel = m->input->kernel;
	double window = positive_value(m->input->device, COEFFICIENT_WINDOW, 1), operations = 0;

	for (uint32_t b = 0; b < kernel->block_count; b++)
		for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++)
			operations += (double)kernel->summary->rolled[b].instruction[type] *
			              evaluation_of(m)->blocks[b].executions;
	for (uint32_t i = 0; i < kernel->access_count; i++)
		operations += evaluation_of(m)->accesses[i].executions;
	return m->occupancy.units * (1 + window / fmax(1, operations));
}

/*
 * An atomic operation on one of so few lines that each has been in another unit's cache since:
 * there and back through the cache that all share, as many at once as there are units, and on
 * each line one after another; at most what all units take for one address.
 */
static double contended_time(const struct machine *m, double lines, double same)
{
	for (unsigned i = 0; i < cache_levels(m->input->device); i++)
		if (level_value(m, i, MEMORY_COLUMN_INSTANCES, 1) < 2) {
			double there = level_value(m, i, MEMORY_COLUMN_LATENCY, 0);

			return fmin(same, fmax(same / fmax(1, lines), there / m->occupancy.units));
		}
	return same;
}

/*
 * The share of adds that find their line in the core's own cache: one of a work-item close by went
 * there, and none of the other units, each of which adds once meanwhile, has taken it away. Lines
 * where adds meet have meet / hot of all adds, each of them `hot`: neighbours meet there first.
 */
static double own_share(const struct machine *m, const struct evaluation_access *a)
{
	double hot = fmax(a->hot_share[0], a->meet_share);
	double shared = hot > 0 ? fmin(a->joined_share, a->meet_share / hot) : 0;

	return a->joined_share - shared + shared * pow(1 - hot, m->occupancy.units - 1);
}

double core_atomic_time(struct terms *t, uint32_t access, bool is_local)
{
	const struct machine *m = t->machine;
	const struct device *device = m->input->device;
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	double count = a->executions * m->occupancy.items;
	double global = device_value(device, COEFFICIENT_ATOMIC_GLOBAL_SAME, 1e-9), same = global;
	double spread = device_value(device, COEFFICIENT_ATOMIC_GLOBAL_SPREAD, global);
	double line = device_value(device, COEFFICIENT_ATOMIC_GLOBAL_32, 0), own = spread;
	double bytes = bytes_touched(m, access), share = 0;
	bool is_own = a->address.is_known && !a->address.is_random && a->address.term_count > 0;

	/* where it was counted who meets, neighbours that go to one address are one unit's, which
	 * keeps its line meanwhile */
	if (a->lanes > 1 && (is_local || !a->is_met))
		share = fmin(1, fmax(0, 1 - (a->addresses - 1) / (a->lanes - 1)));
	/* local memory is a core's own: no other takes its lines away */
	if (is_local) {
		spread = device_value(device, COEFFICIENT_ATOMIC_LOCAL_SPREAD, spread);
		same = device_value(device, COEFFICIENT_ATOMIC_LOCAL_SAME, spread);
		return on_units(m, count * (share * same + (1 - share) * spread));
	}
	if (m->input->kernel->accesses[access].is_extreme)
		same *= (int)EXTREME_TURNS;
	if (line > 0)
		spread = neighbours_time(device, line, bytes);
	if (m->occupancy.units > 1 && !is_own) {
		double lines = bytes / level_value(m, shared_level(m) - BOTTLENECK_L1,
		                                   MEMORY_COLUMN_LINE, 64);
		double random;

		/* what two units want at once, no matter which address of it */
		if (a->meet_share > 0)
			lines = fmin(lines, 1 / a->meet_share);
		random = random_time(device, global, lines);

		if (random > 0) {
			spread = random;
		} else {
			double met;

			if (!(t->lines_under_way > 0))
				t->lines_under_way = lines_under_way(m);
			met = fmin(1, t->lines_under_way / fmax(1, lines));
			spread = (1 - met) * spread +
			         met * fmax(spread, contended_time(m, lines, same));
		}
		own = fmin(own, spread);
		spread -= own_share(m, a) * (spread - own);
	}
	/* the hottest address, or line, takes its turns one by one */
	return fmax(count * (share * same + (1 - share) * spread),
	            count * fmax(a->hot_share[0], 1 / distinct_addresses(m, access)) * same);
}
