/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan of a calibration: families of micro-benchmarks in order of their
 * worth to a prediction. When time runs out the last ones stay unknown.
 */
#include "daemon/calibrator/calibrate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/calibrator/bench.h"
#include "daemon/calibrator/impossible.h"
#include "daemon/calibrator/memory.h"
#include "daemon/calibrator/profile.h"
#include "daemon/calibrator/rehearsal.h"
#include "daemon/calibrator/share.h"

#define QUICK_BUDGET_S 13.5
#define FULL_BUDGET_S  110.0
#define WARM_S         0.3
#define SPREAD_S       0.2

/*
 * Of the time, for compiling and asking the compiler; what these take beyond it they do not take
 * from what is timed. Twice as much is the most, for a busy machine or a compiler that hangs: what
 * was not compiled by then is compiled when it is launched, and who asks goes on behind all that is
 * timed. A full calibration has time for that, and compiles no longer than the share.
 */
#define PREPARE_SHARE 0.4

/* How many times longer a quick one is measured at most where others have the processors. */
#define LONGER_MOST 2.0

/* Beyond its end, for what is essential; and when that ends at the latest (main.c ends all). */
#define GRACE_QUICK_S 15
#define GRACE_FULL_S  60
#define LAST_QUICK_S  45
#define LAST_FULL_S   240

/* Of the time that it took, for what others disturbed; of that, until they have gone. */
#define AGAIN_SHARE 0.2
#define WAIT_SHARE  0.3
#define LESS_SHARE  0.05 /* of the processors: less than before, or nothing was won */

static const struct {
	const char *name;
	enum status (*run)(struct bench *bench, struct error *error);
	double weight;     /* of the time, relative; a stage may take twice its share */
	int essential;     /* a coefficient without which there is no calibration, or -1 */
	bool is_rehearsed; /* its kernels are compiled beforehand: rehearsal.h */
} stages[] = {
        {"execution units", calibrate_units, 5, COEFFICIENT_UNITS, true},
        {"launch", calibrate_launch, 3, COEFFICIENT_LAUNCH_GROUP, true},
        {"arithmetic", calibrate_op_main, 10,
         COEFFICIENT_OP +
                 ((int)OP_MODE_VECTOR * TYPE_CLASS_COUNT + (int)TYPE_CLASS_INT) * OP_CLASS_COUNT +
                 (int)OP_CLASS_MOD,
         true},
        {"accesses", calibrate_access, 6, COEFFICIENT_LOAD_VECTOR, true},
        {"execution", calibrate_execution, 6, -1, true},
        {"memory", calibrate_memory, 40,
         COEFFICIENT_MEMORY + (int)MEMORY_DRAM *MEMORY_COLUMN_COUNT + (int)MEMORY_COLUMN_GATHER,
         true},
        {"local memory", calibrate_local, 6, -1, true},
        {"atomics", calibrate_atomic, 4, -1, true},
        {"functions", calibrate_op_common, 15, -1, true},
        {"states", calibrate_idle, 10, -1, false},
        {"overlap", calibrate_overlap, 4, -1, true},
        {"transfers", calibrate_transfer, 5, -1, false},
        {"access patterns", calibrate_paper, 7, -1, true},
        {"images", calibrate_image, 4, -1, true},
        {"instructions", calibrate_fetch, 8, -1, true},
        {"saturation curves", calibrate_paper_op, 12, -1, true},
        {"build options", calibrate_build, 12, -1, true},
        {"second looks", calibrate_again, 8, -1, false},
        {"more arithmetic", calibrate_op_more, 20, -1, true},
        {"last looks", calibrate_again, 10, -1, false},
        {"whole kernels", calibrate_corpus, 60, -1, true},
};

/*
 * A quick calibration leaves out the last two, and waits for none beyond the wanted ones: they have
 * what these left of the time.
 */
_Static_assert(sizeof stages / sizeof *stages <= BENCH_FAMILIES_MAX, "families");
enum {
	STAGES = sizeof stages / sizeof *stages,
	QUICK_STAGES = STAGES - 2,
	QUICK_WANTED = STAGES - 4,
	QUICK_SPREAD = 3
};

