/* SPDX-License-Identifier: Apache-2.0 */
/* Repeated timings of one thing, and what they say together. */
#include "daemon/calibrator/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sample_add(struct sample *sample, double value)
{
	if (sample->count < SAMPLE_MAX)
		sample->value[sample->count++] = value;
}

double sample_mean(const struct sample *sample)
{
	double sum = 0;
	for (size_t i = 0; i < sample->count; i++)
		sum += sample->value[i];
	return sample->count > 0 ? sum / (double)sample->count : 0;
}

double sample_minimum(const struct sample *sample)
{
	double least = sample->count > 0 ? sample->value[0] : 0;
	for (size_t i = 1; i < sample->count; i++)
		least = fmin(least, sample->value[i]);
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

double sample_quantile(const struct sample *sample, double share)
{
	double sorted[SAMPLE_MAX];
	if (sample->count == 0)
		return 0;
	memcpy(sorted, sample->value, sample->count * sizeof *sorted);
	qsort(sorted, sample->count, sizeof *sorted, compare_doubles);
	return sorted_quantile(sorted, sample->count, share);
}

double sample_standard_error(const struct sample *sample)
{
	double away[SAMPLE_MAX];
	double median = sample_quantile(sample, 0.5);
	if (sample->count < 3 || !(median > 0))
		return 1;
	for (size_t i = 0; i < sample->count; i++)
		away[i] = fabs(sample->value[i] - median);
	qsort(away, sample->count, sizeof *away, compare_doubles);
	double deviation = 1.4826 * sorted_quantile(away, sample->count, 0.5);
	return 1.2533 * deviation / sqrt((double)sample->count) / median;
}

/*
 * Of normal values the twentieth and the quarter of the least are 0.97 standard deviations apart,
 * so that the bound is more than four above the mean.
 */
void sample_quiet(const struct sample *sample, struct sample *quiet)
{
	double least = sample_quantile(sample, 0.05);
	double apart = sample_quantile(sample, 0.25) - least;
	double most = least + fmax(6 * apart, SAMPLE_USUAL * least);
	size_t count = 0;
	for (size_t i = 0; i < sample->count; i++)
		if (sample->value[i] <= most)
			quiet->value[count++] = sample->value[i];
	quiet->count = count;
}

double sample_spread(const struct sample *sample)
{
	double median = sample_quantile(sample, 0.5);
	if (!(median > 0))
		return 0;
	return (sample_quantile(sample, 0.75) - sample_quantile(sample, 0.25)) / 2 / median;
}
