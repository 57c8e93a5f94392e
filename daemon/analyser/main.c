/* SPDX-License-Identifier: Apache-2.0 */
/*
 * predictd-analyser: OpenCL C in, kernel IR out, jailed. Started by predictd.
 *
 * Descriptor 3 is a SOCK_SEQPACKET socket. The analyser sends "ready" on it, or "ready: " and
 * what its jail lacks (daemon/analyser/jail.h), then takes jobs: four bytes of deadline in ms,
 * little-endian, the highest bit set for one in the background, with one stream socket
 * (SCM_RIGHTS). On that socket comes one frame with a Program, and goes one with an AnalyserReply;
 * an end without a reply means that the child died. When descriptor 3 ends, so does the analyser.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/analyser/jail.h"
#include "daemon/analyser/worker.h"
#include "daemon/analyser/zygote.h"

enum {
	CHANNEL = 3,
	HEAP_MAPPING_BYTES = 32 << 20, /* the most that malloc takes as this threshold */
	HEAP_KEPT_BYTES = 512 << 20,
	HEAP_STEP_BYTES = 2 << 20
};

#if JAIL_SANITIZED
/* The leak check at exit would trace this process, which the jail forbids. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0:allocator_may_return_null=1";
}
#endif

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "predictd-analyser: %s: %s\n", what, why);
	return 1;
}

static bool ready_send(const char *lack)
{
	char text[JAIL_LACK_MAX + 8];
	int size = snprintf(text, sizeof text, "ready%s%s", lack[0] != '\0' ? ": " : "", lack);
	return send(CHANNEL, text, (size_t)size, MSG_NOSIGNAL) == size;
}

static bool channel_is_given(void)
{
	int type = 0;
	socklen_t size = sizeof type;
	return getsockopt(CHANNEL, SOL_SOCKET, SO_TYPE, &type, &size) == 0 &&
	       type == SOCK_SEQPACKET;
}

/*
 * The main thread's stack may grow as far as the limit said at exec, so a
 * limit that is not the wanted one takes another exec; that also leaves the caller's
 * environment behind (CPATH alone would defeat -nostdinc). Returns only if it need not or cannot.
 */
static void stack_ensure(char **arguments)
{
	static char *const environment[] = {"LIBCLANG_NOTHREADS=1",
	                                    "LIBCLANG_DISABLE_CRASH_RECOVERY=1", NULL};
	struct rlimit limit;
	if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == JAIL_STACK_BYTES ||
	    (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < JAIL_STACK_BYTES))
		return;
	limit.rlim_cur = JAIL_STACK_BYTES;
	if (setrlimit(RLIMIT_STACK, &limit) == 0)
		(void)execve("/proc/self/exe", arguments, environment);
}

int main(int argc, char **argv)
{
	if (argc != 1 || !channel_is_given()) {
		fprintf(stderr, "predictd-analyser: started by predictd only, with a socket as "
		                "descriptor 3\n");
		return 2;
	}
	stack_ensure(argv);
	(void)prctl(PR_SET_NAME, "predictd-analyser"); /* else "exe", after another exec */
	if (clearenv() != 0 || setenv("LIBCLANG_NOTHREADS", "1", 1) != 0 ||
	    setenv("LIBCLANG_DISABLE_CRASH_RECOVERY", "1", 1) != 0)
		return complain("environment", strerror(errno));
	if (close_range(CHANNEL + 1, ~0U, 0) != 0)
		return complain("close_range", strerror(errno));

	/* one heap that only grows: no mapping and unmapping, no zeroed pages, while somebody waits
	 */
	(void)mallopt(M_MMAP_THRESHOLD, HEAP_MAPPING_BYTES);
	(void)mallopt(M_TRIM_THRESHOLD, HEAP_KEPT_BYTES);
	(void)mallopt(M_TOP_PAD, HEAP_STEP_BYTES);

	struct error error;
	if (worker_prepare(&error) != STATUS_OK)
		return complain("front-end", error.text);

	sigset_t children;
	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	(void)signal(SIGPIPE, SIG_IGN);
	int quiet = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (quiet < 0 || dup2(quiet, STDIN_FILENO) < 0 || dup2(quiet, STDOUT_FILENO) < 0)
		return complain("/dev/null", strerror(errno));
	if (sigprocmask(SIG_BLOCK, &children, NULL) != 0)
		return complain("signals", strerror(errno));
	int signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0)
		return complain("signals", strerror(errno));
	char lack[JAIL_LACK_MAX];
	if (jail_enter(lack, &error) != STATUS_OK)
		return complain("cannot start", error.text);
	if (!ready_send(lack))
		return complain("ready", strerror(errno));
	int failure = zygote_run(CHANNEL, signals, JAIL_SANITIZED ? -1 : quiet);
	/* no handlers at exit: the jail has taken what they would need */
	_exit(failure == 0 ? 0 : complain("channel", strerror(failure)));
}
