/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Global code motion (Click, PLDI 1995) over structured control flow: the
 * block in which a compiler computes each node, and from which loops it moves
 * loads.
 *
 * `early` of a node is the deepest block that its operands stand in; the uses
 * give the latest block, their common ancestor. Between the two, the block
 * with the fewest loops around it wins, and of those the latest. A variable
 * of a loop, used behind the loop, is its last value: uses inside and outside
 * the loop are kept apart, and those inside decide.
 */
#include <stdlib.h>

#include "model/passes/pass.h"

enum { BRANCHES_TRIED = 16 };

struct place {
	struct pass *pass;
	/* per loop, words of objects: stored or atomically updated in it */
	uint64_t *stored;
	uint64_t *aliases; /* per object, words of objects */
	bool *has_barrier; /* per loop */
	size_t words;
	/* branches by their condition: per node the first, per statement the next */
	uint32_t *branch_of, *next_branch;
	/* per node: common ancestor of the uses within its loop, and behind it */
	uint32_t *inside, *outside;
};

static uint32_t common_block(const struct pass *pass, uint32_t a, uint32_t b)
{
	while (!pass_contains(pass, a, b))
		a = pass_parent(pass, a);
	return a;
}

/* Of two blocks that a node needs: the inner one; of two beside each other, the later. */
static uint32_t deeper_block(const struct pass *pass, uint32_t a, uint32_t b)
{
	if (pass_contains(pass, a, b))
		return b;
	if (pass_contains(pass, b, a))
		return a;
	return pass->block_enter[a] > pass->block_enter[b] ? a : b;
}

/* ---- loads out of loops -------------------------------------------------------------------- */

/* What each loop stores to and whether it has a barrier, the loops within it included. */
static void collect_stores(struct place *place)
{
	const struct pass *pass = place->pass;
	const struct ir_kernel *kernel = pass->kernel;
	for (uint32_t i = kernel->statement_count; i-- > 0;) {
		uint32_t s = pass->order[i];
		const struct ir_statement *statement = &kernel->statements[s];
		uint32_t around = pass->block_loop[statement->block];
		if (around == IR_NONE)
			continue;
		uint64_t *stored = &place->stored[pass->loop_index[around] * place->words];
		if (statement->kind == STATEMENT_BARRIER) {
			place->has_barrier[pass->loop_index[around]] = true;
		} else if (statement->kind == STATEMENT_ACCESS) {
			const struct ir_access *access = &kernel->accesses[statement->access];
			if (access->kind != ACCESS_LOAD)
				stored[access->object / 64] |= UINT64_C(1) << (access->object % 64);
		} else if (statement->kind == STATEMENT_LOOP) {
			uint32_t inner = pass->loop_index[s];
			for (size_t word = 0; word < place->words; word++)
				stored[word] |= place->stored[inner * place->words + word];
			if (place->has_barrier[inner])
				place->has_barrier[pass->loop_index[around]] = true;
		}
	}
}

/*
 * A store to one buffer may change another unless either is restrict or they
 * hold different types: compilers keep such loads in the loop.
 */
static bool may_alias(const struct ir_kernel *kernel, uint32_t a, uint32_t b)
{
	const struct ir_object *x = &kernel->objects[a], *y = &kernel->objects[b];
	if (a == b)
		return true;
	return x->space == y->space && x->argument != IR_NONE && y->argument != IR_NONE &&
	       !x->is_restrict && !y->is_restrict && x->type.scalar == y->type.scalar;
}

static void collect_aliases(struct place *place)
{
	const struct ir_kernel *kernel = place->pass->kernel;
	for (uint32_t a = 0; a < kernel->object_count; a++)
		for (uint32_t b = 0; b < kernel->object_count; b++)
			if (may_alias(kernel, a, b))
				place->aliases[a * place->words + b / 64] |= UINT64_C(1)
				                                             << (b % 64);
}

static bool is_stored_in(const struct place *place, uint32_t object, uint32_t loop)
{
	const uint64_t *stored = &place->stored[loop * place->words];
	const uint64_t *aliases = &place->aliases[object * place->words];
	for (size_t word = 0; word < place->words; word++)
		if ((stored[word] & aliases[word]) != 0)
			return true;
	return false;
}

/* The block to which a load moves: out of every loop that leaves its value alone. */
static uint32_t hoisted_block(const struct place *place, uint32_t access_id)
{
	const struct pass *pass = place->pass;
	const struct ir_kernel *kernel = pass->kernel;
	const struct ir_access *access = &kernel->accesses[access_id];
	const struct ir_object *object = &kernel->objects[access->object];
	uint32_t block = pass->summary->access_block[access_id];
	bool stops_at_barrier = object->space == SPACE_GLOBAL || object->space == SPACE_LOCAL;
	while (!object->is_volatile) {
		uint32_t owner = kernel->blocks[block].owner;
		/* Under a condition in the loop it need not run at all: it stays. */
		if (owner == IR_NONE || kernel->statements[owner].kind != STATEMENT_LOOP)
			break;
		uint32_t loop = pass->loop_index[owner];
		if (access->index != IR_NONE && !pass_invariant(pass, access->index, owner))
			break;
		if (stops_at_barrier && place->has_barrier[loop])
			break;
		if (object->space != SPACE_CONSTANT && is_stored_in(place, access->object, loop))
			break;
		block = kernel->statements[owner].block;
	}
	return block;
}

