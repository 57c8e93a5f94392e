/* SPDX-License-Identifier: Apache-2.0 */
/*
 * StarPU's rules for run times, restated as baselines (StarPU 1.3, src/core/perfmodel): the
 * history of one footprint, and the non-linear regression over sizes.
 */
#ifndef PREDICTD_TESTS_REFINEMENT_STARPU_H
#define PREDICTD_TESTS_REFINEMENT_STARPU_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A history entry: the first sample is dropped, nothing is said before ten; a sample beyond
 * x1.5 of the mean is an error, and once errors outnumber samples all are flushed.
 */
struct starpu_history {
	uint32_t count, errors;
	bool has_dropped;
	double sum;
};

void starpu_observe(struct starpu_history *history, double time_s);
double starpu_expected(const struct starpu_history *history); /* or 0: not known */

/*
 * time = a size^b + c by least squares of logarithms, c between 0 and the least time, found
 * by bisection on the correlation. Says 0 before ten samples or where sizes are within 10 %.
 */
double starpu_regression(const double *sizes, const double *times_s, uint32_t count, double size);

#endif
