/* SPDX-License-Identifier: Apache-2.0 */
/* What is done behind the caller's back: queued questions, reports, a daemon that goes away. */
#include "client/library/background.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "client/library/observe.h"

enum {
	REPORT_BATCH = 256,        /* sent when so many wait, */
	REPORT_WAIT_NS = 20000000, /* or the first has waited so long */
	REPORT_REPLY_S = 30,       /* for their acknowledgement: nobody waits for it */
	RETRY_NS = 100000000,      /* after a failure of the daemon */
	REFUSED_NS = 1000000000,   /* after a refusal of the question */
	CLOSE_NS = 1000000000,     /* for what is left at the end */
	REPORTS_MAX_MAX = 1 << 20
};

/* ---- queues -------------------------------------------------------------------------------- */

void query_free(struct query *query)
{
	question_copy_free(query->copy);
	free(query);
}

void report_free(struct report *report)
{
	question_copy_free(report->copy);
	free(report);
}

static void signal_fd(int fd)
{
	uint64_t one = 1;
	if (fd >= 0)
		(void)!write(fd, &one, sizeof one);
}

void background_wake(struct background *background)
{
	if (atomic_exchange(&background->is_sleeping, false))
		signal_fd(background->wake_fd);
}

void background_refresh(struct background *background, struct query *query)
{
	refresh_hand_over(&background->refreshes, &query->item);
	background_wake(background);
}

void background_ask(struct background *background, struct query *query)
{
	queue_put(&background->queries, &query->item);
	background_wake(background);
}

void group_answered(struct background *background, struct query_group *group)
{
	if (--group->left > 0)
		return;
	queue_put(&background->done, &group->item);
	signal_fd(background->ready_fd);
	(void)pthread_cond_broadcast(&background->changed);
}

size_t background_waiting(const struct background *background)
{
	return background->reports.count + background->report_sending;
}

bool background_is_flushed(const struct background *background, uint64_t number)
{
	const struct report *first = (const struct report *)background->reports.first;
	return (background->report_sending == 0 || background->sending_number > number) &&
	       (first == NULL || first->number > number);
}

bool background_report(struct background *background, struct report *report)
{
	if (background_waiting(background) >= background->report_max)
		return false;
	report->number = ++background->report_number;
	report->queued_ns = clock_now_ns();
	queue_put(&background->reports, &report->item);
	/* the thread has to hear of the first, for its time, and of a full batch */
	if (background->reports.count == 1 || background->reports.count == REPORT_BATCH)
		background_wake(background);
	return true;
}

/*
 * Takes the first items for one exchange. An exchange fails as a whole where one program cannot be
 * registered: what waited with it then goes out again, program by program, *apart of them.
 */
static void take_batch(struct queue *from, size_t *apart, struct queue *batch,
                       const predictd_program *(*program_of)(const struct queue_item *item))
{
	const predictd_program *first = from->first == NULL ? NULL : program_of(from->first);
	*batch = (struct queue){NULL, NULL, 0};
	while (from->first != NULL && batch->count < CONNECTION_BATCH_MAX) {
		if (*apart > 0 && program_of(from->first) != first)
			break;
		queue_put(batch, queue_take(from));
		*apart -= *apart > 0;
	}
}

static bool is_of_one_program(const struct queue *batch,
                              const predictd_program *(*program_of)(const struct queue_item *item))
{
	for (const struct queue_item *item = batch->first; item != NULL; item = item->next)
		if (program_of(item) != program_of(batch->first))
			return false;
	return true;
}

/* What is said of a program or a question; not of the daemon, the link or this process. */
static bool is_refusal(predictd_status status)
{
	switch (status) {
	case PREDICTD_OK:
	case PREDICTD_IO: /* it counts, but is not kept */
	case PREDICTD_UNAVAILABLE:
	case PREDICTD_TIMEOUT:
	case PREDICTD_CANCELLED:
	case PREDICTD_NO_MEMORY:
	case PREDICTD_CORRUPT:
		return false;
	default:
		return true;
	}
}

