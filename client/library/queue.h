/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A queue of items in the order that they came, each the first member of what it queues. Zeros
 * are an empty queue, and a queue may be copied: it holds no pointer to itself.
 */
#ifndef PREDICTD_CLIENT_LIBRARY_QUEUE_H
#define PREDICTD_CLIENT_LIBRARY_QUEUE_H

#include <stddef.h>

struct queue_item {
	struct queue_item *next;
};

struct queue {
	struct queue_item *first, *last; /* last: of a queue that is not empty */
	size_t count;
};

static inline void queue_put(struct queue *queue, struct queue_item *item)
{
	item->next = NULL;
	if (queue->first == NULL)
		queue->first = item;
	else
		queue->last->next = item;
	queue->last = item;
	queue->count++;
}

/* The first item, or NULL. */
static inline struct queue_item *queue_take(struct queue *queue)
{
	struct queue_item *item = queue->first;
	if (item != NULL) {
		queue->first = item->next;
		queue->count--;
	}
	return item;
}

/* Moves all of `items` in front of the queue, and leaves none there. */
static inline void queue_return(struct queue *queue, struct queue *items)
{
	if (items->first == NULL)
		return;
	items->last->next = queue->first;
	if (queue->first == NULL)
		queue->last = items->last;
	queue->first = items->first;
	queue->count += items->count;
	*items = (struct queue){NULL, NULL, 0};
}

#endif
