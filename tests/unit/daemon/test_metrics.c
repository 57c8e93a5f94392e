/* SPDX-License-Identifier: Apache-2.0 */
/* Counters, histograms, windows of errors, and their text. */
#include "tests/test.h"

#include "daemon/metrics/metrics.h"
#include "daemon/metrics/text.h"
#include "proto/predictd.pb-c.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void a_time_counts_below_the_first_bound_that_holds_it(void **state)
{
	(void)state;
	struct histogram histogram = {.sum_ns = 0};
	histogram_add(&histogram, 1, 0);
	histogram_add(&histogram, 1, 1024);
	histogram_add(&histogram, 1, 1025);
	histogram_add(&histogram, 3, 2048);
	histogram_add(&histogram, 1, 2049);
	assert_int_equal(histogram.counts[0], 2);
	assert_int_equal(histogram.counts[1], 4);
	assert_int_equal(histogram.counts[2], 1);
	assert_int_equal(histogram.sum_ns, 1024 + 1025 + 3 * 2048 + 2049);
	assert_close(histogram_bound_s(0), 1.024e-6, 1e-12);
	assert_close(histogram_bound_s(HISTOGRAM_BOUNDS - 1), 68.719476736, 1e-12);
}

static void the_last_bound_holds_its_own_time_and_none_beyond(void **state)
{
	(void)state;
	struct histogram histogram = {.sum_ns = 0};
	uint64_t last_ns = (uint64_t)1 << (HISTOGRAM_FIRST_LOG2 + HISTOGRAM_BOUNDS - 1);
	histogram_add(&histogram, 1, last_ns);
	histogram_add(&histogram, 1, last_ns + 1);
	histogram_add(&histogram, 1, UINT64_MAX);
	assert_int_equal(histogram.counts[HISTOGRAM_BOUNDS - 1], 1);
	assert_int_equal(histogram.counts[HISTOGRAM_BOUNDS], 2);
}

static void answers_from_memory_share_the_time_between_two_looks_at_the_clock(void **state)
{
	(void)state;
	static struct metrics metrics;
	const unsigned kind = PREDICTD__REQUEST__BODY_PREDICT;
	metrics_clock(&metrics, 1000000);
	for (unsigned i = 0; i < 4; i++)
		metrics_answer_again(&metrics, kind, i < 3 ? STATUS_OK : STATUS_INVALID);
	metrics_clock(&metrics, 1000000 + 4 * 3000);
	metrics_clock(&metrics, 9000000);                     /* nothing was answered meanwhile */
	assert_int_equal(metrics.latency[kind].counts[2], 4); /* of 3 us each */
	assert_int_equal(metrics.latency[kind].sum_ns, 12000);
	assert_int_equal(metrics_requests(&metrics), 4);
	assert_int_equal(metrics.predictions, 3);
	assert_int_equal(metrics_refusals(&metrics), 1);
	assert_int_equal(metrics.refusals[STATUS_INVALID], 1);
	assert_int_equal(metrics.caches[METRICS_CACHE_ANSWERS].hits, 4);
	metrics_deinit(&metrics);
}

static void every_request_of_the_protocol_has_a_name(void **state)
{
	(void)state;
	const ProtobufCMessageDescriptor *requests = &predictd__request__descriptor;
	unsigned count = 0;
	for (unsigned i = 0; i < requests->n_fields; i++)
		if (requests->fields[i].type == PROTOBUF_C_TYPE_MESSAGE) {
			unsigned kind = metrics_kind(requests->fields[i].id);
			assert_int_not_equal(kind, 0);
			assert_string_equal(metrics_kind_name(kind), requests->fields[i].name);
			count++;
		}
	assert_true(count > 20);
	assert_null(metrics_kind_name(0));
	assert_null(metrics_kind_name(1)); /* the id */
	assert_int_equal(metrics_kind(METRICS_REQUESTS), 0);
}

/* ---- how good answers are ------------------------------------------------------------------ */

static struct quality_run run_of(uint64_t device, double error)
{
	return (struct quality_run){.device = device,
	                            .kind = CORRECTION_OF_KERNEL,
	                            .basis = BASIS_STATIC,
	                            .predicted_s = exp(error),
	                            .low_s = 0.8,
	                            .high_s = 1.2,
	                            .measured_s = 1};
}

static const struct quality_window *window_of(const struct quality *quality, uint64_t hash)
{
	struct quality_device *device;
	HASH_FIND(hh, quality->devices, &hash, sizeof hash, device);
	assert_non_null(device);
	assert_non_null(device->windows[CORRECTION_OF_KERNEL][BASIS_STATIC]);
	return device->windows[CORRECTION_OF_KERNEL][BASIS_STATIC];
}

