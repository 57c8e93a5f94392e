/* SPDX-License-Identifier: Apache-2.0 */
/* One OpenCL device in use: context, profiling queue, programs, timed launches. */
#include "daemon/calibrator/opencl.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of a device, at most: more is no text. */
#define TEXT_BYTES_MAX ((size_t)1 << 20)

/* X(code) */
#define CODE_TABLE(X)                                                                              \
	X(CL_SUCCESS)                                                                              \
	X(CL_DEVICE_NOT_FOUND)                                                                     \
	X(CL_DEVICE_NOT_AVAILABLE)                                                                 \
	X(CL_COMPILER_NOT_AVAILABLE)                                                               \
	X(CL_MEM_OBJECT_ALLOCATION_FAILURE)                                                        \
	X(CL_OUT_OF_RESOURCES)                                                                     \
	X(CL_OUT_OF_HOST_MEMORY)                                                                   \
	X(CL_PROFILING_INFO_NOT_AVAILABLE)                                                         \
	X(CL_MEM_COPY_OVERLAP)                                                                     \
	X(CL_IMAGE_FORMAT_MISMATCH)                                                                \
	X(CL_IMAGE_FORMAT_NOT_SUPPORTED)                                                           \
	X(CL_BUILD_PROGRAM_FAILURE)                                                                \
	X(CL_MAP_FAILURE)                                                                          \
	X(CL_MISALIGNED_SUB_BUFFER_OFFSET)                                                         \
	X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)                                            \
	X(CL_COMPILE_PROGRAM_FAILURE)                                                              \
	X(CL_LINKER_NOT_AVAILABLE)                                                                 \
	X(CL_LINK_PROGRAM_FAILURE)                                                                 \
	X(CL_DEVICE_PARTITION_FAILED)                                                              \
	X(CL_KERNEL_ARG_INFO_NOT_AVAILABLE)                                                        \
	X(CL_INVALID_VALUE)                                                                        \
	X(CL_INVALID_DEVICE_TYPE)                                                                  \
	X(CL_INVALID_PLATFORM)                                                                     \
	X(CL_INVALID_DEVICE)                                                                       \
	X(CL_INVALID_CONTEXT)                                                                      \
	X(CL_INVALID_QUEUE_PROPERTIES)                                                             \
	X(CL_INVALID_COMMAND_QUEUE)                                                                \
	X(CL_INVALID_HOST_PTR)                                                                     \
	X(CL_INVALID_MEM_OBJECT)                                                                   \
	X(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)                                                      \
	X(CL_INVALID_IMAGE_SIZE)                                                                   \
	X(CL_INVALID_SAMPLER)                                                                      \
	X(CL_INVALID_BINARY)                                                                       \
	X(CL_INVALID_BUILD_OPTIONS)                                                                \
	X(CL_INVALID_PROGRAM)                                                                      \
	X(CL_INVALID_PROGRAM_EXECUTABLE)                                                           \
	X(CL_INVALID_KERNEL_NAME)                                                                  \
	X(CL_INVALID_KERNEL_DEFINITION)                                                            \
	X(CL_INVALID_KERNEL)                                                                       \
	X(CL_INVALID_ARG_INDEX)                                                                    \
	X(CL_INVALID_ARG_VALUE)                                                                    \
	X(CL_INVALID_ARG_SIZE)                                                                     \
	X(CL_INVALID_KERNEL_ARGS)                                                                  \
	X(CL_INVALID_WORK_DIMENSION)                                                               \
	X(CL_INVALID_WORK_GROUP_SIZE)                                                              \
	X(CL_INVALID_WORK_ITEM_SIZE)                                                               \
	X(CL_INVALID_GLOBAL_OFFSET)                                                                \
	X(CL_INVALID_EVENT_WAIT_LIST)                                                              \
	X(CL_INVALID_EVENT)                                                                        \
	X(CL_INVALID_OPERATION)                                                                    \
	X(CL_INVALID_BUFFER_SIZE)                                                                  \
	X(CL_INVALID_GLOBAL_WORK_SIZE)                                                             \
	X(CL_INVALID_PROPERTY)                                                                     \
	X(CL_INVALID_COMPILER_OPTIONS)                                                             \
	X(CL_INVALID_LINKER_OPTIONS)                                                               \
	X(CL_PLATFORM_NOT_FOUND_KHR)

const char *opencl_code_name(cl_int code)
{
	switch (code) {
#define X(name)                                                                                    \
	case name:                                                                                 \
		return #name;
		CODE_TABLE(X)
#undef X
	default:
		return "unknown code";
	}
}

