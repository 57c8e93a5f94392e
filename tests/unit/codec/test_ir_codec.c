/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel IR as a message: nothing is lost on the way, and nothing hostile gets through. */
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/codec/ir_codec.h"
#include "model/ir/text.h"
#include "model/passes/passes.h"
#include "tests/unit/codec/sample_kernels.h"

static char *text_of(const struct ir_kernel *kernel)
{
	char *text = NULL;
	struct error error;
	assert_int_equal(kernel_format(kernel, 1 << 20, &text, &error), STATUS_OK);
	return text;
}

/* Through bytes, as between two processes. */
static Predictd__IrKernel *message_of(sample_kernel *make)
{
	struct ir_kernel *kernel = make();
	assert_non_null(kernel);
	Predictd__IrKernel *encoded = ir_encode(kernel);
	kernel_free(kernel);
	assert_non_null(encoded);
	size_t size = predictd__ir_kernel__get_packed_size(encoded);
	uint8_t *bytes = malloc(size + 1);
	assert_non_null(bytes);
	assert_int_equal(predictd__ir_kernel__pack(encoded, bytes), size);
	predictd__ir_kernel__free_unpacked(encoded, NULL);
	Predictd__IrKernel *message = predictd__ir_kernel__unpack(NULL, size, bytes);
	free(bytes);
	assert_non_null(message);
	return message;
}

static void every_sample_keeps_its_text(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sample_kernel_count; i++) {
		struct ir_kernel *kernel = sample_kernels[i]();
		assert_non_null(kernel);
		char *want = text_of(kernel);
		kernel_free(kernel);

		Predictd__IrKernel *message = message_of(sample_kernels[i]);
		struct ir_kernel *decoded = NULL;
		struct error error = {0};
		if (ir_decode(message, &decoded, &error) != STATUS_OK)
			fail_msg("%s: %s", message->name, error.text);
		predictd__ir_kernel__free_unpacked(message, NULL);
		char *got = text_of(decoded);
		assert_string_equal(got, want);
		free(got);
		free(want);
		kernel_free(decoded);
	}
}

static void every_array_is_equal_after_the_round_trip(void **state)
{
	(void)state;
	for (unsigned k = 0; k < sample_kernel_count; k++) {
		struct ir_kernel *a = sample_kernels[k](), *b = NULL;
		assert_non_null(a);
		Predictd__IrKernel *message = ir_encode(a);
		assert_non_null(message);
		struct error error = {0};
		assert_int_equal(ir_decode(message, &b, &error), STATUS_OK);
		predictd__ir_kernel__free_unpacked(message, NULL);

		assert_string_equal(a->name, b->name);
		assert_string_equal(a->unsupported, b->unsupported);
		assert_string_equal(a->unknown, b->unknown);
		assert_memory_equal(a->required_local, b->required_local, sizeof a->required_local);
		assert_int_equal(a->line, b->line);
		assert_int_equal(a->argument_count, b->argument_count);
		for (uint32_t i = 0; i < a->argument_count; i++) {
			assert_string_equal(a->arguments[i].name, b->arguments[i].name);
			assert_int_equal(a->arguments[i].kind, b->arguments[i].kind);
			assert_int_equal(a->arguments[i].size_bytes, b->arguments[i].size_bytes);
			assert_int_equal(a->arguments[i].object, b->arguments[i].object);
			assert_int_equal(a->arguments[i].image, b->arguments[i].image);
			assert_int_equal(a->arguments[i].access, b->arguments[i].access);
		}
		assert_int_equal(a->object_count, b->object_count);
		for (uint32_t i = 0; i < a->object_count; i++) {
			assert_int_equal(a->objects[i].space, b->objects[i].space);
			assert_int_equal(a->objects[i].argument, b->objects[i].argument);
			assert_int_equal(a->objects[i].size_bytes, b->objects[i].size_bytes);
			assert_int_equal(a->objects[i].is_volatile, b->objects[i].is_volatile);
			assert_int_equal(a->objects[i].is_restrict, b->objects[i].is_restrict);
		}
		assert_int_equal(a->node_count, b->node_count);
		for (uint32_t i = 0; i < a->node_count; i++) {
			assert_int_equal(a->nodes[i].op, b->nodes[i].op);
			assert_int_equal(a->nodes[i].aux, b->nodes[i].aux);
			assert_int_equal(a->nodes[i].imm, b->nodes[i].imm);
			assert_int_equal(a->nodes[i].operand_count, b->nodes[i].operand_count);
			assert_int_equal(a->nodes[i].place.line, b->nodes[i].place.line);
			assert_int_equal(a->nodes[i].place.file, b->nodes[i].place.file);
		}
		assert_int_equal(a->statement_count, b->statement_count);
		for (uint32_t i = 0; i < a->statement_count; i++) {
			assert_int_equal(a->statements[i].kind, b->statements[i].kind);
			assert_int_equal(a->statements[i].line, b->statements[i].line);
			assert_int_equal(a->statements[i].file, b->statements[i].file);
			assert_int_equal(a->statements[i].unroll, b->statements[i].unroll);
			assert_int_equal(a->statements[i].tests_last, b->statements[i].tests_last);
			assert_int_equal(a->statements[i].target, b->statements[i].target);
		}
		assert_int_equal(a->written_count, b->written_count);
		for (uint32_t i = 0; i < a->written_count; i++) {
			assert_int_equal(a->written[i].block, b->written[i].block);
			assert_int_equal(a->written[i].op_class, b->written[i].op_class);
			assert_int_equal(a->written[i].access, b->written[i].access);
			assert_int_equal(a->written[i].repeated, b->written[i].repeated);
			assert_int_equal(a->written[i].count, b->written[i].count);
		}
		for (uint32_t i = 0; i < a->block_count; i++)
			assert_memory_equal(&a->blocks[i], &b->blocks[i], sizeof *a->blocks);
		assert_memory_equal(a->summary->emitted, b->summary->emitted,
		                    a->block_count * sizeof *a->summary->emitted);
		kernel_free(a);
		kernel_free(b);
	}
}

