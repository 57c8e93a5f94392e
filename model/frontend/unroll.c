/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often a loop is to be unrolled. libclang has a loop with hints as an unexposed
 * statement, without their text or value, and the source may hold a macro in place of
 * either. The pretty-printed function has macros expanded: there the n-th run of
 * attributes in front of a loop belongs to the n-th such statement of the tree. A count is
 * printed as the expression that it is, and evaluated here.
 */
#include "model/frontend/lower.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
	COUNT_MAX = 10000, /* a higher count is that one: UINT16_MAX says "fully" */
	NESTING_MAX = 64   /* of an expression */
};

/* The hints of one function: of its n-th loop that has any. */
struct unroll_hints {
	CXCursor function;
	CXCursor *loops;
	uint16_t *hints;
	uint32_t count, capacity;
	struct unroll_hints *next;
};

/* ---- constant expressions -------------------------------------------------------------------- */

struct expression {
	const char *at, *end;
	CXTranslationUnit unit;
	unsigned depth;
	bool failed;
};

struct named {
	const char *name;
	size_t bytes;
	int64_t value;
	bool found;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* A constant of the program by that name: of an enumeration, or a variable with a value. */
static enum CXChildVisitResult visit_named(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct named *named = data;
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	char name[IR_NAME_MAX];

	(void)parent;
	if (kind == CXCursor_EnumDecl)
		return CXChildVisit_Recurse;
	if (kind != CXCursor_EnumConstantDecl && kind != CXCursor_VarDecl)
		return CXChildVisit_Continue;
	cursor_name(cursor, name);
	if (strlen(name) != named->bytes || strncmp(name, named->name, named->bytes) != 0)
		return CXChildVisit_Continue;
	if (kind == CXCursor_EnumConstantDecl) {
		named->value = clang_getEnumConstantDeclValue(cursor);
		named->found = true;
	} else {
		CXEvalResult result = clang_Cursor_Evaluate(cursor);

		named->found = result != NULL && clang_EvalResult_getKind(result) == CXEval_Int;
		if (named->found)
			named->value = clang_EvalResult_getAsLongLong(result);
		if (result != NULL)
			clang_EvalResult_dispose(result);
	}
	return CXChildVisit_Break;
}

static void skip_spaces(struct expression *e)
{
	while (e->at < e->end && isspace((unsigned char)*e->at))
		e->at++;
}

static bool take(struct expression *e, const char *token)
{
	size_t length = strlen(token);

	skip_spaces(e);
	if ((size_t)(e->end - e->at) < length || strncmp(e->at, token, length) != 0)
		return false;
	e->at += length;
	return true;
}

static int64_t conditional(struct expression *e);

/* sizeof(float4) */
static int64_t size_of_type(struct expression *e)
{
	char name[32] = "";
	struct type type;
	size_t n = 0;

	if (take(e, "("))
		for (; e->at < e->end && *e->at != ')' && n + 1 < sizeof(name); e->at++)
			name[n++] = *e->at;
	if (!take(e, ")") || !type_parse(name, &type)) {
		e->failed = true;
		return 0;
	}
	return type_bytes(type);
}

static int64_t word(struct expression *e)
{
	struct named named = {.name = e->at};
	char *end;

	if (e->at < e->end && isdigit((unsigned char)*e->at)) {
		named.value = strtoll(e->at, &end, 0);
		for (e->at = end; e->at < e->end && is_word(*e->at);)
			e->at++; /* 4U */
		return named.value;
	}
	while (e->at < e->end && is_word(*e->at))
		e->at++;
	named.bytes = (size_t)(e->at - named.name);
	if (named.bytes == 6 && strncmp(named.name, "sizeof", 6) == 0)
		return size_of_type(e);
	if (named.bytes > 0)
		(void)clang_visitChildren(clang_getTranslationUnitCursor(e->unit), visit_named,
		                          &named);
	e->failed = e->failed || !named.found;
	return named.value;
}

static int64_t unary(struct expression *e)
{
	int64_t value = 0;

	if (e->failed || e->depth > NESTING_MAX) {
		e->failed = true;
		return 0;
	}
	e->depth++;
	if (take(e, "(")) {
		value = conditional(e);
		e->failed = e->failed || !take(e, ")");
	} else if (take(e, "-")) {
		value = (int64_t)(0 - (uint64_t)unary(e));
	} else if (take(e, "+")) {
		value = unary(e);
	} else if (take(e, "~")) {
		value = ~unary(e);
	} else if (take(e, "!")) {
		value = !unary(e);
	} else {
		skip_spaces(e);
		value = word(e);
	}
	e->depth--;
	return value;
}

enum operator{
	OPERATOR_MUL,
	OPERATOR_DIV,
	OPERATOR_REM,
	OPERATOR_ADD,
	OPERATOR_SUB,
	OPERATOR_SHL,
	OPERATOR_SHR,
	OPERATOR_LE,
	OPERATOR_GE,
	OPERATOR_LT,
	OPERATOR_GT,
	OPERATOR_EQ,
	OPERATOR_NE,
	OPERATOR_LAND,
	OPERATOR_LOR,
	OPERATOR_AND,
	OPERATOR_XOR,
	OPERATOR_OR
};

/* Longer tokens before those that they begin with. */
static const struct {
	const char *token;
	enum operator operator;
	unsigned level; /* binds closer than lower ones */
} operators[] = {
        {"<<", OPERATOR_SHL, 8},  {">>", OPERATOR_SHR, 8}, {"<=", OPERATOR_LE, 7},
        {">=", OPERATOR_GE, 7},   {"==", OPERATOR_EQ, 6},  {"!=", OPERATOR_NE, 6},
        {"&&", OPERATOR_LAND, 2}, {"||", OPERATOR_LOR, 1}, {"*", OPERATOR_MUL, 10},
        {"/", OPERATOR_DIV, 10},  {"%", OPERATOR_REM, 10}, {"+", OPERATOR_ADD, 9},
        {"-", OPERATOR_SUB, 9},   {"<", OPERATOR_LT, 7},   {">", OPERATOR_GT, 7},
        {"&", OPERATOR_AND, 5},   {"^", OPERATOR_XOR, 4},  {"|", OPERATOR_OR, 3},
};

/* Wraps as unsigned numbers do; false: a division that has no result, or a shift too far. */
static bool apply(enum operator operator, int64_t a, int64_t b, int64_t *value)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;

