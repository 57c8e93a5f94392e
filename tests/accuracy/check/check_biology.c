/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences, molecules and forces against the host. */
#include <stdlib.h>

#include "tests/accuracy/check/run.h"

/* The whole matrix, of which the kernel keeps a band: read[i] meets genome[i + k], k < BAND. */
static void smith_waterman_band_aligns(void **unused)
{
	enum { PAIRS = 40, LENGTH = 50, BAND = 15, COLUMNS = LENGTH + BAND, OPEN = 6, EXTEND = 2 };
	static uint8_t reads[LENGTH * PAIRS], genome[COLUMNS * PAIRS];
	int16_t best[PAIRS];
	(void)unused;
	seed();
	for (int i = 0; i < COLUMNS * PAIRS; i++)
		genome[i] = (uint8_t)random_word();
	for (int i = 0; i < LENGTH * PAIRS;
	     i++) /* 5 letters later, 1 in 8 wrong, one lost half-way */
		reads[i] = random_word() % 8 == 0
		                   ? (uint8_t)random_word()
		                   : genome[i + (i / PAIRS < LENGTH / 2 ? 5 : 6) * PAIRS];
	RUN("biology/smith_waterman_band", "", WORK(64), WORK(32), ARRAY(reads), ARRAY(genome),
	    ARRAY(best), INT(PAIRS), INT(LENGTH), INT(OPEN), INT(EXTEND));
	for (int pair = 0; pair < PAIRS; pair++) {
		static int h[LENGTH + 1][COLUMNS + 1], down[LENGTH + 1][COLUMNS + 1];
		static int right[LENGTH + 1][COLUMNS + 1];
		int want = 0;
		for (int i = 0; i <= LENGTH; i++)
			for (int j = 0; j <= COLUMNS; j++) {
				h[i][j] = 0;
				down[i][j] = right[i][j] = -1000;
				if (i == 0 || j < i || j >= i + BAND)
					continue;
				int a = reads[(i - 1) * PAIRS + pair] % 4;
				int b = genome[(j - 1) * PAIRS + pair] % 4;
				int fit = a == b ? 5 : (a + b) % 2 == 0 ? -3 : -4;
				int one = h[i - 1][j] - OPEN, two = down[i - 1][j] - EXTEND;
				down[i][j] = one > two ? one : two;
				one = h[i][j - 1] - OPEN;
				two = right[i][j - 1] - EXTEND;
				right[i][j] = one > two ? one : two;
				int score = h[i - 1][j - 1] + fit;
				score = score > 0 ? score : 0;
				score = score > down[i][j] ? score : down[i][j];
				score = score > right[i][j] ? score : right[i][j];
				h[i][j] = score;
				want = want > score ? want : score;
			}
		assert_int_equal(best[pair], want);
		assert_in_range(want, 60, 5 * LENGTH);
	}
}

static double bump(double x) /* the cubic B-spline around 0 */
{
	x = fabs(x);
	return x < 1 ? (4 - 6 * x * x + 3 * x * x * x) / 6 : x < 2 ? pow(2 - x, 3) / 6 : 0;
}

static void pme_spread_conserves_charge(void **unused)
{
	enum { ATOMS = 30, SIDE = 7, POINTS = SIDE * SIDE * SIDE };
	const double side = SIDE;
	float atoms[4 * ATOMS];
	int grid[POINTS] = {0};
	(void)unused;
	seed();
	fill_floats(atoms, 4 * ATOMS, 0, 1);
	RUN("biology/pme_spread", "", WORK(32), WORK(16), ARRAY(atoms), ARRAY(grid), INT(ATOMS),
	    INT(SIDE), FLOAT(1e6f));
	for (int p = 0; p < POINTS; p++) {
		double sum = 0;
		for (int i = 0; i < ATOMS; i++) {
			double weight = (double)atoms[4 * i + 3];
			int at[3] = {p % SIDE, p / SIDE % SIDE, p / SIDE / SIDE};
			for (int axis = 0; axis < 3; axis++) {
				double d = fabs(at[axis] - (double)atoms[4 * i + axis] * side);
				weight *= bump(fmin(d, side - d));
			}
			sum += weight;
		}
		assert_true(fabs(grid[p] - 1e6 * sum) < 2 + 4 * ATOMS);
	}
}

