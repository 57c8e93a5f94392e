/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that do not wait: answers fetched later, the last value known, reports. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "client/library/background.h"
#include "client/library/observe.h"

static void lock(predictd_connection *connection)
{
	(void)pthread_mutex_lock(&connection->mutex);
}

static void unlock(predictd_connection *connection)
{
	(void)pthread_mutex_unlock(&connection->mutex);
}

static predictd_status no_thread(void)
{
	return error_keep(PREDICTD_LIMIT, "no thread can be had for questions in the background");
}

/* ---- answers fetched later ----------------------------------------------------------------- */

static void queries_free(struct queue *queries)
{
	struct queue_item *item;
	while ((item = queue_take(queries)) != NULL)
		query_free((struct query *)item);
}

static struct query *query_new(const predictd_question *question, const struct question_key *key)
{
	struct query *query = calloc(1, sizeof *query);
	if (query == NULL || (query->copy = question_copy_new(question)) == NULL) {
		free(query);
		return NULL;
	}
	query->key = *key;
	return query;
}

/* What of a group has to be asked; the rest is in it already. */
static predictd_status queries_new(predictd_connection *connection,
                                   const predictd_question *questions, size_t count, int64_t end_ns,
                                   struct query_group *group, struct queue *queries)
{
	for (size_t i = 0; i < count; i++) {
		predictd_estimate *estimate = &group->estimates[i];
		predictd_status status = question_check(&questions[i]);
		if (status != PREDICTD_OK) {
			*estimate = (predictd_estimate){.status = status};
			continue;
		}
		struct question_key key = memo_key(connection->memo, &questions[i]);
		enum memo_found found = memo_find(connection->memo, &key, estimate, &status);
		if (found == MEMO_REFUSED)
			*estimate = (predictd_estimate){.status = status};
		if (found == MEMO_REFUSED || found == MEMO_FRESH)
			continue;
		struct query *query = query_new(&questions[i], &key);
		if (query == NULL)
			return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu questions", count);
		query->end_ns = end_ns;
		query->group = group;
		query->index = i;
		group->left++;
		queue_put(queries, &query->item);
	}
	return PREDICTD_OK;
}

