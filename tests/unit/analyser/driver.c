/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's side of the analyser, for tests. */
#include "tests/unit/analyser/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/codec/ir_codec.h"
#include "proto/frame.h"

enum {
	READY_MS = 60000,
	MARGIN_MS = 20000, /* after the deadline: a loaded machine is no failure */
	CHANNEL = 3
};

static void text_append(struct text *text, const char *part, size_t size)
{
	if (text->room - text->size < size) {
		text->room = (text->size + size) * 2;
		text->bytes = realloc(text->bytes, text->room);
		if (text->bytes == NULL)
			abort();
	}
	memcpy(text->bytes + text->size, part, size);
	text->size += size;
}

void text_add(struct text *text, const char *part)
{
	text_append(text, part, strlen(part));
}

void text_repeat(struct text *text, const char *part, size_t times)
{
	size_t size = strlen(part);
	for (size_t i = 0; i < times; i++)
		text_append(text, part, size);
}

static int64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The child's part of the start; it does not return. */
static _Noreturn void become_analyser(int channel, const char *const *wrapper)
{
	char *arguments[32];
	size_t count = 0;
	for (; wrapper != NULL && wrapper[count] != NULL && count < 30; count++)
		arguments[count] = (char *)wrapper[count]; /* exec does not write */
	arguments[count] = (char *)ANALYSER_PATH;
	arguments[count + 1] = NULL;
	/* dup2 to itself would leave FD_CLOEXEC set */
	int copy = fcntl(channel, F_DUPFD_CLOEXEC, CHANNEL + 1);
	if (copy >= 0 && dup2(copy, CHANNEL) == CHANNEL)
		(void)execvp(arguments[0], arguments);
	_exit(127);
}

bool analyser_start(struct analyser *analyser, const char *const *wrapper)
{
	int ends[2];
	char word[16];
	(void)signal(SIGPIPE, SIG_IGN);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return false;
	analyser->pid = fork();
	if (analyser->pid == 0)
		become_analyser(ends[1], wrapper);
	close(ends[1]);
	analyser->channel = ends[0];
	return analyser->pid > 0 &&
	       poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, READY_MS) == 1 &&
	       recv(ends[0], word, sizeof word, 0) >= 5 && memcmp(word, "ready", 5) == 0;
}

int analyser_stop(struct analyser *analyser)
{
	int status = -1;
	close(analyser->channel);
	while (waitpid(analyser->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return status;
}

int analyser_open(struct analyser *analyser, uint32_t deadline_ms)
{
	int ends[2];
	uint8_t ticket[4];
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.bytes = {0}};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return -1;
	for (unsigned i = 0; i < sizeof ticket; i++)
		ticket[i] = (uint8_t)(deadline_ms >> (8 * i));
	struct iovec vector = {ticket, sizeof ticket};
	struct msghdr message = {.msg_iov = &vector,
	                         .msg_iovlen = 1,
	                         .msg_control = control.bytes,
	                         .msg_controllen = sizeof control.bytes};
	struct cmsghdr *part = CMSG_FIRSTHDR(&message);
	part->cmsg_level = SOL_SOCKET;
	part->cmsg_type = SCM_RIGHTS;
	part->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(part), &ends[1], sizeof(int));
	bool sent = sendmsg(analyser->channel, &message, MSG_NOSIGNAL) == (ssize_t)sizeof ticket;
	close(ends[1]);
	if (sent)
		return ends[0];
	close(ends[0]);
	return -1;
}

static bool is_whole(const struct text *reply)
{
	if (reply->size < FRAME_PREFIX_BYTES)
		return false;
	size_t body = 0;
	for (unsigned i = 0; i < FRAME_PREFIX_BYTES; i++)
		body |= (size_t)(uint8_t)reply->bytes[i] << (8 * i);
	return reply->size - FRAME_PREFIX_BYTES >= body;
}

/*
 * Writes a frame and collects a frame, or what comes until the peer closes, both at once:
 * a child that dies early, or answers before it has read all, must not block the test.
 */
