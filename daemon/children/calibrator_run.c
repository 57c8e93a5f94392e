/* SPDX-License-Identifier: Apache-2.0 */
/* One run of predictd-calibrator. */
#include "daemon/children/calibrator_run.h"

#include "daemon/codec/message_text.h"
#include "daemon/libexec.h"
#include "daemon/log.h"
#include "proto/frame.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	CALIBRATOR_REPLY_BYTES_MAX = 4 << 20,
	CALIBRATOR_DRAIN_MS = 1000 /* after its end, for what a grandchild may still hold open */
};

struct calibrator_run {
	uv_process_t process;
	uv_pipe_t input, output;
	uv_timer_t timer;
	uv_write_t write;
	uint8_t *frame;
	struct frame_reader reader;
	struct calibrator_events events;
	void *data;
	struct error how;
	unsigned open_handles;
	bool has_exited, has_ended_output, is_finished;
};

static void on_closed(uv_handle_t *handle)
{
	struct calibrator_run *run = handle->data;
	if (--run->open_handles > 0)
		return;
	frame_reader_deinit(&run->reader);
	free(run->frame);
	free(run);
}

static void close_all(struct calibrator_run *run)
{
	uv_handle_t *handles[] = {(uv_handle_t *)&run->process, (uv_handle_t *)&run->input,
	                          (uv_handle_t *)&run->output, (uv_handle_t *)&run->timer};
	run->open_handles = sizeof handles / sizeof handles[0];
	for (unsigned i = 0; i < sizeof handles / sizeof handles[0]; i++)
		uv_close(handles[i], on_closed);
}

static void finish(struct calibrator_run *run)
{
	if (run->is_finished)
		return;
	run->is_finished = true;
	run->events.on_end(run->data, &run->how);
	close_all(run);
}

static void on_drained(uv_timer_t *timer)
{
	finish(timer->data);
}

static void on_ended(uv_process_t *process, int64_t code, int signal)
{
	struct calibrator_run *run = process->data;
	run->has_exited = true;
	/* what a driver started and left behind would disturb the next calibration */
	(void)kill(-process->pid, SIGKILL);
	if (run->how.status == STATUS_OK && signal != 0) {
		error_set(&run->how, STATUS_DEVICE,
		          "the OpenCL driver crashed: the calibrator was ended by signal %d",
		          signal);
		log_write(LOG_DRIVER_FAILED, LOG_TEXT_FIELD("why", run->how.text));
	} else if (run->how.status == STATUS_OK && code != 0)
		error_set(&run->how, STATUS_DEVICE, "the calibrator ended with status %d",
		          (int)code);
	if (run->has_ended_output)
		finish(run);
	else
		(void)uv_timer_start(&run->timer, on_drained, CALIBRATOR_DRAIN_MS, 0);
}

void calibrator_run_end(struct calibrator_run *run, enum status status, const char *why)
{
	if (run->how.status == STATUS_OK)
		error_set(&run->how, status, "%s", why);
	/* its whole session: drivers start compilers */
	if (!run->has_exited && kill(-run->process.pid, SIGKILL) != 0)
		(void)uv_process_kill(&run->process, SIGKILL);
}

