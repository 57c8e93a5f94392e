/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drift: a device whose times shift, by throttling or a new driver. Two cumulative sums of
 * standardised residuals of launches known well (Page, Biometrika 41, 1954) notice it;
 * then a regime begins, whose level is the median of the residuals since. Answers of launches
 * not measured since are widened by the shift; where they are measured, runs of before weigh
 * little.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "model/correction/state.h"

/* A residual counts by what it is beyond a deviation; ten together are no accident. */
static const double SLACK = 1, ALARM = 10, RESIDUAL_MAX = 4;

/* Less is nobody's concern, and the end of a drift. */
static const double LEVEL_MIN = 0.05;

/* What a run of before is worth beside one since: a few new ones decide. */
static const double BEFORE_WEIGHT = 0.2;

enum {
	RECENT_MAX = sizeof(((struct drift *)0)->recent) / sizeof(double),
	KERNELS_MIN = 3 /* that agree, where so many are known */
};

static double level_now(const struct drift *drift)
{
	return drift->regime_count > 0 ? (double)drift->regimes[drift->regime_count - 1].level : 0;
}

double drift_weight(const struct drift *drift, uint32_t at_s, uint32_t newest_s)
{
	double weight = 1;

	for (uint32_t i = 0; i < drift->regime_count; i++)
		if (at_s <= drift->regimes[i].since_s && drift->regimes[i].since_s < newest_s)
			weight *= BEFORE_WEIGHT;
	return weight;
}

double drift_shift(const struct drift *drift, uint32_t at_s)
{
	double level = 0;

	for (uint32_t i = 0; i < drift->regime_count; i++)
		if (drift->regimes[i].since_s < at_s)
			level = (double)drift->regimes[i].level;
	return level_now(drift) - level;
}

uint32_t drift_since_s(const struct drift *drift)
{
	return drift->regime_count > 0 ? drift->regimes[drift->regime_count - 1].since_s : 0;
}

double drift_deviation(const struct drift *drift, uint32_t at_s)
{
	return at_s <= drift_since_s(drift) ? fabs(drift_shift(drift, at_s)) : 0;
}

bool drift_is_on(const struct drift *drift)
{
	return fabs(level_now(drift)) >= LEVEL_MIN;
}

static void sum_step(struct drift_sum *sum, double excess, uint32_t at_s, uint64_t bit)
{
	if (sum->value <= 0)
		*sum = (struct drift_sum){.since_s = at_s};
	sum->value = fmax(0, sum->value + excess);
	sum->runs++;
	sum->kernels |= bit;
}

/* The median of the residuals since then. */
static double shift_since(const struct drift *drift, const struct drift_sum *sum)
{
	float values[RECENT_MAX];
	uint32_t count = sum->runs < RECENT_MAX ? sum->runs : RECENT_MAX;

	for (uint32_t i = 0; i < count; i++)
		values[i] = (float)drift->recent[(drift->recent_count - 1 - i) % RECENT_MAX];
	floats_sort(values, count);
	return (double)values[count / 2];
}

static void regime_begin(struct drift *drift, uint32_t since_s, double level)
{
	if (drift->regime_count == REGIMES_MAX) {
		memmove(drift->regimes, drift->regimes + 1,
		        (REGIMES_MAX - 1) * sizeof(*drift->regimes));
		drift->regime_count--;
	}
	drift->regimes[drift->regime_count++] =
	        (struct regime){.since_s = since_s, .level = (float)level};
	drift->runs = 0;
	drift->recent_count = 0;
	drift->up = drift->down = (struct drift_sum){0};
}

static bool is_alarm(const struct drift_sum *sum, int agree)
{
	return sum->value > ALARM && __builtin_popcountll(sum->kernels) >= agree;
}

bool drift_add(struct drift *drift, uint64_t kernel, double residual, double deviation,
               uint32_t at_s, uint32_t kernels)
{
	double z = fmax(-RESIDUAL_MAX, fmin(RESIDUAL_MAX, residual / deviation));
	uint64_t bit = (uint64_t)1 << ((kernel * 0x9e3779b97f4a7c15u) >> 58);
	int agree = kernels < KERNELS_MIN ? (int)kernels : KERNELS_MIN;

	if (at_s < drift->latest_s) /* reported late: of times before */
		return false;
	if (at_s - drift->latest_s > VISIT_S) /* what shifted did so in the pause */
		drift->up = drift->down = (struct drift_sum){0};
	drift->latest_s = at_s;
	drift->runs++;
	drift->recent[drift->recent_count++ % RECENT_MAX] = residual;
	sum_step(&drift->up, z - SLACK, at_s, bit);
	sum_step(&drift->down, -z - SLACK, at_s, bit);
	bool is_up = is_alarm(&drift->up, agree);
	if (!is_up && !is_alarm(&drift->down, agree))
		return false;
	const struct drift_sum *sum = is_up ? &drift->up : &drift->down;
	uint32_t since_s = sum->since_s;
	double shift = shift_since(drift, sum);
	if (fabs(shift) < LEVEL_MIN) { /* noise that is larger than was known, but no shift */
		drift->up = drift->down = (struct drift_sum){0};
		return false;
	}
	double level = level_now(drift) + shift;
	/* back to what it was, as far as a few runs can tell */
	bool is_back = fabs(level) < fmax(LEVEL_MIN, fabs(shift) / 4);
	regime_begin(drift, since_s, is_back ? 0 : level);
	return true;
}

/* ---- what people are told ------------------------------------------------------------------- */

bool correction_drift(const struct correction *c, uint64_t device_key,
                      char sentence[CORRECTION_SENTENCE_MAX])
{
	uint32_t device = device_find(c, device_key, CORRECTION_OF_KERNEL), drifting = 0, all = 0;
	const struct drift *most = NULL;

	sentence[0] = '\0';
	for (uint32_t i = 0; i < CORRECTION_USERS && device != NONE; i++) {
		const struct reporter *reporter = &c->reporters[i];
		if (!reporter->is_used || reporter->device != device || site_is(c, i))
			continue;
		all++;
		if (!drift_is_on(&reporter->drift))
			continue;
		drifting++;
		if (most == NULL || reporter->drift.runs > most->runs)
			most = &reporter->drift;
	}
	if (most == NULL || 2 * drifting < all) /* one user's word is not everybody's */
		return false;
	double level = level_now(most);
	time_t since = (time_t)most->regimes[most->regime_count - 1].since_s;
	struct tm tm;
	char when[32] = "";
	if (gmtime_r(&since, &tm) != NULL)
		(void)strftime(when, sizeof(when), "%Y-%m-%d %H:%M", &tm);
	(void)snprintf(sentence, CORRECTION_SENTENCE_MAX,
	               "times %s by %.0f %% at %s UTC (%u runs since)", level > 0 ? "rose" : "fell",
	               100 * fabs(expm1(level)), when, most->runs);
	return true;
}
