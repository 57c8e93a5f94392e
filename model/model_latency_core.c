/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Latency on a CPU: what a core waits for that works ahead as far as its window of operations
 * goes. Iterations that wait for the one before are recurrences; calls of math functions are
 * long sequences, of which few fit into the window; a branch guessed wrong ends what was begun.
 */
#include <math.h>
#include <stdlib.h>

#include "model/model_latency.h"

#define LOOP_OPERATIONS 2.0  /* increment, comparison */
#define VECTOR_BYTES    32.0 /* of the vectors that LLVM prefers on x86 */

/* ---- recurrences --------------------------------------------------------------------------- */

/* Variables of a loop that are looked at; more are rare, and cost their square. */
enum { RECURRENCE_MAX = 24 };

enum {
	APART_MAX = 64, /* iterations between a store and the load of it */
	BASE_DEPTH_MAX = 8,
	PAIRS_MAX = 64 /* of them that are measured in a loop */
};

/*
 * What a variable of a loop within this one waits for: what it begins with, and, where the loop has
 * been gone through, what it ends with.
 */
static double inner_variable_time(const struct ir_kernel *kernel, const struct ir_node *node,
                                  uint32_t from, uint32_t last, const double *distance,
                                  bool has_ended)
{
	const struct ir_statement *inner = &kernel->statements[node->aux];
	const struct ir_variable *variable = &kernel->variables[inner->first_variable + node->imm];
	double longest = -1;

	if (variable->init != IR_NONE && variable->init >= from)
		longest = distance[variable->init];
	if (has_ended && variable->next != IR_NONE && variable->next >= from &&
	    variable->next <= last)
		longest = fmax(longest, distance[variable->next]);
	return longest;
}

/*
 * Longest latency from a loop's variable to each node above it; -1: none.
 * `distance` is per node, written from `from` to `last`.
 */
static void measure_paths(const struct default_model *m, uint32_t from, uint32_t last,
                          bool has_ended, double *distance)
{
	const struct ir_kernel *kernel = m->input->kernel;
	uint32_t loop = kernel->nodes[from].aux;
	bool has_inner = false;

	for (uint32_t node = from; node <= last; node++) {
		const struct ir_node *n = &kernel->nodes[node];
		uint32_t index = IR_NONE;
		double longest = -1;

		/* a branch's condition is guessed */
		bool is_guessed = m->is_branch[node] && n->op != NODE_MIN && n->op != NODE_MAX;

		for (unsigned i = is_guessed; i < n->operand_count; i++) {
			uint32_t operand = kernel->operands[n->first_operand + i];

			if (operand >= from)
				longest = fmax(longest, distance[operand]);
		}
		if (n->op == NODE_LOOP_VAR && n->aux != loop) {
			longest = inner_variable_time(kernel, n, from, last, distance, has_ended);
			has_inner |= longest >= 0;
		}
		if (n->op == NODE_LOAD || n->op == NODE_ATOMIC)
			index = kernel->accesses[n->aux].index;
		if (index != IR_NONE && index >= from && index < node)
			longest = fmax(longest, distance[index]);
		if (longest >= 0)
			longest += index != IR_NONE ? access_latency(m, n->aux, 1)
			                            : node_latency(m, node);
		distance[node] = node == from ? 0 : longest;
	}
	if (has_inner && !has_ended)
		measure_paths(m, from, last, true, distance);
}

/* ---- what goes through memory ----------------------------------------------------------------
 */

/* An index without what is added to it, constants all. */
static uint32_t base_of(const struct ir_kernel *kernel, uint32_t index, int64_t *constant)
{
	*constant = 0;
	for (unsigned depth = 0; depth < BASE_DEPTH_MAX; depth++) {
		const struct ir_node *n = &kernel->nodes[index];
		const uint32_t *operands = &kernel->operands[n->first_operand];
		int64_t value;

		if (n->op == NODE_ADD && kernel_constant(kernel, operands[1], &value) &&
		    value > -APART_MAX && value < APART_MAX)
			*constant += value;
		else if (n->op != NODE_CONVERT || !type_is_integer(kernel->nodes[operands[0]].type))
			break;
		index = operands[0];
	}
	return index;
}

