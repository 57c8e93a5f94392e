/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What bounds a loop that data may end: a condition that the launch decides and that stands in its
 * body (`for (; at > 0 && kept[at - 1] < score; at--)`, which is a branch that leaves), or how far
 * a variable of a loop around it, which counts what data choose, has got half way.
 */
#include "model/evaluate/bound.h"

#include <math.h>

#include "model/evaluate/variables.h"

enum {
	BOUND_STEPS = 64, /* iterations that are asked one by one: one alone may be the last */
	BOUND_MOST = 1 << 20,
	PARTS_DEPTH_MAX = 8 /* of a condition */
};

enum way { WAY_ON, WAY_NEXT, WAY_SCOPE, WAY_OUT };

/* The way of one lane through a block where data let it go on; *target: of WAY_SCOPE. */
static enum way follow(const struct lanes *lanes, uint32_t loop, uint32_t block, unsigned lane,
                       uint32_t *target)
{
	const struct ir_kernel *kernel = lanes->kernel;
	enum way way = WAY_ON;

	if (block == IR_NONE)
		return WAY_ON;
	for (uint32_t i = kernel->blocks[block].first; i != IR_NONE && way == WAY_ON;
	     i = kernel->statements[i].following) {
		const struct ir_statement *s = &kernel->statements[i];

		switch (s->kind) {
		case STATEMENT_BRANCH:
			/* what depends on loops within is of another iteration of them */
			if (lanes_has(lanes, s->condition) &&
			    lanes->schedule->list[s->condition] <= list_of(lanes->kernel, loop) &&
			    lanes_known(lanes, s->condition)[lane] >= NUMBER_CHANCE)
				way = follow(lanes, loop,
				             lanes_value(lanes, s->condition)[lane] ? s->body
				                                                    : s->otherwise,
				             lane, target);
			break;
		case STATEMENT_SCOPE:
			way = follow(lanes, loop, s->body, lane, target);
			if (way == WAY_SCOPE && *target == i)
				way = WAY_ON;
			break;
		case STATEMENT_NEXT:
			way = s->target == loop ? WAY_NEXT : WAY_OUT;
			break;
		case STATEMENT_EXIT:
			*target = s->target;
			way = s->target == loop || s->target == IR_NONE ? WAY_OUT : WAY_SCOPE;
			break;
		default:
			break;
		}
	}
	return way;
}

/* Whether a condition fails in a lane, whatever data say of other parts of it. */
static bool fails(const struct lanes *lanes, uint32_t condition, unsigned lane, unsigned depth)
{
	const struct ir_kernel *kernel = lanes->kernel;
	const struct ir_node *n = &kernel->nodes[condition];
	const uint32_t *operands = kernel_operands(kernel, condition);
	int64_t none;

	if (lanes_has(lanes, condition) && lanes_known(lanes, condition)[lane] >= NUMBER_CHANCE)
		return lanes_value(lanes, condition)[lane] == 0;
	if (depth >= PARTS_DEPTH_MAX ||
	    (n->op != NODE_AND &&
	     (n->op != NODE_PHI || !kernel_constant(kernel, operands[2], &none) || none != 0)))
		return false;
	return fails(lanes, operands[0], lane, depth + 1) ||
	       fails(lanes, operands[1], lane, depth + 1);
}

/* Whether a lane leaves the loop at the iteration that its variables stand at. */
static bool leaves(const struct lanes *lanes, uint32_t loop, unsigned lane)
{
	const struct ir_statement *s = &lanes->kernel->statements[loop];
	uint32_t target = IR_NONE;
	enum way way;

	if (s->condition != IR_NONE && !s->tests_last && fails(lanes, s->condition, lane, 0))
		return true;
	way = follow(lanes, loop, s->body, lane, &target);
	return way == WAY_OUT || way == WAY_SCOPE;
}

static void go(struct lanes *lanes, const struct loop_tally *tally, uint32_t loop,
               const uint64_t *at)
{
	const struct schedule_list *list = &lanes->schedule->lists[list_of(lanes->kernel, loop)];

	loop_set(lanes, &lanes->kernel->statements[loop], at, tally->takes_advance);
	for (uint32_t i = 0; i < list->count; i++)
		lanes_run_node(lanes, lanes->schedule->order[list->first + i]);
	lanes->budget->drawn += (uint64_t)list->count * lanes->count;
}

