/* SPDX-License-Identifier: Apache-2.0 */
/* How what terms take together follows each of them. */
#include <math.h>

#include "model/time/terms.h"
#include "model/underived.h"

/*
 * How the whole follows each term: of a norm, each term's share of the sum of powers. What regions
 * take longer one after another is shared out like that as well, roughly: it follows arithmetic and
 * the first level alone.
 */
double elasticity_fill(const struct terms *t, double base, double total)
{
	const struct machine *m = t->machine;
	float *elasticity = t->prediction->elasticity;
	double norm = norm_of(m->input->device), most = 0, sum = 0, share = total / (base + total);
	double powers[BOTTLENECK_COUNT], stalled = 0;

	elasticity[BOTTLENECK_LAUNCH] = (float)(1 - share);
	if (t->stalled_s > 0 && total > 0) {
		double waits = fmin(1, t->stalled_s / total);

		stalled = share * waits;
		elasticity[BOTTLENECK_LATENCY] = (float)stalled;
		share *= 1 - waits;
	}
	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++)
		if (i != BOTTLENECK_LATENCY || !t->kind->waits_beside)
			most = fmax(most, t->time_s[i]);
	if (t->kind->waits_beside && total > 0) {
		double waits = pow(fmin(1, t->time_s[BOTTLENECK_LATENCY] / total), WAITING_NORM);

		elasticity[BOTTLENECK_LATENCY] = (float)(share * waits);
		share *= 1 - waits;
	}
	for (unsigned i = 0; i < BOTTLENECK_COUNT && most > 0; i++) {
		bool counts = i != BOTTLENECK_LATENCY || !t->kind->waits_beside;
		powers[i] = counts ? pow(t->time_s[i] / most, norm) : 0;
		sum += powers[i];
	}
	for (unsigned i = 0; i < BOTTLENECK_COUNT && sum > 0; i++)
		elasticity[i] += (float)(share * powers[i] / sum);
	return stalled;
}
