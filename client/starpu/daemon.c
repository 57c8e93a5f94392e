/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The adapter's thread: whatever may block on the daemon is done here, so that a program which
 * starts while the daemon hangs is kept for 50 ms in all.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/starpu/adapter.h"

enum {
	PATIENCE_NS = 50000000, /* of waits in vain, in all */
	PING_NS = 1000000000,   /* how soon a loss is noticed */
	TIMEOUT_S = 2           /* of a daemon that hangs */
};

struct adapter adapter = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

int64_t adapter_now_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- waits --------------------------------------------------------------------------------- */

double adapter_patience_s(void)
{
	int64_t left_ns = PATIENCE_NS - atomic_load(&adapter.fruitless_ns);
	return left_ns > 0 ? 1e-9 * (double)left_ns : 0;
}

void adapter_waited(int64_t begin_ns, bool in_vain)
{
	int64_t waited_ns = adapter_now_ns() - begin_ns;
	atomic_fetch_add(&adapter.waited_ns, waited_ns);
	if (in_vain)
		atomic_fetch_add(&adapter.fruitless_ns, waited_ns);
}

/* ---- a daemon that is away ----------------------------------------------------------------- */

bool adapter_is_silent(void)
{
	const char *silent = getenv("STARPU_SILENT");
	return silent != NULL && silent[0] != '\0' && strcmp(silent, "0") != 0;
}

void adapter_say(struct predictd_starpu_state *state, const char *sentence)
{
	if (!atomic_exchange(&state->has_been_said, true) && !adapter_is_silent())
		(void)fprintf(stderr, "[predictd] %s: %s\n", state->history.symbol, sentence);
}

void adapter_heard(predictd_status status)
{
	bool is_lost = status == PREDICTD_UNAVAILABLE || status == PREDICTD_TIMEOUT;
	if (atomic_exchange(&adapter.is_lost, is_lost) == is_lost)
		return;
	if (is_lost)
		atomic_fetch_add(&adapter.losses, 1);
	if (adapter_is_silent())
		return;
	if (is_lost)
		(void)fprintf(stderr,
		              "[predictd] no answers, tasks are placed by StarPU's own history: "
		              "%s\n",
		              predictd_error_text());
	else
		(void)fprintf(stderr, "[predictd] answers again\n");
}

/* ---- registering --------------------------------------------------------------------------- */

static bool is_away(predictd_status status)
{
	return status == PREDICTD_UNAVAILABLE || status == PREDICTD_TIMEOUT ||
	       status == PREDICTD_BUSY || status == PREDICTD_CANCELLED;
}

static predictd_status prepare_kind(predictd_connection *connection,
                                    struct predictd_starpu_state *state, enum adapter_kind kind,
                                    predictd_argument *arguments)
{
	const char *keys[ADAPTER_DEVICES_MAX];
	const struct adapter_devices of = adapter.kinds[kind];
	predictd_status status = PREDICTD_OK;
	if (of.count == 0 || !devices_take(state->codelet, kind))
		return PREDICTD_OK;
	for (size_t i = 0; i < of.count; i++)
		keys[i] = adapter.devices[of.first + i].key;
	if (state->programs[kind] == NULL) {
		char name[256];
		(void)snprintf(name, sizeof name, "%.200s.%s", state->history.symbol,
		               kind == ADAPTER_CPU ? "cpu" : "cuda");
		status = predictd_register_without_source(connection, name, &state->programs[kind]);
	}
	for (uint32_t dimensions = 1; dimensions <= 3 && status == PREDICTD_OK; dimensions++) {
		predictd_question question = launch_template(state, kind, dimensions, arguments);
		if (state->prepared[kind][dimensions] == NULL)
			status = predictd_prepared_new(connection, &question, keys, of.count,
			                               &state->prepared[kind][dimensions]);
	}
	return status;
}

