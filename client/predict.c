/* SPDX-License-Identifier: Apache-2.0 */
/* Questions: one, many in one exchange, and which device is fastest. */
#include <stdlib.h>
#include <string.h>

#include "client/connection.h"
#include "client/message.h"
#include "client/program.h"

/* Some questions on their way: `index` lists them, cut into chunks of one message each. */
struct batch {
	const predictd_question *questions;
	const size_t *index;
	size_t count, chunk;
	bool is_place;
	char **devices; /* of a place */
	size_t device_count;
};

/* A request in one piece with what it points to. */
struct batch_request {
	Predictd__Request request;
	Predictd__PredictBatch batch;
	Predictd__Place place;
	size_t count;
	Predictd__Predict *predicts;
	Predictd__Predict **list;
};

static size_t chunk_count(const struct batch *batch)
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
	free(whole);
}

static bool predict_fill(const predictd_question *question, Predictd__Predict *predict)
{
	predictd__predict__init(predict);
	predict->handle = question->program->handle;
	predict->kernel = (char *)(question->kernel != NULL ? question->kernel : "");
	predict->device = (char *)(question->device != NULL ? question->device : "");
	predict->model = (uint32_t)question->model;
	predict->with_transfers = question->with_transfers;
	predict->explain = question->explain;
	predict->explain_ir = question->explain_ir;
	predict->static_only = question->static_only;
	return launch_new(question, &predict->launch) == PREDICTD_OK;
}

