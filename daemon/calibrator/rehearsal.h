/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rehearsal of a calibration, in processes of its own: what a driver compiles when a kernel
 * is first launched, and keeps for other processes, is compiled before anything is timed, on as
 * many processors as there are. Launches that are timed run alone: compiling beside them would
 * disturb them.
 *
 * PoCL is such a driver. It compiles each kernel for each size of work-groups, which takes
 * longer than a quick calibration has for timing it (POCL_CACHE_DIR keeps what comes of it).
 */
#ifndef PREDICTD_CALIBRATOR_REHEARSAL_H
#define PREDICTD_CALIBRATOR_REHEARSAL_H

#include <stdbool.h>
#include <stddef.h>

#include "model/device/device.h"

/* Whether the device's driver is one whose rehearsals last. */
bool rehearsal_is_worth(const struct device *device);

/* Called now and then while a rehearsal goes on; a status other than STATUS_OK ends it. */
typedef enum status rehearsal_tick(void *context, struct error *error);

/*
 * Starts this program anew, once a processor, as `--rehearse --device INDEX`, with numbers to
 * draw on standard input (bench_takes), and waits until all have ended or end_s of clock_now_s
 * has come. What is not compiled then is compiled when it is launched, and so is all where no
 * process can be started: only tick's status is an error.
 */
enum status rehearsal_run(size_t device_index, bool is_quick, double end_s, rehearsal_tick *tick,
                          void *context, struct error *error);

#endif
