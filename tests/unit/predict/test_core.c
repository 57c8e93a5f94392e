/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a CPU's core, or a GPU's, does with kernels that were predicted badly once, from their
 * sources; on a device of round numbers.
 */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/frontend/analysis.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/core.h"
#include "tests/unit/predict/kernels.h"

static void dividers_of_integers_and_of_reals_work_at_the_same_time(void **state)
{
	struct device *device = core();
	struct prediction p;

	(void)state;
	device_set(device, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_INT, OP_CLASS_DIV), 2e-9);
	device_set(device, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_FLOAT, OP_CLASS_DIV), 1e-9);
	p = source_answer("kernel void f(global float *a, global float *b, uint n)"
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
	p = source_answer("kernel void f(global float *a, global float *b, uint n)"
	                  "{ int x = get_global_id(0); int row = x / n; int col = x % n;"
	                  " a[x] = b[x + 47] + b[row * n + col]; }",
	                  device, ITEMS, 256);
	assert_false(p.is_scalar);
	assert_close(rows_time(&p, "coalesced read"), all * (3e-10 + 5e-10), 0.01);
	assert_close(rows_time(&p, "coalesced write"), all * 7e-10, 0.01);
	free(device);
}

static void what_arguments_decide_is_done_once_for_a_group(void **state)
{
	struct device *device = core();
	struct prediction p;

	(void)state;
	device_set(device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_DIV), 1e-9);
	device_set(device, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_FLOAT, OP_CLASS_DIV), 1e-8);
	p = source_answer("kernel void f(global float *a, global float *b, uint n)"
	                  "{ uint x = get_global_id(0); a[x] = 5.0f / (n + 1.0f) + b[x]; }",
	                  device, ITEMS, 256);
	assert_false(p.is_scalar);
	assert_true(p.kernel_time_s < all * 1e-10);
	/* what is read is read again by each vector, but not by each lane */
	device_set(device, COEFFICIENT_LOAD_SCALAR, 8e-9);
	device_set(device, COEFFICIENT_LOAD_VECTOR, 8e-9);
	device_set(device, COEFFICIENT_STORE_VECTOR, 1e-11);
	p = source_answer("kernel void f(global float *a, global float *b)"
	                  "{ uint x = get_global_id(0); a[x] = 5.0f / b[7]; }",
	                  device, ITEMS, 256);
	assert_close(rows_time(&p, "constant read"), all * 1e-9, 0.01);
	assert_true(p.kernel_time_s < all * 1.5e-9);
	/* without vectors the next work-item divides again: a store may have changed it */
	device_set(device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_ADD), 1e-10);
	device_set(device, COEFFICIENT_LOAD_SCALAR, 1e-10);
	p = source_answer("kernel void f(global float *a, global float *b, uint n)"
	                  "{ uint x = get_global_id(0); a[x] = 5.0f / b[7]; }",
	                  device, ITEMS, 256);
	assert_true(p.is_scalar);
	assert_close(p.kernel_time_s, all * 1e-8, 0.1);
	p = source_answer("kernel void f(global float *a, global float *b, uint n)"
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
	device_set(device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_INT, OP_CLASS_MUL_HI), 1e-8);
	device_set(device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_INT, OP_CLASS_DIV), 1e-7);
	device_set(device, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_INT, OP_CLASS_DIV), 1e-7);
	p = source_answer("kernel void f(global int *a, global int *b)"
	                  "{ uint x = get_global_id(0); a[x] = b[x] / 13; }",
	                  device, ITEMS, 256);
	assert_false(p.is_scalar);
	assert_close(rows_time(&p, "int mul"), all * 2e-10, 0.01);
	assert_true(p.kernel_time_s < all * 1e-9);
	free(device);
}

