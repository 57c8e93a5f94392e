/* SPDX-License-Identifier: Apache-2.0 */
/* Programs through the analyser: queue, one socket each, replies decoded. */
#include "daemon/children/analysis.h"

#include "daemon/children/analyser_process.h"
#include "daemon/codec/ir_codec.h"
#include "daemon/log.h"
#include "proto/frame.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	ANALYSIS_GRACE_MS = 250,       /* beyond the deadline that the analyser itself keeps */
	ANALYSIS_INLINE_BYTES = 65536, /* larger replies are decoded off the loop */
	ANALYSIS_RUNNING_MAX = 16,     /* twice that is half of the zygote's own bound */
	ANALYSIS_VARIANTS_MAX = 32,    /* a child's own cost is two of them */
	ANALYSIS_TIME_MS = 600000,     /* the longest that a child is given */
	ANALYSIS_REST = 3,             /* times as long as the work in the background */
	ANALYSIS_BACKGROUND = 0x80,    /* in the last byte of a job's deadline */
	ANALYSIS_QUEUED_BYTES = 256 << 20,
	ANALYSIS_QUEUED_BYTES_PER_USER = 64 << 20
};

struct analysis_job {
	struct user_ticket ticket;
	struct analysis *analysis;
	analysis_done done;
	void *data;
	uint8_t *frame; /* the program */
	size_t frame_bytes;
	size_t programs, replied;         /* asked for, and told of */
	uint64_t started_ns, run_from_ns; /* since when it waits, and runs */
	uint64_t told_ns;                 /* the last reply, or since when it runs */
	uv_pipe_t pipe;
	uv_timer_t timer;
	uv_write_t write;
	uv_work_t work;
	struct frame_reader reader;
	struct user_share share; /* the reply */
	struct analysis_result result;
	struct analysis_result decoded; /* the worker thread's until it is done */
	unsigned open_handles;
	bool is_started, is_background, is_decoding, is_finished;
	bool is_told;                         /* a reply came, and the next is not awaited yet */
	struct analysis_job *next, *previous; /* of those running */
	struct analysis_job *next_undecoded;
};

static void pump(struct analysis *analysis);

/* Those in the background may go on, or some of them. */
static void on_rested(uv_timer_t *timer)
{
	pump(timer->data);
}

/* After what was done in the background for so long: its user rests. */
static void rest(struct analysis *analysis, uid_t id, uint64_t run_ns)
{
	uint64_t now_ns = uv_hrtime();
	struct user *user = user_get(analysis->users, id, now_ns);
	if (user == NULL)
		return;
	uint64_t from_ns = user->analyses_rest_ns > now_ns ? user->analyses_rest_ns : now_ns;
	user->analyses_rest_ns = from_ns + ANALYSIS_REST * run_ns / analysis->background_max;
}

static void job_free(struct analysis_job *job)
{
	(void)user_hold(job->analysis->users, NULL, &job->share, 0);
	frame_reader_deinit(&job->reader);
	free(job->frame);
	program_content_deinit(&job->result.content);
	free(job);
}

static void on_closed(uv_handle_t *handle)
{
	struct analysis_job *job = handle->data;
	if (--job->open_handles == 0 && !job->is_decoding)
		job_free(job);
}

/* Tells the result, whose content is the callee's from here. */
static void job_tell(struct analysis_job *job, enum status status)
{
	uint64_t now_ns = uv_hrtime();
	uint64_t from_ns = job->replied == 0 ? job->started_ns : job->told_ns;
	job->result.status = status;
	job->result.run_ns = job->is_started ? now_ns - job->told_ns : 0;
	job->result.content.analysis_time_s = (double)(now_ns - from_ns) * 1e-9;
	job->told_ns = now_ns;
	job->replied++;
	job->done(job->data, &job->result);
	program_content_deinit(&job->result.content);
	job->result = (struct analysis_result){.is_analysers = false};
}

/* Tells the last result and lets go of the job. */
static void job_finish(struct analysis_job *job, enum status status)
{
	struct analysis *analysis = job->analysis;
	if (job->is_finished)
		return;
	job->is_finished = true;
	if (job->is_started) {
		*(job->previous != NULL ? &job->previous->next : &analysis->running) = job->next;
		if (job->next != NULL)
			job->next->previous = job->previous;
		analysis->running_count--;
		analysis->background_count -= job->is_background;
		if (job->is_background)
			rest(analysis, job->ticket.user, uv_hrtime() - job->run_from_ns);
	}
	job_tell(job, status);
	if (job->open_handles > 0) {
		if (!uv_is_closing((uv_handle_t *)&job->timer))
			uv_close((uv_handle_t *)&job->timer, on_closed);
		if (job->open_handles > 1 && !uv_is_closing((uv_handle_t *)&job->pipe))
			uv_close((uv_handle_t *)&job->pipe, on_closed);
	} else if (!job->is_decoding) {
		job_free(job);
	}
	pump(analysis);
}

