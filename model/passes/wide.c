/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of operations on 64 bits: divisions whose operands are likely to need them all, and what a GPU,
 * whose registers have 32, does to one word alone.
 *
 * Compilers ask at run time whether both operands fit 32 bits, and divide by 32 then; a division of
 * 64 takes several times as long. What is proven says little here, since nearly anything may be
 * great: what matters is how many bits a value is likely to have. Positions, sizes and their
 * products have few, data that are 64 bits wide have all, other products those of both factors.
 */
#include "model/passes/pass.h"

enum { DEPTH_MAX = 6, HALF = 32, POSITION_BITS = 20, SIZE_BITS = 12 };

static unsigned lesser(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned greater(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static unsigned likely_bits(const struct pass *pass, uint32_t id, unsigned depth);

/* Of a variable of a loop: where it begins, and where it goes from there. */
static unsigned bits_of_variable(const struct pass *pass, const struct ir_node *node,
                                 unsigned depth)
{
	const struct ir_statement *loop = &pass->kernel->statements[node->aux];
	const struct ir_variable *variable;

	if (node->imm >= loop->variable_count)
		return HALF;
	variable = &pass->kernel->variables[loop->first_variable + node->imm];
	return greater(likely_bits(pass, variable->init, depth),
	               variable->next == IR_NONE ? 0 : likely_bits(pass, variable->next, depth));
}

static unsigned bits_of_operation(const struct pass *pass, uint32_t id, unsigned a, unsigned b)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	uint64_t by = 0;
	bool is_known = node->operand_count == 2 &&
	                pass_integer(pass, pass_operand(pass, id, 1), &by) && by < 64;

	switch ((enum node_op)node->op) {
	case NODE_AND:
	case NODE_MIN:
	case NODE_REM:
		return lesser(a, b);
	case NODE_MUL:
		return a + b;
	case NODE_MUL_HI:
		return a + b > 64 ? a + b - 64 : 0;
	case NODE_DIV:
		return is_known ? a - lesser(a, b > 0 ? b - 1 : 0) : a;
	case NODE_SHR:
		return is_known ? a - lesser(a, (unsigned)by) : a;
	case NODE_SHL:
		return is_known ? a + (unsigned)by : 64;
	case NODE_NOT:
		return 64;
	default:
		return greater(a, b);
	}
}

/* How many bits an integer is likely to have. */
static unsigned likely_bits(const struct pass *pass, uint32_t id, unsigned depth)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	unsigned all = 8 * (unsigned)scalar_bytes((enum scalar)node->type.scalar), a, b, first;

	if (!type_is_integer(node->type))
		return HALF;
	if (node_is_truth(node))
		return 1;
	switch ((enum node_op)node->op) {
	case NODE_CONST_INT: {
		uint64_t size = (int64_t)node->imm < 0 && type_is_signed(node->type)
		                        ? -(uint64_t)node->imm
		                        : (uint64_t)node->imm;

		return size == 0 ? 0 : lesser(all, 64 - (unsigned)__builtin_clzll(size));
	}
	case NODE_ARG:
		return lesser(all, SIZE_BITS);
	case NODE_LOAD:
	case NODE_ATOMIC:
	case NODE_UNKNOWN:
		return all;
	default:
		break;
	}
	if (depth == DEPTH_MAX)
		return lesser(all, HALF);
	if (node->op == NODE_LOOP_VAR)
		return lesser(all, bits_of_variable(pass, node, depth + 1));
	if (node->operand_count == 0)
		return lesser(all, POSITION_BITS);
	if (node->op == NODE_CALL || node->operand_count > 3)
		return lesser(all, HALF);
	first = node->op == NODE_PHI || node->op == NODE_SELECT;
	a = likely_bits(pass, pass_operand(pass, id, first), depth + 1);
	b = node->operand_count < 2
	            ? 0
	            : likely_bits(pass, pass_operand(pass, id, first + 1), depth + 1);
	return lesser(all, bits_of_operation(pass, id, a, b));
}

bool pass_is_wide(const struct pass *pass, uint32_t id)
{
	const struct ir_node *node = &pass->kernel->nodes[id];

	return type_class_of(node->type) == TYPE_CLASS_LONG &&
	       (likely_bits(pass, pass_operand(pass, id, 0), 0) > HALF ||
	        likely_bits(pass, pass_operand(pass, id, 1), 0) > HALF);
}

/* 32 bits at the most, all others zeros or all signs. */
static bool is_extended(const struct pass *pass, uint32_t id)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	struct type from;
	uint64_t value;

	if (pass_integer(pass, id, &value))
		return value <= UINT32_MAX;
	if (node->op != NODE_CONVERT)
		return false;
	from = pass->kernel->nodes[pass_operand(pass, id, 0)].type;
	return type_is_integer(from) && scalar_bytes((enum scalar)from.scalar) <= 4;
}

enum words pass_words(const struct pass *pass, uint32_t id)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	uint64_t value;

	if (type_class_of(node->type) != TYPE_CLASS_LONG || node->operand_count != 2)
		return WORDS_BOTH;
	switch ((enum node_op)node->op) {
	case NODE_MUL:
		return is_extended(pass, pass_operand(pass, id, 0)) &&
		                       is_extended(pass, pass_operand(pass, id, 1))
		               ? WORDS_ONE
		               : WORDS_BOTH;
	case NODE_AND:
		return is_extended(pass, pass_operand(pass, id, 1)) ? WORDS_ONE : WORDS_BOTH;
	case NODE_SHL:
	case NODE_SHR:
		if (!pass_integer(pass, pass_operand(pass, id, 1), &value) || value < 32)
			return WORDS_BOTH;
		return value == 32 && !type_is_signed(node->type) ? WORDS_NONE : WORDS_ONE;
	default:
		return WORDS_BOTH;
	}
}
