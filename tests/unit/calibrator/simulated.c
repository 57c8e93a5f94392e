/* SPDX-License-Identifier: Apache-2.0 */
/* An OpenCL device that only says how long launches take. */
#include "tests/unit/calibrator/simulated.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/calibrator/opencl.h"

enum { ARGUMENTS = 40 };

struct _cl_platform_id {
	int unused;
};
struct _cl_device_id {
	int unused;
};
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
	int head[2];  /* the first words: what kernel `resident` counts */
	void *mapped; /* the host's view; owned */
};
struct _cl_program {
	int unused;
};
struct _cl_kernel {
	char name[48];
	cl_mem memory[ARGUMENTS];
	int32_t number[ARGUMENTS];
};
struct _cl_event {
	cl_ulong at_ns[3];
};

static struct _cl_platform_id the_platform;
static struct _cl_device_id the_device;
static bool is_gpu;
static unsigned long calls, fail_at;
static long objects;
static double now_s;
static const char *const *argument_types;
static const char *const no_arguments[] = {NULL};

void simulated_begin(bool gpu, unsigned long n)
{
	is_gpu = gpu;
	calls = 0;
	fail_at = n;
	objects = 0;
	now_s = 1;
	argument_types = no_arguments;
}

unsigned long simulated_calls(void)
{
	return calls;
}

long simulated_objects(void)
{
	return objects;
}

void simulated_arguments(const char *const *types)
{
	argument_types = types;
}

double __wrap_clock_now_s(void);
double __wrap_clock_now_s(void)
{
	now_s += 1e-7;
	return now_s;
}

static bool fails(void)
{
	return ++calls == fail_at;
}

/* An object, or NULL and the code. */
static void *object(size_t bytes, cl_int failure, cl_int *code)
{
	void *made = fails() ? NULL : calloc(1, bytes);
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

static cl_int done(double spent_s)
{
	now_s += spent_s;
	return fails() ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

/* ---- what the device is --------------------------------------------------------------------- */

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
	if (fails())
		return CL_OUT_OF_HOST_MEMORY;
	if (room > 0)
		platforms[0] = &the_platform;
	*count = 1;
	return CL_SUCCESS;
}

/* Copies an answer out, in OpenCL's way. */
static cl_int tell(const void *from, size_t bytes, size_t room, void *value, size_t *size)
{
	if (fails())
		return CL_INVALID_VALUE;
	if (size != NULL)
		*size = bytes;
	if (value != NULL && room < bytes)
		return CL_INVALID_VALUE;
	if (value != NULL)
		memcpy(value, from, bytes);
	return CL_SUCCESS;
}

static cl_int tell_text(const char *text, size_t room, void *value, size_t *size)
{
	return tell(text, strlen(text) + 1, room, value, size);
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, size_t room, void *value,
                         size_t *size)
{
	(void)platform;
	(void)name;
	return tell_text("Simulation", room, value, size);
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint room,
                      cl_device_id *devices, cl_uint *count)
{
	(void)platform;
	(void)type;
	if (fails())
		return CL_DEVICE_NOT_FOUND;
	if (room > 0)
		devices[0] = &the_device;
	*count = 1;
	return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t room, void *value,
                       size_t *size)
{
	static const struct {
		cl_device_info name;
		size_t bytes;
		uint64_t value;
	} numbers[] = {
	        {CL_DEVICE_MAX_COMPUTE_UNITS, 4, SIMULATED_UNITS},
	        {CL_DEVICE_MAX_CLOCK_FREQUENCY, 4, 1000},
	        {CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t), 1024},
	        {CL_DEVICE_LOCAL_MEM_SIZE, 8, 49152},
	        {CL_DEVICE_GLOBAL_MEM_SIZE, 8, UINT64_C(1) << 30},
	        {CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8, UINT64_C(1) << 28},
	        {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 4, 64},
	        {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 4, 8},
	        {CL_DEVICE_IMAGE_SUPPORT, 4, CL_TRUE},
	        {CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof(size_t), 16384},
	        {CL_DEVICE_IMAGE2D_MAX_HEIGHT, sizeof(size_t), 16384},
	        {CL_DEVICE_IMAGE3D_MAX_WIDTH, sizeof(size_t), 2048},
	        {CL_DEVICE_IMAGE3D_MAX_HEIGHT, sizeof(size_t), 2048},
	        {CL_DEVICE_IMAGE3D_MAX_DEPTH, sizeof(size_t), 2048},
	        {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, sizeof(size_t), 2048},
	        {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, sizeof(size_t), 1 << 20},
	        {CL_DEVICE_DOUBLE_FP_CONFIG, 8, 63},
	        {CL_DEVICE_AVAILABLE, 4, CL_TRUE},
	        {CL_DEVICE_COMPILER_AVAILABLE, 4, CL_TRUE},
	        {0x4008, 4, 7},  /* NVIDIA's bus, */
	        {0x4009, 4, 24}, /* slot */
	        {0x400A, 4, 0},  /* and domain */
	};
	static const size_t sizes[3] = {1024, 1024, 64};
	static const unsigned char uuid[16] = {1, 2, 3};
	const cl_device_type type = is_gpu ? CL_DEVICE_TYPE_GPU : CL_DEVICE_TYPE_CPU;
	(void)device;
	switch (name) {
	case CL_DEVICE_TYPE:
		return tell(&type, sizeof type, room, value, size);
	case CL_DEVICE_NAME:
		return tell_text("Simulated device", room, value, size);
	case CL_DEVICE_VENDOR:
		return tell_text("predictd", room, value, size);
	case CL_DEVICE_VERSION:
		return tell_text("OpenCL 2.0 simulated", room, value, size);
	case CL_DRIVER_VERSION:
		return tell_text("1", room, value, size);
	case CL_DEVICE_EXTENSIONS:
		return tell_text("cl_khr_device_uuid cl_nv_device_attribute_query cl_khr_fp16",
		                 room, value, size);
	case CL_DEVICE_MAX_WORK_ITEM_SIZES:
		return tell(sizes, sizeof sizes, room, value, size);
	case 0x106A:
		return tell(uuid, sizeof uuid, room, value, size);
	default:
		break;
	}
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		if (numbers[i].name == name)
			return tell(&numbers[i].value, numbers[i].bytes, room, value, size);
	return CL_INVALID_VALUE;
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
	return object(sizeof(struct _cl_context), CL_DEVICE_NOT_AVAILABLE, code);
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int *code)
{
	(void)context;
	(void)device;
	(void)properties;
	return object(sizeof(struct _cl_command_queue), CL_OUT_OF_RESOURCES, code);
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **sources,
                                     const size_t *sizes, cl_int *code)
{
	(void)context;
	(void)count;
	(void)sources;
	(void)sizes;
	return object(sizeof(struct _cl_program), CL_OUT_OF_HOST_MEMORY, code);
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                      const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                      void *context)
{
	(void)program;
	(void)count;
	(void)devices;
	(void)options;
	(void)notify;
	(void)context;
	now_s += 1e-3;
	return fails() ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS;
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info name,
                             size_t room, void *value, size_t *size)
{
	(void)program;
	(void)device;
	(void)name;
	return tell_text("a warning\na.cl:1:1: error: no such word\n", room, value, size);
}

