/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an operation costs: chains of it against the same kernel without.
 *
 * Straight-line code has work-items as lanes on a CPU; in a loop of unknown
 * length each work-item runs alone. Both are throughput: what a chain waits for
 * itself is exec.latency, and of what is more than one instruction the family chain. On a GPU the
 * two are the same, so the loop alone is timed: with work-items that fill the device, and with one
 * that has it for itself.
 */
#include "daemon/calibrator/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/calibrator/arguments.h"
#include "daemon/calibrator/op_source.h"

enum { RANK_FIRST, RANK_COMMON, RANK_RARE, RANK_AKIN };

/* How long a function is repeated at most of which another one of its kind would tell, too. */
#define AKIN_SHARE_S 0.02

enum { CHAIN_TRIPS = 64 }; /* of a chain that waits for itself, at least */

static size_t type_bytes_of(enum type_class type)
{
	return type == TYPE_CLASS_LONG || type == TYPE_CLASS_DOUBLE ? 8
	       : type == TYPE_CLASS_HALF                            ? 2
	                                                            : 4;
}

static bool has_type(const struct bench *bench, enum type_class type)
{
	return type == TYPE_CLASS_DOUBLE ? bench->device->has_double
	       : type == TYPE_CLASS_HALF ? bench->device->has_half
	                                 : true;
}

static struct bench_argument typed(enum type_class type, double value)
{
	struct bench_argument argument = {.size = type_bytes_of(type)};
	switch (type) {
	case TYPE_CLASS_LONG:
		argument.value.i64 = (cl_long)value;
		break;
	case TYPE_CLASS_DOUBLE:
		argument.value.f64 = value;
		break;
	case TYPE_CLASS_HALF:
		argument.value.u16 = half_bits(value);
		break;
	case TYPE_CLASS_FLOAT:
		argument.value.f32 = (float)value;
		break;
	default:
		argument.value.i32 = (cl_int)value;
	}
	return argument;
}

void op_arguments(const struct op_chain *chain, enum type_class type, cl_mem out,
                  struct bench_argument *argument)
{
	argument[0] = ARG_MEM(out);
	argument[1] = typed(type, chain->y);
	argument[2] = typed(type, chain->z);
	argument[3] = typed(type, chain->w);
	argument[4] = ARG_INT(1);
}

/* Of the shorter of an addition and a product, what passes beside the other. */
static void set_beside(struct bench *bench, enum op_mode mode, enum type_class type, double step_s,
                       double error)
{
	double add_s = bench_value(bench, coefficient_op(mode, type, OP_CLASS_ADD), 0);
	double mul_s = bench_value(bench, coefficient_op(mode, type, OP_CLASS_MUL), 0);
	double shorter_s = fmin(add_s, mul_s);

	if (shorter_s > 0)
		bench_set(bench,
		          mode == OP_MODE_SCALAR ? COEFFICIENT_BESIDE_SCALAR
		                                 : COEFFICIENT_BESIDE_VECTOR,
		          fmin(fmax((add_s + mul_s - step_s) / shorter_s, 0), 1), error);
}

/* Records time_s of all the step's operations, less what else the step holds. */
static void set_op(struct bench *bench, const struct op_chain *chain, enum op_mode mode,
                   enum type_class type, double step_s, double error)
{
	if (chain->op == OP_CLASS_NONE) {
		set_beside(bench, mode, type, step_s, error);
		return;
	}
	double add_s = bench_value(bench, coefficient_op(mode, type, OP_CLASS_ADD), 0);
	double mul_s = bench_value(bench, coefficient_op(mode, type, OP_CLASS_MUL), add_s);
	double bit_s = bench_value(bench, coefficient_op(mode, type, OP_CLASS_BIT), add_s);
	double value = step_s - chain->adds * add_s - chain->muls * mul_s - chain->bits * bit_s;
	/* what overlaps with its companions cost at least a part of the step */
	value = fmax(value, step_s * chain->count /
	                            (chain->count + chain->adds + chain->muls + chain->bits) / 4) /
	        chain->count;
	/* what seems to take far less than any operation hid behind the store of its result */
	if (chain->op != OP_CLASS_ADD && chain->op != OP_CLASS_BIT)
		value = fmax(value, fmin(add_s, bit_s) / 2);
	/* a GPU that is full does its companions meanwhile, on another pipe */
	if (bench->is_gpu && mode == OP_MODE_VECTOR)
		value = step_s / chain->count;
	bench_set(bench, coefficient_op(mode, type, chain->op), value, error);
	if (chain->also != OP_CLASS_NONE)
		bench_set(bench, coefficient_op(mode, type, chain->also), value, error);
	if (chain->op == OP_CLASS_CONVERT && type == TYPE_CLASS_FLOAT)
		/* the way there and the way back: the one to int is counted as int's */
		bench_set(bench, coefficient_op(mode, TYPE_CLASS_INT, OP_CLASS_CONVERT), value,
		          error);
}

