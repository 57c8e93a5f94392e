/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What data give another value in each work-item of a CPU's core, which runs them one after
 * another: what follows from a load goes another way each time, unless nothing that it follows from
 * goes along with the row that work-items are in.
 */
#include "model/codegen/pocl/data.h"

#include <stdlib.h>

enum { ROUNDS = 4 }; /* loops within loops hand on what they have */

/* Whether a variable goes by the same in each iteration, or what data do not decide. */
static bool is_counter(const struct ir_kernel *kernel, const struct ir_variable *variable,
                       const bool *is_data)
{
	uint32_t step = kernel_step(kernel, variable);

	if (variable->next == IR_NONE || variable->next == variable->node)
		return true;
	return step != IR_NONE && !is_data[step];
}

/* Whether a node has the same value in all work-items of a row, as far as its operands do. */
static bool is_shared_by_row(const struct ir_kernel *kernel, uint32_t id, unsigned lanes,
                             const bool *is_alike)
{
	const struct ir_node *n = &kernel->nodes[id];
	const struct ir_access *load = n->op == NODE_LOAD ? &kernel->accesses[n->aux] : NULL;

	if (((n->op == NODE_GLOBAL_ID || n->op == NODE_LOCAL_ID) && n->aux == lanes) ||
	    n->op == NODE_ATOMIC || n->op == NODE_UNKNOWN)
		return false;
	if (load != NULL && (kernel->objects[load->object].space > SPACE_CONSTANT ||
	                     (load->index != IR_NONE && !is_alike[load->index])))
		return false;
	for (unsigned i = 0; i < n->operand_count; i++)
		if (!is_alike[kernel->operands[n->first_operand + i]])
			return false;
	return true;
}

/*
 * Marks what work-items of a row find alike, one after another, whatever data it is: what follows
 * from nothing that goes along the row.
 */
static void mark_alike(const struct machine *m, bool *is_alike)
{
	const struct ir_kernel *kernel = m->input->kernel;
	unsigned lanes = launch_row(m->input->launch);
	bool has_changed = true;

	for (uint32_t i = 0; i < kernel->variable_count; i++)
		is_alike[kernel->variables[i].node] = true;
	for (unsigned round = 0; has_changed; round++) {
		has_changed = false;
		for (uint32_t id = 0; id < kernel->node_count; id++)
			if (kernel->nodes[id].op != NODE_LOOP_VAR)
				is_alike[id] = is_shared_by_row(kernel, id, lanes, is_alike);
		for (uint32_t i = 0; i < kernel->variable_count; i++) {
			const struct ir_variable *variable = &kernel->variables[i];
			bool is_still = round < (unsigned)ROUNDS && is_alike[variable->init] &&
			                variable->next != IR_NONE && is_alike[variable->next];

			has_changed |= is_alike[variable->node] != is_still;
			is_alike[variable->node] = is_still;
		}
	}
}

/*
 * Nodes that data give a value of its own in each work-item. Variables that count are left out:
 * what they count is guessed right but for the last time.
 */
static void mark_data(const struct machine *m, const bool *is_alike, bool *is_data)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const bool *is_uniform = kernel->summary->node_is_uniform;
	bool has_changed = true;

	for (unsigned round = 0; has_changed && round < ROUNDS; round++) {
		has_changed = false;
		for (uint32_t i = 0; i < kernel->node_count; i++) {
			const struct ir_node *node = &kernel->nodes[i];

			is_data[i] |= node->op == NODE_LOAD || node->op == NODE_ATOMIC ||
			              node->op == NODE_UNKNOWN;
			for (unsigned k = 0; k < node->operand_count; k++)
				is_data[i] |= is_data[kernel->operands[node->first_operand + k]];
			is_data[i] &= !is_uniform[i] && !is_alike[i];
		}
		for (uint32_t i = 0; i < kernel->variable_count; i++) {
			const struct ir_variable *variable = &kernel->variables[i];

			if (is_data[variable->node] || is_uniform[variable->node] ||
			    is_alike[variable->node] || is_counter(kernel, variable, is_data) ||
			    !(is_data[variable->init] || is_data[variable->next]))
				continue;
			is_data[variable->node] = has_changed = true;
		}
	}
}

enum status cpu_data(const struct machine *m, bool *is_data, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	bool *is_alike = calloc((size_t)kernel->node_count + 1, sizeof(*is_alike));

	if (is_alike == NULL)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for what its data are",
		                 kernel->name);
	mark_alike(m, is_alike);
	mark_data(m, is_alike, is_data);
	free(is_alike);
	return STATUS_OK;
}
