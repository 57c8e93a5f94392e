/* SPDX-License-Identifier: Apache-2.0 */
/* What work-items move to keep values across barriers. */
#include <math.h>

#include "model/codegen/pocl/context.h"
#include "model/device/levels.h"
#include "model/mechanisms.h"
#include "model/time/cpu/cpu.h"

/* What a load or store takes of a work-item. */
static double move_time(const struct context *c, const struct move *move)
{
	const struct device *device = c->m->input->device;
	const struct barrier_region *region = &c->regions[move->region];
	unsigned scalar = move->is_store ? COEFFICIENT_STORE_SCALAR : COEFFICIENT_LOAD_SCALAR;
	unsigned spread = move->is_store ? COEFFICIENT_STORE_SCATTER : COEFFICIENT_LOAD_GATHER;
	/* vectors of OpenCL C are loaded whole */
	double one = device_value(device, scalar, 0) * scalar_moves(move->bytes);

	if (block_mode(c->m, move->block) != OP_MODE_VECTOR)
		return one;
	if ((region->is_short && region->has_pitch) || region->is_switched)
		return one;
	if (region->has_columns && !move->is_again)
		return row_length(c->m->input->launch) <= (uint64_t)LLVM_INTERLEAVED_MAX
		               ? device_op_time_s(device, OP_MODE_SCALAR, TYPE_CLASS_INT,
		                                  OP_CLASS_BIT)
		               : device_value(device, spread, one);
	return in_vectors(c->m,
	                  move->widest_bytes / (move->is_store
	                                                ? level_write_bandwidth(device, MEMORY_L1)
	                                                : level_read_bandwidth(device, MEMORY_L1)),
	                  one);
}

enum { BARRIER_MOVES = 2, BARRIER_BYTES = 4 };

/*
 * Of what is kept in vectors that which the calibration of a barrier had, and is in its price: a
 * number that a loop around the barrier hands on, which is two loads and two stores.
 */
static double barriers_time(const struct context *c)
{
	const struct ir_kernel *kernel = c->m->input->kernel;
	const struct device *device = c->m->input->device;
	double count = 0;

	for (uint32_t s = 0; s < kernel->statement_count; s++)
		if (kernel->statements[s].kind == STATEMENT_BARRIER &&
		    block_mode(c->m, kernel->statements[s].block) == OP_MODE_VECTOR)
			count +=
			        evaluation_of(c->m)->blocks[kernel->statements[s].block].executions;
	return count * (double)BARRIER_MOVES * (double)BARRIER_BYTES *
	       (1 / level_read_bandwidth(device, MEMORY_L1) +
	        1 / level_write_bandwidth(device, MEMORY_L1));
}

enum status add_context(struct terms *t, struct error *error)
{
	const struct machine *m = t->machine;
	struct context c;
	enum status status;
	double count = 0, time_s = 0, all_s;

	if (!m->input->kernel->summary->has_barrier || m->code.is_straight ||
	    !mechanism(MECHANISM_BARRIER_CONTEXT))
		return STATUS_OK;
	status = context_init(&c, m, error);
	if (status != STATUS_OK)
		return status;
	find_rows(&c);
	for (size_t i = 0; i < c.move_count; i++) {
		count += c.moves[i].count;
		time_s += c.moves[i].count * move_time(&c, &c.moves[i]);
	}
	all_s = time_s;
	time_s = on_busy_units(m, fmax(0, time_s - barriers_time(&c)) * m->occupancy.items);
	term_add(t, BOTTLENECK_L1, time_s);
	for (size_t i = 0; i < c.move_count && all_s > 0; i++)
		region_moves(t, c.moves[i].block,
		             c.moves[i].count * move_time(&c, &c.moves[i]) / all_s * time_s);
	if (time_s > 0)
		row_add(t->prediction, count, time_s, "values kept across barriers");
	context_deinit(&c);
	return STATUS_OK;
}