/* Chunk `index` of the batch: Predict where it is one question, else PredictBatch, or Place. */
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
	bool is_made = whole->predicts != NULL && whole->list != NULL;
	for (size_t i = 0; i < count && is_made; i++) {
		const predictd_question *question = &batch->questions[batch->index[first + i]];
		whole->list[i] = &whole->predicts[i];
		is_made = predict_fill(question, &whole->predicts[i]);
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
		whole->place.devices = batch->devices;
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

static predictd_status batch_refresh(predictd_connection *connection, const struct batch *batch,
                                     bool again)
{
	const predictd_program *last = NULL;
	predictd_status status = PREDICTD_OK;
	for (size_t i = 0; i < batch->count && status == PREDICTD_OK; i++) {
		/* the handle is the library's own, behind the caller's const */
		predictd_program *program =
		        (predictd_program *)batch->questions[batch->index[i]].program;
		if (program == last)
			continue;
		last = program;
		status = program_refresh(connection, program, again);
	}
	return status;
}

/*
 * Asks the whole batch; over a new socket when the old one proves dead before the first reply.
 * responses: chunk_count(batch) of them, the caller's, also on failure.
 */
static predictd_status batch_ask(predictd_connection *connection, struct batch *batch, bool again,
                                 Predictd__Response **responses)
{
	const struct exchange exchange = {batch, request_new, request_free};
	predictd_status status = PREDICTD_UNAVAILABLE;
	bool can_retry = true;
	for (unsigned attempt = 0; attempt < 2 && can_retry; attempt++) {
		status = connection_begin(connection);
		if (status == PREDICTD_OK)
			status = batch_refresh(connection, batch, again);
		if (status != PREDICTD_OK)
			return status;
		status = connection_exchange(connection, &exchange, chunk_count(batch), responses,
		                             &can_retry);
	}
	return status;
}

/* ---- predictions --------------------------------------------------------------------------- */

/* What stands before the public array. */
struct prediction_block {
	size_t response_count, response_room;
	Predictd__Response **responses;
	char **errors; /* of questions that were not sent */
	predictd_prediction entries[];
};

static struct prediction_block *block_of(predictd_prediction *predictions)
{
	return (struct prediction_block *)((char *)predictions -
	                                   offsetof(struct prediction_block, entries));
}

static void prediction_fill(const Predictd__Prediction *from, predictd_row *rows,
                            predictd_prediction *to)
{
	*to = (predictd_prediction){
	        .status = PREDICTD_OK,
	        .error = "",
	        .model = (predictd_model)from->model,
	        .basis = (predictd_basis)from->basis,
	        .bottleneck = bottleneck_from_wire(from->bottleneck),
	        .kernel_time_s = from->kernel_time_s,
	        .low_s = from->low_s,
	        .high_s = from->high_s,
	        .launch_time_s = from->launch_time_s,
	        .h2d_time_s = from->h2d_time_s,
	        .d2h_time_s = from->d2h_time_s,
	        .epoch = from->epoch,
	        .is_capped = from->is_capped,
	        .is_data_dependent = from->is_data_dependent,
	        .note = from->note,
	        .row_count = from->n_rows,
	        .rows = rows,
	        .ir = from->ir,
	        .static_time_s = from->static_time_s,
	        .observation_count = from->observation_count,
	        .elasticity_count = from->n_elasticities,
	        .elasticities = from->elasticities,
	};
	for (size_t i = 0; i < 3; i++)
		to->local[i] = i < from->n_local_items ? from->local_items[i] : 1;
	for (size_t i = 0; i < from->n_rows; i++)
		rows[i] = (predictd_row){from->rows[i]->what, from->rows[i]->count,
		                         from->rows[i]->time_s};
}

static void entry_fail(predictd_prediction *entry, const Predictd__Error *error)
{
	predictd_status status =
	        error == NULL ? PREDICTD_INTERNAL : status_from_wire(error->status);
	free((void *)entry->rows);
	*entry = (predictd_prediction){.status = status == PREDICTD_OK ? PREDICTD_INTERNAL : status,
	                               .error = error == NULL ? "predictd gave no answer"
	                                                      : error->text,
	                               .bottleneck = "unknown",
	                               .note = "",
	                               .ir = ""};
}

static void entry_fill(predictd_prediction *entry, const Predictd__Prediction *prediction,
                       const Predictd__Error *error)
{
	static const Predictd__Error no_memory = {
	        PROTOBUF_C_MESSAGE_INIT(&predictd__error__descriptor), PREDICTD_NO_MEMORY,
	        (char *)"no memory"};
	if (prediction == NULL) {
		entry_fail(entry, error);
		return;
	}
	predictd_row *rows = calloc(prediction->n_rows + 1, sizeof *rows);
	free((void *)entry->rows);
	entry->rows = NULL;
	if (rows == NULL)
		entry_fail(entry, &no_memory);
	else
		prediction_fill(prediction, rows, entry);
}

/* Entry `i` of a chunk's reply. */
static void reply_entry(const Predictd__Response *response, size_t i, predictd_prediction *entry)
{
	switch (response->body_case) {
	case PREDICTD__RESPONSE__BODY_PREDICT:
		entry_fill(entry, i == 0 ? response->predict->prediction : NULL, NULL);
		break;
	case PREDICTD__RESPONSE__BODY_PREDICT_BATCH:
		if (i < response->predict_batch->n_entries) {
			const Predictd__BatchEntry *from = response->predict_batch->entries[i];
			bool has = from->result_case == PREDICTD__BATCH_ENTRY__RESULT_PREDICTION;
			bool failed = from->result_case == PREDICTD__BATCH_ENTRY__RESULT_ERROR;
			entry_fill(entry, has ? from->prediction : NULL,
			           failed ? from->error : NULL);
		} else {
			entry_fill(entry, NULL, NULL);
		}
		break;
	case PREDICTD__RESPONSE__BODY_ERROR:
		entry_fill(entry, NULL, response->error);
		break;
	default:
		entry_fill(entry, NULL, NULL);
		break;
	}
}

/* Asks what batch->index lists and fills those entries; the replies stay with the block. */
static predictd_status block_ask(predictd_connection *connection, struct batch *batch, bool again,
                                 struct prediction_block *block)
{
	size_t chunks = chunk_count(batch);
	Predictd__Response **grown = realloc(block->responses, (block->response_count + chunks) *
	                                                               sizeof *block->responses);
	if (grown == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu questions", batch->count);
	block->responses = grown;
	Predictd__Response **responses = grown + block->response_count;
	for (size_t i = 0; i < chunks; i++)
		responses[i] = NULL;
	block->response_count += chunks;
	predictd_status status = batch_ask(connection, batch, again, responses);
	if (status != PREDICTD_OK)
		return status;
	for (size_t i = 0; i < batch->count; i++)
		reply_entry(responses[i / batch->chunk], i % batch->chunk,
		            &block->entries[batch->index[i]]);
	return PREDICTD_OK;
}

/* Lists the questions that can be sent; the others fail here, each for itself. */
static predictd_status block_check(struct prediction_block *block,
                                   const predictd_question *questions, size_t count, size_t *index,
                                   size_t *asked)
{
	*asked = 0;
	for (size_t i = 0; i < count; i++) {
		Predictd__Launch *launch = NULL;
		predictd_status status =
		        questions[i].program == NULL
		                ? error_keep(PREDICTD_INVALID, "a question without a program")
		                : launch_new(&questions[i], &launch);
		launch_free(launch);
		if (status == PREDICTD_OK) {
			index[(*asked)++] = i;
			continue;
		}
		if (status == PREDICTD_NO_MEMORY)
			return status;
		block->errors[i] = strdup(predictd_error_text());
		Predictd__Error error = PREDICTD__ERROR__INIT;
		error.status = (uint32_t)status;
		error.text = block->errors[i] != NULL ? block->errors[i] : (char *)"no memory";
		entry_fail(&block->entries[i], &error);
	}
	return PREDICTD_OK;
}

static size_t chunk_size(const predictd_question *questions, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (questions[i].explain_ir)
			return 1; /* an IR can be large: a reply each */
	return CONNECTION_BATCH_MAX;
}

predictd_status predictd_predict_batch(predictd_connection *connection,
                                       const predictd_question *questions, size_t count,
                                       predictd_prediction **predictions)
{
	error_clear();
	if (count > SIZE_MAX / 2 / sizeof(predictd_prediction))
		return error_keep(PREDICTD_LIMIT, "%zu questions are too many", count);
	struct prediction_block *block =
	        calloc(1, sizeof *block + count * sizeof block->entries[0]);
	size_t *index = calloc(count + 1, sizeof *index);
	predictd_status status = PREDICTD_OK;
	if (block == NULL || index == NULL ||
	    (block->errors = calloc(count + 1, sizeof *block->errors)) == NULL) {
		free(block);
		free(index);
		return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu questions", count);
	}
	struct batch batch = {
	        .questions = questions, .index = index, .chunk = chunk_size(questions, count)};
	status = block_check(block, questions, count, index, &batch.count);
	if (status != PREDICTD_OK || batch.count == 0)
		goto out;
	pthread_mutex_lock(&connection->mutex);
	status = block_ask(connection, &batch, false, block);
	if (status == PREDICTD_OK) {
		/* not found: perhaps the program, that a restarted or full daemon has forgotten */
		size_t lost = 0;
		for (size_t i = 0; i < batch.count; i++)
			if (block->entries[index[i]].status == PREDICTD_NOT_FOUND)
				index[lost++] = index[i];
		batch.count = lost;
		if (lost > 0)
			status = block_ask(connection, &batch, true, block);
	}
	pthread_mutex_unlock(&connection->mutex);
out:
	free(index);
	if (status != PREDICTD_OK)
		predictd_predictions_free(block->entries, count);
	else
		*predictions = block->entries;
	return status;
}

predictd_status predictd_predict(predictd_connection *connection, const predictd_question *question,
                                 predictd_prediction **prediction)
{
	predictd_prediction *one;
	predictd_status status = predictd_predict_batch(connection, question, 1, &one);
	if (status != PREDICTD_OK)
		return status;
	if (one->status != PREDICTD_OK) {
		status = error_keep(one->status, "%s", one->error);
		predictd_predictions_free(one, 1);
		return status;
	}
	*prediction = one;
	return PREDICTD_OK;
}

void predictd_predictions_free(predictd_prediction *predictions, size_t count)
{
	if (predictions == NULL)
		return;
	struct prediction_block *block = block_of(predictions);
	for (size_t i = 0; i < count; i++) {
		free((void *)predictions[i].rows);
		free(block->errors[i]);
	}
	for (size_t i = 0; i < block->response_count; i++)
		if (block->responses[i] != NULL)
			predictd__response__free_unpacked(block->responses[i], NULL);
	free(block->responses);
	free(block->errors);
	free(block);
}

/* ---- placement ----------------------------------------------------------------------------- */

struct placement_block {
	size_t response_count;
	Predictd__Response **responses;
	predictd_placement entries[];
};

static void placement_fail(predictd_placement *to, const Predictd__Error *error)
{
	predictd_status status =
	        error == NULL ? PREDICTD_INTERNAL : status_from_wire(error->status);
	*to = (predictd_placement){.status = status == PREDICTD_OK ? PREDICTD_INTERNAL : status,
	                           .error = error == NULL ? "predictd gave no answer" : error->text,
	                           .device = ""};
}

static void placement_fill(const Predictd__Response *response, size_t i, predictd_placement *to)
{
	if (response->body_case != PREDICTD__RESPONSE__BODY_PLACE ||
	    i >= response->place->n_placements) {
		placement_fail(to, response->body_case == PREDICTD__RESPONSE__BODY_ERROR
		                           ? response->error
		                           : NULL);
		return;
	}
	const Predictd__Placement *from = response->place->placements[i];
	const Predictd__Prediction *prediction = from->prediction;
	if (from->error != NULL || prediction == NULL) {
		placement_fail(to, from->error);
		return;
	}
	*to = (predictd_placement){.status = PREDICTD_OK,
	                           .error = "",
	                           .device_index = from->index,
	                           .device = from->device,
	                           .total_time_s = prediction->kernel_time_s +
	                                           prediction->launch_time_s +
	                                           prediction->h2d_time_s + prediction->d2h_time_s};
}

predictd_status predictd_place(predictd_connection *connection, const predictd_question *questions,
                               size_t count, const char *const *devices, size_t device_count,
                               predictd_placement **placements)
{
	error_clear();
	if (count > SIZE_MAX / 2 / sizeof(predictd_placement))
		return error_keep(PREDICTD_LIMIT, "%zu questions are too many", count);
	for (size_t i = 0; i < count; i++) {
		Predictd__Launch *launch;
		if (questions[i].program == NULL)
			return error_keep(PREDICTD_INVALID, "a question without a program");
		predictd_status status = launch_new(&questions[i], &launch);
		if (status != PREDICTD_OK)
			return status;
		launch_free(launch);
	}
	size_t *index = calloc(count + 1, sizeof *index);
	struct placement_block *block = calloc(1, sizeof *block + count * sizeof block->entries[0]);
	struct batch batch = {.questions = questions,
	                      .index = index,
	                      .count = count,
	                      .chunk = CONNECTION_BATCH_MAX,
	                      .is_place = true,
	                      .devices = (char **)devices,
	                      .device_count = device_count};
	size_t chunks = chunk_count(&batch);
	if (index == NULL || block == NULL ||
	    (block->responses = calloc(chunks + 1, sizeof *block->responses)) == NULL) {
		free(index);
		free(block);
		return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu questions", count);
	}
	for (size_t i = 0; i < count; i++)
		index[i] = i;
	block->response_count = chunks;
	predictd_status status = PREDICTD_OK;
	bool is_lost = false;
	pthread_mutex_lock(&connection->mutex);
	for (unsigned attempt = 0; attempt < 2 && status == PREDICTD_OK; attempt++) {
		for (size_t i = 0; i < chunks && attempt > 0; i++) {
			predictd__response__free_unpacked(block->responses[i], NULL);
			block->responses[i] = NULL;
		}
		status = batch_ask(connection, &batch, attempt > 0, block->responses);
		is_lost = false;
		for (size_t i = 0; i < count && status == PREDICTD_OK; i++) {
			placement_fill(block->responses[i / batch.chunk], i % batch.chunk,
			               &block->entries[i]);
			is_lost |= block->entries[i].status == PREDICTD_NOT_FOUND;
		}
		if (!is_lost)
			break;
	}
	pthread_mutex_unlock(&connection->mutex);
	free(index);
	if (status != PREDICTD_OK)
		predictd_placements_free(block->entries, count);
	else
		*placements = block->entries;
	return status;
}

void predictd_placements_free(predictd_placement *placements, size_t count)
{
	(void)count;
	if (placements == NULL)
		return;
	struct placement_block *block =
	        (struct placement_block *)((char *)placements -
	                                   offsetof(struct placement_block, entries));
	for (size_t i = 0; i < block->response_count; i++)
		if (block->responses[i] != NULL)
			predictd__response__free_unpacked(block->responses[i], NULL);
	free(block->responses);
	free(block);
}
