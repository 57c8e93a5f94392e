/* SPDX-License-Identifier: Apache-2.0 */
/* Observations on their way to the daemon. */
#ifndef PREDICTD_CLIENT_LIBRARY_OBSERVE_H
#define PREDICTD_CLIENT_LIBRARY_OBSERVE_H

#include <stdbool.h>

#include "client/library/connection.h"
#include "client/library/copy.h"
#include "proto/predictd.pb-c.h"

/* PREDICTD_INVALID when an observation breaks the API's own rules. */
predictd_status observation_check(const predictd_observation *observation);
/* The same of its times alone. */
predictd_status observation_check_times(const predictd_observation *observation);

/*
 * predictd_report of what was found to be right, whose question was copied. The copy is taken;
 * NULL: there was no memory for it.
 */
predictd_status observation_report(predictd_connection *connection,
                                   const predictd_observation *observation,
                                   struct question_copy *copy);
/* Counts what was found to be wrong. */
void observation_refused(predictd_connection *connection);

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
