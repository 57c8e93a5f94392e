/* SPDX-License-Identifier: Apache-2.0 */
/* The chains that time operations: what a compiler may make of them. */
#include "tests/test.h"

#include "daemon/calibrator/op_source.h"

static void calls_have_nothing_beside_them_to_be_packed_with_on_a_cpu(void **state)
{
	unsigned calls = 0;

	(void)state;
	for (size_t i = 0; i < op_chain_count; i++) {
		struct op_loop loop;

		if (!op_chain_has(&op_chains[i], TYPE_CLASS_FLOAT) ||
		    !op_class_is_call(op_chains[i].op) || op_chains[i].op == OP_CLASS_LDEXP)
			continue;
		calls++;
		loop = op_loop_of(&op_chains[i], TYPE_CLASS_FLOAT, false);
		assert_int_equal(loop.chains, 1);
		assert_int_equal(loop.steps, 1);
	}
	assert_true(calls > 20);
}

static void a_gpu_has_registers_for_several_chains(void **state)
{
	(void)state;
	for (size_t i = 0; i < op_chain_count; i++)
		if (op_chains[i].op == OP_CLASS_EXP)
			assert_true(op_loop_of(&op_chains[i], TYPE_CLASS_FLOAT, true).chains > 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(calls_have_nothing_beside_them_to_be_packed_with_on_a_cpu),
	        cmocka_unit_test(a_gpu_has_registers_for_several_chains),
	};

	return cmocka_run_group_tests_name("op_source", tests, NULL, NULL);
}
