/* SPDX-License-Identifier: Apache-2.0 */
/* Repeated timings of one thing, and what they say together. */
#ifndef PREDICTD_CALIBRATOR_REPEATS_H
#define PREDICTD_CALIBRATOR_REPEATS_H

#include <stddef.h>

enum { REPEATS_MAX = 4096 };

struct repeats {
	size_t count;
	double value[REPEATS_MAX];
};

/* Keeps a value; beyond REPEATS_MAX it is dropped. */
void repeats_add(struct repeats *repeats, double value);

/* All are 0 of none. */
double repeats_mean(const struct repeats *repeats);
double repeats_minimum(const struct repeats *repeats);

/* The value below which a share (0 to 1) lies, by linear interpolation. */
double repeats_quantile(const struct repeats *repeats, double share);

/*
 * Standard error of the median relative to it, from the median absolute
 * deviation (robust against the tail that a busy machine adds):
 * 1.2533 * 1.4826 * MAD / sqrt(n). 1 for fewer than three values.
 */
double repeats_standard_error(const struct repeats *repeats);

/*
 * Those of the quiet ones, in *quiet: others that use the machine only ever make a run longer, so
 * that of repeats in two states the shorter count, though they be few. Where nobody disturbs, all
 * are kept: values lie above the least ones as far as these lie apart (and REPEATS_USUAL, less
 * than which nobody disturbs). `quiet` may be `repeats`.
 */
void repeats_quiet(const struct repeats *repeats, struct repeats *quiet);
#define REPEATS_USUAL 0.15

/* Half-width of the middle half relative to the median: how busy the device is. */
double repeats_spread(const struct repeats *repeats);

#endif