cl_int clGetProgramInfo(cl_program program, cl_program_info name, size_t room, void *value,
                        size_t *size)
{
	(void)program;
	(void)name;
	return tell_text("one", room, value, size);
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *code)
{
	(void)program;
	cl_kernel kernel = object(sizeof *kernel, CL_INVALID_KERNEL_NAME, code);
	if (kernel != NULL)
		strncpy(kernel->name, name, sizeof kernel->name - 1);
	return kernel;
}

static cl_uint arguments_of_kernel(void)
{
	cl_uint count = 0;
	while (argument_types[count] != NULL)
		count++;
	return count;
}

cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info name, size_t room, void *value,
                       size_t *size)
{
	const cl_uint count = arguments_of_kernel();
	(void)kernel;
	(void)name;
	return tell(&count, sizeof count, room, value, size);
}

cl_int clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_kernel_arg_info name, size_t room,
                          void *value, size_t *size)
{
	(void)kernel;
	const cl_kernel_arg_access_qualifier access =
	        index % 2 == 0 ? CL_KERNEL_ARG_ACCESS_READ_ONLY : CL_KERNEL_ARG_ACCESS_WRITE_ONLY;
	if (index >= arguments_of_kernel())
		return CL_INVALID_ARG_INDEX;
	return name == CL_KERNEL_ARG_TYPE_NAME ? tell_text(argument_types[index], room, value, size)
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

static cl_mem memory(size_t bytes, cl_int *code)
{
	cl_mem made = object(sizeof *made, CL_MEM_OBJECT_ALLOCATION_FAILURE, code);
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
	return memory(bytes, code);
}

cl_mem clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type,
                         const void *region, cl_int *code)
{
	(void)flags;
	(void)type;
	(void)region;
	return memory(buffer->bytes, code);
}

cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                     const cl_image_desc *description, void *host, cl_int *code)
{
	(void)context;
	(void)flags;
	(void)format;
	(void)host;
	return memory(description->image_width * 4, code);
}

cl_sampler clCreateSampler(cl_context context, cl_bool normalized, cl_addressing_mode addressing,
                           cl_filter_mode filter, cl_int *code)
{
	(void)context;
	(void)normalized;
	(void)addressing;
	(void)filter;
	return object(sizeof(struct _cl_sampler), CL_OUT_OF_RESOURCES, code);
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
	return release(buffer);
}

cl_int clReleaseProgram(cl_program program)
{
	return release(program);
}

cl_int clReleaseSampler(cl_sampler sampler)
{
	return release(sampler);
}

/* ---- what the device does ------------------------------------------------------------------- */

static double latency_of(double footprint_bytes)
{
	return footprint_bytes <= SIMULATED_L1_BYTES   ? 30e-9
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

static double positive(int32_t value)
{
	return value > 0 ? value : 1;
}

/* What a work-item of a kernel does, in device-seconds if it were alone on the device. */
static double item_s(const struct _cl_kernel *k, double local)
{
	const int32_t *n = k->number;
	double flop_s = 1e-12;
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
	if (strcmp(k->name, "diverge") == 0)
		return positive(n[2]) * 2 * flop_s * (1 << n[1] < SIMULATED_LANES ? 2 : 1);
	if (strcmp(k->name, "atomic_global") == 0)
		return n[1] == 0 ? 1e-9 : 1e-10;
	double trips = 1;
	for (unsigned i = 0; i < 8; i++)
		trips = fmax(trips, n[i] < 1 << 27 ? n[i] : 1);
	double size = 8;
	for (const char *c = k->name; *c != '\0'; c++)
		size += *c % 8;
	return (trips + 4) * size * flop_s;
}

static double launch_s(const struct _cl_kernel *k, double items, double local)
{
	const double groups = items / local, overhead_s = 3e-6 + 1e-9 * groups + 1e-12 * items;
	if (strcmp(k->name, "chase") == 0)
		return overhead_s + positive(k->number[2]) * latency_of(4e5);
	if (strncmp(k->name, "walk", 4) == 0)
		return overhead_s + 5e-9 * positive(k->number[2]) * positive(k->number[4]);
	/* work-groups are given to units in turns */
	const double units = (double)SIMULATED_UNITS, turns = ceil(groups / units) * units;
	return overhead_s + turns * local * item_s(k, local);
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
	if (strcmp(kernel->name, "resident") == 0)
		kernel->memory[0]->head[1] = (int)fmin(items / group, SIMULATED_UNITS * 8);
	cl_event made = object(sizeof *made, CL_OUT_OF_RESOURCES, &code);
	if (made == NULL)
		return code;
	double start_s = now_s + 2e-6, end_s = start_s + launch_s(kernel, items, group);
	made->at_ns[0] = (cl_ulong)llround(now_s * 1e9);
	made->at_ns[1] = (cl_ulong)llround(start_s * 1e9);
	made->at_ns[2] = (cl_ulong)llround(end_s * 1e9);
	now_s = end_s;
	if (event != NULL)
		*event = made;
	else
		(void)release(made);
	return CL_SUCCESS;
}

cl_int clGetEventInfo(cl_event event, cl_event_info name, size_t room, void *value, size_t *size)
{
	static const cl_int state = CL_COMPLETE;
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
	return done(0);
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
	return done(0);
}

cl_int clFinish(cl_command_queue queue)
{
	(void)queue;
	return done(0);
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
	return done(5e-6 + (double)bytes * 1e-10);
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
	if (at == 0)
		memcpy(to, buffer->head, bytes < sizeof buffer->head ? bytes : sizeof buffer->head);
	return done(5e-6 + (double)bytes * 1.2e-10);
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
	return done((double)bytes * 1e-11);
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
	return done((double)bytes * 1e-11);
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
	return done(1e-5);
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
	return done(1e-5);
}

cl_int clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                          const size_t *origin, const size_t *region, size_t row, size_t slice,
                          void *to, cl_uint waits, const cl_event *wait, cl_event *event)
{
	(void)to;
	return clEnqueueWriteImage(queue, image, blocking, origin, region, row, slice, NULL, waits,
	                           wait, event);
}
