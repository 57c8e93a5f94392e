/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sampled warps: which work-items the lanes are, and what of the launch they stand for.
 * Constant but to evaluate/samples.c, which places them anew before each walk.
 */
#ifndef PREDICTD_MODEL_EVALUATE_SAMPLES_H
#define PREDICTD_MODEL_EVALUATE_SAMPLES_H

#include "model/evaluate/question.h"

struct samples {
	unsigned all;                      /* warps that are sampled, in one walk or more */
	unsigned warp_items, warps, lanes; /* of one walk: lanes = warps * warp_items */
	double weight[EVALUATE_WARPS_MAX]; /* warps of the launch that each stands for */
	double place[EVALUATE_WARPS_MAX];  /* of its group among all, 0 to 1 */
	uint64_t *ids;                     /* [9][lanes]: global, local, group by dimension */
	bool *is_lane;                     /* [lanes]: a work-item of the launch */
};

/*
 * How many warps, and the memory for them. requires the sizes of the NDRange; false when memory is
 * short. Freed with samples_deinit.
 */
bool samples_init(struct samples *samples, const struct question *question);
void samples_deinit(struct samples *samples); /* accepts an empty one */

/* Places the warps of the walk that begins with the `first` of all. */
void samples_place(struct samples *samples, const struct question *question, unsigned first);

/* Ids of the lanes along a dimension: NODE_GLOBAL_ID, NODE_LOCAL_ID, NODE_GROUP_ID. */
static inline const uint64_t *samples_ids(const struct samples *samples, enum node_op op,
                                          unsigned dimension)
{
	unsigned of = op == NODE_GLOBAL_ID ? 0 : op == NODE_LOCAL_ID ? 3 : 6;

	return samples->ids + (size_t)(of + dimension) * samples->lanes;
}

#endif
