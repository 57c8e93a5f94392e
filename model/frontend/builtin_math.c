/* SPDX-License-Identifier: Apache-2.0 */
/* Mathematical, integer, relational and geometric functions as nodes. */
#include "model/frontend/lower.h"

#include <math.h>
#include <string.h>

enum lowering {
	LOWER_FMA,
	LOWER_MAD,
	LOWER_MUL,
	LOWER_MAD_HI,
	LOWER_MUL_HI,
	LOWER_MIN,
	LOWER_MAX,
	LOWER_CLAMP,
	LOWER_MIX,
	LOWER_ABS,
	LOWER_ABS_DIFF,
	LOWER_FDIM,
	LOWER_SELECT,
	LOWER_EQ,
	LOWER_NE,
	LOWER_GT,
	LOWER_GE,
	LOWER_LT,
	LOWER_LE,
	LOWER_ORDERED,
	LOWER_UNORDERED,
	LOWER_DOT,
	LOWER_CROSS,
	LOWER_LENGTH,
	LOWER_FAST_LENGTH,
	LOWER_DISTANCE,
	LOWER_FAST_DISTANCE,
	LOWER_NORMALIZE,
	LOWER_FAST_NORMALIZE,
	LOWER_DEGREES,
	LOWER_RADIANS,
	LOWER_NAN
};

static const struct {
	const char *name;
	enum lowering lowering;
	unsigned arguments;
} lowerings[] = {
        {"fma", LOWER_FMA, 3},
        {"mad", LOWER_MAD, 3},
        {"mad24", LOWER_FMA, 3},
        {"mul24", LOWER_MUL, 2},
        {"mad_hi", LOWER_MAD_HI, 3},
        {"mul_hi", LOWER_MUL_HI, 2},
        {"min", LOWER_MIN, 2},
        {"minmag", LOWER_MIN, 2},
        {"max", LOWER_MAX, 2},
        {"maxmag", LOWER_MAX, 2},
        {"clamp", LOWER_CLAMP, 3},
        {"mix", LOWER_MIX, 3},
        {"abs", LOWER_ABS, 1},
        {"fabs", LOWER_ABS, 1},
        {"abs_diff", LOWER_ABS_DIFF, 2},
        {"fdim", LOWER_FDIM, 2},
        {"select", LOWER_SELECT, 3},
        {"isequal", LOWER_EQ, 2},
        {"isnotequal", LOWER_NE, 2},
        {"isgreater", LOWER_GT, 2},
        {"isgreaterequal", LOWER_GE, 2},
        {"isless", LOWER_LT, 2},
        {"islessequal", LOWER_LE, 2},
        {"islessgreater", LOWER_NE, 2},
        {"isordered", LOWER_ORDERED, 2},
        {"isunordered", LOWER_UNORDERED, 2},
        {"dot", LOWER_DOT, 2},
        {"cross", LOWER_CROSS, 2},
        {"length", LOWER_LENGTH, 1},
        {"fast_length", LOWER_FAST_LENGTH, 1},
        {"distance", LOWER_DISTANCE, 2},
        {"fast_distance", LOWER_FAST_DISTANCE, 2},
        {"normalize", LOWER_NORMALIZE, 1},
        {"fast_normalize", LOWER_FAST_NORMALIZE, 1},
        {"degrees", LOWER_DEGREES, 1},
        {"radians", LOWER_RADIANS, 1},
        {"nan", LOWER_NAN, 1},
};

uint32_t node_call(struct lower *l, enum builtin builtin, struct type type,
                   const uint32_t *operands, unsigned count)
{
	struct type cost = node_type(l, operands[0]);
	if (cost.width < type.width) /* step(float, float4) */
		cost.width = type.width;
	write_operation(l, builtin_class(builtin), cost, builtin_operations(builtin));
	if (l->failed)
		return 0;
	uint32_t node =
	        kernel_node(l->kernel, NODE_CALL, type, operands, count, (uint32_t)builtin, 0);
	if (node == IR_NONE)
		lower_fail(l, l->frame->declaration, "too large");
	return node == IR_NONE ? 0 : node;
}

uint32_t node_operation(struct lower *l, enum node_op op, struct type type, uint32_t a, uint32_t b)
{
	write_operation(l, node_op_class(op), node_type(l, a), 1);
	return node_binary(l, op, type, a, b);
}

