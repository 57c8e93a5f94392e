/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store, off the loop: jobs run one at a time on a thread of libuv's pool; what they report
 * comes back on the loop. The daemon's own come first, in the order given; then what users have
 * asked for, each user in his turn: nobody's observations wait for another's thousand questions
 * about history. While one takes
 * longer than a store that answers does (a disk that hangs, a lock that is held), those
 * behind it run as if the store were not open.
 */
#ifndef PREDICTD_DAEMON_STATE_STORE_WORKER_H
#define PREDICTD_DAEMON_STATE_STORE_WORKER_H

#include "daemon/state/user_queue.h"
#include "store/store.h"

#include <stdbool.h>
#include <uv.h>

struct store_job;

struct store_worker {
	uv_loop_t *loop;
	uv_timer_t timer;               /* until the one that runs is late */
	unsigned ticks;                 /* of it */
	struct store *store;            /* of the worker thread while a job runs; NULL: not open */
	struct store_job *first, *last; /* not begun, of the daemon's own */
	struct user_queue asked;        /* not begun, of users */
	struct store_job *running, *late;
	void (*on_late)(void *data, bool is_late); /* one is, on the loop, or is no more */
	void *data;
};

/* Embedded in what the caller waits with. */
struct store_job {
	/* on the worker thread; `store` may be opened or closed by it, and may be NULL */
	void (*run)(struct store_job *job, struct store **store);
	/* on the loop, after it; the job is the caller's again */
	void (*done)(struct store_job *job);
	struct store_worker *worker;
	struct store_job *next;
	struct user_ticket ticket;
	uv_work_t work;
};

void store_worker_init(struct store_worker *worker, uv_loop_t *loop,
                       void (*on_late)(void *data, bool is_late), void *data);
void store_worker_add(struct store_worker *worker, struct store_job *job);
/* What a user has asked for. */
void store_worker_add_for(struct store_worker *worker, struct store_job *job, uid_t user);
bool store_worker_is_idle(const struct store_worker *worker);

/* No job is late from here on; those that were given run. */
void store_worker_stop(struct store_worker *worker);

/* Closes the store; the worker is idle. */
void store_worker_deinit(struct store_worker *worker);

#endif
