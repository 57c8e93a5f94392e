/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the device executes: how many work-groups run at once, lockstep and
 * divergence, what an operation costs that waits for the one before.
 */
#include "daemon/calibrator/bench.h"

#include <math.h>

#include "daemon/calibrator/repeats.h"

#define UNROLL 16.0 /* of `chain` */

/* Local memory of a group of `resident_local`, and its work-items: small groups, so that nothing
 * else keeps more from fitting in. */
enum { ROOM_BYTES = 12288, ROOM_ITEMS = 32 };

/* The most work-groups that were running at the same time, counted on the device. */
static enum status count_resident(struct bench *bench, const char *name, size_t local,
                                  size_t groups, int *most, struct error *error)
{
	cl_kernel kernel;
	const cl_int zero[2] = {0, 0};
	enum status status = bench_kernel(bench, name, &kernel, error);
	if (status != STATUS_OK)
		return status;
	/* groups long enough that the first still run when the last that fits begins */
	struct bench_run run = {.kernel = kernel,
	                        .groups = groups,
	                        .local = local,
	                        .argument = {ARG_MEM(bench->scratch), ARG_MEM(bench->scratch),
	                                     ARG_UINT(64), ARG_FLOAT(0.5)}};
	double target_s = bench->target_s;
	/* on a CPU long enough for every thread to wake up */
	bench->target_s = bench->is_gpu ? 2e-3 : 4e-2;
	status = bench_lengthen_argument(bench, &run, 2, 1u << 20, error);
	bench->target_s = target_s;
	*most = 0;
	for (int i = 0; i < (bench->is_quick ? 1 : 2) && status == STATUS_OK; i++) {
		cl_int state[2];
		cl_int code = clEnqueueWriteBuffer(bench->opencl->queue, bench->scratch, CL_TRUE, 0,
		                                   sizeof zero, zero, 0, NULL, NULL);
		if (code != CL_SUCCESS)
			return opencl_failure("clEnqueueWriteBuffer", code, error);
		status = bench_time(bench, &run, 1, error);
		code = clEnqueueReadBuffer(bench->opencl->queue, bench->scratch, CL_TRUE, 0,
		                           sizeof state, state, 0, NULL, NULL);
		if (code != CL_SUCCESS)
			return opencl_failure("clEnqueueReadBuffer", code, error);
		if (state[1] > *most)
			*most = state[1];
	}
	return status;
}

/*
 * The number of work-groups at which time grows by half of one group's: with
 * groups that fill a unit's arithmetic, units + 1. Between powers of two by bisection.
 */
static enum status count_steps(struct bench *bench, size_t most, size_t *units, struct error *error)
{
	cl_kernel kernel;
	enum status status = bench_kernel(bench, "chain", &kernel, error);
	if (status != STATUS_OK)
		return status;
	struct bench_run run = {.kernel = kernel,
	                        .groups = 1,
	                        .local = bench->local,
	                        .argument = {ARG_MEM(bench->scratch), ARG_INT(4), ARG_UINT(64),
	                                     ARG_FLOAT(0.5), ARG_INT(3)}};
	status = bench_lengthen_argument(bench, &run, 2, 1u << 20, error);
	if (status == STATUS_OK)
		status = bench_time(bench, &run, 1, error);
	if (status != STATUS_OK)
		return status;
	double step_s = 1.5 * run.time_s;
	size_t low = 1, high = 2;
	for (; high < most; low = high, high *= 2) {
		run.groups = high;
		status = bench_time(bench, &run, 1, error);
		if (status != STATUS_OK)
			return status;
		if (run.time_s > step_s)
			break;
	}
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		run.groups = middle;
		status = bench_time(bench, &run, 1, error);
		if (status != STATUS_OK)
			return status;
		if (run.time_s > step_s)
			high = middle;
		else
			low = middle;
	}
	*units = low;
	return STATUS_OK;
}

/*
 * Whether processor time of this process is the time of its kernels, seen on
 * one work-group that runs alone: more is threads that spin, far less another
 * process that runs them. Somewhat less is a busy machine.
 */
