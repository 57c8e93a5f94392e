/* SPDX-License-Identifier: Apache-2.0 */
/* What is fitted to measured curves, on curves whose truth is known. */
#include <math.h>

#include "tests/test.h"

#include "daemon/calibrator/doubt.h"
#include "daemon/calibrator/norm.h"
#include "daemon/calibrator/plateau.h"
#include "daemon/calibrator/saturation.h"
#include "daemon/calibrator/slope.h"
#include "daemon/calibrator/spread.h"
#include "model/device/wake_up.h"

enum { POINTS = 30 };

/* Rates over footprints of 8 KiB times powers of the root of two. */
static size_t make_curve(const double *capacity, const double *level, size_t levels, double noise,
                         double *footprint, double *rate)
{
	for (size_t i = 0; i < POINTS; i++) {
		double share = 1;
		footprint[i] = 8192 * exp2((double)i / 2);
		rate[i] = level[levels - 1];
		for (size_t l = levels - 1; l-- > 0;) {
			/* falls over one step around the capacity */
			share = 1 / (1 + pow(footprint[i] / capacity[l], 8));
			rate[i] = exp(share * log(level[l]) + (1 - share) * log(rate[i]));
		}
		rate[i] *= 1 + noise * ((double)(i * 7919 % 13) / 6 - 1);
	}
	return POINTS;
}

