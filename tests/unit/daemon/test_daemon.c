/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon as its clients see it, with an analyser and a calibrator that do as they are told. */
#include "tests/unit/daemon/fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t calibrate_well(int fd, const char *device)
{
	Predictd__Response *response = fixture_calibrate(fd, device);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_CALIBRATE);
	assert_true(response->calibrate->device->is_calibrated);
	uint64_t epoch = response->calibrate->device->epoch;
	predictd__response__free_unpacked(response, NULL);
	return epoch;
}

static void status_is_answered_without_any_child(void **state)
{
	struct fixture *fixture = *state;
	const char *before = getenv("PREDICTD_LIBEXECDIR");
	char kept[512];
	snprintf(kept, sizeof kept, "%s", before);
	setenv("PREDICTD_LIBEXECDIR", "/nonexistent", 1);
	fixture_start(fixture, "well", "");
	setenv("PREDICTD_LIBEXECDIR", kept, 1);
	int fd = fixture_connect(fixture, true);
	Predictd__Response *response = fixture_status(fd);
	assert_non_null(strstr(response->status->analyser_problem, "predictd-analyser is not in"));
	assert_non_null(strstr(response->status->device_problem, "predictd-calibrator is not in"));
	assert_string_equal(response->status->store_problem, "");
	predictd__response__free_unpacked(response, NULL);
	assert_refused(fixture_register(fd, "kernels a"), STATUS_UNAVAILABLE, "not in");
	close(fd);
}

/* Asks until that is what the analyser's jail lacks: its start is not waited for. */
static bool jail_lacks(int fd, const char *lack)
{
	for (int i = 0; i < 2000; i++) {
		Predictd__Response *response = fixture_status(fd);
		bool is_said = strcmp(response->status->jail_problem, lack) == 0;
		predictd__response__free_unpacked(response, NULL);
		if (is_said)
			return true;
		usleep(5000);
	}
	return false;
}

static void what_the_analysers_jail_lacks_is_told(void **state)
{
	struct fixture *fixture = *state;
	char libexec[] = "/tmp/predictd-lacks-XXXXXX", kept[512], both[600], analyser[64],
	     beside[72], real[600];
	snprintf(kept, sizeof kept, "%s", getenv("PREDICTD_LIBEXECDIR"));
	assert_non_null(mkdtemp(libexec));
	snprintf(both, sizeof both, "%s:%s", libexec, kept);
	snprintf(real, sizeof real, "%.*s/predictd-analyser", (int)strcspn(kept, ":"), kept);
	snprintf(analyser, sizeof analyser, "%s/predictd-analyser", libexec);
	snprintf(beside, sizeof beside, "%s.lacks", analyser);
	assert_int_equal(symlink(real, analyser), 0);
	FILE *file = fopen(beside, "w");
	assert_non_null(file);
	fclose(file);
	setenv("PREDICTD_LIBEXECDIR", both, 1);
	fixture_start(fixture, "well", "");
	setenv("PREDICTD_LIBEXECDIR", kept, 1);
	int fd = fixture_connect(fixture, true);
	assert_true(jail_lacks(fd, "seccomp alone keeps sources from files: no Landlock: told so"));

	/* of the next one, which lacks nothing, nothing is told */
	assert_int_equal(unlink(beside), 0);
	predictd__response__free_unpacked(fixture_register(fd, "die"), NULL);
	assert_true(jail_lacks(fd, ""));
	close(fd);
	(void)unlink(analyser);
	(void)rmdir(libexec);
}

static void status_names_a_state_directory_that_cannot_be_used(void **state)
{
	struct fixture *fixture = *state;
	FILE *file = fopen(fixture->state, "w");
	assert_non_null(file);
	fclose(file);
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	Predictd__Response *devices = fixture_devices(fd, false);
	assert_int_equal(devices->devices->n_devices, 2);
	predictd__response__free_unpacked(devices, NULL);
	Predictd__Response *response = fixture_status(fd);
	assert_non_null(strstr(response->status->store_problem, fixture->state));
	predictd__response__free_unpacked(response, NULL);
	/* and a calibration serves all the same */
	assert_true(calibrate_well(fd, "0") > 0);
	close(fd);
}

