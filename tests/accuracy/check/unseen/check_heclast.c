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

static uint64_t murmur_mix(uint64_t k)
{
	k = (k ^ (k >> 33)) * 0xff51afd7ed558ccdu;
	k = (k ^ (k >> 33)) * 0xc4ceb9fe1a85ec53u;
	return k ^ (k >> 33);
}

static uint64_t rotate_left(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static void murmur_hashes_keys(void **unused)
{
	enum { KEYS = 60, MOST = 100 };
	static const uint64_t c1 = 0x87c37b91114253d5u, c2 = 0x4cf5ad432745937fu;
	uint8_t text[KEYS * MOST];
	int starts[KEYS + 1];
	uint64_t hashes[2 * KEYS];
	(void)unused;
	seed();
	for (int i = 0; i < KEYS * MOST; i++)
		text[i] = (uint8_t)random_word();
	fill_rows(starts, KEYS, MOST);
	RUN("unseen/heclast/murmur_x64", "", WORK(64), WORK(32), ARRAY(text), ARRAY(starts),
	    SCALAR(uint32_t, 42), ARRAY(hashes), INT(KEYS));
	for (int i = 0; i < KEYS; i++) {
		int length = starts[i + 1] - starts[i];
		uint64_t h1 = 42, h2 = 42;
		for (int at = 0; at < length; at += 16) {
			uint64_t k[2] = {0, 0};
			for (int b = 0; b < 16 && at + b < length; b++)
				k[b / 8] |= (uint64_t)text[starts[i] + at + b] << b % 8 * 8;
			h1 ^= rotate_left(k[0] * c1, 31) * c2;
			if (at + 16 <= length)
				h1 = (rotate_left(h1, 27) + h2) * 5 + 0x52dce729;
			h2 ^= rotate_left(k[1] * c2, 33) * c1;
			if (at + 16 <= length)
				h2 = (rotate_left(h2, 31) + h1) * 5 + 0x38495ab5;
		}
		h1 ^= (uint64_t)length;
		h2 ^= (uint64_t)length;
		h1 += h2;
		h2 += h1;
		h1 = murmur_mix(h1);
		h2 = murmur_mix(h2);
		h1 += h2;
		assert_true(hashes[2 * i] == h1 && hashes[2 * i + 1] == h1 + h2);
	}
}

static int shared_side(const int *a, const int *b, int axis)
{
	int right = a[axis] + a[2] < b[axis] + b[2] ? a[axis] + a[2] : b[axis] + b[2];
	int left = a[axis] > b[axis] ? a[axis] : b[axis];
	return right - left + 1 > 0 ? right - left + 1 : 0;
}

static void better_squares_suppress(void **unused)
{
	enum { COUNT = 50 };
	int squares[4 * COUNT];
	uint8_t bitmap[COUNT * COUNT];
	int suppressed = 0;
	(void)unused;
	seed();
	fill_ints(squares, (size_t)4 * COUNT, 40);
	memset(bitmap, 2, sizeof bitmap);
	squares[2] = 0;
	RUN("unseen/heclast/nms_bitmap", "", WORK(64, 64), WORK(16, 16), ARRAY(squares),
	    ARRAY(bitmap), INT(COUNT), FLOAT(0.3f));
	for (int i = 0; i < COUNT; i++)
		for (int j = 0; j < COUNT; j++) {
			const int *a = squares + (size_t)4 * (size_t)i;
			const int *b = squares + (size_t)4 * (size_t)j;
			int both = shared_side(a, b, 0) * shared_side(a, b, 1);
			int area = (b[2] + 1) * (b[2] + 1), want = 2;
			if (a[3] < b[3])
				want = (float)both / (float)area < 0.3f && b[2] != 0;
			suppressed += want == 0;
			assert_int_equal(bitmap[i * COUNT + j], want);
		}
	assert_true(suppressed > 100);
}

static void sixteen_elements_are_transformed(void **unused)
{
	enum { ITEMS = 32, COUNT = 2 * 8 * ITEMS };
	const uint32_t prime = 2147483647;
	uint64_t in[COUNT];
	uint32_t out[COUNT], want[COUNT];
	uint64_t scale = field_power(65536, FIELD - 2);
	(void)unused;
	seed();
	fill_elements(in, COUNT);
	for (int i = 0; i < COUNT; i++) {
		uint64_t sum = 0;
		for (int k = 0; k < 16; k++) {
			int turn = (16 - i % 16 * k % 16) % 16;
			sum = field_sum(sum, field_product(in[i / 16 * 16 + k],
			                                   field_power(1 << 12, (uint64_t)turn)));
		}
		want[i] = (uint32_t)(field_product(sum, scale) % prime);
	}
	RUN("unseen/heclast/intt_sixteen", "-DITEMS=32", WORK(2 * (size_t)ITEMS), WORK(ITEMS),
	    ARRAY(out), ARRAY(in), SCALAR(uint32_t, 2147483647));
	assert_words(out, want, COUNT);
}

static void pillars_yield_boxes(void **unused)
{
	enum { X = 5, Y = 4, ANCHORS = 6, CLASSES = 3, ALL = X * Y * ANCHORS };
	float classes[ALL * CLASSES], boxes[ALL * 7], directions[ALL * 2], anchors[4 * ANCHORS];
	float bottoms[3], found[1 + 9 * ALL] = {0};
	int counter[1] = {0}, matched = 0;
	(void)unused;
	seed();
	fill_floats(classes, (size_t)ALL * CLASSES, -3, 1);
	fill_floats(boxes, (size_t)ALL * 7, -1, 1);
	fill_floats(directions, (size_t)ALL * 2, -1, 1);
	fill_floats(anchors, (size_t)4 * ANCHORS, 0.5f, 4);
	fill_floats(bottoms, 3, -2, 0);
	RUN("unseen/heclast/pillar_boxes", "", WORK((size_t)8 * X * Y), WORK(8), ARRAY(classes),
	    ARRAY(boxes), ARRAY(directions), ARRAY(anchors), ARRAY(bottoms), ARRAY(found),
	    ARRAY(counter), {ARGUMENT_SCALAR, (float[4]){0, 70, -40, 40}, 16},
	    {ARGUMENT_SCALAR, (int[2]){X, Y}, 8}, INT(ANCHORS), INT(CLASSES), FLOAT(0.4f),
	    FLOAT(0.78f));
	for (int i = 0; i < ALL; i++) {
		const float *c = classes + (size_t)i * CLASSES, *box = boxes + (size_t)i * 7;
		const float *a = anchors + (size_t)(i % ANCHORS) * 4, *to = NULL;
		const float *d = directions + (size_t)i * 2;
		int id = c[1] > c[0], column = i / ANCHORS % X, row = i / ANCHORS / X;
		id = c[2] > c[id] ? 2 : id;
		float want[9], score = 1 / (1 + expf(-c[id]));
		if (score < 0.4f)
			continue;
		want[0] = box[0] * hypotf(a[0], a[1]) + (float)column * 70 / 4;
		want[1] = box[1] * hypotf(a[0], a[1]) - 40 + (float)row * 80 / 3;
		want[2] = box[2] * a[2] + a[2] / 2 + bottoms[i % ANCHORS / 2];
		for (int k = 3; k < 6; k++)
			want[k] = expf(box[k]) * a[k - 3];
		double period = acos(-1.0), turn = (double)(box[6] + a[3]) - 0.78;
		turn -= floor(turn / period) * period;
		want[6] = (float)(turn + 0.78 + (d[0] > d[1] ? 0 : period));
		want[7] = (float)id;
		want[8] = score;
		for (int k = 0; k < counter[0] && to == NULL; k++)
			if (fabsf(found[1 + 9 * k] - want[0]) < 1e-4f &&
			    fabsf(found[2 + 9 * k] - want[1]) < 1e-4f)
				to = found + 1 + (size_t)9 * (size_t)k;
		assert_non_null(to);
		assert_floats(to, want, 9, 1e-4f);
		matched++;
	}
	assert_int_equal(counter[0], matched);
	assert_true(matched > 20 && matched < ALL);
}

static void add_collision(const float *a, const float *b, const float *va, const float *vb,
                          double radii, double *force)
{
	double r[3], v[3], square = 0, along = 0;
	for (int d = 0; d < 3; d++) {
		r[d] = (double)b[d] - (double)a[d];
		v[d] = (double)vb[d] - (double)va[d];
		square += r[d] * r[d];
		along += r[d] * v[d];
	}
	double distance = sqrt(square);
	for (int d = 0; d < 3 && distance < radii; d++)
		force[d] += -0.5 * (radii - distance) * r[d] / distance + 0.02 * v[d] +
		            0.1 * (v[d] - along * r[d] / square);
}

static void particles_collide(void **unused)
{
	enum { SIDE = 4, CELLS = SIDE * SIDE * SIDE, MOST = 3 };
	float at[4 * CELLS * MOST], v[4 * CELLS * MOST], out[4 * CELLS * MOST];
	static const float ball[4] = {0.1f, -0.2f, 0.3f, 0}, still[4] = {0};
	int particle[CELLS * MOST], starts[CELLS + 1];
	(void)unused;
	seed();
	const int count = fill_rows(starts, CELLS, MOST);
	fill_floats(v, (size_t)4 * CELLS * MOST, -1, 1);
	for (int c = 0; c < CELLS; c++)
		for (int k = starts[c]; k < starts[c + 1]; k++) {
			int place[3] = {c % SIDE, c / SIDE % SIDE, c / SIDE / SIDE};
			fill_floats(at + (size_t)4 * (size_t)k, 4, 0.02f, 0.48f);
			for (int d = 0; d < 3; d++)
				at[4 * k + d] += (float)place[d] * 0.5f - 1;
			particle[k] = count - 1 - k;
		}
	RUN("unseen/heclast/collide_cells", "", WORK(192), WORK(64), ARRAY(out), ARRAY(at),
	    ARRAY(v), ARRAY(particle), ARRAY(starts),
	    {ARGUMENT_SCALAR, (float[4]){0.1f, -0.2f, 0.3f, 0}, 16}, FLOAT(0.2f), INT(SIDE),
	    FLOAT(0.5f), FLOAT(0.2f), FLOAT(0.5f), FLOAT(0.02f), FLOAT(0.1f), INT(count));
	/* radii add up to less than a cell: all that touch are in cells nearby */
	for (int i = 0; i < count; i++) {
		const float *mine = at + (size_t)4 * (size_t)i, *speed = v + (size_t)4 * (size_t)i;
		double force[3] = {0};
		for (int j = 0; j < count; j++)
			if (j != i)
				add_collision(mine, at + (size_t)4 * (size_t)j, speed,
				              v + (size_t)4 * (size_t)j, 0.4, force);
		add_collision(mine, ball, speed, still, 0.4, force);
		for (int d = 0; d < 3; d++)
			assert_true(fabs((double)speed[d] + force[d] -
			                 (double)out[4 * particle[i] + d]) < 1e-4);
	}
}

static void gates_let_the_state_through(void **unused)
{
	enum { HIDDEN = 24, BATCH = 5, ALL = HIDDEN * BATCH };
	float from_h[4 * ALL], from_i[4 * ALL], bias[8 * HIDDEN], linear[4 * ALL], sums[4 * ALL];
	float h[ALL], i_out[ALL], c_in[ALL], c_out[ALL], want_h[ALL], want_c[ALL];
	(void)unused;
	seed();
	fill_floats(from_h, (size_t)4 * ALL, -2, 2);
	fill_floats(from_i, (size_t)4 * ALL, -2, 2);
	fill_floats(bias, (size_t)8 * HIDDEN, -1, 1);
	fill_floats(c_in, ALL, -1, 1);
	for (int i = 0; i < ALL; i++) {
		float g[4];
		for (int k = 0; k < 4; k++) {
			int gate = i / HIDDEN * 4 * HIDDEN + k * HIDDEN + i % HIDDEN;
			g[k] = from_h[gate] + from_i[gate] + bias[k * HIDDEN + i % HIDDEN] +
			       bias[(k + 4) * HIDDEN + i % HIDDEN];
			sums[gate] = g[k];
		}
		want_c[i] = c_in[i] / (1 + expf(-g[1])) + tanhf(g[2]) / (1 + expf(-g[0]));
		want_h[i] = tanhf(want_c[i]) / (1 + expf(-g[3]));
	}
	RUN("unseen/heclast/lstm_gates", "", WORK(128), WORK(32), INT(HIDDEN), INT(BATCH),
	    ARRAY(from_h), ARRAY(from_i), ARRAY(bias), ARRAY(linear), ARRAY(h), ARRAY(i_out),
	    ARRAY(c_in), ARRAY(c_out));
	assert_floats(linear, sums, (size_t)4 * ALL, 1e-5f);
	assert_floats(c_out, want_c, ALL, 1e-5f);
	assert_floats(h, want_h, ALL, 1e-5f);
	assert_floats(i_out, want_h, ALL, 1e-5f);
}

static void pools_give_back(void **unused)
{
	enum { PLANES = 6, SIDE = 23, OUT = 4, WINDOW = 11, STRIDE = 4 };
	enum { COUNT = PLANES * SIDE * SIDE };
	float from[PLANES * OUT * OUT], to[COUNT], want[COUNT] = {0};
	(void)unused;
	seed();
	fill_floats(from, (size_t)PLANES * OUT * OUT, -1, 1);
	for (int i = 0; i < PLANES * OUT * OUT; i++) {
		int top = i / OUT % OUT * STRIDE - 1, left = i % OUT * STRIDE - 1, size = 0;
		for (int pass = 0; pass < 2; pass++)
			for (int k = 0; k < WINDOW * WINDOW; k++) {
				int y = top + k / WINDOW, x = left + k % WINDOW;
				if (y < 0 || y >= SIDE || x < 0 || x >= SIDE)
					continue;
				size += pass == 0;
				if (pass == 1)
					want[(i / OUT / OUT * SIDE + y) * SIDE + x] +=
					        from[i] / (float)size;
			}
	}
	RUN("unseen/heclast/pool_gradient", "", WORK(3200), WORK(64), INT(COUNT), ARRAY(from),
	    INT(3), INT(SIDE), INT(SIDE), INT(OUT), INT(OUT), INT(WINDOW), INT(STRIDE), INT(1),
	    INT(1), ARRAY(to));
	assert_floats(to, want, COUNT, 1e-5f);
}

CHECK_FAMILY(heclast, cmocka_unit_test(bricks_hold_their_fields_bounds),
             cmocka_unit_test(eight_chains_multiply), cmocka_unit_test(charges_are_screened),
             cmocka_unit_test(rescue_joins_digests), cmocka_unit_test(anchors_are_chained),
             cmocka_unit_test(one_sum_is_stored), cmocka_unit_test(tokens_go_to_their_experts),
             cmocka_unit_test(two_recurrences_combine), cmocka_unit_test(murmur_hashes_keys),
             cmocka_unit_test(better_squares_suppress),
             cmocka_unit_test(sixteen_elements_are_transformed),
             cmocka_unit_test(pillars_yield_boxes), cmocka_unit_test(particles_collide),
             cmocka_unit_test(gates_let_the_state_through), cmocka_unit_test(pools_give_back))
