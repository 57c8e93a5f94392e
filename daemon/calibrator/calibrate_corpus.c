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

/* Runs cases in turn from all families until the time is up; what a device refuses is left out. */
static enum status measure_cases(struct bench *bench, const struct corpus *corpus,
                                 struct shape_sample *samples, size_t *count, struct error *error)
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
		Predictd__Measurement measurement = PREDICTD__MEASUREMENT__INIT;
		Predictd__MeasureCase what = *one->what;
		struct error why;
		double share = (clock_now_s() - start_s) / stage_s;
		if (share > measuring_share)
			break;
		status = bench_progress(
		        bench, fmax(share, (double)i / (double)corpus->count * measuring_share),
		        error);
		if (status != STATUS_OK || !is_worth_it(bench, one, device, prediction, stage_s))
			continue;
		what.runs_min = RUNS;
		if (measure_case(bench->opencl, bench->device, &what, BUDGET_S, &measurement,
		                 &why) == STATUS_OK &&
		    measurement.kernel_time_s > 0)
			samples[(*count)++] =
			        (struct shape_sample){.kernel = one->kernel,
			                              .launch = &one->launch,
			                              .measured_s = measurement.kernel_time_s};
		watchdog_arm(STAGE_LIMIT_S); /* each measurement has its own */
	}
	free(device);
	free(prediction);
	return status;
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
		if (samples == NULL)
			status = error_set(error, STATUS_NO_MEMORY, "the corpus: no memory");
	}
	if (status == STATUS_OK)
		status = measure_cases(bench, &corpus, samples, &count, error);
	if (status == STATUS_OK)
		status = shape_fit(bench->device, samples, count, bench->stage_end_s, &fit, error);
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
	return status;
}
