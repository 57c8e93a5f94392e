/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Levels of a GPU's memory. One unit alone cannot saturate what units share, and
 * windows of the units' own cannot tell the first level from the next: the first
 * levels of all units together hold almost as much as the level that they share. So the
 * first level shows in windows that each unit reads alone; all others in one window that
 * every unit reads in full, each from another place on: then a line comes back to a
 * unit only after the whole window.
 */
#include "daemon/calibrator/memory.h"

#include <math.h>

#include "daemon/calibrator/plateau.h"

enum { BATCH = 8, GROUPS = 8 /* a unit: loads enough under way for memory */ };

#define FIRST_BYTES  16384.0
#define SHARED_BYTES 1048576.0
#define VECTOR_BYTES 16.0

/* Steps of the root of two. */
static size_t footprints(double first, double last, double *footprint)
{
	size_t n = 0;
	for (; n < PLATEAU_POINTS_MAX && first * exp2((double)n / 2) <= last; n++)
		footprint[n] = first * exp2((double)n / 2);
	return n;
}

/* The first plateau of the units' own windows; false when there is no other after it. */
static enum status find_first(struct bench *bench, struct level *level, bool *is_found,
                              struct error *error)
{
	double footprint[PLATEAU_POINTS_MAX], rate[PLATEAU_POINTS_MAX];
	struct plateau plateaus[MEMORY_LEVEL_COUNT];
	double most = fmin((double)bench->data_bytes / bench->units, 1 << 20);
	size_t n = footprints(FIRST_BYTES, most, footprint);
	enum status status =
	        memory_read_windows(bench, bench->units, footprint, rate, n, 0, 0.15, error);
	if (status != STATUS_OK)
		return status;
	size_t count = plateau_find(footprint, rate, n, LEVEL_DROP, LEVEL_POINTS - 1, plateaus,
	                            MEMORY_LEVEL_COUNT);
	*is_found = count > 1;
	if (*is_found)
		*level = (struct level){.capacity = plateaus[0].capacity,
		                        .instances = bench->units,
		                        .read = plateaus[0].rate};
	return STATUS_OK;
}

static enum status time_shared(struct bench *bench, const double *footprint, double *rate, size_t n,
                               struct error *error)
{
	struct bench_run runs[BATCH];
	cl_kernel kernel;
	size_t quantum = 4 * bench->local, groups = GROUPS * (size_t)bench->units;
	enum status status = bench_kernel(bench, "read_shared", &kernel, error);
	for (size_t done = 0; done < n && status == STATUS_OK; done += BATCH) {
		size_t batch = n - done < BATCH ? n - done : BATCH;
		for (size_t i = 0; i < batch && status == STATUS_OK; i++) {
			size_t quanta =
			        (size_t)(footprint[done + i] / VECTOR_BYTES / (double)quantum);
			runs[i] = (struct bench_run){
			        .kernel = kernel,
			        .groups = groups,
			        .local = bench->local,
			        .argument = {ARG_MEM(bench->data), ARG_MEM(bench->scratch),
			                     ARG_UINT((quanta > 0 ? quanta : 1) * quantum),
			                     ARG_UINT((quanta / groups + 1) * quantum)}};
			status = bench_lengthen_argument(bench, &runs[i], 3, 1u << 26, error);
		}
		if (status == STATUS_OK)
			status = bench_time(bench, runs, batch, error);
		for (size_t i = 0; i < batch && status == STATUS_OK; i++)
			rate[done + i] = (double)runs[i].argument[3].value.u32 * (double)groups *
			                 VECTOR_BYTES / runs[i].time_s;
		if (status == STATUS_OK)
			status = bench_progress(
			        bench, 0.15 + 0.25 * (double)(done + batch) / (double)n, error);
	}
	return status;
}

enum status memory_find_gpu_levels(struct bench *bench, struct level *levels, size_t *count,
                                   struct error *error)
{
	double footprint[PLATEAU_POINTS_MAX], rate[PLATEAU_POINTS_MAX];
	struct plateau plateaus[MEMORY_LEVEL_COUNT];
	struct level first = {0};
	bool is_found = false;
	enum status status = find_first(bench, &first, &is_found, error);
	if (status != STATUS_OK)
		return status;
	double from = is_found ? fmax(SHARED_BYTES, 4 * first.capacity) : SHARED_BYTES;
	size_t n = footprints(from, (double)bench->data_bytes, footprint);
	status = time_shared(bench, footprint, rate, n, error);
	if (status != STATUS_OK)
		return status;
	size_t shared = plateau_find(footprint, rate, n, LEVEL_DROP, LEVEL_POINTS, plateaus,
	                             MEMORY_LEVEL_COUNT - 1);
	*count = 0;
	/* what is hardly faster than the level that all share is that level */
	if (is_found && shared > 0 && first.read * (1 - LEVEL_DROP) > plateaus[0].rate)
		levels[(*count)++] = first;
	for (size_t i = 0; i < shared; i++)
		levels[(*count)++] = (struct level){
		        .capacity = plateaus[i].capacity, .instances = 1, .read = plateaus[i].rate};
	return STATUS_OK;
}
