/* SPDX-License-Identifier: Apache-2.0 */
/* How far two costs overlap: the exponent of their soft maximum. */
#ifndef PREDICTD_CALIBRATOR_NORM_H
#define PREDICTD_CALIBRATOR_NORM_H

#define NORM_LEAST 1.0 /* a sum */
#define NORM_MOST  8.0 /* as good as a maximum */

/*
 * The p in [NORM_LEAST, NORM_MOST] with (a^p + b^p)^(1/p) = both; a, b, both > 0.
 * At a bound where none is: both >= a + b, or no more than the larger.
 */
double norm_solve(double a, double b, double both);

#endif
