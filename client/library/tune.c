/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search: what may be fastest is measured, until nothing else is likely to be. Of two that are
 * expected alike, the one that is less sure is worth more: expected improvement (Jones, Schonlau,
 * Welch, Journal of Global Optimization 13, 1998), of the logarithm of time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/library/error.h"
#include "client/library/tune.h"

#define GAIN                0.02
#define CHANCE              0.1
#define INTERVAL_DEVIATIONS 3.29 /* of a 90 % interval, low to high */
#define SPREAD_UNKNOWN      0.5
#define SPREAD_MIN          0.05
#define SPREAD_MAX          1.5
/* of runs whose medians are within so much of the best, any may be it */
#define FINAL_MARGIN 0.05

enum { FINAL_RUNS = 3, FINALISTS_MAX = 8 };

/* ---- what is told -------------------------------------------------------------------------- */

static predictd_status interval_check(const predictd_tuning *tuning, size_t number)
{
	double time_s = tuning->predicted_s[number];
	if (!(time_s > 0) && !isnan(time_s))
		return error_keep(PREDICTD_INVALID, "configuration %zu: %g s: want a positive time",
		                  number, time_s);
	if (tuning->low_s == NULL || !isfinite(time_s))
		return PREDICTD_OK;
	double low_s = tuning->low_s[number], high_s = tuning->high_s[number];
	return low_s > 0 && low_s <= time_s && time_s <= high_s && isfinite(high_s)
	               ? PREDICTD_OK
	               : error_keep(PREDICTD_INVALID,
	                            "configuration %zu: %g s within %g to %g: want them in order",
	                            number, time_s, low_s, high_s);
}

static predictd_status tuning_check(const predictd_tuning *tuning)
{
	if (tuning->size < sizeof *tuning)
		return error_keep(PREDICTD_INVALID, "a tuning of %zu bytes: want %zu", tuning->size,
		                  sizeof *tuning);
	if (tuning->configuration_count == 0)
		return error_keep(PREDICTD_INVALID, "want at least one configuration");
	if (tuning->configuration_count > PREDICTD_TUNE_CONFIGURATIONS_MAX ||
	    tuning->parameter_count > PREDICTD_TUNE_PARAMETERS_MAX)
		return error_keep(PREDICTD_LIMIT,
		                  "%zu configurations of %zu parameters: want at most %d of %d",
		                  tuning->configuration_count, tuning->parameter_count,
		                  PREDICTD_TUNE_CONFIGURATIONS_MAX, PREDICTD_TUNE_PARAMETERS_MAX);
	if ((tuning->low_s == NULL) != (tuning->high_s == NULL))
		return error_keep(PREDICTD_INVALID, "want both ends of the intervals, or none");
	if (!(tuning->gain >= 0 && tuning->gain < 1) ||
	    !(tuning->chance >= 0 && tuning->chance < 1))
		return error_keep(PREDICTD_INVALID,
		                  "gain %g, chance %g: want shares from 0 to below 1", tuning->gain,
		                  tuning->chance);
	size_t able = 0;
	for (size_t i = 0; i < tuning->configuration_count; i++) {
		predictd_status status = interval_check(tuning, i);
		if (status != PREDICTD_OK)
			return status;
		able += isinf(tuning->predicted_s[i]) ? 0 : 1;
	}
	return able > 0 ? PREDICTD_OK
	                : error_keep(PREDICTD_UNSUPPORTED,
	                             "none of %zu configurations can run on this device",
	                             tuning->configuration_count);
}

/* Logarithms of what is predicted, and by how much predictions miss, as their intervals tell. */
static double expected_fill(predictd_tuner *tuner, const predictd_tuning *tuning, double *room)
{
	size_t known = 0, count = tuning->configuration_count;
	double spread = SPREAD_UNKNOWN, middle;
	for (size_t i = 0; i < count; i++)
		if (isfinite(tuning->predicted_s[i]))
			room[known++] = log(tuning->predicted_s[i]);
	middle = known > 0 ? tune_median(room, known) : 0;
	tuner->is_blind = known == 0;
	known = 0;
	for (size_t i = 0; i < count; i++) {
		double time_s = tuning->predicted_s[i];
		tuner->is_able[i] = !isinf(time_s);
		tuner->expected[i] = isfinite(time_s) ? log(time_s) : middle;
		if (isfinite(time_s) && tuning->low_s != NULL)
			room[known++] = log(tuning->high_s[i] / tuning->low_s[i]);
	}
	if (known > 0)
		spread = tune_median(room, known) / INTERVAL_DEVIATIONS;
	return fmin(fmax(spread, SPREAD_MIN), SPREAD_MAX);
}

