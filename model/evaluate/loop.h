/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop while it is evaluated; private to evaluate/loop.c, which walks its body, and to trips.c
 * and assume.c, which find its trips.
 */
#ifndef PREDICTD_MODEL_EVALUATE_LOOP_H
#define PREDICTD_MODEL_EVALUATE_LOOP_H

#include "model/evaluate/arena.h"
#include "model/evaluate/chance.h"
#include "model/evaluate/dryrun.h"
#include "model/evaluate/lanes.h"

struct loop_run {
	struct lanes *lanes;
	const struct chances *chances;
	struct dryrun *dryrun;
	struct arena *arena;
	struct evaluation *result;          /* notes, and the doubt of its body */
	const struct loop_facts *all_facts; /* by list */
	const struct loop_tally *tallies;   /* by list */
	const struct ir_statement *statement;
	uint32_t list;
	const struct loop_facts *facts; /* the loop's */
	struct loop_tally *tally;
	const float *weight;
	uint64_t *trips, *at; /* per lane */
	uint8_t *answer;      /* per lane: LOOP_ENDS, LOOP_GOES_ON, LOOP_UNKNOWN */
	bool has_unknown;
	bool takes_chance; /* what data decide was drawn before the loop: as good as known */
	bool is_cut;       /* stepping ended before the lanes did */
	bool is_retry;     /* see struct ir_loop */
	const struct dryrun_place *place; /* of its dry run; NULL: none, or no help */
	bool is_drawn;                    /* its trips follow from what was drawn before it */
	bool is_simulated;                /* its trips were drawn iteration by iteration */
	bool is_spread;                   /* lanes of a warp end it one by one */
	uint32_t condition;               /* that goes on, or that ends it where that is_led */
	bool is_led; /* `for (;;) { if (condition) break; ...`, where nothing else ends it */
};

enum { LOOP_ENDS, LOOP_GOES_ON, LOOP_UNKNOWN };

/* Whether somebody comes to the loop in this lane. */
bool loop_lane_matters(const struct loop_run *run, unsigned lane);

/* Sets the loop's variables to iteration at[lane]. */
void loop_go(struct loop_run *run, const uint64_t *at);

/* Evaluates the loop's list as its variables stand, or as they begin. */
void loop_run_list(struct loop_run *run);
void loop_restart(struct loop_run *run);

/* answer[] from the condition as it stands in its slot. */
void loop_read_condition(struct loop_run *run);

/*
 * trips[] by closed form; UINT64_MAX where the loop does not end by its condition. scratch: a
 * number per lane.
 */
void loop_find_trips(struct loop_run *run, int64_t *scratch);

/* trips[] of a loop that exit_leading alone ends; false: not found, all as before. */
bool loop_find_led_trips(struct loop_run *run, uint32_t statement);

/* Where no bound is known: trips as they are drawn, or else as far as data leave a bound. */
void loop_follow_data(struct loop_run *run, uint32_t statement);

/*
 * Where data decides, or nothing: the hint, half the bound, or 16; as few as there are where data
 * have to be equal for another one.
 */
void loop_assume_trips(struct loop_run *run, bool is_data);

/* The standard deviation of ln(trips), or more as another entry says. */
void loop_doubt(struct loop_run *run, double doubt);

#endif
