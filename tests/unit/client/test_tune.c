/* SPDX-License-Identifier: Apache-2.0 */
/* The search over spaces that the test makes up, whose every time is known. */
#include "tests/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictd.h"

enum { PARAMETERS = 4, VALUES = 5, COUNT = 625, SPACES = 60 };

/* Predictions miss by what values of parameters add, and by what is each one's own. */
struct space {
	uint16_t values[COUNT * PARAMETERS];
	double predicted_s[COUNT], low_s[COUNT], high_s[COUNT], true_s[COUNT];
	size_t fastest;
};

static double uniform(void)
{
	return (double)rand() / ((double)RAND_MAX + 1);
}

static double normal(void)
{
	return sqrt(-2 * log(1 - uniform())) * cos(2 * M_PI * uniform());
}

static void space_make(struct space *space, double effects, double own)
{
	double costs[PARAMETERS][VALUES], errors[PARAMETERS][VALUES], common = 0.5 * normal();
	space->fastest = 0;
	for (size_t i = 0; i < PARAMETERS; i++)
		for (size_t j = 0; j < VALUES; j++) {
			costs[i][j] = 0.5 * normal();
			errors[i][j] = effects * normal();
		}
	for (size_t i = 0; i < COUNT; i++) {
		double cost = -7, error = common;
		for (size_t j = 0, rest = i; j < PARAMETERS; j++, rest /= VALUES) {
			space->values[i * PARAMETERS + j] = (uint16_t)(rest % VALUES);
			cost += costs[j][rest % VALUES];
			error += errors[j][rest % VALUES];
		}
		space->predicted_s[i] = exp(cost);
		space->low_s[i] = exp(cost - 0.5);
		space->high_s[i] = exp(cost + 0.5);
		space->true_s[i] = exp(cost + error + own * normal());
		if (space->true_s[i] < space->true_s[space->fastest])
			space->fastest = i;
	}
}

static predictd_tuning tuning_of(const struct space *space)
{
	return (predictd_tuning){.size = sizeof(predictd_tuning),
	                         .parameter_count = PARAMETERS,
	                         .configuration_count = COUNT,
	                         .values = space->values,
	                         .predicted_s = space->predicted_s,
	                         .low_s = space->low_s,
	                         .high_s = space->high_s};
}

static predictd_tuner *tuner_of(const predictd_tuning *tuning)
{
	predictd_tuner *tuner = NULL;
	if (predictd_tuner_new(tuning, &tuner) != PREDICTD_OK)
		fail_msg("%s", predictd_error_text());
	return tuner;
}

/* Searches to its end; returns after how many runs one within 5 % of the fastest was found. */
static size_t search(predictd_tuner *tuner, const struct space *space, const bool *fails,
                     predictd_tuned *tuned)
{
	predictd_candidate candidate;
	unsigned runs[COUNT] = {0};
	size_t total = 0, found = 0;
	while (predictd_tuner_next(tuner, &candidate) == PREDICTD_OK) {
		size_t i = candidate.configuration;
		assert_true(i < COUNT);
		assert_true(candidate.low_s < candidate.expected_s);
		assert_true(candidate.expected_s < candidate.high_s);
		assert_int_equal(candidate.is_final, runs[i] > 0);
		assert_true(++runs[i] <= 3);
		total++;
		bool is_failing = fails != NULL && fails[i];
		if (found == 0 && !is_failing &&
		    space->true_s[i] < 1.05 * space->true_s[space->fastest])
			found = total;
		assert_int_equal(
		        predictd_tuner_report(tuner, i,
		                              is_failing ? (double)INFINITY : space->true_s[i]),
		        PREDICTD_OK);
	}
	predictd_tuner_get(tuner, tuned);
	assert_true(tuned->is_over);
	return found;
}

static int double_compare(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;
	return (first > second) - (first < second);
}

