/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as HeCBench has them, the names from m to p, against the host. */
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

/* The `at`-th of `n` points from -1 to 1. */
static double brick_place(int at, int n)
{
	return (double)(at - n / 2) * 2 / n;
}

static void bricks_hold_their_fields_bounds(void **unused)
{
	enum { SIDE = 8, BRICKS = 3, N = BRICKS * (SIDE - 1) + 1, ALL = BRICKS * BRICKS * BRICKS };
	float bounds[2 * ALL], want[2 * ALL];
	(void)unused;
	for (int b = 0; b < ALL; b++) {
		double low = 1e9, high = -1e9;
		for (int k = 0; k < SIDE * SIDE * SIDE; k++) {
			double x = brick_place(b % BRICKS * (SIDE - 1) + k % SIDE, N);
			double y =
			        brick_place(b / BRICKS % BRICKS * (SIDE - 1) + k / SIDE % SIDE, N);
			double z =
			        brick_place(b / BRICKS / BRICKS * (SIDE - 1) + k / SIDE / SIDE, N);
			double v = 1 - 16 * x * y * z - 4 * (x * x + y * y + z * z);
			low = fmin(low, v);
			high = fmax(high, v);
		}
		want[2 * b] = (float)low;
		want[2 * b + 1] = (float)high;
	}
	RUN("unseen/heclast/min_max_bricks", "-DSIDE=8",
	    WORK((size_t)BRICKS * SIDE * SIDE, BRICKS, BRICKS), WORK(SIDE * SIDE), ARRAY(bounds),
	    INT(N));
	assert_floats(bounds, want, (size_t)2 * ALL, 1e-5f);
}

static void eight_chains_multiply(void **unused)
{
	enum { COUNT = 128, STEPS = 20 };
	static const double from[8] = {0, 10, 9, 8, 7, 6, 5, 4};
	float data[COUNT], want[COUNT];
	(void)unused;
	seed();
	fill_floats(data, COUNT, 0, 1);
	for (int i = 0; i < COUNT; i++) {
		double x[8], sum = 0;
		for (int k = 0; k < 8; k++) {
			x[k] = k == 0 ? (double)data[i] : from[k] - (double)data[i];
			for (int step = 0; step < STEPS; step++)
				x[k] = (3.75 - 0.355 * x[k]) * x[k];
			sum += x[k];
		}
		want[i] = (float)sum;
	}
	RUN("unseen/heclast/mul_madd8", "", WORK(COUNT), WORK(64), ARRAY(data), INT(1));
	/* the chains are chaotic: each step adds half a bit of error */
	for (int i = 0; i < COUNT; i++)
		assert_true(fabsf(data[i] - want[i]) < 0.05f);
}

static void charges_are_screened(void **unused)
{
	enum { ATOMS = 150, POINTS = 128, GROUP = 64 };
	float a[3][ATOMS], charge[ATOMS], size[ATOMS], g[3][POINTS], value[POINTS], want[POINTS];
	const double factor = 1.7, kappa = 0.4;
	(void)unused;
	seed();
	for (int d = 0; d < 3; d++) {
		fill_floats(a[d], ATOMS, -5, 5);
		fill_floats(g[d], POINTS, -8, 8);
	}
	fill_floats(charge, ATOMS, -1, 1);
	fill_floats(size, ATOMS, 0.5f, 2);
	for (int p = 0; p < POINTS; p++) {
		double sum = 0;
		for (int i = 0; i < ATOMS; i++) {
			double square = 0;
			for (int d = 0; d < 3; d++)
				square += pow((double)g[d][p] - (double)a[d][i], 2);
			double r = sqrt(square), s = (double)size[i];
			sum += factor * (double)charge[i] / r * exp(-kappa * (r - s)) /
			       (1 + kappa * s);
		}
		want[p] = (float)sum;
	}
	RUN("unseen/heclast/debye_huckel", "", WORK(POINTS), WORK(GROUP), ARRAY(a[0]), ARRAY(a[1]),
	    ARRAY(a[2]), ARRAY(charge), ARRAY(size), ARRAY(g[0]), ARRAY(g[1]), ARRAY(g[2]),
	    FLOAT(1.7f), FLOAT(0.4f), ARRAY(value), INT(ATOMS), LOCAL(4 * 5 * GROUP));
	assert_floats(value, want, POINTS, 1e-4f);
}

/* The field of 2^64 - 2^32 + 1 elements, bit by bit. */
#define FIELD 0xFFFFFFFF00000001u

static uint64_t field_sum(uint64_t a, uint64_t b)
{
	a %= FIELD;
	b %= FIELD;
	return a >= FIELD - b ? a - (FIELD - b) : a + b;
}

static uint64_t field_product(uint64_t a, uint64_t b)
{
	uint64_t sum = 0;
	for (; b != 0; b >>= 1) {
		if (b & 1)
			sum = field_sum(sum, a);
		a = field_sum(a, a);
	}
	return sum;
}

