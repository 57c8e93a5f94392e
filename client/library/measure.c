/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measuring and looking for devices without the daemon: a calibrator child of the
 * caller's own, one frame in, frames out. A kernel that brings the driver down ends
 * that child and its own case; the cases after it get a new child.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/library/devices.h"
#include "client/library/message.h"
#include "client/library/program.h"

extern char **environ;

static const char *const program_name = "predictd-calibrator";

enum {
	SCAN_WAIT_MS = 30000,
	CASE_WAIT_MS = 120000, /* besides its budget: a build of a large source */
	LOOK_MS = 50,          /* between two looks for whether somebody has called it off */
	CHILD_CASES_MAX = 256,
	CHILD_BYTES_MAX = 16 << 20
};

/* How often predictd_measure_stop was called: what began before the last time ends. */
static atomic_uint stops;

struct child {
	pid_t pid;
	int in, out;
};

/* The first runnable predictd-calibrator of the folders. */
static predictd_status program_find(char path[4096])
{
	const char *folders = getenv("PREDICTD_LIBEXECDIR");
	if (folders == NULL || folders[0] == '\0')
		folders = PREDICTD_LIBEXECDIR;
	for (const char *folder = folders; *folder != '\0';) {
		size_t length = strcspn(folder, ":");
		int written = snprintf(path, 4096, "%.*s/%s", (int)(length < 4000 ? length : 4000),
		                       folder, program_name);
		if (length > 0 && length < 4000 && written < 4096 && access(path, X_OK) == 0)
			return PREDICTD_OK;
		folder += length + (folder[length] == ':');
	}
	return error_keep(PREDICTD_UNAVAILABLE,
	                  "%s is not in %s; install predictd or set PREDICTD_LIBEXECDIR",
	                  program_name, folders);
}

/* Ends a child, at once; why says how it had ended by itself ("" when it had not). */
static void child_stop(struct child *child, char *why, size_t why_size)
{
	if (child->pid <= 0)
		return;
	int state = 0;
	close(child->in);
	close(child->out);
	pid_t ended = 0;
	for (unsigned wait_ms = 0; wait_ms < 200 && ended == 0; wait_ms += 10) {
		ended = waitpid(child->pid, &state, WNOHANG);
		if (ended == 0)
			(void)usleep(10000);
	}
	if (ended == 0) {
		(void)kill(child->pid, SIGKILL);
		while (waitpid(child->pid, &state, 0) < 0 && errno == EINTR)
			;
		(void)snprintf(why, why_size, "it gave no answer");
	} else if (WIFSIGNALED(state)) {
		(void)snprintf(why, why_size, "it was ended by signal %d (%s)", WTERMSIG(state),
		               strsignal(WTERMSIG(state)));
	} else {
		(void)snprintf(why, why_size, "it ended with status %d", WEXITSTATUS(state));
	}
	child->pid = 0;
}

static predictd_status request_send(int fd, const Predictd__CalibratorRequest *request)
{
	uint8_t *bytes;
	size_t size;
	if (!frame_pack(&request->base, &bytes, &size))
		return error_keep(PREDICTD_LIMIT, "a request to %s that is too large",
		                  program_name);
	predictd_status status = PREDICTD_OK;
	for (size_t done = 0; done < size && status == PREDICTD_OK;) {
		ssize_t sent = send(fd, bytes + done, size - done, MSG_NOSIGNAL);
		if (sent >= 0)
			done += (size_t)sent;
		else if (errno != EINTR)
			status = error_keep(PREDICTD_DEVICE, "%s: %s", program_name,
			                    strerror(errno));
	}
	free(bytes);
	return status;
}

