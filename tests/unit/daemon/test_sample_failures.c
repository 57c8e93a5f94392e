/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples that are kept on disk, while one call of the daemon fails: whatever fails, what was
 * forgotten is in no file in the end, and what was kept is asked for again at most.
 */
#include "tests/unit/daemon/fixture.h"

#include "proto/sample_name.h"
#include "tests/folder.h"
#include "tests/unit/daemon/failing.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 4096, LOADING_US = 20000 };

static const char *const keeping = "\n[samples]\nkeep = yes";

/* NULL: the daemon closed. */
static Predictd__Response *keep(int fd, uint8_t byte)
{
	static uint8_t bytes[BYTES];
	Predictd__Sample sample = PREDICTD__SAMPLE__INIT;
	Predictd__KeepSample body = PREDICTD__KEEP_SAMPLE__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	uint64_t offset = 0;
	uint32_t length = BYTES;
	memset(bytes, byte, BYTES);
	sample.size_bytes = BYTES;
	sample.offsets_bytes = &offset;
	sample.lengths_bytes = &length;
	sample.n_offsets_bytes = sample.n_lengths_bytes = 1;
	sample.bytes = (ProtobufCBinaryData){BYTES, bytes};
	body.sample = &sample;
	request.id = 2;
	request.body_case = PREDICTD__REQUEST__BODY_KEEP_SAMPLE;
	request.keep_sample = &body;
	return fixture_ask(fd, &request);
}

/* What is older. */
static Predictd__Response *forget(int fd, double age_s)
{
	Predictd__Forget body = PREDICTD__FORGET__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	body.age_s = age_s;
	request.id = 3;
	request.body_case = PREDICTD__REQUEST__BODY_FORGET;
	request.forget = &body;
	return fixture_ask(fd, &request);
}

/* Frees it; whether it was the answer, and no refusal that is none of a failure. */
static bool is_done(Predictd__Response *response, Predictd__Response__BodyCase wanted)
{
	if (response == NULL)
		return false;
	bool is_wanted = response->body_case == wanted;
	if (!is_wanted) {
		assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_ERROR);
		assert_true(response->error->status == (uint32_t)STATUS_NO_MEMORY ||
		            response->error->status == (uint32_t)STATUS_LIMIT ||
		            response->error->status == (uint32_t)STATUS_IO);
	}
	predictd__response__free_unpacked(response, NULL);
	return is_wanted;
}

/* Keeps and forgets on a connection each, as either may be closed; the n-th call fails. */
static bool round_trip(const struct fixture *fixture, enum failing kind, unsigned long n)
{
	int first = fixture_connect(fixture, true), second = fixture_connect(fixture, true);
	failing_set(kind, n);
	(void)is_done(keep(first, 'a'), PREDICTD__RESPONSE__BODY_KEEP_SAMPLE);
	bool is_forgotten = is_done(forget(second, 0), PREDICTD__RESPONSE__BODY_FORGET);
	close(first);
	close(second);
	return is_forgotten;
}

/* Something was stored; both are forgotten while the n-th call fails, and in the end. */
static unsigned long forget_both(const struct fixture *fixture, enum failing kind, unsigned long n)
{
	int fd = fixture_connect(fixture, true);
	assert_true(is_done(keep(fd, 'b'), PREDICTD__RESPONSE__BODY_KEEP_SAMPLE));
	/* before it is answered, what has changed is written */
	assert_true(is_done(forget(fd, 1e6), PREDICTD__RESPONSE__BODY_FORGET));
	assert_true(folder_has(fixture->state, 'b'));
	close(fd);
	bool was_forgotten = round_trip(fixture, kind, n);
	unsigned long calls = failing_end();
	if (was_forgotten && (folder_has(fixture->state, 'a') || folder_has(fixture->state, 'b')))
		fail_msg("kind %d, call %lu of %lu: said to be gone", kind, n, calls);
	if (!round_trip(fixture, kind, 0))
		fail_msg("kind %d, call %lu: then nothing is forgotten", kind, n);
	(void)failing_end();
	assert_false(folder_has(fixture->state, 'a'));
	assert_false(folder_has(fixture->state, 'b'));
	return calls;
}

static void what_is_forgotten_goes_whatever_call_fails(void **state)
{
	struct fixture *fixture = *state;
	fixture_start(fixture, "well", keeping);
	for (int kind = 0; kind < FAILING_COUNT; kind++) {
		unsigned long calls = forget_both(fixture, (enum failing)kind, 0);
		for (unsigned long n = 1; n <= calls; n++)
			(void)forget_both(fixture, (enum failing)kind, n);
	}
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
}

/* A daemon starts with a stored sample while the n-th call fails, and forgets it. */
static unsigned long start_and_forget(struct fixture *fixture, enum failing kind, unsigned long n)
{
	fixture_start(fixture, "well", keeping);
	int fd = fixture_connect(fixture, true);
	assert_true(is_done(keep(fd, 'a'), PREDICTD__RESPONSE__BODY_KEEP_SAMPLE));
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	assert_true(folder_has(fixture->state, 'a'));
	failing_set(kind, n);
	if (!fixture_try_start(fixture, "well", keeping)) {
		(void)failing_end();
		return 0;
	}
	usleep(LOADING_US); /* while it reads its store, or does not */
	unsigned long calls = failing_end();
	fd = fixture_connect(fixture, true);
	bool is_forgotten = is_done(forget(fd, 0), PREDICTD__RESPONSE__BODY_FORGET);
	close(fd);
	if (is_forgotten && folder_has(fixture->state, 'a'))
		fail_msg("kind %d, call %lu of %lu: said to be gone", kind, n, calls);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	return calls;
}

static void what_cannot_be_read_is_forgotten_whatever_call_fails(void **state)
{
	for (int kind = 0; kind < FAILING_COUNT; kind++) {
		unsigned long calls = start_and_forget(*state, (enum failing)kind, 0);
		assert_true(calls > 0 || kind == FAILING_ARENA);
		for (unsigned long n = 1; n <= calls; n++)
			(void)start_and_forget(*state, (enum failing)kind, n);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
	        TEST(what_is_forgotten_goes_whatever_call_fails),
	        TEST(what_cannot_be_read_is_forgotten_whatever_call_fails),
	};
	failing_init();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("sample failures", tests, NULL, NULL);
}
