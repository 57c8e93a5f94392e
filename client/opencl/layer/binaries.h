/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of which source a binary was made: kept by the binary's hash, in this process and for later ones
 * in $XDG_CACHE_HOME/predictd/binaries.
 */
#ifndef CLIENT_OPENCL_LAYER_BINARIES_H
#define CLIENT_OPENCL_LAYER_BINARIES_H

#include "client/opencl/layer/layer.h"

/* The source of a binary; NULL: not known. Reads a small file. */
seen_program *binaries_find(const void *binary, size_t size);

/* The program has got this binary of a program of origin SEEN_SOURCE. Writes nothing yet. */
void binaries_remember(const void *binary, size_t size, seen_program *program);

/* By the harvesting thread: writes what is new, and takes away the oldest beyond the bounds. */
void binaries_write(void);

/* In a child of fork(). */
void binaries_forget(void);

#endif
