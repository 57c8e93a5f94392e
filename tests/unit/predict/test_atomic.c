/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics on a GPU: what is added up first, and who waits for whom. */
#include "tests/test.h"

#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS 1048576
#define WARPS (ITEMS / 32)

/* 1 ns a turn; 32 neighbours take four; 1 KB in two slices, 16 KB in eight, all in 25. */
static struct device *device_with_atomics(void)
{
	struct device *device = device_gpu();

	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_SAME, 1e-9);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_KNOWN, 1e-9 / 32);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_32, 1e-9 / 8);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_256, 1e-9 / 8 / 2);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_4096, 1e-9 / 8 / 8);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_SPREAD, 1e-9 / 8 / 25);
	device_set(device, COEFFICIENT_ATOMIC_LOCAL_SAME, 32e-13);
	device_set(device, COEFFICIENT_ATOMIC_LOCAL_SPREAD, 1e-13);
	return device;
}

/* The time of the atomic alone; takes the kernel. */
static double atomic_time(struct ir_kernel *kernel, const struct device *device,
                          const struct launch *launch)
{
	struct prediction p = answer(kernel, device, launch);

	kernel_free(kernel);
	for (uint32_t i = 0; i < p.row_count; i++)
		if (strstr(p.rows[i].what, " atomic on ") != NULL)
			return p.rows[i].time_s;
	fail_msg("no atomic");
	return 0;
}

static double time_of(struct ir_kernel *kernel, const struct device *device, uint64_t mask)
{
	struct launch launch = launch_1d(ITEMS, 256);

	launch_buffer(&launch, 4 * (mask + 1));
	launch_integer(&launch, SCALAR_ULONG, (int64_t)mask);
	return atomic_time(kernel, device, &launch);
}

static double masked_time(const struct device *device, uint64_t mask)
{
	return time_of(kernel_masked_counter(), device, mask);
}

static void a_warp_adds_up_what_goes_to_a_known_address(void **state)
{
	struct device *device = device_with_atomics();
	struct launch launch = launch_1d(ITEMS, 256);

	(void)state;
	launch_buffer(&launch, 4);
	assert_close(atomic_time(kernel_counter(), device, &launch), WARPS * 1e-9, 0.01);
	/* an exchange cannot be added up, nor does every compiler do it */
	assert_close(atomic_time(kernel_exchange(), device, &launch), ITEMS * 1e-9, 0.01);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_KNOWN, 1e-9);
	assert_close(atomic_time(kernel_counter(), device, &launch), ITEMS * 1e-9, 0.01);
	free(device);
}

static void lanes_on_one_address_take_turns(void **state)
{
	struct device *device = device_with_atomics();

	(void)state;
	assert_close(masked_time(device, 0), ITEMS * 1e-9, 0.01);
	assert_close(masked_time(device, 1), WARPS * 16e-9, 0.01);
	free(device);
}

static void few_lines_lie_in_few_slices(void **state)
{
	struct device *device = device_with_atomics();

	(void)state;
	assert_close(masked_time(device, 31), WARPS * 4e-9, 0.01);
	assert_close(masked_time(device, 255), WARPS * 4e-9 / 2, 0.01);
	assert_close(masked_time(device, 4095), WARPS * 4e-9 / 8, 0.01);
	assert_close(masked_time(device, ITEMS - 1), WARPS * 4e-9 / 25, 0.01);
	/* between the calibrated ones: a power of the distance */
	assert_close(masked_time(device, 1023), WARPS * 4e-9 / 4, 0.01);
	free(device);
}

static void an_older_calibration_says_how_many_slices_there_are(void **state)
{
	struct device *device = device_gpu();

	(void)state;
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_SPREAD, 1e-9 / 8 / 25);
	assert_close(masked_time(device, 31), WARPS * 4e-9, 0.01);
	assert_close(masked_time(device, ITEMS - 1), WARPS * 4e-9 / 25, 0.01);
	assert_true(masked_time(device, 4095) < WARPS * 4e-9 / 2);
	assert_true(masked_time(device, 4095) > WARPS * 4e-9 / 25);
	free(device);
}

static void a_calibration_that_says_nothing_costs_a_number(void **state)
{
	struct device *device = device_with_atomics();

	(void)state;
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_SAME, 0);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_KNOWN, 0);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_32, 0);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_SPREAD, 0);
	for (uint64_t mask = 0; mask < 4096; mask = 2 * mask + 1)
		assert_true(isfinite(masked_time(device, mask)));
	free(device);
}

static void local_lanes_wait_for_their_bank(void **state)
{
	struct device *device = device_with_atomics();
	struct launch launch = launch_1d(ITEMS, 256);

	(void)state;
	launch_integer(&launch, SCALAR_ULONG, 255);
	assert_close(atomic_time(kernel_local_counter(), device, &launch), ITEMS * 1e-13, 0.05);
	launch.arguments[0].value.integer[0] = 3;
	assert_close(atomic_time(kernel_local_counter(), device, &launch), ITEMS * 8e-13, 0.05);
	free(device);
}

/* A GPU's atomics are served where its units meet: nothing moves into their own caches. */
static void what_atomics_move_is_counted_once(void **state)
{
	struct device *device = device_with_atomics();
	struct ir_kernel *kernel = kernel_histogram();
	struct launch launch = launch_1d(ITEMS, 256);
	struct prediction p;

	(void)state;
	launch_buffer(&launch, 1 << 20);
	launch_buffer(&launch, 4 * ITEMS);
	p = answer(kernel, device, &launch);
	/* of the indices alone */
	assert_close(row_count(&p, "bytes from L2 cache"), 4, 0.1);
	kernel_free(kernel);
	free(device);
}

static void what_repeats_an_exchange_tries_as_often_as_others_contend(void **state)
{
	struct device *device = device_with_atomics();
	double under_way = 10 * 2048;

	(void)state;
	/* with an address each at once, as any atomic */
	assert_close(time_of(kernel_retry(), device, ITEMS - 1), masked_time(device, ITEMS - 1),
	             0.01);
	assert_close(time_of(kernel_retry(), device, 255),
	             masked_time(device, 255) * under_way / 256 / 4, 0.01);
	free(device);
}

/* One warp in 8, and in 32: not as many as the sample happens to have. */
static void one_atomic_a_work_group_counts_work_groups(void **state)
{
	struct device *device = device_with_atomics();

	(void)state;
	for (uint64_t group = 64; group <= 1024; group *= 2) {
		struct launch launch = launch_1d(ITEMS, group);

		launch_buffer(&launch, 4);
		assert_close(atomic_time(kernel_group_counter(), device, &launch),
		             (double)(ITEMS / group) * 1e-9, 0.01);
	}
	free(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_warp_adds_up_what_goes_to_a_known_address),
	        cmocka_unit_test(lanes_on_one_address_take_turns),
	        cmocka_unit_test(few_lines_lie_in_few_slices),
	        cmocka_unit_test(an_older_calibration_says_how_many_slices_there_are),
	        cmocka_unit_test(a_calibration_that_says_nothing_costs_a_number),
	        cmocka_unit_test(local_lanes_wait_for_their_bank),
	        cmocka_unit_test(what_atomics_move_is_counted_once),
	        cmocka_unit_test(what_repeats_an_exchange_tries_as_often_as_others_contend),
	        cmocka_unit_test(one_atomic_a_work_group_counts_work_groups),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
