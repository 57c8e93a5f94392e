/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What hostile neighbours cost an honest client: its latency with nobody else
 * there, and in turns with processes of another user that do their worst.
 *
 *   bench-neighbours SOCKET DEVICE ROUNDS ECHO [PART OF A NEIGHBOUR'S NAME]
 *
 * As root the neighbours are another user (65534), else the same one. A process that works
 * costs others time whomever it talks to: so the client asks a bare echo (ECHO SOCKET REQUEST
 * REPLY, bytes) beside the same neighbour as well. What that costs is the processors' and the
 * kernel's part, and how much worse predictd is, the daemon's.
 */
#include "tests/bench/asker.h"
#include "tests/bench/bench.h"
#include "tests/bench/sources.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	ROUNDS_MAX = 200,
	SAMPLES = 200, /* of a round */
	NEWCOMERS = 20,
	PAUSE_US = 1000,
	SETTLE_US = 150000,
	CONNECTIONS = 1000,
	BOMB_BYTES = 100000,
	NOBODY = 65534
};

/*
 * The honest client's times: quantiles of each round, and their medians, so that
 * what happens to the machine in some rounds does not decide.
 */
struct samples {
	double median_s[ROUNDS_MAX], most_s[ROUNDS_MAX]; /* 99 % */
	size_t count;
};

static const char *socket_path, *device;

/* ---- neighbours; none returns -------------------------------------------------------------- */

static void spin(void)
{
	for (;;)
		(void)getppid();
}

/* Frames that are no messages, each on a connection of its own. */
static void garbage(void)
{
	static uint8_t bytes[4096];
	uint32_t seed = 1;

	for (;;) {
		int fd = asker_connect(socket_path);
		if (fd < 0)
			continue;
		for (size_t i = 0; i < sizeof bytes; i++) {
			seed = seed * 1664525u + 1013904223u;
			bytes[i] = (uint8_t)(seed >> 24);
		}
		if ((seed & 1) == 0) { /* a length that can be; else mostly one that cannot */
			bytes[0] = (uint8_t)(sizeof bytes - 4);
			bytes[1] = (uint8_t)((sizeof bytes - 4) >> 8);
			bytes[2] = bytes[3] = 0;
		} else {
			bytes[3] |= 0x80;
		}
		(void)send(fd, bytes, sizeof bytes, MSG_NOSIGNAL);
		(void)recv(fd, bytes, 1, 0);
		close(fd);
	}
}

/* Connections that are held, each with a byte a second of a frame that never ends. */
static void trickle(void)
{
	static int fds[CONNECTIONS];

	for (int i = 0; i < CONNECTIONS; i++)
		fds[i] = asker_connect(socket_path);
	for (;;) {
		for (int i = 0; i < CONNECTIONS; i++) {
			if (fds[i] < 0 || send(fds[i], "\1", 1, MSG_NOSIGNAL) == 1)
				continue;
			close(fds[i]);
			fds[i] = asker_connect(socket_path);
		}
		usleep(1000000);
	}
}

/* Connections that say nothing and go, by three processes at once. */
static void flood_of_connections(void)
{
	for (int i = 0; i < 2; i++)
		if (fork() == 0) {
			(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
			break;
		}
	for (;;)
		close(asker_connect(socket_path));
}

/* A chain of signs too deep for any compiler's stack, again and again. */
static void bombs(void)
{
	static char text[BOMB_BYTES + 256];
	int fd = asker_open(socket_path);

	for (unsigned number = 0; fd >= 0 && number < UINT32_MAX; number++) {
		int begin = snprintf(text, sizeof text,
		                     "kernel void k%u(global int *p) { *p = ", number);
		memset(text + begin, '~', BOMB_BYTES);
		strcpy(text + begin + BOMB_BYTES, "1; }");
		(void)asker_register(fd, text, strlen(text));
	}
	pause();
}

/* Ten thousand kernels, and ten thousand more. */
static void kernels(void)
{
	static char text[SOURCE_MAX];
	int fd = asker_open(socket_path);

	for (unsigned number = 0; fd >= 0 && number < UINT32_MAX; number++)
		(void)asker_register(fd, text, source_write(text, SOURCE_MIDDLE, number));
	pause();
}

/* Loops of 2^60 rounds, each question another. */
static void endless(void)
{
	static const char text[] =
	        "kernel void k(global const float *a, global float *b, global float *c) {"
	        " float s = 0; for (ulong i = 0; i < (1ul << 60) + get_global_id(0); i++)"
	        " for (ulong j = 0; j < i; j++) s += a[j & 1023] * s;"
	        " c[get_global_id(0)] = s + b[0]; }";
	int fd = asker_open(socket_path);
	uint64_t handle = fd < 0 ? 0 : asker_register(fd, text, sizeof text - 1);

	for (uint64_t items = 64; handle != 0 && items < UINT64_MAX - 64; items += 64) {
		struct asker_question question;
		size_t size, reply;
		asker_question_init(&question, handle, device, items % (1 << 20) + 64);
		question.predict.explain = true;
		free(asker_question_probe(fd, &question, items, &size, &reply));
	}
	pause();
}

/* Questions without end, whose answers nobody reads until the daemon takes no more. */
static void flood(void)
{
	int fd = asker_open(socket_path);
	uint64_t handle = fd < 0 ? 0 : asker_register(fd, asker_addition, strlen(asker_addition));
	struct asker_question question;
	static uint8_t input[1 << 16];
	size_t size;

	asker_question_init(&question, handle, device, 4096);
	uint8_t *bytes = handle == 0 ? NULL : asker_question_pack(&question, 7, &size);
	while (bytes != NULL) {
		ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent >= 0 && (size_t)sent < size)
			break; /* half a question: the rest is of no use */
		if (sent < 0)
			(void)recv(fd, input, sizeof input, 0);
	}
	free(bytes);
	pause();
}