static void what_is_likely_wide_is_divided_by_64_bits(void **state)
{
	static const struct {
		const char *expression;
		bool is_wide;
	} cases[] = {
	        {"a[x] % b[x]", true},
	        {"a[x] % n", true},
	        {"(ulong)c[x] * c[x + 1] % n", true},
	        {"a[x] % 1000 % n", false},
	        {"x % n", false},
	        {"x * n % (n + 1)", false},
	        {"(ulong)c[x] % c[x + 1]", false},
	        {"(a[x] >> 40) % n", false},
	};
	struct device *device = core();

	(void)state;
	device_set(device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_LONG, OP_CLASS_MOD), 1e-10);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char source[256];
		struct prediction p, q;

		snprintf(source, sizeof source,
		         "kernel void f(global ulong *a, global const ulong *b,"
		         " global const uint *c, ulong n)"
		         "{ ulong x = get_global_id(0); a[x] = %s; }",
		         cases[i].expression);
		device->coefficient[coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_LONG,
		                                   OP_CLASS_WIDE_MOD)]
		        .is_known = false;
		p = source_answer(source, device, ITEMS, 256);
		device_set(device,
		           coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_LONG, OP_CLASS_WIDE_MOD),
		           1e-8);
		q = source_answer(source, device, ITEMS, 256);
		if (cases[i].is_wide != (q.kernel_time_s > 10 * p.kernel_time_s))
			fail_msg("%s: %g s, then %g s", cases[i].expression, p.kernel_time_s,
			         q.kernel_time_s);
	}
	free(device);
}

static bool is_unrolled(const struct device *device, const char *source)
{
	return strstr(source_answer(source, device, ITEMS, 32).note, "that is short") != NULL;
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
	/* a function of math is dozens of them */
	device_set(device, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_FLOAT, OP_CLASS_NATIVE_SIN),
	           1e-9);
	device_set(device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_NATIVE_SIN),
	           1e-10);
	assert_false(is_unrolled(device, "kernel void f(global float *a, global float *b)"
	                                 "{ uint x = get_global_id(0);"
	                                 " a[x] = native_sin(b[x & 0xfff]); }"));
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
	one_s = source_answer(source, device, 64, 64).kernel_time_s;
	few_s = source_answer(source, device, 256, 64).kernel_time_s;
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
	p = source_answer("kernel void f(global float *a, global float *b, global int *c)"
	                  "{ uint x = get_global_id(0); a[x] = b[c[x]]; }",
	                  device, ITEMS, 256);
	assert_false(p.is_scalar);
	assert_close(rows_time(&p, "uncoalesced read of b"), all * 1e-9, 0.01);
	/* every fourth is picked out of all, unless it may wrap */
	p = source_answer("kernel void f(global float *a, global float *b)"
	                  "{ size_t x = get_global_id(0); a[x] = b[x % 4096 * 4]; }",
	                  device, 4096, 256);
	assert_close(rows_time(&p, "uncoalesced read of b"), 4096 * 1e-9, 0.01);
	p = source_answer("kernel void f(global float *a, global float *b)"
	                  "{ size_t x = get_global_id(0); a[x] = b[x * 4]; }",
	                  device, 4096, 256);
	assert_true(rows_time(&p, "uncoalesced read of b") < 4096 * 1.1e-10);
	free(device);
}

static void a_loop_that_data_bound_and_that_only_adds_leaves_nothing(void **state)
{
	struct device *device = core();
	struct prediction p;

	(void)state;
	device_set(device, COEFFICIENT_MISPREDICT, 1e-7);
	p = source_answer("kernel void f(global int *a, global int *b)"
	                  "{ size_t x = get_global_id(0); int sum = a[x];"
	                  " for (int i = 0; i < b[x]; i++) { sum -= 7; sum += 4; } a[x] = sum; }",
	                  device, ITEMS, 256);
	assert_true(p.kernel_time_s < all * 1e-9);
	/* reals are added up one by one */
	p = source_answer("kernel void f(global float *a, global int *b)"
	                  "{ size_t x = get_global_id(0); float sum = a[x];"
	                  " for (int i = 0; i < b[x]; i++) sum -= 3; a[x] = sum; }",
	                  device, ITEMS, 256);
	assert_true(p.kernel_time_s > all * 1e-7);
	free(device);
}

