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

/* Whether what a variable of the loop becomes is to be chosen: its counter goes on. */
bool chosen_is_of(const struct several_state *s, const struct ir_variable *variable);

#endif
