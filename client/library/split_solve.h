/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The split of a range over devices that ends first: arithmetic alone, times come by a function.
 *
 * Qilin solves T1(x) = T2(N - x) for two lines (Luk, Hong, Kim, MICRO 2009, equation 4). Here each
 * device has a curve through known points, made monotone, and the end T is bisected: the largest
 * parts that end by T must add up to the range. What the curves say is asked for, which gives new
 * points, until nothing within 0.1 % can be better.
 */
#ifndef PREDICTD_CLIENT_LIBRARY_SPLIT_SOLVE_H
#define PREDICTD_CLIENT_LIBRARY_SPLIT_SOLVE_H

#include "client/predictd.h"

/* One part of the range on one device. */
struct split_part {
	size_t device;
	uint64_t begin, granules; /* begin: granules before it */
	double time_s;            /* out, of `times`: alone, > 0 */
};

struct split_problem {
	size_t device_count;     /* 1 to PREDICTD_SPLIT_DEVICES_MAX */
	uint64_t granules;       /* 1 to 2^63 */
	const double *slowdowns; /* as of predictd_splitting; or NULL */
	predictd_status (*times)(void *context, struct split_part *parts, size_t count);
	void *context;
};

struct split_solution {
	double time_s; /* until the last ends */
	size_t best;   /* the device that is fastest alone */
	struct {
		uint64_t begin, granules; /* 0: left out */
		double time_s;            /* with slowdowns */
		double granule_time_s;    /* one granule, alone */
		double alone_s;           /* the whole range */
	} parts[PREDICTD_SPLIT_DEVICES_MAX];
};

/* Returns what `times` fails with; PREDICTD_NO_MEMORY. The solution is then not to be used. */
predictd_status split_solve(const struct split_problem *problem, struct split_solution *solution);

/* The product of what the devices with granules > 0 do to `device`; 1 without slowdowns. */
double split_slowdown(const struct split_problem *problem, const struct split_solution *solution,
                      size_t device);

#endif
