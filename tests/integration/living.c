/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that lives with the daemon: calls now and then from several threads, while the daemon
 * is restarted and stopped; children; a full queue; an end without closing. Every report is
 * accounted for: what the library counts and what the daemon knows are what was given.
 *
 *   living PREDICTD CONFIGURATION SOURCE CALIBRATION   as TAP; the daemon is its own
 *   living report COUNT SOURCE                         reports, and ends without closing
 *
 * PREDICTD_SOCKET is where the daemon listens.
 */
#include "tests/test.h"

#include "client/predictd.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	LAUNCHES = 8, /* few: of these the daemon counts every run */
	THREADS = 4,
	EACH = 1000,
	GAP_MAX_MS = 50,
	CHILD = 50,
	QUEUE = 100,
	LEFT = 20,
	STOPPED_S = 11
};

static char **given; /* the arguments */
static pid_t daemon_pid;
static predictd_source *source;
static uint64_t total; /* reports that the daemon has to know by now */
static predictd_connection *connection;
static predictd_program *program;

static const predictd_argument arguments[] = {
        {.kind = PREDICTD_BUFFER, .access = PREDICTD_READ, .size_bytes = 4 << 20},
        {.kind = PREDICTD_BUFFER, .access = PREDICTD_WRITE, .size_bytes = 4 << 20}};

static void assert_ok(predictd_status status)
{
	if (status != PREDICTD_OK)
		fail_msg("%s: %s", predictd_status_name(status), predictd_error_text());
}

static double now_s(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void sleep_ms(unsigned ms)
{
	(void)usleep(1000 * ms);
}

/* ---- the daemon ---------------------------------------------------------------------------- */

/* Starts it, and waits until it answers. */
static void daemon_start(void)
{
	daemon_pid = fork();
	if (daemon_pid == 0) {
		(void)execl(given[1], given[1], "--config", given[2], (char *)NULL);
		_exit(127);
	}
	predictd_connection *one = NULL;
	while (predictd_open(NULL, &one) != PREDICTD_OK) {
		assert_int_equal(waitpid(daemon_pid, NULL, WNOHANG), 0);
		sleep_ms(20);
	}
	predictd_close(one);
}

static void daemon_end(void)
{
	int status;
	(void)kill(daemon_pid, SIGTERM);
	assert_int_equal(waitpid(daemon_pid, &status, 0), daemon_pid);
	assert_int_equal(status, 0);
}

static predictd_question question_of(const predictd_program *of, uint64_t groups)
{
	/* recorded, and away: a device that is asked about by its name */
	return (predictd_question){.program = of,
	                           .device = "pthread-skylake",
	                           .dimensions = 1,
	                           .global = {64 * groups},
	                           .local = {64},
	                           .argument_count = 2,
	                           .arguments = arguments};
}

static predictd_observation observation_of(const predictd_program *of, uint64_t groups)
{
	return (predictd_observation){.question = question_of(of, groups), .kernel_time_s = 1e-3};
}

/* The daemon knows what this test has given, and nothing twice. */
static void assert_total(void)
{
	predictd_history *history = NULL;
	predictd_question question = question_of(program, 1);
	question.dimensions = 0; /* every launch */
	assert_ok(predictd_get_history(connection, &question, 1, &history));
	assert_int_equal(history->total, total);
	predictd_history_free(history);
}

static predictd_report_counts counts_of(predictd_connection *of)
{
	predictd_report_counts counts;
	predictd_get_report_counts(of, &counts);
	return counts;
}

static void open_program(const predictd_options *options, predictd_connection **opened,
                         predictd_program **registered)
{
	assert_ok(predictd_open_with(options, opened));
	assert_ok(predictd_register(*opened, source, registered));
}

/* ---- tests --------------------------------------------------------------------------------- */

/* How many requests the daemon has had, this one among them. */
static uint64_t requests_now(void)
{
	predictd_daemon_status *daemon_status = NULL;
	assert_ok(predictd_get_status(connection, &daemon_status));
	uint64_t requests = daemon_status->requests;
	predictd_status_free(daemon_status);
	return requests;
}

static void calibrate(void)
{
	static uint8_t bytes[1 << 20];
	FILE *file = fopen(given[4], "rb");
	assert_non_null(file);
	size_t size = fread(bytes, 1, sizeof bytes, file);
	(void)fclose(file);
	assert_ok(predictd_import(connection, bytes, size, NULL));
}

/* The first test: until it no device is known. */
static void a_refusal_is_known_until_a_calibration_comes(void **state)
{
	(void)state;
	const predictd_question question = question_of(program, 1);
	predictd_estimate estimate;
	char sentence[512];
	assert_int_equal(predictd_predict_into(connection, &question, &estimate),
	                 PREDICTD_NOT_FOUND);
	(void)snprintf(sentence, sizeof sentence, "%s", predictd_error_text());
	uint64_t before = requests_now();
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(predictd_predict_into(connection, &question, &estimate),
		                 PREDICTD_NOT_FOUND);
		assert_string_equal(predictd_error_text(), sentence);
	}
	assert_int_equal(requests_now(), before + 1);
	calibrate();
	assert_ok(predictd_predict_into(connection, &question, &estimate));
}

