/* SPDX-License-Identifier: Apache-2.0 */
/* What a warp of a GPU waits for when it is alone, on a device of round numbers. */
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/evaluate/evaluate.h"
#include "tests/unit/frontend/analysis.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"

enum { ITEMS = 32, TRIPS = 4096, BYTES = 1 << 24 };

static const double trips = TRIPS;

/* Buffers of BYTES, and that integer wherever there is one. */
static void give_arguments(struct launch *launch, const struct ir_kernel *kernel, int64_t integer)
{
	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		if (kernel->arguments[i].kind == ARGUMENT_BUFFER)
			launch_buffer(launch, BYTES);
		else
			launch_integer(launch, (enum scalar)kernel->arguments[i].type.scalar,
			               integer);
	}
}

/* What one warp of a kernel waits for whose integers are trips, and whose loads miss the first
 * level; a loop's iteration takes loop_s. */
static double wait_where(const char *source, double loop_s)
{
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_1d(ITEMS, ITEMS);
	struct device *device = device_gpu();
	struct prediction p;

	give_arguments(&launch, kernel, TRIPS);
	device_set(device, COEFFICIENT_LOOP_LATENCY, loop_s);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return row_time(&p, "latency of dependent operations");
}

static double wait_of(const char *source)
{
	return wait_where(source, 0);
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

static void what_a_load_leads_to_is_waited_for_in_each_iteration(void **state)
{
	/* 4 loads of others are under way together; the next of a list is known behind this one */
	double one = wait_of("kernel void f(global int *a, global int *b, int n)"
	                     "{ int x = get_global_id(0), at = x;"
	                     " for (int i = 0; i < n; i++) at = a[at];"
	                     " b[x] = at; }");
	double many = wait_of("kernel void f(global int *a, global int *b, int n)"
	                      "{ int x = get_global_id(0), at = x;"
	                      " for (int i = 0; i < n; i++) at ^= a[x + 1024 * i];"
	                      " b[x] = at; }");

	(void)state;
	assert_true(one > 2 * many);
}

/* `a[i]` in steps that nobody knows, and what is done where it is odd. */
#define PARTED(arm)                                                                                \
	"kernel void f(global int *a, global int *b, int n)"                                       \
	"{ int x = get_global_id(0), s = 0, t = 0;"                                                \
	" for (int i = 0; i < n; i++) { int v = a[x + 1024 * i]; if (v & 1) { " arm " } s ^= v; }" \
	" b[x] = s * t; }"

#define MANY "t = (t ^ v) * 3 + (t >> 5); t = (t ^ v) * 7 + (t >> 3); t = (t ^ v) * 5 + (t >> 7);"

static void loads_stay_behind_a_branch_that_is_no_predicate(void **state)
{
	double few = wait_of(PARTED("t += v;"));
	double many = wait_of(PARTED(MANY));

	(void)state;
	assert_true(many > trips * 200e-9);
	assert_true(few < many / 2);
}

/* There and back, of what an iteration takes beside its counter. */
static void an_arm_that_is_no_predicate_is_jumped_to(void **state)
{
	double jumps = wait_where(PARTED(MANY), 104e-9) - wait_where(PARTED(MANY), 4e-9);

	(void)state;
	assert_close(jumps, trips * 200e-9, 0.1);
	assert_true(wait_where(PARTED("t += v;"), 104e-9) < wait_where(PARTED(MANY), 104e-9) / 2);
}

/* How many selects a choice takes: none where an arm computes what it leaves. */
static double selects_of(const char *choice)
{
	char source[256];
	struct launch launch = launch_1d(ITEMS, ITEMS);
	struct device *device = device_gpu();
	struct ir_kernel *kernel;
	struct prediction p;

	snprintf(source, sizeof source,
	         "kernel void f(global int *a, global int *b)"
	         "{ int x = get_global_id(0), v = a[x], w = a[x + 64]; %s b[x] = v; }",
	         choice);
	kernel = analyse(source, "");
	launch_buffer(&launch, BYTES);
	launch_buffer(&launch, BYTES);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return row_count(&p, "int select");
}

static void one_of_two_values_that_are_there_is_selected(void **state)
{
	(void)state;
	assert_close(selects_of("if (v < 7) v = w;"), 1, 0);
	assert_close(selects_of("if (v < 7) v = w * 3;"), 0, 0);
	assert_close(selects_of("if (v < 7) v = 5 * v; else v = w;"), 0, 0);
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

static const struct prediction_row *write_of(const char *source, uint64_t bytes,
                                             struct prediction *p)
{
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_1d(1 << 16, 64);
	struct device *device = device_gpu();

	launch_buffer(&launch, 4 << 16);
	launch_buffer(&launch, bytes);
	*p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return row_find(p, "uncoalesced write of to");
}

static void what_data_add_stays_within_what_the_form_leaves(void **state)
{
	const char source[] = "kernel void f(global const int *place, global int *to)"
	                      "{ to[512 * get_group_id(0) + place[get_global_id(0)]] = 1; }";
	const char alone[] = "kernel void f(global const int *place, global int *to)"
	                     "{ to[place[get_global_id(0)]] = 1; }";
	struct prediction near, far, anywhere;

	(void)state;
	/* 512 elements of 4 bytes for each group of 64: 65 sectors, of which a warp's lanes share
	 * some */
	assert_non_null(write_of(source, 4u * 8 << 16, &near));
	assert_non_null(write_of(source, 1 << 30, &far));
	assert_non_null(write_of(alone, 1 << 30, &anywhere));
	assert_true(row_time(&near, "uncoalesced write of to") <
	            0.9 * row_time(&far, "uncoalesced write of to"));
	assert_close(row_time(&far, "uncoalesced write of to"),
	             row_time(&anywhere, "uncoalesced write of to"), 0.01);
	assert_true(row_count(&near, "bytes from memory") <
	            0.6 * row_count(&far, "bytes from memory"));
}

static void lanes_that_go_another_way_write_no_sectors(void **state)
{
	const char every[] =
	        "kernel void f(global const int *a, global int *to)"
	        "{ int x = get_global_id(0); if (a[x] & 1) to[32 * x] = 1; else to[32 * x] = 2; }";
	const char all[] = "kernel void f(global const int *a, global int *to)"
	                   "{ int x = get_global_id(0); to[32 * x] = a[x]; }";
	struct prediction parted, whole;

	(void)state;
	assert_non_null(write_of(every, 128 << 16, &parted));
	assert_non_null(write_of(all, 128 << 16, &whole));
	/* the first of the two, of half of the lanes */
	assert_true(row_time(&parted, "uncoalesced write of to") <
	            0.6 * row_time(&whole, "uncoalesced write of to"));
	/* together they leave nothing */
	assert_close(row_count(&parted, "bytes from memory"),
	             row_count(&whole, "bytes from memory"), 0.05);
}

/* Loads of `in` by a work-item. */
static double loads_of(const char *source)
{
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_1d(1 << 16, 64);
	struct device *device = device_gpu();
	struct prediction p;

	launch_buffer(&launch, 1 << 20);
	launch_buffer(&launch, 1 << 20);
	launch_integer(&launch, SCALAR_INT, 8);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return row_count(&p, "coalesced read of in");
}

#define SUMMED(by)                                                                                 \
	"kernel void f(global const int *in, global int *out, int n)"                              \
	"{ int x = get_global_id(0), sum = 0;"                                                     \
	" for (int i = 0; i < 4; i++) for (int k = 0; k < 4; k++) { sum = sum * 5 ^ in[" by "]; "

static void what_unrolled_loops_read_again_is_read_once(void **state)
{
	(void)state;
	assert_close(loads_of(SUMMED("x + i + k") "} out[x] = sum; }"), 7, 1e-6);
	assert_close(loads_of(SUMMED("x + 4 * i + k") "} out[x] = sum; }"), 16, 1e-6);
	/* what is written may be what is read next */
	assert_close(loads_of(SUMMED("x + i + k") "out[x + k] = sum; } }"), 16, 1e-6);
	/* before a loop that does not change it */
	assert_close(loads_of("kernel void f(global const int *in, global int *out, int n)"
	                      "{ int x = get_global_id(0), sum = 0;"
	                      " for (int t = 0; t < n; t++) for (int k = 0; k < 4; k++)"
	                      "  sum = (sum ^ t) * 5 + in[x + k];"
	                      " out[x] = sum; }"),
	             4, 1e-6);
}

/* A digit of a long multiplication: of words, with its carry beside it. */
static void what_is_done_to_one_word_is_no_operation_on_two(void **state)
{
	struct ir_kernel *kernel =
	        analyse("kernel void f(global const uint *a, global const uint *b, global ulong *c)"
	                "{ int x = get_global_id(0); ulong carry = c[x];"
	                " carry += (ulong)a[x] * b[x]; c[x + 64] = carry & 255; carry >>= 32;"
	                " c[x] = carry; }",
	                "");
	struct launch launch = launch_1d(ITEMS, ITEMS);
	struct device *device = device_gpu();
	struct prediction p;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		launch_buffer(&launch, BYTES);
	p = answer(kernel, device, &launch);
	assert_close(row_count(&p, "int mul"), 1, 0);
	assert_close(row_count(&p, "int bit"), 1, 0);
	assert_null(row_find(&p, "long mul"));
	assert_null(row_find(&p, "long bit"));
	kernel_free(kernel);
	free(device);
}

/* Seconds of a launch whose first level and local memory are all that takes long. */
static double time_of(const char *source)
{
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_1d(1 << 16, 64);
	struct device *device = device_gpu();
	struct prediction p;

	device_set(device, COEFFICIENT_LOAD_VECTOR, 1e-11);
	device_set(device, COEFFICIENT_LOCAL_LOAD, 1e-11);
	launch_buffer(&launch, 1 << 10);
	launch_buffer(&launch, 1 << 20);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return p.kernel_time_s;
}

#define READ(what)                                                                                 \
	"kernel void f(global const int *a, global int *out) { local int l[64];"                   \
	" int x = get_global_id(0) & 63, s = 0; l[x] = x; barrier(CLK_LOCAL_MEM_FENCE);"           \
	" for (int i = 0; i < 128; i++) s ^= i " what "; out[get_global_id(0)] = s; }"

static void local_memory_and_the_first_level_take_turns(void **state)
{
	double none = time_of(READ("")), near = time_of(READ("+ a[x ^ i]"));
	double local = time_of(READ("+ l[x ^ i]")), both = time_of(READ("+ a[x ^ i] * l[x ^ i]"));

	(void)state;
	assert_true(near > 2 * none && local > 2 * none);
	assert_true(both > 0.9 * (near + local - none));
}

static void constants_are_looked_up_address_by_address(void **state)
{
	const char source[] = "constant uchar table[64] = {1, 2, 3};"
	                      "kernel void f(global const uint *a, global uint *out)"
	                      "{ int x = get_global_id(0); out[x] = table[a[x] & 63]; }";
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_1d(1 << 16, 64);
	struct device *device = device_gpu();
	struct prediction p;

	(void)state;
	device_set(device, COEFFICIENT_CONSTANT_ADDRESS, 1e-9);
	launch_buffer(&launch, 4 << 16);
	launch_buffer(&launch, 4 << 16);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	/* 32 lanes ask for some 25 of 64 bytes */
	assert_close(row_time(&p, "interval read of table"), 24.3 * 2048 * 1e-9, 0.1);
}

/* Seconds in which so many work-groups, on a unit each, write to lines of their own. */
static double scattered_by(uint64_t groups)
{
	struct ir_kernel *kernel = analyse("kernel void f(global int *to)"
	                                   "{ to[64 * get_global_id(0)] = 1; }",
	                                   "");
	struct launch launch = launch_1d(64 * groups, 64);
	struct device *device = device_gpu();
	struct prediction p;

	device_set(device, COEFFICIENT_STORE_SECTOR, 1e-9);
	device_set(device, COEFFICIENT_STORE_SCATTER, 2e-9);
	launch_buffer(&launch, 1 << 20);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return row_time(&p, "uncoalesced write of to");
}

static void what_units_share_of_a_store_is_no_slower_for_one_of_them(void **state)
{
	(void)state;
	/* of 60 ns a warp 41 are lines', which the level below takes */
	assert_close(scattered_by(10), 20 * 60e-9, 0.05);
	assert_close(scattered_by(1), 10 * 2 * (18.7e-9 + 4.1e-9), 0.05);
}

/* How often a work-item's row says that it does that, of a kernel whose integers are 64. */
static double done_by(const char *source, const char *row)
{
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_1d(1 << 16, 64);
	struct device *device = device_gpu();
	struct prediction p;

	give_arguments(&launch, kernel, 64);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return row_count(&p, row);
}

#define FILLED_8 "for (int k = 0; k < 8; k++) w[x * 8 + k] = a[k];"

/* Rounds over 8 words of each lane, with more of the kernel before and in a round. */
#define LANES_OF_8(before, more)                                                                   \
	"kernel void f(global const float *a, global float *b, int n)"                             \
	"{ local float w[512]; int x = get_local_id(0); float s = 0; " before                      \
	" for (int i = 0; i < n; i++) { " more                                                     \
	" for (int k = 0; k < 8; k++) { s = 0.5f * (s + w[x * 8 + k]); w[x * 8 + k] = s; } }"      \
	" b[get_global_id(0)] = s; }"

static void what_a_loop_reads_and_writes_stays_in_registers(void **state)
{
	(void)state;
	assert_close(done_by(LANES_OF_8("", ""), "local load"), 8, 1e-6);
	assert_close(done_by(LANES_OF_8("", ""), "local store"), 8, 1e-6);
	/* others write it between two rounds, or may: at a place that nobody tells apart */
	assert_close(done_by(LANES_OF_8("", "barrier(CLK_LOCAL_MEM_FENCE);"), "local load"), 512,
	             1e-6);
	assert_close(done_by(LANES_OF_8("", "w[x + i] = s;"), "local load"), 512, 1e-6);
	/* nor may a store be made that was not */
	assert_close(done_by(LANES_OF_8("", "if (a[i] > s) w[x * 8] = 1;"), "local load"), 512,
	             1e-6);
	/* what comes before the rounds is stored as it was, and need not be loaded */
	assert_close(done_by(LANES_OF_8(FILLED_8, ""), "local store"), 16, 1e-6);
	assert_close(done_by(LANES_OF_8(FILLED_8, ""), "local load"), 0, 1e-6);
	/* half of it, each second word */
	assert_close(done_by(LANES_OF_8("for (int k = 0; k < 4; k++) w[x * 8 + 2 * k] = a[k];", ""),
	                     "local load"),
	             4, 1e-6);
}

#define ACCUMULATED(how)                                                                           \
	"kernel void f(global const float *" how "a, global float *" how "b, int n)"               \
	"{ int x = get_global_id(0);"                                                              \
	" for (int i = 0; i < n; i++) b[x] += a[x + 65536 * i]; }"

static void sums_in_global_memory_stay_in_registers_where_nothing_else_meets_them(void **state)
{
	(void)state;
	assert_close(done_by(ACCUMULATED("restrict "), "coalesced write of b"), 1, 1e-6);
	assert_close(done_by(ACCUMULATED("restrict "), "coalesced read of b"), 1, 1e-6);
	assert_close(done_by(ACCUMULATED(""), "coalesced write of b"), 64, 1e-6);
	assert_close(done_by(ACCUMULATED(""), "coalesced read of b"), 64, 1e-6);
}

/* Rounds of so many parts each: what hands itself on is `carried`, what does not `aside`. */
#define ROUNDS(parts, carried, aside)                                                              \
	"kernel void f(global float *a, global float *b, int n)"                                   \
	"{ int x = get_global_id(0); float s = a[x], t = 0;"                                       \
	" _Pragma(\"unroll 1\") for (int i = 0; i < n; i++)"                                       \
	" for (int k = 0; k < " #parts "; k++) { " carried " " aside " }"                          \
	" b[x] = s + t; }"

static void iterations_of_an_unrolled_loop_wait_for_what_is_handed_on(void **state)
{
	double step_s = 4e-9;
	double chain = wait_of(ROUNDS(8, "s = s * 1.5f + k;", ""));
	double both = wait_of(ROUNDS(8, "s = s * 1.5f + k;", "t += ((s + 3) * s + 5) * s;"));

	(void)state;
	assert_close(chain, trips * 9 * step_s, 0.05);
	/* three more operations, but behind the last part of a round alone */
	assert_close(both - chain, trips * 3 * step_s, 0.05);
}

static void functions_with_branches_of_their_own_take_turns(void **state)
{
	const char *source = "kernel void f(global float *a, global float *b)"
	                     "{ float v = a[get_global_id(0)];"
	                     " b[get_global_id(0)] = sin(v) + sin(v + 1) + sin(v + 2); }";
	double wait_s[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct ir_kernel *kernel = analyse(source, "");
		struct launch launch = launch_1d(ITEMS, ITEMS);
		struct device *device = device_gpu();
		struct prediction p;

		device_set(device, COEFFICIENT_SPECIAL_LATENCY, 100e-9);
		device_set(device,
		           coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_NATIVE_SQRT),
		           1e-12);
		device_set(device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_SIN),
		           3e-12);
		device_set(device, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_FLOAT, OP_CLASS_SIN),
		           i == 0 ? 20e-9 : 200e-9);
		launch_buffer(&launch, BYTES);
		launch_buffer(&launch, BYTES);
		p = answer(kernel, device, &launch);
		wait_s[i] = row_time(&p, "latency of dependent operations");
		kernel_free(kernel);
		free(device);
	}
	assert_close(wait_s[1] - wait_s[0], 600e-9, 0.1);
}

