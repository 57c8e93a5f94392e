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

#include "model/codegen/codegen.h"
#include "model/codegen/pocl/llvm.h"
#include "model/mechanisms.h"

enum {
	SIDE_BYTES_MIN = 4,  /* of an access that a mask can leave out */
	ABREAST_BYTES = 128, /* of a short loop's iterations, by LLVM: four vectors of 256 bits */
	FEW_TRIPS = 128,     /* for which LLVM interleaves no vectors */
	VERY_FEW_TRIPS = 16, /* for which it wants no remainder */
	LOOK_MAX = 1 << 22   /* nodes times variables of a loop that is looked at */
};

#define MEAN_ERROR 1e-4

struct loop_lanes {
	const struct machine *m;
	uint32_t *loop_of_block; /* the innermost loop that is not unrolled before; or IR_NONE */
	bool *is_refused;        /* per loop */
	uint32_t *first;         /* per loop, and behind the last: its part of `nodes` */
	uint32_t *nodes;         /* that are computed in a loop, loop by loop, in their order */
	bool *depends;           /* per node: on the variable that is looked at */
	/* the loop that is looked at */
	uint32_t loop;
	const struct ir_statement *statement;
};

/* Loop of a node or access that is computed in a block; IR_NONE: of none. */
static uint32_t loop_of(const struct loop_lanes *lanes, uint32_t block)
{
	return block == IR_NONE ? IR_NONE : lanes->loop_of_block[block];
}

static const struct ir_statement *loop_statement(const struct loop_lanes *lanes, uint32_t loop)
{
	const struct ir_kernel *kernel = lanes->m->input->kernel;
	return &kernel->statements[kernel->summary->loops[loop].statement];
}

/* ---- statements ---------------------------------------------------------------------------- */

