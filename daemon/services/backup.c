/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A backup of the store: copied on a thread beside whoever writes, then sent in parts, each read
 * on a thread, while the client reads them.
 */
#include "daemon/services/service.h"

#include "store/backup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PART_BYTES = 1 << 18,
	UNREAD_BYTES_MAX = 1 << 20, /* no more is sent until the client has read */
	LOOK_MS = 20                /* whether it has */
};

struct backing_up {
	struct request request;
	struct daemon *daemon;
	uv_work_t work;
	uv_timer_t timer;
	int fd; /* of the copy; -1: not made yet */
	uint64_t size_bytes, position;
	uint8_t *part;
	size_t part_bytes;
	struct error error;
};

static void on_timer_closed(uv_handle_t *handle)
{
	free(handle->data);
}

/* No work is under way; the request has its last answer, or the client has left. */
static void end(struct backing_up *backup)
{
	backup->daemon->is_backing_up = false;
	if (backup->fd >= 0)
		close(backup->fd);
	free(backup->part);
	uv_close((uv_handle_t *)&backup->timer, on_timer_closed);
}

static void on_part(uv_work_t *work)
{
	struct backing_up *backup = work->data;
	struct stat about;
	backup->error.status = STATUS_OK;
	if (backup->fd < 0) {
		if (store_backup(backup->daemon->paths.state, &backup->fd, &backup->error) !=
		    STATUS_OK)
			return;
		if (fstat(backup->fd, &about) == 0)
			backup->size_bytes = (uint64_t)about.st_size;
	}
	ssize_t got;
	do
		got = pread(backup->fd, backup->part, PART_BYTES, (off_t)backup->position);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		error_set(&backup->error, STATUS_IO, "backup: %s",
		          got < 0 ? strerror(errno) : "the copy is shorter than it was");
	else
		backup->part_bytes = (size_t)got;
}

static void go_on(struct backing_up *backup);

static void on_look(uv_timer_t *timer)
{
	go_on(timer->data);
}

static void on_part_done(uv_work_t *work, int cancelled)
{
	struct backing_up *backup = work->data;
	Predictd__BackupReply reply = PREDICTD__BACKUP_REPLY__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	(void)cancelled; /* nobody cancels */
	if (backup->request.session == NULL || backup->error.status != STATUS_OK) {
		request_finish_error(&backup->request, &backup->error);
		end(backup);
		return;
	}
	backup->position += backup->part_bytes;
	reply.part.data = backup->part;
	reply.part.len = backup->part_bytes;
	reply.size_bytes = backup->size_bytes;
	reply.is_last = backup->position >= backup->size_bytes;
	response.body_case = PREDICTD__RESPONSE__BODY_BACKUP;
	response.backup = &reply;
	if (reply.is_last) {
		request_finish(&backup->request, &response);
		end(backup);
		return;
	}
	request_progress(&backup->request, &response);
	go_on(backup);
}

static void go_on(struct backing_up *backup)
{
	const struct session *session = backup->request.session;
	if (session == NULL) {
		end(backup);
		return;
	}
	if (session->output.used + session->writing_bytes > UNREAD_BYTES_MAX) {
		(void)uv_timer_start(&backup->timer, on_look, LOOK_MS, 0);
		return;
	}
	(void)uv_queue_work(&backup->daemon->loop, &backup->work, on_part, on_part_done);
}

enum status service_backup(struct session *session, struct work *work, struct error *error)
{
	struct daemon *daemon = session->daemon;
	if (!session_is_admin(session))
		return error_set(error, STATUS_DENIED,
		                 "backup needs root, the daemon's own user, or a member of the "
		                 "admin group");
	if (!daemon->persistence.is_open)
		return error_set(error, STATUS_IO, "backup: %.230s",
		                 daemon->persistence.problem[0] != '\0'
		                         ? daemon->persistence.problem
		                         : "the store is not open");
	if (daemon->is_backing_up)
		return error_set(error, STATUS_BUSY, "backup: another one is under way");
	struct backing_up *backup = calloc(1, sizeof *backup);
	if (backup == NULL || (backup->part = malloc(PART_BYTES)) == NULL) {
		free(backup);
		return error_set(error, STATUS_NO_MEMORY, "backup: no memory");
	}
	enum status status =
	        request_begin(&backup->request, session, work->message->id, NULL, error);
	if (status != STATUS_OK) {
		free(backup->part);
		free(backup);
		return status;
	}
	backup->daemon = daemon;
	backup->fd = -1;
	backup->work.data = backup;
	(void)uv_timer_init(&daemon->loop, &backup->timer);
	backup->timer.data = backup;
	daemon->is_backing_up = true;
	go_on(backup);
	return STATUS_OK;
}
