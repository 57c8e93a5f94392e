/* SPDX-License-Identifier: Apache-2.0 */
/* One side of a pair: loads of three kinds, and their rates. */
#include "daemon/calibrator/side.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/calibrator/kernels_side.h"
#include "model/device/contention.h"

/* A launch: long beside what it takes to begin it, short beside a phase of a tenth of a second. */
#define PIECE_S 2e-3

/* Of what is streamed: four times the last cache, within what a device has for certain. */
#define STREAM_LEAST ((size_t)64 << 20)
#define STREAM_MOST  ((size_t)512 << 20)
#define COPY_BYTES   ((size_t)32 << 20)

enum { AHEAD = 2 /* launches in the queue, so that the device need not wait for the host */ };

struct side {
	struct opencl *opencl;
	cl_program program;
	cl_kernel compute, memory;
	cl_mem from, to;
	struct opencl_host host;
	size_t stream_bytes; /* of `from` and of `to` */
	size_t copy_bytes;   /* of `host` */
	size_t compute_items, local;
	cl_uint trips;
	size_t pieces[LOAD_COUNT]; /* bytes of one launch or copy, of LOAD_MEMORY and LOAD_TRANSFER
	                            */
	size_t at[LOAD_COUNT];     /* where the next one begins */
	bool is_back;              /* the next copy is from the device */
};

enum status side_write(int output, const char *line, struct error *error)
{
	size_t size = strlen(line);
	while (size > 0) {
		ssize_t written = write(output, line, size);
		if (written <= 0)
			return error_set(error, STATUS_IO, "a side's output: nobody reads it");
		line += written;
		size -= (size_t)written;
	}
	return STATUS_OK;
}

/* ---- loads --------------------------------------------------------------------------------- */

static enum status enqueue_kernel(struct side *side, cl_kernel kernel, size_t offset, size_t items,
                                  cl_event *event, struct error *error)
{
	cl_int code = clEnqueueNDRangeKernel(side->opencl->queue, kernel, 1, &offset, &items,
	                                     &side->local, 0, NULL, event);
	return code == CL_SUCCESS ? STATUS_OK
	                          : opencl_failure("clEnqueueNDRangeKernel", code, error);
}

/* A piece of so many bytes, behind the one before, round and round. */
static size_t next_at(struct side *side, enum load load, size_t bytes, size_t all)
{
	if (side->at[load] + bytes > all)
		side->at[load] = 0;
	size_t at = side->at[load];
	side->at[load] += bytes;
	return at;
}

static enum status enqueue_copy(struct side *side, cl_event *event, struct error *error)
{
	size_t bytes = side->pieces[LOAD_TRANSFER];
	/* back is what was sent last */
	size_t at = side->is_back ? side->at[LOAD_TRANSFER] - bytes
	                          : next_at(side, LOAD_TRANSFER, bytes, side->copy_bytes);
	char *host = (char *)side->host.bytes + at;
	cl_int code = side->is_back
	                      ? clEnqueueReadBuffer(side->opencl->queue, side->from, CL_FALSE, at,
	                                            bytes, host, 0, NULL, event)
	                      : clEnqueueWriteBuffer(side->opencl->queue, side->from, CL_FALSE, at,
	                                             bytes, host, 0, NULL, event);
	if (code != CL_SUCCESS)
		return opencl_failure(side->is_back ? "clEnqueueReadBuffer"
		                                    : "clEnqueueWriteBuffer",
		                      code, error);
	side->is_back = !side->is_back;
	return STATUS_OK;
}

/* One piece of a load. */
static enum status enqueue(struct side *side, enum load load, cl_event *event, struct error *error)
{
	const size_t item = 4 * sizeof(cl_float);
	switch (load) {
	case LOAD_COMPUTE:
		return enqueue_kernel(side, side->compute, 0, side->compute_items, event, error);
	case LOAD_MEMORY: {
		size_t bytes = side->pieces[LOAD_MEMORY];
		size_t at = next_at(side, LOAD_MEMORY, bytes, side->stream_bytes);
		return enqueue_kernel(side, side->memory, at / item, bytes / item, event, error);
	}
	default:
		return enqueue_copy(side, event, error);
	}
}

static enum status wait_for(struct opencl *opencl, cl_event event, struct error *error)
{
	(void)clFlush(opencl->queue);
	cl_int code = clWaitForEvents(1, &event), state = CL_COMPLETE;
	if (code == CL_SUCCESS)
		code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state,
		                      &state, NULL);
	clReleaseEvent(event);
	if (code != CL_SUCCESS)
		return opencl_failure("clWaitForEvents", code, error);
	return state < 0 ? opencl_failure("a load's event", state, error) : STATUS_OK;
}

