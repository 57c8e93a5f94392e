/* SPDX-License-Identifier: Apache-2.0 */
/* Detections, images and weights of radars against the host. */
#include <stdlib.h>
#include <string.h>

#include "tests/accuracy/check/run.h"

static const double pi = 3.14159265358979323846;

static int compare_floats(const void *a, const void *b)
{
	float one = *(const float *)a, other = *(const float *)b;
	return (one > other) - (one < other);
}

/* Every cell beyond the threshold is listed once, with how far; a short list stops at its end. */
static void cfar_os_lists_cells_above_their_surroundings(void **unused)
{
	enum { R = 40, D = 50, GUARD = 1, ARM = 5, CAPACITY = 600 };
	float map[R * D], want[R * D] = {0};
	uint32_t hits[CAPACITY][2], few[2][2], count[1] = {0}, again[1] = {0}, expected = 0;
	(void)unused;
	seed();
	fill_floats(map, R * D, 0.01f, 1);
	for (int i = 0; i < R * D; i++) {
		float around[4 * ARM];
		size_t found = 0;
		for (int j = 0; j < R * D; j++) {
			int dr = abs(j / D - i / D), dd = abs(j % D - i % D);
			dd = dd < D - dd ? dd : D - dd;
			if ((dr == 0 || dd == 0) && dr + dd > GUARD && dr + dd <= GUARD + ARM)
				around[found++] = map[j];
		}
		qsort(around, found, sizeof *around, compare_floats);
		float level = around[(int)(0.6f * (float)found)];
		if (map[i] > 1.3f * level) {
			want[i] = map[i] / level;
			expected++;
		}
	}
	assert_true(expected > 20 && expected < CAPACITY);
	RUN("radar/cfar_os", "", WORK(64, 40), WORK(16, 4), ARRAY(map), INT(R), INT(D), INT(GUARD),
	    INT(ARM), FLOAT(0.6f), FLOAT(1.3f), ARRAY(hits), ARRAY(count),
	    SCALAR(uint32_t, CAPACITY));
	assert_int_equal(count[0], expected);
	for (uint32_t h = 0; h < expected; h++) {
		float ratio;
		assert_true(hits[h][0] < R * D);
		memcpy(&ratio, &hits[h][1], sizeof ratio);
		assert_true(fabsf(ratio - want[hits[h][0]]) <= 1e-5f * ratio);
		want[hits[h][0]] = 0;
	}
	memset(few, 0, sizeof few);
	RUN("radar/cfar_os", "", WORK(64, 40), WORK(16, 4), ARRAY(map), INT(R), INT(D), INT(GUARD),
	    INT(ARM), FLOAT(0.6f), FLOAT(1.3f), ARRAY(few), ARRAY(again), SCALAR(uint32_t, 2));
	assert_int_equal(again[0], expected);
	assert_true(few[0][1] != 0 && few[1][1] != 0 && few[0][0] != few[1][0]);
}

