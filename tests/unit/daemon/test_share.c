/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process that shares with other nodes asks: each change read once, over restarts and under
 * load; what others observed, told; calibrations borrowed; and who may.
 */
#include "tests/unit/daemon/fixture.h"

#include "model/correction/correction.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, LAUNCHES = 300, PAGE = 7 };

static const char *const open_to_all = "\n[daemon]\nsocket_mode = 0666";
static const char *const nobody_shares =
        "\n[daemon]\nsocket_mode = 0666\n[share]\nuser = nobody\nrecords_max = 20";

static Predictd__Response *read_records(int fd, uint64_t after, uint32_t count_max, bool with_names)
{
	Predictd__ReadRecords read = PREDICTD__READ_RECORDS__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	read.after = after;
	read.count_max = count_max;
	read.with_names = with_names;
	request.id = 60;
	request.body_case = PREDICTD__REQUEST__BODY_READ_RECORDS;
	request.read_records = &read;
	return fixture_ask(fd, &request);
}

static Predictd__Response *read_well(int fd, uint64_t after, uint32_t count_max, bool with_names)
{
	Predictd__Response *response = read_records(fd, after, count_max, with_names);
	assert_non_null(response);
	if (response->body_case != PREDICTD__RESPONSE__BODY_READ_RECORDS)
		fail_msg("%s", response->error->text);
	return response;
}

static Predictd__Response *send_told(int fd, Predictd__SiteEstimate *estimates, size_t count)
{
	Predictd__TellSite tell = PREDICTD__TELL_SITE__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	Predictd__SiteEstimate **list = calloc(count + 1, sizeof(*list));
	assert_non_null(list);
	for (size_t i = 0; i < count; i++)
		list[i] = &estimates[i];
	tell.estimates = list;
	tell.n_estimates = count;
	request.id = 61;
	request.body_case = PREDICTD__REQUEST__BODY_TELL_SITE;
	request.tell_site = &tell;
	Predictd__Response *response = fixture_ask(fd, &request);
	free(list);
	return response;
}

/* How many were taken; `refusal`: a part of the sentence about the first of the others, or "". */
static uint32_t tell(int fd, Predictd__SiteEstimate *estimates, size_t count, const char *refusal)
{
	Predictd__Response *response = send_told(fd, estimates, count);
	assert_non_null(response);
	if (response->body_case != PREDICTD__RESPONSE__BODY_TELL_SITE)
		fail_msg("%s", response->error->text);
	if (refusal[0] == '\0')
		assert_string_equal(response->tell_site->refusal, "");
	else if (strstr(response->tell_site->refusal, refusal) == NULL)
		fail_msg("%s", response->tell_site->refusal);
	uint32_t taken = response->tell_site->taken;
	predictd__response__free_unpacked(response, NULL);
	return taken;
}

/* A daemon with a calibrated device and a program; its handle. */
static uint64_t start(struct fixture *fixture, const char *config, int *fd)
{
	fixture_start(fixture, "well", config);
	*fd = fixture_connect(fixture, true);
	Predictd__Response *response = fixture_calibrate(*fd, "0");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_CALIBRATE);
	predictd__response__free_unpacked(response, NULL);
	response = fixture_register(*fd, "kernels a b");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_REGISTER_PROGRAM);
	uint64_t handle = response->register_program->handle;
	predictd__response__free_unpacked(response, NULL);
	return handle;
}

/* Reports a run of kernel a on so many work-items, and waits until it is kept where that is asked
 * for. */
static void report(int fd, uint64_t handle, uint64_t size, double time_s, bool waits)
{
	Predictd__Launch launch = PREDICTD__LAUNCH__INIT;
	Predictd__Observation observation = PREDICTD__OBSERVATION__INIT, *list = &observation;
	Predictd__Observe observe = PREDICTD__OBSERVE__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	launch.n_global_items = 1;
	launch.global_items = &size;
	observation.handle = handle;
	observation.kernel = (char *)"a";
	observation.device = (char *)"0";
	observation.launch = &launch;
	observation.kernel_time_s = time_s;
	observe.observations = &list;
	observe.n_observations = 1;
	observe.acknowledge = waits;
	request.id = 30;
	request.body_case = PREDICTD__REQUEST__BODY_OBSERVE;
	request.observe = &observe;
	fixture_send(fd, &request);
	if (!waits)
		return;
	Predictd__Response *response = fixture_receive(fd);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_OBSERVE);
	assert_int_equal(response->observe->kept, 1);
	predictd__response__free_unpacked(response, NULL);
}

