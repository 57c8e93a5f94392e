/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon does with a kernel it has decoded: prints it, predicts it. */
#ifndef PREDICTD_TESTS_FUZZ_EXAMINE_H
#define PREDICTD_TESTS_FUZZ_EXAMINE_H

#include "model/ir/ir.h"

/* Aborts when a prediction is no number or its interval does not hold it. */
void examine(const struct ir_kernel *kernel);

#endif
