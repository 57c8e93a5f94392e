/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory hierarchy: levels as plateaus of the read rate over footprint,
 * then what each level does.
 *
 * On a CPU one unit reads alone, so a level's capacity shows as it is whether
 * shared or not; whether it is shows when all units read windows of their own.
 * A GPU's levels: memory_gpu.c.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/calibrator/bench.h"
#include "daemon/calibrator/impossible.h"
#include "daemon/calibrator/memory.h"
#include "daemon/calibrator/plateau.h"

#define LONG_S     1e-2 /* on a CPU: until every thread has been awake for long */
#define BLOCK_LOG2 6u   /* floats from one random block to the next when pairs are read: 256 B */

enum { BATCH = 12, LOOKS = 2 };

struct windows {
	size_t vector_bytes, group_items, per_unit; /* groups a unit */
	size_t quantum;                             /* bytes of the least window */
};

static struct windows windows_of(const struct bench *bench)
{
	struct windows windows = {.vector_bytes = bench->is_gpu ? 16 : 64,
	                          .group_items = bench->is_gpu ? bench->local : 1,
	                          .per_unit = bench->is_gpu ? 2 : 1};
	windows.quantum = 4 * windows.vector_bytes * windows.group_items;
	return windows;
}

size_t memory_window_bytes(double bytes, size_t windows, size_t data_bytes, size_t quantum)
{
	double most = floor((double)data_bytes / (double)windows / (double)quantum);
	return (size_t)fmax(fmin(floor(bytes / (double)quantum), most), 1) * quantum;
}

/* A run in which each of `units` units reads `bytes` of its own, or all the same. */
static void window_run(struct bench *bench, struct bench_run *run, bool is_write, double units,
                       double bytes, bool is_shared)
{
	struct windows windows = windows_of(bench);
	size_t apart = is_shared ? 1 : (size_t)units * windows.per_unit;
	size_t vectors = memory_window_bytes(bytes / (double)windows.per_unit, apart,
	                                     bench->data_bytes, windows.quantum) /
	                 windows.vector_bytes;
	run->groups = (size_t)units * windows.per_unit;
	run->local = windows.group_items;
	run->argument[0] = ARG_MEM(bench->data);
	run->argument[1] = is_write ? ARG_UINT(vectors) : ARG_MEM(bench->scratch);
	run->argument[2] = is_write ? ARG_UINT(is_shared ? 0 : vectors) : ARG_UINT(vectors);
	run->argument[3] = is_write ? ARG_UINT(1) : ARG_UINT(is_shared ? 0 : vectors);
	run->argument[4] = is_write ? ARG_FLOAT(1) : ARG_UINT(1);
}

static double run_bytes(const struct bench *bench, const struct bench_run *run, bool is_write)
{
	double vectors = run->argument[is_write ? 1 : 2].value.u32;
	double repeats = run->argument[is_write ? 3 : 4].value.u32;
	return vectors * repeats * (double)run->groups * (double)windows_of(bench).vector_bytes;
}

/* Bytes a second of the run's units; repeats as often as target_s takes. */
static enum status time_windows(struct bench *bench, struct bench_run *runs, size_t count,
                                bool is_write, double *rate, struct error *error)
{
	enum status status = STATUS_OK;
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status =
		        bench_lengthen_argument(bench, &runs[i], is_write ? 3 : 4, 1u << 20, error);
	if (status == STATUS_OK)
		status = bench_time(bench, runs, count, error);
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		rate[i] = run_bytes(bench, &runs[i], is_write) / runs[i].time_s;
	return status;
}

enum status memory_read_windows(struct bench *bench, double units, const double *footprint,
                                double *rate, size_t n, double from, double to, struct error *error)
{
	struct bench_run runs[BATCH];
	cl_kernel kernel;
	double target_s = bench->target_s;
	enum status status = bench_kernel(bench, "read_windows", &kernel, error);
	if (units > 1 && !bench->is_gpu)
		bench->target_s = LONG_S;
	for (size_t done = 0; done < n && status == STATUS_OK; done += BATCH) {
		size_t batch = n - done < BATCH ? n - done : BATCH;
		for (size_t i = 0; i < batch; i++) {
			runs[i] = (struct bench_run){.kernel = kernel, .is_parallel = units > 1};
			window_run(bench, &runs[i], false, units, footprint[done + i], false);
		}
		status = time_windows(bench, runs, batch, false, rate + done, error);
		if (status == STATUS_OK)
			status = bench_progress(
			        bench, from + (to - from) * (double)(done + batch) / (double)n,
			        error);
	}
	bench->target_s = target_s;
	return status;
}

