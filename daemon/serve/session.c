/* SPDX-License-Identifier: Apache-2.0 */
/* Connections: reading, taking turns, writing, closing. */
#include "daemon/serve/session.h"

#include "daemon/codec/message_text.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/serve/peer.h"
#include "daemon/serve/turns.h"
#include "proto/sourceless.h"
#include "proto/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	SESSION_CLOCK_EVERY = 16,         /* repeated questions */
	SESSION_OUTPUT_PAUSE = 1 << 20,   /* unread answers: no more requests are taken, */
	SESSION_OUTPUT_FULL = 64 << 10,   /* or so many where the user holds much in all */
	SESSION_OUTPUT_SMALL = 4096,      /* an answer that is sent whatever he holds */
	SESSION_OUTPUT_DOUBLED = 1 << 20, /* larger ones get what they need, not twice as much */
	SESSION_REQUEST_BYTES = 1024,     /* of a request that waits */
	SESSION_SHARED_READ_BYTES = 4096, /* some turns' questions, not a hundred */
	SESSION_READ_NS_MAX = 200000,     /* what takes longer had no processor */
	SESSION_KEEP_BYTES = 64 << 10,    /* of buffers, between requests */
	SESSION_ARENA_BYTES = 96 << 20,   /* of one request, unpacked, and of its answer */
	/*
	 * What a message may take that is unpacked, besides its own bytes: sixteen times what a
	 * batch of 1024 launches needs. An empty part of two bytes takes a hundred, and a bomb of
	 * them as long as ten thousand honest questions.
	 */
	SESSION_UNPACKED_BYTES = 8 << 20,
	ID_TAG = 0x08, /* field 1, a varint, of Request and Response (protobuf's encoding) */
	VARINT_BYTES_MAX = 10
};

static void session_close(struct session *session);

/* ---- quotas -------------------------------------------------------------------------------- */

static void leave_user(struct session *session)
{
	struct user *user = session->quota;
	if (user == NULL)
		return;
	session->quota = NULL;
	(void)user_hold(&session->daemon->users, user, &session->held, 0);
	user->sessions--;
}

/* Counts what the session holds; false beyond the user's share. */
static bool count_held(struct session *session)
{
	struct user *user = session->quota;
	size_t held = session->reader.room + session->arena.total + session->output.room +
	              session->writing.room + session->request_count * SESSION_REQUEST_BYTES;
	if (user == NULL)
		return true; /* it closes */
	return user_hold(&session->daemon->users, user, &session->held, held);
}

/* ---- buffers ------------------------------------------------------------------------------- */

/*
 * Between messages a session has no buffers: a thousand that ask now and then share
 * two, which are in the processor's cache, instead of having two each, which are not.
 */
static void lend_input(struct session *session)
{
	struct session_output *spare = &session->daemon->spare_input;
	if (session->reader.bytes != NULL)
		return;
	session->reader.bytes = spare->bytes;
	session->reader.room = spare->room;
	*spare = (struct session_output){.bytes = NULL}; /* the session's */
}

static void return_input(struct session *session)
{
	struct session_output *spare = &session->daemon->spare_input;
	if (spare->bytes == NULL && session->reader.room <= SESSION_KEEP_BYTES) {
		spare->bytes = session->reader.bytes;
		spare->room = session->reader.room;
		session->reader.bytes = NULL; /* whoever's is next */
	}
	frame_reader_deinit(&session->reader);
	(void)count_held(session);
}

static void lend_output(struct session *session)
{
	if (session->output.bytes != NULL)
		return;
	session->output = session->daemon->spare_output;
	session->daemon->spare_output = (struct session_output){.bytes = NULL};
}

/* Everything in it was sent. */
static void return_output(struct session *session)
{
	struct session_output *spare = &session->daemon->spare_output;
	session->output.used = 0;
	if (spare->bytes == NULL && session->output.room <= SESSION_KEEP_BYTES)
		*spare = session->output;
	else
		free(session->output.bytes);
	session->output = (struct session_output){.bytes = NULL};
}

