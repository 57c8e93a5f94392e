/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What configurations take that were not measured: a Gaussian process over the logarithm of
 * measured over predicted time (Rasmussen, Williams, "Gaussian Processes for Machine Learning",
 * 2006, chapter 2). Two configurations' errors go together as far as they share values of
 * parameters. Its scale follows from what was measured.
 */
#ifndef PREDICTD_CLIENT_LIBRARY_TUNE_MODEL_H
#define PREDICTD_CLIENT_LIBRARY_TUNE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tune_model {
	size_t count, parameter_count;
	size_t varying_count;   /* parameters of more than one value */
	const uint16_t *values; /* borrowed */
	const double *expected; /* log of predicted seconds, borrowed */
	double spread;          /* the standard deviation that predictions' intervals tell */
	double centre;          /* of `expected` */
	/* of what was measured: rows of the Cholesky factor's inverse times the covariances with
	 * every configuration */
	size_t rows, rows_max;
	float *columns;         /* [row * count + configuration] */
	double *means, *shares; /* by configuration: mean error; variance left, as a share */
	double squares; /* sum of the squares of what was not expected, each over its share */
};

/* False: no memory. tune_model_deinit after either. */
bool tune_model_init(struct tune_model *model, size_t count, size_t parameter_count,
                     const uint16_t *values, const double *expected, double spread);
void tune_model_deinit(struct tune_model *model);

/* Nothing is measured any more, and `expected` may have changed. */
void tune_model_reset(struct tune_model *model);

/* A measured time's logarithm. What is beyond the model's room is left out. */
void tune_model_add(struct tune_model *model, size_t configuration, double log_s);

/* Mean and standard deviation of a configuration's logarithm of seconds, its own noise included. */
double tune_model_mean(const struct tune_model *model, size_t configuration);
double tune_model_deviation(const struct tune_model *model, size_t configuration);

#endif
