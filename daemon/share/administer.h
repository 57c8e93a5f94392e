/* SPDX-License-Identifier: Apache-2.0 */
/* What an administrator asks of predictd-share: each prints, and returns the exit status. */
#ifndef PREDICTD_DAEMON_SHARE_ADMINISTER_H
#define PREDICTD_DAEMON_SHARE_ADMINISTER_H

#include "daemon/share/settings.h"

/* Brings the site's schema up to date, each migration in a transaction of its own. */
int administer_init(const char *server);

/* What waits, whom it knows, when the server answered last. */
int administer_status(const struct settings *settings, const char *state);

/* Deletes this node's observations and calibrations from the server. */
int administer_forget(const struct settings *settings, const char *state);

#endif