/* By how much a loop's variable goes on in an iteration; 0: not by a constant, or it is none. */
static int64_t step_of(const struct ir_kernel *kernel, const struct ir_statement *loop,
                       uint32_t node)
{
	const struct ir_node *n = &kernel->nodes[node], *next;
	const struct ir_variable *variable;
	int64_t step;

	if (n->op != NODE_LOOP_VAR || &kernel->statements[n->aux] != loop)
		return 0;
	variable = &kernel->variables[loop->first_variable + n->imm];
	if (variable->next == IR_NONE)
		return 0;
	next = &kernel->nodes[variable->next];
	return next->op == NODE_ADD && kernel->operands[next->first_operand] == node &&
	                       kernel_constant(kernel, kernel->operands[next->first_operand + 1],
	                                       &step)
	               ? step
	               : 0;
}

/*
 * In how many iterations a loop reads what it wrote at a counted place; 0: in none, or in the next
 * one, for which LLVM keeps it in a register (LoopLoadElimination.cpp).
 */
static double iterations_apart(const struct default_model *m, const struct ir_statement *loop,
                               uint32_t store, uint32_t load)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_access *to = &kernel->accesses[store], *from = &kernel->accesses[load];
	int64_t written, read, step;
	uint32_t base;
	double apart;

	if (to->object != from->object || to->index == IR_NONE || from->index == IR_NONE ||
	    to->scale_bytes != from->scale_bytes || to->scale_bytes == 0 || is_register(m, load))
		return 0;
	base = base_of(kernel, to->index, &written);
	if (base_of(kernel, from->index, &read) != base)
		return 0;
	step = step_of(kernel, loop, base);
	if (step == 0)
		return 0;
	apart = (double)(written - read) / (double)step +
	        (double)(to->offset_bytes - from->offset_bytes) /
	                ((double)to->scale_bytes * (double)step);
	return apart > 1 && apart <= (double)APART_MAX ? apart : 0;
}

/* What an iteration waits for values that went through an array. */
static double array_time(const struct default_model *m, const struct ir_loop *of, double *distance)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_statement *loop = &kernel->statements[of->statement];
	double forward_s = level_value(m, MEMORY_L1, MEMORY_COLUMN_LATENCY, 0), mean = 0;
	unsigned looked = 0;

	for (uint32_t s = kernel->blocks[loop->body].first; s != IR_NONE;
	     s = kernel->statements[s].following) {
		uint32_t store = kernel->statements[s].access;
		uint32_t value;

		if (kernel->statements[s].kind != STATEMENT_ACCESS ||
		    kernel->accesses[store].kind != ACCESS_STORE)
			continue;
		value = kernel->accesses[store].value;
		for (uint32_t t = kernel->blocks[loop->body].first;
		     t != IR_NONE && looked < PAIRS_MAX; t = kernel->statements[t].following) {
			uint32_t load = kernel->statements[t].access;
			double apart;

			if (kernel->statements[t].kind != STATEMENT_ACCESS ||
			    kernel->accesses[load].kind != ACCESS_LOAD ||
			    kernel->accesses[load].result == IR_NONE ||
			    kernel->accesses[load].result > value)
				continue;
			apart = iterations_apart(m, loop, store, load);
			if (!(apart > 0))
				continue;
			looked++;
			measure_paths(m, kernel->accesses[load].result, value, false, distance);
			if (distance[value] >= 0)
				mean = fmax(mean, (distance[value] + forward_s) / apart);
		}
	}
	return mean;
}

/*
 * What one iteration waits for the last: the maximum cycle mean over the loop's
 * variables (Karp, Discrete Mathematics 23, 1978), since a value may travel
 * through several of them before it comes back.
 */