static void a_search_finds_what_is_fast_and_ends(void **state)
{
	(void)state;
	static struct space space;
	double founds[SPACES], randoms[SPACES], losses[SPACES];
	srand(1);
	for (size_t i = 0; i < SPACES; i++) {
		space_make(&space, 0.2, 0.05);
		predictd_tuning tuning = tuning_of(&space);
		predictd_tuner *tuner = tuner_of(&tuning);
		predictd_tuned tuned;
		size_t found = search(tuner, &space, NULL, &tuned), near = 0;
		assert_true(tuned.measured_count < COUNT);
		assert_true(tuned.best_s > 0 && tuned.gain_chance < 0.1);
		losses[i] = tuned.best_s / space.true_s[space.fastest];
		founds[i] = found > 0 ? (double)found : (double)COUNT;
		for (size_t j = 0; j < COUNT; j++)
			near += space.true_s[j] < 1.05 * space.true_s[space.fastest];
		randoms[i] = (double)(COUNT + 1) / (double)(near + 1); /* on average */
		predictd_tuner_free(tuner);
	}
	qsort(founds, SPACES, sizeof *founds, double_compare);
	qsort(randoms, SPACES, sizeof *randoms, double_compare);
	qsort(losses, SPACES, sizeof *losses, double_compare);
	size_t lost = 0;
	for (size_t i = 0; i < SPACES; i++)
		lost += losses[i] > 1.02;
	print_message("# found after %g runs, at random after %g; %zu of %d lost more than 2 %%\n",
	              founds[SPACES / 2], randoms[SPACES / 2], lost, SPACES);
	assert_true(founds[SPACES / 2] < randoms[SPACES / 2] / 10);
	assert_true(losses[SPACES / 2] < 1.01);
	assert_true(lost <= SPACES / 10); /* the chance that it stops at */
}

static void the_first_is_what_is_predicted_to_be_the_fastest(void **state)
{
	(void)state;
	static struct space space;
	predictd_candidate first, again;
	size_t least = 0;
	srand(2);
	space_make(&space, 0.2, 0.05);
	for (size_t i = 0; i < COUNT; i++)
		if (space.predicted_s[i] < space.predicted_s[least])
			least = i;
	predictd_tuning tuning = tuning_of(&space);
	predictd_tuner *tuner = tuner_of(&tuning);
	assert_int_equal(predictd_tuner_next(tuner, &first), PREDICTD_OK);
	assert_int_equal(first.configuration, least);
	assert_true(fabs(first.expected_s / space.predicted_s[least] - 1) < 1e-9);
	assert_int_equal(predictd_tuner_next(tuner, &again), PREDICTD_OK);
	assert_int_equal(again.configuration, least);
	predictd_tuner_free(tuner);
}

static void what_fails_or_cannot_run_is_never_best(void **state)
{
	(void)state;
	static struct space space;
	bool fails[COUNT];
	srand(3);
	for (size_t round = 0; round < 20; round++) {
		space_make(&space, 0.1, 0.05);
		for (size_t i = 0; i < COUNT; i++) {
			fails[i] = uniform() < 0.3;
			if (uniform() < 0.3)
				space.predicted_s[i] = (double)INFINITY;
			else if (uniform() < 0.1)
				space.predicted_s[i] = (double)NAN;
		}
		fails[space.fastest] = true;
		predictd_tuning tuning = tuning_of(&space);
		predictd_tuner *tuner = tuner_of(&tuning);
		predictd_tuned tuned;
		double expected_s[COUNT];
		(void)search(tuner, &space, fails, &tuned);
		assert_true(tuned.best < COUNT);
		assert_false(fails[tuned.best]);
		assert_true(space.predicted_s[tuned.best] < (double)INFINITY ||
		            isnan(space.predicted_s[tuned.best]));
		assert_true(tuned.failed_count > 0);
		predictd_tuner_expected(tuner, expected_s);
		for (size_t i = 0; i < COUNT; i++)
			assert_true(isinf(space.predicted_s[i]) ? isinf(expected_s[i])
			                                        : expected_s[i] > 0);
		predictd_tuner_free(tuner);
	}
}

static void errors_that_parameters_share_are_learnt(void **state)
{
	(void)state;
	static struct space space;
	srand(4);
	space_make(&space, 0, 0);
	/* one value of one parameter takes four times what is predicted */
	for (size_t i = 0; i < COUNT; i++)
		space.true_s[i] =
		        space.predicted_s[i] * (space.values[i * PARAMETERS] == 2 ? 4 : 1);
	predictd_tuning tuning = tuning_of(&space);
	predictd_tuner *tuner = tuner_of(&tuning);
	double expected_s[COUNT];
	for (size_t i = 0; i < 60; i++) {
		size_t one = (i * 37) % COUNT;
		assert_int_equal(predictd_tuner_report(tuner, one, space.true_s[one]), PREDICTD_OK);
	}
	predictd_tuner_expected(tuner, expected_s);
	for (size_t i = 0; i < COUNT; i++)
		assert_true(fabs(log(expected_s[i] / space.true_s[i])) < 0.4);
	predictd_tuner_free(tuner);
}

