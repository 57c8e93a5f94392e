/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trips of a loop, and its body at sampled iterations.
 *
 * Where the variables of a condition advance by invariant steps, any iteration
 * can be evaluated directly: the trip count is guessed from the first two
 * iterations, proved at the last two, and searched for by doubling where the
 * guess fails. Other loops are stepped through.
 */
#include <math.h>
#include <string.h>

#include "model/evaluate_lanes.h"

enum {
	SAMPLES = 3,         /* iterations of a long loop that are walked */
	STEPS_MAX = 1 << 16, /* iterations that are stepped through */
	SEQUENCE_STEPS = 32, /* the same where only an address needs it */
	DOUBLINGS = 40       /* trips beyond are not told apart from infinity */
};

struct loop_run {
	struct evaluator *evaluator;
	const struct ir_statement *statement;
	struct evaluator_loop *loop;
	uint32_t list;
	const float *weight;
	uint64_t *trips, *at; /* per lane */
	uint8_t *answer;      /* per lane: LOOP_ENDS, LOOP_GOES_ON, LOOP_UNKNOWN */
	bool has_unknown;
	bool takes_chance; /* what data decide was drawn before the loop: as good as known */
	bool is_cut;       /* stepping ended before the lanes did */
	bool is_retry;     /* see struct ir_loop */
};

enum { LOOP_ENDS, LOOP_GOES_ON, LOOP_UNKNOWN };

static double real_of(int64_t bits)
{
	double real;

	memcpy(&real, &bits, sizeof(real));
	return real;
}

/* Variables at iteration at[lane]; what has no closed form is unknown but at 0. */
static void set_iteration(struct loop_run *run, const uint64_t *at)
{
	struct evaluator *evaluator = run->evaluator;
	const struct ir_statement *s = run->statement;

	for (uint32_t i = 0; i < s->variable_count; i++) {
		const struct ir_variable *v = &evaluator->kernel->variables[s->first_variable + i];
		struct type type = evaluator->kernel->nodes[v->node].type;
		uint32_t step_node;
		const int64_t *init, *step = NULL;
		const uint8_t *init_known, *step_known = NULL;
		int64_t *r;
		uint8_t *k;
		int sign;

		if (!lanes_has(evaluator, v->node))
			continue;
		r = lanes_value(evaluator, v->node);
		k = lanes_known(evaluator, v->node);
		if (!lanes_has(evaluator, v->init)) {
			memset(k, 0, evaluator->lanes);
			continue;
		}
		init = lanes_value(evaluator, v->init);
		init_known = lanes_known(evaluator, v->init);
		sign = variable_step(evaluator, v, &step_node);
		if (sign != 0 && lanes_has(evaluator, step_node)) {
			step = lanes_value(evaluator, step_node);
			step_known = lanes_known(evaluator, step_node);
		} else if (step_node != IR_NONE) {
			sign = 0;
		}
		bool is_real = type_is_real(type);
		for (unsigned lane = 0; lane < evaluator->lanes; lane++) {
			if (at[lane] == 0 || (sign != 0 && !step)) {
				r[lane] = init[lane];
				k[lane] = init_known[lane];
			} else if (sign == 0) {
				k[lane] = 0;
			} else if (is_real) {
				double value = real_of(init[lane]) +
				               sign * (double)at[lane] * real_of(step[lane]);

				memcpy(&r[lane], &value, sizeof(value));
				k[lane] = init_known[lane] & step_known[lane];
			} else {
				uint64_t far = (uint64_t)step[lane] * at[lane];

				r[lane] = lanes_wrap(type, (int64_t)((uint64_t)init[lane] +
				                                     (sign > 0 ? far : 0 - far)));
				k[lane] = init_known[lane] & step_known[lane];
			}
		}
	}
}

static bool is_settled(const struct loop_run *run, uint8_t known)
{
	return known == LANES_KNOWN || (known == LANES_CHANCE && run->takes_chance);
}

