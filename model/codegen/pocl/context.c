/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What work-items keep across barriers on a CPU.
 *
 * PoCL runs the work-items of a group in a loop between each two barriers; a value of one such
 * region that another one needs is stored in an array with a place for each work-item, and
 * loaded in every region that uses it. A loop around a barrier is a region to its barrier and
 * another one to its end, and hands its variables from the one to the other: two loads
 * and two stores of each for every work-item and iteration, however alike they all are. A loop
 * without a barrier beside one is a region, if all work-items go through it alike: one of each,
 * and another store of what is needed behind it. What a loop within a region needs is loaded before
 * it.
 *
 * Nobody knows the step of a position that follows from what was kept: it is gathered. The ids
 * themselves are not kept: what follows from them alone steps as ever.
 * (Read off the code of PoCL 3.1 and 5.0; tests/accuracy/README.md says how to look.)
 */
#include "model/codegen/pocl/context.h"
#include "model/mechanisms.h"

#include <math.h>
#include <stdlib.h>

static void mark_barriers(const struct ir_kernel *kernel, bool *has_barrier)
{
	for (uint32_t s = 0; s < kernel->statement_count; s++) {
		uint32_t block = kernel->statements[s].block;

		if (kernel->statements[s].kind != STATEMENT_BARRIER)
			continue;
		while (!has_barrier[block]) {
			has_barrier[block] = true;
			if (kernel->blocks[block].owner != IR_NONE)
				block = kernel->statements[kernel->blocks[block].owner].block;
		}
	}
}

/* Marks a variable of a loop that a block without the loop needs. */
static void mark_left(const struct context *c, uint32_t node, uint32_t block)
{
	const struct ir_kernel *kernel = c->m->input->kernel;
	uint32_t body;

	if (node == IR_NONE || kernel->nodes[node].op != NODE_LOOP_VAR || block == IR_NONE)
		return;
	body = kernel->statements[kernel->nodes[node].aux].body;
	while (block != body && kernel->blocks[block].owner != IR_NONE)
		block = kernel->statements[kernel->blocks[block].owner].block;
	c->is_left[node] |= block != body;
}

static void mark_all_left(const struct context *c)
{
	const struct ir_kernel *kernel = c->m->input->kernel;

	for (uint32_t id = 0; id < kernel->node_count; id++)
		for (unsigned i = 0; i < kernel->nodes[id].operand_count; i++)
			mark_left(c, kernel->operands[kernel->nodes[id].first_operand + i],
			          kernel->summary->node_block[id]);
	for (uint32_t i = 0; i < kernel->access_count; i++)
		mark_left(c, kernel->accesses[i].value, kernel->summary->access_block[i]);
	for (uint32_t i = 0; i < kernel->variable_count; i++) {
		const struct ir_node *loop = &kernel->nodes[kernel->variables[i].node];

		mark_left(c, kernel->variables[i].init, kernel->statements[loop->aux].block);
	}
}

/* Marks what forms places: LLVM makes a variable of a loop that does one of 64 bits. */
static void mark_places(const struct context *c)
{
	const struct ir_kernel *kernel = c->m->input->kernel;

	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->accesses[i].index != IR_NONE &&
		    kernel->summary->access_block[i] != IR_NONE)
			c->is_place[kernel->accesses[i].index] =
			        c->is_index[kernel->accesses[i].index] = true;
	for (uint32_t id = kernel->node_count; id-- > 0;)
		for (unsigned i = 0; c->is_place[id] && i < kernel->nodes[id].operand_count; i++)
			c->is_place[kernel->operands[kernel->nodes[id].first_operand + i]] = true;
}

/* Of a loop's variable: one that counts has 64 bits where it forms places. */
static double kept_bytes(const struct context *c, const struct ir_variable *variable)
{
	const struct ir_kernel *kernel = c->m->input->kernel;
	struct type type = kernel->nodes[variable->node].type;
	const struct ir_node *next;

	if (variable->next == IR_NONE || !c->is_place[variable->node] || !type_is_integer(type))
		return type_bytes(type);
	next = &kernel->nodes[variable->next];
	return (next->op == NODE_ADD || next->op == NODE_SUB) &&
	                       (kernel->operands[next->first_operand] == variable->node ||
	                        kernel->operands[next->first_operand + 1] == variable->node)
	               ? 8
	               : type_bytes(type);
}

