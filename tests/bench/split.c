/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a split costs: the first one, whose predictions are asked for, and those that follow, of
 * answers that are known. Each of several kernels' sizes by itself; with transfers, and without.
 *
 *   bench-split DEVICE DEVICE ROUNDS
 */
#include "client/predictd.h"
#include "tests/bench/bench.h"
#include "tests/bench/sources.h"

enum { ROUNDS_MAX = 1 << 20, ARGUMENTS = 3 };

static predictd_connection *connection;

static bool measure(const char *what, const predictd_splitting *splitting, size_t rounds)
{
	predictd_share shares[PREDICTD_SPLIT_DEVICES_MAX];
	predictd_split_answer answer;
	double *samples_s = calloc(rounds, sizeof *samples_s);
	double begin_s = bench_now_s();
	bool is_done = samples_s != NULL &&
	               predictd_split(connection, splitting, shares, &answer) == PREDICTD_OK;
	double first_s = bench_now_s() - begin_s;

	for (size_t i = 0; i < rounds && is_done; i++) {
		begin_s = bench_now_s();
		is_done = predictd_split(connection, splitting, shares, &answer) == PREDICTD_OK;
		samples_s[i] = bench_now_s() - begin_s;
	}
	if (is_done)
		printf("  %-30s first %8.1f ms, then median %6.1f us, p99 %6.1f us: %s, gain "
		       "%.2f\n",
		       what, 1e3 * first_s, 1e6 * bench_quantile(samples_s, rounds, 0.5),
		       1e6 * bench_quantile(samples_s, rounds, 0.99),
		       predictd_split_reason_name(answer.reason), answer.gain);
	free(samples_s);
	return is_done;
}

static bool measure_all(const predictd_program *program, const char *const *devices, size_t rounds)
{
	bool is_done = true;

	for (unsigned bits = 16; bits <= 26 && is_done; bits += 5) {
		uint64_t items = (uint64_t)1 << bits;
		const predictd_argument arguments[ARGUMENTS] = {
		        {.kind = PREDICTD_BUFFER, .access = PREDICTD_READ, .size_bytes = 4 * items},
		        {.kind = PREDICTD_BUFFER,
		         .access = PREDICTD_WRITE,
		         .size_bytes = 4 * items},
		        {.kind = PREDICTD_SCALAR, .type = "float", .reals = {2}}};
		predictd_question question = {.program = program,
		                              .kernel = "bench",
		                              .dimensions = 1,
		                              .global = {items, 1, 1},
		                              .local = {64, 1, 1},
		                              .argument_count = ARGUMENTS,
		                              .arguments = arguments};
		const predictd_splitting splitting = {
		        .question = &question, .devices = devices, .device_count = 2};
		char what[64];

		for (unsigned i = 0; i < 2 && is_done; i++) {
			question.with_transfers = i == 1;
			(void)snprintf(what, sizeof what, "2^%u work-items%s", bits,
			               i == 1 ? ", transfers" : "");
			is_done = measure(what, &splitting, rounds);
		}
	}
	return is_done;
}

int main(int argc, char **argv)
{
	static char text[SOURCE_MAX];
	predictd_source source = {.name = "bench.cl", .text = text};
	predictd_program *program = NULL;
	int status = 1;

	if (argc != 4 || atoi(argv[3]) < 1 || atoi(argv[3]) > ROUNDS_MAX) {
		fprintf(stderr, "usage: bench-split DEVICE DEVICE ROUNDS\n");
		return 2;
	}
	source.size = source_write(text, SOURCE_SMALL, 4711);
	if (predictd_open(NULL, &connection) == PREDICTD_OK &&
	    predictd_register(connection, &source, &program) == PREDICTD_OK) {
		printf("one launch split over %s and %s\n", argv[1], argv[2]);
		if (measure_all(program, (const char *const *)&argv[1], (size_t)atoi(argv[3])))
			status = 0;
	}
	if (status != 0)
		fprintf(stderr, "bench-split: %s\n", predictd_error_text());
	predictd_program_free(program);
	predictd_close(connection);
	return status;
}
