/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trips of a loop by closed form.
 *
 * Where the variables of a condition advance by invariant steps, any iteration
 * can be evaluated directly: the trip count is guessed from the first two
 * iterations, proved at the last two, and searched for by doubling where the
 * guess fails.
 */
#include <string.h>

#include "model/evaluate/loop.h"
#include "model/evaluate/variables.h"

enum { DOUBLINGS = 40 }; /* trips beyond are not told apart from infinity */

static bool is_settled(const struct loop_run *run, uint8_t known)
{
	return known == NUMBER_KNOWN || (known >= NUMBER_CHANCE && run->takes_chance);
}

void loop_read_condition(struct loop_run *run)
{
	const struct lanes *lanes = run->lanes;
	uint32_t condition = run->condition;
	const int64_t *v;
	const uint8_t *k;

	if (condition == IR_NONE) {
		memset(run->answer, LOOP_GOES_ON, lanes->count);
		return;
	}
	if (!lanes_has(lanes, condition)) {
		memset(run->answer, LOOP_UNKNOWN, lanes->count);
		run->has_unknown = true;
		return;
	}
	v = lanes_value(lanes, condition);
	k = lanes_known(lanes, condition);
	for (unsigned lane = 0; lane < lanes->count; lane++) {
		run->answer[lane] = !is_settled(run, k[lane])       ? LOOP_UNKNOWN
		                    : (v[lane] != 0) != run->is_led ? LOOP_GOES_ON
		                                                    : LOOP_ENDS;
		if (run->answer[lane] == LOOP_UNKNOWN && run->weight[lane] > 0)
			run->has_unknown = true;
	}
}

static void ask(struct loop_run *run, const uint64_t *at)
{
	const struct schedule_list *list = &run->lanes->schedule->lists[run->list];

	loop_go(run, at);
	lanes_run(run->lanes, run->list, run->is_led ? list->count : list->condition_count);
	loop_read_condition(run);
}

void loop_go(struct loop_run *run, const uint64_t *at)
{
	loop_set(run->lanes, run->statement, at, run->tally->takes_advance);
}

void loop_run_list(struct loop_run *run)
{
	lanes_run(run->lanes, run->list, run->lanes->schedule->lists[run->list].count);
}

void loop_restart(struct loop_run *run)
{
	memset(run->at, 0, run->lanes->count * sizeof(*run->at));
	loop_go(run, run->at);
	loop_run_list(run);
}

bool loop_lane_matters(const struct loop_run *run, unsigned lane)
{
	return run->weight[lane] > 0;
}

static bool is_comparison(unsigned op)
{
	return op == NODE_LT || op == NODE_LE || op == NODE_NE;
}

/*
 * The comparison under conversions and tests against zero, or a number that counts to zero
 * (`while (n--)`); IR_NONE: something else.
 */
static uint32_t find_comparison(const struct ir_kernel *kernel, uint32_t node)
{
	for (unsigned depth = 0; node != IR_NONE && depth < 8; depth++) {
		const struct ir_node *n = &kernel->nodes[node];
		const uint32_t *operands = kernel->operands + n->first_operand;
		int64_t zero;

		if (n->op == NODE_NE && kernel_constant(kernel, operands[1], &zero) && zero == 0) {
			if (!is_comparison(kernel->nodes[operands[0]].op))
				return node;
			node = operands[0];
		} else if (is_comparison(n->op) || n->op == NODE_LOOP_VAR || n->op == NODE_ADD ||
		           n->op == NODE_SUB) {
			return node;
		} else if (n->op == NODE_CONVERT || n->op == NODE_BITCAST) {
			node = operands[0];
		} else {
			return IR_NONE;
		}
	}
	return IR_NONE;
}

static bool settled_value(const struct loop_run *run, uint32_t node, unsigned lane, int64_t *value)
{
	const struct lanes *lanes = run->lanes;

	if (!lanes_has(lanes, node) || !is_settled(run, lanes_known(lanes, node)[lane]))
		return false;
	*value = lanes_value(lanes, node)[lane];
	return true;
}

/* left - right of the comparison for a lane; false where unknown or out of range. */
static bool difference(const struct loop_run *run, uint32_t comparison, unsigned lane,
                       int64_t *result)
{
	const struct ir_kernel *kernel = run->lanes->kernel;
	const struct ir_node *n = &kernel->nodes[comparison];
	const uint32_t *operands = kernel->operands + n->first_operand;
	int64_t left, right;

	if (!is_comparison(n->op))
		return settled_value(run, comparison, lane, result);
	return settled_value(run, operands[0], lane, &left) &&
	       settled_value(run, operands[1], lane, &right) &&
	       !__builtin_sub_overflow(left, right, result);
}

/* First iteration that ends, if the difference goes from d0 by `step` each time; 0: no guess. */
static uint64_t guess_trips(unsigned op, int64_t d0, int64_t step)
{
	uint64_t distance, stride;

	if (op != NODE_LT && op != NODE_LE) {
		if (step == 0 || (d0 < 0) == (step < 0))
			return 0;
		distance = d0 < 0 ? 0 - (uint64_t)d0 : (uint64_t)d0;
		stride = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
		return distance % stride == 0 ? distance / stride : 0;
	}
	if (step <= 0 || d0 > 0)
		return 0;
	distance = 0 - (uint64_t)d0;
	stride = (uint64_t)step;
	return op == NODE_LT ? distance / stride + (distance % stride != 0) : distance / stride + 1;
}

