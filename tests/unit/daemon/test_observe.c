/* SPDX-License-Identifier: Apache-2.0 */
/* Observations as clients report them: taken, refused, acknowledged, kept, forgotten. */
#include "tests/unit/daemon/fixture.h"

#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COUNT_MAX = 1025 };

/* Observations of a launch without arguments on 64 work-items, as fixture_predict asks about. */
struct report {
	uint64_t global[1];
	Predictd__Launch launch;
	Predictd__Observation observations[COUNT_MAX], *list[COUNT_MAX];
	Predictd__Observe observe;
	Predictd__Request request;
};

static struct report *report_new(uint64_t handle, const char *kernel, size_t count, double time_s)
{
	struct report *report = calloc(1, sizeof *report);
	assert_non_null(report);
	report->global[0] = 64;
	predictd__launch__init(&report->launch);
	report->launch.n_global_items = 1;
	report->launch.global_items = report->global;
	predictd__observe__init(&report->observe);
	predictd__request__init(&report->request);
	for (size_t i = 0; i < count; i++) {
		Predictd__Observation *one = &report->observations[i];
		predictd__observation__init(one);
		one->handle = handle;
		one->kernel = (char *)(uintptr_t)kernel;
		one->launch = &report->launch;
		one->kernel_time_s = time_s;
		report->list[i] = one;
	}
	report->observe.observations = report->list;
	report->observe.n_observations = count;
	report->observe.acknowledge = true;
	report->request.id = 30;
	report->request.body_case = PREDICTD__REQUEST__BODY_OBSERVE;
	report->request.observe = &report->observe;
	return report;
}

/* Reports and frees; the reply. */
static Predictd__Response *send_report(int fd, struct report *report)
{
	Predictd__Response *response = fixture_ask(fd, &report->request);
	assert_non_null(response);
	free(report);
	return response;
}

static uint32_t kept(Predictd__Response *response)
{
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_OBSERVE);
	assert_string_equal(response->observe->store_problem, "");
	uint32_t count = response->observe->kept;
	predictd__response__free_unpacked(response, NULL);
	return count;
}

/* A daemon with a calibrated device and a program of two kernels; its handle. */
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

static Predictd__Prediction ask(int fd, uint64_t handle, const char *kernel)
{
	Predictd__Response *response = fixture_predict(fd, handle, kernel, "0");
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_PREDICT);
	Predictd__Prediction prediction = *response->predict->prediction;
	predictd__response__free_unpacked(response, NULL);
	return prediction; /* its numbers alone are looked at */
}

static uint64_t known(int fd)
{
	Predictd__Response *response = fixture_status(fd);
	uint64_t count = response->status->observations;
	predictd__response__free_unpacked(response, NULL);
	return count;
}

static void a_repeated_question_follows_an_observation(void **state)
{
	int fd;
	uint64_t handle = start(*state, "", &fd);
	const Predictd__Prediction before = ask(fd, handle, "a");
	assert_true(ask(fd, handle, "a").kernel_time_s == before.kernel_time_s);
	assert_int_equal(before.basis, 0);
	assert_int_equal(
	        kept(send_report(fd, report_new(handle, "a", 1, 3 * before.kernel_time_s))), 1);
	const Predictd__Prediction after = ask(fd, handle, "a");
	assert_true(after.kernel_time_s > 1.5 * before.kernel_time_s);
	assert_true(after.static_time_s == before.kernel_time_s);
	assert_int_equal(after.observation_count, 1);
	assert_int_equal(after.basis, 2);
	assert_true(after.epoch_slot != before.epoch_slot ||
	            after.epoch_value != before.epoch_value);
	close(fd);
}

static struct report *report_tasks(uint64_t handle, const char *kernel, size_t count,
                                   double kernel_s, double task_s)
{
	struct report *report = report_new(handle, kernel, count, kernel_s);
	for (size_t i = 0; i < count; i++)
		report->observations[i].task_time_s = task_s;
	return report;
}

