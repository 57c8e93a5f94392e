/* SPDX-License-Identifier: Apache-2.0 */
/* The invariants of a kernel, checked: it may come from a process that parsed hostile text. */
#ifndef PREDICTD_MODEL_IR_CHECK_H
#define PREDICTD_MODEL_IR_CHECK_H

#include "model/ir/ir.h"

/*
 * Checks that every count is within its bound, every reference in range, every
 * operand older than its node, every node of a type that its operator can
 * have, and that statements and blocks form one tree rooted at block 0, no
 * deeper than IR_DEPTH_MAX: what the passes and the evaluation rely on, so
 * that they never check an index. Linear in the size of the kernel.
 *
 * kernel   as built or decoded; need not be sealed; unchanged
 *
 * STATUS_LIMIT: a bound; STATUS_CORRUPT: an invariant, named with the number
 * of what breaks it; STATUS_NO_MEMORY.
 */
enum status kernel_check(const struct ir_kernel *kernel, struct error *error);

#endif
