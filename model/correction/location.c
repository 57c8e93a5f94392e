/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runs of one launch by one user as one location: the median of all but the longest, and the
 * spread of those near it. What falls outside the gate - a hiccup, a hundredfold liar - widens
 * nothing.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "model/correction/state.h"

/* A run is near within so many standard deviations. */
static const double GATE = 3;

/* Of a normal distribution: its standard deviation over its median absolute deviation. */
static const double OF_MEDIAN_DEVIATION = 1.4826;

/* Variance of a median over that of a mean: between 1 and pi / 2 for few. */
static const double OF_MEDIAN_VARIANCE = 1.35;

/* Runs that the expected noise is worth beside a launch's own. */
static const double NOISE_RUNS = 2;

/* A disturbed run is worth that share of a clean one, and may be off by so much. */
static const double DISTURBED_COUNT = 0.5, DISTURBED_DEVIATION = 0.3;

/* A run counts half as much after 30 days, compared with the newest. */
static const double HALF_LIFE_S = 30 * 86400.0;

void floats_sort(float *values, uint32_t count)
{
	for (uint32_t gap = count / 2; gap > 0; gap /= 2) /* Shell's: no recursion, no pointers */
		for (uint32_t i = gap; i < count; i++) {
			float value = values[i];
			uint32_t j = i;

			for (; j >= gap && values[j - gap] > value; j -= gap)
				values[j] = values[j - gap];
			values[j] = value;
		}
}

double floats_median(float *values, uint32_t count)
{
	floats_sort(values, count);
	return ((double)values[(count - 1) / 2] + (double)values[count / 2]) / 2;
}

struct value {
	float time_log, weight;
};

/* By insertion: they are few, and nearly sorted where a device is steady. */
static void values_sort(struct value *values, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		struct value value = values[i];
		uint32_t j = i;

		for (; j > 0 && values[j - 1].time_log > value.time_log; j--)
			values[j] = values[j - 1];
		values[j] = value;
	}
}

/*
 * Their weighted median. Between two in the middle it is their mean where they are near,
 * else the lower one: what disturbs a run makes it longer.
 */
static double weighted_median(const struct value *values, uint32_t count, double total, double near)
{
	double sum = 0;
	uint32_t i = 0;

	while (i + 1 < count && sum + (double)values[i].weight < total / 2 * (1 - 1e-6))
		sum += (double)values[i++].weight;
	double low = (double)values[i].time_log;
	bool is_between = sum + (double)values[i].weight < total / 2 * (1 + 1e-6);
	double high = is_between && i + 1 < count ? (double)values[i + 1].time_log : low;
	return high - low < near ? (low + high) / 2 : low;
}

/*
 * First runs, and what others do meanwhile, only make a run longer: the next ones are nearer to the
 * median of all but the longest. Its share of so many runs.
 */
static double part_counted(uint32_t count)
{
	return count > 1 ? 1 - 1.0 / count : 1;
}

void locate(const struct correction_sample *samples, uint32_t count, double noise,
            const struct drift *drift, double static_log, struct location *location)
{
	struct value values[CORRECTION_SAMPLES], deviations[CORRECTION_SAMPLES];
	double total = 0, weight = 0, squares = 0;

	assert(count > 0);
	for (uint32_t i = 0; i < count; i++) {
		double age = (double)samples[count - 1].at_s - (double)samples[i].at_s;
		values[i].time_log = samples[i].time_log;
		values[i].weight =
		        (float)drift_weight(drift, samples[i].at_s, samples[count - 1].at_s);
		if (age > 0)
			values[i].weight *= (float)exp2(-age / HALF_LIFE_S);
		total += (double)values[i].weight;
	}
	values_sort(values, count);
	double median = weighted_median(values, count, total, GATE * noise);
	double lower = weighted_median(values, count, total * part_counted(count), GATE * noise);
	for (uint32_t i = 0; i < count; i++) {
		deviations[i] = values[i];
		deviations[i].time_log = fabsf(values[i].time_log - (float)median);
	}
	values_sort(deviations, count);
	double usual = OF_MEDIAN_DEVIATION * weighted_median(deviations, count, total, 0);
	double near = GATE * fmax(noise, usual);
	for (uint32_t i = 0; i < count; i++) {
		double deviation = (double)values[i].time_log - median;

		if (fabs(deviation) > near)
			continue;
		weight += (double)values[i].weight;
		squares += (double)values[i].weight * deviation * deviation;
	}
	location->median_log = median;
	location->time_log = median - lower <= near ? lower : median;
	location->spread =
	        sqrt((NOISE_RUNS * noise * noise + squares) / (NOISE_RUNS + fmax(0, weight - 1)));
	/* of a median, asymptotically, more than of a mean */
	location->variance = location->spread * location->spread *
	                     (weight > 1.5 ? OF_MEDIAN_VARIANCE : 1) / weight;
	location->count = weight;
	if (samples[0].flags != 0) {
		/* a first run may hold the compiler's time, an overlapped one another's: what is
		 * longer than expected is believed step by step, as it comes again */
		location->time_log = fmin(location->time_log,
		                          static_log + DISTURBED_DEVIATION * fmax(1, weight));
		location->variance += DISTURBED_DEVIATION * DISTURBED_DEVIATION;
		location->count = fmin(weight, DISTURBED_COUNT);
	}
}

const struct location *cell_location(struct correction *c, uint32_t index)
{
	struct cell *cell = &c->cells[index];
	const struct reporter *reporter = &c->reporters[cell->reporter];

	if (cell->version == reporter->version)
		return &cell->location;
	const struct effects *effects = effects_of(c, reporter->device, cell->reporter);
	double noise = effects_noise(effects, (double)cell->record.launch.static_log);
	locate(cell->record.samples, cell->record.sample_count, noise, &reporter->drift,
	       (double)cell->record.launch.static_log, &cell->location);
	cell->version = reporter->version;
	return &cell->location;
}

enum score_class score_class_of(double count)
{
	if (count < 1.5)
		return SCORE_ONE;
	if (count < 3.5)
		return SCORE_FEW;
	return count < 9.5 ? SCORE_SOME : SCORE_MANY;
}

void cell_scores(const struct correction *c, uint32_t index, float *scores[SCORE_CLASSES],
                 uint32_t counts[SCORE_CLASSES])
{
	const struct cell *cell = &c->cells[index];
	const struct reporter *reporter = &c->reporters[cell->reporter];
	const struct correction_sample *samples = cell->record.samples;
	const struct effects *effects = effects_of(c, reporter->device, cell->reporter);
	double noise = effects_noise(effects, (double)cell->record.launch.static_log);
	struct location location;

	if (samples[0].flags != 0)
		return;
	for (uint32_t i = 1; i < cell->record.sample_count; i++) {
		enum score_class class = score_class_of(i);
		locate(samples, i, noise, &reporter->drift, (double)cell->record.launch.static_log,
		       &location);
		double next = (double)samples[i].time_log;
		double deviation = sqrt(location.variance + location.spread * location.spread);
		double score = (next - location.time_log) / deviation;
		if (samples[i].at_s - samples[i - 1].at_s > VISIT_S) {
			class = SCORE_VISIT;
			score = next - location.time_log;
		}
		if (counts[class] < SCORES_MAX)
			scores[class][counts[class]++] = (float)score;
	}
}

uint32_t reporter_latest_s(const struct correction *c, uint32_t index)
{
	uint32_t newest = c->reporters[index].newest;

	if (newest == NONE)
		return 0;
	const struct correction_record *record = &c->cells[newest].record;
	return record->samples[record->sample_count - 1].at_s;
}
