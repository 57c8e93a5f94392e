/* SPDX-License-Identifier: Apache-2.0 */
/* What devices do to each other: factors for work of several loads, what is kept, and plans. */
#include "tests/unit/client/client_fixture.h"

#include <math.h>
#include <string.h>

#include "client/library/contention.h"

static predictd_slowdown slowdown_of(double compute, double memory, double transfers)
{
	predictd_slowdown slowdown = {.is_known = true};
	const double own[] = {compute, memory, transfers};
	for (int i = 0; i < PREDICTD_LOADS; i++)
		for (int j = 0; j < PREDICTD_LOADS; j++)
			slowdown.factors[i][j] = i == j ? own[i] : 1;
	return slowdown;
}

/* ---- mixes --------------------------------------------------------------------------------- */

static void a_mix_divides_a_launch(void **state)
{
	(void)state;
	const predictd_estimate kernel = {
	        .launch_time_s = 1, .kernel_time_s = 4, .memory_share = 0.75};
	struct load_mix mix = load_mix_task(&kernel, 5);
	assert_close(mix.shares[PREDICTD_LOAD_COMPUTE], 0.2, 1e-12);
	assert_close(mix.shares[PREDICTD_LOAD_MEMORY], 0.3, 1e-12);
	assert_close(mix.shares[PREDICTD_LOAD_TRANSFERS], 0.5, 1e-12);
	assert_close(mix.unknown, 0, 0);
	mix = load_mix_kernel(&kernel);
	assert_close(mix.shares[PREDICTD_LOAD_MEMORY], 0.75, 1e-12);
	const predictd_estimate nothing = {.memory_share = 0.5};
	mix = load_mix_task(&nothing, 0);
	assert_close(mix.unknown, 1, 0);
}

static void a_factor_is_the_mean_over_both_mixes(void **state)
{
	(void)state;
	predictd_slowdown slowdown = slowdown_of(2, 3, 1);
	const struct load_mix compute = {.shares = {1, 0, 0}}, memory = {.shares = {0, 1, 0}},
	                      both = {.shares = {0.5, 0.5, 0}}, unknown = {.unknown = 1};
	assert_close(load_factor(&slowdown, &compute, &compute), 2, 1e-12);
	assert_close(load_factor(&slowdown, &memory, &memory), 3, 1e-12);
	assert_close(load_factor(&slowdown, &memory, &compute), 1, 1e-12);
	assert_close(load_factor(&slowdown, &both, &both), 0.25 * (2 + 3 + 1 + 1), 1e-12);
	/* the worse of compute and memory */
	assert_close(load_factor(&slowdown, &unknown, &compute), 2, 1e-12);
	assert_close(load_factor(&slowdown, &unknown, &unknown), 3, 1e-12);
	slowdown.is_known = false;
	assert_close(load_factor(&slowdown, &memory, &memory), 1, 0);
}

/* ---- asking -------------------------------------------------------------------------------- */

static const char *const two[] = {"third", "gpu"};

static void watch(void)
{
	/* epochs are watched once something was asked */
	predictd_question question = question_of(64);
	predictd_estimate estimate;
	assert_ok(predictd_predict_into(connection, &question, &estimate));
}

static void an_answer_is_kept_until_its_epoch_is_raised(void **state)
{
	(void)state;
	predictd_slowdown slowdowns[4];
	watch();
	fake.slowdown = 150;
	assert_ok(predictd_contention(connection, two, 2, slowdowns));
	assert_false(slowdowns[0].is_known || slowdowns[3].is_known);
	assert_true(slowdowns[1].is_known && slowdowns[2].is_known);
	assert_close(slowdowns[1].factors[0][2], 1.5, 1e-12);
	assert_close(slowdowns[2].factors[2][0], 1.75, 1e-12);
	assert_ok(predictd_contention(connection, two, 2, slowdowns));
	assert_int_equal(fake.contentions, 1);
	fake.slowdown = 200;
	fake_daemon_raise(&fake);
	assert_ok(predictd_contention(connection, two, 2, slowdowns));
	assert_int_equal(fake.contentions, 2);
	assert_close(slowdowns[1].factors[0][0], 2, 1e-12);
	/* another list is another question; the first is kept beside it */
	const char *const turned[] = {"gpu", "third"}, *const one[] = {"gpu"};
	assert_ok(predictd_contention(connection, turned, 2, slowdowns));
	assert_ok(predictd_contention(connection, one, 1, slowdowns));
	assert_ok(predictd_contention(connection, two, 2, slowdowns));
	assert_int_equal(fake.contentions, 4);
	assert_int_equal(predictd_contention(connection, two, 65, slowdowns), PREDICTD_LIMIT);
}

