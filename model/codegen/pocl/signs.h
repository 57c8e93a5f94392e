/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signs that follow from how a number is reckoned, and built-in functions that a CPU's core guesses
 * wrong by the signs of their operands.
 */
#ifndef PREDICTD_MODEL_CODEGEN_POCL_SIGNS_H
#define PREDICTD_MODEL_CODEGEN_POCL_SIGNS_H

#include "model/codegen/codegen.h"

/* Whether a number is not below zero, whatever data say, as far as is looked. */
bool cpu_is_never_negative(const struct ir_kernel *kernel, const struct ir_node *n);

/*
 * Adds to `wrong`, per node, how often a work-item's call is guessed wrong. is_data: per node,
 * whether data decide it. Requires lanes.
 */
void cpu_signs(const struct machine *m, const bool *is_data, double *wrong);

#endif
