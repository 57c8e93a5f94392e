/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a vendor's samples against the host: ciphers, searches, filters, transforms,
 * noise. */
#include <string.h>

#include "tests/accuracy/check/run.h"

static const double pi = 3.14159265358979323846;

static uint8_t doubled(uint8_t a)
{
	return (uint8_t)((a << 1) ^ (a & 0x80 ? 0x1b : 0));
}

static uint8_t product(uint8_t a, uint8_t b)
{
	uint8_t sum = 0;
	for (; b != 0; b = (uint8_t)(b >> 1), a = doubled(a))
		sum = (uint8_t)(sum ^ (b & 1 ? a : 0));
	return sum;
}

/* FIPS 197's S-box: inverses, turned and added up. */
static void fill_sbox(uint8_t sbox[256])
{
	for (int a = 0; a < 256; a++) {
		int inverse = 0;
		for (int b = 1; b < 256; b++)
			if (product((uint8_t)a, (uint8_t)b) == 1)
				inverse = b;
		int sum = 0x63;
		for (int k = 0; k < 5; k++)
			sum ^= (inverse << k | inverse >> (8 - k)) & 0xff;
		sbox[a] = (uint8_t)sum;
	}
}

/* Round keys of 16 bytes each, by columns. */
static void expand_key(const uint8_t *sbox, const uint8_t *key, uint8_t rounds[11][16])
{
	uint8_t *to = rounds[0], constant = 1;
	memcpy(to, key, 16);
	for (int i = 16; i < 176; i += 4) {
		uint8_t word[4];
		memcpy(word, to + i - 4, 4);
		if (i % 16 == 0) {
			uint8_t first = word[0];
			for (int k = 0; k < 4; k++)
				word[k] = sbox[k < 3 ? word[k + 1] : first];
			word[0] ^= constant;
			constant = doubled(constant);
		}
		for (int k = 0; k < 4; k++)
			to[i + k] = to[i + k - 16] ^ word[k];
	}
}

static void encrypt(const uint8_t *sbox, uint8_t rounds[11][16], uint8_t state[16])
{
	for (int i = 0; i < 16; i++)
		state[i] ^= rounds[0][i];
	for (int round = 1; round <= 10; round++) {
		uint8_t next[16];
		for (int i = 0; i < 16; i++)
			next[i] = sbox[state[(i + 4 * (i % 4)) % 16]];
		for (int i = 0; i < 16; i++) {
			const uint8_t *column = next + i / 4 * 4;
			uint8_t mixed = product(column[i % 4], 2);
			mixed ^= product(column[(i + 1) % 4], 3);
			mixed ^= column[(i + 2) % 4] ^ column[(i + 3) % 4];
			state[i] = rounds[round][i] ^ (round < 10 ? mixed : next[i]);
		}
	}
}

/* The standard stores states by columns, the kernel by rows. */
static void turn(uint8_t *to, const uint8_t *from)
{
	for (int i = 0; i < 16; i++)
		to[i % 4 * 4 + i / 4] = from[i];
}

/* The first block is that of FIPS 197, C.1. */
static void aes_encrypt_is_the_standards(void **unused)
{
	enum { WIDTH = 32, BLOCKS = 4 * WIDTH / 16 * 2 };
	const uint8_t known[16] = {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
	                           0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};
	uint8_t sbox[256], key[16], rounds[11][16], keys[11][16];
	uint8_t plain[BLOCKS][16], cipher[BLOCKS][16], blocks[BLOCKS][16];
	(void)unused;
	seed();
	fill_sbox(sbox);
	fill_words((uint32_t *)plain, sizeof plain / 4);
	for (int i = 0; i < 16; i++) {
		key[i] = (uint8_t)i;
		plain[0][i] = (uint8_t)(0x11 * i);
	}
	expand_key(sbox, key, rounds);
	for (int r = 0; r < 11; r++)
		turn(keys[r], rounds[r]);
	for (int b = 0; b < BLOCKS; b++)
		turn(blocks[b], plain[b]);
	RUN("unseen/samples/aes_encrypt", "", WORK(WIDTH / 4, 8), WORK(4, 4), ARRAY(cipher),
	    ARRAY(blocks), ARRAY(keys), ARRAY(sbox), LOCAL(64), LOCAL(64), SCALAR(uint32_t, WIDTH),
	    SCALAR(uint32_t, 10));
	for (int b = 0; b < BLOCKS; b++) {
		uint8_t want[16];
		encrypt(sbox, rounds, plain[b]);
		turn(want, plain[b]);
		assert_memory_equal(cipher[b], want, 16);
	}
	assert_memory_equal(plain[0], known, 16);
}

