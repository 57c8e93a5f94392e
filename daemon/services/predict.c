/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions: one, and batches in steps. */
#include "daemon/services/service.h"

#include "daemon/codec/prediction_codec.h"
#include "daemon/services/sourceless.h"
#include "daemon/state/epochs.h"
#include "model/ir/text.h"
#include "model/whatif/whatif.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_MAX = 1024 };

enum status predict_program(struct daemon *daemon, uint64_t handle, size_t device,
                            const struct program **program, struct error *error)
{
	const struct registry_device *entry = daemon->registry.devices[device];
	const struct program_group *group = program_cache_group(&daemon->programs, handle);
	if (group == NULL)
		return error_set(error, STATUS_UNREGISTERED,
		                 "program: the handle is not known (any more): register it again");
	if (program_group_has(group, entry->language)) {
		*program = program_cache_find_handle(&daemon->programs, handle, entry->language);
		return *program != NULL ? STATUS_OK
		                        : error_set(error, STATUS_NO_MEMORY, "program: no memory");
	}
	struct program_key key = program_key_in(&group->key, entry->language);
	enum status status = refusal_memo_find(&daemon->refusals, &key, uv_hrtime(), error);
	if (status != STATUS_OK)
		return status;
	program_cache_want(&daemon->programs, handle, entry->language);
	return error_set(error, STATUS_UNREGISTERED,
	                 "program: not analysed in the language of %.64s yet: register it again",
	                 entry->device.name);
}

enum status service_check_calibrated(const struct daemon *daemon, size_t place, struct error *error)
{
	enum status status = registry_check_calibrated(&daemon->registry, place, error);
	const struct registry_device *entry = daemon->registry.devices[place];
	const struct device *device = calibration_device(&daemon->calibration);
	if (status != STATUS_UNCALIBRATED)
		return status;
	if (device != NULL && strcmp(device->key, entry->device.key) == 0)
		return error_set(error, status,
		                 "device \"%.100s\" is being calibrated: \"predictctl waitsync\" "
		                 "waits for it",
		                 entry->device.name);
	if (recalibrating_is_coming(&daemon->recalibrating, place))
		return error_set(error, status,
		                 "device \"%.100s\" is not calibrated yet, and will be once the "
		                 "node is quiet: \"predictctl waitsync\" waits for it",
		                 entry->device.name);
	return status;
}

/* The change that is asked about; kind 0: none. A kind that is none is refused by the model. */
static struct what_if what_if_of(const Predictd__Predict *question)
{
	const Predictd__WhatIf *asked = question->what_if;
	if (asked == NULL)
		return (struct what_if){.kind = WHAT_IF_NONE};
	return (struct what_if){.kind = asked->kind < WHAT_IF_COUNT ? (uint8_t)asked->kind
	                                                            : (uint8_t)WHAT_IF_COUNT,
	                        .place = asked->place,
	                        .detail = asked->detail};
}

enum status predict_one(struct session *session, const Predictd__Predict *question, size_t device,
                        const struct ir_kernel **kernel, struct error *error)
{
	struct daemon *daemon = session->daemon;
	const struct program *program = NULL;
	enum status status = predict_program(daemon, question->handle, device, &program, error);
	if (status == STATUS_OK && question->model >= MODEL_COUNT)
		status = error_set(error, STATUS_INVALID, "model: want less than %d, got %u",
		                   MODEL_COUNT, question->model);
	if (status == STATUS_OK)
		status = program_find_kernel(program, question->kernel, kernel, error);
	if (status == STATUS_OK)
		status = service_launch(session, question->launch, error);
	if (status == STATUS_OK)
		status = service_check_calibrated(daemon, device, error);
	if (status == STATUS_UNCALIBRATED) {
		/* a launch that is wrong is so on any device: what can be mended at once is said
		 * first */
		struct error wrong;
		if (launch_check(*kernel, &daemon->registry.devices[device]->device,
		                 &daemon->launch, &wrong) == STATUS_INVALID) {
			*error = wrong;
			return wrong.status;
		}
	}
	if (status != STATUS_OK)
		return status;
	const struct prediction_options options = {
	        .model = (enum kernel_model)question->model,
	        .with_transfers = question->with_transfers != 0,
	        .is_pinned = question->pinned_transfers != 0,
	        .with_doubts = question->explain != 0,
	        .lines = question->explain_lines ? &daemon->lines : NULL,
	        .with_what_ifs = question->with_what_ifs != 0,
	        .what_if = what_if_of(question),
	        .budget = daemon->config.evaluation_budget,
	};
	status = evaluations_predict(&daemon->evaluations, session, program, *kernel, device,
	                             &options, question->explain_ir, error);
	if (status != STATUS_OK)
		return status;
	daemon->metrics.predictions++;
	daemon->refinement = (struct refinement){
	        .kernel = program_kernel_hash(program, *kernel),
	        .static_time_s = daemon->prediction.kernel_time_s,
	};
	const struct asked_key asked = {.kernel = daemon->refinement.kernel,
	                                .device = daemon->registry.devices[device]->hash,
	                                .user = session->user};
	asked_add(&daemon->metrics.asked, &asked, (*kernel)->name);
	const struct correction_answer statically = {.time_s = daemon->prediction.kernel_time_s,
	                                             .low_s = daemon->prediction.low_s,
	                                             .high_s = daemon->prediction.high_s};
	correction_expect_task(&statically, daemon->prediction.launch_time_s,
	                       &daemon->refinement.task);
	if (question->model == MODEL_DEFAULT && !question->static_only &&
	    question->what_if == NULL) {
		double h2d_time_s = daemon->prediction.h2d_time_s;
		double d2h_time_s = daemon->prediction.d2h_time_s;
		observations_refine(&daemon->observations, daemon->registry.devices[device]->hash,
		                    session->user, &daemon->refinement);
		if (options.is_pinned) { /* what was observed is of pageable memory */
			daemon->prediction.h2d_time_s = h2d_time_s;
			daemon->prediction.d2h_time_s = d2h_time_s;
		}
	}
	return STATUS_OK;
}

