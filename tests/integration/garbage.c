/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client that means harm: garbage SOCKET KIND. It sends what no client
 * should and ends with 0 when the daemon answered with an error or closed the
 * connection, 1 when it did neither within the time, 2 on a usage error.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static int connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || strlen(path) >= sizeof address.sun_path)
		return -1;
	strcpy(address.sun_path, path);
	if (connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Sends as much as the daemon takes within `wait_ms` of standing still. */
static size_t push(int fd, const void *bytes, size_t size, int wait_ms)
{
	size_t sent = 0;

	while (sent < size) {
		struct pollfd ready = {.fd = fd, .events = POLLOUT};
		if (poll(&ready, 1, wait_ms) <= 0 || (ready.revents & POLLOUT) == 0)
			break;
		ssize_t n = send(fd, (const char *)bytes + sent, size - sent,
		                 MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0)
			break;
		sent += (size_t)n;
	}
	return sent;
}

/* True when something comes back, or the end does, within `wait_ms`. */
static bool is_answered(int fd, int wait_ms)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	char byte;

	if (poll(&ready, 1, wait_ms) <= 0)
		return false;
	ssize_t n = recv(fd, &byte, 1, MSG_DONTWAIT);
	return n >= 0 || errno == ECONNRESET || errno == EPIPE;
}

static void put_length(uint8_t frame[4], uint32_t length)
{
	for (int i = 0; i < 4; i++)
		frame[i] = (uint8_t)(length >> 8 * i);
}

/* A frame that claims `claimed` bytes and carries `size` pseudo-random ones. */
static bool send_frame(int fd, uint32_t claimed, size_t size, uint32_t seed)
{
	uint8_t *frame = malloc(4 + size);

	if (frame == NULL)
		return false;
	put_length(frame, claimed);
	for (size_t i = 0; i < size; i++) {
		seed = seed * 1664525u + 1013904223u;
		frame[4 + i] = (uint8_t)(seed >> 24);
	}
	push(fd, frame, 4 + size, 2000);
	free(frame);
	return true;
}

static int noise(const char *path)
{
	for (uint32_t round = 0; round < 64; round++) {
		int fd = connect_to(path);
		if (fd < 0)
			return 1;
		size_t size = 1 + (size_t)round * 37 % 1000;
		send_frame(fd, (uint32_t)size, size, round + 1);
		bool answered = is_answered(fd, 30000);
		close(fd);
		if (!answered)
			return 1;
	}
	return 0;
}

static int one_frame(const char *path, uint32_t claimed, size_t size, bool must_answer)
{
	int fd = connect_to(path);

	if (fd < 0)
		return 1;
	send_frame(fd, claimed, size, 7);
	bool answered = !must_answer || is_answered(fd, 30000);
	close(fd);
	return answered ? 0 : 1;
}

static int text(const char *path)
{
	static const char request[] = "GET / HTTP/1.1\r\nHost: predictd\r\n\r\n";
	int fd = connect_to(path);

	if (fd < 0)
		return 1;
	push(fd, request, sizeof request - 1, 2000);
	bool answered = is_answered(fd, 30000); /* "GET " reads as 542 million bytes */
	close(fd);
	return answered ? 0 : 1;
}

/* One byte of a prefix, and silence: the daemon may wait, others may not have to. */
static int slow_prefix(const char *path)
{
	int fds[32];

	for (int i = 0; i < 32; i++) {
		fds[i] = connect_to(path);
		if (fds[i] >= 0)
			push(fds[i], "\1", 1, 1000);
	}
	usleep(200000);
	for (int i = 0; i < 32; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return 0;
}

/* Well-formed prefixes, garbage within, for as long as the daemon takes them; reads nothing. */
static int flood(const char *path)
{
	enum { ROUNDS = 20000 };
	int fd = connect_to(path);

	if (fd < 0)
		return 1;
	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint8_t frame[4 + 16];
		put_length(frame, 16);
		memset(frame + 4, (int)(i & 0xff), 16);
		if (push(fd, frame, sizeof frame, 1000) < sizeof frame)
			break;
	}
	close(fd);
	return 0;
}

static int half_open(const char *path)
{
	int fd = connect_to(path);

	if (fd < 0)
		return 1;
	uint8_t frame[4 + 8];
	put_length(frame, 64);
	memset(frame + 4, 0, 8);
	push(fd, frame, sizeof frame, 1000);
	shutdown(fd, SHUT_WR);
	bool answered = is_answered(fd, 30000);
	close(fd);
	return answered ? 0 : 1;
}

/* Submessages within each other, deeper than a stack likes: field 2, wire type 2, to the end. */
static int deep(const char *path)
{
	enum { SIZE = 1 << 20 };
	uint8_t *frame = malloc(4 + SIZE);
	int fd = connect_to(path);

	if (frame == NULL || fd < 0) {
		free(frame);
		return 1;
	}
	put_length(frame, SIZE);
	for (size_t i = 0; i + 5 <= SIZE; i += 5) {
		uint32_t rest = (uint32_t)(SIZE - i - 5);
		frame[4 + i] = 0x12;
		frame[4 + i + 1] = (uint8_t)(rest | 0x80);
		frame[4 + i + 2] = (uint8_t)(rest >> 7 | 0x80);
		frame[4 + i + 3] = (uint8_t)(rest >> 14 | 0x80);
		frame[4 + i + 4] = (uint8_t)(rest >> 21 & 0x7f);
	}
	push(fd, frame, 4 + SIZE, 2000);
	bool answered = is_answered(fd, 30000);
	close(fd);
	free(frame);
	return answered ? 0 : 1;
}

static int many_connections(const char *path)
{
	enum { COUNT = 2000 };
	static int fds[COUNT];
	int count = 0;

	while (count < COUNT && (fds[count] = connect_to(path)) >= 0)
		count++;
	for (int i = 0; i < count; i++)
		close(fds[i]);
	usleep(200000); /* the daemon sees them go */
	return count > 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: garbage SOCKET KIND\n");
		return 2;
	}
	const char *path = argv[1], *kind = argv[2];
	if (strcmp(kind, "noise") == 0)
		return noise(path);
	if (strcmp(kind, "huge") == 0)
		return one_frame(path, UINT32_MAX, 64, true);
	if (strcmp(kind, "zero") == 0)
		return one_frame(path, 0, 0, true);
	if (strcmp(kind, "truncated") == 0)
		return one_frame(path, 1000, 10, false);
	if (strcmp(kind, "unknown-id") == 0)
		return one_frame(path, 4, 4, true);
	if (strcmp(kind, "text") == 0)
		return text(path);
	if (strcmp(kind, "slow-prefix") == 0)
		return slow_prefix(path);
	if (strcmp(kind, "flood") == 0)
		return flood(path);
	if (strcmp(kind, "half-open") == 0)
		return half_open(path);
	if (strcmp(kind, "deep") == 0)
		return deep(path);
	if (strcmp(kind, "many-connections") == 0)
		return many_connections(path);
	fprintf(stderr, "garbage: no kind \"%s\"\n", kind);
	return 2;
}
