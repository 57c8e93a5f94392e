/* SPDX-License-Identifier: Apache-2.0 */
/* Filters, beams and tones against the host. */
#include <stdlib.h>

#include "tests/accuracy/check/run.h"

static const double pi = 3.14159265358979323846;

/* Direct form I in double: the kernel has the transposed second. */
static void biquad_cascade_filters_each_channel(void **unused)
{
	enum { CHANNELS = 40, FRAMES = 70, SECTIONS = 4 };
	float in[FRAMES * CHANNELS], out[FRAMES * CHANNELS], want[FRAMES * CHANNELS];
	float c[SECTIONS * 5];
	(void)unused;
	seed();
	fill_floats(in, FRAMES * CHANNELS, -1, 1);
	fill_floats(c, SECTIONS * 5, -0.4f, 0.6f);
	for (int channel = 0; channel < CHANNELS; channel++) {
		double x[FRAMES + 2] = {0};
		for (int t = 0; t < FRAMES; t++)
			x[t + 2] = (double)in[t * CHANNELS + channel];
		for (int s = 0; s < SECTIONS; s++) {
			const float *f = c + 5 * s;
			double y[FRAMES + 2] = {0};
			for (int t = 2; t < FRAMES + 2; t++)
				y[t] = (double)f[0] * x[t] + (double)f[1] * x[t - 1] +
				       (double)f[2] * x[t - 2] - (double)f[3] * y[t - 1] -
				       (double)f[4] * y[t - 2];
			for (int t = 2; t < FRAMES + 2; t++)
				x[t] = y[t];
		}
		for (int t = 0; t < FRAMES; t++)
			want[t * CHANNELS + channel] = (float)x[t + 2];
	}
	RUN("audio/biquad_cascade", "", WORK(64), WORK(32), ARRAY(in), ARRAY(out), ARRAY(c),
	    INT(CHANNELS), INT(FRAMES));
	assert_floats(out, want, FRAMES * CHANNELS, 1e-4f);
}

static void polyphase_resample_interpolates_taps(void **unused)
{
	enum { COUNT = 200, TAPS = 16, PHASES = 32, SAMPLES = COUNT + TAPS + 2 };
	float in[SAMPLES], bank[(PHASES + 1) * TAPS], out[COUNT], want[COUNT];
	const uint64_t step = (uint64_t)(0.91875 * 4294967296.0);
	(void)unused;
	seed();
	fill_floats(in, SAMPLES, -1, 1);
	fill_floats(bank, (PHASES + 1) * TAPS, -1, 1);
	for (uint64_t i = 0; i < COUNT; i++) {
		double at = (double)(i * step) / 4294967296.0,
		       phase = (at - floor(at)) * (int)PHASES, sum = 0;
		int low = (int)phase * TAPS;
		for (int k = 0; k < TAPS; k++)
			sum += (double)in[(int)at + k] *
			       ((double)bank[low + k] * (1 - (phase - floor(phase))) +
			        (double)bank[low + TAPS + k] * (phase - floor(phase)));
		want[i] = (float)sum;
	}
	RUN("audio/polyphase_resample", "", WORK(224), WORK(32), ARRAY(in), ARRAY(bank), ARRAY(out),
	    SCALAR(uint64_t, step), SCALAR(uint32_t, COUNT));
	assert_floats(out, want, COUNT, 1e-4f);
}

static void delay_and_sum_adds_delayed_signals(void **unused)
{
	enum { SAMPLES = 64, DIRECTIONS = 6, MICROPHONES = 5, PITCH = SAMPLES + 40 };
	float signal[MICROPHONES * PITCH], delay[DIRECTIONS * MICROPHONES], weight[MICROPHONES];
	float beam[DIRECTIONS * SAMPLES], want[DIRECTIONS * SAMPLES];
	(void)unused;
	seed();
	fill_floats(signal, MICROPHONES * PITCH, -1, 1);
	fill_floats(delay, DIRECTIONS * MICROPHONES, 0, 38);
	fill_floats(weight, MICROPHONES, 0, 1);
	for (int i = 0; i < DIRECTIONS * SAMPLES; i++) {
		double sum = 0;
		for (int m = 0; m < MICROPHONES; m++) {
			double late = (double)delay[i / SAMPLES * MICROPHONES + m];
			const float *p = signal + m * PITCH + i % SAMPLES + (int)late;
			late -= floor(late);
			sum += (double)weight[m] *
			       ((1 - late) * (double)p[0] + late * (double)p[1]);
		}
		want[i] = (float)sum;
	}
	RUN("audio/delay_and_sum", "", WORK(SAMPLES, DIRECTIONS), WORK(16, 2), ARRAY(signal),
	    ARRAY(delay), ARRAY(weight), ARRAY(beam), INT(MICROPHONES), INT(PITCH));
	assert_floats(beam, want, DIRECTIONS * SAMPLES, 1e-5f);
}

