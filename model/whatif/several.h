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
	SEVERAL_GROUPS, /* more groups, which share a loop that goes on by all work-items */
	SEVERAL_IMAGE,  /* as many as before, and a buffer's rows are those of an image */
	SEVERAL_SKEW,   /* as many, and an array in local memory has pads that part its banks */
	SEVERAL_NEAR,   /* as many, and a group has its work-items' private arrays in local memory,
	                   each in a bank of its own */
	SEVERAL_SUMS,   /* as many, and a loop has several of each sum, added up behind it */
	SEVERAL_DIRECT, /* as many, which read buffers in place of copies in local memory */
	SEVERAL_QUOTIENT,  /* as many, and integers are divided as floats */
	SEVERAL_TREE,      /* as many, and a tree of sums goes by its first half */
	SEVERAL_REMAINDER, /* as many, and remainders of floats are arithmetic, not calls */
	SEVERAL_BESIDE,    /* as many, and what a loop reads beside each other is one vector */
	SEVERAL_CHOSEN,    /* as many, and values are chosen where a loop is left */
	SEVERAL_STRIP /* as many, and an iteration adds up elements beside each other at once */
};

enum { SEVERAL_MOST = 64, SEVERAL_GROUPS_MOST = 4096 };

struct several {
	enum several_way way;
	unsigned dimension; /* of the NDRange that gets shorter; longer where a loop is split */
	unsigned count; /* a power of two, at most SEVERAL_MOST; of groups SEVERAL_GROUPS_MOST */
	uint32_t loop; /* SEVERAL_SPLIT, SEVERAL_GROUPS, SEVERAL_SUMS, SEVERAL_TREE, SEVERAL_BESIDE,
	                  SEVERAL_CHOSEN, SEVERAL_STRIP: its statement */
	bool is_masked; /* SEVERAL_WIDTH: results may leave a loop one by one */
	bool is_apart; /* SEVERAL_SPLIT: those that share it are parts of a group, not neighbours */
	uint32_t object; /* SEVERAL_IMAGE: the buffer; SEVERAL_SKEW, SEVERAL_NEAR: the array */
	uint32_t pitch;  /* SEVERAL_IMAGE: its elements from row to row */
};

/*
 * Whether the kernel can do it and means the same. But for SEVERAL_BLOCK, SEVERAL_GROUPS, and
 * ways that leave as many work-items, it sees no groups; what differs among the results decides no
 * branch but at the NDRange's edge, and the NDRange divides. For a loop that is split, or
 * has several sums: each iteration stands for itself, or adds to sums.
 */
bool several_fits(const struct ir_kernel *kernel, const struct launch *launch,
                  const struct several *several);

/* Whether there are as many work-items as before. */
static inline bool several_is_as_many(enum several_way way)
{
	return way >= SEVERAL_IMAGE;
}

/* SEVERAL_SKEW: whether the array is of structures, each of which gets the pad. */
bool several_has_structures(const struct ir_kernel *kernel, uint32_t object);

struct several_vectors {
	bool is_aligned; /* all lie where vectors may: arguments can be pointers to vectors */
	uint32_t narrowest_bytes, widest_bytes; /* of elements that become those of vectors */
};

/* Of SEVERAL_WIDTH, SEVERAL_BESIDE or SEVERAL_STRIP, that fits. */
struct several_vectors several_vectors_of(const struct ir_kernel *kernel,
                                          const struct launch *launch,
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