static Predictd__Prediction ask_of(int fd, uint64_t handle, const char *kernel, char note[256])
{
	Predictd__Response *response = fixture_predict(fd, handle, kernel, "0");
	if (response->body_case != PREDICTD__RESPONSE__BODY_PREDICT)
		fail_msg("%s", response->error->text);
	Predictd__Prediction prediction = *response->predict->prediction;
	if (note != NULL)
		(void)snprintf(note, 256, "%s", response->predict->prediction->note);
	predictd__response__free_unpacked(response, NULL);
	return prediction; /* its numbers alone are looked at */
}

static Predictd__Prediction ask(int fd, uint64_t handle, const char *kernel)
{
	return ask_of(fd, handle, kernel, NULL);
}

/* Answers that stand for others, too, are made anew once a second at most. */
static Predictd__Prediction ask_until(int fd, uint64_t handle, uint32_t nodes)
{
	Predictd__Prediction prediction = ask(fd, handle, "a");
	for (unsigned tries = 0; prediction.nodes != nodes && tries < 200; tries++) {
		(void)usleep(50000);
		prediction = ask(fd, handle, "a");
	}
	assert_int_equal(prediction.nodes, nodes);
	return prediction;
}

/* What other nodes would say of the launch of a record that was read. */
struct estimate {
	uint8_t state[CORRECTION_RECORD_BYTES];
	char device[128], driver[128];
	Predictd__SiteEstimate message;
};

static void estimate_from(struct estimate *estimate, const Predictd__SharedRecord *record,
                          double time_s, uint32_t nodes)
{
	struct correction_record kept = {.launch = {.key = record->launch}};
	struct error error;
	assert_int_equal(correction_decode(record->state.data, record->state.len, &kept, &error),
	                 STATUS_OK);
	kept.sample_count = nodes;
	for (uint32_t i = 0; i < nodes; i++)
		kept.samples[i] = (struct correction_sample){.time_log = (float)log(time_s),
		                                             .at_s = 1700000000};
	predictd__site_estimate__init(&estimate->message);
	(void)snprintf(estimate->device, sizeof estimate->device, "%s", record->device);
	(void)snprintf(estimate->driver, sizeof estimate->driver, "%s", record->driver);
	estimate->message.kernel = record->kernel;
	estimate->message.launch = record->launch;
	estimate->message.kind = record->kind;
	estimate->message.device = estimate->device;
	estimate->message.driver = estimate->driver;
	estimate->message.nodes = nodes;
	estimate->message.state.data = estimate->state;
	estimate->message.state.len = correction_encode(&kept, estimate->state);
}

/* Forgets all that users have observed. */
static void forget(int fd)
{
	Predictd__Forget body = PREDICTD__FORGET__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	request.id = 40;
	request.body_case = PREDICTD__REQUEST__BODY_FORGET;
	request.forget = &body;
	Predictd__Response *response = fixture_ask(fd, &request);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_FORGET);
	predictd__response__free_unpacked(response, NULL);
}

static void a_record_is_read_as_other_nodes_know_it(void **state)
{
	int fd;
	uint64_t handle = start(*state, "", &fd);
	report(fd, handle, 64, 1e-3, true);
	Predictd__Response *response = read_well(fd, 0, 10, false);
	const Predictd__ReadRecordsReply *reply = response->read_records;
	assert_int_equal(reply->store.len, 16);
	assert_int_equal(reply->n_records, 1);
	assert_int_equal(reply->last, 1);
	assert_int_equal(reply->records[0]->sequence, 1);
	assert_int_equal(reply->records[0]->uid, getuid());
	assert_int_equal(reply->records[0]->runs, 1);
	assert_memory_equal(reply->records[0]->device, "name:", 5);
	assert_string_equal(reply->records[0]->kernel_name, "");
	assert_true(reply->records[0]->driver[0] != '\0');
	predictd__response__free_unpacked(response, NULL);
	response = read_well(fd, 0, 10, true);
	assert_string_equal(response->read_records->records[0]->kernel_name, "a");
	predictd__response__free_unpacked(response, NULL);
	assert_refused(read_records(fd, 0, 0, false), STATUS_INVALID, "1 at least");
	close(fd);
}