static bool has_lanes_statement(const struct loop_lanes *lanes, uint32_t loop,
                                const struct ir_statement *statement)
{
	const struct ir_kernel *kernel = lanes->m->input->kernel;
	const struct ir_access *access;
	unsigned space;

	switch ((enum statement_kind)statement->kind) {
	case STATEMENT_LOOP: /* looked at as a loop */
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
	       (statement->block == loop_statement(lanes, loop)->body ||
	        scalar_bytes((enum scalar)access->type.scalar) >= SIDE_BYTES_MIN);
}

/* ---- values -------------------------------------------------------------------------------- */

/* Whether a call of integers is one that LLVM has instructions for, or little arithmetic of PoCL's.
 */
static bool is_plain_call(const struct ir_node *node)
{
	switch ((enum builtin)node->aux) {
	case BUILTIN_ROTATE:
	case BUILTIN_POPCOUNT:
	case BUILTIN_CLZ:
	case BUILTIN_CTZ:
	case BUILTIN_ADD_SAT:
	case BUILTIN_SUB_SAT:
	case BUILTIN_HADD:
	case BUILTIN_RHADD:
		return type_is_integer(node->type);
	default:
		return false;
	}
}

/*
 * Whether a node is the same bits, of another sign; or more of them or less, but all that a sum of
 * so many bytes needs: it is reckoned in those alone.
 */
static bool is_same_bits(const struct ir_kernel *kernel, const struct ir_node *node,
                         unsigned sum_bytes)
{
	struct type from;

	if (node->op != NODE_CONVERT)
		return false;
	from = kernel->nodes[kernel->operands[node->first_operand]].type;
	return type_is_integer(from) && type_is_integer(node->type) &&
	       (type_bytes(from) == type_bytes(node->type) ||
	        (type_bytes(from) >= sum_bytes && type_bytes(node->type) >= sum_bytes));
}

static bool has_lanes_node(const struct loop_lanes *lanes, uint32_t id)
{
	const struct ir_kernel *kernel = lanes->m->input->kernel;
	const struct ir_node *node = &kernel->nodes[id];
	int64_t divisor;

	if (node->type.width > 1)
		return false;
	switch ((enum node_op)node->op) {
	case NODE_CALL:
		return is_plain_call(node);
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
	return node_op_is_modular((enum node_op)node->op) || node->op == NODE_MIN ||
	       node->op == NODE_MAX;
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
	bool is_resized = false, is_extreme = false;

	while (id != variable->node) {
		const struct ir_node *node = &kernel->nodes[id];
		const uint32_t *operand = &kernel->operands[node->first_operand];
		unsigned first = 0;

		length++;
		if (is_same_bits(kernel, node, type_bytes(kernel->nodes[variable->node].type))) {
			is_resized |= type_bytes(node->type) !=
			              type_bytes(kernel->nodes[operand[0]].type);
			id = operand[0];
			continue;
		}
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
		is_extreme |= node->op == NODE_MIN || node->op == NODE_MAX;
		kind = (enum node_op)node->op;
		if (lanes->depends[operand[0]] == lanes->depends[operand[1]])
			return 0;
		if (lanes->depends[operand[1]])
			first = 1;
		if (first == 1 && node->op == NODE_SUB)
			return 0;
		id = operand[first];
	}
	/* low bits of an extreme are no extreme of low bits */
	return is_resized && is_extreme ? 0 : length;
}

/* Marks what follows from a variable within an iteration; how many nodes of the body do. */
static uint32_t mark_depending(const struct loop_lanes *lanes, const struct ir_variable *variable)
{
	const struct ir_kernel *kernel = lanes->m->input->kernel;
	uint32_t count = 0;

	lanes->depends[variable->node] = true;
	for (uint32_t n = lanes->first[lanes->loop]; n < lanes->first[lanes->loop + 1]; n++) {
		uint32_t id = lanes->nodes[n];
		const struct ir_node *node = &kernel->nodes[id];

		if (id <= variable->node)
			continue;
		for (unsigned i = 0; i < node->operand_count; i++)
			lanes->depends[id] |=
			        lanes->depends[kernel->operands[node->first_operand + i]];
		if (node->op == NODE_LOAD && kernel->accesses[node->aux].index != IR_NONE)
			lanes->depends[id] |= lanes->depends[kernel->accesses[node->aux].index];
		count += lanes->depends[id];
	}
	return count;
}

static void unmark(const struct loop_lanes *lanes, const struct ir_variable *variable)
{
	lanes->depends[variable->node] = false;
	for (uint32_t n = lanes->first[lanes->loop]; n < lanes->first[lanes->loop + 1]; n++)
		lanes->depends[lanes->nodes[n]] = false;
}

/* Whether a place follows from the variable that is marked. */
static bool moves_a_place(const struct loop_lanes *lanes)
{
	const struct ir_kernel *kernel = lanes->m->input->kernel;

	for (uint32_t n = lanes->first[lanes->loop]; n < lanes->first[lanes->loop + 1]; n++) {
		const struct ir_node *node = &kernel->nodes[lanes->nodes[n]];

		if (node->op == NODE_LOAD && kernel->accesses[node->aux].index != IR_NONE &&
		    lanes->depends[kernel->accesses[node->aux].index])
			return true;
	}
	return false;
}

/* A counter that goes by the same in each iteration. */
static bool is_counter(const struct loop_lanes *lanes, const struct ir_variable *variable)
{
	const struct ir_kernel *kernel = lanes->m->input->kernel;
	uint32_t step = kernel_step(kernel, variable);
	int64_t value;

	return step != IR_NONE &&
	       (kernel_constant(kernel, step, &value) ||
	        loop_of(lanes, kernel->summary->node_block[step]) != lanes->loop);
}

/* A counter, or a sum in any order. */
static bool has_lanes_variable(const struct loop_lanes *lanes, const struct ir_variable *variable)
{
	const struct ir_kernel *kernel = lanes->m->input->kernel;
	uint32_t depending;
	bool is_in_any_order;

	if (kernel->summary->node_block[variable->node] == IR_NONE || variable->next == IR_NONE)
		return true; /* nothing needs it */
	if (!type_is_integer(kernel->nodes[variable->node].type))
		return false;
	if (is_counter(lanes, variable))
		return true;
	depending = mark_depending(lanes, variable);
	is_in_any_order =
	        depending > 0 && !moves_a_place(lanes) && sum_length(lanes, variable) == depending;
	unmark(lanes, variable);
	return is_in_any_order;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Each block's loop: what is unrolled before is none. */
static void find_loops(const struct loop_lanes *lanes)
{
	const struct ir_kernel *kernel = lanes->m->input->kernel;

	for (uint32_t b = 0; b < kernel->block_count; b++)
		lanes->loop_of_block[b] = rolled_loop_of(kernel, b);
}

/* Of each loop the nodes that it computes. */
static void gather_nodes(const struct loop_lanes *lanes)
{
	const struct ir_kernel *kernel = lanes->m->input->kernel;
	uint32_t *first = lanes->first, loop;

	/* counted one place ahead, so that filling moves each to its end, where the next begins */
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		loop = loop_of(lanes, kernel->summary->node_block[id]);
		if (loop != IR_NONE)
			first[loop + 2]++;
	}
	for (uint32_t i = 0; i < kernel->summary->loop_count; i++)
		first[i + 2] += first[i + 1];
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		loop = loop_of(lanes, kernel->summary->node_block[id]);
		if (loop != IR_NONE)
			lanes->nodes[first[loop + 1]++] = id;
	}
}

/* What a loop is, and what stands in it. */
static void refuse(const struct loop_lanes *lanes)
{
	const struct ir_kernel *kernel = lanes->m->input->kernel;
	const struct ir_summary *summary = kernel->summary;
	uint32_t loop;

	for (uint32_t i = 0; i < summary->loop_count; i++) {
		const struct ir_statement *statement = loop_statement(lanes, i);

		if (summary->loops[i].is_unrolled_early || statement->unroll == 1 ||
		    statement->tests_last || statement->body == IR_NONE ||
		    !(evaluation_of(lanes->m)->loops[i].trips > 0) ||
		    !loop_is_countable(kernel, &summary->loops[i]))
			lanes->is_refused[i] = true;
		loop = loop_of(lanes, statement->block);
		if (loop != IR_NONE && !summary->loops[i].is_unrolled_early)
			lanes->is_refused[loop] = true;
	}
	for (uint32_t s = 0; s < kernel->statement_count; s++) {
		loop = loop_of(lanes, kernel->statements[s].block);
		if (loop != IR_NONE && !has_lanes_statement(lanes, loop, &kernel->statements[s]))
			lanes->is_refused[loop] = true;
	}
	for (uint32_t i = 0; i < summary->loop_count; i++)
		for (uint32_t n = lanes->first[i]; n < lanes->first[i + 1]; n++)
			if (!has_lanes_node(lanes, lanes->nodes[n]))
				lanes->is_refused[i] = true;
}

static bool has_lanes(const struct loop_lanes *lanes)
{
	const struct ir_kernel *kernel = lanes->m->input->kernel;
	uint64_t nodes = lanes->first[lanes->loop + 1] - lanes->first[lanes->loop];

	if (lanes->is_refused[lanes->loop] || nodes * lanes->statement->variable_count > LOOK_MAX)
		return false;
	for (uint32_t i = 0; i < lanes->statement->variable_count; i++)
		if (!has_lanes_variable(lanes,
		                        &kernel->variables[lanes->statement->first_variable + i]))
			return false;
	return true;
}

/*
 * Where all that is added up is narrow, vectors hold more iterations; and of that many LLVM makes
 * vectors of the rest as well (EpilogueVectorizationMinVF), one at once.
 */
static void fill_narrow_steps(const struct loop_lanes *lanes, double *step)
{
	const struct ir_kernel *kernel = lanes->m->input->kernel;

	for (uint32_t i = 0; i < kernel->summary->loop_count; i++) {
		const struct ir_statement *loop = loop_statement(lanes, i);
		unsigned widest = 0;

		for (uint32_t v = 0; v < loop->variable_count; v++) {
			const struct ir_variable *variable =
			        &kernel->variables[loop->first_variable + v];
			unsigned bytes = type_bytes(kernel->nodes[variable->node].type);

			if (kernel->summary->node_block[variable->node] != IR_NONE &&
			    variable->next != IR_NONE && !is_counter(lanes, variable) &&
			    bytes > widest)
				widest = bytes;
		}
		if (widest > 0 && widest < 4)
			step[i] = (double)LLVM_VECTOR_BYTES / widest;
	}
}

/*
 * Iterations that vectors of each loop take at once: several vectors', but of few trips that the
 * compiler knows one vector's, and none where it would have to go on without vectors after very
 * few.
 */
static void fill_steps(const struct loop_lanes *lanes, double *step)
{
	const struct ir_kernel *kernel = lanes->m->input->kernel;

	for (uint32_t i = 0; i < kernel->summary->loop_count; i++)
		step[i] = (double)ABREAST_BYTES / 4;
	fill_narrow_steps(lanes, step);
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		uint32_t loop = loop_of(lanes, kernel->summary->access_block[i]);
		unsigned bytes = scalar_bytes((enum scalar)kernel->accesses[i].type.scalar);

		if (loop != IR_NONE && bytes > 4)
			step[loop] = fmin(step[loop], fmax(1, (double)ABREAST_BYTES / bytes));
	}
	for (uint32_t i = 0; i < kernel->summary->loop_count; i++) {
		const struct ir_loop *loop = &kernel->summary->loops[i];
		double one = fmax(1, fmin(step[i], (double)ABREAST_BYTES / 4) /
		                             (ABREAST_BYTES / LLVM_VECTOR_BYTES));

		if (loop->trip != TRIP_CONSTANT || loop->trips >= FEW_TRIPS)
			continue;
		if (loop->trips >= VERY_FEW_TRIPS || !(fmod((double)loop->trips, one) > 0))
			step[i] = one;
	}
}

