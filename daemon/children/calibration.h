/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calibrations and scans for devices, one at a time: two at once would disturb
 * each other's measurements. What a calibration found is kept by the store
 * before it is told; where the store cannot, it serves until the daemon ends.
 */
#ifndef PREDICTD_DAEMON_CHILDREN_CALIBRATION_H
#define PREDICTD_DAEMON_CHILDREN_CALIBRATION_H

#include "daemon/children/calibrator_run.h"
#include "model/device/contention.h"
#include "model/device/device.h"

#include <stdbool.h>

struct daemon;
struct calibration_job;

struct calibration {
	struct daemon *daemon;
	struct calibrator_run *run; /* NULL: none */
	bool is_scanning, is_stopping;
	bool was_scanned; /* at least once, well or not */
	uint64_t scanned_ms;
	struct calibration_job *first, *last; /* the first one runs, unless a scan does */
	unsigned count;
};

struct calibration_events {
	void (*on_progress)(void *data, const Predictd__Progress *progress);
	/* Once: `device` as kept (with epoch), or NULL and why. */
	void (*on_done)(void *data, const struct device *device, const struct error *why);
	/* Instead, where a pair was measured: as kept. */
	void (*on_pair)(void *data, const struct contention *pair);
};

void calibration_init(struct calibration *calibration, struct daemon *daemon);

/*
 * Asks for the devices of this node unless that is being done; when done, waiting sessions wake.
 */
void calibration_scan(struct calibration *calibration);
bool calibration_is_scanning(const struct calibration *calibration);

/* Who asked for a calibration. */
enum calibration_for {
	CALIBRATION_FOR_USER,
	/* politely, and given up for what a user asks for: */
	CALIBRATION_FOR_NOBODY, /* kept if better than the one before */
	CALIBRATION_AT_START    /* of a device that has none of its own */
};

/*
 * Calibrates a present device of the registry, when its turn comes.
 * STATUS_BUSY: it is being calibrated, or too many wait; no event comes then.
 */
enum status calibration_start(struct calibration *calibration, size_t index, bool is_quick,
                              enum calibration_for whom, const struct calibration_events *events,
                              void *data, struct calibration_job **job, struct error *error);

/*
 * Measures what two devices of the registry that are here do to each other, when its turn comes.
 * STATUS_INVALID: both are one. STATUS_BUSY: too many wait; no event comes then.
 */
enum status calibration_start_pair(struct calibration *calibration, size_t first, size_t second,
                                   const struct calibration_events *events, void *data,
                                   struct calibration_job **job, struct error *error);

/* Ends a calibration; it changes nothing. on_done tells STATUS_CANCELLED (also for `why`). */
void calibration_cancel(struct calibration *calibration, struct calibration_job *job,
                        const char *why);

/* The device being calibrated, or NULL. */
const struct device *calibration_device(const struct calibration *calibration);

/* Nothing is being measured, looked for or waited for. */
bool calibration_is_idle(const struct calibration *calibration);

/* Ends what runs and waits. */
void calibration_stop(struct calibration *calibration);

#endif
