/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calibrations of a simulated device beside others' work: in the stages of a name they have a share
 * of the processors and make launches longer; then they have gone, or stay.
 */
#include "tests/test.h"

#include <string.h>

#include "daemon/calibrator/calibrate.h"
#include "daemon/calibrator/list.h"
#include "proto/other_load.h"
#include "tests/unit/calibrator/simulated_call.h"

#define BUDGET_S 1e9 /* of simulated time: for whole kernels, too */

static struct {
	const char *stage; /* NULL: in all */
	double share, slow;
	bool stays;   /* after that stage, until the end */
	bool is_here; /* now */
	bool is_gone; /* for ever */
	double had_s; /* of the processors so far */
	double seen_s;
	unsigned waits;
} others;

/* The double of a machine: its processors are the simulated device's. */
void __wrap_other_load_look(struct other_load *now);
void __wrap_other_load_look(struct other_load *now)
{
	double at_s = clock_now_s();
	others.had_s += (at_s - others.seen_s) * (others.is_here ? others.share : 0);
	others.seen_s = at_s;
	*now = (struct other_load){
	        .all_s = at_s, .busy_s = others.had_s, .at_s = at_s, .is_known = true};
}

bool __wrap_other_load_wait(double most_s);
bool __wrap_other_load_wait(double most_s)
{
	assert_true(most_s > 0);
	others.waits++;
	return !others.is_here;
}

static enum status listen(void *context, double progress, double left_s, const char *stage,
                          struct error *error)
{
	struct other_load until;
	(void)context;
	(void)progress;
	(void)left_s;
	(void)error;
	__wrap_other_load_look(&until);
	bool was_here = others.is_here;
	if (others.stage == NULL || strcmp(stage, others.stage) == 0)
		others.is_here = others.share > 0 && !others.is_gone;
	else if (!others.stays)
		others.is_here = false;
	/* a stage that is measured anew has its name */
	others.is_gone = others.is_gone || (was_here && !others.is_here);
	how.slow = others.is_here ? others.slow : 1;
	return STATUS_OK;
}

static void calibrate_within(double budget_s, const char *stage, double share, double slow,
                             bool stays, bool is_quick, struct device *device)
{
	struct found_devices found = {0};
	struct opencl opencl = {0};
	const struct found_device *chosen = NULL;
	struct error error = {0};
	const struct calibrate_options options = {
	        .is_quick = is_quick, .budget_s = budget_s, .progress = listen};
	memset(&others, 0, sizeof others);
	others.stage = stage;
	others.share = share;
	others.slow = slow;
	others.stays = stays;
	simulated_begin(&(struct simulated){.slow = 1});
	assert_int_equal(found_devices_init(&found, &error), STATUS_OK);
	assert_int_equal(found_devices_find(&found, "", &chosen, &error), STATUS_OK);
	*device = chosen->device;
	assert_int_equal(opencl_open(&opencl, chosen->platform, chosen->id, &error), STATUS_OK);
	if (calibrate(&opencl, &options, device, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	opencl_close(&opencl);
	found_devices_deinit(&found);
	assert_int_equal(device_check(device, &error), STATUS_OK);
}

static void calibrate_beside(const char *stage, double share, double slow, bool stays,
                             bool is_quick, struct device *device)
{
	calibrate_within(BUDGET_S, stage, share, slow, stays, is_quick, device);
}

static double value(const struct device *device, unsigned id)
{
	char name[COEFFICIENT_NAME_MAX];
	coefficient_name(id, name);
	if (!device->coefficient[id].is_known)
		fail_msg("%s is not known", name);
	return device->coefficient[id].value;
}

static unsigned exp_id(void)
{
	return coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_EXP);
}

static struct device quiet, beside;

static void nobody_else_is_told_as_nobody(void **state)
{
	(void)state;
	/* a quick one last: what the others are compared with */
	for (int is_quick = 0; is_quick < 2; is_quick++) {
		calibrate_beside(NULL, 0, 1, false, is_quick == 1, &quiet);
		assert_false(quiet.was_busy);
		assert_int_equal(others.waits, 0);
		assert_close(value(&quiet, COEFFICIENT_OTHERS_SHARE), 0, 0);
	}
}

/* A stage of which there is no second look. */
static void what_was_disturbed_is_measured_again_when_they_have_gone(void **state)
{
	(void)state;
	calibrate_beside("functions", 0.5, 2, false, true, &beside);
	assert_close(value(&beside, exp_id()), value(&quiet, exp_id()), 0.05);
	assert_true(beside.coefficient[exp_id()].standard_error <
	            quiet.coefficient[exp_id()].standard_error + 0.05);
	assert_false(beside.was_busy);
}

/* Another look at the same is closer than what a second look would doubt. */
static void a_quieter_look_stands(void **state)
{
	(void)state;
	calibrate_beside("accesses", 0.5, 1.1, false, true, &beside);
	assert_close(value(&beside, COEFFICIENT_LOAD_SCALAR),
	             value(&quiet, COEFFICIENT_LOAD_SCALAR), 0.03);
}

static void a_louder_look_refutes_nothing(void **state)
{
	(void)state;
	calibrate_beside("accesses again", 0.5, 3, false, true, &beside);
	assert_close(value(&beside, COEFFICIENT_LOAD_SCALAR),
	             value(&quiet, COEFFICIENT_LOAD_SCALAR), 0.03);
	assert_false(beside.was_busy);
}

static void those_who_stay_are_told_coefficient_by_coefficient(void **state)
{
	(void)state;
	for (int is_quick = 0; is_quick < 2; is_quick++) {
		calibrate_beside(NULL, 0.5, 1.3, true, is_quick == 1, &beside);
		assert_true(beside.was_busy);
		assert_true(value(&beside, COEFFICIENT_OTHERS_SHARE) > 0.3);
		assert_true(beside.coefficient[exp_id()].standard_error > 0.12);
		/* counted, not measured */
		assert_close(beside.coefficient[COEFFICIENT_UNITS].standard_error, 0, 0);
		assert_true(value(&beside, COEFFICIENT_INTERVAL_LOG_SD) > 0.14);
		/* launches beside others say nothing of the model */
		assert_false(beside.coefficient[COEFFICIENT_SHAPE_ARITHMETIC].is_known);
	}
}

static unsigned known(const struct device *device)
{
	unsigned count = 0;
	for (unsigned i = 0; i < COEFFICIENT_COUNT; i++)
		count += device->coefficient[i].is_known;
	return count;
}

/* All takes twice as long beside them, more than a quick calibration was given. */
static void time_that_others_had_does_not_count(void **state)
{
	const double budget_s = 4.5e4;
	(void)state;
	calibrate_within(budget_s, NULL, 0, 1, false, true, &quiet);
	assert_true(quiet.duration_s < budget_s);
	calibrate_within(budget_s, NULL, 0.5, 2, true, true, &beside);
	assert_true(beside.duration_s > 1.2 * budget_s);
	assert_int_equal(known(&beside), known(&quiet));
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(nobody_else_is_told_as_nobody),
	        cmocka_unit_test(what_was_disturbed_is_measured_again_when_they_have_gone),
	        cmocka_unit_test(a_quieter_look_stands),
	        cmocka_unit_test(a_louder_look_refutes_nothing),
	        cmocka_unit_test(those_who_stay_are_told_coefficient_by_coefficient),
	        cmocka_unit_test(time_that_others_had_does_not_count),
	};
	return cmocka_run_group_tests_name("beside", tests, NULL, NULL);
}
