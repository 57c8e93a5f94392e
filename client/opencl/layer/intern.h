/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, programs and kernels as seen.h has them: what is the same is one record. */
#ifndef CLIENT_OPENCL_LAYER_INTERN_H
#define CLIENT_OPENCL_LAYER_INTERN_H

#include "client/opencl/layer/layer.h"

/*
 * A device of the driver's, whose key is that of <predictd_opencl.h>. Sub-devices of one name are
 * one, without a key. NULL: memory is short.
 */
seen_device *intern_device(cl_device_id device);

/*
 * text     `size` bytes; of SEEN_SOURCE the program's, else whatever tells it from others. Copied
 * options  or NULL
 *
 * NULL: more than SEEN_PROGRAMS_MAX, or memory is short.
 */
seen_program *intern_program(seen_origin origin, const char *text, size_t size, const char *options,
                             const predictd_header *headers, size_t header_count);

/* program: or NULL. NULL: there is none of it, or memory is short. */
seen_kernel *intern_kernel(seen_program *program, const char *name, uint32_t argument_count);

/* In a child of fork(). */
void intern_forget(void);

#endif
