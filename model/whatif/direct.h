/* SPDX-License-Identifier: Apache-2.0 */
/* What is read from local memory is read from where it was copied from. */
#ifndef PREDICTD_MODEL_WHATIF_DIRECT_H
#define PREDICTD_MODEL_WHATIF_DIRECT_H

#include "model/whatif/differ.h"

/*
 * Whether local memory holds nothing but copies: each array is stored to by what was loaded from
 * one buffer, which the kernel only reads, in elements of the same size.
 */
bool direct_fits(const struct ir_kernel *kernel);

/*
 * Whether a copy lies in local memory as it does in its buffer, so that one distance parts them for
 * all work-items of a group; of each store of a kernel that direct_fits.
 */
bool direct_is_shifted(const struct ir_kernel *kernel, const struct evaluation *evaluation);

/* Stores to local memory, and barriers, which have no place in the kernel that is built. */
bool direct_leaves_out(const struct ir_kernel *kernel, const struct ir_statement *statement);

/*
 * A read of the buffer in place of one of local memory.
 *
 * made_of  builds the value of a node for a work-item, or for the first one of its group
 *
 * Returns the value loaded; IR_NONE: no room.
 */
uint32_t direct_read(struct several_state *s, const struct ir_access *access, uint32_t block,
                     uint32_t (*made_of)(struct several_state *s, uint32_t node, bool is_first));

#endif
