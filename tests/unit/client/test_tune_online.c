/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning inside a program that works: one that the test makes up, with times that it draws. */
#include "tests/test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/library/tune.h"
#include "client/predictd.h"

enum { PARAMETERS = 4, VALUES = 3, COUNT = 81 };

static double uniform(void)
{
	return (rand() + 0.5) / ((double)RAND_MAX + 1);
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* A program with its variants, and what the test checks of every launch. */
struct program {
	uint16_t values[COUNT * PARAMETERS];
	double predicted_s[COUNT], low_s[COUNT], high_s[COUNT], true_s[COUNT];
	bool is_wrong[COUNT], has_run[COUNT];
	double noise; /* standard deviation of a run's logarithm */
	double cold;  /* by how much a first run is slower, as a share */
	predictd_tuner *tuner;
	bool has_explored;                /* the launch before was not the best's */
	size_t launches, explored, wrong; /* how many so far */
	double all_s;
};

static void program_draw(struct program *program, double effects, double own)
{
	double costs[PARAMETERS][VALUES], errors[PARAMETERS][VALUES], common = 0.5 * normal();
	memset(program, 0, sizeof *program);
	for (size_t i = 0; i < PARAMETERS; i++)
		for (size_t j = 0; j < VALUES; j++) {
			costs[i][j] = 0.5 * normal();
			errors[i][j] = effects * normal();
		}
	for (size_t i = 0; i < COUNT; i++) {
		double cost = -7, error = common;
		for (size_t j = 0, rest = i; j < PARAMETERS; j++, rest /= VALUES) {
			program->values[i * PARAMETERS + j] = (uint16_t)(rest % VALUES);
			cost += costs[j][rest % VALUES];
			error += errors[j][rest % VALUES];
		}
		program->predicted_s[i] = exp(cost);
		program->low_s[i] = exp(cost - 0.5);
		program->high_s[i] = exp(cost + 0.5);
		program->true_s[i] = exp(cost + error + own * normal());
	}
}

static void program_start(struct program *program)
{
	const predictd_tuning tuning = {.size = sizeof tuning,
	                                .parameter_count = PARAMETERS,
	                                .configuration_count = COUNT,
	                                .values = program->values,
	                                .predicted_s = program->predicted_s,
	                                .low_s = program->low_s,
	                                .high_s = program->high_s,
	                                .is_online = true};
	if (predictd_tuner_new(&tuning, &program->tuner) != PREDICTD_OK)
		fail_msg("%s", predictd_error_text());
}

static predictd_tuned tuned_of(const struct program *program)
{
	predictd_tuned tuned;
	predictd_tuner_get(program->tuner, &tuned);
	return tuned;
}

/* The fastest of those that are not wrong. */
static double fastest_s(const struct program *program)
{
	double least_s = (double)INFINITY;
	for (size_t i = 0; i < COUNT; i++)
		if (!program->is_wrong[i] && isfinite(program->predicted_s[i]))
			least_s = fmin(least_s, program->true_s[i]);
	return least_s;
}

/* The rules for what may be proposed, which hold at every launch. */
static void check(struct program *program, const predictd_candidate *candidate)
{
	predictd_tuned before = tuned_of(program);
	predictd_candidate again;
	size_t i = candidate->configuration;
	assert_true(i < COUNT && isfinite(program->predicted_s[i]));
	assert_int_equal(candidate->is_new, !program->has_run[i]);
	assert_false(program->has_run[i] && program->is_wrong[i]);
	assert_int_equal(predictd_tuner_next(program->tuner, &again), PREDICTD_OK);
	assert_int_equal(again.configuration, i);
	if (before.best == SIZE_MAX)
		return;
	assert_true(candidate->expected_s <=
	            PREDICTD_TUNE_SLOWER_MAX * before.best_s * (1 + 1e-12));
	if (before.is_over || program->has_explored)
		assert_int_equal(i, before.best);
}

static void launch(struct program *program)
{
	predictd_candidate candidate;
	predictd_tuned before = tuned_of(program);
	assert_int_equal(predictd_tuner_next(program->tuner, &candidate), PREDICTD_OK);
	check(program, &candidate);
	size_t i = candidate.configuration;
	double time_s = program->true_s[i] * exp(program->noise * normal());
	bool is_wrong = candidate.is_new && program->is_wrong[i];
	if (!program->has_run[i])
		time_s *= 1 + program->cold;
	program->has_run[i] = true;
	program->launches++;
	program->wrong += is_wrong;
	program->all_s += time_s;
	assert_int_equal(
	        predictd_tuner_report(program->tuner, i, is_wrong ? (double)INFINITY : time_s),
	        PREDICTD_OK);
	/* the one that runs now, or the one that it has turned out to be slower than */
	program->has_explored = before.best != SIZE_MAX && i != tuned_of(program).best;
	program->explored += program->has_explored;
}

static void no_rule_is_broken_in_thousands_of_spaces(void **state)
{
	(void)state;
	enum { SPACES = 3000, LAUNCHES = 200 };
	static struct program program;
	size_t ended = 0, near = 0, wrong = 0, explored = 0;
	double extra = 0;
	srand(1);
	for (size_t round = 0; round < SPACES; round++) {
		program_draw(&program, 0.3 * uniform(), 0.2 * uniform());
		program.noise = 0.1 * uniform();
		program.cold = uniform();
		for (size_t i = 0; i < COUNT; i++) {
			program.is_wrong[i] = uniform() < 0.1;
			if (uniform() < 0.1)
				program.predicted_s[i] = (double)INFINITY;
			else if (uniform() < 0.05)
				program.predicted_s[i] = (double)NAN;
		}
		for (size_t i = 0; i < COUNT; i++) /* one works, at least */
			if (isfinite(program.predicted_s[i])) {
				program.is_wrong[i] = false;
				break;
			}
		program_start(&program);
		/* what is not known is taken as the median, and may be proposed */
		for (size_t i = 0; i < COUNT; i++)
			if (isnan(program.predicted_s[i]))
				program.predicted_s[i] = 1;
		for (size_t i = 0; i < LAUNCHES; i++)
			launch(&program);
		predictd_tuned tuned = tuned_of(&program);
		assert_false(program.is_wrong[tuned.best]);
		ended += tuned.is_over;
		near += program.true_s[tuned.best] < 1.05 * fastest_s(&program);
		wrong += program.wrong;
		explored += program.explored;
		extra += program.all_s / ((double)LAUNCHES * program.true_s[tuned.best]) - 1;
		predictd_tuner_free(program.tuner);
	}
	print_message(
	        "# of %d programs %zu are over their search after %d launches, %zu within 5 %% of "
	        "the fastest; %.1f explored, %.2f wrong; %.1f %% slower than their choice\n",
	        SPACES, ended, LAUNCHES, near, (double)explored / (double)SPACES,
	        (double)wrong / (double)SPACES, 100 * extra / (double)SPACES);
	assert_true(ended > SPACES * 9 / 10);
	assert_true(near > SPACES * 3 / 4);
	assert_true(wrong > 0);
	assert_true(extra / (double)SPACES < (PREDICTD_TUNE_SLOWER_MAX - 1) / 2);
}

/* Times of all drift by a factor, and those of each by some more. */
static void drifts(struct program *program, double factor, double own)
{
	for (size_t i = 0; i < COUNT; i++)
		program->true_s[i] *= factor * exp(own * normal());
}

static void drift_is_found_and_the_search_goes_on(void **state)
{
	(void)state;
	enum { PROGRAMS = 200, BEFORE = 300, AFTER = 400 };
	static const double factors[] = {0.5, 0.8, 1.25, 2};
	static struct program program;
	srand(2);
	for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
		size_t found = 0, near = 0, stayed = 0, delay = 0;
		double slowest = 0;
		for (size_t round = 0; round < PROGRAMS; round++) {
			program_draw(&program, 0.15, 0.05);
			program.noise = 0.03;
			program_start(&program);
			for (size_t j = 0; j < BEFORE; j++)
				launch(&program);
			drifts(&program, factors[i], 0.1);
			size_t best = tuned_of(&program).best;
			double own = program.true_s[best] / fastest_s(&program);
			program.all_s = 0;
			for (size_t j = 0; j < AFTER; j++) {
				launch(&program);
				delay += tuned_of(&program).drift_count == 0;
			}
			predictd_tuned tuned = tuned_of(&program);
			found += tuned.drift_count > 0;
			near += program.true_s[tuned.best] < 1.05 * fastest_s(&program);
			stayed += own < 1.05;
			slowest = fmax(slowest,
			               program.all_s / ((double)AFTER * program.true_s[best]));
			predictd_tuner_free(program.tuner);
		}
		print_message(
		        "# drifts by x%g: %zu of %d found, after %zu launches; within 5 %% of the "
		        "fastest %zu, %zu if it had stayed; at most x%.3f of what the choice "
		        "before "
		        "takes\n",
		        factors[i], found, PROGRAMS, delay / PROGRAMS, near, stayed, slowest);
		assert_true(found > PROGRAMS * 9 / 10);
		assert_true(near > stayed);
		assert_true(slowest < (1 + PREDICTD_TUNE_SLOWER_MAX) / 2);
	}
}

