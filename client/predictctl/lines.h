/* SPDX-License-Identifier: Apache-2.0 */
/* A source with what each line adds to its kernel's time. */
#ifndef PREDICTD_CLIENT_PREDICTCTL_LINES_H
#define PREDICTD_CLIENT_PREDICTCTL_LINES_H

#include "client/predictctl/cases.h"

/* Asks, and prints the case's source from the first line that adds anything to the last. Complains
 * and returns false when nothing is answered. */
bool lines_print(predictd_connection *connection, const predictd_question *question,
                 const struct launch_case *one);

/* The same for --json: an object, or NULL. */
json_t *lines_json(predictd_connection *connection, const predictd_question *question,
                   const struct launch_case *one);

#endif