predictd_status predictd_tuner_new(const predictd_tuning *tuning, predictd_tuner **result)
{
	error_clear();
	predictd_status status = tuning_check(tuning);
	if (status != PREDICTD_OK)
		return status;
	size_t count = tuning->configuration_count, cells = count * tuning->parameter_count;
	predictd_tuner *tuner = calloc(1, sizeof *tuner);
	double *room = calloc(count, sizeof *room);
	bool has_memory = tuner != NULL && room != NULL;
	if (has_memory) {
		tuner->own = *tuning;
		tuner->best = SIZE_MAX;
		tuner->values = calloc(cells + 1, sizeof *tuner->values);
		tuner->expected = calloc(count, sizeof *tuner->expected);
		tuner->is_able = calloc(count, sizeof *tuner->is_able);
		tuner->runs = calloc(count, sizeof *tuner->runs);
		tuner->outlook = calloc(1, sizeof *tuner->outlook);
		tuner->is_seen = calloc(1, sizeof *tuner->is_seen);
		has_memory = tuner->outlook != NULL && tuner->is_seen != NULL &&
		             tune_online_init(tuner) && tuner->values != NULL &&
		             tuner->expected != NULL && tuner->is_able != NULL &&
		             tuner->runs != NULL;
	}
	if (has_memory) {
		if (cells > 0)
			memcpy(tuner->values, tuning->values, cells * sizeof *tuner->values);
		double spread = expected_fill(tuner, tuning, room);
		has_memory = tune_model_init(&tuner->model, count, tuning->parameter_count,
		                             tuner->values, tuner->expected, spread);
	}
	free(room);
	if (!has_memory) {
		predictd_tuner_free(tuner);
		return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu configurations", count);
	}
	tuner->own.values = NULL;
	tuner->own.predicted_s = tuner->own.low_s = tuner->own.high_s = NULL;
	tuner->own.gain = tuning->gain > 0 ? tuning->gain : GAIN;
	tuner->own.chance = tuning->chance > 0 ? tuning->chance : CHANCE;
	tuner->own.final_runs = tuning->final_runs > 0 ? tuning->final_runs : FINAL_RUNS;
	if (tuner->own.final_runs > TUNE_RUNS_MAX)
		tuner->own.final_runs = TUNE_RUNS_MAX;
	*result = tuner;
	return PREDICTD_OK;
}

void predictd_tuner_free(predictd_tuner *tuner)
{
	if (tuner == NULL)
		return;
	for (size_t i = 0; i < tuner->own.configuration_count && tuner->runs != NULL; i++)
		free(tuner->runs[i].times_s);
	free(tuner->runs);
	free(tuner->values);
	free(tuner->expected);
	free(tuner->is_able);
	free(tuner->outlook);
	free(tuner->is_seen);
	tune_online_deinit(tuner);
	tune_model_deinit(&tuner->model);
	free(tuner);
}

/* ---- what to measure ----------------------------------------------------------------------- */

static double normal_below(double deviations)
{
	return 0.5 * erfc(-deviations * M_SQRT1_2);
}

static double normal_density(double deviations)
{
	return exp(-0.5 * deviations * deviations) * 0.5 * M_2_SQRTPI * M_SQRT1_2;
}

static bool is_open(const predictd_tuner *tuner, size_t i)
{
	return tuner->is_able[i] && tuner->runs[i].count == 0;
}

/* The chance that a configuration is faster than a time, of which the logarithm is given. */
static double chance_below(const predictd_tuner *tuner, size_t i, double log_s)
{
	return normal_below((log_s - tune_model_mean(&tuner->model, i)) /
	                    tune_model_deviation(&tuner->model, i));
}

/* The logarithm of what is faster than the best by `gain`. */
static double gain_bar(const predictd_tuner *tuner)
{
	return log(tuner->runs[tuner->best].median_s * (1 - tuner->own.gain));
}

/* By how much a configuration may be expected to shorten the logarithm of the best time. */
static double improvement(const predictd_tuner *tuner, size_t i, double log_best_s)
{
	double deviation = tune_model_deviation(&tuner->model, i);
	double left = log_best_s - tune_model_mean(&tuner->model, i);
	return left * normal_below(left / deviation) + deviation * normal_density(left / deviation);
}

/* Before anything has run: what is predicted to be the fastest. */
static void look_first(const predictd_tuner *tuner, struct tune_outlook *outlook)
{
	for (size_t i = 0; i < tuner->own.configuration_count; i++)
		if (is_open(tuner, i) && (outlook->next == SIZE_MAX ||
		                          tune_model_mean(&tuner->model, i) <
		                                  tune_model_mean(&tuner->model, outlook->next)))
			outlook->next = i;
	outlook->chance = outlook->gain = outlook->next != SIZE_MAX ? 1 : 0;
}

