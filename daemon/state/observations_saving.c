/* SPDX-License-Identifier: Apache-2.0 */
/* Observations on their way to the store: group commit. */
#include "daemon/state/observations_saving.h"

#include "daemon/codec/launch_key.h"
#include "daemon/daemon.h"
#include "daemon/log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	RETRY_MS = 5000,
	WORDS_MAX = 16384 /* waiting to be kept; of launches beyond it the sizes stay unknown */
};

/* One transaction. */
struct saving {
	struct store_job job;
	struct observations *observations;
	struct correction_record *records;
	size_t record_count, record_room;
	struct correction_user *users;
	size_t user_count;
	struct launch_words *words; /* their texts are owned */
	size_t word_count;
	struct save_wait *waits;
	bool power_loss;
	uint64_t begun_ns;
	struct error error;
};

/* ---- words --------------------------------------------------------------------------------- */

static void words_free(struct launch_words *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free((void *)(uintptr_t)words[i].kernel_name); /* the others lie behind it */
	free(words);
}

static uint64_t *known_slot(struct observations *observations, uint64_t kernel, uint64_t launch)
{
	return &observations->known[(kernel ^ launch) % OBSERVATIONS_KNOWN_SLOTS];
}

/* A copy of the texts in one allocation, of which the first is its beginning. */
static bool copy_texts(struct launch_words *words)
{
	size_t name = strlen(words->kernel_name) + 1, arguments = strlen(words->arguments) + 1;
	size_t device = strlen(words->device_key) + 1;
	char *copy = malloc(name + arguments + device);
	if (copy == NULL)
		return false;
	words->device_key = memcpy(copy + name + arguments, words->device_key, device);
	words->kernel_name = memcpy(copy, words->kernel_name, name);
	words->arguments = memcpy(copy + name, words->arguments, arguments);
	return true;
}

/* Adds the launch's words to those to be kept, unless they have been; without memory not. */
static void add_words(struct observations *observations, const struct observed *observed,
                      uint64_t key)
{
	const struct launch *launch = &observations->daemon->launch;
	uint64_t *known = known_slot(observations, observed->kernel, key);
	char arguments[STORE_ARGUMENTS_MAX];
	if (*known == (observed->kernel ^ key) || observations->word_count >= WORDS_MAX)
		return;
	if (observations->word_count == observations->word_room) {
		size_t room = observations->word_room == 0 ? 16 : 2 * observations->word_room;
		struct launch_words *grown =
		        realloc(observations->words, room * sizeof *observations->words);
		if (grown == NULL)
			return;
		observations->words = grown;
		observations->word_room = room;
	}
	launch_format_arguments(launch, arguments, sizeof arguments);
	struct launch_words words = {
	        .kernel = observed->kernel,
	        .launch = key,
	        .dimensions = launch->dimensions,
	        .kernel_name = observed->kernel_name,
	        .arguments = arguments,
	        .device_key = observed->device_key != NULL ? observed->device_key : "",
	};
	for (size_t i = 0; i < 3; i++) {
		words.sizes[i] = launch->global[i];
		words.sizes[3 + i] = launch->has_local ? launch->local[i] : 0;
	}
	if (!copy_texts(&words))
		return;
	observations->words[observations->word_count++] = words;
	*known = observed->kernel ^ key;
}

/* ---- one transaction ----------------------------------------------------------------------- */

static void start(struct observations *observations);

static void on_timer(uv_timer_t *timer)
{
	start(timer->data);
}

static void start_timer(struct observations *observations, uint64_t delay_ms)
{
	uv_timer_t *timer = &observations->timer;
	if (!uv_is_closing((uv_handle_t *)timer) && !uv_is_active((uv_handle_t *)timer))
		(void)uv_timer_start(timer, on_timer, delay_ms, 0);
}

static void answer_waits(struct save_wait *wait, const char *problem)
{
	while (wait != NULL) {
		struct save_wait *next = wait->next;
		wait->done(wait, problem);
		wait = next;
	}
}

static void saving_free(struct saving *saving)
{
	words_free(saving->words, saving->word_count);
	free(saving->records);
	free(saving->users);
	free(saving);
}