/* ---- questions ----------------------------------------------------------------------------- */

static void refresh_ended(struct background *background, const struct query *query,
                          predictd_status status)
{
	bool is_away = status == PREDICTD_UNAVAILABLE || status == PREDICTD_TIMEOUT;
	refresh_end(&background->refreshes, &query->key, status,
	            clock_now_ns() + (is_away ? RETRY_NS : REFUSED_NS));
}

static const predictd_program *query_program(const struct queue_item *item)
{
	return ((const struct query *)item)->copy->question.program;
}

static void query_answered(struct background *background, struct query *query,
                           const predictd_estimate *answer)
{
	if (query->group != NULL) {
		query->group->estimates[query->index] = *answer;
		group_answered(background, query->group);
	} else {
		refresh_ended(background, query, answer->status);
	}
	query_free(query);
}

/* Asks all that wait, up to a batch. With the mutex held, which is given up meanwhile. */
static void ask_queries(struct background *background)
{
	predictd_connection *connection = background->connection;
	struct queue batch, later = {NULL, NULL, 0};
	take_batch(&background->queries, &background->queries_apart, &batch, query_program);
	(void)pthread_mutex_unlock(&connection->mutex);

	const predictd_question **list = calloc(batch.count, sizeof(*list));
	predictd_estimate *estimates = calloc(batch.count, sizeof *estimates);
	struct ask ask = {.connection = connection, .end_ns = 0};
	predictd_status status = PREDICTD_NO_MEMORY;
	size_t count = 0;
	for (const struct queue_item *item = batch.first; item != NULL && list != NULL;
	     item = item->next) {
		const struct query *query = (const struct query *)item;
		list[count++] = &query->copy->question;
		ask.end_ns = end_earlier(ask.end_ns, query->end_ns);
	}
	if (list != NULL && estimates != NULL)
		status = estimates_ask(&ask, list, count, estimates);
	ask_end(&ask);

	(void)pthread_mutex_lock(&connection->mutex);
	/* the first of them to end ended all */
	int64_t now_ns = clock_now_ns();
	bool is_over = status == PREDICTD_TIMEOUT && ask.end_ns != 0 && now_ns >= ask.end_ns;
	bool is_apart = is_refusal(status) && !is_of_one_program(&batch, query_program);
	for (size_t i = 0; batch.first != NULL; i++) {
		struct query *query = (struct query *)queue_take(&batch);
		bool has_time = query->end_ns == 0 || query->end_ns > now_ns;
		predictd_estimate answer = {.status = PREDICTD_NO_MEMORY};
		if (list != NULL && estimates != NULL)
			answer = estimates[i];
		if (is_apart || (is_over && has_time))
			queue_put(&later, &query->item);
		else
			query_answered(background, query, &answer);
	}
	background->queries_apart += is_apart ? later.count : 0;
	queue_return(&background->queries, &later);
	refreshes_announce(&background->refreshes);
	free(list);
	free(estimates);
}

/* ---- reports ------------------------------------------------------------------------------- */

/* When reports are to be sent; 0: there are none. */
static int64_t reports_due_ns(const struct background *background)
{
	const struct report *first = (const struct report *)background->reports.first;
	if (first == NULL)
		return 0;
	int64_t due_ns = first->queued_ns + REPORT_WAIT_NS;
	if (background->reports.count >= REPORT_BATCH || background->is_ending ||
	    first->number <= background->flush_number)
		due_ns = 1;
	return due_ns > background->report_retry_ns ? due_ns : background->report_retry_ns;
}

static const predictd_program *report_program(const struct queue_item *item)
{
	return ((const struct report *)item)->observation.question.program;
}

