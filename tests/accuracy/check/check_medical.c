/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of bodies against the host. */
#include <stdlib.h>

#include "tests/accuracy/check/run.h"

#define PI 3.14159265358979

static void fill_turns(float *turns, int count, double first, double all)
{
	for (int i = 0; i < count; i++) {
		turns[2 * i] = (float)cos(first + all * i / count);
		turns[2 * i + 1] = (float)sin(first + all * i / count);
	}
}

/* Through homogeneous coordinates: rotated, projected. */
static void cone_backproject_gathers_rays(void **unused)
{
	enum { N = 12, NZ = 8, VIEWS = 5, WIDE = 14, HIGH = 10 };
	float projections[VIEWS * HIGH * WIDE], turns[2 * VIEWS], volume[NZ * N * N];
	float want[NZ * N * N];
	int detector[2] = {WIDE, HIGH};
	(void)unused;
	seed();
	/* smooth, since a voxel may lie just beside another pixel after rounding */
	for (int i = 0; i < VIEWS * HIGH * WIDE; i++)
		projections[i] = (float)(i % WIDE) * 0.5f + (float)(i / WIDE % HIGH) +
		                 (float)(i / (WIDE * HIGH));
	fill_turns(turns, VIEWS, 0.1, 2 * PI);
	fill_floats(volume, (size_t)NZ * N * N, 0, 1);
	for (int i = 0; i < NZ * N * N; i++) {
		double p[3] = {i % N - 5.5, i / N % N - 5.5, i / (N * N) - 3.5};
		double sum = (double)volume[i];
		for (int view = 0; view < VIEWS; view++) {
			double cosine = (double)turns[2 * view], sine = (double)turns[2 * view + 1];
			double depth = 30 + cosine * p[0] + sine * p[1];
			double u = 25 * (cosine * p[1] - sine * p[0]) / depth + 6.5;
			double v = 25 * p[2] / depth + 4.5;
			if (u >= 0 && v >= 0 && u < WIDE - 1 && v < HIGH - 1)
				sum += 900 / (depth * depth) * (u * 0.5 + v + view);
		}
		want[i] = (float)sum;
	}
	RUN("medical/cone_backproject", "", WORK(N, N, NZ), WORK(4, 4, 2), ARRAY(projections),
	    ARRAY(turns), INT(VIEWS), {ARGUMENT_SCALAR, detector, sizeof detector}, FLOAT(30),
	    FLOAT(25), ARRAY(volume));
	assert_floats(volume, want, (size_t)NZ * N * N, 1e-4f);
}

static void ramp_filter_convolves_rows(void **unused)
{
	enum { ROWS = 3, WIDTH = 50 };
	float in[ROWS * WIDTH], got[ROWS * WIDTH], want[ROWS * WIDTH];
	(void)unused;
	seed();
	fill_floats(in, (size_t)ROWS * WIDTH, 0, 1);
	for (int i = 0; i < ROWS * WIDTH; i++) {
		double sum = 0;
		for (int k = 0; k < WIDTH; k++) {
			int d = i % WIDTH - k, row = i / WIDTH;
			double tap = d == 0 ? 0.25 : d % 2 == 0 ? 0 : -1 / (PI * PI * d * d);
			double u = k - 24.5, v = row - 1.0;
			sum += tap * (double)in[row * WIDTH + k] * 40 / sqrt(1600 + u * u + v * v);
		}
		want[i] = (float)sum;
	}
	RUN("medical/ramp_filter", "", WORK((size_t)ROWS * 32), WORK(32), ARRAY(in), ARRAY(got),
	    INT(WIDTH), FLOAT(40), LOCAL(4 * WIDTH));
	assert_floats(got, want, (size_t)ROWS * WIDTH, 1e-5f);
}

