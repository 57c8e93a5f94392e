/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic that authors write in place of dearer one: SEVERAL_POWER, SEVERAL_RECIPROCAL.
 *
 * Comes in: a node of a sealed kernel, and its operands in the kernel that is built. Goes out: the
 * value in its place. This file appends no statement.
 */
#ifndef PREDICTD_MODEL_WHATIF_ARITHMETIC_H
#define PREDICTD_MODEL_WHATIF_ARITHMETIC_H

#include "model/ir/ir.h"

/* Whether a node is a power by 2, 3, 4, 1/2 or what those divide one by; or one of 2 or 10. */
bool node_is_power(const struct ir_kernel *kernel, uint32_t node);

/*
 * Products, roots, exp2 and exp10.
 *
 * to        the kernel that is built
 * node      of node_is_power, in `from`
 * operands  of `to`
 *
 * Returns the value in `to`; IR_NONE: no room.
 */
uint32_t power_made(struct ir_kernel *to, const struct ir_kernel *from, uint32_t node,
                    const uint32_t *operands);

/* Whether a node divides reals by what a loop does not change, what others are divided by, or a
 * constant; but for constants whose reciprocals are exact, by which compilers multiply. */
bool node_divides_again(const struct ir_kernel *kernel, uint32_t node);

/* Whether a node computes in double precision. */
bool node_is_double(const struct ir_kernel *kernel, uint32_t node);

/* Whether doubles are among the kernel's data: arguments, or elements of arrays. */
bool kernel_has_doubles(const struct ir_kernel *kernel);

/* Computes in single precision. False: there are doubles among the data, or none. */
bool single_made(struct ir_kernel *kernel);

/* The product with the reciprocal, which is built once for all. Otherwise as above. */
uint32_t reciprocal_made(struct ir_kernel *to, const struct ir_node *node,
                         const uint32_t *operands);

#endif
