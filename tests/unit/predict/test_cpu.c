/* SPDX-License-Identifier: Apache-2.0 */
/* What is particular to CPUs: recurrences, work ahead, sets of caches, caches that are kept. */
#include "tests/test.h"

#include "model/passes/passes.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"

#include <stdlib.h>
#include <string.h>

static struct launch counted_launch(uint64_t items, int64_t trips)
{
	struct launch launch = launch_1d(items, 256);

	launch_buffer(&launch, 1 << 16);
	launch_buffer(&launch, items * 4);
	launch_integer(&launch, SCALAR_LONG, 0);
	launch_integer(&launch, SCALAR_LONG, trips);
	launch_integer(&launch, SCALAR_LONG, 1);
	return launch;
}

/* 2^20 atomic adds at places that data decide, of a buffer of so many bytes. */
static double histogram_time(const struct device *device, uint64_t bytes)
{
	struct ir_kernel *kernel = kernel_histogram();
	struct launch launch = launch_1d(1 << 20, 256);
	struct prediction p;

	launch_buffer(&launch, bytes);
	launch_buffer(&launch, 4 << 20);
	p = answer(kernel, device, &launch);
	assert_int_equal(p.bottleneck, BOTTLENECK_ATOMIC);
	kernel_free(kernel);
	return p.kernel_time_s;
}

static void units_contend_for_few_lines_of_atomics(void **state)
{
	struct device *device = device_cpu();

	(void)state;
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_SAME, 100e-9);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_SPREAD, 10e-9);
	device_set(device, COEFFICIENT_WINDOW, 64);
	device_set(device, coefficient_memory(MEMORY_L3, MEMORY_COLUMN_LATENCY), 120e-9);
	/*
	 * 16 lines: fewer than four units have operations under way, and each line comes through
	 * the cache that they share; one line: one after another; 65536: no two meet
	 */
	assert_close(histogram_time(device, 1 << 10), (1 << 20) * 120e-9 / 4, 0.15);
	/* 256 lines, and as many operations under way as half of them: 64 of a window, of 2 each */
	assert_true(histogram_time(device, 1 << 14) < 0.8 * histogram_time(device, 1 << 10));
	assert_close(histogram_time(device, 64), (1 << 20) * 100e-9, 0.05);
	assert_close(histogram_time(device, 4 << 20), (1 << 20) * 10e-9, 0.1);
	free(device);
}

static void lines_at_random_cost_what_they_were_calibrated_to(void **state)
{
	struct device *device = device_cpu();

	(void)state;
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_SAME, 100e-9);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_SPREAD, 2e-9);
	device_set(device, COEFFICIENT_WINDOW, 64);
	device_set(device, coefficient_memory(MEMORY_L3, MEMORY_COLUMN_LATENCY), 120e-9);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_RANDOM_64, 40e-9);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_RANDOM_4K, 5e-9);
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_RANDOM_64K, 4e-9);
	/* 4096 lines are in other cores' caches, however few operations are under way */
	assert_close(histogram_time(device, 1 << 18), (1 << 20) * 5e-9, 0.1);
	assert_close(histogram_time(device, 1 << 12), (1 << 20) * 40e-9, 0.1);
	/* between those calibrated, from one line on */
	assert_close(histogram_time(device, 1 << 9), (1 << 20) * sqrt(100e-9 * 40e-9), 0.1);
	assert_close(histogram_time(device, 1 << 15), (1 << 20) * sqrt(40e-9 * 5e-9), 0.1);
	assert_close(histogram_time(device, 1 << 22), (1 << 20) * 4e-9, 0.2);
	free(device);
}

