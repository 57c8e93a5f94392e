/* SPDX-License-Identifier: Apache-2.0 */
/* States of a device, by how long it has had nothing to do. */
#ifndef PREDICTD_MODEL_TIME_STATES_H
#define PREDICTD_MODEL_TIME_STATES_H

#include "model/device/launch.h"
#include "model/prediction.h"

/*
 * How far the time goes from one state of the device to another: fills `state_below` and
 * `state_above` where the launch says nothing of its state, and others are calibrated. Where it
 * does, how far launches in that state were from each other: `state_sd`. Requires elasticities.
 *
 * time_of   the kernel's time in seconds, > 0, of the state after so long without work
 */
void states_fill(const struct device *device, const struct launch *launch,
                 double (*time_of)(const void *context, double idle_s), const void *context,
                 struct prediction *prediction);

#endif
