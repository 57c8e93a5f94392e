/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms, residues, primes and symbols against the host. */
#include "tests/accuracy/check/run.h"

enum { P = 998244353 };

static uint32_t power(uint64_t base, uint64_t exponent, uint64_t modulus)
{
	uint64_t result = 1;
	for (base %= modulus; exponent > 0; exponent /= 2) {
		result = exponent % 2 == 1 ? result * base % modulus : result;
		base = base * base % modulus;
	}
	return (uint32_t)(result % modulus);
}

/* All stages, on words in reversed order, are the sums that define the transform. */
static void ntt_stage_makes_a_transform(void **unused)
{
	enum { LENGTH = 64, BATCH = 2 };
	uint32_t x[LENGTH * BATCH], data[LENGTH * BATCH], twiddle[LENGTH / 2];
	uint32_t root = power(3, (P - 1) / LENGTH, P);
	(void)unused;
	seed();
	for (int i = 0; i < LENGTH / 2; i++)
		twiddle[i] = power(root, (uint64_t)i, P);
	for (int i = 0; i < LENGTH * BATCH; i++) {
		int reversed = 0;
		for (int bit = 0; bit < 6; bit++)
			reversed |= (i >> bit & 1) << (5 - bit);
		x[i] = random_word() % P;
		data[i / LENGTH * LENGTH + reversed] = x[i];
	}
	for (uint32_t half = 1; half < LENGTH; half *= 2)
		RUN("numbers/ntt_stage", "", WORK(LENGTH / 2, BATCH), WORK(16, 1), ARRAY(data),
		    ARRAY(twiddle), SCALAR(uint32_t, LENGTH), SCALAR(uint32_t, half));
	for (int i = 0; i < LENGTH * BATCH; i++) {
		uint64_t sum = 0;
		for (int k = 0; k < LENGTH; k++)
			sum += (uint64_t)x[i / LENGTH * LENGTH + k] *
			       power(root, (uint64_t)(k * (i % LENGTH)), P) % P;
		assert_int_equal(data[i], sum % P);
	}
}

enum { LIMBS = 8 };

/* a = 2 a modulo m, or a + b modulo m; both below m, and m below 2^255. */
static void add_residue(uint32_t *a, const uint32_t *b, const uint32_t *m)
{
	uint32_t less[LIMBS];
	uint64_t carry = 0, borrow = 0;
	for (int i = 0; i < LIMBS; i++) {
		carry += (uint64_t)a[i] + b[i];
		a[i] = (uint32_t)carry;
		carry >>= 32;
		uint64_t rest = (uint64_t)a[i] - m[i] - borrow;
		less[i] = (uint32_t)rest;
		borrow = rest >> 63;
	}
	for (int i = 0; i < LIMBS && borrow == 0; i++)
		a[i] = less[i];
}

/* What the kernel made times 2^256 for each squaring is what squaring bit by bit makes. */
static void montgomery_square_is_a_square(void **unused)
{
	enum { COUNT = 40 };
	uint32_t x[LIMBS * COUNT], before[LIMBS * COUNT], m[LIMBS], inverse = 1;
	(void)unused;
	seed();
	fill_words(m, LIMBS);
	m[0] |= 1;
	m[LIMBS - 1] = (m[LIMBS - 1] & 0x3fffffff) | 0x20000000;
	fill_words(x, (size_t)LIMBS * COUNT);
	for (int i = 0; i < COUNT; i++)
		x[(LIMBS - 1) * COUNT + i] %= m[LIMBS - 1];
	for (int i = 0; i < LIMBS * COUNT; i++)
		before[i] = x[i];
	for (int i = 0; i < 5; i++)
		inverse *= 2 - m[0] * inverse;
	RUN("numbers/montgomery_square", "", WORK(64), WORK(32), ARRAY(x), ARRAY(m),
	    SCALAR(uint32_t, 0u - inverse), INT(1), SCALAR(uint32_t, COUNT));
	for (int i = 0; i < COUNT; i++) {
		uint32_t a[LIMBS], square[LIMBS] = {0}, got[LIMBS];
		for (int j = 0; j < LIMBS; j++) {
			a[j] = before[j * COUNT + i];
			got[j] = x[j * COUNT + i];
		}
		for (int bit = 32 * LIMBS - 1; bit >= 0; bit--) {
			add_residue(square, square, m);
			if (a[bit / 32] >> bit % 32 & 1)
				add_residue(square, a, m);
			add_residue(got, got, m);
		}
		assert_words(got, square, LIMBS);
	}
}

