/* SPDX-License-Identifier: Apache-2.0 */
/* Sums, products, quotients and ranges of affine forms. */
#include <string.h>

#include "model/ir/affine.h"

static const struct affine UNKNOWN = {0};

static bool term_is_before(const struct affine_term *a, const struct affine_term *b)
{
	if (a->base != b->base)
		return a->base < b->base;
	if (a->divisor != b->divisor)
		return a->divisor < b->divisor;
	return a->extent < b->extent;
}

bool affine_term_is_same(const struct affine_term *a, const struct affine_term *b)
{
	return a->base == b->base && a->divisor == b->divisor && a->extent == b->extent;
}

bool affine_add_term(struct affine *a, const struct affine_term *term)
{
	unsigned at = 0;

	if (term->factor == 0 || term->extent <= 1)
		return true;
	while (at < a->term_count && term_is_before(&a->terms[at], term))
		at++;
	if (at < a->term_count && affine_term_is_same(&a->terms[at], term)) {
		if (__builtin_add_overflow(a->terms[at].factor, term->factor, &a->terms[at].factor))
			return false;
		if (a->terms[at].factor == 0) {
			memmove(a->terms + at, a->terms + at + 1,
			        (size_t)(a->term_count - at - 1) * sizeof(*a->terms));
			a->term_count--;
		}
		return true;
	}
	if (a->term_count == AFFINE_TERMS_MAX)
		return false;
	memmove(a->terms + at + 1, a->terms + at, (size_t)(a->term_count - at) * sizeof(*a->terms));
	a->terms[at] = *term;
	a->term_count++;
	return true;
}

struct affine affine_constant(int64_t value)
{
	return (struct affine){.is_known = true, .constant = value};
}

struct affine affine_add(const struct affine *a, const struct affine *b)
{
	struct affine sum = *a;

	if (!a->is_known || !b->is_known)
		return UNKNOWN;
	sum.is_random |= b->is_random;
	sum.is_rough |= b->is_rough;
	if (__builtin_add_overflow(a->constant, b->constant, &sum.constant))
		return UNKNOWN;
	for (unsigned i = 0; i < b->term_count; i++)
		if (!affine_add_term(&sum, &b->terms[i]))
			return UNKNOWN;
	return sum;
}

struct affine affine_scale(const struct affine *a, int64_t factor)
{
	struct affine product = *a;

	if (!a->is_known)
		return UNKNOWN;
	if (factor == 0)
		return affine_constant(0);
	if (__builtin_mul_overflow(a->constant, factor, &product.constant))
		return UNKNOWN;
	for (unsigned i = 0; i < a->term_count; i++)
		if (__builtin_mul_overflow(a->terms[i].factor, factor, &product.terms[i].factor))
			return UNKNOWN;
	return product;
}

bool affine_range(const struct affine *a, int64_t *low, int64_t *high)
{
	*low = *high = a->constant;
	for (unsigned i = 0; i < a->term_count; i++) {
		const struct affine_term *term = &a->terms[i];
		int64_t far, *end = term->factor < 0 ? low : high;

		if (term->extent > INT64_MAX ||
		    __builtin_mul_overflow((int64_t)term->extent - 1, term->factor, &far) ||
		    __builtin_add_overflow(*end, far, end))
			return false;
	}
	return true;
}

bool affine_is_parallel(const struct affine *a, const struct affine *b)
{
	if (!a->is_known || !b->is_known || a->is_random != b->is_random ||
	    a->term_count != b->term_count)
		return false;
	for (unsigned i = 0; i < a->term_count; i++)
		if (!affine_term_is_same(&a->terms[i], &b->terms[i]) ||
		    a->terms[i].factor != b->terms[i].factor)
			return false;
	return true;
}

/*
 * p = n * whole + rest. Terms whose factor n divides go to the whole, smaller
 * ones stay in the rest; one whose factor divides n is cut into two digits.
 * Exact where the rest lies in [0, n); rough where an offset pushes it over.
 */
static bool split(const struct affine *a, int64_t n, struct affine *whole, struct affine *rest)
{
	int64_t low, high;

	*whole = affine_constant(0);
	*rest = affine_constant(0);
	if (!a->is_known || a->is_random || n <= 0)
		return false;
	whole->is_rough = rest->is_rough = a->is_rough;
	whole->constant = a->constant / n;
	rest->constant = a->constant % n;
	for (unsigned i = 0; i < a->term_count; i++) {
		struct affine_term term = a->terms[i];

		if (term.factor % n == 0) {
			term.factor /= n;
			if (!affine_add_term(whole, &term))
				return false;
			continue;
		}
		if (term.factor > 0 && n % term.factor == 0 &&
		    (uint64_t)(n / term.factor) < term.extent) {
			uint64_t digit = (uint64_t)(n / term.factor);
			struct affine_term upper = term;

			upper.divisor *= digit;
			upper.extent = (term.extent + digit - 1) / digit;
			upper.factor = 1;
			term.extent = digit;
			if (!affine_add_term(whole, &upper))
				return false;
		}
		if (!affine_add_term(rest, &term))
			return false;
	}
	if (!affine_range(rest, &low, &high))
		return false;
	if (low < 0 || high >= n) {
		/* an offset on top of whole digits: its edge alone is wrong */
		int64_t span;

		if (__builtin_sub_overflow(high, low, &span) || span >= n || n > INT64_MAX / 4)
			return false;
		/* most of it may lie in the next digit, or the one before */
		if (low + span / 2 >= n) {
			rest->constant -= n;
			whole->constant++;
		} else if (low + span / 2 < 0) {
			rest->constant += n;
			whole->constant--;
		}
		whole->is_rough = rest->is_rough = true;
	}
	return true;
}

struct affine affine_divide(const struct affine *a, int64_t n)
{
	struct affine whole, rest;

	return split(a, n, &whole, &rest) ? whole : UNKNOWN;
}

struct affine affine_remainder(const struct affine *a, int64_t n)
{
	struct affine whole, rest;

	return split(a, n, &whole, &rest) ? rest : UNKNOWN;
}