/* ---- early --------------------------------------------------------------------------------- */

/* A condition without its negation, which swaps the sides. */
static uint32_t condition_key(const struct pass *pass, uint32_t condition, bool *is_negated)
{
	*is_negated = pass->kernel->nodes[condition].op == NODE_LNOT;
	return *is_negated ? pass_operand(pass, condition, 0) : condition;
}

/*
 * The block that sees an arm of a PHI: behind the branch with its condition,
 * or, where the source had none (&&, ||), behind every branch up to the loop.
 */
static uint32_t joined_block(const struct pass *pass, uint32_t key, uint32_t block)
{
	const struct ir_kernel *kernel = pass->kernel;
	uint32_t behind_all = block;
	for (;;) {
		uint32_t owner = kernel->blocks[behind_all].owner;
		bool is_negated;
		if (owner == IR_NONE || kernel->statements[owner].kind == STATEMENT_LOOP)
			return behind_all;
		behind_all = kernel->statements[owner].block;
		if (kernel->statements[owner].kind == STATEMENT_BRANCH &&
		    condition_key(pass, kernel->statements[owner].condition, &is_negated) == key)
			return behind_all;
	}
}

static uint32_t early_block(struct place *place, uint32_t id)
{
	struct pass *pass = place->pass;
	const struct ir_kernel *kernel = pass->kernel;
	const struct ir_node *node = &kernel->nodes[id];
	uint32_t block = 0, key = IR_NONE;
	bool is_negated;
	if (node->op == NODE_LOOP_VAR)
		return kernel->statements[node->aux].body;
	if (node->op == NODE_ATOMIC)
		return pass->summary->access_block[node->aux];
	if (node->op == NODE_LOAD) {
		block = hoisted_block(place, node->aux);
		pass->summary->access_block[node->aux] = block;
		return block;
	}
	if (node->op == NODE_PHI)
		key = condition_key(pass, pass_operand(pass, id, 0), &is_negated);
	for (unsigned i = 0; i < node->operand_count; i++) {
		uint32_t needs = pass->early[pass_operand(pass, id, i)];
		if (key != IR_NONE && i > 0)
			needs = joined_block(pass, key, needs);
		block = deeper_block(pass, block, needs);
	}
	return block;
}

/* ---- late ---------------------------------------------------------------------------------- */

static void use(struct place *place, uint32_t node, uint32_t block)
{
	struct pass *pass = place->pass;
	if (node == IR_NONE)
		return;
	uint32_t loop = pass->block_loop[pass->early[node]];
	bool is_inside =
	        loop == IR_NONE || pass_contains(pass, pass->kernel->statements[loop].body, block);
	uint32_t *ancestor = is_inside ? &place->inside[node] : &place->outside[node];
	*ancestor = *ancestor == IR_NONE ? block : common_block(pass, *ancestor, block);
}

static void use_in_statements(struct place *place)
{
	struct pass *pass = place->pass;
	const struct ir_kernel *kernel = pass->kernel;
	for (uint32_t s = 0; s < kernel->statement_count; s++) {
		const struct ir_statement *statement = &kernel->statements[s];
		if (statement->kind == STATEMENT_ACCESS) {
			uint32_t block = pass->summary->access_block[statement->access];
			if (block == IR_NONE)
				continue;
			use(place, kernel->accesses[statement->access].index, block);
			use(place, kernel->accesses[statement->access].value, block);
		} else if (statement->kind == STATEMENT_LOOP) {
			use(place, statement->condition, statement->body);
			for (uint32_t i = 0; i < statement->variable_count; i++) {
				const struct ir_variable *variable =
				        &kernel->variables[statement->first_variable + i];
				if (!pass->live[variable->node])
					continue;
				use(place, variable->init, statement->block);
				use(place, variable->next, statement->body);
			}
		} else {
			use(place, statement->condition, statement->block);
		}
	}
}

/* Up from `late` to `limit`, which is around it: the fewest loops, then the latest. */
static uint32_t fewest_loops(const struct pass *pass, uint32_t late, uint32_t limit)
{
	uint32_t best = late;
	for (uint32_t block = late; block != limit;) {
		block = pass_parent(pass, block);
		if (pass->block_loops[block] < pass->block_loops[best])
			best = block;
	}
	return best;
}

