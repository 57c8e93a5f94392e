/* SPDX-License-Identifier: Apache-2.0 */
/* Statements: blocks, declarations, conditions, jumps. */
#include "model/frontend/lower.h"

#include <string.h>

enum { CELLS_OF_ARRAY_MAX = 64 };

/* ---- declarations ---------------------------------------------------------------------------- */

static bool is_program_object(CXCursor declaration, enum space *space)
{
	return type_space(clang_getCursorType(declaration), space) && *space != SPACE_PRIVATE;
}

/* __local and __constant arrays of a function live once; so does their object. */
void declare_object(struct lower *l, CXCursor declaration, enum space space)
{
	CXType type = type_canonical(clang_getCursorType(declaration)), element = type;
	struct ir_object object = {.space = (uint8_t)space,
	                           .argument = IR_NONE,
	                           .size_bytes = type_size(type),
	                           .is_volatile = clang_isVolatileQualifiedType(type) != 0};
	for (unsigned depth = 0; type_is_array(element) && depth < 32; depth++)
		element = type_pointee(element);
	if (!type_of(element, &object.type))
		object.type = type_scalar(SCALAR_VOID);
	uint64_t bytes = type_size(element);
	object.element_bytes = bytes > UINT32_MAX ? 0 : (uint32_t)bytes;
	cursor_name(declaration, object.name);
	if (object.size_bytes == 0 || object.element_bytes == 0) {
		lower_fail(l, declaration, "variable %.60s without a known size", object.name);
		return;
	}
	struct variable *variable = variable_bind(l, declaration);
	uint32_t number = variable == NULL ? IR_NONE : kernel_add_object(l->kernel, &object);
	if (number == IR_NONE) {
		lower_fail(l, declaration, "too many arrays");
		return;
	}
	variable->where = (struct pointer){
	        .target = POINTER_OBJECT, .base = number, .index = IR_NONE, .scale = 1};
}

/* A private array with a variable index: an object, initialised by stores. */
void declare_in_memory(struct lower *l, CXCursor declaration)
{
	struct variable *known = variable_find(l, declaration);
	if (known == NULL || known->where.target != POINTER_OBJECT)
		declare_object(l, declaration, SPACE_PRIVATE);
}

static void initialise_in_memory(struct lower *l, CXCursor declaration)
{
	CXType type = type_canonical(clang_getCursorType(declaration));
	struct layout layout;
	CXCursor initialiser = clang_Cursor_getVarDeclInitializer(declaration);
	declare_in_memory(l, declaration);
	if (l->failed || clang_Cursor_isNull(initialiser))
		return;
	struct place place = {.type = type, .pointer = variable_find(l, declaration)->where};
	if (layout_of(l, type, declaration, &layout))
		place_store(l, &place, lower_expression(l, initialiser), declaration);
	else if (!l->failed)
		memory_fill(l, &place.pointer, type_size(type), declaration);
}

static void declare_cells(struct lower *l, CXCursor declaration, const struct layout *layout)
{
	CXType type = type_canonical(clang_getCursorType(declaration));
	CXCursor initialiser = clang_Cursor_getVarDeclInitializer(declaration);
	uint32_t first = cells_new(l, layout);
	struct value value = {0};
	struct type scalar;
	if (l->failed)
		return;
	bool is_initialised = !clang_Cursor_isNull(initialiser);
	if (is_initialised) {
		value = lower_expression(l, initialiser);
		if (value.kind == VALUE_NODE && type_of(type, &scalar))
			value.node = convert_node(l, value.node, scalar);
	}
	struct variable *variable = l->failed ? NULL : variable_bind(l, declaration);
	if (variable == NULL)
		return;
	variable->where = (struct pointer){.target = POINTER_CELLS,
	                                   .base = first,
	                                   .cells = layout->count,
	                                   .index = IR_NONE,
	                                   .scale = 1};
	struct place place = {.type = type, .pointer = variable->where};
	if (is_initialised)
		place_store(l, &place, value, declaration);
}

