/* SPDX-License-Identifier: Apache-2.0 */
/* History: what was observed of a kernel on a device, read back from the store. */
#include "daemon/services/service.h"

#include "daemon/codec/launch_key.h"
#include "daemon/services/sourceless.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HISTORY_DEFAULT = 100, HISTORY_MAX = 10000 };

/* A question that waits: first until what is observed is kept, then until it is read. */
struct looking_back {
	struct save_wait wait;
	struct store_job job;
	struct request request;
	struct daemon *daemon;
	uint64_t kernel, device, launch;
	uint32_t device_index;
	char device_key[DEVICE_KEY_MAX];
	bool has_launch, is_admin, is_sourceless;
	uid_t user;
	uint32_t count_max;
	/* read and, once the answer is packed, freed */
	struct correction_record *records;
	struct launch_entry *launches;
	size_t record_count, launch_count;
	/* the answer, packed but for its id, as the session's user holds it until it is sent */
	uint8_t *body;
	size_t body_bytes;
	struct user_share share; /* all of this, also when the client has left */
	struct error error;
};

/* A run of a record, to be sorted. */
struct look {
	const struct correction_record *record;
	const struct correction_sample *sample;
};

static void looking_back_free(struct looking_back *looking)
{
	(void)user_hold(&looking->daemon->users, NULL, &looking->share, 0);
	free(looking->body);
	free(looking);
}

/* The newest first; of the same second, the one that came last. */
static int compare_looks(const void *first, const void *second)
{
	const struct look *a = first, *b = second;
	if (a->sample->at_s != b->sample->at_s)
		return a->sample->at_s > b->sample->at_s ? -1 : 1;
	if (a->record != b->record)
		return a->record < b->record ? -1 : 1;
	return a->sample > b->sample ? -1 : a->sample < b->sample;
}

/* Whose launches are of what sizes, and when, is their business, and an admin's. */
static bool is_wanted(const struct looking_back *looking, const struct correction_record *record)
{
	return (looking->is_sourceless || record->device == looking->device) &&
	       (looking->is_admin || record->uid == looking->user) &&
	       (!looking->has_launch || record->launch.key == looking->launch);
}

static bool encode_words(const struct looking_back *looking, uint64_t launch,
                         Predictd__HistoryEntry *entry, struct arena *arena)
{
	const struct launch_entry *words = NULL;
	for (size_t i = 0; i < looking->launch_count && words == NULL; i++)
		if (looking->launches[i].launch == launch)
			words = &looking->launches[i];
	if (words == NULL)
		return true; /* its words could not be kept */
	uint64_t *sizes = arena_allocate(arena, sizeof words->sizes);
	entry->arguments = arena_text(arena, words->arguments);
	if (sizes == NULL || entry->arguments == NULL)
		return false;
	memcpy(sizes, words->sizes, sizeof words->sizes);
	entry->global_items = sizes;
	entry->n_global_items = words->dimensions;
	entry->local_items = sizes + 3;
	entry->n_local_items = sizes[3] != 0 ? words->dimensions : 0;
	return true;
}

/* Of a kernel without source, none. */
static double static_time_s(const struct looking_back *looking,
                            const struct correction_launch *launch)
{
	if (looking->is_sourceless)
		return 0;
	if (launch->kind == CORRECTION_OF_TASK)
		return exp((double)launch->kernel_log) + (double)launch->beside_s;
	return exp((double)launch->static_log);
}

static Predictd__HistoryEntry *encode_entry(const struct looking_back *looking,
                                            const struct look *look, struct arena *arena)
{
	Predictd__HistoryEntry *entry = arena_allocate(arena, sizeof *entry);
	if (entry == NULL)
		return NULL;
	predictd__history_entry__init(entry);
	entry->measured_at_s = look->sample->at_s;
	entry->uid = look->record->uid;
	entry->flags = look->sample->flags;
	entry->observed_time_s = exp((double)look->sample->time_log);
	entry->static_time_s = static_time_s(looking, &look->record->launch);
	entry->is_task = look->record->launch.kind == CORRECTION_OF_TASK;
	entry->predicted_time_s = (double)look->sample->predicted_s;
	entry->low_s = (double)look->sample->low_s;
	entry->high_s = (double)look->sample->high_s;
	return encode_words(looking, look->record->launch.key, entry, arena) ? entry : NULL;
}

