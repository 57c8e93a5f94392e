/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Latency on a CPU: what a core waits for that works ahead as far as its window of operations
 * goes. Iterations that wait for the one before are recurrences (time/recurrence.c); calls of
 * math functions are long sequences, of which few fit into the window; a branch guessed wrong ends
 * what was begun.
 */
#include <math.h>
#include <stdlib.h>

#include "model/time/cpu/cpu.h"
#include "model/time/lines.h"

#define LOOP_OPERATIONS 2.0 /* increment, comparison */

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
static double straight_time(const struct machine *m, double *depth)
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
		latency = is_access || is_within_address(m, node) || m->code.is_once[node]
		                  ? 0
		                  : core_node_latency(m, node);
		if (block_mode(m, block) == OP_MODE_VECTOR) /* as many wait together */
			latency *= fmin(1, type_bytes(n->type) / (double)LLVM_VECTOR_BYTES);
		depth[node] += latency * fmin(1, evaluation_of(m)->blocks[block].executions);
		longest = fmax(longest, depth[node]);
	}
	return longest;
}

/* Of the iterations of the innermost loop around a block those that get to it. */
static double share_of_iterations(const struct machine *m, uint32_t block)
{
	const struct ir_kernel *kernel = m->input->kernel;
	uint32_t loop = kernel->summary->block_loop[block];
	double all = 1;

	if (loop != IR_NONE)
		all = evaluation_of(m)
		              ->blocks[kernel->statements[kernel->summary->loops[loop].statement]
		                               .body]
		              .executions;
	return all > 0 ? fmin(1, evaluation_of(m)->blocks[block].executions / all) : 0;
}

/* The loop right within the innermost one around `block` that `from` stands in; IR_NONE: none. */
static uint32_t ended_loop(const struct ir_kernel *kernel, uint32_t from, uint32_t block)
{
	const struct ir_summary *summary = kernel->summary;
	uint32_t at = summary->block_loop[from], child = IR_NONE;

	while (at != IR_NONE && at != summary->block_loop[block]) {
		child = at;
		at = loop_around(kernel, at);
	}
	return at == summary->block_loop[block] ? child : IR_NONE;
}

/*
 * Of each node, what a work-item waits for it from the beginning of an iteration of the innermost
 * loop around it: for what it loads as long as the level takes that has it. is_mean: of all
 * iterations, whether they get there or not. ended_s: what all iterations of each loop wait, which
 * its results come behind; NULL: nothing.
 */
static void measure_iterations(const struct machine *m, bool is_mean, const double *ended_s,
                               double *depth)
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
		double latency = 0;

		depth[node] = 0;
		if (block >= kernel->block_count)
			continue;
		for (unsigned i = 0; i <= n->operand_count; i++) {
			uint32_t operand = i < n->operand_count
			                           ? kernel->operands[n->first_operand + i]
			                           : index;
			uint32_t from = operand == IR_NONE ? IR_NONE : summary->node_block[operand];
			uint32_t ended = IR_NONE;

			if (from >= kernel->block_count ||
			    summary->loop_depth[from] < summary->loop_depth[block])
				continue;
			if (ended_s != NULL && summary->block_loop[from] != IR_NONE)
				ended = ended_loop(kernel, from, block);
			depth[node] =
			        fmax(depth[node],
			             depth[operand] + (ended == IR_NONE ? 0 : ended_s[ended]));
		}
		if (is_access)
			latency = fmax(near_s, core_access_latency(m, n->aux));
		else if (!is_within_address(m, node))
			latency = core_node_latency(m, node);
		depth[node] += latency * (is_mean ? share_of_iterations(m, block) : 1);
	}
}

/* Whether a block stands in a loop, however deep; IR_NONE: none. */
static bool is_inside(const struct ir_kernel *kernel, uint32_t block, uint32_t loop)
{
	uint32_t at = loop == IR_NONE ? IR_NONE : kernel->summary->block_loop[block];

	while (at != IR_NONE && at != loop)
		at = loop_around(kernel, at);
	return at != IR_NONE;
}

