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
#include "client/predictd_operation.h"

struct output {
	int fd, why;
	uint64_t bytes;
};

static bool output_write(const void *bytes, size_t size, void *context)
{
	struct output *output = context;
	const char *at = bytes;
	for (size_t done = 0; done < size;) {
		ssize_t wrote = write(output->fd, at + done, size - done);
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0) {
			output->why = errno;
			return false;
		}
		done += (size_t)wrote;
	}
	output->bytes += size;
	return true;
}

/* FILE is the whole backup, or what it was: the parts go to a file beside it. */
enum exit_code command_backup(const struct options *options)
{
	const char *file = options->positional[0];
	predictd_connection *connection = NULL;
	char beside[PATH_MAX], text[TEXT_MAX];
	struct output output = {.fd = -1};
	int length = snprintf(beside, sizeof beside, "%s.XXXXXX", file);
	if (length < 0 || (size_t)length >= sizeof beside) {
		complain("backup", "the path is too long");
		return EXIT_FAILED;
	}
	enum exit_code code = ask_open(options, &connection);
	if (code != EXIT_DONE)
		return code;
	output.fd = mkstemp(beside); /* its mode is 0600: it has what users observed */
	if (output.fd < 0) {
		complain(file, "%s", strerror(errno));
		predictd_close(connection);
		return EXIT_FAILED;
	}
	predictd_status status = predictd_backup(connection, output_write, &output);
	if (status == PREDICTD_OK && fsync(output.fd) != 0)
		output.why = errno;
	if (output.why == 0 && status != PREDICTD_OK)
		code = complain_of("backup", status);
	if (close(output.fd) != 0 && output.why == 0)
		output.why = errno;
	if (code == EXIT_DONE && output.why == 0 && rename(beside, file) != 0)
		output.why = errno;
	if (output.why != 0) {
		complain(file, "%s", strerror(output.why));
		code = EXIT_FAILED;
	}
	if (code != EXIT_DONE)
		(void)unlink(beside);
	else if (options->json)
		print_json(json_pack("{ss sI}", "file", file, "bytes", (json_int_t)output.bytes));
	else {
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
