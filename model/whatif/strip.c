/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strip-mining by vectors of the language: an iteration loads 2 or 4 elements beside each other at
 * once and adds them to as many sums. Where a group's work-items share the loop, each takes its
 * elements beside those of its neighbour, so that a warp's access is as wide as can be.
 */
#include "model/whatif/strip.h"

#include "model/passes/passes.h"
#include "model/whatif/chosen.h"

/* The loop's counter; NULL: there are several, or none. */
static const struct ir_variable *counter_of(const struct several_state *s)
{
	const struct ir_statement *loop = &s->from->statements[s->how->loop];
	const struct ir_variable *counter = NULL;

	for (uint32_t v = 0; v < loop->variable_count; v++) {
		const struct ir_variable *variable = &s->from->variables[loop->first_variable + v];

		if (!variable_counts(s, variable))
			continue;
		if (counter)
			return NULL;
		counter = variable;
	}
	return counter;
}

static bool is_step(const struct several_state *s, uint32_t step, enum node_op size, uint64_t items)
{
	const struct ir_node *node = &s->from->nodes[kernel_unconverted(s->from, step)];
	int64_t value;

	return (node->op == (uint8_t)size && node->aux == 0) ||
	       (value_of(s, step, &value) && value > 1 && (uint64_t)value == items);
}

/* The id that the counter begins with, or begins at a distance of; IR_NONE: none. */
static uint32_t lane_of(const struct several_state *s, const struct ir_variable *counter)
{
	uint32_t init = kernel_unconverted(s->from, counter->init),
	         step = variable_growth(s->from, counter);
	uint32_t ids[2] = {init, init};

	if (s->from->nodes[init].op == NODE_ADD || s->from->nodes[init].op == NODE_SUB)
		for (unsigned i = 0; i < (s->from->nodes[init].op == NODE_ADD ? 2 : 1); i++)
			ids[i] = kernel_unconverted(s->from, kernel_operands(s->from, init)[i]);
	for (unsigned i = 0; i < 2; i++) {
		const struct ir_node *node = &s->from->nodes[ids[i]];

		if (node->aux == 0 && ((node->op == NODE_LOCAL_ID &&
		                        is_step(s, step, NODE_LOCAL_SIZE, s->launch->local[0])) ||
		                       (node->op == NODE_GLOBAL_ID &&
		                        is_step(s, step, NODE_GLOBAL_SIZE, s->launch->global[0]))))
			return ids[i];
	}
	return IR_NONE;
}

bool strip_is_shared(const struct several_state *s)
{
	const struct ir_variable *counter = counter_of(s);

	return counter && lane_of(s, counter) != IR_NONE;
}

/* Whether the loop goes on while its counter is below a bound. */
static bool is_bounded(const struct several_state *s, const struct ir_variable *counter)
{
	uint32_t condition = s->from->statements[s->how->loop].condition;
	const struct ir_node *node = condition == IR_NONE ? NULL : &s->from->nodes[condition];

	return node && (node->op == NODE_LT || node->op == NODE_LE) &&
	       kernel_unconverted(s->from, kernel_operands(s->from, condition)[0]) ==
	               counter->node &&
	       !s->varies[kernel_operands(s->from, condition)[1]];
}

bool strip_fits(const struct several_state *s)
{
	const struct ir_variable *counter = counter_of(s);
	uint32_t body = s->from->statements[s->how->loop].body;
	int64_t step;

	if (!counter || !is_bounded(s, counter) ||
	    loop_is_asked(s->from, s->how->loop, counter->node))
		return false;
	for (uint32_t id = s->from->blocks[body].first; id != IR_NONE;
	     id = s->from->statements[id].following)
		if (s->from->statements[id].kind != STATEMENT_ACCESS)
			return false;
	return lane_of(s, counter) != IR_NONE ||
	       (value_of(s, variable_growth(s->from, counter), &step) && step == 1);
}

uint32_t strip_init(struct several_state *s, const struct ir_variable *variable, uint32_t init)
{
	struct type type = s->from->nodes[variable->node].type;
	uint32_t lane;

	if (!variable_counts(s, variable))
		return init;
	lane = lane_of(s, variable);
	if (lane == IR_NONE)
		return init;
	lane = kernel_node(s->to, (enum node_op)s->from->nodes[lane].op, s->from->nodes[lane].type,
	                   NULL, 0, 0, 0);
	return kernel_binary(s->to, NODE_ADD, type, init,
	                     kernel_binary(s->to, NODE_MUL, type,
	                                   kernel_unary(s->to, NODE_CONVERT, type, lane),
	                                   kernel_integer(s->to, type, s->how->count - 1)));
}

uint32_t strip_sum(struct several_state *s, const struct ir_variable *variable)
{
	struct type type = s->from->nodes[variable->node].type;
	uint32_t all = s->made[variable->node],
	         sum = kernel_node(s->to, NODE_SWIZZLE, type, &all, 1, 0, 0);

	for (unsigned i = 1; i < s->how->count; i++)
		sum = kernel_binary(s->to, NODE_ADD, type, sum,
		                    kernel_node(s->to, NODE_SWIZZLE, type, &all, 1, 0, i));
	return sum;
}