static void a_vectors_length_is_scaled_first(void **state)
{
	struct ir_kernel *kernel = analyse("kernel void f(global float4 *a, global float *b)"
	                                   "{ int x = get_global_id(0);"
	                                   " b[x] = length(a[x]) + fast_length(a[x]); }",
	                                   "");
	struct launch launch = launch_1d(ITEMS, ITEMS);
	struct device *device = device_gpu();
	struct prediction p;

	(void)state;
	launch_buffer(&launch, BYTES);
	launch_buffer(&launch, BYTES);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	assert_close(row_count(&p, "float hypot"), 1, 0);
	assert_close(row_count(&p, "float native_sqrt"), 1, 0);
}

/* Steps with a barrier each, whose loads stand in a branch; and what is loaded and stored. */
#define STEPS(from, to)                                                                            \
	"kernel void f(global int *a, int n)"                                                      \
	"{ local int p[64], q[64]; int x = get_local_id(0); p[x] = a[x];"                          \
	" for (int i = 0; i < n; i++) { barrier(CLK_LOCAL_MEM_FENCE);"                             \
	" if (x < 16 + i) " to "[x] = " from "[x + 1] + i; }"                                      \
	" a[x] = p[x]; }"

/* Seconds of a step of a group that is alone; a barrier takes barrier_s. */
static double step_where(double barrier_s, double store_s)
{
	struct ir_kernel *kernel = analyse(STEPS("p", "q"), "");
	struct launch launch = launch_1d(ITEMS, ITEMS);
	struct device *device = device_gpu();
	struct prediction p;

	launch_buffer(&launch, BYTES);
	launch_integer(&launch, SCALAR_INT, TRIPS);
	device_set(device, COEFFICIENT_BARRIER_LATENCY, barrier_s);
	device_set(device, COEFFICIENT_LOCAL_STORE, store_s);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return row_time(&p, "latency of dependent operations") / trips;
}

