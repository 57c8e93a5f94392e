/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of this machine, from text. */
#include "daemon/address.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LOOPBACK_NETWORK = 127 };

static bool parse_port(const char *text, in_port_t *port)
{
	size_t length = strlen(text);
	if (length == 0 || length > 5 || strspn(text, "0123456789") != length)
		return false;
	unsigned long value = strtoul(text, NULL, 10);
	*port = htons((uint16_t)value);
	return value > 0 && value <= 65535;
}

static bool parse_unix(const char *path, struct address *address)
{
	size_t length = strlen(path);
	if (path[0] != '/' || length >= sizeof address->local.sun_path)
		return false;
	address->local.sun_family = AF_UNIX;
	memcpy(address->local.sun_path, path, length + 1);
	address->size = sizeof address->local;
	return true;
}

static bool parse_internet(const char *text, struct address *address)
{
	char host[INET_ADDRSTRLEN];
	const char *colon = strchr(text, ':');
	size_t length = colon == NULL ? sizeof host : (size_t)(colon - text);
	if (length >= sizeof host)
		return false;
	memcpy(host, text, length);
	host[length] = '\0';
	address->internet.sin_family = AF_INET;
	address->size = sizeof address->internet;
	return inet_pton(AF_INET, host, &address->internet.sin_addr) == 1 &&
	       ntohl(address->internet.sin_addr.s_addr) >> 24 == LOOPBACK_NETWORK &&
	       parse_port(colon + 1, &address->internet.sin_port);
}

static bool parse_internet6(const char *text, struct address *address)
{
	static const char loopback[] = "[::1]:";
	if (strncmp(text, loopback, strlen(loopback)) != 0)
		return false;
	address->internet6.sin6_family = AF_INET6;
	address->internet6.sin6_addr = in6addr_loopback;
	address->size = sizeof address->internet6;
	return parse_port(text + strlen(loopback), &address->internet6.sin6_port);
}

enum status address_parse(const char *text, struct address *address, struct error *error)
{
	static const char local[] = "unix:";
	memset(address, 0, sizeof *address);
	bool is_local = strncmp(text, local, strlen(local)) == 0;
	if (is_local ? parse_unix(text + strlen(local), address)
	             : parse_internet(text, address) || parse_internet6(text, address))
		return STATUS_OK;
	return error_set(error, STATUS_INVALID,
	                 "want unix:/PATH, 127.0.0.1:PORT or [::1]:PORT, got \"%.60s\"", text);
}
