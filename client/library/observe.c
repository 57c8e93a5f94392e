/* SPDX-License-Identifier: Apache-2.0 */
/* Observations: reporting measured times, looking back on them, forgetting them. */
#include "client/library/observe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/library/batch.h"
#include "client/library/message.h"
#include "client/library/program.h"
#include "client/library/sample.h"

/* ---- the message --------------------------------------------------------------------------- */

/* A request in one piece with what it points to. */
struct observe_request {
	Predictd__Request request;
	Predictd__Observe body;
	size_t count; /* of messages filled */
	Predictd__Observation **list;
	Predictd__Observation messages[];
};

/* Where it need not be there, 0 stands for that. */
static predictd_status time_check(const char *what, double time_s, bool has_to_be)
{
	if ((isfinite(time_s) && time_s > 0) || (time_s == 0 && !has_to_be))
		return PREDICTD_OK;
	return error_keep(PREDICTD_INVALID, "%s: want a positive number of seconds, have %g", what,
	                  time_s);
}

predictd_status observation_check_times(const predictd_observation *observation)
{
	predictd_status status = time_check("kernel time", observation->kernel_time_s,
	                                    observation->task_time_s == 0);
	if (status == PREDICTD_OK)
		status = time_check("task time", observation->task_time_s, false);
	return status;
}

predictd_status observation_check(const predictd_observation *observation)
{
	Predictd__Launch *launch = NULL;
	if (observation->question.program == NULL)
		return error_keep(PREDICTD_INVALID, "an observation without a program");
	predictd_status status = observation_check_times(observation);
	if (status != PREDICTD_OK)
		return status;
	status = launch_new(&observation->question, true, &launch);
	launch_free(launch);
	return status;
}

static bool observation_fill(const predictd_observation *from, bool with_samples,
                             Predictd__Observation *to)
{
	const predictd_question *question = &from->question;
	predictd__observation__init(to);
	to->handle = program_handle(question->program);
	to->kernel = program_kernel_name(question->program, question->kernel);
	to->device = (char *)(question->device != NULL ? question->device : "");
	to->kernel_time_s = from->kernel_time_s;
	to->task_time_s = from->task_time_s;
	/* times of pinned memory say nothing of pageable one */
	to->h2d_time_s = question->pinned_transfers ? 0 : from->h2d_time_s;
	to->d2h_time_s = question->pinned_transfers ? 0 : from->d2h_time_s;
	to->launch_time_s = from->launch_time_s;
	to->flags = from->flags;
	to->measured_at_s = from->measured_at_s;
	return launch_new(question, with_samples, &to->launch) == PREDICTD_OK;
}

static void request_free(void *context, size_t index, Predictd__Request *request)
{
	(void)context;
	(void)index;
	struct observe_request *whole = (struct observe_request *)request;
	for (size_t i = 0; i < whole->count; i++)
		launch_free(whole->messages[i].launch);
	free(whole->list);
	free(whole);
}

/*
 * One Observe of `count` observations (CONNECTION_BATCH_MAX at most), whose texts and sizes are
 * borrowed; their programs' handles are good (program_refresh). NULL when memory is short.
 */
static Predictd__Request *request_new(const predictd_observation *const *observations, size_t count,
                                      bool with_samples)
{
	struct observe_request *whole =
	        calloc(1, sizeof *whole + count * sizeof whole->messages[0]);
	if (whole == NULL)
		return NULL;
	whole->list = calloc(count + 1, sizeof *whole->list);
	bool is_made = whole->list != NULL;
	for (size_t i = 0; i < count && is_made; i++) {
		is_made = observation_fill(observations[i], with_samples, &whole->messages[i]);
		whole->list[i] = &whole->messages[i];
		whole->count += is_made;
	}
	predictd__request__init(&whole->request);
	predictd__observe__init(&whole->body);
	whole->body.observations = whole->list;
	whole->body.n_observations = count;
	whole->body.acknowledge = true;
	whole->request.body_case = PREDICTD__REQUEST__BODY_OBSERVE;
	whole->request.observe = &whole->body;
	if (!is_made) {
		request_free(NULL, 0, &whole->request);
		return NULL;
	}
	return &whole->request;
}

/* ---- reporting ----------------------------------------------------------------------------- */

