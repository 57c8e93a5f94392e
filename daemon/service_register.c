/* SPDX-License-Identifier: Apache-2.0 */
/* Registering programs: from memory, the store or the analyser, once for all that ask at a time. */
#include "daemon/service.h"

#include "model/frontend/frontend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utlist.h>

/* A program being looked up or analysed, and who waits for it. */
struct registration {
	struct program_lookup lookup;
	struct daemon *daemon;
	struct program_key key;
	uid_t user;     /* who asked first */
	uint8_t *frame; /* the program; NULL: the analyser's */
	size_t frame_bytes;
	struct analysis_job *job; /* NULL: it is looked up */
	struct registration_wait *waits;
	UT_hash_handle hh;
};

struct registration_wait {
	struct request request;
	struct registration *registration;
	struct registration_wait *next, *prev;
};

static const char *const kind_words[ARGUMENT_KIND_COUNT] = {
        [ARGUMENT_BUFFER] = "buffer", [ARGUMENT_SCALAR] = "scalar", [ARGUMENT_LOCAL] = "local",
        [ARGUMENT_STRUCT] = "struct", [ARGUMENT_IMAGE] = "image",   [ARGUMENT_SAMPLER] = "sampler",
};

static char *argument_type(const struct ir_kernel *kernel, uint32_t number, struct arena *arena)
{
	const struct ir_argument *argument = &kernel->arguments[number];
	char text[64], type[16] = "";
	switch (argument->kind) {
	case ARGUMENT_STRUCT:
		snprintf(text, sizeof text, "struct %u", argument->size_bytes);
		break;
	case ARGUMENT_BUFFER:
	case ARGUMENT_SCALAR:
	case ARGUMENT_LOCAL:
		if (type_is_valid(argument->type) && argument->type.scalar != SCALAR_VOID)
			type_format(argument->type, type);
		else
			snprintf(type, sizeof type, "%u", argument->size_bytes);
		snprintf(text, sizeof text, "%s %s", kind_words[argument->kind], type);
		break;
	case ARGUMENT_IMAGE: {
		static const char *const accesses[] = {"rw", "r", "w", "rw"};
		snprintf(text, sizeof text, "image %s %s %s",
		         image_kind_name((enum image_kind)argument->image),
		         accesses[argument->access & 3],
		         image_format_name(launch_assumed_format(kernel, number)));
		break;
	}
	default:
		snprintf(text, sizeof text, "%s",
		         argument->kind < ARGUMENT_KIND_COUNT ? kind_words[argument->kind] : "?");
		break;
	}
	return arena_text(arena, text);
}

static bool describe_arguments(const struct ir_kernel *kernel, Predictd__KernelInfo *info,
                               struct arena *arena)
{
	size_t count = kernel->argument_count;
	if (count == 0)
		return true;
	info->argument_names = arena_allocate(arena, count * sizeof(*info->argument_names));
	info->argument_types = arena_allocate(arena, count * sizeof(*info->argument_types));
	if (info->argument_names == NULL || info->argument_types == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		info->argument_names[i] = kernel->arguments[i].name;
		info->argument_types[i] = argument_type(kernel, (uint32_t)i, arena);
		if (info->argument_types[i] == NULL)
			return false;
	}
	info->n_argument_names = count;
	info->n_argument_types = count;
	return true;
}

static bool describe(const struct program *program, Predictd__RegisterReply *reply,
                     struct arena *arena)
{
	size_t count = program->kernel_count;
	reply->handle = program->handle;
	reply->analysis_time_s = program->analysis_time_s;
	if (count == 0)
		return true;
	reply->kernels = arena_allocate(arena, count * sizeof(*reply->kernels));
	Predictd__KernelInfo *infos = arena_allocate(arena, count * sizeof *infos);
	if (reply->kernels == NULL || infos == NULL)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct ir_kernel *kernel = program->kernels[i];
		predictd__kernel_info__init(&infos[i]);
		infos[i].name = kernel->name;
		infos[i].unsupported = kernel->unsupported;
		if (kernel->required_local[0] != 0) {
			infos[i].required_local = kernel->required_local;
			infos[i].n_required_local = 3;
		}
		if (!describe_arguments(kernel, &infos[i], arena))
			return false;
		reply->kernels[i] = &infos[i];
	}
	reply->n_kernels = count;
	return true;
}

