/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forgetting: observations of a kernel, a device, a user, or an age. What is of no kernel goes
 * along where none is named: samples, which are of no device either, and choices of configurations.
 */
#include "daemon/services/sourceless.h"

#include "daemon/log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A request that waits: for the kernels of a name, then until what it changed is kept. */
struct forgetting {
	struct save_wait wait;
	struct store_job job;
	struct request request;
	struct daemon *daemon;
	struct correction_scope scope;
	uid_t asked_by;
	char name[STORE_KERNEL_NAME_MAX]; /* of kernels that the store knows; empty: of any name */
	struct kernel_filter filter;      /* which of them; its texts are these here */
	uint64_t *kernels;                /* all kernels when `has_kernels` is not set */
	size_t kernel_count;
	bool has_kernels;
	bool is_whole_device; /* all of a device, and besides these kernels, which are of its key */
	bool has_choices;     /* they go as well */
	bool is_unkept;       /* no store is open */
	uint64_t forgotten;
	uint32_t device_index;
	char device_key[DEVICE_KEY_MAX]; /* empty: every device */
	struct user_share share;         /* all of this, also when the client has left */
	struct error error;              /* of what came of it */
};

static void forgetting_free(struct forgetting *forgetting)
{
	(void)user_hold(&forgetting->daemon->users, NULL, &forgetting->share, 0);
	free(forgetting->kernels);
	free(forgetting);
}

/* Counts it; false beyond the user's share. */
static bool hold(struct forgetting *forgetting, struct user *user)
{
	size_t size = sizeof *forgetting + forgetting->kernel_count * sizeof *forgetting->kernels;
	return user_hold(&forgetting->daemon->users, user, &forgetting->share, size);
}

static struct forgetting *of_request(struct request *request)
{
	return (struct forgetting *)((char *)request - offsetof(struct forgetting, request));
}

static void on_left(struct request *request, bool has_left)
{
	(void)has_left;
	forgetting_free(of_request(request));
}

static bool step_ready(struct session *session, struct work *work)
{
	struct forgetting *forgetting = of_request(work->data);
	Predictd__ForgetReply reply = PREDICTD__FORGET_REPLY__INIT;
	Predictd__DeviceName name = PREDICTD__DEVICE_NAME__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	(void)request_take(&forgetting->request);
	if (forgetting->error.status != STATUS_OK) {
		session_reply_error(session, work->message->id, &forgetting->error);
	} else {
		reply.forgotten = forgetting->forgotten;
		name.index = forgetting->device_index;
		name.key = forgetting->device_key;
		reply.device = name.key[0] == '\0' ? NULL : &name;
		response.body_case = PREDICTD__RESPONSE__BODY_FORGET;
		response.forget = &reply;
		session_reply(session, work->message->id, &response);
	}
	forgetting_free(forgetting);
	return true;
}

static void say_unkept(struct forgetting *forgetting, const char *problem)
{
	if (problem != NULL)
		error_set(&forgetting->error, STATUS_IO,
		          "forget: until predictd ends, and no longer: %.200s", problem);
}

/* Behind all else: what could not be forgotten before is said first. */
static void on_delete_choices(struct store_job *job, struct store **store)
{
	struct forgetting *forgetting =
	        (struct forgetting *)((char *)job - offsetof(struct forgetting, job));
	const struct correction_scope *scope = &forgetting->scope;
	struct error error;
	if (*store == NULL) /* there are none */
		return;
	enum status status = store_delete_choices(
	        *store, scope->has_uid, scope->uid,
	        forgetting->device_key[0] != '\0' ? forgetting->device_key : NULL,
	        scope->has_before ? scope->before_s : INT64_MAX, &error);
	if (status != STATUS_OK && forgetting->error.status == STATUS_OK)
		error_set(&forgetting->error, status, "forget: choices: %.200s", error.text);
}

static void on_choices_deleted(struct store_job *job)
{
	struct forgetting *forgetting =
	        (struct forgetting *)((char *)job - offsetof(struct forgetting, job));
	request_ready(&forgetting->request, step_ready, on_left);
}

static void on_kept(struct save_wait *wait, const char *problem)
{
	struct forgetting *forgetting = (struct forgetting *)wait; /* its first member */
	say_unkept(forgetting, problem);
	if (!forgetting->has_choices) {
		request_ready(&forgetting->request, step_ready, on_left);
		return;
	}
	forgetting->job = (struct store_job){.run = on_delete_choices, .done = on_choices_deleted};
	store_worker_add_for(&forgetting->daemon->persistence.worker, &forgetting->job,
	                     forgetting->asked_by);
}

static int compare_kernels(const void *first, const void *second)
{
	uint64_t a = *(const uint64_t *)first, b = *(const uint64_t *)second;
	return (a > b) - (a < b);
}

