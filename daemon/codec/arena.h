/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of one request: allocated in a row, freed at once, bounded.
 *
 * Requests are unpacked into an arena, since a message of two-byte empty
 * submessages would otherwise unpack to a hundred times its size.
 */
#ifndef PREDICTD_DAEMON_CODEC_ARENA_H
#define PREDICTD_DAEMON_CODEC_ARENA_H

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks; /* the newest first */
	size_t used;                /* bytes taken from the newest */
	size_t total, limit;        /* bytes held, and how many may be */
};

void arena_init(struct arena *arena, size_t limit);
void arena_deinit(struct arena *arena);

/* Forgets every allocation; keeps one small chunk for the next request. */
void arena_reset(struct arena *arena);

/* Zeroed memory, aligned for any type; NULL when short or over the limit. */
void *arena_allocate(struct arena *arena, size_t size);

/* A copy of a text; NULL as above. */
char *arena_text(struct arena *arena, const char *text);

/* For protobuf-c's unpack. What it allocates is never freed one by one. */
ProtobufCAllocator arena_allocator(struct arena *arena);

#endif
