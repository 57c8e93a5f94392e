/* SPDX-License-Identifier: Apache-2.0 */
/* Trips of a loop, drawn by chance. */
#ifndef PREDICTD_MODEL_EVALUATE_DRAW_H
#define PREDICTD_MODEL_EVALUATE_DRAW_H

#include "model/evaluate/arena.h"
#include "model/evaluate/chance.h"

/*
 * trips[] of a loop for the lanes of some weight, where data can be drawn iteration by
 * iteration; false: not so. Leaves the loop's variables anywhere. tally: the loop's; its drawn,
 * drawn_count, is_open are kept. chances: over the same lanes.
 */
bool draw_trips(struct lanes *lanes, const struct chances *chances, struct arena *arena,
                struct loop_tally *tally, uint32_t statement, const float *weight, uint64_t *trips);

#endif
