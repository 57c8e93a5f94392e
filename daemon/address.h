/* SPDX-License-Identifier: Apache-2.0 */
/* Where metrics may be asked for: a Unix socket, or a port of this machine that no other reaches.
 */
#ifndef PREDICTD_DAEMON_ADDRESS_H
#define PREDICTD_DAEMON_ADDRESS_H

#include "model/status.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_un local;
		struct sockaddr_in internet;
		struct sockaddr_in6 internet6;
	};
	socklen_t size;
};

/*
 * "unix:PATH" with an absolute path, "127.0.0.1:PORT" (all of 127.0.0.0/8), "[::1]:PORT". Names of
 * hosts are not looked up. STATUS_INVALID: it is none of these.
 */
enum status address_parse(const char *text, struct address *address, struct error *error);

#endif
