/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's W (equation 5): cost over the number of operations in one kernel. */
#ifndef PREDICTD_CALIBRATOR_SATURATION_H
#define PREDICTD_CALIBRATOR_SATURATION_H

#include <stdbool.h>
#include <stddef.h>

enum { SATURATION_POINTS_MAX = 16 };

struct saturation {
	double a, b, k; /* a n^b + k for n <= sat */
	double a2, k2;  /* a2 n + k2 above */
	double sat;
};

/*
 * Fits W to points (operations, cost in units of one operation's c), operations
 * growing, at least two, the last cost above 0. whole is the cost of the kernel around
 * them, in the same units and above 0: an error counts relative to it, so that what
 * hides in the rest of a kernel does not bend the curve. The straight line goes through
 * the two last points; the power is fitted to the rest (Nelder and Mead, Computer
 * Journal 7(4), 1965, by NLopt), and joins the line at sat, one of the points.
 * False when the points admit none.
 */
bool saturation_fit(const double *operations, const double *cost, const double *whole, size_t count,
                    struct saturation *fit);

#endif
