/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec.spread.time_s and what else launches on many threads cost: launches of several sizes
 * between the other benchmarks, since how late threads wake up changes from second to second.
 */
#include "daemon/calibrator/bench.h"

#include <math.h>
#include <stdlib.h>

#include "model/device/wake_up.h"

#define GROUP_S 1e-6 /* one group */

/* from what ends before a second thread is awake to what hardly notices */
static const double works_s[] = {4e-6, 1e-5, 2.5e-5, 8e-5, 2.5e-4};

enum { WORKS = sizeof works_s / sizeof *works_s, GROUPS = 2048 };
enum { JOINS = 2, MANY = 64 };

/*
 * Launches of groups that do nothing: of one, of one a unit, of many. What they take more is
 * the coming and going of threads, and their turns in asking for work.
 */
static enum status time_joins(struct bench *bench, struct error *error)
{
	size_t units = (size_t)bench->units;
	const size_t groups[JOINS + 1] = {1, units, MANY * units};
	struct bench_run run = {.local = 1, .argument = {ARG_MEM(bench->scratch), ARG_INT(-1)}};
	double time_s[JOINS + 1] = {0};
	enum status status = bench_kernel(bench, "trivial", &run.kernel, error);
	if (status == STATUS_OK && bench->joins == NULL) {
		bench->joins = calloc(JOINS, sizeof *bench->joins);
		if (bench->joins == NULL)
			status = error_set(error, STATUS_NO_MEMORY, "repeats: out of memory");
	}
	for (int i = 0; i <= JOINS && status == STATUS_OK; i++) {
		run.groups = groups[i];
		status = bench_time_settled(bench, &run, error);
		time_s[i] = run.event_s;
		if (status == STATUS_OK && i > 0)
			repeats_add(&bench->joins[i - 1], time_s[i] - time_s[0]);
	}
	return status;
}

static enum status rehearse_joins(struct bench *bench, struct error *error)
{
	struct bench_run run = {
	        .groups = 1, .local = 1, .argument = {ARG_MEM(bench->scratch), ARG_INT(-1)}};
	enum status status = bench_kernel(bench, "trivial", &run.kernel, error);
	return status == STATUS_OK ? bench_time(bench, &run, 1, error) : status;
}

enum status calibrate_spread_some(struct bench *bench, unsigned rounds, struct error *error)
{
	struct bench_run run = {.groups = 1,
	                        .local = 1,
	                        .argument = {ARG_MEM(bench->scratch), ARG_INT(0),
	                                     ARG_UINT(bench->spread_trips), ARG_FLOAT(0.5),
	                                     ARG_INT(3)}};
	const struct coefficient *base = &bench->device->coefficient[COEFFICIENT_LAUNCH_BASE];
	if (bench->is_rehearsal)
		return rehearse_joins(bench, error);
	if (!bench->has_cpu_clock || bench->units < 2 || !base->is_known)
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
		double group_s = (double)INFINITY, time_s = 0, spent_s;
		/* of one group: processor time of so many that all else is small beside them */
		run.groups = GROUPS;
		for (int i = 0; i < 3 && status == STATUS_OK; i++) {
			status = bench_once(bench, &run, &time_s, &spent_s, error);
			group_s = fmin(group_s, spent_s / (double)GROUPS);
		}
		for (int i = 0; i < WORKS && status == STATUS_OK && group_s > 0; i++) {
			run.groups = (size_t)ceil(works_s[i] / group_s);
			status = bench_time_settled(bench, &run, error);
			if (status == STATUS_OK)
				spread_add(&bench->spread, (double)run.groups * group_s,
				           (double)run.groups, run.event_s - base->value);
		}
		if (status == STATUS_OK)
			status = time_joins(bench, error);
	}
	return status;
}

/* What launches of `each` empty groups a unit take, where a unit's take group_s of the device. */
static double empty_time_s(const struct bench *bench, double each, double group_s, double spread_s)
{
	double units = bench->units, all_s = each * units * group_s;
	return waking_time_s(all_s, all_s * units, units, units, spread_s);
}

/* The median of what many groups take beyond one, but for what they are and for coming. */
static double handout_s(const struct bench *bench, double join_s, double spread_s)
{
	double group_s = bench_value(bench, COEFFICIENT_LAUNCH_GROUP, 0) +
	                 bench_value(bench, COEFFICIENT_LAUNCH_ITEM, 0);
	double work_s = empty_time_s(bench, (double)MANY, group_s, spread_s) -
	                empty_time_s(bench, 1, group_s, spread_s);
	return fmax(0, repeats_quantile(&bench->joins[1], 0.5) - join_s - work_s) /
	       waking_handouts((double)MANY * bench->units, bench->units);
}

void calibrate_spread_end(struct bench *bench)
{
	double standard_error, spread_s = 0;
	if (bench->is_gpu || bench->units < 2) {
		bench_set(bench, COEFFICIENT_SPREAD, 0, 0);
		return;
	}
	struct spread_costs costs = {.base_s = bench_value(bench, COEFFICIENT_LAUNCH_BASE, 0)};
	bool has_joins = bench->joins != NULL && bench->joins[0].count > 0;
	if (has_joins)
		costs.join_s = fmax(0, repeats_quantile(&bench->joins[0], 0.5));
	/* whether one unit does all of the empty groups depends on how late others come */
	for (unsigned round = 0; round < 2; round++) {
		if (has_joins)
			costs.handout_s = handout_s(bench, costs.join_s, spread_s);
		spread_s = spread_fit(&bench->spread, bench->units, &costs, &standard_error);
	}
	if (has_joins) {
		bench_set(bench, COEFFICIENT_JOIN, costs.join_s,
		          repeats_standard_error(&bench->joins[0]));
		bench_set(bench, COEFFICIENT_HANDOUT, costs.handout_s,
		          repeats_standard_error(&bench->joins[1]));
	}
	bench_set(bench, COEFFICIENT_SPREAD, spread_s, standard_error);
}
