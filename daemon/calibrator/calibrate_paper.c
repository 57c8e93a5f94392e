/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the paper's model needs but for the operations (equations 2 to 4, sections
 * 2.2, 2.3 and 2.5): base cost, access patterns, execution units.
 *
 * Every microkernel runs at sizes from those that a cache holds to those that only
 * memory does, like the launches that the model is judged by. Its slope over the
 * work-items is fitted in log error; a part costs what its kernel's slope has
 * beyond the slope of the kernel without it. So base and parts add up to what the
 * microkernels took.
 */
#include "daemon/calibrator/bench.h"

#include <math.h>

#include "daemon/calibrator/slope.h"

/* A microkernel, and its time over the sizes. */
enum micro { BASE, WRITE, CONSTANT, INTERVAL, COALESCED, REPEATED, UNCOALESCED, LOCAL, MICROS };

/* Those that tell most first. */
static const unsigned sizes_log2[] = {20, 24, 16, 22, 18};

enum { SIZES = sizeof sizes_log2 / sizeof *sizes_log2, QUICK_SIZES = 3 };

struct curve {
	double items[SIZES], time_s[MICROS][SIZES], whole_s[MICROS][SIZES];
	double fixed_s;
	size_t count;
};

static double curve_slope(const struct curve *curve, enum micro micro)
{
	return slope_fit(curve->items, curve->time_s[micro], curve->fixed_s, curve->count);
}

/* Base cost: kernels that only get their ids. Which one does least: see calibrate_launch.c. */
static void base_arguments(const struct bench *bench, struct bench_run *run)
{
	run->argument[0] = ARG_MEM(bench->scratch);
	if (bench->is_gpu) {
		run->argument[1] = ARG_INT(-1);
		run->argument[2].size = 0;
	} else {
		run->argument[1] = ARG_MEM(bench->scratch);
		run->argument[2] = ARG_FLOAT(1);
	}
	run->argument[3].size = 0;
}

static enum status make_micros(struct bench *bench, cl_mem out, struct bench_run runs[MICROS],
                               struct error *error)
{
	static const char *const names[MICROS] = {NULL,
	                                          "paper_write",
	                                          "paper_constant",
	                                          "paper_interval",
	                                          "paper_coalesced",
	                                          "paper_repeated",
	                                          "paper_uncoalesced",
	                                          "paper_local"};
	enum status status = STATUS_OK;
	for (int i = 0; i < MICROS && status == STATUS_OK; i++) {
		const char *name = i > BASE ? names[i] : bench->is_gpu ? "trivial" : "load_none";
		runs[i] = (struct bench_run){
		        .groups = 1,
		        .local = bench->local,
		        .argument = {ARG_MEM(bench->data), ARG_MEM(out), ARG_FLOAT(1.5)}};
		if (i == BASE)
			base_arguments(bench, &runs[i]);
		if (i == UNCOALESCED)
			runs[i].argument[3] = ARG_UINT(0);
		status = bench_kernel(bench, name, &runs[i].kernel, error);
	}
	return status;
}

/*
 * START to END, as the paper and every user of a prediction measures; but no longer than
 * one unit alone would have taken: the rest is others on the device.
 */
static double whole_time(const struct bench *bench, const struct bench_run *run)
{
	return fmin(run->event_s, fmax(run->time_s, 1e-9) * bench->units);
}

/* Every microkernel at every size, less what a launch takes that does nothing. */
static enum status time_curve(struct bench *bench, struct bench_run runs[MICROS], size_t most,
                              struct curve *curve, struct error *error)
{
	enum status status = STATUS_OK;
	curve->count = 0;
	curve->fixed_s = fmax(bench_value(bench, COEFFICIENT_LAUNCH_BASE, 0), 1e-7);
	for (int i = 0; i < (bench->is_quick ? QUICK_SIZES : SIZES) && status == STATUS_OK; i++) {
		/* a GPU works that much faster */
		size_t items = (size_t)1 << (sizes_log2[i] + (bench->is_gpu ? 2 : 0));
		if (items > most)
			items = most;
		size_t at = curve->count;
		for (int m = 0; m < MICROS; m++)
			runs[m].groups = items / bench->local;
		runs[UNCOALESCED].argument[3] = ARG_UINT(items - 1);
		status = bench_time(bench, runs, MICROS, error);
		if (status != STATUS_OK)
			break;
		curve->items[at] = (double)items;
		for (int m = 0; m < MICROS; m++) {
			curve->time_s[m][at] = whole_time(bench, &runs[m]) - curve->fixed_s;
			curve->whole_s[m][at] = fmax(curve->time_s[m][at], 0) + curve->fixed_s;
		}
		curve->count++;
		status = bench_progress(bench, 0.1 + 0.6 * (double)curve->count / (double)SIZES,
		                        error);
	}
	/* the first sizes are better than none */
	return status == STATUS_TIMEOUT && curve->count > 1 ? STATUS_OK : status;
}

/*
 * Records what `with` takes beyond `without`, per access. Its error is of the
 * difference at each size around the one slope: large where the rest of the kernel
 * hides the access, or where an access costs more the larger the buffer. What cannot be
 * told from nothing is 0 with an error of 1.
 */
static void set_part(struct bench *bench, const struct curve *curve, unsigned id, enum micro with,
                     enum micro without, double accesses)
{
	double apart_s[SIZES];
	double part_s = curve_slope(curve, with) - curve_slope(curve, without);
	for (size_t i = 0; i < curve->count; i++)
		apart_s[i] = curve->time_s[with][i] - curve->time_s[without][i];
	double error_s =
	        slope_error(curve->items, apart_s, curve->whole_s[with], curve->count, part_s);
	if (part_s > 0)
		bench_set(bench, id, part_s / accesses, error_s / part_s);
	else
		bench_set(bench, id, 0, 1);
}

