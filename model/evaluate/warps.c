/* SPDX-License-Identifier: Apache-2.0 */
/* Which warps are sampled: all of a small launch, else some that stand for all. */
#include "model/evaluate/warps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/evaluate/number.h"

enum {
	/* warps sampled, at most */
	WARPS_FEW = 8, /* of a large kernel */
	WARPS_MANY = 16,
	LANES_UNEVEN = 1024, /* of a small one whose loops differ between work-items */
	LARGE_KERNEL_NODES = 4096,
	SMALL_KERNEL_NODES = 512
};

/* True when loops may differ between work-items in ways that only following them tells. */
static bool has_uneven_loops(const struct ir_kernel *kernel)
{
	for (uint32_t i = 0; i < kernel->summary->loop_count; i++) {
		const struct ir_loop *loop = &kernel->summary->loops[i];
		uint32_t condition = kernel->statements[loop->statement].condition;
		unsigned op = condition == IR_NONE ? NODE_CONST_INT : kernel->nodes[condition].op;

		if (loop->has_early_exit || (loop->trip != TRIP_CONSTANT && op != NODE_LT &&
		                             op != NODE_LE && op != NODE_NE))
			return true;
	}
	return false;
}

bool warps_init(struct warps *sampled, const struct question *question)
{
	const struct ir_kernel *kernel = question->kernel;
	const struct evaluation *sizes = question->sizes;
	uint64_t total = sizes->groups * sizes->group_warps;
	bool is_uneven = kernel->node_count < SMALL_KERNEL_NODES && has_uneven_loops(kernel);

	memset(sampled, 0, sizeof(*sampled));
	sampled->warp_items = sizes->warp_items;
	sampled->all = kernel->node_count < LARGE_KERNEL_NODES ? WARPS_MANY : WARPS_FEW;
	if (is_uneven)
		sampled->all = LANES_UNEVEN / sizes->warp_items;
	if (total < sampled->all)
		sampled->all = (unsigned)total;
	/* one by one where they differ, so that a short warp does not wait for a long one; but
	 * where what was sampled ends loops, many tell together how soon */
	sampled->warps = is_uneven ? 1 : sampled->all;
	if (is_uneven && question->held) {
		sampled->warps = sampled->all < EVALUATE_WARPS_MAX ? sampled->all
		                                                   : (unsigned)EVALUATE_WARPS_MAX;
		sampled->all -= sampled->all % sampled->warps;
	}
	sampled->lanes = sampled->warps * sampled->warp_items;
	sampled->ids = calloc((size_t)9 * sampled->lanes, sizeof(*sampled->ids));
	sampled->is_lane = calloc(sampled->lanes, sizeof(*sampled->is_lane));
	return sampled->ids && sampled->is_lane;
}

void warps_deinit(struct warps *sampled)
{
	free(sampled->ids);
	free(sampled->is_lane);
	memset(sampled, 0, sizeof(*sampled));
}

/* A lane is the work-item of a group with that local id. */
static void place_lane(struct warps *sampled, const struct question *question, unsigned lane,
                       uint64_t group, const uint64_t local[3])
{
	const struct launch *launch = question->launch;
	const struct evaluation *result = question->sizes;
	const uint64_t grid[3] = {group % result->group_count[0],
	                          group / result->group_count[0] % result->group_count[1],
	                          group / result->group_count[0] / result->group_count[1]};

	for (unsigned d = 0; d < 3; d++) {
		uint64_t global = grid[d] * launch->local[d] + local[d];

		if (global >= launch->global[d])
			sampled->is_lane[lane] = false; /* an uneven last group */
		sampled->ids[(size_t)d * sampled->lanes + lane] = global + launch->offset[d];
		sampled->ids[(size_t)(3 + d) * sampled->lanes + lane] = local[d];
		sampled->ids[(size_t)(6 + d) * sampled->lanes + lane] = grid[d];
	}
}

/* The local id of a work-item, by its number in its group. */
static void find_local(const struct launch *launch, uint64_t item, uint64_t local[3])
{
	local[0] = item % launch->local[0];
	local[1] = item / launch->local[0] % launch->local[1];
	local[2] = item / launch->local[0] / launch->local[1];
}

