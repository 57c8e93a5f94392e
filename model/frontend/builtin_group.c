/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of a work-group and of a sub-group: what they cost is what they
 * stand for. An asynchronous copy is a loop in which work-items take turns; a
 * reduction or scan of a work-group goes through local memory in steps of
 * doubling width, between barriers (Hillis, Steele, CACM 29(12), 1986); within
 * a sub-group values go from register to register.
 */
#include "model/frontend/lower.h"

#include <string.h>

enum {
	SCRATCH_ITEMS = 256, /* of a work-group, where the kernel requires no size */
	SUB_GROUP_STEPS = 5  /* of a reduction over 32 work-items */
};

/* ---- ids ------------------------------------------------------------------------------------- */

static uint32_t leaf(struct lower *l, enum node_op op, unsigned dimension)
{
	if (l->failed)
		return 0;
	return node_check(
	        l, kernel_node(l->kernel, op, type_scalar(SCALAR_ULONG), NULL, 0, dimension, 0));
}

uint32_t work_group_item(struct lower *l)
{
	struct type type = type_scalar(SCALAR_ULONG);
	uint32_t sum = leaf(l, NODE_LOCAL_ID, 2);
	for (unsigned d = 2; d-- > 0;)
		sum = node_binary(l, NODE_ADD, type,
		                  node_binary(l, NODE_MUL, type, sum, leaf(l, NODE_LOCAL_SIZE, d)),
		                  leaf(l, NODE_LOCAL_ID, d));
	return sum;
}

uint32_t work_group_items(struct lower *l)
{
	struct type type = type_scalar(SCALAR_ULONG);
	uint32_t product = leaf(l, NODE_LOCAL_SIZE, 0);
	for (unsigned d = 1; d < 3; d++)
		product = node_binary(l, NODE_MUL, type, product, leaf(l, NODE_LOCAL_SIZE, d));
	return product;
}

static uint32_t sub_group_size(struct lower *l)
{
	return leaf(l, NODE_SUB_GROUP_SIZE, 0);
}

static uint32_t rounded_up(struct lower *l, uint32_t items, uint32_t size)
{
	struct type type = type_scalar(SCALAR_ULONG);
	uint32_t most = node_binary(l, NODE_SUB, type, size, node_number(l, type, 1));
	return node_binary(l, NODE_DIV, type, node_binary(l, NODE_ADD, type, items, most), size);
}

static bool sub_group_id(struct lower *l, const struct call *call, struct value *result)
{
	struct type type = type_scalar(SCALAR_ULONG);
	uint32_t node;
	if (strcmp(call->name, "get_sub_group_size") == 0 ||
	    strcmp(call->name, "get_max_sub_group_size") == 0)
		node = sub_group_size(l);
	else if (strcmp(call->name, "get_sub_group_local_id") == 0)
		node = node_binary(l, NODE_REM, type, work_group_item(l), sub_group_size(l));
	else if (strcmp(call->name, "get_sub_group_id") == 0)
		node = node_binary(l, NODE_DIV, type, work_group_item(l), sub_group_size(l));
	else if (strcmp(call->name, "get_num_sub_groups") == 0 ||
	         strcmp(call->name, "get_enqueued_num_sub_groups") == 0)
		node = rounded_up(l, work_group_items(l), sub_group_size(l));
	else
		return false;
	*result = value_node(convert_node(l, node, type_scalar(SCALAR_UINT)));
	return true;
}

/* ---- asynchronous copies --------------------------------------------------------------------- */

void barrier_append(struct lower *l, CXCursor at)
{
	struct ir_statement statement = statement_of(STATEMENT_BARRIER, cursor_line(at));
	if (!l->failed && kernel_append(l->kernel, l->block, &statement) == IR_NONE)
		lower_fail(l, at, "too many statements");
	cache_forget_shared(l);
}

static bool async_copy(struct lower *l, const struct call *call, struct value *result)
{
	bool is_strided = strcmp(call->name, "async_work_group_strided_copy") == 0;
	if (!is_strided && strcmp(call->name, "async_work_group_copy") != 0)
		return false;
	struct copy copy = {.to_stride = IR_NONE, .from_stride = IR_NONE};
	enum space space;
	CXType to = type_pointee(clang_getCursorType(call->arguments[0]));
	if (call->count != (is_strided ? 5u : 4u) || !type_of(to, &copy.type)) {
		lower_fail(l, call->cursor, "function %.60s of this form", call->name);
		return true;
	}
	copy.to = lower_pointer(l, call->arguments[0]);
	copy.from = lower_pointer(l, call->arguments[1]);
	copy.count = lower_node(l, call->arguments[2]);
	if (is_strided) {
		uint32_t stride = lower_node(l, call->arguments[3]);
		/* the stride is that of global memory */
		if (type_space(to, &space) && space == SPACE_GLOBAL)
			copy.to_stride = stride;
		else
			copy.from_stride = stride;
	}
	(void)lower_expression(l, call->arguments[call->count - 1]);
	if (l->failed)
		return true;
	memory_copy(l, &copy, call->cursor);
	*result = value_node(node_zero(l, type_scalar(SCALAR_INT)));
	return true;
}

