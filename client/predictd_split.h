/* SPDX-License-Identifier: Apache-2.0 */
/* One launch over several devices. <predictd.h> includes this. */
#ifndef PREDICTD_SPLIT_H
#define PREDICTD_SPLIT_H

#include "predictd.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PREDICTD_SPLIT_DEVICES_MAX = 16 };

/* A buffer whose parts go with the parts of the launch, as a caller says it. */
typedef struct predictd_split_buffer {
	size_t argument; /* its number */
	/* of it that belong to a granule; the last part ends with the buffer. 0: as the
	 * work-items are to the range, so is the part to the buffer */
	uint64_t granule_bytes;
} predictd_split_buffer;

typedef enum predictd_reach_kind {
	PREDICTD_REACH_NOTHING,
	PREDICTD_REACH_PART, /* bytes that go with the part, by stride_bytes, low_bytes, high_bytes
	                      */
	PREDICTD_REACH_WHOLE /* any byte of the buffer: places that data say, or that are not known
	                      */
} predictd_reach_kind;

/*
 * Which bytes of a buffer the work-items [begin, end) of the dimension touch, counted without the
 * offset:
 *   [stride * begin + low, stride * end + high)   where the stride is 0 or more
 *   [stride * end + low, stride * begin + high)   else
 * as far as they are in the buffer. low below 0, or high above, is a halo: what neighbours' parts
 * hold as well. Stride 0: the same bytes for each part.
 */
typedef struct predictd_reach {
	predictd_reach_kind kind;
	int64_t stride_bytes, low_bytes, high_bytes;
} predictd_reach;

/* What a kernel does with an argument; all zeros of one that is no buffer or image. */
typedef struct predictd_split_argument {
	predictd_reach reads, writes;
	bool is_filled; /* every byte that a part's `writes` have is written, whatever the data */
	/* why parts would not have the results of the whole launch: "line 7: ..."; or "" */
	char refusal[192];
	uint64_t reserved[2]; /* 0 */
} predictd_split_argument;

/* bytes 0: none */
typedef struct predictd_split_range {
	uint64_t offset_bytes, bytes;
} predictd_split_range;

typedef struct predictd_splitting {
	/* the whole launch; its device is not used. with_transfers: each device is sent what it
	 * reads and sends back what it writes, else all is where it is needed */
	const predictd_question *question;
	const char *const *devices; /* keys, indices or parts of names, each device once */
	size_t device_count;        /* 1 to PREDICTD_SPLIT_DEVICES_MAX */
	uint32_t dimension;         /* along which it is split, below question->dimensions */
	/* a part is a multiple of so many work-items, and of the work-group's size; but for the
	 * last part, which ends with the range. 0: the work-group's size alone */
	uint64_t granule_items;
	/* what the caller knows better than the daemon: buffers of which each part reads and writes
	 * its own part alone. Of all others the daemon tells which bytes a part reads and writes */
	size_t buffer_count;
	const predictd_split_buffer *buffers;
	/*
	 * What devices do to each other: slowdowns[i * device_count + j], 1 or more, is by how much
	 * device i takes longer while device j works. What is on the diagonal is not read. NULL: as
	 * it was measured (predictd_contention), by what share of its time each device would
	 * compute, wait for memory and transfer in the whole launch. What of a kernel is not known
	 * counts as the worse of compute and memory; pairs that were not measured as 1.
	 */
	const double *slowdowns;
} predictd_splitting;

/* Why a device has the part that it has; of the whole, what decides. */
typedef enum predictd_split_reason {
	PREDICTD_SPLIT_BALANCED, /* it ends with the others */
	PREDICTD_SPLIT_GRANULE,  /* granules are too large for its part to end with the others */
	PREDICTD_SPLIT_LAUNCH, /* left out: one granule takes it longer than all take the others */
	PREDICTD_SPLIT_TRANSFERS, /* left out, and most of one granule's time is transfers */
	PREDICTD_SPLIT_SLOWDOWN,  /* left out: it would hold up the others */
	PREDICTD_SPLIT_ALONE      /* it does all: no other device shortens it */
} predictd_split_reason;

