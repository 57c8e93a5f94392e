/* SPDX-License-Identifier: Apache-2.0 */
/* predictd-share: arguments, settings, and the loop; and what `predictctl share` asks of it. */
#include <getopt.h>
#include <sha2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-id128.h>
#include <unistd.h>

#include "daemon/log.h"
#include "daemon/share/administer.h"
#include "daemon/share/exchange.h"
#include "proto/printed.h"

enum { EXIT_USAGE = 2 };

static const char help[] =
        "Usage: predictd-share [--config FILE] [--state DIR] [--socket PATH]\n"
        "       predictd-share --init SERVER | --status | --forget [--config FILE] [--state DIR]\n"
        "\n"
        "Shares what this node's predictd observed with a site's other nodes, by PostgreSQL.\n"
        "\n"
        "  --config FILE    read this instead of /etc/predictd/share.conf\n"
        "  --state DIR      keep what waits, and what other nodes observed, here\n"
        "  --socket PATH    predictd's socket\n"
        "  --init SERVER    make the site's schema in the database of a connection string\n"
        "  --status         say what this node shares, and end\n"
        "  --forget         delete what this node sent to the server, and end\n"
        "  --check-config   read the configuration, say what is wrong with it, and end\n"
        "  --print-config   print every key of the configuration with its default, and end\n"
        "  --version        print the version, and end\n"
        "  --help           print this, and end\n";

struct arguments {
	const char *config, *state, *socket, *init;
	enum { RUN, INIT, STATUS, FORGET, CHECK, PRINT } what;
};

/* The exit status that ends the program now, or -1. */
static int read_arguments(int argc, char **argv, struct arguments *arguments)
{
	enum {
		CONFIG_OPTION = 256,
		STATE_OPTION,
		SOCKET_OPTION,
		INIT_OPTION,
		STATUS_OPTION,
		FORGET_OPTION,
		CHECK_OPTION,
		PRINT_OPTION,
		VERSION_OPTION,
		HELP_OPTION
	};
	static const struct option options[] = {
	        {"config", required_argument, NULL, CONFIG_OPTION},
	        {"state", required_argument, NULL, STATE_OPTION},
	        {"socket", required_argument, NULL, SOCKET_OPTION},
	        {"init", required_argument, NULL, INIT_OPTION},
	        {"status", no_argument, NULL, STATUS_OPTION},
	        {"forget", no_argument, NULL, FORGET_OPTION},
	        {"check-config", no_argument, NULL, CHECK_OPTION},
	        {"print-config", no_argument, NULL, PRINT_OPTION},
	        {"version", no_argument, NULL, VERSION_OPTION},
	        {"help", no_argument, NULL, HELP_OPTION},
	        {NULL, 0, NULL, 0},
	};
	int option;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case CONFIG_OPTION:
			arguments->config = optarg;
			break;
		case STATE_OPTION:
			arguments->state = optarg;
			break;
		case SOCKET_OPTION:
			arguments->socket = optarg;
			break;
		case INIT_OPTION:
			arguments->what = INIT;
			arguments->init = optarg;
			break;
		case STATUS_OPTION:
			arguments->what = STATUS;
			break;
		case FORGET_OPTION:
			arguments->what = FORGET;
			break;
		case CHECK_OPTION:
			arguments->what = CHECK;
			break;
		case PRINT_OPTION:
			arguments->what = PRINT;
			break;
		case VERSION_OPTION:
			puts("predictd-share " PREDICTD_VERSION);
			return EXIT_SUCCESS;
		case HELP_OPTION:
			fputs(help, stdout);
			return EXIT_SUCCESS;
		default:
			fputs("Try \"predictd-share --help\".\n", stderr);
			return EXIT_USAGE;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "predictd-share: %s: want options only\n", argv[optind]);
		return EXIT_USAGE;
	}
	return -1;
}

/* Where the daemon's clients find its socket, in the order of libpredictd's. */
static const char *find_socket(const struct arguments *arguments, const struct settings *settings)
{
	const char *given = getenv("PREDICTD_SOCKET");
	if (arguments->socket != NULL)
		return arguments->socket;
	if (settings->socket[0] != '\0')
		return settings->socket;
	return given != NULL && given[0] != '\0' ? given : "/run/predictd/predictd.sock";
}

static const char *find_state(const struct arguments *arguments, const struct settings *settings)
{
	const char *given = getenv("STATE_DIRECTORY");
	if (arguments->state != NULL)
		return arguments->state;
	if (settings->state[0] != '\0')
		return settings->state;
	return given != NULL && given[0] != '\0' ? given : "/var/lib/predictd-share";
}

/* What tells this machine from others: of systemd's machine id a hash that is of no other use;
 * else of the host's name. */
