/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop's body at sampled iterations: of trips that evaluate/trips.c finds, or that are stepped
 * through, drawn or assumed.
 */
#include <math.h>
#include <string.h>

#include "model/evaluate/amortised.h"
#include "model/evaluate/bound.h"
#include "model/evaluate/draw.h"
#include "model/evaluate/exits.h"
#include "model/evaluate/loop.h"
#include "model/evaluate/usual.h"
#include "model/evaluate/variables.h"
#include "model/evaluate/walk.h"
#include "model/underived.h"

enum {
	SAMPLES = 3,         /* iterations of a long loop that are walked */
	STEPS_MAX = 1 << 16, /* iterations that are stepped through */
	SEQUENCE_STEPS = 32, /* the same where only an address needs it */
	SPREAD = 13          /* a prime: lanes beside each other do not end one after another */
};

/* Evaluates the loop's list. */
static void run_list(struct loop_run *run)
{
	lanes_run(run->lanes, run->list, run->lanes->schedule->lists[run->list].count);
}

/* The chance that an iteration is the last, by what data have to be like for the next one. */
static double chance_of_leaving(const struct loop_run *run)
{
	const struct walk *walk = run->walk;
	const struct ir_kernel *kernel = walk->kernel;
	unsigned lane = 0;
	double chance = 0;

	while (lane + 1 < walk->samples->lanes && !loop_lane_matters(run, lane))
		lane++;
	if (run->statement->body == IR_NONE)
		return 0;
	for (uint32_t i = kernel->blocks[run->statement->body].first; i != IR_NONE;
	     i = kernel->statements[i].following) {
		const struct ir_statement *s = &kernel->statements[i];

		if (s->kind != STATEMENT_BRANCH)
			continue;
		if (leaves_loop(walk->kernel, s->body))
			chance = fmax(chance, chance_of(&walk->chances, s->condition, lane));
		else if (leaves_loop(walk->kernel, s->otherwise))
			chance = fmax(chance, 1 - chance_of(&walk->chances, s->condition, lane));
	}
	return chance;
}

static unsigned probes_of(const struct loop_run *run, uint32_t statement)
{
	uint64_t most = 0;

	for (unsigned lane = 0; lane < run->walk->samples->lanes; lane++)
		if (loop_lane_matters(run, lane) && run->trips[lane] > most)
			most = run->trips[lane];
	return trips_of_probes(run->walk->schedule, statement, most);
}

/* Counts entries by their trips: what is short and always the same has an end that a core foresees.
 */
static void count_short(const struct loop_run *run)
{
	const struct walk *walk = run->walk;

	for (unsigned lane = 0; lane < walk->samples->lanes; lane++)
		if (loop_lane_matters(run, lane) && run->trips[lane] < SHORT_TRIPS)
			run->tally->short_entries[run->trips[lane]] +=
			        walk->samples->weight[lane / walk->samples->warp_items] *
			        (double)run->weight[lane];
}

/*
 * Trips that a lane leaves out of those that its bound lets it have: any number but all, evenly, so
 * that a warp takes nearly all of them, though its lanes take half in the mean.
 */
static uint64_t spread_of(const struct loop_run *run, unsigned lane)
{
	unsigned lanes = run->walk->samples->warp_items;
	double share = (lane * SPREAD % lanes + 0.5) / lanes;

	return (uint64_t)(share * (double)run->trips[lane]);
}

/* Trips of the lanes of some weight, in the mean. */
static double mean_of(const struct loop_run *run)
{
	double trips = 0, weight = 0;

	for (unsigned lane = 0; lane < run->walk->samples->lanes; lane++)
		if (loop_lane_matters(run, lane)) {
			trips += (double)run->weight[lane] * (double)run->trips[lane];
			weight += (double)run->weight[lane];
		}
	return weight > 0 ? trips / weight : 0;
}

static void doubt_trips(struct loop_run *run, double doubt)
{
	struct evaluation_block *body = &run->walk->result->blocks[run->statement->body];

	body->doubt = fmax(body->doubt, doubt);
}

/* Of trips that memory has a part in, by the surest that tells them. */
static double doubt_of_drawn(const struct loop_run *run, bool has_dry)
{
	const unsigned reals = DRYRUN_REAL | DRYRUN_RAW | DRYRUN_SCALE;
	bool is_mean =
	        has_dry ? (run->place->ground & reals) != 0 : run->walk->schedule->rows->is_known;

	return is_mean ? MEAN_DOUBT : DRAWN_DOUBT;
}

