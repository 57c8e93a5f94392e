/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies between host memory and the device, timed by the host's clock: of pageable and
 * of pinned memory, and how much of one a running kernel hides.
 *
 * A device copies pageable memory through a buffer of the driver's; memory that the driver
 * allocates it reads by itself, and at the same time as it computes, if it has an engine for
 * that (OpenCL Best Practices Guide, sections 3.1.1 and 3.1.2). Where host and device are
 * one, the figures are the same.
 */
#include "daemon/calibrator/bench.h"

#include <math.h>
#include <stdlib.h>

#include "daemon/calibrator/sample.h"

#define SMALL_BYTES ((size_t)4096)
#define LARGE_BYTES ((size_t)32 << 20)

struct copies {
	double median_s, standard_error;
};

static enum status time_copies(struct bench *bench, void *host, size_t bytes, bool is_write,
                               struct copies *copies, struct error *error)
{
	struct sample *sample = calloc(1, sizeof *sample);
	enum status status = STATUS_OK;
	if (sample == NULL)
		return error_set(error, STATUS_NO_MEMORY, "samples: out of memory");
	double until_s = clock_now_s() + (bench->is_quick ? 0.04 : 0.5);
	for (int i = 0; i < 200; i++) {
		if (i > 5 &&
		    (clock_now_s() > until_s || (i > 30 && sample_standard_error(sample) < 0.01)))
			break;
		if (bench_is_late(bench)) {
			status = error_set(error, STATUS_TIMEOUT, "the calibration's time is up");
			break;
		}
		double start_s = clock_now_s();
		cl_int code = is_write
		                      ? clEnqueueWriteBuffer(bench->opencl->queue, bench->data,
		                                             CL_TRUE, 0, bytes, host, 0, NULL, NULL)
		                      : clEnqueueReadBuffer(bench->opencl->queue, bench->data,
		                                            CL_TRUE, 0, bytes, host, 0, NULL, NULL);
		if (code != CL_SUCCESS) {
			status = opencl_failure(is_write ? "clEnqueueWriteBuffer"
			                                 : "clEnqueueReadBuffer",
			                        code, error);
			break;
		}
		if (i > 0) /* the first touches new pages */
			sample_add(sample, clock_now_s() - start_s);
	}
	sample_quiet(sample, sample);
	copies->median_s = sample_quantile(sample, 0.5);
	copies->standard_error = sample_standard_error(sample);
	free(sample);
	return status;
}

/* One kind of host memory, both ways. */
static enum status time_memory(struct bench *bench, const struct opencl_host *host, size_t large,
                               struct error *error)
{
	static const struct {
		unsigned latency, bandwidth;
	} ids[2][2] = {{{COEFFICIENT_D2H_LATENCY, COEFFICIENT_D2H_BANDWIDTH},
	                {COEFFICIENT_H2D_LATENCY, COEFFICIENT_H2D_BANDWIDTH}},
	               {{COEFFICIENT_PINNED_D2H_LATENCY, COEFFICIENT_PINNED_D2H_BANDWIDTH},
	                {COEFFICIENT_PINNED_H2D_LATENCY, COEFFICIENT_PINNED_H2D_BANDWIDTH}}};
	enum status status = STATUS_OK;
	for (int is_write = 0; is_write < 2 && status == STATUS_OK; is_write++) {
		struct copies few, many;
		status = time_copies(bench, host->bytes, SMALL_BYTES, is_write == 1, &few, error);
		if (status == STATUS_OK)
			status =
			        time_copies(bench, host->bytes, large, is_write == 1, &many, error);
		if (status != STATUS_OK)
			break;
		double byte_s =
		        fmax(many.median_s - few.median_s, 1e-12) / (double)(large - SMALL_BYTES);
		bench_set(bench, ids[host->pinned != NULL][is_write].bandwidth, 1 / byte_s,
		          many.standard_error);
		bench_set(bench, ids[host->pinned != NULL][is_write].latency,
		          fmax(few.median_s - (double)SMALL_BYTES * byte_s, 0), few.standard_error);
	}
	return status;
}

/* ---- copies beside a kernel ---------------------------------------------------------------- */

/* A kernel on one queue and a copy on another; each may be left out. */
struct side_by_side {
	struct bench *bench;
	cl_command_queue other;
	const struct bench_run *run;
	const struct opencl_host *host;
	size_t bytes;
	bool is_write;
};

static enum status run_together(const struct side_by_side *side, bool with_kernel, bool with_copy,
                                double *time_s, struct error *error)
{
	const struct bench *bench = side->bench;
	cl_command_queue queue = bench->opencl->queue;
	size_t items = side->run->groups * side->run->local;
	cl_int code = CL_SUCCESS;
	double start_s = clock_now_s();
	if (with_kernel)
		code = clEnqueueNDRangeKernel(queue, side->run->kernel, 1, NULL, &items,
		                              &side->run->local, 0, NULL, NULL);
	if (with_kernel && code == CL_SUCCESS)
		code = clFlush(queue);
	if (with_copy && code == CL_SUCCESS)
		code = side->is_write
		               ? clEnqueueWriteBuffer(side->other, bench->data, CL_FALSE, 0,
		                                      side->bytes, side->host->bytes, 0, NULL, NULL)
		               : clEnqueueReadBuffer(side->other, bench->data, CL_FALSE, 0,
		                                     side->bytes, side->host->bytes, 0, NULL, NULL);
	cl_int other = clFinish(side->other), own = clFinish(queue);
	*time_s = clock_now_s() - start_s;
	code = code != CL_SUCCESS ? code : other != CL_SUCCESS ? other : own;
	return code == CL_SUCCESS ? STATUS_OK
	                          : opencl_failure("a copy beside a kernel", code, error);
}

