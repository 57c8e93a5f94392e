/* SPDX-License-Identifier: Apache-2.0 */
/* The text form against literal text. */
#include "tests/test.h"

#include "model/ir/text.h"
#include "tests/unit/model/build.h"

static void reads(const struct ir_kernel *kernel, const char *want)
{
	struct error error;
	char *text = NULL;
	assert_int_equal(kernel_format(kernel, 1 << 20, &text, &error), STATUS_OK);
	assert_string_equal(text, want);
	free(text);
}

static void a_straight_kernel_is_nested_expressions(void **state)
{
	(void)state;
	struct ir_kernel *kernel = kernel_new("saxpy");
	uint32_t x = add_buffer(kernel, "x", SPACE_GLOBAL, FLOAT);
	uint32_t y = add_buffer(kernel, "y", SPACE_GLOBAL, FLOAT);
	uint32_t a = add_scalar(kernel, "a", FLOAT);
	uint32_t i = add_id(kernel, NODE_GLOBAL_ID, 0);
	uint32_t of_x = add_load(kernel, 0, x, i), of_y = add_load(kernel, 0, y, i);
	uint32_t product = kernel_binary(kernel, NODE_MUL, FLOAT, a, of_x);
	uint32_t sum = kernel_binary(kernel, NODE_ADD, FLOAT, product, of_y);
	(void)add_store(kernel, 0, y, i, sum);
	seal(kernel);
	reads(kernel, "kernel saxpy(buffer float x, buffer float y, scalar float a)\n"
	              "  %1 = int convert_int(gid(0))\n"
	              "  %2 = float load x[%1*4]\n"
	              "  %3 = float load y[%1*4]\n"
	              "  store float y[%1*4] = add(%3, mul(a, %2))\n");
	kernel_free(kernel);
}

static void loops_branches_and_exits_stand_in_order(void **state)
{
	(void)state;
	struct ir_kernel *kernel = kernel_new("k");
	uint32_t in = add_buffer(kernel, "in", SPACE_GLOBAL, FLOAT);
	uint32_t tile = add_array(kernel, "tile", SPACE_LOCAL, FLOAT, 1024);
	uint32_t n = add_scalar(kernel, "n", INT);
	struct loop loop = open_loop(kernel, 0, kernel_integer(kernel, INT, 0),
	                             kernel_real(kernel, FLOAT, 0.5));
	kernel->statements[loop.statement].unroll = 4;
	uint32_t value = add_load(kernel, loop.body, in, loop.i);
	uint32_t sum = kernel_binary(kernel, NODE_ADD, FLOAT, loop.sum, value);
	uint32_t otherwise;
	uint32_t body = add_branch(
	        kernel, loop.body,
	        kernel_binary(kernel, NODE_LT, INT, sum, kernel_real(kernel, FLOAT, -1e-9)),
	        &otherwise);
	struct ir_statement leave = statement_of(STATEMENT_EXIT, 1);
	leave.target = loop.statement;
	(void)kernel_append(kernel, body, &leave);
	leave.target = IR_NONE;
	(void)kernel_append(kernel, otherwise, &leave);
	close_loop(kernel, &loop, NODE_LT, n,
	           kernel_binary(kernel, NODE_ADD, INT, loop.i, kernel_integer(kernel, INT, 1)),
	           sum);
	add_barrier(kernel, 0);
	(void)add_store(kernel, 0, tile, IR_NONE, loop.sum);
	kernel->accesses[1].offset_bytes = 8;
	seal(kernel);
	reads(kernel, "kernel k(buffer float in, scalar int n)\n"
	              "  array local float tile 1024\n"
	              "  loop @1 unroll 4:\n"
	              "    %1 = int var 0\n"
	              "    %2 = float var 0.5\n"
	              "    while lt(%1, n)\n"
	              "    %3 = float load in[%1*4]\n"
	              "    %4 = float add(%2, %3)\n"
	              "    if lt(%4, -1e-09):\n"
	              "      exit @1\n"
	              "    else:\n"
	              "      exit\n"
	              "    then %1 = add(%1, 1)\n"
	              "    then %2 = %4\n"
	              "  barrier\n"
	              "  store float tile[0 + 8] = %2\n");
	kernel_free(kernel);
}

static void vectors_calls_and_casts_have_their_form(void **state)
{
	(void)state;
	struct type float4 = {SCALAR_FLOAT, 4}, float2 = {SCALAR_FLOAT, 2};
	struct ir_kernel *kernel = kernel_new("k");
	uint32_t out = add_buffer(kernel, "out", SPACE_GLOBAL, float4);
	uint32_t v = add_scalar(kernel, "v", float4);
	uint32_t low = kernel_node(kernel, NODE_SWIZZLE, float2, &v, 1, 0, 0x31);
	uint32_t root = kernel_node(kernel, NODE_CALL, float2, &low, 1, BUILTIN_SQRT, 0);
	uint32_t parts[2] = {v, root};
	uint32_t whole = kernel_node(kernel, NODE_INSERT, float4, parts, 2, 0, 0x20);
	uint32_t lane = kernel_node(kernel, NODE_SWIZZLE, FLOAT, &v, 1, 0, 3);
	uint32_t index = kernel_unary(kernel, NODE_BITCAST, UINT, lane);
	(void)add_store(kernel, 0, out, index, whole);
	struct ir_access atomic = {.kind = ACCESS_ATOMIC,
	                           .object = out,
	                           .index = IR_NONE,
	                           .scale_bytes = 1,
	                           .offset_bytes = -4,
	                           .type = INT,
	                           .value = IR_NONE};
	(void)kernel_access(kernel, 0, &atomic);
	atomic.value = kernel_integer(kernel, INT, -3);
	(void)kernel_access(kernel, 0, &atomic);
	atomic.is_exchange = true;
	(void)kernel_access(kernel, 0, &atomic);
	atomic.is_exchange = false;
	atomic.is_extreme = true;
	(void)kernel_access(kernel, 0, &atomic);
	seal(kernel);
	reads(kernel,
	      "kernel k(buffer float4 out, scalar float4 v)\n"
	      "  store float4 out[as_uint(swizzle(v, 3))*16] = insert(v, sqrt(swizzle(v, 1, 3)), "
	      "0, 2)\n"
	      "  %1 = int atomic out[0 - 4]\n"
	      "  %2 = int atomic out[0 - 4], -3\n"
	      "  %3 = int exchange out[0 - 4], -3\n"
	      "  %4 = int extreme out[0 - 4], -3\n");
	kernel_free(kernel);
}

