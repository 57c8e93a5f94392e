/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomics of a GPU. Its shared cache serves a warp's lanes in turns: lanes on one address one after
 * another, neighbours of one unit of the cache together (model/device/serialisation.h). Few lines
 * lie in few of its slices: how many of these work at the same time is calibrated by neighbours,
 * more and more of them. An address that the compiler knows to be one it adds up within the warp
 * first.
 */
#include <math.h>

#include "model/device/levels.h"
#include "model/device/serialisation.h"
#include "model/time/atomics.h"
#include "model/time/gpu/gpu.h"

/* Whether a compiler adds up a warp's operands first: whole numbers, to an address it knows. */
static bool is_added_up(const struct ir_kernel *kernel, uint32_t access)
{
	const struct ir_access *a = &kernel->accesses[access];
	const bool *is_uniform = kernel->summary->node_is_uniform;

	return (a->index == IR_NONE || is_uniform[a->index]) && !a->is_exchange &&
	       type_is_integer(a->type) &&
	       (type_bytes(a->type) <= 4 || a->value == IR_NONE || is_uniform[a->value]);
}

/*
 * One add, where some lines are hotter than others. A block of so many neighbours whose hottest
 * part has a share of its adds is as fast as where so many parts are hit evenly; of all adds the
 * hottest block has its share alone.
 */
static double busiest_time(const struct device *device, double line,
                           const struct evaluation_access *access, double touched)
{
	static const double bytes[] = {
#define X(name, bytes) bytes,
	        ATOMIC_NEIGHBOURS_TABLE(X)
#undef X
	};
	double time_s = access->hot_share[0] * line;

	for (unsigned i = 0; i < EVALUATE_MEETINGS; i++) {
		bool is_last = i + 1 == EVALUATE_MEETINGS;
		double share = is_last ? 1 : access->hot_share[i + 1];
		double part = access->hot_share[i], block = is_last ? touched : bytes[i + 1];

		if (part > 0)
			block = fmin(block, bytes[i] * (share / part));
		time_s = fmax(time_s, share * neighbours_time(device, line, block));
	}
	return time_s;
}

/*
 * The time that the busiest slices take; adds what all take, if they share the work, to the
 * cache's: meanwhile they serve no loads.
 */
static double global_time(struct terms *t, uint32_t access, double warps)
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
	return turns * fmin(line, busiest_time(device, line, a, touched));
}

static double local_time(const struct machine *m, uint32_t access, double warps)
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

double warp_atomic_time(struct terms *t, uint32_t access, bool is_local)
{
	double warps = evaluation_of(t->machine)->accesses[access].warp_executions *
	               t->machine->occupancy.warps;

	return is_local ? local_time(t->machine, access, warps) : global_time(t, access, warps);
}
