/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a read waits for that needs the one before: one work-item follows a random cycle through
 * every block of a footprint (Sattolo's shuffle). In chunks the cycle passes all blocks of a few
 * pages before it goes on, so that the translation of addresses costs next to nothing and caches
 * alone are seen.
 */
#include <math.h>
#include <stdlib.h>

#include "daemon/calibrator/memory.h"

#define AROUND_BYTES (48 << 20) /* of a cycle of reads that a cache may hold */

static uint64_t draw(uint64_t *random, uint64_t below)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (*random >> 33) % below;
}

/* As a cycle: from each item to the next one, and from the last to the first. */
static void shuffle(cl_uint *item, size_t count, uint64_t *random)
{
	for (size_t i = count; i-- > 1;) {
		size_t j = (size_t)draw(random, i);
		cl_uint kept = item[i];
		item[i] = item[j];
		item[j] = kept;
	}
}

void memory_shuffle(cl_uint *item, size_t count)
{
	uint64_t random = 1;
	shuffle(item, count, &random);
}

/* Every block once: chunks in random order, and the blocks of each. */
static void order_blocks(cl_uint *order, size_t blocks, size_t chunk, cl_uint *chunks)
{
	size_t count = blocks / chunk;
	uint64_t random = 1;
	for (size_t i = 0; i < count; i++)
		chunks[i] = (cl_uint)i;
	shuffle(chunks, count, &random);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < chunk; k++)
			order[i * chunk + k] = (cl_uint)(chunks[i] * chunk + k);
		shuffle(order + i * chunk, chunk, &random);
	}
}

static enum status write_cycle(struct bench *bench, const cl_uint *next, size_t bytes, bool is_out,
                               struct error *error)
{
	cl_int code = clEnqueueWriteBuffer(bench->opencl->queue, bench->data, CL_TRUE, 0, bytes,
	                                   next, 0, NULL, NULL);
	if (code == CL_SUCCESS)
		code = clEnqueueWriteBuffer(bench->opencl->queue, bench->scratch, CL_TRUE, 0,
		                            sizeof *next, &next[0], 0, NULL, NULL);
	/* out of the caches with what was just written, where memory is meant */
	if (code == CL_SUCCESS && is_out)
		code = clEnqueueFillBuffer(bench->opencl->queue, bench->data, next, sizeof *next,
		                           bytes, bench->data_bytes - bytes, 0, NULL, NULL);
	return code == CL_SUCCESS ? STATUS_OK : opencl_failure("clEnqueueWriteBuffer", code, error);
}

static enum status follow(struct bench *bench, struct bench_run *run, size_t blocks, bool is_around,
                          struct error *error)
{
	enum status status = STATUS_OK;
	run->argument[0] = ARG_MEM(bench->data);
	run->argument[1] = ARG_MEM(bench->scratch);
	/* once around: what was written elsewhere is brought as near as it comes */
	if (is_around) {
		double event_s, spent_s;
		run->argument[2] = ARG_UINT(blocks);
		status = bench_once(bench, run, &event_s, &spent_s, error);
	}
	run->argument[2] = ARG_UINT(256);
	if (status == STATUS_OK)
		status = bench_lengthen_argument(bench, run, 2, 1u << 22, error);
	return status == STATUS_OK ? bench_time(bench, run, 1, error) : status;
}

enum status memory_time_cycle(struct bench *bench, double bytes, size_t chunk_bytes, bool is_out,
                              double *latency_s, double *standard_error, struct error *error)
{
	const size_t apart = bench->is_gpu ? 32 : 16; /* words: a line of 128 or 64 bytes */
	size_t blocks = (size_t)(bytes / 4) / apart, chunk = chunk_bytes / 4 / apart;
	struct bench_run run = {.groups = 1, .local = 1};
	enum status status = bench_kernel(bench, "chase", &run.kernel, error);
	if (chunk == 0 || chunk > blocks)
		chunk = blocks;
	if (status != STATUS_OK || blocks < 2)
		return status;
	blocks -= blocks % chunk;
	cl_uint *next = calloc(blocks * apart, sizeof *next);
	cl_uint *order = calloc(2 * blocks, sizeof *order);
	if (next == NULL || order == NULL) {
		status = error_set(error, STATUS_NO_MEMORY, "a cycle of reads: out of memory");
		goto out;
	}
	order_blocks(order, blocks, chunk, order + blocks);
	for (size_t i = 0; i < blocks; i++)
		next[order[i] * apart] = (cl_uint)(order[(i + 1) % blocks] * apart);
	status = write_cycle(bench, next, blocks * apart * sizeof *next, is_out, error);
	if (status == STATUS_OK)
		status = follow(bench, &run, blocks, !is_out && bytes < AROUND_BYTES, error);
	if (status == STATUS_OK) {
		*latency_s = run.time_s * (bench->has_cpu_clock ? bench->units : 1) /
		             run.argument[2].value.u32;
		*standard_error = run.standard_error;
	}
out:
	free(next);
	free(order);
	return status;
}