	switch (operator) {
	case OPERATOR_MUL:
		*value = (int64_t)(x * y);
		return true;
	case OPERATOR_DIV:
	case OPERATOR_REM:
		if (b == 0 || (a == INT64_MIN && b == -1))
			return false;
		*value = operator== OPERATOR_DIV ? a / b : a % b;
		return true;
	case OPERATOR_ADD:
		*value = (int64_t)(x + y);
		return true;
	case OPERATOR_SUB:
		*value = (int64_t)(x - y);
		return true;
	case OPERATOR_SHL:
	case OPERATOR_SHR:
		if (y > 62)
			return false;
		*value = operator== OPERATOR_SHL ? (int64_t)(x << y) : a>> y;
		return true;
	case OPERATOR_LE:
		*value = a <= b;
		return true;
	case OPERATOR_GE:
		*value = a >= b;
		return true;
	case OPERATOR_LT:
		*value = a < b;
		return true;
	case OPERATOR_GT:
		*value = a > b;
		return true;
	case OPERATOR_EQ:
		*value = a == b;
		return true;
	case OPERATOR_NE:
		*value = a != b;
		return true;
	case OPERATOR_LAND:
		*value = a && b;
		return true;
	case OPERATOR_LOR:
		*value = a || b;
		return true;
	case OPERATOR_AND:
		*value = a & b;
		return true;
	case OPERATOR_XOR:
		*value = a ^ b;
		return true;
	case OPERATOR_OR:
		*value = a | b;
		return true;
	}
	return false;
}

