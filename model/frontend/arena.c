/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of one lowering: chunks that are freed together, and a bound on them all. */
#include "model/frontend/lower.h"

#include <stdlib.h>

enum { ARENA_CHUNK = 64 << 10, ARENA_MAX = 128 << 20 };

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, size;
	_Alignas(16) unsigned char bytes[];
};

void *arena_alloc(struct arena *arena, size_t bytes)
{
	bytes = (bytes + 15) & ~(size_t)15;
	struct arena_chunk *chunk = arena->chunks;
	if (chunk == NULL || chunk->size - chunk->used < bytes) {
		size_t size = bytes > ARENA_CHUNK ? bytes : ARENA_CHUNK;
		if (arena->total + size > ARENA_MAX)
			return NULL;
		chunk = calloc(1, sizeof(*chunk) + size);
		if (chunk == NULL)
			return NULL;
		chunk->size = size;
		chunk->next = arena->chunks;
		arena->chunks = chunk;
		arena->total += size;
	}
	void *result = chunk->bytes + chunk->used;
	chunk->used += bytes;
	return result;
}

void arena_free(struct arena *arena)
{
	while (arena->chunks != NULL) {
		struct arena_chunk *chunk = arena->chunks;
		arena->chunks = chunk->next;
		free(chunk);
	}
	arena->total = 0;
}
