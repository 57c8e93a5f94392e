/* SPDX-License-Identifier: Apache-2.0 */
/* An OpenCL device that only says how long launches take. */
#include "tests/unit/calibrator/simulated.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/calibrator/node_caches.h"
#include "proto/other_load.h"
#include "tests/places.h"
#include "tests/unit/calibrator/simulated_call.h"

#define DISTURBED_BYTES 460800.0

enum { ARGUMENTS = 40, LINE_BYTES = 1 << 20, NAMES_MAX = 1024 };

/* Whatever it says of its memory. */
#define BUFFER_BYTES_MAX ((size_t)1 << 36)

struct _cl_context {
	int unused;
};
struct _cl_command_queue {
	int unused;
};
struct _cl_sampler {
	int unused;
};
struct _cl_mem {
	size_t bytes;
	int head[2];        /* the first words: what kernel `resident` counts */
	size_t cycle_bytes; /* what was written from the beginning on, for kernel `chase` */
	size_t lines;       /* or so many words, each LINE_BYTES after the other */
	void *mapped;       /* the host's view; owned */
	cl_uint *words;     /* what kernel `predictd_ask` wrote; owned */
};
struct _cl_kernel {
	char name[48];
	cl_program program;
	cl_uint arguments;
	cl_mem memory[ARGUMENTS];
	int32_t number[ARGUMENTS];
};
struct _cl_event {
	cl_ulong at_ns[3];
};

struct simulated how;
static unsigned long calls;
static unsigned builds;
static const char *failed;
static long objects;
static double now_s, spent_s;
static double ended_s, idle_s; /* the last launch, and before it */
static struct {
	char name[48];
	unsigned launches;
} launched[NAMES_MAX];

void simulated_begin(const struct simulated *device)
{
	how = *device;
	calls = 0;
	builds = 0;
	failed = NULL;
	objects = 0;
	memset(launched, 0, sizeof launched);
	now_s = 1;
	ended_s = now_s;
	spent_s = 0;
	/* the machine's processors are not the device's */
	other_load_read_from("/dev/null");
	node_caches_read_from(how.node != NULL ? how.node : "/dev/null");
}

unsigned long simulated_calls(void)
{
	return calls;
}

unsigned simulated_builds(void)
{
	return builds;
}

const char *simulated_failed(void)
{
	return failed;
}

/* Where the name is kept, or would be. */
static unsigned place_of(const char *kernel)
{
	unsigned i = 0;
	while (i + 1 < NAMES_MAX && launched[i].launches > 0 &&
	       strcmp(launched[i].name, kernel) != 0)
		i++;
	return i;
}

unsigned simulated_launches(const char *kernel)
{
	return launched[place_of(kernel)].launches;
}

const char *simulated_launched(unsigned index)
{
	return launched[index].launches > 0 ? launched[index].name : NULL;
}

long simulated_objects(void)
{
	return objects;
}

/* The process's clocks: what launches take, and a little for each look at them. */
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	now_s += 1e-7;
	double told_s = clock == CLOCK_PROCESS_CPUTIME_ID ? spent_s : now_s;
	time->tv_sec = (time_t)told_s;
	time->tv_nsec = (long)((told_s - (double)time->tv_sec) * 1e9);
	return 0;
}

int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                           struct timespec *rest);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                           struct timespec *rest)
{
	(void)clock;
	(void)flags;
	(void)rest;
	now_s += (double)time->tv_sec + (double)time->tv_nsec * 1e-9;
	return 0;
}

double simulated_idle_s(void)
{
	return idle_s;
}

/* Whether this call fails: by its number, or as the one of its place. */
bool call_fails(const char *call)
{
	bool is_nth = ++calls == how.fail_at;
	if (!is_nth && (how.failing != FAILING_CALLS || !place_fails()))
		return false;
	if (how.late_s > 0) {
		now_s += how.late_s;
		return false;
	}
	failed = call;
	return true;
}

cl_int tell_huge_by(const char *call, char of, size_t bytes, size_t room, void *value, size_t *size)
{
	char *text = malloc(bytes);
	if (text == NULL)
		return CL_OUT_OF_HOST_MEMORY;
	memset(text, of, bytes);
	cl_int code = tell_by(call, text, bytes, room, value, size);
	free(text);
	return code;
}

