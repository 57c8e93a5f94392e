/* SPDX-License-Identifier: Apache-2.0 */
/* How many trips loops of some kinds have, where nothing but their kind tells. */
#ifndef PREDICTD_MODEL_EVALUATE_USUAL_H
#define PREDICTD_MODEL_EVALUATE_USUAL_H

#include "model/evaluate/schedule.h"

/* Bits that an integer has, as far as it is one of a narrower type, masked or shifted. */
unsigned usual_bits(const struct ir_kernel *kernel, uint32_t node);

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
