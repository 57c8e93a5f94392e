/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a CPU's compiler makes of work-items: whether they become lanes of
 * vectors, what it predicates then, and which accesses it can only gather.
 *
 * Seen with PoCL, which runs the work-items of a group as a loop for LLVM to
 * vectorise. That loop is vectorised only where no loop stands inside: PoCL has clang forbid
 * LLVM to unroll any that no pragma unrolls; and calls that have no vector form prevent it.
 * A kernel with barriers has a loop over work-items between each two
 * of them, formed after unrolling; values that live across a barrier are kept in
 * arrays, and an index read from there is no longer known to step by one: what
 * it addresses is gathered and scattered. A vectorised branch on what differs
 * between work-items is predicated: all lanes pay.
 */
#include <math.h>
#include <stdlib.h>

#include "model/codegen/codegen.h"
#include "model/codegen/pocl/data.h"
#include "model/codegen/pocl/llvm.h"
#include "model/codegen/pocl/signs.h"
#include "model/codegen/pocl/strides.h"
#include "model/codegen/pocl/superword_chains.h"
#include "model/mechanisms.h"
#include "model/underived.h"

/*
 * Whether a call of a block keeps the loop over work-items from becoming vectors: it does
 * where the calibration found it no cheaper in code that can be vectorised.
 */
static bool has_scalar_call(const struct model_input *input, uint32_t block)
{
	const struct ir_counts *counts = &input->kernel->summary->rolled[block];

	for (unsigned op = OP_CLASS_FMINMAX; op < OP_CLASS_COUNT; op++)
		for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++) {
			double vector, scalar;

			if (!(counts->operation[op][type] > 0))
				continue;
			vector = device_op_time_s(input->device, OP_MODE_VECTOR,
			                          (enum type_class)type, (enum op_class)op);
			scalar = device_op_time_s(input->device, OP_MODE_SCALAR,
			                          (enum type_class)type, (enum op_class)op);
			if (vector > SCALAR_SHARE * scalar)
				return true;
		}
	return false;
}

/* The same of a texel's read or write. */
static bool has_scalar_texel(const struct model_input *input)
{
	const struct ir_kernel *kernel = input->kernel;

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		const struct evaluation_access *a = &input->evaluation->accesses[i];
		enum image_way way = (enum image_way)a->image_way;
		enum image_class class = (enum image_class)a->image_class;

		if (kernel->objects[kernel->accesses[i].object].space != SPACE_IMAGE ||
		    !(a->executions > 0))
			continue;
		if (device_image_time_s(input->device, OP_MODE_VECTOR, way, class, NULL) >
		    SCALAR_SHARE *
		            device_image_time_s(input->device, OP_MODE_SCALAR, way, class, NULL))
			return true;
	}
	return false;
}

static bool is_scalar_kernel(const struct model_input *input)
{
	const struct ir_summary *summary = input->kernel->summary;

	for (uint32_t i = 0; i < summary->loop_count && !summary->has_barrier; i++)
		if (!summary->loops[i].is_unrolled_early)
			return true;
	return has_scalar_texel(input) || cpu_packs_chains(input->kernel);
}

enum { EXPENSIVE = 4 }; /* of them, to LLVM (TargetTransformInfo: TCC_Expensive) */

/*
 * Operations on a side of a branch, with those of branches within, which are selected first: what
 * they choose by and choose is two. A huge number where there is anything else.
 */
static double side_size(const struct ir_kernel *kernel, uint32_t block)
{
	double size = 0;

	if (block == IR_NONE)
		return 0;
	for (unsigned op = 0; op < OP_CLASS_COUNT; op++)
		for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++)
			size += (is_divider((enum op_class)op) ? EXPENSIVE : 1) *
			        (double)kernel->summary->emitted[block].operation[op][type];
	for (uint32_t s = kernel->blocks[block].first;
	     s != IR_NONE && size <= (double)SELECTED_OPERATIONS;
	     s = kernel->statements[s].following) {
		const struct ir_statement *within = &kernel->statements[s];

		if (within->kind != STATEMENT_BRANCH)
			return HUGE_VAL;
		size += 1 + side_size(kernel, within->body) + side_size(kernel, within->otherwise);
	}
	return size;
}