static void tasks_are_observed_apart_from_kernels(void **state)
{
	int fd;
	uint64_t handle = start(*state, "", &fd);
	const Predictd__Prediction before = ask(fd, handle, "a");
	assert_close(before.task_time_s, before.kernel_time_s + before.launch_time_s, 1e-9);
	assert_true(before.task_low_s < before.low_s + before.launch_time_s);
	assert_int_equal(before.task_observation_count, 0);
	/* of the task alone: the kernel's answer is what it was, and yet is asked for anew */
	double task_s = 3 * before.task_time_s;
	assert_int_equal(kept(send_report(fd, report_tasks(handle, "a", 8, 0, task_s))), 8);
	const Predictd__Prediction task = ask(fd, handle, "a");
	assert_close(task.kernel_time_s, before.kernel_time_s, 1e-6);
	assert_close(task.low_s, before.low_s, 1e-6);
	assert_close(task.high_s, before.high_s, 1e-6);
	assert_int_equal(task.basis, before.basis);
	assert_int_equal(task.observation_count, 0);
	assert_close(task.task_time_s, task_s, 0.05);
	assert_int_equal(task.task_observation_count, 8);
	assert_true(task.epoch_slot != before.epoch_slot || task.epoch_value != before.epoch_value);
	/* of both in one: each goes where it belongs */
	double kernel_s = 2 * before.kernel_time_s;
	assert_int_equal(kept(send_report(fd, report_tasks(handle, "a", 8, kernel_s, task_s))), 8);
	const Predictd__Prediction both = ask(fd, handle, "a");
	assert_close(both.kernel_time_s, kernel_s, 0.05);
	assert_close(both.task_time_s, task_s, 0.05);
	assert_int_equal(both.observation_count, 8);
	assert_int_equal(both.task_observation_count, 16);
	assert_int_equal(known(fd), 24);
	close(fd);
}

static void a_kernels_time_improves_what_is_said_of_its_task(void **state)
{
	int fd;
	uint64_t handle = start(*state, "", &fd);
	const Predictd__Prediction before = ask(fd, handle, "a");
	double kernel_s = 5 * before.kernel_time_s;
	assert_int_equal(kept(send_report(fd, report_new(handle, "a", 8, kernel_s))), 8);
	const Predictd__Prediction after = ask(fd, handle, "a");
	assert_close(after.task_time_s, after.kernel_time_s + after.launch_time_s, 1e-6);
	assert_true(after.task_time_s > 2 * before.task_time_s);
	assert_int_equal(after.task_observation_count, 0);
	close(fd);
}

static void a_restart_keeps_tasks(void **state)
{
	int fd;
	uint64_t handle = start(*state, "", &fd);
	const Predictd__Prediction before = ask(fd, handle, "a");
	assert_int_equal(
	        kept(send_report(fd, report_tasks(handle, "a", 8, 0, 3 * before.task_time_s))), 8);
	const Predictd__Prediction told = ask(fd, handle, "a");
	close(fd);
	assert_int_equal(fixture_stop(*state, SIGTERM), 0);
	fixture_start(*state, "well", "");
	fd = fixture_connect(*state, true);
	Predictd__Response *response = fixture_register(fd, "kernels a b");
	handle = response->register_program->handle;
	predictd__response__free_unpacked(response, NULL);
	const Predictd__Prediction after = ask(fd, handle, "a");
	assert_int_equal(after.task_observation_count, 8);
	assert_close(after.task_time_s, told.task_time_s, 1e-3);
	assert_close(after.kernel_time_s, before.kernel_time_s, 1e-6);
	close(fd);
}

static void hostile_times_of_tasks_are_refused(void **state)
{
	int fd;
	uint64_t handle = start(*state, "", &fd);
	static const double wrong[] = {
	        (double)NAN, (double)INFINITY, (double)-INFINITY, -1, 1e300, 1e-300, 1e-10, 1e7};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct report *report = report_tasks(handle, "a", 2, 0, wrong[i]);
		report->observations[1].task_time_s = 0;
		report->observations[1].kernel_time_s = wrong[i];
		Predictd__Response *response = send_report(fd, report);
		assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_OBSERVE);
		assert_int_equal(response->observe->kept, 0);
		assert_int_equal(response->observe->entries[0]->error->status, STATUS_INVALID);
		assert_non_null(strstr(response->observe->entries[0]->error->text, "task time"));
		assert_non_null(strstr(response->observe->entries[1]->error->text, "kernel time"));
		predictd__response__free_unpacked(response, NULL);
	}
	/* neither is no observation */
	Predictd__Response *response = send_report(fd, report_tasks(handle, "a", 1, 0, 0));
	assert_int_equal(response->observe->entries[0]->error->status, STATUS_INVALID);
	predictd__response__free_unpacked(response, NULL);
	assert_int_equal(known(fd), 0);
	close(fd);
}

