/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that come and go: what keys and indices mean, who is chosen, and calibrations removed. */
#include "tests/unit/daemon/fixture.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char alpha[64], beta[64]; /* keys */

static void key_read(Predictd__Response *devices, size_t place, char key[64])
{
	assert_true(place < devices->devices->n_devices);
	assert_true(strlen(devices->devices->devices[place]->key) < 64);
	strcpy(key, devices->devices->devices[place]->key);
}

/* Both devices calibrated: the daemon has ended, their keys are known. */
static void calibrate_both(struct fixture *fixture)
{
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	fixture_calibrate_both(fd);
	Predictd__Response *devices = fixture_devices(fd, false);
	key_read(devices, 0, alpha);
	key_read(devices, 1, beta);
	assert_string_not_equal(alpha, beta);
	predictd__response__free_unpacked(devices, NULL);
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
}

/* The device that answers, by its key, and the answer's note. */
static void assert_answers(int fd, uint64_t handle, const char *device, const char *key,
                           const char *note)
{
	Predictd__Response *response = fixture_predict(fd, handle, "a", device);
	assert_non_null(response);
	if (response->body_case != PREDICTD__RESPONSE__BODY_PREDICT)
		fail_msg("%s: %s", device, response->error->text);
	const Predictd__Prediction *prediction = response->predict->prediction;
	assert_string_equal(prediction->device->key, key);
	if (note[0] == '\0' ? strstr(prediction->note, "away") != NULL
	                    : strstr(prediction->note, note) == NULL)
		fail_msg("want \"%s\" in \"%s\"", note, prediction->note);
	predictd__response__free_unpacked(response, NULL);
}

static void assert_placed(Predictd__Response *response, const char *key)
{
	assert_non_null(response);
	if (response->body_case != PREDICTD__RESPONSE__BODY_PLACE)
		fail_msg("%s", response->error->text);
	assert_string_equal(response->place->placements[0]->device_key, key);
	predictd__response__free_unpacked(response, NULL);
}

static Predictd__Response *remove_calibration(int fd, const char *device)
{
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	Predictd__RemoveCalibration body = PREDICTD__REMOVE_CALIBRATION__INIT;
	body.device = (char *)(uintptr_t)device;
	request.id = 31;
	request.body_case = PREDICTD__REQUEST__BODY_REMOVE_CALIBRATION;
	request.remove_calibration = &body;
	return fixture_ask(fd, &request);
}

static void assert_removed(Predictd__Response *response, unsigned count, const char *key)
{
	assert_non_null(response);
	if (response->body_case != PREDICTD__RESPONSE__BODY_REMOVE_CALIBRATION)
		fail_msg("%s", response->error->text);
	assert_int_equal(response->remove_calibration->removed, count);
	assert_string_equal(response->remove_calibration->device->key, key);
	predictd__response__free_unpacked(response, NULL);
}

/* The names of the devices listed, and whether each is here: "Fake beta, Fake alpha away". */
static void assert_listed(int fd, const char *want)
{
	char text[256] = "";
	Predictd__Response *devices = fixture_devices(fd, false);
	for (size_t i = 0; i < devices->devices->n_devices; i++) {
		const Predictd__Device *device = devices->devices->devices[i];
		(void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s",
		               i == 0 ? "" : ", ", device->name, device->is_present ? "" : " away");
	}
	assert_string_equal(text, want);
	predictd__response__free_unpacked(devices, NULL);
}

static void a_key_means_the_same_device_after_a_restart(void **state)
{
	struct fixture *fixture = *state;
	calibrate_both(fixture);
	fixture_start(fixture, "swapped", "");
	int fd = fixture_connect(fixture, true);
	uint64_t handle = fixture_register_well(fd, "kernels a");
	assert_listed(fd, "Fake beta, Fake alpha");
	assert_answers(fd, handle, "0", beta, "");
	assert_answers(fd, handle, "1", alpha, "");
	assert_answers(fd, handle, alpha, alpha, "");
	assert_answers(fd, handle, beta, beta, "");
	close(fd);
}

