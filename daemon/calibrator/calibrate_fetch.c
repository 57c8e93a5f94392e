/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a GPU's warp waits for its instructions: a loop whose body does not fit into a cache of
 * instructions fetches it anew in each iteration, since the last one dropped what comes first.
 * One warp a unit, bodies that grow, and what an instruction takes in each.
 */
#include "daemon/calibrator/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Instructions of the bodies: powers of two, and half between; larger ones take long to compile. */
static const unsigned bodies[] = {1024, 2048, 3072, 4096, 6144, 8192, 12288};

enum {
	BODIES = sizeof bodies / sizeof *bodies,
	CHAINS = 8,    /* that do not wait for each other */
	LINE = 16,     /* instructions on a line of the source */
	ISSUED = 65536 /* instructions of the first launch */
};

/* An instruction that takes so much more is fetched from further away. */
#define STEP 1.25

/* A driver that takes so long to compile a body has larger ones left out. */
#define BUILD_MOST_S 4.0

/* How long a body is repeated. */
#define BODY_SHARE_S 0.02

static enum status body_open(struct bench *bench, unsigned instructions, cl_program *program,
                             cl_kernel *kernel, struct error *error)
{
	char name[16], *source = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&source, &size);

	*program = NULL;
	*kernel = NULL;
	if (to == NULL)
		return error_set(error, STATUS_NO_MEMORY, "a body's source: out of memory");
	(void)snprintf(name, sizeof name, "body_%u", instructions);
	(void)fprintf(to,
	              "kernel void body_%u(global float *out, float y, float z, uint trips)\n{\n",
	              instructions);
	for (unsigned i = 0; i < CHAINS; i++)
		(void)fprintf(to, "float x%u = get_global_id(0) * y + %u;\n", i, i);
	(void)fprintf(to, "for (uint t = 0; t < trips; t++) {\n");
	for (unsigned i = 0; i < instructions; i++)
		(void)fprintf(to, "x%u=fma(x%u,y,z);%s", i % CHAINS, i % CHAINS,
		              i % LINE == LINE - 1 ? "\n" : "");
	(void)fprintf(to, "}\nout[get_local_id(0)] = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7;\n}\n");
	enum status status = STATUS_OK;
	if (fclose(to) != 0)
		status = error_set(error, STATUS_NO_MEMORY, "a body's source: out of memory");
	if (status == STATUS_OK)
		status = opencl_build(bench->opencl, source, size, bench->options_text, program,
		                      error);
	if (status == STATUS_OK)
		status = opencl_kernel(*program, name, kernel, error);
	free(source);
	return status;
}

/* Seconds of an instruction of a warp that has a unit to itself. */
static enum status time_body(struct bench *bench, unsigned instructions, double *each_s,
                             double *deviation, struct error *error)
{
	cl_program program;
	cl_kernel kernel;
	struct bench_run runs[2];
	double more;
	enum status status = body_open(bench, instructions, &program, &kernel, error);

	runs[0] = (struct bench_run){
	        .kernel = kernel,
	        .groups = (size_t)bench->units,
	        .local = (size_t)bench_value(bench, COEFFICIENT_WARP_ITEMS, 32),
	        .argument = {ARG_MEM(bench->scratch), ARG_FLOAT(0.5), ARG_FLOAT(1.25),
	                     ARG_UINT(fmax(ISSUED / instructions, 4))}};
	if (status == STATUS_OK)
		status = bench_time_trips(bench, runs, 3, 1u << 16, &more, error);
	if (status == STATUS_OK) {
		*each_s = fmax(0, runs[0].time_s - runs[1].time_s) / (more * instructions);
		*deviation = bench_difference_error(&runs[0], &runs[1]);
	}
	if (kernel != NULL)
		clReleaseKernel(kernel);
	if (program != NULL)
		clReleaseProgram(program);
	return status;
}

/* Where instructions come from, nearest first: bodies up to which they do, and what each takes. */
static void set_levels(struct bench *bench, const double *each_s, const double *deviation,
                       unsigned count)
{
	static const unsigned ids[][2] = {{COEFFICIENT_FETCH_NEAR_ROOM, COEFFICIENT_FETCH_NEAR},
	                                  {COEFFICIENT_FETCH_FAR_ROOM, COEFFICIENT_FETCH_FAR}};
	unsigned from = 0;

	for (unsigned level = 0; level < 2; level++) {
		unsigned at = from;
		while (at < count && each_s[at] <= STEP * each_s[from])
			at++;
		if (at == count || at == from)
			return; /* all bodies fit */
		/* the first beyond may yet be in part within */
		from = at + 1 < count ? at + 1 : at;
		bench_set(bench, ids[level][0], bodies[at - 1], 0);
		bench_set(bench, ids[level][1], each_s[from], deviation[from]);
	}
}

enum status calibrate_fetch(struct bench *bench, struct error *error)
{
	double each_s[BODIES] = {0}, deviation[BODIES] = {0}, share_s = bench->share_s;
	unsigned count = 0;
	enum status status = STATUS_OK;

	bench->share_s = fmin(share_s, BODY_SHARE_S);
	while (bench->is_gpu && count < BODIES && status == STATUS_OK) {
		double begin_s = clock_now_s();
		if (bench_takes(bench))
			status = time_body(bench, bodies[count], &each_s[count], &deviation[count],
			                   error);
		if (status == STATUS_OK)
			status = bench_progress(bench, ++count / (double)BODIES, error);
		if (clock_now_s() - begin_s > BUILD_MOST_S)
			break;
	}
	bench->share_s = share_s;
	if (!bench->is_rehearsal)
		set_levels(bench, each_s, deviation, count);
	return status;
}
