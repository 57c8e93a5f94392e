/* SPDX-License-Identifier: Apache-2.0 */
/* Level one and two of the SHOC suite against the host. */
#include <md5.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

static const double pi = 3.14159265358979323846;

static void hash_key(const uint8_t *key, size_t length, uint32_t *words)
{
	uint8_t bytes[MD5_DIGEST_LENGTH];
	MD5_CTX state;
	MD5Init(&state);
	MD5Update(&state, key, length);
	MD5Final(bytes, &state);
	for (int k = 0; k < 4; k++)
		words[k] = (uint32_t)bytes[4 * k] | (uint32_t)bytes[4 * k + 1] << 8 |
		           (uint32_t)bytes[4 * k + 2] << 16 | (uint32_t)bytes[4 * k + 3] << 24;
}

/* Keys of all lengths; one that lies behind the keys asked for is not found. */
static void md5_search_finds_a_key(void **unused)
{
	(void)unused;
	for (int length = 2; length <= 7; length++) {
		enum { VALUES = 3 };
		int keys = 1, found[1] = {-1};
		for (int k = 0; k < length; k++)
			keys *= VALUES;
		int hidden = keys * 2 / 3 + length % 3, left = hidden;
		uint8_t key[8] = {0}, found_key[8] = {9, 9, 9, 9, 9, 9, 9, 9};
		uint32_t digest[4], found_digest[4] = {0};
		for (int k = 0; k < length; k++) {
			key[k] = (uint8_t)(left % VALUES);
			left /= VALUES;
		}
		hash_key(key, (size_t)length, digest);
		for (int pass = 0; pass < 2; pass++) {
			RUN("shoc/md5_search", "", WORK(1024), WORK(64),
			    SCALAR(uint32_t, digest[0]), SCALAR(uint32_t, digest[1]),
			    SCALAR(uint32_t, digest[2]), SCALAR(uint32_t, digest[3]),
			    INT(pass == 0 ? hidden : keys), INT(length), INT(VALUES), ARRAY(found),
			    ARRAY(found_key), ARRAY(found_digest));
			assert_int_equal(found[0], pass == 0 ? -1 : hidden);
		}
		assert_memory_equal(found_key, key, sizeof key);
		assert_words(found_digest, digest, 4);
	}
}

static void fft_512_is_a_sum_over_all_points(void **unused)
{
	enum { COUNT = 4, POINTS = 512 };
	static float before[COUNT * POINTS][2], work[COUNT * POINTS][2], want[COUNT * POINTS][2];
	(void)unused;
	seed();
	fill_floats(before[0], (size_t)2 * COUNT * POINTS, -1, 1);
	for (int i = 0; i < COUNT * POINTS; i++) {
		int first = i / POINTS * POINTS;
		double re = 0, im = 0;
		for (int k = 0; k < POINTS; k++) {
			double angle = -2 * pi * (k * (i % POINTS) % POINTS) / 512;
			re += (double)before[first + k][0] * cos(angle) -
			      (double)before[first + k][1] * sin(angle);
			im += (double)before[first + k][0] * sin(angle) +
			      (double)before[first + k][1] * cos(angle);
		}
		want[i][0] = (float)re;
		want[i][1] = (float)im;
	}
	for (size_t ffts = 1; ffts <= 2; ffts++) {
		memcpy(work, before, sizeof work);
		RUN("shoc/fft_512", ffts == 1 ? "-DFFTS=1" : "-DFFTS=2", WORK(64, COUNT),
		    WORK(64, ffts), ARRAY(work));
		assert_floats(work[0], want[0], (size_t)2 * COUNT * POINTS, 2e-5f);
	}
}

