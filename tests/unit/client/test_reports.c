/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of measured times: none is lost, and each is counted. */
#include "tests/unit/client/client_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "client/library/background.h"

static predictd_report_counts counts_now(void)
{
	predictd_report_counts counts;
	predictd_get_report_counts(connection, &counts);
	return counts;
}

static void reports_are_sent_together_and_counted(void **state)
{
	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		predictd_observation observation = observation_of(i + 1);
		if (i % 10 == 3)
			observation.question.device = "raw";
		assert_ok(predictd_report(connection, &observation));
	}
	assert_ok(predictd_flush(connection));
	predictd_report_counts counts = counts_now();
	assert_int_equal(counts.reported, 900);
	assert_int_equal(counts.refused, 100);
	assert_int_equal(counts.dropped, 0);
	assert_int_equal(counts.waiting, 0);
	assert_int_equal(fake.observations, 1000);
	assert_true(fake.observed_batches <= 20);
	assert_true(fake.observed_at_s > 1600000000); /* when it was measured */
}

static void a_few_reports_are_sent_by_themselves(void **state)
{
	(void)state;
	predictd_observation observation = observation_of(1);
	assert_ok(predictd_report(connection, &observation));
	for (unsigned i = 0; i < 20000 && fake.observations == 0; i++)
		(void)usleep(1000);
	assert_int_equal(fake.observations, 1);
	observation.kernel_time_s = 0;
	assert_int_equal(predictd_report(connection, &observation), PREDICTD_INVALID);
	/* a task's time is one as well, but for such as are none */
	observation.task_time_s = 1e-3;
	assert_ok(predictd_report(connection, &observation));
	assert_ok(predictd_flush(connection));
	assert_int_equal(fake.observations, 2);
	static const double wrong[] = {-1, (double)NAN, (double)INFINITY};
	for (unsigned i = 0; i < 3; i++) {
		observation.task_time_s = wrong[i];
		assert_int_equal(predictd_report(connection, &observation), PREDICTD_INVALID);
		observation.kernel_time_s = 1e-3;
		assert_int_equal(predictd_report(connection, &observation), PREDICTD_INVALID);
		observation.kernel_time_s = 0;
	}
	observation.question.program = NULL;
	assert_int_equal(predictd_report(connection, &observation), PREDICTD_INVALID);
}

/* One at a time, each long after the one before has been sent: how most programs run kernels. */
static void reports_one_by_one_are_all_sent(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= 8; i++) {
		predictd_observation observation = observation_of(i);
		assert_ok(predictd_report(connection, &observation));
		for (unsigned wait = 0; wait < 20000 && fake.observations < i; wait++)
			(void)usleep(1000);
		assert_int_equal(fake.observations, i);
		/* answered, too: the queue is as it was at first */
		for (unsigned wait = 0; wait < 20000 && counts_now().reported < i; wait++)
			(void)usleep(1000);
		assert_int_equal(counts_now().reported, i);
	}
	assert_int_equal(fake.observed_batches, 8);
}

static void reports_wait_for_a_daemon_that_is_away_and_the_rest_is_dropped(void **state)
{
	(void)state;
	predictd_close(connection);
	connection = NULL;
	predictd_program_free(program);
	const predictd_options options = {
	        .size = sizeof options, .socket_path = fake.path, .report_max = 100};
	assert_ok(predictd_open_with(&options, &connection));
	assert_ok(predictd_register(connection, &source, &program));
	fake_daemon_halt(&fake);
	size_t taken = 0;
	for (size_t i = 0; i < 150; i++) {
		predictd_observation observation = observation_of(i + 1);
		predictd_status status = predictd_report(connection, &observation);
		taken += status == PREDICTD_OK;
		if (status != PREDICTD_OK)
			assert_int_equal(status, PREDICTD_BUSY);
	}
	assert_int_equal(taken, 100);
	assert_int_equal(counts_now().dropped, 50);
	predictd_set_timeout(connection, 1);
	assert_int_equal(predictd_flush(connection), PREDICTD_TIMEOUT);
	assert_int_equal(counts_now().waiting, 100);
	predictd_set_timeout(connection, 20); /* also of who asks the daemon that is back */
	fake_daemon_restart(&fake);
	assert_ok(predictd_flush(connection));
	assert_int_equal(counts_now().reported, 100);
	assert_int_equal(fake.observations, 100);
}

