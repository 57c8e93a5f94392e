/* SPDX-License-Identifier: Apache-2.0 */
/* The files of daemon/share/schema, in order, as the build found them (embed.py). */
#ifndef PREDICTD_DAEMON_SHARE_MIGRATIONS_H
#define PREDICTD_DAEMON_SHARE_MIGRATIONS_H

#include <stddef.h>

struct migration {
	const char *name, *sql;
};

extern const struct migration migrations[];
extern const size_t migration_count;

#endif
