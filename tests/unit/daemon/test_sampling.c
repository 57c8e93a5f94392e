/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions that name samples: of two users, beyond quotas, over a restart, where none are
 * accepted, and from clients that send what is none.
 */
#include "tests/unit/daemon/fixture.h"

#include "proto/sample_name.h"
#include "tests/folder.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BUFFER_BYTES = 4096, NOBODY = 65534 };

static const char *const open_to_all = "\n[daemon]\nsocket_mode = 0666";

/* A sample of all of a buffer whose bytes are `byte`, and what it is asked about with. */
struct asked {
	uint8_t bytes[BUFFER_BYTES], name[SAMPLE_NAME_BYTES];
	uint64_t offset, global;
	uint32_t length;
	Predictd__Sample sample;
	Predictd__KeepSample keep;
	Predictd__Argument argument, *arguments[1];
	Predictd__Launch launch;
	Predictd__Predict predict, *predictions[2];
	Predictd__PredictBatch batch;
	Predictd__Observation observation, *observations[1];
	Predictd__Observe observe;
	Predictd__History history;
	Predictd__Forget forget;
	Predictd__Request request;
};

static struct asked asked;
static uint64_t handle;

static void ask_of(uint8_t byte)
{
	memset(&asked, 0, sizeof asked);
	predictd__sample__init(&asked.sample);
	predictd__keep_sample__init(&asked.keep);
	predictd__argument__init(&asked.argument);
	predictd__launch__init(&asked.launch);
	predictd__predict__init(&asked.predict);
	predictd__predict_batch__init(&asked.batch);
	predictd__observation__init(&asked.observation);
	predictd__observe__init(&asked.observe);
	predictd__history__init(&asked.history);
	predictd__forget__init(&asked.forget);
	predictd__request__init(&asked.request);
	memset(asked.bytes, byte, sizeof asked.bytes);
	asked.length = BUFFER_BYTES;
	asked.sample.size_bytes = BUFFER_BYTES;
	asked.sample.type = (char *)"uchar";
	asked.sample.offsets_bytes = &asked.offset;
	asked.sample.lengths_bytes = &asked.length;
	asked.sample.n_offsets_bytes = asked.sample.n_lengths_bytes = 1;
	asked.sample.bytes = (ProtobufCBinaryData){BUFFER_BYTES, asked.bytes};
	asked.keep.sample = &asked.sample;
	sample_name(&asked.sample, asked.name);
	asked.argument.size_bytes = BUFFER_BYTES;
	asked.argument.sample = (ProtobufCBinaryData){SAMPLE_NAME_BYTES, asked.name};
	asked.arguments[0] = &asked.argument;
	asked.global = 64;
	asked.launch.global_items = &asked.global;
	asked.launch.n_global_items = 1;
	asked.launch.arguments = asked.arguments;
	asked.launch.n_arguments = 1;
	asked.predict.handle = asked.observation.handle = asked.history.handle = handle;
	asked.predict.kernel = asked.observation.kernel = asked.history.kernel = (char *)"data";
	asked.predict.launch = asked.observation.launch = asked.history.launch = &asked.launch;
	asked.predictions[0] = asked.predictions[1] = &asked.predict;
	asked.batch.predictions = asked.predictions;
	asked.batch.n_predictions = 2;
	asked.observation.kernel_time_s = 1e-3;
	asked.observations[0] = &asked.observation;
	asked.observe.observations = asked.observations;
	asked.observe.n_observations = 1;
	asked.observe.acknowledge = true;
	asked.request.id = 40;
}

static Predictd__Response *send_keep(int fd)
{
	asked.request.body_case = PREDICTD__REQUEST__BODY_KEEP_SAMPLE;
	asked.request.keep_sample = &asked.keep;
	return fixture_ask(fd, &asked.request);
}

static Predictd__Response *send_predict(int fd)
{
	asked.request.body_case = PREDICTD__REQUEST__BODY_PREDICT;
	asked.request.predict = &asked.predict;
	return fixture_ask(fd, &asked.request);
}

