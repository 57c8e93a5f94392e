/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers and products of integers beside all else that a core does, and lines that come from
 * another one. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/predict/core.h"

/* What a kernel that gathers takes longer than one that reads neighbours, and works as much. */
static double gathering_s(const struct device *device)
{
	double streamed_s = source_answer("kernel void f(global float *a, global float *b)"
	                                  "{ int x = get_global_id(0); float v = b[x];"
	                                  " a[x] = v * v * v * v * v * v * v * v; }",
	                                  device, ITEMS, 256)
	                            .kernel_time_s;

	return source_answer("kernel void f(global float *a, global float *b)"
	                     "{ int x = get_global_id(0); float v = b[x + 3];"
	                     " a[x] = v * v * v * v * v * v * v * v; }",
	                     device, ITEMS, 256)
	               .kernel_time_s -
	       streamed_s;
}

static void gathers_leave_a_core_nothing_else_to_do(void **state)
{
	struct device *device = core();

	(void)state;
	device_set(device, COEFFICIENT_LOCAL_LOAD, 1e-9);
	device_set(device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_MUL), 1e-10);
	assert_close(gathering_s(device), all * 1e-9, 0.05);
	/* nor where they take much longer than loads one by one */
	device_set(device, COEFFICIENT_LOAD_GATHER, 1e-9);
	device_set(device, COEFFICIENT_LOAD_SCALAR, 5e-10);
	assert_close(gathering_s(device), all * 1e-9, 0.05);
	free(device);
}

static void gathers_that_are_as_many_loads_run_along_with_all_else(void **state)
{
	struct device *device = core();

	(void)state;
	device_set(device, COEFFICIENT_LOCAL_LOAD, 1e-9);
	device_set(device, COEFFICIENT_LOAD_GATHER, 1e-9);
	device_set(device, COEFFICIENT_LOAD_SCALAR, 8e-10);
	device_set(device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_MUL), 1e-10);
	assert_true(gathering_s(device) < 0.7 * all * 1e-9);
	free(device);
}

/* What it takes longer from L3 where lone lines are written there one in 10 ns. */
static double handing_s(const char *source)
{
	struct device *device = core();
	double before_s, after_s;
	struct prediction p;

	p = source_answer(source, device, 1 << 15, 256);
	before_s = row_time(&p, "bytes from L3 cache");
	device_set(device, coefficient_memory(MEMORY_L3, MEMORY_COLUMN_SCATTER), 100e6);
	p = source_answer(source, device, 1 << 15, 256);
	after_s = row_time(&p, "bytes from L3 cache");
	free(device);
	return after_s - before_s;
}

static void lines_that_another_core_wrote_are_handed_over_one_by_one(void **state)
{
	/* three quarters of them, with four cores; of those that streams bring, 1.28 ns written
	 * and 0.64 read; and those that loads bring are no others */
	const double lines = 0.75 * (1 << 15) / 16;

	(void)state;
	assert_close(handing_s("kernel void f(global float *a, global float *b)"
	                       "{ size_t x = get_global_id(0); a[x] = b[x]; }"),
	             lines * (10e-9 - 1.28e-9 - 0.64e-9), 0.05);
	assert_close(handing_s("kernel void f(global float *a, global float *b)"
	                       "{ size_t x = get_global_id(0); a[x] += b[x]; }"),
	             0, 1e-9);
}

static double local_s(const char *type)
{
	struct device *device = core();
	char source[512];
	struct prediction p;

	device_set(device, COEFFICIENT_LOCAL_LOAD, 1e-9);
	(void)snprintf(
	        source, sizeof source,
	        "kernel void f(global %s *a) { local %s t[256]; int l = get_local_id(0), k = l * 7;"
	        " t[l] = a[l]; barrier(CLK_LOCAL_MEM_FENCE);"
	        " a[get_global_id(0)] = t[k & 255] * t[(k + 5) & 255]; }",
	        type, type);
	p = source_answer(source, device, ITEMS, 256);
	free(device);
	return rows_time(&p, "local load");
}

