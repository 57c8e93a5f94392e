/* SPDX-License-Identifier: Apache-2.0 */
/* The work-group size that a runtime chooses where the program leaves it to it. */
#ifndef PREDICTD_MODEL_DEVICE_LOCAL_SIZE_H
#define PREDICTD_MODEL_DEVICE_LOCAL_SIZE_H

#include "model/device/device.h"

/*
 * device   NULL: not known, one without limits
 * global   of three dimensions, unused ones 1
 * local    out: divides global, within the device's limits
 */
void local_size_assume(const struct device *device, const uint64_t global[3], uint64_t local[3]);

#endif
