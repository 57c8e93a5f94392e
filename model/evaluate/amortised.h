/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that take back what the loop around them puts on: see evaluate/amortised.c. */
#ifndef PREDICTD_MODEL_EVALUATE_AMORTISED_H
#define PREDICTD_MODEL_EVALUATE_AMORTISED_H

#include "model/evaluate/schedule.h"
#include "model/evaluate/warps.h"

/*
 * trips[] of a loop that takes back what the loop around it has put on, where data decide how much.
 * False: it is no such loop.
 */
bool pops_trips(const struct schedule *schedule, const struct loop_facts *facts,
                const struct warps *sampled, uint32_t statement, uint64_t *trips);

/* Whether such a loop stands in a variable's loop and takes back what that variable has counted. */
bool pops_has(const struct schedule *schedule, const struct ir_variable *variable);

#endif
