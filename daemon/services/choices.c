/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configurations that searches have chosen: kept for their user, and found for him alone. They are
 * in the store and nowhere else: a program asks once, when it begins.
 */
#include "daemon/services/service.h"

#include "daemon/codec/choice_codec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Static_assert((int)CHOICE_NAME_MAX == (int)STORE_CHOICE_NAME_MAX, "the same name");
_Static_assert((int)CHOICE_SPACE_BYTES == (int)STORE_CHOICE_SPACE_BYTES, "the same digest");
_Static_assert((int)CHOICE_SIZES_MAX == (int)STORE_CHOICE_SIZES_MAX, "the same sizes");

/* A request that waits for the store. */
struct choosing {
	struct store_job job;
	struct request request;
	struct daemon *daemon;
	struct stored_choice choice;
	uint32_t device_index;
	bool is_kept;            /* else it is looked for */
	struct user_share share; /* all of this, also when the client has left */
	struct error error;      /* of the worker thread while it runs */
};

static void choosing_free(struct choosing *choosing)
{
	(void)user_hold(&choosing->daemon->users, NULL, &choosing->share, 0);
	free(choosing);
}

static struct choosing *of_request(struct request *request)
{
	return (struct choosing *)((char *)request - offsetof(struct choosing, request));
}

static void on_left(struct request *request, bool has_left)
{
	(void)has_left;
	choosing_free(of_request(request));
}

static void reply_choice(struct session *session, uint64_t id, const struct choosing *choosing)
{
	Predictd__KeepChoiceReply kept = PREDICTD__KEEP_CHOICE_REPLY__INIT;
	Predictd__FindChoiceReply found = PREDICTD__FIND_CHOICE_REPLY__INIT;
	Predictd__DeviceName name = PREDICTD__DEVICE_NAME__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	name.index = choosing->device_index;
	name.key = (char *)(uintptr_t)choosing->choice.device;
	kept.device = found.device = &name;
	if (choosing->is_kept) {
		response.body_case = PREDICTD__RESPONSE__BODY_KEEP_CHOICE;
		response.keep_choice = &kept;
	} else {
		found.configuration = choosing->choice.configuration;
		found.time_s = choosing->choice.time_s;
		found.is_over = choosing->choice.is_over;
		response.body_case = PREDICTD__RESPONSE__BODY_FIND_CHOICE;
		response.find_choice = &found;
	}
	session_reply(session, id, &response);
}

static bool step_ready(struct session *session, struct work *work)
{
	struct choosing *choosing = of_request(work->data);
	(void)request_take(&choosing->request);
	if (choosing->error.status != STATUS_OK)
		session_reply_error(session, work->message->id, &choosing->error);
	else
		reply_choice(session, work->message->id, choosing);
	choosing_free(choosing);
	return true;
}

static void on_run(struct store_job *job, struct store **store)
{
	struct choosing *choosing = (struct choosing *)job; /* its first member */
	struct error *error = &choosing->error;
	if (*store == NULL)
		error_set(error, STATUS_IO, "choice: the store is not open");
	else if (choosing->is_kept)
		error->status = store_save_choice(*store, &choosing->choice, error);
	else
		error->status = store_load_choice(*store, &choosing->choice, error);
}

static void on_done(struct store_job *job)
{
	struct choosing *choosing = (struct choosing *)job;
	request_ready(&choosing->request, step_ready, on_left);
}

static enum status fill(struct choosing *choosing, const Predictd__Choice *message,
                        const struct registry *registry, struct error *error)
{
	struct stored_choice *choice = &choosing->choice;
	struct choice_name name;
	size_t place = 0;
	enum status status = choice_name_decode(message, &name, error);
	if (status == STATUS_OK)
		status = registry_find(registry, message->device, &place, error);
	if (status != STATUS_OK)
		return status;
	const struct registry_device *device = registry->devices[place];
	memcpy(choice->name, name.text, sizeof choice->name);
	memcpy(choice->space, name.space, sizeof choice->space);
	memcpy(choice->sizes, name.sizes, sizeof choice->sizes);
	choice->size_count = name.size_count;
	memcpy(choice->device, device->device.key, sizeof choice->device);
	/* as a calibration is judged: another driver is another compiler */
	memcpy(choice->driver, device->device.driver, sizeof choice->driver);
	choice->used_at_s = (int64_t)time(NULL);
	choosing->device_index = device->index;
	return STATUS_OK;
}

static enum status begin(struct session *session, struct work *work,
                         const Predictd__Choice *message, const Predictd__KeepChoice *kept,
                         struct error *error)
{
	struct choosing *choosing = calloc(1, sizeof *choosing);
	if (choosing == NULL)
		return error_set(error, STATUS_NO_MEMORY, "choice: no memory");
	choosing->daemon = session->daemon;
	choosing->choice.user = session->user;
	choosing->is_kept = kept != NULL;
	if (kept != NULL) {
		choosing->choice.configuration = kept->configuration;
		choosing->choice.time_s = kept->time_s;
		choosing->choice.is_over = kept->is_over;
	}
	enum status status = fill(choosing, message, &session->daemon->registry, error);
	if (status == STATUS_OK &&
	    !user_hold(&session->daemon->users, session->quota, &choosing->share, sizeof *choosing))
		status = error_set(error, STATUS_LIMIT,
		                   "choice: no memory for more of this user's requests at once");
	if (status == STATUS_OK)
		status = request_begin(&choosing->request, session, work->message->id, NULL, error);
	if (status != STATUS_OK) {
		choosing_free(choosing);
		return status;
	}
	choosing->job = (struct store_job){.run = on_run, .done = on_done};
	store_worker_add_for(&session->daemon->persistence.worker, &choosing->job, session->user);
	return STATUS_OK;
}

enum status service_keep_choice(struct session *session, struct work *work, struct error *error)
{
	const Predictd__KeepChoice *message = work->message->keep_choice;
	if (!(isfinite(message->time_s) && message->time_s > 0))
		return error_set(error, STATUS_INVALID,
		                 "choice: want a positive number of seconds, got %g",
		                 message->time_s);
	return begin(session, work, message->choice, message, error);
}

enum status service_find_choice(struct session *session, struct work *work, struct error *error)
{
	return begin(session, work, work->message->find_choice->choice, NULL, error);
}
