/* SPDX-License-Identifier: Apache-2.0 */
/* Answers kept in the caller's process: asked once, and again as soon as they do not stand. */
#include "tests/unit/client/client_fixture.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static predictd_estimate ask(const predictd_question *question)
{
	predictd_estimate estimate;
	assert_ok(predictd_predict_into(connection, question, &estimate));
	return estimate;
}

static predictd_question with_arguments(const predictd_argument *arguments, size_t count)
{
	predictd_question question = question_of(64);
	question.arguments = arguments;
	question.argument_count = count;
	return question;
}

static void a_repeated_question_is_not_asked_again(void **state)
{
	(void)state;
	predictd_question question = question_of(1000);
	predictd_estimate first = ask(&question), second = ask(&question);
	assert_int_equal(fake.singles, 1);
	assert_int_equal(fake.watches, 1);
	assert_close(first.kernel_time_s, 1e-6, 1e-12);
	assert_close(second.low_s, 5e-7, 1e-12);
	assert_close(second.high_s, 2e-6, 1e-12);
	assert_int_equal(second.local[0], 64);
	assert_int_equal(second.local[1], 1);
	assert_true(first.is_fresh && second.is_fresh);
	assert_int_equal(second.status, PREDICTD_OK);
}

static void whatever_the_answer_depends_on_is_asked_for_itself(void **state)
{
	(void)state;
	predictd_argument buffer = {.kind = PREDICTD_BUFFER, .access = 1, .size_bytes = 4096};
	predictd_argument larger = buffer, written = buffer, ranged = buffer, low = buffer;
	predictd_argument scalar = {
	        .kind = PREDICTD_SCALAR, .type = "int4", .integers = {1, 2, 3, 4}};
	predictd_argument other = scalar, type = scalar, real = scalar, beyond = scalar;
	predictd_argument image = {.kind = PREDICTD_IMAGE, .width = 5, .height = 6};
	predictd_argument turned = {.kind = PREDICTD_IMAGE, .width = 6, .height = 5};
	predictd_argument deep = image, wide = image;
	predictd_argument nearest = {.kind = PREDICTD_SAMPLER, .type = "nearest"};
	predictd_argument linear = {.kind = PREDICTD_SAMPLER, .type = "linear"};
	deep.depth = 2;
	wide.type = "rgba32f";
	larger.size_bytes = 8192;
	written.access = 2;
	ranged.has_range = low.has_range = true;
	low.low = -1;
	other.integers[3] = 5;
	beyond.integers[4] = 9; /* of no lane that an int4 has */
	type.type = "uint4";
	real = (predictd_argument){.kind = PREDICTD_SCALAR, .type = "float", .reals = {1}};
	predictd_hint hints[] = {{.line = 3, .value = 4}, {.line = 3, .value = 5}};
	predictd_question questions[32];
	size_t count = 0;
	const predictd_argument *each[] = {&buffer, &larger, &written, &ranged,  &low,
	                                   &scalar, &other,  &type,    &real,    &image,
	                                   &turned, &deep,   &wide,    &nearest, &linear};
	for (size_t i = 0; i < sizeof each / sizeof each[0]; i++)
		questions[count++] = with_arguments(each[i], 1);
	predictd_question *next = &questions[count];
	for (size_t i = 0; i < 12; i++)
		questions[count++] = question_of(64);
	next[1].local[0] = 32;
	next[2].offset[0] = 1;
	next[3].dimensions = 2;
	next[4].model = PREDICTD_PATTERN;
	next[5].with_transfers = true;
	next[6].device = "1";
	next[7].kernel = "k";
	next[8].hint_count = next[9].hint_count = 1;
	next[8].hints = &hints[0];
	next[9].hints = &hints[1];
	next[10].with_transfers = next[10].pinned_transfers = true;
	next[11].idle_s = 1e-3;
	for (unsigned round = 0; round < 2; round++)
		for (size_t i = 0; i < count; i++)
			(void)ask(&questions[i]);
	assert_int_equal(fake.singles, count);
	/* and what it does not depend on is the same question */
	predictd_question same = with_arguments(&beyond, 1);
	(void)ask(&same);
	same = question_of(64);
	same.global[1] = 77; /* beyond its dimensions */
	same.kernel = "";
	same.explain = true;
	(void)ask(&same);
	assert_int_equal(fake.singles, count);
}

