/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store, off the loop: jobs run one at a time, in the order given, on a
 * thread of libuv's pool; what they report comes back on the loop.
 */
#ifndef PREDICTD_DAEMON_STORE_WORKER_H
#define PREDICTD_DAEMON_STORE_WORKER_H

#include "store/store.h"

#include <stdbool.h>
#include <uv.h>

struct store_job;

struct store_worker {
	uv_loop_t *loop;
	uv_work_t work;
	struct store *store; /* of the worker thread while a job runs; NULL: not open */
	struct store_job *first, *last;
	bool is_running;
};

/* Embedded in what the caller waits with. */
struct store_job {
	/* on the worker thread; `store` may be opened or closed by it, and may be NULL */
	void (*run)(struct store_job *job, struct store **store);
	/* on the loop, after it; the job is the caller's again */
	void (*done)(struct store_job *job);
	struct store_worker *worker;
	struct store_job *next;
};

void store_worker_init(struct store_worker *worker, uv_loop_t *loop);
void store_worker_add(struct store_worker *worker, struct store_job *job);
bool store_worker_is_idle(const struct store_worker *worker);

/* Closes the store; the worker is idle. */
void store_worker_deinit(struct store_worker *worker);

#endif