static predictd_status prepare(predictd_connection *connection, struct predictd_starpu_state *state)
{
	size_t count = state->description->argument_count;
	predictd_argument *arguments = calloc(count + 1, sizeof *arguments);
	predictd_status status = arguments == NULL ? PREDICTD_NO_MEMORY : PREDICTD_OK;
	for (int kind = 0; kind < ADAPTER_KINDS && status == PREDICTD_OK; kind++)
		status = prepare_kind(connection, state, (enum adapter_kind)kind, arguments);
	if (status == PREDICTD_OK)
		atomic_store(&state->is_ready, true);
	free(arguments);
	return status;
}

/* The kernel that is meant, or NULL with a sentence. */
static const predictd_kernel *kernel_of(const struct predictd_starpu_state *state)
{
	const predictd_kernel *kernels;
	size_t count = predictd_program_kernels(state->programs[ADAPTER_OPENCL], &kernels);
	for (size_t i = 0; i < count; i++)
		if (state->kernel->kernel == NULL
		            ? count == 1
		            : strcmp(kernels[i].name, state->kernel->kernel) == 0)
			return &kernels[i];
	return NULL;
}

static predictd_status register_one(predictd_connection *connection,
                                    struct predictd_starpu_state *state)
{
	predictd_devices *known = NULL;
	predictd_status status = predictd_list_devices(connection, false, &known);
	if (status == PREDICTD_OK)
		devices_compare(known);
	predictd_devices_free(known);
	if (status == PREDICTD_OK && state->programs[ADAPTER_OPENCL] == NULL)
		status = predictd_register(connection, state->source,
		                           &state->programs[ADAPTER_OPENCL]);
	if (status == PREDICTD_OK && (state->description = kernel_of(state)) == NULL) {
		char sentence[512];
		(void)snprintf(sentence, sizeof sentence, "%.200s has no kernel %.200s",
		               state->source->name,
		               state->kernel->kernel == NULL ? "that is its only one"
		                                             : state->kernel->kernel);
		adapter_say(state, sentence);
		return PREDICTD_NOT_FOUND;
	}
	if (status == PREDICTD_OK) {
		launch_learn_types(state);
		status = prepare(connection, state);
	}
	if (status != PREDICTD_OK && !is_away(status))
		adapter_say(state, predictd_error_text());
	return status;
}

/* ---- the thread ---------------------------------------------------------------------------- */

static bool is_done(const struct predictd_starpu_state *state)
{
	return atomic_load(&state->has_failed) || atomic_load(&state->is_ready);
}

static struct predictd_starpu_state *next_undone(void)
{
	struct predictd_starpu_state *state = adapter.states;
	while (state != NULL && is_done(state))
		state = state->next;
	return state;
}

static void sleep_locked(int64_t ns)
{
	int64_t end_ns = adapter_now_ns() + ns;
	struct timespec end = {end_ns / 1000000000, end_ns % 1000000000};
	(void)pthread_cond_clockwait(&adapter.changed, &adapter.mutex, CLOCK_MONOTONIC, &end);
}

/* Without the mutex: opens, registers or just looks whether the daemon is there. */
static predictd_status work(predictd_connection **connection, struct predictd_starpu_state *state)
{
	const predictd_options options = {.size = sizeof options, .timeout_s = TIMEOUT_S};
	predictd_status status = PREDICTD_OK;
	predictd_daemon_status *daemon = NULL;
	if (*connection == NULL)
		status = predictd_open_with(&options, connection);
	if (status == PREDICTD_OK && state != NULL) {
		status = register_one(*connection, state);
		if (status != PREDICTD_OK && !is_away(status))
			atomic_store(&state->has_failed, true);
	} else if (status == PREDICTD_OK) {
		status = predictd_get_status(*connection, &daemon);
		predictd_status_free(daemon);
	}
	adapter_heard(status);
	return status;
}

