/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl tune: the Python package's command, which reads spaces and runs variants. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/predictctl/commands.h"

extern char **environ;

/* Whether a Python has the package. It may print why not: nobody sees it. */
static bool has_package(const char *python)
{
	char *const arguments[] = {(char *)python, (char *)"-c", (char *)"import predictd.tune",
	                           NULL};
	posix_spawn_file_actions_t actions;
	pid_t child;
	int status = -1;
	if (posix_spawn_file_actions_init(&actions) != 0)
		return false;
	bool is_run = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
	                                               O_WRONLY, 0) == 0 &&
	              posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
	                                               O_WRONLY, 0) == 0 &&
	              posix_spawnp(&child, python, &actions, NULL, arguments, environ) == 0;
	(void)posix_spawn_file_actions_destroy(&actions);
	while (is_run && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return is_run && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

enum exit_code command_tune(int argc, char **argv)
{
	/* the distribution's has what its packages install, whatever stands before it */
	static const char *const pythons[] = {"python3", "/usr/bin/python3"};
	for (size_t i = 0; i < sizeof pythons / sizeof pythons[0]; i++) {
		if (!has_package(pythons[i]))
			continue;
		char **arguments = calloc((size_t)argc + 3, sizeof *arguments);
		if (arguments == NULL) {
			complain("tune", "no memory");
			return EXIT_FAILED;
		}
		arguments[0] = (char *)pythons[i];
		arguments[1] = (char *)"-m";
		arguments[2] = (char *)"predictd.tune";
		memcpy(arguments + 3, argv + 1, (size_t)argc * sizeof *arguments);
		(void)execvp(pythons[i], arguments);
		complain(pythons[i], "%s", strerror(errno));
		free(arguments);
		return EXIT_FAILED;
	}
	complain("tune", "it needs predictd's Python package, and python3 to run it: `meson "
	                 "install` brings it where python3-protobuf is installed");
	return EXIT_FAILED;
}