/* Asks until nothing is wrong with the store. */
static bool store_gets_well(int fd)
{
	for (int i = 0; i < 2000; i++) {
		Predictd__Response *response = fixture_status(fd);
		bool is_well = response->status->store_problem[0] == '\0';
		predictd__response__free_unpacked(response, NULL);
		if (is_well)
			return true;
		usleep(5000);
	}
	return false;
}

static void a_store_that_could_not_be_opened_is_opened_later(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	(void)calibrate_well(fd, "0");
	uint64_t stored = calibrate_well(fd, "0");
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	char aside[128];
	snprintf(aside, sizeof aside, "%s.aside", fixture->state);
	assert_int_equal(rename(fixture->state, aside), 0);
	FILE *file = fopen(fixture->state, "w");
	assert_non_null(file);
	fclose(file);

	fixture_start(fixture, "well", "");
	fd = fixture_connect(fixture, true);
	assert_true(calibrate_well(fd, "0") < stored);
	assert_int_equal(remove(fixture->state), 0);
	assert_int_equal(rename(aside, fixture->state), 0);
	assert_int_equal(kill(fixture->pid, SIGHUP), 0);
	assert_true(store_gets_well(fd));
	uint64_t epoch = calibrate_well(fd, "1");
	assert_true(epoch > stored + 1); /* what was measured meanwhile is stored, too */
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);

	fixture_start(fixture, "none", "");
	fd = fixture_connect(fixture, true);
	Predictd__Response *response = fixture_devices(fd, false);
	assert_int_equal(response->devices->n_devices, 2);
	for (size_t i = 0; i < 2; i++)
		assert_true(response->devices->devices[i]->epoch > stored);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

static void hello_comes_first(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, false);
	Predictd__Status status = PREDICTD__STATUS__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	request.id = 9;
	request.body_case = PREDICTD__REQUEST__BODY_STATUS;
	request.status = &status;
	assert_refused(fixture_ask(fd, &request), STATUS_INVALID, "hello");
	assert_null(fixture_receive(fd));
	close(fd);
}

static void garbage_closes_its_connection_alone(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "");
	int good = fixture_connect(fixture, true), bad = fixture_connect(fixture, true);
	assert_int_equal(write(bad, "\x04\0\0\0\xff\xff\xff\xff", 8), 8);
	assert_refused(fixture_receive(bad), STATUS_CORRUPT, "request");
	assert_null(fixture_receive(bad));
	close(bad);
	bad = fixture_connect(fixture, true);
	assert_int_equal(write(bad, "\xff\xff\xff\xff", 4), 4);
	assert_refused(fixture_receive(bad), STATUS_LIMIT, "message");
	assert_null(fixture_receive(bad));
	close(bad);
	predictd__response__free_unpacked(fixture_status(good), NULL);
	close(good);
}

static void connections_that_say_nothing_are_closed(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "handshake_ms = 50");
	int fd = fixture_connect(fixture, false);
	assert_null(fixture_receive(fd));
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	fixture_start(fixture, "well", "frame_ms = 50");
	fd = fixture_connect(fixture, true);
	assert_int_equal(write(fd, "\x10", 1), 1);
	assert_null(fixture_receive(fd));
	close(fd);
}

static void connections_beyond_a_users_share_are_refused(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "connections_per_user = 2");
	int one = fixture_connect(fixture, true), two = fixture_connect(fixture, true);
	int three = fixture_connect(fixture, false);
	assert_refused(fixture_receive(three), STATUS_LIMIT, "this user");
	close(one);
	close(two);
	close(three);
}

static void connections_beyond_the_daemons_are_refused_by_their_number(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "connections = 3");
	int fds[] = {fixture_connect(fixture, true), fixture_connect(fixture, true),
	             fixture_connect(fixture, true)};
	for (int n = 0; n < 100; n++) {
		int fd = fixture_connect(fixture, false);
		assert_refused(fixture_receive(fd), STATUS_LIMIT, "the daemon has as many");
		assert_null(fixture_receive(fd));
		close(fd);
	}
	/* those that are there are answered, and status counts */
	Predictd__Response *response = fixture_status(fds[0]);
	assert_int_equal(response->status->refused, 100);
	predictd__response__free_unpacked(response, NULL);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
}

