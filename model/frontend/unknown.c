/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is not known, amid what is: functions without a body, inline assembly, pointers that
 * memory holds. Each becomes an effect that stands for as many operations as can be told from
 * outside, and its results are values that nobody can know. How much of a launch these are is
 * seen when it is evaluated (model/answer/interval.h): a prediction says so and has a wider
 * interval, or falls back.
 */
#include "model/frontend/lower.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lower_unknown(struct lower *l, CXCursor at, uint32_t count, const char *format, ...)
{
	char text[IR_NAME_MAX];
	va_list list;

	if (l->failed)
		return;
	va_start(list, format);
	(void)vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	if (kernel_append_unknown(l->kernel, l->block, cursor_line(at), count, text) == IR_NONE)
		lower_fail(l, at, "too many statements");
}

static struct value unknown_value(struct lower *l, struct type type)
{
	return l->failed ? (struct value){0}
	                 : value_node(node_check(l, kernel_unknown(l->kernel, type)));
}

/* What a pointer points to may be anything from here on. */
static void forget(struct lower *l, const struct pointer *pointer)
{
	if (pointer->target == POINTER_OBJECT) {
		cache_forget_object(l, pointer->base);
	} else if (pointer->target == POINTER_CHOICE) {
		forget(l, &pointer->choice->yes);
		forget(l, &pointer->choice->no);
	} else if (pointer->target == POINTER_CELLS) {
		for (uint32_t i = 0; i < pointer->cells && !l->failed; i++)
			if (!l->cells[pointer->base + i].leaf.is_pointer)
				cell_set(l, pointer->base + i,
				         unknown_value(l, l->cells[pointer->base + i].leaf.type));
	}
}

/* ---- functions ------------------------------------------------------------------------------- */

/* The name in UNKNOWN_FUNCTION("name"), without its quotes. */
static void undeclared_name(struct lower *l, const struct call *call, char name[IR_NAME_MAX])
{
	CXCursor cursor =
	        call->count > 0 ? cursor_strip(l, call->arguments[0]) : clang_getNullCursor();
	size_t length;

	for (unsigned depth = 0; depth < 8; depth++) {
		struct cursor_list list = cursor_children(l, cursor);

		if (clang_getCursorKind(cursor) == CXCursor_StringLiteral || list.count != 1)
			break;
		cursor = list.at[0];
	}
	cursor_name(cursor, name);
	length = strlen(name);
	if (length > 2 && name[0] == '"') {
		(void)memmove(name, name + 1, length - 2);
		name[length - 2] = '\0';
	}
}

/*
 * How many arguments an undeclared function is called with: the macro that makes it a call of
 * UNKNOWN_FUNCTION evaluates them before, so they are counted where the program calls it.
 */
static uint32_t undeclared_arguments_of(struct lower *l, CXCursor cursor, const char *name)
{
	CXFile file;
	unsigned offset, depth = 0;
	size_t bytes = 0, length = strlen(name);
	uint32_t commas = 0;
	bool any = false;

	clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, &offset);
	const char *text =
	        file == NULL ? NULL : clang_getFileContents(l->translation->unit, file, &bytes);
	if (text == NULL || offset >= bytes || bytes - offset < length ||
	    strncmp(text + offset, name, length) != 0)
		return 0;
	for (size_t i = offset + length; i < bytes; i++) {
		char c = text[i];

		if (c == '(' || c == '[' || c == '{')
			depth++;
		else if ((c == ')' || c == ']' || c == '}') && (depth == 0 || --depth == 0))
			break;
		else if (c == ',' && depth == 1)
			commas++;
		else if (!isspace((unsigned char)c))
			any = true;
	}
	return any ? commas + 1 : 0;
}

struct value unknown_call(struct lower *l, const struct call *call)
{
	char name[IR_NAME_MAX];
	CXType result = type_canonical(clang_getCursorType(call->cursor));

	if (strcmp(call->name, UNKNOWN_FUNCTION) == 0) {
		undeclared_name(l, call, name);
		lower_unknown(l, call->cursor, 1 + undeclared_arguments_of(l, call->cursor, name),
		              "function %.60s is not declared", name);
		return unknown_value(l, call->type);
	}
	if (call->type.scalar == SCALAR_VOID && result.kind != CXType_Void) {
		lower_fail(l, call->cursor, "function %.60s", call->name);
		return (struct value){0};
	}
	for (unsigned i = 0; i < call->count && !l->failed; i++) {
		struct value value = lower_expression(l, call->arguments[i]);

		if (value.kind == VALUE_POINTER && !l->failed)
			forget(l, &value.pointer);
	}
	cache_forget_shared(l);
	/* it looks at each argument at least once, and gives a result */
	lower_unknown(l, call->cursor, 1 + call->count, "function %.60s has no body", call->name);
	if (call->type.scalar == SCALAR_VOID)
		return (struct value){0};
	return unknown_value(l, call->type);
}

/* ---- inline assembly ------------------------------------------------------------------------- */

