/* SPDX-License-Identifier: Apache-2.0 */
/* Variants of one source: each is answered by itself, whatever the others do to their child. */
#include "tests/test.h"

#include "tests/unit/daemon/fixture.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MANY = 100, LARGE = 24, VARIANTS_MAX = 1024, NOBODY = 65534 };

/* Options of `count` variants, "kernels vI" but for one; each on the heap. */
struct many {
	char *options[VARIANTS_MAX + 1];
	size_t count;
};

static void many_init(struct many *many, size_t count)
{
	many->count = count;
	for (size_t i = 0; i < count; i++)
		assert_true(asprintf(&many->options[i], "kernels v%zu", i) > 0);
}

static void many_set(struct many *many, size_t place, const char *options)
{
	free(many->options[place]);
	many->options[place] = strdup(options);
}

static void many_deinit(struct many *many)
{
	for (size_t i = 0; i < many->count; i++)
		free(many->options[i]);
}

static void send_variants(int fd, const struct many *many, const char *common)
{
	Predictd__Program program = PREDICTD__PROGRAM__INIT;
	Predictd__RegisterVariants body = PREDICTD__REGISTER_VARIANTS__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	program.name = "a.cl";
	program.source = (ProtobufCBinaryData){8, (uint8_t *)(uintptr_t)"variants"};
	program.options = (char *)(uintptr_t)common;
	body.program = &program;
	body.options = (char **)(uintptr_t)many->options;
	body.n_options = many->count;
	request.id = 2;
	request.body_case = PREDICTD__REQUEST__BODY_REGISTER_VARIANTS;
	request.register_variants = &body;
	fixture_send(fd, &request);
}

/* The replies of all, each to free_unpacked. */
static void receive_variants(int fd, const struct many *many, Predictd__Response **replies)
{
	Predictd__Response *response = fixture_receive(fd);
	assert_non_null(response);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_REGISTER_VARIANTS);
	const Predictd__RegisterVariantsReply *body = response->register_variants;
	assert_int_equal(body->n_replies, many->count);
	for (size_t i = 0; i < many->count; i++) {
		replies[i] = predictd__response__unpack(NULL, body->replies[i].len,
		                                        body->replies[i].data);
		assert_non_null(replies[i]);
	}
	predictd__response__free_unpacked(response, NULL);
}

static void replies_free(const struct many *many, Predictd__Response **replies)
{
	for (size_t i = 0; i < many->count; i++)
		predictd__response__free_unpacked(replies[i], NULL);
}

/* Has the kernel that its option names. */
static void assert_own(const Predictd__Response *reply, size_t place)
{
	char name[16];
	snprintf(name, sizeof name, "v%zu", place);
	assert_int_equal(reply->body_case, PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM);
	assert_int_equal(reply->register_program->n_kernels, 1);
	assert_string_equal(reply->register_program->kernels[0]->name, name);
}

static void assert_error(const Predictd__Response *reply, enum status status, const char *part)
{
	assert_int_equal(reply->body_case, PREDICTD__RESPONSE__BODY_ERROR);
	assert_int_equal(reply->error->status, status);
	assert_non_null(strstr(reply->error->text, part));
}

static uint64_t analyses(int fd)
{
	Predictd__Response *response = fixture_status(fd);
	uint64_t forks = response->status->analyses;
	predictd__response__free_unpacked(response, NULL);
	return forks;
}

static void each_variant_is_a_program_of_its_own(void **state)
{
	struct fixture *fixture = *state;
	struct many many;
	Predictd__Response *first[MANY], *again[MANY];
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	many_init(&many, MANY);
	many_set(&many, 7, "syntax");
	many_set(&many, 50, "large"); /* decoded off the loop, others after it */
	send_variants(fd, &many, "");
	receive_variants(fd, &many, first);
	uint64_t forks = analyses(fd);
	assert_true(forks < MANY / 2); /* several to a child */
	for (size_t i = 0; i < MANY; i++) {
		if (i == 7)
			assert_error(first[i], STATUS_SYNTAX, "want a kernel");
		else if (i == 50)
			assert_int_equal(first[i]->register_program->n_kernels, 256);
		else
			assert_own(first[i], i);
	}
	/* known now, also what was refused */
	send_variants(fd, &many, "");
	receive_variants(fd, &many, again);
	assert_int_equal(analyses(fd), forks);
	for (size_t i = 0; i < MANY; i++)
		if (i != 7)
			assert_int_equal(again[i]->register_program->handle,
			                 first[i]->register_program->handle);
	assert_error(again[7], STATUS_SYNTAX, "want a kernel");
	Predictd__Response *answer =
	        fixture_predict(fd, first[9]->register_program->handle, "v9", "");
	assert_refused(answer, STATUS_UNCALIBRATED, "");
	replies_free(&many, first);
	replies_free(&many, again);
	many_deinit(&many);
	close(fd);
}

