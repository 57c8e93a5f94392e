/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are chosen in each iteration in place of a `break`: SEVERAL_CHOSEN. */
#ifndef PREDICTD_MODEL_WHATIF_CHOSEN_H
#define PREDICTD_MODEL_WHATIF_CHOSEN_H

#include "model/whatif/differ.h"

/* Whether the loop is unrolled, begins with its only `break`, and accesses nothing; and its counter
 * is asked neither by the break nor behind the loop. */
bool chosen_fits(const struct several_state *s);

/* The branch with the break, of a loop that fits. */
uint32_t chosen_branch(const struct several_state *s);

/*
 * What a variable of the loop becomes: what it is where the loop would be left. The counter goes
 * on.
 *
 * made_of  a value of the kernel that is built
 */
uint32_t chosen_next(struct several_state *s, const struct ir_variable *variable, uint32_t next,
                     uint32_t (*made_of)(struct several_state *s, uint32_t node));

/* The `break` that is all that a loop's body has, but for values; IR_NONE: it has more, or none. */
uint32_t loop_break(const struct ir_kernel *kernel, uint32_t loop);

/* Whether a value of a loop is asked for behind it, or by a statement. */
bool loop_is_asked(const struct ir_kernel *kernel, uint32_t loop, uint32_t node);

#endif
