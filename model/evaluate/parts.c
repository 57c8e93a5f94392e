/* SPDX-License-Identifier: Apache-2.0 */
/* How often blocks are executed in each part of the NDRange. */
#include "model/evaluate/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Blocks of a kernel beyond which nobody asks: a megabyte. */
enum { BLOCKS_MAX = 1 << 12 };

bool parts_init(struct parts *parts, const struct question *question)
{
	uint64_t groups = question->sizes->groups;

	memset(parts, 0, sizeof(*parts));
	if (question->kernel->block_count > BLOCKS_MAX)
		return true;
	parts->count = groups < EVALUATE_PARTS ? (unsigned)groups : (unsigned)EVALUATE_PARTS;
	parts->blocks = question->kernel->block_count;
	parts->executions =
	        calloc((size_t)2 * parts->count * parts->blocks + 1, sizeof(*parts->executions));
	return parts->executions != NULL;
}

void parts_deinit(struct parts *parts)
{
	free(parts->executions);
	memset(parts, 0, sizeof(*parts));
}

void parts_restart(struct parts *parts)
{
	memset(parts->lanes, 0, sizeof(parts->lanes));
	memset(parts->executions, 0,
	       (size_t)2 * parts->count * parts->blocks * sizeof(*parts->executions));
	parts->has_scouts = true;
}

/* The half that a lane of a warp belongs to. */
static unsigned half_of(const struct parts *parts, unsigned warp, unsigned lane)
{
	return parts->of[warp] ^ (parts->has_scouts ? lane & 1 : 0);
}

void parts_begin(struct parts *parts, const struct warps *sampled)
{
	for (unsigned warp = 0; warp < sampled->warps && parts->count > 0; warp++) {
		unsigned part = (unsigned)(sampled->place[warp] * parts->count);

		parts->of[warp] = 2 * (part < parts->count ? part : parts->count - 1) + (warp & 1);
		for (unsigned i = 0; i < sampled->warp_items; i++)
			if (sampled->is_lane[warp * sampled->warp_items + i])
				parts->lanes[half_of(parts, warp, i)] +=
				        (float)sampled->weight[warp];
	}
}

void parts_count(struct parts *parts, const struct warps *sampled, uint32_t block,
                 const float *weight)
{
	for (unsigned warp = 0; warp < sampled->warps && parts->count > 0; warp++) {
		float sum[2] = {0};

		for (unsigned i = 0; i < sampled->warp_items; i++)
			sum[i & 1] += *weight++;
		for (unsigned i = 0; i < 2; i++)
			parts->executions[(size_t)half_of(parts, warp, i) * parts->blocks +
			                  block] += (float)sampled->weight[warp] * sum[i];
	}
}

void parts_finish(struct parts *parts, struct evaluation *result)
{
	for (unsigned half = 0; half < 2 * parts->count; half++) {
		float *executions = parts->executions + (size_t)half * parts->blocks;

		for (uint32_t block = 0; block < parts->blocks; block++)
			executions[block] = parts->lanes[half] > 0
			                            ? executions[block] / parts->lanes[half]
			                            : NAN;
	}
	result->parts = parts->count;
	result->part_executions = parts->executions;
	parts->executions = NULL; /* moved */
}
