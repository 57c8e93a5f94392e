/* SPDX-License-Identifier: Apache-2.0 */
/* The ways of programs that come, go and have children. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/client/layer/program.h"

static const char add_source[] =
        "__kernel void add(__global int *a, int by) { a[get_global_id(0)] += by; }\n";

static void launch(const struct world *world, cl_kernel kernel, cl_mem buffer, int by, size_t size)
{
	MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	MUST(clSetKernelArg(kernel, 1, sizeof by, &by));
	MUST(clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
}

static void use(const struct world *world, int times)
{
	int first = -1;
	cl_int error;
	cl_kernel kernel = world_kernel(world_program(world, add_source, ""), "add");
	cl_mem buffer =
	        clCreateBuffer(world->context, CL_MEM_READ_WRITE, 64 * sizeof(int), NULL, &error);
	MUST(error);
	const int zero = 0;
	MUST(clEnqueueFillBuffer(world->queue, buffer, &zero, sizeof zero, 0, 64 * sizeof(int), 0,
	                         NULL, NULL));
	for (int i = 0; i < times; i++)
		launch(world, kernel, buffer, 1, 64);
	MUST(clEnqueueReadBuffer(world->queue, buffer, CL_TRUE, 0, sizeof first, &first, 0, NULL,
	                         NULL));
	printf("sum %d\n", first);
}

/* Objects that come and go, whose addresses come up again for others. */
static int reuse(const struct world *world)
{
	for (int i = 0; i < 40; i++) {
		char source[256], name[16];
		cl_int error;
		(void)snprintf(name, sizeof name, "kernel%d", i);
		(void)snprintf(source, sizeof source,
		               "__kernel void %s(__global int *a, int by) { a[0] = by; }\n", name);
		cl_program program = world_program(world, source, "");
		cl_kernel kernel = world_kernel(program, name);
		cl_mem buffer = clCreateBuffer(world->context, CL_MEM_READ_WRITE,
		                               (size_t)(i + 1) * 64, NULL, &error);
		MUST(error);
		MUST(clRetainKernel(kernel));
		MUST(clReleaseKernel(kernel));
		MUST(clRetainMemObject(buffer));
		MUST(clReleaseMemObject(buffer));
		launch(world, kernel, buffer, i, 1);
		MUST(clFinish(world->queue));
		MUST(clReleaseMemObject(buffer));
		MUST(clReleaseKernel(kernel));
		MUST(clReleaseProgram(program));
	}
	return 0;
}

/* One source with two options; parts that are compiled with a header and linked. */
static int builds(const struct world *world)
{
	static const char source[] =
	        "__kernel void k(__global int *a, int by) { a[0] = by + N; }\n";
	static const char one[] = "#include \"n.h\"\n__kernel void k1(__global int *a, int by) "
	                          "{ a[0] = by + N; }\n";
	static const char two[] = "__kernel void k2(__global int *a, int by) { a[0] = by; }\n";
	static const char header[] = "#define N 5\n";
	const char *texts[] = {one, two, header}, *name = "n.h";
	cl_program parts[3];
	cl_int error;
	cl_mem buffer = clCreateBuffer(world->context, CL_MEM_READ_WRITE, 64, NULL, &error);
	MUST(error);
	launch(world, world_kernel(world_program(world, source, "-DN=1"), "k"), buffer, 1, 1);
	launch(world, world_kernel(world_program(world, source, "-DN=2"), "k"), buffer, 1, 1);
	for (int i = 0; i < 3; i++) {
		parts[i] = clCreateProgramWithSource(world->context, 1, &texts[i], NULL, &error);
		MUST(error);
	}
	MUST(clCompileProgram(parts[0], 0, NULL, "-DM=1", 1, &parts[2], &name, NULL, NULL));
	MUST(clCompileProgram(parts[1], 0, NULL, "-DM=2", 0, NULL, NULL, NULL, NULL));
	cl_program both = clLinkProgram(world->context, 0, NULL, "", 2, parts, NULL, NULL, &error);
	MUST(error);
	launch(world, world_kernel(both, "k1"), buffer, 1, 1);
	launch(world, world_kernel(both, "k2"), buffer, 1, 1);
	cl_program alone =
	        clLinkProgram(world->context, 0, NULL, "", 1, parts + 1, NULL, NULL, &error);
	MUST(error);
	cl_kernel kernels[2];
	cl_uint count = 0;
	MUST(clCreateKernelsInProgram(alone, 2, kernels, &count));
	printf("kernels %u\n", count);
	launch(world, kernels[0], buffer, 1, 2);
	MUST(clFinish(world->queue));
	return 0;
}

