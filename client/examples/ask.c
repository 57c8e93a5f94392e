/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask FILE.cl KERNEL ITEMS: how long a kernel of two float buffers and a length takes.
 *
 * cc ask.c $(pkg-config --cflags --libs predictd) -o ask
 */
#include <predictd.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	predictd_connection *daemon = NULL;
	predictd_source *source = NULL;
	predictd_program *program = NULL;
	predictd_prediction *answer = NULL;
	int result = EXIT_FAILURE;
	if (argc != 4) {
		(void)fprintf(stderr, "usage: ask FILE.cl KERNEL ITEMS\n");
		return 2;
	}
	uint64_t items = strtoull(argv[3], NULL, 10);

	if (predictd_open(NULL, &daemon) != PREDICTD_OK ||
	    predictd_source_load(argv[1], NULL, &source) != PREDICTD_OK ||
	    predictd_register(daemon, source, &program) != PREDICTD_OK)
		goto out;

	const predictd_argument arguments[] = {
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_READ, .size_bytes = 4 * items},
	        {.kind = PREDICTD_BUFFER, .access = PREDICTD_WRITE, .size_bytes = 4 * items},
	        {.kind = PREDICTD_SCALAR, .type = "int", .integers = {(int64_t)items}},
	};
	const predictd_question question = {.program = program,
	                                    .kernel = argv[2],
	                                    .dimensions = 1,
	                                    .global = {items},
	                                    .argument_count = 3,
	                                    .arguments = arguments};
	if (predictd_predict(daemon, &question, &answer) != PREDICTD_OK)
		goto out;
	(void)printf("%s: %.3g s, nine times of ten from %.3g to %.3g s, bound by %s\n", argv[2],
	             answer->kernel_time_s, answer->low_s, answer->high_s, answer->bottleneck);
	result = EXIT_SUCCESS;
out:
	if (result != EXIT_SUCCESS)
		(void)fprintf(stderr, "ask: %s\n", predictd_error_text());
	predictd_predictions_free(answer, 1);
	predictd_program_free(program);
	predictd_source_free(source);
	predictd_close(daemon);
	return result;
}
