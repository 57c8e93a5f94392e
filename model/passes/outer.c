/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops that PoCL puts around its loop over work-items: of a kernel that has barriers elsewhere the
 * innermost ones with one exit, which all work-items take at the same time
 * (ImplicitLoopBarriers.cc).
 *
 * PoCL has to know that all work-items of a group get to such a loop. It follows the program from
 * its entry (VariableUniformityAnalysis.cc): behind a branch whose condition differs between them
 * all are together again in a block that the branch itself may jump to. Behind `if (...) {...}
 * else {...}` that is neither side, and PoCL looks no further: of all that comes behind it knows
 * nothing. Nor is it behind a loop where LLVM has put something between the test whether the loop
 * is entered at all and what stands behind it: what is computed before the loop and behind it, and
 * so once on either way (partial redundancies: GVN.cpp). Such is a place in 64 bits that a
 * variable of the loop begins at.
 *
 * Nor does PoCL know of a loop's variable that all work-items have the same, but of one that counts
 * from zero by one (Loop::getCanonicalInductionVariable): loops that begin elsewhere, go by more,
 * or back, or halve, stay inside the loop over work-items. Whether they are entered is asked before
 * them, where nothing has been counted yet: what is within all get to.
 */
#include "model/passes/pass.h"

enum {
	LOOKS_MAX = 1 << 20, /* statements, for one kernel */
	DEPTH_MAX = 6        /* operands within an index, or within a condition */
};

struct outer {
	struct pass *pass;
	uint32_t looks;
	bool *is_met; /* per block: all work-items get to it, and PoCL knows */
};

static bool is_word(const struct ir_node *node)
{
	return type_is_integer(node->type) && type_is_signed(node->type) &&
	       scalar_bytes((enum scalar)node->type.scalar) == 4;
}

/* Whether a node is what loops count, times a literal, or a literal. */
static bool is_count(const struct pass *pass, uint32_t id)
{
	const struct ir_kernel *kernel = pass->kernel;
	const struct ir_node *node = &kernel->nodes[id];
	int64_t literal;
	if (node->op == NODE_MUL || node->op == NODE_SHL)
		return kernel_constant(kernel, pass_operand(pass, id, 1), &literal) &&
		       kernel->nodes[pass_operand(pass, id, 0)].op == NODE_LOOP_VAR;
	return node->op == NODE_LOOP_VAR || node->op == NODE_CONST_INT;
}

/*
 * Whether a word that is made one of 64 bits is that node, alone or with what loops count: LLVM
 * extends the terms of such a sum, since no sum of ints wraps (IndVarSimplify.cpp: WidenIV).
 */
static bool is_widened(const struct pass *pass, uint32_t id, uint32_t node)
{
	for (unsigned depth = 0; id != node && depth < DEPTH_MAX; depth++) {
		if (pass->kernel->nodes[id].op != NODE_ADD)
			return false;
		uint32_t first = pass_operand(pass, id, 0), second = pass_operand(pass, id, 1);
		if (is_count(pass, second))
			id = first;
		else if (is_count(pass, first))
			id = second;
		else
			return false;
	}
	return id == node;
}

/* Whether a node is made one of 64 bits for a place. */
static bool is_placed_by(const struct pass *pass, uint32_t index, uint32_t node, unsigned depth)
{
	const struct ir_node *n = &pass->kernel->nodes[index];
	if (is_word(n))
		return is_widened(pass, index, node);
	if (depth >= DEPTH_MAX || (n->op != NODE_ADD && n->op != NODE_SUB && n->op != NODE_MUL &&
	                           n->op != NODE_SHL && n->op != NODE_CONVERT))
		return false;
	for (unsigned i = 0; i < n->operand_count; i++)
		if (is_placed_by(pass, pass_operand(pass, index, i), node, depth + 1))
			return true;
	return false;
}

/* Where a node forms places: before a loop, in it, behind it. */
struct places {
	bool is_before, is_within, is_behind;
};

static struct places places_of(struct outer *outer, uint32_t node, uint32_t loop)
{
	const struct pass *pass = outer->pass;
	const struct ir_kernel *kernel = pass->kernel;
	uint32_t body = kernel->statements[loop].body;
	struct places places = {0};
	for (uint32_t s = 0; s < kernel->statement_count && outer->looks > 0; s++) {
		const struct ir_statement *statement = &kernel->statements[s];
		outer->looks--;
		if (statement->kind != STATEMENT_ACCESS ||
		    pass->summary->access_block[statement->access] == IR_NONE)
			continue;
		uint32_t index = kernel->accesses[statement->access].index;
		if (index == IR_NONE || !is_placed_by(pass, index, node, 0))
			continue;
		if (pass_contains(pass, body, statement->block))
			places.is_within = true;
		else if (pass->position[s] < pass->position[loop])
			places.is_before = true;
		else
			places.is_behind = true;
	}
	return places;
}