/* A clock that idles low takes a while to rise. */
static enum status warm(struct bench *bench, struct error *error)
{
	cl_kernel kernel;
	enum status status = bench_kernel(bench, "chain", &kernel, error);
	if (status != STATUS_OK)
		return status;
	struct bench_run run = {.kernel = kernel,
	                        .groups = bench->is_gpu ? 16 * (size_t)bench->units
	                                                : 256 * (size_t)bench->units,
	                        .local = bench->is_gpu ? bench->local : 1,
	                        .argument = {ARG_MEM(bench->scratch), ARG_INT(0), ARG_INT(1),
	                                     ARG_FLOAT(1), ARG_INT(3)}};
	status = bench_lengthen_argument(bench, &run, 2, 1u << 20, error);
	for (double end_s = clock_now_s() + WARM_S; status == STATUS_OK && clock_now_s() < end_s;) {
		struct opencl_range range = {
		        .dimensions = 1, .global = {run.groups * run.local}, .local = {run.local}};
		struct opencl_times times;
		status = opencl_run(bench->opencl, kernel, &range, &times, error);
	}
	return status;
}

static bool is_look(int stage)
{
	return stages[stage].run == calibrate_again || stages[stage].run == calibrate_corpus;
}

/*
 * The time that others had of the processors does not count, nor does what was essential beyond a
 * stage's end: a quick calibration of a busy machine takes longer, as far as LONGER_MOST.
 */
static void lengthen(struct bench *bench, double took_s, const struct other_load *before)
{
	struct other_load now;
	double more_s = fmax(clock_now_s() - bench->stage_end_s, 0);
	if (!bench->is_quick)
		return;
	other_load_look(&now);
	if (bench->has_cpu_clock)
		more_s += took_s * other_load_share(before, &now);
	bench->end_s = fmax(bench->end_s, fmin(bench->end_s + more_s, bench->most_end_s));
}

/* What a stage may take, longer where others have the processors now; left, all: weights. */
static double time_of_stage(const struct bench *bench, int stage, double left, double all)
{
	double left_s = fmax(bench->end_s - clock_now_s(), 0);
	double time_s = share_of_stage(stages[stage].weight, left, all, left_s, bench->planned_s);
	if (bench->is_quick && bench->has_cpu_clock)
		time_s /= fmax(1 - bench->others_share, 1 / LONGER_MOST);
	return fmin(time_s, left_s);
}

/* What a device refuses, or a busy one has no time for, stays unknown: if one can do without. */
static enum status run_stage(struct bench *bench, int stage, double time_s, struct error *error)
{
	struct error why = {0}, ignored = {0};
	int essential = stages[stage].essential;
	double start_s = clock_now_s();
	struct other_load before;
	other_load_look(&before);
	bench->stage_end_s = start_s + time_s;
	/* for what is essential a busy device gets more time than was promised */
	bench->essential = essential;
	bench->grace_end_s =
	        fmin(bench->stage_end_s + (bench->is_quick ? GRACE_QUICK_S : GRACE_FULL_S),
	             fmax(bench->last_s, bench->stage_end_s));
	bench->family = is_look(stage) ? -1 : stage;
	enum status status = stages[stage].run(bench, &why);
	bench->took_s[stage] = clock_now_s() - start_s;
	bench->family = -1;
	bench->essential = -1;
	bench->is_cut[stage] = status == STATUS_TIMEOUT;
	lengthen(bench, bench->took_s[stage], &before);
	bench->stage_end_s = fmin(clock_now_s() + SPREAD_S, bench->end_s);
	/* one more or less of them is no failure; a quick calibration has time for a few */
	if (!bench->is_quick || stage % QUICK_SPREAD == 0)
		(void)calibrate_spread_some(bench, 1, &ignored);
	if (status == STATUS_OK ||
	    (status != STATUS_IO && status != STATUS_CANCELLED &&
	     (essential < 0 || bench->device->coefficient[essential].is_known)))
		return STATUS_OK;
	return error_set(error, status, "%s: %s", stages[stage].name, why.text);
}

