/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions with all that is known of them: one, and many in one exchange. */
#include <stdlib.h>
#include <string.h>

#include "client/library/batch.h"
#include "client/library/program.h"

/* What stands before the public array. */
struct prediction_block {
	size_t response_count;
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
	        .device_key = from->device != NULL ? from->device->key : "",
	        .device_index = from->device != NULL ? from->device->index : 0,
	        .nodes = from->nodes,
	        .language = from->language,
	        .warning_count = from->n_warnings,
	        .warnings = (const char *const *)from->warnings,
	        .task_time_s = from->task_time_s,
	        .task_low_s = from->task_low_s,
	        .task_high_s = from->task_high_s,
	        .task_observation_count = from->task_observation_count,
	};
	for (size_t i = 0; i < 3; i++)
		to->local[i] = i < from->n_local_items ? from->local_items[i] : 1;
	for (size_t i = 0; i < from->n_rows; i++)
		rows[i] = (predictd_row){from->rows[i]->what, from->rows[i]->count,
		                         from->rows[i]->time_s};
}

static void entry_fail(predictd_prediction *entry, const Predictd__Error *error)
{
	free((void *)entry->rows);
	*entry = (predictd_prediction){
	        .bottleneck = "unknown", .note = "", .ir = "", .device_key = "", .language = ""};
	entry->status = answer_failure(error, &entry->error);
}

static void entry_fill(predictd_prediction *entry, const Predictd__Prediction *prediction,
                       const Predictd__Error *error)
{
	static const Predictd__Error no_memory = {
	        .base = PROTOBUF_C_MESSAGE_INIT(&predictd__error__descriptor),
	        .status = PREDICTD_NO_MEMORY,
	        .text = (char *)"no memory"};
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

/* Asks what `batch` lists and fills those entries; the replies stay with the block. */
static predictd_status block_ask(void *context, struct ask *ask, const struct batch *batch,
                                 bool again)
{
	struct prediction_block *block = context;
	size_t requests = batch_requests(batch);
	Predictd__Response **grown = realloc(block->responses, (block->response_count + requests) *
	                                                               sizeof(*block->responses));
	if (grown == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu questions", batch->count);
	block->responses = grown;
	Predictd__Response **responses = grown + block->response_count;
	for (size_t i = 0; i < requests; i++)
		responses[i] = NULL;
	block->response_count += requests;
	predictd_status status = batch_ask(ask, batch, again, responses);
	for (size_t i = 0; i < batch->count && status == PREDICTD_OK; i++) {
		const Predictd__Error *error;
		const Predictd__Prediction *prediction = batch_answer(batch, responses, i, &error);
		entry_fill(batch->answers[i], prediction, error);
	}
	return status;
}

static predictd_status status_of(const void *answer)
{
	const predictd_prediction *prediction = answer;
	return prediction->status;
}

/* Puts the questions that can be sent into the batch; the others fail here, each for itself. */
static predictd_status block_check(struct prediction_block *block,
                                   const predictd_question *questions, size_t count,
                                   struct batch *batch)
{
	for (size_t i = 0; i < count; i++) {
		predictd_status status = question_check(&questions[i]);
		if (status == PREDICTD_OK) {
			batch->answers[batch->count] = &block->entries[i];
			batch->questions[batch->count++] = &questions[i];
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
	struct batch batch = {.questions = calloc(count + 1, sizeof(*batch.questions)),
	                      .answers = calloc(count + 1, sizeof(*batch.answers)),
	                      .chunk = chunk_size(questions, count)};
	if (block == NULL || batch.questions == NULL || batch.answers == NULL ||
	    (block->errors = calloc(count + 1, sizeof *block->errors)) == NULL) {
		free(block);
		free(batch.questions);
		free(batch.answers);
		return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu questions", count);
	}
	struct ask ask = ask_new(connection);
	predictd_status status = block_check(block, questions, count, &batch);
	if (status == PREDICTD_OK)
		status = batch_ask_known(&ask, &batch, block_ask, status_of, block);
	ask_end(&ask);
	free(batch.questions);
	free(batch.answers);
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
	responses_free(block->responses, block->response_count);
	free(block->errors);
	free(block);
}
