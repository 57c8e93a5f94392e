/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often adds of work-items that have nothing to do with each other go to one line: counted over
 * the sampled warps, of which those of the whole launch are drawn.
 *
 * Of adds drawn at random a share p of which goes to a line, two meet with the sum of p^2 over all
 * lines, three with that of p^3. The quotient is the share of the line in which an add that meets
 * another one finds itself: 1 / n where n lines are hit evenly, and nearly that of the hottest
 * where few are hot. Sums over pairs and triples of different warps estimate both without bias
 * (Hoeffding, Annals of Mathematical Statistics 19(3), 1948), however often neighbours in a warp go
 * together.
 */
#ifndef PREDICTD_MODEL_EVALUATE_MEET_H
#define PREDICTD_MODEL_EVALUATE_MEET_H

#include "model/evaluate/evaluate.h"

/* Lines, or longer blocks, that were met in. */
struct meeting_table {
	struct meeting_block *blocks; /* in the order in which they were met */
	uint16_t *slots;              /* by open addressing: 0: free, else block + 1 */
	unsigned block_shift;         /* bytes of a block: 1 << block_shift */
	uint32_t block_count;
	bool is_full;  /* more blocks than there is room for: nothing more is counted */
	double sum[3]; /* of a warp's adds, of their squares, of their cubes */
};

/* What was counted of one access; a zeroed one is empty, and counts nothing. */
struct meetings {
	struct meeting_table
	        tables[EVALUATE_MEETINGS + 1]; /* the last: addresses, if it is asked for */
	/* sums over warps: adds but the first, of which nobody knows who came before; and of those
	 * the ones to a line where another of the warp goes */
	double followers, joined;
	unsigned turn_shift; /* of a unit in which lanes at one address take turns; 0: there is none
	                      */
};

/*
 * A CPU's units take lines of their last cache from each other. A GPU's last cache serves lines in
 * parts, of which neighbours have few: so blocks of as many as were calibrated, too.
 *
 * address_bytes   of what an exchange goes to; 0: other atomics, which nobody repeats
 *
 * False when memory is short; freed with meetings_deinit in any case.
 */
bool meetings_init(struct meetings *meetings, const struct device *device, double address_bytes);
void meetings_deinit(struct meetings *meetings); /* accepts an empty one */

static inline bool meetings_count(const struct meetings *meetings)
{
	return meetings->tables[0].blocks != NULL;
}

/*
 * Adds what a warp's lanes do at `count` sorted addresses, no more than EVALUATE_LANES_MAX. Of a
 * GPU these are turns: lanes at one address of a unit come one after another
 * (device/serialisation.h), others together. Of a CPU each add is one.
 */
void meet_add(struct meetings *meetings, const int64_t *sorted, unsigned count);

/*
 * Fills is_met; and meet_share, hot_share and same_share, where enough was counted to say them, and
 * of a CPU joined_share.
 */
void meet_finish(const struct meetings *meetings, struct evaluation_access *access);

#endif