/* The runs that are wanted, sorted and cut; NULL when memory is short. */
static struct look *collect(const struct looking_back *looking, size_t *count, uint64_t *total)
{
	size_t room = 0;
	for (size_t i = 0; i < looking->record_count; i++)
		room += looking->records[i].sample_count;
	struct look *looks = malloc((room + 1) * sizeof *looks);
	if (looks == NULL)
		return NULL;
	*count = 0;
	*total = 0;
	for (size_t i = 0; i < looking->record_count; i++) {
		const struct correction_record *record = &looking->records[i];
		if (!is_wanted(looking, record))
			continue;
		*total += record->runs;
		for (uint32_t j = 0; j < record->sample_count; j++)
			looks[(*count)++] = (struct look){record, &record->samples[j]};
	}
	qsort(looks, *count, sizeof *looks, compare_looks);
	if (*count > looking->count_max)
		*count = looking->count_max;
	return looks;
}

/* Packs the answer, on the store's thread: ten thousand runs take milliseconds. */
static enum status pack(struct looking_back *looking, struct arena *arena, struct error *error)
{
	Predictd__HistoryReply body = PREDICTD__HISTORY_REPLY__INIT;
	Predictd__DeviceName name = PREDICTD__DEVICE_NAME__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	size_t count = 0;
	struct look *looks = collect(looking, &count, &body.total);
	body.entries = arena_allocate(arena, (count + 1) * sizeof(*body.entries));
	bool fits = looks != NULL && body.entries != NULL;
	for (size_t i = 0; i < count && fits; i++) {
		body.entries[i] = encode_entry(looking, &looks[i], arena);
		fits = body.entries[i] != NULL;
	}
	free(looks);
	body.n_entries = count;
	name.index = looking->device_index;
	name.key = looking->device_key;
	body.device = &name;
	response.body_case = PREDICTD__RESPONSE__BODY_HISTORY;
	response.history = &body;
	if (fits) {
		looking->body_bytes = predictd__response__get_packed_size(&response);
		looking->body = malloc(looking->body_bytes);
	}
	if (looking->body == NULL)
		return error_set(error, STATUS_NO_MEMORY, "history: no memory");
	if (looking->body_bytes > FRAME_BYTES_MAX - FRAME_PREFIX_BYTES)
		return error_set(error, STATUS_LIMIT, "the answer is too large: ask for less");
	(void)predictd__response__pack(&response, looking->body);
	return STATUS_OK;
}

static struct looking_back *of_request(struct request *request)
{
	return (struct looking_back *)((char *)request - offsetof(struct looking_back, request));
}

static void on_left(struct request *request, bool has_left)
{
	(void)has_left;
	looking_back_free(of_request(request));
}

static bool step_ready(struct session *session, struct work *work)
{
	struct looking_back *looking = of_request(work->data);
	(void)request_take(&looking->request);
	if (looking->error.status == STATUS_OK)
		session_reply_packed(session, work->message->id, looking->body,
		                     looking->body_bytes);
	else
		session_reply_error(session, work->message->id, &looking->error);
	looking_back_free(looking);
	return true;
}

static void on_read(struct store_job *job)
{
	struct looking_back *looking =
	        (struct looking_back *)((char *)job - offsetof(struct looking_back, job));
	if (!user_hold(&looking->daemon->users, NULL, &looking->share,
	               sizeof *looking + looking->body_bytes))
		error_set(&looking->error, STATUS_LIMIT,
		          "history: no memory for more of this user's answers at once");
	request_ready(&looking->request, step_ready, on_left);
}