static void steady_times_hardly_ever_drift(void **state)
{
	(void)state;
	enum { PROGRAMS = 300, LAUNCHES = 3000 };
	static const double noises[] = {0.01, 0.05, 0.1, 0.2, 0.5};
	static struct program program;
	srand(3);
	for (size_t i = 0; i < sizeof noises / sizeof noises[0]; i++) {
		size_t alarms = 0;
		for (size_t round = 0; round < PROGRAMS; round++) {
			program_draw(&program, 0.1, 0.05);
			program.noise = noises[i];
			program_start(&program);
			for (size_t j = 0; j < LAUNCHES; j++)
				launch(&program);
			alarms += tuned_of(&program).drift_count;
			predictd_tuner_free(program.tuner);
		}
		print_message("# noise %g: %zu false alarms in %d programs of %d launches\n",
		              noises[i], alarms, PROGRAMS, LAUNCHES);
		assert_true(alarms <= PROGRAMS / 50);
	}
}

/* Bursts that are shorter than two windows are none: another process had the device. */
static void a_burst_is_no_drift(void **state)
{
	(void)state;
	static struct program program;
	srand(4);
	program_draw(&program, 0.1, 0.05);
	program.noise = 0.02;
	program_start(&program);
	for (size_t i = 0; i < 300; i++)
		launch(&program);
	for (size_t round = 0; round < 50; round++) {
		drifts(&program, 2, 0);
		for (size_t i = 0; i < DRIFT_WINDOW; i++)
			launch(&program);
		drifts(&program, 0.5, 0);
		for (size_t i = 0; i < 2 * DRIFT_WINDOW; i++)
			launch(&program);
	}
	assert_int_equal(tuned_of(&program).drift_count, 0);
	predictd_tuner_free(program.tuner);
}

