/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as Parboil has them against the host. */
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

static void cutoff_potential_sums_what_is_near(void **unused)
{
	enum {
		SIDE = 16,
		AROUND = 3,
		BINS = SIDE / 8 + AROUND - 1,
		LIST = AROUND * AROUND * AROUND
	};
	float bins[BINS * BINS * BINS][8][4], lattice[SIDE * SIDE * SIDE];
	int offsets[LIST][4] = {{0}};
	double h = 0.5, cutoff = 3.5;
	(void)unused;
	seed();
	for (int i = 0; i < LIST; i++)
		for (int k = 0, part = i; k < 3; k++, part /= AROUND)
			offsets[i][k] = part % AROUND;
	/* the first bin is one before the lattice's first point, on every side */
	for (int b = 0; b < BINS * BINS * BINS; b++) {
		int atoms = (int)(random_word() % 9);
		fill_floats(bins[b][0], 32, 0, 4);
		for (int a = 0; a < 8; a++) {
			bins[b][a][0] += (float)(4 * (b % BINS) - 4);
			bins[b][a][1] += (float)(4 * (b / BINS % BINS) - 4);
			bins[b][a][2] += (float)(4 * (b / BINS / BINS) - 4);
			bins[b][a][3] = a < atoms ? bins[b][a][3] - 1.99f : 0;
		}
	}
	for (int shape = 0; shape < 2; shape++) {
		int depth = shape == 0 ? 8 : 4;
		RUN("parboil/cutoff_potential", "", WORK(SIDE, SIDE / 4, SIDE),
		    WORK(8, 2, (size_t)depth), INT(BINS), INT(BINS), ARRAY(bins), FLOAT(0.5f),
		    FLOAT(0.25f), FLOAT(3.5f * 3.5f), FLOAT(1 / 3.5f / 3.5f), ARRAY(lattice),
		    ARRAY(offsets), INT(LIST));
		for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
			int x = i % SIDE, y = i / SIDE % SIDE, z = i / SIDE / SIDE;
			int region = (z / depth * (SIDE / 8) + y / 8) * (SIDE / 8) + x / 8;
			int at = region * 64 * depth + (z % depth * 8 + y % 8) * 8 + x % 8;
			double sum = 0;
			for (int b = 0; b < BINS * BINS * BINS; b++)
				for (int a = 0; a < 8 && bins[b][a][3] != 0; a++) {
					const float *atom = bins[b][a];
					double dx = (double)atom[0] - x * h,
					       dy = (double)atom[1] - y * h,
					       dz = (double)atom[2] - z * h;
					double r = sqrt(dx * dx + dy * dy + dz * dz);
					double s = 1 - r * r / cutoff / cutoff;
					if (r < cutoff)
						sum += (double)atom[3] / r * s * s;
				}
			if (!(fabs(sum - (double)lattice[at]) < 1e-3 * (1 + fabs(sum))))
				fail_msg("point %d: got %g, want %g", i, (double)lattice[at], sum);
		}
	}
}

