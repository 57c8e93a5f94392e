/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon keeps: the store opened, calibrations saved. */
#include "daemon/state/persistence.h"

#include "daemon/daemon.h"
#include "daemon/log.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	PERSISTENCE_RETRY_MS = 30000,
	RECORDS_MAX = 1 << 20, /* that any configuration allows */
	USERS_MAX = 4 * CORRECTION_USERS
};

struct loading {
	struct store_job job;
	struct persistence *persistence;
	struct device *devices;
	size_t count;
	struct contention *pairs;
	size_t pair_count;
	struct correction_record *records;
	size_t record_count;
	struct correction_user *users;
	size_t user_count;
	struct loaded_samples samples;
	struct error open_error, load_error, pairs_error, records_error, samples_error;
	enum status open_status;
	bool is_again; /* the store is open: calibrations that could not all be taken up */
};

void persistence_succeeded(struct persistence *persistence)
{
	if (persistence->problem[0] != '\0')
		log_write(LOG_STORE_BACK, LOG_TEXT_FIELD("before", persistence->problem));
	persistence->problem[0] = '\0';
}

void persistence_failed(struct persistence *persistence, const struct error *why)
{
	snprintf(persistence->problem, sizeof persistence->problem, "nothing is kept: %.230s",
	         why->text);
	log_write(LOG_STORE_FAILED, LOG_TEXT_FIELD("why", persistence->problem));
}

/* ---- saving -------------------------------------------------------------------------------- */

static void on_save(struct store_job *job, struct store **store)
{
	struct persistence_job *keep = (struct persistence_job *)job; /* its first member */
	if (*store == NULL)
		error_set(&keep->error, STATUS_UNAVAILABLE, "the store is not open");
	else if (store_save_calibration(*store, keep->device, &keep->error) == STATUS_OK)
		keep->error.status = STATUS_OK;
}

static void on_saved(struct store_job *job)
{
	struct persistence_job *keep = (struct persistence_job *)job;
	struct persistence *persistence = keep->persistence;
	struct registry *registry = &persistence->daemon->registry;
	if (keep->error.status == STATUS_OK) {
		persistence_succeeded(persistence);
	} else {
		keep->device->epoch = registry->epoch_max + 1;
		/* why it is not open has been logged, and is told to who asked */
		if (keep->error.status != STATUS_UNAVAILABLE)
			persistence_failed(persistence, &keep->error);
		else if (persistence->problem[0] != '\0')
			error_set(&keep->error, STATUS_IO, "%s", persistence->problem);
	}
	keep->done(keep);
}

void persistence_save(struct persistence *persistence, struct persistence_job *job,
                      struct device *device, void (*done)(struct persistence_job *job))
{
	if (!persistence->is_open)
		persistence_open(persistence);
	*job = (struct persistence_job){
	        .job = {.run = on_save, .done = on_saved},
	        .persistence = persistence,
	        .device = device,
	        .done = done,
	};
	device->epoch = persistence->daemon->registry.epoch_max + 1;
	store_worker_add(&persistence->worker, &job->job);
}

static void on_save_pair(struct store_job *job, struct store **store)
{
	struct persistence_pair *keep = (struct persistence_pair *)job; /* its first member */
	if (*store == NULL)
		error_set(&keep->error, STATUS_UNAVAILABLE, "the store is not open");
	else if (store_save_pair(*store, &keep->pair, &keep->error) == STATUS_OK)
		keep->error.status = STATUS_OK;
}

static void on_saved_pair(struct store_job *job)
{
	struct persistence_pair *keep = (struct persistence_pair *)job;
	if (keep->error.status == STATUS_OK)
		persistence_succeeded(keep->persistence);
	else if (keep->error.status != STATUS_UNAVAILABLE)
		persistence_failed(keep->persistence, &keep->error);
	keep->done(keep);
}

void persistence_save_pair(struct persistence *persistence, struct persistence_pair *job,
                           const struct contention *pair,
                           void (*done)(struct persistence_pair *job))
{
	if (!persistence->is_open)
		persistence_open(persistence);
	*job = (struct persistence_pair){
	        .job = {.run = on_save_pair, .done = on_saved_pair},
	        .persistence = persistence,
	        .pair = *pair,
	        .done = done,
	};
	store_worker_add(&persistence->worker, &job->job);
}

/* ---- what was measured while the store was not open ---------------------------------------- */

struct late_save {
	struct persistence_job keep;
	struct device device;
};

