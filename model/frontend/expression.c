/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: values, places, conversions, literals, initialisers. */
#include "model/frontend/lower.h"

#include <stdio.h>
#include <string.h>

/* ---- nodes ---------------------------------------------------------------------------------- */

struct value value_node(uint32_t node)
{
	return (struct value){.kind = VALUE_NODE, .node = node};
}

struct value value_pointer(struct pointer pointer)
{
	return (struct value){.kind = VALUE_POINTER, .pointer = pointer};
}

struct type node_type(const struct lower *l, uint32_t node)
{
	if (node >= l->kernel->node_count)
		return type_scalar(SCALAR_INT);
	return l->kernel->nodes[node].type;
}

/* After the builder has failed nodes are IR_NONE; the lowering ends there. */
uint32_t node_check(struct lower *l, uint32_t node)
{
	if (node == IR_NONE && !l->failed)
		lower_fail(l, l->frame->declaration, "too large");
	return node == IR_NONE ? 0 : node;
}

uint32_t node_binary(struct lower *l, enum node_op op, struct type type, uint32_t a, uint32_t b)
{
	if (l->failed)
		return 0;
	return node_check(l, kernel_binary(l->kernel, op, type, a, b));
}

uint32_t node_unary(struct lower *l, enum node_op op, struct type type, uint32_t a)
{
	if (l->failed)
		return 0;
	return node_check(l, kernel_unary(l->kernel, op, type, a));
}

uint32_t node_select(struct lower *l, enum node_op op, struct type type, uint32_t condition,
                     uint32_t yes, uint32_t no)
{
	uint32_t operands[3] = {condition, yes, no};
	if (l->failed)
		return 0;
	return node_check(l, kernel_node(l->kernel, op, type, operands, 3, 0, 0));
}

uint32_t node_number(struct lower *l, struct type type, double value)
{
	struct type scalar = type_scalar((enum scalar)type.scalar);
	if (l->failed)
		return 0;
	uint32_t node = node_check(l, type_is_real(type)
	                                      ? kernel_real(l->kernel, scalar, value)
	                                      : kernel_integer(l->kernel, scalar, (int64_t)value));
	return type.width == 1 ? node : node_unary(l, NODE_SPLAT, type, node);
}

uint32_t node_zero(struct lower *l, struct type type)
{
	return node_number(l, type, 0);
}

uint32_t node_swizzle(struct lower *l, uint32_t node, unsigned count, uint64_t lanes)
{
	struct type type = node_type(l, node);
	if (l->failed)
		return 0;
	if (type.width == 1)
		return node;
	type.width = (uint8_t)count;
	return node_check(l, kernel_node(l->kernel, NODE_SWIZZLE, type, &node, 1, 0, lanes));
}

uint32_t convert_node(struct lower *l, uint32_t node, struct type type)
{
	struct type from = node_type(l, node);
	if (l->failed || (from.scalar == type.scalar && from.width == type.width))
		return node;
	if (from.width == 1 && type.width > 1) {
		node = convert_node(l, node, type_scalar((enum scalar)type.scalar));
		return node_unary(l, NODE_SPLAT, type, node);
	}
	if (from.width != type.width) {
		if (type_bytes(from) == type_bytes(type))
			return node_unary(l, NODE_BITCAST, type, node);
		return node_swizzle(l, node, type.width, 0xfedcba9876543210u);
	}
	if (type.scalar == SCALAR_BOOL && type.width == 1)
		return node_unary(
		        l, NODE_CONVERT, type,
		        node_binary(l, NODE_NE, type_scalar(SCALAR_INT), node, node_zero(l, from)));
	return node_unary(l, NODE_CONVERT, type, node);
}

uint32_t value_as_node(struct lower *l, struct value value, CXCursor at)
{
	if (value.kind == VALUE_NODE)
		return value.node;
	if (!l->failed)
		lower_fail(l, at,
		           value.kind == VALUE_POINTER ? "pointer used as a number"
		                                       : "expression without a value");
	return 0;
}

void write_operation(struct lower *l, enum op_class op_class, struct type type, unsigned count)
{
	enum type_class class = type_class_of(type);
	if (l->failed || op_class == OP_CLASS_NONE || class == TYPE_CLASS_NONE)
		return;
	kernel_write_operation(l->kernel, l->block, op_class, class, count * type.width);
}