/* Of 65536 work-items where an addition waits 1 us. */
static double waiting_time(const char *source)
{
	struct device *device = core();
	double time_s;

	device_set(device, COEFFICIENT_INT_LATENCY, 1e-6);
	device_set(device, COEFFICIENT_WINDOW, 0);
	time_s = source_answer(source, device, ITEMS, 256).kernel_time_s;
	free(device);
	return time_s * 4 / all;
}

/* The same where each sums up so many such numbers. */
static double sum_time_of(const char *trips, const char *number)
{
	char source[256];

	snprintf(source, sizeof(source),
	         "kernel void f(global int *a, global int *b) { size_t x = get_global_id(0);"
	         " int sum = 0; for (int i = 0; i < %s; i++) sum += %s; a[x] = sum; }",
	         trips, number);
	return waiting_time(source);
}

/* The same, counting in 16 bits what is more than 3. */
static double narrow_sum_time(const char *trips)
{
	char source[256];

	snprintf(source, sizeof(source),
	         "kernel void f(global ushort *a, global uchar *b) { size_t x = get_global_id(0);"
	         " ushort n = 0; for (int i = 0; i < %s; i++) n += b[x + i] > 3; a[x] = n; }",
	         trips);
	return waiting_time(source);
}

static double sum_time(const char *trips)
{
	return sum_time_of(trips, "b[x + i]");
}

static void sums_of_other_signs_and_of_bits_are_lanes(void **state)
{
	(void)state;
	/* abs() is unsigned, and so the sum is, between two conversions that do nothing */
	assert_true(sum_time_of("160", "abs(b[x + i])") < 1e-6);
	assert_true(sum_time_of("160", "popcount(b[x + i])") < 1e-6);
	assert_true(sum_time_of("160", "rotate(b[x + i], 5)") < 1e-6);
	/* in 16 bits, though C makes an int of it; vectors of 16, and of their rest */
	assert_true(narrow_sum_time("160") < 1e-6);
	assert_true(narrow_sum_time("179") < 7e-6);
	/* what follows from the sum itself is no term of it */
	assert_true(sum_time_of("160", "(short)sum + b[x + i]") > 100e-6);
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
	p = source_answer("kernel void f(global float *a, global float *b)"
	                  "{ size_t x = get_global_id(0); a[x] = b[x]; }",
	                  device, 100 * 100, 100);
	assert_false(p.is_scalar);
	assert_close(rows_time(&p, "coalesced read"), 96 * 100 * 1e-11 + 4 * 100 * 1e-10, 0.01);
	/* 25 of 4 doubles */
	p = source_answer("kernel void f(global double *a, global double *b)"
	                  "{ size_t x = get_global_id(0); a[x] = b[x]; }",
	                  device, 100 * 100, 100);
	assert_close(rows_time(&p, "coalesced read"), 100 * 100 * 2e-11, 0.01);
	free(device);
}

/* Keccak's step pi: which place is next stands in a table of the program. */
static void a_table_of_constants_leaves_an_array_in_registers(void **state)
{
	struct device *device = device_gpu();
	struct prediction p;

	(void)state;
	p = source_answer(
	        "constant int pi[4] = {2, 0, 3, 1};"
	        "kernel void f(global float *a, global float *b)"
	        "{ int x = get_global_id(0); float t[4]; for (int k = 0; k < 4; k++) t[k] = b[x "
	        "+ k];"
	        " float kept = t[0];"
	        " for (int k = 0; k < 4; k++) { float next = t[pi[k]]; t[pi[k]] = kept; kept = "
	        "next; }"
	        " a[x] = t[0] + t[1] * 2 + t[2] * 3 + t[3] * 4 + kept; }",
	        device, ITEMS, 64);
	assert_true(rows_time(&p, "private") == 0);
	/* one that the launch decides is looked for in memory */
	p = source_answer(
	        "kernel void f(global float *a, global float *b, uint n)"
	        "{ int x = get_global_id(0); float t[4]; for (int k = 0; k < 4; k++) t[k] = b[x "
	        "+ k];"
	        " a[x] = t[(x + n) & 3]; }",
	        device, ITEMS, 64);
	assert_true(rows_time(&p, "private") > 0);
	free(device);
}

