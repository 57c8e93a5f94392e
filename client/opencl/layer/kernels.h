/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and the arguments that they have by now, with a hash that a launch takes as it is. */
#ifndef CLIENT_OPENCL_LAYER_KERNELS_H
#define CLIENT_OPENCL_LAYER_KERNELS_H

#include "client/opencl/layer/memory.h"
#include "client/opencl/layer/programs.h"

struct argument {
	seen_argument_kind kind;
	uint64_t size_bytes;
	uint64_t hash, class_hash; /* class: but for values */
	unsigned char *value;      /* `room` bytes; in `few` where that is enough */
	size_t room;
	unsigned char few[16];
	struct memory *memory; /* kept; or NULL */
	const char *words;     /* of a sampler */
	/* what the driver or the text says of the parameter, asked for once */
	bool is_asked, is_read_only;
	cl_kernel_arg_address_qualifier address; /* 0: not known */
};

/* A kernel as it was built for one device; NULL: for every one that no other is for. */
struct variant {
	cl_device_id device;
	seen_kernel *kernel;
};

struct kernel {
	size_t variant_count;
	struct variant *variants;  /* `first`, or of malloc() */
	struct variant first[1];   /* most have no more */
	uint64_t hash, class_hash; /* of all arguments */
	bool has_buffers;
	uint32_t argument_count;
	struct argument arguments[];
};

/* NULL: it is not followed. */
struct kernel *kernel_find(cl_kernel handle);

/* As it runs on a device; NULL: nothing is known of it. */
seen_kernel *kernel_on(const struct kernel *kernel, cl_device_id device);

/* Hash of what its buffers are known to hold; 0: of none is. */
uint64_t kernel_content(const struct kernel *kernel);

/* It was launched: what it may have written is not known any more. */
void kernel_has_written(const struct kernel *kernel);

#endif
