/* SPDX-License-Identifier: Apache-2.0 */
/* Time over the number of work-items, as the paper's lines through the origin. */
#include "daemon/calibrator/slope.h"

#include <math.h>

enum { STEPS = 60 };

static double log_misfit(const double *items, const double *time_s, double fixed_s, size_t count,
                         double slope)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++) {
		double whole_s = fixed_s + fmax(time_s[i], 0);
		double away = log((fixed_s + slope * items[i]) / whole_s);
		sum += away * away;
	}
	return sum;
}

double slope_fit(const double *items, const double *time_s, double fixed_s, size_t count)
{
	double low = (double)INFINITY, high = 0;
	for (size_t i = 0; i < count; i++) {
		low = fmin(low, fmax(time_s[i], 0) / items[i]);
		high = fmax(high, fmax(time_s[i], 0) / items[i]);
	}
	if (count == 0)
		return 0;
	/* the best lies between the slopes of the points; thirds */
	for (int i = 0; i < STEPS; i++) {
		double left = low + (high - low) / 3, right = high - (high - low) / 3;
		if (log_misfit(items, time_s, fixed_s, count, left) <
		    log_misfit(items, time_s, fixed_s, count, right))
			high = right;
		else
			low = left;
	}
	return (low + high) / 2;
}

double slope_error(const double *items, const double *time_s, const double *whole_s, size_t count,
                   double slope)
{
	double residual = 0, square = 0;
	if (count < 2)
		return fabs(slope);
	for (size_t i = 0; i < count; i++) {
		double away = (time_s[i] - slope * items[i]) / whole_s[i];
		double relative = items[i] / whole_s[i];
		residual += away * away;
		square += relative * relative;
	}
	return square > 0 ? sqrt(residual / (double)(count - 1) / square) : fabs(slope);
}

/* Squared relative error of the best c and g >= 0 for one n_XU. */
static double misfit(const double *group_items, const double *item_s, size_t count, double units)
{
	double ss = 0, sd = 0, dd = 0, s1 = 0, d1 = 0, error = 0;
	for (size_t i = 0; i < count; i++) {
		double step = ceil(group_items[i] / units) * units / group_items[i] / item_s[i];
		double dispatch = 1 / group_items[i] / item_s[i];
		ss += step * step;
		sd += step * dispatch;
		dd += dispatch * dispatch;
		s1 += step;
		d1 += dispatch;
	}
	double determinant = ss * dd - sd * sd;
	double c = s1 / ss, g = 0;
	if (determinant > 1e-12 * ss * dd) {
		c = (s1 * dd - d1 * sd) / determinant;
		g = (d1 * ss - s1 * sd) / determinant;
	}
	if (g < 0) {
		c = s1 / ss;
		g = 0;
	} else if (c < 0) {
		c = 0;
		g = d1 / dd;
	}
	for (size_t i = 0; i < count; i++) {
		double step = ceil(group_items[i] / units) * units / group_items[i];
		double away = (c * step + g / group_items[i]) / item_s[i] - 1;
		error += away * away;
	}
	return error;
}

unsigned execution_units_fit(const double *group_items, const double *item_s, size_t count,
                             unsigned most)
{
	unsigned best = 1;
	if (count < 4)
		return 1;
	double smooth = misfit(group_items, item_s, count, 1), least = smooth;
	for (unsigned units = 2; units <= most; units++) {
		double error = misfit(group_items, item_s, count, units);
		if (error < least) {
			least = error;
			best = units;
		}
	}
	return least < 0.5 * smooth ? best : 1;
}