static void binary_search_finds_what_is_there(void **unused)
{
	enum { COUNT = 1024, PARTS = 16, KEYS = 40 };
	int keys[KEYS], sorted[COUNT], places[KEYS], want[KEYS], missing = 0;
	(void)unused;
	seed();
	for (int i = 0; i < COUNT; i++)
		sorted[i] = (i > 0 ? sorted[i - 1] : -7) + 1 + (int)(random_word() % 3);
	for (int k = 0; k < KEYS; k++) {
		keys[k] = k == 0   ? sorted[0]
		          : k == 1 ? sorted[COUNT - 1]
		                   : (int)(random_word() % 2000);
		places[k] = want[k] = -1;
		for (int i = 0; i < COUNT; i++)
			want[k] = sorted[i] == keys[k] ? i : want[k];
		missing += want[k] < 0;
	}
	RUN("unseen/samples/binary_search", "", WORK((size_t)KEYS * PARTS), WORK(64), ARRAY(keys),
	    ARRAY(sorted), SCALAR(uint32_t, COUNT), SCALAR(uint32_t, PARTS), ARRAY(places));
	assert_ints(places, want, KEYS);
	assert_true(missing > 5 && missing < KEYS - 5);
}

static void box_horizontal_is_a_mean_along_rows(void **unused)
{
	enum { W = 128, H = 5, FILTER = 9, REACH = FILTER / 2 };
	uint8_t in[H][W][4], out[H][W][4], want[H][W][4];
	(void)unused;
	seed();
	fill_words((uint32_t *)in, sizeof in / 4);
	memset(want, 0, sizeof want);
	for (int y = 0; y < H; y++)
		for (int x = REACH; x < W - REACH; x++)
			for (int c = 0; c < 4; c++) {
				int sum = 0;
				for (int k = x - REACH; k <= x + REACH; k++)
					sum += in[y][k][c];
				want[y][x][c] = (uint8_t)(sum / FILTER);
			}
	RUN("unseen/samples/box_horizontal", "", WORK(W, H), WORK(32, 1), ARRAY(in), ARRAY(out),
	    INT(FILTER), LOCAL(4 * (32 + FILTER - 1)));
	assert_memory_equal(out, want, sizeof out);
}

/* In groups of 2^6 values, then once more over their averages. */
static void dwt_haar_halves_to_one(void **unused)
{
	enum { LENGTH = 1024, GROUP = 32, GROUPS = LENGTH / (2 * GROUP), TOTAL = 10, LEVELS = 6 };
	float signal[LENGTH], coefficients[LENGTH] = {0}, average[GROUPS], last[1];
	double now[LENGTH], want[LENGTH];
	(void)unused;
	seed();
	fill_floats(signal, LENGTH, -1, 3);
	for (int i = 0; i < LENGTH; i++)
		now[i] = (double)signal[i] / sqrt(LENGTH);
	for (int left = LENGTH / 2; left > 0; left /= 2)
		for (int i = 0; i < left; i++) {
			double a = now[2 * i], b = now[2 * i + 1];
			now[i] = (a + b) / sqrt(2);
			want[left + i] = (a - b) / sqrt(2);
		}
	RUN("unseen/samples/dwt_haar", "", WORK(LENGTH / 2), WORK(GROUP), ARRAY(signal),
	    ARRAY(coefficients), ARRAY(average), LOCAL(8 * GROUP), SCALAR(uint32_t, TOTAL),
	    SCALAR(uint32_t, LENGTH), SCALAR(uint32_t, 0), SCALAR(uint32_t, LEVELS));
	RUN("unseen/samples/dwt_haar", "", WORK(GROUPS / 2), WORK(GROUPS / 2), ARRAY(average),
	    ARRAY(coefficients), ARRAY(last), LOCAL(4 * GROUPS), SCALAR(uint32_t, TOTAL - LEVELS),
	    SCALAR(uint32_t, GROUPS), SCALAR(uint32_t, LEVELS), SCALAR(uint32_t, LEVELS));
	for (int i = 1; i < LENGTH; i++)
		assert_true(fabs((double)coefficients[i] - want[i]) < 1e-5);
	assert_true(fabs((double)last[0] - now[0]) < 1e-5);
}

/* A chain with springs alike has eigenvalues 2 - 2 cos(k pi / (n + 1)). */
static void eigen_count_is_known_for_a_chain(void **unused)
{
	enum { N = 64 };
	uint32_t counts[N], want[N] = {0};
	float intervals[N][2], diagonal[N], off_diagonal[N - 1];
	uint32_t total = 0;
	(void)unused;
	for (int i = 0; i < N; i++) {
		intervals[i][0] = 0.0625f * (float)i;
		intervals[i][1] = 0.0625f * (float)(i + 1);
		diagonal[i] = 2;
		if (i < N - 1)
			off_diagonal[i] = -1;
	}
	intervals[N - 1][0] = 3;
	for (int k = 1; k <= N; k++)
		for (int i = 0; i < N; i++) {
			double root = 2 - 2 * cos(k * pi / (N + 1));
			want[i] +=
			        (double)intervals[i][0] < root && root <= (double)intervals[i][1];
		}
	RUN("unseen/samples/eigen_count", "", WORK(N), WORK(32), ARRAY(counts), ARRAY(intervals),
	    ARRAY(diagonal), ARRAY(off_diagonal), SCALAR(uint32_t, N));
	assert_words(counts, want, N);
	for (int i = 0; i < N; i++)
		total += counts[i];
	assert_true(total > N && counts[N - 1] > 20 && counts[N / 2] < 2);
}

