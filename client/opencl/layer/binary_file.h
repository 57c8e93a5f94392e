/* SPDX-License-Identifier: Apache-2.0 */
/* The file that says of which source a binary is: bytes in, strings out. */
#ifndef CLIENT_OPENCL_LAYER_BINARY_FILE_H
#define CLIENT_OPENCL_LAYER_BINARY_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct binary_file {
	const char *options; /* zero-terminated */
	const char *text;    /* zero-terminated */
	size_t size;         /* of the text, without the zero */
};

/* The file's bytes; NULL: memory is short. The caller frees them. hash: of the binary. */
char *binary_file_make(const struct binary_file *file, uint64_t hash, size_t *size);

/*
 * bytes   of a whole file, whoever wrote it
 * hash    of the binary that it is to be of
 * file    out: its strings lie within the bytes
 *
 * false: it is torn, of another binary or of another version.
 */
bool binary_file_parse(const char *bytes, size_t size, uint64_t hash, struct binary_file *file);

#endif
