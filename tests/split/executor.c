/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/split/executor.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client/opencl/predictd_opencl.h"

enum { PLATFORMS_MAX = 16, LOG_BYTES = 4096 };

_Noreturn void fail(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	(void)fprintf(stderr, "split: ");
	(void)vfprintf(stderr, format, list);
	(void)fputc('\n', stderr);
	va_end(list);
	(void)fflush(stdout);
	_Exit(EXIT_FAILURE); /* other threads may be inside a driver */
}

void must(cl_int status, const char *what)
{
	if (status != CL_SUCCESS)
		fail("%s: OpenCL's error %d", what, status);
}

double now_s(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double median_of(double *samples, size_t count)
{
	qsort(samples, count, sizeof *samples, compare);
	return (samples[count / 2] + samples[(count - 1) / 2]) / 2;
}

/* ---- devices ------------------------------------------------------------------------------- */

static cl_device_id root_find(const char *text, unsigned platform, unsigned number)
{
	cl_platform_id platforms[PLATFORMS_MAX];
	cl_device_id devices[PREDICTD_OPENCL_DEVICES_MAX];
	cl_uint count = 0;
	must(clGetPlatformIDs(PLATFORMS_MAX, platforms, &count), "platforms");
	if (platform >= count)
		fail("%s: want a platform below %u", text, count);
	must(clGetDeviceIDs(platforms[platform], CL_DEVICE_TYPE_ALL, PREDICTD_OPENCL_DEVICES_MAX,
	                    devices, &count),
	     "devices");
	if (number >= count)
		fail("%s: want a device below %u", text, count);
	return devices[number];
}

/* Units from `first` on: those before it are a sub-device that nobody uses. */
static cl_device_id part_open(const char *text, cl_device_id root, unsigned first, unsigned count)
{
	cl_device_partition_property wanted[5] = {CL_DEVICE_PARTITION_BY_COUNTS};
	cl_device_id parts[2];
	cl_uint n = 1, made = 0;
	if (first > 0)
		wanted[n++] = first;
	wanted[n++] = count;
	wanted[n++] = CL_DEVICE_PARTITION_BY_COUNTS_LIST_END;
	wanted[n] = 0;
	if (clCreateSubDevices(root, wanted, 2, parts, &made) != CL_SUCCESS || made == 0)
		fail("%s: no sub-device of %u units from %u on", text, count, first);
	return parts[made - 1];
}

void device_open(struct device *device, const char *text)
{
	predictd_device_identity identity;
	cl_device_type type = 0;
	cl_int status;
	unsigned platform, number, first = 0, count = 0;
	int length = 0, more = 0;
	const char *rest;
	memset(device, 0, sizeof *device);
	if (sscanf(text, "%u:%u%n", &platform, &number, &length) < 2)
		fail("%s: want PLATFORM:DEVICE[/FIRST+COUNT][=KEY]", text);
	rest = text + length;
	if (sscanf(rest, "/%u+%u%n", &first, &count, &more) == 2)
		rest += more;
	if ((*rest != '\0' && *rest != '=') || (more > 0 && count == 0))
		fail("%s: want PLATFORM:DEVICE[/FIRST+COUNT][=KEY]", text);
	device->id = root_find(text, platform, number);
	if (count > 0) {
		predictd_opencl_identity(device->id, &identity);
		identity.compute_units = count;
		predictd_device_keys(&identity, 1, &device->key);
		device->id = part_open(text, device->id, first, count);
	} else if (predictd_opencl_key(device->id, device->key) != PREDICTD_OK) {
		fail("%s: has no key", text);
	}
	if (*rest == '=')
		(void)snprintf(device->key, sizeof device->key, "%s", rest + 1);
	(void)snprintf(device->name, sizeof device->name, "%.*s", (int)(rest - text), text);
	must(clGetDeviceInfo(device->id, CL_DEVICE_TYPE, sizeof type, &type, NULL), "type");
	must(clGetDeviceInfo(device->id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof device->units,
	                     &device->units, NULL),
	     "units");
	device->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
	device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &status);
	must(status, "context");
	device->queue = clCreateCommandQueue(device->context, device->id, 0, &status);
	must(status, "queue");
}

