/* SPDX-License-Identifier: Apache-2.0 */
/* What full calibrations of a simulated device find of build options. */
#include "tests/test.h"

#include <stdlib.h>

#include "tests/unit/calibrator/simulated_calibration.h"

/* Of simulated time: for every stage, and for whole kernels, too. */
static const struct calibrate_options full = {.budget_s = 1e9};

static double value(const struct device *device, unsigned id)
{
	char name[COEFFICIENT_NAME_MAX];
	coefficient_name(id, name);
	if (!device->coefficient[id].is_known)
		fail_msg("%s is not known", name);
	return device->coefficient[id].value;
}

static bool is_known(const struct device *device, enum build_price price, unsigned op)
{
	return device->coefficient[coefficient_build(price, (enum op_class)op)].is_known;
}

/* Functions twice as fast by one option; nothing is optimised by another, and takes five times. */
static void options_that_change_launches_have_their_price(void **state)
{
	static struct device device;
	struct simulated_build builds[] = {{"-cl-fast-relaxed-math", "s_float", 0.5},
	                                   {"-cl-opt-disable", "u_", 5},
	                                   {.option = NULL}};
	(void)state;
	for (int is_gpu = 0; is_gpu < 2; is_gpu++) {
		struct simulated how_it_is = {.is_gpu = is_gpu == 1, .builds = builds};
		struct error error = {0};
		unsigned priced = 0;
		if (simulated_calibrate(&how_it_is, &full, &device, &error) != STATUS_OK)
			fail_msg("%s", error.text);
		for (unsigned op = 0; op < OP_CLASS_COUNT; op++) {
			for (unsigned price = 0; price < BUILD_PRICE_COUNT; price++)
				if (price != BUILD_PRICE_RELAXED)
					assert_false(
					        is_known(&device, (enum build_price)price, op));
			if (!is_known(&device, BUILD_PRICE_RELAXED, op))
				continue;
			assert_true(op_class_is_call((enum op_class)op));
			assert_close(value(&device, coefficient_build(BUILD_PRICE_RELAXED,
			                                              (enum op_class)op)),
			             0.5, 0.02);
			priced++;
		}
		assert_true(priced >= 5);
		assert_true(is_known(&device, BUILD_PRICE_RELAXED, OP_CLASS_EXP));
		double unoptimised_s = value(&device, COEFFICIENT_UNOPTIMISED);
		builds[1].slow = 10;
		assert_int_equal(simulated_calibrate(&how_it_is, &full, &device, &error),
		                 STATUS_OK);
		assert_close(value(&device, COEFFICIENT_UNOPTIMISED), 2 * unoptimised_s, 0.02);
		builds[1].slow = 5;
	}
}

static void options_that_change_nothing_have_none(void **state)
{
	static struct device device;
	struct error error = {0};
	(void)state;
	assert_int_equal(
	        simulated_calibrate(&(struct simulated){.is_gpu = false}, &full, &device, &error),
	        STATUS_OK);
	for (unsigned op = 0; op < OP_CLASS_COUNT; op++)
		for (unsigned price = 0; price < BUILD_PRICE_COUNT; price++)
			assert_false(is_known(&device, (enum build_price)price, op));
	assert_false(device.coefficient[COEFFICIENT_UNOPTIMISED].is_known);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(options_that_change_launches_have_their_price),
	        cmocka_unit_test(options_that_change_nothing_have_none),
	};
	return cmocka_run_group_tests_name("build options", tests, NULL, NULL);
}
