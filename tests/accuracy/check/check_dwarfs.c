/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a vendor's samples and of the dwarfs against the host: filters, hidden states,
 * molecules, queens. */
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

static const double pi = 3.14159265358979323846;

static void convolution_rows_has_zeros_outside(void **unused)
{
	enum { W = 256, H = 8, TAPS = 17 };
	static float out[H * W], in[H * W], want[H * W];
	float taps[TAPS];
	(void)unused;
	seed();
	fill_floats(in, (size_t)H * W, -1, 2);
	fill_floats(taps, TAPS, -1, 1);
	for (int i = 0; i < H * W; i++) {
		double sum = 0;
		for (int k = 0; k < TAPS; k++) {
			int x = i % W + 8 - k;
			if (x >= 0 && x < W)
				sum += (double)taps[k] * (double)in[i / W * W + x];
		}
		want[i] = (float)sum;
	}
	RUN("dwarfs/convolution_rows", "-DBLOCK_X=16 -DBLOCK_Y=4", WORK(W / 8, H), WORK(16, 4),
	    ARRAY(out), ARRAY(in), ARRAY(taps), INT(W), INT(H), INT(W));
	assert_floats(out, want, (size_t)H * W, 1e-5f);
}

static void dct_columns_rows_is_orthonormal(void **unused)
{
	enum { W = 64, H = 32 };
	static float out[H][W], in[H][W], want[H][W];
	(void)unused;
	seed();
	fill_floats(in[0], (size_t)H * W, 0, 255);
	for (int v = 0; v < H; v++)
		for (int u = 0; u < W; u++) {
			double sum = 0;
			for (int k = 0; k < 64; k++) {
				int x = k % 8, y = k / 8;
				sum += (double)in[v / 8 * 8 + y][u / 8 * 8 + x] *
				       cos((2 * x + 1) * (u % 8) * pi / 16) *
				       cos((2 * y + 1) * (v % 8) * pi / 16);
			}
			sum *= u % 8 ? 0.5 : sqrt(0.125);
			want[v][u] = (float)(sum * (v % 8 ? 0.5 : sqrt(0.125)));
		}
	RUN("dwarfs/dct_columns_rows", "-DBLOCK_X=32 -DBLOCK_Y=16", WORK(W, H / 8), WORK(32, 2),
	    ARRAY(out), ARRAY(in), SCALAR(uint32_t, W), SCALAR(uint32_t, H), SCALAR(uint32_t, W));
	assert_floats(out[0], want[0], (size_t)H * W, 5e-4f);
}

/* Halving ends within one of the median. */
static void median_rgba_is_near_the_fifth_of_nine(void **unused)
{
	enum { W = 50, H = 21 };
	uint8_t in[H][W][4], out[H][W][4];
	(void)unused;
	seed();
	fill_words((uint32_t *)in, sizeof in / 4);
	RUN("dwarfs/median_rgba", "", WORK(64, 24), WORK(16, 4), ARRAY(in), ARRAY(out),
	    LOCAL(4 * 18 * 6), INT(18), INT(W), INT(H));
	for (int i = 0; i < W * H * 3; i++) {
		int x = i / 3 % W, y = i / 3 / W, c = i % 3;
		int values[9];
		for (int k = 0; k < 9; k++) {
			int at = x + k % 3 - 1, row = y + k / 3 - 1;
			bool is_in = at >= 0 && at < W && row >= 0 && row < H;
			int value = is_in ? in[row][at][c] : 0, place = k;
			for (; place > 0 && values[place - 1] > value; place--)
				values[place] = values[place - 1];
			values[place] = value;
		}
		assert_true(abs(out[y][x][c] - values[4]) <= 1);
		assert_int_equal(out[y][x][3], 0);
	}
}

