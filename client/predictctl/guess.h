/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guesses: sizes and values for a kernel that comes without any, from its
 * parameters' names and types and from its source's text. Wrong now and then, so all
 * of it is said to the user. Rows times their length are no more elements than buffers have.
 */
#ifndef PREDICTD_CLIENT_PREDICTCTL_GUESS_H
#define PREDICTD_CLIENT_PREDICTCTL_GUESS_H

#include <jansson.h>

#include "client/predictd.h"

/* Dimensions that a kernel's text uses (1 to 3), by the constants given to get_global_id etc. */
uint32_t guess_dimensions(const char *text, const char *kernel);

/* Whether parameter `index` of the kernel is declared const or __constant. */
struct guess_parameter {
	bool is_const, is_constant;
};
struct guess_parameter guess_parameter(const char *text, const char *kernel, size_t index);

/*
 * How the kernel's body uses a name: as a factor, as a row's length is in `row * n + column`
 * (or within mad24 and mul24); as a divisor, as where `i / n` is a row; as a shift, a step, a mask;
 * or with atomic operations.
 */
struct guess_use {
	bool is_factor, is_divisor;
	bool is_shift;  /* by so many bits */
	bool is_step;   /* a counter moves by it: 0 would be for ever */
	bool is_mask;   /* of bits */
	bool is_atomic; /* atomic operations change it */
};
struct guess_use guess_use(const char *text, const char *kernel, const char *name);

/* Bytes of "float4", "uint", or of a struct, whose type is its size; 4 when the type is not known.
 */
uint64_t guess_element_bytes(const char *type);

/* Bytes that a guessed "buffer" or "local" memory has at most: what every device allows. */
uint64_t guess_most(const char *kind);

/*
 * One case of a cases file for `items` work-items. *said (of 1024 bytes) tells what was guessed.
 * NULL when memory is short.
 */
json_t *guess_case(const char *file, const char *options, const char *text,
                   const predictd_kernel *kernel, uint64_t items, char said[1024]);

#endif
