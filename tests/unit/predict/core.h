/* SPDX-License-Identifier: Apache-2.0 */
/* A CPU of round numbers, and what it is predicted to take for a source. */
#ifndef PREDICTD_TESTS_UNIT_PREDICT_CORE_H
#define PREDICTD_TESTS_UNIT_PREDICT_CORE_H

#include "tests/unit/frontend/analysis.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"

enum { ITEMS = 1 << 16, WIDTH = 777 };

static const double all = ITEMS;

static inline struct prediction source_answer(const char *source, const struct device *device,
                                              uint64_t items, uint64_t group)
{
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_1d(items, group);
	struct prediction prediction;

	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		if (kernel->arguments[i].kind == ARGUMENT_BUFFER)
			launch_buffer(&launch, items * 4 + 4096);
		else
			launch_integer(&launch, (enum scalar)kernel->arguments[i].type.scalar,
			               WIDTH);
	}
	prediction = answer_by(kernel, device, &launch,
	                       &(struct prediction_options){.with_doubts = true});
	kernel_free(kernel);
	return prediction;
}

/* A CPU that makes vectors, and on which all but what a test sets is nearly nothing. */
static inline struct device *core(void)
{
	struct device *device = device_cpu();

	device_set(device, COEFFICIENT_LAUNCH_BASE, 1e-9);
	device_set(device, COEFFICIENT_LAUNCH_GROUP, 1e-12);
	device_set(device, COEFFICIENT_WINDOW, 1000);
	return device;
}

#endif