/* A point that echoes is where its image is brightest, and all is what the sum says. */
static void sar_backproject_focuses_a_point(void **unused)
{
	enum { PULSES = 40, BINS = 200, W = 30, H = 20 };
	const double near = 100, bin = 0.25, wave = 0.3, pixel = 0.5;
	static float echoes[PULSES * BINS][2];
	float antenna[PULSES][4], image[H * W][2], want[H * W][2];
	int brightest = 0;
	(void)unused;
	seed();
	for (int p = 0; p < PULSES; p++) {
		antenna[p][0] = (float)(p - 20) * 2;
		antenna[p][1] = -80;
		antenna[p][2] = 90;
		antenna[p][3] = 0;
		double x = (double)antenna[p][0] - (22 - 15) * pixel, y = -80 - (6 - 10) * pixel;
		double range = sqrt(x * x + y * y + 8100);
		for (int b = 0; b < BINS; b++) {
			double shape = exp(-pow((near + b * bin - range) / 0.6, 2));
			echoes[p * BINS + b][0] = (float)(shape * cos(-4 * pi * range / wave));
			echoes[p * BINS + b][1] = (float)(shape * sin(-4 * pi * range / wave));
		}
	}
	for (int i = 0; i < W * H; i++) {
		double re = 0, im = 0;
		for (int p = 0; p < PULSES; p++) {
			double x = (double)antenna[p][0] - (i % W - 15) * pixel;
			double y = (double)antenna[p][1] - (i / W - 10) * pixel;
			double range = sqrt(x * x + y * y + 8100), at = (range - near) / bin;
			int b = (int)at;
			double t = at - b, turn = 4 * pi * range / wave;
			if (at < 0 || b + 1 >= BINS)
				continue;
			const float *one = echoes[p * BINS + b], *next = one + 2;
			double er = (1 - t) * (double)one[0] + t * (double)next[0];
			double ei = (1 - t) * (double)one[1] + t * (double)next[1];
			re += (er * cos(turn) - ei * sin(turn)) / (int)PULSES;
			im += (er * sin(turn) + ei * cos(turn)) / (int)PULSES;
		}
		want[i][0] = (float)re;
		want[i][1] = (float)im;
	}
	RUN("radar/sar_backproject", "", WORK(32, 24), WORK(16, 8), ARRAY(echoes), ARRAY(antenna),
	    INT(PULSES), INT(BINS), SCALAR(double, near), SCALAR(double, bin), SCALAR(double, wave),
	    FLOAT((float)pixel), ARRAY(image), INT(W), INT(H));
	assert_floats(image[0], want[0], (size_t)2 * W * H, 1e-4f);
	for (int i = 0; i < W * H; i++)
		if (hypotf(image[i][0], image[i][1]) >
		    hypotf(image[brightest][0], image[brightest][1]))
			brightest = i;
	assert_int_equal(brightest, 6 * W + 22);
	assert_true(image[brightest][0] > 0.8f);
}

/* The weights solve the covariance's equations, found here by summing anew. */
static void stap_weights_solve_for_the_steering(void **unused)
{
	enum { N = 6, GATES = 50, TRAIN = 9, GUARD = 2 };
	float x[GATES][N][2], steering[N][2], w[GATES][N][2], power[GATES];
	(void)unused;
	seed();
	fill_floats(x[0][0], (size_t)2 * N * GATES, -1, 1);
	fill_floats(steering[0], (size_t)2 * N, -1, 1);
	RUN("radar/stap_weights", "", WORK(64), WORK(32), ARRAY(x), ARRAY(steering), INT(TRAIN),
	    INT(GUARD), FLOAT(0.1f), ARRAY(w), ARRAY(power), INT(GATES));
	for (int g = 0; g < GATES; g++) {
		double norm = 0, re = 0, im = 0;
		int used = 0;
		for (int t = 0; t < GATES; t++)
			used += abs(t - g) > GUARD && abs(t - g) <= GUARD + TRAIN;
		for (int i = 0; i < N; i++) {
			double left[2] = {0.1 * (double)w[g][i][0], 0.1 * (double)w[g][i][1]};
			for (int t = 0; t < GATES; t++) {
				double y[2] = {0, 0}; /* x^H w */
				if (abs(t - g) <= GUARD || abs(t - g) > GUARD + TRAIN)
					continue;
				for (int j = 0; j < N; j++) {
					const float *a = x[t][j], *b = w[g][j];
					y[0] += (double)a[0] * (double)b[0] +
					        (double)a[1] * (double)b[1];
					y[1] += (double)a[0] * (double)b[1] -
					        (double)a[1] * (double)b[0];
				}
				const float *a = x[t][i];
				left[0] += ((double)a[0] * y[0] - (double)a[1] * y[1]) / used;
				left[1] += ((double)a[0] * y[1] + (double)a[1] * y[0]) / used;
			}
			assert_true(fabs(left[0] - (double)steering[i][0]) < 1e-4);
			assert_true(fabs(left[1] - (double)steering[i][1]) < 1e-4);
			const float *a = x[g][i], *b = w[g][i];
			norm += (double)b[0] * (double)steering[i][0] +
			        (double)b[1] * (double)steering[i][1];
			re += (double)b[0] * (double)a[0] + (double)b[1] * (double)a[1];
			im += (double)b[0] * (double)a[1] - (double)b[1] * (double)a[0];
		}
		double want = (re * re + im * im) / norm;
		assert_true(norm > 0 && fabs((double)power[g] - want) < 1e-3 * (1 + want));
	}
}

