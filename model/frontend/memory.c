/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses and accesses. A load of what was loaded or stored before, with
 * nothing in between that may have changed it, is no new access. Different
 * arguments are taken as different memory, as a compiler takes restrict:
 * kernels whose buffers overlap are rare, and assuming them everywhere would
 * count reads that GPUs' compilers hoist.
 */
#include "model/frontend/lower.h"

static bool same_address(const struct pointer *a, const struct ir_access *b)
{
	return a->base == b->object && a->index == b->index &&
	       (a->index == IR_NONE || a->scale == b->scale_bytes);
}

static bool has_pointers(const struct lower *l, const struct pointer *pointer)
{
	for (uint32_t i = 0; i < pointer->cells; i++)
		if (l->cells[pointer->base + i].leaf.is_pointer)
			return true;
	return false;
}

/* A variable index into an array of pointers: one of its elements. */
static struct pointer cells_choose(struct lower *l, const struct pointer *pointer, uint32_t index,
                                   uint64_t element_bytes, CXCursor at)
{
	struct type truth = type_scalar(SCALAR_INT), type = node_type(l, index);
	struct pointer chosen = *pointer, element = *pointer;
	uint32_t count = 0;
	while (element.offset >= 0 && count <= LOWER_AGGREGATE_MAX &&
	       cell_at(l, &element, (uint64_t)element.offset) != IR_NONE) {
		element.offset += (int64_t)element_bytes;
		count++;
	}
	for (uint32_t i = count; i-- > 0 && !l->failed;) {
		element.offset = pointer->offset + (int64_t)(i * element_bytes);
		if (i + 1 == count) {
			chosen = element;
			continue;
		}
		uint32_t is_it = node_binary(l, NODE_EQ, truth, index, node_number(l, type, i));
		chosen = pointer_choose(l, is_it, &element, &chosen, at);
	}
	return chosen;
}

/* The address plus index * element_bytes. */
struct pointer pointer_add(struct lower *l, struct pointer pointer, uint32_t index,
                           uint64_t element_bytes, CXCursor at)
{
	int64_t constant, bytes;
	if (l->failed)
		return pointer;
	if (element_bytes == 0 || element_bytes > UINT32_MAX / 2) {
		lower_fail(l, at, "pointer to an element of this size");
		return pointer;
	}
	if (pointer.target == POINTER_CHOICE && !kernel_constant(l->kernel, index, &constant)) {
		struct pointer yes = choice_arm(&pointer, true), no = choice_arm(&pointer, false);
		yes = pointer_add(l, yes, index, element_bytes, at);
		no = pointer_add(l, no, index, element_bytes, at);
		return pointer_choose(l, pointer.choice->condition, &yes, &no, at);
	}
	if (kernel_constant(l->kernel, index, &constant)) {
		if (__builtin_mul_overflow(constant, (int64_t)element_bytes, &bytes) ||
		    __builtin_add_overflow(pointer.offset, bytes, &pointer.offset))
			lower_fail(l, at, "address out of range");
		return pointer;
	}
	if (pointer.target == POINTER_CELLS && has_pointers(l, &pointer))
		return cells_choose(l, &pointer, index, element_bytes, at);
	if (pointer.target != POINTER_OBJECT) {
		memory_demand(l, &pointer, at, "variable index into a private variable");
		return pointer;
	}
	if (pointer.index == IR_NONE) {
		pointer.index = index;
		pointer.scale = (uint32_t)element_bytes;
		return pointer;
	}
	struct type type = type_scalar(SCALAR_LONG);
	uint32_t scale = (uint32_t)element_bytes;
	uint32_t a = convert_node(l, pointer.index, type), b = convert_node(l, index, type);
	if (pointer.scale % scale == 0) {
		a = node_binary(l, NODE_MUL, type, a,
		                kernel_integer(l->kernel, type, pointer.scale / scale));
	} else if (scale % pointer.scale == 0) {
		b = node_binary(l, NODE_MUL, type, b,
		                kernel_integer(l->kernel, type, scale / pointer.scale));
		scale = pointer.scale;
	} else {
		a = node_binary(l, NODE_MUL, type, a,
		                kernel_integer(l->kernel, type, pointer.scale));
		b = node_binary(l, NODE_MUL, type, b, kernel_integer(l->kernel, type, scale));
		scale = 1;
	}
	pointer.index = node_binary(l, NODE_ADD, type, a, b);
	pointer.scale = scale;
	return pointer;
}

