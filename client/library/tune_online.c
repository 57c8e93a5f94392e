/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A search inside a program that works: every other run at most tries something, and nothing that
 * is expected to take PREDICTD_TUNE_SLOWER_MAX times what the best takes.
 *
 * A first run is cold: its caches are, and its pages may never have been touched. Where it is not
 * too slow all the same, a configuration runs again, and its first time does not count any more.
 * Else it is taken for as much faster as others were the second time.
 *
 * A configuration's time is the median of its first DRIFT_REFERENCE runs, so that the best's is
 * what it took when it was chosen, and what was measured beside it is compared with that. Later
 * runs of the best are tested for drift alone. Where they have drifted, what was expected of every
 * configuration before is taken to have drifted as the best has, and the search begins anew from
 * there: others are soon found to be as they are, and none that was slow is run for it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/library/tune.h"

bool tune_online_init(predictd_tuner *tuner)
{
	struct tune_online *online = &tuner->online;
	online->start = online->cold = SIZE_MAX;
	for (size_t i = 0; i < TUNE_MARKS && tuner->own.is_online; i++) {
		online->marks[i] = calloc(tuner->own.configuration_count, sizeof *online->marks[i]);
		if (online->marks[i] == NULL)
			return false;
	}
	return true;
}

void tune_online_deinit(predictd_tuner *tuner)
{
	for (size_t i = 0; i < TUNE_MARKS; i++)
		free(tuner->online.marks[i]);
}

bool tune_online_begin(predictd_tuner *tuner, size_t configuration, double time_s, bool was_over)
{
	struct tune_online *online = &tuner->online;
	if (configuration >= tuner->own.configuration_count || !tuner->is_able[configuration])
		return false;
	online->start = configuration;
	online->start_s = time_s;
	online->is_settled = was_over;
	return true;
}

static bool is_open_start(const predictd_tuner *tuner)
{
	size_t start = tuner->online.start;
	return start != SIZE_MAX && !tuner->runs[start].has_run;
}

size_t tune_online_next(const predictd_tuner *tuner)
{
	const struct tune_online *online = &tuner->online;
	if (tuner->best == SIZE_MAX)
		return is_open_start(tuner) ? online->start : tune_look(tuner)->next;
	if (online->has_explored || online->is_settled)
		return tuner->best;
	if (online->cold != SIZE_MAX)
		return online->cold;
	const struct tune_outlook *outlook = tune_look(tuner);
	size_t next = outlook->is_searching ? outlook->next : outlook->finalist;
	return next != SIZE_MAX ? next : tuner->best;
}

/* ---- drift --------------------------------------------------------------------------------- */

/* Once nothing is measured any more, there is nothing to be copied. */
static void mark(predictd_tuner *tuner)
{
	struct tune_online *online = &tuner->online;
	size_t at = online->mark_count;
	if (at == TUNE_MARKS && online->rows[0] == tuner->model.rows)
		return;
	if (at == TUNE_MARKS) {
		double *oldest = online->marks[0];
		at--;
		memmove(online->marks, online->marks + 1, at * sizeof(*online->marks));
		memmove(online->rows, online->rows + 1, at * sizeof *online->rows);
		online->marks[at] = oldest;
	}
	memcpy(online->marks[at], tuner->model.means,
	       tuner->own.configuration_count * sizeof *tuner->model.means);
	online->rows[at] = tuner->model.rows;
	online->mark_count = at + 1;
}

static void chosen(predictd_tuner *tuner)
{
	tuner->online.drift = (struct drift){.count = 0};
	tuner->online.mark_count = 0;
	if (tuner->best != SIZE_MAX)
		mark(tuner);
}