static void uncalibrated_devices_say_what_to_type(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	uint64_t handle = fixture_register_well(fd, "kernels a");
	assert_refused(fixture_predict(fd, handle, "a", "1"), STATUS_UNCALIBRATED,
	               "device \"Fake beta\" is not calibrated: type \"predictctl calibrate 1\"");
	close(fd);
}

static void devices_are_found_by_index_and_by_part_of_the_name(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	uint64_t handle = fixture_register_well(fd, "kernels a");
	assert_refused(fixture_predict(fd, handle, "a", "BETA"), STATUS_UNCALIBRATED, "Fake beta");
	assert_refused(fixture_predict(fd, handle, "a", "fake"), STATUS_INVALID, "0 (Fake alpha)");
	assert_refused(fixture_predict(fd, handle, "a", "gamma"), STATUS_NOT_FOUND,
	               "1 (Fake beta)");
	assert_refused(fixture_predict(fd, handle, "a", "7"), STATUS_NOT_FOUND, "1 (Fake beta)");
	close(fd);
}

static void kernels_that_are_not_there_get_the_names_that_are(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	uint64_t handle = fixture_register_well(fd, "kernels first second");
	assert_refused(fixture_predict(fd, handle, "third", "0"), STATUS_NOT_FOUND,
	               "first, second");
	assert_refused(fixture_predict(fd, handle, "", "0"), STATUS_INVALID, "first, second");
	assert_refused(fixture_predict(fd, handle + 1, "first", "0"), STATUS_UNREGISTERED,
	               "handle");
	close(fd);
}

static void calibrations_outlive_the_daemon(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	uint64_t epoch = calibrate_well(fd, "alpha");
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGKILL), -SIGKILL);
	fixture_start(fixture, "none", "");
	fd = fixture_connect(fixture, true);
	Predictd__Response *response = fixture_devices(fd, true);
	assert_int_equal(response->devices->n_devices, 1);
	const Predictd__Device *device = response->devices->devices[0];
	assert_string_equal(device->name, "Fake alpha");
	assert_true(device->is_calibrated);
	assert_false(device->is_present);
	assert_int_equal(device->epoch, epoch);
	assert_int_equal(device->n_coefficients, 3);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

static void crashed_calibrations_are_told_and_the_old_one_stays(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	uint64_t epoch = calibrate_well(fd, "0");
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	fixture_start(fixture, "crash", "");
	fd = fixture_connect(fixture, true);
	assert_refused(fixture_calibrate(fd, "0"), STATUS_DEVICE, "signal 9");
	Predictd__Response *response = fixture_devices(fd, false);
	assert_int_equal(response->devices->devices[0]->epoch, epoch);
	assert_non_null(strstr(response->devices->devices[0]->failure, "signal 9"));
	assert_string_equal(response->devices->devices[1]->failure, "");
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

static void hanging_calibrations_end_at_their_deadline(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "hang", "calibrate_quick_ms = 1000");
	int fd = fixture_connect(fixture, true);
	assert_refused(fixture_calibrate(fd, "0"), STATUS_TIMEOUT, "hangs");
	close(fd);
}

static void garbled_calibrations_are_refused(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "garbage", "");
	int fd = fixture_connect(fixture, true);
	assert_refused(fixture_calibrate(fd, "0"), STATUS_DEVICE, "cannot be read");
	close(fd);
}

static void escape_sequences_of_drivers_reach_no_terminal(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "escape", "");
	int fd = fixture_connect(fixture, true);
	assert_refused(fixture_calibrate(fd, "0"), STATUS_DEVICE, "?[31mred  ");
	Predictd__Response *response = fixture_devices(fd, false);
	assert_string_equal(response->devices->devices[0]->failure, "?[31mred  ");
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

/* A question of two bytes an argument, and a hundred times as much when it is unpacked. */
static void send_swollen(int fd, uint64_t id, size_t count)
{
	static Predictd__Argument argument = PREDICTD__ARGUMENT__INIT;
	Predictd__Argument **arguments = calloc(count, sizeof *arguments);
	Predictd__Launch launch = PREDICTD__LAUNCH__INIT;
	Predictd__Predict predict = PREDICTD__PREDICT__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	assert_non_null(arguments);
	for (size_t i = 0; i < count; i++)
		arguments[i] = &argument;
	launch.arguments = arguments;
	launch.n_arguments = count;
	predict.launch = &launch;
	request.id = id;
	request.body_case = PREDICTD__REQUEST__BODY_PREDICT;
	request.predict = &predict;
	fixture_send(fd, &request);
	free(arguments);
}

