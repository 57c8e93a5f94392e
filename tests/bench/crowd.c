/* SPDX-License-Identifier: Apache-2.0 */
/* Many clients at once: one process with an epoll over their connections. */
#include "tests/bench/crowd.h"

#include "tests/bench/asker.h"
#include "tests/bench/bench.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST_USER = 200000, EVENTS = 64, IDLE_MS = 5, IS_OPEN = 1, HAS_FAILED = 2 };

/* Shared with the process that has the connections. */
struct crowd {
	pid_t pid;
	_Atomic int mode, state;
	_Atomic uint64_t answered;
};

struct client {
	int fd;
	size_t awaited; /* bytes of an answer; 0: none was asked for */
};

int crowd_connect(const char *path, unsigned user)
{
	bool is_root = geteuid() == 0;

	if (is_root && seteuid(FIRST_USER + user % CROWD_USERS) != 0)
		return -1;
	int fd = asker_open(path);
	if (is_root && seteuid(0) != 0)
		_exit(EXIT_FAILURE);
	return fd;
}

static bool ask(struct client *client, const uint8_t *bytes, size_t size, size_t reply)
{
	client->awaited = reply;
	return asker_send(client->fd, bytes, size);
}

/* Reads what has come; false: closed. */
static bool take(struct client *client, struct crowd *crowd)
{
	static uint8_t input[1 << 16];
	ssize_t n = recv(client->fd, input, sizeof input, MSG_DONTWAIT);

	if (n == 0 || (n < 0 && errno != EAGAIN))
		return false;
	if (n < 0)
		return true;
	client->awaited -= (size_t)n < client->awaited ? (size_t)n : client->awaited;
	if (client->awaited == 0)
		(void)atomic_fetch_add(&crowd->answered, 1);
	return true;
}

/* Those that ask take turns, evenly. */
static bool serve(struct crowd *crowd, int epoll, struct client *clients, unsigned asking,
                  const uint8_t *bytes, size_t size, size_t reply)
{
	const double period_s = 1.0 / ((double)asking * (double)(int)CROWD_RATE_HZ);
	struct epoll_event events[EVENTS];
	double next_s = 0;
	unsigned turn = 0;
	int mode, was = CROWD_IDLE;

	for (; (mode = atomic_load(&crowd->mode)) != CROWD_ENDED; was = mode) {
		struct timespec wait = {.tv_nsec = 1000000L * IDLE_MS};
		double now_s = bench_now_s();
		if (mode == CROWD_ASKING && was != CROWD_ASKING)
			next_s = now_s;
		for (; mode == CROWD_ASKING && next_s <= now_s; next_s += period_s) {
			struct client *client = &clients[turn++ % asking];
			if (client->awaited == 0 && !ask(client, bytes, size, reply))
				return false;
		}
		if (mode == CROWD_ASKING)
			wait.tv_nsec = (long)(1e9 * (next_s - now_s));
		int count = epoll_pwait2(epoll, events, EVENTS, &wait, NULL);
		for (int i = 0; i < count; i++) {
			struct client *client = events[i].data.ptr;
			if (!take(client, crowd))
				return false;
		}
	}
	return true;
}

static bool run(struct crowd *crowd, const char *path, unsigned count, unsigned asking,
                const uint8_t *bytes, size_t size, size_t reply)
{
	struct client *clients = calloc(count, sizeof *clients);
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	cpu_set_t usable;
	bool is_done = clients != NULL && epoll >= 0 && asking <= count;

	/* not where the daemon is, if there is another processor */
	CPU_ZERO(&usable);
	for (int i = 0; i < sysconf(_SC_NPROCESSORS_ONLN); i++)
		CPU_SET((size_t)i, &usable);
	if (asker_processor(&usable, 1) >= 0)
		(void)asker_put_on(0, asker_processor(&usable, 1));
	for (unsigned i = 0; i < count && is_done; i++) {
		struct epoll_event event = {.events = EPOLLIN, .data.ptr = &clients[i]};
		clients[i].fd = crowd_connect(path, i);
		is_done = clients[i].fd >= 0 &&
		          epoll_ctl(epoll, EPOLL_CTL_ADD, clients[i].fd, &event) == 0;
		if (!is_done)
			fprintf(stderr, "bench: client %u: %s\n", i, strerror(errno));
	}
	atomic_store(&crowd->state, is_done ? IS_OPEN : HAS_FAILED);
	if (is_done)
		is_done = serve(crowd, epoll, clients, asking, bytes, size, reply);
	free(clients);
	return is_done;
}

struct crowd *crowd_new(const char *path, unsigned count, unsigned asking, const uint8_t *bytes,
                        size_t size, size_t reply)
{
	struct crowd *crowd = mmap(NULL, sizeof *crowd, PROT_READ | PROT_WRITE,
	                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (crowd == MAP_FAILED)
		return NULL;
	(void)fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		_exit(run(crowd, path, count, asking, bytes, size, reply) ? EXIT_SUCCESS
		                                                          : EXIT_FAILURE);
	crowd->pid = pid; /* by one of the two */
	while (crowd->pid > 0 && atomic_load(&crowd->state) == 0)
		usleep(1000);
	if (crowd->pid > 0 && atomic_load(&crowd->state) == IS_OPEN)
		return crowd;
	(void)crowd_free(crowd);
	return NULL;
}

void crowd_set(struct crowd *crowd, enum crowd_mode mode)
{
	atomic_store(&crowd->mode, mode);
	usleep(50000); /* until it has */
}

uint64_t crowd_answered(const struct crowd *crowd)
{
	return atomic_load(&crowd->answered);
}

bool crowd_free(struct crowd *crowd)
{
	int status = -1;

	if (crowd == NULL)
		return false;
	atomic_store(&crowd->mode, CROWD_ENDED);
	if (crowd->pid > 0)
		(void)waitpid(crowd->pid, &status, 0);
	(void)munmap(crowd, sizeof *crowd);
	return status == 0;
}
