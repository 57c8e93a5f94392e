/* SPDX-License-Identifier: Apache-2.0 */
/* Transport of neutrons, by histories, directions and characteristics, against the host. */
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

struct point {
	float lethargy, reaction[5];
};

static void macro_xs_interpolates_every_nuclide(void **unused)
{
	enum { COUNT = 150, GRID = 64, NUCLIDES = 6, EACH = 20, MATERIALS = 5, MOST = 7 };
	int lethargy[COUNT], material[COUNT], grid[GRID], start[GRID * NUCLIDES];
	int row[MATERIALS + 1], nuclide[MATERIALS * MOST];
	struct point points[NUCLIDES * EACH];
	float density[MATERIALS * MOST], xs[5 * COUNT], want[5 * COUNT];
	uint8_t kind[COUNT];
	int kinds[3] = {0};
	(void)unused;
	seed();
	fill_rows(grid, GRID - 1, 2000);
	fill_ints(lethargy, COUNT, grid[GRID - 1]);
	fill_ints(material, COUNT, MATERIALS);
	fill_rows(row, MATERIALS, MOST);
	fill_ints(nuclide, (size_t)MATERIALS * MOST, NUCLIDES);
	fill_floats(density, (size_t)MATERIALS * MOST, 0, 1);
	for (int p = 0; p < NUCLIDES * EACH; p++) {
		points[p].lethargy = 0.0035f * (float)(p % EACH);
		fill_floats(points[p].reaction, 5, 0, 3);
	}
	for (int s = 0; s < GRID * NUCLIDES; s++) {
		int near = (int)((double)grid[s / NUCLIDES] * 1e-6 / 0.0035);
		start[s] = s % 3 == 0 ? (int)(random_word() % (EACH - 1)) : near;
		start[s] = start[s] < EACH - 2 ? start[s] : EACH - 2;
	}
	RUN("neutrons/macro_xs", "", WORK(192), WORK(64), ARRAY(lethargy), ARRAY(material),
	    ARRAY(grid), INT(GRID), ARRAY(start), INT(NUCLIDES), ARRAY(points), INT(EACH),
	    ARRAY(row), ARRAY(nuclide), ARRAY(density), ARRAY(xs), ARRAY(kind), INT(COUNT));
	for (int i = 0; i < COUNT; i++) {
		int place = 0;
		double sum[5] = {0}, most = 0;
		while (place < GRID - 2 && grid[place + 1] <= lethargy[i])
			place++;
		for (int k = row[material[i]]; k < row[material[i] + 1]; k++) {
			const struct point *p =
			        points + nuclide[k] * EACH + start[place * NUCLIDES + nuclide[k]];
			double share = (lethargy[i] * 1e-6 - (double)p[0].lethargy) /
			               ((double)p[1].lethargy - (double)p[0].lethargy);
			share = fmin(fmax(share, 0), 1);
			for (int r = 0; r < 5; r++)
				sum[r] += (double)density[k] *
				          ((1 - share) * (double)p[0].reaction[r] +
				           share * (double)p[1].reaction[r]);
		}
		for (int r = 0; r < 5; r++)
			want[r * COUNT + i] = (float)sum[r];
		for (int r = 1; r < 4; r++)
			most = fmax(most, sum[r]);
		assert_true(kind[i] < 3 && sum[kind[i] + 1] > most - 1e-3);
		kinds[kind[i]]++;
	}
	assert_floats(xs, want, (size_t)5 * COUNT, 1e-4f);
	assert_true(kinds[0] > 5 && kinds[1] > 5 && kinds[2] > 5);
}

static float draw(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return ((float)(*state >> 40) + 0.5f) * 0x1p-24f;
}

static void turn(uint64_t *state, float *along)
{
	float mu = 2 * draw(state) - 1, phi = 6.2831853f * draw(state);
	along[0] = sqrtf(1 - mu * mu) * cosf(phi);
	along[1] = sqrtf(1 - mu * mu) * sinf(phi);
	along[2] = mu;
}

