/* SPDX-License-Identifier: Apache-2.0 */
/* Equations 2 to 5 of Poeppel and Herz against numbers computed by hand. */
#include "tests/test.h"

#include "model/evaluate/pattern.h"
#include "model/paper/paper.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"

#include <stdlib.h>

static void figure_5a_adds_up_to_8089_us(void **state)
{
	/* sub float, mul float, add int, 7 mul int, 4 div int, private, interval, continuous */
	const double rows[] = {74.16e-6, 74.54e-6, 55.13e-6, 81.04e-6,
	                       1506e-6,  0,        770.9e-6, 2335e-6};

	(void)state;
	assert_close(paper_equation3(3191e-6, rows, 8, paper_equation4(1024, 384 / 3.0)), 8089e-6,
	             0.01);
}

static void utilisation_is_whole_rounds_over_rounds(void **state)
{
	(void)state;
	assert_close(paper_equation4(1024, 1024), 1, 1e-12);
	assert_close(paper_equation4(100, 64), 0.78125, 1e-12);
	assert_close(paper_equation4(1024, 384), 8.0 / 9, 1e-12);
	assert_close(paper_equation4(32, 64), 0.5, 1e-12);
}

static void utilisation_slows_every_row(void **state)
{
	const double rows[] = {1e-6, 2e-6};

	(void)state;
	assert_close(paper_equation3(1e-6, rows, 2, 0.5), 8e-6, 1e-12);
}

static void transfers_pay_latency_and_bandwidth_by_direction(void **state)
{
	(void)state;
	assert_close(paper_equation2(1e6, 1e-5, 1e9, 5e5, 2e-5, 5e8, 3e-3), 5.03e-3, 1e-12);
	assert_close(paper_equation2(0, 1e-5, 1e9, 0, 2e-5, 5e8, 3e-3), 3e-3, 1e-12);
}

static void operations_grow_by_a_power_then_by_a_line(void **state)
{
	const struct paper_w w = {.a = 2, .b = 0.5, .k = 1, .a2 = 3, .k2 = -5, .sat = 4};

	(void)state;
	assert_close(paper_equation5(&w, 0), 0, 1e-12);
	assert_close(paper_equation5(&w, 1), 3, 1e-12);
	assert_close(paper_equation5(&w, 4), 5, 1e-12);
	assert_close(paper_equation5(&w, 5), 10, 1e-12);
}

static struct prediction sq_mod(enum kernel_model model)
{
	struct device *device = device_gpu();
	struct ir_kernel *kernel = kernel_sq_mod();
	struct launch launch = launch_1d(1 << 24, 1024);
	struct prediction_options options = {.model = model};
	struct prediction prediction;

	launch_buffer(&launch, 4 << 24);
	launch_buffer(&launch, 4 << 24);
	launch_integer(&launch, SCALAR_UINT, 4096);
	launch_integer(&launch, SCALAR_UINT, 4096);
	device_set(device, COEFFICIENT_PAPER_XU, 128);
	device_set(device, COEFFICIENT_PAPER_BASE_FIXED, 1e-6);
	device_set(device, COEFFICIENT_PAPER_BASE_ITEM, 1e-12);
	device_set(device, COEFFICIENT_PAPER_INTERVAL, 2e-12);
	device_set(device, COEFFICIENT_PAPER_COALESCED, 4e-12);
	device_set(device, COEFFICIENT_PAPER_REPEATED, 0.5e-12);
	device_set(device, COEFFICIENT_PAPER_WRITE, 5e-12);
	device_set(device, COEFFICIENT_PAPER_UNCACHED, 6e-12);
	prediction = answer_by(kernel, device, &launch, &options);
	kernel_free(kernel);
	free(device);
	return prediction;
}

static void sq_mod_has_the_patterns_of_the_paper(void **state)
{
	struct prediction p = {0};
	const double n = 1 << 24;

	(void)state;
	p = sq_mod(MODEL_PATTERN);
	assert_close(row_count(&p, "interval read"), 1, 1e-9);
	assert_close(row_time(&p, "interval read"), 2e-12 * n, 1e-9);
	assert_close(row_time(&p, "coalesced read"), 4e-12 * n, 1e-9);
	assert_close(row_time(&p, "repeated read"), 0.5e-12 * n, 1e-9);
	assert_close(row_time(&p, "coalesced write"), 5e-12 * n, 1e-9);
	assert_close(row_time(&p, "base cost"), 1e-6 + 1e-12 * n, 1e-9);
}

static void time_is_the_sum_of_the_rows(void **state)
{
	struct prediction p = {0};
	double sum = 0;

	(void)state;
	p = sq_mod(MODEL_PATTERN);
	for (uint32_t i = 0; i < p.row_count; i++)
		sum += p.rows[i].time_s;
	assert_close(p.kernel_time_s, sum, 1e-9);
}

static void without_patterns_every_read_costs_the_same(void **state)
{
	struct prediction p = {0};
	const double n = 1 << 24;

	(void)state;
	p = sq_mod(MODEL_UNCACHED);
	assert_close(row_count(&p, "global read"), 3, 1e-9);
	assert_close(row_time(&p, "global read"), 3 * 6e-12 * n, 1e-9);
	assert_close(row_time(&p, "global write"), 5e-12 * n, 1e-9);
}

static void loops_multiply_what_the_source_says(void **state)
{
	struct device *device = device_gpu();
	struct ir_kernel *kernel = kernel_matmul();
	struct launch launch = launch_2d(256, 256, 16, 16);
	struct prediction_options options = {.model = MODEL_PATTERN};
	struct prediction p;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		launch_buffer(&launch, 4 << 16);
	launch_integer(&launch, SCALAR_INT, 256);
	p = answer_by(kernel, device, &launch, &options);
	assert_close(row_count(&p, "float mul"), 256, 1e-6);
	assert_close(row_count(&p, "float add"), 256, 1e-6);
	kernel_free(kernel);
	free(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(figure_5a_adds_up_to_8089_us),
	        cmocka_unit_test(utilisation_is_whole_rounds_over_rounds),
	        cmocka_unit_test(utilisation_slows_every_row),
	        cmocka_unit_test(transfers_pay_latency_and_bandwidth_by_direction),
	        cmocka_unit_test(operations_grow_by_a_power_then_by_a_line),
	        cmocka_unit_test(sq_mod_has_the_patterns_of_the_paper),
	        cmocka_unit_test(time_is_the_sum_of_the_rows),
	        cmocka_unit_test(without_patterns_every_read_costs_the_same),
	        cmocka_unit_test(loops_multiply_what_the_source_says),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("paper", tests, NULL, NULL);
}
