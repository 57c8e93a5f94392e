/* SPDX-License-Identifier: Apache-2.0 */
/* A connection to the daemon: the link of the moment, and calls over it. */
#include "client/library/connection.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "client/library/memo.h"

static const int64_t backoff_first_ns = 1000000, backoff_max_ns = 1000000000;

static void lock(predictd_connection *connection)
{
	(void)pthread_mutex_lock(&connection->mutex);
}

static void unlock(predictd_connection *connection)
{
	(void)pthread_mutex_unlock(&connection->mutex);
}

/* ---- the link of the moment ---------------------------------------------------------------- */

void connection_drop(predictd_connection *connection)
{
	struct link *link = connection->link;
	connection->link = NULL;
	if (connection->memo != NULL)
		memo_expire(connection->memo);
	link_release(link);
}

static predictd_status send_request(struct link *link, struct call *call,
                                    Predictd__Request *request, int64_t end_ns)
{
	uint8_t *bytes;
	size_t size;
	request->id = atomic_fetch_add_explicit(&link->next_id, 1, memory_order_relaxed) + 1;
	predictd_status status = link_pack(link, request, &bytes, &size);
	if (status != PREDICTD_OK)
		return status;
	(void)pthread_mutex_lock(link->mutex);
	call_begin(link, call, request->id);
	status = link_send(link, bytes, size, end_ns);
	if (status != PREDICTD_OK)
		call_end(link, call);
	(void)pthread_mutex_unlock(link->mutex);
	free(bytes);
	return status;
}

/* Of a request that was sent. patience: NULL, or what is done while it waits. */
static predictd_status receive_response(struct link *link, struct call *call, int64_t end_ns,
                                        const struct patience *patience,
                                        Predictd__Response **response)
{
	predictd_status status;
	if (patience != NULL)
		end_ns = end_later(end_ns, clock_now_ns() + patience->reply_ns);
	(void)pthread_mutex_lock(link->mutex);
	for (;;) {
		int64_t slice_ns = patience == NULL ? 0 : clock_now_ns() + WAIT_SLICE_NS;
		status = link_receive(link, call, end_earlier(end_ns, slice_ns), response);
		if (patience == NULL || status != PREDICTD_TIMEOUT || link->is_broken ||
		    (end_ns != 0 && clock_now_ns() >= end_ns))
			break;
		(void)pthread_mutex_unlock(link->mutex);
		patience->meanwhile(patience->context);
		(void)pthread_mutex_lock(link->mutex);
	}
	call_end(link, call);
	(void)pthread_mutex_unlock(link->mutex);
	return status;
}

static predictd_status hello(struct link *link, int64_t end_ns)
{
	Predictd__Hello body = PREDICTD__HELLO__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	Predictd__Response *response = NULL;
	struct call call;
	char client[64];
	(void)snprintf(client, sizeof client, "libpredictd %s", PREDICTD_VERSION);
	body.protocol = 1;
	body.client = client;
	request.body_case = PREDICTD__REQUEST__BODY_HELLO;
	request.hello = &body;
	predictd_status status = send_request(link, &call, &request, end_ns);
	if (status == PREDICTD_OK)
		status = receive_response(link, &call, end_ns, NULL, &response);
	if (status == PREDICTD_OK)
		status = response_status(response, PREDICTD__RESPONSE__BODY_HELLO);
	if (status == PREDICTD_OK && response->hello->protocol != 1)
		status = error_keep(PREDICTD_UNSUPPORTED,
		                    "predictd at %s speaks protocol %u, wanted 1", link->path,
		                    response->hello->protocol);
	if (status == PREDICTD_OK && response->hello->frame_bytes_max > 0 &&
	    response->hello->frame_bytes_max < link->frame_max)
		link->frame_max = response->hello->frame_bytes_max;
	if (response != NULL)
		predictd__response__free_unpacked(response, NULL);
	return status;
}