/* ---- literals and references ----------------------------------------------------------------- */

static struct value lower_literal(struct lower *l, CXCursor cursor)
{
	struct type type;
	struct value value = {0};
	CXEvalResult result = clang_Cursor_Evaluate(cursor);
	CXEvalResultKind kind =
	        result == NULL ? CXEval_UnExposed : clang_EvalResult_getKind(result);
	if (!type_of(clang_getCursorType(cursor), &type) || type.width != 1)
		lower_fail(l, cursor, "literal of this type");
	else if (kind == CXEval_Int && !type_is_real(type))
		value = value_node(node_check(
		        l,
		        kernel_integer(l->kernel, type,
		                       clang_EvalResult_isUnsignedInt(result)
		                               ? (int64_t)clang_EvalResult_getAsUnsigned(result)
		                               : (int64_t)clang_EvalResult_getAsLongLong(result))));
	else if (kind == CXEval_Float && type_is_real(type))
		value = value_node(node_check(
		        l, kernel_real(l->kernel, type, clang_EvalResult_getAsDouble(result))));
	else
		lower_fail(l, cursor, "literal without a value");
	if (result != NULL)
		clang_EvalResult_dispose(result);
	return value;
}

/* A variable of the program: a __constant (or __local) array, a folded constant, or a string. */
static struct variable *program_variable(struct lower *l, CXCursor declaration)
{
	CXType type = type_canonical(clang_getCursorType(declaration));
	enum CXCursorKind kind = clang_getCursorKind(declaration);
	enum space space;
	if ((kind != CXCursor_VarDecl && kind != CXCursor_StringLiteral) ||
	    !type_space(type, &space) || space == SPACE_PRIVATE) {
		lower_fail(l, declaration, "variable of the program");
		return NULL;
	}
	struct ir_object object = {.space = (uint8_t)space,
	                           .argument = IR_NONE,
	                           .size_bytes = type_size(type),
	                           .is_volatile = clang_isVolatileQualifiedType(type) != 0};
	CXType element = type;
	for (unsigned depth = 0; type_is_array(element) && depth < 32; depth++)
		element = type_pointee(element);
	if (!type_of(element, &object.type))
		object.type = type_scalar(SCALAR_VOID);
	uint64_t bytes = type_size(element);
	object.element_bytes = bytes > UINT32_MAX ? 0 : (uint32_t)bytes;
	if (object.size_bytes == 0 || object.element_bytes == 0) {
		lower_fail(l, declaration, "variable without a size");
		return NULL;
	}
	if (kind == CXCursor_StringLiteral)
		(void)snprintf(object.name, sizeof(object.name), "string");
	else
		cursor_name(declaration, object.name);
	struct variable *variable = variable_bind(l, declaration);
	if (variable == NULL)
		return NULL;
	uint32_t number = kernel_add_object(l->kernel, &object);
	if (number == IR_NONE) {
		lower_fail(l, declaration, "too many arrays");
		return NULL;
	}
	variable->where = (struct pointer){
	        .target = POINTER_OBJECT, .base = number, .index = IR_NONE, .scale = 1};
	return variable;
}

static struct place reference_place(struct lower *l, CXCursor cursor)
{
	struct place place = {.type = type_canonical(clang_getCursorType(cursor))};
	CXCursor declaration = clang_getCursorReferenced(cursor);
	struct variable *variable = variable_find(l, declaration);
	if (variable == NULL && clang_isInvalidDeclaration(declaration)) {
		if (!function_fault(l, declaration, cursor))
			lower_fail(l, cursor, "variable of an unknown type");
	} else if (variable == NULL)
		variable = program_variable(l, declaration);
	if (variable != NULL)
		place.pointer = variable->where;
	if (variable != NULL && !l->failed && is_array_parameter(declaration)) {
		struct value value = cell_get(l, variable->where.base, cursor);
		place.pointer = value.pointer;
		if (value.kind != VALUE_POINTER)
			lower_fail(l, cursor, "pointer made from a number");
	}
	return place;
}

