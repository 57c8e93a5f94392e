/* SPDX-License-Identifier: Apache-2.0 */
/* Cursors: children as lists, names, constants. */
#include "model/frontend/lower.h"

#include <stdlib.h>
#include <string.h>

struct collector {
	CXCursor *at;
	unsigned count, capacity;
	bool failed;
	CXCursor small[16];
};

static enum CXChildVisitResult collect(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct collector *collector = data;
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	(void)parent;
	if (kind == CXCursor_TypeRef || clang_isAttribute(kind))
		return CXChildVisit_Continue;
	if (collector->count == collector->capacity) {
		unsigned capacity = collector->capacity * 2;
		CXCursor *grown = collector->at == collector->small
		                          ? malloc(capacity * sizeof(*grown))
		                          : realloc(collector->at, capacity * sizeof(*grown));
		if (grown == NULL) {
			collector->failed = true;
			return CXChildVisit_Break;
		}
		if (collector->at == collector->small)
			(void)memcpy(grown, collector->small, sizeof(collector->small));
		collector->at = grown;
		collector->capacity = capacity;
	}
	collector->at[collector->count++] = cursor;
	return CXChildVisit_Continue;
}

struct cursor_list cursor_children(struct lower *l, CXCursor cursor)
{
	struct collector collector = {.capacity = 16};
	struct cursor_list list = {0};
	collector.at = collector.small;
	(void)clang_visitChildren(cursor, collect, &collector);
	size_t bytes = collector.count * sizeof(*list.at);
	list.at = arena_alloc(&l->arena, bytes == 0 ? 1 : bytes);
	if (list.at == NULL || collector.failed)
		lower_fail(l, cursor, "too large");
	else if (bytes > 0)
		(void)memcpy(list.at, collector.at, bytes);
	if (list.at != NULL && !collector.failed)
		list.count = collector.count;
	if (collector.at != collector.small)
		free(collector.at);
	return list;
}

CXCursor cursor_strip(struct lower *l, CXCursor cursor)
{
	for (unsigned i = 0; i < LOWER_DEPTH_MAX; i++) {
		enum CXCursorKind kind = clang_getCursorKind(cursor);
		if (kind != CXCursor_ParenExpr && kind != CXCursor_UnexposedExpr)
			break;
		struct cursor_list list = cursor_children(l, cursor);
		if (list.count != 1)
			break;
		cursor = list.at[0];
	}
	return cursor;
}

static bool literal_value(CXCursor cursor, int64_t *value)
{
	CXEvalResult result = clang_Cursor_Evaluate(cursor);
	bool known = result != NULL && clang_EvalResult_getKind(result) == CXEval_Int;
	if (known)
		*value = clang_EvalResult_isUnsignedInt(result)
		                 ? (int64_t)clang_EvalResult_getAsUnsigned(result)
		                 : (int64_t)clang_EvalResult_getAsLongLong(result);
	if (result != NULL)
		clang_EvalResult_dispose(result);
	return known;
}

static bool binary_value(enum CXBinaryOperatorKind op, int64_t a, int64_t b, int64_t *value)
{
	switch (op) {
	case CXBinaryOperator_Add:
		return !__builtin_add_overflow(a, b, value);
	case CXBinaryOperator_Sub:
		return !__builtin_sub_overflow(a, b, value);
	case CXBinaryOperator_Mul:
		return !__builtin_mul_overflow(a, b, value);
	case CXBinaryOperator_Div:
		if (b == 0 || b == -1)
			return false;
		*value = a / b;
		return true;
	case CXBinaryOperator_Rem:
		if (b == 0 || b == -1)
			return false;
		*value = a % b;
		return true;
	case CXBinaryOperator_Shl:
		if (b < 0 || b > 31 || a < 0)
			return false;
		*value = (int64_t)((uint64_t)a << b);
		return true;
	case CXBinaryOperator_Shr:
		if (b < 0 || b > 31 || a < 0)
			return false;
		*value = a >> b;
		return true;
	default:
		return false;
	}
}

static bool constant_at(struct lower *l, CXCursor cursor, int64_t *value, unsigned depth)
{
	cursor = cursor_strip(l, cursor);
	struct cursor_list list;
	int64_t a, b;
	if (depth > 32 || l->failed)
		return false;
	switch ((int)clang_getCursorKind(cursor)) {
	case CXCursor_IntegerLiteral:
	case CXCursor_CharacterLiteral:
	case CXCursor_CXXBoolLiteralExpr:
	case CXCursor_UnaryExpr:
		return literal_value(cursor, value);
	case CXCursor_DeclRefExpr: {
		CXCursor declaration = clang_getCursorReferenced(cursor);
		if (clang_getCursorKind(declaration) != CXCursor_EnumConstantDecl)
			return false;
		*value = clang_getEnumConstantDeclValue(declaration);
		return true;
	}
	case CXCursor_UnaryOperator:
		list = cursor_children(l, cursor);
		if (clang_getCursorUnaryOperatorKind(cursor) != CXUnaryOperator_Minus ||
		    list.count != 1 || !constant_at(l, list.at[0], &a, depth + 1))
			return false;
		return !__builtin_sub_overflow((int64_t)0, a, value);
	case CXCursor_BinaryOperator:
		list = cursor_children(l, cursor);
		return list.count == 2 && constant_at(l, list.at[0], &a, depth + 1) &&
		       constant_at(l, list.at[1], &b, depth + 1) &&
		       binary_value(clang_getCursorBinaryOperatorKind(cursor), a, b, value);
	default:
		return false;
	}
}

bool cursor_constant(struct lower *l, CXCursor cursor, int64_t *value)
{
	return constant_at(l, cursor, value, 0);
}

void cursor_name(CXCursor cursor, char name[IR_NAME_MAX])
{
	CXString spelling = clang_getCursorSpelling(cursor);
	const char *text = clang_getCString(spelling);
	size_t n = 0;
	if (text != NULL)
		for (; text[n] != '\0' && n < IR_NAME_MAX - 1; n++)
			name[n] = text[n] > ' ' && text[n] < 0x7f ? text[n] : '?';
	name[n] = '\0';
	clang_disposeString(spelling);
}

bool cursor_is(CXCursor cursor, const char *spelling)
{
	char name[IR_NAME_MAX];
	cursor_name(cursor, name);
	return strcmp(name, spelling) == 0;
}
