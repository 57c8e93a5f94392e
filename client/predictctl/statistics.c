/* SPDX-License-Identifier: Apache-2.0 */
/* How good predictions are. */
#include "client/predictctl/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double histogram_edges[HISTOGRAM_BINS] = {0,   0.2, 0.4, 0.6, 0.7, 0.8,
                                                0.9, 1.0, 1.1, 1.3, 1.5, 2.0};

static int compare_doubles(const void *left, const void *right)
{
	const double *a = left, *b = right;
	return (*a > *b) - (*a < *b);
}

double median_of(double *values, size_t count)
{
	if (count == 0)
		return nan("");
	qsort(values, count, sizeof *values, compare_doubles);
	return count % 2 == 1 ? values[count / 2]
	                      : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

struct ranked {
	double value;
	size_t index;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	return (a->value > b->value) - (a->value < b->value);
}

/* Ranks from 1, equal values share the mean of theirs. */
static void ranks_fill(const double *values, size_t count, struct ranked *room, double *ranks)
{
	for (size_t i = 0; i < count; i++)
		room[i] = (struct ranked){values[i], i};
	qsort(room, count, sizeof *room, compare_ranked);
	for (size_t i = 0; i < count;) {
		size_t end = i + 1;
		while (end < count && !(room[end].value > room[i].value))
			end++;
		for (size_t j = i; j < end; j++)
			ranks[room[j].index] = 0.5 * (double)(i + 1 + end);
		i = end;
	}
}

bool spearman(const double *x, const double *y, size_t count, double *result)
{
	struct ranked *room = calloc(count + 1, sizeof *room);
	double *ranks = calloc(2 * count + 1, sizeof *ranks);
	*result = nan("");
	if (room == NULL || ranks == NULL) {
		free(room);
		free(ranks);
		return false;
	}
	ranks_fill(x, count, room, ranks);
	ranks_fill(y, count, room, ranks + count);
	double mean = 0.5 * ((double)count + 1), xy = 0, xx = 0, yy = 0;
	for (size_t i = 0; i < count; i++) {
		double a = ranks[i] - mean, b = ranks[count + i] - mean;
		xy += a * b;
		xx += a * a;
		yy += b * b;
	}
	if (xx > 0 && yy > 0)
		*result = xy / sqrt(xx * yy);
	free(room);
	free(ranks);
	return true;
}

static double ratio_of(const struct comparison *comparison)
{
	return comparison->predicted_s / comparison->measured_s;
}

/* room: as many doubles as comparisons */
static struct accuracy accuracy_compute(const struct comparison *comparisons, size_t count,
                                        bool large_only, double *room)
{
	struct accuracy accuracy = {0, nan(""), nan(""), nan(""), nan("")};
	size_t within30 = 0, within15 = 0;
	double sum = 0;
	for (size_t i = 0; i < count; i++) {
		if (large_only && !comparisons[i].is_large)
			continue;
		double ratio = ratio_of(&comparisons[i]), error = fabs(ratio - 1);
		/* a hair's breadth for ratios that decimal input cannot hit exactly */
		within30 += error <= 0.3 + 1e-12;
		within15 += ratio <= 1.5 + 1e-12 && ratio >= 1 / 1.5 - 1e-12;
		sum += error;
		room[accuracy.count++] = error;
	}
	if (accuracy.count == 0)
		return accuracy;
	double n = (double)accuracy.count;
	accuracy.within30 = (double)within30 / n;
	accuracy.within15 = (double)within15 / n;
	accuracy.mean_error = sum / n;
	accuracy.median_error = median_of(room, accuracy.count);
	return accuracy;
}

bool score_compute(const struct comparison *comparisons, size_t count, struct score *score)
{
	*score = (struct score){.spearman = nan(""), .coverage = nan(""), .median_width = nan("")};
	double *room = calloc(2 * count + 1, sizeof *room);
	if (room == NULL)
		return false;
	score->all = accuracy_compute(comparisons, count, false, room);
	score->large = accuracy_compute(comparisons, count, true, room);
	size_t covered = 0;
	for (size_t i = 0; i < count; i++) {
		const struct comparison *one = &comparisons[i];
		double ratio = ratio_of(one);
		size_t bin = HISTOGRAM_BINS - 1;
		while (bin > 0 && ratio < histogram_edges[bin])
			bin--;
		score->histogram[bin]++;
		covered += one->measured_s >= one->low_s && one->measured_s <= one->high_s;
		room[i] = one->low_s > 0 ? one->high_s / one->low_s : HUGE_VAL;
	}
	if (count > 0) {
		score->coverage = (double)covered / (double)count;
		score->median_width = median_of(room, count);
	}
	for (size_t i = 0; i < count; i++) {
		room[i] = comparisons[i].predicted_s;
		room[count + i] = comparisons[i].measured_s;
	}
	bool is_done = spearman(room, room + count, count, &score->spearman);
	free(room);
	return is_done;
}

/* X(name, value, more is better) */
#define METRIC_TABLE(X)                                                                            \
	X(cases, (double)score->all.count, true)                                                   \
	X(within30, score->all.within30, true)                                                     \
	X(within15, score->all.within15, true)                                                     \
	X(median_error, score->all.median_error, false)                                            \
	X(mean_error, score->all.mean_error, false)                                                \
	X(large_cases, (double)score->large.count, true)                                           \
	X(large_within30, score->large.within30, true)                                             \
	X(large_within15, score->large.within15, true)                                             \
	X(large_median_error, score->large.median_error, false)                                    \
	X(large_mean_error, score->large.mean_error, false)                                        \
	X(spearman, score->spearman, true)                                                         \
	X(coverage, score->coverage, true)                                                         \
	X(median_width, score->median_width, false)

#define X(name, value, more_is_better) " " #name
const char score_metrics[] = METRIC_TABLE(X);
#undef X

bool score_metric(const struct score *score, const char *name, double *value, bool *more_is_better)
{
	const struct {
		const char *name;
		double value;
		bool more_is_better;
	} metrics[] = {
#define X(name, value, more_is_better) {#name, value, more_is_better},
	        METRIC_TABLE(X)
#undef X
	};
	for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++) {
		if (strcmp(metrics[i].name, name) == 0) {
			*value = metrics[i].value;
			*more_is_better = metrics[i].more_is_better;
			return true;
		}
	}
	return false;
}
