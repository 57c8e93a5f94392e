/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The zygote.
 *
 * One child always stands ready: forked, its pages copied by a parse of a
 * sample, waiting for a job. Fork and copying so happen while nobody waits
 * (a fork of this address space takes longer than parsing a small kernel).
 */
#include "daemon/analyser/zygote.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/analyser/worker.h"

struct child {
	pid_t pid;       /* 0: this entry is free */
	int64_t kill_ms; /* when it is killed; INT64_MAX: never, or done already */
};

struct zygote {
	int channel, signals, quiet;
	struct child at_work[ZYGOTE_CHILDREN_MAX];
	pid_t ready_pid;   /* 0: none */
	int ready_channel; /* to it; -1: none */
};

static int64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Forks the child that takes the next job. Without one, that job is refused. */
static void ready_fork(struct zygote *zygote)
{
	int ends[2];
	if (zygote->ready_pid != 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return;
	pid_t parent = getpid();
	pid_t pid = fork();
	if (pid == 0) {
		close(zygote->channel);
		close(zygote->signals);
		close(ends[0]);
		if (zygote->quiet >= 0) {
			(void)dup2(zygote->quiet, STDERR_FILENO);
			close(zygote->quiet);
		}
		worker_run(ends[1], parent);
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return;
	}
	zygote->ready_pid = pid;
	zygote->ready_channel = ends[0];
}

static void ready_forget(struct zygote *zygote)
{
	close(zygote->ready_channel);
	zygote->ready_channel = -1;
	zygote->ready_pid = 0;
}

static struct child *child_find(struct zygote *zygote, pid_t pid)
{
	for (unsigned i = 0; i < ZYGOTE_CHILDREN_MAX; i++)
		if (zygote->at_work[i].pid == pid)
			return &zygote->at_work[i];
	return NULL;
}

static void job_start(struct zygote *zygote, uint32_t deadline_ms, int socket)
{
	struct child *child = child_find(zygote, 0);
	if (child != NULL)
		ready_fork(zygote); /* only if the one that stood ready has died */
	if (child == NULL || zygote->ready_pid == 0 ||
	    !worker_send(zygote->ready_channel, deadline_ms, socket)) {
		worker_refuse(socket);
		close(socket);
		return;
	}
	close(socket);
	*child = (struct child){.pid = zygote->ready_pid,
	                        .kill_ms = now_ms() + deadline_ms + ZYGOTE_GRACE_MS};
	ready_forget(zygote); /* it is at work now */
	ready_fork(zygote);
}

static void children_reap(struct zygote *zygote)
{
	struct signalfd_siginfo info;
	ssize_t got = read(zygote->signals, &info, sizeof info);
	(void)got; /* several deaths may share one signal: ask for all */
	pid_t pid;
	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
		struct child *child = child_find(zygote, pid);
		if (child != NULL)
			*child = (struct child){.pid = 0};
		else if (pid == zygote->ready_pid)
			ready_forget(zygote); /* forked anew when a job needs it, lest forks spin */
	}
}

/* Kills those whose time is up. Returns how long to wait for the next in ms, or -1. */
static int children_check(struct zygote *zygote)
{
	int64_t now = now_ms(), next = INT64_MAX;
	for (unsigned i = 0; i < ZYGOTE_CHILDREN_MAX; i++) {
		struct child *child = &zygote->at_work[i];
		if (child->pid == 0 || child->kill_ms == INT64_MAX)
			continue;
		if (child->kill_ms <= now) {
			(void)kill(child->pid, SIGKILL);
			child->kill_ms = INT64_MAX;
		} else if (child->kill_ms < next) {
			next = child->kill_ms;
		}
	}
	return next == INT64_MAX ? -1 : (int)(next - now);
}

int zygote_run(int channel, int signals, int quiet)
{
	struct zygote zygote = {
	        .channel = channel, .signals = signals, .quiet = quiet, .ready_channel = -1};
	ready_fork(&zygote);
	for (;;) {
		struct pollfd watched[] = {{.fd = channel, .events = POLLIN},
		                           {.fd = signals, .events = POLLIN}};
		if (poll(watched, 2, children_check(&zygote)) < 0) {
			if (errno != EINTR)
				return errno;
			continue;
		}
		if (watched[1].revents != 0)
			children_reap(&zygote);
		if (watched[0].revents == 0)
			continue;
		uint32_t deadline_ms;
		int socket;
		int got = worker_receive(channel, &deadline_ms, &socket);
		if (got == 0)
			return 0; /* children die with their parent */
		if (got > 0)
			job_start(&zygote, deadline_ms, socket);
		else if (errno != EBADMSG && errno != EAGAIN)
			return errno;
	}
}