/*
 * The share of the shorter of the two that the longer hides: (kernel + copy - both) /
 * min(kernel, copy), between 0 and 1.
 */
static enum status time_overlap(const struct side_by_side *side, unsigned id, struct error *error)
{
	struct bench *bench = side->bench;
	struct sample *sample = calloc(1, sizeof *sample);
	enum status status = STATUS_OK;
	unsigned rounds = bench->is_quick ? 7 : 31;
	if (sample == NULL)
		return error_set(error, STATUS_NO_MEMORY, "samples: out of memory");
	for (unsigned i = 0; i < rounds && status == STATUS_OK; i++) {
		double kernel_s, copy_s, both_s;
		status = run_together(side, true, false, &kernel_s, error);
		if (status == STATUS_OK)
			status = run_together(side, false, true, &copy_s, error);
		if (status == STATUS_OK)
			status = run_together(side, true, true, &both_s, error);
		if (status == STATUS_OK && bench_is_late(bench))
			status = error_set(error, STATUS_TIMEOUT, "the calibration's time is up");
		if (status == STATUS_OK && i > 0)
			sample_add(sample,
			           1 + (kernel_s + copy_s - both_s) / fmin(kernel_s, copy_s));
	}
	/* beyond 1, so that the error is not relative to something near nothing */
	double median = sample_quantile(sample, 0.5);
	double share = fmin(fmax(median - 1, 0), 1);
	if (status == STATUS_OK)
		bench_set(bench, id, share,
		          fmin(sample_standard_error(sample) * median / fmax(share, 0.01), 1));
	free(sample);
	return status;
}

static enum status time_both_ways(struct side_by_side *side, struct bench_run *run,
                                  struct error *error)
{
	struct bench *bench = side->bench;
	double target_s = bench->target_s, event_s, spent_s, copy_s;
	enum status status = STATUS_OK;
	for (int is_write = 0; is_write < 2 && status == STATUS_OK; is_write++) {
		side->is_write = is_write == 1;
		/* the first touches new pages; then a kernel as long as the copy */
		status = run_together(side, false, true, &copy_s, error);
		if (status == STATUS_OK)
			status = run_together(side, false, true, &copy_s, error);
		if (status != STATUS_OK)
			break;
		run->argument[2] = ARG_INT(1);
		bench->target_s = copy_s;
		status = bench_lengthen_argument(bench, run, 2, 1u << 24, error);
		bench->target_s = target_s;
		if (status == STATUS_OK)
			status = bench_once(bench, run, &event_s, &spent_s, error);
		if (status == STATUS_OK)
			status = time_overlap(
			        side, is_write ? COEFFICIENT_OVERLAP_H2D : COEFFICIENT_OVERLAP_D2H,
			        error);
	}
	return status;
}

/* Bytes that are copied: many, or what there is; 0: too few to tell anything. */
static enum status find_large(struct bench *bench, size_t *large, struct error *error)
{
	enum status status = bench_grow_data(bench, LARGE_BYTES, error);
	*large = bench->data_bytes < LARGE_BYTES ? bench->data_bytes : LARGE_BYTES;
	*large = *large > SMALL_BYTES ? *large : 0;
	return status;
}

/* ---- families ------------------------------------------------------------------------------ */

enum status calibrate_transfer(struct bench *bench, struct error *error)
{
	size_t large;
	enum status status = find_large(bench, &large, error);
	for (int is_pinned = 0; is_pinned < 2 && status == STATUS_OK && large > 0; is_pinned++) {
		struct opencl_host host;
		status = opencl_host_new(bench->opencl, large, is_pinned == 1, &host, error);
		if (status != STATUS_OK)
			break;
		status = time_memory(bench, &host, large, error);
		opencl_host_free(bench->opencl, &host);
	}
	return status;
}

enum status calibrate_transfer_overlap(struct bench *bench, struct error *error)
{
	struct bench_run run = {.groups = 16 * (size_t)bench->units,
	                        .local = bench->local,
	                        .argument = {ARG_MEM(bench->scratch), ARG_INT(0), ARG_INT(1),
	                                     ARG_FLOAT(1), ARG_INT(3)}};
	struct opencl_host host = {.bytes = NULL};
	struct side_by_side side = {.bench = bench, .run = &run, .host = &host};
	cl_int code;
	enum status status = find_large(bench, &side.bytes, error);
	if (status != STATUS_OK || side.bytes == 0)
		return status;
	status = bench_kernel(bench, "chain", &run.kernel, error);
	if (status == STATUS_OK)
		status = opencl_host_new(bench->opencl, side.bytes, true, &host, error);
	if (status != STATUS_OK)
		return status;
	side.other = clCreateCommandQueue(bench->opencl->context, bench->opencl->device, 0, &code);
	if (side.other != NULL) {
		status = time_both_ways(&side, &run, error);
		clReleaseCommandQueue(side.other);
	} else {
		status = opencl_failure("clCreateCommandQueue", code, error);
	}
	opencl_host_free(bench->opencl, &host);
	return status;
}
