/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A dry run: a few work-items of a launch are executed, one after the other, over memory that is
 * made up. What the launch decides comes out as it is (a draw from numbers that follow from
 * a seed, rays through a picture, states in vectors); what memory decides as far as the numbers
 * that are drawn in its place are like any (a byte, a hinted range, what a kernel has stored
 * itself, reals between zero and one). Loops are told how often they go round, branches how often
 * they are taken; nothing but what such decisions rest on is computed.
 */
#ifndef PREDICTD_MODEL_EVALUATE_DRYRUN_H
#define PREDICTD_MODEL_EVALUATE_DRYRUN_H

#include "model/evaluate/budget.h"
#include "model/evaluate/schedule.h"
#include "model/evaluate/warps.h"

enum {
	DRYRUN_WARPS = 8, /* that work-items are taken from, and how many of each */
	DRYRUN_LANES = 8,
	DRYRUN_ITEMS = DRYRUN_WARPS * DRYRUN_LANES,
	DRYRUN_KEPT = 64 /* trips of a loop's entries */
};

/* What a number rests on, besides the launch; bits. */
enum dryrun_ground {
	DRYRUN_EVEN = 1, /* integers that are as likely as others: a range, a mask, a remainder */
	DRYRUN_REAL = 2, /* reals of memory, as if between zero and one */
	DRYRUN_WILD = 4, /* integers of memory of which nothing is known */
	DRYRUN_OPEN = 8, /* what cannot be computed */
	DRYRUN_SHARED = 16, /* what other work-items of the group may have stored */
	DRYRUN_BYTE = 32,   /* bytes: even, but few may be usual where one has to equal another */
	DRYRUN_RAW = 64,    /* reals of memory as they are: of no known scale, */
	DRYRUN_SCALE = 128  /* which was asked for, or is another one than that of the made up */
};

/* A loop or a branch. */
struct dryrun_place {
	uint32_t met; /* entries of a loop, decisions at a branch */
	double sum;   /* trips of all of them; those that went into the first side */
	uint8_t ground;
	uint32_t met_by[DRYRUN_ITEMS]; /* the same of each work-item */
	float sum_by[DRYRUN_ITEMS];
	uint32_t kept[DRYRUN_KEPT]; /* of a loop: trips of its first entries */
};

/* Made when somebody asks first: its places are written then, and by nobody else. */
struct dryrun {
	const struct schedule *schedule;
	const struct loop_facts *facts;
	uint64_t budget; /* values that it may compute */
	bool is_made;
	struct dryrun_place *places;
	uint32_t *place_of; /* by statement; IR_NONE: no loop, no branch */
	uint32_t place_count;
};

/*
 * Executes work-items of the launch that is being evaluated, as many as the budget suffices for;
 * `run` is freed with dryrun_deinit. Without memory, or of a kernel that is too large for it, it
 * has no places.
 */
void dryrun_make(struct dryrun *run);
void dryrun_deinit(struct dryrun *run); /* accepts an empty one */

/* The number of the work-item that a lane of a warp is like, where so many are in a warp. */
static inline unsigned dryrun_item(uint64_t warp, unsigned lane, unsigned warp_items)
{
	return (unsigned)(warp % DRYRUN_WARPS) * DRYRUN_LANES + lane * DRYRUN_LANES / warp_items;
}

/* What it found of a statement; NULL: nothing. */
static inline const struct dryrun_place *dryrun_place(const struct dryrun *run, uint32_t statement)
{
	const struct dryrun_place *place;

	if (!run->places || run->place_of[statement] == IR_NONE)
		return NULL;
	place = &run->places[run->place_of[statement]];
	return place->met > 0 ? place : NULL;
}

/*
 * What it says of a loop or branch that data decide, after it is made; NULL: nothing that says more
 * than nothing. See evaluate/dry.c.
 */
const struct dryrun_place *dryrun_look(struct dryrun *run, uint32_t statement);

/*
 * Whether what a question says by itself is better than how few work-items have answered it: it is
 * as likely as they say, as far as their number tells; or it is about reals, and says something.
 */
bool dryrun_yields(const struct dryrun_place *place, double chance);

/* Trips of that loop in a lane, and the share of its decisions that go into that branch. */
uint64_t dryrun_trips(const struct dryrun_place *place, const struct warps *sampled,
                      const struct budget *budget, unsigned lane);
double dryrun_share(const struct dryrun_place *place, const struct warps *sampled, unsigned lane);

/*
 * Those trips beside a bound: of reals, whose scale nobody knows (dryrun_hedges: they end the loop,
 * or one within it), as far from half of it as from what the dry run says.
 */
bool dryrun_hedges(const struct dryrun *run, const struct dryrun_place *place, uint32_t statement);
uint64_t dryrun_hedged(uint64_t trips, uint64_t bound);

#endif
