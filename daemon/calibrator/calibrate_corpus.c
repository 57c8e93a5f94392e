/* SPDX-License-Identifier: Apache-2.0 */
/* Whole kernels, run and compared with the model: its shape, and how sure it may be. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/calibrator/bench.h"
#include "daemon/calibrator/corpus.h"
#include "daemon/calibrator/measure.h"
#include "daemon/calibrator/shape.h"
#include "daemon/calibrator/watchdog.h"

/* Shares of the stage's time: what is left is the fit's. */
static const double measuring_share = 0.85;

/* Runs of a case go on for so long: the first few of a launch are slower than those after them. */
#define BUDGET_S 0.02

/* Of the time that the calibration took, for what others disturbed; of that, until they go. */
#define EXTRA_SHARE     0.1
#define WAIT_SHARE      0.3
#define OTHER_LOAD_MUCH 0.25 /* of the processors: more, and a launch says nothing of the model */

enum {
	CASE_BYTES_MAX = 1 << 30,
	REHEARSED_CASE_BYTES_MAX = 64 << 20, /* of one that is only compiled, beside others */
	RUNS = 5,
	STAGE_LIMIT_S = 180 /* a driver that hangs in a case */
};

static uint64_t case_bytes(const struct corpus_case *one)
{
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < one->launch.argument_count; i++)
		bytes += one->launch.arguments[i].size_bytes;
	return bytes;
}

/* What is predicted to take longer than a twentieth of the stage would leave few others. */
static bool is_worth_it(const struct bench *bench, const struct corpus_case *one,
                        struct device *device, struct prediction *prediction, double stage_s)
{
	const struct prediction_options options = {.model = MODEL_DEFAULT};
	struct error error;
	uint64_t bytes = case_bytes(one);
	*device = *bench->device;
	device->is_calibrated = true;
	return bytes <= CASE_BYTES_MAX && bytes <= bench->device->global_bytes / 4 &&
	       predict(one->kernel, device, &one->launch, &options, prediction, &error) ==
	               STATUS_OK &&
	       (RUNS + 1) * prediction->kernel_time_s < stage_s / 20;
}

