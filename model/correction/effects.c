/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What many kernels say of a device: biases of what launches spend their time on; how far kernels
 * and runs scatter; and the quantiles of held-out scores that intervals are made of.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/correction/state.h"

enum {
	KERNELS_MIN = 3,    /* one alone says nothing of the device */
	NOISE_SAMPLES = 4,  /* runs that show a launch's noise */
	TAIL_DIVISIONS = 5, /* of what an interval leaves out, between below and above */
	CHANGES_MIN = 8     /* records, before effects are made anew: and a quarter of all */
};

/* What is worth how many: the calibration's own spread kernels, the noise of other durations
 * launches of one, a normal distribution scores. */
static const double PRIOR_KERNELS = 4, PRIOR_CELLS = 3, PRIOR_SCORES = 20;

static const double NOISE_PRIOR = 0.08, NOISE_MIN = 0.003;

/* Of a normal distribution; of launches never seen whose kernel was, and of runs: longer tails. */
static const double QUANTILE_NORMAL = 1.645, QUANTILE_UNSEEN = 2.5, QUANTILE_RUNS = 2.0;

/* As ln, how far launches lie from what they took before a pause: 95 %. */
static const double QUANTILE_VISIT = 0.05;

/* Of a class's scores, before there are any. */
static double quantile_before(unsigned class)
{
	if (class == SCORE_VISIT)
		return QUANTILE_VISIT;
	if (class == SCORE_COLD)
		return QUANTILE_NORMAL;
	return class < SCORE_ONE ? QUANTILE_UNSEEN : QUANTILE_RUNS;
}

void effects_init(struct effects *effects)
{
	*effects = (struct effects){.scale = 1};
	for (unsigned i = 0; i < NOISE_BINS; i++)
		effects->noise[i] = (float)NOISE_PRIOR;
	for (unsigned i = 0; i < SCORE_CLASSES; i++) {
		double quantile = quantile_before(i);
		effects->low[i] = (float)-quantile;
		effects->high[i] = (float)quantile;
	}
}

const struct effects *effects_of(const struct correction *c, uint32_t device, uint32_t reporter)
{
	if (reporter != NONE && c->reporters[reporter].effects.kernels > 0)
		return &c->reporters[reporter].effects;
	if (device != NONE && c->devices[device].has_shared)
		return &c->devices[device].shared;
	return &c->initial;
}

double effects_bias(const struct effects *effects, const struct correction_launch *launch)
{
	double bias = 0;

	for (unsigned i = 0; i < FEATURES; i++)
		bias += (double)effects->bias[i] * launch->share[i] / 255;
	return bias;
}

unsigned noise_bin(double time_log)
{
	double decade = floor(time_log / log(10) + 6); /* 0 from 1 us on */

	return decade < 0 ? 0 : decade > NOISE_BINS - 1 ? NOISE_BINS - 1 : (unsigned)decade;
}

double effects_noise(const struct effects *effects, double time_log)
{
	return (double)effects->noise[noise_bin(time_log)];
}

/* ---- a user's records ------------------------------------------------------------------------ */

static int by_group(const void *a, const void *b)
{
	const struct datum *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->cell > y->cell) - (x->cell < y->cell);
}

/* The newest records of a reporter, so many of a kernel at most. Returns their number, or one more
 * than EFFECT_CELLS. */
static uint32_t take(struct correction *c, uint32_t reporter, uint32_t most, uint32_t *cells)
{
	uint32_t count = 0, left = EFFECT_VISITS;

	for (uint32_t i = c->reporters[reporter].newest; i != NONE && left-- > 0;
	     i = c->cells[i].older)
		c->groups[c->cells[i].group].taken = 0;
	left = EFFECT_VISITS;
	for (uint32_t i = c->reporters[reporter].newest; i != NONE && left-- > 0;
	     i = c->cells[i].older) {
		struct group *group = &c->groups[c->cells[i].group];
		if (group->taken == most)
			continue;
		if (count == EFFECT_CELLS)
			return count + 1;
		group->taken++;
		cells[count++] = i;
	}
	return count;
}

/* The newest records of a reporter, fewer of each kernel where there are more than fit: kernels
 * say more of a device than launches of one do. Returns the number of kernels. */
