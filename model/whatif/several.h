/* SPDX-License-Identifier: Apache-2.0 */
/* Work-items that do the work of several, or share that of one: the kernel is built anew. */
#ifndef PREDICTD_MODEL_WHATIF_SEVERAL_H
#define PREDICTD_MODEL_WHATIF_SEVERAL_H

#include "model/whatif/whatif.h"

enum several_way {
	SEVERAL_BLOCK,  /* results a whole part of the NDRange apart; what they read alike is read
	                   once */
	SEVERAL_WIDTH,  /* results beside each other; what lies beside each other is one vector */
	SEVERAL_TURNS,  /* one after the other, in a loop around the kernel */
	SEVERAL_SPLIT,  /* the other way round: work-items of a group share a loop's iterations */
	SEVERAL_IMAGE,  /* as many as before, and a buffer's rows are those of an image */
	SEVERAL_SUMS,   /* as many as before, and a loop has several of each sum, added up behind it
	                 */
	SEVERAL_DIRECT, /* as many as before, which read buffers in place of copies in local memory
	                 */
	SEVERAL_QUOTIENT /* as many as before; integers are divided as floats */
};

enum { SEVERAL_MOST = 64 };

struct several {
	enum several_way way;
	unsigned dimension; /* of the NDRange that gets shorter; longer where a loop is split */
	unsigned count;     /* a power of two, at most SEVERAL_MOST */
	uint32_t loop;      /* SEVERAL_SPLIT, SEVERAL_SUMS: its statement */
	bool is_apart; /* SEVERAL_SPLIT: those that share it are parts of a group, not neighbours */
	uint32_t object; /* SEVERAL_IMAGE: the buffer */
	uint32_t pitch;  /* SEVERAL_IMAGE: its elements from row to row */
};

/*
 * Whether the kernel can do it and means the same: but for SEVERAL_BLOCK and those that are as many
 * as before it sees no groups; what differs among the
 * results decides no branch but at the NDRange's edge, and the NDRange divides. For a loop that is
 * split, or has several sums: each iteration stands for itself, or adds to sums.
 */
bool several_fits(const struct ir_kernel *kernel, const struct launch *launch,
                  const struct several *several);

/*
 * launch  its NDRange changes with the kernel; unchanged on error
 * built   out: an unsealed kernel
 *
 * STATUS_INVALID: it does not fit. Others are those of building a kernel.
 */
enum status several_build(const struct ir_kernel *kernel, struct launch *launch,
                          const struct several *several, struct ir_kernel **built,
                          struct error *error);

#endif
