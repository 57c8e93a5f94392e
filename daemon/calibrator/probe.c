/* SPDX-License-Identifier: Apache-2.0 */
/* One child per platform; what it got to is told by what it wrote. */
#include "daemon/calibrator/probe.h"

#include "daemon/calibrator/opencl.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PLATFORMS_MAX = 64, DEVICES_MAX = 64, EXIT_NONE = 3 };

static void tell(int fd, const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, bytes, size);
		if (n <= 0)
			return;
		bytes += n;
		size -= (size_t)n;
	}
}

/* The child: never returns. Writes the platform's name once it is known. */
static void ask(int fd, unsigned index)
{
	cl_platform_id platforms[PLATFORMS_MAX];
	cl_device_id devices[DEVICES_MAX];
	cl_uint count = 0, device_count = 0;
	char name[PROBE_NAME_MAX] = "";

	signal(SIGALRM, SIG_DFL);
	alarm(PROBE_LIMIT_S);
	if (clGetPlatformIDs(PLATFORMS_MAX, platforms, &count) != CL_SUCCESS || index >= count ||
	    index >= PLATFORMS_MAX)
		_exit(EXIT_NONE);
	if (clGetPlatformInfo(platforms[index], CL_PLATFORM_NAME, sizeof name, name, NULL) !=
	            CL_SUCCESS ||
	    name[0] == '\0')
		(void)snprintf(name, sizeof name, "platform %u", index);
	name[sizeof name - 1] = '\0';
	tell(fd, name, strlen(name));
	(void)clGetDeviceIDs(platforms[index], CL_DEVICE_TYPE_ALL, DEVICES_MAX, devices,
	                     &device_count);
	/* no exit handlers: they are the driver's */
	_exit(0);
}

enum probe platform_probe(unsigned index, char name[PROBE_NAME_MAX], char why[PROBE_NAME_MAX])
{
	int ends[2], status = 0;
	size_t used = 0;

	name[0] = why[0] = '\0';
	if (pipe(ends) != 0)
		return PROBE_FINE; /* not known to be bad */
	pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		ask(ends[1], index);
	}
	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return PROBE_FINE;
	}
	for (ssize_t n = 1; n > 0 && used < PROBE_NAME_MAX - 1; used += n > 0 ? (size_t)n : 0)
		do
			n = read(ends[0], name + used, PROBE_NAME_MAX - 1 - used);
		while (n < 0 && errno == EINTR);
	name[used] = '\0';
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	close(ends[0]);
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NONE)
		return PROBE_NONE;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return PROBE_FINE;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		(void)snprintf(why, PROBE_NAME_MAX,
		               "the driver does not answer: %d s were not enough", PROBE_LIMIT_S);
	else if (WIFSIGNALED(status))
		(void)snprintf(why, PROBE_NAME_MAX, "the driver crashes: %s",
		               strsignal(WTERMSIG(status)));
	else
		(void)snprintf(why, PROBE_NAME_MAX, "the driver ends the program, status %d",
		               WEXITSTATUS(status));
	return used == 0 ? PROBE_UNLOADED : PROBE_BAD;
}
