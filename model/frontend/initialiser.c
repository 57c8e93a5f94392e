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

/* A part of what a list fills: its type, where it begins, and which bits of it are meant. */
struct part {
	CXType type; /* canonical */
	uint64_t offset;
	unsigned bit_offset, bit_width; /* of a bit-field; width 0: none */
};

struct filling {
	struct value *parts;
	const struct layout *layout;
	struct cursor_list list;
	unsigned next; /* of the list */
};

static void fill(struct lower *l, struct filling *f, const struct part *part, unsigned depth);

/* A member of a union whose other member is several leaves alike: a part of its bits in each. */
static bool fill_several(struct lower *l, struct filling *f, uint32_t first, uint32_t node)
{
	const struct leaf *leaves = f->layout->leaves;
	struct type lane = leaves[first].type;
	uint32_t bytes = type_bytes(lane);
	uint32_t count = bytes == 0 ? 0 : type_bytes(node_type(l, node)) / bytes;
	struct type lanes = {lane.scalar, (uint8_t)count};
	if (lane.width != 1 || leaves[first].is_pointer || count < 2 || !type_is_valid(lanes) ||
	    first + count > f->layout->count)
		return false;
	for (uint32_t i = 1; i < count; i++)
		if (leaves[first + i].type.scalar != lane.scalar ||
		    leaves[first + i].type.width != 1 ||
		    leaves[first + i].offset != leaves[first].offset + i * bytes)
			return false;
	node = node_unary(l, NODE_BITCAST, lanes, node);
	for (uint32_t i = 0; i < count; i++)
		f->parts[first + i] = value_node(node_swizzle(l, node, 1, i));
	return true;
}

/* A value as its part, in the leaf that holds the part: of a union that is another type. */
static void fill_leaf(struct lower *l, struct filling *f, const struct part *part,
                      struct value value)
{
	struct type type;
	for (uint32_t i = 0; i < f->layout->count; i++) {
		struct type leaf = f->layout->leaves[i].type;
		if (f->layout->leaves[i].offset != part->offset)
			continue;
		if (value.kind == VALUE_NODE && type_of(part->type, &type)) {
			value.node = convert_node(l, value.node, type);
			if (type_bytes(type) > type_bytes(leaf)) {
				if (!fill_several(l, f, i, value.node))
					lower_fail(l, f->list.at[0], "initialiser of a union");
				return;
			}
			if (part->bit_width > 0) {
				const struct place bits = {.bit_offset = part->bit_offset,
				                           .bit_width = part->bit_width};
				value.node =
				        bits_store(l, &bits, leaf, f->parts[i].node, value.node);
			} else if (type.scalar != leaf.scalar &&
			           type_bytes(type) == type_bytes(leaf)) {
				value.node = node_unary(l, NODE_BITCAST, leaf, value.node);
			}
			value.node = convert_node(l, value.node, leaf);
		}
		f->parts[i] = value;
		return;
	}
}

static void part_member(struct lower *l, const struct part *whole, CXCursor field,
                        struct part *member)
{
	long long bits = field_offset_bits(l, field, field);
	struct type unit;
	*member = (struct part){.type = type_canonical(clang_getCursorType(field)),
	                        .offset = whole->offset + (uint64_t)(bits < 0 ? 0 : bits) / 8};
	if (bits < 0 || !clang_Cursor_isBitField(field) || !type_of(member->type, &unit))
		return;
	uint64_t unit_bits = 8 * (uint64_t)type_bytes(unit);
	uint64_t begin = (uint64_t)bits / unit_bits * unit_bits;
	member->offset = whole->offset + begin / 8;
	member->bit_offset = (unsigned)((uint64_t)bits - begin);
	member->bit_width = (unsigned)clang_getFieldDeclBitWidth(field);
	if (member->bit_offset + member->bit_width > unit_bits)
		lower_fail(l, field, "bit-field that crosses a unit");
}

