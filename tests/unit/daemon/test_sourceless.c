/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels without source: unknown, then answered by what was observed; kept, and forgotten. */
#include "tests/unit/daemon/fixture.h"

#include "proto/sourceless.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Predictd__Response *ask(int fd, const char *name, const char *device, uint64_t size)
{
	Predictd__Response *response =
	        fixture_predict_size(fd, SOURCELESS_HANDLE, name, device, size);
	assert_non_null(response);
	return response;
}

static Predictd__Prediction answer(int fd, const char *name, const char *device, uint64_t size)
{
	Predictd__Response *response = ask(fd, name, device, size);
	if (response->body_case != PREDICTD__RESPONSE__BODY_PREDICT)
		fail_msg("%s", response->error->text);
	Predictd__Prediction prediction = *response->predict->prediction;
	predictd__response__free_unpacked(response, NULL);
	return prediction; /* its numbers alone are looked at */
}

/* One observation, so often; the status of the first entry that is refused, or OK. */
static enum status observe(int fd, const char *name, const char *device, uint64_t size,
                           double kernel_s, double task_s, unsigned count)
{
	uint64_t sizes[] = {size};
	Predictd__Launch launch = PREDICTD__LAUNCH__INIT;
	Predictd__Observation one = PREDICTD__OBSERVATION__INIT, *list[64];
	Predictd__Observe body = PREDICTD__OBSERVE__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	assert_true(count <= 64);
	launch.n_global_items = 1;
	launch.global_items = sizes;
	one.handle = SOURCELESS_HANDLE;
	one.kernel = (char *)(uintptr_t)name;
	one.device = (char *)(uintptr_t)device;
	one.launch = &launch;
	one.kernel_time_s = kernel_s;
	one.task_time_s = task_s;
	for (unsigned i = 0; i < count; i++)
		list[i] = &one;
	body.observations = list;
	body.n_observations = count;
	body.acknowledge = true;
	request.id = 6;
	request.body_case = PREDICTD__REQUEST__BODY_OBSERVE;
	request.observe = &body;
	Predictd__Response *response = fixture_ask(fd, &request);
	assert_non_null(response);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_OBSERVE);
	enum status status = STATUS_OK;
	if (response->observe->n_entries > 0 && response->observe->entries[0]->error != NULL)
		status = (enum status)response->observe->entries[0]->error->status;
	else
		assert_int_equal(response->observe->kept, count);
	predictd__response__free_unpacked(response, NULL);
	return status;
}

static uint64_t forget(int fd, uint64_t handle, const char *name, const char *device)
{
	Predictd__Forget body = PREDICTD__FORGET__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	body.handle = handle;
	body.kernel = (char *)(uintptr_t)name;
	body.device = (char *)(uintptr_t)device;
	request.id = 7;
	request.body_case = PREDICTD__REQUEST__BODY_FORGET;
	request.forget = &body;
	Predictd__Response *response = fixture_ask(fd, &request);
	assert_non_null(response);
	uint64_t forgotten = response->body_case == PREDICTD__RESPONSE__BODY_FORGET
	                             ? response->forget->forgotten
	                             : UINT64_MAX;
	predictd__response__free_unpacked(response, NULL);
	return forgotten;
}

static int start(struct fixture *fixture)
{
	fixture_start(fixture, "well", "");
	return fixture_connect(fixture, true);
}

static void what_was_never_observed_is_unknown_until_it_is(void **state)
{
	int fd = start(*state);
	/* twice: a refusal is kept, too */
	assert_refused(ask(fd, "gemm", "cpu:0", 64), STATUS_NOT_FOUND, "unknown");
	assert_refused(ask(fd, "gemm", "cpu:0", 64), STATUS_NOT_FOUND, "unknown");
	assert_int_equal(observe(fd, "gemm", "cpu:0", 64, 0.25, 0, 8), STATUS_OK);
	const Predictd__Prediction got = answer(fd, "gemm", "cpu:0", 64);
	assert_close(got.kernel_time_s, 0.25, 0.02);
	assert_true(got.low_s < 0.25 && got.high_s > 0.25);
	assert_int_equal(got.basis, 2); /* observed */
	assert_int_equal(got.observation_count, 8);
	assert_true(got.task_time_s == got.kernel_time_s && got.task_observation_count == 0);
	assert_true(got.static_time_s == 0 && got.launch_time_s == 0);
	/* of another device, or another name, nothing follows */
	assert_refused(ask(fd, "gemm", "cpu:1", 64), STATUS_NOT_FOUND, "cpu:1");
	assert_refused(ask(fd, "gemv", "cpu:0", 64), STATUS_NOT_FOUND, "gemv");
	close(fd);
}