/* Whether something stands between the test before a loop and what is behind the loop. */
static bool has_edge(struct outer *outer, uint32_t loop)
{
	const struct ir_kernel *kernel = outer->pass->kernel;
	const struct ir_statement *statement = &kernel->statements[loop];
	for (uint32_t i = 0; i < statement->variable_count; i++) {
		const struct ir_variable *variable =
		        &kernel->variables[statement->first_variable + i];
		const struct ir_node *first = &kernel->nodes[variable->init];
		if (!outer->pass->is_induction[variable->node] || first->op == NODE_CONST_INT ||
		    first->op == NODE_LOOP_VAR || !is_word(first) ||
		    !places_of(outer, variable->node, loop).is_within)
			continue;
		struct places places = places_of(outer, variable->init, loop);
		if (places.is_behind && !places.is_before)
			return true;
	}
	return false;
}

/* Whether a side of a branch is more than what a compiler joins with the other one. */
static bool is_side(const struct ir_kernel *kernel, uint32_t block)
{
	unsigned accesses = 0;
	if (block == IR_NONE)
		return false;
	for (uint32_t s = kernel->blocks[block].first; s != IR_NONE;
	     s = kernel->statements[s].following) {
		if (kernel->statements[s].kind != STATEMENT_ACCESS)
			return true;
		accesses++;
	}
	return accesses > 1;
}

static bool counts_from_zero(const struct ir_kernel *kernel, const struct ir_variable *variable)
{
	uint32_t step = kernel_step(kernel, variable);
	int64_t first, by;
	return step != IR_NONE && kernel->nodes[variable->next].op == NODE_ADD &&
	       kernel_constant(kernel, variable->init, &first) && first == 0 &&
	       kernel_constant(kernel, step, &by) && by == 1;
}

/* Whether PoCL knows of a value that is the same for all work-items that it is. */
static bool is_known(struct outer *outer, uint32_t node, unsigned depth)
{
	const struct ir_kernel *kernel = outer->pass->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	if (n->op == NODE_LOOP_VAR)
		return counts_from_zero(kernel, kernel_variable(kernel, node));
	for (unsigned i = 0; depth < DEPTH_MAX && i < n->operand_count && outer->looks > 0; i++) {
		outer->looks--;
		if (!is_known(outer, pass_operand(outer->pass, node, i), depth + 1))
			return false;
	}
	return true;
}

/* In the order of the program. */
static void follow(struct outer *outer, uint32_t block, bool is_met)
{
	const struct ir_kernel *kernel = outer->pass->kernel;
	outer->is_met[block] = is_met;
	for (uint32_t s = kernel->blocks[block].first; s != IR_NONE;
	     s = kernel->statements[s].following) {
		const struct ir_statement *statement = &kernel->statements[s];
		bool is_same = statement->condition != IR_NONE &&
		               outer->pass->summary->node_is_uniform[statement->condition] &&
		               (statement->kind == STATEMENT_LOOP ||
		                is_known(outer, statement->condition, 0));
		if (statement->body != IR_NONE)
			follow(outer, statement->body, is_met && is_same);
		if (statement->otherwise != IR_NONE)
			follow(outer, statement->otherwise, is_met && is_same);
		if (is_same || !is_met)
			continue;
		if (statement->kind == STATEMENT_BRANCH)
			is_met = !(is_side(kernel, statement->body) &&
			           is_side(kernel, statement->otherwise));
		else if (statement->kind == STATEMENT_LOOP)
			is_met = !has_edge(outer, s);
	}
}

void pass_outer(struct pass *pass, bool *is_met)
{
	const struct ir_kernel *kernel = pass->kernel;
	struct ir_summary *summary = pass->summary;
	struct outer outer = {.pass = pass, .looks = LOOKS_MAX, .is_met = is_met};
	if (!summary->has_barrier)
		return;
	follow(&outer, 0, true);
	for (uint32_t i = 0; i < summary->loop_count; i++) {
		const struct ir_statement *statement =
		        &kernel->statements[summary->loops[i].statement];
		struct ir_loop *loop = &summary->loops[i];
		loop->is_outer = statement->body != IR_NONE &&
		                 !pass->block_barrier[statement->body] &&
		                 !loop->is_unrolled_early && statement->unroll <= 1 &&
		                 !loop->has_early_exit && is_met[statement->body] &&
		                 statement->condition != IR_NONE &&
		                 is_known(&outer, statement->condition, 0);
	}
	for (uint32_t i = 0; i < summary->loop_count; i++) {
		uint32_t around =
		        pass->block_loop[kernel->statements[summary->loops[i].statement].block];
		if (around != IR_NONE && !summary->loops[i].is_unrolled_early)
			summary->loops[pass->loop_index[around]].is_outer = false;
	}
}
