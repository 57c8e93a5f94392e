/* SPDX-License-Identifier: Apache-2.0 */
/* A question: one launch of a kernel, its NDRange, arguments and hints. */
#ifndef PREDICTD_MODEL_DEVICE_LAUNCH_H
#define PREDICTD_MODEL_DEVICE_LAUNCH_H

#include "model/ir/ir.h"

enum { LAUNCH_ARGUMENTS_MAX = IR_ARGUMENTS_MAX, LAUNCH_HINTS_MAX = 64 };

/* The longest time without work that a launch may follow; longer ones say nothing more. */
#define LAUNCH_IDLE_MAX_S 1e6

struct sample; /* model/device/sample.h */

/* What a buffer is transferred for. */
enum buffer_access { BUFFER_READ = 1, BUFFER_WRITE = 2, BUFFER_READ_WRITE = 3 };

struct launch_argument {
	uint8_t kind;        /* enum argument_kind */
	uint8_t access;      /* of a buffer or image: enum buffer_access; image 0: as declared */
	bool has_range;      /* of an integer buffer: its values lie in [low, high] */
	struct type type;    /* of a scalar */
	uint64_t size_bytes; /* of a buffer, local memory or struct */
	int64_t low, high;
	/* of a scalar: one value per lane, as an integer (sign-extended) or a real */
	union {
		int64_t integer[16];
		double real[16];
	} value;
	/* of an image; height 0, depth 0: one. Layers of an array: its last size. */
	uint32_t width, height, depth;
	bool has_format;  /* else launch_check assumes one */
	uint8_t format;   /* of an image: enum image_format */
	uint32_t sampler; /* of a sampler: its bits, as in model/ir/image.h */
	/* of a buffer: some of what it holds when the kernel begins; borrowed, NULL: not known */
	const struct sample *sample;
};

/* Bytes of an image's texels, rows without gaps; UINT64_MAX where nobody can count them. */
uint64_t launch_image_bytes(const struct launch_argument *argument);

/* Bytes that an argument takes of the device's memory: of a buffer or image, else 0. */
uint64_t launch_argument_bytes(const struct launch_argument *argument);

/* What an image argument is taken to be of when nothing says it: see launch_check. */
enum image_format launch_assumed_format(const struct ir_kernel *kernel, uint32_t argument);

struct launch_hint {
	uint8_t is_branch; /* else a loop */
	uint32_t line;
	double value; /* trips per entry, or the share of work-items that take the branch */
};

struct launch {
	uint32_t dimensions; /* 1 to 3 */
	uint64_t global[3];  /* work-items; unused dimensions are 1 */
	uint64_t local[3];   /* work-items of a work-group; unused are 1 */
	uint64_t offset[3];
	bool has_local; /* else local is filled by launch_check with an assumption */
	double idle_s;  /* how long the device has had nothing to do; 0: behind another launch */
	uint32_t hint_count;
	struct launch_hint hints[LAUNCH_HINTS_MAX];
	uint32_t argument_count;
	struct launch_argument arguments[LAUNCH_ARGUMENTS_MAX]; /* last: see launch_copy */
};

/* Copies what a launch has: a structure has room for far more arguments than most. */
void launch_copy(struct launch *to, const struct launch *from);

/* The dimension in which work-items of a group are a row, which a CPU makes lanes of vectors: the
 * first that has more than one. */
unsigned launch_row(const struct launch *launch);

struct device;

/* STATUS_INVALID: idle_s is no time of 0 to LAUNCH_IDLE_MAX_S. */
enum status launch_check_idle(double idle_s, struct error *error);

/*
 * Checks a launch against the kernel's parameters and the device's limits, and
 * fills what it leaves out: `local` (the required size; else the runtime's choice as
 * local_size_assume knows it; unused dimensions) - the caller tells by has_local that it was
 * assumed. launch_check leaves has_local as it was.
 *
 * STATUS_INVALID with which, wanted, got: argument count, an argument's kind,
 * type or size; zero or more than three dimensions; sizes that overflow;
 * local not dividing global (OpenCL 1.x), over the device's work-group or
 * item limits, or unlike reqd_work_group_size; local memory over the device's;
 * a buffer or image over its global memory, where that is known.
 * A hint for a line without such a loop or branch, with the nearest lines that have one.
 * An idle_s that is no time of 0 to LAUNCH_IDLE_MAX_S.
 * A sample of what is no buffer, or of a buffer of another size.
 * `device` may be NULL: its limits are not checked then.
 * A scalar integer may come with the other signedness of its size. The arguments of an
 * `unsupported` kernel without parameters are not compared.
 * An image needs the sizes of its kind, within the device's limits, a format that the
 * kernel's reads and writes can be of, and an access that its qualifier allows. Without a format
 * it is rgba8, or rgba8ui and rgba8i where the kernel reads such; launch_check leaves has_format.
 * Without an access it is the qualifier's.
 */
enum status launch_check(const struct ir_kernel *kernel, const struct device *device,
                         struct launch *launch, struct error *error);

#endif
