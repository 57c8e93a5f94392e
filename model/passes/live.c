/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which nodes matter, and for what: reached from an effect, known from the
 * launch alone, or there only to form addresses.
 */
#include <stdlib.h>
#include <string.h>

#include "model/passes/pass.h"

/* Nodes still to visit; each enters at most once. */
struct worklist {
	uint32_t *nodes;
	uint32_t count;
	bool *is_marked;
};

static void mark(struct worklist *list, uint32_t node)
{
	if (node == IR_NONE || list->is_marked[node])
		return;
	list->is_marked[node] = true;
	list->nodes[list->count++] = node;
}

/* Marks what the marked nodes need; what a load reads from where `follows_index` says so. */
static void mark_reachable(const struct pass *pass, struct worklist *list, bool follows_index)
{
	const struct ir_kernel *kernel = pass->kernel;
	while (list->count > 0) {
		uint32_t id = list->nodes[--list->count];
		const struct ir_node *node = &kernel->nodes[id];
		for (unsigned i = 0; i < node->operand_count; i++)
			mark(list, kernel->operands[node->first_operand + i]);
		if (node->op == NODE_LOOP_VAR) {
			mark(list, kernel_variable(kernel, id)->init);
			mark(list, kernel_variable(kernel, id)->next);
		} else if (node->op == NODE_LOAD && follows_index) {
			mark(list, kernel->accesses[node->aux].index);
		}
	}
}

static void count_uses(struct pass *pass)
{
	const struct ir_kernel *kernel = pass->kernel;
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		if (!pass->live[id])
			continue;
		const struct ir_node *node = &kernel->nodes[id];
		for (unsigned i = 0; i < node->operand_count; i++)
			pass->uses[kernel->operands[node->first_operand + i]]++;
		if (node->op == NODE_LOOP_VAR) {
			pass->uses[kernel_variable(kernel, id)->init]++;
			pass->uses[kernel_variable(kernel, id)->next]++;
		}
	}
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		if (pass->summary->access_block[i] == IR_NONE)
			continue;
		if (kernel->accesses[i].index != IR_NONE)
			pass->uses[kernel->accesses[i].index]++;
		if (kernel->accesses[i].value != IR_NONE)
			pass->uses[kernel->accesses[i].value]++;
	}
	for (uint32_t s = 0; s < kernel->statement_count; s++)
		if (kernel->statements[s].condition != IR_NONE)
			pass->uses[kernel->statements[s].condition]++;
}

/* What is no integer, is loaded, or unknown is not known; nor is what depends on such. */
static bool is_known(const struct pass *pass, uint32_t id)
{
	const struct ir_kernel *kernel = pass->kernel;
	const struct ir_node *node = &kernel->nodes[id];
	if (!type_is_integer(node->type))
		return false;
	if (node->op == NODE_LOAD || node->op == NODE_ATOMIC || node->op == NODE_UNKNOWN)
		return false;
	if (node->op == NODE_ARG)
		return kernel->arguments[node->aux].kind == ARGUMENT_SCALAR;
	for (unsigned i = 0; i < node->operand_count; i++)
		if (!pass->summary
		             ->node_is_integer_known[kernel->operands[node->first_operand + i]])
			return false;
	return true;
}

/*
 * Loop variables are taken as known until their init or next turns out not to
 * be; a few rounds settle all but contrived chains, for which unknown is safe.
 */
static void find_known(struct pass *pass)
{
	enum { ROUNDS = 16 };
	const struct ir_kernel *kernel = pass->kernel;
	bool *known = pass->summary->node_is_integer_known;
	bool *is_refuted = pass->marks;
	bool has_changed = true;
	for (unsigned round = 0; has_changed && round <= ROUNDS; round++) {
		has_changed = false;
		for (uint32_t id = 0; id < kernel->node_count; id++)
			known[id] = !is_refuted[id] && is_known(pass, id);
		for (uint32_t i = 0; i < kernel->variable_count; i++) {
			const struct ir_variable *variable = &kernel->variables[i];
			if (is_refuted[variable->node] || !known[variable->node] ||
			    (round < ROUNDS - 1 && known[variable->init] && known[variable->next]))
				continue;
			is_refuted[variable->node] = true;
			has_changed = true;
		}
	}
}

enum status pass_live(struct pass *pass, struct error *error)
{
	const struct ir_kernel *kernel = pass->kernel;
	struct worklist list = {.is_marked = pass->live};
	list.nodes = malloc(((size_t)kernel->node_count + 1) * sizeof *list.nodes);
	if (list.nodes == NULL)
		return error_set(error, STATUS_NO_MEMORY, "kernel %s: out of memory", kernel->name);
	for (uint32_t s = 0; s < kernel->statement_count; s++) {
		const struct ir_statement *statement = &kernel->statements[s];
		mark(&list, statement->condition);
		if (statement->kind != STATEMENT_ACCESS)
			continue;
		const struct ir_access *access = &kernel->accesses[statement->access];
		if (access->kind != ACCESS_LOAD) {
			mark(&list, access->index);
			mark(&list, access->value);
		}
		if (access->kind == ACCESS_ATOMIC || kernel->objects[access->object].is_volatile)
			mark(&list, access->result);
	}
	mark_reachable(pass, &list, true);
	for (uint32_t s = 0; s < kernel->statement_count; s++) {
		uint32_t a = kernel->statements[s].access;
		if (kernel->statements[s].kind == STATEMENT_ACCESS)
			pass->summary->access_block[a] =
			        kernel->accesses[a].result == IR_NONE ||
			                        pass->live[kernel->accesses[a].result]
			                ? kernel->statements[s].block
			                : IR_NONE;
	}
	free(list.nodes);
	count_uses(pass);
	find_known(pass);
	return STATUS_OK;
}

/*
 * An integer that no stored value, no real operation and no branch needs forms
 * addresses or bounds loops. Needs live; fills node_is_address.
 */
void pass_address(struct pass *pass)
{
	const struct ir_kernel *kernel = pass->kernel;
	struct worklist list = {.nodes = pass->first_use, .is_marked = pass->marks};
	memset(list.is_marked, 0, kernel->node_count * sizeof *list.is_marked);
	for (uint32_t s = 0; s < kernel->statement_count; s++) {
		const struct ir_statement *statement = &kernel->statements[s];
		if (statement->kind == STATEMENT_ACCESS)
			mark(&list, kernel->accesses[statement->access].value);
		else if (statement->kind != STATEMENT_LOOP)
			mark(&list, statement->condition);
	}
	for (uint32_t id = 0; id < kernel->node_count; id++)
		if (pass->live[id] && !type_is_integer(kernel->nodes[id].type))
			mark(&list, id);
	mark_reachable(pass, &list, false);
	for (uint32_t id = 0; id < kernel->node_count; id++)
		pass->summary->node_is_address[id] = pass->live[id] && !list.is_marked[id];
}
