/* SPDX-License-Identifier: Apache-2.0 */
/* Observations as a message. */
#ifndef PREDICTD_CLIENT_OBSERVE_H
#define PREDICTD_CLIENT_OBSERVE_H

#include <stdbool.h>

#include "client/error.h"
#include "proto/predictd.pb-c.h"

/*
 * One Observe of `count` observations (CONNECTION_BATCH_MAX at most), whose texts and sizes are
 * borrowed; their programs' handles are good (program_refresh). NULL when memory is short.
 * observe_request_free ends it.
 */
Predictd__Request *observe_request_new(const predictd_observation *const *observations,
                                       size_t count, bool acknowledge);
void observe_request_free(Predictd__Request *request); /* accepts NULL */

/* PREDICTD_INVALID when an observation breaks the API's own rules. */
predictd_status observation_check(const predictd_observation *observation);

/* predictd_observe; *is_unsent: those without an answer have certainly not reached the daemon. */
predictd_status observations_send(predictd_connection *connection,
                                  const predictd_observation *observations, size_t count,
                                  predictd_status *statuses, bool *is_unsent);

#endif
