/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trips of a loop that takes back what the loop around it puts on: `while (top > 0 && ...) top--;`
 * in a loop that pushes. Whatever data say, no more is taken than was put on, so that over all
 * entries of the loop as many are taken as the loop around adds in an iteration (amortised:
 * Tarjan, SIAM J. Algebraic Discrete Methods 6, 1985); and nearly all of it where stacks stay low.
 * How many an entry takes is spread as Poisson's distribution of that mean is: none and one are as
 * frequent, where one is put on in each iteration. Where data choose whether an iteration takes one
 * (`if (used == lot) lots--; else ...`), every other does.
 */
#include "model/evaluate/amortised.h"

#include <math.h>

#include "model/evaluate/number.h"
#include "model/mechanisms.h"

enum {
	POPS_DEPTH_MAX = 8,
	POPS_MOST = 64,
	SPREAD = 13 /* a prime: lanes beside each other do not take as many */
};

/* What a variable is compared with, and how its ways are joined where data choose between them. */
struct gain {
	uint32_t base, other; /* nodes that are no further than it; IR_NONE: there is but one */
	bool is_mean;         /* each way as often; else the one that goes furthest */
	bool *meets;          /* set where a way begins with the base; NULL: nobody asks */
};

/* How much further in a direction (1 or -1) a node is than the base; false: that does not follow.
 */
static bool gain_over(const struct schedule *schedule, struct gain over, uint32_t node,
                      int direction, unsigned depth, double *gain)
{
	const struct ir_kernel *kernel = schedule->kernel;
	const struct ir_node *n = &kernel->nodes[node];
	const uint32_t *operands = kernel_operands(kernel, node);
	double other;
	int64_t by;

	*gain = 0;
	if (node == over.base && over.meets)
		*over.meets = true;
	if (node == over.base || node == over.other)
		return true;
	if (depth >= POPS_DEPTH_MAX || !type_is_integer(n->type) || n->type.width != 1 ||
	    !question_looks(schedule->question))
		return false;
	switch (n->op) {
	case NODE_ADD:
	case NODE_SUB:
		for (unsigned i = 0; i < 2; i++) {
			if (!kernel_constant(kernel, operands[1 - i], &by) ||
			    (n->op == NODE_SUB && i == 1) ||
			    !gain_over(schedule, over, operands[i], direction, depth + 1, gain))
				continue;
			by = number_wrap((struct type){.scalar = SCALAR_INT, .width = 1}, by);
			*gain += direction * (n->op == NODE_SUB ? -(double)by : (double)by);
			return true;
		}
		return false;
	case NODE_PHI:
	case NODE_SELECT:
		if (!gain_over(schedule, over, operands[1], direction, depth + 1, gain) ||
		    !gain_over(schedule, over, operands[2], direction, depth + 1, &other))
			return false;
		*gain = over.is_mean ? (*gain + other) / 2 : fmax(*gain, other);
		return true;
	case NODE_CONVERT:
		return gain_over(schedule, over, operands[0], direction, depth + 1, gain);
	default:
		return false;
	}
}

/* What is taken in the mean by a loop whose variable starts from one of the loop around; 0: none */
static double pops_of(const struct schedule *schedule, const struct ir_variable *inner,
                      const struct ir_variable *outer)
{
	/* an iteration around it that does not come to the loop goes on from its own variable */
	const struct gain since_start = {.base = outer->node, .other = IR_NONE};
	bool goes_on = false; /* from where the loop has left it */
	const struct gain since_end = {
	        .base = inner->node, .other = outer->node, .meets = &goes_on};
	const struct gain each = {.base = inner->node, .other = IR_NONE, .is_mean = true};
	double taken, added, started;

	if (inner->next == IR_NONE || outer->next == IR_NONE)
		return 0;
	for (int direction = -1; direction <= 1; direction += 2)
		if (gain_over(schedule, since_start, inner->init, direction, 0, &started) &&
		    gain_over(schedule, each, inner->next, direction, 0, &taken) &&
		    gain_over(schedule, since_end, outer->next, direction, 0, &added) && goes_on &&
		    taken < 0 && added + started > 0)
			return (added + started) / -taken;
	return 0;
}

bool pops_has(const struct schedule *schedule, const struct ir_variable *variable)
{
	const struct ir_kernel *kernel = schedule->kernel;

	for (uint32_t list = 1; list <= kernel->summary->loop_count; list++) {
		const struct ir_statement *s = &kernel->statements[list_loop(kernel, list)];

		if (list_outside(kernel, list) != schedule->list[variable->node])
			continue;
		for (uint32_t k = 0; k < s->variable_count; k++)
			if (pops_of(schedule, &kernel->variables[s->first_variable + k], variable) >
			    0)
				return true;
	}
	return false;
}

/* The number below which a share of all lie that are spread as Poisson has it. */
static unsigned poisson_at(double mean, double share)
{
	double chance = exp(-mean), sum = chance;
	unsigned number = 0;

	while (sum < share && number < POPS_MOST) {
		chance *= mean / ++number;
		sum += chance;
	}
	return number;
}

bool pops_trips(const struct schedule *schedule, const struct loop_facts *facts,
                const struct warps *sampled, uint32_t statement, uint64_t *trips)
{
	const struct ir_kernel *kernel = schedule->kernel;
	const struct ir_statement *s = &kernel->statements[statement], *around;
	uint32_t list = list_of(kernel, statement);
	uint32_t outside = list_outside(kernel, list);
	unsigned last = s->tests_last || facts[list].exits > 0; /* takes none */
	double pops = 0;

	if (outside == 0 || !mechanism(MECHANISM_AMORTISED))
		return false;
	around = &kernel->statements[list_loop(kernel, outside)];
	for (uint32_t i = 0; i < s->variable_count; i++)
		for (uint32_t k = 0; k < around->variable_count && !(pops > 0); k++)
			pops = pops_of(schedule, &kernel->variables[s->first_variable + i],
			               &kernel->variables[around->first_variable + k]);
	if (!(pops > 0))
		return false;
	for (unsigned lane = 0; lane < sampled->lanes; lane++) {
		unsigned lanes = sampled->warp_items;
		double share = (lane * SPREAD % lanes + 0.5) / lanes;

		trips[lane] = last + poisson_at(pops, share);
	}
	return true;
}
