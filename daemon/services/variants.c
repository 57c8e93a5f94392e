/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registering one source under many build options: each is a program as any other, found, kept
 * and refused by itself. Those that are not known are analysed in a batch (batch.h).
 */
#include "daemon/services/batch.h"

#include "proto/frame.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
	VARIANTS_MAX = 1024,
	REPLY_SPARE_BYTES = 1024, /* around the variants' replies */
	REPLY_PREFIX_BYTES = 8    /* around each */
};

struct variant {
	struct registration_wait wait;
	struct variants *owner;
	bool is_pending;
	uint8_t *reply; /* packed; NULL: not made */
	size_t reply_bytes;
};

struct variants {
	struct request request; /* its first member */
	struct daemon *daemon;
	struct batch *batch;                  /* while it is open */
	struct program_key_state source, key; /* hashed: of all of them, of the one at hand */
	bool has_source, has_key;
	bool is_begun;
	size_t begun, pending, made;
	size_t replies_bytes;
	struct user_share share;
	size_t count;
	struct variant list[];
};

/* Ends it for whoever still waits: nobody. */
static void variants_free(struct variants *variants)
{
	for (size_t i = 0; i < variants->begun; i++) {
		variants->list[i].is_pending = false;
		if (variants->list[i].wait.registration != NULL)
			registration_leave(&variants->list[i].wait);
		free(variants->list[i].reply);
	}
	if (variants->batch != NULL)
		batch_close(variants->batch);
	(void)user_hold(&variants->daemon->users, NULL, &variants->share, 0);
	free(variants);
}

static void on_left(struct request *request, bool has_left)
{
	(void)has_left;
	variants_free((struct variants *)request); /* its first member */
}

static void on_abandoned(struct request *request, bool has_left)
{
	struct error error;
	error_set(&error, STATUS_CANCELLED, "variants: cancelled");
	if (!has_left)
		request_finish_error(request, &error);
	variants_free((struct variants *)request); /* its first member */
}

/* ---- replies ------------------------------------------------------------------------------- */

static bool keep_reply(struct variants *variants, struct variant *variant, uint8_t *reply,
                       size_t bytes)
{
	variant->reply = reply;
	variant->reply_bytes = bytes;
	variants->replies_bytes += bytes + REPLY_PREFIX_BYTES;
	return reply != NULL;
}

/* A refusal is the variant's own; false: no memory for it. */
static bool keep_error(struct session *session, struct variants *variants, struct variant *variant,
                       Predictd__Error *message, const struct error *error)
{
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	response.body_case = PREDICTD__RESPONSE__BODY_ERROR;
	response.error = message;
	size_t bytes = predictd__response__get_packed_size(&response);
	uint8_t *reply = malloc(bytes);
	if (reply != NULL)
		(void)predictd__response__pack(&response, reply);
	session_count_refusal(session, error);
	return keep_reply(variants, variant, reply, bytes);
}

static bool refuse(struct session *session, struct variants *variants, struct variant *variant,
                   struct error *error)
{
	Predictd__Error message = PREDICTD__ERROR__INIT;
	message.status = error->status;
	message.text = error->text;
	return keep_error(session, variants, variant, &message, error);
}

/* Makes a reply, or a part of it. */
static bool make_reply(struct session *session, struct variants *variants, struct variant *variant,
                       struct error *error)
{
	struct registration *registration = variant->wait.registration;
	bool fits, is_kept;
	bool is_made = registration_answer(registration, session->quota, &fits);
	if (!fits) {
		(void)error_set(error, STATUS_LIMIT,
		                "answers of this user: no memory for more at once");
		return false;
	}
	if (!is_made)
		return true;
	if (registration->error.status != STATUS_OK) {
		Predictd__Error message;
		registration_error(registration, &message);
		is_kept = keep_error(session, variants, variant, &message, &registration->error);
	} else {
		uint8_t *reply = malloc(registration->body_bytes);
		if (reply != NULL)
			memcpy(reply, registration->body, registration->body_bytes);
		is_kept = keep_reply(variants, variant, reply, registration->body_bytes);
	}
	registration_leave(&variant->wait);
	if (!is_kept)
		(void)error_set(error, STATUS_NO_MEMORY, "variants: no memory");
	else if (!user_hold(&variants->daemon->users, session->quota, &variants->share,
	                    sizeof *variants + variants->count * sizeof *variant +
	                            variants->replies_bytes))
		(void)error_set(error, STATUS_LIMIT,
		                "answers of this user: no memory for more at once");
	else if (variants->replies_bytes > FRAME_BYTES_MAX - REPLY_SPARE_BYTES)
		(void)error_set(error, STATUS_LIMIT,
		                "variants: their answers are over %d bytes: ask for fewer at once",
		                FRAME_BYTES_MAX);
	return error->status == STATUS_OK;
}

/* All of them in one. */
static void reply_all(struct session *session, uint64_t id, struct variants *variants)
{
	Predictd__RegisterVariantsReply body = PREDICTD__REGISTER_VARIANTS_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	struct error error;
	body.replies = arena_allocate(&session->arena, variants->count * sizeof *body.replies);
	if (body.replies == NULL) {
		error_set(&error, STATUS_NO_MEMORY, "variants: no memory");
		session_reply_error(session, id, &error);
		return;
	}
	for (size_t i = 0; i < variants->count; i++)
		body.replies[body.n_replies++] = (ProtobufCBinaryData){
		        variants->list[i].reply_bytes, variants->list[i].reply};
	response.body_case = PREDICTD__RESPONSE__BODY_REGISTER_VARIANTS;
	response.register_variants = &body;
	session_reply(session, id, &response);
}