/* Settles lanes that are open by what they do at `at`; how many there are, and left. */
static unsigned ask(struct lanes *lanes, const struct loop_tally *tally, uint32_t loop,
                    const uint64_t *at, uint64_t *low, uint64_t *trips)
{
	unsigned left = 0;

	go(lanes, tally, loop, at);
	for (unsigned lane = 0; lane < lanes->count; lane++) {
		if (low[lane] >= trips[lane])
			continue;
		if (leaves(lanes, loop, lane))
			trips[lane] = at[lane];
		else
			low[lane] = at[lane] + 1;
		left += trips[lane] == UINT64_MAX;
	}
	return left;
}

bool bound_trips(struct lanes *lanes, struct loop_tally *tally, uint32_t loop, const float *weight,
                 uint64_t *trips, uint64_t *at)
{
	uint64_t *low = at + lanes->count, step = 0;
	unsigned left;

	if (tally->is_boundless || lanes->budget->drawn > lanes->budget->draws_max)
		return false;
	for (unsigned lane = 0; lane < lanes->count; lane++)
		low[lane] = weight[lane] > 0 && trips[lane] == UINT64_MAX ? 0 : UINT64_MAX;
	do {
		for (unsigned lane = 0; lane < lanes->count; lane++)
			at[lane] = step;
		left = ask(lanes, tally, loop, at, low, trips);
		step = step < BOUND_STEPS ? step + 1 : step * 2;
	} while (left > 0 && step < BOUND_MOST);
	tally->is_boundless = left > 0;
	if (left > 0)
		for (unsigned lane = 0; lane < lanes->count; lane++)
			if (low[lane] != UINT64_MAX)
				trips[lane] = UINT64_MAX;
	for (bool is_open = left == 0; is_open;) {
		is_open = false;
		for (unsigned lane = 0; lane < lanes->count; lane++)
			if (low[lane] < trips[lane]) {
				at[lane] = low[lane] + (trips[lane] - low[lane]) / 2;
				is_open = true;
			}
		if (is_open)
			ask(lanes, tally, loop, at, low, trips);
	}
	return left == 0;
}

/* How far a variable of a loop around has got half way of that loop; false: nobody knows. */
static bool half_way(const struct lanes *lanes, const struct loop_tally *tally,
                     const struct ir_variable *variable, unsigned lane, double *value)
{
	double advance = variable_advance(lanes->schedule, variable);

	if (!(advance > 0) || !lanes_has(lanes, variable->init) ||
	    lanes_known(lanes, variable->init)[lane] < NUMBER_CHANCE)
		return false;
	*value = (double)lanes_value(lanes, variable->init)[lane] +
	         advance * fmax(tally->most - 1, 0) / 2;
	return true;
}

bool bound_counters(struct lanes *lanes, const struct loop_tally *tallies, uint32_t loop,
                    bool is_set)
{
	const struct ir_kernel *kernel = lanes->kernel;
	bool is_any = false;
	uint32_t list = list_around(kernel, kernel->statements[loop].block);

	for (; list != 0; list = list_outside(kernel, list)) {
		const struct ir_statement *s = &kernel->statements[list_loop(kernel, list)];

		for (uint32_t i = 0; i < s->variable_count; i++) {
			const struct ir_variable *v = &kernel->variables[s->first_variable + i];
			uint32_t step;

			if (!lanes_has(lanes, v->node) ||
			    variable_step(lanes->schedule, v, &step) != 0)
				continue;
			for (unsigned lane = 0; lane < lanes->count; lane++) {
				uint8_t *known = &lanes_known_slot(lanes, v->node)[lane];
				double value;

				if (!is_set && *known == NUMBER_COUNTED) {
					*known = 0;
				} else if (is_set && *known == 0 &&
				           half_way(lanes, &tallies[list], v, lane, &value)) {
					lanes_value_slot(lanes, v->node)[lane] = llround(value);
					*known = NUMBER_COUNTED;
					is_any = true;
				}
			}
		}
	}
	return is_any;
}