static uint32_t placed_block(const struct place *place, uint32_t id)
{
	const struct pass *pass = place->pass;
	const struct ir_kernel *kernel = pass->kernel;
	const struct ir_node *node = &kernel->nodes[id];
	uint32_t early = pass->early[id];
	if (node->op == NODE_LOOP_VAR || node->op == NODE_LOAD || node->op == NODE_ATOMIC)
		return early;
	uint32_t late = place->inside[id] != IR_NONE ? place->inside[id] : place->outside[id];
	if (late == IR_NONE || node->operand_count == 0)
		return 0;
	/* Used behind a loop alone: computed there, from the last values. */
	for (uint32_t loop = pass->block_loop[early];
	     loop != IR_NONE && !pass_contains(pass, kernel->statements[loop].body, late);
	     loop = pass->block_loop[early])
		early = kernel->statements[loop].block;
	if (pass_contains(pass, late, early))
		return early;
	return fewest_loops(pass, late, common_block(pass, early, late));
}

/* The block of the branch in which an arm of the PHI is computed, or `block`. */
static uint32_t arm_block(const struct place *place, uint32_t phi, unsigned arm, uint32_t block)
{
	const struct pass *pass = place->pass;
	const struct ir_kernel *kernel = pass->kernel;
	bool phi_negated, branch_negated;
	uint32_t key = condition_key(pass, pass_operand(pass, phi, 0), &phi_negated);
	unsigned tried = 0;
	for (uint32_t s = place->branch_of[key]; s != IR_NONE && tried < BRANCHES_TRIED;
	     s = place->next_branch[s], tried++) {
		const struct ir_statement *branch = &kernel->statements[s];
		if (!pass_contains(pass, branch->block, block) &&
		    !pass_contains(pass, block, branch->block))
			continue;
		(void)condition_key(pass, branch->condition, &branch_negated);
		bool is_then = (arm == 1) == (phi_negated == branch_negated);
		uint32_t side = is_then ? branch->body : branch->otherwise;
		return side != IR_NONE ? side : branch->block;
	}
	return block;
}

static void place_nodes(struct place *place)
{
	struct pass *pass = place->pass;
	const struct ir_kernel *kernel = pass->kernel;
	for (uint32_t id = kernel->node_count; id-- > 0;) {
		const struct ir_node *node = &kernel->nodes[id];
		if (!pass->live[id]) {
			pass->summary->node_block[id] = IR_NONE;
			continue;
		}
		uint32_t block = placed_block(place, id);
		pass->summary->node_block[id] = block;
		for (unsigned i = 0; i < node->operand_count; i++) {
			bool is_arm = node->op == NODE_PHI && i > 0;
			use(place, pass_operand(pass, id, i),
			    is_arm ? arm_block(place, id, i, block) : block);
		}
	}
}

static void index_branches(struct place *place)
{
	const struct pass *pass = place->pass;
	const struct ir_kernel *kernel = pass->kernel;
	bool is_negated;
	for (uint32_t id = 0; id < kernel->node_count; id++)
		place->branch_of[id] = place->inside[id] = place->outside[id] = IR_NONE;
	for (uint32_t i = 0; i < kernel->statement_count; i++) {
		uint32_t s = pass->order[i];
		if (kernel->statements[s].kind != STATEMENT_BRANCH)
			continue;
		uint32_t key = condition_key(pass, kernel->statements[s].condition, &is_negated);
		place->next_branch[s] = place->branch_of[key];
		place->branch_of[key] = s;
	}
}

enum status pass_place(struct pass *pass, struct error *error)
{
	const struct ir_kernel *kernel = pass->kernel;
	size_t loops = (size_t)pass->summary->loop_count + 1;
	size_t nodes = (size_t)kernel->node_count + 1;
	struct place place = {.pass = pass, .words = (kernel->object_count + 63u) / 64};
	enum status status = STATUS_OK;
	place.stored = calloc(loops * (place.words + 1), sizeof *place.stored);
	place.aliases =
	        calloc((size_t)kernel->object_count * place.words + 1, sizeof *place.aliases);
	place.has_barrier = calloc(loops, sizeof *place.has_barrier);
	place.branch_of = malloc(nodes * sizeof *place.branch_of);
	place.next_branch =
	        malloc(((size_t)kernel->statement_count + 1) * sizeof *place.next_branch);
	place.inside = malloc(nodes * sizeof *place.inside);
	place.outside = malloc(nodes * sizeof *place.outside);
	if (place.stored == NULL || place.aliases == NULL || place.has_barrier == NULL ||
	    place.branch_of == NULL || place.next_branch == NULL || place.inside == NULL ||
	    place.outside == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "kernel %s: out of memory",
		                   kernel->name);
		goto out;
	}
	index_branches(&place);
	collect_aliases(&place);
	collect_stores(&place);
	for (uint32_t id = 0; id < kernel->node_count; id++)
		if (pass->live[id])
			pass->early[id] = early_block(&place, id);
	use_in_statements(&place);
	place_nodes(&place);
out:
	free(place.stored);
	free(place.aliases);
	free(place.has_barrier);
	free(place.branch_of);
	free(place.next_branch);
	free(place.inside);
	free(place.outside);
	return status;
}