static void a_barrier_before_loads_in_a_branch_is_waited_for(void **state)
{
	(void)state;
	assert_close(step_where(200e-9, 1e-12) - step_where(100e-9, 1e-12), 100e-9, 0.05);
}

static void a_group_that_is_alone_works_and_waits_in_turn(void **state)
{
	(void)state;
	assert_true(step_where(100e-9, 1e-9) > step_where(100e-9, 1e-12) + 20e-9);
}

/* Seconds in which one warp sums up or down a row of local memory. */
static double row_where(const char *to)
{
	char source[256];
	struct launch launch = launch_1d(ITEMS, ITEMS);
	struct device *device = device_gpu();
	struct ir_kernel *kernel;
	struct prediction p;

	snprintf(source, sizeof source,
	         "kernel void f(global int *a, int n)"
	         "{ local int p[4096], q[4096]; int x = get_local_id(0), s = 0; p[x] = a[x];"
	         " for (int i = 0; i < n; i++) { s += p[x + i]; %s[x + 2 * i] = s; } a[x] = s; }",
	         to);
	kernel = analyse(source, "");
	launch_buffer(&launch, BYTES);
	launch_integer(&launch, SCALAR_INT, TRIPS);
	device_set(device, COEFFICIENT_LOCAL_LATENCY, 100e-9);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return row_time(&p, "latency of dependent operations");
}