static void a_device_away_is_predicted_for_when_named_and_never_chosen(void **state)
{
	struct fixture *fixture = *state;
	calibrate_both(fixture);
	fixture_start(fixture, "beta", "");
	int fd = fixture_connect(fixture, true);
	uint64_t handle = fixture_register_well(fd, "kernels a");
	assert_listed(fd, "Fake beta, Fake alpha away");
	assert_answers(fd, handle, "", beta, "");
	assert_answers(fd, handle, alpha, alpha, "the device is away");
	assert_answers(fd, handle, "alpha", alpha, "the device is away");
	assert_answers(fd, handle, "fake", beta, "");
	assert_placed(fixture_place(fd, handle, NULL), beta);
	assert_placed(fixture_place(fd, handle, beta), beta);
	assert_refused(fixture_place(fd, handle, alpha), STATUS_NOT_FOUND,
	               "place: device 1 \"Fake alpha\"");
	assert_refused(fixture_calibrate(fd, alpha), STATUS_NOT_FOUND,
	               "calibrate: device 1 \"Fake alpha\"");
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);

	fixture_start(fixture, "none", "");
	fd = fixture_connect(fixture, true);
	handle = fixture_register_well(fd, "kernels a");
	assert_refused(fixture_predict(fd, handle, "a", ""), STATUS_NOT_FOUND,
	               "no device is on this node now");
	assert_refused(fixture_place(fd, handle, NULL), STATUS_UNCALIBRATED,
	               "no device on this node");
	assert_answers(fd, handle, beta, beta, "the device is away");
	close(fd);
}

static void a_calibration_is_taken_away(void **state)
{
	struct fixture *fixture = *state;
	calibrate_both(fixture);
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	uint64_t handle = fixture_register_well(fd, "kernels a");
	assert_refused(remove_calibration(fd, ""), STATUS_INVALID, "want a device");
	assert_refused(remove_calibration(fd, "fake"), STATUS_INVALID, "part of 2 names");
	assert_refused(remove_calibration(fd, "gamma"), STATUS_NOT_FOUND, "want one of");
	assert_removed(remove_calibration(fd, alpha), 1, alpha);
	assert_listed(fd, "Fake alpha, Fake beta");
	assert_refused(fixture_predict(fd, handle, "a", "0"), STATUS_UNCALIBRATED, "Fake alpha");
	assert_refused(remove_calibration(fd, alpha), STATUS_NOT_FOUND, "has no calibration");
	assert_answers(fd, handle, "", beta, "");
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGKILL), -SIGKILL);

	/* what was told to be removed is, whatever happens then; away without one is not listed */
	fixture_start(fixture, "beta", "");
	fd = fixture_connect(fixture, true);
	assert_listed(fd, "Fake beta");
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	fixture_start(fixture, "none", "");
	fd = fixture_connect(fixture, true);
	assert_listed(fd, "Fake beta away");
	assert_removed(remove_calibration(fd, "0"), 1, beta);
	assert_listed(fd, "");
	close(fd);
}

static void equals_are_named_by_keys_and_indices_alone(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "equal", "");
	int fd = fixture_connect(fixture, true);
	uint64_t handle = fixture_register_well(fd, "kernels a");
	Predictd__Response *devices = fixture_devices(fd, false);
	key_read(devices, 0, alpha);
	key_read(devices, 1, beta);
	predictd__response__free_unpacked(devices, NULL);
	assert_string_not_equal(alpha, beta);
	fixture_calibrate_well(fd);
	assert_refused(fixture_predict(fd, handle, "a", "Fake alpha"), STATUS_INVALID,
	               "each of 2 names, want one of 0 (Fake alpha), 1 (Fake alpha)");
	/* what is known of one serves the other, which nothing tells apart but its place */
	assert_answers(fd, handle, beta, beta, "");
	assert_answers(fd, handle, "1", beta, "");
	close(fd);
}

#define KEYS_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        KEYS_TEST(a_key_means_the_same_device_after_a_restart),
	        KEYS_TEST(a_device_away_is_predicted_for_when_named_and_never_chosen),
	        KEYS_TEST(a_calibration_is_taken_away),
	        KEYS_TEST(equals_are_named_by_keys_and_indices_alone),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("keys", tests, NULL, NULL);
}
