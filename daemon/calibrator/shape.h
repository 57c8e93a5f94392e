/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shape of the default model fitted to whole kernels: how far each resource's time is
 * from what its micro-benchmark says, and how resources overlap.
 *
 * Few parameters, each with a prior about what micro-benchmarks found, fitted in log time
 * with Student's t as the law of errors, so that a kernel that the model does not understand
 * does not bend what it says of the others. The fit stands only where it predicts kernels that
 * it has not seen better than no fit does (twofold cross-validation).
 */
#ifndef PREDICTD_CALIBRATOR_SHAPE_H
#define PREDICTD_CALIBRATOR_SHAPE_H

#include "daemon/calibrator/doubt.h"
#include "model/answer/predict.h"

enum { SHAPE_PARAMETERS = 7, SHAPE_SAMPLES_MIN = 20 };

/* A kernel that was run. */
struct shape_sample {
	const struct ir_kernel *kernel; /* borrowed, as the launch */
	const struct launch *launch;
	double measured_s; /* START to END, > 0 */
};

struct shape_fit {
	bool is_better;                     /* than without; else every parameter is as it was */
	double parameter[SHAPE_PARAMETERS]; /* values of shape_ids */
	double error[SHAPE_PARAMETERS];     /* relative: how far the two halves lie apart */
	struct doubt_fit doubt;             /* of unseen kernels */
	double score_before, score_after; /* means of |ln(measured / predicted)|, each at most 1 */
};

/* The coefficients that are fitted, SHAPE_PARAMETERS of them. */
extern const unsigned shape_ids[SHAPE_PARAMETERS];

/*
 * device    calibrated but for the shape; unchanged
 * samples   at least SHAPE_SAMPLES_MIN, in an order that mixes families
 * end_s     clock_now_s() at which to give up with what there is
 *
 * STATUS_INVALID: too few samples. STATUS_NO_MEMORY.
 */
enum status shape_fit(const struct device *device, const struct shape_sample *samples, size_t count,
                      double end_s, struct shape_fit *fit, struct error *error);

#endif
