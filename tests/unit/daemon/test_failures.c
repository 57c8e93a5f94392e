/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each call of a kind that a request leads to failing once. The request is refused with a
 * sentence, or the connection ends, or it is answered all the same; and then the same request
 * on another connection is answered as if nothing had been.
 */
#include "tests/unit/daemon/failing.h"
#include "tests/unit/daemon/fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { CALLS_MAX = 200, CALLS_LARGE = 50, CALLS_START = 80, ATTEMPTS = 500, ATTEMPT_US = 5000 };

struct subject {
	struct fixture *fixture;
	uint64_t handle;          /* of kernels a and b */
	double static_s;          /* of a */
	unsigned long asked;      /* makes a request another than the last */
	struct error last;        /* why it was refused */
	ProtobufCBinaryData file; /* of device 0's calibration */
};

/* Asks; the response, or NULL when the daemon closed. */
typedef Predictd__Response *asking(struct subject *subject, int fd);
/* Whether it is the answer; where something failed, parts of it may be refused. */
typedef bool checking(const struct subject *subject, const Predictd__Response *response,
                      bool has_failed);

static bool is_refusal(const Predictd__Error *error)
{
	static const enum status statuses[] = {STATUS_NO_MEMORY,   STATUS_LIMIT, STATUS_UNAVAILABLE,
	                                       STATUS_IO,          STATUS_BUSY,  STATUS_CORRUPT,
	                                       STATUS_UNCALIBRATED};
	if (error->text[0] == '\0')
		return false;
	for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
		if (error->status == (uint32_t)statuses[i])
			return true;
	return false;
}

/* Without failures, until it is well: what a failure left undone may be under way. */
static bool asked_well(struct subject *subject, asking *ask, checking *is_well)
{
	for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
		int fd = fixture_connect(subject->fixture, true);
		Predictd__Response *response = ask(subject, fd);
		bool is_done = response != NULL && is_well(subject, response, false);
		snprintf(subject->last.text, sizeof subject->last.text, "%s",
		         response == NULL ? "closed"
		         : response->body_case == PREDICTD__RESPONSE__BODY_ERROR
		                 ? response->error->text
		                 : "another answer");
		if (response != NULL)
			predictd__response__free_unpacked(response, NULL);
		close(fd);
		if (is_done)
			return true;
		usleep(ATTEMPT_US);
	}
	return false;
}

/* Lets the n-th call fail; false when fewer than n were made. */
static bool attempt(struct subject *subject, const char *what, asking *ask, checking *is_well,
                    enum failing kind, unsigned long n)
{
	int fd = fixture_connect(subject->fixture, true);
	failing_set(kind, n);
	Predictd__Response *response = ask(subject, fd);
	unsigned long calls = failing_end();
	if (response != NULL &&
	    !(response->body_case == PREDICTD__RESPONSE__BODY_ERROR &&
	      is_refusal(response->error)) &&
	    !is_well(subject, response, true))
		fail_msg("%s: kind %d, call %lu: neither refused nor answered: %s", what, kind, n,
		         response->body_case == PREDICTD__RESPONSE__BODY_ERROR
		                 ? response->error->text
		                 : "another answer");
	if (response != NULL)
		predictd__response__free_unpacked(response, NULL);
	close(fd);
	if (!asked_well(subject, ask, is_well))
		fail_msg("%s: kind %d: after call %lu failed: %s", what, kind, n,
		         subject->last.text);
	return calls >= n;
}

/* Of each kind at most so many calls. */
static void sweep_most(struct subject *subject, const char *what, asking *ask, checking *is_well,
                       unsigned long most)
{
	if (!asked_well(subject, ask, is_well))
		fail_msg("%s: without failures: %s", what, subject->last.text);
	for (int kind = 0; kind < FAILING_COUNT; kind++) {
		unsigned long n = 1;
		while (n <= most && attempt(subject, what, ask, is_well, (enum failing)kind, n))
			n++;
		if (getenv("PREDICTD_TEST_LOG") != NULL)
			fprintf(stderr, "# %s: %lu calls of kind %d\n", what, n - 1, kind);
	}
}

