/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A CPU's caches by latency, where streams do not show them: a core may read the second level as
 * fast as it can add up what it reads, and prefetchers bring lines of the third as fast as those of
 * the second. What waits for each read tells them apart: the latency of a cycle over its length, in
 * chunks of few pages, so that no reach of page addresses looks like a cache.
 */
#include <math.h>
#include <stdlib.h>

#include "daemon/calibrator/memory.h"

#define LEAST_BYTES   8192.0
#define FIRST_MOST    393216.0        /* twice what any core's first level has */
#define CHUNK_BYTES   ((size_t)65536) /* pages of 4 KiB that any core keeps the addresses of */
#define CYCLE_MOST    67108864.0
#define QUICK_MOST    16777216.0
#define MEMORY_CYCLE  134217728.0 /* of a cycle through memory; of a quick calibration half */
#define CYCLE_SHARE_S 0.1         /* of the time for a cycle of a full one, at most */
#define OCTAVE        2.0 /* of capacities: two steps of footprints, by either of two curves */
#define BEYOND        4.0 /* times a cache: what is nearer is the slope behind it */

enum { ROUNDS = 2, EDGES_MAX = MEMORY_LEVEL_COUNT - 1 };

static bool is_same(double capacity, double other)
{
	return capacity < OCTAVE * other && other < OCTAVE * capacity;
}

