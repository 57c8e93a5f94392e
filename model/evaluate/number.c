/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What operators make of numbers. Integers wrap at the node's type; a division by zero, a shift
 * beyond the width and whatever rests on memory are unknown. Reals are kept as the bits of a
 * double, rounded to their type.
 */
#include "model/evaluate/number.h"

#include <math.h>

void number_wrap_all(struct type type, int64_t *r, unsigned n)
{
	switch (type.scalar) {
	case SCALAR_INT:
		for (unsigned i = 0; i < n; i++)
			r[i] = (int32_t)r[i];
		break;
	case SCALAR_UINT:
		for (unsigned i = 0; i < n; i++)
			r[i] = (uint32_t)r[i];
		break;
	case SCALAR_LONG:
	case SCALAR_ULONG:
		break;
	case SCALAR_UCHAR:
		for (unsigned i = 0; i < n; i++)
			r[i] = (uint8_t)r[i];
		break;
	default:
		for (unsigned i = 0; i < n; i++)
			r[i] = number_wrap(type, r[i]);
	}
}

static void compare(enum node_op op, struct type type, const int64_t *a, const int64_t *b,
                    int64_t *r, unsigned lanes)
{
	if (type_is_real(type)) {
		for (unsigned i = 0; i < lanes; i++) {
			double x = number_real(a[i]), y = number_real(b[i]);

			r[i] = op == NODE_LT   ? x < y
			       : op == NODE_LE ? x <= y
			       : op == NODE_EQ ? x == y
			                       : x != y;
		}
		return;
	}
	switch (op) {
	case NODE_EQ:
		for (unsigned i = 0; i < lanes; i++)
			r[i] = a[i] == b[i];
		break;
	case NODE_NE:
		for (unsigned i = 0; i < lanes; i++)
			r[i] = a[i] != b[i];
		break;
	default: {
		/* only ulong does not order as its 64 bits with a sign do */
		uint64_t flip = type.scalar == SCALAR_ULONG ? (uint64_t)1 << 63 : 0;

		for (unsigned i = 0; i < lanes; i++) {
			int64_t x = (int64_t)((uint64_t)a[i] ^ flip);
			int64_t y = (int64_t)((uint64_t)b[i] ^ flip);

			r[i] = op == NODE_LT ? x < y : x <= y;
		}
	}
	}
}

static void divide(const struct ir_node *n, const int64_t *a, const int64_t *b, int64_t *r,
                   uint8_t *k, unsigned lanes)
{
	bool is_quotient = n->op == NODE_DIV;

	for (unsigned i = 0; i < lanes; i++) {
		if (b[i] == 0) {
			k[i] = 0;
		} else if (a[i] >= 0 && b[i] > 0 && (b[i] & (b[i] - 1)) == 0) {
			/* a power of two: a division takes as long as twenty of these */
			r[i] = is_quotient ? a[i] >> __builtin_ctzll((uint64_t)b[i])
			                   : a[i] & (b[i] - 1);
		} else if (n->type.scalar == SCALAR_ULONG) {
			uint64_t x = (uint64_t)a[i], y = (uint64_t)b[i];

			r[i] = (int64_t)(is_quotient ? x / y : x % y);
		} else if (b[i] == -1) {
			r[i] = is_quotient ? (int64_t)(0 - (uint64_t)a[i]) : 0;
		} else {
			r[i] = is_quotient ? a[i] / b[i] : a[i] % b[i];
		}
	}
}

static void shift(const struct ir_node *n, const int64_t *a, const int64_t *b, int64_t *r,
                  unsigned lanes)
{
	/* of the count its low bits alone are looked at (OpenCL C, 6.3 j) */
	uint64_t mask = scalar_bytes((enum scalar)n->type.scalar) * UINT64_C(8) - 1;

	for (unsigned i = 0; i < lanes; i++) {
		unsigned count = (unsigned)((uint64_t)b[i] & mask);

		if (n->op == NODE_SHL)
			r[i] = (int64_t)((uint64_t)a[i] << count);
		else if (n->type.scalar == SCALAR_ULONG)
			r[i] = (int64_t)((uint64_t)a[i] >> count);
		else
			r[i] = a[i] >> count;
	}
}

static unsigned leading_zeros(uint64_t value, struct type type)
{
	unsigned bits = 8 * type_bytes(type);

	return value == 0 ? bits : bits - 64 + (unsigned)__builtin_clzll(value);
}