/* An answer for the launch after a pause. */
static Predictd__Prediction ask_after(int fd, uint64_t handle, double idle_s)
{
	uint64_t one = 64;
	Predictd__Launch launch = PREDICTD__LAUNCH__INIT;
	Predictd__Predict predict = PREDICTD__PREDICT__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	launch.n_global_items = 1;
	launch.global_items = &one;
	launch.idle_s = idle_s;
	predict.handle = handle;
	predict.kernel = (char *)(uintptr_t)"a";
	predict.device = (char *)(uintptr_t)"0";
	predict.launch = &launch;
	request.id = 5;
	request.body_case = PREDICTD__REQUEST__BODY_PREDICT;
	request.predict = &predict;
	Predictd__Response *response = fixture_ask(fd, &request);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_PREDICT);
	Predictd__Prediction prediction = *response->predict->prediction;
	predictd__response__free_unpacked(response, NULL);
	return prediction; /* its numbers alone are looked at */
}

static void what_is_observed_after_a_pause_is_of_another_launch(void **state)
{
	int fd;
	uint64_t handle = start(*state, "", &fd);
	const Predictd__Prediction now = ask(fd, handle, "a");
	const Predictd__Prediction then = ask_after(fd, handle, 1e-3);
	assert_close(then.kernel_time_s - now.kernel_time_s, 4e-5, 1e-6);
	assert_true(now.low_s < now.kernel_time_s && now.high_s > then.kernel_time_s);
	assert_true(log(then.high_s / then.low_s) < log(now.high_s / now.low_s));
	struct report *report = report_new(handle, "a", 8, 1.3 * then.kernel_time_s);
	report->launch.idle_s = 1.2e-3;
	assert_int_equal(kept(send_report(fd, report)), 8);
	assert_close(ask_after(fd, handle, 1e-3).kernel_time_s, 1.3 * then.kernel_time_s, 0.1);
	assert_int_equal(ask_after(fd, handle, 1e-3).basis, 2);
	/* right behind another launch it takes a fifth of that, as it did */
	const Predictd__Prediction after = ask(fd, handle, "a");
	assert_int_equal(after.basis, 1);
	assert_close(after.kernel_time_s, now.kernel_time_s, 0.35);
	assert_true(after.high_s > then.kernel_time_s);
	/* and no time of its own is one */
	report = report_new(handle, "a", 1, 1e-3);
	report->launch.idle_s = -1;
	Predictd__Response *response = send_report(fd, report);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_OBSERVE);
	assert_int_equal(response->observe->kept, 0);
	assert_non_null(strstr(response->observe->entries[0]->error->text, "idle time"));
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

static void what_is_wrong_is_refused_by_itself(void **state)
{
	int fd;
	uint64_t handle = start(*state, "", &fd);
	static const char *const why[] = {"kernel time",       "kernel time", "flags",
	                                  "measured at",       "transfer",    "handle",
	                                  "kernel \"nosuch\"", "device 99",   "global size"};
	enum { WRONG = sizeof why / sizeof why[0] };
	struct report *report = report_new(handle, "a", WRONG + 1, 1e-3);
	Predictd__Launch no_launch = PREDICTD__LAUNCH__INIT;
	report->observations[0].kernel_time_s = -1;
	report->observations[1].kernel_time_s = (double)NAN;
	report->observations[2].flags = 8;
	report->observations[3].measured_at_s = (int64_t)time(NULL) + 100000;
	report->observations[4].h2d_time_s = (double)INFINITY;
	report->observations[5].handle++;
	report->observations[6].kernel = (char *)"nosuch";
	report->observations[7].device = (char *)"99";
	report->observations[8].launch = &no_launch;
	Predictd__Response *response = send_report(fd, report);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_OBSERVE);
	const Predictd__ObserveReply *reply = response->observe;
	assert_int_equal(reply->kept, 1);
	assert_int_equal(reply->n_entries, WRONG + 1);
	for (size_t i = 0; i < WRONG; i++) {
		assert_int_equal(reply->entries[i]->result_case,
		                 PREDICTD__BATCH_ENTRY__RESULT_ERROR);
		if (strstr(reply->entries[i]->error->text, why[i]) == NULL)
			fail_msg("want \"%s\" in \"%s\"", why[i], reply->entries[i]->error->text);
	}
	assert_int_equal(reply->entries[WRONG]->result_case,
	                 PREDICTD__BATCH_ENTRY__RESULT__NOT_SET);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