cl_int tell_by(const char *call, const void *from, size_t bytes, size_t room, void *value,
               size_t *size)
{
	if (call_fails(call))
		return CL_INVALID_VALUE;
	if (size != NULL)
		*size = bytes;
	if (value != NULL && room < bytes)
		return CL_INVALID_VALUE;
	if (value != NULL)
		memcpy(value, from, bytes);
	return CL_SUCCESS;
}

/* An object, or NULL and the code. */
static void *object(const char *call, size_t bytes, cl_int failure, cl_int *code)
{
	void *made = call_fails(call) ? NULL : calloc(1, bytes);
	*code = made == NULL ? failure : CL_SUCCESS;
	objects += made != NULL;
	return made;
}

static cl_int release(void *what)
{
	objects--;
	free(what);
	return CL_SUCCESS;
}

static cl_int done(const char *call, double took_s)
{
	now_s += took_s;
	return call_fails(call) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

/* ---- objects -------------------------------------------------------------------------------- */

cl_context clCreateContext(const cl_context_properties *properties, cl_uint count,
                           const cl_device_id *devices,
                           void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                           void *context, cl_int *code)
{
	(void)properties;
	(void)count;
	(void)devices;
	(void)notify;
	(void)context;
	return object(__func__, sizeof(struct _cl_context), CL_DEVICE_NOT_AVAILABLE, code);
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int *code)
{
	(void)context;
	(void)device;
	(void)properties;
	return object(__func__, sizeof(struct _cl_command_queue), CL_OUT_OF_RESOURCES, code);
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **sources,
                                     const size_t *sizes, cl_int *code)
{
	(void)context;
	(void)count;
	cl_program made = object(__func__, sizeof *made, CL_OUT_OF_HOST_MEMORY, code);
	if (made != NULL)
		made->source = strndup(sources[0], sizes[0]);
	return made;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                      const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                      void *context)
{
	(void)count;
	(void)devices;
	(void)notify;
	(void)context;
	builds++;
	now_s += how.compiler != NULL ? how.compiler->build_s : 1e-3;
	program->options = strdup(options);
	if (how.odd == ODD_HANGS && getenv("SIMULATED_ODD") != NULL)
		(void)raise(SIGALRM);
	return fails() || how.odd == ODD_LOG_HUGE || how.odd == ODD_LOG_UNENDED ||
	                       !compiler_builds(program)
	               ? CL_BUILD_PROGRAM_FAILURE
	               : CL_SUCCESS;
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info name,
                             size_t room, void *value, size_t *size)
{
	(void)program;
	(void)device;
	(void)name;
	if (how.odd == ODD_LOG_HUGE)
		return tell_huge('e', SIMULATED_LOG_BYTES, room, value, size);
	if (how.odd == ODD_LOG_UNENDED)
		return tell("error: no end", 13, room, value, size);
	return tell_text("a warning\na.cl:1:1: error: no such word\n", room, value, size);
}

cl_int clGetProgramInfo(cl_program program, cl_program_info name, size_t room, void *value,
                        size_t *size)
{
	(void)program;
	if (name != CL_PROGRAM_KERNEL_NAMES) /* it has no binaries to show */
		return CL_INVALID_VALUE;
	return tell_text(how.kernel_names != NULL ? how.kernel_names : "one", room, value, size);
}

/* So many as the source declares, where it does without macros. */
static cl_uint arguments_of_kernel(const char *source, const char *name)
{
	cl_uint count = 0;
	size_t length = strlen(name);
	if (how.argument_types != NULL) {
		while (how.argument_types[count] != NULL)
			count++;
		return count;
	}
	const char *at = strstr(source, name);
	while (at != NULL && (at[length] != '(' || at[-1] != ' '))
		at = strstr(at + 1, name);
	if (at == NULL || at[length + 1] == ')')
		return 0;
	for (count = 1; *at != ')' && *at != '\0'; at++)
		count += *at == ',';
	return count;
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *code)
{
	cl_kernel kernel = object(__func__, sizeof *kernel, CL_INVALID_KERNEL_NAME, code);
	if (kernel != NULL) {
		strncpy(kernel->name, name, sizeof kernel->name - 1);
		kernel->program = program;
		kernel->arguments = arguments_of_kernel(program->source, name);
	}
	return kernel;
}

cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t room, void *value,
                       size_t *size)
{
	(void)name;
	return tell(&kernel->arguments, sizeof kernel->arguments, room, value, size);
}