/* ---- reductions and scans -------------------------------------------------------------------- */

/* What a name asks for after its prefix: "reduce_add", "scan_exclusive_max", "all". */
struct collective {
	enum node_op op;
	bool is_scan, is_exclusive;
};

static bool operation_of(const char *word, enum node_op *op)
{
	static const struct {
		const char *word;
		enum node_op op;
	} rows[] = {{"add", NODE_ADD},        {"mul", NODE_MUL},         {"min", NODE_MIN},
	            {"max", NODE_MAX},        {"and", NODE_AND},         {"or", NODE_OR},
	            {"xor", NODE_XOR},        {"logical_and", NODE_AND}, {"logical_or", NODE_OR},
	            {"logical_xor", NODE_XOR}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(word, rows[i].word) == 0) {
			*op = rows[i].op;
			return true;
		}
	return false;
}

static bool collective_of(const char *word, struct collective *collective)
{
	*collective = (struct collective){0};
	if (strcmp(word, "all") == 0 || strcmp(word, "any") == 0) {
		collective->op = word[1] == 'l' ? NODE_AND : NODE_OR;
		return true;
	}
	if (strncmp(word, "non_uniform_", 12) == 0 || strncmp(word, "clustered_", 10) == 0)
		word += word[0] == 'n' ? 12 : 10;
	if (strncmp(word, "reduce_", 7) == 0)
		return operation_of(word + 7, &collective->op);
	collective->is_scan = true;
	if (strncmp(word, "scan_inclusive_", 15) == 0)
		return operation_of(word + 15, &collective->op);
	collective->is_exclusive = true;
	return strncmp(word, "scan_exclusive_", 15) == 0 &&
	       operation_of(word + 15, &collective->op);
}

/* A local array with an element per work-item. */
static struct pointer scratch(struct lower *l, struct type type, CXCursor at)
{
	struct ir_object object = {.name = "work_group_scratch",
	                           .space = SPACE_LOCAL,
	                           .argument = IR_NONE,
	                           .type = type,
	                           .element_bytes = type_bytes(type)};
	uint64_t items = 1;
	for (unsigned d = 0; d < 3; d++)
		items *= l->kernel->required_local[d];
	if (items == 0 || items > 1 << 20)
		items = SCRATCH_ITEMS;
	object.size_bytes = items * object.element_bytes;
	struct pointer pointer = {.target = POINTER_OBJECT, .index = IR_NONE, .scale = 1};
	for (uint32_t i = 0; i < l->kernel->object_count; i++)
		if (strcmp(l->kernel->objects[i].name, object.name) == 0 &&
		    l->kernel->objects[i].argument == IR_NONE &&
		    l->kernel->objects[i].element_bytes == object.element_bytes) {
			pointer.base = i;
			return pointer;
		}
	pointer.base = l->failed ? 0 : kernel_add_object(l->kernel, &object);
	if (pointer.base == IR_NONE)
		lower_fail(l, at, "too many arrays");
	return pointer;
}

static uint32_t combine(struct lower *l, enum node_op op, struct type type, uint32_t a, uint32_t b)
{
	write_operation(l, node_op_class(op), type, 1);
	return node_binary(l, op, type, a, b);
}

/* t[i] = t[i] op t[i + width], or with t[i - width] for a scan, for width = 1, 2, 4, ... */
static uint32_t through_local_memory(struct lower *l, const struct collective *collective,
                                     uint32_t value, CXCursor at)
{
	struct type type = node_type(l, value), index = type_scalar(SCALAR_LONG);
	uint32_t bytes = type_bytes(type), one = node_number(l, index, 1);
	struct pointer array = scratch(l, type, at);
	uint32_t item = convert_node(l, work_group_item(l), index);
	struct pointer own = pointer_add(l, array, item, bytes, at);
	struct counted loop;
	memory_store(l, &own, type, value, at);
	barrier_append(l, at);
	/* widths 1, 2, 4, ...: as many rounds as the group's size has digits */
	uint32_t zero = node_zero(l, index);
	counted_begin(l, &loop, one, convert_node(l, work_group_items(l), index), zero, at);
	loop.step = loop.index;
	struct branch branch;
	uint32_t truth =
	        l->failed ? 0 : node_binary(l, NODE_LE, type_scalar(SCALAR_INT), loop.index, item);
	if (!l->failed) {
		branch_begin(l, &branch, truth, false, cursor_line(at));
		branch_arm(l, &branch, 0);
		uint32_t before = node_binary(l, NODE_SUB, index, item, loop.index);
		struct pointer other = pointer_add(l, array, before, bytes, at);
		uint32_t a = memory_load(l, &own, type, at);
		uint32_t b = memory_load(l, &other, type, at);
		memory_store(l, &own, type, combine(l, collective->op, type, a, b), at);
		branch_arm_end(l, &branch, 0);
		branch_end(l, &branch, at);
	}
	barrier_append(l, at);
	counted_end(l, &loop);
	struct pointer last = own;
	if (!collective->is_scan)
		last = pointer_add(l, array,
		                   node_binary(l, NODE_SUB, index,
		                               convert_node(l, work_group_items(l), index), one),
		                   bytes, at);
	else if (collective->is_exclusive)
		last = pointer_add(l, own, node_number(l, index, -1), bytes, at);
	return memory_load(l, &last, type, at);
}

