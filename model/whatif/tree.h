/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree that sums an array in local memory up, and how it goes by its first half.
 *
 * Comes in: a kernel and its launch. Goes out: the one loop in which every second work-item adds
 * its neighbour's element, then every fourth, and so on; and what stands in its place where the
 * first half of the work-items adds the second half's elements, then the first quarter. This file
 * sets no time and appends no statement.
 */
#ifndef PREDICTD_MODEL_WHATIF_TREE_H
#define PREDICTD_MODEL_WHATIF_TREE_H

#include "model/whatif/differ.h"

struct tree {
	uint32_t object; /* the array in local memory */
	uint32_t apart;  /* node: how far partners lie apart, the loop's one variable */
	uint32_t lane;   /* node: the work-item's number in its group */
	uint32_t branch; /* statement: who adds */
	uint32_t far;    /* access: the partner's element */
	uint32_t store;  /* access */
	int64_t items;   /* of the group, and elements that are summed up: a power of two */
};

/*
 * Whether a loop is such a tree, and nothing else is read of the array but one place for all
 * work-items, so that the order of the partners is nobody's business.
 *
 * kernel  sealed
 * loop    a statement of it
 * tree    out: unchanged where it is none
 */
bool tree_find(const struct ir_kernel *kernel, const struct launch *launch, uint32_t loop,
               struct tree *tree);

/* SEVERAL_TREE: the index of an access, if it is one of the tree's; else `index`. */
uint32_t tree_index(struct several_state *s, const struct ir_access *access, uint32_t index);

/* SEVERAL_TREE: what the loop's variable begins with, becomes, and goes on by; who adds. */
uint32_t tree_init(struct several_state *s);
uint32_t tree_next(struct several_state *s);
uint32_t tree_goes_on(struct several_state *s);
uint32_t tree_adds(struct several_state *s);

#endif
