/* SPDX-License-Identifier: Apache-2.0 */
/* The model of last resort: launch, dispatch, and the bytes of all buffers once. */
#include "model/answer/fallback.h"

#include <math.h>

#include "model/device/levels.h"
#include "model/time/states.h"

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
	states_fill(device, launch, fallback_time_s, &fallback, prediction);
	row_add(prediction, 1, base, "launch");
	row_add(prediction, 1, dispatch, "dispatch of work-groups and work-items");
	row_add(prediction, bytes / items, memory, "bytes of all buffers, once");
	note_add(prediction->note, sizeof(prediction->note), "%s", reason);
}