static void an_older_daemon_is_asked_once(void **state)
{
	(void)state;
	predictd_slowdown slowdowns[4];
	watch();
	fake.has_no_pairs = true;
	unsigned asked = fake.asked;
	assert_int_equal(predictd_contention(connection, two, 2, slowdowns), PREDICTD_UNSUPPORTED);
	assert_int_equal(predictd_contention(connection, two, 2, slowdowns), PREDICTD_UNSUPPORTED);
	assert_int_equal(fake.asked, asked + 1);
	assert_ok(contention_assume(connection, two, 2, slowdowns));
	assert_false(slowdowns[1].is_known);
}

/* ---- plans --------------------------------------------------------------------------------- */

static const predictd_argument arguments[] = {
        {.kind = PREDICTD_BUFFER, .access = PREDICTD_READ, .size_bytes = 1 << 22},
        {.kind = PREDICTD_BUFFER, .access = PREDICTD_WRITE, .size_bytes = 1 << 22},
        {.kind = PREDICTD_SCALAR, .type = "float", .reals = {2}}};
static const predictd_split_buffer buffers[] = {{.argument = 0}, {.argument = 1}};

static double split_s(bool *has_slowdowns)
{
	predictd_question question = question_of(1 << 20);
	question.argument_count = 3;
	question.arguments = arguments;
	question.local[0] = 64;
	const predictd_splitting splitting = {.question = &question,
	                                      .devices = two,
	                                      .device_count = 2,
	                                      .buffer_count = 2,
	                                      .buffers = buffers};
	predictd_share shares[2];
	predictd_split_answer answer;
	assert_ok(predictd_split(connection, &splitting, shares, &answer));
	assert_true(shares[0].items + shares[1].items == 1 << 20);
	*has_slowdowns = answer.has_slowdowns;
	return answer.time_s;
}

static void more_contention_never_shortens_a_split(void **state)
{
	(void)state;
	double before_s = 0;
	bool has_slowdowns;
	for (unsigned slowdown = 0; slowdown <= 400; slowdown += slowdown == 0 ? 100 : 20) {
		fake.slowdown = slowdown;
		fake_daemon_raise(&fake);
		double time_s = split_s(&has_slowdowns);
		assert_true(has_slowdowns == (slowdown > 0));
		assert_true(time_s >= before_s * (1 - 2e-3));
		before_s = time_s;
	}
	/* one device alone is not slowed down */
	assert_close(before_s, 1e-9 * (1 << 20), 1e-3);
}

static void a_split_with_contention_is_answered_from_memory(void **state)
{
	(void)state;
	bool has_slowdowns;
	fake.slowdown = 120;
	double first_s = split_s(&has_slowdowns);
	/* what came before epochs were watched is asked once more */
	unsigned asked, splits = 0;
	do {
		asked = fake.asked;
		assert_close(split_s(&has_slowdowns), first_s, 0);
	} while (fake.asked != asked && ++splits < 100);
	assert_int_equal(fake.asked, asked);
}

static double schedule_s(bool *is_known)
{
	predictd_question question = question_of(1000000);
	predictd_schedule_device devices[2] = {{.key = "first"}, {.key = "second"}};
	const predictd_schedule_options options = {
	        .size = sizeof options, .device_count = 2, .devices = devices};
	predictd_schedule_task tasks[8];
	predictd_schedule *schedule;
	predictd_plan plan;
	for (size_t i = 0; i < 8; i++)
		tasks[i] = (predictd_schedule_task){.question = &question};
	assert_ok(predictd_schedule_new(&options, &schedule));
	assert_ok(predictd_schedule_add(schedule, connection, tasks, 8, 0));
	predictd_schedule_get(schedule, &plan);
	*is_known = plan.is_contention_known;
	for (size_t i = 0; i < 8; i++)
		for (size_t j = 0; j < i; j++)
			assert_true(plan.tasks[i].device != plan.tasks[j].device ||
			            plan.tasks[i].start_s >= plan.tasks[j].end_s - 1e-12 ||
			            plan.tasks[j].start_s >= plan.tasks[i].end_s - 1e-12);
	double makespan_s = plan.makespan_s;
	predictd_schedule_free(schedule);
	return makespan_s;
}

static void more_contention_never_shortens_a_schedule(void **state)
{
	(void)state;
	double before_s = 0;
	bool is_known;
	for (unsigned slowdown = 0; slowdown <= 200; slowdown += slowdown == 0 ? 100 : 20) {
		fake.slowdown = slowdown;
		fake_daemon_raise(&fake);
		double time_s = schedule_s(&is_known);
		assert_true(is_known == (slowdown > 0));
		assert_true(time_s >= before_s * (1 - 1e-3));
		if (slowdown == 100)
			assert_close(time_s, 4 * 1e-3, 0.1);
		before_s = time_s;
	}
	/* which is greedy, and yet hardly above all of them on one device */
	assert_true(before_s <= 8.8e-3);
}

/* ---- random schedules ---------------------------------------------------------------------- */

enum { DEVICES = 3, TASKS = 60, NEEDS = 2, ROUNDS = 200 };

static uint64_t state_of_random = 1;