/* Its time runs out again and again before it has been sent; the second try tells of the first. */
static void a_report_waits_for_a_daemon_that_does_not_greet(void **state)
{
	(void)state;
	predictd_observation observation = observation_of(1);
	fake_daemon_halt(&fake);
	fake.is_mute = true;
	fake_daemon_restart(&fake);
	unsigned before = fake.connections;
	predictd_set_timeout(connection, 0.05);
	assert_ok(predictd_report(connection, &observation));
	for (unsigned i = 0; i < 20000 && fake.connections < before + 3; i++)
		(void)usleep(1000);
	assert_int_equal(counts_now().waiting, 1);
	assert_int_equal(counts_now().dropped, 0);
	predictd_set_timeout(connection, 20);
	fake.is_mute = false;
	assert_ok(predictd_flush(connection));
	assert_int_equal(counts_now().reported, 1);
	assert_int_equal(fake.observations, 1);
}

static void a_report_waits_for_a_daemon_that_does_not_register(void **state)
{
	(void)state;
	predictd_observation observation = observation_of(1);
	fake_daemon_halt(&fake);
	fake.is_silent = true;
	fake_daemon_restart(&fake);
	unsigned before = fake.asked;
	predictd_set_timeout(connection, 0.05);
	assert_ok(predictd_report(connection, &observation));
	for (unsigned i = 0; i < 20000 && fake.asked < before + 3; i++)
		(void)usleep(1000);
	predictd_set_timeout(connection, 20);
	fake.is_silent = false;
	assert_ok(predictd_flush(connection));
	assert_int_equal(counts_now().reported, 1);
	assert_int_equal(counts_now().dropped, 0);
	assert_int_equal(fake.observations, 1);
}

static void a_report_waits_for_a_daemon_that_takes_no_more_connections(void **state)
{
	(void)state;
	predictd_observation observation = observation_of(1);
	fake_daemon_halt(&fake);
	fake.is_full = true;
	fake_daemon_restart(&fake);
	unsigned before = fake.connections;
	assert_ok(predictd_report(connection, &observation));
	for (unsigned i = 0; i < 20000 && fake.connections < before + 3; i++)
		(void)usleep(1000);
	assert_int_equal(counts_now().waiting, 1);
	fake.is_full = false;
	assert_ok(predictd_flush(connection));
	assert_int_equal(counts_now().reported, 1);
	assert_int_equal(counts_now().refused, 0);
}

static void questions_do_not_wait_for_the_acknowledgement_of_reports(void **state)
{
	(void)state;
	struct answers answers = {0};
	predictd_observation observation = observation_of(1);
	predictd_question question = question_of(1);
	unsigned before = fake.asked;
	fake.is_silent = true;
	assert_ok(predictd_report(connection, &observation));
	for (unsigned i = 0; i < 20000 && fake.asked == before; i++)
		(void)usleep(1000);
	fake.is_silent = false; /* and that report has no answer */
	assert_ok(predictd_predict_async(connection, &question, 1, keep_answers, &answers));
	while (answers.calls == 0)
		(void)predictd_dispatch(connection, -1);
	assert_int_equal(answers.wrong, 0);
	assert_int_equal(counts_now().waiting, 1);
}

/* However many more wait: those that were asked meanwhile come after it. */
static void a_report_that_is_due_does_not_wait_for_an_end_of_the_questions(void **state)
{
	(void)state;
	struct answers answers = {0};
	predictd_observation observation = observation_of(1);
	predictd_question question = question_of(1);
	assert_ok(predictd_predict_async(connection, &question, 1, NULL, NULL));
	while (predictd_dispatch(connection, -1) > 0)
		;
	unsigned before = fake.asked;
	fake.holds = true;
	question.local[0] = 1;
	assert_ok(predictd_predict_async(connection, &question, 1, keep_answers, &answers));
	await_asked(before, 1);
	assert_ok(predictd_report(connection, &observation));
	(void)usleep(25000); /* after 20 ms it is due */
	question.local[0] = 2;
	assert_ok(predictd_predict_async(connection, &question, 1, keep_answers, &answers));
	fake.holds = false;
	assert_ok(predictd_flush(connection));
	while (predictd_dispatch(connection, -1) > 0)
		;
	assert_int_equal(fake.observed_after, before + 2);
	assert_int_equal(answers.count, 2);
}

