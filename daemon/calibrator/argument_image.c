/* SPDX-License-Identifier: Apache-2.0 */
/* Image and sampler arguments of a kernel that is measured. */
#include "daemon/calibrator/argument_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/device/launch.h"
#include "proto/init.h"

/* ---- what the kernel declares -------------------------------------------------------------- */

/* "image2d_array_t" and the like, where the driver kept the arguments' types; else by sizes. */
static enum image_kind kind_of(cl_kernel kernel, unsigned index, const Predictd__Argument *argument)
{
	static const struct {
		const char *type;
		enum image_kind kind;
	} types[] = {
	        {"image1d_array_t", IMAGE_1D_ARRAY},
	        {"image1d_buffer_t", IMAGE_1D_BUFFER},
	        {"image1d_t", IMAGE_1D},
	        {"image2d_array_t", IMAGE_2D_ARRAY},
	        {"image2d_t", IMAGE_2D},
	        {"image3d_t", IMAGE_3D},
	};
	char name[64] = "";
	if (clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL) ==
	    CL_SUCCESS) {
		name[sizeof name - 1] = '\0';
		for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
			if (strcmp(types[i].type, name) == 0)
				return types[i].kind;
	}
	return argument->depth > 1 ? IMAGE_3D : argument->height > 0 ? IMAGE_2D : IMAGE_1D;
}

static uint32_t access_of(cl_kernel kernel, unsigned index, const Predictd__Argument *argument)
{
	cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
	if (argument->access >= BUFFER_READ && argument->access <= BUFFER_READ_WRITE)
		return argument->access;
	(void)clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access,
	                         &access, NULL);
	return access == CL_KERNEL_ARG_ACCESS_READ_ONLY    ? BUFFER_READ
	       : access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY ? BUFFER_WRITE
	                                                   : BUFFER_READ_WRITE;
}

/* ---- images -------------------------------------------------------------------------------- */

static cl_image_format format_of(enum image_format format)
{
	return (cl_image_format){
	        .image_channel_order = (cl_channel_order)image_format_order(format),
	        .image_channel_data_type = (cl_channel_type)image_format_type(format)};
}

static enum status create(struct opencl *opencl, enum image_format format,
                          const cl_image_desc *description, cl_mem *image, struct error *error)
{
	cl_image_format cl_format = format_of(format);
	cl_int code;
	*image = clCreateImage(opencl->context, CL_MEM_READ_WRITE, &cl_format, description, NULL,
	                       &code);
	if (code == CL_IMAGE_FORMAT_NOT_SUPPORTED || code == CL_INVALID_OPERATION)
		return error_set(error, STATUS_UNSUPPORTED, "the device has no images of format %s",
		                 image_format_name(format));
	return code == CL_SUCCESS ? STATUS_OK : opencl_failure("clCreateImage", code, error);
}

