/* SPDX-License-Identifier: Apache-2.0 */
/* Repeated timings of one thing, and what they say together. */
#include "daemon/calibrator/repeats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void repeats_add(struct repeats *repeats, double value)
{
	if (repeats->count < REPEATS_MAX)
		repeats->value[repeats->count++] = value;
}

double repeats_mean(const struct repeats *repeats)
{
	double sum = 0;
	for (size_t i = 0; i < repeats->count; i++)
		sum += repeats->value[i];
	return repeats->count > 0 ? sum / (double)repeats->count : 0;
}

double repeats_minimum(const struct repeats *repeats)
{
	double least = repeats->count > 0 ? repeats->value[0] : 0;
	for (size_t i = 1; i < repeats->count; i++)
		least = fmin(least, repeats->value[i]);
	return least;
}

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

static double sorted_quantile(const double *sorted, size_t count, double share)
{
	double at = share * (double)(count - 1);
	size_t low = (size_t)at;
	if (low + 1 >= count)
		return sorted[count - 1];
	return sorted[low] + (at - (double)low) * (sorted[low + 1] - sorted[low]);
}

double repeats_quantile(const struct repeats *repeats, double share)
{
	double sorted[REPEATS_MAX];
	if (repeats->count == 0)
		return 0;
	memcpy(sorted, repeats->value, repeats->count * sizeof *sorted);
	qsort(sorted, repeats->count, sizeof *sorted, compare_doubles);
	return sorted_quantile(sorted, repeats->count, share);
}

double repeats_standard_error(const struct repeats *repeats)
{
	double away[REPEATS_MAX];
	double median = repeats_quantile(repeats, 0.5);
	if (repeats->count < 3 || !(median > 0))
		return 1;
	for (size_t i = 0; i < repeats->count; i++)
		away[i] = fabs(repeats->value[i] - median);
	qsort(away, repeats->count, sizeof *away, compare_doubles);
	double deviation = 1.4826 * sorted_quantile(away, repeats->count, 0.5);
	return 1.2533 * deviation / sqrt((double)repeats->count) / median;
}

/*
 * Of normal values the twentieth and the quarter of the least are 0.97 standard deviations apart,
 * so that the bound is more than four above the mean.
 */
void repeats_quiet(const struct repeats *repeats, struct repeats *quiet)
{
	double least = repeats_quantile(repeats, 0.05);
	double apart = repeats_quantile(repeats, 0.25) - least;
	double most = least + fmax(6 * apart, REPEATS_USUAL * least);
	size_t count = 0;
	for (size_t i = 0; i < repeats->count; i++)
		if (repeats->value[i] <= most)
			quiet->value[count++] = repeats->value[i];
	quiet->count = count;
}

double repeats_spread(const struct repeats *repeats)
{
	double median = repeats_quantile(repeats, 0.5);
	if (!(median > 0))
		return 0;
	return (repeats_quantile(repeats, 0.75) - repeats_quantile(repeats, 0.25)) / 2 / median;
}