static void contact_map_has_a_bit_for_each_pair(void **unused)
{
	enum { RESIDUES = 96 };
	float residue[4 * RESIDUES];
	uint32_t bits[RESIDUES * RESIDUES / 32];
	const double cutoff = 4;
	int touching = 0;
	(void)unused;
	seed();
	fill_floats(residue, 4 * RESIDUES, 0, 10);
	RUN("biology/contact_map", "", WORK(8, 96), WORK(8, 8), ARRAY(residue), ARRAY(bits),
	    SCALAR(uint32_t, RESIDUES), FLOAT((float)cutoff));
	for (int i = 0; i < RESIDUES; i++)
		for (int j = 0; j < RESIDUES; j++) {
			double square = 0;
			for (int k = 0; k < 3; k++)
				square += pow(
				        (double)residue[4 * i + k] - (double)residue[4 * j + k], 2);
			bool want = j > i && square < cutoff * cutoff;
			assert_int_equal(bits[(i * RESIDUES + j) / 32] >> j % 32 & 1, want);
			touching += want;
		}
	assert_in_range(touching, 100, RESIDUES * RESIDUES / 4);
}

static void cell_morse_pulls_from_all_cells_around(void **unused)
{
	enum { SIDE = 4, CELLS = SIDE * SIDE * SIDE, ATOMS_MAX = 4 * CELLS };
	static float atoms[4 * ATOMS_MAX], forces[4 * ATOMS_MAX], want[4 * ATOMS_MAX];
	static const float constants[4] = {1.5f, 1.2f, 0.9f, 1.4f};
	int start[CELLS + 1], cell_of[ATOMS_MAX], count;
	const double depth = (double)constants[0], width = (double)constants[1];
	(void)unused;
	seed();
	count = fill_rows(start, CELLS, 4);
	fill_floats(atoms, 4 * ATOMS_MAX, 0, 2);
	for (int cell = 0; cell < CELLS; cell++)
		for (int i = start[cell]; i < start[cell + 1]; i++)
			cell_of[i] = cell;
	for (int i = 0; i < count; i++) {
		double sum[4] = {0};
		for (int j = 0; j < count; j++) {
			double d[3], square = 0;
			int stride = 1, beside = 0;
			for (int k = 0; k < 3; k++, stride *= SIDE) {
				int steps = abs(cell_of[i] / stride % SIDE -
				                cell_of[j] / stride % SIDE);
				beside += steps <= 1 || steps == SIDE - 1;
				d[k] = (double)atoms[4 * j + k] - (double)atoms[4 * i + k];
				square += d[k] * d[k];
			}
			double r = sqrt(square), x = exp(width * ((double)constants[2] - r));
			if (i == j || beside < 3 || r >= (double)constants[3])
				continue;
			for (int k = 0; k < 3; k++)
				sum[k] += 2 * depth * width * x * (1 - x) * d[k] / r;
			sum[3] += depth * ((1 - x) * (1 - x) - 1) / 2;
		}
		for (int k = 0; k < 4; k++)
			want[4 * i + k] = (float)sum[k];
	}
	RUN("biology/cell_morse", "", WORK(SIDE, SIDE, SIDE), WORK(4, 2, 2), ARRAY(atoms),
	    ARRAY(start), ARRAY(forces), INT(SIDE), {ARGUMENT_SCALAR, (void *)constants, 16});
	assert_floats(forces, want, 4 * (size_t)count, 2e-4f);
}

static void torsion_energy_is_of_the_angle_between_planes(void **unused)
{
	enum { ATOMS = 50, TORSIONS = 90 };
	static const double type[8][3] = {{1.4, 3, 0}, {0.65, 2, 180}, {2.5, 2, 180},
	                                  {0.2, 1, 0}, {10.5, 2, 180}, {0.16, 3, 0},
	                                  {1.1, 4, 0}, {0.53, 6, 0}};
	float atoms[4 * ATOMS], energy[TORSIONS], want[TORSIONS];
	int quads[4 * TORSIONS];
	uint8_t types[TORSIONS];
	(void)unused;
	seed();
	fill_floats(atoms, 4 * ATOMS, 0, 3);
	for (int n = 0; n < TORSIONS; n++) {
		double b[3][3], normal[2][3], lengths[2] = {0}, cosine = 0, side = 0;
		types[n] = (uint8_t)random_word();
		quads[4 * n] = (int)(random_word() % ATOMS);
		for (int k = 1; k < 4; k++)
			quads[4 * n + k] = (quads[4 * n] + 7 * k) % ATOMS;
		for (int k = 0; k < 3; k++)
			for (int a = 0; a < 3; a++)
				b[k][a] = (double)atoms[4 * quads[4 * n + k + 1] + a] -
				          (double)atoms[4 * quads[4 * n + k] + a];
		for (int k = 0; k < 2; k++)
			for (int a = 0; a < 3; a++) {
				int p = (a + 1) % 3, q = (a + 2) % 3;
				normal[k][a] = b[k][p] * b[k + 1][q] - b[k][q] * b[k + 1][p];
				lengths[k] += normal[k][a] * normal[k][a];
			}
		for (int a = 0; a < 3; a++) {
			cosine += normal[0][a] * normal[1][a] / sqrt(lengths[0] * lengths[1]);
			side += normal[0][a] * b[2][a];
		}
		double angle = acos(fmax(-1, fmin(1, cosine))) * (side < 0 ? -1 : 1);
		const double *t = type[types[n] % 8];
		double phase = types[n] % 8 == 6   ? 0.5
		               : types[n] % 8 == 7 ? 1.0
		                                   : t[2] / 180 * 3.14159265358979;
		want[n] = (float)(t[0] * (1 + cos(t[1] * angle - phase)));
	}
	RUN("biology/torsion_energy", "", WORK(96), WORK(32), ARRAY(atoms), ARRAY(quads),
	    ARRAY(types), ARRAY(energy), INT(TORSIONS));
	assert_floats(energy, want, TORSIONS, 2e-4f);
}