/*
 * Works from now until the span's end, and says how many pieces fell within it; of one that began
 * before or ended behind, the part that did.
 */
static enum status work(struct side *side, enum load load, double begin_s, double end_s,
                        double *pieces, struct error *error)
{
	cl_event events[AHEAD] = {NULL};
	enum status status = STATUS_OK;
	size_t first = 0, count = 0;
	double before_s = clock_now_s(), now_s = before_s;
	*pieces = 0;
	while (status == STATUS_OK && (now_s < end_s || count > 0)) {
		for (; count < AHEAD && now_s < end_s && status == STATUS_OK; count++)
			status = enqueue(side, load, &events[(first + count) % AHEAD], error);
		if (status != STATUS_OK) {
			count--; /* that one is not there */
			break;
		}
		status = wait_for(side->opencl, events[first], error);
		first = (first + 1) % AHEAD;
		count--;
		now_s = clock_now_s();
		double within_s = fmin(now_s, end_s) - fmax(before_s, begin_s);
		if (within_s > 0)
			*pieces += now_s > before_s ? within_s / (now_s - before_s) : 1;
		before_s = now_s;
	}
	for (; count > 0; count--, first = (first + 1) % AHEAD)
		clReleaseEvent(events[first]);
	return status;
}

/* ---- preparing ----------------------------------------------------------------------------- */

/* The second of two pieces: the first one may compile, or touch new pages. */
static enum status time_piece(struct side *side, enum load load, double *time_s,
                              struct error *error)
{
	enum status status = STATUS_OK;
	for (int i = 0; i < 2 && status == STATUS_OK; i++) {
		cl_event event = NULL;
		double start_s = clock_now_s();
		status = enqueue(side, load, &event, error);
		if (status == STATUS_OK)
			status = wait_for(side->opencl, event, error);
		*time_s = clock_now_s() - start_s;
	}
	return status;
}

static enum status size_trips(struct side *side, struct error *error)
{
	enum status status = STATUS_OK;
	double time_s = 0;
	for (side->trips = 64; status == STATUS_OK && side->trips < (1u << 24); side->trips *= 2) {
		cl_int code = clSetKernelArg(side->compute, 1, sizeof side->trips, &side->trips);
		if (code != CL_SUCCESS)
			return opencl_failure("clSetKernelArg", code, error);
		status = time_piece(side, LOAD_COMPUTE, &time_s, error);
		if (time_s >= PIECE_S)
			break;
	}
	return status;
}

static enum status size_bytes(struct side *side, enum load load, size_t all, struct error *error)
{
	enum status status = STATUS_OK;
	double time_s = 0;
	for (side->pieces[load] = (size_t)256 << 10; status == STATUS_OK; side->pieces[load] *= 2) {
		status = time_piece(side, load, &time_s, error);
		/* at least four pieces: one alone would stay in the cache */
		if (time_s >= PIECE_S || side->pieces[load] * 8 > all)
			break;
	}
	return status;
}

static size_t floor_power(size_t size)
{
	size_t power = 1;
	while (power <= size / 2)
		power *= 2;
	return power;
}

static size_t stream_size(const struct opencl *opencl, const struct device *device)
{
	cl_ulong cache = 0;
	(void)clGetDeviceInfo(opencl->device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof cache, &cache,
	                      NULL);
	double most = fmin((double)STREAM_MOST, (double)device->global_bytes / 16);
	if (device->max_allocation_bytes > 0)
		most = fmin(most, (double)device->max_allocation_bytes);
	double wanted = fmax(4 * (double)cache, (double)STREAM_LEAST);
	return floor_power((size_t)fmax(fmin(wanted, most), (double)((size_t)4 << 20)));
}

static enum status set_arguments(struct side *side, struct error *error)
{
	const cl_float factor = 0.5f;
	side->trips = 1;
	cl_int code = clSetKernelArg(side->compute, 0, sizeof side->to, &side->to);
	if (code == CL_SUCCESS)
		code = clSetKernelArg(side->compute, 1, sizeof side->trips, &side->trips);
	if (code == CL_SUCCESS)
		code = clSetKernelArg(side->compute, 2, sizeof factor, &factor);
	if (code == CL_SUCCESS)
		code = clSetKernelArg(side->memory, 0, sizeof side->from, &side->from);
	if (code == CL_SUCCESS)
		code = clSetKernelArg(side->memory, 1, sizeof side->to, &side->to);
	return code == CL_SUCCESS ? STATUS_OK : opencl_failure("clSetKernelArg", code, error);
}