static void three_caches_and_memory_are_found_where_they_are(void **state)
{
	(void)state;
	const double capacity[] = {48 << 10, 1 << 20, 24 << 20};
	const double level[] = {400e9, 200e9, 100e9, 20e9};
	double footprint[POINTS], rate[POINTS];
	struct plateau plateaus[8];
	size_t n = make_curve(capacity, level, 4, 0.05, footprint, rate);
	size_t count = plateau_find(footprint, rate, n, 0.22, 3, plateaus, 8);
	assert_int_equal(count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_close(plateaus[i].rate, level[i], 0.12);
	for (size_t i = 0; i < 3; i++)
		assert_close(plateaus[i].capacity, capacity[i], 0.25);
	assert_true(isinf(plateaus[3].capacity));
}

static void a_flat_curve_is_one_level(void **state)
{
	(void)state;
	const double level[] = {50e9};
	double footprint[POINTS], rate[POINTS];
	struct plateau plateaus[8];
	size_t n = make_curve(NULL, level, 1, 0.05, footprint, rate);
	assert_int_equal(plateau_find(footprint, rate, n, 0.22, 3, plateaus, 8), 1);
	assert_close(plateaus[0].rate, 50e9, 0.05);
}

static void a_slope_is_no_level(void **state)
{
	(void)state;
	const double footprint[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
	const double rate[] = {100, 101, 99, 100, 70, 45, 45, 44, 46, 45};
	struct plateau plateaus[8];
	assert_int_equal(plateau_find(footprint, rate, 10, 0.22, 3, plateaus, 8), 2);
	assert_close(plateaus[0].rate, 100, 0.02);
	assert_close(plateaus[1].rate, 45, 0.02);
	assert_true(plateaus[0].capacity > 8 && plateaus[0].capacity < 32);
}

static void no_more_levels_are_told_than_asked_for(void **state)
{
	(void)state;
	const double capacity[] = {48 << 10, 1 << 20, 24 << 20};
	const double level[] = {400e9, 200e9, 100e9, 20e9};
	double footprint[POINTS], rate[POINTS];
	struct plateau plateaus[2];
	size_t n = make_curve(capacity, level, 4, 0, footprint, rate);
	assert_int_equal(plateau_find(footprint, rate, n, 0.22, 3, plateaus, 2), 2);
	assert_int_equal(plateau_find(footprint, rate, 0, 0.22, 3, plateaus, 2), 0);
	assert_int_equal(plateau_find(footprint, rate, 1, 0.22, 3, plateaus, 2), 1);
}

static void a_capacity_follows_from_what_is_missed_beyond_it(void **state)
{
	(void)state;
	/* a third of the accesses ten times as slow as the others */
	assert_close(plateau_missed(1 / (2.0 / 3 + 10.0 / 3), 1, 0.1), 1.0 / 3, 1e-9);
	assert_close(plateau_missed(2, 1, 0.1), 0.01, 1e-9);
	/* at random the cached half is hit; around, exp(-0.5 * 1.386) = 0.5 survive */
	assert_close(plateau_random_capacity(100, 0.5), 50, 1e-9);
	assert_close(plateau_rounds_capacity(100, 0.5), 50 / log(2), 1e-9);
}

static void the_norm_is_what_made_the_time(void **state)
{
	(void)state;
	const double exponents[] = {1.2, 2, 3.5, 6};
	for (int i = 0; i < 4; i++) {
		double p = exponents[i];
		double both = pow(pow(3, p) + pow(2, p), 1 / p);
		assert_close(norm_solve(3, 2, both), p, 1e-6);
		assert_close(norm_solve(3e-6, 2e-6, both * 1e-6), p, 1e-6);
	}
}

static void the_norm_stays_within_its_bounds(void **state)
{
	(void)state;
	assert_close(norm_solve(3, 2, 5.5), NORM_LEAST, 0); /* worse than a sum */
	assert_close(norm_solve(3, 2, 2.9), NORM_MOST, 0);  /* better than a maximum */
}

/* W(n) of a fit, at least 0. */
static double fitted_cost(const struct saturation *fit, double operations)
{
	return fmax(operations <= fit->sat ? fit->a * pow(operations, fit->b) + fit->k
	                                   : fit->a2 * operations + fit->k2,
	            0);
}

static void a_saturation_curve_is_fitted_below_and_above(void **state)
{
	(void)state;
	const double operations[] = {1, 2, 4, 8, 16, 32};
	const struct saturation truth = {
	        .a = 0.6, .b = 0.5, .k = 0.4, .a2 = 0.5, .k2 = 0.4 + 0.6 * 2 - 0.5 * 4, .sat = 4};
	double cost[6];
	struct saturation fit;
	for (int i = 0; i < 6; i++)
		cost[i] = fitted_cost(&truth, operations[i]);
	assert_true(saturation_fit(operations, cost, cost, 6, &fit));
	assert_close(fit.sat, 4, 0);
	assert_close(fit.a2, truth.a2, 1e-9);
	for (int i = 0; i < 6; i++)
		assert_close(fitted_cost(&fit, operations[i]), cost[i], 0.02);
	/* the two parts meet */
	assert_close(fit.a * pow(fit.sat, fit.b) + fit.k, fit.a2 * fit.sat + fit.k2, 1e-9);
}

static void a_straight_line_needs_no_power(void **state)
{
	(void)state;
	const double operations[] = {1, 4, 32}, cost[] = {1, 4, 32};
	struct saturation fit;
	assert_true(saturation_fit(operations, cost, cost, 3, &fit));
	assert_close(fitted_cost(&fit, 1), 1, 1e-9);
	assert_close(fitted_cost(&fit, 10), 10, 1e-9);
}

static void what_hides_in_the_kernel_around_it_costs_nothing_until_it_shows(void **state)
{
	(void)state;
	const double operations[] = {1, 4, 32}, cost[] = {0, 0.2, 32}, whole[] = {20, 20.2, 52};
	struct saturation fit;
	assert_true(saturation_fit(operations, cost, whole, 3, &fit));
	assert_close(fitted_cost(&fit, 1) + 1, 1, 1e-9);
	assert_close(fitted_cost(&fit, 4), 0.2, 1e-9);
	/* two points say no more than a line between them */
	assert_close(fitted_cost(&fit, 2.5), 0.1, 1e-9);
	assert_close(fitted_cost(&fit, 32), 32, 1e-6);
}

static void points_without_cost_are_refused(void **state)
{
	(void)state;
	const double operations[] = {1, 4}, cost[] = {4, 0}, whole[] = {8, 8}, none[] = {8, 0};
	struct saturation fit;
	assert_false(saturation_fit(operations, cost, whole, 2, &fit));
	assert_false(saturation_fit(operations, whole, none, 2, &fit));
	assert_false(saturation_fit(operations, whole, whole, 1, &fit));
}

static void a_slope_weighs_small_sizes_like_large_ones(void **state)
{
	(void)state;
	const double items[] = {1e3, 1e6, 1e9}, line[] = {3, 3e3, 3e6}, bent[] = {2, 2e3, 4e6};
	assert_close(slope_fit(items, line, 1e-6, 3), 3e-3, 1e-6);
	assert_close(slope_error(items, line, line, 3, 3e-3) + 1, 1, 1e-12);
	/* the geometric mean */
	assert_close(slope_fit(items, bent, 1e-6, 3), 2e-3 * cbrt(2), 1e-3);
	assert_true(slope_error(items, bent, bent, 3, 2e-3 * cbrt(2)) > 0.2e-3);
	/* where the launch is all, the points say little */
	assert_close(slope_fit(items, bent, 1e4, 3), 4e-3, 0.05);
	assert_close(slope_fit(items, line, 1, 0) + 1, 1, 0);
}

static void the_steps_of_a_sweep_are_the_execution_units(void **state)
{
	(void)state;
	const double sizes[] = {4, 8, 15, 16, 17, 24, 31, 32, 33, 40, 48, 49, 63, 64, 65, 96};
	double steps[16], smooth[16];
	for (int i = 0; i < 16; i++) {
		double noise = 1 + 0.02 * ((i * 7919 % 13) / 6.0 - 1);
		steps[i] = noise * (2 * ceil(sizes[i] / 16) * 16 / sizes[i] + 5 / sizes[i]);
		smooth[i] = noise * (2 + 20 / sizes[i]);
	}
	assert_int_equal(execution_units_fit(sizes, steps, 16, 96), 16);
	assert_int_equal(execution_units_fit(sizes, smooth, 16, 96), 1);
	assert_int_equal(execution_units_fit(sizes, steps, 3, 96), 1);
}

static const struct spread_costs no_costs;

/* Launches of works 0.1 to 6.4 ms on two units; every fourth has threads that wake late. */
static void make_launches(struct spread *spread, double usual_s, double late_s, double noise)
{
	*spread = (struct spread){0};
	for (int i = 0; i < 80; i++) {
		double work_s = 1e-4 * pow(4, i / 2 % 4);
		double alone_s = i % 4 == 3 ? late_s : usual_s;
		double away = 1 + noise * ((i * 7919 % 13) / 6.0 - 1);
		spread_add(spread, work_s, 100,
		           away * spread_time_s(work_s, 100, 2, alone_s, &no_costs));
	}
}

static void the_usual_time_until_all_units_run_is_found_among_late_ones(void **state)
{
	(void)state;
	static struct spread spread;
	double standard_error;
	make_launches(&spread, 4e-5, 3e-3, 0.03);
	assert_close(spread_fit(&spread, 2, &no_costs, &standard_error), 4e-5, 0.35);
	assert_true(standard_error > 0.02 && standard_error < 0.5);
	make_launches(&spread, 2e-3, 2e-3, 0.03);
	assert_close(spread_fit(&spread, 2, &no_costs, &standard_error), 2e-3, 0.15);
	assert_true(standard_error < 0.2);
	assert_close(spread_preempted(&spread) + 1, 1, 0);
	/* never seen: at least that long, which is not much to know */
	make_launches(&spread, 1, 1, 0.03);
	assert_true(spread_fit(&spread, 2, &no_costs, &standard_error) > 6e-3);
	assert_close(standard_error, 1, 0);
}

/* 16 units whose launches take 16 us at all, more or less, and some times 10 us less. */
static void the_usual_launch_counts_and_not_the_best(void **state)
{
	static const double works_s[] = {4e-6, 1e-5, 2.5e-5, 8e-5, 2.5e-4};
	const struct spread_costs costs = {.base_s = 1.6e-5, .join_s = 2e-6, .handout_s = 1e-7};
	static struct spread spread;
	double standard_error;

	(void)state;
	spread = (struct spread){0};
	for (int i = 0; i < 100; i++) {
		double away_s = 1e-6 * (i * 7919 % 7 - 3) - (i % 4 == 0 ? 1e-5 : 0);
		double work_s = works_s[i % 5], groups = work_s * 1e6;

		spread_add(&spread, work_s, groups,
		           spread_time_s(work_s, groups, 16, 1.8e-5, &costs) + away_s);
	}
	assert_close(spread_fit(&spread, 16, &costs, &standard_error), 1.8e-5, 0.35);
}

/* Four units, one more every 10 us. */
static void units_that_come_one_by_one_do_what_is_left(void **state)
{
	const struct spread_costs costs = {.join_s = 2e-5, .handout_s = 1e-6};

	(void)state;
	/* done before the second one comes; just then; when three work; when all do */
	assert_close(waking_time_s(2e-6, 8e-6, 4, 4, 3e-5), 8e-6, 1e-9);
	assert_close(waking_time_s(2.5e-6, 1e-5, 4, 4, 3e-5), 1e-5, 1e-9);
	assert_close(waking_time_s(1e-5, 4e-5, 4, 4, 3e-5), 7e-5 / 3, 1e-9);
	assert_close(waking_time_s(1e-4, 4e-4, 4, 4, 3e-5), 1.15e-4, 1e-9);
	/* two work-groups have no use for more than two units; memory that two can fill neither */
	assert_close(waking_time_s(1e-4, 2e-4, 4, 2, 3e-5), 1.05e-4, 1e-9);
	assert_close(waking_time_s(1e-4, 2e-4, 4, 4, 3e-5), 1.05e-4, 1e-9);
	assert_close(waking_time_s(1e-4, 4e-4, 1, 1, 3e-5), 1e-4, 1e-9);
	/* however little there is to do, each has to come and go; and asks for more in turn */
	assert_close(spread_time_s(1e-6, 4, 4, 3e-5, &costs), 2e-5, 1e-9);
	assert_close(spread_time_s(1e-6, 2, 4, 3e-5, &costs), 1e-5, 1e-9);
	assert_close(spread_time_s(1e-6, 1, 4, 3e-5, &costs), 1e-6, 1e-9);
	assert_close(spread_time_s(1e-6, 4 * exp(2), 4, 3e-5, &costs), 2.8e-5, 1e-9);
}

static void who_begins_with_the_longest_ends_last(void **state)
{
	double first[17] = {0}, last[17] = {0};

	for (unsigned i = 1; i < 17; i++) {
		first[i] = 0.5 + 0.5 * (i - 1) / 15;
		last[i] = i < 16 ? 0.5 * i / 15 : 1;
	}
	(void)state;
	assert_close(waking_uneven(1600, 16, &(struct waking_spread){.slope = 0}), 1, 1e-9);
	/* a 16th of all, the first of groups whose work falls to nothing: 2 - 1 / 16 */
	assert_close(waking_uneven(1600, 16, &(struct waking_spread){.slope = -2}), 1.9375, 0.01);
	/* where it rises the longest are handed out one by one */
	assert_close(waking_uneven(1600, 16, &(struct waking_spread){.slope = 2}), 1, 0.03);
	/* two threads take 64 at once at most */
	assert_close(waking_uneven(1600, 2, &(struct waking_spread){.slope = -2}), 1, 0.03);
	assert_close(waking_uneven(1, 16, &(struct waking_spread){.slope = -2}), 1, 1e-9);
	/* half of it in the first 16th, which is one's: 8 times his share; at the end in halves */
	assert_close(waking_uneven(1600, 16, &(struct waking_spread){.parts = 16, .up_to = first}),
	             8, 0.01);
	assert_close(waking_uneven(1600, 16, &(struct waking_spread){.parts = 16, .up_to = last}),
	             1, 0.1);
}

static void units_that_wake_at_once_have_no_spread(void **state)
{
	(void)state;
	static struct spread spread;
	double standard_error;
	make_launches(&spread, 0, 0, 0.02);
	/* below a hundredth of the least launch it cannot be told from none */
	assert_true(spread_fit(&spread, 2, &no_costs, &standard_error) < 3e-6);
	spread.count = 3;
	assert_close(spread_fit(&spread, 2, &no_costs, &standard_error) + 1, 1, 0);
	assert_close(standard_error, 1, 0);
}

/* Distances of a normal law of one half, at evenly spread probabilities. */
static double spread_distance(size_t i, size_t count, double sd)
{
	/* to 2 %: the inverse of the law, by its logistic approximation */
	double p = 0.5 + 0.5 * ((double)i + 0.5) / (double)count;
	return sd * log(p / (1 - p)) / 1.702;
}

static void kinds_of_kernels_get_widths_of_their_own(void **state)
{
	enum { EACH = 60 };
	struct doubt_sample samples[2 * EACH + 1] = {{.distance = 0}};
	struct doubt_fit fit, again;
	struct error error;
	(void)state;
	for (size_t i = 0; i < EACH; i++) {
		samples[i].distance = spread_distance(i, EACH, 0.08);
		samples[i].weight[DOUBT_LAUNCH] = 1;
		samples[EACH + i].distance = spread_distance(i, EACH, 0.5);
		samples[EACH + i].weight[DOUBT_SHARED] = 1;
	}
	samples[2 * EACH].distance = (double)NAN;
	assert_int_equal(doubt_fit(samples, 2 * EACH + 1, &fit, &error), STATUS_OK);
	assert_close(fit.kind[DOUBT_LAUNCH], 0.08, 0.3);
	assert_close(fit.kind[DOUBT_SHARED], 0.5, 0.3);
	/* of which there was none is between them */
	assert_true(fit.kind[DOUBT_UNIT] > fit.kind[DOUBT_LAUNCH]);
	assert_true(fit.kind[DOUBT_UNIT] < fit.kind[DOUBT_SHARED]);
	/* one that is of another world widens what is like it, and little */
	samples[0].distance = 5;
	assert_int_equal(doubt_fit(samples, 2 * EACH, &again, &error), STATUS_OK);
	assert_close(again.kind[DOUBT_SHARED], fit.kind[DOUBT_SHARED], 0.05);
	assert_close(again.kind[DOUBT_LAUNCH], fit.kind[DOUBT_LAUNCH], 0.15);
	/* what an assumption explains does not count as the kind's */
	for (size_t i = 0; i < EACH; i++)
		samples[EACH + i].assumed_variance = 0.2;
	assert_int_equal(doubt_fit(samples, 2 * EACH, &again, &error), STATUS_OK);
	assert_true(again.kind[DOUBT_SHARED] < 0.7 * fit.kind[DOUBT_SHARED]);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(three_caches_and_memory_are_found_where_they_are),
	        cmocka_unit_test(a_flat_curve_is_one_level),
	        cmocka_unit_test(a_slope_is_no_level),
	        cmocka_unit_test(no_more_levels_are_told_than_asked_for),
	        cmocka_unit_test(a_capacity_follows_from_what_is_missed_beyond_it),
	        cmocka_unit_test(the_norm_is_what_made_the_time),
	        cmocka_unit_test(the_norm_stays_within_its_bounds),
	        cmocka_unit_test(a_saturation_curve_is_fitted_below_and_above),
	        cmocka_unit_test(a_straight_line_needs_no_power),
	        cmocka_unit_test(what_hides_in_the_kernel_around_it_costs_nothing_until_it_shows),
	        cmocka_unit_test(points_without_cost_are_refused),
	        cmocka_unit_test(a_slope_weighs_small_sizes_like_large_ones),
	        cmocka_unit_test(the_usual_time_until_all_units_run_is_found_among_late_ones),
	        cmocka_unit_test(the_usual_launch_counts_and_not_the_best),
	        cmocka_unit_test(units_that_come_one_by_one_do_what_is_left),
	        cmocka_unit_test(who_begins_with_the_longest_ends_last),
	        cmocka_unit_test(units_that_wake_at_once_have_no_spread),
	        cmocka_unit_test(the_steps_of_a_sweep_are_the_execution_units),
	        cmocka_unit_test(kinds_of_kernels_get_widths_of_their_own),
	};
	return cmocka_run_group_tests_name("fits", tests, NULL, NULL);
}
