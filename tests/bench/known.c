/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many kernels known: what they take in memory, and whether a question about one of
 * them takes longer than where only that one is known.
 *
 *   bench-known fill SOCKET DEVICE COUNT ALONE     registers COUNT kernels of forty lines;
 *                                                  ALONE: socket of a daemon that gets one
 *   bench-known first SOCKET DEVICE COUNT BEGIN_S  the first answer of a daemon that was
 *                                                  started at BEGIN_S (CLOCK_MONOTONIC)
 *   bench-known now                                prints that clock
 */
#include "tests/bench/asker.h"
#include "tests/bench/bench.h"
#include "tests/bench/sources.h"

#include <string.h>
#include <unistd.h>

enum { PINGS = 4000, TURN = 100 };

static uint64_t handles[1 << 20];

static uint64_t register_number(int fd, unsigned number)
{
	char text[SOURCE_MAX];
	size_t size = source_write(text, SOURCE_MIDDLE, number);
	return asker_register(fd, text, size);
}

/* A question about the kernel that sources.h describes. */
static void question_init(struct asker_question *question, uint64_t handle, const char *device,
                          uint64_t items)
{
	static double real = 2;

	asker_question_init(question, handle, device, items);
	question->arguments[1].access = 2;
	question->arguments[2].access = 0;
	question->arguments[2].kind = 1;
	question->arguments[2].size_bytes = 0;
	question->arguments[2].type = "float";
	question->arguments[2].reals = &real;
	question->arguments[2].n_reals = 1;
}

/* The same question over and over, to both daemons in turns. */
static bool compare_hot(const int fds[2], const uint64_t of[2], const char *device)
{
	static double samples[2][PINGS];
	uint8_t *bytes[2] = {NULL, NULL};
	size_t size[2], reply[2];
	cpu_set_t usable;
	/* one processor for all three: what is compared is work, not where it is scheduled */
	bool is_done = sched_getaffinity(0, sizeof usable, &usable) == 0 &&
	               asker_put_on(0, asker_processor(&usable, 0)) &&
	               asker_put_on(asker_server(fds[0]), asker_processor(&usable, 0)) &&
	               asker_put_on(asker_server(fds[1]), asker_processor(&usable, 0));

	for (int i = 0; i < 2 && is_done; i++) {
		struct asker_question question;
		question_init(&question, of[i], device, 1 << 16);
		bytes[i] = asker_question_probe(fds[i], &question, 3, &size[i], &reply[i]);
		is_done = bytes[i] != NULL;
	}
	for (unsigned at = 0; at < PINGS && is_done; at++) {
		int i = at / TURN % 2;
		unsigned turn = at / TURN / 2 * TURN + at % TURN;
		for (int twice = 0; twice < 2 && is_done; twice++) {
			double begin = bench_now_s();
			is_done = asker_ping(fds[i], bytes[i], size[i], reply[i]);
			samples[i][2 * turn + (unsigned)twice] = bench_now_s() - begin;
		}
	}
	if (is_done) {
		double alone = bench_quantile(samples[1], PINGS, 0.5);
		bench_print("  repeated, one kernel known", samples[1], PINGS, 0);
		bench_print("  repeated, all of them known", samples[0], PINGS, alone);
	}
	free(bytes[0]);
	free(bytes[1]);
	return is_done;
}

/* Each kernel asked once at a size of its own: unpacked and evaluated. */
static bool ask_each(int fd, const char *device, unsigned count)
{
	static double samples[PINGS];

	for (unsigned i = 0; i < PINGS; i++) {
		struct asker_question question;
		size_t size, reply;
		question_init(&question, handles[(size_t)i * 7919 % count], device,
		              64 * (uint64_t)(i + 1));
		double begin = bench_now_s();
		uint8_t *bytes = asker_question_probe(fd, &question, 4, &size, &reply);
		samples[i] = bench_now_s() - begin;
		free(bytes);
		if (bytes == NULL)
			return false;
	}
	bench_print("  another kernel each time, predicted", samples, PINGS, 0);
	return true;
}

static int fill(const char *path, const char *device, unsigned count, const char *alone_path)
{
	int fd = asker_open(path), alone = asker_open(alone_path);
	if (fd < 0 || alone < 0)
		return 3;
	pid_t daemon = asker_server(fd);
	double before_mb = (double)asker_resident_bytes(daemon) / 1048576;
	double begin = bench_now_s();
	for (unsigned i = 0; i < count; i++) {
		handles[i] = register_number(fd, i);
		if (handles[i] == 0)
			return 1;
	}
	double took = bench_now_s() - begin;
	uint64_t of_alone = register_number(alone, 0);
	const int fds[2] = {fd, alone};
	const uint64_t of[2] = {handles[0], of_alone};
	printf("%u kernels of 39 lines, %.2f ms each to analyse:           median           p90\n",
	       count, 1e3 * took / count);
	if (of_alone == 0 || !compare_hot(fds, of, device) || !ask_each(fd, device, count))
		return 1;
	printf("  resident memory: %.1f MB, before %.1f MB\n",
	       (double)asker_resident_bytes(daemon) / 1048576, before_mb);
	close(fd);
	close(alone);
	return 0;
}

static int first(const char *path, const char *device, unsigned count, double begin_s)
{
	int fd = asker_open(path);
	if (fd < 0)
		return 3;
	double connected = bench_now_s();
	uint64_t handle = register_number(fd, count / 2);
	double registered = bench_now_s();
	struct asker_question question;
	size_t size, reply;
	if (handle == 0)
		return 1;
	question_init(&question, handle, device, 1 << 16);
	uint8_t *bytes = asker_question_probe(fd, &question, 3, &size, &reply);
	double answered = bench_now_s();
	if (bytes == NULL)
		return 1;
	printf("  from start to the first answer: %.1f ms (connected at %.1f, registered at "
	       "%.1f)\n",
	       1e3 * (answered - begin_s), 1e3 * (connected - begin_s),
	       1e3 * (registered - begin_s));
	free(bytes);
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned count = argc > 4 ? (unsigned)atoi(argv[4]) : 0;

	if (argc == 2 && strcmp(argv[1], "now") == 0) {
		printf("%.6f\n", bench_now_s());
		return 0;
	}
	if (argc == 6 && count > 0 && count <= sizeof handles / sizeof handles[0]) {
		if (strcmp(argv[1], "fill") == 0)
			return fill(argv[2], argv[3], count, argv[5]);
		if (strcmp(argv[1], "first") == 0)
			return first(argv[2], argv[3], count, atof(argv[5]));
	}
	fprintf(stderr, "usage: bench-known fill SOCKET DEVICE COUNT ALONE\n"
	                "       bench-known first SOCKET DEVICE COUNT BEGIN_S\n"
	                "       bench-known now\n");
	return 2;
}
