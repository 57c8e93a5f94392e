/* SPDX-License-Identifier: Apache-2.0 */
/* What a part of a launch reads and writes: asked, kept, reckoned in bytes. */
#include "client/library/split_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/library/batch.h"
#include "client/library/memo.h"
#include "client/library/message.h"
#include "client/library/program.h"

enum { PARTS_SLOTS = 64 };

struct slot {
	struct question_key key;
	uint64_t serial, handle; /* of the program when it was asked */
	const struct split_parts *parts;
};

struct parts_memo {
	pthread_mutex_t mutex;
	struct slot slots[PARTS_SLOTS];
};

predictd_status parts_memo_new(struct parts_memo **memo)
{
	*memo = calloc(1, sizeof **memo);
	if (*memo == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a connection");
	(void)pthread_mutex_init(&(*memo)->mutex, NULL);
	return PREDICTD_OK;
}

void parts_memo_free(struct parts_memo *memo)
{
	if (memo == NULL)
		return;
	for (size_t i = 0; i < PARTS_SLOTS; i++)
		split_parts_release(memo->slots[i].parts);
	(void)pthread_mutex_destroy(&memo->mutex);
	free(memo);
}

void split_parts_release(const struct split_parts *parts)
{
	struct split_parts *own = (struct split_parts *)(uintptr_t)parts;
	if (own != NULL && atomic_fetch_sub_explicit(&own->users, 1, memory_order_acq_rel) == 1)
		free(own);
}

static const struct split_parts *hold(const struct split_parts *parts)
{
	struct split_parts *own = (struct split_parts *)(uintptr_t)parts;
	(void)atomic_fetch_add_explicit(&own->users, 1, memory_order_relaxed);
	return parts;
}

/* ---- asked --------------------------------------------------------------------------------- */

static predictd_reach reach_decode(const Predictd__Reach *message)
{
	if (message == NULL || message->kind > PREDICTD_REACH_WHOLE)
		return (predictd_reach){.kind = PREDICTD_REACH_WHOLE};
	return (predictd_reach){.kind = (predictd_reach_kind)message->kind,
	                        .stride_bytes = message->stride_bytes,
	                        .low_bytes = message->low_bytes,
	                        .high_bytes = message->high_bytes};
}

static predictd_status parts_decode(const Predictd__FindReachesReply *reply,
                                    const struct split_parts **result)
{
	struct split_parts *parts =
	        calloc(1, sizeof *parts + reply->n_arguments * sizeof parts->arguments[0]);
	if (parts == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu arguments",
		                  reply->n_arguments);
	parts->users = 1;
	parts->count = reply->n_arguments;
	(void)snprintf(parts->refusal, sizeof parts->refusal, "%s", reply->refusal);
	for (size_t i = 0; i < reply->n_arguments; i++) {
		const Predictd__ArgumentReaches *from = reply->arguments[i];
		predictd_split_argument *to = &parts->arguments[i];
		to->reads = reach_decode(from->reads);
		to->writes = reach_decode(from->writes);
		to->is_filled = from->is_filled;
		(void)snprintf(to->refusal, sizeof to->refusal, "%s", from->refusal);
	}
	*result = parts;
	return PREDICTD_OK;
}

struct asked {
	const predictd_question *question;
	uint32_t dimension;
};

struct asked_request {
	Predictd__Request request;
	Predictd__FindReaches body;
	Predictd__Predict question;
};

static void request_free(void *context, size_t index, Predictd__Request *request)
{
	struct asked_request *whole = (struct asked_request *)request;
	(void)context;
	(void)index;
	launch_free(whole->question.launch);
	free(whole);
}

static Predictd__Request *request_new(void *context, size_t index)
{
	const struct asked *asked = context;
	const predictd_question *question = asked->question;
	struct asked_request *whole = calloc(1, sizeof *whole);
	(void)index;
	if (whole == NULL)
		return NULL;
	predictd__request__init(&whole->request);
	predictd__find_reaches__init(&whole->body);
	predictd__predict__init(&whole->question);
	whole->question.handle = program_handle(question->program);
	whole->question.kernel = program_kernel_name(question->program, question->kernel);
	whole->question.device = (char *)(question->device != NULL ? question->device : "");
	whole->body.question = &whole->question;
	whole->body.dimension = asked->dimension;
	whole->request.body_case = PREDICTD__REQUEST__BODY_FIND_REACHES;
	whole->request.find_reaches = &whole->body;
	if (launch_new(question, false, &whole->question.launch) == PREDICTD_OK)
		return &whole->request;
	free(whole);
	return NULL;
}

static const predictd_program *program_of(const void *context, size_t index)
{
	const struct asked *asked = context;
	(void)index;
	return asked->question->program;
}

/* Until the daemon knows the program, which it may have forgotten. */
static predictd_status parts_ask(predictd_connection *connection, const struct asked *asked,
                                 const struct split_parts **parts)
{
	const struct exchange exchange = {(void *)(uintptr_t)asked, request_new, request_free, NULL,
	                                  NULL};
	struct ask ask = ask_new(connection);
	predictd_status status = PREDICTD_UNREGISTERED;
	for (unsigned i = 0; i < PROGRAM_ATTEMPTS_MAX && status == PREDICTD_UNREGISTERED; i++) {
		Predictd__Response *response = NULL;
		status = programs_exchange(&ask, &exchange, 1, program_of, 1, i > 0, &response);
		if (status == PREDICTD_OK)
			status = response_status(response, PREDICTD__RESPONSE__BODY_FIND_REACHES);
		if (status == PREDICTD_OK)
			status = parts_decode(response->find_reaches, parts);
		if (response != NULL)
			predictd__response__free_unpacked(response, NULL);
	}
	ask_end(&ask);
	return status;
}

/* ---- kept ---------------------------------------------------------------------------------- */

static struct question_key parts_key(const predictd_connection *connection,
                                     const predictd_question *question, uint32_t dimension)
{
	char text[12];
	struct key_words words;
	memo_words(connection->memo, question, &words, NULL, NULL);
	key_put_text(&words, question->device);
	(void)snprintf(text, sizeof text, "%u", dimension);
	key_put_text(&words, text);
	return key_of_words(&words);
}

static bool is_of(const struct slot *slot, const struct question_key *key)
{
	return slot->parts != NULL && slot->key.low == key->low && slot->key.high == key->high;
}

/* The key's slot of the two that it may be in, or the one that it may take. Under the mutex. */
static struct slot *slot_of(struct parts_memo *memo, const struct question_key *key)
{
	struct slot *pair = &memo->slots[key->high % (PARTS_SLOTS / 2) * 2];
	if (is_of(&pair[0], key) || is_of(&pair[1], key))
		return &pair[is_of(&pair[1], key)];
	if (pair[0].parts == NULL || pair[1].parts == NULL)
		return &pair[pair[0].parts != NULL];
	return &pair[key->low & 1];
}

predictd_status split_parts_find(predictd_connection *connection, const predictd_question *question,
                                 uint32_t dimension, const struct split_parts **parts)
{
	const predictd_program *program = question->program;
	struct parts_memo *memo = connection->parts;
	struct question_key key = parts_key(connection, question, dimension);
	const struct asked asked = {question, dimension};
	*parts = NULL;
	(void)pthread_mutex_lock(&memo->mutex);
	struct slot *slot = slot_of(memo, &key);
	if (is_of(slot, &key) && slot->handle == program_handle(program) &&
	    slot->serial == atomic_load_explicit(&program->serial, memory_order_acquire) &&
	    slot->serial == memo_serial(connection->memo))
		*parts = hold(slot->parts);
	(void)pthread_mutex_unlock(&memo->mutex);
	if (*parts != NULL)
		return PREDICTD_OK;
	predictd_status status = parts_ask(connection, &asked, parts);
	if (status != PREDICTD_OK)
		return status;
	(void)pthread_mutex_lock(&memo->mutex);
	slot = slot_of(memo, &key);
	split_parts_release(slot->parts);
	*slot = (struct slot){.key = key,
	                      .serial =
	                              atomic_load_explicit(&program->serial, memory_order_acquire),
	                      .handle = program_handle(program),
	                      .parts = hold(*parts)};
	(void)pthread_mutex_unlock(&memo->mutex);
	return PREDICTD_OK;
}

/* ---- in bytes ------------------------------------------------------------------------------ */

static uint64_t clamp(int64_t value, uint64_t most)
{
	return value < 0 ? 0 : (uint64_t)value > most ? most : (uint64_t)value;
}

/* See predictd_reach. What would be beyond 2^63 is the whole buffer. */
static predictd_split_range reach_range(const predictd_reach *reach, uint64_t begin, uint64_t items,
                                        uint64_t size_bytes)
{
	predictd_split_range whole = {0, size_bytes};
	bool is_down = reach->stride_bytes < 0;
	uint64_t end, from, to;
	int64_t low, high;
	if (reach->kind == PREDICTD_REACH_NOTHING || items == 0)
		return (predictd_split_range){0};
	if (reach->kind == PREDICTD_REACH_WHOLE || __builtin_add_overflow(begin, items, &end) ||
	    end > INT64_MAX ||
	    __builtin_mul_overflow(reach->stride_bytes, (int64_t)(is_down ? end : begin), &low) ||
	    __builtin_mul_overflow(reach->stride_bytes, (int64_t)(is_down ? begin : end), &high) ||
	    __builtin_add_overflow(low, reach->low_bytes, &low) ||
	    __builtin_add_overflow(high, reach->high_bytes, &high))
		return whole;
	from = clamp(low, size_bytes);
	to = clamp(high, size_bytes);
	return (predictd_split_range){from, to > from ? to - from : 0};
}

void split_parts_bytes(const predictd_split_argument *argument, uint64_t begin, uint64_t items,
                       uint64_t size_bytes, predictd_split_range *reads,
                       predictd_split_range *writes)
{
	*reads = reach_range(&argument->reads, begin, items, size_bytes);
	*writes = reach_range(&argument->writes, begin, items, size_bytes);
	if (argument->is_filled || writes->bytes == 0)
		return;
	/* what it may leave as it was comes back with the rest */
	uint64_t end = writes->offset_bytes + writes->bytes;
	uint64_t own = reads->offset_bytes + reads->bytes;
	if (reads->bytes == 0) {
		*reads = *writes;
		return;
	}
	if (writes->offset_bytes < reads->offset_bytes)
		reads->offset_bytes = writes->offset_bytes;
	reads->bytes = (end > own ? end : own) - reads->offset_bytes;
}