/* Notes loads or stores by the code of a block. */
static void move(struct context *c, uint32_t region, uint32_t block, bool is_store, double bytes,
                 double count)
{
	if (c->move_count == c->move_room) {
		size_t room = c->move_room > 0 ? 2 * c->move_room : 64;
		struct move *more = realloc(c->moves, room * sizeof(*more));

		c->has_failed |= more == NULL;
		if (more == NULL)
			return;
		c->moves = more;
		c->move_room = room;
	}
	c->moves[c->move_count++] = (struct move){.region = region,
	                                          .block = block,
	                                          .is_store = is_store,
	                                          .bytes = bytes,
	                                          .widest_bytes = fmax(bytes, c->widest_bytes),
	                                          .count = count};
}

static bool is_kept(const struct context *c, uint32_t node)
{
	const struct ir_kernel *kernel = c->m->input->kernel;
	enum node_op op = (enum node_op)kernel->nodes[node].op;

	return op != NODE_LOCAL_ID && op != NODE_LOOP_VAR && op != NODE_UNKNOWN &&
	       !kernel->summary->node_is_uniform[node];
}

/* A position is made one of 64 bits where it is computed. */
static double value_bytes(const struct context *c, uint32_t node)
{
	struct type type = c->m->input->kernel->nodes[node].type;

	return c->is_index[node] && type_is_integer(type) ? 8 : type_bytes(type);
}

/*
 * The region where a value is computed that one needs: there, unless its block is around that
 * region.
 */
static uint32_t home_of(const struct context *c, uint32_t node, uint32_t region)
{
	uint32_t block = c->m->input->kernel->summary->node_block[node];

	return block != IR_NONE && c->at[block] != 0 && c->at[block] < region ? c->at[block]
	                                                                      : region;
}

/*
 * Loads a value before the loops of the region that need it: nothing else is in its array, so that
 * LLVM takes what does not change out of them.
 */
static void move_in(struct context *c, uint32_t node, uint32_t region, uint32_t block,
                    double executions)
{
	const struct ir_kernel *kernel = c->m->input->kernel;
	uint32_t at = block;

	while (c->was_at[at] == region && kernel->blocks[at].owner != IR_NONE) {
		const struct ir_statement *owner = &kernel->statements[kernel->blocks[at].owner];

		at = owner->block;
		if (owner->kind == STATEMENT_LOOP && c->at[at] == region)
			executions = fmin(executions, evaluation_of(c->m)->blocks[at].executions);
	}
	move(c, region, block, false, value_bytes(c, node), executions);
}

/* A region needs a value that was computed in another one. */
static void load(struct context *c, uint32_t node, uint32_t region, uint32_t block,
                 double executions)
{
	if (c->used_in[node] == 0)
		move(c, c->region[node], c->m->input->kernel->summary->node_block[node], true,
		     value_bytes(c, node), c->executions[node]);
	if (c->used_in[node] != region)
		move_in(c, node, region, block, executions);
	c->used_in[node] = region;
}

/* A statement of the current region needs a value, so often per work-item. */
static void need(struct context *c, uint32_t node, uint32_t block, double executions)
{
	const struct ir_kernel *kernel = c->m->input->kernel;
	uint32_t count = 0;

	if (node == IR_NONE || !is_kept(c, node))
		return;
	c->stack[count] = node;
	c->needed_in[count++] = c->current;
	while (count > 0) {
		const struct ir_node *n = &kernel->nodes[node = c->stack[--count]];
		uint32_t region = c->needed_in[count], home;
		bool is_new = c->region[node] == 0;

		if (c->region[node] == region)
			continue;
		home = is_new ? home_of(c, node, region) : c->region[node];
		if (is_new) {
			c->region[node] = home;
			c->executions[node] =
			        home == region ? executions
			                       : evaluation_of(c->m)
			                                 ->blocks[kernel->summary->node_block[node]]
			                                 .executions;
		}
		if (home != region)
			load(c, node, region, block, executions);
		for (unsigned i = 0; is_new && i < n->operand_count; i++) {
			uint32_t operand = kernel->operands[n->first_operand + i];

			/* what is computed here already needs no place on the stack */
			if (is_kept(c, operand) && c->region[operand] != home &&
			    count < kernel->node_count) {
				c->stack[count] = operand;
				c->needed_in[count++] = home;
			}
		}
	}
}

