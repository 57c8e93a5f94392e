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
 * and another store of what is needed behind it.
 * (Read off the code of PoCL 5.0; tests/accuracy/README.md says how to look.)
 */
#include <math.h>
#include <stdlib.h>

#include "model/model_default.h"

struct context {
	const struct default_model *m;
	bool *has_barrier;   /* per block: in it, or within */
	uint32_t *region;    /* per node: where it is computed, from 1 on; 0: nowhere yet */
	uint32_t *used_in;   /* per node: the last region that loaded it */
	bool *is_place;      /* per node: places in memory follow from it */
	bool *is_left;       /* per node: a loop's variable that is needed behind the loop */
	uint32_t *accesses;  /* per block */
	double *executions;  /* per node: of what computes it, per work-item */
	uint32_t *stack;     /* of nodes; each enters at most once */
	uint32_t current;    /* region */
	bool is_outer;       /* a loop without a barrier is left */
	double widest_bytes; /* of the variables: as many lanes fit a vector */
	bool is_again;       /* what is stored is a vector already */
	double count;        /* of loads and stores, per work-item */
	double time_s;       /* of them, in device-seconds */
};

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
			c->is_place[kernel->accesses[i].index] = true;
	for (uint32_t id = kernel->node_count; id-- > 0;)
		for (unsigned i = 0; c->is_place[id] && i < kernel->nodes[id].operand_count; i++)
			c->is_place[kernel->operands[kernel->nodes[id].first_operand + i]] = true;
}

static double kept_bytes(const struct context *c, uint32_t node)
{
	struct type type = c->m->input->kernel->nodes[node].type;

	return c->is_place[node] && type_is_integer(type) ? 8 : type_bytes(type);
}

#define UNROLL_SIZE 300.0 /* LLVM's threshold at -O3, in instructions */

enum {
	LOOP_SIZE = 3,  /* of a work-item's own: the next one's id, and whether there is one */
	KEPT_SIZE = 2,  /* where it is, and to load or store it */
	ACCESS_SIZE = 3 /* with a position that is kept */
};

/*
 * Whether the loop over the first dimension is unrolled before the vectoriser sees it, so that the
 * work-items of another dimension become lanes. What those keep lies a row apart: it goes into
 * vectors and out of them one by one, by an instruction each.
 */
static bool has_short_rows(const struct context *c, uint32_t block)
{
	const struct ir_kernel *kernel = c->m->input->kernel;
	const struct ir_counts *counts = &kernel->summary->rolled[block];
	const uint64_t *local = c->m->input->launch->local;
	uint32_t owner = kernel->blocks[block].owner;
	double size = (double)LOOP_SIZE + (double)ACCESS_SIZE * c->accesses[block];

	for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++)
		size += (double)counts->instruction[type];
	for (uint32_t i = 0; owner != IR_NONE && i < kernel->statements[owner].variable_count; i++)
		size += (double)KEPT_SIZE *
		        (2 +
		         c->is_left[kernel->variables[kernel->statements[owner].first_variable + i]
		                            .node]);
	return local[1] * local[2] > 1 && size * (double)local[0] < UNROLL_SIZE;
}

/*
 * Counts loads or stores by the code of a block. Around barriers, what vectors of it take is in
 * the time of local memory, which was calibrated so.
 */
static void move(struct context *c, uint32_t block, bool is_store, double bytes, double count)
{
	const struct device *device = c->m->input->device;
	unsigned scalar = is_store ? COEFFICIENT_STORE_SCALAR : COEFFICIENT_LOAD_SCALAR;
	double one = device_value(device, scalar, 0);

	if (block_mode(c->m, block) == OP_MODE_VECTOR && !c->is_outer)
		return;
	one *= fmax(1, bytes / 16.0); /* vectors of OpenCL C are loaded whole */
	if (block_mode(c->m, block) == OP_MODE_VECTOR && !c->is_again && has_short_rows(c, block))
		one = device_op_time_s(device, OP_MODE_SCALAR, TYPE_CLASS_INT, OP_CLASS_BIT);
	else if (block_mode(c->m, block) == OP_MODE_VECTOR)
		one = in_vectors(c->m,
		                 fmax(bytes, c->widest_bytes) /
		                         (is_store ? level_write_bandwidth(device, MEMORY_L1)
		                                   : level_read_bandwidth(device, MEMORY_L1)),
		                 one);
	c->count += count;
	c->time_s += count * one;
}

static bool is_kept(const struct context *c, uint32_t node)
{
	const struct ir_kernel *kernel = c->m->input->kernel;
	enum node_op op = (enum node_op)kernel->nodes[node].op;

	return op != NODE_LOCAL_ID && op != NODE_LOOP_VAR && op != NODE_UNKNOWN &&
	       !kernel->summary->node_is_uniform[node];
}

