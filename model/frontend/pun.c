/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private variables read and written as what they are not: unions, casts of
 * pointers, bit-fields. Cells and value meet as lanes of the smallest scalar
 * among them; compilers make the same shuffles and bit casts of it.
 */
#include "model/frontend/lower.h"

enum { PUN_LANES_MAX = 16 };

/* One access as lanes: `count` of `unit`, from byte `offset` of the variable. */
struct lanes {
	struct type unit;
	uint32_t bytes; /* of a unit */
	uint64_t offset;
	unsigned count;
	uint32_t first, end; /* cells that it touches */
};

static struct type as_lanes(struct type type, struct type unit)
{
	unit.width = (uint8_t)(type_bytes(type) / type_bytes(unit));
	return unit;
}

static bool lanes_find(struct lower *l, const struct pointer *pointer, struct type type,
                       struct lanes *lanes)
{
	static const enum scalar integers[9] = {
	        [1] = SCALAR_UCHAR, [2] = SCALAR_USHORT, [4] = SCALAR_UINT, [8] = SCALAR_ULONG};
	uint32_t bytes = scalar_bytes((enum scalar)type.scalar), size = bytes * type.width;
	bool is_uniform = true;
	if (pointer->offset < 0 || type.width == 3 || pointer->index != IR_NONE)
		return false;
	lanes->offset = (uint64_t)pointer->offset;
	lanes->first = lanes->end = pointer->base;
	for (uint32_t i = 0; i < pointer->cells; i++) {
		const struct leaf *leaf = &l->cells[pointer->base + i].leaf;
		if (leaf->offset >= lanes->offset + size)
			break;
		lanes->end = pointer->base + i + 1;
		if (leaf->offset + type_bytes(leaf->type) <= lanes->offset) {
			lanes->first = lanes->end;
			continue;
		}
		uint32_t part = scalar_bytes((enum scalar)leaf->type.scalar);
		uint64_t apart = leaf->offset > lanes->offset ? leaf->offset - lanes->offset
		                                              : lanes->offset - leaf->offset;
		bytes = part < bytes ? part : bytes;
		while (bytes > 1 && apart % bytes != 0)
			bytes /= 2;
		is_uniform = is_uniform && leaf->type.scalar == type.scalar;
		if (leaf->is_pointer || leaf->type.width == 3)
			return false;
	}
	if (bytes == 0 || lanes->first == lanes->end || type.scalar == SCALAR_BOOL)
		return false;
	is_uniform = is_uniform && bytes == scalar_bytes((enum scalar)type.scalar);
	lanes->unit = type_scalar(is_uniform ? (enum scalar)type.scalar : integers[bytes]);
	lanes->bytes = bytes;
	lanes->count = size / bytes;
	/* the value and every cell have to be vectors of units */
	for (uint32_t i = lanes->first; i < lanes->end; i++)
		if (!type_is_valid(as_lanes(l->cells[i].leaf.type, lanes->unit)))
			return false;
	return lanes->count <= PUN_LANES_MAX && type_is_valid(as_lanes(type, lanes->unit));
}

static uint32_t cast(struct lower *l, uint32_t node, struct type type)
{
	struct type from = node_type(l, node);
	if (l->failed || (from.scalar == type.scalar && from.width == type.width))
		return node;
	return node_unary(l, NODE_BITCAST, type, node);
}

static uint32_t vector_of(struct lower *l, const uint32_t *parts, unsigned count, struct type unit)
{
	struct type type = {unit.scalar, (uint8_t)count};
	if (count == 1 || l->failed)
		return parts[0];
	return node_check(l, kernel_node(l->kernel, NODE_VECTOR, type, parts, count, 0, 0));
}

/* Lane of the access that a cell begins at; negative where it begins before. */
static int64_t lane_of(const struct lanes *lanes, const struct leaf *leaf)
{
	return ((int64_t)leaf->offset - (int64_t)lanes->offset) / (int64_t)lanes->bytes;
}

