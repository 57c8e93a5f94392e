/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One side of a pair: a process with one device, which works as it is told and says at which rate.
 * Two of them are driven in step (daemon/calibrator/pair.h), so that a driver that crashes or
 * hangs ends one side alone. Lines of text, so that a person or a script can drive one:
 *
 *   < ready NAME                   the device, once all its loads are prepared
 *   > run LOAD BEGIN_NS LENGTH_NS  load of contention.h; nanoseconds of CLOCK_MONOTONIC
 *   < done RATE                    work a second, from BEGIN_NS on for LENGTH_NS
 *   < failed SENTENCE              instead of any answer; the process ends
 *
 * It works from when it reads the line, and at the end of its input it ends.
 */
#ifndef PREDICTD_CALIBRATOR_SIDE_H
#define PREDICTD_CALIBRATOR_SIDE_H

#include "daemon/calibrator/opencl.h"

/* Of a line, with its end. */
enum { SIDE_LINE_MAX = 512 };

/* Serves until the input ends. A failure is not said on `output` yet. */
enum status side_serve(struct opencl *opencl, const struct device *device, int input, int output,
                       struct error *error);

/* One line, whole. STATUS_IO: nobody reads it. */
enum status side_write(int output, const char *line, struct error *error);

#endif