static const struct {
	const char *what;
	void (*run)(void);
} neighbours[] = {
        {"a process that spins", spin},
        {"garbage frames", garbage},
        {"1,000 connections, a byte a second each", trickle},
        {"connections without end, by three", flood_of_connections},
        {"chains of 100,000 signs to analyse", bombs},
        {"new kernels of 40 lines without end", kernels},
        {"loops of 2^60 rounds to evaluate", endless},
        {"questions without end in a pipeline", flood},
};

static pid_t neighbour_start(void (*run)(void))
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	(void)setsid(); /* as users have: schedulers share out among sessions first */
	(void)!freopen("/dev/null", "w", stderr); /* refusals are the point */
	if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
		_exit(1);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* setuid() takes it back */
	run();
	_exit(0);
}

/* The share of a processor that it took. */
static double neighbour_end(pid_t pid, double began_s)
{
	struct rusage used = {.ru_nvcsw = 0};
	double elapsed_s = bench_now_s() - began_s;

	(void)kill(pid, SIGKILL);
	(void)wait4(pid, NULL, 0, &used);
	return ((double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	        1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec)) /
	       elapsed_s;
}

/* ---- the honest client --------------------------------------------------------------------- */

static bool ask(int fd, const uint8_t *bytes, size_t size, size_t reply, struct samples *samples)
{
	double times_s[SAMPLES];

	for (int i = 0; i < SAMPLES; i++) {
		double begin_s = bench_now_s();
		if (!asker_ping(fd, bytes, size, reply))
			return false;
		times_s[i] = bench_now_s() - begin_s;
		usleep(PAUSE_US);
	}
	samples->median_s[samples->count] = bench_quantile(times_s, SAMPLES, 0.5);
	samples->most_s[samples->count++] = bench_quantile(times_s, SAMPLES, 0.99);
	return true;
}

/* How long one who connects waits until he is greeted. */
static bool arrive(struct samples *samples)
{
	double times_s[NEWCOMERS];

	for (int i = 0; i < NEWCOMERS; i++) {
		double begin_s = bench_now_s();
		int fd = asker_open(socket_path);
		times_s[i] = bench_now_s() - begin_s;
		if (fd < 0)
			return false;
		close(fd);
		usleep(PAUSE_US);
	}
	samples->median_s[samples->count] = bench_quantile(times_s, NEWCOMERS, 0.5);
	samples->most_s[samples->count++] = bench_quantile(times_s, NEWCOMERS, 1);
	return true;
}

/* The medians of all rounds: of medians, and of 99th percentiles. */
struct summary {
	double median_us, most_us;
};

static struct summary sum_up(struct samples *samples)
{
	return (struct summary){1e6 * bench_quantile(samples->median_s, samples->count, 0.5),
	                        1e6 * bench_quantile(samples->most_s, samples->count, 0.5)};
}

/* A connection to the echo, started for messages of these sizes; -1: it does not start. */
static int start_echo(char *program, size_t size, size_t reply, pid_t *pid)
{
	char path[128], size_text[24], reply_text[24];
	char *arguments[] = {program, path, size_text, reply_text, NULL};
	int fd = -1;

	snprintf(path, sizeof path, "%.120s.echo", socket_path);
	snprintf(size_text, sizeof size_text, "%zu", size);
	snprintf(reply_text, sizeof reply_text, "%zu", reply);
	*pid = asker_start(arguments);
	for (int i = 0; i < 100 && fd < 0 && *pid > 0; i++) {
		usleep(20000);
		fd = asker_connect(path);
	}
	return fd;
}

/* Who is asked: predictd, and the echo. */
struct server {
	int fd;
	struct samples alone, beside;
};

/* Those who connect to predictd. */
struct newcomers {
	struct samples alone, beside;
};