static void count_report(predictd_report_counts *counts, predictd_status status)
{
	if (status == PREDICTD_OK || status == PREDICTD_IO)
		counts->reported++;
	else if (is_refusal(status))
		counts->refused++;
	else
		counts->dropped++;
}

/*
 * Again later where the daemon certainly has nothing, and may take it then. After any other
 * silence nobody knows; twice is worse than never.
 */
static bool is_for_later(predictd_status status, enum observe_reach reach)
{
	switch (reach) {
	case OBSERVE_UNCONNECTED: /* away, silent, or with as many connections as it takes */
		return status != PREDICTD_CANCELLED;
	case OBSERVE_UNSENT:
		return status == PREDICTD_UNAVAILABLE || status == PREDICTD_TIMEOUT ||
		       status == PREDICTD_BUSY;
	case OBSERVE_SENT:
	case OBSERVE_ANSWERED:
		break;
	}
	return false;
}

/*
 * What became of a batch: those that are for later wait again, in front of the others.
 * statuses, reaches   one of each for every report, or NULL: no memory to send them
 */
static void reports_ended(struct background *background, struct queue *batch,
                          const predictd_status *statuses, const enum observe_reach *reaches)
{
	struct queue later = {NULL, NULL, 0};
	bool is_mixed = !is_of_one_program(batch, report_program);
	for (size_t i = 0; batch->first != NULL; i++) {
		struct report *report = (struct report *)queue_take(batch);
		predictd_status status = statuses == NULL ? PREDICTD_NO_MEMORY : statuses[i];
		bool waits = statuses != NULL && is_for_later(status, reaches[i]);
		bool is_apart = statuses != NULL && is_mixed && reaches[i] == OBSERVE_UNSENT &&
		                is_refusal(status);
		if (waits && !background->is_ending) {
			background->report_retry_ns = clock_now_ns() + RETRY_NS;
			queue_put(&later, &report->item);
		} else if (is_apart) {
			background->reports_apart++;
			queue_put(&later, &report->item);
		} else {
			/* what is for later, and has no later, was not refused */
			count_report(&background->counts, waits ? PREDICTD_CANCELLED : status);
			report_free(report);
		}
	}
	queue_return(&background->reports, &later);
}

/* While reports wait for their acknowledgement, questions do not. */
static void ask_meanwhile(void *context)
{
	struct background *background = context;
	pthread_mutex_t *mutex = &background->connection->mutex;
	(void)pthread_mutex_lock(mutex);
	refreshes_take(&background->refreshes, &background->queries);
	if (background->queries.first != NULL && !background->is_ending)
		ask_queries(background);
	(void)pthread_mutex_unlock(mutex);
}

/* Sends a batch. With the mutex held, which is given up meanwhile. */
static void send_reports(struct background *background)
{
	predictd_connection *connection = background->connection;
	const struct patience patience = {REPORT_REPLY_S * INT64_C(1000000000), ask_meanwhile,
	                                  background};
	struct queue batch;
	background->sending_number = ((const struct report *)background->reports.first)->number;
	take_batch(&background->reports, &background->reports_apart, &batch, report_program);
	size_t count = batch.count, i = 0;
	background->report_sending = count;
	(void)pthread_mutex_unlock(&connection->mutex);

	predictd_observation *observations = calloc(count, sizeof *observations);
	predictd_status *statuses = observations == NULL ? NULL : calloc(count, sizeof *statuses);
	enum observe_reach *reaches = statuses == NULL ? NULL : calloc(count, sizeof *reaches);
	for (const struct queue_item *item = batch.first; item != NULL && statuses != NULL;
	     item = item->next)
		observations[i++] = ((const struct report *)item)->observation;
	if (reaches != NULL)
		(void)observations_send(connection, observations, count, &patience, statuses,
		                        reaches);

	(void)pthread_mutex_lock(&connection->mutex);
	background->report_sending = 0;
	reports_ended(background, &batch, reaches == NULL ? NULL : statuses, reaches);
	free(observations);
	free(statuses);
	free(reaches);
	(void)pthread_cond_broadcast(&background->changed);
}

