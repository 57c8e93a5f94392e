/* SPDX-License-Identifier: Apache-2.0 */
/* Diffraction, symmetry and reduced cells against the host. */
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

static const double pi = 3.14159265358979323846;

/* Atoms are turned and moved, and not the indices. */
static void structure_factors_are_sums_over_the_cell(void **unused)
{
	enum { COUNT = 60, ATOMS = 45, OPS = 3 };
	int8_t hkl[COUNT][4];
	float atoms[ATOMS][8], factors[2 * COUNT], want[2 * COUNT], axes[4] = {7, 9, 12, 0};
	float ops[OPS][12] = {{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0},
	                      {0, -1, 0, 1, -1, 0, 0, 0, 1, 0, 0.5f, 0.25f},
	                      {0, 0, 1, -1, 0, 0, 0, 1, 0, 0.75f, 0, 0}};
	(void)unused;
	seed();
	fill_floats(atoms[0], (size_t)8 * ATOMS, 0.1f, 1);
	for (int i = 0; i < 4 * COUNT; i++)
		hkl[i / 4][i % 4] = (int8_t)((int)(random_word() % 17) - 8);
	for (int r = 0; r < COUNT; r++) {
		double s2 = 0, re = 0, im = 0;
		for (int k = 0; k < 3; k++)
			s2 += 0.25 * pow(hkl[r][k] / (double)axes[k], 2);
		for (int a = 0; a < ATOMS * OPS; a++) {
			const float *atom = atoms[a / OPS], *op = ops[a % OPS];
			double angle = 0;
			for (int k = 0; k < 3; k++) {
				double at = (double)op[9 + k];
				for (int m = 0; m < 3; m++)
					at += (double)op[3 * k + m] * (double)atom[m];
				angle += 2 * pi * hkl[r][k] * at;
			}
			double f = (double)atom[4] * exp(-(double)atom[5] * s2) + (double)atom[6];
			f *= (double)atom[3] * exp(-(double)atom[7] * s2);
			re += f * cos(angle);
			im += f * sin(angle);
		}
		want[2 * r] = (float)re;
		want[2 * r + 1] = (float)im;
	}
	RUN("crystals/structure_factors", "", WORK(64), WORK(32), ARRAY(hkl), ARRAY(atoms),
	    INT(ATOMS), ARRAY(ops), INT(OPS), {ARGUMENT_SCALAR, axes, sizeof axes}, ARRAY(factors),
	    LOCAL(32 * 32), INT(COUNT));
	assert_floats(factors, want, (size_t)2 * COUNT, 1e-3f);
}

static void powder_pattern_adds_all_that_is_near(void **unused)
{
	enum { STEPS = 300, STEP = 50, FIRST = 2000, PEAKS = 150, REACH = 900, TERMS = 5 };
	int position[PEAKS];
	float intensity[PEAKS], background[TERMS], pattern[STEPS], want[STEPS];
	float caglioti[4] = {0.3f, -0.02f, 0.01f, 0.4f};
	(void)unused;
	seed();
	fill_rows(position, PEAKS - 1, 250);
	fill_floats(intensity, PEAKS, 0, 100);
	fill_floats(background, TERMS, -3, 8);
	for (int i = 0; i < STEPS; i++) {
		int here = FIRST + i * STEP;
		double sum = 0, x = 2.0 * i / (double)(STEPS - 1) - 1;
		for (int p = 0; p < PEAKS; p++) {
			double t = tan(position[p] * pi / 360000),
			       apart = (here - position[p]) / 1e3;
			double w2 = (double)caglioti[0] * t * t + (double)caglioti[1] * t +
			            (double)caglioti[2];
			double w = sqrt(fmax(w2, 1e-4));
			double lorentz = w / 2 / pi / (apart * apart + w * w / 4);
			double gauss = sqrt(4 * log(2) / pi) / w *
			               exp(-4 * log(2) * apart * apart / w / w);
			if (abs(here - position[p]) <= REACH)
				sum += (double)intensity[p] * (0.4 * lorentz + 0.6 * gauss);
		}
		for (int k = 0; k < TERMS; k++)
			sum += (double)background[k] * cos(k * acos(x));
		want[i] = (float)sum;
	}
	RUN("crystals/powder_pattern", "", WORK(320), WORK(32), ARRAY(position), ARRAY(intensity),
	    INT(PEAKS), INT(FIRST), INT(STEP), {ARGUMENT_SCALAR, caglioti, sizeof caglioti},
	    INT(REACH), ARRAY(background), INT(TERMS), ARRAY(pattern), INT(STEPS));
	assert_floats(pattern, want, STEPS, 2e-4f);
}

