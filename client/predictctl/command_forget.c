/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl forget: observations are taken back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/predictctl/ask.h"
#include "client/predictctl/commands.h"

/* "FILE.cl", "folder/FILE", "FILE.cl:KERNEL", "-": no kernel's name has such characters. */
static bool is_file(const char *text)
{
	return strpbrk(text, "./:-") != NULL;
}

/* Registers the file that --kernel names; *name is the kernel's part of it, or NULL. */
static predictd_status program_find(predictd_connection *connection, const struct options *options,
                                    predictd_program **program, char **name)
{
	predictd_source *source = NULL;
	const char *colon = strrchr(options->kernel, ':');
	const char *build = options->cases_list.cases[0].options;
	char *file = colon != NULL ? strndup(options->kernel, (size_t)(colon - options->kernel))
	                           : strdup(options->kernel);
	if (colon != NULL && colon[1] != '\0')
		*name = strdup(colon + 1);
	if (file == NULL || (colon != NULL && colon[1] != '\0' && *name == NULL)) {
		free(file);
		return PREDICTD_NO_MEMORY;
	}
	predictd_status status = predictd_source_load(file, build, &source);
	if (status == PREDICTD_OK)
		status = predictd_register(connection, source, program);
	predictd_source_free(source);
	free(file);
	return status;
}

enum exit_code command_forget(const struct options *options)
{
	predictd_connection *connection = NULL;
	predictd_program *program = NULL;
	char *name = NULL;
	uint64_t forgotten = 0;
	bool is_narrow = options->kernel != NULL || options->name != NULL ||
	                 options->device != NULL || options->age_s > 0;
	if (is_narrow && options->all) {
		complain("forget",
		         "--all forgets whatever kernel, device and age: want it or those");
		return EXIT_USAGE;
	}
	if (options->kernel != NULL && options->name != NULL) {
		complain("forget", "want --kernel or --name, not both");
		return EXIT_USAGE;
	}
	if (!is_narrow && !options->has_uid && !options->all) {
		complain("forget",
		         "want --kernel, --name, --device, --uid or --age, or else --all");
		return EXIT_USAGE;
	}
	enum exit_code code = ask_open(options, &connection);
	if (code != EXIT_DONE)
		return code;
	predictd_forgetting forgetting = {.kernel = options->kernel,
	                                  .device = options->device,
	                                  .has_uid = options->has_uid,
	                                  .uid = options->uid,
	                                  .age_s = options->age_s};
	predictd_status status = PREDICTD_OK;
	if (options->kernel != NULL && is_file(options->kernel)) {
		status = program_find(connection, options, &program, &name);
		forgetting.program = program;
		forgetting.kernel = name;
	}
	if (options->name != NULL) {
		status = predictd_register_without_source(connection, options->name, &program);
		forgetting.program = program;
	}
	if (status == PREDICTD_OK)
		status = predictd_forget(connection, &forgetting, &forgotten);
	if (status != PREDICTD_OK)
		code = complain_of("forget", status);
	else if (options->json)
		print_json(json_pack("{sI}", "forgotten", (json_int_t)forgotten));
	else
		(void)printf("%llu observation%s forgotten\n", (unsigned long long)forgotten,
		             forgotten == 1 ? "" : "s");
	free(name);
	predictd_program_free(program);
	predictd_close(connection);
	return code;
}