static bool is_selected(const struct ir_kernel *kernel, uint32_t block)
{
	return side_size(kernel, block) <= (double)SELECTED_OPERATIONS;
}

/*
 * Marks conditions by which vectors of OpenCL C are chosen: nothing moves those under a condition
 * but a branch.
 */
static void mark_choices(const struct ir_kernel *kernel, bool *is_parted)
{
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		const struct ir_node *node = &kernel->nodes[id];

		if (node->op == NODE_PHI && node->type.width > 1 &&
		    kernel->summary->node_block[id] != IR_NONE)
			is_parted[kernel->operands[node->first_operand]] = true;
	}
}

/* Marks conditions of branches with more than a little arithmetic on a side. */
static void mark_parted(const struct ir_kernel *kernel, bool *is_parted)
{
	for (uint32_t s = 0; s < kernel->statement_count; s++) {
		const struct ir_statement *branch = &kernel->statements[s];

		if (branch->kind == STATEMENT_BRANCH && branch->condition != IR_NONE &&
		    !(is_selected(kernel, branch->body) && is_selected(kernel, branch->otherwise)))
			is_parted[branch->condition] = true;
	}
}

/* Whether a minimum or maximum keeps a number within a literal bound, which few are beyond; zero
 * parts what is below from what is above. */
static bool is_bounded(const struct ir_kernel *kernel, const struct ir_node *n)
{
	int64_t bound;

	for (unsigned i = 0; i < 2; i++)
		if (kernel_constant(kernel, kernel->operands[n->first_operand + i], &bound))
			return bound != 0;
	return false;
}

/*
 * Marks conditions of selects that become branches, too, and of minima how often their branches are
 * guessed wrong: the rarer side may have any share, a quarter in the mean.
 */
static void mark_branches(const struct machine *m, const bool *is_data, bool *is_parted,
                          double *wrong)
{
	const struct ir_kernel *kernel = m->input->kernel;

	for (uint32_t id = 0; id < kernel->node_count; id++) {
		const struct ir_node *n = &kernel->nodes[id];
		uint32_t block = kernel->summary->node_block[id];
		double executions;

		if (!m->code.is_branch[id] || block >= kernel->block_count)
			continue;
		executions = evaluation_of(m)->blocks[block].executions;
		if (n->op == NODE_PHI)
			is_parted[kernel->operands[n->first_operand]] = true;
		else if (n->op == NODE_SELECT && is_data[kernel->operands[n->first_operand]])
			wrong[kernel->operands[n->first_operand]] = executions / 4;
		else if (n->op != NODE_SELECT && is_data[id] && !is_bounded(kernel, n))
			wrong[id] = executions / 4;
	}
}

/* What a branch chooses waits for no condition, as what a select does that becomes a branch. */
static void mark_guessed(const struct ir_kernel *kernel, const bool *is_parted, bool *is_branch)
{
	for (uint32_t id = 0; id < kernel->node_count; id++)
		if (kernel->nodes[id].op == NODE_PHI)
			is_branch[id] |=
			        is_parted[kernel->operands[kernel->nodes[id].first_operand]];
}

enum { LOOKED_AT = 32 }; /* nodes, for what follows from a variable */

/* Whether a node follows from another in the same iteration, as far as is looked. */
static bool follows_from(const struct ir_kernel *kernel, uint32_t node, uint32_t from,
                         unsigned *left)
{
	const struct ir_node *n = &kernel->nodes[node];
	uint32_t index = n->op == NODE_LOAD ? kernel->accesses[n->aux].index : IR_NONE;

	if (node <= from || *left == 0)
		return node == from;
	--*left;
	for (unsigned i = 0; i < n->operand_count; i++)
		if (follows_from(kernel, kernel->operands[n->first_operand + i], from, left))
			return true;
	return index != IR_NONE && follows_from(kernel, index, from, left);
}

