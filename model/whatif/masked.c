/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vectors of results that leave a loop one by one: the loop goes on while one of them has not left,
 * and a mask keeps what the others left with (control to data dependence: Allen, Kennedy,
 * Porterfield, Warren, POPL 1983). Values that nobody asks for behind the loop need no mask. A
 * counter ends it for all: how often the last of several goes through a loop of no bound, nothing
 * tells.
 */
#include "model/whatif/masked.h"

#include "model/passes/passes.h"
#include "model/whatif/chosen.h"

enum { CONJUNCTS_MAX = 8 };

/* What all has to hold for a condition to do so; 0: too much. */
static unsigned conjuncts_of(const struct ir_kernel *kernel, uint32_t condition,
                             uint32_t conjuncts[CONJUNCTS_MAX])
{
	unsigned count = 1;

	conjuncts[0] = condition;
	for (unsigned i = 0; i < count;) {
		const struct ir_node *node = &kernel->nodes[conjuncts[i]];
		const uint32_t *operands = kernel_operands(kernel, conjuncts[i]);

		if (node->op != NODE_AND || !node_is_truth(&kernel->nodes[operands[0]]) ||
		    !node_is_truth(&kernel->nodes[operands[1]])) {
			i++;
			continue;
		}
		if (count == CONJUNCTS_MAX)
			return 0;
		conjuncts[i] = operands[0];
		conjuncts[count++] = operands[1];
	}
	return count;
}

/* The variable of the loop that a comparison holds against what all results have alike. */
static uint32_t counter_of(const struct several_state *s, const struct ir_statement *loop,
                           uint32_t comparison)
{
	const struct ir_node *node = &s->from->nodes[comparison];
	const uint32_t *operands = kernel_operands(s->from, comparison);

	if (node->op != NODE_LT && node->op != NODE_LE && node->op != NODE_NE)
		return IR_NONE;
	for (uint32_t v = 0; v < loop->variable_count; v++) {
		const struct ir_variable *variable = &s->from->variables[loop->first_variable + v];

		for (unsigned i = 0; i < 2; i++)
			if (operands[i] == variable->node && variable_counts(s, variable) &&
			    !s->varies[variable->init] &&
			    !s->varies[kernel_step(s->from, variable)] &&
			    !s->varies[operands[1 - i]])
				return loop->first_variable + v;
	}
	return IR_NONE;
}

struct masked masked_of(const struct several_state *s, uint32_t loop)
{
	struct masked masked = {IR_NONE, IR_NONE, IR_NONE, IR_NONE, IR_NONE};
	const struct ir_statement *of = &s->from->statements[loop];
	uint32_t conjuncts[CONJUNCTS_MAX];
	unsigned count = conjuncts_of(s->from, of->condition, conjuncts);

	for (unsigned i = 0; i < count && masked.counter == IR_NONE; i++) {
		masked.counter = counter_of(s, of, conjuncts[i]);
		masked.bound = conjuncts[i];
	}
	return masked;
}

bool masked_leaves(const struct several_state *s, uint32_t loop)
{
	const struct ir_statement *of = &s->from->statements[loop];
	uint32_t leave;

	if (s->how->way != SEVERAL_WIDTH || !s->how->is_masked || of->kind != STATEMENT_LOOP ||
	    of->tests_last || of->condition == IR_NONE)
		return false;
	leave = loop_break(s->from, loop);
	if (leave == IR_NONE && s->from->blocks[of->body].first != IR_NONE)
		return false;
	return (s->varies[of->condition] ||
	        (leave != IR_NONE && s->varies[s->from->statements[leave].condition])) &&
	       masked_of(s, loop).counter != IR_NONE;
}

bool masked_leaves_out(const struct several_state *s, uint32_t statement)
{
	uint32_t owner = s->from->blocks[s->from->statements[statement].block].owner;

	return owner != IR_NONE && masked_leaves(s, owner) &&
	       loop_break(s->from, owner) == statement;
}

static struct type type_of_mask(const struct several_state *s)
{
	struct type type = type_scalar(SCALAR_INT);

	type.width = (uint8_t)s->how->count;
	return type;
}

void masked_begin(struct several_state *s, uint32_t loop, struct masked *masked,
                  masked_value *wide_of)
{
	uint32_t conjuncts[CONJUNCTS_MAX], leave = loop_break(s->from, loop), holds;
	unsigned count = conjuncts_of(s->from, s->from->statements[loop].condition, conjuncts);

	masked->now = masked->mask;
	for (unsigned i = 0; i < count && !s->is_broken; i++) {
		if (conjuncts[i] == masked->bound)
			continue;
		holds = wide_of(s, conjuncts[i]);
		if (!s->is_broken)
			masked->now =
			        kernel_binary(s->to, NODE_AND, type_of_mask(s), masked->now, holds);
	}
	if (leave == IR_NONE || s->is_broken)
		return;
	holds = wide_of(s, s->from->statements[leave].condition);
	if (!s->is_broken)
		masked->now = kernel_binary(s->to, NODE_AND, type_of_mask(s), masked->now,
		                            kernel_unary(s->to, NODE_LNOT, type_of_mask(s), holds));
}

uint32_t masked_next(struct several_state *s, uint32_t loop, const struct masked *masked,
                     const struct ir_variable *variable, uint32_t next, masked_value *only)
{
	struct type type = s->from->nodes[variable->node].type;
	uint32_t operands[3] = {masked->now, next, s->made[variable->node]}, step;

	if (s->is_broken || !loop_is_asked(s->from, loop, variable->node))
		return next;
	type.width = (uint8_t)s->how->count;
	if (!variable_counts(s, variable) || type.scalar != SCALAR_INT)
		return kernel_node(s->to, NODE_SELECT, type, operands, 3, 0, 0);
	/* a mask is all bits of a step */
	step = only(s, kernel_step(s->from, variable));
	return s->is_broken
	               ? next
	               : kernel_binary(s->to, (enum node_op)s->from->nodes[variable->next].op, type,
	                               s->made[variable->node],
	                               kernel_binary(s->to, NODE_AND, type, masked->now,
	                                             kernel_unary(s->to, NODE_SPLAT, type, step)));
}

uint32_t masked_count(struct several_state *s, const struct masked *masked, masked_value *only)
{
	const struct ir_variable *variable = &s->from->variables[masked->counter];
	uint32_t step = only(s, kernel_step(s->from, variable));

	return s->is_broken
	               ? IR_NONE
	               : kernel_binary(s->to, (enum node_op)s->from->nodes[variable->next].op,
	                               s->from->nodes[variable->node].type, masked->count, step);
}

uint32_t masked_goes_on(struct several_state *s, const struct masked *masked, masked_value *only)
{
	struct type truth = type_scalar(SCALAR_INT);
	uint32_t mask = masked->mask, any, operands[2];
	const uint32_t *compared;

	any = kernel_binary(s->to, NODE_NE, truth,
	                    kernel_node(s->to, NODE_CALL, truth, &mask, 1, BUILTIN_ANY, 0),
	                    kernel_integer(s->to, truth, 0));
	compared = kernel_operands(s->from, masked->bound);
	for (unsigned i = 0; i < 2; i++)
		operands[i] = compared[i] == s->from->variables[masked->counter].node
		                      ? masked->count
		                      : only(s, compared[i]);
	return s->is_broken
	               ? IR_NONE
	               : kernel_binary(s->to, NODE_AND, truth,
	                               kernel_binary(s->to,
	                                             (enum node_op)s->from->nodes[masked->bound].op,
	                                             truth, operands[0], operands[1]),
	                               any);
}
