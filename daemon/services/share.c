/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process that shares with other nodes asks: records as they were saved, read by the store's
 * thread, and what others measured, told step by step in its user's turns.
 *
 * What it tells lives in memory alone: it keeps its own copy, and tells all of it whenever it
 * connects, so that a daemon which restarted has it again.
 */
#include "daemon/services/service.h"

#include "daemon/codec/device_codec.h"
#include "daemon/codec/share_codec.h"
#include "proto/text.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
	READ_MAX = 4096,  /* records of one answer: 5 MiB at most, as long as texts may be */
	TOLD_AT_ONCE = 64 /* some microseconds each; then whoever else waits has his turn */
};

static enum status check_right(const struct session *session, const char *what, struct error *error)
{
	if (session_may_share(session))
		return STATUS_OK;
	return error_set(error, STATUS_DENIED,
	                 "%s needs root, the daemon's own user, or the user that [share] user of "
	                 "predictd.conf names",
	                 what);
}

/* A device of this node as other nodes know it. */
struct shared_device {
	uint64_t hash;
	char key[DEVICE_KEY_MAX], driver[DEVICE_TEXT_MAX];
};

/* Fills `devices`, which has room for all; returns their number. */
static size_t list_devices(const struct registry *registry, struct shared_device *devices)
{
	for (size_t i = 0; i < registry->count; i++) {
		const struct device *device = &registry->devices[i]->device;
		devices[i].hash = registry->devices[i]->hash;
		device_key_of_model(device, devices[i].key);
		memcpy(devices[i].driver, device->driver, sizeof devices[i].driver);
	}
	return registry->count;
}

/* ---- records read -------------------------------------------------------------------------- */

/* A question that the store answers. */
struct reading {
	struct store_job job;
	struct request request;
	struct daemon *daemon;
	uint64_t after;
	size_t count_max;
	bool with_names;
	struct shared_device *devices; /* as they were when it was asked */
	size_t device_count;
	uint8_t *body; /* the answer, packed but for its id */
	size_t body_bytes;
	struct user_share share;
	struct error error;
};

static void reading_free(struct reading *reading)
{
	(void)user_hold(&reading->daemon->users, NULL, &reading->share, 0);
	free(reading->devices);
	free(reading->body);
	free(reading);
}

static struct reading *of_request(struct request *request)
{
	return (struct reading *)((char *)request - offsetof(struct reading, request));
}

static void on_left(struct request *request, bool has_left)
{
	(void)has_left;
	reading_free(of_request(request));
}

static bool step_read(struct session *session, struct work *work)
{
	struct reading *reading = of_request(work->data);
	(void)request_take(&reading->request);
	if (reading->error.status == STATUS_OK)
		session_reply_packed(session, work->message->id, reading->body,
		                     reading->body_bytes);
	else
		session_reply_error(session, work->message->id, &reading->error);
	reading_free(reading);
	return true;
}

static void on_read(struct store_job *job)
{
	struct reading *reading = (struct reading *)job; /* its first member */
	if (!user_hold(&reading->daemon->users, NULL, &reading->share,
	               sizeof *reading + reading->body_bytes))
		error_set(&reading->error, STATUS_LIMIT,
		          "records: no memory for more of this user's answers at once");
	request_ready(&reading->request, step_read, on_left);
}

/* The device that a record is of; NULL: none that is known now, or a kernel's without source. */
static const struct shared_device *device_of(const struct reading *reading, uint64_t hash)
{
	for (size_t i = 0; i < reading->device_count; i++)
		if (reading->devices[i].hash == hash)
			return &reading->devices[i];
	return NULL;
}

