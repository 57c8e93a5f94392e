/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes against another library's, and against published values. */
#include <string.h>

#include <md5.h>
#include <sha256.h>

#include "tests/accuracy/check/run.h"

enum { MESSAGES = 64, WORDS = 16 };

/* One block: text of 55 bytes at most, a bit, zeros, the length; words of message m at [w][m]. */
static void pad(const char *text, size_t size, bool big_endian, uint32_t *word, int message)
{
	unsigned char block[64] = {0};
	memcpy(block, text, size);
	block[size] = 0x80;
	size_t bits = 8 * size;
	block[big_endian ? 63 : 56] = (unsigned char)bits;
	block[big_endian ? 62 : 57] = (unsigned char)(bits >> 8);
	for (int w = 0; w < WORDS; w++) {
		const unsigned char *b = block + 4 * w;
		word[w * MESSAGES + message] =
		        big_endian ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 |
		                             (uint32_t)b[2] << 8 | b[3]
		                   : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 |
		                             (uint32_t)b[1] << 8 | b[0];
	}
}

static size_t message_text(char *text, int message)
{
	return (size_t)snprintf(text, 56, "message %d of a library of kernels", message * 7919);
}

static void md5_is_that_of_the_standard(void **unused)
{
	static uint32_t word[WORDS * MESSAGES], digest[4 * MESSAGES];
	(void)unused;
	for (int m = 0; m < MESSAGES; m++) {
		char text[56];
		pad(text, message_text(text, m), false, word, m);
	}
	RUN("hashing/md5", "", WORK(MESSAGES), WORK(32), ARRAY(word), ARRAY(digest), INT(MESSAGES));
	for (int m = 0; m < MESSAGES; m++) {
		unsigned char want[MD5_DIGEST_LENGTH];
		char text[56];
		MD5_CTX context;
		MD5Init(&context);
		MD5Update(&context, (const uint8_t *)text, message_text(text, m));
		MD5Final(want, &context);
		assert_memory_equal(&digest[4 * m], want, sizeof want);
	}
}

static uint32_t turned(uint32_t value, unsigned by)
{
	return value << by | value >> (32 - by);
}

static void md5_unrolled_is_two_rounds(void **unused)
{
	static const unsigned turns[2][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}};
	uint32_t in[MESSAGES], out[MESSAGES], want[MESSAGES];
	const uint32_t salt = 0x12345678;
	(void)unused;
	seed();
	fill_words(in, MESSAGES);
	for (int m = 0; m < MESSAGES; m++) {
		uint32_t block[WORDS] = {in[m], salt, 0x80},
		         s[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
		block[14] = 64;
		for (unsigned i = 0; i < 32; i++) {
			uint32_t b = s[1], c = s[2], d = s[3];
			uint32_t mixed = i < 16 ? (b & c) | (~b & d) : (d & b) | (~d & c);
			uint32_t constant = (uint32_t)floor(fabs(sin(i + 1.0)) * 4294967296.0);
			uint32_t sum =
			        s[0] + mixed + constant + block[i < 16 ? i : (5 * i + 1) % 16];
			s[0] = d;
			s[3] = c;
			s[2] = b;
			s[1] = b + turned(sum, turns[i / 16][i % 4]);
		}
		want[m] = s[0] ^ s[1] ^ s[2] ^ s[3];
	}
	RUN("hashing/md5_unrolled", "", WORK(MESSAGES), WORK(16), ARRAY(in), ARRAY(out),
	    SCALAR(uint32_t, salt));
	assert_words(out, want, MESSAGES);
}

static void sha256_is_that_of_the_standard(void **unused)
{
	static uint32_t word[WORDS * MESSAGES], digest[8 * MESSAGES];
	(void)unused;
	for (int m = 0; m < MESSAGES; m++) {
		char text[56];
		pad(text, message_text(text, m), true, word, m);
	}
	RUN("hashing/sha256", "", WORK(MESSAGES), WORK(32), ARRAY(word), ARRAY(digest),
	    INT(MESSAGES));
	for (int m = 0; m < MESSAGES; m++) {
		unsigned char want[SHA256_DIGEST_LENGTH];
		char text[56];
		SHA2_CTX context;
		SHA256Init(&context);
		SHA256Update(&context, (const uint8_t *)text, message_text(text, m));
		SHA256Final(want, &context);
		for (int w = 0; w < 8; w++)
			assert_int_equal(digest[w * MESSAGES + m],
			                 (uint32_t)want[4 * w] << 24 |
			                         (uint32_t)want[4 * w + 1] << 16 |
			                         (uint32_t)want[4 * w + 2] << 8 | want[4 * w + 3]);
	}
}

