/* SPDX-License-Identifier: Apache-2.0 */
/* The library against a daemon that answers, restarts, stalls and lies. */
#include "tests/unit/client/client_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void a_registered_program_lists_its_kernels(void **state)
{
	(void)state;
	const predictd_kernel *kernels;
	assert_int_equal(predictd_program_kernels(program, &kernels), 1);
	assert_string_equal(kernels[0].name, "k");
	assert_string_equal(kernels[0].argument_types[0], "buffer float");
}

static void a_syntax_error_keeps_its_text(void **state)
{
	(void)state;
	predictd_program *other = NULL;
	predictd_source broken = source;
	broken.options = "-broken";
	assert_int_equal(predictd_register(connection, &broken, &other), PREDICTD_SYNTAX);
	assert_string_equal(predictd_error_text(), "k.cl:1:2: expected ';'");
	assert_null(other);
}

static void one_question_gets_one_answer(void **state)
{
	(void)state;
	predictd_prediction *got;
	predictd_question question = question_of(1000);
	question.explain = true;
	question.model = PREDICTD_PATTERN;
	assert_ok(predictd_predict(connection, &question, &got));
	assert_close(got->kernel_time_s, 1e-6, 1e-12);
	assert_int_equal(got->model, PREDICTD_PATTERN);
	assert_string_equal(got->bottleneck, "memory");
	assert_string_equal(got->note, "a note");
	assert_int_equal(got->local[0], 64);
	assert_int_equal(got->local[1], 1);
	assert_int_equal(got->row_count, 1);
	assert_string_equal(got->rows[0].what, "float mul");
	predictd_predictions_free(got, 1);
}

static void a_large_batch_is_split_and_keeps_its_order(void **state)
{
	(void)state;
	enum { COUNT = 5000 };
	predictd_question *questions = calloc(COUNT, sizeof *questions);
	predictd_prediction *got;
	for (size_t i = 0; i < COUNT; i++)
		questions[i] = question_of(i + 1);
	fake.reverses = true; /* replies in another order than asked */
	assert_ok(predictd_predict_batch(connection, questions, COUNT, &got));
	for (size_t i = 0; i < COUNT; i++) {
		assert_int_equal(got[i].status, PREDICTD_OK);
		assert_close(got[i].kernel_time_s, 1e-9 * (double)(i + 1), 1e-12);
	}
	assert_int_equal(fake.batches, 5);
	assert_int_equal(fake.largest, 1024);
	predictd_predictions_free(got, COUNT);
	free(questions);
}

static void entries_of_a_batch_fail_each_for_itself(void **state)
{
	(void)state;
	predictd_prediction *got;
	predictd_argument bad = {.kind = PREDICTD_SCALAR, .type = "quaternion"};
	predictd_question questions[4] = {question_of(1), question_of(2), question_of(3),
	                                  question_of(4)};
	questions[1].device = "raw";
	questions[2].arguments = &bad;
	questions[2].argument_count = 1;
	questions[3].dimensions = 4;
	assert_ok(predictd_predict_batch(connection, questions, 4, &got));
	assert_int_equal(got[0].status, PREDICTD_OK);
	assert_int_equal(got[1].status, PREDICTD_UNCALIBRATED);
	assert_string_equal(got[1].error, "raw is not calibrated");
	assert_int_equal(got[2].status, PREDICTD_INVALID);
	assert_non_null(strstr(got[2].error, "quaternion"));
	assert_int_equal(got[3].status, PREDICTD_INVALID);
	predictd_predictions_free(got, 4);
}

static void a_forgotten_handle_is_registered_again_once(void **state)
{
	(void)state;
	predictd_prediction *got;
	predictd_question question = question_of(7);
	fake.handles_from = 2;
	assert_ok(predictd_predict(connection, &question, &got));
	assert_close(got->kernel_time_s, 7e-9, 1e-12);
	assert_int_equal(fake.registrations, 2);
	predictd_predictions_free(got, 1);
}

