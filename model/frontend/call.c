/* SPDX-License-Identifier: Apache-2.0 */
/* Calls: the program's functions are inlined, built-ins go to their tables. */
#include "model/frontend/lower.h"

#include <string.h>

enum { CALL_ARGUMENTS_MAX = 64 };

bool function_fault(struct lower *l, CXCursor definition, CXCursor at)
{
	const struct fault *fault = translation_fault(l->translation, definition);
	char why[96];
	if (fault != NULL) {
		fault_say(fault, why, sizeof(why));
		lower_fail(l, at, "%s", why);
	}
	return fault != NULL;
}

static bool is_active(const struct lower *l, CXCursor definition)
{
	for (const struct function_frame *frame = l->frame; frame != NULL; frame = frame->caller)
		if (clang_equalCursors(frame->declaration, definition))
			return true;
	return false;
}

static CXCursor function_body(struct lower *l, CXCursor definition)
{
	struct cursor_list list = cursor_children(l, definition);
	for (unsigned i = list.count; i-- > 0;)
		if (clang_getCursorKind(list.at[i]) == CXCursor_CompoundStmt)
			return list.at[i];
	return clang_getNullCursor();
}

static bool bind_parameter(struct lower *l, CXCursor parameter, struct value value, CXCursor at)
{
	struct layout layout;
	CXType type = type_canonical(clang_getCursorType(parameter));
	struct type scalar;
	bool is_array = is_array_parameter(parameter);
	if (is_array ? !layout_of_pointer(l, type_pointee(type), parameter, &layout)
	             : !layout_of(l, type, parameter, &layout)) {
		lower_fail(l, at, "argument too large to copy");
		return false;
	}
	if (type_of(type, &scalar))
		value = value_node(convert_node(l, value_as_node(l, value, at), scalar));
	if (!is_array && array_is_dynamic(l, parameter)) {
		declare_in_memory(l, parameter);
		struct place memory = {.type = type};
		if (!l->failed)
			memory.pointer = variable_find(l, parameter)->where;
		place_store(l, &memory, value, at);
		return !l->failed;
	}
	uint32_t first = cells_new(l, &layout);
	struct variable *variable = l->failed ? NULL : variable_bind(l, parameter);
	if (variable == NULL)
		return false;
	variable->where = (struct pointer){.target = POINTER_CELLS,
	                                   .base = first,
	                                   .cells = layout.count,
	                                   .index = IR_NONE,
	                                   .scale = 1};
	struct place place = {.pointer = variable->where, .type = type};
	if (is_array)
		cell_set(l, first, value);
	else
		place_store(l, &place, value, at);
	return !l->failed;
}

/* The result's cells as one value. */
static struct value result_value(struct lower *l, CXCursor cursor,
                                 const struct function_frame *frame)
{
	CXType type = type_canonical(clang_getCursorType(cursor));
	if (frame->result == IR_NONE || l->failed)
		return (struct value){0};
	struct place place = {.type = type,
	                      .pointer = {.target = POINTER_CELLS,
	                                  .base = frame->result,
	                                  .cells = frame->result_count,
	                                  .index = IR_NONE,
	                                  .scale = 1}};
	return place_load(l, &place, cursor);
}

void lower_function_body(struct lower *l, struct function_frame *frame)
{
	bool is_simple =
	        scan_returns_at_tail(l, frame->body) || scan_is_simple_function(l, frame->body);
	bool was_tail = l->is_tail;
	struct target target = {.is_function = true, .statement = IR_NONE};
	uint32_t block = l->block, cache_mark = l->cache_count;
	if (!is_simple) {
		struct ir_statement statement =
		        statement_of(STATEMENT_SCOPE, cursor_line(frame->body));
		statement.body = kernel_block(l->kernel);
		target.statement = kernel_append(l->kernel, l->block, &statement);
		if (target.statement == IR_NONE)
			lower_fail(l, frame->body, "too many statements");
		l->block = statement.body;
	}
	target_push(l, target, frame->body);
	if (l->failed)
		return;
	uint32_t index = l->target_count - 1;
	l->is_tail = true;
	lower_statement(l, frame->body);
	l->is_tail = was_tail;
	if (l->failed)
		return;
	target_join(l, index, false, frame->body);
	l->target_count = index;
	l->block = block;
	if (!is_simple && l->cache_count > cache_mark)
		l->cache_count = cache_mark;
}

