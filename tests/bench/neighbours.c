/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What hostile neighbours cost an honest client: its latency with nobody else
 * there, and in turns with processes of another user that do their worst.
 *
 *   bench-neighbours SOCKET DEVICE ROUNDS [PART OF A NEIGHBOUR'S NAME]
 *
 * As root the neighbours are another user (65534), else the same one. A process that works
 * costs others time whomever it talks to: so each neighbour is followed by one that works
 * as much, in bursts as long, and says nothing to the daemon. What it costs is the
 * processors' part, and how much worse the neighbour is, the daemon's.
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
	PAUSE_US = 1000,
	SETTLE_US = 150000,
	CONNECTIONS = 1000,
	BOMB_BYTES = 100000,
	CYCLE_NS = 100000, /* of one that imitates, at least */
	NOBODY = 65534
};

/* How a process used a processor. */
struct usage {
	double share;
	double burst_s; /* between waits */
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
        {"chains of 100,000 signs to analyse", bombs},
        {"new kernels of 40 lines without end", kernels},
        {"loops of 2^60 rounds to evaluate", endless},
        {"questions without end in a pipeline", flood},
};

/* ---- one that works as much and says nothing ------------------------------------------------- */

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void imitate(struct usage usage)
{
	int64_t burst_ns = (int64_t)(1e9 * usage.burst_s);
	int64_t next_ns = clock_ns(CLOCK_MONOTONIC);

	(void)prctl(PR_SET_TIMERSLACK, 1UL);
	if (burst_ns < (int64_t)(usage.share * (double)CYCLE_NS))
		burst_ns = (int64_t)(usage.share * (double)CYCLE_NS);
	if (burst_ns < 1000 || usage.share < 1e-3)
		pause();
	for (;;) {
		int64_t until_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + burst_ns;
		while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns)
			;
		next_ns += (int64_t)((double)burst_ns / usage.share);
		int64_t now_ns = clock_ns(CLOCK_MONOTONIC);
		if (next_ns < now_ns)
			next_ns = now_ns; /* it did not get its share: no more than that later */
		struct timespec next = {.tv_sec = next_ns / 1000000000,
		                        .tv_nsec = next_ns % 1000000000};
		(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
	}
}

static pid_t neighbour_start(void (*run)(void), struct usage usage)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)setsid(); /* as users have: schedulers share out among sessions first */
	(void)!freopen("/dev/null", "w", stderr); /* refusals are the point */
	if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
		_exit(1);
	if (run != NULL)
		run();
	else
		imitate(usage);
	_exit(0);
}

static struct usage neighbour_end(pid_t pid, double began_s)
{
	struct rusage used = {.ru_nvcsw = 0};
	double elapsed_s = bench_now_s() - began_s;

	(void)kill(pid, SIGKILL);
	(void)wait4(pid, NULL, 0, &used);
	double busy_s = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	                1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
	double share = busy_s / elapsed_s;
	return (struct usage){share < 1 ? share : 1, busy_s / (double)(used.ru_nvcsw + 1)};
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

/* The medians of all rounds: of medians, and of 99th percentiles. */
struct summary {
	double median_us, most_us;
};

static struct summary sum_up(struct samples *samples)
{
	return (struct summary){1e6 * bench_quantile(samples->median_s, samples->count, 0.5),
	                        1e6 * bench_quantile(samples->most_s, samples->count, 0.5)};
}

int main(int argc, char **argv)
{
	static struct samples alone, imitated, beside;
	struct asker_question question;
	size_t size, reply, rounds;

	if (argc < 4 || argc > 5 || atoi(argv[3]) < 1 || atoi(argv[3]) > ROUNDS_MAX) {
		fprintf(stderr, "usage: bench-neighbours SOCKET DEVICE ROUNDS [NEIGHBOUR]\n");
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
	printf("An honest client's repeated question: median and 99th percentile, alone; beside a\n"
	       "process that works as much as the neighbour and asks nothing; beside the "
	       "neighbour.\n"
	       "%-40s %5s %20s %20s %20s %16s %16s\n",
	       "neighbour", "works", "alone, us", "works as much, us", "beside, us", "beside/alone",
	       "daemon's part");
	for (size_t kind = 0; kind < sizeof neighbours / sizeof neighbours[0]; kind++) {
		double share = 0;
		if (argc > 4 && strstr(neighbours[kind].what, argv[4]) == NULL)
			continue;
		alone.count = imitated.count = beside.count = 0;
		for (size_t round = 0; round < rounds; round++) {
			if (!ask(fd, bytes, size, reply, &alone))
				return 1;
			double began_s = bench_now_s();
			pid_t pid = neighbour_start(neighbours[kind].run, (struct usage){0, 0});
			usleep(SETTLE_US);
			bool is_answered = ask(fd, bytes, size, reply, &beside);
			struct usage usage = neighbour_end(pid, began_s);
			if (!is_answered || asker_server(fd) != daemon_pid) {
				fprintf(stderr, "bench: the daemon went away beside %s\n",
				        neighbours[kind].what);
				return 1;
			}
			usleep(SETTLE_US); /* what is under way ends */
			share += usage.share / (double)rounds;
			began_s = bench_now_s();
			pid = neighbour_start(NULL, usage);
			usleep(SETTLE_US);
			is_answered = ask(fd, bytes, size, reply, &imitated);
			(void)neighbour_end(pid, began_s);
			if (!is_answered)
				return 1;
		}
		struct summary a = sum_up(&alone), i = sum_up(&imitated), b = sum_up(&beside);
		printf("%-40s %4.0f%% %9.1f %10.1f %9.1f %10.1f %9.1f %10.1f  x%6.2f x%6.2f  "
		       "x%6.2f x%6.2f\n",
		       neighbours[kind].what, 100 * share, a.median_us, a.most_us, i.median_us,
		       i.most_us, b.median_us, b.most_us, b.median_us / a.median_us,
		       b.most_us / a.most_us, b.median_us / i.median_us, b.most_us / i.most_us);
		fflush(stdout);
	}
	free(bytes);
	close(fd);
	return 0;
}
