/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repeated questions in the caller's process: what predictd_predict_into takes when the answer
 * is kept, in one thread and in eight, for a few questions and for thousands, beside the same
 * questions over the socket. Each sample is the mean of a short run of calls, so that the
 * clock does not count and a thread that loses its processor shows in the tail alone.
 *
 *   bench-memo DEVICE ROUNDS
 */
#include "client/predictd.h"
#include "tests/bench/bench.h"
#include "tests/bench/sources.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

enum { THREADS_MAX = 8, CALLS = 64, ROUNDS_MAX = 1 << 20, FEW = 16, MANY = 4000, ARGUMENTS = 3 };

static predictd_connection *connection;
static pthread_barrier_t start;

struct worker {
	pthread_t thread;
	const predictd_question *questions;
	size_t count, rounds, failures;
	predictd_status want;
	double *samples_s;
};

static void *work(void *context)
{
	struct worker *worker = context;
	size_t next = 0;

	(void)pthread_barrier_wait(&start);
	for (size_t round = 0; round < worker->rounds; round++) {
		double begin_s = bench_now_s();

		for (size_t i = 0; i < CALLS; i++) {
			predictd_estimate estimate;

			worker->failures +=
			        predictd_predict_into(connection, &worker->questions[next],
			                              &estimate) != worker->want;
			next = next + 1 == worker->count ? 0 : next + 1;
		}
		worker->samples_s[round] = (bench_now_s() - begin_s) / (double)CALLS;
	}
	return NULL;
}

static void print_ns(const char *what, double *samples_s, size_t count)
{
	double p10 = bench_quantile(samples_s, count, 0.1);
	double p90 = bench_quantile(samples_s, count, 0.9);

	printf("%-56s %8.0f ns %8.0f ns %8.0f ns\n", what,
	       1e9 * bench_quantile(samples_s, count, 0.5), 1e9 * p10, 1e9 * p90);
}

/* A row: `threads` threads ask the same `count` questions over and over, and get that status. */
static bool measure(const char *what, const predictd_question *questions, size_t count,
                    unsigned threads, size_t rounds, predictd_status want)
{
	struct worker workers[THREADS_MAX] = {0};
	double *samples_s = calloc(threads * rounds, sizeof *samples_s);
	size_t failures = 0;

	if (samples_s == NULL || predictd_prepare(connection, questions, count, NULL) != want) {
		free(samples_s);
		return false;
	}
	(void)pthread_barrier_init(&start, NULL, threads);
	for (unsigned i = 0; i < threads; i++) {
		workers[i] = (struct worker){.questions = questions,
		                             .count = count,
		                             .rounds = rounds,
		                             .want = want,
		                             .samples_s = samples_s + i * rounds};
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
			abort();
	}
	for (unsigned i = 0; i < threads; i++) {
		(void)pthread_join(workers[i].thread, NULL);
		failures += workers[i].failures;
	}
	(void)pthread_barrier_destroy(&start);
	print_ns(what, samples_s, threads * rounds);
	free(samples_s);
	return failures == 0;
}

static bool measure_socket(const predictd_question *question, size_t rounds)
{
	double *samples_s = calloc(rounds, sizeof *samples_s);
	bool is_done = samples_s != NULL;

	for (size_t i = 0; i < rounds && is_done; i++) {
		predictd_prediction *prediction;
		double begin_s = bench_now_s();

		is_done = predictd_predict(connection, question, &prediction) == PREDICTD_OK;
		samples_s[i] = bench_now_s() - begin_s;
		if (is_done)
			predictd_predictions_free(prediction, 1);
	}
	if (is_done)
		print_ns("  the same over the socket (predictd_predict)", samples_s, rounds);
	free(samples_s);
	return is_done;
}

int main(int argc, char **argv)
{
	static predictd_question questions[MANY];
	static char text[SOURCE_MAX];
	const predictd_argument arguments[ARGUMENTS] = {
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_READ, .size_bytes = 4 << 20},
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_WRITE, .size_bytes = 4 << 20},
	        {.kind = PREDICTD_SCALAR, .type = "float", .reals = {2}}};
	predictd_source source = {.name = "bench.cl", .text = text};
	predictd_program *program = NULL;
	const predictd_options options = {.size = sizeof options, .memo_bytes = 4 << 20};
	int status = 1;

	if (argc != 3 || atoi(argv[2]) < 1 || atoi(argv[2]) > ROUNDS_MAX) {
		fprintf(stderr, "usage: bench-memo DEVICE ROUNDS\n");
		return 2;
	}
	size_t rounds = (size_t)atoi(argv[2]);
	source.size = source_write(text, SOURCE_MIDDLE, 4711);
	if (predictd_open_with(&options, &connection) != PREDICTD_OK ||
	    predictd_register(connection, &source, &program) != PREDICTD_OK)
		goto out;
	for (size_t i = 0; i < MANY; i++)
		questions[i] = (predictd_question){.program = program,
		                                   .kernel = "bench",
		                                   .device = argv[1],
		                                   .dimensions = 1,
		                                   .global = {64 * (i + 1), 1, 1},
		                                   .local = {64, 1, 1},
		                                   .argument_count = ARGUMENTS,
		                                   .arguments = arguments};
	predictd_question refused = questions[0];
	refused.argument_count--;
	printf("a repeated question in the caller's process, %d arguments: median, p10, p90\n",
	       ARGUMENTS);
	if (measure("  1 thread, 16 questions", questions, FEW, 1, rounds, PREDICTD_OK) &&
	    measure("  8 threads each, 16 questions", questions, FEW, THREADS_MAX, rounds,
	            PREDICTD_OK) &&
	    measure("  1 thread, 4000 questions", questions, MANY, 1, rounds, PREDICTD_OK) &&
	    measure("  8 threads each, 4000 questions", questions, MANY, THREADS_MAX, rounds,
	            PREDICTD_OK) &&
	    measure("  1 thread, a question that is refused", &refused, 1, 1, rounds,
	            PREDICTD_INVALID) &&
	    measure_socket(questions, rounds < 5000 ? rounds : 5000))
		status = 0;
out:
	if (status != 0)
		fprintf(stderr, "bench-memo: %s\n", predictd_error_text());
	predictd_program_free(program);
	predictd_close(connection);
	return status;
}