struct operation {
	int8_t turn[9];
	uint8_t shift[3];
};

/* Of the cube's 48 operations known multiplicities come out, with shifts what all pairs say. */
static void site_orbits_count_different_places(void **unused)
{
	enum { COUNT = 90, ORDER = 48 };
	struct operation ops[ORDER];
	uint16_t sites[COUNT][4];
	uint8_t multiplicity[COUNT];
	uint32_t first[COUNT];
	const uint16_t special[5][4] = {
	        {0, 0, 0, 0}, {7, 0, 0, 0}, {7, 7, 7, 0}, {9, 9, 0, 0}, {3, 20, 50, 0}};
	const int known[5] = {1, 6, 8, 12, 48};
	static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
	                                 {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	(void)unused;
	seed();
	memset(ops, 0, sizeof ops);
	for (int k = 0; k < ORDER; k++)
		for (int row = 0; row < 3; row++)
			ops[k].turn[3 * row + orders[k / 8][row]] = k >> row & 1 ? -1 : 1;
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < COUNT; i++)
			for (int k = 0; k < 4; k++)
				sites[i][k] = (uint16_t)(i % 2 ? 30 * (random_word() % 8)
				                               : random_word());
		memcpy(sites, special, sizeof special);
		RUN("crystals/site_orbits", "", WORK(96), WORK(32), ARRAY(sites), ARRAY(ops),
		    INT(ORDER), ARRAY(multiplicity), ARRAY(first), SCALAR(uint32_t, COUNT));
		for (int i = 0; i < COUNT; i++) {
			int place[ORDER], different = 0, least = 1 << 30;
			for (int k = 0; k < ORDER; k++) {
				bool is_new = true;
				place[k] = 0;
				for (int row = 0; row < 3; row++) {
					int at = 10 * ops[k].shift[row];
					for (int m = 0; m < 3; m++)
						at += ops[k].turn[3 * row + m] *
						      (sites[i][m] % 240);
					place[k] = 240 * place[k] + (at % 240 + 240) % 240;
				}
				for (int j = 0; j < k; j++)
					is_new = is_new && place[j] != place[k];
				different += is_new;
				least = place[k] < least ? place[k] : least;
			}
			assert_int_equal(multiplicity[i], different);
			assert_int_equal(first[i], least);
			if (pass == 0 && i < 5)
				assert_int_equal(multiplicity[i], known[i]);
		}
		for (int k = 0; k < ORDER; k++)
			for (int row = 0; row < 3; row++)
				ops[k].shift[row] = (uint8_t)(random_word() % 4 * 6);
	}
}

