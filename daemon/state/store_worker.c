/* SPDX-License-Identifier: Apache-2.0 */
/* The store, off the loop. */
#include "daemon/state/store_worker.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* 1.8 s, counted by a loop that runs: while the process is stopped or gets no processor, nor does
 * its store */
enum { TICK_MS = 450, LATE_TICKS = 4 };

static void start_next(struct store_worker *worker);

static void on_work(uv_work_t *work)
{
	struct store_job *job = work->data;
	job->run(job, &job->worker->store);
}

static void on_work_without(uv_work_t *work)
{
	struct store_job *job = work->data;
	struct store *none = NULL;
	job->run(job, &none);
}

static void on_done(uv_work_t *work, int cancelled)
{
	struct store_job *job = work->data;
	struct store_worker *worker = job->worker;
	(void)cancelled; /* nobody cancels */
	if (job == worker->late) {
		worker->late = NULL;
		worker->on_late(worker->data, false);
	} else {
		worker->running = NULL;
		(void)uv_timer_stop(&worker->timer);
	}
	start_next(worker);
	job->done(job);
}

static void on_timer(uv_timer_t *timer)
{
	struct store_worker *worker = timer->data;
	if (++worker->ticks < LATE_TICKS)
		return;
	(void)uv_timer_stop(timer);
	worker->late = worker->running;
	worker->running = NULL;
	worker->on_late(worker->data, true);
	start_next(worker);
}

static struct store_job *next_of(struct store_worker *worker)
{
	struct store_job *job = worker->first;
	if (job == NULL) {
		struct user_ticket *ticket = user_queue_pop(&worker->asked, NULL, NULL);
		return ticket == NULL ? NULL
		                      : (struct store_job *)((char *)ticket -
		                                             offsetof(struct store_job, ticket));
	}
	worker->first = job->next;
	if (worker->first == NULL)
		worker->last = NULL;
	job->next = NULL;
	return job;
}

static void start_next(struct store_worker *worker)
{
	struct store_job *job = worker->running != NULL ? NULL : next_of(worker);
	if (job == NULL)
		return;
	worker->running = job;
	job->work.data = job;
	int failure = uv_queue_work(worker->loop, &job->work,
	                            worker->late == NULL ? on_work : on_work_without, on_done);
	assert(failure == 0); /* it fails for a NULL callback alone */
	(void)failure;
	worker->ticks = 0;
	if (worker->late == NULL && !uv_is_closing((uv_handle_t *)&worker->timer))
		(void)uv_timer_start(&worker->timer, on_timer, TICK_MS, TICK_MS);
}

void store_worker_init(struct store_worker *worker, uv_loop_t *loop,
                       void (*on_late)(void *data, bool is_late), void *data)
{
	*worker = (struct store_worker){.loop = loop, .on_late = on_late, .data = data};
	(void)uv_timer_init(loop, &worker->timer);
	worker->timer.data = worker;
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

void store_worker_add_for(struct store_worker *worker, struct store_job *job, uid_t user)
{
	static const struct user_queue_bounds none = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX,
	                                              "questions about what is kept"};
	struct error error;
	job->worker = worker;
	job->ticket = (struct user_ticket){.user = user};
	if (user_queue_push(&worker->asked, &job->ticket, &none, &error) == STATUS_OK)
		start_next(worker);
	else /* memory is short: in the order that it came */
		store_worker_add(worker, job);
}

bool store_worker_is_idle(const struct store_worker *worker)
{
	return worker->first == NULL && worker->asked.count == 0 && worker->running == NULL &&
	       worker->late == NULL;
}

void store_worker_stop(struct store_worker *worker)
{
	if (!uv_is_closing((uv_handle_t *)&worker->timer))
		uv_close((uv_handle_t *)&worker->timer, NULL);
}

void store_worker_deinit(struct store_worker *worker)
{
	assert(store_worker_is_idle(worker));
	store_close(worker->store);
	worker->store = NULL;
}
