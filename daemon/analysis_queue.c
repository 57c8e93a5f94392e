/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that wait for the analyser. */
#include "daemon/analysis_queue.h"

#include <stdlib.h>

struct analysis_user {
	uid_t user;
	size_t count, bytes;
	struct analysis_ticket *first, *last;
	struct analysis_user *next, *previous; /* of the circle */
};

static struct analysis_user *find(const struct analysis_queue *queue, uid_t user)
{
	struct analysis_user *one = queue->turn;
	if (one == NULL)
		return NULL;
	do {
		if (one->user == user)
			return one;
		one = one->next;
	} while (one != queue->turn);
	return NULL;
}

/* A user without tickets, last in the circle. */
static struct analysis_user *add(struct analysis_queue *queue, uid_t user)
{
	struct analysis_user *one = calloc(1, sizeof *one);
	if (one == NULL)
		return NULL;
	one->user = user;
	if (queue->turn == NULL) {
		one->next = one;
		one->previous = one;
		queue->turn = one;
	} else {
		one->next = queue->turn;
		one->previous = queue->turn->previous;
		one->previous->next = one;
		queue->turn->previous = one;
	}
	return one;
}

static void drop(struct analysis_queue *queue, struct analysis_user *one)
{
	one->previous->next = one->next;
	one->next->previous = one->previous;
	if (queue->turn == one)
		queue->turn = one->next == one ? NULL : one->next;
	free(one);
}

enum status analysis_queue_push(struct analysis_queue *queue, struct analysis_ticket *ticket,
                                const struct analysis_queue_bounds *bounds, struct error *error)
{
	struct analysis_user *one = find(queue, ticket->user);
	size_t own = one == NULL ? 0 : one->count, own_bytes = one == NULL ? 0 : one->bytes;
	if (queue->count >= bounds->count || ticket->bytes > bounds->bytes - queue->bytes)
		return error_set(error, STATUS_BUSY, "%zu sources wait for the analyser",
		                 queue->count);
	if (own >= bounds->count_per_user || ticket->bytes > bounds->bytes_per_user - own_bytes)
		return error_set(error, STATUS_BUSY,
		                 "%zu sources of this user wait for the analyser", own);
	if (one == NULL)
		one = add(queue, ticket->user);
	if (one == NULL)
		return error_set(error, STATUS_NO_MEMORY, "analysis: no memory");
	ticket->next = NULL;
	if (one->last != NULL)
		one->last->next = ticket;
	else
		one->first = ticket;
	one->last = ticket;
	one->count++;
	one->bytes += ticket->bytes;
	queue->count++;
	queue->bytes += ticket->bytes;
	return STATUS_OK;
}

struct analysis_ticket *analysis_queue_pop(struct analysis_queue *queue)
{
	struct analysis_user *one = queue->turn;
	if (one == NULL)
		return NULL;
	struct analysis_ticket *ticket = one->first;
	one->first = ticket->next;
	if (one->first == NULL)
		one->last = NULL;
	one->count--;
	one->bytes -= ticket->bytes;
	queue->count--;
	queue->bytes -= ticket->bytes;
	queue->turn = one->next;
	if (one->first == NULL)
		drop(queue, one);
	return ticket;
}
