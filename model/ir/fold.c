/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folding and simplification of IR nodes: constants, identities, one order of
 * commuted operands, and the idioms that index arithmetic is full of.
 */
#include "model/ir/fold.h"

#include <math.h>
#include <string.h>

/* The value of a constant, or of a vector of one constant. */
static bool integer_of(const struct ir_kernel *kernel, uint32_t id, uint64_t *value)
{
	const struct ir_node *node = &kernel->nodes[id];
	if (node->op == NODE_SPLAT)
		node = &kernel->nodes[kernel->operands[node->first_operand]];
	if (node->op != NODE_CONST_INT)
		return false;
	*value = node->imm;
	return true;
}

static bool real_of(const struct ir_kernel *kernel, uint32_t id, double *value)
{
	const struct ir_node *node = &kernel->nodes[id];
	if (node->op == NODE_SPLAT)
		node = &kernel->nodes[kernel->operands[node->first_operand]];
	if (node->op != NODE_CONST_REAL)
		return false;
	memcpy(value, &node->imm, sizeof *value);
	return true;
}

static bool is_integer(const struct ir_kernel *kernel, uint32_t id, uint64_t want)
{
	uint64_t value;
	return integer_of(kernel, id, &value) && value == want;
}

static bool is_real(const struct ir_kernel *kernel, uint32_t id, double want)
{
	double value;
	return real_of(kernel, id, &value) && !(value < want) && !(value > want) && !isnan(value) &&
	       !signbit(value) == !signbit(want);
}

static bool is_constant(const struct ir_kernel *kernel, uint32_t id)
{
	uint64_t integer;
	double real;
	return integer_of(kernel, id, &integer) || real_of(kernel, id, &real);
}

static uint32_t operand(const struct ir_kernel *kernel, uint32_t id, unsigned i)
{
	return kernel->operands[kernel->nodes[id].first_operand + i];
}

static bool is_op(const struct ir_kernel *kernel, uint32_t id, enum node_op op)
{
	return kernel->nodes[id].op == op;
}

static bool same_type(struct type a, struct type b)
{
	return a.scalar == b.scalar && a.width == b.width;
}

/* 0 or 1, whatever its type: a scalar comparison, a negation or a bool. */
static bool is_truth(const struct ir_kernel *kernel, uint32_t id)
{
	const struct ir_node *node = &kernel->nodes[id];
	if (node->type.width != 1)
		return false;
	return node->type.scalar == SCALAR_BOOL || node_is_truth(node);
}

uint64_t fold_wrap(struct type type, uint64_t value)
{
	if (type.scalar == SCALAR_BOOL)
		return value != 0;
	unsigned bits = scalar_bytes((enum scalar)type.scalar) * 8;
	if (bits >= 64 || bits == 0)
		return value;
	uint64_t mask = (UINT64_C(1) << bits) - 1;
	value &= mask;
	if (type_is_signed(type) && (value >> (bits - 1)) != 0)
		value |= ~mask;
	return value;
}

static bool fold_division(enum node_op op, bool is_signed, uint64_t a, uint64_t b, uint64_t *result)
{
	if (b == 0)
		return false;
	if (!is_signed)
		*result = op == NODE_DIV ? a / b : a % b;
	else if (b == UINT64_MAX) /* by -1: the one quotient that can overflow */
		*result = op == NODE_DIV ? 0 - a : 0;
	else if (op == NODE_DIV)
		*result = (uint64_t)((int64_t)a / (int64_t)b);
	else
		*result = (uint64_t)((int64_t)a % (int64_t)b);
	return true;
}

static uint64_t shift_right(struct type type, uint64_t a, unsigned bits)
{
	uint64_t shifted = a >> bits;
	if (type_is_signed(type) && (a >> 63) != 0 && bits > 0)
		shifted |= ~(UINT64_MAX >> bits);
	return shifted;
}