/* ---- the thread ---------------------------------------------------------------------------- */

/*
 * Sleeps until there is something to do, by the clock or by a word of another thread, or the
 * daemon closes the link. With the mutex held, which is given up meanwhile.
 */
static void sleep_until(struct background *background, int64_t due_ns)
{
	predictd_connection *connection = background->connection;
	struct link *link = connection->link;
	struct pollfd pollers[] = {{.fd = background->wake_fd, .events = POLLIN},
	                           {.fd = -1, .events = POLLRDHUP}};
	if (link != NULL) {
		link_hold(link);
		pollers[1].fd = link->fd;
	}
	atomic_store(&background->is_sleeping, true);
	if (refreshes_wait(&background->refreshes)) /* who handed it over may not have seen that */
		background_wake(background);
	(void)pthread_mutex_unlock(&connection->mutex);
	int64_t left_ns = due_ns == 0 ? 0 : due_ns - clock_now_ns();
	struct timespec left = {0};
	if (left_ns > 0)
		left = (struct timespec){left_ns / 1000000000, left_ns % 1000000000};
	(void)ppoll(pollers, 2, due_ns == 0 ? NULL : &left, NULL);
	if (pollers[0].revents != 0) {
		uint64_t count;
		(void)!read(background->wake_fd, &count, sizeof count);
	}
	(void)pthread_mutex_lock(&connection->mutex);
	atomic_store(&background->is_sleeping, false);
	/* who still waits for a reply on that link holds it, and reads it to its end */
	if (pollers[1].revents != 0 && connection->link == link)
		connection_drop(connection);
	link_release(link);
}

static void *run(void *context)
{
	struct background *background = context;
	pthread_mutex_t *mutex = &background->connection->mutex;
	(void)pthread_mutex_lock(mutex);
	for (;;) {
		if (background->is_ending && (background->reports.first == NULL ||
		                              clock_now_ns() >= background->flush_end_ns))
			break;
		refreshes_take(&background->refreshes, &background->queries);
		/* in turn: neither waits for an end of the others; at the end reports alone */
		bool has_queries = background->queries.first != NULL && !background->is_ending;
		if (has_queries)
			ask_queries(background);
		int64_t due_ns = reports_due_ns(background);
		bool is_due = due_ns != 0 && due_ns <= clock_now_ns();
		if (is_due)
			send_reports(background);
		if (!has_queries && !is_due)
			sleep_until(background, due_ns);
	}
	background->has_ended = true;
	(void)pthread_cond_broadcast(&background->changed);
	(void)pthread_mutex_unlock(mutex);
	return NULL;
}