static void keeps(int fd)
{
	Predictd__Response *response = send_keep(fd);
	assert_non_null(response);
	if (response->body_case != PREDICTD__RESPONSE__BODY_KEEP_SAMPLE)
		fail_msg("%s", response->error->text);
	assert_int_equal(response->keep_sample->name.len, SAMPLE_NAME_BYTES);
	assert_memory_equal(response->keep_sample->name.data, asked.name, SAMPLE_NAME_BYTES);
	predictd__response__free_unpacked(response, NULL);
}

static void is_answered(Predictd__Response *response, const char *note)
{
	assert_non_null(response);
	if (response->body_case != PREDICTD__RESPONSE__BODY_PREDICT)
		fail_msg("%s", response->error->text);
	if (strstr(response->predict->prediction->note, note) == NULL)
		fail_msg("want \"%s\" in \"%s\"", note, response->predict->prediction->note);
	predictd__response__free_unpacked(response, NULL);
}

static void is_unsampled(Predictd__Response *response)
{
	assert_refused(response, STATUS_UNSAMPLED, "argument 0: its sample is not kept");
}

/* A connection to a fresh daemon that knows the kernel and a device. */
static int begin(struct fixture *fixture, const char *configuration)
{
	fixture_start(fixture, "well", configuration);
	int fd = fixture_connect(fixture, true);
	fixture_calibrate_well(fd);
	handle = fixture_register_well(fd, "kernels data z");
	return fd;
}

static void a_question_names_what_was_sent_before(void **state)
{
	int fd = begin(*state, "");
	ask_of(1);
	is_unsampled(send_predict(fd));
	keeps(fd);
	is_answered(send_predict(fd), "sampled: in");
	is_answered(send_predict(fd), "sampled: in"); /* from memory */
	ask_of(2);
	is_unsampled(send_predict(fd));
	ask_of(1);
	asked.argument.sample.len = 0;
	Predictd__Response *response = send_predict(fd);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_PREDICT);
	assert_null(strstr(response->predict->prediction->note, "sampled"));
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

static void one_of_a_batch_is_told_apart(void **state)
{
	int fd = begin(*state, "");
	Predictd__Predict without;
	Predictd__Launch launch;
	Predictd__Argument argument, *arguments = &argument;
	ask_of(1);
	argument = asked.argument;
	argument.sample.len = 0;
	launch = asked.launch;
	launch.arguments = &arguments;
	without = asked.predict;
	without.launch = &launch;
	asked.predictions[1] = &without;
	asked.request.body_case = PREDICTD__REQUEST__BODY_PREDICT_BATCH;
	asked.request.predict_batch = &asked.batch;
	Predictd__Response *response = fixture_ask(fd, &asked.request);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_PREDICT_BATCH);
	Predictd__BatchEntry **entries = response->predict_batch->entries;
	assert_int_equal(entries[0]->result_case, PREDICTD__BATCH_ENTRY__RESULT_ERROR);
	assert_int_equal(entries[0]->error->status, STATUS_UNSAMPLED);
	assert_int_equal(entries[1]->result_case, PREDICTD__BATCH_ENTRY__RESULT_PREDICTION);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

/* Runs `what` as another user, over a connection of his own; skipped where that cannot be. */
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
		int fd = fixture_connect(fixture, true);
		what(fd);
		_exit(0);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#define EXIT_UNLESS(condition)                                                                     \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			(void)fprintf(stderr, "# %s\n", #condition);                               \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

static void ask_anothers(int fd)
{
	ask_of(1);
	Predictd__Response *response = send_predict(fd);
	EXIT_UNLESS(response->body_case == PREDICTD__RESPONSE__BODY_ERROR);
	EXIT_UNLESS(response->error->status == STATUS_UNSAMPLED);
	asked.request.body_case = PREDICTD__REQUEST__BODY_HISTORY;
	asked.request.history = &asked.history;
	response = fixture_ask(fd, &asked.request);
	EXIT_UNLESS(response->body_case == PREDICTD__RESPONSE__BODY_ERROR);
	EXIT_UNLESS(response->error->status == STATUS_UNSAMPLED);
	/* with the same bytes of his own he learns nothing of what was observed with the other's */
	response = send_keep(fd);
	EXIT_UNLESS(response->body_case == PREDICTD__RESPONSE__BODY_KEEP_SAMPLE);
	response = send_predict(fd);
	EXIT_UNLESS(response->body_case == PREDICTD__RESPONSE__BODY_PREDICT);
	EXIT_UNLESS(response->predict->prediction->basis != 2);
}

