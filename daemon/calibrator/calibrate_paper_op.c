/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paper's t_op = W(n) c n_WI of the basic operations (equation 5, section
 * 2.4): kernels with 1 to 32 operations against the same kernel with none.
 */
#include "daemon/calibrator/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/calibrator/op_source.h"
#include "daemon/calibrator/saturation.h"

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
	double cost[COUNTS], whole[COUNTS];
	double items = (double)(base->groups * base->local);
	struct saturation fit;
	/* c is the mean of many: where one operation hides in the rest of the kernel, W says so */
	double one_s = (runs[count - 1].time_s - base->time_s) / counts[count - 1];
	double reached = bench_difference_error(&runs[count - 1], base);
	if (!(one_s > 0))
		return;
	for (size_t i = 0; i < count; i++) {
		cost[i] = fmax(runs[i].time_s - base->time_s, 0) / one_s;
		whole[i] = runs[i].time_s / one_s;
	}
	if (!saturation_fit(counts, cost, whole, count, &fit))
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
		status = bench_lengthen_groups(bench, &runs[0], (size_t)1 << 18, error);
	for (size_t i = 1; i <= count; i++)
		runs[i].groups = runs[0].groups;
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
