/* SPDX-License-Identifier: Apache-2.0 */
/* The ways of programs that do what is allowed and seldom done. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/client/layer/program.h"

static const char reads_source[] =
        "__kernel void reads(__global const int *a, __global int *b) { b[0] = a[0]; }\n";

enum { COUNT = 4096 };

static int data[COUNT];

static void launch(cl_command_queue queue, cl_kernel kernel, cl_uint wait_count,
                   const cl_event *waits, cl_event *event)
{
	const size_t one = 1;
	MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, wait_count, waits, event));
}

/* A buffer that is known, as the first argument of `reads`. */
static cl_kernel known_kernel(const struct world *world, cl_mem *known)
{
	cl_int error;
	cl_kernel kernel = world_kernel(world_program(world, reads_source, ""), "reads");
	for (int i = 0; i < COUNT; i++)
		data[i] = i;
	*known = clCreateBuffer(world->context, CL_MEM_COPY_HOST_PTR, sizeof data, data, &error);
	MUST(error);
	cl_mem out = clCreateBuffer(world->context, 0, 64, NULL, &error);
	MUST(error);
	MUST(clSetKernelArg(kernel, 0, sizeof *known, known));
	MUST(clSetKernelArg(kernel, 1, sizeof out, &out));
	return kernel;
}

static cl_kernel nothing_kernel(const struct world *world)
{
	return world_kernel(world_program(world, "__kernel void nothing(void) {}\n", ""),
	                    "nothing");
}

/* Queues with a profile at addresses of queues that had none to be seen. */
static int gone(const struct world *world)
{
	cl_kernel kernel = nothing_kernel(world);
	cl_int error;
	cl_ulong ns = 0;
	for (int i = 0; i < 100; i++) {
		cl_event event;
		cl_command_queue queue =
		        clCreateCommandQueue(world->context, world->device, 0, &error);
		MUST(error);
		MUST(clReleaseCommandQueue(queue));
		queue = clCreateCommandQueue(world->context, world->device,
		                             CL_QUEUE_PROFILING_ENABLE, &error);
		MUST(error);
		launch(queue, kernel, 0, NULL, &event);
		MUST(clWaitForEvents(1, &event));
		MUST(clReleaseCommandQueue(queue));
		const int result = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END,
		                                           sizeof ns, &ns, NULL);
		if (result != CL_SUCCESS)
			printf("%d: profile %d\n", i, result);
		MUST(clReleaseEvent(event));
	}
	return 0;
}

/* A long source with three options: more than is kept. */
static int big(const struct world *world)
{
	enum { SIZE = 12 << 20 };
	static const char kernel[] = "\n__kernel void nothing(void) {}\n";
	static const char *const options[] = {"-DA=1", "-DA=2", "-DA=3"};
	char *text = malloc(SIZE + sizeof kernel);
	const char *source = text;
	cl_int error;
	if (text == NULL)
		return 97;
	memset(text, ' ', SIZE);
	memcpy(text + SIZE, kernel, sizeof kernel);
	cl_program program = clCreateProgramWithSource(world->context, 1, &source, NULL, &error);
	MUST(error);
	for (int i = 0; i < 3; i++) {
		MUST(clBuildProgram(program, 1, &world->device, options[i], NULL, NULL));
		cl_kernel one = world_kernel(program, "nothing");
		launch(world->queue, one, 0, NULL, NULL);
		MUST(clFinish(world->queue));
		MUST(clReleaseKernel(one));
	}
	free(text);
	return 0;
}

/* Launches that wait, and others behind them that need not: these are told when the end comes. */
static int unordered(const struct world *world)
{
	enum { WAITING = 3000, FREE = 500 };
	cl_kernel kernel = nothing_kernel(world);
	cl_event gate, events[FREE];
	cl_int error;
	cl_command_queue queue = clCreateCommandQueue(
	        world->context, world->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
	MUST(error);
	gate = clCreateUserEvent(world->context, &error);
	MUST(error);
	for (int i = 0; i < WAITING; i++)
		launch(queue, kernel, 1, &gate, NULL);
	for (int i = 0; i < FREE; i++)
		launch(queue, kernel, 0, NULL, &events[i]);
	MUST(clFlush(queue));
	MUST(clWaitForEvents(FREE, events));
	(void)usleep(400000);
	(void)raise(SIGKILL);
	return 0;
}

static void CL_CALLBACK native(void *arguments)
{
	int *buffer;
	memcpy(&buffer, arguments, sizeof buffer);
	buffer[0] = 7;
}

/* A function of the program's writes a buffer that was known. */
static int native_kernel(const struct world *world)
{
	cl_mem known;
	cl_kernel kernel = known_kernel(world, &known);
	void *arguments = NULL;
	const void *place = &arguments;
	launch(world->queue, kernel, 0, NULL, NULL);
	printf("native %d\n",
	       clEnqueueNativeKernel(world->queue, native, &arguments, sizeof arguments, 1, &known,
	                             &place, 0, NULL, NULL));
	launch(world->queue, kernel, 0, NULL, NULL);
	MUST(clFinish(world->queue));
	return 0;
}

/* An image of a buffer that was known is written. */
static int image_of_buffer(const struct world *world)
{
	const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
	const size_t origin[3] = {0, 0, 0}, region[3] = {16, 1, 1};
	static const cl_uint pixels[16 * 4];
	cl_int error;
	cl_mem known;
	cl_kernel kernel = known_kernel(world, &known);
	const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER,
	                            .image_width = COUNT / 4,
	                            .buffer = known};
	launch(world->queue, kernel, 0, NULL, NULL);
	cl_mem image = clCreateImage(world->context, 0, &format, &desc, NULL, &error);
	printf("image %d\n", error);
	if (image != NULL)
		printf("write %d\n", clEnqueueWriteImage(world->queue, image, CL_TRUE, origin,
		                                         region, 0, 0, pixels, 0, NULL, NULL));
	launch(world->queue, kernel, 0, NULL, NULL);
	MUST(clFinish(world->queue));
	return 0;
}

