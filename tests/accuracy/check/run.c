/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel on the first OpenCL device: arrays out, one launch, arrays back with what lies behind.
 */
#include "tests/accuracy/check/run.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MAX = 24, SOURCE_MAX = 1 << 16, TEXT_SIZE = 4096, GUARD_BYTES = 4096 };
enum { GUARD_VALUE = 0xA5 };

static struct {
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
} opencl;

static uint64_t state;

void seed(void)
{
	state = 0x9E3779B97F4A7C15u;
}

uint32_t random_word(void)
{
	state += 0x9E3779B97F4A7C15u;
	uint64_t mixed = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9u;
	mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
	return (uint32_t)(mixed >> 32);
}

void fill_words(uint32_t *to, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = random_word();
}

void fill_ints(int *to, size_t count, int bound)
{
	for (size_t i = 0; i < count; i++)
		to[i] = (int)(random_word() % (uint32_t)bound);
}

void fill_floats(float *to, size_t count, float low, float high)
{
	for (size_t i = 0; i < count; i++)
		to[i] = low + (high - low) * ((float)(random_word() >> 8) * 0x1p-24f);
}

int fill_rows(int *start, int rows, int most)
{
	start[0] = 0;
	for (int row = 0; row < rows; row++)
		start[row + 1] = start[row] + (int)(random_word() % (uint32_t)(most + 1));
	return start[rows];
}

void assert_floats(const float *got, const float *want, size_t count, float tolerance)
{
	for (size_t i = 0; i < count; i++)
		if (!(fabsf(got[i] - want[i]) <= tolerance * (1 + fabsf(want[i]))))
			fail_msg("element %zu: got %.9g, want %.9g", i, (double)got[i],
			         (double)want[i]);
}

void assert_ints(const int *got, const int *want, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (got[i] != want[i])
			fail_msg("element %zu: got %d, want %d", i, got[i], want[i]);
}

void assert_words(const uint32_t *got, const uint32_t *want, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (got[i] != want[i])
			fail_msg("element %zu: got %08x, want %08x", i, got[i], want[i]);
}

/* Fails the test unless the call did what it should. */
static void expect(cl_int code, const char *what)
{
	if (code != CL_SUCCESS)
		fail_msg("%s: OpenCL error %d", what, code);
}

bool open_device(void)
{
	cl_platform_id platforms[16];
	cl_uint count = 0;
	bool found = false;
	cl_int code = 0;
	if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
		return false;
	for (cl_uint i = 0; i < count && i < 16 && !found; i++)
		found = clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &opencl.device, NULL) ==
		        CL_SUCCESS;
	if (!found)
		return false;
	opencl.context = clCreateContext(NULL, 1, &opencl.device, NULL, NULL, &code);
	if (code == CL_SUCCESS)
		opencl.queue = clCreateCommandQueue(opencl.context, opencl.device, 0, &code);
	return code == CL_SUCCESS;
}

static cl_program build(const char *path, const char *options)
{
	char file[TEXT_SIZE], log[TEXT_SIZE] = "";
	const char *folder = getenv("KERNELS");
	cl_int code = 0;
	assert_non_null(folder);
	(void)snprintf(file, sizeof file, "%s/%s.cl", folder, path);
	FILE *stream = fopen(file, "r");
	if (stream == NULL)
		fail_msg("%s: cannot be read", file);
	char *source = calloc(1, SOURCE_MAX);
	assert_non_null(source);
	size_t size = fread(source, 1, SOURCE_MAX, stream);
	(void)fclose(stream);
	const char *text = source;
	cl_program program = clCreateProgramWithSource(opencl.context, 1, &text, &size, &code);
	free(source);
	expect(code, "clCreateProgramWithSource");
	if (clBuildProgram(program, 1, &opencl.device, options, NULL, NULL) != CL_SUCCESS) {
		(void)clGetProgramBuildInfo(program, opencl.device, CL_PROGRAM_BUILD_LOG,
		                            sizeof log - 1, log, NULL);
		fail_msg("%s: %s", path, log);
	}
	return program;
}

/* The array and a guard behind it, which a kernel may not touch. */
static cl_mem send(const struct argument *one)
{
	static const unsigned char guard = GUARD_VALUE;
	cl_int code = 0;
	cl_mem buffer = clCreateBuffer(opencl.context, CL_MEM_READ_WRITE,
	                               one->size_bytes + GUARD_BYTES, NULL, &code);
	expect(code, "clCreateBuffer");
	expect(clEnqueueWriteBuffer(opencl.queue, buffer, CL_TRUE, 0, one->size_bytes, one->data, 0,
	                            NULL, NULL),
	       "clEnqueueWriteBuffer");
	expect(clEnqueueFillBuffer(opencl.queue, buffer, &guard, 1, one->size_bytes, GUARD_BYTES, 0,
	                           NULL, NULL),
	       "clEnqueueFillBuffer");
	return buffer;
}

static void bring_back(const struct argument *one, cl_mem buffer, const char *path)
{
	unsigned char behind[GUARD_BYTES];
	expect(clEnqueueReadBuffer(opencl.queue, buffer, CL_TRUE, 0, one->size_bytes, one->data, 0,
	                           NULL, NULL),
	       "clEnqueueReadBuffer");
	expect(clEnqueueReadBuffer(opencl.queue, buffer, CL_TRUE, one->size_bytes, sizeof behind,
	                           behind, 0, NULL, NULL),
	       "clEnqueueReadBuffer");
	for (size_t i = 0; i < sizeof behind; i++)
		if (behind[i] != GUARD_VALUE)
			fail_msg("%s wrote %zu bytes behind the end of an array", path, i);
}

void run_kernel(const char *path, const char *options, struct work global, struct work group,
                const struct argument *arguments, size_t count)
{
	cl_mem buffers[ARGUMENTS_MAX] = {NULL};
	cl_int code = 0;
	for (int d = 0; d < 3; d++) {
		global.side[d] += global.side[d] == 0;
		group.side[d] += group.side[d] == 0;
	}
	assert_true(count <= ARGUMENTS_MAX);
	cl_program program = build(path, options);
	cl_kernel kernel = clCreateKernel(program, strrchr(path, '/') + 1, &code);
	expect(code, "clCreateKernel");
	for (size_t i = 0; i < count; i++) {
		const struct argument *one = &arguments[i];
		if (one->kind == ARGUMENT_ARRAY)
			buffers[i] = send(one);
		expect(one->kind == ARGUMENT_ARRAY
		               ? clSetKernelArg(kernel, (cl_uint)i, sizeof(cl_mem), &buffers[i])
		               : clSetKernelArg(kernel, (cl_uint)i, one->size_bytes, one->data),
		       "clSetKernelArg");
	}
	expect(clEnqueueNDRangeKernel(opencl.queue, kernel, 3, NULL, global.side, group.side, 0,
	                              NULL, NULL),
	       "clEnqueueNDRangeKernel");
	expect(clFinish(opencl.queue), "clFinish");
	for (size_t i = 0; i < count; i++)
		if (buffers[i] != NULL) {
			bring_back(&arguments[i], buffers[i], path);
			expect(clReleaseMemObject(buffers[i]), "clReleaseMemObject");
		}
	expect(clReleaseKernel(kernel), "clReleaseKernel");
	expect(clReleaseProgram(program), "clReleaseProgram");
}

int close_device(void **unused)
{
	(void)unused;
	(void)clReleaseCommandQueue(opencl.queue);
	(void)clReleaseContext(opencl.context);
	return 0;
}
