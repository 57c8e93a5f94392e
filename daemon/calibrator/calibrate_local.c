/* SPDX-License-Identifier: Apache-2.0 */
/* Local memory: loads, stores, banks; barriers. */
#include "daemon/calibrator/bench.h"

#include <math.h>

/* Accesses of each kernel of local.cl; the last three a trip. */
#define STRAIGHT 32.0
#define STRIDED  16.0
#define CHAINED  16.0

static enum status time_straight(struct bench *bench, const char *name, unsigned id,
                                 struct error *error)
{
	struct bench_run runs[2] = {
	        {.groups = bench->is_gpu ? 64 * (size_t)bench->units : 1024,
	         .local = bench->local,
	         .argument = {ARG_MEM(bench->scratch), ARG_INT(64), ARG_FLOAT(1)}}};
	enum status status = bench_kernel(bench, name, &runs[0].kernel, error);
	if (status == STATUS_OK)
		status = bench_lengthen_groups(bench, &runs[0], 1u << 16, error);
	runs[1] = runs[0];
	if (status == STATUS_OK)
		status = bench_kernel(bench, "local_none", &runs[1].kernel, error);
	if (status == STATUS_OK)
		status = bench_time(bench, runs, 2, error);
	if (status == STATUS_OK)
		bench_set_difference(bench, id, &runs[0], &runs[1],
		                     (double)(runs[0].groups * runs[0].local) * STRAIGHT);
	return status;
}

/*
 * In a loop, a trip against more of them: what a GPU's launch costs beside the straight-line
 * kernels runs along with them, so that their difference says too little.
 */
static enum status time_loop(struct bench *bench, const char *name, unsigned id,
                             struct error *error)
{
	struct bench_run runs[2] = {
	        {.groups = 16 * (size_t)bench->units,
	         .local = bench->local,
	         .argument = {ARG_MEM(bench->scratch), ARG_UINT(4), ARG_UINT(bench->local)}}};
	enum status status = bench_kernel(bench, name, &runs[0].kernel, error);
	double more;
	if (status == STATUS_OK)
		status = bench_time_trips(bench, runs, 1, 1u << 16, &more, error);
	if (status == STATUS_OK)
		bench_set_difference(bench, id, &runs[0], &runs[1],
		                     more * STRIDED * (double)(runs[0].groups * runs[0].local));
	return status;
}

static enum status time_accesses(struct bench *bench, struct error *error)
{
	enum status status;
	if (bench->is_gpu) {
		status = time_loop(bench, "local_loop_load", COEFFICIENT_LOCAL_LOAD, error);
		if (status == STATUS_OK)
			status = time_loop(bench, "local_loop_store", COEFFICIENT_LOCAL_STORE,
			                   error);
		return status;
	}
	status = time_straight(bench, "local_load", COEFFICIENT_LOCAL_LOAD, error);
	if (status == STATUS_OK)
		status = time_straight(bench, "local_store", COEFFICIENT_LOCAL_STORE, error);
	return status;
}

/*
 * A stride of s words makes min(s, banks) lanes meet in a bank (s a power of
 * two): time grows with s up to the number of banks.
 */
static enum status time_banks(struct bench *bench, struct error *error)
{
	enum { STRIDES = 7 }; /* 1 to 64 */
	struct bench_run runs[STRIDES];
	cl_kernel kernel;
	enum status status = bench_kernel(bench, "local_strided", &kernel, error);
	if (status != STATUS_OK)
		return status;
	for (int i = 0; i < STRIDES; i++)
		runs[i] = (struct bench_run){
		        .kernel = kernel,
		        .groups = 16 * (size_t)bench->units,
		        .local = bench->local,
		        .argument = {ARG_MEM(bench->scratch), ARG_UINT(4), ARG_UINT(1u << i)}};
	status = bench_lengthen_argument(bench, &runs[0], 1, 1u << 16, error);
	for (int i = 1; i < STRIDES; i++)
		runs[i].argument[1] = runs[0].argument[1];
	if (status == STATUS_OK)
		status = bench_time(bench, runs, STRIDES, error);
	if (status != STATUS_OK)
		return status;
	int most = 0;
	for (int i = 1; i < STRIDES; i++)
		if (runs[i].time_s > 1.2 * runs[most].time_s)
			most = i;
	bench_set(bench, COEFFICIENT_LOCAL_BANKS, most > 1 ? exp2(most) : 1, 0);
	double accesses =
	        (double)(runs[0].groups * runs[0].local) * STRIDED * runs[0].argument[1].value.u32;
	if (most > 1)
		bench_set_difference(bench, COEFFICIENT_LOCAL_CONFLICT, &runs[most], &runs[0],
		                     accesses * (exp2(most) - 1));
	else
		bench_set(bench, COEFFICIENT_LOCAL_CONFLICT, 0, 0);
	return STATUS_OK;
}

