/* SPDX-License-Identifier: Apache-2.0 */
/* Launches whose buffers hold data, with samples of them or without. */
#ifndef PREDICTD_TESTS_PREDICT_SAMPLED_H
#define PREDICTD_TESTS_PREDICT_SAMPLED_H

#include "model/device/sample.h"
#include "model/evaluate/evaluate.h"
#include "tests/unit/predict/kernels.h"

/* A sample of a buffer: sixteen runs of 4 KiB, as the library takes them; the caller's. The
 * second fails its test where the first says that something is wrong. */
enum status sample_try(const void *data, uint64_t size_bytes, enum scalar scalar,
                       struct sample **sample, struct error *error);
struct sample *sample_take(const void *data, uint64_t size_bytes, enum scalar scalar);

/* A buffer of data, sampled where it is asked for; its copy of the sample ends with launch_end. */
void launch_data(struct launch *launch, const void *data, uint64_t size_bytes, enum scalar scalar,
                 bool is_sampled);
void launch_end(struct launch *launch);

/* What a launch does, on a device; freed with evaluation_deinit. */
struct evaluation evaluated(const struct ir_kernel *kernel, const struct device *device,
                            const struct launch *launch);

/* The same numbers each time, by their place in a sequence: below a limit. */
uint64_t any_below(uint64_t *sequence, uint64_t limit);

#endif