static bool step_answer(struct session *session, struct work *work)
{
	struct variants *variants = work->data; /* the request, its first member */
	struct error error = {.status = STATUS_OK};
	while (variants->made < variants->count && variants->list[variants->made].reply != NULL)
		variants->made++;
	if (variants->made < variants->count &&
	    make_reply(session, variants, &variants->list[variants->made], &error))
		return false;
	(void)request_take(&variants->request);
	if (error.status != STATUS_OK)
		session_reply_error(session, work->message->id, &error);
	else
		reply_all(session, work->message->id, variants);
	variants_free(variants);
	return true;
}

/* ---- beginning ----------------------------------------------------------------------------- */

static void known(struct variant *variant)
{
	struct variants *variants = variant->owner;
	variants->pending -= variant->is_pending;
	variant->is_pending = false;
	if (variants->is_begun && variants->pending == 0)
		request_ready(&variants->request, step_answer, on_left);
}

static void on_known(struct registration_wait *wait)
{
	known((struct variant *)wait); /* its first member */
}

/* Finds a program, or has it analysed. */
static enum status begin(struct session *session, struct variants *variants,
                         struct variant *variant, const Predictd__Program *program,
                         const struct program_key *key, struct error *error)
{
	struct daemon *daemon = session->daemon;
	uint64_t language;
	enum status status = registration_check(program, error);
	if (status == STATUS_OK)
		status = registration_language(daemon, key, &language, error);
	if (status != STATUS_OK)
		return status;
	struct program *kept = program_cache_find(&daemon->programs, key, language);
	metrics_look_up(&daemon->metrics, METRICS_CACHE_PROGRAMS, kept != NULL);
	if (kept != NULL)
		program_persistence_use(&daemon->program_persistence, kept);
	variant->is_pending = true;
	variants->pending++;
	status = registration_join(session, program, key, language, kept, variants->batch,
	                           &variant->wait, error);
	if (variant->is_pending && (status != STATUS_OK || variant->wait.registration->is_known)) {
		variant->is_pending = false;
		variants->pending--;
	}
	return status;
}

/* A part of a key, or of the source that is in all of them. */
static bool step_key(struct variants *variants, const Predictd__Program *program,
                     struct program_key *key)
{
	if (!variants->has_source) {
		variants->has_source = program_key_source_step(&variants->source, program);
		return false;
	}
	if (!variants->has_key)
		variants->key = variants->source;
	variants->has_key = !program_key_step(&variants->key, program, key);
	return !variants->has_key;
}

static bool step_begin(struct session *session, struct work *work)
{
	struct variants *variants = work->data;
	const Predictd__RegisterVariants *message = work->message->register_variants;
	struct variant *variant = &variants->list[variants->begun];
	struct error error;
	struct program_key key;
	if (variants->begun < variants->count) {
		Predictd__Program program = *message->program;
		program.options = message->options[variants->begun];
		if (!step_key(variants, &program, &key))
			return false;
		variant->owner = variants;
		variant->wait.known = on_known;
		variants->begun++;
		error.status = begin(session, variants, variant, &program, &key, &error);
		if (error.status == STATUS_OK || refuse(session, variants, variant, &error)) {
			batch_pump(variants->batch);
			return false;
		}
		(void)request_take(&variants->request);
		session_reply_error(session, work->message->id, &error);
		variants_free(variants);
		return true;
	}
	variants->is_begun = true;
	if (variants->pending == 0)
		request_ready(&variants->request, step_answer, on_left);
	struct batch *batch = variants->batch;
	variants->batch = NULL; /* it goes on by itself */
	batch_close(batch);
	return true;
}

enum status service_register_variants(struct session *session, struct work *work,
                                      struct error *error)
{
	const Predictd__RegisterVariants *message = work->message->register_variants;
	enum status status = registration_check(message->program, error);
	if (status != STATUS_OK)
		return status;
	if (message->program->options[0] != '\0')
		return error_set(error, STATUS_INVALID,
		                 "variants: want no options beside theirs, got %zu bytes",
		                 strlen(message->program->options));
	size_t count = message->n_options;
	if (count == 0 || count > VARIANTS_MAX)
		return error_set(error, STATUS_LIMIT, "want 1 to %d variants, got %zu",
		                 VARIANTS_MAX, count);
	struct variants *variants = calloc(1, sizeof *variants + count * sizeof *variants->list);
	if (variants != NULL)
		variants->batch = batch_new(session, message->program, count);
	if (variants == NULL || variants->batch == NULL) {
		free(variants);
		return error_set(error, STATUS_NO_MEMORY, "variants: no memory");
	}
	variants->daemon = session->daemon;
	variants->count = count;
	program_key_begin(&variants->source);
	status = request_begin(&variants->request, session, work->message->id, on_abandoned, error);
	if (status != STATUS_OK) {
		variants_free(variants);
		return status;
	}
	work->request = &variants->request;
	work->data = variants;
	work->step = step_begin;
	return STATUS_OK;
}