/* Shared memory that comes and goes in parts, in the middle of others. */
static int svm(const struct world *world)
{
	enum { MEMORIES = 500 };
	static char *all[MEMORIES];
	const size_t one = 1;
	cl_kernel kernel = world_kernel(
	        world_program(world, "__kernel void shared(__global int *p) { p[0] = 7; }\n", ""),
	        "shared");
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < MEMORIES; i++)
			all[i] = clSVMAlloc(world->context, CL_MEM_READ_WRITE, (i % 7 + 1) * 4096,
			                    0);
		printf("svm %d\n", all[0] != NULL);
		if (all[0] == NULL)
			return 0;
		for (size_t i = 0; i < MEMORIES; i += 3) {
			clSVMFree(world->context, all[i]);
			all[i] = NULL;
		}
		for (size_t i = 0; i < MEMORIES; i++) {
			if (all[i] == NULL)
				continue;
			MUST(clSetKernelArgSVMPointer(kernel, 0, all[i] + 1024));
			MUST(clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL, &one, NULL, 0,
			                            NULL, NULL));
		}
		MUST(clFinish(world->queue));
		for (size_t i = 0; i < MEMORIES; i++)
			if (all[i] != NULL)
				clSVMFree(world->context, all[i]);
	}
	return 0;
}

/* A program with options of its own for each of two devices. */
static int devices(void)
{
	static const char *const options[] = {"-DN=1", "-DN=2"};
	static const char source[] = "__kernel void k(__global int *a) { a[0] = N; }\n";
	const char *text = source;
	cl_platform_id platform;
	cl_device_id both[2];
	cl_uint count = 0;
	cl_int error;
	MUST(clGetPlatformIDs(1, &platform, NULL));
	MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, both, &count));
	printf("devices %u\n", count);
	if (count < 2)
		return 0;
	cl_context context = clCreateContext(NULL, 2, both, NULL, NULL, &error);
	MUST(error);
	for (int way = 0; way < 2; way++) {
		cl_program programs[2];
		for (int i = 0; i < 2; i++) {
			programs[i] = way == 1 && i == 1 ? programs[0]
			                                 : clCreateProgramWithSource(
			                                           context, 1, &text, NULL, &error);
			MUST(error);
			printf("build %d\n",
			       clBuildProgram(programs[i], 1, &both[i], options[i], NULL, NULL));
		}
		for (int i = 0; i < 2; i++) {
			const size_t one = 1;
			int got = 0;
			cl_kernel kernel = clCreateKernel(programs[i], "k", &error);
			if (kernel == NULL) {
				printf("kernel %d\n", error);
				continue;
			}
			cl_command_queue queue = clCreateCommandQueue(context, both[i], 0, &error);
			MUST(error);
			cl_mem buffer =
			        clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, &error);
			MUST(error);
			MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
			error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL,
			                               NULL);
			if (error == CL_SUCCESS)
				MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got,
				                         &got, 0, NULL, NULL));
			printf("device %d: %d %d\n", i, error, got);
		}
	}
	return 0;
}

enum { THREADS = 4, LAUNCHES = 500 };

static void *thread_launches(void *context)
{
	const struct world *world = context;
	cl_kernel kernel = nothing_kernel(world);
	for (int i = 0; i < LAUNCHES; i++)
		launch(world->queue, kernel, 0, NULL, NULL);
	MUST(clFinish(world->queue));
	MUST(clReleaseKernel(kernel));
	return NULL;
}

/* One queue of all threads. */
static int one_queue(const struct world *world)
{
	pthread_t all[THREADS];
	struct world copy = *world;
	for (int i = 0; i < THREADS; i++)
		MUST(pthread_create(&all[i], NULL, thread_launches, &copy));
	for (int i = 0; i < THREADS; i++)
		MUST(pthread_join(all[i], NULL));
	return 0;
}