static struct value lower_reference(struct lower *l, CXCursor cursor)
{
	CXCursor declaration = clang_getCursorReferenced(cursor);
	struct type type;
	enum space space;
	if (clang_getCursorKind(declaration) == CXCursor_EnumConstantDecl) {
		if (!type_of(clang_getCursorType(cursor), &type))
			type = type_scalar(SCALAR_INT);
		return value_node(
		        node_check(l, kernel_integer(l->kernel, type,
		                                     clang_getEnumConstantDeclValue(declaration))));
	}
	/* a scalar constant of the program is its initialiser */
	if (variable_find(l, declaration) == NULL &&
	    clang_getCursorKind(declaration) == CXCursor_VarDecl &&
	    type_of(clang_getCursorType(declaration), &type) &&
	    (type_canonical(clang_getCursorType(declaration)).kind == CXType_OCLSampler ||
	     (type_space(clang_getCursorType(declaration), &space) && space == SPACE_CONSTANT))) {
		CXCursor initialiser = clang_Cursor_getVarDeclInitializer(declaration);
		if (!clang_Cursor_isNull(initialiser)) {
			uint32_t node = lower_node(l, initialiser);
			return value_node(convert_node(l, node, type));
		}
	}
	struct place place = reference_place(l, cursor);
	if (is_array_parameter(declaration))
		return value_pointer(place.pointer);
	return place_load(l, &place, cursor);
}

/* ---- places --------------------------------------------------------------------------------- */

struct pointer lower_pointer(struct lower *l, CXCursor cursor)
{
	struct value value = lower_expression(l, cursor);
	if (value.kind == VALUE_POINTER)
		return value.pointer;
	if (!l->failed)
		lower_fail(l, cursor, "pointer made from a number");
	return (struct pointer){.index = IR_NONE, .scale = 1};
}

static struct place subscript_place(struct lower *l, CXCursor cursor)
{
	struct place place = {.type = type_canonical(clang_getCursorType(cursor))};
	struct cursor_list list = cursor_children(l, cursor);
	struct type type;
	if (list.count != 2) {
		lower_fail(l, cursor, "subscript");
		return place;
	}
	CXCursor base = list.at[0], index = list.at[1];
	if (!type_is_pointer(clang_getCursorType(base)) &&
	    type_is_pointer(clang_getCursorType(index))) {
		base = list.at[1];
		index = list.at[0];
	}
	if (type_of(clang_getCursorType(base), &type)) {
		/* a lane of a vector by number */
		int64_t lane;
		place = lower_place(l, base);
		uint32_t node = lower_node(l, index);
		if (l->failed)
			return place;
		if (type.width == 1 || place.lane_count > 0 ||
		    !kernel_constant(l->kernel, node, &lane) || lane < 0 || lane >= type.width)
			lower_fail(l, cursor, "variable index into a vector");
		else
			place.lanes = (uint64_t)lane;
		place.lane_count = 1;
		place.vector = type;
		return place;
	}
	place.pointer = lower_pointer(l, base);
	uint32_t node = lower_node(l, index);
	place.pointer = pointer_add(l, place.pointer, node, type_size(place.type), cursor);
	return place;
}

static struct place member_place(struct lower *l, CXCursor cursor)
{
	struct place place = {0};
	struct cursor_list list = cursor_children(l, cursor);
	CXCursor field = clang_getCursorReferenced(cursor);
	if (list.count < 1 || clang_getCursorKind(field) != CXCursor_FieldDecl ||
	    clang_isInvalidDeclaration(clang_getCursorSemanticParent(field))) {
		if (!function_fault(l, clang_getCursorSemanticParent(field), cursor))
			lower_fail(l, cursor, "member of a struct that is not understood");
		return place;
	}
	long long bits = field_offset_bits(l, field, cursor);
	if (type_points(clang_getCursorType(list.at[0])))
		place.pointer = lower_pointer(l, list.at[0]);
	else
		place = lower_place(l, list.at[0]);
	place.type = type_canonical(clang_getCursorType(cursor));
	if (clang_Cursor_isBitField(field)) {
		struct type unit;
		place.type = type_canonical(clang_getCursorType(field));
		int width = clang_getFieldDeclBitWidth(field);
		if (width <= 0 || bits < 0 || !type_of(place.type, &unit)) {
			lower_fail(l, cursor, "bit-field of this type");
			return place;
		}
		long long unit_bits = 8 * (long long)type_bytes(unit);
		place.bit_offset = (unsigned)(bits % unit_bits);
		place.bit_width = (unsigned)width;
		bits -= bits % unit_bits;
		if (place.bit_offset + place.bit_width > unit_bits) {
			lower_fail(l, cursor, "bit-field that crosses a unit");
			return place;
		}
	}
	if (bits < 0 ||
	    __builtin_add_overflow(place.pointer.offset, bits / 8, &place.pointer.offset))
		lower_fail(l, cursor, "member");
	return place;
}

