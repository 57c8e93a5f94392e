/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run of predictd-calibrator: a request on its standard input, replies from its
 * standard output. It loads OpenCL drivers, which crash and hang: it has a
 * deadline, and its end, of whatever kind, is told once.
 */
#ifndef PREDICTD_DAEMON_CHILDREN_CALIBRATOR_RUN_H
#define PREDICTD_DAEMON_CHILDREN_CALIBRATOR_RUN_H

#include "model/status.h"
#include "proto/predictd.pb-c.h"

#include <uv.h>

struct calibrator_run;

struct calibrator_events {
	/* borrowed for the call */
	void (*on_reply)(void *data, const Predictd__CalibratorReply *reply);
	/*
	 * The last call: the process is gone, and the run with it. STATUS_OK: it ended well;
	 * STATUS_DEVICE: it crashed, failed or said what is none of its replies;
	 * STATUS_TIMEOUT; what calibrator_run_end was given.
	 */
	void (*on_end)(void *data, const struct error *how);
};

/* Events come later, on the loop. On failure none comes. */
enum status calibrator_run_start(uv_loop_t *loop, const char *libexec,
                                 const Predictd__CalibratorRequest *request, uint32_t deadline_ms,
                                 const struct calibrator_events *events, void *data,
                                 struct calibrator_run **run, struct error *error);

/* Kills the process (and what it started); on_end tells `status` and `why`. */
void calibrator_run_end(struct calibrator_run *run, enum status status, const char *why);

#endif