struct reporting {
	const predictd_observation **list; /* of those to be sent */
	size_t *index;                     /* their places among all */
	size_t count;
	bool is_open; /* they may have reached the daemon, and have no answer */
	bool is_unregistered, is_unsampled; /* why some are still to be sent */
	bool without_samples;               /* the daemon takes them not */
	enum observe_reach *reaches;
	const struct patience *patience;
};

static size_t chunk_count(const struct reporting *reporting)
{
	return (reporting->count + CONNECTION_BATCH_MAX - 1) / CONNECTION_BATCH_MAX;
}

static Predictd__Request *request_make(void *context, size_t index)
{
	const struct reporting *reporting = context;
	size_t first = index * CONNECTION_BATCH_MAX, count = reporting->count - first;
	if (count > CONNECTION_BATCH_MAX)
		count = CONNECTION_BATCH_MAX;
	return request_new(reporting->list + first, count, !reporting->without_samples);
}

static const predictd_program *program_of(const void *context, size_t index)
{
	const struct reporting *reporting = context;
	return reporting->list[index]->question.program;
}

static const predictd_question *question_of(const void *context, size_t index)
{
	const struct reporting *reporting = context;
	return &reporting->list[index]->question;
}

/* What the reply says of observation `i` of its chunk; its sentence is kept. */
static predictd_status entry_status(const Predictd__Response *response, size_t i)
{
	predictd_status status = response_status(response, PREDICTD__RESPONSE__BODY_OBSERVE);
	if (status != PREDICTD_OK)
		return status;
	const Predictd__ObserveReply *reply = response->observe;
	const Predictd__BatchEntry *entry = i < reply->n_entries ? reply->entries[i] : NULL;
	if (entry != NULL && entry->result_case == PREDICTD__BATCH_ENTRY__RESULT_ERROR) {
		status = status_from_wire(entry->error->status);
		return error_keep(status == PREDICTD_OK ? PREDICTD_INTERNAL : status, "%s",
		                  entry->error->text);
	}
	if (reply->store_problem[0] != '\0')
		return error_keep(PREDICTD_IO, "it counts, but is not kept: %s",
		                  reply->store_problem);
	return PREDICTD_OK;
}

/*
 * Sends what `reporting` lists; those whose program the daemon has forgotten remain in it.
 * *first: the first refusal, whose sentence is the thread's.
 */
static predictd_status report(struct ask *ask, struct reporting *reporting, unsigned attempt,
                              predictd_status *statuses, predictd_status *first)
{
	bool again = reporting->is_unregistered, was_sent = reporting->is_unsampled;
	bool is_last = attempt + 1 == PROGRAM_ATTEMPTS_MAX;
	size_t chunks = chunk_count(reporting), lost = 0;
	Predictd__Response **responses = calloc(chunks + 1, sizeof(*responses));
	char sentence[512] = "";
	if (responses == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu observations",
		                  reporting->count);
	const struct exchange exchange = {reporting, request_make, request_free,
	                                  &reporting->is_open, reporting->patience};
	reporting->is_open = reporting->is_unregistered = reporting->is_unsampled = false;
	predictd_status status = programs_exchange(ask, &exchange, chunks, program_of,
	                                           reporting->count, again, responses);
	for (size_t i = 0; i < reporting->count && status == PREDICTD_OK; i++) {
		size_t place = reporting->index[i];
		predictd_status own =
		        entry_status(responses[i / CONNECTION_BATCH_MAX], i % CONNECTION_BATCH_MAX);
		if (statuses != NULL)
			statuses[place] = own;
		if (reporting->reaches != NULL)
			reporting->reaches[place] = OBSERVE_ANSWERED;
		bool is_lost = own == PREDICTD_UNREGISTERED || own == PREDICTD_UNSAMPLED;
		if (is_lost && !is_last) {
			reporting->is_unregistered |= own == PREDICTD_UNREGISTERED;
			reporting->is_unsampled |= own == PREDICTD_UNSAMPLED;
			reporting->index[lost] = place;
			reporting->list[lost++] = reporting->list[i];
		} else if (own != PREDICTD_OK && *first == PREDICTD_OK) {
			*first = own;
			(void)strncat(sentence, predictd_error_text(), sizeof sentence - 1);
		}
	}
	responses_free(responses, chunks);
	if (status == PREDICTD_OK) {
		reporting->without_samples |= was_sent && lost == reporting->count;
		reporting->count = lost;
	}
	if (status == PREDICTD_OK && reporting->is_unsampled && !reporting->without_samples)
		status = samples_send(ask, question_of, reporting, lost,
		                      &reporting->without_samples);
	if (sentence[0] != '\0')
		(void)error_keep(*first, "%s", sentence);
	return status;
}