uint32_t pointer_bytes(struct lower *l, const struct pointer *pointer)
{
	struct type type = type_scalar(SCALAR_LONG);
	if (pointer->target == POINTER_CHOICE && !l->failed) {
		struct pointer yes = choice_arm(pointer, true), no = choice_arm(pointer, false);
		return node_select(l, NODE_PHI, type, pointer->choice->condition,
		                   pointer_bytes(l, &yes), pointer_bytes(l, &no));
	}
	uint32_t offset = kernel_integer(l->kernel, type, pointer->offset);
	if (pointer->index == IR_NONE)
		return offset;
	uint32_t index = node_binary(l, NODE_MUL, type, convert_node(l, pointer->index, type),
	                             kernel_integer(l->kernel, type, pointer->scale));
	return node_binary(l, NODE_ADD, type, index, offset);
}

/* ---- what is known of memory ---------------------------------------------------------------- */

void cache_forget_object(struct lower *l, uint32_t object)
{
	for (uint32_t i = 0; i < l->cache_count; i++)
		if (l->cache[i].access.object == object)
			l->cache[i].is_dead = true;
}

void cache_forget_shared(struct lower *l)
{
	for (uint32_t i = 0; i < l->cache_count; i++) {
		uint8_t space = l->kernel->objects[l->cache[i].access.object].space;
		if (space == SPACE_GLOBAL || space == SPACE_LOCAL)
			l->cache[i].is_dead = true;
	}
}

/* A store kills what it may overlap: all but other constant offsets from the same index. */
static void cache_forget_overlapping(struct lower *l, const struct pointer *pointer, uint32_t bytes)
{
	for (uint32_t i = 0; i < l->cache_count; i++) {
		struct cached *entry = &l->cache[i];
		if (entry->access.object != pointer->base)
			continue;
		if (same_address(pointer, &entry->access) &&
		    (pointer->offset >=
		             entry->access.offset_bytes + (int64_t)type_bytes(entry->access.type) ||
		     entry->access.offset_bytes >= pointer->offset + (int64_t)bytes))
			continue;
		entry->is_dead = true;
	}
}

static void cache_add(struct lower *l, uint32_t number, uint32_t node)
{
	const struct ir_access *access = &l->kernel->accesses[number];
	if (l->cache_count == LOWER_CACHE_MAX || l->kernel->objects[access->object].is_volatile)
		return;
	l->cache[l->cache_count++] = (struct cached){*access, node, number, false};
}

static const struct cached *cache_find(struct lower *l, const struct pointer *pointer,
                                       struct type type)
{
	for (uint32_t i = l->cache_count; i-- > 0;) {
		const struct cached *entry = &l->cache[i];
		if (!entry->is_dead && same_address(pointer, &entry->access) &&
		    entry->access.offset_bytes == pointer->offset &&
		    entry->access.type.scalar == type.scalar &&
		    entry->access.type.width == type.width)
			return entry;
	}
	return NULL;
}

/* ---- accesses ------------------------------------------------------------------------------- */

static uint32_t access_append(struct lower *l, enum access_kind kind, const struct pointer *pointer,
                              struct type type, uint32_t value, CXCursor at)
{
	struct ir_access access = {.kind = (uint8_t)kind,
	                           .object = pointer->base,
	                           .index = pointer->index,
	                           .scale_bytes = pointer->index == IR_NONE ? 1 : pointer->scale,
	                           .offset_bytes = pointer->offset,
	                           .type = type,
	                           .value = value,
	                           .result = IR_NONE,
	                           .line = cursor_line(at)};
	uint32_t number = kernel_access(l->kernel, l->block, &access);
	if (number == IR_NONE)
		lower_fail(l, at, "too many accesses");
	return number;
}

