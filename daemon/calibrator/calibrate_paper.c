/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the paper's model needs (equations 2 to 5, sections 2.2 to 2.5): base
 * cost, access patterns, and t_op = W(n) c n_WI of the basic operations.
 */
#include "daemon/calibrator/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/calibrator/op_source.h"
#include "daemon/calibrator/saturation.h"

/* Base cost: kernels that only get their ids, over the number of work-items. */
static enum status time_base(struct bench *bench, struct error *error)
{
	struct bench_run runs[2];
	const size_t many = ((size_t)1 << (bench->is_gpu ? 24 : 22)) / bench->local;
	for (int i = 0; i < 2; i++)
		runs[i] = (struct bench_run){.groups = i == 0 ? many : many / 4,
		                             .local = bench->local,
		                             .argument = {ARG_MEM(bench->scratch), ARG_INT(-1)}};
	/* which kernel does least: see calibrate_launch.c */
	for (int i = 0; i < 2 && !bench->is_gpu; i++) {
		runs[i].argument[1] = ARG_MEM(bench->scratch);
		runs[i].argument[2] = ARG_FLOAT(1);
	}
	enum status status = bench_kernel(bench, bench->is_gpu ? "trivial" : "load_none",
	                                  &runs[0].kernel, error);
	runs[1].kernel = runs[0].kernel;
	if (status == STATUS_OK)
		status = bench_time(bench, runs, 2, error);
	if (status != STATUS_OK)
		return status;
	double items = (double)((many - many / 4) * bench->local);
	double item_s = fmax(runs[0].time_s - runs[1].time_s, 0) / items;
	bench_set(bench, COEFFICIENT_PAPER_BASE_ITEM, item_s,
	          bench_difference_error(&runs[0], &runs[1]));
	bench_set(bench, COEFFICIENT_PAPER_BASE_FIXED,
	          bench_value(bench, COEFFICIENT_LAUNCH_BASE, 0), 0.02);
	return STATUS_OK;
}

/*
 * Fig. 2: group sizes just beyond a multiple of the execution units cost another
 * step. Lockstep is what makes the step, so the units are the warp's work-items.
 */
static void set_units(struct bench *bench)
{
	bench_set(bench, COEFFICIENT_PAPER_XU, bench_value(bench, COEFFICIENT_WARP_ITEMS, 1), 0);
}

/* The five patterns, a write and local memory: each against the kernel without it. */
static enum status time_patterns(struct bench *bench, struct error *error)
{
	enum { WRITE, CONSTANT, INTERVAL, COALESCED, REPEATED, UNCOALESCED, LOCAL, RUNS };
	static const char *const names[RUNS] = {
	        "paper_write",    "paper_constant",    "paper_interval", "paper_coalesced",
	        "paper_repeated", "paper_uncoalesced", "paper_local"};
	static const unsigned id[RUNS] = {COEFFICIENT_PAPER_WRITE,    COEFFICIENT_PAPER_CONSTANT,
	                                  COEFFICIENT_PAPER_INTERVAL, COEFFICIENT_PAPER_COALESCED,
	                                  COEFFICIENT_PAPER_REPEATED, COEFFICIENT_PAPER_UNCOALESCED,
	                                  COEFFICIENT_PAPER_LOCAL};
	struct bench_run runs[RUNS];
	/* 2^24 work-items read 64 MiB in the first quarter of data and write the second */
	enum status status = bench_grow_data(bench, (size_t)1 << 28, error);
	if (status != STATUS_OK)
		return status;
	size_t items = (size_t)exp2(floor(log2((double)bench->data_bytes / 8)));
	if (items > (size_t)1 << 24)
		items = (size_t)1 << 24;
	cl_buffer_region half = {bench->data_bytes / 2 & ~(size_t)0xffff, items * 4};
	cl_int code;
	cl_mem out = clCreateSubBuffer(bench->data, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
	                               &half, &code);
	if (out == NULL)
		return opencl_failure("clCreateSubBuffer", code, error);
	for (int i = 0; i < RUNS && status == STATUS_OK; i++) {
		runs[i] = (struct bench_run){
		        .groups = items / bench->local,
		        .local = bench->local,
		        .argument = {ARG_MEM(bench->data), ARG_MEM(out), ARG_FLOAT(1)}};
		if (i == UNCOALESCED)
			runs[i].argument[3] = ARG_UINT(items - 1);
		status = bench_kernel(bench, names[i], &runs[i].kernel, error);
	}
	if (status == STATUS_OK)
		status = bench_time(bench, runs, RUNS, error);
	clReleaseMemObject(out);
	if (status != STATUS_OK)
		return status;
	double n = (double)items;
	struct bench_run ids = {.time_s = bench_value(bench, COEFFICIENT_PAPER_BASE_ITEM, 0) * n};
	double sum = 0;
	for (int i = 0; i < RUNS; i++) {
		const struct bench_run *without = i == WRITE      ? &ids
		                                  : i == REPEATED ? &runs[COALESCED]
		                                                  : &runs[WRITE];
		/* local memory is written and read: two accesses */
		bench_set_difference(bench, id[i], &runs[i], without, i == LOCAL ? 2 * n : n);
		if (i >= CONSTANT && i <= UNCOALESCED)
			sum += bench_value(bench, id[i], 0);
	}
	/* without patterns an access costs what it does on average over them */
	bench_set(bench, COEFFICIENT_PAPER_UNCACHED, sum / 5, 0.1);
	return STATUS_OK;
}

