/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each call that starts the analyser, or hands a program to a child of it, failing once: it ends
 * with a sentence before it says that it is ready, or the asker is told and the next one is served.
 */
#include "tests/test.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/analyser/worker.h"
#include "daemon/codec/ir_codec.h"
#include "model/frontend/frontend.h"
#include "proto/frame.h"
#include "tests/unit/analyser/driver.h"

enum { CHANNEL = 3, READY_MS = 60000, DEADLINE_MS = 20000, ATTEMPTS = 200 };

/* Which call fails, in which the analyser and its children agree. */
static struct {
	char name[32];
	atomic_ulong count, fail_at;
	int error;
} *failing;

static pid_t tester; /* whose own calls do not fail */

static bool fails(const char *name)
{
	if (getpid() == tester || strcmp(failing->name, name) != 0 ||
	    atomic_fetch_add(&failing->count, 1) + 1 != atomic_load(&failing->fail_at))
		return false;
	errno = failing->error;
	return true;
}

static void set_failing(const char *name, unsigned long n, int error)
{
	failing->name[0] = '\0';
	atomic_store(&failing->count, 0);
	atomic_store(&failing->fail_at, n);
	failing->error = error;
	snprintf(failing->name, sizeof failing->name, "%s", name);
}

#define WRAP(type, name, failed, parameters, ...)                                                  \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		return fails(#name) ? (failed) : __real_##name(__VA_ARGS__);                       \
	}

WRAP(int, getrlimit64, -1, (__rlimit_resource_t what, struct rlimit *limit), what, limit)
WRAP(int, clearenv, -1, (void), )
WRAP(int, setenv, -1, (const char *name, const char *value, int replace), name, value, replace)
WRAP(int, close_range, -1, (unsigned first, unsigned last, int flags), first, last, flags)
WRAP(int, dup2, -1, (int from, int to), from, to)
WRAP(int, sigprocmask, -1, (int how, const sigset_t *set, sigset_t *old), how, set, old)
WRAP(int, signalfd, -1, (int fd, const sigset_t *set, int flags), fd, set, flags)
WRAP(int, sigaltstack, -1, (const stack_t *stack, stack_t *old), stack, old)
WRAP(int, sigaction, -1, (int number, const struct sigaction *now, struct sigaction *old), number,
     now, old)
WRAP(ssize_t, send, -1, (int fd, const void *bytes, size_t size, int flags), fd, bytes, size, flags)
WRAP(ssize_t, sendmsg, -1, (int fd, const struct msghdr *message, int flags), fd, message, flags)
WRAP(ssize_t, recvmsg, -1, (int fd, struct msghdr *message, int flags), fd, message, flags)
WRAP(int, socketpair, -1, (int domain, int type, int protocol, int ends[2]), domain, type, protocol,
     ends)
WRAP(pid_t, fork, -1, (void), )
WRAP(pid_t, getppid, 1, (void), )
WRAP(int, poll, -1, (struct pollfd * watched, nfds_t count, int limit_ms), watched, count, limit_ms)
WRAP(void *, calloc, NULL, (size_t items, size_t size), items, size)
WRAP(bool, frame_pack, false, (const ProtobufCMessage *message, uint8_t **bytes, size_t *size),
     message, bytes, size)
WRAP(Predictd__IrKernel *, ir_encode, NULL, (const struct ir_kernel *kernel), kernel)
WRAP(enum status, frontend_warm_up, error_set(error, STATUS_INTERNAL, "told to fail"),
     (struct error * error), error)

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...)
{
	return fails("open64") ? -1 : __real_open64(path, flags, 0600);
}

/* It would be this test that starts again. */
int __wrap_execve(const char *path, char *const arguments[], char *const environment[]);
int __wrap_execve(const char *path, char *const arguments[], char *const environment[])
{
	(void)path;
	(void)arguments;
	(void)environment;
	errno = ENOENT;
	return -1;
}

int analyser_main(int argc, char **argv);

