/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The zygote.
 *
 * Some children stand ready: forked, their pages copied by a parse of a
 * sample, waiting for a job. Fork and copying (three quarters of what a small
 * kernel would take otherwise) so happen while nobody waits: not as soon as a
 * child gets a job, when they would compete with it for a processor, but after the job:
 * at once when no other stands ready, else a little later. For a job in the background
 * a child is forked there and then: it takes none that others may need, and all of its work is
 * done at a low priority.
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
#include "daemon/scheduling.h"

struct child {
	pid_t pid;       /* 0: this entry is free */
	int64_t kill_ms; /* when it is killed; INT64_MAX: never, or done already */
};

/* A child that waits for its job. */
struct ready {
	pid_t pid;
	int channel; /* to it */
};

struct zygote {
	int channel, signals, quiet;
	struct child at_work[ZYGOTE_CHILDREN_MAX];
	struct ready ready[ZYGOTE_READY]; /* the oldest first */
	unsigned ready_count;
	int64_t refill_ms; /* when to fork one more; INT64_MAX: when a job asks for it */
};

static int64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* In a new child: keeps its channel alone. */
static _Noreturn void child_begin(const struct zygote *zygote, int channel, pid_t parent)
{
	close(zygote->channel);
	close(zygote->signals);
	for (unsigned i = 0; i < zygote->ready_count; i++)
		close(zygote->ready[i].channel);
	if (zygote->quiet >= 0) {
		(void)dup2(zygote->quiet, STDERR_FILENO);
		close(zygote->quiet);
	}
	worker_run(channel, parent);
}

/* Forks one more child that waits for a job, unless there are enough or the kernel refuses. */
static void ready_fork(struct zygote *zygote)
{
	int ends[2];
	if (zygote->ready_count == ZYGOTE_READY ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return;
	pid_t parent = getpid();
	pid_t pid = fork();
	if (pid == 0) {
		close(ends[0]);
		child_begin(zygote, ends[1], parent);
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return;
	}
	zygote->ready[zygote->ready_count++] = (struct ready){.pid = pid, .channel = ends[0]};
}

static void ready_remove(struct zygote *zygote, unsigned index)
{
	close(zygote->ready[index].channel);
	zygote->ready_count--;
	for (unsigned i = index; i < zygote->ready_count; i++)
		zygote->ready[i] = zygote->ready[i + 1];
}

static struct child *child_find(struct zygote *zygote, pid_t pid)
{
	for (unsigned i = 0; i < ZYGOTE_CHILDREN_MAX; i++)
		if (zygote->at_work[i].pid == pid)
			return &zygote->at_work[i];
	return NULL;
}

/* Forks a child for one job in the background; its process, or -1. */
static pid_t background_fork(const struct zygote *zygote, const struct worker_job *job)
{
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return -1;
	pid_t parent = getpid(), pid = -1;
	if (worker_send(ends[0], job)) /* before the fork: the child need not wait for it */
		pid = fork();
	if (pid == 0) {
		close(ends[0]);
		close(job->socket);
		scheduling_background(WORKER_NICE);
		child_begin(zygote, ends[1], parent);
	}
	close(ends[0]);
	close(ends[1]);
	return pid;
}

/* Gives the job to a child that stands ready; its process, or -1. */
static pid_t ready_use(struct zygote *zygote, const struct worker_job *job)
{
	if (zygote->ready_count == 0)
		ready_fork(zygote); /* those that stood ready have died */
	if (zygote->ready_count == 0 || !worker_send(zygote->ready[0].channel, job))
		return -1;
	pid_t pid = zygote->ready[0].pid;
	ready_remove(zygote, 0); /* it is at work now */
	zygote->refill_ms = now_ms() + ZYGOTE_PAUSE_LONG_MS;
	return pid;
}

static void job_start(struct zygote *zygote, const struct worker_job *job)
{
	struct child *child = child_find(zygote, 0);
	pid_t pid = child == NULL        ? -1
	            : job->is_background ? background_fork(zygote, job)
	                                 : ready_use(zygote, job);
	if (pid < 0)
		worker_refuse(job->socket);
	else
		*child = (struct child){.pid = pid,
		                        .kill_ms = now_ms() + job->deadline_ms + ZYGOTE_GRACE_MS};
	close(job->socket);
}

/* Forks a child ahead of need; the one after it a little later. */
static void ready_refill(struct zygote *zygote)
{
	unsigned before = zygote->ready_count;
	ready_fork(zygote);
	bool is_next = zygote->ready_count > before && zygote->ready_count < ZYGOTE_READY;
	zygote->refill_ms = is_next ? now_ms() + ZYGOTE_PAUSE_MS : INT64_MAX;
}

static void children_reap(struct zygote *zygote)
{
	struct signalfd_siginfo info;
	ssize_t got = read(zygote->signals, &info, sizeof info);
	(void)got; /* several deaths may share one signal: ask for all */
	pid_t pid;
	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
		struct child *child = child_find(zygote, pid);
		if (child != NULL) {
			*child = (struct child){.pid = 0};
			if (zygote->refill_ms != INT64_MAX)
				zygote->refill_ms =
				        now_ms() + (zygote->ready_count > 0 ? ZYGOTE_PAUSE_MS : 0);
		}
		for (unsigned i = 0; i < zygote->ready_count; i++)
			if (zygote->ready[i].pid == pid)
				ready_remove(zygote,
				             i); /* the next job forks anew: forks cannot spin */
	}
}

/* Kills those whose time is up, and forks ahead. How long to wait for more of it in ms, or -1. */
static int children_check(struct zygote *zygote)
{
	if (zygote->refill_ms <= now_ms())
		ready_refill(zygote);
	int64_t now = now_ms(), next = zygote->refill_ms;
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
	return next == INT64_MAX ? -1 : next <= now ? 0 : (int)(next - now);
}

int zygote_run(int channel, int signals, int quiet)
{
	struct zygote zygote = {
	        .channel = channel, .signals = signals, .quiet = quiet, .refill_ms = INT64_MAX};
	for (unsigned i = 0; i < ZYGOTE_READY; i++)
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
		struct worker_job job;
		int got = worker_receive(channel, &job);
		if (got == 0)
			return 0; /* children die with their parent */
		if (got > 0)
			job_start(&zygote, &job);
		else if (errno == ECONNRESET)
			return 0; /* the daemon died before it read what it was sent */
		else if (errno != EBADMSG && errno != EAGAIN)
			return errno;
	}
}
