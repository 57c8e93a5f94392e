/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far a CPU's core goes ahead of a read of memory that it waits for: reads at random whose
 * addresses take many operations and no memory. Once these fill more than what is begun behind
 * a read, no more than one or two are under way at once, and operations take the read's latency
 * for each window of them.
 */
#include <math.h>

#include "daemon/calibrator/memory.h"

/* Of one iteration of the kernel: two reads, and as many operations as the model counts for it. */
#define ITERATION_OPERATIONS 204.0
#define ITERATION_READS      2.0
#define NEAR_BYTES           8192 /* what any first level holds */
/* What a launch reads, in last caches, so that the next one does not find it there. */
#define ROUNDS      4.0
#define LEAST_BYTES (double)(16 << 20)
#define SLOWER      1.25 /* than in the first level, or operations are all that is seen */

/* Seconds of one unit for an iteration whose reads go to the first `bytes` bytes. */
static enum status time_ahead(struct bench *bench, double bytes, double wanted, double *iteration_s,
                              struct error *error)
{
	size_t groups = 16 * (size_t)bench->units;
	double lines = exp2(floor(log2(fmax(bytes / 64, 2))));
	uint32_t trips = (uint32_t)fmax(1, wanted / 64 / ITERATION_READS / (double)groups);
	struct bench_run run = {.groups = groups,
	                        .local = 1,
	                        .argument = {ARG_MEM(bench->data), ARG_MEM(bench->scratch),
	                                     ARG_UINT(lines - 1), ARG_UINT(trips)}};
	enum status status = bench_kernel(bench, "read_ahead", &run.kernel, error);

	if (status == STATUS_OK)
		status = bench_time(bench, &run, 1, error);
	if (status == STATUS_OK)
		*iteration_s = run.time_s * bench->units / ((double)groups * trips);
	return status;
}

enum status memory_time_ahead(struct bench *bench, double last_bytes, struct error *error)
{
	const struct coefficient *known = bench->device->coefficient;
	double latency = known[coefficient_memory(MEMORY_DRAM, MEMORY_COLUMN_LATENCY)].value;
	double wanted = fmax(ROUNDS * last_bytes, LEAST_BYTES), near_s = 0, far_s = 0;
	enum status status;

	if (!(latency > 0))
		return STATUS_OK;
	status = time_ahead(bench, NEAR_BYTES, wanted / 8, &near_s, error);
	if (status == STATUS_OK)
		status = time_ahead(bench, (double)bench->data_bytes, wanted, &far_s, error);
	if (status != STATUS_OK || !(far_s > SLOWER * near_s))
		return status;
	bench_set(bench, COEFFICIENT_AHEAD, ITERATION_OPERATIONS * latency / far_s, 0.1);
	return STATUS_OK;
}