/* Levels of a CPU by the curve of one unit's reads; footprints by steps of the root of two. */
static enum status find_levels(struct bench *bench, struct memory_curve *reads,
                               struct level *levels, size_t *count, struct error *error)
{
	double *footprint = reads->footprint, *rate = reads->value;
	struct plateau plateaus[MEMORY_LEVEL_COUNT];
	size_t n = 0;
	bool is_coarse = clock_now_s() - bench->start_s > 0.6 * (bench->end_s - bench->start_s);
	for (int step = 0; n < PLATEAU_POINTS_MAX; step++) {
		double bytes = 8192 * exp2(step / 2.0);
		if (bytes > (double)bench->data_bytes)
			break;
		/* far beyond usual caches fewer do, and on a busy device everywhere */
		if (step % 2 == 0 || !bench->is_quick || (bytes < (64 << 20) && !is_coarse))
			footprint[n++] = bytes;
	}
	enum status status = memory_read_windows(bench, 1, footprint, rate, n, 0, 0.4, error);
	if (status != STATUS_OK)
		return status;
	/* one unit alone: processor time was divided by all units already */
	for (size_t i = 0; i < n && !bench->has_cpu_clock; i++)
		rate[i] *= bench->units;
	reads->n = n;
	*count = plateau_find(footprint, rate, n, LEVEL_DROP, LEVEL_POINTS, plateaus,
	                      MEMORY_LEVEL_COUNT);
	for (size_t i = 0; i < *count; i++)
		levels[i] = (struct level){.capacity = plateaus[i].capacity,
		                           .instances = bench->units,
		                           .read = plateaus[i].rate};
	return STATUS_OK;
}

/* What all units at once reach of as many times what one does alone, where each has its own. */
static enum status time_all_near(struct bench *bench, cl_kernel kernel, const struct level *level,
                                 double *share, struct error *error)
{
	struct bench_run run = {.kernel = kernel};
	double rate = 0;

	window_run(bench, &run, false, bench->units, 0.5 * level->capacity, false);
	run.is_parallel = true;
	enum status status = time_windows(bench, &run, 1, false, &rate, error);
	if (status == STATUS_OK && rate > 0)
		*share = fmin(rate / level->read, 1);
	return status;
}

/* Whether each cache of a CPU is one of the device or one a unit. */
static enum status find_instances(struct bench *bench, struct level *levels, size_t count,
                                  struct error *error)
{
	cl_kernel kernel;
	enum status status = bench_kernel(bench, "read_windows", &kernel, error);
	double target_s = bench->target_s, slower = 1;
	if (status == STATUS_OK && count > 1 && bench->units >= 2)
		status = time_all_near(bench, kernel, &levels[0], &slower, error);
	for (size_t i = 0; i + 1 < count && status == STATUS_OK && bench->units >= 2; i++) {
		struct bench_run run = {.kernel = kernel, .is_parallel = true};
		double rate, capacity = levels[i].capacity;
		double middle = sqrt(levels[i].read * levels[i + 1].read);
		bool is_last = i + 2 == count;
		/* found by latency alone: a core's own */
		if (!is_last && levels[i].read * (1 - LEVEL_DROP) < levels[i + 1].read) {
			levels[i].instances = i > 0 ? levels[i - 1].instances : bench->units;
			continue;
		}
		/* each has its own, in all 1.4 times what one may have or more: of many units
		 * a smaller part, since what nearly fills a cache that sees pages at random
		 * does not fit it */
		double bytes = (is_last && bench->units < 4 ? 0.85
		                : bench->units < 8          ? 0.7
		                                            : 0.5) *
		               capacity;
		/* of many units that is more than there is: then 1.7 times, or what the
		 * level before does not hold */
		if (bytes * bench->units > (double)bench->data_bytes)
			bytes = fmax(1.7 * capacity / bench->units,
			             i > 0 ? 2 * levels[i - 1].capacity : 0);
		/* undecided, the last cache is the one that units share */
		if (is_last)
			middle = pow(levels[i].read, 0.75) * pow(levels[i + 1].read, 0.25);
		window_run(bench, &run, false, bench->units, bytes, false);
		bench->target_s = LONG_S;
		status = time_windows(bench, &run, 1, false, &rate, error);
		/* others make it slower, never faster; few caches but the last are shared */
		if (status == STATUS_OK && !is_last && rate <= slower * middle) {
			double again = 0;
			status = time_windows(bench, &run, 1, false, &again, error);
			rate = fmax(rate, again);
		}
		bench->target_s = target_s;
		bool is_shared = rate <= slower * middle;
		/* threads that took turns on one processor tell nothing: then caches are
		 * as CPUs are built */
		double parallel = is_last ? 1.2 : 0.75 * bench->units;
		if (bench->has_cpu_clock && run.event_s > parallel * run.time_s)
			is_shared = i > 0 && is_last;
		levels[i].instances = is_shared ? 1 : bench->units;
		/* beyond a shared cache all are */
		if (i > 0 && levels[i - 1].instances < 2)
			levels[i].instances = 1;
	}
	if (bench->units < 2)
		for (size_t i = 0; i < count; i++)
			levels[i].instances = 1;
	levels[count - 1].instances = 1;
	return status;
}