bool fold_integer(enum node_op op, struct type type, struct type operand_type, uint64_t a,
                  uint64_t b, uint64_t *result)
{
	bool is_signed = type_is_signed(operand_type);
	bool is_less = is_signed ? (int64_t)a < (int64_t)b : a < b;
	unsigned shift = (unsigned)(b & (scalar_bytes((enum scalar)type.scalar) * 8u - 1u));
	uint64_t value;
	switch (op) {
	case NODE_ADD:
		value = a + b;
		break;
	case NODE_SUB:
		value = a - b;
		break;
	case NODE_MUL:
		value = a * b;
		break;
	case NODE_DIV:
	case NODE_REM:
		if (!fold_division(op, is_signed, a, b, &value))
			return false;
		break;
	case NODE_NEG:
		value = 0 - a;
		break;
	case NODE_AND:
		value = a & b;
		break;
	case NODE_OR:
		value = a | b;
		break;
	case NODE_XOR:
		value = a ^ b;
		break;
	case NODE_NOT:
		value = ~a;
		break;
	case NODE_SHL:
		value = a << shift;
		break;
	case NODE_SHR:
		value = shift_right(operand_type, a, shift);
		break;
	case NODE_EQ:
		value = a == b;
		break;
	case NODE_NE:
		value = a != b;
		break;
	case NODE_LT:
		value = is_less;
		break;
	case NODE_LE:
		value = is_less || a == b;
		break;
	case NODE_LNOT:
		value = a == 0;
		break;
	case NODE_CONVERT:
		value = a;
		break;
	case NODE_MIN:
		value = is_less ? a : b;
		break;
	case NODE_MAX:
		value = is_less ? b : a;
		break;
	case NODE_ABS:
		value = is_signed && (int64_t)a < 0 ? 0 - a : a;
		break;
	case NODE_MUL_HI:
		if (scalar_bytes((enum scalar)type.scalar) > 4)
			return false;
		value = shift_right(operand_type, a * b,
		                    scalar_bytes((enum scalar)type.scalar) * 8u);
		break;
	default:
		return false;
	}
	*result = fold_wrap(type, value);
	return true;
}

static uint32_t truth(struct ir_kernel *kernel, struct type type, bool value)
{
	/* A vector comparison gives all ones where true. */
	return kernel_integer(kernel, type, value ? (type.width > 1 ? -1 : 1) : 0);
}

static bool is_comparison(enum node_op op)
{
	return op == NODE_EQ || op == NODE_NE || op == NODE_LT || op == NODE_LE;
}

static uint32_t fold_integers(struct ir_kernel *kernel, const struct ir_request *request)
{
	uint64_t a = 0, b = 0, result;
	if (request->operand_count == 0 || request->operand_count > 2 ||
	    !type_is_integer(request->type) || !integer_of(kernel, request->operands[0], &a) ||
	    (request->operand_count == 2 && !integer_of(kernel, request->operands[1], &b)))
		return IR_NONE;
	struct type operand_type = kernel->nodes[request->operands[0]].type;
	if (operand_type.width != request->type.width ||
	    !fold_integer(request->op, request->type, operand_type, a, b, &result))
		return IR_NONE;
	if (is_comparison(request->op) || request->op == NODE_LNOT)
		return truth(kernel, request->type, result != 0);
	return kernel_integer(kernel, request->type, (int64_t)result);
}

/* Arithmetic of constants in float or double; what is not finite is left to the device. */
static uint32_t fold_reals(struct ir_kernel *kernel, const struct ir_request *request)
{
	double a, b = 0, value;
	if (request->operand_count == 0 || request->operand_count > 2 ||
	    !real_of(kernel, request->operands[0], &a) ||
	    (request->operand_count == 2 && !real_of(kernel, request->operands[1], &b)) ||
	    kernel->nodes[request->operands[0]].type.scalar == SCALAR_HALF ||
	    request->type.scalar == SCALAR_HALF ||
	    kernel->nodes[request->operands[0]].type.width != request->type.width)
		return IR_NONE;
	switch (request->op) {
	case NODE_EQ:
		return truth(kernel, request->type, a >= b && a <= b);
	case NODE_NE:
		return truth(kernel, request->type, a < b || a > b);
	case NODE_LT:
		return truth(kernel, request->type, a < b);
	case NODE_LE:
		return truth(kernel, request->type, a <= b);
	case NODE_ADD:
		value = a + b;
		break;
	case NODE_SUB:
		value = a - b;
		break;
	case NODE_MUL:
		value = a * b;
		break;
	case NODE_DIV:
		if (b >= 0 && b <= 0)
			return IR_NONE;
		value = a / b;
		break;
	case NODE_NEG:
		value = -a;
		break;
	case NODE_ABS:
		value = fabs(a);
		break;
	case NODE_MIN:
		value = b < a ? b : a;
		break;
	case NODE_MAX:
		value = a < b ? b : a;
		break;
	case NODE_CONVERT:
		if (type_is_integer(request->type)) {
			if (!(a > -2147483648.0 && a < 2147483648.0))
				return IR_NONE;
			int64_t cut =
			        request->type.scalar == SCALAR_BOOL ? (a < 0 || a > 0) : (int64_t)a;
			return fold_wrap(request->type, (uint64_t)cut) == (uint64_t)cut
			               ? kernel_integer(kernel, request->type, cut)
			               : IR_NONE;
		}
		value = a;
		break;
	default:
		return IR_NONE;
	}
	if (!type_is_real(request->type))
		return IR_NONE;
	if (request->type.scalar == SCALAR_FLOAT)
		value = (double)(float)value;
	return isfinite(value) ? kernel_real(kernel, request->type, value) : IR_NONE;
}

