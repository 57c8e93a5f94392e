/* SPDX-License-Identifier: Apache-2.0 */
/* Answers to questions asked before. */
#include "daemon/state/answer_memo.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* No secret is needed: whoever finds collisions replaces answers that are given anew. */
static struct answer **set_of(struct answer_memo *memo, const uint8_t *question, size_t size)
{
	return memo->sets[XXH3_64bits(question, size) % ANSWER_MEMO_SETS];
}

static bool is_to(const struct answer *answer, const uint8_t *question, size_t size, uid_t user)
{
	return answer != NULL && answer->question_bytes == size && answer->terms.user == user &&
	       memcmp(answer->bytes, question, size) == 0;
}

/* Moves the answer of a way to the front; those before it go one back. */
static void move_to_front(struct answer **set, unsigned way)
{
	struct answer *answer = set[way];
	for (; way > 0; way--)
		set[way] = set[way - 1];
	set[0] = answer;
}

const struct answer *answer_memo_find(struct answer_memo *memo, const uint8_t *question,
                                      size_t question_bytes, uid_t user)
{
	struct answer **set = set_of(memo, question, question_bytes);
	for (unsigned way = 0; way < ANSWER_MEMO_WAYS; way++)
		if (is_to(set[way], question, question_bytes, user)) {
			move_to_front(set, way);
			return set[0];
		}
	return NULL;
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
	struct answer **set = set_of(memo, question, question_bytes);
	unsigned way = 0;
	while (way < ANSWER_MEMO_WAYS - 1 &&
	       !is_to(set[way], question, question_bytes, terms->user))
		way++;
	free(set[way]);
	set[way] = answer;
	move_to_front(set, way);
	return answer->bytes + question_bytes;
}

void answer_memo_deinit(struct answer_memo *memo)
{
	for (size_t i = 0; i < ANSWER_MEMO_SETS; i++)
		for (size_t way = 0; way < ANSWER_MEMO_WAYS; way++) {
			free(memo->sets[i][way]);
			memo->sets[i][way] = NULL;
		}
}