static void place_warp(struct warps *sampled, const struct question *question, unsigned sample,
                       uint64_t warp)
{
	const struct launch *launch = question->launch;
	const struct evaluation *result = question->sizes;
	uint64_t group = warp / result->group_warps;
	uint64_t first = warp % result->group_warps * sampled->warp_items, local[3];

	find_local(launch, first, local);
	for (unsigned i = 0; i < sampled->warp_items; i++) {
		unsigned lane = sample * sampled->warp_items + i;

		sampled->is_lane[lane] = first + i < result->group_items;
		place_lane(sampled, question, lane, group, local);
		/* the next work-item, in linear order */
		if (++local[0] == launch->local[0]) {
			local[0] = 0;
			if (++local[1] == launch->local[1]) {
				local[1] = 0;
				local[2]++;
			}
		}
	}
}

/* Multiples of the golden ratio: spread evenly over 0 to 1, whatever their number. */
static double golden(double start, unsigned number)
{
	double at = start + number * GOLDEN_SECTION;

	return at - (double)(uint64_t)at;
}

/*
 * One of the `count` warps between the first and the last that stand for all: its group lies in
 * a stratum of its own. What a work-group does once its first warp does, which therefore has the
 * weight that it has in the launch.
 */
static uint64_t place_between(const struct question *question, unsigned number, unsigned count,
                              double *weight)
{
	const struct evaluation *result = question->sizes;
	double all = (double)result->groups * (double)result->group_warps - 2;
	double first_share = 1 / (double)result->group_warps;
	unsigned firsts = (unsigned)fmax(1, round(count * first_share));
	bool is_first = number * firsts % count < firsts;
	uint64_t group =
	        (uint64_t)((number + golden(0.5, number + 1)) / count * (double)result->groups);
	uint64_t place = 0;

	if (!is_first && result->group_warps > 1)
		place = 1 + (uint64_t)(golden(0.25, number) * (double)(result->group_warps - 1));
	*weight = all * first_share / firsts;
	if (!is_first)
		*weight = all * (1 - first_share) / (count - firsts);
	return group * result->group_warps + place;
}

/*
 * Places warps first, first + 1, ... of the `all` that are sampled: all warps
 * of a small launch; else the first and the last, which stand for themselves,
 * and some between.
 */
void warps_place(struct warps *sampled, const struct question *question, unsigned first)
{
	unsigned all = sampled->all;
	uint64_t total = question->sizes->groups * question->sizes->group_warps;

	for (unsigned i = 0; i < sampled->warps; i++) {
		unsigned sample = first + i;
		uint64_t warp = sample;

		sampled->weight[i] = 1;
		if (total > all && sample == all - 1)
			warp = total - 1;
		else if (total > all && sample > 0)
			warp = place_between(question, sample - 1, all - 2, &sampled->weight[i]);
		warp = warp < total ? warp : total - 1;
		place_warp(sampled, question, i, warp);
		sampled->place[i] = ((double)(warp / question->sizes->group_warps) + 0.5) /
		                    (double)question->sizes->groups;
	}
}

void warps_scatter(struct warps *sampled, const struct question *question, unsigned walk,
                   unsigned walks)
{
	const struct evaluation *sizes = question->sizes;
	double parts = walks * sampled->warps;

	for (unsigned lane = 0; lane < sampled->lanes; lane++) {
		double at = walk * sampled->warps +
		            (lane + golden(0.5, lane + 1)) / sampled->warp_items;
		uint64_t group = (uint64_t)(at / parts * (double)sizes->groups), local[3];

		find_local(question->launch,
		           (uint64_t)(golden(0.25, walk * sampled->lanes + lane) *
		                      (double)sizes->group_items),
		           local);
		sampled->is_lane[lane] = true;
		place_lane(sampled, question, lane,
		           group < sizes->groups ? group : sizes->groups - 1, local);
	}
	for (unsigned warp = 0; warp < sampled->warps; warp++) {
		sampled->weight[warp] = sizes->warps / sampled->warps;
		sampled->place[warp] = (walk * sampled->warps + warp + 0.5) / parts;
	}
}
