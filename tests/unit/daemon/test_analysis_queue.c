/* SPDX-License-Identifier: Apache-2.0 */
/* The queue for the analyser: turns of users, bounds. */
#include "tests/test.h"

#include "daemon/analysis_queue.h"

static const struct analysis_queue_bounds wide = {100, 100, 1000, 1000};

static void users_take_turns(void **state)
{
	(void)state;
	static const uid_t users[] = {1, 1, 1, 2, 3, 2};
	static const int want[] = {0, 3, 4, 1, 5, 2};
	struct analysis_ticket tickets[6];
	struct analysis_queue queue = {.turn = NULL};
	struct error error;
	for (int i = 0; i < 6; i++) {
		tickets[i] = (struct analysis_ticket){.user = users[i], .bytes = 10};
		assert_int_equal(analysis_queue_push(&queue, &tickets[i], &wide, &error),
		                 STATUS_OK);
	}
	assert_int_equal(queue.bytes, 60);
	for (int i = 0; i < 6; i++)
		assert_ptr_equal(analysis_queue_pop(&queue), &tickets[want[i]]);
	assert_null(analysis_queue_pop(&queue));
	assert_int_equal(queue.count, 0);
	assert_int_equal(queue.bytes, 0);
}

static void bounds_hold_for_all_and_for_each(void **state)
{
	(void)state;
	static const struct analysis_queue_bounds narrow = {3, 2, 100, 60};
	struct analysis_ticket tickets[8] = {{.user = 1, .bytes = 10}, {.user = 1, .bytes = 10},
	                                     {.user = 1, .bytes = 10}, {.user = 2, .bytes = 61},
	                                     {.user = 2, .bytes = 60}, {.user = 3, .bytes = 1}};
	static const enum status want[] = {STATUS_OK,   STATUS_OK, STATUS_BUSY,
	                                   STATUS_BUSY, STATUS_OK, STATUS_BUSY};
	struct analysis_queue queue = {.turn = NULL};
	struct error error;
	for (int i = 0; i < 6; i++)
		assert_int_equal(analysis_queue_push(&queue, &tickets[i], &narrow, &error),
		                 want[i]);
	while (analysis_queue_pop(&queue) != NULL)
		continue;
	assert_int_equal(queue.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(users_take_turns),
	        cmocka_unit_test(bounds_hold_for_all_and_for_each),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("analysis_queue", tests, NULL, NULL);
}
