/* SPDX-License-Identifier: Apache-2.0 */
/* Placement: which device is fastest. */
#include <stdlib.h>

#include "client/library/batch.h"
#include "client/library/program.h"

struct placement_block {
	size_t response_count;
	Predictd__Response **responses;
	predictd_placement entries[];
};

static void placement_fail(predictd_placement *to, const Predictd__Error *error)
{
	*to = (predictd_placement){.device = "", .device_key = ""};
	to->status = answer_failure(error, &to->error);
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
	                           .device_key = from->device_key,
	                           .total_time_s = prediction->kernel_time_s +
	                                           prediction->launch_time_s +
	                                           prediction->h2d_time_s + prediction->d2h_time_s};
}

predictd_status predictd_place(predictd_connection *connection, const predictd_question *questions,
                               size_t count, const char *const *devices, size_t device_count,
                               predictd_placement **placements)
{
	error_clear();
	predictd_status status = PREDICTD_OK;
	if (count > SIZE_MAX / 2 / sizeof(predictd_placement))
		return error_keep(PREDICTD_LIMIT, "%zu questions are too many", count);
	for (size_t i = 0; i < count; i++) {
		status = question_check(&questions[i]);
		if (status != PREDICTD_OK)
			return status;
	}
	const predictd_question **list = calloc(count + 1, sizeof(*list));
	struct placement_block *block = calloc(1, sizeof *block + count * sizeof block->entries[0]);
	struct batch batch = {.questions = list,
	                      .count = count,
	                      .chunk = CONNECTION_BATCH_MAX,
	                      .is_place = true,
	                      .devices = devices,
	                      .device_count = device_count};
	size_t requests = batch_requests(&batch);
	if (list == NULL || block == NULL ||
	    (block->responses = calloc(requests + 1, sizeof *block->responses)) == NULL) {
		free(list);
		free(block);
		return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu questions", count);
	}
	for (size_t i = 0; i < count; i++)
		list[i] = &questions[i];
	block->response_count = requests;
	struct ask ask = ask_new(connection);
	bool is_lost = true, is_unsampled = false, again = false;
	for (unsigned attempt = 0;
	     attempt < PROGRAM_ATTEMPTS_MAX && is_lost && status == PREDICTD_OK; attempt++) {
		for (size_t i = 0; i < requests && attempt > 0; i++) {
			predictd__response__free_unpacked(block->responses[i], NULL);
			block->responses[i] = NULL;
		}
		bool was_sent = is_unsampled;
		status = batch_ask(&ask, &batch, again, block->responses);
		/* the daemon has forgotten the program, or has it not for that device */
		again = is_unsampled = false;
		for (size_t i = 0; i < count && status == PREDICTD_OK; i++) {
			placement_fill(block->responses[i / batch.chunk], i % batch.chunk,
			               &block->entries[i]);
			again |= block->entries[i].status == PREDICTD_UNREGISTERED;
			is_unsampled |= block->entries[i].status == PREDICTD_UNSAMPLED;
		}
		if (is_unsampled && status == PREDICTD_OK)
			status = batch_send_samples(&ask, &batch, count, was_sent);
		is_lost = again || is_unsampled;
	}
	ask_end(&ask);
	free(list);
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
	responses_free(block->responses, block->response_count);
	free(block);
}
