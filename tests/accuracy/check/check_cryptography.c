/* SPDX-License-Identifier: Apache-2.0 */
/* Ciphers, hashes and powers against published values and definitions. */
#include <string.h>

#include <sha256.h>

#include "tests/accuracy/check/run.h"

/* A vector of four words by value. */
#define ROW(words) {ARGUMENT_SCALAR, (words), 16}

static uint32_t turned(uint32_t value, unsigned by)
{
	return value << by | value >> (32 - by);
}

static uint64_t turned64(uint64_t value, unsigned by)
{
	return by == 0 ? value : value << by | value >> (64 - by);
}

static void quarter(uint32_t *s, int a, int b, int c, int d)
{
	static const unsigned turns[4] = {16, 12, 8, 7};
	for (int k = 0; k < 4; k += 2) {
		s[a] += s[b];
		s[d] = turned(s[d] ^ s[a], turns[k]);
		s[c] += s[d];
		s[b] = turned(s[b] ^ s[c], turns[k + 1]);
	}
}

static void chacha_block(const uint32_t *input, uint32_t *stream)
{
	memcpy(stream, input, 64);
	for (int round = 0; round < 10; round++) {
		for (int k = 0; k < 4; k++)
			quarter(stream, k, k + 4, k + 8, k + 12);
		for (int k = 0; k < 4; k++)
			quarter(stream, k, (k + 1) % 4 + 4, (k + 2) % 4 + 8, (k + 3) % 4 + 12);
	}
	for (int k = 0; k < 16; k++)
		stream[k] += input[k];
}

/* The example of RFC 8439, 2.3.2, and more blocks after it. */
static void chacha20_is_that_of_rfc_8439(void **unused)
{
	enum { BLOCKS = 40 };
	static uint32_t text[16 * BLOCKS], cipher[16 * BLOCKS], want[16 * BLOCKS];
	uint32_t input[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574,
	                      0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c,
	                      0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c,
	                      1,          0x09000000, 0x4a000000, 0};
	const uint32_t first = 1;
	(void)unused;
	seed();
	fill_words(text, 16 * BLOCKS);
	for (int b = 0; b < BLOCKS; b++) {
		uint32_t stream[16];
		chacha_block(input, stream);
		if (b == 0) {
			assert_int_equal(stream[0], 0xe4e7f110);
			assert_int_equal(stream[15], 0x4e3c50a2);
		}
		for (int k = 0; k < 16; k++)
			want[16 * b + k] = text[16 * b + k] ^ stream[k];
		input[12]++;
	}
	input[12] = first;
	RUN("cryptography/chacha20", "", WORK(48), WORK(16), ARRAY(text), ARRAY(cipher),
	    ROW(input + 4), ROW(input + 8), ROW(input + 12), SCALAR(uint32_t, BLOCKS));
	assert_words(cipher, want, 16 * BLOCKS);
}

static uint8_t doubled(uint8_t a)
{
	return (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0));
}

static uint8_t field_product(uint8_t a, uint8_t b)
{
	uint8_t product = 0;
	for (; b != 0; b >>= 1, a = doubled(a))
		if (b & 1)
			product ^= a;
	return product;
}

/* The inverse in the field, and then an affine map. */
static uint8_t substituted(uint8_t a)
{
	uint8_t inverse = 0, result = 0x63;
	for (int b = 1; b < 256; b++)
		if (field_product(a, (uint8_t)b) == 1)
			inverse = (uint8_t)b;
	for (int k = 0; k < 5; k++)
		result ^= (uint8_t)(inverse << k | inverse >> (8 - k));
	return result;
}

static void aes_encrypt(const uint8_t *box, const uint8_t (*key)[16], const uint8_t *in,
                        uint8_t *out)
{
	uint8_t s[16], t[16];
	for (int k = 0; k < 16; k++)
		s[k] = in[k] ^ key[0][k];
	for (int round = 1; round <= 10; round++) {
		for (int k = 0; k < 16; k++)
			t[k] = box[s[(k + 4 * (k % 4)) % 16]];
		for (int k = 0; k < 16; k++) {
			const uint8_t *column = t + k / 4 * 4;
			s[k] = round == 10 ? t[k]
			                   : field_product(2, column[k % 4]) ^
			                             field_product(3, column[(k + 1) % 4]) ^
			                             column[(k + 2) % 4] ^ column[(k + 3) % 4];
			s[k] ^= key[round][k];
		}
	}
	memcpy(out, s, 16);
}

