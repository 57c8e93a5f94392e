/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of bits and bytes as the operations that they are: cl_khr_integer_dot_product,
 * cl_khr_extended_bit_ops. And compilers' built-ins, which have other names for what OpenCL C
 * has, too.
 */
#include "model/frontend/lower.h"

#include <stdlib.h>
#include <string.h>

/* ---- cl_khr_integer_dot_product ---------------------------------------------------------------
 */

/* Four bytes of a word, or a vector of bytes, as numbers of the result's type. */
static uint32_t bytes_of(struct lower *l, uint32_t node, bool is_signed, struct type type)
{
	struct type bytes = {is_signed ? SCALAR_CHAR : SCALAR_UCHAR, 4};
	struct type wide = {type.scalar, 4};

	if (node_type(l, node).width == 1)
		node = node_unary(l, NODE_BITCAST, bytes, node);
	return convert_node(l, node, wide);
}

/* dot_4x8packed_su_int(a, b), dot_acc_sat_4x8packed_uu_uint(a, b, c), dot_acc_sat(a, b, c) */
static bool dot_product(struct lower *l, const struct call *call, struct value *result)
{
	static const char packed[] = "4x8packed_";
	const char *word = call->name;
	uint32_t operands[3] = {0};
	bool is_signed[2] = {false, false};

	if (strncmp(word, "dot_", 4) != 0 || !type_is_integer(call->type))
		return false;
	word += 4;
	bool accumulates = strncmp(word, "acc_sat", 7) == 0;
	unsigned wanted = accumulates ? 3 : 2;
	if (accumulates)
		word += word[7] == '_' ? 8 : 7;
	if (strncmp(word, packed, sizeof(packed) - 1) == 0) {
		word += sizeof(packed) - 1;
		is_signed[0] = word[0] == 's';
		is_signed[1] = word[0] != '\0' && word[1] == 's';
	} else if (!accumulates || *word != '\0') {
		return false;
	}
	if (call->count != wanted)
		return false;
	for (unsigned i = 0; i < wanted; i++)
		operands[i] = lower_node(l, call->arguments[i]);
	if (l->failed)
		return true;
	uint32_t node = node_dot(l, bytes_of(l, operands[0], is_signed[0], call->type),
	                         bytes_of(l, operands[1], is_signed[1], call->type));
	if (accumulates) {
		uint32_t sum[2] = {node, convert_node(l, operands[2], call->type)};
		node = node_call(l, BUILTIN_ADD_SAT, call->type, sum, 2);
	}
	*result = value_node(node);
	return true;
}

/* ---- cl_khr_extended_bit_ops ------------------------------------------------------------------
 */

static uint32_t bits(struct lower *l, enum node_op op, uint32_t a, uint32_t b)
{
	struct type type = node_type(l, a);

	return node_operation(l, op, type, a, convert_node(l, b, type));
}

/* (1 << count) - 1 */
static uint32_t mask_of(struct lower *l, struct type type, uint32_t count)
{
	uint32_t one = node_number(l, type, 1);

	return node_operation(l, NODE_SUB, type, bits(l, NODE_SHL, one, count), one);
}

/* Halves of halves change places: shifts either way, two masks, and what joins them. */
static uint32_t reversed(struct lower *l, uint32_t node)
{
	struct type type = node_type(l, node);
	unsigned width = 8 * scalar_bytes((enum scalar)type.scalar);

	for (unsigned step = width / 2; step > 0 && !l->failed; step /= 2) {
		/* a bit of every 2 * step, times step of them: 0x...00ff00ff */
		uint64_t mask = UINT64_MAX / ((UINT64_C(1) << step) + 1);
		struct type one = type_scalar((enum scalar)type.scalar);
		uint32_t by = node_number(l, one, step);
		uint32_t low = convert_node(
		        l, node_check(l, kernel_integer(l->kernel, one, (int64_t)mask)), type);

		node = bits(l, NODE_OR, bits(l, NODE_AND, bits(l, NODE_SHR, node, by), low),
		            bits(l, NODE_SHL, bits(l, NODE_AND, node, low), by));
	}
	return node;
}

