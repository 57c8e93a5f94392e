/* SPDX-License-Identifier: Apache-2.0 */
/* Work-item functions, synchronisation, and calls that only have effects. */
#include "model/frontend/lower.h"

#include <math.h>
#include <string.h>

static const struct {
	const char *name;
	enum node_op op;
	uint8_t otherwise; /* the value in dimensions beyond the third */
} work_item[] = {
        {"get_global_id", NODE_GLOBAL_ID, 0},
        {"get_local_id", NODE_LOCAL_ID, 0},
        {"get_group_id", NODE_GROUP_ID, 0},
        {"get_global_size", NODE_GLOBAL_SIZE, 1},
        {"get_local_size", NODE_LOCAL_SIZE, 1},
        {"get_num_groups", NODE_NUM_GROUPS, 1},
        {"get_global_offset", NODE_GLOBAL_OFFSET, 0},
        {"get_enqueued_local_size", NODE_LOCAL_SIZE, 1},
};

static uint32_t leaf(struct lower *l, enum node_op op, unsigned dimension)
{
	uint32_t node =
	        kernel_node(l->kernel, op, type_scalar(SCALAR_ULONG), NULL, 0, dimension, 0);
	if (node == IR_NONE)
		lower_fail(l, l->frame->declaration, "too large");
	return node == IR_NONE ? 0 : node;
}

/* Of a dimension that is a variable: one of the three. */
static uint32_t chosen(struct lower *l, enum node_op op, uint32_t dimension)
{
	struct type type = type_scalar(SCALAR_ULONG), truth = type_scalar(SCALAR_INT);
	struct type own = node_type(l, dimension);
	uint32_t node = leaf(l, op, 2);
	for (unsigned d = 2; d-- > 0;)
		node = node_select(
		        l, NODE_PHI, type,
		        node_binary(l, NODE_EQ, truth, dimension, node_number(l, own, d)),
		        leaf(l, op, d), node);
	return node;
}

/* ((z * sy) + y) * sx + x, offsets taken off for a global id. */
static uint32_t linear_id(struct lower *l, enum node_op id, enum node_op size)
{
	struct type type = type_scalar(SCALAR_ULONG);
	uint32_t sum = IR_NONE;
	for (unsigned d = 3; d-- > 0;) {
		uint32_t part = leaf(l, id, d);
		if (id == NODE_GLOBAL_ID)
			part = node_binary(l, NODE_SUB, type, part, leaf(l, NODE_GLOBAL_OFFSET, d));
		sum = sum == IR_NONE
		              ? part
		              : node_binary(l, NODE_ADD, type,
		                            node_binary(l, NODE_MUL, type, sum, leaf(l, size, d)),
		                            part);
	}
	return sum;
}

static void effect(struct lower *l, const struct call *call)
{
	struct ir_statement statement = statement_of(STATEMENT_EFFECT, cursor_line(call->cursor));
	/* all but the format, which is text */
	for (unsigned i = 1; i < call->count; i++)
		(void)lower_expression(l, call->arguments[i]);
	if (l->failed)
		return;
	statement.condition = kernel_unknown(l->kernel, type_scalar(SCALAR_INT));
	if (kernel_append(l->kernel, l->block, &statement) == IR_NONE)
		lower_fail(l, call->cursor, "too many statements");
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static const char *const barriers[] = {"barrier", "work_group_barrier"};
static const char *const fences[] = {"mem_fence", "read_mem_fence", "write_mem_fence",
                                     "atomic_work_item_fence"};

bool call_synchronises(const char *name)
{
	static const char *const others[] = {"wait_group_events", "sub_group_barrier"};
	/* the functions of a work-group go through local memory, between barriers */
	return is_one_of(name, barriers, 2) || is_one_of(name, fences, 4) ||
	       is_one_of(name, others, 2) || strncmp(name, "work_group_", 11) == 0;
}

/* INFINITY, HUGE_VAL and the like are compiler built-ins without operands. */
static bool compiler_constant(struct lower *l, const struct call *call, struct value *result)
{
	static const char *const infinities[] = {"__builtin_inff", "__builtin_inf",
	                                         "__builtin_huge_valf", "__builtin_huge_val"};
	static const char *const nans[] = {"__builtin_nanf", "__builtin_nan"};
	if (!type_is_real(call->type))
		return false;
	if (is_one_of(call->name, infinities, 4))
		*result = value_node(node_number(l, call->type, (double)INFINITY));
	else if (is_one_of(call->name, nans, 2))
		*result = value_node(node_number(l, call->type, (double)NAN));
	else
		return false;
	return true;
}

bool builtin_work_item(struct lower *l, const struct call *call, struct value *result)
{
	static const char *const nothing[] = {"prefetch", "__builtin_assume",
	                                      "__builtin_unreachable", "__builtin_trap"};
	int64_t dimension;
	if (compiler_constant(l, call, result))
		return true;
	for (size_t i = 0; i < sizeof(work_item) / sizeof(work_item[0]); i++) {
		if (strcmp(call->name, work_item[i].name) != 0 || call->count != 1)
			continue;
		uint32_t node = lower_node(l, call->arguments[0]);
		if (l->failed)
			return true;
		if (!kernel_constant(l->kernel, node, &dimension))
			*result = value_node(chosen(l, work_item[i].op, node));
		else if (dimension < 0 || dimension > 2)
			*result = value_node(
			        node_number(l, type_scalar(SCALAR_ULONG), work_item[i].otherwise));
		else
			*result = value_node(leaf(l, work_item[i].op, (unsigned)dimension));
		return true;
	}
	if (strcmp(call->name, "get_work_dim") == 0)
		*result = value_node(
		        convert_node(l, leaf(l, NODE_WORK_DIM, 0), type_scalar(SCALAR_UINT)));
	else if (strcmp(call->name, "get_global_linear_id") == 0)
		*result = value_node(linear_id(l, NODE_GLOBAL_ID, NODE_GLOBAL_SIZE));
	else if (strcmp(call->name, "get_local_linear_id") == 0)
		*result = value_node(linear_id(l, NODE_LOCAL_ID, NODE_LOCAL_SIZE));
	else if (is_one_of(call->name, barriers, 2))
		barrier_append(l, call->cursor);
	else if (is_one_of(call->name, fences, 4))
		cache_forget_shared(l);
	else if (strcmp(call->name, "printf") == 0) {
		effect(l, call);
		*result = value_node(node_number(l, type_scalar(SCALAR_INT), 0));
	} else if (!is_one_of(call->name, nothing, 4))
		return false;
	return true;
}
