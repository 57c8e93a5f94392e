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

/*
 * Keeps the launch of place `index` (a new one follows the last, up to
 * SPREAD_LAUNCHES_MAX) that ran most in parallel: the
 * system leaves threads on one processor for seconds now and then, and gives each
 * one of its own most of the time.
 */
void spread_keep_best(struct spread *spread, size_t index, double work_s, double time_s);

/* What a launch takes whose first alone_s run on one of `units` units. */
double spread_time_s(double work_s, double alone_s, double units);

/*
 * The alone_s of the least sum of absolute errors in log time over all launches:
 * whether threads wake at once or late changes from launch to launch, and a median
 * follows the usual case. *standard_error is relative, by the bootstrap; 1 where
 * nothing is known.
 */
double spread_fit(const struct spread *spread, double units, double *standard_error);

/* Share of launches that took longer than one unit alone would: others had the device. */
double spread_preempted(const struct spread *spread);

#endif