static void sweep(struct subject *subject, const char *what, asking *ask, checking *is_well)
{
	sweep_most(subject, what, ask, is_well, CALLS_MAX);
}

/* ---- requests ------------------------------------------------------------------------------ */

static Predictd__Response *ask_status(struct subject *subject, int fd)
{
	Predictd__Status status = PREDICTD__STATUS__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	(void)subject;
	request.id = 9;
	request.body_case = PREDICTD__REQUEST__BODY_STATUS;
	request.status = &status;
	return fixture_ask(fd, &request);
}

static bool is_status(const struct subject *subject, const Predictd__Response *response,
                      bool has_failed)
{
	(void)subject;
	(void)has_failed;
	return response->body_case == PREDICTD__RESPONSE__BODY_STATUS &&
	       response->status->programs > 0;
}

/* Greets on a connection that may fail; the response, or NULL. */
static Predictd__Response *greet(int fd)
{
	Predictd__Hello hello = PREDICTD__HELLO__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	hello.protocol = 1;
	request.id = 1;
	request.body_case = PREDICTD__REQUEST__BODY_HELLO;
	request.hello = &hello;
	return frame_write(fd, &request.base) == 0 ? fixture_receive(fd) : NULL;
}

/* A connection of its own, so that its making fails. */
static Predictd__Response *ask_anew(struct subject *subject, int fd)
{
	(void)fd;
	int other = fixture_connect(subject->fixture, false);
	Predictd__Response *response = greet(other);
	close(other);
	return response;
}

static bool is_greeting(const struct subject *subject, const Predictd__Response *response,
                        bool has_failed)
{
	(void)subject;
	(void)has_failed;
	return response->body_case == PREDICTD__RESPONSE__BODY_HELLO;
}

static Predictd__Response *ask_devices(struct subject *subject, int fd)
{
	Predictd__ListDevices list = PREDICTD__LIST_DEVICES__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	(void)subject;
	list.verbose = true;
	request.id = 10;
	request.body_case = PREDICTD__REQUEST__BODY_LIST_DEVICES;
	request.list_devices = &list;
	return fixture_ask(fd, &request);
}

static bool is_devices(const struct subject *subject, const Predictd__Response *response,
                       bool has_failed)
{
	(void)subject;
	(void)has_failed;
	return response->body_case == PREDICTD__RESPONSE__BODY_DEVICES &&
	       response->devices->n_devices == 2 &&
	       response->devices->devices[0]->n_coefficients == 3;
}

static Predictd__Response *register_known(struct subject *subject, int fd)
{
	(void)subject;
	return fixture_register(fd, "kernels a b");
}

static Predictd__Response *register_another(struct subject *subject, int fd)
{
	char source[64];
	snprintf(source, sizeof source, "kernels a b%lu", subject->asked++);
	return fixture_register(fd, source);
}

/* Of some hundred kernels, which are decoded off the loop. */
static Predictd__Response *register_large(struct subject *subject, int fd)
{
	char source[64];
	snprintf(source, sizeof source, "large %lu", subject->asked++);
	return fixture_register(fd, source);
}

static bool is_program(const struct subject *subject, const Predictd__Response *response,
                       bool has_failed)
{
	(void)subject;
	(void)has_failed;
	return response->body_case == PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM &&
	       (response->register_program->n_kernels == 2 ||
	        response->register_program->n_kernels == 256);
}

/* On 64 work-items of an offset that makes the question another one. */
struct question {
	uint64_t global, offset;
	Predictd__Launch launch;
	Predictd__Predict predict;
};

static void question_init(struct question *question, struct subject *subject, const char *kernel)
{
	*question = (struct question){.global = 64, .offset = 64 * subject->asked++};
	predictd__launch__init(&question->launch);
	predictd__predict__init(&question->predict);
	question->launch.n_global_items = 1;
	question->launch.global_items = &question->global;
	question->launch.n_offset_items = 1;
	question->launch.offset_items = &question->offset;
	question->predict.handle = subject->handle;
	question->predict.kernel = (char *)(uintptr_t)kernel;
	question->predict.device = (char *)"0";
	question->predict.explain = true;
	question->predict.explain_ir = true;
	question->predict.static_only = true;
	question->predict.launch = &question->launch;
}

