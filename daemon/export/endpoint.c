/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics by HTTP. Who may connect may be anybody of this machine: connections are few, short, and
 * taken one in so many milliseconds, whatever comes; the page is made once a second at the most.
 */
#include "daemon/export/export.h"

#include "daemon/address.h"
#include "daemon/daemon.h"
#include "daemon/export/http_request.h"
#include "daemon/export/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	ENDPOINT_CONNECTIONS_MAX = 8,
	ENDPOINT_BACKLOG = 64,
	ENDPOINT_EVERY_MS = 10,  /* a connection */
	ENDPOINT_LIFE_MS = 5000, /* of a connection, whatever it does */
	ENDPOINT_PAGE_MS = 1000, /* for so long a page is good */
	ENDPOINT_HEAD_MAX = 256
};

union stream {
	uv_handle_t handle;
	uv_stream_t stream;
	uv_pipe_t pipe;
	uv_tcp_t tcp;
};

struct visit {
	struct endpoint *endpoint; /* NULL: closed */
	union stream stream;
	uv_timer_t timer;
	uv_write_t write;
	uv_shutdown_t shutdown;
	struct http_request request;
	unsigned open_handles;
	bool is_answered, is_written, has_ended;
	struct visit *next, *previous;
	char *page; /* being sent */
	char head[ENDPOINT_HEAD_MAX];
};

struct endpoint {
	struct daemon *daemon;
	union stream listener;
	uv_timer_t timer; /* until the next connection is taken */
	unsigned open_handles;
	bool is_local;   /* a Unix socket */
	bool is_waiting; /* somebody waits to be taken */
	struct visit *visits;
	size_t visit_count;
	uint64_t taken_ms; /* when one was last */
	struct metrics_text page;
	uint64_t page_ms;
};

static void take(struct endpoint *endpoint);

/* ---- visits -------------------------------------------------------------------------------- */

static void on_visit_closed(uv_handle_t *handle)
{
	struct visit *visit = handle->data;
	if (--visit->open_handles > 0)
		return;
	free(visit->page);
	free(visit);
}

static void visit_close(struct visit *visit)
{
	struct endpoint *endpoint = visit->endpoint;
	if (endpoint == NULL)
		return;
	visit->endpoint = NULL;
	if (visit->previous != NULL)
		visit->previous->next = visit->next;
	else
		endpoint->visits = visit->next;
	if (visit->next != NULL)
		visit->next->previous = visit->previous;
	endpoint->visit_count--;
	uv_close(&visit->stream.handle, on_visit_closed);
	uv_close((uv_handle_t *)&visit->timer, on_visit_closed);
	take(endpoint);
}

static void on_life_over(uv_timer_t *timer)
{
	visit_close(timer->data);
}

static void on_written(uv_write_t *write, int failure)
{
	struct visit *visit = write->data;
	if (visit->endpoint == NULL)
		return;
	visit->is_written = true;
	/* it goes when the client does: what lies unread at a close would take the answer with it
	 */
	if (failure != 0 || visit->has_ended ||
	    uv_shutdown(&visit->shutdown, &visit->stream.stream, NULL) != 0)
		visit_close(visit);
}

/* The page, as of the last second; NULL: no memory. */
static const struct metrics_text *endpoint_page(struct endpoint *endpoint)
{
	uint64_t now_ms = uv_now(&endpoint->daemon->loop);
	if (endpoint->page.bytes != NULL && now_ms - endpoint->page_ms < ENDPOINT_PAGE_MS)
		return &endpoint->page;
	metrics_text_deinit(&endpoint->page);
	page_write(endpoint->daemon, endpoint->daemon->has_names, &endpoint->page);
	endpoint->page_ms = now_ms;
	if (!endpoint->page.has_failed)
		return &endpoint->page;
	metrics_text_deinit(&endpoint->page);
	return NULL;
}

