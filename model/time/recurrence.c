/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recurrences: what an iteration of a loop waits for the one before, by the maximum cycle mean
 * over the loop's variables (Karp, Discrete Mathematics 23, 1978), since a value may travel through
 * several of them before it comes back.
 */
#include <math.h>

#include "model/mechanisms.h"
#include "model/time/recurrence.h"

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
static double inner_variable_time(const struct ir_kernel *kernel, uint32_t node, uint32_t from,
                                  uint32_t last, const double *distance, bool has_ended)
{
	const struct ir_variable *variable = kernel_variable(kernel, node);
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
static void measure_paths(const struct machine *m, const struct recurrence_steps *steps,
                          uint32_t from, uint32_t last, bool has_ended, double *distance)
{
	const struct ir_kernel *kernel = m->input->kernel;
	uint32_t loop = kernel->nodes[from].aux;
	bool has_inner = false;

	for (uint32_t node = from; node <= last; node++) {
		const struct ir_node *n = &kernel->nodes[node];
		uint32_t index = IR_NONE;
		double longest = -1;

		/* a branch's condition is guessed */
		bool is_guessed = m->code.is_branch != NULL && m->code.is_branch[node] &&
		                  n->op != NODE_MIN && n->op != NODE_MAX;

		for (unsigned i = is_guessed; i < n->operand_count; i++) {
			uint32_t operand = kernel->operands[n->first_operand + i];

			if (operand >= from && distance[operand] >= 0)
				longest = fmax(longest, distance[operand] +
				                                steps->operand_latency(m, node, i));
		}
		if (n->op == NODE_LOOP_VAR && n->aux != loop) {
			longest =
			        inner_variable_time(kernel, node, from, last, distance, has_ended);
			has_inner |= longest >= 0;
		}
		if (n->op == NODE_LOAD || n->op == NODE_ATOMIC)
			index = kernel->accesses[n->aux].index;
		if (index != IR_NONE && index >= from && index < node)
			longest = fmax(longest, distance[index]);
		if (longest >= 0)
			longest += index != IR_NONE ? steps->load_latency(m, n->aux)
			                            : steps->node_latency(m, node);
		distance[node] = node == from ? 0 : longest;
	}
	if (has_inner && !has_ended)
		measure_paths(m, steps, from, last, true, distance);
}

/* ---- what goes through arrays --------------------------------------------------------------- */

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
	variable = kernel_variable(kernel, node);
	if (variable->next == IR_NONE)
		return 0;
	next = &kernel->nodes[variable->next];
	return next->op == NODE_ADD && kernel->operands[next->first_operand] == node &&
	                       kernel_constant(kernel, kernel->operands[next->first_operand + 1],
	                                       &step)
	               ? step
	               : 0;
}

/* Whether a store and a load count places of one array in the same way. */
static bool writes_same_array(const struct ir_kernel *kernel, uint32_t store, uint32_t load)
{
	const struct ir_access *to = &kernel->accesses[store], *from = &kernel->accesses[load];

	return to->object == from->object && to->index != IR_NONE && from->index != IR_NONE &&
	       to->scale_bytes == from->scale_bytes && to->scale_bytes != 0;
}

double iterations_apart(const struct ir_kernel *kernel, const struct ir_statement *loop,
                        uint32_t store, uint32_t load)
{
	const struct ir_access *to = &kernel->accesses[store], *from = &kernel->accesses[load];
	int64_t written, read, step;
	uint32_t base = base_of(kernel, to->index, &written);
	double apart;

	if (base_of(kernel, from->index, &read) != base)
		return 0;
	step = step_of(kernel, loop, base);
	if (step == 0)
		return 0;
	apart = (double)(written - read) / (double)step +
	        (double)(to->offset_bytes - from->offset_bytes) /
	                ((double)to->scale_bytes * (double)step);
	return apart > 0 && apart <= (double)APART_MAX ? apart : 0;
}

/* What an iteration waits for values that went through an array. */
static double array_time(const struct machine *m, const struct recurrence_steps *steps,
                         const struct ir_loop *of, double *distance)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_statement *loop = &kernel->statements[of->statement];
	double mean = 0;
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
			double apart, forward_s;

			if (kernel->statements[t].kind != STATEMENT_ACCESS ||
			    kernel->accesses[load].kind != ACCESS_LOAD ||
			    kernel->accesses[load].result == IR_NONE ||
			    kernel->accesses[load].result > value)
				continue;
			if (!writes_same_array(kernel, store, load) ||
			    !steps->is_forwarded(m, loop, store, load, &apart, &forward_s))
				continue;
			looked++;
			measure_paths(m, steps, kernel->accesses[load].result, value, false,
			              distance);
			if (distance[value] >= 0)
				mean = fmax(mean, (distance[value] + forward_s) / apart);
		}
	}
	return mean;
}

double recurrence_time(const struct machine *m, const struct recurrence_steps *steps,
                       const struct ir_loop *of, double *distance)
{
	const struct ir_kernel *kernel = m->input->kernel;
	const struct ir_statement *loop = &kernel->statements[of->statement];
	const struct ir_variable *variables = &kernel->variables[loop->first_variable];
	unsigned count =
	        loop->variable_count < RECURRENCE_MAX ? loop->variable_count : RECURRENCE_MAX;
	double edge[RECURRENCE_MAX][RECURRENCE_MAX], walk[RECURRENCE_MAX + 1][RECURRENCE_MAX];
	double mean = 0;

	if (!mechanism(MECHANISM_RECURRENCE))
		return 0;
	mean = array_time(m, steps, of, distance);
	for (unsigned v = 0; v < count; v++) {
		uint32_t last = variables[v].node;

		for (unsigned w = 0; w < count; w++)
			if (variables[w].next != IR_NONE && variables[w].next > last)
				last = variables[w].next;
		measure_paths(m, steps, variables[v].node, last, false, distance);
		for (unsigned w = 0; w < count; w++) {
			uint32_t next = variables[w].next;

			edge[v][w] =
			        next != IR_NONE && next >= variables[v].node ? distance[next] : -1;
			if (edge[v][w] >= 0 && next != variables[w].node)
				edge[v][w] += steps->variable_latency(m, loop->first_variable + w);
			/* what counts a loop that is unrolled is a constant in each iteration */
			if (loop_is_unrolled(m, of) && v == w &&
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
