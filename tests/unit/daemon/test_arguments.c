/* SPDX-License-Identifier: Apache-2.0 */
/* predictd's own arguments: what it prints, what it refuses, and with which status. */
#include "tests/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS_MAX = 6, TEXT_MAX = 1 << 16 };

static const char *program_path;
static char said[TEXT_MAX];

/* Runs it; what it said is in `said`, of both streams. */
static int run(const char *const words[WORDS_MAX])
{
	char *argv[WORDS_MAX + 2] = {(char *)(uintptr_t)program_path};
	int status, fd = memfd_create("said", MFD_CLOEXEC);
	assert_true(fd >= 0);
	for (size_t i = 0; i < WORDS_MAX && words[i] != NULL; i++)
		argv[i + 1] = (char *)(uintptr_t)words[i];
	fflush(NULL);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		dup2(fd, STDOUT_FILENO);
		dup2(fd, STDERR_FILENO);
		execv(program_path, argv);
		_exit(127);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	ssize_t size = pread(fd, said, sizeof said - 1, 0);
	assert_true(size >= 0);
	said[size] = '\0';
	close(fd);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static char longer[8192], config_path[] = "/tmp/predictd-arguments-XXXXXX";

static void each_wrong_argument_has_its_status_and_its_sentence(void **state)
{
	(void)state;
	const struct {
		const char *words[WORDS_MAX];
		int status;
		const char *part;
	} wrong[] = {
	        {{"--nonsense"}, 2, "--help"},
	        {{"word"}, 2, "word: want options only"},
	        {{"--socket"}, 2, "--help"},
	        {{"--config", "/nonexistent/predictd.conf"}, 1, "/nonexistent/predictd.conf"},
	        {{"--config", longer}, 1, "path too long"},
	        {{"--config", config_path, "--socket", longer}, 1, "path too long"},
	        {{"--config", config_path, "--state", longer}, 1, "path too long"},
	        {{"--config", config_path, "--socket", "/proc/predictd/s", "--state", "/tmp"},
	         1,
	         "/proc/predictd"},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_int_equal(run(wrong[i].words), wrong[i].status);
		if (strstr(said, wrong[i].part) == NULL)
			fail_msg("want '%s' in '%.200s'", wrong[i].part, said);
	}
}

static void what_is_asked_for_is_printed_and_nothing_started(void **state)
{
	(void)state;
	assert_int_equal(run((const char *const[WORDS_MAX]){"--help"}), 0);
	assert_non_null(strstr(said, "--check-config"));
	assert_int_equal(run((const char *const[WORDS_MAX]){"--version"}), 0);
	assert_non_null(strstr(said, PREDICTD_VERSION));
	assert_int_equal(run((const char *const[WORDS_MAX]){"--print-config"}), 0);
	assert_non_null(strstr(said, "[daemon]\n"));
	assert_int_equal(run((const char *const[WORDS_MAX]){"--foreground", "--check-config",
	                                                    "--config", config_path}),
	                 0);
	assert_string_equal(said, "");
}

/* Every default, written into the configuration, is what the configuration takes. */
static void the_defaults_that_are_printed_can_be_read(void **state)
{
	(void)state;
	assert_int_equal(run((const char *const[WORDS_MAX]){"--print-config"}), 0);
	FILE *file = fopen(config_path, "w");
	assert_non_null(file);
	unsigned keys = 0;
	for (char *line = strtok(said, "\n"); line != NULL; line = strtok(NULL, "\n")) {
		bool is_key = line[0] == '#' && line[1] != ' ';
		keys += is_key ? 1 : 0;
		fprintf(file, "%s\n", line + is_key);
	}
	assert_int_equal(fclose(file), 0);
	assert_true(keys > 20);
	assert_int_equal(
	        run((const char *const[WORDS_MAX]){"--check-config", "--config", config_path}), 0);
	assert_string_equal(said, "");
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	program_path = argv[1];
	memset(longer, 'x', sizeof longer - 1);
	int fd = mkstemp(config_path);
	if (fd < 0)
		return 99;
	close(fd);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_wrong_argument_has_its_status_and_its_sentence),
	        cmocka_unit_test(what_is_asked_for_is_printed_and_nothing_started),
	        cmocka_unit_test(the_defaults_that_are_printed_can_be_read),
	};
	int failed = cmocka_run_group_tests_name("arguments", tests, NULL, NULL);
	(void)unlink(config_path);
	return failed;
}
