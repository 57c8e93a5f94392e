/* SPDX-License-Identifier: Apache-2.0 */
/* The log on standard error: escaped, cut, and bounded in number. */
#include "tests/test.h"

#include "daemon/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *caught;
static int standard_error;

static int catch (void **state)
{
	(void)state;
	caught = tmpfile();
	assert_non_null(caught);
	(void)unsetenv("JOURNAL_STREAM");
	standard_error = dup(STDERR_FILENO);
	assert_true(dup2(fileno(caught), STDERR_FILENO) >= 0);
	log_open(LOG_LEVEL_INFO);
	return 0;
}

static int release(void **state)
{
	(void)state;
	assert_true(dup2(standard_error, STDERR_FILENO) >= 0);
	close(standard_error);
	return fclose(caught);
}

static size_t lines(char *last, int room)
{
	size_t count = 0;
	rewind(caught);
	while (fgets(last, room, caught) != NULL)
		count++;
	return count;
}

static void texts_of_clients_are_escaped_and_cut(void **state)
{
	(void)state;
	char line[2048], longer[1000];
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	log_write(LOG_RELOAD_FAILED, LOG_TEXT_FIELD("why", "a\n\033[31m\"\\"),
	          LOG_TEXT_FIELD("path", longer));
	assert_int_equal(lines(line, sizeof line), 1);
	assert_non_null(
	        strstr(line, "warning reload-failed why=\"a\\x0a\\x1b[31m\\\"\\\\\" path="));
	assert_non_null(strstr(line, "...\""));
	assert_true(strlen(line) < 512);
}

static void an_event_that_repeats_fills_no_disk(void **state)
{
	(void)state;
	char line[2048];
	for (int i = 0; i < 5000; i++)
		log_write(LOG_SESSION_REFUSED, LOG_NUMBER_FIELD("pid", i));
	size_t count = lines(line, sizeof line);
	assert_in_range(count, 100, 1000);
	/* others are written as before */
	log_write(LOG_STARTED, LOG_NUMBER_FIELD("pid", 1));
	assert_int_equal(lines(line, sizeof line), count + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(texts_of_clients_are_escaped_and_cut, catch,
	                                        release),
	        cmocka_unit_test_setup_teardown(an_event_that_repeats_fills_no_disk, catch,
	                                        release),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
