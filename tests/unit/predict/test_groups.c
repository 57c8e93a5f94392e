/* SPDX-License-Identifier: Apache-2.0 */
/* Places a few elements apart: loaded and stored whole by a CPU's vectors, or gathered. */
#include "tests/test.h"

#include <stdlib.h>

#include "tests/unit/predict/core.h"

static const double gather_s = 8e-9;

/* What a kernel's gathers and scatters take, in those of one access of all work-items. */
static double gathers_in(const char *source)
{
	struct device *device = core();
	double without_s, time_s;

	without_s = source_answer(source, device, ITEMS / 4, 256).kernel_time_s;
	device_set(device, COEFFICIENT_LOAD_GATHER, gather_s);
	device_set(device, COEFFICIENT_STORE_SCATTER, gather_s);
	device_set(device, COEFFICIENT_LOCAL_LOAD, gather_s);
	device_set(device, COEFFICIENT_LOCAL_STORE, gather_s);
	time_s = source_answer(source, device, ITEMS / 4, 256).kernel_time_s;
	free(device);
	return (time_s - without_s) / (all / 4 * gather_s);
}

#define GATHERS(n, source)                                                                         \
	do {                                                                                       \
		double got_ = gathers_in("kernel void f(global uchar *a, global uchar *b, int w)"  \
		                         "{ " source " }");                                        \
		if (!(got_ > (n) - 0.2 && got_ < (n) + 0.2))                                       \
			fail_msg("%s: want %g gathers, have %g", source, (double)(n), got_);       \
	} while (0)

static void neighbours_in_groups_are_loaded_and_stored_whole(void **state)
{
	(void)state;
	GATHERS(0, "size_t i = get_global_id(0); a[i] = b[2 * i] ^ b[2 * i + 1];");
	GATHERS(0, "int i = get_global_id(0), p = 3 * i; a[i] = b[p] ^ b[p + 1] ^ b[p + 2];");
	GATHERS(0,
	        "int i = get_global_id(0); uchar v = b[i]; a[2 * i] = v; a[2 * i + 1] = v >> 4;");
}

static void loads_leave_gaps_where_positions_do_not_wrap(void **state)
{
	(void)state;
	GATHERS(0, "size_t i = get_global_id(0); a[i] = b[3 * i];");
	GATHERS(1, "uint i = get_global_id(0); a[i] = b[3 * i];");
	GATHERS(0, "int i = get_global_id(0); a[i] = b[2 * i];");
}

static void stores_leave_none(void **state)
{
	(void)state;
	GATHERS(1, "size_t i = get_global_id(0); a[2 * i] = b[i];");
}

static void a_step_beyond_eight_elements_or_that_nobody_knows_is_gathered(void **state)
{
	(void)state;
	GATHERS(1, "size_t i = get_global_id(0); a[i] = b[16 * i];");
	GATHERS(2, "size_t i = get_global_id(0); a[i] = b[w * i] ^ b[w * i + 1];");
}

static void ints_are_one_apart_where_low_bits_show_that_nothing_wraps(void **state)
{
	(void)state;
	GATHERS(3, "int p = (w + get_global_id(0)) * 3; a[get_global_id(0)] = b[p] ^ b[p + 1] ^ "
	           "b[p + 2];");
}

static void a_sum_that_something_else_needs_stays_readable(void **state)
{
	(void)state;
	GATHERS(1, "int i = get_global_id(0); a[i] = b[i + 3];");
	GATHERS(0, "int i = get_global_id(0); a[i] = i + 3 < w ? b[i + 3] : b[i];");
}

/* Whether work-items run one by one, with loads of their own. */
static bool is_scalar(const char *source)
{
	struct device *device = core();
	bool result;

	device_set(device, COEFFICIENT_LOAD_SCALAR, 1e-7);
	result = source_answer(source, device, ITEMS / 4, 256).kernel_time_s > all / 4 * 1e-7;
	free(device);
	return result;
}

#define STORES(body)                                                                               \
	is_scalar("kernel void f(global uchar *a, global const int *b, global int *c)"             \
	          "{ size_t i = get_global_id(0); int v = b[i]; " body " }")

static void numbers_reckoned_alike_and_stored_side_by_side_leave_no_lanes(void **state)
{
	(void)state;
	assert_true(STORES("c[3 * i] = v; c[3 * i + 1] = v + 1; c[3 * i + 2] = v + 2;"));
	assert_true(STORES("int w = b[i + 9]; a[4 * i] = clamp(v + w, 0, 255);"
	                   "a[4 * i + 1] = clamp(v - w, 0, 255);"
	                   "a[4 * i + 2] = clamp(v + w * 3, 0, 255);"
	                   "a[4 * i + 3] = clamp(v - w * 3, 0, 255);"));
	/* different ones, or bytes that do not fill a word */
	assert_false(STORES("c[2 * i] = v; c[2 * i + 1] = v + 1;"));
	assert_false(STORES("a[3 * i] = v; a[3 * i + 1] = v + 1; a[3 * i + 2] = v + 2;"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(neighbours_in_groups_are_loaded_and_stored_whole),
	        cmocka_unit_test(loads_leave_gaps_where_positions_do_not_wrap),
	        cmocka_unit_test(stores_leave_none),
	        cmocka_unit_test(a_step_beyond_eight_elements_or_that_nobody_knows_is_gathered),
	        cmocka_unit_test(ints_are_one_apart_where_low_bits_show_that_nothing_wraps),
	        cmocka_unit_test(numbers_reckoned_alike_and_stored_side_by_side_leave_no_lanes),
	        cmocka_unit_test(a_sum_that_something_else_needs_stays_readable),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("groups", tests, NULL, NULL);
}