/* ---- one hostile variant per field --------------------------------------------------------- */

typedef void spoil(Predictd__IrKernel *message);

/* X(name, kernel, statement that spoils message `m`) */
#define SPOILED(X)                                                                                 \
	X(argument_kind, vector_add, m->arguments[0]->kind = ARGUMENT_KIND_COUNT)                  \
	X(argument_kind_wraps, vector_add, m->arguments[0]->kind = 256)                            \
	X(argument_scalar, vector_add, m->arguments[0]->scalar = SCALAR_COUNT)                     \
	X(argument_width, vector_add, m->arguments[0]->width = 5)                                  \
	X(argument_width_wraps, vector_add, m->arguments[0]->width = 257)                          \
	X(argument_object, vector_add, m->arguments[0]->object = 99)                               \
	X(object_space, vector_add, m->objects[0]->space = SPACE_COUNT)                            \
	X(argument_image, arguments, m->arguments[3]->image = IMAGE_KIND_COUNT)                    \
	X(argument_image_wraps, arguments, m->arguments[3]->image = 256)                           \
	X(argument_of_another_image, arguments, m->arguments[3]->image = IMAGE_1D)                 \
	X(argument_access, arguments, m->arguments[3]->access = 4)                                 \
	X(node_aux_of_texel, arguments, spoil_aux(m, NODE_TEXEL, 0))                               \
	X(node_imm_of_texel, arguments, spoil_imm(m, NODE_TEXEL, 2))                               \
	X(node_aux_of_image_size, arguments, spoil_aux(m, NODE_IMAGE_SIZE, 0))                     \
	X(object_argument, vector_add, m->objects[0]->argument = 1000)                             \
	X(object_scalar, vector_add, m->objects[0]->scalar = 4096)                                 \
	X(object_width, vector_add, m->objects[0]->width = 0)                                      \
	X(node_op, vector_add, m->node_op[0] = NODE_OP_COUNT)                                      \
	X(node_op_wraps, vector_add, m->node_op[0] += 256)                                         \
	X(node_type, vector_add, m->node_type[0] = UINT32_MAX)                                     \
	X(node_operand_count, vector_add, m->node_operand_count[0] = IR_OPERANDS_MAX + 1)          \
	X(node_operand_shift, vector_add, m->node_operand_count[m->n_node_op - 1]++)               \
	X(node_operand_missing, vector_add, m->n_operands--)                                       \
	X(node_aux_of_argument, vector_add, spoil_aux(m, NODE_ARG, 77))                            \
	X(node_aux_of_dimension, vector_add, spoil_aux(m, NODE_GLOBAL_ID, 3))                      \
	X(node_aux_of_load, vector_add, spoil_aux(m, NODE_LOAD, 1u << 20))                         \
	X(node_aux_of_builtin, arguments, spoil_aux(m, NODE_CALL, BUILTIN_COUNT))                  \
	X(node_aux_of_loop, reduction, spoil_aux(m, NODE_LOOP_VAR, 1000))                          \
	X(node_imm_of_slot, reduction, spoil_imm(m, NODE_LOOP_VAR, 1000))                          \
	X(node_imm_of_swizzle, arguments, spoil_imm(m, NODE_SWIZZLE, 0xf))                         \
	X(column_op, vector_add, m->n_node_op--)                                                   \
	X(column_type, vector_add, m->n_node_type--)                                               \
	X(column_operand_count, vector_add, m->n_node_operand_count--)                             \
	X(column_aux, vector_add, m->n_node_aux--)                                                 \
	X(column_imm, vector_add, m->n_node_imm--)                                                 \
	X(operand_itself, vector_add, m->operands[m->n_operands - 1] = (uint32_t)m->n_node_op - 1) \
	X(operand_beyond, vector_add, m->operands[0] = UINT32_MAX)                                 \
	X(access_kind, vector_add, m->accesses[0]->kind = ACCESS_KIND_COUNT)                       \
	X(access_exchange, vector_add, m->accesses[0]->is_exchange = 1)                            \
	X(access_extreme, vector_add, m->accesses[0]->is_extreme = 1)                              \
	X(access_packed, vector_add, m->accesses[0]->is_packed = 1)                                \
	X(access_object, vector_add, m->accesses[0]->object = 50)                                  \
	X(access_object_none, vector_add, m->accesses[0]->object = 0)                              \
	X(access_index, vector_add, m->accesses[0]->index = 1u << 30)                              \
	X(access_scalar, vector_add, m->accesses[0]->scalar = SCALAR_COUNT)                        \
	X(access_width, vector_add, m->accesses[0]->width = 7)                                     \
	X(access_value, vector_add, m->accesses[2]->value = UINT32_MAX)                            \
	X(access_result, vector_add, m->accesses[0]->result = UINT32_MAX)                          \
	X(access_result_other, vector_add, m->accesses[0]->result = m->accesses[1]->result)        \
	X(statement_kind, vector_add, m->statements[0]->kind = STATEMENT_KIND_COUNT)               \
	X(statement_unroll, reduction, m->statements[0]->unroll = 65536)                           \
	X(statement_block, vector_add, m->statements[0]->block = 0)                                \
	X(statement_block_other, vector_add, m->statements[1]->block = 1)                          \
	X(statement_following_itself, vector_add, m->statements[0]->following = 1)                 \
	X(statement_following_beyond, vector_add, m->statements[0]->following = 70000)             \
	X(statement_access, vector_add, m->statements[1]->access = 4000)                           \
	X(statement_access_twice, vector_add, m->statements[1]->access = m->statements[2]->access) \
	X(statement_condition, vector_add, m->statements[0]->condition = 60000)                    \
	X(statement_body_none, vector_add, m->statements[0]->body = 0)                             \
	X(statement_body_root, vector_add, m->statements[0]->body = 1)                             \
	X(statement_body_beyond, vector_add, m->statements[0]->body = 100000)                      \
	X(statement_otherwise_body, vector_add,                                                    \
	  m->statements[0]->otherwise = m->statements[0]->body)                                    \
	X(statement_target, search, spoil_target(m, STATEMENT_NEXT, 60000))                        \
	X(statement_target_access, search, spoil_target(m, STATEMENT_NEXT, 3))                     \
	X(statement_first_variable, reduction, m->statements[0]->first_variable = UINT32_MAX - 1)  \
	X(statement_variable_count, reduction, m->statements[0]->variable_count = UINT32_MAX)      \
	X(statement_variables_of_no_loop, vector_add, m->statements[0]->variable_count = 1)        \
	X(variable_node, reduction, m->variable_node[0] = 60000)                                   \
	X(variable_node_none, reduction, m->variable_node[0] = 0)                                  \
	X(variable_init, reduction, m->variable_init[0] = 60000)                                   \
	X(variable_next, reduction, m->variable_next[0] = 60000)                                   \
	X(column_variable_init, reduction, m->n_variable_init--)                                   \
	X(column_variable_next, reduction, m->n_variable_next--)                                   \
	X(block_owner, vector_add, m->blocks[1]->owner = 3)                                        \
	X(block_owner_of_root, vector_add, m->blocks[0]->owner = 1)                                \
	X(block_first, vector_add, m->blocks[1]->first = 90000)                                    \
	X(block_last, vector_add, m->blocks[1]->last = 1)                                          \
	X(written_block, vector_add, m->written[0]->block = 1u << 31)                              \
	X(written_op_class, vector_add, m->written[0]->op_class = OP_CLASS_NONE + 1)               \
	X(written_type_class, vector_add, m->written[0]->type_class = TYPE_CLASS_NONE + 1)         \
	X(written_access, vector_add, spoil_count(m))                                              \
	X(required_local_two, vector_add, m->n_required_local = 2)

