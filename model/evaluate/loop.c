/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop's body at sampled iterations: of trips that evaluate/trips.c finds, or that are stepped
 * through, drawn or assumed.
 */
#include <math.h>
#include <string.h>

#include "model/evaluate/amortised.h"
#include "model/evaluate/bound.h"
#include "model/evaluate/exits.h"
#include "model/evaluate/loop.h"
#include "model/evaluate/variables.h"
#include "model/evaluate/walk.h"
#include "model/underived.h"

enum {
	SAMPLES = 3,         /* iterations of a long loop that are walked */
	HELD_SAMPLES = 8,    /* the same where each reads something else that was sampled */
	STEPS_MAX = 1 << 16, /* iterations that are stepped through */
	SEQUENCE_STEPS = 32, /* the same where only an address needs it */
	/* of what is left of the budget one takes that samples end: alone, and within others or in
	 * a chain */
	HELD_PARTS_ALONE = 2,
	HELD_PARTS = 8,
	SPREAD = 13 /* a prime: lanes beside each other do not end one after another */
};

static bool any(const float *weight, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (weight[i] > 0)
			return true;
	return false;
}

/* Warps without a lane left pay nothing. */
static void settle_warps(const struct walk *walk, const float *weight, float *warp_weight)
{
	for (unsigned warp = 0; warp < walk->sampled->warps; warp++)
		if (!any(weight + warp * walk->sampled->warp_items, walk->sampled->warp_items))
			warp_weight[warp] = 0;
}

/* Adds the work-items that lanes of some weight stand for. */
static void count_lanes(const struct walk *walk, const float *weight, double *total)
{
	double sum = *total;

	for (unsigned warp = 0; warp < walk->sampled->warps; warp++)
		for (unsigned i = 0; i < walk->sampled->warp_items; i++)
			sum += walk->sampled->weight[warp] * (double)*weight++;
	*total = sum;
}

/* Whether what was sampled has a part in when a loop ends. */
static bool asks_data(const struct walk *walk, const struct loop_run *run)
{
	uint32_t condition = run->statement->condition;

	return run->facts->has_held ||
	       (condition != IR_NONE && (walk->schedule->flags[condition] & SCHEDULE_HELD));
}

/* Counts entries that have ended after so many trips; *entries: those that had not, and have not.
 */
static void count_ended(const struct walk *walk, struct loop_tally *tally, uint64_t trips,
                        const float *weight, double *entries)
{
	double here = 0;

	count_lanes(walk, weight, &here);
	if (trips < SHORT_TRIPS)
		tally->short_entries[trips] += fmax(0, *entries - here);
	*entries = here;
}

static unsigned count_here(const float *weight, unsigned count)
{
	unsigned here = 0;

	for (unsigned i = 0; i < count; i++)
		here += weight[i] > 0;
	return here;
}

/*
 * Lanes in steps through a loop that what was sampled ends, and lanes that left in them. Those of a
 * warp that leave together may do so for one reason: `times` counts warps.
 */
struct leaving {
	double stepped, ended, times;
};

/* Of steps from the first, and from half of the newest power of two. */
struct leavings {
	struct leaving all, late, later;   /* later: from the power of two */
	uint64_t next;                     /* power of two */
	unsigned here[EVALUATE_WARPS_MAX]; /* lanes that have not left, by warp */
};

/* `step` begins with lanes of some weight: adds those to what is told of this entry, and of all. */
static void leavings_add(struct leavings *leavings, const struct warps *sampled, uint64_t step,
                         const float *weight, struct loop_tally *tally)
{
	struct leaving *each[] = {&leavings->all, &leavings->late, &leavings->later};
	struct leaving now = {0};

	for (unsigned warp = 0; warp < sampled->warps; warp++) {
		unsigned here =
		        count_here(weight + warp * sampled->warp_items, sampled->warp_items);

		now.stepped += here;
		now.ended += leavings->here[warp] - here;
		now.times += leavings->here[warp] > here;
		leavings->here[warp] = here;
	}
	tally->stepped += now.stepped;
	tally->ended += now.ended;
	tally->ended_times += now.times;
	if (step >= leavings->next) {
		leavings->late = leavings->later;
		leavings->later = (struct leaving){0};
		leavings->next = step > 0 ? 2 * step : 1;
	}
	for (unsigned i = 0; i < sizeof each / sizeof *each; i++) {
		each[i]->stepped += now.stepped;
		each[i]->ended += now.ended;
		each[i]->times += now.times;
	}
}