static void requests_have_between_one_and_1024(void **state)
{
	int fd;
	uint64_t handle = start(*state, "", &fd);
	assert_refused(send_report(fd, report_new(handle, "a", 0, 1e-3)), STATUS_LIMIT, "got 0");
	assert_refused(send_report(fd, report_new(handle, "a", 1025, 1e-3)), STATUS_LIMIT,
	               "got 1025");
	assert_int_equal(kept(send_report(fd, report_new(handle, "a", 1024, 1e-3))), 1024);
	close(fd);
}

static void a_user_reports_so_many_a_second(void **state)
{
	int fd;
	uint64_t handle = start(*state, "observations_per_s = 4", &fd);
	Predictd__Response *response = send_report(fd, report_new(handle, "a", 100, 1e-3));
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_OBSERVE);
	assert_in_range(response->observe->kept, 4, 20);
	assert_non_null(strstr(response->observe->entries[99]->error->text, "at most 4 a second"));
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

/* Waits until the file of the store holds one. */
static void await_record(const struct fixture *fixture)
{
	char path[128];
	int count = 0;
	snprintf(path, sizeof path, "%s/predictd.db", fixture->state);
	for (int i = 0; i < 2000 && count == 0; i++) {
		sqlite3 *store;
		sqlite3_stmt *query = NULL;
		if (sqlite3_open_v2(path, &store, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
		    sqlite3_prepare_v2(store, "SELECT count(*) FROM record", -1, &query, NULL) ==
		            SQLITE_OK &&
		    sqlite3_step(query) == SQLITE_ROW)
			count = sqlite3_column_int(query, 0);
		(void)sqlite3_finalize(query);
		(void)sqlite3_close(store);
		usleep(10000);
	}
	assert_int_equal(count, 1);
}

static void without_acknowledgement_there_is_no_reply_and_it_is_kept_in_time(void **state)
{
	struct fixture *fixture = *state;
	int fd;
	uint64_t handle = start(fixture, "\n[store]\ncommit_ms = 50", &fd);
	struct report *report = report_new(handle, "a", 3, 1e-3);
	report->observe.acknowledge = false;
	fixture_send(fd, &report->request);
	free(report);
	assert_int_equal(known(fd), 3); /* the next reply is another request's */
	await_record(fixture);
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGKILL), -SIGKILL);
	fixture_start(fixture, "well", "");
	fd = fixture_connect(fixture, true);
	/* a question that waits until the store was read */
	Predictd__Response *response = fixture_predict(fd, 1, "a", "0");
	assert_refused(response, STATUS_UNREGISTERED, "handle");
	assert_int_equal(known(fd), 3);
	close(fd);
}

static void an_orderly_end_keeps_what_nobody_waited_for(void **state)
{
	struct fixture *fixture = *state;
	int fd;
	uint64_t handle = start(fixture, "\n[store]\ncommit_ms = 60000", &fd);
	struct report *report = report_new(handle, "a", 5, 1e-3);
	report->observe.acknowledge = false;
	fixture_send(fd, &report->request);
	free(report);
	assert_int_equal(known(fd), 5);
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	fixture_start(fixture, "well", "");
	fd = fixture_connect(fixture, true);
	assert_refused(fixture_predict(fd, 1, "a", "0"), STATUS_UNREGISTERED, "handle");
	assert_int_equal(known(fd), 5);
	close(fd);
}

static void clients_that_leave_before_the_acknowledgement_harm_nothing(void **state)
{
	int fd;
	uint64_t handle = start(*state, "\n[store]\ndurability = power", &fd);
	for (int i = 0; i < 20; i++) {
		int other = fixture_connect(*state, true);
		struct report *report = report_new(handle, "a", 10, 1e-3);
		fixture_send(other, &report->request);
		free(report);
		close(other);
	}
	assert_int_equal(kept(send_report(fd, report_new(handle, "b", 1, 1e-3))), 1);
	close(fd);
}

