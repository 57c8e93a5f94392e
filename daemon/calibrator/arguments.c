/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a kernel that is measured: made, filled, set, copied. */
#include "daemon/calibrator/arguments.h"
#include "daemon/calibrator/argument_declared.h"
#include "daemon/calibrator/argument_image.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/calibrator/repeats.h"
#include "model/device/launch.h"
#include "proto/init.h"

enum { FILL_BYTES = 16 << 20, SCALAR_BYTES = 128, COPIES = 5 };

uint16_t half_bits(double value)
{
	uint16_t sign = signbit(value) ? 0x8000 : 0;
	double magnitude = fabs(value);
	int exponent;
	if (isnan(value))
		return 0x7e00;
	if (magnitude >= 65520) /* rounds beyond the largest, 65504 */
		return (uint16_t)(sign | 0x7c00);
	if (magnitude < 0x1p-14) /* subnormal: multiples of 2^-24; 1024 of them carry over */
		return (uint16_t)(sign | (uint16_t)nearbyint(magnitude * 0x1p24));
	double fraction = frexp(magnitude, &exponent); /* in [0.5, 1) */
	unsigned mantissa = (unsigned)nearbyint((fraction * 2 - 1) * 1024);
	return (uint16_t)(sign + (uint16_t)(((unsigned)(exponent + 14) << 10) + mantissa));
}

static size_t store_lane(enum scalar scalar, const Predictd__Argument *argument, size_t lane,
                         unsigned char *to)
{
	size_t bytes = scalar_bytes(scalar);
	if (type_is_real(type_scalar(scalar))) {
		double real = argument->reals[lane];
		float single = (float)real;
		uint16_t half = half_bits(real);
		const void *from = scalar == SCALAR_DOUBLE  ? (const void *)&real
		                   : scalar == SCALAR_FLOAT ? (const void *)&single
		                                            : (const void *)&half;
		memcpy(to, from, bytes);
	} else {
		/* little-endian two's complement: the low bytes are the value */
		uint64_t integer = (uint64_t)argument->integers[lane];
		for (size_t i = 0; i < bytes; i++)
			to[i] = (unsigned char)(integer >> (8 * i));
	}
	return bytes;
}

static enum status set_scalar(cl_kernel kernel, unsigned index, const Predictd__Argument *argument,
                              struct error *error)
{
	unsigned char bytes[SCALAR_BYTES] = {0};
	struct type type;
	if (!type_parse(argument->type, &type) || type.scalar == SCALAR_BOOL)
		return error_set(error, STATUS_INVALID, "argument %u: '%.32s' is no type", index,
		                 argument->type);
	size_t lanes = type_is_real(type) ? argument->n_reals : argument->n_integers;
	if (lanes != type.width)
		return error_set(error, STATUS_INVALID, "argument %u: %s wants %u values, has %zu",
		                 index, argument->type, (unsigned)type.width, lanes);
	size_t at = 0;
	for (size_t lane = 0; lane < lanes; lane++)
		at += store_lane((enum scalar)type.scalar, argument, lane, bytes + at);
	cl_int code = clSetKernelArg(kernel, index, type_bytes(type), bytes);
	if (code != CL_SUCCESS)
		return error_set(error, STATUS_INVALID, "argument %u (%s): clSetKernelArg: %s (%d)",
		                 index, argument->type, opencl_code_name(code), (int)code);
	return STATUS_OK;
}

static enum status set_bytes(cl_kernel kernel, unsigned index, uint64_t size, bool is_local,
                             const struct device *device, struct error *error)
{
	void *zeros = NULL;
	uint64_t most = is_local ? device->local_bytes : 1u << 16;
	if (size == 0 || size > most)
		return error_set(error, STATUS_LIMIT,
		                 "argument %u: %s of %llu bytes, want 1 to %llu", index,
		                 is_local ? "local memory" : "a struct", (unsigned long long)size,
		                 (unsigned long long)most);
	if (!is_local) {
		zeros = calloc(1, size);
		if (zeros == NULL)
			return error_set(error, STATUS_NO_MEMORY, "argument %u: out of memory",
			                 index);
	}
	cl_int code = clSetKernelArg(kernel, index, size, zeros);
	free(zeros);
	if (code != CL_SUCCESS)
		return error_set(error, STATUS_INVALID, "argument %u: clSetKernelArg: %s (%d)",
		                 index, opencl_code_name(code), (int)code);
	return STATUS_OK;
}

/* What a buffer holds when nothing says so: numbers where its elements are real, else zeros. */
static const char *default_init(cl_kernel kernel, unsigned index)
{
	char name[64] = "";
	if (clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL) !=
	    CL_SUCCESS)
		return "zero";
	name[sizeof name - 1] = '\0';
	if (strncmp(name, "float", 5) == 0)
		return "rand_float";
	if (strncmp(name, "double", 6) == 0)
		return "rand_double";
	return "zero";
}

