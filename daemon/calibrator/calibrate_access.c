/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses that stay in the first level, by how the lanes lie. */
#include "daemon/calibrator/bench.h"

#include <math.h>

/* Accesses of a straight-line kernel, and of a trip of a loop. */
#define EACH      16.0
#define LOOP_EACH 8.0

static size_t first_groups(const struct bench *bench)
{
	return bench->is_gpu ? 64 * (size_t)bench->units : ((size_t)1 << 18) / bench->local;
}

/* A straight-line kernel of 16 accesses; divides what it costs beyond `base`. */
static enum status time_straight(struct bench *bench, const char *name, struct bench_run *run,
                                 unsigned id, struct error *error)
{
	cl_kernel none;
	enum status status = bench_kernel(bench, name, &run->kernel, error);
	if (status == STATUS_OK)
		status = bench_kernel(bench, "load_none", &none, error);
	if (status != STATUS_OK)
		return status;
	run->groups = first_groups(bench);
	run->local = bench->local;
	status = bench_lengthen_groups(bench, run, (size_t)1 << 20, error);
	struct bench_run runs[2] = {
	        *run,
	        {.kernel = none,
	         .groups = run->groups,
	         .local = run->local,
	         .argument = {ARG_MEM(bench->data), ARG_MEM(bench->scratch), ARG_FLOAT(1)}}};
	if (status == STATUS_OK)
		status = bench_time(bench, runs, 2, error);
	if (status != STATUS_OK)
		return status;
	*run = runs[0];
	bench_set_difference(bench, id, &runs[0], &runs[1],
	                     (double)(run->groups * run->local) * EACH);
	return STATUS_OK;
}

/* A loop of unknown length of 8 accesses a trip: against a quarter of the trips. */
static enum status time_loop(struct bench *bench, struct bench_run *run, unsigned trips,
                             unsigned id, struct error *error)
{
	struct bench_run runs[2];
	/* where processor time is known one thread is enough, and none takes its lines away */
	run->groups = bench->has_cpu_clock ? 1 : (bench->is_gpu ? 16 : 256) * (size_t)bench->units;
	run->local = bench->local;
	runs[0] = *run;
	double more;
	enum status status = bench_time_trips(bench, runs, trips, 1u << 20, &more, error);
	if (status == STATUS_OK)
		bench_set_difference(bench, id, &runs[0], &runs[1],
		                     more * LOOP_EACH * (double)(run->groups * run->local));
	*run = runs[0];
	return status;
}

/*
 * On a GPU all code runs in lanes, and what launching the straight-line kernels costs runs along
 * with them, so that their difference says too little: the loops' figures stand for both.
 */
static void copy_loops(struct bench *bench)
{
	static const unsigned pairs[2][2] = {{COEFFICIENT_LOAD_VECTOR, COEFFICIENT_LOAD_SCALAR},
	                                     {COEFFICIENT_STORE_VECTOR, COEFFICIENT_STORE_SCALAR}};
	for (unsigned i = 0; i < 2; i++) {
		const struct coefficient *from = &bench->device->coefficient[pairs[i][1]];
		if (from->is_known)
			bench_set(bench, pairs[i][0], from->value, from->standard_error);
	}
}

/*
 * Lanes 1, 2, 4, ... 64 floats apart. In the first level: what one more segment
 * of a warp's access costs. Beyond it, where every stride reads what no other
 * work-item does: the stride from which time no longer grows is the segment.
 */
static enum status time_strides(struct bench *bench, struct error *error)
{
	enum { STRIDES = 6 }; /* 1 to 32 floats: 4 to 128 bytes */
	cl_kernel kernel, away;
	struct bench_run near[STRIDES], far[STRIDES];
	double warp = bench->device->coefficient[COEFFICIENT_WARP_ITEMS].is_known
	                      ? bench_value(bench, COEFFICIENT_WARP_ITEMS, 1)
	                      : 32;
	enum status status = bench_kernel(bench, "load_strided", &kernel, error);
	if (status == STATUS_OK)
		status = bench_kernel(bench, "load_far", &away, error);
	if (status == STATUS_OK)
		status = bench_grow_data(bench, (size_t)16 << 20, error);
	if (status != STATUS_OK)
		return status;
	/* at the least stride all groups together pass the window several times */
	size_t groups = 8 * first_groups(bench);
	for (int i = 0; i < STRIDES; i++) {
		near[i] = (struct bench_run){.kernel = kernel,
		                             .groups = groups,
		                             .local = bench->local,
		                             .argument = {ARG_MEM(bench->data),
		                                          ARG_MEM(bench->scratch),
		                                          ARG_UINT(1u << i), ARG_UINT(4095)}};
		far[i] = near[i];
		far[i].kernel = away;
		/* 16 MB are beyond the units' own caches, and in one that they share: 2^22 floats
		 */
		far[i].argument[3] = ARG_UINT((1u << 22) - 1);
	}
	status = bench_time(bench, near, STRIDES, error);
	if (status == STATUS_OK)
		status = bench_time(bench, far, STRIDES, error);
	if (status != STATUS_OK)
		return status;
	double most_s = 0, least_s = far[0].time_s;
	for (int i = 0; i < STRIDES; i++)
		most_s = fmax(most_s, far[i].time_s);
	for (int i = 0; i < STRIDES; i++) {
		/* unclear where nothing grows: then the driver's cache line stands */
		if (most_s > 1.5 * least_s && far[i].time_s >= least_s + 0.8 * (most_s - least_s)) {
			bench_set(bench, COEFFICIENT_SEGMENT_BYTES, 4 * exp2(i),
			          far[i].standard_error);
			break;
		}
	}
	double segment = bench_value(bench, COEFFICIENT_SEGMENT_BYTES, 32);
	double more = warp - fmax(warp * 4 / segment, 1);
	double warps = (double)groups * (double)bench->local / warp * EACH;
	if (more > 0)
		bench_set_difference(bench, COEFFICIENT_TRANSACTION, &near[STRIDES - 1], &near[0],
		                     warps * more);
	return STATUS_OK;
}

