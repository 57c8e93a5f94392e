/* SPDX-License-Identifier: Apache-2.0 */
/* The ways of every program: queues, events, arguments, errors. */
#include "tests/unit/client/layer/program.h"

static const char scale_source[] =
        "__kernel void scale(__global float *a, float by) { a[get_global_id(0)] *= by; }\n";

void world_open(struct world *world)
{
	cl_platform_id platform;
	cl_int error;
	MUST(clGetPlatformIDs(1, &platform, NULL));
	MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &world->device, NULL));
	world->context = clCreateContext(NULL, 1, &world->device, NULL, NULL, &error);
	MUST(error);
	world->queue = clCreateCommandQueue(world->context, world->device, 0, &error);
	MUST(error);
}

cl_program world_program(const struct world *world, const char *source, const char *options)
{
	cl_int error;
	cl_program program = clCreateProgramWithSource(world->context, 1, &source, NULL, &error);
	MUST(error);
	MUST(clBuildProgram(program, 1, &world->device, options, NULL, NULL));
	return program;
}

cl_kernel world_kernel(cl_program program, const char *name)
{
	cl_int error;
	cl_kernel kernel = clCreateKernel(program, name, &error);
	MUST(error);
	return kernel;
}

static cl_mem buffer_of(const struct world *world, size_t size)
{
	cl_int error;
	cl_mem buffer = clCreateBuffer(world->context, CL_MEM_READ_WRITE, size, NULL, &error);
	MUST(error);
	return buffer;
}

/* What a queue and its events say of profiles. */
static void show_queue(const struct world *world, cl_command_queue queue, cl_kernel kernel)
{
	cl_command_queue_properties properties = 0;
	cl_queue_properties list[16] = {0};
	cl_ulong ns = 0;
	cl_event event;
	const size_t size = 64;
	size_t list_size = 0;
	(void)world;
	MUST(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties,
	                           NULL));
	printf("properties %llu\n", (unsigned long long)properties);
	printf("too small %d\n", clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, 1, list, NULL));
	int result = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof list, list,
	                                   &list_size);
	printf("array %d %zu:", result, list_size);
	for (size_t i = 0; i < list_size / sizeof list[0]; i++)
		printf(" %llu", (unsigned long long)list[i]);
	MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, &event));
	MUST(clWaitForEvents(1, &event));
	result = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ns, &ns, NULL);
	printf("\nprofile %d %d\n", result, ns > 0);
	MUST(clReleaseEvent(event));
}

static int queues(const struct world *world)
{
	const cl_queue_properties none[] = {0},
	                          unordered[] = {CL_QUEUE_PROPERTIES,
	                                         CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0},
	                          profiled[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0},
	                          wrong[] = {0x7777, 1, 0};
	const cl_queue_properties *const lists[] = {NULL, none, unordered, profiled, wrong};
	cl_kernel kernel = world_kernel(world_program(world, scale_source, ""), "scale");
	cl_mem buffer = buffer_of(world, 256);
	const float by = 2;
	cl_int error = 0;
	MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	MUST(clSetKernelArg(kernel, 1, sizeof by, &by));
	show_queue(world, world->queue, kernel);
	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		cl_command_queue queue = clCreateCommandQueueWithProperties(
		        world->context, world->device, lists[i], &error);
		printf("list %zu: %d %d\n", i, queue != NULL, error);
		if (queue == NULL)
			continue;
		show_queue(world, queue, kernel);
		MUST(clReleaseCommandQueue(queue));
	}
	cl_command_queue queue = clCreateCommandQueue(world->context, world->device,
	                                              CL_QUEUE_PROFILING_ENABLE, &error);
	MUST(error);
	show_queue(world, queue, kernel);
	const size_t size = 64;
	cl_event event;
	cl_ulong ns = 0;
	queue = clCreateCommandQueue(world->context, world->device, 0, &error);
	MUST(error);
	MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, &event));
	MUST(clWaitForEvents(1, &event));
	MUST(clReleaseCommandQueue(queue)); /* which its event outlives */
	printf("profile %d\n",
	       clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ns, &ns, NULL));
	return 0;
}