/* What others had of the processors while a stage's coefficients were measured. */
static double others_had(const struct bench *bench, int stage)
{
	double sum = 0;
	unsigned count = 0;
	for (unsigned i = 0; i < COEFFICIENT_COUNT; i++) {
		const struct coefficient *one = &bench->device->coefficient[i];
		if (!one->is_known || bench->set_by[i] != stage)
			continue;
		sum += bench->had[i];
		count++;
	}
	return count > 0 ? sum / count : 0;
}

/* What there is before a stage is measured anew. */
struct before {
	struct device device;
	double had[COEFFICIENT_COUNT], had_mean; /* of the stage */
};

/* Whether what a stage found anew is worth more than what stood there before. */
typedef bool better(struct bench *bench, int stage, const struct before *before);

static bool is_quieter(struct bench *bench, int stage, const struct before *before)
{
	return others_had(bench, stage) <= before->had_mean - LESS_SHARE;
}

/* A stage anew, whose coefficients stand only where they are better than before. */
static enum status run_anew(struct bench *bench, int stage, better *is_better, struct error *error)
{
	struct before *before = malloc(sizeof *before);
	struct error why = {0};
	if (before == NULL)
		return error_set(error, STATUS_NO_MEMORY, "a stage anew: out of memory");
	before->had_mean = others_had(bench, stage);
	before->device = *bench->device;
	memcpy(before->had, bench->had, sizeof before->had);
	bench->stage = stages[stage].name;
	enum status status = bench_progress(bench, 0, error);
	if (status == STATUS_OK) {
		bench->family = stage;
		status = stages[stage].run(bench, &why);
		bench->family = -1;
		/* of levels of memory there are all or none; else what there was time for stands */
		bool is_whole = status == STATUS_OK ||
		                (status == STATUS_TIMEOUT && stages[stage].run != calibrate_memory);
		if (!is_whole || !is_better(bench, stage, before)) {
			*bench->device = before->device;
			memcpy(bench->had, before->had, sizeof before->had);
		} else {
			/* what one of them left out the other one may have */
			bench->is_cut[stage] &= status == STATUS_TIMEOUT;
		}
		if (status == STATUS_IO || status == STATUS_CANCELLED)
			(void)error_set(error, status, "%s: %s", stages[stage].name, why.text);
		else
			status = STATUS_OK;
	}
	free(before);
	return status;
}

/* What it found and cannot be, of a device that is as `device` says. */
static size_t find_impossible(const struct bench *bench, const struct device *device,
                              struct impossible found[IMPOSSIBLE_MAX])
{
	/* where kernels run in this process, its node's processors are the device */
	return impossible_find(device, memory_told_bytes(bench),
	                       bench->has_cpu_clock && !bench->is_gpu ? &bench->node : NULL, found);
}

/* How much of that a stage has to answer for. */
static unsigned count_doubted(const struct bench *bench, const struct device *device, int stage)
{
	static enum status (*const family[])(struct bench *, struct error *) = {
	        [IMPOSSIBLE_LAUNCH] = calibrate_launch,
	        [IMPOSSIBLE_OPERATIONS] = calibrate_op_main,
	        [IMPOSSIBLE_MEMORY] = calibrate_memory,
	};
	struct impossible found[IMPOSSIBLE_MAX];
	size_t count = find_impossible(bench, device, found);
	unsigned doubted = 0;
	for (size_t i = 0; i < count; i++)
		doubted += family[found[i].family] == stages[stage].run;
	return doubted;
}

static bool is_less_doubted(struct bench *bench, int stage, const struct before *before)
{
	return count_doubted(bench, bench->device, stage) <
	       count_doubted(bench, &before->device, stage);
}

/* What cannot be is measured again, while there is time: where levels should end more finely. */
static enum status run_doubted_again(struct bench *bench, int stage_count, double end_s,
                                     struct error *error)
{
	enum status status = STATUS_OK;
	for (int i = 0; i < stage_count && status == STATUS_OK; i++) {
		if (is_look(i) || count_doubted(bench, bench->device, i) == 0 ||
		    clock_now_s() + bench->took_s[i] > end_s)
			continue;
		bench->stage_end_s = end_s;
		bench->is_doubting = true;
		status = run_anew(bench, i, is_less_doubted, error);
		bench->is_doubting = false;
	}
	return status;
}

