/* SPDX-License-Identifier: Apache-2.0 */
/* A short loop over elements beside each other as one load of a vector: SEVERAL_BESIDE. */
#ifndef PREDICTD_MODEL_WHATIF_BESIDE_H
#define PREDICTD_MODEL_WHATIF_BESIDE_H

#include "model/whatif/differ.h"

/* Whether all that the loop does is to load, and it ends by its counter alone. */
bool beside_fits(const struct several_state *s);

/*
 * The loop's iterations one after the other, without the loop; each load that differs among them
 * is the first iteration's, as wide as there are iterations.
 *
 * made_of  a value of one iteration
 */
void beside_put(struct several_state *s, uint32_t block,
                uint32_t (*made_of)(struct several_state *s, uint32_t node, unsigned iteration));

#endif