/* Factor, exponent of the temperature, activation temperature. */
static const double reactions[48][3] = {
        {2.65e+16, -0.6707, 8575.2},
        {38700, 2.7, 3150.1},
        {1e+18, -1, 0},
        {9e+16, -0.6, 0},
        {6e+19, -1.25, 0},
        {2.16e+08, 1.51, 1726.1},
        {35700, 2.4, -1061.8},
        {2.2e+22, -2, 0},
        {7.4e+13, -0.37, 0},
        {1.2e+17, -1, 0},
        {5e+17, -1, 0},
        {2.8e+18, -0.86, 0},
        {2.08e+19, -1.24, 0},
        {1.13e+19, -0.76, 0},
        {8.4e+13, 0, 319.5},
        {3.97e+12, 0, 337.7},
        {2e+13, 0, 0},
        {1.45e+13, 0, -251.6},
        {4.2e+14, 0, 6038.7},
        {1.3e+11, 0, -820.3},
        {1.21e+07, 2, 2616.6},
        {1e+13, 0, 1811.6},
        {9.63e+06, 2, 2012.9},
        {2e+12, 0, 214.9},
        {1.7e+18, 0, 14799},
        {1.8e+10, 0, 1200.2},
        {6.02e+14, 0, 1509.6},
        {2.5e+12, 0, 24053.8},
        {1.5e+14, 0, 11871},
        {4.76e+07, 1.228, 35.2},
        {5.7e+13, 0, 0},
        {3e+13, 0, 0},
        {7.34e+13, 0, 0},
        {3e+13, 0, 0},
        {3e+13, 0, 0},
        {1.34e+13, 0, 201.3},
        {1.87e+17, -1, 8554.7},
        {8e+13, 0, 0},
        {2e+13, 0, 0},
        {1.65e+14, 0, 0},
        {5e+13, 0, 0},
        {5.06e+13, 0, 0},
        {1.74e+07, 2, 5032.2},
        {1.06e+20, -1.41, 0},
        {5e+06, 2, 3638.3},
        {3e+18, -1, 0},
        {540000, 2.5, 1056.8},
        {6.6e+08, 1.62, 5454.9},
};

static void reaction_rates_are_those_of_arrhenius(void **unused)
{
	enum { CELLS = 64, REACTIONS = 48 };
	static float temperature[CELLS], forward[REACTIONS * CELLS];
	(void)unused;
	seed();
	fill_floats(temperature, CELLS, 8, 24);
	RUN("shoc/reaction_rates", "", WORK(CELLS), WORK(32), ARRAY(temperature), ARRAY(forward),
	    FLOAT(100), INT(CELLS));
	for (int i = 0; i < REACTIONS * CELLS; i++) {
		const double *by = reactions[i / CELLS];
		double kelvin = 100 * (double)temperature[i % CELLS];
		assert_close((double)forward[i], by[0] * pow(kelvin, by[1]) * exp(-by[2] / kelvin),
		             3e-5);
	}
}

/* The cluster of a seed: again and again the point that is nearest to the farthest of those inside.
 */
static int cluster_points(const float *distance, const uint8_t *is_clustered, int points,
                          int seed_point, float threshold)
{
	bool is_in[256] = {false};
	int count = 1;
	is_in[seed_point] = true;
	for (;;) {
		float least = threshold;
		int next = -1;
		for (int i = 0; i < points; i++) {
			float farthest = 0;
			for (int k = 0; k < points; k++)
				if (is_in[k])
					farthest = fmaxf(farthest, distance[k * points + i]);
			if (is_in[i] || is_clustered[i] || farthest > least)
				continue;
			least = farthest;
			next = i;
		}
		if (next < 0)
			return count;
		is_in[next] = true;
		count++;
	}
}