void sessions_deinit(struct daemon *daemon)
{
	free(daemon->spare_input.bytes);
	free(daemon->spare_output.bytes);
	daemon->spare_input = daemon->spare_output = (struct session_output){.bytes = NULL};
	users_deinit(&daemon->users);
}

/* ---- closing ------------------------------------------------------------------------------- */

static void on_closed(uv_handle_t *handle)
{
	struct session *session = handle->data;
	if (--session->open_handles > 0)
		return;
	struct daemon *daemon = session->daemon;
	frame_reader_deinit(&session->reader);
	arena_deinit(&session->arena);
	free(session->output.bytes);
	free(session->writing.bytes);
	free(session);
	daemon->events->session_closed(daemon);
}

static void session_close(struct session *session)
{
	struct daemon *daemon = session->daemon;
	if (session->is_closing)
		return;
	session->is_closing = true;
	requests_abandon(session);
	evaluation_abandon(session->evaluation);
	session->evaluation = NULL;
	turns_leave(session);
	leave_user(session);
	*(session->previous != NULL ? &session->previous->next : &daemon->sessions) = session->next;
	if (session->next != NULL)
		session->next->previous = session->previous;
	daemon->session_count--;
	log_write(LOG_SESSION_CLOSED, LOG_NUMBER_FIELD("pid", session->pid));
	uv_close((uv_handle_t *)&session->pipe, on_closed);
	uv_close((uv_handle_t *)&session->timer, on_closed);
}

static bool has_output(const struct session *session)
{
	return session->output.used > 0 || session->writing.bytes != NULL;
}

void session_close_when_done(struct session *session)
{
	if (!session->is_closing && session->is_ending && session->request_count == 0 &&
	    session->work.message == NULL && !has_output(session))
		session_close(session);
}

void session_end(struct session *session)
{
	session->is_ending = true;
	(void)uv_read_stop((uv_stream_t *)&session->pipe);
	session->is_reading = false;
}

/* ---- time limits --------------------------------------------------------------------------- */

static void on_timeout(uv_timer_t *timer)
{
	struct session *session = timer->data;
	log_write(LOG_SESSION_REFUSED, LOG_NUMBER_FIELD("uid", session->user),
	          LOG_NUMBER_FIELD("pid", session->pid),
	          LOG_TEXT_FIELD("why", session->has_greeted ? "a message was not completed"
	                                                     : "no hello came"));
	session_close(session);
}

/* Times the handshake, a frame begun, and answers that are not read. */
static void update_timer(struct session *session)
{
	const struct config *config = &session->daemon->config;
	bool has_begun = session->reader.used > session->reader.taken && session->is_reading;
	uint32_t limit_ms = 0;
	if (!session->has_greeted)
		limit_ms = config->handshake_ms;
	else if (has_begun || session->writing.bytes != NULL)
		limit_ms = config->frame_ms;
	if (limit_ms == 0)
		uv_timer_stop(&session->timer);
	else if (!session->is_timing)
		(void)uv_timer_start(&session->timer, on_timeout, limit_ms, 0);
	session->is_timing = limit_ms != 0;
}

/* ---- writing ------------------------------------------------------------------------------- */

static void on_written(uv_write_t *write, int failure)
{
	struct session *session = write->data;
	free(session->writing.bytes);
	session->writing = (struct session_output){.bytes = NULL};
	session->writing_bytes = 0;
	(void)count_held(session);
	if (session->is_closing)
		return;
	if (failure != 0) {
		session_close(session);
		return;
	}
	session->is_timing = false; /* it does read: timed anew */
	session_process(session);
}