/* A shift that begins while the reference is measured is found, wherever it begins. */
static void a_shift_within_the_reference_is_found(void **state)
{
	(void)state;
	for (size_t begin = 0; begin < DRIFT_REFERENCE; begin++)
		for (unsigned slower = 0; slower < 2; slower++) {
			double reference_s[DRIFT_REFERENCE], sorted[DRIFT_REFERENCE];
			double after_s = slower ? 2 : 0.5;
			struct drift drift = {.count = 0};
			bool is_found = false;
			for (size_t i = 0; i < DRIFT_REFERENCE; i++)
				reference_s[i] = (i < begin ? 1 : after_s) * (1 + 1e-4 * normal());
			memcpy(sorted, reference_s, sizeof sorted);
			double median_s = tune_median(sorted, DRIFT_REFERENCE);
			for (size_t i = 0; i < 20 * DRIFT_REFERENCE && !is_found; i++)
				is_found =
				        drift_add(&drift, reference_s,
				                  after_s * (1 + 1e-4 * normal())) == DRIFT_FOUND;
			if (fabs(median_s / after_s - 1) > 0.05 && !is_found)
				fail_msg("shift to %g after %zu runs: not found, %g s", after_s,
				         begin, median_s);
		}
}

static void where_all_are_wrong_nothing_is_proposed(void **state)
{
	(void)state;
	static struct program program;
	predictd_candidate candidate;
	predictd_status status = PREDICTD_OK;
	size_t launches = 0;
	srand(5);
	program_draw(&program, 0.1, 0.05);
	program_start(&program);
	while ((status = predictd_tuner_next(program.tuner, &candidate)) == PREDICTD_OK) {
		assert_true(candidate.is_new && ++launches <= COUNT);
		assert_int_equal(predictd_tuner_report(program.tuner, candidate.configuration,
		                                       (double)INFINITY),
		                 PREDICTD_OK);
	}
	assert_int_equal(status, PREDICTD_NOT_FOUND);
	assert_int_equal(launches, COUNT);
	predictd_tuner_free(program.tuner);
}