/*
 * Where data decides, or nothing: the hint, half the bound, or 16; as few as there are where data
 * have to be equal for another one.
 */
static void assume_trips(struct loop_run *run, bool is_data)
{
	struct walk *walk = run->walk;
	const struct launch_hint *hint =
	        hint_find(walk->question->launch, false, run->statement->line);
	char *note = walk->result->note;
	bool has_half = false, has_default = false;
	/* what repeats an exchange until it succeeds is taken to be let through at once */
	double leaves = is_data && !hint && !run->is_retry ? chance_of_leaving(run) : 0;
	bool is_short = run->is_retry || leaves > OFTEN || run->facts->is_window;
	uint32_t statement = (uint32_t)(run->statement - walk->kernel->statements);
	unsigned otherwise;
	const struct dryrun_place *place;
	bool has_dry = false, hedges;
	bool is_drawn = is_data && !hint && run->takes_chance && !run->has_unknown && !run->place;

	run->is_drawn = is_drawn;
	place = hint ? NULL : run->place;
	hedges = place && dryrun_hedges(&walk->dryrun, place, statement);
	if (run->is_retry)
		otherwise = probes_of(run, statement);
	else if (leaves > OFTEN)
		otherwise = (unsigned)llround(1 / leaves);
	else
		otherwise = trips_of_bits(walk->kernel, run->statement);
	if (otherwise == 0)
		otherwise = trips_of_walk(walk->schedule, statement);
	if (otherwise == 0)
		otherwise = EVALUATE_TRIPS_DEFAULT;
	for (unsigned lane = 0; lane < walk->samples->lanes && !run->is_simulated; lane++) {
		if (hint) {
			double trips = hint->value >= 0 && hint->value < 1e12 ? hint->value : 0;

			run->trips[lane] = (uint64_t)llround(trips);
		} else if (place) {
			uint64_t trips = dryrun_trips(place, walk->samples, walk->budget, lane);

			if (trips < run->trips[lane])
				run->trips[lane] =
				        hedges ? dryrun_hedged(trips, run->trips[lane]) : trips;
			has_dry |= loop_lane_matters(run, lane);
		} else if (run->trips[lane] == UINT64_MAX ||
		           (is_data && is_short && run->trips[lane] > otherwise)) {
			run->trips[lane] = otherwise;
			has_default |= loop_lane_matters(run, lane);
		} else if (is_data && !is_drawn) {
			has_half |= loop_lane_matters(run, lane) && run->trips[lane] > 1;
			run->trips[lane] -=
			        run->is_spread ? spread_of(run, lane) : run->trips[lane] / 2;
		}
	}
	if (has_default)
		note_add(note, EVALUATE_NOTE_MAX, "loop at line %u: %u trip%s assumed",
		         run->statement->line, otherwise, otherwise == 1 ? "" : "s");
	else if (has_half)
		note_add(note, EVALUATE_NOTE_MAX, "loop at line %u: half its trips assumed",
		         run->statement->line);
	else if (run->is_simulated)
		note_add(note, EVALUATE_NOTE_MAX, "loop at line %u: trips drawn by chance",
		         run->statement->line);
	else if (has_dry)
		note_add(note, EVALUATE_NOTE_MAX, "loop at line %u: trips by a dry run",
		         run->statement->line);
	else if (run->tally->takes_advance)
		note_add(note, EVALUATE_NOTE_MAX, "loop at line %u: trips by how far each gets",
		         run->statement->line);
	else if (is_drawn)
		note_add(note, EVALUATE_NOTE_MAX,
		         walk->schedule->rows->is_known
		                 ? "loop at line %u: trips by the mean length of a row"
		                 : "loop at line %u: trips by values drawn from their range",
		         run->statement->line);
	is_drawn |= run->is_simulated || (has_dry && place->ground != 0);
	if (is_drawn && !has_default && !has_half && !walk->schedule->rows->is_known)
		count_short(run);
	if (has_default || has_half || is_drawn)
		walk->result->is_data_dependent = true;
	run->tally->is_assumed |= has_default || has_half || is_drawn || hint;
	if (!hint)
		doubt_trips(run, has_default ? ASSUMED_DOUBT
		                 : has_half  ? MEAN_DOUBT
		                 : is_drawn  ? doubt_of_drawn(run, has_dry)
		                             : 0);
}

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
	for (unsigned warp = 0; warp < walk->samples->warps; warp++)
		if (!any(weight + warp * walk->samples->warp_items, walk->samples->warp_items))
			warp_weight[warp] = 0;
}

