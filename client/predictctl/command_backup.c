/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl backup and restore: what the daemon keeps, to a file and back. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/predictctl/ask.h"
#include "client/predictctl/commands.h"
#include "client/predictctl/whole_file.h"
#include "client/predictd_operation.h"

struct output {
	struct whole_file file;
	uint64_t bytes;
};

static bool output_write(const void *bytes, size_t size, void *context)
{
	struct output *output = context;

	whole_file_write(&output->file, bytes, size);
	output->bytes += size;
	return output->file.why == 0;
}

/* FILE is the whole backup, or what it was. */
enum exit_code command_backup(const struct options *options)
{
	const char *file = options->positional[0];
	predictd_connection *connection = NULL;
	predictd_status status = PREDICTD_OK;
	struct output output = {.bytes = 0};
	char text[TEXT_MAX];
	bool is_shown;
	enum exit_code code = ask_open(options, &connection);

	if (code != EXIT_DONE)
		return code;
	if (whole_file_open(&output.file, file))
		status = predictd_backup(connection, output_write, &output);
	is_shown = output.file.path != NULL; /* else it may be standard output */
	if (output.file.why == 0 && status != PREDICTD_OK)
		code = complain_of("backup", status);
	/* it has what users observed */
	if (!whole_file_close(&output.file, code == EXIT_DONE, 0600) && code == EXIT_DONE) {
		complain(file, "%s", strerror(output.file.why));
		code = EXIT_FAILED;
	}
	if (code == EXIT_DONE && options->json && is_shown) {
		print_json(json_pack("{ss sI}", "file", file, "bytes", (json_int_t)output.bytes));
	} else if (code == EXIT_DONE && is_shown) {
		format_bytes(text, (double)output.bytes);
		(void)printf("%s: %s\n", file, text);
	}
	predictd_close(connection);
	return code;
}

/* predictd itself does it, which knows its database; no daemon may run in DIR. */
enum exit_code command_restore(const struct options *options)
{
	const char *given = getenv("PREDICTD");
	char *words[] = {(char *)"predictd",
	                 (char *)"--restore",
	                 (char *)(uintptr_t)options->positional[0],
	                 (char *)"--state",
	                 (char *)(uintptr_t)options->positional[1],
	                 NULL};
	(void)execv(given != NULL ? given : PREDICTD_SBINDIR "/predictd", words);
	if (given == NULL && errno == ENOENT)
		(void)execvp(words[0], words);
	complain(given != NULL ? given : "predictd", "%s", strerror(errno));
	return EXIT_FAILED;
}
