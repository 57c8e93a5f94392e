/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A branch: which lanes of the sampled warps go into which side, as the launch says, values that
 * were drawn, a dry run, or a chance.
 */
#include <math.h>

#include "model/evaluate/exits.h"
#include "model/evaluate/walk.h"
#include "model/underived.h"

/* What was taken for a branch that data decide: how many of the work-items go into it. */
static void note_branch(struct walk *walk, const struct ir_statement *s, double assumed,
                        bool is_drawn, bool is_told)
{
	char *note = walk->result->note;
	uint32_t line = s->line;
	double record;

	if (is_drawn)
		note_add(note, EVALUATE_NOTE_MAX,
		         "branch at line %u: by values drawn from their range", line);
	else if (is_told)
		note_add(note, EVALUATE_NOTE_MAX, "branch at line %u: %.0f %% by a dry run", line,
		         100 * assumed);
	else if (record_chance(&walk->chances, s->condition, &record))
		note_add(note, EVALUATE_NOTE_MAX,
		         "branch at line %u: whenever one is among the best so far", line);
	else if (assumed > 0 && assumed < 0.4)
		note_add(note, EVALUATE_NOTE_MAX, "branch at line %u: one in %.0f assumed", line,
		         1 / assumed);
	else if (assumed > 0.6 && assumed < 1)
		note_add(note, EVALUATE_NOTE_MAX, "branch at line %u: all but one in %.0f assumed",
		         line, 1 / (1 - assumed));
	else if (assumed > 0 && assumed < 1)
		note_add(note, EVALUATE_NOTE_MAX, "branch at line %u: half assumed", line);
}

/* In the first lane that gets there. */
static double chance_of_first(const struct walk *walk, const struct ir_statement *s,
                              const float *weight)
{
	unsigned lane = 0;

	while (lane + 1 < walk->sampled->lanes && !(weight[lane] > 0))
		lane++;
	return chance_of(&walk->chances, s->condition, lane);
}

/* Whether neither the launch nor what is drawn decides in a lane that gets there. */
static bool has_unknown_lane(const struct walk *walk, const struct ir_statement *s,
                             const float *weight)
{
	if (!lanes_has(walk->lanes, s->condition))
		return true;
	for (unsigned i = 0; i < walk->sampled->lanes; i++)
		if (weight[i] > 0 && lanes_known(walk->lanes, s->condition)[i] < NUMBER_CHANCE)
			return true;
	return false;
}

/*
 * Whether work-items go the way of the one before them, which a core runs one after the other: what
 * it went through in the same order it guesses.
 */
static void count_neighbours(struct walk *walk, const struct ir_statement *s, const float *weight)
{
	const int64_t *value = lanes_value(walk->lanes, s->condition);
	const uint8_t *known = lanes_known(walk->lanes, s->condition);
	struct evaluation_block *block = &walk->result->blocks[s->body];

	for (unsigned i = 1; i < walk->sampled->lanes; i++) {
		unsigned warp = i / walk->sampled->warp_items;
		double share =
		        walk->sampled->weight[warp] * (double)fminf(weight[i], weight[i - 1]);

		if (i % walk->sampled->warp_items == 0 || !(share > 0) ||
		    known[i] != NUMBER_KNOWN || known[i - 1] != NUMBER_KNOWN)
			continue;
		block->neighbours.all += share;
		if ((value[i] != 0) != (value[i - 1] != 0))
			block->neighbours.changed += share;
	}
}