/* aux: FMA_OF_VECTORS, or 0 */
static uint32_t fused_of(struct lower *l, struct type type, uint32_t a, uint32_t b, uint32_t c,
                         uint32_t aux)
{
	uint32_t operands[3] = {a, b, c};
	write_operation(l, OP_CLASS_FMA, type, 1);
	if (l->failed)
		return 0;
	uint32_t node = kernel_node(l->kernel, NODE_FMA, type, operands, 3, aux, 0);
	if (node == IR_NONE)
		lower_fail(l, l->frame->declaration, "too large");
	return node == IR_NONE ? 0 : node;
}

static uint32_t fused(struct lower *l, struct type type, uint32_t a, uint32_t b, uint32_t c)
{
	return fused_of(l, type, a, b, c, 0);
}

/*
 * a * b + c of a built-in function. PoCL compiles its library of them without contraction, so that
 * a CPU multiplies and adds; GPUs' compilers contract it as they do any such sum.
 */
static uint32_t sum_of_product(struct lower *l, struct type type, uint32_t a, uint32_t b,
                               uint32_t c)
{
	if (!type_is_real(type))
		return fused(l, type, a, b, c);
	uint32_t operands[2] = {node_operation(l, NODE_MUL, type, a, b), c};
	write_operation(l, OP_CLASS_ADD, type, 1);
	if (l->failed)
		return 0;
	return node_check(l, kernel_node(l->kernel, NODE_ADD, type, operands, 2, 1, 0));
}

uint32_t node_dot(struct lower *l, uint32_t a, uint32_t b)
{
	struct type type = node_type(l, a);
	struct type element = type_scalar((enum scalar)type.scalar);
	uint32_t sum = node_operation(l, NODE_MUL, element, node_swizzle(l, a, 1, 0),
	                              node_swizzle(l, b, 1, 0));
	for (unsigned i = 1; i < type.width; i++)
		sum = fused_of(l, element, node_swizzle(l, a, 1, i), node_swizzle(l, b, 1, i), sum,
		               FMA_OF_VECTORS);
	return sum;
}

static uint32_t cross(struct lower *l, uint32_t a, uint32_t b)
{
	static const unsigned next[3] = {1, 2, 0}, last[3] = {2, 0, 1};
	struct type type = node_type(l, a);
	struct type element = type_scalar((enum scalar)type.scalar);
	uint32_t lanes[4] = {0, 0, 0, 0};
	for (unsigned i = 0; i < 3; i++) {
		uint32_t product =
		        node_operation(l, NODE_MUL, element, node_swizzle(l, a, 1, last[i]),
		                       node_swizzle(l, b, 1, next[i]));
		lanes[i] = sum_of_product(l, element, node_swizzle(l, a, 1, next[i]),
		                          node_swizzle(l, b, 1, last[i]),
		                          node_unary(l, NODE_NEG, element, product));
	}
	lanes[3] = node_zero(l, element);
	if (l->failed)
		return 0;
	uint32_t node = kernel_node(l->kernel, NODE_VECTOR, type, lanes, type.width, 0, 0);
	return node == IR_NONE ? 0 : node;
}

static uint32_t normalized(struct lower *l, uint32_t a, enum builtin root)
{
	struct type type = node_type(l, a);
	uint32_t square = node_dot(l, a, a);
	uint32_t inverse = node_call(l, root, node_type(l, square), &square, 1);
	return node_operation(l, NODE_MUL, type, a, convert_node(l, inverse, type));
}

static uint32_t length(struct lower *l, uint32_t a, enum builtin root)
{
	uint32_t square = node_dot(l, a, a);
	return node_call(l, root, node_type(l, square), &square, 1);
}

static uint32_t difference(struct lower *l, uint32_t a, uint32_t b)
{
	return node_operation(l, NODE_SUB, node_type(l, a), a, b);
}

/* |x| of integers is unsigned: the same bits, another type. */
static uint32_t absolute(struct lower *l, struct type type, uint32_t a)
{
	struct type own = node_type(l, a);
	write_operation(l, OP_CLASS_MINMAX, own, 1);
	uint32_t node = node_unary(l, NODE_ABS, own, a);
	return own.scalar == type.scalar ? node : node_unary(l, NODE_BITCAST, type, node);
}

/* select(a, b, c): b where c, by its top bit for vectors. */
static uint32_t selected(struct lower *l, struct type type, const uint32_t *a)
{
	struct type condition = node_type(l, a[2]);
	uint32_t c = a[2];
	if (condition.width > 1)
		c = node_binary(l, NODE_NE, condition, c, node_zero(l, condition));
	write_operation(l, OP_CLASS_SELECT, type, 1);
	return node_select(l, NODE_SELECT, type, c, a[1], a[0]);
}

