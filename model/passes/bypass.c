/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divisions of 64 bits that a CPU's compiler branches around.
 *
 * Where a dividend provably has no more than 32 bits, LLVM compares it with the divisor first: a
 * greater one leaves nothing to divide, and any other fits 32 bits as well (BypassSlowDivision.cpp,
 * for processors whose 64-bit divisions are slow; PoCL's default too). That is proven by known
 * bits, six operations deep (ValueTracking.cpp). Where both operands lie in ranges that fit 32
 * bits, the division has been made one of 32 bits before, and is no branch
 * (CorrelatedValuePropagation.cpp).
 */
#include "model/passes/pass.h"

enum { DEPTH_MAX = 6 };

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* As many ones as the value has bits. */
static uint64_t ones(uint64_t value)
{
	return value == 0 ? 0 : UINT64_MAX >> __builtin_clzll(value);
}

static uint64_t type_ones(struct type type)
{
	return UINT64_MAX >> (64 - 8 * scalar_bytes((enum scalar)type.scalar));
}

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t product(uint64_t a, uint64_t b)
{
	uint64_t result;

	return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

/*
 * Of a quotient or a rest. A variable divisor's two ways meet in it, and of what the long one
 * leaves no bit is known any more, but its range was.
 */
static uint64_t most_of_division(const struct pass *pass, uint32_t id, bool is_range, uint64_t a,
                                 uint64_t b)
{
	bool is_rest = pass->kernel->nodes[id].op == NODE_REM;
	uint64_t value;

	if (pass_integer(pass, pass_operand(pass, id, 1), &value) && value > 0)
		return is_rest ? lesser(a, value - 1) : a / value;
	if (!is_range && a > UINT32_MAX)
		return UINT64_MAX;
	return is_rest && is_range ? lesser(a, greater(b, 1) - 1) : a;
}

/* The greatest value of an integer that is no less than 0, by ranges or by known bits. */
static uint64_t most(const struct pass *pass, uint32_t id, bool is_range, unsigned depth)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	uint64_t all = type_ones(node->type), a, b, result = all, value;

	if (!type_is_integer(node->type) || node->type.width > 1)
		return UINT64_MAX;
	if (node->op == NODE_CONST_INT)
		return node->imm & all;
	if (node_is_truth(node))
		return 1;
	if (depth == DEPTH_MAX || node->operand_count == 0)
		return all;
	a = most(pass, pass_operand(pass, id, node->op == NODE_PHI), is_range, depth + 1);
	if (node->op == NODE_CONVERT) {
		struct type from = pass->kernel->nodes[pass_operand(pass, id, 0)].type;

		if (!type_is_integer(from) || (type_is_signed(from) && a > type_ones(from) / 2))
			return all;
		return a > all ? all : a;
	}
	if (node->operand_count < 2)
		return all;
	b = most(pass, pass_operand(pass, id, node->op == NODE_PHI ? 2 : 1), is_range, depth + 1);
	if (type_is_signed(node->type) && (a > all / 2 || b > all / 2))
		return all; /* it may be negative */
	switch ((enum node_op)node->op) {
	case NODE_AND:
	case NODE_MIN:
		result = lesser(a, b);
		break;
	case NODE_OR:
	case NODE_XOR:
		result = ones(a | b);
		break;
	case NODE_MAX:
	case NODE_PHI:
		result = greater(a, b);
		break;
	case NODE_ADD:
		result = sum(a, b);
		break;
	case NODE_MUL:
		result = product(a, b);
		break;
	case NODE_DIV:
	case NODE_REM:
		result = most_of_division(pass, id, is_range, a, b);
		break;
	case NODE_SHR:
		if (pass_integer(pass, pass_operand(pass, id, 1), &value) && value < 64)
			result = a >> value;
		break;
	default:
		break;
	}
	if (result > all)
		return all;
	return is_range ? result : ones(result);
}

bool pass_is_bypassed(const struct pass *pass, uint32_t id)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	uint32_t dividend = pass_operand(pass, id, 0), divisor = pass_operand(pass, id, 1);

	return node->type.scalar == SCALAR_ULONG && node->type.width == 1 &&
	       most(pass, dividend, false, 0) <= UINT32_MAX &&
	       most(pass, divisor, false, 0) > UINT32_MAX &&
	       (most(pass, dividend, true, 0) > UINT32_MAX ||
	        most(pass, divisor, true, 0) > UINT32_MAX);
}
