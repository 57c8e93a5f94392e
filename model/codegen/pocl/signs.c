/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Built-in functions that go one way or another by their operands' signs, where work-items are no
 * lanes: PoCL has branches for that, guessed wrong as often as the rarer sign comes; vectors have
 * masks. (Read off the code of PoCL 3.1, and tried: what takes 0.5 to 1.2 ns of numbers of one sign
 * takes 6 of numbers of either.)
 *
 * - rint, and what rounds to the nearest: as SLEEF does (xrintf; Shibata, Petrogalli, IEEE TPDS
 *   31(6), 2020), one half is added, what is behind the point is cut off, and where that went
 *   towards zero one is taken back.
 * - add_sat and sub_sat of signed numbers: whether the signs differ, and if that may overflow,
 * which one it is.
 */
#include "model/codegen/pocl/signs.h"
#include "model/underived.h"

#include <math.h>

enum {
	LOOKED_AT = 64, /* nodes, for a sign */
};

/* Of numbers that may have either sign those below zero: any share is as likely, the rarer sign has
 * a quarter in the mean; or half, where one sign is as likely as the other. */
#define ANY_SHARE  0.25
#define HALF_SHARE 0.5

static const struct ir_node *operand_of(const struct ir_kernel *kernel, const struct ir_node *n,
                                        unsigned i)
{
	return &kernel->nodes[kernel->operands[n->first_operand + i]];
}

/* left: nodes that may still be looked at. */
static bool is_never_negative(const struct ir_kernel *kernel, const struct ir_node *n,
                              unsigned *left)
{
	if (*left == 0)
		return false;
	--*left;
	if (type_is_integer(n->type) && !type_is_signed(n->type))
		return true;
	switch ((enum node_op)n->op) {
	case NODE_CONST_INT:
	case NODE_CONST_REAL: /* the sign is the same bit of both */
		return n->imm >> 63 == 0;
	case NODE_ABS:
		return true;
	case NODE_MUL:
		if (operand_of(kernel, n, 0) == operand_of(kernel, n, 1))
			return true;
		return is_never_negative(kernel, operand_of(kernel, n, 0), left) &&
		       is_never_negative(kernel, operand_of(kernel, n, 1), left);
	case NODE_FMA:
		if (operand_of(kernel, n, 0) != operand_of(kernel, n, 1) &&
		    !(is_never_negative(kernel, operand_of(kernel, n, 0), left) &&
		      is_never_negative(kernel, operand_of(kernel, n, 1), left)))
			return false;
		return is_never_negative(kernel, operand_of(kernel, n, 2), left);
	case NODE_ADD:
	case NODE_DIV:
	case NODE_MIN:
		return is_never_negative(kernel, operand_of(kernel, n, 0), left) &&
		       is_never_negative(kernel, operand_of(kernel, n, 1), left);
	case NODE_MAX:
		return is_never_negative(kernel, operand_of(kernel, n, 0), left) ||
		       is_never_negative(kernel, operand_of(kernel, n, 1), left);
	case NODE_CONVERT:
	case NODE_SPLAT:
		return is_never_negative(kernel, operand_of(kernel, n, 0), left);
	case NODE_SELECT:
	case NODE_PHI:
		return is_never_negative(kernel, operand_of(kernel, n, 1), left) &&
		       is_never_negative(kernel, operand_of(kernel, n, 2), left);
	case NODE_CALL:
		if (n->aux == BUILTIN_FMAX)
			return is_never_negative(kernel, operand_of(kernel, n, 0), left) ||
			       is_never_negative(kernel, operand_of(kernel, n, 1), left);
		if (n->aux == BUILTIN_FMIN)
			return is_never_negative(kernel, operand_of(kernel, n, 0), left) &&
			       is_never_negative(kernel, operand_of(kernel, n, 1), left);
		switch (builtin_class((enum builtin)n->aux)) {
		case OP_CLASS_SQRT:
		case OP_CLASS_EXP:
		case OP_CLASS_EXP2:
		case OP_CLASS_EXP10:
		case OP_CLASS_HYPOT:
		case OP_CLASS_NATIVE_SQRT:
		case OP_CLASS_NATIVE_EXP:
		case OP_CLASS_NATIVE_EXP2:
			return true;
		default:
			return false;
		}
	default:
		return false;
	}
}

bool cpu_is_never_negative(const struct ir_kernel *kernel, const struct ir_node *n)
{
	unsigned left = LOOKED_AT;

	return is_never_negative(kernel, n, &left);
}