/* Starts a child with the request under way. */
static predictd_status child_start(const Predictd__CalibratorRequest *request, struct child *child)
{
	char path[4096];
	int in[2] = {-1, -1}, out[2] = {-1, -1};
	posix_spawn_file_actions_t actions;
	*child = (struct child){0, -1, -1};
	predictd_status status = program_find(path);
	if (status != PREDICTD_OK)
		return status;
	/* a socket as its standard input: writing to a dead child is an error, not a signal */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) < 0 ||
	    pipe2(out, O_CLOEXEC) < 0) {
		status = error_keep(PREDICTD_IO, "cannot make a pipe: %s", strerror(errno));
		goto out;
	}
	int failure = posix_spawn_file_actions_init(&actions);
	if (failure == 0) {
		failure = posix_spawn_file_actions_adddup2(&actions, in[1], STDIN_FILENO);
		if (failure == 0)
			failure = posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
		char *arguments[] = {(char *)program_name, NULL};
		if (failure == 0)
			failure =
			        posix_spawn(&child->pid, path, &actions, NULL, arguments, environ);
		(void)posix_spawn_file_actions_destroy(&actions);
	}
	if (failure != 0) {
		child->pid = 0;
		status = error_keep(PREDICTD_UNAVAILABLE, "cannot start %s: %s", path,
		                    strerror(failure));
		goto out;
	}
	child->in = in[0];
	child->out = out[0];
	in[0] = out[0] = -1; /* the child's owner has them */
	close(in[1]);
	close(out[1]);
	in[1] = out[1] = -1;
	status = request_send(child->in, request);
	if (status != PREDICTD_OK) {
		char why[128];
		child_stop(child, why, sizeof why);
		status = error_keep(PREDICTD_DEVICE, "%s: %s", program_name, why);
	}
out:
	for (unsigned i = 0; i < 2; i++) {
		if (in[i] >= 0)
			close(in[i]);
		if (out[i] >= 0)
			close(out[i]);
	}
	return status;
}

/* The next reply; PREDICTD_DEVICE when none comes any more (the child still needs child_stop). */
static predictd_status child_reply(const struct child *child, int wait_ms,
                                   Predictd__CalibratorReply **reply)
{
	uint8_t *bytes;
	size_t size;
	int failure = frame_read(child->out, FRAME_BYTES_MAX, wait_ms, &bytes, &size);
	if (failure == ETIMEDOUT)
		return error_keep(PREDICTD_TIMEOUT, "%s gave no answer within %d s", program_name,
		                  wait_ms / 1000);
	if (failure != 0)
		return error_keep(PREDICTD_DEVICE, "%s: %s", program_name,
		                  failure == EPIPE ? "it ended early" : strerror(failure));
	*reply = predictd__calibrator_reply__unpack(NULL, size, bytes);
	free(bytes);
	if (*reply == NULL)
		return error_keep(PREDICTD_CORRUPT, "%s wrote what cannot be read", program_name);
	return PREDICTD_OK;
}

predictd_status predictd_scan_devices(predictd_devices **devices)
{
	error_clear();
	Predictd__ListDevices body = PREDICTD__LIST_DEVICES__INIT;
	Predictd__CalibratorRequest request = PREDICTD__CALIBRATOR_REQUEST__INIT;
	request.body_case = PREDICTD__CALIBRATOR_REQUEST__BODY_LIST;
	request.list = &body;
	struct child child;
	Predictd__CalibratorReply *reply = NULL;
	Predictd__Device **list = NULL;
	char why[128] = "";
	predictd_status status = child_start(&request, &child);
	if (status != PREDICTD_OK)
		return status;
	status = child_reply(&child, SCAN_WAIT_MS, &reply);
	child_stop(&child, why, sizeof why);
	if (status == PREDICTD_DEVICE)
		status = error_keep(PREDICTD_DEVICE, "%s: %s", program_name, why);
	if (status != PREDICTD_OK)
		goto out;
	if (reply->body_case == PREDICTD__CALIBRATOR_REPLY__BODY_ERROR) {
		status = status_from_wire(reply->error->status);
		status = error_keep(status != PREDICTD_OK ? status : PREDICTD_DEVICE, "%s",
		                    reply->error->text);
		goto out;
	}
	if (reply->body_case != PREDICTD__CALIBRATOR_REPLY__BODY_DEVICES) {
		status =
		        error_keep(PREDICTD_INTERNAL, "%s answered another question", program_name);
		goto out;
	}
	size_t count = 0;
	list = calloc(reply->devices->n_devices + 1, sizeof *list);
	if (list == NULL) {
		status = error_keep(PREDICTD_NO_MEMORY, "no memory for devices");
		goto out;
	}
	for (size_t i = 0; i < reply->devices->n_devices; i++) {
		Predictd__Device *device = reply->devices->devices[i]->device;
		if (device == NULL)
			continue;
		device->index = (uint32_t)count;
		list[count++] = device;
	}
	status = devices_new(&reply->base, list, count, devices);
	reply = NULL; /* taken */
out:
	free(list);
	if (reply != NULL)
		predictd__calibrator_reply__free_unpacked(reply, NULL);
	return status;
}