struct reporter {
	pthread_t thread;
	unsigned seed, refused;
};

/* A runtime's thread: it asks without waiting, runs a kernel, and reports. */
static void *report_now_and_then(void *context)
{
	struct reporter *reporter = context;
	for (unsigned i = 0; i < EACH; i++) {
		predictd_estimate estimate;
		uint64_t groups = 1 + (uint64_t)rand_r(&reporter->seed) % LAUNCHES;
		const predictd_observation observation = observation_of(program, groups);
		(void)predictd_predict_now(connection, &observation.question, &estimate);
		sleep_ms((unsigned)rand_r(&reporter->seed) % (GAP_MAX_MS + 1));
		reporter->refused += predictd_report(connection, &observation) != PREDICTD_OK;
	}
	return NULL;
}

/* In a child: reports over its parent's connection, and closes it. 0 when all were taken. */
static int report_as_child(void)
{
	for (unsigned i = 0; i < CHILD; i++) {
		const predictd_observation observation = observation_of(program, 1 + i % LAUNCHES);
		if (predictd_report(connection, &observation) != PREDICTD_OK)
			return 1;
		sleep_ms(i % 8);
	}
	if (predictd_flush(connection) != PREDICTD_OK)
		return 2;
	predictd_report_counts counts = counts_of(connection);
	if (counts.reported != CHILD || counts.refused + counts.dropped + counts.waiting != 0)
		return 3;
	predictd_close(connection);
	return 0;
}

static void fork_reporter(void)
{
	int status = -1;
	pid_t child = fork();
	if (child == 0)
		_exit(report_as_child());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	total += CHILD;
}

static void every_report_of_many_threads_is_kept(void **state)
{
	(void)state;
	struct reporter reporters[THREADS];
	for (unsigned i = 0; i < THREADS; i++) {
		reporters[i] = (struct reporter){.seed = i + 1};
		assert_int_equal(pthread_create(&reporters[i].thread, NULL, report_now_and_then,
		                                &reporters[i]),
		                 0);
	}
	sleep_ms(2000);
	daemon_end();
	sleep_ms(500);
	daemon_start();
	sleep_ms(1000);
	fork_reporter();

	/* a new program, while the daemon is stopped: as long as the caller says */
	double begun_s = now_s();
	predictd_connection *other = NULL;
	predictd_program *registered = NULL;
	const predictd_options lazy = {.size = sizeof lazy, .is_lazy = true};
	(void)kill(daemon_pid, SIGSTOP);
	pid_t waker = fork();
	if (waker == 0) {
		(void)sleep(STOPPED_S);
		(void)kill(daemon_pid, SIGCONT);
		_exit(0);
	}
	open_program(&lazy, &other, &registered);
	print_message("# registered after %.1f s, of which the daemon was stopped %d\n",
	              now_s() - begun_s, STOPPED_S);
	(void)waitpid(waker, NULL, 0);
	predictd_program_free(registered);
	predictd_close(other);

	daemon_end();
	daemon_start();
	fork_reporter();
	for (unsigned i = 0; i < THREADS; i++) {
		(void)pthread_join(reporters[i].thread, NULL);
		assert_int_equal(reporters[i].refused, 0);
	}
	assert_ok(predictd_flush(connection));
	predictd_report_counts counts = counts_of(connection);
	assert_int_equal(counts.reported, THREADS * EACH);
	assert_int_equal(counts.refused + counts.dropped + counts.waiting, 0);
	total += THREADS * EACH;
	assert_total();
}

