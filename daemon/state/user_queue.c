/* SPDX-License-Identifier: Apache-2.0 */
/* What waits, by user. */
#include "daemon/state/user_queue.h"

#include <assert.h>
#include <stdlib.h>
#include <utlist.h>

struct queue_user {
	uid_t user;
	size_t count, bytes;
	struct user_ticket *tickets;
	struct queue_user *next, *previous; /* of the circle */
};

static struct queue_user *find(const struct user_queue *queue, uid_t user)
{
	struct queue_user *one = queue->turn;
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
static struct queue_user *add(struct user_queue *queue, uid_t user)
{
	struct queue_user *one = calloc(1, sizeof *one);
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

static void drop(struct user_queue *queue, struct queue_user *one)
{
	one->previous->next = one->next;
	one->next->previous = one->previous;
	if (queue->turn == one)
		queue->turn = one->next == one ? NULL : one->next;
	free(one);
}

enum status user_queue_push(struct user_queue *queue, struct user_ticket *ticket,
                            const struct user_queue_bounds *bounds, struct error *error)
{
	struct queue_user *one = find(queue, ticket->user);
	size_t own = one == NULL ? 0 : one->count, own_bytes = one == NULL ? 0 : one->bytes;
	if (queue->count >= bounds->count || ticket->bytes > bounds->bytes - queue->bytes)
		return error_set(error, STATUS_BUSY, "%zu %s wait", queue->count, bounds->what);
	if (own >= bounds->count_per_user || ticket->bytes > bounds->bytes_per_user - own_bytes)
		return error_set(error, STATUS_BUSY, "%zu %s of this user wait", own, bounds->what);
	if (one == NULL)
		one = add(queue, ticket->user);
	if (one == NULL)
		return error_set(error, STATUS_NO_MEMORY, "%s: no memory", bounds->what);
	DL_APPEND(one->tickets, ticket);
	one->count++;
	one->bytes += ticket->bytes;
	queue->count++;
	queue->bytes += ticket->bytes;
	return STATUS_OK;
}

/* Takes a ticket of that user's out; he leaves the circle with his last one. */
static void take(struct user_queue *queue, struct queue_user *one, struct user_ticket *ticket)
{
	DL_DELETE(one->tickets, ticket);
	one->count--;
	one->bytes -= ticket->bytes;
	queue->count--;
	queue->bytes -= ticket->bytes;
	if (one->tickets == NULL)
		drop(queue, one);
}

struct user_ticket *user_queue_pop(struct user_queue *queue, bool (*may)(void *data, uid_t user),
                                   void *data)
{
	struct queue_user *one = queue->turn;
	if (one == NULL)
		return NULL;
	while (may != NULL && !may(data, one->user)) {
		one = one->next;
		if (one == queue->turn)
			return NULL;
	}
	struct user_ticket *ticket = one->tickets;
	queue->turn = one->next;
	take(queue, one, ticket);
	return ticket;
}

void user_queue_remove(struct user_queue *queue, struct user_ticket *ticket)
{
	struct queue_user *one = find(queue, ticket->user);
	assert(one != NULL);
	take(queue, one, ticket);
}
