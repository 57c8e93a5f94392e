/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store that does not answer, as on a disk that hangs: done without, and joined once it does.
 * It is held until it is let go, so that an answer that waited for it would never come.
 */
#include "tests/unit/daemon/failing.h"
#include "tests/unit/daemon/fixture.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { ATTEMPTS = 2000, ATTEMPT_US = 5000, STOPPED_US = 2200000 };

/* One run of kernel a on 64 work-items, to be acknowledged. */
static void send_report(int fd, uint64_t handle)
{
	uint64_t global = 64;
	Predictd__Launch launch = PREDICTD__LAUNCH__INIT;
	Predictd__Observation observation = PREDICTD__OBSERVATION__INIT, *list[] = {&observation};
	Predictd__Observe observe = PREDICTD__OBSERVE__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	launch.n_global_items = 1;
	launch.global_items = &global;
	observation.handle = handle;
	observation.kernel = (char *)"a";
	observation.device = (char *)"0";
	observation.launch = &launch;
	observation.kernel_time_s = 1e-3;
	observe.observations = list;
	observe.n_observations = 1;
	observe.acknowledge = true;
	request.id = 6;
	request.body_case = PREDICTD__REQUEST__BODY_OBSERVE;
	request.observe = &observe;
	fixture_send(fd, &request);
}

static bool is_kept(int fd)
{
	Predictd__Response *response = fixture_receive(fd);
	assert_non_null(response);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_OBSERVE);
	bool kept = response->observe->store_problem[0] == '\0';
	predictd__response__free_unpacked(response, NULL);
	return kept;
}

static bool report(int fd, uint64_t handle)
{
	send_report(fd, handle);
	return is_kept(fd);
}

static bool says_problem(int fd)
{
	Predictd__Response *response = fixture_status(fd);
	bool says = strstr(response->status->store_problem, "does not answer") != NULL;
	predictd__response__free_unpacked(response, NULL);
	return says;
}

static uint64_t observations(int fd)
{
	Predictd__Response *response = fixture_status(fd);
	uint64_t count = response->status->observations;
	predictd__response__free_unpacked(response, NULL);
	return count;
}

/* Waits until the store answers again and that many observations are known. */
static void wait_for(int fd, uint64_t count)
{
	for (int i = 0; i < ATTEMPTS && (says_problem(fd) || observations(fd) < count); i++)
		usleep(ATTEMPT_US);
	assert_false(says_problem(fd));
	assert_int_equal(observations(fd), count);
}

/* A daemon that knew a device and a run is started where its store is held. */
static uint64_t restart_held(struct fixture *fixture, int *fd)
{
	fixture_start(fixture, "well", "");
	*fd = fixture_connect(fixture, true);
	fixture_calibrate_well(*fd);
	assert_true(report(*fd, fixture_register_well(*fd, "kernels a b")));
	close(*fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	failing_hold_store(true);
	fixture_start(fixture, "well", "");
	*fd = fixture_connect(fixture, true);
	/* what the store may have of it is not waited for either */
	uint64_t handle = fixture_register_well(*fd, "kernels a b");
	return handle;
}

static void a_store_that_opens_late_is_not_waited_for(void **state)
{
	int fd;
	uint64_t handle = restart_held(*state, &fd);
	assert_true(says_problem(fd));
	assert_refused(fixture_predict(fd, handle, "a", "0"), STATUS_UNCALIBRATED, "");
	/* meanwhile it serves from memory */
	fixture_calibrate_well(fd);
	Predictd__Response *response = fixture_predict(fd, handle, "a", "0");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_PREDICT);
	predictd__response__free_unpacked(response, NULL);
	assert_false(report(fd, handle));
	failing_hold_store(false);
	wait_for(fd, 2);
	assert_true(report(fd, handle));
	close(fd);
	/* all of it is kept, the calibration that was made meanwhile too */
	assert_int_equal(fixture_stop(*state, SIGTERM), 0);
	fixture_start(*state, "well", "");
	fd = fixture_connect(*state, true);
	wait_for(fd, 3);
	response = fixture_predict(fd, fixture_register_well(fd, "kernels a b"), "a", "0");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_PREDICT);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

static void a_calibration_is_taken_up_from_a_store_that_opens_late(void **state)
{
	int fd;
	uint64_t handle = restart_held(*state, &fd);
	failing_hold_store(false);
	wait_for(fd, 1);
	Predictd__Response *response = fixture_predict(fd, handle, "a", "0");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_PREDICT);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

static void a_store_that_hangs_later_is_not_waited_for(void **state)
{
	fixture_start(*state, "well", "");
	int fd = fixture_connect(*state, true);
	fixture_calibrate_well(fd);
	uint64_t handle = fixture_register_well(fd, "kernels a b");
	assert_true(report(fd, handle));
	failing_hold_store(true);
	assert_false(report(fd, handle)); /* this one hangs, and the next is behind it */
	assert_false(report(fd, handle));
	assert_true(says_problem(fd));
	failing_hold_store(false);
	wait_for(fd, 3);
	assert_true(report(fd, handle));
	assert_int_equal(fixture_stop(*state, SIGTERM), 0);
	close(fd);
	fixture_start(*state, "well", "");
	fd = fixture_connect(*state, true);
	wait_for(fd, 4);
	close(fd);
}

static void a_daemon_ends_while_its_store_hangs(void **state)
{
	int fd;
	(void)restart_held(*state, &fd);
	close(fd);
	int status = fixture_stop(*state, SIGTERM);
	failing_hold_store(false);
	assert_int_equal(status, 0);
}

/* Time that a whole process is stopped is not its store's. */
static void a_daemon_that_was_stopped_waits_for_its_store(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true), other = fixture_connect(fixture, true);
	fixture_calibrate_well(fd);
	uint64_t handle = fixture_register_well(fd, "kernels a b"), count = 1;
	assert_true(report(fd, handle));
	bool kept = false;
	/* a machine that is slow to stop it has the store late all the same */
	for (int i = 0; i < 5 && !kept; i++) {
		failing_hold_store(true);
		send_report(fd, handle);
		while (observations(other) == count)
			usleep(1000);
		assert_int_equal(kill(fixture->pid, SIGSTOP), 0);
		usleep(STOPPED_US);
		failing_hold_store(false);
		assert_int_equal(kill(fixture->pid, SIGCONT), 0);
		kept = is_kept(fd);
		wait_for(fd, ++count);
	}
	assert_true(kept);
	close(fd);
	close(other);
}

#define LATE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	        LATE_TEST(a_store_that_opens_late_is_not_waited_for),
	        LATE_TEST(a_calibration_is_taken_up_from_a_store_that_opens_late),
	        LATE_TEST(a_store_that_hangs_later_is_not_waited_for),
	        LATE_TEST(a_daemon_that_was_stopped_waits_for_its_store),
	        LATE_TEST(a_daemon_ends_while_its_store_hangs),
	};
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	failing_init();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("late_store", tests, NULL, NULL);
}