static void what_a_full_queue_takes_is_kept_and_the_rest_is_counted(void **state)
{
	(void)state;
	predictd_connection *other = NULL;
	predictd_program *registered = NULL;
	const predictd_options options = {.size = sizeof options, .report_max = QUEUE};
	open_program(&options, &other, &registered);
	(void)kill(daemon_pid, SIGSTOP);
	for (unsigned i = 0; i < 2 * QUEUE; i++) {
		const predictd_observation observation =
		        observation_of(registered, 1 + i % LAUNCHES);
		assert_int_equal(predictd_report(other, &observation),
		                 i < QUEUE ? PREDICTD_OK : PREDICTD_BUSY);
	}
	(void)kill(daemon_pid, SIGCONT);
	assert_ok(predictd_flush(other));
	predictd_report_counts counts = counts_of(other);
	assert_int_equal(counts.reported, QUEUE);
	assert_int_equal(counts.dropped, QUEUE);
	assert_int_equal(counts.refused + counts.waiting, 0);
	predictd_program_free(registered);
	predictd_close(other);
	total += QUEUE;
	assert_total();
}

static void closing_sends_what_waits(void **state)
{
	(void)state;
	predictd_connection *other = NULL;
	predictd_program *registered = NULL;
	const predictd_options options = {.size = sizeof options};
	open_program(&options, &other, &registered);
	for (unsigned i = 0; i < LEFT; i++) {
		const predictd_observation observation =
		        observation_of(registered, 1 + i % LAUNCHES);
		assert_ok(predictd_report(other, &observation));
	}
	predictd_program_free(registered);
	predictd_close(other);
	total += LEFT;
	assert_total();
}

