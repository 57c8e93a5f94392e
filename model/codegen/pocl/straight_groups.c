/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small work-groups of a kernel with barriers on a CPU: where LLVM unrolls the loop over all
 * work-items in every region, ids are numbers. What is kept across a barrier is in no array then,
 * since each work-item's place in it is known; what differs between work-items by a number alone
 * is a part of addresses; and all else that they have in common is done once for a group.
 * (Read off the code of PoCL 5.0: 16 work-items of a transposition are loads and stores alone, 32
 * keep seven values each.)
 */
#include <stdlib.h>

#include "model/codegen/pocl/context.h"
#include "model/codegen/pocl/llvm.h"
#include "model/mechanisms.h"

enum { DIMENSIONS = 3, ALL_DIMENSIONS = (1 << DIMENSIONS) - 1 };

/* Whether a loop stays in a region: then nothing around it is unrolled. */
static bool has_loop_within(const struct context *c)
{
	const struct ir_kernel *kernel = c->m->input->kernel;
	const struct ir_summary *summary = kernel->summary;

	for (uint32_t i = 0; i < summary->loop_count; i++) {
		uint32_t body = kernel->statements[summary->loops[i].statement].body;

		if (!summary->loops[i].is_unrolled_early && body != IR_NONE &&
		    !c->has_barrier[body] && !is_outer_loop(c->m, summary->loops[i].statement))
			return true;
	}
	return false;
}

bool is_straight(const struct context *c)
{
	const uint64_t *local = c->m->input->launch->local;
	double items = (double)local[0] * (double)local[1] * (double)local[2];

	if (!mechanism(MECHANISM_STRAIGHT_GROUPS) || has_loop_within(c))
		return false;
	for (uint32_t r = 0; r <= c->current && items > 1; r++)
		if (c->regions[r].size * items + (double)LLVM_ONCE_SIZE >= LLVM_UNROLL_SIZE)
			return false;
	return true;
}

/* Along which dimensions of a group a value differs at all, and by more than a number. */
struct spread {
	uint8_t by_any, by_more;
};

static struct spread spread_of(const struct ir_kernel *kernel, const struct spread *spreads,
                               uint32_t id)
{
	const struct ir_node *node = &kernel->nodes[id];
	struct spread of = {0};
	bool is_sum = node->op == NODE_ADD || node->op == NODE_SUB || node->op == NODE_CONVERT;
	int64_t number;

	if (kernel->summary->node_is_uniform[id])
		return of;
	if (node->op == NODE_LOCAL_ID || node->op == NODE_GLOBAL_ID)
		return (struct spread){.by_any = (uint8_t)(1 << node->aux % DIMENSIONS)};
	if (node->operand_count == 0)
		return (struct spread){ALL_DIMENSIONS, ALL_DIMENSIONS};
	for (unsigned i = 0; i < node->operand_count; i++) {
		uint32_t operand = kernel->operands[node->first_operand + i];

		of.by_any |= spreads[operand].by_any;
		of.by_more |= spreads[operand].by_more;
		is_sum |= (node->op == NODE_MUL || (node->op == NODE_SHL && i == 1)) &&
		          kernel_constant(kernel, operand, &number);
	}
	if (!is_sum || !type_is_integer(node->type))
		of.by_more = of.by_any;
	return of;
}

/* The share of a group's work-items whose values along these dimensions are others. */
static double share_along(const struct launch *launch, unsigned dimensions)
{
	double share = 1;

	for (unsigned d = 0; d < DIMENSIONS; d++)
		if (!(dimensions >> d & 1))
			share /= (double)launch->local[d];
	return share;
}

enum status cpu_straight(struct machine *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	struct spread *spreads = calloc((size_t)kernel->node_count + 1, sizeof(*spreads));
	struct ir_node_counts *counts = NULL;
	enum status status;

	if (spreads == NULL)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for its small groups",
		                 kernel->name);
	status = kernel_count_nodes(kernel, true, &counts, error);
	for (uint32_t id = 0; id < kernel->node_count && status == STATUS_OK; id++) {
		uint32_t block = kernel->summary->node_block[id];
		double done;

		spreads[id] = spread_of(kernel, spreads, id);
		if (block >= kernel->block_count)
			continue;
		done = share_along(m->input->launch, spreads[id].by_more);
		/* by a number alone: that is part of an address */
		if (spreads[id].by_more == 0 && spreads[id].by_any != 0)
			done = 0;
		for (unsigned i = 0; i < counts[id].count; i++)
			m->code.shared[block].operation[counts[id].op[i]][counts[id].type[i]] +=
			        (float)(1 - done) * counts[id].operations[i];
	}
	free(counts);
	free(spreads);
	return status;
}
