/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl cases: a cases file for kernels of the user's own, sizes guessed and said. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/ask.h"
#include "client/predictctl/commands.h"
#include "client/predictctl/guess.h"

enum { SIZE_DEFAULT = 65536 };

enum exit_code command_cases(const struct options *options)
{
	predictd_connection *connection = NULL;
	predictd_source *source = NULL;
	predictd_program *program = NULL;
	const struct launch_case *one = &options->cases_list.cases[0];
	json_t *list = json_array();
	char *path = NULL;
	enum exit_code code = ask_open(options, &connection);
	if (code != EXIT_DONE)
		goto out;
	predictd_status status = predictd_source_load(one->file, one->options, &source);
	if (status == PREDICTD_OK)
		status = predictd_register(connection, source, &program);
	if (status != PREDICTD_OK) {
		code = complain_of(one->file, status);
		goto out;
	}
	/* the file may be kept anywhere: paths in it are whole */
	path = realpath(one->file, NULL);
	if (predictd_program_undefined(program)[0] != '\0')
		complain(one->file, "%s", predictd_program_undefined(program));
	const predictd_kernel *kernels;
	size_t count = predictd_program_kernels(program, &kernels), sizes = options->size_count;
	for (size_t i = 0; i < count; i++) {
		if (one->kernel != NULL && strcmp(one->kernel, kernels[i].name) != 0)
			continue;
		for (size_t j = 0; j < (sizes > 0 ? sizes : 1); j++) {
			char said[1024];
			json_array_append_new(
			        list,
			        guess_case(path != NULL ? path : one->file, one->options,
			                   source->text, &kernels[i],
			                   sizes > 0 ? options->sizes[j] : SIZE_DEFAULT, said));
			(void)fprintf(stderr, "guessed: %s\n", said);
		}
		if (kernels[i].unsupported[0] != '\0')
			(void)fprintf(stderr, "note: %s: a rough fallback is all there is: %s\n",
			              kernels[i].name, kernels[i].unsupported);
	}
	if (count == 0) {
		const char *left_out = predictd_program_left_out(program);
		complain(one->file, "the source has no kernel%s%s",
		         left_out[0] != '\0' ? ": the preprocessor left out " : "", left_out);
		code = EXIT_FAILED;
		goto out;
	}
	if (json_array_size(list) == 0) {
		char names[256] = "";
		for (size_t i = 0; i < count; i++) {
			size_t used = strlen(names);
			(void)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
			               kernels[i].name);
		}
		complain(one->file, "no kernel '%s'; it has %s", one->kernel, names);
		code = EXIT_FAILED;
		goto out;
	}
	/* a cases file is an array: no schema around it */
	(void)json_dumpf(list, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	(void)putchar('\n');
out:
	free(path);
	json_decref(list);
	predictd_program_free(program);
	predictd_source_free(source);
	predictd_close(connection);
	return code;
}