static void errors_either_way_have_one_median(void **state)
{
	(void)state;
	struct quality quality = {.devices = NULL};
	const double errors[] = {0.1, -0.3, 0.2, -0.4};
	for (unsigned i = 0; i < 4; i++) {
		struct quality_run run = run_of(7, errors[i]);
		quality_add(&quality, &run, NULL);
	}
	assert_close(quality_median(window_of(&quality, 7)), 0.25, 1e-6);
	assert_close(quality_coverage(window_of(&quality, 7)), 1, 1e-12);
	quality_deinit(&quality);
}

static void coverage_is_of_the_window_alone(void **state)
{
	(void)state;
	struct quality quality = {.devices = NULL};
	struct quality_run outside = run_of(7, 1), inside = run_of(7, 0);
	outside.low_s = 2;
	outside.high_s = 3;
	for (unsigned i = 0; i < QUALITY_WINDOW; i++)
		quality_add(&quality, &outside, NULL);
	assert_close(quality_median(window_of(&quality, 7)), 1, 1e-6);
	assert_true(quality_coverage(window_of(&quality, 7)) == 0);
	for (unsigned i = 0; i < 3 * QUALITY_WINDOW / 4; i++)
		quality_add(&quality, &inside, NULL);
	assert_close(quality_coverage(window_of(&quality, 7)), 0.75, 1e-12);
	for (unsigned i = 0; i < QUALITY_WINDOW; i++)
		quality_add(&quality, &inside, NULL);
	assert_close(quality_coverage(window_of(&quality, 7)), 1, 1e-12);
	assert_true(quality_median(window_of(&quality, 7)) == 0);
	for (unsigned i = 0; i < QUALITY_WINDOW / 2; i++)
		quality_add(&quality, &outside, NULL);
	assert_close(quality_coverage(window_of(&quality, 7)), 0.5, 1e-12);
	quality_deinit(&quality);
}

static void devices_and_bases_are_judged_apart_and_are_bounded(void **state)
{
	(void)state;
	struct quality quality = {.devices = NULL};
	for (uint64_t device = 1; device <= QUALITY_DEVICES_MAX + 8; device++) {
		struct quality_run run = run_of(device, 0.5), observed = run_of(device, 0.01);
		observed.basis = BASIS_OBSERVED;
		quality_add(&quality, &run, NULL);
		quality_add(&quality, &observed, NULL);
	}
	assert_int_equal(HASH_COUNT(quality.devices), QUALITY_DEVICES_MAX);
	assert_close(quality_median(window_of(&quality, 3)), 0.5, 1e-6);
	quality_deinit(&quality);
}

static void what_is_no_error_is_left_out(void **state)
{
	(void)state;
	struct quality quality = {.devices = NULL};
	const double predictions[] = {0, -1, (double)NAN, (double)INFINITY};
	for (unsigned i = 0; i < 4; i++) {
		struct quality_run run = run_of(1, 0);
		run.predicted_s = predictions[i];
		quality_add(&quality, &run, "k");
	}
	assert_null(quality.devices);
	assert_null(quality.kernels);
	quality_deinit(&quality);
}

static void the_kernels_observed_last_have_names(void **state)
{
	(void)state;
	struct quality quality = {.devices = NULL};
	const struct quality_run run = run_of(1, 0.5);
	char name[16], longer[2 * QUALITY_NAME_MAX];
	quality_add(&quality, &run, "first");
	quality_add(&quality, &run, "second");
	for (unsigned i = 0; i < QUALITY_KERNELS_MAX - 1; i++) {
		if (i == 5) /* observed again, it stays */
			quality_add(&quality, &run, "second");
		(void)snprintf(name, sizeof name, "k%u", i);
		quality_add(&quality, &run, name);
	}
	assert_int_equal(HASH_COUNT(quality.kernels), QUALITY_KERNELS_MAX);
	unsigned firsts = 0, seconds = 0;
	for (struct quality_kernel *kernel = quality.kernels; kernel != NULL;
	     kernel = kernel->hh.next) {
		firsts += strcmp(kernel->key.name, "first") == 0;
		if (strcmp(kernel->key.name, "second") != 0)
			continue;
		seconds++;
		assert_int_equal(kernel->total, 2);
		assert_close(quality_kernel_median(kernel), 0.5, 1e-6);
	}
	assert_int_equal(firsts, 0);
	assert_int_equal(seconds, 1);
	quality_forget_kernels(&quality);
	assert_null(quality.kernels);
	/* a name that is cut within a character, and the same without it, are one */
	memset(longer, 'a', sizeof longer);
	memcpy(longer + QUALITY_NAME_MAX - 2, "\xc3\xa9", 3);
	quality_add(&quality, &run, longer);
	longer[QUALITY_NAME_MAX - 2] = '\0';
	quality_add(&quality, &run, longer);
	assert_int_equal(HASH_COUNT(quality.kernels), 1);
	quality_deinit(&quality);
}

