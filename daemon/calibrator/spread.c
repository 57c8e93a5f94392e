/* SPDX-License-Identifier: Apache-2.0 */
/* How long it takes until a launch runs on every unit. */
#include "daemon/calibrator/spread.h"

#include <math.h>
#include <stdint.h>

#include "model/device/wake_up.h"

enum { GRID = 80, RESAMPLES = 40, LAUNCHES_MIN = 4 };

#define LEAST_S 1e-7

/* Others had the device; 20 us are a thread's own way. */
static void count_launch(struct spread *spread, double work_s, double time_s)
{
	spread->launches++;
	spread->preempted += time_s > 1.3 * work_s + 2e-5;
}

double spread_time_s(double work_s, double groups, double units, double spread_s,
                     const struct spread_costs *costs)
{
	double active = fmin(units, groups);
	double time_s = waking_time_s(work_s / active, work_s, units, active, spread_s);
	return active < 2 ? time_s
	                  : fmax(time_s, costs->join_s * active / units) +
	                            costs->handout_s * waking_handouts(groups, units);
}

void spread_add(struct spread *spread, double work_s, double groups, double time_s)
{
	if (spread->count == SPREAD_LAUNCHES_MAX || !(work_s > 0))
		return;
	count_launch(spread, work_s, time_s);
	spread->work_s[spread->count] = work_s;
	spread->groups[spread->count] = groups;
	spread->time_s[spread->count++] = time_s;
}

/* Candidates: none, then evenly in the logarithm up to the most work that was launched. */
static double candidate(int i, double most_s)
{
	return i == 0 ? 0 : LEAST_S * pow(most_s / LEAST_S, (double)i / (double)GRID);
}

/* The best candidate for launches that are drawn `weight` times each. */
static int best_candidate(const struct spread *spread, const double *away, const unsigned *weight)
{
	int best = 0;
	double least = (double)INFINITY;
	for (int i = 0; i <= GRID; i++) {
		double sum = 0;
		for (size_t j = 0; j < spread->count; j++)
			sum += weight[j] * away[(size_t)i * SPREAD_LAUNCHES_MAX + j];
		if (sum < least) {
			least = sum;
			best = i;
		}
	}
	return best;
}

double spread_fit(const struct spread *spread, double units, const struct spread_costs *costs,
                  double *standard_error)
{
	static double away[(GRID + 1) * SPREAD_LAUNCHES_MAX]; /* large */
	unsigned weight[SPREAD_LAUNCHES_MAX];
	double most_s = LEAST_S, sum = 0, square = 0;
	uint64_t random = 1;
	*standard_error = 1;
	if (spread->count < LAUNCHES_MIN || units < 2)
		return 0;
	for (size_t j = 0; j < spread->count; j++) {
		most_s = fmax(most_s, spread->work_s[j]);
		weight[j] = 1;
	}
	for (int i = 0; i <= GRID; i++)
		for (size_t j = 0; j < spread->count; j++)
			away[(size_t)i * SPREAD_LAUNCHES_MAX + j] =
			        fabs(log(fmax(costs->base_s + spread->time_s[j], 1e-9) /
			                 (costs->base_s +
			                  spread_time_s(spread->work_s[j], spread->groups[j], units,
			                                candidate(i, most_s), costs))));
	int best = best_candidate(spread, away, weight);
	double fitted_s = candidate(best, most_s);
	/* no launch saw a second unit: a busy device tells nothing */
	if (best == GRID)
		return fitted_s;
	for (int r = 0; r < RESAMPLES; r++) {
		for (size_t j = 0; j < spread->count; j++)
			weight[j] = 0;
		for (size_t j = 0; j < spread->count; j++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			weight[(random >> 33) % spread->count]++;
		}
		double again_s = candidate(best_candidate(spread, away, weight), most_s);
		sum += again_s;
		square += again_s * again_s;
	}
	double mean = sum / (double)RESAMPLES;
	double deviation = sqrt(fmax(square / (double)RESAMPLES - mean * mean, 0));
	/* no finer than the candidates are apart */
	double step = pow(most_s / LEAST_S, 1.0 / (double)GRID) - 1;
	if (fitted_s > 0)
		*standard_error = fmin(hypot(deviation / fitted_s, step / 2), 1);
	else
		*standard_error = mean > 0 ? 1 : 0;
	return fitted_s;
}

double spread_preempted(const struct spread *spread)
{
	return spread->launches > 0 ? (double)spread->preempted / (double)spread->launches : 0;
}