/* answer[] from the condition as it stands in its slot. */
static void read_condition(struct loop_run *run)
{
	struct evaluator *evaluator = run->evaluator;
	uint32_t condition = run->statement->condition;
	const int64_t *v;
	const uint8_t *k;

	if (condition == IR_NONE) {
		memset(run->answer, LOOP_GOES_ON, evaluator->lanes);
		return;
	}
	if (!lanes_has(evaluator, condition)) {
		memset(run->answer, LOOP_UNKNOWN, evaluator->lanes);
		run->has_unknown = true;
		return;
	}
	v = lanes_value(evaluator, condition);
	k = lanes_known(evaluator, condition);
	for (unsigned lane = 0; lane < evaluator->lanes; lane++) {
		run->answer[lane] = !is_settled(run, k[lane]) ? LOOP_UNKNOWN
		                    : v[lane]                 ? LOOP_GOES_ON
		                                              : LOOP_ENDS;
		if (run->answer[lane] == LOOP_UNKNOWN && run->weight[lane] > 0)
			run->has_unknown = true;
	}
}

static void ask(struct loop_run *run, const uint64_t *at)
{
	set_iteration(run, at);
	lanes_run(run->evaluator, run->list, run->loop->condition_count);
	read_condition(run);
}

static bool lane_matters(const struct loop_run *run, unsigned lane)
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
	const struct evaluator *evaluator = run->evaluator;

	if (!lanes_has(evaluator, node) || !is_settled(run, lanes_known(evaluator, node)[lane]))
		return false;
	*value = lanes_value(evaluator, node)[lane];
	return true;
}

/* left - right of the comparison for a lane; false where unknown or out of range. */
static bool difference(const struct loop_run *run, uint32_t comparison, unsigned lane,
                       int64_t *result)
{
	const struct ir_kernel *kernel = run->evaluator->kernel;
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
	struct evaluator *evaluator = run->evaluator;
	const struct ir_kernel *kernel = evaluator->kernel;
	uint32_t comparison = find_comparison(kernel, run->statement->condition);
	uint32_t compared = comparison;
	bool is_proved = true;

	if (comparison == IR_NONE)
		return false;
	if (is_comparison(kernel->nodes[comparison].op))
		compared = kernel->operands[kernel->nodes[comparison].first_operand];
	if (type_is_real(kernel->nodes[compared].type))
		return false;
	for (unsigned lane = 0; lane < evaluator->lanes; lane++)
		if (lane_matters(run, lane) && !difference(run, comparison, lane, &d0[lane]))
			return false;
	for (unsigned lane = 0; lane < evaluator->lanes; lane++)
		run->at[lane] = 1;
	ask(run, run->at);
	for (unsigned lane = 0; lane < evaluator->lanes; lane++) {
		int64_t d1, step;

		if (!lane_matters(run, lane) || run->trips[lane] == 0)
			continue;
		if (!difference(run, comparison, lane, &d1) ||
		    __builtin_sub_overflow(d1, d0[lane], &step))
			return false;
		run->trips[lane] = guess_trips(kernel->nodes[comparison].op, d0[lane], step);
		if (run->trips[lane] == 0)
			return false;
	}
	for (unsigned lane = 0; lane < evaluator->lanes; lane++)
		run->at[lane] = run->trips[lane] > 0 ? run->trips[lane] - 1 : 0;
	ask(run, run->at);
	for (unsigned lane = 0; lane < evaluator->lanes; lane++)
		if (lane_matters(run, lane) && run->trips[lane] > 0 &&
		    run->answer[lane] == LOOP_ENDS)
			is_proved = false;
	ask(run, run->trips);
	for (unsigned lane = 0; lane < evaluator->lanes; lane++)
		if (lane_matters(run, lane) && run->answer[lane] != LOOP_ENDS)
			is_proved = false;
	return is_proved;
}

