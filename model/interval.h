/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How sure a prediction is.
 *
 * An estimate is as doubtful as what its time follows: the launch is nearly certain, what units
 * share is not. So the variance of ln(measured / predicted) is the mean of what is calibrated
 * for each kind of resource, weighted by how the time follows it (`elasticity` of a
 * prediction), and more where the answer rests on data that nobody told. More kinds than these
 * do not carry over from the kernels of a calibration to others.
 */
#ifndef PREDICTD_MODEL_INTERVAL_H
#define PREDICTD_MODEL_INTERVAL_H

#include "model/predict.h"

/* What makes an estimate doubtful: X(NAME), with COEFFICIENT_INTERVAL_<NAME>. */
#define DOUBT_TABLE(X) X(LAUNCH) X(UNIT) X(SHARED) X(DATA)

enum doubt {
#define X(name) DOUBT_##name,
	DOUBT_TABLE(X)
#undef X
	        DOUBT_COUNT
};

/* The coefficients of the table: standard deviations of ln(measured / predicted). */
extern const unsigned doubt_ids[DOUBT_COUNT];

/*
 * weight   out: of each variance in that of the prediction, 0 to 1; those of resources sum to
 *          1 or less (a fallback follows none)
 */
void interval_weights(const struct prediction *prediction, double weight[DOUBT_COUNT]);

/* Fills low_s and high_s, which hold the kernel's time nine times out of ten. */
void interval_fill(const struct device *device, struct prediction *prediction);

#endif