static void spot_intensity_is_above_the_rim(void **unused)
{
	enum { W = 60, H = 50, SPOTS = 40, LIMIT = 900 };
	uint16_t frame[H * W];
	float predicted[2 * SPOTS], measured[2 * SPOTS], want[2 * SPOTS];
	uint8_t flags[SPOTS], want_flags[SPOTS];
	int seen[3] = {0};
	(void)unused;
	seed();
	for (int i = 0; i < H * W; i++) {
		uint32_t draw = random_word() % 1000;
		frame[i] = draw < 20 ? 0xffff : draw < 30 ? 950 : (uint16_t)(100 + draw % 90);
		if (i % W < 20 && i / W < 20)
			frame[i] = 0xffff;
	}
	for (int i = 0; i < 2 * SPOTS; i++)
		predicted[i] = 0.25f * (float)(random_word() % (uint32_t)(i % 2 ? 4 * H : 4 * W));
	predicted[0] = predicted[1] = 5.5f;
	for (int s = 0; s < SPOTS; s++) {
		double x = (double)predicted[2 * s], y = (double)predicted[2 * s + 1];
		double rim = 0, rims = 0, disc = 0, discs = 0;
		bool is_saturated = false;
		for (int i = 0; i < H * W; i++) {
			double apart = hypot(i % (int)W + 0.5 - x, i / (int)W + 0.5 - y);
			bool is_in = abs(i % W - (int)x) <= 8 && abs(i / W - (int)y) <= 8;
			if (!is_in || frame[i] == 0xffff)
				continue;
			if (apart <= 4.3) {
				disc += frame[i];
				discs++;
				is_saturated = is_saturated || frame[i] >= LIMIT;
			} else if (apart > 5.7) {
				rim += frame[i];
				rims++;
			}
		}
		want_flags[s] = rims < 10 ? 2 : is_saturated;
		double below = rims < 10 ? 0 : rim / rims * discs;
		want[2 * s] = rims < 10 ? 0 : (float)(disc - below);
		want[2 * s + 1] = rims < 10 ? -1 : (float)sqrt(disc + below * discs / rims);
		seen[want_flags[s]]++;
	}
	RUN("crystals/spot_intensity", "", WORK((size_t)SPOTS * 32), WORK(32), ARRAY(frame), INT(W),
	    INT(H), ARRAY(predicted), FLOAT(4.3f), FLOAT(1.4f), SCALAR(uint16_t, LIMIT),
	    ARRAY(measured), ARRAY(flags), LOCAL(4 * 32));
	assert_memory_equal(flags, want_flags, sizeof flags);
	assert_floats(measured, want, (size_t)2 * SPOTS, 1e-3f);
	assert_true(seen[0] > 3 && seen[1] > 3 && seen[2] > 0);
}