/* Calls that fail, and must fail alike. */
static int errors(const struct world *world)
{
	const size_t size = 64, odd = 7, none = 0;
	cl_int error = 0;
	cl_program program = world_program(world, scale_source, "");
	cl_kernel kernel = world_kernel(program, "scale");
	cl_mem buffer = buffer_of(world, 256);
	char data[512] = "";
	const float by = 2;
	printf("no arguments %d\n",
	       clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
	MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	MUST(clSetKernelArg(kernel, 1, sizeof by, &by));
	printf("index %d\n", clSetKernelArg(kernel, 9, sizeof by, &by));
	printf("size %d\n", clSetKernelArg(kernel, 1, 3, &by));
	printf("dimensions %d\n",
	       clEnqueueNDRangeKernel(world->queue, kernel, 9, NULL, &size, NULL, 0, NULL, NULL));
	printf("local %d\n",
	       clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL, &size, &odd, 0, NULL, NULL));
	printf("global %d\n",
	       clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL, NULL, NULL, 0, NULL, NULL));
	printf("empty %d\n",
	       clEnqueueReadBuffer(world->queue, buffer, CL_TRUE, 0, none, data, 0, NULL, NULL));
	printf("beyond %d\n", clEnqueueWriteBuffer(world->queue, buffer, CL_TRUE, 0, sizeof data,
	                                           data, 0, NULL, NULL));
	printf("name %d", clCreateKernel(program, "nothing", &error) != NULL);
	printf(" %d\n", error);
	const char *bad = "__kernel void f(";
	cl_program broken = clCreateProgramWithSource(world->context, 1, &bad, NULL, &error);
	MUST(error);
	printf("build %d\n", clBuildProgram(broken, 0, NULL, "", NULL, NULL));
	printf("rect %d\n", clEnqueueReadBufferRect(world->queue, buffer, CL_TRUE, NULL, NULL, NULL,
	                                            0, 0, 0, 0, data, 0, NULL, NULL));
	printf("in use %d\n", clBuildProgram(program, 0, NULL, "-DA=1", NULL, NULL));
	printf("buffer %d", clCreateBuffer(world->context, 0, 0, NULL, &error) != NULL);
	printf(" %d\n", error);
	printf("map %d", clEnqueueMapBuffer(world->queue, buffer, CL_TRUE, CL_MAP_READ, 0, 999, 0,
	                                    NULL, NULL, &error) != NULL);
	printf(" %d\n", error);
	return 0;
}

/* A command that waits for an event that fails. */
static int failing(const struct world *world)
{
	const size_t size = 64;
	cl_int error = 0, status = 0;
	cl_event gate = clCreateUserEvent(world->context, &error), event;
	cl_kernel kernel = world_kernel(world_program(world, scale_source, ""), "scale");
	cl_mem buffer = buffer_of(world, 256);
	const float by = 2;
	MUST(error);
	MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	MUST(clSetKernelArg(kernel, 1, sizeof by, &by));
	MUST(clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL, &size, NULL, 1, &gate, &event));
	MUST(clFlush(world->queue));
	MUST(clSetUserEventStatus(gate, -5));
	(void)clWaitForEvents(1, &event);
	MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
	                    NULL));
	printf("failed %d\n", status < 0);
	return 0;
}

