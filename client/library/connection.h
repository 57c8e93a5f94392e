/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection to the daemon: the link of the moment, opened when a call needs it, and what
 * the process keeps beside it. Calls of several threads are outstanding together.
 *
 * One mutex guards all of it, and is never held while something is waited for. A child of
 * fork() finds a connection without a link (client/library/open.c), and opens its own.
 */
#ifndef PREDICTD_CLIENT_LIBRARY_CONNECTION_H
#define PREDICTD_CLIENT_LIBRARY_CONNECTION_H

#include <pthread.h>
#include <stdatomic.h>

#include "client/library/link.h"
#include "client/library/names.h"

enum {
	CONNECTION_BATCH_MAX = 1024,
	CONNECTION_WINDOW = 4, /* frames in flight */
	WAIT_SLICE_NS = 10000000
};

struct background;
struct contentions;
struct memo;
struct parts_memo;

struct predictd_connection {
	pthread_mutex_t mutex;
	char path[108];
	_Atomic int64_t timeout_ns; /* 0: none */
	struct link *link;          /* NULL: to be opened by the next call */
	uint64_t serial;            /* grows with every link */
	struct link *opening;       /* of the thread that connects, until it has said hello */
	bool is_connecting, is_lazy;
	bool sends_samples;
	atomic_bool is_closing;
	pthread_cond_t connected; /* or not: is_connecting has ended */
	/* the daemon is away: nobody tries before */
	int64_t retry_ns;
	unsigned failures;
	char failure[LINK_TEXT_MAX];

	struct names names;              /* of devices */
	struct memo *memo;               /* answers kept; NULL: none are */
	struct parts_memo *parts;        /* what parts of launches read and write */
	struct contentions *contentions; /* between devices; NULL: none are yet */
	struct background *background;   /* what is done behind the caller's back */
	struct predictd_connection *next;
};

/* One public call on its way: until when, and over which link. */
struct ask {
	predictd_connection *connection;
	int64_t end_ns;
	struct link *link; /* held; NULL before ask_begin */
};

/*
 * ask_begin opens a link where there is none, and an ask that is begun again has the link of
 * the moment. ask_end is owed after it, also when it failed. None wants the mutex.
 */
struct ask ask_new(predictd_connection *connection);
predictd_status ask_begin(struct ask *ask);
void ask_end(struct ask *ask);

/*
 * Sends `count` requests over the ask's link, at most CONNECTION_WINDOW ahead of their replies,
 * and waits for all. make(i) gives request i (its id is set here), drop(i) ends its life.
 * responses[i] is the caller's, to free_unpacked, also on failure (may be NULL then).
 * A reply that is an error is a success here: see response_status().
 * PREDICTD_UNAVAILABLE: the link broke; *can_retry when no reply had come. *is_open (if any) is
 * set where it failed and a whole request may have reached a daemon that still may act on it; it is
 * not to be sent again then.
 */
struct exchange {
	void *context;
	Predictd__Request *(*make)(void *context, size_t index);
	void (*drop)(void *context, size_t index, Predictd__Request *request);
	bool *is_open;
	const struct patience *patience; /* NULL: the ask's */
};

/*
 * A wait for replies beyond the ask's end, of a thread that has other things to do: `meanwhile` is
 * called every WAIT_SLICE_NS, without the mutex.
 */
struct patience {
	int64_t reply_ns;
	void (*meanwhile)(void *context);
	void *context;
};
predictd_status ask_exchange(const struct ask *ask, const struct exchange *exchange, size_t count,
                             Predictd__Response **responses, bool *can_retry);

/* One request over the ask's link. */
predictd_status ask_call(const struct ask *ask, Predictd__Request *request,
                         Predictd__Response__BodyCase want, Predictd__Response **response,
                         bool *can_retry);

/* A whole call of one request, sent again once over a new link when the old one proves dead. */
predictd_status connection_call(predictd_connection *connection, Predictd__Request *request,
                                Predictd__Response__BodyCase want, Predictd__Response **response);
/*
 * The same, but a reply that is an error is a success; the response is the caller's, if any.
 * *serial: of the link that it was answered over.
 */
predictd_status connection_exchange_over(predictd_connection *connection,
                                         Predictd__Request *request, Predictd__Response **response,
                                         uint64_t *serial);

/*
 * Streams: each reply to `request` goes to `reply` until it returns true.
 * `reply` may set *cancel once, which sends a Cancel. Without a time limit.
 */
predictd_status connection_stream(predictd_connection *connection, Predictd__Request *request,
                                  bool (*reply)(void *context, Predictd__Response *response,
                                                bool *cancel),
                                  void *context, Predictd__Response **last);

/* With the mutex held: the link is of no use any more. */
void connection_drop(predictd_connection *connection);

#endif
