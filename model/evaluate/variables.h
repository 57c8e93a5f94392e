/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of a loop, set to the iterations that are looked at. */
#ifndef PREDICTD_MODEL_EVALUATE_VARIABLES_H
#define PREDICTD_MODEL_EVALUATE_VARIABLES_H

#include "model/evaluate/arena.h"
#include "model/evaluate/lanes.h"

/*
 * A loop's variables at iteration at[lane]; what has no closed form is unknown but at 0, or as far
 * as it is likely to get, where takes_advance.
 */
void loop_set(struct lanes *lanes, const struct ir_statement *loop, const uint64_t *at,
              bool takes_advance);

/* The same at the next iteration, in the lanes of some weight: false without memory. */
bool loop_advance(struct lanes *lanes, struct arena *arena, const struct ir_statement *loop,
                  const float *weight);

#endif
