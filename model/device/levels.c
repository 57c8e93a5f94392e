/* SPDX-License-Identifier: Apache-2.0 */
/* Bandwidths with their fallbacks. */
#include "model/device/levels.h"

/* Where a calibration lacks a figure: what any device of this century does. */
static const double BANDWIDTH_OTHERWISE = 1e10;

double positive_value(const struct device *device, unsigned id, double otherwise)
{
	double value = device_value(device, id, otherwise);

	return value > 0 ? value : otherwise;
}

unsigned cache_levels(const struct device *device)
{
	double levels = device_value(device, COEFFICIENT_MEMORY_LEVELS, 0);

	return levels >= (double)(int)MEMORY_DRAM ? MEMORY_DRAM
	       : levels >= 1                      ? (unsigned)levels
	                                          : 0;
}

double level_read_bandwidth(const struct device *device, enum memory_level level)
{
	/* its own; else the next one out, which is no faster; else the next one in */
	for (unsigned i = level; i < MEMORY_LEVEL_COUNT; i++) {
		double value = positive_value(
		        device, coefficient_memory((enum memory_level)i, MEMORY_COLUMN_READ), 0);

		if (value > 0)
			return value;
	}
	for (unsigned i = level; i-- > 0;) {
		double value = positive_value(
		        device, coefficient_memory((enum memory_level)i, MEMORY_COLUMN_READ), 0);

		if (value > 0)
			return value;
	}
	return BANDWIDTH_OTHERWISE;
}

double level_write_bandwidth(const struct device *device, enum memory_level level)
{
	return positive_value(device, coefficient_memory(level, MEMORY_COLUMN_WRITE),
	                      level_read_bandwidth(device, level));
}

double level_gather_rate(const struct device *device, enum memory_level level, double line_bytes)
{
	return positive_value(device, coefficient_memory(level, MEMORY_COLUMN_GATHER),
	                      level_read_bandwidth(device, level) / line_bytes);
}

double level_scatter_rate(const struct device *device, enum memory_level level, double line_bytes)
{
	return positive_value(device, coefficient_memory(level, MEMORY_COLUMN_SCATTER),
	                      level_gather_rate(device, level, line_bytes));
}
