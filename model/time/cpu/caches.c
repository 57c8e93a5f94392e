/* SPDX-License-Identifier: Apache-2.0 */
/* Between a CPU's caches: lines that cores hand to each other, and what fewer cores can ask for. */
#include <math.h>

#include "model/device/levels.h"
#include "model/time/cpu/cpu.h"

/* Where a loop is not made vectors of, a work-item ends it before the next one begins. */
double core_items_abreast(const struct machine *m)
{
	const struct ir_kernel *kernel = m->input->kernel;

	for (uint32_t i = 0; i < kernel->summary->loop_count; i++) {
		uint32_t loop = kernel->summary->loops[i].statement;

		if (!is_outer_loop(m, loop) &&
		    block_mode(m, kernel->statements[loop].body) == OP_MODE_SCALAR)
			return 1;
	}
	return evaluation_of(m)->warp_items;
}

/*
 * What those units take for it that have work: lines that come one by one come no
 * faster to a unit because others have nothing to do.
 */
static double busy_traffic_time(const struct machine *m, enum memory_level level, double line,
                                const struct footprint_traffic *traffic)
{
	struct footprint_traffic apart = *traffic;

	apart.read_bytes = apart.write_bytes = 0;
	return on_busy_units(
	        m, traffic_time(m, level, line, &apart) +
	                   traffic->read_bytes /
	                           level_value(m, level, MEMORY_COLUMN_UNIT_READ, HUGE_VAL) /
	                           m->occupancy.units);
}

#define HANDED_BYTES 64.0 /* a line that CPUs' cores hand to each other */

/*
 * What stores take of a level that cores share, where other cores have written their lines in the
 * launch before: each has to give up what it has, and where no load brings such a line, it comes
 * alone. A core goes on reading meanwhile.
 */
static double handed_time(const struct machine *m, struct footprint *footprint,
                          const struct footprint_cache *cache, enum memory_level below,
                          const struct footprint_traffic *traffic)
{
	const struct device *device = m->input->device;
	struct footprint_cache own = *cache;
	double handed;

	own.kept = 1;
	handed = fmax(0, traffic->stored_bytes -
	                         footprint_misses(footprint, &own, NULL, NULL).stored_bytes);
	return handed / HANDED_BYTES / level_scatter_rate(device, below, HANDED_BYTES) +
	       fmax(0, traffic->write_bytes - handed) / level_write_bandwidth(device, below);
}

double core_level_time(const struct machine *m, const struct level *level)
{
	const struct footprint_traffic *traffic = level->traffic;
	enum memory_level below = level->below;
	double time_s = traffic_time(m, below, level->cache->line_bytes, traffic);

	if (level->is_below_private)
		return on_busy_units(m, time_s);
	if (level->cache->is_private && below != MEMORY_DRAM && traffic->stored_bytes > 0)
		time_s = fmax(time_s,
		              handed_time(m, level->footprint, level->cache, below, traffic));
	return fmax(time_s, busy_traffic_time(m, below, level->cache->line_bytes, traffic));
}
