/* SPDX-License-Identifier: Apache-2.0 */
/* The epochs' memory, passed to a client. */
#include "daemon/services/service.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

enum { REPLY_BYTES_MAX = 64 };

/* Sends a short frame and the descriptor with it; a socket takes either whole or nothing. */
static bool send_with(int socket, int descriptor, uint8_t *bytes, size_t size)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof descriptor)];
	} control = {.bytes = {0}};
	struct iovec part = {.iov_base = bytes, .iov_len = size};
	struct msghdr message = {.msg_iov = &part,
	                         .msg_iovlen = 1,
	                         .msg_control = control.bytes,
	                         .msg_controllen = sizeof control.bytes};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof descriptor);
	memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
	ssize_t sent;
	do
		sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)size;
}

/*
 * The descriptor goes by a call of its own, behind every answer before it: libuv passes
 * handles only over pipes that also receive them, and clients are to pass none.
 */
enum status service_watch_epochs(struct session *session, struct work *work, struct error *error)
{
	const struct epochs *epochs = session->daemon->epochs;
	Predictd__WatchEpochsReply reply = PREDICTD__WATCH_EPOCHS_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	uint8_t bytes[FRAME_PREFIX_BYTES + REPLY_BYTES_MAX];
	int fd;
	if (epochs == NULL)
		return error_set(error, STATUS_UNSUPPORTED,
		                 "epochs: this system has no sealed memory");
	/* descriptors in sockets that nobody reads count against all that the daemon's user may
	 * have on their way */
	if (session->has_epochs)
		return error_set(error, STATUS_LIMIT,
		                 "epochs: they are passed once to a connection");
	reply.slots = epochs_count(epochs);
	reply.size_bytes = (uint64_t)reply.slots * sizeof(uint64_t);
	response.id = work->message->id;
	response.body_case = PREDICTD__RESPONSE__BODY_WATCH_EPOCHS;
	response.watch_epochs = &reply;
	size_t size = predictd__response__get_packed_size(&response);
	frame_put_prefix(bytes, size);
	(void)predictd__response__pack(&response, bytes + FRAME_PREFIX_BYTES);

	session_flush(session);
	if (session->is_closing)
		return STATUS_OK; /* nobody is left to answer */
	if (session->writing.bytes != NULL || uv_fileno((uv_handle_t *)&session->pipe, &fd) != 0 ||
	    !send_with(fd, epochs_descriptor(epochs), bytes, FRAME_PREFIX_BYTES + size))
		return error_set(error, STATUS_BUSY, "epochs: read the answers before it first");
	session->has_epochs = true;
	return STATUS_OK;
}