static size_t common_divisor(size_t a, size_t b)
{
	while (b != 0) {
		size_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* A case that was run. */
struct visit {
	const struct corpus_case *one;
	double measured_s;
	double others_share; /* of the processors meanwhile */
};

/* Runs a case; false: the device refuses it. The quiet runs count. */
static bool measure_one(struct bench *bench, const struct corpus_case *one, struct visit *visit)
{
	Predictd__Measurement measurement = PREDICTD__MEASUREMENT__INIT;
	Predictd__MeasureCase what = *one->what;
	struct repeats runs;
	struct error why;
	runs.count = 0;
	what.runs_min = RUNS;
	if (measure_case(bench->opencl, bench->device, &what, BUDGET_S, &measurement, &why) ==
	    STATUS_OK)
		for (size_t i = 0; i < measurement.n_kernel_times_s; i++)
			repeats_add(&runs, measurement.kernel_times_s[i]);
	watchdog_arm(STAGE_LIMIT_S); /* each measurement has its own */
	repeats_quiet(&runs, &runs);
	bench_look_at_others(bench);
	*visit = (struct visit){one, repeats_quantile(&runs, 0.5), bench->others_share};
	return visit->measured_s > 0;
}

/* Runs cases in turn from all families until the time is up; what a device refuses is left out. */
static enum status measure_cases(struct bench *bench, const struct corpus *corpus,
                                 struct visit *visits, size_t *count, struct error *error)
{
	double start_s = clock_now_s(), stage_s = bench->stage_end_s - start_s;
	struct device *device = malloc(sizeof *device);
	struct prediction *prediction = malloc(sizeof *prediction);
	enum status status = STATUS_OK;
	/* a stride that is prime to the count: however few there is time for, all families have
	 * some */
	size_t stride = corpus->count / 3 + 1;
	while (common_divisor(stride, corpus->count) > 1)
		stride++;
	if (device == NULL || prediction == NULL)
		status = error_set(error, STATUS_NO_MEMORY, "the corpus: no memory");
	for (size_t i = 0; i < corpus->count && status == STATUS_OK; i++) {
		const struct corpus_case *one = &corpus->cases[i * stride % corpus->count];
		double share = (clock_now_s() - start_s) / stage_s;
		if (share > measuring_share)
			break;
		status = bench_progress(
		        bench, fmax(share, (double)i / (double)corpus->count * measuring_share),
		        error);
		if (status != STATUS_OK || !is_worth_it(bench, one, device, prediction, stage_s))
			continue;
		*count += measure_one(bench, one, &visits[*count]);
	}
	free(device);
	free(prediction);
	return status;
}

/* What others disturbed, once they have gone, if they go before extra_s are over. */
static enum status measure_disturbed(struct bench *bench, struct visit *visits, size_t count,
                                     double extra_s, struct error *error)
{
	double start_s = clock_now_s(), spent_s = 0;
	enum status status = STATUS_OK;
	for (size_t i = 0; i < count && status == STATUS_OK && spent_s < extra_s; i++) {
		struct visit again;
		if (visits[i].others_share <= OTHER_LOAD_MAX)
			continue;
		status = bench_progress(bench, measuring_share, error);
		if (status == STATUS_OK && !bench_wait_for_others(bench, WAIT_SHARE * extra_s))
			break;
		if (status == STATUS_OK && measure_one(bench, visits[i].one, &again) &&
		    again.others_share < visits[i].others_share)
			visits[i] = again;
		spent_s = clock_now_s() - start_s;
	}
	bench->stage_end_s += clock_now_s() - start_s;
	return status;
}

/*
 * Those of the least disturbed that are enough to say anything; how many. A launch beside others
 * tells what they do, and not what the model is worth.
 */
static size_t choose_quiet(const struct visit *visits, size_t count, struct shape_sample *samples)
{
	static const double most[] = {OTHER_LOAD_MAX, OTHER_LOAD_MUCH};
	size_t chosen = 0;
	for (size_t tried = 0; tried < 2 && chosen < SHAPE_SAMPLES_MIN; tried++) {
		chosen = 0;
		for (size_t i = 0; i < count; i++)
			if (visits[i].others_share <= most[tried])
				samples[chosen++] =
				        (struct shape_sample){.kernel = visits[i].one->kernel,
				                              .launch = &visits[i].one->launch,
				                              .measured_s = visits[i].measured_s};
	}
	return chosen;
}

/* Compiles what is about to be measured: PoCL does so for each kernel and work-group size. */
static void rehearse_cases(struct bench *bench, const struct corpus *corpus)
{
	for (size_t i = 0; i < corpus->count; i++) {
		const struct corpus_case *one = &corpus->cases[i];
		Predictd__Measurement measurement = PREDICTD__MEASUREMENT__INIT;
		Predictd__MeasureCase what = *one->what;
		struct error ignored;
		if (case_bytes(one) > REHEARSED_CASE_BYTES_MAX || !bench_takes(bench))
			continue;
		what.runs_min = 1;
		(void)measure_case(bench->opencl, bench->device, &what, 1e-6, &measurement,
		                   &ignored);
	}
}

enum status calibrate_corpus(struct bench *bench, struct error *error)
{
	struct corpus corpus = {.count = 0};
	struct shape_sample *samples = NULL;
	struct visit *visits = NULL;
	struct shape_fit fit;
	size_t count = 0;
	enum status status = corpus_init(&corpus, error);
	if (status == STATUS_OK && bench->is_rehearsal) {
		rehearse_cases(bench, &corpus);
		corpus_deinit(&corpus);
		return STATUS_OK;
	}
	/* kernels are compared with all that a prediction will know */
	calibrate_spread_end(bench);
	if (status == STATUS_OK) {
		samples = calloc(corpus.count + 1, sizeof *samples);
		visits = calloc(corpus.count + 1, sizeof *visits);
		if (samples == NULL || visits == NULL)
			status = error_set(error, STATUS_NO_MEMORY, "the corpus: no memory");
	}
	if (status == STATUS_OK)
		status = measure_cases(bench, &corpus, visits, &count, error);
	if (status == STATUS_OK)
		status = measure_disturbed(bench, visits, count,
		                           EXTRA_SHARE * (clock_now_s() - bench->start_s), error);
	if (status == STATUS_OK) {
		count = choose_quiet(visits, count, samples);
		status = shape_fit(bench->device, samples, count, bench->stage_end_s, &fit, error);
	}
	/* not of a benchmark, and of quiet kernels alone */
	bench->others_sum = bench->others_s = 0;
	if (status == STATUS_OK) {
		double error_of_sd = 1 / sqrt(2 * (double)count);
		for (unsigned i = 0; i < SHAPE_PARAMETERS && fit.is_better; i++)
			bench_set(bench, shape_ids[i], fit.parameter[i], fit.error[i]);
		bench_set(bench, COEFFICIENT_INTERVAL_LOG_SD, fit.doubt.log_sd, error_of_sd);
		for (unsigned i = 0; i < DOUBT_COUNT; i++)
			bench_set(bench, doubt_ids[i], fit.doubt.kind[i], error_of_sd);
	}
	corpus_deinit(&corpus);
	free(samples);
	free(visits);
	return status;
}