/* The best that is wrong all of a sudden, or crashes, makes way. */
static void a_choice_that_fails_late_makes_way(void **state)
{
	(void)state;
	static struct program program;
	srand(6);
	program_draw(&program, 0.1, 0.05);
	program_start(&program);
	for (size_t i = 0; i < 300; i++)
		launch(&program);
	size_t best = tuned_of(&program).best;
	assert_true(tuned_of(&program).is_over);
	assert_int_equal(predictd_tuner_report(program.tuner, best, (double)INFINITY), PREDICTD_OK);
	program.is_wrong[best] = true;
	program.has_explored = false;
	for (size_t i = 0; i < 300; i++)
		launch(&program);
	assert_true(tuned_of(&program).best != best);
	assert_int_equal(tuned_of(&program).failed_count, 1);
	/* not even where times drift */
	drifts(&program, 2, 0.1);
	for (size_t i = 0; i < 300; i++)
		launch(&program);
	assert_int_equal(tuned_of(&program).drift_count, 1);
	assert_int_equal(tuned_of(&program).failed_count, 1);
	predictd_tuner_free(program.tuner);
}

static double now_us(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

/* What a launch pays, printed. */
static void figures_of_a_launch(void **state)
{
	(void)state;
	static const size_t counts[] = {1000, 10000};
	enum { WIDTH = 5, LEVELS = 7, LAUNCHES = 300 };
	srand(7);
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		size_t count = counts[i];
		uint16_t *values = calloc(count * WIDTH, sizeof *values);
		double *predicted_s = calloc(count, sizeof *predicted_s);
		double error[WIDTH][LEVELS], search_us = 0, over_us = 0, worst_us = 0;
		size_t searched = 0, over = 0;
		predictd_tuner *tuner = NULL;
		assert_true(values != NULL && predicted_s != NULL);
		for (size_t j = 0; j < WIDTH * LEVELS; j++)
			error[j / LEVELS][j % LEVELS] = 0.1 * normal();
		for (size_t j = 0; j < count; j++) {
			predicted_s[j] = 1e-3 * exp(0.1 * normal());
			for (size_t k = 0; k < WIDTH; k++)
				values[j * WIDTH + k] = (uint16_t)(rand() % LEVELS);
		}
		const predictd_tuning tuning = {.size = sizeof tuning,
		                                .parameter_count = WIDTH,
		                                .configuration_count = count,
		                                .values = values,
		                                .predicted_s = predicted_s,
		                                .is_online = true};
		assert_int_equal(predictd_tuner_new(&tuning, &tuner), PREDICTD_OK);
		for (size_t j = 0; j < LAUNCHES || over == 0; j++) {
			predictd_candidate candidate;
			predictd_tuned tuned;
			double begin_us = now_us();
			assert_int_equal(predictd_tuner_next(tuner, &candidate), PREDICTD_OK);
			double time_s = predicted_s[candidate.configuration];
			for (size_t k = 0; k < WIDTH; k++)
				time_s *=
				        exp(error[k][values[candidate.configuration * WIDTH + k]]);
			assert_int_equal(
			        predictd_tuner_report(tuner, candidate.configuration, time_s),
			        PREDICTD_OK);
			predictd_tuner_get(tuner, &tuned);
			double took_us = now_us() - begin_us;
			if (tuned.is_over) {
				over_us += took_us;
				over++;
			} else {
				search_us += took_us;
				searched++;
				worst_us = fmax(worst_us, took_us);
			}
			assert_true(j < 100000);
		}
		print_message("# %zu configurations: next, report and get take %.1f us while it "
		              "searches (at "
		              "most %.0f), %.2f us after, over %zu and %zu launches\n",
		              count, search_us / (double)(searched > 0 ? searched : 1), worst_us,
		              over_us / (double)over, searched, over);
		predictd_tuner_free(tuner);
		free(values);
		free(predicted_s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(no_rule_is_broken_in_thousands_of_spaces),
	        cmocka_unit_test(drift_is_found_and_the_search_goes_on),
	        cmocka_unit_test(steady_times_hardly_ever_drift),
	        cmocka_unit_test(a_burst_is_no_drift),
	        cmocka_unit_test(a_shift_within_the_reference_is_found),
	        cmocka_unit_test(where_all_are_wrong_nothing_is_proposed),
	        cmocka_unit_test(a_choice_that_fails_late_makes_way),
	        cmocka_unit_test(figures_of_a_launch),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
