/* SPDX-License-Identifier: Apache-2.0 */
/* StarPU's history and regression. */
#include "tests/accuracy/refinement/starpu.h"

#include <math.h>

enum { CALIBRATION_MINIMUM = 10, STEPS = 60 };

static const double HISTORY_DEVIATION = 1.5;

void starpu_observe(struct starpu_history *history, double time_s)
{
	if (!history->has_dropped) {
		history->has_dropped = true;
		return;
	}
	if (history->count >= CALIBRATION_MINIMUM) {
		double mean = history->sum / history->count;
		if (time_s > HISTORY_DEVIATION * mean || time_s < mean / HISTORY_DEVIATION) {
			if (++history->errors >= history->count)
				*history = (struct starpu_history){.has_dropped = true};
			return;
		}
	}
	history->count++;
	history->sum += time_s;
}

double starpu_expected(const struct starpu_history *history)
{
	return history->count < CALIBRATION_MINIMUM ? 0 : history->sum / history->count;
}

/* Least squares of ln(time - c) over ln(size); returns the correlation. */
static double fit(const double *sizes, const double *times_s, uint32_t count, double c, double *a,
                  double *b)
{
	double x = 0, y = 0, xx = 0, xy = 0, yy = 0;

	for (uint32_t i = 0; i < count; i++) {
		double u = log(sizes[i]), v = log(times_s[i] - c);
		x += u;
		y += v;
		xx += u * u;
		xy += u * v;
		yy += v * v;
	}
	double sxy = xy - x * y / count, sxx = xx - x * x / count, syy = yy - y * y / count;
	*b = sxy / sxx;
	*a = exp((y - *b * x) / count);
	return sxy / sqrt(fmax(sxx * syy, 1e-300));
}

double starpu_regression(const double *sizes, const double *times_s, uint32_t count, double size)
{
	double least = HUGE_VAL, smallest = HUGE_VAL, largest = 0, a, b, aa, bb;

	for (uint32_t i = 0; i < count; i++) {
		least = fmin(least, times_s[i]);
		smallest = fmin(smallest, sizes[i]);
		largest = fmax(largest, sizes[i]);
	}
	if (count < CALIBRATION_MINIMUM || smallest >= 0.9 * largest)
		return 0;
	double low = 0, high = least * (1 - 1e-6);
	for (unsigned i = 0; i < STEPS; i++) {
		double middle = (low + high) / 2, step = (high - low) / 20;
		if (fit(sizes, times_s, count, middle - step, &a, &b) >
		    fit(sizes, times_s, count, middle + step, &aa, &bb))
			high = middle;
		else
			low = middle;
	}
	(void)fit(sizes, times_s, count, (low + high) / 2, &a, &b);
	return a * pow(size, b) + (low + high) / 2;
}
