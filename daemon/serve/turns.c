/* SPDX-License-Identifier: Apache-2.0 */
/* Turns: of users who wait, and of heavy ones by a clock. */
#include "daemon/serve/turns.h"

#include "daemon/daemon.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <utlist.h>

/* Lets those who wait go on, each once, while his turn lasts. */
static void give_turn(struct users *users, struct user *user)
{
	if (user_turn_left_ns(users, user, uv_hrtime()) == 0)
		return;
	user->is_behind = false;
	while (user->sessions_waiting != NULL) {
		struct session *session = user->sessions_waiting;
		if (session->turn == users->turn)
			break;
		if (user_turn_left_ns(users, user, uv_hrtime()) == 0) {
			user->is_behind = true;
			break;
		}
		session->turn = users->turn;
		turns_leave(session);
		session_process(session);
	}
}

/* Wakes up the loop for those who wait: libuv's own timers are too coarse. */
static void set_clock(struct daemon *daemon, uint64_t wait_ns)
{
	const struct itimerspec at = {.it_value.tv_nsec = (long)wait_ns};
	(void)timerfd_settime(daemon->turn_clock, 0, &at, NULL);
}

static void on_idle(uv_idle_t *idle)
{
	struct daemon *daemon = idle->data;
	struct users *users = &daemon->users;
	evaluations_collect(&daemon->evaluations);
	bool accepts_more = accepting_look(&daemon->accepting);
	/* each who waits now gets one turn; those who wait after it come next time */
	for (size_t count = users->waiting_count; count > 0 && users->waiting != NULL; count--) {
		struct user *user = users->waiting;
		user_wait_no_more(users, user);
		give_turn(users, user);
		if (user->sessions_waiting != NULL)
			user_wait(users, user);
	}
	bool is_accepting = accepting_is_in_turns(&daemon->accepting);
	uint64_t wait_ns = users_wait_ns(users, is_accepting, uv_hrtime());
	if (accepts_more || (users->waiting != NULL && wait_ns == 0))
		return;
	/* all have had their share: until there is a new one the loop is others' */
	uv_idle_stop(idle);
	if (users->waiting != NULL || evaluations_are_made(&daemon->evaluations) || is_accepting)
		set_clock(daemon, wait_ns);
}

/* What is free between what is in use: large requests leave it, and the heap keeps it. */
static void on_heap_timer(uv_timer_t *timer)
{
	(void)timer;
	(void)malloc_trim(0);
}

/* Freed memory goes back to the system soon, if it is much. */
static void give_back(struct daemon *daemon)
{
	enum { FREED_BYTES = 8 << 20, CALM_MS = 1000 };
	if (daemon->users.freed_bytes < FREED_BYTES)
		return;
	daemon->users.freed_bytes = 0;
	if (!uv_is_active((uv_handle_t *)&daemon->heap_timer))
		(void)uv_timer_start(&daemon->heap_timer, on_heap_timer, CALM_MS, 0);
}

static void on_prepare(uv_prepare_t *prepare)
{
	struct daemon *daemon = prepare->data;
	daemon->users.turn++;
	give_back(daemon);
}

static void on_clock(uv_poll_t *poll, int failure, int events)
{
	struct daemon *daemon = poll->data;
	uint64_t times;
	(void)failure;
	(void)events;
	if (read(daemon->turn_clock, &times, sizeof times) != (ssize_t)sizeof times)
		return;
	daemon->users.turns_ns = uv_hrtime();
	accepting_begin_turn(&daemon->accepting);
	turns_expect(daemon);
}

void turns_expect(struct daemon *daemon)
{
	(void)uv_idle_start(&daemon->idle, on_idle);
}

void turns_look(struct session *session)
{
	struct daemon *daemon = session->daemon;
	struct user *user = session->quota;
	if (session->is_waiting || session->is_closing)
		return;
	session->is_waiting = true;
	DL_APPEND2(user->sessions_waiting, session, waiting_previous, waiting_next);
	user_wait(&daemon->users, user);
	turns_expect(daemon);
}

void turns_wait(struct session *session)
{
	if (!session->is_closing)
		session->quota->is_behind = true;
	turns_look(session);
}

void turns_leave(struct session *session)
{
	struct user *user = session->quota;
	if (!session->is_waiting)
		return;
	session->is_waiting = false;
	DL_DELETE2(user->sessions_waiting, session, waiting_previous, waiting_next);
	if (user->sessions_waiting != NULL)
		return;
	user->is_behind = false;
	user_wait_no_more(&session->daemon->users, user);
}

void turns_wake(struct daemon *daemon)
{
	for (struct session *session = daemon->sessions; session != NULL; session = session->next)
		if (session->work.message != NULL)
			turns_wait(session);
}

enum status turns_open(struct daemon *daemon, struct error *error)
{
	daemon->turn_clock = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (daemon->turn_clock < 0)
		return error_set(error, STATUS_IO, "timerfd: %s", strerror(errno));
	int failure = uv_poll_init(&daemon->loop, &daemon->turn_poll, daemon->turn_clock);
	if (failure != 0)
		return error_set(error, STATUS_IO, "timerfd: %s", uv_strerror(failure));
	(void)uv_idle_init(&daemon->loop, &daemon->idle);
	(void)uv_timer_init(&daemon->loop, &daemon->heap_timer);
	daemon->turn_poll.data = daemon;
	(void)uv_prepare_init(&daemon->loop, &daemon->prepare);
	daemon->idle.data = daemon;
	daemon->prepare.data = daemon;
	(void)uv_prepare_start(&daemon->prepare, on_prepare);
	(void)uv_poll_start(&daemon->turn_poll, UV_READABLE, on_clock);
	return STATUS_OK;
}

void turns_stop(struct daemon *daemon)
{
	uv_close((uv_handle_t *)&daemon->turn_poll, NULL);
	uv_close((uv_handle_t *)&daemon->idle, NULL);
	uv_close((uv_handle_t *)&daemon->prepare, NULL);
	uv_close((uv_handle_t *)&daemon->heap_timer, NULL);
}

void turns_deinit(struct daemon *daemon)
{
	if (daemon->turn_clock >= 0)
		close(daemon->turn_clock);
	daemon->turn_clock = -1;
}
