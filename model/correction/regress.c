/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What many kernels say of a device: ridge regression of their residuals over what each launch
 * spends its time on, with Student's weights.
 */
#include <math.h>

#include "model/correction/state.h"

enum {
	ROUNDS = 8, /* of reweighting */
	BELIEFS = 10
};

/*
 * Of a device's calibration as a whole, of each resource, trait and kind of work: the spread of
 * biases as a share of the static residuals'. Chosen on random kernels of three devices.
 */
static const double WHOLE_SHARE = 0.35, RESOURCE_SHARE = 0.5, TRAIT_SHARE = 0.42, WORK_SHARE = 0.5;

/* Student's degrees of freedom of kernels about the device's effect. */
static const double FREEDOM = 1;

/* How much likelier it is before any kernel was seen that all of the regression holds of others
 * than that none of it does, as ln. */
static const double BELIEF_PRIOR = 1;

/* Symmetric and positive definite: its lower half, then its Cholesky factor. */
struct matrix {
	unsigned count;
	double at[FEATURES][FEATURES];
};

/* Of the features that any launch has: others' biases stay what they are. */
struct equations {
	uint8_t feature[FEATURES]; /* ascending; resources are there always, since they are tied */
	struct matrix matrix;
	double vector[FEATURES];
};

_Static_assert((int)CORRECTION_LAUNCHES <= (int)FEATURES, "a kernel's launches fit a matrix");

static void choose_features(struct equations *equations, const struct datum *data, uint32_t count)
{
	bool has[FEATURES] = {false};

	for (uint32_t i = 0; i < count; i++)
		for (unsigned j = 0; j < FEATURES; j++)
			has[j] = has[j] || data[i].share[j] > 0;
	equations->matrix.count = 0;
	for (unsigned j = 0; j < FEATURES; j++)
		if (j < BOTTLENECK_COUNT || has[j])
			equations->feature[equations->matrix.count++] = (uint8_t)j;
}

/* In place: L L^T. */
static void factorise(struct matrix *matrix)
{
	for (unsigned i = 0; i < matrix->count; i++)
		for (unsigned j = 0; j <= i; j++) {
			const double *a = matrix->at[i], *b = matrix->at[j];
			double sum = a[j];
			for (unsigned k = 0; k < j; k++)
				sum -= a[k] * b[k];
			matrix->at[i][j] = i == j ? sqrt(fmax(sum, 1e-12)) : sum / b[j];
		}
}

/* From the first element that is not 0. */
static void solve_lower(const struct matrix *factor, double vector[FEATURES])
{
	unsigned first = 0;

	while (first < factor->count && vector[first] == 0)
		first++;
	for (unsigned i = first; i < factor->count; i++) {
		for (unsigned k = first; k < i; k++)
			vector[i] -= factor->at[i][k] * vector[k];
		vector[i] /= factor->at[i][i];
	}
}

static void solve_upper(const struct matrix *factor, double vector[FEATURES])
{
	for (unsigned i = factor->count; i-- > 0;) {
		for (unsigned k = i + 1; k < factor->count; k++)
			vector[i] -= factor->at[k][i] * vector[k];
		vector[i] /= factor->at[i][i];
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

	for (unsigned i = 0; i < equations->matrix.count; i++) {
		unsigned feature = equations->feature[i];
		double precision = 1 / (variance * spread_of(feature) * spread_of(feature));

		equations->vector[i] = precision * (double)prior[feature];
		for (unsigned j = 0; j < i; j++)
			equations->matrix.at[i][j] = 0;
		equations->matrix.at[i][i] = precision;
	}
	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++)
		for (unsigned j = 0; j < BOTTLENECK_COUNT; j++) {
			equations->vector[i] -= common * (double)prior[j];
			if (j <= i)
				equations->matrix.at[i][j] -= common;
		}
}

static void equations_add(struct equations *equations, const struct datum *datum, double weight)
{
	uint8_t places[FEATURES];
	double shares[FEATURES];
	unsigned count = 0;

	for (unsigned i = 0; i < equations->matrix.count; i++)
		if (datum->share[equations->feature[i]] > 0) {
			shares[count] = datum->share[equations->feature[i]] / 255.0;
			places[count++] = (uint8_t)i;
		}
	for (unsigned i = 0; i < count; i++) {
		double *row = equations->matrix.at[places[i]], share = shares[i] * weight;

		equations->vector[places[i]] += share * datum->residual;
		for (unsigned j = 0; j <= i; j++)
			row[places[j]] += share * shares[j];
	}
}