static enum status try_cpu_clock(struct bench *bench, const struct bench_run *one,
                                 struct error *error)
{
	enum { LAUNCHES = 15 };
	struct bench_run run = *one;
	struct repeats share = {0};
	enum status status = STATUS_OK;
	struct other_load before, after;
	other_load_look(&before);
	/* 10 ms: beside it enqueueing, and all threads that wake up for nothing, are little */
	run.argument[2].value.u32 *= 50;
	for (int i = 0; i < LAUNCHES && status == STATUS_OK; i++) {
		double event_s, spent_s;
		status = bench_once(bench, &run, &event_s, &spent_s, error);
		if (status == STATUS_OK && i > 0)
			repeats_add(&share, spent_s / fmax(event_s, 1e-9));
	}
	if (bench->is_rehearsal) /* which takes it for granted */
		return status;
	other_load_look(&after);
	/* of several the launches that had a processor for themselves, or what others left of it */
	bench->has_cpu_clock =
	        repeats_quantile(&share, 0.8) > 0.25 * (1 - other_load_share(&before, &after)) &&
	        repeats_quantile(&share, 0.5) < 1.2;
	return status;
}

enum { UNITS_TRIES = 4 };

static enum status calibrate_cpu_units(struct bench *bench, struct error *error)
{
	const size_t groups = 40 * (size_t)bench->device->compute_units;
	int most = 0, again;
	cl_kernel kernel;
	enum status status = count_resident(bench, "resident", bench->local, groups, &most, error);
	/* others that have a thread's processor make it late, and never one too many */
	for (int i = 0;
	     i < UNITS_TRIES && status == STATUS_OK && most < (int)bench->device->compute_units;
	     i++) {
		status = count_resident(bench, "resident", bench->local, groups, &again, error);
		most = again > most ? again : most;
	}
	if (status == STATUS_OK)
		status = bench_kernel(bench, "chain", &kernel, error);
	if (status != STATUS_OK)
		return status;
	struct bench_run one = {.kernel = kernel,
	                        .groups = 1,
	                        .local = 1,
	                        .argument = {ARG_MEM(bench->scratch), ARG_INT(0), ARG_UINT(16),
	                                     ARG_FLOAT(0.5), ARG_INT(3)}};
	double target_s = bench->target_s;
	bench->target_s = 2e-4;
	status = bench_lengthen_argument(bench, &one, 2, 1u << 20, error);
	bench->target_s = target_s;
	if (status == STATUS_OK)
		status = try_cpu_clock(bench, &one, error);
	if (status != STATUS_OK)
		return status;
	bench->units = most > 1 ? most : 1; /* a thread runs one group at a time */
	bench_set(bench, COEFFICIENT_UNITS, bench->units, 0);
	bench_set(bench, COEFFICIENT_UNIT_ITEMS, (double)bench->local, 0);
	return STATUS_OK;
}

/*
 * Local memory of a unit: drivers tell what one work-group may take, and on some GPUs a unit has
 * several times as much, which decides how many groups it holds.
 */
static enum status calibrate_room(struct bench *bench, struct error *error)
{
	double told = (double)bench->device->local_bytes;
	int most = 0;
	enum status status;
	if (told < (double)ROOM_BYTES)
		return STATUS_OK;
	status = count_resident(bench, "resident_local", ROOM_ITEMS, 40 * (size_t)bench->units,
	                        &most, error);
	if (status == STATUS_OK)
		bench_set(bench, COEFFICIENT_LOCAL_ROOM,
		          fmax(told, floor(most / bench->units) * (double)ROOM_BYTES), 0);
	return status;
}

static enum status calibrate_gpu_units(struct bench *bench, struct error *error)
{
	int most = 0;
	size_t compute_units = (size_t)bench->units, units = compute_units;
	enum status status = count_steps(bench, 8 * compute_units, &units, error);
	if (status != STATUS_OK)
		return status;
	/* others' work blurs the step; far from the driver's count it is no finding */
	if (4 * units < compute_units || units > 4 * compute_units)
		units = compute_units;
	status = count_resident(bench, "resident", bench->local, 40 * units, &most, error);
	if (status != STATUS_OK)
		return status;
	bench->units = (double)units;
	bench_set(bench, COEFFICIENT_UNITS, bench->units, 0);
	bench_set(bench, COEFFICIENT_UNIT_ITEMS,
	          fmax(round(most / bench->units), 1) * (double)bench->local, 0);
	return calibrate_room(bench, error);
}