/* Adds the work-items that lanes of some weight stand for. */
static void count_lanes(const struct walk *walk, const float *weight, double *total)
{
	double sum = *total;

	for (unsigned warp = 0; warp < walk->samples->warps; warp++)
		for (unsigned i = 0; i < walk->samples->warp_items; i++)
			sum += walk->samples->weight[warp] * (double)*weight++;
	*total = sum;
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
	struct walk *walk = run->walk;
	struct loop_tally *tally = run->tally;
	uint64_t spare = walk->budget->limit > walk->budget->used
	                         ? walk->budget->limit - walk->budget->used
	                         : 0;
	uint64_t limit = walk->budget->used + spare / 16 * 15; /* what follows needs some, too */
	uint64_t step = 0;
	bool has_more = true;

	memset(run->at, 0, walk->samples->lanes * sizeof(*run->at));
	loop_go(run, run->at);
	for (; has_more; step++) {
		for (unsigned lane = 0; lane < walk->samples->lanes; lane++)
			if (step >= run->trips[lane])
				weight[lane] = 0;
		run_list(run);
		if (asks && !run->statement->tests_last) {
			loop_read_condition(run);
			for (unsigned lane = 0; lane < walk->samples->lanes; lane++)
				if (run->answer[lane] == LOOP_ENDS)
					weight[lane] = 0;
		}
		settle_warps(walk, weight, warp_weight);
		if (!any(weight, walk->samples->lanes))
			break;
		if (step >= steps || walk->budget->used > limit) {
			/* the rest: as this iteration, as often as is missing; as many
			 * again where no bound is known */
			run->is_cut = true;
			for (unsigned warp = 0; warp < walk->samples->warps; warp++) {
				float most = 0;

				for (unsigned i = 0; i < walk->samples->warp_items; i++) {
					unsigned lane = warp * walk->samples->warp_items + i;
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
		count_lanes(walk, weight, &tally->trips_total);
		tally->most = fmax(tally->most, (double)step + 1);
		walk_block(walk, run->statement->body, weight, warp_weight);
		for (unsigned lane = 0; lane < walk->samples->lanes; lane++)
			weight[lane] += walk->targets->again[lane];
		for (unsigned warp = 0; warp < walk->samples->warps; warp++)
			warp_weight[warp] =
			        fmaxf(warp_weight[warp],
			              walk->targets->again[walk->samples->lanes + warp]);
		memset(walk->targets->again, 0,
		       (walk->samples->lanes + walk->samples->warps) * sizeof(float));
		if (asks && run->statement->tests_last) {
			run_list(run);
			loop_read_condition(run);
		}
		/* who leaves at the end of an iteration takes along what it made of the variables
		 */
		if (!loop_advance(walk->lanes, &walk->arena, run->statement, weight))
			break;
		for (unsigned lane = 0;
		     asks && run->statement->tests_last && lane < walk->samples->lanes; lane++)
			if (run->answer[lane] == LOOP_ENDS)
				weight[lane] = 0;
	}
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

static uint64_t most_of(const struct loop_run *run, unsigned first, unsigned end)
{
	uint64_t most = 0;

	for (unsigned lane = first; lane < end; lane++)
		if (loop_lane_matters(run, lane) && run->trips[lane] > most)
			most = run->trips[lane];
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

/* The body at a few iterations, each standing for its share of the trips. */
static void walk_samples(struct loop_run *run, const float *weight, const float *warp_weight,
                         float *inner, float *warp_inner, unsigned samples)
{
	struct walk *walk = run->walk;

	for (unsigned sample = 0; sample < samples; sample++) {
		for (unsigned warp = 0; warp < walk->samples->warps; warp++) {
			unsigned first = warp * walk->samples->warp_items;
			unsigned end = first + walk->samples->warp_items, same;
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
					at = (uint64_t)((double)trips * (2.0 * sample + 1) /
					                (2.0 * samples));
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
		run_list(run);
		count_lanes(walk, inner, &run->tally->trips_total);
		walk_block(walk, run->statement->body, inner, warp_inner);
	}
}

/* After the loop: variables as it left them, where that is known; or as what was drawn says. */
static void leave(struct loop_run *run, bool is_exact)
{
	struct walk *walk = run->walk;
	const struct ir_statement *s = run->statement;

	loop_go(run, run->trips);
	for (uint32_t i = 0; !is_exact && i < s->variable_count; i++) {
		uint32_t node = walk->kernel->variables[s->first_variable + i].node;

		for (unsigned lane = 0; lanes_has(walk->lanes, node) && lane < walk->samples->lanes;
		     lane++)
			lanes_known_slot(walk->lanes, node)[lane] &=
			        run->is_drawn ? NUMBER_CHANCE : 0;
	}
	run_list(run);
}

/* Variables as they begin. */
static void restart(struct loop_run *run)
{
	memset(run->at, 0, run->walk->samples->lanes * sizeof(*run->at));
	loop_go(run, run->at);
	run_list(run);
}

/* Where no bound is known: trips as they are drawn, or else as far as data leave a bound. */
static void follow_data(struct loop_run *run, uint32_t statement)
{
	struct walk *walk = run->walk;
	size_t lanes = walk->samples->lanes;
	bool is_open = false, is_counted;

	for (unsigned lane = 0; lane < lanes; lane++)
		is_open |= loop_lane_matters(run, lane) && run->trips[lane] == UINT64_MAX;
	if (!is_open)
		return;
	run->is_simulated =
	        pops_trips(walk->schedule, walk->facts, walk->samples, statement, run->at) ||
	        draw_trips(walk->lanes, &walk->chances, &walk->arena, run->tally, statement,
	                   run->weight, run->at);
	if (run->is_simulated)
		memcpy(run->trips, run->at, lanes * sizeof(*run->at));
	if (run->is_simulated)
		return;
	is_counted = bound_counters(walk->lanes, walk->tallies, statement, true);
	if (run->facts->is_stepped || (is_counted && !run->facts->has_data_exit)) {
		run->has_unknown = false;
		run->takes_chance = run->tally->takes_advance = !run->facts->has_data_exit;
		loop_find_trips(run, (int64_t *)(run->at + lanes));
	}
	if (run->facts->has_data_exit)
		bound_trips(walk->lanes, run->tally, statement, run->weight, run->trips, run->at);
	bound_counters(walk->lanes, walk->tallies, statement, false);
	restart(run);
}

/* trips[] of a loop that exit_leading alone ends; false: not found, all as before. */
static bool find_led_trips(struct loop_run *run, uint32_t statement)
{
	const struct walk *walk = run->walk;
	uint32_t condition = exit_leading(walk->schedule, walk->facts, statement);
	bool takes_chance = run->takes_chance, is_found = true;

	if (condition == IR_NONE || run->facts->is_stepped)
		return false;
	run->condition = condition;
	run->is_led = run->takes_chance = true;
	loop_find_trips(run, (int64_t *)(run->at + walk->samples->lanes));
	for (unsigned lane = 0; lane < walk->samples->lanes; lane++)
		is_found &= !loop_lane_matters(run, lane) || run->trips[lane] < UINT64_MAX;
	if (is_found && !run->has_unknown)
		return true;
	run->condition = run->statement->condition;
	run->takes_chance = takes_chance;
	run->is_led = run->has_unknown = false;
	return false;
}

/* Whether trips follow from the launch: in closed form, or step by step. */
static bool knows_trips(const struct loop_run *run, bool is_data)
{
	bool knows = true;

	for (unsigned lane = 0; lane < run->walk->samples->lanes; lane++)
		knows = knows && (!loop_lane_matters(run, lane) || run->trips[lane] != UINT64_MAX);
	return !is_data && (knows || run->facts->is_stepped || run->facts->has_known_exit);
}

static bool has_endless_lane(const struct loop_run *run)
{
	for (unsigned lane = 0; lane < run->walk->samples->lanes; lane++)
		if (loop_lane_matters(run, lane) && run->trips[lane] == UINT64_MAX)
			return true;
	return false;
}

/* Whether values that were drawn before the loop bound its trips, and end it earlier as well. */
static bool leaves_as_drawn(const struct loop_run *run)
{
	bool knows = run->facts->has_known_exit && !run->facts->is_stepped && run->takes_chance &&
	             !run->has_unknown && !run->is_simulated;

	for (unsigned lane = 0; lane < run->walk->samples->lanes; lane++)
		knows = knows && (!loop_lane_matters(run, lane) || run->trips[lane] != UINT64_MAX);
	return knows;
}

void walk_loop(struct walk *walk, uint32_t statement, float *weight, float *warp_weight)
{
	const struct ir_statement *s = &walk->kernel->statements[statement];
	uint32_t index = walk->kernel->summary->block_loop[s->body];
	const struct ir_loop *known = &walk->kernel->summary->loops[index];
	size_t mark = walk->arena.used, lanes = walk->samples->lanes;
	float *inner = arena_take(&walk->arena, lanes + walk->samples->warps);
	float *numbers = arena_take(&walk->arena, lanes * 6 + lanes / 4 + 2);
	struct walk_target target = {.statement = statement, .outer = walk->targets};
	struct loop_run run = {
	        .walk = walk,
	        .lanes = walk->lanes,
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
	bool is_data, is_drawn, is_spent = walk->budget->used > walk->budget->limit;
	unsigned samples = is_spent || run.facts->depth >= 4 ? 1
	                   : run.facts->depth >= 2           ? 2
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
	} else if (!run.facts->has_known_exit || !find_led_trips(&run, statement)) {
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
	    !pops_trips(walk->schedule, walk->facts, walk->samples, statement, run.at))
		run.place = dryrun_look(&walk->dryrun, statement);
	if (is_data && !hint && !is_spent && !run.is_retry && !run.place)
		follow_data(&run, statement);
	if (run.place && !is_spent && dryrun_hedges(&walk->dryrun, run.place, statement)) {
		bound_trips(walk->lanes, run.tally, statement, weight, run.trips, run.at);
		restart(&run);
	}
	if (any(weight, walk->samples->lanes) && !is_spent)
		hint_meet(&walk->hints, walk->question->launch, hint, !knows_trips(&run, is_data));
	run.is_spread = device_value(walk->question->device, COEFFICIENT_WARP_ITEMS, 1) > 1.5 &&
	                exit_is_by_lane(walk->schedule, run.facts, s->condition);
	memcpy(inner, weight, lanes * sizeof(*inner));
	memcpy(inner + lanes, warp_weight, walk->samples->warps * sizeof(*inner));
	target.weight = arena_take(&walk->arena, (lanes + walk->samples->warps) * 2 + lanes);
	if (!target.weight)
		goto out;
	target.left = target.weight + lanes;
	target.warp_weight = target.left + lanes;
	target.again = target.warp_weight + walk->samples->warps;
	memset(target.weight, 0, ((lanes + walk->samples->warps) * 2 + lanes) * sizeof(float));
	walk->targets = &target;
	is_drawn = is_data && leaves_as_drawn(&run);
	if (!hint && (!is_data || is_drawn) && !is_spent && !run.is_led && !run.place &&
	    (run.facts->is_stepped || run.facts->has_known_exit)) {
		is_drawn |= run.facts->has_drawn_exit;
		run.tally->is_assumed |= is_drawn;
		walk->result->is_data_dependent |= is_drawn;
		doubt_trips(&run, is_drawn ? DRAWN_DOUBT : 0);
		step_through(&run, inner, inner + lanes, STEPS_MAX, run.facts->is_stepped);
		if (run.is_cut) {
			walk->result->is_capped = true;
			note_add(walk->result->note, EVALUATE_NOTE_MAX,
			         "loop at line %u: too long to follow", s->line);
		}
		goto out;
	}
	if (!is_data && !hint && !is_spent && run.facts->exits == 0 && !run.facts->is_stepped)
		walk->result->loops[index].is_endless |= has_endless_lane(&run);
	assume_trips(&run, is_data);
	for (unsigned lane = 0; lane < lanes; lane++)
		if (weight[lane] > 0 && run.trips[lane] > most)
			most = run.trips[lane];
	run.tally->most = fmax(run.tally->most, (double)most);
	run.tally->mean = mean_of(&run);
	if (run.facts->has_sequence && !is_spent)
		step_through(&run, inner, inner + lanes,
		             most <= SEQUENCE_STEPS ? SEQUENCE_STEPS : SAMPLES, false);
	else
		walk_samples(&run, weight, warp_weight, inner, inner + lanes, samples);
	leave(&run, !is_data && !hint);
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
