/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/share/daemon_link.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAUSE_MS = 1000, PROTOCOL = 1 };

static void begin(uv_timer_t *timer);

struct writing {
	uv_write_t write;
	uint8_t *bytes;
};

static void free_handle(uv_handle_t *handle)
{
	free(handle);
}

static void drop(struct daemon_link *link)
{
	(void)uv_timer_stop(&link->timer);
	if (link->pipe != NULL) {
		link->pipe->data = NULL; /* callbacks that still come find nobody */
		uv_close((uv_handle_t *)link->pipe, free_handle);
		link->pipe = NULL;
	}
	frame_reader_deinit(&link->reader);
	frame_reader_init(&link->reader, FRAME_BYTES_MAX);
}

static void fail(struct daemon_link *link, const char *why)
{
	daemon_done *done = link->done;
	bool was_up = link->state == DAEMON_UP;
	if (link->state == DAEMON_OFF)
		return;
	drop(link);
	link->state = DAEMON_PAUSED;
	link->done = NULL;
	(void)uv_timer_start(&link->timer, begin, PAUSE_MS, 0);
	if (done != NULL)
		done(link->done_context, NULL, why);
	if (was_up)
		link->on_down(link->context, why);
}

static void on_deadline(uv_timer_t *timer)
{
	fail(timer->data, "no answer in time");
}

static void on_written(uv_write_t *write, int status)
{
	struct writing *writing = (struct writing *)write;
	struct daemon_link *link = write->handle->data;
	free(writing->bytes);
	free(writing);
	if (status < 0 && link != NULL)
		fail(link, uv_strerror(status));
}

static void send_request(struct daemon_link *link, Predictd__Request *request)
{
	size_t size;
	struct writing *writing = calloc(1, sizeof *writing);
	request->id = ++link->id;
	if (writing == NULL || !frame_pack(&request->base, &writing->bytes, &size)) {
		free(writing);
		fail(link, "no memory");
		return;
	}
	uv_buf_t buffer = uv_buf_init((char *)writing->bytes, (unsigned)size);
	(void)uv_timer_start(&link->timer, on_deadline, link->deadline_ms, 0);
	int code = uv_write(&writing->write, (uv_stream_t *)link->pipe, &buffer, 1, on_written);
	if (code < 0) {
		free(writing->bytes);
		free(writing);
		fail(link, uv_strerror(code));
	}
}

static void take(struct daemon_link *link, const Predictd__Response *response)
{
	daemon_done *done = link->done;
	if (response->id != link->id || (done == NULL && link->state == DAEMON_UP))
		return;
	(void)uv_timer_stop(&link->timer);
	link->done = NULL;
	if (link->state == DAEMON_CONNECTING) {
		if (response->body_case != PREDICTD__RESPONSE__BODY_HELLO) {
			fail(link, "it does not say hello");
			return;
		}
		link->state = DAEMON_UP;
		link->on_up(link->context);
	} else if (response->body_case == link->expected) {
		done(link->done_context, response, "");
	} else {
		done(link->done_context, NULL,
		     response->body_case == PREDICTD__RESPONSE__BODY_ERROR
		             ? response->error->text
		             : "an answer to another question");
	}
}

static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
	(void)handle;
	buffer->base = malloc(suggested);
	buffer->len = buffer->base != NULL ? suggested : 0;
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buffer)
{
	struct daemon_link *link = stream->data;
	const uint8_t *message;
	size_t length;
	enum frame_result result = FRAME_NONE;
	const uv_pipe_t *pipe = link != NULL ? link->pipe : NULL;
	if (link != NULL && size > 0 &&
	    !frame_reader_feed(&link->reader, buffer->base, (size_t)size))
		fail(link, "no memory");
	else if (link != NULL && size < 0)
		fail(link, uv_strerror((int)size));
	free(buffer->base);
	/* a callback may have ended this pipe */
	while (link != NULL && link->pipe != NULL && link->pipe == pipe &&
	       (result = frame_reader_next(&link->reader, &message, &length)) == FRAME_READY) {
		Predictd__Response *response = predictd__response__unpack(NULL, length, message);
		if (response == NULL) {
			fail(link, "an answer that cannot be read");
			return;
		}
		take(link, response);
		predictd__response__free_unpacked(response, NULL);
	}
	if (result == FRAME_TOO_LONG)
		fail(link, "an answer that is too long");
}

static void on_connected(uv_connect_t *connect, int status)
{
	struct daemon_link *link = connect->handle->data;
	free(connect);
	if (link == NULL)
		return;
	if (status < 0) {
		fail(link, uv_strerror(status));
		return;
	}
	Predictd__Hello hello = PREDICTD__HELLO__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	char client[] = "predictd-share";
	hello.protocol = PROTOCOL;
	hello.client = client;
	request.body_case = PREDICTD__REQUEST__BODY_HELLO;
	request.hello = &hello;
	(void)uv_read_start((uv_stream_t *)link->pipe, on_room, on_read);
	send_request(link, &request);
}

static void begin(uv_timer_t *timer)
{
	struct daemon_link *link = timer->data;
	uv_connect_t *connect = malloc(sizeof *connect);
	link->state = DAEMON_CONNECTING;
	link->pipe = malloc(sizeof *link->pipe);
	if (connect == NULL || link->pipe == NULL || uv_pipe_init(link->loop, link->pipe, 0) != 0) {
		free(connect);
		free(link->pipe);
		link->pipe = NULL;
		fail(link, "no memory");
		return;
	}
	link->pipe->data = link;
	(void)uv_timer_start(&link->timer, on_deadline, link->deadline_ms, 0);
	uv_pipe_connect(connect, link->pipe, link->socket, on_connected);
}

void daemon_link_init(struct daemon_link *link, uv_loop_t *loop)
{
	*link = (struct daemon_link){.loop = loop};
	(void)uv_timer_init(loop, &link->timer);
	link->timer.data = link;
	frame_reader_init(&link->reader, FRAME_BYTES_MAX);
}

void daemon_link_start(struct daemon_link *link)
{
	link->state = DAEMON_PAUSED;
	(void)uv_timer_start(&link->timer, begin, 0, 0);
}

void daemon_link_stop(struct daemon_link *link)
{
	drop(link);
	frame_reader_deinit(&link->reader);
	link->state = DAEMON_OFF;
	link->done = NULL;
	if (!uv_is_closing((uv_handle_t *)&link->timer))
		uv_close((uv_handle_t *)&link->timer, NULL);
}

bool daemon_link_is_free(const struct daemon_link *link)
{
	return link->state == DAEMON_UP && link->done == NULL;
}

void daemon_link_ask(struct daemon_link *link, Predictd__Request *request,
                     Predictd__Response__BodyCase expected, daemon_done *done, void *context)
{
	assert(daemon_link_is_free(link));
	link->expected = expected;
	link->done = done;
	link->done_context = context;
	send_request(link, request);
}
