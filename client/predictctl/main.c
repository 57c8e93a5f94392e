/* SPDX-License-Identifier: Apache-2.0 */
/* predictctl: predictd on the command line. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client/predictctl/commands.h"
#include "proto/printed.h"

static enum exit_code unknown(const char *word)
{
	const char *meant = command_nearest(word);
	if (word[0] == '-')
		complain(word, "want a command first");
	else if (meant != NULL)
		complain(word, "no such command; did you mean %s?", meant);
	else
		complain(word, "no such command");
	if (word[0] == '-' || meant == NULL)
		usage_print(stderr);
	return EXIT_USAGE;
}

/* Whose options are other programs': it takes the words as they are. */
static bool is_foreign(int command)
{
	return command == COMMAND_TUNE || command == COMMAND_SWEEP || command == COMMAND_REPORT ||
	       command == COMMAND_ADVISE || command == COMMAND_SHARE;
}

static enum exit_code run_foreign(int command, int argc, char **argv)
{
	if (command == COMMAND_SHARE)
		return command_share(argc, argv);
	static const char *const modules[COMMAND_COUNT] = {[COMMAND_TUNE] = "predictd.tune",
	                                                   [COMMAND_SWEEP] = "predictd.sweep",
	                                                   [COMMAND_REPORT] = "predictd.report",
	                                                   [COMMAND_ADVISE] = "predictd.advise"};
	return command_python(modules[command], argc, argv);
}

static enum exit_code help(const struct options *options)
{
	int command = options->positional_count > 0 ? command_find(options->positional[0]) : -1;
	if (options->positional_count == 0) {
		usage_print(stdout);
		return EXIT_DONE;
	}
	if (command < 0)
		return unknown(options->positional[0]);
	if (is_foreign(command))
		return run_foreign(
		        command, 2,
		        (char *[]){(char *)options->positional[0], (char *)"--help", NULL});
	command_usage_print((enum command)command, stdout);
	return EXIT_DONE;
}

int main(int argc, char **argv)
{
	static enum exit_code (*const run[COMMAND_COUNT])(const struct options *) = {
	        [COMMAND_STATUS] = command_status,
	        [COMMAND_WAITSYNC] = command_waitsync,
	        [COMMAND_TOP] = command_top,
	        [COMMAND_KERNELS] = command_kernels,
	        [COMMAND_USERS] = command_users,
	        [COMMAND_BACKUP] = command_backup,
	        [COMMAND_RESTORE] = command_restore,
	        [COMMAND_METRICS] = command_metrics,
	        [COMMAND_DEVICES] = command_devices,
	        [COMMAND_CALIBRATE] = command_calibrate,
	        [COMMAND_PREDICT] = command_predict,
	        [COMMAND_MEASURE] = command_measure,
	        [COMMAND_EVALUATE] = command_evaluate,
	        [COMMAND_PLACE] = command_place,
	        [COMMAND_SPLIT] = command_split,
	        [COMMAND_CASES] = command_cases,
	        [COMMAND_OBSERVE] = command_observe,
	        [COMMAND_HISTORY] = command_history,
	        [COMMAND_FORGET] = command_forget,
	        [COMMAND_REMOVE] = command_remove,
	        [COMMAND_EXPORT] = command_export,
	        [COMMAND_IMPORT] = command_import,
	        [COMMAND_STARPU_EXPORT] = command_starpu_export,
	        [COMMAND_STARPU_IMPORT] = command_starpu_import,
	        [COMMAND_RUN] = command_run,
	        [COMMAND_LAYER] = command_layer,
	        [COMMAND_DOCTOR] = command_doctor,
	        [COMMAND_HELP] = help};
	if (argc < 2) {
		usage_print(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		usage_print(stdout);
		return printed("predictctl", EXIT_DONE);
	}
	if (strcmp(argv[1], "--version") == 0) {
		(void)printf("predictctl %s\n", predictd_version());
		return printed("predictctl", EXIT_DONE);
	}
	int command = command_find(argv[1]);
	if (command < 0)
		return (int)unknown(argv[1]);
	if (is_foreign(command))
		return (int)run_foreign(command, argc - 1, argv + 1);
	/* a socket in the place of a closed standard input would be read as a source */
	if (fcntl(STDIN_FILENO, F_GETFD) < 0)
		(void)open("/dev/null", O_RDONLY);
	struct options options;
	bool wants_help;
	enum exit_code code =
	        options_parse((enum command)command, argc - 1, argv + 1, &options, &wants_help);
	if (wants_help)
		command_usage_print((enum command)command, stdout);
	else if (code == EXIT_DONE)
		code = run[command](&options);
	options_deinit(&options);
	return printed("predictctl", (int)code);
}
