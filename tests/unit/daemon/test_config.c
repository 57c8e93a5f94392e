/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration file: defaults, values, and errors that name file and line. */
#include "tests/test.h"

#include "daemon/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Loads `text` as a file; its path is in *path until the next call. */
static enum status load(const char *text, struct config *config, struct error *error,
                        const char **path)
{
	static char name[64];
	strcpy(name, "/tmp/predictd-config-XXXXXX");
	int fd = mkstemp(name);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	enum status status = config_load(config, name, error);
	unlink(name);
	if (path != NULL)
		*path = name;
	return status;
}

static void assert_error(const char *text, int line, const char *part)
{
	struct config config, before;
	struct error error;
	const char *path;
	char place[96];
	config_init(&config);
	config.programs = 77;
	before = config;
	assert_int_equal(load(text, &config, &error, &path), STATUS_INVALID);
	snprintf(place, sizeof place, "%s:%d: ", path, line);
	if (strncmp(error.text, place, strlen(place)) != 0 || strstr(error.text, part) == NULL)
		fail_msg("want \"%s...%s\", got \"%s\"", place, part, error.text);
	assert_memory_equal(&config, &before, sizeof config);
}

static void empty_files_give_the_defaults(void **state)
{
	(void)state;
	struct config config, defaults;
	struct error error;
	config_init(&defaults);
	assert_int_equal(load("", &config, &error, NULL), STATUS_OK);
	assert_memory_equal(&config, &defaults, sizeof config);
	assert_int_equal(defaults.socket_mode, 0660);
	assert_string_equal(defaults.log_level, "info");
}

static void values_and_suffixes_are_read(void **state)
{
	(void)state;
	struct config config;
	struct error error;
	assert_int_equal(load("# a comment\n[daemon]\nsocket = /tmp/a b\nsocket_mode = 0600\n"
	                      "log_level = debug ; another\n[limits]\nprogram_bytes = 2M\n"
	                      "frame_bytes=8K\nprograms = 3\n",
	                      &config, &error, NULL),
	                 STATUS_OK);
	assert_string_equal(config.socket, "/tmp/a b");
	assert_int_equal(config.socket_mode, 0600);
	assert_string_equal(config.log_level, "debug");
	assert_int_equal(config.program_bytes, 2 << 20);
	assert_int_equal(config.frame_bytes, 8 << 10);
	assert_int_equal(config.programs, 3);
}

static void unknown_keys_and_sections_are_errors(void **state)
{
	(void)state;
	assert_error("[daemon]\n\nsockets = /tmp/a\n", 3, "[daemon] sockets: unknown key");
	assert_error("[limits]\nsocket = /tmp/a\n", 2, "unknown key");
	assert_error("[demon]\nsocket = /tmp/a\n", 2, "unknown key");
	assert_error("socket = /tmp/a\n", 1, "want a section such as [daemon] before it");
}

static void wrong_values_are_errors(void **state)
{
	(void)state;
	assert_error("[limits]\nprograms = 0\n", 2, "want 1 to 1048576, got \"0\"");
	assert_error("[limits]\nprograms = -1\n", 2, "got \"-1\"");
	assert_error("[limits]\nprograms = 99999999999999999999\n", 2, "want 1 to");
	assert_error("[limits]\nprograms = 18014398509481985K\n", 2, "want 1 to");
	assert_error("[limits]\nprograms = 1X\n", 2, "want 1 to");
	assert_error("[limits]\nprograms =\n", 2, "want 1 to");
	assert_error("[daemon]\nsocket_mode = 0880\n", 2, "octal");
	assert_error("[daemon]\nsocket_mode = 01777\n", 2, "octal");
	assert_error("[daemon]\nlog_level = loud\n", 2, "want error, warning, info or debug");
}

static void first_error_is_told_with_its_line(void **state)
{
	(void)state;
	assert_error("[daemon\nsocket = a\n", 1, "want \"key = value\"");
	assert_error("[daemon]\nthis is nothing\nsockets = a\n", 2, "want \"key = value\"");
	assert_error("[daemon]\nsockets = a\nthis is nothing\n", 2, "unknown key");
}

