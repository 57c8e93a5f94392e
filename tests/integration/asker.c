/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that holds one connection for as long as it lives, and names devices on it:
 *
 *   asker FILE.cl KERNEL
 *
 * A line of input, and a line of output: "ask DEVICE" gives the key that the answer was for and
 * its note; "estimate DEVICE" asks by the way of schedulers, "report DEVICE" tells a time; "list"
 * gives the number of devices.
 */
#include <stdio.h>
#include <string.h>

#include "client/predictd.h"

static predictd_connection *connection;

static void fail(void)
{
	(void)printf("refused: %s\n", predictd_error_text());
}

static void ask(const predictd_question *question)
{
	predictd_prediction *got = NULL;
	if (predictd_predict(connection, question, &got) != PREDICTD_OK) {
		fail();
		return;
	}
	(void)printf("%s %s\n", got->device_key, got->note);
	predictd_predictions_free(got, 1);
}

static void estimate(const predictd_question *question)
{
	predictd_estimate got;
	if (predictd_predict_into(connection, question, &got) != PREDICTD_OK)
		fail();
	else
		(void)printf("%.9g\n", got.kernel_time_s);
}

static void report(const predictd_question *question)
{
	const predictd_observation observation = {.question = *question, .kernel_time_s = 0.001};
	if (predictd_observe(connection, &observation, 1, NULL) != PREDICTD_OK)
		fail();
	else
		(void)puts("kept");
}

static void list(void)
{
	predictd_devices *devices = NULL;
	if (predictd_list_devices(connection, false, &devices) != PREDICTD_OK) {
		fail();
		return;
	}
	(void)printf("%zu\n", devices->count);
	predictd_devices_free(devices);
}

int main(int argc, char **argv)
{
	predictd_source *source = NULL;
	predictd_program *program = NULL;
	char line[256];
	if (argc != 3 || predictd_open(NULL, &connection) != PREDICTD_OK ||
	    predictd_source_load(argv[1], "", &source) != PREDICTD_OK ||
	    predictd_register(connection, source, &program) != PREDICTD_OK) {
		(void)fprintf(stderr, "asker: %s\n", predictd_error_text());
		return 1;
	}
	const predictd_argument arguments[] = {
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_READ, .size_bytes = 4 << 20},
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_WRITE, .size_bytes = 4 << 20},
	};
	while (fgets(line, sizeof line, stdin) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		const char *space = strchr(line, ' ');
		const predictd_question question = {
		        .program = program,
		        .kernel = argv[2],
		        .device = space != NULL ? space + 1 : NULL,
		        .dimensions = 1,
		        .global = {1 << 20},
		        .local = {64},
		        .argument_count = 2,
		        .arguments = arguments,
		};
		if (strncmp(line, "ask", 3) == 0)
			ask(&question);
		else if (strncmp(line, "estimate", 8) == 0)
			estimate(&question);
		else if (strncmp(line, "report", 6) == 0)
			report(&question);
		else
			list();
		(void)fflush(stdout);
	}
	predictd_program_free(program);
	predictd_source_free(source);
	predictd_close(connection);
	return 0;
}
