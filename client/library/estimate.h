/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates: predictions without texts, from the memo or asked for it. */
#ifndef PREDICTD_CLIENT_LIBRARY_ESTIMATE_H
#define PREDICTD_CLIENT_LIBRARY_ESTIMATE_H

#include "client/library/batch.h"

/*
 * Asks `count` checked questions in one batch; estimates[i] has a status of its own, and what
 * is answered is kept in the memo. Fails only when the exchange does; then every status says so.
 */
predictd_status estimates_ask(struct ask *ask, const predictd_question *const *questions,
                              size_t count, predictd_estimate *estimates);

/*
 * Answers to `count` questions, from the memo, else in one exchange. estimates[i] has a status of
 * its own. Returns PREDICTD_OK when every one is known, else the last refusal, with its sentence.
 */
predictd_status estimates_get(predictd_connection *connection, const predictd_question *questions,
                              size_t count, predictd_estimate *estimates);

#endif
