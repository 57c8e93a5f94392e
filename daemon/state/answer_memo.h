/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers to questions asked before: a runtime asks the same few over and
 * over. The key is the question's bytes as they came, the answer its bytes as
 * they go, so that a repeated question is neither unpacked nor predicted.
 * A hash has a few places: a new question takes that of the one asked longest ago.
 */
#ifndef PREDICTD_DAEMON_STATE_ANSWER_MEMO_H
#define PREDICTD_DAEMON_STATE_ANSWER_MEMO_H

#include "model/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	ANSWER_MEMO_SETS = 1024,
	ANSWER_MEMO_WAYS = 4,        /* of a set, the last used first */
	ANSWER_MEMO_BYTES_MAX = 2048 /* of question and answer together; longer ones are not kept */
};

/* For whom and how long an answer is good; the daemon compares it. */
struct answer_terms {
	uint64_t handle;     /* of the program asked about */
	uint64_t generation; /* of the devices when it was given */
	uint64_t epoch_value;
	uint32_t epoch_slot;
	uid_t user;
	enum status status; /* not STATUS_OK: a sentence in place of a prediction */
};

struct answer {
	struct answer_terms terms;
	uint32_t question_bytes, answer_bytes;
	uint8_t bytes[]; /* the question, then the answer */
};

struct answer_memo {
	struct answer *sets[ANSWER_MEMO_SETS][ANSWER_MEMO_WAYS];
};

/* The answer that this user got, or NULL; valid until something is kept. */
const struct answer *answer_memo_find(struct answer_memo *memo, const uint8_t *question,
                                      size_t question_bytes, uid_t user);

/*
 * Room for an answer, to be written by the caller; NULL when it is not kept. Replaces
 * what that user got before.
 */
uint8_t *answer_memo_keep(struct answer_memo *memo, const uint8_t *question, size_t question_bytes,
                          size_t answer_bytes, const struct answer_terms *terms);

void answer_memo_deinit(struct answer_memo *memo);

#endif