/* ---- text ---------------------------------------------------------------------------------- */

static void samples_are_written_as_prometheus_reads_them(void **state)
{
	(void)state;
	struct metrics_text text = {.bytes = NULL};
	metrics_text_family(&text, "a_total", "counter", "Of a.");
	metrics_text_count(&text, NULL, UINT64_MAX);
	metrics_text_count(&text, METRICS_LABELS({"x", "say \"a\\b\""}, {"y", "z"}), 2);
	metrics_text_family(&text, "b_ratio", "gauge", "Of b.");
	metrics_text_real(&text, METRICS_LABELS({"x", "a\nb"}), 0.25);
	assert_string_equal(text.bytes, "# HELP a_total Of a.\n# TYPE a_total counter\n"
	                                "a_total 18446744073709551615\n"
	                                "a_total{x=\"say \\\"a\\\\b\\\"\",y=\"z\"} 2\n"
	                                "# HELP b_ratio Of b.\n# TYPE b_ratio gauge\n"
	                                "b_ratio{x=\"a b\"} 0.25\n");
	assert_int_equal(text.used, strlen(text.bytes));
	metrics_text_deinit(&text);
}

static void a_histogram_is_cumulative(void **state)
{
	(void)state;
	struct metrics_text text = {.bytes = NULL};
	struct histogram histogram = {.sum_ns = 0};
	histogram_add(&histogram, 2, 1000);
	histogram_add(&histogram, 1, 2000);
	histogram_add(&histogram, 1, UINT64_C(100000000000));
	metrics_text_family(&text, "h_seconds", "histogram", "Of h.");
	metrics_text_histogram(&text, METRICS_LABELS({"r", "s"}), &histogram);
	assert_non_null(strstr(text.bytes, "h_seconds_bucket{r=\"s\",le=\"1.024e-06\"} 2\n"));
	assert_non_null(strstr(text.bytes, "h_seconds_bucket{r=\"s\",le=\"2.048e-06\"} 3\n"));
	assert_non_null(strstr(text.bytes, "h_seconds_bucket{r=\"s\",le=\"68.7194767\"} 3\n"));
	assert_non_null(strstr(text.bytes, "h_seconds_bucket{r=\"s\",le=\"+Inf\"} 4\n"));
	assert_non_null(strstr(text.bytes, "h_seconds_sum{r=\"s\"} 100.000004\n"));
	assert_non_null(strstr(text.bytes, "h_seconds_count{r=\"s\"} 4\n"));
	metrics_text_deinit(&text);
}

static void a_value_of_any_bytes_is_one_label(void **state)
{
	(void)state;
	struct metrics_text text = {.bytes = NULL};
	char value[1024];
	memset(value, '"', sizeof value - 1);
	value[sizeof value - 1] = '\0';
	metrics_text_family(&text, "a_total", "counter", "Of a.");
	metrics_text_count(&text, METRICS_LABELS({"x", value}), 1);
	metrics_text_count(&text, METRICS_LABELS({"x", "\xff\x01\xc3"}), 1);
	assert_non_null(strstr(text.bytes, "\\\"\"} 1\n"));
	assert_non_null(strstr(text.bytes, "a_total{x=\"?"));
	assert_null(strchr(text.bytes, '\xff'));
	metrics_text_deinit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_time_counts_below_the_first_bound_that_holds_it),
	        cmocka_unit_test(the_last_bound_holds_its_own_time_and_none_beyond),
	        cmocka_unit_test(answers_from_memory_share_the_time_between_two_looks_at_the_clock),
	        cmocka_unit_test(every_request_of_the_protocol_has_a_name),
	        cmocka_unit_test(errors_either_way_have_one_median),
	        cmocka_unit_test(coverage_is_of_the_window_alone),
	        cmocka_unit_test(devices_and_bases_are_judged_apart_and_are_bounded),
	        cmocka_unit_test(what_is_no_error_is_left_out),
	        cmocka_unit_test(the_kernels_observed_last_have_names),
	        cmocka_unit_test(samples_are_written_as_prometheus_reads_them),
	        cmocka_unit_test(a_histogram_is_cumulative),
	        cmocka_unit_test(a_value_of_any_bytes_is_one_label),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
