/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least that a libuv server does: reads REQUEST bytes, writes REPLY bytes.
 * What predictd's answer to a repeated question is compared with.
 *
 *   bench-echo SOCKET REQUEST REPLY
 */
#include "daemon/scheduling.h"

#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

static size_t request_bytes, reply_bytes;
static char *reply;

struct client {
	uv_pipe_t pipe;
	size_t have;
	uv_write_t write;
};

static char input[65536];

static void give_buffer(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
	(void)handle;
	(void)suggested;
	*buffer = uv_buf_init(input, sizeof input);
}

static void free_client(uv_handle_t *handle)
{
	free(handle->data);
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buffer)
{
	struct client *client = stream->data;

	(void)buffer;
	if (size < 0) {
		uv_close((uv_handle_t *)stream, free_client);
		return;
	}
	client->have += (size_t)size;
	while (client->have >= request_bytes) {
		uv_buf_t out = uv_buf_init(reply, (unsigned)reply_bytes);
		client->have -= request_bytes;
		uv_write(&client->write, stream, &out, 1, NULL);
	}
}

static void on_connection(uv_stream_t *server, int status)
{
	struct client *client = calloc(1, sizeof *client);

	if (status < 0 || client == NULL) {
		free(client);
		return;
	}
	uv_pipe_init(server->loop, &client->pipe, 0);
	client->pipe.data = client;
	if (uv_accept(server, (uv_stream_t *)&client->pipe) == 0)
		uv_read_start((uv_stream_t *)&client->pipe, give_buffer, on_read);
	else
		uv_close((uv_handle_t *)&client->pipe, free_client);
}

int main(int argc, char **argv)
{
	uv_pipe_t server;

	if (argc != 4) {
		fprintf(stderr, "usage: bench-echo SOCKET REQUEST REPLY\n");
		return 2;
	}
	request_bytes = strtoul(argv[2], NULL, 10);
	reply_bytes = strtoul(argv[3], NULL, 10);
	reply = calloc(1, reply_bytes + 1);
	if (request_bytes == 0 || reply == NULL)
		return 2;
	scheduling_prompt(); /* as the daemon */
	uv_pipe_init(uv_default_loop(), &server, 0);
	if (uv_pipe_bind(&server, argv[1]) != 0 ||
	    uv_listen((uv_stream_t *)&server, 16, on_connection) != 0) {
		fprintf(stderr, "bench-echo: %s: cannot listen\n", argv[1]);
		return 1;
	}
	return uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}
