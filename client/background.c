/* SPDX-License-Identifier: Apache-2.0 */
/* What is done behind the caller's back: queued questions, reports, a daemon that goes away. */
#include "client/background.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "client/observe.h"

enum {
	REPORT_BATCH = 256,        /* sent when so many wait, */
	REPORT_WAIT_NS = 20000000, /* or the first has waited so long */
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
	if (background->is_sleeping)
		signal_fd(background->wake_fd);
	background->is_sleeping = false;
}

void background_ask(struct background *background, struct query *query)
{
	query->next = NULL;
	*background->queries_last = query;
	background->queries_last = &query->next;
	background->query_count++;
	background_wake(background);
}

void group_answered(struct background *background, struct query_group *group)
{
	if (--group->left > 0)
		return;
	group->next = NULL;
	*background->done_last = group;
	background->done_last = &group->next;
	signal_fd(background->ready_fd);
	(void)pthread_cond_broadcast(&background->changed);
}

bool background_report(struct background *background, struct report *report)
{
	if (background->report_count + background->report_sending >= background->report_max)
		return false;
	report->next = NULL;
	report->queued_ns = clock_now_ns();
	*background->reports_last = report;
	background->reports_last = &report->next;
	/* the thread has to hear of the first, for its time, and of a full batch */
	if (++background->report_count == 1 || background->report_count == REPORT_BATCH)
		background_wake(background);
	return true;
}

/* ---- questions ----------------------------------------------------------------------------- */

static void refresh_ended(struct background *background, const struct query *query,
                          predictd_status status)
{
	size_t slot = query->key.low % PENDING_SLOTS;
	background->pending[slot] = 0;
	if (status == PREDICTD_OK)
		return;
	bool is_away = status == PREDICTD_UNAVAILABLE || status == PREDICTD_TIMEOUT;
	background->refusals[slot] = (struct refusal){
	        query->key, status, clock_now_ns() + (is_away ? RETRY_NS : REFUSED_NS)};
}

/* Asks all that wait, up to a batch. With the mutex held, which is given up meanwhile. */
static void ask_queries(struct background *background)
{
	predictd_connection *connection = background->connection;
	static const size_t room = CONNECTION_BATCH_MAX;
	const predictd_question **list = calloc(room, sizeof(*list));
	predictd_estimate *estimates = calloc(room, sizeof *estimates);
	struct query *first = background->queries, *last = first;
	size_t count = 0;
	struct ask ask = {.connection = connection, .end_ns = first->end_ns};
	for (struct query *query = first; query != NULL && count < room; query = query->next) {
		if (list != NULL)
			list[count] = &query->copy->question;
		ask.end_ns = end_earlier(ask.end_ns, query->end_ns);
		last = query;
		count++;
	}
	background->queries = last->next;
	if (background->queries == NULL)
		background->queries_last = &background->queries;
	last->next = NULL;
	background->query_count -= count;
	(void)pthread_mutex_unlock(&connection->mutex);
	if (list != NULL && estimates != NULL)
		(void)estimates_ask(&ask, list, count, estimates);
	ask_end(&ask);
	(void)pthread_mutex_lock(&connection->mutex);
	for (size_t i = 0; i < count; i++) {
		struct query *query = first;
		predictd_estimate answer = {.status = PREDICTD_NO_MEMORY};
		if (list != NULL && estimates != NULL)
			answer = estimates[i];
		first = query->next;
		if (query->group != NULL) {
			query->group->estimates[query->index] = answer;
			group_answered(background, query->group);
		} else {
			refresh_ended(background, query, answer.status);
		}
		query_free(query);
	}
	free(list);
	free(estimates);
}

/* ---- reports ------------------------------------------------------------------------------- */

/* When reports are to be sent; 0: there are none. */
static int64_t reports_due_ns(const struct background *background)
{
	if (background->reports == NULL)
		return 0;
	int64_t due_ns = background->reports->queued_ns + REPORT_WAIT_NS;
	if (background->report_count >= REPORT_BATCH || background->is_ending ||
	    background->is_flushing)
		due_ns = 1;
	return due_ns > background->report_retry_ns ? due_ns : background->report_retry_ns;
}

static void count_report(predictd_report_counts *counts, predictd_status status)
{
	switch (status) {
	case PREDICTD_OK:
	case PREDICTD_IO: /* it counts, but is not kept */
		counts->reported++;
		break;
	case PREDICTD_UNAVAILABLE:
	case PREDICTD_TIMEOUT:
	case PREDICTD_CANCELLED:
	case PREDICTD_NO_MEMORY:
	case PREDICTD_CORRUPT:
		counts->dropped++;
		break;
	default:
		counts->refused++;
		break;
	}
}

/*
 * Away, or not even greeted in time, so that it has nothing: again later. After any other silence
 * nobody knows; twice is worse than never.
 */