/* Whether one side of a test is another in each iteration, whatever the variable is: no key. */
static bool has_no_key(const struct ir_kernel *kernel, const struct ir_node *test,
                       const struct ir_variable *variable)
{
	const struct ir_summary *summary = kernel->summary;
	uint32_t body = kernel->statements[kernel->nodes[variable->node].aux].body;

	for (unsigned i = 0; i < 2; i++) {
		uint32_t side = kernel->operands[test->first_operand + i];
		const struct ir_node *n = &kernel->nodes[side];
		uint32_t block = n->op == NODE_LOAD ? summary->access_block[n->aux]
		                                    : summary->node_block[side];
		unsigned left = LOOKED_AT;

		if (block < kernel->block_count &&
		    summary->block_loop[block] == summary->block_loop[body] &&
		    !follows_from(kernel, side, variable->node, &left))
			return true;
	}
	return false;
}

/*
 * Marks conditions of a search for a key, which decide where it looks next: of a good one both
 * answers are as likely. Where no data decide the key it goes on from one work-item to the next,
 * and neighbours look at the same places until the last ones.
 */
static void mark_searches(const struct ir_kernel *kernel, const bool *is_data, bool *is_search,
                          bool *is_in_order)
{
	for (uint32_t i = 0; i < kernel->variable_count; i++) {
		const struct ir_variable *variable = &kernel->variables[i];
		const struct ir_node *next =
		        variable->next == IR_NONE ? NULL : &kernel->nodes[variable->next];
		const struct ir_node *test;
		unsigned left = LOOKED_AT;
		uint32_t condition;
		int64_t constant;

		if (next == NULL || next->op != NODE_PHI)
			continue;
		condition = kernel->operands[next->first_operand];
		test = &kernel->nodes[condition];
		if ((test->op != NODE_LT && test->op != NODE_LE) ||
		    kernel_constant(kernel, kernel->operands[test->first_operand], &constant) ||
		    kernel_constant(kernel, kernel->operands[test->first_operand + 1], &constant) ||
		    has_no_key(kernel, test, variable))
			continue;
		is_search[condition] |= follows_from(kernel, condition, variable->node, &left);
		is_in_order[condition] = is_search[condition] &&
		                         is_data[kernel->operands[test->first_operand]] !=
		                                 is_data[kernel->operands[test->first_operand + 1]];
	}
}

/* Whether a block, if there is one, ends with a statement of that kind. */
static bool ends_with(const struct ir_kernel *kernel, uint32_t block, enum statement_kind kind)
{
	uint32_t last = block == IR_NONE ? IR_NONE : kernel->blocks[block].last;

	return last != IR_NONE && kernel->statements[last].kind == kind;
}

/*
 * Whether a branch puts right what is outside of its range, `x < low || high < x`; where it leaves
 * instead it may well be what most do.
 */
static bool is_repair(const struct ir_kernel *kernel, const struct ir_statement *branch)
{
	const struct ir_node *both = &kernel->nodes[branch->condition];
	const struct ir_node *test[2];

	if (branch->otherwise != IR_NONE || ends_with(kernel, branch->body, STATEMENT_EXIT) ||
	    ends_with(kernel, branch->body, STATEMENT_NEXT))
		return false;
	if (both->op != NODE_PHI && both->op != NODE_OR)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		unsigned operand = both->op == NODE_PHI ? 2 * i : i;

		test[i] = &kernel->nodes[kernel->operands[both->first_operand + operand]];
		if (test[i]->op != NODE_LT && test[i]->op != NODE_LE)
			return false;
	}
	if (both->op == NODE_PHI &&
	    kernel->nodes[kernel->operands[both->first_operand + 1]].op != NODE_CONST_INT)
		return false;
	for (unsigned i = 0; i < 2; i++)
		if (kernel->operands[test[i]->first_operand] ==
		    kernel->operands[test[1 - i]->first_operand + 1])
			return true;
	return false;
}

