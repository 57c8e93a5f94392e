/* SPDX-License-Identifier: Apache-2.0 */
/* Choices that are kept in a daemon and found by the next start, or are not. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "client/library/tune.h"
#include "tests/unit/client/client_fixture.h"

enum { COUNT = 6, LAUNCHES = 60 };

/* The last is the fastest, unlike what is predicted; 5 cannot run. */
static const double predicted_s[COUNT] = {1e-3,    1.02e-3, 1.05e-3,
                                          1.08e-3, 1.1e-3,  (double)INFINITY};
static const double times_s[COUNT] = {1e-3, 1e-3, 1e-3, 1e-3, 0.8e-3, 1};
static const uint64_t sizes[] = {1024, 512};

static predictd_tuner *tuner_new(bool is_online)
{
	const predictd_tuning tuning = {.size = sizeof tuning,
	                                .configuration_count = COUNT,
	                                .predicted_s = predicted_s,
	                                .is_online = is_online};
	predictd_tuner *tuner = NULL;
	assert_ok(predictd_tuner_new(&tuning, &tuner));
	return tuner;
}

static predictd_choice choice_of(const char *name)
{
	return (predictd_choice){
	        .size = sizeof(predictd_choice), .name = name, .sizes = sizes, .size_count = 2};
}

/* One launch, which takes `factor` times as long; which configuration it was of. */
static size_t launch(predictd_tuner *tuner, double factor)
{
	predictd_candidate candidate;
	assert_ok(predictd_tuner_next(tuner, &candidate));
	assert_ok(predictd_tuner_report(tuner, candidate.configuration,
	                                factor * times_s[candidate.configuration]));
	return candidate.configuration;
}

static predictd_tuned tuned_of(const predictd_tuner *tuner)
{
	predictd_tuned tuned;
	predictd_tuner_get(tuner, &tuned);
	return tuned;
}

static void a_choice_is_kept_and_the_next_start_begins_with_it(void **state)
{
	(void)state;
	const predictd_choice choice = choice_of("kernel");
	predictd_candidate candidate;
	predictd_tuner *tuner = tuner_new(true);
	assert_int_equal(predictd_tuner_keep(tuner, connection, &choice), PREDICTD_NOT_FOUND);
	assert_int_equal(predictd_tuner_find(tuner, connection, &choice), PREDICTD_NOT_FOUND);
	assert_int_equal(launch(tuner, 1), 0);
	for (size_t i = 0; i < LAUNCHES; i++)
		(void)launch(tuner, 1);
	assert_true(tuned_of(tuner).is_over);
	assert_int_equal(tuned_of(tuner).best, 4);
	assert_ok(predictd_tuner_keep(tuner, connection, &choice));
	assert_int_equal(fake.choice, 4);
	assert_int_equal(fake.choice_us, 800);
	assert_true(fake.choice_is_over);
	predictd_tuner_free(tuner);

	tuner = tuner_new(true);
	assert_ok(predictd_tuner_find(tuner, connection, &choice));
	assert_ok(predictd_tuner_next(tuner, &candidate));
	assert_int_equal(candidate.configuration, 4);
	assert_true(candidate.is_new); /* of this process */
	for (size_t i = 0; i < LAUNCHES; i++)
		assert_int_equal(launch(tuner, 1), 4);
	assert_true(tuned_of(tuner).is_over);
	assert_int_equal(tuned_of(tuner).measured_count, 1);
	assert_int_equal(predictd_tuner_find(tuner, connection, &choice), PREDICTD_INVALID);
	predictd_tuner_free(tuner);
}

static void a_search_that_was_not_over_goes_on(void **state)
{
	(void)state;
	const predictd_choice choice = choice_of("kernel");
	predictd_tuner *tuner = tuner_new(true);
	assert_int_equal(launch(tuner, 1), 0);
	assert_ok(predictd_tuner_keep(tuner, connection, &choice));
	assert_false(fake.choice_is_over);
	predictd_tuner_free(tuner);
	fake.choice = 3;
	tuner = tuner_new(true);
	assert_ok(predictd_tuner_find(tuner, connection, &choice));
	assert_int_equal(launch(tuner, 1), 3);
	assert_false(tuned_of(tuner).is_over);
	for (size_t i = 0; i < LAUNCHES; i++)
		(void)launch(tuner, 1);
	assert_int_equal(tuned_of(tuner).best, 4);
	predictd_tuner_free(tuner);
}

static void a_choice_that_is_no_good_any_more_is_given_up(void **state)
{
	(void)state;
	const predictd_choice choice = choice_of("kernel");
	fake.choice = 3;
	fake.choice_us = 1000;
	fake.choice_is_over = true;
	/* it fails */
	predictd_tuner *tuner = tuner_new(true);
	assert_ok(predictd_tuner_find(tuner, connection, &choice));
	assert_ok(predictd_tuner_report(tuner, 3, (double)INFINITY));
	assert_int_equal(launch(tuner, 1), 0);
	for (size_t i = 0; i < LAUNCHES; i++)
		assert_int_not_equal(launch(tuner, 1), 3);
	assert_int_equal(tuned_of(tuner).best, 4);
	predictd_tuner_free(tuner);
	/* it takes much longer than it took: others are tried once that is sure */
	for (unsigned slower = 0; slower < 2; slower++) {
		double factor = slower ? 1.4 : 1.2;
		tuner = tuner_new(true);
		assert_ok(predictd_tuner_find(tuner, connection, &choice));
		for (size_t i = 0; i <= DRIFT_REFERENCE; i++)
			assert_int_equal(launch(tuner, factor), 3);
		assert_int_equal(tuned_of(tuner).is_over, !slower);
		for (size_t i = 0; i < LAUNCHES; i++)
			(void)launch(tuner, factor);
		assert_int_equal(tuned_of(tuner).best, slower ? 4 : 3);
		predictd_tuner_free(tuner);
	}
	/* it cannot run, or is none */
	tuner = tuner_new(true);
	fake.choice = 5;
	assert_int_equal(predictd_tuner_find(tuner, connection, &choice), PREDICTD_NOT_FOUND);
	fake.choice = COUNT;
	assert_int_equal(predictd_tuner_find(tuner, connection, &choice), PREDICTD_NOT_FOUND);
	assert_int_equal(launch(tuner, 1), 0);
	predictd_tuner_free(tuner);
}

