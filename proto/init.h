/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kernel's buffers hold at first (predictctl(1): `init`): the calibrator fills them so, and
 * predictctl takes samples of the same.
 */
#ifndef PREDICTD_PROTO_INIT_H
#define PREDICTD_PROTO_INIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INIT_PROBLEM_MAX = 256 };

enum init_kind {
	INIT_ZERO,
	INIT_IOTA,        /* 0, 1, 2, ... as int */
	INIT_FLOAT,       /* in [low, high) */
	INIT_DOUBLE,      /* in [0, 1) */
	INIT_U32,         /* every value */
	INIT_INDEX,       /* int in [0, count) */
	INIT_CSR_ROW_PTR, /* int i * per_row for i up to count, then constant */
	INIT_FILE         /* the bytes of a file, again and again */
};

struct init {
	enum init_kind kind;
	double low, high;
	uint64_t count;
	uint64_t per_row;
	int file; /* of `count` bytes; else -1 */
};

/*
 * Reads "rand_float:1:100" and the like, and opens the file of "@FILE". False, and nothing is to
 * be closed: `problem` says what was wanted.
 */
bool init_open(const char *text, struct init *init, char problem[INIT_PROBLEM_MAX]);
void init_close(struct init *init);

/*
 * Fills bytes [at, at + size) of a buffer; `at` is a multiple of 8. Element i
 * depends on seed and i alone, so a buffer may be filled in pieces. A rest
 * shorter than an element is zero, and so is what cannot be read of a file (any more).
 */
void init_fill(const struct init *init, uint64_t seed, uint64_t at, void *bytes, size_t size);

#endif
