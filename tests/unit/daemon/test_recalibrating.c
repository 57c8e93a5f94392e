/* SPDX-License-Identifier: Apache-2.0 */
/* Calibrations that nobody asked for: when, and which of two is kept. */
#include "tests/unit/daemon/fixture.h"

#include "daemon/children/recalibrating.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define QUIET_1_S "[calibration]\nagain_quiet_s = 1\n"

enum { STEP_US = 100000, SOON_STEPS = 100, LONG_STEPS = 25 /* longer than it is to be quiet */ };

/* Device 0 as it is known. */
static void look(int fd, uint64_t *epoch, bool *was_busy)
{
	Predictd__Response *response = fixture_devices(fd, false);
	assert_non_null(response);
	*epoch = response->devices->devices[0]->epoch;
	*was_busy = response->devices->devices[0]->was_busy;
	predictd__response__free_unpacked(response, NULL);
}

static bool is_calibrating(int fd)
{
	Predictd__Response *response = fixture_status(fd);
	assert_non_null(response);
	bool is = response->status->calibrating[0] != '\0';
	predictd__response__free_unpacked(response, NULL);
	return is;
}

/* A busy calibration that a user asked for; the connection. */
static int begin(struct fixture *fixture, const char *calibrator, const char *keys, uint64_t *epoch)
{
	bool was_busy;
	fixture_say_others(fixture, 0, 1000);
	fixture_start(fixture, calibrator, keys);
	int fd = fixture_connect(fixture, true);
	fixture_calibrate_well(fd);
	look(fd, epoch, &was_busy);
	assert_true(was_busy);
	return fd;
}

static void a_busy_calibration_is_made_again_when_it_is_quiet(void **state)
{
	uint64_t epoch, again;
	bool was_busy = true;
	int fd = begin(*state, "busy", QUIET_1_S, &epoch);
	for (int i = 0; i < SOON_STEPS && was_busy; i++) {
		usleep(STEP_US);
		look(fd, &again, &was_busy);
	}
	assert_false(was_busy);
	assert_true(again > epoch);
	/* a quiet one is left alone */
	for (int i = 0; i < LONG_STEPS; i++)
		usleep(STEP_US);
	look(fd, &epoch, &was_busy);
	assert_int_equal(epoch, again);
	close(fd);
}

/* Nothing changes for longer than it has to be quiet. */
static void assert_unchanged(int fd, uint64_t epoch)
{
	uint64_t again;
	bool was_busy;
	for (int i = 0; i < LONG_STEPS; i++)
		usleep(STEP_US);
	look(fd, &again, &was_busy);
	assert_int_equal(again, epoch);
	assert_true(was_busy);
	assert_false(is_calibrating(fd));
}

static void the_better_of_two_is_kept_and_tries_are_few(void **state)
{
	uint64_t epoch;
	int fd = begin(*state, "busier", QUIET_1_S, &epoch);
	assert_unchanged(fd, epoch);
	assert_unchanged(fd, epoch);
	close(fd);
}

static void it_can_be_switched_off(void **state)
{
	uint64_t epoch;
	int fd = begin(*state, "busy", "[calibration]\nagain_quiet_s = 0\n", &epoch);
	assert_unchanged(fd, epoch);
	close(fd);
}

static void a_machine_that_others_use_or_that_tells_nothing_is_not_quiet(void **state)
{
	struct fixture *fixture = *state;
	char path[128];
	uint64_t epoch, again;
	bool was_busy;
	int fd = begin(fixture, "busy", QUIET_1_S, &epoch);
	for (unsigned i = 1; i <= 2 * LONG_STEPS; i++) {
		fixture_say_others(fixture, 30 * i, 1000 + 70 * i);
		usleep(STEP_US);
	}
	snprintf(path, sizeof path, "%s/stat", fixture->directory);
	assert_int_equal(unlink(path), 0);
	assert_unchanged(fd, epoch);
	/* they have gone */
	was_busy = true;
	for (int i = 0; i < SOON_STEPS && was_busy; i++) {
		fixture_say_others(fixture, 6000, 100000);
		usleep(STEP_US);
		look(fd, &again, &was_busy);
	}
	assert_false(was_busy);
	close(fd);
}

static void wait_until_calibrating(int fd, bool is)
{
	for (int i = 0; i < SOON_STEPS && is_calibrating(fd) != is; i++)
		usleep(STEP_US);
	assert_int_equal(is_calibrating(fd), is);
}

