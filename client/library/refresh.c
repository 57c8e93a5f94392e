/* SPDX-License-Identifier: Apache-2.0 */
/* Questions on their way behind the caller's back. */
#include "client/library/refresh.h"

#include <string.h>
#include <time.h>

void refreshes_init(struct refreshes *refreshes)
{
	memset(refreshes->slots, 0, sizeof refreshes->slots);
	atomic_store(&refreshes->handed, NULL);
	(void)pthread_mutex_init(&refreshes->mutex, NULL);
	(void)pthread_cond_init(&refreshes->round, NULL);
}

void refreshes_deinit(struct refreshes *refreshes)
{
	(void)pthread_cond_destroy(&refreshes->round);
	(void)pthread_mutex_destroy(&refreshes->mutex);
}

static struct refresh_slot *slot_of(struct refreshes *refreshes, const struct question_key *key)
{
	return &refreshes->slots[key->high % REFRESH_SLOTS];
}

/* 0 is nobody's. */
static uint64_t owner_of(const struct question_key *key)
{
	return key->low | 1;
}

bool refresh_claim(struct refreshes *refreshes, const struct question_key *key)
{
	struct refresh_slot *slot = slot_of(refreshes, key);
	uint64_t nobody = 0;
	/* most calls find it taken: those leave the line as it is */
	return atomic_load_explicit(&slot->pending, memory_order_relaxed) == 0 &&
	       atomic_compare_exchange_strong(&slot->pending, &nobody, owner_of(key));
}

predictd_status refresh_refusal(struct refreshes *refreshes, const struct question_key *key,
                                int64_t now_ns)
{
	struct refresh_slot *slot = slot_of(refreshes, key);
	uint64_t owner = owner_of(key);
	if (atomic_load_explicit(&slot->refused, memory_order_acquire) != owner)
		return PREDICTD_OK;
	int64_t until_ns = atomic_load_explicit(&slot->until_ns, memory_order_acquire);
	int status = atomic_load_explicit(&slot->status, memory_order_acquire);
	if (atomic_load_explicit(&slot->refused, memory_order_relaxed) != owner ||
	    now_ns >= until_ns)
		return PREDICTD_OK;
	return (predictd_status)status;
}

void refresh_hand_over(struct refreshes *refreshes, struct queue_item *item)
{
	item->next = atomic_load_explicit(&refreshes->handed, memory_order_relaxed);
	while (!atomic_compare_exchange_weak(&refreshes->handed, &item->next, item))
		continue;
}

void refreshes_take(struct refreshes *refreshes, struct queue *queue)
{
	struct queue_item *last = atomic_exchange(&refreshes->handed, NULL), *first = NULL;
	while (last != NULL) {
		struct queue_item *item = last;
		last = item->next;
		item->next = first;
		first = item;
	}
	while (first != NULL) {
		struct queue_item *item = first;
		first = item->next;
		queue_put(queue, item);
	}
}

bool refreshes_wait(struct refreshes *refreshes)
{
	return atomic_load(&refreshes->handed) != NULL;
}

void refresh_end(struct refreshes *refreshes, const struct question_key *key,
                 predictd_status status, int64_t until_ns)
{
	struct refresh_slot *slot = slot_of(refreshes, key);
	if (status != PREDICTD_OK) {
		atomic_store_explicit(&slot->refused, 0, memory_order_relaxed);
		atomic_store_explicit(&slot->status, (int)status, memory_order_release);
		atomic_store_explicit(&slot->until_ns, until_ns, memory_order_release);
		atomic_store_explicit(&slot->refused, owner_of(key), memory_order_release);
	}
	atomic_store_explicit(&slot->pending, 0, memory_order_release);
}

void refreshes_announce(struct refreshes *refreshes)
{
	(void)pthread_mutex_lock(&refreshes->mutex);
	atomic_fetch_add(&refreshes->rounds, 1);
	(void)pthread_cond_broadcast(&refreshes->round);
	(void)pthread_mutex_unlock(&refreshes->mutex);
}

uint64_t refreshes_rounds(struct refreshes *refreshes)
{
	return atomic_load(&refreshes->rounds);
}

void refreshes_await(struct refreshes *refreshes, uint64_t rounds, int64_t end_ns)
{
	struct timespec end = {end_ns / 1000000000, end_ns % 1000000000};
	(void)pthread_mutex_lock(&refreshes->mutex);
	while (atomic_load(&refreshes->rounds) == rounds &&
	       pthread_cond_clockwait(&refreshes->round, &refreshes->mutex, CLOCK_MONOTONIC,
	                              &end) == 0)
		continue;
	(void)pthread_mutex_unlock(&refreshes->mutex);
}
