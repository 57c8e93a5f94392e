/* SPDX-License-Identifier: Apache-2.0 */
/* What a CPU's core waits for lines that no prefetcher brings, on a device of round numbers. */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/frontend/analysis.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"

enum { ITEMS = 1 << 16, WINDOW = 100 };

static const char waiting[] = "waiting for lines one by one";

/* A CPU on which little takes time but what it waits for. */
static struct device *waiting_core(double window)
{
	struct device *device = device_cpu();

	for (unsigned mode = 0; mode < OP_MODE_COUNT; mode++)
		for (unsigned op = OP_CLASS_ADD; op < OP_CLASS_COUNT; op++)
			device_set(device,
			           coefficient_op((enum op_mode)mode, TYPE_CLASS_INT,
			                          (enum op_class)op),
			           1e-13);
	device_set(device, COEFFICIENT_INT_LATENCY, 1e-13);
	for (unsigned i = MEMORY_L1; i < MEMORY_LEVEL_COUNT; i++)
		device_set(device, coefficient_memory((enum memory_level)i, MEMORY_COLUMN_GATHER),
		           1e12);
	device_set(device, coefficient_memory(MEMORY_L3, MEMORY_COLUMN_CAPACITY), 1 << 19);
	if (window > 0)
		device_set(device, COEFFICIENT_AHEAD, window);
	return device;
}

/*
 * Of kernels whose first buffer has an element for each item, of 0 to `most` where that is told,
 * and the others `bytes`.
 */
static struct prediction ask(const char *source, const struct device *device, uint64_t bytes,
                             int64_t most)
{
	struct ir_kernel *kernel = analyse(source, "");
	struct launch launch = launch_1d(ITEMS, 64);
	struct prediction prediction;

	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		if (kernel->arguments[i].kind == ARGUMENT_BUFFER)
			launch_buffer(&launch, i == 0 ? ITEMS * 4 : bytes);
		else
			launch_integer(&launch, (enum scalar)kernel->arguments[i].type.scalar, 32);
	}
	launch.arguments[0].has_range = most > 0;
	launch.arguments[0].high = most;
	prediction = answer(kernel, device, &launch);
	kernel_free(kernel);
	return prediction;
}

static double wait_within(const char *source, double window, uint64_t bytes, int64_t most)
{
	struct device *device = waiting_core(window);
	struct prediction p = ask(source, device, bytes, most);
	double time_s = 0;

	for (uint32_t i = 0; i < p.row_count; i++)
		if (strcmp(p.rows[i].what, waiting) == 0)
			time_s = p.rows[i].time_s;
	free(device);
	return time_s;
}

static double wait_of(const char *source, double window, uint64_t bytes)
{
	return wait_within(source, window, bytes, 0);
}

/* One read at random, and some 300 operations. */
#define LOOKED_UP(trips)                                                                           \
	"kernel void f(global int *a, global int *b, int n)"                                       \
	"{ int x = get_global_id(0), sum = 0;"                                                     \
	" for (int i = 0; i < " trips "; i++) { sum = (sum ^ i) * n; sum = sum >> 3 | i; }"        \
	" a[x] = b[a[x]] + sum; }"

static void operations_behind_a_read_are_begun_for_a_window(void **state)
{
	const double read_s = (double)ITEMS / 4 * 80e-9; /* one after another, on four cores */
	double near, far;

	(void)state;
	far = wait_of(LOOKED_UP("64"), WINDOW, 1 << 28);
	near = wait_of(LOOKED_UP("64"), 100 * WINDOW, 1 << 28);
	/* each read is waited for; behind which the next ones are begun if there is room */
	assert_true(far > 0.8 * read_s && far < 1.1 * read_s);
	assert_true(near < 0.1 * read_s);
}

static void lines_that_a_prefetcher_brings_are_not_waited_for(void **state)
{
	(void)state;
	assert_close(wait_of("kernel void f(global int *a, global int *b, int n)"
	                     "{ int x = get_global_id(0), sum = 0;"
	                     " for (int i = 0; i < 64; i++) sum = (sum ^ i) * n;"
	                     " a[x] = b[x * 64] + sum; }",
	                     WINDOW, 1 << 28),
	             0, 1e-12);
	/* a table that is near */
	assert_close(wait_of(LOOKED_UP("64"), WINDOW, 4096), 0, 1e-12);
	/* a calibration that does not know the window */
	assert_close(wait_of(LOOKED_UP("64"), 0, 1 << 28), 0, 1e-12);
}

static void neighbours_in_one_page_are_in_order(void **state)
{
	static const char source[] =
	        "kernel void f(global int *a, global int *b, int n)"
	        "{ int x = get_global_id(0), sum = 0;"
	        " for (int i = 0; i < 64; i++) { sum = (sum ^ i) * n; sum = sum >> 3 | i; }"
	        " a[x] = b[x * 16 + a[x]] + sum; }";
	double near = wait_within(source, WINDOW, 1 << 28, 511);
	double far = wait_within(source, WINDOW, 1 << 28, (1 << 26) - 1);

	(void)state;
	assert_true(far > 0);
	assert_true(near < 0.15 * far);
}