/* While another process holds the store, what was refused waits with its request, but not all. */
static void refusals_that_wait_for_the_store_are_bounded(void **state)
{
	enum { REQUESTS = 64 }; /* some 60 have room */
	struct fixture *fixture = *state;
	sqlite3 *store;
	char path[128];
	unsigned waited = 0, answered = 0;
	int fd;
	uint64_t handle = start(fixture, "", &fd);
	assert_int_equal(kept(send_report(fd, report_new(handle, "a", 1, 1e-3))), 1);
	snprintf(path, sizeof path, "%s/predictd.db", fixture->state);
	assert_int_equal(sqlite3_open(path, &store), SQLITE_OK);
	(void)sqlite3_busy_timeout(store, 10000);
	assert_int_equal(sqlite3_exec(store, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	struct report *report = report_new(handle, "a", 1024, -1);
	for (unsigned i = 0; i < REQUESTS; i++)
		fixture_send(fd, &report->request);
	free(report);
	for (unsigned i = 0; i < REQUESTS; i++) {
		Predictd__Response *response = fixture_receive(fd);
		assert_non_null(response);
		assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_OBSERVE);
		assert_int_equal(response->observe->n_entries, 1024);
		if (strstr(response->observe->store_problem, "too many refused") != NULL)
			answered++;
		else
			waited++;
		predictd__response__free_unpacked(response, NULL);
		if (answered > 0 && store != NULL) {
			(void)sqlite3_close(store); /* rolls back */
			store = NULL;
		}
	}
	assert_true(answered > 0 && waited > 0);
	(void)sqlite3_close(store);
	assert_int_equal(kept(send_report(fd, report_new(handle, "a", 1, 1e-3))), 1);
	close(fd);
}

static Predictd__Response *forget(int fd, const char *kernel, double age_s)
{
	Predictd__Forget body = PREDICTD__FORGET__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	body.kernel = (char *)(uintptr_t)kernel;
	body.age_s = age_s;
	request.id = 31;
	request.body_case = PREDICTD__REQUEST__BODY_FORGET;
	request.forget = &body;
	return fixture_ask(fd, &request);
}

static uint64_t forgotten(Predictd__Response *response)
{
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_FORGET);
	uint64_t count = response->forget->forgotten;
	predictd__response__free_unpacked(response, NULL);
	return count;
}

static void a_kernel_is_forgotten_by_name_and_others_are_not(void **state)
{
	int fd;
	uint64_t handle = start(*state, "", &fd);
	const double static_a = ask(fd, handle, "a").kernel_time_s;
	assert_int_equal(kept(send_report(fd, report_new(handle, "a", 4, 1e-3))), 4);
	assert_int_equal(kept(send_report(fd, report_new(handle, "b", 2, 1e-3))), 2);
	assert_refused(forget(fd, "nosuch", 0), STATUS_NOT_FOUND, "nosuch");
	assert_refused(forget(fd, "a", -1), STATUS_INVALID, "age");
	assert_int_equal(forgotten(forget(fd, "a", 3600)), 0);
	assert_int_equal(forgotten(forget(fd, "a", 0)), 4);
	assert_int_equal(known(fd), 2);
	assert_int_not_equal(ask(fd, handle, "a").basis, 2);
	assert_int_equal(ask(fd, handle, "b").basis, 2);
	assert_int_equal(forgotten(forget(fd, "", 0)), 2);
	assert_true(ask(fd, handle, "a").kernel_time_s == static_a);
	close(fd);
}

static void send_look_back(int fd, uint64_t id, uint64_t handle, const char *kernel)
{
	Predictd__History body = PREDICTD__HISTORY__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	body.handle = handle;
	body.kernel = (char *)(uintptr_t)kernel;
	request.id = id;
	request.body_case = PREDICTD__REQUEST__BODY_HISTORY;
	request.history = &body;
	fixture_send(fd, &request);
}

static Predictd__Response *look_back(int fd, uint64_t handle, const char *kernel)
{
	send_look_back(fd, 32, handle, kernel);
	Predictd__Response *response = fixture_receive(fd);
	assert_non_null(response);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_HISTORY);
	return response;
}

