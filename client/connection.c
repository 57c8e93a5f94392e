/* SPDX-License-Identifier: Apache-2.0 */
/* A connection to the daemon: one socket, one mutex, requests by id. */
#include "client/connection.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const double timeout_default_s = 30;
static const double connect_timeout_s = 10;
static const char *const system_path = "/run/predictd/predictd.sock";

static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Milliseconds left until end_s (0: no end), for poll. */
static int left_ms(double end_s)
{
	if (end_s == 0)
		return -1;
	double left = (end_s - now_s()) * 1e3;
	return left <= 0 ? 0 : left > 1e9 ? 1000000000 : (int)ceil(left);
}

void connection_drop(predictd_connection *connection)
{
	if (connection->fd >= 0)
		close(connection->fd);
	connection->fd = -1;
	frame_reader_deinit(&connection->reader);
}

static predictd_status unavailable(const predictd_connection *connection, const char *why)
{
	return error_keep(
	        PREDICTD_UNAVAILABLE,
	        "cannot reach predictd at %s: %s; start it with `systemctl start predictd` or "
	        "`predictd`, or set PREDICTD_SOCKET",
	        connection->path, why);
}

static predictd_status broken(predictd_connection *connection, const char *why)
{
	connection_drop(connection);
	return error_keep(PREDICTD_UNAVAILABLE, "the connection to predictd at %s broke: %s",
	                  connection->path, why);
}

static predictd_status socket_open(predictd_connection *connection)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	memcpy(address.sun_path, connection->path, sizeof address.sun_path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return error_keep(PREDICTD_IO, "cannot make a socket: %s", strerror(errno));
	/* a full backlog makes connect wait: not for ever */
	struct timeval wait = {.tv_sec = (time_t)connect_timeout_s};
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
	int result;
	do
		result = connect(fd, (const struct sockaddr *)&address, sizeof address);
	while (result < 0 && errno == EINTR);
	if (result < 0) {
		int failure = errno;
		close(fd);
		if (failure == EACCES || failure == EPERM)
			return error_keep(
			        PREDICTD_UNAVAILABLE,
			        "cannot reach predictd at %s: %s; join the socket's group",
			        connection->path, strerror(failure));
		return unavailable(connection, strerror(failure));
	}
	connection->fd = fd;
	connection->serial++;
	connection->frame_max = FRAME_BYTES_MAX;
	frame_reader_init(&connection->reader, FRAME_BYTES_MAX);
	return PREDICTD_OK;
}

/* One frame out, as far as the socket takes it without waiting. */
struct sending {
	uint8_t *bytes;
	size_t size, done;
};

static predictd_status send_some(predictd_connection *connection, struct sending *sending)
{
	while (sending->done < sending->size) {
		ssize_t sent = send(connection->fd, sending->bytes + sending->done,
		                    sending->size - sending->done, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent >= 0)
			sending->done += (size_t)sent;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return PREDICTD_OK;
		else if (errno != EINTR)
			return broken(connection, strerror(errno));
	}
	return PREDICTD_OK;
}

static predictd_status receive_some(predictd_connection *connection)
{
	uint8_t bytes[65536];
	ssize_t got = recv(connection->fd, bytes, sizeof bytes, MSG_DONTWAIT);
	if (got == 0)
		return broken(connection, "the daemon closed it");
	if (got < 0) {
		if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
			return PREDICTD_OK;
		return broken(connection, strerror(errno));
	}
	if (!frame_reader_feed(&connection->reader, bytes, (size_t)got)) {
		connection_drop(connection);
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a reply");
	}
	return PREDICTD_OK;
}

