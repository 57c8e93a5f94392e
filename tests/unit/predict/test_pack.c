/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars that go into vectors of OpenCL C and come out of them, and variables of loops, on a CPU.
 */
#include "tests/test.h"

#include "model/passes/passes.h"
#include "tests/unit/predict/answers.h"
#include "tests/unit/predict/kernels.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 4 };

/* for 16 times each part of v = its neighbour times 3; out[0] = v, or the parts apart, by their sum
 */
static struct ir_kernel *kernel_of(enum scalar scalar, bool is_vector, bool has_barrier)
{
	struct ir_kernel *k = kernel_new("turns");
	struct type one = type_scalar(scalar), all = {(uint8_t)scalar, LANES};
	struct type types[LANES + 1];
	struct ir_argument argument = {.kind = ARGUMENT_BUFFER, .type = all, .size_bytes = 16};
	struct ir_object object = {
	        .space = SPACE_GLOBAL, .argument = 0, .type = all, .element_bytes = 16};
	struct ir_statement loop = statement_of(STATEMENT_LOOP, 3);
	struct ir_statement barrier = statement_of(STATEMENT_BARRIER, 2);
	uint32_t inits[LANES + 1], parts[LANES], first, sum = IR_NONE, id, counter;
	struct type counts = type_scalar(SCALAR_INT);
	struct error error = {0};

	strcpy(argument.name, "out");
	strcpy(object.name, "out");
	argument.object = kernel_add_object(k, &object);
	kernel_add_argument(k, &argument);
	id = kernel_node(k, NODE_GLOBAL_ID, type_scalar(SCALAR_ULONG), NULL, 0, 0, 0);
	loop.body = kernel_block(k);
	loop.variable_count = LANES + 1;
	loop.first_variable = 0;
	for (unsigned i = 0; i < LANES; i++) {
		types[i] = one;
		inits[i] = kernel_unary(k, NODE_CONVERT, one, id);
	}
	types[LANES] = counts;
	inits[LANES] = kernel_integer(k, counts, 0);
	if (has_barrier)
		(void)kernel_append(k, 0, &barrier);
	id = kernel_append(k, 0, &loop);
	first = kernel_open_variables(k, id, types, inits, LANES + 1);
	counter = k->variables[first + LANES].node;
	k->statements[id].condition = kernel_binary(k, NODE_LT, type_scalar(SCALAR_BOOL), counter,
	                                            kernel_integer(k, counts, 16));
	for (unsigned i = 0; i < LANES; i++)
		parts[i] = k->variables[first + i].node;
	if (is_vector)
		(void)kernel_node(k, NODE_VECTOR, all, parts, LANES, 0, 0);
	for (unsigned i = 0; i < LANES; i++) {
		uint32_t three =
		        type_is_real(one) ? kernel_real(k, one, 3) : kernel_integer(k, one, 3);
		kernel_close_variable(
		        k, first + i,
		        kernel_binary(k, NODE_MUL, one, parts[(i + 1) % LANES], three));
	}
	kernel_close_variable(
	        k, first + LANES,
	        kernel_binary(k, NODE_ADD, counts, counter, kernel_integer(k, counts, 1)));
	for (unsigned i = 0; i < LANES; i++)
		sum = i == 0 ? parts[0] : kernel_binary(k, NODE_ADD, one, sum, parts[i]);
	struct ir_access access = {.kind = ACCESS_STORE,
	                           .object = 0,
	                           .index = IR_NONE,
	                           .scale_bytes = 16,
	                           .type = one,
	                           .value = sum,
	                           .result = IR_NONE,
	                           .line = 5};
	(void)kernel_access(k, 0, &access);
	if (kernel_seal(k, &error) != STATUS_OK)
		fail_msg("%s", error.text);
	return k;
}

static struct prediction turns_answer(enum scalar scalar, bool is_vector, bool has_barrier)
{
	struct device *device = device_cpu();
	struct ir_kernel *kernel = kernel_of(scalar, is_vector, has_barrier);
	struct launch launch = launch_1d(1 << 16, 256);
	struct prediction prediction;

	launch_buffer(&launch, 64);
	device_make_scalar(device);
	prediction = answer(kernel, device, &launch);
	kernel_free(kernel);
	free(device);
	return prediction;
}

static void parts_of_a_vector_that_a_loop_changes_go_out_and_in(void **state)
{
	struct prediction apart = turns_answer(SCALAR_UINT, false, false),
	                  together = turns_answer(SCALAR_UINT, true, false);
	const struct prediction_row *waits = row_find(&apart, "latency of dependent operations");
	const struct prediction_row *waits_longer =
	        row_find(&together, "latency of dependent operations");
	const struct prediction_row *moves = row_find(&together, "moves of a vector's parts");

	(void)state;
	assert_null(row_find(&apart, "moves of a vector's parts"));
	assert_non_null(moves);
	/* each out in one cycle and in again in two */
	assert_close(moves->count, 16 * 3 * 4, 1e-6);
	assert_non_null(waits);
	assert_non_null(waits_longer);
	assert_true(waits_longer->time_s > 2 * waits->time_s);
}

static void reals_are_where_vectors_are(void **state)
{
	struct prediction together = turns_answer(SCALAR_FLOAT, true, false);

	(void)state;
	assert_non_null(row_find(&together, "moves of a vector's parts"));
	assert_close(row_find(&together, "moves of a vector's parts")->count, 16 * 2 * 4, 1e-6);
}

static void a_loop_beside_a_barrier_keeps_its_variables_in_memory(void **state)
{
	struct prediction apart = turns_answer(SCALAR_UINT, false, false);
	struct prediction beside = turns_answer(SCALAR_UINT, false, true);

	(void)state;
	assert_null(row_find(&apart, "values kept across barriers"));
	assert_non_null(row_find(&beside, "values kept across barriers"));
	/* four parts and the counter, each loaded and stored in each of 16 iterations */
	assert_true(row_find(&beside, "values kept across barriers")->count >= 16 * 2 * (4 + 1));
	assert_true(row_find(&beside, "values kept across barriers")->count < 16 * 3 * (4 + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(parts_of_a_vector_that_a_loop_changes_go_out_and_in),
	        cmocka_unit_test(reals_are_where_vectors_are),
	        cmocka_unit_test(a_loop_beside_a_barrier_keeps_its_variables_in_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
