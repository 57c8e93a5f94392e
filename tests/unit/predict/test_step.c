/* SPDX-License-Identifier: Apache-2.0 */
/* What a CPU's compiler can prove of indices; the cases are read off code that PoCL 3.1 emitted. */
#include "tests/test.h"

#include "model/codegen/pocl/strides.h"
#include "model/passes/passes.h"
#include "tests/unit/predict/kernels.h"

#include <stdlib.h>

struct found {
	bool load_is_unproven, store_is_unproven;
	double one_by_one;
};

/* A load, then a store, in work-groups of `group`; takes the kernel. */
static struct found find_in(struct ir_kernel *kernel, uint64_t group)
{
	struct launch launch = launch_1d(group * 100, group);
	bool *is_uniform = calloc(kernel->node_count, sizeof *is_uniform);
	bool *is_common = calloc(kernel->node_count, sizeof *is_common);
	bool has_crossed[2] = {false, false};
	uint8_t steps[2] = {CPU_STEP_PROVEN, CPU_STEP_PROVEN};
	struct error error = {0};
	struct found found;

	assert_non_null(is_uniform);
	assert_non_null(is_common);
	for (uint32_t i = 0; i < kernel->node_count; i++)
		is_uniform[i] = kernel->nodes[i].op == NODE_CONST_INT;
	assert_int_equal(kernel->access_count, 2);
	assert_int_equal(cpu_steps(kernel, &launch, is_uniform, has_crossed, is_common, steps,
	                           &found.one_by_one, &error),
	                 STATUS_OK);
	found.load_is_unproven = steps[0] > CPU_STEP_SAME;
	found.store_is_unproven = steps[1] > CPU_STEP_SAME;
	free(is_common);
	free(is_uniform);
	kernel_free(kernel);
	return found;
}

/* b[x] = a[(x + literal) & mask] */
static struct found find(enum scalar type, int64_t literal, uint64_t mask, uint64_t group)
{
	return find_in(kernel_indexed(type, literal, mask), group);
}

static void a_position_of_64_bits_steps_by_one(void **state)
{
	struct found found = find(SCALAR_ULONG, 3, 0, 256);

	(void)state;
	assert_false(found.load_is_unproven || found.store_is_unproven);
	assert_close(found.one_by_one, 0, 1e-9);
}

static void an_int_position_steps_by_one_until_a_literal_is_added(void **state)
{
	(void)state;
	assert_false(find(SCALAR_INT, 0, 0, 256).load_is_unproven);
	assert_true(find(SCALAR_INT, 3, 0, 256).load_is_unproven);
	assert_false(find(SCALAR_INT, 3, 0, 256).store_is_unproven);
}

static void an_unsigned_position_steps_by_one_with_a_literal_too(void **state)
{
	(void)state;
	assert_false(find(SCALAR_UINT, 3, 0, 256).load_is_unproven);
}

static void a_mask_shorter_than_the_group_leaves_no_vectors(void **state)
{
	(void)state;
	assert_close(find(SCALAR_ULONG, 0, 0x7f, 256).one_by_one, 1, 1e-9);
	assert_close(find(SCALAR_INT, 0, 0xff, 256).one_by_one, 0, 1e-9);
	assert_false(find(SCALAR_INT, 0, 0xff, 256).load_is_unproven);
}

static void groups_that_a_mask_wraps_within_run_one_by_one(void **state)
{
	(void)state;
	/* groups begin at multiples of 64 in 2048; those from 1920 on wrap: two of 32 */
	assert_close(find(SCALAR_ULONG, 0, 0x7ff, 192).one_by_one, 2.0 / 32, 1e-9);
}

static void a_mask_with_holes_is_not_followed(void **state)
{
	(void)state;
	assert_true(find(SCALAR_ULONG, 0, 0xf0, 256).load_is_unproven);
}

static void a_short_loop_with_32_bit_positions_is_unrolled_without_vectors(void **state)
{
	(void)state;
	assert_close(find(SCALAR_UINT, 0, 0, 32).one_by_one, 1, 1e-9);
	assert_close(find(SCALAR_ULONG, 0, 0, 32).one_by_one, 0, 1e-9);
}

static void a_position_that_was_put_together_again_is_frozen(void **state)
{
	struct found found = find_in(kernel_recomposed(), 256);

	(void)state;
	assert_true(found.load_is_unproven);
	assert_false(found.store_is_unproven);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_position_of_64_bits_steps_by_one),
	        cmocka_unit_test(an_int_position_steps_by_one_until_a_literal_is_added),
	        cmocka_unit_test(an_unsigned_position_steps_by_one_with_a_literal_too),
	        cmocka_unit_test(a_mask_shorter_than_the_group_leaves_no_vectors),
	        cmocka_unit_test(groups_that_a_mask_wraps_within_run_one_by_one),
	        cmocka_unit_test(a_mask_with_holes_is_not_followed),
	        cmocka_unit_test(a_position_that_was_put_together_again_is_frozen),
	        cmocka_unit_test(a_short_loop_with_32_bit_positions_is_unrolled_without_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
