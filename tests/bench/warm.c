/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A repeated question over the socket, beside a bare libuv echo of the same
 * sizes: both asked by the same blocking client, in turns. Where the scheduler
 * puts client and server changes such a time fivefold, so both servers are put
 * on the client's processor, then on another.
 *
 *   bench-warm SOCKET DEVICE ROUNDS ECHO
 *
 * ECHO is the program bench-echo; its socket is SOCKET.echo.
 */
#include "tests/bench/asker.h"
#include "tests/bench/bench.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS_MAX = 1000000, BATCH = 500 };

/* Asks `count` times; each time into samples. */
static bool ping(int fd, const uint8_t *bytes, size_t size, size_t reply, double *samples,
                 size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double begin = bench_now_s();
		if (!asker_ping(fd, bytes, size, reply))
			return false;
		samples[i] = bench_now_s() - begin;
	}
	return true;
}

static int start_echo(const char *program, const char *path, size_t size, size_t reply, pid_t *pid)
{
	char request_text[32], reply_text[32];
	char *const arguments[] = {(char *)program, (char *)path, request_text, reply_text, NULL};
	int fd = -1;

	snprintf(request_text, sizeof request_text, "%zu", size);
	snprintf(reply_text, sizeof reply_text, "%zu", reply);
	*pid = asker_start(arguments);
	for (int i = 0; i < 100 && fd < 0 && *pid > 0; i++) {
		usleep(20000);
		fd = asker_connect(path);
	}
	return fd;
}

/* Asks both in turns, `rounds` times, and prints two rows. */
static bool compare(const int fds[2], const uint8_t *bytes, size_t size, size_t reply,
                    size_t rounds, const char *where)
{
	static double ours[ROUNDS_MAX], theirs[ROUNDS_MAX];
	char what[64];

	for (size_t done = 0; done < rounds; done += BATCH)
		if (!ping(fds[0], bytes, size, reply, ours + done, BATCH) ||
		    !ping(fds[1], bytes, size, reply, theirs + done, BATCH))
			return false;
	double beside = bench_quantile(theirs, rounds, 0.5);
	snprintf(what, sizeof what, "  a bare libuv echo, %s", where);
	bench_print(what, theirs, rounds, 0);
	snprintf(what, sizeof what, "  predictd, %s", where);
	bench_print(what, ours, rounds, beside);
	return true;
}

int main(int argc, char **argv)
{
	char echo_path[128];
	size_t size = 0, reply = 0;
	pid_t pid = 0;
	int status = 1;

	if (argc != 5 || atoi(argv[3]) < BATCH || atoi(argv[3]) > ROUNDS_MAX ||
	    strlen(argv[1]) + 6 > sizeof echo_path) {
		fprintf(stderr, "usage: bench-warm SOCKET DEVICE ROUNDS ECHO\n");
		return 2;
	}
	snprintf(echo_path, sizeof echo_path, "%.120s.echo", argv[1]);
	size_t rounds = (size_t)atoi(argv[3]) / BATCH * BATCH;
	int fd = asker_open(argv[1]);
	if (fd < 0)
		return 3;
	struct asker_question asked;
	asker_question_init(&asked, asker_register(fd, asker_addition, strlen(asker_addition)),
	                    argv[2], 1 << 20);
	uint8_t *question = asker_question_probe(fd, &asked, 3, &size, &reply);
	int echo = question == NULL ? -1 : start_echo(argv[4], echo_path, size, reply, &pid);
	bool is_done = echo >= 0;
	if (is_done) {
		const int fds[2] = {fd, echo};
		pid_t daemon = asker_server(fd);
		cpu_set_t usable;
		is_done = sched_getaffinity(0, sizeof usable, &usable) == 0 &&
		          asker_put_on(0, asker_processor(&usable, 0));
		printf("a repeated question, %zu bytes, answer %zu bytes, %zu times: median, p90\n",
		       size, reply, rounds);
		for (int i = 0; i < 2 && is_done && asker_processor(&usable, i) >= 0; i++)
			is_done = asker_put_on(daemon, asker_processor(&usable, i)) &&
			          asker_put_on(pid, asker_processor(&usable, i)) &&
			          compare(fds, question, size, reply, rounds,
			                  i == 0 ? "same processor" : "another one");
		(void)sched_setaffinity(daemon, sizeof usable, &usable);
	}
	if (is_done)
		status = 0;
	else
		fprintf(stderr, "bench-warm: the exchange broke off\n");
	asker_end(pid);
	unlink(echo_path);
	if (echo >= 0)
		close(echo);
	close(fd);
	free(question);
	return status;
}
