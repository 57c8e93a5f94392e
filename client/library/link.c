/* SPDX-License-Identifier: Apache-2.0 */
/* A link: one socket to the daemon, shared by threads whose calls are outstanding together. */
#include "client/library/link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
	RECEIVE_BYTES = 65536,
	DESCRIPTORS_MAX = 4,         /* in one message, of which the daemon sends one */
	BACKLOG_WAIT_NS = 100000000, /* at most, before it is looked whether there still is time */
	BLOCKED_POLL_MS = 5          /* a sender that waits looks whether it has to read, too */
};

static struct timespec timespec_of(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

/* ---- opening and breaking ------------------------------------------------------------------ */

static predictd_status unavailable(const char *path, int failure)
{
	if (failure == EACCES || failure == EPERM)
		return error_keep(PREDICTD_UNAVAILABLE,
		                  "cannot reach predictd at %s: %s; join the socket's group", path,
		                  strerror(failure));
	return error_keep(
	        PREDICTD_UNAVAILABLE,
	        "cannot reach predictd at %s: %s; start it with `systemctl start predictd` or "
	        "`predictd`, or set PREDICTD_SOCKET",
	        path, strerror(failure));
}

/*
 * Connects. Where the daemon's queue is full the kernel lets those wait in turn who block, and
 * would leave to chance who tries again and again.
 */
static int wait_connected(int fd, const char *path, int64_t end_ns, const atomic_bool *gives_up)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	memcpy(address.sun_path, path, strlen(path) + 1); /* its length was checked */
	for (;;) {
		int64_t left_ns = end_ns == 0 ? BACKLOG_WAIT_NS : end_ns - clock_now_ns();
		left_ns = left_ns > BACKLOG_WAIT_NS ? BACKLOG_WAIT_NS : left_ns;
		/* 0 would be for ever */
		const struct timeval wait = {.tv_usec = left_ns > 1000 ? left_ns / 1000 : 1};
		(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
		if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
			return fcntl(fd, F_SETFL, O_NONBLOCK) == 0 ? 0 : errno;
		if (errno != EINTR && (errno != EAGAIN || left_ns <= 0 || *gives_up))
			return errno;
	}
}

predictd_status link_new(pthread_mutex_t *mutex, const char *path, struct link **result)
{
	struct link *link = calloc(1, sizeof *link);
	if (link == NULL)
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a connection");
	link->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (link->fd < 0) {
		predictd_status status =
		        error_keep(PREDICTD_IO, "cannot make a socket: %s", strerror(errno));
		free(link);
		return status;
	}
	struct stat info = {0};
	(void)fstat(link->fd, &info);
	link->inode = info.st_ino;
	link->mutex = mutex;
	link->path = path;
	link->passed_fd = -1;
	link->users = 1;
	link->frame_max = FRAME_BYTES_MAX;
	(void)pthread_cond_init(&link->can_write, NULL);
	frame_reader_init(&link->reader, FRAME_BYTES_MAX);
	*result = link;
	return PREDICTD_OK;
}

predictd_status link_connect(const struct link *link, int64_t end_ns, const atomic_bool *gives_up)
{
	int failure = wait_connected(link->fd, link->path, end_ns, gives_up);
	return failure == 0 ? PREDICTD_OK : unavailable(link->path, failure);
}

bool link_has_socket(const struct link *link)
{
	struct stat info;
	return fstat(link->fd, &info) == 0 && S_ISSOCK(info.st_mode) && info.st_ino == link->inode;
}

void link_close(const struct link *link)
{
	if (link_has_socket(link))
		(void)close(link->fd);
}

void link_hold(struct link *link)
{
	link->users++;
}

void link_release(struct link *link)
{
	if (link == NULL || --link->users > 0)
		return;
	link_close(link);
	if (link->passed_fd >= 0)
		close(link->passed_fd);
	frame_reader_deinit(&link->reader);
	(void)pthread_cond_destroy(&link->can_write);
	free(link);
}

predictd_status link_break(struct link *link, predictd_status status, const char *text)
{
	if (link->is_broken)
		return error_keep(link->failure, "%s", link->text);
	link->is_broken = true;
	link->failure = status;
	(void)snprintf(link->text, sizeof link->text, "%s", text);
	if (link_has_socket(link))
		(void)shutdown(link->fd, SHUT_RDWR); /* wakes who polls it */
	for (struct call *call = link->waiting; call != NULL; call = call->waiting_next)
		(void)pthread_cond_signal(&call->condition);
	(void)pthread_cond_broadcast(&link->can_write);
	return status;
}

static const char closed_text[] = "the program closed its descriptor";

static predictd_status broke(const struct link *link, const char *why)
{
	return error_keep(PREDICTD_UNAVAILABLE, "the connection to predictd at %s broke: %s",
	                  link->path, why);
}

/* ---- calls --------------------------------------------------------------------------------- */

void call_begin(struct link *link, struct call *call, uint64_t id)
{
	*call = (struct call){.id = id, .condition = PTHREAD_COND_INITIALIZER};
	call->last = &call->first;
	call->next = link->calls[id % LINK_BUCKETS];
	link->calls[id % LINK_BUCKETS] = call;
}

void call_end(struct link *link, struct call *call)
{
	struct call **at = &link->calls[call->id % LINK_BUCKETS];
	while (*at != NULL && *at != call)
		at = &(*at)->next;
	if (*at != NULL)
		*at = call->next;
	while (call->first != NULL) {
		struct link_reply *reply = call->first;
		call->first = reply->next;
		predictd__response__free_unpacked(reply->response, NULL);
		free(reply);
	}
	(void)pthread_cond_destroy(&call->condition);
}

static void wait_begin(struct link *link, struct call *call)
{
	call->waiting_next = link->waiting;
	call->waiting_link = &link->waiting;
	if (link->waiting != NULL)
		link->waiting->waiting_link = &call->waiting_next;
	link->waiting = call;
}

static void wait_end(struct call *call)
{
	*call->waiting_link = call->waiting_next;
	if (call->waiting_next != NULL)
		call->waiting_next->waiting_link = call->waiting_link;
}

/* Has one of those that wait read on, where nobody does. */
static void pass_on(const struct link *link)
{
	if (link->has_reader)
		return;
	for (struct call *call = link->waiting; call != NULL; call = call->waiting_next) {
		if (call->first == NULL) {
			(void)pthread_cond_signal(&call->condition);
			return;
		}
	}
}

/* ---- reading ------------------------------------------------------------------------------- */

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

/* The last descriptor that came with a message; others are closed. */
static void keep_descriptor(struct msghdr *message, int *passed_fd)
{
	for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header != NULL;
	     header = CMSG_NXTHDR(message, header)) {
		if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
			continue;
		size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < count; i++) {
			if (*passed_fd >= 0)
				close(*passed_fd);
			memcpy(passed_fd, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
		}
	}
}

