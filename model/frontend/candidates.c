/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What pointers that a loop assigns may point to. Each assignment joins the
 * variable with the pointers that its right side mentions (Steensgaard's
 * points-to analysis by unification, POPL 1996, within one loop): `t = a;
 * a = b; b = t` makes one set of a, b and t, and what they point to before the
 * loop is what any of them may point to in it.
 */
#include "model/frontend/lower.h"

enum { FLOWS_MAX = 128 };

struct flows {
	CXCursor declaration[FLOWS_MAX];
	unsigned parent[FLOWS_MAX];
	bool is_loaded[FLOWS_MAX]; /* from memory that is not private */
	unsigned count;
};

struct flows *flows_new(struct lower *l)
{
	return arena_alloc(&l->arena, sizeof(struct flows));
}

static unsigned root(const struct flows *flows, unsigned i)
{
	while (flows->parent[i] != i)
		i = flows->parent[i];
	return i;
}

/* FLOWS_MAX where there is no room. */
static unsigned entry(struct flows *flows, CXCursor declaration)
{
	for (unsigned i = 0; i < flows->count; i++)
		if (clang_equalCursors(flows->declaration[i], declaration))
			return i;
	if (flows->count == FLOWS_MAX)
		return FLOWS_MAX;
	flows->declaration[flows->count] = declaration;
	flows->parent[flows->count] = flows->count;
	return flows->count++;
}

/* The variable that an lvalue is of, members and constant subscripts aside. */
static CXCursor variable_of(struct lower *l, CXCursor cursor)
{
	for (unsigned depth = 0; depth < 64; depth++) {
		cursor = cursor_strip(l, cursor);
		if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr)
			return clang_getCursorReferenced(cursor);
		struct cursor_list list = cursor_children(l, cursor);
		if (list.count == 0)
			break;
		cursor = list.at[0];
	}
	return clang_getNullCursor();
}

static void join(struct flows *flows, CXCursor to, CXCursor from)
{
	unsigned a = entry(flows, to), b = entry(flows, from);
	if (a < FLOWS_MAX && b < FLOWS_MAX)
		flows->parent[root(flows, b)] = root(flows, a);
}

/* Joins `to` with every variable that a pointer expression mentions, indices apart. */
static void flow(struct lower *l, struct flows *flows, CXCursor to, CXCursor from, unsigned depth)
{
	if (l->failed || depth > LOWER_DEPTH_MAX || ++l->scanned > LOWER_SCAN_MAX)
		return;
	from = cursor_strip(l, from);
	if (clang_getCursorKind(from) == CXCursor_DeclRefExpr) {
		CXType type = clang_getCursorType(from);
		if (!type_points(type) && !type_is_struct(type))
			return;
		join(flows, to, clang_getCursorReferenced(from));
		return;
	}
	struct cursor_list list = cursor_children(l, from);
	if (clang_getCursorKind(from) == CXCursor_UnaryOperator &&
	    clang_getCursorUnaryOperatorKind(from) == CXUnaryOperator_AddrOf && list.count == 1) {
		/* of whatever type: it is what is pointed to */
		CXCursor variable = variable_of(l, list.at[0]);
		if (!clang_Cursor_isNull(variable))
			join(flows, to, variable);
		return;
	}
	unsigned count = list.count;
	if (clang_getCursorKind(from) == CXCursor_ArraySubscriptExpr && count == 2)
		count = 1;
	for (unsigned i = 0; i < count; i++)
		flow(l, flows, to, list.at[i], depth + 1);
}

/* Whether an expression is a pointer that global, constant or local memory holds. */
static bool is_in_memory(struct lower *l, CXCursor cursor)
{
	enum space space;
	cursor = cursor_strip(l, cursor);
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	return (kind == CXCursor_MemberRefExpr || kind == CXCursor_ArraySubscriptExpr ||
	        kind == CXCursor_UnaryOperator) &&
	       type_space(clang_getCursorType(cursor), &space) && space != SPACE_PRIVATE;
}