/* A statement of the current region needs a value, so often per work-item. */
static void need(struct context *c, uint32_t node, uint32_t block, double executions)
{
	const struct ir_kernel *kernel = c->m->input->kernel;
	uint32_t count = 0;

	if (node == IR_NONE || !is_kept(c, node))
		return;
	c->stack[count++] = node;
	while (count > 0) {
		const struct ir_node *n = &kernel->nodes[node = c->stack[--count]];

		if (c->region[node] == c->current)
			continue;
		if (c->region[node] != 0) {
			if (c->used_in[node] == 0)
				move(c, kernel->summary->node_block[node], true,
				     type_bytes(n->type), c->executions[node]);
			if (c->used_in[node] != c->current)
				move(c, block, false, type_bytes(n->type), executions);
			c->used_in[node] = c->current;
			continue;
		}
		c->region[node] = c->current;
		c->executions[node] = executions;
		for (unsigned i = 0; i < n->operand_count; i++) {
			uint32_t operand = kernel->operands[n->first_operand + i];

			/* what is computed here already needs no place on the stack */
			if (is_kept(c, operand) && c->region[operand] != c->current &&
			    count < kernel->node_count)
				c->stack[count++] = operand;
		}
	}
}

static void need_access(struct context *c, uint32_t access, uint32_t block, double executions)
{
	const struct ir_access *a = &c->m->input->kernel->accesses[access];

	need(c, a->index, block, executions);
	need(c, a->value, block, executions);
	if (a->result != IR_NONE && c->region[a->result] == 0) {
		c->region[a->result] = c->current;
		c->executions[a->result] = executions;
	}
}

/* In the order of the program; blocks are nested no deeper than a kernel's check allows. */
static void visit(struct context *c, uint32_t block)
{
	const struct ir_kernel *kernel = c->m->input->kernel;
	const struct evaluation_block *blocks = evaluation_of(c->m)->blocks;

	for (uint32_t s = kernel->blocks[block].first; s != IR_NONE;
	     s = kernel->statements[s].following) {
		const struct ir_statement *statement = &kernel->statements[s];
		uint32_t sides[] = {statement->body, statement->otherwise};
		bool is_split = is_outer_loop(c->m, s);
		bool is_outer = is_split;

		for (unsigned i = 0; i < 2; i++)
			is_split |= sides[i] != IR_NONE && c->has_barrier[sides[i]];
		need(c, statement->condition, block, blocks[block].executions);
		if (statement->kind == STATEMENT_ACCESS)
			need_access(c, statement->access, block, blocks[block].executions);
		c->current += is_split || statement->kind == STATEMENT_BARRIER;
		for (unsigned i = 0; i < 2; i++)
			if (sides[i] != IR_NONE)
				visit(c, sides[i]);
		c->current += is_split;
		c->is_outer = is_outer;
		c->widest_bytes = 0;
		for (uint32_t i = 0; is_outer && i < statement->variable_count; i++)
			c->widest_bytes = fmax(
			        c->widest_bytes,
			        kept_bytes(c,
			                   kernel->variables[statement->first_variable + i].node));
		for (uint32_t i = 0; is_split && i < statement->variable_count; i++) {
			uint32_t node = kernel->variables[statement->first_variable + i].node;
			double bytes = kept_bytes(c, node);
			double turns = blocks[statement->body].executions;

			if (kernel->summary->node_block[node] == IR_NONE)
				continue;
			move(c, statement->body, false, bytes, is_outer ? turns : 2 * turns);
			move(c, statement->body, true, bytes, is_outer ? turns : 2 * turns);
			/* what is needed behind the loop is kept twice */
			c->is_again = true;
			if (is_outer && c->is_left[node])
				move(c, statement->body, true, bytes, turns);
			c->is_again = false;
		}
		c->is_outer = false;
	}
}

enum status add_context(struct default_model *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	size_t nodes = (size_t)kernel->node_count + 1;
	struct context c = {.m = m, .current = 1};
	enum status status = STATUS_OK;
	double time_s;

	if (m->is_lockstep || !kernel->summary->has_barrier)
		return STATUS_OK;
	c.has_barrier = calloc((size_t)kernel->block_count + 1, sizeof(*c.has_barrier));
	c.region = calloc(3 * nodes, sizeof(*c.region));
	c.executions = calloc(nodes, sizeof(*c.executions));
	c.is_left = calloc(2 * nodes, sizeof(*c.is_left));
	c.accesses = calloc((size_t)kernel->block_count + 1, sizeof(*c.accesses));
	if (!c.accesses || !c.has_barrier || !c.region || !c.executions || !c.is_left) {
		status = error_set(error, STATUS_NO_MEMORY,
		                   "%s: no memory for what crosses barriers", kernel->name);
		goto out;
	}
	c.used_in = c.region + nodes;
	c.is_place = c.is_left + nodes;
	c.stack = c.used_in + nodes;
	mark_barriers(kernel, c.has_barrier);
	mark_all_left(&c);
	mark_places(&c);
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->summary->access_block[i] != IR_NONE)
			c.accesses[kernel->summary->access_block[i]]++;
	visit(&c, 0);
	time_s = on_busy_units(m, c.time_s * m->items);
	m->time_s[BOTTLENECK_L1] += time_s;
	if (time_s > 0)
		row_add(m->prediction, c.count, time_s, "values kept across barriers");
out:
	free(c.has_barrier);
	free(c.region);
	free(c.executions);
	free(c.is_left);
	free(c.accesses);
	return status;
}