static void questions_of_one_user_hold_so_much_memory(void **state)
{
	struct fixture *fixture = *state;
	enum { COUNT = 24, ARGUMENTS = 40000 };
	int fds[COUNT];
	/* all of them wait until devices are known */
	fixture_start(fixture, "slow", "scan_ms = 600000");
	for (int i = 0; i < COUNT; i++) {
		fds[i] = fixture_connect(fixture, true);
		send_swollen(fds[i], 50, ARGUMENTS);
	}
	assert_refused(fixture_receive(fds[COUNT - 1]), STATUS_LIMIT, "of this user");
	/* the connection is as good as before */
	predictd__response__free_unpacked(fixture_status(fds[COUNT - 1]), NULL);
	for (int i = 0; i < COUNT; i++)
		close(fds[i]);
}

static void messages_of_many_parts_are_refused(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	send_swollen(fd, 50, 350000);
	assert_refused(fixture_receive(fd), STATUS_CORRUPT, "too many parts");
	close(fd);
}

static void drivers_that_crash_when_listed_leave_the_daemon_running(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "vanish", "");
	int fd = fixture_connect(fixture, true);
	Predictd__Response *response = fixture_devices(fd, false);
	assert_int_equal(response->devices->n_devices, 0);
	predictd__response__free_unpacked(response, NULL);
	response = fixture_status(fd);
	assert_non_null(strstr(response->status->device_problem, "signal 9"));
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

static void send_cancel(int fd, uint64_t id, uint64_t cancelled)
{
	Predictd__Cancel cancel = PREDICTD__CANCEL__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	cancel.id = cancelled;
	request.id = id;
	request.body_case = PREDICTD__REQUEST__BODY_CANCEL;
	request.cancel = &cancel;
	fixture_send(fd, &request);
}

/* What a cancel (of id 22) brings: its own answer, and that of what it ended. */
static void assert_cancelled(int fd, uint64_t cancelled)
{
	bool has_reply = false, has_error = false;
	while (!has_reply || !has_error) {
		Predictd__Response *response = fixture_receive(fd);
		assert_non_null(response);
		if (response->id == 22 && !has_reply) {
			has_reply = true;
			assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_CANCEL);
			predictd__response__free_unpacked(response, NULL);
		} else {
			has_error = true;
			assert_int_equal(response->id, cancelled);
			assert_refused(response, STATUS_CANCELLED, "cancelled");
		}
	}
}

static void calibrations_can_be_cancelled(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "hang", "");
	int fd = fixture_connect(fixture, true);
	fixture_send_calibrate(fd, 20, "0");
	Predictd__Response *progress = fixture_receive(fd);
	assert_int_equal(progress->body_case, PREDICTD__RESPONSE__BODY_CALIBRATE);
	predictd__response__free_unpacked(progress, NULL);
	fixture_send_calibrate(fd, 21, "0");
	assert_refused(fixture_receive(fd), STATUS_BUSY, "already");
	fixture_send_calibrate(fd, 21, "1");
	send_cancel(fd, 22, 21);
	assert_cancelled(fd, 21);
	send_cancel(fd, 22, 20);
	assert_cancelled(fd, 20);
	send_cancel(fd, 22, 20);
	assert_refused(fixture_receive(fd), STATUS_NOT_FOUND, "no request 20");
	close(fd);
}

static void calibrations_of_two_devices_follow_each_other(void **state)
{
	struct fixture *fixture = *state;
	int fds[2];
	fixture_start(fixture, "well", "");
	for (int i = 0; i < 2; i++)
		fds[i] = fixture_connect(fixture, true);
	for (int i = 0; i < 2; i++)
		fixture_send_calibrate(fds[i], 20, i == 0 ? "0" : "1");
	for (int i = 0; i < 2; i++) {
		bool is_done = false;
		while (!is_done) {
			Predictd__Response *response = fixture_receive(fds[i]);
			assert_non_null(response);
			assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_CALIBRATE);
			is_done = response->calibrate->device != NULL;
			predictd__response__free_unpacked(response, NULL);
		}
		close(fds[i]);
	}
}

