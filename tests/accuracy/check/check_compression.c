/* SPDX-License-Identifier: Apache-2.0 */
/* Codes, runs, differences and matches against the host. */
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

/* Encoded here with a code of lengths 1 to 8, as prefixes from the lowest bit. */
static void huffman_decode_restores_the_text(void **unused)
{
	enum { PIECES = 64, SYMBOLS = 50, WORDS = SYMBOLS / 4 + 2, CODES = 9 };
	static uint32_t stream[PIECES * WORDS];
	static uint8_t text[PIECES * SYMBOLS], want[PIECES * SYMBOLS];
	int codes[256];
	(void)unused;
	memset(stream, 0, sizeof stream);
	for (int window = 0; window < 256; window++) { /* n ones and a zero; eight ones */
		int n = 0;
		while (n < 8 && (window >> n & 1) == 1)
			n++;
		codes[window] = (n == 8 ? 7 : n) << 8 | (65 + n);
	}
	seed();
	for (int piece = 0; piece < PIECES; piece++) {
		int bit = piece * WORDS * 32;
		for (int s = 0; s < SYMBOLS; s++) {
			int n = (int)(random_word() % CODES);
			want[piece * SYMBOLS + s] = (uint8_t)(65 + n);
			for (int k = 0; k < n; k++, bit++)
				stream[bit / 32] |= 1u << bit % 32;
			bit += n < 8;
		}
	}
	RUN("compression/huffman_decode", "", WORK(PIECES), WORK(32), ARRAY(stream), ARRAY(codes),
	    ARRAY(text), SCALAR(uint32_t, WORDS), SCALAR(uint32_t, SYMBOLS));
	assert_memory_equal(text, want, sizeof want);
}

static void rle_expand_repeats_each_value(void **unused)
{
	enum { RUNS = 90, MOST = 30 };
	static uint8_t text[RUNS * MOST], want[RUNS * MOST];
	uint8_t value[RUNS];
	int start[RUNS + 1];
	(void)unused;
	memset(text, 0, sizeof text);
	memset(want, 0, sizeof want);
	seed();
	(void)fill_rows(start, RUNS, MOST);
	for (int run = 0; run < RUNS; run++) {
		value[run] = (uint8_t)random_word();
		memset(want + start[run], value[run], (size_t)(start[run + 1] - start[run]));
	}
	RUN("compression/rle_expand", "", WORK(96), WORK(32), ARRAY(value), ARRAY(start),
	    ARRAY(text), INT(RUNS));
	assert_memory_equal(text, want, sizeof want);
}

static void delta_scan_adds_up_differences(void **unused)
{
	enum { GROUPS = 3, GROUP = 32, BLOCK = 4 * GROUP, ALL = GROUPS * BLOCK };
	uint32_t coded[ALL], values[ALL], want[ALL], first[GROUPS];
	(void)unused;
	seed();
	fill_words(first, GROUPS);
	for (int i = 0; i < ALL; i++) {
		int32_t differ = (int32_t)random_word() >> random_word() % 31;
		uint32_t before = i % BLOCK == 0 ? first[i / BLOCK] : want[i - 1];
		coded[i] = differ < 0 ? 2 * ~(uint32_t)differ + 1 : 2 * (uint32_t)differ;
		want[i] = before + (uint32_t)differ;
	}
	RUN("compression/delta_scan", "", WORK(GROUPS * GROUP), WORK(GROUP), ARRAY(coded),
	    ARRAY(first), ARRAY(values), LOCAL(4 * GROUP));
	assert_words(values, want, ALL);
}

static void lz_longest_finds_what_is_repeated(void **unused)
{
	enum { LENGTH = 300, WINDOW = 32, ENOUGH = 12 };
	int tokens[LENGTH];
	uint16_t match[2 * LENGTH];
	int longest = 0;
	(void)unused;
	seed();
	fill_ints(tokens, LENGTH, 3);
	memcpy(tokens + 100, tokens + 80, 20 * sizeof tokens[0]);
	RUN("compression/lz_longest", "", WORK(320), WORK(32), ARRAY(tokens), ARRAY(match),
	    INT(LENGTH));
	for (int at = 0; at < LENGTH; at++) {
		int best = 0, back = 0;
		for (int from = at - 1; from >= 0 && from >= at - WINDOW; from--) {
			int k = 0;
			while (k < ENOUGH && at + k < LENGTH && tokens[at + k] == tokens[from + k])
				k++;
			if (k > best) {
				best = k;
				back = at - from;
			}
		}
		assert_int_equal(match[2 * at], best);
		assert_int_equal(match[2 * at + 1], back);
		longest = best > longest ? best : longest;
	}
	assert_int_equal(longest, ENOUGH);
}