static bool is_commutative(enum node_op op)
{
	switch (op) {
	case NODE_ADD:
	case NODE_MUL:
	case NODE_AND:
	case NODE_OR:
	case NODE_XOR:
	case NODE_EQ:
	case NODE_NE:
	case NODE_MIN:
	case NODE_MAX:
	case NODE_MUL_HI:
	case NODE_FMA: /* its factors */
		return true;
	default:
		return false;
	}
}

/* Older node first, constants last. */
static void order_operands(const struct ir_kernel *kernel, struct ir_request *request)
{
	if (!is_commutative(request->op))
		return;
	uint32_t a = request->operands[0], b = request->operands[1];
	bool a_constant = is_constant(kernel, a), b_constant = is_constant(kernel, b);
	if (a_constant != b_constant ? a_constant : a > b) {
		request->operands[0] = b;
		request->operands[1] = a;
	}
}

/* quotient * n, where quotient is p / n: gives p and n. */
static bool is_rounded_down(const struct ir_kernel *kernel, uint32_t id, uint32_t *p, uint32_t *n)
{
	if (!is_op(kernel, id, NODE_MUL))
		return false;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t quotient = operand(kernel, id, i), factor = operand(kernel, id, 1 - i);
		if (is_op(kernel, quotient, NODE_DIV) && operand(kernel, quotient, 1) == factor) {
			*p = operand(kernel, quotient, 0);
			*n = factor;
			return true;
		}
	}
	return false;
}

/* The dimension of an id or a size; 3: it is another value. */
static unsigned dimension_of(const struct ir_kernel *kernel, uint32_t id, enum node_op op)
{
	id = kernel_id_under(kernel, id);
	return is_op(kernel, id, op) ? kernel->nodes[id].aux : 3;
}

/* The dimension of a product of a number of groups, or a group's id, and their size; 3: it is none.
 */
static unsigned dimension_of_groups(const struct ir_kernel *kernel, enum node_op of, uint32_t a,
                                    uint32_t b)
{
	unsigned d = dimension_of(kernel, a, of);

	if (d > 2) {
		d = dimension_of(kernel, b, of);
		b = a;
	}
	return d < 3 && dimension_of(kernel, b, NODE_LOCAL_SIZE) == d ? d : 3;
}

/* Of a size or an id in a dimension. */
static uint32_t leaf(struct ir_kernel *kernel, enum node_op op, unsigned dimension)
{
	return kernel_node(kernel, op, type_scalar(SCALAR_ULONG), NULL, 0, dimension, 0);
}

/* get_group_id(d) * get_local_size(d) + get_local_id(d): the global id without its offset. */
static uint32_t fold_id(struct ir_kernel *kernel, struct type type, uint32_t groups, uint32_t lane)
{
	unsigned d = dimension_of(kernel, lane, NODE_LOCAL_ID);
	uint32_t id, offset;

	if (d > 2 || !is_op(kernel, groups, NODE_MUL) ||
	    dimension_of_groups(kernel, NODE_GROUP_ID, operand(kernel, groups, 0),
	                        operand(kernel, groups, 1)) != d)
		return IR_NONE;
	id = leaf(kernel, NODE_GLOBAL_ID, d);
	offset = leaf(kernel, NODE_GLOBAL_OFFSET, d);
	if (id == IR_NONE || offset == IR_NONE)
		return IR_NONE;
	id = kernel_binary(kernel, NODE_SUB, type_scalar(SCALAR_ULONG), id, offset);
	return id == IR_NONE ? IR_NONE : kernel_unary(kernel, NODE_CONVERT, type, id);
}

