/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far apart addresses share a set of a CPU's cache: lines so far apart that
 * all fall into one set are chased in turn, in no order that a prefetcher follows; as many as stay
 * as near as the level are its ways, and its capacity over the ways is the distance.
 */
#include "daemon/calibrator/memory.h"

#include <math.h>

#define LEAST_FARTHER 1.5 /* times, the next level's latency: less tells nothing */

/* Larger than any way; as many lines as any level has ways, and more. */
enum { APART_BYTES = 1 << 20, LINES_MIN = 2, LINES_MAX = 64, WAYS_MIN = 3, LOOKS = 2 };

/* Time of one step around a cycle of `lines` lines. */
static enum status time_cycle(struct bench *bench, unsigned lines, double *step_s,
                              struct error *error)
{
	struct bench_run run = {.groups = 1, .local = 1};
	enum status status = bench_kernel(bench, "chase", &run.kernel, error);
	cl_uint order[LINES_MAX], next[LINES_MAX], start = 0;
	if (status != STATUS_OK)
		return status;
	/* lines as far apart each would be fetched ahead */
	for (unsigned i = 0; i < lines; i++)
		order[i] = i;
	memory_shuffle(order, lines);
	for (unsigned i = 0; i < lines; i++)
		next[order[i]] = order[(i + 1) % lines] * (APART_BYTES / 4);
	cl_int code = clEnqueueWriteBuffer(bench->opencl->queue, bench->scratch, CL_FALSE, 0,
	                                   sizeof start, &start, 0, NULL, NULL);
	for (unsigned i = 0; i < lines && code == CL_SUCCESS; i++) {
		code = clEnqueueWriteBuffer(bench->opencl->queue, bench->data, CL_FALSE,
		                            (size_t)i * APART_BYTES, sizeof *next, &next[i], 0,
		                            NULL, NULL);
	}
	if (code == CL_SUCCESS)
		code = clFinish(bench->opencl->queue);
	if (code != CL_SUCCESS)
		return opencl_failure("clEnqueueWriteBuffer", code, error);
	run.argument[0] = ARG_MEM(bench->data);
	run.argument[1] = ARG_MEM(bench->scratch);
	run.argument[2] = ARG_UINT(4096);
	status = bench_lengthen_argument(bench, &run, 2, 1u << 22, error);
	if (status == STATUS_OK)
		status = bench_time(bench, &run, 1, error);
	*step_s =
	        run.time_s * (bench->has_cpu_clock ? bench->units : 1) / run.argument[2].value.u32;
	return status;
}

/*
 * The most lines that are as near as the level; LINES_MAX: no number of them is farther. The
 * level's and the next one's latencies are of random lines of all pages: of few lines they are
 * less. Few are in the first level, whichever it is about.
 */
static enum status find_ways(struct bench *bench, enum memory_level id, double near, double far,
                             unsigned *ways, struct error *error)
{
	unsigned fits = LINES_MIN, exceeds = LINES_MAX;
	double few_s = near, many_s = far;
	enum status status = time_cycle(bench, LINES_MIN, &few_s, error);
	if (status == STATUS_OK)
		status = time_cycle(bench, LINES_MAX, &many_s, error);
	if (id == MEMORY_L1)
		near = fmin(near, few_s);
	far = fmin(far, many_s);
	*ways = LINES_MAX;
	if (status != STATUS_OK || !(far > LEAST_FARTHER * near))
		return status;
	while (exceeds - fits > 1 && status == STATUS_OK) {
		unsigned lines = (fits + exceeds) / 2;
		double step_s = 0;
		status = time_cycle(bench, lines, &step_s, error);
		if (step_s > sqrt(near * far))
			exceeds = lines;
		else
			fits = lines;
	}
	*ways = fits;
	return status;
}

double memory_way_bytes(double capacity, unsigned ways)
{
	return ways < WAYS_MIN || ways > MEMORY_WAYS_MAX ? 0 : exp2(round(log2(capacity / ways)));
}

enum status memory_find_way(struct bench *bench, enum memory_level id, struct error *error)
{
	const struct coefficient *known = bench->device->coefficient;
	double near = known[coefficient_memory(id, MEMORY_COLUMN_LATENCY)].value;
	double far = known[coefficient_memory(id + 1, MEMORY_COLUMN_LATENCY)].value;
	double capacity = known[coefficient_memory(id, MEMORY_COLUMN_CAPACITY)].value, way = 0;
	unsigned ways;
	if (!(near > 0) || !(far > LEAST_FARTHER * near) || !(capacity > 0) ||
	    bench->data_bytes < (size_t)LINES_MAX * APART_BYTES)
		return STATUS_OK;
	/* others take lines away, never add ways: what cannot be is looked at once more */
	for (int look = 0; look < LOOKS && way <= 0; look++) {
		enum status status = find_ways(bench, id, near, far, &ways, error);
		if (status != STATUS_OK)
			return status;
		/* nothing seen: pages of the machine are mixed, or the level hashes its sets */
		if (ways == LINES_MAX)
			return STATUS_OK;
		way = memory_way_bytes(capacity, ways);
	}
	if (way > 0)
		bench_set(bench, coefficient_memory(id, MEMORY_COLUMN_WAY), way, 0.2);
	return STATUS_OK;
}
