/* SPDX-License-Identifier: Apache-2.0 */
/* Where the daemon keeps what: as a service, as root, as a user. */
#include "tests/test.h"

#include "daemon/paths.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uid_t user;

/* The program's own: its symbols come before those of libraries. */
uid_t geteuid(void)
{
	return user;
}

static const char *const variables[] = {"RUNTIME_DIRECTORY",
                                        "STATE_DIRECTORY",
                                        "CONFIGURATION_DIRECTORY",
                                        "XDG_RUNTIME_DIR",
                                        "XDG_STATE_HOME",
                                        "XDG_CONFIG_HOME",
                                        "HOME"};

static void assert_paths(const char *socket, const char *state, const char *config)
{
	struct paths paths;
	struct error error = {.status = STATUS_OK};
	assert_int_equal(paths_init(&paths, &error), STATUS_OK);
	assert_string_equal(paths.socket, socket);
	assert_string_equal(paths.state, state);
	assert_string_equal(paths.config, config);
}

/* A user without any of the variables. */
static int become_user(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		unsetenv(variables[i]);
	user = 1000;
	return 0;
}

static void a_service_has_the_folders_that_systemd_made(void **state)
{
	(void)state;
	setenv("RUNTIME_DIRECTORY", "/run/a:/run/b", 1);
	setenv("STATE_DIRECTORY", "/var/lib/a", 1);
	setenv("CONFIGURATION_DIRECTORY", "/etc/a", 1);
	assert_paths("/run/a/predictd.sock", "/var/lib/a", "/etc/a/predictd.conf");
}

static void a_user_has_the_folders_of_the_desktops_specification(void **state)
{
	(void)state;
	assert_paths("", "", "");
	setenv("HOME", "/home/one", 1);
	assert_paths("", "/home/one/.local/state/predictd",
	             "/home/one/.config/predictd/predictd.conf");
	setenv("XDG_RUNTIME_DIR", "/run/user/1", 1);
	setenv("XDG_STATE_HOME", "relative", 1); /* not taken */
	setenv("XDG_CONFIG_HOME", "/home/one/conf", 1);
	assert_paths("/run/user/1/predictd/predictd.sock", "/home/one/.local/state/predictd",
	             "/home/one/conf/predictd/predictd.conf");
}

static void roots_state_is_not_that_of_the_service(void **state)
{
	(void)state;
	user = 0;
	assert_paths("/run/predictd/predictd.sock", "", "/etc/predictd/predictd.conf");
	setenv("HOME", "/root", 1);
	assert_paths("/run/predictd/predictd.sock", "/root/.local/state/predictd",
	             "/etc/predictd/predictd.conf");
}

static void root_has_the_folders_that_his_variables_say(void **state)
{
	(void)state;
	user = 0;
	setenv("HOME", "/root", 1);
	setenv("XDG_RUNTIME_DIR", "/tmp/a", 1);
	setenv("XDG_STATE_HOME", "/tmp/b", 1);
	setenv("XDG_CONFIG_HOME", "/tmp/c", 1);
	assert_paths("/tmp/a/predictd/predictd.sock", "/tmp/b/predictd",
	             "/tmp/c/predictd/predictd.conf");
	setenv("STATE_DIRECTORY", "/var/lib/predictd", 1);
	assert_paths("/tmp/a/predictd/predictd.sock", "/var/lib/predictd",
	             "/tmp/c/predictd/predictd.conf");
}

static void a_folder_that_is_too_long_is_refused_by_name(void **state)
{
	(void)state;
	static char longer[8192];
	longer[0] = '/';
	memset(longer + 1, 'x', sizeof longer - 2);
	for (size_t i = 0; i < 3; i++) {
		struct paths paths;
		struct error error = {.status = STATUS_OK};
		setenv(variables[i], longer, 1);
		assert_int_equal(paths_init(&paths, &error), STATUS_INVALID);
		assert_non_null(strstr(error.text, "/xxx"));
		assert_non_null(strstr(error.text, "path too long"));
		unsetenv(variables[i]);
	}
}

#define PATHS_TEST(name) cmocka_unit_test_setup(name, become_user)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        PATHS_TEST(a_service_has_the_folders_that_systemd_made),
	        PATHS_TEST(a_user_has_the_folders_of_the_desktops_specification),
	        PATHS_TEST(roots_state_is_not_that_of_the_service),
	        PATHS_TEST(root_has_the_folders_that_his_variables_say),
	        PATHS_TEST(a_folder_that_is_too_long_is_refused_by_name),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("paths", tests, NULL, NULL);
}
