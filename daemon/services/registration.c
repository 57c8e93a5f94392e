/* SPDX-License-Identifier: Apache-2.0 */
/* Registering programs: from memory, the store or the analyser, once for all that ask at a time. */
#include "daemon/services/registration.h"

#include "daemon/services/batch.h"
#include "model/frontend/frontend.h"
#include "proto/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utlist.h>

enum { DESCRIPTION_BYTES_MAX = 32 << 20 };

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

enum status description_step(struct program_cache *programs, struct description *description,
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

Predictd__Response description_response(struct description *description)
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
	batch_leave(registration);
	if (registration->hh.tbl != NULL)
		HASH_DEL(registration->daemon->registrations, registration);
	(void)user_hold(&registration->daemon->users, NULL, &registration->share, 0);
	arena_deinit(&registration->arena);
	free(registration->body);
	free(registration->frame);
	free(registration);
}

/* Goes on with the answer of all that wait; true when it is packed, or what is wrong is known. */
static bool make_answer(struct registration *registration)
{
	struct error *error = &registration->error;
	struct description *description = &registration->description;
	bool is_whole = false;
	if (registration->body != NULL || error->status != STATUS_OK)
		return true;
	error->status = description_step(&registration->daemon->programs, description,
	                                 &registration->arena, &is_whole, error);
	if (error->status == STATUS_OK && is_whole) {
		Predictd__Response response = description_response(description);
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

bool registration_answer(struct registration *registration, struct user *user, bool *fits)
{
	bool is_made = make_answer(registration);
	*fits = count_registration(registration, user);
	return is_made;
}

void registration_error(struct registration *registration, Predictd__Error *message)
{
	predictd__error__init(message);
	message->status = registration->error.status;
	message->text = registration->error.text;
	message->header = registration->report.header;
	message->header_from = registration->report.header_from;
	text_clean(message->text); /* what it quotes may have been cut */
}

/* Tells all that wait: the program, or the error. */
static void finish(struct registration *registration, const struct program *program,
                   const struct error *error)
{
	struct registration_wait *wait, *next;
	batch_leave(registration);
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
		wait->known(wait);
	}
}

void registration_fail(struct registration *registration, const struct error *error)
{
	finish(registration, NULL, error);
}

/* An analysis that runs goes on, since its kernels are kept for who asks next. */
void registration_leave(struct registration_wait *wait)
{
	struct registration *registration = wait->registration;
	struct analysis *analysis = &registration->daemon->analysis;
	wait->registration = NULL;
	DL_DELETE(registration->waits, wait);
	if (registration->waits != NULL)
		return;
	if (registration->is_known)
		registration_free(registration);
	else if (registration->batch != NULL)
		batch_withdraw(registration);
	else if (registration->job != NULL && analysis_withdraw(analysis, registration->job))
		registration_fail(registration, NULL);
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

enum status registration_language(struct daemon *daemon, const struct program_key *program,
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
	if (registration_language(registration->daemon, &registration->program, &language,
	                          &refused) == STATUS_OK)
		error->status = STATUS_UNREGISTERED;
}

enum status registration_profile(const struct daemon *daemon, uint64_t language,
                                 ProtobufCBinaryData *profile, struct error *error)
{
	const struct registry *registry = &daemon->registry;
	for (size_t i = 0; i < registry->count && language != 0; i++) {
		struct device *device = &registry->devices[i]->device;
		if (registry->devices[i]->language != language)
			continue;
		*profile = (ProtobufCBinaryData){device->language_bytes, device->language};
		break;
	}
	if (language != 0 && profile->len == 0)
		return error_set(error, STATUS_UNREGISTERED,
		                 "program: the device that it was wanted for has left: register it "
		                 "again");
	return STATUS_OK;
}

static enum status frame_make(const Predictd__Program *program, struct registration *registration,
                              struct error *error)
{
	Predictd__AnalyserRequest request = PREDICTD__ANALYSER_REQUEST__INIT;
	request.program = (Predictd__Program *)program;
	enum status status = registration_profile(registration->daemon, registration->language,
	                                          &request.language, error);
	if (status != STATUS_OK)
		return status;
	return frame_pack(&request.base, &registration->frame, &registration->frame_bytes)
	               ? STATUS_OK
	               : error_set(error, STATUS_NO_MEMORY, "program: no memory");
}

/* ---- what comes of it ---------------------------------------------------------------------- */

void registration_analysed(struct registration *registration, struct analysis_result *result)
{
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

static void on_analysed(void *data, struct analysis_result *result)
{
	registration_analysed(data, result);
}

/* Hands the program to the analyser, or to a batch that does. */
static enum status analyse(struct registration *registration, struct error *error)
{
	uint8_t *frame = registration->frame;
	if (registration->batch != NULL) {
		batch_queue(registration);
		return STATUS_OK;
	}
	registration->frame = NULL; /* the analysis takes it */
	return analysis_submit(&registration->daemon->analysis, frame, registration->frame_bytes, 1,
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
	if (lookup->content.kernels == NULL && registration->batch != NULL) {
		struct batch *batch = registration->batch;
		batch_queue(registration);
		batch_pump(batch);
		return;
	}
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

enum status registration_check(const Predictd__Program *program, struct error *error)
{
	if (program == NULL || program->source.len == 0)
		return error_set(error, STATUS_INVALID, "program: the source is empty");
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

static struct registration *registration_new(struct daemon *daemon, uid_t user,
                                             const struct program_key *program,
                                             const struct program_key *key, uint64_t language)
{
	struct registration *registration = calloc(1, sizeof *registration);
	if (registration == NULL)
		return NULL;
	registration->daemon = daemon;
	registration->key = *key;
	registration->program = *program;
	registration->language = registration->description.language = language;
	registration->user = user;
	arena_init(&registration->arena, DESCRIPTION_BYTES_MAX);
	return registration;
}

/* Looks the program up, or has it analysed. */
static enum status begin(struct session *session, const Predictd__Program *program,
                         struct registration *registration, struct batch *batch,
                         struct error *error)
{
	struct program_persistence *persistence = &session->daemon->program_persistence;
	enum status status = batch != NULL ? batch_enter(batch, registration, program, error)
	                                   : frame_make(program, registration, error);
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

/* Another asks for it, too: it does not wait among the many variants of who asked first. */
static void hasten(struct registration *registration, uid_t user)
{
	if (registration->job != NULL)
		analysis_hasten(&registration->daemon->analysis, registration->job, user);
	else if (registration->batch != NULL && registration->user != user)
		batch_hasten(registration, user);
}

enum status registration_join(struct session *session, const Predictd__Program *program,
                              const struct program_key *program_key, uint64_t language,
                              const struct program *known, struct batch *batch,
                              struct registration_wait *wait, struct error *error)
{
	struct daemon *daemon = session->daemon;
	struct registration *registration;
	struct program_key key = program_key_in(program_key, language);
	HASH_FIND(hh, daemon->registrations, &key, sizeof key, registration);
	bool is_new = registration == NULL;
	if (is_new) {
		enum status status = STATUS_OK;
		registration = registration_new(daemon, session->user, program_key, &key, language);
		if (registration == NULL)
			return error_set(error, STATUS_NO_MEMORY, "program: no memory");
		if (known == NULL)
			status = begin(session, program, registration, batch, error);
		if (status != STATUS_OK) {
			registration_free(registration);
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
	if (!is_new && !registration->is_known)
		hasten(registration, session->user);
	return STATUS_OK;
}
