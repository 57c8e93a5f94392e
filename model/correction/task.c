/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole tasks: what is expected of one is its kernel's corrected time and what its launch adds; its
 * own stream of runs corrects that, as runs of kernels correct static times.
 *
 * A record of a task has its residual against what was expected when its newest run came in. When
 * runs of kernels move what is expected, records are restated: else what the kernel has learnt
 * would be corrected once more by runs that showed it first.
 */
#include <math.h>

#include "model/correction/state.h"

/*
 * How far tasks are from kernel and launch before any was observed, as ln: a runtime counts its own
 * work, and overlaps what it can. Kernel and launch were 1.9 and 0.99 times the times that StarPU
 * 1.3.10 measured of codelets, on a CPU of 16 cores and an H100: the root of their mean square.
 */
static const double TASK_DEVIATION = 0.45;

/* Of one user's newest tasks on a device, how many are restated at once: each takes a microsecond
 * or, where its kernel's fit has changed, some ten. */
enum { RESTATED_MAX = 64 };

/* What is expected of a task changes what its runs say by so little that it stays, as ln. */
static const double RESTATED_MIN = 0.002;

void correction_expect_task(const struct correction_answer *kernel, double beside_s,
                            struct correction_answer *answer)
{
	double time_s = kernel->time_s + beside_s, own = NINETY_PERCENT * TASK_DEVIATION;

	*answer = *kernel;
	answer->time_s = time_s;
	answer->low_s = time_s * exp(-hypot(log(time_s / (kernel->low_s + beside_s)), own));
	answer->high_s = time_s * exp(hypot(log((kernel->high_s + beside_s) / time_s), own));
	answer->count = 0;
}

/* The kernel's launch of a task. */
static struct correction_launch kernel_of(const struct correction_launch *task)
{
	struct correction_launch launch = *task;

	launch.kind = CORRECTION_OF_KERNEL;
	launch.static_log = task->kernel_log;
	launch.kernel_log = launch.beside_s = 0;
	return launch;
}

/* A task of which this is expected. */
static struct correction_launch task_of(const struct correction_launch *launch,
                                        const struct correction_answer *expected, double beside_s)
{
	struct correction_launch task = *launch;
	double width = log(expected->high_s / expected->low_s);

	task.kind = CORRECTION_OF_TASK;
	task.kernel_log = launch->static_log;
	task.beside_s = (float)beside_s;
	task.static_log = (float)log(expected->time_s);
	task.static_sd = (float)fmin(50, fmax(TASK_DEVIATION, width / (2 * NINETY_PERCENT)));
	return task;
}

struct correction_launch correction_task(struct correction *c, uint64_t device, uint64_t kernel,
                                         uint32_t uid, const struct correction_launch *launch,
                                         double beside_s)
{
	struct correction_answer answer, expected;
	double added_s = correction_overhead(c, device, uid, CORRECTION_LAUNCH, beside_s);

	correction_ask(c, device, kernel, uid, launch, false, &answer);
	correction_expect_task(&answer, added_s, &expected);
	return task_of(launch, &expected, beside_s);
}

void correction_ask_task(struct correction *c, uint64_t device, uint64_t kernel, uint32_t uid,
                         const struct correction_launch *launch,
                         const struct correction_answer *of_kernel, double beside_s,
                         struct correction_answer *answer)
{
	double added_s = correction_overhead(c, device, uid, CORRECTION_LAUNCH, beside_s);
	struct correction_answer expected;

	correction_expect_task(of_kernel, added_s, &expected);
	const struct correction_launch task = task_of(launch, &expected, beside_s);
	correction_ask(c, device, kernel, uid, &task, false, answer);
	if (answer->basis == BASIS_STATIC)
		*answer = expected;
}

/* ---- restating ------------------------------------------------------------------------------ */

/* True when what the record says has changed. */
static bool restate(struct correction *c, uint32_t index)
{
	struct correction_record *record = &c->cells[index].record;
	const struct correction_launch launch = kernel_of(&record->launch);
	struct correction_launch task =
	        correction_task(c, record->device, record->kernel, record->uid, &launch,
	                        (double)record->launch.beside_s);

	if (fabs((double)(task.static_log - record->launch.static_log)) < RESTATED_MIN)
		return false;
	record->launch.static_log = task.static_log;
	c->groups[c->cells[index].group].version++;
	return true;
}

static void restate_kernel(struct correction *c, uint32_t group, uint32_t reporter)
{
	for (uint32_t i = c->groups[group].first_cell; i != NONE; i = c->cells[i].group_next)
		if (c->cells[i].reporter == reporter && restate(c, i))
			c->reporters[reporter].changes++;
}

static void restate_newest(struct correction *c, uint32_t reporter)
{
	uint32_t index = c->reporters[reporter].newest;

	for (unsigned i = 0; i < RESTATED_MAX && index != NONE; i++) {
		if (restate(c, index))
			c->reporters[reporter].changes++;
		index = c->cells[index].older;
	}
}

void tasks_restate(struct correction *c, const struct correction_run *run, unsigned moved)
{
	if (run->launch.kind != CORRECTION_OF_KERNEL || moved == 0)
		return;
	uint32_t device = device_find(c, run->device, CORRECTION_OF_TASK);
	uint32_t reporter = device == NONE ? NONE : reporter_find(c, device, run->uid);
	if (reporter == NONE)
		return;
	if (moved & (CORRECTION_MOVED_DEVICE_USER | CORRECTION_MOVED_DEVICE)) {
		restate_newest(c, reporter);
		return;
	}
	uint32_t group = group_find(c, device, run->kernel);
	if (group != NONE)
		restate_kernel(c, group, reporter);
}
