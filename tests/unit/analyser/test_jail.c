/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The jail, seen from outside: strace follows the analyser and its children
 * and shows that no file is opened once it has said that it is ready.
 */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/analyser/driver.h"

static char trace_path[] = "/tmp/predictd-jail-XXXXXX";

/* A trace of a run that is asked for a good program and for one that wants a file. */
static bool trace_make(void)
{
	static const char wants_file[] = "#include \"/etc/passwd\"\n#include <string.h>\n";
	const char *const wrapper[] = {"strace", "-f", "-qq", "-y", "-o", trace_path, NULL};
	struct analyser analyser;
	if (!analyser_start(&analyser, wrapper)) {
		(void)analyser_stop(&analyser);
		return false;
	}
	struct question question = {
	        .source = wants_file, .bytes = sizeof wants_file - 1, .deadline_ms = 10000};
	struct answer answer;
	analyser_ask(&analyser, &question, &answer);
	assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
	answer_deinit(&answer);
	assert_true(analyser_is_well(&analyser));
	(void)analyser_stop(&analyser);
	return true;
}

static bool is_tracing_possible(void)
{
	return system("strace -qq -o /dev/null true 2>/dev/null") == 0;
}

/* True for the line with the result of a call that opens something. */
static bool is_opener(const char *line)
{
	static const char *const names[] = {"open",   "openat", "openat2", "creat",
	                                    "socket", "execve", "connect"};
	char begun[32], resumed[32];
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		(void)snprintf(begun, sizeof begun, " %s(", names[i]);
		(void)snprintf(resumed, sizeof resumed, "<... %s resumed>", names[i]);
		if (strstr(line, resumed) != NULL)
			return true;
		/* the arguments may be another process's to interrupt; the result comes later */
		if (strstr(line, begun) != NULL && strstr(line, "<unfinished ...>") == NULL)
			return true;
	}
	return false;
}

static void no_file_is_opened_once_the_jail_is_closed(void **state)
{
	(void)state;
	assert_true(trace_make());
	FILE *trace = fopen(trace_path, "r");
	assert_non_null(trace);
	static char line[1 << 16];
	bool is_jailed = false;
	size_t before = 0, refused = 0;
	while (fgets(line, sizeof line, trace) != NULL) {
		/* its first message, "ready", ends what is allowed; who is not root sees no words
		 * of it */
		is_jailed = is_jailed || strstr(line, " sendto(3") != NULL;
		if (!is_opener(line))
			continue;
		if (!is_jailed)
			before++;
		else if (strstr(line, "= -1 ENOENT") != NULL || strstr(line, "= -1 EACCES") != NULL)
			refused++;
		else
			fail_msg("after the jail: %s", line);
	}
	fclose(trace);
	assert_true(is_jailed);
	assert_true(before > 0);  /* the trace sees opens */
	assert_true(refused > 0); /* the program did ask for a file */
}

static void the_processes_have_no_privileges_left(void **state)
{
	(void)state;
	struct analyser analyser;
	assert_true(analyser_start(&analyser, NULL));
	char path[64], line[256];
	(void)snprintf(path, sizeof path, "/proc/%d/status", (int)analyser.pid);
	FILE *status = fopen(path, "r");
	assert_non_null(status);
	unsigned found = 0;
	while (fgets(line, sizeof line, status) != NULL) {
		found += strcmp(line, "NoNewPrivs:\t1\n") == 0;
		found += strcmp(line, "Seccomp:\t2\n") == 0;
		found += strcmp(line, "CapEff:\t0000000000000000\n") == 0;
		found += strcmp(line, "CapPrm:\t0000000000000000\n") == 0;
	}
	fclose(status);
	assert_int_equal(found, 4);
	int ended = analyser_stop(&analyser);
	assert_true(WIFEXITED(ended));
	assert_int_equal(WEXITSTATUS(ended), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(no_file_is_opened_once_the_jail_is_closed),
	        cmocka_unit_test(the_processes_have_no_privileges_left),
	};
	if (!is_tracing_possible()) {
		printf("1..0 # SKIP strace is missing or may not trace\n");
		return 0;
	}
	int file = mkstemp(trace_path);
	if (file < 0)
		return 99;
	close(file);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	int failed = cmocka_run_group_tests_name("jail", tests, NULL, NULL);
	(void)unlink(trace_path);
	return failed;
}
