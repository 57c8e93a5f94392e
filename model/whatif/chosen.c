/* SPDX-License-Identifier: Apache-2.0 */
/*
 * If-conversion of an exit (Allen, Kennedy, Porterfield, Warren, POPL 1983): a warp that unrolled a
 * loop with a `break` branches in each iteration, since some of its lanes may be gone. Where the
 * values that are left decide about it, those who would be gone keep theirs, and none branches.
 */
#include "model/whatif/chosen.h"

#include "model/passes/passes.h"
#include "model/whatif/shape.h"

enum { VISITS_MAX = 64 };

static const struct ir_statement *loop_of(const struct several_state *s)
{
	return &s->from->statements[s->how->loop];
}

/* The only statement of a block; IR_NONE: it has several, or none. */
static uint32_t only_of(const struct ir_kernel *kernel, uint32_t block)
{
	return block != IR_NONE && kernel->blocks[block].first == kernel->blocks[block].last
	               ? kernel->blocks[block].first
	               : IR_NONE;
}

uint32_t loop_break(const struct ir_kernel *kernel, uint32_t loop)
{
	uint32_t id = only_of(kernel, kernel->statements[loop].body), leave;
	const struct ir_statement *branch;

	if (id == IR_NONE || kernel->statements[id].kind != STATEMENT_BRANCH)
		return IR_NONE;
	branch = &kernel->statements[id];
	leave = only_of(kernel, branch->body);
	return leave != IR_NONE && kernel->statements[leave].kind == STATEMENT_EXIT &&
	                       kernel->statements[leave].target == loop &&
	                       (branch->otherwise == IR_NONE ||
	                        kernel->blocks[branch->otherwise].first == IR_NONE)
	               ? id
	               : IR_NONE;
}

uint32_t chosen_branch(const struct several_state *s)
{
	return loop_break(s->from, s->how->loop);
}

static bool is_counter(const struct several_state *s, uint32_t node)
{
	for (uint32_t v = 0; v < loop_of(s)->variable_count; v++) {
		const struct ir_variable *variable =
		        &s->from->variables[loop_of(s)->first_variable + v];

		if (variable->node == node && variable_counts(s, variable))
			return true;
	}
	return false;
}

/* Whether a value hangs on the loop's counter; so does one that is too large to be looked at. */
static bool hangs_on_counter(const struct several_state *s, uint32_t id, unsigned *visits)
{
	if (is_counter(s, id) || *visits == 0)
		return true;
	--*visits;
	for (unsigned i = 0; i < s->from->nodes[id].operand_count; i++)
		if (hangs_on_counter(s, kernel_operands(s->from, id)[i], visits))
			return true;
	return false;
}

bool loop_is_asked(const struct ir_kernel *kernel, uint32_t loop, uint32_t node)
{
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		uint32_t block = kernel->summary->node_block[id];

		if (block == IR_NONE || kernel_is_within(kernel, block, loop))
			continue;
		for (unsigned i = 0; i < kernel->nodes[id].operand_count; i++)
			if (kernel_operands(kernel, id)[i] == node)
				return true;
	}
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if ((kernel->accesses[i].index == node || kernel->accesses[i].value == node) &&
		    (kernel->summary->access_block[i] == IR_NONE ||
		     !kernel_is_within(kernel, kernel->summary->access_block[i], loop)))
			return true;
	for (uint32_t i = 0; i < kernel->variable_count; i++)
		if (kernel->variables[i].init == node)
			return true;
	for (uint32_t i = 0; i < kernel->statement_count; i++)
		if (kernel->statements[i].condition == node)
			return true;
	return false;
}

static bool is_asked_outside(const struct several_state *s)
{
	for (uint32_t v = 0; v < loop_of(s)->variable_count; v++) {
		const struct ir_variable *variable =
		        &s->from->variables[loop_of(s)->first_variable + v];

		if (variable_counts(s, variable) &&
		    loop_is_asked(s->from, s->how->loop, variable->node))
			return true;
	}
	return false;
}

bool chosen_fits(const struct several_state *s)
{
	const struct ir_summary *summary = s->from->summary;
	const struct ir_statement *loop = loop_of(s);
	uint32_t branch = chosen_branch(s);
	unsigned visits = VISITS_MAX;
	bool is_unrolled = false, is_any = false;

	for (uint32_t i = 0; i < summary->loop_count; i++)
		is_unrolled |= summary->loops[i].statement == s->how->loop &&
		               (summary->loops[i].is_unrolled || loop->unroll == UINT16_MAX);
	if (!is_unrolled || branch == IR_NONE || loop->tests_last || loop->condition == IR_NONE ||
	    s->from->nodes[s->from->statements[branch].condition].type.width != 1 ||
	    hangs_on_counter(s, s->from->statements[branch].condition, &visits) ||
	    is_asked_outside(s))
		return false;
	for (uint32_t v = 0; v < loop->variable_count; v++) {
		const struct ir_variable *variable = &s->from->variables[loop->first_variable + v];

		if (variable->next == IR_NONE || s->from->nodes[variable->node].type.width != 1)
			return false;
		is_any |= !variable_counts(s, variable);
	}
	return is_any;
}

uint32_t chosen_next(struct several_state *s, const struct ir_variable *variable, uint32_t next,
                     uint32_t (*made_of)(struct several_state *s, uint32_t node))
{
	uint32_t operands[3] = {IR_NONE, s->made[variable->node], next};

	if (variable_counts(s, variable))
		return next;
	operands[0] = made_of(s, s->from->statements[chosen_branch(s)].condition);
	return s->is_broken ? IR_NONE
	                    : kernel_node(s->to, NODE_SELECT, s->from->nodes[variable->node].type,
	                                  operands, 3, 0, 0);
}