static double determinant(const double *m)
{
	return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
	       m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/* The same lattice, without acute angles; its shortest vector is that of all small combinations. */
static void selling_reduce_finds_obtuse_cells(void **unused)
{
	enum { COUNT = 70 };
	double cells[COUNT][9], reduced[COUNT][9], shortest[COUNT];
	int steps[COUNT], all_steps = 0;
	(void)unused;
	seed();
	for (int i = 0; i < COUNT; i++) {
		do
			for (int k = 0; k < 9; k++)
				cells[i][k] = random_word() * 0x1p-31 - (i % 3 == 0 ? 0 : 1);
		while (fabs(determinant(cells[i])) < 0.05);
	}
	RUN("crystals/selling_reduce", "", WORK(96), WORK(32), ARRAY(cells), ARRAY(reduced),
	    ARRAY(steps), ARRAY(shortest), SCALAR(double, 1e-12), INT(100), INT(COUNT));
	for (int i = 0; i < COUNT; i++) {
		const double *b = reduced[i], volume = determinant(cells[i]);
		double edges[4][3] = {{0}}, least = 1e9;
		assert_true(steps[i] < 100);
		all_steps += steps[i];
		assert_true(fabs(fabs(determinant(b)) - fabs(volume)) < 1e-9);
		for (int k = 0; k < 9; k++) {
			double replaced[9];
			memcpy(replaced, cells[i], sizeof replaced);
			memcpy(replaced + k % 3 * 3, b + k / 3 * 3, 3 * sizeof *b);
			double times = determinant(replaced) / volume; /* Cramer */
			assert_true(fabs(times - rint(times)) < 1e-6);
			edges[k / 3][k % 3] = b[k];
			edges[3][k % 3] -= b[k];
		}
		for (int k = 0; k < 16; k++) {
			const double *p = edges[k / 4], *q = edges[k % 4];
			assert_true(k / 4 == k % 4 ||
			            p[0] * q[0] + p[1] * q[1] + p[2] * q[2] < 1e-9);
		}
		for (int c = 0; c < 343; c++) {
			double squares = 0;
			for (int k = 0; k < 3; k++)
				squares += pow((c % 7 - 3) * b[k] + (c / 7 % 7 - 3) * b[3 + k] +
				                       (c / 49 - 3) * b[6 + k],
				               2);
			if (c != 171)
				least = fmin(least, sqrt(squares));
		}
		assert_true(fabs(least - shortest[i]) < 1e-9);
	}
	assert_true(all_steps > COUNT);
}

static void tangent_phases_are_of_the_mean_vector(void **unused)
{
	enum { COUNT = 80, MOST = 14 };
	int row[COUNT + 1], k_of[COUNT * MOST], hk_of[COUNT * MOST];
	uint8_t turns[COUNT * MOST];
	float e[COUNT], phase[COUNT], refined[COUNT], alpha[COUNT];
	uint32_t kept[1] = {0}, want_kept = 0;
	(void)unused;
	seed();
	int all = fill_rows(row, COUNT, MOST);
	fill_ints(k_of, (size_t)COUNT * MOST, COUNT);
	fill_ints(hk_of, (size_t)COUNT * MOST, COUNT);
	fill_floats(e, COUNT, 0, 2.5f);
	fill_floats(phase, COUNT, 0, 6.28f);
	for (int i = 0; i < COUNT * MOST; i++)
		turns[i] = (uint8_t)random_word();
	assert_true(all > COUNT);
	RUN("crystals/tangent_phases", "", WORK(96), WORK(32), ARRAY(row), ARRAY(k_of),
	    ARRAY(hk_of), ARRAY(turns), ARRAY(e), ARRAY(phase), FLOAT(0.3f), FLOAT(1.5f),
	    ARRAY(refined), ARRAY(alpha), ARRAY(kept), INT(COUNT));
	for (int h = 0; h < COUNT; h++) {
		double re = 0, im = 0;
		for (int t = row[h]; t < row[h + 1]; t++) {
			double weight = (double)e[k_of[t]] * (double)e[hk_of[t]];
			double angle = (turns[t] & 1 ? -1 : 1) * (double)phase[k_of[t]] +
			               (turns[t] >> 1 & 1 ? -1 : 1) * (double)phase[hk_of[t]];
			re += weight * cos(angle);
			im += weight * sin(angle);
		}
		double length = sqrt(re * re + im * im);
		assert_true(fabs((double)alpha[h] - 0.3 * (double)e[h] * length) < 1e-3);
		want_kept += alpha[h] < 1.5f;
		if (alpha[h] < 1.5f) {
			assert_true(refined[h] == phase[h]);
			continue;
		}
		assert_true(refined[h] >= 0 && refined[h] < 6.2832f);
		assert_true(fabs(length * cos((double)refined[h]) - re) < 1e-3 * length);
		assert_true(fabs(length * sin((double)refined[h]) - im) < 1e-3 * length);
	}
	assert_int_equal(kept[0], want_kept);
	assert_true(want_kept > 5 && want_kept < COUNT - 5);
}

CHECK_FAMILY(crystals, cmocka_unit_test(structure_factors_are_sums_over_the_cell),
             cmocka_unit_test(powder_pattern_adds_all_that_is_near),
             cmocka_unit_test(site_orbits_count_different_places),
             cmocka_unit_test(spot_intensity_is_above_the_rim),
             cmocka_unit_test(selling_reduce_finds_obtuse_cells),
             cmocka_unit_test(tangent_phases_are_of_the_mean_vector))
