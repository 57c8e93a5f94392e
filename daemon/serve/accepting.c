/* SPDX-License-Identifier: Apache-2.0 */
/* Accepting: by ourselves, since libuv goes on while there are connections. */
#include "daemon/serve/accepting.h"

#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/serve/peer.h"
#include "daemon/serve/session.h"
#include "daemon/serve/turns.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	BACKLOG =
	        128, /* of which the last waits for some turns; who finds it full waits behind it */
	ACCEPTED_MAX = 8,
	ACCEPTED_IN_TURN_MAX = 64,
	IN_TURN_NS = 100000, /* in slices: a question of others waits for one at most */
	SLICE_NS = 20000,
	LOGGED_EVERY_NS = 1000000000,
	TURNED_AWAY_MAX = 64,
	AGAIN_MS = 100,
	QUIET_NS = 10000000
};

static void on_readable(uv_poll_t *poll, int failure, int events);

/* Whether connections wake up the loop. */
static void set_quiet(struct accepting *accepting, bool is_quiet)
{
	accepting->is_quiet = is_quiet;
	for (unsigned i = 0; i < accepting->count; i++) {
		if (is_quiet)
			(void)uv_poll_stop(&accepting->polls[i]);
		else
			(void)uv_poll_start(&accepting->polls[i], UV_READABLE, on_readable);
	}
}

static void on_again(uv_timer_t *timer)
{
	set_quiet(timer->data, false);
}

/* What is short is asked for again a little later. */
static void pause_accepting(struct accepting *accepting)
{
	set_quiet(accepting, true);
	(void)uv_timer_start(&accepting->timer, on_again, AGAIN_MS, 0);
}

/* No descriptor is left: one kept for this tells those who connect that they are not served. */
static void turn_away(struct accepting *accepting, int listener)
{
	for (unsigned i = 0; i < TURNED_AWAY_MAX && accepting->spare >= 0; i++) {
		close(accepting->spare);
		int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			close(fd);
		accepting->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			break;
	}
	pause_accepting(accepting);
}

/* Told in a message, which is all that one beyond a quota costs. */
static void refuse(struct daemon *daemon, struct user *user, const struct ucred *peer, int fd,
                   uint64_t now_ns, const char *why)
{
	Predictd__Error message = PREDICTD__ERROR__INIT;
	Predictd__Response response = PREDICTD__RESPONSE__INIT;
	uint8_t bytes[FRAME_PREFIX_BYTES + 256];
	message.status = STATUS_LIMIT;
	message.text = (char *)(uintptr_t)why;
	response.body_case = PREDICTD__RESPONSE__BODY_ERROR;
	response.error = &message;
	size_t size = predictd__response__pack(&response, bytes + FRAME_PREFIX_BYTES);
	frame_put_prefix(bytes, size);
	(void)send(fd, bytes, FRAME_PREFIX_BYTES + size, MSG_DONTWAIT | MSG_NOSIGNAL);
	close(fd);
	daemon->metrics.connections_refused++;
	user->refused++;
	user_count_turn(&daemon->users, user, now_ns, uv_hrtime() - now_ns);
	/* he does not fill the log */
	if (user->refused_ns != 0 && now_ns - user->refused_ns < LOGGED_EVERY_NS)
		return;
	log_write(LOG_SESSION_REFUSED, LOG_NUMBER_FIELD("uid", peer->uid),
	          LOG_NUMBER_FIELD("pid", peer->pid),
	          LOG_NUMBER_FIELD("connections", user->refused), LOG_TEXT_FIELD("why", why));
	user->refused_ns = now_ns;
	user->refused = 0;
}

/* Who connected has closed it already, and sent nothing. */
static bool has_gone(int fd)
{
	char byte;
	return recv(fd, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT) == 0;
}

/* How many connections there may be for one more of his: the last are for those who administer. */
static size_t connections_for(const struct daemon *daemon, const struct ucred *peer, int fd)
{
	size_t most = daemon->config.connections, reserved = daemon->config.connections_reserved;
	size_t ordinary = reserved < most ? most - reserved : 1;
	if (daemon->session_count < ordinary || !peer_is_admin(daemon, peer->uid, peer->gid, fd))
		return ordinary;
	return most;
}