/* What the node tells otherwise: its processors are the device if kernels run in this process. */
static unsigned count_doubted(const struct bench *bench, const struct level *levels, size_t count)
{
	double capacity[MEMORY_LEVEL_COUNT];
	for (size_t i = 0; i + 1 < count; i++)
		capacity[i] = levels[i].capacity;
	return bench->has_cpu_clock
	               ? impossible_capacities(capacity, (unsigned)count - 1, &bench->node)
	               : 0;
}

static enum status look_for_levels(struct bench *bench, struct level *levels, size_t *count,
                                   struct error *error)
{
	struct memory_curve reads;
	enum status status = find_levels(bench, &reads, levels, count, error);

	if (status == STATUS_OK)
		status = memory_reach(bench, levels, *count, error);
	if (status == STATUS_OK)
		status = memory_find_near(bench, &reads, levels, count, error);
	if (status == STATUS_OK)
		status = find_instances(bench, levels, *count, error);
	memory_drop_unreached(levels, count, bench->units);
	if (status == STATUS_OK)
		status = memory_find_shared(bench, levels, count, error);
	return status;
}

/*
 * Others who use the device make up levels: what cannot be is looked for once more, at footprints
 * between those of the first look. What the node tells is no reason to take levels that no look
 * found.
 */
static enum status find_cpu_levels(struct bench *bench, struct level *levels, size_t *count,
                                   struct error *error)
{
	struct level found[MEMORY_LEVEL_COUNT];
	unsigned least = UINT_MAX;
	bool is_plausible = false;
	enum status status = STATUS_OK;

	for (int look = 0; look < LOOKS && status == STATUS_OK && least > 0; look++) {
		size_t n = 0;
		bench->is_doubting = look > 0;
		status = look_for_levels(bench, found, &n, error);
		bench->is_doubting = false;
		/* no time to doubt what may be */
		if (status == STATUS_TIMEOUT && is_plausible)
			return STATUS_OK;
		if (status != STATUS_OK)
			break;
		bool is_better = memory_is_plausible(found, n, bench->units);
		unsigned doubted = count_doubted(bench, found, n);
		/* of two that cannot be the last one, of two that may be the less doubted */
		if (is_plausible && (!is_better || doubted >= least))
			continue;
		memcpy(levels, found, sizeof found);
		*count = n;
		is_plausible = is_better;
		least = is_better ? doubted : UINT_MAX;
	}
	bench->unsettled += status == STATUS_OK && !is_plausible;
	return status;
}

/* A footprint well inside each level, and outside of the one before. */
static void set_footprints(const struct bench *bench, struct level *levels, size_t count)
{
	double before = 0;
	for (size_t i = 0; i < count; i++) {
		double capacity = levels[i].capacity;
		double inside = isinf(capacity) ? (double)bench->data_bytes : 0.7 * capacity;
		if (isfinite(capacity) && before > 0 && capacity > 4 * before)
			inside = sqrt(before * capacity);
		levels[i].footprint = inside;
		before = levels[i].instances < 2 || !bench->is_gpu ? capacity
		                                                   : capacity * bench->units;
	}
}