/* Reads until there is nothing new; how often each launch of so many was told. */
static uint64_t read_all(int fd, uint64_t after, unsigned *records)
{
	for (;;) {
		Predictd__Response *response = read_well(fd, after, PAGE, false);
		const Predictd__ReadRecordsReply *reply = response->read_records;
		uint64_t last = reply->last;
		assert_true(reply->n_records <= PAGE && last >= after);
		for (size_t i = 0; i < reply->n_records; i++) {
			assert_true(reply->records[i]->sequence > after &&
			            reply->records[i]->sequence <= last);
			assert_true(i == 0 ||
			            reply->records[i]->sequence > reply->records[i - 1]->sequence);
			(*records)++;
		}
		predictd__response__free_unpacked(response, NULL);
		if (last == after)
			return last;
		after = last;
	}
}

static void pages_read_under_load_tell_each_change_once(void **state)
{
	struct fixture *fixture = *state;
	int fd;
	unsigned records = 0;
	uint64_t handle = start(fixture, "\n[store]\ncommit_ms = 1", &fd), after = 0;
	int reader = fixture_connect(fixture, true);
	/* a launch each: no record changes twice, so each is one change */
	for (uint64_t size = 1; size <= LAUNCHES; size++) {
		report(fd, handle, 64 * size, 1e-3 * (double)size, size % 50 == 0);
		if (size % 20 == 0)
			after = read_all(reader, after, &records);
	}
	after = read_all(reader, after, &records);
	/* of a kernel and user no more than those are kept; what was displaced unread is gone */
	assert_true(records >= CORRECTION_LAUNCHES && records <= LAUNCHES);
	assert_true(after >= records);
	unsigned before = records;
	report(fd, handle, 64 * LAUNCHES, 1e-3, true);
	(void)read_all(reader, after, &records);
	assert_int_equal(records, before + 1);
	close(reader);
	close(fd);
}

