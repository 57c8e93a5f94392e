/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of work: what the rows of a breakdown are about, as far as models err in them together.
 * Rows are told by their words, which the default model writes; operations are grouped by what a
 * processor makes of them, so that a kernel with exp() says something of one with log().
 */
#include <math.h>
#include <string.h>

#include "model/correction/state.h"
#include "model/ir/ops.h"
#include "model/ir/type.h"

/* Groups of operations of one type; the last two are groups of all types. */
enum {
	GROUP_SIMPLE,
	GROUP_ADD,
	GROUP_MUL,
	GROUP_FMA,
	GROUP_DIV,
	GROUP_ODD,
	GROUP_FUNCTION,
	GROUP_NATIVE,
};

enum { GROUPS_OF_TYPE = GROUP_FUNCTION, TYPES = 3 /* int, long, float */ };

static const uint8_t groups[OP_CLASS_COUNT] = {
        [OP_CLASS_ADD] = GROUP_ADD,
        [OP_CLASS_MUL] = GROUP_MUL,
        [OP_CLASS_FMA] = GROUP_FMA,
        [OP_CLASS_DIV] = GROUP_DIV,
        [OP_CLASS_MOD] = GROUP_DIV,
        [OP_CLASS_WIDE_DIV] = GROUP_DIV,
        [OP_CLASS_WIDE_MOD] = GROUP_DIV,
        [OP_CLASS_FMOD] = GROUP_DIV,
        [OP_CLASS_ODD] = GROUP_ODD,
        [OP_CLASS_POPCOUNT] = GROUP_ODD,
        [OP_CLASS_CLZ] = GROUP_ODD,
        [OP_CLASS_MUL_HI] = GROUP_ODD,
        [OP_CLASS_SQRT] = GROUP_FUNCTION,
        [OP_CLASS_RSQRT] = GROUP_FUNCTION,
        [OP_CLASS_EXP] = GROUP_FUNCTION,
        [OP_CLASS_LOG] = GROUP_FUNCTION,
        [OP_CLASS_POW] = GROUP_FUNCTION,
        [OP_CLASS_SIN] = GROUP_FUNCTION,
        [OP_CLASS_TAN] = GROUP_FUNCTION,
        [OP_CLASS_ATAN] = GROUP_FUNCTION,
        [OP_CLASS_HYPER] = GROUP_FUNCTION,
        [OP_CLASS_GAMMA] = GROUP_FUNCTION,
        [OP_CLASS_HYPOT] = GROUP_FUNCTION,
        [OP_CLASS_EXP2] = GROUP_FUNCTION,
        [OP_CLASS_EXP10] = GROUP_FUNCTION,
        [OP_CLASS_EXPM1] = GROUP_FUNCTION,
        [OP_CLASS_LOG2] = GROUP_FUNCTION,
        [OP_CLASS_LOG1P] = GROUP_FUNCTION,
        [OP_CLASS_CBRT] = GROUP_FUNCTION,
        [OP_CLASS_SINCOS] = GROUP_FUNCTION,
        [OP_CLASS_SINPI] = GROUP_FUNCTION,
        [OP_CLASS_ASIN] = GROUP_FUNCTION,
        [OP_CLASS_ATAN2] = GROUP_FUNCTION,
        [OP_CLASS_SINH] = GROUP_FUNCTION,
        [OP_CLASS_ASINH] = GROUP_FUNCTION,
        [OP_CLASS_ERFC] = GROUP_FUNCTION,
        [OP_CLASS_LGAMMA] = GROUP_FUNCTION,
        [OP_CLASS_TGAMMA] = GROUP_FUNCTION,
        [OP_CLASS_NATIVE_DIV] = GROUP_NATIVE,
        [OP_CLASS_NATIVE_SQRT] = GROUP_NATIVE,
        [OP_CLASS_NATIVE_EXP] = GROUP_NATIVE,
        [OP_CLASS_NATIVE_LOG] = GROUP_NATIVE,
        [OP_CLASS_NATIVE_POW] = GROUP_NATIVE,
        [OP_CLASS_NATIVE_SIN] = GROUP_NATIVE,
        [OP_CLASS_NATIVE_TAN] = GROUP_NATIVE,
        [OP_CLASS_NATIVE_EXP2] = GROUP_NATIVE,
        [OP_CLASS_NATIVE_LOG2] = GROUP_NATIVE,
        [OP_CLASS_HALF_SIN] = GROUP_NATIVE,
};

/* How other rows begin; those of one number are one kind. */
static const struct {
	const char *words;
	unsigned kind;
} others[] = {
        {"launch", 0},           {"reaching memory", 0},    {"work-groups", 1},
        {"work-items", 2},       {"loop iterations", 3},    {"branches guessed wrong", 4},
        {"latency of", 5},       {"constant read", 6},      {"interval read", 7},
        {"coalesced read", 8},   {"repeated read", 8},      {"uncoalesced read", 9},
        {"coalesced write", 10}, {"uncoalesced write", 11}, {"constant write", 11},
        {"interval write", 11},  {"repeated write", 11},    {"private ", 12},
        {"local load", 13},      {"local store", 14},       {"bank conflict", 15},
        {"barrier", 16},         {"global atomic", 17},     {"local atomic", 18},
        {"image ", 19},          {"linear image ", 19},     {"bytes from L2", 20},
        {"bytes from L3", 21},   {"bytes from L4", 22},     {"bytes from memory", 23},
};

enum { OTHERS = 24, DOUBLE = TYPES * GROUPS_OF_TYPE, FUNCTION, NATIVE, FIRST_OTHER };
_Static_assert((int)FIRST_OTHER + (int)OTHERS == (int)WORK_KINDS,
               "every kind of work has a number");

static unsigned of_operation(enum type_class type, const char *name)
{
	static const unsigned types[TYPE_CLASS_COUNT] = {[TYPE_CLASS_INT] = 0,
	                                                 [TYPE_CLASS_LONG] = 1,
	                                                 [TYPE_CLASS_HALF] = 2,
	                                                 [TYPE_CLASS_FLOAT] = 2};

	for (unsigned op = 0; op < OP_CLASS_COUNT; op++) {
		if (strcmp(name, op_class_name((enum op_class)op)) != 0)
			continue;
		if (groups[op] == GROUP_FUNCTION)
			return FUNCTION;
		if (groups[op] == GROUP_NATIVE)
			return NATIVE;
		if (type == TYPE_CLASS_DOUBLE)
			return DOUBLE;
		return types[type] * GROUPS_OF_TYPE + groups[op];
	}
	return WORK_KINDS;
}

unsigned work_kind(const char *what)
{
	for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++) {
		const char *name = type_class_name((enum type_class)type);
		size_t length = strlen(name);

		if (strncmp(what, name, length) == 0 && what[length] == ' ')
			return of_operation((enum type_class)type, what + length + 1);
	}
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strncmp(what, others[i].words, strlen(others[i].words)) == 0)
			return FIRST_OTHER + others[i].kind;
	return WORK_KINDS;
}

void work_fill(const struct prediction *prediction, uint8_t share[WORK_KINDS])
{
	double time_s[WORK_KINDS + 1] = {0};

	for (uint32_t i = 0; i < prediction->row_count; i++) {
		double row_s = prediction->rows[i].time_s;
		if (row_s > 0)
			time_s[work_kind(prediction->rows[i].what)] += row_s;
	}
	for (unsigned i = 0; i < WORK_KINDS; i++) {
		double part = fmin(1, time_s[i] / prediction->kernel_time_s);
		share[i] = (uint8_t)lround(255 * sqrt(part));
	}
}