static void reply_program(struct session *session, uint64_t id, const struct program *program,
                          struct arena *arena)
{
	Predictd__RegisterReply reply = PREDICTD__REGISTER_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	if (!describe(program, &reply, arena)) {
		struct error error;
		error_set(&error, STATUS_NO_MEMORY, "program: no memory to describe it");
		session_reply_error(session, id, &error);
		return;
	}
	response.body_case = PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM;
	response.register_program = &reply;
	session_reply(session, id, &response);
}

/* Answers all that wait: the program, or the error. */
static void finish(struct registration *registration, const struct program *program,
                   const struct error *error)
{
	if (registration->hh.tbl != NULL)
		HASH_DEL(registration->daemon->registrations, registration);
	while (registration->waits != NULL) {
		struct registration_wait *wait = registration->waits;
		struct session *session = request_take(&wait->request);
		DL_DELETE(registration->waits, wait);
		if (session != NULL && program == NULL) {
			session_reply_error(session, wait->request.id, error);
			request_sent(session);
		} else if (session != NULL) {
			/* not the session's arena: its turn may be in the midst of a batch */
			struct arena arena;
			arena_init(&arena, 16 << 20);
			reply_program(session, wait->request.id, program, &arena);
			arena_deinit(&arena);
			request_sent(session);
		}
		free(wait);
	}
	free(registration->frame);
	free(registration);
}

static void on_analysed(void *data, struct analysis_result *result)
{
	struct registration *registration = data;
	struct daemon *daemon = registration->daemon;
	struct program *program = NULL;
	enum status status = result->status;
	uint64_t now_ns = uv_hrtime();
	struct user *user = user_get(&daemon->users, registration->user, now_ns);
	if (user != NULL)
		user_count(user, USE_ANALYSES, now_ns, result->run_ns);
	if (status == STATUS_OK) {
		const struct program_content *content = &result->content;
		program_keeping_save(&daemon->program_keeping, &registration->key, content->packed,
		                     content->packed_bytes, content->analysis_time_s);
		status = program_cache_add(&daemon->programs, &registration->key, &result->content,
		                           &program, &result->error);
	}
	if (program != NULL)
		program->kept_at_s = (int64_t)time(NULL);
	result->error.status = status;
	finish(registration, program, &result->error);
}

/* Hands the program to the analyser. */
static enum status analyse(struct registration *registration, struct error *error)
{
	uint8_t *frame = registration->frame;
	registration->frame = NULL; /* the analysis takes it */
	return analysis_submit(&registration->daemon->analysis, frame, registration->frame_bytes,
	                       registration->user, on_analysed, registration, &registration->job,
	                       error);
}

static void on_looked_up(struct program_lookup *lookup)
{
	struct registration *registration = (struct registration *)lookup; /* its first member */
	struct daemon *daemon = registration->daemon;
	struct program *program = NULL;
	struct error error;
	enum status status;
	if (lookup->content.kernels == NULL) {
		if (registration->waits != NULL)
			status = analyse(registration, &error);
		else /* who asked has left */
			status = error_set(&error, STATUS_CANCELLED, "program: cancelled");
		if (status == STATUS_OK)
			return;
	} else {
		status = program_cache_add(&daemon->programs, &registration->key, &lookup->content,
		                           &program, &error);
	}
	if (program != NULL) {
		program->kept_at_s = lookup->used_at_s;
		program_keeping_use(&daemon->program_keeping, program);
	}
	error.status = status;
	finish(registration, program, &error);
}