/* The fake daemon knows of no tasks, as an older one. */
static void of_an_older_daemon_a_task_is_launch_and_kernel(void **state)
{
	(void)state;
	predictd_question question = question_of(1000);
	for (unsigned i = 0; i < 2; i++) {
		predictd_estimate got = ask(&question);
		assert_close(got.task_time_s, got.kernel_time_s + got.launch_time_s, 1e-12);
		assert_true(got.task_low_s < got.task_time_s && got.task_time_s < got.task_high_s);
	}
	assert_int_equal(fake.singles, 1);
	predictd_prediction *shown = NULL;
	assert_ok(predictd_predict(connection, &question, &shown));
	assert_close(shown->task_time_s, shown->kernel_time_s + shown->launch_time_s, 1e-12);
	predictd_predictions_free(shown, 1);
}

static void kernels_without_source_are_asked_about_by_name(void **state)
{
	(void)state;
	predictd_program *named[2];
	const predictd_kernel *kernels;
	unsigned registrations = fake.registrations;
	char long_name[257];
	assert_ok(predictd_register_without_source(connection, "k", &named[0]));
	assert_ok(predictd_register_without_source(connection, "absent", &named[1]));
	assert_int_equal(predictd_program_kernels(named[1], &kernels), 1);
	assert_string_equal(kernels[0].name, "absent");
	assert_string_equal(predictd_program_undefined(named[0]), "");
	predictd_question question = question_of(1000);
	predictd_estimate estimate;
	for (unsigned i = 0; i < 3; i++) {
		question.program = named[0];
		assert_close(ask(&question).kernel_time_s, 1e-6, 1e-12);
		question.program = named[1];
		assert_int_equal(predictd_predict_into(connection, &question, &estimate),
		                 PREDICTD_NOT_FOUND);
	}
	/* the daemon that comes back knows it as before */
	fake_daemon_halt(&fake);
	fake_daemon_restart(&fake);
	question.program = named[0];
	assert_close(ask(&question).kernel_time_s, 1e-6, 1e-12);
	assert_int_equal(fake.registrations, registrations);
	memset(long_name, 'x', sizeof long_name - 1);
	long_name[256] = '\0';
	static const char *const wrong[] = {"", "a\nb", "\xff"};
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(predictd_register_without_source(connection, wrong[i], &named[1]),
		                 PREDICTD_INVALID);
	assert_int_equal(predictd_register_without_source(connection, long_name, &named[1]),
	                 PREDICTD_INVALID);
	predictd_program_free(named[0]);
	predictd_program_free(named[1]);
}

static void questions_of_thousands_of_arguments_are_told_apart(void **state)
{
	(void)state;
	enum { COUNT = 1000 };
	static predictd_argument arguments[COUNT];
	for (size_t i = 0; i < COUNT; i++)
		arguments[i] = (predictd_argument){.kind = PREDICTD_BUFFER, .size_bytes = i};
	predictd_question question = with_arguments(arguments, COUNT);
	(void)ask(&question);
	(void)ask(&question);
	assert_int_equal(fake.singles, 1);
	arguments[0].size_bytes = 1;
	(void)ask(&question);
	arguments[COUNT - 1].size_bytes = 1;
	(void)ask(&question);
	assert_int_equal(fake.singles, 3);
}

static void a_program_in_the_place_of_another_is_another(void **state)
{
	(void)state;
	for (unsigned i = 1; i <= 4; i++) {
		predictd_question question = question_of(5);
		(void)ask(&question);
		assert_int_equal(fake.singles, i);
		predictd_program_free(program);
		assert_ok(predictd_register(connection, &source, &program));
	}
}

