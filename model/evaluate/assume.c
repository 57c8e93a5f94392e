/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trips of a loop that data, or nothing, ends: a hint, a dry run, what was drawn, half of a bound,
 * what such loops usually have.
 */
#include <math.h>
#include <string.h>

#include "model/evaluate/amortised.h"
#include "model/evaluate/bound.h"
#include "model/evaluate/draw.h"
#include "model/evaluate/dryrun.h"
#include "model/evaluate/exits.h"
#include "model/evaluate/hints.h"
#include "model/evaluate/loop.h"
#include "model/evaluate/usual.h"
#include "model/underived.h"

enum { SPREAD = 13 /* a prime: lanes beside each other do not end one after another */ };

/* The chance that an iteration is the last, by what data have to be like for the next one. */
static double chance_of_leaving(const struct loop_run *run)
{
	const struct lanes *lanes = run->lanes;
	const struct ir_kernel *kernel = lanes->kernel;
	unsigned lane = 0;
	double chance = 0;

	while (lane + 1 < lanes->count && !loop_lane_matters(run, lane))
		lane++;
	if (run->statement->body == IR_NONE)
		return 0;
	for (uint32_t i = kernel->blocks[run->statement->body].first; i != IR_NONE;
	     i = kernel->statements[i].following) {
		const struct ir_statement *s = &kernel->statements[i];

		if (s->kind != STATEMENT_BRANCH)
			continue;
		if (leaves_loop(lanes->kernel, s->body))
			chance = fmax(chance, chance_of(run->chances, s->condition, lane));
		else if (leaves_loop(lanes->kernel, s->otherwise))
			chance = fmax(chance, 1 - chance_of(run->chances, s->condition, lane));
	}
	return chance;
}

static unsigned probes_of(const struct loop_run *run, uint32_t statement)
{
	uint64_t most = 0;

	for (unsigned lane = 0; lane < run->lanes->count; lane++)
		if (loop_lane_matters(run, lane) && run->trips[lane] > most)
			most = run->trips[lane];
	return trips_of_probes(run->lanes->schedule, statement, most);
}

/* Counts entries by their trips: what is short and always the same has an end that a core foresees.
 */
static void count_short(const struct loop_run *run)
{
	const struct lanes *lanes = run->lanes;

	for (unsigned lane = 0; lane < lanes->count; lane++)
		if (loop_lane_matters(run, lane) && run->trips[lane] < SHORT_TRIPS)
			run->tally->short_entries[run->trips[lane]] +=
			        lanes->sampled->weight[lane / lanes->sampled->warp_items] *
			        (double)run->weight[lane];
}

/*
 * Trips that a lane leaves out of those that its bound lets it have: any number but all, evenly, so
 * that a warp takes nearly all of them, though its lanes take half in the mean.
 */
static uint64_t spread_of(const struct loop_run *run, unsigned lane)
{
	unsigned lanes = run->lanes->sampled->warp_items;
	double share = (lane * SPREAD % lanes + 0.5) / lanes;

	return (uint64_t)(share * (double)run->trips[lane]);
}

void loop_doubt(struct loop_run *run, double doubt)
{
	struct evaluation_block *body = &run->result->blocks[run->statement->body];

	body->doubt = fmax(body->doubt, doubt);
}

/* Of trips that memory has a part in, by the surest that tells them. */
static double doubt_of_drawn(const struct loop_run *run, bool has_dry)
{
	const unsigned reals = DRYRUN_REAL | DRYRUN_RAW | DRYRUN_SCALE;
	bool is_mean =
	        has_dry ? (run->place->ground & reals) != 0 : run->lanes->schedule->rows->is_known;

	return is_mean ? MEAN_DOUBT : DRAWN_DOUBT;
}

/* Whether what was sampled has a part in the loop's condition. */
static bool is_held(const struct loop_run *run)
{
	return run->condition != IR_NONE &&
	       (run->lanes->schedule->flags[run->condition] & SCHEDULE_HELD);
}