/* A value without a place, given one: a fresh variable. */
static struct place temporary_place(struct lower *l, CXCursor cursor)
{
	struct place place = {.type = type_canonical(clang_getCursorType(cursor))};
	struct layout layout;
	if (!layout_of(l, place.type, cursor, &layout)) {
		lower_fail(l, cursor, "value too large to copy");
		return place;
	}
	struct value value = lower_expression(l, cursor);
	if (l->failed)
		return place;
	place.pointer = (struct pointer){.target = POINTER_CELLS,
	                                 .base = cells_new(l, &layout),
	                                 .cells = layout.count,
	                                 .index = IR_NONE,
	                                 .scale = 1};
	place_store(l, &place, value, cursor);
	return place;
}

static struct place string_place(struct lower *l, CXCursor cursor)
{
	struct place place = {.type = type_canonical(clang_getCursorType(cursor))};
	struct variable *variable = variable_find(l, cursor);
	if (variable == NULL)
		variable = program_variable(l, cursor);
	if (variable != NULL)
		place.pointer = variable->where;
	return place;
}

static struct place vector_place(struct lower *l, CXCursor cursor, CXCursor child)
{
	struct place place = {0};
	struct type vector;
	unsigned count;
	uint64_t lanes;
	bool is_arrow;
	if (!swizzle_of(l, cursor, child, &count, &lanes, &vector, &is_arrow)) {
		if (l->failed)
			return place;
		return lower_place(l, child);
	}
	if (is_arrow) {
		place.pointer = lower_pointer(l, child);
		place.type = type_pointee(clang_getCursorType(child));
	} else {
		place = lower_place(l, child);
	}
	if (place.lane_count > 0) {
		/* lanes of lanes */
		uint64_t inner = 0;
		for (unsigned i = 0; i < count; i++) {
			uint64_t lane = place.lanes >> (4 * (lanes >> (4 * i) & 15)) & 15;
			inner |= lane << (4 * i);
		}
		lanes = inner;
	} else {
		place.vector = vector;
	}
	place.lanes = lanes;
	place.lane_count = count;
	return place;
}

static bool depth_enter(struct lower *l, CXCursor cursor)
{
	if (l->failed)
		return false;
	l->depth++;
	l->cursors++;
	if (l->depth > LOWER_DEPTH_MAX)
		lower_fail(l, cursor, "nested more than %d deep", LOWER_DEPTH_MAX);
	else if (l->cursors > FRONTEND_INLINE_NODES_MAX)
		lower_fail(l, cursor, "more than %d expressions once functions are inlined",
		           FRONTEND_INLINE_NODES_MAX);
	return true;
}

static struct place place_at(struct lower *l, CXCursor cursor)
{
	struct cursor_list list;
	enum space space;
	switch ((int)clang_getCursorKind(cursor)) {
	case CXCursor_DeclRefExpr:
		return reference_place(l, cursor);
	case CXCursor_ArraySubscriptExpr:
		return subscript_place(l, cursor);
	case CXCursor_MemberRefExpr:
		return member_place(l, cursor);
	case CXCursor_StringLiteral:
		if (type_space(clang_getCursorType(cursor), &space) && space == SPACE_CONSTANT)
			return string_place(l, cursor);
		break;
	case CXCursor_ParenExpr:
		list = cursor_children(l, cursor);
		if (list.count == 1)
			return lower_place(l, list.at[0]);
		break;
	case CXCursor_UnexposedExpr:
		list = cursor_children(l, cursor);
		if (list.count == 1 && !type_is_array(clang_getCursorType(list.at[0])))
			return vector_place(l, cursor, list.at[0]);
		if (list.count == 1 && type_is_array(clang_getCursorType(cursor)))
			return lower_place(l, list.at[0]);
		break;
	case CXCursor_UnaryOperator:
		list = cursor_children(l, cursor);
		if (clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_Deref &&
		    list.count == 1)
			return (struct place){.pointer = lower_pointer(l, list.at[0]),
			                      .type = type_canonical(clang_getCursorType(cursor))};
		break;
	default:
		break;
	}
	return temporary_place(l, cursor);
}

