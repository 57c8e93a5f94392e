/* SPDX-License-Identifier: Apache-2.0 */
/* Looks ahead: what a loop assigns, what an expression touches, which arrays need memory. */
#include "model/frontend/lower.h"

#include <string.h>

static bool scan_enter(struct lower *l, CXCursor at, unsigned depth)
{
	if (l->failed)
		return false;
	if (depth > LOWER_DEPTH_MAX || ++l->scanned > LOWER_SCAN_MAX)
		lower_fail(l, at, "too large or nested too deeply");
	return !l->failed;
}

/* ---- loops ---------------------------------------------------------------------------------- */

static void mark_pointer(struct scan *scan, const struct pointer *pointer)
{
	if (pointer->target == POINTER_OBJECT)
		scan->objects[pointer->base] = 1;
	else if (pointer->target == POINTER_CELLS && pointer->base < scan->cell_count)
		for (uint32_t i = 0; i < pointer->cells; i++)
			scan->cells[pointer->base + i] |= SCAN_ASSIGNED;
	else if (pointer->target == POINTER_CHOICE) {
		mark_pointer(scan, &pointer->choice->yes);
		mark_pointer(scan, &pointer->choice->no);
	}
}

static bool is_private_struct_cell(const struct lower *l, const struct variable *variable,
                                   int64_t offset, uint64_t bytes, struct scan *scan)
{
	if (variable->where.target != POINTER_CELLS || offset < 0 || bytes == 0)
		return false;
	for (uint32_t i = 0; i < variable->where.cells; i++) {
		const struct leaf *leaf = &l->cells[variable->where.base + i].leaf;
		if (leaf->offset < (uint64_t)offset + bytes &&
		    (uint64_t)offset < (uint64_t)leaf->offset + type_bytes(leaf->type))
			scan->cells[variable->where.base + i] |= SCAN_ASSIGNED;
	}
	return true;
}

/*
 * Marks what an lvalue, or what a pointer expression points to, may change.
 * `bytes` and `offset` follow members down to a part of a private variable.
 */
static void mark_lvalue(struct lower *l, CXCursor cursor, struct scan *scan, int64_t offset,
                        uint64_t bytes, bool through, unsigned depth)
{
	if (!scan_enter(l, cursor, depth))
		return;
	cursor = cursor_strip(l, cursor);
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	struct cursor_list list = {0};
	if (kind != CXCursor_DeclRefExpr)
		list = cursor_children(l, cursor);
	if (kind == CXCursor_DeclRefExpr) {
		struct variable *variable = variable_find(l, clang_getCursorReferenced(cursor));
		if (variable == NULL) {
			/* declared in the loop, or of the program */
			if (through)
				scan->all_objects = true;
			return;
		}
		if (variable->where.base >= scan->cell_count &&
		    variable->where.target == POINTER_CELLS)
			return;
		bool is_array = is_array_parameter(variable->declaration);
		bool is_pointer = is_array || type_is_pointer(clang_getCursorType(cursor));
		if (through && is_pointer && variable->where.target == POINTER_CELLS) {
			struct value value = l->cells[variable->where.base].value;
			if (value.kind == VALUE_POINTER)
				mark_pointer(scan, &value.pointer);
			else
				scan->all_objects = true;
		} else if (!is_private_struct_cell(l, variable, offset, bytes, scan)) {
			mark_pointer(scan, &variable->where);
		}
	} else if (kind == CXCursor_MemberRefExpr && list.count >= 1) {
		CXCursor base = list.at[0];
		bool is_arrow = type_points(clang_getCursorType(base));
		long long bits = field_offset_bits(l, clang_getCursorReferenced(cursor), cursor);
		if (bytes == 0)
			bytes = type_size(clang_getCursorType(cursor));
		if (is_arrow || bits < 0)
			mark_lvalue(l, base, scan, 0, 0, true, depth + 1);
		else
			mark_lvalue(l, base, scan, offset + bits / 8, bytes, through, depth + 1);
	} else if (kind == CXCursor_ArraySubscriptExpr && list.count == 2) {
		int64_t index, step;
		CXCursor base = cursor_strip(l, list.at[0]);
		uint64_t size = type_size(clang_getCursorType(cursor));
		/* of a parameter it is a pointer */
		bool is_array = type_is_array(clang_getCursorType(base)) &&
		                !is_array_parameter(clang_getCursorReferenced(base));
		if (is_array && cursor_constant(l, list.at[1], &index) &&
		    !__builtin_mul_overflow(index, (int64_t)size, &step) && step < (1 << 30) &&
		    step >= 0)
			mark_lvalue(l, base, scan, offset + step, bytes == 0 ? size : bytes,
			            through, depth + 1);
		else
			mark_lvalue(l, base, scan, 0, 0, true, depth + 1);
	} else {
		/* dereference, pointer arithmetic, a choice of pointers: every pointer in it */
		bool any = false;
		for (unsigned i = 0; i < list.count; i++) {
			CXType type = clang_getCursorType(list.at[i]);
			if (type_points(type) || kind == CXCursor_UnaryOperator) {
				mark_lvalue(l, list.at[i], scan, 0, 0, true, depth + 1);
				any = true;
			}
		}
		if (!any && through)
			scan->all_objects = true;
	}
}