/* With the mutex held: predictd_close breaks the links that there are, and this one is new. */
static void give_up_if_closing(const predictd_connection *connection, struct link *link)
{
	if (connection->is_closing)
		(void)link_break(link, PREDICTD_CANCELLED, "the connection is closed");
}

/* Without the mutex, and by one thread at a time. */
static predictd_status connect_now(predictd_connection *connection, int64_t end_ns,
                                   struct link **result)
{
	struct link *link;
	lock(connection);
	predictd_status status = link_new(&connection->mutex, connection->path, &link);
	if (status == PREDICTD_OK)
		connection->opening = link; /* a child of fork() closes it, too */
	unlock(connection);
	if (status != PREDICTD_OK)
		return status;
	status = link_connect(link, end_ns, &connection->is_closing);
	lock(connection);
	give_up_if_closing(connection, link);
	unlock(connection);
	if (status == PREDICTD_OK)
		status = hello(link, end_ns);
	lock(connection);
	connection->opening = NULL;
	give_up_if_closing(connection, link);
	if (status != PREDICTD_OK)
		link_release(link);
	unlock(connection);
	if (status == PREDICTD_OK)
		*result = link;
	return status;
}

/* With the mutex held: when to try again, after a first failure at once, then ever later. */
static void back_off(predictd_connection *connection)
{
	int64_t wait_ns = connection->failures == 0 ? 0 : backoff_first_ns;
	for (unsigned i = 1; i < connection->failures && wait_ns < backoff_max_ns; i++)
		wait_ns *= 2;
	connection->failures++;
	connection->retry_ns =
	        clock_now_ns() + (wait_ns < backoff_max_ns ? wait_ns : backoff_max_ns);
	(void)snprintf(connection->failure, sizeof connection->failure, "%s",
	               predictd_error_text());
}

/* With the mutex held, which is given up meanwhile: a link, or why there is none. */
static predictd_status link_of_the_moment(predictd_connection *connection, int64_t end_ns)
{
	for (;;) {
		if (connection->link != NULL && connection->link->is_broken)
			connection_drop(connection);
		if (connection->link != NULL)
			return PREDICTD_OK;
		if (!connection->is_connecting)
			break;
		struct timespec end = {end_ns / 1000000000, end_ns % 1000000000};
		if (end_ns == 0)
			(void)pthread_cond_wait(&connection->connected, &connection->mutex);
		else if (pthread_cond_clockwait(&connection->connected, &connection->mutex,
		                                CLOCK_MONOTONIC, &end) != 0)
			return error_keep(PREDICTD_TIMEOUT,
			                  "predictd at %s took no connection in time",
			                  connection->path);
	}
	if (connection->is_closing)
		return error_keep(PREDICTD_CANCELLED, "the connection is closed");
	if (connection->failures > 0 && clock_now_ns() < connection->retry_ns)
		return error_keep(PREDICTD_UNAVAILABLE, "%s", connection->failure);
	struct link *link = NULL;
	connection->is_connecting = true;
	unlock(connection);
	predictd_status status = connect_now(connection, end_ns, &link);
	lock(connection);
	connection->is_connecting = false;
	if (status == PREDICTD_OK) {
		link->serial = ++connection->serial;
		connection->link = link;
		connection->failures = 0;
	} else {
		back_off(connection);
	}
	(void)pthread_cond_broadcast(&connection->connected);
	return status;
}

struct ask ask_new(predictd_connection *connection)
{
	int64_t timeout_ns = atomic_load_explicit(&connection->timeout_ns, memory_order_relaxed);
	return (struct ask){.connection = connection,
	                    .end_ns = timeout_ns == 0 ? 0 : clock_now_ns() + timeout_ns};
}

