/* SPDX-License-Identifier: Apache-2.0 */
/* A program with OpenCL, as its user wrote it: it scales a million numbers, 20 times. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char source[] = "kernel void scale(global float *x, float by)\n"
                             "{\n"
                             "\tx[get_global_id(0)] *= by;\n"
                             "}\n";

static void must(cl_int status, const char *what)
{
	if (status == CL_SUCCESS)
		return;
	(void)fprintf(stderr, "scale: %s: OpenCL status %d\n", what, status);
	exit(EXIT_FAILURE);
}

int main(void)
{
	enum { COUNT = 1 << 20, ROUNDS = 20 };
	const size_t size = COUNT;
	const char *text = source;
	const cl_float by = 2.0f;
	cl_platform_id platform;
	cl_device_id device;
	cl_int status;
	must(clGetPlatformIDs(1, &platform, NULL), "platforms");
	must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "devices");
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	must(status, "context");
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
	must(status, "queue");
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
	must(status, "program");
	must(clBuildProgram(program, 1, &device, NULL, NULL, NULL), "build");
	cl_kernel kernel = clCreateKernel(program, "scale", &status);
	must(status, "kernel");
	cl_mem buffer =
	        clCreateBuffer(context, CL_MEM_READ_WRITE, COUNT * sizeof by, NULL, &status);
	must(status, "buffer");
	must(clEnqueueFillBuffer(queue, buffer, &by, sizeof by, 0, COUNT * sizeof by, 0, NULL,
	                         NULL),
	     "fill");
	must(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "argument 0");
	must(clSetKernelArg(kernel, 1, sizeof by, &by), "argument 1");
	for (int i = 0; i < ROUNDS; i++) {
		must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL),
		     "launch");
		must(clFinish(queue), "finish");
	}
	(void)puts("scaled");
	must(clReleaseMemObject(buffer), "buffer");
	must(clReleaseKernel(kernel), "kernel");
	must(clReleaseProgram(program), "program");
	must(clReleaseCommandQueue(queue), "queue");
	must(clReleaseContext(context), "context");
	return EXIT_SUCCESS;
}
