/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that do not wait, and calls that wait no longer than they may. */
#include "tests/unit/client/client_fixture.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 3000 };

static predictd_question *many_questions(void)
{
	predictd_question *questions = calloc(MANY, sizeof *questions);
	for (size_t i = 0; i < MANY; i++)
		questions[i] = question_of(i + 1);
	return questions;
}

static double now_s(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void answers_are_called_back_with_by_dispatch(void **state)
{
	(void)state;
	struct answers answers = {0};
	predictd_question *questions = many_questions();
	assert_int_equal(predictd_dispatch(connection, -1), 0); /* nothing to wait for */
	assert_ok(predictd_predict_async(connection, questions, MANY, keep_answers, &answers));
	free(questions); /* copied */
	while (answers.calls == 0)
		(void)predictd_dispatch(connection, -1);
	assert_int_equal(answers.calls, 1);
	assert_int_equal(answers.count, MANY);
	assert_int_equal(answers.wrong, 0);
	assert_true(fake.largest <= 1024);
	assert_int_equal(predictd_dispatch(connection, -1), 0);
}

static void the_descriptor_is_readable_while_there_is_something_to_dispatch(void **state)
{
	(void)state;
	struct answers answers = {0};
	predictd_question question = question_of(1);
	struct pollfd poller = {.fd = predictd_fd(connection), .events = POLLIN};
	assert_true(poller.fd >= 0);
	assert_int_equal(predictd_fd(connection), poller.fd);
	assert_true((fcntl(poller.fd, F_GETFD) & FD_CLOEXEC) != 0);
	assert_int_equal(poll(&poller, 1, 0), 0);
	for (unsigned round = 1; round <= 3; round++) {
		/* asked, then from the memo */
		assert_ok(predictd_predict_async(connection, &question, 1, keep_answers, &answers));
		assert_int_equal(poll(&poller, 1, 20000), 1);
		assert_int_equal(predictd_dispatch(connection, 0), 1);
		assert_int_equal(answers.count, round);
		assert_int_equal(poll(&poller, 1, 0), 0);
	}
	assert_int_equal(answers.wrong, 0);
	assert_int_equal(fake.singles, 1);
}

static void questions_without_a_callback_are_known_later(void **state)
{
	(void)state;
	predictd_question *questions = many_questions();
	predictd_estimate estimate;
	assert_ok(predictd_predict_async(connection, questions, 10, NULL, NULL));
	while (predictd_dispatch(connection, -1) > 0)
		;
	unsigned batches = fake.batches;
	for (size_t i = 0; i < 10; i++)
		assert_ok(predictd_predict_into(connection, &questions[i], &estimate));
	assert_int_equal(fake.singles, 0);
	assert_int_equal(fake.batches, batches);
	free(questions);
}

static void questions_that_wait_go_out_together(void **state)
{
	(void)state;
	struct answers answers = {0};
	fake.holds = true;
	for (size_t i = 0; i < 40; i++) {
		predictd_question question = question_of(1);
		question.local[0] = i + 1;
		assert_ok(predictd_predict_async(connection, &question, 1, keep_answers, &answers));
	}
	fake.holds = false;
	while (answers.count < 40)
		(void)predictd_dispatch(connection, -1);
	assert_int_equal(answers.wrong, 0);
	assert_true(fake.singles + fake.batches <= 4);
}

static void what_fails_is_called_back_with_its_status(void **state)
{
	(void)state;
	struct answers answers = {0};
	predictd_question question = question_of(1);
	question.device = "raw";
	assert_ok(predictd_predict_async(connection, &question, 1, keep_answers, &answers));
	while (answers.calls < 1)
		(void)predictd_dispatch(connection, -1);
	assert_int_equal(answers.last, PREDICTD_UNCALIBRATED);
	question.dimensions = 0;
	assert_ok(predictd_predict_async(connection, &question, 1, keep_answers, &answers));
	while (answers.calls < 2)
		(void)predictd_dispatch(connection, -1);
	assert_int_equal(answers.last, PREDICTD_INVALID);
	assert_int_equal(predictd_predict_async(connection, &question, 0, NULL, NULL),
	                 PREDICTD_INVALID);
	assert_int_equal(predictd_predict_async(connection, &question, 20000, NULL, NULL),
	                 PREDICTD_LIMIT);
}

static void more_than_may_wait_are_not_asked(void **state)
{
	(void)state;
	predictd_question *questions = many_questions();
	struct answers answers = {0};
	predictd_status status = PREDICTD_OK;
	size_t asked = 0;
	fake.is_silent = true;
	while (status == PREDICTD_OK && asked < 100) {
		status =
		        predictd_predict_async(connection, questions, MANY, keep_answers, &answers);
		asked += status == PREDICTD_OK;
	}
	assert_int_equal(status, PREDICTD_BUSY);
	assert_int_equal(asked, 5);
	free(questions); /* and closing does not wait for them */
}

static void an_answer_that_does_not_come_ends_at_its_time(void **state)
{
	(void)state;
	struct answers answers = {0};
	predictd_question question = question_of(1);
	fake.is_silent = true;
	predictd_set_timeout(connection, 0.1);
	assert_ok(predictd_predict_async(connection, &question, 1, keep_answers, &answers));
	while (answers.calls == 0)
		(void)predictd_dispatch(connection, -1);
	assert_int_equal(answers.last, PREDICTD_TIMEOUT);
	assert_int_equal(predictd_dispatch(connection, 0.01), 0);
}

static void ask_again(const predictd_estimate *estimates, size_t count, void *context)
{
	size_t *rounds = context;
	predictd_question question = question_of(*rounds + 2);
	(void)estimates;
	(void)count;
	if (++*rounds < 5)
		assert_ok(predictd_predict_async(connection, &question, 1, ask_again, context));
}

static void a_callback_may_ask_more(void **state)
{
	(void)state;
	size_t rounds = 0;
	predictd_question question = question_of(1);
	assert_ok(predictd_predict_async(connection, &question, 1, ask_again, &rounds));
	while (rounds < 5)
		(void)predictd_dispatch(connection, -1);
	assert_int_equal(fake.singles, 5);
}

static void a_program_may_be_freed_while_it_is_asked_about(void **state)
{
	(void)state;
	struct answers answers = {0};
	predictd_question question = question_of(1);
	fake.delay_ms = 20;
	assert_ok(predictd_predict_async(connection, &question, 1, keep_answers, &answers));
	predictd_program_free(program);
	program = NULL;
	while (answers.calls == 0)
		(void)predictd_dispatch(connection, -1);
	assert_int_equal(answers.wrong, 0);
}

/* ---- daemons that are away, or do not answer ----------------------------------------------- */

static void a_lazy_connection_opens_before_the_daemon_is_there(void **state)
{
	(void)state;
	predictd_estimate estimate;
	predictd_close(connection);
	predictd_program_free(program);
	connection = NULL;
	fake_daemon_halt(&fake);
	const predictd_options options = {
	        .size = sizeof options, .socket_path = fake.path, .is_lazy = true};
	assert_ok(predictd_open_with(&options, &connection));
	assert_ok(predictd_register(connection, &source, &program));
	const predictd_kernel *kernels;
	assert_int_equal(predictd_program_kernels(program, &kernels), 0);
	predictd_question question = question_of(5);
	for (unsigned i = 0; i < 20; i++) /* at once, however often */
		assert_int_equal(predictd_predict_into(connection, &question, &estimate),
		                 PREDICTD_UNAVAILABLE);
	assert_non_null(strstr(predictd_error_text(), fake.path));
	fake_daemon_restart(&fake);
	predictd_status status = PREDICTD_UNAVAILABLE;
	for (unsigned i = 0; i < 20000 && status == PREDICTD_UNAVAILABLE; i++) {
		status = predictd_predict_into(connection, &question, &estimate);
		(void)usleep(1000);
	}
	assert_ok(status);
	assert_close(estimate.kernel_time_s, 5e-9, 1e-12);
}

static void options_of_an_older_program_are_understood(void **state)
{
	(void)state;
	predictd_connection *other = NULL;
	predictd_options options;
	memset(&options, 0xff, sizeof options); /* what it did not know */
	options.size = offsetof(predictd_options, is_lazy);
	options.socket_path = fake.path;
	assert_ok(predictd_open_with(&options, &other));
	predictd_close(other);
}

/* A listener that accepts nobody, and queues two. */
static int listen_once(struct sockaddr_un *address)
{
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	(void)snprintf(address->sun_path, sizeof address->sun_path, "%s/full", fake.folder);
	assert_int_equal(bind(listener, (struct sockaddr *)address, sizeof *address), 0);
	assert_int_equal(listen(listener, 1), 0);
	return listener;
}

/* A socket whose queue is full: connect() would wait, and whoever gets in is not greeted. */
static void a_daemon_that_takes_no_connection_is_not_waited_for_beyond_the_timeout(void **state)
{
	(void)state;
	struct sockaddr_un address;
	int listener = listen_once(&address);
	const predictd_options options = {
	        .size = sizeof options, .socket_path = address.sun_path, .timeout_s = 0.1};
	for (unsigned i = 0; i < 5; i++) { /* some are queued, the rest is refused */
		predictd_connection *other = NULL;
		predictd_status status = predictd_open_with(&options, &other);
		assert_true(status == PREDICTD_TIMEOUT || status == PREDICTD_UNAVAILABLE);
		assert_null(other);
	}
	close(listener);
	(void)unlink(address.sun_path);
}

static void *open_slowly(void *context)
{
	predictd_connection *other = NULL;
	(void)predictd_open_with(context, &other);
	predictd_close(other);
	return NULL;
}

static unsigned count_descriptors(void)
{
	unsigned count = 0;
	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* Else the daemon would see its end when the child has ended, too. */
static void a_child_has_no_socket_that_its_parent_is_connecting(void **state)
{
	(void)state;
	enum { QUEUED = 2 };
	pthread_t thread;
	struct sockaddr_un address;
	int listener = listen_once(&address), status = -1, queued[QUEUED];
	predictd_options options = {
	        .size = sizeof options, .socket_path = address.sun_path, .timeout_s = 20};
	for (size_t i = 0; i < QUEUED; i++) {
		queued[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		assert_int_equal(connect(queued[i], (struct sockaddr *)&address, sizeof address),
		                 0);
	}
	unsigned before = count_descriptors();
	assert_int_equal(pthread_create(&thread, NULL, open_slowly, &options), 0);
	while (count_descriptors() == before)
		(void)usleep(1000);
	pid_t child = fork();
	if (child == 0) /* nor the socket of the test's connection */
		_exit(count_descriptors() == before - 1 ? 0 : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	close(listener);
	for (size_t i = 0; i < QUEUED; i++)
		close(queued[i]);
	(void)pthread_join(thread, NULL);
	(void)unlink(address.sun_path);
	assert_int_equal(status, 0);
}

static void noise_is_no_answer_and_does_no_harm(void **state)
{
	(void)state;
	predictd_set_timeout(connection, 0.02);
	fake.writes_noise = true;
	for (unsigned i = 0; i < 40; i++) {
		predictd_prediction *got = NULL;
		predictd_question question = question_of(i + 1);
		assert_int_not_equal(predictd_predict(connection, &question, &got), PREDICTD_OK);
		assert_null(got);
	}
	fake.writes_noise = false;
	predictd_set_timeout(connection, 20);
	predictd_status status;
	predictd_prediction *got = NULL;
	predictd_question question = question_of(5);
	do /* back-off */
		status = predictd_predict(connection, &question, &got);
	while (status == PREDICTD_UNAVAILABLE);
	assert_ok(status);
	assert_close(got->kernel_time_s, 5e-9, 1e-12);
	predictd_predictions_free(got, 1);
}

static void registering_again_ends_in_time_too(void **state)
{
	(void)state;
	predictd_prediction *got = NULL;
	predictd_question question = question_of(5);
	fake_daemon_halt(&fake);
	fake_daemon_restart(&fake);
	fake.is_silent = true; /* but for hello */
	predictd_set_timeout(connection, 0.1);
	double begun_s = now_s();
	predictd_status status;
	do
		status = predictd_predict(connection, &question, &got);
	while (status == PREDICTD_UNAVAILABLE && now_s() - begun_s < 20);
	assert_int_equal(status, PREDICTD_TIMEOUT);
	assert_null(got);
}

static void *dispatch_on(void *context)
{
	(void)context;
	while (predictd_dispatch(connection, -1) > 0)
		;
	return NULL;
}

static void threads_that_dispatch_all_come_to_an_end(void **state)
{
	(void)state;
	enum { THREADS = 4 };
	pthread_t threads[THREADS];
	struct answers answers = {0};
	predictd_question question = question_of(1);
	fake.delay_ms = 20;
	assert_ok(predictd_predict_async(connection, &question, 1, keep_answers, &answers));
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, dispatch_on, NULL), 0);
	for (size_t i = 0; i < THREADS; i++)
		(void)pthread_join(threads[i], NULL);
	assert_int_equal(answers.count, 1);
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

static void calls_are_outstanding_together(void **state)
{
	(void)state;
	enum { THREADS = 2 };
	pthread_t threads[THREADS];
	predictd_status statuses[THREADS];
	/* the first answer is held until the second question comes */
	fake.reverses = true;
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_slowly, &statuses[i]), 0);
	for (size_t i = 0; i < THREADS; i++) {
		(void)pthread_join(threads[i], NULL);
		assert_int_equal(statuses[i], PREDICTD_OK);
	}
	assert_int_equal(fake.connections, 1);
}

static void a_daemon_that_dies_fails_every_call_on_its_link(void **state)
{
	(void)state;
	enum { THREADS = 6 };
	pthread_t threads[THREADS];
	predictd_status statuses[THREADS];
	fake.is_silent = true;
	unsigned before = fake.asked;
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_slowly, &statuses[i]), 0);
	await_asked(before, THREADS);
	fake_daemon_halt(&fake);
	for (size_t i = 0; i < THREADS; i++) {
		(void)pthread_join(threads[i], NULL);
		assert_int_equal(statuses[i], PREDICTD_UNAVAILABLE);
	}
	fake.is_silent = false;
	fake_daemon_restart(&fake);
}

