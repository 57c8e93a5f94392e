/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of devices: asked for, measured, kept, told, and how measuring them fails. */
#include "tests/unit/daemon/fixture.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The last reply to a measurement of two devices. */
static Predictd__Response *measure(int fd, const char *device, const char *other)
{
	Predictd__Calibrate calibrate = PREDICTD__CALIBRATE__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	Predictd__Response *response = NULL;
	calibrate.device = (char *)(uintptr_t)device;
	calibrate.other = (char *)(uintptr_t)other;
	request.id = 20;
	request.body_case = PREDICTD__REQUEST__BODY_CALIBRATE;
	request.calibrate = &calibrate;
	fixture_send(fd, &request);
	for (;;) {
		response = fixture_receive(fd);
		assert_non_null(response);
		if (response->body_case != PREDICTD__RESPONSE__BODY_CALIBRATE ||
		    response->calibrate->pair != NULL)
			return response;
		assert_null(response->calibrate->device);
		predictd__response__free_unpacked(response, NULL);
	}
}

static Predictd__Response *contention(int fd, size_t count)
{
	char *devices[] = {(char *)(uintptr_t)"1", (char *)(uintptr_t)"0"};
	Predictd__Contention body = PREDICTD__CONTENTION__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	body.devices = devices;
	body.n_devices = count;
	request.id = 21;
	request.body_case = PREDICTD__REQUEST__BODY_CONTENTION;
	request.contention = &body;
	Predictd__Response *response = fixture_ask(fd, &request);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_CONTENTION);
	return response;
}

static void a_pair_is_measured_kept_and_told(void **state)
{
	fixture_start(*state, "well", "");
	int fd = fixture_connect(*state, true);
	Predictd__Response *response = contention(fd, 2);
	assert_int_equal(response->contention->n_pairs, 0);
	assert_int_equal(response->contention->n_keys, 2);
	uint64_t value = response->contention->epoch_value;
	assert_true(value > 0);
	predictd__response__free_unpacked(response, NULL);
	response = measure(fd, "0", "1");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_CALIBRATE);
	assert_int_equal(response->calibrate->pair->n_slowdowns, 18);
	predictd__response__free_unpacked(response, NULL);
	response = contention(fd, 2);
	assert_int_equal(response->contention->n_pairs, 1);
	assert_true(response->contention->epoch_value != value);
	assert_false(response->contention->pairs[0]->is_stale);
	assert_true(response->contention->pairs[0]->measured_at_s > 0);
	assert_close(response->contention->pairs[0]->slowdowns[7], 1.5, 0);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
	assert_int_equal(fixture_stop(*state, SIGTERM), 0);
	/* all that are listed; in another life of the daemon */
	fixture_start(*state, "well", "");
	fd = fixture_connect(*state, true);
	response = contention(fd, 0);
	assert_int_equal(response->contention->n_pairs, 1);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

static void a_pair_goes_with_a_calibration_that_is_removed(void **state)
{
	Predictd__RemoveCalibration removal = PREDICTD__REMOVE_CALIBRATION__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	fixture_start(*state, "well", "");
	int fd = fixture_connect(*state, true);
	fixture_calibrate_well(fd);
	predictd__response__free_unpacked(measure(fd, "1", "0"), NULL);
	removal.device = (char *)(uintptr_t)"0";
	request.id = 22;
	request.body_case = PREDICTD__REQUEST__BODY_REMOVE_CALIBRATION;
	request.remove_calibration = &removal;
	predictd__response__free_unpacked(fixture_ask(fd, &request), NULL);
	Predictd__Response *response = contention(fd, 2);
	assert_int_equal(response->contention->n_pairs, 0);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

static void measurements_that_fail_change_nothing(void **state)
{
	static const struct {
		const char *behaviour, *part;
	} cases[] = {
	        {"crash", "the calibrator"},
	        {"broken", "want 1 to 1000, got 0.5"},
	        {"silent", "ended without a result"},
	        {"status", "the calibrator ended with status 3"},
	        {"surprise", "answered what was not asked"},
	        {"garbage", "the calibrator"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		fixture_start(*state, cases[i].behaviour, "");
		int fd = fixture_connect(*state, true);
		assert_refused(measure(fd, "0", "1"), STATUS_DEVICE, cases[i].part);
		Predictd__Response *response = contention(fd, 2);
		assert_int_equal(response->contention->n_pairs, 0);
		predictd__response__free_unpacked(response, NULL);
		/* it is no failure of a device */
		response = fixture_devices(fd, false);
		assert_string_equal(response->devices->devices[0]->failure, "");
		predictd__response__free_unpacked(response, NULL);
		close(fd);
		assert_int_equal(fixture_stop(*state, SIGTERM), 0);
	}
}

static void what_is_no_pair_is_refused(void **state)
{
	fixture_start(*state, "well", "");
	int fd = fixture_connect(*state, true);
	assert_refused(measure(fd, "0", "0"), STATUS_INVALID, "want two devices");
	assert_refused(measure(fd, "0", "7"), STATUS_NOT_FOUND, "device 7");
	close(fd);
	assert_int_equal(fixture_stop(*state, SIGTERM), 0);
	fixture_start(*state, "crossed", "");
	fd = fixture_connect(*state, true);
	assert_refused(fixture_calibrate(fd, "0"), STATUS_DEVICE, "answered what was not asked");
	close(fd);
}

#define PAIRING_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        PAIRING_TEST(a_pair_is_measured_kept_and_told),
	        PAIRING_TEST(a_pair_goes_with_a_calibration_that_is_removed),
	        PAIRING_TEST(measurements_that_fail_change_nothing),
	        PAIRING_TEST(what_is_no_pair_is_refused),
	};
	return cmocka_run_group_tests_name("pairing", tests, NULL, NULL);
}