static void viterbi_step_takes_the_likeliest(void **unused)
{
	enum { STATES = 90, SYMBOLS = 7, STEPS = 5, AT = 3, SYMBOL = 4 };
	static float transition[STATES * STATES];
	float before[STATES], after[STATES], want[STATES], emission[SYMBOLS * STATES];
	int path[STEPS * STATES] = {0}, want_path[STEPS * STATES] = {0};
	(void)unused;
	seed();
	fill_floats(before, STATES, -20, -5);
	fill_floats(transition, (size_t)STATES * STATES, -9, 0);
	fill_floats(emission, (size_t)SYMBOLS * STATES, -4, 0);
	for (int s = 0; s < STATES; s++) {
		int best = 0;
		for (int k = 1; k < STATES; k++)
			if (before[k] + transition[s * STATES + k] >
			    before[best] + transition[s * STATES + best])
				best = k;
		want[s] = before[best] + transition[s * STATES + best] +
		          emission[SYMBOL * STATES + s];
		want_path[(AT - 1) * STATES + s] = best;
	}
	RUN("dwarfs/viterbi_step", "", WORK((size_t)STATES * 32), WORK(32), ARRAY(after),
	    ARRAY(path), ARRAY(before), ARRAY(transition), ARRAY(emission), INT(STATES),
	    INT(SYMBOL), INT(AT), LOCAL(4 * 32), LOCAL(4 * 32));
	assert_floats(after, want, STATES, 1e-6f);
	assert_ints(path, want_path, (size_t)STEPS * STATES);
}

static void gem_potential_adds_up_all_atoms(void **unused)
{
	enum { RESIDUES = 20, VERTICES = 70, ATOMS_MAX = RESIDUES * 12 };
	int start[RESIDUES + 1];
	float atoms[3][ATOMS_MAX], charge[ATOMS_MAX], vertices[3][VERTICES], normals[3][VERTICES];
	float potential[VERTICES], want[VERTICES], dielectric[4] = {4, 80, 0.1f, 2};
	const double radius = 12, lift = 1.5, alpha = 0.580127;
	(void)unused;
	seed();
	int count = fill_rows(start, RESIDUES, 12);
	fill_floats(atoms[0], (size_t)3 * ATOMS_MAX, -8, 8);
	fill_floats(charge, ATOMS_MAX, -1, 1);
	fill_floats(vertices[0], (size_t)3 * VERTICES, -10, 10);
	fill_floats(normals[0], (size_t)3 * VERTICES, -1, 1);
	for (int v = 0; v < VERTICES; v++) {
		double sum = 0;
		for (int a = 0; a < count; a++) {
			double square = 0;
			for (int k = 0; k < 3; k++)
				square +=
				        pow((double)vertices[k][v] + lift * (double)normals[k][v] -
				                    (double)atoms[k][a],
				            2);
			double d = sqrt(square), beta = 4.0 / 80;
			double one = (1 + alpha) / d - alpha * (1 - beta) / (radius + lift);
			if (d > 2)
				one *= exp(-0.1 * (d - 2)) / (1 + 0.1 * (radius + 2));
			sum += (double)charge[a] * one / 80 / (1 + alpha * beta);
		}
		want[v] = (float)sum;
	}
	RUN("dwarfs/gem_potential", "", WORK(96), WORK(32), INT(RESIDUES), INT(VERTICES),
	    ARRAY(start), ARRAY(atoms[0]), ARRAY(atoms[1]), ARRAY(atoms[2]), ARRAY(charge),
	    ARRAY(vertices[0]), ARRAY(vertices[1]), ARRAY(vertices[2]), ARRAY(normals),
	    FLOAT((float)radius), FLOAT((float)lift),
	    {ARGUMENT_SCALAR, dielectric, sizeof dielectric}, ARRAY(potential));
	assert_floats(potential, want, VERTICES, 1e-4f);
}

/* Places what is left, a row after the other. */
static uint32_t solutions_of(uint32_t size, uint32_t taken, uint32_t left, uint32_t right)
{
	uint32_t sum = 0, all = (1u << size) - 1;
	if (taken == all)
		return 1;
	for (uint32_t queen = 1; queen <= all; queen <<= 1)
		if (((taken | left | right) & queen) == 0)
			sum += solutions_of(size, taken | queen, (left | queen) << 1,
			                    (right | queen) >> 1);
	return sum;
}

