/* SPDX-License-Identifier: Apache-2.0 */
/* Texts: searched, counted, compared, validated and encoded, against the host. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tests/accuracy/check/run.h"

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static void substring_search_finds_every_place(void **unused)
{
	enum { LENGTH = 500, WORD = 4, MOST = 64 };
	char text[LENGTH + 1] = {0}, word[WORD + 1] = "spam";
	uint8_t bytes[LENGTH], letters[WORD];
	uint32_t places[MOST], want[MOST], found[1] = {0}, count = 0;
	(void)unused;
	seed();
	for (int i = 0; i < LENGTH; i++)
		text[i] = "apmsPS"[random_word() % 6];
	memcpy(text + LENGTH - WORD, "SpAm", WORD);
	memcpy(text + 100, "spaspamspamspa", 14);
	memcpy(bytes, text, sizeof bytes);
	memcpy(letters, word, sizeof letters);
	for (uint32_t i = 0; i + WORD <= LENGTH; i++)
		if (strncasecmp(text + i, word, WORD) == 0 && count < MOST)
			want[count++] = i;
	assert_in_range(count, 3, MOST - 1);
	RUN("text/substring_search", "", WORK(512), WORK(32), ARRAY(bytes), ARRAY(letters),
	    ARRAY(places), ARRAY(found), SCALAR(uint32_t, LENGTH), SCALAR(uint32_t, WORD),
	    SCALAR(uint32_t, MOST));
	assert_int_equal(found[0], count);
	qsort(places, count, sizeof places[0], by_value);
	assert_words(places, want, count);
}

static void substring_search_keeps_within_its_places(void **unused)
{
	enum { LENGTH = 64, MOST = 5 };
	uint8_t bytes[LENGTH], letters[1] = {'a'};
	uint32_t places[MOST], found[1] = {0};
	(void)unused;
	memset(bytes, 'A', sizeof bytes);
	RUN("text/substring_search", "", WORK(LENGTH), WORK(32), ARRAY(bytes), ARRAY(letters),
	    ARRAY(places), ARRAY(found), SCALAR(uint32_t, LENGTH), SCALAR(uint32_t, 1),
	    SCALAR(uint32_t, MOST));
	assert_int_equal(found[0], LENGTH);
}

static void kmer_count_counts_both_strands(void **unused)
{
	enum { LETTERS = 1000, K = 5, WORDS = 1 << 2 * K };
	uint32_t genome[LETTERS / 16 + 1], count[WORDS] = {0}, want[WORDS] = {0};
	(void)unused;
	seed();
	fill_words(genome, LETTERS / 16 + 1);
	for (int at = 0; at + K <= LETTERS; at++) {
		uint32_t word = 0, other = 0;
		for (int k = 0; k < K; k++) {
			uint32_t letter = genome[(at + k) / 16] >> (at + k) % 16 * 2 & 3;
			word |= letter << 2 * k;
			other |= (3 - letter) << 2 * (K - 1 - k);
		}
		want[word < other ? word : other]++;
	}
	RUN("text/kmer_count", "", WORK(1024), WORK(32), ARRAY(genome), ARRAY(count),
	    SCALAR(uint32_t, LETTERS), SCALAR(uint32_t, K));
	assert_words(count, want, WORDS);
}

/* By the table of all distances. */
static void edit_distance_is_the_least_of_the_table(void **unused)
{
	enum { TEXTS = 60, LENGTH = 50, PATTERN = 20 };
	static uint8_t text[LENGTH * TEXTS];
	uint8_t pattern[PATTERN], least[TEXTS];
	uint32_t match[4] = {0};
	int got[TEXTS], want[TEXTS];
	(void)unused;
	seed();
	for (int k = 0; k < PATTERN; k++) {
		pattern[k] = random_word() & 3;
		match[pattern[k]] |= 1u << k;
	}
	for (int k = 0; k < LENGTH; k++)
		for (int t = 0; t < TEXTS; t++) { /* t of the texts' letters are the pattern's */
			int from = k - 10;
			bool same =
			        from >= 0 && from < PATTERN && random_word() % TEXTS < (uint32_t)t;
			text[k * TEXTS + t] = same ? pattern[from] : random_word() & 3;
		}
	for (int t = 0; t < TEXTS; t++) {
		int row[PATTERN + 1];
		for (int k = 0; k <= PATTERN; k++)
			row[k] = k;
		want[t] = PATTERN;
		for (int i = 0; i < LENGTH; i++) {
			int diagonal = 0;
			for (int k = 1; k <= PATTERN; k++) {
				int other = diagonal + (pattern[k - 1] != text[i * TEXTS + t]);
				diagonal = row[k];
				row[k] = 1 + (row[k] < row[k - 1] ? row[k] : row[k - 1]);
				row[k] = other < row[k] ? other : row[k];
			}
			want[t] = row[PATTERN] < want[t] ? row[PATTERN] : want[t];
		}
	}
	RUN("text/edit_distance", "", WORK(64), WORK(32), ARRAY(text), ARRAY(match), ARRAY(least),
	    INT(TEXTS), INT(LENGTH), INT(PATTERN));
	for (int t = 0; t < TEXTS; t++)
		got[t] = least[t];
	assert_ints(got, want, TEXTS);
}