static void on_save(struct store_job *job, struct store **store)
{
	struct saving *saving = (struct saving *)job; /* its first member */
	const struct observed_changes changes = {
	        .records = saving->records,
	        .record_count = saving->record_count,
	        .users = saving->users,
	        .user_count = saving->user_count,
	        .words = saving->words,
	        .word_count = saving->word_count,
	};
	saving->error.status = STATUS_OK;
	if (*store == NULL)
		error_set(&saving->error, STATUS_UNAVAILABLE, "the store is not open");
	else if (store_save_records(*store, &changes, saving->power_loss, &saving->error) ==
	         STATUS_OK)
		saving->error.status = STATUS_OK;
}

/*
 * Records that are no more: answers that rested on them are out of date, and words of a launch go
 * with it, since who reports it meanwhile brings them.
 */
static void note_removed(struct observations *observations, const struct saving *saving)
{
	for (size_t i = 0; i < saving->record_count; i++) {
		const struct correction_record *record = &saving->records[i];
		const struct epochs_scope scope = {.has_kernel = true,
		                                   .kernel_hash = record->kernel};
		if (record->sample_count > 0)
			continue;
		*known_slot(observations, record->kernel, record->launch.key) = 0;
		epoch_limit_add(&observations->limit, &scope);
	}
}

/* Moves what changed into the transaction; what does not fit into memory stays marked. */
static bool take_changed(struct saving *saving)
{
	struct correction *correction = saving->observations->correction;
	for (;;) {
		if (saving->record_count == saving->record_room) {
			size_t room = saving->record_room == 0 ? 64 : 2 * saving->record_room;
			struct correction_record *grown =
			        realloc(saving->records, room * sizeof *grown);
			if (grown == NULL)
				return false;
			saving->records = grown;
			saving->record_room = room;
		}
		if (!correction_take_changed(correction, &saving->records[saving->record_count]))
			return true;
		saving->record_count++;
	}
}

/* The same of users; they are few. */
static bool take_changed_users(struct saving *saving)
{
	struct correction *correction = saving->observations->correction;
	size_t count = correction_changed_users(correction);
	if (count == 0)
		return true;
	saving->users = malloc(count * sizeof *saving->users);
	if (saving->users == NULL)
		return false;
	while (saving->user_count < count &&
	       correction_take_changed_user(correction, &saving->users[saving->user_count]))
		saving->user_count++;
	return true;
}

/* Words that were not kept, before those that came meanwhile. */
static void give_back_words(struct saving *saving)
{
	struct observations *observations = saving->observations;
	size_t count = saving->word_count, room = count + observations->word_count;
	if (count == 0)
		return;
	struct launch_words *all = realloc(saving->words, room * sizeof *all);
	if (all == NULL) {
		/* without memory for them, who reports those launches again brings them */
		memset(observations->known, 0, sizeof observations->known);
		return;
	}
	saving->words = NULL; /* moved */
	saving->word_count = 0;
	if (observations->word_count > 0)
		memcpy(all + count, observations->words,
		       observations->word_count * sizeof *observations->words);
	free(observations->words);
	observations->words = all;
	observations->word_count = room;
	observations->word_room = room;
}

/* Marks what could not be saved. Those that are no more are known here alone. */
static void give_back(struct saving *saving)
{
	struct observations *observations = saving->observations;
	size_t removed = 0;
	give_back_words(saving);
	for (size_t i = 0; i < saving->record_count; i++) {
		if (saving->records[i].sample_count == 0)
			saving->records[removed++] = saving->records[i];
		else
			correction_keep_changed(observations->correction, &saving->records[i]);
	}
	for (size_t i = 0; i < saving->user_count; i++)
		correction_keep_changed_user(observations->correction, &saving->users[i]);
	/* of more than that, rows stay in the store until they are displaced again */
	size_t most = observations->daemon->config.records;
	observations->removed = saving->records;
	observations->removed_count = removed < most ? removed : most;
	saving->records = NULL; /* moved */
	saving->record_count = 0;
}

static void on_saved(struct store_job *job)
{
	struct saving *saving = (struct saving *)job;
	struct observations *observations = saving->observations;
	struct persistence *persistence = &observations->daemon->persistence;
	bool is_kept = saving->error.status == STATUS_OK;
	struct metrics *metrics = &observations->daemon->metrics;
	uint64_t taken_ns = uv_hrtime() - saving->begun_ns;
	observations->saving = NULL;
	if (is_kept) {
		histogram_add(&metrics->commits, 1, taken_ns);
		metrics->last_commit_s = (double)taken_ns * 1e-9;
		persistence_succeeded(persistence);
		answer_waits(saving->waits, NULL);
	} else {
		metrics->commits_failed++;
		give_back(saving);
		persistence_failed(persistence, &saving->error);
		answer_waits(saving->waits, persistence->problem);
	}
	saving_free(saving);
	observations_log_drifts(observations);
	bool is_last = uv_is_closing((uv_handle_t *)&observations->timer) != 0;
	if (observations->waits != NULL || (is_kept && is_last))
		start(observations);
	else if (!is_kept)
		start_timer(observations, RETRY_MS);
}