/* Rounded otherwise a history may enter another voxel: two of them are let off. */
static void woodcock_histories_leak_or_are_killed(void **unused)
{
	enum { SIDE = 12, HISTORIES = 300, SEED = 77 }; /* begun at the middle, 6 */
	uint8_t material[SIDE * SIDE * SIDE], fates[HISTORIES];
	uint16_t collisions[HISTORIES];
	uint32_t absorbed[SIDE * SIDE * SIDE] = {0};
	double want[SIDE * SIDE * SIDE] = {0}, apart = 0, all = 0;
	float sections[8][2];
	int others = 0, seen[3] = {0};
	(void)unused;
	seed();
	for (int i = 0; i < SIDE * SIDE * SIDE; i++)
		material[i] = (uint8_t)random_word();
	fill_floats(sections[0], 16, 0.2f, 1);
	RUN("neutrons/woodcock_histories", "", WORK(320), WORK(32), ARRAY(material), INT(SIDE),
	    FLOAT(1.5f), ARRAY(sections), FLOAT(1), SCALAR(uint64_t, SEED), ARRAY(absorbed),
	    ARRAY(collisions), ARRAY(fates), SCALAR(uint32_t, HISTORIES));
	for (unsigned id = 0; id < HISTORIES; id++) {
		uint64_t state = (SEED + id) * (uint64_t)0x9E3779B97F4A7C15u;
		float at[3] = {6, 6, 6}, along[3], weight = 1;
		int hits = 0, fate = 2;
		state ^= state >> 29;
		turn(&state, along);
		for (int event = 0; event < 500 && fate == 2; event++) {
			float flight = -logf(draw(&state)) * 1.5f;
			bool is_in = true;
			int voxel = 0;
			for (int k = 2; k >= 0; k--) {
				at[k] += along[k] * flight;
				is_in = is_in && at[k] >= 0 && at[k] < 12;
				voxel = voxel * SIDE + (is_in ? (int)at[k] : 0);
			}
			const float *s = sections[material[is_in ? voxel : 0] % 8];
			if (!is_in) {
				fate = 0;
			} else if (draw(&state) < s[0]) {
				hits++;
				want[voxel] += floor(65536 * (double)weight * (1 - (double)s[1]));
				weight *= s[1];
				if (weight < 0.25f) {
					fate = draw(&state) * 0.5f >= weight ? 1 : 2;
					weight = 0.5f;
				}
				if (fate == 2)
					turn(&state, along);
			}
		}
		others += fates[id] != fate || collisions[id] != hits;
		seen[fate]++;
	}
	for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
		apart += fabs(absorbed[i] - want[i]);
		all += want[i];
	}
	assert_true(others <= 2);
	assert_true(apart < 0.01 * all);
	assert_true(seen[0] > 10 && seen[1] > 10);
}

/* What goes out says by the balance of a cell what is in it; faces follow the diamond, or are zero.
 */