/* Operations of one iteration of a loop, with those of the loops within it. */
static double operations_of_iteration(const struct machine *m, uint32_t loop)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;
	const struct evaluation_block *blocks = evaluation_of(m)->blocks;
	double turns = blocks[kernel->statements[summary->loops[loop].statement].body].executions;
	double operations = 0, calls = 0;

	for (uint32_t b = 0; b < kernel->block_count; b++) {
		if (is_inside(kernel, b, loop))
			operations += operations_in(m, b, &calls) * blocks[b].executions;
	}
	return turns > 0 ? operations / turns : operations;
}

/* A condition whose branch is guessed wrong. */
struct guess {
	uint32_t loop;     /* that it is in; IR_NONE: none */
	double wrong;      /* per work-item */
	double depth_s;    /* until it is known, from the beginning of an iteration */
	double iterations; /* of the loop, per work-item */
};

/* Loop by loop, and what is known last first. */
static int guess_compare(const void *left, const void *right)
{
	const struct guess *a = left, *b = right;

	if (a->loop != b->loop)
		return a->loop < b->loop ? -1 : 1;
	return (a->depth_s < b->depth_s) - (a->depth_s > b->depth_s);
}

/*
 * What a core works in an iteration: while a condition is not known yet it does that, whatever it
 * goes on with when the guess was wrong.
 */
static double work_of_iteration(const struct machine *m, uint32_t loop)
{
	double add_s =
	        device_op_time_s(m->input->device, OP_MODE_SCALAR, TYPE_CLASS_INT, OP_CLASS_ADD);

	return loop == IR_NONE ? 0 : operations_of_iteration(m, loop) * add_s * m->occupancy.units;
}

static struct guess guess_of(const struct machine *m, uint32_t node, double depth_s)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;
	const struct ir_node *n = &kernel->nodes[node];
	bool is_access = n->op == NODE_LOAD || n->op == NODE_ATOMIC;
	uint32_t block = is_access ? summary->access_block[n->aux] : summary->node_block[node];
	struct guess guess = {.loop = IR_NONE,
	                      .wrong = m->code.wrong_guesses[node],
	                      .depth_s = depth_s,
	                      .iterations = 1};

	if (block < kernel->block_count)
		guess.loop = rolled_loop_of(kernel, block);
	if (guess.loop != IR_NONE)
		guess.iterations =
		        evaluation_of(m)
		                ->blocks[kernel->statements[summary->loops[guess.loop].statement]
		                                 .body]
		                .executions;
	return guess;
}

/*
 * After a wrong guess a core begins again, and nothing else goes on meanwhile: what it did
 * since the guess is lost, and it did so until the condition was known. Of several in an iteration
 * each begins where the one before was known, so that what they wait for is no more than what the
 * last one does; and what the iteration has to do anyway is done meanwhile. Requires `depth` of
 * measure_iterations.
 */
static enum status guessing_time(const struct machine *m, const double *depth, double *guesses,
                                 double *time_s, struct error *error)
{
	const struct ir_kernel *kernel = m->input->kernel;
	double again =
	        m->occupancy.units * device_value(m->input->device, COEFFICIENT_MISPREDICT, 0);
	double work_s = 0;
	double none = 1; /* the chance that what is known later was guessed right in an iteration */
	struct guess *guess;
	uint32_t count = 0;

	*guesses = *time_s = 0;
	if (!(again > 0))
		return STATUS_OK;
	guess = calloc((size_t)kernel->node_count + 1, sizeof(*guess));
	if (guess == NULL)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for its guesses",
		                 kernel->name);
	for (uint32_t node = 0; node < kernel->node_count; node++)
		if (m->code.wrong_guesses[node] > 0)
			guess[count++] = guess_of(m, node, depth[node]);
	qsort(guess, count, sizeof(*guess), guess_compare);
	for (uint32_t i = 0; i < count; i++) {
		double share = guess[i].wrong / fmax(guess[i].iterations, guess[i].wrong);
		double waited_s;

		if (i == 0 || guess[i].loop != guess[i - 1].loop) {
			none = 1;
			work_s = work_of_iteration(m, guess[i].loop);
		}
		waited_s = fmax(0, guess[i].depth_s - work_s);
		*guesses += guess[i].wrong;
		*time_s += guess[i].wrong * (again + none * waited_s);
		none *= 1 - share;
	}
	free(guess);
	return STATUS_OK;
}

