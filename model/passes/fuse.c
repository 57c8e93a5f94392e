/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a GPU does in one instruction where pass_emit counts several: a function of
 * three words bit by bit, whatever it is, and the logic of comparisons, which is a part of the
 * last one; and the counters of iterations that are put together. Requires emit and unroll.
 */
#include <stdlib.h>
#include <string.h>

#include "model/passes/pass.h"

enum { LEAVES_MAX = 3 };

struct leaves {
	uint32_t node[LEAVES_MAX];
	unsigned count;
};

static bool is_bitwise(const struct pass *pass, uint32_t id)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	return pass->summary->node_rotation[id] == ROTATION_NONE && type_is_integer(node->type) &&
	       (node->op == NODE_AND || node->op == NODE_OR || node->op == NODE_XOR ||
	        node->op == NODE_NOT);
}

static bool is_comparison(const struct ir_node *node)
{
	return node->op == NODE_EQ || node->op == NODE_NE || node->op == NODE_LT ||
	       node->op == NODE_LE;
}

/* What a predicate register holds: a comparison, or logic of such; through casts. */
static bool is_predicate(const struct pass *pass, const bool *predicate, uint32_t id)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	if (node->operand_count == 0 || node->type.width != 1)
		return false;
	if (node->op == NODE_CONVERT)
		return predicate[pass_operand(pass, id, 0)];
	if (is_comparison(node) || node->op == NODE_LNOT)
		return true;
	if (!is_bitwise(pass, id))
		return false;
	for (unsigned i = 0; i < node->operand_count; i++)
		if (!predicate[pass_operand(pass, id, i)])
			return false;
	return true;
}

/* A test against zero of what is a predicate already. */
static bool is_test_of_predicate(const struct pass *pass, const bool *predicate, uint32_t id)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	int64_t zero;
	if (node->op == NODE_LNOT) /* of a comparison it counts for nothing */
		return predicate[pass_operand(pass, id, 0)] &&
		       is_bitwise(pass, pass_operand(pass, id, 0));
	return (node->op == NODE_NE || node->op == NODE_EQ) &&
	       predicate[pass_operand(pass, id, 0)] &&
	       kernel_constant(pass->kernel, pass_operand(pass, id, 1), &zero);
}

static bool add_leaf(struct leaves *leaves, uint32_t node)
{
	for (unsigned i = 0; i < leaves->count; i++)
		if (leaves->node[i] == node)
			return true;
	if (leaves->count == LEAVES_MAX)
		return false;
	leaves->node[leaves->count++] = node;
	return true;
}

/* The leaves with one of them replaced by its own; false: too many. */
static bool expand(struct leaves *leaves, uint32_t node, const struct leaves *of)
{
	struct leaves wider = {.count = 0};
	for (unsigned i = 0; i < leaves->count; i++)
		if (leaves->node[i] != node && !add_leaf(&wider, leaves->node[i]))
			return false;
	for (unsigned i = 0; i < of->count; i++)
		if (!add_leaf(&wider, of->node[i]))
			return false;
	*leaves = wider;
	return true;
}

static void spare(struct pass *pass, uint32_t id, enum op_class op)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	struct ir_fused *fused = &pass->summary->fused[pass->summary->node_block[id]];
	enum type_class type = type_class_of(
	        op == OP_CLASS_COMPARE ? pass->kernel->nodes[pass_operand(pass, id, 0)].type
	                               : node->type);
	if (type >= TYPE_CLASS_COUNT)
		return;
	pass->summary->node_is_fused[id] = true;
	*(op == OP_CLASS_COMPARE ? &fused->compare[type] : &fused->bit[type]) +=
	        (float)node->type.width;
}

