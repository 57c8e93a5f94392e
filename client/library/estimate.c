/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates: predictions without texts, from the memo or asked for it. */
#include "client/library/estimate.h"

#include <stdlib.h>
#include <unistd.h>

#include "client/library/background.h"
#include "client/library/memo.h"
#include "client/library/program.h"

/*
 * Watches the epochs of the ask's link, which are asked for once a link. Where that cannot be,
 * nothing is kept, and every question is asked: an older daemon, a system without sealed memory, no
 * thread to be had. Memory that comes after the call's end is taken by a later call.
 */
static void watch(const struct ask *ask)
{
	predictd_connection *connection = ask->connection;
	struct link *link = ask->link;
	Predictd__WatchEpochs body = PREDICTD__WATCH_EPOCHS__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	Predictd__Response *response = NULL;
	bool can_retry;
	(void)pthread_mutex_lock(&connection->mutex);
	bool is_due = connection->link == link && memo_serial(connection->memo) != link->serial;
	bool has_to_ask = is_due && !link->was_asked_for_epochs;
	is_due = has_to_ask || (is_due && link->passed_fd >= 0);
	link->was_asked_for_epochs |= has_to_ask;
	(void)pthread_mutex_unlock(&connection->mutex);
	if (!is_due)
		return;
	request.body_case = PREDICTD__REQUEST__BODY_WATCH_EPOCHS;
	request.watch_epochs = &body;
	predictd_status status = PREDICTD_OK;
	if (has_to_ask)
		status = ask_call(ask, &request, PREDICTD__RESPONSE__BODY_WATCH_EPOCHS, &response,
		                  &can_retry);
	bool has_thread = background_start(connection->background);
	(void)pthread_mutex_lock(&connection->mutex);
	if (status == PREDICTD_BUSY)
		link->was_asked_for_epochs = false; /* again when its answers have been read */
	int fd = link->passed_fd;
	link->passed_fd = -1; /* taken */
	/* a daemon that goes away is noticed by the thread: without one, by nobody */
	if (fd >= 0 && has_thread && connection->link == link)
		(void)memo_watch(connection->memo, fd,
		                 response == NULL ? 0 : response->watch_epochs->slots,
		                 link->serial);
	background_wake(connection->background);
	(void)pthread_mutex_unlock(&connection->mutex);
	if (fd >= 0)
		close(fd);
	if (response != NULL)
		predictd__response__free_unpacked(response, NULL);
}

static void estimate_fill(const Predictd__Prediction *from, predictd_estimate *to)
{
	*to = (predictd_estimate){
	        .status = PREDICTD_OK,
	        .model = (predictd_model)from->model,
	        .basis = (predictd_basis)from->basis,
	        .kernel_time_s = from->kernel_time_s,
	        .low_s = from->low_s,
	        .high_s = from->high_s,
	        .launch_time_s = from->launch_time_s,
	        .h2d_time_s = from->h2d_time_s,
	        .d2h_time_s = from->d2h_time_s,
	        .static_time_s = from->static_time_s,
	        .epoch = from->epoch,
	        .observation_count = from->observation_count,
	        .is_capped = from->is_capped,
	        .is_data_dependent = from->is_data_dependent,
	        .is_fresh = true,
	        .nodes = from->nodes < UINT8_MAX ? (uint8_t)from->nodes : UINT8_MAX,
	        .task_time_s = from->task_time_s,
	        .task_low_s = from->task_low_s,
	        .task_high_s = from->task_high_s,
	        .memory_share = from->has_memory_share ? from->memory_share : -1,
	};
	for (size_t i = 0; i < 3; i++)
		to->local[i] = i < from->n_local_items ? from->local_items[i] : 1;
}

/* Asks what `batch` lists. The sentence kept is that of the last refusal. */
static predictd_status ask_once(void *context, struct ask *ask, const struct batch *batch,
                                bool again)
{
	(void)context;
	predictd_connection *connection = ask->connection;
	size_t requests = batch_requests(batch);
	Predictd__Response **responses = calloc(requests + 1, sizeof(*responses));
	struct question_key *keys = calloc(batch->count + 1, sizeof *keys);
	predictd_status status = PREDICTD_OK;
	if (responses == NULL || keys == NULL) {
		status =
		        error_keep(PREDICTD_NO_MEMORY, "no memory for %zu questions", batch->count);
		goto out;
	}
	for (size_t i = 0; i < batch->count; i++)
		keys[i] = memo_key(connection->memo, batch->questions[i]);
	status = batch_ask(ask, batch, again, responses);
	if (status != PREDICTD_OK)
		goto out;
	watch(ask);
	for (size_t i = 0; i < batch->count; i++) {
		const Predictd__Error *error;
		const Predictd__Prediction *prediction = batch_answer(batch, responses, i, &error);
		predictd_estimate *estimate = batch->answers[i];
		if (prediction == NULL) {
			const char *text;
			*estimate = (predictd_estimate){.status = answer_failure(error, &text)};
			error_keep_text(text);
		} else {
			estimate_fill(prediction, estimate);
		}
		(void)pthread_mutex_lock(&connection->mutex);
		/* what was asked without the question's samples is no answer to keep for it */
		if (prediction != NULL && !batch->without_samples)
			memo_keep(connection->memo, &keys[i], estimate, prediction,
			          ask->link->serial);
		else if (prediction == NULL && error != NULL)
			memo_refuse(connection->memo, &keys[i], error, ask->link->serial);
		(void)pthread_mutex_unlock(&connection->mutex);
	}
out:
	if (responses != NULL)
		responses_free(responses, requests);
	free(keys);
	return status;
}