static void a_sum_waits_for_each_of_its_adds(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_counted();
	struct launch launch = counted_launch(4096, 1000);
	struct prediction p;

	(void)state;
	device_set(device, COEFFICIENT_FLOAT_LATENCY, 1e-6);
	device_set(device, COEFFICIENT_INT_LATENCY, 1e-9);
	device_set(device, COEFFICIENT_WINDOW, 1);
	p = answer(kernel, device, &launch);
	/* 1024 work-items a unit, one after another, 1000 adds of 1 us each */
	assert_close(p.kernel_time_s, 1024 * 1000 * 1e-6, 0.05);
	assert_int_equal(p.bottleneck, BOTTLENECK_LATENCY);
	kernel_free(kernel);
	free(device);
}

static void short_work_items_overlap_within_the_window(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_counted();
	struct launch launch = counted_launch(4096, 1000), brief = counted_launch(4096, 10);
	double alone, together;

	(void)state;
	device_set(device, COEFFICIENT_FLOAT_LATENCY, 1e-6);
	device_set(device, COEFFICIENT_WINDOW, 1);
	alone = answer(kernel, device, &brief).kernel_time_s;
	device_set(device, COEFFICIENT_WINDOW, 500);
	together = answer(kernel, device, &brief).kernel_time_s;
	assert_true(together < alone / 4);
	/* a work-item longer than the window overlaps at its end alone: 2002 operations */
	assert_close(answer(kernel, device, &launch).kernel_time_s,
	             1024 * 1000 * 1e-6 / (1 + 500 / 2002.0), 0.05);
	kernel_free(kernel);
	free(device);
}

static struct prediction transposed(const struct device *device, int64_t n)
{
	struct ir_kernel *kernel = kernel_transpose();
	struct launch launch = launch_2d((uint64_t)n, (uint64_t)n, 32, 8);
	struct prediction p;

	launch_buffer(&launch, 16 << 20);
	launch_buffer(&launch, 16 << 20);
	launch_integer(&launch, SCALAR_INT, n);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	return p;
}

static void a_stride_of_a_way_fills_one_set(void **state)
{
	struct device *device = device_cpu();
	double even, odd, unknown;

	(void)state;
	unknown = row_count((struct prediction[]){transposed(device, 1024)}, "bytes from L2 cache");
	device_set(device, coefficient_memory(MEMORY_L1, MEMORY_COLUMN_WAY), 4096);
	even = row_count((struct prediction[]){transposed(device, 1024)}, "bytes from L2 cache");
	odd = row_count((struct prediction[]){transposed(device, 1056)}, "bytes from L2 cache");
	/* each write of a work-item evicts the line that its neighbour's row will want */
	assert_true(odd < even / 2);
	assert_true(unknown < even / 2);
	free(device);
}

static double columns_bytes(const struct device *device, unsigned trips)
{
	struct ir_kernel *kernel = kernel_columns(trips);
	struct launch launch = launch_1d(1 << 16, 64);
	struct prediction p;

	launch_buffer(&launch, 4096);
	launch_buffer(&launch, 12 << 18);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	return row_count(&p, "bytes from L2 cache");
}

static void a_loop_fights_for_a_set_no_more_because_of_a_longer_one_beside_it(void **state)
{
	struct device *device = device_cpu();
	double alone;

	(void)state;
	/* 12 lines for 8 ways: a half survives */
	device_set(device, coefficient_memory(MEMORY_L1, MEMORY_COLUMN_WAY), 4096);
	alone = columns_bytes(device, 12);
	assert_close(alone, 12 * 64 * 0.5, 0.2);
	assert_close(columns_bytes(device, 192), alone, 0.25);
	free(device);
}

static void a_cache_keeps_a_share_of_what_exceeds_it(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_vector_add();
	/* the L3 holds 8 MB; three buffers of 4 MB, then of 2 MB */
	struct launch larger = launch_1d(1 << 20, 256), smaller = launch_1d(1 << 19, 256);
	double read;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		launch_buffer(&larger, 4 << 20);
		launch_buffer(&smaller, 2 << 20);
	}
	read = row_count((struct prediction[]){answer(kernel, device, &larger)},
	                 "bytes from memory");
	/* hits = exp(-(1 - hits) 1.5): 0.417 */
	assert_close(read, 12 * (1 - 0.4172), 0.02);
	assert_close(row_count((struct prediction[]){answer(kernel, device, &smaller)},
	                       "bytes from memory"),
	             0, 1e-9);
	kernel_free(kernel);
	free(device);
}