static void access_write(struct lower *l, uint32_t number, bool repeated)
{
	uint32_t object = l->kernel->accesses[number].object;
	if (l->kernel->objects[object].space != SPACE_PRIVATE)
		kernel_write_access(l->kernel, l->block, number, repeated);
}

static bool is_object(struct lower *l, const struct pointer *pointer, CXCursor at)
{
	if (!l->failed && pointer->target != POINTER_OBJECT)
		lower_fail(l, at, "access through a pointer without an object");
	return !l->failed;
}

uint32_t memory_load(struct lower *l, const struct pointer *pointer, struct type type, CXCursor at)
{
	if (pointer->target == POINTER_CHOICE)
		return value_as_node(l, pointer_load(l, pointer, type, at), at);
	if (!is_object(l, pointer, at))
		return node_zero(l, type);
	const struct cached *known = cache_find(l, pointer, type);
	if (known != NULL) {
		access_write(l, known->number, true);
		return known->node;
	}
	uint32_t number = access_append(l, ACCESS_LOAD, pointer, type, IR_NONE, at);
	if (number == IR_NONE)
		return node_zero(l, type);
	access_write(l, number, false);
	uint32_t node = l->kernel->accesses[number].result;
	cache_add(l, number, node);
	return node;
}

void memory_store(struct lower *l, const struct pointer *pointer, struct type type, uint32_t value,
                  CXCursor at)
{
	if (pointer->target == POINTER_CHOICE) {
		pointer_store(l, pointer, type, value_node(value), at);
		return;
	}
	if (!is_object(l, pointer, at))
		return;
	value = convert_node(l, value, type);
	cache_forget_overlapping(l, pointer, type_bytes(type));
	uint32_t number = access_append(l, ACCESS_STORE, pointer, type, value, at);
	if (number == IR_NONE)
		return;
	access_write(l, number, false);
	cache_add(l, number, value);
}

uint32_t memory_atomic(struct lower *l, const struct pointer *pointer, struct type type,
                       uint32_t value, enum atomic_way way, CXCursor at)
{
	if (pointer->target == POINTER_CHOICE) {
		struct branch branch;
		struct value old[2] = {{0}, {0}};
		branch_begin(l, &branch, pointer->choice->condition, true, cursor_line(at));
		for (unsigned arm = 0; arm < 2 && !l->failed; arm++) {
			struct pointer one = choice_arm(pointer, arm == 0);
			branch_arm(l, &branch, arm);
			old[arm] = value_node(memory_atomic(l, &one, type, value, way, at));
			branch_arm_end(l, &branch, arm);
		}
		branch_end(l, &branch, at);
		return value_as_node(
		        l, value_join(l, pointer->choice->condition, old[0], old[1], at), at);
	}
	if (!is_object(l, pointer, at))
		return node_zero(l, type);
	cache_forget_object(l, pointer->base);
	uint32_t number = access_append(l, ACCESS_ATOMIC, pointer, type, value, at);
	if (number == IR_NONE)
		return node_zero(l, type);
	l->kernel->accesses[number].is_exchange = way == ATOMIC_EXCHANGE;
	l->kernel->accesses[number].is_extreme = way == ATOMIC_EXTREME;
	access_write(l, number, false);
	return l->kernel->accesses[number].result;
}

void memory_demand(struct lower *l, const struct pointer *pointer, CXCursor at, const char *reason)
{
	for (uint32_t i = 0; i < l->variable_capacity && pointer->target == POINTER_CELLS; i++) {
		const struct variable *variable = &l->variables[i];
		if (l->failed || !variable->is_bound || variable->where.target != POINTER_CELLS ||
		    variable->where.base != pointer->base || l->demands->count == DEMANDS_MAX)
			continue;
		bool has_pointer = false;
		for (uint32_t c = 0; c < pointer->cells; c++)
			has_pointer = has_pointer || l->cells[pointer->base + c].leaf.is_pointer;
		if (has_pointer || pointer->cells == 0)
			break;
		l->demands->at[l->demands->count++] = variable->declaration;
		l->has_demanded = true;
		break;
	}
	lower_fail(l, at, "%s", reason);
}