static struct value inline_call(struct lower *l, CXCursor cursor, CXCursor definition)
{
	struct function_frame frame = {
	        .declaration = definition, .result = IR_NONE, .caller = l->frame};
	struct value values[CALL_ARGUMENTS_MAX];
	int count = clang_Cursor_getNumArguments(cursor);
	char name[IR_NAME_MAX];
	cursor_name(definition, name);
	if (function_fault(l, definition, cursor))
		return (struct value){0};
	if (is_active(l, definition)) {
		lower_fail(l, cursor, "recursion in %.60s", name);
		return (struct value){0};
	}
	if (l->inline_depth == FRONTEND_INLINE_DEPTH_MAX || count > CALL_ARGUMENTS_MAX ||
	    count != clang_Cursor_getNumArguments(definition)) {
		lower_fail(l, cursor, "calls nested too deeply at %.60s", name);
		return (struct value){0};
	}
	for (int i = 0; i < count; i++)
		values[i] = lower_expression(l, clang_Cursor_getArgument(cursor, (unsigned)i));
	frame.body = function_body(l, definition);
	for (int i = 0; i < count && !l->failed; i++) {
		/* a parameter that is an array inside is looked for in its own function */
		l->frame = &frame;
		(void)bind_parameter(l, clang_Cursor_getArgument(definition, (unsigned)i),
		                     values[i], clang_Cursor_getArgument(cursor, (unsigned)i));
		l->frame = frame.caller;
	}
	CXType type = type_canonical(clang_getCursorResultType(definition));
	if (!l->failed && type.kind != CXType_Void) {
		struct layout layout;
		if (!layout_of(l, type, cursor, &layout))
			lower_fail(l, cursor, "result too large to copy");
		frame.result = l->failed ? IR_NONE : cells_new(l, &layout);
		frame.result_count = layout.count;
	}
	if (l->failed)
		return (struct value){0};
	l->frame = &frame;
	l->inline_depth++;
	lower_function_body(l, &frame);
	l->inline_depth--;
	l->frame = frame.caller;
	if (!l->failed && l->terminated) {
		/* it never returns */
		return (struct value){0};
	}
	return result_value(l, cursor, &frame);
}

struct value lower_call(struct lower *l, CXCursor cursor)
{
	CXCursor callee = clang_getCursorReferenced(cursor);
	char name[IR_NAME_MAX];
	struct call call = {.cursor = cursor, .name = name};
	struct value result = {0};
	if (clang_Cursor_isNull(callee) || clang_getCursorKind(callee) != CXCursor_FunctionDecl) {
		lower_fail(l, cursor,
		           l->translation->fault_count > 0 ? "call of a function of an unknown type"
		                                           : "call through a pointer");
		return result;
	}
	CXCursor definition = clang_getCursorDefinition(callee);
	if (!clang_Cursor_isNull(definition))
		return inline_call(l, cursor, definition);
	cursor_name(callee, name);
	int count = clang_Cursor_getNumArguments(cursor);
	if (!type_of(clang_getCursorType(cursor), &call.type))
		call.type = type_scalar(SCALAR_VOID);
	/* printf has as many as it likes, and each is evaluated */
	for (int i = 0; i < count && call.count < 16; i++)
		call.arguments[call.count++] = clang_Cursor_getArgument(cursor, (unsigned)i);
	builtin_strip(&call);
	if (builtin_work_item(l, &call, &result) || builtin_group(l, &call, &result) ||
	    builtin_bits(l, &call, &result) || builtin_math(l, &call, &result) ||
	    builtin_memory(l, &call, &result) || builtin_atomic(l, &call, &result) ||
	    builtin_image(l, &call, &result))
		return result;
	return unknown_call(l, &call);
}
