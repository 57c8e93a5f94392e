/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table of chains. Nodes are never freed, and go to a free list: a reader that stands on one
 * that is put to use elsewhere may end in another chain and miss what it looks for. Misses are
 * therefore repeated where a node was taken out meanwhile; hits are right, since nobody else takes
 * out the object that a caller holds.
 */
#include "client/opencl/layer/handles.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { CHAINS = 1 << 14, NODES_A_BLOCK = 512, TRIES_MAX = 8 };

struct node {
	_Atomic(const void *) handle;
	_Atomic(struct node *) next;
	_Atomic(void *) record;
	_Atomic handle_kind kind;
	void (*end)(void *record);
	size_t references;
};

struct handles {
	_Atomic(struct node *) chains[CHAINS];
	_Atomic uint64_t removals;
	struct node *free;
	size_t count;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct handles *) handles;

static size_t chain_of(const void *handle)
{
	/* multiplicative hashing (Knuth, TAOCP 6.4) by the golden ratio; upper bits are the best */
	return (size_t)((uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15) >> 50);
}

static struct node *chain_find(const struct handles *all, const void *handle)
{
	struct node *node =
	        atomic_load_explicit(&all->chains[chain_of(handle)], memory_order_acquire);
	while (node != NULL && atomic_load_explicit(&node->handle, memory_order_relaxed) != handle)
		node = atomic_load_explicit(&node->next, memory_order_acquire);
	return node;
}

void *handles_find(const void *handle, handle_kind kind)
{
	const struct handles *all = atomic_load_explicit(&handles, memory_order_acquire);
	if (all == NULL || handle == NULL)
		return NULL;
	for (unsigned i = 0; i < TRIES_MAX; i++) {
		const uint64_t before = atomic_load_explicit(&all->removals, memory_order_acquire);
		struct node *node = chain_find(all, handle);
		if (node != NULL)
			return node->kind == kind ? atomic_load(&node->record) : NULL;
		atomic_thread_fence(memory_order_acquire);
		if (atomic_load_explicit(&all->removals, memory_order_relaxed) == before)
			return NULL;
	}
	return NULL;
}

/* ---- by one thread at a time --------------------------------------------------------------- */

static bool node_new(struct handles *all, struct node **node)
{
	if (all->free == NULL && all->count < HANDLES_MAX) {
		struct node *block = calloc(NODES_A_BLOCK, sizeof *block);
		for (size_t i = 0; block != NULL && i < NODES_A_BLOCK; i++) {
			atomic_store(&block[i].next, all->free);
			all->free = &block[i];
		}
	}
	*node = all->free;
	if (*node == NULL)
		return false;
	all->free = atomic_load(&(*node)->next);
	all->count++;
	return true;
}

/* Takes the node of a handle out; *record and *end are for the caller to end it with, unlocked. */
static void take_out(struct handles *all, const void *handle, void **record, void (**end)(void *))
{
	_Atomic(struct node *) *link = &all->chains[chain_of(handle)];
	struct node *node = atomic_load(link);
	while (node != NULL && atomic_load(&node->handle) != handle) {
		link = &node->next;
		node = atomic_load(link);
	}
	if (node == NULL)
		return;
	*record = atomic_load(&node->record);
	*end = node->end;
	atomic_store(link, atomic_load(&node->next));
	atomic_fetch_add(&all->removals, 1);
	atomic_store(&node->handle, NULL);
	atomic_store(&node->next, all->free);
	all->free = node;
	all->count--;
}

void handles_add(const void *handle, handle_kind kind, void *record, void (*end)(void *record))
{
	void *old = NULL;
	void (*old_end)(void *) = NULL;
	struct node *node = NULL;
	(void)pthread_mutex_lock(&mutex);
	struct handles *all = atomic_load(&handles);
	if (all == NULL && (all = calloc(1, sizeof *all)) != NULL)
		atomic_store_explicit(&handles, all, memory_order_release);
	if (all != NULL) /* an object that went without a call: its address has come up again */
		take_out(all, handle, &old, &old_end);
	if (all != NULL && node_new(all, &node)) {
		node->references = 1;
		node->end = end;
		atomic_store(&node->kind, kind);
		atomic_store(&node->record, record);
		atomic_store(&node->handle, handle);
		_Atomic(struct node *) *chain = &all->chains[chain_of(handle)];
		atomic_store(&node->next, atomic_load(chain));
		atomic_store_explicit(chain, node, memory_order_release);
	}
	(void)pthread_mutex_unlock(&mutex);
	if (old != NULL)
		old_end(old);
	if (node == NULL)
		end(record);
}

void handles_retain(const void *handle, handle_kind kind)
{
	(void)pthread_mutex_lock(&mutex);
	struct handles *all = atomic_load(&handles);
	struct node *node = all == NULL ? NULL : chain_find(all, handle);
	if (node != NULL && node->kind == kind)
		node->references++;
	(void)pthread_mutex_unlock(&mutex);
}

void handles_release(const void *handle, handle_kind kind)
{
	void *record = NULL;
	void (*end)(void *) = NULL;
	(void)pthread_mutex_lock(&mutex);
	struct handles *all = atomic_load(&handles);
	struct node *node = all == NULL ? NULL : chain_find(all, handle);
	if (node != NULL && node->kind == kind && --node->references == 0)
		take_out(all, handle, &record, &end);
	(void)pthread_mutex_unlock(&mutex);
	if (record != NULL)
		end(record);
}

size_t handles_count(void)
{
	(void)pthread_mutex_lock(&mutex);
	struct handles *all = atomic_load(&handles);
	const size_t count = all == NULL ? 0 : all->count;
	(void)pthread_mutex_unlock(&mutex);
	return count;
}

void handles_forget(void)
{
	mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	atomic_store(&handles, NULL);
}