static void sweep_plane_balances_cells(void **unused)
{
	enum { SIDE = 5, GROUPS = 4, DIRECTIONS = 3, PLANE = 6, FACES = SIDE * SIDE * DIRECTIONS };
	static double source[SIDE * SIDE * SIDE][GROUPS], phi[SIDE * SIDE * SIDE][GROUPS],
	        in[3][FACES][GROUPS], out[3][FACES][GROUPS];
	uint8_t material[SIDE * SIDE * SIDE];
	double sigma[8][GROUPS], ordinates[DIRECTIONS][4], per_side[2] = {0.5, 0.8};
	int zeros = 0, whole = 0;
	(void)unused;
	seed();
	for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
		material[i] = (uint8_t)random_word();
		for (int g = 0; g < GROUPS; g++) {
			source[i][g] = random_word() * 0x1p-32;
			phi[i][g] = i;
		}
	}
	for (int i = 0; i < 8 * GROUPS; i++)
		sigma[i / GROUPS][i % GROUPS] = 0.2 + random_word() * 0x1p-31;
	for (int i = 0; i < 4 * DIRECTIONS; i++)
		ordinates[i / 4][i % 4] = 0.1 + random_word() * 0x1p-32;
	for (int i = 0; i < 3 * FACES * GROUPS; i++)
		in[i / (FACES * GROUPS)][i / GROUPS % FACES][i % GROUPS] =
		        pow(random_word() * 0x1p-32, 3);
	memcpy(out, in, sizeof in);
	RUN("neutrons/sweep_plane", "", WORK(GROUPS, 8, 6), WORK(4, 2, 2), ARRAY(material),
	    ARRAY(sigma), ARRAY(source), ARRAY(ordinates), INT(DIRECTIONS),
	    {ARGUMENT_SCALAR, per_side, sizeof per_side}, ARRAY(out[0]), ARRAY(out[1]),
	    ARRAY(out[2]), ARRAY(phi), INT(PLANE), INT(SIDE));
	for (int c = 0; c < SIDE * SIDE * SIDE * GROUPS; c++) {
		int g = c % GROUPS, cell = c / GROUPS, i = cell % SIDE, j = cell / SIDE % SIDE,
		    k = cell / SIDE / SIDE;
		double want = cell, s = sigma[material[cell] % 8][g];
		if (i + j + k != PLANE) {
			assert_true(phi[cell][g] == want);
			continue;
		}
		for (int d = 0; d < DIRECTIONS; d++) {
			int face[3] = {(k * SIDE + j) * DIRECTIONS + d,
			               (k * SIDE + i) * DIRECTIONS + d,
			               (j * SIDE + i) * DIRECTIONS + d};
			double lost = 0;
			for (int f = 0; f < 3; f++)
				lost += ordinates[d][f] * per_side[f == 2] *
				        (out[f][face[f]][g] - in[f][face[f]][g]);
			double psi = (source[cell][g] - lost) / s;
			for (int f = 0; f < 3; f++) {
				double to = out[f][face[f]][g];
				bool is_diamond = fabs(to - 2 * psi + in[f][face[f]][g]) < 1e-9;
				assert_true(to >= 0 && (to == 0 || is_diamond));
				zeros += to == 0;
				whole += is_diamond;
			}
			want += ordinates[d][3] * psi;
		}
		assert_true(fabs(phi[cell][g] - want) < 1e-9 * (1 + want));
	}
	assert_true(zeros > 10 && whole > 10);
}

static void moc_segments_attenuate_both_ways(void **unused)
{
	enum { TRACKS = 30, MOST = 12, REGIONS = 40, GROUPS = 8, ENTRIES = 1000 };
	int first[TRACKS + 1], region[TRACKS * MOST];
	float length[TRACKS * MOST], sigma[REGIONS][GROUPS], source[REGIONS][GROUPS],
	        weight[TRACKS], entering[TRACKS][2][GROUPS], leaving[TRACKS][2][GROUPS],
	        flux[REGIONS][GROUPS], want_leaving[TRACKS][2][GROUPS], want_flux[REGIONS][GROUPS];
	double sums[REGIONS][GROUPS] = {{0}};
	static float table[ENTRIES][2];
	(void)unused;
	seed();
	fill_rows(first, TRACKS, MOST);
	fill_ints(region, (size_t)TRACKS * MOST, REGIONS);
	fill_floats(length, (size_t)TRACKS * MOST, 0.05f, 4);
	fill_floats(sigma[0], (size_t)REGIONS * GROUPS, 0.1f, 3);
	fill_floats(source[0], (size_t)REGIONS * GROUPS, 0, 1);
	fill_floats(weight, TRACKS, 0, 1);
	fill_floats(entering[0][0], (size_t)2 * TRACKS * GROUPS, 0, 2);
	memset(flux, 0, sizeof flux);
	for (int e = 0; e < ENTRIES; e++) {
		double low = -expm1(-e / 100.0), high = -expm1(-(e + 1) / 100.0);
		table[e][0] = (float)((high - low) * 100);
		table[e][1] = (float)(low - (high - low) * e);
	}
	RUN("neutrons/moc_segments", "", WORK(GROUPS, 32), WORK(4, 8), ARRAY(first), ARRAY(region),
	    ARRAY(length), ARRAY(sigma), ARRAY(source), ARRAY(table), INT(ENTRIES), FLOAT(100),
	    ARRAY(weight), ARRAY(entering), ARRAY(leaving), ARRAY(flux), INT(TRACKS));
	for (int t = 0; t < TRACKS * 2 * GROUPS; t++) {
		int track = t / 2 / GROUPS, way = t / GROUPS % 2, g = t % GROUPS;
		int count = first[track + 1] - first[track];
		double psi = (double)entering[track][way][g];
		for (int n = 0; n < count; n++) {
			int s = way == 0 ? first[track] + n : first[track + 1] - 1 - n;
			double q = (double)source[region[s]][g];
			double after = q + (psi - q) * exp(-(double)sigma[region[s]][g] *
			                                   (double)length[s]);
			sums[region[s]][g] += (double)weight[track] * (psi - after);
			psi = after;
		}
		want_leaving[track][way][g] = (float)psi;
	}
	for (int i = 0; i < REGIONS * GROUPS; i++)
		want_flux[i / GROUPS][i % GROUPS] = (float)sums[i / GROUPS][i % GROUPS];
	assert_floats(leaving[0][0], want_leaving[0][0], (size_t)2 * TRACKS * GROUPS, 1e-4f);
	assert_floats(flux[0], want_flux[0], (size_t)REGIONS * GROUPS, 2e-4f);
}

