/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is done behind the caller's back: one thread a connection, started when there is
 * something to do for it. It asks queued questions, all that wait in one batch; sends
 * reports; and notices that the daemon went away, so that no answer is kept beyond that.
 * Its calls are those of any other thread.
 *
 * Queues are bounded and guarded by the connection's mutex.
 */
#ifndef PREDICTD_CLIENT_LIBRARY_BACKGROUND_H
#define PREDICTD_CLIENT_LIBRARY_BACKGROUND_H

#include "client/library/copy.h"
#include "client/library/estimate.h"
#include "client/library/memo.h"
#include "client/library/queue.h"
#include "client/library/refresh.h"

enum { QUERIES_MAX = 16384, REPORTS_MAX_DEFAULT = 4096 };

/* Questions asked together, whose answers are given together. */
struct query_group {
	struct queue_item item; /* of those that are done */
	size_t count, left;
	predictd_answered answered; /* may be NULL */
	void *context;
	predictd_estimate estimates[];
};

struct query {
	struct queue_item item;
	struct question_copy *copy;
	struct question_key key;
	int64_t end_ns;
	struct query_group *group; /* NULL: a refresh */
	size_t index;              /* in the group */
};

struct report {
	struct queue_item item;
	uint64_t number; /* of the connection's, from 1 */
	int64_t queued_ns;
	struct question_copy *copy;
	predictd_observation observation; /* its question is the copy's */
};

struct background {
	predictd_connection *connection;
	pthread_t thread;
	atomic_bool has_thread; /* wake_fd is open then */
	atomic_bool is_sleeping;
	bool is_ending, has_ended;
	int wake_fd;  /* of the thread */
	int ready_fd; /* of the caller: groups are done; -1 before predictd_fd */
	int64_t flush_end_ns;
	pthread_cond_t changed; /* reports have been sent, groups are done, the thread has ended */

	struct queue queries;
	size_t queries_apart; /* the first so many go out by program: one of them was refused */
	struct queue done;    /* groups */
	size_t group_count;   /* questions not yet given to their callers */
	struct refreshes refreshes; /* needs no mutex */

	struct queue reports; /* in the order of their numbers */
	size_t reports_apart; /* as of queries */
	size_t report_max, report_sending;
	uint64_t report_number;  /* of the last one taken */
	uint64_t sending_number; /* of the first one on its way */
	uint64_t flush_number;   /* up to which they do not wait for others */
	int64_t report_retry_ns;
	predictd_report_counts counts;
};

/* report_max 0: a default. */
predictd_status background_new(predictd_connection *connection, size_t report_max,
                               struct background **background);
/* Sends what is reported, for a second at most, and gives up the rest. Accepts NULL. */
void background_free(struct background *background);
/* In a child of fork(): without the parent's thread, and without what it has still to do. */
void background_forked(struct background *background); /* accepts NULL */

/*
 * Has the thread send what is reported, and waits for it until then, or until the daemon
 * does not take it. Without the mutex.
 */
void background_finish(struct background *background, int64_t end_ns);

/* Starts the thread unless it runs; false when none can be had. Without the mutex. */
bool background_start(struct background *background);

/* Hands over a refresh whose key is claimed, to a thread that runs. Needs no mutex. */
void background_refresh(struct background *background, struct query *query);

/* What follows wants the mutex held. */

/* Has the thread look for work. */
void background_wake(struct background *background);
/* Takes a query, also its group's share; the caller has counted it. */
void background_ask(struct background *background, struct query *query);
/* One question less of a group; the last one gives it to predictd_dispatch. */
void group_answered(struct background *background, struct query_group *group);
/* Takes a report; false, and it remains the caller's, when the queue is full. */
bool background_report(struct background *background, struct report *report);
/* Reports that were not answered yet. */
size_t background_waiting(const struct background *background);
/* True when none of the reports up to that number waits, or is on its way. */
bool background_is_flushed(const struct background *background, uint64_t number);

void query_free(struct query *query);
void report_free(struct report *report);

#endif
