/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates within a time that the caller gives, from the memo or asked for behind its back. */
#ifndef PREDICTD_CLIENT_LIBRARY_WITHIN_H
#define PREDICTD_CLIENT_LIBRARY_WITHIN_H

#include "client/library/background.h"

/* One estimate that is wanted. */
struct wanted {
	struct question_key key;
	predictd_estimate *estimate;
	bool is_settled; /* nothing better will come */
	bool is_known;   /* the estimate was right once */
};

/*
 * Answers `count` of them, waiting for wait_s at most; each estimate has its status.
 *
 * copy_of   a checked copy of the question of one of them, or NULL with *status and its sentence
 *
 * Returns PREDICTD_OK when each has an answer, else the last failure.
 */
predictd_status wanted_answer(predictd_connection *connection, struct wanted *wanted, size_t count,
                              double wait_s,
                              struct question_copy *(*copy_of)(const void *context, size_t index,
                                                               predictd_status *status),
                              const void *context);

#endif
