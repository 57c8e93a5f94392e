/* SPDX-License-Identifier: Apache-2.0 */
/* A program with the OpenCL layer: its environment, its signals and its end. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client/predictctl/run.h"

static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { FORWARDED = sizeof forwarded / sizeof *forwarded };

static volatile sig_atomic_t child_pid;

/* A terminal has sent its signal to the program as well. */
static void forward(int signal_number, siginfo_t *about, void *context)
{
	(void)context;
	int error = errno;
	if (about->si_code <= 0 && child_pid > 0)
		(void)kill((pid_t)child_pid, signal_number);
	errno = error;
}

/* The layer comes first: the loader's children inherit the first entry alone (ocl-icd 2.3.1). */
static bool environment_set(const struct run *run)
{
	const char *before = getenv("OPENCL_LAYERS");
	char *layers = NULL;
	bool is_set = true;
	if (run->socket != NULL)
		is_set = setenv("PREDICTD_SOCKET", run->socket, 1) == 0;
	if (run->layer == NULL)
		return is_set;
	bool has_more = before != NULL && before[0] != '\0';
	if (asprintf(&layers, "%s%s%s", run->layer, has_more ? ":" : "", has_more ? before : "") <
	    0)
		return false;
	is_set = is_set && setenv("OPENCL_LAYERS", layers, 1) == 0 &&
	         setenv("PREDICTD_LAYER_FOLDER", run->folder, 1) == 0 &&
	         setenv("PREDICTD_LAYER_OBSERVE", run->observes ? "1" : "0", 1) == 0;
	if (run->wants_spans)
		is_set = is_set && setenv("PREDICTD_LAYER_SPANS", "1", 1) == 0;
	free(layers);
	return is_set;
}

/* In the child; errno goes to the parent, if there is any. */
static _Noreturn void execute(const struct run *run, const sigset_t *mask, int errors)
{
	int error = ENOMEM;
	(void)sigprocmask(SIG_SETMASK, mask, NULL);
	if (environment_set(run)) {
		(void)execvp(run->program[0], run->program);
		error = errno;
	}
	(void)!write(errors, &error, sizeof error);
	_exit(error == ENOENT || error == ENOTDIR ? 127 : 126);
}

static double now_s(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Handlers are kept off signals that are ignored, as below nohup(1). */
static void handlers_set(struct sigaction before[FORWARDED])
{
	struct sigaction action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART};
	for (size_t i = 0; i < FORWARDED; i++) {
		(void)sigaction(forwarded[i], NULL, &before[i]);
		if ((before[i].sa_flags & SA_SIGINFO) != 0 || before[i].sa_handler != SIG_IGN)
			(void)sigaction(forwarded[i], &action, NULL);
	}
}

static void await(struct run *run, pid_t child)
{
	int status = 0;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	child_pid = 0;
	run->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	run->status = run->signal > 0 ? 128 + run->signal : WEXITSTATUS(status);
}

void run_program(struct run *run)
{
	int errors[2], error = 0;
	sigset_t wanted, mask;
	struct sigaction before[FORWARDED];
	double begin_s = now_s();
	run->status = 126;
	run->has_started = false;
	if (pipe2(errors, O_CLOEXEC) != 0) {
		(void)snprintf(run->why, sizeof run->why, "%s", strerror(errno));
		return;
	}
	(void)sigemptyset(&wanted);
	for (size_t i = 0; i < FORWARDED; i++)
		(void)sigaddset(&wanted, forwarded[i]);
	/* until the child is known, signals wait */
	(void)sigprocmask(SIG_BLOCK, &wanted, &mask);
	handlers_set(before);
	(void)fflush(NULL);
	pid_t child = fork();
	if (child == 0)
		execute(run, &mask, errors[1]);
	error = child < 0 ? errno : 0;
	child_pid = child > 0 ? (sig_atomic_t)child : 0;
	(void)close(errors[1]);
	(void)sigprocmask(SIG_SETMASK, &mask, NULL);
	if (child > 0) {
		ssize_t got;
		while ((got = read(errors[0], &error, sizeof error)) < 0 && errno == EINTR)
			continue;
		run->has_started = got == 0;
		await(run, child);
	}
	(void)close(errors[0]);
	for (size_t i = 0; i < FORWARDED; i++)
		(void)sigaction(forwarded[i], &before[i], NULL);
	if (!run->has_started)
		(void)snprintf(run->why, sizeof run->why, "%s", strerror(error));
	run->time_s = now_s() - begin_s;
}