struct place lower_place(struct lower *l, CXCursor cursor)
{
	struct place place = {0};
	if (!depth_enter(l, cursor))
		return place;
	struct ir_place before = lower_stand(l, cursor);
	if (!l->failed)
		place = place_at(l, cursor);
	(void)kernel_stand(l->kernel, before);
	l->depth--;
	return place;
}

/* ---- casts ----------------------------------------------------------------------------------- */

static struct value cast_value(struct lower *l, CXCursor cursor, CXCursor child)
{
	CXType to = type_canonical(clang_getCursorType(cursor));
	CXType from = type_canonical(clang_getCursorType(child));
	struct type type;
	int64_t number;
	if (type_is_array(from) && type_points(to))
		return value_pointer(lower_place(l, child).pointer);
	if (to.kind == CXType_Void) {
		(void)lower_expression(l, child);
		return (struct value){0};
	}
	struct value value = lower_expression(l, child);
	if (l->failed)
		return value;
	if (type_is_pointer(to)) {
		if (value.kind == VALUE_NODE && kernel_constant(l->kernel, value.node, &number) &&
		    number == 0)
			return value_pointer((struct pointer){.index = IR_NONE, .scale = 1});
		if (value.kind != VALUE_POINTER)
			lower_fail(l, cursor, "pointer made from a number");
		return value;
	}
	if (!type_of(to, &type))
		return value;
	if (value.kind == VALUE_POINTER) {
		if (type.scalar == SCALAR_BOOL || type.scalar == SCALAR_INT)
			return value_node(convert_node(l, pointer_is_set(l, &value.pointer), type));
		return value_node(node_check(l, kernel_unknown(l->kernel, type)));
	}
	return value_node(convert_node(l, value_as_node(l, value, cursor), type));
}

static struct value lower_unexposed(struct lower *l, CXCursor cursor)
{
	struct cursor_list list = cursor_children(l, cursor);
	struct type vector;
	unsigned count;
	uint64_t lanes;
	bool is_arrow;
	if (list.count == 4 && clang_equalCursors(list.at[0], list.at[1]))
		return lower_otherwise(l, cursor, list.at[0], list.at[3]);
	if (list.count != 1) {
		char why[96] = "an expression that is not understood";
		for (unsigned i = l->translation->fault_count; i-- > 0;)
			if (l->translation->faults[i].is_variable)
				fault_say(&l->translation->faults[i], why, sizeof(why));
		lower_fail(l, cursor, "%s", why);
		return (struct value){0};
	}
	CXCursor child = list.at[0];
	if (swizzle_of(l, cursor, child, &count, &lanes, &vector, &is_arrow)) {
		CXCursor base = cursor_strip(l, child);
		enum CXCursorKind kind = clang_getCursorKind(base);
		bool has_place = is_arrow || kind == CXCursor_DeclRefExpr ||
		                 kind == CXCursor_ArraySubscriptExpr ||
		                 kind == CXCursor_MemberRefExpr || kind == CXCursor_UnaryOperator;
		if (has_place) {
			struct place place = lower_place(l, cursor);
			return place_load(l, &place, cursor);
		}
		return value_node(node_swizzle(l, lower_node(l, child), count, lanes));
	}
	if (l->failed)
		return (struct value){0};
	return cast_value(l, cursor, child);
}

static struct value lower_cast(struct lower *l, CXCursor cursor)
{
	struct cursor_list list = cursor_children(l, cursor);
	struct type type;
	if (list.count == 0) {
		lower_fail(l, cursor, "cast");
		return (struct value){0};
	}
	CXCursor child = list.at[list.count - 1];
	if (clang_getCursorKind(child) == CXCursor_InitListExpr &&
	    type_of(clang_getCursorType(cursor), &type) && type.width > 1)
		return value_node(lower_vector_literal(l, child, type));
	return cast_value(l, cursor, child);
}

