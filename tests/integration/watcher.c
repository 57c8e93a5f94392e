/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that keep an answer: watcher SOURCE KERNEL PROCESSES
 *
 * Each process has a connection of its own and asks about SOURCE's KERNEL, of two buffers. For each
 * line of standard input every process asks once, and a line is printed: the epoch and the
 * kernel time that all of them saw, and "differ" when they do not agree.
 */
#include "client/predictd.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PROCESSES_MAX = 16 };

struct seen {
	predictd_status status;
	uint64_t epoch;
	double kernel_time_s;
};

static predictd_status open_program(const char *file, predictd_connection **connection,
                                    predictd_program **program)
{
	predictd_source *source = NULL;
	predictd_status status = predictd_open(NULL, connection);
	if (status == PREDICTD_OK)
		status = predictd_source_load(file, NULL, &source);
	if (status == PREDICTD_OK)
		status = predictd_register(*connection, source, program);
	predictd_source_free(source);
	return status;
}

/* Asks once for each byte that comes. */
static int serve(const char *file, const char *kernel, int in, int out)
{
	predictd_connection *connection = NULL;
	predictd_program *program = NULL;
	const predictd_argument arguments[] = {
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_READ, .size_bytes = 4 << 20},
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_WRITE, .size_bytes = 4 << 20}};
	predictd_status opened = open_program(file, &connection, &program);
	const predictd_question question = {.program = program,
	                                    .kernel = kernel,
	                                    .device = "0",
	                                    .dimensions = 1,
	                                    .global = {1 << 20},
	                                    .local = {64},
	                                    .argument_count = 2,
	                                    .arguments = arguments};
	char byte;
	while (read(in, &byte, 1) == 1) {
		predictd_estimate estimate = {0};
		predictd_status status = opened;
		if (status == PREDICTD_OK)
			status = predictd_predict_into(connection, &question, &estimate);
		if (status != PREDICTD_OK)
			(void)fprintf(stderr, "watcher: %s\n", predictd_error_text());
		const struct seen seen = {status, estimate.epoch, estimate.kernel_time_s};
		if (write(out, &seen, sizeof seen) != sizeof seen)
			break;
	}
	predictd_program_free(program);
	predictd_close(connection);
	return 0;
}

int main(int argc, char **argv)
{
	int to[PROCESSES_MAX][2], from[PROCESSES_MAX][2];
	int count = argc == 4 ? atoi(argv[3]) : 0;
	char line[16];
	if (count < 1 || count > PROCESSES_MAX) {
		(void)fprintf(stderr, "usage: watcher SOURCE KERNEL PROCESSES\n");
		return 2;
	}
	for (int i = 0; i < count; i++) {
		if (pipe(to[i]) != 0 || pipe(from[i]) != 0)
			return 1;
		if (fork() == 0) {
			for (int j = 0; j <= i; j++) /* its end is seen when the parent ends */
				(void)close(to[j][1]);
			_exit(serve(argv[1], argv[2], to[i][0], from[i][1]));
		}
	}
	while (fgets(line, sizeof line, stdin) != NULL) {
		struct seen first = {0}, seen;
		int differ = 0;
		for (int i = 0; i < count; i++) {
			if (write(to[i][1], "", 1) != 1 ||
			    read(from[i][0], &seen, sizeof seen) != sizeof seen)
				return 1;
			if (i == 0)
				first = seen;
			differ |= seen.status != PREDICTD_OK || seen.epoch != first.epoch ||
			          seen.kernel_time_s < first.kernel_time_s ||
			          seen.kernel_time_s > first.kernel_time_s;
		}
		(void)printf("%llu %.9g%s\n", (unsigned long long)first.epoch, first.kernel_time_s,
		             differ ? " differ" : "");
		(void)fflush(stdout);
	}
	return 0;
}
