/* SPDX-License-Identifier: Apache-2.0 */
/* A CPU: a core runs a work-group at a time, its work-items one by one or as lanes of vectors. */
#include <math.h>

#include "model/machine/machine.h"

static void fill_units(struct machine *m)
{
	m->occupancy.padded = m->occupancy.items;
	m->occupancy.resident = 1;
	m->occupancy.saturation = 1;
}

/* Cores that have a work-group, whose number need not be a multiple of theirs. */
static void cpu_describe(const struct machine *m, struct prediction_occupancy *occupancy)
{
	double groups = (double)evaluation_of(m)->groups;

	occupancy->groups = 1;
	occupancy->share = groups / (ceil(groups / m->occupancy.units) * m->occupancy.units);
	occupancy->limit = occupancy->share < 1 ? OCCUPANCY_LAUNCH : OCCUPANCY_NONE;
}

static enum op_mode cpu_block_mode(const struct machine *m, uint32_t block)
{
	const struct ir_kernel *kernel = m->input->kernel;

	if (block >= kernel->block_count)
		return OP_MODE_VECTOR;
	if (m->code.is_scalar || m->code.one_by_one >= 1 ||
	    (m->code.is_refused != NULL && m->code.is_refused[block]) ||
	    (m->code.lanes != NULL && m->code.lanes[block].is_inner) ||
	    kernel->summary->block_obstacle[block] != VECTOR_OK)
		return OP_MODE_SCALAR;
	return OP_MODE_VECTOR;
}

static double cpu_block_items(const struct machine *m, uint32_t block)
{
	const struct evaluation_block *b = &evaluation_of(m)->blocks[block];

	if (cpu_block_mode(m, block) == OP_MODE_VECTOR)
		return m->code.predicated[block] * m->occupancy.items;
	if (m->code.lanes != NULL && m->code.lanes[block].share > 0) {
		const struct block_lanes *lanes = &m->code.lanes[block];
		double all = evaluation_of(m)->blocks[lanes->body].executions;

		return (b->executions + lanes->share * (all - b->executions)) * m->occupancy.items;
	}
	return b->executions * m->occupancy.items;
}

const struct processor cpu_processor = {
        .kind = PROCESSOR_CPU,
        .unrolls_early = true,
        .fill_units = fill_units,
        .describe = cpu_describe,
        .block_mode = cpu_block_mode,
        .block_items = cpu_block_items,
};
