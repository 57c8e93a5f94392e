/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the store is asked to do. It is opened, again later where that failed, and calibrations
 * are saved in it (observations: daemon/state/observations.h). Until it is open they serve from
 * memory; what was measured meanwhile is saved once it is.
 */
#ifndef PREDICTD_DAEMON_STATE_PERSISTENCE_H
#define PREDICTD_DAEMON_STATE_PERSISTENCE_H

#include "daemon/state/store_worker.h"
#include "model/device/contention.h"

struct daemon;

struct persistence {
	struct daemon *daemon;
	struct store_worker worker;
	uv_timer_t retry;
	bool is_open, is_opening;
	bool was_late;     /* what was behind a job that did not end was done without a store */
	bool is_complete;  /* open, and all calibrations that it had are taken up */
	char problem[256]; /* why nothing is kept, or empty */
};

/* A calibration on its way to the store; embedded in what waits for it. */
struct persistence_job {
	struct store_job job;
	struct persistence *persistence;
	struct device *device; /* borrowed until `done` */
	struct error error;    /* STATUS_OK: it was saved */
	void (*done)(struct persistence_job *job);
};

/* A pair of devices on its way there, likewise. */
struct persistence_pair {
	struct store_job job;
	struct persistence *persistence;
	struct contention pair;
	struct error error; /* STATUS_OK: it was saved */
	void (*done)(struct persistence_pair *job);
};

void persistence_init(struct persistence *persistence, struct daemon *daemon);

/*
 * Opens the store and loads what it has, or what of that was not taken up, unless all
 * is done; the daemon's store_loaded follows.
 */
void persistence_open(struct persistence *persistence);

/*
 * Saves job->device and gives it an epoch above every one before, also when it cannot be
 * saved; then job->done is called, on the loop, with job->error.
 */
void persistence_save(struct persistence *persistence, struct persistence_job *job,
                      struct device *device, void (*done)(struct persistence_job *job));

/* Saves job->pair; then job->done is called, on the loop, with job->error. */
void persistence_save_pair(struct persistence *persistence, struct persistence_pair *job,
                           const struct contention *pair,
                           void (*done)(struct persistence_pair *job));

/* The same, and nobody waits for it. */
void persistence_keep_pair(struct persistence *persistence, const struct contention *pair);

/* Something else was kept, or could not be: status and log say so. */
void persistence_succeeded(struct persistence *persistence);
void persistence_failed(struct persistence *persistence, const struct error *why);

/* Opens no more; what is being saved still is. */
void persistence_stop(struct persistence *persistence);

/* Closes the store; false: something is still being saved, and it stays open. */
bool persistence_deinit(struct persistence *persistence);

#endif
