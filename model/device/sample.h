/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sample: some of what a buffer holds when a kernel is launched.
 *
 * Runs of consecutive bytes at known offsets, as their owner read them. Whoever asks chooses the
 * runs; what follows from their bytes (range, order, zeros) is found here, so that a sample
 * cannot contradict itself. A sample does not change once it is made, and may be read by several
 * threads.
 */
#ifndef PREDICTD_MODEL_DEVICE_SAMPLE_H
#define PREDICTD_MODEL_DEVICE_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "model/ir/type.h"
#include "model/status.h"

enum {
	SAMPLE_BYTES_MAX = 64 << 10, /* of all runs */
	SAMPLE_RUNS_MAX = 64
};

/* Of the elements of all runs, in the order of the runs; neighbours may be equal. */
enum sample_order { SAMPLE_UNORDERED, SAMPLE_ASCENDING, SAMPLE_DESCENDING };

struct sample_run {
	uint64_t offset_bytes; /* in the buffer */
	uint32_t length_bytes;
	uint32_t start; /* of its bytes in sample.bytes */
};

struct sample {
	uint64_t size_bytes; /* of the buffer */
	uint64_t key[2];     /* what tells it from other samples: of who keeps it; 0 until then */
	uint8_t scalar;      /* enum scalar: of its elements; SCALAR_VOID: not known */
	uint8_t order;       /* enum sample_order; unordered where `scalar` is not known */
	bool has_range;      /* of elements that are integers up to INT64_MAX: in [low, high] */
	int64_t low, high;
	uint32_t holders;
	double zero_share; /* of elements that are 0, in [0, 1] */
	uint32_t byte_count;
	uint32_t run_count;                      /* 1 to SAMPLE_RUNS_MAX */
	struct sample_run runs[SAMPLE_RUNS_MAX]; /* ascending, with a gap between two */
	uint8_t bytes[];                         /* of all runs, one behind the other */
};

/* What a sample is made of, from whoever it came: nothing of it is believed. All borrowed. */
struct sample_parts {
	uint64_t size_bytes;
	enum scalar scalar;
	const uint64_t *offsets_bytes; /* offset_count */
	size_t offset_count;
	const uint32_t *lengths_bytes; /* length_count */
	size_t length_count;
	const uint8_t *bytes;
	size_t byte_count;
};

/*
 * A sample with its own copy of the bytes, and one holder.
 *
 * STATUS_INVALID says which run, wanted, got: as many offsets as lengths; a run that is empty,
 * reaches beyond the buffer, is no whole elements, or is not behind the one before with a gap;
 * bytes that are not those of all runs. STATUS_LIMIT: over SAMPLE_RUNS_MAX or SAMPLE_BYTES_MAX.
 * STATUS_NO_MEMORY.
 */
enum status sample_new(const struct sample_parts *parts, struct sample **sample,
                       struct error *error);

/*
 * A sample lives until each of its holders has released it: the thread that made it holds and
 * releases, others only read. sample_release accepts NULL.
 */
const struct sample *sample_hold(const struct sample *sample);
void sample_release(const struct sample *sample);

/* The last run that begins at an offset or before it; run_count: none. */
uint32_t sample_run_before(const struct sample *sample, uint64_t offset_bytes);

/*
 * The bytes [offset, offset + length) of the buffer, where one run holds them all; else NULL. They
 * are aligned as bytes are: copy before use.
 */
const uint8_t *sample_find(const struct sample *sample, uint64_t offset_bytes,
                           uint64_t length_bytes);

#endif
