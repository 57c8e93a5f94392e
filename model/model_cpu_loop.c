/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops inside a work-item whose iterations a CPU's compiler runs as lanes of vectors.
 *
 * Where a loop keeps work-items from being lanes, LLVM's loop vectoriser looks at that loop instead
 * (Nuzman, Rosen, Zaks, "Auto-vectorization of interleaved data for SIMD", PLDI 2006, and its
 * legality checks): the trips are known when it begins, nothing leaves it early, no iteration
 * waits for the one before but in sums of integers - or products, bits, extremes - which may be
 * added up in any order; sums of reals may not. What is short ends before a vector is full: the
 * rest of the trips runs one by one.
 */
#include <math.h>
#include <stdlib.h>

#include "model/model_default.h"

enum {
	SIDE_BYTES_MIN = 4, /* of an access that a mask can leave out */
	ABREAST_BYTES = 128 /* of a short loop's iterations, by LLVM: four vectors of 256 bits */
};

struct loop_lanes {
	const struct default_model *m;
	const struct ir_loop *loop;
	const struct ir_statement *statement;
	bool *depends; /* per node: on the variable that is looked at */
};

static bool is_within(const struct ir_kernel *kernel, uint32_t block, uint32_t outer)
{
	while (block != IR_NONE && block != outer)
		block = kernel->blocks[block].owner == IR_NONE
		                ? IR_NONE
		                : kernel->statements[kernel->blocks[block].owner].block;
	return block == outer;
}

static const struct ir_loop *loop_of(const struct ir_kernel *kernel, uint32_t statement)
{
	uint32_t i = 0;

	while (kernel->summary->loops[i].statement != statement)
		i++;
	return &kernel->summary->loops[i];
}

/* ---- statements ---------------------------------------------------------------------------- */

static bool has_lanes_statement(const struct loop_lanes *lanes, uint32_t s)
{
	const struct ir_kernel *kernel = lanes->m->input->kernel;
	const struct ir_statement *statement = &kernel->statements[s];
	const struct ir_access *access;
	unsigned space;

	switch ((enum statement_kind)statement->kind) {
	case STATEMENT_LOOP:
		return loop_of(kernel, s)->is_unrolled_early;
	case STATEMENT_BRANCH:
	case STATEMENT_SCOPE:
		return true;
	case STATEMENT_ACCESS:
		break;
	default:
		return false;
	}
	access = &kernel->accesses[statement->access];
	space = kernel->objects[access->object].space;
	/* whether a store meets what is read is checked before the loop: of places that go evenly
	 */
	return access->kind == ACCESS_LOAD && space != SPACE_IMAGE && space != SPACE_PRIVATE &&
	       (statement->block == lanes->statement->body ||
	        scalar_bytes((enum scalar)access->type.scalar) >= SIDE_BYTES_MIN);
}

/* ---- values -------------------------------------------------------------------------------- */

static bool has_lanes_node(const struct loop_lanes *lanes, uint32_t id)
{
	const struct ir_kernel *kernel = lanes->m->input->kernel;
	const struct ir_node *node = &kernel->nodes[id];
	int64_t divisor;

	if (node->type.width > 1)
		return false;
	switch ((enum node_op)node->op) {
	case NODE_CALL:
	case NODE_ATOMIC:
	case NODE_VECTOR:
	case NODE_SWIZZLE:
	case NODE_INSERT:
	case NODE_TEXEL:
		return false;
	case NODE_DIV:
	case NODE_REM:
		return type_is_real(node->type) ||
		       kernel_constant(kernel, kernel->operands[node->first_operand + 1], &divisor);
	default:
		return true;
	}
}

static bool is_sum(const struct ir_node *node)
{
	switch ((enum node_op)node->op) {
	case NODE_ADD:
	case NODE_SUB:
	case NODE_MUL:
	case NODE_AND:
	case NODE_OR:
	case NODE_XOR:
	case NODE_MIN:
	case NODE_MAX:
		return true;
	default:
		return false;
	}
}

static bool is_same_kind(enum node_op a, enum node_op b)
{
	return a == b || (a == NODE_ADD && b == NODE_SUB) || (a == NODE_SUB && b == NODE_ADD);
}

/* Nodes from a variable's `next` back to itself, all of one kind of sum; 0: no such chain. */
static uint32_t sum_length(const struct loop_lanes *lanes, const struct ir_variable *variable)
{
	const struct ir_kernel *kernel = lanes->m->input->kernel;
	enum node_op kind = NODE_OP_COUNT;
	uint32_t id = variable->next, length = 0;

	while (id != variable->node) {
		const struct ir_node *node = &kernel->nodes[id];
		const uint32_t *operand = &kernel->operands[node->first_operand];
		unsigned first = 0;

		length++;
		if (node->op == NODE_PHI || node->op == NODE_SELECT) {
			/* adds where a condition holds: nothing elsewhere */
			if (lanes->depends[operand[0]] ||
			    (operand[1] != variable->node && operand[2] != variable->node))
				return 0;
			id = operand[1] == variable->node ? operand[2] : operand[1];
			continue;
		}
		if (!is_sum(node) || !type_is_integer(node->type) ||
		    (kind != NODE_OP_COUNT && !is_same_kind((enum node_op)node->op, kind)))
			return 0;
		kind = (enum node_op)node->op;
		if (lanes->depends[operand[0]] == lanes->depends[operand[1]])
			return 0;
		if (lanes->depends[operand[1]])
			first = 1;
		if (first == 1 && node->op == NODE_SUB)
			return 0;
		id = operand[first];
	}
	return length;
}