/* An analysis that runs goes on, since its kernels are kept for who asks next. */
static void drop_unwanted(struct registration *registration)
{
	struct analysis *analysis = &registration->daemon->analysis;
	if (registration->waits == NULL && registration->job != NULL &&
	    analysis_withdraw(analysis, registration->job))
		finish(registration, NULL, NULL);
}

static void on_abandoned(struct request *request, bool has_left)
{
	struct registration_wait *wait = (struct registration_wait *)request; /* its first member */
	struct error error;
	DL_DELETE(wait->registration->waits, wait);
	drop_unwanted(wait->registration);
	error_set(&error, STATUS_CANCELLED, "program: cancelled");
	if (!has_left)
		request_finish_error(request, &error);
	free(wait);
}

static enum status check_program(const Predictd__Program *program, struct error *error)
{
	if (program == NULL || program->source.len == 0)
		return error_set(error, STATUS_INVALID, "program: want a source, got none");
	if (program->source.len > FRONTEND_SOURCE_MAX)
		return error_set(error, STATUS_LIMIT, "source: want at most %d bytes, got %zu",
		                 FRONTEND_SOURCE_MAX, program->source.len);
	if (strlen(program->options) > FRONTEND_OPTIONS_MAX)
		return error_set(error, STATUS_LIMIT, "options: want at most %d bytes, got %zu",
		                 FRONTEND_OPTIONS_MAX, strlen(program->options));
	if (program->n_headers > FRONTEND_HEADERS_MAX)
		return error_set(error, STATUS_LIMIT, "want at most %d headers, got %zu",
		                 FRONTEND_HEADERS_MAX, program->n_headers);
	return STATUS_OK;
}

/* Looks the program up, or has it analysed. */
static enum status begin(struct session *session, const Predictd__Program *program,
                         const struct program_key *key, struct registration **result,
                         struct error *error)
{
	struct daemon *daemon = session->daemon;
	struct registration *registration = calloc(1, sizeof *registration);
	enum status status = STATUS_OK;
	if (registration == NULL ||
	    !frame_pack(&program->base, &registration->frame, &registration->frame_bytes)) {
		free(registration);
		return error_set(error, STATUS_NO_MEMORY, "program: no memory");
	}
	registration->daemon = daemon;
	registration->key = *key;
	registration->user = session->user;
	if (!program_keeping_find(&daemon->program_keeping, &registration->lookup, key,
	                          registration->frame_bytes, on_looked_up))
		status = analyse(registration, error);
	if (status != STATUS_OK) {
		free(registration);
		return status;
	}
	HASH_ADD(hh, daemon->registrations, key, sizeof registration->key, registration);
	/* without memory for the table it is found by nobody else, and ends all the same */
	*result = registration;
	return STATUS_OK;
}

/* Answers from memory, or keeps the request until the program is known. */
static enum status find(struct session *session, const struct work *work,
                        const struct program_key *key, struct error *error)
{
	struct daemon *daemon = session->daemon;
	const Predictd__Program *program = work->message->register_program->program;
	enum status status;
	struct program *known = program_cache_find(&daemon->programs, key);
	if (known != NULL) {
		program_keeping_use(&daemon->program_keeping, known);
		reply_program(session, work->message->id, known, &session->arena);
		return STATUS_OK;
	}
	struct registration_wait *wait = calloc(1, sizeof *wait);
	if (wait == NULL)
		return error_set(error, STATUS_NO_MEMORY, "program: no memory");
	status = request_begin(&wait->request, session, work->message->id, on_abandoned, error);
	if (status != STATUS_OK) {
		free(wait);
		return status;
	}
	struct registration *registration;
	HASH_FIND(hh, daemon->registrations, key, sizeof *key, registration);
	if (registration == NULL)
		status = begin(session, program, key, &registration, error);
	if (status != STATUS_OK) {
		(void)request_take(&wait->request);
		free(wait);
		return status;
	}
	wait->registration = registration;
	DL_APPEND(registration->waits, wait);
	return STATUS_OK;
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
	enum status status = check_program(work->message->register_program->program, error);
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
