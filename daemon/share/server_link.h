/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection to PostgreSQL in a libuv loop, by libpq in non-blocking mode: one statement at a
 * time, each with a deadline. A link that is lost is made again by itself, after a pause that
 * doubles up to a bound and is drawn at random, so that a site's nodes do not return all at once.
 */
#ifndef PREDICTD_DAEMON_SHARE_SERVER_LINK_H
#define PREDICTD_DAEMON_SHARE_SERVER_LINK_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

enum { SERVER_TEXT_MAX = 256 };

/* The result, borrowed; NULL: the link is lost, or the statement failed, of which `why` says. */
typedef void server_done(void *context, const PGresult *result, const char *why);

struct server_link {
	uv_loop_t *loop;
	const char *server; /* the connection string; borrowed */
	uint32_t deadline_ms, retry_ms, pause_ms;
	/* the link stands; it is lost (after `done` of what was asked) */
	void (*on_up)(void *context);
	void (*on_down)(void *context, const char *why);
	void *context;
	PGconn *connection;
	uv_poll_t *poll; /* of its socket; NULL: none */
	int socket;
	uv_timer_t timer; /* deadline, or pause */
	enum { SERVER_OFF, SERVER_PAUSED, SERVER_CONNECTING, SERVER_UP } state;
	server_done *done;
	void *done_context;
	PGresult *result; /* the first of the statement's */
};

void server_link_init(struct server_link *link, uv_loop_t *loop);
/* Begins to connect. */
void server_link_start(struct server_link *link);
/* Ends for good; its handles close with the loop's next turns. */
void server_link_stop(struct server_link *link);

bool server_link_is_free(const struct server_link *link);

/*
 * Asks; only when it is free. `done` is called once, from the loop. Values as texts, copied.
 */
void server_link_ask(struct server_link *link, const char *sql, int count,
                     const char *const *values, server_done *done, void *context);

/* Gives the link up; it is made again. */
void server_link_fail(struct server_link *link, const char *why);

#endif