static void *run(void *context)
{
	(void)context;
	predictd_connection *connection = NULL;
	(void)pthread_mutex_lock(&adapter.mutex);
	while (!adapter.is_ending) {
		struct predictd_starpu_state *state = next_undone();
		(void)pthread_mutex_unlock(&adapter.mutex);
		predictd_status status = work(&connection, state);
		(void)pthread_mutex_lock(&adapter.mutex);
		adapter.connection = connection;
		(void)pthread_cond_broadcast(&adapter.changed);
		if (!adapter.is_ending && (status != PREDICTD_OK || next_undone() == NULL))
			sleep_locked(status == PREDICTD_OK ? PING_NS : PING_NS / 4);
	}
	adapter.has_thread = false;
	(void)pthread_cond_broadcast(&adapter.changed);
	(void)pthread_mutex_unlock(&adapter.mutex);
	return NULL;
}

static void start_thread(void)
{
	pthread_t thread;
	sigset_t every, before;
	if (adapter.has_thread)
		return;
	/* signals are the program's */
	(void)sigfillset(&every);
	(void)pthread_sigmask(SIG_SETMASK, &every, &before);
	adapter.has_thread = pthread_create(&thread, NULL, run, NULL) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (adapter.has_thread)
		(void)pthread_detach(
		        thread); /* it may hang with the daemon when the program ends */
}

bool adapter_await(const struct predictd_starpu_state *state, double wait_s)
{
	int64_t begin_ns = adapter_now_ns(), end_ns = begin_ns + (int64_t)(1e9 * wait_s);
	struct timespec end = {end_ns / 1000000000, end_ns % 1000000000};
	if (is_done(state) || !(wait_s > 0))
		return is_done(state);
	(void)pthread_mutex_lock(&adapter.mutex);
	while (adapter.has_thread && !is_done(state) && !atomic_load(&adapter.is_lost) &&
	       pthread_cond_clockwait(&adapter.changed, &adapter.mutex, CLOCK_MONOTONIC, &end) == 0)
		continue;
	(void)pthread_mutex_unlock(&adapter.mutex);
	adapter_waited(begin_ns, !is_done(state));
	return is_done(state);
}

void adapter_add(struct predictd_starpu_state *state)
{
	(void)pthread_mutex_lock(&adapter.mutex);
	adapter.is_ending = false;
	if (adapter.device_count == 0)
		devices_find();
	state->next = adapter.states;
	adapter.states = state;
	start_thread();
	(void)pthread_cond_broadcast(&adapter.changed);
	(void)pthread_mutex_unlock(&adapter.mutex);
	(void)adapter_await(state, adapter_patience_s());
}

void predictd_starpu_finish(void)
{
	int64_t end_ns = adapter_now_ns() + 100000000;
	struct timespec end = {end_ns / 1000000000, end_ns % 1000000000};
	(void)pthread_mutex_lock(&adapter.mutex);
	predictd_connection *connection = adapter.connection;
	bool is_lost = atomic_load(&adapter.is_lost);
	(void)pthread_mutex_unlock(&adapter.mutex);
	if (connection != NULL && !is_lost) {
		predictd_set_timeout(connection, 0.1);
		(void)predictd_flush(connection);
	}
	(void)pthread_mutex_lock(&adapter.mutex);
	adapter.is_ending = true;
	(void)pthread_cond_broadcast(&adapter.changed);
	while (adapter.has_thread &&
	       pthread_cond_clockwait(&adapter.changed, &adapter.mutex, CLOCK_MONOTONIC, &end) == 0)
		continue;
	(void)pthread_mutex_unlock(&adapter.mutex);
}

void predictd_starpu_get_counts(predictd_starpu_counts *counts)
{
	*counts = (predictd_starpu_counts){.estimates = atomic_load(&adapter.estimates),
	                                   .histories = atomic_load(&adapter.histories),
	                                   .unknown = atomic_load(&adapter.unknown),
	                                   .reported = atomic_load(&adapter.reported),
	                                   .unreported = atomic_load(&adapter.unreported),
	                                   .losses = atomic_load(&adapter.losses),
	                                   .waited_s =
	                                           1e-9 * (double)atomic_load(&adapter.waited_ns)};
}