/* Whether a loop's variable goes by what the loop does not change. */
static bool is_counted(const struct ir_kernel *kernel, const struct ir_variable *variable,
                       uint32_t loop)
{
	uint32_t step = kernel_step(kernel, variable), block;

	if (variable->next == IR_NONE || variable->next == variable->node)
		return true;
	if (step == IR_NONE || kernel->nodes[step].op == NODE_LOOP_VAR)
		return false;
	block = kernel->summary->node_block[step];
	return block >= kernel->block_count || kernel->summary->block_loop[block] != loop;
}

/* Marks (by 1) what follows from marked variables of loops, among nodes up to `last`. */
static void mark_following(const struct ir_kernel *kernel, uint32_t last, double *mark)
{
	for (uint32_t id = 0; id <= last; id++) {
		const struct ir_node *n = &kernel->nodes[id];
		uint32_t index = n->op == NODE_LOAD ? kernel->accesses[n->aux].index : IR_NONE;

		for (unsigned i = 0; i < n->operand_count; i++)
			mark[id] = fmax(mark[id], mark[kernel->operands[n->first_operand + i]]);
		if (index != IR_NONE && index < id)
			mark[id] = fmax(mark[id], mark[index]);
		if (n->op == NODE_LOOP_VAR && kernel_variable(kernel, id)->init < id)
			mark[id] = fmax(mark[id], mark[kernel_variable(kernel, id)->init]);
	}
}

/*
 * Whether what one loop hands on from one iteration to the next, counters left out, leads to what
 * the other one hands on. `mark` is per node, written.
 */
static bool leads_to(const struct ir_kernel *kernel, uint32_t from, uint32_t to, double *mark)
{
	const struct ir_loop *loops = kernel->summary->loops;
	const struct ir_statement *one = &kernel->statements[loops[from].statement];
	const struct ir_statement *other = &kernel->statements[loops[to].statement];
	uint32_t last = 0;

	for (uint32_t id = 0; id < kernel->node_count; id++)
		mark[id] = 0;
	for (uint32_t i = 0; i < one->variable_count; i++) {
		const struct ir_variable *variable = &kernel->variables[one->first_variable + i];

		if (!is_counted(kernel, variable, from))
			mark[variable->node] = 1;
	}
	for (uint32_t i = 0; i < other->variable_count; i++) {
		uint32_t next = kernel->variables[other->first_variable + i].next;

		if (next != IR_NONE && next > last)
			last = next;
	}
	mark_following(kernel, last, mark);
	for (uint32_t i = 0; i < other->variable_count; i++) {
		const struct ir_variable *variable = &kernel->variables[other->first_variable + i];

		if (kernel->summary->node_block[variable->node] != IR_NONE &&
		    variable->next != IR_NONE && mark[variable->next] > 0)
			return true;
	}
	return false;
}

/*
 * Whether a loop is no part of what the one around it waits for from one iteration to the next:
 * then those overlap, as work-items do.
 */
static bool begins_anew(const struct machine *m, uint32_t loop, uint32_t around, double *mark)
{
	const struct ir_kernel *kernel = m->input->kernel;

	return !(leads_to(kernel, around, loop, mark) && leads_to(kernel, loop, around, mark));
}

