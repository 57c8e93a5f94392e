/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule FILE.cl [TASKS]: places tasks on devices, each where it will be finished first.
 *
 * What a scheduler does with libpredictd: it asks ahead for the launches that it knows of, and
 * then per task and device, which costs no more than a few reads of memory. Tasks are launches of
 * the file's first kernel with sizes that repeat, as those of a tiled algorithm do.
 *
 * cc schedule.c $(pkg-config --cflags --libs predictd) -o schedule
 */
#include <predictd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEVICES_MAX = 16, SIZES = 8, TASKS_MAX = 1000000, ARGUMENTS_MAX = 64 };

struct device {
	const char *key; /* what a question names it by, whatever becomes of the daemon */
	const char *name;
	double free_at_s; /* when everything placed on it so far is done */
	unsigned tasks;
};

static double now_s(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Arguments that fit the kernel: every buffer has a float per work-item, every number is 1. */
static int arguments_fill(const predictd_kernel *kernel, uint64_t items,
                          predictd_argument *arguments)
{
	if (kernel->argument_count > ARGUMENTS_MAX)
		return 0;
	for (size_t i = 0; i < kernel->argument_count; i++) {
		const char *type = kernel->argument_types[i];
		memset(&arguments[i], 0, sizeof arguments[i]);
		arguments[i].size_bytes = 4 * items;
		if (strncmp(type, "buffer ", 7) == 0) {
			arguments[i].kind = PREDICTD_BUFFER;
			arguments[i].access = PREDICTD_READ_WRITE;
		} else if (strncmp(type, "scalar ", 7) == 0) {
			arguments[i].kind = PREDICTD_SCALAR;
			arguments[i].type = type + 7;
			for (size_t lane = 0; lane < 16; lane++)
				arguments[i].integers[lane] = 1;
		} else {
			return 0;
		}
	}
	return 1;
}

/* The devices that answers can be had for. */
static size_t devices_find(const predictd_devices *known, struct device *devices)
{
	size_t count = 0;
	for (size_t i = 0; i < known->count && count < DEVICES_MAX; i++) {
		const predictd_device *from = &known->devices[i];
		if (!from->is_present || !from->is_calibrated)
			continue;
		devices[count].key = from->key;
		devices[count].name = from->name;
		devices[count].free_at_s = 0;
		devices[count++].tasks = 0;
	}
	return count;
}

int main(int argc, char **argv)
{
	static predictd_argument arguments[SIZES][ARGUMENTS_MAX];
	predictd_question questions[SIZES * DEVICES_MAX];
	struct device devices[DEVICES_MAX];
	predictd_connection *connection = NULL;
	predictd_source *source = NULL;
	predictd_program *program = NULL;
	predictd_devices *known = NULL;
	const predictd_kernel *kernels;
	size_t device_count, question_count = 0;
	int result = EXIT_FAILURE;
	long tasks = argc == 3 ? strtol(argv[2], NULL, 10) : 1000;
	if (argc < 2 || argc > 3 || tasks < 1 || tasks > TASKS_MAX) {
		(void)fprintf(stderr, "usage: schedule FILE.cl [TASKS]\n");
		return 2;
	}

	if (predictd_open(NULL, &connection) != PREDICTD_OK ||
	    predictd_source_load(argv[1], NULL, &source) != PREDICTD_OK ||
	    predictd_register(connection, source, &program) != PREDICTD_OK ||
	    predictd_list_devices(connection, false, &known) != PREDICTD_OK)
		goto out;
	device_count = devices_find(known, devices);
	if (device_count == 0 || predictd_program_kernels(program, &kernels) == 0) {
		(void)fprintf(stderr, "schedule: no calibrated device, or no kernel\n");
		goto done;
	}

	for (size_t size = 0; size < SIZES; size++) {
		uint64_t items = (uint64_t)4096 << size;
		if (!arguments_fill(&kernels[0], items, arguments[size])) {
			(void)fprintf(stderr, "schedule: buffers and numbers only, please\n");
			goto done;
		}
		for (size_t device = 0; device < device_count; device++) {
			predictd_question *question = &questions[question_count++];
			memset(question, 0, sizeof *question);
			question->program = program;
			question->kernel = kernels[0].name;
			question->device = devices[device].key;
			question->dimensions = 1;
			question->global[0] = items;
			question->argument_count = kernels[0].argument_count;
			question->arguments = arguments[size];
		}
	}
	if (predictd_prepare(connection, questions, question_count, NULL) != PREDICTD_OK)
		goto out;

	double begun_s = now_s();
	for (long task = 0; task < tasks; task++) {
		size_t size = (size_t)(task * 5 % SIZES), best = 0;
		double best_s = 0;
		for (size_t device = 0; device < device_count; device++) {
			predictd_estimate estimate;
			if (predictd_predict_into(connection,
			                          &questions[size * device_count + device],
			                          &estimate) != PREDICTD_OK)
				goto out;
			double end_s = devices[device].free_at_s + estimate.launch_time_s +
			               estimate.kernel_time_s;
			if (device == 0 || end_s < best_s) {
				best = device;
				best_s = end_s;
			}
		}
		/* here a runtime enqueues; when the task is done it tells its time, without
		 * waiting: predictd_report(connection, &observation) */
		devices[best].free_at_s = best_s;
		devices[best].tasks++;
	}
	double spent_s = now_s() - begun_s;

	for (size_t device = 0; device < device_count; device++)
		(void)printf("%s: %u tasks, done after %.3g ms\n", devices[device].name,
		             devices[device].tasks, 1e3 * devices[device].free_at_s);
	(void)printf("%ld decisions in %.3g ms\n", tasks, 1e3 * spent_s);
	result = EXIT_SUCCESS;
	goto done;
out:
	(void)fprintf(stderr, "schedule: %s\n", predictd_error_text());
done:
	predictd_devices_free(known);
	predictd_program_free(program);
	predictd_source_free(source);
	predictd_close(connection);
	return result;
}