static void a_lucky_run_does_not_win(void **state)
{
	(void)state;
	const double predicted_s[] = {1, 1.01, 9};
	predictd_tuning tuning = {.size = sizeof tuning,
	                          .configuration_count = 3,
	                          .predicted_s = predicted_s,
	                          .low_s = predicted_s,
	                          .high_s = predicted_s};
	predictd_tuner *tuner = tuner_of(&tuning);
	predictd_tuned tuned;
	predictd_candidate candidate;
	unsigned finals = 0;
	assert_int_equal(predictd_tuner_report(tuner, 0, 1.0), PREDICTD_OK);
	assert_int_equal(predictd_tuner_report(tuner, 1, 0.97), PREDICTD_OK);
	while (predictd_tuner_next(tuner, &candidate) == PREDICTD_OK) {
		assert_true(candidate.is_final);
		assert_true(candidate.configuration < 2);
		finals++;
		assert_int_equal(predictd_tuner_report(tuner, candidate.configuration,
		                                       candidate.configuration == 0 ? 1.0 : 1.1),
		                 PREDICTD_OK);
	}
	predictd_tuner_get(tuner, &tuned);
	assert_int_equal(finals, 4);
	assert_int_equal(tuned.best, 0);
	assert_int_equal(tuned.measured_count, 2);
	predictd_tuner_free(tuner);
}

/* Where nothing is predicted, the first run says how long is long. */
static void a_search_without_predictions_finds_what_is_fast(void **state)
{
	(void)state;
	static struct space space;
	size_t near[2] = {0};
	srand(8);
	for (size_t round = 0; round < 40; round++) {
		space_make(&space, 0.3, 0.05);
		for (size_t i = 0; i < COUNT; i++)
			space.predicted_s[i] = (double)NAN;
		predictd_tuning tuning = tuning_of(&space);
		tuning.is_online = round % 2 != 0;
		predictd_tuner *tuner = tuner_of(&tuning);
		predictd_tuned tuned = {.best = 0};
		for (size_t i = 0; i < 600 && !tuned.is_over; i++) {
			predictd_candidate candidate;
			assert_int_equal(predictd_tuner_next(tuner, &candidate), PREDICTD_OK);
			assert_int_equal(
			        predictd_tuner_report(tuner, candidate.configuration,
			                              space.true_s[candidate.configuration]),
			        PREDICTD_OK);
			predictd_tuner_get(tuner, &tuned);
		}
		assert_true(tuned.measured_count > (tuning.is_online ? 1 : 3));
		near[tuning.is_online] += tuned.best_s < 1.1 * space.true_s[space.fastest];
		predictd_tuner_free(tuner);
	}
	print_message("# %zu of 20 within 10 %% of the fastest; online %zu\n", near[0], near[1]);
	assert_true(near[0] > 15);
}

/* The same configurations in the same order, whatever else they are told to have in common. */
static void what_never_varies_changes_nothing(void **state)
{
	enum { CONSTANTS = 3, WIDTH = PARAMETERS + CONSTANTS, RUNS = 40 };
	static struct space space;
	static uint16_t wider[COUNT * WIDTH];
	(void)state;
	srand(11);
	space_make(&space, 0.3, 0.1);
	for (size_t i = 0; i < COUNT; i++)
		memcpy(wider + i * WIDTH, space.values + i * PARAMETERS,
		       PARAMETERS * sizeof *wider);
	predictd_tuning narrow = tuning_of(&space), wide = narrow;
	wide.values = wider;
	wide.parameter_count = WIDTH;
	predictd_tuner *first = tuner_of(&narrow), *second = tuner_of(&wide);
	for (unsigned run = 0; run < RUNS; run++) {
		predictd_candidate a, b;
		if (predictd_tuner_next(first, &a) != PREDICTD_OK)
			break;
		assert_int_equal(predictd_tuner_next(second, &b), PREDICTD_OK);
		assert_int_equal(a.configuration, b.configuration);
		double time_s = space.true_s[a.configuration];
		assert_int_equal(predictd_tuner_report(first, a.configuration, time_s),
		                 PREDICTD_OK);
		assert_int_equal(predictd_tuner_report(second, b.configuration, time_s),
		                 PREDICTD_OK);
	}
	predictd_tuner_free(first);
	predictd_tuner_free(second);
}