/* By polynomial division, the highest bit first: independent of the kernels' reflected form. */
static uint32_t crc32_of(const unsigned char *data, size_t size)
{
	uint32_t rest = 0xffffffff, mirrored = 0;
	for (size_t i = 0; i < size * 8; i++) {
		uint32_t bit = (uint32_t)(data[i / 8] >> (i % 8)) & 1;
		uint32_t top = (rest >> 31) ^ bit;
		rest = (rest << 1) ^ (top ? 0x04c11db7 : 0);
	}
	for (unsigned k = 0; k < 32; k++)
		mirrored |= (rest >> k & 1) << (31 - k);
	return ~mirrored;
}

static void crc32_is_that_of_ethernet(void **unused)
{
	enum { BLOCK_WORDS = 9, BLOCK_BYTES = 4 * BLOCK_WORDS };
	static uint32_t words[BLOCK_WORDS * MESSAGES], crc[MESSAGES], want[MESSAGES], table[256];
	static unsigned char bytes[BLOCK_BYTES * MESSAGES];
	(void)unused;
	assert_int_equal(crc32_of((const unsigned char *)"123456789", 9), 0xcbf43926);
	seed();
	fill_words(words, BLOCK_WORDS * MESSAGES);
	for (int m = 0; m < MESSAGES; m++) {
		for (int w = 0; w < BLOCK_WORDS; w++)
			memcpy(bytes + m * BLOCK_BYTES + 4 * w, &words[w * MESSAGES + m], 4);
		want[m] = crc32_of(bytes + m * BLOCK_BYTES, BLOCK_BYTES);
	}
	RUN("hashing/crc32_bits", "", WORK(MESSAGES), WORK(32), ARRAY(words), ARRAY(crc),
	    INT(BLOCK_WORDS));
	assert_words(crc, want, MESSAGES);
	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int k = 0; k < 8; k++)
			table[i] = (table[i] >> 1) ^ (table[i] & 1 ? 0xedb88320 : 0);
	}
	memset(crc, 0, sizeof crc);
	RUN("hashing/crc32_table", "", WORK(MESSAGES), WORK(32), ARRAY(bytes), ARRAY(table),
	    ARRAY(crc), INT(BLOCK_BYTES));
	assert_words(crc, want, MESSAGES);
}

static void murmur3_mixes_four_words(void **unused)
{
	uint32_t keys[4 * MESSAGES], hash[MESSAGES], want[MESSAGES];
	(void)unused;
	seed();
	fill_words(keys, 4 * MESSAGES);
	for (int m = 0; m < MESSAGES; m++) {
		uint32_t h = 0;
		for (int k = 0; k < 4; k++) {
			h ^= turned(keys[4 * m + k] * 0xcc9e2d51, 15) * 0x1b873593;
			h = turned(h, 13) * 5 + 0xe6546b64;
		}
		h ^= 16;
		h = (h ^ h >> 16) * 0x85ebca6b;
		h = (h ^ h >> 13) * 0xc2b2ae35;
		want[m] = h ^ h >> 16;
	}
	RUN("hashing/murmur3", "", WORK(MESSAGES), WORK(16), ARRAY(keys), ARRAY(hash),
	    SCALAR(uint32_t, 0));
	assert_words(hash, want, MESSAGES);
}

static void fnv_fills_buckets(void **unused)
{
	static unsigned char keys[8 * MESSAGES];
	uint32_t bucket[16] = {0}, want[16] = {0};
	(void)unused;
	seed();
	for (int i = 0; i < 8 * MESSAGES; i++)
		keys[i] = (unsigned char)random_word();
	for (int m = 0; m < MESSAGES; m++) {
		uint64_t h = 2166136261;
		for (int k = 0; k < 8; k++)
			h = ((h ^ keys[8 * m + k]) * 16777619) & 0xffffffff;
		want[h % 16]++;
	}
	RUN("hashing/fnv_buckets", "", WORK(MESSAGES), WORK(32), ARRAY(keys), ARRAY(bucket),
	    SCALAR(uint32_t, 15));
	assert_words(bucket, want, 16);
}

CHECK_FAMILY(hashing, cmocka_unit_test(md5_is_that_of_the_standard),
             cmocka_unit_test(md5_unrolled_is_two_rounds),
             cmocka_unit_test(sha256_is_that_of_the_standard),
             cmocka_unit_test(crc32_is_that_of_ethernet),
             cmocka_unit_test(murmur3_mixes_four_words), cmocka_unit_test(fnv_fills_buckets))
