/* SPDX-License-Identifier: Apache-2.0 */
/* What a launch, a work-group and a work-item cost that do nothing. */
#include "daemon/calibrator/bench.h"

#include <math.h>

enum status calibrate_launch_costs(struct bench *bench, struct error *error)
{
	cl_kernel empty, kernel;
	enum status status = bench_kernel(bench, "trivial", &empty, error);
	if (status == STATUS_OK)
		status = bench_kernel(bench, bench->is_gpu ? "trivial" : "load_none", &kernel,
		                      error);
	if (status != STATUS_OK)
		return status;
	/* a branch that is never taken keeps a CPU from running work-items as lanes: one
	 * store to a near place costs less. On a GPU the store would count. */
	const struct bench_argument out = ARG_MEM(bench->scratch),
	                            never = bench->is_gpu ? ARG_INT(-1) : out,
	                            third = bench->is_gpu ? (struct bench_argument){0}
	                                                  : ARG_FLOAT(1);
	const size_t small = bench->is_gpu ? 32 : 16, large = bench->local;
	const size_t groups = bench->is_gpu ? 1u << 18 : 1u << 14;
	/* one work-group alone, then work-groups of two sizes, few and many */
	struct bench_run one = {
	        .kernel = empty, .groups = 1, .local = large, .argument = {out, ARG_INT(-1)}};
	struct bench_run many[3] = {{.kernel = kernel,
	                             .groups = groups / 2,
	                             .local = small,
	                             .argument = {out, never, third}},
	                            {.kernel = kernel,
	                             .groups = groups,
	                             .local = small,
	                             .argument = {out, never, third}},
	                            {.kernel = kernel,
	                             .groups = groups / 2,
	                             .local = large,
	                             .argument = {out, never, third}}};
	status = bench_time(bench, many, 3, error);
	if (status == STATUS_OK)
		status = bench_run_once(bench, &one, error); /* warm-up */
	if (status == STATUS_OK)
		status = bench_time_settled(bench, &one, error);
	if (status != STATUS_OK)
		return status;
	bench_set(bench, COEFFICIENT_LAUNCH_BASE, one.event_s, one.event_error);
	bench_set(bench, COEFFICIENT_LAUNCH_ENQUEUE, one.enqueue_s, one.event_error);
	/*
	 * A group of `small` costs (many[1] - many[0]) over half the groups. From small
	 * to large groups, at the same number of them, only work-items are added.
	 */
	double half = (double)(groups / 2);
	double group_s = fmax(many[1].time_s - many[0].time_s, 0) / half;
	double item_s = fmax(many[2].time_s - many[0].time_s, 0) / half / (double)(large - small);
	if (item_s * (double)small > group_s)
		item_s = group_s / (double)small;
	bench_set(bench, COEFFICIENT_LAUNCH_ITEM, item_s,
	          bench_difference_error(&many[2], &many[0]));
	bench_set(bench, COEFFICIENT_LAUNCH_GROUP, group_s - item_s * (double)small,
	          bench_difference_error(&many[1], &many[0]));
	return STATUS_OK;
}

enum status calibrate_launch(struct bench *bench, struct error *error)
{
	enum status status = calibrate_launch_costs(bench, error);
	return status == STATUS_OK ? calibrate_spread_some(bench, 4, error) : status;
}
