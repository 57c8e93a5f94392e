/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that are the same for all work-items of a group, as a compiler sees it. */
#include "model/pass.h"

static bool is_same(const struct pass *pass, const bool *is_uniform, uint32_t id)
{
	const struct ir_kernel *kernel = pass->kernel;
	const struct ir_node *node = &kernel->nodes[id];
	if (node->op == NODE_GLOBAL_ID || node->op == NODE_LOCAL_ID || node->op == NODE_ATOMIC ||
	    node->op == NODE_UNKNOWN)
		return false;
	for (unsigned i = 0; i < node->operand_count; i++)
		if (!is_uniform[pass_operand(pass, id, i)])
			return false;
	return node->op != NODE_LOAD || kernel->accesses[node->aux].index == IR_NONE ||
	       is_uniform[kernel->accesses[node->aux].index];
}

/* Loop variables start as if they were, until their init or next turns out not to be. */
void pass_uniform(struct pass *pass)
{
	enum { ROUNDS = 8 };
	const struct ir_kernel *kernel = pass->kernel;
	bool *is_uniform = pass->summary->node_is_uniform, has_changed = true;
	for (uint32_t id = 0; id < kernel->node_count; id++)
		is_uniform[id] = kernel->nodes[id].op == NODE_LOOP_VAR;
	for (unsigned round = 0; has_changed && round < ROUNDS; round++) {
		has_changed = false;
		for (uint32_t id = 0; id < kernel->node_count; id++)
			if (kernel->nodes[id].op != NODE_LOOP_VAR)
				is_uniform[id] = is_same(pass, is_uniform, id);
		for (uint32_t i = 0; i < kernel->variable_count; i++) {
			const struct ir_variable *variable = &kernel->variables[i];
			if (variable->node == IR_NONE || !is_uniform[variable->node] ||
			    (is_uniform[variable->init] &&
			     (variable->next == IR_NONE || is_uniform[variable->next])))
				continue;
			is_uniform[variable->node] = false;
			has_changed = true;
		}
	}
}