/* The same by one work-item: its warp has a scheduler for itself, and waits for results only. */
static enum status time_loop_alone(struct bench *bench, const struct bench_run *full, size_t index,
                                   enum type_class type, struct error *error)
{
	struct bench_run runs[2] = {*full, *full};
	runs[0].groups = runs[0].local = 1;
	runs[0].argument[6] = ARG_UINT(16);
	double more;
	enum status status = bench_time_trips(bench, runs, 6, 1u << 20, &more, error);
	if (status != STATUS_OK)
		return status;
	set_op(bench, &op_chains[index], OP_MODE_SCALAR, type,
	       fmax(runs[0].time_s - runs[1].time_s, 0) /
	               (more * op_loop_of(&op_chains[index], type, bench->is_gpu).steps),
	       bench_difference_error(&runs[0], &runs[1]));
	return STATUS_OK;
}

/* Seconds of a step that waits for the one before, less what its companions make it wait. */
static void set_chain(struct bench *bench, const struct op_chain *chain, enum type_class type,
                      double step_s, double error)
{
	double add_s = bench_value(bench, COEFFICIENT_FLOAT_LATENCY, 0);
	double mul_s = bench_value(bench, COEFFICIENT_MUL_LATENCY, add_s);
	double value = step_s - chain->adds * add_s - chain->muls * mul_s;

	value = fmax(value, step_s * chain->count / (chain->count + chain->adds + chain->muls) / 4);
	if (chain->op == OP_CLASS_CONVERT) /* there and back; both results of sincos come at once */
		value /= chain->count;
	bench_set(bench, coefficient_chain(type, chain->op), value, error);
	if (chain->op == OP_CLASS_CONVERT && type == TYPE_CLASS_FLOAT)
		bench_set(bench, coefficient_chain(TYPE_CLASS_INT, chain->op), value, error);
}

/*
 * What a CPU waits for one call, or one division, that needs the one before: the same kernel as
 * for throughput, by one unit, whose work-items go round so often that few are under way at once.
 */
static enum status time_chain(struct bench *bench, const struct bench_run *full, size_t index,
                              enum type_class type, struct error *error)
{
	struct op_loop loop = op_loop_of(&op_chains[index], type, bench->is_gpu);
	double share_s = bench->share_s, more, unit_s;
	struct bench_run runs[2] = {*full, *full};
	enum status status;

	if (loop.chains != 1 || op_chains[index].op == OP_CLASS_NONE)
		return STATUS_OK;
	runs[0].groups = 1;
	runs[0].rows = 0;
	runs[0].argument[6] = ARG_UINT(CHAIN_TRIPS);
	bench->share_s = fmin(share_s, AKIN_SHARE_S);
	status = bench_time_trips(bench, runs, 6, 1u << 20, &more, error);
	bench->share_s = share_s;
	if (status != STATUS_OK)
		return status;
	unit_s = fmax(runs[0].time_s - runs[1].time_s, 0) *
	         (bench->has_cpu_clock ? bench->units : 1);
	set_chain(bench, &op_chains[index], type,
	          unit_s / (more * loop.steps * (double)runs[0].local),
	          bench_difference_error(&runs[0], &runs[1]));
	return STATUS_OK;
}

