/* SPDX-License-Identifier: Apache-2.0 */
/* Selections, joins, groups and columns against the host. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

static int by_value(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	return (x > y) - (x < y);
}

static void select_compact_keeps_what_qualifies(void **unused)
{
	enum { N = 180, GROUP = 48 };
	float price[N];
	int amount[N], row[N], rows[1] = {0}, want[N], count = 0;
	(void)unused;
	seed();
	fill_floats(price, N, 0, 1);
	fill_ints(amount, N, 100);
	for (int i = 0; i < N; i++)
		if (price[i] >= 0.25f && price[i] < 0.75f && amount[i] >= 30)
			want[count++] = i;
	assert_in_range(count, 1, N - 1);
	RUN("database/select_compact", "", WORK(192), WORK(GROUP), ARRAY(price), ARRAY(amount),
	    ARRAY(row), ARRAY(rows), INT(N), FLOAT(0.25f), FLOAT(0.75f), INT(30), LOCAL(4 * GROUP));
	assert_int_equal(rows[0], count);
	qsort(row, (size_t)count, sizeof row[0], by_value);
	assert_ints(row, want, (size_t)count);
}

static void hash_probe_joins(void **unused)
{
	enum { PROBES = 90, KEYS = 70, BITS = 5, BUCKETS = 1 << BITS };
	uint32_t probe[PROBES], key[KEYS], sorted[KEYS];
	int bucket[BUCKETS + 1] = {0}, payload[KEYS], sorted_payload[KEYS], matches[PROBES],
	                     want[PROBES], at = 0;
	int64_t sum[PROBES], want_sum[PROBES];
	(void)unused;
	seed();
	for (int k = 0; k < KEYS; k++)
		key[k] = random_word() % 50 * 1000003;
	for (int i = 0; i < PROBES; i++)
		probe[i] = random_word() % 60 * 1000003;
	fill_ints(payload, KEYS, INT_MAX);
	for (uint32_t b = 0; b < BUCKETS; b++) {
		for (int k = 0; k < KEYS; k++)
			if (key[k] * 2654435761u >> (32 - BITS) == b) {
				sorted[at] = key[k];
				sorted_payload[at++] = payload[k];
			}
		bucket[b + 1] = at;
	}
	for (int i = 0; i < PROBES; i++) {
		want_sum[i] = want[i] = 0;
		for (int k = 0; k < KEYS; k++)
			if (key[k] == probe[i]) {
				want[i]++;
				want_sum[i] += payload[k];
			}
	}
	RUN("database/hash_probe", "", WORK(96), WORK(32), ARRAY(probe), ARRAY(bucket),
	    ARRAY(sorted), ARRAY(sorted_payload), ARRAY(sum), ARRAY(matches), INT(PROBES),
	    SCALAR(uint32_t, 32 - BITS));
	assert_ints(matches, want, PROBES);
	assert_memory_equal(sum, want_sum, sizeof sum);
}

static void group_sums_count_add_and_find_the_greatest(void **unused)
{
	enum { ROWS = 1500, KINDS = 64 };
	uint8_t kind[ROWS];
	int value[ROWS], count[KINDS] = {0}, sum[KINDS] = {0}, most[KINDS];
	int want_count[KINDS] = {0}, want_sum[KINDS] = {0}, want_most[KINDS];
	(void)unused;
	for (int k = 0; k < KINDS; k++)
		most[k] = want_most[k] = INT_MIN;
	seed();
	for (int i = 0; i < ROWS; i++) {
		int k = (kind[i] = (uint8_t)random_word()) % KINDS;
		value[i] = (int)(random_word() % 2001) - 1000;
		want_count[k]++;
		want_sum[k] += value[i];
		want_most[k] = value[i] > want_most[k] ? value[i] : want_most[k];
	}
	RUN("database/group_sums", "", WORK(144), WORK(48), ARRAY(kind), ARRAY(value), ARRAY(count),
	    ARRAY(sum), ARRAY(most), INT(ROWS));
	assert_ints(count, want_count, KINDS);
	assert_ints(sum, want_sum, KINDS);
	assert_ints(most, want_most, KINDS);
}

static void dictionary_decode_looks_up_prices(void **unused)
{
	enum { ROWS = 200, WORDS = 1000 };
	uint16_t code[ROWS];
	uint8_t percent[ROWS];
	double dictionary[WORDS], revenue[ROWS];
	(void)unused;
	seed();
	for (int w = 0; w < WORDS; w++)
		dictionary[w] = random_word() / 1000.0;
	for (int i = 0; i < ROWS; i++) {
		code[i] = (uint16_t)(random_word() % WORDS);
		percent[i] = (uint8_t)random_word();
	}
	RUN("database/dictionary_decode", "", WORK(224), WORK(32), ARRAY(code), ARRAY(dictionary),
	    ARRAY(percent), ARRAY(revenue), SCALAR(uint32_t, ROWS));
	for (int i = 0; i < ROWS; i++)
		assert_close(revenue[i], dictionary[code[i]] * (100 - percent[i] % 16) / 100,
		             1e-12);
}

static void bitmap_count_counts_the_bits_it_keeps(void **unused)
{
	enum { VECTORS = 300, WORDS = 4 * VECTORS, GROUPS = 2, GROUP = 32 };
	static uint64_t a[WORDS], b[WORDS], deleted[WORDS], rows[WORDS];
	uint32_t counts[GROUPS], want[GROUPS] = {0};
	(void)unused;
	seed();
	fill_words((uint32_t *)a, 2 * WORDS);
	fill_words((uint32_t *)b, 2 * WORDS);
	fill_words((uint32_t *)deleted, 2 * WORDS);
	RUN("database/bitmap_count", "", WORK(GROUPS * GROUP), WORK(GROUP), ARRAY(a), ARRAY(b),
	    ARRAY(deleted), ARRAY(rows), ARRAY(counts), SCALAR(uint32_t, VECTORS),
	    LOCAL(4 * GROUP));
	for (int w = 0; w < WORDS; w++) {
		assert_true(rows[w] == (a[w] & b[w] & ~deleted[w]));
		for (uint64_t left = rows[w]; left != 0; left &= left - 1)
			want[w / 4 / GROUP % GROUPS]++;
	}
	assert_words(counts, want, GROUPS);
}

static void merge_probe_finds_each_range(void **unused)
{
	enum { LEFTS = 120, RIGHTS = 75 };
	int left[LEFTS], right[RIGHTS], from[LEFTS], many[LEFTS], want[LEFTS], want_many[LEFTS];
	(void)unused;
	seed();
	fill_ints(left, LEFTS, 60);
	fill_ints(right, RIGHTS, 50);
	qsort(right, RIGHTS, sizeof right[0], by_value);
	for (int i = 0; i < LEFTS; i++) {
		want[i] = want_many[i] = 0;
		for (int k = 0; k < RIGHTS; k++) {
			want[i] += right[k] < left[i];
			want_many[i] += right[k] == left[i];
		}
	}
	RUN("database/merge_probe", "", WORK(128), WORK(32), ARRAY(left), ARRAY(right), ARRAY(from),
	    ARRAY(many), INT(LEFTS), INT(RIGHTS));
	assert_ints(from, want, LEFTS);
	assert_ints(many, want_many, LEFTS);
}

static void bit_unpack_restores_what_was_packed(void **unused)
{
	enum { BLOCKS = 2, COUNT = 128 * BLOCKS - 20 };
	static const uint32_t widths[] = {1, 7, 16, 31};
	(void)unused;
	seed();
	for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
		uint32_t packed[BLOCKS * 4 * 31] = {0}, bits = widths[w];
		int least[BLOCKS] = {-5000, 1000}, values[COUNT], want[COUNT];
		for (uint32_t i = 0; i < COUNT; i++) {
			uint32_t value = random_word() >> (32 - bits);
			want[i] = (int)((uint32_t)least[i / 128] + value);
			for (uint32_t bit = 0; bit < bits; bit++)
				if (value >> bit & 1) {
					uint32_t at = i / 128 * 128 * bits + i % 128 * bits + bit;
					packed[at / 32] |= 1u << at % 32;
				}
		}
		RUN("database/bit_unpack", "", WORK(256), WORK(32), ARRAY(packed), ARRAY(least),
		    ARRAY(values), SCALAR(uint32_t, bits), SCALAR(uint32_t, COUNT));
		assert_ints(values, want, COUNT);
	}
}

CHECK_FAMILY(database, cmocka_unit_test(select_compact_keeps_what_qualifies),
             cmocka_unit_test(hash_probe_joins),
             cmocka_unit_test(group_sums_count_add_and_find_the_greatest),
             cmocka_unit_test(dictionary_decode_looks_up_prices),
             cmocka_unit_test(bitmap_count_counts_the_bits_it_keeps),
             cmocka_unit_test(merge_probe_finds_each_range),
             cmocka_unit_test(bit_unpack_restores_what_was_packed))
