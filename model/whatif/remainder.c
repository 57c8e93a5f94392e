/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fmod and remainder are exact whatever the quotient, which takes a loop over its bits: a call,
 * which a compiler makes no vectors of. Where quotients are small, the arithmetic that the names
 * stand for does: the error is that of the quotient's rounding, times the divisor.
 */
#include "model/whatif/remainder.h"

#include "model/ir/ops.h"

bool node_is_remainder(const struct ir_kernel *kernel, uint32_t node)
{
	const struct ir_node *of = &kernel->nodes[node];

	return of->op == NODE_CALL && of->operand_count == 2 && type_is_real(of->type) &&
	       (of->aux == BUILTIN_FMOD || of->aux == BUILTIN_REMAINDER);
}

uint32_t remainder_made(struct ir_kernel *to, const struct ir_node *node, const uint32_t *operands)
{
	uint32_t by = kernel_binary(to, NODE_DIV, node->type, operands[0], operands[1]), whole;

	whole = by == IR_NONE
	                ? IR_NONE
	                : kernel_node(to, NODE_CALL, node->type, &by, 1,
	                              node->aux == BUILTIN_FMOD ? BUILTIN_TRUNC : BUILTIN_RINT, 0);
	if (whole == IR_NONE)
		return IR_NONE;
	return kernel_binary(to, NODE_SUB, node->type, operands[0],
	                     kernel_binary(to, NODE_MUL, node->type, whole, operands[1]));
}