/* ---- measuring ----------------------------------------------------------------------------- */

struct measurement_block {
	char **errors;
	double **times_s;
	predictd_measurement entries[];
};

/* What one case's message is made of. */
struct case_message {
	Predictd__MeasureCase message;
	Predictd__Program program;
	Predictd__Header *headers;
};

struct session {
	unsigned begun; /* `stops` when it began */
	const char *device;
	const predictd_measure_case *cases;
	size_t count;
	uint32_t runs_min;
	double budget_s;
	void (*done)(size_t, const predictd_measurement *, void *);
	void *context;
	struct measurement_block *block;
	struct case_message *messages; /* of the cases under way */
	Predictd__MeasureCase **list;
};

static bool is_stopped(const struct session *session)
{
	return atomic_load_explicit(&stops, memory_order_relaxed) != session->begun;
}

/* Waits until the child has said something, has ended or is late, or the session is stopped. */
static void child_await(const struct session *session, const struct child *child, int *wait_ms)
{
	struct pollfd out = {.fd = child->out, .events = POLLIN};
	while (*wait_ms > 0 && !is_stopped(session) && poll(&out, 1, LOOK_MS) <= 0)
		*wait_ms -= LOOK_MS;
}

/* Takes the times of the single runs out of `from`. */
static void case_settle(struct session *session, size_t index, Predictd__Measurement *from,
                        predictd_status status, const char *text)
{
	predictd_measurement *to = &session->block->entries[index];
	*to = (predictd_measurement){.status = status, .error = ""};
	if (from != NULL) {
		*to = (predictd_measurement){.status = status,
		                             .error = "",
		                             .runs = from->runs,
		                             .kernel_time_s = from->kernel_time_s,
		                             .min_s = from->min_s,
		                             .mean_s = from->mean_s,
		                             .p90_s = from->p90_s,
		                             .launch_time_s = from->launch_time_s,
		                             .wall_s = from->wall_s,
		                             .h2d_time_s = from->h2d_time_s,
		                             .d2h_time_s = from->d2h_time_s,
		                             .build_s = from->build_s};
		if (status == PREDICTD_OK && from->n_kernel_times_s == from->runs) {
			to->times_s = session->block->times_s[index] = from->kernel_times_s;
			from->kernel_times_s = NULL; /* taken */
			from->n_kernel_times_s = 0;
		}
	}
	if (status != PREDICTD_OK) {
		session->block->errors[index] = strdup(text);
		to->error = session->block->errors[index] != NULL ? session->block->errors[index]
		                                                  : "no memory";
	}
	if (session->done != NULL && status != PREDICTD_CANCELLED)
		session->done(index, to, session->context);
}

static void case_message_free(struct case_message *one)
{
	launch_free(one->message.launch);
	one->message.launch = NULL;
	program_message_free(&one->program, one->headers);
	one->headers = NULL;
}