/* In a program that works, what is too slow to be tried is no chance either. */
static void look_on(const predictd_tuner *tuner, struct tune_outlook *outlook)
{
	double none = 1, most = -(double)INFINITY, bar = gain_bar(tuner);
	double log_best_s = log(tuner->runs[tuner->best].median_s);
	double slowest = tuner->own.is_online ? log_best_s + log(PREDICTD_TUNE_SLOWER_MAX)
	                                      : (double)INFINITY;
	for (size_t i = 0; i < tuner->own.configuration_count; i++) {
		if (!is_open(tuner, i) || tune_model_mean(&tuner->model, i) > slowest)
			continue;
		double worth = improvement(tuner, i, log_best_s);
		none *= 1 - chance_below(tuner, i, bar);
		if (worth > most) {
			most = worth;
			outlook->next = i;
		}
	}
	outlook->chance = 1 - none;
	outlook->gain = outlook->next != SIZE_MAX ? 1 - exp(-fmax(0, most)) : 0;
}

/*
 * The one of those that may be the best that has run least; SIZE_MAX: all have run often enough.
 * These are the fastest within a margin, FINALISTS_MAX at most.
 */
static size_t finalist(const predictd_tuner *tuner)
{
	size_t finalists[FINALISTS_MAX], count = 0, next = SIZE_MAX;
	if (tuner->best == SIZE_MAX)
		return SIZE_MAX;
	double bar_s = tuner->runs[tuner->best].median_s * (1 + FINAL_MARGIN);
	for (size_t i = 0; i < tuner->own.configuration_count; i++) {
		double own_s = tuner->runs[i].median_s;
		if (tuner->runs[i].count == 0 || !(own_s <= bar_s))
			continue;
		size_t at = count < FINALISTS_MAX ? count++ : FINALISTS_MAX;
		for (; at > 0 && own_s < tuner->runs[finalists[at - 1]].median_s; at--)
			if (at < FINALISTS_MAX)
				finalists[at] = finalists[at - 1];
		if (at < FINALISTS_MAX)
			finalists[at] = i;
	}
	for (size_t i = 0; i < count && count > 1; i++) {
		size_t runs = tuner->runs[finalists[i]].count;
		if (runs < tuner->own.final_runs &&
		    (next == SIZE_MAX || runs < tuner->runs[next].count))
			next = finalists[i];
	}
	return next;
}

const struct tune_outlook *tune_look(const predictd_tuner *tuner)
{
	struct tune_outlook *outlook = tuner->outlook;
	size_t max = tuner->own.measured_max;
	if (*tuner->is_seen)
		return outlook;
	*outlook = (struct tune_outlook){.next = SIZE_MAX};
	if (tuner->best == SIZE_MAX)
		look_first(tuner, outlook);
	else
		look_on(tuner, outlook);
	outlook->finalist = finalist(tuner);
	outlook->is_searching = outlook->next != SIZE_MAX && outlook->chance >= tuner->own.chance &&
	                        (max == 0 || tuner->measured_count < max);
	*tuner->is_seen = true;
	return outlook;
}

static size_t offline_next(const predictd_tuner *tuner)
{
	const struct tune_outlook *outlook = tune_look(tuner);
	return outlook->is_searching ? outlook->next : outlook->finalist;
}

predictd_status predictd_tuner_next(predictd_tuner *tuner, predictd_candidate *candidate)
{
	error_clear();
	size_t next = tuner->own.is_online ? tune_online_next(tuner) : offline_next(tuner);
	if (next == SIZE_MAX)
		return error_keep(PREDICTD_NOT_FOUND,
		                  "the search is over: %zu of %zu measured, %zu of them failed",
		                  tuner->measured_count, tuner->own.configuration_count,
		                  tuner->failed_count);
	const struct configuration_runs *runs = &tuner->runs[next];
	bool is_measured = runs->count > 0;
	double mean = is_measured ? tune_online_expected(tuner, next)
	                          : tune_model_mean(&tuner->model, next);
	double reach = 0.5 * INTERVAL_DEVIATIONS * tune_model_deviation(&tuner->model, next);
	*candidate = (predictd_candidate){
	        .configuration = next,
	        .expected_s = exp(mean),
	        .low_s = exp(mean - reach),
	        .high_s = exp(mean + reach),
	        .gain_chance = is_measured ? 0
	                       : tuner->best == SIZE_MAX
	                               ? 1
	                               : chance_below(tuner, next, gain_bar(tuner)),
	        .is_final = is_measured,
	        .is_new = !runs->has_run};
	return PREDICTD_OK;
}

/* Where nothing is predicted, the first run says what all are expected to take. */
static void expect_all(predictd_tuner *tuner, double log_s)
{
	for (size_t i = 0; i < tuner->own.configuration_count; i++)
		tuner->expected[i] = log_s;
	tune_model_reset(&tuner->model);
	tuner->is_blind = false;
}

