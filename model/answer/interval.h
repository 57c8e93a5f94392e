/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How sure a prediction is.
 *
 * An estimate is as doubtful as what its time follows: the launch is nearly certain, what units
 * share is not. So the variance of ln(measured / predicted) is the mean of what is calibrated
 * for each kind of resource, weighted by how the time follows it (`elasticity` of a
 * prediction), times a power of the kernel's blocks. More kinds than these do not carry over from
 * the kernels of a calibration to others. What was assumed of data adds the squares of how far
 * the time goes when each assumption is off by its own standard deviation (`doubt` of an
 * evaluation's blocks), whatever the device; so does the standard error of the mean work where
 * samples decide (`work_error`). Where nobody says how long the device has had nothing
 * to do, it is the union of the intervals of all states that are calibrated. An interval reaches
 * farther up than down: what a model gets wrong is rather something that takes time, and launches
 * take longer than those that a calibration has in a row.
 */
#ifndef PREDICTD_MODEL_ANSWER_INTERVAL_H
#define PREDICTD_MODEL_ANSWER_INTERVAL_H

#include "model/device/levels.h"
#include "model/machine/input.h"
#include "model/underived.h"

/* What makes an estimate doubtful: X(NAME), with COEFFICIENT_INTERVAL_<NAME>. */
#define DOUBT_TABLE(X) X(LAUNCH) X(UNIT) X(SHARED)

enum doubt {
#define X(name) DOUBT_##name,
	DOUBT_TABLE(X)
#undef X
	        DOUBT_COUNT
};

/* The coefficients of the table: standard deviations of ln(measured / predicted) of a short kernel.
 */
extern const unsigned doubt_ids[DOUBT_COUNT];

/*
 * How much of a launch's operations and accesses, as often as they run, is nothing known of: 0
 * to 1. Up to INTERVAL_UNKNOWN_MOST a prediction is of what is known, which is the most of it, and
 * more doubtful by the share; beyond, what is not known says how long it takes, and it falls back.
 */
double interval_unknown_share(const struct model_input *input);

/*
 * Fills what makes a prediction doubtful beside its resources: `pieces`, `assumed_variance`.
 * Requires its elasticities. STATUS_NO_MEMORY.
 */
enum status interval_examine(const struct model_input *input, struct prediction *prediction,
                             struct error *error);

/*
 * weight   out: of each variance in that of the prediction, >= 0; a fallback follows none
 */
void interval_weights(const struct prediction *prediction, double weight[DOUBT_COUNT]);

/* Fills low_s and high_s, which hold the kernel's time nine times out of ten. */
void interval_fill(const struct device *device, struct prediction *prediction);

#endif
