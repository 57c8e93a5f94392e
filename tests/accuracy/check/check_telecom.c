/* SPDX-License-Identifier: Apache-2.0 */
/* Codes and receivers against the host. */
#include <complex.h>
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

/* A complex number by its parts. */
static double complex number(double re, double im)
{
	double complex z;
	memcpy(&z, (double[2]){re, im}, sizeof z);
	return z;
}

static int parity(unsigned int x)
{
	return __builtin_parity(x);
}

/* Encoded, disturbed, and decoded again. */
static void viterbi_k7_mends_errors(void **unused)
{
	enum { FRAMES = 4, LENGTH = 96, STATES = 64 };
	static int8_t soft[FRAMES * LENGTH][2];
	static uint8_t decisions[FRAMES * LENGTH * STATES];
	uint32_t bits[FRAMES * LENGTH / 32] = {0}, want[FRAMES * LENGTH / 32] = {0};
	(void)unused;
	seed();
	for (int frame = 0; frame < FRAMES; frame++) {
		uint32_t window = 0;
		for (int t = 0; t < LENGTH; t++) {
			uint32_t bit = t < LENGTH - 6 ? random_word() & 1 : 0;
			int at = frame * LENGTH + t;
			want[at / 32] |= bit << at % 32;
			window = window >> 1 | bit << 6;
			soft[at][0] = (int8_t)(40 - 80 * parity(window & 0171));
			soft[at][1] = (int8_t)(40 - 80 * parity(window & 0133));
			soft[at][0] = (int8_t)(soft[at][0] + (int)(random_word() % 60) - 30);
			if (t % 12 == 5)
				soft[at][1] = (int8_t)-soft[at][1];
		}
	}
	RUN("telecom/viterbi_k7", "-DFRAMES=2", WORK(STATES, FRAMES), WORK(STATES, 2), ARRAY(soft),
	    ARRAY(decisions), ARRAY(bits), INT(LENGTH));
	assert_words(bits, want, FRAMES * LENGTH / 32);
}

static void ldpc_check_nodes_send_the_least_of_others(void **unused)
{
	enum { LIFT = 32, ROWS = 6, COLUMNS = 10, EDGES_MAX = 6 * ROWS };
	int16_t belief[COLUMNS * LIFT];
	int8_t message[EDGES_MAX * LIFT], want[EDGES_MAX * LIFT];
	int start[ROWS + 1], column[EDGES_MAX], shift[EDGES_MAX];
	(void)unused;
	seed();
	int edges = fill_rows(start, ROWS, 6);
	fill_ints(column, EDGES_MAX, COLUMNS);
	fill_ints(shift, EDGES_MAX, LIFT);
	for (int i = 0; i < COLUMNS * LIFT; i++)
		belief[i] = (int16_t)(random_word() % 400) - 200;
	for (int i = 0; i < EDGES_MAX * LIFT; i++)
		want[i] = message[i] = (int8_t)(random_word() % 100) - 50;
	for (int row = 0; row < ROWS; row++)
		for (int z = 0; z < LIFT; z++)
			for (int e = start[row]; e < start[row + 1]; e++) {
				int least = 127, own = 0, sign = 1;
				for (int k = start[row]; k < start[row + 1]; k++) {
					int value =
					        belief[column[k] * LIFT + (z + shift[k]) % LIFT] -
					        message[k * LIFT + z];
					if (k == e)
						own = value;
					else if (abs(value) < least)
						least = abs(value);
					sign = value < 0 ? -sign : sign;
				}
				(void)own;
				sign = own < 0 ? -sign : sign;
				want[e * LIFT + z] = (int8_t)(sign * (least * 3 / 4));
			}
	RUN("telecom/ldpc_check_nodes", "", WORK(LIFT, ROWS), WORK(16, 2), ARRAY(belief),
	    ARRAY(message), ARRAY(start), ARRAY(column), ARRAY(shift), INT(LIFT));
	for (int i = 0; i < edges * LIFT; i++)
		assert_int_equal(message[i], want[i]);
}

static uint8_t field_times(uint8_t a, uint8_t b)
{
	unsigned int sum = 0;
	for (unsigned int k = 0; k < 8; k++)
		sum ^= b >> k & 1 ? (unsigned int)a << k : 0;
	for (unsigned int k = 15; k >= 8; k--)
		sum ^= sum >> k & 1 ? 0x11du << (k - 8) : 0;
	return (uint8_t)sum;
}

