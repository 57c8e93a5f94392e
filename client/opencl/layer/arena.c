/* SPDX-License-Identifier: Apache-2.0 */
/* Memory by the block, never given back. */
#include "client/opencl/layer/arena.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 15, GRAIN = 16 };

void *arena_give(struct arena *arena, size_t size)
{
	if (size > arena->bound - arena->given)
		return NULL;
	size = (size + GRAIN - 1) / GRAIN * GRAIN;
	if (size > arena->bound - arena->given)
		return NULL;
	if (size > BLOCK_BYTES / 4) {
		void *own = calloc(1, size);
		arena->given += own == NULL ? 0 : size;
		return own;
	}
	if (size > arena->left) {
		unsigned char *block = calloc(1, BLOCK_BYTES);
		if (block == NULL)
			return NULL;
		arena->at = block;
		arena->left = BLOCK_BYTES;
	}
	void *given = arena->at;
	arena->at += size;
	arena->left -= size;
	arena->given += size;
	return given;
}

void *arena_copy(struct arena *arena, const void *bytes, size_t size)
{
	if (size >= arena->bound)
		return NULL;
	void *copy = arena_give(arena, size + 1);
	if (copy != NULL && size > 0)
		memcpy(copy, bytes, size);
	return copy;
}