/* Arguments of each kind that one kernel may have. */
static int arguments(const struct world *world)
{
	static const char source[] =
	        "typedef struct { int a[10]; } ten;\n"
	        "__kernel void every(__global float *a, __constant float *b, __local float *c, ten "
	        "d,\n"
	        "  __read_only image2d_t e, sampler_t f, ulong g, __global int *h) {\n"
	        "  c[0] = d.a[9] + read_imagef(e, f, (int2)(0, 0)).x + (float)g;\n"
	        "  if (h == 0) a[get_global_id(0)] = b[0] + c[0];\n"
	        "}\n"
	        "__kernel void shared(__global int *p) { p[get_global_id(0)] = 7; }\n";
	const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	const cl_image_desc desc = {
	        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 4};
	const cl_buffer_region region = {4096, 1024};
	const size_t size[2] = {8, 4}, local[2] = {4, 2}, offset[2] = {3, 1};
	const int ten[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
	const cl_ulong number = 12345678901;
	cl_mem none = NULL;
	cl_int error;
	cl_program program = world_program(world, source, "");
	cl_kernel kernel = world_kernel(program, "every");
	cl_mem whole = buffer_of(world, 65536);
	cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
	MUST(error);
	cl_mem image =
	        clCreateImage(world->context, CL_MEM_READ_ONLY, &format, &desc, NULL, &error);
	MUST(error);
	cl_sampler sampler = clCreateSampler(world->context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE,
	                                     CL_FILTER_LINEAR, &error);
	MUST(error);
	MUST(clSetKernelArg(kernel, 0, sizeof part, &part));
	MUST(clSetKernelArg(kernel, 1, sizeof whole, &whole));
	MUST(clSetKernelArg(kernel, 2, 48, NULL));
	MUST(clSetKernelArg(kernel, 3, sizeof ten, ten));
	MUST(clSetKernelArg(kernel, 4, sizeof image, &image));
	MUST(clSetKernelArg(kernel, 5, sizeof sampler, &sampler));
	MUST(clSetKernelArg(kernel, 6, sizeof number, &number));
	MUST(clSetKernelArg(kernel, 7, sizeof none, &none));
	MUST(clEnqueueNDRangeKernel(world->queue, kernel, 2, offset, size, local, 0, NULL, NULL));
	cl_kernel clone = clCloneKernel(kernel, &error);
	printf("clone %d %d\n", clone != NULL, error);
	if (clone != NULL) {
		MUST(clSetKernelArg(clone, 2, 96, NULL));
		MUST(clEnqueueNDRangeKernel(world->queue, clone, 2, NULL, size, NULL, 0, NULL,
		                            NULL));
	}
	char *memory = clSVMAlloc(world->context, CL_MEM_READ_WRITE, 8192, 0);
	printf("svm %d\n", memory != NULL);
	if (memory != NULL) {
		cl_kernel shared = world_kernel(program, "shared");
		MUST(clSetKernelArgSVMPointer(shared, 0, memory + 4096));
		MUST(clEnqueueNDRangeKernel(world->queue, shared, 1, NULL, size, NULL, 0, NULL,
		                            NULL));
		MUST(clFinish(world->queue));
		clSVMFree(world->context, memory);
	}
	MUST(clEnqueueTask(world->queue, kernel, 0, NULL, NULL));
	MUST(clFinish(world->queue));
	return 0;
}

/* A kernel that is told its step, COUNT times; another one behind it. */
static int steps(const struct world *world, int count)
{
	static const char source[] = "__kernel void stepped(int i) {}\n";
	cl_kernel kernel = world_kernel(world_program(world, source, ""), "stepped");
	const size_t size = 1;
	for (int i = 0; i < count; i++) {
		MUST(clSetKernelArg(kernel, 0, sizeof i, &i));
		MUST(clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL, &size, NULL, 0, NULL,
		                            NULL));
	}
	MUST(clFinish(world->queue));
	return 0;
}

/* Launches that wait for a gate, more than are followed at once. */
static int flood(const struct world *world, int count)
{
	static const char source[] = "__kernel void nothing(void) {}\n";
	cl_kernel kernel = world_kernel(world_program(world, source, ""), "nothing");
	const size_t size = 1;
	cl_int error;
	cl_event gate = clCreateUserEvent(world->context, &error);
	MUST(error);
	for (int i = 0; i < count; i++)
		MUST(clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL, &size, NULL, i == 0,
		                            i == 0 ? &gate : NULL, NULL));
	MUST(clSetUserEventStatus(gate, CL_COMPLETE));
	MUST(clFinish(world->queue));
	return 0;
}

int main(int count, char **words)
{
	struct world world;
	const char *way = count > 1 ? words[1] : "";
	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	if (strcmp(way, "fork-first") == 0)
		return more(way, NULL, count, words);
	world_open(&world);
	if (strcmp(way, "queues") == 0)
		return queues(&world);
	if (strcmp(way, "errors") == 0)
		return errors(&world);
	if (strcmp(way, "failing") == 0)
		return failing(&world);
	if (strcmp(way, "arguments") == 0)
		return arguments(&world);
	if (strcmp(way, "steps") == 0)
		return steps(&world, atoi(words[2]));
	if (strcmp(way, "flood") == 0)
		return flood(&world, atoi(words[2]));
	return more(way, &world, count, words);
}