static uint32_t collect(struct correction *c, uint32_t reporter, struct datum *data,
                        uint32_t *count)
{
	uint32_t cells[EFFECT_CELLS], kernels = 0, most = CORRECTION_LAUNCHES;

	*count = take(c, reporter, most, cells);
	while (*count > EFFECT_CELLS && most > 1) {
		most /= 2;
		*count = take(c, reporter, most, cells);
	}
	if (*count > EFFECT_CELLS)
		*count = EFFECT_CELLS;
	for (uint32_t j = 0; j < *count; j++) {
		uint32_t i = cells[j];
		const struct correction_launch *launch = &c->cells[i].record.launch;
		const struct location *location = cell_location(c, i);

		data[j] = (struct datum){
		        .cell = i,
		        .group = c->cells[i].group,
		        .residual = location->median_log - (double)launch->static_log,
		        .deviation = (double)launch->static_sd,
		        .static_log = (double)launch->static_log,
		        .first = (double)c->cells[i].record.samples[0].time_log -
		                 location->median_log,
		        .share = launch->share,
		};
	}
	qsort(data, *count, sizeof(*data), by_group);
	for (uint32_t i = 0, end; i < *count; i = end) {
		for (end = i + 1; end < *count && data[end].group == data[i].group;)
			end++;
		for (uint32_t j = i; j < end; j++)
			data[j].weight = 1.0 / (end - i);
		kernels++;
	}
	return kernels;
}

/* ---- spread, noise, quantiles --------------------------------------------------------------- */

/* How far kernels lie from what the others of the device say. */
static void fill_scale(struct effects *effects, struct datum *data, uint32_t count,
                       uint32_t kernels, float *scores, uint32_t *score_count)
{
	double sum = PRIOR_KERNELS;

	for (uint32_t i = 0; i < count; i++) {
		data[i].error /= data[i].deviation;
		sum += data[i].weight * fmin(data[i].error * data[i].error, 9);
	}
	effects->scale = (float)(sum / (PRIOR_KERNELS + kernels));
	/* who asks of a launch that never ran will see its first run */
	for (uint32_t i = 0; i < count && *score_count < SCORES_MAX; i++) {
		double noise = effects_noise(effects, data[i].static_log);
		double error = data[i].error * data[i].deviation + data[i].first;
		double variance = (double)effects->scale * data[i].deviation * data[i].deviation;
		scores[(*score_count)++] = (float)(error / sqrt(variance + noise * noise));
	}
}

/* About one launch's location, by its runs since the last shift of the device; 0: too few. */
static double sample_noise(const struct cell *cell, uint32_t since_s)
{
	const struct correction_sample *samples = cell->record.samples;
	float deviations[CORRECTION_SAMPLES];
	uint32_t count = 0;

	for (uint32_t i = 0; i < cell->record.sample_count; i++)
		if (samples[i].at_s > since_s || since_s == 0)
			deviations[count++] = (float)fabs((double)samples[i].time_log -
			                                  cell->location.median_log);
	if (count < NOISE_SAMPLES || samples[0].flags != 0)
		return 0;
	floats_sort(deviations, count);
	return fmax(NOISE_MIN, 1.4826 * (double)deviations[count / 2]);
}

static void fill_noise(struct correction *c, struct effects *effects, const struct datum *data,
                       uint32_t count)
{
	double sums[NOISE_BINS] = {0}, counts[NOISE_BINS] = {0};
	double sum = PRIOR_CELLS * log(NOISE_PRIOR), total = PRIOR_CELLS;

	for (uint32_t i = 0; i < count; i++) {
		const struct cell *cell = &c->cells[data[i].cell];
		double noise =
		        sample_noise(cell, drift_since_s(&c->reporters[cell->reporter].drift));
		if (noise <= 0)
			continue;
		noise = log(noise);
		unsigned bin = noise_bin((double)cell->record.launch.static_log);
		sums[bin] += noise;
		counts[bin]++;
		sum += noise;
		total++;
	}
	for (unsigned i = 0; i < NOISE_BINS; i++)
		effects->noise[i] = (float)exp((sums[i] + PRIOR_CELLS * sum / total) /
		                               (counts[i] + PRIOR_CELLS));
}