static void registrations_can_be_cancelled(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "analysis_deadline_ms = 60000");
	int fd = fixture_connect(fixture, true), other = fixture_connect(fixture, true);
	fixture_send_register(fd, "hang");
	predictd__response__free_unpacked(fixture_status(fd), NULL);
	/* the requests of another connection are none of this one's business */
	send_cancel(other, 22, 2);
	assert_refused(fixture_receive(other), STATUS_NOT_FOUND, "no request 2");
	send_cancel(fd, 22, 2);
	assert_cancelled(fd, 2);
	predictd__response__free_unpacked(fixture_status(fd), NULL);
	close(fd);
	close(other);
}

static void clients_that_cancel_and_leave_harm_nothing(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "hang", "");
	int fd = fixture_connect(fixture, true), other = fixture_connect(fixture, true);
	fixture_send_calibrate(fd, 20, "0");
	predictd__response__free_unpacked(fixture_receive(fd), NULL);
	fixture_send_calibrate(fd, 21, "1");
	predictd__response__free_unpacked(fixture_status(other), NULL);
	/* the daemon is to find the cancel, and nobody to answer */
	assert_int_equal(kill(fixture->pid, SIGSTOP), 0);
	send_cancel(fd, 22, 21);
	close(fd);
	assert_int_equal(kill(fixture->pid, SIGCONT), 0);
	predictd__response__free_unpacked(fixture_status(other), NULL);
	close(other);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
}

static void clients_that_leave_end_their_calibration(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "hang", "");
	int fd = fixture_connect(fixture, true);
	fixture_send_calibrate(fd, 20, "0");
	predictd__response__free_unpacked(fixture_receive(fd), NULL);
	close(fd);
	fd = fixture_connect(fixture, true);
	bool is_calibrating = true;
	for (int i = 0; i < 20000 && is_calibrating; i++) {
		Predictd__Response *response = fixture_status(fd);
		is_calibrating = response->status->calibrating[0] != '\0';
		predictd__response__free_unpacked(response, NULL);
		usleep(1000);
	}
	assert_false(is_calibrating);
	close(fd);
}

/* How many of the event were logged, as the daemon's metrics say. */
static void assert_logged(int fd, const char *event, unsigned count)
{
	Predictd__Metrics metrics = PREDICTD__METRICS__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	char line[128];
	request.id = 9;
	request.body_case = PREDICTD__REQUEST__BODY_METRICS;
	request.metrics = &metrics;
	snprintf(line, sizeof line, "predictd_events_total{event=\"%s\"} %u\n", event, count);
	Predictd__Response *response = fixture_ask(fd, &request);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_METRICS);
	assert_non_null(strstr(response->metrics->text, line));
	predictd__response__free_unpacked(response, NULL);
}

static void sources_that_harm_the_analyser_fail_alone(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "analysis_deadline_ms = 1500");
	int fd = fixture_connect(fixture, true);
	assert_refused(fixture_register(fd, "syntax"), STATUS_SYNTAX, "a.cl:1:1: want a kernel");
	assert_refused(fixture_register(fd, "crash"), STATUS_LIMIT, "gave up");
	assert_refused(fixture_register(fd, "hang"), STATUS_TIMEOUT, "took too long");
	assert_logged(fd, "analysis-failed", 2);
	assert_refused(fixture_register(fd, "garbage"), STATUS_CORRUPT, "");
	assert_true(fixture_register_well(fd, "kernels a") != 0);
	close(fd);
}

static void analysers_that_die_are_started_again(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	Predictd__Response *response = fixture_register(fd, "die");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_ERROR);
	predictd__response__free_unpacked(response, NULL);
	bool is_back = false;
	for (int i = 0; i < 1000 && !is_back; i++) {
		response = fixture_register(fd, "kernels a");
		is_back = response->body_case == PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM;
		predictd__response__free_unpacked(response, NULL);
		usleep(5000);
	}
	assert_true(is_back);
	close(fd);
}

