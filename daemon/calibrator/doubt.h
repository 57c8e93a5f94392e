/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far whole kernels were from what was predicted of them, by what their time follows
 * (model/answer/interval.h): standard deviations, fitted with Student's t as the law of errors.
 */
#ifndef PREDICTD_CALIBRATOR_DOUBT_H
#define PREDICTD_CALIBRATOR_DOUBT_H

#include "model/answer/interval.h"

/* A kernel that was run. */
struct doubt_sample {
	double distance; /* |ln(measured / predicted)|; NAN: the model gave no answer */
	double weight[DOUBT_COUNT];
	double assumed_variance; /* of what was assumed of data */
};

struct doubt_fit {
	/* Nine of ten kernels are within 1.645 times these. */
	double log_sd; /* of all kinds, in the geometric mean */
	double kind[DOUBT_COUNT];
};

/* At least one sample. STATUS_NO_MEMORY. */
enum status doubt_fit(const struct doubt_sample *samples, size_t count, struct doubt_fit *fit,
                      struct error *error);

#endif