static void a_raised_epoch_is_seen_by_the_next_call(void **state)
{
	(void)state;
	predictd_question question = question_of(10);
	for (unsigned i = 1; i <= 3; i++) {
		fake.scale = i;
		fake_daemon_raise(&fake);
		assert_close(ask(&question).kernel_time_s, 1e-8 * i, 1e-12);
		assert_close(ask(&question).kernel_time_s, 1e-8 * i, 1e-12);
		assert_int_equal(fake.singles, i);
	}
}

static void a_daemon_that_is_gone_has_its_answers_forgotten(void **state)
{
	(void)state;
	predictd_question question = question_of(10);
	predictd_estimate estimate;
	(void)ask(&question);
	fake_daemon_halt(&fake);
	/* noticed by another thread: soon, not at once */
	for (unsigned i = 0;
	     i < 20000 && predictd_predict_into(connection, &question, &estimate) == PREDICTD_OK;
	     i++)
		(void)usleep(1000);
	assert_int_equal(predictd_predict_into(connection, &question, &estimate),
	                 PREDICTD_UNAVAILABLE);
	fake_daemon_restart(&fake);
	fake.scale = 3;
	fake.handles_from = 2;
	predictd_status status;
	unsigned attempts = 0;
	do { /* back-off */
		status = predictd_predict_into(connection, &question, &estimate);
		(void)usleep(1000);
	} while (status == PREDICTD_UNAVAILABLE && ++attempts < 20000);
	assert_ok(status);
	assert_close(estimate.kernel_time_s, 3e-8, 1e-12);
	unsigned asked = fake.singles;
	assert_close(ask(&question).kernel_time_s, 3e-8, 1e-12);
	assert_int_equal(fake.singles, asked);
}

static void a_failure_that_may_pass_is_not_kept(void **state)
{
	(void)state;
	predictd_question question = question_of(10);
	predictd_estimate estimate = {.kernel_time_s = 7};
	question.device = "raw";
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(predictd_predict_into(connection, &question, &estimate),
		                 PREDICTD_UNCALIBRATED);
		assert_string_equal(predictd_error_text(), "raw is not calibrated");
	}
	assert_close(estimate.kernel_time_s, 7, 0); /* unchanged on error */
	assert_int_equal(fake.singles, 2);
	question = question_of(10);
	question.dimensions = 0;
	assert_int_equal(predictd_predict_into(connection, &question, &estimate), PREDICTD_INVALID);
	question.program = NULL;
	assert_int_equal(predictd_predict_into(connection, &question, &estimate), PREDICTD_INVALID);
	assert_int_equal(fake.singles, 2);
}

static void without_epochs_every_question_is_asked(void **state)
{
	(void)state;
	predictd_question question = question_of(10);
	fake.has_no_epochs = true;
	(void)ask(&question);
	(void)ask(&question);
	assert_int_equal(fake.singles, 2);
	assert_int_equal(fake.watches, 0);
}

static void memory_that_could_shrink_is_not_read(void **state)
{
	(void)state;
	predictd_question question = question_of(10);
	fake.shrinks_epochs = true;
	(void)ask(&question);
	(void)ask(&question);
	assert_int_equal(fake.watches, 1);
	assert_int_equal(fake.singles, 2);
}

static void a_full_memo_forgets_and_stays_right(void **state)
{
	(void)state;
	predictd_close(connection);
	connection = NULL;
	predictd_program_free(program);
	const predictd_options options = {
	        .size = sizeof options, .socket_path = fake.path, .memo_bytes = 4096};
	assert_ok(predictd_open_with(&options, &connection));
	assert_ok(predictd_register(connection, &source, &program));
	for (unsigned round = 0; round < 2; round++) {
		for (uint64_t i = 1; i <= 300; i++) {
			predictd_question question = question_of(i);
			assert_close(ask(&question).kernel_time_s, 1e-9 * (double)i, 1e-12);
		}
	}
	assert_true(fake.singles > 300);
}

