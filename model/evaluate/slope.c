/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether work-groups have the more or the less to do the later they come: layers with fewer
 * layers above them, the half of a matrix above its diagonal. Found as a line through what
 * sampled warps work by where they are, if that is not how they differ by chance.
 */
#include <math.h>

#include "model/evaluate/lanes.h"
#include "model/underived.h"

#define SAMPLES_MIN 8

/* A block's work is what is computed in it, and an end. */
void slope_prepare(struct evaluator *evaluator)
{
	const struct ir_kernel *kernel = evaluator->kernel;

	for (uint32_t i = 0; i < kernel->block_count; i++)
		evaluator->block_work[i] = 1;
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		uint32_t block = evaluator->summary->node_block[id];

		if (block < kernel->block_count)
			evaluator->block_work[block]++;
	}
}

void slope_add(struct evaluator *evaluator)
{
	struct evaluator_slope *slope = &evaluator->slope;

	for (unsigned i = 0; i < evaluator->warps; i++) {
		double x = evaluator->sample_place[i], y = evaluator->sample_work[i];

		slope->count++;
		slope->x += x;
		slope->y += y;
		slope->xx += x * x;
		slope->xy += x * y;
		slope->yy += y * y;
	}
}

double slope_of(const struct evaluator_slope *slope)
{
	double n = slope->count, mean, xx, xy, yy, by;

	if (n < SAMPLES_MIN || !(slope->y > 0))
		return 0;
	mean = slope->y / n;
	xx = slope->xx / n - slope->x / n * slope->x / n;
	yy = slope->yy / n - mean * mean;
	xy = slope->xy / n - slope->x / n * mean;
	if (!(xx > 0) || !(yy > 0) ||
	    !(xy * xy * (n - 2) > ERRORS_MOST * ERRORS_MOST * (xx * yy - xy * xy)))
		return 0;
	by = xy / xx;
	mean += by * (0.5 - slope->x / n);
	return mean > 0 ? fmax(-2, fmin(2, by / mean)) : 0;
}