static void clients_come_first(void **state)
{
	struct fixture *fixture = *state;
	uint64_t epoch, again;
	bool was_busy;
	int fd = begin(fixture, "patient", QUIET_1_S, &epoch);
	uint64_t handle = fixture_register_well(fd, "kernels a");
	wait_until_calibrating(fd, true);
	/* who asks is about to run something */
	predictd__response__free_unpacked(fixture_predict(fd, handle, "a", "0"), NULL);
	wait_until_calibrating(fd, false);
	look(fd, &again, &was_busy);
	assert_int_equal(again, epoch);
	/* ended for a client, it is tried again when it is quiet again */
	wait_until_calibrating(fd, true);
	/* who asks for a calibration gets it, of the same device too */
	fixture_calibrate_well(fd);
	look(fd, &again, &was_busy);
	assert_true(again > epoch);
	close(fd);
}

#define AT_START(how) "[calibration]\nat_start = " how "\n"

/* Device `place` as it is known; its index among those listed. */
static bool is_calibrated(int fd, size_t place, bool *is_quick)
{
	Predictd__Response *response = fixture_devices(fd, false);
	assert_non_null(response);
	assert_true(place < response->devices->n_devices);
	bool is = response->devices->devices[place]->is_calibrated;
	*is_quick = response->devices->devices[place]->is_quick;
	predictd__response__free_unpacked(response, NULL);
	return is;
}

static uint32_t count_coming(int fd, char waits_for[64])
{
	Predictd__Response *response = fixture_status(fd);
	assert_non_null(response);
	uint32_t count = response->status->coming_devices;
	(void)snprintf(waits_for, 64, "%s", response->status->coming_waits_for);
	predictd__response__free_unpacked(response, NULL);
	return count;
}

static void wait_until_calibrated(int fd, size_t place, bool wants_quick)
{
	bool is_quick = false;
	for (int i = 0; i < 3 * SOON_STEPS && !is_calibrated(fd, place, &is_quick); i++)
		usleep(STEP_US);
	assert_true(is_calibrated(fd, place, &is_quick));
	assert_int_equal(is_quick, wants_quick);
}

static void devices_without_a_calibration_get_one(void **state)
{
	struct fixture *fixture = *state;
	char waits_for[64];
	fixture_say_others(fixture, 0, 1000);
	fixture_start(fixture, "well", AT_START("quick"));
	int fd = fixture_connect(fixture, true);
	wait_until_calibrated(fd, 0, true);
	wait_until_calibrated(fd, 1, true);
	assert_int_equal(count_coming(fd, waits_for), 0);
	assert_string_equal(waits_for, "");
	close(fd);
}

static void a_first_calibration_may_be_full(void **state)
{
	struct fixture *fixture = *state;
	fixture_say_others(fixture, 0, 1000);
	fixture_start(fixture, "well", AT_START("full"));
	int fd = fixture_connect(fixture, true);
	wait_until_calibrated(fd, 0, false);
	close(fd);
}

/* Whoever asks meanwhile is told what to type, and ends nothing: he runs nothing either. */
static void a_refused_question_ends_no_first_calibration(void **state)
{
	struct fixture *fixture = *state;
	char waits_for[64];
	fixture_say_others(fixture, 0, 1000);
	fixture_start(fixture, "patient", AT_START("quick"));
	int fd = fixture_connect(fixture, true);
	uint64_t handle = fixture_register_well(fd, "kernels a");
	assert_int_equal(count_coming(fd, waits_for), 2);
	assert_string_equal(waits_for, "quiet");
	assert_refused(fixture_predict(fd, handle, "a", "0"), STATUS_UNCALIBRATED,
	               "will be once the node is quiet: \"predictctl waitsync\"");
	wait_until_calibrating(fd, true);
	for (int i = 0; i < 12; i++) {
		assert_refused(fixture_predict(fd, handle, "a", "0"), STATUS_UNCALIBRATED,
		               "is being calibrated: \"predictctl waitsync\"");
		usleep(STEP_US);
	}
	assert_true(is_calibrating(fd));
	assert_refused(fixture_place(fd, handle, NULL), STATUS_UNCALIBRATED, "waitsync");
	/* who asks for it gets it at once */
	fixture_calibrate_well(fd);
	predictd__response__free_unpacked(fixture_predict(fd, handle, "a", "0"), NULL);
	close(fd);
}

static void others_put_a_first_calibration_off(void **state)
{
	struct fixture *fixture = *state;
	char waits_for[64];
	bool is_quick;
	fixture_say_others(fixture, 0, 1000);
	fixture_start(fixture, "well", AT_START("quick"));
	int fd = fixture_connect(fixture, true);
	for (unsigned i = 1; i <= 70; i++) {
		fixture_say_others(fixture, 30 * i, 1000 + 70 * i);
		usleep(STEP_US);
	}
	assert_int_equal(count_coming(fd, waits_for), 2);
	assert_string_equal(waits_for, "others to leave the processors");
	assert_false(is_calibrated(fd, 0, &is_quick));
	close(fd);
}

