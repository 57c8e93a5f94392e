/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What hostile neighbours cost an honest client: its latency with nobody else
 * there, and in turns with processes of another user that do their worst.
 *
 *   bench-neighbours SOCKET DEVICE ROUNDS
 *
 * As root the neighbours are another user (65534), else the same one. Beside the daemon's
 * part stands the processor's: a neighbour that only spins.
 */
#include "tests/bench/asker.h"
#include "tests/bench/bench.h"
#include "tests/bench/sources.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
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
	NOBODY = 65534
};

static const char *socket_path, *device;

/* ---- neighbours; none returns -------------------------------------------------------------- */

static void spin(void)
{
	for (;;)
		(void)getppid();
}

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
        {"a process that spins, and asks nothing", spin},
        {"garbage frames", garbage},
        {"1,000 connections, a byte a second each", trickle},
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
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)!freopen("/dev/null", "w", stderr); /* refusals are the point */
	if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
		_exit(1);
	run();
	_exit(0);
}

/* ---- the honest client --------------------------------------------------------------------- */

static bool ask(int fd, const uint8_t *bytes, size_t size, size_t reply, double *samples)
{
	for (int i = 0; i < SAMPLES; i++) {
		double begin = bench_now_s();
		if (!asker_ping(fd, bytes, size, reply))
			return false;
		samples[i] = bench_now_s() - begin;
		usleep(PAUSE_US);
	}
	return true;
}

int main(int argc, char **argv)
{
	static double alone[ROUNDS_MAX * SAMPLES], beside[ROUNDS_MAX * SAMPLES];
	struct asker_question question;
	size_t size, reply, rounds;

	if (argc != 4 || atoi(argv[3]) < 1 || atoi(argv[3]) > ROUNDS_MAX) {
		fprintf(stderr, "usage: bench-neighbours SOCKET DEVICE ROUNDS\n");
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
	printf("%-46s %21s %23s %15s\n", "an honest client's repeated question, beside",
	       "alone: median, 99 %", "beside: median, 99 %", "ratios");
	for (size_t kind = 0; kind < sizeof neighbours / sizeof neighbours[0]; kind++) {
		for (size_t round = 0; round < rounds; round++) {
			if (!ask(fd, bytes, size, reply, alone + round * SAMPLES))
				return 1;
			pid_t pid = neighbour_start(neighbours[kind].run);
			usleep(SETTLE_US);
			bool is_answered = ask(fd, bytes, size, reply, beside + round * SAMPLES);
			(void)kill(pid, SIGKILL);
			(void)waitpid(pid, NULL, 0);
			if (!is_answered || asker_server(fd) != daemon_pid) {
				fprintf(stderr, "bench: the daemon went away beside %s\n",
				        neighbours[kind].what);
				return 1;
			}
			usleep(SETTLE_US); /* what is under way ends */
		}
		size_t count = rounds * SAMPLES;
		double median = bench_quantile(alone, count, 0.5);
		double most = bench_quantile(alone, count, 0.99);
		double worse = bench_quantile(beside, count, 0.5);
		double worst = bench_quantile(beside, count, 0.99);
		printf("%-46s %8.1f us %8.1f us %9.1f us %8.1f us   x %.2f  x %.2f\n",
		       neighbours[kind].what, 1e6 * median, 1e6 * most, 1e6 * worse, 1e6 * worst,
		       worse / median, worst / most);
		fflush(stdout);
	}
	free(bytes);
	close(fd);
	return 0;
}