static void need_access(struct context *c, uint32_t access, uint32_t block, double executions)
{
	const struct ir_access *a = &c->m->input->kernel->accesses[access];

	c->accessed[access] = c->current;
	need(c, a->index, block, executions);
	need(c, a->value, block, executions);
	if (a->result != IR_NONE && c->region[a->result] == 0) {
		c->region[a->result] = c->current;
		c->executions[a->result] = executions;
	}
}

/* What a loop's variables begin with, or go on with. */
static void need_variables(struct context *c, const struct ir_statement *loop, bool is_next,
                           uint32_t block)
{
	const struct ir_kernel *kernel = c->m->input->kernel;

	for (uint32_t i = 0; i < loop->variable_count; i++) {
		const struct ir_variable *variable = &kernel->variables[loop->first_variable + i];

		if (kernel->summary->node_block[variable->node] != IR_NONE)
			need(c, is_next ? variable->next : variable->init, block,
			     evaluation_of(c->m)->blocks[block].executions);
	}
}

/* A loop around the loop over work-items hands its variables on, from its first region to its last.
 */
static void hand_on(struct context *c, const struct ir_statement *loop, bool is_outer,
                    uint32_t first, uint32_t last)
{
	const struct ir_kernel *kernel = c->m->input->kernel;
	double turns = evaluation_of(c->m)->blocks[loop->body].executions;

	for (uint32_t i = 0; is_outer && i < loop->variable_count; i++)
		c->widest_bytes = fmax(c->widest_bytes,
		                       kept_bytes(c, &kernel->variables[loop->first_variable + i]));
	for (uint32_t i = 0; i < loop->variable_count; i++) {
		const struct ir_variable *variable = &kernel->variables[loop->first_variable + i];
		double bytes = kept_bytes(c, variable);
		uint32_t node = variable->node;

		if (kernel->summary->node_block[node] == IR_NONE)
			continue;
		c->is_handed[node] = true;
		for (unsigned end = is_outer ? 1 : 0; end < 2; end++) {
			move(c, end == 0 ? first : last, loop->body, false, bytes, turns);
			move(c, end == 0 ? first : last, loop->body, true, bytes, turns);
		}
		/* what is needed behind the loop is kept twice */
		if (is_outer && c->is_left[node]) {
			move(c, last, loop->body, true, bytes, turns);
			if (c->move_count > 0)
				c->moves[c->move_count - 1].is_again = true;
		}
	}
	c->widest_bytes = 0;
}

/* In the order of the program; blocks are nested no deeper than a kernel's check allows. */
static void visit(struct context *c, uint32_t block)
{
	const struct ir_kernel *kernel = c->m->input->kernel;
	const struct evaluation_block *blocks = evaluation_of(c->m)->blocks;

	c->at[block] = c->was_at[block] = c->current;
	for (uint32_t s = kernel->blocks[block].first; s != IR_NONE;
	     s = kernel->statements[s].following) {
		const struct ir_statement *statement = &kernel->statements[s];
		uint32_t sides[] = {statement->body, statement->otherwise}, first;
		bool is_loop = statement->kind == STATEMENT_LOOP && statement->body != IR_NONE;
		bool is_outer = is_outer_loop(c->m, s), is_split = is_outer;

		for (unsigned i = 0; i < 2; i++)
			is_split |= sides[i] != IR_NONE && c->has_barrier[sides[i]];
		if (is_loop)
			need_variables(c, statement, false, block);
		need(c, statement->condition, block, blocks[block].executions);
		if (statement->kind == STATEMENT_ACCESS)
			need_access(c, statement->access, block, blocks[block].executions);
		c->at[block] = c->current;
		c->current += is_split || statement->kind == STATEMENT_BARRIER;
		first = c->current;
		for (unsigned i = 0; i < 2; i++)
			if (sides[i] != IR_NONE)
				visit(c, sides[i]);
		if (is_loop)
			need_variables(c, statement, true, statement->body);
		if (is_loop && is_split)
			hand_on(c, statement, is_outer, first, c->current);
		c->current += is_split;
		c->at[block] = c->current;
	}
	c->at[block] = 0;
}

