/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accepting connections: some at a time, so that those who are connected have turns between
 * them. While heavy users connect (daemon/serve/users.h), not even that wakes up the loop: who
 * connects is looked for when they may have a turn.
 */
#ifndef PREDICTD_DAEMON_SERVE_ACCEPTING_H
#define PREDICTD_DAEMON_SERVE_ACCEPTING_H

#include "model/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

enum { ACCEPTING_SOCKETS_MAX = 4 };

struct daemon;
struct session;

struct accepting {
	struct daemon *daemon;
	int fds[ACCEPTING_SOCKETS_MAX], spare; /* -1: none */
	unsigned count;
	uv_poll_t polls[ACCEPTING_SOCKETS_MAX];
	uv_timer_t timer;     /* until there may be memory again, or a descriptor */
	uint64_t heavy_ns;    /* when a heavy user connected */
	bool is_quiet;        /* connections do not wake up the loop */
	uint64_t left_ns;     /* of the turn in which they are looked for */
	struct session *next; /* for the one who comes next, or NULL */
};

/* Listens on sockets, which are its own from here on. */
enum status accepting_start(struct accepting *accepting, struct daemon *daemon, const int *fds,
                            unsigned count, struct error *error);
void accepting_stop(struct accepting *accepting);

/*
 * While connections are looked for in turns of heavy users: such a turn begins; and in it some of
 * those who are there are taken, between which the loop answers others. True: more in this turn.
 */
bool accepting_is_in_turns(const struct accepting *accepting);
void accepting_begin_turn(struct accepting *accepting);
bool accepting_look(struct accepting *accepting);

#endif