/* As doubtful as their number, which is better than what is assumed without any. */
static bool tells_chance(const struct leaving *leaving)
{
	return leaving->times * ASSUMED_DOUBT * ASSUMED_DOUBT > 1;
}

/* Whether fewer leave than of all, by more than chance makes of it. */
static bool is_slower(const struct leaving *late, const struct leaving *all)
{
	return tells_chance(late) &&
	       log(all->ended / all->stepped * late->stepped / late->ended) * sqrt(late->times) >
	               ERRORS_MOST;
}

/*
 * Whether it stands within no other loop, none within it, and nothing that it reads says where it
 * reads next. In the gaps of a sample pieces make chains that never end, so that the longer one is
 * followed the less it is like the launch.
 */
static bool is_alone(const struct walk *walk, const struct loop_run *run)
{
	const struct ir_kernel *kernel = walk->kernel;
	const struct ir_statement *s = run->statement;
	uint32_t index = kernel->summary->block_loop[s->body];

	for (uint32_t i = 0; i < s->variable_count; i++) {
		uint32_t next = kernel->variables[s->first_variable + i].next;

		if (next != IR_NONE && kernel->nodes[next].op == NODE_LOAD &&
		    type_is_integer(kernel->nodes[next].type))
			return false;
	}
	for (uint32_t i = 0; i < kernel->summary->loop_count; i++)
		if (walk->result->loops[i].parent == index)
			return false;
	return run->facts->depth == 0;
}

/*
 * The chance of a lane to leave a loop that what was sampled ends, in a step: of those that have,
 * of all that could. Who goes around for long is another kind than who left at once, so the newer
 * half of the steps tells it, where enough have left in it; else all, in this walk and others.
 * 0: hardly one has.
 */
static double chance_to_end(const struct walk *walk, struct loop_run *run,
                            const struct leavings *leavings)
{
	const struct leaving all = {.stepped = run->tally->stepped,
	                            .ended = run->tally->ended,
	                            .times = run->tally->ended_times};
	const struct leaving *told = &all;

	if (is_alone(walk, run) && is_slower(&leavings->late, &leavings->all))
		told = &leavings->late;
	if (!tells_chance(told))
		return 0;
	walk->result->is_data_dependent = true;
	loop_doubt(run, 1 / sqrt(told->times));
	return told->ended / told->stepped;
}

/*
 * Trips that a lane has left where it leaves with the same chance in each, `rest` at the most; of
 * none of a chance all of them.
 */
static float trips_left(double chance, uint64_t rest)
{
	if (!(chance > 0))
		return (float)rest;
	return (float)(chance < 1 ? -expm1((double)rest * log1p(-chance)) / chance : 1);
}

/*
 * Iteration by iteration, from the first, until every lane has left, or
 * `steps` are done. `weight` and `warp_weight` are consumed. What is left of
 * lanes then goes on in one walk that stands for all that is missing of
 * trips[].
 */
