/* SPDX-License-Identifier: Apache-2.0 */
/* Questions that several terms ask of kernel, evaluation, device and code. */
#include "model/machine/machine.h"

#include <math.h>

#include "model/device/levels.h"

const struct processor *processor_of(const struct device *device)
{
	return device_is_lockstep(device) ? &gpu_processor : &cpu_processor;
}

void machine_fill(struct machine *m)
{
	const struct device *device = m->input->device;
	const struct evaluation *e = evaluation_of(m);
	double groups = (double)e->groups;

	m->processor = processor_of(device);
	m->occupancy.items = (double)e->items;
	m->occupancy.warps = e->warps;
	m->occupancy.units = fmax(
	        1, floor(positive_value(device, COEFFICIENT_UNITS, fmax(1, device->compute_units)) +
	                 0.5));
	m->occupancy.busy = groups / m->occupancy.units / ceil(groups / m->occupancy.units);
	m->processor->fill_units(m);
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

double local_bytes_of(const struct machine *m)
{
	double bytes = (double)m->input->kernel->summary->local_bytes;

	for (uint32_t i = 0; i < m->input->launch->argument_count; i++)
		if (m->input->launch->arguments[i].kind == ARGUMENT_LOCAL)
			bytes += (double)m->input->launch->arguments[i].size_bytes;
	return bytes;
}

double items_of_unit(const struct machine *m)
{
	return m->occupancy.items / m->occupancy.units / fmax(m->occupancy.busy, 1e-9);
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

	if (m->processor->unrolls_early ? summary->access_is_fixed_early[access]
	                                : summary->access_is_fixed[access])
		return true;
	if (!address->is_known || address->is_random)
		return false;
	for (unsigned i = 0; i < address->term_count; i++) {
		uint32_t base = address->terms[i].base;

		if (base < AFFINE_LOOP || !loop_is_unrolled(m, &summary->loops[base - AFFINE_LOOP]))
			return false;
	}
	return true;
}

bool is_register(const struct machine *m, uint32_t access)
{
	return m->code.is_kept[access];
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
