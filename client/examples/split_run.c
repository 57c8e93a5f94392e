/* SPDX-License-Identifier: Apache-2.0 */
/*
 * split_run [WORK-ITEMS]: one launch on all OpenCL devices of this process that predictd has
 * calibrated, each with the part that predictd_split gives it before anything has run.
 *
 * Devices of different platforms share no context: each has its own, with buffers of full size, a
 * queue, and a thread. A thread sends its device the part of the input that its work-items read,
 * launches them with their offset, and fetches the part of the output that they write.
 *
 * Printed are each device's part and time, as predicted and as measured, and the same of the device
 * that is fastest alone. Both results have to be the same.
 *
 * cc split_run.c $(pkg-config --cflags --libs predictd) -lOpenCL -lpthread -lm -o split_run
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <math.h>
#include <predictd.h>
#include <predictd_opencl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GROUP = 64, ITEM_BYTES = sizeof(float), DEVICES_MAX = PREDICTD_SPLIT_DEVICES_MAX };

static const char source_text[] = "kernel void relax(global const float *a, global float *out)\n"
                                  "{\n"
                                  "	int i = get_global_id(0);\n"
                                  "	float y = a[i];\n"
                                  "	for (int trip = 0; trip < 200; trip++)\n"
                                  "		y = y + 0.125f * (1 - y * y);\n"
                                  "	out[i] = y;\n"
                                  "}\n";

struct device {
	char name[256], key[PREDICTD_KEY_BYTES];
	cl_context context;
	cl_command_queue queue;
	cl_kernel kernel;
	cl_mem input, output;
	size_t begin, items; /* its part */
	double ended_s;      /* from the start of all */
};

static struct device devices[DEVICES_MAX];
static size_t device_count, item_count;
static float *input, *output;
static double started_s;

