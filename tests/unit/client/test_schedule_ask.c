/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules of tasks with questions: what is asked, kept, refused and missing. */
#include "tests/unit/client/client_fixture.h"

#include <math.h>
#include <string.h>

static predictd_schedule *schedule_new(const char *first, const char *second)
{
	predictd_schedule_device devices[2] = {{.busy_until_s = 0}, {.busy_until_s = 0}};
	const predictd_schedule_options options = {
	        .size = sizeof options, .device_count = 2, .devices = devices};
	predictd_schedule *schedule;
	strncpy(devices[0].key, first, sizeof devices[0].key - 1);
	strncpy(devices[1].key, second, sizeof devices[1].key - 1);
	assert_ok(predictd_schedule_new(&options, &schedule));
	return schedule;
}

static predictd_plan plan_of(predictd_schedule *schedule)
{
	predictd_plan plan;
	predictd_schedule_get(schedule, &plan);
	return plan;
}

static void a_device_that_refuses_a_task_does_not_have_it(void **state)
{
	(void)state;
	predictd_schedule *schedule = schedule_new("raw", "one");
	const predictd_question question = question_of(7);
	const predictd_schedule_task task = {.question = &question};
	assert_ok(predictd_schedule_add(schedule, connection, &task, 1, 0));
	predictd_plan plan = plan_of(schedule);
	assert_int_equal(plan.tasks[0].device, 1);
	assert_int_equal(plan.tasks[0].by, PREDICTD_BY_ABILITY);
	assert_int_equal(plan.tasks[0].statuses[0], PREDICTD_UNCALIBRATED);
	assert_true(isinf(plan.tasks[0].ends_s[0]));
	/* a whole task's time: launch and kernel */
	predictd_estimate estimate;
	predictd_question asked = question;
	asked.device = "one";
	assert_ok(predictd_predict_into(connection, &asked, &estimate));
	assert_true(estimate.task_time_s >= 7e-9);
	assert_close(plan.makespan_s, estimate.task_time_s, 0);
	predictd_schedule_free(schedule);
}

static void what_is_known_is_not_asked_again(void **state)
{
	(void)state;
	predictd_schedule *schedule = schedule_new("one", "two");
	predictd_question questions[20];
	predictd_schedule_task tasks[20];
	for (size_t i = 0; i < 20; i++) {
		questions[i] = question_of(1 + i);
		tasks[i] = (predictd_schedule_task){.question = &questions[i]};
	}
	unsigned before = fake.batches;
	assert_ok(predictd_schedule_add(schedule, connection, tasks, 20, 0));
	assert_int_equal(fake.batches, before + 1); /* for 20 tasks on 2 devices */
	unsigned after = fake.asked;
	assert_ok(predictd_schedule_add(schedule, connection, tasks, 20, 0));
	assert_int_equal(fake.asked, after);
	assert_int_equal(plan_of(schedule).task_count, 40);
	predictd_schedule_free(schedule);
}

static void a_task_that_no_device_can_run_is_named(void **state)
{
	(void)state;
	predictd_schedule *schedule = schedule_new("one", "two");
	predictd_question good = question_of(7), absent = question_of(7);
	absent.kernel = "absent";
	const predictd_schedule_task tasks[] = {{.question = &good},
	                                        {.name = "lost", .question = &absent}};
	assert_int_equal(predictd_schedule_add(schedule, connection, tasks, 2, 0),
	                 PREDICTD_NOT_FOUND);
	assert_non_null(strstr(predictd_error_text(), "task 1 (lost): no device can run it: "));
	assert_int_equal(plan_of(schedule).task_count, 0);
	assert_ok(predictd_schedule_add(schedule, connection, tasks, 1, 0));
	assert_int_equal(predictd_schedule_add(schedule, NULL, tasks, 1, 0), PREDICTD_INVALID);
	predictd_schedule_free(schedule);
}

static void a_daemon_that_is_away_is_no_inability(void **state)
{
	(void)state;
	predictd_schedule *schedule = schedule_new("one", "two");
	const predictd_question question = question_of(7);
	const predictd_schedule_task task = {.question = &question};
	fake_daemon_halt(&fake);
	predictd_status status = predictd_schedule_add(schedule, connection, &task, 1, 0);
	assert_true(status == PREDICTD_UNAVAILABLE || status == PREDICTD_IO);
	assert_int_equal(plan_of(schedule).task_count, 0);
	fake_daemon_restart(&fake);
	predictd_schedule_free(schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        WITH_DAEMON(a_device_that_refuses_a_task_does_not_have_it),
	        WITH_DAEMON(what_is_known_is_not_asked_again),
	        WITH_DAEMON(a_task_that_no_device_can_run_is_named),
	        WITH_DAEMON(a_daemon_that_is_away_is_no_inability),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("schedule_ask", tests, NULL, NULL);
}
