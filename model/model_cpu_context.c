/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What work-items keep across barriers on a CPU.
 *
 * PoCL runs the work-items of a group in a loop between each two barriers; a value of one such
 * region that another one needs is stored in an array with a place for each work-item, and
 * loaded in every region that uses it. A loop around a barrier is a region to its barrier and
 * another one to its end, and hands its variables from the one to the other: two loads
 * and two stores of each for every work-item and iteration, however alike they all are. A loop
 * without a barrier beside one is a region, if all work-items go through it alike: one of each.
 * (Read off the code of PoCL 5.0; tests/accuracy/README.md says how to look.)
 */
#include <math.h>
#include <stdlib.h>

#include "model/model_default.h"

struct context {
	const struct default_model *m;
	bool *has_barrier;    /* per block: in it, or within */
	uint32_t *region;     /* per node: where it is computed, from 1 on; 0: nowhere yet */
	uint32_t *used_in;    /* per node: the last region that loaded it */
	double *executions;   /* per node: of what computes it, per work-item */
	uint32_t *stack;      /* of nodes; each enters at most once */
	uint32_t current;     /* region */
	double loads, stores; /* per work-item */
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

/* As often as vectors are loaded whole. */
static double words_of(struct type type)
{
	return fmax(1, type_bytes(type) / 16.0);
}

static bool is_kept(const struct context *c, uint32_t node)
{
	const struct ir_kernel *kernel = c->m->input->kernel;
	enum node_op op = (enum node_op)kernel->nodes[node].op;

	return op != NODE_LOCAL_ID && op != NODE_LOOP_VAR && op != NODE_UNKNOWN &&
	       !kernel->summary->node_is_uniform[node];
}

/* A statement of the current region needs a value, so often per work-item. */
static void need(struct context *c, uint32_t node, double executions)
{
	const struct ir_kernel *kernel = c->m->input->kernel;
	uint32_t count = 0;

	if (node == IR_NONE || !is_kept(c, node))
		return;
	c->stack[count++] = node;
	while (count > 0) {
		const struct ir_node *n = &kernel->nodes[node = c->stack[--count]];
		double words = words_of(n->type);

		if (c->region[node] == c->current)
			continue;
		if (c->region[node] != 0) {
			if (c->used_in[node] == 0)
				c->stores += c->executions[node] * words;
			if (c->used_in[node] != c->current)
				c->loads += executions * words;
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

static void need_access(struct context *c, uint32_t access, double executions)
{
	const struct ir_access *a = &c->m->input->kernel->accesses[access];

	need(c, a->index, executions);
	need(c, a->value, executions);
	if (a->result != IR_NONE && c->region[a->result] == 0) {
		c->region[a->result] = c->current;
		c->executions[a->result] = executions;
	}
}

/*
 * Whether a loop without a barrier goes around the loop over work-items, too: where there are
 * barriers elsewhere PoCL puts all work-items into each iteration of one that they all go through
 * alike.
 */
static bool is_made_outer(const struct context *c, const struct ir_statement *statement)
{
	const struct ir_kernel *kernel = c->m->input->kernel;
	const struct ir_summary *summary = kernel->summary;

	if (statement->kind != STATEMENT_LOOP || statement->body == IR_NONE ||
	    c->has_barrier[statement->body] || statement->condition == IR_NONE ||
	    !summary->node_is_uniform[statement->condition])
		return false;
	for (uint32_t i = 0; i < summary->loop_count; i++)
		if (&kernel->statements[summary->loops[i].statement] == statement)
			return !summary->loops[i].is_unrolled_early &&
			       !summary->loops[i].has_early_exit;
	return false;
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
		bool is_split = is_made_outer(c, statement);
		bool is_outer = is_split;

		for (unsigned i = 0; i < 2; i++)
			is_split |= sides[i] != IR_NONE && c->has_barrier[sides[i]];
		need(c, statement->condition, blocks[block].executions);
		if (statement->kind == STATEMENT_ACCESS)
			need_access(c, statement->access, blocks[block].executions);
		c->current += is_split || statement->kind == STATEMENT_BARRIER;
		for (unsigned i = 0; i < 2; i++)
			if (sides[i] != IR_NONE)
				visit(c, sides[i]);
		c->current += is_split;
		for (uint32_t i = 0; is_split && i < statement->variable_count; i++) {
			uint32_t node = kernel->variables[statement->first_variable + i].node;
			double words = words_of(kernel->nodes[node].type);

			if (kernel->summary->node_block[node] == IR_NONE)
				continue;
			words *= (is_outer ? 1 : 2) * blocks[statement->body].executions;
			c->loads += words;
			c->stores += words;
		}
	}
}

enum status add_context(struct default_model *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	size_t nodes = (size_t)kernel->node_count + 1;
	struct context c = {.m = m, .current = 1};
	enum status status = STATUS_OK;
	double time_s;

	if (m->is_lockstep || m->makes_vectors || !kernel->summary->has_barrier)
		return STATUS_OK;
	c.has_barrier = calloc((size_t)kernel->block_count + 1, sizeof(*c.has_barrier));
	c.region = calloc(3 * nodes, sizeof(*c.region));
	c.executions = calloc(nodes, sizeof(*c.executions));
	if (!c.has_barrier || !c.region || !c.executions) {
		status = error_set(error, STATUS_NO_MEMORY,
		                   "%s: no memory for what crosses barriers", kernel->name);
		goto out;
	}
	c.used_in = c.region + nodes;
	c.stack = c.used_in + nodes;
	mark_barriers(kernel, c.has_barrier);
	visit(&c, 0);
	time_s = c.loads * device_value(m->input->device, COEFFICIENT_LOAD_SCALAR, 0) +
	         c.stores * device_value(m->input->device, COEFFICIENT_STORE_SCALAR, 0);
	time_s = on_busy_units(m, time_s * m->items);
	m->time_s[BOTTLENECK_L1] += time_s;
	if (time_s > 0)
		row_add(m->prediction, c.loads + c.stores, time_s, "values kept across barriers");
out:
	free(c.has_barrier);
	free(c.region);
	free(c.executions);
	return status;
}