static double waiting_of(const struct device *device, const char *loop)
{
	char source[512];
	struct prediction p;

	(void)snprintf(
	        source, sizeof(source),
	        "kernel void f(global float *a, float c)"
	        "{ size_t x = get_global_id(0); float z = a[x]; int n = 0; %s a[x] = z + n; }",
	        loop);
	p = source_answer(source, device, 64, 64);
	return row_time(&p, "latency of dependent operations");
}

/* 16 trips: what the launch does not know. */
static void a_branch_waits_for_what_decides_it(void **state)
{
	struct device *device = device_gpu();
	double counted, decided;

	(void)state;
	device_set(device, COEFFICIENT_LOOP_LATENCY, 20e-9);
	device_set(device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_MUL), 1e-13);
	device_set(device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_FMA), 1e-13);
	counted = waiting_of(device, "for (; n < 16; n++) z = z * z + c;");
	decided = waiting_of(device, "while (z * z < 4.0f) { z = z * z + c; n++; }");
	/* each turn, and what z waits for: an FMA or a product and a sum, and a product */
	assert_true(decided > 16 * (20e-9 + 2 * 4e-9));
	assert_true(decided < 16 * (20e-9 + 5 * 4e-9) + 500e-9);
	assert_true(counted < decided);
	free(device);
}

static void a_launch_ends_with_the_warp_that_goes_around_most(void **state)
{
	struct device *device = device_gpu();

	(void)state;
	device_set(device, COEFFICIENT_LOOP_LATENCY, 20e-9);
	/* lanes of the last warp take 63 trips, those of the mean one 47 */
	assert_true(waiting_of(device, "for (; n < (int)x; n++) z = sqrt(z);") >
	            1.2 * 47.0 / 63 *
	                    waiting_of(device, "for (; n < 63 + (int)x / 64; n++) z = sqrt(z);"));
	free(device);
}

/* A counter's place in an array is known where its loop is unrolled, which a long one is not. */
static void an_array_at_the_counter_of_a_loop_that_stays_is_memory(void **state)
{
	static const char source[] = "kernel void f(global uint *a)"
	                             "{ size_t x = get_global_id(0); uint w[16], s = 0;"
	                             " for (int i = 0; i < 16; i++) w[i] = a[x + i];"
	                             " for (int i = 0; i < %s; i++) { w[i & 15] += w[(i + 1) "
	                             "& 15] ^ s; s += w[i & 15]; }"
	                             " a[x] = s; }";
	struct device *device = device_gpu();
	struct prediction p;
	char text[512];

	(void)state;
	(void)snprintf(text, sizeof(text), source, "60");
	p = source_answer(text, device, ITEMS, 64);
	assert_true(rows_time(&p, "private") == 0);
	(void)snprintf(text, sizeof(text), source, "6000");
	p = source_answer(text, device, ITEMS, 64);
	assert_true(rows_time(&p, "private") > 0);
	free(device);
}

static double reads_of(const struct device *device, const char *value)
{
	char source[256];
	struct prediction p;

	(void)snprintf(source, sizeof(source),
	               "kernel void f(global float4 *a, global float4 *b)"
	               "{ size_t x = get_global_id(0); a[x] = %s; }",
	               value);
	p = source_answer(source, device, ITEMS, 64);
	return rows_time(&p, "coalesced read") + rows_time(&p, "uncoalesced read");
}