/* By precedence climbing: what binds at least as close as that level. */
static int64_t binary(struct expression *e, unsigned level)
{
	int64_t value = unary(e);

	for (;;) {
		const char *before = e->at;
		size_t i = 0, count = sizeof(operators) / sizeof(operators[0]);

		while (i < count && !take(e, operators[i].token))
			i++;
		if (i == count || operators[i].level < level || e->failed) {
			e->at = before;
			return value;
		}
		if (!apply(operators[i].operator, value, binary(e, operators[i].level + 1), &value))
			e->failed = true;
	}
}

static int64_t conditional(struct expression *e)
{
	int64_t value = binary(e, 1), yes;

	if (e->failed || !take(e, "?"))
		return value;
	yes = conditional(e);
	e->failed = e->failed || !take(e, ":");
	return value != 0 ? (void)conditional(e), yes : conditional(e);
}

/* ---- hints in the printed function ----------------------------------------------------------- */

/* The end of what is in brackets from there on. */
static const char *brackets_end(const char *c)
{
	unsigned depth = 0;

	for (; *c != '\0' && *c != '\n'; c++) {
		if (*c == '(' || *c == '[')
			depth++;
		else if ((*c == ')' || *c == ']') && --depth == 0)
			return c + 1;
	}
	return c;
}

static bool begins(const char *text, const char *word)
{
	return strncmp(text, word, strlen(word)) == 0;
}

/* "(4)" -> 4; fully where it is no constant to be found here. */
static uint16_t count_of(CXTranslationUnit unit, const char *text, const char *end)
{
	struct expression e = {.at = text, .end = end, .unit = unit};
	int64_t value = conditional(&e);

	skip_spaces(&e);
	if (e.failed || e.at != e.end || value <= 0)
		return UINT16_MAX;
	return (uint16_t)(value < COUNT_MAX ? value : COUNT_MAX);
}

/* What one attribute as clang prints it asks for; the hint so far where it is of another kind. */
static uint16_t hint_of(CXTranslationUnit unit, const char *c, const char *end, uint16_t hint)
{
	static const char *const counted[] = {"#pragma unroll (",
	                                      "#pragma clang loop unroll_count(",
	                                      "__attribute__((opencl_unroll_hint("};

	if (begins(c, "#pragma nounroll") || begins(c, "#pragma unroll (disable)") ||
	    begins(c, "#pragma clang loop unroll(disable)"))
		return 1;
	if (begins(c, "#pragma unroll (enable)") || begins(c, "#pragma unroll (full)") ||
	    begins(c, "#pragma clang loop unroll(enable)") ||
	    begins(c, "#pragma clang loop unroll(full)"))
		return UINT16_MAX;
	for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
		if (begins(c, counted[i])) {
			const char *open = c + strlen(counted[i]) - 1;
			const char *close = brackets_end(open);

			return close > end ? hint : count_of(unit, open, close);
		}
	return hint;
}

static bool is_loop_keyword(const char *c)
{
	return (begins(c, "for") && !is_word(c[3])) || (begins(c, "while") && !is_word(c[5])) ||
	       (begins(c, "do") && !is_word(c[2]));
}

/*
 * Behind a run of attributes that begins there: NULL where none does.
 */
static const char *attributes_end(CXTranslationUnit unit, const char *c, uint16_t *hint)
{
	const char *begin = c, *end;

	*hint = 0;
	for (;;) {
		const char *at = c;

		while (isspace((unsigned char)*at))
			at++;
		if (begins(at, "#pragma "))
			end = at + strcspn(at, "\n");
		else if (begins(at, "__attribute__((") || begins(at, "[["))
			end = brackets_end(at + strcspn(at, "(["));
		else
			return c == begin ? NULL : at;
		*hint = hint_of(unit, at, end, *hint);
		c = end;
	}
}

static const char *skip_quoted(const char *c)
{
	char quote = *c++;

	for (; *c != '\0' && *c != quote; c++)
		if (*c == '\\' && c[1] != '\0')
			c++;
	return *c == '\0' ? c : c + 1;
}

