/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Levels of a GPU's memory. One unit alone cannot saturate what units share, and
 * windows of the units' own cannot tell the first level from the next: the first
 * levels of all units together hold almost as much as the level that they share. So the
 * first level shows in windows that each unit reads alone; all others in single words
 * that all units read at random: such reads never come back to a unit soon, and a miss
 * of a shared cache costs them several times what it costs a stream. How fast streams
 * are is then read in one window by all units in full, each from another place on.
 */
#include "daemon/calibrator/memory.h"

#include <math.h>

#include "daemon/calibrator/plateau.h"

enum { BATCH = 8, GROUPS = 8 /* a unit: loads enough under way for memory */ };

#define FIRST_BYTES  16384.0
#define SHARED_BYTES 262144.0
#define VECTOR_BYTES 16.0
#define BLOCK_BYTES  32.0 /* of a random read */

/* Steps of the root of two. */
static size_t footprints(double first, double last, double *footprint)
{
	size_t n = 0;
	for (; n < PLATEAU_POINTS_MAX && first * exp2((double)n / 2) <= last; n++)
		footprint[n] = first * exp2((double)n / 2);
	return n;
}

/* The least share of misses that tells a capacity. */
#define TELLING_SHARE 0.15

struct curve {
	double footprint[PLATEAU_POINTS_MAX], rate[PLATEAU_POINTS_MAX];
	size_t count;
};

/* The first plateau of the units' own windows; false when there is no other after it. */
static enum status find_first(struct bench *bench, struct curve *curve, struct level *level,
                              bool *is_found, struct error *error)
{
	struct plateau plateaus[MEMORY_LEVEL_COUNT];
	double most = fmin((double)bench->data_bytes / bench->units, 1 << 20);
	curve->count = footprints(FIRST_BYTES, most, curve->footprint);
	enum status status = memory_read_windows(bench, bench->units, curve->footprint, curve->rate,
	                                         curve->count, 0, 0.15, error);
	if (status != STATUS_OK)
		return status;
	size_t count = plateau_find(curve->footprint, curve->rate, curve->count, LEVEL_DROP,
	                            LEVEL_POINTS - 1, plateaus, MEMORY_LEVEL_COUNT);
	*is_found = count > 1;
	if (*is_found)
		*level = (struct level){.capacity = plateaus[0].capacity,
		                        .instances = bench->units,
		                        .read = plateaus[0].rate};
	return STATUS_OK;
}

/*
 * The first level's capacity, from the first windows that miss, at the rate of the level that
 * all share: larger ones may be more together than that level holds.
 */
static void refine_first(const struct curve *curve, double shared_rate, struct level *level)
{
	for (size_t i = 0; i < curve->count; i++) {
		double missed = plateau_missed(curve->rate[i], level->read, shared_rate);
		if (missed > TELLING_SHARE) {
			level->capacity = plateau_rounds_capacity(curve->footprint[i], missed);
			return;
		}
	}
}

/* Random reads a second of all units, of blocks within each footprint: powers of two. */
static enum status time_random_reads(struct bench *bench, const double *footprint, double *rate,
                                     size_t n, struct error *error)
{
	struct bench_run runs[BATCH];
	cl_kernel kernel;
	enum status status = bench_kernel(bench, "gather", &kernel, error);
	for (size_t done = 0; done < n && status == STATUS_OK; done += BATCH) {
		size_t batch = n - done < BATCH ? n - done : BATCH;
		for (size_t i = 0; i < batch && status == STATUS_OK; i++) {
			double blocks = footprint[done + i] / BLOCK_BYTES;
			runs[i] = (struct bench_run){
			        .kernel = kernel,
			        .groups = (size_t)fmax(16 * bench->units,
			                               blocks / (8 * (double)bench->local)),
			        .local = bench->local,
			        .argument = {ARG_MEM(bench->data), ARG_MEM(bench->scratch),
			                     ARG_UINT(blocks - 1),
			                     ARG_UINT(log2(BLOCK_BYTES / 4))}};
			status = bench_lengthen_groups(bench, &runs[i], 1u << 16, error);
		}
		if (status == STATUS_OK)
			status = bench_time(bench, runs, batch, error);
		for (size_t i = 0; i < batch && status == STATUS_OK; i++)
			rate[done + i] = (double)(runs[i].groups * runs[i].local) / runs[i].time_s;
		if (status == STATUS_OK)
			status = bench_progress(
			        bench, 0.15 + 0.2 * (double)(done + batch) / (double)n, error);
	}
	return status;
}

enum status memory_read_shared(struct bench *bench, double footprint, double *rate,
                               struct error *error)
{
	size_t quantum = 4 * bench->local, groups = GROUPS * (size_t)bench->units;
	size_t quanta = (size_t)(footprint / VECTOR_BYTES / (double)quantum);
	struct bench_run run = {.groups = groups,
	                        .local = bench->local,
	                        .argument = {ARG_MEM(bench->data), ARG_MEM(bench->scratch),
	                                     ARG_UINT((quanta > 0 ? quanta : 1) * quantum),
	                                     ARG_UINT((quanta / groups + 1) * quantum)}};
	enum status status = bench_kernel(bench, "read_shared", &run.kernel, error);
	if (status == STATUS_OK)
		status = bench_lengthen_argument(bench, &run, 3, 1u << 26, error);
	if (status == STATUS_OK)
		status = bench_time(bench, &run, 1, error);
	if (status == STATUS_OK)
		*rate = (double)run.argument[3].value.u32 * (double)groups * VECTOR_BYTES /
		        run.time_s;
	return status;
}

enum status memory_find_gpu_levels(struct bench *bench, struct level *levels, size_t *count,
                                   struct error *error)
{
	double footprint[PLATEAU_POINTS_MAX], rate[PLATEAU_POINTS_MAX], nearest;
	struct plateau plateaus[MEMORY_LEVEL_COUNT];
	struct curve curve = {0};
	struct level first = {0};
	bool is_found = false;
	size_t n = 0;
	enum status status = find_first(bench, &curve, &first, &is_found, error);
	if (status != STATUS_OK)
		return status;
	double from = is_found ? exp2(ceil(log2(4 * first.capacity))) : SHARED_BYTES;
	for (double bytes = fmax(from, SHARED_BYTES);
	     bytes <= (double)bench->data_bytes && n < PLATEAU_POINTS_MAX; bytes *= 2)
		footprint[n++] = bytes;
	status = time_random_reads(bench, footprint, rate, n, error);
	if (status == STATUS_OK)
		status = memory_read_shared(bench, footprint[0], &nearest, error);
	if (status != STATUS_OK)
		return status;
	size_t shared = plateau_find(footprint, rate, n, LEVEL_DROP, LEVEL_POINTS - 1, plateaus,
	                             MEMORY_LEVEL_COUNT - 1);
	*count = 0;
	/* what is hardly faster than the level that all share is that level */
	if (is_found && shared > 0 && first.read * (1 - LEVEL_DROP) > nearest) {
		refine_first(&curve, nearest, &first);
		levels[(*count)++] = first;
	}
	for (size_t i = 0; i < shared; i++) {
		levels[*count] = (struct level){.capacity = (double)INFINITY, .instances = 1};
		if (i + 1 < shared)
			levels[*count].capacity = plateau_random_capacity(
			        plateaus[i].capacity,
			        plateau_missed(sqrt(plateaus[i].rate * plateaus[i + 1].rate),
			                       plateaus[i].rate, plateaus[i + 1].rate));
		(*count)++;
	}
	return STATUS_OK;
}
