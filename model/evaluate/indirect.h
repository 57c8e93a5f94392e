/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where accesses go whose index was sampled: from values that were read, or are like them, to the
 * places of another buffer. Of such accesses there are many, and samples of indices few, so that
 * what all of them touch is extrapolated from what those do.
 */
#ifndef PREDICTD_MODEL_EVALUATE_INDIRECT_H
#define PREDICTD_MODEL_EVALUATE_INDIRECT_H

#include "model/evaluate/schedule.h"

/*
 * Requires address forms; fills reach_bytes, or is_sampled, hot_lines and cold_share, of accesses
 * whose index is a sampled number and what the launch makes of it. False when memory is short.
 */
bool indirect_find(const struct schedule *schedule, struct evaluation *result);

#endif