/* What was expected before times drifted, by as much as the best has. */
static void begin_anew(predictd_tuner *tuner)
{
	struct tune_online *online = &tuner->online;
	struct configuration_runs *best = &tuner->runs[tuner->best];
	const double *means = online->marks[0];
	double now_s[DRIFT_REFERENCE];
	memcpy(best->times_s, online->drift.times_s, sizeof now_s);
	memcpy(now_s, best->times_s, sizeof now_s);
	best->count = DRIFT_REFERENCE;
	best->median_s = tune_median(now_s, DRIFT_REFERENCE);
	double shift = log(best->median_s) - tuner->expected[tuner->best] - means[tuner->best];
	for (size_t i = 0; i < tuner->own.configuration_count; i++) {
		tuner->expected[i] += means[i] + shift;
		tuner->runs[i].is_cold = false;
		if (i != tuner->best && isfinite(tuner->runs[i].median_s))
			tuner->runs[i].count = 0;
	}
	tuner->measured_count = tuner->failed_count + 1;
	tune_model_reset(&tuner->model);
	tune_model_add(&tuner->model, tuner->best, log(best->median_s));
	online->is_settled = false;
	online->cold = SIZE_MAX;
	online->drift_count++;
	chosen(tuner);
	*tuner->is_seen = false;
}

bool tune_online_take(predictd_tuner *tuner, size_t configuration, double time_s)
{
	const struct configuration_runs *runs = &tuner->runs[configuration];
	struct tune_online *online = &tuner->online;
	if (runs->count < DRIFT_REFERENCE || !isfinite(time_s) || !isfinite(runs->median_s))
		return false;
	online->has_explored = configuration != tuner->best;
	if (online->has_explored)
		return true;
	switch (drift_add(&online->drift, runs->times_s, time_s)) {
	case DRIFT_FOUND:
		begin_anew(tuner);
		break;
	case DRIFT_WINDOW_ENDS:
		mark(tuner);
		break;
	case DRIFT_NONE:
		break;
	}
	return true;
}

double tune_online_expected(const predictd_tuner *tuner, size_t configuration)
{
	const struct configuration_runs *runs = &tuner->runs[configuration];
	return log(runs->median_s) - (runs->is_cold ? tuner->online.cold_log : 0);
}

void tune_online_warm(predictd_tuner *tuner, double cold_s, double time_s)
{
	struct tune_online *online = &tuner->online;
	if (!isfinite(time_s))
		return;
	online->cold_count++;
	online->cold_log +=
	        (fmax(0, log(cold_s / time_s)) - online->cold_log) / (double)online->cold_count;
}

static bool is_too_slow(const predictd_tuner *tuner, size_t configuration)
{
	return tuner->best != SIZE_MAX &&
	       tune_online_expected(tuner, configuration) >
	               tune_online_expected(tuner, tuner->best) + log(PREDICTD_TUNE_SLOWER_MAX);
}

static void look_for_cold(predictd_tuner *tuner, size_t configuration)
{
	struct tune_online *online = &tuner->online;
	if (tuner->runs[configuration].is_cold)
		online->cold = configuration;
	else if (online->cold == configuration)
		online->cold = SIZE_MAX;
	if (online->cold == SIZE_MAX || !is_too_slow(tuner, online->cold))
		return;
	tuner->runs[online->cold].median_s = exp(tune_online_expected(tuner, online->cold));
	tuner->runs[online->cold].is_cold = false;
	tune_teach(tuner, online->cold);
	online->cold = SIZE_MAX;
}

void tune_online_counted(predictd_tuner *tuner, size_t configuration, size_t best_before)
{
	struct tune_online *online = &tuner->online;
	const struct configuration_runs *runs = &tuner->runs[configuration];
	bool is_start = online->is_settled && configuration == online->start;
	online->has_explored = tuner->best != SIZE_MAX && configuration != tuner->best;
	look_for_cold(tuner, configuration);
	if (is_start && isinf(runs->median_s))
		online->is_settled = false;
	/* it is not what was chosen: a search would never have tried one that is so much slower */
	if (is_start && runs->count == DRIFT_REFERENCE &&
	    runs->median_s > PREDICTD_TUNE_SLOWER_MAX * online->start_s)
		online->is_settled = false;
	if (tuner->best != best_before)
		chosen(tuner);
	else if (configuration == tuner->best && runs->count % DRIFT_WINDOW == 0)
		mark(tuner);
}