void lower_declaration(struct lower *l, CXCursor declaration)
{
	struct layout layout;
	enum space space;
	enum CXCursorKind kind = clang_getCursorKind(declaration);
	if (kind == CXCursor_StructDecl || kind == CXCursor_TypedefDecl ||
	    kind == CXCursor_EnumDecl || kind == CXCursor_UnionDecl ||
	    kind == CXCursor_FunctionDecl || kind == CXCursor_StaticAssert)
		return;
	if (kind != CXCursor_VarDecl) {
		lower_fail(l, declaration, "declaration of this kind");
		return;
	}
	CXType type = type_canonical(clang_getCursorType(declaration));
	if (type.kind == CXType_VariableArray || type.kind == CXType_IncompleteArray) {
		lower_fail(l, declaration, "array of variable length");
		return;
	}
	if (is_program_object(declaration, &space)) {
		struct type scalar;
		/* a folded constant needs no memory */
		if (space == SPACE_CONSTANT && type_of(type, &scalar))
			return;
		if (variable_find(l, declaration) == NULL)
			declare_object(l, declaration, space);
		return;
	}
	if (array_is_dynamic(l, declaration)) {
		initialise_in_memory(l, declaration);
		return;
	}
	if (l->failed)
		return;
	if (layout_of(l, type, declaration, &layout) &&
	    (type.kind != CXType_ConstantArray || layout.count <= CELLS_OF_ARRAY_MAX))
		declare_cells(l, declaration, &layout);
	else if (!l->failed)
		initialise_in_memory(l, declaration);
}

/* ---- sequences and conditions ---------------------------------------------------------------- */

/*
 * An if. What follows a guard (`if (c) return;`) is lowered as its else, since
 * it runs where the guard did not jump: then blocks say exactly what runs how often.
 */
static void lower_if(struct lower *l, CXCursor cursor, const CXCursor *rest, unsigned rest_count)
{
	struct cursor_list list = cursor_children(l, cursor);
	struct branch branch;
	int64_t known;
	if (list.count < 2 || list.count > 3) {
		lower_fail(l, cursor, "if");
		return;
	}
	uint32_t condition = lower_condition_of(l, list.at[0], true);
	if (l->failed)
		return;
	if (kernel_constant(l->kernel, condition, &known)) {
		if (known != 0)
			lower_statement(l, list.at[1]);
		else if (list.count == 3)
			lower_statement(l, list.at[2]);
		lower_sequence(l, rest, rest_count);
		return;
	}
	bool has_else = list.count == 3 || rest_count > 0;
	branch_begin(l, &branch, condition, has_else, cursor_line(cursor));
	for (unsigned arm = 0; arm < 1u + has_else && !l->failed; arm++) {
		branch_arm(l, &branch, arm);
		if (arm + 1 < list.count)
			lower_statement(l, list.at[arm + 1]);
		else
			lower_sequence(l, rest, rest_count);
		branch_arm_end(l, &branch, arm);
	}
	branch_end(l, &branch, cursor);
}

void lower_sequence(struct lower *l, const CXCursor *at, unsigned count)
{
	bool was_tail = l->is_tail;
	if (lower_labelled(l, at, count))
		return;
	for (unsigned i = 0; i < count && !l->failed && !l->terminated; i++) {
		if (i + 1 < count && l->path_count < LOWER_GUARDS_MAX && scan_is_guard(l, at[i])) {
			lower_if(l, at[i], at + i + 1, count - i - 1);
			break;
		}
		l->is_tail = was_tail && i + 1 == count;
		lower_statement(l, at[i]);
		l->is_tail = was_tail;
	}
}

/* ---- jumps ----------------------------------------------------------------------------------- */

static void lower_return(struct lower *l, CXCursor cursor)
{
	struct cursor_list list = cursor_children(l, cursor);
	struct function_frame *frame = l->frame;
	if (list.count == 1) {
		struct value value = lower_expression(l, list.at[0]);
		if (l->failed)
			return;
		if (frame->result != IR_NONE) {
			struct place place = {.type = type_canonical(clang_getCursorResultType(
			                              frame->declaration)),
			                      .pointer = {.target = POINTER_CELLS,
			                                  .base = frame->result,
			                                  .cells = frame->result_count,
			                                  .index = IR_NONE,
			                                  .scale = 1}};
			place_store(l, &place, value, cursor);
		}
	}
	if (l->failed)
		return;
	if (frame->caller == NULL) {
		/* the kernel ends; where nothing follows nothing needs to be said */
		if (!l->is_tail) {
			struct ir_statement statement =
			        statement_of(STATEMENT_EXIT, cursor_line(cursor));
			(void)kernel_append(l->kernel, l->block, &statement);
		}
		l->terminated = true;
		return;
	}
	for (uint32_t i = l->target_count; i-- > 0;)
		if (l->targets[i].is_function) {
			target_jump(l, i, false, !l->is_tail, cursor);
			return;
		}
	lower_fail(l, cursor, "return");
}

