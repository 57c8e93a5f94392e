/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strip-mining by vectors of the language: an iteration loads 2 or 4 elements beside each other at
 * once and adds them to as many sums. Where a group's work-items share the loop, each takes its
 * elements beside those of its neighbour, so that a warp's access is as wide as can be.
 */
#include "model/whatif/strip.h"

#include "model/passes/passes.h"
#include "model/whatif/chosen.h"

enum { TERMS_DEPTH_MAX = 4 };

/* The counter that bounds the loop; NULL: none does, or it goes on otherwise than while below. */
static const struct ir_variable *counter_of(const struct several_state *s)
{
	const struct ir_statement *loop = &s->from->statements[s->how->loop];
	const struct ir_node *node;
	const uint32_t *operands;

	if (loop->condition == IR_NONE)
		return NULL;
	node = &s->from->nodes[loop->condition];
	operands = kernel_operands(s->from, loop->condition);
	if ((node->op != NODE_LT && node->op != NODE_LE) || s->varies[operands[1]])
		return NULL;
	for (uint32_t v = 0; v < loop->variable_count; v++) {
		const struct ir_variable *variable = &s->from->variables[loop->first_variable + v];

		if (variable->node == kernel_unconverted(s->from, operands[0]))
			return variable_counts(s, variable) ? variable : NULL;
	}
	return NULL;
}

static bool is_step(const struct several_state *s, uint32_t step, enum node_op size, uint64_t items)
{
	const struct ir_node *node = &s->from->nodes[kernel_unconverted(s->from, step)];
	int64_t value;

	return (node->op == (uint8_t)size && node->aux == 0) ||
	       (value_of(s, step, &value) && value > 1 && (uint64_t)value == items);
}

/* The id that a counter's steps are for, among the terms of a sum; IR_NONE: none. */
static uint32_t lane_within(const struct several_state *s, uint32_t sum, uint32_t step,
                            unsigned depth)
{
	const struct ir_node *node;
	uint32_t lane = IR_NONE;

	sum = kernel_id_under(s->from, sum);
	node = &s->from->nodes[sum];
	if (node->aux == 0 && ((node->op == NODE_LOCAL_ID &&
	                        is_step(s, step, NODE_LOCAL_SIZE, s->launch->local[0])) ||
	                       (node->op == NODE_GLOBAL_ID &&
	                        is_step(s, step, NODE_GLOBAL_SIZE, s->launch->global[0]))))
		return sum;
	if ((node->op != NODE_ADD && node->op != NODE_SUB) || depth == TERMS_DEPTH_MAX)
		return IR_NONE;
	for (unsigned i = 0; i < (node->op == NODE_ADD ? 2 : 1) && lane == IR_NONE; i++)
		lane = lane_within(s, kernel_operands(s->from, sum)[i], step, depth + 1);
	return lane;
}

/* The id that the counter begins with, or begins at a distance of; IR_NONE: none. */
static uint32_t lane_of(const struct several_state *s, const struct ir_variable *counter)
{
	return lane_within(s, counter->init, variable_growth(s->from, counter), 0);
}

bool strip_is_shared(const struct several_state *s)
{
	const struct ir_variable *counter = counter_of(s);

	return counter && lane_of(s, counter) != IR_NONE;
}

/* Whether a counter goes by an element, or by those of all who share the loop. */
static bool is_by_elements(const struct several_state *s, const struct ir_variable *counter,
                           bool is_shared)
{
	int64_t step;

	if (is_shared)
		return lane_of(s, counter) != IR_NONE;
	return value_of(s, variable_growth(s->from, counter), &step) && step == 1;
}

bool strip_fits(const struct several_state *s)
{
	const struct ir_statement *loop = &s->from->statements[s->how->loop];

	if (!counter_of(s))
		return false;
	/* what walks beside the counter, such as a pointer, goes as it does */
	for (uint32_t v = 0; v < loop->variable_count; v++) {
		const struct ir_variable *variable = &s->from->variables[loop->first_variable + v];

		if (variable_counts(s, variable) &&
		    (!is_by_elements(s, variable, strip_is_shared(s)) ||
		     loop_is_asked(s->from, s->how->loop, variable->node)))
			return false;
	}
	for (uint32_t id = s->from->blocks[loop->body].first; id != IR_NONE;
	     id = s->from->statements[id].following)
		if (s->from->statements[id].kind != STATEMENT_ACCESS)
			return false;
	return true;
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