/* By doubling, then halving the distance; lanes that never end get 2^DOUBLINGS. */
static void search_trips(struct loop_run *run, uint64_t *low)
{
	struct evaluator *evaluator = run->evaluator;
	uint64_t far = 1;
	bool is_open = true;

	for (unsigned lane = 0; lane < evaluator->lanes; lane++) {
		low[lane] = 0;
		if (run->trips[lane] != 0)
			run->trips[lane] = UINT64_MAX;
	}
	for (unsigned i = 0; i <= DOUBLINGS && is_open; i++, far *= 2) {
		is_open = false;
		for (unsigned lane = 0; lane < evaluator->lanes; lane++)
			run->at[lane] = far;
		ask(run, run->at);
		for (unsigned lane = 0; lane < evaluator->lanes; lane++) {
			if (run->trips[lane] != UINT64_MAX || !lane_matters(run, lane))
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
		for (unsigned lane = 0; lane < evaluator->lanes; lane++) {
			uint64_t high = run->trips[lane];

			run->at[lane] = high == UINT64_MAX || high <= low[lane] + 1
			                        ? 0
			                        : low[lane] + (high - low[lane]) / 2;
			if (lane_matters(run, lane) && run->at[lane] != 0)
				is_open = true;
		}
		if (!is_open)
			break;
		ask(run, run->at);
		for (unsigned lane = 0; lane < evaluator->lanes; lane++) {
			if (run->at[lane] == 0)
				continue;
			if (run->answer[lane] == LOOP_ENDS)
				run->trips[lane] = run->at[lane];
			else
				low[lane] = run->at[lane];
		}
	}
}

/* trips[] by closed form; UINT64_MAX where the loop does not end by its condition. */
static void find_trips(struct loop_run *run, int64_t *scratch)
{
	struct evaluator *evaluator = run->evaluator;
	uint32_t condition = run->statement->condition;

	for (unsigned lane = 0; lane < evaluator->lanes; lane++)
		run->at[lane] = 0;
	ask(run, run->at);
	for (unsigned lane = 0; lane < evaluator->lanes; lane++)
		run->trips[lane] = run->answer[lane] == LOOP_ENDS ? 0 : UINT64_MAX;
	if (condition != IR_NONE && lanes_has(evaluator, condition) &&
	    evaluator->list[condition] == run->list) {
		if (!try_guess(run, scratch)) {
			for (unsigned lane = 0; lane < evaluator->lanes; lane++)
				run->at[lane] = 0;
			ask(run, run->at);
			for (unsigned lane = 0; lane < evaluator->lanes; lane++)
				run->trips[lane] = run->answer[lane] == LOOP_ENDS ? 0 : UINT64_MAX;
			search_trips(run, (uint64_t *)scratch);
		}
	}
	if (run->statement->tests_last)
		for (unsigned lane = 0; lane < evaluator->lanes; lane++)
			if (run->trips[lane] != UINT64_MAX)
				run->trips[lane]++;
}

/* Whether what goes into a block directly within the loop leaves the loop at its end. */
static bool ends_loop(const struct loop_run *run, uint32_t block)
{
	const struct ir_kernel *kernel = run->evaluator->kernel;
	uint32_t last = block == IR_NONE ? IR_NONE : kernel->blocks[block].last;

	return last != IR_NONE && kernel->statements[last].kind == STATEMENT_EXIT &&
	       (kernel->statements[last].target == IR_NONE ||
	        &kernel->statements[kernel->statements[last].target] == run->statement);
}

/* The chance that an iteration is the last, by what data have to be like for the next one. */
static double chance_of_leaving(const struct loop_run *run)
{
	const struct evaluator *evaluator = run->evaluator;
	const struct ir_kernel *kernel = evaluator->kernel;
	unsigned lane = 0;
	double chance = 0;

	while (lane + 1 < evaluator->lanes && !lane_matters(run, lane))
		lane++;
	if (run->statement->body == IR_NONE)
		return 0;
	for (uint32_t i = kernel->blocks[run->statement->body].first; i != IR_NONE;
	     i = kernel->statements[i].following) {
		const struct ir_statement *s = &kernel->statements[i];

		if (s->kind != STATEMENT_BRANCH)
			continue;
		if (ends_loop(run, s->body))
			chance = fmax(chance, chance_of(evaluator, s->condition, lane));
		else if (ends_loop(run, s->otherwise))
			chance = fmax(chance, 1 - chance_of(evaluator, s->condition, lane));
	}
	return chance;
}

/*
 * Trips of a loop that goes on until an integer, divided again and again, is nothing: of numbers
 * of one type half use all bits, a quarter all but one. 0: it is no such loop.
 */
static unsigned trips_of_bits(const struct loop_run *run)
{
	const struct ir_kernel *kernel = run->evaluator->kernel;
	const struct ir_statement *s = run->statement;
	const struct ir_node *condition =
	        s->condition == IR_NONE ? NULL : &kernel->nodes[s->condition];

	for (uint32_t i = 0; i < s->variable_count && condition; i++) {
		const struct ir_variable *v = &kernel->variables[s->first_variable + i];
		const struct ir_node *next = v->next == IR_NONE ? NULL : &kernel->nodes[v->next];
		bool is_asked = s->condition == v->node;
		double bits =
		        8 * (double)scalar_bytes((enum scalar)kernel->nodes[v->node].type.scalar);
		int64_t by;

		for (unsigned k = 0; k < condition->operand_count; k++)
			is_asked |= kernel->operands[condition->first_operand + k] == v->node;
		if (!is_asked || !next || (next->op != NODE_SHR && next->op != NODE_DIV) ||
		    !type_is_integer(kernel->nodes[v->node].type) ||
		    kernel->operands[next->first_operand] != v->node ||
		    !kernel_constant(kernel, kernel->operands[next->first_operand + 1], &by) ||
		    by < (next->op == NODE_SHR ? 1 : 2))
			continue;
		bits -= type_is_signed(kernel->nodes[v->node].type) ? 2 : 1;
		return (unsigned)fmax(
		        1, ceil(bits / (next->op == NODE_SHR ? (double)by : log2((double)by))));
	}
	return 0;
}

/*
 * Where data decides, or nothing: the hint, half the bound, or 16; as few as there are where data
 * have to be equal for another one.
 */
static void assume_trips(struct loop_run *run, bool is_data)
{
	struct evaluator *evaluator = run->evaluator;
	const struct launch_hint *hint = hint_find(evaluator->launch, false, run->statement->line);
	char *note = evaluator->result->note;
	bool has_half = false, has_default = false;
	/* what repeats an exchange until it succeeds is taken to be let through at once */
	double leaves = is_data && !hint && !run->is_retry ? chance_of_leaving(run) : 0;
	bool is_short = run->is_retry || leaves > 0.5;
	unsigned otherwise = run->is_retry  ? 1
	                     : leaves > 0.5 ? (unsigned)llround(1 / leaves)
	                                    : trips_of_bits(run);
	bool is_drawn = is_data && !hint && run->takes_chance && !run->has_unknown;

	if (otherwise == 0)
		otherwise = EVALUATE_TRIPS_DEFAULT;
	for (unsigned lane = 0; lane < evaluator->lanes; lane++) {
		if (hint) {
			double trips = hint->value >= 0 && hint->value < 1e12 ? hint->value : 0;

			run->trips[lane] = (uint64_t)llround(trips);
		} else if (run->trips[lane] == UINT64_MAX ||
		           (is_data && is_short && run->trips[lane] > otherwise)) {
			run->trips[lane] = otherwise;
			has_default |= lane_matters(run, lane);
		} else if (is_data && !is_drawn) {
			has_half |= lane_matters(run, lane) && run->trips[lane] > 1;
			run->trips[lane] -= run->trips[lane] / 2;
		}
	}
	if (has_default)
		note_add(note, EVALUATE_NOTE_MAX, "loop at line %u: %u trip%s assumed",
		         run->statement->line, otherwise, otherwise == 1 ? "" : "s");
	else if (has_half)
		note_add(note, EVALUATE_NOTE_MAX, "loop at line %u: half its trips assumed",
		         run->statement->line);
	else if (is_drawn)
		note_add(note, EVALUATE_NOTE_MAX,
		         evaluator->rows.is_known
		                 ? "loop at line %u: trips by the mean length of a row"
		                 : "loop at line %u: trips by values drawn from their range",
		         run->statement->line);
	if (has_default || has_half || is_drawn)
		evaluator->result->is_data_dependent = true;
	run->loop->is_assumed |= has_default || has_half || is_drawn || hint;
}

/* All variables take their next values, in the lanes that are still in the loop. */
static bool advance(struct loop_run *run, const float *weight)
{
	struct evaluator *evaluator = run->evaluator;
	const struct ir_statement *s = run->statement;
	size_t mark = evaluator->arena_used, lanes = evaluator->lanes;
	float *memory;
	int64_t *values;
	uint8_t *known;
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->variable_count; i++)
		count += lanes_has(evaluator,
		                   evaluator->kernel->variables[s->first_variable + i].node);
	memory = arena_take(evaluator, count * lanes * 4);
	if (!memory)
		return false;
	values = (int64_t *)(void *)memory;
	known = (uint8_t *)(values + count * lanes);
	for (unsigned pass = 0; pass < 2; pass++) {
		uint32_t at = 0;

		for (uint32_t i = 0; i < s->variable_count; i++) {
			const struct ir_variable *v =
			        &evaluator->kernel->variables[s->first_variable + i];

			if (!lanes_has(evaluator, v->node))
				continue;
			if (pass == 0 && lanes_has(evaluator, v->next)) {
				memcpy(values + at * lanes, lanes_value(evaluator, v->next),
				       lanes * sizeof(*values));
				memcpy(known + at * lanes, lanes_known(evaluator, v->next), lanes);
			} else if (pass == 0) {
				memset(known + at * lanes, 0, lanes);
				memset(values + at * lanes, 0, lanes * sizeof(*values));
			} else {
				for (unsigned lane = 0; lane < lanes; lane++) {
					if (!(weight[lane] > 0))
						continue;
					lanes_value(evaluator, v->node)[lane] =
					        values[at * lanes + lane];
					lanes_known(evaluator, v->node)[lane] =
					        known[at * lanes + lane];
				}
			}
			at++;
		}
	}
	evaluator->arena_used = mark;
	return true;
}

