/* SPDX-License-Identifier: Apache-2.0 */
/* Running kernels for real, to measure them. <predictd.h> includes this. */
#ifndef PREDICTD_MEASURE_H
#define PREDICTD_MEASURE_H

#include "predictd.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct predictd_measurement {
	predictd_status status;
	const char *error;
	uint32_t runs;
	double kernel_time_s; /* median START to END */
	double min_s, mean_s, p90_s;
	double launch_time_s; /* median enqueue to START */
	double wall_s;
	double h2d_time_s, d2h_time_s;
	double build_s;
	const double *times_s; /* START to END of each run, in order; NULL when it failed */
} predictd_measurement;

typedef struct predictd_measure_case {
	const predictd_source *source;
	predictd_question question; /* program, device, model, explain are not used */
} predictd_measure_case;

/*
 * Runs kernels for real, as the calling user, in a child process of the caller
 * (the calibrator program); the daemon is not asked. device: a key, part of a name, or an index
 * over all devices of this process (predictd_scan_devices), which need not be the daemon's.
 * NULL: the first. runs_min: at least five. PREDICTD_NOT_FOUND: this process has no such device.
 * `done` (may be NULL) is called after each case. Caller frees the array.
 */
predictd_status predictd_measure(const char *device, const predictd_measure_case *cases,
                                 size_t count, uint32_t runs_min, double budget_s,
                                 void (*done)(size_t index, const predictd_measurement *, void *),
                                 void *context, predictd_measurement **measurements);
/*
 * Ends every predictd_measure that is under way in this process: what it has measured stays, and
 * cases that have not ended are PREDICTD_CANCELLED, without a call of `done`. It only sets a flag:
 * a handler of signals may call it.
 */
void predictd_measure_stop(void);
void predictd_measurements_free(predictd_measurement *measurements,
                                size_t count); /* accepts NULL */

#ifdef __cplusplus
}
#endif

#endif