static bool is_among(const double *edges, size_t count, double capacity)
{
	for (size_t i = 0; i < count; i++)
		if (is_same(edges[i], capacity))
			return true;
	return false;
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

/* The median rate a step within two edges; `otherwise` where no footprint is. */
static double rate_between(const struct memory_curve *reads, double low, double high,
                           double otherwise)
{
	double rate[PLATEAU_POINTS_MAX];
	size_t n = 0;
	for (size_t i = 0; i < reads->n; i++)
		if (reads->footprint[i] > 1.3 * low && reads->footprint[i] < high / 1.3)
			rate[n++] = reads->value[i];
	qsort(rate, n, sizeof *rate, compare);
	return n > 0 ? rate[n / 2] : otherwise;
}

/* The rate level that holds so many bytes. */
static const struct level *level_of(const struct level *levels, size_t count, double bytes)
{
	while (count > 1 && levels->capacity < bytes) {
		levels++;
		count--;
	}
	return levels;
}

/* Where the rate last was above that of reads of which memory serves one of two. */
static double last_above(const struct memory_curve *reads, double cache, double memory,
                         double otherwise)
{
	double middle = 2 / (1 / cache + 1 / memory);
	for (size_t i = reads->n; i-- > 1;)
		if (reads->value[i - 1] > middle && reads->value[i] <= middle)
			return reads->footprint[i - 1] *
			       pow(reads->footprint[i] / reads->footprint[i - 1],
			           log(reads->value[i - 1] / middle) /
			                   log(reads->value[i - 1] / reads->value[i]));
	return otherwise;
}

/*
 * Edges that latency shows in front of the last cache, which holds `last` bytes by the rate of
 * reads. What is behind the last of them is the last cache, or memory: then the edge is the last
 * cache's, unless the rate falls there and the last one is far.
 */
static size_t find_near(const struct level *levels, size_t count, const struct memory_curve *waits,
                        double memory_s, size_t points, double last, double *edges)
{
	struct plateau plateaus[MEMORY_LEVEL_COUNT];
	size_t found = plateau_find(waits->footprint, waits->value, waits->n, LEVEL_DROP, points,
	                            plateaus, MEMORY_LEVEL_COUNT);
	size_t near = 0;
	for (size_t i = 0; i + 1 < found; i++)
		edges[near++] = plateaus[i].capacity;
	if (near > 0 && memory_s > 0 &&
	    plateaus[found - 1].rate * (1 - LEVEL_DROP) < 1 / memory_s) {
		double edge = edges[near - 1];
		bool is_seen = is_same(level_of(levels, count, edge / OCTAVE)->capacity, edge);
		near -= !is_seen || last < BEYOND * edge;
	}
	while (near > 0 && last < OCTAVE * edges[near - 1])
		near--;
	return near;
}

void memory_join_latency(struct level *levels, size_t *count, double units,
                         const struct memory_curve *reads, const struct memory_curve *waits,
                         double memory_s, size_t points)
{
	struct level found[MEMORY_LEVEL_COUNT];
	double edges[2 * MEMORY_LEVEL_COUNT], before = 0;
	size_t caches = *count - 1, joined = 0;
	const struct level memory = levels[caches];
	if (*count < 2 || waits->n < points)
		return;
	double last = levels[caches - 1].capacity;
	size_t near = find_near(levels, *count, waits, memory_s, points, last, edges), all = near;
	if (near == 0)
		return;
	/* by latency all that it has seen behind the last of them is one */
	double seen = waits->footprint[waits->n - 1] / OCTAVE;
	for (size_t i = 0; i + 1 < caches && all < EDGES_MAX - 1; i++) {
		double edge = levels[i].capacity;
		if (edge > edges[near - 1] && edge < seen)
			joined++;
		else if (!is_among(edges, near, edge))
			edges[all++] = edge;
	}
	edges[all++] = last;
	qsort(edges, all, sizeof *edges, compare);
	for (size_t i = 0; i < all; i++) {
		const struct level *rated = level_of(levels, *count, edges[i] / OCTAVE);
		found[i] = (struct level){.capacity = edges[i], .instances = units};
		found[i].read = rate_between(reads, before, edges[i], rated->read);
		before = edges[i];
	}
	if (joined > 0) {
		double nearer = all > 1 ? edges[all - 2] : 0;
		found[all - 1].read =
		        rate_between(reads, nearer, BEYOND * nearer, found[all - 1].read);
		found[all - 1].capacity = last_above(reads, found[all - 1].read, memory.read, last);
	}
	for (size_t i = 0; i < all; i++)
		levels[i] = found[i];
	levels[all] = memory;
	*count = all + 1;
}

/* A cycle anew that is slower than a longer one: others make it slower, never faster. */
static enum status time_cycles(struct bench *bench, struct memory_curve *waits, struct error *error)
{
	enum status status = STATUS_OK;
	for (int round = 0; round <= ROUNDS && status == STATUS_OK; round++) {
		for (size_t i = waits->n; i-- > 0 && status == STATUS_OK;) {
			double latency_s = 0, ignored;
			if (round > 0 && (i + 1 == waits->n ||
			                  waits->value[i] > (1 - LEVEL_DROP) * waits->value[i + 1]))
				continue;
			status = memory_time_cycle(bench, waits->footprint[i], CHUNK_BYTES, false,
			                           &latency_s, &ignored, error);
			if (status == STATUS_OK)
				waits->value[i] = fmax(round > 0 ? waits->value[i] : 0,
				                       1 / fmax(latency_s, 1e-12));
		}
	}
	return status;
}

/*
 * Cycles of growing steps, to beyond the last cache by the rate of reads. After a doubt they are
 * between those of the first look, and reach where the node says that each core's own caches end.
 */
static void choose_cycles(const struct bench *bench, double last, struct memory_curve *waits)
{
	const struct node_caches *node = &bench->node;
	const double step = sqrt(2);
	double most = OCTAVE * last, bytes = LEAST_BYTES;
	waits->n = 0;
	if (bench->is_doubting) {
		bytes *= sqrt(step);
		for (unsigned i = 0; i < node->count && bench->has_cpu_clock; i++)
			if (node->level[i].is_own)
				most = fmax(most, BEYOND * node->level[i].most_bytes);
	}
	most = fmin(fmin(most, bench->is_quick ? QUICK_MOST : CYCLE_MOST),
	            (double)bench->data_bytes);
	for (; bytes <= most && waits->n < PLATEAU_POINTS_MAX; bytes *= step)
		waits->footprint[waits->n++] = bytes;
}

enum status memory_find_near(struct bench *bench, const struct memory_curve *reads,
                             struct level *levels, size_t *count, struct error *error)
{
	struct memory_curve waits = {.n = 0};
	double share_s = bench->share_s;
	double memory_bytes = MEMORY_CYCLE / (bench->is_quick ? 2 : 1), memory_s = 0, ignored;
	if (*count < 2)
		return STATUS_OK;
	choose_cycles(bench, levels[*count - 2].capacity, &waits);
	bench->share_s = fmin(share_s, CYCLE_SHARE_S);
	enum status status = time_cycles(bench, &waits, error);
	/* of a cache that may hold all of the cycle, that would tell nothing */
	if (status == STATUS_OK && memory_told_bytes(bench) < memory_bytes &&
	    (double)bench->data_bytes >= memory_bytes)
		status = memory_time_cycle(bench, memory_bytes, CHUNK_BYTES, true, &memory_s,
		                           &ignored, error);
	bench->share_s = share_s;
	if (status == STATUS_OK) /* others read the data as floats: no denormal ones */
		status = bench_clear_data(bench, error);
	if (status == STATUS_OK)
		memory_join_latency(levels, count, bench->units, reads, &waits, memory_s,
		                    LEVEL_POINTS);
	return status;
}

bool memory_is_plausible(const struct level *levels, size_t count, double units)
{
	if (count < 2 || levels[0].capacity > FIRST_MOST)
		return false;
	for (size_t i = 0; i + 1 < count; i++)
		if (!(levels[i].capacity < levels[i + 1].capacity))
			return false;
	return units < 2 || levels[0].instances > 1;
}