/* Many short steps along each ray. */
static void siddon_project_adds_lengths(void **unused)
{
	enum { SIDE = 24, RAYS = 30, ANGLES = 4, PARTS = 400 };
	float image[SIDE * SIDE], turns[2 * ANGLES], got[ANGLES * RAYS], want[ANGLES * RAYS];
	int outside = 0;
	(void)unused;
	seed();
	fill_floats(image, (size_t)SIDE * SIDE, 0, 1);
	fill_turns(turns, ANGLES, 0.3, PI);
	for (int i = 0; i < ANGLES * RAYS; i++) {
		double cosine = (double)turns[i / RAYS * 2], sine = (double)turns[i / RAYS * 2 + 1];
		double offset = i % RAYS - 14.5, sum = 0;
		for (int k = -20 * PARTS; k < 20 * PARTS; k++) {
			double along = (k + 0.5) / (int)PARTS;
			int x = (int)floor(-sine * offset + cosine * along + 12);
			int y = (int)floor(cosine * offset + sine * along + 12);
			if (x >= 0 && y >= 0 && x < SIDE && y < SIDE)
				sum += (double)image[y * SIDE + x] / (int)PARTS;
		}
		want[i] = (float)sum;
		outside += sum == 0;
	}
	RUN("medical/siddon_project", "", WORK(32, ANGLES), WORK(16, 2), ARRAY(image), INT(SIDE),
	    ARRAY(turns), ARRAY(got), INT(RAYS));
	assert_floats(got, want, (size_t)ANGLES * RAYS, 3e-3f);
	assert_true(outside < RAYS);
}

/* Tr of the eigenvalues' powers is left out: Jacobi's rotations find them. */
static void eigenvalues(double m[3][3], double *values)
{
	for (int sweep = 0; sweep < 30; sweep++)
		for (int p = 0; p < 2; p++)
			for (int q = p + 1; q < 3; q++) {
				if (fabs(m[p][q]) < 1e-15)
					continue;
				double theta = 0.5 * atan2(2 * m[p][q], m[q][q] - m[p][p]);
				double c = cos(theta), s = sin(theta);
				for (int k = 0; k < 3; k++) {
					double a = m[k][p], b = m[k][q];
					m[k][p] = c * a - s * b;
					m[k][q] = s * a + c * b;
				}
				for (int k = 0; k < 3; k++) {
					double a = m[p][k], b = m[q][k];
					m[p][k] = c * a - s * b;
					m[q][k] = s * a + c * b;
				}
			}
	for (int k = 0; k < 3; k++)
		values[k] = m[k][k];
}

static int by_size(const void *a, const void *b)
{
	double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
	return (x > y) - (x < y);
}

static void vesselness_knows_tubes(void **unused)
{
	enum { N = 12 };
	float volume[N * N * N], got[N * N * N], want[N * N * N];
	int tubes = 0;
	(void)unused;
	seed();
	fill_floats(volume, (size_t)N * N * N, 0, 1);
	for (int i = 0; i < N * N * N; i++) {
		int at[3] = {i % N, i / N % N, i / (N * N)}, step[3] = {1, N, N * N};
		double m[3][3], l[3];
		bool is_inner = true;
		want[i] = 0;
		for (int k = 0; k < 3; k++)
			is_inner = is_inner && at[k] > 0 && at[k] < N - 1;
		if (!is_inner)
			continue;
		for (int a = 0; a < 3; a++)
			for (int b = 0; b < 3; b++)
				m[a][b] = a == b ? (double)volume[i + step[a]] -
				                           2 * (double)volume[i] +
				                           (double)volume[i - step[a]]
				                 : ((double)volume[i + step[a] + step[b]] -
				                    (double)volume[i + step[a] - step[b]] -
				                    (double)volume[i - step[a] + step[b]] +
				                    (double)volume[i - step[a] - step[b]]) /
				                           4;
		eigenvalues(m, l);
		qsort(l, 3, sizeof *l, by_size);
		if (l[1] < 0 && l[2] < 0) {
			double all = l[0] * l[0] + l[1] * l[1] + l[2] * l[2];
			want[i] = (float)((1 - exp(-l[1] / l[2] * l[1] / l[2] / 0.5)) *
			                  exp(-l[0] * l[0] / (l[1] * l[2]) / 0.5) *
			                  (1 - exp(-all / 2)));
			tubes++;
		}
	}
	RUN("medical/vesselness", "", WORK(N, N, N), WORK(4, 4, 2), ARRAY(volume), ARRAY(got),
	    FLOAT(0.5f), FLOAT(0.5f), FLOAT(1));
	assert_floats(got, want, (size_t)N * N * N, 2e-3f);
	assert_true(tubes > 50);
}