static void step_through(struct walk *walk, struct loop_run *run, float *weight, float *warp_weight,
                         uint64_t steps, bool asks)
{
	struct loop_tally *tally = run->tally;
	uint64_t spare = walk->budget->limit > walk->budget->used
	                         ? walk->budget->limit - walk->budget->used
	                         : 0;
	bool is_held = steps == STEPS_MAX && asks_data(walk, run);
	/* what follows needs some, too */
	uint64_t parts = is_alone(walk, run) ? HELD_PARTS_ALONE : HELD_PARTS;
	uint64_t limit = walk->budget->used + (is_held ? spare / parts : spare / 16 * 15);
	uint64_t step = 0;
	struct leavings leavings = {0};
	double chance = 0; /* of a lane to leave in a step; 0: nobody knows */
	double rest_of_all = 1;
	double entries = 0;
	bool has_more = true;

	memset(run->at, 0, walk->sampled->lanes * sizeof(*run->at));
	loop_go(run, run->at);
	count_lanes(walk, weight, &entries);
	for (unsigned warp = 0; warp < walk->sampled->warps; warp++)
		leavings.here[warp] = count_here(weight + warp * walk->sampled->warp_items,
		                                 walk->sampled->warp_items);
	for (; has_more; step++) {
		for (unsigned lane = 0; lane < walk->sampled->lanes; lane++)
			if (step >= run->trips[lane])
				weight[lane] = 0;
		loop_run_list(run);
		if (asks && !run->statement->tests_last) {
			loop_read_condition(run);
			for (unsigned lane = 0; lane < walk->sampled->lanes; lane++)
				if (run->answer[lane] == LOOP_ENDS)
					weight[lane] = 0;
		}
		settle_warps(walk, weight, warp_weight);
		if (is_held)
			count_ended(walk, tally, step, weight, &entries);
		if (is_held) {
			leavings_add(&leavings, walk->sampled, step, weight, tally);
		}
		if (!any(weight, walk->sampled->lanes))
			break;
		if (step >= steps || walk->budget->used > limit) {
			/* the rest: as this iteration, as often as is missing; as many
			 * again where no bound is known */
			chance = is_held ? chance_to_end(walk, run, &leavings) : 0;
			run->is_cut = !(chance > 0);
			for (unsigned warp = 0; warp < walk->sampled->warps; warp++) {
				float most = 0, times = 0, here = 0;
				uint64_t longest = 0;

				for (unsigned i = 0; i < walk->sampled->warp_items; i++) {
					unsigned lane = warp * walk->sampled->warp_items + i;
					uint64_t trips = run->trips[lane];
					uint64_t rest = trips == UINT64_MAX && !(chance > 0)
					                        ? step + 1
					                        : trips - step;
					float more = trips_left(chance, rest);

					if (!(weight[lane] > 0))
						continue;
					weight[lane] *= more;
					most = more > most ? more : most;
					longest = rest > longest ? rest : longest;
					times += 1 / ++here;
				}
				/* the last of n that leave by chance: 1 + 1/2 + ... + 1/n times as
				 * late */
				if (chance > 0)
					most = fminf(most * times, (float)longest);
				warp_weight[warp] *= most;
				if (chance > 0)
					rest_of_all = fmax(rest_of_all, (double)most);
			}
			has_more = false;
		}
		count_lanes(walk, weight, &tally->trips_total);
		tally->most = fmax(tally->most, (double)step + rest_of_all);
		walk_block(walk, run->statement->body, weight, warp_weight);
		for (unsigned lane = 0; lane < walk->sampled->lanes; lane++)
			weight[lane] += walk->targets->again[lane];
		for (unsigned warp = 0; warp < walk->sampled->warps; warp++)
			warp_weight[warp] =
			        fmaxf(warp_weight[warp],
			              walk->targets->again[walk->sampled->lanes + warp]);
		memset(walk->targets->again, 0,
		       (walk->sampled->lanes + walk->sampled->warps) * sizeof(float));
		if (asks && run->statement->tests_last) {
			loop_run_list(run);
			loop_read_condition(run);
		}
		/* who leaves at the end of an iteration takes along what it made of the variables
		 */
		if (!loop_advance(walk->lanes, &walk->arena, run->statement, weight))
			break;
		for (unsigned lane = 0;
		     asks && run->statement->tests_last && lane < walk->sampled->lanes; lane++)
			if (run->answer[lane] == LOOP_ENDS)
				weight[lane] = 0;
	}
}

static uint64_t most_of(const struct loop_run *run, unsigned first, unsigned end)
{
	uint64_t most = 0;

	for (unsigned lane = first; lane < end; lane++)
		if (loop_lane_matters(run, lane) && run->trips[lane] > most)
			most = run->trips[lane];
	return most;
}

/* Lanes [first, end) at one iteration, which stands for so many trips; returns those of any lane.
 */
static float share_alike(struct loop_run *run, unsigned first, unsigned end, uint64_t at,
                         float of_trips, const float *weight, float *inner)
{
	float most = 0;

	for (unsigned lane = first; lane < end; lane++) {
		float share = weight[lane] > 0 ? of_trips : 0;

		run->at[lane] = at;
		inner[lane] = weight[lane] * share;
		most = share > most ? share : most;
	}
	return most;
}

/*
 * The same where lanes [first, end) are one warp that ends with the last of them: a sample is one
 * iteration of it, with those lanes that are still there. Returns the warp's weight there.
 */