/* Float add and mul, int add and mul: so long in vectors, and as scalars. */
static void set_plain(struct device *device, double vector_s, double scalar_s)
{
	for (unsigned type = TYPE_CLASS_INT; type <= TYPE_CLASS_FLOAT; type++)
		for (unsigned op = OP_CLASS_ADD; op <= OP_CLASS_MUL; op++) {
			device_set(device,
			           coefficient_op(OP_MODE_VECTOR, (enum type_class)type,
			                          (enum op_class)op),
			           vector_s);
			device_set(device,
			           coefficient_op(OP_MODE_SCALAR, (enum type_class)type,
			                          (enum op_class)op),
			           scalar_s);
		}
}

static void bytes_stored_under_a_mask_are_lanes(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_marked();
	struct launch launch = launch_1d(1 << 16, 256);
	struct prediction p;

	(void)state;
	launch_buffer(&launch, 4 << 16);
	launch_buffer(&launch, 1 << 16);
	device_set(device, COEFFICIENT_MISPREDICT, 1e-6);
	p = answer(kernel, device, &launch);
	assert_false(p.is_scalar);
	assert_true(row_count(&p, "branches guessed wrong") < 1e-9);
	kernel_free(kernel);
	free(device);
}

static double first_read_time(struct device *device, bool is_masked)
{
	struct ir_kernel *kernel = kernel_marked_first(is_masked);
	struct launch launch = launch_1d(1 << 16, 256);
	double time_s;

	launch_buffer(&launch, 4 << 16);
	launch_buffer(&launch, 4 << 16);
	time_s = answer(kernel, device, &launch).kernel_time_s;
	kernel_free(kernel);
	return time_s;
}

static void one_place_under_a_mask_is_gathered(void **state)
{
	struct device *device = device_cpu();
	double masked, plain;

	(void)state;
	masked = first_read_time(device, true);
	plain = first_read_time(device, false);
	device_set(device, COEFFICIENT_LOAD_GATHER, 1e-8);
	assert_true(first_read_time(device, true) > 65536 * 1e-8);
	assert_true(first_read_time(device, true) > 2 * masked);
	assert_close(first_read_time(device, false), plain, 1e-9);
	free(device);
}

static double unused_time(const struct device *device, bool is_loaded)
{
	struct ir_kernel *kernel = kernel_unused(is_loaded);
	struct launch launch = launch_1d(1 << 16, 256);

	launch_buffer(&launch, 4 << 16);
	launch_buffer(&launch, 4 << 16);
	double time_s = answer(kernel, device, &launch).kernel_time_s;
	kernel_free(kernel);
	return time_s;
}

static void a_load_that_nothing_uses_costs_nothing(void **state)
{
	struct device *device = device_cpu();

	(void)state;
	assert_true(unused_time(device, true) == unused_time(device, false));
	free(device);
}

static void branches_that_data_decide_are_guessed_wrong(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_marked();
	struct launch launch = launch_1d(1 << 16, 256);
	struct prediction chance, seldom;

	(void)state;
	launch_buffer(&launch, 4 << 16);
	launch_buffer(&launch, 1 << 16);
	device_set(device, COEFFICIENT_MISPREDICT, 1e-6);
	set_plain(device, 1e-11, 1e-11); /* no vectors */
	launch.arguments[0].has_range = true;
	launch.arguments[0].high = 1000;
	chance = answer(kernel, device, &launch);
	/* even numbers alone: one side is always taken */
	launch.arguments[0].high = 0;
	seldom = answer(kernel, device, &launch);
	assert_close(row_count(&chance, "branches guessed wrong"), 0.5, 0.2);
	assert_true(row_count(&seldom, "branches guessed wrong") < 1e-9);
	assert_true(chance.kernel_time_s > 0.3 * 65536 * 1e-6);
	assert_true(seldom.kernel_time_s < 0.01 * 65536 * 1e-6);
	kernel_free(kernel);
	free(device);
}