/* Finds values that follow from what was kept. Operands come before their users. */
static void mark_crossed(const struct context *c)
{
	const struct ir_kernel *kernel = c->m->input->kernel;

	for (uint32_t id = 0; id < kernel->node_count; id++)
		for (unsigned i = 0; i < kernel->nodes[id].operand_count; i++) {
			uint32_t operand = kernel->operands[kernel->nodes[id].first_operand + i];

			c->has_crossed[id] |=
			        c->has_crossed[operand] || c->is_handed[operand] ||
			        (is_kept(c, operand) && c->region[operand] != 0 &&
			         c->region[id] != 0 && c->region[operand] != c->region[id]);
		}
}

bool context_crosses(const struct context *c, uint32_t access)
{
	uint32_t index = c->m->input->kernel->accesses[access].index;

	if (index == IR_NONE || c->accessed[access] == 0)
		return false;
	return c->has_crossed[index] || c->is_handed[index] ||
	       (is_kept(c, index) && c->region[index] != c->accessed[access]);
}

void context_deinit(struct context *c)
{
	free(c->has_barrier);
	free(c->region);
	free(c->accessed);
	free(c->at);
	free(c->executions);
	free(c->is_place);
	free(c->regions);
	free(c->moves);
}

enum status context_init(struct context *c, const struct machine *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	size_t nodes = (size_t)kernel->node_count + 1;

	*c = (struct context){.m = m, .current = 1};
	c->has_barrier = calloc((size_t)kernel->block_count + 1, sizeof(*c->has_barrier));
	c->region = calloc(4 * nodes, sizeof(*c->region));
	c->at = calloc(2 * ((size_t)kernel->block_count + 1), sizeof(*c->at));
	c->accessed = calloc((size_t)kernel->access_count + 1, sizeof(*c->accessed));
	c->executions = calloc(nodes, sizeof(*c->executions));
	c->is_place = calloc(5 * nodes, sizeof(*c->is_place));
	if (!c->has_barrier || !c->region || !c->at || !c->accessed || !c->executions ||
	    !c->is_place)
		goto no_memory;
	c->used_in = c->region + nodes;
	c->stack = c->used_in + nodes;
	c->needed_in = c->stack + nodes;
	c->was_at = c->at + kernel->block_count + 1;
	c->is_left = c->is_place + nodes;
	c->is_handed = c->is_left + nodes;
	c->is_index = c->is_handed + nodes;
	c->has_crossed = c->is_index + nodes;
	mark_barriers(kernel, c->has_barrier);
	mark_all_left(c);
	mark_places(c);
	visit(c, 0);
	mark_crossed(c);
	c->regions = calloc((size_t)c->current + 1, sizeof(*c->regions));
	if (c->regions && !c->has_failed)
		return STATUS_OK;
no_memory:
	context_deinit(c);
	return error_set(error, STATUS_NO_MEMORY, "%s: no memory for what crosses barriers",
	                 kernel->name);
}

enum status cpu_crossings(struct machine *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	struct context c;
	enum status status;

	if (!kernel->summary->has_barrier || !mechanism(MECHANISM_CROSSINGS))
		return STATUS_OK;
	status = context_init(&c, m, error);
	if (status != STATUS_OK)
		return status;
	for (uint32_t i = 0; i < kernel->access_count; i++)
		m->code.is_gathered[i] = m->code.is_shifted[i] = context_crosses(&c, i);
	context_deinit(&c);
	return STATUS_OK;
}
