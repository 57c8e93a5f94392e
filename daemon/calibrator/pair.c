/* SPDX-License-Identifier: Apache-2.0 */
/* Two sides, driven in step. */
#include "daemon/calibrator/pair.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/calibrator/repeats.h"
#include "daemon/calibrator/self.h"
#include "daemon/calibrator/side.h"
#include "proto/other_load.h"

/* A phase: for that long, from when both sides have read their line and work for certain. */
#define PHASE_S 0.1
#define LEAD_S  0.015

/* A round is 15 phases; no round begins that would end after MOST_S. */
#define MOST_S 7.0
#define SURE   0.02

/* Until a side is ready: its driver compiles. Until it answers: its last piece may be long. */
#define READY_LIMIT_S  30.0
#define ANSWER_LIMIT_S 5.0

enum { ROUNDS_LEAST = 3, ROUNDS_MOST = 8, SIDES = 2, NAME_MAX_BYTES = 128 };

struct end {
	pid_t process; /* -1: none */
	int to, from;  /* -1: none */
	char name[NAME_MAX_BYTES];
	char line[SIDE_LINE_MAX];
	size_t filled; /* of the line */
};

struct pair {
	struct end ends[SIDES];
	const struct pair_options *options;
	double start_s;
	size_t rounds;
	struct repeats *slowdowns; /* [side][own load][the other's] */
	double alone[SIDES][LOAD_COUNT];
};

static struct repeats *repeats_of(struct pair *pair, int side, enum load own, enum load other)
{
	return &pair->slowdowns[(side * LOAD_COUNT + (int)own) * LOAD_COUNT + (int)other];
}

/* ---- sides --------------------------------------------------------------------------------- */

static pid_t side_start(const struct pair_options *options, int side, int input, int output)
{
	char mode[] = "--side", device[] = "--device", shell_option[] = "-c";
	const char *command = options->commands[side];
	if (command == NULL) {
		char *arguments[] = {NULL, mode, device, (char *)(uintptr_t)options->devices[side],
		                     NULL};
		return self_start(arguments, input, output);
	}
	char *arguments[] = {NULL, shell_option, (char *)(uintptr_t)command, NULL};
	static char shell[] = "/bin/sh";
	return self_start_other(shell, arguments, input, output);
}

static enum status end_open(struct pair *pair, int side, struct error *error)
{
	struct end *end = &pair->ends[side];
	int to[2] = {-1, -1}, from[2] = {-1, -1};
	if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) {
		for (int i = 0; i < 2; i++)
			if (to[i] >= 0)
				(void)close(to[i]);
		return error_set(error, STATUS_IO, "a side: no pipe: %s", strerror(errno));
	}
	end->process = side_start(pair->options, side, to[0], from[1]);
	(void)close(to[0]);
	(void)close(from[1]);
	end->to = to[1];
	end->from = from[0];
	if (end->process < 0)
		return error_set(error, STATUS_IO, "%s: its process cannot be started: %s",
		                 end->name, strerror(errno));
	return STATUS_OK;
}

/* Its input ends, with which it ends by itself; in a second it has to. */
static void end_close(struct end *end, bool is_patient)
{
	if (end->to >= 0)
		(void)close(end->to);
	if (end->from >= 0)
		(void)close(end->from);
	end->to = end->from = -1;
	if (end->process < 0)
		return;
	double until_s = clock_now_s() + (is_patient ? 1 : 0);
	while (waitpid(end->process, NULL, WNOHANG) == 0) {
		if (clock_now_s() > until_s) {
			(void)kill(end->process, SIGKILL);
			(void)waitpid(end->process, NULL, 0);
			break;
		}
		(void)poll(NULL, 0, 5);
	}
	end->process = -1;
}

/* Its output has ended: by what. */
static enum status end_lost(struct end *end, const char *doing, struct error *error)
{
	int state = 0;
	pid_t ended = 0;
	/* the pipe is closed a moment before the process has ended */
	for (int i = 0; i < 100 && (ended = waitpid(end->process, &state, WNOHANG)) == 0; i++)
		(void)poll(NULL, 0, 10);
	if (ended == end->process)
		end->process = -1;
	if (ended > 0 && WIFSIGNALED(state))
		return error_set(error, STATUS_DEVICE,
		                 "%.100s: its driver crashed %s (signal %d, %s)", end->name, doing,
		                 WTERMSIG(state), strsignal(WTERMSIG(state)));
	if (ended > 0)
		return error_set(error, STATUS_DEVICE, "%.100s: its process ended %s (status %d)",
		                 end->name, doing, WEXITSTATUS(state));
	return error_set(error, STATUS_DEVICE, "%.100s: its process closed its output %s",
	                 end->name, doing);
}