/* False: no memory. */
static bool encode_record(const struct reading *reading, struct changed_record *changed,
                          Predictd__ReadRecordsReply *reply, struct arena *arena)
{
	const struct correction_record *record = &changed->record;
	const struct shared_device *device =
	        changed->is_read ? device_of(reading, record->device) : NULL;
	if (device == NULL)
		return true;
	Predictd__SharedRecord *message = arena_allocate(arena, sizeof *message);
	uint8_t *state = arena_allocate(arena, CORRECTION_RECORD_BYTES);
	if (message == NULL || state == NULL)
		return false;
	predictd__shared_record__init(message);
	message->sequence = changed->sequence;
	message->kernel = record->kernel;
	message->launch = record->launch.key;
	message->kind = record->launch.kind;
	message->uid = record->uid;
	message->device = arena_text(arena, device->key);
	message->driver = arena_text(arena, device->driver);
	message->runs = record->runs;
	message->state = (ProtobufCBinaryData){correction_encode(record, state), state};
	if (reading->with_names) {
		message->kernel_name = arena_text(arena, changed->kernel_name);
		if (message->kernel_name == NULL)
			return false;
		text_clean(message->kernel_name);
	}
	if (message->device == NULL || message->driver == NULL)
		return false;
	text_clean(message->driver);
	reply->records[reply->n_records++] = message;
	return true;
}

static enum status pack(struct reading *reading, struct changed_records *changed,
                        struct arena *arena, struct error *error)
{
	Predictd__ReadRecordsReply reply = PREDICTD__READ_RECORDS_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	reply.store = (ProtobufCBinaryData){sizeof changed->store, changed->store};
	reply.last = changed->last;
	reply.records = arena_allocate(arena, (changed->count + 1) * sizeof(*reply.records));
	bool fits = reply.records != NULL;
	for (size_t i = 0; i < changed->count && fits; i++)
		fits = encode_record(reading, &changed->records[i], &reply, arena);
	response.body_case = PREDICTD__RESPONSE__BODY_READ_RECORDS;
	response.read_records = &reply;
	if (fits) {
		reading->body_bytes = predictd__response__get_packed_size(&response);
		reading->body = malloc(reading->body_bytes);
	}
	if (reading->body == NULL)
		return error_set(error, STATUS_NO_MEMORY, "records: no memory");
	(void)predictd__response__pack(&response, reading->body);
	return STATUS_OK;
}

static void on_run(struct store_job *job, struct store **store)
{
	struct reading *reading = (struct reading *)job;
	struct changed_records changed = {.count = 0};
	struct error *error = &reading->error;
	enum status status = STATUS_OK;
	if (*store == NULL)
		status = error_set(error, STATUS_IO, "records: the store is not open");
	if (status == STATUS_OK)
		status = store_load_changed(*store, reading->after, reading->count_max, &changed,
		                            error);
	struct arena arena;
	arena_init(&arena, 16 << 20);
	if (status == STATUS_OK)
		status = pack(reading, &changed, &arena, error);
	arena_deinit(&arena);
	free(changed.records);
	error->status = status;
}

enum status service_read_records(struct session *session, struct work *work, struct error *error)
{
	struct daemon *daemon = session->daemon;
	const Predictd__ReadRecords *question = work->message->read_records;
	enum status status = check_right(session, "reading what all users observed", error);
	if (status != STATUS_OK)
		return status;
	if (question->count_max == 0)
		return error_set(error, STATUS_INVALID, "records: want a count of 1 at least");
	struct reading *reading = calloc(1, sizeof *reading);
	if (reading == NULL)
		return error_set(error, STATUS_NO_MEMORY, "records: no memory");
	reading->daemon = daemon;
	reading->after = question->after;
	reading->count_max = question->count_max < READ_MAX ? question->count_max : READ_MAX;
	reading->with_names = question->with_names != 0;
	reading->devices = calloc(daemon->registry.count + 1, sizeof *reading->devices);
	if (reading->devices == NULL)
		status = error_set(error, STATUS_NO_MEMORY, "records: no memory");
	else
		reading->device_count = list_devices(&daemon->registry, reading->devices);
	if (status == STATUS_OK &&
	    !user_hold(&daemon->users, session->quota, &reading->share,
	               sizeof *reading + daemon->registry.count * sizeof *reading->devices))
		status = error_set(error, STATUS_LIMIT,
		                   "records: no memory for more of this user's questions at once");
	if (status == STATUS_OK)
		status = request_begin(&reading->request, session, work->message->id, NULL, error);
	if (status != STATUS_OK) {
		reading_free(reading);
		return status;
	}
	reading->job = (struct store_job){.run = on_run, .done = on_read};
	store_worker_add_for(&daemon->persistence.worker, &reading->job, session->user);
	return STATUS_OK;
}