static void viterbi_states_follows_the_best_path(void **unused)
{
	enum { PROTEINS = 4, LENGTH = 12, STATES = 8, LETTERS = 20 };
	uint8_t proteins[PROTEINS * LENGTH], from[PROTEINS * LENGTH * STATES];
	float transition[STATES * STATES], emission[LETTERS * STATES],
	        likelihood[PROTEINS * STATES];
	(void)unused;
	seed();
	for (int i = 0; i < PROTEINS * LENGTH; i++)
		proteins[i] = (uint8_t)random_word();
	fill_floats(transition, STATES * STATES, -5, 0);
	fill_floats(emission, LETTERS * STATES, -5, 0);
	RUN("biology/viterbi_states", "", WORK(PROTEINS * STATES), WORK(STATES), ARRAY(proteins),
	    ARRAY(transition), ARRAY(emission), ARRAY(from), ARRAY(likelihood), INT(LENGTH),
	    LOCAL(8 * STATES));
	for (int p = 0; p < PROTEINS; p++) {
		const uint8_t *letters = proteins + p * LENGTH;
		double now[STATES], next[STATES];
		for (int s = 0; s < STATES; s++)
			now[s] = (double)emission[letters[0] % LETTERS * STATES + s];
		for (int t = 1; t < LENGTH; t++) {
			for (int to = 0; to < STATES; to++) {
				next[to] = -1e9;
				for (int s = 0; s < STATES; s++)
					next[to] =
					        fmax(next[to],
					             now[s] + (double)transition[s * STATES + to]);
				int chosen = from[(p * LENGTH + t) * STATES + to];
				assert_in_range(chosen, 0, STATES - 1);
				assert_close(now[chosen] + (double)transition[chosen * STATES + to],
				             next[to], 1e-6);
				next[to] += (double)emission[letters[t] % LETTERS * STATES + to];
			}
			for (int s = 0; s < STATES; s++)
				now[s] = next[s];
		}
		for (int s = 0; s < STATES; s++)
			assert_close((double)likelihood[p * STATES + s], now[s], 1e-5);
	}
}

static void tanimoto_divides_common_bits(void **unused)
{
	enum { QUERIES = 3, MOLECULES = 50, WORDS = 16 };
	uint64_t queries[QUERIES * WORDS], molecules[MOLECULES * WORDS];
	float alike[QUERIES * MOLECULES], want[QUERIES * MOLECULES];
	(void)unused;
	seed();
	fill_words((uint32_t *)queries, sizeof queries / 4);
	fill_words((uint32_t *)molecules, sizeof molecules / 4);
	for (int i = 0; i < QUERIES * MOLECULES; i++) {
		int both = 0, either = 0;
		for (int bit = 0; bit < 64 * WORDS; bit++) {
			int a = queries[i / MOLECULES * WORDS + bit / 64] >> bit % 64 & 1;
			int b = molecules[i % MOLECULES * WORDS + bit / 64] >> bit % 64 & 1;
			both += a & b;
			either += a | b;
		}
		want[i] = (float)both / (float)either;
	}
	RUN("biology/tanimoto", "", WORK(64, QUERIES), WORK(32, 1), ARRAY(queries),
	    ARRAY(molecules), ARRAY(alike), SCALAR(uint32_t, MOLECULES));
	assert_floats(alike, want, QUERIES * MOLECULES, 1e-6f);
}

CHECK_FAMILY(biology, cmocka_unit_test(smith_waterman_band_aligns),
             cmocka_unit_test(pme_spread_conserves_charge),
             cmocka_unit_test(contact_map_has_a_bit_for_each_pair),
             cmocka_unit_test(cell_morse_pulls_from_all_cells_around),
             cmocka_unit_test(torsion_energy_is_of_the_angle_between_planes),
             cmocka_unit_test(viterbi_states_follows_the_best_path),
             cmocka_unit_test(tanimoto_divides_common_bits))
