/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that wait: answered later than in their turn, by whatever they wait
 * for. A client may leave or cancel meanwhile.
 */
#ifndef PREDICTD_DAEMON_SERVE_REQUEST_H
#define PREDICTD_DAEMON_SERVE_REQUEST_H

#include "model/status.h"
#include "proto/predictd.pb-c.h"

#include <stdbool.h>
#include <stdint.h>

struct session;
struct work;
struct request;

/* Embedded in what answers it, which ends it once. */
struct request {
	struct session *session; /* NULL: the client left, or has its last answer */
	uint64_t id;
	/*
	 * Not left: it is cancelled, and still to be answered. Left: it is the session's no more.
	 * NULL: it cannot be cancelled, and is told nothing.
	 */
	void (*on_abandoned)(struct request *request, bool has_left);
	bool (*step)(struct session *session, struct work *work); /* NULL: it still waits */
	struct request *next, *prev;                              /* of the session */
	unsigned kind;                                            /* as of struct work */
	uint64_t begun_ns;
};

/* STATUS_BUSY: the connection has too many. */
enum status request_begin(struct request *request, struct session *session, uint64_t id,
                          void (*on_abandoned)(struct request *, bool has_left),
                          struct error *error);

/*
 * What it waited for is there: the session answers it in its user's turn, by steps as those of
 * its other work (daemon/serve/session.h), of which work->data is the request at first. The last
 * step takes the request. It cannot be cancelled any more.
 *
 * on_left   frees what embeds it, when the client leaves before, or has left already
 *
 * Whatever many wait for at once is answered so: one user's answers, all made when it comes,
 * would keep the loop from everybody else's.
 */
void request_ready(struct request *request, bool (*step)(struct session *, struct work *),
                   void (*on_left)(struct request *, bool has_left));

/* Sends an answer before the last one; does nothing when the client left. */
void request_progress(struct request *request, Predictd__Response *response);

/*
 * The last answer. The request is the session's no more when it is sent, so that a
 * session which closes over it does not abandon it.
 */
void request_finish(struct request *request, Predictd__Response *response);
void request_finish_error(struct request *request, const struct error *error);

/* It is the session's no more, which is returned; NULL: the client has left. */
struct session *request_take(struct request *request);

/* A request of that kind, begun then, is answered; 0: it is timed elsewhere. */
void request_time(const struct session *session, unsigned kind, uint64_t begun_ns);

struct request *request_find(const struct session *session, uint64_t id);

/* Those of a session whose client has left. */
void requests_abandon(struct session *session);

#endif
