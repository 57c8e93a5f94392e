/* SPDX-License-Identifier: Apache-2.0 */
/* A loop while it is evaluated; private to evaluate/loop.c and evaluate/trips.c. */
#ifndef PREDICTD_MODEL_EVALUATE_LOOP_H
#define PREDICTD_MODEL_EVALUATE_LOOP_H

#include "model/evaluate/lanes.h"

struct walk;

struct loop_run {
	struct walk *walk; /* for evaluate/loop.c alone */
	struct lanes *lanes;
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

/* answer[] from the condition as it stands in its slot. */
void loop_read_condition(struct loop_run *run);

/*
 * trips[] by closed form; UINT64_MAX where the loop does not end by its condition. scratch: a
 * number per lane.
 */
void loop_find_trips(struct loop_run *run, int64_t *scratch);

#endif