/* Whether a vector is assigned lane by lane: then lanes are variables of the loop. */
static void mark_lanes(struct lower *l, CXCursor cursor, const struct cursor_list *list,
                       struct scan *scan)
{
	CXCursor to = list->at[0];
	while (clang_getCursorKind(to) == CXCursor_ParenExpr) {
		struct cursor_list inner = cursor_children(l, to);
		if (inner.count != 1)
			return;
		to = inner.at[0];
	}
	bool is_whole = clang_getCursorKind(to) == CXCursor_DeclRefExpr;
	CXCursor base = cursor_strip(l, to);
	struct variable *variable = clang_getCursorKind(base) == CXCursor_DeclRefExpr
	                                    ? variable_find(l, clang_getCursorReferenced(base))
	                                    : NULL;
	if (variable == NULL || variable->where.target != POINTER_CELLS ||
	    variable->where.cells != 1 || variable->where.base >= scan->cell_count ||
	    l->cells[variable->where.base].leaf.type.width == 1)
		return;
	if (is_whole && list->count == 2 &&
	    clang_getCursorKind(cursor) == CXCursor_BinaryOperator) {
		CXCursor from = cursor_strip(l, list->at[1]);
		struct cursor_list parts = cursor_children(l, from);
		enum CXCursorKind kind = clang_getCursorKind(from);
		bool is_list = parts.count > 0 && clang_getCursorKind(parts.at[parts.count - 1]) ==
		                                          CXCursor_InitListExpr;
		is_whole = !is_list || (kind != CXCursor_CStyleCastExpr &&
		                        kind != CXCursor_CompoundLiteralExpr);
	}
	scan->cells[variable->where.base] |= is_whole ? SCAN_AS_WHOLE : SCAN_BY_LANES;
}

static bool points_to_const(CXType type)
{
	return type_is_pointer(type) && clang_isConstQualifiedType(type_pointee(type));
}

static void scan_call(struct lower *l, CXCursor cursor, struct scan *scan, unsigned depth)
{
	CXCursor callee = clang_getCursorReferenced(cursor);
	int count = clang_Cursor_getNumArguments(cursor);
	char name[IR_NAME_MAX];
	cursor_name(callee, name);
	if (call_synchronises(name) || !clang_Cursor_isNull(clang_getCursorDefinition(callee)))
		scan->all_objects = true;
	for (int i = 0; i < count && i < 64; i++) {
		CXCursor argument = clang_Cursor_getArgument(cursor, (unsigned)i);
		if (type_is_pointer(clang_getCursorType(argument)) &&
		    !points_to_const(clang_getCursorType(argument)))
			mark_lvalue(l, argument, scan, 0, 0, true, depth + 1);
	}
}

static void scan_cursor(struct lower *l, CXCursor cursor, struct scan *scan, unsigned depth)
{
	if (!scan_enter(l, cursor, depth))
		return;
	struct cursor_list list = cursor_children(l, cursor);
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	bool assigns = false;
	if (kind == CXCursor_BinaryOperator) {
		assigns = clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Assign;
	} else if (kind == CXCursor_CompoundAssignOperator) {
		assigns = true;
	} else if (kind == CXCursor_UnaryOperator) {
		enum CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(cursor);
		assigns = op == CXUnaryOperator_PostInc || op == CXUnaryOperator_PostDec ||
		          op == CXUnaryOperator_PreInc || op == CXUnaryOperator_PreDec ||
		          op == CXUnaryOperator_AddrOf;
	} else if (kind == CXCursor_CallExpr) {
		scan_call(l, cursor, scan, depth);
	} else if (kind == CXCursor_VarDecl) {
		struct variable *variable = variable_find(l, cursor);
		if (variable != NULL)
			variable->is_bound = false;
	}
	for (unsigned i = 0; kind == CXCursor_GCCAsmStmt && i < list.count; i++)
		if (assembly_assigns(list.at[i]))
			mark_lvalue(l, list.at[i], scan, 0, 0, false, depth + 1);
	if (assigns && list.count > 0) {
		mark_lvalue(l, list.at[0], scan, 0, 0, false, depth + 1);
		mark_lanes(l, cursor, &list, scan);
	}
	for (unsigned i = 0; i < list.count && !l->failed; i++) {
		CXCursor child = list.at[i];
		if (kind == CXCursor_CallExpr && points_to_const(clang_getCursorType(child))) {
			/* &x for a pointer to const: looked at, not assigned */
			CXCursor inner = cursor_strip(l, child);
			struct cursor_list of = {0};
			if (clang_getCursorKind(inner) == CXCursor_UnaryOperator &&
			    clang_getCursorUnaryOperatorKind(inner) == CXUnaryOperator_AddrOf)
				of = cursor_children(l, inner);
			if (of.count == 1)
				child = of.at[0];
		}
		scan_cursor(l, child, scan, depth + 1);
	}
}

