/* SPDX-License-Identifier: Apache-2.0 */
/* Units for people, and tables. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/predictctl/table.h"
#include "client/predictctl/text.h"

static void assert_time(double time_s, const char *want)
{
	char text[TEXT_MAX];
	format_time(text, time_s);
	assert_string_equal(text, want);
}

static void times_have_three_digits_and_a_unit(void **state)
{
	(void)state;
	assert_time(4.21e-3, "4.21 ms");
	assert_time(0.1234, "123 ms");
	assert_time(8089e-6, "8.09 ms");
	assert_time(1.5e-6, "1.50 us");
	assert_time(3.2e-9, "3.20 ns");
	assert_time(2, "2.00 s");
	assert_time(0, "0 s");
	assert_time(0.99999, "1.00 s");
	assert_time(47.4e-12, "47.4 ps");
	assert_time(1e-15, "0.00100 ps");
}

static void intervals_share_a_unit(void **state)
{
	(void)state;
	char text[TEXT_MAX];
	format_interval(text, 3.1e-3, 5.9e-3);
	assert_string_equal(text, "3.1 .. 5.9 ms");
	format_interval(text, 0.8e-3, 12e-3);
	assert_string_equal(text, "0.80 .. 12 ms");
}

static void bytes_and_rates_are_humanised(void **state)
{
	(void)state;
	char text[TEXT_MAX];
	format_bytes(text, 32768);
	assert_string_equal(text, "32 KiB");
	format_bytes(text, 1.5 * 1024 * 1024);
	assert_string_equal(text, "1.50 MiB");
	format_bytes(text, 100);
	assert_string_equal(text, "100 B");
	format_rate(text, 34.1e9, "B/s");
	assert_string_equal(text, "34.1 GB/s");
	format_rate(text, 4.3e12, "B/s");
	assert_string_equal(text, "4.30 TB/s");
}

static void statuses_have_the_documented_exit_codes(void **state)
{
	(void)state;
	assert_int_equal(exit_of(PREDICTD_OK), 0);
	assert_int_equal(exit_of(PREDICTD_SYNTAX), 1);
	assert_int_equal(exit_of(PREDICTD_UNAVAILABLE), 3);
	assert_int_equal(exit_of(PREDICTD_UNCALIBRATED), 4);
}

static void columns_are_aligned(void **state)
{
	(void)state;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	struct table *table = table_new("lr");
	table_cell(table, "name");
	table_cell(table, "time");
	table_rule(table);
	table_cell(table, "b");
	table_cell(table, "12345");
	table_print(table, " ", file);
	table_free(table);
	(void)fclose(file);
	assert_string_equal(text, " name   time\n -----------\n b     12345\n");
	free(text);
}

static void a_left_last_column_has_no_trailing_blanks(void **state)
{
	(void)state;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	struct table *table = table_new("ll");
	table_cell(table, "a");
	table_cell(table, "long note");
	table_cell(table, "b");
	table_cell(table, "x");
	table_print(table, "", file);
	table_free(table);
	(void)fclose(file);
	assert_string_equal(text, "a  long note\nb  x\n");
	free(text);
}

static void foreign_bytes_do_not_spoil_json(void **state)
{
	(void)state;
	json_t *good = json_text("caf\xc3\xa9"), *bad = json_text("x\xff\xfey");
	assert_string_equal(json_string_value(good), "caf\xc3\xa9");
	assert_string_equal(json_string_value(bad), "x??y");
	json_decref(good);
	json_decref(bad);
}

static void escape_sequences_do_not_reach_a_terminal(void **state)
{
	(void)state;
	char said[256] = "";
	FILE *caught = tmpfile();
	int before = dup(STDERR_FILENO);
	assert_non_null(caught);
	assert_true(dup2(fileno(caught), STDERR_FILENO) >= 0);
	complain("k.cl", "%s",
	         "a \033[31mred\x7f \xc2\x9b"
	         "2J \xc3\xa9");
	assert_true(dup2(before, STDERR_FILENO) >= 0);
	close(before);
	rewind(caught);
	assert_non_null(fgets(said, sizeof said, caught));
	fclose(caught);
	assert_string_equal(said, "predictctl: k.cl: a ?[31mred? ??2J \xc3\xa9\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(times_have_three_digits_and_a_unit),
	        cmocka_unit_test(intervals_share_a_unit),
	        cmocka_unit_test(bytes_and_rates_are_humanised),
	        cmocka_unit_test(statuses_have_the_documented_exit_codes),
	        cmocka_unit_test(foreign_bytes_do_not_spoil_json),
	        cmocka_unit_test(escape_sequences_do_not_reach_a_terminal),
	        cmocka_unit_test(columns_are_aligned),
	        cmocka_unit_test(a_left_last_column_has_no_trailing_blanks),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