static bool work_group_function(struct lower *l, const struct call *call, struct value *result)
{
	struct collective collective;
	if (strncmp(call->name, "work_group_", 11) != 0 || call->count == 0 ||
	    call->type.scalar == SCALAR_VOID)
		return false;
	const char *word = call->name + 11;
	if (strcmp(word, "broadcast") == 0) {
		uint32_t value = convert_node(l, lower_node(l, call->arguments[0]), call->type);
		struct pointer array = scratch(l, call->type, call->cursor);
		for (unsigned i = 1; i < call->count; i++)
			(void)lower_node(l, call->arguments[i]);
		memory_store(l, &array, call->type, value, call->cursor);
		barrier_append(l, call->cursor);
		*result = value_node(memory_load(l, &array, call->type, call->cursor));
		return true;
	}
	if (!collective_of(word, &collective))
		return false;
	uint32_t value = convert_node(l, lower_node(l, call->arguments[0]), call->type);
	if (!l->failed)
		*result = value_node(through_local_memory(l, &collective, value, call->cursor));
	return true;
}

/* ---- sub-groups ------------------------------------------------------------------------------ */

static uint32_t exchanged(struct lower *l, struct type type, uint32_t value, unsigned step)
{
	if (l->failed)
		return 0;
	uint32_t operands[2] = {value, node_number(l, type_scalar(SCALAR_UINT), step)};
	write_operation(l, builtin_class(BUILTIN_SUB_GROUP_SHUFFLE), type, 1);
	return node_check(l, kernel_node(l->kernel, NODE_CALL, type, operands, 2,
	                                 BUILTIN_SUB_GROUP_SHUFFLE, 0));
}

/* p[id within the sub-group + i * its size], i-th component: intel's block accesses. */
static bool block_access(struct lower *l, const struct call *call, const char *word,
                         struct value *result)
{
	bool is_write = strncmp(word, "block_write", 11) == 0;
	struct type element, index = type_scalar(SCALAR_LONG);
	uint32_t parts[IR_OPERANDS_MAX] = {0};
	if ((!is_write && strncmp(word, "block_read", 10) != 0) ||
	    call->count != (is_write ? 2u : 1u) ||
	    !type_is_pointer(clang_getCursorType(call->arguments[0])) ||
	    !type_of(type_pointee(clang_getCursorType(call->arguments[0])), &element))
		return false;
	uint32_t value = is_write ? lower_node(l, call->arguments[1]) : 0;
	struct type type = is_write ? node_type(l, value) : call->type;
	struct pointer pointer = lower_pointer(l, call->arguments[0]);
	uint32_t size = convert_node(l, sub_group_size(l), index);
	uint32_t item =
	        node_binary(l, NODE_REM, index, convert_node(l, work_group_item(l), index), size);
	for (unsigned i = 0; i < type.width && !l->failed; i++) {
		struct type part = type_scalar((enum scalar)type.scalar);
		struct pointer at =
		        pointer_add(l, pointer, item, type_bytes(element), call->cursor);
		if (is_write)
			memory_store(l, &at, part, node_swizzle(l, value, 1, i), call->cursor);
		else
			parts[i] = memory_load(l, &at, part, call->cursor);
		item = node_binary(l, NODE_ADD, index, item, size);
	}
	if (l->failed || is_write)
		return true;
	*result =
	        value_node(type.width == 1 ? parts[0]
	                                   : node_check(l, kernel_node(l->kernel, NODE_VECTOR, type,
	                                                               parts, type.width, 0, 0)));
	return true;
}

/* Which exchange it is, so that another one of the same value is another call. */
static uint64_t name_number(const char *word)
{
	uint64_t number = 0;
	for (; *word != '\0'; word++)
		number = number * 31 + (unsigned char)*word;
	return number;
}