void scan_loop(struct lower *l, CXCursor cursor, struct scan *scan, bool descends)
{
	scan->cell_count = l->cell_count;
	scan->cells = arena_alloc(&l->arena, l->cell_count + 1);
	scan->objects = arena_alloc(&l->arena, IR_OBJECTS_MAX);
	if (scan->cells == NULL || scan->objects == NULL) {
		lower_fail(l, cursor, "too large");
		return;
	}
	scan->all_objects = false;
	if (descends)
		scan_cursor(l, cursor, scan, 0);
}

/* ---- effects -------------------------------------------------------------------------------- */

enum { FIND_EFFECTS, FIND_STATEMENTS };

static bool find(struct lower *l, CXCursor cursor, int what, unsigned depth)
{
	if (!scan_enter(l, cursor, depth))
		return true;
	struct cursor_list list = cursor_children(l, cursor);
	switch ((int)clang_getCursorKind(cursor)) {
	case CXCursor_ArraySubscriptExpr:
	case CXCursor_StmtExpr:
		return true;
	case CXCursor_MemberRefExpr:
		if (list.count >= 1 && type_is_pointer(clang_getCursorType(list.at[0])))
			return true;
		break;
	case CXCursor_UnexposedExpr:
		/* v->x of a vector */
		if (list.count == 1 && type_is_pointer(clang_getCursorType(list.at[0])) &&
		    !type_is_pointer(clang_getCursorType(cursor)))
			return true;
		break;
	case CXCursor_CompoundAssignOperator:
		if (what == FIND_EFFECTS)
			return true;
		break;
	case CXCursor_BinaryOperator:
		if (what == FIND_EFFECTS &&
		    clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Assign)
			return true;
		break;
	case CXCursor_UnaryOperator:
		switch (clang_getCursorUnaryOperatorKind(cursor)) {
		case CXUnaryOperator_Deref:
			return true;
		case CXUnaryOperator_PostInc:
		case CXUnaryOperator_PostDec:
		case CXUnaryOperator_PreInc:
		case CXUnaryOperator_PreDec:
			if (what == FIND_EFFECTS)
				return true;
			break;
		default:
			break;
		}
		break;
	case CXCursor_CallExpr: {
		CXCursor callee = clang_getCursorReferenced(cursor);
		if (!clang_Cursor_isNull(clang_getCursorDefinition(callee)))
			return true;
		int count = clang_Cursor_getNumArguments(cursor);
		if (type_is_pointer(clang_getCursorType(cursor)) ||
		    clang_getCursorType(cursor).kind == CXType_Void)
			return true;
		for (int i = 0; i < count && i < 64; i++)
			if (type_is_pointer(clang_getCursorType(
			            clang_Cursor_getArgument(cursor, (unsigned)i))))
				return true;
		break;
	}
	case CXCursor_ForStmt:
	case CXCursor_WhileStmt:
	case CXCursor_DoStmt:
	case CXCursor_SwitchStmt:
	case CXCursor_GotoStmt:
		return true;
	default:
		break;
	}
	for (unsigned i = 0; i < list.count; i++)
		if (find(l, list.at[i], what, depth + 1))
			return true;
	return false;
}

bool scan_has_effects(struct lower *l, CXCursor cursor)
{
	return find(l, cursor, FIND_EFFECTS, 0);
}

bool scan_is_simple_function(struct lower *l, CXCursor body)
{
	return !find(l, body, FIND_STATEMENTS, 0);
}

/* ---- jumps ---------------------------------------------------------------------------------- */