static enum status prepare(struct side *side, const struct device *device, struct error *error)
{
	struct opencl *opencl = side->opencl;
	side->stream_bytes = stream_size(opencl, device);
	side->copy_bytes = side->stream_bytes < COPY_BYTES ? side->stream_bytes : COPY_BYTES;
	side->local = device->max_group_items < 64 ? 1 : 64;
	/* eight groups a unit, and on a GPU so many that each unit has all the warps that it holds
	 */
	side->compute_items = side->local *
	                      (device->compute_units > 0 ? device->compute_units : 1) *
	                      (device->type == DEVICE_GPU ? 64 : 8);
	enum status status = opencl_build(opencl, kernels_side_cl, strlen(kernels_side_cl), "",
	                                  &side->program, error);
	if (status == STATUS_OK)
		status = opencl_kernel(side->program, "compute", &side->compute, error);
	if (status == STATUS_OK)
		status = opencl_kernel(side->program, "memory", &side->memory, error);
	if (status == STATUS_OK)
		status = opencl_buffer(opencl, side->stream_bytes, &side->from, error);
	if (status == STATUS_OK)
		status = opencl_buffer(opencl, side->stream_bytes, &side->to, error);
	if (status == STATUS_OK)
		status = opencl_host_new(opencl, side->copy_bytes, false, &side->host, error);
	if (status == STATUS_OK)
		status = set_arguments(side, error);
	if (status == STATUS_OK)
		status = size_trips(side, error);
	if (status == STATUS_OK)
		status = size_bytes(side, LOAD_MEMORY, side->stream_bytes, error);
	if (status == STATUS_OK)
		status = size_bytes(side, LOAD_TRANSFER, side->copy_bytes, error);
	return status;
}

static void deinit(struct side *side)
{
	opencl_host_free(side->opencl, &side->host);
	if (side->from != NULL)
		clReleaseMemObject(side->from);
	if (side->to != NULL)
		clReleaseMemObject(side->to);
	if (side->compute != NULL)
		clReleaseKernel(side->compute);
	if (side->memory != NULL)
		clReleaseKernel(side->memory);
	if (side->program != NULL)
		clReleaseProgram(side->program);
}

/* ---- serving ------------------------------------------------------------------------------- */

static enum status run_line(struct side *side, const char *line, int output, struct error *error)
{
	char name[16], answer[64];
	int64_t begin_ns, length_ns;
	double pieces;
	enum load load = LOAD_COMPUTE;
	if (sscanf(line, "run %15s %" SCNd64 " %" SCNd64, name, &begin_ns, &length_ns) != 3 ||
	    length_ns <= 0)
		return error_set(error, STATUS_INVALID,
		                 "want \"run LOAD BEGIN_NS LENGTH_NS\", got \"%.80s\"", line);
	while (load < LOAD_COUNT && strcmp(load_name(load), name) != 0)
		load++;
	if (load == LOAD_COUNT)
		return error_set(error, STATUS_INVALID,
		                 "want a load of compute, memory or transfer, got \"%s\"", name);
	double begin_s = 1e-9 * (double)begin_ns, length_s = 1e-9 * (double)length_ns;
	enum status status = work(side, load, begin_s, begin_s + length_s, &pieces, error);
	if (status != STATUS_OK)
		return status;
	(void)snprintf(answer, sizeof answer, "done %.9g\n", pieces / length_s);
	return side_write(output, answer, error);
}

enum status side_serve(struct opencl *opencl, const struct device *device, int input, int output,
                       struct error *error)
{
	struct side side = {.opencl = opencl};
	char line[SIDE_LINE_MAX];
	FILE *lines = fdopen(input, "r");
	if (lines == NULL)
		return error_set(error, STATUS_IO, "standard input: cannot be read");
	enum status status = prepare(&side, device, error);
	if (status == STATUS_OK) {
		(void)snprintf(line, sizeof line, "ready %.200s\n", device->name);
		status = side_write(output, line, error);
	}
	while (status == STATUS_OK && fgets(line, sizeof line, lines) != NULL)
		status = run_line(&side, line, output, error);
	deinit(&side);
	(void)fclose(lines);
	return status;
}
