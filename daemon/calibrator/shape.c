/* SPDX-License-Identifier: Apache-2.0 */
/* Fits of the default model's shape. */
#include "daemon/calibrator/shape.h"

#include <math.h>
#include <nlopt.h>
#include <stdlib.h>

#include "daemon/calibrator/opencl.h"

const unsigned shape_ids[SHAPE_PARAMETERS] = {
        COEFFICIENT_SHAPE_NORM,    COEFFICIENT_SHAPE_DISPATCH,    COEFFICIENT_SHAPE_ARITHMETIC,
        COEFFICIENT_SHAPE_CACHES,  COEFFICIENT_SHAPE_FIRST_LEVEL, COEFFICIENT_SHAPE_DRAM,
        COEFFICIENT_SHAPE_LATENCY,
};

/*
 * Of the logarithm of each parameter: how far from what micro-benchmarks say whole kernels
 * are expected, and how far they may get. The same for every device. The kernels are of few
 * makes, so that what the model gets wrong of them it gets wrong together: a fit that goes far
 * serves them and no others.
 */
static const double prior_sd = 0.1, norm_prior_sd = 0.5, log_most = 0.25, norm_log_most = 0.7;

/* Student's t with three degrees of freedom: errors of 15 % are common, any may be. */
static const double error_scale = 0.15, degrees = 3;

struct fitting {
	struct device *device; /* a copy, whose shape changes from trial to trial */
	double start[SHAPE_PARAMETERS];
	const struct shape_sample *samples;
	size_t count;
	int fold; /* samples of the other parity are left out; -1: none */
	struct prediction *prediction;
	nlopt_opt solver;
	double end_s;
};

static void shape_set(struct fitting *fitting, const double *log_parameter)
{
	for (unsigned i = 0; i < SHAPE_PARAMETERS; i++)
		fitting->device->coefficient[shape_ids[i]] = (struct coefficient){
		        .value = fitting->start[i] * exp(log_parameter[i]), .is_known = true};
}

/* ln(measured / predicted); NAN where the model gives no answer. */
static double residual(struct fitting *fitting, const struct shape_sample *sample)
{
	const struct prediction_options options = {.model = MODEL_DEFAULT};
	struct error error;
	if (predict(sample->kernel, fitting->device, sample->launch, &options, fitting->prediction,
	            &error) != STATUS_OK)
		return (double)NAN;
	return log(sample->measured_s / fitting->prediction->kernel_time_s);
}

/* Minus the logarithm of the posterior, but for constants. */
static double misfit(unsigned n, const double *x, double *gradient, void *context)
{
	struct fitting *fitting = context;
	double sum = 0;
	(void)gradient; /* the method takes none */
	shape_set(fitting, x);
	for (unsigned i = 0; i < n; i++) {
		double distance = x[i] / (i == 0 ? norm_prior_sd : prior_sd);
		sum += 0.5 * distance * distance;
	}
	for (size_t i = 0; i < fitting->count; i++) {
		if (fitting->fold >= 0 && (int)(i % 2) != fitting->fold)
			continue;
		double distance = residual(fitting, &fitting->samples[i]) / error_scale;
		if (!isnan(distance))
			sum += 0.5 * (degrees + 1) * log1p(distance * distance / degrees);
	}
	if (clock_now_s() > fitting->end_s)
		nlopt_force_stop(fitting->solver);
	return sum;
}

