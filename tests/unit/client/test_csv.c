/* SPDX-License-Identifier: Apache-2.0 */
/* Comma-separated values, written and read. */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/predictctl/csv.h"

static void fields_are_quoted_where_they_must_be(void **state)
{
	(void)state;
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	csv_text(file, true, "plain");
	csv_text(file, false, "a,b");
	csv_text(file, false, "say \"hi\"");
	csv_text(file, false, "two\nlines");
	csv_text(file, false, NULL);
	csv_number(file, false, 1.5e-6);
	csv_number(file, false, nan(""));
	csv_end(file);
	(void)fclose(file);
	assert_string_equal(text, "plain,\"a,b\",\"say \"\"hi\"\"\",two lines,,1.5e-06,\n");
	free(text);
}

static bool load(const char *text, struct csv *csv, const char **error)
{
	char path[] = "/tmp/predictd-csv-XXXXXX";
	size_t line;
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	bool is_read = csv_load(path, csv, error, &line);
	(void)unlink(path);
	return is_read;
}

static void what_is_written_is_read_back(void **state)
{
	(void)state;
	struct csv csv;
	const char *error = "";
	if (!load("case,kernel_time_s,error\r\n\"a,b\",1e-6,\"x \"\"y\"\"\"\nc,,\n", &csv, &error))
		fail_msg("%s", error);
	assert_int_equal(csv.rows, 2);
	assert_int_equal(csv_column(&csv, "kernel_time_s"), 1);
	assert_int_equal(csv_column(&csv, "none"), -1);
	assert_string_equal(csv_field(&csv, 0, 0), "a,b");
	assert_string_equal(csv_field(&csv, 0, 2), "x \"y\"");
	assert_string_equal(csv_field(&csv, 1, 0), "c");
	assert_string_equal(csv_field(&csv, 1, 2), "");
	assert_int_equal(csv_column(&csv, "error"), 2);
	csv_deinit(&csv);
}

static void a_last_line_needs_no_end(void **state)
{
	(void)state;
	struct csv csv;
	const char *error;
	assert_true(load("a,b\n1,2", &csv, &error));
	assert_string_equal(csv_field(&csv, 0, 1), "2");
	csv_deinit(&csv);
	assert_true(load("a,b\n1,", &csv, &error));
	assert_string_equal(csv_field(&csv, 0, 1), "");
	csv_deinit(&csv);
}

static void ragged_rows_and_empty_files_are_refused(void **state)
{
	(void)state;
	struct csv csv;
	const char *error = NULL;
	assert_false(load("a,b\n1\n", &csv, &error));
	assert_non_null(strstr(error, "another length"));
	assert_false(load("", &csv, &error));
	assert_non_null(strstr(error, "empty"));
	size_t line;
	assert_false(csv_load("/nowhere/at/all.csv", &csv, &error, &line));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(fields_are_quoted_where_they_must_be),
	        cmocka_unit_test(what_is_written_is_read_back),
	        cmocka_unit_test(a_last_line_needs_no_end),
	        cmocka_unit_test(ragged_rows_and_empty_files_are_refused),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
