/* SPDX-License-Identifier: Apache-2.0 */
/* The sockets that the daemon listens on: given by systemd, or made here. */
#ifndef PREDICTD_DAEMON_SERVE_LISTENER_H
#define PREDICTD_DAEMON_SERVE_LISTENER_H

#include "daemon/config.h"

/*
 * Descriptors of sockets to listen on, close-on-exec: those that were passed
 * (sd_listen_fds), or one made at `path`, whose directory is made too, with
 * the configuration's mode and group.
 *
 * fds       out: `*count` of at most `room`, the caller's
 * *lock     out: of a socket that was made here, the lock that keeps other daemons from
 *           its path, held until it is closed; the file at `path` is the caller's to
 *           remove before that. -1: sockets were passed
 * *metrics  out: a socket that was passed by the name "metrics", for others to ask there; or -1
 *
 * STATUS_BUSY: another daemon has `path`. STATUS_IO, STATUS_INVALID: say what is wrong.
 */
enum status listener_open(const char *path, const struct config *config, int *fds, unsigned room,
                          unsigned *count, int *lock, int *metrics, struct error *error);

#endif