static uint64_t field_power(uint64_t a, uint64_t exponent)
{
	uint64_t power = 1;
	for (; exponent != 0; exponent >>= 1) {
		if (exponent & 1)
			power = field_product(power, a);
		a = field_product(a, a);
	}
	return power;
}

static void mix_state(uint64_t *state, const uint64_t *matrix, const uint64_t *constants)
{
	uint64_t old[12];
	memcpy(old, state, sizeof old);
	for (int row = 0; row < 12; row++) {
		state[row] = constants[row];
		for (int k = 0; k < 12; k++)
			state[row] =
			        field_sum(state[row], field_product(old[k], matrix[12 * row + k]));
	}
}

static void fill_elements(uint64_t *to, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t high = random_word();
		to[i] = (high << 32 | random_word()) % FIELD;
	}
}

static void rescue_joins_digests(void **unused)
{
	enum { PARENTS = 8, ROUNDS = 7 };
	uint64_t children[8 * PARENTS], parents[4 * PARENTS], matrix[144];
	uint64_t first[12 * ROUNDS], second[12 * ROUNDS];
	(void)unused;
	seed();
	fill_elements(children, (size_t)8 * PARENTS);
	fill_elements(matrix, 144);
	fill_elements(first, (size_t)12 * ROUNDS);
	fill_elements(second, (size_t)12 * ROUNDS);
	children[0] = FIELD - 1;
	children[9] = 0;
	RUN("unseen/heclast/rescue_merge", "", WORK(PARENTS), WORK(4), ARRAY(children),
	    ARRAY(parents), ARRAY(matrix), ARRAY(first), ARRAY(second));
	/* the exponent undoes the seventh power */
	assert_true(field_power(field_power(12345, 7), 10540996611094048183u) == 12345);
	for (int i = 0; i < PARENTS; i++) {
		uint64_t state[12] = {0};
		memcpy(state, children + (size_t)8 * (size_t)i, 8 * sizeof *state);
		state[11] = 8;
		for (int round = 0; round < ROUNDS; round++) {
			for (int k = 0; k < 12; k++)
				state[k] = field_power(state[k], 7);
			mix_state(state, matrix, first + (size_t)12 * (size_t)round);
			for (int k = 0; k < 12; k++)
				state[k] = field_power(state[k], 10540996611094048183u);
			mix_state(state, matrix, second + (size_t)12 * (size_t)round);
		}
		for (int k = 0; k < 4; k++)
			assert_true(parents[4 * i + k] % FIELD == state[k]);
	}
}

static void anchors_are_chained(void **unused)
{
	enum { BACK = 32, TILE = 1024, GROUPS = 2, ALL = GROUPS * (TILE + BACK) };
	static int x[ALL], y[ALL], widths[ALL], tags[ALL], best[ALL], before[ALL];
	static int scores[GROUPS * TILE], parents[GROUPS * TILE];
	const int far_x = 60, far_y = 70, band = 20;
	int chained = 0;
	(void)unused;
	seed();
	for (int i = 0; i < ALL; i++) {
		x[i] = (i > 0 ? x[i - 1] : 0) + (int)(random_word() % 9);
		y[i] = x[i] + (int)(random_word() % 30);
		widths[i] = 10 + (int)(random_word() % 10);
		tags[i] = i / 300;
		before[i] = -1;
		best[i] = 0;
	}
	RUN("unseen/heclast/chain_anchors", "-DBACK=32", WORK((size_t)GROUPS * BACK), WORK(BACK),
	    ARRAY(x), ARRAY(y), ARRAY(widths), ARRAY(tags), ARRAY(scores), ARRAY(parents),
	    FLOAT(15.0f), INT(far_x), INT(far_y), INT(band));
	for (int g = 0; g < GROUPS; g++)
		for (int now = 0; now < TILE; now++) {
			int at = g * (TILE + BACK) + now;
			if (widths[at] >= best[at]) {
				best[at] = widths[at];
				before[at] = -1;
			}
			chained += before[at] >= 0;
			assert_int_equal(scores[g * TILE + now], best[at]);
			assert_int_equal(parents[g * TILE + now], before[at]);
			for (int k = at + 1; k <= at + BACK; k++) {
				int dx = x[k] - x[at], dy = y[k] - y[at], apart = abs(dy - dx);
				int bits = 0;
				if (tags[k] != tags[at] || dx == 0 || dx > far_x || dy <= 0 ||
				    dy > far_y || apart > band)
					continue;
				while (apart >> (bits + 1) > 0)
					bits++;
				int score = dx < dy ? dx : dy;
				score = (score < widths[k] ? score : widths[k]) -
				        (int)((float)apart * (0.01f * 15.0f)) - bits / 2;
				if (score + best[at] >= best[k]) {
					best[k] = score + best[at];
					before[k] = now;
				}
			}
		}
	assert_true(chained > TILE);
}

