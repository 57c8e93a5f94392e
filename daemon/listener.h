/* SPDX-License-Identifier: Apache-2.0 */
/* The sockets that the daemon listens on: given by systemd, or made here. */
#ifndef PREDICTD_DAEMON_LISTENER_H
#define PREDICTD_DAEMON_LISTENER_H

#include "daemon/config.h"

#include <stdbool.h>

/*
 * Descriptors of sockets to listen on, close-on-exec: those that were passed
 * (sd_listen_fds), or one made at `path`, whose directory is made too, with
 * the configuration's mode and group.
 *
 * fds       out: `*count` of at most `room`, the caller's
 * *is_made  out: the socket was made here, and its file is the caller's to remove
 *
 * STATUS_BUSY: another daemon answers at `path`. STATUS_IO, STATUS_INVALID: say what is wrong.
 */
enum status listener_open(const char *path, const struct config *config, int *fds, unsigned room,
                          unsigned *count, bool *is_made, struct error *error);

#endif