/* Values of polynomials, term by term; one word is a multiple of the generator and has none. */
static void rs_syndromes_are_values_at_roots(void **unused)
{
	enum { WORDS = 8, LENGTH = 60, ROOTS = 16 };
	uint8_t codewords[WORDS][LENGTH], logs[256] = {0}, powers[510], got[WORDS][ROOTS];
	uint8_t damaged[WORDS] = {0};
	uint32_t total = 0, want_total = 0;
	(void)unused;
	seed();
	for (int k = 0, x = 1; k < 510; k++) {
		powers[k] = (uint8_t)x;
		if (k < 255)
			logs[x] = (uint8_t)k;
		x = field_times((uint8_t)x, 2);
	}
	for (int i = 0; i < WORDS * LENGTH; i++)
		codewords[i / LENGTH][i % LENGTH] = (uint8_t)random_word();
	memset(codewords[3], 0, LENGTH);
	codewords[3][LENGTH - 1] = 1;
	for (int root = 0; root < ROOTS; root++) /* times x - alpha^root */
		for (int k = 0; k < LENGTH; k++)
			codewords[3][k] = (k + 1 < LENGTH ? codewords[3][k + 1] : 0) ^
			                  field_times(codewords[3][k], powers[root]);
	RUN("telecom/rs_syndromes", "", WORK(ROOTS, WORDS), WORK(ROOTS, 4), ARRAY(codewords),
	    ARRAY(logs), ARRAY(powers), INT(LENGTH), ARRAY(got), ARRAY(damaged),
	    {ARGUMENT_ARRAY, &total, 4});
	for (int word = 0; word < WORDS; word++) {
		bool is_damaged = false;
		for (int root = 0; root < ROOTS; root++) {
			uint8_t sum = 0;
			for (int k = 0; k < LENGTH; k++)
				sum ^= field_times(codewords[word][k],
				                   powers[(LENGTH - 1 - k) * root % 255]);
			assert_int_equal(got[word][root], sum);
			is_damaged |= sum != 0;
			want_total += root == 0 && sum != 0;
		}
		assert_int_equal(damaged[word], is_damaged);
		assert_int_equal(is_damaged, word != 3);
	}
	assert_int_equal(total, want_total);
}

static int bit_of(int level, int bit)
{
	static const int gray[8] = {7, 6, 4, 5, 1, 0, 2, 3}; /* of -7, -5, ... 7 */
	return gray[(level + 7) / 2] >> (2 - bit) & 1;
}

/* The matrix inverted another way, and distances to all points. */
static void mimo_demap_tells_bits(void **unused)
{
	enum { COUNT = 70 };
	float channel[COUNT][2][2][2], received[COUNT][2][2], noise = 0.3f;
	int8_t soft[COUNT][2][6];
	int unsaturated = 0;
	(void)unused;
	seed();
	fill_floats(&channel[0][0][0][0], sizeof channel / 4, -1, 1);
	fill_floats(&received[0][0][0], sizeof received / 4, -1.5f, 1.5f);
	RUN("telecom/mimo_demap", "", WORK(96), WORK(32), ARRAY(channel), ARRAY(received),
	    FLOAT(noise), ARRAY(soft), INT(COUNT));
	for (int i = 0; i < COUNT; i++) {
		double complex h[2][2], y[2], gram[2][2] = {{0}}, z[2] = {0};
		for (int a = 0; a < 2; a++) {
			y[a] = number((double)received[i][a][0], (double)received[i][a][1]);
			for (int l = 0; l < 2; l++)
				h[a][l] = number((double)channel[i][a][l][0],
				                 (double)channel[i][a][l][1]);
		}
		for (int l = 0; l < 2; l++)
			for (int a = 0; a < 2; a++) {
				z[l] += conj(h[a][l]) * y[a];
				for (int m = 0; m < 2; m++)
					gram[l][m] += conj(h[a][l]) * h[a][m];
			}
		double complex full[2][2] = {{gram[0][0] + 0.3, gram[0][1]},
		                             {gram[1][0], gram[1][1] + 0.3}};
		double complex det = full[0][0] * full[1][1] - full[0][1] * full[1][0];
		for (int l = 0; l < 2; l++) {
			double complex w[2] = {full[1 - l][1 - l] / det, -full[l][1 - l] / det};
			double complex x = w[0] * z[l] + w[1] * z[1 - l];
			double bias = creal(w[0] * gram[l][l] + w[1] * gram[1 - l][l]);
			double variance = (1 - bias) / bias;
			for (int b = 0; b < 6; b++) {
				double at = b % 2 == 0 ? creal(x / bias) : cimag(x / bias);
				double near[2] = {1e30, 1e30}, unit = 1 / sqrt(42);
				for (int level = -7; level <= 7; level += 2) {
					double apart = (at - level * unit) * (at - level * unit);
					int bit = bit_of(level, b / 2);
					near[bit] = fmin(near[bit], apart);
				}
				/* lines of a bit are left out where they are steeper */
				double want = (near[1] - near[0]) / variance;
				double levels = fabs(at) / unit;
				bool is_simple =
				        b / 2 == 2 ||
				        (b / 2 == 1 ? levels > 2 && levels < 6 : levels < 2);
				int got = soft[i][l][b];
				if (is_simple && fabs(want) < 120) {
					assert_true(fabs(got - want) < 0.6);
					unsaturated++;
				}
				if (fabs(want) > 4)
					assert_true((got > 0) == (want > 0));
			}
		}
	}
	assert_true(unsaturated > COUNT);
}