cl_kernel kernel_open(const struct device *device, const char *source, const char *options,
                      const char *name)
{
	static char log[LOG_BYTES];
	char own[LOG_BYTES];
	cl_int status;
	unsigned number = 0;
	/* PoCL 5.0 keeps what it has compiled by source and options, and its count of who uses that
	 * is wrong where two parts of a device run one kernel for the first time at once */
	for (const char *c = device->name; *c != '\0'; c++)
		number = 31 * number + (unsigned char)*c;
	if (snprintf(own, sizeof own, "%s -DPREDICTD_DEVICE=%uu", options != NULL ? options : "",
	             number) >= (int)sizeof own)
		fail("%s: options are too long", name);
	cl_program program = clCreateProgramWithSource(device->context, 1, &source, NULL, &status);
	must(status, "program");
	if (clBuildProgram(program, 1, &device->id, own, NULL, NULL) != CL_SUCCESS) {
		(void)clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG,
		                            sizeof log - 1, log, NULL);
		fail("%s: does not build for %s: %s", name, device->name, log);
	}
	cl_kernel kernel = clCreateKernel(program, name, &status);
	must(status, name);
	must(clReleaseProgram(program), "release");
	return kernel;
}

/* ---- threads that begin together ----------------------------------------------------------- */

struct team {
	void (*work)(void *context, size_t i);
	void *context;
	atomic_size_t ready;
	_Atomic double begin_s; /* 0: not yet */
	struct member {
		struct team *team;
		size_t number;
		double end_s;
	} members[DEVICES_MAX];
};

static void *member_run(void *context)
{
	struct member *member = context;
	struct team *team = member->team;
	atomic_fetch_add(&team->ready, 1);
	while (atomic_load(&team->begin_s) == 0)
		;
	team->work(team->context, member->number);
	member->end_s = now_s();
	return NULL;
}

double together(size_t count, void (*work)(void *context, size_t i), void *context, double *ends_s)
{
	struct team team = {.work = work, .context = context};
	pthread_t threads[DEVICES_MAX];
	double last_s = 0;
	for (size_t i = 0; i < count; i++) {
		team.members[i] = (struct member){.team = &team, .number = i};
		if (pthread_create(&threads[i], NULL, member_run, &team.members[i]) != 0)
			fail("no thread can be had");
	}
	while (atomic_load(&team.ready) < count)
		(void)nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
	double begin_s = now_s();
	atomic_store(&team.begin_s, begin_s);
	for (size_t i = 0; i < count; i++) {
		(void)pthread_join(threads[i], NULL);
		double took_s = team.members[i].end_s - begin_s;
		last_s = took_s > last_s ? took_s : last_s;
		if (ends_s != NULL)
			ends_s[i] = took_s;
	}
	return last_s;
}

/* ---- processes ----------------------------------------------------------------------------- */

bool apart(void (*work)(const void *context), const void *context, const char *name, long limit_s)
{
	int status;
	(void)fflush(stdout);
	pid_t child = fork();
	if (child == -1)
		fail("fork: %s", strerror(errno));
	if (child == 0) {
		(void)alarm((unsigned)limit_s);
		work(context);
		(void)fflush(stdout);
		_Exit(EXIT_SUCCESS); /* drivers' exit handlers are nobody's to wait for */
	}
	while (waitpid(child, &status, 0) == -1 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		(void)fprintf(stderr, "split: %s: %s\n", name,
		              WTERMSIG(status) == SIGALRM ? "takes too long"
		                                          : strsignal(WTERMSIG(status)));
	return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

bool number_take(const char *text, long high, long *number)
{
	char *end;
	*number = text != NULL ? strtol(text, &end, 10) : 0;
	return *number >= 1 && *number <= high && *end == '\0';
}
