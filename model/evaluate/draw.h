/* SPDX-License-Identifier: Apache-2.0 */
/* Trips of a loop by chance: drawn, or as many as such loops have. */
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

/*
 * Trips of a loop that goes on until an integer, divided again and again, is nothing: of numbers
 * of one type half use all bits, a quarter all but one. 0: it is no such loop.
 */
unsigned trips_of_bits(const struct ir_kernel *kernel, const struct ir_statement *loop);

/*
 * Of a loop that keeps its way in an array of its own (a stack of nodes to visit): between one and
 * all of what it reads, evenly by magnitude: the square root of them. 0: it is no such loop.
 */
unsigned trips_of_walk(const struct schedule *schedule, uint32_t statement);

/*
 * Of a loop that tries to exchange one place after the other, `most` at the most: as many as an
 * insertion into a table takes that all work-items fill (Knuth, The Art of Computer Programming 3,
 * 6.4: linear probing). 1: of one that tries the same place again.
 */
unsigned trips_of_probes(const struct schedule *schedule, uint32_t statement, uint64_t most);

#endif