static void scan_convert_fills_the_sector(void **unused)
{
	enum { BEAMS = 20, SAMPLES = 40, WIDTH = 50, HEIGHT = 36 };
	float envelope[BEAMS * SAMPLES];
	uint8_t picture[WIDTH * HEIGHT];
	int inside = 0;
	(void)unused;
	for (int i = 0; i < BEAMS * SAMPLES; i++)
		envelope[i] = 0.02f + 0.02f * (float)(i / SAMPLES) + 0.01f * (float)(i % SAMPLES);
	RUN("medical/scan_convert", "", WORK(64, 40), WORK(16, 4), ARRAY(envelope), INT(BEAMS),
	    INT(SAMPLES), ARRAY(picture), INT(WIDTH), INT(HEIGHT), FLOAT(1.2f), FLOAT(20),
	    FLOAT(60), FLOAT(50), SCALAR(uint8_t, 7));
	for (int i = 0; i < WIDTH * HEIGHT; i++) {
		double u = (i % WIDTH - 24.5) * 60 / 36, v = 20 + i / WIDTH * 60.0 / 36;
		double beam = (atan2(u, v) / 1.2 + 0.5) * (BEAMS - 1);
		double sample = (hypot(u, v) - 20) / 60 * (SAMPLES - 1);
		double level = 20 * log10(0.02 + 0.02 * beam + 0.01 * sample);
		bool is_inside = beam > 0 && beam < BEAMS - 1 && sample > 0 && sample < SAMPLES - 1;
		double want = is_inside ? fmin(fmax(255 * (1 + level / 50), 0), 255) : 7;
		double edge = fmin(fmin(fabs(beam), fabs(beam - (BEAMS - 1))),
		                   fmin(fabs(sample), fabs(sample - (SAMPLES - 1))));
		inside += is_inside;
		if (edge > 1e-4)
			assert_true(fabs(picture[i] - want) < 1.01);
	}
	assert_true(inside > 100 && inside < WIDTH * HEIGHT - 100);
}

static void joint_histogram_counts_pairs(void **unused)
{
	enum { X = 20, Y = 12, Z = 6, BINS = 32 };
	uint8_t one[X * Y * Z], other[X * Y * Z];
	uint32_t got[BINS * BINS] = {0}, want[BINS * BINS] = {0};
	int size[4] = {X, Y, Z, 0};
	/* a shift of 2 and 1 and half a layer: exact in floats */
	float map[3][4] = {{1, 0, 0, 2}, {0, 1, 0, -1}, {0, 0, 1, 0.5f}};
	(void)unused;
	seed();
	for (int i = 0; i < X * Y * Z; i++) {
		one[i] = (uint8_t)random_word();
		other[i] = (uint8_t)random_word();
	}
	RUN("medical/joint_histogram", "", WORK(128), WORK(64), ARRAY(one), ARRAY(other),
	    {ARGUMENT_SCALAR, size, sizeof size}, ARRAY(map), ARRAY(got));
	for (int i = 0; i < X * Y * Z; i++) {
		int x = i % X + 2, y = i / X % Y - 1, z = i / (X * Y);
		if (x + 1 >= X || y < 0 || y + 1 >= Y || z + 1 >= Z)
			continue;
		int value = (other[(z * Y + y) * X + x] + other[((z + 1) * Y + y) * X + x]) / 2;
		want[one[i] / 8 * BINS + value / 8]++;
	}
	assert_words(got, want, BINS * BINS);
}

CHECK_FAMILY(medical, cmocka_unit_test(cone_backproject_gathers_rays),
             cmocka_unit_test(ramp_filter_convolves_rows),
             cmocka_unit_test(siddon_project_adds_lengths),
             cmocka_unit_test(vesselness_knows_tubes),
             cmocka_unit_test(scan_convert_fills_the_sector),
             cmocka_unit_test(joint_histogram_counts_pairs))