/*
 * Whether a branch puts a lesser (or greater) value in the place of one that it was compared
 * with: whoever keeps the best of many finds a better one less and less often.
 */
static bool is_improvement(const struct ir_kernel *kernel, const struct ir_statement *branch)
{
	const struct ir_node *test = &kernel->nodes[branch->condition];

	if ((test->op != NODE_LT && test->op != NODE_LE) || branch->otherwise != IR_NONE)
		return false;
	for (uint32_t s = kernel->blocks[branch->body].first; s != IR_NONE;
	     s = kernel->statements[s].following) {
		const struct ir_statement *statement = &kernel->statements[s];
		const struct ir_access *store = statement->kind == STATEMENT_ACCESS
		                                        ? &kernel->accesses[statement->access]
		                                        : NULL;

		for (unsigned i = 0; store != NULL && store->kind == ACCESS_STORE && i < 2; i++) {
			const struct ir_node *old =
			        &kernel->nodes[kernel->operands[test->first_operand + i]];

			if (old->op == NODE_LOAD &&
			    store->value == kernel->operands[test->first_operand + 1 - i] &&
			    kernel->accesses[old->aux].object == store->object &&
			    kernel->accesses[old->aux].index == store->index)
				return true;
		}
	}
	return false;
}

/* What loaded a value; NULL: nothing did. */
static const struct ir_access *loaded_by(const struct ir_kernel *kernel, uint32_t node)
{
	if (node == IR_NONE || kernel->nodes[node].op != NODE_LOAD)
		return NULL;
	return &kernel->accesses[kernel->nodes[node].aux];
}

static bool is_same_place(const struct ir_access *a, const struct ir_access *b)
{
	return a->object == b->object && a->index == b->index && a->offset_bytes == b->offset_bytes;
}

/*
 * Whether a branch puts two values in order that it found in memory: what a launch before has
 * put in order it leaves, and those of a network are guessed right.
 */
static bool is_swap(const struct ir_kernel *kernel, const struct ir_statement *branch)
{
	const struct ir_access *stores[2] = {NULL};
	unsigned count = 0;

	if (branch->otherwise != IR_NONE)
		return false;
	for (uint32_t s = kernel->blocks[branch->body].first; s != IR_NONE;
	     s = kernel->statements[s].following) {
		const struct ir_statement *statement = &kernel->statements[s];

		if (statement->kind != STATEMENT_ACCESS)
			return false;
		if (kernel->accesses[statement->access].kind != ACCESS_STORE)
			continue;
		if (count == 2)
			return false;
		stores[count++] = &kernel->accesses[statement->access];
	}
	for (unsigned i = 0; i < 2; i++) {
		const struct ir_access *load;

		if (count < 2)
			return false;
		load = loaded_by(kernel, stores[i]->value);
		if (load == NULL || !is_same_place(load, stores[1 - i]))
			return false;
	}
	return true;
}

enum { FLAG_STATEMENTS_MAX = 1 << 12 };

/* Whether a condition is one bit of a number: as often set as not, and that is no assumption. */
static bool is_bit(const struct ir_kernel *kernel, uint32_t node)
{
	const struct ir_node *n = &kernel->nodes[node];

	for (;;) {
		const uint32_t *operands = &kernel->operands[n->first_operand];
		int64_t value;

		if (n->op == NODE_AND)
			return (kernel_constant(kernel, operands[0], &value) ||
			        kernel_constant(kernel, operands[1], &value)) &&
			       value > 0 && (value & (value - 1)) == 0;
		if (n->op != NODE_LNOT && n->op != NODE_CONVERT &&
		    !((n->op == NODE_EQ || n->op == NODE_NE) &&
		      kernel_constant(kernel, operands[1], &value)))
			return false;
		n = &kernel->nodes[operands[0]];
	}
}

/* Whether a condition is the second side of && or ||, which has a branch of its own around it. */
static bool is_asked_for(const struct ir_kernel *kernel, uint32_t node)
{
	const struct ir_node *n = &kernel->nodes[node];
	int64_t value;

	while (n->op == NODE_LNOT || n->op == NODE_CONVERT)
		n = &kernel->nodes[kernel->operands[n->first_operand]];
	return n->op == NODE_PHI &&
	       kernel_constant(kernel, kernel->operands[n->first_operand + 2], &value);
}