static void forget_own(int fd)
{
	ask_of(3);
	Predictd__Response *response = send_keep(fd);
	EXIT_UNLESS(response->body_case == PREDICTD__RESPONSE__BODY_KEEP_SAMPLE);
	asked.request.body_case = PREDICTD__REQUEST__BODY_FORGET;
	asked.request.forget = &asked.forget;
	response = fixture_ask(fd, &asked.request);
	EXIT_UNLESS(response->body_case == PREDICTD__RESPONSE__BODY_FORGET);
	response = send_predict(fd);
	EXIT_UNLESS(response->body_case == PREDICTD__RESPONSE__BODY_ERROR);
	EXIT_UNLESS(response->error->status == STATUS_UNSAMPLED);
}

static void observe(int fd)
{
	asked.request.body_case = PREDICTD__REQUEST__BODY_OBSERVE;
	asked.request.observe = &asked.observe;
	Predictd__Response *response = fixture_ask(fd, &asked.request);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_OBSERVE);
	assert_int_equal(response->observe->kept, 1);
	predictd__response__free_unpacked(response, NULL);
}

static void anothers_sample_is_as_if_it_were_not(void **state)
{
	int fd = begin(*state, open_to_all);
	ask_of(1);
	keeps(fd);
	for (int i = 0; i < 4; i++)
		observe(fd);
	as_nobody(*state, ask_anothers);
	is_answered(send_predict(fd), "sampled: in");
	close(fd);
}

static void forgetting_takes_samples_of_its_user(void **state)
{
	int fd = begin(*state, open_to_all);
	ask_of(1);
	keeps(fd);
	as_nobody(*state, forget_own);
	ask_of(1);
	is_answered(send_predict(fd), "sampled: in");
	/* of one kernel: samples are of none */
	asked.forget.handle = handle;
	asked.request.body_case = PREDICTD__REQUEST__BODY_FORGET;
	asked.request.forget = &asked.forget;
	predictd__response__free_unpacked(fixture_ask(fd, &asked.request), NULL);
	asked.launch.global_items[0] = 128; /* not from memory */
	is_answered(send_predict(fd), "sampled: in");
	asked.forget.handle = 0;
	asked.request.body_case = PREDICTD__REQUEST__BODY_FORGET;
	asked.request.forget = &asked.forget;
	predictd__response__free_unpacked(fixture_ask(fd, &asked.request), NULL);
	asked.launch.global_items[0] = 256;
	is_unsampled(send_predict(fd));
	close(fd);
}

static void other_data_is_another_launch(void **state)
{
	int fd = begin(*state, "");
	ask_of(2);
	keeps(fd);
	ask_of(1);
	keeps(fd);
	for (int i = 0; i < 4; i++)
		observe(fd);
	Predictd__Response *response = send_predict(fd);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_PREDICT);
	assert_int_equal(response->predict->prediction->basis, 2); /* observed */
	assert_close(response->predict->prediction->kernel_time_s, 1e-3, 1e-2);
	predictd__response__free_unpacked(response, NULL);
	ask_of(2);
	response = send_predict(fd);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_PREDICT);
	assert_int_not_equal(response->predict->prediction->basis, 2);
	/* the kernel's correction holds for it */
	assert_int_equal(response->predict->prediction->observation_count, 4);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

static void an_observation_is_told_that_its_sample_is_gone(void **state)
{
	int fd = begin(*state, "");
	ask_of(1);
	asked.request.body_case = PREDICTD__REQUEST__BODY_OBSERVE;
	asked.request.observe = &asked.observe;
	Predictd__Response *response = fixture_ask(fd, &asked.request);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_OBSERVE);
	assert_int_equal(response->observe->kept, 0);
	assert_int_equal(response->observe->entries[0]->error->status, STATUS_UNSAMPLED);
	predictd__response__free_unpacked(response, NULL);
	close(fd);
}

static void beyond_the_quota_the_oldest_is_asked_for_again(void **state)
{
	int fd = begin(*state, "\n[samples]\ncount_per_user = 2");
	for (uint8_t byte = 1; byte <= 3; byte++) {
		ask_of(byte);
		keeps(fd);
	}
	is_answered(send_predict(fd), "sampled: in");
	ask_of(1);
	is_unsampled(send_predict(fd));
	ask_of(2);
	is_answered(send_predict(fd), "sampled: in");
	close(fd);
}

