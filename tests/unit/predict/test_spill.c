/* SPDX-License-Identifier: Apache-2.0 */
/* Private arrays that are more than a GPU's registers. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/frontend/analysis.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"

/*
 * Time of what is read of a tile of rows x 16 sums that a loop adds to, at columns `at`, of factors
 * that have `factors` registers.
 */
static double tile_s(unsigned rows, const char *at, unsigned factors)
{
	char source[768];
	struct ir_kernel *kernel;
	struct launch launch = launch_1d(4096, 64);
	struct device *device = device_gpu();
	struct prediction p;

	(void)snprintf(source, sizeof source,
	               "kernel void f(global float *a, global float *b) {"
	               " int x = get_global_id(0); float t[%u][16], u[%u];"
	               " for (int r = 0; r < %u; r++) for (int c = 0; c < 16; c++) t[r][c] = 0;"
	               " for (int i = 0; i < 1000; i++) {"
	               "  for (int k = 0; k < %u; k++) u[k] = b[i * 64 + k];"
	               "  for (int r = 0; r < %u; r++) for (int c = 0; c < 16; c++)"
	               "    t[r][%s] += u[0] * u[%u]; }"
	               " for (int r = 0; r < %u; r++) for (int c = 0; c < 16; c++)"
	               "   a[x + 4096 * (16 * r + c)] = t[r][c]; }",
	               rows, factors, rows, factors, rows, at, factors - 1, rows);
	kernel = analyse(source, "");
	launch_buffer(&launch, (uint64_t)4096 * 64 * rows);
	launch_buffer(&launch, 1 << 20);
	p = answer(kernel, device, &launch);
	free(device);
	kernel_free(kernel);
	return rows_time(&p, "private read of t");
}

static void what_registers_hold_of_a_large_tile_stays_in_them(void **state)
{
	double all_s = tile_s(16, "(c + i) & 15", 16), some_s = tile_s(16, "c", 16);

	(void)state;
	/* 17 of 256 + 16 spill; all are in memory where a variable chooses the place */
	assert_true(some_s > 0.03 * all_s && some_s < 0.1 * all_s);
	assert_true(!(tile_s(8, "c", 16) > 0));
}

static void what_spills_is_too_many_of_all_arrays(void **state)
{
	(void)state;
	assert_true(tile_s(16, "c", 16) > 4 * tile_s(16, "c", 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_registers_hold_of_a_large_tile_stays_in_them),
	        cmocka_unit_test(what_spills_is_too_many_of_all_arrays),
	};

	return cmocka_run_group_tests_name("spill", tests, NULL, NULL);
}