void walk_branch(struct walk *walk, const struct ir_statement *s, float *weight, float *warp_weight)
{
	size_t mark = walk->arena.used;
	unsigned lanes = walk->sampled->lanes, warps = walk->sampled->warps;
	float *then = arena_take(&walk->arena, lanes + warps);
	float *otherwise = arena_take(&walk->arena, lanes + warps);
	const struct launch_hint *hint = hint_find(walk->question->launch, true, s->line);
	bool has_condition = lanes_has(walk->lanes, s->condition), is_assumed = false;
	bool is_drawn = false,
	     is_settled = has_condition && !(walk->schedule->flags[s->condition] &
	                                     (SCHEDULE_OPAQUE | SCHEDULE_REDRAWN));
	const int64_t *value = has_condition ? lanes_value(walk->lanes, s->condition) : NULL;
	const uint8_t *known = has_condition ? lanes_known(walk->lanes, s->condition) : NULL;
	double share = 0.5, assumed = 0;
	bool is_open = false; /* nothing but the data says how often */
	bool is_reached = false;
	bool is_alike = false, is_record = false;
	bool is_told = false;
	const struct dryrun_place *place = NULL;
	double chance = -1; /* of the lanes so far, where they are alike */

	if (!then || !otherwise)
		goto out;
	if (hint)
		share = fmin(fmax(hint->value, 0), 1);
	else if (leaves_loop(walk->kernel, s->body))
		share = share_of_leaving(walk->kernel, walk->tallies, s->body,
		                         chance_of_first(walk, s, weight));
	else if (leaves_loop(walk->kernel, s->otherwise))
		share = 1 - share_of_leaving(walk->kernel, walk->tallies, s->otherwise,
		                             1 - chance_of_first(walk, s, weight));
	else
		is_open = true;
	if (is_open) {
		is_alike = chance_is_alike(&walk->chances, s->condition);
		is_record = record_chance(&walk->chances, s->condition, &chance);
		chance = -1;
	}
	if (!hint && has_unknown_lane(walk, s, weight))
		place = dryrun_look(&walk->dryrun, (uint32_t)(s - walk->kernel->statements));
	if (has_condition && (walk->schedule->flags[s->condition] & SCHEDULE_HELD) &&
	    !walk->lanes->is_scouting && !device_is_lockstep(walk->question->device))
		count_neighbours(walk, s, weight);
	for (unsigned warp = 0; warp < warps; warp++) {
		double avoid_then = 1, avoid_otherwise = 1;
		unsigned at_chance = 0;

		for (unsigned i = 0; i < walk->sampled->warp_items; i++) {
			unsigned lane = warp * walk->sampled->warp_items + i;
			double p = share;

			then[lane] = otherwise[lane] = 0;
			if (!(weight[lane] > 0))
				continue;
			is_reached = true;
			if (known && known[lane] == NUMBER_KNOWN) {
				p = value[lane] != 0;
			} else if (known && known[lane] == NUMBER_CHANCE && !hint &&
			           (is_settled || is_open)) {
				p = value[lane] != 0;
				is_assumed = is_drawn = true;
			} else {
				if (is_open && (!is_alike || chance < 0))
					chance = chance_of(&walk->chances, s->condition, lane);
				is_told = place && !(is_open && dryrun_yields(place, chance));
				if (is_told)
					p = dryrun_share(place, walk->sampled, lane);
				else if (is_open)
					p = chance;
				assumed = p;
				is_assumed = true;
				at_chance++;
			}
			then[lane] = (float)((double)weight[lane] * p);
			otherwise[lane] = (float)((double)weight[lane] * (1 - p));
			avoid_then *= 1 - p;
			avoid_otherwise *= p;
		}
		if (is_record && !place && at_chance > 1)
			avoid_then =
			        1 - record_chance_of_any(&walk->chances, s->condition, at_chance);
		then[lanes + warp] = (float)((double)warp_weight[warp] * (1 - avoid_then));
		otherwise[lanes + warp] =
		        (float)((double)warp_weight[warp] * (1 - avoid_otherwise));
	}
	if (is_reached)
		hint_meet(&walk->hints, walk->question->launch, hint, is_assumed);
	if (is_assumed && !(place && place->ground == 0)) {
		walk->result->is_data_dependent = true;
		if (!hint) {
			note_branch(walk, s, assumed, is_drawn, is_told);
			walk->result->blocks[s->body].doubt = BRANCH_DOUBT;
		}
	}
	walk_block(walk, s->body, then, then + lanes);
	if (s->otherwise != IR_NONE)
		walk_block(walk, s->otherwise, otherwise, otherwise + lanes);
	for (unsigned i = 0; i < lanes; i++)
		weight[i] = then[i] + otherwise[i];
	for (unsigned i = 0; i < warps; i++)
		warp_weight[i] = fminf(warp_weight[i], then[lanes + i] + otherwise[lanes + i]);
out:
	walk->arena.used = mark;
}