/* What has come, as whole replies behind *last; by the thread that reads, without the mutex. */
static predictd_status receive(struct link *link, struct link_reply **last, int *passed_fd)
{
	uint8_t bytes[RECEIVE_BYTES];
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(DESCRIPTORS_MAX * sizeof(int))];
	} control;
	struct iovec part = {bytes, sizeof bytes};
	struct msghdr message = {.msg_iov = &part,
	                         .msg_iovlen = 1,
	                         .msg_control = control.bytes,
	                         .msg_controllen = sizeof control.bytes};
	if (!link_has_socket(link))
		return broke(link, closed_text);
	ssize_t got = recvmsg(link->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (got == 0)
		return broke(link, "the daemon closed it");
	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? PREDICTD_OK
		                                         : broke(link, strerror(errno));
	if (message.msg_controllen > 0)
		keep_descriptor(&message, passed_fd);
	if (!frame_reader_feed(&link->reader, bytes, (size_t)got))
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a reply");
	for (;;) {
		const uint8_t *packed;
		size_t size;
		enum frame_result result = frame_reader_next(&link->reader, &packed, &size);
		if (result == FRAME_NONE)
			return PREDICTD_OK;
		if (result == FRAME_TOO_LONG)
			return error_keep(PREDICTD_CORRUPT,
			                  "%s: a reply of more than %d bytes: no predictd",
			                  link->path, FRAME_BYTES_MAX);
		struct link_reply *reply = calloc(1, sizeof *reply);
		if (reply == NULL)
			return error_keep(PREDICTD_NO_MEMORY, "no memory for a reply");
		*last = reply; /* from here on the caller's */
		last = &reply->next;
		reply->response = predictd__response__unpack(NULL, size, packed);
		if (reply->response == NULL)
			return error_keep(PREDICTD_CORRUPT,
			                  "%s: a reply that cannot be read: no predictd",
			                  link->path);
	}
}

