/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that wait for the analyser: first come first served per user, users in turn. */
#ifndef PREDICTD_DAEMON_ANALYSIS_QUEUE_H
#define PREDICTD_DAEMON_ANALYSIS_QUEUE_H

#include "model/status.h"

#include <stddef.h>
#include <sys/types.h>

struct analysis_user;

struct analysis_queue {
	struct analysis_user *turn; /* whose turn it is, in a circle of those who wait */
	size_t count, bytes;
};

/* Embedded in what waits. */
struct analysis_ticket {
	uid_t user;
	size_t bytes; /* that it holds while it waits */
	struct analysis_ticket *next;
};

struct analysis_queue_bounds {
	size_t count, count_per_user;
	size_t bytes, bytes_per_user;
};

/* STATUS_BUSY says which bound was reached. */
enum status analysis_queue_push(struct analysis_queue *queue, struct analysis_ticket *ticket,
                                const struct analysis_queue_bounds *bounds, struct error *error);

/* The next user's oldest, or NULL. */
struct analysis_ticket *analysis_queue_pop(struct analysis_queue *queue);

#endif
