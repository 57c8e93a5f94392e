/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a launch costs with the layer beside none, for an empty kernel: this program starts itself
 * with and without it, one after the other, and prints medians and quantiles.
 *
 * usage: bench-layer LAYER [LAUNCHES [ROUNDS]]
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_MAX = 100, BATCH = 1000 };

/* What a run tells of itself: a line of numbers. */
struct run {
	double median_us, p90_us, p99_us; /* of one launch */
	double total_s;                   /* with the end of all of them */
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

static int launch_all(size_t count)
{
	static const char *source = "__kernel void empty(void) {}\n";
	const size_t one = 1;
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
	cl_kernel kernel = clCreateKernel(program, "empty", &error);
	must(error, "clCreateKernel");
	must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), "launch");
	must(clFinish(queue), "clFinish");
	const double begin_s = now_s();
	for (size_t i = 0; i < count; i++) {
		const double from_s = now_s();
		must(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
		     "launch");
		times[i] = now_s() - from_s;
		if (i % BATCH == BATCH - 1) /* or the queue itself is what is measured */
			must(clFinish(queue), "clFinish");
	}
	must(clFinish(queue), "clFinish");
	const double total_s = now_s() - begin_s;
	qsort(times, count, sizeof *times, compare);
	(void)getrusage(RUSAGE_SELF, &usage);
	printf("%.9f %.9f %.9f %.9f %.3f\n", times[count / 2] * 1e6, times[count * 9 / 10] * 1e6,
	       times[count * 99 / 100] * 1e6, total_s, (double)usage.ru_maxrss / 1024);
	return 0;
}

static void run(const char *self, const char *layer, const char *count, struct run *out)
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
		(void)execl(self, self, "launch", count, (char *)NULL);
		_exit(127);
	}
	(void)close(ends[1]);
	FILE *from = fdopen(ends[0], "r");
	if (from == NULL || fgets(line, sizeof line, from) == NULL ||
	    sscanf(line, "%lf %lf %lf %lf %lf", &out->median_us, &out->p90_us, &out->p99_us,
	           &out->total_s, &out->resident_mb) != 5) {
		(void)fprintf(stderr, "bench-layer: no figures from a run\n");
		exit(1);
	}
	(void)fclose(from);
	(void)waitpid(child, NULL, 0);
}

static double median(const struct run *runs, size_t count, size_t field)
{
	double values[ROUNDS_MAX];
	for (size_t i = 0; i < count; i++)
		memcpy(&values[i], (const char *)&runs[i] + field, sizeof values[i]);
	qsort(values, count, sizeof *values, compare);
	return values[count / 2];
}

int main(int argument_count, char **arguments)
{
	static const struct {
		const char *name;
		size_t field;
	} rows[] = {{"launch, median, us", offsetof(struct run, median_us)},
	            {"launch, 90th percentile, us", offsetof(struct run, p90_us)},
	            {"launch, 99th percentile, us", offsetof(struct run, p99_us)},
	            {"all of them, s", offsetof(struct run, total_s)},
	            {"resident, MB", offsetof(struct run, resident_mb)}};
	static struct run without[ROUNDS_MAX], with[ROUNDS_MAX];
	if (argument_count == 3 && strcmp(arguments[1], "launch") == 0)
		return launch_all(strtoul(arguments[2], NULL, 10));
	if (argument_count < 2) {
		(void)fprintf(stderr, "usage: bench-layer LAYER [LAUNCHES [ROUNDS]]\n");
		return 2;
	}
	const char *count = argument_count > 2 ? arguments[2] : "1000000";
	size_t rounds = argument_count > 3 ? strtoul(arguments[3], NULL, 10) : 5;
	rounds = rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
	for (size_t i = 0; i < rounds; i++) {
		run(arguments[0], NULL, count, &without[i]);
		run(arguments[0], arguments[1], count, &with[i]);
	}
	printf("%s launches of an empty kernel, %zu rounds\n%-30s %10s %10s %10s\n", count, rounds,
	       "", "without", "with", "more");
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const double a = median(without, rounds, rows[i].field);
		const double b = median(with, rounds, rows[i].field);
		printf("%-30s %10.3f %10.3f %10.3f\n", rows[i].name, a, b, b - a);
	}
	return 0;
}