static void miller_rabin_knows_primes(void **unused)
{
	enum { COUNT = 400 };
	uint32_t numbers[COUNT];
	uint8_t is_prime[COUNT];
	int primes = 0;
	(void)unused;
	seed();
	for (uint32_t i = 0; i < COUNT; i++)
		numbers[i] = i < 100 ? i : random_word() >> random_word() % 20;
	numbers[200] = 3215031751u; /* a strong pseudoprime to 2, 3, 5 and 7 */
	numbers[201] = 4294967291u;
	RUN("numbers/miller_rabin", "", WORK(416), WORK(32), ARRAY(numbers), ARRAY(is_prime),
	    SCALAR(uint32_t, COUNT));
	for (int i = 0; i < COUNT; i++) {
		uint32_t n = numbers[i] | 1;
		int want = n > 1;
		for (uint64_t k = 3; k * k <= n && want == 1; k += 2)
			want = n % k != 0;
		primes += want;
		assert_int_equal(is_prime[i], want);
	}
	assert_true(primes > 40);
}

static void sieve_segment_counts_what_is_left(void **unused)
{
	enum { STEPS = 60, SEGMENT = 1024, GROUPS = 5, ORIGIN = 77777 };
	int gaps[STEPS];
	uint32_t left[GROUPS], want[GROUPS] = {0};
	(void)unused;
	seed();
	fill_ints(gaps, STEPS, 900);
	RUN("numbers/sieve_segment", "-DSEGMENT=1024", WORK((size_t)GROUPS * 32), WORK(32),
	    ARRAY(gaps), INT(STEPS), SCALAR(uint32_t, ORIGIN), ARRAY(left));
	for (int i = 0; i < GROUPS * SEGMENT; i++) {
		uint32_t is_left = 1;
		for (int s = 0; s < STEPS; s++)
			is_left &= (2 * (ORIGIN + i) + 1) % (2 * gaps[s] + 3) != 0;
		want[i / SEGMENT] += is_left;
	}
	assert_words(left, want, GROUPS);
}

static uint64_t collatz_peak(uint64_t n)
{
	uint64_t rest = n == 1 ? 1 : collatz_peak(n % 2 == 0 ? n / 2 : 3 * n + 1);
	return rest > n ? rest : n;
}

static int collatz_steps(uint64_t n)
{
	return n == 1 ? 0 : 1 + collatz_steps(n % 2 == 0 ? n / 2 : 3 * n + 1);
}

static void collatz_peaks_follow_the_path(void **unused)
{
	enum { COUNT = 256, FIRST = 77031 };
	uint16_t steps[COUNT];
	uint64_t peaks[COUNT];
	(void)unused;
	RUN("numbers/collatz_peaks", "", WORK(COUNT), WORK(32), SCALAR(uint64_t, FIRST),
	    ARRAY(steps), ARRAY(peaks));
	assert_int_equal(steps[0], 350); /* the longest below 100000 */
	for (uint64_t i = 0; i < COUNT; i++) {
		assert_int_equal(steps[i], collatz_steps(FIRST + 2 * i));
		assert_true(peaks[i] == collatz_peak(FIRST + 2 * i));
	}
}

/* By Euler's criterion, over the factors of n. */
static void jacobi_symbol_is_a_product_of_legendres(void **unused)
{
	enum { COUNT = 300 };
	uint64_t pairs[2 * COUNT];
	int8_t symbol[COUNT];
	int rounds[COUNT];
	(void)unused;
	seed();
	for (int i = 0; i < COUNT; i++) {
		pairs[2 * i] = (uint64_t)random_word() << 32 | random_word();
		pairs[2 * i + 1] = random_word() >> (8 + random_word() % 20);
	}
	RUN("numbers/jacobi_symbol", "", WORK(320), WORK(32), ARRAY(pairs), ARRAY(symbol),
	    ARRAY(rounds), INT(COUNT));
	for (int i = 0; i < COUNT; i++) {
		uint64_t n = pairs[2 * i + 1] | 1;
		int want = 1;
		for (uint64_t p = 3; n > 1; p += 2) {
			if (p * p > n)
				p = n;
			while (n % p == 0) {
				uint32_t legendre = power(pairs[2 * i], (p - 1) / 2, p);
				want *= legendre == p - 1 ? -1 : (int)legendre;
				n /= p;
			}
		}
		assert_int_equal(symbol[i], want);
		assert_true(rounds[i] <= 130);
	}
}

CHECK_FAMILY(numbers, cmocka_unit_test(ntt_stage_makes_a_transform),
             cmocka_unit_test(montgomery_square_is_a_square),
             cmocka_unit_test(miller_rabin_knows_primes),
             cmocka_unit_test(sieve_segment_counts_what_is_left),
             cmocka_unit_test(collatz_peaks_follow_the_path),
             cmocka_unit_test(jacobi_symbol_is_a_product_of_legendres))