/* What --print-config writes, without the '#' before each key. */
static char *printed_defaults(void)
{
	char name[] = "/tmp/predictd-config-XXXXXX", line[512];
	int fd = mkstemp(name), out = dup(STDOUT_FILENO);
	assert_true(fd >= 0 && out >= 0);
	(void)fflush(stdout);
	assert_int_equal(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
	config_print_defaults();
	(void)fflush(stdout);
	assert_int_equal(dup2(out, STDOUT_FILENO), STDOUT_FILENO);
	close(out);
	FILE *file = fdopen(fd, "r+");
	assert_non_null(file);
	rewind(file);
	char *text = calloc(1, 1 << 16);
	assert_non_null(text);
	while (fgets(line, sizeof line, file) != NULL)
		strcat(text, line[0] == '#' && line[1] != ' ' ? line + 1 : line);
	fclose(file);
	unlink(name);
	return text;
}

static void printed_defaults_are_a_configuration_that_changes_nothing(void **state)
{
	(void)state;
	struct config config, defaults;
	struct error error;
	char *text = printed_defaults();
	config_init(&defaults);
	assert_true(strstr(text, "[store]") != NULL && strstr(text, "[limits]") != NULL);
	if (load(text, &config, &error, NULL) != STATUS_OK)
		fail_msg("%s\n%s", error.text, text);
	assert_memory_equal(&config, &defaults, sizeof config);
	free(text);
}

static void words_of_one_key_are_no_words_of_another(void **state)
{
	(void)state;
	assert_error("[store]\ndurability = disk\n", 2, "want process or power");
	assert_error("[store]\nlog_level = info\n", 2, "unknown key");
	assert_error("[calibration]\nagain_quiet_s = -5\n", 2, "want 0 to 1048576, got \"-5\"");
	assert_error("[calibration]\nat_start = soon\n", 2,
	             "want quick, full or never, got \"soon\"");
	assert_error("[calibration]\nagain_after_s = 0\n", 2, "want 1 to 1048576, got \"0\"");
	assert_error("[limits]\nprograms = 5T\n", 2, "want 1 to");
	assert_error("[daemon]\nsocket_mode =\n", 2, "octal");
	assert_error("[daemon]\nsocket_mode = 0600x\n", 2, "octal");
	assert_error("[daemon]\nlog_level = loud\nprograms = 1\n", 2, "want error, warning");
}

static void texts_that_are_too_long_are_errors(void **state)
{
	(void)state;
	char text[700] = "[daemon]\nsocket = /";
	struct config config;
	struct error error;
	memset(text + strlen(text), 'a', 500);
	assert_int_equal(load(text, &config, &error, NULL), STATUS_INVALID);
}

static void absent_files_are_not_found(void **state)
{
	(void)state;
	struct config config;
	struct error error;
	assert_int_equal(config_load(&config, "/nonexistent/predictd.conf", &error),
	                 STATUS_NOT_FOUND);
	assert_int_equal(config_load(&config, "/dev/null/predictd.conf", &error), STATUS_IO);
}

static void a_reload_leaves_what_was_opened(void **state)
{
	static struct config started, again;
	(void)state;
	config_init(&started);
	config_init(&again);
	strcpy(started.socket, "/run/first.sock");
	started.records = 100;
	strcpy(again.socket, "/run/second.sock");
	again.records = 200;
	strcpy(again.log_level, "debug");
	again.programs = 7;
	config_keep_started(&again, &started);
	assert_string_equal(again.socket, "/run/first.sock");
	assert_int_equal(again.records, 100);
	assert_string_equal(again.log_level, "debug");
	assert_int_equal(again.programs, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(empty_files_give_the_defaults),
	        cmocka_unit_test(values_and_suffixes_are_read),
	        cmocka_unit_test(unknown_keys_and_sections_are_errors),
	        cmocka_unit_test(wrong_values_are_errors),
	        cmocka_unit_test(first_error_is_told_with_its_line),
	        cmocka_unit_test(printed_defaults_are_a_configuration_that_changes_nothing),
	        cmocka_unit_test(words_of_one_key_are_no_words_of_another),
	        cmocka_unit_test(texts_that_are_too_long_are_errors),
	        cmocka_unit_test(absent_files_are_not_found),
	        cmocka_unit_test(a_reload_leaves_what_was_opened),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