static void qpp_interleave_is_a_permutation(void **unused)
{
	enum { LENGTH = 40, BLOCKS = 3, F1 = 3, F2 = 10 };
	int16_t systematic[BLOCKS * LENGTH], extrinsic[BLOCKS * LENGTH], got[BLOCKS * LENGTH];
	uint8_t hard[BLOCKS * LENGTH];
	int seen = 0;
	(void)unused;
	seed();
	memset(hard, 9, sizeof hard);
	for (int i = 0; i < BLOCKS * LENGTH; i++) {
		systematic[i] = (int16_t)random_word();
		extrinsic[i] = (int16_t)(random_word() % 600) - 300;
	}
	RUN("telecom/qpp_interleave", "", WORK(64, BLOCKS), WORK(32, 1), ARRAY(systematic),
	    ARRAY(extrinsic), ARRAY(got), ARRAY(hard), SCALAR(uint32_t, F1), SCALAR(uint32_t, F2),
	    SCALAR(uint32_t, LENGTH));
	for (int i = 0; i < BLOCKS * LENGTH; i++) {
		int k = i % LENGTH, from = i - k + (F1 * k + F2 * k * k) % LENGTH;
		int sum = systematic[from] + (extrinsic[from] >> 1) + (extrinsic[from] >> 2);
		int want = sum < -512 ? -512 : sum > 511 ? 511 : sum;
		assert_int_equal(got[i], want);
		assert_int_equal(hard[from], want < 0);
		seen += hard[i] < 2;
	}
	assert_int_equal(seen, BLOCKS * LENGTH);
}

static void sync_correlate_finds_the_sequence(void **unused)
{
	enum { LAGS = 120, TAPS = 40, GROUP = 32, GROUPS = 4, WHERE = 77 };
	float received[LAGS + TAPS][2], sequence[TAPS][2], metric[LAGS], want[LAGS];
	int best[GROUPS];
	uint32_t peak = 0;
	float highest;
	(void)unused;
	seed();
	fill_floats(&received[0][0], sizeof received / 4, -1, 1);
	fill_floats(&sequence[0][0], sizeof sequence / 4, -1, 1);
	for (int t = 0; t < TAPS; t++) {
		received[WHERE + t][0] = -2 * sequence[t][1];
		received[WHERE + t][1] = 2 * sequence[t][0];
	}
	for (int lag = 0; lag < LAGS; lag++) {
		double complex sum = 0;
		double energy = 0;
		for (int t = 0; t < TAPS; t++) {
			const float *r = received[lag + t], *s = sequence[t];
			double complex in = number((double)r[0], (double)r[1]);
			sum += in * number((double)s[0], -(double)s[1]);
			energy += creal(in * conj(in));
		}
		want[lag] = (float)(creal(sum * conj(sum)) / energy);
	}
	RUN("telecom/sync_correlate", "", WORK((size_t)GROUPS * GROUP), WORK(GROUP),
	    ARRAY(received), ARRAY(sequence), INT(TAPS), INT(LAGS), ARRAY(metric), ARRAY(best),
	    {ARGUMENT_ARRAY, &peak, 4}, LOCAL(4 * GROUP), LOCAL(4 * GROUP));
	assert_floats(metric, want, LAGS, 1e-4f);
	assert_int_equal(best[WHERE / GROUP], WHERE);
	memcpy(&highest, &peak, 4);
	assert_floats(&highest, &want[WHERE], 1, 1e-4f);
}

CHECK_FAMILY(telecom, cmocka_unit_test(viterbi_k7_mends_errors),
             cmocka_unit_test(ldpc_check_nodes_send_the_least_of_others),
             cmocka_unit_test(rs_syndromes_are_values_at_roots),
             cmocka_unit_test(mimo_demap_tells_bits),
             cmocka_unit_test(qpp_interleave_is_a_permutation),
             cmocka_unit_test(sync_correlate_finds_the_sequence))
