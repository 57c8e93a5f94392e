/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops whose trips follow from counters of loops around them: for (k = 0; k < i; k++) within
 * for (i = 0; i < 8; i++). Once those around are unrolled they have constant trips in each copy.
 */
#include <math.h>

#include "model/ir/fold.h"
#include "model/passes/pass.h"

enum {
	NEST_LOOPS = 4,         /* a loop and those around that it depends on */
	NEST_STEPS = 1 << 12,   /* iterations of all of them together */
	NEST_LOOKS = 64,        /* nodes between a loop and the counters around it */
	NEST_EXPRESSION_MAX = 8 /* nodes above each other */
};

struct nest {
	const struct pass *pass;
	uint32_t *budget;           /* values that may still be computed, of all loops */
	uint32_t loops[NEST_LOOPS]; /* statements; outer ones first */
	uint64_t counter[NEST_LOOPS];
	unsigned count, looks, steps;
	uint64_t entries, trips; /* of the innermost */
};

static const struct ir_variable *counter_of(const struct nest *nest, uint32_t loop)
{
	const struct pass *pass = nest->pass;
	uint32_t induction = pass->summary->loops[pass->loop_index[loop]].induction;

	return induction == IR_NONE ? NULL : &pass->kernel->variables[induction];
}

static bool add_loop(struct nest *nest, uint32_t loop);

/* Adds the loops whose counters a node follows from; false where it follows from anything else. */
static bool add_counters(struct nest *nest, uint32_t node, unsigned depth)
{
	const struct ir_node *n = &nest->pass->kernel->nodes[node];

	if (n->op == NODE_CONST_INT)
		return true;
	if (++nest->looks > NEST_LOOKS || depth == 0 || !type_is_integer(n->type) ||
	    n->type.width != 1)
		return false;
	if (n->op == NODE_LOOP_VAR) {
		const struct ir_variable *counter = counter_of(nest, n->aux);

		return counter && counter->node == node && add_loop(nest, n->aux);
	}
	if (n->op < NODE_ADD || n->op > NODE_MUL_HI || n->op == NODE_BITCAST ||
	    n->operand_count == 0 || n->operand_count > 2)
		return false;
	for (unsigned i = 0; i < n->operand_count; i++)
		if (!add_counters(nest, pass_operand(nest->pass, node, i), depth - 1))
			return false;
	return true;
}

/* In its place among those around it. */
static bool add_loop(struct nest *nest, uint32_t loop)
{
	const struct pass *pass = nest->pass;
	const struct ir_statement *s = &pass->kernel->statements[loop];
	const struct ir_variable *counter = counter_of(nest, loop);
	const struct ir_loop *known = &pass->summary->loops[pass->loop_index[loop]];
	unsigned at = 0;

	for (unsigned i = 0; i < nest->count; i++) {
		if (nest->loops[i] == loop)
			return true;
		if (pass_contains(pass, pass->kernel->statements[nest->loops[i]].body, s->body))
			at = i + 1;
		else if (!pass_contains(pass, s->body,
		                        pass->kernel->statements[nest->loops[i]].body))
			return false; /* beside it: what is left of its counter */
	}
	if (nest->count == NEST_LOOPS || !counter || s->condition == IR_NONE || s->tests_last ||
	    known->has_early_exit || !pass->is_induction[counter->node])
		return false;
	for (unsigned i = nest->count++; i > at; i--)
		nest->loops[i] = nest->loops[i - 1];
	nest->loops[at] = loop;
	return add_counters(nest, s->condition, NEST_EXPRESSION_MAX) &&
	       add_counters(nest, counter->init, NEST_EXPRESSION_MAX) &&
	       add_counters(nest, counter->next, NEST_EXPRESSION_MAX);
}

/* What a node is at the counters as they are. */
static bool value_of(const struct nest *nest, uint32_t node, uint64_t *value)
{
	const struct pass *pass = nest->pass;
	const struct ir_node *n = &pass->kernel->nodes[node];
	uint64_t operands[2] = {0};

	if (*nest->budget == 0)
		return false;
	--*nest->budget;
	if (n->op == NODE_CONST_INT) {
		*value = n->imm;
		return true;
	}
	for (unsigned i = 0; n->op == NODE_LOOP_VAR && i < nest->count; i++)
		if (nest->loops[i] == n->aux) {
			*value = nest->counter[i];
			return true;
		}
	if (n->op == NODE_LOOP_VAR)
		return false;
	for (unsigned i = 0; i < n->operand_count; i++)
		if (!value_of(nest, pass_operand(pass, node, i), &operands[i]))
			return false;
	return fold_integer((enum node_op)n->op, n->type,
	                    pass->kernel->nodes[pass_operand(pass, node, 0)].type, operands[0],
	                    operands[1], value);
}

/* Goes through the loop at a level, and those within it. */
static bool go_through(struct nest *nest, unsigned level)
{
	const struct ir_variable *counter = counter_of(nest, nest->loops[level]);
	uint32_t condition = nest->pass->kernel->statements[nest->loops[level]].condition;
	bool is_last = level + 1 == nest->count;
	uint64_t holds;

	if (!value_of(nest, counter->init, &nest->counter[level]))
		return false;
	nest->entries += is_last;
	while (value_of(nest, condition, &holds)) {
		if (holds == 0)
			return true;
		nest->trips += is_last;
		if (++nest->steps > NEST_STEPS || (!is_last && !go_through(nest, level + 1)) ||
		    !value_of(nest, counter->next, &nest->counter[level]))
			return false;
	}
	return false;
}

bool pass_nested_trips(const struct pass *pass, uint32_t loop, uint32_t *budget, double *trips)
{
	struct nest nest = {.pass = pass, .budget = budget};

	if (!add_loop(&nest, loop) || nest.count < 2 || nest.loops[nest.count - 1] != loop ||
	    !go_through(&nest, 0) || nest.entries == 0)
		return false;
	*trips = (double)nest.trips / (double)nest.entries;
	return true;
}

bool pass_nest_is_unrolled(const struct pass *pass, uint32_t loop)
{
	struct nest nest = {.pass = pass};

	if (!add_loop(&nest, loop))
		return false;
	for (unsigned i = 0; i + 1 < nest.count; i++)
		if (!pass->summary->loops[pass->loop_index[nest.loops[i]]].is_unrolled)
			return false;
	return true;
}
