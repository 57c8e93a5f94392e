/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon does with a kernel it has decoded, on a device of no make. */
#include "tests/fuzz/examine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/answer/predict.h"
#include "model/ir/text.h"
#include "model/split/split.h"
#include "model/whatif/whatif.h"

enum { BUDGET = 1 << 14 };

/* A GPU of no make: every coefficient known. */
static const struct device *device_of_no_make(void)
{
	static struct device device;
	if (device.is_calibrated)
		return &device;
	device.type = DEVICE_GPU;
	device.compute_units = 16;
	device.clock_mhz = 1000;
	device.max_group_items = 1024;
	device.local_bytes = 1 << 16;
	device.global_bytes = UINT64_C(1) << 34;
	device.max_allocation_bytes = UINT64_C(1) << 32;
	device.has_double = device.has_half = device.allows_uneven_groups = true;
	for (unsigned i = 0; i < 3; i++)
		device.max_item_sizes[i] = 1024;
	for (unsigned id = 0; id < COEFFICIENT_COUNT; id++) {
		char name[COEFFICIENT_NAME_MAX];
		coefficient_name(id, name);
		double value = 32;
		if (strstr(name, "time_s") != NULL || strstr(name, "latency_s") != NULL)
			value = 1e-9;
		else if (strstr(name, "_per_s") != NULL)
			value = 1e11;
		else if (strstr(name, "capacity_bytes") != NULL)
			value = 1e6 * (id + 1); /* grows over the levels */
		else if (strstr(name, "norm") != NULL)
			value = 4;
		else if (strstr(name, "levels") != NULL)
			value = 2;
		device.coefficient[id] = (struct coefficient){
		        .value = value, .standard_error = 0.01, .is_known = true};
	}
	device.is_calibrated = true;
	return &device;
}

/* Arguments as the kernel wants them. */
static void launch_fill(const struct ir_kernel *kernel, struct launch *launch)
{
	*launch = (struct launch){.dimensions = 2,
	                          .global = {1 << 10, 1 << 4, 1},
	                          .local = {64, 1, 1},
	                          .has_local = true,
	                          .argument_count = kernel->argument_count};
	if (kernel->required_local[0] != 0)
		for (unsigned i = 0; i < 3; i++)
			launch->local[i] = kernel->required_local[i];
	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		const struct ir_argument *wanted = &kernel->arguments[i];
		struct launch_argument *argument = &launch->arguments[i];
		argument->kind = wanted->kind;
		argument->access = BUFFER_READ_WRITE;
		argument->type = wanted->type;
		argument->size_bytes = wanted->kind == ARGUMENT_BUFFER  ? 1 << 20
		                       : wanted->kind == ARGUMENT_LOCAL ? 1 << 10
		                                                        : wanted->size_bytes;
		argument->width = argument->height = 256;
		for (unsigned lane = 0; lane < 16; lane++) {
			if (type_is_valid(wanted->type) && type_is_real(wanted->type))
				argument->value.real[lane] = 1.5;
			else
				argument->value.integer[lane] = 100;
		}
	}
}

/* What is said of parts: bytes that are in the buffer, and no two parts write the same. */
static void examine_parts(const struct ir_kernel *kernel, const struct launch *launch)
{
	static struct split_reaches reaches;
	struct error error;
	for (uint32_t d = 0; d < launch->dimensions; d++) {
		if (split_find_reaches(kernel, launch, d, &reaches, &error) != STATUS_OK)
			continue;
		uint64_t all = launch->global[d], middle = all / launch->local[d] / 2;
		middle *= launch->local[d];
		for (uint32_t i = 0; i < reaches.argument_count; i++) {
			const struct split_argument *argument = &reaches.arguments[i];
			uint64_t size = 1 << 20, from[2], to[2];
			reach_bytes(&argument->writes, 0, middle, size, &from[0], &to[0]);
			reach_bytes(&argument->writes, middle, all, size, &from[1], &to[1]);
			if (from[0] > to[0] || from[1] > to[1] || to[0] > size || to[1] > size)
				abort();
			bool is_own = reaches.refusal[0] == '\0' && argument->refusal[0] == '\0';
			if (is_own && from[0] < to[1] && from[1] < to[0] && from[0] < to[0] &&
			    from[1] < to[1])
				abort();
		}
	}
}

/* A change of each kind that is listed is predicted, or refused: none ends the daemon. */
static void examine_what_ifs(const struct ir_kernel *kernel)
{
	static struct launch launch;
	static struct prediction before, after;
	struct prediction_options options = {.with_what_ifs = true, .budget = BUDGET};
	struct error error;
	launch_fill(kernel, &launch);
	if (predict(kernel, device_of_no_make(), &launch, &options, &before, &error) != STATUS_OK)
		return;
	options.with_what_ifs = false;
	bool is_seen[WHAT_IF_COUNT] = {false};
	for (uint32_t i = 0; i < before.what_if_count; i++) {
		options.what_if = before.what_ifs[i];
		if (is_seen[options.what_if.kind])
			continue;
		is_seen[options.what_if.kind] = true;
		if (predict(kernel, device_of_no_make(), &launch, &options, &after, &error) ==
		            STATUS_OK &&
		    (!isfinite(after.kernel_time_s) || after.kernel_time_s < 0))
			abort();
		options.what_if.place++;
		(void)predict(kernel, device_of_no_make(), &launch, &options, &after, &error);
	}
	/* with masks, which are listed of CPUs alone */
	options.what_if = (struct what_if){.kind = WHAT_IF_WIDENED, .place = 4 << 8};
	(void)predict(kernel, device_of_no_make(), &launch, &options, &after, &error);
}

void examine(const struct ir_kernel *kernel)
{
	static struct launch launch;
	static struct prediction prediction;
	struct error error;
	char *text = NULL;
	if (kernel_format(kernel, 1 << 16, &text, &error) == STATUS_OK)
		free(text);
	for (unsigned model = 0; model < MODEL_COUNT; model++) {
		struct prediction_options options = {.model = (enum kernel_model)model,
		                                     .with_transfers = true,
		                                     .budget = BUDGET};
		launch_fill(kernel, &launch);
		if (predict(kernel, device_of_no_make(), &launch, &options, &prediction, &error) !=
		    STATUS_OK)
			continue;
		if (!isfinite(prediction.kernel_time_s) || prediction.kernel_time_s < 0 ||
		    !(prediction.low_s <= prediction.kernel_time_s) ||
		    !(prediction.kernel_time_s <= prediction.high_s))
			abort();
	}
	launch_fill(kernel, &launch);
	if (launch_check(kernel, NULL, &launch, &error) == STATUS_OK)
		examine_parts(kernel, &launch);
	examine_what_ifs(kernel);
}