/* Refuses what waits, also for a transaction that does not end: nothing can be kept now. */
static void refuse_waits(struct observations *observations, const char *problem)
{
	struct save_wait *waits = observations->waits;
	observations->waits = NULL;
	observations->last_wait = NULL;
	answer_waits(waits, problem);
	if (observations->saving == NULL)
		return;
	waits = observations->saving->waits;
	observations->saving->waits = NULL;
	answer_waits(waits, problem);
}

/* Begins a transaction of all that is not kept, unless one runs: the next one follows it. */
static void start(struct observations *observations)
{
	struct persistence *persistence = &observations->daemon->persistence;
	if (persistence->worker.late != NULL) {
		refuse_waits(observations, persistence->problem);
		start_timer(observations, RETRY_MS);
		return;
	}
	if (observations->saving != NULL)
		return;
	if (!persistence->is_open) {
		if (persistence->is_opening)
			return; /* observations_load goes on with it */
		refuse_waits(observations, persistence->problem);
		return;
	}
	struct saving *saving = calloc(1, sizeof *saving);
	if (saving == NULL) {
		refuse_waits(observations, "no memory to keep it");
		start_timer(observations, RETRY_MS);
		return;
	}
	saving->observations = observations;
	saving->begun_ns = uv_hrtime();
	saving->job = (struct store_job){.run = on_save, .done = on_saved};
	saving->power_loss = strcmp(observations->daemon->config.durability, "power") == 0;
	saving->records = observations->removed;
	saving->record_count = observations->removed_count;
	saving->record_room = observations->removed_count;
	observations->removed = NULL;
	observations->removed_count = 0;
	if (!take_changed(saving) || !take_changed_users(saving)) {
		give_back(saving);
		saving_free(saving);
		refuse_waits(observations, "no memory to keep it");
		start_timer(observations, RETRY_MS);
		return;
	}
	if (saving->record_count == 0 && saving->user_count == 0 && observations->waits == NULL) {
		saving_free(saving);
		return;
	}
	note_removed(observations, saving);
	saving->words = observations->words;
	saving->word_count = observations->word_count;
	saving->waits = observations->waits;
	observations->words = NULL;
	observations->word_count = 0;
	observations->word_room = 0;
	observations->waits = NULL;
	observations->last_wait = NULL;
	observations->saving = saving;
	(void)uv_timer_stop(&observations->timer);
	store_worker_add(&persistence->worker, &saving->job);
}

/* ---- what the rest calls ------------------------------------------------------------------- */

void saving_changed(struct observations *observations, const struct observed *observed,
                    uint64_t launch)
{
	add_words(observations, observed, launch);
	start_timer(observations, observations->daemon->config.commit_ms);
}

void observations_go_on(struct observations *observations)
{
	start(observations);
}

void observations_wait(struct observations *observations, struct save_wait *wait)
{
	wait->next = NULL;
	if (observations->waits == NULL)
		observations->waits = wait;
	else
		observations->last_wait->next = wait;
	observations->last_wait = wait;
	start(observations);
}

static bool passes(const struct kernel_filter *filter, const struct launch_words *words)
{
	if (filter->name != NULL && strcmp(filter->name, words->kernel_name) != 0)
		return false;
	if (filter->device_key != NULL && strcmp(filter->device_key, words->device_key) != 0)
		return false;
	return !filter->is_sourceless || words->device_key[0] != '\0';
}

enum status observations_find_unkept(const struct observations *observations,
                                     const struct kernel_filter *filter, uint64_t **kernels,
                                     size_t *count, struct error *error)
{
	size_t used = 0;
	uint64_t *found = calloc(observations->word_count + 1, sizeof *found);
	if (found == NULL)
		return error_set(error, STATUS_NO_MEMORY, "observations: no memory");
	for (size_t i = 0; i < observations->word_count; i++)
		if (passes(filter, &observations->words[i]))
			found[used++] = observations->words[i].kernel;
	*kernels = found;
	*count = used;
	return STATUS_OK;
}