/* Whether a number is what is left of two, or made of such: either sign is as likely. */
static bool is_difference(const struct ir_kernel *kernel, const struct ir_node *n, unsigned *left)
{
	if (*left == 0)
		return false;
	--*left;
	if (n->op == NODE_SUB || n->op == NODE_NEG)
		return true;
	if (n->op != NODE_CALL && node_op_class((enum node_op)n->op) == OP_CLASS_NONE)
		return n->op == NODE_SWIZZLE &&
		       is_difference(kernel, operand_of(kernel, n, 0), left);
	for (unsigned i = 0; i < n->operand_count; i++)
		if (is_difference(kernel, operand_of(kernel, n, i), left))
			return true;
	return false;
}

/*
 * Whether x - n * rint(x / n) is what a rounding is for, the nearest of what repeats: most are near
 * already, and n more or less of them puts right what is not.
 */
static bool is_range_reduction(const struct ir_kernel *kernel, uint32_t rounded)
{
	const struct ir_node *quotient = operand_of(kernel, &kernel->nodes[rounded], 0);

	if (quotient->op != NODE_DIV && quotient->op != NODE_MUL)
		return false;
	for (uint32_t id = rounded; id < kernel->node_count && id - rounded < LOOKED_AT; id++) {
		const struct ir_node *n = &kernel->nodes[id], *multiple;

		if (n->op != NODE_SUB ||
		    (operand_of(kernel, n, 0) != operand_of(kernel, quotient, 0) &&
		     operand_of(kernel, n, 0) != operand_of(kernel, quotient, 1)))
			continue;
		multiple = operand_of(kernel, n, 1);
		if (multiple->op == NODE_MUL &&
		    (operand_of(kernel, multiple, 0) == &kernel->nodes[rounded] ||
		     operand_of(kernel, multiple, 1) == &kernel->nodes[rounded]))
			return true;
	}
	return false;
}

/* The share of numbers that are below zero. */
static double negative_share(const struct ir_kernel *kernel, const struct ir_node *n)
{
	unsigned left = LOOKED_AT;

	if (cpu_is_never_negative(kernel, n))
		return 0;
	if (n->op == NODE_CONST_INT || n->op == NODE_CONST_REAL)
		return 1;
	return is_difference(kernel, n, &left) ? HALF_SHARE : ANY_SHARE;
}

/* Of a branch that is taken so often, the rarer side. */
static double rarer(double share, double all)
{
	return fmin(share, all - share);
}

/* How often one call is guessed wrong. */
static double wrong_of(const struct machine *m, uint32_t id)
{
	const struct device *device = m->input->device;
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_node *n = &kernel->nodes[id];
	enum type_class type = type_class_of(n->type);
	double a = negative_share(kernel, operand_of(kernel, n, 0)), b, differ;

	if (n->aux == BUILTIN_RINT) {
		bool is_sequence =
		        device_op_time_s(device, OP_MODE_SCALAR, type, OP_CLASS_ROUND) >=
		        (double)SEQUENCE_OPERATIONS_MIN *
		                device_op_time_s(device, OP_MODE_SCALAR, type, OP_CLASS_ADD);

		return is_sequence && !is_range_reduction(kernel, id) ? rarer(a, 1) : 0;
	}
	if ((n->aux != BUILTIN_ADD_SAT && n->aux != BUILTIN_SUB_SAT) || !type_is_signed(n->type))
		return 0;
	b = negative_share(kernel, operand_of(kernel, n, 1));
	differ = a * (1 - b) + b * (1 - a);
	return rarer(differ, 1) +
	       (n->aux == BUILTIN_ADD_SAT ? rarer(a * b, 1 - differ) : rarer(a * (1 - b), differ));
}

void cpu_signs(const struct machine *m, const bool *is_data, double *wrong)
{
	const struct ir_kernel *kernel = m->input->kernel;

	for (uint32_t id = 0; id < kernel->node_count; id++) {
		const struct ir_node *n = &kernel->nodes[id];
		uint32_t block = kernel->summary->node_block[id];

		if (n->op != NODE_CALL || n->type.width > 1 || !is_data[id] ||
		    block >= kernel->block_count || block_mode(m, block) != OP_MODE_SCALAR)
			continue;
		wrong[id] += wrong_of(m, id) * (1 - m->code.lanes[block].share) *
		             evaluation_of(m)->blocks[block].executions;
	}
}