/* The kernels are known by now. */
static void forget(struct forgetting *forgetting)
{
	struct observations *observations = &forgetting->daemon->observations;
	struct correction_scope *scope = &forgetting->scope;
	if (forgetting->is_whole_device) {
		if (scope->has_device)
			forgetting->forgotten = observations_forget(observations, scope);
		/* kernels without source are not filed by device */
		scope->has_device = false;
	}
	scope->has_kernels = forgetting->has_kernels;
	scope->kernels = forgetting->kernels;
	scope->kernel_count = forgetting->kernel_count;
	/* in one pass: a name may have thousands of kernels */
	if (forgetting->kernel_count > 0)
		qsort(forgetting->kernels, forgetting->kernel_count, sizeof *forgetting->kernels,
		      compare_kernels);
	forgetting->forgotten += observations_forget(observations, scope);
	log_write(LOG_OBSERVATIONS_FORGOTTEN, LOG_NUMBER_FIELD("count", forgetting->forgotten),
	          LOG_NUMBER_FIELD("uid", forgetting->asked_by));
	observations_wait_settled(observations, &forgetting->wait);
}

static void on_found(struct store_job *job)
{
	struct forgetting *forgetting =
	        (struct forgetting *)((char *)job - offsetof(struct forgetting, job));
	struct error *error = &forgetting->error, why;
	/* without a store, names are known of what was observed since */
	if (forgetting->is_unkept &&
	    observations_find_unkept(&forgetting->daemon->observations, &forgetting->filter,
	                             &forgetting->kernels, &forgetting->kernel_count,
	                             &why) == STATUS_OK &&
	    (forgetting->kernel_count > 0 || forgetting->is_whole_device))
		error->status = STATUS_OK;
	if (error->status == STATUS_OK) {
		forget(forgetting);
		return;
	}
	request_ready(&forgetting->request, step_ready, on_left);
}

static void on_find(struct store_job *job, struct store **store)
{
	struct forgetting *forgetting =
	        (struct forgetting *)((char *)job - offsetof(struct forgetting, job));
	struct error *error = &forgetting->error;
	error->status = STATUS_OK;
	forgetting->is_unkept = *store == NULL;
	if (forgetting->is_unkept) /* the daemon itself is there */
		error_set(error, STATUS_IO, "forget: the store is not open");
	else
		error->status =
		        store_find_kernels(*store, &forgetting->filter, &forgetting->kernels,
		                           &forgetting->kernel_count, error);
	if (error->status == STATUS_OK && forgetting->kernel_count == 0 &&
	    !forgetting->is_whole_device)
		error_set(error, STATUS_NOT_FOUND,
		          "forget: no kernel %s%.64s%s was observed%s%.64s",
		          forgetting->name[0] == '\0' ? "without source" : "\"", forgetting->name,
		          forgetting->name[0] == '\0' ? "" : "\"",
		          forgetting->filter.device_key != NULL ? " on " : "",
		          forgetting->filter.device_key != NULL ? forgetting->device_key : "");
}

/* What was kept of the user's samples is gone. */
static void on_samples_gone(struct save_wait *wait, const char *problem)
{
	struct forgetting *forgetting = (struct forgetting *)wait;
	say_unkept(forgetting, problem);
	forgetting->wait.done = on_kept;
	forget(forgetting);
}

/* What was observed but not kept yet has to be found by name as well. */
static void on_words_kept(struct save_wait *wait, const char *problem)
{
	struct forgetting *forgetting = (struct forgetting *)wait;
	(void)problem; /* the search says it */
	forgetting->wait.done = on_kept;
	forgetting->job = (struct store_job){.run = on_find, .done = on_found};
	store_worker_add_for(&forgetting->daemon->persistence.worker, &forgetting->job,
	                     forgetting->asked_by);
}

/* The kernels of a program: one, or all. */
static enum status find_in_program(struct forgetting *forgetting, const Predictd__Forget *message,
                                   struct error *error)
{
	const struct ir_kernel *kernel = NULL;
	const struct program *program =
	        program_cache_find_any(&forgetting->daemon->programs, message->handle);
	if (program == NULL)
		return error_set(error, STATUS_UNREGISTERED,
		                 "program: the handle is not known (any more): register it again");
	forgetting->has_kernels = true;
	forgetting->kernels = calloc(program->kernel_count + 1, sizeof *forgetting->kernels);
	if (forgetting->kernels == NULL)
		return error_set(error, STATUS_NO_MEMORY, "forget: no memory");
	if (message->kernel[0] != '\0') {
		enum status status = program_find_kernel(program, message->kernel, &kernel, error);
		if (status != STATUS_OK)
			return status;
		forgetting->kernels[0] = program_kernel_hash(program, kernel);
		forgetting->kernel_count = 1;
		return STATUS_OK;
	}
	for (size_t i = 0; i < program->kernel_count; i++)
		forgetting->kernels[i] = program_kernel_hash(program, program->kernels[i]);
	forgetting->kernel_count = program->kernel_count;
	return STATUS_OK;
}