void session_flush(struct session *session)
{
	struct session_output *output = &session->output;
	if (session->is_closing || session->writing.bytes != NULL || output->used == 0)
		return;
	uv_buf_t part = uv_buf_init((char *)output->bytes, (unsigned)output->used);
	int sent = uv_try_write((uv_stream_t *)&session->pipe, &part, 1);
	if (sent < 0 && sent != UV_EAGAIN) {
		session_close(session);
		return;
	}
	size_t done = sent < 0 ? 0 : (size_t)sent;
	if (done < output->used) {
		session->writing = *output;
		session->writing_bytes = output->used - done;
		part = uv_buf_init((char *)output->bytes + done, (unsigned)session->writing_bytes);
		*output = (struct session_output){.bytes = NULL};
		session->write.data = session;
		if (uv_write(&session->write, (uv_stream_t *)&session->pipe, &part, 1,
		             on_written) != 0) {
			session_close(session);
			return;
		}
		update_timer(session);
		return;
	}
	return_output(session);
	(void)count_held(session);
}

/* Room for `size` more bytes of answers; NULL closes the session. */
static uint8_t *output_grow(struct session *session, size_t size)
{
	struct session_output *output = &session->output;
	size_t limit = session->daemon->config.output_bytes;
	if (session->writing_bytes + output->used + size > limit) {
		log_write(LOG_SESSION_REFUSED, LOG_NUMBER_FIELD("uid", session->user),
		          LOG_NUMBER_FIELD("pid", session->pid),
		          LOG_TEXT_FIELD("why", "answers are not read"));
		session_close(session);
		return NULL;
	}
	lend_output(session);
	if (size > output->room - output->used) {
		size_t room = output->room < 4096 ? 4096 : output->room;
		while (room - output->used < size && room < SESSION_OUTPUT_DOUBLED)
			room *= 2;
		if (room - output->used < size)
			room = output->used + size;
		uint8_t *grown = realloc(output->bytes, room);
		if (grown == NULL) {
			session_close(session);
			return NULL;
		}
		output->bytes = grown;
		output->room = room;
		(void)count_held(session);
	}
	uint8_t *bytes = output->bytes + output->used;
	output->used += size;
	return bytes;
}

/* Refuses an answer for which its user holds too much already: his clients do not read. */
static bool refuse_answer(struct session *session, uint64_t id, size_t size)
{
	struct error error;
	if (session->is_closing || size <= SESSION_OUTPUT_SMALL ||
	    user_may_hold(&session->daemon->users, session->quota, size))
		return false;
	error_set(&error, STATUS_LIMIT,
	          "the answer has %zu bytes, and %zu are held for this user: read what was "
	          "answered, or ask for less",
	          size, session->quota->held_bytes);
	session_reply_error(session, id, &error);
	return true;
}

void session_reply(struct session *session, uint64_t id, Predictd__Response *response)
{
	if (session->is_closing)
		return;
	response->id = id;
	size_t size = predictd__response__get_packed_size(response);
	if (size > FRAME_BYTES_MAX) {
		struct error error;
		error_set(&error, STATUS_LIMIT,
		          "the answer has %zu bytes, at most %d can be sent: ask for less", size,
		          FRAME_BYTES_MAX);
		session_reply_error(session, id, &error);
		return;
	}
	if (refuse_answer(session, id, size))
		return;
	uint8_t *bytes = output_grow(session, FRAME_PREFIX_BYTES + size);
	if (bytes == NULL)
		return;
	frame_put_prefix(bytes, size);
	(void)predictd__response__pack(response, bytes + FRAME_PREFIX_BYTES);
}

void session_reply_packed(struct session *session, uint64_t id, const uint8_t *body, size_t size)
{
	uint8_t prefix[VARINT_BYTES_MAX + 1];
	size_t used = 0;
	if (refuse_answer(session, id, size))
		return;
	prefix[used++] = ID_TAG;
	for (; id >= 0x80; id >>= 7)
		prefix[used++] = (uint8_t)(id | 0x80);
	prefix[used++] = (uint8_t)id;
	uint8_t *bytes =
	        session->is_closing ? NULL : output_grow(session, FRAME_PREFIX_BYTES + used + size);
	if (bytes == NULL)
		return;
	frame_put_prefix(bytes, used + size);
	memcpy(bytes + FRAME_PREFIX_BYTES, prefix, used);
	memcpy(bytes + FRAME_PREFIX_BYTES + used, body, size);
}

