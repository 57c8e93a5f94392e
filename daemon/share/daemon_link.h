/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection to the node's predictd in a libuv loop: one request at a time, each with a deadline.
 * A daemon that is away is tried again every second.
 */
#ifndef PREDICTD_DAEMON_SHARE_DAEMON_LINK_H
#define PREDICTD_DAEMON_SHARE_DAEMON_LINK_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "proto/frame.h"
#include "proto/predictd.pb-c.h"

/* The response, borrowed, of the kind that was asked for; NULL: `why` says why there is none. */
typedef void daemon_done(void *context, const Predictd__Response *response, const char *why);

struct daemon_link {
	uv_loop_t *loop;
	const char *socket; /* borrowed */
	uint32_t deadline_ms;
	void (*on_up)(void *context); /* hello was answered */
	void (*on_down)(void *context, const char *why);
	void *context;
	uv_pipe_t *pipe; /* NULL: none */
	uv_timer_t timer;
	enum { DAEMON_OFF, DAEMON_PAUSED, DAEMON_CONNECTING, DAEMON_UP } state;
	struct frame_reader reader;
	uint64_t id; /* of the request that waits */
	daemon_done *done;
	void *done_context;
	Predictd__Response__BodyCase expected;
};

void daemon_link_init(struct daemon_link *link, uv_loop_t *loop);
void daemon_link_start(struct daemon_link *link);
void daemon_link_stop(struct daemon_link *link);
bool daemon_link_is_free(const struct daemon_link *link);

/* Asks; only when it is free. Sets the request's id. */
void daemon_link_ask(struct daemon_link *link, Predictd__Request *request,
                     Predictd__Response__BodyCase expected, daemon_done *done, void *context);

#endif