static void prepared_questions_are_not_asked_again(void **state)
{
	(void)state;
	enum { COUNT = 20 };
	predictd_question questions[COUNT];
	predictd_status statuses[COUNT];
	for (uint64_t i = 0; i < COUNT; i++)
		questions[i] = question_of(i + 1);
	questions[7].device = "raw";
	questions[9].dimensions = 9;
	assert_int_equal(predictd_prepare(connection, questions, COUNT, statuses),
	                 PREDICTD_UNCALIBRATED);
	assert_string_equal(predictd_error_text(), "raw is not calibrated");
	assert_int_equal(statuses[7], PREDICTD_UNCALIBRATED);
	assert_int_equal(statuses[9], PREDICTD_INVALID);
	assert_int_equal(fake.batches, 1);
	for (size_t i = 0; i < COUNT; i++) {
		if (i == 7 || i == 9)
			continue;
		assert_int_equal(statuses[i], PREDICTD_OK);
		assert_close(ask(&questions[i]).kernel_time_s, 1e-9 * (double)(i + 1), 1e-12);
	}
	assert_int_equal(fake.singles, 0);
	/* known ones are not asked for again, nor is nothing */
	assert_ok(predictd_prepare(connection, questions, 7, NULL));
	assert_ok(predictd_prepare(connection, NULL, 0, NULL));
	assert_int_equal(fake.batches, 1);
}

/* ---- the last value ------------------------------------------------------------------------ */

/* Asks without waiting until the answer stands. */
static predictd_estimate ask_until_fresh(const predictd_question *question)
{
	predictd_estimate estimate = {.is_fresh = false};
	for (unsigned i = 0; i < 10000 && !estimate.is_fresh; i++) {
		predictd_status status = predictd_predict_now(connection, question, &estimate);
		if (status != PREDICTD_OK)
			assert_int_equal(status, PREDICTD_BUSY);
		(void)usleep(1000);
	}
	assert_true(estimate.is_fresh);
	return estimate;
}

static void the_last_value_comes_at_once_and_a_refresh_behind_it(void **state)
{
	(void)state;
	predictd_question question = question_of(10);
	predictd_estimate estimate;
	fake.delay_ms = 30;
	assert_int_equal(predictd_predict_now(connection, &question, &estimate), PREDICTD_BUSY);
	for (unsigned i = 0; i < 5; i++) /* and is asked once */
		(void)predictd_predict_now(connection, &question, &estimate);
	assert_close(ask_until_fresh(&question).kernel_time_s, 1e-8, 1e-12);
	assert_int_equal(fake.singles, 1);
	fake.scale = 2;
	fake_daemon_raise(&fake);
	assert_ok(predictd_predict_now(connection, &question, &estimate));
	assert_false(estimate.is_fresh);
	assert_close(estimate.kernel_time_s, 1e-8, 1e-12);
	assert_close(ask_until_fresh(&question).kernel_time_s, 2e-8, 1e-12);
	assert_int_equal(fake.singles, 2);
}

static void a_question_that_fails_behind_is_told_and_not_repeated_at_once(void **state)
{
	(void)state;
	predictd_question question = question_of(10);
	predictd_estimate estimate;
	question.device = "raw";
	predictd_status status = PREDICTD_BUSY;
	for (unsigned i = 0; i < 10000 && status == PREDICTD_BUSY; i++) {
		status = predictd_predict_now(connection, &question, &estimate);
		(void)usleep(100);
	}
	assert_int_equal(status, PREDICTD_UNCALIBRATED);
	unsigned asked = fake.singles;
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(predictd_predict_now(connection, &question, &estimate),
		                 PREDICTD_UNCALIBRATED);
	assert_int_equal(fake.singles, asked);
	question.dimensions = 0;
	assert_int_equal(predictd_predict_now(connection, &question, &estimate), PREDICTD_INVALID);
	question.program = NULL;
	assert_int_equal(predictd_predict_now(connection, &question, &estimate), PREDICTD_INVALID);
}