/*
 * What others disturbed is measured again once they have gone, if they go, in order of its worth.
 * What hangs on the number of units was measured with the one that is known.
 */
static enum status run_disturbed_again(struct bench *bench, int stage_count, double end_s,
                                       double wait_s, struct error *error)
{
	enum status status = STATUS_OK;
	for (int i = 1; i < stage_count && status == STATUS_OK; i++) {
		if (is_look(i) || others_had(bench, i) <= OTHER_LOAD_MAX ||
		    clock_now_s() + bench->took_s[i] > end_s)
			continue;
		if (!bench_wait_for_others(bench, wait_s))
			break;
		bench->stage_end_s = end_s;
		status = run_anew(bench, i, is_quieter, error);
	}
	return status;
}

/* Both, in a share of the time so far beyond what was promised. */
static enum status run_again(struct bench *bench, int stage_count, struct error *error)
{
	double now_s = clock_now_s(), extra_s = AGAIN_SHARE * (now_s - bench->start_s);
	double end_s = now_s + extra_s;
	enum status status =
	        run_disturbed_again(bench, stage_count, end_s, WAIT_SHARE * extra_s, error);
	if (status == STATUS_OK)
		status = run_doubted_again(bench, stage_count, end_s, error);
	/* nobody waited in vain for what comes after */
	bench->end_s += clock_now_s() - now_s;
	return status;
}

static enum status run_stages(struct bench *bench, struct error *error)
{
	int stage_count = bench->is_quick ? QUICK_STAGES : STAGES;
	double left = 0, all = 0, done = 0;
	for (int i = 0; i < stage_count; i++)
		all += stages[i].weight;
	left = all;
	bench->planned_s = bench->end_s - clock_now_s();
	bench->most_end_s = clock_now_s() + LONGER_MOST * bench->planned_s;
	for (int i = 0; i < stage_count; i++) {
		double left_s = bench->end_s - clock_now_s();
		if (left_s <= 0 && stages[i].essential < 0) {
			bench->is_cut[i] = true;
			continue;
		}
		bench->stage = stages[i].name;
		bench->progress = done / all;
		done += stages[i].weight;
		bench->progress_to = done / all;
		enum status status = bench_progress(bench, 0, error);
		/* kernels are compared with all that is known */
		if (status == STATUS_OK && stages[i].run == calibrate_corpus)
			status = run_again(bench, i, error);
		if (status == STATUS_OK)
			status = run_stage(bench, i, time_of_stage(bench, i, left, all), error);
		if (status != STATUS_OK)
			return status;
		left -= stages[i].weight;
	}
	return bench->is_quick ? run_again(bench, stage_count, error) : STATUS_OK;
}

/*
 * What others had makes each coefficient less sure: a launch is longer by any share of it. Returns
 * what they had in the mean.
 */
static double tell_others(struct bench *bench)
{
	double sum = 0;
	unsigned count = 0;
	for (unsigned i = 0; i < COEFFICIENT_COUNT; i++) {
		const struct coefficient *one = &bench->device->coefficient[i];
		/* what has no error was counted */
		if (!one->is_known || !(one->standard_error > 0))
			continue;
		sum += bench->had[i];
		count++;
	}
	double mean = count > 0 ? sum / count : 0;
	for (unsigned i = 0; i < COEFFICIENT_COUNT; i++) {
		struct coefficient *one = &bench->device->coefficient[i];
		if (one->is_known && one->standard_error > 0 && bench->had[i] > OTHER_LOAD_MAX)
			one->standard_error =
			        fmin(hypot(one->standard_error, bench->had[i] / sqrt(12)), 1);
	}
	if (bench->load[1].is_known) {
		bench->others_sum = bench->others_s = 0;
		bench_set(bench, COEFFICIENT_OTHERS_SHARE, mean, 0);
	}
	return mean;
}

