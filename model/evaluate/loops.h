/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of a loop before the walk, and what the walk counts of it. Arrays of both go by
 * list: [0] is outside all loops, and is left empty.
 */
#ifndef PREDICTD_MODEL_EVALUATE_LOOPS_H
#define PREDICTD_MODEL_EVALUATE_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

enum { DRAWN_KEPT = 64, SHORT_TRIPS = 16 };

/* Found by rows_find, schedule_init and exits_find; constant in the walk. */
struct loop_facts {
	uint32_t depth;      /* loops around it */
	uint32_t exits;      /* statements that leave it early */
	bool has_known_exit; /* the launch decides about an early exit: simulate */
	bool has_drawn_exit; /* and values drawn from a range have a part in it */
	bool has_data_exit;  /* memory decides about it */
	bool is_by_lane;     /* what decides is not the same for all of a work-group */
	bool is_stepped;   /* the condition has no closed form: by a variable, or by what is read */
	bool has_sequence; /* another needed variable has none */
	bool has_held;     /* what a sample says decides within it: iterations differ */
	bool is_window;    /* goes through what is in order until it is far enough */
};

/* Written by evaluate/loop.c and assume.c, and by draw_trips and bound_trips of the loop they are
 * asked about. */
struct loop_tally {
	double trip_weight, trips_total;   /* sums over samples */
	double most;                       /* trips of an entry, in any sample */
	double mean;                       /* of those that are being walked */
	double short_entries[SHORT_TRIPS]; /* by how many trips, where those are drawn */
	double stepped, ended; /* lanes in all steps through what samples end, and that left */
	double ended_times;    /* warps of which any left, by steps */
	bool is_assumed;       /* data decided, at least once */
	bool takes_advance;    /* variables without a closed form go as far as is likely */
	bool is_open;          /* its trips cannot be drawn */
	bool is_boundless;     /* nothing but data ends it */
	uint32_t drawn_count;  /* trips drawn so far, and the newest of them */
	uint32_t drawn[DRAWN_KEPT];
};

#endif