/* ---- places --------------------------------------------------------------------------------- */

static struct value cells_load(struct lower *l, const struct pointer *pointer, struct type type,
                               CXCursor at)
{
	uint64_t offset = (uint64_t)pointer->offset;
	uint32_t cell = pointer->offset < 0 ? IR_NONE : cell_at(l, pointer, offset);
	if (cell == IR_NONE) {
		memory_demand(l, pointer, at, "access outside a variable");
		return (struct value){0};
	}
	struct value value = cell_get(l, cell, at);
	const struct leaf *leaf = &l->cells[cell].leaf;
	uint32_t bytes = scalar_bytes((enum scalar)leaf->type.scalar);
	if (leaf->is_pointer || value.kind != VALUE_NODE ||
	    (leaf->offset == offset && leaf->type.scalar == type.scalar &&
	     leaf->type.width == type.width))
		return value;
	uint64_t lane = (offset - leaf->offset) / bytes;
	if (leaf->type.scalar == type.scalar && type.width == 1 && lane < leaf->type.width &&
	    (offset - leaf->offset) % bytes == 0)
		return value_node(node_swizzle(l, value.node, 1, lane));
	if (leaf->offset == offset && type_bytes(leaf->type) == type_bytes(type))
		return value_node(node_unary(l, NODE_BITCAST, type, value.node));
	uint32_t node = 0;
	if (!cells_gather(l, pointer, type, &node))
		memory_demand(l, pointer, at, "variable accessed as another type");
	return value_node(node);
}

static void cells_store(struct lower *l, const struct pointer *pointer, struct type type,
                        struct value value, CXCursor at)
{
	uint64_t offset = (uint64_t)pointer->offset;
	uint32_t cell = pointer->offset < 0 ? IR_NONE : cell_at(l, pointer, offset);
	if (cell == IR_NONE) {
		memory_demand(l, pointer, at, "access outside a variable");
		return;
	}
	const struct leaf leaf = l->cells[cell].leaf;
	if (leaf.is_pointer) {
		if (value.kind != VALUE_POINTER)
			lower_fail(l, at, "pointer without an object");
		cell_set(l, cell, value);
		return;
	}
	uint32_t node = value_as_node(l, value, at);
	uint32_t bytes = scalar_bytes((enum scalar)leaf.type.scalar);
	uint64_t lane = (offset - leaf.offset) / bytes;
	if (leaf.offset == offset && leaf.type.width == type.width &&
	    type_bytes(type) == type_bytes(leaf.type)) {
		if (leaf.type.scalar != type.scalar)
			node = node_unary(l, NODE_BITCAST, leaf.type, convert_node(l, node, type));
		cell_set(l, cell, value_node(convert_node(l, node, leaf.type)));
	} else if (leaf.type.scalar == type.scalar && type.width == 1 && lane < leaf.type.width &&
	           (offset - leaf.offset) % bytes == 0) {
		uint32_t operands[2] = {value_as_node(l, cell_get(l, cell, at), at),
		                        convert_node(l, node, type)};
		cell_set(l, cell,
		         value_node(kernel_node(l->kernel, NODE_INSERT, leaf.type, operands, 2, 0,
		                                lane)));
	} else if (leaf.offset == offset && type_bytes(leaf.type) == type_bytes(type)) {
		cell_set(l, cell,
		         value_node(node_unary(l, NODE_BITCAST, leaf.type,
		                               convert_node(l, node, type))));
	} else if (!cells_scatter(l, pointer, type, convert_node(l, node, type))) {
		memory_demand(l, pointer, at, "variable accessed as another type");
	}
}