static bool is_for_later(predictd_status status, bool is_unsent)
{
	return status == PREDICTD_UNAVAILABLE || (status == PREDICTD_TIMEOUT && is_unsent);
}

/* What became of a batch: those that are for later wait again, in front of the others. */
static void reports_ended(struct background *background, struct report *reports,
                          const predictd_status *statuses, bool is_unsent)
{
	struct report *later = NULL, **later_last = &later;
	for (size_t i = 0; reports != NULL; i++) {
		struct report *report = reports;
		reports = report->next;
		predictd_status status = statuses == NULL ? PREDICTD_NO_MEMORY : statuses[i];
		if (!background->is_ending && is_for_later(status, is_unsent)) {
			*later_last = report;
			later_last = &report->next;
			background->report_count++;
			background->report_retry_ns = clock_now_ns() + RETRY_NS;
		} else {
			count_report(&background->counts, status);
			report_free(report);
		}
	}
	if (later == NULL)
		return; /* later_last is a place in this frame */
	*later_last = background->reports;
	if (background->reports == NULL)
		background->reports_last = later_last;
	background->reports = later;
}

/* Sends a batch. With the mutex held, which is given up meanwhile. */
static void send_reports(struct background *background)
{
	predictd_connection *connection = background->connection;
	struct report *first = background->reports, **end = &background->reports;
	size_t count = 0;
	while (*end != NULL && count < CONNECTION_BATCH_MAX) {
		end = &(*end)->next;
		count++;
	}
	background->reports = *end;
	if (background->reports == NULL)
		background->reports_last = &background->reports;
	*end = NULL;
	background->report_count -= count;
	background->report_sending = count;
	(void)pthread_mutex_unlock(&connection->mutex);

	predictd_observation *observations = calloc(count, sizeof *observations);
	predictd_status *statuses = observations == NULL ? NULL : calloc(count, sizeof *statuses);
	bool is_unsent = true;
	size_t i = 0;
	for (struct report *report = first; report != NULL && statuses != NULL;
	     report = report->next)
		observations[i++] = report->observation;
	if (statuses != NULL)
		(void)observations_send(connection, observations, count, statuses, &is_unsent);

	(void)pthread_mutex_lock(&connection->mutex);
	background->report_sending = 0;
	reports_ended(background, first, statuses, is_unsent);
	free(observations);
	free(statuses);
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
	background->is_sleeping = true;
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
	background->is_sleeping = false;
	/* who still waits for a reply on that link holds it, and reads it to its end */
	if (pollers[1].revents != 0 && connection->link == link)
		connection_drop(connection);
	link_release(link);
}

static bool has_work(const struct background *background, int64_t *due_ns)
{
	*due_ns = reports_due_ns(background);
	return background->queries != NULL || (*due_ns != 0 && *due_ns <= clock_now_ns());
}

static void *run(void *context)
{
	struct background *background = context;
	pthread_mutex_t *mutex = &background->connection->mutex;
	(void)pthread_mutex_lock(mutex);
	for (;;) {
		int64_t due_ns;
		bool is_due = has_work(background, &due_ns);
		if (background->is_ending &&
		    (background->reports == NULL || clock_now_ns() >= background->flush_end_ns))
			break;
		if (!is_due)
			sleep_until(background, due_ns);
		else if (background->queries != NULL)
			ask_queries(background);
		else
			send_reports(background);
	}
	background->has_ended = true;
	(void)pthread_cond_broadcast(&background->changed);
	(void)pthread_mutex_unlock(mutex);
	return NULL;
}

bool background_start(struct background *background)
{
	pthread_mutex_t *mutex = &background->connection->mutex;
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
	background->queries = NULL;
	background->queries_last = &background->queries;
	background->done = NULL;
	background->done_last = &background->done;
	background->reports = NULL;
	background->reports_last = &background->reports;
	background->query_count = background->report_count = background->report_sending = 0;
	background->group_count = 0;
	memset(background->pending, 0, sizeof background->pending);
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
	while (background->queries != NULL) {
		struct query *query = background->queries;
		background->queries = query->next;
		/* groups whose answers nobody fetches any more */
		if (query->group != NULL)
			group_answered(background, query->group);
		query_free(query);
	}
	while (background->done != NULL) {
		struct query_group *group = background->done;
		background->done = group->next;
		free(group);
	}
	while (background->reports != NULL) {
		struct report *report = background->reports;
		background->reports = report->next;
		report_free(report);
	}
	if (background->wake_fd >= 0)
		close(background->wake_fd);
	if (background->ready_fd >= 0)
		close(background->ready_fd);
	(void)pthread_cond_destroy(&background->changed);
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
	background->is_flushing = false;
	if (background->wake_fd >= 0)
		close(background->wake_fd);
	if (background->ready_fd >= 0)
		close(background->ready_fd);
	background->wake_fd = background->ready_fd = -1;
}