static double recurrence_time(const struct default_model *m, const struct ir_loop *of,
                              double *distance)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_statement *loop = &kernel->statements[of->statement];
	const struct ir_variable *variables = &kernel->variables[loop->first_variable];
	unsigned count =
	        loop->variable_count < RECURRENCE_MAX ? loop->variable_count : RECURRENCE_MAX;
	double edge[RECURRENCE_MAX][RECURRENCE_MAX], walk[RECURRENCE_MAX + 1][RECURRENCE_MAX];
	double mean = array_time(m, of, distance);

	for (unsigned v = 0; v < count; v++) {
		uint32_t last = variables[v].node;

		for (unsigned w = 0; w < count; w++)
			if (variables[w].next != IR_NONE && variables[w].next > last)
				last = variables[w].next;
		measure_paths(m, variables[v].node, last, false, distance);
		for (unsigned w = 0; w < count; w++) {
			uint32_t next = variables[w].next;

			edge[v][w] =
			        next != IR_NONE && next >= variables[v].node ? distance[next] : -1;
			if (edge[v][w] >= 0 && next != variables[w].node)
				edge[v][w] += part_latency(m, loop->first_variable + w);
			/* what counts a loop that is unrolled is a constant in each iteration */
			if (of->is_unrolled_early && v == w &&
			    loop->first_variable + v == of->induction)
				edge[v][w] = -1;
		}
	}
	for (unsigned v = 0; v < count; v++)
		walk[0][v] = 0;
	for (unsigned k = 1; k <= count; k++)
		for (unsigned w = 0; w < count; w++) {
			walk[k][w] = -1;
			for (unsigned v = 0; v < count; v++)
				if (edge[v][w] >= 0 && walk[k - 1][v] >= 0)
					walk[k][w] = fmax(walk[k][w], walk[k - 1][v] + edge[v][w]);
		}
	for (unsigned w = 0; w < count; w++) {
		double least = HUGE_VAL;

		for (unsigned k = 0; k < count && walk[count][w] >= 0; k++)
			if (walk[k][w] >= 0)
				least = fmin(least, (walk[count][w] - walk[k][w]) / (count - k));
		if (isfinite(least))
			mean = fmax(mean, least);
	}
	return mean;
}

/* ---- work-items, one after another ------------------------------------------------------------
 */

/* Whether no loop stands around a block. */
static bool is_straight(const struct ir_kernel *kernel, uint32_t block)
{
	for (uint32_t owner; (owner = kernel->blocks[block].owner) != IR_NONE;
	     block = kernel->statements[owner].block)
		if (kernel->statements[owner].kind == STATEMENT_LOOP)
			return false;
	return true;
}

/* The longest chain of a work-item outside of loops, or its share of a vector's. */
static double straight_time(const struct default_model *m, double *depth)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;
	double longest = 0;

	for (uint32_t node = 0; node < kernel->node_count; node++) {
		const struct ir_node *n = &kernel->nodes[node];
		bool is_access = n->op == NODE_LOAD || n->op == NODE_ATOMIC;
		uint32_t block =
		        is_access ? summary->access_block[n->aux] : summary->node_block[node];
		double latency;

		depth[node] = 0;
		if (block >= kernel->block_count || !is_straight(kernel, block))
			continue;
		for (unsigned i = 0; i < n->operand_count; i++)
			depth[node] =
			        fmax(depth[node], depth[kernel->operands[n->first_operand + i]]);
		if (is_access && kernel->accesses[n->aux].index != IR_NONE)
			depth[node] = fmax(depth[node], depth[kernel->accesses[n->aux].index]);
		latency = is_access || is_within_address(m, node) || m->is_once[node]
		                  ? 0
		                  : node_latency(m, node);
		if (block_mode(m, block) == OP_MODE_VECTOR) /* as many wait together */
			latency *= fmin(1, type_bytes(n->type) / VECTOR_BYTES);
		depth[node] += latency * fmin(1, evaluation_of(m)->blocks[block].executions);
		longest = fmax(longest, depth[node]);
	}
	return longest;
}

/*
 * Of each node, what a work-item waits for it from the beginning of an iteration of the innermost
 * loop around it: for what it loads as long as the level takes that has it.
 */
static void measure_iterations(const struct default_model *m, double *depth)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;
	double near_s = level_value(m, MEMORY_L1, MEMORY_COLUMN_LATENCY, 0);

	for (uint32_t node = 0; node < kernel->node_count; node++) {
		const struct ir_node *n = &kernel->nodes[node];
		bool is_access = n->op == NODE_LOAD || n->op == NODE_ATOMIC;
		uint32_t block =
		        is_access ? summary->access_block[n->aux] : summary->node_block[node];
		uint32_t index = is_access ? kernel->accesses[n->aux].index : IR_NONE;

		depth[node] = 0;
		if (block >= kernel->block_count)
			continue;
		for (unsigned i = 0; i <= n->operand_count; i++) {
			uint32_t operand = i < n->operand_count
			                           ? kernel->operands[n->first_operand + i]
			                           : index;
			uint32_t from = operand == IR_NONE ? IR_NONE : summary->node_block[operand];

			if (from < kernel->block_count &&
			    summary->loop_depth[from] >= summary->loop_depth[block])
				depth[node] = fmax(depth[node], depth[operand]);
		}
		if (is_access)
			depth[node] += fmax(near_s, access_latency(m, n->aux, 1));
		else if (!is_within_address(m, node))
			depth[node] += node_latency(m, node);
	}
}