/* The daemon was slow, once: answers are kept all the same. */
static void epochs_that_come_late_are_watched(void **state)
{
	(void)state;
	predictd_question question = question_of(10);
	predictd_estimate estimate;
	fake.holds_epochs = true;
	predictd_set_timeout(connection, 0.1);
	assert_ok(predictd_predict_into(connection, &question, &estimate));
	fake.holds_epochs = false;
	predictd_set_timeout(connection, 20);
	unsigned asked = 0;
	for (unsigned i = 0; i < 100 && asked != fake.singles; i++) {
		asked = fake.singles;
		assert_ok(predictd_predict_into(connection, &question, &estimate));
	}
	assert_int_equal(asked, fake.singles);
	assert_int_equal(fake.watches, 1);
}

/* By one call after another: asked once, whichever comes first, until an epoch is raised. */
static void a_refusal_that_stands_is_kept(void **state)
{
	(void)state;
	predictd_question question = question_of(10);
	predictd_estimate estimate = {.kernel_time_s = 7};
	question.device = "standing";
	for (unsigned round = 1; round <= 3; round++) {
		for (unsigned i = 0; i < 5; i++) {
			predictd_status status = PREDICTD_OK;
			assert_int_equal(predictd_predict_into(connection, &question, &estimate),
			                 PREDICTD_UNCALIBRATED);
			assert_string_equal(predictd_error_text(),
			                    "standing is not calibrated for 10");
			assert_int_equal(predictd_prepare(connection, &question, 1, &status),
			                 PREDICTD_UNCALIBRATED);
			assert_int_equal(status, PREDICTD_UNCALIBRATED);
			assert_int_equal(predictd_predict_now(connection, &question, &estimate),
			                 PREDICTD_UNCALIBRATED);
			assert_string_equal(predictd_error_text(),
			                    "standing is not calibrated for 10");
			struct answers answers = {0};
			assert_ok(predictd_predict_async(connection, &question, 1, keep_answers,
			                                 &answers));
			while (predictd_dispatch(connection, -1) > 0)
				;
			assert_int_equal(answers.last, PREDICTD_UNCALIBRATED);
		}
		assert_int_equal(fake.singles, round);
		fake_daemon_raise(&fake);
	}
	assert_close(estimate.kernel_time_s, 7, 0); /* unchanged on error */
}

/* Of more sentences than are kept each is the question's own, and the last ones are known. */
static void each_refusal_has_its_sentence(void **state)
{
	(void)state;
	enum { SENTENCES = 100, KNOWN = 64 };
	predictd_estimate estimate;
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 1; i <= SENTENCES; i++) {
			predictd_question question = question_of(i);
			char want[64];
			question.device = "standing";
			(void)snprintf(want, sizeof want, "standing is not calibrated for %u", i);
			assert_int_equal(predictd_predict_into(connection, &question, &estimate),
			                 PREDICTD_UNCALIBRATED);
			assert_string_equal(predictd_error_text(), want);
		}
	unsigned asked = fake.singles;
	for (unsigned i = SENTENCES - KNOWN + 1; i <= SENTENCES; i++) {
		predictd_question question = question_of(i);
		question.device = "standing";
		assert_int_equal(predictd_predict_into(connection, &question, &estimate),
		                 PREDICTD_UNCALIBRATED);
	}
	assert_int_equal(fake.singles, asked);
}

static void the_last_value_outlives_the_daemon(void **state)
{
	(void)state;
	predictd_question question = question_of(10);
	predictd_estimate estimate = ask(&question);
	fake_daemon_halt(&fake);
	for (unsigned i = 0; i < 20000 && estimate.is_fresh; i++) {
		assert_ok(predictd_predict_now(connection, &question, &estimate));
		(void)usleep(1000);
	}
	assert_false(estimate.is_fresh);
	assert_close(estimate.kernel_time_s, 1e-8, 1e-12);
	fake_daemon_restart(&fake);
}

/* ---- children ------------------------------------------------------------------------------ */

