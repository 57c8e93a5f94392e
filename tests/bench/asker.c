/* SPDX-License-Identifier: Apache-2.0 */
/* The benchmarks' client. */
#include "tests/bench/asker.h"

#include "proto/frame.h"

#include <errno.h>
#include <sched.h>
#include <sha2.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	FRAME_MAX = 32 << 20,
	FILE_MAX = 1 << 20,
	REPLY_MS = 60000,
	START_TRIES = 2000,
	START_PAUSE_US = 5000
};

extern char **environ;

const char asker_addition[] = "kernel void add(global const float *a, global const float *b,\n"
                              "                global float *c)\n"
                              "{\n"
                              "	size_t i = get_global_id(0);\n"
                              "	c[i] = a[i] + b[i];\n"
                              "}\n";

int asker_connect(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	if (strlen(path) < sizeof address.sun_path) {
		strcpy(address.sun_path, path);
		if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0)
			return fd;
	}
	close(fd);
	return -1;
}

Predictd__Response *asker_exchange(int fd, const Predictd__Request *request)
{
	uint8_t *bytes = NULL;
	size_t size;
	Predictd__Response *response = NULL;
	int failed = frame_write(fd, &request->base);

	if (failed == 0)
		failed = frame_read(fd, FRAME_MAX, REPLY_MS, &bytes, &size);
	if (failed == 0)
		response = predictd__response__unpack(NULL, size, bytes);
	if (response == NULL)
		fprintf(stderr, "bench: %s\n", failed != 0 ? strerror(failed) : "no message");
	free(bytes);
	return response;
}

static bool say_hello(int fd)
{
	Predictd__Hello hello = PREDICTD__HELLO__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;

	hello.protocol = 1;
	hello.client = "bench";
	request.id = 1;
	request.body_case = PREDICTD__REQUEST__BODY_HELLO;
	request.hello = &hello;
	Predictd__Response *response = asker_exchange(fd, &request);
	bool is_done = response != NULL && response->body_case == PREDICTD__RESPONSE__BODY_HELLO;
	if (response != NULL && !is_done)
		fprintf(stderr, "bench: hello: %s\n",
		        response->body_case == PREDICTD__RESPONSE__BODY_ERROR
		                ? response->error->text
		                : "another answer");
	predictd__response__free_unpacked(response, NULL);
	return is_done;
}

