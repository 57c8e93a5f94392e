/* SPDX-License-Identifier: Apache-2.0 */
/* Ends in the midst of things: of the daemon, of its analyser, and of those who ask. */
#include "tests/unit/daemon/fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CLIENTS = 6, ATTEMPTS = 1000, ATTEMPT_US = 10000 };

/* What was sent before has come; answers to it that come meanwhile are passed over. */
static void await_all(int fd)
{
	Predictd__Status status = PREDICTD__STATUS__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	request.id = 9;
	request.body_case = PREDICTD__REQUEST__BODY_STATUS;
	request.status = &status;
	fixture_send(fd, &request);
	bool has_come = false;
	while (!has_come) {
		Predictd__Response *response = fixture_receive(fd);
		assert_non_null(response);
		has_come = response->body_case == PREDICTD__RESPONSE__BODY_STATUS;
		predictd__response__free_unpacked(response, NULL);
	}
}

/* Sources of that kind, each another, on a connection each; all have come. */
static void register_each(struct fixture *fixture, const char *kind, int fds[CLIENTS])
{
	for (int i = 0; i < CLIENTS; i++) {
		char source[32];
		fds[i] = fixture_connect(fixture, true);
		snprintf(source, sizeof source, "%s %d", kind, i);
		fixture_send_register(fds[i], source);
	}
	for (int i = 0; i < CLIENTS; i++)
		await_all(fds[i]);
}

/* Each is answered, refused, or closed. */
static void assert_ended(int fds[CLIENTS])
{
	for (int i = 0; i < CLIENTS; i++) {
		Predictd__Response *response;
		while ((response = fixture_receive(fds[i])) != NULL)
			predictd__response__free_unpacked(response, NULL);
		close(fds[i]);
	}
}

static void a_daemon_told_twice_waits_for_no_source(void **state)
{
	struct fixture *fixture = *state;
	int fds[CLIENTS];
	fixture_start(fixture, "well", "analyses = 2\nanalysis_deadline_ms = 60000");
	register_each(fixture, "hang", fds);
	assert_int_equal(kill(fixture->pid, SIGTERM), 0);
	/* the first has come when its socket goes; or the second would be the same signal */
	for (int i = 0; i < ATTEMPTS && access(fixture->socket, F_OK) == 0; i++)
		usleep(ATTEMPT_US);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	assert_ended(fds);
}

static void a_daemon_told_once_lets_sources_be_analysed(void **state)
{
	struct fixture *fixture = *state;
	int fds[2];
	/* twice that and what is granted beyond, 250 ms, within the 2 s that it has to end */
	fixture_start(fixture, "well", "analyses = 1\nanalysis_deadline_ms = 400");
	for (int i = 0; i < 2; i++)
		fds[i] = fixture_connect(fixture, true);
	fixture_send_register(fds[0], "hang");
	predictd__response__free_unpacked(fixture_status(fds[1]), NULL);
	fixture_send_register(fds[1], "kernels a");
	predictd__response__free_unpacked(fixture_status(fds[1]), NULL);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	assert_refused(fixture_receive(fds[0]), STATUS_TIMEOUT, "took too long");
	Predictd__Response *response = fixture_receive(fds[1]);
	assert_non_null(response);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM);
	predictd__response__free_unpacked(response, NULL);
	for (int i = 0; i < 2; i++) {
		assert_null(fixture_receive(fds[i]));
		close(fds[i]);
	}
}

/* At moments of their own: as replies come, are decoded, and their kernels are kept. */
static void a_daemon_ends_whatever_becomes_of_large_replies(void **state)
{
	struct fixture *fixture = *state;
	for (useconds_t wait_us = 0; wait_us < 12000; wait_us += 2000) {
		int fds[CLIENTS];
		fixture_start(fixture, "well", "");
		register_each(fixture, "large", fds);
		usleep(wait_us);
		assert_int_equal(kill(fixture->pid, SIGTERM), 0);
		usleep(1000);
		/* it may have ended before it was told again */
		int end = fixture_stop(fixture, SIGTERM);
		assert_true(end == 0 || end == -SIGTERM);
		assert_ended(fds);
	}
}

static uint64_t analyses_now(int fd)
{
	Predictd__Response *response = fixture_status(fd);
	uint64_t count = response->status->analyses;
	predictd__response__free_unpacked(response, NULL);
	return count;
}

/* The analyser may just be starting: until it has the first source. */
static void await_analysis(int fd)
{
	for (int i = 0; i < ATTEMPTS && analyses_now(fd) == 0; i++)
		usleep(ATTEMPT_US);
	assert_int_equal(analyses_now(fd), 1);
}

/* What waits for an analyser goes; what one works on goes on. */
static void those_who_leave_take_their_sources_along(void **state)
{
	struct fixture *fixture = *state;
	int fds[CLIENTS];
	fixture_start(fixture, "well", "analyses = 1\nanalysis_deadline_ms = 800");
	int fd = fixture_connect(fixture, true);
	register_each(fixture, "hang", fds);
	await_analysis(fd);
	for (int i = 0; i < CLIENTS; i++)
		close(fds[i]);
	(void)fixture_register_well(fd, "kernels a");
	assert_int_equal(analyses_now(fd), 2);
	close(fd);
}

static void send_cancel(int fd, uint64_t id, uint64_t which)
{
	Predictd__Cancel body = PREDICTD__CANCEL__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	request.id = id;
	request.body_case = PREDICTD__REQUEST__BODY_CANCEL;
	request.cancel = &body;
	body.id = which;
	fixture_send(fd, &request);
}

