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

/* Operations in a kernel; of the last a quick calibration knows the cost already. */
static const unsigned operations[] = {1, 4, 32, 2, 8, 16};

#define CURVE_SHARE_S 0.05

enum { COUNTS = sizeof operations / sizeof *operations, QUICK_COUNTS = 2 };

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

/* Numbers of steps of a chain, growing, and of operations; their count. */
static size_t list_steps(const struct bench *bench, const struct op_chain *chain,
                         unsigned steps[COUNTS])
{
	size_t count = 0;
	for (unsigned wanted = 1; wanted <= 32; wanted *= 2) {
		bool is_listed = false;
		for (int i = 0; i < (bench->is_quick ? QUICK_COUNTS : COUNTS); i++)
			is_listed |= operations[i] == wanted;
		if (is_listed && wanted % chain->count == 0)
			steps[count++] = wanted / chain->count;
		else if (is_listed && wanted == 1)
			steps[count++] = 1;
	}
	/* two operations a step: 1 and 2 are the same kernel */
	if (count > 1 && steps[1] == steps[0]) {
		for (size_t i = 1; i + 1 < count; i++)
			steps[i] = steps[i + 1];
		count--;
	}
	return count;
}

static void fit_op(struct bench *bench, enum type_class type, unsigned paper, double base_s,
                   double items, const double *time_s, const double *counts, size_t count,
                   double reached)
{
	double cost[COUNTS + 1], whole[COUNTS + 1];
	struct saturation fit;
	/* c is the mean of many: where one operation hides in the rest of the kernel, W says so */
	double one_s = (time_s[count - 1] - base_s) / counts[count - 1];
	if (!(one_s > 0))
		return;
	for (size_t i = 0; i < count; i++) {
		cost[i] = fmax(time_s[i] - base_s, 0) / one_s;
		whole[i] = time_s[i] / one_s;
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

static enum status time_op(struct bench *bench, cl_program program, enum type_class type,
                           unsigned paper, const struct bench_run *base, struct error *error)
{
	size_t index = find_chain(paper_ops[paper].op, type);
	const struct op_chain *chain = &op_chains[index];
	struct bench_run runs[COUNTS + 1] = {*base};
	unsigned steps[COUNTS];
	double counts[COUNTS + 1], time_s[COUNTS + 1];
	size_t count = list_steps(bench, chain, steps), made = 0;
	enum status status = STATUS_OK;
	for (; made < count && status == STATUS_OK; made++) {
		struct bench_run *run = &runs[made + 1];
		char name[32];
		*run = *base;
		op_arguments(chain, type, bench->scratch, run->argument);
		(void)snprintf(name, sizeof name, "v%zu_%u_%s", index, steps[made],
		               type_class_name(type));
		status = opencl_kernel(program, name, &run->kernel, error);
		if (status != STATUS_OK)
			break;
	}
	if (status == STATUS_OK)
		status = bench_time(bench, runs, count + 1, error);
	if (status == STATUS_OK) {
		double items = (double)(base->groups * base->local);
		double reached = bench_difference_error(&runs[count], &runs[0]);
		for (size_t i = 0; i < count; i++) {
			counts[i] = steps[i] * chain->count;
			time_s[i] = runs[i + 1].time_s;
		}
		const struct coefficient *many = &bench->device->coefficient[coefficient_op(
		        OP_MODE_VECTOR, type, paper_ops[paper].op)];
		if (bench->is_quick && many->is_known) {
			counts[count] = chain->steps * chain->count;
			time_s[count] = runs[0].time_s + counts[count] * many->value * items;
			reached = many->standard_error;
			count++;
		}
		if (count >= 2)
			fit_op(bench, type, paper, runs[0].time_s, items, time_s, counts, count,
			       reached);
	}
	for (size_t i = 0; i < made; i++)
		clReleaseKernel(runs[i + 1].kernel);
	return status;
}

/* Kernels of all operations of a type, and the one without any. */
static char *type_source(const struct bench *bench, enum type_class type, size_t *size)
{
	char *source = NULL;
	FILE *to = open_memstream(&source, size);
	if (to == NULL)
		return NULL;
	op_source_vector(to, find_chain(OP_CLASS_ADD, type), type, 0);
	for (unsigned paper = 0; paper < PAPER_OPS; paper++) {
		size_t index = find_chain(paper_ops[paper].op, type);
		unsigned steps[COUNTS];
		size_t count =
		        index < op_chain_count ? list_steps(bench, &op_chains[index], steps) : 0;
		for (size_t i = 0; i < count; i++)
			op_source_vector(to, index, type, steps[i]);
	}
	if (fclose(to) != 0) {
		free(source);
		return NULL;
	}
	return source;
}

static enum status time_type(struct bench *bench, enum type_class type, double from, double to,
                             struct error *error)
{
	size_t size = 0, add = find_chain(OP_CLASS_ADD, type);
	cl_program program = NULL;
	struct bench_run base = {.groups =
	                                 (size_t)(bench->is_gpu ? 1 << 22 : 1 << 20) / bench->local,
	                         .local = bench->local};
	char name[32], *source = type_source(bench, type, &size);
	if (source == NULL)
		return error_set(error, STATUS_NO_MEMORY, "the chains' source: out of memory");
	enum status status =
	        opencl_build(bench->opencl, source, size, bench->options_text, &program, error);
	free(source);
	(void)snprintf(name, sizeof name, "v%zu_0_%s", add, type_class_name(type));
	if (status == STATUS_OK)
		status = opencl_kernel(program, name, &base.kernel, error);
	op_arguments(&op_chains[add], type, bench->scratch, base.argument);
	if (status == STATUS_OK)
		/* on a CPU the longest, of as many groups, take a thousand times as long */
		status = bench_lengthen_groups(bench, &base,
		                               (size_t)1 << (bench->is_gpu     ? 18
		                                             : bench->is_quick ? 14
		                                                               : 16),
		                               error);
	for (unsigned paper = 0; paper < PAPER_OPS && status == STATUS_OK; paper++) {
		if (find_chain(paper_ops[paper].op, type) == op_chain_count)
			continue;
		status = time_op(bench, program, type, paper, &base, error);
		if (status == STATUS_OK)
			status = bench_progress(
			        bench, from + (to - from) * (paper + 1.0) / (double)PAPER_OPS,
			        error);
	}
	if (base.kernel != NULL)
		clReleaseKernel(base.kernel);
	if (program != NULL)
		clReleaseProgram(program);
	return status;
}

enum status calibrate_paper_op(struct bench *bench, struct error *error)
{
	static const enum type_class types[] = {TYPE_CLASS_FLOAT, TYPE_CLASS_INT, TYPE_CLASS_DOUBLE,
	                                        TYPE_CLASS_LONG};
	int count = bench->is_quick ? 2 : 4;
	double share_s = bench->share_s;
	enum status status = STATUS_OK;
	/* a curve is fitted to many times: none has to be as sure as a coefficient */
	bench->share_s = fmin(share_s, CURVE_SHARE_S);
	for (int i = 0; i < count && status == STATUS_OK; i++)
		if ((types[i] != TYPE_CLASS_DOUBLE || bench->device->has_double) &&
		    bench_takes(bench))
			status = time_type(bench, types[i], (double)i / count, (i + 1.0) / count,
			                   error);
	bench->share_s = share_s;
	return status;
}
