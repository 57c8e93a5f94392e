/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring through a calibrator child that answers, refuses and dies. */
#include "tests/test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/predictd.h"

static const predictd_source source = {.name = "k.cl", .text = "kernel", .size = 6};

static predictd_measure_case case_of(const char *kernel, uint64_t items)
{
	return (predictd_measure_case){
	        .source = &source,
	        .question = {.kernel = kernel, .dimensions = 1, .global = {items, 1, 1}}};
}

static int use_fake(void **state)
{
	(void)state;
	return setenv("PREDICTD_LIBEXECDIR", "/nowhere:" FAKE_LIBEXECDIR, 1);
}

static void count_done(size_t index, const predictd_measurement *measurement, void *context)
{
	size_t *done = context;
	assert_int_equal(index, *done);
	assert_non_null(measurement);
	++*done;
}

static void every_case_is_measured_in_order(void **state)
{
	(void)state;
	enum { COUNT = 600 }; /* more than one child takes */
	predictd_measure_case *cases = calloc(COUNT, sizeof *cases);
	predictd_measurement *got = NULL;
	size_t done = 0;
	for (size_t i = 0; i < COUNT; i++)
		cases[i] = case_of("k", i + 1);
	assert_int_equal(predictd_measure(NULL, cases, COUNT, 0, 0, count_done, &done, &got),
	                 PREDICTD_OK);
	assert_int_equal(done, COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		assert_int_equal(got[i].status, PREDICTD_OK);
		assert_close(got[i].kernel_time_s, 1e-9 * (double)(i + 1), 1e-12);
		assert_int_equal(got[i].runs, 5); /* at least */
	}
	predictd_measurements_free(got, COUNT);
	free(cases);
}

static void a_kernel_that_crashes_takes_nobody_along(void **state)
{
	(void)state;
	predictd_measure_case cases[] = {case_of("k", 1), case_of("crash", 2), case_of("k", 3),
	                                 case_of("vanish", 4), case_of("k", 5)};
	predictd_measurement *got = NULL;
	assert_int_equal(predictd_measure(NULL, cases, 5, 9, 0, NULL, NULL, &got), PREDICTD_OK);
	assert_int_equal(got[0].status, PREDICTD_OK);
	assert_int_equal(got[1].status, PREDICTD_DEVICE);
	assert_non_null(strstr(got[1].error, "signal 9"));
	assert_int_equal(got[2].status, PREDICTD_OK);
	assert_close(got[2].kernel_time_s, 3e-9, 1e-12);
	assert_int_equal(got[3].status, PREDICTD_DEVICE);
	assert_non_null(strstr(got[3].error, "status 7"));
	assert_int_equal(got[4].status, PREDICTD_OK);
	assert_int_equal(got[4].runs, 9);
	predictd_measurements_free(got, 5);
}

static void a_kernel_that_hangs_costs_its_own_case_alone(void **state)
{
	(void)state;
	predictd_measure_case cases[] = {case_of("k", 1), case_of("hang", 2), case_of("k", 3)};
	predictd_measurement *got = NULL;
	assert_int_equal(predictd_measure(NULL, cases, 3, 5, 0, NULL, NULL, &got), PREDICTD_OK);
	assert_int_equal(got[0].status, PREDICTD_OK);
	assert_int_equal(got[1].status, PREDICTD_TIMEOUT);
	assert_string_equal(got[1].error, "the case took too long");
	assert_int_equal(got[2].status, PREDICTD_OK);
	assert_close(got[2].kernel_time_s, 3e-9, 1e-12);
	predictd_measurements_free(got, 3);
}

static void a_case_that_is_refused_fails_alone(void **state)
{
	(void)state;
	predictd_measure_case cases[] = {case_of("refuse", 1), case_of("k", 2), case_of("k", 3)};
	predictd_measurement *got = NULL;
	cases[1].question.dimensions = 0;
	assert_int_equal(predictd_measure(NULL, cases, 3, 5, 0, NULL, NULL, &got), PREDICTD_OK);
	assert_int_equal(got[0].status, PREDICTD_INVALID);
	assert_string_equal(got[0].error, "too many arguments");
	assert_int_equal(got[1].status, PREDICTD_INVALID);
	assert_int_equal(got[2].status, PREDICTD_OK);
	predictd_measurements_free(got, 3);
}

