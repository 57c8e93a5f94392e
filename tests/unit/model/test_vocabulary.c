/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses, types and operator tables. */
#include "tests/test.h"

#include <string.h>

#include "model/ir/ops.h"
#include "model/ir/type.h"
#include "model/status.h"

static void every_status_has_its_word(void **state)
{
	(void)state;
	assert_string_equal(status_word(STATUS_OK), "ok");
	assert_string_equal(status_word(STATUS_UNCALIBRATED), "uncalibrated");
	assert_string_equal(status_word(STATUS_INTERNAL), "internal");
	assert_string_equal(status_word(STATUS_COUNT), "unknown");
	assert_int_equal(status_from_number(2), STATUS_SYNTAX);
	assert_int_equal(status_from_number(4000), STATUS_INTERNAL);
}

static void an_error_is_cut_to_its_room(void **state)
{
	(void)state;
	struct error error;
	char tail[400];
	memset(tail, 'x', sizeof tail);
	tail[sizeof tail - 1] = '\0';
	assert_int_equal(error_set(&error, STATUS_LIMIT, "%s", tail), STATUS_LIMIT);
	assert_int_equal(error.status, STATUS_LIMIT);
	assert_int_equal(strlen(error.text), sizeof error.text - 1);
	assert_int_equal(error_set(NULL, STATUS_IO, "unheard"), STATUS_IO);
}

static void types_read_and_write_alike(void **state)
{
	(void)state;
	static const unsigned widths[] = {1, 2, 3, 4, 8, 16};
	for (unsigned s = SCALAR_BOOL; s < SCALAR_COUNT; s++) {
		for (unsigned w = 0; w < 6; w++) {
			struct type type = {(uint8_t)s, (uint8_t)widths[w]}, back;
			char text[16];
			type_format(type, text);
			assert_true(type_parse(text, &back));
			assert_int_equal(back.scalar, type.scalar);
			assert_int_equal(back.width, type.width);
		}
	}
}

static void what_is_no_type_is_refused(void **state)
{
	(void)state;
	static const char *const texts[] = {"",      "void",  "int5",  "int1",    "floaty",
	                                    "int 4", "int04", "int4x", "float17", "uint-2"};
	struct type type;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_false(type_parse(texts[i], &type));
	assert_false(type_is_valid((struct type){SCALAR_INT, 5}));
	assert_false(type_is_valid((struct type){SCALAR_COUNT, 1}));
	assert_false(type_is_valid((struct type){SCALAR_VOID, 2}));
}

static void a_vector_of_three_takes_four_elements(void **state)
{
	(void)state;
	assert_int_equal(type_bytes((struct type){SCALAR_FLOAT, 3}), 16);
	assert_int_equal(type_bytes((struct type){SCALAR_CHAR, 16}), 16);
	assert_int_equal(type_bytes(type_scalar(SCALAR_DOUBLE)), 8);
}

static void types_fall_in_their_classes(void **state)
{
	(void)state;
	assert_int_equal(type_class_of(type_scalar(SCALAR_UCHAR)), TYPE_CLASS_INT);
	assert_int_equal(type_class_of(type_scalar(SCALAR_ULONG)), TYPE_CLASS_LONG);
	assert_int_equal(type_class_of(type_scalar(SCALAR_HALF)), TYPE_CLASS_HALF);
	assert_true(type_is_signed(type_scalar(SCALAR_FLOAT)));
	assert_false(type_is_signed(type_scalar(SCALAR_UINT)));
	assert_false(type_is_signed(type_scalar(SCALAR_BOOL)));
	assert_true(type_is_integer(type_scalar(SCALAR_BOOL)));
}

static void builtins_are_found_by_name(void **state)
{
	(void)state;
	for (unsigned i = 0; i < BUILTIN_COUNT; i++)
		assert_int_equal(builtin_find(builtin_name((enum builtin)i)), i);
	assert_int_equal(builtin_find("printf"), -1);
	assert_int_equal(builtin_class(BUILTIN_NATIVE_COS), OP_CLASS_NATIVE_SIN);
	assert_int_equal(builtin_operations(BUILTIN_SINCOS), 2);
	assert_int_equal(builtin_class(BUILTIN_SINCOS_COS), OP_CLASS_SINCOS);
	assert_int_equal(builtin_class(BUILTIN_ATAN2PI), OP_CLASS_ATAN2);
	assert_int_equal(builtin_class(BUILTIN_ACOS), OP_CLASS_ASIN);
	assert_int_equal(builtin_class(BUILTIN_LOG10), OP_CLASS_LOG);
	assert_int_equal(builtin_class(BUILTIN_HALF_EXP10), OP_CLASS_NATIVE_EXP2);
}

static void operators_have_their_rows(void **state)
{
	(void)state;
	assert_string_equal(node_op_name(NODE_MUL_HI), "mul_hi");
	assert_int_equal(node_op_operands(NODE_FMA), 3);
	assert_int_equal(node_op_operands(NODE_VECTOR), -1);
	assert_int_equal(node_op_class(NODE_REM), OP_CLASS_MOD);
	assert_int_equal(node_op_class(NODE_PHI), OP_CLASS_NONE);
	assert_string_equal(op_class_name(OP_CLASS_NATIVE_TAN), "native_tan");
	assert_string_equal(op_class_name(OP_CLASS_NONE), "none");
	for (unsigned op = OP_CLASS_EXP2; op < OP_CLASS_COUNT; op++)
		assert_true(op_class_is_call((enum op_class)op));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_status_has_its_word),
	        cmocka_unit_test(an_error_is_cut_to_its_room),
	        cmocka_unit_test(types_read_and_write_alike),
	        cmocka_unit_test(what_is_no_type_is_refused),
	        cmocka_unit_test(a_vector_of_three_takes_four_elements),
	        cmocka_unit_test(types_fall_in_their_classes),
	        cmocka_unit_test(builtins_are_found_by_name),
	        cmocka_unit_test(operators_have_their_rows),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
