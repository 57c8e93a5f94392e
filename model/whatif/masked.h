/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SEVERAL_WIDTH of a loop that results leave one by one.
 *
 * Comes in: a kernel that is built anew, and such a loop of it. Goes out: nodes of the loop that
 * goes on while one of the results has not left, and by a mask of those that have not. This file
 * sets no time and appends no statement.
 */
#ifndef PREDICTD_MODEL_WHATIF_MASKED_H
#define PREDICTD_MODEL_WHATIF_MASKED_H

#include "model/whatif/differ.h"

/* What such a loop has beside the kernel's own variables. */
struct masked {
	uint32_t counter; /* of the kernel: a variable by which all results leave at once */
	uint32_t bound;   /* of the kernel: the node that compares it */
	uint32_t mask;    /* who has not left before this iteration */
	uint32_t count;   /* the counter of all */
	uint32_t now;     /* who goes through this iteration */
};

/* How a wide value, and one that all results have alike, is built. */
typedef uint32_t masked_value(struct several_state *s, uint32_t node);

/* Whether results leave a loop one by one, all of them by a counter, and all that it does is to
 * compute. */
bool masked_leaves(const struct several_state *s, uint32_t loop);

/* Whether a statement is the `break` of such a loop, which the mask stands for. */
bool masked_leaves_out(const struct several_state *s, uint32_t statement);

/* Finds the counter; IR_NONE: there is none. `mask` and `count` are then the caller's to fill. */
struct masked masked_of(const struct several_state *s, uint32_t loop);

/* The loop's next values, once its variables are open: of the mask, and of a variable. */
void masked_begin(struct several_state *s, uint32_t loop, struct masked *masked,
                  masked_value *wide_of);
uint32_t masked_next(struct several_state *s, uint32_t loop, const struct masked *masked,
                     const struct ir_variable *variable, uint32_t next, masked_value *only);
uint32_t masked_count(struct several_state *s, const struct masked *masked, masked_value *only);

/* The condition. */
uint32_t masked_goes_on(struct several_state *s, const struct masked *masked, masked_value *only);

#endif
