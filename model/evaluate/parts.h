/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often blocks are executed in each part of the NDRange, where what was sampled decides: a
 * picture's sky, the long rows of a matrix. Who hands out work-groups in order needs it.
 */
#ifndef PREDICTD_MODEL_EVALUATE_PARTS_H
#define PREDICTD_MODEL_EVALUATE_PARTS_H

#include "model/evaluate/warps.h"

struct parts {
	unsigned count; /* 0: nobody asks */
	uint32_t blocks;
	unsigned of[EVALUATE_WARPS_MAX]; /* the part that each warp of a walk lies in */
	float *executions;               /* [count][blocks]: of the sampled lanes, together */
	float lanes[EVALUATE_PARTS];
};

/* So many parts that each has work-groups. False when memory is short; freed with parts_deinit. */
bool parts_init(struct parts *parts, const struct question *question);
void parts_deinit(struct parts *parts); /* accepts an empty one */

/* Before a walk: which part its warps lie in, and how many lanes they have there. */
void parts_begin(struct parts *parts, const struct warps *sampled);

/* A block, in lanes of a warp that stand for so many. */
static inline void parts_count(struct parts *parts, unsigned warp, uint32_t block, double lanes)
{
	if (parts->count > 0)
		parts->executions[(size_t)parts->of[warp] * parts->blocks + block] += (float)lanes;
}

/* After all walks: means over lanes; they become the answer's. A part without any has NAN. */
void parts_finish(struct parts *parts, struct evaluation *result);

#endif
