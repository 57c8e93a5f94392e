/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the daemon keeps: the store is opened, again later where that failed, and
 * calibrations are saved in it (observations: daemon/state/observations.h). Until it is open
 * they serve from memory; what was measured meanwhile is saved once it is.
 */
#ifndef PREDICTD_DAEMON_STATE_KEEPING_H
#define PREDICTD_DAEMON_STATE_KEEPING_H

#include "daemon/state/store_worker.h"

struct daemon;

struct keeping {
	struct daemon *daemon;
	struct store_worker worker;
	uv_timer_t retry;
	bool is_open, is_opening;
	bool was_late;     /* what was behind a job that did not end was done without a store */
	bool is_complete;  /* open, and all calibrations that it had are taken up */
	char problem[256]; /* why nothing is kept, or empty */
};

/* A calibration on its way to the store; embedded in what waits for it. */
struct keep_job {
	struct store_job job;
	struct keeping *keeping;
	struct device *device; /* borrowed until `done` */
	struct error error;    /* STATUS_OK: it was saved */
	void (*done)(struct keep_job *job);
};

void keeping_init(struct keeping *keeping, struct daemon *daemon);

/*
 * Opens the store and loads what it has, or what of that was not taken up, unless all
 * is done; the daemon's store_loaded follows.
 */
void keeping_open(struct keeping *keeping);

/*
 * Saves job->device and gives it an epoch above every one before, also when it cannot be
 * saved; then job->done is called, on the loop, with job->error.
 */
void keeping_save(struct keeping *keeping, struct keep_job *job, struct device *device,
                  void (*done)(struct keep_job *job));

/* Something else was kept, or could not be: status and log say so. */
void keeping_succeeded(struct keeping *keeping);
void keeping_failed(struct keeping *keeping, const struct error *why);

/* Opens no more; what is being saved still is. */
void keeping_stop(struct keeping *keeping);

/* Closes the store; false: something is still being saved, and it stays open. */
bool keeping_deinit(struct keeping *keeping);

#endif