static void quality_clusters_are_the_largest_of_a_group(void **unused)
{
	enum { POINTS = 150, GROUPS = 7 };
	static float distance[POINTS * POINTS], farthest[GROUPS * POINTS];
	static uint8_t is_clustered[POINTS], is_out[GROUPS * POINTS];
	int best[GROUPS][2];
	(void)unused;
	seed();
	fill_floats(distance, (size_t)POINTS * POINTS, 0, 1);
	for (int i = 0; i < POINTS; i++) {
		is_clustered[i] = random_word() % 8 == 0;
		for (int k = 0; k < i; k++)
			distance[k * POINTS + i] = distance[i * POINTS + k];
	}
	RUN("shoc/quality_clusters", "", WORK((size_t)GROUPS * 32), WORK(32), ARRAY(distance),
	    ARRAY(is_clustered), ARRAY(is_out), ARRAY(farthest), ARRAY(best), INT(POINTS),
	    FLOAT(0.8f), LOCAL(4 * 32), LOCAL(4 * 32));
	for (int group = 0; group < GROUPS; group++) {
		int most = 0, most_seed = -1;
		for (int i = group; i < POINTS; i += GROUPS) {
			int count = is_clustered[i] ? 0
			                            : cluster_points(distance, is_clustered, POINTS,
			                                             i, 0.8f);
			if (count > most) {
				most = count;
				most_seed = i;
			}
		}
		assert_int_equal(best[group][0], most);
		assert_int_equal(best[group][1], most_seed);
		assert_true(most > 5);
	}
}

static void stencil_nine_leaves_its_rim(void **unused)
{
	enum { ROWS = 16, COLUMNS = 64, PITCH = COLUMNS + 16, ALL = (ROWS + 2) * PITCH };
	float in[ALL], got[ALL], want[ALL];
	(void)unused;
	seed();
	fill_floats(in, ALL, 0, 1);
	fill_floats(got, ALL, 0, 1);
	memcpy(want, got, sizeof want);
	for (int y = 1; y <= ROWS; y++)
		for (int x = 1; x <= COLUMNS; x++) {
			double sum = 0;
			for (int k = 0; k < 9; k++) {
				int dx = k % 3 - 1, dy = k / 3 - 1;
				double weight = dx == 0 && dy == 0 ? 0.5 : dx && dy ? 0.05 : 0.125;
				sum += weight * (double)in[(y + dy) * PITCH + x + dx];
			}
			want[y * PITCH + x] = (float)sum;
		}
	RUN("shoc/stencil_nine", "-DLROWS=8", WORK(ROWS / 8, COLUMNS), WORK(1, 32), ARRAY(in),
	    ARRAY(got), INT(PITCH), FLOAT(0.5f), FLOAT(0.125f), FLOAT(0.05f), LOCAL(4 * 10 * 34));
	assert_floats(got, want, ALL, 1e-6f);
}

static void ellpack_rows_end_at_their_lengths(void **unused)
{
	enum { DIM = 90, WIDTH = 13 };
	float value[WIDTH * DIM], x[DIM], y[DIM], want[DIM];
	int column[WIDTH * DIM], length[DIM];
	(void)unused;
	seed();
	fill_floats(value, (size_t)WIDTH * DIM, -1, 1);
	fill_floats(x, DIM, -1, 1);
	fill_ints(column, (size_t)WIDTH * DIM, DIM);
	fill_ints(length, DIM, WIDTH + 1);
	for (int row = 0; row < DIM; row++) {
		double sum = 0;
		for (int i = 0; i < length[row]; i++)
			sum += (double)value[i * DIM + row] * (double)x[column[i * DIM + row]];
		want[row] = (float)sum;
	}
	RUN("shoc/ellpack_rows", "", WORK(96), WORK(32), ARRAY(value), ARRAY(x), ARRAY(column),
	    ARRAY(length), INT(DIM), ARRAY(y));
	assert_floats(y, want, DIM, 1e-5f);
}

CHECK_FAMILY(shoc, cmocka_unit_test(md5_search_finds_a_key),
             cmocka_unit_test(fft_512_is_a_sum_over_all_points),
             cmocka_unit_test(reaction_rates_are_those_of_arrhenius),
             cmocka_unit_test(quality_clusters_are_the_largest_of_a_group),
             cmocka_unit_test(stencil_nine_leaves_its_rim),
             cmocka_unit_test(ellpack_rows_end_at_their_lengths))