/* Loads or stores every leaf of a struct or array. */
static struct value aggregate_load(struct lower *l, const struct place *place, CXCursor at)
{
	struct layout layout;
	struct value value = {.kind = VALUE_AGGREGATE};
	if (!layout_of(l, place->type, at, &layout)) {
		lower_fail(l, at, "struct too large to copy");
		return value;
	}
	value.parts = arena_alloc(&l->arena, (layout.count + 1) * sizeof(*value.parts));
	if (value.parts == NULL) {
		lower_fail(l, at, "too large");
		return value;
	}
	value.part_count = layout.count;
	for (uint32_t i = 0; i < layout.count && !l->failed; i++) {
		struct pointer pointer = place->pointer;
		const struct leaf *leaf = &layout.leaves[i];
		pointer.offset += leaf->offset;
		value.parts[i] = pointer_load(l, &pointer, leaf->type, at);
		if (leaf->is_pointer && !pointer_is_of_cells(&pointer) && !l->failed)
			value.parts[i] = value_pointer(
			        pointer_unknown(l, &pointer, leaf->pointee_bytes,
			                        value_as_node(l, value.parts[i], at), at));
	}
	return value;
}

/* A pointer as a value: cells keep what it points to, memory its bytes. */
static void pointer_value_store(struct lower *l, const struct pointer *to, struct value value,
                                CXCursor at)
{
	struct type type = type_scalar(SCALAR_ULONG);
	if (!pointer_is_of_cells(to) && value.kind == VALUE_POINTER)
		value = value_node(convert_node(l, pointer_bytes(l, &value.pointer), type));
	pointer_store(l, to, type, value, at);
}

static void aggregate_store(struct lower *l, const struct place *place, struct value value,
                            CXCursor at)
{
	struct layout layout;
	if (!layout_of(l, place->type, at, &layout) || value.kind != VALUE_AGGREGATE ||
	    value.part_count != layout.count) {
		lower_fail(l, at, "struct too large to copy");
		return;
	}
	for (uint32_t i = 0; i < layout.count && !l->failed; i++) {
		struct pointer pointer = place->pointer;
		const struct leaf *leaf = &layout.leaves[i];
		pointer.offset += leaf->offset;
		if (value.parts[i].kind == VALUE_NONE)
			continue;
		if (leaf->is_pointer)
			pointer_value_store(l, &pointer, value.parts[i], at);
		else
			pointer_store(l, &pointer, leaf->type, value.parts[i], at);
	}
}

struct value pointer_load(struct lower *l, const struct pointer *pointer, struct type type,
                          CXCursor at)
{
	struct place place = {.pointer = *pointer};
	struct branch branch;
	struct value arms[2] = {{0}, {0}};
	if (pointer->target == POINTER_CELLS)
		return cells_load(l, pointer, type, at);
	if (pointer->target != POINTER_CHOICE)
		return value_node(memory_load(l, pointer, type, at));
	if (l->failed)
		return arms[0];
	if (pointer_is_of_cells(pointer)) {
		/* nothing is read: both values are there */
		for (unsigned arm = 0; arm < 2; arm++) {
			place.pointer = choice_arm(pointer, arm == 0);
			arms[arm] = pointer_load(l, &place.pointer, type, at);
		}
		return value_join(l, pointer->choice->condition, arms[0], arms[1], at);
	}
	branch_begin(l, &branch, pointer->choice->condition, true, cursor_line(at));
	for (unsigned arm = 0; arm < 2 && !l->failed; arm++) {
		place.pointer = choice_arm(pointer, arm == 0);
		branch_arm(l, &branch, arm);
		arms[arm] = pointer_load(l, &place.pointer, type, at);
		branch_arm_end(l, &branch, arm);
	}
	branch_end(l, &branch, at);
	return l->failed ? arms[0]
	                 : value_join(l, pointer->choice->condition, arms[0], arms[1], at);
}