/* "balanced", "granule", ... Static storage. */
const char *predictd_split_reason_name(predictd_split_reason reason);

typedef struct predictd_share {
	uint64_t granules;                   /* 0: it is left out, and what follows is 0 */
	uint64_t begin, items;               /* of the dimension; begin is from the offset on */
	double time_s, low_s, high_s;        /* all of it, with slowdowns; 90 % interval */
	double launch_time_s, kernel_time_s; /* without slowdowns */
	double h2d_time_s, d2h_time_s;
	uint64_t h2d_bytes, d2h_bytes; /* of buffers */
	/* also of a device that is left out: */
	predictd_split_reason reason;
	double granule_time_s;                     /* one granule alone */
	double alone_s, alone_low_s, alone_high_s; /* the whole launch on this device */
} predictd_share;

typedef struct predictd_split_answer {
	uint64_t granule_items, granules;
	double time_s, low_s, high_s; /* until the last device ends; 90 % interval */
	size_t best;                  /* the number of the device that is fastest alone */
	/* the time of the best device over time_s. The interval takes the errors of one device's
	 * predictions as one, so that they are in both times */
	double gain, gain_low, gain_high;
	predictd_split_reason reason;
	/* what every two of the devices do to each other was given or measured; else some, or all,
	 * are taken not to disturb each other: predictd_contention says which */
	bool has_slowdowns;
	uint64_t reserved[4]; /* 0 */
} predictd_split_answer;

/*
 * The shares with which a launch ends first, all devices together where they can: Qilin's equation
 * (Luk, Hong, Kim, MICRO 2009) for several devices and times that are no lines. Each part is
 * predicted with its own offset, sizes and transfers: what it reads, halo and whole buffers
 * included, and what it writes. Times are exact to 0.1 %, where a device's grow with its part. The
 * part of the device that is fastest alone comes first in the range, whatever the order of
 * `devices`. What is not known is asked of the daemon, many questions in an exchange; where all is
 * known, it is answered in this process.
 *
 * shares   out: one a device, the caller's; unchanged on failure, as is the answer
 *
 * PREDICTD_INVALID: no such dimension, argument or device count, a device twice, a granule larger
 * than the range, a slowdown below 1. PREDICTD_UNSUPPORTED, with argument, line and reason: parts
 * would not have the whole launch's results, as where they write into each other's part, or where
 * the kernel uses get_global_size, get_num_groups, get_group_id or get_global_offset of the
 * dimension, which are the part's; a kernel without source. Else what a device's predictions fail
 * with, named.
 */
predictd_status predictd_split(predictd_connection *connection, const predictd_splitting *splitting,
                               predictd_share *shares, predictd_split_answer *answer);

/*
 * What each argument is to a part: asked of the daemon once, and remembered. `buffers` of the
 * splitting are not looked at.
 *
 * device     the number of the device in the splitting, whose compiler reads the program
 * arguments  out: one for each of the question's, the caller's; unchanged on failure
 *
 * PREDICTD_UNSUPPORTED, with the reason: the kernel as a whole is not split. Of an argument that
 * stands in its `refusal`, and is no failure here. Else as predictd_split.
 */
predictd_status predictd_split_arguments(predictd_connection *connection,
                                         const predictd_splitting *splitting, size_t device,
                                         predictd_split_argument *arguments);

/*
 * Which bytes of a buffer a share reads and writes; asks nobody. What is read has to be there
 * before the share runs: it includes what is written, but for what is filled (is_filled), as bytes
 * that the share leaves alone go back with the others.
 *
 * arguments  as predictd_split_arguments gave them for the share's device
 * answer     the share's, as predictd_split gave it
 * argument   a number; of a buffer
 *
 * PREDICTD_INVALID: it is no buffer, or the share is not of that splitting.
 */
predictd_status predictd_split_bytes(const predictd_splitting *splitting,
                                     const predictd_split_answer *answer,
                                     const predictd_share *share,
                                     const predictd_split_argument *arguments, size_t argument,
                                     predictd_split_range *reads, predictd_split_range *writes);

#ifdef __cplusplus
}
#endif

#endif