/* All steps together multiply by Hadamard's matrix. */
static void fast_walsh_makes_signs_of_common_bits(void **unused)
{
	enum { N = 256 };
	float values[N], want[N];
	(void)unused;
	seed();
	fill_floats(values, N, -2, 2);
	for (int row = 0; row < N; row++) {
		double sum = 0;
		for (int column = 0; column < N; column++) {
			int common = row & column, odd = 0;
			for (; common != 0; common &= common - 1)
				odd ^= 1;
			sum += odd ? -(double)values[column] : (double)values[column];
		}
		want[row] = (float)sum;
	}
	for (int step = 1; step < N; step *= 2)
		RUN("unseen/samples/fast_walsh", "", WORK(N / 2), WORK(32), ARRAY(values),
		    INT(step));
	assert_floats(values, want, N, 1e-4f);
}

static void fft_1024_is_the_sum_over_all_points(void **unused)
{
	enum { POINTS = 1024, COUNT = 4 };
	static float re[COUNT][POINTS], im[COUNT][POINTS], want_re[COUNT][POINTS],
	        want_im[COUNT][POINTS];
	double cosine[POINTS], sine[POINTS];
	(void)unused;
	seed();
	fill_floats(re[0], (size_t)COUNT * POINTS, -1, 1);
	fill_floats(im[0], (size_t)COUNT * POINTS, -1, 1);
	for (int k = 0; k < POINTS; k++) {
		cosine[k] = cos(2 * pi * k / (double)POINTS);
		sine[k] = -sin(2 * pi * k / (double)POINTS);
	}
	for (int i = 0; i < COUNT * POINTS; i++) {
		double a = 0, b = 0;
		for (int j = 0; j < POINTS; j++) {
			double x = (double)re[i / POINTS][j], y = (double)im[i / POINTS][j];
			int k = i % POINTS * j % POINTS;
			a += x * cosine[k] - y * sine[k];
			b += x * sine[k] + y * cosine[k];
		}
		want_re[i / POINTS][i % POINTS] = (float)a;
		want_im[i / POINTS][i % POINTS] = (float)b;
	}
	RUN("unseen/samples/fft_1024", "", WORK((size_t)64 * COUNT), WORK(128), ARRAY(re),
	    ARRAY(im), LOCAL(66 * 128));
	assert_floats(re[0], want_re[0], (size_t)COUNT * POINTS, 1e-3f);
	assert_floats(im[0], want_im[0], (size_t)COUNT * POINTS, 1e-3f);
}

static int64_t next_state(int64_t state)
{
	/* 16807 state modulo 2^31 - 1, for a negative state its complement as well */
	state = 16807 * state % 2147483647;
	return state < 0 ? state + 2147483647 : state;
}

static double uniform_of(const uint8_t pixel[4])
{
	int64_t table[4], state = -(pixel[0] + pixel[1] + pixel[2] + pixel[3]) / 4;
	for (int j = 4; j >= 0; j--) {
		state = next_state(state);
		table[j % 4] = state;
	}
	return (double)table[table[0] / 536870912] / 2147483647;
}

static void gaussian_noise_is_that_of_the_seeds(void **unused)
{
	enum { W = 64, H = 8, FACTOR = 60 };
	uint8_t in[H][W][4], out[H][W][4];
	double sum = 0, squares = 0;
	(void)unused;
	seed();
	fill_words((uint32_t *)in, sizeof in / 4);
	RUN("unseen/samples/gaussian_noise", "", WORK(W, H / 2), WORK(32, 2), ARRAY(in), ARRAY(out),
	    INT(FACTOR), LOCAL(16 * 64));
	for (int i = 0; i < W * H / 2; i++) {
		int x = i % W, y = i / W * 2;
		double radius = sqrt(-2 * log(uniform_of(in[y][x])));
		double angle = 2 * pi * uniform_of(in[y + 1][x]);
		for (int k = 0; k < 8; k++) {
			double deviate = radius * (k < 4 ? sin(angle) : cos(angle));
			double value = in[y + k / 4][x][k % 4] + (double)FACTOR * deviate;
			value = fmin(fmax(value, 0), 255);
			assert_true(fabs(out[y + k / 4][x][k % 4] - value) < 1.01);
			sum += deviate;
			squares += deviate * deviate;
		}
	}
	assert_true(fabs(sum / (4 * W * H)) < 0.3 && fabs(squares / (4 * W * H) - 1) < 0.5);
}

CHECK_FAMILY(samples, cmocka_unit_test(aes_encrypt_is_the_standards),
             cmocka_unit_test(binary_search_finds_what_is_there),
             cmocka_unit_test(box_horizontal_is_a_mean_along_rows),
             cmocka_unit_test(dwt_haar_halves_to_one),
             cmocka_unit_test(eigen_count_is_known_for_a_chain),
             cmocka_unit_test(fast_walsh_makes_signs_of_common_bits),
             cmocka_unit_test(fft_1024_is_the_sum_over_all_points),
             cmocka_unit_test(gaussian_noise_is_that_of_the_seeds))