static void local_memory_that_a_loop_writes_is_not_read_ahead(void **state)
{
	(void)state;
	assert_true(row_where("p") > trips * 100e-9);
	assert_true(row_where("q") < trips * 50e-9);
}

/* Bytes that come from the level below, of 2^20 numbers and what says where they are. */
static double bytes_read(const char *source, struct launch launch, uint64_t places_bytes)
{
	struct device *device = device_gpu();
	struct ir_kernel *kernel = analyse(source, "");
	struct prediction p;

	launch_buffer(&launch, places_bytes);
	launch_buffer(&launch, 4 << 20);
	launch_buffer(&launch, 4 << 20);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return row_count(&p, "bytes from L2 cache");
}

/* Of a picture, at what `place` names. */
static double read_where(const char *place)
{
	char source[512];

	snprintf(source, sizeof source,
	         "kernel void f(global float2 *wind, global float *from, global float *to)"
	         "{ int2 x = (int2)(get_global_id(0), get_global_id(1));"
	         " float2 v = wind[1024 * x.y + x.x];"
	         " int2 at = clamp(%s, (int2)(0), (int2)(1023));"
	         " to[1024 * x.y + x.x] = from[1024 * at.y + at.x]; }",
	         place);
	return bytes_read(source, launch_2d(1024, 1024, 32, 2), 8 << 20);
}