static void histo_saturated_counts_to_the_carry(void **unused)
{
	enum { COUNT = 40000, GROUPS = 3, MIN = 1, ROWS = 2, RANGES = 4, WORDS = 256 * 8 };
	static uint32_t values[COUNT], counted[GROUPS * ROWS * WORDS];
	static uint32_t outside[RANGES * WORDS * 2], carried[RANGES * WORDS * 4];
	static uint32_t want[RANGES * WORDS * 4];
	(void)unused;
	seed();
	fill_words(values, COUNT);
	for (int i = 0; i < COUNT; i++)
		if (i % 3) /* often the same bins, beside each other */
			values[i] = (random_word() % 4 << 24) | (uint32_t)(i % 2) << 16 | 5 << 8 |
			            (uint32_t)(i % 5 != 0);
	memset(want, 0, sizeof want);
	memset(carried, 0, sizeof carried);
	memset(outside, 0, sizeof outside);
	RUN("parboil/histo_saturated", "-DKB=8", WORK((size_t)GROUPS * 128, ROWS), WORK(128, 1),
	    ARRAY(values), SCALAR(uint32_t, COUNT), SCALAR(uint32_t, MIN),
	    SCALAR(uint32_t, MIN + ROWS - 1), SCALAR(uint32_t, RANGES), ARRAY(counted),
	    ARRAY(outside), ARRAY(carried));
	for (int i = 0; i < COUNT; i++) {
		uint32_t word = (values[i] >> 8 & 7) * 256 + (values[i] >> 16 & 255);
		want[(values[i] % RANGES * WORDS + word) * 4 + (values[i] >> 24) % 4]++;
	}
	int carries = 0, full = 0;
	for (int bin = 0; bin < RANGES * WORDS * 4; bin++) {
		int range = bin / 4 / WORDS;
		if (range < MIN || range >= MIN + ROWS) {
			/* who looks and who adds are not the same moment: a few more at the end */
			uint32_t got = outside[bin / 2] >> bin % 2 * 16 & 0xffff;
			assert_true(want[bin] < 255 ? got == want[bin] : got >= 255);
			assert_true(got <= want[bin]);
			full += got >= 255;
			continue;
		}
		uint32_t sum = carried[bin];
		for (int g = 0; g < GROUPS; g++)
			sum += counted[(g * ROWS + range - MIN) * WORDS + bin / 4 % WORDS] >>
			               bin % 4 * 8 &
			       0xff;
		assert_int_equal(sum, want[bin]);
		carries += carried[bin] != 0;
	}
	assert_true(carries > 5 && full > 5);
}

static void lbm_d3q19_keeps_what_flows(void **unused)
{
	enum { X = 20, ROW = 32, Y = 9, Z = 7, PLANE = ROW * Y, CELLS = PLANE * (Z + 2), Q = 19 };
	static float from[Q * CELLS], to[Q * CELLS];
	static uint32_t flags[CELLS];
	static const int ways[Q][3] = {{0, 0, 0},   {0, 1, 0},  {0, -1, 0}, {1, 0, 0},  {-1, 0, 0},
	                               {0, 0, 1},   {0, 0, -1}, {1, 1, 0},  {-1, 1, 0}, {1, -1, 0},
	                               {-1, -1, 0}, {0, 1, 1},  {0, 1, -1}, {0, -1, 1}, {0, -1, -1},
	                               {1, 0, 1},   {1, 0, -1}, {-1, 0, 1}, {-1, 0, -1}};
	int seen[3] = {0};
	(void)unused;
	seed();
	fill_floats(from, (size_t)Q * CELLS, 0.02f, 0.1f);
	for (int i = 0; i < CELLS; i++) {
		uint32_t draw = random_word() % 8;
		flags[i] = draw < 2 ? draw + 1 : 0;
	}
	RUN("parboil/lbm_d3q19", "-DSIZE_X=20 -DPADDED_X=32", WORK((size_t)X * Y, Z), WORK(X, 1),
	    ARRAY(from), ARRAY(to), ARRAY(flags));
	for (int i = 0; i < X * Y * Z; i++) {
		int here = (i / X / Y + 1) * PLANE + i / X % Y * ROW + i % X;
		double f[Q], rho = 0, u[3] = {0, 0, 0};
		for (int q = 0; q < Q; q++) {
			f[q] = (double)from[q * CELLS + here];
			rho += f[q];
			for (int k = 0; k < 3; k++)
				u[k] += ways[q][k] * f[q];
		}
		for (int k = 0; k < 3; k++)
			u[k] = flags[here] == 2 ? 0.005 * (k == 0) + 0.002 * (k == 1) : u[k] / rho;
		seen[flags[here]]++;
		for (int q = 0; q < Q; q++) {
			const int *way = ways[q];
			int there = here + way[0] + way[1] * ROW + way[2] * PLANE;
			int length = abs(way[0]) + abs(way[1]) + abs(way[2]);
			double along = way[0] * u[0] + way[1] * u[1] + way[2] * u[2];
			double square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
			double weight = length == 0 ? 1.0 / 3 : length == 1 ? 1.0 / 18 : 1.0 / 36;
			double want =
			        weight * rho * (1 + 3 * along + 4.5 * along * along - 1.5 * square);
			want = f[q] + 1.95 * (want - f[q]);
			for (int back = 0; flags[here] == 1 && back < Q; back++)
				if (ways[back][0] == -way[0] && ways[back][1] == -way[1] &&
				    ways[back][2] == -way[2])
					want = f[back];
			assert_true(fabs(want - (double)to[q * CELLS + there]) < 1e-5);
		}
	}
	assert_true(seen[0] > 100 && seen[1] > 100 && seen[2] > 100);
}