void session_count_refusal(struct session *session, const struct error *error)
{
	metrics_refuse(&session->daemon->metrics, error->status);
	log_write(LOG_REQUEST_REFUSED, LOG_NUMBER_FIELD("uid", session->user),
	          LOG_NUMBER_FIELD("pid", session->pid),
	          LOG_TEXT_FIELD("status", status_word(error->status)),
	          LOG_TEXT_FIELD("why", error->text));
}

void session_reply_error(struct session *session, uint64_t id, const struct error *error)
{
	Predictd__Error message = PREDICTD__ERROR__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	char text[sizeof error->text];
	memcpy(text, error->text, sizeof text);
	text_clean(text); /* what it quotes may have been cut */
	message.status = error->status;
	message.text = text;
	response.body_case = PREDICTD__RESPONSE__BODY_ERROR;
	response.error = &message;
	session_count_refusal(session, error);
	session_reply(session, id, &response);
}

/* ---- requests ------------------------------------------------------------------------------ */

static void end_work(struct session *session)
{
	request_time(session, session->work.kind, session->work.begun_ns);
	evaluation_abandon(session->evaluation); /* if nobody asked for its result */
	session->evaluation = NULL;
	session->work = (struct work){.message = NULL};
	arena_reset(&session->arena);
	(void)count_held(session);
}

/* Refuses the request at hand, but a small one, where its user's requests hold too much in all. */
static bool refuse_held(struct session *session)
{
	struct error error;
	if (count_held(session) || session->arena.total <= SESSION_KEEP_BYTES)
		return false;
	error_set(&error, STATUS_LIMIT, "requests of this user: no memory for more at once");
	session_reply_error(session, session->work.message->id, &error);
	struct request *request = session->work.request;
	if (request != NULL && !session->is_closing) {
		(void)request_take(request);
		request->on_abandoned(request, true);
	}
	end_work(session);
	return true;
}

/* The bytes that an id in front of a request takes, and the id; 0: it begins otherwise. */
static size_t read_id(const uint8_t *bytes, size_t size, uint64_t *id)
{
	*id = 0;
	if (size == 0 || bytes[0] != ID_TAG)
		return 0;
	for (size_t i = 1; i < size && i < VARINT_BYTES_MAX; i++) {
		*id |= (uint64_t)(bytes[i] & 0x7f) << (7 * (i - 1));
		if ((bytes[i] & 0x80) == 0)
			return i + 1;
	}
	return 0;
}

/* Answers a question that was asked before; false when it was not. */
static bool answer_again(struct session *session, const uint8_t *bytes, size_t size)
{
	struct daemon *daemon = session->daemon;
	uint64_t id;
	size_t used = read_id(bytes, size, &id);
	if (used == 0 || id == 0 || !session->has_greeted)
		return false;
	const struct answer *answer =
	        answer_memo_find(&daemon->answers, bytes + used, size - used, session->user);
	if (answer == NULL)
		return false;
	const struct answer_terms *terms = &answer->terms;
	if (terms->generation != daemon_generation(daemon) ||
	    (daemon->epochs != NULL &&
	     terms->epoch_value != epochs_value(daemon->epochs, terms->epoch_slot)))
		return false;
	/* the program is in use, and a forgotten one is answered as such */
	if (terms->handle != SOURCELESS_HANDLE &&
	    !program_cache_use(&daemon->programs, terms->handle))
		return false;
	metrics_answer_again(&daemon->metrics, PREDICTD__REQUEST__BODY_PREDICT, terms->status);
	session->quota->requests++;
	session->is_timing = false;
	session_reply_packed(session, id, answer->bytes + answer->question_bytes,
	                     answer->answer_bytes);
	return true;
}