/*
 * The conformal interval: of n held-out scores it leaves out a tenth of n + 1, weighed against the
 * prior's. What disturbs a run makes it longer, so the tails are no mirror images: of a few
 * ways to divide the tenth between both, the shortest (Lei, Robins, Wasserman, JASA 108, 2013).
 */
static void fill_quantiles(struct effects *effects, unsigned class, float *scores, uint32_t count)
{
	double prior = quantile_before(class);
	double low = -prior, high = prior;
	unsigned divisions = class == SCORE_VISIT ? 1 : (unsigned)TAIL_DIVISIONS;

	floats_sort(scores, count);
	for (unsigned i = 0; i < divisions && count > 0; i++) {
		double below = (i + 0.5) / divisions;
		uint32_t first = (uint32_t)fmax(1, 0.1 * below * (count + 1));
		uint32_t last = (uint32_t)fmax(1, 0.1 * (1 - below) * (count + 1));
		double from = fmin((double)scores[first - 1], 0);
		double to = fmax((double)scores[count - last], 0);
		if (i == 0 || to - from < high - low) {
			low = from;
			high = to;
		}
	}
	effects->low[class] =
	        (float)((PRIOR_SCORES * -prior + count * low) / (PRIOR_SCORES + count));
	effects->high[class] =
	        (float)((PRIOR_SCORES * prior + count * high) / (PRIOR_SCORES + count));
}

/*
 * More runs of a launch never widen: where a class's interval is wider than that of fewer
 * runs, both take the mean of their widths (adjacent violators pooled).
 */
static void make_monotone(struct effects *effects)
{
	float widths[SCORE_CLASSES];

	for (unsigned i = SCORE_ONE; i < SCORE_RUNS; i++) {
		double sum = 0;
		unsigned start = i + 1;

		widths[i] = effects->high[i] - effects->low[i];
		do
			sum += (double)widths[--start];
		while (start > SCORE_ONE && (double)widths[start - 1] * (i - start + 1) < sum);
		for (unsigned j = start; j <= i; j++)
			widths[j] = (float)(sum / (i - start + 1));
	}
	for (unsigned i = SCORE_ONE; i < SCORE_RUNS; i++) {
		float factor = widths[i] / fmaxf(effects->high[i] - effects->low[i], 1e-6F);

		effects->low[i] *= factor;
		effects->high[i] *= factor;
	}
}

/* is_first: as though nobody had shared anything. */
static void make_effects(struct correction *c, uint32_t reporter, bool is_first,
                         struct effects *effects)
{
	struct datum data[EFFECT_CELLS];
	const struct device_state *device = &c->devices[c->reporters[reporter].device];
	const struct effects *prior =
	        device->has_shared && !is_first ? &device->shared : &c->initial;
	float *scores[SCORE_CLASSES];
	uint32_t counts[SCORE_CLASSES] = {0}, count;
	uint32_t kernels = collect(c, reporter, data, &count);

	effects_init(effects);
	if (count == 0)
		return;
	for (unsigned i = 0; i < SCORE_CLASSES; i++)
		scores[i] = c->scratch + i * SCORES_MAX;
	memcpy(effects->bias, prior->bias, sizeof(effects->bias));
	take_off_excess(c, data, count);
	if (kernels >= KERNELS_MIN)
		regress(data, count, prior->bias, effects->bias);
	fill_noise(c, effects, data, count);
	for (uint32_t i = 0; i < count; i++)
		cell_scores(c, data[i].cell, scores, counts);
	for (unsigned i = SCORE_ONE; i < SCORE_CLASSES; i++)
		fill_quantiles(effects, i, scores[i], counts[i]);
	make_monotone(effects);
	for (uint32_t i = 0; i < count; i++)
		if (i == 0 || data[i].group != data[i - 1].group)
			view_scores(view_fresh(c, data[i].group, reporter), effects, scores,
			            counts);
	for (unsigned i = SCORE_KERNEL_ONE; i < SCORE_ONE; i++)
		fill_quantiles(effects, i, scores[i], counts[i]);
	if (kernels >= KERNELS_MIN)
		fill_scale(effects, data, count, kernels, scores[SCORE_COLD], &counts[SCORE_COLD]);
	fill_quantiles(effects, SCORE_COLD, scores[SCORE_COLD], counts[SCORE_COLD]);
	effects->kernels = (float)kernels;
}

