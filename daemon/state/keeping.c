/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon keeps: the store opened, calibrations saved. */
#include "daemon/state/keeping.h"

#include "daemon/daemon.h"
#include "daemon/log.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	KEEPING_RETRY_MS = 30000,
	RECORDS_MAX = 1 << 20, /* that any configuration allows */
	USERS_MAX = 4 * CORRECTION_USERS
};

struct loading {
	struct store_job job;
	struct keeping *keeping;
	struct device *devices;
	size_t count;
	struct correction_record *records;
	size_t record_count;
	struct correction_user *users;
	size_t user_count;
	struct error open_error, load_error, records_error;
	enum status open_status;
	bool is_again; /* the store is open: calibrations that could not all be taken up */
};

void keeping_succeeded(struct keeping *keeping)
{
	keeping->problem[0] = '\0';
}

void keeping_failed(struct keeping *keeping, const struct error *why)
{
	snprintf(keeping->problem, sizeof keeping->problem, "nothing is kept: %.230s", why->text);
	log_write(LOG_STORE_FAILED, LOG_TEXT_FIELD("why", keeping->problem));
}

/* ---- saving -------------------------------------------------------------------------------- */

static void on_save(struct store_job *job, struct store **store)
{
	struct keep_job *keep = (struct keep_job *)job; /* its first member */
	if (*store == NULL)
		error_set(&keep->error, STATUS_UNAVAILABLE, "the store is not open");
	else if (store_save_calibration(*store, keep->device, &keep->error) == STATUS_OK)
		keep->error.status = STATUS_OK;
}

static void on_saved(struct store_job *job)
{
	struct keep_job *keep = (struct keep_job *)job;
	struct keeping *keeping = keep->keeping;
	struct registry *registry = &keeping->daemon->registry;
	if (keep->error.status == STATUS_OK) {
		keeping_succeeded(keeping);
	} else {
		keep->device->epoch = registry->epoch_max + 1;
		/* why it is not open has been logged, and is told to who asked */
		if (keep->error.status != STATUS_UNAVAILABLE)
			keeping_failed(keeping, &keep->error);
		else if (keeping->problem[0] != '\0')
			error_set(&keep->error, STATUS_IO, "%s", keeping->problem);
	}
	keep->done(keep);
}

void keeping_save(struct keeping *keeping, struct keep_job *job, struct device *device,
                  void (*done)(struct keep_job *job))
{
	if (!keeping->is_open)
		keeping_open(keeping);
	*job = (struct keep_job){
	        .job = {.run = on_save, .done = on_saved},
	        .keeping = keeping,
	        .device = device,
	        .done = done,
	};
	device->epoch = keeping->daemon->registry.epoch_max + 1;
	store_worker_add(&keeping->worker, &job->job);
}

/* ---- what was measured while the store was not open ---------------------------------------- */

struct late_save {
	struct keep_job keep;
	struct device device;
};

static void on_saved_late(struct keep_job *keep)
{
	struct late_save *late = (struct late_save *)keep;
	struct error error;
	if (keep->error.status == STATUS_OK &&
	    registry_keep(&keep->keeping->daemon->registry, &late->device, &error) != STATUS_OK)
		log_write(LOG_STORE_FAILED, LOG_TEXT_FIELD("why", error.text));
	free(late);
}

