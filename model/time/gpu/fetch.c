/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions that a warp waits for: a loop whose body no cache of instructions holds is fetched
 * anew in each of its iterations.
 */
#include <math.h>

#include "model/time/gpu/gpu.h"

enum { LOADED_BYTES = 16 }; /* by one instruction, at most */

/* What is a sequence of instructions, of as many as its time is that of additions. */
static bool is_sequence(enum op_class op)
{
	return (op >= OP_CLASS_DIV && op <= OP_CLASS_WIDE_MOD) || op >= OP_CLASS_SQRT;
}

/* Instructions of one execution of a block, without its accesses. */
static double instructions_of(const struct machine *m, uint32_t block)
{
	const struct ir_counts *emitted = &m->input->kernel->summary->emitted[block];
	double sum = 0;

	for (enum op_class op = 0; op < OP_CLASS_COUNT; op++)
		for (enum type_class type = 0; type < TYPE_CLASS_COUNT; type++) {
			double count = (double)emitted->operation[op][type], each = 1, add;

			if (!(count > 0))
				continue;
			add = device_op_time_s(m->input->device, OP_MODE_VECTOR, type,
			                       OP_CLASS_ADD);
			if (is_sequence(op) && add > 0)
				each = fmax(1, device_op_time_s(m->input->device, OP_MODE_VECTOR,
				                                type, op) /
				                       add);
			sum += count * each;
		}
	return sum;
}

/* Adds what stands in a block once to the loops around it, as often as it was unrolled. */
static void add_instructions(const struct machine *m, uint32_t block, double instructions,
                             double *size)
{
	const struct ir_kernel *kernel = m->input->kernel;

	for (uint32_t i = kernel->summary->block_loop[block]; i != IR_NONE;
	     i = loop_around(kernel, i)) {
		const struct ir_loop *loop = &kernel->summary->loops[i];
		double trips = fmax(1, evaluation_of(m)->loops[i].trips);

		if (loop->is_unrolled)
			instructions *= trips;
		else if (loop_is_countable(kernel, loop))
			instructions *= fmin(loop->unroll, trips);
		size[i] += instructions;
	}
}

void loop_sizes(const struct machine *m, double *size)
{
	const struct ir_kernel *kernel = m->input->kernel;

	if (!m->input->device->coefficient[COEFFICIENT_FETCH_NEAR_ROOM].is_known)
		return; /* nothing is asked of them */
	for (uint32_t block = 0; block < kernel->block_count; block++)
		add_instructions(m, block, instructions_of(m, block), size);
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->summary->access_block[i] != IR_NONE &&
		    !kernel->summary->access_is_folded[i])
			add_instructions(m, kernel->summary->access_block[i],
			                 ceil((double)type_bytes(kernel->accesses[i].type) /
			                      (double)LOADED_BYTES),
			                 size);
}

double fetch_time(const struct machine *m, uint32_t block, const double *size)
{
	const struct device *device = m->input->device;
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;
	uint32_t loop = summary->block_loop[block];
	double each_s = 0;

	/* what is unrolled is part of the loop around it */
	while (loop != IR_NONE && summary->loops[loop].is_unrolled)
		loop = loop_around(kernel, loop);
	if (loop == IR_NONE)
		return 0;
	if (size[loop] > device_value(device, COEFFICIENT_FETCH_NEAR_ROOM, (double)INFINITY))
		each_s = device_value(device, COEFFICIENT_FETCH_NEAR, 0);
	if (size[loop] > device_value(device, COEFFICIENT_FETCH_FAR_ROOM, (double)INFINITY))
		each_s = device_value(device, COEFFICIENT_FETCH_FAR, each_s);
	return each_s > 0 ? each_s * instructions_of(m, block) : 0;
}
