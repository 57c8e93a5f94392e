/* SPDX-License-Identifier: Apache-2.0 */
/* predictd: arguments, configuration, and the loop. */
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/scheduling.h"
#include "model/mechanisms.h"
#include "proto/printed.h"
#include "store/backup.h"

#include <getopt.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };

struct arguments {
	const char *socket, *state, *config, *restore;
	bool checks_config, prints_config;
};

static const char help[] =
        "Usage: predictd [--socket PATH] [--state DIR] [--config FILE]\n"
        "\n"
        "Predicts how long OpenCL kernels take; answers on a Unix socket.\n"
        "\n"
        "  --socket PATH    listen here, whatever the configuration says\n"
        "  --state DIR      keep calibrations here\n"
        "  --config FILE    read this configuration\n"
        "  --restore FILE   put a backup in the place of what is kept in --state, and end\n"
        "  --check-config   read the configuration, say what is wrong with it, and end\n"
        "  --print-config   print every key of the configuration with its default, and end\n"
        "  --foreground     stay in the foreground (it always does)\n"
        "  --version        print the version, and end\n"
        "  --help           print this, and end\n"
        "\n"
        "SIGHUP reads the configuration again; SIGTERM and SIGINT end it within 2 seconds.\n";

/* The exit status that ends the program now, or -1. */
static int read_arguments(int argc, char **argv, struct arguments *arguments)
{
	enum { SOCKET = 256, STATE, CONFIG, RESTORE, CHECK, PRINT, FOREGROUND, VERSION, HELP };
	static const struct option options[] = {
	        {"socket", required_argument, NULL, SOCKET},
	        {"state", required_argument, NULL, STATE},
	        {"config", required_argument, NULL, CONFIG},
	        {"restore", required_argument, NULL, RESTORE},
	        {"check-config", no_argument, NULL, CHECK},
	        {"print-config", no_argument, NULL, PRINT},
	        {"foreground", no_argument, NULL, FOREGROUND},
	        {"version", no_argument, NULL, VERSION},
	        {"help", no_argument, NULL, HELP},
	        {NULL, 0, NULL, 0},
	};
	int option;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case SOCKET:
			arguments->socket = optarg;
			break;
		case STATE:
			arguments->state = optarg;
			break;
		case CONFIG:
			arguments->config = optarg;
			break;
		case RESTORE:
			arguments->restore = optarg;
			break;
		case CHECK:
			arguments->checks_config = true;
			break;
		case PRINT:
			arguments->prints_config = true;
			break;
		case FOREGROUND:
			break;
		case VERSION:
			puts("predictd " PREDICTD_VERSION);
			return EXIT_SUCCESS;
		case HELP:
			fputs(help, stdout);
			return EXIT_SUCCESS;
		default:
			fputs("Try \"predictd --help\".\n", stderr);
			return EXIT_USAGE;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "predictd: %s: want options only\n", argv[optind]);
		return EXIT_USAGE;
	}
	if (arguments->restore != NULL && arguments->state == NULL) {
		fputs("predictd: --restore: want --state DIR, the folder that is restored\n",
		      stderr);
		return EXIT_USAGE;
	}
	return -1;
}

/* The exit status. */
static int restore(const struct arguments *arguments)
{
	char aside[PATH_MAX + 64];
	struct error error = {.text = ""};
	if (store_restore(arguments->restore, arguments->state, aside, sizeof aside, &error) !=
	    STATUS_OK) {
		fprintf(stderr, "predictd: %s\n", error.text);
		return EXIT_FAILURE;
	}
	printf("%s/predictd.db is restored%s%s\n", arguments->state,
	       aside[0] != '\0' ? "; what it was lies beside it as " : "", aside);
	return EXIT_SUCCESS;
}

/* The exit status. */
static int print_config(void)
{
	config_print_defaults();
	return EXIT_SUCCESS;
}

static enum status replace(char *path, const char *value, struct error *error)
{
	if (strlen(value) >= PATHS_TEXT_MAX)
		return error_set(error, STATUS_INVALID, "%.100s...: path too long", value);
	strcpy(path, value);
	return STATUS_OK;
}

/* Defaults, then the configuration, then the arguments. */
static enum status configure(const struct arguments *arguments, struct config *config,
                             struct paths *paths, struct error *error)
{
	config_init(config);
	enum status status = paths_init(paths, error);
	if (status == STATUS_OK && arguments->config != NULL)
		status = replace(paths->config, arguments->config, error);
	if (status != STATUS_OK)
		return status;
	if (paths->config[0] != '\0') {
		status = config_load(config, paths->config, error);
		/* the default file may be absent; one that was named may not */
		if (status == STATUS_NOT_FOUND && arguments->config == NULL)
			status = STATUS_OK;
	}
	const char *socket = arguments->socket != NULL ? arguments->socket : config->socket;
	const char *state = arguments->state != NULL ? arguments->state : config->state;
	if (status == STATUS_OK && socket[0] != '\0')
		status = replace(paths->socket, socket, error);
	if (status == STATUS_OK && state[0] != '\0')
		status = replace(paths->state, state, error);
	return status;
}

/*
 * A prediction takes some hundred kilobytes for as long as it lasts: given back to the
 * system and asked for again each time, that costs half of what it takes to predict.
 */
static void keep_heap(void)
{
	enum { KEPT_BYTES = 2 << 20, MAPPED_BYTES = 1 << 20 };
	(void)mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	(void)mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
}

int main(int argc, char **argv)
{
	static struct daemon daemon; /* large: not for the stack */
	struct arguments arguments = {.socket = NULL};
	struct config config;
	struct paths paths;
	struct error error = {.status = STATUS_OK};
	enum log_level level = LOG_LEVEL_INFO;

	int ending = read_arguments(argc, argv, &arguments);
	if (ending < 0 && arguments.restore != NULL)
		ending = restore(&arguments);
	else if (ending < 0 && arguments.prints_config)
		ending = print_config();
	if (ending >= 0)
		return printed("predictd", ending);
	if (configure(&arguments, &config, &paths, &error) != STATUS_OK) {
		fprintf(stderr, "predictd: %s\n", error.text);
		return EXIT_FAILURE;
	}
	if (arguments.checks_config)
		return EXIT_SUCCESS;
#ifdef PREDICTD_ABLATION
	const char *left_out = getenv("PREDICTD_LEAVE_OUT");
	const char *unknown = left_out != NULL ? mechanisms_leave_out(left_out) : NULL;
	if (unknown != NULL) {
		fprintf(stderr, "predictd: PREDICTD_LEAVE_OUT: no mechanism is called %s\n",
		        unknown);
		return EXIT_FAILURE;
	}
#endif
	(void)log_level_find(config.log_level, &level);
	log_open(level);
	/* what it and its children keep is nobody else's; the socket's mode is the configuration's
	 */
	(void)umask(0077);
	keep_heap();
	scheduling_prompt();
	if (daemon_start(&daemon, &config, &paths, &error) != STATUS_OK) {
		fprintf(stderr, "predictd: %s\n", error.text);
		return EXIT_FAILURE;
	}
	(void)uv_run(&daemon.loop, UV_RUN_DEFAULT);
	if (!daemon_deinit(&daemon))
		_exit(EXIT_SUCCESS);
	return EXIT_SUCCESS;
}
