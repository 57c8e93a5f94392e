/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses: what the lanes of a warp touch at once. */
#ifndef PREDICTD_MODEL_EVALUATE_ACCESS_H
#define PREDICTD_MODEL_EVALUATE_ACCESS_H

#include "model/evaluate/lanes.h"
#include "model/evaluate/meet.h"

/* Sums over the executions of one access by sampled warps: see evaluate/access.c. */
enum { ACCESS_SUMS = 20 };
struct access_tally {
	double sums[ACCESS_SUMS];
	struct meetings meetings; /* of atomics whose place was sampled */
};

/* An execution by lanes and warps of such weights. tallies: by access. */
void access_record(const struct lanes *lanes, const struct loop_facts *facts,
                   struct access_tally *tallies, uint32_t access, const float *weight,
                   const float *warp_weight);

/* Requires the walk, and executions of blocks; fills what an access executes and touches. */
void access_finish(const struct ir_kernel *kernel, const struct access_tally *tallies,
                   struct evaluation *result);

/* Requires address forms: what lanes touch of addresses that data move within bounds. */
void access_narrow(const struct schedule *schedule, struct evaluation *result);

/*
 * Requires trips: fills halvings of an access, see evaluate/halving.c; and of those, the places of
 * `all` that so many lanes touch in the mean step, which they make together.
 */
void halving_find(const struct schedule *schedule, struct evaluation *result, uint32_t access);
double halving_width(const struct evaluation_access *access, double lanes, double all);

#endif