/* Writes the program's binary to a file, or runs what the file has. */
static int binary(const struct world *world, const char *path, int is_reader)
{
	static unsigned char bytes[1 << 22];
	unsigned char *at = bytes;
	const unsigned char *from = bytes;
	size_t size = 0;
	cl_int error, status;
	FILE *file = fopen(path, is_reader ? "r" : "w");
	cl_mem buffer = clCreateBuffer(world->context, CL_MEM_READ_WRITE, 64, NULL, &error);
	MUST(error);
	if (file == NULL)
		return 98;
	if (!is_reader) {
		cl_program program = world_program(world, add_source, "-DBINARY=1");
		launch(world, world_kernel(program, "add"), buffer, 1, 1);
		MUST(clFinish(world->queue));
		MUST(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
		if (size > sizeof bytes)
			return 97;
		MUST(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof at, &at, NULL));
		(void)fwrite(bytes, 1, size, file);
		return fclose(file);
	}
	size = fread(bytes, 1, sizeof bytes, file);
	(void)fclose(file);
	cl_program program = clCreateProgramWithBinary(world->context, 1, &world->device, &size,
	                                               &from, &status, &error);
	MUST(error);
	MUST(clBuildProgram(program, 0, NULL, "", NULL, NULL));
	launch(world, world_kernel(program, "add"), buffer, 1, 1);
	MUST(clFinish(world->queue));
	return 0;
}

