/* SPDX-License-Identifier: Apache-2.0 */
/* How a loop's variables go on: by an invariant step, or as far as data let them in the mean. */
#include "model/evaluate/number.h"
#include "model/evaluate/schedule.h"

enum { ADVANCE_DEPTH_MAX = 8 };

int variable_step(const struct schedule *schedule, const struct ir_variable *variable,
                  uint32_t *step)
{
	const struct ir_kernel *kernel = schedule->kernel;
	uint32_t list = schedule->list[variable->node], sum;
	const struct ir_node *next;
	const uint32_t *operands;
	bool is_wide;

	*step = IR_NONE;
	if (variable->next == IR_NONE || variable->next == variable->node)
		return 1;
	/* i += get_global_size(0) of an int is added as size_t, and cut to an int again */
	sum = kernel_unconverted(kernel, variable->next);
	next = &kernel->nodes[sum];
	is_wide = sum != variable->next &&
	          type_bytes(next->type) >= type_bytes(kernel->nodes[variable->node].type);
	if (!is_wide)
		next = &kernel->nodes[sum = variable->next];
	operands = kernel_operands(kernel, sum);
	if (next->op == NODE_ADD &&
	    (is_wide ? kernel_unconverted(kernel, operands[1]) : operands[1]) == variable->node)
		*step = operands[0];
	else if ((next->op == NODE_ADD || next->op == NODE_SUB) &&
	         (is_wide ? kernel_unconverted(kernel, operands[0]) : operands[0]) ==
	                 variable->node)
		*step = operands[1];
	else
		return 0;
	if (schedule->list[*step] >= list)
		return 0;
	return next->op == NODE_ADD ? 1 : -1;
}

/* A constant, or the mean of what a choice is between. */
static bool mean_constant(const struct schedule *schedule, uint32_t node, unsigned depth,
                          double *mean)
{
	const struct ir_kernel *kernel = schedule->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	double other;
	int64_t value;

	if (kernel_constant(kernel, node, &value)) {
		*mean = (double)number_wrap((struct type){.scalar = SCALAR_INT, .width = 1}, value);
		return true;
	}
	if ((n->op != NODE_PHI && n->op != NODE_SELECT) || depth >= ADVANCE_DEPTH_MAX ||
	    !question_looks(schedule->question) ||
	    !mean_constant(schedule, kernel_operands(kernel, node)[1], depth + 1, mean) ||
	    !mean_constant(schedule, kernel_operands(kernel, node)[2], depth + 1, &other))
		return false;
	*mean = (*mean + other) / 2;
	return true;
}

/*
 * What a node is more than `base`, where both ways of each choice are as frequent and a loop
 * within goes no round; false: that does not follow.
 */
static bool advance_over(const struct schedule *schedule, uint32_t base, uint32_t node,
                         unsigned depth, double *advance)
{
	const struct ir_kernel *kernel = schedule->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	const uint32_t *operands = kernel_operands(kernel, node);
	double other;

	*advance = 0;
	if (node == base)
		return true;
	if (depth >= ADVANCE_DEPTH_MAX || !type_is_integer(n->type) || n->type.width != 1 ||
	    !question_looks(schedule->question))
		return false;
	switch (n->op) {
	case NODE_ADD:
		for (unsigned i = 0; i < 2; i++)
			if (mean_constant(schedule, operands[i], depth, &other) && other >= 0 &&
			    advance_over(schedule, base, operands[1 - i], depth + 1, advance)) {
				*advance += other;
				return true;
			}
		return false;
	case NODE_PHI:
	case NODE_SELECT:
		if (!advance_over(schedule, base, operands[1], depth + 1, advance) ||
		    !advance_over(schedule, base, operands[2], depth + 1, &other))
			return false;
		*advance = (*advance + other) / 2;
		return true;
	case NODE_CONVERT:
		return advance_over(schedule, base, operands[0], depth + 1, advance);
	case NODE_LOOP_VAR: {
		const struct ir_variable *v = kernel_variable(kernel, node);

		return v->next != IR_NONE &&
		       advance_over(schedule, node, v->next, depth + 1, &other) &&
		       advance_over(schedule, base, v->init, depth + 1, advance);
	}
	default:
		return false;
	}
}

double variable_advance(const struct schedule *schedule, const struct ir_variable *variable)
{
	double advance;

	return variable->next != IR_NONE &&
	                       advance_over(schedule, variable->node, variable->next, 0, &advance)
	               ? advance
	               : 0;
}