static bool any(const float *weight, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (weight[i] > 0)
			return true;
	return false;
}

/* Warps without a lane left pay nothing. */
static void settle_warps(const struct evaluator *evaluator, const float *weight, float *warp_weight)
{
	for (unsigned warp = 0; warp < evaluator->warps; warp++)
		if (!any(weight + warp * evaluator->warp_items, evaluator->warp_items))
			warp_weight[warp] = 0;
}

static void count_trips(struct loop_run *run, const float *weight)
{
	struct evaluator *evaluator = run->evaluator;

	for (unsigned lane = 0; lane < evaluator->lanes; lane++)
		run->loop->trips_total += evaluator->sample_weight[lane / evaluator->warp_items] *
		                          (double)weight[lane];
}

/*
 * Iteration by iteration, from the first, until every lane has left, or
 * `steps` are done. `weight` and `warp_weight` are consumed. What is left of
 * lanes then goes on in one walk that stands for all that is missing of
 * trips[].
 */
static void step_through(struct loop_run *run, float *weight, float *warp_weight, uint64_t steps,
                         bool asks)
{
	struct evaluator *evaluator = run->evaluator;
	struct evaluator_loop *loop = run->loop;
	uint64_t spare =
	        evaluator->budget > evaluator->used ? evaluator->budget - evaluator->used : 0;
	uint64_t limit = evaluator->used + spare / 16 * 15; /* what follows needs some, too */
	uint64_t step = 0;
	bool has_more = true;

	memset(run->at, 0, evaluator->lanes * sizeof(*run->at));
	set_iteration(run, run->at);
	for (; has_more; step++) {
		for (unsigned lane = 0; lane < evaluator->lanes; lane++)
			if (step >= run->trips[lane])
				weight[lane] = 0;
		lanes_run(evaluator, run->list, loop->count);
		if (asks && !run->statement->tests_last) {
			read_condition(run);
			for (unsigned lane = 0; lane < evaluator->lanes; lane++)
				if (run->answer[lane] == LOOP_ENDS)
					weight[lane] = 0;
		}
		settle_warps(evaluator, weight, warp_weight);
		if (!any(weight, evaluator->lanes))
			break;
		if (step >= steps || evaluator->used > limit) {
			/* the rest: as this iteration, as often as is missing; as many
			 * again where no bound is known */
			run->is_cut = true;
			for (unsigned warp = 0; warp < evaluator->warps; warp++) {
				float most = 0;

				for (unsigned i = 0; i < evaluator->warp_items; i++) {
					unsigned lane = warp * evaluator->warp_items + i;
					uint64_t trips = run->trips[lane];
					float left = (float)(trips == UINT64_MAX ? step + 1
					                                         : trips - step);

					if (!(weight[lane] > 0))
						continue;
					weight[lane] *= left;
					most = left > most ? left : most;
				}
				warp_weight[warp] *= most;
			}
			has_more = false;
		}
		count_trips(run, weight);
		evaluate_block(evaluator, run->statement->body, weight, warp_weight);
		for (unsigned lane = 0; lane < evaluator->lanes; lane++)
			weight[lane] += evaluator->targets->again[lane];
		for (unsigned warp = 0; warp < evaluator->warps; warp++)
			warp_weight[warp] =
			        fmaxf(warp_weight[warp],
			              evaluator->targets->again[evaluator->lanes + warp]);
		memset(evaluator->targets->again, 0,
		       (evaluator->lanes + evaluator->warps) * sizeof(float));
		if (asks && run->statement->tests_last) {
			lanes_run(evaluator, run->list, loop->count);
			read_condition(run);
			for (unsigned lane = 0; lane < evaluator->lanes; lane++)
				if (run->answer[lane] == LOOP_ENDS)
					weight[lane] = 0;
		}
		if (!advance(run, weight))
			break;
	}
}

