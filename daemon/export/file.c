/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of metrics: written beside its place and renamed to it, so that a reader sees the page
 * before or the page after. On a thread: a disk may hang.
 */
#include "daemon/export/export.h"

#include "daemon/daemon.h"
#include "daemon/export/page.h"
#include "daemon/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MODE = 0644 }; /* a collector is another user */

struct export_writing {
	uv_work_t work;
	struct export_file *file; /* NULL: it has stopped */
	char path[CONFIG_TEXT_MAX];
	struct metrics_text text;
	struct error error;
};

/* All of it; false, and errno says why. */
static bool write_all(int fd, const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t written = write(fd, bytes, size);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return false;
		bytes += written;
		size -= (size_t)written;
	}
	return true;
}

static void on_work(uv_work_t *work)
{
	struct export_writing *writing = work->data;
	char beside[CONFIG_TEXT_MAX + 8]; /* no *.prom: collectors read these */
	(void)snprintf(beside, sizeof beside, "%s.new", writing->path);
	/* a link that somebody put there is replaced, not followed */
	(void)unlink(beside);
	int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
	if (fd < 0) {
		error_set(&writing->error, STATUS_IO, "%s: %s", beside, strerror(errno));
		return;
	}
	bool is_done = fchmod(fd, FILE_MODE) == 0 &&
	               write_all(fd, writing->text.bytes, writing->text.used);
	int failure = errno;
	if (close(fd) != 0 && is_done) {
		failure = errno;
		is_done = false;
	}
	if (is_done && rename(beside, writing->path) != 0) {
		failure = errno;
		is_done = false;
	}
	if (is_done)
		return;
	(void)unlink(beside);
	error_set(&writing->error, STATUS_IO, "%s: %s", writing->path, strerror(failure));
}

static void writing_free(struct export_writing *writing)
{
	metrics_text_deinit(&writing->text);
	free(writing);
}

static void on_done(uv_work_t *work, int cancelled)
{
	struct export_writing *writing = work->data;
	struct export_file *file = writing->file;
	bool has_failed = writing->error.status != STATUS_OK;
	(void)cancelled; /* nobody cancels */
	if (file != NULL)
		file->writing = NULL;
	/* stopped, or it is to lie elsewhere by now */
	if (file == NULL || strcmp(file->path, writing->path) != 0) {
		(void)unlink(writing->path);
	} else {
		if (has_failed && !file->has_failed)
			log_write(LOG_METRICS_FAILED, LOG_TEXT_FIELD("why", writing->error.text));
		file->has_failed = has_failed;
		file->has_written = file->has_written || !has_failed;
	}
	writing_free(writing);
}

static void on_timer(uv_timer_t *timer)
{
	struct export_file *file = timer->data;
	if (file->writing != NULL)
		return; /* the disk is slow: the next page is newer */
	struct export_writing *writing = calloc(1, sizeof *writing);
	if (writing == NULL)
		return;
	writing->file = file;
	writing->work.data = writing;
	memcpy(writing->path, file->path, sizeof writing->path);
	page_write(file->daemon, file->daemon->has_names, &writing->text);
	if (writing->text.has_failed ||
	    uv_queue_work(&file->daemon->loop, &writing->work, on_work, on_done) != 0) {
		writing_free(writing);
		return;
	}
	file->writing = writing;
}

/* A page that is not renewed would look as if nothing happened. */
static void leave(struct export_file *file)
{
	if (file->has_written)
		(void)unlink(file->path);
	file->has_written = false;
	file->has_failed = false;
	file->path[0] = '\0';
}

void export_file_start(struct export_file *file, struct daemon *daemon)
{
	file->daemon = daemon;
	(void)uv_timer_init(&daemon->loop, &file->timer);
	file->timer.data = file;
	export_file_apply(file);
}

void export_file_apply(struct export_file *file)
{
	const struct config *config = &file->daemon->config;
	uint64_t interval_ms = (uint64_t)config->interval_s * 1000;
	if (strcmp(file->path, config->file) != 0) {
		leave(file);
		memcpy(file->path, config->file, sizeof file->path);
	}
	if (file->path[0] == '\0')
		(void)uv_timer_stop(&file->timer);
	else
		(void)uv_timer_start(&file->timer, on_timer, 0, interval_ms);
}

void export_file_stop(struct export_file *file)
{
	if (uv_is_closing((uv_handle_t *)&file->timer))
		return;
	uv_close((uv_handle_t *)&file->timer, NULL);
	if (file->writing != NULL)
		file->writing->file = NULL;
	file->writing = NULL;
	leave(file);
}
