/* SPDX-License-Identifier: Apache-2.0 */
/* How far arithmetic and memory overlap, and how sure a prediction can be. */
#include "daemon/calibrator/bench.h"

#include <math.h>

#include "daemon/calibrator/norm.h"

/*
 * The interval's stated default, since a quick calibration measures no corpus to fit
 * it to: the standard deviation of ln(measured / predicted) that the recorded real
 * kernels have (tests/accuracy/replay.sh). Repeats that spread widen it.
 */
#define LEAST_LOG_SD 0.45

enum status calibrate_overlap(struct bench *bench, struct error *error)
{
	enum { MEMORY, ARITHMETIC, BOTH, NEITHER, RUNS };
	struct bench_run runs[RUNS];
	cl_kernel kernel;
	/* repeats known to spread widen the interval of all */
	double spread = bench->timed > 0 ? (double)bench->spread_out / bench->timed : 0;
	bench_set(bench, COEFFICIENT_INTERVAL_LOG_SD, LEAST_LOG_SD * (1 + spread), 0);
	enum status status = bench_kernel(bench, "balance", &kernel, error);
	if (status == STATUS_OK)
		status = bench_grow_data(bench, (size_t)1 << (bench->is_gpu ? 28 : 27), error);
	if (status != STATUS_OK)
		return status;
	uint32_t all = (uint32_t)exp2(floor(log2((double)bench->data_bytes / 4))) - 1;
	struct bench_run run = {.kernel = kernel,
	                        .groups = ((size_t)1 << (bench->is_gpu ? 23 : 21)) / bench->local,
	                        .local = bench->local,
	                        .argument = {ARG_MEM(bench->data), ARG_MEM(bench->scratch),
	                                     ARG_UINT(4095), ARG_UINT(1), ARG_FLOAT(0.5)}};
	for (int i = 0; i < RUNS; i++)
		runs[i] = run;
	runs[MEMORY].argument[2] = runs[BOTH].argument[2] = ARG_UINT(all);
	runs[MEMORY].argument[3] = runs[NEITHER].argument[3] = ARG_UINT(0);
	/* as much arithmetic as memory: by its cost in a first try of 16 trips */
	runs[ARITHMETIC].argument[3] = ARG_UINT(16);
	status = bench_time(bench, runs, RUNS, error);
	if (status != STATUS_OK)
		return status;
	double trip_s = fmax(runs[ARITHMETIC].time_s - runs[NEITHER].time_s, 1e-9) / 16;
	double memory_s = fmax(runs[MEMORY].time_s - runs[NEITHER].time_s, 0);
	double trips = round(fmin(fmax(memory_s / trip_s, 1), 4096));
	runs[ARITHMETIC].argument[3] = runs[BOTH].argument[3] = ARG_UINT(trips);
	status = bench_time(bench, runs, RUNS, error);
	if (status != STATUS_OK)
		return status;
	double base_s = runs[NEITHER].time_s;
	memory_s = runs[MEMORY].time_s - base_s;
	double arithmetic_s = runs[ARITHMETIC].time_s - base_s;
	double both_s = runs[BOTH].time_s - base_s;
	/* a memory time that hides in the rest of the launch says nothing */
	if (memory_s > 0.2 * base_s && arithmetic_s > 0.2 * base_s && both_s > 0)
		bench_set(bench, COEFFICIENT_SHAPE_NORM, norm_solve(arithmetic_s, memory_s, both_s),
		          hypot(bench_difference_error(&runs[MEMORY], &runs[NEITHER]),
		                bench_difference_error(&runs[BOTH], &runs[NEITHER])));
	return STATUS_OK;
}
