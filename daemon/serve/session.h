/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A connection: frames in, answers out. Requests are answered in any order; one that takes
 * long on the loop (a batch) is answered in steps. Users take turns (daemon/serve/users.h), and
 * the sessions of one user in his.
 */
#ifndef PREDICTD_DAEMON_SERVE_SESSION_H
#define PREDICTD_DAEMON_SERVE_SESSION_H

#include "daemon/codec/arena.h"
#include "daemon/serve/evaluations.h"
#include "daemon/serve/request.h"
#include "daemon/serve/users.h"
#include "model/status.h"
#include "proto/frame.h"
#include "proto/predictd.pb-c.h"

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <uv.h>

struct daemon;

/*
 * A request answered in its turn. `step` is called until it returns true, a
 * slice of time at a turn; `message` lies in the session's arena until then.
 */
struct work {
	const Predictd__Request *message;
	bool (*step)(struct session *session, struct work *work);
	/* what the request says behind its id, as it came; NULL: not in that order */
	const uint8_t *question;
	size_t question_bytes;
	size_t position;         /* of the step; starts at 0 */
	void *data;              /* of the step, in the arena; starts as NULL */
	struct request *request; /* that is being answered, until its last step; or NULL */
};

/* What answers requests: the daemon is given it (daemon/services/service.h). */
struct services {
	/* False when it has to wait until the store was read, or devices are known: turns_wake. */
	bool (*may_start)(const struct daemon *daemon, const Predictd__Request *message);
	/* Begins a request that has been unpacked; answers it in case of an error. */
	void (*start)(struct session *session, struct work *work);
};

struct session_output {
	uint8_t *bytes;
	size_t used, room;
};

struct session {
	struct daemon *daemon;
	uv_pipe_t pipe;
	uv_timer_t timer; /* of the handshake, or of a frame begun */
	uv_write_t write;
	struct frame_reader reader;
	struct arena arena;
	struct session_output output;  /* packed, not given to the loop */
	struct session_output writing; /* given to the loop */
	size_t writing_bytes;          /* of it, not sent yet */
	struct work work;              /* message NULL: none */
	struct request *requests;      /* that wait */
	struct request *ready;         /* that are to be answered, in order */
	size_t request_count;          /* of both */
	uid_t user;
	gid_t group;
	pid_t pid;
	struct user *quota;            /* NULL: it closes */
	struct evaluation *evaluation; /* that the work waits for, or NULL */
	struct user_share held;        /* buffers, arena, answers, requests */
	unsigned open_handles;
	bool has_greeted, has_epochs, is_timing, is_reading, is_closing, is_ending;
	bool is_waiting;                 /* for its user's turn (daemon/serve/turns.h) */
	uint64_t turn;                   /* of the loop, the last it had */
	struct session *next, *previous; /* of the daemon */
	struct session *waiting_next, *waiting_previous; /* of the user's that wait for his turn */
};

/* One without a connection, free()d as long as it has none; NULL: no memory. */
struct session *session_new(struct daemon *daemon);

/* Takes a connection of that user's, and the session is the loop's. */
void session_open(struct session *session, int fd, struct user *user, const struct ucred *peer);

/* Packs an answer (its id is set here); sent at the end of the turn, or by session_flush. */
void session_reply(struct session *session, uint64_t id, Predictd__Response *response);
void session_reply_error(struct session *session, uint64_t id, const struct error *error);
/* A refusal is counted, and logged: session_reply_error does that by itself. */
void session_count_refusal(struct session *session, const struct error *error);
/* Answers with a body that is packed already. */
void session_reply_packed(struct session *session, uint64_t id, const uint8_t *body, size_t size);
void session_flush(struct session *session);

/* Reads no more; the session closes when everything is answered and sent. */
void session_end(struct session *session);
void session_close_when_done(struct session *session);

/* True for root, the daemon's own user, and members of the admin group. */
bool session_is_admin(const struct session *session);
/* True for root, the daemon's own user, and the one that shares with other nodes. */
bool session_may_share(const struct session *session);

/* Goes on, while its user's turn lasts: reads, answers, or waits for another. */
void session_process(struct session *session);

/* No more is read; each session closes when it has been answered. */
void sessions_end(struct daemon *daemon);
void sessions_close(struct daemon *daemon); /* now, whatever is unanswered */

/* Frees what sessions shared. */
void sessions_deinit(struct daemon *daemon);

#endif
