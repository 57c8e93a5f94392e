/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes that are the same for all work-items of a group, as a compiler sees it. What a private
 * array holds is, as long as everything that is stored there is, and no work-item stores what
 * others do not.
 */
#include "model/passes/pass.h"

static bool is_same(const struct pass *pass, uint32_t id)
{
	const struct ir_kernel *kernel = pass->kernel;
	const struct ir_node *node = &kernel->nodes[id];
	const struct ir_access *load = node->op == NODE_LOAD ? &kernel->accesses[node->aux] : NULL;

	if (node->op == NODE_GLOBAL_ID || node->op == NODE_LOCAL_ID || node->op == NODE_ATOMIC ||
	    node->op == NODE_UNKNOWN)
		return false;
	for (unsigned i = 0; i < node->operand_count; i++)
		if (!pass->summary->node_is_uniform[pass_operand(pass, id, i)])
			return false;
	return load == NULL ||
	       (!pass->is_own[load->object] &&
	        (load->index == IR_NONE || pass->summary->node_is_uniform[load->index]));
}

/*
 * Whether a condition around a block keeps some work-items from it. What they left before (break,
 * continue, return) is not looked at.
 */
static bool is_parted(const struct pass *pass, uint32_t block)
{
	const struct ir_kernel *kernel = pass->kernel;

	for (uint32_t owner = kernel->blocks[block].owner; owner != IR_NONE;
	     owner = kernel->blocks[kernel->statements[owner].block].owner) {
		uint32_t condition = kernel->statements[owner].condition;

		if (condition != IR_NONE && !pass->summary->node_is_uniform[condition])
			return true;
	}
	return false;
}

/* Marks private arrays of which work-items have other things in theirs; whether any is new. */
static bool mark_own(const struct pass *pass)
{
	const struct ir_kernel *kernel = pass->kernel;
	bool has_changed = false;

	for (uint32_t s = 0; s < kernel->statement_count; s++) {
		const struct ir_statement *statement = &kernel->statements[s];
		const struct ir_access *store;

		if (statement->kind != STATEMENT_ACCESS)
			continue;
		store = &kernel->accesses[statement->access];
		if (store->kind != ACCESS_STORE || pass->is_own[store->object] ||
		    kernel->objects[store->object].space != SPACE_PRIVATE)
			continue;
		if (store->value != IR_NONE && pass->summary->node_is_uniform[store->value] &&
		    (store->index == IR_NONE || pass->summary->node_is_uniform[store->index]) &&
		    !is_parted(pass, statement->block))
			continue;
		pass->is_own[store->object] = has_changed = true;
	}
	return has_changed;
}

/* The same of loops' variables; they start as if they were. */
static bool mark_variables(const struct pass *pass)
{
	const struct ir_kernel *kernel = pass->kernel;
	bool has_changed = false;

	for (uint32_t i = 0; i < kernel->variable_count; i++) {
		const struct ir_variable *variable = &kernel->variables[i];

		if (variable->node == IR_NONE || !pass->summary->node_is_uniform[variable->node] ||
		    (pass->summary->node_is_uniform[variable->init] &&
		     (variable->next == IR_NONE || pass->summary->node_is_uniform[variable->next])))
			continue;
		pass->summary->node_is_uniform[variable->node] = false;
		has_changed = true;
	}
	return has_changed;
}

/* Marks all of either, whatever they hold. */
static void give_up(const struct pass *pass)
{
	const struct ir_kernel *kernel = pass->kernel;

	for (uint32_t i = 0; i < kernel->object_count; i++)
		pass->is_own[i] = kernel->objects[i].space == SPACE_PRIVATE;
	for (uint32_t id = 0; id < kernel->node_count; id++)
		if (kernel->nodes[id].op == NODE_LOOP_VAR)
			pass->summary->node_is_uniform[id] = false;
}

static void mark_nodes(const struct pass *pass)
{
	for (uint32_t id = 0; id < pass->kernel->node_count; id++)
		if (pass->kernel->nodes[id].op != NODE_LOOP_VAR)
			pass->summary->node_is_uniform[id] = is_same(pass, id);
}

void pass_uniform(struct pass *pass)
{
	enum { ROUNDS_MIN = 8, LOOKS = 1 << 22 };
	const struct ir_kernel *kernel = pass->kernel;
	uint32_t rounds = LOOKS / (kernel->node_count + 1) + ROUNDS_MIN;
	bool has_changed = true;

	for (uint32_t id = 0; id < kernel->node_count; id++)
		pass->summary->node_is_uniform[id] = kernel->nodes[id].op == NODE_LOOP_VAR;
	for (; has_changed && rounds > 0; rounds--) {
		mark_nodes(pass);
		has_changed = mark_own(pass);
		has_changed |= mark_variables(pass);
	}
	if (!has_changed)
		return;
	/* what is handed on from variable to variable has not come to its end: to take for the same
	 * what is not would be worse than the other way round */
	give_up(pass);
	mark_nodes(pass);
}
