/* SPDX-License-Identifier: Apache-2.0 */
/* Built-in functions on a CPU: what they part by, and how often they are called. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/predict/core.h"

/* How often a work-item of scalar code goes the wrong way in what one of 8 iterations adds up. */
static double wrong_ways(const char *added)
{
	struct device *device = core();
	struct prediction p;
	char source[512];

	snprintf(
	        source, sizeof source,
	        "kernel void f(global float *a, global float *b, global float4 *c, global uchar *d,"
	        " float n) { int x = get_global_id(0); float sum = 0;"
	        " for (int k = 0; k < 8; k++)"
	        " { float v = b[x + k], w = b[x + 2 * k]; int i = as_int(v), j = as_int(w);"
	        " sum += %s; }"
	        " a[x] = sum; }",
	        added);
	device_set(device, COEFFICIENT_MISPREDICT, 1e-9);
	device_set(device, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_FLOAT, OP_CLASS_ADD), 1e-11);
	device_set(device, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_FLOAT, OP_CLASS_ROUND), 1e-10);
	p = source_answer(source, device, ITEMS, 64);
	free(device);
	return row_count(&p, "branches guessed wrong") / 8;
}

static void roundings_are_guessed_by_sign(void **state)
{
	(void)state;
	assert_close(wrong_ways("rint(v - w)"), 0.5, 1e-3);
	assert_close(wrong_ways("convert_int_rte(v * n)"), 0.25, 1e-3);
	assert_close(wrong_ways("rint(sqrt(v) + fabs(w - v))"), 0, 1e-9);
	assert_close(wrong_ways("rint(d[x] * 0.3f)"), 0, 1e-9);
	assert_close(wrong_ways("rint(fmax(v - w, 0.0f))"), 0, 1e-9);
	assert_close(wrong_ways("floor(v - w)"), 0, 1e-9);
	/* what repeats is put right seldom; a vector has a mask */
	assert_close(wrong_ways("v - n * rint(v / n)"), 0, 1e-9);
	assert_close(wrong_ways("rint(c[x] - v).x"), 0, 1e-9);
}

static void saturated_sums_are_guessed_by_both_signs(void **state)
{
	(void)state;
	assert_close(wrong_ways("add_sat(i - j, i - 3 * j)"), 0.5 + 0.25, 1e-3);
	assert_close(wrong_ways("sub_sat(i - j, i - 3 * j)"), 0.5 + 0.25, 1e-3);
	assert_close(wrong_ways("add_sat(i, j)"), 0.375 + 0.0625, 1e-3);
	/* the signs differ where the other one's is negative */
	assert_close(wrong_ways("add_sat(i, (int)d[x])"), 0.25, 1e-3);
	assert_close(wrong_ways("sub_sat(i, 5)"), 0.25, 1e-3);
	assert_close(wrong_ways("add_sat((int)d[x], (int)d[x + k])"), 0, 1e-9);
	assert_close(wrong_ways("add_sat(as_uint(v), as_uint(w))"), 0, 1e-9);
}

/* What functions of an argument take that all work-items share. */
static double shared_time_s(const char *function, enum op_class op)
{
	struct device *device = core();
	struct prediction p;
	char source[256];

	snprintf(source, sizeof source,
	         "kernel void f(global float *a, global float *b, float n)"
	         "{ int x = get_global_id(0); a[x] = b[x] + %s(n); }",
	         function);
	device_set(device, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_FLOAT, op), 1e-8);
	device_set(device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, op), 1e-8);
	p = source_answer(source, device, ITEMS, 64);
	free(device);
	return p.kernel_time_s;
}

static void a_function_that_writes_is_called_again(void **state)
{
	(void)state;
	assert_close(shared_time_s("sin", OP_CLASS_SIN), all * 1e-8, 0.1);
	assert_close(shared_time_s("cos", OP_CLASS_SIN), all * 1e-8, 0.1);
	assert_close(shared_time_s("tan", OP_CLASS_TAN), all * 1e-8, 0.1);
	assert_true(shared_time_s("atan", OP_CLASS_ATAN) < all * 1e-9);
	assert_true(shared_time_s("exp", OP_CLASS_EXP) < all * 1e-9);
}