/* Marks what follows from a variable within an iteration; how many nodes of the body do. */
static uint32_t mark_depending(const struct loop_lanes *lanes, const struct ir_variable *variable)
{
	const struct ir_kernel *kernel = lanes->m->input->kernel;
	const uint32_t *node_block = kernel->summary->node_block;
	uint32_t count = 0;

	for (uint32_t id = 0; id < kernel->node_count; id++) {
		const struct ir_node *node = &kernel->nodes[id];

		lanes->depends[id] = id == variable->node;
		if (id <= variable->node || node_block[id] == IR_NONE)
			continue;
		for (unsigned i = 0; i < node->operand_count; i++)
			lanes->depends[id] |=
			        lanes->depends[kernel->operands[node->first_operand + i]];
		if (node->op == NODE_LOAD && kernel->accesses[node->aux].index != IR_NONE)
			lanes->depends[id] |= lanes->depends[kernel->accesses[node->aux].index];
		count += lanes->depends[id] &&
		         is_within(kernel, node_block[id], lanes->statement->body);
	}
	return count;
}

/* A counter that goes by the same in each iteration, or a sum in any order. */
static bool has_lanes_variable(const struct loop_lanes *lanes, const struct ir_variable *variable)
{
	const struct ir_kernel *kernel = lanes->m->input->kernel;
	const uint32_t *node_block = kernel->summary->node_block;
	const struct ir_node *next;
	uint32_t depending;

	if (node_block[variable->node] == IR_NONE || variable->next == IR_NONE)
		return true; /* nothing needs it */
	if (!type_is_integer(kernel->nodes[variable->node].type))
		return false;
	next = &kernel->nodes[variable->next];
	if ((next->op == NODE_ADD || next->op == NODE_SUB) && next->operand_count == 2)
		for (unsigned i = 0; i < 2; i++) {
			uint32_t step = kernel->operands[next->first_operand + 1 - i];
			int64_t value;

			if (kernel->operands[next->first_operand + i] == variable->node &&
			    (kernel_constant(kernel, step, &value) ||
			     !is_within(kernel, node_block[step], lanes->statement->body)))
				return true;
		}
	depending = mark_depending(lanes, variable);
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (is_within(kernel, kernel->summary->access_block[i], lanes->statement->body) &&
		    kernel->accesses[i].index != IR_NONE &&
		    lanes->depends[kernel->accesses[i].index])
			return false;
	return depending > 0 && sum_length(lanes, variable) == depending;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static bool has_lanes(const struct loop_lanes *lanes)
{
	const struct ir_kernel *kernel = lanes->m->input->kernel;
	const struct ir_summary *summary = kernel->summary;

	if (lanes->loop->is_unrolled_early || lanes->statement->unroll == 1 ||
	    lanes->statement->tests_last || lanes->statement->body == IR_NONE ||
	    !loop_is_countable(kernel, lanes->loop))
		return false;
	for (uint32_t s = 0; s < kernel->statement_count; s++)
		if (is_within(kernel, kernel->statements[s].block, lanes->statement->body) &&
		    !has_lanes_statement(lanes, s))
			return false;
	for (uint32_t id = 0; id < kernel->node_count; id++)
		if (summary->node_block[id] != IR_NONE &&
		    is_within(kernel, summary->node_block[id], lanes->statement->body) &&
		    !has_lanes_node(lanes, id))
			return false;
	for (uint32_t i = 0; i < lanes->statement->variable_count; i++)
		if (!has_lanes_variable(lanes,
		                        &kernel->variables[lanes->statement->first_variable + i]))
			return false;
	return true;
}

/* Iterations that vectors of the loop take at once. */
static double step_of(const struct loop_lanes *lanes)
{
	const struct ir_kernel *kernel = lanes->m->input->kernel;
	unsigned widest = 4;

	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->summary->access_block[i] != IR_NONE &&
		    is_within(kernel, kernel->summary->access_block[i], lanes->statement->body) &&
		    scalar_bytes((enum scalar)kernel->accesses[i].type.scalar) > widest)
			widest = scalar_bytes((enum scalar)kernel->accesses[i].type.scalar);
	return fmax(1, (double)ABREAST_BYTES / widest);
}

/*
 * Of the trips those that vectors take, `step` at once. Where data decide, any number up to twice
 * the mean is as likely.
 */
static double share_in_steps(const struct evaluation_loop *loop, double step)
{
	double most = 2 * loop->trips, steps = floor(most / step);

	if (!loop->is_assumed)
		return floor(loop->trips / step) * step / loop->trips;
	/* the mean of floor(t / step) * step, over that of t */
	return (step * step * steps * (steps - 1) / 2 + (most - steps * step) * steps * step) /
	       most / loop->trips;
}

enum status cpu_loops(struct default_model *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	struct loop_lanes lanes = {.m = m};

	m->lanes = calloc((size_t)kernel->block_count + 1, sizeof(*m->lanes));
	lanes.depends = calloc((size_t)kernel->node_count + 1, sizeof(*lanes.depends));
	if (m->lanes == NULL || lanes.depends == NULL) {
		free(lanes.depends);
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for its loops",
		                 kernel->name);
	}
	for (uint32_t i = 0; i < kernel->summary->loop_count && m->makes_vectors; i++) {
		double step, trips = evaluation_of(m)->loops[i].trips;

		lanes.loop = &kernel->summary->loops[i];
		lanes.statement = &kernel->statements[lanes.loop->statement];
		if (!(trips > 0) || !has_lanes(&lanes))
			continue;
		step = step_of(&lanes);
		for (uint32_t b = 0; b < kernel->block_count; b++)
			if (is_within(kernel, b, lanes.statement->body))
				m->lanes[b] = (struct block_lanes){
				        .share = share_in_steps(&evaluation_of(m)->loops[i], step),
				        .body = lanes.statement->body,
				        .loop = i};
	}
	free(lanes.depends);
	return STATUS_OK;
}
