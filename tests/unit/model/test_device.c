/* SPDX-License-Identifier: Apache-2.0 */
/* Coefficients by name, their fallbacks, and devices from outside. */
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

#include "model/device/device.h"

static void reset(struct device *device)
{
	memset(device, 0, sizeof *device);
	(void)snprintf(device->vendor, sizeof device->vendor, "Acme");
	(void)snprintf(device->name, sizeof device->name, "Rocket 9");
	device->compute_units = 4;
	device->max_group_items = 1024;
	for (unsigned d = 0; d < 3; d++)
		device->max_item_sizes[d] = 1024;
}

static void set(struct device *device, unsigned id, double value)
{
	device->coefficient[id] = (struct coefficient){value, 0.01, true};
}

static void every_coefficient_is_found_by_its_name(void **state)
{
	(void)state;
	char name[COEFFICIENT_NAME_MAX];
	for (unsigned id = 0; id < COEFFICIENT_COUNT; id++) {
		coefficient_name(id, name);
		assert_true(strlen(name) > 0 && strlen(name) < COEFFICIENT_NAME_MAX - 1);
		assert_int_equal(coefficient_find(name), id);
		assert_true(strlen(coefficient_what(id)) > 0);
	}
}

static void names_are_what_files_hold(void **state)
{
	(void)state;
	assert_int_equal(coefficient_find("memory.l2.capacity_bytes"),
	                 coefficient_memory(MEMORY_L2, MEMORY_COLUMN_CAPACITY));
	assert_int_equal(coefficient_find("op.scalar.double.native_sqrt.time_s"),
	                 coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_DOUBLE, OP_CLASS_NATIVE_SQRT));
	assert_int_equal(coefficient_find("paper.op.float.mod.a2"),
	                 coefficient_paper(TYPE_CLASS_FLOAT, 3, PAPER_COLUMN_A2));
	assert_int_equal(coefficient_find("chain.float.exp.time_s"),
	                 coefficient_chain(TYPE_CLASS_FLOAT, OP_CLASS_EXP));
	assert_int_equal(coefficient_find("memory.levels"), COEFFICIENT_MEMORY_LEVELS);
}

static void other_names_are_not_found(void **state)
{
	(void)state;
	static const char *const names[] = {"",
	                                    "memory",
	                                    "memory.",
	                                    "memory.l2",
	                                    "memory.l2.capacity_bytes.",
	                                    "memory.l2.capacity_bytesX",
	                                    "memory.l9.latency_s",
	                                    "op.vector.float.add",
	                                    "op.vector.float.add.time_ms",
	                                    "op.vector.float..add.time_s",
	                                    "paper.op.float.sqrt.a",
	                                    "launch.base.time_s "};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_int_equal(coefficient_find(names[i]), -1);
}

static void an_uncalibrated_operation_costs_as_its_nearest_relative(void **state)
{
	(void)state;
	struct device device;
	reset(&device);
	assert_close(device_op_time_s(&device, OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_FMA), 0,
	             0);
	set(&device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_ADD), 1);
	set(&device, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_FLOAT, OP_CLASS_MUL), 2);
	/* the other mode, and mul plus add */
	assert_close(device_op_time_s(&device, OP_MODE_SCALAR, TYPE_CLASS_FLOAT, OP_CLASS_ADD), 1,
	             0);
	assert_close(device_op_time_s(&device, OP_MODE_SCALAR, TYPE_CLASS_FLOAT, OP_CLASS_FMA), 3,
	             0);
	/* half from float; compare from add; sin from twelve adds */
	assert_close(device_op_time_s(&device, OP_MODE_VECTOR, TYPE_CLASS_HALF, OP_CLASS_MUL), 2,
	             0);
	assert_close(device_op_time_s(&device, OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_COMPARE),
	             1, 0);
	assert_close(device_op_time_s(&device, OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_SIN), 12,
	             0);
	/* integers are no relatives of reals */
	assert_close(device_op_time_s(&device, OP_MODE_VECTOR, TYPE_CLASS_LONG, OP_CLASS_ADD), 0,
	             0);
	set(&device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_INT, OP_CLASS_DIV), 7);
	assert_close(device_op_time_s(&device, OP_MODE_VECTOR, TYPE_CLASS_LONG, OP_CLASS_MOD), 7,
	             0);
	set(&device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_SIN), 40);
	assert_close(
	        device_op_time_s(&device, OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_NATIVE_SIN),
	        40, 0);
	/* long functions are relatives of each other */
	assert_close(device_op_time_s(&device, OP_MODE_VECTOR, TYPE_CLASS_DOUBLE, OP_CLASS_ATAN),
	             40, 0);
}