static bool solve(struct fitting *fitting, int fold, double *x)
{
	double reached, low[SHAPE_PARAMETERS], high[SHAPE_PARAMETERS];
	for (unsigned i = 0; i < SHAPE_PARAMETERS; i++) {
		x[i] = 0;
		high[i] = i == 0 ? norm_log_most : log_most;
		low[i] = -high[i];
	}
	fitting->fold = fold;
	fitting->solver = nlopt_create(NLOPT_LN_BOBYQA, SHAPE_PARAMETERS);
	if (fitting->solver == NULL)
		return false;
	nlopt_set_min_objective(fitting->solver, misfit, fitting);
	nlopt_set_lower_bounds(fitting->solver, low);
	nlopt_set_upper_bounds(fitting->solver, high);
	nlopt_set_initial_step1(fitting->solver, 0.1);
	nlopt_set_xtol_abs1(fitting->solver, 1e-3);
	nlopt_set_maxeval(fitting->solver, 400);
	nlopt_result result = nlopt_optimize(fitting->solver, x, &reached);
	nlopt_destroy(fitting->solver);
	return result > 0 || result == NLOPT_ROUNDOFF_LIMITED || result == NLOPT_FORCED_STOP;
}

/* The mean distance; one of more than a factor e counts as that. */
static double score(const struct doubt_sample *samples, size_t count)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += isnan(samples[i].distance) ? 1 : fmin(samples[i].distance, 1);
	return sum / (double)count;
}

/* What is off of the samples of one parity, with the parameters x. */
static void judge(struct fitting *fitting, const double *x, int parity, struct doubt_sample *judged)
{
	shape_set(fitting, x);
	for (size_t i = 0; i < fitting->count; i++)
		if ((int)(i % 2) == parity) {
			judged[i].distance = fabs(residual(fitting, &fitting->samples[i]));
			interval_weights(fitting->prediction, judged[i].weight);
			judged[i].assumed_variance = (double)fitting->prediction->assumed_variance;
		}
}

enum status shape_fit(const struct device *device, const struct shape_sample *samples, size_t count,
                      double end_s, struct shape_fit *fit, struct error *error)
{
	static const double none[SHAPE_PARAMETERS];
	double whole[SHAPE_PARAMETERS], half[2][SHAPE_PARAMETERS];
	enum status status = STATUS_OK;
	if (count < SHAPE_SAMPLES_MIN)
		return error_set(error, STATUS_INVALID, "want %d kernels or more, have %zu",
		                 SHAPE_SAMPLES_MIN, count);
	struct fitting fitting = {.samples = samples, .count = count, .end_s = end_s};
	struct doubt_sample *before = calloc(count, sizeof *before);
	struct doubt_sample *after = calloc(count, sizeof *after);
	fitting.device = malloc(sizeof *fitting.device);
	fitting.prediction = calloc(1, sizeof *fitting.prediction);
	if (before == NULL || after == NULL || fitting.device == NULL ||
	    fitting.prediction == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "a fit: no memory");
		goto out;
	}
	*fitting.device = *device;
	fitting.device->is_calibrated = true;
	for (unsigned i = 0; i < SHAPE_PARAMETERS; i++)
		fitting.start[i] = device_value(device, shape_ids[i], i == 0 ? 4 : 1);
	*fit = (struct shape_fit){.is_better = false};
	for (int parity = 0; parity < 2; parity++) {
		judge(&fitting, none, parity, before);
		if (!solve(&fitting, 1 - parity, half[parity])) {
			status = error_set(error, STATUS_INTERNAL, "a fit did not end");
			goto out;
		}
		judge(&fitting, half[parity], parity, after);
	}
	if (!solve(&fitting, -1, whole)) {
		status = error_set(error, STATUS_INTERNAL, "a fit did not end");
		goto out;
	}
	fit->score_before = score(before, count);
	fit->score_after = score(after, count);
	fit->is_better = fit->score_after < 0.98 * fit->score_before;
	status = doubt_fit(fit->is_better ? after : before, count, &fit->doubt, error);
	for (unsigned i = 0; i < SHAPE_PARAMETERS; i++) {
		fit->parameter[i] = fitting.start[i] * (fit->is_better ? exp(whole[i]) : 1);
		fit->error[i] = fmin(0.5 * fabs(half[0][i] - half[1][i]), 1);
	}
out:
	free(before);
	free(after);
	free(fitting.device);
	free(fitting.prediction);
	return status;
}
