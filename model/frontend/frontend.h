/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenCL C to kernel IR, by libclang. The only user of libclang; linked by the
 * analyser and by tests alone, since it parses hostile text.
 */
#ifndef PREDICTD_MODEL_FRONTEND_FRONTEND_H
#define PREDICTD_MODEL_FRONTEND_FRONTEND_H

#include "model/ir/ir.h"

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

struct frontend_macro {
	const char *name, *value;
};

struct frontend_standard {
	const char *option; /* "-cl-std=CL3.0"; empty: what a build without one gets */
	bool is_refused;
	const struct frontend_macro *macros; /* besides those of every standard */
	size_t macro_count;
};

/*
 * What a device's compiler makes of a source before it reads the program: names are identifiers,
 * values are of one line. A name that one standard defines and another does not is undefined there.
 */
struct frontend_language {
	const char *origin; /* "asked of the device's compiler" */
	const struct frontend_macro *macros;
	size_t macro_count;
	const char *const *undefined; /* that libclang may define, and the device does not */
	size_t undefined_count;
	const struct frontend_standard *standards;
	size_t standard_count;
	const char *const *refused; /* build options */
	size_t refused_count;
};

struct frontend_program {
	const char *name; /* for messages: "saxpy.cl"; no file of that name is opened */
	const char *source;
	size_t source_bytes;
	const char *options; /* clBuildProgram options; may be NULL */
	const struct frontend_header *headers;
	size_t header_count;
	const struct frontend_language *language; /* of the device; NULL: nothing is known of it */
};

enum {
	FRONTEND_NAME_MAX = 513,
	FRONTEND_NOTE_MAX = 160,
	FRONTEND_LANGUAGE_MAX = 96,
	FRONTEND_UNDEFINED_MAX = 512,
	FRONTEND_LEFT_OUT_MAX = 160
};

/* What an analysis tells besides kernels; texts are printable. */
struct frontend_report {
	char note[FRONTEND_NOTE_MAX];         /* of options that change nothing here, or empty */
	char language[FRONTEND_LANGUAGE_MAX]; /* "OpenCL C 3.0, asked of the device's compiler" */
	/* a header that was not among those sent: as the directive names it after its macros are
	 * expanded, and which file wants it (empty: the program itself); or empty */
	char header[FRONTEND_NAME_MAX], header_from[FRONTEND_NAME_MAX];
	/* a sentence on the names, macros or types, that are defined nowhere, and the build options
	 * that would define them; or empty */
	char undefined[FRONTEND_UNDEFINED_MAX];
	/* kernels of the source that the preprocessor left out, each with the line of its
	 * condition: "conv (line 1), pool (line 9)"; or empty */
	char left_out[FRONTEND_LEFT_OUT_MAX];
};

/*
 * Checks build options as an analysis does for a device of which nothing is known. Taken: those of
 * the OpenCL API (5.8.6), -D name[=value], -U name, -I dir (the client resolved headers), and
 * vendors' and compilers' that change no time. STATUS_INVALID names the first one that touches
 * files, passes arguments on, or is none of these.
 */
enum status frontend_check_options(const char *options, struct error *error);

/* Makes libclang load and parse once, so that a child forked later is fast. Call before the jail.
 */
enum status frontend_warm_up(struct error *error);

/*
 * Every __kernel of a program as sealed IR, in source order.
 * *kernels is an array of *count kernels, both the caller's: kernel_free each, free() the array.
 * *report (may be NULL) is filled on success, and its header on STATUS_SYNTAX where one is not
 * there.
 *
 * STATUS_SYNTAX: "NAME:LINE:COLUMN: text", the first diagnostic.
 * STATUS_INVALID: an option that is not allowed, or that the device's compiler refuses.
 * STATUS_LIMIT: a bound above.
 * A kernel outside the language has `unsupported` set, and is in the array, and so has one whose
 * turn comes when those before it took FRONTEND_WORK_MAX. An unknown
 * function or type, which is a diagnostic to libclang, is no syntax error: the kernels that
 * reach it come back unsupported, with the name, and with their arguments where they can be had.
 */
enum status frontend_analyse(const struct frontend_program *program, struct ir_kernel ***kernels,
                             size_t *count, struct frontend_report *report, struct error *error);

void frontend_free(struct ir_kernel **kernels, size_t count);

#endif
