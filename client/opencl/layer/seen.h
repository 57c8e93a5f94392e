/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the layer has seen of a program: what follows its calls fills this in, what tells of them
 * reads it (knowledge.h). Each record lives until the process ends, at one address.
 */
#ifndef CLIENT_OPENCL_LAYER_SEEN_H
#define CLIENT_OPENCL_LAYER_SEEN_H

#include <predictd.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SEEN_ARGUMENTS_MAX = 128,
	SEEN_VALUE_BYTES = 128, /* of a scalar or a struct; a longer value is known by its size */
	SEEN_SHAPES_MAX = 65536,
	SEEN_PROGRAMS_MAX = 16384
};

typedef struct seen_device {
	char key[PREDICTD_KEY_BYTES]; /* "": it has none, as a sub-device */
	char name[256];
	bool is_cpu;
} seen_device;

typedef enum seen_origin {
	SEEN_SOURCE, /* also of a binary that a source was found for */
	SEEN_BINARY, /* nobody knows of what */
	SEEN_IL,
	SEEN_BUILT_IN
} seen_origin;

/* A program as it was built: the same text with other options is another. */
typedef struct seen_program {
	seen_origin origin;
	char *text; /* of SEEN_SOURCE, zero-terminated; else NULL */
	size_t size;
	char *options;            /* as the program gave them, or "" */
	predictd_header *headers; /* of clCompileProgram */
	size_t header_count;
	uint64_t hash;               /* of all of these */
	struct known_program *known; /* knowledge.c's own; NULL at first */
} seen_program;

typedef struct seen_kernel {
	seen_program *program;
	char *name;
	uint32_t argument_count;
	_Atomic uint8_t *parameters; /* kernels.c's own: what is known of each; zeros at first */
} seen_kernel;

typedef enum seen_argument_kind {
	SEEN_UNSET,
	SEEN_BUFFER,
	SEEN_VALUE, /* a scalar, vector or struct */
	SEEN_LOCAL,
	SEEN_IMAGE,
	SEEN_SAMPLER,
	SEEN_POINTER, /* SVM, whose size is that of the allocation behind it, or 0 */
	SEEN_NULL     /* a buffer that is none */
} seen_argument_kind;

typedef struct seen_argument {
	seen_argument_kind kind;
	uint64_t size_bytes;  /* buffer: what can be reached from its begin */
	unsigned char *value; /* value: its bytes where they were kept, else NULL */
	char type[64];        /* image and sampler: in the words of predictd_argument.type */
	uint32_t width, height, depth; /* image; of an array, its layers last */
	const predictd_sample *sample; /* buffer: what it held, where the program told; or NULL */
} seen_argument;

/* Launches that a prediction cannot tell apart: kernel, device, NDRange and arguments. */
typedef struct seen_shape {
	seen_kernel *kernel;
	seen_device *device;
	uint32_t number; /* 0, 1, ... in the order they came up */
	uint32_t dimensions;
	uint64_t global[3], local[3], offset[3]; /* local zeros: the runtime chooses */
	uint32_t argument_count;
	seen_argument *arguments;
	_Atomic uint64_t launches;
	struct known_shape *known; /* knowledge.c's own; NULL at first */
} seen_shape;

/* How a launch went, in seconds of the device's clock; all 0 where it has no profile. */
typedef struct seen_times {
	double queued_s, submit_s, start_s, end_s;
	bool is_first;   /* of its shape on this device */
	bool overlapped; /* another kernel of the device ran meanwhile */
	bool is_near;    /* its values differ from the shape's: counted, not its own time */
	bool failed;     /* its event says so; times are 0 */
} seen_times;

typedef enum seen_transfer_kind {
	SEEN_WRITE,
	SEEN_READ,
	SEEN_COPY,
	SEEN_FILL,
	SEEN_MAP,
	SEEN_UNMAP,
	SEEN_MIGRATE,
	SEEN_TRANSFER_KINDS
} seen_transfer_kind;

/* Counts of what could not be followed. */
typedef struct seen_losses {
	_Atomic uint64_t launches; /* whose events were not kept: too many at once */
	_Atomic uint64_t shapes; /* launches of shapes beyond SEEN_SHAPES_MAX, or short of memory */
	_Atomic uint64_t transfers;
} seen_losses;

#endif