static void varint_pack_leaves_no_gaps(void **unused)
{
	enum { COUNT = 150, GROUP = 32, GROUPS = 5, BLOCK = 5 * GROUP };
	uint32_t values[COUNT], sizes[GROUPS];
	uint8_t packed[GROUPS * BLOCK];
	(void)unused;
	seed();
	for (int i = 0; i < COUNT; i++)
		values[i] = random_word() >> random_word() % 32;
	values[0] = 0;
	values[1] = 127;
	values[2] = 128;
	values[3] = UINT32_MAX;
	RUN("compression/varint_pack", "", WORK(GROUPS * GROUP), WORK(GROUP), ARRAY(values),
	    ARRAY(packed), ARRAY(sizes), SCALAR(uint32_t, COUNT), LOCAL(4 * GROUP));
	for (int g = 0; g < GROUPS; g++) {
		const uint8_t *next = packed + g * BLOCK;
		for (int i = g * GROUP; i < (g + 1) * GROUP && i < COUNT; i++) {
			uint64_t value = 0;
			uint32_t bytes = 0;
			do {
				value |= (uint64_t)(*next & 127) << 7 * bytes;
				bytes++;
			} while (*next++ >= 128);
			assert_int_equal(value, values[i]);
			assert_true(bytes == 1 || value >> 7 * (bytes - 1) != 0);
		}
		assert_int_equal(sizes[g], next - (packed + g * BLOCK));
	}
}

static void bit_shuffle_gathers_bits(void **unused)
{
	enum { COUNT = 75 };
	uint8_t bytes[8 * COUNT], planes[8 * COUNT];
	(void)unused;
	seed();
	for (int i = 0; i < 8 * COUNT; i++)
		bytes[i] = (uint8_t)random_word();
	RUN("compression/bit_shuffle", "", WORK(96), WORK(32), ARRAY(bytes), ARRAY(planes),
	    SCALAR(uint32_t, COUNT));
	for (int i = 0; i < 8 * COUNT; i++)
		for (int bit = 0; bit < 8; bit++)
			assert_int_equal(bytes[i] >> bit & 1,
			                 planes[bit * COUNT + i / 8] >> i % 8 & 1);
}

static void gorilla_bits_counts(void **unused)
{
	enum { SERIES = 40, LENGTH = 60 };
	uint32_t samples[SERIES * LENGTH], bits[SERIES], windows[SERIES], reused = 0;
	(void)unused;
	seed();
	for (int i = 0; i < SERIES * LENGTH; i++) {
		uint32_t noise = (random_word() & 7) << random_word() % 14;
		samples[i] = i < SERIES ? random_word() : samples[i - SERIES] ^ noise;
	}
	RUN("compression/gorilla_bits", "", WORK(64), WORK(32), ARRAY(samples), ARRAY(bits),
	    ARRAY(windows), INT(SERIES), INT(LENGTH));
	for (int s = 0; s < SERIES; s++) {
		int high = -1, low = 0; /* of the window's bits */
		uint32_t total = 32, opened = 0;
		for (int t = 1; t < LENGTH; t++) {
			uint32_t differ = samples[t * SERIES + s] ^ samples[(t - 1) * SERIES + s];
			int top = 31, bottom = 0;
			if (differ == 0) {
				total++;
				continue;
			}
			while (differ >> top == 0)
				top--;
			while ((differ >> bottom & 1) == 0)
				bottom++;
			top = top < 16 ? 16 : top; /* fifteen zeros are counted at most */
			if (high >= 0 && top <= high && bottom >= low) {
				reused++;
			} else {
				high = top;
				low = bottom;
				opened++;
				total += 9;
			}
			total += 2 + (uint32_t)(high - low + 1);
		}
		assert_int_equal(bits[s], total);
		assert_int_equal(windows[s], opened);
	}
	assert_in_range(reused, SERIES, SERIES * LENGTH);
}

CHECK_FAMILY(compression, cmocka_unit_test(huffman_decode_restores_the_text),
             cmocka_unit_test(rle_expand_repeats_each_value),
             cmocka_unit_test(delta_scan_adds_up_differences),
             cmocka_unit_test(lz_longest_finds_what_is_repeated),
             cmocka_unit_test(varint_pack_leaves_no_gaps),
             cmocka_unit_test(bit_shuffle_gathers_bits), cmocka_unit_test(gorilla_bits_counts))
