/* SPDX-License-Identifier: Apache-2.0 */
/* Runs kernels of the calling user and times them. */
#include "daemon/calibrator/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/calibrator/arguments.h"
#include "daemon/calibrator/idle.h"
#include "daemon/calibrator/program.h"
#include "daemon/calibrator/repeats.h"
#include "daemon/calibrator/reply.h"
#include "daemon/calibrator/watchdog.h"

enum {
	RUNS_MIN = 5,
	RUNS_MAX = 1000,
	BUILD_LIMIT_S = 120,
	RUN_LIMIT_S = 60 /* of one launch, and of filling or copying the buffers */
};

#define IDLE_MOST_S  60.0
#define BUDGET_S     0.5
#define BUDGET_MAX_S 60.0

static enum status read_range(const Predictd__Launch *launch, const struct device *device,
                              struct opencl_range *range, struct error *error)
{
	size_t dimensions = launch->n_global_items;
	uint64_t items = 1;
	*range = (struct opencl_range){0};
	if (dimensions < 1 || dimensions > 3)
		return error_set(error, STATUS_INVALID, "NDRange: want 1 to 3 dimensions, got %zu",
		                 dimensions);
	if ((launch->n_local_items != 0 && launch->n_local_items != dimensions) ||
	    (launch->n_offset_items != 0 && launch->n_offset_items != dimensions))
		return error_set(error, STATUS_INVALID,
		                 "NDRange: global has %zu dimensions, local %zu, offset %zu",
		                 dimensions, launch->n_local_items, launch->n_offset_items);
	range->dimensions = (cl_uint)dimensions;
	for (size_t d = 0; d < dimensions; d++) {
		uint64_t global = launch->global_items[d];
		uint64_t local = launch->n_local_items > 0 ? launch->local_items[d] : 0;
		if (global == 0 || (launch->n_local_items > 0 && local == 0))
			return error_set(error, STATUS_INVALID,
			                 "NDRange: a size of zero in dimension %zu", d);
		if (local > 0 && global % local != 0 && !device->allows_uneven_groups)
			return error_set(error, STATUS_INVALID,
			                 "NDRange: local %llu does not divide global %llu in "
			                 "dimension %zu",
			                 (unsigned long long)local, (unsigned long long)global, d);
		range->global[d] = global;
		range->local[d] = local;
		range->offset[d] = launch->n_offset_items > 0 ? launch->offset_items[d] : 0;
		items *= local > 0 ? local : 1;
		if (local > device->max_group_items || items > device->max_group_items)
			return error_set(error, STATUS_INVALID,
			                 "NDRange: the device allows work-groups of %llu",
			                 (unsigned long long)device->max_group_items);
	}
	return STATUS_OK;
}

/* The names a program has, "a, b", cut where that gets long; how many of them. */
static size_t list_kernels(cl_program program, char names[160])
{
	size_t size = 0, count = 0, used = 0;
	names[0] = '\0';
	if (clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size) != CL_SUCCESS ||
	    size == 0 || size >= 1u << 20)
		return 0;
	char *all = calloc(1, size + 1), *rest = all, *name;
	if (all != NULL &&
	    clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, size, all, NULL) == CL_SUCCESS)
		for (; (name = strsep(&rest, ";")) != NULL && name[0] != '\0'; count++)
			if (used < 160)
				used += (size_t)snprintf(names + used, 160 - used, "%s%s",
				                         count == 0 ? "" : ", ", name);
	free(all);
	return count;
}

static enum status find_kernel(cl_program program, const char *name, cl_kernel *kernel,
                               struct error *error)
{
	char names[160];
	size_t count = list_kernels(program, names);
	if (name == NULL || name[0] == '\0') {
		if (count == 0)
			return error_set(error, STATUS_INVALID, "the source has no kernel");
		if (count > 1)
			return error_set(error, STATUS_INVALID,
			                 "kernel: want a name, the source has %zu: %s", count,
			                 names);
		name = names;
	}
	enum status status = opencl_kernel(program, name, kernel, error);
	if (status == STATUS_NOT_FOUND)
		return error_set(error, status, "kernel \"%.64s\": the source has %s", name,
		                 count == 0 ? "none" : names);
	return status;
}

/* When runs are repeated. */
struct repeating {
	size_t runs_min;
	double budget_s; /* for more than those */
	double idle_s;   /* without work before each */
};