cl_int clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name, size_t room,
                          void *value, size_t *size)
{
	const cl_kernel_arg_access_qualifier access =
	        index % 2 == 0 ? CL_KERNEL_ARG_ACCESS_READ_ONLY : CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
	const char *type = how.argument_types != NULL ? how.argument_types[index] : "float*";
	if (index >= kernel->arguments)
		return CL_INVALID_ARG_INDEX;
	if (name == CL_KERNEL_ARG_ADDRESS_QUALIFIER)
		return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
	return name == CL_KERNEL_ARG_TYPE_NAME ? tell_text(type, room, value, size)
	                                       : tell(&access, sizeof access, room, value, size);
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t bytes, const void *value)
{
	if (fails() || index >= ARGUMENTS)
		return CL_INVALID_ARG_INDEX;
	kernel->memory[index] = NULL;
	kernel->number[index] = 0;
	if (value != NULL && bytes == sizeof(cl_mem))
		memcpy(&kernel->memory[index], value, bytes);
	else if (value != NULL && bytes == sizeof(int32_t))
		memcpy(&kernel->number[index], value, bytes);
	return CL_SUCCESS;
}

static cl_mem memory(const char *call, size_t bytes, cl_int *code)
{
	*code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
	if (bytes > BUFFER_BYTES_MAX ||
	    (how.compiler != NULL && how.compiler->asked == ASKED_NO_BUFFER))
		return NULL;
	cl_mem made = object(call, sizeof *made, CL_MEM_OBJECT_ALLOCATION_FAILURE, code);
	if (made != NULL)
		made->bytes = bytes;
	return made;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                      cl_int *code)
{
	(void)context;
	(void)flags;
	(void)host;
	return memory(__func__, bytes, code);
}

cl_mem clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type,
                         const void *region, cl_int *code)
{
	(void)flags;
	(void)type;
	(void)region;
	return memory(__func__, buffer->bytes, code);
}

cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                     const cl_image_desc *description, void *host, cl_int *code)
{
	(void)context;
	(void)flags;
	(void)format;
	(void)host;
	if (how.odd == ODD_IMAGES_REFUSED) {
		*code = CL_IMAGE_FORMAT_NOT_SUPPORTED;
		return NULL;
	}
	return memory(__func__, description->image_width * 4, code);
}

cl_sampler clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
                           cl_filter_mode filter, cl_int *code)
{
	(void)context;
	(void)normalized;
	(void)addressing;
	(void)filter;
	return object(__func__, sizeof(struct _cl_sampler), CL_OUT_OF_RESOURCES, code);
}

cl_int clReleaseCommandQueue(cl_command_queue queue)
{
	return release(queue);
}

cl_int clReleaseContext(cl_context context)
{
	return release(context);
}

cl_int clReleaseEvent(cl_event event)
{
	return release(event);
}

cl_int clReleaseKernel(cl_kernel kernel)
{
	return release(kernel);
}

cl_int clReleaseMemObject(cl_mem buffer)
{
	free(buffer->mapped);
	free(buffer->words);
	return release(buffer);
}

cl_int clReleaseProgram(cl_program program)
{
	free(program->source);
	free(program->options);
	return release(program);
}

cl_int clReleaseSampler(cl_sampler sampler)
{
	return release(sampler);
}

/* ---- what the device does ------------------------------------------------------------------- */

static double units_of(void)
{
	return how.socket != NULL ? how.socket->units : (double)SIMULATED_UNITS;
}

static bool is_disturbed(void)
{
	return how.socket != NULL && simulated_launches("read_windows") <= how.socket->disturbed;
}

static double latency_of(double footprint_bytes)
{
	if (how.socket != NULL && !is_disturbed())
		return footprint_bytes <= SIMULATED_L1_BYTES        ? 2e-9
		       : footprint_bytes <= how.socket->own_bytes   ? 5e-9
		       : footprint_bytes <= how.socket->cache_bytes ? 20e-9
		                                                    : 80e-9;
	return is_disturbed()                          ? 400e-9
	       : footprint_bytes <= SIMULATED_L1_BYTES ? 30e-9
	       : footprint_bytes <= SIMULATED_L2_BYTES ? 100e-9
	                                               : 400e-9;
}