static void integer_node(const struct ir_node *n, const int64_t *const *v, int64_t *r, uint8_t *k,
                         unsigned lanes)
{
	const int64_t *a = v[0], *b = v[1], *c = v[2];
	bool is_unsigned = n->type.scalar == SCALAR_ULONG;
	/* of a value its own bits, without those that its sign adds */
	uint64_t ones = UINT64_MAX >> (64 - 8 * scalar_bytes((enum scalar)n->type.scalar));

#define EACH(expression)                                                                           \
	for (unsigned i = 0; i < lanes; i++)                                                       \
	r[i] = (int64_t)(expression)
	switch (n->op) {
	case NODE_ADD:
		EACH((uint64_t)a[i] + (uint64_t)b[i]);
		break;
	case NODE_SUB:
		EACH((uint64_t)a[i] - (uint64_t)b[i]);
		break;
	case NODE_MUL:
		EACH((uint64_t)a[i] * (uint64_t)b[i]);
		break;
	case NODE_FMA:
		EACH((uint64_t)a[i] * (uint64_t)b[i] + (uint64_t)c[i]);
		break;
	case NODE_NEG:
		EACH(0 - (uint64_t)a[i]);
		break;
	case NODE_DIV:
	case NODE_REM:
		divide(n, a, b, r, k, lanes);
		break;
	case NODE_AND:
		EACH(a[i] & b[i]);
		break;
	case NODE_OR:
		EACH(a[i] | b[i]);
		break;
	case NODE_XOR:
		EACH(a[i] ^ b[i]);
		break;
	case NODE_NOT:
		EACH(~a[i]);
		break;
	case NODE_SHL:
	case NODE_SHR:
		shift(n, a, b, r, lanes);
		break;
	case NODE_MIN:
		EACH(is_unsigned ? ((uint64_t)a[i] < (uint64_t)b[i] ? a[i] : b[i])
		                 : (a[i] < b[i] ? a[i] : b[i]));
		break;
	case NODE_MAX:
		EACH(is_unsigned ? ((uint64_t)a[i] > (uint64_t)b[i] ? a[i] : b[i])
		                 : (a[i] > b[i] ? a[i] : b[i]));
		break;
	case NODE_ABS:
		EACH(a[i] < 0 && !is_unsigned ? 0 - (uint64_t)a[i] : (uint64_t)a[i]);
		break;
	case NODE_MUL_HI:
		if (scalar_bytes((enum scalar)n->type.scalar) > 4) {
			memset(k, 0, lanes);
			return;
		}
		if (n->type.scalar == SCALAR_UINT)
			EACH(((uint64_t)a[i] * (uint64_t)b[i]) >> 32);
		else
			EACH((a[i] * b[i]) >> (8 * scalar_bytes((enum scalar)n->type.scalar)));
		break;
	case NODE_CALL:
		if (n->aux == BUILTIN_POPCOUNT && n->operand_count == 1) {
			EACH(__builtin_popcountll((uint64_t)a[i] & ones));
			break;
		}
		if (n->aux == BUILTIN_CLZ && n->operand_count == 1) {
			EACH(leading_zeros((uint64_t)a[i] & ones, n->type));
			break;
		}
		memset(k, 0, lanes);
		return;
	default:
		memset(k, 0, lanes);
		return;
	}
#undef EACH
	number_wrap_all(n->type, r, lanes);
}

