/* SPDX-License-Identifier: Apache-2.0 */
/* Who is at the other end of a socket. */
#include "daemon/serve/peer.h"

#include "daemon/daemon.h"

#include <sys/socket.h>
#include <unistd.h>

enum { PEER_GROUPS_MAX = 1024 };

bool peer_is_admin(const struct daemon *daemon, uid_t user, gid_t group, int fd)
{
	gid_t groups[PEER_GROUPS_MAX];
	socklen_t size = sizeof groups;
	if (user == 0 || user == geteuid())
		return true;
	if (!daemon->has_admin_group)
		return false;
	if (group == daemon->admin_group)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) != 0)
		return false;
	for (size_t i = 0; i < size / sizeof groups[0]; i++)
		if (groups[i] == daemon->admin_group)
			return true;
	return false;
}