static uint32_t fold_integer_add(struct ir_kernel *kernel, struct type type, uint32_t a, uint32_t b)
{
	uint64_t c, d;
	if (is_integer(kernel, b, 0))
		return a;
	if (integer_of(kernel, b, &d) && is_op(kernel, a, NODE_ADD) &&
	    integer_of(kernel, operand(kernel, a, 1), &c)) /* (x + c) + d */
		return kernel_binary(kernel, NODE_ADD, type, operand(kernel, a, 0),
		                     kernel_integer(kernel, type, (int64_t)(c + d)));
	for (unsigned i = 0; i < 2; i++) {
		uint32_t x = i == 0 ? a : b, y = i == 0 ? b : a, p, n, id;
		id = type.width == 1 && type_bytes(type) >= 4 ? fold_id(kernel, type, x, y)
		                                              : IR_NONE;
		if (id != IR_NONE)
			return id;
		if (is_op(kernel, y, NODE_NEG)) /* x + -z */
			return kernel_binary(kernel, NODE_SUB, type, x, operand(kernel, y, 0));
		if (is_op(kernel, x, NODE_SUB) && operand(kernel, x, 1) == y) /* (z - y) + y */
			return operand(kernel, x, 0);
		if (is_op(kernel, y, NODE_REM) && is_rounded_down(kernel, x, &p, &n) &&
		    operand(kernel, y, 0) == p && operand(kernel, y, 1) == n) /* p/n*n + p%n */
			return p;
	}
	return IR_NONE;
}

static uint32_t fold_integer_sub(struct ir_kernel *kernel, struct type type, uint32_t a, uint32_t b)
{
	uint64_t c;
	uint32_t p, n;
	if (a == b)
		return kernel_integer(kernel, type, 0);
	if (integer_of(kernel, b, &c))
		return kernel_binary(kernel, NODE_ADD, type, a,
		                     kernel_integer(kernel, type, (int64_t)(0 - c)));
	if (is_integer(kernel, a, 0))
		return kernel_unary(kernel, NODE_NEG, type, b);
	if (is_op(kernel, b, NODE_NEG))
		return kernel_binary(kernel, NODE_ADD, type, a, operand(kernel, b, 0));
	if (is_op(kernel, a, NODE_ADD)) {
		if (operand(kernel, a, 1) == b)
			return operand(kernel, a, 0);
		if (operand(kernel, a, 0) == b)
			return operand(kernel, a, 1);
	}
	if (is_rounded_down(kernel, b, &p, &n) && p == a) /* p - p/n*n */
		return kernel_binary(kernel, NODE_REM, type, p, n);
	return IR_NONE;
}

/* min(max(x, y), y) is y, and so with the two turned round. */
static uint32_t fold_absorbed(const struct ir_kernel *kernel, enum node_op op, uint32_t a,
                              uint32_t b)
{
	enum node_op other = op == NODE_MIN ? NODE_MAX : NODE_MIN;

	for (unsigned i = 0; i < 2; i++) {
		if (is_op(kernel, a, other) && operand(kernel, a, i) == b)
			return b;
		if (is_op(kernel, b, other) && operand(kernel, b, i) == a)
			return a;
	}
	return IR_NONE;
}

/*
 * Whether an integer is shown to be of lesser magnitude than what it is divided by: a rest of the
 * same, or what is no more than a constant that is less (LLVM's InstSimplify).
 */
static bool is_lesser(const struct ir_kernel *kernel, uint32_t a, uint32_t b)
{
	uint64_t limit, most;
	if (is_op(kernel, a, NODE_REM) && operand(kernel, a, 1) == b)
		return true;
	if (!integer_of(kernel, b, &limit) || limit > INT64_MAX)
		return false;
	if (is_op(kernel, a, NODE_REM))
		return integer_of(kernel, operand(kernel, a, 1), &most) && most <= limit;
	if (is_op(kernel, a, NODE_AND))
		return integer_of(kernel, operand(kernel, a, 1), &most) && most < limit;
	return is_op(kernel, a, NODE_DIV) && integer_of(kernel, operand(kernel, a, 0), &most) &&
	       most < limit;
}