static void scatter_source_is_of_the_whole_matrix(void **unused)
{
	enum { CELLS = 20, GROUPS = 96, ROWS = 8 * GROUPS, MOST = 30 };
	static float flux[CELLS][GROUPS], source[CELLS][GROUPS], want[CELLS][GROUPS],
	        scatter[ROWS * MOST], nu[ROWS], chi[ROWS], dense[ROWS][GROUPS];
	static int band[ROWS + 1], low[ROWS];
	float produced[CELLS], want_produced[CELLS];
	uint8_t material[CELLS];
	(void)unused;
	seed();
	fill_floats(flux[0], (size_t)CELLS * GROUPS, 0, 1);
	fill_floats(scatter, (size_t)ROWS * MOST, 0, 1);
	fill_floats(nu, ROWS, 0, 1);
	fill_floats(chi, ROWS, 0, 0.02f);
	fill_rows(band, ROWS, MOST);
	fill_ints(low, ROWS, GROUPS);
	memset(dense, 0, sizeof dense);
	for (int r = 0; r < ROWS; r++)
		for (int g = low[r]; g < GROUPS && g - low[r] < band[r + 1] - band[r]; g++)
			dense[r][g] = scatter[band[r] + g - low[r]];
	for (int c = 0; c < CELLS; c++) {
		double made = 0;
		material[c] = (uint8_t)random_word();
		for (int g = 0; g < GROUPS; g++)
			made += (double)nu[material[c] % 8 * GROUPS + g] * (double)flux[c][g];
		want_produced[c] = (float)(made / (double)1.25f);
		for (int g = 0; g < GROUPS; g++) {
			int r = material[c] % 8 * GROUPS + g;
			double sum = (double)chi[r] * made / (double)1.25f;
			for (int from = 0; from < GROUPS; from++)
				sum += (double)dense[r][from] * (double)flux[c][from];
			want[c][g] = (float)sum;
		}
	}
	RUN("neutrons/scatter_source", "", WORK((size_t)CELLS * 64), WORK(64), ARRAY(material),
	    ARRAY(flux), ARRAY(band), ARRAY(low), ARRAY(scatter), ARRAY(nu), ARRAY(chi),
	    FLOAT(1.25f), ARRAY(source), ARRAY(produced), LOCAL(4 * 64));
	assert_floats(produced, want_produced, CELLS, 1e-5f);
	assert_floats(source[0], want[0], (size_t)CELLS * GROUPS, 1e-5f);
}

CHECK_FAMILY(neutrons, cmocka_unit_test(macro_xs_interpolates_every_nuclide),
             cmocka_unit_test(woodcock_histories_leak_or_are_killed),
             cmocka_unit_test(sweep_plane_balances_cells),
             cmocka_unit_test(moc_segments_attenuate_both_ways),
             cmocka_unit_test(scatter_source_is_of_the_whole_matrix))
