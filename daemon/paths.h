/* SPDX-License-Identifier: Apache-2.0 */
/* Where socket, state and configuration are: the system's when root, else the user's own. */
#ifndef PREDICTD_DAEMON_PATHS_H
#define PREDICTD_DAEMON_PATHS_H

#include "model/status.h"

enum { PATHS_TEXT_MAX = 1024 };

struct paths {
	char socket[PATHS_TEXT_MAX];
	char state[PATHS_TEXT_MAX];
	char config[PATHS_TEXT_MAX];
};

/*
 * The defaults: what systemd made for the service ($RUNTIME_DIRECTORY,
 * $STATE_DIRECTORY, $CONFIGURATION_DIRECTORY) where it did, else /run, /var/lib and
 * /etc for root, and XDG's directories for others. STATUS_INVALID: none is known.
 */
enum status paths_init(struct paths *paths, struct error *error);

#endif