static void what_data_displace_comes_from_around_where_it_goes(void **state)
{
	(void)state;
	assert_true(read_where("convert_int2(convert_float2(x) - 0.5f * v)") < 32);
	assert_true(read_where("convert_int2(1024 * v)") > 40);
	/* and so does one coordinate alone */
	assert_true(read_where("(int2)((int)(x.x - 0.5f * v.x), (int)(x.y - 0.5f * v.y))") < 32);
	assert_true(read_where("(int2)((int)(1024 * v.x), (int)(1024 * v.y))") > 40);
}

/* Of a picture's row with a place that is one real number. */
static double read_beside(const char *place)
{
	char source[512];

	snprintf(source, sizeof source,
	         "kernel void f(global float *shift, global float *from, global float *to)"
	         "{ int x = get_global_id(0); float at = clamp(%s, 0.0f, 1048574.5f);"
	         " to[x] = mix(from[(int)at], from[(int)at + 1], at - (int)at); }",
	         place);
	return bytes_read(source, launch_1d(1 << 20, 64), 4 << 20);
}

static void lanes_lie_beside_each_other_where_data_displace_them(void **state)
{
	(void)state;
	assert_true(read_beside("x + shift[x]") < 24);
	assert_true(read_beside("x - 0.5f * shift[x]") < 24);
	assert_true(read_beside("1048575 * shift[x]") > 40);
}