static void a_cursor_survives_restarts_and_what_was_forgotten(void **state)
{
	struct fixture *fixture = *state;
	int fd;
	uint8_t store[16];
	uint64_t handle = start(fixture, "", &fd);
	report(fd, handle, 64, 1e-3, true);
	report(fd, handle, 128, 2e-3, true);
	Predictd__Response *response = read_well(fd, 0, 10, false);
	uint64_t last = response->read_records->last;
	assert_int_equal(response->read_records->n_records, 2);
	memcpy(store, response->read_records->store.data, sizeof store);
	predictd__response__free_unpacked(response, NULL);
	forget(fd);
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	handle = start(fixture, "", &fd);
	response = read_well(fd, last, 10, false);
	assert_int_equal(response->read_records->n_records, 0);
	assert_int_equal(response->read_records->last, last);
	predictd__response__free_unpacked(response, NULL);
	report(fd, handle, 64, 1e-3, true);
	response = read_well(fd, last, 10, false);
	assert_int_equal(response->read_records->n_records, 1);
	assert_true(response->read_records->last > last);
	assert_memory_equal(response->read_records->store.data, store, sizeof store);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

static void what_other_nodes_observed_moves_who_has_no_runs(void **state)
{
	struct fixture *fixture = *state;
	int fd;
	struct estimate estimate;
	uint64_t handle = start(fixture, "", &fd);
	const Predictd__Prediction before = ask(fd, handle, "a");
	report(fd, handle, 64, 3 * before.kernel_time_s, true);
	Predictd__Response *response = read_well(fd, 0, 10, false);
	estimate_from(&estimate, response->read_records->records[0], 2 * before.kernel_time_s, 7);
	predictd__response__free_unpacked(response, NULL);
	/* own runs outweigh it */
	assert_int_equal(tell(fd, &estimate.message, 1, ""), 1);
	Predictd__Prediction after = ask(fd, handle, "a");
	assert_true(after.kernel_time_s > 2.3 * before.kernel_time_s);
	assert_int_equal(after.nodes, 0);
	forget(fd);
	after = ask_until(fd, handle, 7);
	assert_close(after.kernel_time_s, 2 * before.kernel_time_s, 0.01);
	assert_int_equal(after.basis, 1);
	response = fixture_status(fd);
	assert_int_equal(response->status->site_records, 1);
	assert_int_equal(response->status->observations, 0);
	predictd__response__free_unpacked(response, NULL);
	/* it is not handed out as this node's */
	response = read_well(fd, 0, 10, false);
	assert_int_equal(response->read_records->n_records, 0);
	predictd__response__free_unpacked(response, NULL);
	/* other devices and drivers are others' */
	strcpy(estimate.driver, "another");
	estimate.message.nodes = 3;
	assert_int_equal(tell(fd, &estimate.message, 1, ""), 1);
	assert_int_equal(ask(fd, handle, "a").nodes, 7);
	close(fd);
}

static void what_was_told_is_taken_back_and_gone_after_a_restart(void **state)
{
	struct fixture *fixture = *state;
	int fd;
	struct estimate estimate;
	uint64_t handle = start(fixture, "", &fd);
	report(fd, handle, 64, 1e-3, true);
	Predictd__Response *response = read_well(fd, 0, 10, false);
	estimate_from(&estimate, response->read_records->records[0], 2e-3, 3);
	predictd__response__free_unpacked(response, NULL);
	forget(fd);
	const Predictd__Prediction before = ask(fd, handle, "a");
	assert_int_equal(tell(fd, &estimate.message, 1, ""), 1);
	(void)ask_until(fd, handle, 3);
	estimate.message.nodes = 0;
	assert_int_equal(tell(fd, &estimate.message, 1, ""), 1);
	Predictd__Prediction after = ask_until(fd, handle, 0);
	assert_true(after.kernel_time_s == before.kernel_time_s);
	estimate.message.nodes = 3;
	assert_int_equal(tell(fd, &estimate.message, 1, ""), 1);
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	handle = start(fixture, "", &fd);
	assert_int_equal(ask(fd, handle, "a").nodes, 0);
	close(fd);
}

static void hostile_estimates_are_refused_one_by_one(void **state)
{
	struct fixture *fixture = *state;
	int fd;
	struct estimate good, bad[6];
	uint64_t handle = start(fixture, "", &fd);
	report(fd, handle, 64, 1e-3, true);
	Predictd__Response *response = read_well(fd, 0, 10, false);
	Predictd__SharedRecord *record = response->read_records->records[0];
	estimate_from(&good, record, 1e-3, 3);
	for (size_t i = 0; i < 6; i++)
		estimate_from(&bad[i], record, 1e-3, 3);
	predictd__response__free_unpacked(response, NULL);
	bad[0].message.kind = 7;
	assert_int_equal(tell(fd, &bad[0].message, 1, "kind"), 0);
	bad[1].message.state.len--;
	assert_int_equal(tell(fd, &bad[1].message, 1, "a record of"), 0);
	bad[2].message.state.len = 0;
	assert_int_equal(tell(fd, &bad[2].message, 1, "another version"), 0);
	bad[3].message.nodes = 2; /* fewer than medians */
	assert_int_equal(tell(fd, &bad[3].message, 1, "number of runs"), 0);
	memset(bad[4].state + 20, 0xff, 40); /* NaNs */
	assert_int_equal(tell(fd, &bad[4].message, 1, "out of range"), 0);
	bad[5].device[0] = '\0';
	assert_int_equal(tell(fd, &bad[5].message, 1, "key of a device's model"), 0);
	/* a good one among them is taken */
	Predictd__SiteEstimate mixed[3] = {bad[0].message, good.message, bad[3].message};
	assert_int_equal(tell(fd, mixed, 3, "kind"), 1);
	assert_int_equal(tell(fd, NULL, 0, ""), 0);
	close(fd);
}

static void many_estimates_stay_within_their_room(void **state)
{
	struct fixture *fixture = *state;
	int fd;
	enum { MANY = 5000 };
	struct estimate one;
	uint64_t handle = start(fixture, nobody_shares, &fd);
	report(fd, handle, 64, 1e-3, true);
	Predictd__Response *response = read_well(fd, 0, 10, false);
	estimate_from(&one, response->read_records->records[0], 1e-3, 3);
	predictd__response__free_unpacked(response, NULL);
	Predictd__SiteEstimate *estimates = calloc(MANY, sizeof *estimates);
	assert_non_null(estimates);
	for (uint64_t i = 0; i < MANY; i++) {
		estimates[i] = one.message;
		estimates[i].kernel = i;
	}
	assert_int_equal(tell(fd, estimates, MANY, ""), MANY);
	free(estimates);
	response = fixture_status(fd);
	assert_int_equal(response->status->site_records, 20);
	assert_int_equal(response->status->observations, 1);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

/* ---- who may ------------------------------------------------------------------------------- */

#define EXIT_UNLESS(condition)                                                                     \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			(void)fprintf(stderr, "# %s\n", #condition);                               \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

/* Runs `what` as another user; skipped where that cannot be. */
static void as_nobody(const struct fixture *fixture, void (*what)(int fd))
{
	if (getuid() != 0)
		skip();
	assert_int_equal(chmod(fixture->directory, 0711), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
			_exit(1);
		what(fixture_connect(fixture, true));
		_exit(0);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* A calibration of device 0, as it is exported; `file` is the caller's to free. */
static ProtobufCBinaryData export_well(int fd)
{
	Predictd__Export body = PREDICTD__EXPORT__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	ProtobufCBinaryData file;
	body.device = (char *)"0";
	request.id = 31;
	request.body_case = PREDICTD__REQUEST__BODY_EXPORT;
	request.export = &body;
	Predictd__Response *response = fixture_ask(fd, &request);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_EXPORT);
	file.len = response->export->calibration.len;
	file.data = malloc(file.len);
	assert_non_null(file.data);
	memcpy(file.data, response->export->calibration.data, file.len);
	predictd__response__free_unpacked(response, NULL);
	return file;
}

static Predictd__Response *import(int fd, ProtobufCBinaryData file, uint32_t nodes)
{
	Predictd__Import body = PREDICTD__IMPORT__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	body.calibration = file;
	body.borrowed_nodes = nodes;
	request.id = 32;
	request.body_case = PREDICTD__REQUEST__BODY_IMPORT;
	request.import = &body;
	return fixture_ask(fd, &request);
}

static ProtobufCBinaryData exported;

static void try_all(int fd)
{
	Predictd__Response *response = read_records(fd, 0, 1, false);
	EXIT_UNLESS(response->body_case == PREDICTD__RESPONSE__BODY_ERROR);
	EXIT_UNLESS(response->error->status == STATUS_DENIED);
	EXIT_UNLESS(strstr(response->error->text, "[share] user") != NULL);
	response = send_told(fd, NULL, 0);
	EXIT_UNLESS(response->body_case == PREDICTD__RESPONSE__BODY_ERROR);
	EXIT_UNLESS(response->error->status == STATUS_DENIED);
	response = import(fd, exported, 7);
	EXIT_UNLESS(response->body_case == PREDICTD__RESPONSE__BODY_ERROR);
	EXIT_UNLESS(response->error->status == STATUS_DENIED);
}

static void other_users_are_refused(void **state)
{
	int fd;
	(void)start(*state, open_to_all, &fd);
	exported = export_well(fd);
	as_nobody(*state, try_all);
	free(exported.data);
	close(fd);
}

static void use_all(int fd)
{
	Predictd__Response *response = read_records(fd, 0, 1, false);
	EXIT_UNLESS(response->body_case == PREDICTD__RESPONSE__BODY_READ_RECORDS);
	EXIT_UNLESS(response->read_records->n_records == 1);
	response = send_told(fd, NULL, 0);
	EXIT_UNLESS(response->body_case == PREDICTD__RESPONSE__BODY_TELL_SITE);
	/* of a device that was removed; but no calibration that would replace others' own */
	response = import(fd, exported, 7);
	EXIT_UNLESS(response->body_case == PREDICTD__RESPONSE__BODY_IMPORT);
	EXIT_UNLESS(response->import->device->borrowed_nodes == 7);
	response = import(fd, exported, 0);
	EXIT_UNLESS(response->body_case == PREDICTD__RESPONSE__BODY_ERROR);
	EXIT_UNLESS(response->error->status == STATUS_DENIED);
}

static void remove_calibration(int fd)
{
	Predictd__RemoveCalibration body = PREDICTD__REMOVE_CALIBRATION__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	body.device = (char *)"0";
	request.id = 33;
	request.body_case = PREDICTD__REQUEST__BODY_REMOVE_CALIBRATION;
	request.remove_calibration = &body;
	Predictd__Response *response = fixture_ask(fd, &request);
	if (response->body_case != PREDICTD__RESPONSE__BODY_REMOVE_CALIBRATION)
		fail_msg("%s", response->error->text);
	predictd__response__free_unpacked(response, NULL);
}

static void the_user_who_shares_may(void **state)
{
	int fd;
	uint64_t handle = start(*state, nobody_shares, &fd);
	report(fd, handle, 64, 1e-3, true);
	exported = export_well(fd);
	remove_calibration(fd);
	as_nobody(*state, use_all);
	free(exported.data);
	close(fd);
}

/* ---- borrowed calibrations ----------------------------------------------------------------- */

static uint32_t borrowed_of(int fd, const char *name)
{
	Predictd__Response *response = fixture_devices(fd, false);
	uint32_t nodes = UINT32_MAX;
	for (size_t i = 0; i < response->devices->n_devices; i++)
		if (strcmp(response->devices->devices[i]->name, name) == 0)
			nodes = response->devices->devices[i]->borrowed_nodes;
	predictd__response__free_unpacked(response, NULL);
	return nodes;
}

static void a_borrowed_calibration_serves_until_there_is_another(void **state)
{
	struct fixture *fixture = *state;
	int fd;
	char note[256];
	uint64_t handle = start(fixture, "", &fd);
	ProtobufCBinaryData file = export_well(fd);
	const Predictd__Prediction own = ask(fd, handle, "a");
	remove_calibration(fd);
	predictd__response__free_unpacked(import(fd, file, 7), NULL);
	assert_int_equal(borrowed_of(fd, "Fake alpha"), 7);
	Predictd__Prediction borrowed = ask_of(fd, handle, "a", note);
	assert_non_null(strstr(note, "borrowed from 7 nodes"));
	assert_true(borrowed.kernel_time_s == own.kernel_time_s);
	Predictd__Response *response = fixture_status(fd);
	assert_true(response->status->borrowed_devices >= 1);
	predictd__response__free_unpacked(response, NULL);
	/* what is exported stays borrowed */
	ProtobufCBinaryData again = export_well(fd);
	predictd__response__free_unpacked(import(fd, again, 0), NULL);
	assert_int_equal(borrowed_of(fd, "Fake alpha"), 7);
	free(again.data);
	/* over a restart */
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	fixture_start(fixture, "well", "");
	fd = fixture_connect(fixture, true);
	assert_int_equal(borrowed_of(fd, "Fake alpha"), 7);
	/* its own replaces it, and is not replaced */
	response = fixture_calibrate(fd, "0");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_CALIBRATE);
	predictd__response__free_unpacked(response, NULL);
	assert_int_equal(borrowed_of(fd, "Fake alpha"), 0);
	response = import(fd, file, 9);
	predictd__response__free_unpacked(response, NULL);
	assert_int_equal(borrowed_of(fd, "Fake alpha"), 0);
	/* and is removed as any */
	remove_calibration(fd);
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	fixture_start(fixture, "well", "");
	fd = fixture_connect(fixture, true);
	assert_int_equal(borrowed_of(fd, "Fake alpha"), 0);
	free(file.data);
	close(fd);
}

static void a_plain_import_replaces_a_borrowed_one_and_not_the_other_way_round(void **state)
{
	struct fixture *fixture = *state;
	int fd;
	(void)start(fixture, "", &fd);
	ProtobufCBinaryData file = export_well(fd);
	remove_calibration(fd);
	predictd__response__free_unpacked(import(fd, file, 7), NULL);
	assert_int_equal(borrowed_of(fd, "Fake alpha"), 7);
	predictd__response__free_unpacked(import(fd, file, 0), NULL);
	assert_int_equal(borrowed_of(fd, "Fake alpha"), 0);
	assert_refused(import(fd, file, 7), STATUS_INVALID, "calibration of its own");
	assert_int_equal(borrowed_of(fd, "Fake alpha"), 0);
	free(file.data);
	close(fd);
}

#define SHARE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        SHARE_TEST(a_record_is_read_as_other_nodes_know_it),
	        SHARE_TEST(pages_read_under_load_tell_each_change_once),
	        SHARE_TEST(a_cursor_survives_restarts_and_what_was_forgotten),
	        SHARE_TEST(what_other_nodes_observed_moves_who_has_no_runs),
	        SHARE_TEST(what_was_told_is_taken_back_and_gone_after_a_restart),
	        SHARE_TEST(hostile_estimates_are_refused_one_by_one),
	        SHARE_TEST(many_estimates_stay_within_their_room),
	        SHARE_TEST(other_users_are_refused),
	        SHARE_TEST(the_user_who_shares_may),
	        SHARE_TEST(a_borrowed_calibration_serves_until_there_is_another),
	        SHARE_TEST(a_plain_import_replaces_a_borrowed_one_and_not_the_other_way_round),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
