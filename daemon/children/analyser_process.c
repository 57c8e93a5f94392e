/* SPDX-License-Identifier: Apache-2.0 */
/* The analyser's process. */
#include "daemon/children/analyser_process.h"

#include "daemon/libexec.h"
#include "daemon/log.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	ANALYSER_START_MS = 30000, /* loading and warming up, on a loaded machine */
	ANALYSER_RETRY_MS = 100,   /* doubled with each failure */
	ANALYSER_RETRY_MAX_MS = 30000,
	ANALYSER_STEADY_MS = 10000, /* ready for so long: earlier failures are forgotten */
	ANALYSER_CHANNEL = 3
};

static void retry_later(struct analyser_process *analyser);

static void fail(struct analyser_process *analyser, const char *why)
{
	snprintf(analyser->problem, sizeof analyser->problem, "no source can be analysed: %s", why);
	log_write(LOG_ANALYSER_FAILED, LOG_TEXT_FIELD("why", why),
	          LOG_NUMBER_FIELD("failures", analyser->failures + 1));
}

static void on_closed(uv_handle_t *handle)
{
	struct analyser_process *analyser = handle->data;
	if (--analyser->open_handles == 0 && !analyser->is_stopping)
		retry_later(analyser);
}

static void kill_process(struct analyser_process *analyser)
{
	if (analyser->is_spawned)
		(void)uv_process_kill(&analyser->process, SIGKILL);
}

static void close_socket(struct analyser_process *analyser)
{
	uv_close((uv_handle_t *)&analyser->poll, on_closed);
	close(analyser->control);
	analyser->control = -1;
}

static void on_ended(uv_process_t *process, int64_t code, int signal)
{
	struct analyser_process *analyser = process->data;
	bool was_ready = analyser->is_ready;
	char why[128];
	analyser->is_spawned = false;
	analyser->is_ready = false;
	uv_timer_stop(&analyser->timer);
	if (was_ready && uv_now(analyser->loop) - analyser->ready_ms >= ANALYSER_STEADY_MS)
		analyser->failures = 0;
	if (!analyser->is_stopping) {
		if (signal != 0)
			snprintf(why, sizeof why, "the analyser was ended by signal %d", signal);
		else
			snprintf(why, sizeof why, "the analyser ended with status %d", (int)code);
		fail(analyser, why);
		analyser->failures++;
	}
	uv_close((uv_handle_t *)&analyser->process, on_closed);
	close_socket(analyser);
	if (!analyser->is_stopping)
		analyser->on_event(analyser->data,
		                   was_ready ? ANALYSER_ENDED : ANALYSER_NOT_STARTED);
}

/* Reads "ready" or "ready: LACK"; false for anything else. */
static bool read_ready(struct analyser_process *analyser, const char *text)
{
	static const char ready[] = "ready", lacking[] = "ready: ";
	char lack[sizeof analyser->lack] = "";
	if (strncmp(text, lacking, strlen(lacking)) == 0)
		snprintf(lack, sizeof lack, "seccomp alone keeps sources from files: %s",
		         text + strlen(lacking));
	else if (strcmp(text, ready) != 0)
		return false;
	if (lack[0] != '\0' && strcmp(lack, analyser->lack) != 0)
		log_write(LOG_JAIL_LACKS, LOG_TEXT_FIELD("why", lack));
	memcpy(analyser->lack, lack, sizeof lack);
	return true;
}