/* ---- estimates told ------------------------------------------------------------------------ */

/* What is under way of one request, in its session's arena. */
struct telling {
	uint64_t generation; /* of the devices listed */
	struct shared_device *devices;
	size_t device_count, room;
	struct error refusal; /* of the first that was refused */
	uint32_t taken;
};

/* Devices may come and go between two steps. False: more than there is room for. */
static bool refresh_devices(const struct registry *registry, struct telling *telling)
{
	if (telling->device_count > 0 && telling->generation == registry->generation)
		return true;
	if (registry->count > telling->room)
		return false;
	telling->device_count = list_devices(registry, telling->devices);
	telling->generation = registry->generation;
	return true;
}

/* Answers that rested on it are out of date, others' once a second. */
static void raise_epochs(struct daemon *daemon, uint64_t device, uint64_t kernel)
{
	struct epochs_scope scope = {.has_kernel = true, .kernel_hash = kernel};
	const struct registry *registry = &daemon->registry;
	for (size_t i = 0; i < registry->count; i++)
		if (registry->devices[i]->hash == device) {
			scope.has_device = true;
			scope.device_index = registry->devices[i]->index;
		}
	epoch_limit_add(&daemon->observations.limit, &scope);
}

/* Of every device of this node that it is about. */
static enum status tell(struct daemon *daemon, const struct telling *telling,
                        const Predictd__SiteEstimate *estimate, struct error *error)
{
	struct correction_record record;
	enum status status = estimate_decode(estimate, &record, error);
	for (size_t i = 0; i < telling->device_count && status == STATUS_OK; i++) {
		bool has_moved = false;
		if (strcmp(telling->devices[i].key, estimate->device) != 0 ||
		    strcmp(telling->devices[i].driver, estimate->driver) != 0)
			continue;
		record.device = telling->devices[i].hash;
		status = correction_tell(daemon->observations.correction, &record, &has_moved,
		                         error);
		if (has_moved && daemon->epochs != NULL)
			raise_epochs(daemon, record.device, record.kernel);
	}
	return status;
}

static void reply_told(struct session *session, uint64_t id, struct telling *telling)
{
	Predictd__TellSiteReply reply = PREDICTD__TELL_SITE_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	reply.taken = telling->taken;
	text_clean(telling->refusal.text);
	reply.refusal = telling->refusal.text;
	response.body_case = PREDICTD__RESPONSE__BODY_TELL_SITE;
	response.tell_site = &reply;
	session_reply(session, id, &response);
}

static bool step_tell(struct session *session, struct work *work)
{
	const Predictd__TellSite *message = work->message->tell_site;
	struct telling *telling = work->data;
	struct daemon *daemon = session->daemon;
	struct error error = {.text = ""};
	size_t end = work->position + TOLD_AT_ONCE;
	if (!refresh_devices(&daemon->registry, telling)) {
		error_set(&error, STATUS_BUSY, "site: devices have come meanwhile: tell it again");
		session_reply_error(session, work->message->id, &error);
		return true;
	}
	for (; work->position < message->n_estimates && work->position < end; work->position++) {
		enum status status =
		        tell(daemon, telling, message->estimates[work->position], &error);
		if (status == STATUS_OK)
			telling->taken++;
		else if (telling->refusal.text[0] == '\0')
			telling->refusal = error;
	}
	if (work->position < message->n_estimates)
		return false;
	reply_told(session, work->message->id, telling);
	return true;
}

enum status service_tell_site(struct session *session, struct work *work, struct error *error)
{
	struct registry *registry = &session->daemon->registry;
	enum status status = check_right(session, "telling what other nodes observed", error);
	if (status != STATUS_OK)
		return status;
	struct telling *telling = arena_allocate(&session->arena, sizeof *telling);
	if (telling == NULL)
		return error_set(error, STATUS_NO_MEMORY, "site: no memory");
	*telling = (struct telling){.room = registry->count + 1};
	telling->devices =
	        arena_allocate(&session->arena, telling->room * sizeof *telling->devices);
	if (telling->devices == NULL)
		return error_set(error, STATUS_NO_MEMORY, "site: no memory");
	work->data = telling;
	work->step = step_tell;
	return STATUS_OK;
}
