/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two hash tables without removal, of shapes and of classes, read without a lock. A hash of 64 bits
 * stands for equality: among 65536 shapes two of one hash are met once in 10^10 processes.
 *
 * A kernel that takes the number of its step has a shape a launch. So a class is told apart up to
 * a bound, and what comes after is counted as its last shape, marked as near.
 */
#include "client/opencl/layer/shapes.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "client/opencl/layer/arena.h"
#include "client/opencl/layer/samples.h"

enum {
	SLOTS = 2 * SEEN_SHAPES_MAX,
	BYTES_MAX = 10 << 20 /* of shapes and classes: some 10,000 of ten arguments */
};

struct slot {
	_Atomic uint64_t hash; /* 0: empty */
	_Atomic(void *) record;
};

struct class
{
	_Atomic uint32_t count;
	_Atomic(seen_shape *) last;
};

struct shapes {
	struct slot shapes[SLOTS], classes[SLOTS];
	_Atomic(seen_shape *) by_number[SEEN_SHAPES_MAX];
	uint32_t count, class_count;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct shapes *) shapes;
static struct arena records = {.bound = BYTES_MAX};

/* The slot of a hash, or the empty one that is for it: half of them are empty always. */
static struct slot *slot_of(struct slot *table, uint64_t hash)
{
	for (size_t i = hash % SLOTS;; i = (i + 1) % SLOTS) {
		const uint64_t other = atomic_load_explicit(&table[i].hash, memory_order_acquire);
		if (other == hash || other == 0)
			return &table[i];
	}
}

static void *find(struct slot *table, uint64_t hash)
{
	struct slot *slot = slot_of(table, hash);
	return atomic_load_explicit(&slot->hash, memory_order_acquire) == 0
	               ? NULL
	               : atomic_load_explicit(&slot->record, memory_order_acquire);
}

static void put(struct slot *table, uint64_t hash, void *record)
{
	struct slot *slot = slot_of(table, hash);
	atomic_store_explicit(&slot->record, record, memory_order_relaxed);
	atomic_store_explicit(&slot->hash, hash, memory_order_release);
}

/* ---- a new shape, by one thread at a time -------------------------------------------------- */

static bool fill_argument(seen_argument *to, const struct argument *from)
{
	to->kind = from->kind;
	to->size_bytes = from->size_bytes;
	if (from->kind == SEEN_VALUE && from->size_bytes <= from->room &&
	    (to->value = arena_copy(&records, from->value, from->size_bytes)) == NULL)
		return false;
	if (from->kind == SEEN_SAMPLER)
		(void)snprintf(to->type, sizeof to->type, "%s", from->words);
	if (from->kind == SEEN_IMAGE) {
		(void)snprintf(to->type, sizeof to->type, "%s", from->memory->type);
		to->width = from->memory->width;
		to->height = from->memory->height;
		to->depth = from->memory->depth;
	}
	if (from->kind == SEEN_BUFFER && atomic_load(&from->memory->content) != 0)
		to->sample = samples_pin(atomic_load(&from->memory->content));
	return true;
}

static seen_shape *shape_new(const struct shape_launch *launch, const struct kernel *kernel)
{
	seen_shape *shape = arena_give(&records, sizeof *shape);
	const size_t argument_count = kernel->argument_count > 0 ? kernel->argument_count : 1;
	seen_argument *arguments = arena_give(&records, argument_count * sizeof *arguments);
	if (shape == NULL || arguments == NULL)
		return NULL;
	for (uint32_t i = 0; i < kernel->argument_count; i++)
		if (!fill_argument(&arguments[i], &kernel->arguments[i]))
			return NULL;
	shape->kernel = launch->kernel;
	shape->device = launch->device;
	shape->dimensions = (uint32_t)launch->dimensions;
	memcpy(shape->global, launch->global, sizeof shape->global);
	memcpy(shape->local, launch->local, sizeof shape->local);
	memcpy(shape->offset, launch->offset, sizeof shape->offset);
	shape->argument_count = kernel->argument_count;
	shape->arguments = arguments;
	return shape;
}

static struct class *class_get(struct shapes *all, uint64_t hash)
{
	struct class *class = find(all->classes, hash);
	if (class == NULL && all->class_count < SEEN_SHAPES_MAX &&
	    (class = arena_give(&records, sizeof *class)) != NULL) {
		put(all->classes, hash, class);
		all->class_count++;
	}
	return class;
}

static seen_shape *shape_add(struct shapes *all, uint64_t hash, uint64_t class_hash,
                             const struct shape_launch *launch, const struct kernel *kernel,
                             bool *is_near)
{
	seen_shape *shape = find(all->shapes, hash); /* by another thread, meanwhile */
	if (shape != NULL)
		return shape;
	struct class *class = class_get(all, class_hash);
	if (class == NULL)
		return NULL;
	if (atomic_load(&class->count) < SHAPES_A_CLASS_MAX && all->count < SEEN_SHAPES_MAX &&
	    (shape = shape_new(launch, kernel)) != NULL) {
		shape->number = all->count;
		put(all->shapes, hash, shape);
		atomic_store_explicit(&class->last, shape, memory_order_release);
		atomic_fetch_add(&class->count, 1);
		atomic_store_explicit(&all->by_number[all->count++], shape, memory_order_release);
		return shape;
	}
	*is_near = true;
	return atomic_load(&class->last);
}

/* ---- every launch -------------------------------------------------------------------------- */

/* The look-up table, made by the first launch; NULL: memory is short. */
static struct shapes *shapes_made(void)
{
	struct shapes *all = atomic_load_explicit(&shapes, memory_order_acquire);
	if (all != NULL)
		return all;
	(void)pthread_mutex_lock(&mutex);
	all = atomic_load(&shapes);
	if (all == NULL && (all = calloc(1, sizeof *all)) != NULL)
		atomic_store_explicit(&shapes, all, memory_order_release);
	(void)pthread_mutex_unlock(&mutex);
	return all;
}

static uint64_t hash_with(const struct shape_launch *launch, uint64_t seed)
{
	return XXH3_64bits_withSeed(launch, sizeof *launch, seed) | 1;
}

seen_shape *shapes_find(const struct shape_launch *launch, const struct kernel *kernel,
                        bool *is_near)
{
	struct shapes *all = shapes_made();
	if (all == NULL)
		return NULL;
	const uint64_t hash = hash_with(launch, kernel->hash + kernel_content(kernel));
	seen_shape *shape = find(all->shapes, hash);
	if (shape != NULL)
		return shape;
	const uint64_t class_hash = hash_with(launch, ~kernel->class_hash);
	struct class *class = find(all->classes, class_hash);
	if (class != NULL && atomic_load(&class->count) >= SHAPES_A_CLASS_MAX) {
		*is_near = true;
		return atomic_load_explicit(&class->last, memory_order_acquire);
	}
	(void)pthread_mutex_lock(&mutex);
	shape = shape_add(all, hash, class_hash, launch, kernel, is_near);
	(void)pthread_mutex_unlock(&mutex);
	return shape;
}

seen_shape *shapes_get(uint32_t number)
{
	struct shapes *all = atomic_load_explicit(&shapes, memory_order_acquire);
	return all == NULL || number >= SEEN_SHAPES_MAX
	               ? NULL
	               : atomic_load_explicit(&all->by_number[number], memory_order_acquire);
}

void shapes_forget(void)
{
	mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	atomic_store(&shapes, NULL);
	records = (struct arena){.bound = BYTES_MAX};
}
