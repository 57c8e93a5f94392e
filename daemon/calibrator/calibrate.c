/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan of a calibration: families of micro-benchmarks in order of their
 * worth to a prediction. When time runs out the last ones stay unknown.
 */
#include "daemon/calibrator/calibrate.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/calibrator/bench.h"

#define QUICK_BUDGET_S 13.0
#define FULL_BUDGET_S  110.0
#define WARM_S         0.3

static const struct {
	const char *name;
	enum status (*run)(struct bench *bench, struct error *error);
	double weight;     /* share of the time, relative */
	bool is_essential; /* without it there is no calibration */
} stages[] = {
        {"execution units", calibrate_units, 3, true},
        {"launch", calibrate_launch, 4, true},
        {"arithmetic", calibrate_op_main, 25, true},
        {"accesses", calibrate_access, 10, true},
        {"memory", calibrate_memory, 15, true},
        {"transfers", calibrate_transfer, 3, false},
        {"local memory", calibrate_local, 9, false},
        {"access patterns", calibrate_paper, 7, false},
        {"execution", calibrate_execution, 6, false},
        {"overlap", calibrate_overlap, 3, false},
        {"saturation curves", calibrate_paper_op, 15, false},
        {"more arithmetic", calibrate_op_more, 15, false},
};

enum { STAGES = sizeof stages / sizeof *stages };

/* A clock that idles low takes a while to rise. */
static enum status warm(struct bench *bench, struct error *error)
{
	cl_kernel kernel;
	enum status status = bench_kernel(bench, "chain", &kernel, error);
	if (status != STATUS_OK)
		return status;
	struct bench_run run = {.kernel = kernel,
	                        .groups = bench->is_gpu ? 16 * (size_t)bench->units
	                                                : 256 * (size_t)bench->units,
	                        .local = bench->is_gpu ? bench->local : 1,
	                        .argument = {ARG_MEM(bench->scratch), ARG_INT(0), ARG_INT(1),
	                                     ARG_FLOAT(1), ARG_INT(3)}};
	status = bench_lengthen_argument(bench, &run, 2, 1u << 20, error);
	for (double end_s = clock_now_s() + WARM_S; status == STATUS_OK && clock_now_s() < end_s;) {
		struct opencl_range range = {
		        .dimensions = 1, .global = {run.groups * run.local}, .local = {run.local}};
		struct opencl_times times;
		status = opencl_run(bench->opencl, kernel, &range, &times, error);
	}
	return status;
}

static enum status run_stages(struct bench *bench, struct error *error)
{
	double all = 0, done = 0;
	for (int i = 0; i < STAGES; i++)
		all += stages[i].weight;
	for (int i = 0; i < STAGES; i++) {
		bench->stage = stages[i].name;
		bench->progress = done / all;
		done += stages[i].weight;
		bench->progress_to = done / all;
		enum status status = bench_progress(bench, 0, error);
		if (status != STATUS_OK)
			return status; /* nobody listens, or somebody asked to stop */
		struct error why = {0};
		status = stages[i].run(bench, &why);
		if (status == STATUS_OK)
			continue;
		if (status == STATUS_IO || status == STATUS_CANCELLED || stages[i].is_essential) {
			if (error != NULL)
				*error = why;
			return status;
		}
		if (status == STATUS_TIMEOUT)
			break; /* the rest stays unknown */
		               /* what the device refuses stays unknown */
	}
	return STATUS_OK;
}

enum status calibrate(struct opencl *opencl, const struct calibrate_options *options,
                      struct device *device, struct error *error)
{
	struct device *filled = malloc(sizeof *filled);
	if (filled == NULL)
		return error_set(error, STATUS_NO_MEMORY, "the calibration: out of memory");
	*filled = *device;
	memset(filled->coefficient, 0, sizeof filled->coefficient);
	double budget_s = options->budget_s > 0 ? options->budget_s
	                  : options->is_quick   ? QUICK_BUDGET_S
	                                        : FULL_BUDGET_S;
	struct bench bench = {.opencl = opencl,
	                      .device = filled,
	                      .options = options,
	                      .start_s = clock_now_s(),
	                      .is_quick = options->is_quick,
	                      .is_gpu = device->type == DEVICE_GPU,
	                      .units = device->compute_units > 0 ? device->compute_units : 1,
	                      .stage = "start"};
	bench.end_s = bench.start_s + budget_s;
	bench.local = device->max_group_items < 256 ? (size_t)device->max_group_items : 256;
	bench.target_s = bench.is_gpu ? 2e-4 : 1e-3;
	enum status status = bench_open(&bench, error);
	if (status == STATUS_OK)
		status = warm(&bench, error);
	if (status == STATUS_OK)
		status = run_stages(&bench, error);
	if (status == STATUS_OK) {
		filled->is_calibrated = true;
		filled->is_quick = options->is_quick;
		filled->is_stale = false;
		filled->was_busy = 4 * bench.spread_out > bench.timed;
		filled->calibrated_at_s = (int64_t)time(NULL);
		filled->duration_s = clock_now_s() - bench.start_s;
		*device = *filled;
	}
	bench_close(&bench);
	free(filled);
	return status;
}
