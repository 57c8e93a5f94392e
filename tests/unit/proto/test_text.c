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

static void assert_line(const char *line, size_t room, const char *want)
{
	char shown[64];
	text_line(line, strlen(line), shown, room);
	assert_string_equal(shown, want);
}

static void lines_of_a_source_show_what_is_there(void **state)
{
	(void)state;
	assert_line("\ta = b;\r\n", 64, "\ta = b;");
	assert_line("// \xc3\xa9t\xc3\xa9\n", 64, "// \xc3\xa9t\xc3\xa9");
	assert_line("\x1b]0;title\x07 \xe9 \x9b"
	            "31m\n",
	            64, "?]0;title? ? ?31m");
	/* a return within a line would have a terminal write over what stands there */
	assert_line("evil();\r// fine\n", 64, "evil();?// fine");
	/* right-to-left override, isolate, mark; other characters of the block stay */
	assert_line("a\xe2\x80\xae"
	            "b\xe2\x81\xa6"
	            "c\xe2\x80\x8f\xe2\x80\xa6",
	            64, "a?b?c?\xe2\x80\xa6");
	char shown[64];
	text_line("a\0b\n", 4, shown, sizeof shown);
	assert_string_equal(shown, "a?b");
	text_line("", 0, shown, sizeof shown);
	assert_string_equal(shown, "");
}

static void long_lines_are_cut_between_characters(void **state)
{
	(void)state;
	assert_line("0123456789", 8, "0123...");
	assert_line("012\xe2\x82\xac"
	            "6789",
	            8, "012...");
	assert_line("0123456", 8, "0123456");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(text_of_any_language_stays),
	        cmocka_unit_test(what_a_terminal_acts_upon_goes),
	        cmocka_unit_test(bytes_that_are_no_utf_8_go),
	        cmocka_unit_test(a_character_that_was_cut_off_is_dropped),
	        cmocka_unit_test(lines_of_a_source_show_what_is_there),
	        cmocka_unit_test(long_lines_are_cut_between_characters),
	};
	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
