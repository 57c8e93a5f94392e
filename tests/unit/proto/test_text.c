/* SPDX-License-Identifier: Apache-2.0 */
/* Text that may be shown: what stays, what goes, and what was cut. */
#include "tests/test.h"

#include "proto/text.h"

#include <string.h>

static void assert_cleaned(const char *text, const char *want)
{
	char copy[64];
	assert_true(strlen(text) < sizeof copy);
	strcpy(copy, text);
	text_clean(copy);
	assert_string_equal(copy, want);
	/* what is clean stays as it is */
	assert_int_equal(text_clean_bytes(copy), strlen(copy));
	text_clean(copy);
	assert_string_equal(copy, want);
}

static void text_of_any_language_stays(void **state)
{
	(void)state;
	assert_cleaned("", "");
	assert_cleaned("a b~", "a b~");
	assert_cleaned("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xc2\xa0",
	               "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xc2\xa0");
	assert_int_equal(text_character_bytes("\xe2\x82\xac"), 3);
}

static void what_a_terminal_acts_upon_goes(void **state)
{
	(void)state;
	assert_cleaned("\x1b[31mred\x7f", "?[31mred?");
	assert_cleaned("a\nb\tc\rd", "a b c d");
	/* C1: a CSI of one byte, and of two */
	assert_cleaned("\xc2\x9b"
	               "31m",
	               "??31m");
	assert_cleaned("\x9b"
	               "31m",
	               "?31m");
	assert_cleaned("\xc2\x80\xc2\x9f", "????");
}

static void bytes_that_are_no_utf_8_go(void **state)
{
	(void)state;
	assert_cleaned("\xe9t\xe9s", "?t?s");
	/* overlong, surrogates, past the last plane */
	assert_cleaned("\xc0\xafx", "??x");
	assert_cleaned("\xe0\x80\xafx", "???x");
	assert_cleaned("\xed\xa0\x80x", "???x");
	assert_cleaned("\xf4\x90\x80\x80x", "????x");
}

static void a_character_that_was_cut_off_is_dropped(void **state)
{
	(void)state;
	assert_cleaned("caf\xc3", "caf");
	assert_cleaned("10 \xe2\x82", "10 ");
	assert_cleaned("\xf0\x9f\x98", "");
	/* cut, and not at the end */
	assert_cleaned("\xe2\x82 x", "?? x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(text_of_any_language_stays),
	        cmocka_unit_test(what_a_terminal_acts_upon_goes),
	        cmocka_unit_test(bytes_that_are_no_utf_8_go),
	        cmocka_unit_test(a_character_that_was_cut_off_is_dropped),
	};
	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
