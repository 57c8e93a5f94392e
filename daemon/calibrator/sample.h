/* SPDX-License-Identifier: Apache-2.0 */
/* Repeated timings of one thing, and what they say together. */
#ifndef PREDICTD_CALIBRATOR_SAMPLE_H
#define PREDICTD_CALIBRATOR_SAMPLE_H

#include <stddef.h>

enum { SAMPLE_MAX = 4096 };

struct sample {
	size_t count;
	double value[SAMPLE_MAX];
};

/* Keeps a value; beyond SAMPLE_MAX it is dropped. */
void sample_add(struct sample *sample, double value);

/* All of an empty sample are 0. */
double sample_mean(const struct sample *sample);
double sample_minimum(const struct sample *sample);

/* The value below which a share (0 to 1) lies, by linear interpolation. */
double sample_quantile(const struct sample *sample, double share);

/*
 * Standard error of the median relative to it, from the median absolute
 * deviation (robust against the tail that a busy machine adds):
 * 1.2533 * 1.4826 * MAD / sqrt(n). 1 for fewer than three values.
 */
double sample_standard_error(const struct sample *sample);

/*
 * Those of the quiet ones, in *quiet: others that use the machine only ever make a run longer, so
 * that of repeats in two states the shorter count, though they be few. Where nobody disturbs, all
 * are kept: values lie above the least ones as far as these lie apart (and SAMPLE_USUAL, less
 * than which nobody disturbs). `quiet` may be `sample`.
 */
void sample_quiet(const struct sample *sample, struct sample *quiet);
#define SAMPLE_USUAL 0.15

/* Half-width of the middle half relative to the median: how busy the device is. */
double sample_spread(const struct sample *sample);

#endif