void tune_teach(predictd_tuner *tuner, size_t configuration)
{
	double log_s = log(tuner->runs[configuration].median_s);
	if (tuner->is_blind)
		expect_all(tuner, log_s);
	tune_model_add(&tuner->model, configuration, log_s);
}

/* The fastest of all is looked for only where that of the last run has become slower. */
static void best_find(predictd_tuner *tuner, size_t configuration)
{
	const struct configuration_runs *runs = tuner->runs;
	size_t best = tuner->best;
	if (configuration != best) {
		if (isfinite(runs[configuration].median_s) &&
		    (best == SIZE_MAX || runs[configuration].median_s < runs[best].median_s))
			tuner->best = configuration;
		return;
	}
	tuner->best = SIZE_MAX;
	for (size_t i = 0; i < tuner->own.configuration_count; i++)
		if (runs[i].count > 0 && isfinite(runs[i].median_s) &&
		    (tuner->best == SIZE_MAX || runs[i].median_s < runs[tuner->best].median_s))
			tuner->best = i;
}

predictd_status predictd_tuner_report(predictd_tuner *tuner, size_t configuration, double time_s)
{
	error_clear();
	if (configuration >= tuner->own.configuration_count)
		return error_keep(PREDICTD_INVALID, "configuration %zu of %zu", configuration,
		                  tuner->own.configuration_count);
	if (!(time_s > 0))
		return error_keep(PREDICTD_INVALID,
		                  "configuration %zu took %g s: want a positive time",
		                  configuration, time_s);
	if (tuner->own.is_online && tune_online_take(tuner, configuration, time_s))
		return PREDICTD_OK;
	struct configuration_runs *runs = &tuner->runs[configuration];
	double sorted[TUNE_RUNS_MAX];
	if (runs->times_s == NULL) {
		runs->times_s = malloc(TUNE_RUNS_MAX * sizeof *runs->times_s);
		if (runs->times_s == NULL)
			return error_keep(PREDICTD_NO_MEMORY, "no memory for a run");
	}
	size_t best_before = tuner->best;
	bool is_first = runs->count == 0, had_failed = !is_first && isinf(runs->median_s);
	bool was_cold = runs->is_cold;
	runs->is_cold = tuner->own.is_online && !runs->has_run && isfinite(time_s);
	if (was_cold) {
		runs->count = 0;
		tune_online_warm(tuner, runs->times_s[0], time_s);
	}
	/* of more, the latest */
	size_t kept = runs->count < TUNE_RUNS_MAX ? runs->count : TUNE_RUNS_MAX;
	runs->times_s[runs->count++ % TUNE_RUNS_MAX] = time_s;
	kept = kept < TUNE_RUNS_MAX ? kept + 1 : kept;
	memcpy(sorted, runs->times_s, kept * sizeof *sorted);
	runs->median_s = had_failed || isinf(time_s) ? (double)INFINITY : tune_median(sorted, kept);
	runs->has_run = true;
	tuner->measured_count += is_first;
	tuner->failed_count += isinf(runs->median_s) && !had_failed;
	if ((is_first || was_cold) && !runs->is_cold && isfinite(runs->median_s))
		tune_teach(tuner, configuration);
	best_find(tuner, configuration);
	*tuner->is_seen = false;
	if (tuner->own.is_online)
		tune_online_counted(tuner, configuration, best_before);
	return PREDICTD_OK;
}

/* ---- how far it is ------------------------------------------------------------------------- */

void predictd_tuner_get(const predictd_tuner *tuner, predictd_tuned *tuned)
{
	const struct tune_outlook *outlook = tune_look(tuner);
	*tuned = (predictd_tuned){
	        .best = tuner->best,
	        .best_s = tuner->best == SIZE_MAX ? 0 : tuner->runs[tuner->best].median_s,
	        .measured_count = tuner->measured_count,
	        .failed_count = tuner->failed_count,
	        .gain_chance = outlook->chance,
	        .gain_expected = outlook->gain,
	        .is_over = tuner->online.is_settled ||
	                   (!outlook->is_searching && outlook->finalist == SIZE_MAX &&
	                    tuner->online.cold == SIZE_MAX),
	        .drift_count = tuner->online.drift_count};
}

void predictd_tuner_expected(const predictd_tuner *tuner, double *expected_s)
{
	for (size_t i = 0; i < tuner->own.configuration_count; i++) {
		const struct configuration_runs *runs = &tuner->runs[i];
		expected_s[i] = !tuner->is_able[i] ? (double)INFINITY
		                : runs->count > 0  ? runs->median_s
		                                   : exp(tune_model_mean(&tuner->model, i));
	}
}