static void a_variant_that_ends_its_child_spoils_no_other(void **state)
{
	struct fixture *fixture = *state;
	struct many many;
	Predictd__Response *replies[MANY];
	fixture_start(fixture, "well", "analysis_deadline_ms = 200\n");
	int fd = fixture_connect(fixture, true);
	many_init(&many, MANY);
	many_set(&many, 0, "crash");
	many_set(&many, 3, "crash");
	many_set(&many, 4, "hang");
	many_set(&many, 20, "garbage");
	many_set(&many, 21, "endless");
	many_set(&many, MANY - 1, "crash");
	send_variants(fd, &many, "");
	receive_variants(fd, &many, replies);
	for (size_t i = 0; i < MANY; i++) {
		if (i == 0 || i == 3 || i == MANY - 1)
			assert_error(replies[i], STATUS_LIMIT, "gave up");
		else if (i == 4)
			assert_error(replies[i], STATUS_TIMEOUT, "too long");
		else if (i == 20)
			assert_error(replies[i], STATUS_CORRUPT, "");
		else if (i == 21)
			assert_error(replies[i], STATUS_LIMIT, "too large");
		else
			assert_own(replies[i], i);
	}
	replies_free(&many, replies);
	many_deinit(&many);
	close(fd);
}

static void an_analyser_that_dies_leaves_the_others_their_answers(void **state)
{
	struct fixture *fixture = *state;
	struct many many;
	Predictd__Response *replies[MANY];
	size_t own = 0;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	many_init(&many, MANY);
	many_set(&many, 40, "die");
	send_variants(fd, &many, "");
	receive_variants(fd, &many, replies);
	for (size_t i = 0; i < MANY; i++) {
		if (replies[i]->body_case == PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM) {
			assert_own(replies[i], i);
			own++;
		} else {
			assert_error(replies[i], STATUS_UNAVAILABLE, "analyse");
		}
	}
	assert_true(own > 0 && own < MANY);
	replies_free(&many, replies);
	many_deinit(&many);
	close(fd);
}

static void a_variant_is_registered_alone_meanwhile(void **state)
{
	struct fixture *fixture = *state;
	struct many many;
	Predictd__Response *replies[VARIANTS_MAX];
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true), other = fixture_connect(fixture, true);
	many_init(&many, VARIANTS_MAX);
	struct many last = {.options = {many.options[VARIANTS_MAX - 1]}, .count = 1};
	Predictd__Response *one;
	send_variants(fd, &many, "");
	send_variants(other, &last, "");
	receive_variants(other, &last, &one);
	receive_variants(fd, &many, replies);
	assert_own(one, VARIANTS_MAX - 1);
	for (size_t i = 0; i < VARIANTS_MAX; i++)
		assert_own(replies[i], i);
	assert_int_equal(one->register_program->handle,
	                 replies[VARIANTS_MAX - 1]->register_program->handle);
	predictd__response__free_unpacked(one, NULL);
	replies_free(&many, replies);
	many_deinit(&many);
	close(other);
	close(fd);
}

/* The first hangs its child, the only one of its user: those behind it wait for its deadline. */
static void another_user_does_not_wait_behind_them(void **state)
{
	struct fixture *fixture = *state;
	struct many many;
	Predictd__Response *replies[VARIANTS_MAX], *response;
	if (geteuid() != 0)
		skip();
	fixture_start(fixture, "well", "analyses = 1\n");
	assert_int_equal(chmod(fixture->directory, 0755), 0);
	assert_int_equal(chmod(fixture->socket, 0666), 0);
	int fd = fixture_connect(fixture, true);
	assert_int_equal(seteuid(NOBODY), 0);
	int other = fixture_connect(fixture, true);
	assert_int_equal(seteuid(0), 0);
	many_init(&many, VARIANTS_MAX);
	many_set(&many, 0, "hang");
	struct many last = {.options = {many.options[VARIANTS_MAX - 1]}, .count = 1};
	send_variants(fd, &many, "");
	usleep(20000); /* they wait now; else the other's is the first of them */
	response = fixture_register(other, "kernels of another");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM);
	predictd__response__free_unpacked(response, NULL);
	send_variants(other, &last, "");
	receive_variants(other, &last, &response);
	assert_own(response, VARIANTS_MAX - 1);
	struct pollfd first = {.fd = fd, .events = POLLIN};
	assert_int_equal(poll(&first, 1, 0), 0);
	receive_variants(fd, &many, replies);
	assert_error(replies[0], STATUS_TIMEOUT, "too long");
	for (size_t i = 1; i < VARIANTS_MAX; i++)
		assert_own(replies[i], i);
	assert_int_equal(replies[VARIANTS_MAX - 1]->register_program->handle,
	                 response->register_program->handle);
	predictd__response__free_unpacked(response, NULL);
	replies_free(&many, replies);
	many_deinit(&many);
	close(other);
	close(fd);
}

