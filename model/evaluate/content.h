/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What memory holds where nobody has stored to it: the one place that decides what a load yields,
 * as far as that is known before a launch. Who asks draws numbers of its own (`mixed`), since one
 * place has to hold the same number each time.
 */
#ifndef PREDICTD_MODEL_EVALUATE_CONTENT_H
#define PREDICTD_MODEL_EVALUATE_CONTENT_H

#include "model/evaluate/number.h"
#include "model/evaluate/rows.h"

enum content_kind {
	CONTENT_OPEN,  /* integers of which nothing is known */
	CONTENT_BYTE,  /* integers that have as many values as a byte */
	CONTENT_REAL,  /* reals of no known scale */
	CONTENT_RANGE, /* integers of an argument's hinted range, each as likely */
	CONTENT_ROW,   /* where rows begin, one after another: see rows_begin */
	CONTENT_HELD   /* what was sampled, and the like: see evaluate/held.h */
};

struct content {
	enum content_kind kind;
	int64_t low; /* of a range: low to low + span, modulo 2^64 */
	uint64_t span;
	struct held *held; /* borrowed */
};

/*
 * Of an access that reads numbers of a type (of vectors each): rows: NULL, where it does not matter
 * whether rows begin there.
 */
struct content content_of(const struct question *question, const struct rows *rows,
                          const struct ir_access *access, struct type type);

/*
 * A number of it, by 64 mixed bits: of a range one of it, of reals one between zero and one, of a
 * sample one that was sampled.
 */
static inline int64_t content_number(const struct content *content, struct type type,
                                     uint64_t mixed)
{
	if (content->kind == CONTENT_HELD)
		return held_any(content->held, mixed);
	if (content->kind == CONTENT_REAL)
		return number_bits(type, number_unit(mixed));
	if (content->kind == CONTENT_RANGE && content->span != UINT64_MAX)
		mixed %= content->span + 1;
	return number_wrap(type, (int64_t)((uint64_t)content->low + mixed));
}

#endif
