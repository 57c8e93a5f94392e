/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What calibrators find and how they misbehave: what is said of each, what stays as it was, and who
 * waits meanwhile.
 */
#include "tests/unit/daemon/fixture.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Calibrates with a calibrator that behaves so; the daemon is stopped again. */
static void assert_fails(struct fixture *fixture, const char *behaviour, enum status status,
                         const char *part)
{
	fixture_start(fixture, behaviour, "");
	int fd = fixture_connect(fixture, true);
	assert_refused(fixture_calibrate(fd, "0"), status, part);
	Predictd__Response *response = fixture_devices(fd, false);
	assert_int_equal(response->devices->n_devices, 2);
	assert_non_null(strstr(response->devices->devices[0]->failure, part));
	assert_false(response->devices->devices[0]->is_calibrated);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
}

static void results_that_are_none_are_refused_by_what_is_wrong(void **state)
{
	static const struct {
		const char *behaviour, *part;
	} cases[] = {
	        {"other", "found another device: want Fake alpha, got Fake gamma"},
	        {"broken", "the calibrator's result: device: type"},
	        {"silent", "ended without a result"},
	        {"status", "the calibrator ended with status 3"},
	        {"surprise", "answered what was not asked"},
	        {"nameless", "something went wrong"},
	        {"twice", "the first word"},
	        {"long", "reply is too long"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_fails(*state, cases[i].behaviour, STATUS_DEVICE, cases[i].part);
}

static void a_result_outlives_the_crash_of_its_driver(void **state)
{
	fixture_start(*state, "last", "");
	int fd = fixture_connect(*state, true);
	Predictd__Response *response = fixture_calibrate(fd, "0");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_CALIBRATE);
	assert_true(response->calibrate->device->is_calibrated);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

static void full_calibrations_are_told_from_quick_ones(void **state)
{
	Predictd__Calibrate calibrate = PREDICTD__CALIBRATE__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	Predictd__Response *response = NULL;
	fixture_start(*state, "well", "");
	int fd = fixture_connect(*state, true);
	calibrate.device = (char *)"1";
	request.id = 20;
	request.body_case = PREDICTD__REQUEST__BODY_CALIBRATE;
	request.calibrate = &calibrate;
	fixture_send(fd, &request);
	do {
		if (response != NULL)
			predictd__response__free_unpacked(response, NULL);
		response = fixture_receive(fd);
		assert_non_null(response);
		assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_CALIBRATE);
	} while (response->calibrate->device == NULL);
	assert_true(response->calibrate->device->is_calibrated);
	assert_false(response->calibrate->device->is_quick);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

/* What is told of a device of that calibrator, and what its export says. */
static void calibrate_and_tell(struct fixture *fixture, const char *calibrator,
                               Predictd__Response **told, Predictd__Calibration **exported)
{
	fixture_start(fixture, calibrator, "");
	int fd = fixture_connect(fixture, true);
	Predictd__Export export = PREDICTD__EXPORT__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	fixture_calibrate_well(fd);
	*told = fixture_devices(fd, false);
	request.id = 41;
	request.body_case = PREDICTD__REQUEST__BODY_EXPORT;
	export.device = (char *)(uintptr_t)"0";
	request.export = &export;
	Predictd__Response *response = fixture_ask(fd, &request);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_EXPORT);
	*exported = predictd__calibration__unpack(NULL, response->export->calibration.len,
	                                          response->export->calibration.data);
	assert_non_null(*exported);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

static void a_language_and_doubts_are_told_and_travel(void **state)
{
	Predictd__Response *told;
	Predictd__Calibration *exported;
	calibrate_and_tell(*state, "speaks", &told, &exported);
	const Predictd__Device *device = told->devices->devices[0];
	assert_string_equal(device->language_text,
	                    "OpenCL C 1.2 by default, 1 macros, asked of the device's compiler");
	assert_false(device->is_language_assumed);
	assert_int_equal(device->n_refused_options, 1);
	assert_string_equal(device->refused_options[0], "-cl-fake");
	assert_int_equal(device->n_doubts, 2);
	assert_string_equal(device->doubts[1], "a launch of 8 us");
	assert_true(exported->device->language.len > 0);
	assert_int_equal(exported->device->n_doubts, 2);
	predictd__calibration__free_unpacked(exported, NULL);
	predictd__response__free_unpacked(told, NULL);
}

/* A quick calibration on a busy node may have no time to ask: the same driver was asked before. */
static void what_a_compiler_told_outlives_a_calibration_that_did_not_ask(void **state)
{
	static const char *const calibrators[] = {"speaks", "well"};
	for (size_t i = 0; i < 2; i++) {
		Predictd__Response *told;
		Predictd__Calibration *exported;
		calibrate_and_tell(*state, calibrators[i], &told, &exported);
		assert_false(told->devices->devices[0]->is_language_assumed);
		assert_true(exported->device->language.len > 0);
		/* doubts are of the measurements */
		assert_int_equal(exported->device->n_doubts, i == 0 ? 2 : 0);
		predictd__calibration__free_unpacked(exported, NULL);
		predictd__response__free_unpacked(told, NULL);
		assert_int_equal(fixture_stop(*state, SIGTERM), 0);
	}
}

/* What a version tells is told of any node, and so not exported. */
static void a_language_that_is_assumed_is_told_and_stays(void **state)
{
	Predictd__Response *told;
	Predictd__Calibration *exported;
	calibrate_and_tell(*state, "well", &told, &exported);
	const Predictd__Device *device = told->devices->devices[0];
	assert_non_null(strstr(device->language_text, "assumed from the device's version"));
	assert_true(device->is_language_assumed);
	assert_int_equal(device->n_doubts, 0);
	assert_int_equal(exported->device->language.len, 0);
	predictd__calibration__free_unpacked(exported, NULL);
	predictd__response__free_unpacked(told, NULL);
}

static void assert_scan(struct fixture *fixture, const char *behaviour, size_t devices,
                        const char *problem)
{
	fixture_start(fixture, behaviour, "");
	int fd = fixture_connect(fixture, true);
	Predictd__Response *response = fixture_devices(fd, false);
	assert_int_equal(response->devices->n_devices, devices);
	predictd__response__free_unpacked(response, NULL);
	response = fixture_status(fd);
	if (strstr(response->status->device_problem, problem) == NULL)
		fail_msg("want \"%s\" in \"%s\"", problem, response->status->device_problem);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
}

static void lists_that_are_none_are_told_by_status(void **state)
{
	assert_scan(*state, "unlisted", 0, "no driver is at home");
	assert_scan(*state, "unasked", 0, "answered what was not asked");
	assert_scan(*state, "blank", 1, "a device was left out: no description");
	assert_scan(*state, "none", 0, "no OpenCL device: no driver is installed");
}

/* Three ask while devices are looked for again: one cancels, one leaves, one is answered. */
static void who_waits_for_devices_may_cancel_leave_or_be_answered(void **state)
{
	struct fixture *fixture = *state;
	Predictd__ListDevices list = PREDICTD__LIST_DEVICES__INIT;
	Predictd__Cancel cancel = PREDICTD__CANCEL__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	bool has_cancelled = false;
	int fds[3];
	fixture_start(fixture, "slow", "scan_ms = 100");
	for (int i = 0; i < 3; i++)
		fds[i] = fixture_connect(fixture, true);
	predictd__response__free_unpacked(fixture_devices(fds[0], false), NULL);
	usleep(1100000); /* before that they are not looked for again */
	/* so that all of it comes while they are */
	assert_int_equal(kill(fixture->pid, SIGSTOP), 0);
	request.id = 11;
	request.body_case = PREDICTD__REQUEST__BODY_LIST_DEVICES;
	request.list_devices = &list;
	for (int i = 0; i < 3; i++)
		fixture_send(fds[i], &request);
	close(fds[1]);
	request.id = 22;
	request.body_case = PREDICTD__REQUEST__BODY_CANCEL;
	request.cancel = &cancel;
	cancel.id = 11;
	fixture_send(fds[0], &request);
	assert_int_equal(kill(fixture->pid, SIGCONT), 0);
	for (int i = 0; i < 2; i++) {
		Predictd__Response *response = fixture_receive(fds[0]);
		assert_non_null(response);
		has_cancelled |= response->body_case == PREDICTD__RESPONSE__BODY_CANCEL;
		if (response->id == 11)
			assert_refused(response, STATUS_CANCELLED, "devices: cancelled");
		else
			predictd__response__free_unpacked(response, NULL);
	}
	assert_true(has_cancelled);
	Predictd__Response *response = fixture_receive(fds[2]);
	assert_non_null(response);
	assert_int_equal(response->devices->n_devices, 0);
	predictd__response__free_unpacked(response, NULL);
	response = fixture_status(fds[2]);
	assert_non_null(strstr(response->status->device_problem, "hangs"));
	predictd__response__free_unpacked(response, NULL);
	close(fds[0]);
	close(fds[2]);
}

#define CALIBRATING_TEST(name)                                                                     \
	cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        CALIBRATING_TEST(results_that_are_none_are_refused_by_what_is_wrong),
	        CALIBRATING_TEST(a_result_outlives_the_crash_of_its_driver),
	        CALIBRATING_TEST(full_calibrations_are_told_from_quick_ones),
	        CALIBRATING_TEST(a_language_and_doubts_are_told_and_travel),
	        CALIBRATING_TEST(a_language_that_is_assumed_is_told_and_stays),
	        CALIBRATING_TEST(what_a_compiler_told_outlives_a_calibration_that_did_not_ask),
	        CALIBRATING_TEST(lists_that_are_none_are_told_by_status),
	        CALIBRATING_TEST(who_waits_for_devices_may_cancel_leave_or_be_answered),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("calibrating", tests, NULL, NULL);
}
