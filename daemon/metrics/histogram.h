/* SPDX-License-Identifier: Apache-2.0 */
/* Times counted in buckets whose bounds double: 1.024 us, 2.048 us, ... 68.7 s, and beyond. */
#ifndef PREDICTD_DAEMON_METRICS_HISTOGRAM_H
#define PREDICTD_DAEMON_METRICS_HISTOGRAM_H

#include <stdint.h>

enum {
	HISTOGRAM_FIRST_LOG2 = 10, /* of the first bound in nanoseconds */
	HISTOGRAM_BOUNDS = 27
};

struct histogram {
	uint64_t counts[HISTOGRAM_BOUNDS + 1]; /* the last: beyond every bound */
	uint64_t sum_ns;
};

/* Adds a number of times of that length: a branch, an instruction and two additions. */
static inline void histogram_add(struct histogram *histogram, uint64_t count, uint64_t each_ns)
{
	uint64_t units = each_ns == 0 ? 0 : (each_ns - 1) >> HISTOGRAM_FIRST_LOG2;
	unsigned bucket = units == 0 ? 0 : 64 - (unsigned)__builtin_clzll(units);
	histogram->counts[bucket < HISTOGRAM_BOUNDS ? bucket : HISTOGRAM_BOUNDS] += count;
	histogram->sum_ns += count * each_ns;
}

/* The bucket's upper bound. */
static inline double histogram_bound_s(unsigned bucket)
{
	return (double)((uint64_t)1 << (HISTOGRAM_FIRST_LOG2 + bucket)) * 1e-9;
}

#endif