static void on_readable(uv_poll_t *poll, int failure, int events)
{
	struct analyser_process *analyser = poll->data;
	char text[200];
	(void)events;
	ssize_t got =
	        failure != 0 ? -1 : recv(analyser->control, text, sizeof text - 1, MSG_DONTWAIT);
	text[got > 0 ? got : 0] = '\0';
	if (got < 0 && failure == 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (!analyser->is_ready && read_ready(analyser, text)) {
		uv_timer_stop(&analyser->timer);
		analyser->is_ready = true;
		analyser->ready_ms = uv_now(analyser->loop);
		analyser->problem[0] = '\0';
		log_write(LOG_ANALYSER_READY, LOG_NUMBER_FIELD("pid", analyser->process.pid));
		analyser->on_event(analyser->data, ANALYSER_READY);
		return;
	}
	/* its end, or nothing that an analyser says: on_ended tells the rest */
	(void)uv_poll_stop(poll);
	kill_process(analyser);
}

static void on_start_timeout(uv_timer_t *timer)
{
	kill_process(timer->data);
}

static void on_retry(uv_timer_t *timer)
{
	analyser_process_start(timer->data);
}

static void retry_later(struct analyser_process *analyser)
{
	unsigned doublings = analyser->failures > 0 ? analyser->failures - 1 : 0;
	uint64_t wait_ms =
	        doublings > 10 ? ANALYSER_RETRY_MAX_MS : (uint64_t)ANALYSER_RETRY_MS << doublings;
	if (wait_ms > ANALYSER_RETRY_MAX_MS)
		wait_ms = ANALYSER_RETRY_MAX_MS;
	(void)uv_timer_start(&analyser->timer, on_retry, wait_ms, 0);
}

void analyser_process_init(struct analyser_process *analyser, uv_loop_t *loop, const char *libexec,
                           void (*on_event)(void *data, enum analyser_event event), void *data)
{
	*analyser = (struct analyser_process){
	        .loop = loop,
	        .libexec = libexec,
	        .on_event = on_event,
	        .data = data,
	        .control = -1,
	};
	(void)uv_timer_init(loop, &analyser->timer);
	analyser->timer.data = analyser;
}

/* Nothing was spawned: no end to wait for. */
static void not_started(struct analyser_process *analyser, const char *why)
{
	fail(analyser, why);
	analyser->failures++;
	analyser->on_event(analyser->data, ANALYSER_NOT_STARTED);
	if (analyser->open_handles == 0)
		retry_later(analyser);
}

void analyser_process_start(struct analyser_process *analyser)
{
	char path[PATH_MAX];
	struct error error;
	char why[128];
	int ends[2];
	if (libexec_find(analyser->libexec, "predictd-analyser", path, sizeof path, &error) !=
	    STATUS_OK) {
		not_started(analyser, error.text);
		return;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
		not_started(analyser, strerror(errno));
		return;
	}
	uv_stdio_container_t stdio[] = {
	        {.flags = UV_IGNORE},
	        {.flags = UV_IGNORE},
	        {.flags = UV_INHERIT_FD, .data.fd = STDERR_FILENO},
	        [ANALYSER_CHANNEL] = {.flags = UV_INHERIT_FD, .data.fd = ends[1]},
	};
	char *arguments[] = {path, NULL};
	char *environment[] = {"LIBCLANG_NOTHREADS=1", "LIBCLANG_DISABLE_CRASH_RECOVERY=1", NULL};
	uv_process_options_t options = {
	        .exit_cb = on_ended,
	        .file = path,
	        .args = arguments,
	        .env = environment,
	        .stdio = stdio,
	        .stdio_count = sizeof stdio / sizeof stdio[0],
	        /* a Ctrl-C for the daemon's terminal is the daemon's to handle */
	        .flags = UV_PROCESS_DETACHED,
	};
	int failure = uv_poll_init(analyser->loop, &analyser->poll, ends[0]);
	if (failure != 0) {
		close(ends[0]);
		close(ends[1]);
		snprintf(why, sizeof why, "its socket: %s", uv_strerror(failure));
		not_started(analyser, why);
		return;
	}
	analyser->poll.data = analyser;
	analyser->control = ends[0];
	failure = uv_spawn(analyser->loop, &analyser->process, &options);
	analyser->process.data = analyser;
	analyser->open_handles = 2;
	close(ends[1]);
	if (failure != 0) {
		/* a handle that was never active still has to be closed */
		uv_close((uv_handle_t *)&analyser->process, on_closed);
		close_socket(analyser);
		not_started(analyser, uv_strerror(failure));
		return;
	}
	analyser->is_spawned = true;
	(void)uv_poll_start(&analyser->poll, UV_READABLE, on_readable);
	(void)uv_timer_start(&analyser->timer, on_start_timeout, ANALYSER_START_MS, 0);
}

bool analyser_process_has_ended(const struct analyser_process *analyser)
{
	char byte;
	if (analyser->control < 0)
		return true;
	ssize_t got = recv(analyser->control, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT);
	/* reset, where it left jobs unread */
	return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

void analyser_process_stop(struct analyser_process *analyser)
{
	if (analyser->is_stopping)
		return;
	analyser->is_stopping = true;
	analyser->is_ready = false;
	kill_process(analyser); /* on_ended closes its handles */
	uv_close((uv_handle_t *)&analyser->timer, NULL);
}
