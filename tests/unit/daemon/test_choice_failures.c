/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Choices of configurations while one call of the daemon fails: each request is answered or
 * refused, none is said to be gone that is there, and the next ones are answered.
 */
#include "tests/unit/daemon/fixture.h"

#include "tests/unit/daemon/failing.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum asked { KEEP, FIND, FORGET, ASKED_COUNT };

/* NULL: the daemon closed. */
static Predictd__Response *ask(int fd, enum asked what)
{
	static uint8_t space[16];
	Predictd__Choice choice = PREDICTD__CHOICE__INIT;
	Predictd__KeepChoice keep = PREDICTD__KEEP_CHOICE__INIT;
	Predictd__FindChoice find = PREDICTD__FIND_CHOICE__INIT;
	Predictd__Forget forget = PREDICTD__FORGET__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	choice.name = (char *)(uintptr_t)"gemm";
	choice.device = (char *)(uintptr_t)"0";
	choice.space = (ProtobufCBinaryData){sizeof space, space};
	keep.choice = find.choice = &choice;
	keep.configuration = 7;
	keep.time_s = 1;
	request.id = 2;
	switch (what) {
	case KEEP:
		request.body_case = PREDICTD__REQUEST__BODY_KEEP_CHOICE;
		request.keep_choice = &keep;
		break;
	case FIND:
		request.body_case = PREDICTD__REQUEST__BODY_FIND_CHOICE;
		request.find_choice = &find;
		break;
	default:
		request.body_case = PREDICTD__REQUEST__BODY_FORGET;
		request.forget = &forget;
		break;
	}
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
	if (response != NULL && response->body_case == PREDICTD__RESPONSE__BODY_FIND_CHOICE)
		assert_int_equal(response->find_choice->configuration, 7);
	if (response != NULL)
		predictd__response__free_unpacked(response, NULL);
	return status;
}

static enum status answer(const struct fixture *fixture, enum asked what)
{
	return answer_over(fixture_connect(fixture, true), what);
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
	assert_int_equal(answer(fixture, KEEP), STATUS_OK);
	int fd = fixture_connect(fixture, true);
	failing_set(kind, n);
	enum status status = answer_over(fd, what);
	unsigned long calls = failing_end();
	if (status != STATUS_OK && (n == 0 || !is_refusal(status)))
		fail_msg("request %d, kind %d, call %lu: status %d", (int)what, (int)kind, n,
		         (int)status);
	enum status after = answer(fixture, FIND);
	if (what == FORGET && status == STATUS_OK ? after != STATUS_NOT_FOUND
	    : what == FORGET                      ? after != STATUS_OK && after != STATUS_NOT_FOUND
	                                          : after != STATUS_OK)
		fail_msg("request %d, kind %d, call %lu: then it is found with status %d",
		         (int)what, (int)kind, n, (int)after);
	return calls;
}

static void requests_are_answered_or_refused_whatever_call_fails(void **state)
{
	struct fixture *fixture = *state;
	unsigned long all[FAILING_COUNT] = {0};
	fixture_start(fixture, "well", "");
	for (int what = 0; what < ASKED_COUNT; what++)
		for (int kind = 0; kind < FAILING_COUNT; kind++) {
			unsigned long calls =
			        attempt(fixture, (enum asked)what, (enum failing)kind, 0);
			for (unsigned long n = 1; n <= calls; n++)
				(void)attempt(fixture, (enum asked)what, (enum failing)kind, n);
			all[kind] += calls;
		}
	assert_true(all[FAILING_STORE] >= ASKED_COUNT && all[FAILING_MEMORY] >= ASKED_COUNT);
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
	return cmocka_run_group_tests_name("choice failures", tests, NULL, NULL);
}