/*
 * After a wrong guess a core begins again, and nothing else goes on meanwhile: what it did
 * since the guess is lost, and it did so until the condition was known. Requires `depth` of
 * measure_iterations.
 */
static double guessing_time(const struct default_model *m, const double *depth, double *guesses)
{
	const struct ir_kernel *kernel = m->input->kernel;
	double again = m->units * device_value(m->input->device, COEFFICIENT_MISPREDICT, 0);
	double total = 0;

	*guesses = 0;
	if (!(again > 0))
		return 0;
	for (uint32_t node = 0; node < kernel->node_count; node++) {
		*guesses += m->wrong_guesses[node];
		total += m->wrong_guesses[node] * (again + depth[node]);
	}
	return total;
}

/*
 * On a CPU, whose core works ahead wherever it need not wait: what its loops wait for, and
 * its chains outside of them.
 */
static double waiting_time(const struct default_model *m, double *distance)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;
	double total = straight_time(m, distance);

	for (uint32_t i = 0; i < summary->loop_count; i++) {
		const struct ir_statement *s = &kernel->statements[summary->loops[i].statement];

		/* where all work-items take turns, an iteration is over long before the next one */
		if (s->body != IR_NONE && !summary->loops[i].is_closed &&
		    !is_outer_loop(m, summary->loops[i].statement) &&
		    block_mode(m, s->body) == OP_MODE_SCALAR)
			total += recurrence_time(m, &summary->loops[i], distance) *
			         evaluation_of(m)->blocks[s->body].executions *
			         (1 - m->lanes[s->body].share);
	}
	return total;
}

/*
 * Operations that scalar calls of a block are made of, beyond one each: by their time, in
 * additions. Those of a work-item's own vectors are made of vectors.
 */
static double operations_of_calls(const struct default_model *m, uint32_t block)
{
	const struct ir_counts *counts = &m->input->kernel->summary->rolled[block];
	double operations = 0;

	if (block_mode(m, block) != OP_MODE_SCALAR)
		return 0;
	for (unsigned type = TYPE_CLASS_HALF; type < TYPE_CLASS_COUNT; type++) {
		double add_s = device_op_time_s(m->input->device, OP_MODE_SCALAR,
		                                (enum type_class)type, OP_CLASS_ADD);
		double all = 0, more = 0;

		for (unsigned op = 0; op < OP_CLASS_COUNT; op++) {
			double n = (double)counts->operation[op][type];

			all += n;
			if (n > 0 && add_s > 0 && op_class_is_call((enum op_class)op))
				more += n *
				        fmax(0, device_op_time_s(m->input->device, OP_MODE_SCALAR,
				                                 (enum type_class)type,
				                                 (enum op_class)op) /
				                                add_s -
				                        1);
		}
		if (all > 0)
			operations += more * fmin(1, (double)counts->instruction[type] / all);
	}
	return operations;
}

double operations_in(const struct default_model *m, uint32_t block, double *of_calls)
{
	double instructions = operations_of_calls(m, block);

	*of_calls += instructions;
	for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++)
		instructions += (double)m->input->kernel->summary->rolled[block].instruction[type];
	return instructions;
}

/* A loop whose iterations run one by one, of what stands in no loop within it. */
struct iterations {
	bool is_scalar;
	double operations, calls; /* an iteration's; and those that calls are made of */
	double longest_s;         /* what it waits for */
};

static void count_iterations(const struct default_model *m, struct iterations *iterations)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;
	const struct evaluation_block *blocks = evaluation_of(m)->blocks;

	for (uint32_t i = 0; i < summary->loop_count; i++) {
		uint32_t body = kernel->statements[summary->loops[i].statement].body;

		iterations[i].is_scalar = !is_outer_loop(m, summary->loops[i].statement) &&
		                          block_mode(m, body) == OP_MODE_SCALAR &&
		                          !(m->lanes[body].share > 0) &&
		                          blocks[body].executions > 0;
	}
	for (uint32_t b = 0; b < kernel->block_count; b++) {
		uint32_t loop = summary->block_loop[b], body;

		if (loop == IR_NONE || !iterations[loop].is_scalar)
			continue;
		body = kernel->statements[summary->loops[loop].statement].body;
		iterations[loop].operations += operations_in(m, b, &iterations[loop].calls) *
		                               blocks[b].executions / blocks[body].executions;
	}
}