/* Bytes a second of all units together. */
static double bandwidth_of(double footprint_bytes, bool is_shared)
{
	return footprint_bytes <= SIMULATED_L1_BYTES && !is_shared ? 2e12
	       : footprint_bytes <= SIMULATED_L2_BYTES             ? 8e11
	                                                           : 2e11;
}

/* Bytes a second of one of so many processors of a socket that each read a window. */
static double socket_rate(double window_bytes, double groups)
{
	const struct simulated_socket *socket = how.socket;
	double all_bytes = socket->is_own ? window_bytes : groups * window_bytes;

	if (is_disturbed())
		return (window_bytes <= DISTURBED_BYTES ? 10e9 : 5e9) / groups;
	if (window_bytes <= socket->own_bytes)
		return socket->own;
	if (window_bytes <= socket->reach_bytes)
		return socket->reached;
	if (all_bytes <= socket->cache_bytes)
		return socket->alone;
	return fmin(socket->far > 0 ? socket->far : socket->alone, socket->memory / groups);
}

static double positive(int32_t value)
{
	return value > 0 ? value : 1;
}

/* What a work-item of a kernel does, in device-seconds if it were alone on the device. */
static double item_s(const struct _cl_kernel *k, double groups, double local)
{
	const int32_t *n = k->number;
	double flop_s = 1e-12;
	if (how.socket != NULL && strcmp(k->name, "read_windows") == 0)
		return 64 * positive(n[2]) * positive(n[4]) / units_of() /
		       socket_rate(64 * positive(n[2]), groups);
	if (strcmp(k->name, "read_windows") == 0)
		return 16 * positive(n[2]) / local * positive(n[4]) /
		       bandwidth_of(16.0 * positive(n[2]), false);
	if (strcmp(k->name, "write_windows") == 0)
		return 16 * positive(n[1]) / local * positive(n[3]) /
		       bandwidth_of(16.0 * positive(n[1]), false);
	if (strcmp(k->name, "read_shared") == 0)
		return 16 * positive(n[3]) / local / bandwidth_of(16.0 * positive(n[2]), true);
	if (strncmp(k->name, "gather", 6) == 0 || strcmp(k->name, "scatter") == 0)
		return 8 * 32 / bandwidth_of(4 * (positive(n[2]) + 1) * pow(2, n[3]), false) *
		       (n[4] >= SIMULATED_SEGMENT_BYTES / 4 ? 2 : 1);
	if (strcmp(k->name, "load_strided") == 0 || strcmp(k->name, "load_far") == 0)
		return 16 * fmin(4 * positive(n[2]), SIMULATED_SEGMENT_BYTES) /
		       bandwidth_of(k->name[5] == 'f' ? 1e6 : 1e3, false);
	if (strcmp(k->name, "load_constant") == 0)
		return 16.0 * (n[1] + 1) * SIMULATED_ADDRESS_S / (double)(int)SIMULATED_LANES;
	if (strcmp(k->name, "diverge") == 0)
		return positive(n[2]) * 2 * flop_s * (1 << n[1] < SIMULATED_LANES ? 2 : 1);
	if (strcmp(k->name, "atomic_global") == 0)
		return n[1] == 0 ? 1e-9 : 1e-10;
	double trips = 1;
	for (unsigned i = 0; i < 8; i++)
		trips = fmax(trips, n[i] < 1 << 27 ? n[i] : 1);
	/* a loop of one of many chains (op_source.h) has its number as an argument, too */
	if (strncmp(k->name, "s_", 2) == 0)
		trips = n[6];
	double size = 8;
	for (const char *c = k->name; *c != '\0'; c++)
		size += *c % 8;
	return (trips + 4) * size * flop_s;
}

static double launch_s(const struct _cl_kernel *k, double items, double local)
{
	const double groups = items / local, overhead_s = 3e-6 + 1e-9 * groups + 1e-12 * items;
	if (strcmp(k->name, "chase") == 0) {
		const struct _cl_mem *data = k->memory[0];
		double near =
		        data->lines > SIMULATED_WAYS ? SIMULATED_L2_BYTES : SIMULATED_L1_BYTES;
		return overhead_s +
		       positive(k->number[2]) *
		               latency_of(data->lines > 0 ? near : (double)data->cycle_bytes);
	}
	if (strncmp(k->name, "walk", 4) == 0)
		return overhead_s + (k->number[2] > (int32_t)SIMULATED_PAGES ? 2e-8 : 5e-9) *
		                            positive(k->number[2]) * positive(k->number[4]);
	/* work-groups are given to units in turns */
	const double units = units_of(), all = ceil(groups / units) * units * local;
	return overhead_s + fetch_s(k->name, k->number[3]) + all * item_s(k, groups, local);
}