static enum status status_of_code(cl_int code)
{
	switch (code) {
	case CL_BUILD_PROGRAM_FAILURE:
	case CL_COMPILE_PROGRAM_FAILURE:
	case CL_LINK_PROGRAM_FAILURE:
		return STATUS_SYNTAX;
	case CL_INVALID_BUILD_OPTIONS:
	case CL_INVALID_ARG_SIZE:
	case CL_INVALID_ARG_VALUE:
	case CL_INVALID_ARG_INDEX:
	case CL_INVALID_KERNEL_ARGS:
	case CL_INVALID_KERNEL_NAME:
	case CL_INVALID_WORK_GROUP_SIZE:
	case CL_INVALID_WORK_ITEM_SIZE:
	case CL_INVALID_WORK_DIMENSION:
	case CL_INVALID_GLOBAL_WORK_SIZE:
		return STATUS_INVALID;
	case CL_MEM_OBJECT_ALLOCATION_FAILURE:
	case CL_INVALID_BUFFER_SIZE:
		return STATUS_LIMIT;
	case CL_OUT_OF_HOST_MEMORY:
		return STATUS_NO_MEMORY;
	default:
		return STATUS_DEVICE;
	}
}

enum status opencl_failure(const char *call, cl_int code, struct error *error)
{
	return error_set(error, status_of_code(code), "%s: %s (%d)", call, opencl_code_name(code),
	                 (int)code);
}

char *opencl_device_text(cl_device_id device, cl_device_info what, size_t *size)
{
	size_t bytes = 0;
	if (clGetDeviceInfo(device, what, 0, NULL, &bytes) != CL_SUCCESS || bytes == 0 ||
	    bytes > TEXT_BYTES_MAX)
		return NULL;
	char *answer = calloc(1, bytes + 1);
	if (answer != NULL && clGetDeviceInfo(device, what, bytes, answer, NULL) != CL_SUCCESS) {
		free(answer);
		answer = NULL;
	}
	if (answer != NULL && size != NULL)
		*size = bytes;
	return answer;
}

enum status opencl_open(struct opencl *opencl, cl_platform_id platform, cl_device_id device,
                        struct error *error)
{
	cl_int code;
	*opencl = (struct opencl){.platform = platform, .device = device};
	const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
	                                            (cl_context_properties)platform, 0};
	opencl->context = clCreateContext(properties, 1, &device, NULL, NULL, &code);
	if (opencl->context == NULL)
		return opencl_failure("clCreateContext", code, error);
	opencl->queue =
	        clCreateCommandQueue(opencl->context, device, CL_QUEUE_PROFILING_ENABLE, &code);
	if (opencl->queue == NULL) {
		opencl_close(opencl);
		return opencl_failure("clCreateCommandQueue", code, error);
	}
	return STATUS_OK;
}

void opencl_close(struct opencl *opencl)
{
	if (opencl->queue != NULL)
		clReleaseCommandQueue(opencl->queue);
	if (opencl->context != NULL)
		clReleaseContext(opencl->context);
	*opencl = (struct opencl){0};
}

/* The first line of a build log that tells of an error, else its first line. */
static void build_log_line(struct opencl *opencl, cl_program program, char *line, size_t room)
{
	size_t size = 0;
	char *log = NULL;
	line[0] = '\0';
	if (clGetProgramBuildInfo(program, opencl->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) !=
	            CL_SUCCESS ||
	    size == 0 || size > 64u << 20)
		return;
	log = calloc(1, size + 1);
	if (log == NULL)
		return;
	if (clGetProgramBuildInfo(program, opencl->device, CL_PROGRAM_BUILD_LOG, size, log, NULL) ==
	    CL_SUCCESS) {
		const char *start = strstr(log, "error:");
		if (start == NULL)
			start = log + strspn(log, " \t\r\n");
		while (start > log && start[-1] != '\n')
			start--;
		size_t length = strcspn(start, "\r\n");
		if (length >= room)
			length = room - 1;
		memcpy(line, start, length);
		line[length] = '\0';
	}
	free(log);
}

enum status opencl_build(struct opencl *opencl, const char *source, size_t size,
                         const char *options, cl_program *program, struct error *error)
{
	cl_int code;
	cl_program built = clCreateProgramWithSource(opencl->context, 1, &source, &size, &code);
	if (built == NULL)
		return opencl_failure("clCreateProgramWithSource", code, error);
	code = clBuildProgram(built, 1, &opencl->device, options, NULL, NULL);
	if (code != CL_SUCCESS) {
		char line[192];
		build_log_line(opencl, built, line, sizeof line);
		clReleaseProgram(built);
		if (line[0] == '\0')
			return opencl_failure("clBuildProgram", code, error);
		return error_set(error, status_of_code(code), "clBuildProgram: %s: %s",
		                 opencl_code_name(code), line);
	}
	*program = built;
	return STATUS_OK;
}