/* Steps by which neighbours part, as low bits of a counter change: 1 + 1/2 + 1/4 + ... */
enum { PARTING_STEPS = 2 };

/* How often a work-item begins the loop around a block. */
static double searches_of(const struct machine *m, uint32_t block)
{
	uint32_t loop = m->input->kernel->summary->block_loop[block];

	return loop == IR_NONE ? 1 : evaluation_of(m)->loops[loop].entries;
}

/*
 * How often a condition that loops hand on, a flag of what was met before, is set or taken back per
 * work-item: until then it is guessed right. A huge number of any other condition.
 */
static double changes_of(const struct machine *m, uint32_t condition)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct evaluation_block *blocks = evaluation_of(m)->blocks;
	const struct ir_node *n = &kernel->nodes[condition], *next;
	const uint32_t *operands;
	int64_t constant;

	while (n->op == NODE_LNOT || n->op == NODE_CONVERT ||
	       ((n->op == NODE_NE || n->op == NODE_EQ) &&
	        kernel_constant(kernel, kernel->operands[n->first_operand + 1], &constant)))
		n = &kernel->nodes[condition = kernel->operands[n->first_operand]];
	if (n->op != NODE_LOOP_VAR || kernel_variable(kernel, condition)->next == IR_NONE)
		return HUGE_VAL;
	next = &kernel->nodes[kernel_variable(kernel, condition)->next];
	operands = &kernel->operands[next->first_operand];
	if (next->op != NODE_PHI || (operands[1] != condition && operands[2] != condition))
		return HUGE_VAL;
	for (uint32_t s = 0; s < kernel->statement_count && s < FLAG_STATEMENTS_MAX; s++) {
		const struct ir_statement *branch = &kernel->statements[s];
		double taken;

		if (branch->kind != STATEMENT_BRANCH || branch->condition != operands[0] ||
		    branch->body == IR_NONE)
			continue;
		taken = blocks[branch->body].executions;
		return operands[2] == condition ? taken
		                                : fmax(0, blocks[branch->block].executions - taken);
	}
	return HUGE_VAL;
}

/*
 * At most so often a core guesses a branch wrong, of each time that work-items come to it, where
 * samples tell how they follow each other. What the one before did it guesses, by the branches on
 * the way (Yeh, Patt, Two-level adaptive training branch prediction, MICRO 24, 1991); whoever goes
 * another way is guessed wrong, and the next one once more, since a counter of two bits takes two
 * wrong guesses to turn (Smith, A study of branch prediction strategies, ISCA 8, 1981).
 */
static double changing_share(const struct evaluation_block *side)
{
	enum { GUESSES_TO_TURN = 2 };

	return side->neighbours.all > 0
	               ? (double)GUESSES_TO_TURN * side->neighbours.changed / side->neighbours.all
	               : 1;
}

/*
 * Branches guessed wrong per work-item, by statement: of those that data decide, the rarer
 * side. A branch with nothing but a little arithmetic on its sides is none: a compiler selects.
 */