static void q_matrix_adds_waves(void **unused)
{
	enum { VOXELS = 96, SAMPLES = 1024, BEHIND = 37 };
	float x[VOXELS], y[VOXELS], z[VOXELS], real[VOXELS], imaginary[VOXELS], k[SAMPLES][4];
	float was[VOXELS];
	(void)unused;
	seed();
	fill_floats(x, VOXELS, -1, 1);
	fill_floats(y, VOXELS, -1, 1);
	fill_floats(z, VOXELS, -1, 1);
	fill_floats(was, VOXELS, -1, 1);
	fill_floats(k[0], (size_t)4 * SAMPLES, -2, 2);
	for (int launch = 0; launch < 3; launch++) {
		/* all of constant memory; the end of the samples; an odd number of them */
		int samples = launch == 0 ? 3000 : launch == 1 ? 2048 + 2 * BEHIND : 1 + 2 * BEHIND;
		int first = launch == 0 ? 1024 : launch == 1 ? 2048 : 0;
		int count = launch == 0 ? SAMPLES : samples - first;
		memcpy(real, was, sizeof real);
		memcpy(imaginary, was, sizeof imaginary);
		RUN("parboil/q_matrix", "", WORK(VOXELS), WORK(32), INT(samples), INT(first),
		    ARRAY(x), ARRAY(y), ARRAY(z), ARRAY(real), ARRAY(imaginary), ARRAY(k));
		for (int i = 0; i < VOXELS; i++) {
			double re = (double)was[i], im = re;
			for (int s = 0; s < count; s++) {
				double angle = (double)k[s][0] * (double)x[i];
				angle += (double)k[s][1] * (double)y[i];
				angle += (double)k[s][2] * (double)z[i];
				angle *= 2 * 3.14159265358979323846;
				re += (double)k[s][3] * cos(angle);
				im += (double)k[s][3] * sin(angle);
			}
			assert_true(fabs(re - (double)real[i]) < 5e-3);
			assert_true(fabs(im - (double)imaginary[i]) < 5e-3);
		}
	}
}

/* The series of I0. */
static double bessel(double v)
{
	double term = 1, sum = 1;
	for (int k = 1; k < 100; k++) {
		term *= v * v / 4 / k / k;
		sum += term;
	}
	return sum;
}

