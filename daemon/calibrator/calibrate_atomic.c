/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomics: on one address, on one that the compiler knows, on more and more neighbours, on an
 * address each; in global and in local memory. A CPU's cores take lines from each other: there also
 * at random on more and more lines, which are in another core's cache, then in the shared one, then
 * in memory.
 */
#include <math.h>

#include "daemon/calibrator/bench.h"

/* Adds of a work-item of the global kernels, and of a trip of the local ones. */
#define GLOBAL_EACH 8.0
#define LOCAL_EACH  4.0

static const struct {
	unsigned id;
	const char *kernel;
	unsigned scale, mask;
} global_rows[] = {
        {COEFFICIENT_ATOMIC_GLOBAL_SAME, "atomic_global", 0, 0},
        {COEFFICIENT_ATOMIC_GLOBAL_32, "atomic_global", 1, 31},
        {COEFFICIENT_ATOMIC_GLOBAL_256, "atomic_global", 1, 255},
        {COEFFICIENT_ATOMIC_GLOBAL_4096, "atomic_global", 1, 4095},
        {COEFFICIENT_ATOMIC_GLOBAL_SPREAD, "atomic_global", 1, BENCH_SCRATCH_BYTES / 4 - 1},
        {COEFFICIENT_ATOMIC_GLOBAL_KNOWN, "atomic_global_known", 0, 0},
};

static const struct {
	unsigned id;
	uint32_t lines;
} random_rows[] = {
#define X(name, lines) {COEFFICIENT_##name, lines},
        ATOMIC_RANDOM_TABLE(X)
#undef X
};

static const struct {
	unsigned id;
	const char *kernel;
	unsigned scale;
} local_rows[] = {
        {COEFFICIENT_ATOMIC_LOCAL_SAME, "atomic_local", 0},
        {COEFFICIENT_ATOMIC_LOCAL_SPREAD, "atomic_local", 1},
        {COEFFICIENT_ATOMIC_LOCAL_KNOWN, "atomic_local_known", 0},
};

static enum status time_global(struct bench *bench, size_t row, struct error *error)
{
	struct bench_run run = {.groups = 256,
	                        .local = bench->local,
	                        .argument = {ARG_MEM(bench->scratch),
	                                     ARG_UINT(global_rows[row].scale),
	                                     ARG_UINT(global_rows[row].mask), ARG_INT(1)}};
	enum status status = bench_kernel(bench, global_rows[row].kernel, &run.kernel, error);
	if (status == STATUS_OK)
		status = bench_lengthen_groups(bench, &run, (size_t)1 << 16, error);
	if (status == STATUS_OK)
		status = bench_time(bench, &run, 1, error);
	if (status == STATUS_OK)
		bench_set(bench, global_rows[row].id,
		          run.time_s / (GLOBAL_EACH * (double)(run.groups * run.local)),
		          run.standard_error);
	return status;
}

static enum status time_random(struct bench *bench, size_t row, struct error *error)
{
	double line = bench_value(bench, coefficient_memory(MEMORY_DRAM, MEMORY_COLUMN_LINE), 64);
	struct bench_run run = {.groups = 256,
	                        .local = bench->local,
	                        .is_parallel = true,
	                        .argument = {ARG_MEM(bench->data),
	                                     ARG_UINT(random_rows[row].lines - 1),
	                                     ARG_UINT(log2(line / 4)), ARG_INT(0)}};
	enum status status = STATUS_OK;
	if (line * random_rows[row].lines > (double)bench->data_bytes)
		return STATUS_OK;
	status = bench_kernel(bench, "atomic_random", &run.kernel, error);
	if (status == STATUS_OK)
		status = bench_lengthen_groups(bench, &run, (size_t)1 << 16, error);
	if (status == STATUS_OK)
		status = bench_time(bench, &run, 1, error);
	if (status == STATUS_OK)
		bench_set(bench, random_rows[row].id,
		          run.time_s / (GLOBAL_EACH * (double)(run.groups * run.local)),
		          run.standard_error);
	return status;
}

/* A loop of unknown length: against a quarter of the trips. */
static enum status time_local(struct bench *bench, size_t row, struct error *error)
{
	struct bench_run runs[2] = {
	        {.groups = 16 * (size_t)bench->units,
	         .local = bench->local,
	         .argument = {ARG_MEM(bench->scratch), ARG_UINT(local_rows[row].scale), ARG_UINT(4),
	                      ARG_INT(1)}}};
	enum status status = bench_kernel(bench, local_rows[row].kernel, &runs[0].kernel, error);
	double more;
	if (status == STATUS_OK)
		status = bench_time_trips(bench, runs, 2, 1u << 16, &more, error);
	if (status == STATUS_OK)
		bench_set_difference(bench, local_rows[row].id, &runs[0], &runs[1],
		                     more * LOCAL_EACH * (double)(runs[0].groups * runs[0].local));
	return status;
}

enum status calibrate_atomic(struct bench *bench, struct error *error)
{
	enum status status = STATUS_OK;
	for (size_t i = 0; i < sizeof global_rows / sizeof *global_rows && status == STATUS_OK; i++)
		status = time_global(bench, i, error);
	for (size_t i = 0; i < sizeof random_rows / sizeof *random_rows && status == STATUS_OK &&
	                   !bench->is_gpu && (bench->units > 1 || bench->is_rehearsal);
	     i++)
		status = time_random(bench, i, error);
	if (status == STATUS_OK)
		status = bench_progress(bench, 0.7, error);
	for (size_t i = 0; i < sizeof local_rows / sizeof *local_rows && status == STATUS_OK; i++)
		status = time_local(bench, i, error);
	return status;
}
