/* SPDX-License-Identifier: Apache-2.0 */
/* What the cores of a CPU do to each other, and what those without work do not. */
#include "tests/test.h"

#include "model/passes/passes.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"

#include <stdlib.h>

/* 1024 gathers from 64 MB, in work-groups of `group`. */
static double gather_time(const struct device *device, uint64_t group)
{
	struct ir_kernel *kernel = kernel_gather();
	struct launch launch = launch_1d(1 << 10, group);
	struct prediction p;

	launch_buffer(&launch, 64 << 20);
	launch_buffer(&launch, 4 << 10);
	launch_buffer(&launch, 4 << 10);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	return row_time(&p, "bytes from L3 cache");
}

static void lines_come_no_faster_because_other_cores_are_idle(void **state)
{
	struct device *device = device_cpu();
	double all, one;

	(void)state;
	device_set(device, coefficient_memory(MEMORY_L3, MEMORY_COLUMN_GATHER), 100e6);
	all = gather_time(device, 256);
	one = gather_time(device, 1 << 10);
	assert_true(all > 0);
	assert_close(one / all, 4, 0.05);
	free(device);
}

static double atomic_time(const struct device *device, struct ir_kernel *kernel)
{
	struct launch launch = launch_1d(1 << 20, 256);
	struct prediction p;

	launch_buffer(&launch, 4);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	return row_time(&p, "global atomic on a");
}

static void a_maximum_takes_two_turns_of_a_sum(void **state)
{
	struct device *device = device_cpu();

	(void)state;
	device_set(device, COEFFICIENT_ATOMIC_GLOBAL_SAME, 20e-9);
	assert_close(atomic_time(device, kernel_counter()), (1 << 20) * 20e-9, 1e-6);
	assert_close(atomic_time(device, kernel_greatest()), (1 << 20) * 40e-9, 1e-6);
	free(device);
}

/* Wrong guesses of a work-item, where each goes along one of 4096 rows of so many elements. */
static double wrong_ends_of_rows(uint64_t elements)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_rows();
	struct launch launch = launch_1d(1 << 12, 256);
	struct prediction p;

	launch_buffer(&launch, 4 * ((1 << 12) + 1));
	launch_buffer(&launch, 4 * elements);
	launch_buffer(&launch, 4 << 12);
	device_set(device, COEFFICIENT_MISPREDICT, 1e-9);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return row_count(&p, "branches guessed wrong");
}

static void half_of_the_ends_of_rows_are_guessed_right(void **state)
{
	(void)state;
	assert_close(wrong_ends_of_rows((1 << 15) + 100), 0.5, 1e-6);
	/* all of rows that are as long as each other */
	assert_close(wrong_ends_of_rows(1 << 15), 0, 1e-9);
}

/* if (b[a[gid]] & 1) c[gid] = a[gid] */
static struct ir_kernel *kernel_looked_up(void)
{
	struct ir_kernel *k = kernel_new("looked_up");
	struct type type = type_scalar(SCALAR_INT);
	uint32_t id = kernel_node(k, NODE_GLOBAL_ID, type_scalar(SCALAR_ULONG), NULL, 0, 0, 0);
	struct ir_access access = {.kind = ACCESS_LOAD,
	                           .index = id,
	                           .scale_bytes = 4,
	                           .type = type,
	                           .value = IR_NONE,
	                           .line = 1};
	struct ir_statement branch = statement_of(STATEMENT_BRANCH, 2);
	uint32_t number;
	struct error error = {0};

	for (uint32_t i = 0; i < 3; i++) {
		struct ir_argument argument = {
		        .kind = ARGUMENT_BUFFER, .type = type, .size_bytes = 4, .object = i};
		struct ir_object object = {
		        .space = SPACE_GLOBAL, .argument = i, .type = type, .element_bytes = 4};

		object.name[0] = argument.name[0] = (char)('a' + i);
		kernel_add_argument(k, &argument);
		kernel_add_object(k, &object);
	}
	number = kernel_access(k, 0, &access);
	access.index = k->accesses[number].result;
	access.object = 1;
	number = kernel_access(k, 0, &access);
	branch.condition = kernel_binary(k, NODE_AND, type, k->accesses[number].result,
	                                 kernel_integer(k, type, 1));
	branch.body = kernel_block(k);
	kernel_append(k, 0, &branch);
	access.kind = ACCESS_STORE;
	access.object = 2;
	access.value = access.index;
	access.index = id;
	access.result = IR_NONE;
	(void)kernel_access(k, branch.body, &access);
	if (kernel_seal(k, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	return k;
}

/* What wrong guesses take where memory is so far, of what is read at random in 64 MB. */
static double guesses_time(double far_s)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_looked_up();
	struct launch launch = launch_1d(1 << 16, 256);
	struct prediction p;

	launch_buffer(&launch, 4 << 16);
	launch_buffer(&launch, 64 << 20);
	launch_buffer(&launch, 4 << 16);
	device_set(device, COEFFICIENT_MISPREDICT, 1e-9);
	device_make_scalar(device);
	device_set(device, coefficient_memory(MEMORY_DRAM, MEMORY_COLUMN_LATENCY), far_s);
	device_set(device, coefficient_memory(MEMORY_L3, MEMORY_COLUMN_LATENCY), far_s);
	p = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return row_time(&p, "branches guessed wrong");
}

static void a_wrong_guess_waits_for_the_level_that_has_its_data(void **state)
{
	(void)state;
	assert_true(guesses_time(100e-9) > 3 * guesses_time(12e-9));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(lines_come_no_faster_because_other_cores_are_idle),
	        cmocka_unit_test(a_maximum_takes_two_turns_of_a_sum),
	        cmocka_unit_test(half_of_the_ends_of_rows_are_guessed_right),
	        cmocka_unit_test(a_wrong_guess_waits_for_the_level_that_has_its_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