static predictd_status status_of(const void *answer)
{
	const predictd_estimate *estimate = answer;
	return estimate->status;
}

predictd_status estimates_ask(struct ask *ask, const predictd_question *const *questions,
                              size_t count, predictd_estimate *estimates)
{
	const predictd_question *one_question[1];
	void *one_answer[1];
	const predictd_question **list =
	        count == 1 ? one_question : calloc(count + 1, sizeof(*list));
	void **answers = count == 1 ? one_answer : calloc(count + 1, sizeof(*answers));
	predictd_status status = PREDICTD_OK;
	if (list == NULL || answers == NULL) {
		status = error_keep(PREDICTD_NO_MEMORY, "no memory for %zu questions", count);
		goto out;
	}
	for (size_t i = 0; i < count; i++) {
		list[i] = questions[i];
		answers[i] = &estimates[i];
	}
	struct batch batch = {list, answers, .count = count, .chunk = CONNECTION_BATCH_MAX};
	status = batch_ask_known(ask, &batch, ask_once, status_of, NULL);
out:
	for (size_t i = 0; i < count && status != PREDICTD_OK; i++)
		estimates[i] = (predictd_estimate){.status = status};
	if (count != 1) {
		free(list);
		free(answers);
	}
	return status;
}

predictd_status predictd_predict_into(predictd_connection *connection,
                                      const predictd_question *question,
                                      predictd_estimate *estimate)
{
	predictd_status status = PREDICTD_OK;
	if (question->program != NULL) {
		struct question_key key = memo_key(connection->memo, question);
		switch (memo_find(connection->memo, &key, estimate, &status)) {
		case MEMO_FRESH:
			return PREDICTD_OK;
		case MEMO_REFUSED:
			return status;
		case MEMO_NOTHING:
		case MEMO_STALE:
			break;
		}
	}
	error_clear();
	status = question_check(question);
	if (status != PREDICTD_OK)
		return status;
	struct ask ask = ask_new(connection);
	predictd_estimate asked;
	status = estimates_ask(&ask, &question, 1, &asked);
	ask_end(&ask);
	if (status == PREDICTD_OK)
		status = asked.status; /* its sentence was kept last */
	if (status == PREDICTD_OK)
		*estimate = asked;
	return status;
}

predictd_status estimates_get(predictd_connection *connection, const predictd_question *questions,
                              size_t count, predictd_estimate *estimates)
{
	error_clear();
	predictd_status status = PREDICTD_OK, refusal = PREDICTD_OK;
	const predictd_question **list = calloc(count + 1, sizeof(*list));
	predictd_estimate *asked = NULL;
	size_t listed = 0;
	if (list == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu questions", count);
	for (size_t i = 0; i < count; i++) {
		predictd_status own = question_check(&questions[i]);
		if (own == PREDICTD_OK) {
			struct question_key key = memo_key(connection->memo, &questions[i]);
			enum memo_found found =
			        memo_find(connection->memo, &key, &estimates[i], &own);
			if (found == MEMO_FRESH)
				continue;
			if (found != MEMO_REFUSED) {
				list[listed++] = &questions[i];
				continue;
			}
		}
		estimates[i] = (predictd_estimate){.status = own};
		refusal = own;
	}
	if (listed > 0) {
		struct ask ask = ask_new(connection);
		asked = calloc(listed, sizeof *asked);
		status = asked != NULL ? estimates_ask(&ask, list, listed, asked)
		                       : error_keep(PREDICTD_NO_MEMORY,
		                                    "no memory for %zu questions", count);
		ask_end(&ask);
	}
	for (size_t i = 0; i < listed; i++) {
		predictd_estimate *estimate = &estimates[list[i] - questions];
		*estimate = asked != NULL ? asked[i] : (predictd_estimate){.status = status};
		if (estimate->status != PREDICTD_OK)
			refusal = estimate->status;
	}
	free(list);
	free(asked);
	return status != PREDICTD_OK ? status : refusal;
}

predictd_status predictd_prepare(predictd_connection *connection,
                                 const predictd_question *questions, size_t count,
                                 predictd_status *statuses)
{
	if (count > SIZE_MAX / 2 / sizeof(predictd_estimate))
		return error_keep(PREDICTD_LIMIT, "%zu questions are too many", count);
	predictd_estimate *estimates = calloc(count + 1, sizeof *estimates);
	if (estimates == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu questions", count);
	predictd_status status = estimates_get(connection, questions, count, estimates);
	for (size_t i = 0; i < count && statuses != NULL; i++)
		statuses[i] = estimates[i].status;
	free(estimates);
	return status;
}