static int compare_keys(const void *first, const void *second)
{
	const struct correction_record *a = first, *b = second;
	if (a->kernel != b->kernel)
		return a->kernel < b->kernel ? -1 : 1;
	if (a->launch.key != b->launch.key)
		return a->launch.key < b->launch.key ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->launch.kind != b->launch.kind)
		return a->launch.kind < b->launch.kind ? -1 : 1;
	return (a->uid > b->uid) - (a->uid < b->uid);
}

static int compare_newest(const void *first, const void *second)
{
	const struct correction_record *a = first, *b = second;
	uint32_t a_s = a->sample_count > 0 ? a->samples[a->sample_count - 1].at_s : 0;
	uint32_t b_s = b->sample_count > 0 ? b->samples[b->sample_count - 1].at_s : 0;
	return (a_s < b_s) - (a_s > b_s);
}

/* Of a store that has more than is to be kept by now: the newest, and the rest is deleted. */
static void load_records(struct observations *observations, struct correction_record *records,
                         size_t count)
{
	struct correction *correction = observations->correction;
	size_t most = observations->daemon->config.records;
	struct correction_record *surplus = NULL;
	struct error error;
	if (count > most) {
		qsort(records, count, sizeof *records, compare_newest);
		/* without memory for it, it stays in the store */
		surplus = realloc(observations->removed,
		                  (observations->removed_count + count) * sizeof *surplus);
		if (surplus != NULL)
			observations->removed = surplus;
	}
	for (size_t i = 0; i < count; i++) {
		if (correction_load(correction, &records[i], &error) == STATUS_OK)
			continue;
		if (surplus == NULL || correction_records(correction) < most) {
			log_write(LOG_OBSERVATIONS_FAILED, LOG_TEXT_FIELD("why", error.text));
			continue;
		}
		struct correction_record *gone = &surplus[observations->removed_count++];
		*gone = records[i];
		gone->sample_count = 0;
	}
}

/* Once more, on top of what the store has of the same launch. */
static void replay(struct correction *correction, const struct correction_record *record)
{
	struct error error;
	for (uint32_t i = 0; i < record->sample_count; i++) {
		const struct correction_sample *sample = &record->samples[i];
		const struct correction_run run = {
		        .device = record->device,
		        .kernel = record->kernel,
		        .uid = record->uid,
		        .flags = sample->flags,
		        .time_s = exp((double)sample->time_log),
		        .measured_at_s = sample->at_s,
		        .predicted_s = sample->predicted_s,
		        .low_s = sample->low_s,
		        .high_s = sample->high_s,
		        .launch = record->launch,
		};
		(void)correction_observe(correction, &run, NULL, &error);
	}
}

void observations_load(struct observations *observations, struct correction_record *records,
                       size_t count, const struct correction_user *users, size_t user_count)
{
	struct correction *correction = observations->correction;
	struct saving before = {.observations = observations};
	struct error error;
	/* what was observed meanwhile; without memory for it, it gives way to what is loaded */
	(void)take_changed(&before);
	load_records(observations, records, count);
	if (before.record_count > 0 && count > 0)
		qsort(records, count, sizeof *records, compare_keys);
	for (size_t i = 0; i < before.record_count; i++) {
		const struct correction_record *record = &before.records[i];
		if (count > 0 &&
		    bsearch(record, records, count, sizeof *records, compare_keys) != NULL)
			replay(correction, record);
		else
			correction_keep_changed(correction, record);
	}
	free(before.records);
	for (size_t i = 0; i < user_count; i++)
		if (correction_load_user(correction, &users[i], &error) == STATUS_CORRUPT)
			log_write(LOG_OBSERVATIONS_FAILED, LOG_TEXT_FIELD("why", error.text));
	observations_settle(observations);
	if (observations->daemon->epochs != NULL && count > 0)
		epochs_raise_all(observations->daemon->epochs);
	start(observations);
}

void observations_stop(struct observations *observations)
{
	if (uv_is_closing((uv_handle_t *)&observations->timer))
		return;
	observations_settle_stop(observations);
	epoch_limit_stop(&observations->limit);
	uv_close((uv_handle_t *)&observations->timer, NULL);
	start(observations);
}

void saving_deinit(struct observations *observations)
{
	free(observations->removed);
	observations->removed = NULL;
	words_free(observations->words, observations->word_count);
	observations->words = NULL;
	observations->word_count = 0;
}
