/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default model's term of atomics.
 *
 * A GPU's shared cache serves a warp's lanes in turns: lanes on one address one after another,
 * neighbours of one unit of the cache together (model/device/serialisation.h). Few lines lie in few
 * of its slices: how many of these work at the same time is calibrated by neighbours, more and more
 * of them. An address that the compiler knows to be one it adds up within the warp first. To a
 * CPU's cores neighbours are lines that they take from each other: those that data choose come from
 * another core nearly each time, until there are more than their caches hold, and then from the
 * shared cache or memory. What they take is calibrated by how many there are; a calibration made
 * before says it for those alone that are not many more than operations under way.
 */
#include <math.h>

#include "model/codegen/codegen.h"
#include "model/device/levels.h"
#include "model/device/serialisation.h"
#include "model/time/terms.h"
#include "model/underived.h"

enum { LINE_BYTES = 128, WORD_BYTES = 4 }; /* of the 32 neighbours that are calibrated */

/* Addresses that an access can touch over the launch. */
static double distinct_addresses(const struct machine *m, uint32_t access)
{
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	double bytes = fmax(1, a->bytes);
	double all = a->object_bytes > 0 ? (double)a->object_bytes / bytes : 1e18, values = 1;

	if (a->address.is_known && !a->address.is_random) {
		for (unsigned i = 0; i < a->address.term_count; i++)
			values *= (double)a->address.terms[i].extent;
		return fmax(1, fmin(all, values));
	}
	if (a->unknown < 0.5 && a->high_bytes > a->low_bytes)
		all = fmin(all, (a->high_bytes - a->low_bytes) / bytes);
	return fmax(1, all);
}

/* Bytes of the lines in which they lie. */
static double bytes_touched(const struct machine *m, uint32_t access)
{
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	double line = (double)(int)LINE_BYTES * a->lines[2] / fmax(1, a->addresses);
	double all = distinct_addresses(m, access) * fmax(a->bytes, line);

	if (a->unknown < 0.5 && a->high_bytes > a->low_bytes)
		return fmin(all, a->high_bytes - a->low_bytes);
	return a->object_bytes > 0 ? fmin(all, (double)a->object_bytes) : all;
}

/*
 * One add where all work-items add to neighbouring words of so many bytes, `line` seconds for
 * those of a line: between those calibrated by logarithms; further out an address each.
 */
static double neighbours_time(const struct device *device, double line, double bytes)
{
	static const struct {
		unsigned id;
		double bytes;
	} steps[] = {{COEFFICIENT_ATOMIC_GLOBAL_256, 1 << 10},
	             {COEFFICIENT_ATOMIC_GLOBAL_4096, 1 << 14},
	             {COEFFICIENT_ATOMIC_GLOBAL_SPREAD, 1 << 18}};
	double below = (double)(int)LINE_BYTES, below_s = line;

	for (unsigned i = 0; i < sizeof steps / sizeof *steps && bytes > below; i++) {
		double time_s = device_value(device, steps[i].id, 0);

		if (!(time_s > 0))
			continue;
		if (bytes <= steps[i].bytes)
			return below_s * pow(time_s / below_s,
			                     log(bytes / below) / log(steps[i].bytes / below));
		below = steps[i].bytes;
		below_s = time_s;
	}
	return below_s;
}

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

/* Whether a compiler adds up a warp's operands first: whole numbers, to an address it knows. */
static bool is_added_up(const struct ir_kernel *kernel, uint32_t access)
{
	const struct ir_access *a = &kernel->accesses[access];
	const bool *is_uniform = kernel->summary->node_is_uniform;

	return (a->index == IR_NONE || is_uniform[a->index]) && !a->is_exchange &&
	       type_is_integer(a->type) &&
	       (type_bytes(a->type) <= 4 || a->value == IR_NONE || is_uniform[a->value]);
}

/* The bottleneck that stands for the first cache that the units share. */
static unsigned shared_level(const struct machine *m)
{
	unsigned level = MEMORY_L1;

	while (level < MEMORY_DRAM && level_value(m, level, MEMORY_COLUMN_INSTANCES, 1) > 1)
		level++;
	return BOTTLENECK_L1 + level;
}

/*
 * The time that the busiest slices take; adds what all take, if they share the work, to the
 * cache's: meanwhile they serve no loads.
 */
static double add_global(struct terms *t, uint32_t access, double warps)
{
	const struct machine *m = t->machine;
	const struct device *device = m->input->device;
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	double warp = evaluation_of(m)->warp_items;
	double alone = positive_value(device, COEFFICIENT_ATOMIC_GLOBAL_SAME, 1e-9);
	double unit = (double)(1u << device_atomic_shift(device));
	double line = positive_value(device, COEFFICIENT_ATOMIC_GLOBAL_32,
	                             alone * (double)(int)WORD_BYTES / unit);
	double known = positive_value(device, COEFFICIENT_ATOMIC_GLOBAL_KNOWN, alone / warp);
	double turns = fmax(1, a->ways), full, turn, touched;

	/* a turn of a whole unit may be shorter than one of a single address */
	full = line * unit / (double)(int)WORD_BYTES;
	turn = alone + (full - alone) * fmin(1, a->lanes / turns * a->bytes / unit);
	if (is_added_up(m->input->kernel, access))
		turns = fmin(turns, known * warp / alone);
	/* one that is loaded is one, though nobody can tell which */
	touched = a->unknown > 0.5 && is_added_up(m->input->kernel, access)
	                  ? (double)(int)WORD_BYTES
	                  : bytes_touched(m, access);
	turns *= warps * turn / line;
	term_add(t, shared_level(m), turns * neighbours_time(device, line, HUGE_VAL));
	return turns * fmin(line, neighbours_time(device, line, touched));
}

