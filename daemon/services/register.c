/* SPDX-License-Identifier: Apache-2.0 */
/* Registering one program. */
#include "daemon/services/registration.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

/* A request that waits for its program. */
struct registering {
	struct request request; /* its first member */
	struct registration_wait wait;
};

static void registering_free(struct registering *registering)
{
	registration_leave(&registering->wait);
	free(registering);
}

static void on_left(struct request *request, bool has_left)
{
	(void)has_left;
	registering_free((struct registering *)request); /* its first member */
}

/* What is wrong, and which header is missing. */
static void reply_error(struct session *session, uint64_t id, struct registration *registration)
{
	Predictd__Error message;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	registration_error(registration, &message);
	response.body_case = PREDICTD__RESPONSE__BODY_ERROR;
	response.error = &message;
	session_count_refusal(session, &registration->error);
	session_reply(session, id, &response);
}

/* Answers one that waited. */
static bool step_ready(struct session *session, struct work *work)
{
	struct registering *registering = work->data; /* the request, its first member */
	struct registration *registration = registering->wait.registration;
	struct error error;
	bool fits;
	bool is_made = registration_answer(registration, session->quota, &fits);
	if (!is_made && fits)
		return false;
	(void)request_take(&registering->request);
	if (!fits) { /* others who wait go on with it */
		error_set(&error, STATUS_LIMIT, "answers of this user: no memory for more at once");
		session_reply_error(session, work->message->id, &error);
	} else if (registration->error.status != STATUS_OK)
		reply_error(session, work->message->id, registration);
	else
		session_reply_packed(session, work->message->id, registration->body,
		                     registration->body_bytes);
	registering_free(registering);
	return true;
}

static void on_known(struct registration_wait *wait)
{
	struct registering *registering =
	        (struct registering *)((char *)wait - offsetof(struct registering, wait));
	request_ready(&registering->request, step_ready, on_left);
}

static void on_abandoned(struct request *request, bool has_left)
{
	struct registering *registering = (struct registering *)request; /* its first member */
	struct error error;
	registration_leave(&registering->wait);
	error_set(&error, STATUS_CANCELLED, "program: cancelled");
	if (!has_left)
		request_finish_error(request, &error);
	free(registering);
}

/* The request waits for what is known of that program. */
static enum status join(struct session *session, const struct work *work,
                        const struct program_key *key, uint64_t language,
                        const struct program *known, struct error *error)
{
	struct registering *registering = calloc(1, sizeof *registering);
	if (registering == NULL)
		return error_set(error, STATUS_NO_MEMORY, "program: no memory");
	registering->wait.known = on_known;
	enum status status = request_begin(&registering->request, session, work->message->id,
	                                   on_abandoned, error);
	if (status != STATUS_OK) {
		free(registering);
		return status;
	}
	status = registration_join(session, work->message->register_program->program, key, language,
	                           known, NULL, &registering->wait, error);
	if (status != STATUS_OK) {
		(void)request_take(&registering->request);
		free(registering);
		return status;
	}
	if (registering->wait.registration->is_known && registering->request.step == NULL)
		request_ready(&registering->request, step_ready, on_left);
	return STATUS_OK;
}

/* In one step, or not at all. */
static bool is_short(const struct program *program)
{
	size_t parts = program->kernel_count;
	for (size_t i = 0; i < program->kernel_count && parts < DESCRIBED_IN_STEP / 2; i++)
		parts += 1 + program->kernels[i]->argument_count;
	return parts < DESCRIBED_IN_STEP / 2;
}

static enum status reply_short(struct session *session, const struct work *work,
                               const struct program *program, struct error *error)
{
	struct description description = {.handle = program->group->handle,
	                                  .language = program->language};
	bool is_whole;
	enum status status = description_step(&session->daemon->programs, &description,
	                                      &session->arena, &is_whole, error);
	if (status != STATUS_OK)
		return status;
	assert(is_whole);
	Predictd__Response response = description_response(&description);
	session_reply(session, work->message->id, &response);
	return STATUS_OK;
}

/* Answers from memory, or keeps the request until the program is known and its turn has come. */
static enum status find(struct session *session, const struct work *work,
                        const struct program_key *key, struct error *error)
{
	struct daemon *daemon = session->daemon;
	uint64_t language;
	enum status status = registration_language(daemon, key, &language, error);
	if (status != STATUS_OK)
		return status;
	struct program *known = program_cache_find(&daemon->programs, key, language);
	metrics_look_up(&daemon->metrics, METRICS_CACHE_PROGRAMS, known != NULL);
	if (known != NULL)
		program_persistence_use(&daemon->program_persistence, known);
	if (known != NULL && is_short(known))
		return reply_short(session, work, known, error);
	return join(session, work, key, language, known, error);
}

static bool step_register(struct session *session, struct work *work)
{
	struct program_key key;
	struct error error;
	if (!program_key_step(work->data, work->message->register_program->program, &key))
		return false;
	enum status status = find(session, work, &key, &error);
	if (status != STATUS_OK) {
		error.status = status;
		session_reply_error(session, work->message->id, &error);
	}
	return true;
}

enum status service_register_program(struct session *session, struct work *work,
                                     struct error *error)
{
	enum status status = registration_check(work->message->register_program->program, error);
	if (status != STATUS_OK)
		return status;
	struct program_key_state *state = arena_allocate(&session->arena, sizeof *state);
	if (state == NULL)
		return error_set(error, STATUS_NO_MEMORY, "program: no memory");
	program_key_begin(state);
	work->data = state;
	work->step = step_register;
	return STATUS_OK;
}
