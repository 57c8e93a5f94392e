/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runs of one launch by one user as one location: the mean of those near their median.
 * Whatever falls outside the gate - a hiccup, a hundredfold liar - counts nothing.
 */
#include <math.h>
#include <string.h>

#include "model/correction_state.h"

/* A run is near within so many standard deviations. */
static const double GATE = 3;

/* Of a normal distribution: its standard deviation over its median absolute deviation. */
static const double OF_MEDIAN_DEVIATION = 1.4826;

/* Runs that the expected noise is worth beside a launch's own. */
static const double NOISE_RUNS = 4;

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

/* The lower of two in the middle: what disturbs a run makes it longer. */
static double median_of(float *values, uint32_t count)
{
	floats_sort(values, count);
	return (double)values[(count - 1) / 2];
}

void locate(const struct correction_sample *samples, uint32_t count, double noise,
            const struct drift *drift, struct location *location)
{
	float values[CORRECTION_SAMPLES], sorted[CORRECTION_SAMPLES];
	double weight = 0, sum = 0, squares = 0;
	bool is_clean = samples[0].flags == 0;

	for (uint32_t i = 0; i < count; i++) {
		values[i] =
		        (float)((double)samples[i].time_log - drift_level(drift, samples[i].at_s));
		sorted[i] = values[i];
	}
	double median = median_of(sorted, count);
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = fabsf(values[i] - (float)median);
	double near = GATE * fmax(noise, OF_MEDIAN_DEVIATION * median_of(sorted, count));
	for (uint32_t i = 0; i < count; i++) {
		double age = (double)samples[count - 1].at_s - (double)samples[i].at_s;
		double deviation = (double)values[i] - median;
		double w = age > 0 ? exp2(-age / HALF_LIFE_S) : 1;

		if (fabs(deviation) > near)
			continue;
		weight += w;
		sum += w * deviation;
		squares += w * deviation * deviation;
	}
	double mean = sum / weight;
	double within = fmax(0, squares - weight * mean * mean);
	location->time_log = median + mean;
	location->spread =
	        sqrt((NOISE_RUNS * noise * noise + within) / (NOISE_RUNS + fmax(0, weight - 1)));
	location->variance = location->spread * location->spread / weight;
	location->count = weight;
	if (!is_clean) {
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
	       &cell->location);
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
		locate(samples, i, noise, &reporter->drift, &location);
		double next = (double)samples[i].time_log -
		              drift_level(&reporter->drift, samples[i].at_s);
		double deviation = sqrt(location.variance + location.spread * location.spread);
		if (counts[class] < SCORES_MAX)
			scores[class][counts[class]++] =
			        (float)((next - location.time_log) / deviation);
	}
}