/* Writes one character, as many bytes as it takes. */
static size_t utf8_of(uint32_t character, uint8_t *to)
{
	size_t more = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
	static const uint8_t first[4] = {0, 0xc0, 0xe0, 0xf0};
	to[0] = (uint8_t)(first[more] | character >> 6 * more);
	for (size_t k = 1; k <= more; k++)
		to[k] = (uint8_t)(0x80 | (character >> 6 * (more - k) & 0x3f));
	return more + 1;
}

/* Records of characters, with a known number of mistakes of known kinds between them. */
static void utf8_errors_are_counted(void **unused)
{
	enum { RECORDS = 64, BYTES = 80 };
	static const char *mistakes[] = {"\xff",
	                                 "\x80",
	                                 "\xc0",
	                                 "\xe2\x82",
	                                 "\xf5",
	                                 "\xed\xa0\x80",
	                                 "\xf0\x80\x80\x80",
	                                 "\xe0\x9f\xbf",
	                                 "\xf4\x90\x80\x80"};
	static uint8_t text[RECORDS * BYTES];
	uint32_t errors[RECORDS], characters[RECORDS], want_errors[RECORDS] = {0},
	                                               want_characters[RECORDS] = {0};
	(void)unused;
	seed();
	for (int r = 0; r < RECORDS; r++) {
		uint8_t *record = text + (size_t)r * BYTES;
		size_t at = 0;
		while (at + 8 <= BYTES) {
			if (random_word() % 4 == 0) {
				const char *mistake = mistakes[random_word() % 9];
				memcpy(record + at, mistake, strlen(mistake));
				at += strlen(mistake);
				want_errors[r]++;
			}
			static const uint32_t most[4] = {0x80, 0x800, 0xd800, 0x110000};
			uint32_t character = random_word() % most[random_word() % 4];
			if (character >= 0xd800 && character < 0xe000)
				character = 0x20ac;
			at += utf8_of(character, record + at);
			want_characters[r]++;
		}
		want_characters[r] += (uint32_t)(BYTES - at); /* zeros */
	}
	RUN("text/utf8_errors", "", WORK(RECORDS), WORK(32), ARRAY(text), ARRAY(errors),
	    ARRAY(characters), SCALAR(uint32_t, BYTES));
	assert_words(errors, want_errors, RECORDS);
	assert_words(characters, want_characters, RECORDS);
}

static void base64_encode_is_that_of_rfc_4648(void **unused)
{
	enum { QUADS = 41 };
	static const char digits[] =
	        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint8_t bytes[3 * QUADS], text[4 * QUADS], want[4 * QUADS];
	(void)unused;
	seed();
	for (int i = 0; i < 3 * QUADS; i++)
		bytes[i] = (uint8_t)random_word();
	memcpy(bytes, "foobar", 6);
	for (int i = 0; i < 4 * QUADS; i++) { /* six bits, one by one */
		int value = 0;
		for (int bit = 6 * i; bit < 6 * i + 6; bit++)
			value = 2 * value + (bytes[bit / 8] >> (7 - bit % 8) & 1);
		want[i] = (uint8_t)digits[value];
	}
	assert_memory_equal(want, "Zm9vYmFy", 8);
	RUN("text/base64_encode", "", WORK(16), WORK(8), ARRAY(bytes), ARRAY(text),
	    SCALAR(uint32_t, QUADS));
	assert_memory_equal(text, want, sizeof want);
}

static void letter_counts_are_of_either_case(void **unused)
{
	enum { VECTORS = 150 };
	static uint8_t text[16 * VECTORS];
	uint32_t total[26] = {0}, want[26] = {0};
	(void)unused;
	seed();
	for (int i = 0; i < 16 * VECTORS; i++) {
		text[i] = (uint8_t)random_word();
		if (text[i] < 0x80 && isalpha(text[i]))
			want[tolower(text[i]) - 'a']++;
	}
	RUN("text/letter_counts", "", WORK(64), WORK(32), ARRAY(text), ARRAY(total),
	    SCALAR(uint32_t, VECTORS));
	assert_words(total, want, 26);
}

CHECK_FAMILY(text, cmocka_unit_test(substring_search_finds_every_place),
             cmocka_unit_test(substring_search_keeps_within_its_places),
             cmocka_unit_test(kmer_count_counts_both_strands),
             cmocka_unit_test(edit_distance_is_the_least_of_the_table),
             cmocka_unit_test(utf8_errors_are_counted),
             cmocka_unit_test(base64_encode_is_that_of_rfc_4648),
             cmocka_unit_test(letter_counts_are_of_either_case))
