/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies between host memory and the device, timed by the host's clock: of pageable and
 * of pinned memory.
 *
 * A device copies pageable memory through a buffer of the driver's; memory that the driver
 * allocates it reads by itself (OpenCL Best Practices Guide, section 3.1.1). Where host and
 * device are one, the figures are the same.
 *
 * The same few bytes, copied again and again, lie in the host's caches. Data of programs often do
 * not: so copies also go round windows of several sizes, until the host's caches hold none of it.
 */
#include "daemon/calibrator/bench.h"

#include <math.h>
#include <stdlib.h>

#include "daemon/calibrator/repeats.h"

#define SMALL_BYTES ((size_t)4096)
#define LARGE_BYTES ((size_t)32 << 20)

/* Copies of LARGE_BYTES go round a window of 2^i times as much: i to WINDOWS - 1. */
enum { WINDOWS = 4 };

struct copies {
	double median_s, standard_error;
};

/* Copies of `bytes`, one after another in a window of host and device. */
static enum status time_copies(struct bench *bench, void *host, size_t bytes, size_t window,
                               bool is_write, struct copies *copies, struct error *error)
{
	struct repeats *repeats = calloc(1, sizeof *repeats);
	enum status status = STATUS_OK;
	if (repeats == NULL)
		return error_set(error, STATUS_NO_MEMORY, "repeats: out of memory");
	double until_s = clock_now_s() + (bench->is_quick ? 0.04 : 0.5);
	int first = (int)(window / bytes); /* these touch new pages */
	for (int i = 0; i < 200; i++) {
		size_t at = bytes * ((size_t)i % (window / bytes));
		char *there = (char *)host + at;
		if (i > 5 + first &&
		    (clock_now_s() > until_s || (i > 30 && repeats_standard_error(repeats) < 0.01)))
			break;
		if (bench_is_late(bench)) {
			status = error_set(error, STATUS_TIMEOUT, "the calibration's time is up");
			break;
		}
		double start_s = clock_now_s();
		cl_int code =
		        is_write ? clEnqueueWriteBuffer(bench->opencl->queue, bench->data, CL_TRUE,
		                                        at, bytes, there, 0, NULL, NULL)
		                 : clEnqueueReadBuffer(bench->opencl->queue, bench->data, CL_TRUE,
		                                       at, bytes, there, 0, NULL, NULL);
		if (code != CL_SUCCESS) {
			status = opencl_failure(is_write ? "clEnqueueWriteBuffer"
			                                 : "clEnqueueReadBuffer",
			                        code, error);
			break;
		}
		if (i >= first)
			repeats_add(repeats, clock_now_s() - start_s);
	}
	repeats_quiet(repeats, repeats);
	copies->median_s = repeats_quantile(repeats, 0.5);
	copies->standard_error = repeats_standard_error(repeats);
	free(repeats);
	return status;
}

/*
 * Where the host's caches end: copies round a window of so many bytes take as long as midway
 * between those that lie in them and those that do not. A window of twice what they hold has
 * nothing left in them, so they hold two thirds of that.
 */
static double near_bytes(const double times_s[WINDOWS], unsigned count)
{
	double middle_s = 0.5 * (times_s[0] + times_s[count - 1]);
	unsigned i = 1;
	while (i + 1 < count && times_s[i] < middle_s)
		i++;
	double part = times_s[i] > times_s[i - 1]
	                      ? (middle_s - times_s[i - 1]) / (times_s[i] - times_s[i - 1])
	                      : 1;
	return (double)LARGE_BYTES * exp2(i - 1 + fmin(fmax(part, 0), 1)) / 1.5;
}

/* Rates of copies that lie in no cache, of one kind of host memory one way. */
static enum status time_far(struct bench *bench, const struct opencl_host *host, size_t size,
                            bool is_write, double near_s, unsigned far, struct error *error)
{
	double times_s[WINDOWS] = {near_s};
	struct copies copies = {0};
	unsigned count = 1;
	for (; count < WINDOWS && LARGE_BYTES << count <= size; count++) {
		enum status status = time_copies(bench, host->bytes, LARGE_BYTES,
		                                 LARGE_BYTES << count, is_write, &copies, error);
		if (status != STATUS_OK)
			return status;
		times_s[count] = copies.median_s;
	}
	if (count < 3)
		return STATUS_OK; /* too small a window to tell anything */
	bench_set(bench, far, (double)LARGE_BYTES / fmax(times_s[count - 1], near_s),
	          copies.standard_error);
	if (host->pinned == NULL && is_write)
		bench_set(bench, COEFFICIENT_NEAR_BYTES, near_bytes(times_s, count),
		          copies.standard_error);
	return STATUS_OK;
}

