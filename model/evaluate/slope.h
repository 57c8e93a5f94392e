/* SPDX-License-Identifier: Apache-2.0 */
/* Whether work-groups have the more or the less to do the later they come. */
#ifndef PREDICTD_MODEL_EVALUATE_SLOPE_H
#define PREDICTD_MODEL_EVALUATE_SLOPE_H

#include "model/evaluate/warps.h"

struct slope {
	float *block_work;               /* of one execution of a block */
	double work[EVALUATE_WARPS_MAX]; /* of the warps of this walk: values computed so far */
	/* sums over sampled warps of where they are (x) and what they work (y) */
	double count, x, y, xx, xy, yy;
};

/* False when memory is short; freed with slope_deinit. */
bool slope_init(struct slope *slope, const struct ir_kernel *kernel);
void slope_deinit(struct slope *slope); /* accepts an empty one */

/* Before a walk, a block of it in so many lanes of a warp, and after it. */
void slope_begin(struct slope *slope);
static inline void slope_count(struct slope *slope, unsigned warp, uint32_t block, float lanes)
{
	slope->work[warp] += (double)(lanes * slope->block_work[block]);
}
void slope_end(struct slope *slope, const struct warps *sampled);

/* By how much more work the last work-group has than the first, in means; 0: none to speak of. */
double slope_of(const struct slope *slope);

/*
 * The standard error of the mean work, in means: how far the sampled warps may be from what all do,
 * as they differ by anything but the line. 0: all work the same, or there is one alone.
 */
double slope_doubt(const struct slope *slope);

#endif