static void answer(struct visit *visit, unsigned status)
{
	uv_buf_t parts[2] = {{.base = visit->head}};
	size_t size = 0;
	visit->is_answered = true;
	if (status == 200) {
		const struct metrics_text *page = endpoint_page(visit->endpoint);
		visit->page = page == NULL ? NULL : malloc(page->used);
		if (visit->page != NULL) {
			size = page->used;
			memcpy(visit->page, page->bytes, size);
		} else {
			status = 503;
		}
	}
	parts[0].len = http_answer_head(status, size, visit->head, sizeof visit->head);
	parts[1] = uv_buf_init(visit->page, (unsigned)size);
	visit->write.data = visit;
	if (uv_write(&visit->write, &visit->stream.stream, parts, size > 0 ? 2 : 1, on_written) !=
	    0)
		visit_close(visit);
}

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
	static char shared[HTTP_REQUEST_BYTES_MAX]; /* consumed before anything else is read */
	(void)handle;
	(void)suggested;
	*buffer = uv_buf_init(shared, sizeof shared);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
	struct visit *visit = stream->data;
	if (count == 0 || visit->endpoint == NULL)
		return;
	if (count < 0) {
		visit->has_ended = true;
		(void)uv_read_stop(stream);
		if (visit->is_written || !visit->is_answered)
			visit_close(visit);
		return;
	}
	if (visit->is_answered)
		return;
	unsigned status = http_request_feed(&visit->request, buffer->base, (size_t)count);
	if (status != 0)
		answer(visit, status);
}

/* ---- taking connections -------------------------------------------------------------------- */

static int stream_init(struct daemon *daemon, union stream *stream, bool is_local)
{
	return is_local ? uv_pipe_init(&daemon->loop, &stream->pipe, 0)
	                : uv_tcp_init(&daemon->loop, &stream->tcp);
}

/* Until somebody is taken, libuv looks for nobody else. */
static void take(struct endpoint *endpoint)
{
	uint64_t now_ms = uv_now(&endpoint->daemon->loop);
	if (!endpoint->is_waiting || uv_is_closing(&endpoint->listener.handle) ||
	    endpoint->visit_count >= ENDPOINT_CONNECTIONS_MAX ||
	    uv_is_active((uv_handle_t *)&endpoint->timer))
		return;
	struct visit *visit = calloc(1, sizeof *visit);
	if (visit == NULL)
		return; /* when one of the others goes */
	endpoint->is_waiting = false;
	endpoint->taken_ms = now_ms;
	visit->endpoint = endpoint;
	(void)stream_init(endpoint->daemon, &visit->stream, endpoint->is_local);
	(void)uv_timer_init(&endpoint->daemon->loop, &visit->timer);
	visit->open_handles = 2;
	visit->stream.handle.data = visit;
	visit->timer.data = visit;
	visit->next = endpoint->visits;
	if (visit->next != NULL)
		visit->next->previous = visit;
	endpoint->visits = visit;
	endpoint->visit_count++;
	http_request_init(&visit->request);
	(void)uv_timer_start(&visit->timer, on_life_over, ENDPOINT_LIFE_MS, 0);
	if (uv_accept(&endpoint->listener.stream, &visit->stream.stream) != 0 ||
	    uv_read_start(&visit->stream.stream, on_allocate, on_read) != 0)
		visit_close(visit);
}

static void on_next(uv_timer_t *timer)
{
	take(timer->data);
}

static void on_connection(uv_stream_t *listener, int failure)
{
	struct endpoint *endpoint = listener->data;
	uint64_t now_ms = uv_now(&endpoint->daemon->loop);
	if (failure != 0)
		return;
	endpoint->is_waiting = true;
	if (now_ms - endpoint->taken_ms < ENDPOINT_EVERY_MS)
		(void)uv_timer_start(&endpoint->timer, on_next, ENDPOINT_EVERY_MS, 0);
	else
		take(endpoint);
}