static Predictd__Response *ask_prediction(struct subject *subject, int fd)
{
	struct question question;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	question_init(&question, subject, "a");
	request.id = 3;
	request.body_case = PREDICTD__REQUEST__BODY_PREDICT;
	request.predict = &question.predict;
	return fixture_ask(fd, &request);
}

static bool is_right(const struct subject *subject, const Predictd__Prediction *prediction)
{
	return prediction->kernel_time_s == subject->static_s && prediction->n_rows > 0 &&
	       prediction->ir[0] != '\0';
}

static bool is_prediction(const struct subject *subject, const Predictd__Response *response,
                          bool has_failed)
{
	(void)has_failed;
	return response->body_case == PREDICTD__RESPONSE__BODY_PREDICT &&
	       is_right(subject, response->predict->prediction);
}

/* Of a, of a kernel that is not there, and of b. */
static Predictd__Response *ask_batch(struct subject *subject, int fd)
{
	struct question questions[3];
	Predictd__Predict *predictions[3];
	Predictd__PredictBatch batch = PREDICTD__PREDICT_BATCH__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	for (size_t i = 0; i < 3; i++) {
		question_init(&questions[i], subject, i == 0 ? "a" : i == 1 ? "nosuch" : "b");
		predictions[i] = &questions[i].predict;
	}
	batch.predictions = predictions;
	batch.n_predictions = 3;
	request.id = 4;
	request.body_case = PREDICTD__REQUEST__BODY_PREDICT_BATCH;
	request.predict_batch = &batch;
	return fixture_ask(fd, &request);
}

static bool is_batch(const struct subject *subject, const Predictd__Response *response,
                     bool has_failed)
{
	if (response->body_case != PREDICTD__RESPONSE__BODY_PREDICT_BATCH ||
	    response->predict_batch->n_entries != 3)
		return false;
	for (size_t i = 0; i < 3; i++) {
		const Predictd__BatchEntry *entry = response->predict_batch->entries[i];
		bool is_well = entry->result_case == PREDICTD__BATCH_ENTRY__RESULT_PREDICTION
		                       ? i != 1 && is_right(subject, entry->prediction)
		                       : (i == 1 && strstr(entry->error->text, "nosuch") != NULL) ||
		                                 (has_failed && is_refusal(entry->error));
		if (!is_well)
			return false;
	}
	return true;
}

/* Where a runs, and what no device can be asked about. */
static Predictd__Response *ask_place(struct subject *subject, int fd)
{
	struct question questions[2];
	Predictd__Predict *launches[2];
	char *devices[] = {(char *)"0"};
	Predictd__Place place = PREDICTD__PLACE__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	for (size_t i = 0; i < 2; i++) {
		question_init(&questions[i], subject, i == 0 ? "a" : "nosuch");
		launches[i] = &questions[i].predict;
	}
	place.launches = launches;
	place.n_launches = 2;
	place.devices = devices;
	place.n_devices = subject->asked % 4 < 2;
	request.id = 5;
	request.body_case = PREDICTD__REQUEST__BODY_PLACE;
	request.place = &place;
	return fixture_ask(fd, &request);
}

static bool is_place(const struct subject *subject, const Predictd__Response *response,
                     bool has_failed)
{
	if (response->body_case != PREDICTD__RESPONSE__BODY_PLACE ||
	    response->place->n_placements != 2)
		return false;
	const Predictd__Placement *first = response->place->placements[0],
	                          *second = response->place->placements[1];
	bool is_well = first->prediction != NULL
	                       ? is_right(subject, first->prediction) &&
	                                 strcmp(first->device, "Fake alpha") == 0
	                       : has_failed && first->error != NULL && is_refusal(first->error);
	return is_well && second->error != NULL &&
	       (strstr(second->error->text, "nosuch") != NULL ||
	        (has_failed && is_refusal(second->error)));
}

