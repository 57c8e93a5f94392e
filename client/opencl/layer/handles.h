/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which record belongs to an object of the driver's. References are those of the program, counted
 * by its calls: what the driver holds besides does not keep a record. So none is left when an
 * address comes up again for another object.
 *
 * Finding takes no lock; the rest does, for as long as a chain is long.
 */
#ifndef CLIENT_OPENCL_LAYER_HANDLES_H
#define CLIENT_OPENCL_LAYER_HANDLES_H

#include <stdbool.h>
#include <stddef.h>

typedef enum handle_kind {
	HANDLE_QUEUE,
	HANDLE_PROGRAM,
	HANDLE_KERNEL,
	HANDLE_MEMORY,
	HANDLE_SAMPLER,
	HANDLE_KINDS
} handle_kind;

enum { HANDLES_MAX = 1 << 18 };

/* The record of an object that the program holds a reference to; NULL: it is not followed. */
void *handles_find(const void *handle, handle_kind kind);

/*
 * A new object, with one reference. record: of malloc(); taken, freed by `end` with the last
 * reference, or at once where there is no room.
 */
void handles_add(const void *handle, handle_kind kind, void *record, void (*end)(void *record));

/* After clRetain...; before clRelease..., which may give the address away. */
void handles_retain(const void *handle, handle_kind kind);
void handles_release(const void *handle, handle_kind kind);

size_t handles_count(void);

/* In a child of fork(): its parent's records are not its own, and stay where they are. */
void handles_forget(void);

#endif
