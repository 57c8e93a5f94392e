/* SPDX-License-Identifier: Apache-2.0 */
/* Scratch memory of numbers by lane, a stack: who takes of it sets `used` back. */
#ifndef PREDICTD_MODEL_EVALUATE_ARENA_H
#define PREDICTD_MODEL_EVALUATE_ARENA_H

#include <stddef.h>

struct arena {
	float *memory;
	size_t used, size;
};

/* So many numbers; NULL when it is full. */
static inline float *arena_take(struct arena *arena, size_t count)
{
	float *memory = arena->memory + arena->used;

	count = (count + 3) & ~(size_t)3; /* keeps what follows aligned for 64-bit numbers */
	if (count > arena->size - arena->used)
		return NULL;
	arena->used += count;
	return memory;
}

#endif