/* One neighbour, all rounds; *share is what it took of a processor. False: a server went away. */
static bool measure(void (*run)(void), size_t rounds, struct server servers[2],
                    struct newcomers *newcomers, const uint8_t *bytes, size_t size, size_t reply,
                    double *share)
{
	*share = 0;
	newcomers->alone.count = newcomers->beside.count = 0;
	for (int i = 0; i < 2; i++)
		servers[i].alone.count = servers[i].beside.count = 0;
	for (size_t round = 0; round < rounds; round++) {
		bool is_answered = true;
		for (int i = 0; i < 2 && is_answered; i++)
			is_answered = ask(servers[i].fd, bytes, size, reply, &servers[i].alone);
		is_answered = is_answered && arrive(&newcomers->alone);
		double began_s = bench_now_s();
		pid_t pid = neighbour_start(run);
		usleep(SETTLE_US);
		for (int i = 0; i < 2 && is_answered; i++)
			is_answered = ask(servers[i].fd, bytes, size, reply, &servers[i].beside);
		is_answered = is_answered && arrive(&newcomers->beside);
		*share += neighbour_end(pid, began_s) / (double)rounds;
		if (!is_answered)
			return false;
		usleep(SETTLE_US); /* what is under way ends */
	}
	return true;
}

static void print(const char *what, double share, struct server servers[2],
                  struct newcomers *newcomers)
{
	struct summary arrived = sum_up(&newcomers->alone), late = sum_up(&newcomers->beside);
	struct summary alone = sum_up(&servers[0].alone), beside = sum_up(&servers[0].beside);
	struct summary echo_alone = sum_up(&servers[1].alone),
	               echo_beside = sum_up(&servers[1].beside);
	double median = beside.median_us / alone.median_us, most = beside.most_us / alone.most_us;
	double echo_median = echo_beside.median_us / echo_alone.median_us,
	       echo_most = echo_beside.most_us / echo_alone.most_us;

	printf("%-40s %4.0f%% %9.1f %7.1f %9.1f %7.1f  x%6.2f x%6.2f %9.1f %7.1f %9.1f %7.1f  "
	       "x%6.2f x%6.2f  x%6.2f x%6.2f %8.0f %7.0f %8.0f %7.0f\n",
	       what, 100 * share, alone.median_us, alone.most_us, beside.median_us, beside.most_us,
	       median, most, echo_alone.median_us, echo_alone.most_us, echo_beside.median_us,
	       echo_beside.most_us, echo_median, echo_most, median / echo_median, most / echo_most,
	       arrived.median_us, arrived.most_us, late.median_us, late.most_us);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static struct server servers[2];
	static struct newcomers newcomers;
	struct asker_question question;
	size_t size, reply, rounds;
	double share;
	pid_t echo;
	int status = 1;

	if (argc < 5 || argc > 6 || atoi(argv[3]) < 1 || atoi(argv[3]) > ROUNDS_MAX) {
		fprintf(stderr, "usage: bench-neighbours SOCKET DEVICE ROUNDS ECHO [NEIGHBOUR]\n");
		return 2;
	}
	socket_path = argv[1];
	device = argv[2];
	rounds = (size_t)atoi(argv[3]);
	int fd = asker_open(socket_path);
	uint64_t handle = fd < 0 ? 0 : asker_register(fd, asker_addition, strlen(asker_addition));
	if (handle == 0)
		return 1;
	asker_question_init(&question, handle, device, 1 << 20);
	uint8_t *bytes = asker_question_probe(fd, &question, 3, &size, &reply);
	if (bytes == NULL)
		return 1;
	pid_t daemon_pid = asker_server(fd);
	servers[0].fd = fd;
	servers[1].fd = start_echo(argv[4], size, reply, &echo);
	if (servers[1].fd < 0)
		goto out;
	printf("An honest client's repeated question: median and 99th percentile, alone and beside "
	       "a neighbour;\nthe same of a bare echo; and how much worse the daemon is.\n"
	       "%-40s %5s %17s %17s %16s %17s %17s %16s %16s %17s %17s\n",
	       "neighbour", "works", "alone, us", "beside, us", "beside/alone", "echo alone, us",
	       "echo beside, us", "beside/alone", "daemon's part", "newcomer, us", "beside, us");
	for (size_t kind = 0; kind < sizeof neighbours / sizeof neighbours[0]; kind++) {
		if (argc > 5 && strstr(neighbours[kind].what, argv[5]) == NULL)
			continue;
		if (!measure(neighbours[kind].run, rounds, servers, &newcomers, bytes, size, reply,
		             &share) ||
		    asker_server(fd) != daemon_pid) {
			fprintf(stderr, "bench: the daemon went away beside %s\n",
			        neighbours[kind].what);
			goto out;
		}
		print(neighbours[kind].what, share, servers, &newcomers);
	}
	status = 0;
out:
	asker_end(echo);
	free(bytes);
	close(fd);
	return status;
}