/* Two runs of b, and one that cannot be. */
static Predictd__Response *report(struct subject *subject, int fd)
{
	Predictd__Observation observations[3], *list[3];
	struct question question;
	Predictd__Observe observe = PREDICTD__OBSERVE__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	question_init(&question, subject, "b");
	for (size_t i = 0; i < 3; i++) {
		predictd__observation__init(&observations[i]);
		observations[i].handle = subject->handle;
		observations[i].kernel = (char *)"b";
		observations[i].device = (char *)"0";
		observations[i].launch = &question.launch;
		observations[i].kernel_time_s = i == 1 ? -1 : 1e-3;
		list[i] = &observations[i];
	}
	observe.observations = list;
	observe.n_observations = 3;
	observe.acknowledge = true;
	request.id = 6;
	request.body_case = PREDICTD__REQUEST__BODY_OBSERVE;
	request.observe = &observe;
	return fixture_ask(fd, &request);
}

static bool is_report(const struct subject *subject, const Predictd__Response *response,
                      bool has_failed)
{
	(void)subject;
	if (response->body_case != PREDICTD__RESPONSE__BODY_OBSERVE ||
	    response->observe->n_entries != 3)
		return false;
	const Predictd__ObserveReply *reply = response->observe;
	return reply->entries[1]->result_case == PREDICTD__BATCH_ENTRY__RESULT_ERROR &&
	       ((reply->kept == 2 && reply->store_problem[0] == '\0') ||
	        (has_failed && (reply->kept < 2 || reply->store_problem[0] != '\0')));
}

static Predictd__Response *look_back(struct subject *subject, int fd)
{
	Predictd__History history = PREDICTD__HISTORY__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	history.handle = subject->handle;
	history.kernel = (char *)"b";
	history.device = (char *)"0";
	history.count_max = 4;
	request.id = 7;
	request.body_case = PREDICTD__REQUEST__BODY_HISTORY;
	request.history = &history;
	return fixture_ask(fd, &request);
}

static bool is_history(const struct subject *subject, const Predictd__Response *response,
                       bool has_failed)
{
	(void)subject;
	(void)has_failed;
	return response->body_case == PREDICTD__RESPONSE__BODY_HISTORY &&
	       response->history->n_entries == 4 &&
	       response->history->entries[0]->n_global_items == 1;
}

/* Reports, and forgets it by name. */
static Predictd__Response *forget_by_name(struct subject *subject, int fd)
{
	Predictd__Forget forget = PREDICTD__FORGET__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	Predictd__Response *reported = report(subject, fd);
	if (reported == NULL || reported->body_case == PREDICTD__RESPONSE__BODY_ERROR)
		return reported;
	predictd__response__free_unpacked(reported, NULL);
	forget.kernel = (char *)"b";
	forget.device = (char *)"0";
	request.id = 8;
	request.body_case = PREDICTD__REQUEST__BODY_FORGET;
	request.forget = &forget;
	return fixture_ask(fd, &request);
}

static bool is_forgotten(const struct subject *subject, const Predictd__Response *response,
                         bool has_failed)
{
	(void)subject;
	return response->body_case == PREDICTD__RESPONSE__BODY_FORGET &&
	       (has_failed || response->forget->forgotten > 0);
}

/* Both kernels of the program, by its handle. */
static Predictd__Response *forget_program(struct subject *subject, int fd)
{
	Predictd__Forget forget = PREDICTD__FORGET__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	forget.handle = subject->handle;
	request.id = 8;
	request.body_case = PREDICTD__REQUEST__BODY_FORGET;
	request.forget = &forget;
	return fixture_ask(fd, &request);
}

static bool is_program_forgotten(const struct subject *subject, const Predictd__Response *response,
                                 bool has_failed)
{
	(void)subject;
	(void)has_failed;
	return response->body_case == PREDICTD__RESPONSE__BODY_FORGET;
}

static Predictd__Response *export(struct subject *subject, int fd)
{
	Predictd__Export body = PREDICTD__EXPORT__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	(void)subject;
	body.device = (char *)"0";
	request.id = 11;
	request.body_case = PREDICTD__REQUEST__BODY_EXPORT;
	request.export = &body;
	return fixture_ask(fd, &request);
}

