/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Affine forms: an integer value as a constant plus multiples of work-item
 * ids and loop counters, with the arguments of the launch known.
 *
 * A term may be a digit of its id, (id / divisor) % modulus, so that p / n and
 * p % n of an affine p have forms as well.
 */
#ifndef PREDICTD_MODEL_IR_AFFINE_H
#define PREDICTD_MODEL_IR_AFFINE_H

#include <stdbool.h>
#include <stdint.h>

enum affine_base {
	AFFINE_GLOBAL = 0, /* plus the dimension: global id without the offset */
	AFFINE_LOCAL = 3,
	AFFINE_GROUP = 6,
	AFFINE_LOOP = 9 /* plus the index of the loop: the iteration */
};

enum { AFFINE_TERMS_MAX = 10 };

struct affine_term {
	uint32_t base; /* enum affine_base plus dimension or loop */
	uint64_t divisor;
	uint64_t extent; /* values that it takes: modulus, or what the divisor leaves */
	int64_t factor;
};

struct affine {
	bool is_known;  /* else nothing below counts */
	bool is_random; /* plus a value that depends on data, another for each work-item */
	bool is_rough;  /* clamped or wrapped: right but for the edges */
	uint8_t term_count;
	int64_t constant;
	struct affine_term terms[AFFINE_TERMS_MAX]; /* by base, then divisor */
};

/* Whether two terms differ by their factors alone. */
bool affine_term_is_same(const struct affine_term *a, const struct affine_term *b);

/* Adds a term, keeping the order; false on overflow or when there is no room. */
bool affine_add_term(struct affine *a, const struct affine_term *term);

/* The sum and the scaled form; unknown where either is, or an overflow occurs. */
struct affine affine_add(const struct affine *a, const struct affine *b);
struct affine affine_scale(const struct affine *a, int64_t factor);
struct affine affine_constant(int64_t value);

/* Quotient and remainder by a constant n > 0; requires a value that is nowhere negative. */
struct affine affine_divide(const struct affine *a, int64_t n);
struct affine affine_remainder(const struct affine *a, int64_t n);

/* Smallest and largest value of a known form that is not random; false on overflow. */
bool affine_range(const struct affine *a, int64_t *low, int64_t *high);

/* True when all but the constants agree. */
bool affine_is_parallel(const struct affine *a, const struct affine *b);

#endif