/* As many hints as the printed function has, in order; those beyond `most` are counted alone. */
static uint32_t hints_read(CXTranslationUnit unit, const char *c, uint16_t *hints, uint32_t most)
{
	uint32_t count = 0;

	while (*c != '\0') {
		uint16_t hint;
		const char *end;

		if (*c == '"' || *c == '\'') {
			c = skip_quoted(c);
			continue;
		}
		if (*c != '#' && *c != '_' && *c != '[') {
			c++;
			continue;
		}
		end = attributes_end(unit, c, &hint);
		if (end == NULL) {
			c++;
			continue;
		}
		if (is_loop_keyword(end)) {
			if (count < most)
				hints[count] = hint;
			count++;
		}
		c = end;
	}
	return count;
}

/* ---- hints in the tree ----------------------------------------------------------------------- */

static bool is_loop(CXCursor cursor)
{
	enum CXCursorKind kind = clang_getCursorKind(cursor);

	return kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt;
}

static void loops_collect(struct lower *l, struct unroll_hints *of, CXCursor cursor, unsigned depth)
{
	struct cursor_list list = cursor_children(l, cursor);

	if (l->failed || depth > LOWER_DEPTH_MAX || ++l->scanned > LOWER_SCAN_MAX) {
		lower_fail(l, cursor, "too large to find its pragmas");
		return;
	}
	if (clang_getCursorKind(cursor) == CXCursor_UnexposedStmt && list.count == 1 &&
	    is_loop(list.at[0])) {
		if (of->count == of->capacity) {
			uint32_t capacity = of->capacity == 0 ? 16 : 2 * of->capacity;
			CXCursor *loops = arena_alloc(&l->arena, capacity * sizeof(*loops));

			if (loops == NULL) {
				lower_fail(l, cursor, "too large");
				return;
			}
			if (of->count > 0)
				(void)memcpy(loops, of->loops, of->count * sizeof(*loops));
			of->loops = loops;
			of->capacity = capacity;
		}
		of->loops[of->count++] = list.at[0];
	}
	for (unsigned i = 0; i < list.count && !l->failed; i++)
		loops_collect(l, of, list.at[i], depth + 1);
}

static struct unroll_hints *hints_of_function(struct lower *l)
{
	struct unroll_hints *of = l->unroll_hints;

	while (of != NULL && !clang_equalCursors(of->function, l->frame->declaration))
		of = of->next;
	if (of != NULL)
		return of;
	of = arena_alloc(&l->arena, sizeof(*of));
	if (of == NULL) {
		lower_fail(l, l->frame->declaration, "too large");
		return NULL;
	}
	of->function = l->frame->declaration;
	loops_collect(l, of, l->frame->body, 0);
	if (l->failed)
		return NULL;
	of->hints = arena_alloc(&l->arena, (of->count + 1) * sizeof(*of->hints));
	if (of->hints == NULL) {
		lower_fail(l, l->frame->declaration, "too large");
		return NULL;
	}
	CXPrintingPolicy policy = clang_getCursorPrintingPolicy(of->function);
	CXString printed = clang_getCursorPrettyPrinted(of->function, policy);
	const char *text = clang_getCString(printed);
	const char *body = text == NULL ? NULL : strchr(text, '{');

	if (body == NULL ||
	    hints_read(l->translation->unit, body, of->hints, of->count) != of->count)
		of->count = 0; /* not told apart: as if without any */
	clang_disposeString(printed);
	clang_PrintingPolicy_dispose(policy);
	of->next = l->unroll_hints;
	l->unroll_hints = of;
	return of;
}

unsigned unroll_hint(struct lower *l, CXCursor loop)
{
	const struct unroll_hints *of = hints_of_function(l);

	for (uint32_t i = 0; of != NULL && i < of->count; i++)
		if (clang_equalCursors(of->loops[i], loop))
			return of->hints[i];
	return 0;
}
