/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far apart addresses share a set of a CPU's cache: lines so far apart that
 * all fall into one set are chased in turn; as many as stay as near as the
 * level are its ways, and its capacity over the ways is the distance.
 */
#include "daemon/calibrator/memory.h"

#include <math.h>

/* Larger than any way; words of four bytes. */
enum { APART_BYTES = 1 << 20, LINES_MAX = 64 };

/* Time of one step around a cycle of `lines` lines. */
static enum status time_cycle(struct bench *bench, unsigned lines, double *step_s,
                              struct error *error)
{
	struct bench_run run = {.groups = 1, .local = 1};
	enum status status = bench_kernel(bench, "chase", &run.kernel, error);
	cl_uint next[LINES_MAX], start = 0;
	if (status != STATUS_OK)
		return status;
	cl_int code = clEnqueueWriteBuffer(bench->opencl->queue, bench->scratch, CL_FALSE, 0,
	                                   sizeof start, &start, 0, NULL, NULL);
	for (unsigned i = 0; i < lines && code == CL_SUCCESS; i++) {
		next[i] = (cl_uint)((i + 1) % lines) * (APART_BYTES / 4);
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

enum status memory_find_way(struct bench *bench, enum memory_level id, struct error *error)
{
	const struct coefficient *known = bench->device->coefficient;
	double near = known[coefficient_memory(id, MEMORY_COLUMN_LATENCY)].value;
	double far = known[coefficient_memory(id + 1, MEMORY_COLUMN_LATENCY)].value;
	double capacity = known[coefficient_memory(id, MEMORY_COLUMN_CAPACITY)].value;
	unsigned fits = 2, exceeds = LINES_MAX;
	if (!(near > 0) || !(far > 1.5 * near) || !(capacity > 0) ||
	    bench->data_bytes < (size_t)LINES_MAX * APART_BYTES)
		return STATUS_OK;
	while (exceeds - fits > 1) {
		unsigned lines = (fits + exceeds) / 2;
		double step_s;
		enum status status = time_cycle(bench, lines, &step_s, error);
		if (status != STATUS_OK)
			return status;
		if (step_s > sqrt(near * far))
			exceeds = lines;
		else
			fits = lines;
	}
	/* nothing seen: pages of the machine are mixed, or the level hashes its sets */
	if (exceeds == LINES_MAX || fits < 3)
		return STATUS_OK;
	bench_set(bench, coefficient_memory(id, MEMORY_COLUMN_WAY),
	          exp2(round(log2(capacity / fits))), 0.2);
	return STATUS_OK;
}