/* What it rests on, and until when it stands. */
static void encode_refinement(const struct session *session, size_t device,
                              Predictd__Prediction *message)
{
	const struct daemon *daemon = session->daemon;
	message->static_time_s = daemon->refinement.static_time_s;
	message->observation_count = daemon->refinement.observation_count;
	message->nodes = daemon->refinement.nodes;
	const struct correction_answer *task = &daemon->refinement.task;
	double transfers_s = daemon->prediction.h2d_time_s + daemon->prediction.d2h_time_s;
	message->task_time_s = task->time_s + transfers_s;
	message->task_low_s = task->low_s + transfers_s;
	message->task_high_s = task->high_s + transfers_s;
	message->task_observation_count = task->count;
	if (daemon->epochs == NULL)
		return;
	message->epoch_slot = epochs_slot(daemon->epochs, daemon->refinement.kernel,
	                                  daemon->registry.devices[device]->index, session->user);
	message->epoch_value = epochs_value(daemon->epochs, message->epoch_slot);
}

/* Adds a sentence to the note; false when the arena is full. */
static bool add_note(Predictd__Prediction *message, const char *text, struct arena *arena)
{
	char note[PREDICTION_NOTE_MAX + 3 * REPORT_NOTE_MAX];
	if (text[0] == '\0')
		return true;
	(void)snprintf(note, sizeof note, "%s%s%s", message->note,
	               message->note[0] == '\0' ? "" : "; ", text);
	message->note = arena_text(arena, note);
	return message->note != NULL;
}

/* "sampled: a, b": the arguments whose data the question told something of; or why not. */
static void describe_samples(const struct daemon *daemon, const Predictd__Launch *launch,
                             const struct ir_kernel *kernel, char text[REPORT_NOTE_MAX])
{
	size_t used = 0;
	text[0] = '\0';
	for (uint32_t i = 0; i < launch->n_arguments && i < kernel->argument_count; i++) {
		if (launch->arguments[i]->sample.len == 0)
			continue;
		if (!daemon->accepts_samples) {
			(void)snprintf(text, REPORT_NOTE_MAX, "samples are not accepted here");
			return;
		}
		used += (size_t)snprintf(text + used, REPORT_NOTE_MAX - used, "%s%.40s",
		                         used == 0 ? "sampled: " : ", ", kernel->arguments[i].name);
		if (used + sizeof ", ..." + 40 > REPORT_NOTE_MAX) {
			(void)snprintf(text + used, REPORT_NOTE_MAX - used, ", ...");
			return;
		}
	}
}

/* Which device it is for, and in which language; false when the arena is full. */
static bool encode_device(struct session *session, const Predictd__Predict *question, size_t device,
                          Predictd__Prediction *message)
{
	struct arena *arena = &session->arena;
	const struct registry_device *entry = session->daemon->registry.devices[device];
	struct program *program = program_cache_find_handle(&session->daemon->programs,
	                                                    question->handle, entry->language);
	Predictd__DeviceName *name = arena_allocate(arena, sizeof *name);
	char taken[REPORT_NOTE_MAX + 64] = "", borrowed[96] = "";
	if (name == NULL)
		return false;
	predictd__device_name__init(name);
	name->index = entry->index;
	name->key = arena_text(arena, entry->device.key);
	message->device = name;
	if (program != NULL && program->note[0] != '\0')
		(void)snprintf(taken, sizeof taken, "build options that change nothing here: %s",
		               program->note);
	if (entry->device.borrowed_nodes > 0)
		(void)snprintf(
		        borrowed, sizeof borrowed, "the calibration is borrowed from %u node%s",
		        entry->device.borrowed_nodes, entry->device.borrowed_nodes == 1 ? "" : "s");
	if (program != NULL && question->explain)
		message->language = arena_text(arena, program->language_name);
	return name->key != NULL && message->language != NULL && add_note(message, taken, arena) &&
	       add_note(message, borrowed, arena) &&
	       add_note(message,
	                entry->device.is_stale
	                        ? "the device's driver changed since it was calibrated"
	                        : "",
	                arena) &&
	       add_note(message, entry->is_present ? "" : "the device is away", arena);
}

