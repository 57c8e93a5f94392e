/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registering programs: from memory, the store or the analyser, once for all that ask at a time.
 *
 * A registration has a program analysed in one language (daemon/codec/language.h): in one that a
 * question wanted, else in that of the device that a question without a device means. Where that
 * one's compiler would refuse it, others' are tried: who asks registers it again, and has it in
 * time.
 */
#include "daemon/services/service.h"

#include "model/frontend/frontend.h"
#include "proto/text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utlist.h>

enum {
	DESCRIBED_IN_STEP = 256, /* kernels and arguments: some fifty microseconds */
	DESCRIPTION_BYTES_MAX = 32 << 20
};

/* An answer being made, in an arena. */
struct description {
	uint64_t handle, language;
	size_t kernel, argument; /* the next */
	Predictd__RegisterReply reply;
	Predictd__KernelInfo *infos; /* NULL: not begun */
};

/* A program being looked up or analysed, and who waits for it, or for his turn to be answered. */
struct registration {
	struct program_lookup lookup;
	struct daemon *daemon;
	struct program_key key;     /* in its language */
	struct program_key program; /* of source, options and headers */
	uint64_t language;
	uid_t user;     /* who asked first */
	uint8_t *frame; /* for the analyser; NULL: it has it */
	size_t frame_bytes;
	struct analysis_job *job; /* NULL: it is looked up */
	struct user_share share;  /* the frame, of who asked first; the answer, of who makes it */
	struct registration_wait *waits;
	bool is_known;                  /* what came of it: */
	struct error error;             /* if anything is wrong, */
	struct analysis_report report;  /* and the header that is missing then, or */
	struct description description; /* the answer, being made, */
	struct arena arena;             /* of it, */
	uint8_t *body;                  /* and packed but for an id, for all that wait */
	size_t body_bytes;
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

/* Room for the kernels of a program, and what is known of it as a whole. */
static bool describe_program(struct description *description, const struct program *program,
                             struct arena *arena)
{
	size_t count = program->kernel_count;
	Predictd__RegisterReply *reply = &description->reply;
	predictd__register_reply__init(reply);
	reply->handle = program->group->handle;
	reply->analysis_time_s = program->analysis_time_s;
	reply->undefined = arena_text(arena, program->undefined != NULL ? program->undefined : "");
	reply->left_out = arena_text(arena, program->left_out != NULL ? program->left_out : "");
	reply->kernels = arena_allocate(arena, (count + 1) * sizeof(*reply->kernels));
	description->infos = arena_allocate(arena, (count + 1) * sizeof *description->infos);
	return reply->undefined != NULL && reply->left_out != NULL && reply->kernels != NULL &&
	       description->infos != NULL;
}

/* Begins a kernel's. Names are copied: the program may be forgotten between two steps. */
static bool describe_kernel(struct description *description, const struct ir_kernel *kernel,
                            struct arena *arena)
{
	Predictd__KernelInfo *info = &description->infos[description->kernel];
	size_t count = kernel->argument_count;
	predictd__kernel_info__init(info);
	info->name = arena_text(arena, kernel->name);
	info->unsupported = arena_text(arena, kernel->unsupported);
	info->argument_names = arena_allocate(arena, (count + 1) * sizeof(*info->argument_names));
	info->argument_types = arena_allocate(arena, (count + 1) * sizeof(*info->argument_types));
	if (info->name == NULL || info->unsupported == NULL || info->argument_names == NULL ||
	    info->argument_types == NULL)
		return false;
	if (kernel->required_local[0] != 0) {
		info->required_local = arena_allocate(arena, 3 * sizeof *info->required_local);
		if (info->required_local == NULL)
			return false;
		memcpy(info->required_local, kernel->required_local,
		       3 * sizeof *info->required_local);
		info->n_required_local = 3;
	}
	description->reply.kernels[description->reply.n_kernels++] = info;
	return true;
}

static bool describe_argument(struct description *description, const struct ir_kernel *kernel,
                              struct arena *arena)
{
	Predictd__KernelInfo *info = &description->infos[description->kernel];
	size_t number = description->argument++;
	info->argument_names[number] = arena_text(arena, kernel->arguments[number].name);
	info->argument_types[number] = argument_type(kernel, (uint32_t)number, arena);
	info->n_argument_names = info->n_argument_types = number + 1;
	return info->argument_names[number] != NULL && info->argument_types[number] != NULL;
}

/* Some more of a program; *is_whole when there is no more. */
static enum status describe(struct program_cache *programs, struct description *description,
                            struct arena *arena, bool *is_whole, struct error *error)
{
	const struct program *program =
	        program_cache_find_handle(programs, description->handle, description->language);
	bool fits = true;
	*is_whole = false;
	if (program == NULL)
		return error_set(error, STATUS_BUSY,
		                 "program: forgotten before its answer was made, since many "
		                 "others came: register it again");
	if (description->infos == NULL)
		fits = describe_program(description, program, arena);
	for (unsigned done = 0; fits && done < DESCRIBED_IN_STEP; done++) {
		if (description->kernel == program->kernel_count) {
			*is_whole = true;
			return STATUS_OK;
		}
		const struct ir_kernel *kernel = program->kernels[description->kernel];
		if (description->reply.n_kernels == description->kernel) {
			fits = describe_kernel(description, kernel, arena);
		} else if (description->argument < kernel->argument_count) {
			fits = describe_argument(description, kernel, arena);
		} else {
			description->kernel++;
			description->argument = 0;
		}
	}
	if (!fits)
		return error_set(error, STATUS_NO_MEMORY, "program: no memory to describe it");
	return STATUS_OK;
}

static Predictd__Response response_of(struct description *description)
{
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	response.body_case = PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM;
	response.register_program = &description->reply;
	return response;
}

/* ---- who waits ----------------------------------------------------------------------------- */

/* Counts what it holds for him, and for nobody else any more; false beyond his share. */
static bool count_registration(struct registration *registration, struct user *user)
{
	struct users *users = &registration->daemon->users;
	size_t bytes = registration->arena.total + registration->body_bytes;
	if (!registration->is_known)
		bytes += registration->frame_bytes; /* also while the analyser has it */
	if (registration->share.user != user)
		(void)user_hold(users, NULL, &registration->share, 0);
	return user_hold(users, user, &registration->share, bytes);
}

static void registration_free(struct registration *registration)
{
	if (registration->hh.tbl != NULL)
		HASH_DEL(registration->daemon->registrations, registration);
	(void)user_hold(&registration->daemon->users, NULL, &registration->share, 0);
	arena_deinit(&registration->arena);
	free(registration->body);
	free(registration->frame);
	free(registration);
}

/* Leaves the registration, which ends with the last when it is known what came of it. */
static void wait_free(struct registration_wait *wait)
{
	struct registration *registration = wait->registration;
	DL_DELETE(registration->waits, wait);
	if (registration->is_known && registration->waits == NULL)
		registration_free(registration);
	free(wait);
}

static void on_left(struct request *request, bool has_left)
{
	(void)has_left;
	wait_free((struct registration_wait *)request); /* its first member */
}

/* Goes on with the answer of all that wait; true when it is packed, or what is wrong is known. */
static bool make_answer(struct registration *registration)
{
	struct error *error = &registration->error;
	struct description *description = &registration->description;
	bool is_whole = false;
	if (registration->body != NULL || error->status != STATUS_OK)
		return true;
	error->status = describe(&registration->daemon->programs, description, &registration->arena,
	                         &is_whole, error);
	if (error->status == STATUS_OK && is_whole) {
		Predictd__Response response = response_of(description);
		registration->body_bytes = predictd__response__get_packed_size(&response);
		registration->body = malloc(registration->body_bytes);
		if (registration->body != NULL)
			(void)predictd__response__pack(&response, registration->body);
		else
			error_set(error, STATUS_NO_MEMORY, "program: no memory");
		arena_deinit(&registration->arena);
	}
	return is_whole || error->status != STATUS_OK;
}

/* What is wrong, and which header is missing. */
static void reply_error(struct session *session, uint64_t id, struct registration *registration)
{
	Predictd__Error message = PREDICTD__ERROR__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	message.status = registration->error.status;
	message.text = registration->error.text;
	message.header = registration->report.header;
	message.header_from = registration->report.header_from;
	text_clean(message.text); /* what it quotes may have been cut */
	response.body_case = PREDICTD__RESPONSE__BODY_ERROR;
	response.error = &message;
	session_count_refusal(session, &registration->error);
	session_reply(session, id, &response);
}

/* Answers one that waited. */
static bool step_ready(struct session *session, struct work *work)
{
	struct registration_wait *wait = work->data; /* the request, its first member */
	struct registration *registration = wait->registration;
	struct error error;
	bool is_made = make_answer(registration);
	bool fits = count_registration(registration, session->quota);
	if (!is_made && fits)
		return false;
	(void)request_take(&wait->request);
	if (!fits) { /* others who wait go on with it */
		error_set(&error, STATUS_LIMIT, "answers of this user: no memory for more at once");
		session_reply_error(session, work->message->id, &error);
	} else if (registration->error.status != STATUS_OK)
		reply_error(session, work->message->id, registration);
	else
		session_reply_packed(session, work->message->id, registration->body,
		                     registration->body_bytes);
	wait_free(wait);
	return true;
}

/* Has all that wait answered, each in his turn: the program, or the error. */
static void finish(struct registration *registration, const struct program *program,
                   const struct error *error)
{
	struct registration_wait *wait, *next;
	if (registration->waits == NULL) {
		registration_free(registration);
		return;
	}
	free(registration->frame);
	registration->frame = NULL;
	registration->is_known = true;
	(void)count_registration(registration, NULL);
	if (program != NULL)
		registration->description.handle = program->group->handle;
	else
		registration->error = *error;
	DL_FOREACH_SAFE(registration->waits, wait, next)
	{
		request_ready(&wait->request, step_ready, on_left);
	}
}

/* ---- in which language --------------------------------------------------------------------- */

/* What a question without a device is answered for, or the first that has to be named; 0: none. */
static uint64_t default_language(const struct registry *registry)
{
	struct error error;
	size_t device;
	if (registry_find(registry, "", &device, &error) == STATUS_OK)
		return registry->devices[device]->language;
	return registry->count > 0 ? registry->devices[0]->language : 0;
}

static bool is_refused(struct daemon *daemon, const struct program_key *program, uint64_t language,
                       struct error *error)
{
	struct program_key key = program_key_in(program, language);
	return refusal_memo_find(&daemon->refusals, &key, uv_hrtime(), error) != STATUS_OK;
}

/*
 * Wanted ones first, each analysed once; then the default, then what other devices have. One that
 * refused the program is passed over; where every one did, *error says why the default did.
 */
static enum status choose_language(struct daemon *daemon, const struct program_key *program,
                                   uint64_t *language, struct error *error)
{
	const struct registry *registry = &daemon->registry;
	const struct program_group *group = program_cache_group_of(&daemon->programs, program);
	struct error ignored;
	for (size_t i = 0; group != NULL && i < group->wanted_count; i++) {
		*language = group->wanted[i];
		if (!program_group_has(group, *language) &&
		    !is_refused(daemon, program, *language, &ignored))
			return STATUS_OK;
	}
	*language = default_language(registry);
	if (!is_refused(daemon, program, *language, error))
		return STATUS_OK;
	if (error->status != STATUS_SYNTAX && error->status != STATUS_INVALID)
		return error->status;
	for (size_t i = 0; i < registry->count; i++) {
		*language = registry->devices[i]->language;
		if (registry->devices[i]->device.is_calibrated &&
		    !is_refused(daemon, program, *language, &ignored))
			return STATUS_OK;
	}
	return error->status;
}

/* A refusal in one language, where there is another to try. */
static void note_others(struct registration *registration, struct error *error)
{
	struct error refused;
	uint64_t language;
	if (choose_language(registration->daemon, &registration->program, &language, &refused) ==
	    STATUS_OK)
		error->status = STATUS_UNREGISTERED;
}

static enum status frame_make(const struct daemon *daemon, const Predictd__Program *program,
                              struct registration *registration, struct error *error)
{
	const struct registry *registry = &daemon->registry;
	Predictd__AnalyserRequest request = PREDICTD__ANALYSER_REQUEST__INIT;
	request.program = (Predictd__Program *)program;
	for (size_t i = 0; i < registry->count && registration->language != 0; i++) {
		struct device *device = &registry->devices[i]->device;
		if (registry->devices[i]->language != registration->language)
			continue;
		request.language.data = device->language;
		request.language.len = device->language_bytes;
		break;
	}
	if (registration->language != 0 && request.language.len == 0)
		return error_set(error, STATUS_UNREGISTERED,
		                 "program: the device that it was wanted for has left: register it "
		                 "again");
	return frame_pack(&request.base, &registration->frame, &registration->frame_bytes)
	               ? STATUS_OK
	               : error_set(error, STATUS_NO_MEMORY, "program: no memory");
}

/* ---- what comes of it ---------------------------------------------------------------------- */

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
		program_persistence_save(&daemon->program_persistence, &registration->key,
		                         content->packed, content->packed_bytes,
		                         content->analysis_time_s);
		status = program_cache_add(&daemon->programs, &registration->program,
		                           registration->language, &result->content, &program,
		                           &result->error);
	}
	if (program != NULL)
		program->kept_at_s = (int64_t)time(NULL);
	result->error.status = status;
	registration->report = result->report;
	/* a header that is missing may be sent along */
	if (result->is_analysers && refusal_is_lasting(result->status) &&
	    registration->report.header[0] == '\0') {
		refusal_memo_keep(&daemon->refusals, &registration->key, &result->error, now_ns);
		note_others(registration, &result->error);
	}
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
		status = program_cache_add(&daemon->programs, &registration->program,
		                           registration->language, &lookup->content, &program,
		                           &error);
	}
	if (program != NULL) {
		program->kept_at_s = lookup->used_at_s;
		program_persistence_use(&daemon->program_persistence, program);
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

static struct registration *registration_new(struct session *session,
                                             const struct program_key *program,
                                             const struct program_key *key, uint64_t language)
{
	struct registration *registration = calloc(1, sizeof *registration);
	if (registration == NULL)
		return NULL;
	registration->daemon = session->daemon;
	registration->key = *key;
	registration->program = *program;
	registration->language = registration->description.language = language;
	registration->user = session->user;
	arena_init(&registration->arena, DESCRIPTION_BYTES_MAX);
	return registration;
}

/* Looks the program up, or has it analysed. */
static enum status begin(struct session *session, const Predictd__Program *program,
                         struct registration *registration, struct error *error)
{
	struct program_persistence *persistence = &session->daemon->program_persistence;
	enum status status = frame_make(session->daemon, program, registration, error);
	if (status != STATUS_OK)
		return status;
	if (!count_registration(registration, session->quota))
		return error_set(error, STATUS_LIMIT,
		                 "sources of this user: no memory for more at once");
	if (program_persistence_find(persistence, &registration->lookup, &registration->key,
	                             registration->user, registration->frame_bytes, on_looked_up))
		return STATUS_OK;
	return analyse(registration, error);
}

/* The request waits for what is known of that program, which is found out once for all. */
static enum status join(struct session *session, const struct work *work,
                        const struct program_key *program, uint64_t language,
                        const struct program *known, struct error *error)
{
	struct daemon *daemon = session->daemon;
	struct registration *registration;
	struct program_key key = program_key_in(program, language);
	struct registration_wait *wait = calloc(1, sizeof *wait);
	if (wait == NULL)
		return error_set(error, STATUS_NO_MEMORY, "program: no memory");
	enum status status =
	        request_begin(&wait->request, session, work->message->id, on_abandoned, error);
	if (status != STATUS_OK) {
		free(wait);
		return status;
	}
	HASH_FIND(hh, daemon->registrations, &key, sizeof key, registration);
	if (registration == NULL) {
		registration = registration_new(session, program, &key, language);
		if (registration == NULL)
			status = error_set(error, STATUS_NO_MEMORY, "program: no memory");
		else if (known == NULL)
			status = begin(session, work->message->register_program->program,
			               registration, error);
		if (status != STATUS_OK) {
			(void)request_take(&wait->request);
			if (registration != NULL)
				registration_free(registration);
			free(wait);
			return status;
		}
		HASH_ADD(hh, daemon->registrations, key, sizeof registration->key, registration);
		/* without memory for the table it is found by nobody else, and ends all the same */
	}
	wait->registration = registration;
	DL_APPEND(registration->waits, wait);
	if (known != NULL && !registration->is_known) {
		registration->is_known = true;
		registration->description.handle = known->group->handle;
	}
	if (registration->is_known)
		request_ready(&wait->request, step_ready, on_left);
	else if (registration->job != NULL)
		analysis_hasten(&daemon->analysis, registration->job, session->user);
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
	enum status status = describe(&session->daemon->programs, &description, &session->arena,
	                              &is_whole, error);
	if (status != STATUS_OK)
		return status;
	assert(is_whole);
	Predictd__Response response = response_of(&description);
	session_reply(session, work->message->id, &response);
	return STATUS_OK;
}

/* Answers from memory, or keeps the request until the program is known and its turn has come. */
static enum status find(struct session *session, const struct work *work,
                        const struct program_key *key, struct error *error)
{
	struct daemon *daemon = session->daemon;
	uint64_t language;
	enum status status = choose_language(daemon, key, &language, error);
	if (status != STATUS_OK)
		return status;
	struct program *known = program_cache_find(&daemon->programs, key, language);
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
