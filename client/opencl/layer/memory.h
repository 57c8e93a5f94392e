/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers, images, pipes, samplers and shared virtual memory. */
#ifndef CLIENT_OPENCL_LAYER_MEMORY_H
#define CLIENT_OPENCL_LAYER_MEMORY_H

#include "client/opencl/layer/layer.h"

typedef enum memory_kind { MEMORY_BUFFER, MEMORY_IMAGE, MEMORY_PIPE } memory_kind;

struct memory {
	memory_kind kind;
	bool is_read_only; /* by kernels */
	uint64_t size_bytes;
	struct memory
	        *parent; /* of a sub-buffer, or an image that is made of another object: kept */
	char type[16];   /* image: in the words of predictd_argument.type; "": it has none */
	uint32_t width, height, depth;
	uint32_t texel_bytes;     /* image; 0: not known */
	_Atomic uint64_t content; /* buffer: hash of a sample of it; 0: not known */
	_Atomic uint32_t references;
	/* a map for writing of the whole buffer; one at a time */
	_Atomic(void *) mapped;
};

/* NULL: it is not followed. */
struct memory *memory_find(cl_mem handle);
void memory_keep(struct memory *memory);
void memory_drop(struct memory *memory); /* accepts NULL */

/* What the buffer, or what it is a part of, holds is not known any more. */
void memory_spoil(struct memory *memory);

/* The program's data, all of the buffer: sampled, as far as the budget goes. */
void memory_tell(struct memory *memory, const void *data);

/* "nearest", "linear,normalized,repeat", ...; NULL: no sampler. Static storage. */
const char *memory_sampler(cl_sampler handle);

/* From the pointer to the end of its allocation; 0: not known. */
uint64_t memory_svm_size(const void *pointer);

/* In a child of fork(). */
void memory_forget(void);

/* ---- images.c ---- */

/* What an image is, by what clCreateImage takes. */
void image_describe(struct memory *memory, const cl_image_format *format,
                    const cl_image_desc *desc);
#endif