/* What of a loop's waiting is left where iterations of the loop around it overlap. */
static double left_of_overlap(const struct machine *m, uint32_t loop, double items, double *mark)
{
	const struct ir_kernel *kernel = m->input->kernel;
	double window = device_value(m->input->device, COEFFICIENT_WINDOW, 0), overlap;
	uint32_t around = loop_around(kernel, loop);

	while (around != IR_NONE && !begins_anew(m, loop, around, mark)) {
		loop = around;
		around = loop_around(kernel, loop);
	}
	if (around == IR_NONE)
		return 1;
	overlap = 1 + window / fmax(1, operations_of_iteration(m, around));
	return fmin(1, items / overlap);
}

/*
 * Operations of a work-item, in the mean of those that come to an outermost loop; IR_NONE: of all.
 * A counted loop's own increment and comparison are few, since compilers unroll it. of_calls: of
 * them those that calls are made of.
 */
static double operations_of_item(const struct machine *m, uint32_t loop, double *of_calls)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;
	const struct evaluation *e = evaluation_of(m);
	double times = loop == IR_NONE ? 1 : 1 / e->loops[loop].entries, operations = 0;

	*of_calls = 0;
	for (uint32_t b = 0; b < kernel->block_count; b++) {
		double executions = e->blocks[b].executions * (1 - m->code.lanes[b].share);
		double calls = 0;

		if (is_inside(kernel, b, loop))
			executions *= times;
		operations += operations_in(m, b, &calls) * executions;
		*of_calls += calls * executions;
	}
	for (uint32_t i = 0; i < kernel->access_count; i++) {
		uint32_t block = summary->access_block[i];
		bool is_of_loop = block < kernel->block_count && is_inside(kernel, block, loop);

		operations += e->accesses[i].executions * (is_of_loop ? times : 1);
	}
	for (uint32_t i = 0; i < summary->loop_count; i++) {
		uint32_t body = kernel->statements[summary->loops[i].statement].body;

		if (body != IR_NONE && !summary->loops[i].is_unrolled_early &&
		    summary->loops[i].trip != TRIP_DATA && !summary->loops[i].has_early_exit)
			operations -= LOOP_OPERATIONS * e->blocks[body].executions *
			              (is_inside(kernel, body, loop) ? times : 1);
	}
	return operations;
}

/*
 * Work-items that a core has under way at once, since it works ahead beyond the end of one: while
 * that waits, a window of operations behind it is begun.
 */
static double items_overlapped(const struct machine *m, double operations)
{
	return 1 + device_value(m->input->device, COEFFICIENT_WINDOW, 0) / fmax(1, operations);
}

/*
 * The same of those that wait in a loop: where few come to it, each has more operations than the
 * mean, and the window is full of its own.
 */
static double entrants_overlapped(const struct machine *m, uint32_t loop, double operations)
{
	const struct ir_kernel *kernel = m->input->kernel;
	double entries, calls;

	for (uint32_t around; (around = loop_around(kernel, loop)) != IR_NONE;)
		loop = around;
	entries = evaluation_of(m)->loops[loop].entries;
	if (entries > 0 && entries < 1)
		operations = operations_of_item(m, loop, &calls);
	return items_overlapped(m, operations);
}

/*
 * Adds what the iterations of a loop wait to what is behind that one, or behind the outermost that
 * its chain goes through.
 */
static void add_ended(const struct machine *m, uint32_t loop, double waited_s, double *mark,
                      double *ended_s)
{
	const struct evaluation *e = evaluation_of(m);
	uint32_t around;

	while ((around = loop_around(m->input->kernel, loop)) != IR_NONE &&
	       !begins_anew(m, loop, around, mark))
		loop = around;
	if (e->loops[loop].entries > 0)
		ended_s[loop] += waited_s / e->loops[loop].entries;
}

/*
 * A core works ahead wherever it need not wait: what its loops wait for, and its chains outside of
 * them. ended_s: out, per loop: from its begin to its results.
 */