static void a_case_without_a_source_fails_alone(void **state)
{
	(void)state;
	predictd_measure_case cases[] = {case_of("k", 1), case_of("k", 2)};
	predictd_measurement *got = NULL;
	cases[0].source = NULL;
	assert_int_equal(predictd_measure(NULL, cases, 2, 5, 0, NULL, NULL, &got), PREDICTD_OK);
	assert_int_equal(got[0].status, PREDICTD_INVALID);
	assert_int_equal(got[1].status, PREDICTD_OK);
	predictd_measurements_free(got, 2);
}

static void a_device_that_is_not_there_fails_the_call(void **state)
{
	(void)state;
	predictd_measure_case one = case_of("k", 1);
	predictd_measurement *got = NULL;
	assert_int_equal(predictd_measure("absent", &one, 1, 5, 0, NULL, NULL, &got),
	                 PREDICTD_NOT_FOUND);
	assert_string_equal(predictd_error_text(), "no device 'absent'");
	assert_null(got);
}

static void stop_at_the_second(size_t index, const predictd_measurement *measurement, void *context)
{
	size_t *done = context;
	assert_int_equal(measurement->status, PREDICTD_OK);
	++*done;
	if (index == 1)
		predictd_measure_stop();
}

static void what_is_stopped_keeps_what_was_measured(void **state)
{
	(void)state;
	predictd_measure_case cases[] = {case_of("k", 1), case_of("k", 2), case_of("sleep", 3),
	                                 case_of("k", 4)};
	predictd_measurement *got = NULL;
	size_t done = 0;
	predictd_measure_stop(); /* what has not begun is not meant */
	assert_int_equal(predictd_measure(NULL, cases, 4, 5, 0, stop_at_the_second, &done, &got),
	                 PREDICTD_OK);
	assert_int_equal(done, 2);
	assert_int_equal(got[0].status, PREDICTD_OK);
	assert_int_equal(got[1].status, PREDICTD_OK);
	assert_close(got[1].kernel_time_s, 2e-9, 1e-12);
	assert_int_equal(got[2].status, PREDICTD_CANCELLED);
	assert_string_equal(got[2].error, "interrupted");
	assert_int_equal(got[3].status, PREDICTD_CANCELLED);
	predictd_measurements_free(got, 4);
}

static void stop(int number)
{
	(void)number;
	predictd_measure_stop();
}

static void a_signal_stops_a_kernel_that_runs(void **state)
{
	(void)state;
	predictd_measure_case cases[] = {case_of("k", 1), case_of("sleep", 2), case_of("k", 3)};
	predictd_measurement *got = NULL;
	struct sigaction before, action = {.sa_handler = stop};
	assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
	(void)alarm(1);
	assert_int_equal(predictd_measure(NULL, cases, 3, 5, 0, NULL, NULL, &got), PREDICTD_OK);
	assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
	assert_int_equal(got[0].status, PREDICTD_OK);
	assert_int_equal(got[1].status, PREDICTD_CANCELLED);
	assert_int_equal(got[2].status, PREDICTD_CANCELLED);
	predictd_measurements_free(got, 3);
}

static void devices_are_found_without_a_daemon(void **state)
{
	(void)state;
	predictd_devices *devices = NULL;
	assert_int_equal(predictd_scan_devices(&devices), PREDICTD_OK);
	assert_int_equal(devices->count, 2);
	assert_string_equal(devices->devices[1].name, "Lame 1");
	assert_string_equal(devices->devices[1].failure, "no context");
	assert_int_equal(devices->devices[1].index, 1);
	predictd_devices_free(devices);
}

static void a_missing_calibrator_is_named(void **state)
{
	(void)state;
	predictd_devices *devices = NULL;
	assert_int_equal(setenv("PREDICTD_LIBEXECDIR", "/nowhere", 1), 0);
	assert_int_equal(predictd_scan_devices(&devices), PREDICTD_UNAVAILABLE);
	assert_non_null(strstr(predictd_error_text(), "/nowhere"));
	assert_int_equal(use_fake(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_case_is_measured_in_order),
	        cmocka_unit_test(a_kernel_that_crashes_takes_nobody_along),
	        cmocka_unit_test(a_kernel_that_hangs_costs_its_own_case_alone),
	        cmocka_unit_test(a_case_that_is_refused_fails_alone),
	        cmocka_unit_test(a_case_without_a_source_fails_alone),
	        cmocka_unit_test(a_device_that_is_not_there_fails_the_call),
	        cmocka_unit_test(what_is_stopped_keeps_what_was_measured),
	        cmocka_unit_test(a_signal_stops_a_kernel_that_runs),
	        cmocka_unit_test(devices_are_found_without_a_daemon),
	        cmocka_unit_test(a_missing_calibrator_is_named),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("measure", tests, use_fake, NULL);
}
