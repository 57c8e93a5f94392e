/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is given until the process ends, within a bound. One thread at a time. */
#ifndef CLIENT_OPENCL_LAYER_ARENA_H
#define CLIENT_OPENCL_LAYER_ARENA_H

#include <stddef.h>

struct arena {
	unsigned char *at;
	size_t left, given, bound; /* bytes */
};

/* Zeroed, aligned for anything; NULL: the bound is reached, or memory is short. */
void *arena_give(struct arena *arena, size_t size);
/* A copy of `size` bytes, and a zero behind them. */
void *arena_copy(struct arena *arena, const void *bytes, size_t size);

#endif