static void a_restart_forgets_them(void **state)
{
	struct fixture *fixture = *state;
	int fd = begin(fixture, "");
	ask_of('a');
	keeps(fd);
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	assert_false(folder_has(fixture->state, 'a'));
	fixture_start(fixture, "well", "");
	fd = fixture_connect(fixture, true);
	handle = fixture_register_well(fd, "kernels data z");
	ask_of('a');
	is_unsampled(send_predict(fd));
	close(fd);
}

/* The next daemon of the same folder; it knows the kernel. */
static int begin_again(struct fixture *fixture, int how_it_ends, const char *configuration)
{
	assert_int_equal(fixture_stop(fixture, how_it_ends), 0);
	fixture_start(fixture, "well", configuration);
	int fd = fixture_connect(fixture, true);
	handle = fixture_register_well(fd, "kernels data z");
	return fd;
}

static void forgets(int fd)
{
	asked.request.body_case = PREDICTD__REQUEST__BODY_FORGET;
	asked.request.forget = &asked.forget;
	Predictd__Response *response = fixture_ask(fd, &asked.request);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_FORGET);
	predictd__response__free_unpacked(response, NULL);
}

static const char *const keeping = "\n[samples]\nkeep = yes\ncount_per_user = 3";

static void what_is_kept_outlives_a_daemon(void **state)
{
	struct fixture *fixture = *state;
	int fd = begin(fixture, keeping);
	for (uint8_t byte = 'a'; byte <= 'd'; byte++) {
		ask_of(byte);
		keeps(fd);
	}
	for (int i = 0; i < 4; i++)
		observe(fd);
	close(fd);
	fd = begin_again(fixture, SIGTERM, keeping);
	ask_of('d');
	Predictd__Response *response = send_predict(fd);
	assert_int_equal(response->body_case, PREDICTD__RESPONSE__BODY_PREDICT);
	assert_int_equal(response->predict->prediction->basis, 2); /* the same launch as before */
	predictd__response__free_unpacked(response, NULL);
	ask_of('b');
	is_answered(send_predict(fd), "sampled: in");
	ask_of('a'); /* beyond the quota, before */
	is_unsampled(send_predict(fd));
	assert_false(folder_has(fixture->state, 'a'));
	/* 'c' was used longest ago */
	ask_of('e');
	keeps(fd);
	close(fd);
	fd = begin_again(fixture, SIGTERM, "\n[samples]\nkeep = yes\ncount_per_user = 1");
	assert_false(folder_has(fixture->state, 'c'));
	/* of those, the one that came last fits the new bound */
	ask_of('e');
	is_answered(send_predict(fd), "sampled: in");
	ask_of('d');
	is_unsampled(send_predict(fd));
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	assert_true(folder_has(fixture->state, 'e'));
	assert_false(folder_has(fixture->state, 'd'));
}

static void what_is_forgotten_is_in_no_file(void **state)
{
	struct fixture *fixture = *state;
	int fd = begin(fixture, keeping);
	ask_of('a');
	keeps(fd);
	close(fd);
	fd = begin_again(fixture, SIGTERM, keeping);
	assert_true(folder_has(fixture->state, 'a'));
	ask_of('b');
	keeps(fd);
	forgets(fd);
	/* at once, and for good */
	assert_false(folder_has(fixture->state, 'a'));
	ask_of('a');
	is_unsampled(send_predict(fd));
	close(fd);
	fd = begin_again(fixture, SIGTERM, keeping);
	ask_of('a');
	is_unsampled(send_predict(fd));
	assert_false(folder_has(fixture->state, 'b'));
	close(fd);
}

/* As many as are written in several turns. */
static void many_are_kept_and_forgotten(void **state)
{
	enum { MANY = 150 };
	static const uint8_t some[] = {1, 64, 65, 128, MANY};
	static const char *const much = "\n[samples]\nkeep = yes\ncount_per_user = 200";
	struct fixture *fixture = *state;
	int fd = begin(fixture, much);
	for (uint8_t byte = 1; byte <= MANY; byte++) {
		ask_of(byte);
		keeps(fd);
	}
	asked.forget.age_s = 1e6; /* of what is older: what has changed is written before it ends */
	forgets(fd);
	for (size_t i = 0; i < sizeof some; i++)
		assert_true(folder_has(fixture->state, some[i]));
	close(fd);
	fd = begin_again(fixture, SIGTERM, much);
	for (size_t i = 0; i < sizeof some; i++) {
		ask_of(some[i]);
		is_answered(send_predict(fd), "sampled: in");
	}
	forgets(fd);
	for (size_t i = 0; i < sizeof some; i++)
		assert_false(folder_has(fixture->state, some[i]));
	close(fd);
}

