/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much longer a launch's first runs take than its later ones: programs, pages and threads are
 * made ready in them. Nobody asks for it of a launch that runs on, so that it must not be taken
 * for an error of the device's static estimates. Of the i-th run it is an i-th part of the
 * first one's (as recorded where 16 threads start: 0.16, 0.08, 0.05, 0.03).
 */
#include <math.h>

#include "model/correction/state.h"

enum {
	LATER_MIN = 2, /* runs after the first, to tell it from */
	CELLS_MIN = 3  /* launches */
};

/* From day to day launches move by half of that: what is less is no trait of the device. */
static const double EXCESS_MIN = 0.1;

/* Of a median of so few values: its standard deviation over that of one. */
static const double OF_MEDIAN = 1.4826 * 1.25;

/* A first run's excess, as ln, and by how much of it to go. */
struct excess {
	double first, believed;
};

/* Whether the runs kept are the first ones. */
static bool has_first(const struct correction_record *record)
{
	return record->runs == record->sample_count && record->samples[0].flags == 0;
}

/* By the middle one of the n runs after it, which is run (n + 3) / 2. */
static double first_excess(const struct correction_record *record)
{
	float later[CORRECTION_SAMPLES];
	uint32_t count = record->sample_count - 1;

	for (uint32_t i = 0; i < count; i++)
		later[i] = record->samples[i + 1].time_log;
	double above = (double)record->samples[0].time_log - floats_median(later, count);
	return above * (count + 3) / (count + 1);
}

/*
 * Of the launches of one duration (NOISE_BINS: of all), by their median: whole where it is well
 * beyond its own error and EXCESS_MIN, next to nothing below.
 */
static struct excess learn(const struct correction *c, const struct datum *data, uint32_t count,
                           unsigned bin)
{
	float values[EFFECT_CELLS];
	uint32_t found = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct correction_record *record = &c->cells[data[i].cell].record;

		if (has_first(record) && record->sample_count > LATER_MIN &&
		    (bin == NOISE_BINS || noise_bin(data[i].static_log) == bin))
			values[found++] = (float)first_excess(record);
	}
	if (found < CELLS_MIN)
		return (struct excess){0};
	double first = floats_median(values, found);
	for (uint32_t i = 0; i < found; i++)
		values[i] = fabsf(values[i] - (float)first);
	double error = OF_MEDIAN * floats_median(values, found) / sqrt(found);
	double square = first * first / (error * error + EXCESS_MIN * EXCESS_MIN);
	if (first <= 0)
		return (struct excess){0};
	return (struct excess){first, square * square / (1 + square * square)};
}

void take_off_excess(struct correction *c, struct datum *data, uint32_t count)
{
	struct excess all = learn(c, data, count, NOISE_BINS), of_bin[NOISE_BINS];

	for (unsigned bin = 0; bin < NOISE_BINS; bin++)
		of_bin[bin] = learn(c, data, count, bin);
	for (uint32_t i = 0; i < count; i++) {
		const struct correction_record *record = &c->cells[data[i].cell].record;
		const struct location *location = cell_location(c, data[i].cell);
		const struct excess *excess = &of_bin[noise_bin(data[i].static_log)];

		if (has_first(record))
			data[i].residual -=
			        excess->believed * excess->first * 2 / (record->sample_count + 1);
		/* where first runs are longer, so are others: the longest is not counted */
		data[i].residual += all.believed * (location->time_log - location->median_log);
	}
}
