/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer: how long a launch takes, and why.
 *
 * Total = host-to-device transfer + launch + kernel + device-to-host transfer
 * (Poeppel and Herz, equation 2, with the launch as a term of its own).
 * Pure code: the same inputs give the same bytes.
 */
#ifndef PREDICTD_MODEL_ANSWER_PREDICT_H
#define PREDICTD_MODEL_ANSWER_PREDICT_H

#include "model/device/device.h"
#include "model/device/launch.h"
#include "model/ir/ir.h"
#include "model/prediction.h"

enum { PREDICTION_BUDGET = 4 << 20 /* evaluated nodes: some 10 ms */ };

struct prediction_options {
	enum kernel_model model;
	bool with_transfers;    /* else both are zero */
	bool is_pinned;         /* of memory that the driver allocated, not pageable */
	bool with_doubts;       /* also looks for accesses that nothing but data bounds: `doubt` */
	bool with_what_ifs;     /* also lists changes that the kernel could follow: `what_ifs` */
	struct what_if what_if; /* the launch as it would be then; kind 0: as it is */
	struct prediction_lines *lines; /* out: the default model's lines; NULL: not asked */
	uint64_t budget;                /* evaluated nodes; 0: PREDICTION_BUDGET */
};

/*
 * Predicts one launch.
 *
 * kernel   sealed; may carry `unsupported`: then basis is fallback, and so it is where too much
 *          of what runs is `unknown` (model/answer/interval.h)
 * device   calibrated
 * launch   as asked; checked here (launch_check on a copy)
 *
 * STATUS_INVALID: the kernel has nothing that `what_if` could change.
 * STATUS_UNCALIBRATED: the device has no calibration. What launch_check returns.
 * On error *prediction is unchanged. Never loops longer than the budget.
 */
enum status predict(const struct ir_kernel *kernel, const struct device *device,
                    const struct launch *launch, const struct prediction_options *options,
                    struct prediction *prediction, struct error *error);

#endif