static void find_wrong_guesses(const struct machine *m, const bool *is_data, const bool *is_parted,
                               const bool *is_search, const bool *is_in_order, double *wrong)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct evaluation *e = evaluation_of(m);

	for (uint32_t s = 0; s < kernel->statement_count; s++) {
		const struct ir_statement *statement = &kernel->statements[s];
		double all, taken, rarer;

		if (statement->kind != STATEMENT_BRANCH || statement->condition == IR_NONE ||
		    !is_data[statement->condition] ||
		    block_mode(m, statement->body) != OP_MODE_SCALAR)
			continue;
		if (!is_parted[statement->condition] || is_improvement(kernel, statement) ||
		    is_swap(kernel, statement) || is_repair(kernel, statement))
			continue; /* what hardly ever happens, or happened before */
		all = e->blocks[statement->block].executions;
		taken = e->blocks[statement->body].executions;
		rarer = fmax(0, fmin(taken, all - taken));
		/* half was assumed: where any share is as likely, the rarer side has a quarter, and
		 * half of the work-items get to the next condition */
		if (rarer > 0.499999 * all && is_asked_for(kernel, statement->condition))
			all /= 2;
		if (rarer > 0.499999 * all && !is_bit(kernel, statement->condition) &&
		    !is_search[statement->condition])
			rarer = all / 4 *
			        (2 -
			         exp2(1.0 - cpu_conditions(kernel, is_data, statement->condition)));
		else if (all > 0 && !is_bit(kernel, statement->condition) &&
		         !is_search[statement->condition])
			/* a share is roughly known: of one near a half the rarer side has less */
			rarer = all * cpu_wrong_share(kernel, is_data, statement->condition,
			                              fmin(1, taken / all),
			                              !(e->blocks[statement->body].doubt > 0));
		if (is_in_order[statement->condition])
			rarer = fmin(rarer,
			             searches_of(m, statement->block) * (double)PARTING_STEPS);
		rarer = fmin(rarer, 2 * changes_of(m, statement->condition));
		rarer = fmin(rarer, all * changing_share(&e->blocks[statement->body]));
		wrong[statement->condition] += rarer * (1 - m->code.lanes[statement->block].share);
	}
}

/* Branches guessed wrong in a loop or one within, each time that it is gone through. */
static double wrong_within(const struct machine *m, uint32_t loop, const double *wrong)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;
	double entries = evaluation_of(m)->loops[loop].entries, all = 0;

	for (uint32_t id = 0; id < kernel->node_count; id++) {
		uint32_t block = wrong[id] > 0 ? summary->node_block[id] : IR_NONE;
		uint32_t within =
		        block < kernel->block_count ? summary->block_loop[block] : IR_NONE;

		while (within != IR_NONE && within != loop)
			within = loop_around(kernel, within);
		if (within == loop)
			all += wrong[id];
	}
	return entries > 0 ? all / entries : 0;
}

/*
 * How often the end of a loop by data is guessed wrong. Rows are alike, and half of their ends are
 * guessed right; of rows that are as long as each other all, as far as what a core remembers
 * on the way through one is the same each time.
 */
static double wrong_end_share(const struct machine *m, uint32_t loop, const double *wrong)
{
	const struct evaluation *e = evaluation_of(m);
	const struct evaluation_loop *l = &e->loops[loop];

	if (e->has_equal_rows && l->most <= l->trips * (1 + 1e-9))
		return fmin(0.5, wrong_within(m, loop, wrong));
	/* where an end is as likely in each iteration, and likely, it fails to come that often */
	return e->has_rows ? 0.5 : l->usual > 0.5 ? (1 - l->usual) / l->usual : 1;
}

/*
 * The same of what ends loops by data: their conditions, or else a branch that leaves, which the
 * evaluation does not walk. Few trips that are as many as ever are guessed right; any other count
 * is not.
 */
static void find_wrong_ends(const struct machine *m, const bool *is_data, bool *has_end,
                            double *wrong)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;

	for (uint32_t s = 0; s < kernel->statement_count; s++) {
		const struct ir_statement *end = &kernel->statements[s];
		uint32_t loop = IR_NONE;
		double entries;

		if (end->condition == IR_NONE || !is_data[end->condition] || end->body == IR_NONE)
			continue;
		if (end->kind == STATEMENT_LOOP)
			loop = summary->block_loop[end->body];
		else if (end->kind == STATEMENT_BRANCH &&
		         (ends_with(kernel, end->body, STATEMENT_EXIT) ||
		          ends_with(kernel, end->otherwise, STATEMENT_EXIT)))
			loop = summary->block_loop[end->block];
		/* an exchange that is tried until it succeeds does so at once: its end is foreseen
		 */
		if (loop == IR_NONE || has_end[loop] || summary->loops[loop].is_closed ||
		    summary->loops[loop].is_retry ||
		    block_mode(m, kernel->statements[summary->loops[loop].statement].body) !=
		            OP_MODE_SCALAR)
			continue;
		has_end[loop] = true;
		entries = evaluation_of(m)->loops[loop].entries;
		wrong[end->condition] =
		        fmax(wrong[end->condition], wrong_end_share(m, loop, wrong) * entries);
	}
}