static void what_cannot_be_deleted_is_said_and_deleted_later(void **state)
{
	struct fixture *fixture = *state;
	sqlite3 *database;
	char path[128];
	int fd = begin(fixture, keeping);
	ask_of('a');
	keeps(fd);
	close(fd);
	fd = begin_again(fixture, SIGTERM, keeping);
	snprintf(path, sizeof path, "%s/predictd.db", fixture->state);
	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	assert_int_equal(sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	asked.request.body_case = PREDICTD__REQUEST__BODY_FORGET;
	asked.request.forget = &asked.forget;
	assert_refused(fixture_ask(fd, &asked.request), STATUS_IO,
	               "forget: until predictd ends, and no longer");
	assert_int_equal(sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(database), SQLITE_OK);
	assert_true(folder_has(fixture->state, 'a'));
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	assert_false(folder_has(fixture->state, 'a'));
}

static void what_may_not_be_kept_any_more_is_in_no_file(void **state)
{
	struct fixture *fixture = *state;
	int fd = begin(fixture, keeping);
	ask_of('a');
	keeps(fd);
	close(fd);
	fd = begin_again(fixture, SIGTERM, "\n[samples]\nkeep = no");
	ask_of('a');
	is_unsampled(send_predict(fd));
	assert_false(folder_has(fixture->state, 'a'));
	keeps(fd);
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	assert_false(folder_has(fixture->state, 'a'));
}

static void a_sample_whose_bytes_have_changed_is_asked_for_again(void **state)
{
	struct fixture *fixture = *state;
	char path[128];
	int fd = begin(fixture, keeping);
	ask_of('a');
	keeps(fd);
	close(fd);
	assert_int_equal(fixture_stop(fixture, SIGTERM), 0);
	snprintf(path, sizeof path, "%s/predictd.db", fixture->state);
	FILE *file = fopen(path, "r+");
	assert_non_null(file);
	static char bytes[1 << 20];
	size_t size = fread(bytes, 1, sizeof bytes, file), run = 0, at = 0;
	while (at < size && run < 64)
		run = bytes[at++] == 'a' ? run + 1 : 0;
	assert_int_equal(run, 64);
	assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
	assert_int_equal(fputc('b', file), 'b');
	assert_int_equal(fclose(file), 0);
	fixture_start(fixture, "well", keeping);
	fd = fixture_connect(fixture, true);
	handle = fixture_register_well(fd, "kernels data z");
	ask_of('a');
	is_unsampled(send_predict(fd));
	keeps(fd);
	is_answered(send_predict(fd), "sampled: in");
	close(fd);
}

static void reload_with(const struct fixture *fixture, const char *configuration)
{
	char path[128];
	snprintf(path, sizeof path, "%s/conf", fixture->directory);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(configuration, file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(kill(fixture->pid, SIGHUP), 0);
}

static void a_reload_begins_and_ends_keeping(void **state)
{
	struct fixture *fixture = *state;
	int fd = begin(fixture, "");
	ask_of('a');
	keeps(fd);
	assert_false(folder_has(fixture->state, 'a'));
	reload_with(fixture, "[samples]\nkeep = yes\n");
	while (!folder_has(fixture->state, 'a'))
		usleep(20000);
	reload_with(fixture, "[samples]\nkeep = no\n");
	while (folder_has(fixture->state, 'a'))
		usleep(20000);
	is_answered(send_predict(fd), "sampled: in"); /* in memory it still is */
	close(fd);
}

static void where_none_are_accepted_questions_go_without(void **state)
{
	int fd = begin(*state, "\n[samples]\naccept = no");
	ask_of(1);
	assert_refused(send_keep(fd), STATUS_DENIED, "[samples] accept = no");
	is_answered(send_predict(fd), "samples are not accepted here");
	close(fd);
}

static void a_reload_that_accepts_none_forgets_all(void **state)
{
	struct fixture *fixture = *state;
	int fd = begin(fixture, "");
	ask_of(1);
	keeps(fd);
	is_answered(send_predict(fd), "sampled: in");
	reload_with(fixture, "[samples]\naccept = no\n");
	for (bool is_read = false; !is_read;) {
		Predictd__Response *response = send_keep(fd);
		is_read = response->body_case == PREDICTD__RESPONSE__BODY_ERROR;
		predictd__response__free_unpacked(response, NULL);
	}
	is_answered(send_predict(fd), "samples are not accepted here");
	close(fd);
}

static void hostile_samples_are_refused_and_nothing_else_suffers(void **state)
{
	int fd = begin(*state, "");
	uint64_t offsets[80];
	uint32_t lengths[80];
	for (unsigned i = 0; i < 80; i++) {
		offsets[i] = 2 * i;
		lengths[i] = 1;
	}
	ask_of(1);
	asked.offset = UINT64_C(1) << 63;
	assert_refused(send_keep(fd), STATUS_INVALID, "run 0: want it within 4096 bytes");
	ask_of(1);
	asked.offset = UINT64_MAX;
	assert_refused(send_keep(fd), STATUS_INVALID, "run 0: want it within 4096 bytes");
	ask_of(1);
	asked.length = UINT32_MAX;
	asked.sample.size_bytes = UINT64_MAX;
	assert_refused(send_keep(fd), STATUS_INVALID, "want the 4294967295 bytes of all runs");
	ask_of(1);
	asked.sample.n_lengths_bytes = 0;
	assert_refused(send_keep(fd), STATUS_INVALID, "got 1 and 0");
	ask_of(1);
	asked.sample.offsets_bytes = offsets;
	asked.sample.lengths_bytes = lengths;
	asked.sample.n_offsets_bytes = asked.sample.n_lengths_bytes = 80;
	assert_refused(send_keep(fd), STATUS_LIMIT, "want at most 64 runs, got 80");
	ask_of(1);
	asked.sample.type = (char *)"float4";
	assert_refused(send_keep(fd), STATUS_INVALID, "got \"float4\"");
	ask_of(1);
	asked.sample.type = (char *)"void";
	assert_refused(send_keep(fd), STATUS_INVALID, "got \"void\"");
	ask_of(1);
	asked.keep.sample = NULL;
	assert_refused(send_keep(fd), STATUS_INVALID, "sample: want one, got none");
	ask_of(1);
	asked.argument.sample.len = 15;
	assert_refused(send_predict(fd), STATUS_INVALID, "a sample's name of 16 bytes, got 15");
	ask_of(1);
	keeps(fd);
	asked.argument.size_bytes = 8192;
	assert_refused(send_predict(fd), STATUS_INVALID,
	               "argument 0 (in): want a sample of a buffer of 8192 bytes, got one of 4096");
	asked.argument.size_bytes = BUFFER_BYTES;
	is_answered(send_predict(fd), "sampled: in");
	close(fd);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
	        TEST(a_question_names_what_was_sent_before),
	        TEST(one_of_a_batch_is_told_apart),
	        TEST(anothers_sample_is_as_if_it_were_not),
	        TEST(forgetting_takes_samples_of_its_user),
	        TEST(other_data_is_another_launch),
	        TEST(an_observation_is_told_that_its_sample_is_gone),
	        TEST(beyond_the_quota_the_oldest_is_asked_for_again),
	        TEST(a_restart_forgets_them),
	        TEST(what_is_kept_outlives_a_daemon),
	        TEST(what_is_forgotten_is_in_no_file),
	        TEST(many_are_kept_and_forgotten),
	        TEST(what_cannot_be_deleted_is_said_and_deleted_later),
	        TEST(what_may_not_be_kept_any_more_is_in_no_file),
	        TEST(a_sample_whose_bytes_have_changed_is_asked_for_again),
	        TEST(a_reload_begins_and_ends_keeping),
	        TEST(where_none_are_accepted_questions_go_without),
	        TEST(a_reload_that_accepts_none_forgets_all),
	        TEST(hostile_samples_are_refused_and_nothing_else_suffers),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("sampling", tests, NULL, NULL);
}
