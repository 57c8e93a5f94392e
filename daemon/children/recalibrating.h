/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calibrations that nobody asked for: of a device that has none ([calibration] at_start), once the
 * machine has been quiet for some seconds; and of one whose calibration says that others used it,
 * once it has been quiet for a while. Quiet: others have less than a tenth of the processors,
 * nothing is calibrated, and no client gets predictions or reports times, as who runs kernels does.
 * One that begins to, or asks for a calibration, ends it. A question that is refused, as its device
 * has no calibration, ends nothing. What failed, or is no better than what is known, is tried again
 * later and later.
 */
#ifndef PREDICTD_DAEMON_CHILDREN_RECALIBRATING_H
#define PREDICTD_DAEMON_CHILDREN_RECALIBRATING_H

#include "model/device/device.h"
#include "proto/other_load.h"

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct daemon;
struct calibration_job;

enum { RECALIBRATING_DEVICES_MAX = 32 };

struct recalibrating {
	struct daemon *daemon;
	uv_timer_t timer;
	bool is_open;
	struct other_load seen;      /* at the last look */
	uint64_t quiet_since_ms;     /* by the loop's clock */
	uint64_t asked;              /* by clients, at the last look */
	struct calibration_job *job; /* under way, or NULL */
	uint64_t hash;               /* of its device */
	bool is_first;               /* the device has none */
	bool is_busy;                /* others had too much, at the last look */
	bool gave_way;               /* it is being ended for a client */
	struct recalibrated {        /* devices tried in vain, the oldest given up for a new one */
		uint64_t hash;
		unsigned tries;
		uint64_t next_ms;
	} tried[RECALIBRATING_DEVICES_MAX];
	unsigned tried_count;
};

void recalibrating_init(struct recalibrating *recalibrating, struct daemon *daemon);

/* Ends its calibration, if one is under way: a client comes first. */
void recalibrating_give_way(struct recalibrating *recalibrating);

/* An administrator took the device's calibration away: it gets none by itself. */
void recalibrating_leave(struct recalibrating *recalibrating, uint64_t hash);

/* Whether a place's device has no calibration yet, and is being, or will be, calibrated. */
bool recalibrating_is_coming(const struct recalibrating *recalibrating, size_t place);

/* What such devices wait for, a few words; static storage. */
const char *recalibrating_waits_for(const struct recalibrating *recalibrating);

/* Looks no more; a calibration under way is calibration_stop's. */
void recalibrating_stop(struct recalibrating *recalibrating);

/*
 * Whether a calibration is worth more than the one before: others had less, and it lacks hardly
 * anything that is known.
 */
bool recalibrating_is_better(const struct device *before, const struct device *after);

#endif
