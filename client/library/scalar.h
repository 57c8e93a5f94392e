/* SPDX-License-Identifier: Apache-2.0 */
/* Types that a kernel takes by value: their lanes, and their values in a program's memory. */
#ifndef PREDICTD_CLIENT_LIBRARY_SCALAR_H
#define PREDICTD_CLIENT_LIBRARY_SCALAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SCALAR_LANES_MAX = 16 };

enum scalar_kind { SCALAR_SIGNED, SCALAR_UNSIGNED, SCALAR_REAL };

struct scalar_type {
	enum scalar_kind kind;
	unsigned lane_bytes; /* 1, 2, 4 or 8 */
	unsigned lanes;      /* 1, 2, 3, 4, 8 or 16 */
};

/* Of "float4". False: it is no type that a kernel takes by value. */
bool scalar_type_parse(const char *text, struct scalar_type *type);

/* As clSetKernelArg takes it: three lanes have the room of four. */
size_t scalar_type_bytes(const struct scalar_type *type);

/* The value of one lane at `bytes`, of an integer type. */
int64_t scalar_integer(const struct scalar_type *type, const void *bytes);
/* The same, of a real one. */
double scalar_real(const struct scalar_type *type, const void *bytes);

#endif
