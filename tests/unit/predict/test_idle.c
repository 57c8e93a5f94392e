/* SPDX-License-Identifier: Apache-2.0 */
/* Launches on a device that has had nothing to do for a while. */
#include "tests/test.h"

#include "model/correction/correction.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Threads that sleep deeper: a launch begins late, and its units come later still. */
static void device_sleeps(struct device *device)
{
	device_set(device, COEFFICIENT_SPREAD, 0);
	device_set(device, COEFFICIENT_JOIN, 1e-6);
	device_set(device, COEFFICIENT_IDLE_10US_BASE, 12e-6);
	device_set(device, COEFFICIENT_IDLE_1MS_BASE, 20e-6);
	device_set(device, COEFFICIENT_IDLE_100MS_BASE, 60e-6);
	device_set(device, COEFFICIENT_IDLE_100MS_JOIN, 30e-6);
	device_set(device, COEFFICIENT_IDLE_100MS_SPREAD, 30e-6);
	device_set(device, COEFFICIENT_IDLE_100MS_ENQUEUE, 80e-6);
}

static void a_device_that_slept_takes_longer_for_a_launch(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch one = launch_1d(64, 64), few = launch_1d(256, 64);
	struct prediction now, then;

	(void)state;
	for (int i = 0; i < 3; i++) {
		launch_buffer(&one, 1024);
		launch_buffer(&few, 1024);
	}
	device_sleeps(device);
	now = answer(kernel, device, &one);
	one.idle_s = 1e-3;
	then = answer(kernel, device, &one);
	assert_close(then.kernel_time_s - now.kernel_time_s, 10e-6, 1e-6);
	one.idle_s = 0.1;
	then = answer(kernel, device, &one);
	assert_close(then.kernel_time_s - now.kernel_time_s, 50e-6, 1e-6);
	assert_close(then.launch_time_s, 80e-6, 1e-9);
	/* on every unit, what they take to come */
	few.idle_s = 0.1;
	assert_close(answer(kernel, device, &few).kernel_time_s - then.kernel_time_s, 30e-6, 0.05);
	kernel_free(kernel);
	free(device);
}

static void the_interval_of_an_unknown_state_holds_all_of_them(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch launch = launch_1d(64, 64);
	struct prediction unknown, plain, known;
	double wide;

	(void)state;
	for (int i = 0; i < 3; i++)
		launch_buffer(&launch, 1024);
	plain = answer(kernel, device, &launch);
	device_sleeps(device);
	unknown = answer(kernel, device, &launch);
	/* downwards no state is shorter */
	assert_close(unknown.low_s, plain.low_s, 1e-6);
	wide = log(unknown.high_s / unknown.low_s);
	for (unsigned i = 0; i < IDLE_STATE_COUNT; i++) {
		launch.idle_s = idle_state_s((enum idle_state)i);
		known = answer(kernel, device, &launch);
		assert_true(unknown.low_s <= known.kernel_time_s);
		assert_true(known.kernel_time_s < unknown.high_s);
		assert_true(log(known.high_s / known.low_s) < 0.8 * wide);
	}
	assert_close(unknown.high_s / known.kernel_time_s, plain.high_s / plain.kernel_time_s,
	             1e-3);
	kernel_free(kernel);
	free(device);
}

static void set_error(struct device *device, enum idle_state state, double standard_error)
{
	device->coefficient[coefficient_idle(state, IDLE_BASE)].standard_error = standard_error;
}