bool cells_gather(struct lower *l, const struct pointer *pointer, struct type type, uint32_t *node)
{
	struct lanes lanes;
	uint32_t parts[PUN_LANES_MAX];
	if (l->failed || !lanes_find(l, pointer, type, &lanes))
		return false;
	for (unsigned i = 0; i < lanes.count; i++)
		parts[i] = node_zero(l, lanes.unit); /* padding */
	for (uint32_t i = lanes.first; i < lanes.end && !l->failed; i++) {
		const struct leaf leaf = l->cells[i].leaf;
		struct type whole = as_lanes(leaf.type, lanes.unit);
		int64_t begin = lane_of(&lanes, &leaf);
		struct value value = cell_get(l, i, l->frame->declaration);
		if (value.kind != VALUE_NODE)
			return false;
		uint32_t cell = cast(l, value.node, whole);
		for (unsigned lane = 0; lane < whole.width; lane++)
			if (begin + lane >= 0 && begin + lane < lanes.count)
				parts[begin + lane] = node_swizzle(l, cell, 1, lane);
	}
	*node = cast(l, vector_of(l, parts, lanes.count, lanes.unit), type);
	return true;
}

bool cells_scatter(struct lower *l, const struct pointer *pointer, struct type type, uint32_t node)
{
	struct lanes lanes;
	if (l->failed || !lanes_find(l, pointer, type, &lanes))
		return false;
	uint32_t whole = cast(l, node, as_lanes(type, lanes.unit));
	for (uint32_t i = lanes.first; i < lanes.end && !l->failed; i++) {
		const struct leaf leaf = l->cells[i].leaf;
		struct type cell = as_lanes(leaf.type, lanes.unit);
		uint32_t parts[PUN_LANES_MAX], old = IR_NONE;
		int64_t begin = lane_of(&lanes, &leaf);
		for (unsigned lane = 0; lane < cell.width; lane++) {
			bool is_new = begin + lane >= 0 && begin + lane < lanes.count;
			if (!is_new && old == IR_NONE) {
				struct value value = cell_get(l, i, l->frame->declaration);
				if (value.kind != VALUE_NODE)
					return false;
				old = cast(l, value.node, cell);
			}
			parts[lane] = node_swizzle(l, is_new ? whole : old, 1,
			                           is_new ? (uint64_t)(begin + lane) : lane);
		}
		cell_set(l, i,
		         value_node(
		                 cast(l, vector_of(l, parts, cell.width, lanes.unit), leaf.type)));
	}
	return true;
}

/* ---- bit-fields ------------------------------------------------------------------------------ */

static uint32_t shifted(struct lower *l, enum node_op op, struct type type, uint32_t node,
                        unsigned count)
{
	if (count == 0)
		return node;
	write_operation(l, OP_CLASS_BIT, type, 1);
	return node_binary(l, op, type, node, node_number(l, type, count));
}

/* Up against the top, then down: sign or zeros come with it. */
uint32_t bits_load(struct lower *l, const struct place *place, struct type type, uint32_t unit)
{
	unsigned bits = 8 * type_bytes(type);
	uint32_t node = convert_node(l, unit, type);
	node = shifted(l, NODE_SHL, type, node, bits - place->bit_offset - place->bit_width);
	return shifted(l, NODE_SHR, type, node, bits - place->bit_width);
}

uint32_t bits_store(struct lower *l, const struct place *place, struct type type, uint32_t unit,
                    uint32_t value)
{
	uint64_t ones = place->bit_width >= 64 ? UINT64_MAX : (UINT64_C(1) << place->bit_width) - 1;
	uint64_t mask = ones << place->bit_offset;
	if (l->failed)
		return 0;
	uint32_t inside = node_check(l, kernel_integer(l->kernel, type, (int64_t)mask));
	uint32_t outside = node_check(l, kernel_integer(l->kernel, type, (int64_t)~mask));
	uint32_t bits = shifted(l, NODE_SHL, type, convert_node(l, value, type), place->bit_offset);
	write_operation(l, OP_CLASS_BIT, type, 3);
	return node_binary(l, NODE_OR, type,
	                   node_binary(l, NODE_AND, type, convert_node(l, unit, type), outside),
	                   node_binary(l, NODE_AND, type, bits, inside));
}