/* One kind of host memory, both ways. */
static enum status time_memory(struct bench *bench, const struct opencl_host *host, size_t size,
                               struct error *error)
{
	static const struct {
		unsigned latency, bandwidth, far;
	} ids[2][2] = {{{COEFFICIENT_D2H_LATENCY, COEFFICIENT_D2H_BANDWIDTH, COEFFICIENT_D2H_FAR},
	                {COEFFICIENT_H2D_LATENCY, COEFFICIENT_H2D_BANDWIDTH, COEFFICIENT_H2D_FAR}},
	               {{COEFFICIENT_PINNED_D2H_LATENCY, COEFFICIENT_PINNED_D2H_BANDWIDTH,
	                 COEFFICIENT_PINNED_D2H_FAR},
	                {COEFFICIENT_PINNED_H2D_LATENCY, COEFFICIENT_PINNED_H2D_BANDWIDTH,
	                 COEFFICIENT_PINNED_H2D_FAR}}};
	enum status status = STATUS_OK;
	unsigned kind = host->pinned != NULL;
	double near_s[2];
	size_t large = size < LARGE_BYTES ? size : LARGE_BYTES;
	for (int is_write = 0; is_write < 2 && status == STATUS_OK; is_write++) {
		struct copies few, many;
		status = time_copies(bench, host->bytes, SMALL_BYTES, SMALL_BYTES, is_write == 1,
		                     &few, error);
		if (status == STATUS_OK)
			status = time_copies(bench, host->bytes, large, large, is_write == 1, &many,
			                     error);
		if (status != STATUS_OK)
			break;
		double byte_s =
		        fmax(many.median_s - few.median_s, 1e-12) / (double)(large - SMALL_BYTES);
		bench_set(bench, ids[kind][is_write].bandwidth, 1 / byte_s, many.standard_error);
		bench_set(bench, ids[kind][is_write].latency,
		          fmax(few.median_s - (double)SMALL_BYTES * byte_s, 0), few.standard_error);
		near_s[is_write] = many.median_s;
	}
	for (int is_write = 1; is_write >= 0 && status == STATUS_OK; is_write--)
		status = time_far(bench, host, size, is_write == 1, near_s[is_write],
		                  ids[kind][is_write].far, error);
	return status;
}

/* Bytes of host and device that copies go round, or what there is; 0: too few to tell anything. */
static enum status find_size(struct bench *bench, size_t *size, struct error *error)
{
	size_t wanted = LARGE_BYTES << (bench->is_quick ? WINDOWS - 2 : WINDOWS - 1);
	enum status status = bench_grow_data(bench, wanted, error);
	*size = bench->data_bytes < wanted ? bench->data_bytes : wanted;
	*size = *size > SMALL_BYTES ? *size : 0;
	return status;
}

/* Less, where there is no memory for as much as there is on the device. */
static enum status host_find(struct bench *bench, size_t *size, bool is_pinned,
                             struct opencl_host *host, struct error *error)
{
	enum status status = opencl_host_new(bench->opencl, *size, is_pinned, host, error);
	if (status == STATUS_OK || *size <= LARGE_BYTES)
		return status;
	*size = LARGE_BYTES;
	return opencl_host_new(bench->opencl, *size, is_pinned, host, error);
}

enum status calibrate_transfer(struct bench *bench, struct error *error)
{
	size_t large;
	enum status status = find_size(bench, &large, error);
	for (int is_pinned = 0; is_pinned < 2 && status == STATUS_OK && large > 0; is_pinned++) {
		struct opencl_host host;
		size_t size = large;
		status = host_find(bench, &size, is_pinned == 1, &host, error);
		if (status != STATUS_OK)
			break;
		status = time_memory(bench, &host, size, error);
		opencl_host_free(bench->opencl, &host);
	}
	return status;
}
