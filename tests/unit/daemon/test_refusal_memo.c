/* SPDX-License-Identifier: Apache-2.0 */
/* Refusals kept: of what lasts, by the whole key, for a while. */
#include "tests/test.h"

#include "daemon/state/refusal_memo.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t begin_ns = 1000, while_ns = (uint64_t)REFUSAL_MEMO_S * 1000000000;

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct refusal_memo));
	return *state == NULL;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

/* Of a place, and one of many there. */
static struct program_key key_of(uint8_t place, uint8_t which)
{
	struct program_key key = {.bytes = {place}};
	key.bytes[PROGRAM_KEY_BYTES - 1] = which;
	return key;
}

static void keep(struct refusal_memo *memo, const struct program_key *key, const char *text)
{
	struct error error;
	(void)error_set(&error, STATUS_SYNTAX, "%s", text);
	refusal_memo_keep(memo, key, &error, begin_ns);
}

static void what_was_refused_is_refused_alike(void **state)
{
	struct refusal_memo *memo = *state;
	struct error error;
	struct program_key first = key_of(1, 0), second = key_of(2, 0);
	keep(memo, &first, "a.cl:1:2: one");
	keep(memo, &second, "a.cl:1:2: two");
	assert_int_equal(refusal_memo_find(memo, &first, begin_ns, &error), STATUS_SYNTAX);
	assert_int_equal(error.status, STATUS_SYNTAX);
	assert_string_equal(error.text, "a.cl:1:2: one");
	assert_int_equal(refusal_memo_find(memo, &second, begin_ns, &error), STATUS_SYNTAX);
	assert_string_equal(error.text, "a.cl:1:2: two");
}

static void another_source_of_the_same_place_is_not(void **state)
{
	struct refusal_memo *memo = *state;
	struct error error;
	struct program_key kept = key_of(1, 0), other = key_of(1, 1);
	assert_int_equal(refusal_memo_find(memo, &other, begin_ns, &error), STATUS_OK);
	keep(memo, &kept, "one");
	assert_int_equal(refusal_memo_find(memo, &other, begin_ns, &error), STATUS_OK);
	keep(memo, &other, "two");
	assert_int_equal(refusal_memo_find(memo, &kept, begin_ns, &error), STATUS_OK);
}

static void refusals_are_forgotten_in_time_and_at_once_when_told(void **state)
{
	struct refusal_memo *memo = *state;
	struct error error;
	struct program_key key = key_of(1, 0);
	keep(memo, &key, "one");
	assert_int_equal(refusal_memo_find(memo, &key, begin_ns + while_ns - 1, &error),
	                 STATUS_SYNTAX);
	assert_int_equal(refusal_memo_find(memo, &key, begin_ns + while_ns, &error), STATUS_OK);
	refusal_memo_clear(memo);
	assert_int_equal(refusal_memo_find(memo, &key, begin_ns, &error), STATUS_OK);
}

static void what_the_machine_was_too_busy_for_does_not_last(void **state)
{
	(void)state;
	assert_true(refusal_is_lasting(STATUS_SYNTAX));
	assert_true(refusal_is_lasting(STATUS_INVALID));
	assert_true(refusal_is_lasting(STATUS_LIMIT));
	assert_false(refusal_is_lasting(STATUS_OK));
	assert_false(refusal_is_lasting(STATUS_TIMEOUT));
	assert_false(refusal_is_lasting(STATUS_BUSY));
	assert_false(refusal_is_lasting(STATUS_UNAVAILABLE));
	assert_false(refusal_is_lasting(STATUS_NO_MEMORY));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(what_was_refused_is_refused_alike, setup, teardown),
	        cmocka_unit_test_setup_teardown(another_source_of_the_same_place_is_not, setup,
	                                        teardown),
	        cmocka_unit_test_setup_teardown(
	                refusals_are_forgotten_in_time_and_at_once_when_told, setup, teardown),
	        cmocka_unit_test(what_the_machine_was_too_busy_for_does_not_last),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("refusal_memo", tests, NULL, NULL);
}
