/* SPDX-License-Identifier: Apache-2.0 */
/* Which work-items of a group are a CPU's lanes between barriers, and what they keep. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/frontend/analysis.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"

enum { SIDE = 256 };

static const double all = (double)SIDE * (double)SIDE;

/* Vectors load 4 bytes in 10 ps and store in 20, scalars in 100 and 200; a gather takes 1 ns. */
static struct device *core(void)
{
	struct device *device = device_cpu();

	device_set(device, COEFFICIENT_LOAD_VECTOR, 1e-11);
	device_set(device, COEFFICIENT_STORE_VECTOR, 2e-11);
	device_set(device, COEFFICIENT_LOAD_SCALAR, 1e-10);
	device_set(device, COEFFICIENT_STORE_SCALAR, 2e-10);
	device_set(device, COEFFICIENT_LOAD_GATHER, 1e-9);
	device_set(device, COEFFICIENT_STORE_SCATTER, 2e-9);
	device_set(device, COEFFICIENT_LOCAL_LOAD, 3e-9);
	device_set(device, COEFFICIENT_LOCAL_STORE, 4e-9);
	return device;
}

static struct prediction ask(const char *source, uint64_t x, uint64_t y)
{
	struct device *device = core();
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_2d(SIDE, SIDE, x, y);
	struct prediction prediction;

	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		if (kernel->arguments[i].kind == ARGUMENT_BUFFER)
			launch_buffer(&launch, (uint64_t)SIDE * SIDE * 8);
		else
			launch_integer(&launch, (enum scalar)kernel->arguments[i].type.scalar,
			               SIDE);
	}
	prediction = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return prediction;
}

/* A transposition through a tile, with so much more to do behind the barrier. */
static struct prediction transposed(uint64_t side, const char *more)
{
	char source[1024];

	(void)snprintf(source, sizeof source,
	               "kernel void f(global const float *a, global float *b, int w) {"
	               " local float t[16][17]; int x = get_local_id(0), y = get_local_id(1);"
	               " int left = get_group_id(0) * 16, top = get_group_id(1) * 16;"
	               " t[y][x] = a[(top + y) * w + left + x]; barrier(CLK_LOCAL_MEM_FENCE);"
	               " float v = t[x][y]; %s b[(left + y) * w + top + x] = v; }",
	               more);
	return ask(source, side, side);
}

static void columns_gather_what_long_rows_kept(void **state)
{
	struct prediction p = transposed(16, "");

	(void)state;
	/* both ids as they are and as positions: the region behind the barrier is unrolled */
	assert_close(row_count(&p, "values kept across barriers"), 8, 1e-6);
	assert_true(rows_time(&p, "values kept across barriers") > all * 3e-9);
	/* one operation more, and it is not: they come as vectors */
	p = transposed(16, "v = v * 3 + 1;");
	assert_true(rows_time(&p, "values kept across barriers") < all * 1e-9);
	/* short rows are loaded whole */
	p = transposed(8, "");
	assert_true(rows_time(&p, "values kept across barriers") < all * 1e-9);
}

static void ids_are_not_kept(void **state)
{
	static const char *const type[] = {"size_t", "int"};
	double time_s[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		char source[512];
		struct prediction p;

		(void)snprintf(source, sizeof source,
		               "kernel void f(global float *a, int n) { local float t[512];"
		               " %s l = get_local_id(0); t[l] = 1; barrier(CLK_LOCAL_MEM_FENCE);"
		               " a[get_global_id(0)] = t[l + n]; }",
		               type[i]);
		p = ask(source, 64, 1);
		time_s[i] = rows_time(&p, "local load");
	}
	/* an int was made of it before the barrier: what follows from that is gathered */
	assert_close(time_s[0], all * 1e-11, 0.1);
	assert_close(time_s[1], all * 3e-9, 0.1);
}

static void what_wraps_behind_a_barrier_is_a_vector(void **state)
{
	struct prediction p =
	        ask("kernel void f(global float *a) { local float t[64]; int l = get_local_id(0);"
	            " t[l] = 1; barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] = t[l & 7]; }",
	            64, 1);

	(void)state;
	assert_false(p.is_scalar);
	assert_close(rows_time(&p, "local load"), all * 3e-9, 0.1);
}

static void several_ways_by_a_number_are_no_vectors(void **state)
{
	static const char *const second[] = {"v == 2", "v > 2"};
	bool is_switch[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		char source[512];

		(void)snprintf(
		        source, sizeof source,
		        "kernel void f(global const int *k, global float *a, global float *b)"
		        " { size_t x = get_global_id(0); int v = k[x]; if (v == 1) a[x] = 1;"
		        " else if (%s) b[x] = 2; }",
		        second[i]);
		is_switch[i] = strstr(ask(source, 64, 1).note, "several ways") != NULL;
	}
	assert_true(is_switch[0]);
	assert_false(is_switch[1]);
}

static void a_dot_product_keeps_vectors_whole(void **state)
{
	static const char *const value[] = {"dot((float3)(p, q, n), (float3)(q, n, p))",
	                                    "length((float3)(p, q, n))", "p * q + q * n + n * p",
	                                    "cross((float3)(p, q, n), (float3)(q, n, p)).x"};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		char source[512];

		(void)snprintf(source, sizeof source,
		               "kernel void f(global const float *a, global float *b, int w)"
		               "{ size_t x = get_global_id(0); float p = a[x], q = a[x + w],"
		               " n = a[x + 2 * w]; b[x] = %s; }",
		               value[i]);
		assert_int_equal(ask(source, 64, 1).is_scalar, i < 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(columns_gather_what_long_rows_kept),
	        cmocka_unit_test(ids_are_not_kept),
	        cmocka_unit_test(what_wraps_behind_a_barrier_is_a_vector),
	        cmocka_unit_test(several_ways_by_a_number_are_no_vectors),
	        cmocka_unit_test(a_dot_product_keeps_vectors_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
