/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a scheduler's thread pays: a prepared question beside the whole one, and how much later than
 * it said predictd_predict_within comes back when the answer is not there in time: on idle
 * processors, and beside threads that keep each of them busy.
 *
 *   bench-within DEVICE ROUNDS
 */
#include "client/predictd.h"
#include "tests/bench/bench.h"
#include "tests/bench/sources.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

enum { CALLS = 64, ROUNDS_MAX = 1 << 20, FEW = 16, ARGUMENTS = 3, BUSY_MAX = 256 };

static predictd_connection *connection;
static atomic_bool ends;

static void *keep_busy(void *context)
{
	volatile unsigned *count = context;

	while (!ends)
		++*count;
	return NULL;
}

static void print_ns(const char *what, double *samples_s, size_t count)
{
	printf("%-56s %8.0f ns\n", what, 1e9 * bench_quantile(samples_s, count, 0.5));
}

/* Both in turns: a whole question made from sizes and values, and a prepared one. */
static bool measure_known(const predictd_prepared *prepared, const predictd_question *whole,
                          size_t rounds)
{
	double *samples_s[2] = {calloc(rounds, sizeof(double)), calloc(rounds, sizeof(double))};
	bool is_done = samples_s[0] != NULL && samples_s[1] != NULL;

	for (size_t i = 0; i < FEW && is_done; i++) {
		predictd_question question = *whole;
		question.global[0] = 64 * (i + 1);
		is_done = predictd_prepare(connection, &question, 1, NULL) == PREDICTD_OK;
	}
	for (size_t round = 0; round < rounds && is_done; round++) {
		predictd_estimate estimate;
		double begin_s = bench_now_s();

		for (size_t i = 0; i < CALLS; i++) {
			predictd_argument arguments[ARGUMENTS];
			predictd_question question = *whole;

			for (size_t k = 0; k < ARGUMENTS; k++)
				arguments[k] = whole->arguments[k];
			question.arguments = arguments;
			question.global[0] = 64 * (i % FEW + 1);
			is_done &= predictd_predict_within(connection, &question, 0, &estimate) ==
			           PREDICTD_OK;
		}
		double middle_s = bench_now_s();
		for (size_t i = 0; i < CALLS; i++) {
			const uint64_t global[] = {64 * (i % FEW + 1)};
			const float factor = 2;
			const predictd_value values[] = {{.argument = 0, .size_bytes = 4 << 20},
			                                 {.argument = 1, .size_bytes = 4 << 20},
			                                 {2, sizeof factor, &factor, NULL}};
			const predictd_launch launch = {
			        .global = global, .value_count = ARGUMENTS, .values = values};

			is_done &= predictd_prepared_within(prepared, &launch, 0, 1, 0,
			                                    &estimate) == PREDICTD_OK;
		}
		samples_s[0][round] = (middle_s - begin_s) / (double)CALLS;
		samples_s[1][round] = (bench_now_s() - middle_s) / (double)CALLS;
	}
	if (is_done) {
		print_ns("  the whole question, made for each launch", samples_s[0], rounds);
		print_ns("  a prepared one, its sizes and values put in", samples_s[1], rounds);
	}
	free(samples_s[0]);
	free(samples_s[1]);
	return is_done;
}

/* Questions never asked before, with a time that does not suffice for most. */
static bool measure_lateness(const char *what, const predictd_prepared *prepared, double wait_s,
                             size_t rounds, uint64_t *items)
{
	double *late_s = calloc(rounds, sizeof *late_s);
	size_t in_time = 0;
	bool is_done = late_s != NULL;

	for (size_t i = 0; i < rounds && is_done; i++) {
		const uint64_t global[] = {64 * ++*items};
		const predictd_launch launch = {.global = global};
		predictd_estimate estimate;
		double begin_s = bench_now_s();
		predictd_status status =
		        predictd_prepared_within(prepared, &launch, 0, 1, wait_s, &estimate);

		late_s[i] = bench_now_s() - begin_s - wait_s;
		in_time += status == PREDICTD_OK;
		is_done = status == PREDICTD_OK || status == PREDICTD_BUSY;
		(void)usleep(200);
	}
	if (is_done)
		printf("  %-34s %5.0f us: median %7.1f us, p99 %7.1f us; %3.0f %% had an answer\n",
		       what, 1e6 * wait_s, 1e6 * bench_quantile(late_s, rounds, 0.5),
		       1e6 * bench_quantile(late_s, rounds, 0.99),
		       100 * (double)in_time / (double)rounds);
	free(late_s);
	return is_done;
}

static bool measure_all(const predictd_prepared *prepared, const predictd_question *question,
                        size_t rounds)
{
	static const double waits_s[] = {0, 20e-6, 500e-6};
	static unsigned counts[BUSY_MAX];
	pthread_t threads[BUSY_MAX];
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	size_t busy = online < 1 ? 1 : online > BUSY_MAX ? BUSY_MAX : (size_t)online;
	uint64_t items = 1 << 20;
	bool is_done = measure_known(prepared, question, rounds);

	printf("beyond the time given, of questions never asked before\n");
	for (size_t i = 0; i < 3 && is_done; i++)
		is_done = measure_lateness("processors idle, a wait of", prepared, waits_s[i],
		                           rounds, &items);
	for (size_t i = 0; i < busy; i++)
		if (pthread_create(&threads[i], NULL, keep_busy, &counts[i]) != 0)
			abort();
	for (size_t i = 0; i < 3 && is_done; i++)
		is_done = measure_lateness("each of them busy, a wait of", prepared, waits_s[i],
		                           rounds, &items);
	ends = true;
	for (size_t i = 0; i < busy; i++)
		(void)pthread_join(threads[i], NULL);
	return is_done;
}

int main(int argc, char **argv)
{
	static char text[SOURCE_MAX];
	const predictd_argument arguments[ARGUMENTS] = {
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_READ, .size_bytes = 4 << 20},
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_WRITE, .size_bytes = 4 << 20},
	        {.kind = PREDICTD_SCALAR, .type = "float", .reals = {2}}};
	predictd_source source = {.name = "bench.cl", .text = text};
	predictd_program *program = NULL;
	predictd_prepared *prepared = NULL;
	int status = 1;

	if (argc != 3 || atoi(argv[2]) < 1 || atoi(argv[2]) > ROUNDS_MAX) {
		fprintf(stderr, "usage: bench-within DEVICE ROUNDS\n");
		return 2;
	}
	source.size = source_write(text, SOURCE_MIDDLE, 4711);
	if (predictd_open(NULL, &connection) != PREDICTD_OK ||
	    predictd_register(connection, &source, &program) != PREDICTD_OK)
		goto out;
	const predictd_question question = {.program = program,
	                                    .kernel = "bench",
	                                    .device = argv[1],
	                                    .dimensions = 1,
	                                    .global = {64, 1, 1},
	                                    .local = {64, 1, 1},
	                                    .argument_count = ARGUMENTS,
	                                    .arguments = arguments};
	printf("what a scheduler's thread pays, %d arguments: median\n", ARGUMENTS);
	if (predictd_prepared_new(connection, &question, NULL, 0, &prepared) == PREDICTD_OK &&
	    measure_all(prepared, &question, (size_t)atoi(argv[2])))
		status = 0;
out:
	if (status != 0)
		fprintf(stderr, "bench-within: %s\n", predictd_error_text());
	predictd_prepared_free(prepared);
	predictd_program_free(program);
	predictd_close(connection);
	return status;
}