/* Number by number the median of users; the daemon's own where there are too few. */
static void make_shared(struct correction *c, uint32_t index)
{
	struct device_state *device = &c->devices[index];
	const struct effects *each[CORRECTION_USERS];
	float values[CORRECTION_USERS];
	float *result = (float *)&device->shared;
	uint32_t count = 0, own = NONE;

	for (uint32_t i = 0; i < CORRECTION_USERS; i++) {
		const struct reporter *reporter = &c->reporters[i];
		if (!reporter->is_used || reporter->device != index ||
		    reporter->effects.kernels <= 0)
			continue;
		if (reporter->uid == CORRECTION_UID_DAEMON)
			own = i;
		each[count++] = &reporter->effects;
	}
	device->has_daemon = own != NONE;
	device->has_shared = count >= CORRECTION_AGREEMENT || own != NONE;
	if (count < CORRECTION_AGREEMENT && own != NONE) {
		device->shared = c->reporters[own].effects;
		return;
	}
	for (unsigned i = 0; i < EFFECT_COUNT && device->has_shared; i++) {
		bool is_one = true; /* as of work that nobody's kernels do */
		for (uint32_t j = 0; j < count; j++) {
			values[j] = ((const float *)each[j])[i];
			is_one = is_one && values[j] == values[0];
		}
		if (!is_one)
			floats_sort(values, count);
		result[i] = values[(count - 1) / 2];
	}
}

static void remake(struct correction *c, uint32_t index, bool is_first)
{
	struct reporter *reporter = &c->reporters[index];
	struct effects effects;

	make_effects(c, index, is_first, &effects);
	reporter->effects = effects;
	reporter->changes = 0;
	reporter->version++;
}

void effects_refresh(struct correction *c, uint32_t index)
{
	struct reporter *reporter = &c->reporters[index];
	struct device_state *device = &c->devices[reporter->device];

	if (reporter->effects.kernels > 0 &&
	    reporter->changes < CHANGES_MIN + reporter->cell_count / 4)
		return;
	remake(c, index, false);
	if (!device_may_share(device) && !device->has_shared)
		return;
	make_shared(c, reporter->device);
	device->version++;
}

/* Who has records on a device some of whose records changed. */
static bool is_stale(const struct correction *c, uint32_t index)
{
	return c->reporters[index].is_used && !site_is(c, index) &&
	       c->settling.is_stale[c->reporters[index].device];
}

void correction_settle_begin(struct correction *c)
{
	struct settling *settling = &c->settling;

	settling->index = 0;
	settling->round = SETTLE_ROUNDS;
	for (uint32_t i = 0; i < CORRECTION_USERS; i++)
		if (c->reporters[i].is_used && c->reporters[i].changes > 0) {
			settling->is_stale[c->reporters[i].device] = true;
			settling->round = 0;
		}
}

/* Users one by one, then what they share; twice, since effects rest on those before them: on
 * the noise that locates runs, and on what users share. From the same beginning, so that the
 * records alone decide. */
bool correction_settle_step(struct correction *c)
{
	struct settling *settling = &c->settling;

	if (settling->round == SETTLE_ROUNDS)
		return false;
	while (settling->index < CORRECTION_USERS && !is_stale(c, settling->index))
		settling->index++;
	if (settling->index < CORRECTION_USERS) {
		struct reporter *reporter = &c->reporters[settling->index];
		if (settling->round == 0) {
			effects_init(&reporter->effects);
			reporter->version++;
		}
		remake(c, settling->index++, settling->round == 0);
		return true;
	}
	settling->index = 0;
	settling->round++;
	for (uint32_t i = 0; i < c->device_count; i++)
		if (settling->is_stale[i]) {
			make_shared(c, i);
			c->devices[i].version++;
			settling->is_stale[i] = settling->round < SETTLE_ROUNDS;
		}
	return settling->round < SETTLE_ROUNDS;
}

void correction_settle(struct correction *c)
{
	correction_settle_begin(c);
	while (correction_settle_step(c))
		continue;
}