static void parts_of_an_argument_come_out_once(void **state)
{
	struct device *device = core();
	struct prediction p;

	(void)state;
	p = source_answer("kernel void f(global float4 *a, global float4 *b, int n)"
	                  "{ int x = get_global_id(0); float4 g = (float4)(n, n + 1, n + 2, n + 3),"
	                  " v = b[x] * g; a[x] = v * g.y + g.z * g.w; }",
	                  device, ITEMS, 64);
	assert_close(row_count(&p, "moves of a vector's parts"), 0, 1e-9);
	free(device);
}

/* What each of so many iterations takes, each of which waits for the one before. */
static double iteration_s(const char *step, bool is_chained, enum op_class op, double chain_s)
{
	enum { TRIPS = 4096 };
	struct device *device = core();
	struct prediction p;
	char source[256];

	snprintf(source, sizeof source,
	         "kernel void f(global float *a, global float *b)"
	         "{ int x = get_global_id(0); float v = b[x], sum = 0;"
	         " for (int k = 0; k < %d; k++) { %s sum += %s; %s }"
	         " a[x] = sum + v; }",
	         (int)TRIPS, is_chained ? "" : "v = b[x + k];", step, is_chained ? "v = sum;" : "");
	device_set(device, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_FLOAT, op), 1e-10);
	device_set(device, coefficient_chain(TYPE_CLASS_FLOAT, op), chain_s);
	p = source_answer(source, device, ITEMS, 64);
	free(device);
	return p.kernel_time_s / (all * (double)TRIPS);
}

static void what_needs_a_result_waits_for_as_long_as_was_calibrated(void **state)
{
	double units = 4;

	(void)state;
	assert_close(iteration_s("exp(v)", true, OP_CLASS_EXP, 1e-6), 1e-6 / units, 0.15);
	assert_close(iteration_s("1.0f / v", true, OP_CLASS_DIV, 1e-6), 1e-6 / units, 0.15);
	assert_true(iteration_s("1.0f / v", false, OP_CLASS_DIV, 1e-6) < 1e-8);
}

/* What a work-item takes for 64 iterations of so many additions, each of which waits for the one
 * before; no iteration waits for another. */
static double long_iterations_s(unsigned additions)
{
	struct device *device = core();
	struct prediction p;
	char source[4096];
	int length = snprintf(source, sizeof source,
	                      "kernel void f(global int *a, global int *b, int n)"
	                      "{ int x = get_global_id(0); for (int k = 0; k < 64; k++)"
	                      " { int v = b[x + k];");

	for (unsigned i = 0; i < additions; i++)
		length += snprintf(source + length, sizeof source - (size_t)length,
		                   " v = (v ^ n) + k;");
	(void)snprintf(source + length, sizeof source - (size_t)length, " a[x + k] = v; } }");
	device_set(device, COEFFICIENT_WINDOW, 100);
	device_set(device, COEFFICIENT_INT_LATENCY, 1e-9);
	p = source_answer(source, device, ITEMS, 64);
	free(device);
	return p.kernel_time_s * 4 / all / 64;
}

static void an_iteration_that_fills_the_window_is_waited_for(void **state)
{
	(void)state;
	/* 200 operations one after another, and hardly half of the next iteration's */
	assert_in_range(long_iterations_s(100) * 1e9, 110, 200);
	/* 10 of them, and those of ten further iterations */
	assert_in_range(long_iterations_s(5) * 1e12, 0, 2000);
}

