/* SPDX-License-Identifier: Apache-2.0 */
/* Reporting observations, and saying how many were kept. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_OBSERVE_H
#define PREDICTD_CLIENT_PREDICTCTL_OBSERVE_H

#include "client/predictctl/ask.h"

/*
 * Reports and says so: as the command's result when there are options, else on standard error,
 * beside the result of another command.
 */
enum exit_code observations_report(predictd_connection *connection,
                                   const predictd_observation *list, size_t count,
                                   const struct options *options);

#endif