static void a_vector_that_may_begin_anywhere_moves_by_elements(void **state)
{
	struct device *gpu = device_gpu(), *cpu = core();

	(void)state;
	assert_close(reads_of(gpu, "vload4(x, (global float *)b)") / reads_of(gpu, "b[x]"), 4,
	             0.15);
	assert_close(reads_of(cpu, "vload4(x, (global float *)b)") / reads_of(cpu, "b[x]"), 1,
	             0.01);
	free(gpu);
	free(cpu);
}

static double private_time(const struct device *device, const char *unroll)
{
	char source[512];
	struct prediction p;

	(void)snprintf(source, sizeof(source),
	               "kernel void f(global uint *out, int n)"
	               "{ uint x = get_global_id(0), state[4];"
	               " for (int i = 0; i < 4; i++) state[i] = out[x] + i;"
	               " for (int r = 0; r < n; r++) {\n%s\n"
	               "  for (int i = 0; i < 4; i++) state[i] = state[i] * 3 + state[3 - i]; }"
	               " out[x] = state[1]; }",
	               unroll);
	p = source_answer(source, device, ITEMS, 64);
	return rows_time(&p, "private");
}

static void an_array_is_in_registers_within_a_loop_that_knows_its_places(void **state)
{
	struct device *device = core();

	(void)state;
	/* filled at places that the first loop counts: loaded once, 777 times elsewhere */
	assert_true(private_time(device, "#pragma unroll") < private_time(device, "") / 100);
	free(device);
}

static void local_memory_is_memory_to_scalar_code(void **state)
{
	struct device *device = core();
	struct prediction p;

	(void)state;
	device_set(device, COEFFICIENT_LOCAL_LOAD, 1e-9); /* of vectors that gather */
	p = source_answer("kernel void f(global float4 *a)"
	                  "{ local float4 t[64]; int l = get_local_id(0), x = get_global_id(0) % "
	                  "64; t[l] = a[x];"
	                  " barrier(CLK_LOCAL_MEM_FENCE); a[x] = t[63 - l]; }",
	                  device, ITEMS, 64);
	assert_true(p.is_scalar);
	assert_close(rows_time(&p, "local load"), all * 1e-10, 0.01);
	free(device);
}

static void work_items_are_lanes_in_a_loop_around_them(void **state)
{
	static const char *const before[] = {"", "barrier(CLK_LOCAL_MEM_FENCE);",
	                                     "barrier(CLK_LOCAL_MEM_FENCE);\n#pragma unroll 4\n"};
	struct device *device = core();
	double waits_s[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		char text[512];
		struct prediction p;

		(void)snprintf(text, sizeof(text),
		               "kernel void f(global float *a, int n)"
		               "{ float v = a[get_global_id(0)]; %s"
		               " for (int i = 0; i < n; i++) v = v * 0.5f + 1;"
		               " a[get_global_id(0)] = v; }",
		               before[i]);
		p = source_answer(text, device, ITEMS, 64);
		assert_int_equal(p.is_scalar, i != 1); /* one unrolled in part stays inside */
		waits_s[i] = rows_time(&p, "latency");
	}
	assert_true(waits_s[1] < waits_s[0] / 10);
	free(device);
}

static void few_numbers_are_within_a_share_of_others(void **state)
{
	struct device *device = core();
	struct prediction p = source_answer("kernel void f(global float *a)"
	                                    "{ int x = get_global_id(0); float v = a[x];"
	                                    " if (fabs(v) < 1e-6f * a[x + 1]) a[x] = 1; }",
	                                    device, ITEMS, 64);

	(void)state;
	assert_true(row_count(&p, "coalesced write of a") < 0.02);
	free(device);
}

