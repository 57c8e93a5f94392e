/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One OpenCL device in use: context, profiling queue, programs, timed launches.
 *
 * Every failure names the OpenCL call and its code. Nothing else of the
 * calibrator turns a code into a sentence.
 */
#ifndef PREDICTD_CALIBRATOR_OPENCL_H
#define PREDICTD_CALIBRATOR_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdbool.h>
#include <stddef.h>

#include "model/device/device.h"
#include "model/status.h"

struct opencl {
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue; /* in order, profiling */
};

/* "CL_OUT_OF_RESOURCES"; "unknown code" for what OpenCL 3.0 does not define. */
const char *opencl_code_name(cl_int code);

/* Fills error with call and code; the status says whose fault it is. */
enum status opencl_failure(const char *call, cl_int code, struct error *error);

/*
 * A text of a device, or an array of cl_name_version and the like: *size bytes (size may be NULL)
 * and an end, malloc'd; NULL where the driver does not tell it.
 */
char *opencl_device_text(cl_device_id device, cl_device_info what, size_t *size);

/* Context and queue on a device; opencl_close accepts what is half open, or zeroed. */
enum status opencl_open(struct opencl *opencl, cl_platform_id platform, cl_device_id device,
                        struct error *error);
void opencl_close(struct opencl *opencl);

/*
 * Compiles source; on failure the error carries the first line of the build
 * log that tells of an error (STATUS_SYNTAX). *program is the caller's.
 */
enum status opencl_build(struct opencl *opencl, const char *source, size_t size,
                         const char *options, cl_program *program, struct error *error);

enum status opencl_kernel(cl_program program, const char *name, cl_kernel *kernel,
                          struct error *error);

/* A buffer of at least one byte; size is checked against the device's limits by the driver. */
enum status opencl_buffer(struct opencl *opencl, size_t bytes, cl_mem *buffer, struct error *error);

/* Memory of the host: pageable, or such as the driver allocates for copies (pinned). */
struct opencl_host {
	void *bytes;
	cl_mem pinned; /* NULL: pageable */
};

/* Zeroed, and every page of it touched. opencl_host_free accepts an empty one. */
enum status opencl_host_new(struct opencl *opencl, size_t bytes, bool is_pinned,
                            struct opencl_host *host, struct error *error);
void opencl_host_free(struct opencl *opencl, struct opencl_host *host);

/* An NDRange; local[0] of zero leaves the choice to the driver. */
struct opencl_range {
	cl_uint dimensions;
	size_t offset[3], global[3], local[3];
};

struct opencl_times {
	double enqueue_s; /* QUEUED to START, by the device's clock */
	double kernel_s;  /* START to END */
	double wall_s;    /* host: enqueue to finish */
};

/* Launches and waits. */
enum status opencl_run(struct opencl *opencl, cl_kernel kernel, const struct opencl_range *range,
                       struct opencl_times *times, struct error *error);

/* Seconds of a monotonic clock. */
double clock_now_s(void);

#endif
