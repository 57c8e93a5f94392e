/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What build options change: the chains of calibrate_op.c by a build with the option, beside the
 * same by a build without. Only a difference that stands out of both errors is kept; builds that
 * give the very same binary are not timed.
 */
#include "daemon/calibrator/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/calibrator/op_source.h"

enum { RANK_LAST = 1 }; /* of the chains: what is common */

/* What two builds differ by at least, and how many of their errors that is. */
#define LEAST_DIFFERENCE 0.1
#define ERRORS           3.0

/* How long a kernel is repeated: four of them for every class and option. */
#define PAIR_SHARE_S 0.03

/* The loop of every common chain of floats, by a build with `option` (may be empty). */
struct build {
	cl_program program;
	cl_kernel loop, divide;
};

/*
 * Divisions that no algebra takes apart: y / (y / x), as the chain has it, is x to a compiler
 * that may reassociate. For the same reason additions and products are not compared.
 */
static const char divide[] =
        "kernel void d_float(global float *out, float y, float z, float w, int n, int which,\n"
        "                    uint trips) {\n"
        "  float x = y + get_global_id(0);\n"
        "  for (uint t = 0; t < trips; t++) {\n"
        "    x = y / (x + z); x = w / (x + y); x = z / (x + w); x = y / (x + z);\n"
        "    x = w / (x + y); x = z / (x + w); x = y / (x + z); x = w / (x + y);\n"
        "    x = z / (x + w); x = y / (x + z); x = w / (x + y); x = z / (x + w);\n"
        "    x = y / (x + z); x = w / (x + y); x = z / (x + w); x = y / (x + z);\n"
        "  }\n"
        "  out[get_local_id(0)] = x;\n"
        "}\n";

/*
 * What is not optimised: loops as kernels have them, of reals, of integers and of what they read.
 * One chain would tell how long a store takes until it is loaded again, and no more.
 */
static const char unoptimised[] =
        "kernel void u_0(global float *out, float y, float z, float w, int n, int which,\n"
        "                uint trips) {\n"
        "  float x = y + get_local_id(0);\n"
        "  for (int k = 0; k < 64; k++) x = x * z + w;\n"
        "  out[get_local_id(0)] = x;\n"
        "}\n"
        "kernel void u_1(global float *out, float y, float z, float w, int n, int which,\n"
        "                uint trips) {\n"
        "  int x = n + get_local_id(0);\n"
        "  for (int k = 0; k < 64; k++) x = x * 5 + (x >> 3);\n"
        "  out[get_local_id(0)] = x;\n"
        "}\n"
        "kernel void u_2(global float *out, float y, float z, float w, int n, int which,\n"
        "                uint trips) {\n"
        "  int i = get_local_id(0);\n"
        "  float x = y;\n"
        "  for (int k = 0; k < 64; k++) x += out[(i & 7) * 64 + k];\n"
        "  out[get_local_id(0)] = x;\n"
        "}\n";
/* Operations and accesses of a trip as they are written, with the loop's sum and comparison. */
static const unsigned written[] = {4, 5, 7};
enum { UNOPTIMISED = sizeof written / sizeof *written, UNOPTIMISED_TRIPS = 64 };

static void build_close(struct build *build)
{
	if (build->loop != NULL)
		clReleaseKernel(build->loop);
	if (build->divide != NULL)
		clReleaseKernel(build->divide);
	if (build->program != NULL)
		clReleaseProgram(build->program);
	*build = (struct build){.program = NULL};
}

static enum status build_open(struct bench *bench, const char *option, struct build *build,
                              struct error *error)
{
	char options[160], *source = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&source, &size);
	*build = (struct build){.program = NULL};
	if (to == NULL)
		return error_set(error, STATUS_NO_MEMORY, "the chains' source: out of memory");
	op_source_loop(to, TYPE_CLASS_FLOAT, 0, RANK_LAST, bench->is_gpu);
	(void)fputs(divide, to);
	(void)fputs(unoptimised, to);
	if (fclose(to) != 0) {
		free(source);
		return error_set(error, STATUS_NO_MEMORY, "the chains' source: out of memory");
	}
	(void)snprintf(options, sizeof options, "%s%s%s", bench->options_text,
	               option[0] != '\0' ? " " : "", option);
	enum status status =
	        opencl_build(bench->opencl, source, size, options, &build->program, error);
	if (status == STATUS_OK)
		status = opencl_kernel(build->program, "s_float", &build->loop, error);
	if (status == STATUS_OK)
		status = opencl_kernel(build->program, "d_float", &build->divide, error);
	free(source);
	if (status != STATUS_OK)
		build_close(build);
	return status;
}