static void calibrations_that_knew_odd_integers_only_tell_of_each(void **state)
{
	(void)state;
	static const enum op_class each[] = {OP_CLASS_POPCOUNT, OP_CLASS_CLZ, OP_CLASS_MUL_HI};
	struct device device;
	reset(&device);
	set(&device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_INT, OP_CLASS_ADD), 1);
	set(&device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_INT, OP_CLASS_ODD), 5);
	set(&device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_LONG, OP_CLASS_ODD), 8);
	for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
		assert_close(device_op_time_s(&device, OP_MODE_VECTOR, TYPE_CLASS_INT, each[i]), 5,
		             0);
		assert_close(device_op_time_s(&device, OP_MODE_SCALAR, TYPE_CLASS_LONG, each[i]), 8,
		             0);
	}
	set(&device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_INT, OP_CLASS_POPCOUNT), 3);
	assert_close(device_op_time_s(&device, OP_MODE_VECTOR, TYPE_CLASS_INT, OP_CLASS_POPCOUNT),
	             3, 0);
	assert_close(device_op_time_s(&device, OP_MODE_VECTOR, TYPE_CLASS_INT, OP_CLASS_CLZ), 5, 0);
	/* and what is odd still, of calibrations that know each */
	reset(&device);
	set(&device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_INT, OP_CLASS_MUL_HI), 2);
	assert_close(device_op_time_s(&device, OP_MODE_VECTOR, TYPE_CLASS_INT, OP_CLASS_ODD), 2, 0);
}

static void functions_without_a_figure_are_told_by_the_one_they_were_told_by(void **state)
{
	(void)state;
	static const struct {
		enum op_class op, before;
	} each[] = {{OP_CLASS_EXP2, OP_CLASS_EXP},
	            {OP_CLASS_EXP10, OP_CLASS_EXP},
	            {OP_CLASS_EXPM1, OP_CLASS_EXP},
	            {OP_CLASS_LOG2, OP_CLASS_LOG},
	            {OP_CLASS_LOG1P, OP_CLASS_LOG},
	            {OP_CLASS_CBRT, OP_CLASS_POW},
	            {OP_CLASS_SINCOS, OP_CLASS_SIN},
	            {OP_CLASS_SINPI, OP_CLASS_SIN},
	            {OP_CLASS_ASIN, OP_CLASS_ATAN},
	            {OP_CLASS_ATAN2, OP_CLASS_ATAN},
	            {OP_CLASS_SINH, OP_CLASS_HYPER},
	            {OP_CLASS_ASINH, OP_CLASS_HYPER},
	            {OP_CLASS_ERFC, OP_CLASS_GAMMA},
	            {OP_CLASS_LGAMMA, OP_CLASS_GAMMA},
	            {OP_CLASS_TGAMMA, OP_CLASS_GAMMA},
	            {OP_CLASS_NATIVE_EXP2, OP_CLASS_NATIVE_EXP},
	            {OP_CLASS_NATIVE_LOG2, OP_CLASS_NATIVE_LOG},
	            {OP_CLASS_HALF_SIN, OP_CLASS_NATIVE_SIN}};
	struct device device;
	assert_int_equal(sizeof each / sizeof *each, OP_CLASS_COUNT - OP_CLASS_EXP2);
	for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
		reset(&device);
		set(&device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_ADD), 1);
		for (unsigned type = 0; type < TYPE_CLASS_COUNT; type++)
			for (unsigned mode = 0; mode < OP_MODE_COUNT; mode++)
				assert_close(device_op_time_s(&device, mode, type, each[i].op),
				             device_op_time_s(&device, mode, type, each[i].before),
				             0);
		set(&device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_DOUBLE, each[i].before), 60);
		set(&device, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_DOUBLE, each[i].before), 50);
		assert_close(
		        device_op_time_s(&device, OP_MODE_VECTOR, TYPE_CLASS_DOUBLE, each[i].op),
		        60, 0);
		assert_close(
		        device_op_time_s(&device, OP_MODE_SCALAR, TYPE_CLASS_DOUBLE, each[i].op),
		        50, 0);
		set(&device, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_DOUBLE, each[i].op), 70);
		assert_close(
		        device_op_time_s(&device, OP_MODE_SCALAR, TYPE_CLASS_DOUBLE, each[i].op),
		        70, 0);
	}
	/* the relative of what tells of it, where that is unknown, too */
	reset(&device);
	set(&device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_SIN), 40);
	assert_close(device_op_time_s(&device, OP_MODE_VECTOR, TYPE_CLASS_DOUBLE, OP_CLASS_ATAN2),
	             40, 0);
}