/* Sectors of a warp's stores to an array of its work-items' own: within a loop, then behind it. */
static void private_stores_of(const char *source, double sectors[2])
{
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_1d(4096, 64);
	struct device *device = device_gpu();
	struct evaluation e;
	struct error error = {0};
	unsigned stores = 0;

	for (uint32_t i = 0; i < kernel->argument_count; i++)
		launch_buffer(&launch, BYTES);
	if (evaluate(kernel, device, &launch, PREDICTION_BUDGET, &e, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	for (uint32_t i = 0; i < kernel->access_count; i++)
		if (kernel->objects[kernel->accesses[i].object].space == SPACE_PRIVATE &&
		    kernel->accesses[i].kind == ACCESS_STORE && stores < 2)
			sectors[stores++] = e.accesses[i].segments;
	assert_int_equal(stores, 2);
	evaluation_deinit(&e);
	free(device);
	kernel_free(kernel);
}

static void lanes_that_go_through_a_private_array_together_are_at_one_place(void **state)
{
	double sectors[2];

	(void)state;
	/* an insertion: where it ends differs, and until then all go down alike */
	private_stores_of("kernel void f(global float *a, global float *b)"
	                  "{ int x = get_global_id(0); float t[40]; int found = 0;"
	                  "  for (int k = 1; k <= 10; k++) for (int s = 0; s < 4; s++) {"
	                  "    int y = s & 1 ? x - k : x + k;"
	                  "    if (s < 2) { if (y < 0 || y > 4000) continue; }"
	                  "    else if (y < 0) y += 4096;"
	                  "    float v = a[y]; int p = found++;"
	                  "    for (; p > 0 && t[p - 1] > v; p--) t[p] = t[p - 1];"
	                  "    t[p] = v; }"
	                  "  b[x] = t[found / 2]; }",
	                  sectors);
	assert_true(sectors[0] < 8);
	assert_true(sectors[1] > 12);
}

#define PRODUCT(rows)                                                                              \
	"kernel void f(global float *a, global float *b, int n)"                                   \
	"{ int x = get_global_id(0); float sum[8] = {0};"                                          \
	"  for (int i = 0; i < n; i++) for (int r = 0; r < " rows "; r++)"                         \
	"    for (int c = 0; c < 8; c++) sum[r] += b[x + 32 * (8 * i + c)] * (r + 1.5f);"          \
	"  float all = 0; for (int r = 0; r < 8; r++) all += sum[r]; a[x] = all; }"

/* Eight rows of a product read what one reads, and wait for no more of it. */
static void what_unrolled_loops_read_again_is_waited_for_once(void **state)
{
	double one = wait_of(PRODUCT("1")), eight = wait_of(PRODUCT("8"));

	(void)state;
	assert_true(one > trips * 200e-9);
	assert_true(eight < 2 * one);
}

/* A unit holds as many groups as its local memory has room for, not only as one may take. */
static void a_unit_holds_groups_by_the_local_memory_that_it_has(void **state)
{
	struct ir_kernel *kernel = analyse("kernel void f(global float *a)"
	                                   "{ local float b[3072]; int l = get_local_id(0);"
	                                   " b[l * 48] = a[get_global_id(0)];"
	                                   " barrier(CLK_LOCAL_MEM_FENCE);"
	                                   " a[get_global_id(0)] = b[(63 - l) * 48]; }",
	                                   "");
	struct launch launch = launch_1d((uint64_t)1 << 20, 64);
	struct device *device = device_gpu();
	struct prediction few, many;

	(void)state;
	launch_buffer(&launch, 1 << 22);
	few = answer(kernel, device, &launch);
	device_set(device, COEFFICIENT_LOCAL_ROOM, 18 * 12288.0);
	many = answer(kernel, device, &launch);
	assert_close(few.occupancy.groups, 4, 1e-9);
	assert_close(many.occupancy.groups, 18, 1e-9);
	assert_int_equal(many.occupancy.limit, OCCUPANCY_LOCAL);
	assert_true(many.kernel_time_s < few.kernel_time_s);
	kernel_free(kernel);
	free(device);
}

/* A warp alone, by how often a loop of eight products and additions is unrolled. */
static double unrolled_by(const char *times, bool knows_fetch)
{
	struct ir_kernel *kernel =
	        analyse("kernel void f(global float *a, int n)"
	                "{ float y = n, z = y + 1, x0 = get_global_id(0), x1 = x0 + y, x2 = x0 + "
	                "z, x3 = x0 * y;"
	                "  float x4 = x1 * y, x5 = x2 * z, x6 = x1 + x2, x7 = x3 + y;\n"
	                "#pragma unroll UNROLL\n"
	                "  for (int i = 0; i < n; i++) {"
	                "    x0 = fma(x0, y, z); x1 = fma(x1, y, z); x2 = fma(x2, y, z); x3 = "
	                "fma(x3, y, z);"
	                "    x4 = fma(x4, y, z); x5 = fma(x5, y, z); x6 = fma(x6, y, z); x7 = "
	                "fma(x7, y, z);"
	                "  } a[get_global_id(0)] = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7; }",
	                times);
	struct launch launch = launch_1d(ITEMS, ITEMS);
	struct device *device = device_gpu();
	struct prediction p;

	launch_buffer(&launch, BYTES);
	launch_integer(&launch, SCALAR_INT, 1 << 20);
	if (knows_fetch) {
		device_set(device, COEFFICIENT_FETCH_NEAR_ROOM, 256);
		device_set(device, COEFFICIENT_FETCH_NEAR, 100e-9);
		device_set(device, COEFFICIENT_FETCH_FAR_ROOM, 1024);
		device_set(device, COEFFICIENT_FETCH_FAR, 300e-9);
	}
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return row_time(&p, "latency of dependent operations") / (1 << 20);
}

/* Bodies of some 130, 520 and 2,100 instructions, of which caches hold 256 and 1,024. */
static void instructions_that_no_cache_holds_are_fetched_in_each_iteration(void **state)
{
	(void)state;
	assert_close(unrolled_by("-DUNROLL=16", true), unrolled_by("-DUNROLL=16", false), 1e-9);
	assert_close(unrolled_by("-DUNROLL=64", false), unrolled_by("-DUNROLL=16", false), 0.1);
	assert_close(unrolled_by("-DUNROLL=64", true), 8 * 100e-9, 0.3);
	assert_close(unrolled_by("-DUNROLL=256", true), 8 * 300e-9, 0.3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(what_a_load_leads_to_is_waited_for_in_each_iteration),
	        cmocka_unit_test(an_atomic_is_waited_for_where_its_result_is_used),
	        cmocka_unit_test(loads_stay_behind_a_branch_that_is_no_predicate),
	        cmocka_unit_test(an_arm_that_is_no_predicate_is_jumped_to),
	        cmocka_unit_test(a_branch_that_an_unrolled_counter_decides_is_none),
	        cmocka_unit_test(one_of_two_values_that_are_there_is_selected),
	        cmocka_unit_test(what_data_add_stays_within_what_the_form_leaves),
	        cmocka_unit_test(lanes_that_go_another_way_write_no_sectors),
	        cmocka_unit_test(what_unrolled_loops_read_again_is_read_once),
	        cmocka_unit_test(what_is_done_to_one_word_is_no_operation_on_two),
	        cmocka_unit_test(local_memory_and_the_first_level_take_turns),
	        cmocka_unit_test(constants_are_looked_up_address_by_address),
	        cmocka_unit_test(what_units_share_of_a_store_is_no_slower_for_one_of_them),
	        cmocka_unit_test(what_a_loop_reads_and_writes_stays_in_registers),
	        cmocka_unit_test(
	                sums_in_global_memory_stay_in_registers_where_nothing_else_meets_them),
	        cmocka_unit_test(iterations_of_an_unrolled_loop_wait_for_what_is_handed_on),
	        cmocka_unit_test(functions_with_branches_of_their_own_take_turns),
	        cmocka_unit_test(a_vectors_length_is_scaled_first),
	        cmocka_unit_test(a_barrier_before_loads_in_a_branch_is_waited_for),
	        cmocka_unit_test(a_group_that_is_alone_works_and_waits_in_turn),
	        cmocka_unit_test(local_memory_that_a_loop_writes_is_not_read_ahead),
	        cmocka_unit_test(what_data_displace_comes_from_around_where_it_goes),
	        cmocka_unit_test(lanes_lie_beside_each_other_where_data_displace_them),
	        cmocka_unit_test(lanes_that_go_through_a_private_array_together_are_at_one_place),
	        cmocka_unit_test(instructions_that_no_cache_holds_are_fetched_in_each_iteration),
	        cmocka_unit_test(what_unrolled_loops_read_again_is_waited_for_once),
	        cmocka_unit_test(a_unit_holds_groups_by_the_local_memory_that_it_has),
	};

	return cmocka_run_group_tests_name("warp", tests, NULL, NULL);
}