static void lanes_are_gathered_from_local_memory_one_by_one_however_wide(void **state)
{
	(void)state;
	assert_close(local_s("float"), 2 * all * 1e-9, 0.01);
	assert_close(local_s("double"), local_s("float"), 0.01);
}

static void products_of_integers_have_a_unit_of_their_own(void **state)
{
	struct device *device = core();
	struct prediction p;

	(void)state;
	/* no vectors: straight-line code takes as long as a loop */
	for (unsigned mode = 0; mode < 2; mode++) {
		enum op_mode m = mode == 0 ? OP_MODE_VECTOR : OP_MODE_SCALAR;

		device_set(device, coefficient_op(m, TYPE_CLASS_INT, OP_CLASS_ADD), 1e-9);
		device_set(device, coefficient_op(m, TYPE_CLASS_INT, OP_CLASS_BIT), 1e-9);
		device_set(device, coefficient_op(m, TYPE_CLASS_INT, OP_CLASS_MUL), 4e-9);
		device_set(device, coefficient_op(m, TYPE_CLASS_FLOAT, OP_CLASS_ADD), 1e-9);
		device_set(device, coefficient_op(m, TYPE_CLASS_FLOAT, OP_CLASS_MUL), 1e-9);
	}
	device_set(device, COEFFICIENT_SHAPE_NORM, 8);
	p = source_answer("kernel void f(global uint *a, global uint *b)"
	                  "{ int x = get_global_id(0); uint v = b[x];"
	                  " a[x] = ((v ^ 77) * v) ^ (v >> 3); }",
	                  device, ITEMS, 64);
	assert_true(p.is_scalar);
	/* 4 ns of the product's unit, beside 4 of the others: no sum of 7 */
	assert_close(p.kernel_time_s, all * 4.4e-9, 0.05);
	free(device);
}

/* Of 4 additions to a number and 4 products of another, with so much of one beside the other. */
static double sums_beside_products_time(unsigned id, double share)
{
	struct device *device = core();
	double time_s;

	for (unsigned mode = 0; mode < OP_MODE_COUNT; mode++)
		for (unsigned op = OP_CLASS_ADD; op <= OP_CLASS_MUL; op++)
			device_set(device,
			           coefficient_op((enum op_mode)mode, TYPE_CLASS_FLOAT,
			                          (enum op_class)op),
			           mode == OP_MODE_SCALAR ? 8e-8 : 1e-8);
	device_set(device, id, share);
	time_s = source_answer("kernel void f(global float *a, global float *b, float y, float z)"
	                       "{ size_t x = get_global_id(0); float u = a[x], v = u;"
	                       "  u += y; u += z; u += y; u += z;"
	                       "  v *= y; v *= z; v *= y; v *= z; a[x] = u; b[x] = v; }",
	                       device, ITEMS, 64)
	                 .kernel_time_s;
	free(device);
	return time_s;
}

static void additions_pass_beside_products_where_a_core_has_units_for_each(void **state)
{
	double sum_s = sums_beside_products_time(COEFFICIENT_BESIDE_VECTOR, 0);

	(void)state;
	assert_close(sums_beside_products_time(COEFFICIENT_BESIDE_VECTOR, 1) / sum_s, 0.5, 0.02);
	assert_close(sums_beside_products_time(COEFFICIENT_BESIDE_VECTOR, 0.5) / sum_s, 0.75, 0.02);
	/* these are vectors */
	assert_close(sums_beside_products_time(COEFFICIENT_BESIDE_SCALAR, 1) / sum_s, 1, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(gathers_leave_a_core_nothing_else_to_do),
	        cmocka_unit_test(gathers_that_are_as_many_loads_run_along_with_all_else),
	        cmocka_unit_test(lines_that_another_core_wrote_are_handed_over_one_by_one),
	        cmocka_unit_test(lanes_are_gathered_from_local_memory_one_by_one_however_wide),
	        cmocka_unit_test(products_of_integers_have_a_unit_of_their_own),
	        cmocka_unit_test(additions_pass_beside_products_where_a_core_has_units_for_each),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("gathers", tests, NULL, NULL);
}
