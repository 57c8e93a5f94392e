/* SPDX-License-Identifier: Apache-2.0 */
/* A program that uses OpenCL in one of several ways, and prints what it saw of it. */
#ifndef PREDICTD_TESTS_LAYER_PROGRAM_H
#define PREDICTD_TESTS_LAYER_PROGRAM_H

#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program where a call fails that must not. */
#define MUST(call)                                                                                 \
	do {                                                                                       \
		const cl_int must_result = (call);                                                 \
		if (must_result != CL_SUCCESS) {                                                   \
			printf("%s:%d: %d\n", __FILE__, __LINE__, must_result);                    \
			exit(99);                                                                  \
		}                                                                                  \
	} while (0)

struct world {
	cl_device_id device;
	cl_context context;
	cl_command_queue queue; /* in order, without a profile */
};

void world_open(struct world *world);
cl_program world_program(const struct world *world, const char *source, const char *options);
cl_kernel world_kernel(cl_program program, const char *name);

int more(const char *way, const struct world *world, int count, char **words);
int faults(const char *way, const struct world *world, int count, char **words);

#endif