static struct part part_element(const struct part *whole, uint64_t i)
{
	CXType element = type_pointee(whole->type);
	return (struct part){.type = element, .offset = whole->offset + i * type_size(element)};
}

/* ---- members in their order ------------------------------------------------------------------ */

/* The fields of a struct that a list goes through, or that a designator is looked for in. */
struct fields {
	CXCursor at[LOWER_AGGREGATE_MAX];
	unsigned count;
};

static enum CXVisitorResult collect_field(CXCursor field, CXClientData data)
{
	struct fields *fields = data;
	if (clang_Cursor_isBitField(field) && cursor_is(field, ""))
		return CXVisit_Continue; /* padding */
	fields->at[fields->count++] = field;
	return fields->count < LOWER_AGGREGATE_MAX ? CXVisit_Continue : CXVisit_Break;
}

/* How many parts a struct or an array has; of a union the first alone is filled in order. */
static uint64_t part_count(const struct part *whole, struct fields *fields)
{
	fields->count = 0;
	if (whole->type.kind == CXType_ConstantArray)
		return (uint64_t)clang_getArraySize(whole->type);
	(void)clang_Type_visitFields(whole->type, collect_field, fields);
	bool is_union =
	        clang_getCursorKind(clang_getTypeDeclaration(whole->type)) == CXCursor_UnionDecl;
	return is_union && fields->count > 1 ? 1 : fields->count;
}

static struct part part_at(struct lower *l, const struct part *whole, const struct fields *fields,
                           uint64_t i)
{
	struct part part;
	if (whole->type.kind == CXType_ConstantArray)
		return part_element(whole, i);
	part_member(l, whole, fields->at[i], &part);
	return part;
}

/*
 * `.x[2] = value` in a list: the part that it names, and which one of the whole that is in. The
 * cursor has no type, and the names and the value as children.
 */
static bool designated(struct lower *l, CXCursor item, const struct part *whole,
                       const struct fields *fields, struct part *part, uint64_t *first,
                       CXCursor *value)
{
	int64_t index;
	if (clang_getCursorKind(item) != CXCursor_UnexposedExpr ||
	    clang_getCursorType(item).kind != CXType_Void)
		return false;
	struct cursor_list list = cursor_children(l, item);
	*part = *whole;
	for (unsigned i = 0; i + 1 < list.count && !l->failed; i++) {
		CXCursor name = list.at[i];
		struct part outer = *part;
		uint64_t number = 0;
		if (clang_getCursorKind(name) == CXCursor_MemberRef) {
			CXCursor field = clang_getCursorReferenced(name);
			while (i == 0 && number < fields->count &&
			       !clang_equalCursors(fields->at[number], field))
				number++;
			part_member(l, &outer, field, part);
		} else if (type_is_array(outer.type) && cursor_constant(l, name, &index) &&
		           index >= 0) {
			number = (uint64_t)index;
			*part = part_element(&outer, number);
		} else {
			lower_fail(l, name, "designator of this form");
		}
		if (i == 0)
			*first = number;
	}
	if (l->failed || list.count < 2)
		return false;
	*value = list.at[list.count - 1];
	return true;
}

/* A list's items, in order or where their designators say. */
static void fill_members(struct lower *l, struct filling *f, const struct part *whole,
                         bool is_whole, unsigned depth)
{
	struct fields *fields = arena_alloc(&l->arena, sizeof(*fields));
	if (fields == NULL) {
		lower_fail(l, f->list.at[0], "too large");
		return;
	}
	uint64_t count = part_count(whole, fields);
	for (uint64_t at = 0; f->next < f->list.count && !l->failed; at++) {
		struct part part;
		CXCursor value;
		if (is_whole &&
		    designated(l, f->list.at[f->next], whole, fields, &part, &at, &value)) {
			struct filling one = {f->parts, f->layout, {&value, 1}, 0};
			f->next++;
			fill(l, &one, &part, depth + 1);
			continue;
		}
		if (at >= count || l->failed)
			break;
		part = part_at(l, whole, fields, at);
		fill(l, f, &part, depth + 1);
	}
}