/* What a driver says of when a launch ran that has no idea, or is broken. */
static void make_odd(cl_event event)
{
	cl_ulong *at_ns = event->at_ns, start_ns = at_ns[1];
	switch (how.odd) {
	case ODD_TIMES_ZERO:
		memset(at_ns, 0, sizeof event->at_ns);
		break;
	case ODD_TIMES_SAME:
		at_ns[0] = at_ns[1] = at_ns[2];
		break;
	case ODD_TIMES_BACKWARDS:
		at_ns[1] = at_ns[2];
		at_ns[2] = start_ns;
		break;
	case ODD_TIMES_HUGE:
		at_ns[2] = UINT64_MAX;
		break;
	case ODD_TIMES_WILD:
		at_ns[2] = start_ns + (calls * 2654435761u) % 1000000007u;
		break;
	default:
		break;
	}
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *global, const size_t *local,
                              cl_uint waits, const cl_event *wait, cl_event *event)
{
	cl_int code;
	double items = 1, group = 1;
	(void)queue;
	(void)offset;
	(void)waits;
	(void)wait;
	for (cl_uint d = 0; d < dimensions; d++) {
		items *= (double)global[d];
		group *= local != NULL ? (double)local[d] : 1;
	}
	if (group > (how.odd == ODD_GROUP_ONE ? 1 : 1024))
		return CL_INVALID_WORK_GROUP_SIZE;
	bool has_room = strcmp(kernel->name, "resident_local") == 0;
	if (has_room || strcmp(kernel->name, "resident") == 0)
		kernel->memory[0]->head[1] =
		        how.odd == ODD_RESIDENT_NEGATIVE ? INT_MIN
		        : how.odd == ODD_RESIDENT_HUGE
		                ? INT_MAX
		                : (int)fmin(items / group, units_of() * (how.socket != NULL ? 1
		                                                         : has_room ? SIMULATED_ROOM
		                                                                    : 8));
	if (strcmp(kernel->name, "predictd_ask") == 0) {
		free(kernel->memory[0]->words);
		kernel->memory[0]->words =
		        compiler_answers(kernel->program, kernel->memory[0]->bytes);
	}
	cl_event made = object(__func__, sizeof *made, CL_OUT_OF_RESOURCES, &code);
	if (made == NULL)
		return code;
	unsigned place = place_of(kernel->name);
	memcpy(launched[place].name, kernel->name, sizeof launched[place].name);
	launched[place].launches++;
	double slow = (how.slow > 0 ? how.slow : 1) * compiler_slows(kernel->program, kernel->name);
	idle_s = now_s - ended_s;
	double sleepy_s = idle_s > SIMULATED_SLEEP_S ? how.sleepy_s : 0;
	double start_s = now_s + 2e-6 + sleepy_s,
	       end_s = start_s + slow * launch_s(kernel, items, group) + sleepy_s;
	made->at_ns[0] = (cl_ulong)llround(now_s * 1e9);
	made->at_ns[1] = (cl_ulong)llround(start_s * 1e9);
	made->at_ns[2] = (cl_ulong)llround(end_s * 1e9);
	/* a CPU's kernels run in this process, on all units */
	if (!how.is_gpu)
		spent_s += (end_s - start_s) * fmin(items / group, units_of());
	now_s = ended_s = end_s;
	make_odd(made);
	if (event != NULL)
		*event = made;
	else
		(void)release(made);
	return CL_SUCCESS;
}

cl_int clGetEventInfo(cl_event event, cl_event_info name, size_t room, void *value, size_t *size)
{
	const cl_int state = how.odd == ODD_KERNELS_FAIL ? CL_OUT_OF_RESOURCES : CL_COMPLETE;
	(void)event;
	(void)name;
	return tell(&state, sizeof state, room, value, size);
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t room, void *value,
                               size_t *size)
{
	unsigned which = name == CL_PROFILING_COMMAND_QUEUED  ? 0
	                 : name == CL_PROFILING_COMMAND_START ? 1
	                                                      : 2;
	return tell(&event->at_ns[which], sizeof event->at_ns[which], room, value, size);
}

