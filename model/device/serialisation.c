/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes that meet at an address: counted where it is known, expected where data decide. */
#include "model/device/serialisation.h"

#include <assert.h>
#include <math.h>

enum { TURNS_MOST = 1024, BANKS_MAX = 128 };

/* Balls in a bin follow Poisson's law; E[most] is the sum over k of P(most >= k). */
double turns_at_random(double balls, double bins)
{
	double mean, term, below = 0, most = 0;

	assert(bins >= 1 && balls >= 0);
	mean = balls / bins;
	if (bins < 2 || mean > 64) /* the fullest is about as full as any */
		return fmax(1, mean);
	term = exp(-mean);
	for (unsigned k = 1; k <= TURNS_MOST; k++) {
		double reached;

		below += term;
		term *= mean / k;
		reached = -expm1(bins * log(fmin(below, 1)));
		most += reached;
		if (reached < 1e-4)
			break;
	}
	return fmin(fmax(1, most), fmax(1, balls));
}

double turns_of_units(const int64_t *sorted, unsigned count, unsigned shift)
{
	double turns = 0;

	for (unsigned i = 0; i < count;) {
		int64_t unit = sorted[i] >> shift;
		unsigned most = 0;

		while (i < count && sorted[i] >> shift == unit) {
			int64_t address = sorted[i];
			unsigned lanes = 0;

			for (; i < count && sorted[i] == address; i++)
				lanes++;
			most = lanes > most ? lanes : most;
		}
		turns += most;
	}
	return turns;
}

double turns_of_units_at_random(double lanes, double bytes, double word_bytes, unsigned shift)
{
	double unit = (double)(1u << shift), units = fmax(1, bytes / unit);
	double touched = units * -expm1(-lanes / units);

	if (!(lanes > 0) || !(touched > 0))
		return 0;
	return touched *
	       turns_at_random(lanes / touched, fmax(1, fmin(bytes, unit) / fmax(1, word_bytes)));
}

double turns_of_banks(const int64_t *address, unsigned count, unsigned banks)
{
	unsigned load[BANKS_MAX] = {0}, most = 1;

	if (banks < 2 || banks > BANKS_MAX)
		return 1;
	for (unsigned i = 0; i < count; i++) {
		unsigned bank = (unsigned)((uint64_t)(address[i] >> 2) % banks);

		load[bank]++;
		most = load[bank] > most ? load[bank] : most;
	}
	return most;
}