static void a_wrong_guess_is_found_when_its_data_are_there(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_marked();
	struct launch launch = launch_1d(1 << 16, 256);
	double near_s, far_s;

	(void)state;
	launch_buffer(&launch, 4 << 16);
	launch_buffer(&launch, 1 << 16);
	device_set(device, COEFFICIENT_MISPREDICT, 1e-6);
	set_plain(device, 1e-11, 1e-11); /* no vectors */
	launch.arguments[0].has_range = true;
	launch.arguments[0].high = 1000;
	near_s = answer(kernel, device, &launch).kernel_time_s;
	/* as long as a core takes to begin again: four units at 1 us of all */
	device_set(device, coefficient_memory(MEMORY_L1, MEMORY_COLUMN_LATENCY), 4e-6);
	far_s = answer(kernel, device, &launch).kernel_time_s;
	assert_close(far_s, 2 * near_s, 0.1);
	kernel_free(kernel);
	free(device);
}

static void the_best_of_many_is_seldom_improved(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_least();
	struct launch launch = launch_1d(1 << 16, 256);
	struct prediction p;

	(void)state;
	launch_buffer(&launch, 4 << 16);
	launch_buffer(&launch, 4 << 16);
	device_set(device, COEFFICIENT_MISPREDICT, 1e-6);
	set_plain(device, 1.2e-11, 1e-11);
	p = answer(kernel, device, &launch);
	assert_true(p.is_scalar);
	assert_true(row_count(&p, "branches guessed wrong") < 1e-9);
	kernel_free(kernel);
	free(device);
}

static void what_is_in_order_is_not_swapped(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_swapped();
	struct launch launch = launch_1d(1 << 16, 256);
	struct prediction p;

	(void)state;
	launch_buffer(&launch, 4 * ((1 << 16) + 4096));
	device_set(device, COEFFICIENT_MISPREDICT, 1e-6);
	set_plain(device, 1.2e-11, 1e-11);
	p = answer(kernel, device, &launch);
	assert_true(p.is_scalar);
	assert_true(row_count(&p, "branches guessed wrong") < 1e-9);
	kernel_free(kernel);
	free(device);
}

static void all_units_have_to_come_and_go(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch one = launch_1d(64, 64), few = launch_1d(256, 64);
	double one_s, few_s;

	(void)state;
	for (int i = 0; i < 3; i++) {
		launch_buffer(&one, 1024);
		launch_buffer(&few, 1024);
	}
	device_set(device, COEFFICIENT_SPREAD, 15e-6);
	device_set(device, COEFFICIENT_JOIN, 20e-6);
	one_s = answer(kernel, device, &one).kernel_time_s;
	few_s = answer(kernel, device, &few).kernel_time_s;
	assert_close(few_s - one_s, 20e-6, 0.05);
	/* in a row of launches hardly anything: as long as the first one takes to begin */
	device_set(device, COEFFICIENT_JOIN, 1e-9);
	few_s = answer(kernel, device, &few).kernel_time_s;
	assert_close(few_s - one_s, 10e-6, 0.05);
	kernel_free(kernel);
	free(device);
}