/* Two group sizes tell a group's share from its items'. */
static enum status time_barriers(struct bench *bench, struct error *error)
{
	const size_t local[2] = {bench->local / 8 > 0 ? bench->local / 8 : 1, bench->local};
	double barrier_s[2], reached[2];
	cl_kernel kernel;
	enum status status = bench_kernel(bench, "barriers", &kernel, error);
	for (int i = 0; i < 2 && status == STATUS_OK; i++) {
		struct bench_run runs[2];
		runs[0] = (struct bench_run){
		        .kernel = kernel,
		        .groups = bench->is_gpu ? 16 * 256 / local[i] * (size_t)bench->units
		                                : 64 * (size_t)bench->units,
		        .local = local[i],
		        .argument = {ARG_MEM(bench->scratch), ARG_UINT(16), ARG_FLOAT(0.5)}};
		double more;
		status = bench_time_trips(bench, runs, 1, 1u << 16, &more, error);
		if (status != STATUS_OK)
			return status;
		barrier_s[i] =
		        fmax(runs[0].time_s - runs[1].time_s, 0) / ((double)runs[0].groups * more);
		reached[i] = bench_difference_error(&runs[0], &runs[1]);
	}
	if (status != STATUS_OK)
		return status;
	double item_s = local[1] > local[0] ? fmax(barrier_s[1] - barrier_s[0], 0) /
	                                              (double)(local[1] - local[0])
	                                    : 0;
	item_s = fmin(item_s, barrier_s[0] / (double)local[0]);
	bench_set(bench, COEFFICIENT_BARRIER_ITEM, item_s, hypot(reached[0], reached[1]));
	bench_set(bench, COEFFICIENT_BARRIER_GROUP, barrier_s[0] - item_s * (double)local[0],
	          reached[0]);
	return STATUS_OK;
}

/* What one trip takes of a work-group that has a unit for itself. */
static enum status time_alone(struct bench *bench, const char *name, size_t local,
                              struct bench_argument last, double *trip_s, double *reached,
                              struct error *error)
{
	struct bench_run runs[2];
	runs[0] = (struct bench_run){.groups = 1,
	                             .local = local,
	                             .argument = {ARG_MEM(bench->scratch), ARG_UINT(16), last}};
	enum status status = bench_kernel(bench, name, &runs[0].kernel, error);
	double more;
	if (status == STATUS_OK)
		status = bench_time_trips(bench, runs, 1, 1u << 16, &more, error);
	if (status != STATUS_OK)
		return status;
	*trip_s = fmax(runs[0].time_s - runs[1].time_s, 0) / more;
	*reached = bench_difference_error(&runs[0], &runs[1]);
	return STATUS_OK;
}

/* What a warp waits for a load and for a barrier when nothing else is there to do. */
static enum status time_latencies(struct bench *bench, struct error *error)
{
	double trip_s, reached;
	enum status status =
	        time_alone(bench, "local_chain", 1, ARG_INT(1), &trip_s, &reached, error);
	if (status != STATUS_OK)
		return status;
	bench_set(bench, COEFFICIENT_LOCAL_LATENCY, trip_s / CHAINED, reached);
	status = time_alone(bench, "barriers", bench->local, ARG_FLOAT(0.5), &trip_s, &reached,
	                    error);
	if (status != STATUS_OK)
		return status;
	/* a trip adds and multiplies, too */
	trip_s -= bench_value(bench, COEFFICIENT_FLOAT_LATENCY, 0);
	bench_set(bench, COEFFICIENT_BARRIER_LATENCY, fmax(trip_s, 0), reached);
	return STATUS_OK;
}

enum status calibrate_local(struct bench *bench, struct error *error)
{
	enum status status = time_accesses(bench, error);
	if (status == STATUS_OK)
		status = bench_progress(bench, 0.3, error);
	if (status == STATUS_OK)
		status = time_barriers(bench, error);
	if (status == STATUS_OK && bench->is_gpu)
		status = time_latencies(bench, error);
	if (status == STATUS_OK)
		status = bench_progress(bench, 0.6, error);
	if (status == STATUS_OK)
		status = time_banks(bench, error);
	return status;
}
