/* SPDX-License-Identifier: Apache-2.0 */
/* Observations on their way to the store: the part of daemon/state/observations.h behind the loop.
 */
#ifndef PREDICTD_DAEMON_STATE_OBSERVATIONS_SAVING_H
#define PREDICTD_DAEMON_STATE_OBSERVATIONS_SAVING_H

#include "daemon/state/observations.h"

/* A run of daemon->launch, whose key is given, was taken: it is to be kept, with its words. */
void saving_changed(struct observations *observations, const struct observed *observed,
                    uint64_t launch);

/* Effects as the loaded records say; where users are many, step by step beside what is asked. */
void observations_settle(struct observations *observations);

/* No more steps towards what the records say; who waits for them waits for the store alone. */
void observations_settle_stop(struct observations *observations);

void saving_deinit(struct observations *observations);

#endif
