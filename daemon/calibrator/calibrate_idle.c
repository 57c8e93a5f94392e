/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What launches cost after the device has had nothing to do, for each state of
 * model/device/device.h: threads sleep, and clocks fall. Launches that differ in state and work
 * take turns, since what others do to the machine changes from second to second.
 */
#include "daemon/calibrator/bench.h"

#include <math.h>
#include <stdlib.h>

#include "daemon/calibrator/idle.h"

/* Of the works of calibrate_spread.c those that units share, if any do; a quick one has the first.
 */
static const double works_s[] = {2.5e-4, 8e-5, 2.5e-5};

/* A launch of one group, one of a group a unit, and works: as many as enum says. */
enum { ONE, EVERY, WORK_FIRST, LAUNCHES = WORK_FIRST + (int)(sizeof works_s / sizeof *works_s) };

enum { ROUNDS_MAX = 31, WORKS_QUICK = 2 };

struct idle_repeats {
	struct repeats enqueue_s[IDLE_STATE_COUNT], one_s[IDLE_STATE_COUNT],
	        every_s[IDLE_STATE_COUNT];
	struct spread spread[IDLE_STATE_COUNT];
};

/* How many kinds of launches there are: a GPU's units do not wake up one by one. */
static int kinds_of(const struct bench *bench)
{
	if (bench->is_gpu || bench->units < 2)
		return EVERY;
	if (bench->spread_trips == 0)
		return WORK_FIRST;
	return bench->is_quick ? WORK_FIRST + WORKS_QUICK : LAUNCHES;
}

static void keep(struct idle_repeats *repeats, unsigned state, int kind,
                 const struct bench_run *run, double group_s)
{
	if (kind == ONE) {
		repeats_add(&repeats->one_s[state], run->event_s);
		repeats_add(&repeats->enqueue_s[state], run->enqueue_s);
	} else if (kind == EVERY) {
		repeats_add(&repeats->every_s[state], run->event_s);
	} else {
		spread_add(&repeats->spread[state], (double)run->groups * group_s,
		           (double)run->groups, run->event_s);
	}
}

/* Runs of which each waits first; where time is short, fewer of each. */
static enum status time_states(struct bench *bench, const struct bench_run *runs, int kinds,
                               double group_s, struct idle_repeats *repeats, struct error *error)
{
	enum status status = STATUS_OK;
	for (unsigned round = 0; round < ROUNDS_MAX; round++) {
		for (unsigned state = 0; state < IDLE_STATE_COUNT; state++) {
			double idle_s = idle_state_s((enum idle_state)state);
			unsigned rounds =
			        idle_state_launches((enum idle_state)state, bench->is_quick);
			for (int kind = 0; kind < kinds && round < rounds; kind++) {
				struct bench_run run = runs[kind];
				idle_wait(idle_s);
				status = bench_run_once(bench, &run, error);
				if (status == STATUS_TIMEOUT && round > 0)
					return STATUS_OK;
				if (status != STATUS_OK)
					return status;
				keep(repeats, state, kind, &run, group_s);
			}
		}
	}
	return status;
}

/* The work that one group of the spread's kernel is, alone. */
static enum status time_group(struct bench *bench, struct bench_run *run, double *group_s,
                              struct error *error)
{
	enum { GROUPS = 2048 };
	enum status status = STATUS_OK;
	double event_s, spent_s;
	run->groups = GROUPS;
	*group_s = (double)INFINITY;
	for (int i = 0; i < 3 && status == STATUS_OK; i++) {
		status = bench_once(bench, run, &event_s, &spent_s, error);
		*group_s = fmin(*group_s, spent_s / (double)GROUPS);
	}
	return status;
}

static void set_state(struct bench *bench, struct idle_repeats *repeats, unsigned state)
{
	const struct repeats *one = &repeats->one_s[state], *every = &repeats->every_s[state];
	struct spread *spread = &repeats->spread[state];
	double base_s = repeats_quantile(one, 0.5), standard_error;
	struct spread_costs costs = {
	        .base_s = base_s,
	        .join_s = fmax(0, repeats_quantile(every, 0.5) - base_s),
	};
	if (one->count == 0)
		return;
	bench_set(bench, coefficient_idle((enum idle_state)state, IDLE_ENQUEUE),
	          repeats_quantile(&repeats->enqueue_s[state], 0.5),
	          repeats_standard_error(&repeats->enqueue_s[state]));
	bench_set(bench, coefficient_idle((enum idle_state)state, IDLE_BASE), base_s,
	          repeats_standard_error(one));
	if (every->count > 0)
		bench_set(bench, coefficient_idle((enum idle_state)state, IDLE_JOIN), costs.join_s,
		          repeats_standard_error(every));
	if (spread->count == 0)
		return;
	for (size_t i = 0; i < spread->count; i++)
		spread->time_s[i] -= base_s;
	double spread_s = spread_fit(spread, bench->units, &costs, &standard_error);
	/* too few launches say nothing */
	if (spread_s > 0 || standard_error < 1)
		bench_set(bench, coefficient_idle((enum idle_state)state, IDLE_SPREAD), spread_s,
		          standard_error);
}

enum status calibrate_idle(struct bench *bench, struct error *error)
{
	const struct bench_argument out = ARG_MEM(bench->scratch);
	struct bench_run runs[LAUNCHES] = {
	        [ONE] = {.groups = 1, .local = bench->local, .argument = {out, ARG_INT(-1)}},
	        [EVERY] = {.groups = (size_t)bench->units,
	                   .local = bench->local,
	                   .argument = {out, ARG_INT(-1)}},
	};
	struct bench_run work = {.local = 1,
	                         .argument = {out, ARG_INT(0), ARG_UINT(bench->spread_trips),
	                                      ARG_FLOAT(0.5), ARG_INT(3)}};
	double group_s = 0;
	int kinds = kinds_of(bench);
	enum status status = bench_kernel(bench, "trivial", &runs[ONE].kernel, error);
	runs[EVERY].kernel = runs[ONE].kernel;
	if (status == STATUS_OK && kinds > WORK_FIRST) {
		status = bench_kernel(bench, "chain", &work.kernel, error);
		if (status == STATUS_OK)
			status = time_group(bench, &work, &group_s, error);
		if (!(group_s > 0))
			kinds = WORK_FIRST;
	}
	for (int i = WORK_FIRST; i < kinds; i++) {
		runs[i] = work;
		runs[i].groups = (size_t)ceil(works_s[i - WORK_FIRST] / group_s);
	}
	struct idle_repeats *repeats = calloc(1, sizeof *repeats);
	if (status == STATUS_OK && repeats == NULL)
		status = error_set(error, STATUS_NO_MEMORY, "repeats: out of memory");
	if (status == STATUS_OK)
		status = time_states(bench, runs, kinds, group_s, repeats, error);
	for (unsigned i = 0; i < IDLE_STATE_COUNT && status == STATUS_OK; i++)
		set_state(bench, repeats, i);
	free(repeats);
	return status;
}
