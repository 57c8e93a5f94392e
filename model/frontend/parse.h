/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One program as a libclang translation unit, and the text behind its cursors.
 *
 * libclang sees virtual files alone. Its cursors lack what the source still
 * says (swizzles, absent parts of a for, attribute arguments), so this part
 * also finds the text at a cursor.
 */
#ifndef PREDICTD_MODEL_FRONTEND_PARSE_H
#define PREDICTD_MODEL_FRONTEND_PARSE_H

#include <clang-c/Index.h>

#include "model/frontend/frontend.h"

/* Arguments for libclang, from the client's options that passed the list. */
struct option_list {
	char **arguments; /* `count` strings, each to be freed */
	unsigned count;
	char standard[24];            /* "-cl-std=CL3.0", or empty */
	uint32_t build;               /* enum build_option */
	char note[FRONTEND_NOTE_MAX]; /* options that change nothing here: "-g, -O3" */
};

/*
 * Splits and checks `options` (may be NULL) for a device's language (or NULL). The list is the
 * caller's: option_list_free.
 */
enum status option_list_parse(const char *options, const struct frontend_language *language,
                              struct option_list *list, struct error *error);
void option_list_free(struct option_list *list);

/* A use of an undeclared function or type: where, in bytes from the file's beginning. */
struct fault {
	CXFile file;
	unsigned offset;
	bool is_function; /* that is called; else a macro could be meant, or a type */
	bool is_variable; /* a program's variable uses it: libclang leaves out what uses that */
	char name[64];
};

/*
 * The standard that libclang is to take, and a header that makes macros what the device's compiler
 * has them, but for those that the client's options define or undefine.
 *
 * language   of the device, or NULL
 * text       out: the header, on the heap
 * standard   out: "-cl-std=CL1.2"
 * name       out: what it is called, "OpenCL C 3.0, asked of the device's compiler"
 *
 * STATUS_INVALID: the device's compiler refuses the standard. STATUS_NO_MEMORY.
 */
enum status profile_make(const struct frontend_language *language,
                         const struct option_list *options, char **text, char standard[24],
                         char name[FRONTEND_LANGUAGE_MAX], struct error *error);

struct translation {
	CXIndex index;
	CXTranslationUnit unit;
	const struct frontend_program *program;
	struct option_list options;
	struct CXUnsavedFile *files;
	unsigned file_count;
	char **paths;         /* of the files, owned */
	char *profile;        /* the text of a file: macros as the device has them; owned */
	char standard[24];    /* what libclang gets */
	struct fault *faults; /* uses of undeclared names; owned */
	unsigned fault_count;
	struct frontend_report report; /* its header and language */
	char unknown[64];    /* an undeclared name that no one function can be blamed for, or "" */
	bool is_skipped;     /* too much is undeclared: parsed without the functions' bodies */
	unsigned extensions; /* of undeclared.c: those that the program mentions, a bit each */
	char *unknown_functions;    /* text before the program, owned; NULL: none */
	bool has_unknown_functions; /* it is put there */
	uint64_t work; /* that the kernels lowered so far took, in cursors and copies */
	CXFile main;   /* the client's source */
	CXFile other;  /* the last other file asked for, and its text */
	const char *other_text;
	size_t other_bytes;
};

/*
 * Parses. STATUS_SYNTAX with the first diagnostic. An undeclared name is no
 * error: the function that uses it is at fault then (translation_fault), and
 * further diagnostics in it are taken as consequences.
 */
enum status translation_open(struct translation *translation,
                             const struct frontend_program *program, struct error *error);
void translation_close(struct translation *translation);

/* ---- undeclared.c: names that a program uses and libclang does not know ---------------------- */

enum { UNDECLARED_ARGUMENTS_MAX = 20 };

/* Sets `extensions` to those whose built-ins the program's text mentions. */
void undeclared_extensions(struct translation *translation);
/*
 * Sets `unknown_functions` where undeclared names are called as functions: each call becomes
 * one of UNKNOWN_FUNCTION. STATUS_NO_MEMORY.
 */
enum status undeclared_functions(struct translation *translation, struct error *error);
/* Arguments for libclang by the above, into room for UNDECLARED_ARGUMENTS_MAX; how many. */
unsigned undeclared_arguments(const struct translation *translation, const char **arguments);

/* int UNKNOWN_FUNCTION(constant char *name), declared in prelude.cl */
#define UNKNOWN_FUNCTION "__predictd_unknown"

/* The first undeclared name that a function, struct or variable uses, or NULL. */
const struct fault *translation_fault(const struct translation *translation, CXCursor declaration);

/* Why what uses that name is not known, in `room` bytes. */
void fault_say(const struct fault *fault, char *text, size_t room);

/* Line of a cursor, in the file that it is written in; macros count where they are used. */
unsigned cursor_line(CXCursor cursor);

/*
 * The same and that file. Its name, without a path of this program's own: empty for the client's
 * source; false for what the client did not write.
 */
unsigned cursor_line_in(CXCursor cursor, CXFile *file);
bool translation_file_name(const struct translation *translation, CXFile file, char name[96]);

/*
 * The text at a location's spelling: *text points into the file that holds it,
 * `*offset` bytes from its beginning, of `*bytes`. False when it is in no file.
 */
bool translation_text(struct translation *translation, CXSourceLocation location, const char **text,
                      size_t *offset, size_t *bytes);

/* missing.c: what a report says of names that are defined nowhere, and of kernels left out. */
void missing_names(const struct translation *translation, char text[FRONTEND_UNDEFINED_MAX]);
void missing_kernels(const struct frontend_program *program, struct ir_kernel *const *kernels,
                     size_t count, char said[FRONTEND_LEFT_OUT_MAX]);

#endif