/* The body at a few iterations, each standing for its share of the trips. */
static void walk_samples(struct loop_run *run, const float *weight, const float *warp_weight,
                         float *inner, float *warp_inner, unsigned samples)
{
	struct evaluator *evaluator = run->evaluator;

	for (unsigned sample = 0; sample < samples; sample++) {
		uint64_t at = 0, before = 0; /* most lanes have as many trips as the one before */
		float of_trips = 0;

		for (unsigned warp = 0; warp < evaluator->warps; warp++) {
			float most = 0;

			for (unsigned i = 0; i < evaluator->warp_items; i++) {
				unsigned lane = warp * evaluator->warp_items + i;
				uint64_t trips = run->trips[lane];
				float share;

				if (trips != before && trips <= samples) {
					at = sample < trips ? sample : 0;
					of_trips = sample < trips ? 1 : 0;
				} else if (trips != before) {
					at = (uint64_t)((double)trips * (2.0 * sample + 1) /
					                (2.0 * samples));
					of_trips = (float)((double)trips / samples);
				}
				before = trips;
				run->at[lane] = at;
				share = weight[lane] > 0 ? of_trips : 0;
				inner[lane] = weight[lane] * share;
				most = share > most ? share : most;
			}
			warp_inner[warp] = warp_weight[warp] * most;
		}
		set_iteration(run, run->at);
		lanes_run(evaluator, run->list, run->loop->count);
		count_trips(run, inner);
		evaluate_block(evaluator, run->statement->body, inner, warp_inner);
	}
}

