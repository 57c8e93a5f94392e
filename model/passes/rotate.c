/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rotations that were written as two shifts and what joins them: (x << n) | (x >> (32 - n)). Every
 * compiler makes one instruction of them (LLVM: InstCombineAndOrXor.cpp, matchFunnelShift).
 * Requires place and uses.
 */
#include "model/passes/pass.h"

static bool is_part(const struct pass *pass, uint32_t id, enum node_op op, uint32_t block)
{
	const struct ir_node *node = &pass->kernel->nodes[id];

	return node->op == op && type_is_integer(node->type) && !type_is_signed(node->type) &&
	       pass->uses[id] == 1 && pass->summary->node_block[id] == block;
}

/* Whether one amount is what another one leaves of all bits. */
static bool is_rest(const struct pass *pass, uint32_t rest, uint32_t amount, uint64_t bits)
{
	const struct ir_node *node = &pass->kernel->nodes[rest];
	uint64_t a, b;

	if (pass_integer(pass, rest, &a))
		return pass_integer(pass, amount, &b) && a > 0 && b > 0 && a + b == bits;
	while (node->op == NODE_CONVERT)
		node = &pass->kernel->nodes[rest = pass_operand(pass, rest, 0)];
	while (pass->kernel->nodes[amount].op == NODE_CONVERT)
		amount = pass_operand(pass, amount, 0);
	return node->op == NODE_SUB && pass_operand(pass, rest, 1) == amount &&
	       pass_integer(pass, pass_operand(pass, rest, 0), &a) && a == bits;
}

void pass_rotate(struct pass *pass)
{
	const struct ir_kernel *kernel = pass->kernel;
	uint8_t *rotation = pass->summary->node_rotation;

	for (uint32_t id = 0; id < kernel->node_count; id++) {
		const struct ir_node *node = &kernel->nodes[id];
		uint32_t block = pass->summary->node_block[id];
		uint64_t bits = 8 * scalar_bytes((enum scalar)node->type.scalar);

		if (!pass->live[id] ||
		    (node->op != NODE_OR && node->op != NODE_XOR && node->op != NODE_ADD))
			continue;
		for (unsigned i = 0; i < 2; i++) {
			uint32_t up = pass_operand(pass, id, i);
			uint32_t down = pass_operand(pass, id, 1 - i), to, from;

			if (!is_part(pass, up, NODE_SHL, block) ||
			    !is_part(pass, down, NODE_SHR, block) ||
			    pass_operand(pass, up, 0) != pass_operand(pass, down, 0))
				continue;
			to = pass_operand(pass, up, 1);
			from = pass_operand(pass, down, 1);
			if (!is_rest(pass, from, to, bits) && !is_rest(pass, to, from, bits))
				continue;
			rotation[id] = ROTATION_WHOLE;
			rotation[up] = rotation[down] = ROTATION_PART;
		}
	}
}
