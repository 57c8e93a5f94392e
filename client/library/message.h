/* SPDX-License-Identifier: Apache-2.0 */
/* A question as a Launch message. */
#ifndef PREDICTD_CLIENT_LIBRARY_MESSAGE_H
#define PREDICTD_CLIENT_LIBRARY_MESSAGE_H

#include "client/library/error.h"
#include "proto/predictd.pb-c.h"

enum { MESSAGE_ARGUMENTS_MAX = 4096, MESSAGE_HINTS_MAX = 4096 };

/*
 * The launch of a question; its texts and sizes are borrowed from the question. It names the
 * question's samples where `with_samples` is set and its program's connection sends any.
 * PREDICTD_INVALID when the question breaks the API's own rules (a scalar's type that is none,
 * more than three dimensions); what only the daemon can judge is left to it.
 */
predictd_status launch_new(const predictd_question *question, bool with_samples,
                           Predictd__Launch **launch);
void launch_free(Predictd__Launch *launch); /* accepts NULL */

#endif