/* Asks so often, and leaves when all has been taken up. How many questions were refused. */
static unsigned ask_and_leave(struct fixture *fixture, uint64_t handle, unsigned count)
{
	Predictd__Status body = PREDICTD__STATUS__INIT;
	Predictd__Request request = PREDICTD__REQUEST__INIT;
	unsigned refused = 0;
	bool is_last = false;
	int fd = fixture_connect(fixture, true);
	for (unsigned i = 0; i < count; i++)
		send_look_back(fd, 100 + i, handle, "a");
	request.id = 7;
	request.body_case = PREDICTD__REQUEST__BODY_STATUS;
	request.status = &body;
	fixture_send(fd, &request);
	while (!is_last) {
		Predictd__Response *response = fixture_receive(fd);
		assert_non_null(response);
		is_last = response->id == request.id;
		if (is_last)
			predictd__response__free_unpacked(response, NULL);
		else
			assert_refused(response, STATUS_LIMIT, "no memory for more");
		refused += !is_last;
	}
	close(fd);
	return refused;
}

/* While another process holds the store, no question about it is answered. */
static void questions_of_clients_who_left_count_until_they_are_done(void **state)
{
	enum { QUESTIONS = 400 }; /* 1.7 KB each, and 0.7 KB when the client has left */
	struct fixture *fixture = *state;
	sqlite3 *store;
	char path[128];
	unsigned refused = 0;
	int fd;
	uint64_t handle = start(fixture, "\n[limits]\nheld_bytes_per_user = 1M", &fd);
	assert_int_equal(kept(send_report(fd, report_new(handle, "a", 1, 1e-3))), 1);
	(void)snprintf(path, sizeof path, "%s/predictd.db", fixture->state);
	assert_int_equal(sqlite3_open(path, &store), SQLITE_OK);
	assert_int_equal(sqlite3_exec(store, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	struct report *report = report_new(handle, "a", 1, 1e-3);
	fixture_send(fd, &report->request);
	free(report);
	assert_int_equal(ask_and_leave(fixture, handle, QUESTIONS), 0);
	for (unsigned round = 0; round < 4 && refused == 0; round++)
		refused = ask_and_leave(fixture, handle, QUESTIONS);
	assert_true(refused > 0);
	(void)sqlite3_close(store); /* rolls back */
	close(fd);
}

static void history_has_the_newest_first_and_what_was_predicted(void **state)
{
	int fd;
	uint64_t handle = start(*state, "", &fd);
	struct report *report = report_new(handle, "a", 3, 1e-3);
	const int64_t now_s = (int64_t)time(NULL);
	for (int i = 0; i < 3; i++)
		report->observations[i].measured_at_s = now_s - 100 + 10 * i;
	report->observations[0].kernel_time_s = 2e-3;
	assert_int_equal(kept(send_report(fd, report)), 3);
	Predictd__Response *response = look_back(fd, handle, "a");
	const Predictd__HistoryReply *reply = response->history;
	assert_int_equal(reply->total, 3);
	assert_int_equal(reply->n_entries, 3);
	assert_int_equal(reply->entries[0]->measured_at_s, now_s - 80);
	assert_int_equal(reply->entries[2]->measured_at_s, now_s - 100);
	assert_close(reply->entries[2]->observed_time_s, 2e-3, 1e-5);
	/* the first was answered statically, the last in the light of the others */
	assert_close(reply->entries[2]->predicted_time_s, reply->entries[2]->static_time_s, 1e-5);
	assert_true(reply->entries[0]->predicted_time_s > reply->entries[0]->static_time_s);
	assert_int_equal(reply->entries[0]->n_global_items, 1);
	assert_int_equal(reply->entries[0]->global_items[0], 64);
	assert_int_equal(reply->entries[0]->n_local_items, 0);
	assert_int_equal(reply->entries[0]->uid, getuid());
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

/* 30 launches each of three kernels, the last reported last. */
static void of_a_store_with_more_than_is_kept_by_now_the_newest_stay(void **state)
{
	static const char *const kernels[] = {"a", "b", "c"};
	static const uint64_t stay[] = {4, 30, 30};
	struct fixture *fixture = *state;
	int fd;
	(void)start(fixture, "", &fd);
	Predictd__Response *response = fixture_register(fd, "kernels a b c");
	uint64_t handle = response->register_program->handle;
	predictd__response__free_unpacked(response, NULL);
	int64_t at_s = (int64_t)time(NULL) - 1000;
	for (size_t i = 0; i < 90; i++) {
		struct report *report = report_new(handle, kernels[i / 30], 1, 1e-3);
		report->global[0] = 64 * (1 + i % 30);
		report->observations[0].measured_at_s = at_s++;
		assert_int_equal(kept(send_report(fd, report)), 1);
	}
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	fixture_start(fixture, "well", "\n[store]\nrecords = 64");
	fd = fixture_connect(fixture, true);
	response = fixture_register(fd, "kernels a b c");
	handle = response->register_program->handle;
	predictd__response__free_unpacked(response, NULL);
	for (size_t i = 0; i < 3; i++) {
		response = look_back(fd, handle, kernels[i]);
		assert_int_equal(response->history->total, stay[i]);
		predictd__response__free_unpacked(response, NULL);
	}
	assert_int_equal(known(fd), 64);
	assert_int_equal(forgotten(forget(fd, "", 0)), 64);
	for (size_t i = 0; i < 3; i++) {
		response = look_back(fd, handle, kernels[i]);
		assert_int_equal(response->history->total, 0);
		predictd__response__free_unpacked(response, NULL);
	}
	close(fd);
}

/* Of every kernel, `count` runs of a time, a second apart. */
static void report_all(int fd, uint64_t handle, size_t count, double time_s, int64_t *at_s)
{
	static const char *const kernels[] = {"a", "b", "c", "d", "e", "f"};
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < sizeof kernels / sizeof kernels[0]; j++) {
			struct report *report = report_new(handle, kernels[j], 1, time_s);
			report->observations[0].measured_at_s = (*at_s)++;
			assert_int_equal(kept(send_report(fd, report)), 1);
		}
}

static void status_names_a_device_whose_times_have_shifted(void **state)
{
	int fd;
	(void)start(*state, "", &fd);
	Predictd__Response *response = fixture_register(fd, "kernels a b c d e f");
	uint64_t handle = response->register_program->handle;
	int64_t at_s = (int64_t)time(NULL) - 10000;
	predictd__response__free_unpacked(response, NULL);
	report_all(fd, handle, 20, 1e-3, &at_s);
	response = fixture_status(fd);
	assert_int_equal(response->status->n_drifts, 0);
	predictd__response__free_unpacked(response, NULL);
	report_all(fd, handle, 20, 1.6e-3, &at_s);
	response = fixture_status(fd);
	assert_int_equal(response->status->n_drifts, 1);
	assert_non_null(strstr(response->status->drifts[0], "): times rose by"));
	predictd__response__free_unpacked(response, NULL);
	close(fd);
	/* also to a daemon that begins anew */
	assert_int_equal(fixture_stop(*state, SIGKILL), -SIGKILL);
	fixture_start(*state, "well", "");
	fd = fixture_connect(*state, true);
	assert_int_equal(known(fd), 240);
	response = fixture_status(fd);
	assert_int_equal(response->status->n_drifts, 1);
	assert_non_null(strstr(response->status->drifts[0], "): times rose by"));
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

static void launch_times_that_were_measured_correct_those_that_are_predicted(void **state)
{
	struct fixture *fixture = *state;
	int fd;
	uint64_t handle = start(fixture, "", &fd);
	const double static_s = ask(fd, handle, "b").launch_time_s;
	assert_true(static_s > 0);
	struct report *report = report_new(handle, "a", 8, 1e-3);
	for (size_t i = 0; i < 8; i++)
		report->observations[i].launch_time_s = 3 * static_s;
	assert_int_equal(kept(send_report(fd, report)), 8);
	assert_close(ask(fd, handle, "b").launch_time_s, 2.8 * static_s, 0.03);
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGKILL), -SIGKILL);
	fixture_start(fixture, "well", "");
	fd = fixture_connect(fixture, true);
	assert_int_equal(known(fd), 8);
	Predictd__Response *response = fixture_register(fd, "kernels a b");
	handle = response->register_program->handle;
	predictd__response__free_unpacked(response, NULL);
	assert_close(ask(fd, handle, "b").launch_time_s, 2.8 * static_s, 0.03);
	assert_int_equal(forgotten(forget(fd, "", 0)), 8);
	assert_true(ask(fd, handle, "b").launch_time_s == static_s);
	close(fd);
}

/* Kept before the store could not be used, and observed while it could not. */
static void a_store_that_opens_late_is_joined_with_what_was_observed(void **state)
{
	struct fixture *fixture = *state;
	char aside[112];
	int fd;
	uint64_t handle = start(fixture, "", &fd);
	assert_int_equal(kept(send_report(fd, report_new(handle, "a", 2, 1e-3))), 2);
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	snprintf(aside, sizeof aside, "%s.aside", fixture->state);
	assert_int_equal(rename(fixture->state, aside), 0);
	FILE *file = fopen(fixture->state, "w");
	assert_non_null(file);
	fclose(file);

	handle = start(fixture, "", &fd);
	Predictd__Response *response = send_report(fd, report_new(handle, "a", 3, 1e-3));
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_OBSERVE);
	assert_int_equal(response->observe->kept, 0);
	assert_non_null(strstr(response->observe->store_problem, fixture->state));
	predictd__response__free_unpacked(response, NULL);
	assert_int_equal(ask(fd, handle, "a").observation_count, 3);
	assert_int_equal(kill(fixture->pid, 0), 0);
	/* by a name that the store need not be asked for */
	predictd__response__free_unpacked(send_report(fd, report_new(handle, "b", 2, 1e-3)), NULL);
	assert_int_equal(ask(fd, handle, "b").observation_count, 2);
	assert_refused(forget(fd, "b", 0), STATUS_IO, "until predictd ends");
	assert_refused(forget(fd, "c", 0), STATUS_IO, "store");
	assert_int_equal(ask(fd, handle, "b").observation_count, 0);
	assert_int_equal(ask(fd, handle, "a").observation_count, 3);

	assert_int_equal(unlink(fixture->state), 0);
	assert_int_equal(rename(aside, fixture->state), 0);
	assert_int_equal(kill(fixture->pid, SIGHUP), 0);
	for (int i = 0; i < 1000 && known(fd) != 5; i++)
		usleep(10000);
	assert_int_equal(known(fd), 5);
	assert_int_equal(ask(fd, handle, "a").observation_count, 5);
	assert_int_equal(kept(send_report(fd, report_new(handle, "b", 1, 1e-3))), 1);
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGKILL), -SIGKILL);
	fixture_start(fixture, "well", "");
	fd = fixture_connect(fixture, true);
	assert_refused(fixture_predict(fd, 1, "a", "0"), STATUS_UNREGISTERED, "handle");
	assert_int_equal(known(fd), 6);
	close(fd);
}

