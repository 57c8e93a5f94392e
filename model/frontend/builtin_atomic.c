/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics: the functions of OpenCL 1.x and the C11 family of 2.x. */
#include "model/frontend/lower.h"

#include <string.h>

/* Which argument is the operand; -1: none (inc, dec, load), -2: compare and exchange. */
static const struct {
	const char *name;
	int operand;
	bool is_c11;
	enum atomic_way way;
} atomics[] = {
        {"add", 1, false, ATOMIC_SUM},
        {"sub", 1, false, ATOMIC_SUM},
        {"xchg", 1, false, ATOMIC_EXCHANGE},
        {"inc", -1, false, ATOMIC_SUM},
        {"dec", -1, false, ATOMIC_SUM},
        {"cmpxchg", -2, false, ATOMIC_EXCHANGE},
        {"min", 1, false, ATOMIC_EXTREME},
        {"max", 1, false, ATOMIC_EXTREME},
        {"and", 1, false, ATOMIC_SUM},
        {"or", 1, false, ATOMIC_SUM},
        {"xor", 1, false, ATOMIC_SUM},
        {"fetch_add", 1, true, ATOMIC_SUM},
        {"fetch_sub", 1, true, ATOMIC_SUM},
        {"fetch_or", 1, true, ATOMIC_SUM},
        {"fetch_xor", 1, true, ATOMIC_SUM},
        {"fetch_and", 1, true, ATOMIC_SUM},
        {"fetch_min", 1, true, ATOMIC_EXTREME},
        {"fetch_max", 1, true, ATOMIC_EXTREME},
        {"exchange", 1, true, ATOMIC_EXCHANGE},
        {"load", -1, true, ATOMIC_EXCHANGE},
        {"store", 1, true, ATOMIC_EXCHANGE},
        {"flag_test_and_set", -1, true, ATOMIC_EXCHANGE},
        {"flag_clear", -1, true, ATOMIC_EXCHANGE},
        {"compare_exchange_strong", -2, true, ATOMIC_EXCHANGE},
        {"compare_exchange_weak", -2, true, ATOMIC_EXCHANGE},
};

static int atomic_find(const char *name)
{
	char text[64];
	bool is_atom = strncmp(name, "atom_", 5) == 0;
	if (!is_atom && strncmp(name, "atomic_", 7) != 0)
		return -1;
	const char *rest = name + (is_atom ? 5 : 7);
	size_t length = strlen(rest);
	if (length >= sizeof(text))
		return -1;
	(void)memcpy(text, rest, length + 1);
	if (length > 9 && strcmp(text + length - 9, "_explicit") == 0)
		text[length - 9] = '\0';
	for (size_t i = 0; i < sizeof(atomics) / sizeof(atomics[0]); i++)
		if (strcmp(text, atomics[i].name) == 0 && !(is_atom && atomics[i].is_c11))
			return (int)i;
	return -1;
}

/* The type that the operation moves: of what the pointer points to. */
static struct type atomic_type(struct lower *l, CXCursor argument)
{
	struct type type = type_scalar(SCALAR_INT);
	CXType pointee = type_pointee(clang_getCursorType(argument));
	if (!type_of(pointee, &type) && type_is_struct(pointee))
		return type_scalar(SCALAR_INT); /* atomic_flag */
	if (type.width != 1)
		lower_fail(l, argument, "atomic on a vector");
	return type;
}

static struct value compare_exchange(struct lower *l, const struct call *call,
                                     const struct pointer *pointer, struct type type, bool is_c11)
{
	struct type truth = type_scalar(SCALAR_INT);
	uint32_t wanted;
	struct place expected = {0};
	if (is_c11) {
		expected.pointer = lower_pointer(l, call->arguments[1]);
		expected.type = type_pointee(clang_getCursorType(call->arguments[1]));
		wanted = value_as_node(l, place_load(l, &expected, call->cursor), call->cursor);
	} else {
		wanted = lower_node(l, call->arguments[1]);
	}
	uint32_t value = convert_node(l, lower_node(l, call->arguments[2]), type);
	uint32_t old = memory_atomic(l, pointer, type, value, ATOMIC_EXCHANGE, call->cursor);
	if (!is_c11 || l->failed)
		return value_node(old);
	place_store(l, &expected, value_node(old), call->cursor);
	return value_node(convert_node(
	        l, node_binary(l, NODE_EQ, truth, old, convert_node(l, wanted, type)), call->type));
}

bool builtin_atomic(struct lower *l, const struct call *call, struct value *result)
{
	if (strcmp(call->name, "atomic_init") == 0 && call->count == 2) {
		struct type type = atomic_type(l, call->arguments[0]);
		struct pointer pointer = lower_pointer(l, call->arguments[0]);
		uint32_t value = lower_node(l, call->arguments[1]);
		memory_store(l, &pointer, type, value, call->cursor);
		return true;
	}
	int row = atomic_find(call->name);
	if (row < 0)
		return false;
	unsigned wanted = atomics[row].operand == -2 ? 3 : atomics[row].operand == 1 ? 2 : 1;
	if (call->count < wanted) {
		lower_fail(l, call->cursor, "function %.60s", call->name);
		return true;
	}
	struct type type = atomic_type(l, call->arguments[0]);
	struct pointer pointer = lower_pointer(l, call->arguments[0]);
	if (atomics[row].operand == -2) {
		*result = compare_exchange(l, call, &pointer, type, atomics[row].is_c11);
		return true;
	}
	uint32_t value = atomics[row].operand == 1
	                         ? convert_node(l, lower_node(l, call->arguments[1]), type)
	                         : node_number(l, type, 1);
	uint32_t old = memory_atomic(l, &pointer, type, value, atomics[row].way, call->cursor);
	if (call->type.scalar != SCALAR_VOID)
		*result = value_node(convert_node(l, old, call->type));
	return true;
}
