/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sixty-four questions in flight, beside GETs of Redis with values as long as the
 * answers: the same client sends a burst as one write and reads until every answer
 * is there, in turns. Both servers run on the client's processor, then on another.
 *
 *   bench-pipeline SOCKET DEVICE BURSTS REDIS
 *
 * REDIS is the program redis-server; it listens on SOCKET.redis alone.
 */
#include "tests/bench/asker.h"
#include "tests/bench/bench.h"

#include <string.h>
#include <unistd.h>

enum { DEPTH = 64, TURN = 50, BURSTS_MAX = 100000, BURST_BYTES = 1 << 16 };

struct burst {
	uint8_t bytes[BURST_BYTES];
	size_t size, reply; /* sent, and answered */
};

/* Sixty-four launches of one kernel, each asked before. */
static bool fill_questions(int fd, const char *device, struct burst *burst, size_t *answer)
{
	uint64_t handle = asker_register(fd, asker_addition, strlen(asker_addition));

	*burst = (struct burst){.size = 0};
	for (unsigned i = 0; i < DEPTH && handle != 0; i++) {
		struct asker_question question;
		size_t size, reply;
		asker_question_init(&question, handle, device, 1024 * (uint64_t)(i + 1));
		uint8_t *bytes = asker_question_probe(fd, &question, 3 + i, &size, &reply);
		if (bytes == NULL || size > sizeof burst->bytes - burst->size) {
			free(bytes);
			return false;
		}
		memcpy(burst->bytes + burst->size, bytes, size);
		burst->size += size;
		burst->reply += reply;
		free(bytes);
	}
	*answer = burst->reply / DEPTH;
	return handle != 0;
}

static size_t add(struct burst *burst, const char *text)
{
	size_t size = strlen(text);
	memcpy(burst->bytes + burst->size, text, size);
	burst->size += size;
	return size;
}

/* Sixty-four keys with values of that size, set, and then asked for. */
static bool fill_gets(int fd, struct burst *burst, size_t answer)
{
	static struct burst set;
	char value[4096], text[8192];

	if (answer >= sizeof value)
		return false;
	memset(value, 'x', answer);
	value[answer] = '\0';
	set = (struct burst){.size = 0};
	*burst = (struct burst){.size = 0};
	for (unsigned i = 0; i < DEPTH; i++) {
		snprintf(text, sizeof text, "*3\r\n$3\r\nSET\r\n$6\r\nkey%03u\r\n$%zu\r\n%s\r\n", i,
		         answer, value);
		if (set.size + strlen(text) > sizeof set.bytes)
			return false;
		(void)add(&set, text);
		set.reply += strlen("+OK\r\n");
		snprintf(text, sizeof text, "*2\r\n$3\r\nGET\r\n$6\r\nkey%03u\r\n", i);
		(void)add(burst, text);
		snprintf(text, sizeof text, "$%zu\r\n%s\r\n", answer, value);
		burst->reply += strlen(text);
	}
	return asker_ping(fd, set.bytes, set.size, set.reply);
}

static pid_t start_redis(const char *program, const char *path)
{
	char *const arguments[] = {(char *)program,
	                           "--port",
	                           "0",
	                           "--unixsocket",
	                           (char *)path,
	                           "--save",
	                           "",
	                           "--appendonly",
	                           "no",
	                           "--logfile",
	                           "/dev/null",
	                           "--daemonize",
	                           "no",
	                           NULL};
	return asker_start(arguments);
}

static bool compare(const int fds[2], const struct burst bursts[2], size_t count, const char *where)
{
	static double samples[2][BURSTS_MAX];

	for (size_t done = 0; done < count; done += TURN)
		for (int i = 0; i < 2; i++)
			for (size_t at = done; at < done + TURN; at++) {
				double begin = bench_now_s();
				if (!asker_ping(fds[i], bursts[i].bytes, bursts[i].size,
				                bursts[i].reply))
					return false;
				samples[i][at] = (bench_now_s() - begin) / (int)DEPTH;
			}
	double ours = bench_quantile(samples[0], count, 0.5);
	double theirs = bench_quantile(samples[1], count, 0.5);
	printf("  Redis GET, %-32s %9.0f a second (p10 %.0f, p90 %.0f)\n", where, 1 / theirs,
	       1 / bench_quantile(samples[1], count, 0.9),
	       1 / bench_quantile(samples[1], count, 0.1));
	printf("  predictd,  %-32s %9.0f a second (p10 %.0f, p90 %.0f)   x %.2f\n", where, 1 / ours,
	       1 / bench_quantile(samples[0], count, 0.9),
	       1 / bench_quantile(samples[0], count, 0.1), theirs / ours);
	return true;
}

int main(int argc, char **argv)
{
	static struct burst bursts[2];
	char redis_path[128];
	size_t answer = 0;
	cpu_set_t usable;

	if (argc != 5 || atoi(argv[3]) < TURN || atoi(argv[3]) > BURSTS_MAX ||
	    strlen(argv[1]) + 7 > sizeof redis_path) {
		fprintf(stderr, "usage: bench-pipeline SOCKET DEVICE BURSTS REDIS\n");
		return 2;
	}
	size_t count = (size_t)atoi(argv[3]) / TURN * TURN;
	snprintf(redis_path, sizeof redis_path, "%.120s.redis", argv[1]);
	int fd = asker_open(argv[1]), redis = -1;
	if (fd < 0)
		return 3;
	pid_t daemon = asker_server(fd), pid = start_redis(argv[4], redis_path);
	for (int i = 0; i < 500 && redis < 0 && pid > 0; i++) {
		usleep(10000);
		redis = asker_connect(redis_path);
	}
	bool is_done = redis >= 0 && fill_questions(fd, argv[2], &bursts[0], &answer) &&
	               fill_gets(redis, &bursts[1], answer) &&
	               sched_getaffinity(0, sizeof usable, &usable) == 0 &&
	               asker_put_on(0, asker_processor(&usable, 0));
	const int fds[2] = {fd, redis};
	if (is_done)
		printf("%d in flight, answers of %zu bytes, %zu bursts: medians\n", DEPTH, answer,
		       count);
	for (int i = 0; i < 2 && is_done && asker_processor(&usable, i) >= 0; i++)
		is_done = asker_put_on(daemon, asker_processor(&usable, i)) &&
		          asker_put_on(pid, asker_processor(&usable, i)) &&
		          compare(fds, bursts, count, i == 0 ? "same processor" : "another one");
	(void)sched_setaffinity(daemon, sizeof usable, &usable);
	if (!is_done)
		fprintf(stderr, "bench-pipeline: the exchange broke off\n");
	asker_end(pid);
	unlink(redis_path);
	return is_done ? 0 : 1;
}