/* `{"text"}` for an array of characters is the string itself. */
static CXCursor unbraced(struct lower *l, CXCursor item, const struct part *part)
{
	struct type scalar;
	if (clang_getCursorKind(item) != CXCursor_InitListExpr || !type_is_array(part->type) ||
	    !type_of(type_pointee(part->type), &scalar))
		return item;
	struct cursor_list list = cursor_children(l, item);
	bool is_string =
	        list.count == 1 && clang_getCursorKind(list.at[0]) == CXCursor_StringLiteral;
	return is_string ? list.at[0] : item;
}

/* Takes as many of the list as the part needs: a braced list, a whole value, or its parts. */
static void fill(struct lower *l, struct filling *f, const struct part *part, unsigned depth)
{
	struct type scalar;
	if (l->failed)
		return;
	if (depth > 64) {
		lower_fail(l, f->list.at[0], "initialiser nested too deeply");
		return;
	}
	CXCursor item = unbraced(l, f->list.at[f->next], part);
	bool is_list = clang_getCursorKind(item) == CXCursor_InitListExpr;
	if (type_is_pointer(part->type) || type_of(part->type, &scalar)) {
		f->next++;
		if (is_list && !type_is_pointer(part->type) && scalar.width > 1)
			fill_leaf(l, f, part, value_node(lower_vector_literal(l, item, scalar)));
		else
			fill_leaf(l, f, part, lower_expression(l, item));
		return;
	}
	if (is_list) {
		struct filling inner = {f->parts, f->layout, cursor_children(l, item), 0};
		f->next++;
		fill_members(l, &inner, part, true, depth);
		return;
	}
	CXType item_type = type_canonical(clang_getCursorType(item));
	if (item_type.kind == CXType_Record ||
	    clang_getCursorKind(item) == CXCursor_StringLiteral) {
		struct value value = lower_expression(l, item);
		struct layout layout;
		f->next++;
		if (value.kind != VALUE_AGGREGATE || !layout_of(l, item_type, item, &layout)) {
			lower_fail(l, item, "initialiser");
			return;
		}
		for (uint32_t i = 0; i < value.part_count; i++)
			for (uint32_t j = 0; j < f->layout->count; j++)
				if (f->layout->leaves[j].offset ==
				    part->offset + layout.leaves[i].offset)
					f->parts[j] = value.parts[i];
		return;
	}
	/* braces left out: the parts follow in the same list */
	fill_members(l, f, part, false, depth);
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
	fill(l, &f, &(struct part){.type = type_canonical(type)}, 0);
}

/* The characters of a string literal; what stands behind a NUL in it is taken for zeros. */
struct value lower_string(struct lower *l, CXCursor cursor)
{
	CXType type = type_canonical(clang_getCursorType(cursor));
	struct value value = {.kind = VALUE_AGGREGATE};
	struct layout layout;
	if (!layout_of(l, type, cursor, &layout)) {
		lower_fail(l, cursor, "string too large");
		return value;
	}
	value.parts = arena_alloc(&l->arena, (layout.count + 1) * sizeof(*value.parts));
	CXEvalResult result = clang_Cursor_Evaluate(cursor);
	const char *text = result != NULL && clang_EvalResult_getKind(result) == CXEval_StrLiteral
	                           ? clang_EvalResult_getAsStr(result)
	                           : NULL;
	if (value.parts == NULL || text == NULL)
		lower_fail(l, cursor, "string literal");
	for (uint32_t i = 0; i < layout.count && !l->failed; i++) {
		value.parts[i] =
		        value_node(node_number(l, layout.leaves[i].type, (signed char)*text));
		text += *text != 0;
	}
	value.part_count = layout.count;
	if (result != NULL)
		clang_EvalResult_dispose(result);
	return value;
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