/* One language after another, as often as devices have them; then it is told. */
static void a_handle_that_is_forgotten_time_and_again_is_given_up(void **state)
{
	(void)state;
	predictd_prediction *got = NULL;
	predictd_question question = question_of(7);
	fake.handles_from = 5;
	assert_ok(predictd_predict(connection, &question, &got));
	assert_int_equal(fake.registrations, 5);
	predictd_predictions_free(got, 1);
	fake.handles_from = 1000;
	assert_int_equal(predictd_predict(connection, &question, &got), PREDICTD_UNREGISTERED);
	assert_int_equal(fake.registrations, 5 + 9);
}

static predictd_status give_header(predictd_source *wanting, const char *name, const char *from)
{
	static const predictd_header header = {.name = "lacking.h", .text = "", .size = 0};
	assert_string_equal(name, "lacking.h");
	assert_string_equal(from, "");
	wanting->headers = &header;
	wanting->header_count = 1;
	return PREDICTD_OK;
}

static void variants_are_programs_each_with_its_own_status(void **state)
{
	(void)state;
	enum { COUNT = 600 }; /* in three requests */
	const char *options[COUNT];
	predictd_program *programs[COUNT];
	predictd_status statuses[COUNT];
	predictd_source varied = source;
	varied.options = "-DALL";
	varied.find_header = give_header;
	for (size_t i = 0; i < COUNT; i++)
		options[i] = i == 3 || i == 500 ? "-broken" : i == 300 ? "-lacking" : "-DN=1";
	unsigned asked = fake.asked;
	assert_ok(predictd_register_variants(connection, &varied, options, COUNT, programs,
	                                     statuses));
	assert_string_equal(predictd_error_text(), "k.cl:1:2: expected ';'");
	assert_int_equal(fake.asked, asked + 4); /* once more with the header */
	for (size_t i = 0; i < COUNT; i++) {
		bool is_broken = i == 3 || i == 500;
		assert_int_equal(statuses[i], is_broken ? PREDICTD_SYNTAX : PREDICTD_OK);
		assert_int_equal(programs[i] == NULL, is_broken);
	}
	const predictd_kernel *kernels;
	assert_int_equal(predictd_program_kernels(programs[300], &kernels), 1);
	assert_string_equal(kernels[0].name, "k");
	/* forgotten, it is registered again by itself, as any */
	unsigned registrations = fake.registrations;
	predictd_question question = question_of(7);
	predictd_prediction *got;
	question.program = programs[42];
	fake.handles_from = fake.next_handle + 1;
	assert_ok(predictd_predict(connection, &question, &got));
	assert_int_equal(fake.registrations, registrations + 1);
	predictd_predictions_free(got, 1);
	for (size_t i = 0; i < COUNT; i++)
		predictd_program_free(programs[i]);
	assert_ok(predictd_register_variants(connection, &varied, options, 0, programs, statuses));
}

static void variants_that_cannot_be_had_are_none(void **state)
{
	(void)state;
	const char *options[] = {"-DN=1", "-cut", "-DN=2"};
	predictd_program *programs[3];
	predictd_status statuses[3];
	assert_int_equal(
	        predictd_register_variants(connection, &source, options, 3, programs, statuses),
	        PREDICTD_CORRUPT);
	for (size_t i = 0; i < 3; i++) {
		assert_null(programs[i]);
		assert_int_equal(statuses[i], PREDICTD_CORRUPT);
	}
	fake_daemon_halt(&fake);
	assert_int_equal(
	        predictd_register_variants(connection, &source, options, 1, programs, statuses),
	        PREDICTD_UNAVAILABLE);
	assert_null(programs[0]);
	fake_daemon_restart(&fake);
}

