/* SPDX-License-Identifier: Apache-2.0 */
/* Signals: transforms and filters against their definitions. */
#include <string.h>

#include "tests/accuracy/check/run.h"

static void fft_stages_are_a_fourier_transform(void **unused)
{
	enum { POINTS = 64 };
	float in[2 * POINTS], out[2 * POINTS], want[2 * POINTS];
	(void)unused;
	seed();
	fill_floats(in, 2 * POINTS, -1, 1);
	for (int k = 0; k < POINTS; k++) {
		double re = 0, im = 0;
		for (int t = 0; t < POINTS; t++) {
			double angle = -2 * M_PI * k * t / (double)POINTS;
			re += (double)in[2 * t] * cos(angle) - (double)in[2 * t + 1] * sin(angle);
			im += (double)in[2 * t] * sin(angle) + (double)in[2 * t + 1] * cos(angle);
		}
		want[2 * k] = (float)re;
		want[2 * k + 1] = (float)im;
	}
	for (int span = 1; span < POINTS; span *= 2) {
		RUN("signal/fft_radix2", "", WORK(POINTS / 2), WORK(16), ARRAY(in), ARRAY(out),
		    INT(POINTS / 2), INT(span));
		memcpy(in, out, sizeof in);
	}
	assert_floats(out, want, 2 * POINTS, 1e-3f);
}

static void dct_transforms_blocks(void **unused)
{
	enum { WIDTH = 32, HEIGHT = 16, CELLS = WIDTH * HEIGHT };
	float in[CELLS], out[CELLS], want[CELLS], basis[64];
	(void)unused;
	seed();
	fill_floats(in, CELLS, -1, 1);
	for (int k = 0; k < 64; k++)
		basis[k] = (float)((k < 8 ? sqrt(0.125) : 0.5) *
		                   cos((2 * (k % 8) + 1) * (k / 8) * M_PI / 16));
	for (int i = 0; i < CELLS; i++) {
		int x = i % WIDTH, y = i / WIDTH;
		double sum = 0;
		for (int k = 0; k < 64; k++)
			sum += (double)in[(y / 8 * 8 + k / 8) * WIDTH + x / 8 * 8 + k % 8] *
			       (double)basis[x % 8 * 8 + k % 8] * (double)basis[y % 8 * 8 + k / 8];
		want[i] = (float)sum;
	}
	for (int span = 8; span <= 32; span *= 4) {
		memset(out, 0, sizeof out);
		RUN("signal/dct8x8", span == 8 ? "-DSPAN=8" : "-DSPAN=32", WORK(WIDTH, HEIGHT),
		    WORK((size_t)span, 8), ARRAY(in), ARRAY(out), ARRAY(basis), INT(WIDTH));
		assert_floats(out, want, CELLS, 1e-5f);
	}
}

static void fir_weighs_what_follows(void **unused)
{
	enum { N = 128, TAPS = 11 };
	float in[N + TAPS], out[N], tap[TAPS], want[N] = {0};
	(void)unused;
	seed();
	fill_floats(in, N + TAPS, -1, 1);
	fill_floats(tap, TAPS, -1, 1);
	for (int i = 0; i < N; i++)
		for (int k = 0; k < TAPS; k++)
			want[i] += tap[k] * in[i + k];
	RUN("signal/fir", "", WORK(N), WORK(64), ARRAY(in), ARRAY(out), ARRAY(tap), INT(TAPS));
	assert_floats(out, want, N, 1e-5f);
}

CHECK_FAMILY(signal, cmocka_unit_test(fft_stages_are_a_fourier_transform),
             cmocka_unit_test(dct_transforms_blocks), cmocka_unit_test(fir_weighs_what_follows))