cl_int clFlush(cl_command_queue queue)
{
	(void)queue;
	return done(__func__, 0);
}

void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                         cl_map_flags flags, size_t at, size_t bytes, cl_uint waits,
                         const cl_event *wait, cl_event *event, cl_int *code)
{
	(void)queue;
	(void)blocking;
	(void)flags;
	(void)at;
	(void)waits;
	(void)wait;
	(void)event;
	buffer->mapped = fails() ? NULL : calloc(1, bytes);
	*code = buffer->mapped == NULL ? CL_MAP_FAILURE : CL_SUCCESS;
	return buffer->mapped;
}

cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem buffer, void *mapped, cl_uint waits,
                               const cl_event *wait, cl_event *event)
{
	(void)queue;
	(void)mapped;
	(void)waits;
	(void)wait;
	(void)event;
	free(buffer->mapped);
	buffer->mapped = NULL;
	return done(__func__, 0);
}

cl_int clFinish(cl_command_queue queue)
{
	(void)queue;
	return done(__func__, 0);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t at,
                            size_t bytes, const void *from, cl_uint waits, const cl_event *wait,
                            cl_event *event)
{
	(void)queue;
	(void)blocking;
	(void)waits;
	(void)wait;
	(void)event;
	if (at == 0)
		memcpy(buffer->head, from,
		       bytes < sizeof buffer->head ? bytes : sizeof buffer->head);
	buffer->lines = bytes == sizeof(cl_uint) ? at / LINE_BYTES + 1 : 0;
	buffer->cycle_bytes = bytes;
	return done(__func__, 5e-6 + (double)bytes * 1e-10);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t at,
                           size_t bytes, void *to, cl_uint waits, const cl_event *wait,
                           cl_event *event)
{
	(void)queue;
	(void)blocking;
	(void)waits;
	(void)wait;
	(void)event;
	if (buffer->words != NULL)
		memcpy(to, (const char *)buffer->words + at, bytes);
	else if (at == 0)
		memcpy(to, buffer->head, bytes < sizeof buffer->head ? bytes : sizeof buffer->head);
	return done(__func__, 5e-6 + (double)bytes * 1.2e-10);
}

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_at,
                           size_t to_at, size_t bytes, cl_uint waits, const cl_event *wait,
                           cl_event *event)
{
	(void)queue;
	(void)from;
	(void)to;
	(void)from_at;
	(void)to_at;
	(void)waits;
	(void)wait;
	(void)event;
	return done(__func__, (double)bytes * 1e-11);
}

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                           size_t pattern_bytes, size_t at, size_t bytes, cl_uint waits,
                           const cl_event *wait, cl_event *event)
{
	(void)queue;
	(void)pattern;
	(void)pattern_bytes;
	(void)at;
	(void)waits;
	(void)wait;
	(void)event;
	memset(buffer->head, 0, sizeof buffer->head);
	return done(__func__, (double)bytes * 1e-11);
}

cl_int clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *colour,
                          const size_t *origin, const size_t *region, cl_uint waits,
                          const cl_event *wait, cl_event *event)
{
	(void)queue;
	(void)image;
	(void)colour;
	(void)origin;
	(void)region;
	(void)waits;
	(void)wait;
	(void)event;
	return done(__func__, 1e-5);
}

cl_int clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                           const size_t *origin, const size_t *region, size_t row, size_t slice,
                           const void *from, cl_uint waits, const cl_event *wait, cl_event *event)
{
	(void)queue;
	(void)image;
	(void)blocking;
	(void)origin;
	(void)region;
	(void)row;
	(void)slice;
	(void)from;
	(void)waits;
	(void)wait;
	(void)event;
	return done(__func__, 1e-5);
}

cl_int clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                          const size_t *origin, const size_t *region, size_t row, size_t slice,
                          void *to, cl_uint waits, const cl_event *wait, cl_event *event)
{
	(void)to;
	return clEnqueueWriteImage(queue, image, blocking, origin, region, row, slice, NULL, waits,
	                           wait, event);
}