/* Where each condition is made of the two before it, ways through them are without number. */
static void conditions_that_share_operands_end(void **state)
{
	enum { STEPS = 300 };
	struct device *device = core();
	char *source = malloc((size_t)STEPS * 64 + 512), *end = source;

	(void)state;
	assert_non_null(source);
	end += sprintf(end, "kernel void f(global float *a, global int *b)"
	                    "{ int x = get_global_id(0);"
	                    " int c0 = a[x] < 1.0f, c1 = a[x + 1] < b[x];");
	for (int i = 2; i < STEPS; i++)
		end += sprintf(end, " int c%d = c%d %c c%d;", i, i - 1, i % 2 ? '|' : '&', i - 2);
	(void)sprintf(end, " if (c%d) { a[x] = 1; b[x] = 2; } }", STEPS - 1);
	assert_true(source_answer(source, device, ITEMS, 64).kernel_time_s > 0);
	free(source);
	free(device);
}

/* What a work-item waits for that repeats this 1000 times. */
static double waits(const char *step)
{
	struct device *device = core();
	struct prediction p;
	char source[512];

	snprintf(source, sizeof source,
	         "kernel void f(global float *a) { float c = a[get_global_id(0)], x = 1;"
	         " for (int i = 0; i < 1000; i++) { %s } a[get_global_id(0)] = x; }",
	         step);
	device_make_scalar(device);
	device_set(device, COEFFICIENT_WINDOW, 0);
	device_set(device, COEFFICIENT_INT_LATENCY, 0.25e-9);
	device_set(device, COEFFICIENT_FLOAT_LATENCY, 0.5e-9);
	device_set(device, COEFFICIENT_MUL_LATENCY, 0.75e-9);
	p = source_answer(source, device, ITEMS, 64);
	free(device);
	return row_time(&p, "latency of dependent operations");
}

/* Zen 4: 65536 work-items take 30 ms for a chain of additions, 40 for either of the others. */
static void a_factor_waits_for_all_of_a_product_and_a_sum(void **state)
{
	double add = waits("x = x + c;");

	(void)state;
	assert_close(waits("x = x * c;"), 0.75 / 0.5 * add, 0.02);
	assert_close(waits("x = x * c + 1.0f;"), 1.0 / 0.5 * add, 0.02);
	assert_close(waits("x = fma(x, c, 1.0f);"), 1.0 / 0.5 * add, 0.02);
	assert_close(waits("x = fma(c, c, x);"), 0.75 / 0.5 * add, 0.02);
}

/* Waiting of a long chain that one work-group of so many goes through. */
static double rare_waits(unsigned groups)
{
	struct device *device = core();
	struct prediction p;
	char source[512];

	snprintf(source, sizeof source,
	         "kernel void f(global float *a) { float c = a[get_global_id(0)], x = 1;"
	         " if (get_group_id(0) %% %u == 0) for (int i = 0; i < 1000; i++) x = x * c;"
	         " a[get_global_id(0)] = x; }",
	         groups);
	device_make_scalar(device);
	device_set(device, COEFFICIENT_MUL_LATENCY, 10e-9);
	p = source_answer(source, device, ITEMS, 64);
	free(device);
	return row_time(&p, "latency of dependent operations");
}

/* The window is full of those thousand iterations, however few work-items have them. */
static void a_chain_that_few_go_through_waits_as_long(void **state)
{
	double all_wait = rare_waits(1);

	(void)state;
	assert_true(all_wait > 0);
	assert_close(rare_waits(8) / all_wait, 1.0 / 8, 0.15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(roundings_are_guessed_by_sign),
	        cmocka_unit_test(saturated_sums_are_guessed_by_both_signs),
	        cmocka_unit_test(a_function_that_writes_is_called_again),
	        cmocka_unit_test(parts_of_an_argument_come_out_once),
	        cmocka_unit_test(what_needs_a_result_waits_for_as_long_as_was_calibrated),
	        cmocka_unit_test(an_iteration_that_fills_the_window_is_waited_for),
	        cmocka_unit_test(conditions_that_share_operands_end),
	        cmocka_unit_test(a_factor_waits_for_all_of_a_product_and_a_sum),
	        cmocka_unit_test(a_chain_that_few_go_through_waits_as_long),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