static double prior_of(const struct equations *equations, const struct datum *datum,
                       const float *prior)
{
	double sum = 0;

	for (unsigned i = 0; i < equations->matrix.count; i++)
		sum += (double)prior[equations->feature[i]] * datum->share[equations->feature[i]];
	return sum / 255;
}

static double bias_of(const struct equations *equations, const struct datum *datum)
{
	double sum = 0;

	for (unsigned i = 0; i < equations->matrix.count; i++)
		sum += equations->vector[i] * datum->share[equations->feature[i]];
	return sum / 255;
}

/*
 * What would be left of the residuals of one kernel's launches if it had been left out: with
 * H the part of the hat matrix that is its own, (I - H)^-1 of its errors (Cook and Weisberg,
 * Residuals and Influence in Regression, 1982), made symmetric by the roots of the weights.
 */
static void leave_out(const struct equations *equations, struct datum *data, uint32_t count)
{
	double rows[CORRECTION_LAUNCHES][FEATURES], error[FEATURES], root[CORRECTION_LAUNCHES];
	struct matrix left;

	left.count = count;
	for (uint32_t i = 0; i < count; i++) {
		root[i] = sqrt(data[i].pull);
		for (unsigned k = 0; k < equations->matrix.count; k++)
			rows[i][k] = data[i].share[equations->feature[k]] / 255.0;
		solve_lower(&equations->matrix, rows[i]);
		for (uint32_t j = 0; j <= i; j++) {
			double sum = 0;
			for (unsigned k = 0; k < equations->matrix.count; k++)
				sum += rows[i][k] * rows[j][k];
			left.at[i][j] = (i == j) - root[i] * root[j] * sum;
		}
		error[i] = root[i] * data[i].error;
	}
	factorise(&left);
	solve_lower(&left, error);
	solve_upper(&left, error);
	for (uint32_t i = 0; i < count; i++)
		data[i].error = error[i] / root[i];
}

/*
 * How much of the regression to believe, from none to all: by how likely it makes each kernel's
 * residuals when that kernel was left out. What is particular to kernels must not be learned of
 * others.
 */
static double belief(const struct equations *equations, const struct datum *data, uint32_t count,
                     const float *prior)
{
	double loss[BELIEFS + 1] = {0}, least = (double)INFINITY, sum = 0, mean = 0;

	for (uint32_t i = 0; i < count; i++) {
		double without = data[i].residual - prior_of(equations, &data[i], prior);
		for (unsigned k = 0; k <= BELIEFS; k++) {
			double part = (double)k / (double)BELIEFS;
			double z = (without + part * (data[i].error - without)) / data[i].deviation;
			loss[k] += data[i].weight * (FREEDOM + 1) / 2 * log(1 + z * z / FREEDOM);
		}
	}
	for (unsigned k = 0; k <= BELIEFS; k++)
		least = fmin(least, loss[k]);
	for (unsigned k = 0; k <= BELIEFS; k++) {
		double part = (double)k / (double)BELIEFS;
		double likelihood = exp(least - loss[k] + BELIEF_PRIOR * part);
		sum += likelihood;
		mean += likelihood * part;
	}
	return mean / sum;
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
			data[i].pull = weight;
			equations_add(&equations, &data[i], weight);
		}
		factorise(&equations.matrix);
		solve_lower(&equations.matrix, equations.vector);
		solve_upper(&equations.matrix, equations.vector);
		for (uint32_t i = 0; i < count; i++)
			data[i].error = data[i].residual - bias_of(&equations, &data[i]);
	}
	for (uint32_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && end - i < CORRECTION_LAUNCHES &&
		                  data[end].group == data[i].group;)
			end++;
		leave_out(&equations, data + i, end - i);
	}
	double believed = belief(&equations, data, count, prior);
	for (unsigned i = 0; i < equations.matrix.count; i++) {
		unsigned feature = equations.feature[i];
		double before = (double)prior[feature];
		bias[feature] = (float)(before + believed * (equations.vector[i] - before));
	}
	for (uint32_t i = 0; i < count; i++) {
		double without = data[i].residual - prior_of(&equations, &data[i], prior);
		data[i].error = without + believed * (data[i].error - without);
	}
}