static void one_call_that_ends_in_time_leaves_others_their_link(void **state)
{
	(void)state;
	pthread_t thread;
	predictd_status slow = PREDICTD_INTERNAL;
	predictd_question question = question_of(3);
	predictd_prediction *got = NULL;
	unsigned before = fake.asked;
	fake.holds = true;
	assert_int_equal(pthread_create(&thread, NULL, ask_slowly, &slow), 0);
	await_asked(before, 1);
	predictd_set_timeout(connection, 0.05);
	assert_int_equal(predictd_predict(connection, &question, &got), PREDICTD_TIMEOUT);
	fake.holds = false;
	(void)pthread_join(thread, NULL);
	assert_int_equal(slow, PREDICTD_OK);
	/* the late reply is nobody's */
	predictd_set_timeout(connection, 20);
	assert_ok(predictd_predict(connection, &question, &got));
	assert_close(got->kernel_time_s, 3e-9, 1e-12);
	assert_int_equal(fake.connections, 1);
	predictd_predictions_free(got, 1);
}

enum { THREADS = 8, ROUNDS = 200 };

static void *do_everything(void *context)
{
	size_t *wrong = context;
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		predictd_question question = question_of(i), again = question_of(i % 16 + 1);
		predictd_prediction *got;
		predictd_estimate estimate;
		predictd_observation observation = observation_of(i);
		if (predictd_predict(connection, &question, &got) != PREDICTD_OK) {
			++*wrong;
			continue;
		}
		*wrong += fabs(got->kernel_time_s - 1e-9 * (double)i) > 1e-15;
		predictd_predictions_free(got, 1);
		if (predictd_predict_into(connection, &again, &estimate) != PREDICTD_OK ||
		    fabs(estimate.kernel_time_s - 1e-9 * (double)(i % 16 + 1)) > 1e-15)
			++*wrong;
		(void)predictd_predict_now(connection, &question, &estimate);
		*wrong += predictd_report(connection, &observation) != PREDICTD_OK;
		*wrong +=
		        predictd_predict_async(connection, &question, 1, NULL, NULL) != PREDICTD_OK;
		(void)predictd_dispatch(connection, 0);
		if (i % 50 == 0)
			fake_daemon_raise(&fake);
	}
	return NULL;
}

