/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events FILE.cl KERNEL: an event loop that asks without waiting.
 *
 * Reads numbers of work-items from standard input, one a line, asks how long the kernel (of buffers
 * of floats alone) takes with each, and prints answers as they come. The loop itself never waits
 * for the daemon, nor minds that it is away: it opens lazily, and is told what failed.
 *
 * cc events.c $(pkg-config --cflags --libs predictd) -o events
 */
#include <poll.h>
#include <predictd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENTS = 2 };

struct application {
	predictd_connection *connection;
	predictd_program *program;
	const char *kernel;
	size_t waiting, failed;
};

struct asked {
	struct application *application;
	uint64_t items;
};

/* Called by predictd_dispatch, on this thread. */
static void print_answer(const predictd_estimate *estimates, size_t count, void *context)
{
	struct asked *asked = context;
	(void)count; /* one question each */
	asked->application->waiting--;
	if (estimates[0].status == PREDICTD_OK) {
		(void)printf("%llu work-items: %.3g ms\n", (unsigned long long)asked->items,
		             1e3 * estimates[0].kernel_time_s);
	} else {
		asked->application->failed++;
		(void)printf("%llu work-items: %s\n", (unsigned long long)asked->items,
		             predictd_status_name(estimates[0].status));
	}
	free(asked);
}

/* Starts a question; its answer comes to print_answer. */
static void ask(struct application *application, uint64_t items)
{
	predictd_argument arguments[ARGUMENTS];
	predictd_question question;
	struct asked *asked = malloc(sizeof *asked);
	if (asked == NULL)
		return;
	asked->application = application;
	asked->items = items;
	memset(arguments, 0, sizeof arguments);
	for (size_t i = 0; i < ARGUMENTS; i++) {
		arguments[i].kind = PREDICTD_BUFFER;
		arguments[i].access = i == 0 ? PREDICTD_READ : PREDICTD_WRITE;
		arguments[i].size_bytes = 4 * items;
	}
	memset(&question, 0, sizeof question);
	question.program = application->program;
	question.kernel = application->kernel;
	question.dimensions = 1;
	question.global[0] = items;
	question.argument_count = ARGUMENTS;
	question.arguments = arguments; /* copied: they may end with this function */
	if (predictd_predict_async(application->connection, &question, 1, print_answer, asked) ==
	    PREDICTD_OK) {
		application->waiting++;
		return;
	}
	(void)printf("%llu work-items: %s\n", (unsigned long long)items, predictd_error_text());
	application->failed++;
	free(asked);
}

/* Asks for each whole line of what has been read; returns how much is left of another. */
static size_t take_lines(struct application *application, char *text, size_t size)
{
	char *begin = text, *end;
	while ((end = memchr(begin, '\n', size - (size_t)(begin - text))) != NULL) {
		*end = '\0';
		ask(application, strtoull(begin, NULL, 10));
		begin = end + 1;
	}
	size_t left = size - (size_t)(begin - text);
	memmove(text, begin, left);
	return left;
}

static int loop(struct application *application)
{
	char text[4096];
	size_t size = 0;
	struct pollfd pollers[] = {{.fd = STDIN_FILENO, .events = POLLIN},
	                           {.fd = predictd_fd(application->connection), .events = POLLIN}};
	if (pollers[1].fd < 0)
		return 0;
	while (pollers[0].fd >= 0 || application->waiting > 0) {
		if (poll(pollers, 2, -1) < 0)
			continue;
		if (pollers[1].revents != 0)
			(void)predictd_dispatch(application->connection, 0);
		if (pollers[0].fd < 0 || pollers[0].revents == 0)
			continue;
		ssize_t got = size < sizeof text
		                      ? read(STDIN_FILENO, text + size, sizeof text - size)
		                      : -1;
		if (got <= 0)
			pollers[0].fd = -1; /* no more; poll() passes over it */
		else
			size = take_lines(application, text, size + (size_t)got);
	}
	return application->failed == 0;
}

int main(int argc, char **argv)
{
	struct application application = {0};
	predictd_source *source = NULL;
	predictd_options options;
	int is_done = 0;
	if (argc != 3) {
		(void)fprintf(stderr, "usage: events FILE.cl KERNEL\n");
		return 2;
	}
	memset(&options, 0, sizeof options);
	options.size = sizeof options;
	options.is_lazy = true;
	application.kernel = argv[2];
	if (predictd_open_with(&options, &application.connection) == PREDICTD_OK &&
	    predictd_source_load(argv[1], NULL, &source) == PREDICTD_OK &&
	    predictd_register(application.connection, source, &application.program) == PREDICTD_OK)
		is_done = loop(&application);
	if (!is_done && application.failed == 0)
		(void)fprintf(stderr, "events: %s\n", predictd_error_text());
	predictd_program_free(application.program);
	predictd_source_free(source);
	predictd_close(application.connection);
	return is_done ? EXIT_SUCCESS : EXIT_FAILURE;
}