static void a_pragma_puts_iterations_together(void **state)
{
	struct device *device = core();
	struct prediction p = source_answer("kernel void f(global float *a, int n)"
	                                    "{ float v = a[get_global_id(0)];\n#pragma unroll 7\n"
	                                    " for (int i = 0; i < n; i++) v = v * v + 1;"
	                                    " a[get_global_id(0)] = v; }",
	                                    device, ITEMS, 64);

	(void)state;
	assert_close(row_count(&p, "loop iterations"), (double)WIDTH / 7, 1e-3);
	free(device);
}

static void a_variable_that_data_change_is_data(void **state)
{
	static const char source[] = "kernel void f(global uint *a, uint n)"
	                             "{ uint x = get_global_id(0), e = %s, p = 1;"
	                             " for (int i = 0; i < 10; i++)"
	                             " { if (e & 1) p = (p * n + (p >> 3) ^ p * p) + n / p;"
	                             " e >>= 1; } a[x] = p; }";
	struct device *device = core();

	(void)state;
	device_set(device, COEFFICIENT_MISPREDICT, 1e-9);
	for (unsigned i = 0; i < 2; i++) {
		char text[512];
		struct prediction p;

		(void)snprintf(text, sizeof(text), source, i == 1 ? "a[x]" : "n");
		p = source_answer(text, device, ITEMS, 64);
		assert_close(row_count(&p, "branches guessed wrong"), i == 1 ? 10 * 0.5 : 0, 1e-3);
	}
	free(device);
}

static void a_side_of_and_that_is_more_than_a_comparison_is_a_branch(void **state)
{
	static const char source[] = "kernel void f(global float *a, float w)"
	                             "{ int x = get_global_id(0); float v = a[x];"
	                             " if (v > w && %s) a[x] = 0; }";
	static const char *const sides[] = {"v < 9", "(w + v) / (w - v) < v"};
	struct device *device = core();
	double again_s[2];

	(void)state;
	device_set(device, COEFFICIENT_MISPREDICT, 1e-9);
	device_make_scalar(device);
	for (unsigned i = 0; i < 2; i++) {
		char text[512];
		struct prediction p;

		(void)snprintf(text, sizeof(text), source, sides[i]);
		p = source_answer(text, device, ITEMS, 64);
		again_s[i] = row_count(&p, "branches guessed wrong");
		if (i == 1) /* half of the work-items divide */
			assert_close(row_count(&p, "float div"), 0.5, 0.05);
	}
	/* two conditions, of which half of the work-items get to the second */
	assert_close(again_s[0], 0.25 * 1.5, 0.05);
	assert_close(again_s[1], again_s[0], 0.05);
	free(device);
}

static void upper_halves_of_64_bits_have_no_vectors(void **state)
{
	struct device *device = core();
	struct prediction narrow, wide;

	(void)state;
	narrow = source_answer("kernel void f(global float *a) { uint x = get_global_id(0);"
	                       "a[x] = x % 3 == 0 ? 2.0f : a[x] * a[x]; }",
	                       device, ITEMS, 256);
	wide = source_answer("kernel void f(global float *a) { size_t x = get_global_id(0);"
	                     "a[x] = x % 3 == 0 ? 2.0f : a[x] * a[x]; }",
	                     device, ITEMS, 256);
	assert_false(narrow.is_scalar);
	assert_true(wide.is_scalar);
	/* a power of two is a shift */
	wide = source_answer("kernel void f(global float *a) { size_t x = get_global_id(0);"
	                     "a[x] = x % 4 == 0 ? 2.0f : a[x] * a[x]; }",
	                     device, ITEMS, 256);
	assert_false(wide.is_scalar);
	free(device);
}

