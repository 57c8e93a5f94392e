/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon in a process of its own, and a client. */
#include "tests/unit/daemon/fixture.h"

#include "proto/text.h"
#include "tests/folder.h"

#include "daemon/daemon.h"
#include "daemon/log.h"
#include "proto/other_load.h"

#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	ANSWER_MS = 20000, /* of a loaded machine; no test waits so long */
	REFUSED = 98       /* a status */
};

int fixture_setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof *fixture);
	assert_non_null(fixture);
	strcpy(fixture->directory, "/tmp/predictd-test-XXXXXX");
	assert_non_null(mkdtemp(fixture->directory));
	snprintf(fixture->socket, sizeof fixture->socket, "%s/socket", fixture->directory);
	snprintf(fixture->state, sizeof fixture->state, "%s/state", fixture->directory);
	*state = fixture;
	return 0;
}

int fixture_teardown(void **state)
{
	struct fixture *fixture = *state;
	if (fixture->pid != 0)
		assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	(void)folder_remove(fixture->directory);
	free(fixture);
	return 0;
}

/* In the child. */
static void run_daemon(const struct fixture *fixture, const char *limits, int ready)
{
	static struct daemon daemon;
	struct config config;
	struct paths paths = {.config = ""};
	struct error error = {.status = STATUS_OK};
	snprintf(paths.config, sizeof paths.config, "%s/conf", fixture->directory);
	strcpy(paths.socket, fixture->socket);
	strcpy(paths.state, fixture->state);
	/* a machine on which nobody else does anything, unless a test says so */
	static char stat[128];
	snprintf(stat, sizeof stat, "%s/stat", fixture->directory);
	other_load_read_from(stat);
	FILE *file = fopen(paths.config, "w");
	if (file == NULL ||
	    fprintf(file,
	            "[calibration]\nat_start = never\n[daemon]\nlog_level = %s\n[limits]\n%s\n",
	            getenv("PREDICTD_TEST_LOG") != NULL ? "debug" : "error", limits) < 0 ||
	    fclose(file) != 0)
		_exit(99);
	if (config_load(&config, paths.config, &error) != STATUS_OK ||
	    daemon_start(&daemon, &config, &paths, &error) != STATUS_OK) {
		fprintf(stderr, "# %s\n", error.text);
		_exit(REFUSED);
	}
	(void)!write(ready, "", 1);
	close(ready);
	(void)uv_run(&daemon.loop, UV_RUN_DEFAULT);
	if (!daemon_deinit(&daemon))
		_exit(0);
	exit(0);
}

bool fixture_try_start(struct fixture *fixture, const char *calibrator, const char *limits)
{
	int ready[2], status;
	char byte;
	assert_int_equal(pipe(ready), 0);
	fixture->pid = fork();
	assert_true(fixture->pid >= 0);
	if (fixture->pid == 0) {
		close(ready[0]);
		setenv("FAKE_CALIBRATOR", calibrator, 1);
		log_open(LOG_LEVEL_ERROR);
		run_daemon(fixture, limits, ready[1]);
	}
	close(ready[1]);
	bool is_ready = read(ready[0], &byte, 1) == 1;
	close(ready[0]);
	if (!is_ready) {
		assert_int_equal(waitpid(fixture->pid, &status, 0), fixture->pid);
		fixture->pid = 0;
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == REFUSED);
	}
	return is_ready;
}

void fixture_start(struct fixture *fixture, const char *calibrator, const char *limits)
{
	assert_true(fixture_try_start(fixture, calibrator, limits));
}

const char *fixture_socket_group(void)
{
	static char lines[128];
	const struct group *group = getgrgid(getegid());
	assert_non_null(group);
	(void)snprintf(lines, sizeof lines, "\n[daemon]\nsocket_group = %s", group->gr_name);
	return lines;
}