/* ---- opening ------------------------------------------------------------------------------- */

static void on_closed(uv_handle_t *handle)
{
	struct endpoint *endpoint = handle->data;
	if (--endpoint->open_handles > 0)
		return;
	metrics_text_deinit(&endpoint->page);
	free(endpoint);
}

void endpoint_close(struct endpoint *endpoint)
{
	if (endpoint == NULL)
		return;
	endpoint->is_waiting = false;
	while (endpoint->visits != NULL)
		visit_close(endpoint->visits);
	uv_close(&endpoint->listener.handle, on_closed);
	uv_close((uv_handle_t *)&endpoint->timer, on_closed);
}

/* 0, or libuv's error. */
static int listen_on(struct endpoint *endpoint, int fd)
{
	int failure = endpoint->is_local ? uv_pipe_open(&endpoint->listener.pipe, fd)
	                                 : uv_tcp_open(&endpoint->listener.tcp, fd);
	if (failure != 0)
		close(fd);
	else
		failure = uv_listen(&endpoint->listener.stream, ENDPOINT_BACKLOG, on_connection);
	return failure;
}

struct endpoint *endpoint_open(struct daemon *daemon, int fd, struct error *error)
{
	struct sockaddr_storage address = {.ss_family = AF_UNSPEC};
	socklen_t size = sizeof address;
	struct endpoint *endpoint = calloc(1, sizeof *endpoint);
	if (endpoint == NULL || getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
		error_set(error, endpoint == NULL ? STATUS_NO_MEMORY : STATUS_IO,
		          "[metrics] listen: %s", strerror(errno));
		free(endpoint);
		close(fd);
		return NULL;
	}
	endpoint->daemon = daemon;
	endpoint->is_local = address.ss_family == AF_UNIX;
	(void)stream_init(daemon, &endpoint->listener, endpoint->is_local);
	(void)uv_timer_init(&daemon->loop, &endpoint->timer);
	endpoint->open_handles = 2;
	endpoint->listener.handle.data = endpoint;
	endpoint->timer.data = endpoint;
	int failure = listen_on(endpoint, fd);
	if (failure == 0)
		return endpoint;
	error_set(error, STATUS_IO, "[metrics] listen: %s", uv_strerror(failure));
	endpoint_close(endpoint);
	return NULL;
}

/* A socket that was left behind goes; one that is answered, or no socket, stays. */
static bool may_bind(const struct address *address, int fd)
{
	struct stat there;
	const char *path = address->local.sun_path;
	if (address->any.sa_family != AF_UNIX || lstat(path, &there) != 0)
		return true;
	if (!S_ISSOCK(there.st_mode) || connect(fd, &address->any, address->size) == 0 ||
	    errno != ECONNREFUSED)
		return false;
	return unlink(path) == 0;
}

enum status endpoint_listen(const char *text, int *result, struct error *error)
{
	enum { EVERYBODY = 0666 };
	struct address address;
	int reuse = 1;
	enum status status = address_parse(text, &address, error);
	if (status != STATUS_OK)
		return status;
	int fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return error_set(error, STATUS_IO,
		                 "[metrics] listen = %.80s: %s (under the unit: see "
		                 "predictd-metrics.socket in predictd(8))",
		                 text, strerror(errno));
	if (address.any.sa_family != AF_UNIX)
		(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
	if (!may_bind(&address, fd))
		status = error_set(error, STATUS_BUSY,
		                   "[metrics] listen = %.80s: something is there", text);
	else if (bind(fd, &address.any, address.size) != 0 ||
	         (address.any.sa_family == AF_UNIX &&
	          chmod(address.local.sun_path, EVERYBODY) != 0))
		status = error_set(error, STATUS_IO, "[metrics] listen = %.80s: %s", text,
		                   strerror(errno));
	if (status == STATUS_OK)
		*result = fd;
	else
		close(fd);
	return status;
}
