/* SPDX-License-Identifier: Apache-2.0 */
/* Levels of a memory hierarchy in a curve of rate over footprint. */
#ifndef PREDICTD_CALIBRATOR_PLATEAU_H
#define PREDICTD_CALIBRATOR_PLATEAU_H

#include <stddef.h>

enum { PLATEAU_POINTS_MAX = 64 };

struct plateau {
	double rate;     /* the median on it */
	double capacity; /* footprint at which the rate is half-way (in logarithm) to the next;
	                    INFINITY of the last */
};

/*
 * Finds where a curve is flat.
 *
 * footprint  growing, length n <= PLATEAU_POINTS_MAX, > 0
 * rate       > 0; noise that rises with the footprint is smoothed away
 * drop       the least fall between two plateaus, as a share: 0.22
 * points     the least number of points of a plateau; the last may have one less
 * plateaus   out: at most `most`, from the fastest
 *
 * Returns how many, at least 1 when n > 0.
 */
size_t plateau_find(const double *footprint, const double *rate, size_t n, double drop,
                    size_t points, struct plateau *plateaus, size_t most);

/*
 * The share of accesses that miss a cache where they go at `rate`, from those where all hit
 * and where all miss; 0.01 to 0.99.
 */
double plateau_missed(double rate, double hit_rate, double miss_rate);

/*
 * The capacity, from the share missed at a footprint: random accesses hit the part that is
 * cached; what goes around finds a line again as long as random victims let it
 * (model/traffic/misses.c).
 */
double plateau_random_capacity(double footprint, double missed);
double plateau_rounds_capacity(double footprint, double missed);

#endif