static uint32_t big_endian(const uint8_t *b)
{
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* FIPS 197, appendix B, in the first block. */
static void aes_tables_is_that_of_fips_197(void **unused)
{
	enum { BLOCKS = 64 };
	static const uint8_t first[16] = {0x32, 0x43, 0xf6, 0xa8, 0x88, 0x5a, 0x30, 0x8d,
	                                  0x31, 0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07, 0x34};
	static const uint8_t secret[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
	                                   0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
	uint8_t box[256], key[11][16], once = 1;
	uint32_t table[256], round_key[44], plain[4 * BLOCKS], cipher[4 * BLOCKS], want[4 * BLOCKS];
	(void)unused;
	for (int a = 0; a < 256; a++) {
		uint8_t s = box[a] = substituted((uint8_t)a);
		table[a] = (uint32_t)field_product(2, s) << 24 | (uint32_t)s << 16 |
		           (uint32_t)s << 8 | field_product(3, s);
	}
	memcpy(key[0], secret, 16);
	for (int round = 1; round < 11; round++) {
		const uint8_t *before = key[round - 1];
		for (int k = 0; k < 4; k++)
			key[round][k] = before[k] ^ box[before[12 + (k + 1) % 4]];
		key[round][0] ^= once;
		once = doubled(once);
		for (int k = 4; k < 16; k++)
			key[round][k] = before[k] ^ key[round][k - 4];
	}
	for (int k = 0; k < 44; k++)
		round_key[k] = big_endian(key[0] + 4 * k);
	seed();
	for (int b = 0; b < BLOCKS; b++) {
		uint8_t in[16], out[16];
		for (int k = 0; k < 16; k++)
			in[k] = b == 0 ? first[k] : (uint8_t)random_word();
		aes_encrypt(box, (const uint8_t(*)[16])key, in, out);
		for (int k = 0; k < 4; k++) {
			plain[4 * b + k] = big_endian(in + 4 * k);
			want[4 * b + k] = big_endian(out + 4 * k);
		}
	}
	assert_int_equal(want[0], 0x3925841d);
	assert_int_equal(want[3], 0x196a0b32);
	RUN("cryptography/aes_tables", "", WORK(BLOCKS), WORK(32), ARRAY(plain), ARRAY(cipher),
	    ARRAY(table), ARRAY(round_key));
	assert_words(cipher, want, 4 * BLOCKS);
}

static void sip_rounds(uint64_t *v, int rounds)
{
	for (int i = 0; i < rounds; i++)
		for (int half = 0; half < 2; half++) {
			int b = half ? 3 : 1, d = half ? 1 : 3;
			v[0] += v[b];
			v[2] += v[d];
			v[b] = turned64(v[b], half ? 21 : 13) ^ v[0];
			v[d] = turned64(v[d], half ? 17 : 16) ^ v[2];
			if (half)
				v[2] = turned64(v[2], 32);
			else
				v[0] = turned64(v[0], 32);
		}
}

/* The key of the paper; messages of 0 and 8 bytes from 0 on have its first and ninth value. */
static void siphash_is_that_of_its_authors(void **unused)
{
	enum { MESSAGES = 50, MOST = 9 };
	const uint64_t key[2] = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
	uint64_t words[MESSAGES * MOST], hash[MESSAGES], want[MESSAGES];
	int start[MESSAGES + 1];
	(void)unused;
	seed();
	fill_words((uint32_t *)words, 2 * MESSAGES * MOST);
	start[0] = start[1] = 0;
	start[2] = 1;
	for (int m = 3; m <= MESSAGES; m++)
		start[m] = start[m - 1] + (int)(random_word() % MOST);
	words[0] = key[0];
	for (int m = 0; m < MESSAGES; m++) {
		uint64_t v[4] = {key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d,
		                 key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573};
		uint64_t length = (uint64_t)(start[m + 1] - start[m]) * 8;
		for (int k = start[m]; k <= start[m + 1]; k++) {
			uint64_t word = k < start[m + 1] ? words[k] : length << 56;
			v[3] ^= word;
			sip_rounds(v, 2);
			v[0] ^= word;
		}
		v[2] ^= 0xff;
		sip_rounds(v, 4);
		want[m] = v[0] ^ v[1] ^ v[2] ^ v[3];
	}
	assert_true(want[0] == 0x726fdb47dd0e0e31 && want[1] == 0x93f5f5799a932462);
	RUN("cryptography/siphash", "", WORK(64), WORK(32), ARRAY(words), ARRAY(start), ARRAY(hash),
	    SCALAR(uint64_t, key[0]), SCALAR(uint64_t, key[1]), INT(MESSAGES));
	assert_memory_equal(hash, want, sizeof want);
}

/* By doubling and adding, below 2^63. */
static uint64_t product_modulo(uint64_t a, uint64_t b, uint64_t modulus)
{
	uint64_t sum = 0;
	for (; b != 0; b >>= 1) {
		if (b & 1)
			sum = (sum + a) % modulus;
		a = a * 2 % modulus;
	}
	return sum;
}

static void modular_power_is_repeated_multiplication(void **unused)
{
	enum { N = 64 };
	const uint64_t modulus = 0x7fffffffffffffe7;
	uint64_t base[N], power[N], want[N], inverse = 1, square = 1;
	uint32_t exponent[N];
	(void)unused;
	seed();
	fill_words((uint32_t *)base, 2 * N);
	fill_words(exponent, N);
	for (int k = 0; k < 6; k++)
		inverse *= 2 - modulus * inverse; /* Newton */
	for (int k = 0; k < 128; k++)
		square = square * 2 % modulus;
	for (int i = 0; i < N; i++) {
		exponent[i] >>= i % 32;
		want[i] = 1;
		for (uint32_t bit = 1u << 31; bit != 0; bit >>= 1) {
			want[i] = product_modulo(want[i], want[i], modulus);
			if (exponent[i] & bit)
				want[i] = product_modulo(want[i], base[i] % modulus, modulus);
		}
	}
	RUN("cryptography/modular_power", "", WORK(N), WORK(16), ARRAY(base), ARRAY(exponent),
	    ARRAY(power), SCALAR(uint64_t, modulus), SCALAR(uint64_t, 0 - inverse),
	    SCALAR(uint64_t, square));
	assert_memory_equal(power, want, sizeof want);
}

/* By the definition's coordinates and shift register; a[y][x]. */
static void keccak_of(uint64_t a[5][5])
{
	uint32_t bits = 1;
	for (int round = 0; round < 24; round++) {
		uint64_t c[5], b[5][5];
		for (int x = 0; x < 5; x++)
			c[x] = a[0][x] ^ a[1][x] ^ a[2][x] ^ a[3][x] ^ a[4][x];
		for (int i = 0; i < 25; i++)
			a[i / 5][i % 5] ^= c[(i + 4) % 5] ^ turned64(c[(i + 1) % 5], 1);
		memcpy(b, a, sizeof b);
		for (int t = 0, x = 1, y = 0; t < 24; t++) {
			int next = (2 * x + 3 * y) % 5;
			b[next][y] = turned64(a[y][x], (unsigned)((t + 1) * (t + 2) / 2 % 64));
			x = y;
			y = next;
		}
		for (int i = 0; i < 25; i++)
			a[i / 5][i % 5] =
			        b[i / 5][i % 5] ^ (~b[i / 5][(i + 1) % 5] & b[i / 5][(i + 2) % 5]);
		for (int j = 0; j < 7; j++) {
			if (bits & 1)
				a[0][0] ^= UINT64_C(1) << ((1 << j) - 1);
			bits = bits << 1 ^ (bits & 0x80 ? 0x171 : 0);
		}
	}
}

static void keccak_is_the_permutation_of_its_definition(void **unused)
{
	enum { STATES = 40 };
	static uint64_t lanes[25 * STATES], want[25 * STATES];
	(void)unused;
	seed();
	fill_words((uint32_t *)lanes, 2 * 25 * STATES);
	for (int s = 0; s < STATES; s++) {
		uint64_t a[5][5];
		for (int i = 0; i < 25; i++)
			a[i / 5][i % 5] = lanes[i * STATES + s] *=
			        s != 0; /* first: the state of zeros */
		keccak_of(a);
		if (s == 0)
			assert_true(a[0][0] == 0xf1258f7940e1dde7);
		for (int i = 0; i < 25; i++)
			want[i * STATES + s] = a[i / 5][i % 5];
	}
	RUN("cryptography/keccak", "", WORK(48), WORK(16), ARRAY(lanes), SCALAR(uint32_t, STATES),
	    SCALAR(uint32_t, 24));
	assert_memory_equal(lanes, want, sizeof want);
}

static void sha256_chain_hashes_its_own_digest(void **unused)
{
	enum { CHAINS = 32, TIMES = 5 };
	uint32_t start[8 * CHAINS], end[8 * CHAINS], want[8 * CHAINS];
	(void)unused;
	seed();
	fill_words(start, 8 * CHAINS);
	for (int c = 0; c < CHAINS; c++) {
		uint8_t digest[SHA256_DIGEST_LENGTH];
		for (int k = 0; k < 32; k++)
			digest[k] = (uint8_t)(start[8 * c + k / 4] >> (24 - k % 4 * 8));
		for (int n = 0; n < TIMES; n++) {
			SHA2_CTX context;
			SHA256Init(&context);
			SHA256Update(&context, digest, sizeof digest);
			SHA256Final(digest, &context);
		}
		for (int k = 0; k < 8; k++)
			want[8 * c + k] = big_endian(digest + 4 * k);
	}
	RUN("cryptography/sha256_chain", "", WORK(CHAINS), WORK(16), ARRAY(start), ARRAY(end),
	    SCALAR(uint32_t, TIMES));
	assert_words(end, want, 8 * CHAINS);
}

CHECK_FAMILY(cryptography, cmocka_unit_test(chacha20_is_that_of_rfc_8439),
             cmocka_unit_test(aes_tables_is_that_of_fips_197),
             cmocka_unit_test(siphash_is_that_of_its_authors),
             cmocka_unit_test(modular_power_is_repeated_multiplication),
             cmocka_unit_test(keccak_is_the_permutation_of_its_definition),
             cmocka_unit_test(sha256_chain_hashes_its_own_digest))