static void a_call_without_a_vector_form_keeps_code_scalar(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_new("f");
	struct type real = type_scalar(SCALAR_FLOAT);
	struct launch launch = launch_1d(1 << 16, 256);
	double vector, scalar;
	uint32_t index, value, call, access;
	struct error error;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct ir_argument argument = {.name = "a",
		                               .kind = ARGUMENT_BUFFER,
		                               .type = real,
		                               .size_bytes = 4,
		                               .object = i};
		struct ir_object object = {.name = "a",
		                           .space = SPACE_GLOBAL,
		                           .argument = i,
		                           .type = real,
		                           .element_bytes = 4};

		kernel_add_argument(kernel, &argument);
		kernel_add_object(kernel, &object);
		launch_buffer(&launch, 4 << 16);
	}
	index = kernel_node(kernel, NODE_GLOBAL_ID, type_scalar(SCALAR_ULONG), NULL, 0, 0, 0);
	struct ir_access load = {.kind = ACCESS_LOAD,
	                         .object = 0,
	                         .index = index,
	                         .scale_bytes = 4,
	                         .type = real,
	                         .value = IR_NONE};
	access = kernel_access(kernel, 0, &load);
	assert_true(access != IR_NONE);
	value = kernel->accesses[access].result;
	call = kernel_node(kernel, NODE_CALL, real, &value, 1, BUILTIN_SIN, 0);
	struct ir_access store = {.kind = ACCESS_STORE,
	                          .object = 1,
	                          .index = index,
	                          .scale_bytes = 4,
	                          .type = real,
	                          .value = call};
	kernel_access(kernel, 0, &store);
	assert_int_equal(kernel_seal(kernel, &error), STATUS_OK);
	device_set(device, COEFFICIENT_LOAD_SCALAR, 1e-8);
	device_set(device, COEFFICIENT_LOAD_VECTOR, 1e-12);
	device_set(device, coefficient_op(OP_MODE_SCALAR, TYPE_CLASS_FLOAT, OP_CLASS_SIN), 1e-9);
	device_set(device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_SIN), 9e-10);
	scalar = answer(kernel, device, &launch).kernel_time_s;
	device_set(device, coefficient_op(OP_MODE_VECTOR, TYPE_CLASS_FLOAT, OP_CLASS_SIN), 1e-10);
	vector = answer(kernel, device, &launch).kernel_time_s;
	/* its loads are scalar, too */
	assert_true(scalar > 65536 * 1e-8);
	assert_true(vector < 65536 * 1e-9);
	kernel_free(kernel);
	free(device);
}

static bool is_scalar(struct ir_kernel *kernel)
{
	struct device *device = device_cpu();
	struct launch launch = launch_1d(1 << 16, 64);
	bool result;

	for (uint32_t i = 0; i < kernel->argument_count; i++)
		launch_buffer(&launch, 4 << 17);
	device_set(device, COEFFICIENT_LOAD_SCALAR, 1e-7);
	result = answer(kernel, device, &launch).kernel_time_s > 65536 * 1e-7;
	kernel_free(kernel);
	free(device);
	return result;
}

static void like_chains_of_a_work_item_are_packed_where_that_saves_something(void **state)
{
	(void)state;
	assert_true(is_scalar(kernel_chains(true)));
	assert_false(is_scalar(kernel_chains(false)));
	assert_true(is_scalar(kernel_places(true)));
	assert_false(is_scalar(kernel_places(false)));
}

static double nested_time(const struct device *device, unsigned before)
{
	struct ir_kernel *kernel = kernel_nested(before);
	struct launch launch = launch_1d(1 << 16, 64);
	double time_s;

	launch_buffer(&launch, 4 << 16);
	time_s = answer(kernel, device, &launch).kernel_time_s;
	kernel_free(kernel);
	return time_s;
}

static void an_iteration_waits_for_what_goes_through_the_loop_within(void **state)
{
	struct device *device = device_cpu();
	/* of four units, an addition takes a nanosecond */
	double more_s = nested_time(device, 13) - nested_time(device, 3);

	(void)state;
	assert_close(more_s, 65536 / 4 * 100 * 10 * 1e-9, 0.2);
	free(device);
}

static double sines_time(const struct device *device, unsigned count)
{
	struct ir_kernel *kernel = kernel_sines(count);
	struct launch launch = launch_1d(1 << 16, 256);
	double time_s;

	launch_buffer(&launch, 4 << 16);
	launch_buffer(&launch, 4 << 16);
	time_s = answer(kernel, device, &launch).kernel_time_s;
	kernel_free(kernel);
	return time_s;
}