/* Runs `child` in a child of fork(); 0: it found nothing wrong. */
static int in_child(int (*child)(void))
{
	int status;
	(void)fflush(NULL);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)alarm(60);
		_exit(child());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static int use_the_connection(void)
{
	predictd_question question = question_of(10), other = question_of(20);
	predictd_prediction *prediction;
	predictd_estimate estimate;
	if (predictd_predict_into(connection, &question, &estimate) != PREDICTD_OK ||
	    fabs(estimate.kernel_time_s - 1e-8) > 1e-15)
		return 1;
	if (predictd_predict_into(connection, &question, &estimate) != PREDICTD_OK)
		return 2;
	if (predictd_predict(connection, &other, &prediction) != PREDICTD_OK ||
	    fabs(prediction->kernel_time_s - 2e-8) > 1e-15)
		return 3;
	predictd_predictions_free(prediction, 1);
	predictd_program_free(program);
	predictd_close(connection);
	return 0;
}

static void a_child_has_a_link_of_its_own_and_leaves_its_parents_alone(void **state)
{
	(void)state;
	if (CHILDREN_OF_THREADS_HANG)
		return;
	predictd_question question = question_of(10);
	(void)ask(&question);
	assert_int_equal(in_child(use_the_connection), 0);
	assert_int_equal(fake.connections, 2);
	/* the parent's memo, link and thread are what they were */
	unsigned asked = fake.singles;
	(void)ask(&question);
	assert_int_equal(fake.singles, asked);
	fake_daemon_raise(&fake);
	(void)ask(&question);
	assert_int_equal(fake.connections, 2);
}

static int do_nothing(void)
{
	return 0;
}

static void *ask_on(void *context)
{
	const atomic_bool *ends = context;
	predictd_question question = question_of(10);
	size_t wrong = 0;
	while (!*ends) {
		predictd_estimate estimate;
		fake_daemon_raise(&fake);
		wrong += predictd_predict_into(connection, &question, &estimate) != PREDICTD_OK;
	}
	return (void *)(uintptr_t)wrong;
}

static void children_come_while_other_threads_ask(void **state)
{
	(void)state;
	if (CHILDREN_OF_THREADS_HANG)
		return;
	enum { THREADS = 3, CHILDREN = 10 };
	pthread_t threads[THREADS];
	atomic_bool ends = false;
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_on, &ends), 0);
	for (size_t i = 0; i < CHILDREN; i++)
		assert_int_equal(in_child(i % 2 == 0 ? use_the_connection : do_nothing), 0);
	ends = true;
	for (size_t i = 0; i < THREADS; i++) {
		void *wrong;
		(void)pthread_join(threads[i], &wrong);
		assert_null(wrong);
	}
}

/* Each answers for a process of its own: the first question, then what an epoch tells. */
static int see_a_change(int from_parent, int to_parent)
{
	predictd_question question = question_of(10);
	predictd_connection *own = NULL;
	predictd_program *registered = NULL;
	predictd_estimate estimate;
	char byte = 0;
	if (predictd_open(fake.path, &own) != PREDICTD_OK ||
	    predictd_register(own, &source, &registered) != PREDICTD_OK)
		return 1;
	question.program = registered;
	for (unsigned i = 0; i < 3; i++) /* asked, then kept */
		if (predictd_predict_into(own, &question, &estimate) != PREDICTD_OK ||
		    fabs(estimate.kernel_time_s - 1e-8) > 1e-15)
			return 2;
	if (write(to_parent, &byte, 1) != 1 || read(from_parent, &byte, 1) != 1)
		return 3;
	if (predictd_predict_into(own, &question, &estimate) != PREDICTD_OK ||
	    fabs(estimate.kernel_time_s - 4e-8) > 1e-15)
		return 4;
	predictd_program_free(registered);
	predictd_close(own);
	return 0;
}

