/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic of a CPU: scalars, or vectors of work-items or of their own, in units for integers and
 * reals beside each other.
 */
#include <math.h>

#include "model/codegen/codegen.h"
#include "model/time/cpu/cpu.h"

static enum pipe pipe_of(enum op_mode mode, enum type_class type, enum op_class op)
{
	bool is_whole = type == TYPE_CLASS_INT || type == TYPE_CLASS_LONG;

	if (is_whole && (op == OP_CLASS_DIV || op == OP_CLASS_MOD || op == OP_CLASS_WIDE_DIV ||
	                 op == OP_CLASS_WIDE_MOD))
		return PIPE_QUOTIENT;
	if (op == OP_CLASS_DIV || op == OP_CLASS_SQRT || op == OP_CLASS_RSQRT ||
	    op == OP_CLASS_NATIVE_DIV || op == OP_CLASS_NATIVE_SQRT)
		return PIPE_DIVIDER;
	if (mode == OP_MODE_SCALAR && is_whole)
		return PIPE_INTEGER;
	return PIPE_REAL;
}

/* Operations of a block, less those that are not done for each work-item. */
static double operations_of(const struct machine *m, uint32_t block, enum op_class op,
                            enum type_class type)
{
	double n = (double)m->input->kernel->summary->rolled[block].operation[op][type];

	if (!(n > 0))
		return 0;
	if (m->code.shared != NULL)
		n -= (double)m->code.shared[block].operation[op][type];
	if (type == TYPE_CLASS_LONG && (op == OP_CLASS_DIV || op == OP_CLASS_MOD))
		n -= evaluation_of(m)->blocks[block].bypassed[op == OP_CLASS_MOD];
	return fmax(n, 0);
}

/*
 * Instructions per operation of a type where a work-item's own vectors are vectors of the CPU: of
 * calls, or of what else there is.
 */
static double packing_of(const struct ir_counts *counts, enum type_class type, bool is_call)
{
	double operations = 0;
	double instructions = is_call ? (double)counts->call[type]
	                              : (double)(counts->instruction[type] - counts->call[type]);

	for (unsigned op = 0; op < OP_CLASS_COUNT; op++)
		if (op_class_is_call((enum op_class)op) == is_call)
			operations += (double)counts->operation[op][type];
	return operations > 0 ? fmin(1, instructions / operations) : 1;
}

/*
 * What an operation takes without vectors. A minimum of integers is a comparison and a select:
 * where a calibration's wait for each other LLVM makes branches of them (codegen/pocl/selects.c),
 * which were guessed right.
 */
static double scalar_time(const struct device *device, enum type_class type, enum op_class op)
{
	double op_s = device_op_time_s(device, OP_MODE_SCALAR, type, op);

	if (op == OP_CLASS_MINMAX && (type == TYPE_CLASS_INT || type == TYPE_CLASS_LONG))
		op_s = fmax(op_s, 2 * device_op_time_s(device, OP_MODE_SCALAR, type, OP_CLASS_ADD));
	return op_s;
}

/*
 * What a core has one unit for, beside those that add: a product of integers, as long as it takes
 * there, keeps those busy for no longer than an addition.
 */
static bool has_own_unit(enum op_class op)
{
	return op == OP_CLASS_MUL || op == OP_CLASS_FMA || op == OP_CLASS_MUL_HI ||
	       op == OP_CLASS_POPCOUNT || op == OP_CLASS_CLZ;
}

/* Additions of reals go beside their products, or some of them, where a core has units for each. */
static void add_abreast(const struct terms *t, uint32_t block, enum op_mode mode, enum op_class op,
                        double time_s, double pipe[PIPE_TERMS])
{
	const struct machine *m = t->machine;
	unsigned share =
	        mode == OP_MODE_SCALAR ? COEFFICIENT_BESIDE_SCALAR : COEFFICIENT_BESIDE_VECTOR;
	enum pipe abreast = op == OP_CLASS_ADD ? ABREAST_SUMS : ABREAST_PRODUCTS;

	if (op != OP_CLASS_ADD && op != OP_CLASS_MUL && op != OP_CLASS_FMA)
		return;
	time_s *= device_value(m->input->device, share, 0);
	pipe[abreast] += time_s;
	region_works(t, block, abreast, on_units(m, time_s));
}

/* Adds n operations of a block that take a core op_s each where nothing else goes on. */
static void add_to_core(const struct terms *t, uint32_t block, enum op_mode mode,
                        enum type_class type, enum op_class op, double n, double op_s,
                        double pipe[PIPE_TERMS])
{
	const struct machine *m = t->machine;
	enum pipe own = pipe_of(mode, type, op);
	double add_s;

	if (own == PIPE_INTEGER && has_own_unit(op)) {
		add_s = device_op_time_s(m->input->device, OP_MODE_SCALAR, type, OP_CLASS_ADD);
		pipe[PIPE_PRODUCT] += n * op_s;
		region_works(t, block, PIPE_PRODUCT, on_units(m, n * op_s));
		op_s = fmin(op_s, add_s);
	}
	pipe[own] += n * op_s;
	region_works(t, block, own, on_units(m, n * op_s));
	if (type >= TYPE_CLASS_HALF)
		add_abreast(t, block, mode, op, n * op_s, pipe);
}

