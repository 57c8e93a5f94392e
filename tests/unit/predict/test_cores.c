/* SPDX-License-Identifier: Apache-2.0 */
/* What the cores of a CPU do to each other, and what those without work do not. */
#include "tests/test.h"

#include "model/predict.h"
#include "tests/unit/predict/kernels.h"

#include <stdlib.h>
#include <string.h>

static struct prediction answer(const struct ir_kernel *kernel, const struct device *device,
                                const struct launch *launch)
{
	struct prediction prediction;
	struct error error = {0};

	memset(&prediction, 0, sizeof(prediction));
	if (predict(kernel, device, launch, NULL, &prediction, &error) != STATUS_OK)
		fail_msg("%s: %s", kernel->name, error.text);
	return prediction;
}

static double row_time(const struct prediction *prediction, const char *what)
{
	for (uint32_t i = 0; i < prediction->row_count; i++)
		if (strcmp(prediction->rows[i].what, what) == 0)
			return prediction->rows[i].time_s;
	return 0;
}

/* 1024 gathers from 64 MB, in work-groups of `group`. */
static double gather_time(const struct device *device, uint64_t group)
{
	struct ir_kernel *kernel = kernel_gather();
	struct launch launch = launch_1d(1 << 10, group);
	struct prediction p;

	launch_buffer(&launch, 64 << 20);
	launch_buffer(&launch, 4 << 10);
	launch_buffer(&launch, 4 << 10);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	return row_time(&p, "bytes from L3 cache");
}

static void lines_come_no_faster_because_other_cores_are_idle(void **state)
{
	struct device *device = device_cpu();
	double all, one;

	(void)state;
	device_set(device, coefficient_memory(MEMORY_L3, MEMORY_COLUMN_GATHER), 100e6);
	all = gather_time(device, 256);
	one = gather_time(device, 1 << 10);
	assert_true(all > 0);
	assert_close(one / all, 4, 0.05);
	free(device);
}

static double atomic_time(const struct device *device, struct ir_kernel *kernel)
{
	struct launch launch = launch_1d(1 << 20, 256);
	struct prediction p;

	launch_buffer(&launch, 4);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	return row_time(&p, "global atomic on a");
}

static void a_maximum_takes_two_turns_of_a_sum(void **state)
{
	struct device *device = device_cpu();

	(void)state;
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_SAME, 20e-9);
	assert_close(atomic_time(device, kernel_counter()), (1 << 20) * 20e-9, 1e-6);
	assert_close(atomic_time(device, kernel_greatest()), (1 << 20) * 40e-9, 1e-6);
	free(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(lines_come_no_faster_because_other_cores_are_idle),
	        cmocka_unit_test(a_maximum_takes_two_turns_of_a_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