static void job_fail(struct analysis_job *job, enum status status, const char *text)
{
	(void)error_set(&job->result.error, status, "%s", text);
	job_finish(job, status);
}

static const char ended[] = "the analyser ended; try again";
static const char gave_up[] = "the analyser gave up on this source (crash, memory or time)";
static const char took_too_long[] = "the analysis of this source took too long: split it, or try "
                                    "again when the machine is less busy";

/* For want of a reply, which is this source's own fault. */
static void give_up(struct analysis_job *job, enum status status, const char *why)
{
	job->analysis->given_up++;
	log_write(LOG_ANALYSIS_FAILED, LOG_NUMBER_FIELD("uid", job->ticket.user),
	          LOG_TEXT_FIELD("why", why));
	job_fail(job, status, why);
}

static void on_deadline(uv_timer_t *timer)
{
	give_up(timer->data, STATUS_TIMEOUT, took_too_long);
}

/* Nothing has been sent: told from the loop, as everything is. */
static void on_not_started(uv_timer_t *timer)
{
	job_fail(timer->data, STATUS_UNAVAILABLE, "the analyser cannot be reached; try again");
}

/* Fills result->content from the reply that it has; on the worker thread, or the loop. */
static void decode(struct analysis_result *result)
{
	struct program_content *content = &result->content;
	result->is_analysers = true;
	result->status = ir_decode_reply(content->packed, content->packed_bytes, &content->kernels,
	                                 &content->kernel_count, &result->report, &result->error);
	if (result->status != STATUS_OK)
		program_content_deinit(content);
	else
		program_content_tell(content, &result->report);
}

static void on_decode(uv_work_t *work)
{
	struct analysis_job *job = work->data;
	decode(&job->decoded);
}

static void on_decoded(uv_work_t *work, int cancelled);

/* The next large reply: its parts take some times its bytes, so that one is decoded at a time. */
static void decode_next(struct analysis *analysis)
{
	struct analysis_job *job = analysis->undecoded;
	if (analysis->decoding != NULL || job == NULL)
		return;
	analysis->undecoded = job->next_undecoded;
	job->next_undecoded = NULL; /* its next reply may wait again, behind others */
	analysis->decoding = job;
	job->work.data = job;
	int failure = uv_queue_work(analysis->loop, &job->work, on_decode, on_decoded);
	assert(failure == 0); /* it fails for want of a function alone */
	(void)failure;
}

static void replies_take(struct analysis_job *job);
static void await_reply(struct analysis_job *job);

/* Tells what a reply was; the next one may be there. */
static void reply_told(struct analysis_job *job)
{
	if (job->replied + 1 == job->programs)
		job_finish(job, job->result.status);
	else
		job_tell(job, job->result.status);
}

static void on_decoded(uv_work_t *work, int cancelled)
{
	(void)cancelled;
	struct analysis_job *job = work->data;
	struct analysis *analysis = job->analysis;
	job->is_decoding = false;
	analysis->decoding = NULL;
	if (!job->is_finished) {
		job->result = job->decoded;
		reply_told(job);
		replies_take(job);
	} else {
		/* failed meanwhile, as the daemon stops: nobody took it */
		program_content_deinit(&job->decoded.content);
		if (job->open_handles == 0)
			job_free(job);
	}
	decode_next(analysis);
}

/* The reply is the reader's buffer, behind its prefix; of variants, a copy of it. */
static struct program_content take_reply(struct analysis_job *job, const uint8_t *message,
                                         size_t size)
{
	struct program_content content = {.packed = job->reader.bytes, .packed_bytes = size};
	if (job->programs > 1) {
		content.packed = malloc(size + 1);
		if (content.packed != NULL)
			memcpy(content.packed, message, size);
		return content;
	}
	memmove(content.packed, content.packed + FRAME_PREFIX_BYTES, size);
	job->reader.bytes = NULL; /* the content's */
	frame_reader_deinit(&job->reader);
	return content;
}

