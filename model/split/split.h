/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which bytes of its buffers a part of a launch reads and writes, where the launch is cut along one
 * dimension. In: a sealed kernel and a checked launch. Out: a reach for each argument, or why the
 * kernel means something else in parts. No device has a say.
 *
 * A place is a form: a multiple of the work-item's number along the dimension, and bounds on all
 * else (Feautrier's affine accesses, "Dataflow analysis of array and scalar references", 1991, with
 * intervals where a value is no affine one). Bounds hold for every work-item: what the analysis
 * does not know is read whole, and refused where it is written.
 */
#ifndef PREDICTD_MODEL_SPLIT_SPLIT_H
#define PREDICTD_MODEL_SPLIT_SPLIT_H

#include "model/device/launch.h"

enum { SPLIT_REASON_MAX = 192 };

enum reach_kind {
	REACH_NOTHING,
	REACH_OWN,  /* bytes that go with the part: see struct reach */
	REACH_WHOLE /* any of the buffer's */
};

/*
 * What the work-items [begin, end) of the dimension touch, counted without the offset, where begin
 * is a multiple of the work-group's size, and end is one or ends the range: bytes
 *   [stride * begin + low, stride * end + high)   where the stride is 0 or more
 *   [stride * end + low, stride * begin + high)   else
 * of which those outside of the buffer do not count. Stride 0: the same bytes for every part.
 */
struct reach {
	uint8_t kind; /* enum reach_kind */
	int64_t stride_bytes, low_bytes, high_bytes;
};

struct split_argument {
	struct reach reads, writes;
	/* what it writes is written whatever the data: a part needs not hold it before */
	bool is_filled;
	/* parts would not have the results of the whole launch: "line 7: ...", or empty */
	char refusal[SPLIT_REASON_MAX];
};

struct split_reaches {
	char refusal[SPLIT_REASON_MAX]; /* of the kernel as a whole, or empty */
	uint32_t argument_count;
	struct split_argument arguments[IR_ARGUMENTS_MAX]; /* of buffers and images; else zeros */
};

/*
 * Arguments are taken to be different buffers.
 *
 * launch     checked with launch_check; whether it said its local size counts (has_local)
 * dimension  below the launch's
 *
 * STATUS_INVALID: no such dimension. STATUS_NO_MEMORY. *reaches is undefined then.
 */
enum status split_find_reaches(const struct ir_kernel *kernel, const struct launch *launch,
                               uint32_t dimension, struct split_reaches *reaches,
                               struct error *error);

/* The bytes [*from, *to) of a buffer of that size that the work-items [begin, end) reach. */
void reach_bytes(const struct reach *reach, uint64_t begin, uint64_t end, uint64_t size_bytes,
                 uint64_t *from, uint64_t *to);

#endif