static void grid_samples_spreads_by_the_kernel(void **unused)
{
	enum { X = 16, Y = 8, Z = 12, CELLS = X * Y * Z, MOST = 3 };
	static float samples[CELLS * MOST][6], grid[CELLS][2], density[CELLS];
	static int start[CELLS + 1];
	int hits = 0;
	(void)unused;
	seed();
	int all = fill_rows(start, CELLS, MOST);
	for (int c = 0; c < CELLS; c++)
		for (int s = start[c]; s < start[c + 1]; s++) {
			fill_floats(samples[s], 6, 0, 0.99f);
			samples[s][2] += (float)(c % X);
			samples[s][3] += (float)(c / X % Y);
			samples[s][4] += (float)(c / X / Y);
		}
	for (int shape = 0; shape < 2; shape++) {
		size_t across = shape == 0 ? 4 : 8;
		RUN("parboil/grid_samples", shape == 0 ? "-DCACHED=64" : "-DCACHED=128",
		    WORK(X, (size_t)Y * (Z / 4), 4), WORK(across, 4, 4), ARRAY(samples),
		    ARRAY(start), INT(X), INT(Y), INT(Z), FLOAT(2), FLOAT(4), FLOAT(0.25f),
		    FLOAT(8.5f), ARRAY(grid), ARRAY(density));
		for (int i = 0; i < CELLS; i++) {
			double re = 0, im = 0, scale = 0;
			int near = 0;
			for (int s = 0; s < all; s++) {
				double dx = (double)samples[s][2] - i % (int)X;
				double dy = (double)samples[s][3] - i / X % (int)Y;
				double dz = (double)samples[s][4] - i / (X * (int)Y);
				double squared = dx * dx + dy * dy + dz * dz;
				if (squared >= 4)
					continue;
				double w =
				        bessel(8.5 * sqrt(1 - squared / 4)) * (double)samples[s][5];
				re += w * (double)samples[s][0];
				im += w * (double)samples[s][1];
				scale += w;
				near++;
			}
			assert_true(fabs((double)density[i] - near) < 1.5e-6);
			assert_true(fabs(re - (double)grid[i][0]) <= 1e-4 * (1 + scale));
			assert_true(fabs(im - (double)grid[i][1]) <= 1e-4 * (1 + scale));
			hits += near;
		}
	}
	assert_true(hits > 20 * CELLS);
}

static void sad_blocks_compare_all_places(void **unused)
{
	enum { MB_W = 3, MB_H = 2, W = 16 * MB_W, H = 16 * MB_H, PADDED = 1096 };
	static uint16_t frame[W * H], before[W * H], sads[MB_W * MB_H * 16][PADDED];
	(void)unused;
	seed();
	for (int i = 0; i < W * H; i++) {
		frame[i] = (uint16_t)(random_word() % 256);
		before[i] = (uint16_t)(random_word() % 256);
	}
	for (int blocks = 1; blocks <= 2; blocks++) {
		size_t items = 61 * (size_t)blocks;
		memset(sads, 0xee, sizeof sads);
		RUN("parboil/sad_blocks", blocks == 1 ? "-DBLOCKS=1" : "-DBLOCKS=2",
		    WORK((size_t)W / 4 * 61, H / 4), WORK(items, 1), ARRAY(sads), ARRAY(frame),
		    ARRAY(before), INT(MB_W), INT(MB_H));
		for (int b = 0; b < W / 4 * (H / 4); b++) {
			int x = b % (W / 4), y = b / (W / 4);
			const uint16_t *got = sads[(y / 4 * MB_W + x / 4) * 16 + y % 4 * 4 + x % 4];
			for (int place = 0; place < PADDED; place++) {
				int want = 0;
				for (int k = 0; k < 16; k++) {
					int bx = 4 * x + k % 4 + place % 33 - 16;
					int by = 4 * y + k / 4 + place / 33 - 16;
					bx = bx < 0 ? 0 : bx >= W ? W - 1 : bx;
					by = by < 0 ? 0 : by >= H ? H - 1 : by;
					want += abs(frame[(4 * y + k / 4) * W + 4 * x + k % 4] -
					            before[by * W + bx]);
				}
				assert_int_equal(got[place], place < 33 * 33 ? want : 0xeeee);
			}
		}
	}
}

CHECK_FAMILY(parboil, cmocka_unit_test(cutoff_potential_sums_what_is_near),
             cmocka_unit_test(histo_saturated_counts_to_the_carry),
             cmocka_unit_test(lbm_d3q19_keeps_what_flows), cmocka_unit_test(q_matrix_adds_waves),
             cmocka_unit_test(grid_samples_spreads_by_the_kernel),
             cmocka_unit_test(sad_blocks_compare_all_places))
