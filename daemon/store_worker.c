/* SPDX-License-Identifier: Apache-2.0 */
/* The store, off the loop. */
#include "daemon/store_worker.h"

#include <assert.h>

static void start_next(struct store_worker *worker);

void store_worker_init(struct store_worker *worker, uv_loop_t *loop)
{
	*worker = (struct store_worker){.loop = loop};
	worker->work.data = worker;
}

static void on_work(uv_work_t *work)
{
	struct store_worker *worker = work->data;
	worker->first->run(worker->first, &worker->store);
}

static void on_done(uv_work_t *work, int cancelled)
{
	(void)cancelled; /* nobody cancels */
	struct store_worker *worker = work->data;
	struct store_job *job = worker->first;
	worker->first = job->next;
	if (worker->first == NULL)
		worker->last = NULL;
	worker->is_running = false;
	job->next = NULL;
	start_next(worker);
	job->done(job);
}

static void start_next(struct store_worker *worker)
{
	if (worker->is_running || worker->first == NULL)
		return;
	worker->is_running = true;
	int failure = uv_queue_work(worker->loop, &worker->work, on_work, on_done);
	assert(failure == 0); /* it fails for a NULL callback alone */
	(void)failure;
}

void store_worker_add(struct store_worker *worker, struct store_job *job)
{
	job->next = NULL;
	job->worker = worker;
	if (worker->last != NULL)
		worker->last->next = job;
	else
		worker->first = job;
	worker->last = job;
	start_next(worker);
}

bool store_worker_is_idle(const struct store_worker *worker)
{
	return worker->first == NULL;
}

void store_worker_deinit(struct store_worker *worker)
{
	assert(store_worker_is_idle(worker));
	store_close(worker->store);
	worker->store = NULL;
}