/* Streams of the whole device, where units share the level: reads, and writes of every level. */
static enum status time_streams(struct bench *bench, const struct level *level,
                                const struct level *before, enum memory_level id,
                                struct error *error)
{
	double target_s = bench->target_s;
	enum status status = STATUS_OK;
	bool is_shared = level->instances < 2;
	double bytes = is_shared ? level->footprint / bench->units : level->footprint;
	/* many units' parts of it might lie in caches of their own */
	if (is_shared && !bench->is_gpu && before != NULL && before->instances > 1)
		bytes = fmax(bytes,
		             fmin(2 * before->capacity, 0.7 * level->capacity / bench->units));
	int first = 0;
	/* on a GPU windows of the units' own may all be in first levels */
	if (bench->is_gpu && is_shared) {
		double rate = 0;
		first = 1;
		status = memory_read_shared(bench, level->footprint, &rate, error);
		if (status == STATUS_OK)
			bench_set(bench, coefficient_memory(id, MEMORY_COLUMN_READ), rate, 0.02);
	}
	for (int is_write = first; is_write < 2 && status == STATUS_OK; is_write++) {
		struct bench_run run = {0};
		double rate = level->read;
		status = bench_kernel(bench, is_write ? "write_windows" : "read_windows",
		                      &run.kernel, error);
		if (status != STATUS_OK)
			break;
		window_run(bench, &run, is_write == 1, bench->units, bytes, false);
		run.is_parallel = is_shared;
		bench->target_s = is_shared && !bench->is_gpu ? LONG_S : target_s;
		status = time_windows(bench, &run, 1, is_write == 1, &rate, error);
		bench->target_s = target_s;
		if (status == STATUS_OK)
			bench_set(bench,
			          coefficient_memory(id, is_write ? MEMORY_COLUMN_WRITE
			                                          : MEMORY_COLUMN_READ),
			          rate, run.standard_error);
	}
	return status;
}

/*
 * Bytes of a cycle of reads in a level. A GPU's first level is empty when a launch begins,
 * and the cycle is longer than its launches follow it: so few lines that the first round counts for
 * little; of the next levels many more than the first one holds; of memory so many that
 * what the caches keep counts for little.
 */
static double cycle_bytes(const struct bench *bench, const struct level *level,
                          const struct level *before)
{
	if (!bench->is_gpu)
		return fmin(level->footprint, 64 << 20);
	if (isinf(level->capacity))
		return fmin((double)bench->data_bytes / 2, 256 << 20);
	if (before == NULL)
		return fmin(level->capacity / 4, 8192);
	return sqrt(before->capacity * level->capacity);
}

static enum status time_latency(struct bench *bench, double cycle, enum memory_level id,
                                struct error *error)
{
	double latency_s = -1, standard_error = 1;
	enum status status = memory_time_cycle(bench, cycle, 0, id == MEMORY_DRAM, &latency_s,
	                                       &standard_error, error);

	if (status == STATUS_OK)
		bench_set(bench, coefficient_memory(id, MEMORY_COLUMN_LATENCY), latency_s,
		          standard_error);
	return status;
}

/* The largest power of two of blocks within the bytes. */
static uint32_t block_mask(double bytes, double block_bytes)
{
	double blocks = fmin(fmax(bytes / block_bytes, 2), 1u << 30);
	return (uint32_t)exp2(floor(log2(blocks))) - 1;
}

/* So many that a launch reads about each block once, or it would come from a nearer level. */
static size_t gather_groups(const struct bench *bench, uint32_t mask)
{
	size_t least = bench->is_gpu ? 16 * (size_t)bench->units : 256;
	size_t wanted = ((size_t)mask + 1) / (8 * bench->local);
	return wanted > least ? wanted : least;
}

