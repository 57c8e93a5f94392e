/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variants while one call of the daemon fails: each is answered, or refused with a sentence, and
 * then all are answered.
 */
#include "tests/unit/daemon/fixture.h"

#include "tests/unit/daemon/failing.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 6, CALLS_MAX = 150, ATTEMPTS = 500, ATTEMPT_US = 5000 };

/* New ones each time; NULL: the daemon closed. */
static Predictd__Response *ask(int fd)
{
	static unsigned long asked;
	Predictd__Program program = PREDICTD__PROGRAM__INIT;
	Predictd__RegisterVariants body = PREDICTD__REGISTER_VARIANTS__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	char texts[COUNT][64], *options[COUNT];
	for (unsigned i = 0; i < COUNT; i++) {
		snprintf(texts[i], sizeof texts[i], "kernels a b%lu", asked++);
		options[i] = texts[i];
	}
	program.name = "a.cl";
	program.source = (ProtobufCBinaryData){8, (uint8_t *)(uintptr_t)"variants"};
	body.program = &program;
	body.options = options;
	body.n_options = COUNT;
	request.id = 2;
	request.body_case = PREDICTD__REQUEST__BODY_REGISTER_VARIANTS;
	request.register_variants = &body;
	return fixture_ask(fd, &request);
}

static void assert_refusal(const Predictd__Error *error, const char *what)
{
	if (error->text[0] == '\0' ||
	    (error->status != (uint32_t)STATUS_NO_MEMORY &&
	     error->status != (uint32_t)STATUS_LIMIT &&
	     error->status != (uint32_t)STATUS_UNAVAILABLE &&
	     error->status != (uint32_t)STATUS_IO && error->status != (uint32_t)STATUS_BUSY &&
	     error->status != (uint32_t)STATUS_CORRUPT))
		fail_msg("%s: %u, \"%s\"", what, error->status, error->text);
}

/* Frees it; whether every variant is a program. What is not is refused. */
static bool is_whole(Predictd__Response *response, const char *what)
{
	size_t known = 0;
	if (response == NULL)
		return false;
	if (response->body_case == PREDICTD__RESPONSE__BODY_ERROR)
		assert_refusal(response->error, what);
	else
		assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_REGISTER_VARIANTS);
	if (response->body_case == PREDICTD__RESPONSE__BODY_REGISTER_VARIANTS) {
		const Predictd__RegisterVariantsReply *body = response->register_variants;
		assert_int_equal(body->n_replies, COUNT);
		for (size_t i = 0; i < COUNT; i++) {
			Predictd__Response *reply = predictd__response__unpack(
			        NULL, body->replies[i].len, body->replies[i].data);
			assert_non_null(reply);
			if (reply->body_case == PREDICTD__RESPONSE__BODY_ERROR)
				assert_refusal(reply->error, what);
			else
				known += reply->register_program->n_kernels == 2;
			predictd__response__free_unpacked(reply, NULL);
		}
	}
	predictd__response__free_unpacked(response, NULL);
	return known == COUNT;
}

static bool are_well_again(const struct fixture *fixture)
{
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		int fd = fixture_connect(fixture, true);
		bool is_well = is_whole(ask(fd), "afterwards");
		close(fd);
		if (is_well)
			return true;
		usleep(ATTEMPT_US); /* until there is an analyser again */
	}
	return false;
}

static void variants_outlive_each_call_that_fails(void **state)
{
	struct fixture *fixture = *state;
	unsigned refused = 0;
	fixture_start(fixture, "well", "programs = 100000");
	assert_true(are_well_again(fixture));
	for (int kind = 0; kind < FAILING_COUNT; kind++) {
		unsigned long calls = 1;
		/* a call that fails may end what is asked, and the calls with it */
		for (unsigned long n = 1; n <= calls + 1 && n <= CALLS_MAX; n++) {
			char what[64];
			int fd = fixture_connect(fixture, true);
			snprintf(what, sizeof what, "kind %d, call %lu", kind, n);
			failing_set((enum failing)kind, n);
			refused += !is_whole(ask(fd), what);
			calls = failing_end();
			close(fd);
			if (!are_well_again(fixture))
				fail_msg("%s: then there are no answers", what);
		}
	}
	assert_true(refused > 0);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(variants_outlive_each_call_that_fails,
	                                        fixture_setup, fixture_teardown),
	};
	failing_init();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("variant failures", tests, NULL, NULL);
}