static void spoil_aux(Predictd__IrKernel *message, uint32_t op, uint32_t aux)
{
	for (size_t i = 0; i < message->n_node_op; i++)
		if (message->node_op[i] == op)
			message->node_aux[i] = aux;
}

static void spoil_imm(Predictd__IrKernel *message, uint32_t op, uint64_t imm)
{
	for (size_t i = 0; i < message->n_node_op; i++)
		if (message->node_op[i] == op)
			message->node_imm[i] = imm;
}

static void spoil_target(Predictd__IrKernel *message, uint32_t kind, uint32_t target)
{
	for (size_t i = 0; i < message->n_statements; i++)
		if (message->statements[i]->kind == kind)
			message->statements[i]->target = target;
}

static void spoil_count(Predictd__IrKernel *message)
{
	for (size_t i = 0; i < message->n_written; i++)
		if (message->written[i]->access != 0)
			message->written[i]->access = 5000;
}

#define X(name, kernel, statement)                                                                 \
	static void spoil_##name(Predictd__IrKernel *m)                                            \
	{                                                                                          \
		statement;                                                                         \
	}
SPOILED(X)
#undef X

static const struct {
	const char *name;
	sample_kernel *make;
	spoil *spoil;
} spoiled[] = {
#define X(name, kernel, statement) {#name, sample_##kernel, spoil_##name},
        SPOILED(X)
#undef X
};

