/* SPDX-License-Identifier: Apache-2.0 */
/* What terms that run at the same time take together, and how that follows each of them. */
#include <math.h>

#include "model/time/terms.h"
#include "model/underived.h"

/*
 * The largest term, and the others as far as they do not overlap with it.
 * Scaled by the largest, so that no power over- or underflows. Latency is no
 * resource that others compete for but a bound: on a GPU it stands beside the
 * norm, and what is about as long as that adds to it in part, since not all warps wait at
 * the same time. A CPU's core waits and works in turn.
 */

double whole_of(const struct terms *t, const double *time_s, double gathering_s, double stalled_s)
{
	const struct machine *m = t->machine;
	double terms[BOTTLENECK_COUNT], beside[2];

	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++)
		terms[i] = i == BOTTLENECK_LATENCY && m->is_lockstep ? 0 : time_s[i];
	if (!m->is_lockstep) { /* to a CPU local memory is memory: the same instructions */
		terms[BOTTLENECK_L1] += terms[BOTTLENECK_LOCAL];
	} else { /* to a GPU it is the first level's: what passes both does so one by one */
		double passing_s = t->passing_share * terms[BOTTLENECK_L1];
		double others[2] = {terms[BOTTLENECK_L1] - passing_s, terms[BOTTLENECK_LOCAL]};

		terms[BOTTLENECK_L1] =
		        passing_s + soft_maximum(others, 2, norm_of(m->input->device));
	}
	terms[BOTTLENECK_LOCAL] = 0;
	terms[BOTTLENECK_L1] = fmax(0, terms[BOTTLENECK_L1] - gathering_s);
	beside[0] = soft_maximum(terms, BOTTLENECK_COUNT, norm_of(m->input->device)) + gathering_s +
	            stalled_s;
	beside[1] = m->is_lockstep ? time_s[BOTTLENECK_LATENCY] : 0;
	return soft_maximum(beside, 2, WAITING_NORM);
}

/*
 * How whole_of follows each term: of a norm, each term's share of the sum of powers. What regions
 * take longer one after another is shared out like that as well, roughly: it follows arithmetic and
 * the first level alone.
 */
void elasticity_fill(const struct terms *t, double base, double total)
{
	const struct machine *m = t->machine;
	float *elasticity = t->prediction->elasticity;
	double norm = norm_of(m->input->device), most = 0, sum = 0, share = total / (base + total);
	double powers[BOTTLENECK_COUNT];

	elasticity[BOTTLENECK_LAUNCH] = (float)(1 - share);
	if (t->stalled_s > 0 && total > 0) {
		double waits = fmin(1, t->stalled_s / total);

		elasticity[BOTTLENECK_LATENCY] = (float)(share * waits);
		share *= 1 - waits;
	}
	for (unsigned i = 0; i < BOTTLENECK_COUNT; i++)
		if (i != BOTTLENECK_LATENCY || !m->is_lockstep)
			most = fmax(most, t->time_s[i]);
	if (m->is_lockstep && total > 0) {
		double waits = pow(fmin(1, t->time_s[BOTTLENECK_LATENCY] / total), WAITING_NORM);

		elasticity[BOTTLENECK_LATENCY] = (float)(share * waits);
		share *= 1 - waits;
	}
	for (unsigned i = 0; i < BOTTLENECK_COUNT && most > 0; i++) {
		bool counts = i != BOTTLENECK_LATENCY || !m->is_lockstep;
		powers[i] = counts ? pow(t->time_s[i] / most, norm) : 0;
		sum += powers[i];
	}
	for (unsigned i = 0; i < BOTTLENECK_COUNT && sum > 0; i++)
		elasticity[i] += (float)(share * powers[i] / sum);
}