/* A node of bitwise logic takes those below it in that nobody else needs. */
static void take_in(struct pass *pass, struct leaves *leaves, uint32_t id)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	const struct ir_summary *summary = pass->summary;
	struct leaves *own = &leaves[id];
	own->count = 0;
	for (unsigned i = 0; i < node->operand_count; i++)
		(void)add_leaf(own, pass_operand(pass, id, i));
	for (unsigned i = 0; i < node->operand_count; i++) {
		uint32_t operand = pass_operand(pass, id, i);
		if (!is_bitwise(pass, operand) || summary->node_is_fused[operand] ||
		    pass->uses[operand] != 1 || pass->is_fixed[operand] ||
		    summary->node_block[operand] != summary->node_block[id])
			continue;
		if (expand(own, operand, &leaves[operand]))
			spare(pass, operand, OP_CLASS_BIT);
	}
}

/* A product of no other use is a part of its sum; pass_emit counts those of reals so. */
static void join_product(struct pass *pass, uint32_t id)
{
	const struct ir_node *node = &pass->kernel->nodes[id];
	struct ir_summary *summary = pass->summary;
	if (node->op != NODE_ADD && node->op != NODE_SUB)
		return;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t operand = pass_operand(pass, id, i);
		if (pass->kernel->nodes[operand].op != NODE_MUL || pass->uses[operand] != 1 ||
		    pass->is_fixed[operand] ||
		    summary->node_block[operand] != summary->node_block[id])
			continue;
		enum type_class type = type_class_of(node->type);
		summary->node_is_fused[operand] = true;
		if ((type == TYPE_CLASS_INT || summary->node_is_word[operand]) &&
		    !summary->node_is_address[id] && pass->affine_loop[operand] == IR_NONE)
			summary->fused[summary->node_block[id]].add[type] +=
			        (float)node->type.width;
		return;
	}
}

/* Iterations put together count once, and ask once whether there are more. */
static void spare_counters(const struct pass *pass)
{
	const struct ir_kernel *kernel = pass->kernel;
	const struct ir_summary *summary = pass->summary;
	for (uint32_t i = 0; i < summary->loop_count; i++) {
		const struct ir_loop *loop = &summary->loops[i];
		const struct ir_statement *s = &kernel->statements[loop->statement];
		if (loop->is_unrolled || loop->unroll < 2 || loop->has_early_exit ||
		    loop->induction == IR_NONE || s->condition == IR_NONE)
			continue;
		float share = 1 - 1 / (float)loop->unroll;
		uint32_t node = kernel->variables[loop->induction].node;
		enum type_class type = type_class_of(kernel->nodes[node].type);
		if (type >= TYPE_CLASS_COUNT)
			continue;
		summary->fused[summary->node_block[s->condition]].compare[type] += share;
		if (summary->node_is_address[node])
			summary->fused[s->body].add[type] += share;
	}
}

enum status pass_fuse(struct pass *pass, struct error *error)
{
	const struct ir_kernel *kernel = pass->kernel;
	bool *predicate = pass->marks;
	struct leaves *leaves = calloc((size_t)kernel->node_count + 1, sizeof *leaves);
	if (leaves == NULL)
		return error_set(error, STATUS_NO_MEMORY, "kernel %s: out of memory", kernel->name);
	memset(predicate, 0, kernel->node_count * sizeof *predicate);
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		const struct ir_node *node = &kernel->nodes[id];
		if (!pass->live[id] || node->operand_count == 0 || pass->is_fixed[id])
			continue;
		join_product(pass, id);
		if (pass_words(pass, id) == WORDS_NONE)
			pass->summary->node_is_fused[id] = true;
		predicate[id] = is_predicate(pass, predicate, id);
		if (predicate[id] && is_bitwise(pass, id))
			spare(pass, id, OP_CLASS_BIT);
		else if (is_test_of_predicate(pass, predicate, id))
			spare(pass, id, OP_CLASS_COMPARE);
		else if (is_bitwise(pass, id))
			take_in(pass, leaves, id);
	}
	free(leaves);
	spare_counters(pass);
	return STATUS_OK;
}