/* All is released while launches wait; a kernel and a buffer a launch. */
static int released(const struct world *world)
{
	enum { KERNELS = 300 };
	cl_int error;
	cl_event gate = clCreateUserEvent(world->context, &error), last = NULL;
	MUST(error);
	cl_program program = world_program(world, reads_source, "");
	for (int i = 0; i < KERNELS; i++) {
		cl_kernel kernel = world_kernel(program, "reads");
		cl_mem buffer = clCreateBuffer(world->context, 0, 64, NULL, &error);
		MUST(error);
		MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
		MUST(clSetKernelArg(kernel, 1, sizeof buffer, &buffer));
		launch(world->queue, kernel, 1, &gate, i == KERNELS - 1 ? &last : NULL);
		MUST(clReleaseMemObject(buffer));
		MUST(clReleaseKernel(kernel));
	}
	MUST(clReleaseProgram(program));
	MUST(clFlush(world->queue));
	MUST(clReleaseCommandQueue(world->queue));
	MUST(clReleaseContext(world->context));
	MUST(clSetUserEventStatus(gate, CL_COMPLETE));
	MUST(clWaitForEvents(1, &last));
	return 0;
}

/* Events that the program keeps for ever. */
static int leaked(const struct world *world, int count)
{
	cl_kernel kernel = nothing_kernel(world);
	cl_event event = NULL;
	for (int i = 0; i < count; i++)
		launch(world->queue, kernel, 0, NULL, &event);
	MUST(clWaitForEvents(1, &event));
	return 0;
}

/* Ends as it is told to, with launches that ended some time ago. */
static int ends(const struct world *world, const char *how)
{
	cl_kernel kernel = nothing_kernel(world);
	for (int i = 0; i < 5; i++)
		launch(world->queue, kernel, 0, NULL, NULL);
	MUST(clFinish(world->queue));
	(void)usleep(400000);
	printf("ends\n");
	if (strcmp(how, "_exit") == 0)
		_exit(7);
	if (strcmp(how, "quick_exit") == 0)
		quick_exit(8);
	if (strcmp(how, "abort") == 0)
		abort();
	if (strcmp(how, "kill") == 0)
		(void)raise(SIGKILL);
	if (strcmp(how, "exec") == 0)
		(void)execl("/bin/echo", "echo", "another", (char *)NULL);
	return 0;
}

/* Launches for some seconds, a new shape each tenth. */
static int lasts(const struct world *world, int seconds)
{
	static const char source[] = "__kernel void stepped(int i) {}\n";
	cl_kernel kernel = world_kernel(world_program(world, source, ""), "stepped");
	for (int i = 0; i < 100 * seconds; i++) {
		const int step = i / 10;
		MUST(clSetKernelArg(kernel, 0, sizeof step, &step));
		launch(world->queue, kernel, 0, NULL, NULL);
		MUST(clFinish(world->queue));
		(void)usleep(10000);
	}
	printf("lasted\n");
	return 0;
}

/* Closes every descriptor but the first three, as daemons do; its own take their numbers. */
static int closes(const struct world *world)
{
	enum { PAIRS = 16 };
	int ends[PAIRS][2];
	char byte;
	(void)lasts(world, 1);
	for (int fd = 3; fd < 1024; fd++)
		(void)close(fd);
	for (int i = 0; i < PAIRS; i++)
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]) != 0)
			return 98;
	cl_kernel another = world_kernel(
	        world_program(world, "__kernel void another(void) {}\n", ""), "another");
	launch(world->queue, another, 0, NULL, NULL);
	MUST(clFinish(world->queue));
	(void)usleep(500000);
	for (int i = 0; i < PAIRS; i++)
		for (int j = 0; j < 2; j++)
			if (recv(ends[i][j], &byte, 1, MSG_DONTWAIT) >= 0 || errno != EAGAIN)
				printf("pair %d: %s\n", i, strerror(errno));
	printf("closed\n");
	return 0;
}

int faults(const char *way, const struct world *world, int count, char **words)
{
	if (strcmp(way, "gone") == 0)
		return gone(world);
	if (strcmp(way, "big") == 0)
		return big(world);
	if (strcmp(way, "unordered") == 0)
		return unordered(world);
	if (strcmp(way, "native") == 0)
		return native_kernel(world);
	if (strcmp(way, "image-of-buffer") == 0)
		return image_of_buffer(world);
	if (strcmp(way, "svm") == 0)
		return svm(world);
	if (strcmp(way, "devices") == 0)
		return devices();
	if (strcmp(way, "one-queue") == 0)
		return one_queue(world);
	if (strcmp(way, "released") == 0)
		return released(world);
	if (strcmp(way, "leaked") == 0 && count > 2)
		return leaked(world, atoi(words[2]));
	if (strcmp(way, "lasts") == 0 && count > 2)
		return lasts(world, atoi(words[2]));
	if (strcmp(way, "closes") == 0)
		return closes(world);
	if (strcmp(way, "ends") == 0 && count > 2)
		return ends(world, words[2]);
	printf("no such way: %s\n", way);
	return 96;
}