predictd_status predictd_predict_async(predictd_connection *connection,
                                       const predictd_question *questions, size_t count,
                                       predictd_answered answered, void *context)
{
	struct background *background = connection->background;
	struct queue queries = {NULL, NULL, 0};
	error_clear();
	if (count == 0 || count > QUERIES_MAX)
		return error_keep(count == 0 ? PREDICTD_INVALID : PREDICTD_LIMIT,
		                  "want 1 to %d questions, have %zu", QUERIES_MAX, count);
	if (!background_start(background))
		return no_thread();
	struct query_group *group = calloc(1, sizeof *group + count * sizeof group->estimates[0]);
	if (group == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu questions", count);
	group->count = count;
	group->answered = answered;
	group->context = context;
	group->left = 1; /* this one's own, until all are queued */
	int64_t end_ns = ask_new(connection).end_ns;
	predictd_status status = queries_new(connection, questions, count, end_ns, group, &queries);
	lock(connection);
	if (status == PREDICTD_OK && background->group_count + count > QUERIES_MAX)
		status = error_keep(PREDICTD_BUSY,
		                    "%zu questions wait for answers or for predictd_dispatch: "
		                    "want at most %d",
		                    background->group_count, QUERIES_MAX);
	if (status == PREDICTD_OK) {
		background->group_count += count;
		struct queue_item *item;
		while ((item = queue_take(&queries)) != NULL)
			background_ask(background, (struct query *)item);
		group_answered(background, group);
		group = NULL; /* the thread's, then predictd_dispatch's */
	}
	unlock(connection);
	queries_free(&queries);
	free(group);
	return status;
}

int predictd_fd(predictd_connection *connection)
{
	struct background *background = connection->background;
	error_clear();
	lock(connection);
	if (background->ready_fd < 0) {
		background->ready_fd =
		        eventfd(background->done.first != NULL, EFD_CLOEXEC | EFD_NONBLOCK);
		if (background->ready_fd < 0)
			(void)error_keep(PREDICTD_IO, "eventfd: %s", strerror(errno));
	}
	int fd = background->ready_fd;
	unlock(connection);
	return fd;
}

/* The next group that is done, or NULL: then the descriptor is not readable any more. */
static struct query_group *group_take(struct background *background)
{
	struct query_group *group = (struct query_group *)queue_take(&background->done);
	if (group != NULL)
		background->group_count -= group->count;
	if (background->done.first == NULL) {
		uint64_t signals;
		if (background->ready_fd >= 0)
			(void)!read(background->ready_fd, &signals, sizeof signals);
	}
	return group;
}

size_t predictd_dispatch(predictd_connection *connection, double timeout_s)
{
	struct background *background = connection->background;
	struct queue groups = {NULL, NULL, 0};
	struct query_group *group;
	size_t given = 0;
	bool is_bound = timeout_s >= 0;
	int64_t end_ns =
	        clock_now_ns() + (is_bound && timeout_s < 1e9 ? (int64_t)(timeout_s * 1e9) : 0);
	struct timespec end = {end_ns / 1000000000, end_ns % 1000000000};
	lock(connection);
	/* without questions on their way there is nothing to wait for */
	while (timeout_s != 0 && background->done.first == NULL && background->group_count > 0) {
		if (!is_bound)
			(void)pthread_cond_wait(&background->changed, &connection->mutex);
		else if (pthread_cond_clockwait(&background->changed, &connection->mutex,
		                                CLOCK_MONOTONIC, &end) != 0)
			break;
	}
	/* those that are done by now: callbacks may ask more */
	while ((group = group_take(background)) != NULL)
		queue_put(&groups, &group->item);
	if (groups.first != NULL) /* other threads may have nothing left to wait for */
		(void)pthread_cond_broadcast(&background->changed);
	unlock(connection);
	while ((group = (struct query_group *)queue_take(&groups)) != NULL) {
		if (group->answered != NULL)
			group->answered(group->estimates, group->count, group->context);
		given += group->count;
		free(group);
	}
	return given;
}

/* ---- reports ------------------------------------------------------------------------------- */

void observation_refused(predictd_connection *connection)
{
	lock(connection);
	connection->background->counts.refused++;
	unlock(connection);
}

predictd_status observation_report(predictd_connection *connection,
                                   const predictd_observation *observation,
                                   struct question_copy *copy)
{
	struct background *background = connection->background;
	struct report *report = copy == NULL ? NULL : calloc(1, sizeof *report);
	bool has_thread = background_start(background);
	predictd_status status = PREDICTD_OK;
	if (report != NULL) {
		report->copy = copy;
		report->observation = *observation;
		report->observation.question = copy->question;
		/* the time that it was measured, not the one that it is sent */
		if (observation->measured_at_s == 0)
			report->observation.measured_at_s = (int64_t)time(NULL);
	} else {
		question_copy_free(copy);
	}
	lock(connection);
	if (report == NULL)
		status = error_keep(PREDICTD_NO_MEMORY, "no memory for a report");
	else if (!has_thread)
		status = no_thread();
	else if (!background_report(background, report))
		status = error_keep(PREDICTD_BUSY, "%zu reports wait to be sent: want at most %zu",
		                    background_waiting(background), background->report_max);
	else
		report = NULL; /* the thread's */
	background->counts.dropped += status != PREDICTD_OK;
	unlock(connection);
	if (report != NULL)
		report_free(report);
	return status;
}

predictd_status predictd_report(predictd_connection *connection,
                                const predictd_observation *observation)
{
	error_clear();
	predictd_status status = observation_check(observation);
	if (status == PREDICTD_OK)
		return observation_report(connection, observation,
		                          question_copy_new(&observation->question));
	observation_refused(connection);
	return status;
}

predictd_status predictd_flush(predictd_connection *connection)
{
	struct background *background = connection->background;
	int64_t end_ns = ask_new(connection).end_ns;
	predictd_status status = PREDICTD_OK;
	struct timespec end = {end_ns / 1000000000, end_ns % 1000000000};
	error_clear();
	lock(connection);
	/* those that other threads report meanwhile do not keep this one waiting */
	uint64_t number = background->report_number;
	if (!background_is_flushed(background, number)) {
		background->flush_number = number;
		background_wake(background);
	}
	while (status == PREDICTD_OK && !background_is_flushed(background, number)) {
		if (end_ns == 0)
			(void)pthread_cond_wait(&background->changed, &connection->mutex);
		else if (pthread_cond_clockwait(&background->changed, &connection->mutex,
		                                CLOCK_MONOTONIC, &end) != 0)
			status = error_keep(PREDICTD_TIMEOUT, "%zu reports could not be sent yet",
			                    background_waiting(background));
	}
	unlock(connection);
	return status;
}

void predictd_get_report_counts(predictd_connection *connection, predictd_report_counts *counts)
{
	const struct background *background = connection->background;
	lock(connection);
	*counts = background->counts;
	counts->waiting = background_waiting(background);
	unlock(connection);
}