/* Takes up a whole frame. */
static void begin_work(struct session *session, const uint8_t *bytes, size_t size)
{
	ProtobufCAllocator allocator = arena_allocator(&session->arena);
	session->arena.limit = SESSION_UNPACKED_BYTES + size;
	Predictd__Request *request = predictd__request__unpack(&allocator, size, bytes);
	session->arena.limit = SESSION_ARENA_BYTES;
	struct error error;
	unsigned kind = request == NULL ? 0 : metrics_kind(request->body_case);
	session->daemon->metrics.requests[kind]++;
	session->quota->requests++;
	session->is_timing = false; /* the next frame is timed anew */
	if (request == NULL) {
		error_set(&error, STATUS_CORRUPT,
		          "request: %zu bytes that are none, or too many parts", size);
		session_reply_error(session, 0, &error);
		arena_reset(&session->arena);
		session_end(session);
		return;
	}
	message_clean_text(&request->base);
	uint64_t id;
	size_t used = read_id(bytes, size, &id);
	session->work = (struct work){.message = request, .kind = kind};
	session->work.begun_ns = metrics_clock(&session->daemon->metrics, uv_hrtime());
	if (used > 0 && id == request->id) {
		session->work.question = bytes + used;
		session->work.question_bytes = size - used;
	}
}

/* Takes up a request whose answer can be made now. */
static void begin_ready(struct session *session)
{
	struct request *request = session->ready;
	Predictd__Request *message = arena_allocate(&session->arena, sizeof *message);
	if (message == NULL) {
		session_close(session);
		return;
	}
	predictd__request__init(message);
	message->id = request->id;
	session->work = (struct work){
	        .message = message, .step = request->step, .data = request, .request = request};
}

/* One step of the request at hand; false when it has to wait. */
static bool continue_work(struct session *session)
{
	struct work *work = &session->work;
	if (evaluation_is_awaited(session->evaluation))
		return false;
	if (work->step != NULL) {
		if (work->step(session, work))
			end_work(session);
		else
			(void)refuse_held(session);
		return true;
	}
	const struct services *services = session->daemon->services;
	if (!services->may_start(session->daemon, work->message))
		return false;
	services->start(session, work);
	if (work->step == NULL)
		end_work(session);
	return true;
}

static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer);
static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer);

/* Answers are not read: no more are made. */
static bool has_much_output(const struct session *session)
{
	size_t unread = session->output.used + session->writing_bytes;
	return unread >= SESSION_OUTPUT_PAUSE ||
	       (unread >= SESSION_OUTPUT_FULL &&
	        user_is_full(&session->daemon->users, session->quota));
}

static bool may_read(const struct session *session)
{
	return !session->is_ending && session->work.message == NULL && !has_much_output(session);
}

static void resume_reading(struct session *session)
{
	bool wants = may_read(session) && !session->is_waiting;
	if (!wants && session->is_reading)
		(void)uv_read_stop((uv_stream_t *)&session->pipe);
	bool has_begun = wants && !session->is_reading;
	session->is_reading = wants;
	if (has_begun && uv_read_start((uv_stream_t *)&session->pipe, on_allocate, on_read) != 0)
		session_close(session);
}

/* While others ask, a user is read in his turn, and a heavy one in that of the clock. */
static void on_allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
	static char shared[65536]; /* consumed by on_read before anything else is read */
	struct session *session = handle->data;
	struct users *users = &session->daemon->users;
	struct user *user = session->quota;
	uint64_t now_ns = uv_hrtime();
	size_t size = sizeof shared;
	(void)suggested;
	session->daemon->read_from_ns = now_ns;
	if (user_is_shared(users, user, now_ns)) {
		bool may = !user_is_heavy(users, user, USE_LOOP, now_ns) &&
		           user_turn_left_ns(users, user, now_ns) > 0;
		size = may ? SESSION_SHARED_READ_BYTES : 0;
	}
	*buffer = uv_buf_init(shared, (unsigned)size);
}