static double now_s(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void must(cl_int status, const char *what)
{
	if (status == CL_SUCCESS)
		return;
	(void)fprintf(stderr, "split_run: %s: OpenCL's error %d\n", what, status);
	exit(EXIT_FAILURE);
}

/* ---- running ------------------------------------------------------------------------------- */

/* A device's thread. */
static void *part_run(void *context)
{
	struct device *device = context;
	const size_t local = GROUP, at = device->begin * ITEM_BYTES;
	const size_t bytes = device->items * ITEM_BYTES;
	if (device->items == 0)
		return NULL;
	must(clEnqueueWriteBuffer(device->queue, device->input, CL_FALSE, at, bytes,
	                          input + device->begin, 0, NULL, NULL),
	     "upload");
	must(clEnqueueNDRangeKernel(device->queue, device->kernel, 1, &device->begin,
	                            &device->items, &local, 0, NULL, NULL),
	     "launch");
	must(clEnqueueReadBuffer(device->queue, device->output, CL_TRUE, at, bytes,
	                         output + device->begin, 0, NULL, NULL),
	     "download");
	device->ended_s = now_s() - started_s;
	return NULL;
}

/* Runs the parts at the same time. Returns the seconds until the last one ends. */
static double run(void)
{
	pthread_t threads[DEVICES_MAX];
	double last_s = 0;
	started_s = now_s();
	for (size_t i = 0; i < device_count; i++)
		if (pthread_create(&threads[i], NULL, part_run, &devices[i]) != 0) {
			(void)fprintf(stderr, "split_run: no thread can be had\n");
			exit(EXIT_FAILURE);
		}
	for (size_t i = 0; i < device_count; i++) {
		(void)pthread_join(threads[i], NULL);
		if (devices[i].items > 0)
			last_s = fmax(last_s, devices[i].ended_s);
	}
	return last_s;
}

/* Compilers run at a device's first launch, and memory is mapped at its first use. */
static void warm_up(void)
{
	for (size_t i = 0; i < device_count; i++) {
		for (size_t j = 0; j < device_count; j++) {
			devices[j].begin = 0;
			devices[j].items = i == j ? item_count : 0;
		}
		(void)run();
	}
}

/* ---- devices ------------------------------------------------------------------------------- */

static void device_open(struct device *device, cl_device_id id, const char *key)
{
	const char *text = source_text;
	cl_int status;
	predictd_opencl_text(id, CL_DEVICE_NAME, device->name, sizeof device->name);
	(void)snprintf(device->key, sizeof device->key, "%s", key);
	device->context = clCreateContext(NULL, 1, &id, NULL, NULL, &status);
	must(status, "context");
	device->queue = clCreateCommandQueue(device->context, id, 0, &status);
	must(status, "queue");
	cl_program program = clCreateProgramWithSource(device->context, 1, &text, NULL, &status);
	must(status, "program");
	must(clBuildProgram(program, 1, &id, NULL, NULL, NULL), "build");
	device->kernel = clCreateKernel(program, "relax", &status);
	must(status, "kernel");
	must(clReleaseProgram(program), "release");
	device->input = clCreateBuffer(device->context, CL_MEM_READ_ONLY, item_count * ITEM_BYTES,
	                               NULL, &status);
	must(status, "buffer");
	device->output = clCreateBuffer(device->context, CL_MEM_WRITE_ONLY, item_count * ITEM_BYTES,
	                                NULL, &status);
	must(status, "buffer");
	must(clSetKernelArg(device->kernel, 0, sizeof(cl_mem), &device->input), "input");
	must(clSetKernelArg(device->kernel, 1, sizeof(cl_mem), &device->output), "output");
}

static void device_close(struct device *device)
{
	must(clReleaseMemObject(device->input), "release");
	must(clReleaseMemObject(device->output), "release");
	must(clReleaseKernel(device->kernel), "release");
	must(clReleaseCommandQueue(device->queue), "release");
	must(clReleaseContext(device->context), "release");
}

/* Those of this process that predictd has calibrated, by their keys. */
static predictd_status devices_open(predictd_connection *connection)
{
	static predictd_opencl_devices here;
	predictd_devices *known = NULL;
	predictd_status status = predictd_opencl_list(&here);
	if (status == PREDICTD_OK)
		status = predictd_list_devices(connection, false, &known);
	for (size_t i = 0; status == PREDICTD_OK && i < here.count; i++)
		for (size_t j = 0; j < known->count && device_count < DEVICES_MAX; j++)
			if (known->devices[j].is_calibrated &&
			    strcmp(known->devices[j].key, here.keys[i]) == 0)
				device_open(&devices[device_count++], here.devices[i],
				            here.keys[i]);
	predictd_devices_free(known);
	return status;
}

/* ---- predictd ------------------------------------------------------------------------------ */

static predictd_status ask(predictd_connection *connection, const predictd_program *program,
                           predictd_share *shares, predictd_split_answer *answer)
{
	const predictd_argument arguments[] = {
	        {.kind = PREDICTD_BUFFER,
	         .access = PREDICTD_READ,
	         .size_bytes = item_count * ITEM_BYTES},
	        {.kind = PREDICTD_BUFFER,
	         .access = PREDICTD_WRITE,
	         .size_bytes = item_count * ITEM_BYTES},
	};
	const predictd_question question = {.program = program,
	                                    .with_transfers = true,
	                                    .dimensions = 1,
	                                    .global = {item_count},
	                                    .local = {GROUP},
	                                    .argument_count = 2,
	                                    .arguments = arguments};
	const predictd_split_buffer buffers[] = {{.argument = 0}, {.argument = 1}};
	const char *keys[DEVICES_MAX];
	const predictd_splitting splitting = {.question = &question,
	                                      .devices = keys,
	                                      .device_count = device_count,
	                                      .buffer_count = 2,
	                                      .buffers = buffers};
	for (size_t i = 0; i < device_count; i++)
		keys[i] = devices[i].key;
	return predictd_split(connection, &splitting, shares, answer);
}

static predictd_status split(predictd_connection *connection, const predictd_program *program)
{
	predictd_share shares[DEVICES_MAX];
	predictd_split_answer answer;
	predictd_status status = ask(connection, program, shares, &answer);
	if (status != PREDICTD_OK)
		return status;
	warm_up();
	for (size_t i = 0; i < device_count; i++) {
		devices[i].begin = i == answer.best ? 0 : item_count;
		devices[i].items = i == answer.best ? item_count : 0;
	}
	double alone_s = run();
	float *expected = malloc(item_count * ITEM_BYTES);
	if (expected == NULL) {
		(void)fprintf(stderr, "split_run: no memory\n");
		exit(EXIT_FAILURE);
	}
	memcpy(expected, output, item_count * ITEM_BYTES);
	memset(output, 0, item_count * ITEM_BYTES);

	for (size_t i = 0; i < device_count; i++) {
		devices[i].begin = shares[i].begin;
		devices[i].items = shares[i].items;
	}
	double took_s = run();
	(void)printf("%s alone: predicted %.2f ms, measured %.2f ms\n", devices[answer.best].name,
	             1e3 * shares[answer.best].alone_s, 1e3 * alone_s);
	for (size_t i = 0; i < device_count; i++)
		(void)printf("%s: %.1f %%, predicted %.2f ms, measured %.2f ms (%s)\n",
		             devices[i].name, 100 * (double)shares[i].items / (double)item_count,
		             1e3 * shares[i].time_s, 1e3 * devices[i].ended_s,
		             predictd_split_reason_name(shares[i].reason));
	(void)printf("in all: predicted %.2f ms, measured %.2f ms\n", 1e3 * answer.time_s,
	             1e3 * took_s);
	for (size_t i = 0; i < item_count; i++)
		if (!(fabsf(output[i] - expected[i]) <= 1e-4F)) {
			(void)fprintf(stderr,
			              "split_run: item %zu: want %g as of one device, got "
			              "%g\n",
			              i, (double)expected[i], (double)output[i]);
			exit(EXIT_FAILURE);
		}
	free(expected);
	return PREDICTD_OK;
}

int main(int argc, char **argv)
{
	const predictd_source source = {
	        .name = "relax.cl", .text = source_text, .size = strlen(source_text)};
	predictd_connection *connection = NULL;
	predictd_program *program = NULL;
	long items = argc > 1 ? strtol(argv[1], NULL, 10) : 1 << 20;
	int result = EXIT_FAILURE;
	if (argc > 2 || items < 1 || items > 1 << 28 || items % GROUP != 0) {
		(void)fprintf(stderr, "usage: split_run [WORK-ITEMS], a multiple of %d\n", GROUP);
		return 2;
	}
	item_count = (size_t)items;
	input = malloc(item_count * ITEM_BYTES);
	output = malloc(item_count * ITEM_BYTES);
	if (input == NULL || output == NULL) {
		perror("split_run");
		goto done;
	}
	for (size_t i = 0; i < item_count; i++)
		input[i] = (float)(i % 100) / 100;
	if (predictd_open(NULL, &connection) != PREDICTD_OK ||
	    devices_open(connection) != PREDICTD_OK)
		goto out;
	if (device_count == 0) {
		(void)fprintf(stderr, "split_run: no calibrated OpenCL device: type \"predictctl "
		                      "calibrate\"\n");
		goto done;
	}
	if (predictd_register(connection, &source, &program) != PREDICTD_OK ||
	    split(connection, program) != PREDICTD_OK)
		goto out;
	result = EXIT_SUCCESS;
	goto done;
out:
	(void)fprintf(stderr, "split_run: %s\n", predictd_error_text());
done:
	predictd_program_free(program);
	predictd_close(connection);
	for (size_t i = 0; i < device_count; i++)
		device_close(&devices[i]);
	free(input);
	free(output);
	return result;
}