Predictd__Prediction *predict_encode(struct session *session, const Predictd__Predict *question,
                                     size_t device, const struct ir_kernel *kernel)
{
	struct error error;
	struct arena *arena = &session->arena;
	Predictd__Prediction *message =
	        prediction_encode(&session->daemon->prediction, question->explain, arena);
	char sampled[REPORT_NOTE_MAX];
	describe_samples(session->daemon, question->launch, kernel, sampled);
	if (message == NULL || !add_note(message, sampled, arena) ||
	    !encode_device(session, question, device, message))
		return NULL;
	encode_refinement(session, device, message);
	if ((question->explain_lines || question->explain) &&
	    !prediction_encode_occupancy(&session->daemon->prediction, message, arena))
		return NULL;
	if (question->explain_lines &&
	    !prediction_encode_lines(&session->daemon->lines, kernel, message, arena))
		return NULL;
	if (!what_ifs_encode(kernel, &session->daemon->prediction, message, arena))
		return NULL;
	if (!question->explain_ir)
		return message;
	char *text = session->daemon->ir_text; /* taken */
	session->daemon->ir_text = NULL;
	if (text == NULL && kernel_format(kernel, IR_TEXT_MAX, &text, &error) != STATUS_OK)
		return NULL;
	message->ir = arena_text(arena, text);
	free(text);
	return message->ir == NULL ? NULL : message;
}

/* The device that a question names, then its prediction's message in the session's arena. */
static enum status answer(struct session *session, const Predictd__Predict *question,
                          Predictd__Prediction **message, struct sourceless_refusal *refusal,
                          struct error *error)
{
	struct daemon *daemon = session->daemon;
	const struct ir_kernel *kernel = NULL;
	size_t device;
	*refusal = (struct sourceless_refusal){.is_unknown = false};
	if (sourceless_is_meant(question->handle))
		return sourceless_predict(session, question, question->device, message, refusal,
		                          error);
	enum status status = registry_find(&daemon->registry, question->device, &device, error);
	if (status == STATUS_OK)
		status = predict_one(session, question, device, &kernel, error);
	if (status != STATUS_OK)
		return status;
	*message = predict_encode(session, question, device, kernel);
	if (*message == NULL)
		return error_set(error, STATUS_LIMIT, "the answer is too large: ask for less");
	return STATUS_OK;
}

/* What is said of a device that has no calibration changes while one is on its way. */
static bool awaits_calibration(const struct daemon *daemon)
{
	for (size_t i = 0; i < daemon->registry.count; i++)
		if (recalibrating_is_coming(&daemon->recalibrating, i))
			return true;
	return calibration_device(&daemon->calibration) != NULL;
}

/*
 * A refusal as its message, in the session's arena; NULL when that is full. What is said of the
 * question, its device or its kernel stands as long as devices and configuration do, as answers
 * of no kernel on no device: until every epoch is raised. Of a kernel without source that was not
 * observed yet, until it is.
 */
static Predictd__Error *refusal_encode(const struct session *session, const struct error *error,
                                       const struct sourceless_refusal *refusal,
                                       struct arena *arena)
{
	struct daemon *daemon = session->daemon;
	Predictd__Error *message = error_encode(error, arena);
	bool stands = error->status == STATUS_INVALID || error->status == STATUS_UNSUPPORTED ||
	              error->status == STATUS_NOT_FOUND ||
	              (error->status == STATUS_UNCALIBRATED && !awaits_calibration(daemon));
	/* a program that is not known (any more) is registered again, as its status says */
	if (message == NULL || !stands || daemon->epochs == NULL)
		return message;
	message->epoch_slot =
	        refusal->is_unknown
	                ? refusal->epoch_slot
	                : epochs_slot(daemon->epochs, 0, REGISTRY_DEVICES_MAX, session->user);
	message->epoch_value = epochs_value(daemon->epochs, message->epoch_slot);
	return message;
}