/* Gone: what it waits for is of no use; what is packed may still be read. */
static void end_input(struct session *session)
{
	requests_abandon(session);
	if (!session->is_closing)
		session_end(session);
}

/* What was read; false: too much, and the session closes. */
static bool take_input(struct session *session, const char *bytes, size_t size)
{
	struct error error;
	lend_input(session);
	if (frame_reader_feed(&session->reader, bytes, size) &&
	    (count_held(session) || session->reader.room <= SESSION_KEEP_BYTES))
		return true;
	error_set(&error, STATUS_LIMIT, "messages of this user: no memory for more");
	session_reply_error(session, 0, &error);
	session_flush(session);
	session_close(session);
	return false;
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
	struct session *session = stream->data;
	struct users *users = &session->daemon->users;
	if (count == 0)
		return;
	if (count == UV_ENOBUFS) {
		turns_wait(session);
		resume_reading(session);
		return;
	}
	if (count < 0) {
		end_input(session);
		if (!session->is_closing)
			session_process(session);
		return;
	}
	uint64_t now_ns = uv_hrtime(), read_ns = now_ns - session->daemon->read_from_ns;
	user_asks(users, session->quota, now_ns);
	/* a read takes as long as what is read, when that is many messages */
	user_count_turn(users, session->quota, now_ns,
	                read_ns < SESSION_READ_NS_MAX ? read_ns : SESSION_READ_NS_MAX);
	if (take_input(session, buffer->base, (size_t)count))
		session_process(session);
}