static void placements_come_with_their_device(void **state)
{
	(void)state;
	predictd_placement *got;
	predictd_question questions[2] = {question_of(5), question_of(6)};
	questions[1].kernel = "absent";
	assert_ok(predictd_place(connection, questions, 2, NULL, 0, &got));
	assert_int_equal(got[0].status, PREDICTD_OK);
	assert_string_equal(got[0].device, "Testing 3000");
	assert_close(got[0].total_time_s, 5e-9, 1e-12);
	assert_int_equal(got[1].status, PREDICTD_NOT_FOUND);
	predictd_placements_free(got, 2);
}

static void a_placement_that_cannot_be_asked_again_fails_whole(void **state)
{
	(void)state;
	predictd_placement *got = NULL;
	predictd_question question = question_of(5);
	fake.handles_from = 2;
	fake.refuses_registrations = true;
	assert_int_equal(predictd_place(connection, &question, 1, NULL, 0, &got), PREDICTD_SYNTAX);
	assert_null(got);
}

static void an_empty_answer_is_no_answer(void **state)
{
	(void)state;
	predictd_devices *devices = NULL;
	fake.says_nothing = true;
	assert_int_equal(predictd_list_devices(connection, false, &devices), PREDICTD_INTERNAL);
	assert_null(devices);
}

static void an_unknown_kernel_stays_not_found(void **state)
{
	(void)state;
	predictd_prediction *got = NULL;
	predictd_question question = question_of(7);
	question.kernel = "absent";
	assert_int_equal(predictd_predict(connection, &question, &got), PREDICTD_NOT_FOUND);
	assert_string_equal(predictd_error_text(), "no kernel 'absent'");
	assert_int_equal(fake.singles, 1); /* the daemon knows the program: it is believed */
	assert_null(got);
}

static void a_restarted_daemon_is_found_again(void **state)
{
	(void)state;
	predictd_prediction *got;
	predictd_question question = question_of(9);
	fake_daemon_halt(&fake);
	assert_int_equal(predictd_predict(connection, &question, &got), PREDICTD_UNAVAILABLE);
	assert_non_null(strstr(predictd_error_text(), fake.path));
	fake_daemon_restart(&fake);
	fake.handles_from = 2; /* it has forgotten everything */
	assert_ok(predictd_predict(connection, &question, &got));
	assert_close(got->kernel_time_s, 9e-9, 1e-12);
	predictd_predictions_free(got, 1);
}

static void a_connection_that_breaks_under_a_question_is_made_again(void **state)
{
	(void)state;
	predictd_prediction *got;
	predictd_question question = question_of(5);
	fake.close_at = 3; /* hello, register, this one */
	assert_ok(predictd_predict(connection, &question, &got));
	assert_close(got->kernel_time_s, 5e-9, 1e-12);
	assert_int_equal(fake.connections, 2);
	predictd_predictions_free(got, 1);
}

/* The descriptor of a socket that is connected to the daemon; -1: none. */
static int descriptor_of_connection(void)
{
	for (int fd = 3; fd < 1024; fd++) {
		struct sockaddr_un peer = {0};
		socklen_t size = sizeof peer;
		if (getpeername(fd, (struct sockaddr *)&peer, &size) == 0 &&
		    strcmp(peer.sun_path, fake.path) == 0)
			return fd;
	}
	return -1;
}

