/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's access patterns (Poeppel and Herz, section 2.5), told from the evaluated launch. */
#ifndef PREDICTD_MODEL_EVALUATE_PATTERN_H
#define PREDICTD_MODEL_EVALUATE_PATTERN_H

#include "model/evaluate/evaluate.h"
#include "model/prediction.h"

/* The size that an interval must fit: the largest cache of one unit, else the innermost. */
double pattern_cache_bytes(const struct device *device);

/*
 * The pattern of an access: constant (one address for all), interval (a range
 * that fits the cache and is read again), coalesced (a warp touches at most
 * twice the segments that its bytes need), uncoalesced (the rest); or the space
 * where that is local or private. Repeated is a matter of the source: see
 * ir_written.
 */
enum pattern pattern_of(const struct ir_kernel *kernel, const struct evaluation *evaluation,
                        const struct device *device, uint32_t access);

#endif
