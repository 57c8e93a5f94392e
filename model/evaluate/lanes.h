/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of nodes for the lanes of the sampled warps, as a walk goes on: each needed node has a
 * slot of `count` values. Written by lanes_run, and by who moves the variables of loops.
 */
#ifndef PREDICTD_MODEL_EVALUATE_LANES_H
#define PREDICTD_MODEL_EVALUATE_LANES_H

#include "model/evaluate/budget.h"
#include "model/evaluate/number.h"
#include "model/evaluate/schedule.h"
#include "model/evaluate/warps.h"

struct lanes {
	const struct ir_kernel *kernel;
	const struct question *question;
	const struct schedule *schedule;
	const struct warps *sampled;
	struct budget *budget;
	const uint32_t *slot; /* the schedule's */
	unsigned count;       /* of lanes */
	int64_t *value;
	uint8_t *known;   /* how far */
	bool is_scouting; /* lanes are no neighbours: what steers counts alone */
};

/* Borrows all but `lanes`. False when memory is short; freed with lanes_deinit. */
bool lanes_init(struct lanes *lanes, const struct schedule *schedule, const struct warps *sampled,
                struct budget *budget);
void lanes_deinit(struct lanes *lanes); /* accepts an empty one */

static inline bool lanes_has(const struct lanes *lanes, uint32_t node)
{
	return node != IR_NONE && lanes->slot[node] != IR_NONE;
}

/* Values of a node that lanes_has, by lane; and how far they are known. */
static inline const int64_t *lanes_value(const struct lanes *lanes, uint32_t node)
{
	return lanes->value + (size_t)lanes->slot[node] * lanes->count;
}

static inline const uint8_t *lanes_known(const struct lanes *lanes, uint32_t node)
{
	return lanes->known + (size_t)lanes->slot[node] * lanes->count;
}

/* The same to be written. */
static inline int64_t *lanes_value_slot(struct lanes *lanes, uint32_t node)
{
	return lanes->value + (size_t)lanes->slot[node] * lanes->count;
}

static inline uint8_t *lanes_known_slot(struct lanes *lanes, uint32_t node)
{
	return lanes->known + (size_t)lanes->slot[node] * lanes->count;
}

/* Evaluates the first `count` nodes of a list, which counts as used. */
void lanes_run(struct lanes *lanes, uint32_t list, uint32_t count);

/* Evaluates one node of a list that is being run. */
void lanes_run_node(struct lanes *lanes, uint32_t node);

/* Texels of a NODE_TEXEL, counted row by row, and how far they are known: see texels.c. */
void lanes_texel(const struct lanes *lanes, const struct ir_node *n, int64_t *r, uint8_t *k);

/*
 * Least squares of a real node's values, times `scale`, over the global ids without the
 * offset: value = base + sum of step[d] id[d]. *far: how far off the worst is. False
 * where the sampled work-items say nothing.
 */
bool lanes_slopes(const struct lanes *lanes, uint32_t node, double scale, double *base,
                  double step[3], double *far);

#endif
