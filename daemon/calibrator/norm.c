/* SPDX-License-Identifier: Apache-2.0 */
/* How far two costs overlap: the exponent of their soft maximum. */
#include "daemon/calibrator/norm.h"

#include <math.h>

static double norm(double a, double b, double p)
{
	double most = fmax(a, b);
	return most * pow(pow(a / most, p) + pow(b / most, p), 1 / p);
}

double norm_solve(double a, double b, double both)
{
	double low = NORM_LEAST, high = NORM_MOST;
	if (both >= norm(a, b, low))
		return low;
	if (both <= norm(a, b, high))
		return high;
	for (int i = 0; i < 60; i++) { /* the norm falls as p grows */
		double middle = (low + high) / 2;
		if (norm(a, b, middle) > both)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}