/* In a child of this process; its standard error is `said`. */
static void start(struct analyser *analyser, int *said)
{
	char name[] = "predictd-analyser";
	char *arguments[] = {name, NULL};
	int ends[2], words[2];
	assert_int_equal(__real_socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(pipe(words), 0);
	(void)fflush(NULL);
	analyser->pid = __real_fork();
	assert_true(analyser->pid >= 0);
	if (analyser->pid == 0) {
		(void)__real_dup2(words[1], STDERR_FILENO);
		/* by way of one that is out of the way */
		int channel = __real_dup2(ends[1], 100);
		(void)__real_dup2(channel, CHANNEL);
		exit(analyser_main(1, arguments));
	}
	close(ends[1]);
	close(words[1]);
	analyser->channel = ends[0];
	*said = words[0];
}

static bool is_ready(const struct analyser *analyser)
{
	char word[16];
	struct pollfd watched = {.fd = analyser->channel, .events = POLLIN};
	return __real_poll(&watched, 1, READY_MS) == 1 &&
	       recv(analyser->channel, word, sizeof word, 0) >= 5;
}

static void assert_ends(const char *name, unsigned long n, const char *sentence)
{
	struct analyser analyser;
	char text[512] = "";
	int said;
	size_t used = 0;
	set_failing(name, n, EPERM);
	start(&analyser, &said);
	assert_false(is_ready(&analyser));
	for (ssize_t got; (got = read(said, text + used, sizeof text - 1 - used)) > 0;)
		used += (size_t)got;
	int status = analyser_stop(&analyser);
	set_failing("", 0, 0);
	close(said);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 1 || strstr(text, sentence) == NULL)
		fail_msg("%s %lu: status %#x, said: %s", name, n, status, text);
}

static void an_analyser_that_cannot_start_says_why(void **state)
{
	(void)state;
	assert_ends("clearenv", 1, "predictd-analyser: environment: Operation not permitted");
	assert_ends("setenv", 1, "environment: Operation not permitted");
	assert_ends("setenv", 2, "environment: Operation not permitted");
	assert_ends("close_range", 1, "close_range: Operation not permitted");
	for (unsigned long n = 1; n <= 6; n++)
		assert_ends("frame_pack", n, "front-end: replies: no memory");
	assert_ends("frontend_warm_up", 1, "front-end: told to fail");
	assert_ends("ir_encode", 1, "front-end: program: no memory for its kernels");
	assert_ends("frame_pack", 7, "front-end: program: its 1 kernels are too large together");
	assert_ends("open64", 1, "/dev/null: Operation not permitted");
	assert_ends("dup2", 1, "/dev/null: Operation not permitted");
	assert_ends("dup2", 2, "/dev/null: Operation not permitted");
	assert_ends("sigprocmask", 1, "signals: Operation not permitted");
	assert_ends("signalfd", 1, "signals: Operation not permitted");
	assert_ends("send", 1, "ready: Operation not permitted");
}

/* As one that is killed leaves a message unread, the other end is reset. */
static void an_analyser_whose_daemon_is_killed_ends_without_a_word(void **state)
{
	(void)state;
	struct analyser analyser;
	char byte;
	int said;
	start(&analyser, &said);
	struct pollfd watched = {.fd = analyser.channel, .events = POLLIN};
	assert_int_equal(__real_poll(&watched, 1, READY_MS), 1);
	assert_int_equal(analyser_stop(&analyser), 0);
	assert_int_equal(read(said, &byte, 1), 0);
	close(said);
}

static struct answer ask(struct analyser *analyser, bool is_background)
{
	static const char source[] = "kernel void k(global int *a) { a[0] = 1; }";
	struct question question = {.source = source,
	                            .bytes = sizeof source - 1,
	                            .deadline_ms = DEADLINE_MS,
	                            .is_background = is_background};
	struct answer answer;
	analyser_ask(analyser, &question, &answer);
	return answer;
}

/* Where the call fails before it is ready, all the same; it is then asked twice. */
static void assert_goes_on(const char *name, unsigned long n, int error)
{
	struct analyser analyser;
	int said;
	set_failing(name, n, error);
	start(&analyser, &said);
	if (!is_ready(&analyser))
		fail_msg("%s %lu: not ready", name, n);
	bool is_well = false;
	for (int i = 0; i < ATTEMPTS && !is_well; i++) {
		struct answer answer = ask(&analyser, false);
		is_well = answer.outcome == OUTCOME_ANSWERED && answer.status == STATUS_OK;
		answer_deinit(&answer);
		if (!is_well)
			usleep(5000);
	}
	if (!is_well)
		fail_msg("%s %lu: no answer", name, n);
	if (atomic_load(&failing->count) < n)
		fail_msg("%s %lu: has not failed", name, n);
	assert_int_equal(analyser_stop(&analyser), 0);
	close(said);
	set_failing("", 0, 0);
}

