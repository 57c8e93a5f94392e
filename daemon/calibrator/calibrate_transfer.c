/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies between host memory and the device, timed by the host's clock: of pageable and
 * of pinned memory.
 *
 * A device copies pageable memory through a buffer of the driver's; memory that the driver
 * allocates it reads by itself (OpenCL Best Practices Guide, section 3.1.1). Where host and
 * device are one, the figures are the same.
 */
#include "daemon/calibrator/bench.h"

#include <math.h>
#include <stdlib.h>

#include "daemon/calibrator/repeats.h"

#define SMALL_BYTES ((size_t)4096)
#define LARGE_BYTES ((size_t)32 << 20)

struct copies {
	double median_s, standard_error;
};

static enum status time_copies(struct bench *bench, void *host, size_t bytes, bool is_write,
                               struct copies *copies, struct error *error)
{
	struct repeats *repeats = calloc(1, sizeof *repeats);
	enum status status = STATUS_OK;
	if (repeats == NULL)
		return error_set(error, STATUS_NO_MEMORY, "repeats: out of memory");
	double until_s = clock_now_s() + (bench->is_quick ? 0.04 : 0.5);
	for (int i = 0; i < 200; i++) {
		if (i > 5 &&
		    (clock_now_s() > until_s || (i > 30 && repeats_standard_error(repeats) < 0.01)))
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
			repeats_add(repeats, clock_now_s() - start_s);
	}
	repeats_quiet(repeats, repeats);
	copies->median_s = repeats_quantile(repeats, 0.5);
	copies->standard_error = repeats_standard_error(repeats);
	free(repeats);
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

/* Bytes that are copied: many, or what there is; 0: too few to tell anything. */
static enum status find_large(struct bench *bench, size_t *large, struct error *error)
{
	enum status status = bench_grow_data(bench, LARGE_BYTES, error);
	*large = bench->data_bytes < LARGE_BYTES ? bench->data_bytes : LARGE_BYTES;
	*large = *large > SMALL_BYTES ? *large : 0;
	return status;
}

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
