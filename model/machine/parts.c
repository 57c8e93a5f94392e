/* SPDX-License-Identifier: Apache-2.0 */
/* Rows, bandwidths with their fallbacks, and the model of last resort. */
#include "model/machine/parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/answer/interval.h"

/* Where a calibration lacks a figure: what any device of this century does. */
static const double BANDWIDTH_OTHERWISE = 1e10;

void row_add(struct prediction *prediction, double count, double time_s, const char *format, ...)
{
	struct prediction_row *row;
	va_list list;

	if (prediction->row_count == PREDICTION_ROWS_MAX) {
		row = &prediction->rows[PREDICTION_ROWS_MAX - 1];
		snprintf(row->what, sizeof(row->what), "other");
		row->count += count;
		row->time_s += time_s;
		return;
	}
	row = &prediction->rows[prediction->row_count++];
	va_start(list, format);
	vsnprintf(row->what, sizeof(row->what), format, list);
	va_end(list);
	row->count = count;
	row->time_s = time_s;
}

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

/* Of a fallback, all but its base is the same in every state. */
struct fallback {
	const struct device *device;
	double work_s;
};

static double fallback_time_s(const void *context, double idle_s)
{
	const struct fallback *fallback = context;

	return device_idle_value(fallback->device, IDLE_BASE, idle_s, 1e-5) + fallback->work_s;
}

void model_fallback(const struct model_input *input, const char *reason,
                    struct prediction *prediction)
{
	const struct device *device = input->device;
	const struct launch *launch = input->launch;
	double base = device_idle_value(device, IDLE_BASE, launch->idle_s, 1e-5);
	double items = 1, groups = 1, bytes = 0, dispatch, memory;

	for (unsigned d = 0; d < 3; d++) {
		items *= (double)launch->global[d];
		groups *= ceil((double)launch->global[d] / (double)launch->local[d]);
	}
	for (uint32_t i = 0; i < launch->argument_count; i++) {
		const struct launch_argument *argument = &launch->arguments[i];

		if (argument->kind == ARGUMENT_BUFFER)
			bytes += (double)argument->size_bytes;
		else if (argument->kind == ARGUMENT_IMAGE)
			bytes += (double)launch_image_bytes(argument);
	}
	dispatch = groups * device_value(device, COEFFICIENT_LAUNCH_GROUP, 0) +
	           items * device_value(device, COEFFICIENT_LAUNCH_ITEM, 0);
	memory = bytes / level_read_bandwidth(device, MEMORY_DRAM);
	prediction->basis = BASIS_FALLBACK;
	prediction->bottleneck = BOTTLENECK_UNKNOWN;
	const struct fallback fallback = {.device = device, .work_s = dispatch + memory};
	prediction->kernel_time_s = fallback_time_s(&fallback, launch->idle_s);
	interval_states(device, launch, fallback_time_s, &fallback, prediction);
	row_add(prediction, 1, base, "launch");
	row_add(prediction, 1, dispatch, "dispatch of work-groups and work-items");
	row_add(prediction, bytes / items, memory, "bytes of all buffers, once");
	note_add(prediction->note, sizeof(prediction->note), "%s", reason);
}