/* Executions of each block per work-item when branches that differ are predicated. */
static void predicate(const struct machine *m, double *executions)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct evaluation_block *blocks = evaluation_of(m)->blocks;

	for (uint32_t b = 0; b < kernel->block_count; b++) {
		uint32_t owner = kernel->blocks[b].owner, parent;
		const struct ir_statement *statement;

		executions[b] = blocks[b].warp_executions;
		if (owner == IR_NONE || kernel->statements[owner].block >= b)
			continue;
		statement = &kernel->statements[owner];
		parent = statement->block;
		if (statement->kind == STATEMENT_BRANCH && statement->condition != IR_NONE &&
		    !m->code.is_common[statement->condition])
			executions[b] = executions[parent];
		else if (statement->kind == STATEMENT_BRANCH && statement->condition != IR_NONE &&
		         blocks[parent].executions > 0)
			executions[b] = executions[parent] * blocks[b].executions /
			                blocks[parent].executions;
		else if (blocks[parent].warp_executions > 0)
			executions[b] *= executions[parent] / blocks[parent].warp_executions;
	}
}

/* Bytes of the widest number that an access moves. */
static unsigned widest_bytes(const struct ir_kernel *kernel)
{
	unsigned widest = 1;

	for (uint32_t i = 0; i < kernel->access_count; i++) {
		unsigned bytes = scalar_bytes((enum scalar)kernel->accesses[i].type.scalar);

		if (kernel->summary->access_block[i] != IR_NONE && bytes > widest)
			widest = bytes;
	}
	return widest;
}

/* Of the work-items of a group those that are left when vectors are full, and run one by one. */
static double rest_share(const struct machine *m)
{
	uint64_t length = m->input->launch->local[launch_row(m->input->launch)], lanes;

	for (lanes = (uint64_t)LLVM_VECTOR_BYTES / m->code.widest_bytes; lanes > length; lanes /= 2)
		;
	return lanes > 0 ? (double)(length % lanes) / (double)length : 0;
}

/* Neighbours that the compiler cannot see are gathered like what crossed a barrier. */
static enum status mark_unproven(struct machine *m, const bool *is_uniform, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	uint8_t *found = calloc((size_t)kernel->access_count + 1, sizeof(*found));
	enum status status;

	if (found == NULL)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for its shape on a CPU",
		                 kernel->name);
	status = cpu_steps(kernel, m->input->launch, is_uniform, m->code.is_shifted,
	                   m->code.is_common, found, &m->code.one_by_one, error);
	m->code.one_by_one = 1 - (1 - m->code.one_by_one) * (1 - rest_share(m));
	for (uint32_t i = 0; i < kernel->access_count && status == STATUS_OK; i++) {
		m->code.is_same[i] = found[i] == CPU_STEP_SAME;
		m->code.is_gathered[i] |=
		        found[i] == CPU_STEP_UNKNOWN || found[i] == CPU_STEP_SHIFTED;
		m->code.is_shifted[i] |=
		        found[i] == CPU_STEP_SHIFTED && evaluation_of(m)->accesses[i].unit > 0.5;
	}
	free(found);
	return status;
}

