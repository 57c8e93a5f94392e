/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a configuration takes as long as when it was chosen. */
#include "client/library/tune_drift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Of windows that do not differ, one in 370 is as far off by chance; two in a row that are off by
 * the same sign, and by the share as well, are rare. A shift that began while the reference was
 * measured is found, too: where its median is still from before, so are half of its runs or more,
 * and a rank sum is off by 0.25 * 40 * 20 on average: 3.13 deviations.
 */
#define DRIFT_DEVIATIONS 3.0
#define DRIFT_SHARE      0.05 /* what a choice is not worth to be looked over for */

static int double_compare(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;
	return (first > second) - (first < second);
}

double tune_median(double *values, size_t count)
{
	qsort(values, count, sizeof *values, double_compare);
	return count % 2 != 0 ? values[count / 2]
	                      : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

static double median_of(const double *times_s, size_t count)
{
	double sorted[DRIFT_REFERENCE];
	memcpy(sorted, times_s, count * sizeof *sorted);
	return tune_median(sorted, count);
}

/* On which side of the reference a window lies; 0: on none. */
static int window_side(const double *reference_s, const double *window_s)
{
	const double first = DRIFT_REFERENCE, second = DRIFT_WINDOW;
	double above = 0;
	for (size_t i = 0; i < DRIFT_REFERENCE; i++)
		for (size_t j = 0; j < DRIFT_WINDOW; j++)
			above += window_s[j] > reference_s[i]    ? 1
			         : window_s[j] == reference_s[i] ? 0.5
			                                         : 0;
	double off = above - first * second / 2;
	double deviation = sqrt(first * second * (first + second + 1) / 12);
	double share =
	        median_of(window_s, DRIFT_WINDOW) / median_of(reference_s, DRIFT_REFERENCE) - 1;
	if (fabs(off) < DRIFT_DEVIATIONS * deviation || fabs(share) < DRIFT_SHARE ||
	    (off > 0) != (share > 0))
		return 0;
	return off > 0 ? 1 : -1;
}

enum drift_state drift_add(struct drift *drift, const double *reference_s, double time_s)
{
	drift->times_s[drift->count++] = time_s;
	if (drift->count % DRIFT_WINDOW != 0)
		return DRIFT_NONE;
	const double *window_s = drift->times_s + drift->count - DRIFT_WINDOW;
	int side = window_side(reference_s, window_s);
	bool is_found = side != 0 && side == drift->side && drift->count == DRIFT_REFERENCE;
	drift->side = side;
	if (is_found)
		return DRIFT_FOUND;
	if (drift->count == DRIFT_REFERENCE || side == 0) {
		/* the window that may be the first of two */
		memmove(drift->times_s, window_s, DRIFT_WINDOW * sizeof *window_s);
		drift->count = side == 0 ? 0 : DRIFT_WINDOW;
	}
	return DRIFT_WINDOW_ENDS;
}