/* G.711's own way: the segment is searched for. */
static void mu_law_finds_segment_and_step(void **unused)
{
	enum { SAMPLES = 4 * 500 };
	int16_t samples[SAMPLES];
	uint8_t coded[SAMPLES];
	(void)unused;
	seed();
	for (int i = 0; i < SAMPLES; i++)
		samples[i] = (int16_t)((int16_t)random_word() >> random_word() % 12);
	samples[0] = INT16_MIN;
	samples[1] = INT16_MAX;
	RUN("audio/mu_law", "", WORK(96), WORK(32), ARRAY(samples), ARRAY(coded),
	    SCALAR(uint32_t, SAMPLES / 4));
	for (int i = 0; i < SAMPLES; i++) {
		int size = abs(samples[i]), segment = 0;
		size = (size > 32635 ? 32635 : size) + 132;
		while (size >= 256 << segment)
			segment++;
		int want = (samples[i] < 0 ? 128 : 0) + 16 * segment + size / (8 << segment) % 16;
		assert_int_equal(coded[i], 255 - want);
	}
}

static void goertzel_bank_is_a_fourier_sum(void **unused)
{
	enum { BLOCKS = 3, TONES = 32, LENGTH = 4 * TONES };
	int16_t audio[BLOCKS * LENGTH];
	float power[BLOCKS * TONES], want[BLOCKS * TONES];
	(void)unused;
	seed();
	for (int i = 0; i < BLOCKS * LENGTH; i++)
		audio[i] = (int16_t)random_word();
	for (int i = 0; i < BLOCKS * TONES; i++) {
		double re = 0, im = 0, angle = pi * (i % TONES + 1) / (TONES + 1);
		for (int k = 0; k < LENGTH; k++) {
			double x = audio[i / TONES * LENGTH + k] / 32768.0;
			re += x * cos(angle * k);
			im += x * sin(angle * k);
		}
		want[i] = (float)(re * re + im * im);
	}
	RUN("audio/goertzel_bank", "", WORK(BLOCKS * TONES), WORK(TONES), ARRAY(audio),
	    ARRAY(power), INT(LENGTH), LOCAL(4 * TONES));
	assert_floats(power, want, BLOCKS * TONES, 1e-5f);
}

static void pitch_lag_finds_the_period(void **unused)
{
	enum { FRAMES = 6, HOP = 100, GROUP = 32, ALL = FRAMES * HOP + 512 };
	float audio[ALL], likeness[FRAMES];
	int lags[FRAMES];
	(void)unused;
	seed();
	fill_floats(audio, ALL, -0.2f, 0.2f);
	for (int i = 0; i < ALL; i++)
		audio[i] += (float)sin(2 * pi * i / (40 + i / 150.0)) + (float)(i % 47 < 8);
	RUN("audio/pitch_lag", "", WORK(FRAMES * GROUP), WORK(GROUP), ARRAY(audio), ARRAY(lags),
	    ARRAY(likeness), INT(HOP), LOCAL(4 * GROUP), LOCAL(4 * GROUP));
	for (int frame = 0; frame < FRAMES; frame++) {
		const float *x = audio + frame * HOP;
		double best = -1e9, chosen = 0;
		for (int lag = 32; lag < 256; lag++) {
			double cross = 0, energy = 1e-6;
			for (int i = 0; i < 256; i++) {
				cross += (double)x[i] * (double)x[i + lag];
				energy += (double)x[i + lag] * (double)x[i + lag];
			}
			double score = cross / sqrt(energy);
			best = fmax(best, score);
			chosen = lag == lags[frame] ? score : chosen;
		}
		assert_close(chosen, best, 1e-5);
		assert_close((double)likeness[frame], best, 1e-5);
	}
}

CHECK_FAMILY(audio, cmocka_unit_test(biquad_cascade_filters_each_channel),
             cmocka_unit_test(polyphase_resample_interpolates_taps),
             cmocka_unit_test(delay_and_sum_adds_delayed_signals),
             cmocka_unit_test(mu_law_finds_segment_and_step),
             cmocka_unit_test(goertzel_bank_is_a_fourier_sum),
             cmocka_unit_test(pitch_lag_finds_the_period))