/* The next whole reply, or NULL when more bytes are needed. */
static predictd_status next_response(predictd_connection *connection, Predictd__Response **response)
{
	const uint8_t *message;
	size_t size;
	*response = NULL;
	switch (frame_reader_next(&connection->reader, &message, &size)) {
	case FRAME_NONE:
		return PREDICTD_OK;
	case FRAME_TOO_LONG:
		connection_drop(connection);
		return error_keep(PREDICTD_CORRUPT,
		                  "%s: a reply of more than %d bytes: no predictd",
		                  connection->path, FRAME_BYTES_MAX);
	case FRAME_READY:
		break;
	}
	*response = predictd__response__unpack(NULL, size, message);
	if (*response == NULL) {
		connection_drop(connection);
		return error_keep(PREDICTD_CORRUPT, "%s: a reply that cannot be read: no predictd",
		                  connection->path);
	}
	return PREDICTD_OK;
}

/* Waits for a whole reply while what is left of `sending` goes out. */
static predictd_status wait_response(predictd_connection *connection, struct sending *sending,
                                     double end_s, Predictd__Response **response)
{
	for (;;) {
		predictd_status status = next_response(connection, response);
		if (status != PREDICTD_OK || *response != NULL)
			return status;
		struct pollfd poller = {.fd = connection->fd, .events = POLLIN};
		if (sending->done < sending->size)
			poller.events |= POLLOUT;
		int ready = poll(&poller, 1, left_ms(end_s));
		if (ready < 0 && errno != EINTR)
			return broken(connection, strerror(errno));
		if (ready == 0) {
			/* a late reply would be taken for another's: the socket is given up */
			connection_drop(connection);
			return error_keep(PREDICTD_TIMEOUT, "predictd at %s gave no answer in time",
			                  connection->path);
		}
		if (ready < 0)
			continue;
		if (poller.revents & POLLOUT) {
			status = send_some(connection, sending);
			if (status != PREDICTD_OK)
				return status;
		}
		if (poller.revents & (POLLIN | POLLHUP | POLLERR)) {
			status = receive_some(connection);
			if (status != PREDICTD_OK)
				return status;
		}
		if (sending->done == sending->size && sending->size > 0 &&
		    (poller.events & POLLOUT))
			return PREDICTD_OK; /* room for the next request */
	}
}

static predictd_status pack(const predictd_connection *connection, const Predictd__Request *request,
                            struct sending *sending)
{
	*sending = (struct sending){0};
	size_t size = predictd__request__get_packed_size(request);
	if (size > connection->frame_max)
		return error_keep(PREDICTD_LIMIT, "a request of %zu bytes; predictd takes %zu",
		                  size, connection->frame_max);
	if (!frame_pack(&request->base, &sending->bytes, &sending->size))
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a request of %zu bytes", size);
	return PREDICTD_OK;
}

predictd_status response_status(const Predictd__Response *response,
                                Predictd__Response__BodyCase want)
{
	if (response->body_case == want)
		return PREDICTD_OK;
	if (response->body_case != PREDICTD__RESPONSE__BODY_ERROR)
		return error_keep(PREDICTD_INTERNAL,
		                  "predictd answered another question than was asked");
	predictd_status status = status_from_wire(response->error->status);
	if (status == PREDICTD_OK)
		status = PREDICTD_INTERNAL;
	return error_keep(status, "%s", response->error->text);
}

static predictd_status hello(predictd_connection *connection)
{
	Predictd__Hello body = PREDICTD__HELLO__INIT;
	char client[64];
	(void)snprintf(client, sizeof client, "libpredictd %s", PREDICTD_VERSION);
	body.protocol = 1;
	body.client = client;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	request.id = ++connection->next_id;
	request.body_case = PREDICTD__REQUEST__BODY_HELLO;
	request.hello = &body;

	Predictd__Response *response = NULL;
	struct sending sending = {0};
	predictd_status status = pack(connection, &request, &sending);
	if (status == PREDICTD_OK)
		status = send_some(connection, &sending);
	double wait_s = connect_timeout_s;
	if (connection->timeout_s > 0 && connection->timeout_s < wait_s)
		wait_s = connection->timeout_s;
	double end_s = now_s() + wait_s;
	while (status == PREDICTD_OK && response == NULL)
		status = wait_response(connection, &sending, end_s, &response);
	if (status == PREDICTD_OK)
		status = response_status(response, PREDICTD__RESPONSE__BODY_HELLO);
	if (status == PREDICTD_OK && response->hello->protocol != 1)
		status = error_keep(PREDICTD_UNSUPPORTED,
		                    "predictd at %s speaks protocol %u, wanted 1", connection->path,
		                    response->hello->protocol);
	if (status == PREDICTD_OK && response->hello->frame_bytes_max > 0 &&
	    response->hello->frame_bytes_max < connection->frame_max)
		connection->frame_max = response->hello->frame_bytes_max;
	if (status != PREDICTD_OK)
		connection_drop(connection);
	free(sending.bytes);
	if (response != NULL)
		predictd__response__free_unpacked(response, NULL);
	return status;
}

