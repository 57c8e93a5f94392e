/* SPDX-License-Identifier: Apache-2.0 */
/* What predictd-share is told: share.conf, an INI file with the section [share]. */
#ifndef PREDICTD_DAEMON_SHARE_SETTINGS_H
#define PREDICTD_DAEMON_SHARE_SETTINGS_H

#include <stdint.h>

#include "model/status.h"

enum { SETTINGS_TEXT_MAX = 1024 };

/*
 * TEXT(key, "default", "what it is")
 * NUMBER(key, default, least, most, "what it is")  K, M and G as in 64M
 */
#define SETTINGS_TABLE(TEXT, NUMBER)                                                               \
	TEXT(server, "", "libpq's connection string, such as service=predictd; empty: nothing")    \
	TEXT(names, "no", "yes or no: names of kernels travel too")                                \
	TEXT(socket, "", "the daemon's; empty: as any client finds it")                            \
	TEXT(state, "", "directory of what is kept; empty: $STATE_DIRECTORY")                      \
	NUMBER(agreement, 3, 1, 1000,                                                              \
	       "nodes that must have measured a launch before others "                             \
	       "follow it, and a device before its calibration is borrowed")                       \
	NUMBER(interval_ms, 500, 10, 3600000, "between looks at daemon and server")                \
	NUMBER(deadline_ms, 30000, 100, 3600000, "for one answer of daemon or server")             \
	NUMBER(retry_ms, 60000, 10, 3600000, "at most, until a lost server is tried again")        \
	NUMBER(outbox, 100000, 1000, 10000000,                                                     \
	       "launches that wait for the server; beyond, they wait in the daemon")               \
	NUMBER(known, 200000, 1000, 10000000, "launches of other nodes that are kept")

struct settings {
#define TEXT(key, ...)   char key[SETTINGS_TEXT_MAX];
#define NUMBER(key, ...) uint32_t key;
	SETTINGS_TABLE(TEXT, NUMBER)
#undef TEXT
#undef NUMBER
};

void settings_init(struct settings *settings);

/*
 * Reads a file over the defaults. STATUS_NOT_FOUND: no such file. STATUS_INVALID names file and
 * line, and what was wanted; a password in `server` is refused: it belongs into a file of its own.
 */
enum status settings_load(struct settings *settings, const char *path, struct error *error);

/* Prints every key with its default and what it is, as a configuration file. */
void settings_print_defaults(void);

#endif