predictd_status observations_send(predictd_connection *connection,
                                  const predictd_observation *observations, size_t count,
                                  const struct patience *patience, predictd_status *statuses,
                                  enum observe_reach *reaches)
{
	error_clear();
	if (count > SIZE_MAX / 2 / sizeof(predictd_observation))
		return error_keep(PREDICTD_LIMIT, "%zu observations are too many", count);
	struct reporting reporting = {.list = calloc(count + 1, sizeof(*reporting.list)),
	                              .index = calloc(count + 1, sizeof(*reporting.index)),
	                              .patience = patience,
	                              .reaches = reaches};
	predictd_status status = PREDICTD_OK, first = PREDICTD_OK;
	char sentence[512] = "";
	if (reporting.list == NULL || reporting.index == NULL) {
		status = error_keep(PREDICTD_NO_MEMORY, "no memory for %zu observations", count);
		for (size_t i = 0; i < count && statuses != NULL; i++)
			statuses[i] = status;
		for (size_t i = 0; i < count && reaches != NULL; i++)
			reaches[i] = OBSERVE_UNSENT;
		goto out;
	}
	for (size_t i = 0; i < count; i++) {
		predictd_status own = observation_check(&observations[i]);
		if (statuses != NULL)
			statuses[i] = own;
		if (reaches != NULL)
			reaches[i] = OBSERVE_ANSWERED;
		if (own == PREDICTD_OK) {
			reporting.index[reporting.count] = i;
			reporting.list[reporting.count++] = &observations[i];
		} else if (first == PREDICTD_OK) {
			first = own;
			(void)strncat(sentence, predictd_error_text(), sizeof sentence - 1);
		}
	}
	struct ask ask = ask_new(connection);
	for (unsigned attempt = 0;
	     attempt < PROGRAM_ATTEMPTS_MAX && reporting.count > 0 && status == PREDICTD_OK;
	     attempt++)
		status = report(&ask, &reporting, attempt, statuses, &first);
	enum observe_reach reach = reporting.is_open  ? OBSERVE_SENT
	                           : ask.link == NULL ? OBSERVE_UNCONNECTED
	                                              : OBSERVE_UNSENT;
	ask_end(&ask);
	for (size_t i = 0; i < reporting.count && status != PREDICTD_OK; i++) {
		if (statuses != NULL)
			statuses[reporting.index[i]] = status;
		if (reaches != NULL)
			reaches[reporting.index[i]] = reach;
	}
	if (status == PREDICTD_OK && sentence[0] != '\0')
		(void)error_keep(first, "%s", sentence);
out:
	free(reporting.list);
	free(reporting.index);
	return status != PREDICTD_OK ? status : first;
}

predictd_status predictd_observe(predictd_connection *connection,
                                 const predictd_observation *observations, size_t count,
                                 predictd_status *statuses)
{
	return observations_send(connection, observations, count, NULL, statuses, NULL);
}

/* ---- looking back -------------------------------------------------------------------------- */

struct history_block {
	predictd_history history;
	Predictd__Response *response;
	predictd_history_entry entries[];
};

static void entry_fill(const Predictd__HistoryEntry *from, predictd_history_entry *to)
{
	*to = (predictd_history_entry){
	        .measured_at_s = from->measured_at_s,
	        .uid = from->uid,
	        .flags = from->flags,
	        .dimensions = (uint32_t)(from->n_global_items < 3 ? from->n_global_items : 3),
	        .arguments = from->arguments,
	        .observed_time_s = from->observed_time_s,
	        .static_time_s = from->static_time_s,
	        .predicted_time_s = from->predicted_time_s,
	        .low_s = from->low_s,
	        .high_s = from->high_s,
	        .is_task = from->is_task,
	};
	for (size_t i = 0; i < 3; i++) {
		to->global[i] = i < from->n_global_items ? from->global_items[i] : 1;
		to->local[i] = i < from->n_local_items ? from->local_items[i] : 0;
	}
}

static const predictd_question *the_question(const void *context, size_t index)
{
	(void)index;
	return context;
}

