/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune_online [LAUNCHES]: a program that smooths an array again and again, and tunes its kernel
 * while it works. The kernel has 24 variants: how many elements a work-item computes, the size of a
 * work-group, and whether a work-item's elements lie side by side or a group's width apart.
 *
 * Each launch asks predictd's tuner which variant to run, and reports what that took. A variant is
 * built when it is first proposed, and its result is compared with the host's. The choice is kept
 * in the daemon at the end, so that the next start begins with it. Without a daemon the program
 * works as well: variants are then tried in their order.
 *
 * cc tune_online.c $(pkg-config --cflags --libs predictd) -lOpenCL -lm -o tune_online
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <math.h>
#include <predictd.h>
#include <predictd_opencl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 1 << 18, WORKS = 4, GROUPS = 3, ORDERS = 2, VARIANTS = WORKS * GROUPS * ORDERS };

static const char source_text[] =
        "kernel void smooth(global const float *in, global float *out, int n)\n"
        "{\n"
        "	for (int j = 0; j < WORK; j++) {\n"
        "#if APART\n"
        "		int i = get_group_id(0) * GROUP * WORK + j * GROUP + get_local_id(0);\n"
        "#else\n"
        "		int i = get_global_id(0) * WORK + j;\n"
        "#endif\n"
        "		float left = in[max(i - 1, 0)], right = in[min(i + 1, n - 1)];\n"
        "		out[i] = 0.25f * left + 0.5f * in[i] + 0.25f * right;\n"
        "	}\n"
        "}\n";

struct variant {
	size_t work, group, apart;
	char options[64];
	cl_kernel kernel; /* NULL: not built yet */
};

static const size_t works[WORKS] = {1, 2, 4, 8}, groups[GROUPS] = {16, 64, 256};
static struct variant variants[VARIANTS];
static uint16_t values[VARIANTS * 3]; /* which of its values each of three parameters has */
static float input[ITEMS], output[ITEMS], expected[ITEMS];

static cl_device_id device;
static char device_key[PREDICTD_KEY_BYTES];
static cl_context context;
static cl_command_queue queue;
static cl_mem in, out;

static void must(cl_int status, const char *what)
{
	if (status == CL_SUCCESS)
		return;
	(void)fprintf(stderr, "tune_online: %s: OpenCL's error %d\n", what, status);
	exit(EXIT_FAILURE);
}

/* ---- the program --------------------------------------------------------------------------- */

static void variants_list(void)
{
	for (size_t i = 0; i < VARIANTS; i++) {
		struct variant *variant = &variants[i];
		uint16_t *value = values + 3 * i;
		value[0] = (uint16_t)(i % WORKS);
		value[1] = (uint16_t)(i / WORKS % GROUPS);
		value[2] = (uint16_t)(i / WORKS / GROUPS);
		variant->work = works[value[0]];
		variant->group = groups[value[1]];
		variant->apart = value[2];
		(void)snprintf(variant->options, sizeof variant->options,
		               "-DWORK=%zu -DGROUP=%zu -DAPART=%zu", variant->work, variant->group,
		               variant->apart);
	}
}

static void device_open(void)
{
	static predictd_opencl_devices here;
	cl_int status;
	if (predictd_opencl_list(&here) != PREDICTD_OK || here.count == 0) {
		(void)fprintf(stderr, "tune_online: no OpenCL device is here\n");
		exit(EXIT_FAILURE);
	}
	device = here.devices[0];
	(void)snprintf(device_key, sizeof device_key, "%s", here.keys[0]);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
	must(status, "context");
	queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
	must(status, "queue");
	for (size_t i = 0; i < ITEMS; i++)
		input[i] = (float)(i * 37 % 101);
	for (size_t i = 0; i < ITEMS; i++)
		expected[i] = 0.25F * input[i > 0 ? i - 1 : 0] + 0.5F * input[i] +
		              0.25F * input[i + 1 < ITEMS ? i + 1 : i];
	in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof input, input,
	                    &status);
	must(status, "buffer");
	out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof output, NULL, &status);
	must(status, "buffer");
}