/* Random reads (kernel "gather") or writes ("scatter") of single words, a block each. */
static enum status time_random(struct bench *bench, const char *kernel, enum memory_column column,
                               const struct level *level, enum memory_level id, double line_bytes,
                               struct error *error)
{
	uint32_t shift = (uint32_t)log2(line_bytes / 4);
	double bytes = isinf(level->capacity) ? level->footprint
	                                      : fmax(0.75 * level->capacity, level->footprint);
	uint32_t mask = block_mask(bytes, line_bytes);
	struct bench_run run = {.groups = gather_groups(bench, mask),
	                        .local = bench->local,
	                        .argument = {ARG_MEM(bench->data), ARG_MEM(bench->scratch),
	                                     ARG_UINT(mask), ARG_UINT(shift)}};
	enum status status = bench_kernel(bench, kernel, &run.kernel, error);
	if (status == STATUS_OK)
		status = bench_lengthen_groups(bench, &run, 1u << 16, error);
	if (status == STATUS_OK)
		status = bench_time(bench, &run, 1, error);
	if (status == STATUS_OK)
		bench_set(bench, coefficient_memory(id, column),
		          8.0 * (double)(run.groups * run.local) / run.time_s, run.standard_error);
	return status;
}

/*
 * Random pairs of words d bytes apart, in blocks of 256: while the second is
 * free it came with the first. 0 when nothing stands out.
 */
static enum status find_granule(struct bench *bench, double footprint, double *bytes,
                                struct error *error)
{
	enum { STEPS = 5 }; /* 4, then 16 to 128 bytes */
	struct bench_run runs[STEPS];
	cl_kernel kernel;
	enum status status = bench_kernel(bench, "gather_pair", &kernel, error);
	*bytes = 0;
	if (status != STATUS_OK)
		return status;
	uint32_t mask = block_mask(footprint, 4u << BLOCK_LOG2);
	for (int i = 0; i < STEPS; i++)
		runs[i] = (struct bench_run){
		        .kernel = kernel,
		        .groups = gather_groups(bench, mask),
		        .local = bench->local,
		        .argument = {ARG_MEM(bench->data), ARG_MEM(bench->scratch), ARG_UINT(mask),
		                     ARG_UINT(BLOCK_LOG2), ARG_UINT(i == 0 ? 1 : 2u << i)}};
	status = bench_lengthen_groups(bench, &runs[0], 1u << 15, error);
	for (int i = 1; i < STEPS; i++)
		runs[i].groups = runs[0].groups;
	if (status == STATUS_OK)
		status = bench_time(bench, runs, STEPS, error);
	if (status != STATUS_OK)
		return status;
	double least = runs[0].time_s, most = runs[STEPS - 1].time_s;
	for (int i = 1; i < STEPS && most > 1.15 * least; i++) {
		if (runs[i].time_s > least + 0.5 * (most - least)) {
			*bytes = 8 * exp2(i);
			break;
		}
	}
	return STATUS_OK;
}

/* What a miss of each level moves, from the level below. */
static enum status find_lines(struct bench *bench, const struct level *levels, size_t count,
                              double *line, struct error *error)
{
	cl_uint told = 0;
	enum status status = STATUS_OK;
	if (clGetDeviceInfo(bench->opencl->device, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, sizeof told,
	                    &told, NULL) != CL_SUCCESS ||
	    told < 16 || told > 256)
		told = 64;
	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		size_t below = i + 1 < count ? i + 1 : i;
		/* there is no time for all, and a CPU's driver knows its line */
		if (bench->is_quick && !bench->is_gpu) {
			line[i] = told;
			continue;
		}
		/* the last cache's misses and memory's reads are the same thing */
		if (i > 0 && i + 1 == count)
			line[i] = line[i - 1];
		else
			status = find_granule(bench, levels[below].footprint, &line[i], error);
		if (line[i] < 16)
			line[i] = told;
	}
	return status;
}

static enum memory_level level_id(size_t i, size_t count)
{
	return i + 1 == count ? MEMORY_DRAM : (enum memory_level)(MEMORY_L1 + i);
}