/* Milliseconds that a question takes, and what came of it. */
static double find_ms(predictd_tuner *tuner, predictd_connection *from, predictd_status *status)
{
	struct timespec begin, end;
	const predictd_choice choice = choice_of("kernel");
	(void)clock_gettime(CLOCK_MONOTONIC, &begin);
	*status = predictd_tuner_find(tuner, from, &choice);
	(void)clock_gettime(CLOCK_MONOTONIC, &end);
	return 1e3 * (double)(end.tv_sec - begin.tv_sec) +
	       1e-6 * (double)(end.tv_nsec - begin.tv_nsec);
}

/* The connection's time limit is 30 s. */
static void without_a_daemon_a_program_starts_all_the_same(void **state)
{
	(void)state;
	predictd_tuner *tuner = tuner_new(true);
	predictd_connection *lazy = NULL;
	predictd_status status;
	const predictd_choice choice = choice_of("kernel");
	(void)find_ms(tuner, NULL, &status);
	assert_int_equal(status, PREDICTD_UNAVAILABLE);
	/* one that is there and does not answer; one that does not even say hello */
	fake.is_silent = true;
	double silent_ms = find_ms(tuner, connection, &status);
	assert_int_equal(status, PREDICTD_TIMEOUT);
	fake.is_mute = true;
	const predictd_options options = {
	        .size = sizeof options, .socket_path = fake.path, .is_lazy = true};
	assert_ok(predictd_open_with(&options, &lazy));
	double mute_ms = find_ms(tuner, lazy, &status);
	assert_int_equal(status, PREDICTD_TIMEOUT);
	predictd_close(lazy);
	/* none */
	const predictd_options nowhere = {
	        .size = sizeof nowhere, .socket_path = "/nonexistent/socket", .is_lazy = true};
	assert_ok(predictd_open_with(&nowhere, &lazy));
	double away_ms = find_ms(tuner, lazy, &status);
	assert_int_equal(status, PREDICTD_UNAVAILABLE);
	print_message("# a daemon that is silent costs %.1f ms, one that is mute %.1f, none %.2f\n",
	              silent_ms, mute_ms, away_ms);
	assert_true(silent_ms + mute_ms + away_ms < 15000);
	for (size_t i = 0; i < LAUNCHES; i++)
		(void)launch(tuner, 1);
	assert_int_equal(tuned_of(tuner).best, 4);
	assert_int_equal(predictd_tuner_keep(tuner, lazy, &choice), PREDICTD_UNAVAILABLE);
	predictd_close(lazy);
	predictd_tuner_free(tuner);
	fake.is_silent = fake.is_mute = false;
}

static void what_is_wrong_is_said(void **state)
{
	(void)state;
	char name[PREDICTD_CHOICE_NAME_MAX + 2];
	predictd_tuner *tuner = tuner_new(true), *offline = tuner_new(false);
	predictd_choice choice = choice_of("kernel");
	unsigned before = fake.choice_questions;
	memset(name, 'n', sizeof name);
	name[sizeof name - 1] = 0;
	assert_int_equal(predictd_tuner_find(offline, connection, &choice), PREDICTD_INVALID);
	choice.size = 8;
	assert_int_equal(predictd_tuner_find(tuner, connection, &choice), PREDICTD_INVALID);
	static const char *const names[] = {NULL, "", NULL};
	for (size_t i = 0; i < 3; i++) {
		choice = choice_of(i == 2 ? name : names[i]);
		assert_int_equal(predictd_tuner_find(tuner, connection, &choice), PREDICTD_INVALID);
	}
	choice = choice_of("kernel");
	choice.size_count = PREDICTD_CHOICE_SIZES_MAX + 1;
	assert_int_equal(predictd_tuner_find(tuner, connection, &choice), PREDICTD_INVALID);
	assert_int_equal(fake.choice_questions, before);
	/* an offline search may keep what an online one finds */
	choice = choice_of("kernel");
	assert_ok(predictd_tuner_report(offline, 1, 1));
	assert_ok(predictd_tuner_keep(offline, connection, &choice));
	assert_int_equal(fake.choice, 1);
	predictd_tuner_free(offline);
	predictd_tuner_free(tuner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        WITH_DAEMON(a_choice_is_kept_and_the_next_start_begins_with_it),
	        WITH_DAEMON(a_search_that_was_not_over_goes_on),
	        WITH_DAEMON(a_choice_that_is_no_good_any_more_is_given_up),
	        WITH_DAEMON(without_a_daemon_a_program_starts_all_the_same),
	        WITH_DAEMON(what_is_wrong_is_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
