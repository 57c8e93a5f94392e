/* SPDX-License-Identifier: Apache-2.0 */
/* What a program's text says of a kernel; comments and macros are not looked through. */
#ifndef CLIENT_OPENCL_LAYER_TEXT_H
#define CLIENT_OPENCL_LAYER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the text defines a kernel of that name. */
bool text_defines(const char *text, const char *kernel);

typedef enum text_address {
	TEXT_UNKNOWN, /* a macro or a type of the program's may say it */
	TEXT_GLOBAL,
	TEXT_CONSTANT,
	TEXT_LOCAL
} text_address;

/* Where the text has a kernel's parameters; NULL: it does not define it. All of it is searched. */
const char *text_parameters(const char *text, const char *kernel);

/*
 * Where a parameter points.
 *
 * parameters     of text_parameters(), or NULL
 * is_read_only   out: what it points to is const
 */
text_address text_parameter(const char *parameters, size_t index, bool *is_read_only);

#endif
