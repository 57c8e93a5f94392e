/* SPDX-License-Identifier: Apache-2.0 */
/* What stores of a GPU's warps have in common on their way to the level below. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/predict/core.h"

enum { MANY = 1 << 20, GROUP = 256, BYTES = 1 << 26 };

/* Seconds of a launch whose work-items do nothing but store v, by sectors that take long. */
static double stored_by(const char *body)
{
	struct device *device = device_gpu();
	struct launch launch = launch_1d(MANY, GROUP);
	struct ir_kernel *kernel;
	struct prediction p;
	char source[512];

	(void)snprintf(source, sizeof source,
	               "struct four { float x, y, z, w; };\n"
	               "kernel void f(global float *to, global struct four *records, int n)\n"
	               "{ size_t i = get_global_id(0); float v = (float)n; %s }\n",
	               body);
	kernel = analyse(source, "");
	device_set(device, COEFFICIENT_STORE_VECTOR, 1e-10);
	device_set(device, COEFFICIENT_STORE_SECTOR, 1e-9);
	device_set(device, COEFFICIENT_STORE_SCATTER, 2e-9);
	launch_buffer(&launch, BYTES);
	launch_buffer(&launch, BYTES);
	launch_integer(&launch, SCALAR_INT, 1);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return p.kernel_time_s;
}

static void a_few_stores_to_the_same_sectors_are_one(void **state)
{
	double aligned = stored_by("((global float4 *)to)[i] = v;");

	(void)state;
	assert_close(stored_by("vstore4((float4)v, i, to);"), aligned, 0.01);
	assert_close(stored_by("to[4 * i] = v; to[4 * i + 1] = v; to[4 * i + 2] = v;"
	                       " to[4 * i + 3] = v;"),
	             aligned, 0.01);
	assert_close(stored_by("for (int k = 0; k < 4; k++) to[4 * i + k] = v;"), aligned, 0.01);
	assert_close(stored_by("records[i].x = v; records[i].y = v; records[i].z = v;"
	                       " records[i].w = v;"),
	             aligned, 0.01);
	/* in any order */
	assert_close(stored_by("to[4 * i + 3] = v; to[4 * i + 1] = v; to[4 * i] = v;"
	                       " to[4 * i + 2] = v;"),
	             aligned, 0.01);
}

static void stores_to_more_sectors_than_are_held_are_not(void **state)
{
	double one = stored_by("to[8 * i] = v;");

	(void)state;
	assert_close(stored_by("to[8 * i] = v; to[8 * i + 1] = v;"), 2 * one, 0.05);
	assert_true(stored_by("vstore8((float8)v, i, to);") > 6 * one);
	/* nor are those to other places */
	one = stored_by("to[i] = v;");
	assert_close(stored_by("to[i] = v; to[i + 4194304] = v;"), 2 * one, 0.05);
}

static void bytes_fill_fewer_sectors_than_words(void **state)
{
	double words = stored_by("to[i] = v;");

	(void)state;
	assert_close(stored_by("((global uchar *)to)[i] = 1;") / words, 0.25, 0.15);
	assert_close(stored_by("((global ushort *)to)[i] = 1;") / words, 0.5, 0.15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_few_stores_to_the_same_sectors_are_one),
	        cmocka_unit_test(stores_to_more_sectors_than_are_held_are_not),
	        cmocka_unit_test(bytes_fill_fewer_sectors_than_words),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
