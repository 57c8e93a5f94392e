/* SPDX-License-Identifier: Apache-2.0 */
/* Answers kept: found by question and user, the last used stay. */
#include "tests/test.h"

#include "daemon/state/answer_memo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct answer_memo *new_memo(void)
{
	struct answer_memo *memo = calloc(1, sizeof *memo);
	assert_non_null(memo);
	return memo;
}

static void free_memo(struct answer_memo *memo)
{
	answer_memo_deinit(memo);
	free(memo);
}

static void keep(struct answer_memo *memo, const char *question, uid_t user, const char *answer)
{
	const struct answer_terms terms = {.handle = 1, .user = user};
	uint8_t *room = answer_memo_keep(memo, (const uint8_t *)question, strlen(question),
	                                 strlen(answer), &terms);
	assert_non_null(room);
	memcpy(room, answer, strlen(answer));
}

static bool answers(struct answer_memo *memo, const char *question, uid_t user, const char *answer)
{
	const struct answer *found =
	        answer_memo_find(memo, (const uint8_t *)question, strlen(question), user);
	if (found == NULL)
		return false;
	assert_int_equal(found->answer_bytes, strlen(answer));
	return memcmp(found->bytes + found->question_bytes, answer, strlen(answer)) == 0;
}

static void a_question_has_an_answer_for_each_user(void **state)
{
	(void)state;
	struct answer_memo *memo = new_memo();
	keep(memo, "question", 1, "one");
	keep(memo, "question", 2, "two");
	assert_true(answers(memo, "question", 1, "one"));
	assert_true(answers(memo, "question", 2, "two"));
	assert_false(answers(memo, "question", 3, ""));
	assert_false(answers(memo, "questions", 1, ""));
	keep(memo, "question", 1, "new");
	assert_true(answers(memo, "question", 1, "new"));
	assert_true(answers(memo, "question", 2, "two"));
	free_memo(memo);
}

static void as_many_as_half_the_places_hardly_displace_each_other(void **state)
{
	(void)state;
	enum { COUNT = ANSWER_MEMO_SETS * ANSWER_MEMO_WAYS / 2 };
	struct answer_memo *memo = new_memo();
	unsigned lost = 0;
	char question[32];
	for (unsigned i = 0; i < COUNT; i++) {
		snprintf(question, sizeof question, "question %u", i);
		keep(memo, question, 0, "a");
	}
	for (unsigned i = 0; i < COUNT; i++) {
		snprintf(question, sizeof question, "question %u", i);
		lost += !answers(memo, question, 0, "a");
	}
	assert_true(lost < COUNT / 10);
	free_memo(memo);
}

static void what_is_asked_again_stays(void **state)
{
	(void)state;
	struct answer_memo *memo = new_memo();
	char question[32];
	keep(memo, "asked again", 0, "a");
	for (unsigned i = 0; i < 20 * ANSWER_MEMO_SETS; i++) {
		snprintf(question, sizeof question, "asked once %u", i);
		keep(memo, question, 0, "b");
		if (i % 16 == 0)
			assert_true(answers(memo, "asked again", 0, "a"));
	}
	free_memo(memo);
}

static void long_ones_are_not_kept(void **state)
{
	(void)state;
	static uint8_t question[ANSWER_MEMO_BYTES_MAX];
	const struct answer_terms terms = {.handle = 1};
	struct answer_memo *memo = new_memo();
	assert_null(answer_memo_keep(memo, question, sizeof question, 1, &terms));
	assert_null(answer_memo_keep(memo, question, sizeof question + 1, 0, &terms));
	assert_null(answer_memo_keep(memo, question, 1, SIZE_MAX, &terms));
	assert_non_null(answer_memo_keep(memo, question, sizeof question - 1, 1, &terms));
	free_memo(memo);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_question_has_an_answer_for_each_user),
	        cmocka_unit_test(as_many_as_half_the_places_hardly_displace_each_other),
	        cmocka_unit_test(what_is_asked_again_stays),
	        cmocka_unit_test(long_ones_are_not_kept),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("answer_memo", tests, NULL, NULL);
}