static void vectors_are_chosen_by_branches(void **state)
{
	static const char *const sources[] = {
	        "kernel void f(global float4 *a, global float4 *b)"
	        "{ int x = get_global_id(0); float4 v = a[x];"
	        "  if (v.x > 1.5f) v = v * 2.0f; else v = v * 3.0f; b[x] = v; }",
	        /* a number is chosen without one */
	        "kernel void f(global float4 *a, global float *b)"
	        "{ int x = get_global_id(0); float v = a[x].x;"
	        "  if (v > 1.5f) v = v * 2.0f; else v = v * 3.0f; b[x] = v; }",
	        /* what is put right is seldom wrong */
	        "kernel void f(global float4 *a, global float4 *b)"
	        "{ int x = get_global_id(0); float4 v = a[x];"
	        "  if (v.x < 0.0f || v.x > 1.0f) v.x = -v.x; b[x] = v; }"};
	struct device *device = core();
	struct prediction p;

	(void)state;
	device_set(device, COEFFICIENT_MISPREDICT, 1e-9);
	for (unsigned i = 0; i < sizeof sources / sizeof *sources; i++) {
		p = source_answer(sources[i], device, ITEMS, 64);
		assert_true(p.is_scalar);
		assert_true((rows_time(&p, "branches guessed wrong") > 0) == (i == 0));
	}
	free(device);
}

static void neighbours_under_a_mask_are_neighbours(void **state)
{
	struct device *device = core();
	struct prediction p;

	(void)state;
	device_set(device, COEFFICIENT_LOAD_VECTOR, 1e-12);
	device_set(device, COEFFICIENT_LOAD_GATHER, 1e-9);
	p = source_answer("kernel void f(global int *a, global int *b) { uint x = get_global_id(0);"
	                  "int v = b[x]; if (v > 500) v += b[x + 22]; a[x] = v; }",
	                  device, ITEMS, 64);
	assert_false(p.is_scalar);
	assert_true(rows_time(&p, "coalesced read of b") < all * 1e-11);
	p = source_answer("kernel void f(global int *a, global int *b) { uint x = get_global_id(0);"
	                  "int v = b[x]; if (v > 500) v += b[x * 9]; a[x] = v; }",
	                  device, ITEMS, 64);
	assert_true(rows_time(&p, "uncoalesced read of b") > all * 1e-10);
	free(device);
}

static void a_loop_around_work_items_keeps_what_it_leaves_twice(void **state)
{
	static const char *const inside = "acc = acc * 0.5f - 0.25f;";
	struct device *device = core();
	struct prediction p[3];

	(void)state;
	device_set(device, COEFFICIENT_FLOAT_LATENCY, 1e-6);
	for (unsigned i = 0; i < 3; i++) {
		char source[400];

		(void)snprintf(source, sizeof source,
		               "kernel void f(global %s *a, global %s *b) { local float t[64];"
		               "size_t x = get_global_id(0); %s acc = a[x];"
		               "t[get_local_id(0)] = b[x]; %s"
		               "for (int i = 0; i < 57; i++) { %s } acc += t[5]; a[x] = acc; }",
		               i < 2 ? "float" : "int", i < 2 ? "float" : "int",
		               i < 2 ? "float" : "int",
		               i > 0 ? "barrier(CLK_LOCAL_MEM_FENCE);" : "",
		               i < 2 ? inside : "acc += b[i];");
		p[i] = source_answer(source, device, ITEMS, 64);
	}
	/* alone it stays inside, and an iteration waits for the one before */
	assert_true(p[0].is_scalar);
	assert_true(p[0].bottleneck == BOTTLENECK_LATENCY);
	assert_false(p[1].is_scalar);
	assert_true(p[1].kernel_time_s < p[0].kernel_time_s / 4);
	/* one variable that is kept and left behind, and a counter: in each iteration; before and
	 * behind the loop the position, and what is summed */
	assert_close(row_count(&p[1], "values kept across barriers"), 57 * 5 + 4, 1e-6);
	/* sums of integers are vectors of iterations before work-items are put in a loop */
	assert_close(row_count(&p[2], "values kept across barriers"), 4, 1e-6);
	free(device);
}