static double gpu_local_time(const struct machine *m, uint32_t access, double warps)
{
	const struct device *device = m->input->device;
	double warp = evaluation_of(m)->warp_items;
	double same = device_value(device, COEFFICIENT_ATOMIC_LOCAL_SAME,
	                           device_value(device, COEFFICIENT_ATOMIC_GLOBAL_SAME, 1e-9));
	double spread = device_value(device, COEFFICIENT_ATOMIC_LOCAL_SPREAD, same);
	double known = device_value(device, COEFFICIENT_ATOMIC_LOCAL_KNOWN, spread);
	double further = fmax(0, same - spread) / fmax(1, warp - 1);
	double time_s = spread + further * (fmax(1, evaluation_of(m)->accesses[access].ways) - 1);

	if (is_added_up(m->input->kernel, access))
		time_s = fmin(time_s, known);
	return on_units(m, warps * warp * time_s);
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

/* `under_way`: see lines_under_way. */
static double cpu_time(const struct machine *m, uint32_t access, bool is_local, double count,
                       double under_way)
{
	const struct device *device = m->input->device;
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	double global = device_value(device, COEFFICIENT_ATOMIC_GLOBAL_SAME, 1e-9), same = global;
	double spread = device_value(device, COEFFICIENT_ATOMIC_GLOBAL_SPREAD, global);
	double line = device_value(device, COEFFICIENT_ATOMIC_GLOBAL_32, 0);
	double bytes = bytes_touched(m, access), share = 0;
	bool is_own = a->address.is_known && !a->address.is_random && a->address.term_count > 0;

	if (a->lanes > 1)
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
		double met = fmin(1, under_way / fmax(1, lines));
		double random = random_time(device, global, lines);

		if (random > 0)
			spread = random;
		else
			spread = (1 - met) * spread +
			         met * fmax(spread, contended_time(m, lines, same));
	}
	/* the hottest address takes its turns one by one */
	return fmax(count * (share * same + (1 - share) * spread),
	            count / distinct_addresses(m, access) * same);
}

/* Whether a loop around it repeats an exchange until it succeeds. */
static bool is_repeated(const struct ir_kernel *kernel, uint32_t access)
{
	const struct ir_summary *summary = kernel->summary;
	uint32_t block = summary->access_block[access], loop = IR_NONE;

	if (kernel->accesses[access].is_exchange && block != IR_NONE)
		loop = summary->block_loop[block];
	while (loop != IR_NONE && !summary->loops[loop].is_retry)
		loop = loop_around(kernel, loop);
	return loop != IR_NONE;
}

/*
 * How often work-items try: those under way contend for the addresses. On average half of
 * them still wait, and about two get through while each of the others tries once.
 */
static double tries(const struct machine *m, uint32_t access, bool is_local)
{
	enum { HALF_AND_TWO = 4 };
	double contend = m->occupancy.items, resident;

	if (!is_repeated(m->input->kernel, access))
		return 1;
	resident =
	        m->is_lockstep ? m->occupancy.resident * (double)evaluation_of(m)->group_items : 1;
	if (is_local)
		contend = m->is_lockstep ? (double)evaluation_of(m)->group_items : 1;
	else
		contend = fmin(contend, m->occupancy.units * resident);
	return fmax(1, contend / distinct_addresses(m, access) / (double)(int)HALF_AND_TWO);
}

void add_atomics(struct terms *t)
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;
	double under_way = 0; /* until it is needed */

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct ir_access *access = &kernel->accesses[i];
		const struct evaluation_access *a = &evaluation_of(m)->accesses[i];
		bool is_local = kernel->objects[access->object].space == SPACE_LOCAL;
		double count = a->executions * m->occupancy.items,
		       warps = a->warp_executions * m->occupancy.warps;
		double time_s;

		if (access->kind != ACCESS_ATOMIC || !(count > 0))
			continue;
		if (!m->is_lockstep && !(under_way > 0))
			under_way = lines_under_way(m);
		if (!m->is_lockstep)
			time_s = cpu_time(m, i, is_local, count, under_way);
		else if (is_local)
			time_s = gpu_local_time(m, i, warps);
		else
			time_s = add_global(t, i, warps);
		time_s *= tries(m, i, is_local);
		term_add(t, BOTTLENECK_ATOMIC, time_s);
		row_add(t->prediction, a->executions, time_s, "%s atomic on %s",
		        is_local ? "local" : "global", kernel->objects[access->object].name);
	}
}
