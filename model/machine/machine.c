/* SPDX-License-Identifier: Apache-2.0 */
/* Questions that several terms ask of kernel, evaluation, device and code. */
#include "model/machine/machine.h"

#include <math.h>

#include "model/device/levels.h"

/* Whether a CPU runs the work-items of a block as lanes of vectors. */
enum op_mode block_mode(const struct machine *m, uint32_t block)
{
	const struct ir_kernel *kernel = m->input->kernel;

	if (m->is_lockstep || block >= kernel->block_count)
		return OP_MODE_VECTOR;
	if (m->code.is_scalar || m->code.one_by_one >= 1 ||
	    (m->code.is_refused != NULL && m->code.is_refused[block]) ||
	    (m->code.lanes != NULL && m->code.lanes[block].is_inner) ||
	    kernel->summary->block_obstacle[block] != VECTOR_OK)
		return OP_MODE_SCALAR;
	return OP_MODE_VECTOR;
}

double in_vectors(const struct machine *m, double vector, double scalar)
{
	return (1 - m->code.one_by_one) * vector + m->code.one_by_one * fmax(vector, scalar);
}

double in_lanes(const struct machine *m, uint32_t block, double scalar, double vector)
{
	double share = m->code.lanes != NULL ? m->code.lanes[block].share : 0;

	return (1 - share) * scalar + share * vector;
}

/* Work-items that pay for a block's execution: with lanes, all of a warp or vector. */
double block_items(const struct machine *m, uint32_t block)
{
	const struct evaluation_block *b = &evaluation_of(m)->blocks[block];

	if (m->is_lockstep)
		return b->warp_executions * m->occupancy.padded;
	if (block_mode(m, block) == OP_MODE_VECTOR)
		return m->code.predicated[block] * m->occupancy.items;
	if (m->code.lanes != NULL && m->code.lanes[block].share > 0) {
		const struct block_lanes *lanes = &m->code.lanes[block];
		double all = evaluation_of(m)->blocks[lanes->body].executions;

		return (b->executions + lanes->share * (all - b->executions)) * m->occupancy.items;
	}
	return b->executions * m->occupancy.items;
}

double access_items(const struct machine *m, uint32_t access)
{
	uint32_t block = m->input->kernel->summary->access_block[access];

	if (block == IR_NONE || m->input->kernel->summary->access_is_folded[access])
		return 0;
	return block_items(m, block) * (m->code.repeats != NULL ? m->code.repeats[access] : 1);
}

/* Device-seconds of throughput, as time on the units that have work. */
double on_units(const struct machine *m, double device_s)
{
	return device_s / fmax(m->occupancy.busy * m->occupancy.saturation, 1e-9);
}

double on_busy_units(const struct machine *m, double device_s)
{
	return device_s / fmax(m->occupancy.busy, 1e-9);
}

double norm_of(const struct device *device)
{
	return fmin(fmax(device_value(device, COEFFICIENT_SHAPE_NORM, 4), 1), 32);
}

/* The p-norm, scaled by the largest so that no power over- or underflows. */
double soft_maximum(const double *terms, unsigned count, double norm)
{
	double most = 0, sum = 0;

	for (unsigned i = 0; i < count; i++)
		most = fmax(most, terms[i]);
	for (unsigned i = 0; i < count && most > 0; i++)
		sum += pow(terms[i] / most, norm);
	return most > 0 ? most * pow(sum, 1 / norm) : 0;
}

double level_value(const struct machine *m, unsigned level, enum memory_column column,
                   double otherwise)
{
	return positive_value(m->input->device,
	                      coefficient_memory((enum memory_level)level, column), otherwise);
}

bool steps_by_one(const struct machine *m, uint32_t access)
{
	const struct evaluation_access *a = &evaluation_of(m)->accesses[access];
	unsigned lanes = launch_row(m->input->launch);
	double step = 0;

	if (!a->address.is_known || a->address.is_random)
		return false;
	for (unsigned i = 0; i < a->address.term_count; i++) {
		const struct affine_term *term = &a->address.terms[i];

		if (term->base == AFFINE_GLOBAL + lanes || term->base == AFFINE_LOCAL + lanes)
			step += term->divisor == 1 ? (double)term->factor : HUGE_VAL;
	}
	return step != 0 && fabs(step) <= a->bytes; /* backwards as well */
}

bool has_known_place(const struct machine *m, uint32_t access)
{
	const struct affine *address = &evaluation_of(m)->accesses[access].address;
	const struct ir_summary *summary = m->input->kernel->summary;

	if (m->is_lockstep ? summary->access_is_fixed[access]
	                   : summary->access_is_fixed_early[access])
		return true;
	if (!address->is_known || address->is_random)
		return false;
	for (unsigned i = 0; i < address->term_count; i++) {
		uint32_t base = address->terms[i].base;
		const struct ir_loop *loop;

		if (base < AFFINE_LOOP)
			return false;
		loop = &summary->loops[base - AFFINE_LOOP];
		if (!(m->is_lockstep ? loop->is_unrolled : loop->is_unrolled_early))
			return false;
	}
	return true;
}

bool is_register(const struct machine *m, uint32_t access)
{
	uint32_t object = m->input->kernel->accesses[access].object;

	if (m->input->kernel->objects[object].space != SPACE_PRIVATE)
		return false;
	return m->is_lockstep ? !m->code.is_in_memory[object] : m->code.is_kept[access];
}

bool is_divider(enum op_class op)
{
	return op == OP_CLASS_DIV || op == OP_CLASS_MOD || op == OP_CLASS_WIDE_DIV ||
	       op == OP_CLASS_WIDE_MOD || op == OP_CLASS_SQRT || op == OP_CLASS_RSQRT ||
	       op == OP_CLASS_NATIVE_DIV || op == OP_CLASS_NATIVE_SQRT;
}

/* Whether a variable goes by a constant in each iteration. */
bool goes_by_constant(const struct ir_kernel *kernel, const struct ir_variable *variable)
{
	int64_t step;

	return kernel_constant(kernel, kernel_step(kernel, variable), &step);
}

bool loop_is_countable(const struct ir_kernel *kernel, const struct ir_loop *loop)
{
	return !loop->has_early_exit && loop->induction != IR_NONE &&
	       goes_by_constant(kernel, &kernel->variables[loop->induction]);
}
