/* SPDX-License-Identifier: Apache-2.0 */
/* What waits, by user: turns, bounds, users who are passed over. */
#include "tests/test.h"

#include "daemon/state/user_queue.h"

static const struct user_queue_bounds wide = {100, 100, 1000, 1000, "things"};

static void users_take_turns(void **state)
{
	(void)state;
	static const uid_t users[] = {1, 1, 1, 2, 3, 2};
	static const int want[] = {0, 3, 4, 1, 5, 2};
	struct user_ticket tickets[6];
	struct user_queue queue = {.turn = NULL};
	struct error error;
	for (int i = 0; i < 6; i++) {
		tickets[i] = (struct user_ticket){.user = users[i], .bytes = 10};
		assert_int_equal(user_queue_push(&queue, &tickets[i], &wide, &error), STATUS_OK);
	}
	assert_int_equal(queue.bytes, 60);
	for (int i = 0; i < 6; i++)
		assert_ptr_equal(user_queue_pop(&queue, NULL, NULL), &tickets[want[i]]);
	assert_null(user_queue_pop(&queue, NULL, NULL));
	assert_int_equal(queue.count, 0);
	assert_int_equal(queue.bytes, 0);
}

static void bounds_hold_for_all_and_for_each(void **state)
{
	(void)state;
	static const struct user_queue_bounds narrow = {3, 2, 100, 60, "things"};
	struct user_ticket tickets[8] = {{.user = 1, .bytes = 10}, {.user = 1, .bytes = 10},
	                                 {.user = 1, .bytes = 10}, {.user = 2, .bytes = 61},
	                                 {.user = 2, .bytes = 60}, {.user = 3, .bytes = 1}};
	static const enum status want[] = {STATUS_OK,   STATUS_OK, STATUS_BUSY,
	                                   STATUS_BUSY, STATUS_OK, STATUS_BUSY};
	struct user_queue queue = {.turn = NULL};
	struct error error;
	for (int i = 0; i < 6; i++)
		assert_int_equal(user_queue_push(&queue, &tickets[i], &narrow, &error), want[i]);
	while (user_queue_pop(&queue, NULL, NULL) != NULL)
		continue;
	assert_int_equal(queue.count, 0);
}

static bool is_not(void *data, uid_t user)
{
	return user != *(uid_t *)data;
}

static void one_who_may_not_is_passed_over(void **state)
{
	(void)state;
	struct user_ticket tickets[3] = {{.user = 1}, {.user = 2}, {.user = 1}};
	struct user_queue queue = {.turn = NULL};
	struct error error;
	uid_t heavy = 1, nobody = 9;
	for (int i = 0; i < 3; i++)
		assert_int_equal(user_queue_push(&queue, &tickets[i], &wide, &error), STATUS_OK);
	assert_ptr_equal(user_queue_pop(&queue, is_not, &heavy), &tickets[1]);
	assert_null(user_queue_pop(&queue, is_not, &heavy));
	assert_ptr_equal(user_queue_pop(&queue, is_not, &nobody), &tickets[0]);
	assert_ptr_equal(user_queue_pop(&queue, is_not, &nobody), &tickets[2]);
	assert_int_equal(queue.count, 0);
}

static void what_is_taken_out_waits_no_more(void **state)
{
	(void)state;
	struct user_ticket tickets[5] = {{.user = 1, .bytes = 10},
	                                 {.user = 1, .bytes = 20},
	                                 {.user = 1, .bytes = 30},
	                                 {.user = 2, .bytes = 40},
	                                 {.user = 1, .bytes = 50}};
	static const int want[] = {0, 4};
	struct user_queue queue = {.turn = NULL};
	struct error error;
	for (int i = 0; i < 5; i++)
		assert_int_equal(user_queue_push(&queue, &tickets[i], &wide, &error), STATUS_OK);
	for (int i = 1; i < 4; i++) /* in the midst, and the only one of a user */
		user_queue_remove(&queue, &tickets[i]);
	assert_int_equal(queue.count, 2);
	assert_int_equal(queue.bytes, 60);
	for (int i = 0; i < 2; i++)
		assert_ptr_equal(user_queue_pop(&queue, NULL, NULL), &tickets[want[i]]);
	assert_int_equal(user_queue_push(&queue, &tickets[2], &wide, &error), STATUS_OK);
	user_queue_remove(&queue, &tickets[2]);
	assert_null(queue.turn);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(users_take_turns),
	        cmocka_unit_test(bounds_hold_for_all_and_for_each),
	        cmocka_unit_test(one_who_may_not_is_passed_over),
	        cmocka_unit_test(what_is_taken_out_waits_no_more),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("user_queue", tests, NULL, NULL);
}