static void on_saved_late(struct persistence_job *keep)
{
	struct late_save *late = (struct late_save *)keep;
	struct error error;
	if (keep->error.status == STATUS_OK &&
	    registry_keep(&keep->persistence->daemon->registry, &late->device, &error) != STATUS_OK)
		log_write(LOG_STORE_FAILED, LOG_TEXT_FIELD("why", error.text));
	free(late);
}

static void on_saved_late_pair(struct persistence_pair *late)
{
	free(late);
}

void persistence_keep_pair(struct persistence *persistence, const struct contention *pair)
{
	struct persistence_pair *late = calloc(1, sizeof *late);
	if (late != NULL) /* else it serves as long as the daemon lives */
		persistence_save_pair(persistence, late, pair, on_saved_late_pair);
}

static void save_all_pairs(struct persistence *persistence)
{
	const struct pairs *pairs = &persistence->daemon->pairs;
	for (size_t i = 0; i < pairs->count; i++)
		persistence_keep_pair(persistence, &pairs->pairs[i]);
}

static void save_all(struct persistence *persistence)
{
	save_all_pairs(persistence);
	const struct registry *registry = &persistence->daemon->registry;
	for (size_t i = 0; i < registry->kept_count; i++) {
		struct late_save *late = calloc(1, sizeof *late);
		if (late == NULL)
			return;
		late->device = *registry->kept[i];
		persistence_save(persistence, &late->keep, &late->device, on_saved_late);
	}
}

/* ---- opening ------------------------------------------------------------------------------- */

static enum status open_store(const char *directory, struct store **store, struct error *error)
{
	if (directory[0] == '\0')
		return error_set(
		        error, STATUS_INVALID,
		        "state: no folder is known: neither XDG_STATE_HOME nor HOME is set; "
		        "set one, or use --state DIR");
	return store_open(directory, store, error);
}

static void on_load(struct store_job *job, struct store **store)
{
	struct loading *loading = (struct loading *)job; /* its first member */
	if (!loading->is_again)
		loading->open_status = open_store(loading->persistence->daemon->paths.state, store,
		                                  &loading->open_error);
	if (loading->open_status != STATUS_OK)
		return;
	struct error failure;
	enum status status = store_load_calibrations(*store, &loading->devices, &loading->count,
	                                             &loading->load_error);
	failure = loading->load_error;
	if (status == STATUS_OK) {
		status = store_load_pairs(*store, &loading->pairs, &loading->pair_count,
		                          &loading->pairs_error);
		failure = loading->pairs_error;
	}
	if (status == STATUS_OK && !loading->is_again) {
		status = store_load_records(*store, NULL, RECORDS_MAX, &loading->records,
		                            &loading->record_count, &loading->records_error);
		failure = loading->records_error;
	}
	if (status == STATUS_OK && !loading->is_again)
		status = store_load_users(*store, USERS_MAX, &loading->users, &loading->user_count,
		                          &failure);
	if (status == STATUS_OK) {
		/* nobody's question depends on it: what cannot be read is sent again */
		if (!loading->is_again)
			loading->samples_error.status = sample_persistence_read(
			        *store, &loading->samples, &loading->samples_error);
		return;
	}
	/* what could not be read is not lost: as if the store could not be opened, yet */
	if (!loading->is_again) {
		store_close(*store);
		*store = NULL;
	}
	loading->count = 0;
	loading->pair_count = 0;
	loading->record_count = 0;
	loading->user_count = 0;
	loading->open_status = status;
	loading->open_error = failure;
}

/*
 * Takes up the calibrations that the store has; what is known already was measured since.
 * False: some could not be, for want of memory.
 */
static bool take_up(struct registry *registry, const struct loading *loading)
{
	struct error error;
	bool is_complete = true;
	for (size_t i = 0; i < loading->count; i++) {
		const struct device *device = &loading->devices[i];
		enum status status = STATUS_OK;
		if (registry_is_kept(registry, device))
			registry_raise_epoch(registry, device->epoch);
		else
			status = registry_keep(registry, device, &error);
		if (status != STATUS_OK)
			log_write(LOG_STORE_FAILED, LOG_TEXT_FIELD("why", error.text));
		is_complete = is_complete && status != STATUS_NO_MEMORY;
	}
	return is_complete;
}

static bool take_up_pairs(struct daemon *daemon, const struct loading *loading)
{
	struct error error;
	bool is_complete = true;
	for (size_t i = 0; i < loading->pair_count; i++) {
		const struct contention *pair = &loading->pairs[i];
		if (pairs_has(&daemon->pairs, pair) ||
		    pairs_keep(&daemon->pairs, pair, &error) == STATUS_OK)
			continue;
		log_write(LOG_STORE_FAILED, LOG_TEXT_FIELD("why", error.text));
		is_complete = is_complete && error.status != STATUS_NO_MEMORY;
	}
	if (loading->pair_count > 0 && daemon->epochs != NULL)
		epochs_raise(daemon->epochs, daemon_pairs_slot(daemon));
	return is_complete;
}

