/* SPDX-License-Identifier: Apache-2.0 */
/* Build options have the price that a calibration saw, and none where it saw none. */
#include "tests/test.h"

#include "model/machine/build_price.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"

#include <stdlib.h>
#include <string.h>

static struct device *device_with_roots(void)
{
	struct device *device = device_cpu();

	device_set(device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_SQRT), 1e-9);
	device_set(device, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_FLOAT, OP_CLASS_SQRT), 4e-9);
	return device;
}

static double time_of(const struct device *device, uint32_t build)
{
	struct ir_kernel *kernel = kernel_roots(256);
	struct launch launch = launch_1d(1 << 16, 64);
	struct prediction got;

	kernel->build = build;
	launch_buffer(&launch, 4 << 16);
	launch_buffer(&launch, 4 << 16);
	got = answer(kernel, device, &launch);
	kernel_free(kernel);
	return got.kernel_time_s;
}

static void an_option_without_a_price_changes_nothing(void **state)
{
	struct device *device = device_with_roots();
	double plain = time_of(device, 0);

	(void)state;
	for (uint32_t build = 1; build <= BUILD_OPTIONS; build <<= 1)
		assert_true(time_of(device, build) == plain);
	free(device);
}

static void a_function_that_an_option_makes_cheaper_is_cheaper(void **state)
{
	struct device *device = device_with_roots();
	double plain = time_of(device, 0);

	(void)state;
	device_set(device, coefficient_build(BUILD_PRICE_DENORMS, OP_CLASS_SQRT), 0.5);
	assert_true(time_of(device, 0) == plain);
	assert_true(time_of(device, BUILD_MAD_ENABLE) == plain);
	assert_close(time_of(device, BUILD_DENORMS_ARE_ZERO), 0.5 * plain, 0.1);
	/* an option that includes others has a price of its own, or none */
	assert_true(time_of(device, BUILD_FAST_RELAXED | BUILD_DENORMS_ARE_ZERO) == plain);
	device_set(device, coefficient_build(BUILD_PRICE_RELAXED, OP_CLASS_SQRT), 0.25);
	assert_close(time_of(device, BUILD_FAST_RELAXED | BUILD_DENORMS_ARE_ZERO), 0.25 * plain,
	             0.15);
	free(device);
}

static void what_is_not_optimised_takes_as_long_as_it_is_written(void **state)
{
	struct device *device = device_with_roots();
	double plain = time_of(device, 0);

	(void)state;
	device_set(device, COEFFICIENT_UNOPTIMISED, 1e-7);
	assert_true(time_of(device, 0) == plain);
	assert_true(time_of(device, BUILD_FAST_RELAXED) == plain);
	assert_true(time_of(device, BUILD_OPT_DISABLE) > 4 * plain);
	free(device);
}

static void names_of_prices_are_found_again(void **state)
{
	char name[COEFFICIENT_NAME_MAX];

	(void)state;
	for (unsigned price = 0; price < BUILD_PRICE_COUNT; price++) {
		unsigned id = coefficient_build((enum build_price)price, OP_CLASS_EXP);
		coefficient_name(id, name);
		assert_int_equal(coefficient_find(name), id);
		assert_true(build_price_option((enum build_price)price) != 0);
	}
	assert_int_equal(coefficient_find("build.fast_relaxed_math.float.sqrt.ratio"),
	                 coefficient_build(BUILD_PRICE_RELAXED, OP_CLASS_SQRT));
	assert_int_equal(coefficient_find("build.opt_disable.operation.time_s"),
	                 COEFFICIENT_UNOPTIMISED);
	assert_int_equal(coefficient_find("build.fast_relaxed_math.int.sqrt.ratio"), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(an_option_without_a_price_changes_nothing),
	        cmocka_unit_test(a_function_that_an_option_makes_cheaper_is_cheaper),
	        cmocka_unit_test(what_is_not_optimised_takes_as_long_as_it_is_written),
	        cmocka_unit_test(names_of_prices_are_found_again),
	};
	return cmocka_run_group_tests_name("predict build", tests, NULL, NULL);
}
