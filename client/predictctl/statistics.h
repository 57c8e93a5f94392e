/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How good predictions are, as the paper's section 4 and others measure it: shares of
 * launches within a bound, percentage errors, Spearman's rank correlation, and the coverage
 * and width of the intervals. Ratios are predicted / measured.
 */
#ifndef PREDICTD_CLIENT_PREDICTCTL_STATISTICS_H
#define PREDICTD_CLIENT_PREDICTCTL_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

enum { HISTOGRAM_BINS = 12 };

/* Lower edges of the bins; the first also takes what lies below, the last has no end. */
extern const double histogram_edges[HISTOGRAM_BINS];

struct comparison {
	double predicted_s, low_s, high_s, measured_s; /* > 0 */
	bool is_large; /* takes at least three times an empty launch, as measured */
};

/* Of a set of comparisons; all NAN when it is empty. */
struct accuracy {
	size_t count;
	double within30;                 /* share with |predicted - measured| <= 0.3 measured */
	double within15;                 /* share with a ratio from 1/1.5 to 1.5 */
	double median_error, mean_error; /* of |predicted / measured - 1| */
};

struct score {
	struct accuracy all, large;
	double spearman;     /* NAN for fewer than two comparisons or when one side is constant */
	double coverage;     /* share of measured times within the interval */
	double median_width; /* of high / low */
	size_t histogram[HISTOGRAM_BINS];
};

/* False when memory is short. */
bool score_compute(const struct comparison *comparisons, size_t count, struct score *score);

/* Spearman's rank correlation of two columns; ties get their mean rank. */
bool spearman(const double *x, const double *y, size_t count, double *result);

/* The median, which sorts the values; NAN for none. */
double median_of(double *values, size_t count);

/* The names of all, each behind a space. */
extern const char score_metrics[];
/* The metric of that name ("within15", "large_within30", "median_error", ...); false: none. */
bool score_metric(const struct score *score, const char *name, double *value, bool *more_is_better);

#endif