/* ({ ...; x; }): the value of its last statement. */
static struct value lower_statement_expression(struct lower *l, CXCursor cursor)
{
	struct cursor_list list = cursor_children(l, cursor);
	bool was_tail = l->is_tail;
	struct value value = {0};
	if (list.count == 1 && clang_getCursorKind(list.at[0]) == CXCursor_CompoundStmt)
		list = cursor_children(l, list.at[0]);
	if (list.count == 0 || l->failed)
		return value;
	CXCursor last = list.at[list.count - 1];
	bool has_value = clang_isExpression(clang_getCursorKind(last));
	l->is_tail = false;
	lower_sequence(l, list.at, has_value ? list.count - 1 : list.count);
	if (has_value && !l->terminated)
		value = lower_expression(l, last);
	l->is_tail = was_tail;
	return value;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static struct value expression_at(struct lower *l, CXCursor cursor)
{
	struct cursor_list list;
	struct place place;
	switch ((int)clang_getCursorKind(cursor)) {
	case CXCursor_IntegerLiteral:
	case CXCursor_FloatingLiteral:
	case CXCursor_CharacterLiteral:
	case CXCursor_CXXBoolLiteralExpr:
	case CXCursor_UnaryExpr: /* sizeof, vec_step */
		return lower_literal(l, cursor);
	case CXCursor_ParenExpr:
		list = cursor_children(l, cursor);
		if (list.count == 1)
			return lower_expression(l, list.at[0]);
		break;
	case CXCursor_UnexposedExpr:
		return lower_unexposed(l, cursor);
	case CXCursor_CStyleCastExpr:
		return lower_cast(l, cursor);
	case CXCursor_DeclRefExpr:
		return lower_reference(l, cursor);
	case CXCursor_ArraySubscriptExpr:
	case CXCursor_MemberRefExpr:
		place = lower_place(l, cursor);
		return place_load(l, &place, cursor);
	case CXCursor_UnaryOperator:
		return lower_unary(l, cursor);
	case CXCursor_BinaryOperator:
		return lower_binary(l, cursor);
	case CXCursor_CompoundAssignOperator:
		return lower_compound_assign(l, cursor);
	case CXCursor_ConditionalOperator:
		return lower_conditional(l, cursor);
	case CXCursor_CallExpr:
		return lower_call(l, cursor);
	case CXCursor_CompoundLiteralExpr:
		list = cursor_children(l, cursor);
		if (list.count > 0)
			return lower_expression(l, list.at[list.count - 1]);
		break;
	case CXCursor_InitListExpr:
		return lower_list(l, cursor);
	case CXCursor_StmtExpr:
		return lower_statement_expression(l, cursor);
	case CXCursor_StringLiteral:
		return lower_string(l, cursor);
	default:
		break;
	}
	CXString spelling = clang_getCursorKindSpelling(clang_getCursorKind(cursor));
	lower_fail(l, cursor, "%.40s", clang_getCString(spelling));
	clang_disposeString(spelling);
	return (struct value){0};
}

struct value lower_expression(struct lower *l, CXCursor cursor)
{
	struct value value = {0};
	if (!depth_enter(l, cursor))
		return value;
	struct ir_place before = lower_stand(l, cursor);
	if (!l->failed)
		value = expression_at(l, cursor);
	(void)kernel_stand(l->kernel, before);
	l->depth--;
	return value;
}

uint32_t lower_node(struct lower *l, CXCursor cursor)
{
	struct value value = lower_expression(l, cursor);
	return value_as_node(l, value, cursor);
}

uint32_t value_as_condition(struct lower *l, struct value value, CXCursor cursor)
{
	if (l->failed)
		return 0;
	if (value.kind == VALUE_POINTER)
		return pointer_is_set(l, &value.pointer);
	uint32_t node = value_as_node(l, value, cursor);
	struct type type = node_type(l, node);
	/* of a vector each lane is asked, by what takes it */
	if (type_is_real(type) && type.width == 1)
		return node_binary(l, NODE_NE, type_scalar(SCALAR_INT), node, node_zero(l, type));
	return node;
}

uint32_t lower_condition(struct lower *l, CXCursor cursor)
{
	return value_as_condition(l, lower_expression(l, cursor), cursor);
}

uint32_t lower_condition_of(struct lower *l, CXCursor cursor, bool is_branch)
{
	bool was_parted = l->is_parted;
	l->is_parted = is_branch;
	uint32_t node = lower_condition(l, cursor);
	l->is_parted = was_parted;
	return node;
}
