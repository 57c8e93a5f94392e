/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a CPU's core, or a GPU's, does with kernels that were predicted badly once, from their
 * sources; on a device of round numbers.
 */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/predict.h"
#include "tests/unit/frontend/analysis.h"
#include "tests/unit/predict/kernels.h"

enum { ITEMS = 1 << 16, WIDTH = 777 };

static const double all = ITEMS;

static struct prediction answer(const char *source, const struct device *device, uint64_t items,
                                uint64_t group)
{
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_1d(items, group);
	struct prediction prediction = {0};
	struct error error = {0};

	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		if (kernel->arguments[i].kind == ARGUMENT_BUFFER)
			launch_buffer(&launch, items * 4 + 4096);
		else
			launch_integer(&launch, (enum scalar)kernel->arguments[i].type.scalar,
			               WIDTH);
	}
	if (predict(kernel, device, &launch, NULL, &prediction, &error) != STATUS_OK)
		fail_msg("%s: %s", source, error.text);
	kernel_free(kernel);
	return prediction;
}

/* Of the rows that begin so. */
static double row_time(const struct prediction *prediction, const char *what)
{
	double time_s = 0;

	for (uint32_t i = 0; i < prediction->row_count; i++)
		if (strncmp(prediction->rows[i].what, what, strlen(what)) == 0)
			time_s += prediction->rows[i].time_s;
	return time_s;
}

/* A CPU that makes vectors, and on which all but what a test sets is nearly nothing. */
static struct device *core(void)
{
	struct device *device = device_cpu();

	device_set(device, COEFFICIENT_LAUNCH_BASE, 1e-9);
	device_set(device, COEFFICIENT_LAUNCH_GROUP, 1e-12);
	device_set(device, COEFFICIENT_WINDOW, 1000);
	return device;
}

static void dividers_of_integers_and_of_reals_work_at_the_same_time(void **state)
{
	struct device *device = core();
	struct prediction p;

	(void)state;
	device_set(device, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_INT, OP_CLASS_DIV), 2e-9);
	device_set(device, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_FLOAT, OP_CLASS_DIV), 1e-9);
	p = answer("kernel void f(global float *a, global float *b, uint n)"
	           "{ int x = get_global_id(0); a[x] = b[x / n] / b[x]; }",
	           device, ITEMS, 64);
	assert_true(p.is_scalar);
	assert_close(p.kernel_time_s, all * 2e-9, 0.1);
	free(device);
}

static void a_position_of_either_sign_is_frozen(void **state)
{
	struct device *device = core();
	struct prediction p;

	(void)state;
	device_set(device, COEFFICIENT_LOAD_GATHER, 3e-10);
	device_set(device, COEFFICIENT_STORE_SCATTER, 7e-10);
	device_set(device, COEFFICIENT_LOCAL_LOAD, 5e-10);
	/*
	 * n makes the row unsigned; what is put together again is x all the same. Where it is
	 * the position its vector is there already, 47 further it is not
	 */
	p = answer("kernel void f(global float *a, global float *b, uint n)"
	           "{ int x = get_global_id(0); int row = x / n; int col = x % n;"
	           " a[x] = b[x + 47] + b[row * n + col]; }",
	           device, ITEMS, 256);
	assert_false(p.is_scalar);
	assert_close(row_time(&p, "coalesced read"), all * (3e-10 + 5e-10), 0.01);
	assert_close(row_time(&p, "coalesced write"), all * 7e-10, 0.01);
	free(device);
}