bool scan_ends_flow(struct lower *l, CXCursor cursor)
{
	for (unsigned depth = 0; depth < LOWER_DEPTH_MAX && !l->failed; depth++) {
		switch ((int)clang_getCursorKind(cursor)) {
		case CXCursor_BreakStmt:
		case CXCursor_ContinueStmt:
		case CXCursor_ReturnStmt:
		case CXCursor_GotoStmt:
			return true;
		case CXCursor_CompoundStmt: {
			struct cursor_list list = cursor_children(l, cursor);
			if (list.count == 0)
				return false;
			cursor = list.at[list.count - 1];
			break;
		}
		default:
			return false;
		}
	}
	return false;
}

bool scan_is_guard(struct lower *l, CXCursor cursor)
{
	if (clang_getCursorKind(cursor) != CXCursor_IfStmt)
		return false;
	struct cursor_list list = cursor_children(l, cursor);
	return list.count == 2 && scan_ends_flow(l, list.at[1]);
}

static bool has_return(struct lower *l, CXCursor cursor, unsigned depth)
{
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	if (kind == CXCursor_ReturnStmt || !scan_enter(l, cursor, depth))
		return true;
	if (clang_isExpression(kind) || kind == CXCursor_DeclStmt)
		return false;
	struct cursor_list list = cursor_children(l, cursor);
	for (unsigned i = 0; i < list.count; i++)
		if (has_return(l, list.at[i], depth + 1))
			return true;
	return false;
}

static bool returns_at_tail(struct lower *l, CXCursor cursor, unsigned depth)
{
	if (!scan_enter(l, cursor, depth))
		return false;
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	if (kind == CXCursor_ReturnStmt)
		return true;
	if (kind != CXCursor_CompoundStmt && kind != CXCursor_IfStmt)
		return !has_return(l, cursor, depth + 1);
	struct cursor_list list = cursor_children(l, cursor);
	for (unsigned i = 0; i < list.count; i++) {
		bool is_last = i + 1 == list.count || kind == CXCursor_IfStmt;
		if (is_last || scan_is_guard(l, list.at[i])
		            ? !returns_at_tail(l, list.at[i], depth + 1)
		            : has_return(l, list.at[i], depth + 1))
			return false;
	}
	return true;
}

bool scan_returns_at_tail(struct lower *l, CXCursor body)
{
	return returns_at_tail(l, body, 0);
}

/* ---- private arrays ------------------------------------------------------------------------- */

static bool type_has_array(CXType type)
{
	type = type_canonical(type);
	return type.kind == CXType_ConstantArray || type.kind == CXType_Record;
}

static void dynamic_add(struct lower *l, CXCursor declaration)
{
	if (l->dynamic_count == l->dynamic_capacity) {
		uint32_t capacity = l->dynamic_capacity * 2 + 16;
		CXCursor *grown = arena_alloc(&l->arena, capacity * sizeof(*grown));
		if (grown == NULL) {
			lower_fail(l, declaration, "too large");
			return;
		}
		if (l->dynamic_count > 0)
			(void)memcpy(grown, l->dynamic, l->dynamic_count * sizeof(*grown));
		l->dynamic = grown;
		l->dynamic_capacity = capacity;
	}
	l->dynamic[l->dynamic_count++] = declaration;
}

/*
 * A use of a variable through constant subscripts and members alone leaves it
 * in cells; any other use of an array in it sends it to memory.
 */