static void *report_while_flushed(void *context)
{
	predictd_observation observation = observation_of(2);
	uint64_t flushed = 0;
	(void)context;
	while (flushed == 0) {
		(void)usleep(1000);
		(void)pthread_mutex_lock(&connection->mutex);
		flushed = connection->background->flush_number;
		(void)pthread_mutex_unlock(&connection->mutex);
	}
	(void)predictd_report(connection, &observation);
	fake.is_silent = true; /* to that one; the first is answered */
	fake.holds = false;
	return NULL;
}

static void flushing_waits_for_what_was_reported_before_alone(void **state)
{
	(void)state;
	pthread_t thread;
	predictd_observation observation = observation_of(1);
	unsigned before = fake.asked;
	fake.holds = true;
	assert_ok(predictd_report(connection, &observation));
	await_asked(before, 1);
	assert_int_equal(pthread_create(&thread, NULL, report_while_flushed, NULL), 0);
	predictd_set_timeout(connection, 10);
	assert_ok(predictd_flush(connection));
	(void)pthread_join(thread, NULL);
	assert_int_equal(counts_now().reported, 1);
	assert_int_equal(counts_now().waiting, 1);
}

/* Whose program the daemon refuses takes the reports and questions of others not along. */
static void a_program_that_is_refused_stands_for_itself(void **state)
{
	(void)state;
	struct answers answers = {0};
	predictd_program *broken = NULL;
	predictd_source bad = source;
	bad.options = "-broken";
	predictd_close(connection);
	predictd_program_free(program);
	connection = NULL;
	fake_daemon_halt(&fake);
	const predictd_options options = {
	        .size = sizeof options, .socket_path = fake.path, .is_lazy = true};
	assert_ok(predictd_open_with(&options, &connection));
	assert_ok(predictd_register(connection, &source, &program));
	assert_ok(predictd_register(connection, &bad, &broken));
	for (uint64_t i = 1; i <= 300; i++) {
		predictd_observation observation = observation_of(i);
		if (i % 3 == 0)
			observation.question.program = broken;
		assert_ok(predictd_report(connection, &observation));
	}
	fake_daemon_restart(&fake);
	assert_ok(predictd_flush(connection));
	assert_int_equal(counts_now().reported, 200);
	assert_int_equal(counts_now().refused, 100);
	assert_int_equal(fake.observations, 200);

	predictd_program *again = NULL; /* the broken one is still not registered */
	assert_ok(predictd_register(connection, &source, &again));
	predictd_question question = question_of(1);
	fake.holds = true; /* so that the next two go out together */
	unsigned before = fake.asked;
	assert_ok(predictd_predict_async(connection, &question, 1, keep_answers, &answers));
	await_asked(before, 1);
	question.local[0] = 1;
	assert_ok(predictd_predict_async(connection, &question, 1, keep_answers, &answers));
	question.program = broken;
	assert_ok(predictd_predict_async(connection, &question, 1, keep_answers, &answers));
	fake.holds = false;
	while (answers.count < 3)
		(void)predictd_dispatch(connection, -1);
	assert_int_equal(answers.wrong, 1);
	predictd_program_free(again);
	predictd_program_free(broken);
}

static void every_report_is_counted(void **state)
{
	(void)state;
	predictd_observation observation = observation_of(1);
	assert_ok(predictd_report(connection, &observation));
	observation.question.device = "raw";
	assert_ok(predictd_report(connection, &observation));
	observation.kernel_time_s = -1;
	assert_int_equal(predictd_report(connection, &observation), PREDICTD_INVALID);
	assert_ok(predictd_flush(connection));
	assert_int_equal(counts_now().reported, 1);
	assert_int_equal(counts_now().refused, 2);
	assert_int_equal(counts_now().dropped, 0);
}

static void closing_sends_what_was_reported(void **state)
{
	(void)state;
	for (size_t i = 0; i < 100; i++) {
		predictd_observation observation = observation_of(i + 1);
		assert_ok(predictd_report(connection, &observation));
	}
	predictd_close(connection);
	connection = NULL;
	assert_int_equal(fake.observations, 100);
}

static void *register_much(void *context)
{
	enum { MUCH = 1 << 19 /* more than a socket takes that is not read */ };
	static char text[MUCH];
	const predictd_source much = {.name = "m.cl", .text = text, .size = MUCH};
	predictd_program *other = NULL;
	predictd_status *status = context;
	*status = predictd_register(connection, &much, &other);
	predictd_program_free(other);
	return NULL;
}

