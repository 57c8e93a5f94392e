/* SPDX-License-Identifier: Apache-2.0 */
/* Observations on their way to the daemon. */
#ifndef PREDICTD_CLIENT_LIBRARY_OBSERVE_H
#define PREDICTD_CLIENT_LIBRARY_OBSERVE_H

#include <stdbool.h>

#include "client/library/connection.h"
#include "proto/predictd.pb-c.h"

/* PREDICTD_INVALID when an observation breaks the API's own rules. */
predictd_status observation_check(const predictd_observation *observation);

/* How far an observation came. */
enum observe_reach {
	OBSERVE_UNCONNECTED, /* there is no link */
	OBSERVE_UNSENT,      /* a program could not be registered, or it was not sent */
	OBSERVE_SENT,        /* the daemon may have taken it */
	OBSERVE_ANSWERED     /* its status is its own */
};

/*
 * predictd_observe.
 *
 * patience   with the daemon's acknowledgement; NULL: that of the connection
 * reaches    NULL, or `count` of them
 */
predictd_status observations_send(predictd_connection *connection,
                                  const predictd_observation *observations, size_t count,
                                  const struct patience *patience, predictd_status *statuses,
                                  enum observe_reach *reaches);

#endif
