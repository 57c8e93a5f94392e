/* SPDX-License-Identifier: Apache-2.0 */
/* A limit on how long a driver may take. */
#include "daemon/calibrator/watchdog.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* Read by the handler; changed only while the alarm is off. */
static struct {
	int fd;
	uint8_t *bytes;
	size_t size;
} message = {.fd = -1};

static void limit_passed(int signal)
{
	(void)signal;
	for (size_t done = 0; message.fd >= 0 && done < message.size;) {
		ssize_t written = write(message.fd, message.bytes + done, message.size - done);
		if (written > 0)
			done += (size_t)written;
		else if (written == 0 || errno != EINTR)
			break;
	}
	_exit(WATCHDOG_EXIT);
}

void watchdog_message(int fd, uint8_t *bytes, size_t size)
{
	alarm(0);
	free(message.bytes);
	message.fd = fd;
	message.bytes = bytes;
	message.size = size;
}

void watchdog_arm(unsigned limit_s)
{
	static bool is_installed;
	if (!is_installed) {
		struct sigaction action = {.sa_handler = limit_passed};
		sigaction(SIGALRM, &action, NULL);
		is_installed = true;
	}
	alarm(limit_s);
}
