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
#include "predictd.pb-c.h"
#include "proto/frame.h"
#include "tests/bench/bench.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS_MAX = 1000000, BATCH = 500, FRAME_MAX = 1 << 20 };

extern char **environ;

static int connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || strlen(path) >= sizeof address.sun_path)
		return -1;
	strcpy(address.sun_path, path);
	if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
		return fd;
	close(fd);
	return -1;
}

/* One request and its reply; NULL and a word on failure. */
static Predictd__Response *exchange(int fd, const Predictd__Request *request)
{
	uint8_t *bytes = NULL;
	size_t size;
	Predictd__Response *response = NULL;
	int failed = frame_write(fd, &request->base);

	if (failed == 0)
		failed = frame_read(fd, FRAME_MAX, 30000, &bytes, &size);
	if (failed == 0)
		response = predictd__response__unpack(NULL, size, bytes);
	if (response == NULL)
		fprintf(stderr, "bench-warm: %s\n", strerror(failed));
	else if (response->body_case == PREDICTD__RESPONSE__BODY_ERROR)
		fprintf(stderr, "bench-warm: %s\n", response->error->text);
	free(bytes);
	return response;
}

static bool say_hello(int fd)
{
	Predictd__Hello hello = PREDICTD__HELLO__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;

	hello.protocol = 1;
	hello.client = "bench-warm";
	request.id = 1;
	request.body_case = PREDICTD__REQUEST__BODY_HELLO;
	request.hello = &hello;
	Predictd__Response *response = exchange(fd, &request);
	bool is_done = response != NULL && response->body_case == PREDICTD__RESPONSE__BODY_HELLO;
	predictd__response__free_unpacked(response, NULL);
	return is_done;
}

static uint64_t register_program(int fd)
{
	static char text[] = "kernel void add(global const float *a, global const float *b,\n"
	                     "                global float *c)\n"
	                     "{\n"
	                     "	size_t i = get_global_id(0);\n"
	                     "	c[i] = a[i] + b[i];\n"
	                     "}\n";
	Predictd__Program program = PREDICTD__PROGRAM__INIT;
	Predictd__RegisterProgram message = PREDICTD__REGISTER_PROGRAM__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	uint64_t handle = 0;

	program.name = "bench.cl";
	program.source.data = (uint8_t *)text;
	program.source.len = sizeof text - 1;
	message.program = &program;
	request.id = 2;
	request.body_case = PREDICTD__REQUEST__BODY_REGISTER_PROGRAM;
	request.register_program = &message;
	Predictd__Response *response = exchange(fd, &request);
	if (response != NULL && response->body_case == PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM)
		handle = response->register_program->handle;
	predictd__response__free_unpacked(response, NULL);
	return handle;
}

/* The framed question about a vector addition; *size its bytes, *reply those of its answer. */
static uint8_t *pack_question(int fd, const char *device, uint64_t handle, size_t *size,
                              size_t *reply)
{
	Predictd__Argument arguments[3];
	Predictd__Argument *pointers[3];
	Predictd__Launch launch = PREDICTD__LAUNCH__INIT;
	Predictd__Predict predict = PREDICTD__PREDICT__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	uint64_t global = 1 << 20, local = 64;
	uint8_t *bytes = NULL;

	for (unsigned i = 0; i < 3; i++) {
		predictd__argument__init(&arguments[i]);
		arguments[i].access = i < 2 ? 1 : 2;
		arguments[i].size_bytes = 4 << 20;
		pointers[i] = &arguments[i];
	}
	launch.n_global_items = launch.n_local_items = 1;
	launch.global_items = &global;
	launch.local_items = &local;
	launch.n_arguments = 3;
	launch.arguments = pointers;
	predict.handle = handle;
	predict.device = (char *)device;
	predict.launch = &launch;
	request.id = 3;
	request.body_case = PREDICTD__REQUEST__BODY_PREDICT;
	request.predict = &predict;
	Predictd__Response *response = exchange(fd, &request);
	if (response != NULL && response->body_case == PREDICTD__RESPONSE__BODY_PREDICT &&
	    frame_pack(&request.base, &bytes, size))
		*reply = FRAME_PREFIX_BYTES + predictd__response__get_packed_size(response);
	predictd__response__free_unpacked(response, NULL);
	return bytes;
}

/* Sends `size` bytes and reads `reply` bytes, `count` times; each time into samples. */
static bool ping(int fd, const uint8_t *bytes, size_t size, size_t reply, double *samples,
                 size_t count)
{
	static uint8_t input[65536];

	for (size_t i = 0; i < count; i++) {
		double begin = bench_now_s();
		if (send(fd, bytes, size, MSG_NOSIGNAL) != (ssize_t)size)
			return false;
		for (size_t have = 0; have < reply;) {
			ssize_t n = recv(fd, input, sizeof input, 0);
			if (n <= 0)
				return false;
			have += (size_t)n;
		}
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
	if (posix_spawn(pid, program, NULL, NULL, arguments, environ) != 0)
		return -1;
	for (int i = 0; i < 100 && fd < 0; i++) {
		usleep(20000);
		fd = connect_to(path);
	}
	return fd;
}

/* The process that listens at the other end. */
static pid_t server_of(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof peer;

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : -1;
}

/* The index-th of the processors that this process may use; -1: there are not as many. */
static int processor(const cpu_set_t *usable, int index)
{
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET((size_t)i, usable) && index-- == 0)
			return i;
	return -1;
}

static bool put_on(pid_t pid, int where)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)where, &set);
	return sched_setaffinity(pid, sizeof set, &set) == 0;
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
	int fd = connect_to(argv[1]);
	if (fd < 0 || !say_hello(fd)) {
		fprintf(stderr, "bench-warm: no daemon on %s\n", argv[1]);
		return 3;
	}
	uint8_t *question = pack_question(fd, argv[2], register_program(fd), &size, &reply);
	int echo = question == NULL ? -1 : start_echo(argv[4], echo_path, size, reply, &pid);
	bool is_done = echo >= 0;
	if (is_done) {
		const int fds[2] = {fd, echo};
		pid_t daemon = server_of(fd);
		cpu_set_t usable;
		is_done = sched_getaffinity(0, sizeof usable, &usable) == 0 &&
		          put_on(0, processor(&usable, 0));
		printf("a repeated question, %zu bytes, answer %zu bytes, %zu times: median, p90\n",
		       size, reply, rounds);
		for (int i = 0; i < 2 && is_done && processor(&usable, i) >= 0; i++)
			is_done = put_on(daemon, processor(&usable, i)) &&
			          put_on(pid, processor(&usable, i)) &&
			          compare(fds, question, size, reply, rounds,
			                  i == 0 ? "same processor" : "another one");
		(void)sched_setaffinity(daemon, sizeof usable, &usable);
	}
	if (is_done)
		status = 0;
	else
		fprintf(stderr, "bench-warm: the exchange broke off\n");
	if (pid > 0) {
		kill(pid, SIGTERM);
		waitpid(pid, NULL, 0);
	}
	unlink(echo_path);
	if (echo >= 0)
		close(echo);
	close(fd);
	free(question);
	return status;
}