static void a_program_that_ends_without_closing_loses_nothing(void **state)
{
	(void)state;
	int status = -1;
	pid_t child = fork();
	if (child == 0) {
		char count[16];
		(void)snprintf(count, sizeof count, "%d", LEFT);
		(void)execl(given[0], given[0], "report", count, given[3], (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	total += LEFT;
	assert_total();
}

static void count_answers(const predictd_estimate *estimates, size_t count, void *context)
{
	unsigned *failures = context;
	for (size_t i = 0; i < count; i++)
		*failures += estimates[i].status == PREDICTD_TIMEOUT;
}

/* test_clock says that each call ends at its time; here is the real daemon, with its late replies.
 */
static void calls_end_while_the_daemon_is_stopped_and_go_on_with_it(void **state)
{
	(void)state;
	const predictd_question question = question_of(program, 4711);
	const predictd_observation observation = observation_of(program, 1);
	predictd_prediction *prediction = NULL;
	predictd_estimate estimate;
	predictd_devices *devices = NULL;
	predictd_daemon_status *daemon_status = NULL;
	predictd_connection *other = NULL;
	const predictd_options options = {.size = sizeof options, .timeout_s = 0.1};
	unsigned late = 0;
	predictd_set_timeout(connection, 0.1);
	(void)kill(daemon_pid, SIGSTOP);
	double begun_s = now_s();
	assert_int_equal(predictd_predict(connection, &question, &prediction), PREDICTD_TIMEOUT);
	assert_int_equal(predictd_predict_into(connection, &question, &estimate), PREDICTD_TIMEOUT);
	assert_int_equal(predictd_list_devices(connection, false, &devices), PREDICTD_TIMEOUT);
	assert_int_equal(predictd_get_status(connection, &daemon_status), PREDICTD_TIMEOUT);
	assert_int_equal(predictd_open_with(&options, &other), PREDICTD_TIMEOUT);
	assert_ok(predictd_predict_async(connection, &question, 1, count_answers, &late));
	while (predictd_dispatch(connection, -1) > 0)
		;
	assert_int_equal(late, 1);
	assert_ok(predictd_report(connection, &observation));
	assert_int_equal(predictd_flush(connection), PREDICTD_TIMEOUT);
	print_message("# seven calls of 0.1 s each ended after %.2f s\n", now_s() - begun_s);
	(void)kill(daemon_pid, SIGCONT);
	predictd_set_timeout(connection, 30);
	assert_ok(predictd_flush(connection));
	total++;
	assert_ok(predictd_predict(connection, &question, &prediction));
	predictd_predictions_free(prediction, 1);
	assert_total();
}

static void closing_does_not_wait_for_a_daemon_that_is_stopped(void **state)
{
	(void)state;
	predictd_connection *other = NULL;
	predictd_program *registered = NULL;
	const predictd_options options = {.size = sizeof options, .timeout_s = -1};
	open_program(&options, &other, &registered);
	(void)kill(daemon_pid, SIGSTOP);
	const predictd_observation observation = observation_of(registered, 1);
	assert_ok(predictd_report(other, &observation));
	predictd_program_free(registered);
	double begun_s = now_s();
	predictd_close(other);
	print_message("# closed after %.2f s, of which it may take one\n", now_s() - begun_s);
	(void)kill(daemon_pid, SIGCONT);
}

/* ---- the program --------------------------------------------------------------------------- */

static int report_and_end(unsigned count)
{
	if (predictd_open(NULL, &connection) != PREDICTD_OK ||
	    predictd_register(connection, source, &program) != PREDICTD_OK)
		return 1;
	for (unsigned i = 0; i < count; i++) {
		const predictd_observation observation = observation_of(program, 1 + i % LAUNCHES);
		if (predictd_report(connection, &observation) != PREDICTD_OK)
			return 1;
	}
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	daemon_start();
	const predictd_options options = {.size = sizeof options};
	open_program(&options, &connection, &program);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	predictd_program_free(program);
	predictd_close(connection);
	daemon_end();
	return 0;
}

int main(int argc, char **argv)
{
	given = argv;
	bool is_child = argc == 4 && strcmp(argv[1], "report") == 0;
	if (argc != 5 && !is_child) {
		(void)fprintf(stderr, "usage: living PREDICTD CONFIGURATION SOURCE CALIBRATION\n");
		return 2;
	}
	if (predictd_source_load(argv[3], NULL, &source) != PREDICTD_OK) {
		(void)fprintf(stderr, "living: %s\n", predictd_error_text());
		return 1;
	}
	if (is_child)
		return report_and_end((unsigned)atoi(argv[2]));
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_refusal_is_known_until_a_calibration_comes),
	        cmocka_unit_test(every_report_of_many_threads_is_kept),
	        cmocka_unit_test(what_a_full_queue_takes_is_kept_and_the_rest_is_counted),
	        cmocka_unit_test(closing_sends_what_waits),
	        cmocka_unit_test(a_program_that_ends_without_closing_loses_nothing),
	        cmocka_unit_test(calls_end_while_the_daemon_is_stopped_and_go_on_with_it),
	        cmocka_unit_test(closing_does_not_wait_for_a_daemon_that_is_stopped),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	int failures = cmocka_run_group_tests_name("living", tests, set_up, tear_down);
	predictd_source_free(source);
	return failures;
}
