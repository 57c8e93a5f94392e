/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether what a kernel computes stays what it was in a part of the launch. A part has its own
 * offset, so that global ids count through; its size, its groups' numbers and its offset are its
 * own.
 */
#ifndef PREDICTD_MODEL_SPLIT_MEANING_H
#define PREDICTD_MODEL_SPLIT_MEANING_H

#include "model/split/split.h"

/* False, and why: a statement depends on what differs in parts. It may do so without harm. */
bool meaning_stays(const struct ir_kernel *kernel, const struct launch *launch, uint32_t dimension,
                   char refusal[SPLIT_REASON_MAX]);

#endif