/* The next line, without its end, in end->line. */
static enum status end_read(struct end *end, double until_s, const char *doing, struct error *error)
{
	end->filled = 0;
	for (;;) {
		struct pollfd ready = {.fd = end->from, .events = POLLIN};
		double left_s = until_s - clock_now_s();
		if (left_s <= 0)
			return error_set(error, STATUS_DEVICE,
			                 "%.100s: its driver does not answer %s", end->name, doing);
		int polled = poll(&ready, 1, (int)ceil(1e3 * left_s));
		if (polled < 0 && errno != EINTR)
			return error_set(error, STATUS_IO, "%.100s: poll: %s", end->name,
			                 strerror(errno));
		if (polled <= 0)
			continue;
		char next;
		ssize_t got = read(end->from, &next, 1);
		if (got <= 0)
			return end_lost(end, doing, error);
		if (next == '\n')
			break;
		if (end->filled + 1 == sizeof end->line)
			return error_set(error, STATUS_DEVICE,
			                 "%.100s: its process answered no line of a side",
			                 end->name);
		end->line[end->filled++] = next;
	}
	end->line[end->filled] = '\0';
	if (strncmp(end->line, "failed ", 7) == 0)
		return error_set(error, STATUS_DEVICE, "%.100s: %s: %.120s", end->name, doing,
		                 end->line + 7);
	return STATUS_OK;
}

/* ---- phases -------------------------------------------------------------------------------- */

/* Both sides, or one (the other's load is LOAD_COUNT); each one's rate. */
static enum status phase(struct pair *pair, const enum load loads[SIDES], double rates[SIDES],
                         struct error *error)
{
	double begin_s = clock_now_s() + LEAD_S;
	char line[SIDE_LINE_MAX], doing[64];
	enum status status = STATUS_OK;
	for (int side = 0; side < SIDES && status == STATUS_OK; side++) {
		if (loads[side] == LOAD_COUNT)
			continue;
		(void)snprintf(line, sizeof line, "run %s %" PRId64 " %" PRId64 "\n",
		               load_name(loads[side]), (int64_t)(begin_s * 1e9),
		               (int64_t)(PHASE_S * 1e9));
		if (side_write(pair->ends[side].to, line, error) != STATUS_OK)
			status = end_lost(&pair->ends[side], "between two phases", error);
	}
	for (int side = 0; side < SIDES && status == STATUS_OK; side++) {
		enum load own = loads[side], other = loads[1 - side];
		if (own == LOAD_COUNT)
			continue;
		(void)snprintf(doing, sizeof doing, "at %s%s%s", load_name(own),
		               other == LOAD_COUNT ? ", alone" : " beside ",
		               other == LOAD_COUNT ? "" : load_name(other));
		status = end_read(&pair->ends[side], begin_s + PHASE_S + ANSWER_LIMIT_S, doing,
		                  error);
		if (status != STATUS_OK)
			break;
		if (sscanf(pair->ends[side].line, "done %lf", &rates[side]) != 1 ||
		    !(rates[side] > 0 && isfinite(rates[side])))
			status = error_set(error, STATUS_DEVICE, "%.80s: no rate %s: \"%.60s\"",
			                   pair->ends[side].name, doing, pair->ends[side].line);
	}
	return status;
}

static enum status tell(const struct pair *pair, double done, const char *stage,
                        struct error *error)
{
	const struct pair_options *options = pair->options;
	double left_s = fmax(MOST_S - (clock_now_s() - pair->start_s), 0);
	return options->progress == NULL
	               ? STATUS_OK
	               : options->progress(options->context, done, left_s, stage, error);
}

/* Every load alone, then every load beside every load. */
static enum status measure_round(struct pair *pair, struct error *error)
{
	double rates[SIDES];
	enum status status = STATUS_OK;
	for (int side = 0; side < SIDES; side++)
		for (enum load load = 0; load < LOAD_COUNT && status == STATUS_OK; load++) {
			enum load loads[SIDES] = {LOAD_COUNT, LOAD_COUNT};
			loads[side] = load;
			status = phase(pair, loads, rates, error);
			pair->alone[side][load] = rates[side];
		}
	for (enum load first = 0; first < LOAD_COUNT && status == STATUS_OK; first++)
		for (enum load second = 0; second < LOAD_COUNT && status == STATUS_OK; second++) {
			const enum load loads[SIDES] = {first, second};
			status = phase(pair, loads, rates, error);
			for (int side = 0; side < SIDES && status == STATUS_OK; side++)
				repeats_add(repeats_of(pair, side, loads[side], loads[1 - side]),
				            pair->alone[side][loads[side]] / rates[side]);
		}
	pair->rounds++;
	return status;
}