/* Its failure is told, and it is not tried at once again. */
static void a_first_calibration_that_fails_says_why(void **state)
{
	struct fixture *fixture = *state;
	char waits_for[64];
	fixture_say_others(fixture, 0, 1000);
	fixture_start(fixture, "silent", AT_START("quick"));
	int fd = fixture_connect(fixture, true);
	for (int i = 0; i < 4 * SOON_STEPS && count_coming(fd, waits_for) > 0; i++)
		usleep(STEP_US);
	assert_int_equal(count_coming(fd, waits_for), 0);
	Predictd__Response *response = fixture_devices(fd, false);
	assert_non_null(strstr(response->devices->devices[0]->failure, "without a result"));
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

static void what_an_administrator_removed_stays_away(void **state)
{
	struct fixture *fixture = *state;
	char waits_for[64], device[] = "0";
	Predictd__RemoveCalibration remove = PREDICTD__REMOVE_CALIBRATION__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	fixture_say_others(fixture, 0, 1000);
	fixture_start(fixture, "well", AT_START("quick"));
	int fd = fixture_connect(fixture, true);
	fixture_calibrate_both(fd);
	request.id = 5;
	request.body_case = PREDICTD__REQUEST__BODY_REMOVE_CALIBRATION;
	request.remove_calibration = &remove;
	remove.device = device;
	Predictd__Response *response = fixture_ask(fd, &request);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_REMOVE_CALIBRATION);
	predictd__response__free_unpacked(response, NULL);
	assert_int_equal(count_coming(fd, waits_for), 0);
	close(fd);
}

static void a_daemon_that_ends_ends_it(void **state)
{
	struct fixture *fixture = *state;
	uint64_t epoch;
	int fd = begin(fixture, "patient", QUIET_1_S, &epoch);
	wait_until_calibrating(fd, true);
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
}

static void better_is_quieter_and_knows_as_much(void **state)
{
	static struct device before, after;
	(void)state;
	for (unsigned i = 0; i < 100; i++)
		before.coefficient[i] = after.coefficient[i] = (struct coefficient){1, 0.1, true};
	before.coefficient[COEFFICIENT_OTHERS_SHARE] = (struct coefficient){0.5, 0, true};
	after.coefficient[COEFFICIENT_OTHERS_SHARE] = (struct coefficient){0.5, 0, true};
	before.was_busy = after.was_busy = true;
	assert_false(recalibrating_is_better(&before, &after));
	after.coefficient[COEFFICIENT_OTHERS_SHARE].value = 0.3;
	assert_true(recalibrating_is_better(&before, &after));
	after.is_quick = true;
	assert_false(recalibrating_is_better(&before, &after));
	after.is_quick = false;
	for (unsigned i = 0; i < 20; i++)
		after.coefficient[i].is_known = false;
	assert_false(recalibrating_is_better(&before, &after));
	for (unsigned i = 0; i < 20; i++)
		after.coefficient[i].is_known = true;
	after.was_busy = false;
	assert_true(recalibrating_is_better(&before, &after));
	before.was_busy = false;
	assert_false(recalibrating_is_better(&before, &after));
}

#define RECALIBRATING_TEST(name)                                                                   \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        RECALIBRATING_TEST(a_busy_calibration_is_made_again_when_it_is_quiet),
	        RECALIBRATING_TEST(the_better_of_two_is_kept_and_tries_are_few),
	        RECALIBRATING_TEST(it_can_be_switched_off),
	        RECALIBRATING_TEST(a_machine_that_others_use_or_that_tells_nothing_is_not_quiet),
	        RECALIBRATING_TEST(clients_come_first),
	        RECALIBRATING_TEST(devices_without_a_calibration_get_one),
	        RECALIBRATING_TEST(a_first_calibration_may_be_full),
	        RECALIBRATING_TEST(a_refused_question_ends_no_first_calibration),
	        RECALIBRATING_TEST(others_put_a_first_calibration_off),
	        RECALIBRATING_TEST(a_first_calibration_that_fails_says_why),
	        RECALIBRATING_TEST(what_an_administrator_removed_stays_away),
	        RECALIBRATING_TEST(a_daemon_that_ends_ends_it),
	        cmocka_unit_test(better_is_quieter_and_knows_as_much),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("recalibrating", tests, NULL, NULL);
}
