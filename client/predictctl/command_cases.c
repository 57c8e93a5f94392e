/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl cases: a cases file for kernels of the user's own, sizes guessed and said. */
#include <stdio.h>

#include "client/predictctl/commands.h"
#include "client/predictctl/guess_cases.h"

enum exit_code command_cases(const struct options *options)
{
	predictd_connection *connection = NULL;
	json_t *list = NULL;
	enum exit_code code = ask_open(options, &connection);
	if (code == EXIT_DONE)
		code = guess_json(connection, &options->cases_list.cases[0], options->device,
		                  options->sizes, options->size_count, &list);
	if (code == EXIT_DONE) {
		/* a cases file is an array: no schema around it */
		(void)json_dumpf(list, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
		(void)putchar('\n');
	}
	json_decref(list);
	predictd_close(connection);
	return code;
}
