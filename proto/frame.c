/* SPDX-License-Identifier: Apache-2.0 */
/* Framing: one message <-> four bytes of length, little-endian, and the message. */
#include "proto/frame.h"

#include <errno.h>
#include <poll.h>
#include <protobuf-c/protobuf-c.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint32_t prefix_decode(const uint8_t prefix[FRAME_PREFIX_BYTES])
{
	return (uint32_t)prefix[0] | (uint32_t)prefix[1] << 8 | (uint32_t)prefix[2] << 16 |
	       (uint32_t)prefix[3] << 24;
}

void frame_put_prefix(uint8_t prefix[FRAME_PREFIX_BYTES], size_t size)
{
	for (unsigned i = 0; i < FRAME_PREFIX_BYTES; i++)
		prefix[i] = (uint8_t)(size >> (8 * i));
}

bool frame_pack(const struct ProtobufCMessage *message, uint8_t **bytes, size_t *size)
{
	size_t body = protobuf_c_message_get_packed_size(message);
	if (body > FRAME_BYTES_MAX)
		return false;
	uint8_t *frame = malloc(FRAME_PREFIX_BYTES + body);
	if (frame == NULL)
		return false;
	frame_put_prefix(frame, body);
	(void)protobuf_c_message_pack(message, frame + FRAME_PREFIX_BYTES);
	*bytes = frame;
	*size = FRAME_PREFIX_BYTES + body;
	return true;
}

void frame_reader_init(struct frame_reader *reader, size_t limit)
{
	*reader = (struct frame_reader){.limit = limit < FRAME_BYTES_MAX ? limit : FRAME_BYTES_MAX};
}

void frame_reader_deinit(struct frame_reader *reader)
{
	free(reader->bytes);
	*reader = (struct frame_reader){.limit = reader->limit};
}

/* Of the frame that is being read, with its prefix; 0: not known yet, or too long. */
static size_t frame_bytes(const struct frame_reader *reader)
{
	if (reader->used < FRAME_PREFIX_BYTES)
		return 0;
	size_t body = prefix_decode(reader->bytes);
	return body > reader->limit ? 0 : FRAME_PREFIX_BYTES + body;
}

bool frame_reader_feed(struct frame_reader *reader, const void *bytes, size_t size)
{
	if (size == 0)
		return true;
	if (reader->taken > 0) {
		reader->used -= reader->taken;
		memmove(reader->bytes, reader->bytes + reader->taken, reader->used);
		reader->taken = 0;
	}
	if (size > reader->room - reader->used) {
		size_t room = reader->room < 4096 ? 4096 : reader->room;
		while (room - reader->used < size)
			room *= 2;
		/* a large message that is known to end before needs no more than itself */
		size_t whole = frame_bytes(reader);
		if (whole < room && whole >= reader->used + size)
			room = whole;
		uint8_t *grown = realloc(reader->bytes, room);
		if (grown == NULL)
			return false;
		reader->bytes = grown;
		reader->room = room;
	}
	memcpy(reader->bytes + reader->used, bytes, size);
	reader->used += size;
	return true;
}

enum frame_result frame_reader_next(struct frame_reader *reader, const uint8_t **message,
                                    size_t *size)
{
	size_t left = reader->used - reader->taken;
	if (left < FRAME_PREFIX_BYTES)
		return FRAME_NONE;
	const uint8_t *frame = reader->bytes + reader->taken;
	size_t body = prefix_decode(frame);
	if (body > reader->limit)
		return FRAME_TOO_LONG;
	if (left - FRAME_PREFIX_BYTES < body)
		return FRAME_NONE;
	*message = frame + FRAME_PREFIX_BYTES;
	*size = body;
	reader->taken += FRAME_PREFIX_BYTES + body;
	return FRAME_READY;
}

int frame_write(int fd, const struct ProtobufCMessage *message)
{
	uint8_t *bytes;
	size_t size;
	if (!frame_pack(message, &bytes, &size))
		return EMSGSIZE;
	int failure = 0;
	for (size_t done = 0; done < size && failure == 0;) {
		ssize_t written = write(fd, bytes + done, size - done);
		if (written >= 0)
			done += (size_t)written;
		else if (errno == EAGAIN)
			(void)poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
		else if (errno != EINTR)
			failure = errno;
	}
	free(bytes);
	return failure;
}

static int64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads exactly `size` bytes; `end_ms` < 0 waits for ever. */
static int read_all(int fd, uint8_t *bytes, size_t size, int64_t end_ms, size_t *done)
{
	for (*done = 0; *done < size;) {
		int wait = -1;
		if (end_ms >= 0) {
			int64_t left = end_ms - now_ms();
			if (left <= 0)
				return ETIMEDOUT;
			wait = left > INT32_MAX ? INT32_MAX : (int)left;
		}
		int ready = poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, wait);
		if (ready < 0 && errno != EINTR)
			return errno;
		if (ready <= 0)
			continue;
		ssize_t got = read(fd, bytes + *done, size - *done);
		if (got == 0)
			return EPIPE;
		if (got > 0)
			*done += (size_t)got;
		else if (errno != EINTR && errno != EAGAIN)
			return errno;
	}
	return 0;
}

int frame_read(int fd, size_t limit, int deadline_ms, uint8_t **bytes, size_t *size)
{
	int64_t end_ms = deadline_ms < 0 ? -1 : now_ms() + deadline_ms;
	uint8_t prefix[FRAME_PREFIX_BYTES];
	size_t done;
	int failure = read_all(fd, prefix, sizeof prefix, end_ms, &done);
	if (failure != 0)
		return failure == EPIPE && done > 0 ? EPROTO : failure;
	size_t body = prefix_decode(prefix);
	if (body > limit || body > FRAME_BYTES_MAX)
		return EMSGSIZE;
	uint8_t *message = malloc(body > 0 ? body : 1);
	if (message == NULL)
		return ENOMEM;
	failure = read_all(fd, message, body, end_ms, &done);
	if (failure != 0) {
		free(message);
		return failure == EPIPE ? EPROTO : failure;
	}
	*bytes = message;
	*size = body;
	return 0;
}