static void on_deadline(uv_timer_t *timer)
{
	log_write(LOG_DRIVER_FAILED, LOG_TEXT_FIELD("why", "the calibrator did not end in time"));
	calibrator_run_end(timer->data, STATUS_TIMEOUT,
	                   "the OpenCL driver hangs: the calibrator did not end in time");
}

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
	static char shared[16384]; /* consumed by on_read before anything else is read */
	(void)handle;
	(void)suggested;
	*buffer = uv_buf_init(shared, sizeof shared);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
	struct calibrator_run *run = stream->data;
	const uint8_t *bytes;
	size_t size;
	enum frame_result result = FRAME_NONE;
	if (count == 0)
		return;
	if (count < 0) {
		(void)uv_read_stop(stream);
		run->has_ended_output = true;
		if (run->has_exited)
			finish(run);
		return;
	}
	if (!frame_reader_feed(&run->reader, buffer->base, (size_t)count)) {
		calibrator_run_end(run, STATUS_NO_MEMORY, "calibrator: no memory");
		return;
	}
	while (run->how.status == STATUS_OK &&
	       (result = frame_reader_next(&run->reader, &bytes, &size)) == FRAME_READY) {
		Predictd__CalibratorReply *reply =
		        predictd__calibrator_reply__unpack(NULL, size, bytes);
		if (reply == NULL) {
			calibrator_run_end(run, STATUS_DEVICE,
			                   "the calibrator's reply cannot be read");
			return;
		}
		message_clean_text(&reply->base); /* from drivers, for logs and terminals */
		run->events.on_reply(run->data, reply);
		predictd__calibrator_reply__free_unpacked(reply, NULL);
	}
	if (result == FRAME_TOO_LONG)
		calibrator_run_end(run, STATUS_DEVICE, "the calibrator's reply is too long");
}

static void on_written(uv_write_t *write, int failure)
{
	(void)write;
	(void)failure; /* its end shows in on_ended */
}

enum status calibrator_run_start(uv_loop_t *loop, const char *libexec,
                                 const Predictd__CalibratorRequest *request, uint32_t deadline_ms,
                                 const struct calibrator_events *events, void *data,
                                 struct calibrator_run **result, struct error *error)
{
	char path[PATH_MAX];
	size_t size;
	enum status status = libexec_find(libexec, "predictd-calibrator", path, sizeof path, error);
	if (status != STATUS_OK)
		return status;
	struct calibrator_run *run = calloc(1, sizeof *run);
	if (run == NULL)
		return error_set(error, STATUS_NO_MEMORY, "calibrator: no memory");
	run->events = *events;
	run->data = data;
	frame_reader_init(&run->reader, CALIBRATOR_REPLY_BYTES_MAX);
	if (!frame_pack(&request->base, &run->frame, &size)) {
		free(run);
		return error_set(error, STATUS_NO_MEMORY, "calibrator: no memory");
	}
	(void)uv_pipe_init(loop, &run->input, 0);
	(void)uv_pipe_init(loop, &run->output, 0);
	(void)uv_timer_init(loop, &run->timer);
	run->input.data = run->output.data = run->timer.data = run;

	uv_stdio_container_t stdio[] = {
	        {.flags = UV_CREATE_PIPE | UV_READABLE_PIPE,
	         .data.stream = (uv_stream_t *)&run->input},
	        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE,
	         .data.stream = (uv_stream_t *)&run->output},
	        {.flags = UV_INHERIT_FD, .data.fd = STDERR_FILENO},
	};
	char *arguments[] = {path, NULL};
	uv_process_options_t options = {
	        .exit_cb = on_ended,
	        .file = path,
	        .args = arguments,
	        .stdio = stdio,
	        .stdio_count = sizeof stdio / sizeof stdio[0],
	        /* a session of its own, so that what it starts can be killed with it */
	        .flags = UV_PROCESS_DETACHED,
	};
	int failure = uv_spawn(loop, &run->process, &options);
	run->process.data = run;
	if (failure != 0) {
		status = error_set(error, STATUS_UNAVAILABLE, "%s: %s", path, uv_strerror(failure));
		run->is_finished = true;
		close_all(run);
		return status;
	}
	uv_buf_t part = uv_buf_init((char *)run->frame, (unsigned)size);
	(void)uv_timer_start(&run->timer, on_deadline, deadline_ms, 0);
	if (uv_write(&run->write, (uv_stream_t *)&run->input, &part, 1, on_written) != 0 ||
	    uv_read_start((uv_stream_t *)&run->output, on_allocate, on_read) != 0)
		calibrator_run_end(run, STATUS_UNAVAILABLE, "the calibrator cannot be reached");
	*result = run;
	return STATUS_OK;
}
