/* SPDX-License-Identifier: Apache-2.0 */
/* Where socket, state and configuration are: systemd's folders, else those of the user. */
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
 * The defaults, of each the first that is set: what systemd made for the service
 * ($RUNTIME_DIRECTORY, $STATE_DIRECTORY, $CONFIGURATION_DIRECTORY); XDG's directory
 * ($XDG_RUNTIME_DIR, $XDG_STATE_HOME, $XDG_CONFIG_HOME); for root, /run/predictd for the
 * socket and /etc/predictd for the configuration; the folders below $HOME that XDG names.
 * A path for which none is known is empty. STATUS_INVALID: one is too long.
 */
enum status paths_init(struct paths *paths, struct error *error);

#endif
