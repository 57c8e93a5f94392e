/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec.spread.time_s: launches of several sizes between the other benchmarks, since
 * how late threads wake up changes from second to second.
 */
#include "daemon/calibrator/bench.h"

#include <math.h>

#define GROUP_S 2e-5 /* one group */

static const double works_s[] = {1e-4, 4e-4, 1.6e-3, 6.4e-3};

enum { WORKS = sizeof works_s / sizeof *works_s };

enum status calibrate_spread_some(struct bench *bench, unsigned rounds, struct error *error)
{
	struct bench_run run = {.groups = 1,
	                        .local = 1,
	                        .argument = {ARG_MEM(bench->scratch), ARG_INT(0),
	                                     ARG_UINT(bench->spread_trips), ARG_FLOAT(0.5),
	                                     ARG_INT(3)}};
	if (!bench->has_cpu_clock || bench->units < 2)
		return STATUS_OK;
	enum status status = bench_kernel(bench, "chain", &run.kernel, error);
	if (status == STATUS_OK && bench->spread_trips == 0) {
		double target_s = bench->target_s;
		run.argument[2] = ARG_UINT(16);
		bench->target_s = GROUP_S;
		status = bench_lengthen_argument(bench, &run, 2, 1u << 20, error);
		bench->target_s = target_s;
		bench->spread_trips = run.argument[2].value.u32;
	}
	for (unsigned round = 0; round < rounds && status == STATUS_OK; round++) {
		double group_s = (double)INFINITY, host_s = (double)INFINITY, time_s = 0, spent_s;
		/* of one group alone the shortest: any longer one was interrupted */
		run.groups = 1;
		for (int i = 0; i < 3 && status == STATUS_OK; i++) {
			status = bench_once(bench, &run, &time_s, &spent_s, error);
			group_s = fmin(group_s, time_s);
			host_s = fmin(host_s, fmax(spent_s - time_s, 0));
		}
		for (int i = 0; i < WORKS && status == STATUS_OK; i++) {
			run.groups = (size_t)ceil(works_s[i] / fmax(group_s, 1e-7));
			status = bench_once(bench, &run, &time_s, &spent_s, error);
			/* the work is what processors did beside the enqueueing */
			if (status == STATUS_OK)
				spread_add(&bench->spread, spent_s - host_s, time_s);
		}
	}
	return status;
}

void calibrate_spread_end(struct bench *bench)
{
	double standard_error;
	if (bench->is_gpu || bench->units < 2) {
		bench_set(bench, COEFFICIENT_SPREAD, 0, 0);
		return;
	}
	double alone_s = spread_fit(&bench->spread, bench->units, &standard_error);
	bench_set(bench, COEFFICIENT_SPREAD, alone_s, standard_error);
}