static void calls_that_wait_for_each_other_leave_no_room_in_the_window(void **state)
{
	struct device *device = device_cpu();
	double one;

	(void)state;
	device_set(device, COEFFICIENT_WINDOW, 100);
	for (int mode = 0; mode < OP_MODE_COUNT; mode++) /* as long as 80 additions */
		device_set(device,
		           coefficient_op((enum op_mode)mode, TYPE_CLASS_FLOAT, OP_CLASS_SIN),
		           8e-9);
	one = sines_time(device, 1);
	assert_close(one, 65536 * 8e-9, 0.1);
	/* 4 of 72 ns, of 1.3 work-items at once */
	assert_close(sines_time(device, 4), 65536 / 4 * 4 * 72e-9 / 1.3125, 0.1);
	free(device);
}

static void a_compiler_that_makes_no_vectors_is_seen_by_what_operations_cost(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch launch = launch_1d(65536, 64);
	struct prediction p;

	(void)state;
	for (int i = 0; i < 3; i++)
		launch_buffer(&launch, 65536 * 4);
	set_plain(device, 1e-11, 8e-11);
	p = answer(kernel, device, &launch);
	assert_false(p.is_scalar);
	set_plain(device, 1.2e-11, 1e-11);
	p = answer(kernel, device, &launch);
	assert_true(p.is_scalar);
	assert_non_null(strstr(p.note, "makes no vectors of work-items"));
	/* three loads and stores as scalars */
	assert_true(p.kernel_time_s > 65536 * 3 * 1e-10);
	kernel_free(kernel);
	free(device);
}

static void what_crosses_a_barrier_is_stored_and_loaded(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_banks();
	struct launch launch = launch_1d(65536, 64);
	struct prediction p;

	(void)state;
	launch_buffer(&launch, 65536 * 4);
	launch_integer(&launch, SCALAR_INT, 1);
	set_plain(device, 1.2e-11, 1e-11);
	p = answer(kernel, device, &launch);
	/* the local id as an int */
	assert_close(row_count(&p, "values kept across barriers"), 2, 1e-6);
	/* vectors keep theirs in vectors */
	set_plain(device, 1e-11, 8e-11);
	p = answer(kernel, device, &launch);
	assert_true(row_count(&p, "values kept across barriers") < 1e-9);
	kernel_free(kernel);
	free(device);
}

static void a_straight_line_waits_for_its_chain(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_vector_add();
	struct launch launch = launch_1d(65536, 64);

	(void)state;
	for (int i = 0; i < 3; i++)
		launch_buffer(&launch, 65536 * 4);
	device_set(device, COEFFICIENT_FLOAT_LATENCY, 1e-6);
	device_set(device, COEFFICIENT_WINDOW, 0);
	set_plain(device, 1e-11, 8e-11);
	/* eight lanes wait together */
	assert_close(answer(kernel, device, &launch).kernel_time_s, 16384 * 1e-6 / 8, 0.1);
	set_plain(device, 1e-11, 1e-11);
	/* one addition of 1 us, of 16384 work-items a unit */
	assert_close(answer(kernel, device, &launch).kernel_time_s, 16384 * 1e-6, 0.1);
	kernel_free(kernel);
	free(device);
}

static void a_multiplication_waits_as_long_as_was_calibrated(void **state)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_counted();
	struct launch launch = counted_launch(4096, 1000);

	(void)state;
	for (uint32_t i = 0; i < kernel->node_count; i++)
		if (kernel->nodes[i].op == NODE_ADD && type_is_real(kernel->nodes[i].type))
			kernel->nodes[i].op = NODE_MUL;
	device_set(device, COEFFICIENT_FLOAT_LATENCY, 1e-6);
	device_set(device, COEFFICIENT_MUL_LATENCY, 3e-6);
	device_set(device, COEFFICIENT_WINDOW, 0);
	assert_close(answer(kernel, device, &launch).kernel_time_s, 1024 * 1000 * 3e-6, 0.05);
	kernel_free(kernel);
	free(device);
}