static enum status time_loop(struct bench *bench, cl_kernel kernel, size_t index,
                             enum type_class type, struct error *error)
{
	const struct op_chain *chain = &op_chains[index];
	struct op_loop loop = op_loop_of(chain, type, bench->is_gpu);
	struct bench_run runs[2];
	enum status status;
	/*
	 * A GPU is filled by work-items. A CPU overlaps the chains of work-items that
	 * follow each other, as long as they are short.
	 */
	runs[0] = (struct bench_run){
	        .kernel = kernel, .groups = 16 * (size_t)bench->units, .local = bench->local};
	op_arguments(chain, type, bench->scratch, runs[0].argument);
	runs[0].argument[5] = ARG_INT(index);
	runs[0].argument[6] = ARG_UINT(loop.trips);
	if (bench->is_gpu)
		status = bench_lengthen_argument(bench, &runs[0], 6, 1u << 20, error);
	else
		/* larger ones PoCL compiles anew, and this kernel is its longest */
		status = bench_lengthen_groups(bench, &runs[0], UINT16_MAX / bench->local, error);
	/* but rows of them, which many units need to be busy for longer than it takes to begin */
	if (status == STATUS_OK && !bench->is_gpu)
		status = bench_lengthen_rows(bench, &runs[0], 256, error);
	if (status != STATUS_OK)
		return status;
	runs[1] = runs[0];
	runs[1].argument[6].value.u32 =
	        bench->is_gpu ? runs[0].argument[6].value.u32 / 4 : loop.fewer;
	status = bench_time(bench, runs, 2, error);
	if (status != STATUS_OK)
		return status;
	double steps =
	        (double)(runs[0].argument[6].value.u32 - runs[1].argument[6].value.u32) *
	        loop.steps *
	        (double)(runs[0].groups * runs[0].local * (runs[0].rows > 0 ? runs[0].rows : 1));
	double step_s = fmax(runs[0].time_s - runs[1].time_s, 0) / steps;
	double reached = bench_difference_error(&runs[0], &runs[1]);
	set_op(bench, chain, bench->is_gpu ? OP_MODE_VECTOR : OP_MODE_SCALAR, type, step_s,
	       reached);
	return bench->is_gpu ? time_loop_alone(bench, &runs[0], index, type, error)
	                     : time_chain(bench, &runs[0], index, type, error);
}

static enum status time_vector(struct bench *bench, cl_kernel kernel, const struct bench_run *base,
                               size_t index, enum type_class type, struct error *error)
{
	const struct op_chain *chain = &op_chains[index];
	struct bench_run runs[2] = {*base, *base};
	runs[0].kernel = kernel;
	op_arguments(chain, type, bench->scratch, runs[0].argument);
	enum status status = bench_lengthen_groups(bench, &runs[0], (size_t)1 << 20, error);
	runs[1].groups = runs[0].groups;
	if (status == STATUS_OK)
		status = bench_time(bench, runs, 2, error);
	if (status != STATUS_OK)
		return status;
	double steps = op_straight_steps(chain) * (double)(runs[0].groups * runs[0].local);
	set_op(bench, chain, OP_MODE_VECTOR, type, fmax(runs[0].time_s - runs[1].time_s, 0) / steps,
	       bench_difference_error(&runs[0], &runs[1]));
	return STATUS_OK;
}

/* The source of every chain of a type and of ranks low to high. */
static char *type_source(const struct bench *bench, enum type_class type, unsigned low,
                         unsigned high, size_t *size)
{
	char *source = NULL;
	FILE *to = open_memstream(&source, size);
	if (to == NULL)
		return NULL;
	op_source_loop(to, type, low, high, bench->is_gpu);
	for (size_t i = 0; i < op_chain_count && !bench->is_gpu; i++) {
		const struct op_chain *chain = &op_chains[i];
		if (!op_chain_takes(chain, type, 0, high, bench->is_gpu))
			continue;
		if (chain->op == OP_CLASS_ADD)
			op_source_vector(to, i, type, 0);
		if (chain->rank >= low)
			op_source_vector(to, i, type, op_straight_steps(chain));
	}
	if (fclose(to) != 0) {
		free(source);
		return NULL;
	}
	return source;
}

static enum status make_kernel(cl_program program, size_t index, unsigned steps,
                               enum type_class type, cl_kernel *kernel, struct error *error)
{
	char name[32];
	(void)snprintf(name, sizeof name, "v%zu_%u_%s", index, steps, type_class_name(type));
	return opencl_kernel(program, name, kernel, error);
}

/* Straight-line code first: it is what most kernels are. */
static enum status time_chains(struct bench *bench, cl_program program, enum type_class type,
                               unsigned low, unsigned high, double from, double to,
                               struct error *error)
{
	char name[16];
	cl_kernel loop = NULL, bare = NULL, kernel = NULL;
	/* so many at least that a driver compiles for many */
	struct bench_run base = {.groups = (1u << 16) / bench->local * (bench->is_quick ? 1 : 4),
	                         .local = bench->local};
	enum status status = STATUS_OK;
	(void)snprintf(name, sizeof name, "s_%s", type_class_name(type));
	status = opencl_kernel(program, name, &loop, error);
	for (size_t i = 0; i < op_chain_count && status == STATUS_OK; i++) {
		const struct op_chain *chain = &op_chains[i];
		if (!op_chain_takes(chain, type, 0, high, bench->is_gpu))
			continue;
		if (!bench->is_gpu && bare == NULL && chain->op == OP_CLASS_ADD) {
			status = make_kernel(program, i, 0, type, &bare, error);
			base.kernel = bare;
			op_arguments(chain, type, bench->scratch, base.argument);
		}
		if (chain->rank < low || status != STATUS_OK)
			continue;
		if (!bench->is_gpu) {
			status = make_kernel(program, i, op_straight_steps(chain), type, &kernel,
			                     error);
			if (status == STATUS_OK)
				status = time_vector(bench, kernel, &base, i, type, error);
			if (kernel != NULL)
				clReleaseKernel(kernel);
			kernel = NULL;
		}
		if (status == STATUS_OK)
			status = time_loop(bench, loop, i, type, error);
		if (status == STATUS_OK)
			status = bench_progress(bench,
			                        from + (to - from) * (double)(i + 1) /
			                                        (double)op_chain_count,
			                        error);
	}
	if (bare != NULL)
		clReleaseKernel(bare);
	if (loop != NULL)
		clReleaseKernel(loop);
	return status;
}

