/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the Python package: tune, sweep, report, advise. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/predictctl/commands.h"

extern char **environ;

/* Whether a Python has a module. It may print why not: nobody sees it. */
static bool has_module(const char *python, const char *module)
{
	char import[64];
	char *const arguments[] = {(char *)python, (char *)"-c", import, NULL};
	(void)snprintf(import, sizeof import, "import %s", module);
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

enum exit_code command_python(const char *module, int argc, char **argv)
{
	/* the distribution's has what its packages install, whatever stands before it */
	static const char *const pythons[] = {"python3", "/usr/bin/python3"};
	for (size_t i = 0; i < sizeof pythons / sizeof pythons[0]; i++) {
		if (!has_module(pythons[i], module))
			continue;
		char **arguments = calloc((size_t)argc + 3, sizeof *arguments);
		if (arguments == NULL) {
			complain(argv[0], "no memory");
			return EXIT_FAILED;
		}
		arguments[0] = (char *)pythons[i];
		arguments[1] = (char *)"-m";
		arguments[2] = (char *)module;
		memcpy(arguments + 3, argv + 1, (size_t)argc * sizeof *arguments);
		(void)execvp(pythons[i], arguments);
		complain(pythons[i], "%s", strerror(errno));
		free(arguments);
		return EXIT_FAILED;
	}
	complain(argv[0], "it needs predictd's Python package, and python3 to run it: `meson "
	                  "install` brings it where python3-protobuf is installed");
	return EXIT_FAILED;
}
