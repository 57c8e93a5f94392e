/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU: each unit holds several work-groups, whose warps it issues in turn. */
#include <math.h>

#include "model/device/levels.h"
#include "model/machine/machine.h"

/*
 * Work-groups that one unit holds: by work-items, local memory and registers. *limit: which of
 * these it is, or that a unit's room is no multiple of a work-group.
 */
static double resident_groups(const struct machine *m, enum occupancy_limit *limit)
{
	const struct device *device = m->input->device;
	const struct evaluation *e = evaluation_of(m);
	double group = (double)e->group_warps * e->warp_items;
	double room = positive_value(device, COEFFICIENT_UNIT_ITEMS, group);
	double registers = m->input->kernel->summary->register_estimate;
	double local = local_bytes_of(m), all = room, groups;
	/* what a work-group may take is the least that a unit has */
	double has = device_value(device, COEFFICIENT_LOCAL_ROOM, (double)device->local_bytes);

	/* the estimate is an upper bound: a compiler keeps about half of it, and a
	 * unit that is full of work-items has some 32 registers for each */
	if (registers > 64)
		room *= 64 / registers;
	groups = floor(room / group);
	*limit = groups < floor(all / group)        ? OCCUPANCY_REGISTERS
	         : floor(all / group) < all / group ? OCCUPANCY_GROUP
	                                            : OCCUPANCY_NONE;
	if (local > 0 && has > 0 && floor(has / local) < groups) {
		groups = floor(has / local);
		*limit = OCCUPANCY_LOCAL;
	}
	return fmax(groups, 1);
}

/*
 * Warps that a unit issues from at once: as many as it takes to do what one that is alone
 * takes as long for as its own operations let it.
 */
static double schedulers(const struct machine *m)
{
	const struct device *device = m->input->device;
	double alone = device_op_time_s(device, OP_MODE_SCALAR, TYPE_CLASS_FLOAT, OP_CLASS_ADD);
	double full = device_op_time_s(device, OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_ADD) *
	              m->occupancy.units * evaluation_of(m)->warp_items;

	/* alone a warp issues a little less than it might, and schedulers come by powers of two */
	return full > 0 && alone > full ? exp2(floor(log2(fmin(alone / full, 64)))) : 1;
}

static void fill_units(struct machine *m)
{
	const struct evaluation *e = evaluation_of(m);
	double groups = (double)e->groups, turns;
	enum occupancy_limit limit;

	m->occupancy.padded = groups * (double)e->group_warps * e->warp_items;
	m->occupancy.resident = resident_groups(m, &limit);
	turns = fmin(ceil(groups / m->occupancy.units), m->occupancy.resident) *
	        (double)e->group_warps / schedulers(m);
	m->occupancy.saturation = turns / ceil(turns);
}

static void gpu_describe(const struct machine *m, struct prediction_occupancy *occupancy)
{
	const struct evaluation *e = evaluation_of(m);
	double group = (double)e->group_warps * e->warp_items;
	double room = positive_value(m->input->device, COEFFICIENT_UNIT_ITEMS, group);
	double given = ceil((double)e->groups / m->occupancy.units);
	enum occupancy_limit limit;

	occupancy->groups = fmin(resident_groups(m, &limit), given);
	if (given < m->occupancy.resident)
		limit = OCCUPANCY_LAUNCH;
	occupancy->limit = (uint8_t)limit;
	occupancy->share = fmin(1, occupancy->groups * (double)e->group_items / room);
	occupancy->registers = m->input->kernel->summary->register_estimate;
	occupancy->multiple = e->warp_items;
}

static enum op_mode gpu_block_mode(const struct machine *m, uint32_t block)
{
	(void)m;
	(void)block;
	return OP_MODE_VECTOR;
}

static double gpu_block_items(const struct machine *m, uint32_t block)
{
	return evaluation_of(m)->blocks[block].warp_executions * m->occupancy.padded;
}

const struct processor gpu_processor = {
        .kind = PROCESSOR_GPU,
        .unrolls_early = false,
        .fill_units = fill_units,
        .describe = gpu_describe,
        .block_mode = gpu_block_mode,
        .block_items = gpu_block_items,
};