static void an_unknown_value_is_otherwise(void **state)
{
	(void)state;
	struct device device;
	reset(&device);
	assert_close(device_value(&device, COEFFICIENT_SHAPE_NORM, 4.5), 4.5, 0);
	set(&device, COEFFICIENT_SHAPE_NORM, 6);
	assert_close(device_value(&device, COEFFICIENT_SHAPE_NORM, 4.5), 6, 0);
}

static void between_states_costs_follow_the_logarithm_of_the_pause(void **state)
{
	(void)state;
	struct device device;
	reset(&device);
	assert_false(device_has_idle_states(&device));
	assert_close(device_idle_value(&device, IDLE_BASE, 1, 3e-6), 3e-6, 0);
	set(&device, COEFFICIENT_LAUNCH_BASE, 1e-6);
	assert_close(device_idle_value(&device, IDLE_BASE, 1, 0), 1e-6, 0);
	assert_false(device_has_idle_states(&device));
	set(&device, COEFFICIENT_IDLE_10US_BASE, 3e-6);
	set(&device, COEFFICIENT_IDLE_1MS_BASE, 5e-6);
	set(&device, COEFFICIENT_IDLE_100MS_BASE, 25e-6);
	assert_true(device_has_idle_states(&device));
	static const double cases[][2] = {{0, 1e-6},    {5e-6, 2e-6},  {1e-5, 3e-6}, {1e-4, 4e-6},
	                                  {1e-3, 5e-6}, {1e-2, 15e-6}, {0.1, 25e-6}, {1e5, 25e-6}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_close(device_idle_value(&device, IDLE_BASE, cases[i][0], 0), cases[i][1],
		             1e-9);
	/* each part by itself; a state that is not known lies between its neighbours */
	assert_close(device_idle_value(&device, IDLE_JOIN, 0.1, 7e-6), 7e-6, 0);
	device.coefficient[COEFFICIENT_IDLE_1MS_BASE].is_known = false;
	assert_close(device_idle_value(&device, IDLE_BASE, 1e-3, 0), 14e-6, 1e-9);
	device.coefficient[COEFFICIENT_IDLE_100MS_BASE].is_known = false;
	assert_close(device_idle_value(&device, IDLE_BASE, 0.1, 0), 3e-6, 1e-9);
}

static void check_says(struct device *device, const char *fragment)
{
	struct error error = {0};
	assert_int_equal(device_check(device, &error), STATUS_CORRUPT);
	if (strstr(error.text, fragment) == NULL)
		fail_msg("want \"%s\" in \"%s\"", fragment, error.text);
}

static void a_sound_device_passes(void **state)
{
	(void)state;
	struct device device;
	struct error error;
	reset(&device);
	set(&device, COEFFICIENT_LAUNCH_BASE, 3e-6);
	set(&device, COEFFICIENT_LAUNCH_ITEM, 0);
	set(&device, COEFFICIENT_MEMORY_LEVELS, 2);
	set(&device, coefficient_memory(MEMORY_L1, MEMORY_COLUMN_CAPACITY), 32768);
	set(&device, coefficient_memory(MEMORY_L2, MEMORY_COLUMN_CAPACITY), 1048576);
	set(&device, coefficient_paper(TYPE_CLASS_FLOAT, 0, PAPER_COLUMN_K), -0.25);
	assert_int_equal(device_check(&device, &error), STATUS_OK);
}

static void each_fault_of_a_device_is_named(void **state)
{
	(void)state;
	struct device device;
	reset(&device);
	memset(device.driver, 'x', sizeof device.driver);
	check_says(&device, "driver is not terminated");
	reset(&device);
	memset(device.doubts, 'x', sizeof device.doubts);
	check_says(&device, "doubts is not terminated");
	reset(&device);
	device.language_bytes = DEVICE_LANGUAGE_MAX + 1;
	check_says(&device, "language: want at most 16384 bytes");
	reset(&device);
	device.name[0] = '\0';
	check_says(&device, "want a name");
	reset(&device);
	device.type = 9;
	check_says(&device, "unknown type 9");
	reset(&device);
	device.max_item_sizes[1] = 0;
	check_says(&device, "max_item_sizes[1]");
	reset(&device);
	set(&device, COEFFICIENT_LAUNCH_BASE, (double)NAN);
	check_says(&device, "launch.base.time_s");
	set(&device, COEFFICIENT_LAUNCH_BASE, 1e-40);
	check_says(&device, "launch.base.time_s");
	set(&device, COEFFICIENT_LAUNCH_BASE, (double)INFINITY);
	check_says(&device, "launch.base.time_s");
	set(&device, COEFFICIENT_LAUNCH_BASE, -1e-6);
	check_says(&device, "want no negative number");
	reset(&device);
	set(&device, COEFFICIENT_SHAPE_NORM, 4);
	device.coefficient[COEFFICIENT_SHAPE_NORM].standard_error = (double)NAN;
	check_says(&device, "standard error");
	reset(&device);
	device.duration_s = -1;
	check_says(&device, "no duration");
}

static void cache_levels_grow(void **state)
{
	(void)state;
	struct device device;
	reset(&device);
	set(&device, COEFFICIENT_MEMORY_LEVELS, 5);
	check_says(&device, "whole number up to 4");
	set(&device, COEFFICIENT_MEMORY_LEVELS, 2);
	set(&device, coefficient_memory(MEMORY_L1, MEMORY_COLUMN_CAPACITY), 4096);
	set(&device, coefficient_memory(MEMORY_L2, MEMORY_COLUMN_CAPACITY), 4096);
	check_says(&device, "memory.l2.capacity_bytes");
}

static void a_calibration_carries_over_to_the_same_model_alone(void **state)
{
	(void)state;
	struct device a, b;
	reset(&a);
	reset(&b);
	(void)snprintf(b.driver, sizeof b.driver, "another");
	assert_true(device_is_same_model(&a, &b));
	b.compute_units = 8;
	assert_false(device_is_same_model(&a, &b));
	reset(&b);
	b.type = DEVICE_GPU;
	assert_false(device_is_same_model(&a, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_coefficient_is_found_by_its_name),
	        cmocka_unit_test(names_are_what_files_hold),
	        cmocka_unit_test(other_names_are_not_found),
	        cmocka_unit_test(an_uncalibrated_operation_costs_as_its_nearest_relative),
	        cmocka_unit_test(calibrations_that_knew_odd_integers_only_tell_of_each),
	        cmocka_unit_test(functions_without_a_figure_are_told_by_the_one_they_were_told_by),
	        cmocka_unit_test(an_unknown_value_is_otherwise),
	        cmocka_unit_test(between_states_costs_follow_the_logarithm_of_the_pause),
	        cmocka_unit_test(a_sound_device_passes),
	        cmocka_unit_test(each_fault_of_a_device_is_named),
	        cmocka_unit_test(cache_levels_grow),
	        cmocka_unit_test(a_calibration_carries_over_to_the_same_model_alone),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
