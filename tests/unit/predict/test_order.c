/* SPDX-License-Identifier: Apache-2.0 */
/* Work-items that read what others of a CPU's vector write. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/predict/core.h"

static bool is_in_order_of(const char *type, const char *body, int64_t n)
{
	char source[512];
	struct device *device = core();
	struct launch launch = launch_1d(ITEMS, 256);
	struct ir_kernel *kernel;
	struct prediction p;

	(void)snprintf(source, sizeof source,
	               "kernel void f(global %s *a, global %s *b, int n)"
	               "{ size_t i = get_global_id(0); %s }",
	               type, type, body);
	kernel = analyse(source, "");
	launch_buffer(&launch, ITEMS * 8 + 8192);
	launch_buffer(&launch, ITEMS * 8 + 8192);
	launch_integer(&launch, SCALAR_INT, n);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return strstr(p.note, "its neighbour writes") != NULL;
}

static bool is_in_order(const char *body)
{
	return is_in_order_of("float", body, WIDTH);
}

/* Each as PoCL 3.1 has it on Zen 4: 33 us where it is one by one, 7 to 10 where it is vectors. */
static void what_a_neighbour_wrote_is_read_one_by_one(void **state)
{
	(void)state;
	assert_true(is_in_order("a[i + 1] = a[i] * 2 + 1;"));
	assert_true(is_in_order("a[i + 2] = a[i] * 2 + 1;"));
	assert_true(is_in_order("a[i + 7] = a[i] * 2 + 1;"));
	assert_true(is_in_order("a[i + 256] = a[i] + a[i + 255];"));
	assert_true(is_in_order("a[2 * i + 2] = a[2 * i] * 2 + 1;"));
	assert_true(is_in_order("a[i] = b[i]; b[i] = a[i + 1] * 2;"));
	assert_true(is_in_order("if (i > 0) a[i] = a[i + 1] * 2 + a[i - 1];"));
}

static void what_is_written_later_or_far_behind_is_no_obstacle(void **state)
{
	(void)state;
	assert_false(is_in_order("a[i] = a[i] * 2 + 1;"));
	assert_false(is_in_order("a[i] = a[i + 1] * 2 + 1;"));
	assert_false(is_in_order("a[i + 8] = a[i] * 2 + 1;"));
	assert_false(is_in_order("a[i + 64] = a[i] * 2 + 1;"));
	assert_false(is_in_order("b[i + 1] = a[i] * 2 + a[i + 2];"));
	assert_false(is_in_order_of("double", "a[i + 8] = a[i] * 2 + 1;", WIDTH));
	assert_false(is_in_order_of("char", "a[i + 8] = a[i] * 2 + 1;", WIDTH));
}

static void what_an_argument_says_is_checked_before_the_loop(void **state)
{
	(void)state;
	assert_true(is_in_order_of("float", "a[i + 400] = a[i + 400 + n] * 2 + 1;", -4));
	assert_true(is_in_order_of("float", "a[i + 400] = a[i + 400 + n] * 2 + 1;", -20));
	assert_false(is_in_order_of("float", "a[i + 400] = a[i + 400 + n] * 2 + 1;", -100));
	assert_false(is_in_order_of("float", "a[i + 400] = a[i + 400 + n] * 2 + 1;", -300));
	assert_false(is_in_order_of("float", "a[i + 400] = a[i + 400 + n] * 2 + 1;", 8));
	assert_false(is_in_order_of("float", "b[i + 400] = a[i + 400 + n] * 2 + 1;", -4));
}

static void what_runs_one_by_one_takes_as_long_as_scalars_do(void **state)
{
	struct device *device = core();
	struct prediction apart, chained;

	(void)state;
	device_set(device, COEFFICIENT_LOAD_SCALAR, 2e-10);
	apart = source_answer("kernel void f(global float *a, global float *b)"
	                      "{ size_t i = get_global_id(0); b[i] = a[i] + a[i + 1]; }",
	                      device, ITEMS, 64);
	chained = source_answer("kernel void f(global float *a, global float *b)"
	                        "{ size_t i = get_global_id(0); a[i + 1] = a[i] + b[i + 1]; }",
	                        device, ITEMS, 64);
	assert_true(rows_time(&chained, "coalesced read") >
	            3 * rows_time(&apart, "coalesced read"));
	free(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_a_neighbour_wrote_is_read_one_by_one),
	        cmocka_unit_test(what_is_written_later_or_far_behind_is_no_obstacle),
	        cmocka_unit_test(what_an_argument_says_is_checked_before_the_loop),
	        cmocka_unit_test(what_runs_one_by_one_takes_as_long_as_scalars_do),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