static void a_repeated_question_follows_what_is_observed(void **state)
{
	int fd = start(*state);
	assert_int_equal(observe(fd, "gemm", "cpu:0", 64, 0, 0.25, 1), STATUS_OK);
	const Predictd__Prediction before = answer(fd, "gemm", "cpu:0", 128);
	assert_int_equal(before.basis, 4); /* history */
	assert_close(before.task_time_s, 0.5, 0.05);
	assert_true(answer(fd, "gemm", "cpu:0", 128).task_time_s == before.task_time_s);
	/* a launch nearby moves the answer about this one */
	assert_int_equal(observe(fd, "gemm", "cpu:0", 120, 0, 2, 8), STATUS_OK);
	const Predictd__Prediction after = answer(fd, "gemm", "cpu:0", 128);
	assert_true(after.task_time_s > 1.3);
	assert_true(after.high_s / after.low_s < before.high_s / before.low_s);
	assert_true(after.epoch_slot == before.epoch_slot &&
	            after.epoch_value != before.epoch_value);
	close(fd);
}

static void kernels_and_tasks_are_apart(void **state)
{
	int fd = start(*state);
	assert_int_equal(observe(fd, "gemm", "cpu:0", 64, 0.25, 0.75, 4), STATUS_OK);
	Predictd__Prediction got = answer(fd, "gemm", "cpu:0", 64);
	assert_close(got.kernel_time_s, 0.25, 0.05);
	assert_close(got.task_time_s, 0.75, 0.05);
	assert_int_equal(observe(fd, "gemm", "cpu:0", 64, 0, 3, 40), STATUS_OK);
	got = answer(fd, "gemm", "cpu:0", 64);
	assert_close(got.kernel_time_s, 0.25, 0.05);
	assert_close(got.task_time_s, 3, 0.05);
	close(fd);
}

/* A device of the node, calibrated or not, is one and the same by index, name and key. */
static void a_device_of_the_node_is_known_by_any_of_its_names(void **state)
{
	int fd = start(*state);
	Predictd__Response *devices = fixture_devices(fd, false);
	char key[64], name[128];
	snprintf(key, sizeof key, "%s", devices->devices->devices[0]->key);
	snprintf(name, sizeof name, "%s", devices->devices->devices[0]->name);
	predictd__response__free_unpacked(devices, NULL);
	assert_int_equal(observe(fd, "gemm", "0", 64, 0.25, 0, 3), STATUS_OK);
	assert_close(answer(fd, "gemm", key, 64).kernel_time_s, 0.25, 0.1);
	assert_close(answer(fd, "gemm", name, 64).kernel_time_s, 0.25, 0.1);
	assert_refused(ask(fd, "gemm", "no such device", 64), STATUS_NOT_FOUND, "key of your own");
	assert_int_equal(forget(fd, 0, "", key), 3);
	assert_refused(ask(fd, "gemm", "0", 64), STATUS_NOT_FOUND, "unknown");
	close(fd);
}

static void a_restart_keeps_what_was_observed(void **state)
{
	int fd = start(*state);
	assert_int_equal(observe(fd, "gemm", "cpu:0", 64, 0.25, 0.5, 8), STATUS_OK);
	const Predictd__Prediction before = answer(fd, "gemm", "cpu:0", 64);
	close(fd);
	assert_int_equal(fixture_stop(*state, SIGKILL), -SIGKILL);
	fd = start(*state);
	const Predictd__Prediction after = answer(fd, "gemm", "cpu:0", 64);
	assert_close(after.kernel_time_s, before.kernel_time_s, 1e-3);
	assert_close(after.task_time_s, before.task_time_s, 1e-3);
	close(fd);
}

static void it_is_forgotten_by_name_device_or_both(void **state)
{
	int fd = start(*state);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(observe(fd, "gemm", "cpu:0", 64, 0.25, 0, 2), STATUS_OK);
		assert_int_equal(observe(fd, "gemm", "cpu:1", 64, 0.25, 0, 4), STATUS_OK);
		assert_int_equal(observe(fd, "gemv", "cpu:1", 64, 0.25, 0, 8), STATUS_OK);
		if (i == 0) {
			assert_int_equal(forget(fd, SOURCELESS_HANDLE, "gemm", "cpu:1"), 4);
			(void)answer(fd, "gemm", "cpu:0", 64);
			assert_int_equal(forget(fd, 0, "", "cpu:1"), 8);
			(void)answer(fd, "gemm", "cpu:0", 64);
			assert_int_equal(forget(fd, SOURCELESS_HANDLE, "gemm", ""), 2);
		} else {
			assert_int_equal(forget(fd, 0, "gemm", ""), 6);
			assert_int_equal(forget(fd, SOURCELESS_HANDLE, "", ""), 8);
		}
		assert_refused(ask(fd, "gemm", "cpu:0", 64), STATUS_NOT_FOUND, "unknown");
		assert_refused(ask(fd, "gemv", "cpu:1", 64), STATUS_NOT_FOUND, "unknown");
	}
	assert_int_equal(forget(fd, SOURCELESS_HANDLE, "gemm", ""), UINT64_MAX);
	assert_int_equal(forget(fd, SOURCELESS_HANDLE, "gemm", "cpu:0"), UINT64_MAX);
	assert_int_equal(forget(fd, 0, "", "cpu:0"), 0);
	close(fd);
}

