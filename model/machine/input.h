/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel models are given. */
#ifndef PREDICTD_MODEL_MACHINE_INPUT_H
#define PREDICTD_MODEL_MACHINE_INPUT_H

#include "model/evaluate/evaluate.h"
#include "model/passes/passes.h"
#include "model/prediction.h"

struct model_input {
	const struct ir_kernel *kernel;
	const struct device *device;
	const struct launch *launch;
	const struct evaluation *evaluation;
};

#endif