static void replies_that_come_as_the_analyser_dies_harm_nothing(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	for (int i = 0; i < 3; i++) {
		char source[16];
		snprintf(source, sizeof source, "last %d", i);
		Predictd__Response *response = fixture_register(fd, source);
		assert_non_null(response);
		/* an error where it died with the job in its hands: which, depends on what was
		 * first */
		if (response->body_case == PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM)
			assert_int_equal(response->register_program->n_kernels, 256);
		else
			assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_ERROR);
		predictd__response__free_unpacked(response, NULL);
	}
	predictd__response__free_unpacked(fixture_status(fd), NULL);
	close(fd);
}

static void programs_are_analysed_once(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	uint64_t first = fixture_register_well(fd, "kernels a");
	assert_true(fixture_register_well(fd, "kernels b") != first);
	assert_true(fixture_register_well(fd, "kernels a") == first);
	Predictd__Response *response = fixture_status(fd);
	assert_int_equal(response->status->analyses, 2);
	assert_int_equal(response->status->programs, 2);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

static void requests_are_answered_in_a_pipeline(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	enum { COUNT = 500 };
	Predictd__Status status = PREDICTD__STATUS__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	request.body_case = PREDICTD__REQUEST__BODY_STATUS;
	request.status = &status;
	for (uint64_t i = 0; i < COUNT; i++) {
		request.id = 100 + i;
		fixture_send(fd, &request);
	}
	for (uint64_t i = 0; i < COUNT; i++) {
		Predictd__Response *response = fixture_receive(fd);
		assert_int_equal(response->id, 100 + i);
		predictd__response__free_unpacked(response, NULL);
	}
	close(fd);
}

static double predict_well(int fd, uint64_t handle, uint64_t *epoch)
{
	Predictd__Response *response = fixture_predict(fd, handle, "a", "0");
	assert_non_null(response);
	assert_int_equal(response->id, 3);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_PREDICT);
	double time_s = response->predict->prediction->kernel_time_s;
	*epoch = response->predict->prediction->epoch;
	predictd__response__free_unpacked(response, NULL);
	return time_s;
}

static void repeated_questions_follow_calibrations_and_forgotten_programs(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "programs = 1");
	int fd = fixture_connect(fixture, true);
	uint64_t handle = fixture_register_well(fd, "kernels a"), epoch, again, later;
	calibrate_well(fd, "0");
	double first_s = predict_well(fd, handle, &epoch),
	       second_s = predict_well(fd, handle, &again);
	assert_true(first_s == second_s);
	assert_int_equal(epoch, again);
	assert_int_equal(calibrate_well(fd, "0"), epoch + 1);
	(void)predict_well(fd, handle, &later);
	assert_int_equal(later, epoch + 1);
	fixture_register_well(fd, "kernels b");
	assert_refused(fixture_predict(fd, handle, "a", "0"), STATUS_UNREGISTERED, "handle");
	close(fd);
}

static Predictd__Response *import(int fd, ProtobufCBinaryData bytes)
{
	Predictd__Import body = PREDICTD__IMPORT__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	body.calibration = bytes;
	request.id = 31;
	request.body_case = PREDICTD__REQUEST__BODY_IMPORT;
	request.import = &body;
	return fixture_ask(fd, &request);
}

static void calibrations_go_from_node_to_node(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	Predictd__Export body = PREDICTD__EXPORT__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	body.device = "0";
	request.id = 30;
	request.body_case = PREDICTD__REQUEST__BODY_EXPORT;
	request.export = &body;
	assert_refused(fixture_ask(fd, &request), STATUS_UNCALIBRATED, "predictctl calibrate 0");
	uint64_t epoch = calibrate_well(fd, "0");
	Predictd__Response *exported = fixture_ask(fd, &request);
	assert_int_equal(exported->body_case, PREDICTD__RESPONSE__BODY_EXPORT);
	ProtobufCBinaryData bytes = exported->export->calibration;

	Predictd__Response *imported = import(fd, bytes);
	assert_int_equal(imported->body_case, PREDICTD__RESPONSE__BODY_IMPORT);
	assert_string_equal(imported->import->device->name, "Fake alpha");
	assert_true(imported->import->device->epoch > epoch);
	predictd__response__free_unpacked(imported, NULL);

	bytes.data[bytes.len / 2] ^= 1;
	assert_refused(import(fd, bytes), STATUS_CORRUPT, "import");
	bytes.len /= 2;
	assert_refused(import(fd, bytes), STATUS_CORRUPT, "import");
	predictd__response__free_unpacked(exported, NULL);
	close(fd);
}

