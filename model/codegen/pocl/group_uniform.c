/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the work-items of a group have in common on a CPU: PoCL runs them in a loop, and LLVM
 * moves out of that what follows from arguments and ids of the group alone, unless a function is
 * called for it that writes to memory, its own as it may be. What follows from a load stays in the
 * loop, since a store may have changed what is read; but where the loop becomes vectors, it is done
 * once for as many work-items as an iteration takes.
 */
#include <stdlib.h>

#include "model/codegen/codegen.h"
#include "model/mechanisms.h"

/* Whether it has a function called that writes what is left of an argument to memory: sine and the
 * like. (PoCL 3.1: 16 ns a work-item, where exponentials and powers of arguments take none.) */
static bool is_called_again(const struct ir_node *node)
{
	enum op_class op = OP_CLASS_NONE;

	if (node->op == NODE_CALL)
		op = builtin_class((enum builtin)node->aux);
	return op == OP_CLASS_SIN || op == OP_CLASS_SINCOS || op == OP_CLASS_SINPI ||
	       op == OP_CLASS_TAN;
}

/* Whether a node follows from arguments and ids of the group, and from nothing that is read. */
static bool is_invariant(const struct machine *m, uint32_t id)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_node *node = &kernel->nodes[id];

	if (!kernel->summary->node_is_uniform[id] || node->op == NODE_LOAD ||
	    node->op == NODE_ATOMIC || node->op == NODE_LOOP_VAR || node->op == NODE_UNKNOWN ||
	    node->op == NODE_PHI || node->op == NODE_TEXEL || is_called_again(node))
		return false;
	for (unsigned i = 0; i < node->operand_count; i++)
		if (!m->code.is_once[kernel->operands[node->first_operand + i]])
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
	if (kernel->summary->node_rotation[id] != ROTATION_NONE)
		return kernel->summary->node_rotation[id] == ROTATION_PART ? OP_CLASS_NONE
		                                                           : OP_CLASS_BIT;
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

enum status cpu_shared(struct machine *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;

	m->code.is_once = calloc((size_t)kernel->node_count + 1, sizeof(*m->code.is_once));
	m->code.shared = calloc((size_t)kernel->block_count + 1, sizeof(*m->code.shared));
	if (m->code.is_once == NULL || m->code.shared == NULL)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for what is shared",
		                 kernel->name);
	for (uint32_t id = 0; id < kernel->node_count && mechanism(MECHANISM_GROUP_UNIFORM); id++) {
		const struct ir_node *node = &kernel->nodes[id];
		uint32_t block = summary->node_block[id];
		enum type_class type = type_class_of(node->type);
		enum op_class op;
		double share = 1;

		m->code.is_once[id] = is_invariant(m, id);
		if (m->code.is_straight || block >= kernel->block_count ||
		    node->operand_count == 0 || !summary->node_is_uniform[id] ||
		    summary->loop_depth[block] > 0 || type >= TYPE_CLASS_COUNT)
			continue;
		if (!m->code.is_once[id])
			share = block_mode(m, block) == OP_MODE_VECTOR ? 1 - m->code.one_by_one : 0;
		op = counted_as(kernel, id);
		if (op != OP_CLASS_NONE)
			m->code.shared[block].operation[op][type] +=
			        (float)(share * node->type.width);
	}
	return m->code.is_straight ? cpu_straight(m, error) : STATUS_OK;
}
