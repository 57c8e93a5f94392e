/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What launches cost with the layer beside none: this program starts itself with and without it,
 * one after the other, and prints medians and quantiles. Launches are of an empty kernel, of one
 * that takes some 70 us, or of 10,000 kernel objects in turn, each with sizes of its own.
 *
 * usage: bench-layer LAYER [LAUNCHES [ROUNDS [empty|work|kernels]]]
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MAX = 100, BATCH = 1000, KERNELS = 10000 };

/* What a run tells of itself: a line of numbers. */
struct run {
	double median_us, p90_us, p99_us; /* of one launch */
	double total_s;                   /* with the end of all of them */
	double processor_s;               /* of all threads, from the process's begin */
	double resident_mb;
};

static double now_s(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void must(cl_int result, const char *what)
{
	if (result == CL_SUCCESS)
		return;
	(void)fprintf(stderr, "bench-layer: %s: OpenCL error %d\n", what, result);
	exit(1);
}

static cl_kernel kernel_with(cl_context context, cl_program program, const char *name,
                             size_t floats)
{
	cl_int error;
	cl_kernel kernel = clCreateKernel(program, name, &error);
	must(error, "clCreateKernel");
	if (floats == 0)
		return kernel;
	cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, floats * 4, NULL, &error);
	must(error, "clCreateBuffer");
	must(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
	return kernel;
}

static int launch_all(size_t count, const char *what)
{
	static const char *source = "__kernel void empty(void) {}\n"
	                            "__kernel void takes(__global float *a) {}\n"
	                            "__kernel void work(__global float *a) {\n"
	                            "  float x = a[get_global_id(0)];\n"
	                            "  for (int i = 0; i < 8000; i++) x = x * 0.999f + 0.5f;\n"
	                            "  a[get_global_id(0)] = x;\n"
	                            "}\n";
	static cl_kernel kernels[KERNELS];
	static size_t sizes[KERNELS];
	const size_t kernel_count = strcmp(what, "kernels") == 0 ? KERNELS : 1;
	const size_t local = strcmp(what, "work") == 0 ? 8 : 1;
	cl_platform_id platform;
	cl_device_id device;
	cl_int error;
	struct rusage usage;
	double *times = calloc(count, sizeof *times);
	if (times == NULL)
		return 1;
	must(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
	must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
	cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	must(error, "clCreateContext");
	cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
	must(error, "clCreateCommandQueue");
	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
	must(error, "clCreateProgramWithSource");
	must(clBuildProgram(program, 0, NULL, "", NULL, NULL), "clBuildProgram");
	for (size_t i = 0; i < kernel_count; i++) {
		kernels[i] = kernel_count > 1 ? kernel_with(context, program, "takes", 1 + i / 10)
		             : local > 1      ? kernel_with(context, program, "work", local)
		                              : kernel_with(context, program, "empty", 0);
		sizes[i] = local + (kernel_count > 1 ? i % 10 : 0);
	}
	must(clEnqueueNDRangeKernel(queue, kernels[0], 1, NULL, &sizes[0], &local, 0, NULL, NULL),
	     "launch");
	must(clFinish(queue), "clFinish");
	const double begin_s = now_s();
	for (size_t i = 0; i < count; i++) {
		const size_t k = i % kernel_count;
		const double from_s = now_s();
		must(clEnqueueNDRangeKernel(queue, kernels[k], 1, NULL, &sizes[k], &local, 0, NULL,
		                            NULL),
		     "launch");
		times[i] = now_s() - from_s;
		if (i % BATCH == BATCH - 1) /* or the queue itself is what is measured */
			must(clFinish(queue), "clFinish");
	}
	must(clFinish(queue), "clFinish");
	const double total_s = now_s() - begin_s;
	qsort(times, count, sizeof *times, compare);
	(void)getrusage(RUSAGE_SELF, &usage);
	const double processor_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	                           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
	printf("%.9f %.9f %.9f %.9f %.6f %.3f\n", times[count / 2] * 1e6,
	       times[count * 9 / 10] * 1e6, times[count * 99 / 100] * 1e6, total_s, processor_s,
	       (double)usage.ru_maxrss / 1024);
	return 0;
}

static void run(const char *self, const char *layer, const char *count, const char *what,
                struct run *out)
{
	int ends[2];
	char line[256] = "";
	if (pipe(ends) != 0)
		exit(1);
	const pid_t child = fork();
	if (child == 0) {
		(void)dup2(ends[1], 1);
		if (layer != NULL)
			(void)setenv("OPENCL_LAYERS", layer, 1);
		else
			(void)unsetenv("OPENCL_LAYERS");
		(void)execl(self, self, "launch", count, what, (char *)NULL);
		_exit(127);
	}
	(void)close(ends[1]);
	FILE *from = fdopen(ends[0], "r");
	if (from == NULL || fgets(line, sizeof line, from) == NULL ||
	    sscanf(line, "%lf %lf %lf %lf %lf %lf", &out->median_us, &out->p90_us, &out->p99_us,
	           &out->total_s, &out->processor_s, &out->resident_mb) != 6) {
		(void)fprintf(stderr, "bench-layer: no figures from a run\n");
		exit(1);
	}
	(void)fclose(from);
	(void)waitpid(child, NULL, 0);
}

/* rank: of count, from the least on. */
static double ranked(const struct run *runs, size_t count, size_t rank, size_t field)
{
	double values[ROUNDS_MAX];
	for (size_t i = 0; i < count; i++)
		memcpy(&values[i], (const char *)&runs[i] + field, sizeof values[i]);
	qsort(values, count, sizeof *values, compare);
	return values[rank];
}

int main(int argument_count, char **arguments)
{
	static const struct {
		const char *name;
		size_t field;
		bool is_least; /* of all rounds; else their median */
	} rows[] = {{"launch, median, us", offsetof(struct run, median_us), false},
	            {"launch, 90th percentile, us", offsetof(struct run, p90_us), false},
	            {"launch, 99th percentile, us", offsetof(struct run, p99_us), false},
	            {"all of them, s", offsetof(struct run, total_s), false},
	            {"all of them, the least, s", offsetof(struct run, total_s), true},
	            {"processor time, the least, s", offsetof(struct run, processor_s), true},
	            {"resident, MB", offsetof(struct run, resident_mb), false}};
	static struct run without[ROUNDS_MAX], with[ROUNDS_MAX];
	if (argument_count == 4 && strcmp(arguments[1], "launch") == 0)
		return launch_all(strtoul(arguments[2], NULL, 10), arguments[3]);
	if (argument_count < 2) {
		(void)fprintf(
		        stderr,
		        "usage: bench-layer LAYER [LAUNCHES [ROUNDS [empty|work|kernels]]]\n");
		return 2;
	}
	const char *count = argument_count > 2 ? arguments[2] : "1000000";
	size_t rounds = argument_count > 3 ? strtoul(arguments[3], NULL, 10) : 5;
	const char *what = argument_count > 4 ? arguments[4] : "empty";
	rounds = rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
	for (size_t i = 0; i < rounds; i++) {
		run(arguments[0], NULL, count, what, &without[i]);
		run(arguments[0], arguments[1], count, what, &with[i]);
	}
	printf("%s launches (%s), %zu rounds\n%-30s %10s %10s %10s\n", count, what, rounds, "",
	       "without", "with", "more");
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const size_t rank = rows[i].is_least ? 0 : rounds / 2;
		const double a = ranked(without, rounds, rank, rows[i].field);
		const double b = ranked(with, rounds, rank, rows[i].field);
		printf("%-30s %10.3f %10.3f %10.3f\n", rows[i].name, a, b, b - a);
	}
	return 0;
}
