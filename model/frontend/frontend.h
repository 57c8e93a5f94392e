/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenCL C to kernel IR, by libclang. The only user of libclang; linked by the
 * analyser and by tests alone, since it parses hostile text.
 */
#ifndef PREDICTD_MODEL_FRONTEND_FRONTEND_H
#define PREDICTD_MODEL_FRONTEND_FRONTEND_H

#include "model/ir.h"

enum {
	FRONTEND_SOURCE_MAX = 16 << 20, /* bytes */
	FRONTEND_HEADERS_MAX = 256,
	FRONTEND_KERNELS_MAX = 1024,
	FRONTEND_OPTIONS_MAX = 16 << 10,     /* bytes of the options string */
	FRONTEND_INLINE_NODES_MAX = 1 << 19, /* cursors visited per kernel, inlined ones included */
	FRONTEND_WORK_MAX = 1 << 21,         /* for all kernels of a program: cursors, and copies */
	FRONTEND_INLINE_DEPTH_MAX = 32
};

/* A header that the client resolved and sent along: `name` as in #include "name". */
struct frontend_header {
	const char *name;
	const char *text;
	size_t bytes;
};

struct frontend_program {
	const char *name; /* for messages: "saxpy.cl"; no file of that name is opened */
	const char *source;
	size_t source_bytes;
	const char *options; /* clBuildProgram options; may be NULL */
	const struct frontend_header *headers;
	size_t header_count;
};

/*
 * Checks build options against the list of those allowed: -D name[=value],
 * -U name, -I dir (ignored: the client resolved headers), -cl-std=,
 * -cl-single-precision-constant, -cl-denorms-are-zero,
 * -cl-fp32-correctly-rounded-divide-sqrt, -cl-opt-disable, -cl-mad-enable,
 * -cl-no-signed-zeros, -cl-unsafe-math-optimizations, -cl-finite-math-only,
 * -cl-fast-relaxed-math, -cl-uniform-work-group-size, -cl-kernel-arg-info, -w, -Werror, -cl-nv-*.
 * STATUS_INVALID names the first other one.
 */
enum status frontend_check_options(const char *options, struct error *error);

/* Makes libclang load and parse once, so that a child forked later is fast. Call before the jail.
 */
enum status frontend_warm_up(struct error *error);

/*
 * Every __kernel of a program as sealed IR, in source order.
 * *kernels is an array of *count kernels, both the caller's: kernel_free each, free() the array.
 *
 * STATUS_SYNTAX: "NAME:LINE:COLUMN: text", the first diagnostic.
 * STATUS_INVALID: an option that is not allowed. STATUS_LIMIT: a bound above.
 * A kernel outside the language has `unsupported` set, and is in the array, and so has one whose
 * turn comes when those before it took FRONTEND_WORK_MAX. An unknown
 * function or type, which is a diagnostic to libclang, is no syntax error: the kernels that
 * reach it come back unsupported, with the name, and with their arguments where they can be had.
 */
enum status frontend_analyse(const struct frontend_program *program, struct ir_kernel ***kernels,
                             size_t *count, struct error *error);

void frontend_free(struct ir_kernel **kernels, size_t count);

#endif