/* What the curve told of all levels. */
static void set_levels(struct bench *bench, const struct level *levels, const double *line,
                       size_t count)
{
	for (size_t i = 0; i < count; i++) {
		enum memory_level id = level_id(i, count);
		bench_set(bench, coefficient_memory(id, MEMORY_COLUMN_LINE), line[i], 0);
		bench_set(bench, coefficient_memory(id, MEMORY_COLUMN_INSTANCES),
		          levels[i].instances, 0);
		if (levels[i].read > 0)
			bench_set(bench, coefficient_memory(id, MEMORY_COLUMN_READ), levels[i].read,
			          0.1);
		if (!bench->is_gpu)
			bench_set(bench, coefficient_memory(id, MEMORY_COLUMN_UNIT_READ),
			          levels[i].read / bench->units, 0.1);
		/* half a step of the footprints */
		if (id != MEMORY_DRAM)
			bench_set(bench, coefficient_memory(id, MEMORY_COLUMN_CAPACITY),
			          levels[i].capacity, 0.2);
	}
	/* of an earlier look that found more */
	for (unsigned id = (unsigned)count - 1; id < MEMORY_DRAM; id++)
		for (unsigned column = 0; column < MEMORY_COLUMN_COUNT; column++)
			bench->device
			        ->coefficient[coefficient_memory((enum memory_level)id, column)]
			        .is_known = false;
	bench_set(bench, COEFFICIENT_MEMORY_LEVELS, (double)(count - 1), 0);
	bench_set(bench, COEFFICIENT_DRAM_GRANULE_BYTES, line[count - 1], 0);
	/* on a CPU a lane is a transaction of its own, and moves a line */
	if (!bench->is_gpu || !bench->device->coefficient[COEFFICIENT_SEGMENT_BYTES].is_known)
		bench_set(bench, COEFFICIENT_SEGMENT_BYTES, bench->is_gpu ? 32 : line[0], 0.5);
}

/*
 * The last cache of a GPU again, as streams find it that go around half as much more than what
 * random reads told: it keeps less of what comes at random.
 */
static enum status refine_last(struct bench *bench, const struct level *level, enum memory_level id,
                               struct error *error)
{
	double hit = bench_value(bench, coefficient_memory(id, MEMORY_COLUMN_READ), 0);
	double miss = bench_value(bench, coefficient_memory(MEMORY_DRAM, MEMORY_COLUMN_READ), 0);
	double footprint = fmin(1.5 * level->capacity, (double)bench->data_bytes), rate, missed;
	if (!(hit > miss / (1 - LEVEL_DROP)) || !(miss > 0))
		return STATUS_OK;
	enum status status = memory_read_shared(bench, footprint, &rate, error);
	if (status != STATUS_OK)
		return status;
	missed = plateau_missed(rate, hit, miss);
	if (missed > 0.1 && missed < 0.9)
		bench_set(bench, coefficient_memory(id, MEMORY_COLUMN_CAPACITY),
		          plateau_rounds_capacity(footprint, missed), 0.1);
	return STATUS_OK;
}

/* What a CPU's levels are found with, on nothing. */
static enum status rehearse_memory(struct bench *bench, struct error *error)
{
	static const struct {
		const char *name;
		bool is_full, is_many;
	} kernels[] = {{"read_windows", false, false},  {"chase", false, false},
	               {"write_windows", false, false}, {"gather", false, true},
	               {"scatter", false, true},        {"walk_read", false, false},
	               {"walk_write", false, false},    {"read_ahead", false, false},
	               {"scatter_own", false, false},   {"gather_pair", true, true},
	               {"gather_run", true, true}};
	enum status status = STATUS_OK;
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels && status == STATUS_OK; i++) {
		struct bench_run run = {.groups = kernels[i].is_many ? gather_groups(bench, 0) : 1,
		                        .local = kernels[i].is_many ? bench->local : 1,
		                        .argument = {ARG_MEM(bench->data), ARG_MEM(bench->scratch),
		                                     ARG_UINT(0), ARG_UINT(0), ARG_UINT(0)}};
		if (kernels[i].is_full && bench->is_quick)
			continue;
		if (strcmp(kernels[i].name, "read_ahead") == 0) {
			if (bench->is_quick)
				continue;
			run.argument[4].size = 0;
		}
		if (strcmp(kernels[i].name, "chase") == 0 ||
		    strcmp(kernels[i].name, "gather_run") == 0)
			run.argument[3].size = 0;
		if (strcmp(kernels[i].name, "write_windows") == 0 ||
		    strcmp(kernels[i].name, "scatter_own") == 0)
			run.argument[1] = ARG_UINT(0);
		if (kernels[i].is_many && !kernels[i].is_full)
			run.argument[4].size = 0;
		status = bench_kernel(bench, kernels[i].name, &run.kernel, error);
		if (status == STATUS_OK)
			status = bench_time(bench, &run, 1, error);
	}
	return status;
}