predictd_status ask_begin(struct ask *ask)
{
	predictd_connection *connection = ask->connection;
	lock(connection);
	link_release(ask->link);
	ask->link = NULL;
	predictd_status status = link_of_the_moment(connection, ask->end_ns);
	if (status == PREDICTD_OK) {
		ask->link = connection->link;
		link_hold(ask->link);
	}
	unlock(connection);
	return status;
}

void ask_end(struct ask *ask)
{
	if (ask->link == NULL)
		return;
	lock(ask->connection);
	link_release(ask->link);
	unlock(ask->connection);
	ask->link = NULL;
}

/* ---- exchanges ----------------------------------------------------------------------------- */

static void translate_names(predictd_connection *connection, Predictd__Request *request)
{
	lock(connection);
	names_translate(&connection->names, request);
	unlock(connection);
}

/* With the mutex held. */
static void learn_names_locked(predictd_connection *connection, const Predictd__Response *response)
{
	if (names_learn(&connection->names, response) && connection->memo != NULL)
		memo_rename(connection->memo);
}

static void learn_names(predictd_connection *connection, const Predictd__Response *response)
{
	lock(connection);
	learn_names_locked(connection, response);
	unlock(connection);
}

predictd_status ask_exchange(const struct ask *ask, const struct exchange *exchange, size_t count,
                             Predictd__Response **responses, bool *can_retry)
{
	struct call one, *calls = count > 1 ? calloc(count, sizeof *calls) : &one;
	size_t sent = 0, answered = 0;
	predictd_status status = PREDICTD_OK;
	*can_retry = false;
	for (size_t i = 0; i < count; i++)
		responses[i] = NULL;
	if (calls == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for %zu requests", count);
	while (answered < count && status == PREDICTD_OK) {
		if (sent == count || sent - answered == CONNECTION_WINDOW) {
			status = receive_response(ask->link, &calls[answered], ask->end_ns,
			                          exchange->patience, &responses[answered]);
			if (status == PREDICTD_OK)
				learn_names(ask->connection, responses[answered]);
			answered++; /* its call has ended, well or not */
			continue;
		}
		Predictd__Request *request = exchange->make(exchange->context, sent);
		if (request == NULL) {
			status = error_keep(PREDICTD_NO_MEMORY, "no memory for a request");
			break;
		}
		translate_names(ask->connection, request);
		status = send_request(ask->link, &calls[sent], request, ask->end_ns);
		exchange->drop(exchange->context, sent, request);
		sent += status == PREDICTD_OK;
	}
	lock(ask->connection);
	for (size_t i = answered; i < sent; i++)
		call_end(ask->link, &calls[i]);
	unlock(ask->connection);
	*can_retry = status == PREDICTD_UNAVAILABLE && (count == 0 || responses[0] == NULL) &&
	             (exchange->is_open == NULL || sent == 0 || !ask->link->was_cut);
	if (exchange->is_open != NULL)
		*exchange->is_open = status != PREDICTD_OK && sent > 0 && !*can_retry;
	if (calls != &one)
		free(calls);
	return status;
}

static Predictd__Request *make_same(void *context, size_t index)
{
	(void)index;
	return context;
}

static void drop_nothing(void *context, size_t index, Predictd__Request *request)
{
	(void)context;
	(void)index;
	(void)request;
}

predictd_status ask_call(const struct ask *ask, Predictd__Request *request,
                         Predictd__Response__BodyCase want, Predictd__Response **response,
                         bool *can_retry)
{
	const struct exchange one = {request, make_same, drop_nothing, NULL, NULL};
	predictd_status status = ask_exchange(ask, &one, 1, response, can_retry);
	if (status == PREDICTD_OK)
		status = response_status(*response, want);
	if (status != PREDICTD_OK && *response != NULL) {
		predictd__response__free_unpacked(*response, NULL);
		*response = NULL;
	}
	return status;
}

predictd_status connection_exchange_over(predictd_connection *connection,
                                         Predictd__Request *request, Predictd__Response **response,
                                         uint64_t *serial)
{
	const struct exchange one = {request, make_same, drop_nothing, NULL, NULL};
	struct ask ask = ask_new(connection);
	predictd_status status = PREDICTD_UNAVAILABLE;
	bool can_retry = true;
	*response = NULL;
	for (unsigned attempt = 0; attempt < 2 && can_retry; attempt++) {
		status = ask_begin(&ask);
		if (status != PREDICTD_OK)
			break;
		*serial = ask.link->serial;
		status = ask_exchange(&ask, &one, 1, response, &can_retry);
	}
	ask_end(&ask);
	return status;
}

predictd_status connection_call(predictd_connection *connection, Predictd__Request *request,
                                Predictd__Response__BodyCase want, Predictd__Response **response)
{
	uint64_t serial;
	predictd_status status = connection_exchange_over(connection, request, response, &serial);
	if (status == PREDICTD_OK)
		status = response_status(*response, want);
	if (status != PREDICTD_OK && *response != NULL) {
		predictd__response__free_unpacked(*response, NULL);
		*response = NULL;
	}
	return status;
}

/* ---- streams ------------------------------------------------------------------------------- */

/*
 * A daemon that went away while nobody asked has left an end of file behind. Exchanges
 * need not look: they find it as a reply that does not come, and ask again.
 */
static bool is_dead(const struct link *link)
{
	struct pollfd poller = {.fd = link->fd, .events = POLLIN};
	char byte;
	if (!link_has_socket(link))
		return true;
	if (poll(&poller, 1, 0) <= 0)
		return false;
	return (poller.revents & (POLLERR | POLLHUP)) != 0 ||
	       recv(link->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static predictd_status send_cancel(struct link *link, uint64_t id, int64_t end_ns)
{
	Predictd__Cancel body = PREDICTD__CANCEL__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	struct call call;
	body.id = id;
	request.body_case = PREDICTD__REQUEST__BODY_CANCEL;
	request.cancel = &body;
	/* a daemon that has stopped reading: without the socket it cancels, too */
	predictd_status status = send_request(link, &call, &request, end_ns);
	(void)pthread_mutex_lock(link->mutex);
	if (status == PREDICTD_OK)
		call_end(link, &call); /* its reply is nobody's */
	else
		status = link_break(link, status, predictd_error_text());
	(void)pthread_mutex_unlock(link->mutex);
	return status;
}

predictd_status connection_stream(predictd_connection *connection, Predictd__Request *request,
                                  bool (*reply)(void *context, Predictd__Response *response,
                                                bool *cancel),
                                  void *context, Predictd__Response **last)
{
	struct ask ask = ask_new(connection);
	struct call call;
	bool is_cancelled = false;
	*last = NULL;
	/* a stream is not asked twice, so a link that is dead must be known before */
	lock(connection);
	if (connection->link != NULL && is_dead(connection->link))
		connection_drop(connection);
	unlock(connection);
	predictd_status status = ask_begin(&ask);
	translate_names(connection, request);
	if (status == PREDICTD_OK)
		status = send_request(ask.link, &call, request, ask.end_ns);
	if (status != PREDICTD_OK) {
		ask_end(&ask);
		return status;
	}
	while (*last == NULL && status == PREDICTD_OK) {
		Predictd__Response *response;
		bool cancel = false;
		lock(connection);
		status = link_receive(ask.link, &call, 0, &response);
		if (status == PREDICTD_OK)
			learn_names_locked(connection, response);
		unlock(connection);
		if (status != PREDICTD_OK)
			break;
		if (reply(context, response, &cancel)) {
			*last = response;
			break;
		}
		predictd__response__free_unpacked(response, NULL);
		if (cancel && !is_cancelled) {
			is_cancelled = true;
			status = send_cancel(ask.link, request->id, ask_new(connection).end_ns);
		}
	}
	lock(connection);
	call_end(ask.link, &call);
	unlock(connection);
	ask_end(&ask);
	return status;
}
