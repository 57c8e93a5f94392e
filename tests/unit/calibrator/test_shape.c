/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of the default model, fitted to kernels of the corpus whose truth is known. */
#include "tests/test.h"

#include "daemon/calibrator/corpus.h"
#include "daemon/calibrator/opencl.h"
#include "daemon/calibrator/shape.h"
#include "tests/unit/predict/kernels.h"

enum { SAMPLES_MAX = 256 };
#define FIT_MOST_S 3600.0 /* a fit ends by itself, however busy the machine */

static struct corpus corpus;

static int setup(void **state)
{
	struct error error;
	(void)state;
	return corpus_init(&corpus, &error) == STATUS_OK ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	corpus_deinit(&corpus);
	return 0;
}

/* What `truth` predicts of every kernel of the corpus, as if it had been measured. */
static size_t make_samples(const struct device *truth, struct shape_sample *samples)
{
	static struct prediction prediction; /* large */
	const struct prediction_options options = {.model = MODEL_DEFAULT};
	struct error error;
	size_t count = 0;
	for (size_t i = 0; i < corpus.count && count < SAMPLES_MAX; i++) {
		const struct corpus_case *one = &corpus.cases[i];
		if (predict(one->kernel, truth, &one->launch, &options, &prediction, &error) ==
		    STATUS_OK)
			samples[count++] = (struct shape_sample){one->kernel, &one->launch,
			                                         prediction.kernel_time_s};
	}
	return count;
}

static void every_kernel_of_the_corpus_can_be_predicted(void **state)
{
	static struct shape_sample samples[SAMPLES_MAX];
	struct device *device = device_gpu();
	(void)state;
	assert_true(corpus.count >= 60);
	assert_int_equal(make_samples(device, samples), corpus.count);
	for (size_t i = 0; i < corpus.count; i++)
		assert_string_equal(corpus.cases[i].kernel->unsupported, "");
	free(device);
}

/* Sets a factor of the shape in a copy. */
static void scale(struct device *device, unsigned id, double factor)
{
	device->coefficient[id] = (struct coefficient){.value = factor, .is_known = true};
}

static void what_is_slower_in_whole_kernels_is_found(void **state)
{
	static struct shape_sample samples[SAMPLES_MAX];
	struct device *device = device_cpu(), *truth = device_cpu();
	struct shape_fit fit;
	struct error error;
	(void)state;
	for (unsigned i = 0; i < SHAPE_PARAMETERS; i++)
		if (shape_ids[i] != COEFFICIENT_SHAPE_NORM)
			scale(truth, shape_ids[i], 1.25);
	size_t count = make_samples(truth, samples);
	/* a tenth are of another world */
	for (size_t i = 0; i < count; i += 10)
		samples[i].measured_s *= 20;
	assert_int_equal(
	        shape_fit(device, samples, count, clock_now_s() + FIT_MOST_S, &fit, &error),
	        STATUS_OK);
	assert_true(fit.is_better);
	assert_true(fit.score_after < 0.8 * fit.score_before);
	for (unsigned i = 0; i < SHAPE_PARAMETERS; i++)
		if (shape_ids[i] == COEFFICIENT_SHAPE_DRAM)
			assert_true(fit.parameter[i] > 1.05 && fit.parameter[i] < 1.3);
		else if (shape_ids[i] != COEFFICIENT_SHAPE_NORM)
			assert_true(fit.parameter[i] > 0.95 && fit.parameter[i] < 1.3);
	free(device);
	free(truth);
}

static void what_needs_no_fit_gets_none(void **state)
{
	static struct shape_sample samples[SAMPLES_MAX];
	struct device *device = device_cpu();
	struct shape_fit fit;
	struct error error;
	(void)state;
	size_t count = make_samples(device, samples);
	/* noise of a fifth, that no shape explains */
	for (size_t i = 0; i < count; i++)
		samples[i].measured_s *= exp(0.2 * ((double)(i * 7919 % 13) / 6 - 1));
	assert_int_equal(
	        shape_fit(device, samples, count, clock_now_s() + FIT_MOST_S, &fit, &error),
	        STATUS_OK);
	for (unsigned i = 0; i < SHAPE_PARAMETERS; i++)
		if (fit.is_better)
			assert_close(fit.parameter[i],
			             i == 0 ? device_value(device, shape_ids[0], 4) : 1, 0.15);
	/* nine of ten are within 0.2 or a little less */
	assert_true(fit.doubt.log_sd > 0.05 && fit.doubt.log_sd < 0.2);
	free(device);
}

static void too_few_kernels_are_refused(void **state)
{
	static struct shape_sample samples[SAMPLES_MAX];
	struct device *device = device_cpu();
	struct shape_fit fit;
	struct error error;
	(void)state;
	(void)make_samples(device, samples);
	assert_int_equal(
	        shape_fit(device, samples, SHAPE_SAMPLES_MIN - 1, clock_now_s() + 10, &fit, &error),
	        STATUS_INVALID);
	free(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_kernel_of_the_corpus_can_be_predicted),
	        cmocka_unit_test(what_is_slower_in_whole_kernels_is_found),
	        cmocka_unit_test(what_needs_no_fit_gets_none),
	        cmocka_unit_test(too_few_kernels_are_refused),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, setup, teardown);
}
