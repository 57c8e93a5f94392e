/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a schedule costs: many tasks whose times are given, and few that ask a question each, again
 * and again, on four devices. The four are one device of the daemon, which a schedule allows.
 *
 *   bench-schedule DEVICE ROUNDS
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "client/predictd.h"
#include "tests/bench/bench.h"
#include "tests/bench/sources.h"

enum { DEVICES = 4, LAYERS = 100, MANY = 10000, FEW = 100, ROUNDS_MAX = 1 << 16, ARGUMENTS = 3 };

static predictd_schedule_device devices[DEVICES];
static const double *slowdowns; /* of every two devices; or NULL */
static predictd_schedule_task tasks[MANY];
static predictd_schedule_buffer buffers[MANY + 1];
static double times_s[MANY][DEVICES];
static size_t numbers[MANY][4];

/* Tasks in layers, each of which reads what two of the layer before wrote. */
static void tasks_fill(size_t count, size_t width)
{
	uint64_t state = 1;
	for (size_t i = 0; i < count; i++) {
		bool is_first = i < width;
		size_t before = i - i % width - (is_first ? 0 : width);
		numbers[i][0] = i;
		numbers[i][1] = is_first ? count : before + i % width;
		numbers[i][2] = is_first ? count : before + (i + 1) % width;
		tasks[i] = (predictd_schedule_task){.times_s = times_s[i],
		                                    .reads = &numbers[i][1],
		                                    .read_count = 2,
		                                    .writes = &numbers[i][0],
		                                    .write_count = 1};
		buffers[i] = (predictd_schedule_buffer){.size_bytes = 1 << 20};
		for (size_t j = 0; j < DEVICES; j++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			times_s[i][j] = 1e-3 * (double)(1 + (state >> 33) % 1000);
		}
	}
	buffers[count] = (predictd_schedule_buffer){.size_bytes = 1 << 20, .is_on_host = true};
}

/* Each device slows down each other one. */
static double disturbed[DEVICES * DEVICES];

/* One schedule of `count` tasks; returns how long it took, or a negative number. */
static double plan_once(predictd_connection *connection, predictd_method method, size_t count,
                        double *makespan_s)
{
	const predictd_schedule_options options = {.size = sizeof options,
	                                           .method = method,
	                                           .device_count = DEVICES,
	                                           .devices = devices,
	                                           .slowdowns = slowdowns};
	predictd_schedule *schedule = NULL;
	predictd_plan plan = {0};
	double begin_s = bench_now_s();
	bool is_done = predictd_schedule_new(&options, &schedule) == PREDICTD_OK &&
	               predictd_schedule_add_buffers(schedule, buffers, count + 1) == PREDICTD_OK &&
	               predictd_schedule_add(schedule, connection, tasks, count, 0) == PREDICTD_OK;
	if (is_done)
		predictd_schedule_get(schedule, &plan);
	predictd_schedule_free(schedule);
	double time_s = bench_now_s() - begin_s;
	*makespan_s = plan.makespan_s;
	return is_done ? time_s : -1;
}

/* A row of so many rounds; false: one failed. */
static bool measure(predictd_connection *connection, const char *what, predictd_method method,
                    size_t count, size_t rounds)
{
	double *samples_s = calloc(rounds, sizeof *samples_s), makespan_s = 0;
	char text[80];
	bool is_done = samples_s != NULL;
	for (size_t i = 0; i < rounds && is_done; i++) {
		samples_s[i] = plan_once(connection, method, count, &makespan_s);
		is_done = samples_s[i] >= 0;
	}
	(void)snprintf(text, sizeof text, "%zu tasks, %s, %s", count, what,
	               predictd_method_name(method));
	if (is_done)
		bench_print_us(text, samples_s, rounds);
	free(samples_s);
	return is_done;
}

/* FEW tasks, each with a question of its own. */
static bool measure_asked(predictd_connection *connection, const char *device, size_t rounds)
{
	static char text[SOURCE_MAX];
	static predictd_question questions[FEW];
	const predictd_argument arguments[ARGUMENTS] = {
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_READ, .size_bytes = 1 << 20},
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_WRITE, .size_bytes = 1 << 20},
	        {.kind = PREDICTD_SCALAR, .type = "float", .reals = {2}}};
	predictd_source source = {.name = "bench.cl", .text = text};
	predictd_program *program = NULL;
	size_t found;
	source.size = source_write(text, SOURCE_MIDDLE, 4712);
	bool is_done =
	        predictd_schedule_devices(connection, &device, 1, devices, &found) == PREDICTD_OK &&
	        predictd_register(connection, &source, &program) == PREDICTD_OK;
	for (size_t i = 1; i < DEVICES; i++)
		devices[i] = devices[0];
	tasks_fill(FEW, FEW / 10);
	for (size_t i = 0; i < FEW; i++) {
		questions[i] = (predictd_question){.program = program,
		                                   .kernel = "bench",
		                                   .dimensions = 1,
		                                   .global = {64 * (i + 1), 1, 1},
		                                   .local = {64, 1, 1},
		                                   .argument_count = ARGUMENTS,
		                                   .arguments = arguments};
		tasks[i].times_s = NULL;
		tasks[i].question = &questions[i];
	}
	for (unsigned method = PREDICTD_HEFT; method <= PREDICTD_FASTEST && is_done; method++)
		is_done = measure(connection, "a question each, known", (predictd_method)method,
		                  FEW, rounds);
	slowdowns = disturbed;
	for (unsigned method = PREDICTD_HEFT; method <= PREDICTD_FASTEST && is_done; method++)
		is_done = measure(connection, "likewise, contention", (predictd_method)method, FEW,
		                  rounds);
	slowdowns = NULL;
	predictd_program_free(program);
	return is_done;
}

int main(int argc, char **argv)
{
	predictd_connection *connection = NULL;
	if (argc != 3 || atoi(argv[2]) < 1 || atoi(argv[2]) > ROUNDS_MAX) {
		fprintf(stderr, "usage: bench-schedule DEVICE ROUNDS\n");
		return 2;
	}
	printf("schedules on %d devices: median, 90th percentile\n", DEVICES);
	for (size_t i = 0; i < DEVICES; i++)
		devices[i] = (predictd_schedule_device){.upload_latency_s = 1e-5,
		                                        .upload_bytes_per_s = 1e9,
		                                        .download_latency_s = 1e-5,
		                                        .download_bytes_per_s = 1e9};
	tasks_fill(MANY, MANY / LAYERS);
	bool is_done = true;
	for (unsigned method = PREDICTD_HEFT; method <= PREDICTD_FASTEST && is_done; method++)
		is_done = measure(NULL, "times given", (predictd_method)method, MANY, 11);
	for (size_t i = 0; i < DEVICES * DEVICES; i++)
		disturbed[i] = i % (DEVICES + 1) == 0 ? 1 : 1.2;
	slowdowns = disturbed;
	for (unsigned method = PREDICTD_HEFT; method <= PREDICTD_FASTEST && is_done; method++)
		is_done =
		        measure(NULL, "times given, contention", (predictd_method)method, MANY, 11);
	slowdowns = NULL;
	is_done = is_done && predictd_open(NULL, &connection) == PREDICTD_OK &&
	          measure_asked(connection, argv[1], (size_t)atoi(argv[2]));
	if (!is_done)
		fprintf(stderr, "bench-schedule: %s\n", predictd_error_text());
	predictd_close(connection);
	return is_done ? 0 : 1;
}
