/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a configuration takes as long as when it was chosen: rank sums of windows of runs
 * (Mann, Whitney, Annals of Mathematical Statistics 18, 1947). The bound follows from the ranks of
 * the runs themselves, whatever their noise is distributed like.
 */
#ifndef PREDICTD_CLIENT_LIBRARY_TUNE_DRIFT_H
#define PREDICTD_CLIENT_LIBRARY_TUNE_DRIFT_H

#include <stdbool.h>
#include <stddef.h>

enum {
	DRIFT_WINDOW = 20,
	DRIFT_WINDOWS = 2, /* in a row, that differ by the same sign */
	DRIFT_REFERENCE = DRIFT_WINDOW * DRIFT_WINDOWS
};

struct drift {
	double times_s[DRIFT_REFERENCE]; /* the windows, one behind the other */
	size_t count;
	int side; /* of the window before: 1 slower, -1 faster, 0 the same */
};

enum drift_state {
	DRIFT_NONE,
	DRIFT_WINDOW_ENDS, /* it may differ by itself */
	DRIFT_FOUND        /* `times_s` are what it takes now */
};

/*
 * Adds a run. A window differs where its rank sum is DRIFT_DEVIATIONS standard deviations from what
 * equal times have, and its median is a share of DRIFT_SHARE from the reference's.
 *
 * reference_s   DRIFT_REFERENCE runs
 */
enum drift_state drift_add(struct drift *drift, const double *reference_s, double time_s);

/* Sorts. */
double tune_median(double *values, size_t count);

#endif
