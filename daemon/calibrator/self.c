/* SPDX-License-Identifier: Apache-2.0 */
/* This program anew, and others. */
#include "daemon/calibrator/self.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

extern char **environ;

static int direct(posix_spawn_file_actions_t *actions, int fd, int to, int flags)
{
	return fd >= 0 ? posix_spawn_file_actions_adddup2(actions, fd, to)
	               : posix_spawn_file_actions_addopen(actions, to, "/dev/null", flags, 0);
}

pid_t self_start_other(char *program, char **arguments, int input, int output)
{
	posix_spawn_file_actions_t actions;
	pid_t child = -1;
	arguments[0] = program;
	if (posix_spawn_file_actions_init(&actions) != 0)
		return -1;
	if (direct(&actions, input, STDIN_FILENO, O_RDONLY) != 0 ||
	    direct(&actions, output, STDOUT_FILENO, O_WRONLY) != 0 ||
	    direct(&actions, -1, STDERR_FILENO, O_WRONLY) != 0 ||
	    posix_spawn(&child, program, &actions, NULL, arguments, environ) != 0)
		child = -1;
	posix_spawn_file_actions_destroy(&actions);
	return child;
}

pid_t self_start(char **arguments, int input, int output)
{
	static char program[] = "/proc/self/exe";
	return self_start_other(program, arguments, input, output);
}