/*
 * What iterations of scalar loops with calls wait for, though none waits for the one before.
 * Requires `depth` of measure_iterations.
 */
static enum status iterations_time(const struct default_model *m, const double *depth,
                                   double *time_s, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;
	double window = device_value(m->input->device, COEFFICIENT_WINDOW, 0);
	struct iterations *iterations =
	        calloc((size_t)summary->loop_count + 1, sizeof(*iterations));

	*time_s = 0;
	if (!iterations)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for its iterations",
		                 kernel->name);
	count_iterations(m, iterations);
	for (uint32_t node = 0; node < kernel->node_count; node++) {
		uint32_t block = summary->node_block[node];
		uint32_t loop = block == IR_NONE ? IR_NONE : summary->block_loop[block];

		if (loop != IR_NONE)
			iterations[loop].longest_s = fmax(iterations[loop].longest_s, depth[node]);
	}
	for (uint32_t i = 0; i < summary->loop_count; i++) {
		uint32_t body = kernel->statements[summary->loops[i].statement].body;

		if (iterations[i].calls > 0)
			*time_s += iterations[i].longest_s /
			           (1 + window / fmax(1, iterations[i].operations)) *
			           evaluation_of(m)->blocks[body].executions;
	}
	free(iterations);
	return STATUS_OK;
}

/*
 * Work-items that a core has under way at once, since it works ahead beyond the
 * end of one: while that waits, a window of operations behind it is begun. A counted loop's
 * own increment and comparison are few, since compilers unroll it.
 */
static double items_overlapped(const struct default_model *m, double *calls_share)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;
	double window = device_value(m->input->device, COEFFICIENT_WINDOW, 0), operations = 0;
	double of_calls = 0;

	for (uint32_t b = 0; b < kernel->block_count; b++) {
		double executions =
		        evaluation_of(m)->blocks[b].executions * (1 - m->lanes[b].share);
		double calls = 0;

		operations += operations_in(m, b, &calls) * executions;
		of_calls += calls * executions;
	}
	for (uint32_t i = 0; i < kernel->access_count; i++)
		operations += evaluation_of(m)->accesses[i].executions;
	for (uint32_t i = 0; i < summary->loop_count; i++) {
		uint32_t body = kernel->statements[summary->loops[i].statement].body;

		if (body != IR_NONE && !summary->loops[i].is_unrolled_early &&
		    summary->loops[i].trip != TRIP_DATA && !summary->loops[i].has_early_exit)
			operations -= LOOP_OPERATIONS * evaluation_of(m)->blocks[body].executions;
	}
	*calls_share = fmin(1, of_calls / fmax(1, operations));
	return 1 + window / fmax(1, operations);
}

/*
 * What calls of math functions take was timed where they wait for themselves: so of the waiting
 * only what is longer than they take counts.
 */
static double beyond_calls(const struct default_model *m, double waiting_s, double calls_share)
{
	double norm = norm_of(m->input->device), busy_s = m->time_s[BOTTLENECK_ARITHMETIC];
	double beyond_s = 0;

	if (waiting_s > busy_s)
		beyond_s = waiting_s * pow(1 - pow(busy_s / waiting_s, norm), 1 / norm);
	return calls_share * beyond_s + (1 - calls_share) * waiting_s;
}

enum status add_core_latency(struct default_model *m, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	double path, iterations, again, guesses, calls_share;
	double turns = m->items / m->units / fmax(m->busy, 1e-9);
	enum status status = STATUS_OK;
	double *memory = calloc((size_t)kernel->node_count + 1, sizeof(*memory));

	if (!memory)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for its chains",
		                 kernel->name);
	path = waiting_time(m, memory) / items_overlapped(m, &calls_share);
	measure_iterations(m, memory);
	status = iterations_time(m, memory, &iterations, error);
	if (status != STATUS_OK)
		goto out;
	again = guessing_time(m, memory, &guesses) * turns;
	add_waiting(m, beyond_calls(m, fmax(path, iterations) * turns, calls_share), turns);
	m->time_s[BOTTLENECK_ARITHMETIC] += again;
	/* nor does what is locked begin before all guesses ahead of it are known to be right */
	if (m->time_s[BOTTLENECK_ATOMIC] > 0)
		m->time_s[BOTTLENECK_ATOMIC] += again;
	if (again > 0)
		row_add(m->prediction, guesses, again, "branches guessed wrong");
out:
	free(memory);
	return status;
}