void fixture_say_others(const struct fixture *fixture, unsigned busy_ticks, unsigned idle_ticks)
{
	char path[128], whole[128];
	snprintf(path, sizeof path, "%s/stat.new", fixture->directory);
	snprintf(whole, sizeof whole, "%s/stat", fixture->directory);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	for (unsigned i = 0; i < 64; i++)
		fprintf(file, "cpu%u %u 0 0 %u 0 0 0 0\n", i, busy_ticks, idle_ticks);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(rename(path, whole), 0);
}

int fixture_stop(struct fixture *fixture, int signal)
{
	int status;
#ifdef JAIL_COVERED
	if (signal == SIGKILL)
		signal = SIGUSR2; /* tests/coverage.c */
#endif
	assert_int_equal(kill(fixture->pid, signal), 0);
	assert_int_equal(waitpid(fixture->pid, &status, 0), fixture->pid);
	fixture->pid = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void fixture_send(int fd, Predictd__Request *request)
{
	assert_int_equal(frame_write(fd, &request->base), 0);
}

Predictd__Response *fixture_receive(int fd)
{
	uint8_t *bytes;
	size_t size;
	int failure = frame_read(fd, FRAME_BYTES_MAX, ANSWER_MS, &bytes, &size);
	if (failure == EPIPE || failure == ECONNRESET)
		return NULL;
	assert_int_equal(failure, 0);
	Predictd__Response *response = predictd__response__unpack(NULL, size, bytes);
	assert_non_null(response);
	free(bytes);
	return response;
}

Predictd__Response *fixture_ask(int fd, Predictd__Request *request)
{
	fixture_send(fd, request);
	return fixture_receive(fd);
}

int fixture_connect(const struct fixture *fixture, bool greeted)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	(void)signal(SIGPIPE, SIG_IGN);
	strcpy(address.sun_path, fixture->socket);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
	if (!greeted)
		return fd;
	Predictd__Hello hello = PREDICTD__HELLO__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	hello.protocol = 1;
	hello.client = "test";
	request.id = 1;
	request.body_case = PREDICTD__REQUEST__BODY_HELLO;
	request.hello = &hello;
	Predictd__Response *response = fixture_ask(fd, &request);
	assert_non_null(response);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_HELLO);
	predictd__response__free_unpacked(response, NULL);
	return fd;
}

Predictd__Response *fixture_status(int fd)
{
	Predictd__Status status = PREDICTD__STATUS__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	request.id = 9;
	request.body_case = PREDICTD__REQUEST__BODY_STATUS;
	request.status = &status;
	Predictd__Response *response = fixture_ask(fd, &request);
	assert_non_null(response);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_STATUS);
	return response;
}

Predictd__Response *fixture_devices(int fd, bool is_verbose)
{
	Predictd__ListDevices list = PREDICTD__LIST_DEVICES__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	list.verbose = is_verbose;
	request.id = 10;
	request.body_case = PREDICTD__REQUEST__BODY_LIST_DEVICES;
	request.list_devices = &list;
	Predictd__Response *response = fixture_ask(fd, &request);
	assert_non_null(response);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_DEVICES);
	return response;
}

void fixture_send_register(int fd, const char *source)
{
	Predictd__Program program = PREDICTD__PROGRAM__INIT;
	Predictd__RegisterProgram body = PREDICTD__REGISTER_PROGRAM__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	program.name = "a.cl";
	program.source.data = (uint8_t *)(uintptr_t)source;
	program.source.len = strlen(source);
	body.program = &program;
	request.id = 2;
	request.body_case = PREDICTD__REQUEST__BODY_REGISTER_PROGRAM;
	request.register_program = &body;
	fixture_send(fd, &request);
}

Predictd__Response *fixture_register(int fd, const char *source)
{
	fixture_send_register(fd, source);
	return fixture_receive(fd);
}

Predictd__Response *fixture_predict(int fd, uint64_t handle, const char *kernel, const char *device)
{
	return fixture_predict_size(fd, handle, kernel, device, 64);
}