/*
 * Of the trips those that vectors take, `step` at once. Where data decide, any number up to twice
 * the mean is as likely.
 */
static double share_in_steps(const struct evaluation_loop *loop, double step)
{
	double most = 2 * loop->trips, steps = floor(most / step);

	if (!loop->is_assumed) /* a mean of samples may be a little less than what each is */
		return fmin(1, floor(loop->trips / step + MEAN_ERROR) * step / loop->trips);
	/* the mean of floor(t / step) * step, over that of t */
	return (step * step * steps * (steps - 1) / 2 + (most - steps * step) * steps * step) /
	       most / loop->trips;
}

static void find_lanes(struct loop_lanes *lanes, struct machine *m, const double *step)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct evaluation_loop *loops = evaluation_of(m)->loops;

	gather_nodes(lanes);
	refuse(lanes);
	for (uint32_t i = 0; i < kernel->summary->loop_count; i++) {
		lanes->loop = i;
		lanes->statement = loop_statement(lanes, i);
		lanes->is_refused[i] = !has_lanes(lanes);
	}
	for (uint32_t b = 0; b < kernel->block_count; b++) {
		uint32_t i = lanes->loop_of_block[b];

		if (i == IR_NONE || lanes->is_refused[i])
			continue;
		m->code.lanes[b] = (struct block_lanes){.share = share_in_steps(&loops[i], step[i]),
		                                        .body = loop_statement(lanes, i)->body,
		                                        .loop = i};
		m->code.lanes[b].is_inner = m->code.lanes[b].share > 0 ||
		                            kernel->summary->loops[i].trip != TRIP_CONSTANT;
	}
}

