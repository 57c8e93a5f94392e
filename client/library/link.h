/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A link: one socket to the daemon, shared by threads whose calls are outstanding together.
 *
 * Requests carry ids. Of the threads that wait for replies one reads, and hands each reply to
 * the call of its id; when it has its own, another waiting thread reads on. A frame is sent whole
 * by the thread whose it is. A link that breaks fails every call on it, and is never mended: the
 * connection opens another, whose serial is higher.
 *
 * Every function wants the connection's mutex held, except where it says otherwise, and gives it
 * up while it waits. Ends are nanoseconds of CLOCK_MONOTONIC; 0: none.
 */
#ifndef PREDICTD_CLIENT_LIBRARY_LINK_H
#define PREDICTD_CLIENT_LIBRARY_LINK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "client/library/clock.h"
#include "client/library/error.h"
#include "proto/frame.h"
#include "proto/predictd.pb-c.h"

enum { LINK_BUCKETS = 64, LINK_TEXT_MAX = 512 };

struct link_reply {
	struct link_reply *next;
	Predictd__Response *response;
};

/* One request that is to be answered; the caller's, between call_begin and call_end. */
struct call {
	uint64_t id;
	pthread_cond_t condition;
	struct link_reply *first, **last; /* replies that have come */
	struct call *next;                /* of the same bucket */
	struct call *waiting_next, **waiting_link;
};

struct link {
	pthread_mutex_t *mutex; /* the connection's */
	const char *path;       /* for messages; the connection's */
	int fd;
	ino_t inode; /* of the socket: a program that closes every descriptor gives its number away
	              */
	uint64_t serial;
	_Atomic uint64_t next_id;
	size_t frame_max;
	unsigned users; /* references; the last one closes */
	bool is_broken, has_reader, has_writer, was_asked_for_epochs;
	bool was_cut; /* broken on this side: the daemon may still take what was sent before */
	predictd_status failure; /* of a broken link, and its sentence */
	char text[LINK_TEXT_MAX];
	pthread_cond_t can_write;
	struct frame_reader reader; /* of the thread that reads */
	int passed_fd;              /* that came with a reply and was not taken; or -1 */
	struct call *calls[LINK_BUCKETS];
	struct call *waiting;
};

/* A link that is not connected. The caller has the one reference. */
predictd_status link_new(pthread_mutex_t *mutex, const char *path, struct link **link);
/* Connects; without the mutex. PREDICTD_UNAVAILABLE names the path and what to do. */
predictd_status link_connect(const struct link *link, int64_t end_ns, const atomic_bool *gives_up);
/* Whether the descriptor is the link's still; needs no mutex. */
bool link_has_socket(const struct link *link);
/* Closes it where it is; needs no mutex. */
void link_close(const struct link *link);
void link_hold(struct link *link);
void link_release(struct link *link); /* accepts NULL */

/* Fails every call on the link with that status and sentence. */
predictd_status link_break(struct link *link, predictd_status status, const char *text);

void call_begin(struct link *link, struct call *call, uint64_t id);
void call_end(struct link *link, struct call *call);

/*
 * Sends a frame whole. PREDICTD_TIMEOUT: it could not be sent by then; where it had begun the link
 * is broken, for other calls with PREDICTD_UNAVAILABLE.
 */
predictd_status link_send(struct link *link, const uint8_t *bytes, size_t size, int64_t end_ns);

/* Waits for the next reply to the call; the caller's, to free_unpacked. */
predictd_status link_receive(struct link *link, struct call *call, int64_t end_ns,
                             Predictd__Response **response);

/* Packs a request behind its length, without the mutex; *bytes is the caller's, to free(). */
predictd_status link_pack(const struct link *link, const Predictd__Request *request,
                          uint8_t **bytes, size_t *size);

/* PREDICTD_OK when the body is the wanted one; the reply's own error, kept as text; or INTERNAL. */
predictd_status response_status(const Predictd__Response *response,
                                Predictd__Response__BodyCase want);

#endif