Predictd__Response *fixture_predict_size(int fd, uint64_t handle, const char *kernel,
                                         const char *device, uint64_t size)
{
	Predictd__Launch launch = PREDICTD__LAUNCH__INIT;
	Predictd__Predict predict = PREDICTD__PREDICT__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	launch.n_global_items = 1;
	launch.global_items = &size;
	predict.handle = handle;
	predict.kernel = (char *)(uintptr_t)kernel;
	predict.device = (char *)(uintptr_t)device;
	predict.launch = &launch;
	request.id = 3;
	request.body_case = PREDICTD__REQUEST__BODY_PREDICT;
	request.predict = &predict;
	return fixture_ask(fd, &request);
}

Predictd__Response *fixture_place(int fd, uint64_t handle, const char *device)
{
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	Predictd__Place body = PREDICTD__PLACE__INIT;
	Predictd__Predict predict = PREDICTD__PREDICT__INIT, *launches = &predict;
	Predictd__Launch launch = PREDICTD__LAUNCH__INIT;
	uint64_t one = 1;
	char *devices = (char *)(uintptr_t)device;
	launch.global_items = &one;
	launch.n_global_items = 1;
	predict.handle = handle;
	predict.kernel = (char *)(uintptr_t)"a";
	predict.launch = &launch;
	body.launches = &launches;
	body.n_launches = 1;
	body.devices = &devices;
	body.n_devices = device != NULL;
	request.id = 30;
	request.body_case = PREDICTD__REQUEST__BODY_PLACE;
	request.place = &body;
	return fixture_ask(fd, &request);
}

void fixture_send_calibrate(int fd, uint64_t id, const char *device)
{
	Predictd__Calibrate calibrate = PREDICTD__CALIBRATE__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	calibrate.device = (char *)(uintptr_t)device;
	calibrate.quick = true;
	request.id = id;
	request.body_case = PREDICTD__REQUEST__BODY_CALIBRATE;
	request.calibrate = &calibrate;
	fixture_send(fd, &request);
}

Predictd__Response *fixture_calibrate(int fd, const char *device)
{
	fixture_send_calibrate(fd, 20, device);
	for (;;) {
		Predictd__Response *response = fixture_receive(fd);
		assert_non_null(response);
		if (response->body_case != PREDICTD__RESPONSE__BODY_CALIBRATE ||
		    response->calibrate->device != NULL)
			return response;
		predictd__response__free_unpacked(response, NULL);
	}
}

void fixture_calibrate_both(int fd)
{
	for (size_t i = 0; i < 2; i++) {
		Predictd__Response *response = fixture_calibrate(fd, i == 0 ? "0" : "1");
		assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_CALIBRATE);
		predictd__response__free_unpacked(response, NULL);
	}
}

uint64_t fixture_register_well(int fd, const char *source)
{
	Predictd__Response *response = fixture_register(fd, source);
	assert_non_null(response);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM);
	uint64_t handle = response->register_program->handle;
	predictd__response__free_unpacked(response, NULL);
	return handle;
}

void fixture_calibrate_well(int fd)
{
	Predictd__Response *response = fixture_calibrate(fd, "0");
	assert_non_null(response);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_CALIBRATE);
	predictd__response__free_unpacked(response, NULL);
}

void assert_refused(Predictd__Response *response, enum status status, const char *part)
{
	assert_non_null(response);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_ERROR);
	if (strstr(response->error->text, part) == NULL)
		fail_msg("want \"%s\" in \"%s\"", part, response->error->text);
	/* whatever was quoted, and wherever it was cut */
	assert_int_equal(text_clean_bytes(response->error->text), strlen(response->error->text));
	if (response->error->status != status)
		fail_msg("want status %d, got %u: %s", status, response->error->status,
		         response->error->text);
	predictd__response__free_unpacked(response, NULL);
}
