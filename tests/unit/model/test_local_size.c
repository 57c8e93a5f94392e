/* SPDX-License-Identifier: Apache-2.0 */
/* Work-group sizes that runtimes choose, as they were seen to. */
#include "tests/test.h"

#include "model/device/local_size.h"

#include <stdlib.h>
#include <string.h>

static struct device *device_of(const char *platform, uint8_t type, uint32_t units, uint64_t items)
{
	struct device *device = calloc(1, sizeof *device);
	assert_non_null(device);
	(void)strcpy(device->platform, platform);
	device->type = type;
	device->compute_units = units;
	device->max_group_items = items;
	for (unsigned d = 0; d < 3; d++)
		device->max_item_sizes[d] = items;
	return device;
}

/* get_local_size() of a kernel launched with local NULL, PoCL 3.1: `basic`, of one unit, and
 * `pthread` with two. */
static void pocl_makes_groups_as_large_as_may_be_and_one_a_unit(void **state)
{
	static const struct {
		uint64_t global[3], one[3], two[3];
	} seen[] = {
	        {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}},
	        {{7, 1, 1}, {7, 1, 1}, {7, 1, 1}},
	        {{64, 1, 1}, {64, 1, 1}, {32, 1, 1}},
	        {{1000, 1, 1}, {1000, 1, 1}, {1000, 1, 1}},
	        {{1024, 1, 1}, {1024, 1, 1}, {512, 1, 1}},
	        {{4096, 1, 1}, {4096, 1, 1}, {2048, 1, 1}},
	        {{4097, 1, 1}, {241, 1, 1}, {241, 1, 1}},
	        {{10007, 1, 1}, {1, 1, 1}, {1, 1, 1}},
	        {{33800, 1, 1}, {2600, 1, 1}, {2600, 1, 1}},
	        {{65536, 1, 1}, {4096, 1, 1}, {4096, 1, 1}},
	        {{100000, 1, 1}, {4000, 1, 1}, {4000, 1, 1}},
	        {{64, 64, 1}, {64, 64, 1}, {64, 32, 1}},
	        {{1000, 1000, 1}, {1000, 1, 1}, {1000, 1, 1}},
	        {{512, 512, 1}, {512, 8, 1}, {512, 8, 1}},
	        {{1024, 768, 1}, {128, 24, 1}, {128, 24, 1}},
	        {{33, 65, 1}, {33, 65, 1}, {33, 65, 1}},
	        {{100, 100, 1}, {100, 1, 1}, {100, 1, 1}},
	        {{64, 64, 64}, {64, 8, 8}, {64, 8, 8}},
	        {{16, 16, 3}, {16, 16, 3}, {16, 8, 3}},
	        {{4096, 2, 1}, {2048, 2, 1}, {2048, 2, 1}},
	        {{5000, 3, 1}, {1000, 3, 1}, {1000, 3, 1}},
	};
	struct device *one = device_of("Portable Computing Language", DEVICE_CPU, 1, 4096);
	struct device *two = device_of("Portable Computing Language", DEVICE_CPU, 2, 4096);

	(void)state;
	for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
		uint64_t local[3];
		local_size_assume(one, seen[i].global, local);
		assert_memory_equal(local, seen[i].one, sizeof local);
		local_size_assume(two, seen[i].global, local);
		assert_memory_equal(local, seen[i].two, sizeof local);
	}
	free(one);
	free(two);
}

static void others_are_taken_to_like_powers_of_two(void **state)
{
	const uint64_t even[3] = {1536, 4, 1}, odd[3] = {1000, 1, 1};
	struct device *gpu = device_of("NVIDIA CUDA", DEVICE_GPU, 132, 1024);
	uint64_t local[3];

	(void)state;
	local_size_assume(gpu, even, local);
	assert_int_equal(local[0], 256);
	assert_int_equal(local[1], 1);
	local_size_assume(NULL, odd, local);
	assert_int_equal(local[0], 8);
	gpu->max_item_sizes[0] = 64;
	local_size_assume(gpu, even, local);
	assert_int_equal(local[0], 64);
	free(gpu);
}

/* Whatever a calibration says of its device: sizes divide, are within limits, and are there soon.
 */
static void sizes_divide_and_keep_to_limits(void **state)
{
	static const uint64_t globals[] = {
	        1, 2, 3, 31, 48, 4099, 65537, 1 << 20, (UINT64_C(1) << 40) + 15};
	static const uint64_t limits[] = {1, 3, 7, 100, 4096, UINT64_C(1) << 40};
	enum {
		GLOBALS = sizeof globals / sizeof *globals,
		LIMITS = sizeof limits / sizeof *limits
	};

	(void)state;
	for (size_t i = 0; i < GLOBALS * 9 * LIMITS * 3; i++) {
		const uint64_t global[3] = {globals[i % GLOBALS], globals[i / GLOBALS % 3],
		                            globals[i / GLOBALS / 3 % 3]};
		const uint64_t limit = limits[i / GLOBALS / 9 % LIMITS];
		struct device *device =
		        device_of("Portable Computing Language", DEVICE_CPU,
		                  (uint32_t)(i / GLOBALS / 9 / LIMITS * 100), limit);
		uint64_t local[3];
		device->max_item_sizes[1] = 2;
		local_size_assume(device, global, local);
		for (unsigned d = 0; d < 3; d++) {
			assert_true(local[d] >= 1 && local[d] <= device->max_item_sizes[d]);
			assert_int_equal(global[d] % local[d], 0);
		}
		assert_true(local[0] * local[1] * local[2] <= limit);
		free(device);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(pocl_makes_groups_as_large_as_may_be_and_one_a_unit),
	        cmocka_unit_test(others_are_taken_to_like_powers_of_two),
	        cmocka_unit_test(sizes_divide_and_keep_to_limits),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("local_size", tests, NULL, NULL);
}