static float share_abreast(struct loop_run *run, unsigned first, unsigned end, unsigned sample,
                           unsigned samples, const float *weight, float warp_weight, float *inner)
{
	double most = (double)most_of(run, first, end), left = 1, all = 1;
	uint64_t at = (uint64_t)(most * (2.0 * sample + 1) / (2.0 * samples));
	float share = (float)(most / samples);

	for (unsigned lane = first; lane < end; lane++) {
		double avoids = 1 - fmin(1, (double)(weight[lane] / warp_weight));

		run->at[lane] = at;
		inner[lane] = at < run->trips[lane] ? weight[lane] * share : 0;
		all *= avoids;
		left *= at < run->trips[lane] ? avoids : 1;
	}
	/* where few lanes come at once, the last of them leaves before the last of all does */
	return warp_weight * share * (all < 1 ? (float)((1 - left) / (1 - all)) : 1);
}

/*
 * Where in its part of the trips an iteration lies that stands for all of it, 0 to 1. Where what it
 * reads was sampled, each warp and each time it is another one, or all would read the same few
 * places.
 */
static double part_of(const struct walk *walk, const struct loop_run *run, unsigned warp)
{
	return run->facts->has_held
	               ? number_unit(number_mix(walk->budget->used * EVALUATE_WARPS_MAX + warp))
	               : 0.5;
}

/* The body at a few iterations, each standing for its share of the trips. */
static void walk_samples(struct walk *walk, struct loop_run *run, const float *weight,
                         const float *warp_weight, float *inner, float *warp_inner,
                         unsigned samples)
{

	for (unsigned sample = 0; sample < samples; sample++) {
		for (unsigned warp = 0; warp < walk->sampled->warps; warp++) {
			unsigned first = warp * walk->sampled->warp_items;
			unsigned end = first + walk->sampled->warp_items, same;
			double part = part_of(walk, run, warp);
			float most = 0;

			if (run->is_spread && most_of(run, first, end) > samples) {
				warp_inner[warp] = share_abreast(run, first, end, sample, samples,
				                                 weight, warp_weight[warp], inner);
				continue;
			}
			/* most lanes have as many trips as the one before */
			for (unsigned lane = first; lane < end; lane = same) {
				uint64_t trips = run->trips[lane], at = sample;
				float of_trips = 1;

				for (same = lane; same < end && run->trips[same] == trips;)
					same++;
				if (trips > samples) {
					at = (uint64_t)((double)trips * (sample + part) / samples);
					of_trips = (float)((double)trips / samples);
				} else if (sample >= trips) {
					at = 0;
					of_trips = 0;
				}
				most = fmaxf(most, share_alike(run, lane, same, at, of_trips,
				                               weight, inner));
			}
			warp_inner[warp] = warp_weight[warp] * most;
		}
		loop_go(run, run->at);
		loop_run_list(run);
		count_lanes(walk, inner, &run->tally->trips_total);
		walk_block(walk, run->statement->body, inner, warp_inner);
	}
}

/*
 * After the loop: variables as it left them, where that is known; or as what was drawn says. Of one
 * that was followed to its end they stand there.
 */
static void leave(struct walk *walk, struct loop_run *run, bool is_exact, bool is_followed)
{
	const struct ir_statement *s = run->statement;

	if (!is_followed)
		loop_go(run, run->trips);
	for (uint32_t i = 0; !is_exact && i < s->variable_count; i++) {
		uint32_t node = walk->kernel->variables[s->first_variable + i].node;

		for (unsigned lane = 0; lanes_has(walk->lanes, node) && lane < walk->sampled->lanes;
		     lane++)
			lanes_known_slot(walk->lanes, node)[lane] &=
			        run->is_drawn ? NUMBER_CHANCE : 0;
	}
	loop_run_list(run);
}

/* Trips of the lanes of some weight, in the mean. */
static double mean_of(const struct loop_run *run)
{
	double trips = 0, weight = 0;

	for (unsigned lane = 0; lane < run->lanes->count; lane++)
		if (loop_lane_matters(run, lane)) {
			trips += (double)run->weight[lane] * (double)run->trips[lane];
			weight += (double)run->weight[lane];
		}
	return weight > 0 ? trips / weight : 0;
}

