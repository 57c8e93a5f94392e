/* SPDX-License-Identifier: Apache-2.0 */
/* Stages that take all they may, or next to nothing, and what is left for others. */
#include "tests/test.h"

#include "daemon/calibrator/share.h"

enum { STAGES = 20 };

static const double planned_s = 100;

/* Of stages of growing weight, each takes so much of what it may; the least of its plan any may. */
static double least_of_plan(const double taken[STAGES], double *end_s)
{
	double all = STAGES * (STAGES + 1) / 2.0, left = all, left_s = planned_s, least = 1e9;
	for (int i = 0; i < STAGES; i++) {
		double weight = i + 1;
		double may_s = share_of_stage(weight, left, all, left_s, planned_s);
		double of_plan = may_s / (planned_s * weight / all);
		assert_true(may_s <= left_s * (1 + 1e-9));
		least = of_plan < least ? of_plan : least;
		left_s -= taken[i] * may_s;
		left -= weight;
	}
	*end_s = planned_s - left_s;
	return least;
}

static void greedy_stages_leave_half_to_each_that_follows(void **state)
{
	double taken[STAGES], end_s;
	(void)state;
	for (int i = 0; i < STAGES; i++)
		taken[i] = 1;
	assert_true(least_of_plan(taken, &end_s) >= 0.5 - 1e-9);
	assert_close(end_s, planned_s, 1e-9);
}

static void one_greedy_stage_takes_twice_its_share(void **state)
{
	(void)state;
	assert_close(share_of_stage(10, 100, 100, planned_s, planned_s), 20, 1e-9);
	/* of a heavy one the others keep their half */
	assert_close(share_of_stage(80, 100, 100, planned_s, planned_s), 90, 1e-9);
}

static void what_a_stage_does_not_take_is_for_the_others(void **state)
{
	double taken[STAGES], end_s;
	(void)state;
	for (int i = 0; i < STAGES; i++)
		taken[i] = i < STAGES / 2 ? 0.01 : 1;
	assert_true(least_of_plan(taken, &end_s) >= 0.5 - 1e-9);
	assert_close(share_of_stage(1, 10, 100, planned_s, planned_s), 20, 1e-9);
}

static void late_stages_have_nothing_to_share(void **state)
{
	(void)state;
	assert_close(share_of_stage(1, 10, 100, -3, planned_s), 0, 0);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(greedy_stages_leave_half_to_each_that_follows),
	        cmocka_unit_test(one_greedy_stage_takes_twice_its_share),
	        cmocka_unit_test(what_a_stage_does_not_take_is_for_the_others),
	        cmocka_unit_test(late_stages_have_nothing_to_share),
	};
	return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