/* Look-ups of constants whose lanes ask for one address, and for 32 of them. */
static enum status time_constants(struct bench *bench, struct error *error)
{
	enum { ADDRESSES = 32 };
	struct bench_run runs[2] = {{.groups = 8 * first_groups(bench), .local = bench->local}};
	enum status status = bench_kernel(bench, "load_constant", &runs[0].kernel, error);
	if (status != STATUS_OK)
		return status;
	runs[0].argument[0] = ARG_MEM(bench->scratch);
	runs[1] = runs[0];
	runs[0].argument[1] = ARG_UINT(ADDRESSES - 1);
	runs[1].argument[1] = ARG_UINT(0);
	status = bench_time(bench, runs, 2, error);
	if (status != STATUS_OK)
		return status;
	double warp = bench_value(bench, COEFFICIENT_WARP_ITEMS, 32);
	double warps = (double)runs[0].groups * (double)bench->local / warp * EACH;
	double more = fmin(warp, (double)(int)ADDRESSES) - 1;
	if (more > 0)
		bench_set_difference(bench, COEFFICIENT_CONSTANT_ADDRESS, &runs[0], &runs[1],
		                     warps * more);
	return STATUS_OK;
}

enum status calibrate_access(struct bench *bench, struct error *error)
{
	const struct bench_argument data = ARG_MEM(bench->data), out = ARG_MEM(bench->scratch);
	struct bench_run vector = {.argument = {data, out}};
	/* 33: every lane in a line of its own, and in a bank of its own */
	struct bench_run spread = {.argument = {data, out, ARG_UINT(33), ARG_UINT(4095)}};
	struct bench_run scalar = {.argument = {data, out, ARG_UINT(4), ARG_UINT(bench->local)}};
	struct bench_run store = {.argument = {out, ARG_FLOAT(1), ARG_INT(0)}};
	struct bench_run scatter = {.argument = {out, ARG_FLOAT(1), ARG_INT(0), ARG_UINT(33)}};
	struct bench_run sector = {.argument = {out, ARG_FLOAT(1), ARG_INT(0), ARG_UINT(8)}};
	struct bench_run store_loop = {
	        .argument = {out, ARG_FLOAT(1), ARG_UINT(4), ARG_UINT(bench->local)}};
	enum status status = STATUS_OK;
	if (!bench->is_gpu)
		status = time_straight(bench, "load_vector", &vector, COEFFICIENT_LOAD_VECTOR,
		                       error);
	if (status == STATUS_OK)
		status = time_straight(bench, bench->is_gpu ? "load_strided" : "load_spread",
		                       &spread, COEFFICIENT_LOAD_GATHER, error);
	if (status == STATUS_OK)
		status = bench_kernel(bench, "load_scalar", &scalar.kernel, error);
	if (status == STATUS_OK)
		status = time_loop(bench, &scalar, 2, COEFFICIENT_LOAD_SCALAR, error);
	if (status == STATUS_OK)
		status = bench_progress(bench, 0.3, error);
	if (status == STATUS_OK && !bench->is_gpu)
		status = time_straight(bench, "store_vector", &store, COEFFICIENT_STORE_VECTOR,
		                       error);
	if (status == STATUS_OK)
		status = time_straight(bench, "store_scatter", &scatter, COEFFICIENT_STORE_SCATTER,
		                       error);
	if (status == STATUS_OK && bench->is_gpu)
		status = time_straight(bench, "store_scatter", &sector, COEFFICIENT_STORE_SECTOR,
		                       error);
	if (status == STATUS_OK)
		status = bench_kernel(bench, "store_scalar", &store_loop.kernel, error);
	if (status == STATUS_OK)
		status = time_loop(bench, &store_loop, 2, COEFFICIENT_STORE_SCALAR, error);
	if (status == STATUS_OK)
		status = bench_progress(bench, 0.6, error);
	if (status == STATUS_OK && bench->is_gpu) {
		copy_loops(bench);
		status = time_strides(bench, error);
	}
	if (status == STATUS_OK && bench->is_gpu)
		status = time_constants(bench, error);
	return status;
}
