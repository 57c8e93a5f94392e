/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What bounds a loop that data may end: a condition that the launch decides and that stands in its
 * body (`for (; at > 0 && kept[at - 1] < score; at--)`, which is a branch that leaves), or how far
 * a variable of a loop around it, which counts what data choose, has got half way.
 */
#include <math.h>

#include "model/evaluate/lanes.h"

enum {
	BOUND_STEPS = 64, /* iterations that are asked one by one: one alone may be the last */
	BOUND_MOST = 1 << 20,
	PARTS_DEPTH_MAX = 8 /* of a condition */
};

enum way { WAY_ON, WAY_NEXT, WAY_SCOPE, WAY_OUT };

/* The way of one lane through a block where data let it go on; *target: of WAY_SCOPE. */
static enum way follow(const struct evaluator *evaluator, uint32_t loop, uint32_t block,
                       unsigned lane, uint32_t *target)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	enum way way = WAY_ON;

	if (block == IR_NONE)
		return WAY_ON;
	for (uint32_t i = kernel->blocks[block].first; i != IR_NONE && way == WAY_ON;
	     i = kernel->statements[i].following) {
		const struct ir_statement *s = &kernel->statements[i];

		switch (s->kind) {
		case STATEMENT_BRANCH:
			/* what depends on loops within is of another iteration of them */
			if (lanes_has(evaluator, s->condition) &&
			    evaluator->list[s->condition] <= list_of(evaluator, loop) &&
			    lanes_known(evaluator, s->condition)[lane] >= LANES_CHANCE)
				way = follow(evaluator, loop,
				             lanes_value(evaluator, s->condition)[lane]
				                     ? s->body
				                     : s->otherwise,
				             lane, target);
			break;
		case STATEMENT_SCOPE:
			way = follow(evaluator, loop, s->body, lane, target);
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
static bool fails(const struct evaluator *evaluator, uint32_t condition, unsigned lane,
                  unsigned depth)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	const struct ir_node *n = &kernel->nodes[condition];
	const uint32_t *operands = kernel_operands(kernel, condition);
	int64_t none;

	if (lanes_has(evaluator, condition) &&
	    lanes_known(evaluator, condition)[lane] >= LANES_CHANCE)
		return lanes_value(evaluator, condition)[lane] == 0;
	if (depth >= PARTS_DEPTH_MAX ||
	    (n->op != NODE_AND &&
	     (n->op != NODE_PHI || !kernel_constant(kernel, operands[2], &none) || none != 0)))
		return false;
	return fails(evaluator, operands[0], lane, depth + 1) ||
	       fails(evaluator, operands[1], lane, depth + 1);
}

/* Whether a lane leaves the loop at the iteration that its variables stand at. */
static bool leaves(const struct evaluator *evaluator, uint32_t loop, unsigned lane)
{
	const struct ir_statement *s = &evaluator->kernel->statements[loop];
	uint32_t target = IR_NONE;
	enum way way;

	if (s->condition != IR_NONE && !s->tests_last && fails(evaluator, s->condition, lane, 0))
		return true;
	way = follow(evaluator, loop, s->body, lane, &target);
	return way == WAY_OUT || way == WAY_SCOPE;
}

static void go(struct evaluator *evaluator, uint32_t loop, const uint64_t *at)
{
	uint32_t list = list_of(evaluator, loop);

	loop_set(evaluator, &evaluator->kernel->statements[loop], at);
	for (uint32_t i = 0; i < evaluator->loops[list].count; i++)
		lanes_run_node(evaluator, evaluator->order[evaluator->loops[list].first + i]);
	evaluator->drawn += (uint64_t)evaluator->loops[list].count * evaluator->lanes;
}

/* Settles lanes that are open by what they do at `at`; how many there are, and left. */
static unsigned ask(struct evaluator *evaluator, uint32_t loop, const uint64_t *at, uint64_t *low,
                    uint64_t *trips)
{
	unsigned left = 0;

	go(evaluator, loop, at);
	for (unsigned lane = 0; lane < evaluator->lanes; lane++) {
		if (low[lane] >= trips[lane])
			continue;
		if (leaves(evaluator, loop, lane))
			trips[lane] = at[lane];
		else
			low[lane] = at[lane] + 1;
		left += trips[lane] == UINT64_MAX;
	}
	return left;
}

bool bound_trips(struct evaluator *evaluator, uint32_t loop, const float *weight, uint64_t *trips,
                 uint64_t *at)
{
	struct evaluator_loop *l = &evaluator->loops[list_of(evaluator, loop)];
	uint64_t *low = at + evaluator->lanes, step = 0;
	unsigned left;

	if (l->is_boundless || evaluator->drawn > evaluator->draws_max)
		return false;
	for (unsigned lane = 0; lane < evaluator->lanes; lane++)
		low[lane] = weight[lane] > 0 && trips[lane] == UINT64_MAX ? 0 : UINT64_MAX;
	do {
		for (unsigned lane = 0; lane < evaluator->lanes; lane++)
			at[lane] = step;
		left = ask(evaluator, loop, at, low, trips);
		step = step < BOUND_STEPS ? step + 1 : step * 2;
	} while (left > 0 && step < BOUND_MOST);
	l->is_boundless = left > 0;
	if (left > 0)
		for (unsigned lane = 0; lane < evaluator->lanes; lane++)
			if (low[lane] != UINT64_MAX)
				trips[lane] = UINT64_MAX;
	for (bool is_open = left == 0; is_open;) {
		is_open = false;
		for (unsigned lane = 0; lane < evaluator->lanes; lane++)
			if (low[lane] < trips[lane]) {
				at[lane] = low[lane] + (trips[lane] - low[lane]) / 2;
				is_open = true;
			}
		if (is_open)
			ask(evaluator, loop, at, low, trips);
	}
	return left == 0;
}

/* How far a variable of a loop around has got half way of that loop; false: nobody knows. */
static bool half_way(const struct evaluator *evaluator, const struct ir_variable *variable,
                     uint32_t list, unsigned lane, double *value)
{
	double advance = variable_advance(evaluator, variable);

	if (!(advance > 0) || !lanes_has(evaluator, variable->init) ||
	    lanes_known(evaluator, variable->init)[lane] < LANES_CHANCE)
		return false;
	*value = (double)lanes_value(evaluator, variable->init)[lane] +
	         advance * fmax(evaluator->loops[list].most - 1, 0) / 2;
	return true;
}

bool bound_counters(struct evaluator *evaluator, uint32_t loop, bool is_set)
{
	const struct ir_kernel *kernel = evaluator->kernel;
	bool is_any = false;
	uint32_t list = list_around(evaluator, kernel->statements[loop].block);

	for (; list != 0; list = evaluator->result->loops[list - 1].parent == IR_NONE
	                                 ? 0
	                                 : evaluator->result->loops[list - 1].parent + 1) {
		const struct ir_statement *s =
		        &kernel->statements[evaluator->summary->loops[list - 1].statement];

		for (uint32_t i = 0; i < s->variable_count; i++) {
			const struct ir_variable *v = &kernel->variables[s->first_variable + i];
			uint32_t step;

			if (!lanes_has(evaluator, v->node) ||
			    variable_step(evaluator, v, &step) != 0)
				continue;
			for (unsigned lane = 0; lane < evaluator->lanes; lane++) {
				uint8_t *known = &lanes_known(evaluator, v->node)[lane];
				double value;

				if (!is_set && *known == LANES_COUNTED) {
					*known = 0;
				} else if (is_set && *known == 0 &&
				           half_way(evaluator, v, list, lane, &value)) {
					lanes_value(evaluator, v->node)[lane] = llround(value);
					*known = LANES_COUNTED;
					is_any = true;
				}
			}
		}
	}
	return is_any;
}