/* Boards of 8 with two rows filled in all ways have 92 solutions together. */
static void nqueens_finds_all_solutions(void **unused)
{
	enum { SIZE = 8, BOARDS = 120 };
	uint32_t columns[BOARDS], lefts[BOARDS], rights[BOARDS], found[BOARDS], want[BOARDS];
	uint32_t total = 0;
	int boards = 0;
	(void)unused;
	seed();
	for (uint32_t first = 0; first < SIZE; first++)
		for (uint32_t second = 0; second < SIZE; second++) {
			uint32_t a = 1u << first, b = 1u << second;
			if ((a | a << 1 | a >> 1) & b)
				continue;
			columns[boards] = a | b;
			lefts[boards] = (a << 1 | b) << 1;
			rights[boards++] = (a >> 1 | b) >> 1;
		}
	assert_int_equal(boards, 42);
	for (; boards < BOARDS; boards++) {
		columns[boards] = random_word() % 16;
		lefts[boards] = random_word() % 16;
		rights[boards] = random_word() % 16;
	}
	for (int i = 0; i < BOARDS; i++)
		want[i] = solutions_of(SIZE, columns[i], lefts[i], rights[i]);
	RUN("dwarfs/nqueens", "", WORK(128), WORK(32), INT(SIZE), INT(BOARDS), ARRAY(columns),
	    ARRAY(lefts), ARRAY(rights), ARRAY(found), LOCAL(256 * 32));
	assert_words(found, want, BOARDS);
	for (int i = 0; i < 42; i++)
		total += found[i];
	assert_int_equal(total, 92);
}

/* The last time at which each beginning of an episode was seen is all that counts. */
static void episode_counts_are_without_overlaps(void **unused)
{
	enum { EVENTS = 500, EPISODES = 60, LEVEL = 3, LETTERS = 5, WITHIN = 30 };
	uint8_t symbols[EVENTS], episodes[EPISODES][LEVEL];
	int times[EVENTS + 1], limits[EPISODES][LEVEL];
	uint32_t counts[EPISODES], want[EPISODES] = {0}, most = 0;
	(void)unused;
	seed();
	fill_rows(times, EVENTS, 7);
	for (int e = 0; e < EVENTS; e++)
		symbols[e] = (uint8_t)(random_word() % LETTERS);
	fill_ints(limits[0], (size_t)EPISODES * LEVEL, WITHIN);
	for (int p = 0; p < EPISODES; p++) {
		int begin = 0;
		for (int k = 0; k < LEVEL; k++)
			episodes[p][k] = (uint8_t)(random_word() % LETTERS);
		/* Backwards from each last symbol, to nothing that an occurrence has used. */
		for (int e = 0; e < EVENTS; e++) {
			int at = e, k = LEVEL - 1;
			bool is_reached = symbols[e] == episodes[p][k];
			while (is_reached && k > 0) {
				int from = at - 1;
				/* The latest before it that goes back to the beginning in time. */
				is_reached = false;
				for (; from >= begin && !is_reached; from--) {
					if (symbols[from] != episodes[p][k - 1] ||
					    times[at] - times[from] > limits[p][k])
						continue;
					bool is_whole = k == 1;
					for (int f = from - 1; k == 2 && f >= begin; f--)
						is_whole = is_whole ||
						           (symbols[f] == episodes[p][0] &&
						            times[from] - times[f] <= limits[p][1]);
					is_reached = is_whole;
					at = is_whole ? from : at;
				}
				k--;
			}
			if (is_reached) {
				want[p]++;
				begin = e + 1;
			}
		}
		most = want[p] > most ? want[p] : most;
	}
	RUN("dwarfs/episode_counts", "", WORK(64), WORK(32), ARRAY(symbols), ARRAY(times),
	    INT(EVENTS), ARRAY(episodes), ARRAY(limits), INT(LEVEL), INT(EPISODES), ARRAY(counts),
	    LOCAL(32), LOCAL(4 * 32));
	assert_words(counts, want, EPISODES);
	assert_true(most > 8);
}

CHECK_FAMILY(dwarfs, cmocka_unit_test(convolution_rows_has_zeros_outside),
             cmocka_unit_test(dct_columns_rows_is_orthonormal),
             cmocka_unit_test(median_rgba_is_near_the_fifth_of_nine),
             cmocka_unit_test(viterbi_step_takes_the_likeliest),
             cmocka_unit_test(gem_potential_adds_up_all_atoms),
             cmocka_unit_test(nqueens_finds_all_solutions),
             cmocka_unit_test(episode_counts_are_without_overlaps))