bool background_start(struct background *background)
{
	pthread_mutex_t *mutex = &background->connection->mutex;
	if (atomic_load_explicit(&background->has_thread, memory_order_acquire))
		return true;
	(void)pthread_mutex_lock(mutex);
	if (!background->has_thread && !background->is_ending) {
		sigset_t every, before;
		if (background->wake_fd < 0)
			background->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		/* signals are the program's, not the library's */
		(void)sigfillset(&every);
		(void)pthread_sigmask(SIG_SETMASK, &every, &before);
		background->has_thread =
		        background->wake_fd >= 0 &&
		        pthread_create(&background->thread, NULL, run, background) == 0;
		(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
		if (background->has_thread)
			(void)pthread_setname_np(background->thread, "predictd");
	}
	bool has_thread = background->has_thread;
	(void)pthread_mutex_unlock(mutex);
	return has_thread;
}

/* ---- life ---------------------------------------------------------------------------------- */

static void queues_init(struct background *background)
{
	background->queries = background->done = background->reports =
	        (struct queue){NULL, NULL, 0};
	background->queries_apart = background->reports_apart = background->report_sending = 0;
	background->group_count = 0;
	refreshes_init(&background->refreshes);
	(void)pthread_cond_init(&background->changed, NULL);
}

predictd_status background_new(predictd_connection *connection, size_t report_max,
                               struct background **result)
{
	if (report_max > REPORTS_MAX_MAX)
		return error_keep(PREDICTD_LIMIT, "%zu reports at once: want at most %d",
		                  report_max, REPORTS_MAX_MAX);
	struct background *background = calloc(1, sizeof *background);
	if (background == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a connection");
	background->connection = connection;
	background->wake_fd = background->ready_fd = -1;
	background->report_max = report_max == 0 ? REPORTS_MAX_DEFAULT : report_max;
	queues_init(background);
	*result = background;
	return PREDICTD_OK;
}

void background_finish(struct background *background, int64_t end_ns)
{
	pthread_mutex_t *mutex = &background->connection->mutex;
	struct timespec end = {end_ns / 1000000000, end_ns % 1000000000};
	(void)pthread_mutex_lock(mutex);
	uint64_t number = background->report_number;
	background->flush_number = number;
	background->report_retry_ns = 0;
	background_wake(background);
	while (background->has_thread && !background->has_ended &&
	       background->report_retry_ns == 0 && !background_is_flushed(background, number))
		if (pthread_cond_clockwait(&background->changed, mutex, CLOCK_MONOTONIC, &end) != 0)
			break;
	(void)pthread_mutex_unlock(mutex);
}

/* Waits until the thread has sent what it can, then has it give up what it waits for. */
static void end_thread(struct background *background)
{
	static const char closed[] = "the connection is closed";
	predictd_connection *connection = background->connection;
	(void)pthread_mutex_lock(&connection->mutex);
	background->is_ending = true;
	background->flush_end_ns = clock_now_ns() + CLOSE_NS;
	background->report_retry_ns = 0;
	bool has_thread = background->has_thread;
	background_wake(background);
	struct timespec end = {background->flush_end_ns / 1000000000,
	                       background->flush_end_ns % 1000000000};
	while (has_thread && !background->has_ended)
		if (pthread_cond_clockwait(&background->changed, &connection->mutex,
		                           CLOCK_MONOTONIC, &end) != 0)
			break;
	connection->is_closing = true;
	if (connection->link != NULL)
		(void)link_break(connection->link, PREDICTD_CANCELLED, closed);
	if (connection->opening != NULL)
		(void)link_break(connection->opening, PREDICTD_CANCELLED, closed);
	(void)pthread_mutex_unlock(&connection->mutex);
	if (has_thread)
		(void)pthread_join(background->thread, NULL);
}

void background_free(struct background *background)
{
	if (background == NULL)
		return;
	end_thread(background);
	struct queue_item *item;
	refreshes_take(&background->refreshes, &background->queries);
	while ((item = queue_take(&background->queries)) != NULL) {
		struct query *query = (struct query *)item;
		/* groups whose answers nobody fetches any more */
		if (query->group != NULL)
			group_answered(background, query->group);
		query_free(query);
	}
	while ((item = queue_take(&background->done)) != NULL)
		free(item);
	while ((item = queue_take(&background->reports)) != NULL)
		report_free((struct report *)item);
	if (background->wake_fd >= 0)
		close(background->wake_fd);
	if (background->ready_fd >= 0)
		close(background->ready_fd);
	(void)pthread_cond_destroy(&background->changed);
	refreshes_deinit(&background->refreshes);
	free(background);
}

void background_forked(struct background *background)
{
	if (background == NULL)
		return;
	/* the parent's thread uses these queues: what is in them is the parent's to do */
	queues_init(background);
	background->counts = (predictd_report_counts){0};
	background->has_thread = background->is_ending = background->is_sleeping = false;
	if (background->wake_fd >= 0)
		close(background->wake_fd);
	if (background->ready_fd >= 0)
		close(background->ready_fd);
	background->wake_fd = background->ready_fd = -1;
}