static uint32_t lower_to(struct lower *l, enum lowering lowering, struct type type, uint32_t *a)
{
	switch (lowering) {
	case LOWER_FMA:
		return fused(l, type, a[0], a[1], a[2]);
	case LOWER_MAD:
		return sum_of_product(l, type, a[0], a[1], a[2]);
	case LOWER_MUL:
		return node_operation(l, NODE_MUL, type, a[0], a[1]);
	case LOWER_MUL_HI:
		return node_operation(l, NODE_MUL_HI, type, a[0], a[1]);
	case LOWER_MAD_HI:
		return node_operation(l, NODE_ADD, type,
		                      node_operation(l, NODE_MUL_HI, type, a[0], a[1]), a[2]);
	case LOWER_MIN:
		return node_operation(l, NODE_MIN, type, a[0], a[1]);
	case LOWER_MAX:
		return node_operation(l, NODE_MAX, type, a[0], a[1]);
	case LOWER_CLAMP:
		return node_operation(l, NODE_MIN, type,
		                      node_operation(l, NODE_MAX, type, a[0], a[1]), a[2]);
	case LOWER_MIX:
		return sum_of_product(l, type, a[2], difference(l, a[1], a[0]), a[0]);
	case LOWER_ABS:
		return absolute(l, type, a[0]);
	case LOWER_ABS_DIFF:
		if (type_is_signed(node_type(l, a[0])))
			return absolute(l, type, difference(l, a[0], a[1]));
		return difference(l, node_operation(l, NODE_MAX, type, a[0], a[1]),
		                  node_operation(l, NODE_MIN, type, a[0], a[1]));
	case LOWER_FDIM:
		return node_operation(l, NODE_MAX, type, difference(l, a[0], a[1]),
		                      node_zero(l, type));
	case LOWER_SELECT:
		return selected(l, type, a);
	case LOWER_EQ:
		return node_operation(l, NODE_EQ, type, a[0], a[1]);
	case LOWER_NE:
		return node_operation(l, NODE_NE, type, a[0], a[1]);
	case LOWER_GT:
		return node_operation(l, NODE_LT, type, a[1], a[0]);
	case LOWER_GE:
		return node_operation(l, NODE_LE, type, a[1], a[0]);
	case LOWER_LT:
		return node_operation(l, NODE_LT, type, a[0], a[1]);
	case LOWER_LE:
		return node_operation(l, NODE_LE, type, a[0], a[1]);
	case LOWER_ORDERED:
	case LOWER_UNORDERED:
		/* a NaN in a sum makes it one */
		a[0] = node_operation(l, NODE_ADD, node_type(l, a[0]), a[0], a[1]);
		a[0] = node_call(l, BUILTIN_ISNAN, type, a, 1);
		return lowering == LOWER_UNORDERED ? a[0] : node_unary(l, NODE_LNOT, type, a[0]);
	case LOWER_DOT:
		if (type_is_integer(type)) /* of bytes: their products are wider */
			for (unsigned i = 0; i < 2; i++)
				a[i] = convert_node(
				        l, a[i],
				        (struct type){type.scalar, node_type(l, a[i]).width});
		return node_dot(l, a[0], a[1]);
	case LOWER_CROSS:
		return cross(l, a[0], a[1]);
	case LOWER_LENGTH:
		return length(l, a[0], BUILTIN_LENGTH);
	case LOWER_FAST_LENGTH:
		return length(l, a[0], BUILTIN_HALF_SQRT);
	case LOWER_DISTANCE:
		return length(l, difference(l, a[0], a[1]), BUILTIN_LENGTH);
	case LOWER_FAST_DISTANCE:
		return length(l, difference(l, a[0], a[1]), BUILTIN_HALF_SQRT);
	case LOWER_NORMALIZE:
		return normalized(l, a[0], BUILTIN_NORMALIZE);
	case LOWER_FAST_NORMALIZE:
		return normalized(l, a[0], BUILTIN_HALF_RSQRT);
	case LOWER_DEGREES:
		return node_operation(l, NODE_MUL, type, a[0],
		                      node_number(l, type, 57.29577951308232));
	case LOWER_RADIANS:
		return node_operation(l, NODE_MUL, type, a[0],
		                      node_number(l, type, 0.017453292519943295));
	case LOWER_NAN:
		return node_number(l, type, (double)NAN);
	}
	return 0;
}

