/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection to the daemon: one socket, one mutex, requests by id.
 *
 * A call holds the mutex from its first byte to its last reply. A connection
 * that broke is opened again by the next call, and by the same call when no
 * reply to it had come; `serial` then changes, and with it every program's handle.
 */
#ifndef PREDICTD_CLIENT_CONNECTION_H
#define PREDICTD_CLIENT_CONNECTION_H

#include <pthread.h>

#include "client/error.h"
#include "proto/frame.h"
#include "proto/predictd.pb-c.h"

enum { CONNECTION_BATCH_MAX = 1024, CONNECTION_WINDOW = 4 /* frames in flight */ };

struct predictd_connection {
	pthread_mutex_t mutex;
	char path[108];
	int fd; /* -1: to be opened by the next call */
	double timeout_s;
	uint64_t next_id;
	uint64_t serial; /* grows with every socket opened */
	size_t frame_max;
	struct frame_reader reader;
};

/*
 * A call in parts. The functions below want the mutex held, and a call begins with
 * connection_begin(), which opens the socket when there is none.
 */
predictd_status connection_begin(predictd_connection *connection);

/*
 * Sends `count` requests, at most CONNECTION_WINDOW ahead of their replies, and waits
 * for all. make(i) gives request i (its id is set here), drop(i) ends its life.
 * responses[i] is the caller's, to free_unpacked, also on failure (may be NULL then).
 * A reply that is an error is a success here: see response_status().
 * PREDICTD_UNAVAILABLE: the connection broke; *can_retry when no reply had come.
 */
struct exchange {
	void *context;
	Predictd__Request *(*make)(void *context, size_t index);
	void (*drop)(void *context, size_t index, Predictd__Request *request);
};
predictd_status connection_exchange(predictd_connection *connection,
                                    const struct exchange *exchange, size_t count,
                                    Predictd__Response **responses, bool *can_retry);

/* One request, sent again once over a new socket when the old one proves dead. */
predictd_status connection_call(predictd_connection *connection, Predictd__Request *request,
                                Predictd__Response__BodyCase want, Predictd__Response **response);

/*
 * Streams: each reply to `request` goes to `reply` until it returns true.
 * `reply` may set *cancel once, which sends a Cancel. Without a time limit.
 */
predictd_status connection_stream(predictd_connection *connection, Predictd__Request *request,
                                  bool (*reply)(void *context, Predictd__Response *response,
                                                bool *cancel),
                                  void *context, Predictd__Response **last);

/* PREDICTD_OK when the body is the wanted one; the reply's own error, kept as text; or INTERNAL. */
predictd_status response_status(const Predictd__Response *response,
                                Predictd__Response__BodyCase want);

/* Closes the socket; the next call opens another. */
void connection_drop(predictd_connection *connection);

#endif