/* 31 launches after a millisecond, whose median is 3 % unsure: each is 13.9 % from another. */
static void the_interval_of_a_said_pause_is_as_wide_as_launches_were_apart(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch launch = launch_1d(64, 64);
	struct prediction sure, unsure, others;
	double sd = 0.03 * sqrt(31) / 1.2533 * sqrt(1 + 1 / 31.0), share;

	(void)state;
	for (int i = 0; i < 3; i++)
		launch_buffer(&launch, 1024);
	device_sleeps(device);
	for (unsigned i = 0; i < IDLE_STATE_COUNT; i++)
		set_error(device, (enum idle_state)i, 0);
	launch.idle_s = 1e-3;
	sure = answer(kernel, device, &launch);
	assert_close((double)sure.state_sd, 0, 1e-9);
	set_error(device, IDLE_1MS, 0.03);
	unsure = answer(kernel, device, &launch);
	share = (double)unsure.elasticity[BOTTLENECK_LAUNCH];
	assert_true(share > 0.5);
	/* of 30 degrees of freedom, 1.697 instead of 1.645 */
	assert_close((double)unsure.state_sd, share * sd * 1.697 / 1.645, 1e-3);
	assert_close(unsure.kernel_time_s, sure.kernel_time_s, 1e-9);
	assert_true(unsure.high_s > 1.02 * sure.high_s && unsure.low_s < 0.98 * sure.low_s);
	/* between two states as in the worse one, and of no state beyond */
	launch.idle_s = 1e-2;
	assert_true((double)answer(kernel, device, &launch).state_sd > 0.1);
	launch.idle_s = 0.1;
	assert_close((double)answer(kernel, device, &launch).state_sd, 0, 1e-9);
	/* what others did to all of these launches is not what tells them apart */
	launch.idle_s = 1e-3;
	device_set(device, COEFFICIENT_OTHERS_SHARE, 0.1);
	others = answer(kernel, device, &launch);
	assert_true(others.state_sd < unsure.state_sd);
	kernel_free(kernel);
	free(device);
}

static void the_interval_of_a_long_launch_hardly_follows_the_state(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch launch = launch_1d(1 << 24, 256);
	struct prediction plain, unknown;

	(void)state;
	for (int i = 0; i < 3; i++)
		launch_buffer(&launch, 4 << 24);
	plain = answer(kernel, device, &launch);
	device_sleeps(device);
	unknown = answer(kernel, device, &launch);
	assert_close(unknown.high_s, plain.high_s, 0.05);
	kernel_free(kernel);
	free(device);
}

/* Of the same launch, and of the same numbers: a state is no part of what corrections learn. */
static void a_description_leaves_the_states_out(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch launch = launch_1d(64, 64);
	struct correction_launch plain, unknown;
	struct prediction p;

	(void)state;
	for (int i = 0; i < 3; i++)
		launch_buffer(&launch, 1024);
	device_set(device, COEFFICIENT_JOIN, 1e-6);
	p = answer(kernel, device, &launch);
	correction_describe(1, &p, 64, &plain);
	device_sleeps(device);
	p = answer(kernel, device, &launch);
	correction_describe(1, &p, 64, &unknown);
	assert_close((double)unknown.static_sd, (double)plain.static_sd, 1e-5);
	kernel_free(kernel);
	free(device);
}

static void a_fallback_follows_the_state_too(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch launch = launch_1d(64, 64);
	struct prediction now, then;

	(void)state;
	for (int i = 0; i < 3; i++)
		launch_buffer(&launch, 1024);
	(void)snprintf(kernel->unsupported, sizeof kernel->unsupported, "recursion");
	device_sleeps(device);
	now = answer(kernel, device, &launch);
	launch.idle_s = 0.1;
	then = answer(kernel, device, &launch);
	assert_int_equal(then.basis, BASIS_FALLBACK);
	assert_close(then.kernel_time_s - now.kernel_time_s, 50e-6, 1e-6);
	assert_true(now.high_s > then.kernel_time_s);
	kernel_free(kernel);
	free(device);
}

static void a_pause_that_is_no_time_is_refused(void **state)
{
	const double wrong_s[] = {-1e-9, 2e6, (double)NAN, (double)INFINITY};
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch launch = launch_1d(64, 64);
	struct prediction prediction;
	struct error error;

	(void)state;
	for (int i = 0; i < 3; i++)
		launch_buffer(&launch, 1024);
	for (size_t i = 0; i < sizeof wrong_s / sizeof *wrong_s; i++) {
		launch.idle_s = wrong_s[i];
		assert_int_equal(predict(kernel, device, &launch, NULL, &prediction, &error),
		                 STATUS_INVALID);
		assert_non_null(strstr(error.text, "idle time: want 0 to 1e+06 s"));
	}
	kernel_free(kernel);
	free(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_device_that_slept_takes_longer_for_a_launch),
	        cmocka_unit_test(the_interval_of_an_unknown_state_holds_all_of_them),
	        cmocka_unit_test(the_interval_of_a_said_pause_is_as_wide_as_launches_were_apart),
	        cmocka_unit_test(the_interval_of_a_long_launch_hardly_follows_the_state),
	        cmocka_unit_test(a_description_leaves_the_states_out),
	        cmocka_unit_test(a_fallback_follows_the_state_too),
	        cmocka_unit_test(a_pause_that_is_no_time_is_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("idle", tests, NULL, NULL);
}
