/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Levels of a memory hierarchy in a curve of rate over footprint: isotonic
 * regression (pool adjacent violators), then the neighbours that differ least
 * are joined until all differ by the drop; short pieces are the slopes between.
 */
#include "daemon/calibrator/plateau.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

struct piece {
	size_t first, end; /* points */
	double level;      /* mean logarithm of the rate */
};

/* Non-increasing fit of values, in place. */
static void smooth(double *value, size_t n)
{
	size_t start[PLATEAU_POINTS_MAX], blocks = 0;
	double mean[PLATEAU_POINTS_MAX], weight[PLATEAU_POINTS_MAX];
	for (size_t i = 0; i < n; i++) {
		start[blocks] = i;
		mean[blocks] = value[i];
		weight[blocks] = 1;
		blocks++;
		while (blocks > 1 && mean[blocks - 1] > mean[blocks - 2]) {
			double both = weight[blocks - 2] + weight[blocks - 1];
			mean[blocks - 2] = (mean[blocks - 2] * weight[blocks - 2] +
			                    mean[blocks - 1] * weight[blocks - 1]) /
			                   both;
			weight[blocks - 2] = both;
			blocks--;
		}
	}
	for (size_t b = 0; b < blocks; b++) {
		size_t end = b + 1 < blocks ? start[b + 1] : n;
		for (size_t i = start[b]; i < end; i++)
			value[i] = mean[b];
	}
}

static void join(struct piece *pieces, size_t *count, size_t left)
{
	struct piece *a = &pieces[left], *b = &pieces[left + 1];
	double na = (double)(a->end - a->first), nb = (double)(b->end - b->first);
	a->level = (a->level * na + b->level * nb) / (na + nb);
	a->end = b->end;
	memmove(b, b + 1, (*count - left - 2) * sizeof *b);
	(*count)--;
}

/* The pair of neighbours that costs least to join (Ward), or count when all differ enough. */
static size_t nearest(const struct piece *pieces, size_t count, double least)
{
	size_t best = count;
	double best_cost = (double)INFINITY;
	for (size_t i = 0; i + 1 < count; i++) {
		double na = (double)(pieces[i].end - pieces[i].first);
		double nb = (double)(pieces[i + 1].end - pieces[i + 1].first);
		double apart = pieces[i].level - pieces[i + 1].level;
		double cost = na * nb / (na + nb) * apart * apart;
		if (apart < least && cost < best_cost) {
			best = i;
			best_cost = cost;
		}
	}
	return best;
}

/* Where the smoothed curve passes `level`, from `from` on. */
static double crossing(const double *footprint, const double *value, size_t n, size_t from,
                       double level)
{
	for (size_t i = from > 0 ? from : 1; i < n; i++) {
		if (value[i] > level)
			continue;
		double apart = value[i - 1] - value[i];
		double share = apart > 0 ? (value[i - 1] - level) / apart : 0;
		share = fmin(fmax(share, 0), 1);
		return exp(log(footprint[i - 1]) + share * log(footprint[i] / footprint[i - 1]));
	}
	return footprint[n - 1];
}

size_t plateau_find(const double *footprint, const double *rate, size_t n, double drop,
                    size_t points, struct plateau *plateaus, size_t most)
{
	double value[PLATEAU_POINTS_MAX];
	struct piece pieces[PLATEAU_POINTS_MAX];
	size_t count = 0;
	double least = -log(1 - drop);
	if (n == 0 || n > PLATEAU_POINTS_MAX || most == 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		value[i] = log(rate[i]);
	smooth(value, n);
	for (size_t i = 0; i < n; i++)
		pieces[count++] = (struct piece){i, i + 1, value[i]};
	for (size_t i; (i = nearest(pieces, count, least)) < count;)
		join(pieces, &count, i);
	/* slopes go; what lay around one may now be alike */
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		size_t wanted = i + 1 == count && points > 1 ? points - 1 : points;
		if (pieces[i].end - pieces[i].first >= wanted || count == 1)
			pieces[kept++] = pieces[i];
	}
	if (kept == 0) /* all slope */
		pieces[kept++] = (struct piece){0, n, value[n / 2]};
	count = kept;
	for (size_t i; (i = nearest(pieces, count, least)) < count;)
		join(pieces, &count, i);
	while (count > most)
		join(pieces, &count, nearest(pieces, count, (double)INFINITY));
	for (size_t i = 0; i < count; i++) {
		const struct piece *piece = &pieces[i];
		plateaus[i].rate = exp(value[piece->first + (piece->end - piece->first) / 2]);
		plateaus[i].capacity = (double)INFINITY;
		if (i + 1 < count)
			plateaus[i].capacity = crossing(footprint, value, n, piece->first,
			                                (piece->level + pieces[i + 1].level) / 2);
	}
	return count;
}

double plateau_missed(double rate, double hit_rate, double miss_rate)
{
	double missed = (1 / rate - 1 / hit_rate) / (1 / miss_rate - 1 / hit_rate);
	return fmin(0.99, fmax(0.01, missed));
}

double plateau_random_capacity(double footprint, double missed)
{
	return footprint * (1 - missed);
}

double plateau_rounds_capacity(double footprint, double missed)
{
	return footprint * missed / -log1p(-missed);
}
