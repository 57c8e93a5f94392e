/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics against numbers reckoned by hand. */
#include "tests/test.h"

#include "client/predictctl/statistics.h"

static void spearman_of_an_order_is_one(void **state)
{
	(void)state;
	const double x[] = {1, 2, 3, 4, 5}, up[] = {1, 10, 100, 1000, 1e4},
	             down[] = {5, 4, 3, 2, 1};
	double result;
	assert_true(spearman(x, up, 5, &result));
	assert_close(result, 1, 1e-12);
	assert_true(spearman(x, down, 5, &result));
	assert_close(result, -1, 1e-12);
}

static void spearman_gives_ties_their_mean_rank(void **state)
{
	(void)state;
	/* ranks of x 1 2.5 2.5 4, of y 1 2 3 4: 4.5 / sqrt(4.5 * 5) */
	const double x[] = {1, 2, 2, 3}, y[] = {1, 2, 3, 4};
	double result;
	assert_true(spearman(x, y, 4, &result));
	assert_close(result, 4.5 / sqrt(22.5), 1e-12);
}

static void spearman_of_a_known_example(void **state)
{
	(void)state;
	/* the textbook's ten pairs of IQ and hours: 1 - 6 * 194 / (10 * 99) */
	const double x[] = {106, 86, 100, 101, 99, 103, 97, 113, 112, 110},
	             y[] = {7, 0, 27, 50, 28, 29, 20, 12, 6, 17};
	double result;
	assert_true(spearman(x, y, 10, &result));
	assert_close(result, -29.0 / 165, 1e-12);
}

static void spearman_of_a_constant_is_none(void **state)
{
	(void)state;
	const double x[] = {1, 1, 1}, y[] = {1, 2, 3};
	double result;
	assert_true(spearman(x, y, 3, &result));
	assert_true(isnan(result));
	assert_true(spearman(x, y, 0, &result));
	assert_true(isnan(result));
}

static void medians_are_of_odd_and_even_counts(void **state)
{
	(void)state;
	double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2};
	assert_close(median_of(odd, 3), 2, 0);
	assert_close(median_of(even, 4), 2.5, 0);
	assert_true(isnan(median_of(odd, 0)));
}

/* Ratios 1, 1.3, 1.5, 0.7, 2, 0.5; errors 0, .3, .5, .3, 1, .5. */
static const struct comparison six[] = {
        {10, 8, 12, 10, true}, {13, 9, 14, 10, true},  {15, 11, 19, 10, false},
        {7, 6, 9, 10, false},  {20, 10, 30, 10, true}, {5, 4, 20, 10, false},
};

static void shares_and_errors_are_as_reckoned(void **state)
{
	(void)state;
	struct score score;
	assert_true(score_compute(six, 6, &score));
	assert_int_equal(score.all.count, 6);
	assert_close(score.all.within30, 3.0 / 6, 1e-12); /* 1, 1.3, 0.7 */
	assert_close(score.all.within15, 4.0 / 6, 1e-12); /* and 1.5; 0.7 is over 1/1.5 */
	assert_close(score.all.mean_error, 2.6 / 6, 1e-12);
	assert_close(score.all.median_error, 0.4, 1e-12);
	assert_int_equal(score.large.count, 3);
	assert_close(score.large.within30, 2.0 / 3, 1e-12);
	assert_close(score.large.median_error, 0.3, 1e-12);
}

static void coverage_and_width_are_as_reckoned(void **state)
{
	(void)state;
	struct score score;
	assert_true(score_compute(six, 6, &score));
	assert_close(score.coverage, 4.0 / 6, 1e-12); /* not 11..19, not 6..9 */
	/* widths 1.5, 14/9, 19/11, 1.5, 3, 5 */
	assert_close(score.median_width, 0.5 * (14.0 / 9 + 19.0 / 11), 1e-12);
	assert_true(isnan(score.spearman)); /* every measured time is the same */
}

static void the_histogram_counts_every_comparison_once(void **state)
{
	(void)state;
	struct score score;
	assert_true(score_compute(six, 6, &score));
	size_t total = 0;
	for (size_t i = 0; i < HISTOGRAM_BINS; i++)
		total += score.histogram[i];
	assert_int_equal(total, 6);
	assert_int_equal(score.histogram[HISTOGRAM_BINS - 1], 1); /* 2.0 */
	assert_int_equal(score.histogram[7], 1);                  /* 1.0 */
	assert_int_equal(score.histogram[2], 1);                  /* 0.5 */
}

static void no_comparisons_have_no_accuracy(void **state)
{
	(void)state;
	struct score score;
	assert_true(score_compute(six, 0, &score));
	assert_int_equal(score.all.count, 0);
	assert_true(isnan(score.all.within30));
	assert_true(isnan(score.coverage));
}

static void metrics_have_names_and_a_better_side(void **state)
{
	(void)state;
	struct score score;
	double value;
	bool more;
	assert_true(score_compute(six, 6, &score));
	assert_true(score_metric(&score, "within15", &value, &more));
	assert_close(value, 4.0 / 6, 1e-12);
	assert_true(more);
	assert_true(score_metric(&score, "large_median_error", &value, &more));
	assert_false(more);
	assert_false(score_metric(&score, "within", &value, &more));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(spearman_of_an_order_is_one),
	        cmocka_unit_test(spearman_gives_ties_their_mean_rank),
	        cmocka_unit_test(spearman_of_a_known_example),
	        cmocka_unit_test(spearman_of_a_constant_is_none),
	        cmocka_unit_test(medians_are_of_odd_and_even_counts),
	        cmocka_unit_test(shares_and_errors_are_as_reckoned),
	        cmocka_unit_test(coverage_and_width_are_as_reckoned),
	        cmocka_unit_test(the_histogram_counts_every_comparison_once),
	        cmocka_unit_test(no_comparisons_have_no_accuracy),
	        cmocka_unit_test(metrics_have_names_and_a_better_side),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("statistics", tests, NULL, NULL);
}