/* Replies, and keeps what stands for who asks the same. */
static void reply_and_keep(struct session *session, const struct work *work,
                           Predictd__Response *response, const struct answer_terms *terms)
{
	uint8_t *kept = NULL;
	size_t size = predictd__response__get_packed_size(response); /* without its id, yet */
	if (work->question != NULL && (terms->status == STATUS_OK || terms->epoch_value != 0))
		kept = answer_memo_keep(&session->daemon->answers, work->question,
		                        work->question_bytes, size, terms);
	if (kept != NULL) {
		(void)predictd__response__pack(response, kept);
		session_reply_packed(session, work->message->id, kept, size);
		return;
	}
	session_reply(session, work->message->id, response);
}

static bool step_predict(struct session *session, struct work *work)
{
	struct error error;
	struct sourceless_refusal refusal;
	const Predictd__Predict *question = work->message->predict;
	Predictd__PredictReply reply = PREDICTD__PREDICT_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	enum status status = answer(session, question, &reply.prediction, &refusal, &error);
	if (evaluation_is_awaited(session->evaluation))
		return false;
	struct answer_terms terms = {.handle = question->handle,
	                             .generation = daemon_generation(session->daemon),
	                             .user = session->user};
	if (status == STATUS_OK) {
		response.body_case = PREDICTD__RESPONSE__BODY_PREDICT;
		response.predict = &reply;
		terms.epoch_value = reply.prediction->epoch_value;
		terms.epoch_slot = reply.prediction->epoch_slot;
		reply_and_keep(session, work, &response, &terms);
		return true;
	}
	error.status = status;
	response.body_case = PREDICTD__RESPONSE__BODY_ERROR;
	response.error = refusal_encode(session, &error, &refusal, &session->arena);
	if (response.error == NULL) {
		session_reply_error(session, work->message->id, &error);
		return true;
	}
	terms.status = status;
	terms.epoch_value = response.error->epoch_value;
	terms.epoch_slot = response.error->epoch_slot;
	session_count_refusal(session, &error);
	reply_and_keep(session, work, &response, &terms);
	return true;
}

enum status service_predict(struct session *session, struct work *work, struct error *error)
{
	(void)error;
	session->daemon->metrics.caches[METRICS_CACHE_ANSWERS].misses++;
	work->step = step_predict;
	return STATUS_OK;
}

static bool step_batch(struct session *session, struct work *work)
{
	Predictd__PredictBatch *batch = work->message->predict_batch;
	Predictd__BatchEntry **entries = work->data;
	struct error error = {.status = STATUS_OK};
	struct sourceless_refusal refusal;
	if (work->position < batch->n_predictions) {
		Predictd__BatchEntry *entry = entries[work->position];
		enum status status = answer(session, batch->predictions[work->position],
		                            &entry->prediction, &refusal, &error);
		if (evaluation_is_awaited(session->evaluation))
			return false;
		entry->result_case = PREDICTD__BATCH_ENTRY__RESULT_PREDICTION;
		if (status != STATUS_OK) {
			error.status = status;
			metrics_refuse(&session->daemon->metrics, status);
			entry->result_case = PREDICTD__BATCH_ENTRY__RESULT_ERROR;
			entry->error = refusal_encode(session, &error, &refusal, &session->arena);
		}
		if (status == STATUS_OK || entry->error != NULL) {
			work->position++;
			return false;
		}
		/* not even the error fits: the batch as a whole is refused */
		error_set(&error, STATUS_LIMIT, "the answer is too large: ask for less");
		session_reply_error(session, work->message->id, &error);
		return true;
	}
	Predictd__PredictBatchReply reply = PREDICTD__PREDICT_BATCH_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	reply.entries = entries;
	reply.n_entries = batch->n_predictions;
	response.body_case = PREDICTD__RESPONSE__BODY_PREDICT_BATCH;
	response.predict_batch = &reply;
	session_reply(session, work->message->id, &response);
	return true;
}

enum status service_predict_batch(struct session *session, struct work *work, struct error *error)
{
	const Predictd__PredictBatch *batch = work->message->predict_batch;
	size_t count = batch->n_predictions;
	if (count > BATCH_MAX)
		return error_set(error, STATUS_LIMIT, "batch: want at most %d, got %zu", BATCH_MAX,
		                 count);
	Predictd__BatchEntry **entries =
	        arena_allocate(&session->arena, (count + 1) * sizeof(*entries));
	Predictd__BatchEntry *entry = arena_allocate(&session->arena, (count + 1) * sizeof *entry);
	if (entries == NULL || entry == NULL)
		return error_set(error, STATUS_NO_MEMORY, "batch: no memory");
	for (size_t i = 0; i < count; i++) {
		predictd__batch_entry__init(&entry[i]);
		entries[i] = &entry[i];
	}
	work->data = entries;
	work->step = step_batch;
	return STATUS_OK;
}
