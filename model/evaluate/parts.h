/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often blocks are executed in each part of the NDRange, where what was sampled decides: a
 * picture's sky, the long rows of a matrix. Who hands out work-groups in order needs it. Each part
 * has two halves of its sampled work-items, which differ by chance alone.
 */
#ifndef PREDICTD_MODEL_EVALUATE_PARTS_H
#define PREDICTD_MODEL_EVALUATE_PARTS_H

#include "model/evaluate/warps.h"

struct parts {
	unsigned count; /* 0: nobody asks */
	uint32_t blocks;
	bool has_scouts;                 /* lanes of a warp are halves, else warps are */
	unsigned of[EVALUATE_WARPS_MAX]; /* twice the part of each warp of a walk, and its half */
	float *executions;               /* [2 count][blocks]: of the sampled lanes, together */
	float lanes[2 * EVALUATE_PARTS]; /* that those are of */
};

/*
 * So many parts that each has work-groups; none of a kernel of too many blocks. False when memory
 * is short; freed with parts_deinit.
 */
bool parts_init(struct parts *parts, const struct question *question);
void parts_deinit(struct parts *parts); /* accepts an empty one */

/* Scouts come instead of all warps so far. */
void parts_restart(struct parts *parts);

/* Before a walk: which parts its warps lie in, and how many lanes they have there. */
void parts_begin(struct parts *parts, const struct warps *sampled);

/* A block, in all lanes of some weight. */
void parts_count(struct parts *parts, const struct warps *sampled, uint32_t block,
                 const float *weight);

/* After all walks: means over lanes; they become the answer's. A half without any has NAN. */
void parts_finish(struct parts *parts, struct evaluation *result);

#endif
