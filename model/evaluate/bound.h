/* SPDX-License-Identifier: Apache-2.0 */
/* What bounds a loop that data may end: see evaluate/bound.c. */
#ifndef PREDICTD_MODEL_EVALUATE_BOUND_H
#define PREDICTD_MODEL_EVALUATE_BOUND_H

#include "model/evaluate/lanes.h"

/*
 * The first iteration in which the launch ends a loop by a branch within it, whatever data say,
 * for the lanes of some weight whose trips[] are UINT64_MAX. at: for twice as many as there are
 * lanes. False: in some it never does. Leaves the loop's variables anywhere. tally: the loop's;
 * keeps is_boundless.
 */
bool bound_trips(struct lanes *lanes, struct loop_tally *tally, uint32_t statement,
                 const float *weight, uint64_t *trips, uint64_t *at);

/*
 * Sets what variables of the loops around one have counted, as data chose, to what it is half way,
 * or forgets it again (is_set: false); whether there is any.
 */
bool bound_counters(struct lanes *lanes, const struct loop_tally *tallies, uint32_t statement,
                    bool is_set);

#endif