/* Decodes and expects a refusal with a reason. Takes the message. */
static void assert_refused(Predictd__IrKernel *message, const char *what)
{
	struct ir_kernel *kernel = NULL;
	struct error error = {0};
	enum status status = ir_decode(message, &kernel, &error);
	predictd__ir_kernel__free_unpacked(message, NULL);
	if (status == STATUS_OK) {
		kernel_free(kernel);
		fail_msg("%s: accepted", what);
	}
	assert_true(status == STATUS_CORRUPT || status == STATUS_LIMIT);
	assert_int_not_equal(error.text[0], '\0');
}

static void every_spoiled_field_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof spoiled / sizeof *spoiled; i++) {
		Predictd__IrKernel *message = message_of(spoiled[i].make);
		spoiled[i].spoil(message);
		assert_refused(message, spoiled[i].name);
	}
}

/* A repeated field of `count` numbers, the message's to free. */
static uint32_t *numbers(size_t count)
{
	uint32_t *result = calloc(count, sizeof *result);
	assert_non_null(result);
	return result;
}

static void counts_over_their_bounds_are_refused_before_anything_is_read(void **state)
{
	(void)state;
	/* The columns are as short as they were: reading to the count would be seen by a sanitizer.
	 */
	Predictd__IrKernel *message = message_of(sample_vector_add);
	size_t kept = message->n_statements;
	message->n_statements = IR_STATEMENTS_MAX + 1;
	struct ir_kernel *kernel = NULL;
	struct error error = {0};
	assert_int_equal(ir_decode(message, &kernel, &error), STATUS_LIMIT);
	message->n_statements = kept;
	kept = message->n_operands;
	message->n_operands = SIZE_MAX / 4;
	assert_int_equal(ir_decode(message, &kernel, &error), STATUS_LIMIT);
	message->n_operands = kept;
	kept = message->n_blocks;
	message->n_blocks = IR_BLOCKS_MAX + 1;
	assert_int_equal(ir_decode(message, &kernel, &error), STATUS_LIMIT);
	message->n_blocks = kept;
	predictd__ir_kernel__free_unpacked(message, NULL);
}

