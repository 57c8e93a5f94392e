/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the work-items of a group have in common on a CPU: PoCL runs them in a loop, and LLVM
 * moves out of that what follows from arguments and ids of the group alone. What follows
 * from a load stays in the loop, since a store may have changed what is read; but where the loop
 * becomes vectors, it is done once for as many work-items as an iteration takes.
 */
#include <math.h>
#include <stdlib.h>

#include "model/model_default.h"

/*
 * Whether PoCL has a call reduce its argument in a function of its own, which hands back two
 * numbers through pointers (`__pocl_argReductionS`; there is none for doubles): LLVM neither
 * inlines that nor moves it out of a loop. Every other function is inlined, and moves.
 */
static bool stays_in_loop(const struct ir_node *node)
{
	return node->op == NODE_CALL && type_class_of(node->type) == TYPE_CLASS_FLOAT &&
	       (node->aux == BUILTIN_SIN || node->aux == BUILTIN_COS ||
	        node->aux == BUILTIN_SINCOS || node->aux == BUILTIN_TAN);
}

/* Whether a node follows from arguments and ids of the group, and from nothing that is read. */
static bool is_invariant(const struct default_model *m, uint32_t id)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_node *node = &kernel->nodes[id];

	if (!kernel->summary->node_is_uniform[id] || node->op == NODE_LOAD ||
	    node->op == NODE_ATOMIC || node->op == NODE_LOOP_VAR || node->op == NODE_UNKNOWN ||
	    node->op == NODE_PHI || node->op == NODE_TEXEL || stays_in_loop(node))
		return false;
	for (unsigned i = 0; i < node->operand_count; i++)
		if (!m->is_once[kernel->operands[node->first_operand + i]])
			return false;
	return true;
}

/* What a node was counted as; OP_CLASS_NONE: as nothing, or as more than one operation. */
static enum op_class counted_as(const struct ir_kernel *kernel, uint32_t id)
{
	const struct ir_node *node = &kernel->nodes[id];
	bool is_whole = type_is_integer(node->type);
	int64_t divisor;

	if (kernel->summary->node_is_address[id])
		return OP_CLASS_NONE;
	if (kernel->summary->node_is_contracted[id])
		return node->op == NODE_MUL ? OP_CLASS_NONE : OP_CLASS_FMA;
	if ((node->op == NODE_DIV || node->op == NODE_REM) && is_whole &&
	    kernel_constant(kernel, kernel->operands[node->first_operand + 1], &divisor))
		return OP_CLASS_NONE;
	if (node->op == NODE_CONVERT && is_whole)
		return OP_CLASS_NONE;
	if (node->op == NODE_CALL)
		return builtin_class((enum builtin)node->aux);
	return node_op_class((enum node_op)node->op);
}

/* Adds a node's operations to those of its block that are not done for each work-item. */
static void share(const struct default_model *m, uint32_t id, double share)
{
	const struct ir_node *node = &m->input->kernel->nodes[id];
	enum op_class op = counted_as(m->input->kernel, id);

	if (op != OP_CLASS_NONE)
		m->shared[m->input->kernel->summary->node_block[id]]
		        .operation[op][type_class_of(node->type)] +=
		        (float)(share * node->type.width);
}

/* Whether a node is an operation of its own, outside of loops, that is the same for a group. */
static bool is_shareable(const struct ir_kernel *kernel, uint32_t id)
{
	const struct ir_summary *summary = kernel->summary;
	uint32_t block = summary->node_block[id];

	return block < kernel->block_count && kernel->nodes[id].operand_count > 0 &&
	       summary->node_is_uniform[id] && summary->loop_depth[block] == 0 &&
	       type_class_of(kernel->nodes[id].type) < TYPE_CLASS_COUNT;
}

enum status cpu_once(struct default_model *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	double groups = (double)evaluation_of(m)->groups;

	m->is_once = calloc((size_t)kernel->node_count + 1, sizeof(*m->is_once));
	m->shared = calloc((size_t)kernel->block_count + 1, sizeof(*m->shared));
	if (m->is_once == NULL || m->shared == NULL)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for what is shared",
		                 kernel->name);
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		m->is_once[id] = is_invariant(m, id);
		if (m->is_once[id] && is_shareable(kernel, id))
			share(m, id, fmax(0, 1 - groups / m->items));
	}
	return STATUS_OK;
}

void cpu_shared(struct default_model *m)
{
	const struct ir_kernel *kernel = m->input->kernel;

	for (uint32_t id = 0; id < kernel->node_count; id++)
		if (!m->is_once[id] && is_shareable(kernel, id) &&
		    block_mode(m, kernel->summary->node_block[id]) == OP_MODE_VECTOR)
			share(m, id, 1 - m->one_by_one);
}
