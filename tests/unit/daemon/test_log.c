/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log on standard error: escaped, cut, and bounded in number; and to a journal, whose socket
 * and library the linker's --wrap stands in for.
 */
#include "tests/test.h"

#include "daemon/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
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

/* ---- the journal --------------------------------------------------------------------------- */

static bool has_journal;    /* its socket is there */
static int journal_failure; /* what it says to what is sent, 0: taken */
static char sent[16][512];  /* the fields of the last event */
static int sent_count;

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode)
{
	if (strcmp(path, "/run/systemd/journal/socket") == 0)
		return has_journal ? 0 : -1;
	return __real_access(path, mode);
}

int __wrap_sd_journal_sendv(const struct iovec *fields, int count);
int __wrap_sd_journal_sendv(const struct iovec *fields, int count)
{
	assert_in_range(count, 1, 16);
	sent_count = count;
	for (int i = 0; i < count; i++)
		snprintf(sent[i], sizeof sent[i], "%.*s", (int)fields[i].iov_len,
		         (const char *)fields[i].iov_base);
	return journal_failure;
}

static bool was_sent(const char *field)
{
	for (int i = 0; i < sent_count; i++)
		if (strcmp(sent[i], field) == 0)
			return true;
	return false;
}

/* Standard error is the journal, as $JOURNAL_STREAM says; `device` more or less than it is. */
static void become_service(unsigned device)
{
	struct stat here;
	char stream[64];
	assert_int_equal(fstat(STDERR_FILENO, &here), 0);
	snprintf(stream, sizeof stream, "%llu:%llu", (unsigned long long)here.st_dev + device,
	         (unsigned long long)here.st_ino);
	assert_int_equal(setenv("JOURNAL_STREAM", stream, 1), 0);
	has_journal = true;
	journal_failure = 0;
	sent_count = 0;
	log_open(LOG_LEVEL_INFO);
}

static void the_journal_gets_fields(void **state)
{
	(void)state;
	char line[2048];
	become_service(0);
	log_write(LOG_RELOAD_FAILED, LOG_TEXT_FIELD("why", "a\nb"), LOG_NUMBER_FIELD("pid", -7),
	          LOG_REAL_FIELD("duration_s", 0.25));
	assert_int_equal(sent_count, 7);
	assert_true(was_sent("MESSAGE=reload-failed why=\"a\\x0ab\" pid=-7 duration_s=0.25"));
	assert_true(was_sent("PRIORITY=4"));
	assert_true(was_sent("MESSAGE_ID=19f7b3e5c8d24a06b1e9f4a7c2d5083e"));
	assert_true(was_sent("PREDICTD_EVENT=reload-failed"));
	assert_true(was_sent("PREDICTD_WHY=\"a\\x0ab\""));
	assert_true(was_sent("PREDICTD_PID=-7"));
	assert_true(was_sent("PREDICTD_DURATION_S=0.25"));
	assert_int_equal(lines(line, sizeof line), 0);
}

static void what_the_journal_does_not_take_goes_to_standard_error(void **state)
{
	(void)state;
	char line[2048];
	become_service(0);
	journal_failure = -ENOBUFS;
	log_write(LOG_STARTED, LOG_NUMBER_FIELD("pid", 7));
	assert_true(sent_count > 0);
	assert_int_equal(lines(line, sizeof line), 1);
	assert_string_equal(line, "info started pid=7\n");
}

static void a_stream_that_went_elsewhere_is_no_journal(void **state)
{
	(void)state;
	char line[2048];
	become_service(1);
	log_write(LOG_STARTED, LOG_NUMBER_FIELD("pid", 1));
	assert_int_equal(setenv("JOURNAL_STREAM", "none", 1), 0);
	log_open(LOG_LEVEL_INFO);
	log_write(LOG_STARTED, LOG_NUMBER_FIELD("pid", 2));
	become_service(0);
	has_journal = false;
	log_open(LOG_LEVEL_INFO);
	log_write(LOG_STARTED, LOG_NUMBER_FIELD("pid", 3));
	assert_int_equal(sent_count, 0);
	assert_int_equal(lines(line, sizeof line), 3);
}

static void levels_have_names_and_hide_what_is_below(void **state)
{
	(void)state;
	enum log_level level;
	char line[2048];
	assert_false(log_level_find("loud", &level));
	assert_true(log_level_find("error", &level));
	log_set_level(level);
	log_write(LOG_RELOAD_FAILED, LOG_TEXT_FIELD("why", "nobody asks"));
	assert_int_equal(lines(line, sizeof line), 0);
	assert_true(log_level_find("debug", &level));
	log_set_level(level);
	log_write(LOG_SESSION_OPENED, LOG_TEXT_FIELD("client", NULL));
	assert_int_equal(lines(line, sizeof line), 1);
	assert_string_equal(line, "debug session-opened client=\"\"\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(texts_of_clients_are_escaped_and_cut, catch,
	                                        release),
	        cmocka_unit_test_setup_teardown(an_event_that_repeats_fills_no_disk, catch,
	                                        release),
	        cmocka_unit_test_setup_teardown(the_journal_gets_fields, catch, release),
	        cmocka_unit_test_setup_teardown(
	                what_the_journal_does_not_take_goes_to_standard_error, catch, release),
	        cmocka_unit_test_setup_teardown(a_stream_that_went_elsewhere_is_no_journal, catch,
	                                        release),
	        cmocka_unit_test_setup_teardown(levels_have_names_and_hide_what_is_below, catch,
	                                        release),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