static enum status fill_buffer(struct opencl *opencl, const struct argument_buffer *buffer,
                               const struct init *init, uint64_t seed, struct error *error)
{
	size_t room = buffer->bytes < FILL_BYTES ? buffer->bytes : FILL_BYTES;
	void *bytes = malloc(room);
	enum status status = STATUS_OK;
	if (bytes == NULL)
		return error_set(error, STATUS_NO_MEMORY, "a buffer's contents: out of memory");
	for (size_t at = 0; at < buffer->bytes && status == STATUS_OK; at += room) {
		size_t size = buffer->bytes - at < room ? buffer->bytes - at : room;
		init_fill(init, seed, at, bytes, size);
		cl_int code = clEnqueueWriteBuffer(opencl->queue, buffer->memory, CL_TRUE, at, size,
		                                   bytes, 0, NULL, NULL);
		if (code != CL_SUCCESS)
			status = opencl_failure("clEnqueueWriteBuffer", code, error);
	}
	free(bytes);
	return status;
}

static enum status copy_buffer(struct opencl *opencl, cl_mem from, cl_mem to, size_t bytes,
                               struct error *error)
{
	cl_int code = clEnqueueCopyBuffer(opencl->queue, from, to, 0, 0, bytes, 0, NULL, NULL);
	if (code == CL_SUCCESS)
		code = clFinish(opencl->queue);
	return code == CL_SUCCESS ? STATUS_OK : opencl_failure("clEnqueueCopyBuffer", code, error);
}

enum status arguments_restore(const struct arguments *arguments, struct opencl *opencl,
                              struct error *error)
{
	enum status status = STATUS_OK;
	for (size_t i = 0; i < arguments->count && status == STATUS_OK; i++) {
		const struct argument_buffer *buffer = &arguments->buffer[i];
		if (buffer->pristine != NULL)
			status = copy_buffer(opencl, buffer->pristine, buffer->memory,
			                     buffer->bytes, error);
	}
	return status;
}

static enum status set_buffer(struct argument_buffer *buffer, struct opencl *opencl,
                              cl_kernel kernel, unsigned index, const Predictd__Argument *argument,
                              struct error *error)
{
	struct init init;
	char problem[INIT_PROBLEM_MAX];
	uint64_t size = argument->size_bytes;
	const char *text = argument->init != NULL && argument->init[0] != '\0'
	                           ? argument->init
	                           : default_init(kernel, index);
	if (!init_open(text, &init, problem))
		return error_set(error, STATUS_INVALID, "%s", problem);
	buffer->bytes = size;
	buffer->access = argument->access >= BUFFER_READ && argument->access <= BUFFER_READ_WRITE
	                         ? argument->access
	                         : BUFFER_READ_WRITE;
	enum status status = opencl_buffer(opencl, size, &buffer->memory, error);
	if (status == STATUS_OK)
		status = fill_buffer(opencl, buffer, &init, index, error);
	init_close(&init);
	if (status != STATUS_OK)
		return status;
	if (buffer->access == BUFFER_READ_WRITE && size <= ARGUMENTS_RESTORE_BYTES)
		status = opencl_buffer(opencl, size, &buffer->pristine, error);
	if (status == STATUS_OK && buffer->pristine != NULL)
		status = copy_buffer(opencl, buffer->memory, buffer->pristine, size, error);
	if (status != STATUS_OK)
		return status;
	cl_int code = clSetKernelArg(kernel, index, sizeof buffer->memory, &buffer->memory);
	if (code != CL_SUCCESS)
		return error_set(error, STATUS_INVALID,
		                 "argument %u (buffer): clSetKernelArg: %s (%d)", index,
		                 opencl_code_name(code), (int)code);
	return STATUS_OK;
}

/* Before anything is allocated: each buffer, and all of them, fit the device. */
static enum status check_sizes(const Predictd__Launch *launch, const struct device *device,
                               struct error *error)
{
	uint64_t total = 0;
	for (size_t i = 0; i < launch->n_arguments; i++) {
		uint64_t size = launch->arguments[i]->size_bytes;
		if (launch->arguments[i]->kind != ARGUMENT_BUFFER)
			continue;
		if (size == 0 || size > device->max_allocation_bytes)
			return error_set(error, STATUS_LIMIT,
			                 "argument %zu: buffer of %llu bytes, the device allows "
			                 "1 to %llu",
			                 i, (unsigned long long)size,
			                 (unsigned long long)device->max_allocation_bytes);
		if (__builtin_add_overflow(total, size, &total))
			total = UINT64_MAX;
	}
	if (total > device->global_bytes)
		return error_set(
		        error, STATUS_LIMIT, "buffers of %llu bytes in all, the device has %llu",
		        (unsigned long long)total, (unsigned long long)device->global_bytes);
	return STATUS_OK;
}