/* As a program does that becomes a daemon: it closes all, and its own sockets get the numbers. */
static void a_descriptor_that_is_the_programs_by_now_is_left_alone(void **state)
{
	(void)state;
	predictd_question question = question_of(64);
	predictd_prediction *answer = NULL;
	int ends[2];
	char byte;
	const int number = descriptor_of_connection();
	assert_true(number >= 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(dup2(ends[0], number), number);
	assert_int_equal(write(ends[1], "x", 1), 1);
	/* the daemon is asked on another one */
	assert_ok(predictd_predict(connection, &question, &answer));
	predictd_predictions_free(answer, 1);
	predictd_program_free(program);
	predictd_close(connection);
	program = NULL;
	connection = NULL;
	assert_int_equal(recv(ends[1], &byte, 1, MSG_DONTWAIT), -1); /* nothing was said on it, */
	assert_int_equal(errno, EAGAIN);                             /* and it is open */
	assert_int_equal(recv(number, &byte, 1, MSG_DONTWAIT), 1);   /* nothing was taken */
	(void)close(number);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

static void silence_ends_in_a_timeout(void **state)
{
	(void)state;
	predictd_prediction *got;
	predictd_question question = question_of(5);
	predictd_set_timeout(connection, 0.1);
	fake.is_silent = true;
	assert_int_equal(predictd_predict(connection, &question, &got), PREDICTD_TIMEOUT);
	fake.is_silent = false;
	predictd_set_timeout(connection, 10);
	assert_ok(predictd_predict(connection, &question, &got)); /* over a new connection */
	predictd_predictions_free(got, 1);
}

static void garbage_is_no_predictd(void **state)
{
	(void)state;
	predictd_prediction *got;
	predictd_question question = question_of(5);
	fake.writes_garbage = true;
	assert_int_equal(predictd_predict(connection, &question, &got), PREDICTD_CORRUPT);
	fake.writes_garbage = false;
	assert_ok(predictd_predict(connection, &question, &got));
	predictd_predictions_free(got, 1);
}

static void another_protocol_is_refused(void **state)
{
	(void)state;
	predictd_connection *other = NULL;
	predictd_close(connection);
	connection = NULL;
	predictd_program_free(program);
	program = NULL;
	fake.protocol = 2;
	assert_int_equal(predictd_open(fake.path, &other), PREDICTD_UNSUPPORTED);
	assert_null(other);
}

static void a_request_over_the_daemons_limit_is_not_sent(void **state)
{
	(void)state;
	predictd_program *other = NULL;
	char *text = calloc(1, 2 << 20);
	predictd_source large = {.name = "k.cl", .text = text, .size = 2 << 20};
	assert_int_equal(predictd_register(connection, &large, &other), PREDICTD_LIMIT);
	assert_int_equal(fake.registrations, 1);
	free(text);
}

static void a_program_of_another_connection_is_refused(void **state)
{
	(void)state;
	predictd_prediction *got;
	predictd_program *own = program;
	predictd_connection *first = connection;
	struct fake_daemon second;
	fake_daemon_start(&second);
	assert_ok(predictd_open(second.path, &connection));
	predictd_question question = question_of(5);
	question.program = own;
	assert_int_equal(predictd_predict(connection, &question, &got), PREDICTD_INVALID);
	predictd_close(connection);
	connection = first;
	fake_daemon_stop(&second);
}

static void an_absent_daemon_is_named_with_what_to_do(void **state)
{
	(void)state;
	predictd_connection *other = NULL;
	assert_int_equal(predictd_open("/nowhere/predictd.sock", &other), PREDICTD_UNAVAILABLE);
	assert_non_null(strstr(predictd_error_text(), "/nowhere/predictd.sock"));
	assert_non_null(strstr(predictd_error_text(), "start it"));
	char path[300];
	memset(path, 'a', sizeof path - 1);
	path[sizeof path - 1] = '\0';
	assert_int_equal(predictd_open(path, &other), PREDICTD_INVALID);
}

static void the_environment_names_the_socket(void **state)
{
	(void)state;
	assert_int_equal(setenv("PREDICTD_SOCKET", fake.path, 1), 0);
	assert_string_equal(predictd_default_socket(), fake.path);
	/* not cut to another path that fits */
	char longer[200];
	predictd_connection *other = NULL;
	assert_true(snprintf(longer, sizeof longer, "%s%0*d", fake.path, 100, 1) < 200);
	assert_int_equal(setenv("PREDICTD_SOCKET", longer, 1), 0);
	assert_int_equal(predictd_open(NULL, &other), PREDICTD_INVALID);
	assert_non_null(strstr(predictd_error_text(), "at most 107 bytes"));
	assert_int_equal(unsetenv("PREDICTD_SOCKET"), 0);
	assert_int_equal(setenv("XDG_RUNTIME_DIR", "/nowhere", 1), 0);
	assert_string_equal(predictd_default_socket(), "/run/predictd/predictd.sock");
}

static void devices_carry_their_coefficients(void **state)
{
	(void)state;
	predictd_devices *devices;
	assert_ok(predictd_list_devices(connection, true, &devices));
	assert_int_equal(devices->count, 1);
	assert_string_equal(devices->devices[0].name, "Testing 3000");
	assert_int_equal(devices->devices[0].type, PREDICTD_OTHER);
	assert_int_equal(devices->devices[0].coefficient_count, 1);
	assert_string_equal(devices->devices[0].coefficients[0].name, "launch.base.time_s");
	predictd_devices_free(devices);
}

static void a_device_is_found_by_what_its_runtime_knows_of_it(void **state)
{
	(void)state;
	predictd_device_identity identity = {.name = "Testing 3000"};
	uint32_t index = 9;
	assert_ok(predictd_find_device(connection, &identity, &index));
	assert_int_equal(index, 0);
	/* where both know an address, that decides, and not the name */
	(void)strcpy(identity.pci, "0000:3B:00.0");
	assert_ok(predictd_find_device(connection, &identity, &index));
	(void)strcpy(identity.pci, "0000:3b:00.1");
	assert_int_equal(predictd_find_device(connection, &identity, &index), PREDICTD_NOT_FOUND);
	assert_non_null(strstr(predictd_error_text(), "Testing 3000"));
	/* and before both, a UUID */
	(void)strcpy(identity.uuid, "00112233445566778899aabbccddeeff");
	assert_ok(predictd_find_device(connection, &identity, &index));
	identity = (predictd_device_identity){.name = "Testing 3000", .compute_units = 7};
	assert_int_equal(predictd_find_device(connection, &identity, &index), PREDICTD_NOT_FOUND);
	identity = (predictd_device_identity){.name = "Testing 300"};
	assert_int_equal(predictd_find_device(connection, &identity, &index), PREDICTD_NOT_FOUND);
	/* a text that does not end is cut, not read beyond */
	memset(identity.name, 'a', sizeof identity.name);
	assert_int_equal(predictd_find_device(connection, &identity, &index), PREDICTD_NOT_FOUND);
	identity = (predictd_device_identity){.vendor = "somebody"};
	assert_int_equal(predictd_find_device(connection, &identity, &index), PREDICTD_INVALID);
}

static bool keep_stage(double progress, double left_s, const char *stage, void *context)
{
	assert_close(progress, 0.5, 0);
	assert_close(left_s, 7, 0);
	(void)strcpy(context, stage);
	return true;
}

static bool cancel_at_once(double progress, double left_s, const char *stage, void *context)
{
	(void)progress;
	(void)left_s;
	(void)stage;
	(void)context;
	return false;
}

static void calibration_streams_its_progress(void **state)
{
	(void)state;
	char stage[32] = "";
	predictd_devices *result = NULL;
	assert_ok(predictd_calibrate(connection, "0", true, keep_stage, stage, &result));
	assert_string_equal(stage, "bandwidth");
	assert_true(result->devices[0].is_calibrated);
	predictd_devices_free(result);
}

static void a_cancelled_calibration_says_so(void **state)
{
	(void)state;
	predictd_devices *result = NULL;
	fake.awaits_cancel = true;
	assert_int_equal(predictd_calibrate(connection, "0", true, cancel_at_once, NULL, &result),
	                 PREDICTD_CANCELLED);
	assert_null(result);
	assert_ok(predictd_list_devices(connection, false, &result)); /* it goes on */
	predictd_devices_free(result);
}

static void an_unknown_request_is_unsupported(void **state)
{
	(void)state;
	predictd_daemon_status *status = NULL;
	assert_int_equal(predictd_get_status(connection, &status), PREDICTD_UNSUPPORTED);
	assert_null(status);
}

enum { THREADS = 4, ROUNDS = 100 };

static void *ask_often(void *context)
{
	size_t *wrong = context;
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		predictd_prediction *got;
		predictd_question question = question_of(i);
		if (predictd_predict(connection, &question, &got) != PREDICTD_OK) {
			++*wrong;
			continue;
		}
		*wrong += fabs(got->kernel_time_s - 1e-9 * (double)i) > 1e-15;
		predictd_predictions_free(got, 1);
	}
	return NULL;
}

static void threads_share_one_connection(void **state)
{
	(void)state;
	pthread_t threads[THREADS];
	size_t wrong[THREADS] = {0};
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_often, &wrong[i]), 0);
	for (size_t i = 0; i < THREADS; i++)
		(void)pthread_join(threads[i], NULL);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(wrong[i], 0);
	assert_int_equal(fake.connections, 1);
}