/* In its user's turn, without the loop's being woken up; false: there is nothing more. */
static bool read_more(struct session *session)
{
	static char bytes[SESSION_SHARED_READ_BYTES];
	int fd;
	if (uv_fileno((const uv_handle_t *)&session->pipe, &fd) != 0)
		return false;
	ssize_t count = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
	if (count < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (count <= 0) {
		end_input(session);
		return false;
	}
	uint64_t now_ns = uv_hrtime();
	user_asks(&session->daemon->users, session->quota, now_ns);
	user_count_waking(session->quota, now_ns);
	return take_input(session, bytes, (size_t)count);
}

/* Reads and answers for as long as `end_ns` says, or there is nothing more to do. */
static void work_until(struct session *session, uint64_t end_ns, bool is_heavy)
{
	const uint8_t *bytes;
	size_t size;
	unsigned answered_again = 0;
	while (!session->is_closing) {
		if (session->work.message != NULL) {
			if (!continue_work(session))
				break;
		} else if (has_much_output(session)) {
			session_flush(session);
			if (session->is_closing || session->writing.bytes != NULL)
				break;
		} else if (session->ready != NULL) {
			begin_ready(session);
			continue;
		} else if (session->is_ending) {
			break;
		} else {
			enum frame_result result =
			        frame_reader_next(&session->reader, &bytes, &size);
			if (result == FRAME_NONE) {
				if (!is_heavy || !read_more(session))
					break;
			} else if (result == FRAME_TOO_LONG) {
				struct error error;
				error_set(&error, STATUS_LIMIT, "message: want at most %zu bytes",
				          session->reader.limit);
				session_reply_error(session, 0, &error);
				session_end(session);
			} else if (!answer_again(session, bytes, size)) {
				begin_work(session, bytes, size);
				if (session->work.message != NULL)
					(void)refuse_held(session);
				continue;
			} else if (++answered_again % SESSION_CLOCK_EVERY != 0) {
				continue; /* the clock takes as long as half an answer */
			}
		}
		if (metrics_clock(&session->daemon->metrics, uv_hrtime()) >= end_ns) {
			turns_wait(session);
			break;
		}
	}
}

/* Of a processor. What a heavy user pays for is not that others had it meanwhile. */
static uint64_t thread_ns(void)
{
	struct timespec now = {.tv_sec = 0};
	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void session_process(struct session *session)
{
	struct users *users = &session->daemon->users;
	struct user *user = session->quota;
	uint64_t begin_ns = metrics_clock(&session->daemon->metrics, uv_hrtime());
	uint64_t left_ns = 0, thread_from_ns = 0;
	bool is_heavy = false;
	if (!session->is_closing) {
		left_ns = user_turn_left_ns(users, user, begin_ns);
		is_heavy = user_is_heavy(users, user, USE_LOOP, begin_ns);
	}
	if (is_heavy)
		thread_from_ns = thread_ns();
	if (left_ns > 0)
		work_until(session, begin_ns + left_ns, is_heavy);
	else
		turns_wait(session);
	session_flush(session);
	if (left_ns > 0) {
		uint64_t end_ns = metrics_clock(&session->daemon->metrics, uv_hrtime());
		user_count_turn(users, user, end_ns,
		                is_heavy ? thread_ns() - thread_from_ns : end_ns - begin_ns);
	}
	if (session->is_closing)
		return;
	/* a request that waits may still point into the reader */
	if (session->work.message == NULL && session->reader.used == session->reader.taken)
		return_input(session);
	if (is_heavy && may_read(session))
		turns_look(session); /* what comes would wake up the loop */
	resume_reading(session);
	update_timer(session);
	session_close_when_done(session);
}

/* ---- opening ------------------------------------------------------------------------------- */

bool session_is_admin(const struct session *session)
{
	int fd = -1;
	(void)uv_fileno((const uv_handle_t *)&session->pipe, &fd);
	return peer_is_admin(session->daemon, session->user, session->group, fd);
}

bool session_may_share(const struct session *session)
{
	const struct daemon *daemon = session->daemon;
	return session->user == 0 || session->user == geteuid() ||
	       (daemon->has_share_user && session->user == daemon->share_user);
}

/* Listens to it. */
static void begin(struct session *session)
{
	log_write(LOG_SESSION_OPENED, LOG_NUMBER_FIELD("uid", session->user),
	          LOG_NUMBER_FIELD("pid", session->pid));
	/* a heavy user's connection does not wake up the loop for what it brings */
	uint64_t now_ns = uv_hrtime();
	if (user_is_heavy(&session->daemon->users, session->quota, USE_LOOP, now_ns)) {
		user_count_waking(session->quota, now_ns);
		turns_wait(session);
	} else {
		resume_reading(session);
	}
	update_timer(session);
}

struct session *session_new(struct daemon *daemon)
{
	struct session *session = calloc(1, sizeof *session);
	if (session == NULL)
		return NULL;
	session->daemon = daemon;
	frame_reader_init(&session->reader, daemon->config.frame_bytes);
	arena_init(&session->arena, SESSION_ARENA_BYTES);
	return session;
}

void session_open(struct session *session, int fd, struct user *user, const struct ucred *peer)
{
	struct daemon *daemon = session->daemon;
	(void)uv_pipe_init(&daemon->loop, &session->pipe, 0);
	(void)uv_timer_init(&daemon->loop, &session->timer);
	session->open_handles = 2;
	session->pipe.data = session;
	session->timer.data = session;
	session->user = peer->uid;
	session->group = peer->gid;
	session->pid = peer->pid;
	session->next = daemon->sessions;
	if (session->next != NULL)
		session->next->previous = session;
	daemon->sessions = session;
	daemon->session_count++;
	daemon->metrics.connections++;
	session->quota = user;
	user->sessions++;
	user_count_connection(&daemon->users, user, uv_hrtime());
	if (uv_pipe_open(&session->pipe, fd) != 0) {
		close(fd);
		session_close(session);
		return;
	}
	begin(session);
}

void sessions_end(struct daemon *daemon)
{
	struct session *next;
	for (struct session *session = daemon->sessions; session != NULL; session = next) {
		next = session->next;
		session_end(session);
		session_close_when_done(session);
	}
}

void sessions_close(struct daemon *daemon)
{
	while (daemon->sessions != NULL)
		session_close(daemon->sessions);
}
