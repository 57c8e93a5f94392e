/* SPDX-License-Identifier: Apache-2.0 */
/* Who is at the other end of a socket. */
#ifndef PREDICTD_DAEMON_SERVE_PEER_H
#define PREDICTD_DAEMON_SERVE_PEER_H

#include <stdbool.h>
#include <sys/types.h>

struct daemon;

/*
 * True for root, the daemon's own user, and members of the admin group.
 *
 * user, group  of who connected, as the kernel tells (SO_PEERCRED)
 * fd           the connected socket, whose further groups are asked for; borrowed
 */
bool peer_is_admin(const struct daemon *daemon, uid_t user, gid_t group, int fd);

#endif