static void machine_hash(uint8_t hash[MACHINE_BYTES])
{
	static const sd_id128_t purpose = {.bytes = {0x7b, 0x1d, 0x4e, 0x0a, 0x93, 0xc6, 0x4f, 0x52,
	                                             0xa8, 0x1e, 0x60, 0xd3, 0x5c, 0x27, 0xf9,
	                                             0x84}};
	sd_id128_t id;
	char name[256] = "";
	SHA2_CTX context;
	SHA256Init(&context);
	if (sd_id128_get_machine_app_specific(purpose, &id) == 0) {
		SHA256Update(&context, id.bytes, sizeof id.bytes);
	} else {
		(void)gethostname(name, sizeof name - 1);
		SHA256Update(&context, (const uint8_t *)name, strlen(name));
	}
	SHA256Final(hash, &context);
}

/* ---- the loop ------------------------------------------------------------------------------ */

struct program {
	struct exchange exchange;
	uv_signal_t terminate, interrupt;
	bool has_failed;
};

static void end(struct program *program)
{
	exchange_stop(&program->exchange);
	if (!uv_is_closing((uv_handle_t *)&program->terminate)) {
		uv_close((uv_handle_t *)&program->terminate, NULL);
		uv_close((uv_handle_t *)&program->interrupt, NULL);
	}
}

static void on_signal(uv_signal_t *signal, int number)
{
	(void)number;
	(void)sd_notify(0, "STOPPING=1");
	end(signal->data);
}

static void on_failure(void *context, const struct error *error)
{
	struct program *program = context;
	(void)error;
	program->has_failed = true;
	end(program);
}

static int run(const struct arguments *arguments, const struct settings *settings)
{
	static struct program program; /* large: not for the stack */
	struct ledger *ledger;
	struct error error;
	uint8_t machine[MACHINE_BYTES];
	uv_loop_t loop;
	if (settings->server[0] == '\0') {
		(void)fputs("predictd-share: share.conf names no server: nothing is shared\n",
		            stderr);
		return EXIT_SUCCESS;
	}
	machine_hash(machine);
	if (ledger_open(find_state(arguments, settings), machine, &ledger, &error) != STATUS_OK) {
		(void)fprintf(stderr, "predictd-share: %s\n", error.text);
		return EXIT_FAILURE;
	}
	(void)signal(SIGPIPE, SIG_IGN);
	(void)uv_loop_init(&loop);
	enum status status = exchange_init(&program.exchange, settings,
	                                   find_socket(arguments, settings), ledger, &loop, &error);
	if (status != STATUS_OK) {
		(void)fprintf(stderr, "predictd-share: %s\n", error.text);
		ledger_close(ledger);
		return EXIT_FAILURE;
	}
	program.exchange.on_failure = on_failure;
	program.exchange.context = &program;
	(void)uv_signal_init(&loop, &program.terminate);
	(void)uv_signal_init(&loop, &program.interrupt);
	program.terminate.data = program.interrupt.data = &program;
	(void)uv_signal_start(&program.terminate, on_signal, SIGTERM);
	(void)uv_signal_start(&program.interrupt, on_signal, SIGINT);
	exchange_start(&program.exchange);
	(void)sd_notify(0, "READY=1");
	(void)uv_run(&loop, UV_RUN_DEFAULT);
	(void)uv_loop_close(&loop);
	exchange_deinit(&program.exchange);
	ledger_close(ledger);
	return program.has_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* The exit status. */
static int act(int argc, char **argv)
{
	struct arguments arguments = {.what = RUN};
	static struct settings settings;
	struct error error;
	int code = read_arguments(argc, argv, &arguments);
	if (code >= 0)
		return code;
	if (arguments.what == PRINT) {
		settings_print_defaults();
		return EXIT_SUCCESS;
	}
	settings_init(&settings);
	const char *path = arguments.config != NULL ? arguments.config : "/etc/predictd/share.conf";
	enum status status = settings_load(&settings, path, &error);
	/* the default file may be absent; one that was named may not */
	if (status == STATUS_NOT_FOUND && arguments.config == NULL)
		status = STATUS_OK;
	if (status != STATUS_OK) {
		(void)fprintf(stderr, "predictd-share: %s\n", error.text);
		return EXIT_FAILURE;
	}
	log_open(LOG_LEVEL_INFO);
	switch (arguments.what) {
	case CHECK:
		return EXIT_SUCCESS;
	case INIT:
		return administer_init(arguments.init);
	case STATUS:
		return administer_status(&settings, find_state(&arguments, &settings));
	case FORGET:
		return administer_forget(&settings, find_state(&arguments, &settings));
	default:
		return run(&arguments, &settings);
	}
}

int main(int argc, char **argv)
{
	return printed("predictd-share", act(argc, argv));
}