static void nothing_accepts_nothing(void **state)
{
	(void)state;
	predictd_prediction *got = NULL;
	predictd_close(NULL);
	predictd_program_free(NULL);
	predictd_devices_free(NULL);
	predictd_predictions_free(NULL, 3);
	predictd_placements_free(NULL, 3);
	predictd_measurements_free(NULL, 3);
	predictd_source_free(NULL);
	predictd_status_free(NULL);
	assert_ok(predictd_predict_batch(connection, NULL, 0, &got));
	predictd_predictions_free(got, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        WITH_DAEMON(a_registered_program_lists_its_kernels),
	        WITH_DAEMON(variants_are_programs_each_with_its_own_status),
	        WITH_DAEMON(variants_that_cannot_be_had_are_none),
	        WITH_DAEMON(a_syntax_error_keeps_its_text),
	        WITH_DAEMON(one_question_gets_one_answer),
	        WITH_DAEMON(a_large_batch_is_split_and_keeps_its_order),
	        WITH_DAEMON(entries_of_a_batch_fail_each_for_itself),
	        WITH_DAEMON(a_forgotten_handle_is_registered_again_once),
	        WITH_DAEMON(a_handle_that_is_forgotten_time_and_again_is_given_up),
	        WITH_DAEMON(placements_come_with_their_device),
	        WITH_DAEMON(a_placement_that_cannot_be_asked_again_fails_whole),
	        WITH_DAEMON(an_empty_answer_is_no_answer),
	        WITH_DAEMON(an_unknown_kernel_stays_not_found),
	        WITH_DAEMON(a_restarted_daemon_is_found_again),
	        WITH_DAEMON(a_connection_that_breaks_under_a_question_is_made_again),
	        WITH_DAEMON(a_descriptor_that_is_the_programs_by_now_is_left_alone),
	        WITH_DAEMON(silence_ends_in_a_timeout),
	        WITH_DAEMON(garbage_is_no_predictd),
	        WITH_DAEMON(another_protocol_is_refused),
	        WITH_DAEMON(a_request_over_the_daemons_limit_is_not_sent),
	        WITH_DAEMON(a_program_of_another_connection_is_refused),
	        WITH_DAEMON(an_absent_daemon_is_named_with_what_to_do),
	        WITH_DAEMON(the_environment_names_the_socket),
	        WITH_DAEMON(devices_carry_their_coefficients),
	        WITH_DAEMON(a_device_is_found_by_what_its_runtime_knows_of_it),
	        WITH_DAEMON(calibration_streams_its_progress),
	        WITH_DAEMON(a_cancelled_calibration_says_so),
	        WITH_DAEMON(an_unknown_request_is_unsupported),
	        WITH_DAEMON(threads_share_one_connection),
	        WITH_DAEMON(nothing_accepts_nothing),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("library", tests, NULL, NULL);
}
