/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/share/server_link.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { PAUSE_FIRST_MS = 100 };

static void go_on(struct server_link *link);
static void begin(uv_timer_t *timer);

/* ---- the socket ---------------------------------------------------------------------------- */

static void free_handle(uv_handle_t *handle)
{
	free(handle);
}

static void unwatch(struct server_link *link)
{
	if (link->poll == NULL)
		return;
	(void)uv_poll_stop(link->poll);
	uv_close((uv_handle_t *)link->poll, free_handle);
	link->poll = NULL;
	link->socket = -1;
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct server_link *link = poll->data;
	(void)events;
	if (status < 0)
		server_link_fail(link, uv_strerror(status));
	else
		go_on(link);
}

/* libpq may go on with another socket while it connects: watched is the one that it has now. */
static void watch(struct server_link *link, int events)
{
	int now = PQsocket(link->connection);
	if (now < 0) {
		server_link_fail(link, "libpq has no socket");
		return;
	}
	if (link->poll == NULL || link->socket != now) {
		unwatch(link);
		link->poll = malloc(sizeof *link->poll);
		if (link->poll == NULL || uv_poll_init(link->loop, link->poll, now) != 0) {
			free(link->poll);
			link->poll = NULL;
			server_link_fail(link, "no memory");
			return;
		}
		link->poll->data = link;
		link->socket = now;
	}
	if (uv_poll_start(link->poll, events, on_poll) != 0)
		server_link_fail(link, "its socket cannot be watched");
}

/* ---- losing it ----------------------------------------------------------------------------- */

static void drop(struct server_link *link)
{
	(void)uv_timer_stop(&link->timer);
	unwatch(link);
	PQclear(link->result);
	link->result = NULL;
	PQfinish(link->connection);
	link->connection = NULL;
}

/* Between half the pause and all of it. */
static uint64_t drawn(uint32_t pause_ms)
{
	uint32_t number = 0;
	(void)getrandom(&number, sizeof number, GRND_NONBLOCK);
	return pause_ms / 2 + number % (pause_ms / 2 + 1);
}

/* One line, without the line's end that libpq's sentences have. */
static void copy_line(char *line, size_t room, const char *text)
{
	(void)snprintf(line, room, "%s", text);
	for (char *c = line; *c != '\0'; c++)
		if (*c == '\n' || *c == '\r' || *c == '\t')
			*c = c[1] == '\0' ? '\0' : ' ';
}

void server_link_fail(struct server_link *link, const char *why)
{
	char text[SERVER_TEXT_MAX];
	server_done *done = link->done;
	if (link->state == SERVER_OFF)
		return;
	copy_line(text, sizeof text, why);
	drop(link);
	link->state = SERVER_PAUSED;
	link->pause_ms = link->pause_ms == 0 ? PAUSE_FIRST_MS : link->pause_ms * 2;
	if (link->pause_ms > link->retry_ms)
		link->pause_ms = link->retry_ms;
	(void)uv_timer_start(&link->timer, begin, drawn(link->pause_ms), 0);
	link->done = NULL;
	if (done != NULL)
		done(link->done_context, NULL, text);
	link->on_down(link->context, text);
}

static void on_deadline(uv_timer_t *timer)
{
	server_link_fail(timer->data, "no answer in time");
}

/* ---- making it ----------------------------------------------------------------------------- */

static void connecting(struct server_link *link)
{
	switch (PQconnectPoll(link->connection)) {
	case PGRES_POLLING_READING:
		watch(link, UV_READABLE);
		break;
	case PGRES_POLLING_WRITING:
		watch(link, UV_WRITABLE);
		break;
	case PGRES_POLLING_OK:
		(void)uv_timer_stop(&link->timer);
		if (PQsetnonblocking(link->connection, 1) != 0) {
			server_link_fail(link, PQerrorMessage(link->connection));
			break;
		}
		link->state = SERVER_UP;
		watch(link, UV_READABLE);
		if (link->state == SERVER_UP)
			link->on_up(link->context);
		break;
	default:
		server_link_fail(link, PQerrorMessage(link->connection));
	}
}