static void every_process_sees_a_change_with_its_next_call(void **state)
{
	(void)state;
	if (CHILDREN_OF_THREADS_HANG)
		return;
	enum { CHILDREN = 4 };
	int down[CHILDREN][2], up[CHILDREN][2], status;
	pid_t pids[CHILDREN];
	char byte;
	(void)fflush(NULL);
	for (size_t i = 0; i < CHILDREN; i++) {
		assert_int_equal(pipe(down[i]), 0);
		assert_int_equal(pipe(up[i]), 0);
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0) {
			(void)alarm(60);
			_exit(see_a_change(down[i][0], up[i][1]));
		}
	}
	for (size_t i = 0; i < CHILDREN; i++)
		assert_int_equal(read(up[i][0], &byte, 1), 1);
	fake.scale = 4;
	fake_daemon_raise(&fake);
	for (size_t i = 0; i < CHILDREN; i++)
		assert_int_equal(write(down[i][1], "", 1), 1);
	for (size_t i = 0; i < CHILDREN; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
		close(down[i][0]);
		close(down[i][1]);
		close(up[i][0]);
		close(up[i][1]);
	}
}

/* ---- threads ------------------------------------------------------------------------------- */

enum { THREADS = 8, ROUNDS = 2000 };

static void *ask_many(void *context)
{
	size_t *wrong = context;
	for (uint64_t i = 0; i < ROUNDS; i++) {
		predictd_question question = question_of(i % 50 + 1);
		predictd_estimate estimate;
		if (predictd_predict_into(connection, &question, &estimate) != PREDICTD_OK ||
		    fabs(estimate.kernel_time_s - 1e-9 * (double)(i % 50 + 1)) > 1e-15)
			++*wrong;
		if (i % 500 == 0)
			fake_daemon_raise(&fake);
	}
	return NULL;
}

static void threads_share_what_is_kept(void **state)
{
	(void)state;
	pthread_t threads[THREADS];
	size_t wrong[THREADS] = {0};
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ask_many, &wrong[i]), 0);
	for (size_t i = 0; i < THREADS; i++)
		(void)pthread_join(threads[i], NULL);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(wrong[i], 0);
	assert_int_equal(fake.connections, 1);
	assert_true(fake.singles < THREADS * ROUNDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        WITH_DAEMON(a_repeated_question_is_not_asked_again),
	        WITH_DAEMON(whatever_the_answer_depends_on_is_asked_for_itself),
	        WITH_DAEMON(questions_of_thousands_of_arguments_are_told_apart),
	        WITH_DAEMON(a_program_in_the_place_of_another_is_another),
	        WITH_DAEMON(a_raised_epoch_is_seen_by_the_next_call),
	        WITH_DAEMON(a_daemon_that_is_gone_has_its_answers_forgotten),
	        WITH_DAEMON(a_failure_that_may_pass_is_not_kept),
	        WITH_DAEMON(without_epochs_every_question_is_asked),
	        WITH_DAEMON(memory_that_could_shrink_is_not_read),
	        WITH_DAEMON(of_an_older_daemon_a_task_is_launch_and_kernel),
	        WITH_DAEMON(kernels_without_source_are_asked_about_by_name),
	        WITH_DAEMON(a_full_memo_forgets_and_stays_right),
	        WITH_DAEMON(prepared_questions_are_not_asked_again),
	        WITH_DAEMON(the_last_value_comes_at_once_and_a_refresh_behind_it),
	        WITH_DAEMON(a_question_that_fails_behind_is_told_and_not_repeated_at_once),
	        WITH_DAEMON(epochs_that_come_late_are_watched),
	        WITH_DAEMON(a_refusal_that_stands_is_kept),
	        WITH_DAEMON(each_refusal_has_its_sentence),
	        WITH_DAEMON(the_last_value_outlives_the_daemon),
	        WITH_DAEMON(a_child_has_a_link_of_its_own_and_leaves_its_parents_alone),
	        WITH_DAEMON(children_come_while_other_threads_ask),
	        WITH_DAEMON(every_process_sees_a_change_with_its_next_call),
	        WITH_DAEMON(threads_share_what_is_kept),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("estimates", tests, NULL, NULL);
}