void flows_scan(struct lower *l, struct flows *flows, CXCursor cursor, unsigned depth)
{
	if (l->failed || depth > LOWER_DEPTH_MAX || ++l->scanned > LOWER_SCAN_MAX)
		return;
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	struct cursor_list list = cursor_children(l, cursor);
	if (kind == CXCursor_BinaryOperator && list.count == 2 &&
	    clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Assign &&
	    (type_is_pointer(clang_getCursorType(cursor)) ||
	     type_is_struct(clang_getCursorType(cursor)))) {
		CXCursor to = variable_of(l, list.at[0]);
		if (!clang_Cursor_isNull(to)) {
			unsigned number = entry(flows, to);
			if (number < FLOWS_MAX && is_in_memory(l, list.at[1]))
				flows->is_loaded[number] = true;
			flow(l, flows, to, list.at[1], depth + 1);
		}
	} else if (kind == CXCursor_VarDecl && type_is_pointer(clang_getCursorType(cursor))) {
		CXCursor initialiser = clang_Cursor_getVarDeclInitializer(cursor);
		if (!clang_Cursor_isNull(initialiser))
			flow(l, flows, cursor, initialiser, depth + 1);
	}
	for (unsigned i = 0; i < list.count; i++)
		flows_scan(l, flows, list.at[i], depth + 1);
}

bool candidates_add(struct candidates *candidates, const struct pointer *pointer)
{
	if (pointer->target == POINTER_CHOICE) {
		/* both, though one has no room */
		bool yes = candidates_add(candidates, &pointer->choice->yes);
		bool no = candidates_add(candidates, &pointer->choice->no);
		return yes && no;
	}
	if (pointer->target == POINTER_NULL)
		return true;
	for (unsigned i = 0; i < candidates->count; i++)
		if (candidates->at[i].target == pointer->target &&
		    candidates->at[i].base == pointer->base)
			return true;
	if (candidates->count == LOWER_CHOICES_MAX)
		return false;
	candidates->at[candidates->count++] = *pointer;
	return true;
}

static void variable_add(struct lower *l, struct candidates *candidates, CXCursor declaration)
{
	const struct variable *variable = variable_find(l, declaration);
	if (variable == NULL)
		return;
	bool has_pointer = false;
	for (uint32_t i = 0; i < variable->where.cells && variable->where.target == POINTER_CELLS;
	     i++) {
		const struct cell *cell = &l->cells[variable->where.base + i];
		has_pointer = has_pointer || cell->leaf.is_pointer;
		if (cell->leaf.is_pointer && cell->value.kind == VALUE_POINTER)
			(void)candidates_add(candidates, &cell->value.pointer);
	}
	if (!has_pointer)
		(void)candidates_add(candidates, &variable->where);
}

struct candidates *flows_candidates(struct lower *l, const struct flows *flows, uint32_t cell)
{
	struct candidates *candidates = arena_alloc(&l->arena, sizeof(*candidates));
	bool is_loaded = false;
	if (candidates == NULL) {
		lower_fail(l, l->frame->declaration, "too large");
		return NULL;
	}
	if (l->cells[cell].value.kind == VALUE_POINTER)
		(void)candidates_add(candidates, &l->cells[cell].value.pointer);
	for (unsigned i = 0; i < flows->count; i++) {
		const struct variable *variable = variable_find(l, flows->declaration[i]);
		if (variable == NULL || variable->where.target != POINTER_CELLS ||
		    cell < variable->where.base ||
		    cell >= variable->where.base + variable->where.cells)
			continue;
		for (unsigned j = 0; j < flows->count; j++)
			if (root(flows, i) == root(flows, j)) {
				variable_add(l, candidates, flows->declaration[j]);
				is_loaded = is_loaded || flows->is_loaded[j];
			}
	}
	for (unsigned i = 0; i < candidates->count; i++)
		candidates->at[i].may_be_null = candidates->at[i].may_be_null || is_loaded;
	return candidates;
}