static void a_source_waits_as_long_as_somebody_wants_it(void **state)
{
	struct fixture *fixture = *state;
	int fds[3];
	fixture_start(fixture, "well", "analyses = 1\nanalysis_deadline_ms = 800");
	for (int i = 0; i < 3; i++)
		fds[i] = fixture_connect(fixture, true);
	fixture_send_register(fds[0], "hang");
	await_analysis(fds[2]);
	for (int i = 0; i < 2; i++) {
		fixture_send_register(fds[i], "kernels a");
		await_all(fds[i]);
	}
	fixture_send_register(fds[2], "kernels b");
	send_cancel(fds[2], 22, 2);
	assert_refused(fixture_receive(fds[2]), STATUS_CANCELLED, "cancelled");
	await_all(fds[2]);
	close(fds[0]);
	Predictd__Response *response = fixture_receive(fds[1]);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM);
	predictd__response__free_unpacked(response, NULL);
	assert_int_equal(analyses_now(fds[2]), 2);
	(void)fixture_register_well(fds[2], "kernels b");
	assert_int_equal(analyses_now(fds[2]), 3);
	close(fds[1]);
	close(fds[2]);
}

static void a_reply_that_says_it_is_endless_is_refused(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	assert_refused(fixture_register(fd, "endless"), STATUS_LIMIT, "too large");
	Predictd__Response *response = fixture_register(fd, "kernels a");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

/* ---- analysers that are none --------------------------------------------------------------- */

/* Puts a script in the analyser's place; what it is afterwards is the caller's to undo. */
static void replace_analyser(const struct fixture *fixture, const char *script)
{
	char path[128];
	snprintf(path, sizeof path, "%s/predictd-analyser", fixture->directory);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(script, file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

/* Registers until the reason is that; then, with the analyser in its place, until it is well. */
static void assert_said_and_back(struct fixture *fixture, const char *script, const char *part)
{
	char folders[1024];
	const char *usual = getenv("PREDICTD_LIBEXECDIR");
	assert_non_null(usual);
	char *before = strdup(usual);
	replace_analyser(fixture, script);
	snprintf(folders, sizeof folders, "%s:%s", fixture->directory, before);
	assert_int_equal(setenv("PREDICTD_LIBEXECDIR", folders, 1), 0);
	fixture_start(fixture, "well", "");
	assert_int_equal(setenv("PREDICTD_LIBEXECDIR", before, 1), 0);
	free(before);
	bool is_said = false, is_back = false;
	int fd = fixture_connect(fixture, true);
	for (int i = 0; i < ATTEMPTS && !is_back; i++) {
		Predictd__Response *response = fixture_register(fd, "kernels a");
		assert_non_null(response);
		is_back = response->body_case == PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM;
		if (!is_back && strstr(response->error->text, part) != NULL && !is_said) {
			is_said = true;
			char path[128];
			snprintf(path, sizeof path, "%s/predictd-analyser", fixture->directory);
			assert_int_equal(unlink(path), 0);
		}
		predictd__response__free_unpacked(response, NULL);
		usleep(ATTEMPT_US);
	}
	assert_true(is_said && is_back);
	close(fd);
}

static void an_analyser_that_ends_at_once_is_said_and_started_again(void **state)
{
	assert_said_and_back(*state, "#!/bin/sh\nexit 3\n", "ended with status 3");
}

static void an_analyser_that_babbles_is_ended_and_started_again(void **state)
{
	assert_said_and_back(*state, "#!/bin/sh\nprintf what >&3\nexec sleep 100\n",
	                     "ended by signal 9");
}

static void an_analyser_that_is_no_program_is_said_and_started_again(void **state)
{
	assert_said_and_back(*state, "no program", "no source can be analysed");
}

/* ---- calibrations -------------------------------------------------------------------------- */

static void calibrations_that_wait_leave_the_queue_wherever_they_stand(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "hang", "");
	int first = fixture_connect(fixture, true), second = fixture_connect(fixture, true);
	fixture_send_calibrate(first, 20, "0");
	predictd__response__free_unpacked(fixture_receive(first), NULL);
	for (int round = 0; round < 3; round++) {
		int third = fixture_connect(fixture, true);
		fixture_send_calibrate(third, 21, "1");
		predictd__response__free_unpacked(fixture_status(third), NULL);
		/* once is enough of a device */
		fixture_send_calibrate(second, 22, "1");
		assert_refused(fixture_receive(second), STATUS_BUSY, "being calibrated already");
		close(third);
		/* until it has left */
		Predictd__Response *response = fixture_status(second);
		assert_string_equal(response->status->calibrating, "Fake alpha");
		predictd__response__free_unpacked(response, NULL);
	}
	close(first);
	close(second);
}

#define ENDING_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        ENDING_TEST(a_daemon_told_twice_waits_for_no_source),
	        ENDING_TEST(a_daemon_told_once_lets_sources_be_analysed),
	        ENDING_TEST(a_daemon_ends_whatever_becomes_of_large_replies),
	        ENDING_TEST(those_who_leave_take_their_sources_along),
	        ENDING_TEST(a_source_waits_as_long_as_somebody_wants_it),
	        ENDING_TEST(a_reply_that_says_it_is_endless_is_refused),
	        ENDING_TEST(an_analyser_that_ends_at_once_is_said_and_started_again),
	        ENDING_TEST(an_analyser_that_babbles_is_ended_and_started_again),
	        ENDING_TEST(an_analyser_that_is_no_program_is_said_and_started_again),
	        ENDING_TEST(calibrations_that_wait_leave_the_queue_wherever_they_stand),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("ending", tests, NULL, NULL);
}