/* Charges stand where turns between neighbours do not add up to nothing. */
static void insar_residues_are_charges_of_loops(void **unused)
{
	enum { W = 37, H = 29 };
	float master[H * W][2], slave[H * W][2], phase[H * W], want[H * W];
	int8_t charge[H * W];
	uint32_t charges[2] = {0}, counted[2] = {0};
	(void)unused;
	seed();
	fill_floats(master[0], (size_t)2 * W * H, -1, 1);
	fill_floats(slave[0], (size_t)2 * W * H, -1, 1);
	for (int i = 0; i < W * H; i++) {
		double turn = atan2((double)master[i][1], (double)master[i][0]) -
		              atan2((double)slave[i][1], (double)slave[i][0]);
		want[i] = (float)remainder(turn, 2 * pi);
	}
	RUN("radar/insar_residues", "-DTILE_X=16 -DTILE_Y=8", WORK(48, 32), WORK(16, 8),
	    ARRAY(master), ARRAY(slave), INT(W), INT(H), ARRAY(phase), ARRAY(charge),
	    ARRAY(charges));
	assert_floats(phase, want, (size_t)W * H, 1e-5f);
	for (int i = 0; i < W * H; i++) {
		int right = i % W + 1 < W, below = i / W + 1 < H ? W : 0;
		const int loop[5] = {i, i + right, i + right + below, i + below, i};
		double turns = 0;
		for (int k = 0; k < 4; k++)
			turns += remainder((double)want[loop[k + 1]] - (double)want[loop[k]],
			                   2 * pi);
		int sign = (int)rint(turns / 2 / pi);
		assert_int_equal(charge[i], sign);
		if (sign != 0)
			counted[sign > 0]++;
	}
	assert_words(charges, counted, 2);
	assert_true(counted[0] > 50 && counted[1] > 50);
}

/* A train of one interval stands out in the transform. */
static void pri_histogram_finds_the_train(void **unused)
{
	enum { TRAIN = 200, NOISE = 150, ALL = TRAIN + NOISE, SPAN = 2000, PRI = 700, BINS = 256 };
	int toa[ALL], cosines[BINS] = {0}, sines[BINS] = {0};
	uint32_t histogram[BINS] = {0}, want[BINS] = {0};
	double re[BINS] = {0}, im[BINS] = {0};
	const float per_tick = (float)BINS / (SPAN + 1);
	(void)unused;
	seed();
	for (int i = 0; i < ALL; i++) {
		int at = i < TRAIN ? 50 + i * PRI : (int)(random_word() % (TRAIN * PRI)), k = i;
		for (; k > 0 && toa[k - 1] > at; k--)
			toa[k] = toa[k - 1];
		toa[k] = at;
	}
	for (int i = 0; i < ALL; i++)
		for (int j = 0; j < ALL; j++) {
			int apart = toa[j] - toa[i];
			if (apart <= 0 || apart > SPAN)
				continue;
			int bin = (int)((float)apart * per_tick);
			double turn = 2 * pi * (toa[j] % apart) / apart;
			want[bin]++;
			re[bin] += 64 * cos(turn);
			im[bin] += 64 * sin(turn);
		}
	RUN("radar/pri_histogram", "", WORK(128), WORK(64), ARRAY(toa), INT(ALL), INT(0), INT(SPAN),
	    FLOAT(per_tick), ARRAY(histogram), ARRAY(cosines), ARRAY(sines));
	assert_words(histogram, want, BINS);
	for (int b = 0; b < BINS; b++) {
		assert_true(fabs(cosines[b] - re[b]) < 2 + want[b]);
		assert_true(fabs(sines[b] - im[b]) < 2 + want[b]);
	}
	int once = (int)((float)PRI * per_tick);
	assert_true(hypot(cosines[once], sines[once]) > 64 * 150);
}

CHECK_FAMILY(radar, cmocka_unit_test(cfar_os_lists_cells_above_their_surroundings),
             cmocka_unit_test(sar_backproject_focuses_a_point),
             cmocka_unit_test(stap_weights_solve_for_the_steering),
             cmocka_unit_test(insar_residues_are_charges_of_loops),
             cmocka_unit_test(pri_histogram_finds_the_train))