static void gathers_leave_a_core_nothing_else_to_do(void **state)
{
	struct device *device = core();
	double streamed_s, gathered_s;

	(void)state;
	device_set(device, COEFFICIENT_LOCAL_LOAD, 1e-9);
	device_set(device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_MUL), 1e-10);
	streamed_s = answer("kernel void f(global float *a, global float *b)"
	                    "{ int x = get_global_id(0); float v = b[x];"
	                    " a[x] = v * v * v * v * v * v * v * v; }",
	                    device, ITEMS, 256)
	                     .kernel_time_s;
	gathered_s = answer("kernel void f(global float *a, global float *b)"
	                    "{ int x = get_global_id(0); float v = b[x + 3];"
	                    " a[x] = v * v * v * v * v * v * v * v; }",
	                    device, ITEMS, 256)
	                     .kernel_time_s;
	assert_close(gathered_s - streamed_s, all * 1e-9, 0.05);
	free(device);
}

static void what_arguments_decide_is_done_once_for_a_group(void **state)
{
	struct device *device = core();
	struct prediction p;

	(void)state;
	device_set(device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_DIV), 1e-9);
	device_set(device, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_FLOAT, OP_CLASS_DIV), 1e-8);
	p = answer("kernel void f(global float *a, global float *b, uint n)"
	           "{ uint x = get_global_id(0); a[x] = 5.0f / (n + 1.0f) + b[x]; }",
	           device, ITEMS, 256);
	assert_false(p.is_scalar);
	assert_true(p.kernel_time_s < all * 1e-10);
	/* what is read is read again by each vector, but not by each lane */
	device_set(device, COEFFICIENT_LOAD_SCALAR, 8e-9);
	device_set(device, COEFFICIENT_LOAD_VECTOR, 8e-9);
	device_set(device, COEFFICIENT_STORE_VECTOR, 1e-11);
	p = answer("kernel void f(global float *a, global float *b)"
	           "{ uint x = get_global_id(0); a[x] = 5.0f / b[7]; }",
	           device, ITEMS, 256);
	assert_close(row_time(&p, "constant read"), all * 1e-9, 0.01);
	assert_true(p.kernel_time_s < all * 1.5e-9);
	/* without vectors the next work-item divides again: a store may have changed it */
	device_set(device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_ADD), 1e-10);
	device_set(device, COEFFICIENT_LOAD_SCALAR, 1e-10);
	p = answer("kernel void f(global float *a, global float *b, uint n)"
	           "{ uint x = get_global_id(0); a[x] = 5.0f / b[7]; }",
	           device, ITEMS, 256);
	assert_true(p.is_scalar);
	assert_close(p.kernel_time_s, all * 1e-8, 0.1);
	p = answer("kernel void f(global float *a, global float *b, uint n)"
	           "{ uint x = get_global_id(0); a[x] = 5.0f / (n + 1.0f) + b[x]; }",
	           device, ITEMS, 256);
	assert_true(p.kernel_time_s < all * 1e-9);
	free(device);
}

static void a_division_by_a_constant_is_a_product(void **state)
{
	struct device *device = core();
	struct prediction p;

	(void)state;
	device_set(device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_INT, OP_CLASS_MUL), 1e-10);
	device_set(device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_INT, OP_CLASS_ODD), 1e-8);
	device_set(device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_INT, OP_CLASS_DIV), 1e-7);
	device_set(device, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_INT, OP_CLASS_DIV), 1e-7);
	p = answer("kernel void f(global int *a, global int *b)"
	           "{ uint x = get_global_id(0); a[x] = b[x] / 13; }",
	           device, ITEMS, 256);
	assert_false(p.is_scalar);
	assert_close(row_time(&p, "int mul"), all * 2e-10, 0.01);
	assert_true(p.kernel_time_s < all * 1e-9);
	free(device);
}

static bool is_unrolled(const struct device *device, const char *source)
{
	return strstr(answer(source, device, ITEMS, 32).note, "that is short") != NULL;
}

