/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of a core that go through loops, and how much of them overlaps. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/frontend/analysis.h"
#include "tests/unit/predict/core.h"

static const double add_s = 1e-7; /* until a sum is there: all else is nearly nothing */
enum { ROUNDS = 100, FEW = 1 << 10, UNITS = 4 };

/* A work-item's time of `body`, which has a, n (777) and x. */
static double item_time(const char *body, double window)
{
	struct device *device = core();
	char source[1024];
	double time_s;

	device_set(device, COEFFICIENT_FLOAT_LATENCY, add_s);
	device_set(device, COEFFICIENT_WINDOW, window);
	(void)snprintf(source, sizeof(source),
	               "kernel void f(global float *a, global float *b, uint n)"
	               "{ uint x = get_global_id(0); %s }",
	               body);
	time_s = source_answer(source, device, FEW, 64).kernel_time_s;
	free(device);
	return time_s * (double)UNITS / (double)FEW;
}

static void a_chain_overlaps_with_the_next_one_wherever_that_begins(void **state)
{
	/* 777 additions a round; each round's sum is a chain, in one loop or in two */
	static const char one[] = "for (uint r = 0; r < 100; r++) { float sum = 0;"
	                          " for (uint i = 0; i < n; i++) sum += a[i * r + x];"
	                          " b[x * 100 + r] = sum; }";
	static const char two[] = "for (uint r = 0; r < 100; r++) { float sum = 0;"
	                          " for (uint j = 0; j < 7; j++)"
	                          " for (uint i = 0; i < n / 7; i++) sum += a[i * r + j + x];"
	                          " b[x * 100 + r] = sum; }";
	static const char through[] = "float sum = 0; for (uint r = 0; r < 100; r++) {"
	                              " for (uint j = 0; j < 7; j++)"
	                              " for (uint i = 0; i < n / 7; i++) sum += a[i * r + j + x];"
	                              " b[x * 100 + r] = sum; }";
	enum { WINDOW = 8000 };

	(void)state;
	assert_close(item_time(two, 1), (double)ROUNDS * 777 * add_s, 0.1);
	assert_close(item_time(two, WINDOW), item_time(one, WINDOW), 0.2);
	assert_true(item_time(two, WINDOW) < item_time(two, 1) / 2);
	assert_true(item_time(through, WINDOW) > item_time(through, 1) / 1.2);
}

static void what_follows_a_loop_waits_for_its_result(void **state)
{
	static const char behind[] =
	        "float all = 0; for (uint r = 0; r < 100; r++) { float sum = 0;"
	        " for (uint i = 0; i < n / 77; i++) sum += a[i * r + x];"
	        " sum += a[r]; sum += a[r + 2]; sum += a[r + 3]; sum += a[r + 4]; sum += a[r + 5];"
	        " sum += a[r + 6]; sum += a[r + 7]; sum += a[r + 8]; sum += a[r + 9];"
	        " sum += a[r + 10]; b[x * 100 + r] = sum; }";

	(void)state;
	/* ten additions in the loop, and ten behind it */
	assert_close(item_time(behind, 1), (double)ROUNDS * 20 * add_s, 0.1);
	assert_true(item_time(behind, 100) < (double)ROUNDS * 15 * add_s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_chain_overlaps_with_the_next_one_wherever_that_begins),
	        cmocka_unit_test(what_follows_a_loop_waits_for_its_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