static predictd_status case_message_fill(const struct session *session, size_t index,
                                         struct case_message *one)
{
	const predictd_measure_case *from = &session->cases[index];
	predictd__measure_case__init(&one->message);
	predictd__program__init(&one->program);
	if (from->source == NULL)
		return error_keep(PREDICTD_INVALID, "a case without a source");
	if (!program_message(from->source, &one->program, &one->headers))
		return error_keep(PREDICTD_NO_MEMORY, "no memory for a case");
	one->message.program = &one->program;
	one->message.kernel = (char *)(from->question.kernel != NULL ? from->question.kernel : "");
	one->message.runs_min = session->runs_min < 5 ? 5 : session->runs_min;
	one->message.with_transfers = from->question.with_transfers;
	one->message.pinned_transfers = from->question.pinned_transfers;
	return launch_new(&from->question, false, &one->message.launch);
}

/* What the longest of them waits before its runs, beyond what a budget bounds. */
static double idle_most_s(const struct session *session, size_t first, size_t count)
{
	double most_s = 0, runs = session->runs_min < 5 ? 5 : session->runs_min;
	for (size_t i = first; i < first + count; i++)
		most_s = fmax(most_s, session->cases[i].question.idle_s);
	return runs * most_s;
}

/*
 * Gives one child the cases from `first` on, as many as fit. *next: the first case that is
 * not settled. Fails only when no child can be started or the device is not there.
 */
static predictd_status child_measure(struct session *session, size_t first, size_t *next)
{
	size_t count = 0, bytes = 0;
	predictd_status status = PREDICTD_OK;
	while (first + count < session->count && count < CHILD_CASES_MAX) {
		struct case_message *one = &session->messages[count];
		status = case_message_fill(session, first + count, one);
		if (status != PREDICTD_OK) {
			case_message_free(one);
			break;
		}
		size_t size = predictd__measure_case__get_packed_size(&one->message);
		if (count > 0 && size > CHILD_BYTES_MAX - bytes) {
			case_message_free(one);
			break;
		}
		bytes += size < CHILD_BYTES_MAX - bytes ? size : CHILD_BYTES_MAX - bytes;
		session->list[count++] = &one->message;
	}
	*next = first;
	if (count == 0) { /* the first one cannot be sent: its own error */
		case_settle(session, first, NULL, status, predictd_error_text());
		*next = first + 1;
		return PREDICTD_OK;
	}

	Predictd__CalibratorMeasure body = PREDICTD__CALIBRATOR_MEASURE__INIT;
	body.device = (char *)(session->device != NULL ? session->device : "");
	body.cases = session->list;
	body.n_cases = count;
	body.budget_s = session->budget_s;
	Predictd__CalibratorRequest request = PREDICTD__CALIBRATOR_REQUEST__INIT;
	request.body_case = PREDICTD__CALIBRATOR_REQUEST__BODY_MEASURE;
	request.measure = &body;
	struct child child;
	status = child_start(&request, &child);
	double wait_s = (double)CASE_WAIT_MS / 1e3 +
	                4 * (session->budget_s > 0 ? session->budget_s : 15) +
	                idle_most_s(session, first, count);
	int wait_ms = wait_s < 86400 ? (int)(wait_s * 1e3) : 86400000;
	while (status == PREDICTD_OK && *next < first + count) {
		Predictd__CalibratorReply *reply;
		int left_ms = wait_ms;
		child_await(session, &child, &left_ms);
		if (is_stopped(session)) { /* a terminal's Ctrl-C has ended it as well */
			(void)kill(child.pid, SIGKILL);
			break;
		}
		status = child_reply(&child, left_ms > LOOK_MS ? left_ms : LOOK_MS, &reply);
		if (status != PREDICTD_OK) {
			/* the case under way took the child with it */
			char why[128] = "", text[256];
			bool is_late = status == PREDICTD_TIMEOUT;
			child_stop(&child, why, sizeof why);
			if (is_late)
				(void)snprintf(text, sizeof text,
				               "the kernel did not end within %d s",
				               wait_ms / 1000);
			else
				(void)snprintf(text, sizeof text, "the OpenCL driver went down: %s",
				               why);
			case_settle(session, (*next)++, NULL, PREDICTD_DEVICE, text);
			status = PREDICTD_OK;
			break;
		}
		if (reply->body_case == PREDICTD__CALIBRATOR_REPLY__BODY_MEASUREMENT &&
		    reply->measurement->index == *next - first) {
			Predictd__Measurement *from = reply->measurement;
			predictd_status own = PREDICTD_OK;
			if (from->error != NULL) {
				own = status_from_wire(from->error->status);
				own = own != PREDICTD_OK ? own : PREDICTD_INTERNAL;
			}
			case_settle(session, (*next)++, from, own,
			            from->error != NULL ? from->error->text : "");
			if (own == PREDICTD_TIMEOUT) { /* a hanging driver: the child has ended */
				predictd__calibrator_reply__free_unpacked(reply, NULL);
				break;
			}
		} else if (reply->body_case == PREDICTD__CALIBRATOR_REPLY__BODY_ERROR) {
			status = status_from_wire(reply->error->status);
			status = error_keep(status != PREDICTD_OK ? status : PREDICTD_DEVICE, "%s",
			                    reply->error->text);
		}
		predictd__calibrator_reply__free_unpacked(reply, NULL);
	}
	char ignored[128];
	child_stop(&child, ignored, sizeof ignored);
	for (size_t i = 0; i < count; i++)
		case_message_free(&session->messages[i]);
	return status;
}