static bool exchange(int socket, const uint8_t *bytes, size_t size, int64_t end_ms,
                     struct text *reply)
{
	size_t written = 0;
	for (;;) {
		int64_t left = end_ms - now_ms();
		struct pollfd watched = {
		        .fd = socket,
		        .events = (short)(written < size ? POLLIN | POLLOUT : POLLIN)};
		if (left <= 0)
			return false;
		if (poll(&watched, 1, (int)left) <= 0)
			continue;
		if ((watched.revents & POLLOUT) != 0 && written < size) {
			ssize_t sent = send(socket, bytes + written, size - written,
			                    MSG_NOSIGNAL | MSG_DONTWAIT);
			if (sent >= 0)
				written += (size_t)sent;
			else if (errno != EAGAIN && errno != EINTR)
				written = size; /* nobody listens; a reply may yet be there */
		}
		if ((watched.revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
			char part[65536];
			ssize_t got = recv(socket, part, sizeof part, MSG_DONTWAIT);
			if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
				return true;
			if (got < 0)
				continue;
			text_append(reply, part, (size_t)got);
			if (is_whole(reply))
				return true;
		}
	}
}

static bool question_pack(const struct question *question, uint8_t **bytes, size_t *size)
{
	Predictd__Program program = PREDICTD__PROGRAM__INIT;
	Predictd__Header header = PREDICTD__HEADER__INIT;
	Predictd__Header *headers[1] = {&header};
	program.name = (char *)"test.cl"; /* packed, not kept */
	program.source.data = (uint8_t *)question->source;
	program.source.len = question->bytes;
	if (question->options != NULL)
		program.options = (char *)question->options;
	if (question->header_name != NULL) {
		header.name = (char *)question->header_name;
		header.text.data = (uint8_t *)question->header_text;
		header.text.len = strlen(question->header_text);
		program.headers = headers;
		program.n_headers = 1;
	}
	Predictd__AnalyserRequest request = PREDICTD__ANALYSER_REQUEST__INIT;
	request.program = &program;
	return frame_pack(&request.base, bytes, size);
}

void analyser_ask(struct analyser *analyser, const struct question *question, struct answer *answer)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	struct text reply = {0};
	struct frame_reader reader;
	*answer = (struct answer){.outcome = OUTCOME_DIED};
	frame_reader_init(&reader, FRAME_BYTES_MAX);
	int64_t end_ms = now_ms() + question->deadline_ms + MARGIN_MS;
	uint32_t background = question->is_background ? UINT32_C(1) << 31 : 0;
	int socket = analyser_open(analyser, question->deadline_ms | background);
	if (socket < 0 || !question_pack(question, &bytes, &size))
		goto out;
	if (!exchange(socket, bytes, size, end_ms, &reply)) {
		answer->outcome = OUTCOME_LATE;
		goto out;
	}
	const uint8_t *message;
	size_t message_size;
	if (!frame_reader_feed(&reader, reply.bytes, reply.size) ||
	    frame_reader_next(&reader, &message, &message_size) != FRAME_READY)
		goto out;
	answer->outcome = OUTCOME_ANSWERED;
	answer->status = ir_decode_reply(message, message_size, &answer->kernels, &answer->count,
	                                 NULL, &answer->error);
out:
	frame_reader_deinit(&reader);
	free(reply.bytes);
	free(bytes);
	if (socket >= 0)
		close(socket);
}

void answer_deinit(struct answer *answer)
{
	for (size_t i = 0; i < answer->count; i++)
		kernel_free(answer->kernels[i]);
	free(answer->kernels);
	answer->kernels = NULL;
	answer->count = 0;
}

bool analyser_is_well(struct analyser *analyser)
{
	static const char source[] =
	        "__kernel void add(__global const float *a, __global float *b) {\n"
	        "  b[get_global_id(0)] += a[get_global_id(0)];\n"
	        "}\n";
	struct question question = {
	        .source = source, .bytes = sizeof source - 1, .deadline_ms = 5000};
	struct answer answer;
	analyser_ask(analyser, &question, &answer);
	bool is_well = answer.outcome == OUTCOME_ANSWERED && answer.status == STATUS_OK &&
	               answer.count == 1 && strcmp(answer.kernels[0]->name, "add") == 0;
	answer_deinit(&answer);
	return is_well;
}