enum status calibrate_units(struct bench *bench, struct error *error)
{
	return bench->is_gpu ? calibrate_gpu_units(bench, error)
	                     : calibrate_cpu_units(bench, error);
}

/*
 * Operations that one unit of a CPU has under way at once: work-items follow each other,
 * each a chain of dependent adds. While one waits for its chain, as many operations
 * of those behind it are begun: a work-item's time is its chain's latency
 * over 1 + window / adds. Short chains are held up by other things than the window, long
 * ones hardly overlap: each says less than there is, and the most counts.
 */
static enum status calibrate_window(struct bench *bench, cl_kernel kernel, struct error *error)
{
	double latency = bench->device->coefficient[COEFFICIENT_FLOAT_LATENCY].value;
	double window = 0, standard_error = 1;
	enum status status = STATUS_OK;
	for (double adds = 2 * UNROLL; adds <= 16 * UNROLL && status == STATUS_OK; adds *= 2) {
		struct bench_run run = {.kernel = kernel,
		                        .groups = 16 * (size_t)bench->units,
		                        .local = bench->local,
		                        .argument = {ARG_MEM(bench->scratch), ARG_INT(0),
		                                     ARG_UINT(adds / UNROLL), ARG_FLOAT(1.25),
		                                     ARG_INT(3)}};
		status = bench_lengthen_groups(bench, &run, 1u << 16, error);
		if (status == STATUS_OK)
			status = bench_time(bench, &run, 1, error);
		double item_s = run.time_s * bench->units / (double)(run.groups * run.local);
		if (status != STATUS_OK || !(latency > 0 && item_s > 0))
			continue;
		double found = adds * (adds * latency / item_s - 1);
		if (found > window) {
			window = found;
			standard_error = run.standard_error;
		}
	}
	if (window > 0)
		bench_set(bench, COEFFICIENT_WINDOW, window, standard_error);
	return status;
}

/* What a branch costs that follows chance, over one that takes turns. */
static enum status calibrate_guess(struct bench *bench, struct error *error)
{
	struct bench_run runs[2];
	cl_kernel kernel;
	enum status status = bench_kernel(bench, "guess", &kernel, error);
	if (status != STATUS_OK)
		return status;
	for (int i = 0; i < 2; i++)
		runs[i] = (struct bench_run){
		        .kernel = kernel,
		        .groups = 64 * (size_t)bench->units,
		        .local = 1,
		        .argument = {ARG_MEM(bench->scratch), ARG_INT(1 - i), ARG_UINT(64)}};
	status = bench_lengthen_argument(bench, &runs[0], 2, 1u << 22, error);
	runs[1].argument[2].value.u32 = runs[0].argument[2].value.u32;
	if (status == STATUS_OK)
		status = bench_time(bench, runs, 2, error);
	if (status == STATUS_OK) /* half of the guesses are wrong */
		bench_set_difference(bench, COEFFICIENT_MISPREDICT, &runs[0], &runs[1],
		                     0.5 * (double)runs[0].argument[2].value.u32 *
		                             (double)(runs[0].groups * runs[0].local));
	return status;
}

/* Seconds of one trip of a work-item's chain `which` of the kernel. */
static enum status time_trip(struct bench *bench, cl_kernel kernel, int which, double *trip_s,
                             double *reached, struct error *error)
{
	struct bench_run runs[2];
	runs[0] = (struct bench_run){.kernel = kernel,
	                             .groups = 1,
	                             .local = 1,
	                             .argument = {ARG_MEM(bench->scratch), ARG_INT(which),
	                                          ARG_UINT(64), ARG_FLOAT(1.25), ARG_INT(3)}};
	double more;
	enum status status = bench_time_trips(bench, runs, 2, 1u << 22, &more, error);
	if (status != STATUS_OK)
		return status;
	*trip_s = fmax(runs[0].time_s - runs[1].time_s, 0) / more;
	*reached = bench_difference_error(&runs[0], &runs[1]);
	return STATUS_OK;
}