static void a_budget_is_kept(void **state)
{
	(void)state;
	static struct space space;
	srand(5);
	space_make(&space, 0.5, 0.3);
	predictd_tuning tuning = tuning_of(&space);
	tuning.measured_max = 5;
	predictd_tuner *tuner = tuner_of(&tuning);
	predictd_tuned tuned;
	(void)search(tuner, &space, NULL, &tuned);
	assert_int_equal(tuned.measured_count, 5);
	predictd_tuner_free(tuner);
}

static void what_is_wrong_is_said(void **state)
{
	(void)state;
	static struct space space;
	predictd_tuner *tuner = NULL;
	srand(6);
	space_make(&space, 0, 0);
	predictd_tuning good = tuning_of(&space), bad;
	const struct {
		size_t offset;
		double value;
		predictd_status status;
	} cases[] = {
	        {offsetof(predictd_tuning, gain), 1, PREDICTD_INVALID},
	        {offsetof(predictd_tuning, gain), (double)NAN, PREDICTD_INVALID},
	        {offsetof(predictd_tuning, chance), -0.1, PREDICTD_INVALID},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		bad = good;
		memcpy((char *)&bad + cases[i].offset, &cases[i].value, sizeof(double));
		assert_int_equal(predictd_tuner_new(&bad, &tuner), cases[i].status);
	}
	bad = good;
	bad.size = 8;
	assert_int_equal(predictd_tuner_new(&bad, &tuner), PREDICTD_INVALID);
	bad = good;
	bad.configuration_count = 0;
	assert_int_equal(predictd_tuner_new(&bad, &tuner), PREDICTD_INVALID);
	bad.configuration_count = PREDICTD_TUNE_CONFIGURATIONS_MAX + 1;
	assert_int_equal(predictd_tuner_new(&bad, &tuner), PREDICTD_LIMIT);
	bad = good;
	bad.parameter_count = PREDICTD_TUNE_PARAMETERS_MAX + 1;
	assert_int_equal(predictd_tuner_new(&bad, &tuner), PREDICTD_LIMIT);
	bad = good;
	bad.high_s = NULL;
	assert_int_equal(predictd_tuner_new(&bad, &tuner), PREDICTD_INVALID);
	double was_s = space.predicted_s[7];
	for (size_t i = 0; i < 3; i++) {
		space.predicted_s[7] =
		        (double[]){0, -1, 1e9}[i]; /* the last: beyond its interval */
		assert_int_equal(predictd_tuner_new(&good, &tuner), PREDICTD_INVALID);
		assert_non_null(strstr(predictd_error_text(), "configuration 7"));
	}
	for (size_t i = 0; i < COUNT; i++)
		space.predicted_s[i] = (double)INFINITY;
	assert_int_equal(predictd_tuner_new(&good, &tuner), PREDICTD_UNSUPPORTED);
	assert_null(tuner);
	space.predicted_s[7] = was_s;
	tuner = tuner_of(&good);
	assert_int_equal(predictd_tuner_report(tuner, COUNT, 1), PREDICTD_INVALID);
	assert_int_equal(predictd_tuner_report(tuner, 7, 0), PREDICTD_INVALID);
	assert_int_equal(predictd_tuner_report(tuner, 7, (double)NAN), PREDICTD_INVALID);
	predictd_tuned tuned;
	predictd_tuner_get(tuner, &tuned);
	assert_int_equal(tuned.measured_count, 0);
	assert_true(tuned.best == SIZE_MAX);
	assert_int_equal(predictd_tuner_report(tuner, 7, (double)INFINITY), PREDICTD_OK);
	predictd_candidate candidate;
	assert_int_equal(predictd_tuner_next(tuner, &candidate), PREDICTD_NOT_FOUND);
	predictd_tuner_free(tuner);
	predictd_tuner_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_search_finds_what_is_fast_and_ends),
	        cmocka_unit_test(the_first_is_what_is_predicted_to_be_the_fastest),
	        cmocka_unit_test(what_fails_or_cannot_run_is_never_best),
	        cmocka_unit_test(errors_that_parameters_share_are_learnt),
	        cmocka_unit_test(a_lucky_run_does_not_win),
	        cmocka_unit_test(a_search_without_predictions_finds_what_is_fast),
	        cmocka_unit_test(what_never_varies_changes_nothing),
	        cmocka_unit_test(a_budget_is_kept),
	        cmocka_unit_test(what_is_wrong_is_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