static bool is_export(const struct subject *subject, const Predictd__Response *response,
                      bool has_failed)
{
	(void)has_failed;
	return response->body_case == PREDICTD__RESPONSE__BODY_EXPORT &&
	       response->export->calibration.len == subject->file.len;
}

static Predictd__Response *import(struct subject *subject, int fd)
{
	Predictd__Import body = PREDICTD__IMPORT__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	body.calibration = subject->file;
	request.id = 12;
	request.body_case = PREDICTD__REQUEST__BODY_IMPORT;
	request.import = &body;
	return fixture_ask(fd, &request);
}

static bool is_import(const struct subject *subject, const Predictd__Response *response,
                      bool has_failed)
{
	(void)subject;
	(void)has_failed;
	return response->body_case == PREDICTD__RESPONSE__BODY_IMPORT &&
	       strcmp(response->import->device->name, "Fake alpha") == 0;
}

static Predictd__Response *calibrate(struct subject *subject, int fd)
{
	(void)subject;
	fixture_send_calibrate(fd, 20, "0");
	for (;;) {
		Predictd__Response *response = fixture_receive(fd);
		if (response == NULL || response->body_case != PREDICTD__RESPONSE__BODY_CALIBRATE ||
		    response->calibrate->device != NULL)
			return response;
		predictd__response__free_unpacked(response, NULL);
	}
}

static bool is_calibration(const struct subject *subject, const Predictd__Response *response,
                           bool has_failed)
{
	(void)subject;
	if (response->body_case == PREDICTD__RESPONSE__BODY_ERROR)
		return has_failed && response->error->status == STATUS_DEVICE &&
		       response->error->text[0] != '\0';
	return response->body_case == PREDICTD__RESPONSE__BODY_CALIBRATE &&
	       response->calibrate->device->is_calibrated;
}

static Predictd__Response *watch(struct subject *subject, int fd)
{
	Predictd__WatchEpochs body = PREDICTD__WATCH_EPOCHS__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	(void)subject;
	request.id = 13;
	request.body_case = PREDICTD__REQUEST__BODY_WATCH_EPOCHS;
	request.watch_epochs = &body;
	return fixture_ask(fd, &request);
}

static bool is_watch(const struct subject *subject, const Predictd__Response *response,
                     bool has_failed)
{
	(void)subject;
	(void)has_failed;
	return response->body_case == PREDICTD__RESPONSE__BODY_WATCH_EPOCHS;
}

/* ---- tests --------------------------------------------------------------------------------- */

static void start(struct subject *subject, struct fixture *fixture, const char *config)
{
	*subject = (struct subject){.fixture = fixture};
	fixture_start(fixture, "well", config);
	int fd = fixture_connect(fixture, true);
	Predictd__Response *response = fixture_calibrate(fd, "0");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_CALIBRATE);
	predictd__response__free_unpacked(response, NULL);
	response = fixture_register(fd, "kernels a b");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM);
	subject->handle = response->register_program->handle;
	predictd__response__free_unpacked(response, NULL);
	response = ask_prediction(subject, fd);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_PREDICT);
	subject->static_s = response->predict->prediction->kernel_time_s;
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

/* A socket that nobody listens on, as a daemon leaves that was killed. */
static void leave_socket(const struct fixture *fixture)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	strcpy(address.sun_path, fixture->socket);
	(void)unlink(fixture->socket);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	close(fd);
}

/* Registers on connections of which some may fail. */
static bool serves(struct subject *subject, asking *register_program)
{
	bool is_well = false;
	for (int i = 0; i < ATTEMPTS && !is_well; i++) {
		int fd = fixture_connect(subject->fixture, false);
		Predictd__Response *response = greet(fd);
		if (response != NULL && is_greeting(subject, response, true)) {
			predictd__response__free_unpacked(response, NULL);
			response = register_program(subject, fd);
		}
		is_well = response != NULL && is_program(subject, response, true);
		if (response != NULL)
			predictd__response__free_unpacked(response, NULL);
		close(fd);
		if (!is_well)
			usleep(ATTEMPT_US);
	}
	return is_well;
}

