/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which arguments a compiler had better know: divisors, which become shifts or products, and bounds
 * of short loops, which it then unrolls.
 */
#include "model/passes/passes.h"
#include "model/whatif/list.h"

/* The argument that an integer is, whatever it was converted to; IR_NONE: none. */
static uint32_t argument_of(const struct ir_kernel *kernel, uint32_t node)
{
	while (kernel->nodes[node].op == NODE_CONVERT && type_is_integer(kernel->nodes[node].type))
		node = kernel_operands(kernel, node)[0];
	return kernel->nodes[node].op == NODE_ARG && kernel->nodes[node].type.width == 1 &&
	                       type_is_integer(kernel->nodes[node].type)
	               ? kernel->nodes[node].aux
	               : IR_NONE;
}

static void list_divisors(const struct list *l)
{
	for (uint32_t i = 0; i < l->kernel->node_count; i++) {
		const struct ir_node *node = &l->kernel->nodes[i];
		uint32_t argument;

		if ((node->op != NODE_DIV && node->op != NODE_REM) ||
		    l->kernel->summary->node_block[i] == IR_NONE || !type_is_integer(node->type) ||
		    node->type.width != 1)
			continue;
		argument = argument_of(l->kernel, kernel_operands(l->kernel, i)[1]);
		if (argument >= l->launch->argument_count)
			continue;
		int64_t value = l->launch->arguments[argument].value.integer[0];
		/* where it is a power of two, its logarithm will do as an argument */
		if (value > 0)
			list_add(l, (struct what_if){
			                    .kind = WHAT_IF_CONSTANT_ARG,
			                    .is_sure = (value & (value - 1)) == 0,
			                    .place = argument,
			                    .line = node->place.file == 0 ? node->place.line : 0,
			                    .detail = (double)value});
	}
}

/* The argument that a loop's condition asks for beside its counter; IR_NONE: none. */
static uint32_t bound_of(const struct ir_kernel *kernel, const struct ir_loop *loop)
{
	uint32_t condition = kernel->statements[loop->statement].condition;

	if (loop->trip != TRIP_LAUNCH || loop->induction == IR_NONE || loop->is_closed ||
	    loop->has_early_exit || condition == IR_NONE)
		return IR_NONE;
	for (unsigned i = 0; i < kernel->nodes[condition].operand_count; i++) {
		uint32_t argument = argument_of(kernel, kernel_operands(kernel, condition)[i]);

		if (argument != IR_NONE)
			return argument;
	}
	return IR_NONE;
}

static void list_bounds(const struct list *l)
{
	const double most_trips = 32, least_trips = 2;

	for (uint32_t i = 0; i < l->kernel->summary->loop_count; i++) {
		const struct ir_loop *loop = &l->kernel->summary->loops[i];
		const struct ir_statement *s = &l->kernel->statements[loop->statement];
		uint32_t argument = bound_of(l->kernel, loop);
		double trips = l->evaluation->loops[i].trips;

		if (argument < l->launch->argument_count && s->unroll < 2 && trips >= least_trips &&
		    trips <= most_trips)
			list_add(l,
			         (struct what_if){.kind = WHAT_IF_CONSTANT_ARG,
			                          .is_sure = true,
			                          .place = argument | WHAT_IF_BOUND,
			                          .line = s->line,
			                          .detail = (double)l->launch->arguments[argument]
			                                            .value.integer[0]});
	}
}

void list_macros(const struct list *l)
{
	list_divisors(l);
	list_bounds(l);
}
