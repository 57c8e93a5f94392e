/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that wait for the analyser: among those of the user who is served sooner. */
#include "tests/test.h"

#include "daemon/children/analysis.h"

#include <stdlib.h>

enum { MUCH = 1, LITTLE = 2 };

static bool has_analysed_much(void *data, uid_t user)
{
	(void)data;
	return user == MUCH;
}

static bool is_of(void *data, uid_t user)
{
	return user == *(const uid_t *)data;
}

static void on_done(void *data, struct analysis_result *result)
{
	(void)result;
	(*(unsigned *)data)++;
}

/* The analyser is not started: everything waits. */
static struct analysis_job *submit(struct analysis *analysis, uid_t user, unsigned *done)
{
	struct error error;
	struct analysis_job *job = NULL;
	assert_int_equal(
	        analysis_submit(analysis, malloc(8), 8, 1, user, on_done, done, &job, &error),
	        STATUS_OK);
	return job;
}

static bool waits_for(struct analysis *analysis, uid_t user)
{
	struct user_ticket *ticket = user_queue_pop(&analysis->queue, is_of, &user);
	struct error error;
	if (ticket == NULL)
		return false;
	assert_int_equal(user_queue_push(&analysis->queue, ticket, &analysis->bounds, &error),
	                 STATUS_OK);
	return true;
}

static void a_program_that_another_wants_is_served_in_his_turn(void **state)
{
	(void)state;
	uv_loop_t loop;
	struct analysis analysis;
	struct users users = {.held_bytes_max = SIZE_MAX, .held_bytes_per_user = SIZE_MAX};
	unsigned done = 0;
	assert_int_equal(uv_loop_init(&loop), 0);
	analysis_init(&analysis, &loop, "", has_analysed_much, NULL);
	analysis.users = &users;
	struct analysis_job *first = submit(&analysis, MUCH, &done);
	(void)submit(&analysis, MUCH, &done);
	analysis_hasten(&analysis, first, MUCH);
	assert_false(waits_for(&analysis, LITTLE));
	analysis_hasten(&analysis, first, LITTLE);
	assert_true(waits_for(&analysis, LITTLE));
	assert_true(waits_for(&analysis, MUCH));
	/* and back it does not go */
	analysis_hasten(&analysis, first, MUCH);
	assert_true(waits_for(&analysis, LITTLE));
	analysis_stop(&analysis);
	assert_int_equal(done, 2);
	(void)uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&loop), 0);
	users_deinit(&users);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_program_that_another_wants_is_served_in_his_turn),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("analysis", tests, NULL, NULL);
}