enum status opencl_kernel(cl_program program, const char *name, cl_kernel *kernel,
                          struct error *error)
{
	cl_int code;
	cl_kernel made = clCreateKernel(program, name, &code);
	if (made == NULL)
		return error_set(
		        error,
		        code == CL_INVALID_KERNEL_NAME ? STATUS_NOT_FOUND : status_of_code(code),
		        "clCreateKernel: %s (%d): %s", opencl_code_name(code), (int)code, name);
	*kernel = made;
	return STATUS_OK;
}

enum status opencl_buffer(struct opencl *opencl, size_t bytes, cl_mem *buffer, struct error *error)
{
	cl_int code;
	cl_mem made = clCreateBuffer(opencl->context, CL_MEM_READ_WRITE, bytes > 0 ? bytes : 1,
	                             NULL, &code);
	if (made == NULL)
		return error_set(error, status_of_code(code), "clCreateBuffer: %s (%d): %zu bytes",
		                 opencl_code_name(code), (int)code, bytes);
	*buffer = made;
	return STATUS_OK;
}

enum status opencl_host_new(struct opencl *opencl, size_t bytes, bool is_pinned,
                            struct opencl_host *host, struct error *error)
{
	*host = (struct opencl_host){.bytes = NULL};
	if (is_pinned) {
		cl_int code;
		host->pinned =
		        clCreateBuffer(opencl->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
		                       bytes, NULL, &code);
		if (host->pinned == NULL)
			return opencl_failure("clCreateBuffer of pinned memory", code, error);
		host->bytes = clEnqueueMapBuffer(opencl->queue, host->pinned, CL_TRUE,
		                                 CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL,
		                                 NULL, &code);
		if (host->bytes == NULL) {
			clReleaseMemObject(host->pinned);
			host->pinned = NULL;
			return opencl_failure("clEnqueueMapBuffer", code, error);
		}
	} else {
		host->bytes = malloc(bytes);
		if (host->bytes == NULL)
			return error_set(error, STATUS_NO_MEMORY, "host memory: out of memory");
	}
	memset(host->bytes, 0, bytes);
	return STATUS_OK;
}

void opencl_host_free(struct opencl *opencl, struct opencl_host *host)
{
	if (host->pinned != NULL) {
		(void)clEnqueueUnmapMemObject(opencl->queue, host->pinned, host->bytes, 0, NULL,
		                              NULL);
		(void)clFinish(opencl->queue);
		clReleaseMemObject(host->pinned);
	} else {
		free(host->bytes);
	}
	*host = (struct opencl_host){.bytes = NULL};
}

double clock_now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static enum status event_times(cl_event event, struct opencl_times *times, struct error *error)
{
	static const cl_profiling_info which[] = {
	        CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
	cl_ulong at[3] = {0};
	for (int i = 0; i < 3; i++) {
		cl_int code = clGetEventProfilingInfo(event, which[i], sizeof at[i], &at[i], NULL);
		if (code != CL_SUCCESS)
			return opencl_failure("clGetEventProfilingInfo", code, error);
	}
	times->enqueue_s = at[1] > at[0] ? (double)(at[1] - at[0]) * 1e-9 : 0;
	times->kernel_s = at[2] > at[1] ? (double)(at[2] - at[1]) * 1e-9 : 0;
	return STATUS_OK;
}

enum status opencl_run(struct opencl *opencl, cl_kernel kernel, const struct opencl_range *range,
                       struct opencl_times *times, struct error *error)
{
	cl_event event = NULL;
	bool is_offset = range->offset[0] || range->offset[1] || range->offset[2];
	double start_s = clock_now_s();
	cl_int code = clEnqueueNDRangeKernel(
	        opencl->queue, kernel, range->dimensions, is_offset ? range->offset : NULL,
	        range->global, range->local[0] > 0 ? range->local : NULL, 0, NULL, &event);
	if (code != CL_SUCCESS)
		return opencl_failure("clEnqueueNDRangeKernel", code, error);
	code = clFinish(opencl->queue);
	times->wall_s = clock_now_s() - start_s;
	if (code != CL_SUCCESS) {
		clReleaseEvent(event);
		return opencl_failure("clFinish", code, error);
	}
	cl_int state = CL_COMPLETE;
	code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
	enum status status = code != CL_SUCCESS ? opencl_failure("clGetEventInfo", code, error)
	                     : state < 0        ? opencl_failure("the kernel's event", state, error)
	                                        : event_times(event, times, error);
	clReleaseEvent(event);
	return status;
}