/* What a GPU's warp waits for that is alone: comparisons, look-ups, the end of an iteration. */
static enum status calibrate_waits(struct bench *bench, cl_kernel kernel, struct error *error)
{
	double add_s = bench_value(bench, COEFFICIENT_INT_LATENCY, 0), trip_s, reached;
	enum status status = time_trip(bench, kernel, 6, &trip_s, &reached, error);
	if (status == STATUS_OK) {
		bench_set(bench, COEFFICIENT_COMPARE_LATENCY, fmax(trip_s / UNROLL - add_s, 0),
		          reached);
		status = time_trip(bench, kernel, 7, &trip_s, &reached, error);
	}
	if (status == STATUS_OK) {
		bench_set(bench, COEFFICIENT_SPECIAL_LATENCY, trip_s / UNROLL, reached);
		status = time_trip(bench, kernel, 2, &trip_s, &reached, error);
	}
	if (status == STATUS_OK)
		bench_set(bench, COEFFICIENT_LOOP_LATENCY, trip_s, reached);
	return status;
}

/* What an iteration costs beside its increment and comparison, which a model counts. */
static void set_loop(struct bench *bench, double whole_s, double reached, double adds)
{
	enum op_mode mode = bench->is_gpu ? OP_MODE_VECTOR : OP_MODE_SCALAR;
	double counted_s =
	        adds * bench_value(bench, coefficient_op(mode, TYPE_CLASS_INT, OP_CLASS_ADD), 0) +
	        bench_value(bench, coefficient_op(mode, TYPE_CLASS_INT, OP_CLASS_COMPARE), 0);
	double rest_s = fmax(whole_s - counted_s, 0);
	bench_set(bench, COEFFICIENT_LOOP_ITERATION, rest_s,
	          rest_s > 0 ? whole_s * reached / rest_s : 1);
}

/* A loop against the same one unrolled. */
static enum status calibrate_gpu_loop(struct bench *bench, cl_kernel kernel, struct error *error)
{
	struct bench_run loops[2];
	size_t groups = 16 * (size_t)bench->units, local = bench->local;
	for (int i = 0; i < 2; i++)
		loops[i] =
		        (struct bench_run){.kernel = kernel,
		                           .groups = groups,
		                           .local = local,
		                           .argument = {ARG_MEM(bench->scratch), ARG_INT(2 + i),
		                                        ARG_UINT(64), ARG_FLOAT(1.25), ARG_INT(3)}};
	enum status status = bench_lengthen_argument(bench, &loops[0], 2, 1u << 22, error);
	loops[1].argument[2].value.u32 = loops[0].argument[2].value.u32;
	if (status == STATUS_OK)
		status = bench_time(bench, loops, 2, error);
	if (status != STATUS_OK)
		return status;
	/* the unrolled one still has a sixteenth of the iterations */
	double iterations = (double)loops[0].argument[2].value.u32 * (1 - 1.0 / UNROLL) *
	                    (double)(groups * local);
	set_loop(bench, fmax(loops[0].time_s - loops[1].time_s, 0) / iterations,
	         bench_difference_error(&loops[0], &loops[1]), 1);
	return STATUS_OK;
}

/*
 * A core does an iteration's own work beside that of its body: what is timed is a loop
 * whose body is no more than one operation, which takes no longer than a branch.
 */
static enum status calibrate_cpu_loop(struct bench *bench, cl_kernel kernel, struct error *error)
{
	struct bench_run loops[2];
	double more;
	loops[0] = (struct bench_run){.kernel = kernel,
	                              .groups = 64 * (size_t)bench->units,
	                              .local = 1,
	                              .argument = {ARG_MEM(bench->scratch), ARG_INT(8),
	                                           ARG_UINT(64), ARG_FLOAT(1.25), ARG_INT(3)}};
	enum status status = bench_time_trips(bench, loops, 2, 1u << 22, &more, error);
	if (status != STATUS_OK)
		return status;
	set_loop(bench, fmax(loops[0].time_s - loops[1].time_s, 0) / more / (double)loops[0].groups,
	         bench_difference_error(&loops[0], &loops[1]), 2);
	return STATUS_OK;
}

