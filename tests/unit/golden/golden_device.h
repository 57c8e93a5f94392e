/* SPDX-License-Identifier: Apache-2.0 */
/* A device made up for the golden tests: warps of 32, segments of 32 bytes, two caches. */
#ifndef PREDICTD_TESTS_GOLDEN_DEVICE_H
#define PREDICTD_TESTS_GOLDEN_DEVICE_H

#include "model/device/device.h"

/* Fills the device: always the same values, none of them measured. */
void golden_device(struct device *device);

#endif