static void on_retry(uv_timer_t *timer)
{
	persistence_open(timer->data);
}

static void log_failure(const struct error *error)
{
	if (error->status != STATUS_OK)
		log_write(LOG_STORE_FAILED, LOG_TEXT_FIELD("why", error->text));
}

static void on_loaded(struct store_job *job)
{
	struct loading *loading = (struct loading *)job;
	struct persistence *persistence = loading->persistence;
	struct daemon *daemon = persistence->daemon;
	persistence->is_opening = false;
	if (loading->open_status != STATUS_OK) {
		persistence_failed(persistence, &loading->open_error);
	} else {
		persistence->is_open = true;
		persistence_succeeded(persistence);
		if (loading->open_error.status == STATUS_CORRUPT)
			log_write(LOG_STORE_SET_ASIDE,
			          LOG_TEXT_FIELD("why", loading->open_error.text));
		log_failure(&loading->load_error);
		log_failure(&loading->pairs_error);
		log_failure(&loading->records_error);
		log_failure(&loading->samples_error);
		/* first, so that the loaded ones are not saved again */
		if (!loading->is_again)
			save_all(persistence);
		persistence->is_complete = take_up_pairs(daemon, loading);
		persistence->is_complete &= take_up(&daemon->registry, loading);
		if (!loading->is_again)
			observations_load(&daemon->observations, loading->records,
			                  loading->record_count, loading->users,
			                  loading->user_count);
		if (persistence->was_late)
			program_persistence_open(&daemon->program_persistence);
	}
	sample_persistence_take_up(&daemon->sample_persistence, &loading->samples);
	if (!persistence->is_complete && !uv_is_closing((uv_handle_t *)&persistence->retry))
		(void)uv_timer_start(&persistence->retry, on_retry, PERSISTENCE_RETRY_MS, 0);
	free(loading->records);
	free(loading->users);
	free(loading->devices);
	free(loading->pairs);
	free(loading);
	daemon->events->store_loaded(daemon);
}

/* A store that does not answer is as one that could not be opened, until it does. */
static void on_late(void *data, bool is_late)
{
	struct persistence *persistence = data;
	struct daemon *daemon = persistence->daemon;
	struct error error;
	if (!is_late) {
		persistence_succeeded(persistence);
		persistence_open(persistence); /* where that was put off */
		return;
	}
	persistence->was_late = true;
	error_set(&error, STATUS_UNAVAILABLE, "%.200s: the store does not answer",
	          daemon->paths.state);
	persistence_failed(persistence, &error);
	observations_go_on(&daemon->observations);
	sample_persistence_go_on(&daemon->sample_persistence);
	if (!daemon->is_store_loaded)
		daemon->events->store_loaded(daemon);
}

void persistence_init(struct persistence *persistence, struct daemon *daemon)
{
	*persistence = (struct persistence){.daemon = daemon};
	store_worker_init(&persistence->worker, &daemon->loop, on_late, persistence);
	(void)uv_timer_init(&daemon->loop, &persistence->retry);
	persistence->retry.data = persistence;
}

void persistence_open(struct persistence *persistence)
{
	struct error error;
	if (persistence->is_complete || persistence->is_opening || persistence->worker.late != NULL)
		return;
	struct loading *loading = calloc(1, sizeof *loading);
	if (loading == NULL) {
		error_set(&error, STATUS_NO_MEMORY, "the store: no memory");
		persistence_failed(persistence, &error);
		persistence->daemon->events->store_loaded(persistence->daemon);
		return;
	}
	persistence->is_opening = true;
	loading->persistence = persistence;
	loading->is_again = persistence->is_open;
	loading->samples.keeps = persistence->daemon->sample_persistence.keeps;
	loading->job = (struct store_job){.run = on_load, .done = on_loaded};
	store_worker_add(&persistence->worker, &loading->job);
	if (!loading->is_again)
		program_persistence_open(&persistence->daemon->program_persistence);
}

void persistence_stop(struct persistence *persistence)
{
	if (!uv_is_closing((uv_handle_t *)&persistence->retry))
		uv_close((uv_handle_t *)&persistence->retry, NULL);
	store_worker_stop(&persistence->worker);
}

bool persistence_deinit(struct persistence *persistence)
{
	bool is_idle = store_worker_is_idle(&persistence->worker);
	if (is_idle)
		store_worker_deinit(&persistence->worker);
	return is_idle;
}
