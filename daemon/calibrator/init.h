/* SPDX-License-Identifier: Apache-2.0 */
/* What a measured kernel's buffers hold at first (predictctl(1): `init`). */
#ifndef PREDICTD_CALIBRATOR_INIT_H
#define PREDICTD_CALIBRATOR_INIT_H

#include <stddef.h>
#include <stdint.h>

#include "model/status.h"

enum init_kind {
	INIT_ZERO,
	INIT_IOTA,       /* 0, 1, 2, ... as int */
	INIT_FLOAT,      /* in [low, high) */
	INIT_DOUBLE,     /* in [0, 1) */
	INIT_U32,        /* every value */
	INIT_INDEX,      /* int in [0, count) */
	INIT_CSR_ROW_PTR /* int i * per_row for i up to count, then constant */
};

struct init {
	enum init_kind kind;
	double low, high;
	uint64_t count;
	uint64_t per_row;
};

/* Reads "rand_float:1:100" and the like. STATUS_INVALID says what was wanted. */
enum status init_parse(const char *text, struct init *init, struct error *error);

/*
 * Fills bytes [at, at + size) of a buffer; `at` is a multiple of 8. Element i
 * depends on seed and i alone, so a buffer may be filled in pieces. A rest
 * shorter than an element is zero.
 */
void init_fill(const struct init *init, uint64_t seed, uint64_t at, void *bytes, size_t size);

#endif