/* Whether trips follow from the launch: in closed form, or step by step. */
static bool knows_trips(const struct loop_run *run, bool is_data)
{
	bool knows = true;

	for (unsigned lane = 0; lane < run->lanes->count; lane++)
		knows = knows && (!loop_lane_matters(run, lane) || run->trips[lane] != UINT64_MAX);
	return !is_data && (knows || run->facts->is_stepped || run->facts->has_known_exit);
}

static bool has_endless_lane(const struct loop_run *run)
{
	for (unsigned lane = 0; lane < run->lanes->count; lane++)
		if (loop_lane_matters(run, lane) && run->trips[lane] == UINT64_MAX)
			return true;
	return false;
}

/* Whether values that were drawn before the loop bound its trips, and end it earlier as well. */
static bool leaves_as_drawn(const struct loop_run *run)
{
	bool knows = run->facts->has_known_exit && !run->facts->is_stepped && run->takes_chance &&
	             !run->has_unknown && !run->is_simulated;

	for (unsigned lane = 0; lane < run->lanes->count; lane++)
		knows = knows && (!loop_lane_matters(run, lane) || run->trips[lane] != UINT64_MAX);
	return knows;
}

void walk_loop(struct walk *walk, uint32_t statement, float *weight, float *warp_weight)
{
	const struct ir_statement *s = &walk->kernel->statements[statement];
	uint32_t index = walk->kernel->summary->block_loop[s->body];
	const struct ir_loop *known = &walk->kernel->summary->loops[index];
	size_t mark = walk->arena.used, lanes = walk->sampled->lanes;
	float *inner = arena_take(&walk->arena, lanes + walk->sampled->warps);
	float *numbers = arena_take(&walk->arena, lanes * 6 + lanes / 4 + 2);
	struct walk_target target = {.statement = statement, .outer = walk->targets};
	struct loop_run run = {
	        .lanes = walk->lanes,
	        .chances = &walk->chances,
	        .dryrun = &walk->dryrun,
	        .arena = &walk->arena,
	        .result = walk->result,
	        .all_facts = walk->facts,
	        .tallies = walk->tallies,
	        .statement = s,
	        .facts = &walk->facts[index + 1],
	        .tally = &walk->tallies[index + 1],
	        .list = index + 1,
	        .weight = weight,
	        .condition = s->condition,
	        .is_retry = known->is_retry,
	};
	const struct launch_hint *hint = hint_find(walk->question->launch, false, s->line);
	uint64_t most = 0;
	double so_far = 0;
	bool is_data, is_drawn, is_followed, is_exact,
	        is_spent = walk->budget->used > walk->budget->limit;
	/* scouts are many, and tell how often, not what an iteration touches */
	unsigned samples = is_spent || walk->lanes->is_scouting || run.facts->depth >= 4 ? 1
	                   : run.facts->depth >= 2                                       ? 2
	                   : run.facts->has_held && run.facts->depth == 0 ? HELD_SAMPLES
	                                                                  : SAMPLES;

	if (!inner || !numbers)
		goto out;
	run.trips = (uint64_t *)(void *)numbers;
	run.at = run.trips + lanes;
	run.answer = (uint8_t *)(run.at + lanes * 2);
	if (is_spent && run.tally->trip_weight > 0)
		so_far = run.tally->trips_total / run.tally->trip_weight;
	count_lanes(walk, weight, &run.tally->trip_weight);
	run.takes_chance = !run.facts->has_data_exit && s->condition != IR_NONE &&
	                   !(walk->schedule->flags[s->condition] & SCHEDULE_OPAQUE) &&
	                   !drawn_within(walk->schedule, s->condition, run.list);
	if (known->trip == TRIP_CONSTANT) {
		for (unsigned lane = 0; lane < lanes; lane++)
			run.trips[lane] = known->trips;
	} else if (run.facts->is_stepped || is_spent) {
		/* what is left out goes around as often as what was walked */
		for (unsigned lane = 0; lane < lanes; lane++)
			run.trips[lane] = so_far > 0 && so_far < 1e12 ? (uint64_t)llround(so_far)
			                                              : UINT64_MAX;
	} else if (!run.facts->has_known_exit || !loop_find_led_trips(&run, statement)) {
		loop_find_trips(&run, (int64_t *)(run.at + lanes));
	}
	if (run.facts->is_stepped && s->condition != IR_NONE &&
	    (walk->schedule->flags[s->condition] & SCHEDULE_COUNTED))
		run.has_unknown = true;
	is_data = run.has_unknown || run.facts->has_data_exit ||
	          (run.condition != IR_NONE && known->trip != TRIP_CONSTANT &&
	           (walk->schedule->flags[run.condition] & SCHEDULE_TAINTED));
	run.is_simulated = so_far > 0;
	/* what is drawn before the loop tells its trips as well */
	if (is_data && (is_spent || run.has_unknown || !run.takes_chance) && !hint &&
	    !run.is_simulated && !run.is_retry &&
	    !pops_trips(walk->schedule, walk->facts, walk->sampled, statement, run.at))
		run.place = dryrun_look(&walk->dryrun, statement);
	if (is_data && !hint && !is_spent && !run.is_retry && !run.place)
		loop_follow_data(&run, statement);
	if (run.place && !is_spent && dryrun_hedges(&walk->dryrun, run.place, statement)) {
		bound_trips(walk->lanes, run.tally, statement, weight, run.trips, run.at);
		loop_restart(&run);
	}
	if (any(weight, walk->sampled->lanes) && !is_spent)
		hint_meet(&walk->hints, walk->question->launch, hint, !knows_trips(&run, is_data));
	run.is_spread = device_value(walk->question->device, COEFFICIENT_WARP_ITEMS, 1) > 1.5 &&
	                exit_is_by_lane(walk->schedule, run.facts, s->condition);
	memcpy(inner, weight, lanes * sizeof(*inner));
	memcpy(inner + lanes, warp_weight, walk->sampled->warps * sizeof(*inner));
	target.weight = arena_take(&walk->arena, (lanes + walk->sampled->warps) * 2 + lanes);
	if (!target.weight)
		goto out;
	target.left = target.weight + lanes;
	target.warp_weight = target.left + lanes;
	target.again = target.warp_weight + walk->sampled->warps;
	memset(target.weight, 0, ((lanes + walk->sampled->warps) * 2 + lanes) * sizeof(float));
	walk->targets = &target;
	is_drawn = is_data && leaves_as_drawn(&run);
	if (!hint && (!is_data || is_drawn) && !is_spent && !run.is_led && !run.place &&
	    (run.facts->is_stepped || run.facts->has_known_exit)) {
		is_drawn |= run.facts->has_drawn_exit;
		run.tally->is_assumed |= is_drawn;
		walk->result->is_data_dependent |= is_drawn;
		loop_doubt(&run, is_drawn ? DRAWN_DOUBT : 0);
		step_through(walk, &run, inner, inner + lanes, STEPS_MAX, run.facts->is_stepped);
		if (run.is_cut) {
			walk->result->is_capped = true;
			note_add(walk->result->note, EVALUATE_NOTE_MAX,
			         "loop at line %u: too long to follow", s->line);
		}
		goto out;
	}
	if (!is_data && !hint && !is_spent && run.facts->exits == 0 && !run.facts->is_stepped)
		walk->result->loops[index].is_endless |= has_endless_lane(&run);
	loop_assume_trips(&run, is_data);
	for (unsigned lane = 0; lane < lanes; lane++)
		if (weight[lane] > 0 && run.trips[lane] > most)
			most = run.trips[lane];
	run.tally->most = fmax(run.tally->most, (double)most);
	run.tally->mean = mean_of(&run);
	is_followed = run.facts->has_sequence && !is_spent;
	if (is_followed)
		step_through(walk, &run, inner, inner + lanes,
		             most <= SEQUENCE_STEPS ? SEQUENCE_STEPS : SAMPLES, false);
	else
		walk_samples(walk, &run, weight, warp_weight, inner, inner + lanes, samples);
	is_exact = !is_data && !hint;
	leave(walk, &run, is_exact, is_exact && is_followed && !run.is_cut);
out:
	if (target.weight) {
		walk->targets = target.outer;
		for (unsigned lane = 0; lane < lanes; lane++)
			weight[lane] = weight[lane] > target.left[lane]
			                       ? weight[lane] - target.left[lane]
			                       : 0;
		settle_warps(walk, weight, warp_weight);
	}
	walk->arena.used = mark;
}
