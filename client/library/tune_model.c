/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "client/library/tune_model.h"

/*
 * Shares of an error's variance: what all configurations have in common, what goes with how long
 * one is predicted, what each parameter's value adds, what alike configurations share beyond that,
 * and what is each one's own. They add up to 1, but for the second, which is per unit of distance.
 */
#define COMMON 0.4
#define SLOPE  0.1
#define VALUES 0.25
#define ALIKE  0.25
#define OWN    0.1

#define PRIOR_WEIGHT 4.0 /* measurements that the intervals count for */

enum {
	CELLS_MAX = 1 << 24, /* of the table of columns: 64 MiB */
	ROWS_MIN = 32,
	ROWS_MAX = 512
};

static double slope(const struct tune_model *model, size_t configuration)
{
	return model->expected[configuration] - model->centre;
}

/* Of two configurations' errors, without each one's own. */
static double covariance(const struct tune_model *model, size_t a, size_t b)
{
	const uint16_t *first = model->values + a * model->parameter_count;
	const uint16_t *second = model->values + b * model->parameter_count;
	size_t other = 0;
	for (size_t i = 0; i < model->parameter_count; i++)
		other += first[i] != second[i];
	double same =
	        model->varying_count > 0 ? 1 - (double)other / (double)model->varying_count : 1;
	return COMMON + SLOPE * slope(model, a) * slope(model, b) + VALUES * same +
	       ALIKE * exp(-(double)other);
}

/* What never varies makes no two alike. */
static size_t count_varying(size_t count, size_t parameter_count, const uint16_t *values)
{
	size_t varying = 0;
	for (size_t i = 0; i < parameter_count; i++) {
		size_t at = 1;
		while (at < count && values[at * parameter_count + i] == values[i])
			at++;
		varying += at < count;
	}
	return varying;
}

bool tune_model_init(struct tune_model *model, size_t count, size_t parameter_count,
                     const uint16_t *values, const double *expected, double spread)
{
	size_t rows_max = CELLS_MAX / count;
	rows_max = rows_max < ROWS_MIN ? ROWS_MIN : rows_max > ROWS_MAX ? ROWS_MAX : rows_max;
	rows_max = rows_max > count ? count : rows_max;
	*model = (struct tune_model){.count = count,
	                             .parameter_count = parameter_count,
	                             .varying_count = count_varying(count, parameter_count, values),
	                             .values = values,
	                             .expected = expected,
	                             .spread = spread,
	                             .rows_max = rows_max};
	model->columns = malloc(rows_max * count * sizeof *model->columns);
	model->means = calloc(2 * count, sizeof *model->means);
	if (model->columns == NULL || model->means == NULL)
		return false;
	model->shares = model->means + count;
	tune_model_reset(model);
	return true;
}

void tune_model_reset(struct tune_model *model)
{
	model->rows = 0;
	model->squares = 0;
	model->centre = 0;
	for (size_t i = 0; i < model->count; i++)
		model->centre += model->expected[i] / (double)model->count;
	for (size_t i = 0; i < model->count; i++) {
		model->means[i] = 0;
		model->shares[i] = covariance(model, i, i);
	}
}

void tune_model_deinit(struct tune_model *model)
{
	free(model->columns);
	free(model->means);
	*model = (struct tune_model){0};
}

void tune_model_add(struct tune_model *model, size_t configuration, double log_s)
{
	size_t count = model->count;
	if (model->rows == model->rows_max)
		return;
	double variance = model->shares[configuration] + OWN, deviation = sqrt(variance);
	double error = log_s - tune_model_mean(model, configuration);
	float *column = model->columns + model->rows * count;
	for (size_t i = 0; i < count; i++)
		column[i] = (float)covariance(model, configuration, i);
	/* without what rows before say of both */
	for (size_t row = 0; row < model->rows; row++) {
		const float *other = model->columns + row * count;
		float own = other[configuration];
		for (size_t i = 0; i < count; i++)
			column[i] -= own * other[i];
	}
	for (size_t i = 0; i < count; i++) {
		column[i] /= (float)deviation;
		model->means[i] += (double)column[i] * error / deviation;
		model->shares[i] =
		        fmax(0, model->shares[i] - (double)column[i] * (double)column[i]);
	}
	model->squares += error * error / variance;
	model->rows++;
}

double tune_model_mean(const struct tune_model *model, size_t configuration)
{
	return model->expected[configuration] + model->means[configuration];
}

double tune_model_deviation(const struct tune_model *model, size_t configuration)
{
	/* the scale's posterior mean, of an inverse gamma distribution before */
	double scale = (PRIOR_WEIGHT * model->spread * model->spread + model->squares) /
	               (PRIOR_WEIGHT + (double)model->rows);
	return sqrt(scale * (model->shares[configuration] + OWN));
}