static void lower_break(struct lower *l, CXCursor cursor, bool is_continue)
{
	for (uint32_t i = l->target_count; i-- > 0 && !l->targets[i].is_function;)
		if (!l->targets[i].is_label && (l->targets[i].is_loop || l->targets[i].is_once ||
		                                (!is_continue && l->targets[i].is_switch))) {
			target_jump(l, i, is_continue && l->targets[i].is_loop, true, cursor);
			return;
		}
	lower_fail(l, cursor, is_continue ? "continue" : "break");
}

/* ---- attributed statements ------------------------------------------------------------------- */

static void lower_unexposed_statement(struct lower *l, CXCursor cursor)
{
	struct cursor_list list = cursor_children(l, cursor);
	if (list.count != 1) {
		lower_fail(l, cursor, "a statement that is not understood");
		return;
	}
	enum CXCursorKind kind = clang_getCursorKind(list.at[0]);
	if (kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt)
		lower_loop(l, list.at[0], unroll_hint(l, list.at[0]));
	else
		lower_statement(l, list.at[0]);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void statement_at(struct lower *l, CXCursor cursor)
{
	enum CXCursorKind kind = clang_getCursorKind(cursor);
	struct cursor_list list;
	switch ((int)kind) {
	case CXCursor_CompoundStmt:
		list = cursor_children(l, cursor);
		lower_sequence(l, list.at, list.count);
		return;
	case CXCursor_DeclStmt:
		list = cursor_children(l, cursor);
		for (unsigned i = 0; i < list.count && !l->failed; i++)
			lower_declaration(l, list.at[i]);
		return;
	case CXCursor_IfStmt:
		lower_if(l, cursor, NULL, 0);
		return;
	case CXCursor_ForStmt:
	case CXCursor_WhileStmt:
	case CXCursor_DoStmt:
		lower_loop(l, cursor, 0);
		return;
	case CXCursor_SwitchStmt:
		lower_switch(l, cursor);
		return;
	case CXCursor_ReturnStmt:
		lower_return(l, cursor);
		return;
	case CXCursor_BreakStmt:
		lower_break(l, cursor, false);
		return;
	case CXCursor_ContinueStmt:
		lower_break(l, cursor, true);
		return;
	case CXCursor_NullStmt:
		return;
	case CXCursor_LabelStmt:
		list = cursor_children(l, cursor);
		lower_sequence(l, list.at, list.count);
		return;
	case CXCursor_GotoStmt:
		lower_goto(l, cursor);
		return;
	case CXCursor_GCCAsmStmt:
		lower_assembly(l, cursor);
		return;
	case CXCursor_UnexposedStmt:
		lower_unexposed_statement(l, cursor);
		return;
	default:
		break;
	}
	if (clang_isExpression(kind)) {
		(void)lower_expression(l, cursor);
		return;
	}
	CXString spelling = clang_getCursorKindSpelling(kind);
	lower_fail(l, cursor, "%.40s", clang_getCString(spelling));
	clang_disposeString(spelling);
}

void lower_statement(struct lower *l, CXCursor cursor)
{
	if (l->failed || l->terminated || clang_Cursor_isNull(cursor))
		return;
	struct ir_place before = lower_stand(l, cursor);
	l->depth++;
	l->cursors++;
	if (l->depth > LOWER_DEPTH_MAX)
		lower_fail(l, cursor, "nested more than %d deep", LOWER_DEPTH_MAX);
	else if (l->cursors > FRONTEND_INLINE_NODES_MAX)
		lower_fail(l, cursor, "more than %d expressions once functions are inlined",
		           FRONTEND_INLINE_NODES_MAX);
	else
		statement_at(l, cursor);
	l->depth--;
	(void)kernel_stand(l->kernel, before);
}