#define OBSERVE_TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        OBSERVE_TEST(a_repeated_question_follows_an_observation),
	        OBSERVE_TEST(tasks_are_observed_apart_from_kernels),
	        OBSERVE_TEST(a_kernels_time_improves_what_is_said_of_its_task),
	        OBSERVE_TEST(a_restart_keeps_tasks),
	        OBSERVE_TEST(hostile_times_of_tasks_are_refused),
	        OBSERVE_TEST(what_is_observed_after_a_pause_is_of_another_launch),
	        OBSERVE_TEST(what_is_wrong_is_refused_by_itself),
	        OBSERVE_TEST(requests_have_between_one_and_1024),
	        OBSERVE_TEST(a_user_reports_so_many_a_second),
	        OBSERVE_TEST(without_acknowledgement_there_is_no_reply_and_it_is_kept_in_time),
	        OBSERVE_TEST(an_orderly_end_keeps_what_nobody_waited_for),
	        OBSERVE_TEST(clients_that_leave_before_the_acknowledgement_harm_nothing),
	        OBSERVE_TEST(status_names_a_device_whose_times_have_shifted),
	        OBSERVE_TEST(launch_times_that_were_measured_correct_those_that_are_predicted),
	        OBSERVE_TEST(a_store_that_opens_late_is_joined_with_what_was_observed),
	        OBSERVE_TEST(a_kernel_is_forgotten_by_name_and_others_are_not),
	        OBSERVE_TEST(refusals_that_wait_for_the_store_are_bounded),
	        OBSERVE_TEST(history_has_the_newest_first_and_what_was_predicted),
	        OBSERVE_TEST(questions_of_clients_who_left_count_until_they_are_done),
	        OBSERVE_TEST(of_a_store_with_more_than_is_kept_by_now_the_newest_stay),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("observe", tests, NULL, NULL);
}