static void on_run(struct store_job *job, struct store **store)
{
	struct looking_back *looking =
	        (struct looking_back *)((char *)job - offsetof(struct looking_back, job));
	struct error *error = &looking->error;
	enum status status = STATUS_OK;
	if (*store == NULL)
		status = error_set(error, STATUS_IO, "history: the store is not open");
	if (status == STATUS_OK)
		status = store_load_records(*store, &looking->kernel, SIZE_MAX >> 1,
		                            &looking->records, &looking->record_count, error);
	if (status == STATUS_OK)
		status = store_load_launches(*store, looking->kernel, SIZE_MAX >> 1,
		                             &looking->launches, &looking->launch_count, error);
	struct arena arena;
	arena_init(&arena, 64 << 20);
	if (status == STATUS_OK)
		status = pack(looking, &arena, error);
	arena_deinit(&arena);
	/* megabytes of a kernel with many launches: an answer that waits keeps none of it */
	free(looking->records);
	free(looking->launches);
	error->status = status;
}

static void on_kept(struct save_wait *wait, const char *problem)
{
	struct looking_back *looking = (struct looking_back *)wait; /* its first member */
	if (problem != NULL) {
		error_set(&looking->error, STATUS_IO, "history: %.230s", problem);
		request_ready(&looking->request, step_ready, on_left);
		return;
	}
	looking->job = (struct store_job){.run = on_run, .done = on_read};
	store_worker_add_for(&looking->daemon->persistence.worker, &looking->job, looking->user);
}

/* Whose runs, and on which device. */
static enum status find_kernel(struct daemon *daemon, const Predictd__History *question,
                               struct looking_back *looking, struct error *error)
{
	const struct ir_kernel *kernel = NULL;
	size_t device;
	if (looking->is_sourceless) {
		struct sourceless sourceless;
		struct registry_index name;
		enum status status = sourceless_find(&daemon->registry, question->kernel,
		                                     question->device, &sourceless, &name, error);
		if (status != STATUS_OK)
			return status;
		looking->kernel = sourceless.kernel;
		looking->device_index = name.index;
		memcpy(looking->device_key, name.key, sizeof looking->device_key);
		return STATUS_OK;
	}
	const struct program *program = program_cache_find_any(&daemon->programs, question->handle);
	if (program == NULL)
		return error_set(error, STATUS_UNREGISTERED,
		                 "program: the handle is not known (any more): register it again");
	enum status status = program_find_kernel(program, question->kernel, &kernel, error);
	if (status == STATUS_OK)
		status = registry_find(&daemon->registry, question->device, &device, error);
	if (status != STATUS_OK)
		return status;
	const struct registry_device *entry = daemon->registry.devices[device];
	looking->kernel = program_kernel_hash(program, kernel);
	looking->device = entry->hash;
	looking->device_index = entry->index;
	memcpy(looking->device_key, entry->device.key, sizeof looking->device_key);
	return STATUS_OK;
}

enum status service_history(struct session *session, struct work *work, struct error *error)
{
	struct daemon *daemon = session->daemon;
	const Predictd__History *question = work->message->history;
	struct looking_back found = {.is_sourceless = sourceless_is_meant(question->handle)};
	enum status status = find_kernel(daemon, question, &found, error);
	if (status == STATUS_OK && question->launch != NULL)
		status = service_launch(session, question->launch, error);
	if (status != STATUS_OK)
		return status;
	struct looking_back *looking = calloc(1, sizeof *looking);
	if (looking == NULL)
		return error_set(error, STATUS_NO_MEMORY, "history: no memory");
	*looking = found;
	looking->wait.done = on_kept;
	looking->daemon = daemon;
	if (!user_hold(&daemon->users, session->quota, &looking->share, sizeof *looking)) {
		looking_back_free(looking);
		return error_set(error, STATUS_LIMIT,
		                 "history: no memory for more of this user's questions at once");
	}
	looking->user = session->user;
	looking->is_admin = session_is_admin(session);
	looking->has_launch = question->launch != NULL;
	if (looking->has_launch)
		looking->launch = launch_key(&daemon->launch);
	looking->count_max = question->count_max == 0            ? HISTORY_DEFAULT
	                     : question->count_max < HISTORY_MAX ? question->count_max
	                                                         : HISTORY_MAX;
	status = request_begin(&looking->request, session, work->message->id, NULL, error);
	if (status != STATUS_OK) {
		looking_back_free(looking);
		return status;
	}
	observations_wait(&daemon->observations, &looking->wait);
	return STATUS_OK;
}
