/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of one request: a list of chunks, each larger than the one before, so that most of a
 * large request lies in chunks that go back to the system when they are freed.
 */
#include "daemon/codec/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_CHUNK_BYTES = 32 << 10, ARENA_CHUNK_BYTES_MAX = 4 << 20, ARENA_ALIGNMENT = 16 };

struct arena_chunk {
	struct arena_chunk *older;
	size_t size;
	_Alignas(ARENA_ALIGNMENT) uint8_t bytes[];
};

void arena_init(struct arena *arena, size_t limit)
{
	*arena = (struct arena){.limit = limit};
}

void arena_deinit(struct arena *arena)
{
	while (arena->chunks != NULL) {
		struct arena_chunk *older = arena->chunks->older;
		free(arena->chunks);
		arena->chunks = older;
	}
	arena->used = 0;
	arena->total = 0;
}

void arena_reset(struct arena *arena)
{
	struct arena_chunk *kept = NULL;
	while (arena->chunks != NULL) {
		struct arena_chunk *chunk = arena->chunks;
		arena->chunks = chunk->older;
		if (kept == NULL && chunk->size == ARENA_CHUNK_BYTES)
			kept = chunk;
		else
			free(chunk);
	}
	if (kept != NULL)
		kept->older = NULL;
	arena->chunks = kept;
	arena->used = 0;
	arena->total = kept == NULL ? 0 : kept->size;
}

/* As much as there is: the chunks double. */
static size_t next_room(const struct arena *arena)
{
	if (arena->total < ARENA_CHUNK_BYTES)
		return ARENA_CHUNK_BYTES;
	return arena->total < ARENA_CHUNK_BYTES_MAX ? arena->total : ARENA_CHUNK_BYTES_MAX;
}

static void *take(struct arena *arena, size_t size)
{
	if (size > arena->limit)
		return NULL;
	size = (size + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1);
	if (arena->chunks == NULL || size > arena->chunks->size - arena->used) {
		size_t room = next_room(arena);
		if (room < size || room > arena->limit - arena->total)
			room = size;
		if (room > arena->limit || arena->total > arena->limit - room)
			return NULL;
		struct arena_chunk *chunk = malloc(sizeof *chunk + room);
		if (chunk == NULL)
			return NULL;
		chunk->older = arena->chunks;
		chunk->size = room;
		arena->chunks = chunk;
		arena->used = 0;
		arena->total += room;
	}
	void *taken = arena->chunks->bytes + arena->used;
	arena->used += size;
	return taken;
}

void *arena_allocate(struct arena *arena, size_t size)
{
	void *taken = take(arena, size);
	return taken == NULL ? NULL : memset(taken, 0, size);
}

char *arena_text(struct arena *arena, const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = take(arena, size);
	return copy == NULL ? NULL : memcpy(copy, text, size);
}

static void *allocate(void *data, size_t size)
{
	return take(data, size);
}

static void forget(void *data, void *taken)
{
	(void)data;
	(void)taken;
}

ProtobufCAllocator arena_allocator(struct arena *arena)
{
	return (ProtobufCAllocator){.alloc = allocate, .free = forget, .allocator_data = arena};
}