/* Iterations that a pragma has the compiler put together; elsewhere each is one. */
static double unrolled_by(const struct ir_statement *loop)
{
	return loop->unroll > 1 && loop->unroll < UINT16_MAX ? loop->unroll : 1;
}

/* What branches of the source choose, and a core selects without vectors. */
static void add_choices(const struct terms *t, struct arithmetic *a)
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;

	for (uint32_t id = 0; id < kernel->node_count; id++) {
		uint32_t block = kernel->summary->node_block[id];
		enum type_class type = type_class_of(kernel->nodes[id].type);
		double items, select_s;

		if (block >= kernel->block_count || type >= TYPE_CLASS_COUNT ||
		    block_mode(m, block) != OP_MODE_SCALAR || !is_chosen(m, id))
			continue;
		items = block_items(m, block) * (1 - m->code.lanes[block].share);
		select_s = items * scalar_time(m->input->device, type, OP_CLASS_SELECT);
		a->count[OP_CLASS_SELECT][type] += items;
		a->time_s[OP_CLASS_SELECT][type] += select_s;
		add_to_core(t, block, OP_MODE_SCALAR, type, OP_CLASS_SELECT, 1, select_s, a->pipe);
	}
}

/* What an operation of a block takes, `packing` of it an instruction. */
static double operation_time(const struct machine *m, uint32_t block, enum op_mode mode,
                             enum type_class type, enum op_class op, double packing)
{
	const struct device *device = m->input->device;
	double vector_s = device_op_time_s(device, OP_MODE_VECTOR, type, op);

	if (mode == OP_MODE_SCALAR)
		return in_lanes(m, block, scalar_time(device, type, op) * packing, vector_s);
	if (m->code.one_by_one > 0)
		return in_vectors(m, vector_s, device_op_time_s(device, OP_MODE_SCALAR, type, op));
	return vector_s;
}

void add_core_operations(const struct terms *t, uint32_t block, enum op_class op,
                         enum type_class type, struct arithmetic *a)
{
	const struct machine *m = t->machine;
	const struct ir_counts *counts = &m->input->kernel->summary->rolled[block];
	double n = operations_of(m, block, op, type), op_s;
	enum op_mode mode;

	if (!(n > 0))
		return;
	n *= block_items(m, block);
	if (!(n > 0))
		return;
	mode = block_mode(m, block);
	op_s = operation_time(m, block, mode, type, op,
	                      packing_of(counts, type, op_class_is_call(op))) *
	       n;
	a->count[op][type] += n;
	a->time_s[op][type] += op_s;
	add_to_core(t, block, mode, type, op, n, op_s / n, a->pipe);
}

/* Turns of a loop, over all work-items. */
static double turns_of(const struct machine *m, uint32_t loop, uint32_t body)
{
	if (is_outer_loop(m, loop) && block_mode(m, body) == OP_MODE_VECTOR)
		return block_items(m, body) * in_vectors(m, 1.0 / (double)VECTOR_ITEMS, 1);
	return block_items(m, body) * (1 - m->code.lanes[body].share) /
	       unrolled_by(&m->input->kernel->statements[loop]) /
	       (m->code.is_straight ? fmax(1, (double)evaluation_of(m)->group_items) : 1);
}

/* The same of a loop that is not unrolled early; 0 of another. */
static double turns_of_loop(const struct machine *m, const struct ir_loop *loop)
{
	uint32_t body = m->input->kernel->statements[loop->statement].body;

	return loop->is_unrolled_early || body == IR_NONE ? 0 : turns_of(m, loop->statement, body);
}

void add_core_turns(const struct terms *t, const struct ir_loop *loop, struct arithmetic *a)
{
	a->pipe[PIPE_INTEGER] +=
	        turns_of_loop(t->machine, loop) *
	        device_value(t->machine->input->device, COEFFICIENT_LOOP_ITERATION, 0);
}

enum status add_core_arithmetic(struct terms *t, struct error *error)
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;
	struct arithmetic a = {0};
	double turn_s = device_value(m->input->device, COEFFICIENT_LOOP_ITERATION, 0), moves_each;
	enum status status = packing_time(m, &moves_each, &a.pipe[PIPE_REAL], error);

	if (status != STATUS_OK)
		return status;
	if (moves_each > 0)
		row_add(t->prediction, moves_each, on_units(m, a.pipe[PIPE_REAL]),
		        "moves of a vector's parts");
	for (uint32_t block = 0; block < kernel->block_count; block++)
		for (unsigned op = 0; op < OP_CLASS_COUNT; op++)
			for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++)
				add_core_operations(t, block, (enum op_class)op,
				                    (enum type_class)type, &a);
	add_choices(t, &a);
	add_operation_rows(t, &a);
	for (uint32_t i = 0; i < kernel->summary->loop_count; i++) {
		const struct ir_loop *loop = &kernel->summary->loops[i];
		uint32_t body = kernel->statements[loop->statement].body;
		double turns = turns_of_loop(m, loop);

		a.iterations += turns;
		if (turns > 0)
			region_works(t, body, PIPE_INTEGER, on_units(m, turns * turn_s));
	}
	add_pipes(t, &a);
	return STATUS_OK;
}