static void the_order_of_building_does_not_show(void **state)
{
	(void)state;
	char *texts[2] = {0};
	struct error error;
	for (int round = 0; round < 2; round++) {
		struct ir_kernel *kernel = kernel_new("k");
		uint32_t out = add_buffer(kernel, "out", SPACE_GLOBAL, INT);
		uint32_t x = add_scalar(kernel, "x", INT), y = add_scalar(kernel, "y", INT);
		if (round == 1) /* other nodes before, unused */
			(void)kernel_binary(kernel, NODE_XOR, INT, y, kernel_unknown(kernel, INT));
		uint32_t quotient = kernel_binary(kernel, NODE_DIV, INT, x, y);
		uint32_t rest = kernel_binary(kernel, NODE_REM, INT, x, y);
		uint32_t square = kernel_binary(kernel, NODE_MUL, INT, rest, rest);
		(void)add_store(kernel, 0, out, quotient,
		                kernel_binary(kernel, NODE_SUB, INT, square, quotient));
		seal(kernel);
		assert_int_equal(kernel_format(kernel, 4096, &texts[round], &error), STATUS_OK);
		kernel_free(kernel);
	}
	assert_string_equal(texts[0], texts[1]);
	assert_non_null(strstr(texts[0], "  %1 = int div(x, y)\n  %2 = int rem(x, y)\n"));
	free(texts[0]);
	free(texts[1]);
}

static void deep_expressions_are_cut_into_lines(void **state)
{
	(void)state;
	struct ir_kernel *kernel = kernel_new("k");
	uint32_t out = add_buffer(kernel, "out", SPACE_GLOBAL, INT);
	uint32_t x = add_scalar(kernel, "x", INT), deep = x;
	struct error error;
	char *text;
	for (int i = 0; i < 100000; i++)
		deep = kernel_unary(kernel, i % 2 == 0 ? NODE_NEG : NODE_NOT, INT, deep);
	(void)add_store(kernel, 0, out, IR_NONE, deep);
	seal(kernel);
	assert_int_equal(kernel_format(kernel, 1 << 22, &text, &error), STATUS_OK);
	assert_null(strstr(text, "not(neg(not(neg(not(neg(not(neg(not(neg(not(neg(not(neg("));
	assert_non_null(strstr(text, "  %2 = int "));
	free(text);
	kernel_free(kernel);
}

static void a_bound_ends_the_text_in_a_line(void **state)
{
	(void)state;
	struct ir_kernel *kernel = kernel_new("k");
	uint32_t out = add_buffer(kernel, "out", SPACE_GLOBAL, INT);
	struct error error;
	char *text;
	for (int i = 0; i < 100; i++)
		(void)add_store(kernel, 0, out, kernel_integer(kernel, INT, i),
		                kernel_integer(kernel, INT, i));
	seal(kernel);
	for (size_t max = 4; max < 3000; max = max * 2 + 1) {
		assert_int_equal(kernel_format(kernel, max, &text, &error), STATUS_OK);
		size_t length = strlen(text);
		assert_true(length <= max);
		assert_string_equal(text + length - 4, "...\n");
		assert_true(length == 4 || text[length - 5] == '\n');
		free(text);
	}
	assert_int_equal(kernel_format(kernel, 3, &text, &error), STATUS_INVALID);
	kernel_free(kernel);
}

static void what_is_hostile_in_a_name_is_not_printed(void **state)
{
	(void)state;
	struct ir_kernel *kernel = kernel_new("k\x1b[2J\n");
	kernel_unsupported(kernel, "calls foo(\x07), which is unknown");
	seal(kernel);
	reads(kernel, "kernel k?[2J?()\n  unsupported calls foo(?), which is unknown\n");
	kernel_free(kernel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_straight_kernel_is_nested_expressions),
	        cmocka_unit_test(loops_branches_and_exits_stand_in_order),
	        cmocka_unit_test(vectors_calls_and_casts_have_their_form),
	        cmocka_unit_test(the_order_of_building_does_not_show),
	        cmocka_unit_test(deep_expressions_are_cut_into_lines),
	        cmocka_unit_test(a_bound_ends_the_text_in_a_line),
	        cmocka_unit_test(what_is_hostile_in_a_name_is_not_printed),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