/* What is asked of a ballot: its first word has a bit of each work-item of the sub-group. */
static uint32_t of_ballot(struct lower *l, const struct call *call, const char *word, uint32_t bits)
{
	struct type type = node_type(l, bits);
	uint32_t bit = 0;
	for (unsigned i = 1; i < call->count; i++)
		bit = lower_node(l, call->arguments[i]);
	if (strstr(word, "_count") != NULL || strstr(word, "_scan") != NULL)
		bits = node_call(l, BUILTIN_POPCOUNT, type, &bits, 1);
	else if (strstr(word, "_find_") != NULL)
		bits = node_call(l, BUILTIN_CLZ, type, &bits, 1);
	else {
		bit = call->count > 1
		              ? convert_node(l, bit, type)
		              : convert_node(l,
		                             node_binary(l, NODE_REM, type_scalar(SCALAR_ULONG),
		                                         work_group_item(l), sub_group_size(l)),
		                             type);
		bits = node_operation(l, NODE_AND, type,
		                      node_operation(l, NODE_SHR, type, bits, bit),
		                      node_number(l, type, 1));
	}
	return convert_node(l, bits, call->type);
}

/* get_sub_group_lt_mask() and the like: a bit for each work-item before, behind or here. */
static bool sub_group_mask(struct lower *l, const struct call *call, struct value *result)
{
	struct type type = type_scalar(SCALAR_UINT);
	if (strncmp(call->name, "get_sub_group_", 14) != 0 || strstr(call->name, "_mask") == NULL)
		return false;
	uint32_t own = convert_node(l,
	                            node_binary(l, NODE_REM, type_scalar(SCALAR_ULONG),
	                                        work_group_item(l), sub_group_size(l)),
	                            type);
	uint32_t mask = node_operation(l, NODE_SHL, type, node_number(l, type, 1), own);
	*result = value_node(convert_node(l, mask, call->type));
	return true;
}

static bool sub_group_function(struct lower *l, const struct call *call, struct value *result)
{
	struct collective collective;
	enum { OPERANDS = 3 };
	uint32_t operands[OPERANDS];
	unsigned count = 1;
	const char *word = call->name;
	if (strncmp(word, "intel_", 6) == 0)
		word += 6;
	if (strncmp(word, "sub_group_", 10) != 0)
		return false;
	word += 10;
	if (strcmp(word, "barrier") == 0) {
		cache_forget_shared(l);
		return true;
	}
	if (block_access(l, call, word, result))
		return true;
	if (call->type.scalar == SCALAR_VOID)
		return false;
	uint32_t value =
	        call->count == 0 ? node_zero(l, call->type) : lower_node(l, call->arguments[0]);
	if (l->failed)
		return true;
	if (call->type.width == 1 && node_type(l, value).width > 1) {
		*result = value_node(of_ballot(l, call, word, node_swizzle(l, value, 1, 0)));
		return true;
	}
	value = convert_node(l, value, call->type);
	operands[0] = value;
	for (unsigned i = 1; i < call->count; i++) {
		uint32_t operand = lower_node(l, call->arguments[i]);
		if (count < OPERANDS)
			operands[count++] = operand;
	}
	/* all, any, ballots, broadcasts, shuffles: one exchange */
	bool is_long = strcmp(word, "all") != 0 && strcmp(word, "any") != 0 &&
	               collective_of(word, &collective);
	if (l->failed)
		return true;
	if (!is_long) {
		write_operation(l, builtin_class(BUILTIN_SUB_GROUP_SHUFFLE), call->type, 1);
		*result = value_node(
		        node_check(l, kernel_node(l->kernel, NODE_CALL, call->type, operands, count,
		                                  BUILTIN_SUB_GROUP_SHUFFLE, name_number(word))));
		return true;
	}
	unsigned steps = SUB_GROUP_STEPS;
	int64_t cluster;
	if (strncmp(word, "clustered_", 10) == 0 && count > 1 &&
	    kernel_constant(l->kernel, operands[1], &cluster) && cluster > 0)
		for (steps = 0; steps < SUB_GROUP_STEPS && (int64_t)1 << steps < cluster;)
			steps++;
	for (unsigned step = 0; step < steps && !l->failed; step++) {
		uint32_t other = exchanged(l, call->type, value, 1u << step);
		value = combine(l, collective.op, call->type, value, other);
	}
	*result = value_node(collective.is_exclusive ? exchanged(l, call->type, value, 1) : value);
	return true;
}

bool builtin_group(struct lower *l, const struct call *call, struct value *result)
{
	if (strcmp(call->name, "wait_group_events") == 0) {
		barrier_append(l, call->cursor);
		return true;
	}
	return sub_group_id(l, call, result) || sub_group_mask(l, call, result) ||
	       async_copy(l, call, result) || work_group_function(l, call, result) ||
	       sub_group_function(l, call, result);
}