/* Of so many devices as nobody has: none takes another's place, and real ones stay. */
static void keys_of_ones_own_use_nothing_up(void **state)
{
	int fd = start(*state);
	Predictd__Response *response = fixture_calibrate(fd, "0");
	predictd__response__free_unpacked(response, NULL);
	for (unsigned i = 0; i < 400; i++) {
		char key[32];
		snprintf(key, sizeof key, "cpu:%u", i);
		assert_int_equal(observe(fd, "gemm", key, 64, 1e-3 * (i + 1), 0, 1), STATUS_OK);
	}
	for (unsigned i = 0; i < 400; i += 57) {
		char key[32];
		snprintf(key, sizeof key, "cpu:%u", i);
		assert_close(answer(fd, "gemm", key, 64).kernel_time_s, 1e-3 * (i + 1), 1e-3);
	}
	response = fixture_register(fd, "kernels a b");
	uint64_t handle = response->register_program->handle;
	predictd__response__free_unpacked(response, NULL);
	response = fixture_predict(fd, handle, "a", "0");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_PREDICT);
	assert_int_equal(response->predict->prediction->basis, 0);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

static void what_is_hostile_is_refused(void **state)
{
	int fd = start(*state);
	char name[300];
	memset(name, 'x', sizeof name);
	name[256] = '\0';
	assert_refused(ask(fd, name, "cpu:0", 64), STATUS_INVALID, "255 bytes");
	name[255] = '\0';
	assert_refused(ask(fd, name, "cpu:0", 64), STATUS_NOT_FOUND, "unknown");
	assert_refused(ask(fd, "", "cpu:0", 64), STATUS_INVALID, "name");
	assert_refused(ask(fd, "gemm", "cpu: 0", 64), STATUS_NOT_FOUND, "key of your own");
	assert_refused(ask(fd, "gemm", "cpu:0", 0), STATUS_INVALID, "want 1 or more");
	memset(name, ':', 64);
	name[64] = '\0';
	assert_refused(ask(fd, "gemm", name, 64), STATUS_NOT_FOUND, "key of your own");
	static const double wrong[] = {(double)NAN, (double)INFINITY, -1, 1e300, 1e-300, 1e7, 0};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		assert_int_equal(observe(fd, "gemm", "cpu:0", 64, wrong[i], 0, 1), STATUS_INVALID);
	assert_int_equal(observe(fd, "gemm", "cpu:0", 0, 1, 0, 1), STATUS_INVALID);
	assert_int_equal(observe(fd, "", "cpu:0", 64, 1, 0, 1), STATUS_INVALID);
	assert_refused(ask(fd, "gemm", "cpu:0", 64), STATUS_NOT_FOUND, "unknown");
	/* what is extreme is not wrong */
	assert_int_equal(observe(fd, "gemm", "cpu:0", UINT64_MAX, 1e6, 1e-9, 1), STATUS_OK);
	const Predictd__Prediction got = answer(fd, "gemm", "cpu:0", 1);
	assert_true(got.kernel_time_s > 0 && isfinite(got.high_s) && isfinite(got.task_high_s));
	assert_true(got.low_s > 0 && got.low_s <= got.kernel_time_s);
	close(fd);
}

#define SOURCELESS_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        SOURCELESS_TEST(what_was_never_observed_is_unknown_until_it_is),
	        SOURCELESS_TEST(a_repeated_question_follows_what_is_observed),
	        SOURCELESS_TEST(kernels_and_tasks_are_apart),
	        SOURCELESS_TEST(a_device_of_the_node_is_known_by_any_of_its_names),
	        SOURCELESS_TEST(a_restart_keeps_what_was_observed),
	        SOURCELESS_TEST(it_is_forgotten_by_name_device_or_both),
	        SOURCELESS_TEST(keys_of_ones_own_use_nothing_up),
	        SOURCELESS_TEST(what_is_hostile_is_refused),
	};
	return cmocka_run_group_tests_name("sourceless", tests, NULL, NULL);
}