/* The binary of a program of one device, on the heap; NULL: it cannot be had. */
static unsigned char *binary_of(cl_program program, size_t *size)
{
	*size = 0;
	if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL) !=
	            CL_SUCCESS ||
	    *size == 0)
		return NULL;
	unsigned char *bytes = malloc(*size);
	if (bytes != NULL && clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes,
	                                      NULL) != CL_SUCCESS) {
		free(bytes);
		bytes = NULL;
	}
	return bytes;
}

static bool is_same(const struct build *a, const struct build *b)
{
	size_t size_a, size_b;
	unsigned char *bytes_a = binary_of(a->program, &size_a);
	unsigned char *bytes_b = binary_of(b->program, &size_b);
	bool same = bytes_a != NULL && bytes_b != NULL && size_a == size_b &&
	            memcmp(bytes_a, bytes_b, size_a) == 0;
	free(bytes_a);
	free(bytes_b);
	return same;
}

/* Seconds of the device for a step of a chain by each build, and the error of either. */
struct pair {
	double plain_s, other_s, error;
};

static enum status time_pair(struct bench *bench, cl_kernel plain, cl_kernel other, size_t index,
                             struct pair *pair, struct error *error)
{
	struct op_loop loop = op_loop_of(&op_chains[index], TYPE_CLASS_FLOAT, bench->is_gpu);
	struct bench_run runs[4] = {
	        {.kernel = plain, .groups = 16 * (size_t)bench->units, .local = bench->local}};
	op_arguments(&op_chains[index], TYPE_CLASS_FLOAT, bench->scratch, runs[0].argument);
	runs[0].argument[5] = ARG_INT(index);
	runs[0].argument[6] = ARG_UINT(loop.trips);
	enum status status =
	        bench->is_gpu
	                ? bench_lengthen_argument(bench, &runs[0], 6, 1u << 20, error)
	                : bench_lengthen_groups(bench, &runs[0], UINT16_MAX / bench->local, error);
	if (status != STATUS_OK)
		return status;
	runs[1] = runs[2] = runs[3] = runs[0];
	runs[2].kernel = runs[3].kernel = other;
	runs[1].argument[6].value.u32 = runs[3].argument[6].value.u32 =
	        bench->is_gpu ? runs[0].argument[6].value.u32 / 4 : loop.fewer;
	status = bench_time(bench, runs, 4, error);
	if (status != STATUS_OK)
		return status;
	double steps = (double)(runs[0].argument[6].value.u32 - runs[1].argument[6].value.u32) *
	               loop.steps * (double)(runs[0].groups * runs[0].local);
	pair->plain_s = fmax(runs[0].time_s - runs[1].time_s, 0) / steps;
	pair->other_s = fmax(runs[2].time_s - runs[3].time_s, 0) / steps;
	pair->error = hypot(bench_difference_error(&runs[0], &runs[1]),
	                    bench_difference_error(&runs[2], &runs[3]));
	return STATUS_OK;
}

/* A device may refuse an option, or be out of time: then it has no price here. */
static bool is_fatal(enum status status)
{
	return status == STATUS_IO || status == STATUS_CANCELLED || status == STATUS_NO_MEMORY;
}

static enum status price_option(struct bench *bench, const struct build *plain,
                                enum build_price price, struct error *error)
{
	char option[64] = "-cl-";
	struct build other;
	(void)snprintf(option, sizeof option, "-cl-%s", build_price_name(price));
	for (char *at = option; *at != '\0'; at++)
		*at = *at == '_' ? '-' : *at;
	enum status status = build_open(bench, option, &other, error);
	if (status != STATUS_OK)
		return is_fatal(status) ? status : STATUS_OK;
	bool differs = !is_same(plain, &other);
	for (size_t i = 0; i < op_chain_count && differs && status == STATUS_OK; i++) {
		const struct op_chain *chain = &op_chains[i];
		struct pair pair;
		bool is_division = chain->op == OP_CLASS_DIV;
		if ((!is_division && !op_class_is_call(chain->op)) ||
		    !op_chain_takes(chain, TYPE_CLASS_FLOAT, 0, RANK_LAST, bench->is_gpu))
			continue;
		status = time_pair(bench, is_division ? plain->divide : plain->loop,
		                   is_division ? other.divide : other.loop, i, &pair, error);
		if (status != STATUS_OK || !(pair.plain_s > 0) || !(pair.other_s > 0))
			continue;
		double ratio = pair.other_s / pair.plain_s;
		if (fabs(log(ratio)) > fmax(LEAST_DIFFERENCE, ERRORS * pair.error))
			bench_set(bench, coefficient_build(price, chain->op), ratio, pair.error);
	}
	build_close(&other);
	return status;
}