static void device_close(void)
{
	for (size_t i = 0; i < VARIANTS; i++)
		if (variants[i].kernel != NULL)
			must(clReleaseKernel(variants[i].kernel), "release");
	must(clReleaseMemObject(in), "release");
	must(clReleaseMemObject(out), "release");
	must(clReleaseCommandQueue(queue), "release");
	must(clReleaseContext(context), "release");
}

static bool variant_build(struct variant *variant)
{
	const char *text = source_text;
	const cl_int items = ITEMS;
	cl_int status;
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
	must(status, "program");
	if (clBuildProgram(program, 1, &device, variant->options, NULL, NULL) == CL_SUCCESS)
		variant->kernel = clCreateKernel(program, "smooth", NULL);
	must(clReleaseProgram(program), "release");
	return variant->kernel != NULL &&
	       clSetKernelArg(variant->kernel, 0, sizeof(cl_mem), &in) == CL_SUCCESS &&
	       clSetKernelArg(variant->kernel, 1, sizeof(cl_mem), &out) == CL_SUCCESS &&
	       clSetKernelArg(variant->kernel, 2, sizeof items, &items) == CL_SUCCESS;
}

static bool is_right(void)
{
	must(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof output, output, 0, NULL, NULL),
	     "download");
	for (size_t i = 0; i < ITEMS; i++)
		if (!(fabsf(output[i] - expected[i]) <= 1e-4F))
			return false;
	return true;
}

/* One launch; the seconds that it took, INFINITY: it failed. */
static double variant_run(struct variant *variant)
{
	const size_t global = ITEMS / variant->work, local = variant->group;
	cl_ulong start_ns = 0, end_ns = 0;
	cl_event event;
	if (variant->kernel == NULL && !variant_build(variant))
		return (double)INFINITY;
	if (clEnqueueNDRangeKernel(queue, variant->kernel, 1, NULL, &global, &local, 0, NULL,
	                           &event) != CL_SUCCESS)
		return (double)INFINITY;
	cl_int status = clWaitForEvents(1, &event);
	must(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start_ns, &start_ns,
	                             NULL),
	     "start");
	must(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end_ns, &end_ns, NULL),
	     "end");
	must(clReleaseEvent(event), "release");
	/* a clock of few digits may have seen nothing */
	return status == CL_SUCCESS ? 1e-9 * (double)(end_ns > start_ns ? end_ns - start_ns : 1)
	                            : (double)INFINITY;
}

/* ---- predictd ------------------------------------------------------------------------------ */

/* Refused for what the variant itself is: it could not run. */
static bool is_own_fault(predictd_status status)
{
	return status == PREDICTD_INVALID || status == PREDICTD_UNSUPPORTED ||
	       status == PREDICTD_LIMIT || status == PREDICTD_SYNTAX;
}

/* What each variant is predicted to take; NAN where nobody knows, INFINITY where it cannot run. */
static void variants_predict(predictd_connection *connection, double *predicted_s)
{
	const predictd_argument arguments[] = {
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_READ, .size_bytes = sizeof input},
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_WRITE, .size_bytes = sizeof output},
	        {.kind = PREDICTD_SCALAR, .type = "int", .integers = {ITEMS}},
	};
	for (size_t i = 0; i < VARIANTS; i++) {
		const predictd_source source = {.name = "smooth.cl",
		                                .text = source_text,
		                                .size = strlen(source_text),
		                                .options = variants[i].options};
		predictd_program *program = NULL;
		predictd_estimate estimate;
		predictd_status status = predictd_register(connection, &source, &program);
		const predictd_question question = {.program = program,
		                                    .device = device_key,
		                                    .dimensions = 1,
		                                    .global = {ITEMS / variants[i].work},
		                                    .local = {variants[i].group},
		                                    .argument_count = 3,
		                                    .arguments = arguments};
		if (status == PREDICTD_OK)
			status = predictd_predict_into(connection, &question, &estimate);
		predicted_s[i] = status == PREDICTD_OK  ? estimate.kernel_time_s
		                 : is_own_fault(status) ? (double)INFINITY
		                                        : (double)NAN;
		if (status != PREDICTD_OK && i == 0)
			(void)printf("not predicted: %s\n", predictd_error_text());
		predictd_program_free(program);
	}
}