static void a_client_may_leave_or_cancel(void **state)
{
	struct fixture *fixture = *state;
	struct many many;
	Predictd__Response *replies[VARIANTS_MAX];
	fixture_start(fixture, "well", "analysis_deadline_ms = 500\nanalyses = 1\n");
	many_init(&many, VARIANTS_MAX);
	for (unsigned round = 0; round < 3; round++) {
		int leaving = fixture_connect(fixture, true);
		send_variants(leaving, &many, "");
		usleep(round * 3000);
		close(leaving);
	}
	many_set(&many, 0, "hang");
	int fd = fixture_connect(fixture, true);
	send_variants(fd, &many, "");
	Predictd__Cancel body = PREDICTD__CANCEL__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	body.id = 2;
	request.id = 3;
	request.body_case = PREDICTD__REQUEST__BODY_CANCEL;
	request.cancel = &body;
	fixture_send(fd, &request);
	for (unsigned i = 0; i < 2; i++) {
		Predictd__Response *response = fixture_receive(fd);
		assert_non_null(response);
		if (response->id == 2)
			assert_error(response, STATUS_CANCELLED, "cancelled");
		else
			assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_CANCEL);
		predictd__response__free_unpacked(response, NULL);
	}
	many_set(&many, 0, "kernels v0");
	send_variants(fd, &many, "");
	receive_variants(fd, &many, replies);
	for (size_t i = 0; i < VARIANTS_MAX; i++)
		assert_own(replies[i], i);
	replies_free(&many, replies);
	many_deinit(&many);
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
}

static void what_is_no_list_of_variants_is_refused(void **state)
{
	struct fixture *fixture = *state;
	struct many many;
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	many_init(&many, VARIANTS_MAX + 1);
	send_variants(fd, &many, "");
	assert_refused(fixture_receive(fd), STATUS_LIMIT, "want 1 to 1024 variants, got 1025");
	struct many none = {.count = 0};
	send_variants(fd, &none, "");
	assert_refused(fixture_receive(fd), STATUS_LIMIT, "got 0");
	struct many one = {.options = {many.options[0]}, .count = 1};
	send_variants(fd, &one, "-DN=1");
	assert_refused(fixture_receive(fd), STATUS_INVALID, "no options beside theirs");
	/* a variant's own options are its own fault */
	char *long_options = malloc(20000);
	memset(long_options, ' ', 19999);
	long_options[19999] = '\0';
	struct many two = {.options = {many.options[0], long_options}, .count = 2};
	Predictd__Response *replies[2];
	send_variants(fd, &two, "");
	receive_variants(fd, &two, replies);
	assert_own(replies[0], 0);
	assert_error(replies[1], STATUS_LIMIT, "options: want at most");
	replies_free(&two, replies);
	free(long_options);
	many_deinit(&many);
	close(fd);
}

static void few_may_wait_and_many_are_answered(void **state)
{
	struct fixture *fixture = *state;
	struct many many;
	Predictd__Response *replies[VARIANTS_MAX];
	fixture_start(fixture, "well", "analyses_queued_per_user = 1\nanalyses = 1\n");
	int fd = fixture_connect(fixture, true);
	many_init(&many, VARIANTS_MAX);
	send_variants(fd, &many, "");
	receive_variants(fd, &many, replies);
	for (size_t i = 0; i < VARIANTS_MAX; i++)
		assert_own(replies[i], i);
	replies_free(&many, replies);
	many_deinit(&many);
	close(fd);
}

/* Children that each have several such replies wait for one another's. */
static void replies_decoded_off_the_loop_come_in_turns(void **state)
{
	struct fixture *fixture = *state;
	struct many many;
	Predictd__Response *replies[MANY];
	fixture_start(fixture, "well", "");
	int fd = fixture_connect(fixture, true);
	many_init(&many, LARGE);
	for (size_t i = 0; i < LARGE; i++) {
		free(many.options[i]);
		assert_true(asprintf(&many.options[i], "large %zu", i) > 0);
	}
	send_variants(fd, &many, "");
	receive_variants(fd, &many, replies);
	for (size_t i = 0; i < LARGE; i++) {
		if (replies[i]->body_case == PREDICTD__RESPONSE__BODY_ERROR)
			fail_msg("%s", replies[i]->error->text);
		assert_int_equal(replies[i]->body_case, PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM);
		assert_int_equal(replies[i]->register_program->n_kernels, 256);
	}
	replies_free(&many, replies);
	many_deinit(&many);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	        TEST(each_variant_is_a_program_of_its_own),
	        TEST(a_variant_that_ends_its_child_spoils_no_other),
	        TEST(an_analyser_that_dies_leaves_the_others_their_answers),
	        TEST(a_variant_is_registered_alone_meanwhile),
	        TEST(another_user_does_not_wait_behind_them),
	        TEST(a_client_may_leave_or_cancel),
	        TEST(what_is_no_list_of_variants_is_refused),
	        TEST(few_may_wait_and_many_are_answered),
	        TEST(replies_decoded_off_the_loop_come_in_turns),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("variants", tests, NULL, NULL);
}