static double waiting_time(const struct machine *m, double operations, double *distance,
                           double *ended_s)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;
	double total = straight_time(m, distance) / items_overlapped(m, operations);

	for (uint32_t i = 0; i < summary->loop_count; i++) {
		const struct ir_statement *s = &kernel->statements[summary->loops[i].statement];

		/* where all work-items take turns, an iteration is over long before the next one */
		if (s->body != IR_NONE && !summary->loops[i].is_closed &&
		    !is_outer_loop(m, summary->loops[i].statement) &&
		    block_mode(m, s->body) == OP_MODE_SCALAR) {
			double items = entrants_overlapped(m, i, operations);
			double left = left_of_overlap(m, i, items, distance);

			double waited_s =
			        recurrence_time(m, &core_steps, &summary->loops[i], distance) *
			        evaluation_of(m)->blocks[s->body].executions *
			        (1 - m->code.lanes[s->body].share);

			add_ended(m, i, waited_s, distance, ended_s);
			total += waited_s * left / items;
		}
	}
	return total;
}

/*
 * Operations that scalar calls of a block are made of, beyond one each: by their time, in
 * additions. Those of a work-item's own vectors are made of vectors.
 */
static double operations_of_calls(const struct machine *m, uint32_t block)
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

double operations_in(const struct machine *m, uint32_t block, double *of_calls)
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

static void count_iterations(const struct machine *m, const double *ended_s,
                             struct iterations *iterations)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_summary *summary = kernel->summary;
	const struct evaluation_block *blocks = evaluation_of(m)->blocks;

	for (uint32_t i = 0; i < summary->loop_count; i++) {
		uint32_t body = kernel->statements[summary->loops[i].statement].body;

		iterations[i].is_scalar = !is_outer_loop(m, summary->loops[i].statement) &&
		                          block_mode(m, body) == OP_MODE_SCALAR &&
		                          !(m->code.lanes[body].share > 0) &&
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
	/* a loop within lies in the window, too, where an iteration waits for its result */
	for (uint32_t i = 0; i < summary->loop_count; i++) {
		uint32_t body = kernel->statements[summary->loops[i].statement].body;
		uint32_t around = loop_around(kernel, i);

		if (around == IR_NONE || !(ended_s[i] > 0) || !iterations[around].is_scalar)
			continue;
		iterations[around].operations +=
		        operations_of_iteration(m, i) * blocks[body].executions /
		        blocks[kernel->statements[summary->loops[around].statement].body]
		                .executions;
	}
}

/* Whether what iterations wait for counts: with calls, or longer than what is under way. */
static bool is_waited_for(const struct iterations *iterations, double window)
{
	return iterations->calls > 0 || (window > 0 && iterations->operations > window);
}

/*
 * What iterations of scalar loops wait for, though none waits for the one before: of those with
 * calls, and of those that are longer than what a core has under way.
 * Requires `depth` of measure_iterations.
 */
static enum status iterations_time(const struct machine *m, const double *ended_s,
                                   const double *depth, double *time_s, struct error *error)
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
	count_iterations(m, ended_s, iterations);
	for (uint32_t node = 0; node < kernel->node_count; node++) {
		uint32_t block = summary->node_block[node];
		uint32_t loop = block == IR_NONE ? IR_NONE : summary->block_loop[block];

		if (loop != IR_NONE)
			iterations[loop].longest_s = fmax(iterations[loop].longest_s, depth[node]);
	}
	for (uint32_t i = 0; i < summary->loop_count; i++) {
		uint32_t body = kernel->statements[summary->loops[i].statement].body;
		uint32_t around = loop_around(kernel, i);
		double waited_s;

		if (!is_waited_for(&iterations[i], window))
			continue;
		waited_s = iterations[i].longest_s / items_overlapped(m, iterations[i].operations) *
		           evaluation_of(m)->blocks[body].executions;
		/* what is longer: these, or the chain that the loop around waits for already */
		if (around != IR_NONE && is_waited_for(&iterations[around], window))
			waited_s -= ended_s[i] * evaluation_of(m)->loops[i].entries /
			            items_overlapped(m, iterations[around].operations);
		*time_s += fmax(0, waited_s);
	}
	free(iterations);
	return STATUS_OK;
}

