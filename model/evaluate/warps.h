/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sampled warps: which work-items the lanes are, and what of the launch they stand for.
 * Constant but to evaluate/warps.c, which places them anew before each walk.
 */
#ifndef PREDICTD_MODEL_EVALUATE_WARPS_H
#define PREDICTD_MODEL_EVALUATE_WARPS_H

#include "model/evaluate/question.h"

struct warps {
	unsigned all;                      /* warps that are sampled, in one walk or more */
	unsigned warp_items, warps, lanes; /* of one walk: lanes = warps * warp_items */
	double weight[EVALUATE_WARPS_MAX]; /* warps of the launch that each stands for */
	double place[EVALUATE_WARPS_MAX];  /* of its group among all, 0 to 1 */
	uint64_t *ids;                     /* [9][lanes]: global, local, group by dimension */
	bool *is_lane;                     /* [lanes]: a work-item of the launch */
};

/*
 * How many warps, and the memory for them. requires the sizes of the NDRange; false when memory is
 * short. Freed with warps_deinit.
 */
bool warps_init(struct warps *sampled, const struct question *question);
void warps_deinit(struct warps *sampled); /* accepts an empty one */

/* Places the warps of the walk that begins with the `first` of all. */
void warps_place(struct warps *sampled, const struct question *question, unsigned first);

/*
 * Places scouts instead: each lane is any work-item of its warp's part of the NDRange, of which
 * there are as many as warps in `walks` walks. What lanes of a warp touch together is nothing then.
 */
void warps_scatter(struct warps *sampled, const struct question *question, unsigned walk,
                   unsigned walks);

/* Ids of the lanes along a dimension: NODE_GLOBAL_ID, NODE_LOCAL_ID, NODE_GROUP_ID. */
static inline const uint64_t *warps_ids(const struct warps *sampled, enum node_op op,
                                        unsigned dimension)
{
	unsigned of = op == NODE_GLOBAL_ID ? 0 : op == NODE_LOCAL_ID ? 3 : 6;

	return sampled->ids + (size_t)(of + dimension) * sampled->lanes;
}

#endif
