/* SPDX-License-Identifier: Apache-2.0 */
/* How long it takes until a launch runs on every unit: threads that wake up one by one. */
#ifndef PREDICTD_CALIBRATOR_SPREAD_H
#define PREDICTD_CALIBRATOR_SPREAD_H

#include <stddef.h>

enum { SPREAD_LAUNCHES_MAX = 512 };

/* Launches of known work: what it takes one unit alone, and START to END. */
struct spread {
	size_t count;
	size_t launches, preempted; /* all, and those that others made longer */
	double work_s[SPREAD_LAUNCHES_MAX], groups[SPREAD_LAUNCHES_MAX],
	        time_s[SPREAD_LAUNCHES_MAX];
};

/* What else launches on a CPU take; what is not known is 0. */
struct spread_costs {
	double base_s;    /* an empty launch of one work-group */
	double join_s;    /* on every unit, beyond that */
	double handout_s; /* a unit asks for more work-groups */
};

/* Adds a launch, up to SPREAD_LAUNCHES_MAX; time_s is beyond what an empty one takes. */
void spread_add(struct spread *spread, double work_s, double groups, double time_s);

/* What a launch takes, beyond an empty one, of `units` units that come within spread_s. */
double spread_time_s(double work_s, double groups, double units, double spread_s,
                     const struct spread_costs *costs);

/*
 * The spread_s of the least sum of absolute errors in log time over all launches:
 * whether threads wake at once or late changes from launch to launch, and a median
 * follows the usual case. *standard_error is relative, by the bootstrap; 1 where
 * nothing is known.
 */
double spread_fit(const struct spread *spread, double units, const struct spread_costs *costs,
                  double *standard_error);

/* Share of launches that took longer than one unit alone would: others had the device. */
double spread_preempted(const struct spread *spread);

#endif
