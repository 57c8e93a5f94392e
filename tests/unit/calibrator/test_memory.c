/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include "daemon/calibrator/memory.h"

#define MEBI 1048576u

static void a_window_is_whole_quanta_and_one_at_least(void **state)
{
	(void)state;
	assert_int_equal(memory_window_bytes(10000, 2, MEBI, 256), 9984);
	assert_int_equal(memory_window_bytes(256, 2, MEBI, 256), 256);
	assert_int_equal(memory_window_bytes(1, 2, MEBI, 256), 256);
}

/* A cache of 300 MiB that 16 units share: 0.85 of it for each is more than the data have. */
static void windows_of_many_units_stay_inside_the_data(void **state)
{
	(void)state;
	size_t data = 800 * (size_t)MEBI, window = memory_window_bytes(255.0 * MEBI, 16, data, 256);
	assert_true(16 * window <= data);
	assert_true(16 * (window + 256) > data);
	assert_int_equal(memory_window_bytes(255.0 * MEBI, 1, data, 256), 255 * MEBI);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_window_is_whole_quanta_and_one_at_least),
	        cmocka_unit_test(windows_of_many_units_stay_inside_the_data),
	};
	return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
