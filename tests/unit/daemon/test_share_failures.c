/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process that shares asks, while one call of the daemon fails: each request is answered or
 * refused, what is told is taken whole or refused, and the next ones are answered.
 */
#include "tests/unit/daemon/fixture.h"

#include "tests/unit/daemon/failing.h"

#include "model/correction/correction.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum asked { READ, TELL, ASKED_COUNT };

static uint8_t state_bytes[CORRECTION_RECORD_BYTES];
static size_t state_size;
static char device_key[128], driver[128];
static uint64_t kernel, launch_key;

static void observe_one(int fd, uint64_t handle)
{
	uint64_t size = 64;
	Predictd__Launch launch = PREDICTD__LAUNCH__INIT;
	Predictd__Observation observation = PREDICTD__OBSERVATION__INIT, *list = &observation;
	Predictd__Observe observe = PREDICTD__OBSERVE__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	launch.n_global_items = 1;
	launch.global_items = &size;
	observation.handle = handle;
	observation.kernel = (char *)"a";
	observation.device = (char *)"0";
	observation.launch = &launch;
	observation.kernel_time_s = 1e-3;
	observe.observations = &list;
	observe.n_observations = 1;
	observe.acknowledge = true;
	request.id = 30;
	request.body_case = PREDICTD__REQUEST__BODY_OBSERVE;
	request.observe = &observe;
	Predictd__Response *response = fixture_ask(fd, &request);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_OBSERVE);
	assert_int_equal(response->observe->kept, 1);
	predictd__response__free_unpacked(response, NULL);
}

/* NULL: the daemon closed. */
static Predictd__Response *ask(int fd, enum asked what)
{
	Predictd__ReadRecords read = PREDICTD__READ_RECORDS__INIT;
	Predictd__SiteEstimate estimate = PREDICTD__SITE_ESTIMATE__INIT, *list = &estimate;
	Predictd__TellSite tell = PREDICTD__TELL_SITE__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	request.id = 60;
	if (what == READ) {
		read.count_max = 10;
		read.with_names = true;
		request.body_case = PREDICTD__REQUEST__BODY_READ_RECORDS;
		request.read_records = &read;
		return fixture_ask(fd, &request);
	}
	estimate.kernel = kernel;
	estimate.launch = launch_key;
	estimate.device = device_key;
	estimate.driver = driver;
	estimate.nodes = 1;
	estimate.state = (ProtobufCBinaryData){state_size, state_bytes};
	tell.estimates = &list;
	tell.n_estimates = 1;
	request.body_case = PREDICTD__REQUEST__BODY_TELL_SITE;
	request.tell_site = &tell;
	return fixture_ask(fd, &request);
}

/* What came: OK, what an error says, or UNAVAILABLE where the daemon closed. */
static enum status answer_over(int fd, enum asked what)
{
	Predictd__Response *response = ask(fd, what);
	enum status status = response == NULL ? STATUS_UNAVAILABLE : STATUS_OK;
	close(fd);
	if (response != NULL && response->body_case == PREDICTD__RESPONSE__BODY_ERROR)
		status = (enum status)response->error->status;
	if (response != NULL && response->body_case == PREDICTD__RESPONSE__BODY_READ_RECORDS) {
		assert_int_equal(response->read_records->n_records, 1);
		assert_int_equal(response->read_records->last, 1);
		assert_string_equal(response->read_records->records[0]->kernel_name, "a");
	}
	if (response != NULL && response->body_case == PREDICTD__RESPONSE__BODY_TELL_SITE)
		assert_int_equal(response->tell_site->taken, 1);
	if (response != NULL)
		predictd__response__free_unpacked(response, NULL);
	return status;
}

static bool is_refusal(enum status status)
{
	return status == STATUS_NO_MEMORY || status == STATUS_LIMIT || status == STATUS_IO ||
	       status == STATUS_UNAVAILABLE;
}

/* Calls of the kind that a request makes, of which the n-th fails. */
static unsigned long attempt(const struct fixture *fixture, enum asked what, enum failing kind,
                             unsigned long n)
{
	int fd = fixture_connect(fixture, true);
	failing_set(kind, n);
	enum status status = answer_over(fd, what);
	unsigned long calls = failing_end();
	if (status != STATUS_OK && (n == 0 || !is_refusal(status)))
		fail_msg("request %d, kind %d, call %lu: status %d", (int)what, (int)kind, n,
		         (int)status);
	for (int then = 0; then < ASKED_COUNT; then++)
		assert_int_equal(answer_over(fixture_connect(fixture, true), (enum asked)then),
		                 STATUS_OK);
	return calls;
}

/* Whose record others' are made like. */
static void look(const struct fixture *fixture)
{
	int fd = fixture_connect(fixture, true);
	Predictd__Response *response = fixture_calibrate(fd, "0");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_CALIBRATE);
	predictd__response__free_unpacked(response, NULL);
	response = fixture_register(fd, "kernels a b");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM);
	observe_one(fd, response->register_program->handle);
	predictd__response__free_unpacked(response, NULL);
	response = ask(fd, READ);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_READ_RECORDS);
	const Predictd__SharedRecord *record = response->read_records->records[0];
	(void)snprintf(device_key, sizeof device_key, "%s", record->device);
	(void)snprintf(driver, sizeof driver, "%s", record->driver);
	kernel = record->kernel;
	launch_key = record->launch;
	state_size = record->state.len;
	memcpy(state_bytes, record->state.data, state_size);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

static void requests_are_answered_or_refused_whatever_call_fails(void **state)
{
	struct fixture *fixture = *state;
	unsigned long all[FAILING_COUNT] = {0};
	fixture_start(fixture, "well", "");
	look(fixture);
	for (int what = 0; what < ASKED_COUNT; what++)
		for (int kind = 0; kind < FAILING_COUNT; kind++) {
			unsigned long calls =
			        attempt(fixture, (enum asked)what, (enum failing)kind, 0);
			for (unsigned long n = 1; n <= calls; n++)
				(void)attempt(fixture, (enum asked)what, (enum failing)kind, n);
			all[kind] += calls;
		}
	assert_true(all[FAILING_STORE] >= 1 && all[FAILING_MEMORY] >= ASKED_COUNT &&
	            all[FAILING_ARENA] >= ASKED_COUNT);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(
	                requests_are_answered_or_refused_whatever_call_fails, fixture_setup,
	                fixture_teardown),
	};
	failing_init();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("share failures", tests, NULL, NULL);
}