static void real_node(const struct ir_node *n, const int64_t *const *v, int64_t *r, uint8_t *k,
                      unsigned lanes)
{
#define EACH(expression)                                                                           \
	for (unsigned i = 0; i < lanes; i++) {                                                     \
		double a = number_real(v[0][i]), b = number_real(v[1][i]),                         \
		       c = number_real(v[2][i]);                                                   \
                                                                                                   \
		(void)b;                                                                           \
		(void)c;                                                                           \
		r[i] = number_bits(n->type, (expression));                                         \
	}
	switch (n->op) {
	case NODE_ADD:
		EACH(a + b);
		return;
	case NODE_SUB:
		EACH(a - b);
		return;
	case NODE_MUL:
		EACH(a * b);
		return;
	case NODE_FMA:
		EACH(a * b + c);
		return;
	case NODE_DIV:
		EACH(a / b);
		return;
	case NODE_NEG:
		EACH(-a);
		return;
	case NODE_MIN:
		EACH(b < a ? b : a);
		return;
	case NODE_MAX:
		EACH(b > a ? b : a);
		return;
	case NODE_ABS:
		EACH(fabs(a));
		return;
	default:
		break;
	}
	if (n->op == NODE_CALL) {
		switch (n->aux) {
		case BUILTIN_SQRT:
		case BUILTIN_LENGTH:
		case BUILTIN_NATIVE_SQRT:
		case BUILTIN_HALF_SQRT:
			EACH(sqrt(a));
			return;
		case BUILTIN_RSQRT:
		case BUILTIN_NATIVE_RSQRT:
		case BUILTIN_HALF_RSQRT:
			EACH(1 / sqrt(a));
			return;
		case BUILTIN_NATIVE_DIVIDE:
		case BUILTIN_HALF_DIVIDE:
			EACH(a / b);
			return;
		case BUILTIN_NATIVE_RECIP:
		case BUILTIN_HALF_RECIP:
			EACH(1 / a);
			return;
		case BUILTIN_FMIN:
			EACH(fmin(a, b));
			return;
		case BUILTIN_FMAX:
			EACH(fmax(a, b));
			return;
		case BUILTIN_EXP:
		case BUILTIN_NATIVE_EXP:
		case BUILTIN_HALF_EXP:
			EACH(exp(a));
			return;
		case BUILTIN_EXP2:
		case BUILTIN_NATIVE_EXP2:
			EACH(exp2(a));
			return;
		case BUILTIN_LOG:
		case BUILTIN_NATIVE_LOG:
		case BUILTIN_HALF_LOG:
			EACH(log(a));
			return;
		case BUILTIN_LOG2:
		case BUILTIN_NATIVE_LOG2:
			EACH(log2(a));
			return;
		case BUILTIN_POW:
		case BUILTIN_POWR:
		case BUILTIN_NATIVE_POWR:
			EACH(pow(a, b));
			return;
		case BUILTIN_SIN:
		case BUILTIN_SINCOS_SIN:
		case BUILTIN_NATIVE_SIN:
		case BUILTIN_HALF_SIN:
			EACH(sin(a));
			return;
		case BUILTIN_COS:
		case BUILTIN_SINCOS_COS:
		case BUILTIN_NATIVE_COS:
		case BUILTIN_HALF_COS:
			EACH(cos(a));
			return;
		case BUILTIN_TAN:
			EACH(tan(a));
			return;
		case BUILTIN_ATAN:
			EACH(atan(a));
			return;
		case BUILTIN_ATAN2:
			EACH(atan2(a, b));
			return;
		case BUILTIN_FMOD:
			EACH(fmod(a, b));
			return;
		case BUILTIN_HYPOT:
			EACH(hypot(a, b));
			return;
		case BUILTIN_FLOOR:
			EACH(floor(a));
			return;
		case BUILTIN_CEIL:
			EACH(ceil(a));
			return;
		case BUILTIN_TRUNC:
			EACH(trunc(a));
			return;
		case BUILTIN_RINT:
			EACH(rint(a));
			return;
		case BUILTIN_ROUND:
			EACH(round(a));
			return;
		default:
			break;
		}
	}
#undef EACH
	memset(k, 0, lanes);
}

static void convert(struct type from, struct type to, const int64_t *a, int64_t *r, uint8_t *k,
                    unsigned lanes)
{
	if (!type_is_real(from) && !type_is_real(to)) {
		memcpy(r, a, lanes * sizeof(*r));
		number_wrap_all(to, r, lanes);
		return;
	}
	for (unsigned i = 0; i < lanes; i++) {
		if (type_is_real(from) && type_is_real(to)) {
			r[i] = number_bits(to, number_real(a[i]));
		} else if (type_is_real(to)) {
			r[i] = number_bits(to, from.scalar == SCALAR_ULONG ? (double)(uint64_t)a[i]
			                                                   : (double)a[i]);
		} else {
			double real = number_real(a[i]);

			if (real > -9.2e18 && real < 9.2e18)
				r[i] = number_wrap(to, (int64_t)real);
			else
				k[i] = 0;
		}
	}
}

void number_apply(const struct ir_node *n, struct type from, const int64_t *const v[3], int64_t *r,
                  uint8_t *k, unsigned lanes)
{
	switch (n->op) {
	case NODE_EQ:
	case NODE_NE:
	case NODE_LT:
	case NODE_LE:
		compare((enum node_op)n->op, from, v[0], v[1], r, lanes);
		return;
	case NODE_LNOT:
		for (unsigned i = 0; i < lanes; i++)
			r[i] = type_is_real(from) ? number_real(v[0][i]) == 0 : v[0][i] == 0;
		return;
	case NODE_CONVERT:
		convert(from, n->type, v[0], r, k, lanes);
		return;
	case NODE_BITCAST:
		if (type_is_integer(from) && type_is_integer(n->type))
			convert(from, n->type, v[0], r, k, lanes);
		else if (from.scalar == n->type.scalar)
			memcpy(r, v[0], lanes * sizeof(*r));
		else
			memset(k, 0, lanes);
		return;
	default:
		break;
	}
	if (type_is_real(n->type))
		real_node(n, v, r, k, lanes);
	else
		integer_node(n, v, r, k, lanes);
}