static void set_parts(struct bench *bench, const struct curve *curve)
{
	static const struct {
		unsigned id;
		enum micro with, without;
		double accesses;
	} parts[] = {{COEFFICIENT_PAPER_WRITE, WRITE, BASE, 1},
	             {COEFFICIENT_PAPER_CONSTANT, CONSTANT, WRITE, 1},
	             {COEFFICIENT_PAPER_INTERVAL, INTERVAL, WRITE, 1},
	             {COEFFICIENT_PAPER_COALESCED, COALESCED, WRITE, 1},
	             {COEFFICIENT_PAPER_REPEATED, REPEATED, COALESCED, 1},
	             {COEFFICIENT_PAPER_UNCOALESCED, UNCOALESCED, WRITE, 1},
	             /* local memory is written and read */
	             {COEFFICIENT_PAPER_LOCAL, LOCAL, WRITE, 2}};
	double base_s = curve_slope(curve, BASE);
	double error_s = slope_error(curve->items, curve->time_s[BASE], curve->whole_s[BASE],
	                             curve->count, base_s);
	bench_set(bench, COEFFICIENT_PAPER_BASE_ITEM, fmax(base_s, 0),
	          base_s > 0 ? error_s / base_s : 1);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		set_part(bench, curve, parts[i].id, parts[i].with, parts[i].without,
		         parts[i].accesses);
	/* models that only tell kinds of memory apart measure a read by the usual one: matrix[x] */
	const struct coefficient *usual = &bench->device->coefficient[COEFFICIENT_PAPER_COALESCED];
	bench_set(bench, COEFFICIENT_PAPER_UNCACHED, usual->value, usual->standard_error);
}

static enum status time_patterns(struct bench *bench, struct error *error)
{
	struct bench_run runs[MICROS];
	struct curve curve;
	const size_t largest = (size_t)1 << (bench->is_gpu ? 26 : 24);
	/* work-items read in the first half of data and write in the second */
	enum status status = bench_grow_data(bench, 16 * largest, error);
	if (status != STATUS_OK)
		return status;
	size_t items = (size_t)exp2(floor(log2((double)bench->data_bytes / 8)));
	if (items > largest)
		items = largest;
	cl_buffer_region half = {bench->data_bytes / 2 & ~(size_t)0xffff, items * 4};
	cl_int code;
	cl_mem out = clCreateSubBuffer(bench->data, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
	                               &half, &code);
	if (out == NULL)
		return opencl_failure("clCreateSubBuffer", code, error);
	status = make_micros(bench, out, runs, error);
	if (status == STATUS_OK)
		status = time_curve(bench, runs, items, &curve, error);
	if (status == STATUS_OK)
		set_parts(bench, &curve);
	clReleaseMemObject(out);
	return status;
}

/*
 * Fig. 2: group sizes just beyond a multiple of the execution units cost another
 * step. Lockstep makes the step, so where the sweep shows none - or is not made, since a
 * CPU's driver compiles a kernel for every group size - the units are the warp's
 * work-items.
 */
static enum status time_group_sizes(struct bench *bench, struct error *error)
{
	static const double sizes[] = {4,  8,  12, 15, 16, 17, 20, 24, 28, 31, 32, 33, 36, 40,
	                               44, 47, 48, 49, 56, 63, 64, 65, 72, 80, 88, 95, 96, 97};
	enum { COUNT = sizeof sizes / sizeof *sizes, BATCH = 14, ITEMS = 1 << 20 };
	double item_s[COUNT];
	struct bench_run runs[BATCH];
	cl_kernel kernel;
	unsigned units = 1;
	enum status status = bench_kernel(bench, "paper_group", &kernel, error);
	if (status == STATUS_OK)
		status = bench_grow_data(bench, (size_t)1 << 24, error);
	for (int done = 0; done < COUNT && status == STATUS_OK; done += BATCH) {
		for (int i = 0; i < BATCH; i++) {
			size_t local = (size_t)sizes[done + i];
			/* BENCH_SCRATCH_BYTES hold what ITEMS work-items write */
			runs[i] = (struct bench_run){.kernel = kernel,
			                             .groups = ITEMS / local,
			                             .local = local,
			                             .argument = {ARG_MEM(bench->data),
			                                          ARG_MEM(bench->scratch),
			                                          ARG_FLOAT(1.5)}};
		}
		status = bench_time(bench, runs, BATCH, error);
		for (int i = 0; i < BATCH && status == STATUS_OK; i++)
			item_s[done + i] =
			        runs[i].time_s / (double)(runs[i].groups * runs[i].local);
		if (status == STATUS_OK)
			status = bench_progress(bench, 0.7 + 0.3 * (done + BATCH) / (double)COUNT,
			                        error);
	}
	if (status != STATUS_OK)
		return status;
	units = execution_units_fit(sizes, item_s, COUNT, 96);
	if (units > 1)
		bench_set(bench, COEFFICIENT_PAPER_XU, units, 0.05);
	return STATUS_OK;
}

enum status calibrate_paper(struct bench *bench, struct error *error)
{
	bench_set(bench, COEFFICIENT_PAPER_XU, bench_value(bench, COEFFICIENT_WARP_ITEMS, 1), 0.5);
	bench_set(bench, COEFFICIENT_PAPER_BASE_FIXED,
	          bench_value(bench, COEFFICIENT_LAUNCH_BASE, 0), 0.02);
	enum status status = time_patterns(bench, error);
	if (status == STATUS_OK && (bench->is_gpu || !bench->is_quick))
		status = time_group_sizes(bench, error);
	return status;
}