/* Hands replies to their calls; those that nobody waits for (any more) end here. */
static predictd_status hand_out(struct link *link, struct link_reply *replies)
{
	predictd_status status = PREDICTD_OK;
	while (replies != NULL) {
		struct link_reply *reply = replies;
		replies = reply->next;
		reply->next = NULL;
		uint64_t id = reply->response == NULL ? 0 : reply->response->id;
		struct call *call = link->calls[id % LINK_BUCKETS];
		while (call != NULL && call->id != id)
			call = call->next;
		if (call != NULL && id != 0) {
			*call->last = reply;
			call->last = &reply->next;
			(void)pthread_cond_signal(&call->condition);
			continue;
		}
		if (reply->response != NULL && id == 0 && status == PREDICTD_OK) {
			status =
			        response_status(reply->response, PREDICTD__RESPONSE__BODY__NOT_SET);
			if (status == PREDICTD_OK)
				status = error_keep(PREDICTD_INTERNAL,
				                    "predictd answered nobody's question");
		}
		if (reply->response != NULL)
			predictd__response__free_unpacked(reply->response, NULL);
		free(reply);
	}
	return status;
}

/*
 * Waits once, until something may be read (where nobody else reads) or, with POLLOUT, written,
 * and reads. Returns with the mutex held, as it was.
 */
static void turn(struct link *link, short events, int64_t end_ns)
{
	bool reads = !link->has_reader;
	struct link_reply *replies = NULL;
	predictd_status status = PREDICTD_OK;
	int passed_fd = -1;
	link_hold(link);
	link->has_reader = true;
	(void)pthread_mutex_unlock(link->mutex);

	struct pollfd poller = {.fd = link->fd, .events = events};
	if (reads)
		poller.events |= POLLIN;
	int64_t left_ns = end_ns == 0 ? 0 : end_ns - clock_now_ns();
	if (end_ns != 0 && left_ns < 0)
		left_ns = 0;
	if (!reads && (end_ns == 0 || left_ns > BLOCKED_POLL_MS * 1000000))
		left_ns = BLOCKED_POLL_MS * 1000000;
	struct timespec left = timespec_of(left_ns);
	int ready = ppoll(&poller, 1, end_ns == 0 && reads ? NULL : &left, NULL);
	if (ready > 0 && reads && (poller.revents & (POLLIN | POLLHUP | POLLERR)) != 0)
		status = receive(link, &replies, &passed_fd);

	(void)pthread_mutex_lock(link->mutex);
	if (reads) {
		link->has_reader = false;
		if (passed_fd >= 0) {
			if (link->passed_fd >= 0)
				close(link->passed_fd);
			link->passed_fd = passed_fd; /* to be taken by who asked for it */
		}
		predictd_status handed = hand_out(link, replies);
		if (status != PREDICTD_OK || handed != PREDICTD_OK)
			(void)link_break(link, status != PREDICTD_OK ? status : handed,
			                 predictd_error_text());
	}
	link_release(link);
}

