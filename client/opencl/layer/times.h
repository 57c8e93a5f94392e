/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times in bounded memory: count, sum, extremes, and a median by a reservoir
 * (Vitter, Random Sampling with a Reservoir, ACM TOMS 11(1), 1985, algorithm R).
 */
#ifndef CLIENT_OPENCL_LAYER_TIMES_H
#define CLIENT_OPENCL_LAYER_TIMES_H

#include <stdint.h>

enum { TIMES_KEPT = 63 };

struct times {
	uint64_t count;
	double sum_s, min_s, max_s;
	/* of `room`, which grows up to TIMES_KEPT: each as likely one of them all. Most kernels are
	 * launched a few times */
	float *kept_s;
	uint32_t room;
};

void times_add(struct times *times, double time_s);
void times_deinit(struct times *times);
/* Exact up to TIMES_KEPT times; 0 of none. */
double times_median(const struct times *times);

#endif