enum status calibrate_paper(struct bench *bench, struct error *error)
{
	set_units(bench);
	enum status status = time_base(bench, error);
	if (status == STATUS_OK)
		status = bench_progress(bench, 0.2, error);
	if (status == STATUS_OK)
		status = time_patterns(bench, error);
	return status;
}

static const double operations[] = {1, 2, 4, 8, 16, 32};

enum { COUNTS = sizeof operations / sizeof *operations };

static const struct {
	enum op_class op;
	unsigned paper;
} paper_ops[PAPER_OPS] = {
        {OP_CLASS_ADD, 0}, {OP_CLASS_MUL, 1}, {OP_CLASS_DIV, 2}, {OP_CLASS_MOD, 3}};

static size_t find_chain(enum op_class op, enum type_class type)
{
	for (size_t i = 0; i < op_chain_count; i++)
		if (op_chains[i].op == op && op_chain_has(&op_chains[i], type))
			return i;
	return op_chain_count;
}

/* Steps whose operations come nearest to the count; quick calibrations use fewer counts. */
static unsigned steps_at(const struct bench *bench, size_t chain, int count)
{
	if (bench->is_quick && (count == 1 || count == 3 || count == 4))
		return 0;
	unsigned steps = (unsigned)operations[count] / op_chains[chain].count;
	return steps > 0 ? steps : 1;
}

static void fit_op(struct bench *bench, enum type_class type, unsigned paper,
                   const struct bench_run *base, const struct bench_run *runs, const double *counts,
                   size_t count)
{
	double relative[COUNTS];
	double items = (double)(base->groups * base->local);
	struct saturation fit;
	double one_s = fmax(runs[0].time_s - base->time_s, 0) / counts[0];
	double last_s = fmax(runs[count - 1].time_s - base->time_s, 0) / counts[count - 1];
	double reached = bench_difference_error(&runs[0], base);
	/* where one operation hides in the rest of the kernel, the mean of many stands */
	if (reached > 0.3 || one_s <= 0) {
		one_s = last_s;
		reached = bench_difference_error(&runs[count - 1], base);
	}
	if (!(one_s > 0))
		return;
	for (size_t i = 0; i < count; i++)
		relative[i] = fmax(runs[i].time_s - base->time_s, 1e-3 * one_s) / one_s;
	if (!saturation_fit(counts, relative, count, &fit))
		return;
	const double value[PAPER_COLUMN_COUNT] = {
	        [PAPER_COLUMN_C] = one_s / items, [PAPER_COLUMN_A] = fit.a,
	        [PAPER_COLUMN_B] = fit.b,         [PAPER_COLUMN_K] = fit.k,
	        [PAPER_COLUMN_A2] = fit.a2,       [PAPER_COLUMN_K2] = fit.k2,
	        [PAPER_COLUMN_SAT] = fit.sat};
	for (unsigned i = 0; i < PAPER_COLUMN_COUNT; i++) {
		struct coefficient *to = &bench->device->coefficient[coefficient_paper(
		        type, paper, (enum paper_column)i)];
		if (!isfinite(value[i]))
			return;
		/* the constants of W may be negative */
		*to = (struct coefficient){value[i], fmin(reached, 1), true};
		if (fabs(value[i]) < 1e-30)
			to->value = 0;
	}
}

