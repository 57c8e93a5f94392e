/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmarks share: a clock, medians, and how a row is printed. */
#ifndef PREDICTD_TESTS_BENCH_H
#define PREDICTD_TESTS_BENCH_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double bench_now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline int bench_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* The quantile of unsorted samples; sorts them. count > 0. */
static inline double bench_quantile(double *samples, size_t count, double quantile)
{
	qsort(samples, count, sizeof *samples, bench_compare);
	return samples[(size_t)(quantile * (double)(count - 1))];
}

/* A row: what, median, 90th percentile, and the ratio to `beside_s` unless that is 0. */
static inline void bench_print(const char *what, double *samples, size_t count, double beside_s)
{
	double p90 = bench_quantile(samples, count, 0.9);
	double median = bench_quantile(samples, count, 0.5);

	printf("%-46s %10.3f ms %10.3f ms", what, 1e3 * median, 1e3 * p90);
	if (beside_s > 0)
		printf("   x %.2f", median / beside_s);
	putchar('\n');
}

/* The same in microseconds. */
static inline void bench_print_us(const char *what, double *samples, size_t count)
{
	double p90 = bench_quantile(samples, count, 0.9);

	printf("%-56s %10.2f us %10.2f us\n", what, 1e6 * bench_quantile(samples, count, 0.5),
	       1e6 * p90);
}

#endif