static void scan_arrays(struct lower *l, CXCursor cursor, unsigned depth)
{
	int64_t index;
	if (!scan_enter(l, cursor, depth))
		return;
	struct cursor_list list = cursor_children(l, cursor);
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	if (kind == CXCursor_ArraySubscriptExpr && list.count == 2) {
		CXCursor base = cursor_strip(l, list.at[0]);
		bool is_constant = cursor_constant(l, list.at[1], &index);
		if (is_constant && type_is_array(clang_getCursorType(base))) {
			while (!l->failed) {
				/* down to the variable, if only by constants */
				struct cursor_list parts = cursor_children(l, base);
				kind = clang_getCursorKind(base);
				if (kind == CXCursor_MemberRefExpr && parts.count >= 1 &&
				    !type_is_pointer(clang_getCursorType(parts.at[0])))
					base = cursor_strip(l, parts.at[0]);
				else if (kind == CXCursor_ArraySubscriptExpr && parts.count == 2 &&
				         cursor_constant(l, parts.at[1], &index) &&
				         type_is_array(
				                 clang_getCursorType(cursor_strip(l, parts.at[0]))))
					base = cursor_strip(l, parts.at[0]);
				else
					break;
			}
			if (clang_getCursorKind(base) != CXCursor_DeclRefExpr)
				scan_arrays(l, base, depth + 1);
			return;
		}
	} else if (kind == CXCursor_MemberRefExpr && list.count >= 1) {
		CXCursor base = cursor_strip(l, list.at[0]);
		if (clang_getCursorKind(base) == CXCursor_DeclRefExpr &&
		    !type_has_array(clang_getCursorType(cursor)))
			return;
	} else if (kind == CXCursor_UnexposedExpr && list.count == 1 &&
	           clang_getCursorKind(list.at[0]) == CXCursor_DeclRefExpr &&
	           type_is_struct(clang_getCursorType(list.at[0]))) {
		return; /* a struct read as a whole */
	} else if (kind == CXCursor_BinaryOperator && list.count == 2 &&
	           clang_getCursorKind(list.at[0]) == CXCursor_DeclRefExpr &&
	           type_is_struct(clang_getCursorType(list.at[0]))) {
		scan_arrays(l, list.at[1], depth + 1);
		return;
	} else if (kind == CXCursor_DeclRefExpr) {
		CXCursor declaration = clang_getCursorReferenced(cursor);
		CXType type = type_canonical(clang_getCursorType(cursor));
		/* of a struct: its address is taken, or an array in it indexed */
		if (type_has_array(type))
			dynamic_add(l, declaration);
		return;
	}
	for (unsigned i = 0; i < list.count; i++)
		scan_arrays(l, list.at[i], depth + 1);
}

static bool record_has_array(CXType type, unsigned depth, unsigned *visited);

/* What a type has in it; true as well where looking for it takes too long. */
struct array_search {
	unsigned depth;
	unsigned *visited;
	bool found;
};

enum { SEARCH_PARTS_MAX = 1 << 12, SEARCH_DEPTH_MAX = 16 };

static enum CXVisitorResult field_has_array(CXCursor field, CXClientData data)
{
	struct array_search *search = data;
	CXType type = type_canonical(clang_getCursorType(field));
	if (type.kind == CXType_ConstantArray ||
	    record_has_array(type, search->depth + 1, search->visited)) {
		search->found = true;
		return CXVisit_Break;
	}
	return CXVisit_Continue;
}

static bool record_has_array(CXType type, unsigned depth, unsigned *visited)
{
	struct array_search search = {.depth = depth, .visited = visited};
	if (++*visited > SEARCH_PARTS_MAX)
		return true;
	if (type.kind != CXType_Record || depth > SEARCH_DEPTH_MAX)
		return false;
	(void)clang_Type_visitFields(type, field_has_array, &search);
	return search.found;
}

static bool type_has_pointer(CXType type, unsigned depth, unsigned *visited);

static enum CXVisitorResult field_has_pointer(CXCursor field, CXClientData data)
{
	struct array_search *search = data;
	search->found =
	        type_has_pointer(clang_getCursorType(field), search->depth + 1, search->visited);
	return search->found ? CXVisit_Break : CXVisit_Continue;
}

static bool type_has_pointer(CXType type, unsigned depth, unsigned *visited)
{
	struct array_search search = {.depth = depth, .visited = visited};
	if (++*visited > SEARCH_PARTS_MAX)
		return true;
	type = type_canonical(type);
	for (; type_is_array(type) && depth < SEARCH_DEPTH_MAX; depth++)
		type = type_pointee(type);
	if (type.kind == CXType_Record && depth < SEARCH_DEPTH_MAX)
		(void)clang_Type_visitFields(type, field_has_pointer, &search);
	return type.kind == CXType_Pointer || search.found;
}

bool variable_is_demanded(const struct lower *l, CXCursor declaration)
{
	for (unsigned i = 0; i < l->demands->count; i++)
		if (clang_equalCursors(l->demands->at[i], declaration))
			return true;
	return false;
}

bool array_is_dynamic(struct lower *l, CXCursor declaration)
{
	CXType type = type_canonical(clang_getCursorType(declaration));
	unsigned visited = 0;
	if (variable_is_demanded(l, declaration))
		return true;
	if ((type.kind != CXType_ConstantArray && !record_has_array(type, 0, &visited)) ||
	    type_has_pointer(type, 0, &visited))
		return false;
	if (!l->frame->is_scanned) {
		l->frame->is_scanned = true;
		scan_arrays(l, l->frame->body, 0);
	}
	for (uint32_t i = 0; i < l->dynamic_count; i++)
		if (clang_equalCursors(l->dynamic[i], declaration))
			return true;
	return false;
}
