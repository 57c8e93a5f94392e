/* SPDX-License-Identifier: Apache-2.0 */
/* Initialisers: vector literals, and lists that fill the leaves of structs and arrays. */
#include "model/frontend/lower.h"

/* (float4)(a, b, c): scalars and vectors, concatenated. */
uint32_t lower_vector_literal(struct lower *l, CXCursor cursor, struct type type)
{
	struct cursor_list list = cursor_children(l, cursor);
	uint32_t operands[IR_OPERANDS_MAX];
	unsigned count = 0, lanes = 0;
	struct type element = type_scalar((enum scalar)type.scalar);
	for (unsigned i = 0; i < list.count && count < IR_OPERANDS_MAX && lanes < type.width; i++) {
		uint32_t node = lower_node(l, list.at[i]);
		if (l->failed)
			return 0;
		struct type part = node_type(l, node);
		element.width = part.width;
		operands[count] = convert_node(l, node, element);
		lanes += part.width;
		count++;
	}
	if (count == 1 && node_type(l, operands[0]).width == 1 && list.count == 1)
		return node_unary(l, NODE_SPLAT, type, operands[0]);
	element.width = 1;
	while (lanes < type.width && count < IR_OPERANDS_MAX) {
		operands[count++] = node_zero(l, element);
		lanes++;
	}
	if (l->failed || lanes != type.width) {
		lower_fail(l, cursor, "vector literal of %u components for %u", lanes,
		           (unsigned)type.width);
		return 0;
	}
	if (count == 1)
		return operands[0];
	return node_check(l, kernel_node(l->kernel, NODE_VECTOR, type, operands, count, 0, 0));
}

struct filling {
	struct value *parts;
	const struct layout *layout;
	struct cursor_list list;
	unsigned next; /* of the list */
};

static void fill(struct lower *l, struct filling *f, CXType type, uint64_t offset, unsigned depth);

static void fill_leaf(struct lower *l, struct filling *f, uint64_t offset, struct value value)
{
	for (uint32_t i = 0; i < f->layout->count; i++)
		if (f->layout->leaves[i].offset == offset) {
			if (value.kind == VALUE_NODE)
				value.node = convert_node(l, value.node, f->layout->leaves[i].type);
			f->parts[i] = value;
			return;
		}
}

struct field_filling {
	struct lower *l;
	struct filling *f;
	uint64_t offset;
	unsigned depth;
};

static enum CXVisitorResult fill_field(CXCursor field, CXClientData data)
{
	struct field_filling *ff = data;
	long long bits = clang_Cursor_getOffsetOfField(field);
	if (bits >= 0)
		fill(ff->l, ff->f, clang_getCursorType(field), ff->offset + (uint64_t)bits / 8,
		     ff->depth + 1);
	return ff->l->failed ? CXVisit_Break : CXVisit_Continue;
}

/* Takes as many of the list as the type needs: a braced list, a whole value, or its parts. */
static void fill(struct lower *l, struct filling *f, CXType type, uint64_t offset, unsigned depth)
{
	struct type scalar;
	type = type_canonical(type);
	if (l->failed || f->next >= f->list.count)
		return;
	if (depth > 64) {
		lower_fail(l, f->list.at[0], "initialiser nested too deeply");
		return;
	}
	CXCursor item = f->list.at[f->next];
	bool is_list = clang_getCursorKind(item) == CXCursor_InitListExpr;
	if (type_is_pointer(type) || type_of(type, &scalar)) {
		f->next++;
		if (is_list && !type_is_pointer(type) && scalar.width > 1)
			fill_leaf(l, f, offset, value_node(lower_vector_literal(l, item, scalar)));
		else
			fill_leaf(l, f, offset, lower_expression(l, item));
		return;
	}
	if (is_list) {
		struct filling inner = {f->parts, f->layout, cursor_children(l, item), 0};
		f->next++;
		if (type.kind == CXType_ConstantArray) {
			CXType element = type_pointee(type);
			long long count = clang_getArraySize(type);
			uint64_t bytes = type_size(element);
			for (long long i = 0; i < count && inner.next < inner.list.count; i++)
				fill(l, &inner, element, offset + (uint64_t)i * bytes, depth + 1);
		} else {
			struct field_filling ff = {l, &inner, offset, depth};
			(void)clang_Type_visitFields(type, fill_field, &ff);
		}
		return;
	}
	CXType item_type = type_canonical(clang_getCursorType(item));
	if (item_type.kind == CXType_Record) {
		struct value value = lower_expression(l, item);
		struct layout layout;
		f->next++;
		if (value.kind != VALUE_AGGREGATE || !layout_of(l, item_type, item, &layout)) {
			lower_fail(l, item, "initialiser");
			return;
		}
		for (uint32_t i = 0; i < value.part_count; i++)
			fill_leaf(l, f, offset + layout.leaves[i].offset, value.parts[i]);
		return;
	}
	/* braces left out: the parts follow in the same list */
	if (type.kind == CXType_ConstantArray) {
		CXType element = type_pointee(type);
		long long count = clang_getArraySize(type);
		uint64_t bytes = type_size(element);
		for (long long i = 0; i < count && f->next < f->list.count; i++)
			fill(l, f, element, offset + (uint64_t)i * bytes, depth + 1);
	} else {
		struct field_filling ff = {l, f, offset, depth};
		(void)clang_Type_visitFields(type, fill_field, &ff);
	}
}

static void list_fill(struct lower *l, CXCursor cursor, CXType type, struct value *parts,
                      const struct layout *layout)
{
	struct cursor_list one = {&cursor, 1};
	struct filling f = {parts, layout, one, 0};
	for (uint32_t i = 0; i < layout->count; i++)
		parts[i] = layout->leaves[i].is_pointer
		                   ? value_pointer((struct pointer){.index = IR_NONE, .scale = 1})
		                   : value_node(node_zero(l, layout->leaves[i].type));
	fill(l, &f, type, 0, 0);
}

struct value lower_list(struct lower *l, CXCursor cursor)
{
	CXType type = type_canonical(clang_getCursorType(cursor));
	struct value value = {.kind = VALUE_AGGREGATE};
	struct type vector;
	struct layout layout;
	if (type_of(type, &vector)) {
		if (vector.width > 1)
			return value_node(lower_vector_literal(l, cursor, vector));
		struct cursor_list list = cursor_children(l, cursor);
		if (list.count == 1)
			return value_node(convert_node(l, lower_node(l, list.at[0]), vector));
		return value_node(node_zero(l, vector));
	}
	if (!layout_of(l, type, cursor, &layout)) {
		lower_fail(l, cursor, "initialiser too large");
		return value;
	}
	value.parts = arena_alloc(&l->arena, (layout.count + 1) * sizeof(*value.parts));
	if (value.parts == NULL) {
		lower_fail(l, cursor, "too large");
		return value;
	}
	value.part_count = layout.count;
	list_fill(l, cursor, type, value.parts, &layout);
	return value;
}