static void a_sum_contracts_with_a_product_of_its_own_expression(void **state)
{
	static const struct {
		const char *text;
		double fmas, sums;
	} inside[] = {{"v = v * 0.5f + 1.0f;", 50, 0},
	              {"v = v * 0.5f; v += 1.0f;", 0, 50},
	              {"float t = v * 0.5f; v = t + 1.0f;", 0, 50},
	              {"v += v * 0.5f;", 50, 0},
	              {"v = fma(v, 0.5f, 1.0f);", 50, 0},
	              /* PoCL's library of built-in functions is compiled without */
	              {"v = mad(v, 0.5f, 1.0f);", 0, 50},
	              {"v = mix(1.0f, v, 0.5f);", 0, 100}};
	struct device *device = core();

	(void)state;
	for (unsigned i = 0; i < sizeof inside / sizeof *inside; i++) {
		char source[256];
		struct prediction p;

		(void)snprintf(source, sizeof source,
		               "kernel void f(global float *a) { float v = a[get_global_id(0)];"
		               "for (int k = 0; k < 50; k++) { %s } a[get_global_id(0)] = v; }",
		               inside[i].text);
		p = source_answer(source, device, ITEMS, 64);
		assert_close(row_count(&p, "float fma"), inside[i].fmas, 1e-6);
		assert_close(row_count(&p, "float add"), inside[i].sums, 1e-6);
	}
	free(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(dividers_of_integers_and_of_reals_work_at_the_same_time),
	        cmocka_unit_test(a_position_of_either_sign_is_frozen),
	        cmocka_unit_test(what_arguments_decide_is_done_once_for_a_group),
	        cmocka_unit_test(a_division_by_a_constant_is_a_product),
	        cmocka_unit_test(what_is_likely_wide_is_divided_by_64_bits),
	        cmocka_unit_test(an_int_position_makes_a_short_loop_longer),
	        cmocka_unit_test(places_that_no_compiler_can_follow_are_gathered),
	        cmocka_unit_test(a_loop_that_data_bound_and_that_only_adds_leaves_nothing),
	        cmocka_unit_test(few_trips_that_are_known_fill_one_vector),
	        cmocka_unit_test(sums_of_other_signs_and_of_bits_are_lanes),
	        cmocka_unit_test(work_items_that_fill_no_vector_run_one_by_one),
	        cmocka_unit_test(a_launch_that_one_thread_does_waits_for_no_other),
	        cmocka_unit_test(a_table_of_constants_leaves_an_array_in_registers),
	        cmocka_unit_test(a_vector_that_may_begin_anywhere_moves_by_elements),
	        cmocka_unit_test(a_branch_waits_for_what_decides_it),
	        cmocka_unit_test(a_launch_ends_with_the_warp_that_goes_around_most),
	        cmocka_unit_test(an_array_at_the_counter_of_a_loop_that_stays_is_memory),
	        cmocka_unit_test(an_array_is_in_registers_within_a_loop_that_knows_its_places),
	        cmocka_unit_test(local_memory_is_memory_to_scalar_code),
	        cmocka_unit_test(a_side_of_and_that_is_more_than_a_comparison_is_a_branch),
	        cmocka_unit_test(work_items_are_lanes_in_a_loop_around_them),
	        cmocka_unit_test(upper_halves_of_64_bits_have_no_vectors),
	        cmocka_unit_test(vectors_are_chosen_by_branches),
	        cmocka_unit_test(neighbours_under_a_mask_are_neighbours),
	        cmocka_unit_test(a_loop_around_work_items_keeps_what_it_leaves_twice),
	        cmocka_unit_test(a_variable_that_data_change_is_data),
	        cmocka_unit_test(a_pragma_puts_iterations_together),
	        cmocka_unit_test(few_numbers_are_within_a_share_of_others),
	        cmocka_unit_test(a_sum_contracts_with_a_product_of_its_own_expression),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