static void an_int_position_makes_a_short_loop_longer(void **state)
{
	struct device *device = core();

	(void)state;
	/* 32 times 9 instructions, two of them once */
	assert_true(is_unrolled(device, "kernel void f(global float *a, global float *b)"
	                                "{ uint x = get_global_id(0);"
	                                " a[x] = b[x & 0xfff] * b[194]; }"));
	/* 10: the position becomes one of 64 bits by two shifts */
	assert_false(is_unrolled(device, "kernel void f(global float *a, global float *b, uint k)"
	                                 "{ int x = get_global_id(0);"
	                                 " a[x] = (k - b[x]) * ((k / 2.0f) - a[x]); }"));
	assert_false(is_unrolled(device, "kernel void f(global float *a, global float *b, uint n)"
	                                 "{ int x = get_global_id(0); int row = x / n;"
	                                 " int col = x % n; float v = b[row * n + col];"
	                                 " a[x] = b[x + 47] + (v + v); }"));
	free(device);
}

static void a_launch_that_one_thread_does_waits_for_no_other(void **state)
{
	struct device *device = core();
	const char *source = "kernel void f(global float *a, global float *b)"
	                     "{ uint x = get_global_id(0); a[x] = b[x]; }";
	double one_s, few_s;

	(void)state;
	device_set(device, COEFFICIENT_SPREAD, 15e-6);
	device_set(device, COEFFICIENT_JOIN, 1e-9);
	/* an empty launch is over before a thread can have woken up */
	device_set(device, COEFFICIENT_LAUNCH_BASE, 1e-6);
	one_s = answer(source, device, 64, 64).kernel_time_s;
	few_s = answer(source, device, 256, 64).kernel_time_s;
	assert_true(few_s - one_s < 0.5e-6);
	free(device);
}

static void places_that_no_compiler_can_follow_are_gathered(void **state)
{
	struct device *device = core();
	struct prediction p;

	(void)state;
	device_set(device, COEFFICIENT_LOAD_SCALAR, 1e-10);
	device_set(device, COEFFICIENT_LOAD_GATHER, 1e-9);
	p = answer("kernel void f(global float *a, global float *b, global int *c)"
	           "{ uint x = get_global_id(0); a[x] = b[c[x]]; }",
	           device, ITEMS, 256);
	assert_false(p.is_scalar);
	assert_close(row_time(&p, "uncoalesced read of b"), all * 1e-9, 0.01);
	/* every fourth is read in pieces */
	p = answer("kernel void f(global float *a, global float *b)"
	           "{ size_t x = get_global_id(0); a[x] = b[x % 4096 * 4]; }",
	           device, 4096, 256);
	assert_true(row_time(&p, "uncoalesced read of b") < 4096 * 1.1e-10);
	free(device);
}

static void a_loop_that_data_bound_and_that_only_adds_leaves_nothing(void **state)
{
	struct device *device = core();
	struct prediction p;

	(void)state;
	device_set(device, COEFFICIENT_MISPREDICT, 1e-7);
	p = answer("kernel void f(global int *a, global int *b)"
	           "{ size_t x = get_global_id(0); int sum = a[x];"
	           " for (int i = 0; i < b[x]; i++) { sum -= 7; sum += 4; } a[x] = sum; }",
	           device, ITEMS, 256);
	assert_true(p.kernel_time_s < all * 1e-9);
	/* reals are added up one by one */
	p = answer("kernel void f(global float *a, global int *b)"
	           "{ size_t x = get_global_id(0); float sum = a[x];"
	           " for (int i = 0; i < b[x]; i++) sum -= 3; a[x] = sum; }",
	           device, ITEMS, 256);
	assert_true(p.kernel_time_s > all * 1e-7);
	free(device);
}

/* Of 65536 work-items that each sum up so many numbers where an addition waits 1 us. */
static double sum_time(const char *trips)
{
	struct device *device = core();
	char source[256];
	double time_s;

	device_set(device, COEFFICIENT_INT_LATENCY, 1e-6);
	device_set(device, COEFFICIENT_WINDOW, 0);
	snprintf(source, sizeof(source),
	         "kernel void f(global int *a, global int *b) { size_t x = get_global_id(0);"
	         " int sum = 0; for (int i = 0; i < %s; i++) sum += b[x + i]; a[x] = sum; }",
	         trips);
	time_s = answer(source, device, ITEMS, 256).kernel_time_s;
	free(device);
	return time_s * 4 / all;
}

