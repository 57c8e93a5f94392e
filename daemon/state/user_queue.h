/* SPDX-License-Identifier: Apache-2.0 */
/* What waits for something scarce: first come first served per user, users in turn. */
#ifndef PREDICTD_DAEMON_STATE_USER_QUEUE_H
#define PREDICTD_DAEMON_STATE_USER_QUEUE_H

#include "model/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct queue_user;

struct user_queue {
	struct queue_user *turn; /* whose turn it is, in a circle of those who wait */
	size_t count, bytes;
};

/* Embedded in what waits. */
struct user_ticket {
	uid_t user;
	size_t bytes; /* that it holds while it waits */
	struct user_ticket *next, *prev;
};

struct user_queue_bounds {
	size_t count, count_per_user;
	size_t bytes, bytes_per_user;
	const char *what; /* in refusals, "sources" */
};

/* STATUS_BUSY says which bound was reached. */
enum status user_queue_push(struct user_queue *queue, struct user_ticket *ticket,
                            const struct user_queue_bounds *bounds, struct error *error);

/*
 * The oldest of the next user for whom `may` is true (NULL: of any), or NULL.
 */
struct user_ticket *user_queue_pop(struct user_queue *queue, bool (*may)(void *data, uid_t user),
                                   void *data);

/* Takes one out, which waits in it. */
void user_queue_remove(struct user_queue *queue, struct user_ticket *ticket);

#endif