/* After the loop: variables as it left them, where that is known. */
static void leave(struct loop_run *run, bool is_exact)
{
	struct evaluator *evaluator = run->evaluator;
	const struct ir_statement *s = run->statement;

	set_iteration(run, run->trips);
	for (uint32_t i = 0; !is_exact && i < s->variable_count; i++) {
		uint32_t node = evaluator->kernel->variables[s->first_variable + i].node;

		if (lanes_has(evaluator, node))
			memset(lanes_known(evaluator, node), 0, evaluator->lanes);
	}
	lanes_run(evaluator, run->list, run->loop->count);
}

void evaluate_loop(struct evaluator *evaluator, uint32_t statement, float *weight,
                   float *warp_weight)
{
	const struct ir_statement *s = &evaluator->kernel->statements[statement];
	uint32_t index = evaluator->loop_of[statement];
	const struct ir_loop *known = &evaluator->summary->loops[index];
	size_t mark = evaluator->arena_used, lanes = evaluator->lanes;
	float *inner = arena_take(evaluator, lanes + evaluator->warps);
	float *numbers = arena_take(evaluator, lanes * 6 + lanes / 4 + 2);
	struct evaluator_target target = {.statement = statement, .outer = evaluator->targets};
	struct loop_run run = {
	        .evaluator = evaluator,
	        .statement = s,
	        .loop = &evaluator->loops[index + 1],
	        .list = index + 1,
	        .weight = weight,
	        .is_retry = known->is_retry,
	};
	const struct launch_hint *hint = hint_find(evaluator->launch, false, s->line);
	uint64_t most = 0;
	bool is_data, is_spent = evaluator->used > evaluator->budget;
	unsigned samples = is_spent || run.loop->depth >= 4 ? 1
	                   : run.loop->depth >= 2           ? 2
	                                                    : SAMPLES;

	if (!inner || !numbers)
		goto out;
	run.trips = (uint64_t *)(void *)numbers;
	run.at = run.trips + lanes;
	run.answer = (uint8_t *)(run.at + lanes * 2);
	for (unsigned lane = 0; lane < lanes; lane++)
		run.loop->trip_weight += evaluator->sample_weight[lane / evaluator->warp_items] *
		                         (double)weight[lane];

	run.takes_chance = !run.loop->has_data_exit && s->condition != IR_NONE &&
	                   !(evaluator->flags[s->condition] & EVALUATOR_OPAQUE);
	if (known->trip == TRIP_CONSTANT) {
		for (unsigned lane = 0; lane < lanes; lane++)
			run.trips[lane] = known->trips;
	} else if (run.loop->is_stepped || is_spent) {
		for (unsigned lane = 0; lane < lanes; lane++)
			run.trips[lane] = UINT64_MAX;
	} else {
		find_trips(&run, (int64_t *)(run.at + lanes));
	}
	is_data = run.has_unknown || run.loop->has_data_exit ||
	          (s->condition != IR_NONE && known->trip != TRIP_CONSTANT &&
	           (evaluator->flags[s->condition] & EVALUATOR_TAINTED));
	memcpy(inner, weight, lanes * sizeof(*inner));
	memcpy(inner + lanes, warp_weight, evaluator->warps * sizeof(*inner));
	target.weight = arena_take(evaluator, (lanes + evaluator->warps) * 2 + lanes);
	if (!target.weight)
		goto out;
	target.left = target.weight + lanes;
	target.warp_weight = target.left + lanes;
	target.again = target.warp_weight + evaluator->warps;
	memset(target.weight, 0, ((lanes + evaluator->warps) * 2 + lanes) * sizeof(float));
	evaluator->targets = &target;
	if (!hint && !is_data && !is_spent && (run.loop->is_stepped || run.loop->has_known_exit)) {
		run.loop->is_assumed |= run.loop->has_drawn_exit;
		step_through(&run, inner, inner + lanes, STEPS_MAX, run.loop->is_stepped);
		if (run.is_cut) {
			evaluator->result->is_capped = true;
			note_add(evaluator->result->note, EVALUATE_NOTE_MAX,
			         "loop at line %u: too long to follow", s->line);
		}
		goto out;
	}
	assume_trips(&run, is_data);
	for (unsigned lane = 0; lane < lanes; lane++)
		if (weight[lane] > 0 && run.trips[lane] > most)
			most = run.trips[lane];
	if (run.loop->has_sequence && !is_spent)
		step_through(&run, inner, inner + lanes,
		             most <= SEQUENCE_STEPS ? SEQUENCE_STEPS : SAMPLES, false);
	else
		walk_samples(&run, weight, warp_weight, inner, inner + lanes, samples);
	leave(&run, !is_data && !hint);
out:
	if (target.weight) {
		evaluator->targets = target.outer;
		for (unsigned lane = 0; lane < lanes; lane++)
			weight[lane] = weight[lane] > target.left[lane]
			                       ? weight[lane] - target.left[lane]
			                       : 0;
		settle_warps(evaluator, weight, warp_weight);
	}
	evaluator->arena_used = mark;
}