/* Whose observations: one's own, or those that an admin means. */
static enum status find_user(const struct session *session, const Predictd__Forget *message,
                             struct correction_scope *scope, struct error *error)
{
	bool is_admin = session_is_admin(session);
	if (message->has_uid && message->uid != session->user && !is_admin)
		return error_set(
		        error, STATUS_DENIED,
		        "forget: the observations of user %u are not those of user %u: it "
		        "needs root, the daemon's own user, or a member of the admin group",
		        message->uid, session->user);
	scope->has_uid = message->has_uid || !is_admin;
	scope->uid = message->has_uid ? message->uid : session->user;
	return STATUS_OK;
}

/* Of a key that is no device's of the node, kernels without source alone are known. */
static enum status find_device(const struct registry *registry, const Predictd__Forget *message,
                               struct forgetting *forgetting, struct error *error)
{
	struct registry_index name;
	size_t device;
	bool is_of_source = message->kernel[0] != '\0' || message->handle != 0;
	enum status status = STATUS_OK;
	if (is_of_source && !sourceless_is_meant(message->handle))
		status = registry_find(registry, message->device, &device, error);
	if (status == STATUS_OK)
		status = sourceless_find_device(registry, message->device, &name, error);
	if (status != STATUS_OK)
		return status;
	forgetting->device_index = name.index;
	memcpy(forgetting->device_key, name.key, sizeof forgetting->device_key);
	if (sourceless_is_meant(message->handle) ||
	    registry_find(registry, name.key, &device, error) != STATUS_OK)
		return STATUS_OK;
	forgetting->scope.has_device = true;
	forgetting->scope.device = registry->devices[device]->hash;
	return STATUS_OK;
}

static enum status find_scope(const struct session *session, const Predictd__Forget *message,
                              struct forgetting *forgetting, struct error *error)
{
	struct correction_scope *scope = &forgetting->scope;
	const struct registry *registry = &session->daemon->registry;
	enum status status = find_user(session, message, scope, error);
	if (status == STATUS_OK && !(message->age_s >= 0 && message->age_s <= 1e12))
		status = error_set(error, STATUS_INVALID, "age: want 0 or more seconds, got %g",
		                   message->age_s);
	if (status == STATUS_OK && message->device[0] != '\0')
		status = find_device(registry, message, forgetting, error);
	if (status != STATUS_OK)
		return status;
	scope->has_before = message->age_s > 0;
	scope->before_s = (int64_t)time(NULL) - (int64_t)message->age_s;
	return STATUS_OK;
}

enum status service_forget(struct session *session, struct work *work, struct error *error)
{
	const Predictd__Forget *message = work->message->forget;
	struct forgetting *forgetting = calloc(1, sizeof *forgetting);
	if (forgetting == NULL)
		return error_set(error, STATUS_NO_MEMORY, "forget: no memory");
	forgetting->daemon = session->daemon;
	forgetting->asked_by = session->user;
	enum status status = find_scope(session, message, forgetting, error);
	bool is_sourceless = sourceless_is_meant(message->handle);
	bool has_program = message->handle != 0 && !is_sourceless;
	if (status == STATUS_OK && has_program)
		status = find_in_program(forgetting, message, error);
	if (status == STATUS_OK && !has_program &&
	    strlen(message->kernel) >= sizeof forgetting->name)
		status = error_set(error, STATUS_NOT_FOUND, "forget: no kernel of such a name");
	if (status == STATUS_OK && !hold(forgetting, session->quota))
		status = error_set(error, STATUS_LIMIT,
		                   "forget: no memory for more of this user's requests at once");
	if (status == STATUS_OK)
		status = request_begin(&forgetting->request, session, work->message->id, NULL,
		                       error);
	if (status != STATUS_OK) {
		forgetting_free(forgetting);
		return status;
	}
	forgetting->wait.done = on_kept;
	forgetting->has_choices = message->handle == 0 && message->kernel[0] == '\0';
	/* samples are of no kernel and no device: they go with all that a user has */
	if (message->handle == 0 && message->kernel[0] == '\0' && message->device[0] == '\0') {
		(void)samples_forget(
		        &session->daemon->samples, forgetting->scope.has_uid, forgetting->scope.uid,
		        forgetting->scope.has_before ? forgetting->scope.before_s : INT64_MAX);
		forgetting->wait.done = on_samples_gone;
		sample_persistence_wait(&session->daemon->sample_persistence, &forgetting->wait);
		return STATUS_OK;
	}
	if (has_program) {
		forget(forgetting);
		return STATUS_OK;
	}
	strcpy(forgetting->name, message->kernel);
	forgetting->has_kernels = true;
	forgetting->is_whole_device = !is_sourceless && message->kernel[0] == '\0';
	forgetting->filter.is_sourceless = is_sourceless;
	if (forgetting->name[0] != '\0')
		forgetting->filter.name = forgetting->name;
	if (message->device[0] != '\0' && (is_sourceless || forgetting->is_whole_device))
		forgetting->filter.device_key = forgetting->device_key;
	forgetting->wait.done = on_words_kept;
	observations_wait(&session->daemon->observations, &forgetting->wait);
	return STATUS_OK;
}
