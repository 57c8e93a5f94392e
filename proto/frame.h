/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Framing: one message <-> four bytes of length, little-endian, and the message.
 * The length is checked before anything is kept or unpacked.
 */
#ifndef PREDICTD_PROTO_FRAME_H
#define PREDICTD_PROTO_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FRAME_PREFIX_BYTES = 4,
	FRAME_BYTES_MAX = 32 << 20 /* of one message: a 10 MB source fits, 4 GB does not */
};

struct ProtobufCMessage;

/* Writes the length that stands before a message of so many bytes. */
void frame_put_prefix(uint8_t prefix[FRAME_PREFIX_BYTES], size_t size);

/*
 * Packs a message behind its length. *bytes is the caller's, to free().
 * Returns false when memory is short or the message is over FRAME_BYTES_MAX.
 */
bool frame_pack(const struct ProtobufCMessage *message, uint8_t **bytes, size_t *size);

/*
 * A reader collects bytes as they come and yields whole messages.
 * It keeps at most one message of limit bytes plus what one read brought.
 */
struct frame_reader {
	uint8_t *bytes;
	size_t used, room, taken;
	size_t limit; /* of one message, at most FRAME_BYTES_MAX */
};

void frame_reader_init(struct frame_reader *reader, size_t limit);
void frame_reader_deinit(struct frame_reader *reader);

/* Appends what was read; false when memory is short. */
bool frame_reader_feed(struct frame_reader *reader, const void *bytes, size_t size);

enum frame_result {
	FRAME_NONE,    /* not whole yet */
	FRAME_READY,   /* *message points into the reader, valid until the next call */
	FRAME_TOO_LONG /* the peer announced more than the limit: close */
};

enum frame_result frame_reader_next(struct frame_reader *reader, const uint8_t **message,
                                    size_t *size);

/*
 * Blocking forms for child processes and the client library: write all, read one.
 * frame_read allocates *bytes (the caller's, to free()); deadline_ms < 0 waits for ever.
 * Both return 0, or an errno: EPIPE for an end between frames, EPROTO for an end
 * within one, EMSGSIZE for a length over limit, ETIMEDOUT.
 */
int frame_write(int fd, const struct ProtobufCMessage *message);
int frame_read(int fd, size_t limit, int deadline_ms, uint8_t **bytes, size_t *size);

#endif
