/* SPDX-License-Identifier: Apache-2.0 */
/* Time over the number of work-items, as the paper's lines through the origin. */
#ifndef PREDICTD_CALIBRATOR_SLOPE_H
#define PREDICTD_CALIBRATOR_SLOPE_H

#include <stddef.h>

/*
 * The slope of a line fixed_s + slope * items through times, by least squares in the
 * logarithm: the quotient of prediction and result is what the paper's model is judged
 * by, and sizes from those that stay in a cache to those that fill memory weigh the same.
 *
 * items    > 0, length count
 * time_s   beyond fixed_s; may be noise around 0
 * fixed_s  > 0; what a launch takes at no work-items
 *
 * Returns 0 for no points.
 */
double slope_fit(const double *items, const double *time_s, double fixed_s, size_t count);

/*
 * Standard error (absolute) of a slope by its residuals relative to whole_s, > 0; the slope
 * itself for one point.
 */
double slope_error(const double *items, const double *time_s, const double *whole_s, size_t count,
                   double slope);

/*
 * n_XU of the paper's equation 4 from a sweep over work-group sizes (its Fig. 2):
 * item_s(w) = c / U(w, n_XU) + g / w, with c and g >= 0 and g the dispatch of a
 * group. The n_XU of the least relative error, or 1 unless it leaves less than half
 * of the squared error that a sweep without steps leaves.
 *
 * group_items  work-items of a group, > 0, length count
 * item_s       time of one work-item, > 0
 * most         the largest n_XU to try
 */
unsigned execution_units_fit(const double *group_items, const double *item_s, size_t count,
                             unsigned most);

#endif