/* Takes a connection, for the session that is kept for it. */
static void admit(struct accepting *accepting, int fd)
{
	struct daemon *daemon = accepting->daemon;
	uint64_t now_ns = uv_hrtime();
	struct ucred peer;
	socklen_t size = sizeof peer;
	struct user *user = NULL;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0)
		user = user_get(&daemon->users, peer.uid, now_ns);
	if (user == NULL) {
		close(fd);
		return;
	}
	bool is_heavy = user_is_heavy(&daemon->users, user, USE_LOOP, now_ns);
	if (is_heavy && has_gone(fd)) {
		close(fd);
		user_count_connection(&daemon->users, user, now_ns);
	} else if (user->sessions >= daemon->config.connections_per_user) {
		refuse(daemon, user, &peer, fd, now_ns,
		       "this user has as many connections as one may");
	} else if (daemon->session_count >= connections_for(daemon, &peer, fd)) {
		refuse(daemon, user, &peer, fd, now_ns,
		       "the daemon has as many connections as it may");
	} else {
		struct session *session = accepting->next;
		accepting->next = NULL; /* the loop's */
		session_open(session, fd, user, &peer);
	}
	if (is_heavy)
		accepting->heavy_ns = uv_hrtime();
}

/* Some of those who wait at a socket, for so long; false: no more can be taken. */
static bool accept_some(struct accepting *accepting, int listener, unsigned most, uint64_t most_ns)
{
	struct daemon *daemon = accepting->daemon;
	uint64_t end_ns = uv_hrtime() + most_ns;
	for (unsigned i = 0; i < most && (i == 0 || uv_hrtime() < end_ns); i++) {
		if (accepting->next == NULL)
			accepting->next = session_new(daemon);
		if (accepting->next == NULL) {
			pause_accepting(accepting);
			return false;
		}
		int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		int failure = errno;
		if (fd >= 0) {
			admit(accepting, fd);
			continue;
		}
		if (failure == EMFILE || failure == ENFILE)
			turn_away(accepting, listener);
		else if (failure != EAGAIN && failure != EINTR && failure != ECONNABORTED)
			pause_accepting(accepting);
		return false;
	}
	return true;
}

static bool is_awaiting_heavy(const struct accepting *accepting)
{
	return accepting->heavy_ns != 0 && uv_hrtime() - accepting->heavy_ns < QUIET_NS;
}

static void on_readable(uv_poll_t *poll, int failure, int events)
{
	struct accepting *accepting = poll->data;
	(void)failure;
	(void)events;
	(void)accept_some(accepting, accepting->fds[poll - accepting->polls], ACCEPTED_MAX,
	                  UINT64_MAX / 2);
	if (accepting->is_quiet || !is_awaiting_heavy(accepting))
		return;
	set_quiet(accepting, true);
	turns_expect(accepting->daemon);
}

bool accepting_is_in_turns(const struct accepting *accepting)
{
	return accepting->is_quiet && !uv_is_active((const uv_handle_t *)&accepting->timer);
}

void accepting_begin_turn(struct accepting *accepting)
{
	accepting->left_ns = accepting_is_in_turns(accepting) ? IN_TURN_NS : 0;
}

bool accepting_look(struct accepting *accepting)
{
	if (accepting->left_ns == 0)
		return false;
	uint64_t begin_ns = uv_hrtime();
	bool has_more = false;
	for (unsigned i = 0; i < accepting->count; i++)
		has_more |=
		        accept_some(accepting, accepting->fds[i], ACCEPTED_IN_TURN_MAX, SLICE_NS);
	uint64_t used_ns = uv_hrtime() - begin_ns;
	accepting->left_ns =
	        has_more && used_ns < accepting->left_ns ? accepting->left_ns - used_ns : 0;
	if (accepting_is_in_turns(accepting) && !is_awaiting_heavy(accepting)) {
		set_quiet(accepting, false);
		accepting->left_ns = 0;
	}
	return accepting->left_ns > 0;
}

enum status accepting_start(struct accepting *accepting, struct daemon *daemon, const int *fds,
                            unsigned count, struct error *error)
{
	accepting->daemon = daemon;
	accepting->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	(void)uv_timer_init(&daemon->loop, &accepting->timer);
	accepting->timer.data = accepting;
	for (unsigned i = 0; i < count; i++) {
		accepting->fds[i] = fds[i];
		int failure = uv_poll_init(&daemon->loop, &accepting->polls[i], fds[i]);
		if (failure == 0) {
			accepting->count++;
			accepting->polls[i].data = accepting;
			if (listen(fds[i], BACKLOG) != 0)
				failure = -errno;
		}
		if (failure == 0)
			failure = uv_poll_start(&accepting->polls[i], UV_READABLE, on_readable);
		if (failure != 0)
			return error_set(error, STATUS_IO, "%s: %s", daemon->paths.socket,
			                 uv_strerror(failure));
	}
	return STATUS_OK;
}

void accepting_stop(struct accepting *accepting)
{
	for (unsigned i = 0; i < accepting->count; i++) {
		uv_close((uv_handle_t *)&accepting->polls[i], NULL);
		close(accepting->fds[i]);
	}
	accepting->count = 0;
	uv_close((uv_handle_t *)&accepting->timer, NULL);
	if (accepting->spare >= 0)
		close(accepting->spare);
	accepting->spare = -1;
	free(accepting->next);
	accepting->next = NULL;
}
