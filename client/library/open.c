/* SPDX-License-Identifier: Apache-2.0 */
/* Connections opened and closed, by calls, by fork() and by the end of the process. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/library/background.h"
#include "client/library/contention.h"
#include "client/library/memo.h"
#include "client/library/split_parts.h"

static const double timeout_default_s = 30;
static const double timeout_max_s = 1e9; /* whose nanoseconds fit */
static const int64_t exit_ns = 1000000000;
static const char *const system_path = "/run/predictd/predictd.sock";

/* ---- the process: children of fork(), and its end ------------------------------------------ */

/* Every connection of the process: a fork finds each in a state of its own making. */
static pthread_mutex_t all_mutex = PTHREAD_MUTEX_INITIALIZER;
static predictd_connection *all;

static void before_fork(void)
{
	(void)pthread_mutex_lock(&all_mutex);
	for (predictd_connection *one = all; one != NULL; one = one->next)
		(void)pthread_mutex_lock(&one->mutex);
}

static void after_fork_in_parent(void)
{
	for (predictd_connection *one = all; one != NULL; one = one->next)
		(void)pthread_mutex_unlock(&one->mutex);
	(void)pthread_mutex_unlock(&all_mutex);
}

/*
 * The parent's threads are not here, and its link stays its own: the child closes its copy of
 * the socket, without a word on it. Memory that those threads were using is left alone.
 */
static void after_fork_in_child(void)
{
	for (predictd_connection *one = all; one != NULL; one = one->next) {
		(void)pthread_mutex_init(&one->mutex, NULL);
		(void)pthread_cond_init(&one->connected, NULL);
		if (one->link != NULL)
			link_close(one->link);
		if (one->opening != NULL)
			link_close(one->opening);
		one->link = one->opening = NULL;
		one->is_connecting = false;
		one->failures = 0;
		one->retry_ns = 0;
		if (one->memo != NULL)
			memo_forked(one->memo);
		background_forked(one->background);
	}
	(void)pthread_mutex_init(&all_mutex, NULL);
}

/* A program that ends without closing: what it reported in its last milliseconds is sent. */
static void at_exit(void)
{
	int64_t end_ns = clock_now_ns() + exit_ns;
	(void)pthread_mutex_lock(&all_mutex);
	for (predictd_connection *one = all; one != NULL; one = one->next)
		if (one->background != NULL)
			background_finish(one->background, end_ns);
	(void)pthread_mutex_unlock(&all_mutex);
}

static void watch_process(void)
{
	(void)pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
	(void)atexit(at_exit);
}

static void all_add(predictd_connection *connection)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	(void)pthread_once(&once, watch_process);
	(void)pthread_mutex_lock(&all_mutex);
	connection->next = all;
	all = connection;
	(void)pthread_mutex_unlock(&all_mutex);
}

static void all_remove(const predictd_connection *connection)
{
	(void)pthread_mutex_lock(&all_mutex);
	predictd_connection **at = &all;
	while (*at != NULL && *at != connection)
		at = &(*at)->next;
	if (*at != NULL)
		*at = connection->next;
	(void)pthread_mutex_unlock(&all_mutex);
}

/* ---- opening and closing ------------------------------------------------------------------- */

static predictd_status connection_new(const predictd_options *options, predictd_connection **result)
{
	const char *path =
	        options->socket_path != NULL ? options->socket_path : predictd_default_socket();
	predictd_connection *connection = calloc(1, sizeof *connection);
	if (connection == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a connection");
	(void)pthread_mutex_init(&connection->mutex, NULL);
	(void)pthread_cond_init(&connection->connected, NULL);
	predictd_status status = PREDICTD_OK;
	if (strlen(path) >= sizeof connection->path)
		status = error_keep(PREDICTD_INVALID, "%s: a socket's path has at most %zu bytes",
		                    path, sizeof connection->path - 1);
	else
		memcpy(connection->path, path, strlen(path) + 1);
	if (status == PREDICTD_OK)
		status = memo_new(options->memo_bytes, &connection->memo);
	if (status == PREDICTD_OK)
		status = parts_memo_new(&connection->parts);
	if (status == PREDICTD_OK)
		status = background_new(connection, options->report_max, &connection->background);
	connection->is_lazy = options->is_lazy;
	const char *samples = getenv("PREDICTD_SAMPLES");
	connection->sends_samples =
	        !options->without_samples && (samples == NULL || strcmp(samples, "no") != 0);
	predictd_set_timeout(connection,
	                     options->timeout_s != 0 ? options->timeout_s : timeout_default_s);
	all_add(connection);
	*result = connection;
	return status;
}

predictd_status predictd_open_with(const predictd_options *given, predictd_connection **result)
{
	predictd_connection *connection = NULL;
	predictd_options options = {0};
	error_clear();
	/* of an older program: what it does not know is 0 */
	memcpy(&options, given, given->size < sizeof options ? given->size : sizeof options);
	predictd_status status = connection_new(&options, &connection);
	if (status == PREDICTD_OK && !options.is_lazy) {
		struct ask ask = ask_new(connection);
		status = ask_begin(&ask);
		ask_end(&ask);
	}
	if (status == PREDICTD_OK)
		*result = connection;
	else
		predictd_close(connection);
	return status;
}

predictd_status predictd_open(const char *socket_path, predictd_connection **connection)
{
	const predictd_options options = {.size = sizeof options, .socket_path = socket_path};
	return predictd_open_with(&options, connection);
}

void predictd_close(predictd_connection *connection)
{
	if (connection == NULL)
		return;
	all_remove(connection);
	background_free(connection->background);
	(void)pthread_mutex_lock(&connection->mutex);
	connection_drop(connection);
	(void)pthread_mutex_unlock(&connection->mutex);
	memo_free(connection->memo);
	contentions_free(connection->contentions);
	parts_memo_free(connection->parts);
	names_deinit(&connection->names);
	(void)pthread_cond_destroy(&connection->connected);
	(void)pthread_mutex_destroy(&connection->mutex);
	free(connection);
}

const char *predictd_default_socket(void)
{
	static _Thread_local char path[PATH_MAX];
	const char *given = getenv("PREDICTD_SOCKET");
	if (given != NULL && given[0] != '\0') {
		/* whole, however long: predictd_open says what is wrong with it */
		(void)snprintf(path, sizeof path, "%s", given);
		return path;
	}
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	if (runtime != NULL && runtime[0] == '/') {
		int length = snprintf(path, sizeof path, "%s/predictd/predictd.sock", runtime);
		if (length < (int)sizeof path && access(path, F_OK) == 0)
			return path;
	}
	return system_path;
}

const char *predictd_socket_path(const predictd_connection *connection)
{
	return connection->path;
}

void predictd_set_timeout(predictd_connection *connection, double timeout_s)
{
	if (timeout_s > timeout_max_s)
		timeout_s = timeout_max_s;
	int64_t timeout_ns = timeout_s > 0 ? (int64_t)(timeout_s * 1e9) : 0;
	if (timeout_s > 0 && timeout_ns == 0)
		timeout_ns = 1;
	atomic_store_explicit(&connection->timeout_ns, timeout_ns, memory_order_relaxed);
}