static enum status time_runs(struct opencl *opencl, cl_kernel kernel,
                             const struct opencl_range *range, const struct arguments *arguments,
                             const struct repeating *repeating, Predictd__Measurement *measurement,
                             struct error *error)
{
	static struct repeats kernel_s, enqueue_s, wall_s; /* large; the first outlives the reply */
	struct opencl_times times;
	kernel_s.count = enqueue_s.count = wall_s.count = 0;
	/* the first launch compiles, or loads; it counts as warm-up alone */
	watchdog_arm(BUILD_LIMIT_S);
	enum status status = opencl_run(opencl, kernel, range, &times, error);
	double end_s = clock_now_s() + repeating->budget_s;
	while (status == STATUS_OK && kernel_s.count < RUNS_MAX &&
	       (kernel_s.count < repeating->runs_min || clock_now_s() < end_s)) {
		watchdog_arm(RUN_LIMIT_S);
		status = arguments_restore(arguments, opencl, error);
		if (status == STATUS_OK) {
			watchdog_arm(0);
			idle_wait(repeating->idle_s);
			watchdog_arm(RUN_LIMIT_S);
			status = opencl_run(opencl, kernel, range, &times, error);
		}
		if (status == STATUS_OK) {
			repeats_add(&kernel_s, times.kernel_s);
			repeats_add(&enqueue_s, times.enqueue_s);
			repeats_add(&wall_s, times.wall_s);
		}
	}
	watchdog_arm(0);
	if (status != STATUS_OK)
		return status;
	measurement->runs = (uint32_t)kernel_s.count;
	measurement->kernel_time_s = repeats_quantile(&kernel_s, 0.5);
	measurement->min_s = repeats_minimum(&kernel_s);
	measurement->mean_s = repeats_mean(&kernel_s);
	measurement->p90_s = repeats_quantile(&kernel_s, 0.9);
	measurement->launch_time_s = repeats_quantile(&enqueue_s, 0.5);
	measurement->wall_s = repeats_quantile(&wall_s, 0.5);
	measurement->kernel_times_s = kernel_s.value;
	measurement->n_kernel_times_s = kernel_s.count;
	return STATUS_OK;
}

enum status measure_case(struct opencl *opencl, const struct device *device,
                         const Predictd__MeasureCase *what, double budget_s,
                         Predictd__Measurement *measurement, struct error *error)
{
	static struct arguments arguments; /* large */
	struct opencl_range range;
	cl_program program = NULL;
	cl_kernel kernel = NULL;
	arguments.count = 0;
	if (what->program == NULL || what->launch == NULL)
		return error_set(error, STATUS_INVALID, "the case has no program or no launch");
	enum status status = read_range(what->launch, device, &range, error);
	if (status != STATUS_OK)
		return status;
	struct repeating repeating = {
	        .runs_min = what->runs_min > RUNS_MIN ? what->runs_min : RUNS_MIN,
	        .budget_s = budget_s > 0 && isfinite(budget_s) ? fmin(budget_s, BUDGET_MAX_S)
	                                                       : BUDGET_S,
	        .idle_s = what->launch->idle_s,
	};
	if (repeating.runs_min > RUNS_MAX)
		repeating.runs_min = RUNS_MAX;
	if (!(repeating.idle_s >= 0 && repeating.idle_s <= IDLE_MOST_S))
		return error_set(error, STATUS_INVALID,
		                 "idle time: want 0 to %g s where every run waits for it, got %g",
		                 IDLE_MOST_S, repeating.idle_s);

	watchdog_arm(BUILD_LIMIT_S);
	double start_s = clock_now_s();
	/* what the kernel declares tells which argument is wrong, and what a buffer may hold */
	status = program_build(opencl, what->program, true, &program, error);
	if (status != STATUS_OK)
		goto out;
	measurement->build_s = clock_now_s() - start_s;
	status = find_kernel(program, what->kernel, &kernel, error);
	if (status != STATUS_OK)
		goto out;
	watchdog_arm(RUN_LIMIT_S);
	status = arguments_init(&arguments, opencl, device, kernel, what->launch, error);
	if (status != STATUS_OK)
		goto out;
	status = time_runs(opencl, kernel, &range, &arguments, &repeating, measurement, error);
	if (status == STATUS_OK && what->with_transfers) {
		watchdog_arm(RUN_LIMIT_S);
		status = arguments_transfer(&arguments, opencl, what->pinned_transfers != 0,
		                            &measurement->h2d_time_s, &measurement->d2h_time_s,
		                            error);
	}
out:
	watchdog_arm(0);
	if (kernel != NULL)
		clReleaseKernel(kernel);
	if (program != NULL)
		clReleaseProgram(program);
	arguments_deinit(&arguments);
	return status;
}

enum status measure(const Predictd__CalibratorMeasure *request, int fd, struct error *error)
{
	struct found_devices found = {0};
	struct opencl opencl = {0};
	const struct found_device *device = NULL;
	enum status status = found_devices_init(&found, error);
	if (status != STATUS_OK)
		return status;
	status = found_devices_find(&found, request->device != NULL ? request->device : "", &device,
	                            error);
	if (status == STATUS_OK && device->failure[0] != '\0')
		status = error_set(error, STATUS_DEVICE, "%.100s: %s", device->device.name,
		                   device->failure);
	if (status == STATUS_OK)
		status = opencl_open(&opencl, device->platform, device->id, error);
	for (size_t i = 0; i < request->n_cases && status == STATUS_OK; i++) {
		Predictd__Measurement measurement = PREDICTD__MEASUREMENT__INIT;
		Predictd__Error message = PREDICTD__ERROR__INIT;
		struct error why = {0};
		measurement.index = (uint32_t)i;
		reply_watch(fd, "the driver does not answer: the case took too long", (int64_t)i);
		if (measure_case(&opencl, &device->device, request->cases[i], request->budget_s,
		                 &measurement, &why) != STATUS_OK) {
			predictd__measurement__init(&measurement);
			measurement.index = (uint32_t)i;
			message.status = (uint32_t)why.status;
			message.text = why.text;
			measurement.error = &message;
		}
		status = reply_measurement(fd, &measurement, error);
	}
	watchdog_message(-1, NULL, 0);
	opencl_close(&opencl);
	found_devices_deinit(&found);
	return status;
}