static void ignore_notice(void *context, const PGresult *result)
{
	(void)context;
	(void)result;
}

static void begin(uv_timer_t *timer)
{
	struct server_link *link = timer->data;
	link->state = SERVER_CONNECTING;
	(void)uv_timer_start(&link->timer, on_deadline, link->deadline_ms, 0);
	/* names are resolved here, and nobody but this process waits for that */
	const char *const names[] = {"dbname", "fallback_application_name", "keepalives_idle",
	                             NULL};
	const char *const values[] = {link->server, "predictd-share", "30", NULL};
	link->connection = PQconnectStartParams(names, values, 1);
	if (link->connection == NULL) {
		server_link_fail(link, "no memory");
		return;
	}
	if (PQstatus(link->connection) == CONNECTION_BAD) {
		server_link_fail(link, PQerrorMessage(link->connection));
		return;
	}
	(void)PQsetNoticeReceiver(link->connection, ignore_notice, NULL);
	watch(link, UV_WRITABLE);
}

void server_link_init(struct server_link *link, uv_loop_t *loop)
{
	*link = (struct server_link){.loop = loop, .socket = -1};
	(void)uv_timer_init(loop, &link->timer);
	link->timer.data = link;
}

void server_link_start(struct server_link *link)
{
	assert(link->state == SERVER_OFF);
	link->state = SERVER_PAUSED;
	(void)uv_timer_start(&link->timer, begin, 0, 0);
}

void server_link_stop(struct server_link *link)
{
	drop(link);
	link->state = SERVER_OFF;
	link->done = NULL;
	if (!uv_is_closing((uv_handle_t *)&link->timer))
		uv_close((uv_handle_t *)&link->timer, NULL);
}

/* ---- asking -------------------------------------------------------------------------------- */

bool server_link_is_free(const struct server_link *link)
{
	return link->state == SERVER_UP && link->done == NULL;
}

/* What could not be sent yet is sent as the socket takes it. */
static void flush(struct server_link *link)
{
	int left = PQflush(link->connection);
	if (left < 0)
		server_link_fail(link, PQerrorMessage(link->connection));
	else
		watch(link, left > 0 ? UV_READABLE | UV_WRITABLE : UV_READABLE);
}

void server_link_ask(struct server_link *link, const char *sql, int count,
                     const char *const *values, server_done *done, void *context)
{
	assert(server_link_is_free(link));
	link->done = done;
	link->done_context = context;
	(void)uv_timer_start(&link->timer, on_deadline, link->deadline_ms, 0);
	if (PQsendQueryParams(link->connection, sql, count, NULL, values, NULL, NULL, 0) != 1)
		server_link_fail(link, PQerrorMessage(link->connection));
	else
		flush(link);
}

static void finish(struct server_link *link)
{
	char why[SERVER_TEXT_MAX] = "";
	PGresult *result = link->result;
	server_done *done = link->done;
	ExecStatusType status = PQresultStatus(result);
	(void)uv_timer_stop(&link->timer);
	link->result = NULL;
	link->done = NULL;
	link->pause_ms = 0; /* it works */
	if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
		copy_line(why, sizeof why, PQresultErrorMessage(result));
	if (done != NULL)
		done(link->done_context, why[0] == '\0' ? result : NULL, why);
	PQclear(result);
}

static void go_on(struct server_link *link)
{
	PGresult *result;
	if (link->state == SERVER_CONNECTING) {
		connecting(link);
		return;
	}
	if (PQconsumeInput(link->connection) != 1) {
		server_link_fail(link, PQerrorMessage(link->connection));
		return;
	}
	if (link->done == NULL)
		return;
	while (!PQisBusy(link->connection)) {
		result = PQgetResult(link->connection);
		if (result == NULL) {
			if (link->result == NULL)
				server_link_fail(link, PQerrorMessage(link->connection));
			else
				finish(link);
			return;
		}
		if (link->result == NULL)
			link->result = result;
		else
			PQclear(result);
	}
	flush(link);
}