static bool bit_field(struct lower *l, const struct call *call, struct value *result)
{
	bool is_insert = strcmp(call->name, "bitfield_insert") == 0;
	bool is_signed = strcmp(call->name, "bitfield_extract_signed") == 0;
	bool is_reverse = strcmp(call->name, "bit_reverse") == 0;
	unsigned wanted = is_insert ? 4 : is_reverse ? 1 : 3;
	uint32_t a[4] = {0};

	if ((!is_insert && !is_signed && !is_reverse &&
	     strcmp(call->name, "bitfield_extract_unsigned") != 0) ||
	    call->count != wanted || !type_is_integer(call->type))
		return false;
	for (unsigned i = 0; i < wanted; i++)
		a[i] = lower_node(l, call->arguments[i]);
	if (l->failed)
		return true;
	a[0] = convert_node(l, a[0], call->type);
	if (is_reverse) {
		*result = value_node(reversed(l, a[0]));
	} else if (is_insert) {
		uint32_t mask = bits(l, NODE_SHL, mask_of(l, call->type, a[3]), a[2]);
		uint32_t kept = bits(l, NODE_AND, a[0], node_unary(l, NODE_NOT, call->type, mask));

		a[1] = bits(l, NODE_SHL, convert_node(l, a[1], call->type), a[2]);
		*result = value_node(bits(l, NODE_OR, kept, bits(l, NODE_AND, a[1], mask)));
	} else if (is_signed) {
		/* up to the top, and down again with the sign */
		uint32_t width = node_number(l, type_scalar(SCALAR_UINT),
		                             8 * scalar_bytes((enum scalar)call->type.scalar));
		uint32_t up = bits(l, NODE_SUB, bits(l, NODE_SUB, width, a[1]), a[2]);

		*result = value_node(bits(l, NODE_SHR, bits(l, NODE_SHL, a[0], up),
		                          bits(l, NODE_SUB, width, a[2])));
	} else {
		*result = value_node(bits(l, NODE_AND, bits(l, NODE_SHR, a[0], a[1]),
		                          mask_of(l, call->type, a[2])));
	}
	return true;
}

/* ---- compilers' built-ins ---------------------------------------------------------------------
 */

/* By OpenCL C's names, where they are others. */
static const struct {
	const char *name, *own;
} compilers[] = {
        {"popcountl", "popcount"},
        {"popcountll", "popcount"},
        {"clzl", "clz"},
        {"clzll", "clz"},
        {"ctzl", "ctz"},
        {"ctzll", "ctz"},
        {"bswap16", "byte_swap"},
        {"bswap32", "byte_swap"},
        {"bswap64", "byte_swap"},
        {"rotateleft8", "rotate"},
        {"rotateleft16", "rotate"},
        {"rotateleft32", "rotate"},
        {"rotateleft64", "rotate"},
        {"rotateright8", "rotate"},
        {"rotateright16", "rotate"},
        {"rotateright32", "rotate"},
        {"rotateright64", "rotate"},
        {"labs", "abs"},
        {"llabs", "abs"},
        {"bitreverse8", "bit_reverse"},
        {"bitreverse16", "bit_reverse"},
        {"bitreverse32", "bit_reverse"},
        {"bitreverse64", "bit_reverse"},
        {"elementwise_max", "max"},
        {"elementwise_min", "min"},
        {"elementwise_abs", "abs"},
        {"elementwise_ceil", "ceil"},
        {"elementwise_floor", "floor"},
        {"elementwise_sqrt", "sqrt"},
        {"elementwise_fma", "fma"},
        {"elementwise_exp", "exp"},
        {"elementwise_log", "log"},
        {"elementwise_sin", "sin"},
        {"elementwise_cos", "cos"},
        {"elementwise_popcount", "popcount"},
};

void builtin_strip(struct call *call)
{
	static const char prefix[] = "__builtin_";
	char plain[IR_NAME_MAX];
	const char *name = call->name + sizeof(prefix) - 1;
	size_t length;

	if (strncmp(call->name, prefix, sizeof(prefix) - 1) != 0)
		return;
	for (size_t i = 0; i < sizeof(compilers) / sizeof(compilers[0]); i++)
		if (strcmp(name, compilers[i].name) == 0) {
			call->name = compilers[i].own;
			return;
		}
	if (builtin_find(name) >= 0 || strcmp(name, "fma") == 0 || strcmp(name, "abs") == 0 ||
	    strcmp(name, "fabs") == 0) {
		call->name = name;
		return;
	}
	/* sqrtf, fmaf, fabsf: of float */
	length = strlen(name);
	if (length < 2 || length >= sizeof(plain) || name[length - 1] != 'f')
		return;
	(void)memcpy(plain, name, length - 1);
	plain[length - 1] = '\0';
	if (builtin_find(plain) >= 0)
		call->name = builtin_name((enum builtin)builtin_find(plain));
	else if (strcmp(plain, "fma") == 0)
		call->name = "fma";
	else if (strcmp(plain, "fabs") == 0)
		call->name = "fabs";
}

/* Those whose value is one of their arguments: what they say to a compiler costs nothing. */
static bool hint(struct lower *l, const struct call *call, struct value *result)
{
	static const char *const names[] = {"__builtin_expect", "__builtin_expect_with_probability",
	                                    "__builtin_assume_aligned"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(call->name, names[i]) == 0 && call->count > 0) {
			*result = lower_expression(l, call->arguments[0]);
			for (unsigned a = 1; a < call->count; a++)
				(void)lower_expression(l, call->arguments[a]);
			return true;
		}
	if (strcmp(call->name, "__builtin_constant_p") != 0)
		return false;
	*result = value_node(node_zero(l, call->type));
	return true;
}

bool builtin_bits(struct lower *l, const struct call *call, struct value *result)
{
	return hint(l, call, result) || dot_product(l, call, result) || bit_field(l, call, result);
}
