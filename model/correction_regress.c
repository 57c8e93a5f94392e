/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What many kernels say of a device: ridge regression of their residuals over what each launch
 * spends its time on, with Student's weights.
 */
#include <math.h>

#include "model/correction_state.h"

enum { ROUNDS = 8 }; /* of reweighting */

/*
 * Of a device's calibration as a whole, of each resource, trait and kind of work: the spread of
 * biases as a share of the static residuals'. Chosen on random kernels of three devices.
 */
static const double WHOLE_SHARE = 0.35, RESOURCE_SHARE = 0.5, TRAIT_SHARE = 0.42, WORK_SHARE = 0.5;

/* Student's degrees of freedom of kernels about the device's effect. */
static const double FREEDOM = 1;

/* Of the features that any launch has: others' biases stay what they are. */
struct equations {
	unsigned count;
	uint8_t feature[FEATURES]; /* ascending; resources are there always, since they are tied */
	double matrix[FEATURES][FEATURES]; /* its lower half */
	double vector[FEATURES];
};

static void choose_features(struct equations *equations, const struct datum *data, uint32_t count)
{
	bool has[FEATURES] = {false};

	for (uint32_t i = 0; i < count; i++)
		for (unsigned j = 0; j < FEATURES; j++)
			has[j] = has[j] || data[i].share[j] > 0;
	equations->count = 0;
	for (unsigned j = 0; j < FEATURES; j++)
		if (j < BOTTLENECK_COUNT || has[j])
			equations->feature[equations->count++] = (uint8_t)j;
}

/* In place: matrix = L L^T. It is positive definite by its prior. */
static void factorise(struct equations *equations)
{
	for (unsigned i = 0; i < equations->count; i++)
		for (unsigned j = 0; j <= i; j++) {
			const double *a = equations->matrix[i], *b = equations->matrix[j];
			double sum = a[j];
			for (unsigned k = 0; k < j; k++)
				sum -= a[k] * b[k];
			equations->matrix[i][j] = i == j ? sqrt(fmax(sum, 1e-12)) : sum / b[j];
		}
}

/* From the first element that is not 0. */
static void solve_lower(const struct equations *equations, double vector[FEATURES])
{
	unsigned first = 0;

	while (first < equations->count && vector[first] == 0)
		first++;
	for (unsigned i = first; i < equations->count; i++) {
		for (unsigned k = first; k < i; k++)
			vector[i] -= equations->matrix[i][k] * vector[k];
		vector[i] /= equations->matrix[i][i];
	}
}

static void solve_upper(const struct equations *equations, double vector[FEATURES])
{
	for (unsigned i = equations->count; i-- > 0;) {
		for (unsigned k = i + 1; k < equations->count; k++)
			vector[i] -= equations->matrix[k][i] * vector[k];
		vector[i] /= equations->matrix[i][i];
	}
}

static double spread_of(unsigned feature)
{
	if (feature < BOTTLENECK_COUNT)
		return RESOURCE_SHARE;
	return feature < BOTTLENECK_COUNT + TRAITS ? TRAIT_SHARE : WORK_SHARE;
}

/*
 * The prior: resources' biases have a common part, variance (whole + [same] resource) of the
 * static residuals' own; those of traits and of kinds of work have none; about `prior`. Its inverse
 * by Sherman and Morrison.
 */
static void equations_init(struct equations *equations, const float *prior, double variance)
{
	double own = variance * RESOURCE_SHARE * RESOURCE_SHARE;
	double whole = variance * WHOLE_SHARE * WHOLE_SHARE;
	double common = whole / (own + (double)BOTTLENECK_COUNT * whole) / own;

	for (unsigned i = 0; i < equations->count; i++) {
		unsigned feature = equations->feature[i];
		double precision = 1 / (variance * spread_of(feature) * spread_of(feature));

		equations->vector[i] = precision * (double)prior[feature];
		for (unsigned j = 0; j < i; j++)
			equations->matrix[i][j] = 0;
		equations->matrix[i][i] = precision;
	}
	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++)
		for (unsigned j = 0; j < BOTTLENECK_COUNT; j++) {
			equations->vector[i] -= common * (double)prior[j];
			if (j <= i)
				equations->matrix[i][j] -= common;
		}
}

static void equations_add(struct equations *equations, const struct datum *datum, double weight)
{
	uint8_t places[FEATURES];
	double shares[FEATURES];
	unsigned count = 0;

	for (unsigned i = 0; i < equations->count; i++)
		if (datum->share[equations->feature[i]] > 0) {
			shares[count] = datum->share[equations->feature[i]] / 255.0;
			places[count++] = (uint8_t)i;
		}
	for (unsigned i = 0; i < count; i++) {
		double *row = equations->matrix[places[i]], share = shares[i] * weight;

		equations->vector[places[i]] += share * datum->residual;
		for (unsigned j = 0; j <= i; j++)
			row[places[j]] += share * shares[j];
	}
}

static double bias_of(const struct equations *equations, const struct datum *datum)
{
	double sum = 0;

	for (unsigned i = 0; i < equations->count; i++)
		sum += equations->vector[i] * datum->share[equations->feature[i]];
	return sum / 255;
}

void regress(struct datum *data, uint32_t count, const float *prior, float *bias)
{
	struct equations equations;
	double variance = 0, total = 0;

	for (uint32_t i = 0; i < count; i++) {
		variance += data[i].weight * data[i].deviation * data[i].deviation;
		total += data[i].weight;
		data[i].error = 0;
	}
	variance = fmax(variance / total, 1e-4);
	choose_features(&equations, data, count);
	for (unsigned round = 0; round < ROUNDS; round++) {
		equations_init(&equations, prior, variance);
		for (uint32_t i = 0; i < count; i++) {
			double z = data[i].error / data[i].deviation;
			double student = round == 0 ? 1 : (FREEDOM + 1) / (FREEDOM + z * z);
			double weight =
			        data[i].weight * student / (data[i].deviation * data[i].deviation);
			data[i].leverage = weight;
			equations_add(&equations, &data[i], weight);
		}
		factorise(&equations);
		solve_lower(&equations, equations.vector);
		solve_upper(&equations, equations.vector);
		for (uint32_t i = 0; i < count; i++)
			data[i].error = data[i].residual - bias_of(&equations, &data[i]);
	}
	for (unsigned i = 0; i < equations.count; i++)
		bias[equations.feature[i]] = (float)equations.vector[i];
	for (uint32_t i = 0; i < count; i++) {
		double row[FEATURES], sum = 0;
		for (unsigned j = 0; j < equations.count; j++)
			row[j] = data[i].share[equations.feature[j]] / 255.0;
		solve_lower(&equations, row);
		for (unsigned j = 0; j < equations.count; j++)
			sum += row[j] * row[j];
		data[i].leverage *= sum;
	}
}
