/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns of the loop, which users take (daemon/serve/users.h), and their sessions in them. Nothing
 * that heavy users do wakes up the loop: what they send, and what was done for them in the
 * background, is looked for when they may have a turn, by a clock.
 */
#ifndef PREDICTD_DAEMON_SERVE_TURNS_H
#define PREDICTD_DAEMON_SERVE_TURNS_H

#include "model/status.h"

struct daemon;
struct session;

/* The clock of heavy users' turns; before any session. */
enum status turns_open(struct daemon *daemon, struct error *error);
void turns_stop(struct daemon *daemon);   /* its handles close */
void turns_deinit(struct daemon *daemon); /* when they are closed */

/* The session goes on in a turn of its user's: it has more to do, or looks whether it has. */
void turns_wait(struct session *session);
void turns_look(struct session *session);
void turns_leave(struct session *session);

/* Something is being done in the background: looked for in the next turns. */
void turns_expect(struct daemon *daemon);

/* Lets every session with a request at hand go on (devices are known now). */
void turns_wake(struct daemon *daemon);

#endif