/*
 * A daemon that went away while nobody asked has left an end of file behind. Exchanges
 * need not look: they find it as a reply that does not come, and ask again.
 */
static bool is_dead(const predictd_connection *connection)
{
	struct pollfd poller = {.fd = connection->fd, .events = POLLIN};
	if (poll(&poller, 1, 0) <= 0)
		return false;
	char byte;
	if (poller.revents & (POLLERR | POLLHUP))
		return true;
	return recv(connection->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

predictd_status connection_begin(predictd_connection *connection)
{
	if (connection->fd >= 0)
		return PREDICTD_OK;
	predictd_status status = socket_open(connection);
	return status != PREDICTD_OK ? status : hello(connection);
}

predictd_status connection_exchange(predictd_connection *connection,
                                    const struct exchange *exchange, size_t count,
                                    Predictd__Response **responses, bool *can_retry)
{
	for (size_t i = 0; i < count; i++)
		responses[i] = NULL;
	*can_retry = false;
	uint64_t first = connection->next_id + 1;
	connection->next_id += count;
	double end_s = connection->timeout_s > 0 ? now_s() + connection->timeout_s : 0;
	struct sending sending = {0};
	size_t sent = 0, answered = 0;
	predictd_status status = PREDICTD_OK;
	while (answered < count) {
		if (sending.done == sending.size && sent < count &&
		    sent - answered < CONNECTION_WINDOW) {
			Predictd__Request *request = exchange->make(exchange->context, sent);
			if (request == NULL) {
				status = error_keep(PREDICTD_NO_MEMORY, "no memory for a request");
				goto out;
			}
			request->id = first + sent;
			free(sending.bytes);
			status = pack(connection, request, &sending);
			exchange->drop(exchange->context, sent, request);
			if (status == PREDICTD_OK)
				status = send_some(connection, &sending);
			if (status != PREDICTD_OK)
				goto out;
			sent++;
			continue;
		}
		Predictd__Response *response;
		status = wait_response(connection, &sending, end_s, &response);
		if (status != PREDICTD_OK)
			goto out;
		if (response == NULL)
			continue;
		if (response->id == 0) {
			status = response->body_case == PREDICTD__RESPONSE__BODY_ERROR
			                 ? response_status(response,
			                                   PREDICTD__RESPONSE__BODY__NOT_SET)
			                 : error_keep(PREDICTD_INTERNAL,
			                              "predictd answered nobody's question");
			predictd__response__free_unpacked(response, NULL);
			connection_drop(connection);
			goto out;
		}
		uint64_t index = response->id - first;
		if (response->id < first || index >= sent || responses[index] != NULL) {
			predictd__response__free_unpacked(response, NULL);
			continue; /* nobody waits for it */
		}
		responses[index] = response;
		answered++;
		if (connection->timeout_s > 0) /* the limit is on silence, not on the batch */
			end_s = now_s() + connection->timeout_s;
	}
out:
	/* replies still to come belong to nobody now */
	if (status != PREDICTD_OK && connection->fd >= 0 && answered < sent)
		connection_drop(connection);
	*can_retry = status == PREDICTD_UNAVAILABLE && answered == 0;
	free(sending.bytes);
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

predictd_status connection_call(predictd_connection *connection, Predictd__Request *request,
                                Predictd__Response__BodyCase want, Predictd__Response **response)
{
	const struct exchange one = {request, make_same, drop_nothing};
	predictd_status status = PREDICTD_UNAVAILABLE;
	bool can_retry = true;
	*response = NULL;
	for (unsigned attempt = 0; attempt < 2 && can_retry; attempt++) {
		status = connection_begin(connection);
		if (status != PREDICTD_OK)
			return status;
		status = connection_exchange(connection, &one, 1, response, &can_retry);
	}
	if (status == PREDICTD_OK)
		status = response_status(*response, want);
	if (status != PREDICTD_OK && *response != NULL) {
		predictd__response__free_unpacked(*response, NULL);
		*response = NULL;
	}
	return status;
}

static predictd_status send_cancel(predictd_connection *connection, uint64_t id)
{
	Predictd__Cancel body = PREDICTD__CANCEL__INIT;
	body.id = id;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	request.id = ++connection->next_id;
	request.body_case = PREDICTD__REQUEST__BODY_CANCEL;
	request.cancel = &body;
	struct sending sending;
	predictd_status status = pack(connection, &request, &sending);
	if (status == PREDICTD_OK)
		status = send_some(connection, &sending);
	/* a daemon that has stopped reading: without the socket it cancels too */
	if (status == PREDICTD_OK && sending.done < sending.size)
		status = broken(connection, "it takes no more");
	free(sending.bytes);
	return status;
}

predictd_status connection_stream(predictd_connection *connection, Predictd__Request *request,
                                  bool (*reply)(void *context, Predictd__Response *response,
                                                bool *cancel),
                                  void *context, Predictd__Response **last)
{
	struct sending sending = {0};
	bool is_cancelled = false;
	*last = NULL;
	/* a stream is not asked twice, so a socket that is dead must be known before */
	if (connection->fd >= 0 && is_dead(connection))
		connection_drop(connection);
	predictd_status status = connection_begin(connection);
	if (status != PREDICTD_OK)
		return status;
	request->id = ++connection->next_id;
	status = pack(connection, request, &sending);
	if (status == PREDICTD_OK)
		status = send_some(connection, &sending);
	while (status == PREDICTD_OK) {
		Predictd__Response *response;
		status = wait_response(connection, &sending, 0, &response);
		if (status != PREDICTD_OK || response == NULL)
			continue;
		bool cancel = false;
		if (response->id == request->id && reply(context, response, &cancel)) {
			*last = response;
			break;
		}
		predictd__response__free_unpacked(response, NULL);
		if (cancel && !is_cancelled) {
			is_cancelled = true;
			status = send_cancel(connection, request->id);
		}
	}
	free(sending.bytes);
	return status;
}

predictd_status predictd_open(const char *socket_path, predictd_connection **result)
{
	error_clear();
	predictd_connection *connection = calloc(1, sizeof *connection);
	if (connection == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a connection");
	connection->fd = -1;
	connection->timeout_s = timeout_default_s;
	(void)pthread_mutex_init(&connection->mutex, NULL);
	if (socket_path == NULL)
		socket_path = predictd_default_socket();
	if (strlen(socket_path) >= sizeof connection->path) {
		predictd_close(connection);
		return error_keep(PREDICTD_INVALID, "%s: a socket's path has at most %zu bytes",
		                  socket_path, sizeof connection->path - 1);
	}
	memcpy(connection->path, socket_path, strlen(socket_path) + 1);
	predictd_status status = connection_begin(connection);
	if (status != PREDICTD_OK) {
		predictd_close(connection);
		return status;
	}
	*result = connection;
	return PREDICTD_OK;
}

void predictd_close(predictd_connection *connection)
{
	if (connection == NULL)
		return;
	connection_drop(connection);
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
	pthread_mutex_lock(&connection->mutex);
	connection->timeout_s = timeout_s > 0 ? timeout_s : 0;
	pthread_mutex_unlock(&connection->mutex);
}