/*
 * Sets trips[] to the first iteration whose condition fails; returns lanes left
 * without one. `first` is the array of zeros' answer.
 */
static bool try_guess(struct loop_run *run, int64_t *d0)
{
	const struct lanes *lanes = run->lanes;
	const struct ir_kernel *kernel = lanes->kernel;
	uint32_t comparison = find_comparison(kernel, run->condition);
	uint32_t compared = comparison;
	bool is_proved = true;

	if (comparison == IR_NONE || run->is_led)
		return false;
	if (is_comparison(kernel->nodes[comparison].op))
		compared = kernel->operands[kernel->nodes[comparison].first_operand];
	if (type_is_real(kernel->nodes[compared].type))
		return false;
	for (unsigned lane = 0; lane < lanes->count; lane++)
		if (loop_lane_matters(run, lane) && !difference(run, comparison, lane, &d0[lane]))
			return false;
	for (unsigned lane = 0; lane < lanes->count; lane++)
		run->at[lane] = 1;
	ask(run, run->at);
	for (unsigned lane = 0; lane < lanes->count; lane++) {
		int64_t d1, step;

		if (!loop_lane_matters(run, lane) || run->trips[lane] == 0)
			continue;
		if (!difference(run, comparison, lane, &d1) ||
		    __builtin_sub_overflow(d1, d0[lane], &step))
			return false;
		run->trips[lane] = guess_trips(kernel->nodes[comparison].op, d0[lane], step);
		if (run->trips[lane] == 0)
			return false;
	}
	for (unsigned lane = 0; lane < lanes->count; lane++)
		run->at[lane] = run->trips[lane] > 0 ? run->trips[lane] - 1 : 0;
	ask(run, run->at);
	for (unsigned lane = 0; lane < lanes->count; lane++)
		if (loop_lane_matters(run, lane) && run->trips[lane] > 0 &&
		    run->answer[lane] == LOOP_ENDS)
			is_proved = false;
	ask(run, run->trips);
	for (unsigned lane = 0; lane < lanes->count; lane++)
		if (loop_lane_matters(run, lane) && run->answer[lane] != LOOP_ENDS)
			is_proved = false;
	return is_proved;
}

/* By doubling, then halving the distance; lanes that never end get 2^DOUBLINGS. */
static void search_trips(struct loop_run *run, uint64_t *low)
{
	const struct lanes *lanes = run->lanes;
	uint64_t far = 1;
	bool is_open = true;

	for (unsigned lane = 0; lane < lanes->count; lane++) {
		low[lane] = 0;
		if (run->trips[lane] != 0)
			run->trips[lane] = UINT64_MAX;
	}
	for (unsigned i = 0; i <= DOUBLINGS && is_open; i++, far *= 2) {
		is_open = false;
		for (unsigned lane = 0; lane < lanes->count; lane++)
			run->at[lane] = far;
		ask(run, run->at);
		for (unsigned lane = 0; lane < lanes->count; lane++) {
			if (run->trips[lane] != UINT64_MAX || !loop_lane_matters(run, lane))
				continue;
			if (run->answer[lane] == LOOP_ENDS) {
				run->trips[lane] = far;
			} else {
				low[lane] = far;
				is_open = true;
			}
		}
	}
	is_open = true;
	while (is_open) {
		is_open = false;
		for (unsigned lane = 0; lane < lanes->count; lane++) {
			uint64_t high = run->trips[lane];

			run->at[lane] = high == UINT64_MAX || high <= low[lane] + 1
			                        ? 0
			                        : low[lane] + (high - low[lane]) / 2;
			if (loop_lane_matters(run, lane) && run->at[lane] != 0)
				is_open = true;
		}
		if (!is_open)
			break;
		ask(run, run->at);
		for (unsigned lane = 0; lane < lanes->count; lane++) {
			if (run->at[lane] == 0)
				continue;
			if (run->answer[lane] == LOOP_ENDS)
				run->trips[lane] = run->at[lane];
			else
				low[lane] = run->at[lane];
		}
	}
}

void loop_find_trips(struct loop_run *run, int64_t *scratch)
{
	const struct lanes *lanes = run->lanes;
	uint32_t condition = run->condition;

	for (unsigned lane = 0; lane < lanes->count; lane++)
		run->at[lane] = 0;
	ask(run, run->at);
	for (unsigned lane = 0; lane < lanes->count; lane++)
		run->trips[lane] = run->answer[lane] == LOOP_ENDS ? 0 : UINT64_MAX;
	if (condition != IR_NONE && lanes_has(lanes, condition) &&
	    lanes->schedule->list[condition] == run->list) {
		if (!try_guess(run, scratch)) {
			for (unsigned lane = 0; lane < lanes->count; lane++)
				run->at[lane] = 0;
			ask(run, run->at);
			for (unsigned lane = 0; lane < lanes->count; lane++)
				run->trips[lane] = run->answer[lane] == LOOP_ENDS ? 0 : UINT64_MAX;
			search_trips(run, (uint64_t *)scratch);
		}
	}
	if (run->statement->tests_last)
		for (unsigned lane = 0; lane < lanes->count; lane++)
			if (run->trips[lane] != UINT64_MAX)
				run->trips[lane]++;
}
