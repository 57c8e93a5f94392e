/* SPDX-License-Identifier: Apache-2.0 */
/* How far whole kernels were from what was predicted of them. */
#include "daemon/calibrator/doubt.h"

#include <float.h>
#include <math.h>
#include <nlopt.h>

/*
 * Of logarithms: that of all kinds' standard deviation, and how far a kind is expected from
 * it. Some kinds have few kernels, whose errors say little of others'.
 */
static const double usual = -1.2, usual_sd = 1, kind_sd = 0.35, farthest = 3;

/* Student's t with three degrees of freedom, and within how many of its scales 90 % lie. */
static const double degrees = 3, ninety_percent = 2.353;
static const double normal_ninety_percent = 1.645;

enum { ALL, KINDS, PARAMETERS = KINDS + (int)DOUBT_COUNT };

struct fitting {
	const struct doubt_sample *samples;
	size_t count;
};

/* Minus the logarithm of the posterior, but for constants. */
static double misfit(unsigned n, const double *x, double *gradient, void *context)
{
	const struct fitting *fitting = context;
	double sum = 0.5 * pow((x[ALL] - usual) / usual_sd, 2);
	(void)gradient; /* the method takes none */
	for (unsigned i = KINDS; i < n; i++)
		sum += 0.5 * pow(x[i] / kind_sd, 2);
	for (size_t i = 0; i < fitting->count; i++) {
		const struct doubt_sample *sample = &fitting->samples[i];
		double variance = DBL_MIN + sample->assumed_variance;
		if (isnan(sample->distance))
			continue;
		for (unsigned kind = 0; kind < DOUBT_COUNT; kind++)
			variance += sample->weight[kind] * exp(2 * (x[ALL] + x[KINDS + kind]));
		sum += 0.5 * log(variance) +
		       0.5 * (degrees + 1) *
		               log1p(sample->distance * sample->distance / (variance * degrees));
	}
	return sum;
}

enum status doubt_fit(const struct doubt_sample *samples, size_t count, struct doubt_fit *fit,
                      struct error *error)
{
	struct fitting fitting = {.samples = samples, .count = count};
	const double scale = ninety_percent / normal_ninety_percent;
	double x[PARAMETERS] = {[ALL] = usual}, reached;
	nlopt_opt solver = nlopt_create(NLOPT_LN_BOBYQA, PARAMETERS);
	if (solver == NULL)
		return error_set(error, STATUS_NO_MEMORY, "an interval: no memory");
	nlopt_set_min_objective(solver, misfit, &fitting);
	nlopt_set_lower_bounds1(solver, usual - farthest);
	nlopt_set_upper_bounds1(solver, farthest);
	nlopt_set_initial_step1(solver, 0.3);
	nlopt_set_xtol_abs1(solver, 1e-3);
	nlopt_set_maxeval(solver, 2000);
	nlopt_result result = nlopt_optimize(solver, x, &reached);
	nlopt_destroy(solver);
	if (result < 0 && result != NLOPT_ROUNDOFF_LIMITED)
		return error_set(error, STATUS_INTERNAL, "the fit of an interval did not end");
	fit->log_sd = scale * exp(x[ALL]);
	for (unsigned kind = 0; kind < DOUBT_COUNT; kind++)
		fit->kind[kind] = scale * exp(x[ALL] + x[KINDS + kind]);
	return STATUS_OK;
}
