/* SPDX-License-Identifier: Apache-2.0 */
/* What a warp of a GPU waits for when it is alone, on a device of round numbers. */
#include "tests/test.h"

#include <stdlib.h>

#include "tests/unit/frontend/analysis.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"

enum { ITEMS = 32, TRIPS = 4096, BYTES = 1 << 24 };

static const double trips = TRIPS;

/* What one warp of a kernel waits for whose integers are trips, and whose loads miss the first
 * level. */
static double wait_of(const char *source)
{
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_1d(ITEMS, ITEMS);
	struct device *device = device_gpu();
	struct prediction p;

	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		if (kernel->arguments[i].kind == ARGUMENT_BUFFER)
			launch_buffer(&launch, BYTES);
		else
			launch_integer(&launch, (enum scalar)kernel->arguments[i].type.scalar,
			               TRIPS);
	}
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return row_time(&p, "latency of dependent operations");
}

#define COUNTED(result)                                                                            \
	"kernel void f(global int *a, global int *b, int n)"                                       \
	"{ int x = get_global_id(0), sum = 0;"                                                     \
	" for (int i = 0; i < n; i++) " result " atomic_add(&a[x + 1024 * i], i);"                 \
	" b[x] = sum; }"

static void an_atomic_is_waited_for_where_its_result_is_used(void **state)
{
	(void)state;
	assert_true(wait_of(COUNTED("sum +=")) > trips * 200e-9);
	assert_true(wait_of(COUNTED("")) < trips * 30e-9);
}

/* `a[i]` in steps that nobody knows, and what is done where it is odd. */
#define PARTED(arm)                                                                                \
	"kernel void f(global int *a, global int *b, int n)"                                       \
	"{ int x = get_global_id(0), s = 0, t = 0;"                                                \
	" for (int i = 0; i < n; i++) { int v = a[x + 1024 * i]; if (v & 1) { " arm " } s ^= v; }" \
	" b[x] = s * t; }"

static void loads_stay_behind_a_branch_that_is_no_predicate(void **state)
{
	double few = wait_of(PARTED("t += v;"));
	double many = wait_of(PARTED("t = (t ^ v) * 3 + (t >> 5); t = (t ^ v) * 7 + (t >> 3);"
	                             "t = (t ^ v) * 5 + (t >> 7);"));

	(void)state;
	assert_true(many > trips * 200e-9);
	assert_true(few < many / 2);
}

static void a_branch_that_an_unrolled_counter_decides_is_none(void **state)
{
	const char source[] =
	        "kernel void f(global int *a, global int *b)"
	        "{ int x = get_global_id(0), s = 0, t = 1;"
	        " for (int i = 0; i < 16; i++) { int v = a[x + 1024 * i];"
	        " if (i < 8) { t = (t ^ v) * 3 + (t >> 5); t = (t ^ v) * 7 + (t >> 3); }"
	        " else { t = (t & v) * 3 + (t << 5); t = (t | v) * 7 + (t << 3); } }"
	        " b[x] = t; }";

	(void)state;
	assert_true(wait_of(source) < 8 * 200e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(an_atomic_is_waited_for_where_its_result_is_used),
	        cmocka_unit_test(loads_stay_behind_a_branch_that_is_no_predicate),
	        cmocka_unit_test(a_branch_that_an_unrolled_counter_decides_is_none),
	};

	return cmocka_run_group_tests_name("warp", tests, NULL, NULL);
}