static void a_kernel_without_a_body_is_refused(void **state)
{
	(void)state;
	Predictd__IrKernel *message = calloc(1, sizeof *message);
	assert_non_null(message);
	predictd__ir_kernel__init(message);
	assert_refused(message, "no body");
}

static void more_required_sizes_than_three_are_refused(void **state)
{
	(void)state;
	Predictd__IrKernel *message = message_of(sample_vector_add);
	free(message->required_local);
	message->required_local = numbers(4);
	message->n_required_local = 4;
	assert_refused(message, "four sizes");
}

static void a_name_that_is_too_long_or_no_text_is_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {"bell\a",       "\x1b[31m",         "\xff",
	                                  "\xc3",         "\xc2\x9b",         "\xed\xa0\x80",
	                                  "\xe0\x80\x80", "\xf4\x90\x80\x80", "line\nline"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		Predictd__IrKernel *message = message_of(sample_vector_add);
		free(message->arguments[1]->name);
		message->arguments[1]->name = strdup(bad[i]);
		assert_refused(message, "not text");
	}
	char long_name[IR_NAME_MAX + 1];
	memset(long_name, 'x', IR_NAME_MAX);
	long_name[IR_NAME_MAX] = '\0';
	Predictd__IrKernel *message = message_of(sample_vector_add);
	free(message->name);
	message->name = strdup(long_name);
	assert_refused(message, "too long");
}

/* Places in two files: kept; a file that is none, or columns of another length, are refused. */
static void places_and_files_are_checked(void **state)
{
	struct ir_kernel *a = kernel_new("placed"), *b = NULL;
	struct error error = {0};
	uint8_t file = 0;
	(void)state;
	assert_true(kernel_file(a, "inc/one.h", &file) && kernel_file(a, "two.h", &file));
	assert_int_equal(file, 2);
	assert_true(kernel_file(a, "inc/one.h", &file));
	assert_int_equal(file, 1);
	(void)kernel_stand(a, ir_place_of(70000, 2));
	uint32_t node = kernel_node(a, NODE_GLOBAL_ID, type_scalar(SCALAR_ULONG), NULL, 0, 0, 0);
	struct ir_statement barrier = statement_of(STATEMENT_BARRIER, 9);
	assert_int_not_equal(kernel_append(a, 0, &barrier), IR_NONE);
	assert_int_equal(kernel_seal(a, &error), STATUS_OK);
	Predictd__IrKernel *message = ir_encode(a);
	assert_non_null(message);
	assert_int_equal(ir_decode(message, &b, &error), STATUS_OK);
	assert_int_equal(b->nodes[node].place.line, 70000);
	assert_int_equal(b->nodes[node].place.file, 2);
	assert_int_equal(b->statements[0].file, 2);
	assert_int_equal(b->file_count, 2);
	assert_string_equal(b->files[0].name, "inc/one.h");
	kernel_free(b);

	message->node_file[node] = 3;
	assert_int_equal(ir_decode(message, &b, &error), STATUS_CORRUPT);
	message->node_file[node] = 256;
	assert_int_equal(ir_decode(message, &b, &error), STATUS_CORRUPT);
	message->node_file[node] = 2;
	message->statements[0]->file = 3;
	assert_int_equal(ir_decode(message, &b, &error), STATUS_CORRUPT);
	message->statements[0]->file = 2;
	message->n_node_line += 1;
	assert_int_equal(ir_decode(message, &b, &error), STATUS_CORRUPT);
	message->n_node_line = 0; /* of an analyser that says nothing of lines */
	assert_int_equal(ir_decode(message, &b, &error), STATUS_OK);
	assert_int_equal(b->nodes[node].place.line, 0);
	kernel_free(b);
	predictd__ir_kernel__free_unpacked(message, NULL);
	kernel_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_sample_keeps_its_text),
	        cmocka_unit_test(every_array_is_equal_after_the_round_trip),
	        cmocka_unit_test(places_and_files_are_checked),
	        cmocka_unit_test(every_spoiled_field_is_refused),
	        cmocka_unit_test(counts_over_their_bounds_are_refused_before_anything_is_read),
	        cmocka_unit_test(a_kernel_without_a_body_is_refused),
	        cmocka_unit_test(more_required_sizes_than_three_are_refused),
	        cmocka_unit_test(a_name_that_is_too_long_or_no_text_is_refused),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("ir_codec", tests, NULL, NULL);
}