static double random_to(double most)
{
	state_of_random = state_of_random * 6364136223846793005u + 1442695040888963407u;
	return most * (double)(state_of_random >> 40) / (double)(1 << 24);
}

/* A random graph with buffers, placed in two additions under random slowdowns. */
static void schedule_check(predictd_method method)
{
	predictd_schedule_device devices[DEVICES] = {{.key = ""}};
	predictd_schedule_buffer data[TASKS];
	predictd_schedule_task tasks[TASKS];
	double slowdowns[DEVICES * DEVICES], times_s[TASKS][DEVICES];
	size_t needs[TASKS][NEEDS], own[TASKS], before[TASKS];
	const predictd_schedule_options options = {.size = sizeof options,
	                                           .method = method,
	                                           .device_count = DEVICES,
	                                           .devices = devices,
	                                           .slowdowns = slowdowns};
	predictd_schedule *schedule;
	predictd_plan plan;
	for (size_t i = 0; i < DEVICES; i++)
		devices[i] = (predictd_schedule_device){.upload_bytes_per_s = 1e6,
		                                        .download_bytes_per_s = 1e6,
		                                        .memory_bytes = 40 * 1000};
	for (size_t i = 0; i < (size_t)DEVICES * DEVICES; i++)
		slowdowns[i] = 1 + random_to(2);
	for (size_t i = 0; i < TASKS; i++) {
		bool has_needs = i % (TASKS / 2) > NEEDS;
		for (size_t j = 0; j < DEVICES; j++)
			times_s[i][j] = random_to(0.01);
		for (size_t j = 0; j < NEEDS; j++)
			needs[i][j] = (size_t)random_to((double)i);
		own[i] = i;
		before[i] = needs[i][0];
		data[i] = (predictd_schedule_buffer){.size_bytes = 1000, .is_on_host = true};
		tasks[i] = (predictd_schedule_task){.times_s = times_s[i],
		                                    .needs = needs[i],
		                                    .need_count = has_needs ? NEEDS : 0,
		                                    .reads = &before[i],
		                                    .read_count = has_needs ? 1 : 0,
		                                    .writes = &own[i],
		                                    .write_count = 1};
	}
	assert_ok(predictd_schedule_new(&options, &schedule));
	assert_ok(predictd_schedule_add_buffers(schedule, data, TASKS));
	assert_ok(predictd_schedule_add(schedule, NULL, tasks, TASKS / 2, 0));
	predictd_schedule_get(schedule, &plan);
	double first_s[TASKS / 2], makespan_s = 0;
	for (size_t i = 0; i < TASKS / 2; i++)
		first_s[i] = plan.tasks[i].end_s;
	assert_ok(predictd_schedule_add(schedule, NULL, tasks + TASKS / 2, TASKS / 2, 0));
	predictd_schedule_get(schedule, &plan);
	for (size_t i = 0; i < TASKS; i++) {
		const predictd_planned *one = &plan.tasks[i];
		if (i < TASKS / 2) /* what was placed before stays */
			assert_close(one->end_s, first_s[i], 0);
		makespan_s = fmax(makespan_s, one->end_s);
		assert_true(one->end_s >= one->start_s + times_s[i][one->device] * (1 - 1e-9));
		for (size_t j = 0; j < tasks[i].need_count; j++)
			assert_true(one->start_s >= plan.tasks[needs[i][j]].end_s - 1e-12);
		for (size_t j = 0; j < i; j++)
			assert_true(plan.tasks[j].device != one->device ||
			            one->start_s >= plan.tasks[j].end_s - 1e-12 ||
			            plan.tasks[j].start_s >= one->end_s - 1e-12);
	}
	/* what a copy fetches is there */
	for (size_t i = 0; i < plan.copy_count; i++) {
		const predictd_planned_copy *copy = &plan.copies[i];
		assert_true(plan.tasks[copy->task].start_s >= copy->end_s - 1e-12);
		if (copy->from != PREDICTD_HOST)
			assert_true(copy->start_s >= plan.tasks[copy->buffer].end_s - 1e-12);
	}
	assert_close(plan.makespan_s, makespan_s, 0);
	predictd_schedule_free(schedule);
}

static void schedules_with_contention_break_nothing(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++)
		schedule_check((predictd_method)(i % (PREDICTD_FASTEST + 1)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_mix_divides_a_launch),
	        cmocka_unit_test(a_factor_is_the_mean_over_both_mixes),
	        WITH_DAEMON(an_answer_is_kept_until_its_epoch_is_raised),
	        WITH_DAEMON(an_older_daemon_is_asked_once),
	        WITH_DAEMON(more_contention_never_shortens_a_split),
	        WITH_DAEMON(a_split_with_contention_is_answered_from_memory),
	        WITH_DAEMON(more_contention_never_shortens_a_schedule),
	        cmocka_unit_test(schedules_with_contention_break_nothing),
	};
	return cmocka_run_group_tests_name("contention", tests, NULL, NULL);
}
