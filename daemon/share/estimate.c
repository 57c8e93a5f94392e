/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/share/estimate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void estimate_init(struct estimate *estimate)
{
	estimate->node[0] = '\0';
	estimate->node_count = estimate->observer_count = 0;
	estimate->runs = 0;
}

static int by_time(const void *a, const void *b)
{
	const struct node_word *x = a, *y = b;
	return (x->time_log > y->time_log) - (x->time_log < y->time_log);
}

/* The lower one of two in the middle: what disturbs a run makes it longer. */
static struct node_word *middle_of(struct node_word *words, size_t count)
{
	qsort(words, count, sizeof *words, by_time);
	return &words[(count - 1) / 2];
}

static void end_node(struct estimate *estimate)
{
	if (estimate->observer_count > 0 && estimate->node_count < ESTIMATE_NODES_MAX)
		estimate->nodes[estimate->node_count++] =
		        *middle_of(estimate->observers, estimate->observer_count);
	estimate->observer_count = 0;
}

static int by_value(const void *a, const void *b)
{
	const float *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* The median of undisturbed runs; false: there is none. */
static bool word_of(const struct correction_record *record, struct node_word *word)
{
	float times[CORRECTION_SAMPLES];
	size_t count = 0;
	for (uint32_t i = 0; i < record->sample_count; i++)
		if (record->samples[i].flags == 0 && isfinite(record->samples[i].time_log))
			times[count++] = record->samples[i].time_log;
	if (count == 0)
		return false;
	qsort(times, count, sizeof times[0], by_value);
	*word = (struct node_word){.time_log = times[(count - 1) / 2],
	                           .at_s = record->samples[record->sample_count - 1].at_s,
	                           .launch = record->launch};
	return true;
}

void estimate_add(struct estimate *estimate, const char *node,
                  const struct correction_record *record)
{
	if (strcmp(estimate->node, node) != 0) {
		end_node(estimate);
		(void)snprintf(estimate->node, sizeof estimate->node, "%s", node);
	}
	struct node_word word;
	if (estimate->observer_count == ESTIMATE_OBSERVERS_MAX || !word_of(record, &word))
		return;
	estimate->observers[estimate->observer_count++] = word;
	estimate->runs += record->runs;
}

uint32_t estimate_finish(struct estimate *estimate, uint32_t agreement,
                         struct correction_record *record)
{
	end_node(estimate);
	size_t count = estimate->node_count;
	if (count == 0 || count < agreement)
		return (uint32_t)count;
	const struct node_word *middle = middle_of(estimate->nodes, count);
	size_t kept = count < CORRECTION_SAMPLES ? count : CORRECTION_SAMPLES;
	uint32_t newest = 0;
	record->launch = middle->launch;
	record->launch.epoch = 0; /* of other coefficients than this node's */
	record->runs = estimate->runs;
	record->sample_count = (uint32_t)kept;
	for (size_t i = 0; i < count; i++)
		if (estimate->nodes[i].at_s > newest)
			newest = estimate->nodes[i].at_s;
	for (size_t i = 0; i < kept; i++) {
		const struct node_word *word =
		        &estimate->nodes[kept == 1 ? 0 : i * (count - 1) / (kept - 1)];
		record->samples[i] =
		        (struct correction_sample){.time_log = word->time_log, .at_s = newest};
	}
	return (uint32_t)count;
}
