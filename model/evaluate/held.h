/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What buffers held when they were sampled: a memory in which each place has one value.
 *
 * A place within a sampled run holds what was read there. Any other place lies in a gap between two
 * runs, and holds what is like them. A gap is tiled with blocks; each is a piece of one of the two
 * runs, the nearer the likelier, so that differences of neighbours, lengths of rows and orders
 * stay. Where the values of the two runs do not overlap, what lies between them lies between: a
 * block is moved to the line through their means. Where elements are in order, it begins where the
 * block before ends, and its differences are stretched to end where the next one begins.
 *
 * An access may read it where this kernel has not stored there before: no store to the same
 * argument stands before it or shares a loop with it, and no atomic at all. What another work-item
 * stores where it reads would be a data race, unless a barrier lies between, behind which the
 * stores stand.
 */
#ifndef PREDICTD_MODEL_EVALUATE_HELD_H
#define PREDICTD_MODEL_EVALUATE_HELD_H

#include "model/device/launch.h"
#include "model/device/sample.h"

/* Of one run, as elements of a type. */
struct held_run {
	double first, last, low, high, mean;
	uint32_t count;
};

/*
 * A stretch of the buffer whose bytes are some that were sampled: a run, or a block of a gap. Of a
 * block moved, an element is at + (value - first) * factor; of one in order that does not grow, by
 * its place instead of its value.
 */
struct held_piece {
	uint64_t begin, end; /* bytes in the buffer; none: empty */
	const uint8_t *bytes;
	bool is_moved, is_by_place;
	double at, first, factor;
};

/* An argument's sample, read as elements of a type. Written by who asks. */
struct held {
	const struct sample *sample; /* the launch's */
	uint8_t scalar;              /* enum scalar */
	uint8_t order;               /* enum sample_order, of these elements */
	bool is_ready;
	uint32_t argument;
	uint32_t bytes;   /* of an element */
	uint32_t longest; /* run, which has an element at least */
	double low, high; /* of all runs */
	struct held_run runs[SAMPLE_RUNS_MAX];
	struct held_piece piece; /* the last one that was asked for: the next is likely the same */
	struct held *next;
};

struct held_table {
	struct held **of;   /* per access: what it may read; NULL: nobody knows. NULL: no samples */
	struct held *first; /* of all, each once */
};

/* Of a checked launch of a sealed kernel. False when memory is short; freed with held_deinit. */
bool held_init(struct held_table *table, const struct ir_kernel *kernel,
               const struct launch *launch);
void held_deinit(struct held_table *table); /* accepts an empty one */

/*
 * The element at a place: an integer, or a real as the bits of a double. Beyond the buffer nothing
 * is read: as anywhere in it.
 */
int64_t held_number(struct held *held, uint64_t address_bytes);

/* One that was sampled, by 64 mixed bits. */
int64_t held_any(const struct held *held, uint64_t mixed);

/* Whether all was read, so that nothing that is read is made up. */
bool held_is_whole(const struct held *held);

/*
 * Whether elements grow, or shrink, with their place all along the buffer: by how much from one to
 * the next, and how far those beside each other lie apart otherwise. Requires held_prepare.
 */
bool held_trend(const struct held *held, double *slope, double *spread);

/* Order, range and runs of its elements: fills what is not ready. */
void held_prepare(struct held *held);

#endif
