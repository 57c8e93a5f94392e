/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of devices as messages: there and back, and what is refused. */
#include "tests/test.h"

#include <math.h>
#include <string.h>

#include "daemon/codec/pair_codec.h"

static struct contention pair_of(const char *first, const char *second)
{
	struct contention pair = {.standard_error = 0.02, .duration_s = 5, .measured_at_s = 7};
	strcpy(pair.keys[0], first);
	strcpy(pair.keys[1], second);
	strcpy(pair.drivers[0], "1.2");
	strcpy(pair.drivers[1], "3.4");
	for (int i = 0; i < 2 * LOAD_COUNT * LOAD_COUNT; i++)
		(&pair.slowdown[0][0][0])[i] = 1 + i / 8.0;
	return pair;
}

static void a_pair_comes_back(void **state)
{
	(void)state;
	struct contention pair = pair_of("name:a", "name:b"), back;
	struct error error;
	Predictd__Pair message;
	pair_encode(&pair, &message);
	assert_int_equal(pair_decode(&message, &back, &error), STATUS_OK);
	assert_memory_equal(&pair, &back, sizeof pair);
}

static void the_lesser_key_comes_first_with_its_own_figures(void **state)
{
	(void)state;
	struct contention pair = pair_of("name:b", "name:a"), back;
	struct error error;
	Predictd__Pair message;
	pair_encode(&pair, &message);
	assert_int_equal(pair_decode(&message, &back, &error), STATUS_OK);
	assert_string_equal(back.keys[0], "name:a");
	assert_string_equal(back.drivers[0], "3.4");
	assert_close(back.slowdown[0][LOAD_MEMORY][LOAD_TRANSFER],
	             pair.slowdown[1][LOAD_MEMORY][LOAD_TRANSFER], 0);
	contention_order(&back);
	assert_string_equal(back.keys[0], "name:a");
}

static void what_is_no_pair_is_refused(void **state)
{
	(void)state;
	static const double bad[] = {0.99, 1001, -1, (double)NAN, (double)INFINITY};
	char long_text[200];
	struct contention good = pair_of("name:a", "name:b"), pair = good, back;
	struct error error;
	Predictd__Pair message;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		pair = good;
		pair.slowdown[1][2][0] = bad[i];
		pair_encode(&pair, &message);
		assert_int_equal(pair_decode(&message, &back, &error), STATUS_INVALID);
	}
	pair_encode(&good, &message);
	message.n_slowdowns = 17;
	assert_int_equal(pair_decode(&message, &back, &error), STATUS_CORRUPT);
	assert_non_null(strstr(error.text, "want 18 slowdowns, got 17"));
	pair_encode(&good, &message);
	message.other_key = message.key;
	assert_int_equal(pair_decode(&message, &back, &error), STATUS_INVALID);
	memset(long_text, 'x', sizeof long_text - 1);
	long_text[sizeof long_text - 1] = '\0';
	char *const keys[] = {"", "0", "two words", "a\nline", long_text};
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		pair_encode(&good, &message);
		message.key = keys[i];
		assert_int_not_equal(pair_decode(&message, &back, &error), STATUS_OK);
	}
	pair_encode(&good, &message);
	message.driver = long_text;
	assert_int_equal(pair_decode(&message, &back, &error), STATUS_CORRUPT);
	pair_encode(&good, &message);
	message.others_share = 1.5;
	assert_int_equal(pair_decode(&message, &back, &error), STATUS_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_pair_comes_back),
	        cmocka_unit_test(the_lesser_key_comes_first_with_its_own_figures),
	        cmocka_unit_test(what_is_no_pair_is_refused),
	};
	return cmocka_run_group_tests_name("pair codec", tests, NULL, NULL);
}