/* Once it is asked to read its configuration again, it also opens a store that it could not. */
static bool keeps_again(struct subject *subject)
{
	assert_int_equal(kill(subject->fixture->pid, SIGHUP), 0);
	for (int i = 0; i < ATTEMPTS; i++) {
		int fd = fixture_connect(subject->fixture, true);
		Predictd__Response *response = ask_status(subject, fd);
		assert_non_null(response);
		bool is_well = response->status->store_problem[0] == '\0';
		predictd__response__free_unpacked(response, NULL);
		close(fd);
		if (is_well)
			return true;
		usleep(ATTEMPT_US);
	}
	return false;
}

static void a_daemon_refuses_to_start_or_serves_whatever_call_fails(void **state)
{
	struct subject subject;
	unsigned refused[FAILING_COUNT] = {0}, served[FAILING_COUNT] = {0};
	start(&subject, *state, "");
	assert_int_equal(fixture_stop(*state, SIGTERM), 0);
	for (int kind = 0; kind < FAILING_COUNT; kind++) {
		unsigned long calls = 0; /* where none fails: one that fails spares others */
		for (unsigned long n = 0; n <= calls && n <= CALLS_START; n++) {
			leave_socket(*state);
			failing_set((enum failing)kind, n);
			if (!fixture_try_start(*state, "well", fixture_socket_group())) {
				(void)failing_end();
				refused[kind]++;
				continue;
			}
			/* what was kept, and what the analyser is needed for */
			bool is_well = serves(&subject, register_known) &&
			               serves(&subject, register_another);
			unsigned long made = failing_end();
			calls = n == 0 ? made : calls;
			if (!is_well || !keeps_again(&subject))
				fail_msg("kind %d, call %lu: %s", kind, n, subject.last.text);
			assert_int_equal(fixture_stop(*state, SIGTERM), 0);
			served[kind]++;
		}
	}
	/* what it cannot do without, and what it can */
	assert_true(refused[FAILING_MEMORY] > 0 && served[FAILING_MEMORY] > 0);
	assert_true(refused[FAILING_LOOP] > 0 && served[FAILING_LOOP] > 0);
	assert_true(refused[FAILING_SYSTEM] > 0 && served[FAILING_SYSTEM] > 0);
	assert_true(refused[FAILING_STORE] == 0 && served[FAILING_STORE] > 0);
}

static void sessions_outlive_each_call_that_fails(void **state)
{
	struct subject subject;
	start(&subject, *state, "");
	sweep(&subject, "hello", ask_anew, is_greeting);
	sweep(&subject, "status", ask_status, is_status);
	sweep(&subject, "devices", ask_devices, is_devices);
	sweep(&subject, "epochs", watch, is_watch);
}

static void registrations_outlive_each_call_that_fails(void **state)
{
	struct subject subject;
	start(&subject, *state, "programs = 100000");
	sweep(&subject, "a known program", register_known, is_program);
	sweep(&subject, "another program", register_another, is_program);
	/* the others are those of its other kernels */
	sweep_most(&subject, "a large program", register_large, is_program, CALLS_LARGE);
}

static void predictions_outlive_each_call_that_fails(void **state)
{
	struct subject subject;
	start(&subject, *state, "");
	sweep(&subject, "a prediction", ask_prediction, is_prediction);
	sweep(&subject, "a batch", ask_batch, is_batch);
	sweep(&subject, "a placement", ask_place, is_place);
}

static void predictions_in_the_background_outlive_each_call_that_fails(void **state)
{
	struct subject subject;
	start(&subject, *state, "");
	failing_make_heavy(true);
	sweep(&subject, "a prediction", ask_prediction, is_prediction);
	sweep(&subject, "a batch", ask_batch, is_batch);
	sweep(&subject, "a placement", ask_place, is_place);
	sweep(&subject, "another program", register_another, is_program);
	failing_make_heavy(false);
}