/*
 * What calls of math functions take was timed where they wait for themselves: so of the waiting
 * only what is longer than they take counts.
 */
static double beyond_calls(const struct terms *t, double waiting_s, double calls_share)
{
	double norm = norm_of(t->machine->input->device), busy_s = t->time_s[BOTTLENECK_ARITHMETIC];
	double beyond_s = 0;

	if (waiting_s > busy_s)
		beyond_s = waiting_s * pow(1 - pow(busy_s / waiting_s, norm), 1 / norm);
	return calls_share * beyond_s + (1 - calls_share) * waiting_s;
}

/* An iteration of a loop, without those of loops within; of what is in none, a work-item. */
static uint32_t loop_stretch(const struct machine *m, uint32_t block)
{
	uint32_t loop = m->input->kernel->summary->block_loop[block];

	return loop == IR_NONE
	               ? m->input->kernel->block_count
	               : m->input->kernel
	                         ->statements[m->input->kernel->summary->loops[loop].statement]
	                         .body;
}

/* As measure_iterations has it. */
static bool is_as_deep(const struct machine *m, uint32_t block, uint32_t operand_block)
{
	const struct ir_summary *summary = m->input->kernel->summary;

	return summary->loop_depth[operand_block] >= summary->loop_depth[block];
}

static double loop_times(const struct machine *m, uint32_t stretch)
{
	return stretch < m->input->kernel->block_count
	               ? evaluation_of(m)->blocks[stretch].executions
	               : 1;
}

/* What lines make a core wait: longest chains, in `depth` of measure_iterations; and begin again.
 */
static void note_lines(const struct terms *t, const double *depth, double turns)
{
	const struct machine *m = t->machine;
	const struct chain_rules rules = {.depth = depth,
	                                  .stretch_of = loop_stretch,
	                                  .follows = is_as_deep,
	                                  .times = loop_times};
	double again_s = turns * device_value(m->input->device, COEFFICIENT_MISPREDICT, 0);

	lines_add_chains(t, &rules);
	for (uint32_t i = 0; t->lines != NULL && i < m->input->kernel->node_count; i++)
		lines_add_node(t, BOTTLENECK_ARITHMETIC, i,
		               m->code.wrong_guesses[i] * again_s * m->occupancy.units);
}

enum status add_core_latency(struct terms *t, struct error *error)
{
	const struct machine *m = t->machine;
	const struct ir_kernel *kernel = m->input->kernel;
	double path, iterations, again = 0, guesses = 0, operations, calls, calls_share;
	double turns = items_of_unit(m);
	enum status status = STATUS_OK;
	double *memory = calloc((size_t)kernel->node_count + kernel->summary->loop_count + 1,
	                        sizeof(*memory));
	double *ended_s = memory + kernel->node_count;

	if (!memory)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory for its chains",
		                 kernel->name);
	operations = operations_of_item(m, IR_NONE, &calls);
	calls_share = fmin(1, calls / fmax(1, operations));
	path = waiting_time(m, operations, memory, ended_s);
	measure_iterations(m, true, ended_s, memory);
	status = iterations_time(m, ended_s, memory, &iterations, error);
	if (status != STATUS_OK)
		goto out;
	measure_iterations(m, false, NULL, memory);
	status = guessing_time(m, memory, &guesses, &again, error);
	if (status != STATUS_OK)
		goto out;
	note_lines(t, memory, turns);
	again *= turns;
	add_waiting(t, beyond_calls(t, fmax(path, iterations) * turns, calls_share), turns);
	term_add(t, BOTTLENECK_ARITHMETIC, again);
	/* nor does what is locked begin before all guesses ahead of it are known to be right */
	if (t->time_s[BOTTLENECK_ATOMIC] > 0)
		term_add(t, BOTTLENECK_ATOMIC, again);
	if (again > 0)
		row_add(t->prediction, guesses, again, "branches guessed wrong");
out:
	free(memory);
	return status;
}