int asker_open(const char *path)
{
	int fd = -1;

	for (int i = 0; i < START_TRIES && fd < 0; i++) {
		fd = asker_connect(path);
		if (fd < 0)
			usleep(START_PAUSE_US);
	}
	if (fd < 0)
		fprintf(stderr, "bench: nobody listens on %s\n", path);
	else if (!say_hello(fd)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

uint64_t asker_register(int fd, const char *text, size_t size)
{
	Predictd__Program program = PREDICTD__PROGRAM__INIT;
	Predictd__RegisterProgram message = PREDICTD__REGISTER_PROGRAM__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	uint64_t handle = 0;

	program.name = "bench.cl";
	program.source.data = (uint8_t *)text;
	program.source.len = size;
	message.program = &program;
	request.id = 2;
	request.body_case = PREDICTD__REQUEST__BODY_REGISTER_PROGRAM;
	request.register_program = &message;
	Predictd__Response *response = asker_exchange(fd, &request);
	if (response != NULL && response->body_case == PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM)
		handle = response->register_program->handle;
	else if (response != NULL && response->body_case == PREDICTD__RESPONSE__BODY_ERROR)
		fprintf(stderr, "bench: register: %s\n", response->error->text);
	predictd__response__free_unpacked(response, NULL);
	return handle;
}

Predictd__Calibration *asker_calibration(const char *path)
{
	static uint8_t bytes[FILE_MAX];
	FILE *file = fopen(path, "re");
	size_t size = file == NULL ? 0 : fread(bytes, 1, sizeof bytes, file);

	if (file != NULL)
		fclose(file);
	Predictd__Calibration *calibration = predictd__calibration__unpack(NULL, size, bytes);
	if (calibration != NULL && calibration->device != NULL)
		return calibration;
	predictd__calibration__free_unpacked(calibration, NULL);
	fprintf(stderr, "bench: %s: no calibration\n", path);
	return NULL;
}

bool asker_import(int fd, Predictd__Calibration *calibration)
{
	static uint8_t packed[FILE_MAX];
	uint8_t digest[SHA256_DIGEST_LENGTH];
	ProtobufCBinaryData sum = calibration->sha256;
	Predictd__Import import = PREDICTD__IMPORT__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	SHA2_CTX context;

	SHA256Init(&context);
	SHA256Update(&context, packed, predictd__device__pack(calibration->device, packed));
	SHA256Final(digest, &context);
	calibration->sha256 = (ProtobufCBinaryData){.data = digest, .len = sizeof digest};
	import.calibration.len = predictd__calibration__pack(calibration, packed);
	import.calibration.data = packed;
	calibration->sha256 = sum;
	request.id = 6;
	request.body_case = PREDICTD__REQUEST__BODY_IMPORT;
	request.import = &import;
	Predictd__Response *response = asker_exchange(fd, &request);
	bool is_done = response != NULL && response->body_case == PREDICTD__RESPONSE__BODY_IMPORT;
	if (response != NULL && response->body_case == PREDICTD__RESPONSE__BODY_ERROR)
		fprintf(stderr, "bench: import: %s\n", response->error->text);
	predictd__response__free_unpacked(response, NULL);
	return is_done;
}

void asker_question_init(struct asker_question *question, uint64_t handle, const char *device,
                         uint64_t items)
{
	for (unsigned i = 0; i < 3; i++) {
		predictd__argument__init(&question->arguments[i]);
		question->arguments[i].access = i < 2 ? 1 : 2;
		question->arguments[i].size_bytes = items * 4;
		question->pointers[i] = &question->arguments[i];
	}
	question->global[0] = items;
	question->local[0] = 64;
	predictd__launch__init(&question->launch);
	question->launch.n_global_items = question->launch.n_local_items = 1;
	question->launch.global_items = question->global;
	question->launch.local_items = question->local;
	question->launch.n_arguments = 3;
	question->launch.arguments = question->pointers;
	predictd__predict__init(&question->predict);
	question->predict.handle = handle;
	question->predict.device = (char *)device;
	question->predict.launch = &question->launch;
}

uint8_t *asker_question_pack(const struct asker_question *question, uint64_t id, size_t *size)
{
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	uint8_t *bytes = NULL;

	request.id = id;
	request.body_case = PREDICTD__REQUEST__BODY_PREDICT;
	request.predict = (Predictd__Predict *)&question->predict;
	return frame_pack(&request.base, &bytes, size) ? bytes : NULL;
}

uint8_t *asker_question_probe(int fd, const struct asker_question *question, uint64_t id,
                              size_t *size, size_t *reply)
{
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	uint8_t *bytes = NULL;

	request.id = id;
	request.body_case = PREDICTD__REQUEST__BODY_PREDICT;
	request.predict = (Predictd__Predict *)&question->predict;
	Predictd__Response *response = asker_exchange(fd, &request);
	if (response != NULL && response->body_case == PREDICTD__RESPONSE__BODY_PREDICT &&
	    frame_pack(&request.base, &bytes, size))
		*reply = FRAME_PREFIX_BYTES + predictd__response__get_packed_size(response);
	else if (response != NULL && response->body_case == PREDICTD__RESPONSE__BODY_ERROR)
		fprintf(stderr, "bench: predict: %s\n", response->error->text);
	predictd__response__free_unpacked(response, NULL);
	return bytes;
}

bool asker_send(int fd, const uint8_t *bytes, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = send(fd, bytes + done, size - done, MSG_NOSIGNAL);
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

bool asker_ping(int fd, const uint8_t *bytes, size_t size, size_t reply)
{
	static _Thread_local uint8_t input[1 << 17];

	if (!asker_send(fd, bytes, size))
		return false;
	for (size_t have = 0; have < reply;) {
		ssize_t n = recv(fd, input, sizeof input, 0);
		if (n <= 0)
			return false;
		have += (size_t)n;
	}
	return true;
}

pid_t asker_server(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof peer;

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : -1;
}

pid_t asker_start(char *const arguments[])
{
	pid_t pid = -1;
	int failed = posix_spawnp(&pid, arguments[0], NULL, NULL, arguments, environ);

	if (failed == 0)
		return pid;
	fprintf(stderr, "bench: %s: %s\n", arguments[0], strerror(failed));
	return -1;
}

void asker_end(pid_t pid)
{
	if (pid <= 0)
		return;
	(void)kill(pid, SIGTERM);
	(void)waitpid(pid, NULL, 0);
}

size_t asker_resident_bytes(pid_t pid)
{
	char path[64];
	unsigned long all = 0, resident = 0;

	snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return 0;
	if (fscanf(file, "%lu %lu", &all, &resident) != 2)
		resident = 0;
	fclose(file);
	return resident * (size_t)sysconf(_SC_PAGESIZE);
}

int asker_processor(const cpu_set_t *usable, int index)
{
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET((size_t)i, usable) && index-- == 0)
			return i;
	return -1;
}

bool asker_put_on(pid_t pid, int where)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)where, &set);
	return sched_setaffinity(pid, sizeof set, &set) == 0;
}
