/* SPDX-License-Identifier: Apache-2.0 */
/* Questions on their way: cut into requests, asked, answered. */
#include "client/library/batch.h"

#include <stdlib.h>

#include "client/library/message.h"
#include "client/library/program.h"
#include "client/library/sample.h"

/* A request in one piece with what it points to. */
struct batch_request {
	Predictd__Request request;
	Predictd__PredictBatch batch;
	Predictd__Place place;
	size_t count;
	Predictd__Predict *predicts;
	Predictd__Predict **list;
	char **devices; /* of a place: those asked for, in which keys may be put */
};

predictd_status question_check(const predictd_question *question)
{
	Predictd__Launch *launch = NULL;
	if (question->program == NULL)
		return error_keep(PREDICTD_INVALID, "a question without a program");
	predictd_status status = launch_new(question, true, &launch);
	launch_free(launch);
	return status;
}

size_t batch_requests(const struct batch *batch)
{
	return (batch->count + batch->chunk - 1) / batch->chunk;
}

static void request_free(void *context, size_t index, Predictd__Request *request)
{
	(void)context;
	(void)index;
	struct batch_request *whole = (struct batch_request *)request;
	for (size_t i = 0; i < whole->count; i++)
		launch_free(whole->predicts[i].launch);
	free(whole->predicts);
	free(whole->list);
	free(whole->devices);
	free(whole);
}

static bool predict_fill(const predictd_question *question, bool with_samples, bool with_lines,
                         Predictd__Predict *predict)
{
	predictd__predict__init(predict);
	predict->handle = program_handle(question->program);
	predict->kernel = program_kernel_name(question->program, question->kernel);
	predict->device = (char *)(question->device != NULL ? question->device : "");
	predict->model = (uint32_t)question->model;
	predict->with_transfers = question->with_transfers;
	predict->pinned_transfers = question->pinned_transfers;
	predict->explain = question->explain;
	predict->explain_ir = question->explain_ir;
	predict->explain_lines = with_lines;
	predict->static_only = question->static_only;
	return launch_new(question, with_samples, &predict->launch) == PREDICTD_OK;
}

/* Request `index` of the batch: Predict where it is one question, else PredictBatch, or Place. */
static Predictd__Request *request_new(void *context, size_t index)
{
	const struct batch *batch = context;
	size_t first = index * batch->chunk;
	size_t count = batch->count - first < batch->chunk ? batch->count - first : batch->chunk;
	struct batch_request *whole = calloc(1, sizeof *whole);
	if (whole == NULL)
		return NULL;
	predictd__request__init(&whole->request);
	whole->predicts = calloc(count, sizeof *whole->predicts);
	whole->list = calloc(count, sizeof *whole->list);
	whole->devices = calloc(batch->device_count + 1, sizeof *whole->devices);
	bool is_made = whole->predicts != NULL && whole->list != NULL && whole->devices != NULL;
	for (size_t i = 0; i < batch->device_count && is_made; i++)
		whole->devices[i] = (char *)batch->devices[i];
	for (size_t i = 0; i < count && is_made; i++) {
		whole->list[i] = &whole->predicts[i];
		is_made = predict_fill(batch->questions[first + i], !batch->without_samples,
		                       batch->with_lines, &whole->predicts[i]);
		whole->count += is_made;
	}
	if (!is_made) {
		request_free(NULL, index, &whole->request);
		return NULL;
	}
	if (batch->is_place) {
		predictd__place__init(&whole->place);
		whole->place.launches = whole->list;
		whole->place.n_launches = count;
		whole->place.devices = whole->devices;
		whole->place.n_devices = batch->device_count;
		whole->request.body_case = PREDICTD__REQUEST__BODY_PLACE;
		whole->request.place = &whole->place;
	} else if (count == 1) {
		whole->request.body_case = PREDICTD__REQUEST__BODY_PREDICT;
		whole->request.predict = whole->list[0];
	} else {
		predictd__predict_batch__init(&whole->batch);
		whole->batch.predictions = whole->list;
		whole->batch.n_predictions = count;
		whole->request.body_case = PREDICTD__REQUEST__BODY_PREDICT_BATCH;
		whole->request.predict_batch = &whole->batch;
	}
	return &whole->request;
}

static const predictd_program *program_of(const void *context, size_t index)
{
	const struct batch *batch = context;
	return batch->questions[index]->program;
}

