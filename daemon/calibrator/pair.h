/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What two devices do to each other, by two processes, one a device (side.h), driven in step: each
 * works alone, then both together, for a tenth of a second a phase, every load beside every load.
 * That is repeated until the medians are sure, and for seconds at most.
 */
#ifndef PREDICTD_CALIBRATOR_PAIR_H
#define PREDICTD_CALIBRATOR_PAIR_H

#include "daemon/calibrator/calibrate.h"
#include "model/device/contention.h"

struct pair_options {
	/* of each side: how the device is named, "--device" of this program's own side; or a
	 * shell's command line that starts a side, with an environment and processors of its own */
	const char *devices[2];
	const char *commands[2];      /* NULL: this program */
	calibrate_progress *progress; /* or NULL */
	void *context;
};

/*
 * Fills slowdowns, standard_error, others_share, was_busy and duration_s. A side that crashes,
 * hangs or fails is a STATUS_DEVICE with the name of its device and what it was doing. No process
 * is left behind; but what a command line has started beside its side is its own.
 */
enum status pair_measure(const struct pair_options *options, struct contention *contention,
                         struct error *error);

#endif