static enum status time_type(struct bench *bench, enum type_class type, unsigned low, unsigned high,
                             double from, double to, struct error *error)
{
	cl_program program = NULL;
	size_t size = 0;
	char *source = type_source(bench, type, low, high, &size);
	if (source == NULL)
		return error_set(error, STATUS_NO_MEMORY, "the chains' source: out of memory");
	enum status status =
	        opencl_build(bench->opencl, source, size, bench->options_text, &program, error);
	if (status == STATUS_OK)
		status = time_chains(bench, program, type, low, high, from, to, error);
	if (program != NULL)
		clReleaseProgram(program);
	free(source);
	return status;
}

struct part {
	enum type_class type;
	unsigned low, high; /* ranks */
};

static enum status time_parts(struct bench *bench, const struct part *parts, int count,
                              struct error *error)
{
	enum status status = STATUS_OK;
	double share_s = bench->share_s;
	for (int i = 0; i < count && status == STATUS_OK; i++) {
		if (!has_type(bench, parts[i].type) || !bench_takes(bench))
			continue;
		if (parts[i].low == RANK_AKIN)
			bench->share_s = fmin(share_s, AKIN_SHARE_S);
		status = time_type(bench, parts[i].type, parts[i].low, parts[i].high,
		                   (double)i / count, (i + 1.0) / count, error);
		bench->share_s = share_s;
	}
	return status;
}

enum status calibrate_op_first(struct bench *bench, struct error *error)
{
	static const struct part part = {TYPE_CLASS_FLOAT, RANK_FIRST, RANK_FIRST};
	return time_parts(bench, &part, 1, error);
}

enum status calibrate_op_main(struct bench *bench, struct error *error)
{
	static const struct part parts[] = {{TYPE_CLASS_FLOAT, RANK_FIRST, RANK_FIRST},
	                                    {TYPE_CLASS_INT, RANK_FIRST, RANK_FIRST}};
	return time_parts(bench, parts, 2, error);
}

enum status calibrate_op_common(struct bench *bench, struct error *error)
{
	static const struct part parts[] = {{TYPE_CLASS_FLOAT, RANK_COMMON, RANK_COMMON},
	                                    {TYPE_CLASS_INT, RANK_COMMON, RANK_COMMON}};
	return time_parts(bench, parts, 2, error);
}

enum status calibrate_op_more(struct bench *bench, struct error *error)
{
	static const struct part parts[] = {{TYPE_CLASS_DOUBLE, RANK_FIRST, RANK_FIRST},
	                                    {TYPE_CLASS_LONG, RANK_FIRST, RANK_COMMON},
	                                    {TYPE_CLASS_DOUBLE, RANK_COMMON, RANK_COMMON},
	                                    {TYPE_CLASS_HALF, RANK_FIRST, RANK_COMMON},
	                                    {TYPE_CLASS_FLOAT, RANK_RARE, RANK_RARE},
	                                    {TYPE_CLASS_INT, RANK_RARE, RANK_RARE},
	                                    {TYPE_CLASS_DOUBLE, RANK_RARE, RANK_RARE},
	                                    {TYPE_CLASS_LONG, RANK_RARE, RANK_RARE},
	                                    {TYPE_CLASS_HALF, RANK_RARE, RANK_RARE},
	                                    {TYPE_CLASS_FLOAT, RANK_AKIN, RANK_AKIN},
	                                    {TYPE_CLASS_DOUBLE, RANK_AKIN, RANK_AKIN},
	                                    {TYPE_CLASS_HALF, RANK_AKIN, RANK_AKIN}};
	return time_parts(bench, parts, sizeof parts / sizeof *parts, error);
}