static void on_reply(struct analysis_job *job, const uint8_t *message, size_t size)
{
	struct analysis *analysis = job->analysis;
	struct program_content content = take_reply(job, message, size);
	uv_timer_stop(&job->timer);
	(void)uv_read_stop((uv_stream_t *)&job->pipe);
	job->is_told = true;
	if (content.packed == NULL) {
		job_fail(job, STATUS_NO_MEMORY, "analysis: no memory");
		return;
	}
	if (size > ANALYSIS_INLINE_BYTES || job->is_background) {
		struct analysis_job **last = &analysis->undecoded;
		while (*last != NULL)
			last = &(*last)->next_undecoded;
		*last = job;
		job->decoded.content = content;
		job->is_decoding = true;
		decode_next(analysis);
		return;
	}
	job->result.content = content;
	decode(&job->result);
	reply_told(job);
}

/* Counts what came for who asked; false beyond his share. */
static bool count_reply(struct analysis_job *job)
{
	struct users *users = job->analysis->users;
	struct user *user = user_get(users, job->ticket.user, uv_hrtime());
	return user != NULL && user_hold(users, user, &job->share, job->reader.room);
}

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
	static char shared[65536]; /* consumed by on_read before anything else is read */
	(void)handle;
	(void)suggested;
	*buffer = uv_buf_init(shared, sizeof shared);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
	struct analysis_job *job = stream->data;
	if (count == 0)
		return;
	if (count < 0) {
		/* the child alone went down over this source, or all of them went */
		if (analyser_process_has_ended(&job->analysis->process))
			job_fail(job, STATUS_UNAVAILABLE, ended);
		else
			give_up(job, STATUS_LIMIT, gave_up);
		return;
	}
	if (!frame_reader_feed(&job->reader, buffer->base, (size_t)count)) {
		job_fail(job, STATUS_NO_MEMORY, "analysis: no memory");
		return;
	}
	if (!count_reply(job)) {
		job_fail(job, STATUS_LIMIT,
		         "the analysis of this source is too large beside what is held for this "
		         "user: ask for one after the other");
		return;
	}
	replies_take(job);
}

/* Replies that have come whole, one decoded after the other; then waits for more. */
static void replies_take(struct analysis_job *job)
{
	const uint8_t *message;
	size_t size;
	while (!job->is_finished && !job->is_decoding) {
		switch (frame_reader_next(&job->reader, &message, &size)) {
		case FRAME_NONE:
			if (job->is_told)
				await_reply(job);
			return;
		case FRAME_READY:
			on_reply(job, message, size);
			break;
		case FRAME_TOO_LONG:
			job_fail(job, STATUS_LIMIT, "the analysis of this source is too large");
			break;
		}
	}
}

/* Each of several variants has the deadline for itself. */
static void await_reply(struct analysis_job *job)
{
	job->is_told = false;
	if (uv_read_start((uv_stream_t *)&job->pipe, on_allocate, on_read) != 0)
		job_fail(job, STATUS_UNAVAILABLE, ended);
	else
		(void)uv_timer_start(&job->timer, on_deadline,
		                     (uint64_t)job->analysis->deadline_ms + ANALYSIS_GRACE_MS, 0);
}

static void on_written(uv_write_t *write, int failure)
{
	(void)write;
	(void)failure; /* an end of the other side shows in on_read, maybe with its reply */
}

/* Passes the far end to the zygote; false when that cannot be. */
static bool pass_socket(const struct analysis_job *job, int far)
{
	const struct analysis *analysis = job->analysis;
	uint8_t deadline[4];
	uint32_t deadline_ms = analysis->deadline_ms * (uint32_t)job->programs;
	for (unsigned i = 0; i < sizeof deadline; i++)
		deadline[i] = (uint8_t)(deadline_ms >> (8 * i));
	deadline[3] |= job->is_background ? ANALYSIS_BACKGROUND : 0;
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.bytes = {0}};
	struct iovec part = {deadline, sizeof deadline};
	struct msghdr message = {
	        .msg_iov = &part,
	        .msg_iovlen = 1,
	        .msg_control = control.bytes,
	        .msg_controllen = sizeof control.bytes,
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &far, sizeof far);
	ssize_t sent;
	do
		sent = sendmsg(analysis->process.control, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)sizeof deadline;
}

