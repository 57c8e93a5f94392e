/* SPDX-License-Identifier: Apache-2.0 */
/* How long a launch runs on one unit alone before the others have woken up. */
#ifndef PREDICTD_CALIBRATOR_SPREAD_H
#define PREDICTD_CALIBRATOR_SPREAD_H

#include <stddef.h>

enum { SPREAD_LAUNCHES_MAX = 512 };

/* Launches of known work: what it takes one unit alone, and START to END. */
struct spread {
	size_t count;
	size_t launches, preempted; /* all, and those that others made longer */
	double work_s[SPREAD_LAUNCHES_MAX], time_s[SPREAD_LAUNCHES_MAX];
};

/* Adds a launch, up to SPREAD_LAUNCHES_MAX; time_s is beyond what an empty one takes. */
void spread_add(struct spread *spread, double work_s, double time_s);

/* What a launch takes whose first alone_s run on one of `units` units. */
double spread_time_s(double work_s, double alone_s, double units);

/*
 * The alone_s of the least sum of absolute errors in log time over all launches, each with the
 * base_s that an empty one takes:
 * whether threads wake at once or late changes from launch to launch, and a median
 * follows the usual case. *standard_error is relative, by the bootstrap; 1 where
 * nothing is known.
 */
double spread_fit(const struct spread *spread, double units, double base_s, double *standard_error);

/* Share of launches that took longer than one unit alone would: others had the device. */
double spread_preempted(const struct spread *spread);

#endif
