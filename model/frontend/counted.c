/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that nobody wrote: those that copies between address spaces and initialisers stand for. */
#include "model/frontend/lower.h"

void counted_begin(struct lower *l, struct counted *loop, uint32_t first, uint32_t end,
                   uint32_t step, CXCursor at)
{
	struct type type = type_scalar(SCALAR_LONG);
	struct ir_statement statement = statement_of(STATEMENT_LOOP, cursor_line(at));
	*loop = (struct counted){.outer_block = l->block, .cache_mark = l->cache_count};
	if (l->failed)
		return;
	uint32_t init = convert_node(l, first, type);
	loop->step = convert_node(l, step, type);
	end = convert_node(l, end, type);
	statement.body = kernel_block(l->kernel);
	loop->statement = kernel_append(l->kernel, l->block, &statement);
	if (l->failed || loop->statement == IR_NONE) {
		lower_fail(l, at, "too many statements");
		return;
	}
	loop->variable = kernel_open_variables(l->kernel, loop->statement, &type, &init, 1);
	if (loop->variable == IR_NONE) {
		lower_fail(l, at, "too large");
		return;
	}
	loop->index = l->kernel->variables[loop->variable].node;
	uint32_t condition = node_binary(l, NODE_LT, type_scalar(SCALAR_INT), loop->index, end);
	l->kernel->statements[loop->statement].condition = condition;
	l->block = statement.body;
}

void counted_end(struct lower *l, struct counted *loop)
{
	if (l->failed)
		return;
	uint32_t next = node_binary(l, NODE_ADD, type_scalar(SCALAR_LONG), loop->index, loop->step);
	kernel_close_variable(l->kernel, loop->variable, next);
	l->block = loop->outer_block;
	l->cache_count = loop->cache_mark;
}

void memory_fill(struct lower *l, const struct pointer *pointer, uint64_t bytes, CXCursor at)
{
	struct type index = type_scalar(SCALAR_LONG), type = {SCALAR_UINT, 4};
	struct counted loop;
	if (bytes % type_bytes(type) != 0)
		type = type_scalar(bytes % 4 == 0 ? SCALAR_UINT : SCALAR_UCHAR);
	uint64_t count = bytes / type_bytes(type);
	counted_begin(l, &loop, node_zero(l, index), node_number(l, index, (double)count),
	              node_number(l, index, 1), at);
	struct pointer to = pointer_add(l, *pointer, loop.index, type_bytes(type), at);
	memory_store(l, &to, type, node_zero(l, type), at);
	counted_end(l, &loop);
}

void memory_copy(struct lower *l, const struct copy *copy, CXCursor at)
{
	struct type type = type_scalar(SCALAR_LONG);
	struct counted loop;
	uint32_t bytes = type_bytes(copy->type), size = work_group_items(l);
	counted_begin(l, &loop, work_group_item(l), copy->count, size, at);
	uint32_t from = loop.index, to = loop.index;
	if (copy->from_stride != IR_NONE)
		from = node_binary(l, NODE_MUL, type, from,
		                   convert_node(l, copy->from_stride, type));
	if (copy->to_stride != IR_NONE)
		to = node_binary(l, NODE_MUL, type, to, convert_node(l, copy->to_stride, type));
	struct pointer source = pointer_add(l, copy->from, from, bytes, at);
	struct pointer target = pointer_add(l, copy->to, to, bytes, at);
	uint32_t value = memory_load(l, &source, copy->type, at);
	memory_store(l, &target, copy->type, value, at);
	counted_end(l, &loop);
}