static void job_start(struct analysis_job *job)
{
	struct analysis *analysis = job->analysis;
	int ends[2] = {-1, -1};
	job->is_started = true;
	job->is_background = analysis->is_background(analysis->data, job->ticket.user);
	job->run_from_ns = job->told_ns = uv_hrtime();
	analysis->background_count += job->is_background;
	job->next = analysis->running;
	if (job->next != NULL)
		job->next->previous = job;
	analysis->running = job;
	analysis->running_count++;

	(void)uv_timer_init(analysis->loop, &job->timer);
	job->timer.data = job;
	job->open_handles = 1;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0 ||
	    uv_pipe_init(analysis->loop, &job->pipe, 0) != 0)
		goto failed;
	job->pipe.data = job;
	job->open_handles = 2;
	if (uv_pipe_open(&job->pipe, ends[0]) != 0)
		goto failed;
	ends[0] = -1; /* the pipe's */
	if (!pass_socket(job, ends[1]))
		goto failed;
	close(ends[1]);
	ends[1] = -1;
	analysis->forks++;
	analysis->background_forks += job->is_background;
	uv_buf_t part = uv_buf_init((char *)job->frame, (unsigned)job->frame_bytes);
	if (uv_write(&job->write, (uv_stream_t *)&job->pipe, &part, 1, on_written) != 0 ||
	    uv_read_start((uv_stream_t *)&job->pipe, on_allocate, on_read) != 0)
		goto failed;
	(void)uv_timer_start(&job->timer, on_deadline,
	                     (uint64_t)analysis->deadline_ms + ANALYSIS_GRACE_MS, 0);
	return;
failed:
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	(void)uv_timer_start(&job->timer, on_not_started, 0, 0);
}

static struct analysis_job *pop(struct analysis *analysis, bool (*may)(void *data, uid_t user))
{
	struct user_ticket *ticket = user_queue_pop(&analysis->queue, may, analysis);
	if (ticket == NULL)
		return NULL;
	return (struct analysis_job *)((char *)ticket - offsetof(struct analysis_job, ticket));
}

static bool has_running(const struct analysis *analysis, uid_t user)
{
	const struct analysis_job *job = analysis->running;
	while (job != NULL && job->ticket.user != user)
		job = job->next;
	return job != NULL;
}

/*
 * What one user has running for seconds, and how long he rests for it, keeps nobody else waiting:
 * who has none running may begin one all the same.
 */
static bool may_run(void *data, uid_t id)
{
	struct analysis *analysis = data;
	bool is_background = analysis->is_background(analysis->data, id);
	if (has_running(analysis, id) &&
	    (analysis->running_count >= analysis->running_max ||
	     (is_background && analysis->background_count >= analysis->background_max)))
		return false;
	if (!is_background)
		return true;
	uint64_t now_ns = uv_hrtime();
	const struct user *user = user_get(analysis->users, id, now_ns);
	if (user != NULL && user->analyses_rest_ns > now_ns) {
		if (user->analyses_rest_ns < analysis->rested_ns)
			analysis->rested_ns = user->analyses_rest_ns;
		return false;
	}
	return analysis->background_count < 2 * analysis->background_max;
}

/* Begins what may; wakes up when the first of those who rest may go on. */
static void pump(struct analysis *analysis)
{
	analysis->rested_ns = UINT64_MAX;
	while (analysis->process.is_ready && !analysis->is_stopping &&
	       analysis->running_count < 2 * analysis->running_max) {
		struct analysis_job *job = pop(analysis, may_run);
		if (job == NULL)
			break;
		job_start(job);
	}
	uint64_t now_ns = uv_hrtime();
	if (analysis->rested_ns != UINT64_MAX && !analysis->is_stopping)
		(void)uv_timer_start(&analysis->rest_timer, on_rested,
		                     analysis->rested_ns > now_ns
		                             ? (analysis->rested_ns - now_ns) / 1000000 + 1
		                             : 1,
		                     0);
}

static void on_process(void *data, enum analyser_event event)
{
	struct analysis *analysis = data;
	if (event == ANALYSER_READY) {
		pump(analysis);
		return;
	}
	/* what runs went with it, but for replies that came; what waits goes on when it is back */
	for (struct analysis_job *job = analysis->running, *next; job != NULL; job = next) {
		next = job->next;
		if (!job->is_decoding)
			job_fail(job, STATUS_UNAVAILABLE, ended);
	}
	if (event == ANALYSER_NOT_STARTED) {
		struct analysis_job *job;
		while ((job = pop(analysis, NULL)) != NULL)
			job_fail(job, STATUS_UNAVAILABLE, analysis->process.problem);
	}
}

void analysis_init(struct analysis *analysis, uv_loop_t *loop, const char *libexec,
                   bool (*is_background)(void *data, uid_t user), void *data)
{
	memset(analysis, 0, sizeof *analysis);
	analysis->loop = loop;
	analysis->is_background = is_background;
	analysis->data = data;
	(void)uv_timer_init(loop, &analysis->rest_timer);
	analysis->rest_timer.data = analysis;
	analyser_process_init(&analysis->process, loop, libexec, on_process, analysis);
	analysis_bound(analysis, 512, 128, 0, 2000);
}