/* Predictions are as unsure as the coefficients that they rest on. */
static void widen_intervals(struct bench *bench, double others_share)
{
	const unsigned ids[] = {COEFFICIENT_INTERVAL_LOG_SD, COEFFICIENT_INTERVAL_LAUNCH,
	                        COEFFICIENT_INTERVAL_UNIT, COEFFICIENT_INTERVAL_SHARED};
	for (size_t i = 0; i < sizeof ids / sizeof *ids && others_share > OTHER_LOAD_MAX; i++) {
		struct coefficient *one = &bench->device->coefficient[ids[i]];
		if (one->is_known)
			one->value = hypot(one->value, others_share / sqrt(12));
	}
}

static bool is_any_known(const struct bench *bench, int stage)
{
	for (unsigned i = 0; i < COEFFICIENT_COUNT; i++)
		if (bench->device->coefficient[i].is_known && bench->set_by[i] == stage)
			return true;
	return false;
}

/* One more line of doubts, where there is room; `text` is "" or ends in no full stop. */
static void add_doubt(struct device *device, const char *text)
{
	size_t length = strlen(device->doubts);
	if (text[0] != '\0' && length + strlen(text) + sizeof "\n." <= sizeof device->doubts)
		(void)snprintf(device->doubts + length, sizeof device->doubts - length, "%s%s.",
		               length > 0 ? "\n" : "", text);
}

/* The stages that time was up for: those of which nothing is known, and those of which a part is.
 */
static void tell_unmeasured(struct bench *bench)
{
	static const char *const begins[] = {"There was no time for ",
	                                     "There was no time for all of "};
	for (int known = 0; known < 2; known++) {
		char text[DEVICE_DOUBTS_MAX] = "";
		size_t used = 0;
		for (int i = 0; i < (bench->is_quick ? QUICK_WANTED : STAGES); i++) {
			if (!bench->is_cut[i] || is_look(i) || is_any_known(bench, i) != known)
				continue;
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
			                         used > 0 ? ", " : begins[known], stages[i].name);
		}
		add_doubt(bench->device, text);
	}
}

/* What stays that cannot be. */
static void tell_doubts(struct bench *bench)
{
	struct impossible found[IMPOSSIBLE_MAX];
	size_t count = find_impossible(bench, bench->device, found);
	impossible_tell(found, count, bench->device);
	tell_unmeasured(bench);
}

/* A few launches that spread, and coefficients of which no two looks agree, any device has. */
static bool was_busy(const struct bench *bench, double others_share)
{
	return 10 * bench->unsettled > bench->looked || 4 * bench->spread_out > bench->timed ||
	       (bench->load[1].is_known ? others_share > OTHER_LOAD_MAX
	                                : spread_preempted(&bench->spread) > 0.25);
}

static void init(struct bench *bench, struct opencl *opencl,
                 const struct calibrate_options *options, struct device *filled)
{
	double budget_s = options->budget_s > 0 ? options->budget_s
	                  : options->is_quick   ? QUICK_BUDGET_S
	                                        : FULL_BUDGET_S;
	memset(filled->coefficient, 0, sizeof filled->coefficient);
	filled->doubts[0] = '\0';
	*bench = (struct bench){.opencl = opencl,
	                        .device = filled,
	                        .options = options,
	                        .start_s = clock_now_s(),
	                        .is_quick = options->is_quick,
	                        .is_gpu = filled->type == DEVICE_GPU,
	                        .units = filled->compute_units > 0 ? filled->compute_units : 1,
	                        .stage = "start",
	                        .essential = -1,
	                        .family = -1};
	bench->had = bench->had_first;
	node_caches_read(&bench->node);
	bench->end_s = bench->start_s + budget_s;
	bench->last_s = bench->stage_end_s =
	        bench->start_s + fmax(options->is_quick ? LAST_QUICK_S : LAST_FULL_S, budget_s);
	bench->local = filled->max_group_items < 256 ? (size_t)filled->max_group_items : 256;
	bench->target_s = bench->is_gpu ? 2e-4 : bench->is_quick ? 5e-4 : 1e-3;
	bench->share_s = bench->is_quick ? 0.015 : 0.3;
}

static enum status tell_compiling(void *context, struct error *error)
{
	return bench_progress(context, 0, error);
}