predictd_status predictd_measure(const char *device, const predictd_measure_case *cases,
                                 size_t count, uint32_t runs_min, double budget_s,
                                 void (*done)(size_t index, const predictd_measurement *, void *),
                                 void *context, predictd_measurement **measurements)
{
	error_clear();
	if (count > SIZE_MAX / 2 / sizeof(predictd_measurement))
		return error_keep(PREDICTD_LIMIT, "%zu cases are too many", count);
	struct session session = {.begun = atomic_load(&stops),
	                          .device = device,
	                          .cases = cases,
	                          .count = count,
	                          .runs_min = runs_min,
	                          .budget_s = budget_s > 0 ? budget_s : 0,
	                          .done = done,
	                          .context = context};
	session.block = calloc(1, sizeof *session.block + count * sizeof(predictd_measurement));
	session.messages = calloc(CHILD_CASES_MAX, sizeof *session.messages);
	session.list = calloc(CHILD_CASES_MAX, sizeof(Predictd__MeasureCase *));
	predictd_status status = PREDICTD_OK;
	if (session.block == NULL || session.messages == NULL || session.list == NULL ||
	    (session.block->errors = calloc(count + 1, sizeof(char *))) == NULL ||
	    (session.block->times_s = calloc(count + 1, sizeof(double *))) == NULL) {
		if (session.block != NULL)
			free(session.block->errors);
		free(session.block);
		session.block = NULL;
		status = error_keep(PREDICTD_NO_MEMORY, "no memory for %zu cases", count);
		goto out;
	}
	size_t next = 0;
	while (next < count && status == PREDICTD_OK && !is_stopped(&session))
		status = child_measure(&session, next, &next);
	for (; next < count && is_stopped(&session) && status == PREDICTD_OK; next++)
		case_settle(&session, next, NULL, PREDICTD_CANCELLED, "interrupted");
	if (status == PREDICTD_OK) {
		*measurements = session.block->entries;
		session.block = NULL; /* given */
	}
out:
	if (session.block != NULL)
		predictd_measurements_free(session.block->entries, count);
	free(session.messages);
	free(session.list);
	return status;
}

void predictd_measure_stop(void)
{
	(void)atomic_fetch_add(&stops, 1);
}

void predictd_measurements_free(predictd_measurement *measurements, size_t count)
{
	if (measurements == NULL)
		return;
	struct measurement_block *block =
	        (struct measurement_block *)((char *)measurements -
	                                     offsetof(struct measurement_block, entries));
	for (size_t i = 0; i < count; i++) {
		free(block->errors[i]);
		free(block->times_s[i]);
	}
	free(block->errors);
	free(block->times_s);
	free(block);
}
