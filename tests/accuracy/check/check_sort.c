/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting: steps put together to a whole sort must give what qsort gives. */
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

enum { N = 256, ITEMS = 32, PER_ITEM = N / ITEMS };

static uint32_t keys[N], sorted[N];
static int values[N], ordered[N];

static int by_word(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	return (a > b) - (a < b);
}

static int by_int(const void *left, const void *right)
{
	int a = *(const int *)left, b = *(const int *)right;
	return (a > b) - (a < b);
}

static void make(void)
{
	seed();
	fill_words(keys, N);
	fill_ints(values, N, 50);
	memcpy(sorted, keys, sizeof keys);
	memcpy(ordered, values, sizeof values);
	qsort(sorted, N, sizeof sorted[0], by_word);
	qsort(ordered, N, sizeof ordered[0], by_int);
}

static void bitonic_global_steps_sort(void **unused)
{
	(void)unused;
	make();
	for (unsigned stage = 2; stage <= N; stage *= 2)
		for (unsigned distance = stage / 2; distance > 0; distance /= 2)
			RUN("sort/bitonic_global", "", WORK(N / 2), WORK(32), ARRAY(keys),
			    SCALAR(unsigned, stage), SCALAR(unsigned, distance));
	assert_words(keys, sorted, N);
}

static void bitonic_local_sorts_blocks(void **unused)
{
	(void)unused;
	make();
	for (int block = 0; block < 2; block++)
		qsort(memcpy(sorted + block * N / 2, keys + block * N / 2, sizeof keys / 2), N / 2,
		      sizeof keys[0], by_word);
	RUN("sort/bitonic_local", "", WORK(N / 2), WORK(N / 4), ARRAY(keys), LOCAL(N / 2 * 4));
	assert_words(keys, sorted, N / 2);
	/* a work-group's block is ascending: its last stage spans all of it */
	assert_words(keys + N / 2, sorted + N / 2, N / 2);
}

static void odd_even_phases_sort(void **unused)
{
	enum { FEW = 40 };
	int few[FEW], want[FEW];
	(void)unused;
	seed();
	fill_ints(few, FEW, 1000);
	memcpy(want, few, sizeof few);
	qsort(want, FEW, sizeof want[0], by_int);
	for (int phase = 0; phase < FEW; phase++)
		RUN("sort/odd_even", "", WORK(32), WORK(16), ARRAY(few), INT(phase % 2), INT(FEW));
	assert_ints(few, want, FEW);
}

static void rank_sort_puts_each_in_its_place(void **unused)
{
	int out[N];
	(void)unused;
	make();
	RUN("sort/rank_sort", "", WORK(N), WORK(64), ARRAY(values), ARRAY(out), INT(N));
	assert_ints(out, ordered, N);
}

static void radix_passes_sort(void **unused)
{
	uint32_t counts[16 * ITEMS], offsets[16 * ITEMS], out[N];
	(void)unused;
	make();
	for (int shift = 0; shift < 32; shift += 4) {
		RUN("sort/radix_count", "", WORK(ITEMS), WORK(16), ARRAY(keys), ARRAY(counts),
		    INT(PER_ITEM), INT(shift));
		uint32_t before = 0;
		for (int i = 0; i < 16 * ITEMS; i++) {
			offsets[i] = before;
			before += counts[i];
		}
		assert_int_equal(before, N);
		RUN("sort/radix_scatter", "", WORK(ITEMS), WORK(16), ARRAY(keys), ARRAY(offsets),
		    ARRAY(out), INT(PER_ITEM), INT(shift));
		memcpy(keys, out, sizeof keys);
	}
	assert_words(keys, sorted, N);
}

CHECK_FAMILY(sort, cmocka_unit_test(bitonic_global_steps_sort),
             cmocka_unit_test(bitonic_local_sorts_blocks), cmocka_unit_test(odd_even_phases_sort),
             cmocka_unit_test(rank_sort_puts_each_in_its_place),
             cmocka_unit_test(radix_passes_sort))