/* libclang has outputs and inputs alike; an input is a value, behind a conversion from a place. */
bool assembly_assigns(CXCursor operand)
{
	enum CXCursorKind kind = clang_getCursorKind(operand);

	return kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr ||
	       kind == CXCursor_ArraySubscriptExpr ||
	       (kind == CXCursor_UnaryOperator &&
	        clang_getCursorUnaryOperatorKind(operand) == CXUnaryOperator_Deref);
}

/* How many instructions a template has: what ';' and line ends part, in the strings before a ':'.
 */
static uint32_t instructions_of(struct lower *l, CXCursor cursor)
{
	const char *text;
	size_t offset, bytes;
	uint32_t count = 0;
	bool is_quoted = false, any = false;

	if (!translation_text(l->translation, clang_getRangeStart(clang_getCursorExtent(cursor)),
	                      &text, &offset, &bytes))
		return 1;
	for (size_t i = offset; i < bytes && (is_quoted || (text[i] != ':' && text[i] != ')'));
	     i++) {
		if (text[i] == '"') {
			is_quoted = !is_quoted;
		} else if (is_quoted &&
		           (text[i] == ';' || (text[i] == '\\' && text[i + 1] == 'n'))) {
			count += any;
			any = false;
		} else if (is_quoted && text[i] == '\\') {
			i++;
		} else if (is_quoted && isalnum((unsigned char)text[i])) {
			any = true;
		}
	}
	return count + any > 0 ? count + any : 1;
}

void lower_assembly(struct lower *l, CXCursor cursor)
{
	struct cursor_list list = cursor_children(l, cursor);

	for (unsigned i = 0; i < list.count && !l->failed; i++)
		if (!assembly_assigns(list.at[i])) {
			struct value value = lower_expression(l, list.at[i]);

			if (value.kind == VALUE_POINTER && !l->failed)
				forget(l, &value.pointer);
		}
	cache_forget_shared(l);
	lower_unknown(l, cursor, instructions_of(l, cursor), "inline assembly");
	for (unsigned i = 0; i < list.count && !l->failed; i++)
		if (assembly_assigns(list.at[i])) {
			struct place place = lower_place(l, list.at[i]);
			struct type type;

			if (!l->failed && type_of(place.type, &type))
				place_store(l, &place, unknown_value(l, type), cursor);
			else
				lower_fail(l, cursor, "inline assembly that assigns no number");
		}
}

/* ---- pointers -------------------------------------------------------------------------------- */

/* The first object of a pointer; IR_NONE: it has none. */
static uint32_t object_of(const struct pointer *pointer)
{
	while (pointer->target == POINTER_CHOICE)
		pointer = &pointer->choice->yes;
	return pointer->target == POINTER_OBJECT ? pointer->base : IR_NONE;
}

uint32_t pointer_is_set(struct lower *l, const struct pointer *pointer)
{
	struct type type = type_scalar(SCALAR_INT);

	if (l->failed)
		return 0;
	if (pointer->target == POINTER_CHOICE)
		return node_select(l, NODE_PHI, type, pointer->choice->condition,
		                   pointer_is_set(l, &pointer->choice->yes),
		                   pointer_is_set(l, &pointer->choice->no));
	if (!pointer->may_be_null || pointer->index == IR_NONE)
		return node_number(l, type, pointer->target == POINTER_NULL ? 0 : 1);
	return node_binary(l, NODE_NE, type, pointer->index,
	                   node_number(l, node_type(l, pointer->index), -1));
}

struct pointer pointer_unknown(struct lower *l, const struct pointer *from, uint64_t bytes,
                               uint32_t node, CXCursor at)
{
	struct pointer pointer = {.target = POINTER_OBJECT, .index = IR_NONE, .scale = 1};
	const struct ir_kernel *kernel = l->kernel;
	struct type type = type_scalar(SCALAR_LONG);
	uint32_t own = object_of(from), found = IR_NONE;

	if (l->failed)
		return pointer;
	if (own != IR_NONE && kernel->objects[own].element_bytes == bytes)
		found = own;
	for (uint32_t i = 0; i < kernel->object_count && found == IR_NONE; i++)
		if (kernel->objects[i].space == SPACE_GLOBAL &&
		    kernel->objects[i].element_bytes == bytes)
			found = i;
	if (found == IR_NONE || bytes == 0 || bytes > UINT32_MAX / 2) {
		lower_fail(l, at, "pointer in memory to what no argument has");
		return pointer;
	}
	lower_unknown(l, at, 1, "a pointer in memory is taken as one to somewhere in %.40s",
	              kernel->objects[found].name);
	pointer.base = found;
	/* memory has elements' numbers from 1 on: 0 is none, and the first element is one */
	pointer.index = node_binary(l, NODE_SUB, type, convert_node(l, node, type),
	                            node_number(l, type, 1));
	pointer.scale = (uint32_t)bytes;
	pointer.may_be_null = true;
	return pointer;
}
