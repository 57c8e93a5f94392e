/* SPDX-License-Identifier: Apache-2.0 */
/* Questions on their way: cut into requests of at most CONNECTION_BATCH_MAX, asked, answered. */
#ifndef PREDICTD_CLIENT_LIBRARY_BATCH_H
#define PREDICTD_CLIENT_LIBRARY_BATCH_H

#include "client/library/connection.h"

struct batch {
	const predictd_question **questions; /* each was checked: question_check */
	void **answers;                      /* where each's goes, for batch_ask_known */
	size_t count, chunk;                 /* of one request */
	bool without_samples;                /* the daemon takes them not */
	bool with_lines;                     /* explain_lines */
	bool is_place;
	const char *const *devices; /* of a place */
	size_t device_count;
};

/* PREDICTD_INVALID or PREDICTD_LIMIT when a question breaks the API's own rules. */
predictd_status question_check(const predictd_question *question);

size_t batch_requests(const struct batch *batch);

/*
 * Asks the whole batch; over a new link when the old one proves dead before the first reply.
 * `again` registers its programs anew: the daemon has said that it knows them no more.
 * responses: batch_requests() of them, the caller's, also on failure.
 */
predictd_status batch_ask(struct ask *ask, const struct batch *batch, bool again,
                          Predictd__Response **responses);

/*
 * Asks a batch until the daemon knows every program, which it may have forgotten, or lack in the
 * language of one device, and has every sample, or takes them not. Ends with those in the batch
 * that it did not know the last time.
 *
 * attempt    asks what the batch lists, as batch_ask does, and fills its answers
 * status_of  what an answer says
 * context    of `attempt`
 */
predictd_status batch_ask_known(struct ask *ask, struct batch *batch,
                                predictd_status (*attempt)(void *context, struct ask *ask,
                                                           const struct batch *batch, bool again),
                                predictd_status (*status_of)(const void *answer), void *context);

/*
 * Sends the samples of the batch's first `count` questions, which the daemon lacks; where it had
 * been sent them before, or takes them not, the batch goes on without.
 */
predictd_status batch_send_samples(struct ask *ask, struct batch *batch, size_t count,
                                   bool was_sent);

/*
 * What the responses say of question i: the prediction, or NULL with the error, of which both
 * are NULL where the daemon gave none.
 */
const Predictd__Prediction *batch_answer(const struct batch *batch,
                                         Predictd__Response *const *responses, size_t i,
                                         const Predictd__Error **error);

/* Status and sentence of what batch_answer gave in place of a prediction. */
predictd_status answer_failure(const Predictd__Error *error, const char **text);

void responses_free(Predictd__Response **responses, size_t count);

#endif
