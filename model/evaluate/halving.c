/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a bisection reads: first in the middle of all, then in one of two quarters, and so on: the
 * n-th step goes to one of 2^n places, of which the first are near whatever comes between, since
 * all work-items read them (the levels of a search tree; Knuth, The Art of Computer Programming 3,
 * 6.2.1). The last steps stay within one line.
 */
#include <math.h>

#include "model/evaluate/access.h"
#include "model/mechanisms.h"

enum { HALVINGS_MAX = 48 };

static bool is_half(const struct ir_kernel *kernel, uint32_t node, uint32_t *of)
{
	const struct ir_node *n = &kernel->nodes[node];
	int64_t by;

	if ((n->op != NODE_DIV && n->op != NODE_SHR) ||
	    !kernel_constant(kernel, kernel_operands(kernel, node)[1], &by) ||
	    by != (n->op == NODE_DIV ? 2 : 1))
		return false;
	*of = kernel_unconverted(kernel, *kernel_operands(kernel, node));
	return true;
}

/* (low + high) / 2, or low + (high - low) / 2. */
static bool is_middle(const struct ir_kernel *kernel, uint32_t node, uint32_t ends[2])
{
	const uint32_t *operands;
	uint32_t inner;

	if (is_half(kernel, node, &inner)) {
		operands = kernel_operands(kernel, inner);
		ends[0] = kernel->nodes[inner].op == NODE_ADD
		                  ? kernel_unconverted(kernel, operands[0])
		                  : IR_NONE;
		ends[1] = kernel->nodes[inner].op == NODE_ADD
		                  ? kernel_unconverted(kernel, operands[1])
		                  : IR_NONE;
		return kernel->nodes[inner].op == NODE_ADD;
	}
	operands = kernel_operands(kernel, node);
	for (unsigned i = 0; kernel->nodes[node].op == NODE_ADD && i < 2; i++) {
		if (!is_half(kernel, kernel_unconverted(kernel, operands[i]), &inner) ||
		    kernel->nodes[inner].op != NODE_SUB)
			continue;
		ends[0] = kernel_unconverted(kernel, kernel_operands(kernel, inner)[1]);
		ends[1] = kernel_unconverted(kernel, kernel_operands(kernel, inner)[0]);
		return ends[0] == kernel_unconverted(kernel, operands[1 - i]);
	}
	return false;
}

/* A variable of a loop that one way of a choice leaves as it is; NULL: it is none. */
static const struct ir_variable *end_of(const struct ir_kernel *kernel, uint32_t node)
{
	const struct ir_node *n = node == IR_NONE ? NULL : &kernel->nodes[node], *next;
	const struct ir_variable *v;

	if (n == NULL || n->op != NODE_LOOP_VAR || n->aux >= kernel->statement_count)
		return NULL;
	v = kernel_variable(kernel, node);
	next = v->next == IR_NONE ? NULL : &kernel->nodes[v->next];
	if (next == NULL || (next->op != NODE_PHI && next->op != NODE_SELECT) ||
	    (kernel->operands[next->first_operand + 1] != node &&
	     kernel->operands[next->first_operand + 2] != node))
		return NULL;
	return v;
}

/* Intervals that a bisection may begin with: one for all, or a row each; 0: nobody knows. */
static double beginnings(const struct schedule *schedule, const struct ir_variable *end)
{
	const struct ir_node *init =
	        &schedule->kernel->nodes[kernel_unconverted(schedule->kernel, end->init)];

	if (!(schedule->flags[end->init] & SCHEDULE_VARIES))
		return 1;
	return init->op == NODE_LOAD &&
	                       rows_has(schedule->rows, &schedule->kernel->accesses[init->aux])
	               ? schedule->rows->count
	               : 0;
}

double halving_places(const struct evaluation_access *access, double executions, double all)
{
	double each = executions / fmax(1, access->halvings), places = access->halved, sum = 0;

	for (unsigned step = 0; step < HALVINGS_MAX && step < access->halvings && places < all;
	     step++, places *= 2)
		sum += places * -expm1(-each / places);
	/* what is left of the steps goes on in the line of the first of them */
	return fmin(sum, all) + fmax(0, all - fmin(sum, all)) * -expm1(-each / all);
}

double halving_width(const struct evaluation_access *access, double lanes, double all)
{
	double places = access->halved, sum = 0;
	unsigned steps = 0;

	for (; steps < HALVINGS_MAX && steps < access->halvings && places < all;
	     steps++, places *= 2)
		sum += places * -expm1(-lanes / places);
	sum += fmax(0, access->halvings - steps) * all * -expm1(-lanes / all);
	return fmax(1, sum / access->halvings);
}

void halving_find(const struct schedule *schedule, struct evaluation *result, uint32_t access)
{
	const struct ir_kernel *kernel = schedule->kernel;
	const struct ir_access *a = &kernel->accesses[access];
	const struct ir_variable *low, *high;
	struct evaluation_access *found = &result->accesses[access];
	uint32_t ends[2], loop;
	double begins, trips;

	if (!mechanism(MECHANISM_BISECTION) || a->kind != ACCESS_LOAD || a->index == IR_NONE ||
	    !is_middle(kernel, kernel_unconverted(kernel, a->index), ends))
		return;
	low = end_of(kernel, ends[0]);
	high = end_of(kernel, ends[1]);
	loop = low ? kernel->nodes[low->node].aux : IR_NONE;
	if (!low || !high || low == high || kernel->nodes[high->node].aux != loop)
		return;
	trips = result->loops[list_of(schedule->kernel, loop) - 1].trips;
	begins = fmax(beginnings(schedule, low), beginnings(schedule, high));
	if (!(trips >= 2) || !(begins > 0))
		return;
	found->halvings = trips;
	found->halved = begins;
}