static void *ask_slowly(void *context)
{
	predictd_status *status = context;
	predictd_question question = question_of(7);
	predictd_prediction *got = NULL;
	*status = predictd_predict(connection, &question, &got);
	predictd_predictions_free(got, 1);
	return NULL;
}

/* A frame that is cut ends its link: questions are asked over another, reports not sent again. */
static void a_request_that_is_cut_takes_no_others_along(void **state)
{
	(void)state;
	pthread_t asking, registering;
	predictd_status asked = PREDICTD_INTERNAL, registered = PREDICTD_INTERNAL;
	predictd_observation observation = observation_of(1);
	unsigned before = fake.asked, connections = fake.connections;
	fake.holds = true; /* and reads nothing meanwhile */
	assert_ok(predictd_report(connection, &observation));
	await_asked(before, 1);
	predictd_set_timeout(connection, 20);
	assert_int_equal(pthread_create(&asking, NULL, ask_slowly, &asked), 0);
	(void)usleep(20000); /* whether it has been sent by then or not */
	predictd_set_timeout(connection, 0.1);
	assert_int_equal(pthread_create(&registering, NULL, register_much, &registered), 0);
	(void)pthread_join(registering, NULL);
	predictd_set_timeout(connection, 20);
	assert_int_equal(registered, PREDICTD_TIMEOUT);
	fake.holds = false;
	(void)pthread_join(asking, NULL);
	assert_int_equal(asked, PREDICTD_OK);
	assert_ok(predictd_flush(connection));
	assert_int_equal(counts_now().dropped, 1);
	for (unsigned i = 0; i < 20000 && fake.observations == 0; i++)
		(void)usleep(1000); /* the first link's thread may still be at it */
	assert_int_equal(fake.observations, 1);
	assert_int_equal(fake.connections, connections + 1);
}

static void closing_does_not_wait_for_a_daemon_that_greets_nobody(void **state)
{
	(void)state;
	predictd_observation observation = observation_of(1);
	fake_daemon_halt(&fake);
	fake.is_mute = true;
	fake_daemon_restart(&fake);
	unsigned before = fake.connections;
	predictd_set_timeout(connection, 0); /* for ever */
	assert_ok(predictd_report(connection, &observation));
	for (unsigned i = 0; i < 20000 && fake.connections == before; i++)
		(void)usleep(1000);
	predictd_close(connection);
	connection = NULL; /* here it is */
}

static void closing_does_not_wait_for_a_daemon_that_says_nothing(void **state)
{
	(void)state;
	predictd_observation observation = observation_of(1);
	predictd_set_timeout(connection, 0); /* for ever */
	fake.is_silent = true;
	assert_ok(predictd_report(connection, &observation));
	predictd_close(connection);
	connection = NULL; /* here it is */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        WITH_DAEMON(reports_are_sent_together_and_counted),
	        WITH_DAEMON(a_few_reports_are_sent_by_themselves),
	        WITH_DAEMON(reports_one_by_one_are_all_sent),
	        WITH_DAEMON(reports_wait_for_a_daemon_that_is_away_and_the_rest_is_dropped),
	        WITH_DAEMON(a_report_waits_for_a_daemon_that_does_not_greet),
	        WITH_DAEMON(a_report_waits_for_a_daemon_that_does_not_register),
	        WITH_DAEMON(a_report_waits_for_a_daemon_that_takes_no_more_connections),
	        WITH_DAEMON(questions_do_not_wait_for_the_acknowledgement_of_reports),
	        WITH_DAEMON(a_report_that_is_due_does_not_wait_for_an_end_of_the_questions),
	        WITH_DAEMON(flushing_waits_for_what_was_reported_before_alone),
	        WITH_DAEMON(a_program_that_is_refused_stands_for_itself),
	        WITH_DAEMON(every_report_is_counted),
	        WITH_DAEMON(closing_sends_what_was_reported),
	        WITH_DAEMON(closing_does_not_wait_for_a_daemon_that_says_nothing),
	        WITH_DAEMON(closing_does_not_wait_for_a_daemon_that_greets_nobody),
	        WITH_DAEMON(a_request_that_is_cut_takes_no_others_along),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("reports", tests, NULL, NULL);
}
