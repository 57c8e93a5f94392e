/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observer FILE.cl: a runtime that outlives daemons.
 *
 * Over one connection it observes launches of the file's kernel `copy`, one at a time, and asks
 * for estimates in between, until SIGTERM. A daemon that is away is waited for, anything else
 * that goes wrong ends it. Writes to standard output, as it goes, how many observations
 * were acknowledged, how many not, and how many estimates were answered.
 */
#include <predictd.h>

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ITEMS = 1 << 20, AWAY_NS = 20000000, TOLD_EVERY = 64 };

static volatile sig_atomic_t is_ending;

static void on_signal(int number)
{
	(void)number;
	is_ending = 1;
}

/* True for what a daemon that ends, or has not come back yet, is to its clients. */
static int is_away(predictd_status status)
{
	return status == PREDICTD_UNAVAILABLE || status == PREDICTD_TIMEOUT ||
	       status == PREDICTD_CANCELLED || status == PREDICTD_BUSY;
}

static void wait_ns(long ns)
{
	(void)nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

static int observe_all(predictd_connection *daemon, const predictd_program *program)
{
	const predictd_argument arguments[] = {
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_READ, .size_bytes = 4 * ITEMS},
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_WRITE, .size_bytes = 4 * ITEMS},
	};
	const predictd_observation observation = {.kernel_time_s = 1e-3,
	                                          .question = {.program = program,
	                                                       .device = "0",
	                                                       .kernel = "copy",
	                                                       .dimensions = 1,
	                                                       .global = {ITEMS},
	                                                       .local = {64},
	                                                       .argument_count = 2,
	                                                       .arguments = arguments}};
	uint64_t acknowledged = 0, lost = 0, answered = 0;
	for (uint64_t i = 1; !is_ending; i++) {
		predictd_status status = predictd_observe(daemon, &observation, 1, NULL);
		if (status == PREDICTD_OK)
			acknowledged++;
		else if (!is_away(status))
			return 0;
		else
			lost++;
		predictd_estimate estimate;
		predictd_status asked =
		        predictd_predict_into(daemon, &observation.question, &estimate);
		if (asked != PREDICTD_OK && !is_away(asked))
			return 0;
		answered += asked == PREDICTD_OK;
		if (status != PREDICTD_OK || asked != PREDICTD_OK)
			wait_ns(AWAY_NS);
		if (i % TOLD_EVERY == 0 || is_ending || status != PREDICTD_OK) {
			(void)printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", acknowledged, lost,
			             answered);
			(void)fflush(stdout);
		}
	}
	(void)printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", acknowledged, lost, answered);
	return 1;
}

int main(int argc, char **argv)
{
	predictd_connection *daemon = NULL;
	predictd_source *source = NULL;
	predictd_program *program = NULL;
	if (argc != 2) {
		(void)fprintf(stderr, "usage: observer FILE.cl\n");
		return 2;
	}
	(void)signal(SIGTERM, on_signal);
	int is_good = predictd_open(NULL, &daemon) == PREDICTD_OK &&
	              predictd_source_load(argv[1], NULL, &source) == PREDICTD_OK &&
	              predictd_register(daemon, source, &program) == PREDICTD_OK &&
	              observe_all(daemon, program);
	if (!is_good)
		(void)fprintf(stderr, "observer: %s\n", predictd_error_text());
	predictd_program_free(program);
	predictd_source_free(source);
	predictd_close(daemon);
	return is_good ? EXIT_SUCCESS : EXIT_FAILURE;
}