static void few_trips_that_are_known_fill_one_vector(void **state)
{
	(void)state;
	/* 16 and a rest of 3; vectors of 8 without a rest; none for a rest of more than half */
	assert_close(sum_time("19"), 3e-6, 0.1);
	assert_true(sum_time("8") < 1e-7);
	assert_close(sum_time("15"), 15e-6, 0.1);
	/* five times four vectors, though a mean of samples says 159.99998 */
	assert_true(sum_time("160") < 1e-6);
}

static void work_items_that_fill_no_vector_run_one_by_one(void **state)
{
	struct device *device = core();
	struct prediction p;

	(void)state;
	device_set(device, COEFFICIENT_LOAD_VECTOR, 1e-11);
	device_set(device, COEFFICIENT_LOAD_SCALAR, 1e-10);
	/* 12 vectors of 8, and 4 */
	p = answer("kernel void f(global float *a, global float *b)"
	           "{ size_t x = get_global_id(0); a[x] = b[x]; }",
	           device, 100 * 100, 100);
	assert_false(p.is_scalar);
	assert_close(row_time(&p, "coalesced read"), 96 * 100 * 1e-11 + 4 * 100 * 1e-10, 0.01);
	/* 25 of 4 doubles */
	p = answer("kernel void f(global double *a, global double *b)"
	           "{ size_t x = get_global_id(0); a[x] = b[x]; }",
	           device, 100 * 100, 100);
	assert_close(row_time(&p, "coalesced read"), 100 * 100 * 2e-11, 0.01);
	free(device);
}

/* Keccak's step pi: which place is next stands in a table of the program. */
static void a_table_of_constants_leaves_an_array_in_registers(void **state)
{
	struct device *device = device_gpu();
	struct prediction p;

	(void)state;
	p = answer("constant int pi[4] = {2, 0, 3, 1};"
	           "kernel void f(global float *a, global float *b)"
	           "{ int x = get_global_id(0); float t[4]; for (int k = 0; k < 4; k++) t[k] = b[x "
	           "+ k];"
	           " float kept = t[0];"
	           " for (int k = 0; k < 4; k++) { float next = t[pi[k]]; t[pi[k]] = kept; kept = "
	           "next; }"
	           " a[x] = t[0] + t[1] * 2 + t[2] * 3 + t[3] * 4 + kept; }",
	           device, ITEMS, 64);
	assert_true(row_time(&p, "private") == 0);
	/* one that the launch decides is looked for in memory */
	p = answer("kernel void f(global float *a, global float *b, uint n)"
	           "{ int x = get_global_id(0); float t[4]; for (int k = 0; k < 4; k++) t[k] = b[x "
	           "+ k];"
	           " a[x] = t[(x + n) & 3]; }",
	           device, ITEMS, 64);
	assert_true(row_time(&p, "private") > 0);
	free(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(dividers_of_integers_and_of_reals_work_at_the_same_time),
	        cmocka_unit_test(a_position_of_either_sign_is_frozen),
	        cmocka_unit_test(gathers_leave_a_core_nothing_else_to_do),
	        cmocka_unit_test(what_arguments_decide_is_done_once_for_a_group),
	        cmocka_unit_test(a_division_by_a_constant_is_a_product),
	        cmocka_unit_test(an_int_position_makes_a_short_loop_longer),
	        cmocka_unit_test(places_that_no_compiler_can_follow_are_gathered),
	        cmocka_unit_test(a_loop_that_data_bound_and_that_only_adds_leaves_nothing),
	        cmocka_unit_test(few_trips_that_are_known_fill_one_vector),
	        cmocka_unit_test(work_items_that_fill_no_vector_run_one_by_one),
	        cmocka_unit_test(a_launch_that_one_thread_does_waits_for_no_other),
	        cmocka_unit_test(a_table_of_constants_leaves_an_array_in_registers),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