enum status image_create(struct opencl *opencl, enum image_format format, size_t width,
                         size_t height, cl_mem *image, struct error *error)
{
	static const size_t origin[3] = {0};
	const size_t region[3] = {width, height, 1};
	const cl_uint zero[4] = {0};
	cl_image_desc description = {
	        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
	enum status status = create(opencl, format, &description, image, error);
	if (status != STATUS_OK)
		return status;
	cl_int code =
	        clEnqueueFillImage(opencl->queue, *image, zero, origin, region, 0, NULL, NULL);
	if (code == CL_SUCCESS)
		code = clFinish(opencl->queue);
	return code == CL_SUCCESS ? STATUS_OK : opencl_failure("clEnqueueFillImage", code, error);
}

/* One that shows a buffer's bytes is the only way to a 1-D image of one. */
static enum status create_of_kind(struct argument_buffer *buffer, struct opencl *opencl,
                                  enum image_kind kind, enum image_format format,
                                  struct error *error)
{
	static const cl_mem_object_type types[IMAGE_KIND_COUNT] = {
	        [IMAGE_1D] = CL_MEM_OBJECT_IMAGE1D,
	        [IMAGE_1D_ARRAY] = CL_MEM_OBJECT_IMAGE1D_ARRAY,
	        [IMAGE_1D_BUFFER] = CL_MEM_OBJECT_IMAGE1D_BUFFER,
	        [IMAGE_2D] = CL_MEM_OBJECT_IMAGE2D,
	        [IMAGE_2D_ARRAY] = CL_MEM_OBJECT_IMAGE2D_ARRAY,
	        [IMAGE_3D] = CL_MEM_OBJECT_IMAGE3D,
	};
	const size_t *region = buffer->region;
	cl_image_desc description = {.image_type = types[kind], .image_width = region[0]};
	enum status status = STATUS_OK;
	if (kind == IMAGE_1D_ARRAY)
		description.image_array_size = region[1];
	else if (kind != IMAGE_1D && kind != IMAGE_1D_BUFFER)
		description.image_height = region[1];
	if (kind == IMAGE_2D_ARRAY)
		description.image_array_size = region[2];
	else if (kind == IMAGE_3D)
		description.image_depth = region[2];
	if (kind == IMAGE_1D_BUFFER) {
		status = opencl_buffer(opencl, buffer->bytes, &buffer->texels, error);
		description.buffer = buffer->texels;
	}
	return status == STATUS_OK ? create(opencl, format, &description, &buffer->memory, error)
	                           : status;
}

static enum status fill(struct opencl *opencl, const struct argument_buffer *buffer,
                        const struct init *init, uint64_t seed, struct error *error)
{
	static const size_t origin[3] = {0};
	void *bytes = malloc(buffer->bytes);
	if (bytes == NULL)
		return error_set(error, STATUS_NO_MEMORY, "an image's contents: out of memory");
	init_fill(init, seed, 0, bytes, buffer->bytes);
	cl_int code = clEnqueueWriteImage(opencl->queue, buffer->memory, CL_TRUE, origin,
	                                  buffer->region, 0, 0, bytes, 0, NULL, NULL);
	free(bytes);
	return code == CL_SUCCESS ? STATUS_OK : opencl_failure("clEnqueueWriteImage", code, error);
}

/* What an image holds when nothing says so: reals in [0, 1) where it is of floats. */
static const char *default_init(enum image_format format)
{
	return image_format_class(format) == IMAGE_CLASS_FLOAT  ? "rand_float"
	       : image_format_class(format) == IMAGE_CLASS_HALF ? "zero"
	                                                        : "rand_u32";
}

enum status argument_image(struct argument_buffer *buffer, struct opencl *opencl,
                           const struct device *device, cl_kernel kernel, unsigned index,
                           const Predictd__Argument *argument, struct error *error)
{
	enum image_format format = IMAGE_RGBA8;
	enum image_kind kind = kind_of(kernel, index, argument);
	struct init init;
	uint64_t bytes;
	if (!device->has_images)
		return error_set(error, STATUS_UNSUPPORTED, "argument %u: the device has no images",
		                 index);
	if (argument->type[0] != '\0' && !image_format_parse(argument->type, &format))
		return error_set(error, STATUS_INVALID,
		                 "argument %u: want an image format such as rgba8, r32f or "
		                 "rgba32f, got \"%.40s\"",
		                 index, argument->type);
	const uint32_t sizes[3] = {argument->width, argument->height, argument->depth};
	bytes = image_format_bytes(format);
	for (unsigned d = 0; d < 3; d++) {
		bool is_wanted = d < image_coordinates(kind);
		if (is_wanted ? sizes[d] == 0 : sizes[d] > 1)
			return error_set(error, STATUS_INVALID,
			                 "argument %u: want %u sizes of an image %s, got %ux%ux%u",
			                 index, image_coordinates(kind), image_kind_name(kind),
			                 sizes[0], sizes[1], sizes[2]);
		buffer->region[d] = is_wanted ? sizes[d] : 1;
		if (__builtin_mul_overflow(bytes, buffer->region[d], &bytes) ||
		    bytes > device->max_allocation_bytes)
			return error_set(error, STATUS_LIMIT,
			                 "argument %u: the device allows images of %llu bytes",
			                 index, (unsigned long long)device->max_allocation_bytes);
	}
	const char *text = argument->init != NULL && argument->init[0] != '\0'
	                           ? argument->init
	                           : default_init(format);
	char problem[INIT_PROBLEM_MAX];
	if (!init_open(text, &init, problem))
		return error_set(error, STATUS_INVALID, "%s", problem);
	buffer->bytes = bytes;
	buffer->access = access_of(kernel, index, argument);
	enum status status = create_of_kind(buffer, opencl, kind, format, error);
	if (status == STATUS_OK)
		status = fill(opencl, buffer, &init, index, error);
	init_close(&init);
	if (status != STATUS_OK)
		return status;
	cl_int code = clSetKernelArg(kernel, index, sizeof buffer->memory, &buffer->memory);
	if (code != CL_SUCCESS)
		return error_set(error, STATUS_INVALID,
		                 "argument %u (image): clSetKernelArg: %s (%d)", index,
		                 opencl_code_name(code), (int)code);
	return STATUS_OK;
}

/* ---- samplers ------------------------------------------------------------------------------ */

static cl_addressing_mode addressing_of(uint32_t bits)
{
	switch (bits & SAMPLER_ADDRESS_MASK) {
	case SAMPLER_ADDRESS_EDGE:
		return CL_ADDRESS_CLAMP_TO_EDGE;
	case SAMPLER_ADDRESS_CLAMP:
		return CL_ADDRESS_CLAMP;
	case SAMPLER_ADDRESS_REPEAT:
		return CL_ADDRESS_REPEAT;
	case SAMPLER_ADDRESS_MIRRORED:
		return CL_ADDRESS_MIRRORED_REPEAT;
	default:
		return CL_ADDRESS_CLAMP_TO_EDGE;
	}
}

enum status argument_sampler(struct argument_buffer *buffer, struct opencl *opencl,
                             cl_kernel kernel, unsigned index, const Predictd__Argument *argument,
                             struct error *error)
{
	uint32_t bits;
	cl_int code;
	if (!sampler_parse(argument->type, &bits))
		return error_set(error, STATUS_INVALID, "argument %u: '%.40s' is no sampler", index,
		                 argument->type);
	buffer->sampler = clCreateSampler(
	        opencl->context, bits & SAMPLER_NORMALIZED ? CL_TRUE : CL_FALSE,
	        addressing_of(bits), bits & SAMPLER_LINEAR ? CL_FILTER_LINEAR : CL_FILTER_NEAREST,
	        &code);
	if (code != CL_SUCCESS)
		return error_set(error, STATUS_INVALID, "argument %u (sampler): %s (%d)", index,
		                 opencl_code_name(code), (int)code);
	code = clSetKernelArg(kernel, index, sizeof buffer->sampler, &buffer->sampler);
	if (code != CL_SUCCESS)
		return error_set(error, STATUS_INVALID,
		                 "argument %u (sampler): clSetKernelArg: %s (%d)", index,
		                 opencl_code_name(code), (int)code);
	return STATUS_OK;
}