void analysis_start(struct analysis *analysis)
{
	analyser_process_start(&analysis->process);
}

void analysis_bound(struct analysis *analysis, size_t queued_max, size_t queued_per_user_max,
                    size_t running_max, uint32_t deadline_ms)
{
	size_t processors = uv_available_parallelism();
	if (running_max == 0)
		running_max = 2 * processors;
	analysis->background_max = processors > 1 ? processors - 1 : 1;
	analysis->running_max =
	        running_max < ANALYSIS_RUNNING_MAX ? running_max : ANALYSIS_RUNNING_MAX;
	analysis->deadline_ms = deadline_ms;
	analysis->bounds = (struct user_queue_bounds){
	        .count = queued_max,
	        .count_per_user = queued_per_user_max,
	        .bytes = ANALYSIS_QUEUED_BYTES,
	        .bytes_per_user = ANALYSIS_QUEUED_BYTES_PER_USER,
	        .what = "sources",
	};
}

size_t analysis_variants_max(const struct analysis *analysis)
{
	size_t timely = ANALYSIS_TIME_MS / (analysis->deadline_ms + 1);
	return timely < 1 ? 1 : timely < ANALYSIS_VARIANTS_MAX ? timely : ANALYSIS_VARIANTS_MAX;
}

enum status analysis_submit(struct analysis *analysis, uint8_t *frame, size_t frame_bytes,
                            size_t programs, uid_t user, analysis_done done, void *data,
                            struct analysis_job **result, struct error *error)
{
	enum status status = STATUS_OK;
	struct analysis_job *job = NULL;
	if (analysis->is_stopping)
		status = error_set(error, STATUS_UNAVAILABLE, "the daemon is stopping");
	else if (!analysis->process.is_ready && analysis->process.problem[0] != '\0')
		status = error_set(error, STATUS_UNAVAILABLE, "%s", analysis->process.problem);
	else if ((job = calloc(1, sizeof *job)) == NULL)
		status = error_set(error, STATUS_NO_MEMORY, "analysis: no memory");
	if (status != STATUS_OK) {
		free(frame);
		return status;
	}
	job->analysis = analysis;
	job->done = done;
	job->data = data;
	job->started_ns = uv_hrtime();
	frame_reader_init(&job->reader, FRAME_BYTES_MAX);
	job->frame = frame;
	job->frame_bytes = frame_bytes;
	job->programs = programs;
	job->ticket.user = user;
	job->ticket.bytes = job->frame_bytes;
	status = user_queue_push(&analysis->queue, &job->ticket, &analysis->bounds, error);
	if (status != STATUS_OK) {
		job_free(job);
		return status;
	}
	*result = job;
	pump(analysis);
	return STATUS_OK;
}

void analysis_hasten(struct analysis *analysis, struct analysis_job *job, uid_t user)
{
	struct error error;
	uid_t first = job->ticket.user;
	if (job->is_started || first == user || analysis->is_background(analysis->data, user) ||
	    !analysis->is_background(analysis->data, first))
		return;
	user_queue_remove(&analysis->queue, &job->ticket);
	job->ticket.user = user;
	enum status status =
	        user_queue_push(&analysis->queue, &job->ticket, &analysis->bounds, &error);
	if (status != STATUS_OK) {
		job->ticket.user = first; /* where there was room for it a moment ago */
		status = user_queue_push(&analysis->queue, &job->ticket, &analysis->bounds, &error);
	}
	if (status != STATUS_OK)
		job_fail(job, status, error.text);
	else
		pump(analysis);
}

bool analysis_withdraw(struct analysis *analysis, struct analysis_job *job)
{
	if (job->is_started)
		return false;
	user_queue_remove(&analysis->queue, &job->ticket);
	job_free(job);
	return true;
}

void analysis_stop(struct analysis *analysis)
{
	struct analysis_job *job;
	analysis->is_stopping = true;
	while (analysis->running != NULL)
		job_fail(analysis->running, STATUS_UNAVAILABLE, "the daemon is stopping");
	while ((job = pop(analysis, NULL)) != NULL)
		job_fail(job, STATUS_UNAVAILABLE, "the daemon is stopping");
	uv_close((uv_handle_t *)&analysis->rest_timer, NULL);
	analyser_process_stop(&analysis->process);
}