/* The largest standard error of what is beyond noise. */
static double least_sure(struct pair *pair)
{
	double error = 0;
	for (int i = 0; i < SIDES * LOAD_COUNT * LOAD_COUNT; i++)
		error = fmax(error, repeats_standard_error(&pair->slowdowns[i]));
	return error;
}

static enum status measure_rounds(struct pair *pair, struct error *error)
{
	enum status status = STATUS_OK;
	double began_s = clock_now_s();
	while (status == STATUS_OK && pair->rounds < ROUNDS_MOST) {
		double now_s = clock_now_s(), took_s = 0;
		if (pair->rounds > 0)
			took_s = (now_s - began_s) / (double)pair->rounds;
		if (pair->rounds >= ROUNDS_LEAST &&
		    (least_sure(pair) < SURE || now_s + took_s - pair->start_s > MOST_S))
			break;
		status = tell(pair,
		              0.1 + 0.9 * fmin((double)pair->rounds / (double)ROUNDS_LEAST, 0.95),
		              "together", error);
		if (status == STATUS_OK)
			status = measure_round(pair, error);
	}
	return status;
}

static enum status sides_open(struct pair *pair, struct error *error)
{
	enum status status = STATUS_OK;
	for (int side = 0; side < SIDES && status == STATUS_OK; side++) {
		const char *command = pair->options->commands[side];
		(void)snprintf(pair->ends[side].name, NAME_MAX_BYTES, "%.100s",
		               command != NULL ? command : pair->options->devices[side]);
		status = end_open(pair, side, error);
	}
	for (int side = 0; side < SIDES && status == STATUS_OK; side++) {
		struct end *end = &pair->ends[side];
		status = end_read(end, clock_now_s() + READY_LIMIT_S, "as it prepared its loads",
		                  error);
		if (status == STATUS_OK && strncmp(end->line, "ready ", 6) != 0)
			status = error_set(error, STATUS_DEVICE, "%.100s: no side: \"%.80s\"",
			                   end->name, end->line);
		if (status == STATUS_OK)
			(void)snprintf(end->name, NAME_MAX_BYTES, "%.120s", end->line + 6);
	}
	return status;
}

enum status pair_measure(const struct pair_options *options, struct contention *contention,
                         struct error *error)
{
	struct pair pair = {.options = options,
	                    .start_s = clock_now_s(),
	                    .ends = {{-1, -1, -1, "", "", 0}, {-1, -1, -1, "", "", 0}}};
	struct other_load before, after;
	pair.slowdowns = calloc((size_t)SIDES * LOAD_COUNT * LOAD_COUNT, sizeof *pair.slowdowns);
	if (pair.slowdowns == NULL)
		return error_set(error, STATUS_NO_MEMORY, "a pair: out of memory");
	other_load_look(&before);
	enum status status = tell(&pair, 0, "two processes", error);
	if (status == STATUS_OK)
		status = sides_open(&pair, error);
	if (status == STATUS_OK)
		status = measure_rounds(&pair, error);
	/* processes that have ended count as this one's own */
	for (int side = 0; side < SIDES; side++)
		end_close(&pair.ends[side], status == STATUS_OK);
	other_load_look(&after);
	if (status == STATUS_OK) {
		contention->standard_error = least_sure(&pair);
		contention->others_share = other_load_share(&before, &after);
		contention->was_busy = contention->others_share > OTHER_LOAD_MAX;
		contention->duration_s = clock_now_s() - pair.start_s;
	}
	for (int side = 0; side < SIDES && status == STATUS_OK; side++)
		for (enum load own = 0; own < LOAD_COUNT; own++)
			for (enum load other = 0; other < LOAD_COUNT; other++) {
				double slowdown =
				        repeats_quantile(repeats_of(&pair, side, own, other), 0.5);
				contention->slowdown[side][own][other] =
				        fmin(fmax(slowdown, 1), CONTENTION_MAX);
			}
	free(pair.slowdowns);
	return status;
}
