/* SPDX-License-Identifier: Apache-2.0 */
/* How sure a prediction is. */
#include "model/interval.h"

#include <math.h>

#include "model/model_parts.h"

/* Of a normal distribution: 90 % lie within so many standard deviations. */
static const double NINETY_PERCENT = 1.6448536269514722;

/* What adds to the variance and is not calibrated: work and kernels that were not looked at. */
static const double CAPPED_VARIANCE = 1, FALLBACK_VARIANCE = 2;

/* Of an answer that rests on data, and of any, where no whole kernels were measured. */
static const double DATA_LOG_SD = 0.5, LOG_SD = 0.4;

const unsigned doubt_ids[DOUBT_COUNT] = {
#define X(name) [DOUBT_##name] = COEFFICIENT_INTERVAL_##name,
        DOUBT_TABLE(X)
#undef X
};

static const enum doubt doubt_of[BOTTLENECK_COUNT] = {
        [BOTTLENECK_LAUNCH] = DOUBT_LAUNCH,   [BOTTLENECK_DISPATCH] = DOUBT_LAUNCH,
        [BOTTLENECK_ARITHMETIC] = DOUBT_UNIT, [BOTTLENECK_LATENCY] = DOUBT_UNIT,
        [BOTTLENECK_LOCAL] = DOUBT_UNIT,      [BOTTLENECK_ATOMIC] = DOUBT_SHARED,
        [BOTTLENECK_BARRIER] = DOUBT_UNIT,    [BOTTLENECK_L1] = DOUBT_UNIT,
        [BOTTLENECK_L2] = DOUBT_SHARED,       [BOTTLENECK_L3] = DOUBT_SHARED,
        [BOTTLENECK_L4] = DOUBT_SHARED,       [BOTTLENECK_DRAM] = DOUBT_SHARED,
};

void interval_weights(const struct prediction *prediction, double weight[DOUBT_COUNT])
{
	double sum = 0;

	for (unsigned i = 0; i < DOUBT_COUNT; i++)
		weight[i] = 0;
	for (unsigned i = 0; i < BOTTLENECK_UNKNOWN; i++)
		sum += (double)prediction->elasticity[i];
	for (unsigned i = 0; i < BOTTLENECK_UNKNOWN; i++)
		weight[doubt_of[i]] += (double)prediction->elasticity[i] / fmax(sum, 1);
	weight[DOUBT_DATA] = prediction->is_data_dependent ? 1 : 0;
}

void interval_fill(const struct device *device, struct prediction *prediction)
{
	double any = positive_value(device, COEFFICIENT_INTERVAL_LOG_SD, LOG_SD);
	double weight[DOUBT_COUNT], variance = 0, rest = 1, factor;

	interval_weights(prediction, weight);
	for (unsigned i = 0; i < DOUBT_COUNT; i++) {
		double sd =
		        positive_value(device, doubt_ids[i], i == DOUBT_DATA ? DATA_LOG_SD : any);

		variance += weight[i] * sd * sd;
		if (i != DOUBT_DATA)
			rest -= weight[i];
	}
	variance += fmax(rest, 0) * any * any;
	if (prediction->is_capped)
		variance += CAPPED_VARIANCE;
	if (prediction->basis == BASIS_FALLBACK)
		variance += FALLBACK_VARIANCE;
	factor = exp(fmin(50, NINETY_PERCENT * sqrt(variance)));
	prediction->low_s = prediction->kernel_time_s / factor;
	prediction->high_s = prediction->kernel_time_s * factor;
}
