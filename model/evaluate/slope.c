/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether work-groups have the more or the less to do the later they come: layers with fewer
 * layers above them, the half of a matrix above its diagonal. Found as a line through what
 * sampled warps work by where they are, if that is not how they differ by chance.
 */
#include "model/evaluate/slope.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/underived.h"

#define SAMPLES_MIN 8

bool slope_init(struct slope *slope, const struct ir_kernel *kernel)
{
	memset(slope, 0, sizeof(*slope));
	slope->block_work = calloc(kernel->block_count + 1, sizeof(*slope->block_work));
	if (!slope->block_work)
		return false;
	/* what is computed in it, and an end */
	for (uint32_t i = 0; i < kernel->block_count; i++)
		slope->block_work[i] = 1;
	for (uint32_t id = 0; id < kernel->node_count; id++) {
		uint32_t block = kernel->summary->node_block[id];

		if (block < kernel->block_count)
			slope->block_work[block]++;
	}
	return true;
}

void slope_deinit(struct slope *slope)
{
	free(slope->block_work);
	memset(slope, 0, sizeof(*slope));
}

void slope_begin(struct slope *slope)
{
	memset(slope->work, 0, sizeof(slope->work));
}

void slope_end(struct slope *slope, const struct warps *sampled)
{
	for (unsigned i = 0; i < sampled->warps; i++) {
		double x = sampled->place[i], y = slope->work[i];

		slope->count++;
		slope->x += x;
		slope->y += y;
		slope->xx += x * x;
		slope->xy += x * y;
		slope->yy += y * y;
	}
}

double slope_of(const struct slope *slope)
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
