/* SPDX-License-Identifier: Apache-2.0 */
/* Answers to questions asked before. */
#include "daemon/answer_memo.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* No secret is needed: whoever finds collisions replaces answers that are given anew. */
static size_t slot_of(const uint8_t *question, size_t size)
{
	return (size_t)(XXH3_64bits(question, size) % ANSWER_MEMO_SLOTS);
}

const struct answer *answer_memo_find(const struct answer_memo *memo, const uint8_t *question,
                                      size_t question_bytes)
{
	const struct answer *answer = memo->slots[slot_of(question, question_bytes)];
	if (answer == NULL || answer->question_bytes != question_bytes ||
	    memcmp(answer->bytes, question, question_bytes) != 0)
		return NULL;
	return answer;
}

uint8_t *answer_memo_keep(struct answer_memo *memo, const uint8_t *question, size_t question_bytes,
                          size_t answer_bytes, const struct answer_terms *terms)
{
	if (question_bytes > ANSWER_MEMO_BYTES_MAX ||
	    answer_bytes > ANSWER_MEMO_BYTES_MAX - question_bytes)
		return NULL;
	struct answer *answer = malloc(sizeof *answer + question_bytes + answer_bytes);
	if (answer == NULL)
		return NULL;
	answer->terms = *terms;
	answer->question_bytes = (uint32_t)question_bytes;
	answer->answer_bytes = (uint32_t)answer_bytes;
	memcpy(answer->bytes, question, question_bytes);
	struct answer **slot = &memo->slots[slot_of(question, question_bytes)];
	free(*slot);
	*slot = answer;
	return answer->bytes + question_bytes;
}

void answer_memo_deinit(struct answer_memo *memo)
{
	for (size_t i = 0; i < ANSWER_MEMO_SLOTS; i++) {
		free(memo->slots[i]);
		memo->slots[i] = NULL;
	}
}