/* Without threads, or half of what they need, predictions are made on the loop. */
static void threads_that_cannot_be_had_are_done_without(void **state)
{
	enum { PARTS = 5 }; /* a mutex, two conditions, a way back, a thread */
	for (unsigned long n = 1; n <= PARTS; n++) {
		struct subject subject;
		start(&subject, *state, "");
		failing_make_heavy(true);
		int fd = fixture_connect(*state, true);
		failing_set(FAILING_LOOP, n);
		for (int i = 0; i < 2; i++) { /* it is not tried again */
			Predictd__Response *response = ask_prediction(&subject, fd);
			assert_non_null(response);
			assert_true(is_prediction(&subject, response, false));
			predictd__response__free_unpacked(response, NULL);
		}
		assert_true(failing_end() >= n);
		failing_make_heavy(false);
		close(fd);
		assert_int_equal(fixture_stop(*state, SIGTERM), 0);
	}
}

/* Sends a batch of predictions that are made in the background, and does not wait for them. */
static void send_batch(struct subject *subject, int fd)
{
	enum { COUNT = 200 };
	static struct question questions[COUNT];
	Predictd__Predict *predictions[COUNT];
	Predictd__PredictBatch batch = PREDICTD__PREDICT_BATCH__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	for (size_t i = 0; i < COUNT; i++) {
		question_init(&questions[i], subject, "a");
		predictions[i] = &questions[i].predict;
	}
	batch.predictions = predictions;
	batch.n_predictions = COUNT;
	request.id = 4;
	request.body_case = PREDICTD__REQUEST__BODY_PREDICT_BATCH;
	request.predict_batch = &batch;
	fixture_send(fd, &request);
}

static void clients_that_leave_in_the_midst_of_predictions_harm_nothing(void **state)
{
	struct fixture *fixture = *state;
	struct subject subject;
	enum { CLIENTS = 6 };
	int fds[CLIENTS];
	start(&subject, fixture, "");
	failing_make_heavy(true);
	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < CLIENTS; i++) {
			fds[i] = fixture_connect(fixture, true);
			send_batch(&subject, fds[i]);
		}
		if (round ==
		    3) /* and once the daemon ends itself, at once since it is told twice */
			assert_int_equal(kill(fixture->pid, SIGTERM), 0);
		for (int i = 0; i < CLIENTS && round < 3; i++)
			close(fds[i]);
		if (round < 3 && !asked_well(&subject, ask_prediction, is_prediction))
			fail_msg("after %d clients left: %s", CLIENTS, subject.last.text);
	}
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	for (int i = 0; i < CLIENTS; i++)
		close(fds[i]);
	failing_make_heavy(false);
}

static void observations_outlive_each_call_that_fails(void **state)
{
	struct subject subject;
	start(&subject, *state, "observations_per_s = 1000000");
	sweep(&subject, "a report", report, is_report);
	sweep(&subject, "history", look_back, is_history);
	sweep(&subject, "forgetting a name", forget_by_name, is_forgotten);
	sweep(&subject, "forgetting a program", forget_program, is_program_forgotten);
}

static void calibrations_outlive_each_call_that_fails(void **state)
{
	struct subject subject;
	start(&subject, *state, "");
	int fd = fixture_connect(*state, true);
	Predictd__Response *exported = export(&subject, fd);
	assert_int_equal(exported->body_case, PREDICTD__RESPONSE__BODY_EXPORT);
	subject.file = exported->export->calibration;
	close(fd);
	sweep(&subject, "export", export, is_export);
	sweep(&subject, "import", import, is_import);
	sweep(&subject, "calibrate", calibrate, is_calibration);
	predictd__response__free_unpacked(exported, NULL);
}

#define FAILURES_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
	        FAILURES_TEST(a_daemon_refuses_to_start_or_serves_whatever_call_fails),
	        FAILURES_TEST(sessions_outlive_each_call_that_fails),
	        FAILURES_TEST(registrations_outlive_each_call_that_fails),
	        FAILURES_TEST(predictions_outlive_each_call_that_fails),
	        FAILURES_TEST(predictions_in_the_background_outlive_each_call_that_fails),
	        FAILURES_TEST(threads_that_cannot_be_had_are_done_without),
	        FAILURES_TEST(clients_that_leave_in_the_midst_of_predictions_harm_nothing),
	        FAILURES_TEST(observations_outlive_each_call_that_fails),
	        FAILURES_TEST(calibrations_outlive_each_call_that_fails),
	};
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	failing_init();
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("failures", tests, NULL, NULL);
}