static void what_children_lack_is_made_up_for_by_others(void **state)
{
	(void)state;
	assert_goes_on("getrlimit64", 1, EPERM);
	assert_goes_on("socketpair", 1, EMFILE);
	assert_goes_on("fork", 1, EAGAIN);
	assert_goes_on("getppid", 1, 0);
	assert_goes_on("sigaltstack", 1, EPERM);
	assert_goes_on("sigaction", 1, EPERM);
	assert_goes_on("poll", 1, EINTR);
	assert_goes_on("recvmsg", 1, EINTR);
	assert_goes_on("recvmsg", 1, EAGAIN);
}

/* One that asks as the call fails is refused so, and the next one is answered. */
static void assert_refuses_one(const char *name, bool is_background, enum status status,
                               const char *sentence)
{
	struct analyser analyser;
	struct answer answer;
	int said;
	bool is_refused = false;
	start(&analyser, &said);
	assert_true(is_ready(&analyser));
	/* it may fail for a child that is made ahead of need: nobody notices, and it is tried again
	 */
	for (int i = 0; i < ATTEMPTS && !is_refused; i++) {
		set_failing(name, 1, EAGAIN);
		answer = ask(&analyser, is_background);
		set_failing("", 0, 0);
		is_refused = answer.outcome != OUTCOME_ANSWERED || answer.status != STATUS_OK;
		if (is_refused && (answer.outcome != OUTCOME_ANSWERED || answer.status != status ||
		                   strstr(answer.error.text, sentence) == NULL))
			fail_msg("%s: outcome %d, status %d: %s", name, answer.outcome,
			         answer.status, answer.error.text);
		answer_deinit(&answer);
	}
	if (!is_refused)
		fail_msg("%s: not refused", name);
	answer = ask(&analyser, is_background);
	assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
	assert_int_equal(answer.status, STATUS_OK);
	answer_deinit(&answer);
	assert_int_equal(analyser_stop(&analyser), 0);
	close(said);
}

static void a_program_that_cannot_be_handed_on_is_refused(void **state)
{
	static const char busy[] = "too many programs at once";
	(void)state;
	assert_refuses_one("socketpair", true, STATUS_BUSY, busy);
	assert_refuses_one("fork", true, STATUS_BUSY, busy);
	assert_refuses_one("sendmsg", true, STATUS_BUSY, busy);
	assert_refuses_one("sendmsg", false, STATUS_BUSY, busy);
	assert_refuses_one("ir_encode", true, STATUS_NO_MEMORY, "no memory for its kernels");
	assert_refuses_one("frame_pack", true, STATUS_LIMIT, "too large together");
}

/* What nobody can wait for ends it; its children go with it. */
static void a_channel_that_fails_ends_it(void **state)
{
	static const char *const names[] = {"poll", "recvmsg"};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct analyser analyser;
		char text[256] = "";
		int said, status;
		start(&analyser, &said);
		assert_true(is_ready(&analyser));
		pid_t ended = 0;
		for (int j = 0; j < ATTEMPTS && ended == 0; j++) { /* its children call it, too */
			set_failing(names[i], 1, EIO);
			int asker = analyser_open(&analyser, 1000);
			usleep(10000);
			if (asker >= 0)
				close(asker);
			ended = waitpid(analyser.pid, &status, WNOHANG);
		}
		assert_int_equal(ended, analyser.pid);
		set_failing("", 0, 0);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
		assert_true(read(said, text, sizeof text - 1) > 0);
		assert_non_null(strstr(text, "channel: Input/output error"));
		close(analyser.channel);
		close(said);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(an_analyser_that_cannot_start_says_why),
	        cmocka_unit_test(an_analyser_whose_daemon_is_killed_ends_without_a_word),
	        cmocka_unit_test(what_children_lack_is_made_up_for_by_others),
	        cmocka_unit_test(a_program_that_cannot_be_handed_on_is_refused),
	        cmocka_unit_test(a_channel_that_fails_ends_it),
	};
	tester = getpid();
	(void)signal(SIGPIPE, SIG_IGN);
	failing = mmap(NULL, sizeof *failing, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
	               -1, 0);
	if (failing == MAP_FAILED)
		return 1;
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("analyser failures", tests, NULL, NULL);
}