static uint32_t fold_integer_binary(struct ir_kernel *kernel, const struct ir_request *request)
{
	struct type type = request->type;
	uint32_t a = request->operands[0], b = request->operands[1];
	uint64_t ones = fold_wrap(type, UINT64_MAX), c, d;
	unsigned i;
	switch (request->op) {
	case NODE_ADD:
		return fold_integer_add(kernel, type, a, b);
	case NODE_SUB:
		return fold_integer_sub(kernel, type, a, b);
	case NODE_MUL:
		if (is_integer(kernel, b, 0))
			return b;
		if (is_integer(kernel, b, 1))
			return a;
		if (type_is_signed(type) && is_integer(kernel, b, ones))
			return kernel_unary(kernel, NODE_NEG, type, a);
		if (type.width == 1 && type_bytes(type) >= 4 &&
		    (i = dimension_of_groups(kernel, NODE_NUM_GROUPS, a, b)) < 3) {
			a = leaf(kernel, NODE_GLOBAL_SIZE, i);
			return a == IR_NONE ? a : kernel_unary(kernel, NODE_CONVERT, type, a);
		}
		if (integer_of(kernel, b, &d) && is_op(kernel, a, NODE_MUL) &&
		    integer_of(kernel, operand(kernel, a, 1), &c))
			return kernel_binary(kernel, NODE_MUL, type, operand(kernel, a, 0),
			                     kernel_integer(kernel, type, (int64_t)(c * d)));
		return IR_NONE;
	case NODE_DIV:
		if (a == b) /* of 0 it may be anything */
			return kernel_integer(kernel, type, 1);
		if (is_lesser(kernel, a, b))
			return kernel_integer(kernel, type, 0);
		return is_integer(kernel, a, 0) || is_integer(kernel, b, 1) ? a : IR_NONE;
	case NODE_REM:
		if (is_integer(kernel, a, 0) || is_lesser(kernel, a, b))
			return a;
		return a == b || is_integer(kernel, b, 1) ? kernel_integer(kernel, type, 0)
		                                          : IR_NONE;
	case NODE_AND:
		if (is_integer(kernel, b, 0))
			return b;
		return a == b || is_integer(kernel, b, ones) ? a : IR_NONE;
	case NODE_OR:
		if (is_integer(kernel, b, ones))
			return b;
		return a == b || is_integer(kernel, b, 0) ? a : IR_NONE;
	case NODE_XOR:
		if (a == b)
			return kernel_integer(kernel, type, 0);
		return is_integer(kernel, b, 0) ? a : IR_NONE;
	case NODE_SHL:
	case NODE_SHR:
		return is_integer(kernel, b, 0) || is_integer(kernel, a, 0) ? a : IR_NONE;
	case NODE_MIN:
	case NODE_MAX:
		return a == b ? a : fold_absorbed(kernel, request->op, a, b);
	default:
		return IR_NONE;
	}
}

static uint32_t fold_real_binary(struct ir_kernel *kernel, const struct ir_request *request)
{
	uint32_t a = request->operands[0], b = request->operands[1];
	switch (request->op) {
	case NODE_ADD:
		return is_real(kernel, b, -0.0) ? a : IR_NONE;
	case NODE_SUB:
		return is_real(kernel, b, 0.0) ? a : IR_NONE;
	case NODE_MUL:
	case NODE_DIV:
		return is_real(kernel, b, 1.0) ? a : IR_NONE;
	case NODE_MIN:
	case NODE_MAX:
		return a == b ? a : IR_NONE;
	default:
		return IR_NONE;
	}
}

static uint32_t fold_comparison(struct ir_kernel *kernel, const struct ir_request *request)
{
	uint32_t a = request->operands[0], b = request->operands[1];
	if (!type_is_integer(kernel->nodes[a].type) || !type_is_integer(kernel->nodes[b].type))
		return IR_NONE;
	if (a == b)
		return truth(kernel, request->type,
		             request->op == NODE_EQ || request->op == NODE_LE);
	if (is_truth(kernel, a) && is_integer(kernel, b, 0)) {
		if (request->op == NODE_NE && same_type(kernel->nodes[a].type, request->type))
			return a;
		if (request->op == NODE_EQ)
			return kernel_unary(kernel, NODE_LNOT, request->type, a);
	}
	return IR_NONE;
}