enum status calibrate_memory_streams(struct bench *bench, struct error *error)
{
	const struct level memory = {.capacity = (double)INFINITY,
	                             .instances = 1,
	                             .footprint = (double)bench->data_bytes};
	double line = bench_value(bench, coefficient_memory(MEMORY_DRAM, MEMORY_COLUMN_LINE), 64);
	enum status status = time_streams(bench, &memory, NULL, MEMORY_DRAM, error);
	if (status == STATUS_OK)
		status = time_random(bench, "gather", MEMORY_COLUMN_GATHER, &memory, MEMORY_DRAM,
		                     line, error);
	return status;
}

enum status calibrate_memory(struct bench *bench, struct error *error)
{
	struct level levels[MEMORY_LEVEL_COUNT];
	double line[MEMORY_LEVEL_COUNT] = {0};
	struct error ignored;
	size_t count = 0;
	if (bench->is_rehearsal)
		return rehearse_memory(bench, error);
	enum status status = bench_grow_data(bench, (size_t)1 << (bench->is_gpu ? 30 : 28), error);
	if (status == STATUS_OK)
		status = bench->is_gpu ? memory_find_gpu_levels(bench, levels, &count, error)
		                       : find_cpu_levels(bench, levels, &count, error);
	if (status == STATUS_OK && bench->is_gpu)
		status = memory_reach(bench, levels, count, error);
	if (status != STATUS_OK)
		return status;
	set_footprints(bench, levels, count);
	if (status == STATUS_OK)
		status = find_lines(bench, levels, count, line, error);
	if (status != STATUS_OK)
		return status;
	set_levels(bench, levels, line, count);
	for (size_t done = 0; done < count && status == STATUS_OK; done++) {
		/* memory itself matters most */
		size_t i = done == 0 ? count - 1 : done - 1;
		enum memory_level id = level_id(i, count);
		status = time_streams(bench, &levels[i], i > 0 ? &levels[i - 1] : NULL, id, error);
		if (status == STATUS_OK)
			status = time_random(bench, "gather", MEMORY_COLUMN_GATHER, &levels[i], id,
			                     line[i], error);
		if (status == STATUS_OK)
			status = time_random(bench, "scatter", MEMORY_COLUMN_SCATTER, &levels[i],
			                     id, line[i], error);
		if (status == STATUS_OK && !bench->is_gpu && levels[i].instances > 1)
			status = memory_scatter_own(
			        bench, id, fmax(0.75 * levels[i].capacity, levels[i].footprint),
			        line[i], error);
		if (status == STATUS_OK && !bench->is_gpu && !bench->is_quick &&
		    levels[i].instances < 2)
			status = memory_time_run(bench, id, levels[i].footprint, line[i], error);
		if (status == STATUS_OK)
			status = bench_progress(
			        bench, 0.4 + 0.6 * (double)(done + 1) / (double)count, error);
	}
	if (bench->is_gpu && count >= 2 && status == STATUS_OK)
		status = refine_last(bench, &levels[count - 2], level_id(count - 2, count), error);
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = time_latency(bench,
		                      cycle_bytes(bench, &levels[i], i > 0 ? &levels[i - 1] : NULL),
		                      level_id(i, count), error);
	if (status == STATUS_OK && !bench->is_gpu && !bench->is_quick && count >= 2)
		status = memory_time_ahead(bench, levels[count - 2].capacity, error);
	for (size_t i = 0; i + 1 < count && i < 2 && status == STATUS_OK && !bench->is_gpu; i++)
		if (levels[i].instances > 1) {
			status = memory_find_way(bench, level_id(i, count), error);
			if (status == STATUS_OK)
				status = memory_time_walks(bench, level_id(i, count), error);
		}
	for (size_t i = count;
	     status == STATUS_OK && !bench->is_gpu && !bench->is_quick && i-- > 0;)
		if (i + 1 < count && levels[i].instances > 1) {
			status = memory_time_pages(bench, levels[i].capacity, error);
			break;
		}
	/* others read the data as floats: no denormal ones */
	enum status zeroed = bench_clear_data(bench, status == STATUS_OK ? error : &ignored);
	return status == STATUS_OK ? zeroed : status;
}
