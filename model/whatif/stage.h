/* SPDX-License-Identifier: Apache-2.0 */
/* Local memory between an access and what uses it: statements that a kernel gets. */
#ifndef PREDICTD_MODEL_WHATIF_STAGE_H
#define PREDICTD_MODEL_WHATIF_STAGE_H

#include "model/whatif/whatif.h"

enum { STAGE_ACCESSES_MAX = 8 };

/* Work-items that read the same must be this many, or local memory saves little. */
static const double STAGE_SHARERS_LEAST = 4;

/*
 * The loads of a block that work-items of a group read again, as bits in the order of its global
 * loads; 0: there are none.
 */
uint32_t stage_mask(const struct ir_kernel *kernel, const struct launch *launch,
                    const struct evaluation *evaluation, uint32_t block);

/*
 * Loads of a block come through arrays in local memory: a branch, taken once for a tile, loads and
 * stores them between barriers; a load from local memory stands where each stood. The accesses that
 * are added are, for each, its load and its store.
 *
 * kernel  unsealed, with room for what is added
 * mask    of stage_mask; hostile
 *
 * False: the block has no such load.
 */
bool stage_block(struct ir_kernel *kernel, const struct launch *launch, uint32_t block,
                 uint32_t mask);

/* One access goes through a tile in local memory: a store behind it, a load in front of it.
 * False: it cannot. */
bool stage_access(struct ir_kernel *kernel, const struct launch *launch, uint32_t access);

/*
 * A buffer that work-items access here and there is an array in local memory: a group fills it
 * first, where it is read, or adds it to the buffer at last, where it is counted in. The accesses
 * that are added are a load and a store, or an atomic.
 *
 * bytes  of it that a group uses; 0: all
 *
 * False: it is no buffer, or of no known size.
 */
bool stage_object(struct ir_kernel *kernel, const struct launch *launch, uint32_t object,
                  double bytes);

#endif