static void threads_do_everything_at_once(void **state)
{
	(void)state;
	pthread_t threads[THREADS];
	size_t wrong[THREADS] = {0};
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, do_everything, &wrong[i]), 0);
	for (size_t i = 0; i < THREADS; i++)
		(void)pthread_join(threads[i], NULL);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(wrong[i], 0);
	assert_ok(predictd_flush(connection));
	assert_int_equal(fake.observations, THREADS * ROUNDS);
	assert_int_equal(fake.connections, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        WITH_DAEMON(answers_are_called_back_with_by_dispatch),
	        WITH_DAEMON(the_descriptor_is_readable_while_there_is_something_to_dispatch),
	        WITH_DAEMON(questions_without_a_callback_are_known_later),
	        WITH_DAEMON(questions_that_wait_go_out_together),
	        WITH_DAEMON(what_fails_is_called_back_with_its_status),
	        WITH_DAEMON(more_than_may_wait_are_not_asked),
	        WITH_DAEMON(an_answer_that_does_not_come_ends_at_its_time),
	        WITH_DAEMON(a_callback_may_ask_more),
	        WITH_DAEMON(a_program_may_be_freed_while_it_is_asked_about),
	        WITH_DAEMON(a_lazy_connection_opens_before_the_daemon_is_there),
	        WITH_DAEMON(options_of_an_older_program_are_understood),
	        WITH_DAEMON(a_daemon_that_takes_no_connection_is_not_waited_for_beyond_the_timeout),
	        WITH_DAEMON(a_child_has_no_socket_that_its_parent_is_connecting),
	        WITH_DAEMON(noise_is_no_answer_and_does_no_harm),
	        WITH_DAEMON(registering_again_ends_in_time_too),
	        WITH_DAEMON(threads_that_dispatch_all_come_to_an_end),
	        WITH_DAEMON(calls_are_outstanding_together),
	        WITH_DAEMON(a_daemon_that_dies_fails_every_call_on_its_link),
	        WITH_DAEMON(one_call_that_ends_in_time_leaves_others_their_link),
	        WITH_DAEMON(threads_do_everything_at_once),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("async", tests, NULL, NULL);
}