static uint32_t fold_negation(struct ir_kernel *kernel, const struct ir_request *request)
{
	uint32_t a = request->operands[0];
	struct type type = request->type;
	if (type.width != 1)
		return IR_NONE;
	if (is_op(kernel, a, NODE_EQ) || is_op(kernel, a, NODE_NE))
		return kernel_binary(kernel, is_op(kernel, a, NODE_EQ) ? NODE_NE : NODE_EQ, type,
		                     operand(kernel, a, 0), operand(kernel, a, 1));
	if ((is_op(kernel, a, NODE_LT) || is_op(kernel, a, NODE_LE)) &&
	    type_is_integer(kernel->nodes[operand(kernel, a, 0)].type))
		return kernel_binary(kernel, is_op(kernel, a, NODE_LT) ? NODE_LE : NODE_LT, type,
		                     operand(kernel, a, 1), operand(kernel, a, 0));
	if (is_op(kernel, a, NODE_LNOT)) {
		uint32_t inner = operand(kernel, a, 0);
		if (is_truth(kernel, inner) && same_type(kernel->nodes[inner].type, type))
			return inner;
	}
	return IR_NONE;
}

/* Every value of `from` is one of `to`. */
static bool holds_all(struct type to, struct type from)
{
	if (type_is_real(to) || type_is_real(from))
		return type_is_real(to) && type_is_real(from) && to.scalar >= from.scalar;
	uint32_t to_bytes = scalar_bytes((enum scalar)to.scalar);
	uint32_t from_bytes = scalar_bytes((enum scalar)from.scalar);
	if (to.scalar == SCALAR_BOOL || from.scalar == SCALAR_BOOL)
		return from.scalar == SCALAR_BOOL;
	if (type_is_signed(to) == type_is_signed(from))
		return to_bytes >= from_bytes;
	return type_is_signed(to) && to_bytes > from_bytes;
}

/*
 * The low bits of a sum are the sum of the low bits: what was widened for it is not, as where an
 * int goes on by a size_t. IR_NONE: neither operand was.
 */
static uint32_t fold_narrowed(struct ir_kernel *kernel, struct type to, uint32_t sum)
{
	struct type middle = kernel->nodes[sum].type;
	uint32_t narrow[2];
	if ((!is_op(kernel, sum, NODE_ADD) && !is_op(kernel, sum, NODE_SUB)) || to.width != 1 ||
	    !type_is_integer(to) || to.scalar == SCALAR_BOOL ||
	    scalar_bytes((enum scalar)to.scalar) >= scalar_bytes((enum scalar)middle.scalar))
		return IR_NONE;
	enum node_op op = (enum node_op)kernel->nodes[sum].op;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t wide = operand(kernel, sum, i);
		if (!is_op(kernel, wide, NODE_CONVERT) ||
		    !same_type(kernel->nodes[operand(kernel, wide, 0)].type, to))
			continue;
		narrow[i] = operand(kernel, wide, 0);
		narrow[1 - i] = kernel_unary(kernel, NODE_CONVERT, to, operand(kernel, sum, 1 - i));
		return narrow[1 - i] == IR_NONE
		               ? IR_NONE
		               : kernel_binary(kernel, op, to, narrow[0], narrow[1]);
	}
	return IR_NONE;
}

static uint32_t fold_conversion(struct ir_kernel *kernel, const struct ir_request *request)
{
	uint32_t a = request->operands[0], x;
	struct type to = request->type, middle = kernel->nodes[a].type, from;
	uint64_t value;
	if (same_type(to, middle))
		return a;
	if (type_is_real(to) && to.scalar != SCALAR_HALF && integer_of(kernel, a, &value)) {
		double real = type_is_signed(middle) ? (double)(int64_t)value : (double)value;
		if (to.scalar == SCALAR_FLOAT)
			real = type_is_signed(middle) ? (double)(float)(int64_t)value
			                              : (double)(float)value;
		return kernel_real(kernel, to, real);
	}
	if (!is_op(kernel, a, NODE_CONVERT))
		return fold_narrowed(kernel, to, a);
	x = operand(kernel, a, 0);
	from = kernel->nodes[x].type;
	if (holds_all(middle, from)) /* nothing was lost on the way */
		return kernel_unary(kernel, NODE_CONVERT, to, x);
	if (type_is_integer(from) && type_is_integer(middle) && type_is_integer(to) &&
	    to.scalar != SCALAR_BOOL && middle.scalar != SCALAR_BOOL &&
	    scalar_bytes((enum scalar)to.scalar) <= scalar_bytes((enum scalar)middle.scalar))
		return kernel_unary(kernel, NODE_CONVERT, to, x); /* the low bits alone */
	return IR_NONE;
}

