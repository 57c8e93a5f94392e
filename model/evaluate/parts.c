/* SPDX-License-Identifier: Apache-2.0 */
/* How often blocks are executed in each part of the NDRange. */
#include "model/evaluate/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool parts_init(struct parts *parts, const struct question *question)
{
	uint64_t groups = question->sizes->groups;

	memset(parts, 0, sizeof(*parts));
	parts->count = groups < EVALUATE_PARTS ? (unsigned)groups : (unsigned)EVALUATE_PARTS;
	parts->blocks = question->kernel->block_count;
	parts->executions =
	        calloc((size_t)parts->count * parts->blocks + 1, sizeof(*parts->executions));
	return parts->executions != NULL;
}

void parts_deinit(struct parts *parts)
{
	free(parts->executions);
	memset(parts, 0, sizeof(*parts));
}

void parts_begin(struct parts *parts, const struct warps *sampled)
{
	for (unsigned warp = 0; warp < sampled->warps && parts->count > 0; warp++) {
		unsigned part = (unsigned)(sampled->place[warp] * parts->count);

		parts->of[warp] = part < parts->count ? part : parts->count - 1;
		for (unsigned i = 0; i < sampled->warp_items; i++)
			if (sampled->is_lane[warp * sampled->warp_items + i])
				parts->lanes[parts->of[warp]] += (float)sampled->weight[warp];
	}
}

void parts_finish(struct parts *parts, struct evaluation *result)
{
	for (unsigned part = 0; part < parts->count; part++) {
		float *executions = parts->executions + (size_t)part * parts->blocks;

		for (uint32_t block = 0; block < parts->blocks; block++)
			executions[block] = parts->lanes[part] > 0
			                            ? executions[block] / parts->lanes[part]
			                            : NAN;
	}
	result->parts = parts->count;
	result->part_executions = parts->executions;
	parts->executions = NULL; /* moved */
}
