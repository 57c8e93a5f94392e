/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often a core guesses a branch wrong of which one side has a known share: as often as the
 * rarer one comes. But what && or || join is a branch of x86 each, since LLVM parts them again
 * (SelectionDAGBuilder.cpp: FindMergedConditions), and each is guessed: of `u < 0 || u > 1` that
 * holds for two of three the first holds for 0.42 and of the rest the second, two wrong guesses in
 * three and not one.
 */
#include <math.h>

#include "model/codegen/pocl/signs.h"

enum { CONDITIONS_MAX = 8, CONDITION_LOOKS = 64 }; /* of a branch that are looked at */

/* Whether a node is true or false, rather than a number. */
static bool is_comparison(const struct ir_kernel *kernel, uint32_t node)
{
	const struct ir_node *n = &kernel->nodes[node];

	while (n->op == NODE_CONVERT)
		n = &kernel->nodes[kernel->operands[n->first_operand]];
	return node_is_truth(n) || n->op == NODE_AND || n->op == NODE_OR;
}

/*
 * Conditions that && or || join in one; how many. They are shared: as many ways lead through them
 * as there are steps to the eighth, so that few are looked at.
 */
static unsigned find_joined(const struct ir_kernel *kernel, uint32_t node,
                            uint32_t joined[CONDITION_LOOKS])
{
	uint32_t stack[CONDITIONS_MAX] = {node};
	unsigned depth = 1, count = 0;

	for (unsigned looks = CONDITION_LOOKS; depth > 0 && looks > 0; looks--) {
		const struct ir_node *n = &kernel->nodes[node = stack[--depth]];
		const uint32_t *operands = &kernel->operands[n->first_operand];

		while (n->op == NODE_LNOT || n->op == NODE_CONVERT) {
			n = &kernel->nodes[node = operands[0]];
			operands = &kernel->operands[n->first_operand];
		}
		if ((n->op == NODE_AND || n->op == NODE_OR) && is_comparison(kernel, operands[0]) &&
		    is_comparison(kernel, operands[1]) && depth + 2 <= CONDITIONS_MAX) {
			stack[depth++] = operands[1];
			stack[depth++] = operands[0];
		} else {
			joined[count++] = node;
		}
	}
	return count;
}

unsigned cpu_conditions(const struct ir_kernel *kernel, const bool *is_data, uint32_t node)
{
	uint32_t joined[CONDITION_LOOKS];
	unsigned count = 0;

	for (unsigned i = find_joined(kernel, node, joined); i-- > 0;)
		count += is_data[joined[i]];
	return count;
}

/* Whether a node compares reals of which either may be less: a magnitude is never below zero. */
static bool compares_reals(const struct ir_kernel *kernel, uint32_t node)
{
	const struct ir_node *n = &kernel->nodes[node];
	const uint32_t *operands = &kernel->operands[n->first_operand];

	if ((n->op != NODE_LT && n->op != NODE_LE) ||
	    !type_is_real(kernel->nodes[operands[0]].type))
		return false;
	for (unsigned i = 0; i < 2; i++) {
		const struct ir_node *bound = &kernel->nodes[operands[i]];

		if (bound->op == NODE_CONST_REAL && bound->imm == 0 &&
		    cpu_is_never_negative(kernel, &kernel->nodes[operands[1 - i]]))
			return false;
	}
	return true;
}

/* The same of comparisons of reals alone: a compiler makes one of two bounds of an integer. */
static unsigned real_conditions(const struct ir_kernel *kernel, const bool *is_data, uint32_t node)
{
	uint32_t joined[CONDITION_LOOKS];
	unsigned count = 0;

	for (unsigned i = find_joined(kernel, node, joined); i-- > 0;)
		count += is_data[joined[i]] && compares_reals(kernel, joined[i]);
	return count;
}

double cpu_wrong_share(const struct ir_kernel *kernel, const bool *is_data, uint32_t node,
                       double taken, bool is_known)
{
	const struct ir_node *n = &kernel->nodes[node];
	unsigned count = real_conditions(kernel, is_data, node);
	bool is_other = false;
	double ends, each, rarer;

	while (n->op == NODE_LNOT || n->op == NODE_CONVERT) {
		is_other ^= n->op == NODE_LNOT;
		n = &kernel->nodes[kernel->operands[n->first_operand]];
	}
	if (count < 2 || (n->op != NODE_AND && n->op != NODE_OR)) {
		rarer = fmin(taken, 1 - taken);
		return is_known ? rarer : rarer * (1 - rarer / 2);
	}
	ends = is_other == (n->op == NODE_OR) ? 1 - taken : taken;
	each = 1 - pow(1 - ends, 1.0 / count);
	rarer = fmin(each, 1 - each);
	if (!is_known)
		rarer *= 1 - rarer / 2;
	return each > 0 ? rarer * ends / each : 0;
}
