/* SPDX-License-Identifier: Apache-2.0 */
/* vloadN, vstoreN and the functions that give a second result through a pointer. */
#include "model/frontend/lower.h"

#include <stdlib.h>
#include <string.h>

/* "vload4", "vstore_half4_rte", "vloada_half16": width, whether half, whether aligned. */
static bool vector_name(const char *name, bool *is_store, bool *is_half, bool *is_aligned,
                        unsigned *width)
{
	*is_store = strncmp(name, "vstore", 6) == 0;
	if (!*is_store && strncmp(name, "vload", 5) != 0)
		return false;
	name += *is_store ? 6 : 5;
	*is_aligned = name[0] == 'a' && name[1] == '_';
	name += *is_aligned ? 1 : 0;
	*is_half = strncmp(name, "_half", 5) == 0;
	name += *is_half ? 5 : 0;
	*width = 1;
	if (*name >= '1' && *name <= '9') {
		char *end;
		unsigned long value = strtoul(name, &end, 10);
		*width = value <= 16 ? (unsigned)value : 0;
		name = end;
	} else if (!*is_half) {
		return false;
	}
	return type_is_valid((struct type){SCALAR_INT, (uint8_t)*width}) &&
	       (*name == '\0' || (*is_store && *is_half && strncmp(name, "_rt", 3) == 0));
}

/* Of accesses since the first of them: those of vectors may begin at any element. */
static void pack(struct ir_kernel *kernel, uint32_t first)
{
	for (uint32_t i = first; i < kernel->access_count; i++)
		kernel->accesses[i].is_packed = kernel->accesses[i].kind != ACCESS_ATOMIC &&
		                                kernel->accesses[i].type.width > 1;
}

static bool vector_access(struct lower *l, const struct call *call, struct value *result)
{
	bool is_store, is_half, is_aligned;
	unsigned width;
	uint32_t first;
	if (!vector_name(call->name, &is_store, &is_half, &is_aligned, &width) ||
	    call->count != (is_store ? 3u : 2u))
		return false;
	CXCursor where = call->arguments[call->count - 1];
	struct type element;
	if (!type_of(type_pointee(clang_getCursorType(where)), &element) || element.width != 1) {
		lower_fail(l, call->cursor, "function %.60s", call->name);
		return true;
	}
	struct type type = {element.scalar, (uint8_t)width};
	uint32_t value = is_store ? lower_node(l, call->arguments[0]) : 0;
	uint32_t index = lower_node(l, call->arguments[is_store ? 1 : 0]);
	struct pointer pointer = lower_pointer(l, where);
	/* three elements lie three apart, but four in the aligned forms */
	unsigned step = is_aligned && width == 3 ? 4 : width;
	pointer =
	        pointer_add(l, pointer, index, (uint64_t)step * type_bytes(element), call->cursor);
	if (l->failed)
		return true;
	first = l->kernel->access_count;
	if (is_store) {
		pointer_store(l, &pointer, type, value_node(convert_node(l, value, type)),
		              call->cursor);
	} else {
		value = value_as_node(l, pointer_load(l, &pointer, type, call->cursor),
		                      call->cursor);
		*result = value_node(is_half ? convert_node(l, value, call->type) : value);
	}
	if (!is_aligned && !l->failed)
		pack(l->kernel, first);
	return true;
}

static const struct {
	const char *name;
	enum builtin result, second; /* of the same operand; second is what the pointer gets */
	bool is_integer;             /* the second result */
} doubles[] = {
        {"sincos", BUILTIN_SINCOS_SIN, BUILTIN_SINCOS_COS, false},
        {"fract", BUILTIN_FRACT, BUILTIN_FLOOR, false},
        {"modf", BUILTIN_MODF, BUILTIN_TRUNC, false},
        {"frexp", BUILTIN_FREXP, BUILTIN_ILOGB, true},
        {"lgamma_r", BUILTIN_LGAMMA, BUILTIN_SIGN, true},
};

static uint32_t call_of(struct lower *l, enum builtin builtin, struct type type, uint32_t operand)
{
	write_operation(l, builtin_class(builtin), node_type(l, operand),
	                builtin_operations(builtin));
	uint32_t node = kernel_node(l->kernel, NODE_CALL, type, &operand, 1, (uint32_t)builtin, 0);
	if (node == IR_NONE)
		lower_fail(l, l->frame->declaration, "too large");
	return node == IR_NONE ? 0 : node;
}

static bool double_result(struct lower *l, const struct call *call, struct value *result)
{
	for (size_t i = 0; i < sizeof(doubles) / sizeof(doubles[0]); i++) {
		if (strcmp(call->name, doubles[i].name) != 0 || call->count != 2)
			continue;
		uint32_t operand = lower_node(l, call->arguments[0]);
		struct place place = {
		        .pointer = lower_pointer(l, call->arguments[1]),
		        .type = type_pointee(clang_getCursorType(call->arguments[1]))};
		if (l->failed)
			return true;
		struct type type = node_type(l, operand), second = type;
		if (doubles[i].is_integer)
			second.scalar = SCALAR_INT;
		*result = value_node(call_of(l, doubles[i].result, type, operand));
		uint32_t other =
		        call_of(l, doubles[i].second,
		                doubles[i].second == BUILTIN_ILOGB ? second : type, operand);
		place_store(l, &place, value_node(convert_node(l, other, second)), call->cursor);
		return true;
	}
	if (strcmp(call->name, "remquo") == 0 && call->count == 3) {
		uint32_t operands[2] = {lower_node(l, call->arguments[0]),
		                        lower_node(l, call->arguments[1])};
		struct place place = {
		        .pointer = lower_pointer(l, call->arguments[2]),
		        .type = type_pointee(clang_getCursorType(call->arguments[2]))};
		if (l->failed)
			return true;
		struct type type = node_type(l, operands[0]), second = type;
		second.scalar = SCALAR_INT;
		write_operation(l, OP_CLASS_FMOD, type, 1);
		uint32_t node =
		        kernel_node(l->kernel, NODE_CALL, type, operands, 2, BUILTIN_REMAINDER, 0);
		*result = value_node(node == IR_NONE ? 0 : node);
		uint32_t quotient = node_binary(l, NODE_DIV, type, operands[0], operands[1]);
		place_store(l, &place, value_node(convert_node(l, quotient, second)), call->cursor);
		return true;
	}
	return false;
}

bool builtin_memory(struct lower *l, const struct call *call, struct value *result)
{
	return vector_access(l, call, result) || double_result(l, call, result);
}