void loop_assume_trips(struct loop_run *run, bool is_data)
{
	struct lanes *lanes = run->lanes;
	const struct launch_hint *hint =
	        hint_find(lanes->question->launch, false, run->statement->line);
	char *note = run->result->note;
	bool has_half = false, has_default = false;
	/* what repeats an exchange until it succeeds is taken to be let through at once */
	double leaves = is_data && !hint && !run->is_retry ? chance_of_leaving(run) : 0;
	bool is_short = run->is_retry || leaves > OFTEN || run->facts->is_window;
	uint32_t statement = (uint32_t)(run->statement - lanes->kernel->statements);
	unsigned otherwise;
	const struct dryrun_place *place;
	bool has_dry = false, hedges;
	bool is_drawn = is_data && !hint && run->takes_chance && !run->has_unknown && !run->place;

	run->is_drawn = is_drawn;
	place = hint ? NULL : run->place;
	hedges = place && dryrun_hedges(run->dryrun, place, statement);
	if (run->is_retry)
		otherwise = probes_of(run, statement);
	else if (leaves > OFTEN)
		otherwise = (unsigned)llround(1 / leaves);
	else
		otherwise = trips_of_bits(lanes->kernel, run->statement);
	if (otherwise == 0)
		otherwise = trips_of_walk(lanes->schedule, statement);
	if (otherwise == 0)
		otherwise = EVALUATE_TRIPS_DEFAULT;
	for (unsigned lane = 0; lane < lanes->count && !run->is_simulated; lane++) {
		if (hint) {
			double trips = hint->value >= 0 && hint->value < 1e12 ? hint->value : 0;

			run->trips[lane] = (uint64_t)llround(trips);
		} else if (place) {
			uint64_t trips = dryrun_trips(place, lanes->sampled, lanes->budget, lane);

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
		         lanes->schedule->rows->is_known
		                 ? "loop at line %u: trips by the mean length of a row"
		                 : "loop at line %u: trips by values drawn from their range",
		         run->statement->line);
	is_drawn |= run->is_simulated || (has_dry && place->ground != 0);
	if ((is_drawn || is_held(run)) && !has_default && !has_half &&
	    !lanes->schedule->rows->is_known)
		count_short(run);
	if (has_default || has_half || is_drawn)
		run->result->is_data_dependent = true;
	run->tally->is_assumed |= has_default || has_half || is_drawn || hint;
	if (!hint)
		loop_doubt(run, has_default ? ASSUMED_DOUBT
		                : has_half  ? MEAN_DOUBT
		                : is_drawn  ? doubt_of_drawn(run, has_dry)
		                            : 0);
}

void loop_follow_data(struct loop_run *run, uint32_t statement)
{
	struct lanes *lanes = run->lanes;
	bool is_open = false, is_counted;

	for (unsigned lane = 0; lane < lanes->count; lane++)
		is_open |= loop_lane_matters(run, lane) && run->trips[lane] == UINT64_MAX;
	if (!is_open)
		return;
	run->is_simulated =
	        pops_trips(lanes->schedule, run->all_facts, lanes->sampled, statement, run->at) ||
	        draw_trips(lanes, run->chances, run->arena, run->tally, statement, run->weight,
	                   run->at);
	if (run->is_simulated)
		memcpy(run->trips, run->at, lanes->count * sizeof(*run->at));
	if (run->is_simulated)
		return;
	is_counted = bound_counters(lanes, run->tallies, statement, true);
	if (run->facts->is_stepped || (is_counted && !run->facts->has_data_exit)) {
		run->has_unknown = false;
		run->takes_chance = run->tally->takes_advance = !run->facts->has_data_exit;
		loop_find_trips(run, (int64_t *)(run->at + lanes->count));
	}
	if (run->facts->has_data_exit)
		bound_trips(lanes, run->tally, statement, run->weight, run->trips, run->at);
	bound_counters(lanes, run->tallies, statement, false);
	loop_restart(run);
}

bool loop_find_led_trips(struct loop_run *run, uint32_t statement)
{
	const struct lanes *lanes = run->lanes;
	uint32_t condition = exit_leading(lanes->schedule, run->all_facts, statement);
	bool takes_chance = run->takes_chance, is_found = true;

	if (condition == IR_NONE || run->facts->is_stepped)
		return false;
	run->condition = condition;
	run->is_led = run->takes_chance = true;
	loop_find_trips(run, (int64_t *)(run->at + lanes->count));
	for (unsigned lane = 0; lane < lanes->count; lane++)
		is_found &= !loop_lane_matters(run, lane) || run->trips[lane] < UINT64_MAX;
	if (is_found && !run->has_unknown)
		return true;
	run->condition = run->statement->condition;
	run->takes_chance = takes_chance;
	run->is_led = run->has_unknown = false;
	return false;
}