predictd_status link_receive(struct link *link, struct call *call, int64_t end_ns,
                             Predictd__Response **response)
{
	predictd_status status = PREDICTD_OK;
	while (call->first == NULL && !link->is_broken) {
		if (end_ns != 0 && clock_now_ns() >= end_ns) {
			status = error_keep(PREDICTD_TIMEOUT,
			                    "predictd at %s gave no answer in time", link->path);
			break;
		}
		if (!link->has_reader) {
			turn(link, 0, end_ns);
			continue;
		}
		wait_begin(link, call);
		if (end_ns == 0) {
			(void)pthread_cond_wait(&call->condition, link->mutex);
		} else {
			struct timespec end = timespec_of(end_ns);
			(void)pthread_cond_clockwait(&call->condition, link->mutex, CLOCK_MONOTONIC,
			                             &end);
		}
		wait_end(call);
	}
	pass_on(link);
	if (call->first == NULL)
		return status != PREDICTD_OK ? status : error_keep(link->failure, "%s", link->text);
	struct link_reply *reply = call->first;
	call->first = reply->next;
	if (call->first == NULL)
		call->last = &call->first;
	*response = reply->response;
	free(reply);
	return PREDICTD_OK;
}

/* ---- writing ------------------------------------------------------------------------------- */

predictd_status link_pack(const struct link *link, const Predictd__Request *request,
                          uint8_t **bytes, size_t *size)
{
	size_t body = predictd__request__get_packed_size(request);
	if (body > link->frame_max)
		return error_keep(PREDICTD_LIMIT, "a request of %zu bytes; predictd takes %zu",
		                  body, link->frame_max);
	if (!frame_pack(&request->base, bytes, size))
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a request of %zu bytes", body);
	return PREDICTD_OK;
}

static predictd_status send_some(const struct link *link, const uint8_t *bytes, size_t size,
                                 size_t *done)
{
	if (!link_has_socket(link))
		return broke(link, closed_text);
	while (*done < size) {
		ssize_t sent =
		        send(link->fd, bytes + *done, size - *done, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent >= 0)
			*done += (size_t)sent;
		else if (errno == EAGAIN)
			return PREDICTD_OK;
		else if (errno == EPIPE)
			*done = size; /* who closed said why before: it is read next */
		else if (errno != EINTR)
			return broke(link, strerror(errno));
	}
	return PREDICTD_OK;
}

predictd_status link_send(struct link *link, const uint8_t *bytes, size_t size, int64_t end_ns)
{
	size_t done = 0;
	predictd_status status = PREDICTD_OK;
	while (link->has_writer && !link->is_broken) {
		struct timespec end = timespec_of(end_ns);
		if (end_ns == 0)
			(void)pthread_cond_wait(&link->can_write, link->mutex);
		else if (pthread_cond_clockwait(&link->can_write, link->mutex, CLOCK_MONOTONIC,
		                                &end) == ETIMEDOUT)
			return error_keep(PREDICTD_TIMEOUT,
			                  "predictd at %s took no request in time", link->path);
	}
	link->has_writer = true;
	while (!link->is_broken && done < size) {
		status = send_some(link, bytes, size, &done);
		if (status != PREDICTD_OK || done == size)
			break;
		if (end_ns != 0 && clock_now_ns() >= end_ns) {
			status = error_keep(PREDICTD_TIMEOUT,
			                    "predictd at %s took no request in time", link->path);
			break;
		}
		/* a daemon whose answers are not read takes no requests */
		turn(link, POLLOUT, end_ns);
	}
	link->has_writer = false;
	(void)pthread_cond_signal(&link->can_write);
	pass_on(link);
	if (link->is_broken)
		return error_keep(link->failure, "%s", link->text);
	/* what has begun can be neither ended nor taken back; others have time left, and ask again
	 */
	if (status == PREDICTD_TIMEOUT && done > 0) {
		link->was_cut = true;
		(void)link_break(link, PREDICTD_UNAVAILABLE,
		                 "the connection to predictd broke: it took no request in time");
	} else if (status != PREDICTD_OK && status != PREDICTD_TIMEOUT) {
		(void)link_break(link, status, predictd_error_text());
	}
	return status;
}
