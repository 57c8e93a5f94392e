/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop of sums that takes elements beside each other at once: SEVERAL_STRIP.
 *
 * Comes in: a kernel that is built anew, and the loop. Goes out: whether its counter goes to the
 * next element, or to the next of the group's or the NDRange's; and where it begins once each
 * iteration takes several. This file sets no time and appends no statement.
 */
#ifndef PREDICTD_MODEL_WHATIF_STRIP_H
#define PREDICTD_MODEL_WHATIF_STRIP_H

#include "model/whatif/differ.h"

bool strip_fits(const struct several_state *s);

/* Whether work-items beside each other take elements beside each other: each begins at as many
 * times its number as an iteration takes. */
bool strip_is_shared(const struct several_state *s);

/*
 * What the counter begins with.
 *
 * init  of the kernel that is built: what it began with
 */
uint32_t strip_init(struct several_state *s, const struct ir_variable *variable, uint32_t init);

/* Elements of a sum, as one number. */
uint32_t strip_sum(struct several_state *s, const struct ir_variable *variable);

#endif