void pointer_store(struct lower *l, const struct pointer *pointer, struct type type,
                   struct value value, CXCursor at)
{
	struct branch branch;
	if (pointer->target == POINTER_CELLS) {
		cells_store(l, pointer, type, value, at);
		return;
	}
	if (pointer->target != POINTER_CHOICE) {
		memory_store(l, pointer, type, value_as_node(l, value, at), at);
		return;
	}
	if (l->failed)
		return;
	if (pointer_is_of_cells(pointer)) {
		for (unsigned arm = 0; arm < 2; arm++) {
			struct pointer one = choice_arm(pointer, arm == 0);
			struct value old = pointer_load(l, &one, type, at);
			struct value yes = arm == 0 ? value : old, no = arm == 0 ? old : value;
			pointer_store(l, &one, type,
			              value_join(l, pointer->choice->condition, yes, no, at), at);
		}
		return;
	}
	branch_begin(l, &branch, pointer->choice->condition, true, cursor_line(at));
	for (unsigned arm = 0; arm < 2 && !l->failed; arm++) {
		struct pointer one = choice_arm(pointer, arm == 0);
		branch_arm(l, &branch, arm);
		pointer_store(l, &one, type, value, at);
		branch_arm_end(l, &branch, arm);
	}
	branch_end(l, &branch, at);
}

/* A pointer to volatile sees memory, whatever its object was declared as. */
static void forget_object(struct lower *l, const struct pointer *pointer)
{
	if (pointer->target == POINTER_OBJECT) {
		cache_forget_object(l, pointer->base);
	} else if (pointer->target == POINTER_CHOICE) {
		forget_object(l, &pointer->choice->yes);
		forget_object(l, &pointer->choice->no);
	}
}

static void forget_volatile(struct lower *l, const struct place *place)
{
	if (place->type.kind != CXType_Invalid && clang_isVolatileQualifiedType(place->type))
		forget_object(l, &place->pointer);
}

struct value place_load(struct lower *l, const struct place *place, CXCursor at)
{
	struct type type;
	if (l->failed)
		return (struct value){0};
	forget_volatile(l, place);
	if (place->lane_count > 0) {
		struct type element = type_scalar((enum scalar)place->vector.scalar);
		if (place->lane_count == 1) {
			struct pointer pointer = place->pointer;
			pointer.offset += (int64_t)((place->lanes & 15) * type_bytes(element));
			return pointer_load(l, &pointer, element, at);
		}
		uint32_t whole =
		        value_as_node(l, pointer_load(l, &place->pointer, place->vector, at), at);
		return value_node(node_swizzle(l, whole, place->lane_count, place->lanes));
	}
	if (type_is_pointer(place->type)) {
		struct value value =
		        pointer_load(l, &place->pointer, type_scalar(SCALAR_ULONG), at);
		if (pointer_is_of_cells(&place->pointer) || l->failed)
			return value;
		return value_pointer(pointer_unknown(l, &place->pointer,
		                                     type_size(type_pointee(place->type)),
		                                     value_as_node(l, value, at), at));
	}
	if (type_of(place->type, &type)) {
		struct value value = pointer_load(l, &place->pointer, type, at);
		if (place->bit_width > 0 && !l->failed)
			value = value_node(bits_load(l, place, type, value_as_node(l, value, at)));
		return value;
	}
	return aggregate_load(l, place, at);
}

void place_store(struct lower *l, const struct place *place, struct value value, CXCursor at)
{
	struct type type;
	if (l->failed)
		return;
	forget_volatile(l, place);
	if (place->lane_count > 0) {
		struct type element = type_scalar((enum scalar)place->vector.scalar);
		uint32_t node = value_as_node(l, value, at);
		for (unsigned i = 0; i < place->lane_count && !l->failed; i++) {
			struct pointer pointer = place->pointer;
			uint64_t lane = place->lanes >> (4 * i) & 15;
			uint32_t part = place->lane_count == 1 ? node : node_swizzle(l, node, 1, i);
			pointer.offset += (int64_t)(lane * type_bytes(element));
			pointer_store(l, &pointer, element, value_node(part), at);
		}
		return;
	}
	if (type_is_pointer(place->type)) {
		pointer_value_store(l, &place->pointer, value, at);
	} else if (type_of(place->type, &type)) {
		if (place->bit_width > 0) {
			struct value unit = pointer_load(l, &place->pointer, type, at);
			uint32_t bits = value_as_node(l, value, at);
			if (!l->failed)
				value = value_node(bits_store(l, place, type,
				                              value_as_node(l, unit, at), bits));
		}
		pointer_store(l, &place->pointer, type, value, at);
	} else {
		aggregate_store(l, place, value, at);
	}
}