static void termination_answers_what_runs_and_removes_the_socket(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "hang", "");
	int fd = fixture_connect(fixture, true);
	fixture_send_calibrate(fd, 20, "0");
	predictd__response__free_unpacked(fixture_receive(fd), NULL);
	/* one that waits, too; what is asked after it shows that it came */
	int waiting = fixture_connect(fixture, true);
	fixture_send_calibrate(waiting, 21, "1");
	predictd__response__free_unpacked(fixture_status(waiting), NULL);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	assert_refused(fixture_receive(fd), STATUS_CANCELLED, "stopping");
	assert_refused(fixture_receive(waiting), STATUS_CANCELLED, "stopping");
	assert_null(fixture_receive(fd));
	close(waiting);
	close(fd);
	struct stat there;
	assert_int_not_equal(stat(fixture->socket, &there), 0);
}

static void sockets_left_by_a_killed_daemon_are_replaced(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "");
	assert_int_equal(fixture_stop(fixture, SIGKILL), -SIGKILL);
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	predictd__response__free_unpacked(fixture_status(fd), NULL);
	close(fd);
}

#define DAEMON_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        DAEMON_TEST(status_is_answered_without_any_child),
	        DAEMON_TEST(what_the_analysers_jail_lacks_is_told),
	        DAEMON_TEST(status_names_a_state_directory_that_cannot_be_used),
	        DAEMON_TEST(a_store_that_could_not_be_opened_is_opened_later),
	        DAEMON_TEST(hello_comes_first),
	        DAEMON_TEST(garbage_closes_its_connection_alone),
	        DAEMON_TEST(connections_that_say_nothing_are_closed),
	        DAEMON_TEST(connections_beyond_a_users_share_are_refused),
	        DAEMON_TEST(connections_beyond_the_daemons_are_refused_by_their_number),
	        DAEMON_TEST(uncalibrated_devices_say_what_to_type),
	        DAEMON_TEST(devices_are_found_by_index_and_by_part_of_the_name),
	        DAEMON_TEST(kernels_that_are_not_there_get_the_names_that_are),
	        DAEMON_TEST(calibrations_outlive_the_daemon),
	        DAEMON_TEST(crashed_calibrations_are_told_and_the_old_one_stays),
	        DAEMON_TEST(hanging_calibrations_end_at_their_deadline),
	        DAEMON_TEST(garbled_calibrations_are_refused),
	        DAEMON_TEST(escape_sequences_of_drivers_reach_no_terminal),
	        DAEMON_TEST(questions_of_one_user_hold_so_much_memory),
	        DAEMON_TEST(messages_of_many_parts_are_refused),
	        DAEMON_TEST(drivers_that_crash_when_listed_leave_the_daemon_running),
	        DAEMON_TEST(calibrations_can_be_cancelled),
	        DAEMON_TEST(calibrations_of_two_devices_follow_each_other),
	        DAEMON_TEST(registrations_can_be_cancelled),
	        DAEMON_TEST(clients_that_cancel_and_leave_harm_nothing),
	        DAEMON_TEST(clients_that_leave_end_their_calibration),
	        DAEMON_TEST(sources_that_harm_the_analyser_fail_alone),
	        DAEMON_TEST(analysers_that_die_are_started_again),
	        DAEMON_TEST(replies_that_come_as_the_analyser_dies_harm_nothing),
	        DAEMON_TEST(programs_are_analysed_once),
	        DAEMON_TEST(requests_are_answered_in_a_pipeline),
	        DAEMON_TEST(repeated_questions_follow_calibrations_and_forgotten_programs),
	        DAEMON_TEST(calibrations_go_from_node_to_node),
	        DAEMON_TEST(termination_answers_what_runs_and_removes_the_socket),
	        DAEMON_TEST(sockets_left_by_a_killed_daemon_are_replaced),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("daemon", tests, NULL, NULL);
}
