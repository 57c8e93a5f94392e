/* SPDX-License-Identifier: Apache-2.0 */
/* Levels of memory, where a calibration may lack a figure: it then comes from its neighbours. */
#ifndef PREDICTD_MODEL_DEVICE_LEVELS_H
#define PREDICTD_MODEL_DEVICE_LEVELS_H

#include "model/device/device.h"

/* Bandwidth of a level in bytes per second, > 0; what is unknown comes from its neighbours. */
double level_read_bandwidth(const struct device *device, enum memory_level level);
double level_write_bandwidth(const struct device *device, enum memory_level level);
/* Isolated lines per second, read and written, > 0. */
double level_gather_rate(const struct device *device, enum memory_level level, double line_bytes);
double level_scatter_rate(const struct device *device, enum memory_level level, double line_bytes);

/* Cache levels that the device has, 0 to 4. */
unsigned cache_levels(const struct device *device);

/* A coefficient that must be above zero; `otherwise` where it is unknown or not. */
double positive_value(const struct device *device, unsigned id, double otherwise);

#endif