/* Buffers that are known, and are not any more. */
static int samples(const struct world *world, const char *options)
{
	static const char source[] =
	        "__kernel void reads(__global const int *a, __global int *b) { b[0] = a[0]; }\n"
	        "__kernel void writes(__global int *a) { a[get_global_id(0)] = 1; }\n";
	enum { COUNT = 4096 };
	static int data[COUNT];
	const size_t one = 1;
	cl_int error;
	cl_program program = world_program(world, source, options);
	cl_kernel reads = world_kernel(program, "reads"), writes = world_kernel(program, "writes");
	for (int i = 0; i < COUNT; i++)
		data[i] = i;
	cl_mem in = clCreateBuffer(world->context, CL_MEM_COPY_HOST_PTR, sizeof data, data, &error);
	MUST(error);
	cl_mem out = clCreateBuffer(world->context, 0, 64, NULL, &error);
	MUST(error);
	MUST(clSetKernelArg(reads, 0, sizeof in, &in));
	MUST(clSetKernelArg(reads, 1, sizeof out, &out));
	MUST(clSetKernelArg(writes, 0, sizeof in, &in));
#define RUN(kernel)                                                                                \
	MUST(clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL))
	RUN(reads);  /* 0: as created */
	RUN(reads);  /* 0 again */
	RUN(writes); /* 1 */
	RUN(reads);  /* 2: unknown */
	MUST(clEnqueueReadBuffer(world->queue, in, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
	RUN(reads); /* 3: as read back */
	data[0] = 77;
	MUST(clEnqueueWriteBuffer(world->queue, in, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
	RUN(reads); /* 4: as written */
	MUST(clEnqueueWriteBuffer(world->queue, in, CL_TRUE, 4, 4, data, 0, NULL, NULL));
	RUN(reads); /* 2: a part of it was written */
	int *mapped = clEnqueueMapBuffer(world->queue, in, CL_TRUE, CL_MAP_WRITE, 0, sizeof data, 0,
	                                 NULL, NULL, &error);
	MUST(error);
	mapped[0] = 78;
	MUST(clEnqueueUnmapMemObject(world->queue, in, mapped, 0, NULL, NULL));
	RUN(reads); /* 5: as unmapped */
	MUST(clFinish(world->queue));
	return 0;
}

/* ---- threads ------------------------------------------------------------------------------- */

enum { THREADS = 4, LAUNCHES = 500 };

/* Each with a queue, a kernel and buffers of its own, which come and go. */
static void *thread_uses(void *context)
{
	struct world world = *(const struct world *)context;
	cl_int error;
	world.queue = clCreateCommandQueue(world.context, world.device, 0, &error);
	MUST(error);
	cl_program program = world_program(&world, add_source, "");
	cl_kernel kernel = world_kernel(program, "add");
	for (int i = 0; i < LAUNCHES; i++) {
		cl_mem buffer = clCreateBuffer(world.context, 0, 256, NULL, &error);
		MUST(error);
		launch(&world, kernel, buffer, i % 10, 64);
		MUST(clFinish(world.queue));
		MUST(clReleaseMemObject(buffer));
	}
	MUST(clReleaseKernel(kernel));
	MUST(clReleaseProgram(program));
	MUST(clReleaseCommandQueue(world.queue));
	return NULL;
}

static int threads(const struct world *world)
{
	pthread_t all[THREADS];
	struct world copy = *world;
	for (int i = 0; i < THREADS; i++)
		MUST(pthread_create(&all[i], NULL, thread_uses, &copy));
	for (int i = 0; i < THREADS; i++)
		MUST(pthread_join(all[i], NULL));
	return 0;
}

/* A part of the device, where it can be parted. */
static int part(const struct world *world)
{
	const cl_device_partition_property by[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
	struct world own = *world;
	cl_uint count = 0;
	cl_device_id parts[64];
	cl_int error = clCreateSubDevices(world->device, by, 64, parts, &count);
	printf("parts %d\n", error);
	if (error != CL_SUCCESS || count == 0)
		return 0;
	own.device = parts[0];
	own.context = clCreateContext(NULL, 1, parts, NULL, NULL, &error);
	MUST(error);
	own.queue = clCreateCommandQueue(own.context, own.device, 0, &error);
	MUST(error);
	use(&own, 3);
	return 0;
}

/* ---- ends ---------------------------------------------------------------------------------- */

static void CL_CALLBACK exits(cl_event event, cl_int status, void *user)
{
	(void)event;
	(void)status;
	(void)user;
	printf("exits\n");
	exit(3);
}

static int exit_in_callback(const struct world *world)
{
	const size_t size = 64;
	cl_event event;
	cl_int error;
	const int by = 1;
	cl_kernel kernel = world_kernel(world_program(world, add_source, ""), "add");
	cl_mem buffer = clCreateBuffer(world->context, 0, 64 * sizeof(int), NULL, &error);
	MUST(error);
	MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	MUST(clSetKernelArg(kernel, 1, sizeof by, &by));
	MUST(clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL, &size, NULL, 0, NULL, &event));
	MUST(clSetEventCallback(event, CL_COMPLETE, exits, NULL));
	MUST(clFlush(world->queue));
	for (;;)
		(void)pause();
}

static int wait_for(pid_t child)
{
	int status = -1;
	if (waitpid(child, &status, 0) != child)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* A child in the middle, which ends in the one way or the other. */
static int fork_middle(const struct world *world)
{
	use(world, 10);
	for (int i = 0; i < 4; i++) {
		const pid_t child = fork();
		if (child == 0 && i % 2 == 0)
			_exit(5);
		if (child == 0)
			exit(6);
		printf("child %d\n", wait_for(child));
	}
	use(world, 10);
	return 0;
}

/* The child alone uses OpenCL; its parent does so afterwards. */
static int fork_first(void)
{
	struct world world;
	const pid_t child = fork();
	if (child == 0) {
		world_open(&world);
		use(&world, 7);
		exit(0);
	}
	printf("child %d\n", wait_for(child));
	world_open(&world);
	use(&world, 8);
	return 0;
}

/* A kernel whose headers lie in the folder, one of them named by a macro, and a buffer that is
 * none. */
static int headers(const struct world *world, const char *folder)
{
	static const char source[] =
	        "#include <factor.h>\n#include TEXT(PLACE/summand.h)\n"
	        "__kernel void headed(__global float *a, __global float *none)\n"
	        "{\n"
	        "	uint i = get_global_id(0);\n"
	        "	a[i] = FACTOR * a[i] + SUMMAND + (none ? none[i] : 0);\n"
	        "}\n";
	char options[512];
	(void)snprintf(options, sizeof options,
	               "-I %s -D TEXT(x)=WORDS(x) -D WORDS(x)=#x -D PLACE=%s", folder, folder);
	cl_kernel kernel = world_kernel(world_program(world, source, options), "headed");
	float values[64] = {1};
	const size_t size = 64;
	cl_int error;
	cl_mem buffer =
	        clCreateBuffer(world->context, CL_MEM_COPY_HOST_PTR, sizeof values, values, &error);
	MUST(error);
	MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	MUST(clSetKernelArg(kernel, 1, sizeof buffer, NULL));
	MUST(clEnqueueNDRangeKernel(world->queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
	MUST(clEnqueueReadBuffer(world->queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL,
	                         NULL));
	printf("%g %g\n", (double)values[0], (double)values[1]);
	return 0;
}

int more(const char *way, const struct world *world, int count, char **words)
{
	if (strcmp(way, "reuse") == 0)
		return reuse(world);
	if (strcmp(way, "builds") == 0)
		return builds(world);
	if (strcmp(way, "binary") == 0 && count > 3)
		return binary(world, words[2], strcmp(words[3], "read") == 0);
	if (strcmp(way, "headers") == 0 && count > 2)
		return headers(world, words[2]);
	if (strcmp(way, "samples") == 0)
		return samples(world, count > 2 ? words[2] : "");
	if (strcmp(way, "callback") == 0)
		return exit_in_callback(world);
	if (strcmp(way, "fork") == 0)
		return fork_middle(world);
	if (strcmp(way, "threads") == 0)
		return threads(world);
	if (strcmp(way, "part") == 0)
		return part(world);
	if (strcmp(way, "fork-first") == 0)
		return fork_first();
	if (strcmp(way, "use") == 0) {
		use(world, 5);
		return 0;
	}
	if (strcmp(way, "kernel") == 0) { /* ends with its launches under way */
		cl_int error;
		cl_kernel kernel = world_kernel(world_program(world, add_source, ""), "add");
		cl_mem buffer = clCreateBuffer(world->context, 0, 64 * sizeof(int), NULL, &error);
		MUST(error);
		for (int i = 0; i < 5; i++)
			launch(world, kernel, buffer, 1, 64);
		MUST(clFlush(world->queue));
		return 0;
	}
	return faults(way, world, count, words);
}