enum status arguments_init(struct arguments *arguments, struct opencl *opencl,
                           const struct device *device, cl_kernel kernel,
                           const Predictd__Launch *launch, struct error *error)
{
	cl_uint wanted = 0;
	*arguments = (struct arguments){0};
	cl_int code = clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof wanted, &wanted, NULL);
	if (code != CL_SUCCESS)
		return opencl_failure("clGetKernelInfo", code, error);
	if (launch->n_arguments != wanted || wanted > ARGUMENTS_MAX)
		return error_set(error, STATUS_INVALID, "the kernel wants %u arguments, got %zu",
		                 (unsigned)wanted, launch->n_arguments);
	enum status status = STATUS_OK;
	for (unsigned i = 0; i < wanted && status == STATUS_OK; i++)
		status = argument_check_declared(kernel, i, launch->arguments[i], error);
	if (status == STATUS_OK)
		status = check_sizes(launch, device, error);
	for (unsigned i = 0; i < wanted && status == STATUS_OK; i++) {
		const Predictd__Argument *argument = launch->arguments[i];
		arguments->count = i + 1;
		switch (argument->kind) {
		case ARGUMENT_BUFFER:
			status = set_buffer(&arguments->buffer[i], opencl, kernel, i, argument,
			                    error);
			break;
		case ARGUMENT_SCALAR:
			status = set_scalar(kernel, i, argument, error);
			break;
		case ARGUMENT_LOCAL:
		case ARGUMENT_STRUCT:
			status = set_bytes(kernel, i, argument->size_bytes,
			                   argument->kind == ARGUMENT_LOCAL, device, error);
			break;
		case ARGUMENT_IMAGE:
			status = argument_image(&arguments->buffer[i], opencl, device, kernel, i,
			                        argument, error);
			break;
		case ARGUMENT_SAMPLER:
			status = argument_sampler(&arguments->buffer[i], opencl, kernel, i,
			                          argument, error);
			break;
		default:
			status = error_set(error, STATUS_INVALID, "argument %u: unknown kind %u", i,
			                   argument->kind);
		}
	}
	return status;
}

void arguments_deinit(struct arguments *arguments)
{
	for (size_t i = 0; i < arguments->count; i++) {
		if (arguments->buffer[i].memory != NULL)
			clReleaseMemObject(arguments->buffer[i].memory);
		if (arguments->buffer[i].pristine != NULL)
			clReleaseMemObject(arguments->buffer[i].pristine);
		if (arguments->buffer[i].texels != NULL)
			clReleaseMemObject(arguments->buffer[i].texels);
		if (arguments->buffer[i].sampler != NULL)
			clReleaseSampler(arguments->buffer[i].sampler);
	}
	arguments->count = 0;
}

static cl_int copy_once(struct opencl *opencl, const struct argument_buffer *buffer, void *host,
                        bool is_write)
{
	static const size_t origin[3] = {0};
	cl_command_queue queue = opencl->queue;
	if (buffer->region[0] > 0)
		return is_write ? clEnqueueWriteImage(queue, buffer->memory, CL_TRUE, origin,
		                                      buffer->region, 0, 0, host, 0, NULL, NULL)
		                : clEnqueueReadImage(queue, buffer->memory, CL_TRUE, origin,
		                                     buffer->region, 0, 0, host, 0, NULL, NULL);
	return is_write ? clEnqueueWriteBuffer(queue, buffer->memory, CL_TRUE, 0, buffer->bytes,
	                                       host, 0, NULL, NULL)
	                : clEnqueueReadBuffer(queue, buffer->memory, CL_TRUE, 0, buffer->bytes,
	                                      host, 0, NULL, NULL);
}

/* One direction of one buffer or image; host holds its bytes. */
static enum status time_copy(struct opencl *opencl, const struct argument_buffer *buffer,
                             void *host, bool is_write, double *time_s, struct error *error)
{
	static struct repeats times; /* large */
	times.count = 0;
	for (int i = 0; i < COPIES + 1; i++) {
		double start_s = clock_now_s();
		cl_int code = copy_once(opencl, buffer, host, is_write);
		if (code != CL_SUCCESS)
			return opencl_failure(is_write ? "clEnqueueWrite" : "clEnqueueRead", code,
			                      error);
		if (i > 0) /* the first touches new pages */
			repeats_add(&times, clock_now_s() - start_s);
	}
	*time_s += repeats_quantile(&times, 0.5);
	return STATUS_OK;
}

enum status arguments_transfer(const struct arguments *arguments, struct opencl *opencl,
                               bool is_pinned, double *h2d_time_s, double *d2h_time_s,
                               struct error *error)
{
	enum status status = STATUS_OK;
	*h2d_time_s = 0;
	*d2h_time_s = 0;
	for (size_t i = 0; i < arguments->count && status == STATUS_OK; i++) {
		const struct argument_buffer *buffer = &arguments->buffer[i];
		if (buffer->memory == NULL)
			continue;
		struct opencl_host host;
		status = opencl_host_new(opencl, buffer->bytes, is_pinned, &host, error);
		if (status != STATUS_OK)
			break;
		/* out first, and untimed where only in is asked: what is copied in is what was
		 * there */
		double untimed = 0;
		bool is_out = (buffer->access & BUFFER_WRITE) != 0;
		status = time_copy(opencl, buffer, host.bytes, false,
		                   is_out ? d2h_time_s : &untimed, error);
		if (status == STATUS_OK && (buffer->access & BUFFER_READ) != 0)
			status = time_copy(opencl, buffer, host.bytes, true, h2d_time_s, error);
		opencl_host_free(opencl, &host);
	}
	return status;
}