/*
 * A request about a registered program, sent again when the daemon has forgotten that, or a sample
 * of its question, if it has one.
 */
static predictd_status ask_about(predictd_connection *connection, const predictd_program *program,
                                 const predictd_question *question, uint64_t *handle,
                                 Predictd__Request *request, Predictd__Response__BodyCase want,
                                 Predictd__Response **response)
{
	struct ask ask = ask_new(connection);
	predictd_status status = PREDICTD_OK;
	bool can_retry, is_lost = false;
	for (unsigned attempt = 0; attempt < PROGRAM_ATTEMPTS_MAX; attempt++) {
		status = ask_begin(&ask);
		if (status != PREDICTD_OK)
			break;
		if (program != NULL)
			status = program_refresh(&ask, program, is_lost, &can_retry);
		if (status == PREDICTD_OK) {
			*handle = program != NULL ? program_handle(program) : 0;
			status = ask_call(&ask, request, want, response, &can_retry);
		}
		is_lost = status == PREDICTD_UNREGISTERED && program != NULL;
		bool is_unsampled = status == PREDICTD_UNSAMPLED && question != NULL,
		     refused = false;
		if (is_unsampled &&
		    samples_send(&ask, the_question, question, 1, &refused) != PREDICTD_OK)
			break;
		if ((!is_lost && !can_retry && !is_unsampled) || refused)
			break;
	}
	ask_end(&ask);
	return status;
}

predictd_status predictd_get_history(predictd_connection *connection,
                                     const predictd_question *question, uint32_t count_max,
                                     predictd_history **history)
{
	error_clear();
	Predictd__History body = PREDICTD__HISTORY__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	Predictd__Response *response = NULL;
	predictd_status status = PREDICTD_OK;
	if (question->program == NULL)
		return error_keep(PREDICTD_INVALID, "a question without a program");
	if (question->dimensions > 0)
		status = launch_new(question, true, &body.launch);
	if (status != PREDICTD_OK)
		return status;
	body.kernel = program_kernel_name(question->program, question->kernel);
	body.device = (char *)(question->device != NULL ? question->device : "");
	body.count_max = count_max;
	request.body_case = PREDICTD__REQUEST__BODY_HISTORY;
	request.history = &body;
	status = ask_about(connection, question->program, question, &body.handle, &request,
	                   PREDICTD__RESPONSE__BODY_HISTORY, &response);
	launch_free(body.launch);
	if (status != PREDICTD_OK)
		return status;
	const Predictd__HistoryReply *reply = response->history;
	struct history_block *block =
	        calloc(1, sizeof *block + reply->n_entries * sizeof block->entries[0]);
	if (block == NULL) {
		predictd__response__free_unpacked(response, NULL);
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a history");
	}
	for (size_t i = 0; i < reply->n_entries; i++)
		entry_fill(reply->entries[i], &block->entries[i]);
	block->response = response;
	block->history = (predictd_history){reply->total, reply->n_entries, block->entries,
	                                    reply->device != NULL ? reply->device->key : ""};
	*history = &block->history;
	return PREDICTD_OK;
}

void predictd_history_free(predictd_history *history)
{
	if (history == NULL)
		return;
	struct history_block *block = (struct history_block *)history;
	predictd__response__free_unpacked(block->response, NULL);
	free(block);
}

/* ---- forgetting ---------------------------------------------------------------------------- */

predictd_status predictd_forget(predictd_connection *connection,
                                const predictd_forgetting *forgetting, uint64_t *forgotten)
{
	error_clear();
	Predictd__Forget body = PREDICTD__FORGET__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	Predictd__Response *response = NULL;
	body.kernel = program_kernel_name(forgetting->program, forgetting->kernel);
	body.device = (char *)(forgetting->device != NULL ? forgetting->device : "");
	body.has_uid = forgetting->has_uid;
	body.uid = forgetting->uid;
	body.age_s = forgetting->age_s;
	request.body_case = PREDICTD__REQUEST__BODY_FORGET;
	request.forget = &body;
	predictd_status status = ask_about(connection, forgetting->program, NULL, &body.handle,
	                                   &request, PREDICTD__RESPONSE__BODY_FORGET, &response);
	if (status != PREDICTD_OK)
		return status;
	if (forgotten != NULL)
		*forgotten = response->forget->forgotten;
	predictd__response__free_unpacked(response, NULL);
	return PREDICTD_OK;
}