/* One work-item's chains: latencies, and a loop's own cost. */
static enum status calibrate_chains(struct bench *bench, struct error *error)
{
	static const struct {
		unsigned id;
		int which;
		float y;
		double operations; /* a trip, each waiting for the one before */
	} chains[] = {{COEFFICIENT_FLOAT_LATENCY, 0, 1.25F, UNROLL},
	              {COEFFICIENT_INT_LATENCY, 1, 1.25F, 2 * UNROLL},
	              {COEFFICIENT_MUL_LATENCY, 5, 1, UNROLL}};
	cl_kernel kernel;
	enum status status = bench_kernel(bench, "chain", &kernel, error);
	if (status != STATUS_OK)
		return status;
	for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
		struct bench_run runs[2];
		runs[0] = (struct bench_run){.kernel = kernel,
		                             .groups = 1,
		                             .local = 1,
		                             .argument = {ARG_MEM(bench->scratch),
		                                          ARG_INT(chains[i].which), ARG_UINT(64),
		                                          ARG_FLOAT(chains[i].y), ARG_INT(3)}};
		double more;
		status = bench_time_trips(bench, runs, 2, 1u << 22, &more, error);
		if (status != STATUS_OK)
			return status;
		double done = more * chains[i].operations;
		/* time_s is of the whole device, but one unit ran */
		double scale = bench->has_cpu_clock ? bench->units : 1;
		bench_set_difference(bench, chains[i].id, &runs[0], &runs[1], done / scale);
	}
	if (bench->is_gpu)
		status = calibrate_waits(bench, kernel, error);
	else
		status = calibrate_window(bench, kernel, error);
	if (status == STATUS_OK && !bench->is_gpu)
		status = calibrate_guess(bench, error);
	if (status != STATUS_OK)
		return status;
	return bench->is_gpu ? calibrate_gpu_loop(bench, kernel, error)
	                     : calibrate_cpu_loop(bench, kernel, error);
}

/*
 * Lanes of one warp on two sides pay both. With sides by (lid >> shift), the
 * cost halves at the shift from which a warp is on one side.
 */
static enum status calibrate_warp(struct bench *bench, struct error *error)
{
	enum { SHIFTS = 8 };
	struct bench_run runs[SHIFTS + 1];
	cl_kernel kernel;
	enum status status = bench_kernel(bench, "diverge", &kernel, error);
	if (status != STATUS_OK)
		return status;
	size_t groups = bench->is_gpu ? 16 * (size_t)bench->units : 256 * (size_t)bench->units;
	for (int i = 0; i <= SHIFTS; i++)
		runs[i] = (struct bench_run){.kernel = kernel,
		                             .groups = groups,
		                             .local = bench->local,
		                             .argument = {ARG_MEM(bench->scratch), ARG_INT(i),
		                                          ARG_UINT(16), ARG_FLOAT(0.5),
		                                          ARG_FLOAT(0.75)}};
	runs[SHIFTS].argument[1].value.i32 = 30; /* all on one side */
	status = bench_lengthen_argument(bench, &runs[SHIFTS], 2, 1u << 16, error);
	for (int i = 0; i < SHIFTS; i++)
		runs[i].argument[2].value.u32 = runs[SHIFTS].argument[2].value.u32;
	if (status == STATUS_OK)
		status = bench_time(bench, runs, SHIFTS + 1, error);
	if (status != STATUS_OK)
		return status;
	double one_s = runs[SHIFTS].time_s, both_s = runs[0].time_s;
	double warp = 1;
	for (int i = 0; i < SHIFTS && both_s > 1.4 * one_s; i++) {
		if (runs[i].time_s <= 0.5 * (one_s + both_s))
			break;
		warp = exp2(i + 1);
	}
	bench_set(bench, COEFFICIENT_WARP_ITEMS, warp, 0);
	return STATUS_OK;
}

enum status calibrate_execution(struct bench *bench, struct error *error)
{
	enum status status = calibrate_warp(bench, error);
	if (status == STATUS_OK)
		status = bench_progress(bench, 0.4, error);
	if (status == STATUS_OK)
		status = calibrate_chains(bench, error);
	return status;
}
