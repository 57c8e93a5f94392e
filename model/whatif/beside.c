/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Superword packing by hand: a work-item that goes through 2 to 16 elements beside each other loads
 * them as one vector, and computes with its components. Neither a GPU nor a compiler that has the
 * work-items as lanes does so by itself: lanes are a whole record apart.
 */
#include "model/whatif/beside.h"

#include "model/passes/passes.h"

static const struct ir_loop *loop_of(const struct several_state *s)
{
	const struct ir_summary *summary = s->from->summary;

	for (uint32_t i = 0; i < summary->loop_count; i++)
		if (summary->loops[i].statement == s->how->loop)
			return &summary->loops[i];
	return NULL;
}

/* Whether an iteration's value of a variable is known before the loads: no sum of theirs. */
static bool is_counter(const struct several_state *s, const struct ir_variable *variable)
{
	return variable_counts(s, variable) && !s->varies[kernel_step(s->from, variable)];
}

bool beside_fits(const struct several_state *s)
{
	const struct ir_kernel *kernel = s->from;
	const struct ir_statement *loop = &kernel->statements[s->how->loop];
	const struct ir_loop *of = loop_of(s);
	bool is_any = false, is_counted = false;

	if (!of || of->has_early_exit || loop->tests_last)
		return false;
	for (uint32_t v = 0; v < loop->variable_count; v++) {
		const struct ir_variable *variable = &kernel->variables[loop->first_variable + v];

		if (variable->next == IR_NONE)
			return false;
		is_counted |= is_counter(s, variable);
	}
	for (uint32_t id = kernel->blocks[loop->body].first; id != IR_NONE;
	     id = kernel->statements[id].following) {
		const struct ir_statement *statement = &kernel->statements[id];
		const struct ir_access *access;

		if (statement->kind != STATEMENT_ACCESS)
			return false;
		access = &kernel->accesses[statement->access];
		if (access->kind != ACCESS_LOAD || access->type.width != 1 ||
		    access->index == IR_NONE)
			return false;
		is_any |= access_varies(s, access);
	}
	return is_any && is_counted;
}

static void load(struct several_state *s, const struct ir_access *access, uint32_t block,
                 uint32_t (*made_of)(struct several_state *, uint32_t, unsigned))
{
	struct ir_access made = *access;
	bool is_vector = access_varies(s, access);
	uint32_t id;

	made.object = s->object[access->object];
	made.index = made_of(s, access->index, 0);
	made.result = IR_NONE;
	if (is_vector) {
		made.type.width = (uint8_t)s->how->count;
		made.is_packed = !access_is_aligned(s, access);
	}
	id = s->is_broken ? IR_NONE : kernel_access(s->to, block, &made);
	if (id == IR_NONE) {
		s->is_broken = true;
		return;
	}
	for (unsigned i = 0; i < s->how->count; i++) {
		uint32_t all = s->to->accesses[id].result;

		s->made[i * s->from->node_count + access->result] =
		        is_vector ? kernel_node(s->to, NODE_SWIZZLE, access->type, &all, 1, 0, i)
		                  : all;
	}
}

void beside_put(struct several_state *s, uint32_t block,
                uint32_t (*made_of)(struct several_state *s, uint32_t node, unsigned iteration))
{
	const struct ir_statement *loop = &s->from->statements[s->how->loop];
	const struct ir_variable *variables = &s->from->variables[loop->first_variable];
	uint32_t next[IR_LOOP_VARIABLES_MAX];

	for (uint32_t v = 0; v < loop->variable_count; v++) {
		uint32_t *made = &s->made[variables[v].node], at = made_of(s, variables[v].init, 0);

		*made = at;
		if (!is_counter(s, &variables[v]) || s->is_broken)
			continue;
		for (unsigned i = 1; i < s->how->count; i++) {
			at = kernel_binary(s->to,
			                   (enum node_op)s->from->nodes[variables[v].next].op,
			                   s->from->nodes[variables[v].node].type, at,
			                   made_of(s, kernel_step(s->from, &variables[v]), 0));
			made[i * s->from->node_count] = at;
		}
	}
	for (uint32_t id = s->from->blocks[loop->body].first; id != IR_NONE && !s->is_broken;
	     id = s->from->statements[id].following)
		load(s, &s->from->accesses[s->from->statements[id].access], block, made_of);
	for (unsigned i = 0; i < s->how->count && !s->is_broken; i++) {
		for (uint32_t v = 0; v < loop->variable_count; v++)
			next[v] = made_of(s, variables[v].next, i);
		for (uint32_t v = 0; v < loop->variable_count; v++)
			if (i + 1 == s->how->count)
				s->made[variables[v].node] = next[v];
			else if (!is_counter(s, &variables[v]))
				s->made[(i + 1) * s->from->node_count + variables[v].node] =
				        next[v];
	}
}