static enum status time_op(struct bench *bench, enum type_class type, unsigned paper,
                           struct error *error)
{
	size_t chain = find_chain(paper_ops[paper].op, type), count = 0, size = 0;
	struct bench_run runs[COUNTS + 1];
	double counts[COUNTS];
	unsigned steps[COUNTS + 1] = {0};
	char *source = NULL;
	cl_program program = NULL;
	if (chain == op_chain_count)
		return STATUS_OK;
	FILE *to = open_memstream(&source, &size);
	if (to == NULL)
		return error_set(error, STATUS_NO_MEMORY, "the chains' source: out of memory");
	op_source_vector(to, chain, type, 0);
	for (int i = 0; i < COUNTS; i++) {
		unsigned wanted = steps_at(bench, chain, i);
		if (wanted == 0 || (count > 0 && wanted == steps[count]))
			continue;
		counts[count++] = wanted * op_chains[chain].count;
		steps[count] = wanted;
		op_source_vector(to, chain, type, wanted);
	}
	if (fclose(to) != 0) {
		free(source);
		return error_set(error, STATUS_NO_MEMORY, "the chains' source: out of memory");
	}
	enum status status =
	        opencl_build(bench->opencl, source, size, bench->options_text, &program, error);
	free(source);
	size_t made = 0;
	for (; made <= count && status == STATUS_OK; made++) {
		char name[32];
		runs[made] = (struct bench_run){
		        .local = bench->local,
		        .groups = (size_t)(bench->is_gpu ? 1 << 22 : 1 << 20) / bench->local};
		op_arguments(&op_chains[chain], type, bench->scratch, runs[made].argument);
		(void)snprintf(name, sizeof name, "v%zu_%u_%s", chain, steps[made],
		               type_class_name(type));
		status = opencl_kernel(program, name, &runs[made].kernel, error);
		if (status != STATUS_OK)
			break;
	}
	if (status == STATUS_OK)
		status = bench_time(bench, runs, count + 1, error);
	if (status == STATUS_OK && count >= 2)
		fit_op(bench, type, paper, &runs[0], runs + 1, counts, count);
	for (size_t i = 0; i < made; i++)
		clReleaseKernel(runs[i].kernel);
	if (program != NULL)
		clReleaseProgram(program);
	return status;
}

enum status calibrate_paper_op(struct bench *bench, struct error *error)
{
	static const enum type_class types[] = {TYPE_CLASS_FLOAT, TYPE_CLASS_INT, TYPE_CLASS_DOUBLE,
	                                        TYPE_CLASS_LONG};
	int count = bench->is_quick ? 2 : 4;
	enum status status = STATUS_OK;
	for (int i = 0; i < count && status == STATUS_OK; i++) {
		if (types[i] == TYPE_CLASS_DOUBLE && !bench->device->has_double)
			continue;
		for (unsigned op = 0; op < PAPER_OPS && status == STATUS_OK; op++) {
			status = time_op(bench, types[i], op, error);
			if (status == STATUS_OK)
				status = bench_progress(
				        bench, (i + (op + 1.0) / (int)PAPER_OPS) / count, error);
		}
	}
	return status;
}