static void a_key_chooses_a_row_as_long_as_the_mean(void **state)
{
	struct device *device = waiting_core(WINDOW);
	struct ir_kernel *kernel =
	        analyse("kernel void f(global uint *key, global int *bucket, global uint *in,"
	                " uint shift)"
	                "{ int x = get_global_id(0); uint mine = key[x], found = 0;"
	                " uint b = mine * 2654435761u >> shift;"
	                " for (int k = bucket[b]; k < bucket[b + 1]; k++) found += in[k] == mine;"
	                " key[x] = found; }",
	                "");
	struct launch launch = launch_1d(ITEMS, 64);
	struct prediction p;

	(void)state;
	launch_buffer(&launch, ITEMS * 4);
	launch_buffer(&launch, 4 * ((1 << 12) + 1));
	launch_buffer(&launch, 4 * 5 << 12);
	launch_integer(&launch, SCALAR_UINT, 20);
	p = answer(kernel, device, &launch);
	assert_non_null(strstr(p.note, "the mean length of a row"));
	/* places go on as rows do, from one that chance gives */
	assert_close(row_count(&p, "interval read of in"), 5, 0.01);
	kernel_free(kernel);
	free(device);
}

/* What goes through rows of five, however the loop is written. */
static void a_row_is_as_long_as_the_mean_however_it_is_walked(void **state)
{
	static const char *const sources[] = {
	        /* a loop around a call tests within */
	        "float near(float4 a, float4 b) { float4 d = a - b; return d.x * d.x + d.y; }"
	        "kernel void f(global const float4 *in, global const int *start, global float *out)"
	        "{ int x = get_global_id(0); float4 me = in[x]; float s = 0;"
	        " for (int k = start[x]; k < start[x + 1]; k++) s += near(me, in[k]);"
	        " out[x] = s; }",
	        "kernel void f(global const float4 *in, global const int *start, global float *out)"
	        "{ int x = get_global_id(0), first = start[x]; float s = 0;"
	        " const int count = min(start[x + 1] - first, 12);"
	        " for (int k = 0; k < count; k++) s += in[first + k].x;"
	        " out[x] = s; }",
	};
	struct device *device = waiting_core(WINDOW);

	(void)state;
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		struct ir_kernel *kernel = analyse(sources[i], "");
		struct launch launch = launch_1d(ITEMS, 64);
		struct prediction p;

		launch_buffer(&launch, ITEMS * 5 * 16);
		launch_buffer(&launch, 4 * (ITEMS + 1));
		launch_buffer(&launch, ITEMS * 4);
		p = answer(kernel, device, &launch);
		assert_null(strstr(p.note, "trips assumed"));
		assert_close(row_count(&p, "loop iterations"), 5, 0.3);
		kernel_free(kernel);
	}
	free(device);
}

/* Four at a time where four are left, and then what a row of seven has left. */
static void what_is_left_of_a_row_is_less_than_a_step(void **state)
{
	struct device *device = waiting_core(WINDOW);
	struct ir_kernel *kernel =
	        analyse("kernel void f(global const float *in, global const int *start,"
	                " global float *out)"
	                "{ int x = get_global_id(0), k = start[x], end = start[x + 1]; float s = 0;"
	                " for (; k + 4 <= end; k += 4) s += in[k] * in[k + 1] * in[k + 2];"
	                " for (; k < end; k++) s += sqrt(in[k]);"
	                " out[x] = s; }",
	                "");
	struct launch launch = launch_1d(ITEMS, 64);
	struct prediction p;

	(void)state;
	launch_buffer(&launch, ITEMS * 7 * 4);
	launch_buffer(&launch, 4 * (ITEMS + 1));
	launch_buffer(&launch, ITEMS * 4);
	p = answer(kernel, device, &launch);
	assert_null(strstr(p.note, "trips assumed"));
	assert_close(row_count(&p, "float mul"), 1, 0.05);
	assert_close(row_count(&p, "float sqrt"), 3, 0.05);
	kernel_free(kernel);
	free(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(operations_behind_a_read_are_begun_for_a_window),
	        cmocka_unit_test(lines_that_a_prefetcher_brings_are_not_waited_for),
	        cmocka_unit_test(neighbours_in_one_page_are_in_order),
	        cmocka_unit_test(a_key_chooses_a_row_as_long_as_the_mean),
	        cmocka_unit_test(a_row_is_as_long_as_the_mean_however_it_is_walked),
	        cmocka_unit_test(what_is_left_of_a_row_is_less_than_a_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