predictd_status batch_ask(struct ask *ask, const struct batch *batch, bool again,
                          Predictd__Response **responses)
{
	const struct exchange exchange = {(void *)(uintptr_t)batch, request_new, request_free, NULL,
	                                  NULL};
	return programs_exchange(ask, &exchange, batch_requests(batch), program_of, batch->count,
	                         again, responses);
}

static const predictd_question *question_of(const void *context, size_t i)
{
	const struct batch *batch = context;
	return batch->questions[i];
}

predictd_status batch_send_samples(struct ask *ask, struct batch *batch, size_t count,
                                   bool was_sent)
{
	if (!was_sent)
		return samples_send(ask, question_of, batch, count, &batch->without_samples);
	batch->without_samples = true;
	return PREDICTD_OK;
}

predictd_status batch_ask_known(struct ask *ask, struct batch *batch,
                                predictd_status (*attempt)(void *context, struct ask *ask,
                                                           const struct batch *batch, bool again),
                                predictd_status (*status_of)(const void *answer), void *context)
{
	predictd_status status = PREDICTD_OK;
	bool again = false, was_sent = false;
	for (unsigned i = 0; i < PROGRAM_ATTEMPTS_MAX && batch->count > 0 && status == PREDICTD_OK;
	     i++) {
		status = attempt(context, ask, batch, again);
		size_t lost = 0, unsampled = 0, count = batch->count;
		again = false;
		for (size_t j = 0; j < count && status == PREDICTD_OK; j++) {
			predictd_status own = status_of(batch->answers[j]);
			if (own != PREDICTD_UNREGISTERED && own != PREDICTD_UNSAMPLED)
				continue;
			again |= own == PREDICTD_UNREGISTERED;
			unsampled += own == PREDICTD_UNSAMPLED;
			batch->questions[lost] = batch->questions[j];
			batch->answers[lost++] = batch->answers[j];
		}
		batch->count = lost;
		/* more of them than the daemon has room for go in parts, while some are answered */
		was_sent = was_sent && lost == count;
		if (unsampled > 0 && status == PREDICTD_OK) {
			status = batch_send_samples(ask, batch, lost, was_sent);
			was_sent = true;
		}
	}
	return status;
}

static Predictd__Prediction *entry_answer(const Predictd__BatchEntry *entry,
                                          const Predictd__Error **error)
{
	if (entry->result_case == PREDICTD__BATCH_ENTRY__RESULT_ERROR)
		*error = entry->error;
	return entry->result_case == PREDICTD__BATCH_ENTRY__RESULT_PREDICTION ? entry->prediction
	                                                                      : NULL;
}

static Predictd__Prediction *find_answer(const struct batch *batch,
                                         Predictd__Response *const *responses, size_t i,
                                         const Predictd__Error **error)
{
	const Predictd__Response *response = responses[i / batch->chunk];
	size_t place = i % batch->chunk;
	*error = NULL;
	switch (response->body_case) {
	case PREDICTD__RESPONSE__BODY_PREDICT:
		return place == 0 ? response->predict->prediction : NULL;
	case PREDICTD__RESPONSE__BODY_PREDICT_BATCH:
		return place < response->predict_batch->n_entries
		               ? entry_answer(response->predict_batch->entries[place], error)
		               : NULL;
	case PREDICTD__RESPONSE__BODY_ERROR:
		*error = response->error;
		return NULL;
	default:
		return NULL;
	}
}

const Predictd__Prediction *batch_answer(const struct batch *batch,
                                         Predictd__Response *const *responses, size_t i,
                                         const Predictd__Error **error)
{
	Predictd__Prediction *answer = find_answer(batch, responses, i, error);
	if (answer == NULL || answer->task_time_s > 0)
		return answer;
	/* an older daemon knows of no tasks */
	double beside_s = answer->launch_time_s + answer->h2d_time_s + answer->d2h_time_s;
	answer->task_time_s = answer->kernel_time_s + beside_s;
	answer->task_low_s = answer->low_s + beside_s;
	answer->task_high_s = answer->high_s + beside_s;
	return answer;
}

predictd_status answer_failure(const Predictd__Error *error, const char **text)
{
	*text = error == NULL ? "predictd gave no answer" : error->text;
	predictd_status status =
	        error == NULL ? PREDICTD_INTERNAL : status_from_wire(error->status);
	return status == PREDICTD_OK ? PREDICTD_INTERNAL : status;
}

void responses_free(Predictd__Response **responses, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (responses[i] != NULL)
			predictd__response__free_unpacked(responses[i], NULL);
	free(responses);
}