/* 4096 work-items that each sum up n numbers. */
static double sum_time(const struct device *device, enum scalar element, int64_t n)
{
	struct ir_kernel *kernel = kernel_summed(element);
	struct launch launch = launch_1d(4096, 64);
	double time_s;

	launch_buffer(&launch, 1 << 14);
	launch_buffer(&launch, 4096 * 4);
	launch_integer(&launch, SCALAR_LONG, n);
	time_s = answer(kernel, device, &launch).kernel_time_s;
	kernel_free(kernel);
	return time_s;
}

static void iterations_that_sum_integers_are_lanes_of_vectors(void **state)
{
	struct device *device = device_cpu();
	double in_vectors;

	(void)state;
	set_plain(device, 1e-11, 1e-10);
	device_set(device, COEFFICIENT_FLOAT_LATENCY, 1e-6);
	device_set(device, COEFFICIENT_INT_LATENCY, 1e-6);
	device_set(device, COEFFICIENT_WINDOW, 0);
	/* sums of integers wait for none before, in pairs of vectors; 24 trips fill no such pair */
	in_vectors = sum_time(device, SCALAR_INT, 1024);
	assert_true(in_vectors < 1e-3);
	assert_close(sum_time(device, SCALAR_INT, 24), 1024 * 24 * 1e-6, 0.1);
	assert_close(sum_time(device, SCALAR_FLOAT, 1024), 1024 * 1024 * 1e-6, 0.1);
	/* a compiler that makes no vectors makes none of these */
	set_plain(device, 1e-10, 1e-10);
	assert_close(sum_time(device, SCALAR_INT, 1024), 1024 * 1024 * 1e-6, 0.1);
	free(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(units_contend_for_few_lines_of_atomics),
	        cmocka_unit_test(lines_at_random_cost_what_they_were_calibrated_to),
	        cmocka_unit_test(a_sum_waits_for_each_of_its_adds),
	        cmocka_unit_test(short_work_items_overlap_within_the_window),
	        cmocka_unit_test(a_stride_of_a_way_fills_one_set),
	        cmocka_unit_test(a_loop_fights_for_a_set_no_more_because_of_a_longer_one_beside_it),
	        cmocka_unit_test(a_cache_keeps_a_share_of_what_exceeds_it),
	        cmocka_unit_test(bytes_stored_under_a_mask_are_lanes),
	        cmocka_unit_test(one_place_under_a_mask_is_gathered),
	        cmocka_unit_test(a_load_that_nothing_uses_costs_nothing),
	        cmocka_unit_test(branches_that_data_decide_are_guessed_wrong),
	        cmocka_unit_test(a_wrong_guess_is_found_when_its_data_are_there),
	        cmocka_unit_test(the_best_of_many_is_seldom_improved),
	        cmocka_unit_test(what_is_in_order_is_not_swapped),
	        cmocka_unit_test(all_units_have_to_come_and_go),
	        cmocka_unit_test(a_call_without_a_vector_form_keeps_code_scalar),
	        cmocka_unit_test(like_chains_of_a_work_item_are_packed_where_that_saves_something),
	        cmocka_unit_test(an_iteration_waits_for_what_goes_through_the_loop_within),
	        cmocka_unit_test(calls_that_wait_for_each_other_leave_no_room_in_the_window),
	        cmocka_unit_test(a_compiler_that_makes_no_vectors_is_seen_by_what_operations_cost),
	        cmocka_unit_test(what_crosses_a_barrier_is_stored_and_loaded),
	        cmocka_unit_test(a_straight_line_waits_for_its_chain),
	        cmocka_unit_test(a_multiplication_waits_as_long_as_was_calibrated),
	        cmocka_unit_test(iterations_that_sum_integers_are_lanes_of_vectors),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