/* The same bits as another type: of scalars that are constants, another constant. */
static uint32_t fold_bits(struct ir_kernel *kernel, const struct ir_request *request)
{
	uint32_t a = request->operands[0];
	struct type to = request->type, from = kernel->nodes[a].type;
	double real;
	float narrow;
	uint32_t bits;
	if (same_type(from, to))
		return a;
	if (from.width != 1 || to.width != 1 || type_bytes(from) != type_bytes(to) ||
	    from.scalar == SCALAR_BOOL || to.scalar == SCALAR_BOOL)
		return IR_NONE;
	if (is_op(kernel, a, NODE_CONST_INT) && type_is_integer(to))
		return kernel_integer(kernel, to, (int64_t)kernel->nodes[a].imm);
	if (is_op(kernel, a, NODE_CONST_INT) && to.scalar == SCALAR_FLOAT) {
		bits = (uint32_t)kernel->nodes[a].imm;
		memcpy(&narrow, &bits, sizeof narrow);
		return isfinite(narrow) ? kernel_real(kernel, to, (double)narrow) : IR_NONE;
	}
	if (from.scalar == SCALAR_FLOAT && real_of(kernel, a, &real) && isfinite(real)) {
		narrow = (float)real;
		memcpy(&bits, &narrow, sizeof bits);
		return kernel_integer(kernel, to, (int64_t)bits);
	}
	return IR_NONE;
}

static uint32_t fold_choice(struct ir_kernel *kernel, struct ir_request *request)
{
	uint64_t condition;
	if (request->operands[1] == request->operands[2])
		return request->operands[1];
	if (kernel->nodes[request->operands[0]].type.width == 1 &&
	    integer_of(kernel, request->operands[0], &condition))
		return request->operands[condition != 0 ? 1 : 2];
	if (is_op(kernel, request->operands[0], NODE_LNOT) &&
	    kernel->nodes[request->operands[0]].type.width == 1) {
		uint32_t swapped[3] = {operand(kernel, request->operands[0], 0),
		                       request->operands[2], request->operands[1]};
		return kernel_node(kernel, request->op, request->type, swapped, 3, 0, 0);
	}
	return IR_NONE;
}

static uint32_t fold_swizzle(struct ir_kernel *kernel, const struct ir_request *request)
{
	uint32_t a = request->operands[0];
	unsigned width = kernel->nodes[a].type.width;
	if (request->type.width == 1)
		return fold_lane(kernel, request);
	if (request->type.width == width) {
		bool is_identity = true;
		for (unsigned i = 0; i < width; i++)
			is_identity = is_identity && ((request->imm >> (4 * i)) & 15) == i;
		if (is_identity)
			return a;
	}
	return IR_NONE;
}

uint32_t fold_request(struct ir_kernel *kernel, struct ir_request *request)
{
	order_operands(kernel, request);
	uint32_t folded = fold_integers(kernel, request);
	if (folded == IR_NONE)
		folded = fold_reals(kernel, request);
	if (folded != IR_NONE)
		return folded;
	uint32_t a = request->operands[0];
	switch (request->op) {
	case NODE_ADD:
	case NODE_SUB:
	case NODE_MUL:
	case NODE_DIV:
	case NODE_REM:
	case NODE_AND:
	case NODE_OR:
	case NODE_XOR:
	case NODE_SHL:
	case NODE_SHR:
	case NODE_MIN:
	case NODE_MAX:
		/* An operand of another type is the front-end's mistake: leave it to be found. */
		if (!same_type(kernel->nodes[a].type, request->type))
			return IR_NONE;
		return type_is_integer(request->type) ? fold_integer_binary(kernel, request)
		                                      : fold_real_binary(kernel, request);
	case NODE_EQ:
	case NODE_NE:
	case NODE_LT:
	case NODE_LE:
		return fold_comparison(kernel, request);
	case NODE_LNOT:
		return fold_negation(kernel, request);
	case NODE_NEG:
	case NODE_NOT:
		return is_op(kernel, a, request->op) ? operand(kernel, a, 0) : IR_NONE;
	case NODE_CONVERT:
		return fold_conversion(kernel, request);
	case NODE_BITCAST:
		return fold_bits(kernel, request);
	case NODE_PHI:
	case NODE_SELECT:
		return fold_choice(kernel, request);
	case NODE_SWIZZLE:
		return fold_swizzle(kernel, request);
	default:
		return IR_NONE;
	}
}