/* What rounds before a conversion to an integer, which itself cuts off; BUILTIN_COUNT: nothing. */
static enum builtin rounding_of(const char *name)
{
	static const struct {
		char suffix[5];
		enum builtin builtin;
	} modes[] = {{"_rte", BUILTIN_RINT}, {"_rtp", BUILTIN_CEIL}, {"_rtn", BUILTIN_FLOOR}};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (length > 4 && strcmp(name + length - 4, modes[i].suffix) == 0)
			return modes[i].builtin;
	return BUILTIN_COUNT;
}

/* The least and the largest number of an integer type, as far as a double holds them. */
static double integer_bound(struct type type, bool is_upper)
{
	int bits = 8 * (int)scalar_bytes((enum scalar)type.scalar);

	if (type_is_signed(type))
		return is_upper ? ldexp(1, bits - 1) - 1 : -ldexp(1, bits - 1);
	return is_upper ? ldexp(1, bits) - 1 : 0;
}

/*
 * An integer that is kept within the bounds of another type before it is converted to that:
 * convert_uchar_sat is a maximum and a minimum. Those of 64 bits are left as they are.
 */
static uint32_t saturated(struct lower *l, uint32_t node, struct type to)
{
	struct type from = node_type(l, node);

	if (!type_is_integer(from) || !type_is_integer(to) ||
	    scalar_bytes((enum scalar)to.scalar) > sizeof(int32_t))
		return node;
	if (integer_bound(from, false) < integer_bound(to, false))
		node = node_operation(l, NODE_MAX, from, node,
		                      node_number(l, from, integer_bound(to, false)));
	if (integer_bound(from, true) > integer_bound(to, true))
		node = node_operation(l, NODE_MIN, from, node,
		                      node_number(l, from, integer_bound(to, true)));
	return node;
}

/* convert_float4_sat_rte -> a conversion to the call's type, of what is rounded before. */
static bool convert_call(struct lower *l, const struct call *call, struct value *result)
{
	if (strncmp(call->name, "convert_", 8) != 0 || call->count != 1 ||
	    call->type.scalar == SCALAR_VOID)
		return false;
	uint32_t node = lower_node(l, call->arguments[0]);
	if (l->failed)
		return true;
	if (node_type(l, node).scalar != call->type.scalar)
		write_operation(l, OP_CLASS_CONVERT, call->type, 1);
	enum builtin rounding = rounding_of(call->name);
	if (rounding != BUILTIN_COUNT && type_is_integer(call->type) &&
	    type_is_real(node_type(l, node)))
		node = node_call(l, rounding, node_type(l, node), &node, 1);
	if (strstr(call->name, "_sat") != NULL)
		node = saturated(l, node, call->type);
	*result = value_node(convert_node(l, node, call->type));
	return true;
}

/* Operands that a scalar form broadcasts: min(float4, float) and the like. */
static bool broadcasts(enum lowering lowering)
{
	return lowering == LOWER_MIN || lowering == LOWER_MAX || lowering == LOWER_CLAMP ||
	       lowering == LOWER_MIX;
}

bool builtin_math(struct lower *l, const struct call *call, struct value *result)
{
	uint32_t operands[4] = {0};
	if (convert_call(l, call, result))
		return true;
	if (call->type.scalar == SCALAR_VOID || call->count == 0 || call->count > 4)
		return false;
	for (unsigned i = 0; i < call->count; i++)
		if (type_is_pointer(clang_getCursorType(call->arguments[i])))
			return false;
	size_t row = 0, rows = sizeof(lowerings) / sizeof(lowerings[0]);
	while (row < rows && strcmp(call->name, lowerings[row].name) != 0)
		row++;
	int builtin = row < rows ? -1 : builtin_find(call->name);
	if (row < rows ? call->count != lowerings[row].arguments : builtin < 0)
		return false;
	for (unsigned i = 0; i < call->count; i++) {
		operands[i] = lower_node(l, call->arguments[i]);
		if (!l->failed && row < rows && broadcasts(lowerings[row].lowering))
			operands[i] = convert_node(l, operands[i], call->type);
	}
	if (l->failed)
		return true;
	if (row < rows)
		*result = value_node(lower_to(l, lowerings[row].lowering, call->type, operands));
	else
		*result = value_node(
		        node_call(l, (enum builtin)builtin, call->type, operands, call->count));
	return true;
}
