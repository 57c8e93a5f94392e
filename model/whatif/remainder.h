/* SPDX-License-Identifier: Apache-2.0 */
/* Remainders of floats by arithmetic, in place of a call: SEVERAL_REMAINDER. */
#ifndef PREDICTD_MODEL_WHATIF_REMAINDER_H
#define PREDICTD_MODEL_WHATIF_REMAINDER_H

#include "model/ir/ir.h"

/* Whether a node is fmod or remainder. */
bool node_is_remainder(const struct ir_kernel *kernel, uint32_t node);

/*
 * x - y * trunc(x / y) for fmod, and with rint for remainder.
 *
 * to        the kernel that is built
 * node      of node_is_remainder
 * operands  x and y, of `to`
 *
 * Returns the value in `to`; IR_NONE: no room.
 */
uint32_t remainder_made(struct ir_kernel *to, const struct ir_node *node, const uint32_t *operands);

#endif