/* What a choice is of: another source is another kernel. */
static void choice_name(char *name, size_t size)
{
	uint32_t hash = 2166136261; /* FNV-1a */
	for (const char *at = source_text; *at != '\0'; at++)
		hash = (hash ^ (unsigned char)*at) * 16777619;
	(void)snprintf(name, size, "tune_online: smooth, %08x", hash);
}

static predictd_tuner *tuner_begin(predictd_connection *connection, const predictd_choice *choice)
{
	double predicted_s[VARIANTS];
	predictd_tuner *tuner = NULL;
	const predictd_tuning tuning = {.size = sizeof tuning,
	                                .parameter_count = 3,
	                                .configuration_count = VARIANTS,
	                                .values = values,
	                                .predicted_s = predicted_s,
	                                .is_online = true};
	variants_predict(connection, predicted_s);
	if (predictd_tuner_new(&tuning, &tuner) != PREDICTD_OK) {
		(void)fprintf(stderr, "tune_online: %s\n", predictd_error_text());
		exit(EXIT_FAILURE);
	}
	if (predictd_tuner_find(tuner, connection, choice) == PREDICTD_OK)
		(void)printf("an earlier choice was found\n");
	else
		(void)printf("no earlier choice: %s\n", predictd_error_text());
	return tuner;
}

/* The work: every launch is one that the program needs. */
static bool work(predictd_tuner *tuner, long launches)
{
	predictd_tuned tuned;
	bool was_over = false;
	for (long i = 0; i < launches; i++) {
		predictd_candidate candidate;
		if (predictd_tuner_next(tuner, &candidate) != PREDICTD_OK) {
			(void)fprintf(stderr, "tune_online: %s\n", predictd_error_text());
			return false;
		}
		struct variant *variant = &variants[candidate.configuration];
		double time_s = variant_run(variant);
		if (candidate.is_new && isfinite(time_s) && !is_right())
			time_s = (double)INFINITY;
		if (predictd_tuner_report(tuner, candidate.configuration, time_s) != PREDICTD_OK) {
			(void)fprintf(stderr, "tune_online: %s\n", predictd_error_text());
			return false;
		}
		predictd_tuner_get(tuner, &tuned);
		if (i == 0)
			(void)printf("launch 1: %s\n", variant->options);
		if (tuned.is_over && !was_over)
			(void)printf(
			        "launch %ld: the search is over, %zu of %d tried, %zu failed\n",
			        i + 1, tuned.measured_count, VARIANTS, tuned.failed_count);
		was_over = tuned.is_over;
	}
	predictd_tuner_get(tuner, &tuned);
	if (tuned.best == SIZE_MAX || !is_right())
		return false;
	(void)printf("best: %s: %.1f us\n", variants[tuned.best].options, 1e6 * tuned.best_s);
	return true;
}

int main(int argc, char **argv)
{
	const uint64_t sizes[] = {ITEMS};
	const predictd_options options = {.size = sizeof options, .is_lazy = true};
	predictd_connection *connection = NULL;
	char name[64];
	long launches = argc > 1 ? strtol(argv[1], NULL, 10) : 300;
	if (argc > 2 || launches < 1) {
		(void)fprintf(stderr, "usage: tune_online [LAUNCHES]\n");
		return 2;
	}
	choice_name(name, sizeof name);
	variants_list();
	device_open();
	const predictd_choice choice = {.size = sizeof choice,
	                                .name = name,
	                                .device = device_key,
	                                .sizes = sizes,
	                                .size_count = 1};
	if (predictd_open_with(&options, &connection) != PREDICTD_OK) {
		(void)fprintf(stderr, "tune_online: %s\n", predictd_error_text());
		return EXIT_FAILURE;
	}
	predictd_tuner *tuner = tuner_begin(connection, &choice);
	bool is_done = work(tuner, launches);
	if (is_done && predictd_tuner_keep(tuner, connection, &choice) == PREDICTD_OK)
		(void)printf("the choice is kept\n");
	else if (is_done)
		(void)printf("the choice is not kept: %s\n", predictd_error_text());
	predictd_tuner_free(tuner);
	predictd_close(connection);
	device_close();
	return is_done ? EXIT_SUCCESS : EXIT_FAILURE;
}
