/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenCL devices that work at the same time, as tests/split measures them. Each has a context, a
 * queue and a thread of its own: devices of different platforms share no context. What fails ends
 * the process, with a message; what must go on runs it in a child.
 */
#ifndef PREDICTD_TESTS_SPLIT_EXECUTOR_H
#define PREDICTD_TESTS_SPLIT_EXECUTOR_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/predictd.h"

enum { DEVICES_MAX = 4, EXECUTOR_TEXT = 256 };

struct device {
	char name[EXECUTOR_TEXT];     /* as it was asked for */
	char key[PREDICTD_KEY_BYTES]; /* by which predictd knows it */
	cl_device_id id;
	cl_context context;
	cl_command_queue queue;
	bool is_cpu;
	cl_uint units;
};

/* A sentence on stderr, and the end of the process. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void must(cl_int status, const char *what);
double now_s(void);
double median_of(double *samples, size_t count); /* sorts them; count > 0 */

/*
 * PLATFORM:DEVICE[/FIRST+COUNT][=KEY]. Platforms and devices are numbered from 0. FIRST+COUNT: the
 * sub-device of so many compute units (CL_DEVICE_PARTITION_BY_COUNTS). PoCL's are cores, when
 * POCL_AFFINITY=1. Its key is then that of a device with COUNT compute units, as a calibration
 * under `taskset` has it.
 */
void device_open(struct device *device, const char *text);

/* A kernel of a program that is built for the device. Its log is printed where that fails. */
cl_kernel kernel_open(const struct device *device, const char *source, const char *options,
                      const char *name);

/*
 * work(context, i) for i below count, in a thread each, which begin together; work is what is
 * timed. Returns the seconds until the last one ends; ends_s (or NULL): of each.
 */
double together(size_t count, void (*work)(void *context, size_t i), void *context, double *ends_s);

/*
 * work(context) in a process of its own, which ends after limit_s; stdout is flushed before and
 * after. False: it failed, and stderr says how. The caller has not touched OpenCL.
 */
bool apart(void (*work)(const void *context), const void *context, const char *name, long limit_s);

/* An argument of the command line: 1 to `high`. */
bool number_take(const char *text, long high, long *number);

#endif