/* Of one kernel by both builds: device-seconds of an operation by the other; 0: they are alike. */
static enum status time_unoptimised(struct bench *bench, const struct build *plain,
                                    const struct build *other, unsigned number, double *each_s,
                                    double *deviation, struct error *error)
{
	char name[8];
	struct bench_run runs[2] = {{.groups = 16 * (size_t)bench->units, .local = bench->local}};
	cl_kernel kernels[2] = {NULL, NULL};
	*each_s = 0;
	(void)snprintf(name, sizeof name, "u_%u", number);
	enum status status = opencl_kernel(other->program, name, &kernels[0], error);
	if (status == STATUS_OK)
		status = opencl_kernel(plain->program, name, &kernels[1], error);
	runs[0].kernel = kernels[0];
	op_arguments(&op_chains[0], TYPE_CLASS_FLOAT, bench->scratch, runs[0].argument);
	runs[0].argument[5] = ARG_INT(0);
	runs[0].argument[6] = ARG_UINT(0);
	if (status == STATUS_OK)
		status = bench_lengthen_groups(bench, &runs[0], UINT16_MAX / bench->local, error);
	runs[1] = runs[0];
	runs[1].kernel = kernels[1];
	if (status == STATUS_OK)
		status = bench_time(bench, runs, 2, error);
	if (status == STATUS_OK && runs[1].time_s > 0 &&
	    log(runs[0].time_s / runs[1].time_s) > LEAST_DIFFERENCE) {
		*each_s = runs[0].time_s / ((double)(written[number] * UNOPTIMISED_TRIPS) *
		                            (double)(runs[0].groups * runs[0].local));
		*deviation = runs[0].standard_error;
	}
	for (int i = 0; i < 2; i++)
		if (kernels[i] != NULL)
			clReleaseKernel(kernels[i]);
	return status;
}

/* What an operation takes that goes through memory, since nothing was optimised: the mean. */
static enum status price_unoptimised(struct bench *bench, const struct build *plain,
                                     struct error *error)
{
	struct build other;
	double sum = 0, squares = 0, most = 0;
	unsigned count = 0;
	enum status status = build_open(bench, "-cl-opt-disable", &other, error);
	if (status != STATUS_OK)
		return is_fatal(status) ? status : STATUS_OK;
	bool differs = !is_same(plain, &other);
	for (unsigned i = 0; i < UNOPTIMISED && differs && status == STATUS_OK; i++) {
		double each_s, deviation = 0;
		status = time_unoptimised(bench, plain, &other, i, &each_s, &deviation, error);
		if (status != STATUS_OK || !(each_s > 0))
			continue;
		sum += log(each_s);
		squares += log(each_s) * log(each_s);
		most = fmax(most, deviation);
		count++;
	}
	if (count > 0) {
		double mean = sum / count, variance = fmax(squares / count - mean * mean, 0);
		bench_set(bench, COEFFICIENT_UNOPTIMISED, exp(mean),
		          hypot(most, sqrt(variance / count)));
	}
	build_close(&other);
	return status;
}

enum status calibrate_build(struct bench *bench, struct error *error)
{
	/* the first is what costs most, and all that a quick calibration has time for */
	int count = 1 + (bench->is_quick ? 0 : (int)BUILD_PRICE_COUNT);
	struct build plain = {.program = NULL};
	double share_s = bench->share_s;
	enum status status = STATUS_OK;
	bench->share_s = fmin(share_s, PAIR_SHARE_S);
	for (int i = 0; i < count && status == STATUS_OK; i++) {
		if (!bench_takes(bench))
			continue;
		if (plain.program == NULL)
			status = build_open(bench, "", &plain, error);
		if (status == STATUS_OK)
			status = i == 0 ? price_unoptimised(bench, &plain, error)
			                : price_option(bench, &plain, (enum build_price)(i - 1),
			                               error);
		if (status == STATUS_OK)
			status = bench_progress(bench, (i + 1.0) / count, error);
	}
	bench->share_s = share_s;
	build_close(&plain);
	return status;
}
