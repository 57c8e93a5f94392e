/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include "daemon/calibrator/repeats.h"

static struct repeats repeats;

static void fill(const double *values, size_t count)
{
	repeats.count = 0;
	for (size_t i = 0; i < count; i++)
		repeats_add(&repeats, values[i]);
}

static void quantiles_interpolate_between_values(void **state)
{
	(void)state;
	const double values[] = {4, 1, 3, 2};
	fill(values, 4);
	assert_close(repeats_quantile(&repeats, 0), 1, 1e-12);
	assert_close(repeats_quantile(&repeats, 0.5), 2.5, 1e-12);
	assert_close(repeats_quantile(&repeats, 0.9), 3.7, 1e-12);
	assert_close(repeats_quantile(&repeats, 1), 4, 1e-12);
	assert_close(repeats_mean(&repeats), 2.5, 1e-12);
	assert_close(repeats_minimum(&repeats), 1, 1e-12);
}

static void of_no_repeats_all_is_zero_and_of_no_certainty(void **state)
{
	(void)state;
	repeats.count = 0;
	assert_close(repeats_quantile(&repeats, 0.5), 0, 0);
	assert_close(repeats_mean(&repeats), 0, 0);
	assert_close(repeats_standard_error(&repeats), 1, 0);
	assert_close(repeats_spread(&repeats), 0, 0);
}

static void one_wild_value_moves_neither_median_nor_error(void **state)
{
	(void)state;
	double values[21];
	for (int i = 0; i < 21; i++)
		values[i] = 100 + i % 3; /* 100, 101, 102 */
	fill(values, 21);
	double before = repeats_standard_error(&repeats);
	values[20] = 1e6;
	fill(values, 21);
	assert_close(repeats_quantile(&repeats, 0.5), 101, 1e-12);
	assert_close(repeats_standard_error(&repeats), before, 1e-9);
	assert_true(before > 0 && before < 0.01);
}

static void the_error_falls_with_the_root_of_the_count(void **state)
{
	(void)state;
	double values[400];
	for (int i = 0; i < 400; i++)
		values[i] = 10 + i % 5;
	fill(values, 100);
	double few = repeats_standard_error(&repeats);
	fill(values, 400);
	assert_close(repeats_standard_error(&repeats), few / 2, 1e-9);
}

static void the_spread_is_half_the_middle_half(void **state)
{
	(void)state;
	const double values[] = {8, 9, 10, 11, 12};
	fill(values, 5);
	assert_close(repeats_spread(&repeats), 0.1, 1e-12);
}

static void a_full_list_keeps_what_it_has(void **state)
{
	(void)state;
	repeats.count = 0;
	for (int i = 0; i < REPEATS_MAX + 10; i++)
		repeats_add(&repeats, 7);
	assert_int_equal(repeats.count, REPEATS_MAX);
}

/* Normal values, by their quantiles. */
static void quiet_repeats_are_all_kept(void **state)
{
	static const double normal[] = {-1.96, -1.44, -1.15, -0.93, -0.76, -0.6, -0.45,
	                                -0.32, -0.19, -0.06, 0.06,  0.19,  0.32, 0.45,
	                                0.6,   0.76,  0.93,  1.15,  1.44,  1.96};
	(void)state;
	for (double deviation = 0.01; deviation < 0.3; deviation *= 2) {
		struct repeats quiet;
		repeats.count = 0;
		for (size_t i = 0; i < sizeof normal / sizeof *normal; i++)
			repeats_add(&repeats, 1 + deviation * normal[i]);
		repeats_quiet(&repeats, &quiet);
		assert_int_equal(quiet.count, repeats.count);
		assert_close(repeats_quantile(&quiet, 0.5), 1, 1e-9);
	}
}

/* Others that come and go make two of three repeats longer. */
static void of_repeats_in_two_states_the_shorter_count(void **state)
{
	struct repeats quiet;
	(void)state;
	repeats.count = 0;
	for (int i = 0; i < 30; i++)
		repeats_add(&repeats, (i % 3 == 0 ? 1 : 1.6) + 0.001 * i);
	repeats_quiet(&repeats, &quiet);
	assert_int_equal(quiet.count, 10);
	assert_close(repeats_quantile(&quiet, 0.5), 1.0135, 1e-9);
	/* in place as well, and no further the second time */
	repeats_quiet(&repeats, &repeats);
	repeats_quiet(&repeats, &repeats);
	assert_int_equal(repeats.count, 10);
	repeats.count = 0;
	repeats_quiet(&repeats, &quiet);
	assert_int_equal(quiet.count, 0);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(quantiles_interpolate_between_values),
	        cmocka_unit_test(of_no_repeats_all_is_zero_and_of_no_certainty),
	        cmocka_unit_test(one_wild_value_moves_neither_median_nor_error),
	        cmocka_unit_test(the_error_falls_with_the_root_of_the_count),
	        cmocka_unit_test(the_spread_is_half_the_middle_half),
	        cmocka_unit_test(a_full_list_keeps_what_it_has),
	        cmocka_unit_test(quiet_repeats_are_all_kept),
	        cmocka_unit_test(of_repeats_in_two_states_the_shorter_count),
	};
	return cmocka_run_group_tests_name("repeats", tests, NULL, NULL);
}