static void one_sum_is_stored(void **unused)
{
	enum { GROUP = 32, ITEMS = 64, COUNT = 32 * ITEMS };
	static const float pattern[8] = {1.5f, -0.5f, -0.5f, -0.5f, 1.5f, -0.5f, -0.5f, -0.5f};
	float data[COUNT], want[COUNT];
	(void)unused;
	seed();
	fill_floats(data, COUNT, 0.1f, 0.3f);
	/* numbers that x * x - 0.75 leaves as they are; pairs' products are -0.75 and 0.25 */
	for (int batch = 0; batch < 4; batch++)
		for (int group = 0; group < 2; group++)
			for (int j = 0; j < 8; j++)
				data[(batch * 2 + group) * 8 * GROUP + j * GROUP + 5 + batch] =
				        pattern[j];
	memcpy(want, data, sizeof want);
	for (int part = 0; part < 8; part++)
		want[part * 8 * GROUP + 5 + part / 2] = -1;
	RUN("unseen/heclast/fma_ratio", "-DITERATIONS=16", WORK(ITEMS), WORK(GROUP), FLOAT(-0.75f),
	    ARRAY(data));
	assert_memory_equal(data, want, sizeof want);
}

static void tokens_go_to_their_experts(void **unused)
{
	enum { COUNT = 1001, EXPERTS = 20, BLOCK = 16, ITEMS = 32 };
	enum { MOST = COUNT + EXPERTS * BLOCK };
	int expert[COUNT], sorted[MOST], want[MOST], blocks[MOST / BLOCK],
	        want_blocks[MOST / BLOCK];
	int total[1] = {-1}, at = 0;
	(void)unused;
	seed();
	fill_ints(expert, COUNT, EXPERTS);
	memset(sorted, -1, sizeof sorted);
	memset(want, -1, sizeof want);
	memset(blocks, -1, sizeof blocks);
	memset(want_blocks, -1, sizeof want_blocks);
	for (int e = 0; e < EXPERTS; e++) {
		int start = at;
		for (int i = 0; i < COUNT; i++)
			if (expert[i] == e)
				want[at++] = i;
		at = (at + BLOCK - 1) / BLOCK * BLOCK;
		for (int b = start / BLOCK; b < at / BLOCK; b++)
			want_blocks[b] = e;
	}
	RUN("unseen/heclast/moe_align", "", WORK(ITEMS), WORK(ITEMS), ARRAY(expert), ARRAY(sorted),
	    ARRAY(blocks), ARRAY(total), INT(EXPERTS), INT(BLOCK), INT(COUNT),
	    LOCAL(4 * (EXPERTS + 1 + (ITEMS + 1) * EXPERTS)));
	assert_int_equal(total[0], at);
	assert_ints(sorted, want, MOST);
	assert_ints(blocks, want_blocks, MOST / BLOCK);
}

static void two_recurrences_combine(void **unused)
{
	enum { STREAMS = 16, DRAWS = 40 };
	const int64_t m1 = 4294967087, m2 = 4294944443;
	uint32_t states[6 * STREAMS], want_states[6 * STREAMS];
	float out[STREAMS * DRAWS], want[STREAMS * DRAWS];
	(void)unused;
	seed();
	for (int i = 0; i < 6 * STREAMS; i++)
		states[i] = i < 6 ? 12345 : random_word() % 4294944443u;
	for (int i = 0; i < STREAMS; i++) {
		int64_t s[6];
		for (int k = 0; k < 6; k++)
			s[k] = states[6 * i + k];
		for (int k = 0; k < DRAWS; k++) {
			int64_t p1 = (1403580 * s[1] - 810728 * s[0]) % m1;
			int64_t p2 = (527612 * s[5] - 1370589 * s[3]) % m2;
			p1 += p1 < 0 ? m1 : 0;
			p2 += p2 < 0 ? m2 : 0;
			s[0] = s[1], s[1] = s[2], s[2] = p1;
			s[3] = s[4], s[4] = s[5], s[5] = p2;
			want[k * STREAMS + i] = (float)((double)(p1 > p2 ? p1 - p2 : p1 - p2 + m1) /
			                                (double)(m1 + 1));
		}
		for (int k = 0; k < 6; k++)
			want_states[6 * i + k] = (uint32_t)s[k];
	}
	/* as published for this seed: 0.1270111, 0.3185276 */
	assert_true(fabsf(want[0] - 0.1270111f) < 1e-6f);
	assert_true(fabsf(want[STREAMS] - 0.3185276f) < 1e-6f);
	RUN("unseen/heclast/mrg32k3a", "", WORK(STREAMS), WORK(8), ARRAY(states), ARRAY(out),
	    INT(DRAWS));
	assert_words(states, want_states, (size_t)6 * STREAMS);
	assert_floats(out, want, (size_t)STREAMS * DRAWS, 1e-6f);
}

CHECK_FAMILY(heclast, cmocka_unit_test(bricks_hold_their_fields_bounds),
             cmocka_unit_test(eight_chains_multiply), cmocka_unit_test(charges_are_screened),
             cmocka_unit_test(rescue_joins_digests), cmocka_unit_test(anchors_are_chained),
             cmocka_unit_test(one_sum_is_stored), cmocka_unit_test(tokens_go_to_their_experts),
             cmocka_unit_test(two_recurrences_combine))
