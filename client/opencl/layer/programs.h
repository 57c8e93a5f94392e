/* SPDX-License-Identifier: Apache-2.0 */
/* Programs from their sources to what was built of them. */
#ifndef CLIENT_OPENCL_LAYER_PROGRAMS_H
#define CLIENT_OPENCL_LAYER_PROGRAMS_H

#include "client/opencl/layer/layer.h"

enum { BUILDS_MAX = 16, LINKED_MAX = 64 };

/* What was built last, device by device. */
struct builds {
	size_t count;
	struct {
		cl_device_id device; /* NULL: every one that no other entry is for */
		seen_program *program;
	} of[BUILDS_MAX];
};

/*
 * What a kernel of the program is of, as far as that is known; `builds` has one entry at least,
 * but where memory is short.
 */
void programs_of_kernel(cl_program program, const char *kernel, struct builds *builds);

/* What is run on a device; NULL: nothing is known of it. */
seen_program *builds_find(const struct builds *builds, cl_device_id device);

/* In a child of fork(). */
void programs_forget(void);

#endif