enum status cpu_shape(struct machine *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	enum status status;
	const bool *is_uniform = kernel->summary->node_is_uniform;
	bool *is_data, *is_parted, *is_search, *is_in_order;

	m->code.widest_bytes = widest_bytes(kernel);
	m->code.makes_vectors = device_makes_vectors(m->input->device);
	m->code.is_scalar = !m->code.makes_vectors || is_scalar_kernel(m->input);
	m->code.is_refused = calloc((size_t)kernel->block_count + 1, sizeof(*m->code.is_refused));
	m->code.is_gathered =
	        calloc((size_t)kernel->access_count + 1, sizeof(*m->code.is_gathered));
	m->code.is_shifted = calloc((size_t)kernel->access_count + 1, sizeof(*m->code.is_shifted));
	m->code.is_same = calloc((size_t)kernel->access_count + 1, sizeof(*m->code.is_same));
	m->code.is_common = calloc((size_t)kernel->node_count + 1, sizeof(*m->code.is_common));
	m->code.is_unstreamed =
	        calloc((size_t)kernel->access_count + 1, sizeof(*m->code.is_unstreamed));
	m->code.is_masked = calloc((size_t)kernel->access_count + 1, sizeof(*m->code.is_masked));
	m->code.predicated = calloc((size_t)kernel->block_count + 1, sizeof(*m->code.predicated));
	m->code.wrong_guesses =
	        calloc((size_t)kernel->node_count + 1, sizeof(*m->code.wrong_guesses));
	m->code.is_branch = calloc((size_t)kernel->node_count + 1, sizeof(*m->code.is_branch));
	is_data = calloc(4 * ((size_t)kernel->node_count + 1) + kernel->summary->loop_count,
	                 sizeof(*is_data));
	is_parted = is_data != NULL ? is_data + kernel->node_count + 1 : NULL;
	is_search = is_parted != NULL ? is_parted + kernel->node_count + 1 : NULL;
	is_in_order = is_search != NULL ? is_search + kernel->node_count + 1 : NULL;
	if (m->code.is_refused == NULL || m->code.is_gathered == NULL ||
	    m->code.is_shifted == NULL || m->code.is_same == NULL || m->code.is_common == NULL ||
	    m->code.is_unstreamed == NULL || m->code.is_masked == NULL ||
	    m->code.predicated == NULL || m->code.wrong_guesses == NULL ||
	    m->code.is_branch == NULL || is_data == NULL) {
		free(is_data);
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for its shape on a CPU",
		                 kernel->name);
	}
	for (uint32_t block = 0; block < kernel->block_count; block++)
		m->code.is_refused[block] = has_scalar_call(m->input, block);
	if (mechanism(MECHANISM_DEPENDENCE))
		cpu_order(m);
	status = cpu_refuse(m, error);
	if (status == STATUS_OK)
		status = cpu_loops(m, error);
	if (status == STATUS_OK)
		status = cpu_crossings(m, error);
	if (status == STATUS_OK)
		status = mark_unproven(m, is_uniform, error);
	if (status == STATUS_OK)
		status = cpu_rows(m, error);
	if (status == STATUS_OK)
		status = cpu_masks(m, error);
	if (status == STATUS_OK)
		status = cpu_worth(m, error);
	if (status == STATUS_OK)
		status = cpu_groups(m, error);
	if (status == STATUS_OK)
		status = cpu_parts(m, error);
	if (status == STATUS_OK)
		status = cpu_private(m, error);
	if (status != STATUS_OK) {
		free(is_data);
		return status;
	}
	predicate(m, m->code.predicated);
	status = cpu_shared(m, error);
	if (status == STATUS_OK)
		status = cpu_data(m, is_data, error);
	mark_choices(kernel, is_parted);
	mark_parted(kernel, is_parted);
	mark_searches(kernel, is_data, is_search, is_in_order);
	if (status == STATUS_OK && mechanism(MECHANISM_SELECTS))
		status = cpu_selects(m, is_parted, m->code.is_branch, error);
	mark_branches(m, is_data, is_parted, m->code.wrong_guesses);
	mark_guessed(kernel, is_parted, m->code.is_branch);
	find_wrong_guesses(m, is_data, is_parted, is_search, is_in_order, m->code.wrong_guesses);
	if (status == STATUS_OK)
		cpu_signs(m, is_data, m->code.wrong_guesses);
	find_wrong_ends(m, is_data, is_in_order + kernel->node_count + 1, m->code.wrong_guesses);
	free(is_data);
	return status;
}