static void save_all(struct keeping *keeping)
{
	const struct registry *registry = &keeping->daemon->registry;
	for (size_t i = 0; i < registry->kept_count; i++) {
		struct late_save *late = calloc(1, sizeof *late);
		if (late == NULL)
			return;
		late->device = *registry->kept[i];
		keeping_save(keeping, &late->keep, &late->device, on_saved_late);
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
		loading->open_status = open_store(loading->keeping->daemon->paths.state, store,
		                                  &loading->open_error);
	if (loading->open_status != STATUS_OK)
		return;
	struct error failure;
	enum status status = store_load_calibrations(*store, &loading->devices, &loading->count,
	                                             &loading->load_error);
	failure = loading->load_error;
	if (status == STATUS_OK && !loading->is_again) {
		status = store_load_records(*store, NULL, RECORDS_MAX, &loading->records,
		                            &loading->record_count, &loading->records_error);
		failure = loading->records_error;
	}
	if (status == STATUS_OK && !loading->is_again)
		status = store_load_users(*store, USERS_MAX, &loading->users, &loading->user_count,
		                          &failure);
	if (status == STATUS_OK)
		return;
	/* what could not be read is not lost: as if the store could not be opened, yet */
	if (!loading->is_again) {
		store_close(*store);
		*store = NULL;
	}
	loading->count = 0;
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

static void on_retry(uv_timer_t *timer)
{
	keeping_open(timer->data);
}

static void log_failure(const struct error *error)
{
	if (error->status != STATUS_OK)
		log_write(LOG_STORE_FAILED, LOG_TEXT_FIELD("why", error->text));
}

static void on_loaded(struct store_job *job)
{
	struct loading *loading = (struct loading *)job;
	struct keeping *keeping = loading->keeping;
	struct daemon *daemon = keeping->daemon;
	keeping->is_opening = false;
	if (loading->open_status != STATUS_OK) {
		keeping_failed(keeping, &loading->open_error);
	} else {
		keeping->is_open = true;
		keeping->problem[0] = '\0';
		if (loading->open_error.status == STATUS_CORRUPT)
			log_write(LOG_STORE_SET_ASIDE,
			          LOG_TEXT_FIELD("why", loading->open_error.text));
		log_failure(&loading->load_error);
		log_failure(&loading->records_error);
		/* first, so that the loaded ones are not saved again */
		if (!loading->is_again)
			save_all(keeping);
		keeping->is_complete = take_up(&daemon->registry, loading);
		if (!loading->is_again)
			observations_load(&daemon->observations, loading->records,
			                  loading->record_count, loading->users,
			                  loading->user_count);
		if (keeping->was_late)
			program_keeping_open(&daemon->program_keeping);
	}
	if (!keeping->is_complete && !uv_is_closing((uv_handle_t *)&keeping->retry))
		(void)uv_timer_start(&keeping->retry, on_retry, KEEPING_RETRY_MS, 0);
	free(loading->records);
	free(loading->users);
	free(loading->devices);
	free(loading);
	daemon->events->store_loaded(daemon);
}

/* A store that does not answer is as one that could not be opened, until it does. */
static void on_late(void *data, bool is_late)
{
	struct keeping *keeping = data;
	struct daemon *daemon = keeping->daemon;
	struct error error;
	if (!is_late) {
		keeping_succeeded(keeping);
		keeping_open(keeping); /* where that was put off */
		return;
	}
	keeping->was_late = true;
	error_set(&error, STATUS_UNAVAILABLE, "%.200s: the store does not answer",
	          daemon->paths.state);
	keeping_failed(keeping, &error);
	observations_go_on(&daemon->observations);
	if (!daemon->is_store_loaded)
		daemon->events->store_loaded(daemon);
}

void keeping_init(struct keeping *keeping, struct daemon *daemon)
{
	*keeping = (struct keeping){.daemon = daemon};
	store_worker_init(&keeping->worker, &daemon->loop, on_late, keeping);
	(void)uv_timer_init(&daemon->loop, &keeping->retry);
	keeping->retry.data = keeping;
}

void keeping_open(struct keeping *keeping)
{
	struct error error;
	if (keeping->is_complete || keeping->is_opening || keeping->worker.late != NULL)
		return;
	struct loading *loading = calloc(1, sizeof *loading);
	if (loading == NULL) {
		error_set(&error, STATUS_NO_MEMORY, "the store: no memory");
		keeping_failed(keeping, &error);
		keeping->daemon->events->store_loaded(keeping->daemon);
		return;
	}
	keeping->is_opening = true;
	loading->keeping = keeping;
	loading->is_again = keeping->is_open;
	loading->job = (struct store_job){.run = on_load, .done = on_loaded};
	store_worker_add(&keeping->worker, &loading->job);
	if (!loading->is_again)
		program_keeping_open(&keeping->daemon->program_keeping);
}

void keeping_stop(struct keeping *keeping)
{
	if (!uv_is_closing((uv_handle_t *)&keeping->retry))
		uv_close((uv_handle_t *)&keeping->retry, NULL);
	store_worker_stop(&keeping->worker);
}

bool keeping_deinit(struct keeping *keeping)
{
	bool is_idle = store_worker_is_idle(&keeping->worker);
	if (is_idle)
		store_worker_deinit(&keeping->worker);
	return is_idle;
}