enum status cpu_loops(struct machine *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	size_t blocks = kernel->block_count, loops = kernel->summary->loop_count;
	size_t nodes = kernel->node_count;
	struct loop_lanes lanes = {.m = m};
	enum status status = STATUS_OK;
	double *step = NULL;

	m->code.lanes = calloc(blocks + 1, sizeof(*m->code.lanes));
	if (m->code.lanes == NULL)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for its loops",
		                 kernel->name);
	if (loops == 0 || !m->code.makes_vectors || !mechanism(MECHANISM_LANE_LOOPS))
		return STATUS_OK;
	lanes.loop_of_block = calloc(blocks, sizeof(*lanes.loop_of_block));
	lanes.is_refused = calloc(loops, sizeof(*lanes.is_refused));
	lanes.first = calloc(loops + 2, sizeof(*lanes.first));
	lanes.nodes = calloc(nodes, sizeof(*lanes.nodes));
	lanes.depends = calloc(nodes, sizeof(*lanes.depends));
	step = calloc(loops, sizeof(*step));
	if (lanes.loop_of_block == NULL || lanes.is_refused == NULL || lanes.first == NULL ||
	    lanes.nodes == NULL || lanes.depends == NULL || step == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "%s: no memory for its loops",
		                   kernel->name);
		goto out;
	}
	find_loops(&lanes);
	fill_steps(&lanes, step);
	find_lanes(&lanes, m, step);
out:
	free(step);
	free(lanes.depends);
	free(lanes.nodes);
	free(lanes.first);
	free(lanes.is_refused);
	free(lanes.loop_of_block);
	return status;
}