/*
 * What is compiled before anything is timed, in processes of their own and on all processors: the
 * benches, and what asks the compiler for its language.
 */
static enum status prepare(struct bench *bench, struct profile_asker *asker, struct error *error)
{
	const struct calibrate_options *options = bench->options;
	double budget_s = bench->end_s - bench->start_s;
	double share_s = PREPARE_SHARE * budget_s, end_s = bench->start_s + 2 * share_s;
	enum status status = STATUS_OK;
	*asker = (struct profile_asker){.child = -1, .answer = -1};
	if (!options->is_rehearsed)
		return STATUS_OK;
	profile_start(options->device_index, options->is_quick, asker);
	bench->stage = "compiling";
	if (rehearsal_is_worth(bench->device))
		status = rehearsal_run(options->device_index, options->is_quick,
		                       options->is_quick ? end_s : bench->start_s + share_s,
		                       tell_compiling, bench, error);
	bench->stage = "language";
	if (status == STATUS_OK)
		status = profile_wait(asker, end_s, tell_compiling, bench, error);
	bench->end_s = fmax(bench->end_s, clock_now_s() + budget_s - share_s);
	return status;
}

/* Without an answer the device keeps what its driver lists. */
static enum status finish_asking(struct bench *bench, struct profile_asker *asker,
                                 enum status status, struct error *error)
{
	struct error ignored;
	double most_s = PREPARE_SHARE * (bench->is_quick ? QUICK_BUDGET_S : FULL_BUDGET_S);
	if (status == STATUS_OK) {
		bench->stage = "language";
		return profile_finish(asker, fmin(clock_now_s() + most_s, bench->last_s),
		                      tell_compiling, bench, bench->device, error);
	}
	(void)profile_finish(asker, 0, tell_compiling, bench, bench->device, &ignored);
	return status;
}

enum status calibrate(struct opencl *opencl, const struct calibrate_options *options,
                      struct device *device, struct error *error)
{
	struct bench bench;
	struct device *filled = malloc(sizeof *filled);
	if (filled == NULL)
		return error_set(error, STATUS_NO_MEMORY, "the calibration: out of memory");
	*filled = *device;
	init(&bench, opencl, options, filled);
	struct profile_asker asker;
	enum status status = prepare(&bench, &asker, error);
	if (status == STATUS_OK)
		status = bench_open(&bench, error);
	if (status == STATUS_OK)
		status = warm(&bench, error);
	if (status == STATUS_OK)
		status = run_stages(&bench, error);
	status = finish_asking(&bench, &asker, status, error);
	if (status == STATUS_OK) {
		calibrate_spread_end(&bench);
		filled->is_calibrated = true;
		filled->is_quick = options->is_quick;
		filled->is_stale = false;
		double others_share = tell_others(&bench);
		widen_intervals(&bench, others_share);
		tell_doubts(&bench);
		filled->was_busy = was_busy(&bench, others_share);
		filled->calibrated_at_s = (int64_t)time(NULL);
		filled->duration_s = clock_now_s() - bench.start_s;
		*device = *filled;
	}
	bench_close(&bench);
	free(filled);
	return status;
}

enum status calibrate_rehearse(struct opencl *opencl, const struct calibrate_options *options,
                               int numbers, struct device *device, struct error *error)
{
	struct bench bench;
	struct error ignored;
	init(&bench, opencl, options, device);
	bench.is_rehearsal = bench.has_cpu_clock = true;
	bench.numbers = numbers;
	bench.number = -1;
	double prepared_s = bench.start_s + PREPARE_SHARE * (bench.end_s - bench.start_s);
	enum status status = bench_open(&bench, error);
	for (int i = 0; i < STAGES && status == STATUS_OK; i++)
		if (stages[i].is_rehearsed && (!options->is_quick || i < QUICK_STAGES)) {
			bench.stage_end_s =
			        options->is_quick && i >= QUICK_WANTED ? prepared_s : bench.last_s;
			/* what the device refuses here it refuses again */
			(void)stages[i].run(&bench, &ignored);
		}
	bench_close(&bench);
	return status;
}
